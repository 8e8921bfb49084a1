// test_query.c - rays, overlaps, nearest points and pushed shapes in a world.
#include "cairn/query.h"

#include "support/failing_allocator.h"
#include "support/run.h"
#include "support/shapes/random_poses.h"

static const CnVec3 zero = {0.0, 0.0, 0.0};
static const CnMaterialId no_material = {0};

static CnTransform at(double x, double y, double z) {
    return (CnTransform){cn_vec3(x, y, z), cn_quat_identity()};
}

static CnShapeDef sphere(double radius) {
    CnShapeDef def = cn_shape_def_default(CN_SHAPE_SPHERE);
    def.radius = radius;
    return def;
}

static CnShapeDef box(double x, double y, double z) {
    CnShapeDef def = cn_shape_def_default(CN_SHAPE_BOX);
    def.size = cn_vec3(x, y, z);
    return def;
}

static CnShapeDef rod(CnShapeType type, double radius, double length) {
    CnShapeDef def = cn_shape_def_default(type);
    def.radius = radius;
    def.length = length;
    return def;
}

static CnBodyId add(CnWorld* world, CnBodyType type, CnTransform pose, const CnShapeDef* shapes,
                    int count) {
    CnBodyDef def = cn_body_def_default();
    def.type = type;
    def.position = pose.position;
    def.rotation = pose.rotation;
    def.shapes = shapes;
    def.shape_count = count;
    return run_add(world, &def);
}

static CnBodyId add_shape(CnWorld* world, CnTransform pose, CnShapeDef shape) {
    return add(world, CN_BODY_DYNAMIC, pose, &shape, 1);
}

static CnWorld* create_world(void) {
    CnWorldDef def = cn_world_def_default();
    return run_create(&def);
}

static CnCastHit cast_ray(const CnWorld* world, CnVec3 origin, CnVec3 translation,
                          const CnQueryFilter* filter) {
    CnCastHit hit;
    CHECK_INT(cn_world_cast_ray(world, origin, translation, filter, &hit, NULL), CN_OK);
    return hit;
}

// Which of its body's shapes it is.
static int number_of(const CnWorld* world, CnShapeId shape) {
    CnShapeInfo info;
    CHECK_INT(cn_shape_read(world, shape, &info), CN_OK);
    return info.number;
}

// Balls of radius 1 at x = 0, 10 and 20, and the ground; the centre of mass of the last is off its
// frame's origin.
static void a_ray_tells_which_shape_it_meets_and_where(void) {
    CnWorld* world = create_world();
    run_add_ground(world, no_material);
    CnBodyId near = add_shape(world, at(0.0, 0.0, 5.0), sphere(1.0));
    CnShapeDef pair[2] = {sphere(1.0), sphere(1.0)};
    pair[1].position = cn_vec3(10.0, 0.0, 0.0);
    CnBodyId far = add(world, CN_BODY_DYNAMIC, at(10.0, 0.0, 5.0), pair, 2);

    CnVec3 left = cn_vec3(-10.0, 0.0, 5.0), right = cn_vec3(50.0, 0.0, 5.0);
    CnCastHit hit = cast_ray(world, left, cn_vec3(100.0, 0.0, 0.0), NULL);
    CHECK_INT(hit.body.index, near.index);
    CHECK_NEAR(hit.distance, 9.0, 1e-14);
    CHECK_NEAR(hit.fraction, 0.09, 1e-16);
    CHECK_NEAR(hit.point.x, -1.0, 1e-14);
    CHECK_NEAR(hit.normal.x, -1.0, 1e-15);
    CHECK(!hit.inside);
    hit = cast_ray(world, right, cn_vec3(-100.0, 0.0, 0.0), NULL);
    CHECK_INT(hit.body.index, far.index);
    CHECK_INT(number_of(world, hit.shape), 1);
    CHECK_NEAR(hit.point.x, 21.0, 1e-13);
    hit = cast_ray(world, left, cn_vec3(5.0, 0.0, 0.0), NULL);
    CHECK_INT(hit.body.index, 0); // too short
    hit = cast_ray(world, cn_vec3(0.5, 0.0, 5.0), zero, NULL);
    CHECK_INT(hit.body.index, near.index); // what is at this point
    CHECK(hit.inside && hit.distance == 0.0 && hit.fraction == 0.0);
    CHECK_NEAR(cn_vec3_length(hit.normal), 0.0, 0.0);
    cn_world_destroy(world);
}

// Along x: balls at 5 (added last), 10 (twice the same place) and 15; the hits are 4, 9, 9, 14.
static void all_hits_come_by_distance_and_then_by_body(void) {
    CnWorld* world = create_world();
    const double places[] = {10.0, 15.0, 10.0, 5.0};
    CnBodyId ids[4];
    for (int i = 0; i < 4; ++i) {
        ids[i] = add_shape(world, at(places[i], 0.0, 0.0), sphere(1.0));
    }
    const int order[] = {3, 0, 2, 1};
    CnVec3 way = cn_vec3(100.0, 0.0, 0.0);
    for (int capacity = 0; capacity <= 6; ++capacity) {
        CnCastHit hits[6] = {0};
        CHECK_INT(cn_world_cast_ray_all(world, zero, way, NULL, hits, capacity, NULL), 4);
        for (int i = 0; i < 6; ++i) {
            bool is_written = i < 4 && i < capacity;
            CHECK_INT(hits[i].body.index, is_written ? ids[order[i]].index : 0);
        }
    }
    CHECK_INT(cn_world_cast_ray_all(world, zero, way, NULL, NULL, 0, NULL), 4);
    cn_world_destroy(world);
}

typedef struct Choice {
    CnShapeId refused;
    int calls;
} Choice;

static bool is_another(CnBodyId body, CnShapeId shape, void* data) {
    Choice* choice = data;
    (void)body;
    ++choice->calls;
    return shape.index != choice->refused.index;
}

static void filters_leave_out_types_bodies_and_shapes(void) {
    CnWorld* world = create_world();
    CnShapeDef ball = sphere(1.0), pair[2] = {sphere(1.0), sphere(1.0)};
    pair[1].position = cn_vec3(-3.0, 0.0, 0.0); // the nearer one
    pair[0].category = 6;
    CnBodyId dynamic = add(world, CN_BODY_DYNAMIC, at(10.0, 0.0, 0.0), pair, 2);
    CnBodyId fixed = add(world, CN_BODY_STATIC, at(20.0, 0.0, 0.0), &ball, 1);
    CnBodyId driven = add(world, CN_BODY_KINEMATIC, at(30.0, 0.0, 0.0), &ball, 1);
    CnVec3 way = cn_vec3(100.0, 0.0, 0.0);
    CnQueryFilter filter = {0};
    CHECK_INT(cast_ray(world, zero, way, &filter).body.index, dynamic.index);
    filter.ignore[CN_BODY_DYNAMIC] = true;
    CHECK_INT(cast_ray(world, zero, way, &filter).body.index, fixed.index);
    filter.ignore[CN_BODY_STATIC] = true;
    CHECK_INT(cast_ray(world, zero, way, &filter).body.index, driven.index);
    filter.ignore[CN_BODY_KINEMATIC] = true;
    CHECK_INT(cast_ray(world, zero, way, &filter).body.index, 0);

    CnQueryFilter some = {.mask = 4};
    CnCastHit masked = cast_ray(world, zero, way, &some);
    CHECK_INT(masked.body.index, dynamic.index);
    CHECK_INT(number_of(world, masked.shape), 0);
    some.mask = 8;
    CHECK_INT(cast_ray(world, zero, way, &some).body.index, 0);

    CnShapeId shapes[2];
    CHECK_INT(cn_body_shapes(world, dynamic, shapes, 2), 2);
    Choice choice = {.refused = shapes[1]};
    CnQueryFilter first = {.accept = is_another, .data = &choice};
    CnCastHit hit = cast_ray(world, zero, way, &first);
    CHECK_INT(hit.body.index, dynamic.index);
    CHECK_INT(number_of(world, hit.shape), 0);
    CHECK_NEAR(hit.distance, 9.0, 1e-14);
    CHECK(choice.calls >= 2 &&
          choice.calls <= 4); // never twice for one shape, nor for what lies behind a hit
    cn_world_destroy(world);
}

// x and y between -size and size.
static CnVec3 random_above(CnRandom* random, double size, double z) {
    double x = cn_random_between(random, -size, size);
    double y = cn_random_between(random, -size, size);
    return cn_vec3(x, y, z);
}

// Bodies of every type of shape at random, some in each other.
#define CROWD 300
static void fill_with_crowd(CnWorld* world) {
    CnRandom random = {5};
    run_add_ground(world, no_material);
    for (int i = 0; i < CROWD; ++i) {
        CnShapeDef shapes[4] = {sphere(0.4), box(0.5, 0.7, 0.9), rod(CN_SHAPE_CAPSULE, 0.3, 0.8),
                                rod(CN_SHAPE_CYLINDER, 0.4, 0.6)};
        double turn_x = cn_random_between(&random, -2.0, 2.0);
        double turn_y = cn_random_between(&random, -2.0, 2.0);
        CnTransform pose = {.rotation = cn_quat_exp(cn_vec3(turn_x, turn_y, 0.5))};
        pose.position.x = cn_random_between(&random, -5.0, 5.0);
        pose.position.y = cn_random_between(&random, -5.0, 5.0);
        pose.position.z = cn_random_between(&random, 1.0, 9.0);
        add_shape(world, pose, shapes[i % 4]);
    }
}

static bool is_wanted(CnBodyId body, CnShapeId shape, void* data) {
    const CnBodyId* wanted = data;
    (void)shape;
    return body.index == wanted->index;
}

// One body at a time knows nothing of the others: no order, no shortcut.
static void a_crowd_answers_like_its_bodies_one_by_one(void) {
    CnWorld* world = create_world();
    CnRandom random = {9};
    fill_with_crowd(world);
    int hit_count = 0;
    for (int k = 0; k < 200; ++k) {
        CnVec3 origin = random_above(&random, 6.0, 10.0), way = random_above(&random, 4.0, -20.0);
        CnCastHit hits[CROWD + 1], best = {.distance = INFINITY};
        CnCastHit hit = cast_ray(world, origin, way, NULL);
        int count = cn_world_cast_ray_all(world, origin, way, NULL, hits, CROWD + 1, NULL);
        int expected = 0;
        for (int i = 0; i <= CROWD; ++i) {
            CnBodyId id = cn_world_body_at(world, i);
            CnQueryFilter only = {.accept = is_wanted, .data = &id};
            CnCastHit one = cast_ray(world, origin, way, &only);
            expected += one.body.index != 0;
            best = one.body.index != 0 && one.distance < best.distance ? one : best;
        }
        CHECK_INT(count, expected);
        CHECK_INT(hit.body.index, best.body.index);
        CHECK(hit.distance == best.distance && hits[0].distance == best.distance);
        for (int i = 1; i < count; ++i) {
            CHECK(hits[i - 1].distance <= hits[i].distance);
        }
        hit_count += count;
    }
    CHECK(hit_count > 2 * 200); // the ground and one more each, at least on average
    cn_world_destroy(world);
}

static void bad_rays_are_refused_with_a_sentence(void) {
    CnWorld* world = create_world();
    CnCastHit hit = {.body = {1, 1}};
    CnError error = {0};
    CnVec3 way = cn_vec3(1.0, 0.0, 0.0);
    CHECK_INT(cn_world_cast_ray(world, cn_vec3(NAN, 0.0, 0.0), way, NULL, &hit, &error),
              CN_INVALID);
    CHECK_CONTAINS(error.message, "origin");
    CHECK_INT(hit.body.index, 0);
    CHECK_INT(cn_world_cast_ray(world, zero, cn_vec3(INFINITY, 0.0, 0.0), NULL, &hit, &error),
              CN_INVALID);
    CHECK_CONTAINS(error.message, "translation");
    CHECK_INT(cn_world_cast_ray_all(world, zero, cn_vec3(1e300, 0.0, 1e300), NULL, NULL, 0, &error),
              -1);
    CHECK_CONTAINS(error.message, "length");
    CHECK_INT(cn_world_cast_ray(world, zero, way, NULL, &hit, NULL), CN_OK); // an empty world
    CHECK_INT(hit.body.index, 0);
    cn_world_destroy(world);
}

static int overlap_count(const CnWorld* world, CnShapeDef shape, CnTransform pose) {
    CnBodyId bodies[8];
    return cn_world_overlap(world, &shape, pose, NULL, bodies, 8, NULL);
}

// A ball of radius 1 in the origin and two shapes of one body at x = 10 and 11.
static void overlap_counts_bodies_that_touch(void) {
    CnWorld* world = create_world();
    CnShapeDef pair[2] = {box(2.0, 2.0, 2.0), box(2.0, 2.0, 2.0)};
    pair[1].position = cn_vec3(1.0, 0.0, 0.0);
    CnBodyId ball = add_shape(world, at(0.0, 0.0, 0.0), sphere(1.0));
    CnBodyId boxes = add(world, CN_BODY_DYNAMIC, at(10.0, 0.0, 0.0), pair, 2);
    CHECK_INT(overlap_count(world, sphere(1.0), at(1.9, 0.0, 0.0)), 1);
    CHECK_INT(overlap_count(world, sphere(1.0), at(2.1, 0.0, 0.0)), 0);
    CHECK_INT(overlap_count(world, sphere(1.0), at(10.5, 0.0, 0.0)), 1); // two shapes, one body
    CHECK_INT(overlap_count(world, box(20.0, 1.0, 1.0), at(5.0, 0.0, 0.0)), 2);
    CHECK_INT(overlap_count(world, box(9.0, 1.0, 1.0), at(4.5, 1.6, 0.0)), 0);

    CnShapeDef plane = cn_shape_def_default(CN_SHAPE_PLANE); // what is below z = -0.5
    CHECK_INT(overlap_count(world, plane, at(0.0, 0.0, -0.5)), 2);
    CHECK_INT(overlap_count(world, plane, at(0.0, 0.0, -1.5)), 0);

    CnShapeDef beam = box(20.0, 1.0, 1.0);
    CnBodyId bodies[2] = {0};
    CHECK_INT(cn_world_overlap(world, &beam, at(5.0, 0.0, 0.0), NULL, bodies, 1, NULL), 2);
    CHECK_INT(bodies[0].index, ball.index);
    CHECK_INT(bodies[1].index, 0);
    CnQueryFilter only = {.accept = is_wanted, .data = &boxes};
    CHECK_INT(cn_world_overlap(world, &beam, at(5.0, 0.0, 0.0), &only, bodies, 2, NULL), 1);
    CHECK_INT(bodies[0].index, boxes.index);
    cn_world_destroy(world);
}

static CnClosest closest_to(const CnWorld* world, CnShapeDef shape, CnTransform pose) {
    CnClosest closest;
    CHECK_INT(cn_world_closest(world, &shape, pose, NULL, &closest, NULL), CN_OK);
    return closest;
}

static void closest_gives_gap_depth_and_points(void) {
    CnWorld* world = create_world();
    CnBodyId ground = run_add_ground(world, no_material);
    CnBodyId cube = add_shape(world, at(0.0, 0.0, 10.0), box(2.0, 2.0, 2.0));
    CnClosest closest = closest_to(world, sphere(0.5), at(5.0, 0.0, 10.5));
    CHECK_INT(closest.body.index, cube.index);
    CHECK_NEAR(closest.distance, 3.5, 1e-13); // 5 - 1 - 0.5
    CHECK_NEAR(closest.own_point.x, 4.5, 1e-13);
    CHECK_NEAR(closest.body_point.x, 1.0, 1e-13);
    CHECK_NEAR(closest.body_point.z, 10.5, 1e-13);
    CHECK_NEAR(closest.normal.x, -1.0, 1e-13);
    closest = closest_to(world, box(1.0, 1.0, 1.0), at(5.0, 0.0, 1.5));
    CHECK_INT(closest.body.index, ground.index);
    CHECK_NEAR(closest.distance, 1.0, 1e-13);
    CHECK_NEAR(closest.normal.z, -1.0, 1e-15);
    closest = closest_to(world, box(1.0, 1.0, 1.0), at(1.3, 0.2, 10.1));
    CHECK_INT(closest.body.index, cube.index);
    CHECK_NEAR(closest.distance, -0.2, 1e-12); // 1 + 0.5 - 1.3, the shortest way out
    CHECK_NEAR(closest.normal.x, -1.0, 1e-12);
    cn_world_destroy(world);
}

// Two cubes of 2 m, one turned by 45 degrees: its edge is sqrt(2) from its centre.
static void two_bodies_are_as_far_apart_as_their_nearest_shapes(void) {
    CnWorld* world = create_world();
    CnShapeDef pair[2] = {box(2.0, 2.0, 2.0), sphere(0.5)};
    pair[1].position = cn_vec3(0.0, 0.0, 20.0);
    CnTransform turned = {cn_vec3(5.0, 0.0, 0.0),
                          cn_quat_from_axis_angle(cn_vec3(0.0, 0.0, 1.0), 0.25 * CN_PI)};
    CnBodyId a = add(world, CN_BODY_DYNAMIC, at(0.0, 0.0, 0.0), pair, 2);
    CnBodyId b = add_shape(world, turned, box(2.0, 2.0, 2.0));
    CnBodyDef bare = run_body(1.0, cn_vec3(1.0, 1.0, 1.0), zero);
    CnBodyId ghost = run_add(world, &bare);
    CnClosest closest;
    CnError error = {0};
    CHECK_INT(cn_world_closest_bodies(world, a, b, &closest, &error), CN_OK);
    CHECK_INT(closest.body.index, b.index);
    CHECK_NEAR(closest.distance, 4.0 - sqrt(2.0), 1e-13);
    CHECK_NEAR(closest.own_point.x, 1.0, 1e-13);
    CHECK_NEAR(closest.body_point.x, 5.0 - sqrt(2.0), 1e-13);
    CHECK_NEAR(closest.normal.x, 1.0, 1e-13);
    CHECK_INT(cn_world_closest_bodies(world, b, a, &closest, &error), CN_OK);
    CHECK_NEAR(closest.normal.x, -1.0, 1e-13);
    CHECK_INT(number_of(world, closest.shape), 0);
    CHECK_INT(cn_world_closest_bodies(world, a, ghost, &closest, &error), CN_OK);
    CHECK_INT(closest.body.index, 0);
    CHECK_INT(cn_world_closest_bodies(world, a, a, &closest, &error), CN_INVALID);
    CHECK_CONTAINS(error.message, "two different bodies");
    CHECK_INT(cn_world_remove_body(world, b), CN_OK);
    CHECK_INT(cn_world_closest_bodies(world, a, b, &closest, &error), CN_STALE);
    CHECK_CONTAINS(error.message, "does not exist");
    cn_world_destroy(world);
}

static CnCastHit cast_shape(const CnWorld* world, CnShapeDef shape, CnTransform pose, CnVec3 way) {
    CnCastHit hit;
    CHECK_INT(cn_world_cast_shape(world, &shape, pose, way, NULL, &hit, NULL), CN_OK);
    return hit;
}

static void a_pushed_shape_stops_where_geometry_says(void) {
    CnWorld* world = create_world();
    CnBodyId ground = run_add_ground(world, no_material);
    CnBodyId ball = add_shape(world, at(0.0, 0.0, 10.0), sphere(2.0));
    CnBodyId cube = add_shape(world, at(0.0, 20.0, 10.0), box(2.0, 2.0, 2.0));

    CnCastHit hit = cast_shape(world, sphere(0.5), at(9.0, 0.0, 4.5), cn_vec3(3.0, 0.0, -10.0));
    CHECK_INT(hit.body.index, ground.index); // 4 down of 10
    CHECK_NEAR(hit.fraction, 0.4, 1e-10);
    CHECK_NEAR(hit.point.x, 9.0 + 3.0 * 0.4, 1e-9);
    CHECK_NEAR(hit.point.z, 0.0, 1e-9);
    CHECK_NEAR(hit.normal.z, 1.0, 1e-15);

    // Two balls, centres 2.5 apart when they touch and passing at a height of 1.5: 3, 4, 5 again.
    hit = cast_shape(world, sphere(0.5), at(-10.0, 0.0, 11.5), cn_vec3(20.0, 0.0, 0.0));
    CHECK_INT(hit.body.index, ball.index);
    CHECK_NEAR(hit.distance, 8.0, 1e-9);
    CHECK_NEAR(hit.normal.x, -0.8, 1e-9);
    CHECK_NEAR(hit.normal.z, 0.6, 1e-9);
    CHECK_NEAR(hit.point.z, 11.2, 1e-9);
    CHECK(!hit.inside);

    // Face to face: -9 + 0.5 to -1.
    hit = cast_shape(world, box(1.0, 1.0, 1.0), at(-9.0, 20.3, 10.4), cn_vec3(20.0, 0.0, 0.0));
    CHECK_INT(hit.body.index, cube.index);
    CHECK_NEAR(hit.distance, 7.5, 1e-9);
    CHECK_NEAR(hit.normal.x, -1.0, 1e-12);
    CHECK_NEAR(hit.point.x, -1.0, 1e-9);

    hit = cast_shape(world, sphere(0.5), at(-10.0, 0.0, 12.6), cn_vec3(20.0, 0.0, 0.0));
    CHECK_INT(hit.body.index, 0); // passes 0.1 above
    hit = cast_shape(world, sphere(0.5), at(-10.0, 0.0, 11.5), cn_vec3(7.9, 0.0, 0.0));
    CHECK_INT(hit.body.index, 0); // stops short
    hit = cast_shape(world, sphere(0.5), at(-10.0, 0.0, 11.5), cn_vec3(-20.0, 0.0, 0.0));
    CHECK_INT(hit.body.index, 0); // goes away
    cn_world_destroy(world);
}

static void a_shape_that_overlaps_at_the_start_goes_nowhere(void) {
    CnWorld* world = create_world();
    CnBodyId cube = add_shape(world, at(0.0, 0.0, 0.0), box(2.0, 2.0, 2.0));
    const CnVec3 ways[] = {{10.0, 0.0, 0.0}, {0.0, 0.0, 0.0}};
    for (int i = 0; i < 2; ++i) {
        CnCastHit hit = cast_shape(world, sphere(0.5), at(0.0, 0.0, 1.2), ways[i]);
        CHECK_INT(hit.body.index, cube.index);
        CHECK(hit.inside && hit.distance == 0.0 && hit.fraction == 0.0);
        CHECK_NEAR(hit.normal.z, 1.0, 1e-12); // the shortest way out
    }
    cn_world_destroy(world);
}

// Where it stops the distance is zero; halfway it is positive. The crowd has cylinders, whose
// distances are good to 1e-7 of sizes below a metre (docs/theory/collision/gjk.md): once in the
// cast, once here.
static void a_pushed_shape_touches_where_it_stops_and_nowhere_before(void) {
    CnWorld* world = create_world();
    CnRandom random = {21};
    fill_with_crowd(world);
    CnShapeDef shapes[4] = {sphere(0.2), box(0.3, 0.2, 0.4), rod(CN_SHAPE_CAPSULE, 0.1, 0.3),
                            rod(CN_SHAPE_CYLINDER, 0.2, 0.2)};
    int hit_count = 0;
    for (int k = 0; k < 300; ++k) {
        CnVec3 from = random_between(&random, -6.0, 6.0), way = random_between(&random, -4.0, 4.0);
        CnTransform pose = at(from.x, from.y, 12.0);
        pose.rotation = cn_quat_exp(random_between(&random, -2.0, 2.0));
        way.z = -14.0;
        CnCastHit hit = cast_shape(world, shapes[k % 4], pose, way);
        CHECK(hit.body.index != 0 && !hit.inside); // at the latest the ground
        for (int i = 0; i <= 20; ++i) {
            CnTransform there = pose;
            there.position = cn_vec3_add_scaled(pose.position, hit.fraction * (i / 20.0), way);
            CnClosest closest = closest_to(world, shapes[k % 4], there);
            if (i == 20) {
                CHECK_NEAR(closest.distance, 0.0, 2e-7);
            } else {
                CHECK(closest.distance > 0.0);
            }
        }
        hit_count += hit.body.index != 1;
    }
    CHECK(hit_count > 100); // not only the ground
    cn_world_destroy(world);
}

// The nearest of all is the least of each alone, and so is the first one met.
static void shape_queries_in_a_crowd_equal_brute_force(void) {
    CnWorld* world = create_world();
    CnRandom random = {33};
    fill_with_crowd(world);
    CnShapeDef probe = rod(CN_SHAPE_CAPSULE, 0.3, 0.5);
    for (int k = 0; k < 20; ++k) {
        double x = cn_random_between(&random, -6.0, 6.0);
        double y = cn_random_between(&random, -6.0, 6.0);
        CnTransform pose = at(x, y, cn_random_between(&random, 2.0, 9.0));
        CnVec3 way = cn_vec3(2.0, 3.0, -9.0);
        CnClosest closest = closest_to(world, probe, pose), least = {.distance = INFINITY};
        CnCastHit hit = cast_shape(world, probe, pose, way), first = {.distance = INFINITY};
        int overlaps = 0;
        for (int i = 0; i <= CROWD; ++i) {
            CnBodyId id = cn_world_body_at(world, i);
            CnQueryFilter only = {.accept = is_wanted, .data = &id};
            CnClosest one;
            CnCastHit met;
            CHECK_INT(cn_world_closest(world, &probe, pose, &only, &one, NULL), CN_OK);
            CHECK_INT(cn_world_cast_shape(world, &probe, pose, way, &only, &met, NULL), CN_OK);
            least = one.distance < least.distance ? one : least;
            first = met.body.index != 0 && met.distance < first.distance ? met : first;
            overlaps += one.distance <= 0.0;
        }
        CHECK_INT(closest.body.index, least.body.index);
        CHECK(closest.distance == least.distance);
        CHECK_INT(hit.body.index, first.body.index);
        CHECK(hit.distance == first.distance || hit.body.index == 0);
        CHECK_INT(cn_world_overlap(world, &probe, pose, NULL, NULL, 0, NULL), overlaps);
    }
    cn_world_destroy(world);
}

static void bad_shapes_are_refused_with_a_sentence(void) {
    CnWorld* world = create_world();
    CnError error = {0};
    CnCastHit hit;
    CnClosest closest;
    CnShapeDef bad = sphere(-1.0), good = sphere(1.0);
    CnShapeDef plane = cn_shape_def_default(CN_SHAPE_PLANE);
    CnTransform nowhere = at(NAN, 0.0, 0.0), skewed = {zero, {2.0, 0.0, 0.0, 0.0}};
    CnVec3 way = cn_vec3(1.0, 0.0, 0.0);
    CHECK_INT(cn_world_overlap(world, &bad, at(0.0, 0.0, 0.0), NULL, NULL, 0, &error), -1);
    CHECK_CONTAINS(error.message, "radius");
    CHECK_INT(cn_world_closest(world, &good, nowhere, NULL, &closest, &error), CN_INVALID);
    CHECK_CONTAINS(error.message, "position");
    CHECK_INT(cn_world_closest(world, &good, skewed, NULL, &closest, &error), CN_INVALID);
    CHECK_CONTAINS(error.message, "quaternion");
    CHECK_INT(cn_world_cast_shape(world, &plane, at(0.0, 0.0, 0.0), way, NULL, &hit, &error),
              CN_INVALID);
    CHECK_CONTAINS(error.message, "plane");
    CHECK_INT(cn_world_cast_shape(world, &good, at(0.0, 0.0, 0.0), cn_vec3(0.0, NAN, 0.0), NULL,
                                  &hit, &error),
              CN_INVALID);
    CHECK_CONTAINS(error.message, "translation");
    cn_world_destroy(world);
}

static void queries_ask_for_no_memory(void) {
    FailingAllocator memory = {0};
    CnWorldDef def = cn_world_def_default();
    def.allocator = failing_allocator(&memory);
    CnWorld* world = run_create(&def);
    fill_with_crowd(world);
    int before = memory.requests;
    CnShapeDef probe = box(1.0, 1.0, 1.0);
    CnTransform pose = at(0.0, 0.0, 5.0);
    CnVec3 way = cn_vec3(1.0, 2.0, -5.0);
    CnCastHit hits[4];
    CnClosest closest;
    CHECK(cn_world_cast_ray_all(world, pose.position, way, NULL, hits, 4, NULL) > 0);
    CHECK_INT(cn_world_cast_ray(world, pose.position, way, NULL, hits, NULL), CN_OK);
    CHECK_INT(cn_world_cast_shape(world, &probe, pose, way, NULL, hits, NULL), CN_OK);
    CHECK_INT(cn_world_closest(world, &probe, pose, NULL, &closest, NULL), CN_OK);
    CHECK(cn_world_overlap(world, &probe, pose, NULL, NULL, 0, NULL) > 0);
    CHECK_INT(memory.requests, before);
    cn_world_destroy(world);
}

// Planes and surfaces are infinitely far from each other: such a distance is no answer.
static void a_mesh_is_near_to_solids_and_not_to_planes(void) {
    const CnVec3 points[3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
    const int triangles[1][3] = {{0, 1, 2}};
    CnWorldDef world_def = cn_world_def_default();
    CnWorld* world = run_create(&world_def);
    CnShapeDef mesh = cn_shape_def_default(CN_SHAPE_MESH);
    CnTransform pose = {{0.0, 0.0, 1.0}, {1.0, 0.0, 0.0, 0.0}};
    CnClosest closest;
    mesh.points = points;
    mesh.point_count = 3;
    mesh.triangles = triangles;
    mesh.triangle_count = 1;
    run_add_ground(world, (CnMaterialId){0});
    CHECK_INT(cn_world_closest(world, &mesh, pose, NULL, &closest, NULL), CN_OK);
    CHECK_INT(closest.body.index, 0);
    CnBodyId ball = run_add_ball(world, 1.0, 0.5, cn_vec3(0.2, 0.2, 2.0), cn_vec3(0.0, 0.0, 0.0),
                                 (CnMaterialId){0});
    CHECK_INT(cn_world_closest(world, &mesh, pose, NULL, &closest, NULL), CN_OK);
    CHECK_INT(closest.body.index, ball.index);
    CHECK_NEAR(closest.distance, 0.5, 1e-12);
    cn_world_destroy(world);
}

static void many_rays_hit_what_single_rays_hit_for_any_number_of_workers(void) {
    enum { RAYS = 1000 };
    static CnRayDef rays[RAYS];
    static CnCastHit hits[RAYS], again[RAYS];
    CnRandom random = {7};
    for (int i = 0; i < RAYS; ++i) {
        rays[i].origin = random_above(&random, 6.0, 12.0);
        rays[i].translation = cn_vec3(cn_random_between(&random, -3.0, 3.0), 1.0, -20.0);
    }
    for (int threads = 1; threads <= 4; threads += 3) {
        CnTaskPool* pool = cn_task_pool_create(threads, NULL);
        CnWorldDef def = cn_world_def_default();
        def.tasks = cn_task_pool_tasks(pool);
        CnWorld* world = run_create(&def);
        fill_with_crowd(world);
        CHECK_INT(cn_world_cast_rays(world, rays, RAYS, NULL, threads == 1 ? hits : again, NULL),
                  CN_OK);
        for (int i = 0; threads == 1 && i < RAYS; ++i) {
            CnCastHit alone = cast_ray(world, rays[i].origin, rays[i].translation, NULL);
            CHECK(alone.body.index == hits[i].body.index && alone.distance == hits[i].distance);
        }
        cn_world_destroy(world);
        cn_task_pool_destroy(pool);
    }
    CHECK(memcmp(hits, again, sizeof hits) == 0);
}

static void a_bad_ray_of_many_is_named_before_any_is_cast(void) {
    CnWorld* world = create_world();
    CnRayDef rays[3] = {{zero, {1.0, 0.0, 0.0}}, {zero, {0.0, 1.0, 0.0}}, {zero, {0.0, NAN, 0.0}}};
    CnCastHit hits[3] = {{.distance = 7.0}};
    CnError error = {0};
    CHECK_INT(cn_world_cast_rays(world, rays, 3, NULL, hits, &error), CN_INVALID);
    CHECK_CONTAINS(error.message, "ray 2: translation");
    CHECK_NEAR(hits[0].distance, 7.0, 0.0);
    CHECK_INT(cn_world_cast_rays(world, rays, -1, NULL, hits, &error), CN_INVALID);
    CHECK_CONTAINS(error.message, "count is -1; it must not be negative");
    CHECK_INT(cn_world_cast_rays(world, rays, 0, NULL, hits, &error), CN_OK);
    cn_world_destroy(world);
}

TEST_MAIN("unit/world/query/query",
          TEST(many_rays_hit_what_single_rays_hit_for_any_number_of_workers),
          TEST(a_bad_ray_of_many_is_named_before_any_is_cast),
          TEST(a_mesh_is_near_to_solids_and_not_to_planes),
          TEST(a_ray_tells_which_shape_it_meets_and_where),
          TEST(all_hits_come_by_distance_and_then_by_body),
          TEST(filters_leave_out_types_bodies_and_shapes),
          TEST(a_crowd_answers_like_its_bodies_one_by_one),
          TEST(bad_rays_are_refused_with_a_sentence), TEST(overlap_counts_bodies_that_touch),
          TEST(closest_gives_gap_depth_and_points),
          TEST(two_bodies_are_as_far_apart_as_their_nearest_shapes),
          TEST(a_pushed_shape_stops_where_geometry_says),
          TEST(a_shape_that_overlaps_at_the_start_goes_nowhere),
          TEST(a_pushed_shape_touches_where_it_stops_and_nowhere_before),
          TEST(shape_queries_in_a_crowd_equal_brute_force),
          TEST(bad_shapes_are_refused_with_a_sentence), TEST(queries_ask_for_no_memory))
