// test_steps_at_rest.c - what stands costs one evaluation of the residual, and does not creep.
#include "support/run.h"

#define STEPS (UNDER_SANITIZER ? 50 : 500)

// Kept impulses are blind: what leans on them falls like a pendulum that stands on its tip, and its
// velocity grows as exp(t / T), T = sqrt(length / gravity), 0.1 s for cards and stones to 0.3 s for
// cubes: warm_start.md (10). From 1e-13 m/s, which settling leaves, to the 1e-11 m/s a step that
// are too much it takes some T; then it is settled, two or three times in a row. So in 0.5 s a
// handful of 500 steps is not kept, and in 500 steps of 1/60 s three each 5 T, or one in ten.
typedef struct Scene {
    const char* name;
    double dt, settling; // [s]
    int kept;            // steps of 500 that must cost one evaluation
} Scene;

static double largest_way(const CnWorld* world, const CnBodyState* start) {
    double most = 0.0;
    for (int i = 0; i < cn_world_body_count(world); ++i) {
        CnBodyState state = run_state(world, cn_world_body_at(world, i));
        most = fmax(most, cn_vec3_length(cn_vec3_sub(state.center, start[i].center)));
    }
    return most;
}

#define MOST_BODIES 128

static void check(const Scene* scene) {
    CnWorld* world = run_open(scene->name);
    CnBodyState start[MOST_BODIES];
    int kept = 0;
    double worst = 0.0;
    run_steps(world, scene->dt, (int)lround(scene->settling / scene->dt));
    CHECK(cn_world_body_count(world) <= MOST_BODIES);
    for (int i = 0; i < cn_world_body_count(world); ++i) {
        start[i] = run_state(world, cn_world_body_at(world, i));
    }
    for (int i = 0; i < STEPS; ++i) {
        CnStepReport report = run_step(world, scene->dt); // converged, with closed ledgers
        kept += report.kept_islands == report.island_count;
        worst = fmax(worst, report.certificate.worst);
    }
    double creep = largest_way(world, start) / (STEPS * scene->dt);
    ck_assert_msg(UNDER_SANITIZER || kept >= scene->kept, "%s: %d of %d steps", scene->name, kept,
                  STEPS);
    CHECK(worst <= 1e-9); // a tenth of the tolerance
    ck_assert_msg(creep <= 1e-10, "%s creeps at %g m/s", scene->name, creep);
    cn_world_destroy(world);
}

static void a_box_needs_no_solver(void) {
    check(&(Scene){"@stack:1", 1e-3, 0.5, 496});
}

static void a_stack_of_three_needs_no_solver(void) {
    check(&(Scene){"@stack:3", 1e-3, 0.5, 490});
}

static void a_house_of_cards_needs_no_solver(void) {
    check(&(Scene){"@cardhouse", 1e-3, 0.5, 480});
}

static void an_arch_needs_no_solver(void) {
    check(&(Scene){"@arch", 1e-3, 0.2, 475});
}

static void a_pyramid_needs_no_solver_in_nine_steps_of_ten(void) {
    check(&(Scene){"@pyramid:6", 1.0 / 60.0, 1.0, 450});
}

static void a_wall_needs_no_solver(void) {
    check(&(Scene){"@wall:3", 1e-3, 0.1, 475});
}

// Balls, boxes and capsules in a container: sixty islands, each with times of its own.
static void a_pile_that_has_come_to_rest_needs_no_solver(void) {
    CnWorld* world = run_open("@pile:1");
    int islands = 0, kept = 0;
    run_steps(world, 1.0 / 60.0, 480);
    for (int i = 0; i < STEPS; ++i) {
        CnStepReport report = run_step(world, 1.0 / 60.0);
        islands += report.island_count;
        kept += report.kept_islands;
    }
    ck_assert_msg(kept >= 0.98 * islands, "%d of %d", kept, islands);
    cn_world_destroy(world);
}

// A ball on the ground can roll: one point does not hold it, and no factor serves it at rest. A
// push of 1e-5 N, a velocity of some ten tolerances, is answered by one sweep on its tile. It
// rolls: friction takes 2/7 of the push, and the answer is so exact that the next step keeps it.
static void a_ball_that_rolls_off_takes_one_sweep(void) {
    const double dt = 0.01, force = 1e-5;
    CnWorldDef def = cn_world_def_default();
    CnWorld* world = run_create(&def);
    CnMaterialId material = run_add_material(world, 0.5, 0.0);
    run_add_ground(world, material);
    CnBodyId ball =
        run_add_ball(world, 1.0, 0.5, cn_vec3(0.0, 0.0, 0.5), cn_vec3(0.0, 0.0, 0.0), material);
    run_steps(world, dt, 10);
    CnBodyState state = run_state(world, ball);
    CHECK_INT(cn_body_apply_force(world, ball, cn_vec3(force, 0.0, 0.0), state.center, NULL),
              CN_OK);
    CnStepReport report = run_step(world, dt);
    CHECK_INT(report.kept_islands, 0);
    CHECK_STRING(report.solver.solver, "nsgs");
    CHECK_INT(report.solver.iterations, 1);
    CHECK_NEAR(run_state(world, ball).velocity.x, 5.0 / 7.0 * force * dt, 1e-9);
    cn_world_destroy(world);
}

TEST_MAIN("physics/contact/steps_at_rest", TEST(a_box_needs_no_solver),
          TEST(a_stack_of_three_needs_no_solver), TEST(a_house_of_cards_needs_no_solver),
          TEST(an_arch_needs_no_solver), TEST(a_pyramid_needs_no_solver_in_nine_steps_of_ten),
          TEST(a_wall_needs_no_solver), TEST(a_pile_that_has_come_to_rest_needs_no_solver),
          TEST(a_ball_that_rolls_off_takes_one_sweep))
