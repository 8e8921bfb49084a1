// test_soft_friction.c - scheme soft_step: friction by manifold and by point, torsion, warm starts.
#include "cairn/joint.h"
#include "cairn/state.h"
#include "support/run.h"

#define DT (1.0 / 60.0)
#define GRAVITY 9.81

static CnWorldDef soft_def(bool per_point) {
    CnWorldDef def = cn_world_def_default();
    def.step.scheme = CN_SCHEME_SOFT_STEP;
    def.step.contact_margin = 5e-3;
    def.step.soft.friction_per_point = per_point;
    return def;
}

static void add_floor(CnWorld* world, CnMaterialId material) {
    run_add_box(world, CN_BODY_STATIC, cn_vec3(40.0, 40.0, 1.0), cn_vec3(0.0, 0.0, -0.5), material);
}

// A unit cube that slides along x with friction mu. Friction at the floor, half a metre below the
// centre, has the moment mu m g / 2, which pairs of points half a metre before and behind it
// balance: they carry m g (1 + mu) / 2 and m g (1 - mu) / 2.
typedef struct Sliding {
    double slowdown;    // [m/s^2]
    double front;       // share of the weight on the points in front
    double most, least; // of friction over normal force, of a point
} Sliding;

static Sliding slide(bool per_point, double mu) {
    CnWorldDef def = soft_def(per_point);
    CnWorld* world = run_create(&def);
    CnMaterialId material = run_add_material(world, mu, 0.0);
    add_floor(world, material);
    CnBodyId cube = run_add_box(world, CN_BODY_DYNAMIC, cn_vec3(1.0, 1.0, 1.0),
                                cn_vec3(0.0, 0.0, 0.5), material);
    run_steps(world, DT, 60); // settled
    CnBodyState state = run_state(world, cube);
    state.velocity.x = 6.0;
    CHECK_INT(cn_world_write_states(world, &state, &cube, 1, NULL), CN_OK);
    run_steps(world, DT, 30);
    double before = run_state(world, cube).velocity.x;
    run_steps(world, DT, 12);
    Sliding sliding = {.slowdown = (before - run_state(world, cube).velocity.x) / (12.0 * DT),
                       .least = HUGE_VAL};
    CnContactPoint points[8];
    CHECK_INT(cn_world_contacts(world, points, 8), 4);
    CHECK_INT(cn_world_problem(world)->block_count, 0); // this scheme poses none
    state = run_state(world, cube);
    double weight = 0.0, center = state.center.x;
    for (int i = 0; i < 4; ++i) {
        CnVec3 turning =
            cn_vec3_cross(state.angular_velocity, cn_vec3_sub(points[i].point, state.center));
        CHECK_NEAR(points[i].velocity.x, state.velocity.x + turning.x, 1e-15); // about 3 m/s
        double share = fabs(points[i].force.x) / points[i].force.z;
        weight += points[i].force.z;
        sliding.front += points[i].point.x > center ? points[i].force.z : 0.0;
        sliding.most = fmax(sliding.most, share);
        sliding.least = fmin(sliding.least, share);
    }
    sliding.front /= weight;
    cn_world_destroy(world);
    return sliding;
}

// Sweeps of four substeps hold the balance of moments to a part in a thousand, and each point its
// cone to single precision.
static void every_point_slides_with_its_own_normal_force(void) {
    Sliding by_point = slide(true, 0.4), by_manifold = slide(false, 0.4);
    CHECK_NEAR(by_point.slowdown, 0.4 * GRAVITY, 2e-3 * GRAVITY);
    CHECK_NEAR(by_manifold.slowdown, 0.4 * GRAVITY, 2e-3 * GRAVITY);
    CHECK_NEAR(by_point.front, 0.7, 0.01);
    CHECK_NEAR(by_point.most, 0.4, 1e-3);
    CHECK_NEAR(by_point.least, 0.4, 1e-3);
    // Spread evenly: 0.4 / 4 of the weight on points that carry 0.15 and 0.35 of it.
    CHECK_NEAR(by_manifold.most, 0.1 / 0.15, 0.03);
    CHECK_NEAR(by_manifold.least, 0.1 / 0.35, 0.01);
}

// A ball of radius r that spins about the vertical is slowed by the moment torsion m g: it loses
// torsion g / (2/5 r^2) a second. The scheme is of first order: within what a step and a half
// takes.
static void torsion_stops_a_spinning_ball(void) {
    for (int per_point = 0; per_point < 2; ++per_point) {
        CnWorldDef def = soft_def(per_point != 0);
        CnWorld* world = run_create(&def);
        CnMaterialDef rubber = cn_material_def_default();
        rubber.friction = 0.5;
        rubber.torsion = 0.01;
        CnMaterialId material = cn_world_add_material(world, &rubber, NULL);
        add_floor(world, material);
        CnBodyId ball =
            run_add_ball(world, 2.0, 0.5, cn_vec3(0.0, 0.0, 0.5), cn_vec3(0.0, 0.0, 0.0), material);
        CnBodyState state = run_state(world, ball);
        state.angular_velocity.z = 2.0;
        CHECK_INT(cn_world_write_states(world, &state, &ball, 1, NULL), CN_OK);
        double rate = 0.01 * GRAVITY / (0.4 * 0.25);
        run_steps(world, DT, 60);
        CHECK_NEAR(run_state(world, ball).angular_velocity.z, 2.0 - rate, rate * 1.5 * DT);
        run_steps(world, DT, 120); // after 2.04 s
        CHECK_NEAR(run_state(world, ball).angular_velocity.z, 0.0, 1e-6);
        cn_world_destroy(world);
    }
}

// ---- bits ----

static CnWorld* create_pile(CnWorldDef def) {
    CnWorld* world = run_create(&def);
    CnMaterialDef rough = cn_material_def_default();
    rough.friction = 0.5;
    rough.torsion = rough.rolling = 0.01;
    CnMaterialId material = cn_world_add_material(world, &rough, NULL);
    add_floor(world, material);
    for (int i = 0; i < 24; ++i) {
        CnVec3 at = cn_vec3(0.3 * (i % 3), 0.25 * (i % 2), 0.6 + 0.7 * i / 2);
        if (i % 3 == 0) {
            run_add_ball(world, 1.0, 0.3, at, cn_vec3(0.0, 0.1, 0.0), material);
        } else {
            run_add_box(world, CN_BODY_DYNAMIC, cn_vec3(0.6, 0.5, 0.5), at, material);
        }
    }
    CnBodyId door = run_add_box(world, CN_BODY_DYNAMIC, cn_vec3(1.0, 0.1, 0.5),
                                cn_vec3(5.0, 0.0, 1.0), material);
    CnJointDef hinge = cn_joint_def_default(CN_JOINT_HINGE);
    CnJointAxis* axis = &hinge.axes[CN_AXIS_TURN_Z];
    hinge.body_b = door;
    hinge.point_a = cn_vec3(4.5, 0.0, 1.0);
    hinge.axis = cn_vec3(0.0, 1.0, 0.0);
    axis->limited = true;
    axis->lower = -0.5;
    axis->upper = 0.5;
    axis->friction = 0.5;
    CHECK(cn_world_add_joint(world, &hinge, NULL).index != 0);
    return world;
}

static uint64_t run_pile(CnWorldDef def, int count) {
    CnWorld* world = create_pile(def);
    run_steps(world, DT, count);
    uint64_t hash = cn_world_hash(world);
    cn_world_destroy(world);
    return hash;
}

static void friction_by_point_is_the_same_for_workers_and_after_loading(void) {
    CnWorldDef def = soft_def(true);
    uint64_t expected = run_pile(def, 200);
    CnTaskPool* pool = cn_task_pool_create(3, NULL);
    def.tasks = cn_task_pool_tasks(pool);
    CHECK(run_pile(def, 200) == expected);
    def = soft_def(true);
    CnWorld* world = create_pile(def);
    run_steps(world, DT, 120);
    CnWorld* copy = cn_world_clone(world, NULL, NULL);
    CHECK(copy != NULL);
    run_steps(copy, DT, 80);
    CHECK(cn_world_hash(copy) == expected);
    cn_world_destroy(copy);
    cn_world_destroy(world);
    cn_task_pool_destroy(pool);
}

// ---- policies ----

typedef struct Asked {
    bool seen[CN_CHANNEL_COUNT];
    int oldest;
    double factor;
} Asked;

static double constant(const CnWorld* world, const CnWarmStartRow* row, void* data) {
    Asked* asked = data;
    (void)world;
    asked->seen[row->channel] = true;
    asked->oldest = row->age > asked->oldest ? row->age : asked->oldest;
    CHECK_NEAR(cn_vec3_length(row->direction), 1.0, 1e-12);
    CHECK(row->impulse != 0.0 && row->age >= 1 && row->residual == 0.0);
    return asked->factor;
}

// Four substeps and factors that are powers of two: every product is exact.
static void a_policy_is_asked_and_constant_ones_are_the_factor(void) {
    const double factors[3] = {1.0, 0.5, 0.0};
    for (int i = 0; i < 3; ++i) {
        Asked asked = {.factor = factors[i]};
        CnWorldDef plain = soft_def(false), hooked = soft_def(false);
        plain.step.warm_start_factor = factors[i];
        hooked.warm_start_hook = (CnWarmStartHook){constant, &asked};
        CHECK(run_pile(plain, 150) == run_pile(hooked, 150));
        if (i == 0) {
            const CnChannel channels[] = {CN_CHANNEL_NORMAL,        CN_CHANNEL_TANGENT_1,
                                          CN_CHANNEL_TORSION,       CN_CHANNEL_ROLLING_1,
                                          CN_CHANNEL_JOINT_X,       CN_CHANNEL_JOINT_TURN_X,
                                          CN_CHANNEL_JOINT_FRICTION};
            for (size_t k = 0; k < sizeof channels / sizeof channels[0]; ++k) {
                ck_assert_msg(asked.seen[channels[k]], "channel %d", (int)channels[k]);
            }
            CHECK(asked.oldest > 20);
        }
    }
}

static void without_warm_starts_nobody_is_asked(void) {
    Asked asked = {.factor = 1.0};
    CnWorldDef def = soft_def(false);
    def.warm_start_hook = (CnWarmStartHook){constant, &asked};
    def.step.warm_start = CN_WARM_START_OFF;
    run_pile(def, 30);
    CHECK(!asked.seen[CN_CHANNEL_NORMAL]);
}

TEST_MAIN("physics/contact/soft_friction", TEST(every_point_slides_with_its_own_normal_force),
          TEST(torsion_stops_a_spinning_ball),
          TEST(friction_by_point_is_the_same_for_workers_and_after_loading),
          TEST(a_policy_is_asked_and_constant_ones_are_the_factor),
          TEST(without_warm_starts_nobody_is_asked))
