// contacts.c - which shapes meet at given poses, and where: contact points, sensors.
#include "world/contacts/contacts.h"

#include "collision/convex/distance.h"
#include "collision/narrow_phase.h"
#include "geometry/surface.h"
#include "world/contacts/contact_hooks.h"
#include "world/contacts/given_contacts.h"

typedef struct Placed {
    CnPlacedShape shape;
    const CnBody* body;
    CnVec3 center; // of the body's mass [m]
    double travel; // how far the body's centre comes in the time looked ahead [m]
    double turn;   // and how far it turns [rad]
} Placed;

// So many pairs of the list go to the narrow phase at a time.
#define RANGE 256

// Beyond this turn in a step [rad] the straight way of a point says nothing about where it comes.
#define LARGE_TURN 1.0

// Pairs on their way through the narrow phase.
typedef struct Range {
    CnNarrowPair pairs[RANGE];
    CnNarrowResult results[RANGE];
    int count;
} Range;

typedef struct Search {
    CnWorld* world;
    const CnBodyState* states;
    CnContactArray* found;         // by collide_range
    CnTouchArray* overlaps;        // by overlap_pair
    Placed* placed;                // by slot; those not in use are undefined
    CnPlacedPolyhedron* polyhedra; // as placed, for the narrow phase
    Range* range;
} Search;

// Steps are cut where fast bodies hit, so none has to look ahead for them; but a quasi-static one,
// in which the way depends on the length of the step, gets there sooner if it does.
static bool is_cut_at(const CnWorld* world, const CnBody* body) {
    return body->fast && world->def.step.scheme != CN_SCHEME_QUASI_STATIC;
}

// How far the points of a shape that may meet another can come. All points of a bounded shape are
// within its extent. A turning plane comes the faster the further out one looks, to the far end of
// the other; so does a surface, which may be as wide.
static double reach(const Placed* placed, const Placed* other) {
    const CnShape* shape = placed->shape.shape;
    CnVec3 far = cn_vec3_sub(other->shape.pose.position, placed->center);
    double to_other = cn_vec3_length(far) + other->shape.shape->extent;
    double arm = cn_vec3_length(shape->local.position) + shape->extent;
    if (shape->type == CN_SHAPE_PLANE) {
        arm = to_other;
    } else if (cn_shape_is_surface(shape)) {
        arm = fmin(arm, to_other);
    }
    return placed->travel + placed->turn * arm;
}

static void place_shapes(Search* search, const CnBodyState* states, double dt, CnBounds* bounds) {
    const CnWorld* world = search->world;
    for (int i = 0; i < world->order.count; ++i) {
        const CnBody* body = cn_world_body_by_index(world, i);
        CnTransform pose = {states[i].center, states[i].rotation};
        for (int n = world->details.data[i].first_shape; n >= 0;
             n = cn_world_shape_at(world, n)->next) {
            Placed* placed = &search->placed[n];
            *placed = (Placed){
                .shape = cn_shape_place(&cn_world_shape_at(world, n)->shape, pose),
                .center = states[i].center,
                .body = body,
                .travel = dt * cn_vec3_length(states[i].velocity),
                .turn = dt * cn_vec3_length(states[i].angular_velocity),
            };
            cn_narrow_phase_place(&placed->shape, &search->polyhedra[n]);
            // Half the margin on each side, so that boxes meet when shapes may. A plane's box is
            // all of space anyway.
            double near = is_cut_at(world, body) ? 0.0 : reach(placed, placed);
            bounds[n] = cn_shape_bounds(placed->shape, near + 0.5 * world->def.step.contact_margin);
        }
    }
}

static bool is_sensor_pair(const CnShape* a, const CnShape* b) {
    return a->sensor || b->sensor;
}

bool cn_world_may_collide(const CnWorld* world, int shape_a, int shape_b) {
    const CnWorldShape* a = cn_world_shape_at(world, shape_a);
    const CnWorldShape* b = cn_world_shape_at(world, shape_b);
    if (a->body == b->body ||
        (world->bodies.data[a->body].type != CN_BODY_DYNAMIC &&
         world->bodies.data[b->body].type != CN_BODY_DYNAMIC) ||
        is_sensor_pair(&a->shape, &b->shape) || !cn_shape_filter(&a->shape, &b->shape)) {
        return false;
    }
    return !cn_world_are_separate(world, world->order.data[a->body], world->order.data[b->body]);
}

static bool may_meet(int first, int second, void* data) {
    const Search* search = data;
    const Placed* a = &search->placed[first];
    const Placed* b = &search->placed[second];
    const CnShape *one = a->shape.shape, *other = b->shape.shape;
    if (is_sensor_pair(one, other)) { // exclusions are about touching
        return a->body != b->body && !(one->sensor && other->sensor) && cn_shape_filter(one, other);
    }
    return cn_world_may_collide(search->world, first, second);
}

static CnMaterialId material_of(const CnWorld* world, const Placed* placed) {
    const CnShape* shape = placed->shape.shape;
    return shape->material.index != 0 ? shape->material
                                      : cn_world_details_of(world, placed->body)->material;
}

static int slot_of(const Search* search, const Placed* placed) {
    return (int)(placed - search->placed);
}

static uint64_t key_of(const Search* search, const Placed* placed) {
    return cn_world_shape_key(search->world, slot_of(search, placed));
}

static uint64_t pair_key(const Search* search, const Placed* a, const Placed* b) {
    return cn_hash_mix(cn_hash_mix(CN_HASH_SEED, key_of(search, a)), key_of(search, b));
}

static bool is_cut_pair(const CnWorld* world, const Placed* a, const Placed* b) {
    return is_cut_at(world, a->body) || is_cut_at(world, b->body);
}

static double pair_margin(const CnWorld* world, const Placed* a, const Placed* b) {
    double ahead = is_cut_pair(world, a, b) ? 0.0 : reach(a, b) + reach(b, a);
    return world->def.step.contact_margin + ahead;
}

// How far a point of a shape can come along a unit direction. Turning takes it no further than the
// farthest point of the shape: where a body turns by less than a radian the straight way of reach()
// is nearer to the truth, beyond that it would stop bodies that cannot touch.
static double advance_of(const Placed* placed, const Placed* other, CnVec3 point,
                         CnVec3 direction) {
    const CnShape* shape = placed->shape.shape;
    double straight = reach(placed, other);
    if (placed->turn <= LARGE_TURN || shape->type == CN_SHAPE_PLANE || cn_shape_is_surface(shape)) {
        return straight;
    }
    double arm = cn_vec3_length(shape->local.position) + shape->extent;
    double now = cn_vec3_dot(direction, cn_vec3_sub(point, placed->center));
    return fmin(straight, placed->travel + fmax(arm - now, 0.0));
}

// Contact points lie half way between the shapes.
static bool can_close(const CnWorld* world, const Placed* a, const Placed* b,
                      const CnManifoldPoint* point) {
    CnVec3 on_a = cn_vec3_add_scaled(point->point, -0.5 * point->gap, point->normal);
    CnVec3 on_b = cn_vec3_add_scaled(point->point, 0.5 * point->gap, point->normal);
    return point->gap - world->def.step.contact_margin <=
           advance_of(a, b, on_a, point->normal) +
               advance_of(b, a, on_b, cn_vec3_negate(point->normal));
}

static bool keep_points(Search* search, const Placed* a, const Placed* b,
                        const CnManifoldPoint* points, int count) {
    CnWorld* world = search->world;
    bool is_cut = is_cut_pair(world, a, b);
    uint64_t pair = pair_key(search, a, b);
    for (int i = 0; i < count; ++i) {
        if (!is_cut && !can_close(world, a, b, &points[i])) {
            continue;
        }
        CnContact contact = {
            .body_a = cn_world_index_of(world, a->body),
            .body_b = cn_world_index_of(world, b->body),
            .shape_a = slot_of(search, a),
            .shape_b = slot_of(search, b),
            .point = points[i].point,
            .normal = points[i].normal,
            .gap = points[i].gap,
            .key = cn_hash_mix(pair, points[i].feature),
            .pair = pair,
            .given = -1,
            .fast = is_cut,
            .block = -1,
        };
        cn_contact_take_materials(world, material_of(world, a), material_of(world, b),
                                  search->states, &contact);
        if (!cn_array_push(search->found, &world->allocator, contact)) {
            return false;
        }
    }
    return true;
}

static bool collide_range(Search* search) {
    CnWorld* world = search->world;
    const Range* range = search->range;
    if (cn_narrow_phase(range->pairs, range->count, &world->narrow_phase, search->range->results) !=
        CN_OK) {
        return false;
    }
    for (int i = 0; i < range->count; ++i) {
        const CnNarrowPair* pair = &range->pairs[i];
        CnNarrowResult result = range->results[i];
        if (result.count > 0 &&
            !keep_points(search, &search->placed[pair->polyhedron_a - search->polyhedra],
                         &search->placed[pair->polyhedron_b - search->polyhedra],
                         &world->narrow_phase.points.data[result.first], result.count)) {
            return false;
        }
    }
    return true;
}

static bool overlap_pair(Search* search, const Placed* a, const Placed* b) {
    if (b->shape.shape->sensor) { // the sensor first
        const Placed* other = a;
        a = b;
        b = other;
    }
    if (cn_nearest(a->shape, b->shape).distance > 0.0) {
        return true;
    }
    const CnWorldShape* sensor = cn_world_shape_at(search->world, slot_of(search, a));
    const CnWorldShape* visitor = cn_world_shape_at(search->world, slot_of(search, b));
    CnTouch touch = {
        .key = {key_of(search, a), key_of(search, b)},
        .body_a = search->world->order.data[sensor->body],
        .body_b = search->world->order.data[visitor->body],
        .shape_a = sensor->number,
        .shape_b = visitor->number,
    };
    return cn_array_push(search->overlaps, &search->world->allocator, touch);
}

// The broad phase remembers pairs of fat boxes; what counts is whether the boxes themselves meet,
// so that contacts do not depend on the past.
static bool do_bounds_meet(const CnBounds* bounds, CnPair pair) {
    return cn_bounds_overlap(&bounds[cn_pair_first(pair)], &bounds[cn_pair_second(pair)]);
}

static void add_pair(Search* search, int first, int second, CnPairMemory* memory) {
    const Placed *a = &search->placed[first], *b = &search->placed[second];
    search->range->pairs[search->range->count++] = (CnNarrowPair){
        .a = &a->shape,
        .b = &b->shape,
        .polyhedron_a = &search->polyhedra[first],
        .polyhedron_b = &search->polyhedra[second],
        .margin = pair_margin(search->world, a, b),
        .memory = memory,
    };
}

// Sensors have overlaps, all others contacts.
static CnStatus meet_pairs(Search* search, const CnBounds* bounds) {
    const CnPairArray* pairs = cn_broad_phase_pairs(&search->world->broad_phase);
    CnPairMemory* memory = cn_broad_phase_memory(&search->world->broad_phase);
    bool ok = true;
    for (int i = 0; ok && i < pairs->count; ++i) {
        int first = cn_pair_first(pairs->data[i]), second = cn_pair_second(pairs->data[i]);
        const Placed *a = &search->placed[first], *b = &search->placed[second];
        bool is_sensor = is_sensor_pair(a->shape.shape, b->shape.shape);
        if (is_sensor != (search->overlaps != NULL) || !do_bounds_meet(bounds, pairs->data[i])) {
            continue;
        }
        if (is_sensor) {
            ok = overlap_pair(search, a, b);
            continue;
        }
        add_pair(search, first, second, &memory[i]);
        if (search->range->count == RANGE) {
            ok = collide_range(search);
            search->range->count = 0;
        }
    }
    return ok && collide_range(search) ? CN_OK : CN_NO_MEMORY;
}

static CnStatus search_pairs(Search search, const CnBodyState* states, double dt) {
    search.states = states;
    CnWorld* world = search.world;
    CnArenaMark mark = cn_arena_mark(&world->arena);
    int count = world->broad_phase.proxies.count;
    CnBounds* bounds = CN_ARENA_NEW(&world->arena, CnBounds, count);
    CnStatus status = CN_NO_MEMORY;

    search.placed = CN_ARENA_NEW(&world->arena, Placed, count);
    search.polyhedra = CN_ARENA_NEW(&world->arena, CnPlacedPolyhedron, count);
    search.range = CN_ARENA_NEW(&world->arena, Range, 1);
    if (bounds != NULL && search.placed != NULL && search.polyhedra != NULL &&
        search.range != NULL) {
        search.range->count = 0;
        place_shapes(&search, states, dt, bounds);
        status = cn_broad_phase_update(&world->broad_phase, bounds, may_meet, &search);
    }
    if (status == CN_OK) {
        status = meet_pairs(&search, bounds);
    }
    cn_arena_release(&world->arena, mark);
    return status;
}

CnStatus cn_world_collect_contacts(CnWorld* world, const CnBodyState* states, double dt,
                                   CnContactArray* found) {
    found->count = 0;
    Search search = {.world = world, .found = found};
    CnStatus status = search_pairs(search, states, dt);
    if (status == CN_OK) {
        status = cn_world_add_given_contacts(world, states, dt, found);
    }
    cn_contact_hooks_apply(world, found);
    return status;
}

CnStatus cn_world_collect_overlaps(CnWorld* world, const CnBodyState* states,
                                   CnTouchArray* overlaps) {
    overlaps->count = 0;
    Search search = {.world = world, .overlaps = overlaps};
    return search_pairs(search, states, 0.0);
}
