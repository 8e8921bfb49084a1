// plain_tile.c - tiles of contacts that have friction and restitution, and nothing else to them.
//
// Nearly all contacts of a step are of this kind. cn_world_build_tile() is for any; this
// does the same operations on the same numbers, and leaves out those that are zero or one here.
#include "world/contacts/contact_rows.h"
#include "world/step/unilateral_target.h"
#include "world/step/warm_start.h"

#include <string.h>

bool cn_plain_tiles_suit(const CnWorld* world, const CnPosing* posing) {
    return posing->start == NULL && !posing->instant && !posing->position_level &&
           world->fast_count == 0 && world->def.contact_hooks.material == NULL &&
           world->def.step.friction_bias == 0.0 && !world->pairs.has_extras &&
           !world->pairs.keeps_apart && cn_warm_start_is_full(world);
}

// Velocity of B against A at a point of both.
static CnVec3 relative_velocity(const CnBodyState* a, const CnBodyState* b, CnVec3 point) {
    CnVec3 arm_a = cn_vec3_sub(point, a->center), arm_b = cn_vec3_sub(point, b->center);
    CnVec3 of_a = cn_vec3_add(a->velocity, cn_vec3_cross(a->angular_velocity, arm_a));
    CnVec3 of_b = cn_vec3_add(b->velocity, cn_vec3_cross(b->angular_velocity, arm_b));
    return cn_vec3_sub(of_b, of_a);
}

static void set_three(CnVec3 v, double to[3]) {
    to[0] = v.x;
    to[1] = v.y;
    to[2] = v.z;
}

// A tile without acting points, whose impulses stay to be set.
static void set_frame(CnContactTile* tile, const CnPairRecord* record, const CnBodyState* a,
                      const CnBodyState* b, CnVec3 tangent_1, CnVec3 tangent_2) {
    tile->body_a = record->body[0];
    tile->body_b = record->body[1];
    tile->acting = 0;
    tile->row_count = record->friction > 0.0 ? 3 : 1;
    tile->trace = 0.0;
    memset(tile->friction, 0, sizeof tile->friction);
    memset(tile->target, 0, sizeof tile->target);
    memset(tile->step_bound, 0, sizeof tile->step_bound);
    set_three(a->center, tile->center[0]);
    set_three(b->center, tile->center[1]);
    set_three(tangent_1, tile->direction[1]);
    set_three(tangent_2, tile->direction[2]);
}

bool cn_plain_tile_build(CnWorld* world, const CnPosing* posing, int index) {
    CnManifold* manifold = cn_manifold_at(&world->pairs, index);
    const CnPairRecord* record = &world->pairs.records.data[manifold->pair];
    if (record->given >= 0 || record->surfaces != world->surfaces) {
        return false;
    }
    CnContactTile* tile = &manifold->tile;
    const CnBodyState* a = &posing->states[record->body[0]];
    const CnBodyState* b = &posing->states[record->body[1]];
    CnVec3 normal = cn_manifold_normal(manifold);
    CnVec3 tangent_1 = {0.0, 0.0, 0.0}, tangent_2 = tangent_1;
    CnVec3 impulse[CN_TILE_POINTS]; // of the last solve, along the axes of the world
    double ratio = world->kept_dt > 0.0 ? posing->dt / world->kept_dt : 0.0;
    for (int i = 0; i < manifold->count; ++i) {
        impulse[i] = cn_manifold_impulse(manifold, i);
    }
    if (record->friction > 0.0) {
        cn_tangent_basis(normal, &tangent_1, &tangent_2);
    }
    set_frame(tile, record, a, b, tangent_1, tangent_2);
    memset(tile->impulse, 0, sizeof tile->impulse);
    for (int i = 0; i < manifold->count; ++i) {
        CnVec3 velocity = relative_velocity(a, b, cn_manifold_point(manifold, i));
        CnUnilateralRow row = {.gap = manifold->points[i].gap,
                               .approach = cn_vec3_dot(normal, velocity),
                               .restitution = record->restitution};
        CnUnilateralTarget target = cn_unilateral_target(&world->def.step, posing, &row);
        manifold->approach[i] = (float)row.approach;
        if (target.waits) {
            continue;
        }
        tile->acting |= 1u << i;
        tile->target[i] = target.rate;
        tile->friction[i] = record->friction;
        tile->impulse[0][i] = ratio * fmax(0.0, cn_vec3_dot(impulse[i], normal));
        if (tile->row_count == 3) {
            tile->impulse[1][i] = ratio * cn_vec3_dot(impulse[i], tangent_1);
            tile->impulse[2][i] = ratio * cn_vec3_dot(impulse[i], tangent_2);
        }
    }
    manifold->has_tile = manifold->is_solved = manifold->is_framed = true;
    manifold->has_hold = manifold->is_belt = manifold->is_wide = false;
    return true;
}
