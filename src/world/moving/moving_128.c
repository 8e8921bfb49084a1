// moving_128.c - bodies that gravity, contacts and joints move, two at a time.
#define CN_LANES 2
#define CN_LANE_TARGET
#include "world/moving/joint_books_lanes.h"
#include "world/moving/moving_lanes.h"

const CnMovingLanes cn_moving_128 = {
    CN_LANES,     begin_group, predict_group, repredict_group,  free_group,
    finish_group, total_group, book_group,    joint_work_group, reaction_group,
};
