// moving_256.c - bodies that gravity, contacts and joints move, four at a time, with AVX2.
#if defined(__x86_64__)
#define CN_LANES 4
#define CN_LANE_TARGET __attribute__((target("avx2")))
#include "world/moving/joint_books_lanes.h"
#include "world/moving/moving_lanes.h"

const CnMovingLanes cn_moving_256 = {
    CN_LANES,     begin_group, predict_group, repredict_group,  free_group,
    finish_group, total_group, book_group,    joint_work_group, reaction_group,
};
#endif
