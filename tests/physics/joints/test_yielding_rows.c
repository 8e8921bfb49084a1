// test_yielding_rows.c - springs, soft motors and stops that bounce, as rows of a user's kind.
#include "support/run.h"

// One row: the height of body A above body B, which may be the world. C = z_a - z_b - place.
typedef struct Column {
    double place;              // [m]
    double stiffness, damping; // [N/m], [N s/m]
    double lower, upper;       // [N]
    double restitution;
    int ends; // how often the end of a step was seen
} Column;

static void evaluate(const CnBodyState* a, const CnBodyState* b, double time, const void* data,
                     double* value) {
    (void)time;
    value[0] = a->center.z - b->center.z - ((const Column*)data)->place;
}

static void jacobian(const CnBodyState* a, const CnBodyState* b, double time, const void* data,
                     double* jacobian_a, double* jacobian_b) {
    (void)a, (void)b, (void)time, (void)data;
    jacobian_a[2] = 1.0;
    jacobian_b[2] = -1.0;
}

static void bounds(const CnBodyState* a, const CnBodyState* b, double time, const void* data,
                   double* lower, double* upper) {
    (void)a, (void)b, (void)time;
    lower[0] = ((const Column*)data)->lower;
    upper[0] = ((const Column*)data)->upper;
}

static void softness(const CnBodyState* a, const CnBodyState* b, double time, const void* data,
                     double* stiffness, double* damping) {
    (void)a, (void)b, (void)time;
    stiffness[0] = ((const Column*)data)->stiffness;
    damping[0] = ((const Column*)data)->damping;
}

// A hardening spring: -k (C + C^3) - d dC/dt.
static void force(const double* value, const double* rate, double time, const void* data,
                  double* out, double* by_value, double* by_rate) {
    (void)time;
    const Column* column = data;
    double c = value[0];
    out[0] = -column->stiffness * (c + c * c * c) - column->damping * rate[0];
    by_value[0] = -column->stiffness * (1.0 + 3.0 * c * c);
    by_rate[0] = -column->damping;
}

static void restitution(double time, const void* data, double* out) {
    (void)time;
    out[0] = ((const Column*)data)->restitution;
}

static void advance(const CnBodyState* a, const CnBodyState* b, double time, void* data) {
    (void)a, (void)b, (void)time;
    ((Column*)data)->ends += 1;
}

static const CnConstraintKind spring_kind = {
    .name = "spring",
    .body_count = 2,
    .dimension = 1,
    .evaluate = evaluate,
    .jacobian = jacobian,
    .force = force,
};

static const CnConstraintKind motor_kind = {
    .name = "motor",
    .body_count = 2,
    .dimension = 1,
    .evaluate = evaluate,
    .jacobian = jacobian,
    .force_bounds = bounds,
    .softness = softness,
};

static const CnConstraintKind stop_kind = {
    .name = "stop",
    .body_count = 2,
    .dimension = 1,
    .evaluate = evaluate,
    .jacobian = jacobian,
    .force_bounds = bounds,
    .restitution = restitution,
    .advance = advance,
};

static const double infinite = (double)INFINITY;
static const CnBodyId none = {0, 0};

typedef struct Bench {
    CnWorld* world;
    CnBodyId mass;
    CnConstraintId row;
} Bench;

// A mass of 2 kg at height z with speed v, on one row against the world.
static Bench bench_make(const CnConstraintKind* kind, Column column, CnScheme scheme,
                        double gravity, double z, double v) {
    CnWorldDef def = cn_world_def_default();
    def.gravity = cn_vec3(0.0, 0.0, -gravity);
    def.step.scheme = scheme;
    Bench bench = {.world = run_create(&def)};
    CnBodyDef body = run_body(2.0, cn_vec3(1.0, 1.0, 1.0), cn_vec3(0.0, 0.0, z));
    body.velocity = cn_vec3(0.0, 0.0, v);
    bench.mass = run_add(bench.world, &body);
    bench.row = run_add_constraint(bench.world, kind, bench.mass, none, &column, sizeof column);
    return bench;
}

// Of the oscillator 2 z'' = -50 (z + z^3) - z', z(0) = 1, after 1 s.
static double height_after_a_second(CnScheme scheme, int steps) {
    Column column = {.stiffness = 50.0, .damping = 1.0};
    Bench bench = bench_make(&spring_kind, column, scheme, 0.0, 1.0, 0.0);
    run_steps(bench.world, 1.0 / steps, steps);
    double z = run_state(bench.world, bench.mass).center.z;
    cn_world_destroy(bench.world);
    return z;
}

// RK4 at 1/4000 s is the reference: its own error is below 1e-12. Halving the step of a method of
// second order divides the error by 4; measured 4.0.
static void springs_are_second_order(void) {
    double exact = height_after_a_second(CN_SCHEME_ACCELERATION, 4000);
    double coarse = height_after_a_second(CN_SCHEME_MOREAU, 400) - exact;
    double fine = height_after_a_second(CN_SCHEME_MOREAU, 800) - exact;
    CHECK(fabs(coarse) < 1e-2);
    CHECK_NEAR(coarse / fine, 4.0, 0.2);
}

// The step is 16 times the period / 2 pi; an explicit spring would gain a factor of hundreds.
static void a_stiff_spring_keeps_its_energy_at_any_step(void) {
    Column column = {.stiffness = 0.0, .damping = 0.0};
    column.stiffness = 2.0 * 256.0;
    Bench bench = bench_make(&spring_kind, column, CN_SCHEME_MOREAU, 0.0, 1e-6, 0.0);
    double largest = 0.0;
    for (int i = 0; i < 1000; ++i) {
        run_step(bench.world, 1.0);
        largest = fmax(largest, fabs(run_state(bench.world, bench.mass).center.z));
    }
    CHECK_NEAR(largest, 1e-6, 1e-9); // the cubic part is 1e-12 of the force
    cn_world_destroy(bench.world);
}

// At rest the force is the weight: C = -m g / k. The solver's 1e-8 m/s are 2e-6 N on 2 kg in 10 ms.
static void a_soft_motor_sags_by_its_load(void) {
    Column column = {.place = 1.0, .stiffness = 1e4, .damping = 500.0, .lower = -1e3, .upper = 1e3};
    Bench bench = bench_make(&motor_kind, column, CN_SCHEME_MOREAU, 10.0, 1.0, 0.0);
    double value[CN_MAX_ROWS], pull[CN_MAX_ROWS];
    run_steps(bench.world, 0.01, 2000);
    CHECK_INT(cn_constraint_read(bench.world, bench.row, pull, value), CN_OK);
    CHECK_NEAR(value[0], -2e-3, 1e-9);
    CHECK_NEAR(pull[0], 20.0, 2e-6);
    cn_world_destroy(bench.world);
}

// 1e12 N/m on 2 kg at 10 ms: the motor asks for 1e12 N s at first and gets its limit of 100 N until
// it is there, then holds to round-off of the force over the stiffness.
static void a_stiff_motor_is_limited_and_stable(void) {
    Column column = {.place = 1.0, .stiffness = 1e12, .lower = -100.0, .upper = 100.0};
    Bench bench = bench_make(&motor_kind, column, CN_SCHEME_MOREAU, 0.0, 0.0, 0.0);
    run_step(bench.world, 0.01);
    CHECK_NEAR(run_state(bench.world, bench.mass).velocity.z, 100.0 / 2.0 * 0.01, 1e-12);
    run_steps(bench.world, 0.01, 1000);
    CHECK_NEAR(run_state(bench.world, bench.mass).center.z, 1.0, 1e-6);
    CHECK_NEAR(run_state(bench.world, bench.mass).velocity.z, 0.0, 1e-6);
    cn_world_destroy(bench.world);
}

// A drop of 1 m returns to e^2 m; the impact is found up to one step late, at 4.4 m/s 0.1 ms are
// 0.5 mm of height.
static void a_stop_returns_its_share_of_the_speed(void) {
    Column column = {.lower = 0.0, .upper = infinite, .restitution = 0.5};
    Bench bench = bench_make(&stop_kind, column, CN_SCHEME_MOREAU, 9.81, 1.0, 0.0);
    double top = 0.0;
    for (int i = 0; i < 8000; ++i) {
        run_step(bench.world, 1e-4);
        CnBodyState state = run_state(bench.world, bench.mass);
        top = state.velocity.z > 0.0 ? fmax(top, state.center.z) : top;
    }
    CHECK_NEAR(top, 0.25, 1e-3);
    cn_world_destroy(bench.world);
}

// The same at the end of the step: the impact is up to a step early, and nothing passes the stop.
static void an_implicit_stop_bounces_before_it_is_passed(void) {
    Column column = {.lower = 0.0, .upper = infinite, .restitution = 0.5};
    Bench bench = bench_make(&stop_kind, column, CN_SCHEME_IMPLICIT, 9.81, 1.0, 0.0);
    double top = 0.0, deepest = 0.0;
    for (int i = 0; i < 8000; ++i) {
        run_step(bench.world, 1e-4);
        CnBodyState state = run_state(bench.world, bench.mass);
        top = state.velocity.z > 0.0 ? fmax(top, state.center.z) : top;
        deepest = fmin(deepest, state.center.z);
    }
    CHECK_NEAR(top, 0.25, 1e-3);
    CHECK_NEAR(deepest, 0.0, 1e-12); // 1e-8 m/s, the solver's tolerance, for one step
    cn_world_destroy(bench.world);
}

static void the_world_is_a_body_like_any_other(void) {
    Column column = {.lower = -infinite, .upper = infinite};
    CnWorldDef world_def = cn_world_def_default();
    CnWorld* world = run_create(&world_def);
    CnBodyDef def = run_body(2.0, cn_vec3(1.0, 1.0, 1.0), cn_vec3(0.0, 0.0, 0.0));
    CnBodyId body = run_add(world, &def);
    run_add_constraint(world, &stop_kind, none, body, &column, sizeof column);
    run_steps(world, 0.01, 100);
    CHECK_NEAR(run_state(world, body).center.z, 0.0, 1e-12);
    cn_world_destroy(world);
}

TEST_MAIN("physics/joints/yielding_rows", TEST(springs_are_second_order),
          TEST(a_stiff_spring_keeps_its_energy_at_any_step), TEST(a_soft_motor_sags_by_its_load),
          TEST(a_stiff_motor_is_limited_and_stable), TEST(a_stop_returns_its_share_of_the_speed),
          TEST(an_implicit_stop_bounces_before_it_is_passed),
          TEST(the_world_is_a_body_like_any_other))
