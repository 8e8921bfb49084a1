// test_friction.c - dry friction with known answers: inclines, slides, and no energy from nowhere.
#include "cairn/random.h"
#include "support/run.h"

static const CnVec3 zero = {0.0, 0.0, 0.0};
static const double g = 9.81;
static const double solver_tolerance = 1e-11; // [m/s]

// A block of 0.4 x 0.3 x 0.1 m and 1 kg on four given contacts. The floor is z = 0; gravity leans
// by `slope` towards `heading`, which is the same as an inclined floor.
static CnWorld* create_incline_by(const char* solver, CnFrictionModel model, double slope,
                                  double heading, double mu, CnBodyId* block) {
    CnWorldDef def = cn_world_def_default();
    def.gravity =
        cn_vec3(g * sin(slope) * cos(heading), g * sin(slope) * sin(heading), -g * cos(slope));
    def.solver.tolerance = solver_tolerance;
    def.solver.name = solver;
    def.solver.friction = model;
    CnWorld* world = run_create(&def);
    CnBodyDef body =
        run_body(1.0, cn_vec3(0.1 / 12.0, 0.17 / 12.0, 0.25 / 12.0), cn_vec3(0.0, 0.0, 0.05));
    body.material = run_add_material(world, mu, 0.0);
    *block = run_add(world, &body);
    for (int i = 0; i < 4; ++i) {
        CnContactDef corner = cn_contact_def_default();
        corner.body_b = *block;
        corner.point = cn_vec3(i % 2 ? 0.2 : -0.2, i / 2 ? 0.15 : -0.15, 0.0);
        corner.material_a = body.material;
        CHECK(cn_world_add_contact(world, &corner, NULL).index != 0);
    }
    return world;
}

static CnWorld* create_incline_for(const char* solver, double slope, double heading, double mu,
                                   CnBodyId* block) {
    return create_incline_by(solver, CN_FRICTION_EXACT, slope, heading, mu, block);
}

static CnWorld* create_incline(double slope, double heading, double mu, CnBodyId* block) {
    return create_incline_for("auto", slope, heading, mu, block);
}

// Below the friction angle no exact solver lets the block creep, above it all of them give it the
// same speed in every direction.
static void every_exact_solver_sticks_and_slides_alike(void) {
    const double limit = atan(0.5), steep = CN_PI / 6.0, dt = 2e-3;
    const double a = g * (sin(steep) - 0.3 * cos(steep));
    int solvers = 0;
    for (int k = 0; k < cn_solver_count(); ++k) {
        CnSolverInfo info = cn_solver_at(k);
        if (!info.exact || (info.laws & 1u << CN_LAW_COULOMB) == 0) {
            continue;
        }
        double creep = 0.0, uneven = 0.0;
        for (int i = 0; i < 3; ++i) {
            double heading = 0.2 + 1.3 * i;
            CnBodyId block;
            CnWorld* world = create_incline_for(info.name, 0.98 * limit, heading, 0.5, &block);
            for (int step = 0; step < 20; ++step) {
                run_step(world, dt);
                creep = fmax(creep, cn_vec3_length(run_state(world, block).velocity));
            }
            cn_world_destroy(world);
            world = create_incline_for(info.name, steep, heading, 0.3, &block);
            run_steps(world, dt, 20);
            CnVec3 v = run_state(world, block).velocity;
            uneven = fmax(
                uneven, hypot(v.x - 20 * dt * a * cos(heading), v.y - 20 * dt * a * sin(heading)));
            cn_world_destroy(world);
        }
        ck_assert_msg(creep < 1e-9, "%s: creeps at %g m/s", info.name, creep);
        // 20 steps, each within the solver's tolerance.
        ck_assert_msg(uneven < 20 * solver_tolerance, "%s: off by %g m/s", info.name, uneven);
        ++solvers;
    }
    CHECK(solvers >= 5);
}

// tan(26.565051 deg) = 0.5; a hundredth of a degree to either side.
static void a_block_sticks_exactly_up_to_the_friction_angle(void) {
    const double degree = CN_PI / 180.0, limit = atan(0.5);
    for (int i = 0; i < 8; ++i) {
        CnBodyId block;
        double heading = 0.1 + i * CN_PI / 4.0; // never along a tangent, once along a diagonal
        CnWorld* world = create_incline(limit - 0.01 * degree, heading, 0.5, &block);
        for (int k = 0; k < 200; ++k) {
            run_step(world, 2e-3);
            CHECK(cn_vec3_length(run_state(world, block).velocity) < 1e-9);
        }
        // 200 steps, each within the solver's tolerance.
        CHECK(hypot(run_state(world, block).center.x, run_state(world, block).center.y) < 1e-9);
        cn_world_destroy(world);

        double slope = limit + 0.01 * degree;
        world = create_incline(slope, heading, 0.5, &block);
        run_steps(world, 2e-3, 200);
        double speed = 0.4 * g * (sin(slope) - 0.5 * cos(slope)); // 7.7e-4 m/s
        CnVec3 v = run_state(world, block).velocity;
        CHECK_NEAR(v.x, speed * cos(heading), 200 * solver_tolerance);
        CHECK_NEAR(v.y, speed * sin(heading), 200 * solver_tolerance);
        cn_world_destroy(world);
    }
}

// 30 degrees, mu 0.3: a = 2.3562872 m/s^2 whatever the heading; constant, so steps are exact.
static void a_block_slides_at_the_same_rate_in_every_direction(void) {
    const double slope = CN_PI / 6.0, a = g * (sin(slope) - 0.3 * cos(slope));
    CHECK_NEAR(a, 2.3562872, 1e-7);
    for (int i = 0; i < 7; ++i) {
        CnBodyId block;
        double heading = 0.3 + 0.9 * i;
        CnWorld* world = create_incline(slope, heading, 0.3, &block);
        run_steps(world, 2e-3, 250);
        CnBodyState state = run_state(world, block);
        CHECK_NEAR(state.velocity.x, 0.5 * a * cos(heading), 250 * solver_tolerance);
        CHECK_NEAR(state.velocity.y, 0.5 * a * sin(heading), 250 * solver_tolerance);
        CHECK_NEAR(state.velocity.z, 0.0, 250 * solver_tolerance);
        CHECK_NEAR(cn_vec3_length(state.angular_velocity), 0.0, 1e-8); // arms of 0.2 m
        cn_world_destroy(world);
    }
}

// 6 m/s, mu 0.5: stops at v^2 / (2 mu g) = 3.6697248 m after 1.2232416 s. The last, partial step
// is the only one that is not exact: less than mu g dt^2.
static void a_launched_block_stops_where_friction_says(void) {
    CnBodyId block;
    CnWorld* world = create_incline(0.0, 0.0, 0.5, &block);
    CnBodyState state = run_state(world, block);
    state.velocity.x = 6.0;
    CHECK_INT(cn_body_set_state(world, block, &state, NULL), CN_OK);
    const double dt = 1e-3;
    double stopped = 0.0;
    for (int i = 0; i < 1400; ++i) {
        run_step(world, dt);
        stopped = run_state(world, block).velocity.x > 1e-9 ? cn_world_time(world) : stopped;
    }
    CHECK_NEAR(run_state(world, block).center.x, 3.6697248, 5.0 * dt * dt);
    CHECK_NEAR(stopped, 1.2232416, dt);
    CHECK_NEAR(run_state(world, block).center.y, 0.0, 1e-9);
    CHECK_NEAR(run_state(world, block).center.z, 0.05, 1e-9);
    cn_world_destroy(world);
}

// Under associated friction the same block leaves the ground in its first step: with all corners
// alike it is a point, v_z = mu v_x of the velocity nearest to (6, -g dt). With exact friction it
// does not rise; what sticks stays where it is under both.
static void a_launched_block_is_lifted_by_associated_friction_only(void) {
    const double dt = 1e-3, mu = 0.5;
    CnBodyId block;
    CnWorld* world = create_incline_by("cone_ip", CN_FRICTION_ASSOCIATED, 0.0, 0.0, mu, &block);
    CnBodyState state = run_state(world, block);
    run_steps(world, dt, 10); // at rest
    CHECK_NEAR(cn_vec3_length(run_state(world, block).velocity), 0.0, 10 * solver_tolerance);
    state.velocity.x = 6.0;
    CHECK_INT(cn_body_set_state(world, block, &state, NULL), CN_OK);
    CnStepReport report = run_step(world, dt);
    state = run_state(world, block);
    CHECK_NEAR(state.velocity.x, (6.0 - mu * g * dt) / (1.0 + mu * mu), 10 * solver_tolerance);
    CHECK_NEAR(state.velocity.z, mu * state.velocity.x, 10 * solver_tolerance);
    CHECK_STRING(report.solver.approximation, "associated friction: what slides lifts");
    cn_world_destroy(world);
    world = create_incline_by("cone_ip", CN_FRICTION_EXACT, 0.0, 0.0, mu, &block);
    state = run_state(world, block);
    state.velocity.x = 6.0;
    CHECK_INT(cn_body_set_state(world, block, &state, NULL), CN_OK);
    run_step(world, dt);
    CHECK_NEAR(run_state(world, block).velocity.z, 0.0, 10 * solver_tolerance);
    cn_world_destroy(world);
}

// A sphere that slides at v0 rolls at 5/7 v0 after 2 v0 / (7 mu g), 12 v0^2 / (49 mu g) further on.
static void a_sliding_sphere_rolls_at_five_sevenths(void) {
    CnWorldDef def = cn_world_def_default();
    CnWorld* world = run_create(&def);
    CnMaterialId material = run_add_material(world, 0.2, 0.0);
    run_add_ground(world, material);
    CnBodyId ball =
        run_add_ball(world, 1.0, 0.3, cn_vec3(0.0, 0.0, 0.3), cn_vec3(1.0, 2.0, 0.0), material);
    const double v0 = sqrt(5.0), start = 2.0 * v0 / (7.0 * 0.2 * g), dt = 1e-3;
    run_steps(world, dt, 326); // 0.326 s; rolling begins at 0.3256 s
    CHECK(start < 0.326);
    CnBodyState state = run_state(world, ball);
    CHECK_NEAR(state.velocity.x, 5.0 / 7.0, 1e-6);
    CHECK_NEAR(state.velocity.y, 10.0 / 7.0, 1e-6);
    CHECK_NEAR(state.angular_velocity.y, 5.0 / 7.0 / 0.3, 1e-5);
    double way = 12.0 * 5.0 / (49.0 * 0.2 * g) + 5.0 / 7.0 * v0 * (0.326 - start);
    CHECK_NEAR(hypot(state.center.x, state.center.y), way, 2.0 * dt * dt); // the partial step
    cn_world_destroy(world);
}

// Thirty balls thrown on the floor with any spin, far apart. A sphere's normal impulse does not
// change its slip, so friction can only take: p_t . (u- + u+) / 2 <= 0, to the solver's tolerance
// times the impulse, 1e-8 m/s of 0.1 N s each.
static void friction_never_adds_energy(void) {
    CnWorldDef def = cn_world_def_default();
    CnWorld* world = run_create(&def);
    CnMaterialId material = run_add_material(world, 0.4, 0.3);
    CnRandom random = {5};
    double lost = 0.0;
    run_add_ground(world, material);
    for (int i = 0; i < 30; ++i) {
        double vx = cn_random_between(&random, -3.0, 3.0);
        double vy = cn_random_between(&random, -3.0, 3.0);
        CnBodyId ball = run_add_ball(world, 1.0, 0.2, cn_vec3(20.0 * i, 0.0, 0.3),
                                     cn_vec3(vx, vy, 0.0), material);
        CnBodyState state = run_state(world, ball);
        state.angular_velocity =
            cn_vec3(5.0 * vy, -5.0 * vx, cn_random_between(&random, -9.0, 9.0));
        lost += 4.0 * (vx * vx + vy * vy) / 7.0; // backspin: the slip is twice the speed
        CHECK_INT(cn_body_set_state(world, ball, &state, NULL), CN_OK);
    }
    double total = 0.0;
    for (int i = 0; i < 1000; ++i) {
        CnStepReport report = run_step(world, 2e-3);
        CHECK(report.energy.work[CN_WORK_FRICTION] <= 30 * 1e-9);
        // The row stops a ball that rises slower than g dt from a closed contact half a step
        // higher than it would have come: at most m (g dt)^2 / 8 each, docs/theory/ledger.md (9).
        CHECK(report.energy.work[CN_WORK_CONTACT] <= 30 * pow(g * 2e-3, 2) / 8.0);
        total += report.energy.work[CN_WORK_FRICTION];
    }
    // Until it rolls a ball loses m slip^2 / 7. In an impact at 1.4 m/s the contact may overlap by
    // 2.8 mm, its point lies half of that inside, and the spin's part of the slip counts less by
    // 1.4 mm / 0.2 m: 0.7 % at most.
    CHECK_NEAR(total, -lost, 7e-3 * lost);
    cn_world_destroy(world);
}

// A rolling ball costs nothing: friction holds it without slip, and the ledger agrees.
static void a_sphere_rolls_down_at_five_sevenths_of_g_sine(void) {
    const double slope = 0.4;
    CnWorldDef def = cn_world_def_default();
    def.gravity = cn_vec3(g * sin(slope), 0.0, -g * cos(slope));
    CnWorld* world = run_create(&def);
    CnMaterialId material = run_add_material(world, 0.5, 0.0); // more than 2/7 tan(slope) = 0.12
    run_add_ground(world, material);
    CnBodyId ball = run_add_ball(world, 1.0, 0.25, cn_vec3(0.0, 0.0, 0.25), zero, material);
    double energy = cn_world_energy(world);
    run_steps(world, 2e-3, 500);
    CHECK_NEAR(run_state(world, ball).velocity.x, 5.0 / 7.0 * g * sin(slope), 500e-8);
    CHECK_NEAR(cn_world_energy(world), energy, 1e-5); // 500 steps x 1e-8 m/s x 0.008 N s, and more
    cn_world_destroy(world);
}

TEST_MAIN("physics/contact/friction", TEST(a_block_sticks_exactly_up_to_the_friction_angle),
          TEST(every_exact_solver_sticks_and_slides_alike),
          TEST(a_block_slides_at_the_same_rate_in_every_direction),
          TEST(a_launched_block_stops_where_friction_says),
          TEST(a_launched_block_is_lifted_by_associated_friction_only),
          TEST(a_sliding_sphere_rolls_at_five_sevenths), TEST(friction_never_adds_energy),
          TEST(a_sphere_rolls_down_at_five_sevenths_of_g_sine))
