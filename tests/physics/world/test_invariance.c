// test_invariance.c - what the physics does not know about: axes, numbering, order, workers.
#include "cairn/random.h"
#include "support/run.h"

static const double solver_tolerance = 1e-12; // [m/s]

// A heap about to form: balls with friction dropped on each other and on the floor, two of them
// tied, all of it seen from axes turned by `axes`, bodies added forwards or backwards.
#define BALLS 8
typedef struct Scene {
    CnWorld* world;
    CnBodyId ball[BALLS];
} Scene;

static Scene create_scene(CnQuat axes, bool backwards, bool swapped) {
    CnWorldDef def = cn_world_def_default();
    def.gravity = cn_quat_rotate(axes, def.gravity);
    def.solver.tolerance = solver_tolerance;
    Scene scene = {.world = run_create(&def)};
    CnMaterialId material = run_add_material(scene.world, 0.4, 0.0);
    CnShapeDef plane = cn_shape_def_default(CN_SHAPE_PLANE);
    CnBodyDef ground = cn_body_def_default();
    ground.type = CN_BODY_STATIC;
    ground.rotation = axes;
    ground.shapes = &plane;
    ground.shape_count = 1;
    ground.material = material;
    if (!backwards) {
        run_add(scene.world, &ground);
    }
    for (int k = 0; k < BALLS; ++k) {
        int i = backwards ? BALLS - 1 - k : k;
        CnVec3 position = cn_vec3(0.3 * (i % 2) + 0.05 * i, 0.4 * (i % 3), 0.35 + 0.55 * (i / 3));
        CnVec3 velocity = cn_vec3(0.3 * i, 1.0 - 0.2 * i, -1.0);
        scene.ball[i] =
            run_add_ball(scene.world, 1.0 + 0.3 * i, 0.25, cn_quat_rotate(axes, position),
                         cn_quat_rotate(axes, velocity), material);
        CnBodyState state = run_state(scene.world, scene.ball[i]);
        state.rotation = axes;
        state.angular_velocity = cn_quat_rotate(axes, cn_vec3(2.0, i, -1.0));
        CHECK_INT(cn_body_set_state(scene.world, scene.ball[i], &state, NULL), CN_OK);
    }
    if (backwards) {
        run_add(scene.world, &ground);
    }
    CnVec3 arm = cn_vec3(0.1, 0.0, 0.1), none = cn_vec3(0.0, 0.0, 0.0);
    CnDistanceData tie = {swapped ? none : arm, swapped ? arm : none, 0.0};
    CnBodyState a = run_state(scene.world, scene.ball[0]);
    CnBodyState b = run_state(scene.world, scene.ball[7]);
    CnVec3 end = cn_vec3_add(a.center, cn_quat_rotate(axes, arm));
    tie.length = cn_vec3_length(cn_vec3_sub(b.center, end));
    run_add_constraint(scene.world, cn_distance_kind(), scene.ball[swapped ? 7 : 0],
                       scene.ball[swapped ? 0 : 7], &tie, sizeof tie);
    return scene;
}

// Largest difference of the two scenes, the second seen from the first one's axes.
static double difference(const Scene* plain, const Scene* other, CnQuat axes) {
    double worst = 0.0;
    for (int i = 0; i < BALLS; ++i) {
        CnBodyState a = run_state(plain->world, plain->ball[i]);
        CnBodyState b = run_state(other->world, other->ball[i]);
        b.center = cn_quat_unrotate(axes, b.center);
        b.velocity = cn_quat_unrotate(axes, b.velocity);
        b.angular_velocity = cn_quat_unrotate(axes, b.angular_velocity);
        b.rotation = cn_quat_multiply(cn_quat_conjugate(axes), b.rotation);
        worst = fmax(worst, run_state_distance(&a, &b));
    }
    return worst;
}

// Impacts make differences grow: each of the two hundred solves may differ by the tolerance, and a
// ball that meets another 0.1 m off its axis doubles what there was a few times over. Values are of
// order one, so this is also relative.
static void compare(CnQuat axes, bool backwards, bool swapped) {
    Scene plain = create_scene(cn_quat_identity(), false, false);
    Scene other = create_scene(axes, backwards, swapped);
    int contacts = 0;
    for (int i = 0; i < 200; ++i) {
        contacts += run_step(plain.world, 2e-3).contact_count;
        run_step(other.world, 2e-3);
        CHECK(difference(&plain, &other, axes) < 1e-9);
    }
    CHECK(contacts > 1000); // they did meet
    CHECK(difference(&plain, &other, axes) < 1e-9);
    cn_world_destroy(plain.world);
    cn_world_destroy(other.world);
}

static void a_turned_scene_moves_the_same(void) {
    compare(cn_quat_from_axis_angle(cn_vec3(1.0, 2.0, 3.0), 1.0), false, false);
    compare(cn_quat_from_axis_angle(cn_vec3(-1.0, 0.3, 0.1), 2.5), false, false);
    compare(cn_quat_from_axis_angle(cn_vec3(0.0, 1.0, 0.0), CN_PI), false, false); // upside down
}

static void the_order_of_bodies_does_not_matter(void) {
    compare(cn_quat_identity(), true, false);
}

static void the_two_ends_of_a_constraint_may_change_places(void) {
    compare(cn_quat_identity(), false, true);
}

// The same heap without floor and gravity: nothing but the balls themselves.
static void an_isolated_cloud_keeps_its_momentum(void) {
    for (int s = 0; s < CN_STABILISATION_COUNT; ++s) {
        CnWorldDef def = cn_world_def_default();
        def.gravity = cn_vec3(0.0, 0.0, 0.0);
        def.step.stabilisation = (CnStabilisation)s;
        CnWorld* world = run_create(&def);
        CnMaterialId material = run_add_material(world, 0.5, s % 2 ? 0.5 : 0.0);
        CnRandom random = {(uint64_t)s};
        for (int i = 0; i < 40; ++i) {
            CnVec3 at = cn_vec3(0.45 * (i % 4), 0.45 * (i / 4 % 4), 0.45 * (i / 16));
            double jitter = cn_random_between(&random, -0.01, 0.01);
            run_add_ball(world, 1.0 + i % 3, 0.2, cn_vec3_add(at, cn_vec3(jitter, 0.0, jitter)),
                         cn_vec3(1.0 - 1.5 * at.x, 1.0 - 1.2 * at.y, 0.5 - at.z), material);
        }
        CnStepReport report = run_step(world, 2e-3);
        CnVec3 linear = report.momentum.linear_start, angular = report.momentum.angular_start;
        int contacts = 0;
        double integration = 0.0;
        for (int i = 0; i < 300; ++i) {
            report = run_step(world, 2e-3);
            contacts += report.block_count;
            integration += cn_vec3_length(report.momentum.angular_integration);
        }
        CHECK(contacts > 100);
        // Round-off of 300 steps on some 50 N s; angular momentum may only change by what moving
        // positions back is booked for.
        CHECK(cn_vec3_length(cn_vec3_sub(report.momentum.linear_end, linear)) < 1e-11);
        CHECK(cn_vec3_length(cn_vec3_sub(report.momentum.angular_end, angular)) <
              1e-11 + integration);
        if (s == CN_STABILISATION_NONE || s == CN_STABILISATION_BAUMGARTE) {
            CHECK(integration < 1e-11);
        }
        cn_world_destroy(world);
    }
}

TEST_MAIN("physics/world/invariance", TEST(a_turned_scene_moves_the_same),
          TEST(the_order_of_bodies_does_not_matter),
          TEST(the_two_ends_of_a_constraint_may_change_places),
          TEST(an_isolated_cloud_keeps_its_momentum))
