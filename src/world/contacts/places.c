// places.c - where bodies and their shapes are as contacts are searched for.
#include "world/contacts/places.h"

#include "base/fetch.h"
#include "base/tasks.h"
#include "geometry/surface.h"
#include "world/soft/soft_known.h"
#include "world/soft/soft_look.h"
#include "world/step/rollback.h"
#include "world/world.h"

// Beyond this turn in a step [rad] the straight way of a point says nothing about where it comes.
#define LARGE_TURN 1.0

// Bodies placed by one task.
#define GRAIN 16

// Bounds are made anew when a body can travel further than they allow for, and by this much [m]
// further than it needs: a body at rest, whose free velocity trembles, keeps its bounds.
#define SPARE_REACH 1e-6

// Of a body without pairs that stays where it was placed: it may come this share of the distance to
// its farthest point further before it is looked at again. Fat boxes allow for fifty times as much.
#define STAY_SHARE 0x1p-10

typedef struct Placing {
    CnWorld* world;
    const CnBodyState* states;
    double dt;
    CnIndexList list;
    const int* shapes; // cn_active_shapes() of the list
    int* changed;      // shapes of the body with new bounds: one of the next   [list.count]
    bool lists_all;    // also those whose new bounds are within their fat boxes
    const bool* scope; // while positions are corrected: those that may have moved; NULL: all
    bool* stays;       // of each body that moves: it is not placed unless it gets pairs   [bodies]
    bool may_stay;     // bodies without pairs may: all were placed before, as they are now
    bool is_soft;      // scheme soft_step
    bool is_full;      // something about bodies has changed since the last time
    bool is_again;     // only those that had no room are looked at
} Placing;

// Shapes of bodies so many places later are prefetched.
#define FETCHED_AHEAD 8

// What Placing.changed says: a slot is that of the only shape of a body.
#define NO_SHAPE (-1)
#define MANY_SHAPES (-2)
#define NO_ROOM (-3) // to save what changes: not looked at yet

// Steps are cut where fast bodies hit, so none has to look ahead for them; but a quasi-static one,
// in which the way depends on the length of the step, gets there sooner if it does.
static bool is_cut_at(const CnWorld* world, int body) {
    CnScheme scheme = world->def.step.scheme;
    return world->fast_count > 0 && world->bodies.data[body].fast &&
           scheme != CN_SCHEME_QUASI_STATIC && scheme != CN_SCHEME_SOFT_STEP;
}

static double arm_of(const CnWorld* world, const CnWorldShape* shape) {
    return cn_vec3_length(cn_world_shape_offset(world, shape)) + shape->shape->extent;
}

// The shapes of a body one after the other; `only` is that of a body known to have just one.
static int first_shape(const CnWorld* world, int body, int only) {
    return only >= 0 ? only : world->details.data[body].first_shape;
}

static int next_shape(const CnWorld* world, int slot, int only) {
    return only >= 0 ? CN_NONE : cn_world_shape_at(world, slot)->next;
}

// The farthest point of a body's shapes from its centre of mass [m]; infinite with a plane.
static double farthest(const CnWorld* world, int body, int only) {
    double arm = 0.0;
    for (int s = first_shape(world, body, only); s >= 0; s = next_shape(world, s, only)) {
        const CnWorldShape* shape = cn_world_shape_at(world, s);
        bool ends = shape->shape->type != CN_SHAPE_PLANE;
        arm = ends ? fmax(arm, arm_of(world, shape)) : HUGE_VAL;
    }
    return arm;
}

// Rotations that differ by little differ by twice the length of the difference of their quaternions
// [rad].
static double angle_between(CnQuat a, CnQuat b) {
    double w = a.w - b.w, x = a.x - b.x, y = a.y - b.y, z = a.z - b.z;
    return 2.0 * sqrt(w * w + x * x + y * y + z * z);
}

// How far a body can have moved between two poses: no point of its shapes further [m]. A plane
// turns about its foot: any turn moves it far.
static double motion_between(const CnWorld* world, int body, int only, const CnTransform* a,
                             const CnBodyState* b) {
    double turn = angle_between(a->rotation, b->rotation);
    double moved = cn_vec3_length(cn_vec3_sub(a->position, b->center));
    return turn > 0.0 ? moved + turn * farthest(world, body, only) : moved;
}

// The same against a limit [m]: what has moved twice as far need not be asked how it turned.
static bool has_moved(const CnWorld* world, int body, int only, const CnTransform* a,
                      const CnBodyState* b, double limit) {
    CnVec3 way = cn_vec3_sub(a->position, b->center);
    return !(cn_vec3_dot(way, way) <= 4.0 * limit * limit) ||
           !(motion_between(world, body, only, a, b) <= limit);
}

// Whether how far its points come depends on where one looks.
static bool is_wide(const CnShape* shape) {
    return shape->type == CN_SHAPE_PLANE || cn_shape_is_surface(shape);
}

CnPlaceDrift cn_places_drift(const CnWorld* world, int body) {
    return body < world->drifts.count ? world->drifts.data[body] : (CnPlaceDrift){0};
}

// How far the points of a shape that may meet another can come. All points of a bounded shape are
// within its extent. A turning plane comes the faster the further out one looks, to the far end of
// the other; so does a surface, which may be as wide.
static double reach(const CnWorld* world, int slot, int other) {
    const CnWorldShape *own = cn_world_shape_at(world, slot), *to = cn_world_shape_at(world, other);
    const CnPlace* place = &world->places.data[own->body];
    const CnShapePlace* there = &world->shape_places.data[other];
    CnPlaceDrift drift = cn_places_drift(world, own->body);
    bool wide = is_wide(own->shape);
    if (!wide && drift.turn == 0.0) {
        return drift.travel;
    }
    double arm = arm_of(world, own);
    if (wide) {
        CnVec3 far = cn_vec3_sub(there->placed.pose.position, place->pose.position);
        double to_other = cn_vec3_length(far) + to->shape->extent;
        arm = own->shape->type == CN_SHAPE_PLANE ? to_other : fmin(arm, to_other);
    }
    return drift.travel + drift.turn * arm;
}

void cn_places_note_ahead(CnWorld* world, int slot) {
    const CnWorldShape* shape = cn_world_shape_at(world, slot);
    CnShapePlace* own = &world->shape_places.data[slot];
    own->is_wide = is_wide(shape->shape);
    own->turns_far = cn_places_drift(world, shape->body).turn > LARGE_TURN;
    own->ahead = reach(world, slot, slot);
}

// The same of a shape that was placed: of a bounded one it is known.
static double placed_reach(const CnWorld* world, int slot, int other) {
    const CnShapePlace* own = &world->shape_places.data[slot];
    return own->is_wide ? reach(world, slot, other) : own->ahead;
}

static void place_shape(const Placing* placing, int slot, bool is_cut, bool* changed) {
    CnWorld* world = placing->world;
    const CnWorldShape* shape = cn_world_shape_at(world, slot);
    const CnPlace* place = &world->places.data[shape->body];
    CnShapePlace* own = &world->shape_places.data[slot];
    bool is_new = own->epoch != place->epoch;
    if (is_new) {
        own->placed = cn_world_shape_placed(world, shape, place->pose);
        own->epoch = place->epoch;
        cn_narrow_phase_place(&own->placed, &own->polyhedron);
    }
    cn_places_note_ahead(world, slot);
    double near = is_cut ? 0.0 : own->ahead;
    if (is_new || near > own->reach || near < own->reach - 2.0 * SPARE_REACH) {
        // Half the margin on each side, so that boxes meet when shapes may. A plane's box is all of
        // space anyway.
        own->reach = near + SPARE_REACH;
        own->bounds =
            cn_shape_bounds(own->placed, own->reach + 0.5 * world->def.step.contact_margin);
        *changed = *changed || placing->lists_all ||
                   !cn_float_box_contains(&world->broad_phase.fat.data[slot], &own->bounds);
    }
}

// Counts changes of how far a body can come that may matter to the search of a pair: a quarter of
// what search.c takes as the same look ahead. Looks at the end of a step look nowhere.
static void note_reach(const Placing* placing, int i, int k, int only, CnPlace* place) {
    const CnPlaceDrift* drift = &placing->world->drifts.data[i];
    double slack = 2.5e-4 * placing->world->def.step.contact_margin;
    double turning = drift->turn > 0.0 ? drift->turn * farthest(placing->world, i, only) : 0.0;
    double reach = drift->travel + turning;
    if (placing->dt > 0.0 && !(fabs(reach - place->reach) <= slack)) {
        cn_rollback_keep_place(placing->world, i, k);
        place->reach = reach;
        ++place->ahead;
    }
}

// What a body may move by and count as still: half the bound for two bodies [m]. Looks of scheme
// implicit are compared with each other to the last digit: there nothing may move at all.
static double still_motion(const CnWorld* world) {
    const CnStepDef* step = &world->def.step;
    return step->scheme == CN_SCHEME_IMPLICIT ? 0.0 : 0.5 * step->recycling_distance;
}

// How far a body that counts as still has come: its turn is twice the vector part of the small
// rotation from the one quaternion to the other.
static void note_drift(const CnPlace* place, const CnBodyState* state, CnPlaceDrift* drift) {
    CnQuat from = place->pose.rotation, to = state->rotation;
    CnQuat change = cn_quat(to.w - from.w, to.x - from.x, to.y - from.y, to.z - from.z);
    CnQuat turn = cn_quat_multiply(change, cn_quat_conjugate(from));
    drift->moved = cn_vec3_sub(state->center, place->pose.position);
    drift->turned = cn_vec3(2.0 * turn.x, 2.0 * turn.y, 2.0 * turn.z);
}

static int changed_shapes(const CnWorld* world, int body, int only) {
    const CnBodyDetails* details = &world->details.data[body];
    return only >= 0                                     ? only
           : details->first_shape == details->last_shape ? details->first_shape
                                                         : MANY_SHAPES;
}

// Returns the shapes whose bounds the broad phase is to hear of. k is its place in the list. A body
// known to have one shape is awake.
static int place_body(const Placing* placing, int i, int k, int only) {
    CnWorld* world = placing->world;
    CnPlace* place = &world->places.data[i];
    CnPlaceDrift* drift = &world->drifts.data[i];
    const CnBodyState* state = &placing->states[i];
    double limit = still_motion(world);
    bool is_cut = is_cut_at(world, i), changed = false;
    drift->moved = drift->turned = cn_vec3(0.0, 0.0, 0.0);
    if (place->epoch == 0 || has_moved(world, i, only, &place->pose, state, limit)) {
        cn_rollback_keep_place(world, i, k);
        place->pose = (CnTransform){state->center, state->rotation};
        place->epoch = cn_place_next_epoch(place->epoch);
    } else {
        note_drift(place, state, drift);
    }
    bool looks = placing->dt > 0.0;
    drift->travel = looks ? placing->dt * cn_vec3_length(state->velocity) : 0.0;
    drift->turn = looks ? placing->dt * cn_vec3_length(state->angular_velocity) : 0.0;
    note_reach(placing, i, k, only, place);
    for (int s = first_shape(world, i, only); s >= 0; s = next_shape(world, s, only)) {
        place_shape(placing, s, is_cut, &changed);
    }
    if (only < 0) {
        world->bodies.data[i].sleep.is_placed = world->bodies.data[i].sleep.is_asleep;
    }
    return changed ? changed_shapes(world, i, only) : NO_SHAPE;
}

// How far the points of a shape come from a state in the time looked ahead, as reach() [m].
static double reach_from(const Placing* placing, const CnBodyState* state, double arm) {
    return placing->dt * cn_vec3_length(state->velocity) +
           placing->dt * cn_vec3_length(state->angular_velocity) * arm;
}

// Bounds of a shape, had its body been placed at a state, or larger ones. Those of a ball about the
// centre follow from that. Those of any other shape where it was placed go along with the body, and
// grow by what it has turned and by what it comes further now. docs/theory/collision/broad_phase.md
// (5a). False: they are not known.
static bool bound_if_placed(const Placing* placing, int body, int slot, CnBounds* bounds) {
    const CnWorld* world = placing->world;
    const CnWorldShape* shape = cn_world_shape_at(world, slot);
    const CnBodyState* state = &placing->states[body];
    double arm = arm_of(world, shape);
    double ahead = reach_from(placing, state, arm) + SPARE_REACH + STAY_SHARE * arm;
    if (shape->shape->type == CN_SHAPE_SPHERE && arm == shape->shape->extent) {
        double half = arm + ahead + 0.5 * world->def.step.contact_margin;
        CnVec3 all = cn_vec3(half, half, half);
        *bounds = (CnBounds){cn_vec3_sub(state->center, all), cn_vec3_add(state->center, all)};
        return true;
    }
    const CnPlace* place = &world->places.data[body];
    const CnShapePlace* own = &world->shape_places.data[slot];
    CnVec3 moved = cn_vec3_sub(state->center, place->pose.position);
    double turned = arm * angle_between(place->pose.rotation, state->rotation);
    double more = turned + fmax(ahead - own->reach, 0.0);
    CnVec3 grown = cn_vec3(more, more, more);
    *bounds = (CnBounds){cn_vec3_sub(cn_vec3_add(own->bounds.low, moved), grown),
                         cn_vec3_add(cn_vec3_add(own->bounds.high, moved), grown)};
    return own->epoch == place->epoch && !is_wide(shape->shape);
}

// Whether nobody asks where a body is: its shapes have no pairs, and none comes to them, since they
// are within their fat boxes. A body that falls asleep is placed: it is not looked at again.
static bool may_stay(const Placing* placing, int i, int only) {
    const CnWorld* world = placing->world;
    bool may = (only >= 0 || world->bodies.data[i].type != CN_BODY_STATIC) && !is_cut_at(world, i);
    for (int s = first_shape(world, i, only); may && s >= 0; s = next_shape(world, s, only)) {
        CnBounds bounds;
        may = cn_pair_store_first(&world->pairs, s) < 0 &&
              bound_if_placed(placing, i, s, &bounds) &&
              cn_float_box_contains(&world->broad_phase.fat.data[s], &bounds);
    }
    return may;
}

// Thickness of the thinnest shape of a body [m].
static double thickness(const CnWorld* world, int body) {
    double least = HUGE_VAL;
    for (int s = world->details.data[body].first_shape; s >= 0;
         s = cn_world_shape_at(world, s)->next) {
        const CnShape* shape = cn_world_shape_at(world, s)->shape;
        double own = 2.0 * shape->extent;
        if (shape->type == CN_SHAPE_BOX) {
            CnVec3 half = shape->half_size;
            own = 2.0 * fmin(half.x, fmin(half.y, half.z));
        } else if (shape->type == CN_SHAPE_CAPSULE || shape->type == CN_SHAPE_CYLINDER) {
            own = 2.0 * shape->radius;
        }
        least = fmin(least, own);
    }
    return isfinite(least) ? least : 0.0;
}

// What is to be done about the shapes of a body whose place may stay.
typedef enum ShapeNews {
    SHAPES_PLACED,
    SHAPES_LOST,     // a step was undone, or memory has moved: to be placed where the body was
    SHAPES_DISTURBED // the body has changed: it is to be placed anew
} ShapeNews;

static ShapeNews news_of_shapes(const CnWorld* world, int body) {
    ShapeNews news = SHAPES_PLACED;
    for (int s = world->details.data[body].first_shape; s >= 0;
         s = cn_world_shape_at(world, s)->next) {
        uint32_t epoch = world->shape_places.data[s].epoch;
        if (epoch != world->places.data[body].epoch) {
            news = epoch == 0 && news != SHAPES_DISTURBED ? SHAPES_LOST : SHAPES_DISTURBED;
        }
    }
    return news;
}

// Scheme soft_step: whether a body comes no further in a step than it may move and count as still.
static bool is_slow(const CnWorld* world, int body) {
    return world->places.data[body].reach <= world->soft_places.data[body].still;
}

static CnVec3 velocity_ahead(const CnWorld* world, int body, double dt) {
    const CnBody* own = &world->bodies.data[body];
    CnVec3 velocity = own->type == CN_BODY_STATIC ? cn_vec3(0.0, 0.0, 0.0) : own->state.velocity;
    return own->type == CN_BODY_DYNAMIC
               ? cn_vec3_add_scaled(velocity, dt, cn_body_gravity(world, own))
               : velocity;
}

// How far turning takes the points of a body in a step [m]. Those of a plane come infinitely far,
// but not in no time.
static double turning_ahead(const CnWorld* world, int body, double dt) {
    double turn = dt * cn_vec3_length(world->bodies.data[body].state.angular_velocity);
    return turn > 0.0 ? turn * world->soft_places.data[body].arm : 0.0;
}

static double least_of(double from, double step) {
    return step < 0.0 ? from + step : from;
}

static double most_of(double from, double step) {
    return step > 0.0 ? from + step : from;
}

// Bounds of a slow body hold for all of its motion until it is placed anew; of others along the way
// of this step.
static void place_soft_shape(const Placing* placing, int slot, int body, CnVec3 way,
                             double turning) {
    CnWorld* world = placing->world;
    const CnWorldShape* shape = cn_world_shape_at(world, slot);
    const CnPlace* place = &world->places.data[body];
    CnShapePlace* own = &world->shape_places.data[slot];
    double still = world->soft_places.data[body].still;
    double margin = 0.5 * world->def.step.contact_margin + still;
    if (own->epoch != place->epoch) {
        own->placed = cn_world_shape_placed(world, shape, place->pose);
        own->epoch = place->epoch;
        cn_narrow_phase_place(&own->placed, &own->polyhedron);
    }
    if (is_slow(world, body)) {
        own->reach = still;
        own->bounds = cn_shape_bounds(own->placed, margin + still);
        return;
    }
    own->reach = turning;
    CnBounds bounds = cn_shape_bounds(own->placed, margin + own->reach);
    bounds.low = cn_vec3(least_of(bounds.low.x, way.x), least_of(bounds.low.y, way.y),
                         least_of(bounds.low.z, way.z));
    bounds.high = cn_vec3(most_of(bounds.high.x, way.x), most_of(bounds.high.y, way.y),
                          most_of(bounds.high.z, way.z));
    own->bounds = bounds;
}

static void measure_soft_body(const CnWorld* world, int body, CnSoftPlace* soft) {
    const CnStepDef* step = &world->def.step;
    double share = step->soft.recycling_share * thickness(world, body);
    soft->arm = farthest(world, body, CN_NONE);
    soft->still = 0.5 * fmax(step->recycling_distance, share);
}

static void set_soft_place(const CnBodyState* state, CnPlace* place) {
    place->pose = (CnTransform){state->center, state->rotation};
    place->epoch = cn_place_next_epoch(place->epoch);
}

// Scheme soft_step: a body keeps its place, and its pairs their manifolds, while it moves by no
// more than a share of its size, and while it comes no further in a step than was looked ahead. The
// look ahead is shortened where it is four times too far. docs/theory/soft_step.md (17). Bounds of
// a body that is not slow are along its velocity: each step makes them anew, so that they depend on
// neither the way it went before nor who else has asked where it is. Contacts of bodies that are
// solved exactly are those of their poses.
static int place_soft_body(const Placing* placing, int i, int k, int only) {
    CnWorld* world = placing->world;
    CnPlace* place = &world->places.data[i];
    CnSoftPlace* soft = &world->soft_places.data[i];
    CnBody* body = &world->bodies.data[i];
    const CnBodyState* state = placing->states == NULL ? &body->state : &placing->states[i];
    double turned = angle_between(place->pose.rotation, state->rotation);
    double moved = cn_vec3_length(cn_vec3_sub(place->pose.position, state->center));
    double most = moved + (turned > 0.0 ? turned * soft->arm : 0.0);
    ShapeNews news = placing->is_full ? news_of_shapes(world, i) : SHAPES_PLACED;
    double still = body->exact || body->was_exact ? still_motion(world) : soft->still;
    bool is_new =
        place->epoch == 0 || soft->still < 0.0 || !(most <= still) || news == SHAPES_DISTURBED;
    if (body->sleep.is_placed != body->sleep.is_asleep) {
        body->sleep.is_placed = body->sleep.is_asleep;
    }
    bool is_measured = place->epoch == 0 || soft->still < 0.0 || news != SHAPES_PLACED;
    if ((is_new || is_measured) && !cn_rollback_keep_place(world, i, k)) {
        return NO_ROOM;
    }
    if (is_measured) { // else it is as it was
        measure_soft_body(world, i, soft);
    }
    if (is_new) {
        set_soft_place(state, place);
    }
    CnVec3 way = cn_vec3_scale(placing->dt, velocity_ahead(world, i, placing->dt));
    double turning = turning_ahead(world, i, placing->dt), needed = cn_vec3_length(way) + turning;
    bool keeps = needed <= place->reach && (needed >= 0.25 * place->reach || is_slow(world, i));
    bool holds = placing->dt == 0.0 || (keeps && is_slow(world, i));
    if (!is_new && news == SHAPES_PLACED && holds) {
        return NO_SHAPE;
    }
    if (!cn_rollback_keep_place(world, i, k)) {
        return NO_ROOM;
    }
    if (!keeps && placing->dt > 0.0) {
        place->reach = fmax(needed, soft->still);
    }
    place->ahead += !holds;
    for (int s = world->details.data[i].first_shape; s >= 0;
         s = cn_world_shape_at(world, s)->next) {
        place_soft_shape(placing, s, i, way, turning);
    }
    if (is_slow(world, i)) { // a look that holds until it is placed anew, whichever way it goes
        cn_soft_note_look(world, i, cn_vec3(0.0, 0.0, 0.0), soft->still + place->reach);
    } else {
        cn_soft_note_look(world, i, way, turning);
    }
    return changed_shapes(world, i, only);
}

// Slow bodies may drift until they are placed anew; all come nearer by their relative velocity.
static double soft_margin(const CnWorld* world, int a, int b) {
    double dt = world->step.dt;
    CnVec3 way = cn_vec3_sub(velocity_ahead(world, b, dt), velocity_ahead(world, a, dt));
    const CnSoftPlace* soft = world->soft_places.data;
    double drift =
        (is_slow(world, a) ? soft[a].still : 0.0) + (is_slow(world, b) ? soft[b].still : 0.0);
    return world->def.step.contact_margin + drift + dt * cn_vec3_length(way) +
           turning_ahead(world, a, dt) + turning_ahead(world, b, dt);
}

// A body asleep is where it was; unless its shapes are to be placed anew.
static bool is_settled(const CnWorld* world, int body) {
    bool settled = world->bodies.data[body].sleep.is_placed;
    for (int s = world->details.data[body].first_shape; settled && s >= 0;
         s = cn_world_shape_at(world, s)->next) {
        settled = world->shape_places.data[s].epoch == world->places.data[body].epoch;
    }
    return settled;
}

// A body known to have one shape is enabled and awake.
static bool is_looked_at(const Placing* placing, int i, int only) {
    const CnWorld* world = placing->world;
    if (only < 0 && (world->bodies.data[i].disabled || is_settled(world, i))) {
        return false;
    }
    placing->stays[i] = (placing->scope != NULL && !placing->scope[i]) ||
                        (placing->may_stay && may_stay(placing, i, only));
    return !placing->stays[i];
}

// What a shape is like may be anywhere in memory.
static void fetch_shape(const CnWorld* world, int slot) {
    if (slot >= 0) {
        const char* shape = (const char*)cn_world_shape_at(world, slot)->shape;
        cn_fetch(shape);
        cn_fetch(shape + 64);
    }
}

// While positions are corrected only bodies of the scope move: the others are where they were
// placed as the correction began.
static void place_range(int begin, int end, int worker, void* data) {
    (void)worker;
    const Placing* placing = data;
    for (int k = begin; k < end; ++k) {
        int i = cn_index_at(&placing->list, k);
        int only = placing->shapes == NULL ? CN_NONE : placing->shapes[k];
        if (placing->shapes != NULL && k + FETCHED_AHEAD < end) {
            fetch_shape(placing->world, placing->shapes[k + FETCHED_AHEAD]);
        }
        if (!placing->is_again || placing->changed[k] == NO_ROOM) {
            placing->changed[k] = !is_looked_at(placing, i, only) ? NO_SHAPE
                                  : placing->is_soft ? place_soft_body(placing, i, k, only)
                                                     : place_body(placing, i, k, only);
        }
    }
}

// One drift for each body. New ones are zero, which is right for bodies at rest that are not placed
// again before their drift is read.
static bool reserve_drifts(CnWorld* world) {
    int bodies = world->bodies.count;
    if (!cn_array_reserve(&world->drifts, &world->allocator, bodies)) {
        return false;
    }
    while (world->drifts.count < bodies) {
        world->drifts.data[world->drifts.count++] = (CnPlaceDrift){0};
    }
    world->drifts.count = bodies;
    return true;
}

static bool reserve_soft(CnWorld* world) {
    int bodies = world->bodies.count;
    if (!cn_array_reserve(&world->soft_places, &world->allocator, bodies)) {
        return false;
    }
    while (world->soft_places.count < bodies) {
        world->soft_places.data[world->soft_places.count++] = (CnSoftPlace){0};
    }
    world->soft_places.count = bodies;
    return true;
}

// Room for every body and shape. Placed polyhedra point to the place they are in: when places have
// moved, all shapes are placed anew.
static bool reserve(CnWorld* world) {
    int bodies = world->bodies.count, slots = cn_pool_slot_count(&world->shapes);
    if (!cn_array_reserve(&world->places, &world->allocator, bodies) ||
        !cn_array_reserve(&world->shape_places, &world->allocator, slots)) {
        return false;
    }
    while (world->places.count < bodies) {
        world->places.data[world->places.count++] = (CnPlace){0};
    }
    world->places.count = bodies;
    bool is_soft = world->def.step.scheme == CN_SCHEME_SOFT_STEP;
    world->drifts.count = is_soft ? 0 : world->drifts.count;
    if (is_soft ? !reserve_soft(world) || !cn_soft_reserve_looks(world) : !reserve_drifts(world)) {
        return false;
    }
    while (world->shape_places.count < slots) {
        world->shape_places.data[world->shape_places.count++] = (CnShapePlace){0};
    }
    if (world->placed_memory != world->shape_places.data) {
        world->placed_memory = world->shape_places.data;
        for (int i = 0; i < slots; ++i) {
            world->shape_places.data[i].epoch = 0;
        }
        world->active.placed = 0;
    }
    return true;
}

// For the broad phase: whether a pair is worth a record.
static bool may_meet(int first, int second, void* data) {
    const CnWorld* world = data;
    const CnWorldShape* a = cn_world_shape_at(world, first);
    const CnWorldShape* b = cn_world_shape_at(world, second);
    if (a->shape->sensor || b->shape->sensor) { // exclusions are about touching
        return a->body != b->body && !(a->shape->sensor && b->shape->sensor) &&
               cn_shape_filter(a->shape, b->shape);
    }
    return cn_world_may_collide(world, first, second);
}

static int count_changed(const Placing* placing) {
    int count = 0;
    for (int k = 0; k < placing->list.count; ++k) {
        int s = placing->changed[k], i = cn_index_at(&placing->list, k);
        count += s == MANY_SHAPES ? placing->world->details.data[i].shape_count : s >= 0;
    }
    return count;
}

// The shapes whose bounds changed, in the order of bodies.
static int list_changed(const Placing* placing, CnProxyBounds* moved) {
    const CnWorld* world = placing->world;
    int count = 0;
    for (int k = 0; k < placing->list.count; ++k) {
        int s = placing->changed[k];
        if (s >= 0) {
            moved[count++] = (CnProxyBounds){s, world->shape_places.data[s].bounds};
        } else if (s == MANY_SHAPES) {
            int i = cn_index_at(&placing->list, k);
            for (s = world->details.data[i].first_shape; s >= 0;
                 s = cn_world_shape_at(world, s)->next) {
                moved[count++] = (CnProxyBounds){s, world->shape_places.data[s].bounds};
            }
        }
    }
    return count;
}

// Bodies that stayed where they were are placed after all if a shape of theirs has a new pair. They
// are within their fat boxes, and so get no more pairs by that.
static void place_those_met(const Placing* placing) {
    const CnWorld* world = placing->world;
    const CnPairSet* set = &world->broad_phase.set;
    for (int i = 0; i < set->pairs.count; ++i) {
        if (set->records.data[i] != CN_NO_RECORD) {
            continue;
        }
        const int shapes[2] = {cn_pair_first(set->pairs.data[i]),
                               cn_pair_second(set->pairs.data[i])};
        for (int side = 0; side < 2; ++side) {
            int body = cn_world_shape_at(world, shapes[side])->body;
            if (placing->stays[body]) {
                placing->stays[body] = false;
                place_body(placing, body, 0, CN_NONE);
            }
        }
    }
}

// The shapes whose bounds have changed go to the broad phase. NULL: no memory.
static CnProxyBounds* place_all(Placing* placing, int* count) {
    CnWorld* world = placing->world;
    world->broad_phase.tasks = &world->def.tasks;
    world->broad_phase.looks_ahead = placing->is_soft;
    world->broad_phase.keeps_size = placing->dt == 0.0 && !placing->is_soft && world->step.dt > 0.0;
    placing->lists_all = placing->is_soft || cn_broad_phase_shrinks(&world->broad_phase);
    placing->may_stay = !placing->is_soft && !placing->is_full;
    cn_tasks_for(&world->def.tasks, placing->list.count, GRAIN, place_range, placing);
    if (!cn_rollback_make_room(world, &placing->is_again)) {
        return NULL;
    }
    if (placing->is_again) {
        cn_tasks_for(&world->def.tasks, placing->list.count, GRAIN, place_range, placing);
    }
    CnProxyBounds* moved = CN_ARENA_RAW(&world->arena, CnProxyBounds, count_changed(placing));
    *count = moved == NULL ? 0 : list_changed(placing, moved);
    world->moved_shapes = *count;
    return moved;
}

// Places bodies, then finds the pairs of shapes that leave their fat boxes.
CnStatus cn_places_update(CnWorld* world, const CnBodyState* states, double dt) {
    CnArenaMark mark = cn_arena_mark(&world->arena);
    if (!reserve(world)) {
        return CN_NO_MEMORY;
    }
    Placing placing = {
        .world = world,
        .states = states,
        .dt = dt,
        .list = cn_active_bodies_since(world, world->active.placed),
        .scope = world->correction.scope,
        .is_soft = world->def.step.scheme == CN_SCHEME_SOFT_STEP,
        .is_full = world->active.placed != world->active.version,
    };
    int count = 0;
    CnProxyBounds* moved = NULL;
    placing.shapes = cn_active_shapes(world, &placing.list);
    placing.changed = CN_ARENA_RAW(&world->arena, int, placing.list.count);
    placing.stays = CN_ARENA_NEW(&world->arena, bool, world->bodies.count);
    if (placing.changed != NULL && placing.stays != NULL) {
        moved = place_all(&placing, &count);
        world->active.placed = world->active.version;
    }
    CnStatus status = CN_NO_MEMORY;
    if (moved != NULL) {
        status = cn_broad_phase_update(&world->broad_phase, moved, count, may_meet, world);
        if (placing.is_soft && !cn_soft_stir(world, moved, count)) {
            status = CN_NO_MEMORY;
        }
    }
    if (status == CN_OK && world->broad_phase.has_new_pairs && !placing.is_soft) {
        place_those_met(&placing);
    }
    cn_arena_release(&world->arena, mark);
    return status;
}

// Shapes count as never placed, so that all pairs are searched. The numbers of the last collection
// of contacts and of one that a failed step had begun are passed over: no pair counts as listed.
void cn_places_search_again(CnWorld* world) {
    world->broad_phase.has_new_pairs = true;
    world->collections += 2;
    for (int i = 0; i < world->shape_places.count; ++i) {
        world->shape_places.data[i].epoch = 0;
    }
}

// How far a body may move so that all of its shapes stay within their bounds [m].
static double spare_reach(const CnWorld* world, int body) {
    double least = HUGE_VAL;
    for (int s = world->details.data[body].first_shape; s >= 0;
         s = cn_world_shape_at(world, s)->next) {
        const CnShapePlace* own = &world->shape_places.data[s];
        bool is_bounded = own->epoch == world->places.data[body].epoch && !own->is_wide;
        least = fmin(least, is_bounded ? own->reach : SPARE_REACH);
    }
    return least;
}

bool cn_places_hold(const CnWorld* world, int body, const CnBodyState* state) {
    return body < world->places.count && world->places.data[body].epoch != 0 &&
           motion_between(world, body, CN_NONE, &world->places.data[body].pose, state) <=
               spare_reach(world, body);
}

bool cn_places_hold_on(const CnWorld* world, int body, const CnBodyState* before,
                       const CnBodyState* after) {
    bool is_placed = body < world->places.count && world->places.data[body].epoch != 0;
    const CnTransform from = {before->center, before->rotation};
    bool stayed = is_placed && has_moved(world, body, CN_NONE, &world->places.data[body].pose,
                                         before, still_motion(world));
    return stayed ? motion_between(world, body, CN_NONE, &from, after) <=
                        STAY_SHARE * farthest(world, body, CN_NONE)
                  : cn_places_hold(world, body, after);
}

void cn_places_disturb(CnWorld* world, int body) {
    cn_active_change_body(world, body);
    if (body < world->places.count && world->places.data[body].epoch > 0) {
        CnPlace* place = &world->places.data[body];
        cn_rollback_keep_place(world, body, 0);
        place->epoch = cn_place_next_epoch(place->epoch);
        if (body < world->soft_places.count) {
            world->soft_places.data[body].still = -1.0;
        }
    }
}

bool cn_places_are_cut(const CnWorld* world, int shape_a, int shape_b) {
    if (world->fast_count == 0) {
        return false;
    }
    return is_cut_at(world, cn_world_shape_at(world, shape_a)->body) ||
           is_cut_at(world, cn_world_shape_at(world, shape_b)->body);
}

double cn_places_margin(const CnWorld* world, const int shape[2], const int body[2]) {
    if (world->def.step.scheme == CN_SCHEME_SOFT_STEP) {
        return soft_margin(world, body[0], body[1]);
    }
    double ahead =
        cn_places_are_cut(world, shape[0], shape[1])
            ? 0.0
            : placed_reach(world, shape[0], shape[1]) + placed_reach(world, shape[1], shape[0]);
    return world->def.step.contact_margin + ahead;
}

// How far a point of a shape can come along a unit direction. Turning takes it no further than the
// farthest point of the shape: where a body turns by less than a radian the straight way of reach()
// is nearer to the truth, beyond that it would stop bodies that cannot touch.
static double advance_of(const CnWorld* world, int slot, int other, CnVec3 point,
                         CnVec3 direction) {
    const CnShapePlace* there = &world->shape_places.data[slot];
    double straight = placed_reach(world, slot, other);
    if (!there->turns_far || there->is_wide) {
        return straight;
    }
    const CnWorldShape* own = cn_world_shape_at(world, slot);
    const CnPlace* place = &world->places.data[own->body];
    double now = cn_vec3_dot(direction, cn_vec3_sub(point, place->pose.position));
    double travel = cn_places_drift(world, own->body).travel;
    return fmin(straight, travel + fmax(arm_of(world, own) - now, 0.0));
}

// Contact points lie half way between the shapes.
bool cn_places_can_close(const CnWorld* world, int shape_a, int shape_b,
                         const CnManifoldPoint* point) {
    if (world->def.step.scheme == CN_SCHEME_SOFT_STEP ||
        cn_places_are_cut(world, shape_a, shape_b)) {
        return true;
    }
    CnVec3 on_a = cn_vec3_add_scaled(point->point, -0.5 * point->gap, point->normal);
    CnVec3 on_b = cn_vec3_add_scaled(point->point, 0.5 * point->gap, point->normal);
    return point->gap - world->def.step.contact_margin <=
           advance_of(world, shape_a, shape_b, on_a, point->normal) +
               advance_of(world, shape_b, shape_a, on_b, cn_vec3_negate(point->normal));
}
