// test_query_walk.c - queries through trees answer like those that ask every shape.
#include "cairn/random.h"
#include "support/run.h"
#include "support/shapes/all_queries.h"
#include "world/query/query.h"

#define CROWD 2000
#define ROOM 20.0 // half an edge of what the crowd is in [m]

static CnVec3 random_point(CnRandom* random, double size) {
    double x = cn_random_between(random, -size, size);
    double y = cn_random_between(random, -size, size);
    double z = cn_random_between(random, -size, size);
    return cn_vec3(x, y, z);
}

static CnTransform random_pose(CnRandom* random) {
    CnVec3 position = random_point(random, ROOM);
    CnVec3 turn = random_point(random, 2.0);
    return (CnTransform){position, cn_quat_exp(turn)};
}

// Sphere, box, capsule, cylinder or a skew tetrahedron.
static CnShapeDef solid(int kind) {
    static const CnVec3 corners[4] = {
        {-0.4, -0.3, -0.3}, {0.6, -0.2, -0.2}, {0.0, 0.7, -0.1}, {0.1, 0.0, 0.8}};
    static const CnShapeType types[5] = {CN_SHAPE_SPHERE, CN_SHAPE_BOX, CN_SHAPE_CAPSULE,
                                         CN_SHAPE_CYLINDER, CN_SHAPE_CONVEX};
    CnShapeDef def = cn_shape_def_default(types[kind % 5]);
    def.radius = 0.3 + 0.02 * (kind % 7);
    def.length = 0.5 + 0.05 * (kind % 3);
    def.size = cn_vec3(0.5, 0.7, 0.9);
    if (def.type == CN_SHAPE_CONVEX) {
        def.points = corners;
        def.point_count = 4;
    }
    def.category = 1u << (kind % 4);
    def.mask = 0; // contacts are not what is asked for
    return def;
}

// Of every type of body; each seventh has three shapes, and each hundredth is twice in one place.
static CnBodyId add_one(CnWorld* world, CnRandom* random, int kind) {
    static const CnBodyType types[3] = {CN_BODY_DYNAMIC, CN_BODY_STATIC, CN_BODY_KINEMATIC};
    CnShapeDef shapes[3] = {solid(kind), solid(kind + 1), solid(kind + 2)};
    shapes[1].position = cn_vec3(0.8, 0.0, 0.1);
    shapes[2].position = cn_vec3(-0.5, 0.5, 0.0);
    CnTransform pose = random_pose(random);
    CnBodyDef def = cn_body_def_default();
    def.type = types[kind % 11 < 9 ? 0 : kind % 11 - 8];
    def.position = pose.position;
    def.rotation = pose.rotation;
    if (def.type != CN_BODY_STATIC) {
        def.velocity = random_point(random, 10.0);
        def.angular_velocity = random_point(random, 5.0);
    }
    def.shapes = shapes;
    def.shape_count = kind % 7 == 0 ? 3 : 1;
    CnBodyId id = run_add(world, &def);
    return kind % 100 == 0 ? run_add(world, &def) : id;
}

static void add_plane(CnWorld* world, CnVec3 position, CnVec3 normal) {
    CnShapeDef plane = cn_shape_def_default(CN_SHAPE_PLANE);
    plane.normal = normal;
    CnBodyDef def = cn_body_def_default();
    def.type = CN_BODY_STATIC;
    def.position = position;
    def.shapes = &plane;
    def.shape_count = 1;
    run_add(world, &def);
}

static CnWorld* create_crowd(CnRandom* random, int count) {
    CnWorldDef def = cn_world_def_default();
    CnWorld* world = run_create(&def);
    add_plane(world, cn_vec3(0.0, 0.0, -0.9 * ROOM), cn_vec3(0.0, 0.0, 1.0));
    for (int i = 0; i < count; ++i) {
        add_one(world, random, i);
    }
    add_plane(world, cn_vec3(0.9 * ROOM, 0.0, 0.0), cn_vec3(-1.0, 0.0, 0.0));
    return world;
}

// Bit by bit, except that the rest of a miss means nothing.
static bool same_hit(const CnCastHit* a, const CnCastHit* b) {
    if (a->body.index == 0 || b->body.index == 0) {
        return a->body.index == b->body.index;
    }
    return a->body.index == b->body.index && a->shape.index == b->shape.index &&
           a->fraction == b->fraction && a->distance == b->distance && a->inside == b->inside &&
           memcmp(&a->point, &b->point, sizeof a->point) == 0 &&
           memcmp(&a->normal, &b->normal, sizeof a->normal) == 0;
}

static bool same_closest(const CnClosest* a, const CnClosest* b) {
    return a->body.index == b->body.index && a->shape.index == b->shape.index &&
           a->distance == b->distance &&
           memcmp(&a->own_point, &b->own_point, sizeof a->own_point) == 0 &&
           memcmp(&a->body_point, &b->body_point, sizeof a->body_point) == 0;
}

static bool is_odd(CnBodyId body, CnShapeId shape, void* data) {
    (void)data;
    return (body.index + shape.index) % 2 == 1;
}

// How many answers differ; and how many met something, so that nothing is compared with nothing.
typedef struct Tally {
    int ray, rays, overlap, closest, cast;
    int met[4];
} Tally;

static void ask_rays(const CnWorld* world, CnVec3 origin, CnVec3 way, const CnQueryFilter* filter,
                     Tally* tally) {
    enum { MOST = 2 * CROWD, SOME = 3 };
    static CnCastHit all[MOST];
    CnCastHit hit, expected, some[SOME];
    CHECK_INT(cn_world_cast_ray(world, origin, way, filter, &hit, NULL), CN_OK);
    ask_all_ray(world, origin, way, filter, &expected);
    tally->ray += !same_hit(&hit, &expected);
    tally->met[0] += hit.body.index != 0;
    int expected_count = ask_all_ray_hits(world, origin, way, filter, all);
    int count = cn_world_cast_ray_all(world, origin, way, filter, some, SOME, NULL);
    tally->rays += count != expected_count;
    for (int i = 0; i < count && i < SOME; ++i) {
        tally->rays += !same_hit(&some[i], &all[i]);
    }
}

static void ask_shapes(const CnWorld* world, const CnShapeDef* shape, CnTransform pose, CnVec3 way,
                       const CnQueryFilter* filter, Tally* tally) {
    enum { MOST = 2 * CROWD, SOME = 2 };
    static CnBodyId all[MOST];
    CnBodyId some[SOME];
    CnClosest closest, nearest;
    CnCastHit hit, expected;
    int expected_count = ask_all_overlap(world, shape, pose, filter, all);
    int count = cn_world_overlap(world, shape, pose, filter, some, SOME, NULL);
    tally->overlap += count != expected_count;
    for (int i = 0; i < count && i < SOME; ++i) {
        tally->overlap += some[i].index != all[i].index;
    }
    tally->met[1] += count > SOME;
    CHECK_INT(cn_world_closest(world, shape, pose, filter, &closest, NULL), CN_OK);
    ask_all_closest(world, shape, pose, filter, &nearest);
    tally->closest += !same_closest(&closest, &nearest);
    tally->met[2] += closest.distance > 0.0;
    if (shape->type != CN_SHAPE_PLANE) {
        CHECK_INT(cn_world_cast_shape(world, shape, pose, way, filter, &hit, NULL), CN_OK);
        ask_all_cast(world, shape, pose, way, filter, &expected);
        tally->cast += !same_hit(&hit, &expected);
        tally->met[3] += hit.body.index != 0 && !hit.inside;
    }
}

// Long and short ways, some along an axis; probes from a tenth of a metre to several.
static void check_answers(const CnWorld* world, CnRandom* random) {
    static const CnShapeType types[4] = {CN_SHAPE_SPHERE, CN_SHAPE_BOX, CN_SHAPE_CAPSULE,
                                         CN_SHAPE_PLANE};
    CnQueryFilter filters[4] = {{.mask = 0}, {.mask = 5}, {.accept = is_odd}, {.mask = 0}};
    filters[3].ignore[CN_BODY_STATIC] = true;
    Tally tally = {0};
    int rounds = UNDER_SANITIZER ? 32 : 48;
    for (int k = 0; k < rounds; ++k) {
        CnTransform pose = random_pose(random);
        CnVec3 way = random_point(random, k % 3 == 0 ? 2.0 : 40.0);
        double size = cn_random_between(random, 0.1, k % 5 == 0 ? 4.0 : 1.0);
        if (k % 4 == 0) {
            way.x = way.y = 0.0;
        }
        CnShapeDef probe = cn_shape_def_default(types[k % 16 == 15 ? 3 : k % 3]);
        probe.radius = probe.length = size;
        probe.size = cn_vec3(size, 2.0 * size, 0.5 * size);
        const CnQueryFilter* filter = k % 5 == 0 ? NULL : &filters[k % 4];
        ask_rays(world, pose.position, way, filter, &tally);
        ask_shapes(world, &probe, pose, way, filter, &tally);
    }
    CHECK_INT(tally.ray, 0);
    CHECK_INT(tally.rays, 0);
    CHECK_INT(tally.overlap, 0);
    CHECK_INT(tally.closest, 0);
    CHECK_INT(tally.cast, 0);
    for (int i = 0; i < 4; ++i) {
        CHECK(tally.met[i] > 0);
    }
}

static void step(CnWorld* world, int count) {
    CnError error = {0};
    for (int i = 0; i < count; ++i) {
        CnStatus status = cn_world_step(world, 1.0 / 60.0, NULL, &error);
        ck_assert_msg(status == CN_OK, "%s", error.message);
    }
}

static void teleport_some(CnWorld* world, CnRandom* random) {
    for (int i = 0; i < 200; ++i) {
        double pick = cn_random_between(random, 0.0, cn_world_body_count(world));
        CnBodyId id = cn_world_body_at(world, (int)pick);
        CnBodyState state = run_state(world, id);
        CnTransform pose = random_pose(random);
        state.center = pose.position;
        state.rotation = pose.rotation;
        CHECK_INT(cn_body_set_state(world, id, &state, NULL), CN_OK);
    }
}

static void remove_some(CnWorld* world, CnRandom* random) {
    for (int i = 0; i < 200; ++i) {
        double pick = cn_random_between(random, 0.0, cn_world_body_count(world));
        CHECK_INT(cn_world_remove_body(world, cn_world_body_at(world, (int)pick)), CN_OK);
    }
}

static void trees_answer_like_all_shapes_whatever_happened(void) {
    CnRandom random = {71};
    CnWorld* world = create_crowd(&random, CROWD);
    check_answers(world, &random); // before there ever was a step
    for (int round = 0; round < 3; ++round) {
        step(world, 1 + round);
        check_answers(world, &random);
        teleport_some(world, &random);
        check_answers(world, &random);
        remove_some(world, &random);
        check_answers(world, &random);
        for (int i = 0; i < 150; ++i) {
            add_one(world, &random, 7 * i + round);
        }
        check_answers(world, &random);
        remove_some(world, &random);
        cn_world_find_contacts(world, NULL, 0);
        check_answers(world, &random);
    }
    cn_world_destroy(world);
}

// A step that fails puts all bodies back, and queries find them there.
static void a_failed_step_leaves_answers_as_they_were(void) {
    CnRandom random = {72};
    CnWorld* world = create_crowd(&random, 500);
    step(world, 1);
    CnBodyId id = cn_world_body_at(world, 1);
    CnBodyState state = run_state(world, id);
    state.velocity = cn_vec3(1e308, 0.0, 0.0);
    CHECK_INT(cn_body_set_state(world, id, &state, NULL), CN_OK);
    CHECK(cn_world_step(world, 1e10, NULL, NULL) != CN_OK);
    check_answers(world, &random);
    cn_world_destroy(world);
}

typedef struct Shared {
    const CnWorld* world;
    uint64_t answers[64]; // one for each range that was asked about
} Shared;

static uint64_t answer(const CnWorld* world, int seed) {
    CnRandom random = {(uint64_t)seed};
    CnShapeDef probe = solid(seed % 4);
    uint64_t hash = CN_HASH_SEED;
    for (int k = 0; k < 20; ++k) {
        CnTransform pose = random_pose(&random);
        CnVec3 way = random_point(&random, 30.0);
        CnCastHit hit, pushed;
        CnClosest closest;
        CnBodyId bodies[4] = {0};
        cn_world_cast_ray(world, pose.position, way, NULL, &hit, NULL);
        cn_world_cast_shape(world, &probe, pose, way, NULL, &pushed, NULL);
        cn_world_closest(world, &probe, pose, NULL, &closest, NULL);
        cn_world_overlap(world, &probe, pose, NULL, bodies, 4, NULL);
        const double numbers[3] = {hit.distance, pushed.distance, closest.distance};
        hash = cn_hash_bytes(hash, numbers, sizeof numbers);
        hash = cn_hash_bytes(hash, bodies, sizeof bodies);
    }
    return hash;
}

static void ask_range(int begin, int end, int worker, void* data) {
    Shared* shared = data;
    (void)worker;
    for (int i = begin; i < end; ++i) {
        shared->answers[i] = answer(shared->world, i + 1);
    }
}

static void four_threads_may_ask_at_once(void) {
    CnRandom random = {73};
    CnWorld* world = create_crowd(&random, CROWD);
    step(world, 1);
    Shared shared = {.world = world};
    CnTaskPool* pool = cn_task_pool_create(4, NULL);
    CnTasks tasks = cn_task_pool_tasks(pool);
    tasks.parallel_for(64, 1, ask_range, &shared, tasks.context);
    cn_task_pool_destroy(pool);
    for (int i = 0; i < 64; ++i) {
        CHECK(shared.answers[i] == answer(world, i + 1));
    }
    cn_world_destroy(world);
}

// Nodes and shapes that a ray through balls in a slab looks at until it knows what it meets first:
// the mean of many.
static double mean_stops(int count) {
    CnWorldDef def = cn_world_def_default();
    CnWorld* world = run_create(&def);
    CnRandom random = {74};
    double edge = 3.0 * sqrt(count); // a ball for each 9 m^2, so that a ray from above meets some
    for (int i = 0; i < count; ++i) {
        double x = cn_random_between(&random, 0.0, edge);
        double y = cn_random_between(&random, 0.0, edge);
        double z = cn_random_between(&random, 0.0, 5.0);
        run_add_ball(world, 1.0, 0.5, cn_vec3(x, y, z), cn_vec3(0.0, 0.0, 0.0), (CnMaterialId){0});
    }
    long stops = 0;
    int rays = 1000;
    for (int k = 0; k < rays; ++k) {
        double x = cn_random_between(&random, 0.0, edge);
        double y = cn_random_between(&random, 0.0, edge);
        CnVec3 eye = cn_vec3(x, y, 10.0);
        CnRay ray = cn_ray_make(eye, cn_vec3(1.0, 2.0, -20.0));
        CnBounds point = {eye, eye};
        CnQueryWalk walk;
        CnCandidate candidate;
        CnRaySurface surface;
        cn_query_begin_along(&walk, world, NULL, &point, ray);
        while (cn_query_next(&walk, &candidate)) {
            ++stops;
            if (cn_ray_cast(candidate.placed, &ray, &surface)) {
                walk.near.limit = fmin(walk.near.limit, surface.distance);
            }
        }
        stops += walk.near.node_count;
    }
    cn_world_destroy(world);
    return (double)stops / rays;
}

// A balanced tree has 2 more levels for 4 times the balls, each of which costs a ray the node on
// its way and, since boxes overlap, some beside it: far from 4 times as many. We allow six times
// the two.
static void stops_of_a_ray_grow_like_the_height_of_a_tree(void) {
    double before = mean_stops(1000);
    CHECK(before < 100.0); // 10 levels; all of them would be 1000
    for (int count = 4000; count <= 64000; count *= 4) {
        double now = mean_stops(count);
        ck_assert_msg(now - before <= 12.0, "%d balls: %g stops after %g", count, now, before);
        before = now;
    }
}

TEST_MAIN("unit/world/query/query_walk", TEST(trees_answer_like_all_shapes_whatever_happened),
          TEST(a_failed_step_leaves_answers_as_they_were), TEST(four_threads_may_ask_at_once),
          TEST(stops_of_a_ray_grow_like_the_height_of_a_tree))
