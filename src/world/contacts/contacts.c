// contacts.c - which shapes meet at given poses, and where: contact points, sensors.
#include "world/contacts/contacts.h"

#include "collision/box/box_pairs.h"
#include "collision/convex/distance.h"
#include "collision/convex/still_apart.h"
#include "collision/hull/polyhedron_pairs.h"
#include "collision/mesh/collide_surface.h"
#include "geometry/surface.h"
#include "world/contacts/given_contacts.h"

typedef struct Placed {
    CnPlacedShape shape;
    const CnBody* body;
    CnVec3 center; // of the body's mass [m]
    int shape_index;
    double travel; // how far the body's centre comes in the time looked ahead [m]
    double turn;   // and how far it turns [rad]
} Placed;

// Pairs of boxes go through the narrow phase together, so many of the list of pairs at a time.
#define WINDOW 64

// Beyond this turn in a step [rad] the straight way of a point says nothing about where it comes.
#define LARGE_TURN 1.0

typedef struct BoxWindow {
    CnBoxPair pairs[WINDOW];
    CnBoxContact contacts[WINDOW];
    int count, next; // of pairs; the first whose contacts are not taken yet
} BoxWindow;

typedef struct Search Search;

// What is done with two shapes whose boxes meet. False: no memory.
typedef bool PairFunction(Search* search, const Placed* a, const Placed* b, CnPairMemory* memory);

struct Search {
    CnWorld* world;
    PairFunction* meet;
    const CnBodyState* states;
    CnContactArray* found;         // by collide_pair
    CnTouchArray* overlaps;        // by overlap_pair
    Placed* placed;                // by proxy   [shape count]
    CnPlacedPolyhedron* polyhedra; // those that are; others are undefined   [shape count]
    BoxWindow* window;
};

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

static bool is_polyhedron(const Placed* placed) {
    CnShapeType type = placed->shape.shape->type;
    return type == CN_SHAPE_BOX || type == CN_SHAPE_CONVEX;
}

static void place_shapes(Search* search, const CnBodyState* states, double dt, CnBounds* bounds) {
    const CnWorld* world = search->world;
    for (int i = 0; i < world->order.count; ++i) {
        const CnBody* body = cn_world_body_by_index(world, i);
        for (int k = 0; k < body->shape_count; ++k) {
            int n = body->first_proxy + k;
            Placed* placed = &search->placed[n];
            *placed = (Placed){
                .shape = cn_shape_place(&body->shapes[k],
                                        (CnTransform){states[i].center, states[i].rotation}),
                .center = states[i].center,
                .body = body,
                .shape_index = k,
                .travel = dt * cn_vec3_length(states[i].velocity),
                .turn = dt * cn_vec3_length(states[i].angular_velocity),
            };
            if (is_polyhedron(placed)) {
                cn_polyhedron_place(&placed->shape, &search->polyhedra[n]);
            }
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

bool cn_world_may_collide(const CnWorld* world, const CnBody* a, int shape_a, const CnBody* b,
                          int shape_b) {
    if (a == b || (a->type != CN_BODY_DYNAMIC && b->type != CN_BODY_DYNAMIC) ||
        is_sensor_pair(&a->shapes[shape_a], &b->shapes[shape_b]) ||
        !cn_shape_filter(&a->shapes[shape_a], &b->shapes[shape_b])) {
        return false;
    }
    return !cn_world_are_separate(world, world->order.data[a->index], world->order.data[b->index]);
}

static bool may_meet(int first, int second, void* data) {
    const Search* search = data;
    const Placed* a = &search->placed[first];
    const Placed* b = &search->placed[second];
    const CnShape *one = a->shape.shape, *other = b->shape.shape;
    if (is_sensor_pair(one, other)) { // exclusions are about touching
        return a->body != b->body && !(one->sensor && other->sensor) && cn_shape_filter(one, other);
    }
    return cn_world_may_collide(search->world, a->body, a->shape_index, b->body, b->shape_index);
}

static CnMaterialId material_of(const Placed* placed) {
    const CnShape* shape = placed->shape.shape;
    return shape->material.index != 0 ? shape->material : placed->body->material;
}

static uint64_t pair_key(const Search* search, const Placed* a, const Placed* b) {
    const CnBodyId* order = search->world->order.data;
    CnBodyId ids[2] = {order[a->body->index], order[b->body->index]};
    uint64_t key = CN_HASH_SEED;
    for (int i = 0; i < 2; ++i) {
        key = cn_hash_mix(key, (uint64_t)ids[i].index << 32 | ids[i].generation);
    }
    return cn_hash_mix(key, (uint64_t)a->shape_index << 32 | (uint64_t)b->shape_index);
}

// A pair that was apart along some direction mostly still is: the narrow phase has nothing to say.
static bool is_still_apart(const Placed* a, const Placed* b, const CnPairMemory* memory,
                           double margin) {
    const float* axis = memory->axis;
    CnVec3 direction = cn_vec3((double)axis[0], (double)axis[1], (double)axis[2]);
    return cn_still_apart(a->shape, b->shape, direction, margin);
}

static void remember_apart(const Placed* a, const Placed* b, double margin, CnPairMemory* memory) {
    CnNearest nearest = cn_nearest(a->shape, b->shape);
    bool apart = nearest.distance > margin;
    *memory = (CnPairMemory){{apart ? (float)nearest.normal.x : 0.0f,
                              apart ? (float)nearest.normal.y : 0.0f,
                              apart ? (float)nearest.normal.z : 0.0f}};
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
            .body_a = a->body->index,
            .body_b = b->body->index,
            .shape_a = a->shape_index,
            .shape_b = b->shape_index,
            .point = points[i].point,
            .normal = points[i].normal,
            .gap = points[i].gap,
            .key = cn_hash_mix(pair, points[i].feature),
            .pair = pair,
            .given = -1,
            .fast = is_cut,
            .block = -1,
        };
        cn_contact_take_materials(world, material_of(a), material_of(b), search->states, &contact);
        if (!cn_array_push(search->found, &world->allocator, contact)) {
            return false;
        }
    }
    return true;
}

static bool is_box_pair(const Placed* a, const Placed* b) {
    const CnShape *one = a->shape.shape, *other = b->shape.shape;
    return one->type == CN_SHAPE_BOX && other->type == CN_SHAPE_BOX && !is_sensor_pair(one, other);
}

static const CnPlacedPolyhedron* polyhedron_of(const Search* search, const Placed* placed) {
    return &search->polyhedra[placed - search->placed];
}

static bool collide_pair(Search* search, const Placed* a, const Placed* b, CnPairMemory* memory) {
    if (is_sensor_pair(a->shape.shape, b->shape.shape)) {
        return true;
    }
    if (is_box_pair(a, b)) {
        const CnBoxContact* contact = &search->window->contacts[search->window->next++];
        return keep_points(search, a, b, contact->points, contact->count);
    }
    CnWorld* world = search->world;
    double margin = pair_margin(world, a, b);
    if (is_still_apart(a, b, memory, margin)) {
        return true;
    }
    CnManifoldPoint few[CN_MANIFOLD_POINTS];
    const CnManifoldPoint* points = few;
    int count = 0;
    if (is_polyhedron(a) && is_polyhedron(b)) {
        count =
            cn_collide_polyhedra(polyhedron_of(search, a), polyhedron_of(search, b), margin, few);
    } else if (cn_collide_all(a->shape, b->shape, margin, &world->allocator, &world->pair_points)) {
        points = world->pair_points.points.data;
        count = world->pair_points.points.count;
    } else {
        return false;
    }
    if (count == 0 && cn_apart_is_worth(a->shape.shape, b->shape.shape)) {
        remember_apart(a, b, margin, memory);
    }
    return keep_points(search, a, b, points, count);
}

static bool overlap_pair(Search* search, const Placed* a, const Placed* b, CnPairMemory* memory) {
    (void)memory;
    if (!is_sensor_pair(a->shape.shape, b->shape.shape)) {
        return true;
    }
    if (b->shape.shape->sensor) { // the sensor first
        const Placed* visitor = a;
        a = b;
        b = visitor;
    }
    if (cn_nearest(a->shape, b->shape).distance > 0.0) {
        return true;
    }
    const CnBodyId* order = search->world->order.data;
    CnTouch touch = {
        .key = {a->body->serial + (uint64_t)a->shape_index,
                b->body->serial + (uint64_t)b->shape_index},
        .body_a = order[a->body->index],
        .body_b = order[b->body->index],
        .shape_a = a->shape_index,
        .shape_b = b->shape_index,
    };
    return cn_array_push(search->overlaps, &search->world->allocator, touch);
}

// The broad phase remembers pairs of fat boxes; what counts is whether the boxes themselves meet,
// so that contacts do not depend on the past.
static bool do_bounds_meet(const CnBounds* bounds, CnPair pair) {
    return cn_bounds_overlap(&bounds[cn_pair_first(pair)], &bounds[cn_pair_second(pair)]);
}

// The pairs of boxes among those from begin to end of the list, for collide_pair to find.
static void collide_boxes(Search* search, const CnBounds* bounds, int begin, int end) {
    const CnPair* pairs = cn_broad_phase_pairs(&search->world->broad_phase)->data;
    BoxWindow* window = search->window;
    window->count = window->next = 0;
    for (int i = begin; i < end; ++i) {
        int first = cn_pair_first(pairs[i]), second = cn_pair_second(pairs[i]);
        const Placed *a = &search->placed[first], *b = &search->placed[second];
        if (is_box_pair(a, b) && do_bounds_meet(bounds, pairs[i])) {
            window->pairs[window->count++] = (CnBoxPair){
                .a = &search->polyhedra[first],
                .b = &search->polyhedra[second],
                .margin = pair_margin(search->world, a, b),
            };
        }
    }
    cn_collide_boxes(window->pairs, window->count, window->contacts);
}

static CnStatus meet_pairs(Search* search, const CnBounds* bounds) {
    const CnPairArray* pairs = cn_broad_phase_pairs(&search->world->broad_phase);
    CnPairMemory* memory = cn_broad_phase_memory(&search->world->broad_phase);
    for (int i = 0; i < pairs->count; ++i) {
        if (i % WINDOW == 0 && search->meet == collide_pair) {
            collide_boxes(search, bounds, i, i + WINDOW < pairs->count ? i + WINDOW : pairs->count);
        }
        CnPair pair = pairs->data[i];
        if (do_bounds_meet(bounds, pair) &&
            !search->meet(search, &search->placed[cn_pair_first(pair)],
                          &search->placed[cn_pair_second(pair)], &memory[i])) {
            return CN_NO_MEMORY;
        }
    }
    return CN_OK;
}

static CnStatus search_pairs(Search search, const CnBodyState* states, double dt) {
    search.states = states;
    CnWorld* world = search.world;
    CnArenaMark mark = cn_arena_mark(&world->arena);
    cn_world_number_proxies(world);
    int count = world->broad_phase.proxies.count;
    CnBounds* bounds = CN_ARENA_NEW(&world->arena, CnBounds, count);
    CnStatus status = CN_NO_MEMORY;

    search.placed = CN_ARENA_NEW(&world->arena, Placed, count);
    search.polyhedra = CN_ARENA_NEW(&world->arena, CnPlacedPolyhedron, count);
    search.window = CN_ARENA_NEW(&world->arena, BoxWindow, 1);
    if (bounds != NULL && search.placed != NULL && search.polyhedra != NULL &&
        search.window != NULL) {
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
    Search search = {.world = world, .meet = collide_pair, .found = found};
    CnStatus status = search_pairs(search, states, dt);
    return status == CN_OK ? cn_world_add_given_contacts(world, states, dt, found) : status;
}

CnStatus cn_world_collect_overlaps(CnWorld* world, const CnBodyState* states,
                                   CnTouchArray* overlaps) {
    overlaps->count = 0;
    Search search = {.world = world, .meet = overlap_pair, .overlaps = overlaps};
    return search_pairs(search, states, 0.0);
}
