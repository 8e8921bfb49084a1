// test_soft_trees.c - scheme soft_step: light chains that hold heavy bodies.
#include "cairn/joint.h"
#include "cairn/state.h"
#include "support/run.h"

#define DT (1.0 / 60.0)
#define GRAVITY 9.81
#define LINKS 12

typedef struct Chain {
    CnWorld* world;
    CnJointId joints[LINKS + 1]; // the first at the world, the last holds the ball
    CnBodyId ball;
} Chain;

static CnBodyId add_body(CnWorld* world, double mass, double moment, CnVec3 position) {
    CnBodyDef def = run_body(mass, cn_vec3(moment, moment, moment), position);
    return run_add(world, &def);
}

static CnJointId add_joint(CnWorld* world, CnJointType type, CnBodyId a, CnBodyId b, CnVec3 point) {
    CnJointDef def = cn_joint_def_default(type);
    CnError error = {0};
    def.body_a = a;
    def.body_b = b;
    def.point_a = point;
    def.axis = cn_vec3(0.0, 1.0, 0.0);
    CnJointId id = cn_world_add_joint(world, &def, &error);
    ck_assert_msg(id.index != 0, "%s", error.message);
    return id;
}

// Links of 1 kg and half a metre along a direction from the origin, ball joints and hinges by
// turns, then a ball.
static Chain create_chain(CnVec3 along, double mass, double ratio, const CnTasks* tasks) {
    CnWorldDef def = cn_world_def_default();
    def.step.scheme = CN_SCHEME_SOFT_STEP;
    def.step.soft.tree_mass_ratio = ratio;
    if (tasks != NULL) {
        def.tasks = *tasks;
    }
    Chain chain = {.world = run_create(&def)};
    CnBodyId last = {0};
    for (int i = 0; i <= LINKS; ++i) {
        bool is_ball = i == LINKS;
        CnVec3 at = cn_vec3_scale(is_ball ? 0.5 * i + 0.5 : 0.5 * i + 0.25, along);
        CnBodyId body =
            add_body(chain.world, is_ball ? mass : 1.0, is_ball ? 0.1 * mass : 0.02, at);
        chain.joints[i] = add_joint(chain.world, i % 2 == 0 ? CN_JOINT_BALL : CN_JOINT_HINGE, last,
                                    body, cn_vec3_scale(0.5 * i, along));
        last = body;
    }
    chain.ball = last;
    return chain;
}

// Single precision keeps the energy of 1000 kg at up to 11 m/s, 6e4 J, and 6 m below, to 2^-24 per
// rounding; a step has a few of them for each of 13 bodies.
#define ROUNDING (1e5 * 13 * 4 * 6e-8)

static void a_light_chain_holds_a_heavy_ball_and_never_gains_energy(void) {
    Chain chain = create_chain(cn_vec3(1.0, 0.0, 0.0), 1000.0, 100.0, NULL);
    double energy = cn_world_energy(chain.world), worst = 0.0;
    for (int i = 0; i < 600; ++i) {
        CnStepReport report = run_step(chain.world, DT);
        double now = cn_world_energy(chain.world);
        CHECK(now <= energy + ROUNDING);
        energy = now;
        worst = fmax(worst, report.joint_error);
    }
    CHECK(worst <= 0.01);
    CHECK(worst > 0.0);
    cn_world_destroy(chain.world);
}

// Hanging at rest: the joint at the top carries all weights, the last one that of the ball.
static void joints_carry_the_weights_below_them(void) {
    Chain chain = create_chain(cn_vec3(0.0, 0.0, -1.0), 1000.0, 100.0, NULL);
    run_steps(chain.world, DT, 60);
    for (int i = 0; i <= LINKS; i += LINKS) {
        CnJointState state;
        double weight = (1000.0 + (LINKS - i)) * GRAVITY;
        CHECK_INT(cn_joint_read(chain.world, chain.joints[i], &state), CN_OK);
        CHECK_NEAR(fabs(state.force.z), weight, 1e-4 * weight); // floats at rest
    }
    CHECK_NEAR(run_state(chain.world, chain.ball).center.z, -0.5 * LINKS - 0.5, 1e-5);
    cn_world_destroy(chain.world);
}

// The same chain with sweeps: equal masses, so that both hold. A swing of half a second differs by
// the errors of sweeps, far below the length of the chain.
static void trees_and_sweeps_agree_where_both_hold(void) {
    Chain tree = create_chain(cn_vec3(1.0, 0.0, 0.0), 1.0, 1.0, NULL);
    Chain swept = create_chain(cn_vec3(1.0, 0.0, 0.0), 1.0, 1e6, NULL);
    run_steps(tree.world, DT, 30);
    run_steps(swept.world, DT, 30);
    CnVec3 off = cn_vec3_sub(run_state(tree.world, tree.ball).center,
                             run_state(swept.world, swept.ball).center);
    CHECK(cn_vec3_length(off) < 0.05);
    CHECK(cn_world_hash(tree.world) != cn_world_hash(swept.world));
    cn_world_destroy(tree.world);
    cn_world_destroy(swept.world);
}

static void trees_are_the_same_for_workers_and_after_loading(void) {
    Chain plain = create_chain(cn_vec3(1.0, 0.0, 0.0), 500.0, 100.0, NULL);
    run_steps(plain.world, DT, 50);
    CnWorld* copy = cn_world_clone(plain.world, NULL, NULL);
    run_steps(plain.world, DT, 70);
    run_steps(copy, DT, 70);
    CHECK(cn_world_hash(copy) == cn_world_hash(plain.world));
    CnTaskPool* pool = cn_task_pool_create(2, NULL);
    CnTasks tasks = cn_task_pool_tasks(pool);
    Chain other = create_chain(cn_vec3(1.0, 0.0, 0.0), 500.0, 100.0, &tasks);
    run_steps(other.world, DT, 120);
    CHECK(cn_world_hash(other.world) == cn_world_hash(plain.world));
    cn_world_destroy(other.world);
    cn_world_destroy(copy);
    cn_world_destroy(plain.world);
    cn_task_pool_destroy(pool);
}

// A mass that changes while the world runs may make a tree of what was swept.
static void a_heavier_ball_makes_a_tree(void) {
    Chain chain = create_chain(cn_vec3(0.0, 0.0, -1.0), 10.0, 100.0, NULL);
    run_steps(chain.world, DT, 10);
    CnMassProperties mass;
    cn_body_mass_properties(chain.world, chain.ball, &mass);
    mass.mass = 1000.0;
    CHECK_INT(cn_body_set_mass(chain.world, chain.ball, &mass, NULL), CN_OK);
    run_steps(chain.world, DT, 120);
    CHECK_NEAR(run_state(chain.world, chain.ball).center.z, -0.5 * LINKS - 0.5, 1e-3);
    cn_world_destroy(chain.world);
}

TEST_MAIN("physics/joints/soft_trees",
          TEST(a_light_chain_holds_a_heavy_ball_and_never_gains_energy),
          TEST(joints_carry_the_weights_below_them), TEST(trees_and_sweeps_agree_where_both_hold),
          TEST(trees_are_the_same_for_workers_and_after_loading), TEST(a_heavier_ball_makes_a_tree))
