// test_end_slopes.c - how forces at the end of a step change with where it ends.
#include "world/schemes/end_slopes.h"

#include "cairn/joint.h"
#include "support/run.h"
#include "world/schemes/implicit.h"
#include "world/trees/compact_rows.h"

static const CnVec3 zero = {0.0, 0.0, 0.0};

static const CnVec3 arm_a = {0.4, -0.1, 0.2}, arm_b = {-0.3, 0.2, 0.5};
static const CnVec3 pull = {3.0, 1.0, 2.0}; // of the joint on B [N s]

// Two turned bodies at rest with a ball joint between them, whose rows a step has posed.
static CnWorld* build(CnBodyId* a, CnBodyId* b) {
    CnWorldDef def = cn_world_def_default();
    def.gravity = zero;
    CnWorld* world = run_create(&def);
    CnBodyDef one = run_body(1.0, cn_vec3(0.2, 0.3, 0.4), zero);
    one.rotation = cn_quat_exp(cn_vec3(0.3, -0.5, 0.8));
    *a = run_add(world, &one);
    CnBodyDef other = run_body(2.0, cn_vec3(0.4, 0.3, 0.2), cn_vec3_sub(arm_a, arm_b));
    other.rotation = cn_quat_exp(cn_vec3(-0.2, 0.7, 0.1));
    *b = run_add(world, &other);
    CnJointDef joint = cn_joint_def_default(CN_JOINT_BALL);
    joint.body_a = *a;
    joint.body_b = *b;
    joint.point_a = arm_a;
    CHECK(cn_world_add_joint(world, &joint, NULL).index != 0);
    run_step(world, 1e-3);
    return world;
}

// Gives the joint's rows, which are orthonormal, impulses that pull B by `pull`.
static void set_impulses(CnWorld* world) {
    CnRows* rows = &world->step.rows;
    cn_rows_write_all(rows);
    for (int row = 0; row < rows->row_count; ++row) {
        const double* j = rows->jacobian_b[row];
        rows->impulse[row] = cn_vec3_dot(cn_vec3(j[0], j[1], j[2]), pull);
    }
}

// d/dturn of (turn x r) x f is r f^T - (r . f): its symmetric part, with the sign of a stiffness.
static double expected(CnVec3 r, CnVec3 f, int i, int k) {
    const double arm[3] = {r.x, r.y, r.z}, force[3] = {f.x, f.y, f.z};
    double even = 0.5 * (arm[i] * force[k] + arm[k] * force[i]);
    return (i == k ? cn_vec3_dot(r, f) : 0.0) - even;
}

static double difference(const CnMat3* found, CnVec3 r, CnVec3 f) {
    double values[3], worst = 0.0;
    CnMat3 exact, vectors;
    for (int i = 0; i < 9; ++i) {
        exact.m[i / 3][i % 3] = expected(r, f, i / 3, i % 3);
    }
    cn_mat3_eigen_symmetric(&exact, values, &vectors);
    for (int i = 0; i < 9; ++i) { // only what resists counts
        double part = 0.0;
        for (int e = 0; e < 3; ++e) {
            part += fmax(values[e], 0.0) * vectors.m[i / 3][e] * vectors.m[i % 3][e];
        }
        worst = fmax(worst, fabs(part - found->m[i / 3][i % 3]));
    }
    return worst;
}

// The rows of a ball joint are written in A's axes, with both arms to B's point; what resists is
// that of a force of constant direction at a point of each body all the same. Central differences
// of 1e-5 leave 1e-10 of 4 N s times half a metre.
static void a_joint_resists_like_a_force_at_its_point(void) {
    CnBodyId a, b;
    CnWorld* world = build(&a, &b);
    CnBodyState states[2] = {run_state(world, a), run_state(world, b)};
    CnMat3 stiffness[2];
    set_impulses(world);
    cn_world_turning_stiffness(world, states, 0.0, stiffness);
    CHECK(difference(&stiffness[0], arm_a, cn_vec3_negate(pull)) < 1e-8);
    CHECK(difference(&stiffness[1], arm_b, pull) < 1e-8);
    cn_world_destroy(world);
}

// Drag c at the centre of mass resists with c, and a load that does not look with nothing.
static void drag_resists_with_its_coefficient(void) {
    CnWorldDef def = cn_world_def_default();
    CnWorld* world = run_create(&def);
    CnBodyDef body = run_body(1.0, cn_vec3(0.2, 0.3, 0.4), zero);
    CnForceDef drag = cn_force_def_default(), push = cn_force_def_default();
    drag.body = run_add(world, &body);
    drag.drag = 7.0;
    push.body = run_add(world, &body);
    push.force = cn_vec3(1.0, 0.0, 0.0);
    CHECK(cn_world_add_force(world, &drag, NULL).index != 0);
    CHECK(cn_world_add_force(world, &push, NULL).index != 0);
    CnBodyState states[2] = {run_state(world, drag.body), run_state(world, push.body)};
    CnBodyState scratch_states[2];
    CnLoad loads[2], scratch_loads[2];
    CnResistance resistance[2];
    cn_world_loads(world, states, 0.0, loads);
    cn_world_resistance(world, states, 0.0, loads, scratch_states, scratch_loads, resistance);
    CHECK_NEAR(resistance[0].linear, 7.0, 1e-9); // a difference of 7e-5 N
    CHECK_NEAR(resistance[0].angular, 0.0, 1e-9);
    CHECK_NEAR(resistance[1].linear, 0.0, 0.0);
    cn_world_destroy(world);
}

// About one axis alone, so large that 1 + h S = h S there: what has no inverse would stop the body
// from turning about the other two.
static void a_stiffness_that_hides_the_inertia_is_left_out(void) {
    CnWorldDef def = cn_world_def_default();
    CnWorld* world = run_create(&def);
    CnBodyDef body = run_body(1.0, cn_vec3(0.2, 0.3, 0.4), zero);
    CnBodyState state = run_state(world, run_add(world, &body));
    run_step(world, 1e-3);
    CnMat3 stiffness = {0}, inverse;
    CnResistance resistance = {0.0, 0.0};
    CnNewton newton = {
        .world = world, .states = &state, .stiffness = &stiffness, .resistance = &resistance};
    for (int i = 0; i < 9; ++i) { // along (1, 1, 1)
        stiffness.m[i / 3][i % 3] = 1e24;
    }
    CnMat3 inertia = cn_newton_inertia(&newton, 0);
    CHECK(cn_mat3_invert(&inertia, &inverse));
    CHECK_NEAR(inertia.m[0][0], 0.2, 1e-15);
    CHECK_NEAR(inertia.m[2][2], 0.4, 1e-15);
    cn_world_destroy(world);
}

TEST_MAIN("unit/world/schemes/end_slopes", TEST(a_joint_resists_like_a_force_at_its_point),
          TEST(drag_resists_with_its_coefficient),
          TEST(a_stiffness_that_hides_the_inertia_is_left_out))
