// stay.c - whether a body without pairs is still within its fat boxes.
#include "world/moving/stay.h"

// What sums of a few coordinates round off, as a share of the largest.
#define ROUNDED 0x1p-48

// How far the points of a shape come from a state in the time looked ahead [m].
static double reach_from(double dt, const CnBodyState* state, double arm) {
    return dt * cn_vec3_length(state->velocity) +
           dt * cn_vec3_length(state->angular_velocity) * arm;
}

static double size_of(CnVec3 v) {
    return fabs(v.x) + fabs(v.y) + fabs(v.z);
}

static bool contains(const CnFloatBox* fat, CnVec3 low, CnVec3 high, double more) {
    CnVec3 grown = cn_vec3(more, more, more);
    CnBounds bounds = {cn_vec3_sub(low, grown), cn_vec3_add(high, grown)};
    return cn_float_box_contains(fat, &bounds);
}

// Of the gap between a box and bounds within it the least, less what may be rounded off [m].
static double least_gap(const CnFloatBox* fat, CnVec3 low, CnVec3 high) {
    double least = HUGE_VAL, most = 0.0;
    const double lows[3] = {low.x, low.y, low.z}, highs[3] = {high.x, high.y, high.z};
    for (int i = 0; i < 3; ++i) {
        double below = lows[i] - (double)fat->low[i], above = (double)fat->high[i] - highs[i];
        double far = fabs(lows[i]) + fabs(highs[i]);
        least = below < least ? below : least;
        least = above < least ? above : least;
        most = far > most ? far : most;
    }
    return least - ROUNDED * most;
}

// Bounds of a ball about the centre follow from the state. Those of any other shape where it was
// placed go along with the body, and grow by what it has turned and by what it comes further now.
CnStay cn_stay_find(const CnWorld* world, int slot, const CnBodyState* state, double dt) {
    const CnWorldShape* shape = cn_world_shape_at(world, slot);
    const CnFloatBox* fat = &world->broad_phase.fat.data[slot];
    double arm = cn_stay_arm(world, shape);
    double ahead = reach_from(dt, state, arm) + CN_SPARE_REACH + CN_STAY_SHARE * arm;
    double stays = CN_SPARE_REACH + CN_STAY_SHARE * arm; // that much without a velocity
    if (shape->shape->type == CN_SHAPE_SPHERE && arm == shape->shape->extent) {
        double margin = 0.5 * world->def.step.contact_margin;
        return (CnStay){contains(fat, state->center, state->center, arm + ahead + margin), arm,
                        least_gap(fat, state->center, state->center) - (arm + stays + margin)};
    }
    const CnPlace* place = &world->places.data[shape->body];
    const CnShapePlace* own = &world->shape_places.data[slot];
    if (own->epoch != place->epoch || cn_shape_is_wide(shape->shape)) {
        return (CnStay){.fits = false, .arm = arm};
    }
    CnVec3 moved = cn_vec3_sub(state->center, place->pose.position);
    CnVec3 low = cn_vec3_add(own->bounds.low, moved), high = cn_vec3_add(own->bounds.high, moved);
    double turned = arm * cn_stay_angle(place->pose.rotation, state->rotation);
    double further = ahead - own->reach, rest = stays - own->reach;
    return (CnStay){contains(fat, low, high, turned + (further > 0.0 ? further : 0.0)), arm,
                    least_gap(fat, low, high) - (turned + (rest > 0.0 ? rest : 0.0))};
}

CnLeash cn_leash_from(const CnBodyState* state, const CnStay* stay) {
    return (CnLeash){
        .pose = {state->center, state->rotation},
        .arm = cn_float_above(stay->arm),
        .room = stay->room > 0.0 ? cn_float_below(stay->room) : 0.0f,
    };
}

// Sums of magnitudes are no less than lengths.
bool cn_leash_holds(const CnLeash* leash, const CnBodyState* state, double dt) {
    CnQuat a = leash->pose.rotation, b = state->rotation;
    double arm = (double)leash->arm;
    double turned = fabs(b.w - a.w) + fabs(b.x - a.x) + fabs(b.y - a.y) + fabs(b.z - a.z);
    double way = size_of(cn_vec3_sub(state->center, leash->pose.position)) + 2.0 * arm * turned +
                 dt * (size_of(state->velocity) + arm * size_of(state->angular_velocity));
    return way < (double)leash->room;
}
