// soft_warm_start.c - scheme soft_step: how much of kept impulses a user's policy lets be used.
//
// Impulses are kept for one substep; a policy is told those of a whole step, as in other schemes.
// Residuals of rows are not known here: 0. docs/theory/soft_step.md, docs/theory/warm_start.md
// (22).
#include "world/soft/soft_warm_start.h"

#include "world/step/rows.h"
#include "world/step/warm_start.h"

bool cn_soft_asks_policy(const CnWorld* world) {
    return world->def.warm_start_hook.policy != NULL &&
           world->def.step.warm_start != CN_WARM_START_OFF && world->kept_dt > 0.0;
}

// The impulse of a substep, with the factor that holds for all rows.
static double ask(const CnWorld* world, CnWarmStartRow* row, double kept) {
    row->impulse = kept * (world->step.dt / world->kept_dt);
    return cn_warm_start_guess(world, row) / world->def.step.soft.substeps;
}

static CnBodyId id_of(const CnWorld* world, int body) {
    return body < 0 ? (CnBodyId){0} : world->order.data[body];
}

static CnVec3 direction_of(float (*from)[CN_SOFT_LANES], int lane) {
    CnVec3 v = cn_vec3((double)from[0][lane], (double)from[1][lane], (double)from[2][lane]);
    return cn_vec3_normalize(v);
}

void cn_soft_ask_contact(const CnWorld* world, int index, CnSoftLanes points, int lane,
                         CnSoftTile* tile) {
    CnManifold* manifold = cn_manifold_at(&world->pairs, index);
    CnVec3 normal = direction_of(tile->normal, lane);
    const CnVec3 tangent[2] = {direction_of(tile->tangent[0], lane),
                               direction_of(tile->tangent[1], lane)};
    const struct {
        CnChannel channel;
        CnVec3 direction;
        float* impulse;
    } rows[] = {
        {CN_CHANNEL_TANGENT_1, tangent[0], &tile->slide.now[0][lane]},
        {CN_CHANNEL_TANGENT_2, tangent[1], &tile->slide.now[1][lane]},
        {CN_CHANNEL_TORSION, normal, &tile->twist.now[lane]},
        {CN_CHANNEL_ROLLING_1, tangent[0], &tile->roll.now[0][lane]},
        {CN_CHANNEL_ROLLING_2, tangent[1], &tile->roll.now[1][lane]},
    };
    const size_t rows_of_slots[CN_SOFT_MOST_SLOTS] = {2, 3, 5};
    CnWarmStartRow row = {
        .body_a = id_of(world, manifold->tile.body_a),
        .body_b = id_of(world, manifold->tile.body_b),
        .age = 1,
    };
    for (int i = 0; i < points.count; ++i) {
        CnTouchPoint* point = &manifold->points[points.first + i];
        point->age = (uint8_t)(point->age + (point->age < CN_MAX_AGE));
        row.age = point->age;
        row.channel = CN_CHANNEL_NORMAL;
        row.direction = normal;
        float* push = &tile->point[i].push.now[lane];
        *push = (float)ask(world, &row, (double)*push);
    }
    for (size_t i = 0; i < rows_of_slots[tile->slots - 1]; ++i) {
        row.channel = rows[i].channel;
        row.direction = rows[i].direction;
        *rows[i].impulse = (float)ask(world, &row, (double)*rows[i].impulse);
    }
}

double cn_soft_ask_joint(const CnWorld* world, const CnUserConstraint* constraint, int row,
                         CnVec3 direction) {
    CnWarmStartRow asked = {
        .channel = cn_world_constraint_channel(constraint, row),
        .body_a = constraint->body_a,
        .body_b = constraint->body_b,
        .direction = direction,
        .age = constraint->age,
    };
    return ask(world, &asked, constraint->kept[row]);
}
