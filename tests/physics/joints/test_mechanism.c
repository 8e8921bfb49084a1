// test_mechanism.c - joint coordinates, mass matrix, dynamics and Jacobians of trees of joints.
#include "cairn/diagnostics.h"
#include "cairn/mechanism.h"
#include "cairn/random.h"
#include "support/run.h"

#include <string.h>

#define MOST 64 // coordinates

static CnMechanism* mechanism_of(const CnWorld* world, CnBodyId body) {
    CnError error = {0};
    CnMechanism* mechanism = cn_mechanism_create(world, body, &error);
    ck_assert_msg(mechanism != NULL, "%s", error.message);
    CHECK(cn_mechanism_coordinate_count(mechanism) <= MOST);
    return mechanism;
}

#define MUST(call)                                                                                 \
    do {                                                                                           \
        CnError error = {0};                                                                       \
        ck_assert_msg((call) == CN_OK, "%s", error.message);                                       \
    } while (0)

static CnBodyId add_joined(CnWorld* world, CnJointType type, CnBodyId before, CnVec3 point,
                           CnVec3 axis, CnVec3 place, double mass) {
    CnBodyDef def = run_body(mass, cn_vec3(0.02 * mass, 0.03 * mass, 0.025 * mass), place);
    CnJointDef joint = cn_joint_def_default(type);
    def.rotation = cn_quat_exp(cn_vec3(0.3, -0.2, 0.1));
    joint.body_a = before;
    joint.body_b = run_add(world, &def);
    joint.point_a = point;
    joint.axis = axis;
    joint.axis_b = cn_vec3_normalize(cn_vec3_cross(axis, cn_vec3(0.3, 0.5, 0.8)));
    CHECK(cn_world_add_joint(world, &joint, NULL).index != 0);
    return joint.body_b;
}

// Joints of all types with coordinates that are angles and lengths, one after the other, and a
// branch; the world is the base. 14 coordinates.
static CnWorld* make_tree(CnBodyId* last) {
    static const CnJointType types[] = {CN_JOINT_HINGE,       CN_JOINT_SLIDER, CN_JOINT_UNIVERSAL,
                                        CN_JOINT_CYLINDRICAL, CN_JOINT_BALL,   CN_JOINT_PLANAR,
                                        CN_JOINT_SCREW,       CN_JOINT_WELD};
    CnWorldDef def = cn_world_def_default();
    CnWorld* world = run_create(&def);
    CnRandom random = {7};
    CnBodyId before = {0}, branch = {0};
    CnVec3 at = {0.0, 0.0, 0.0};
    for (size_t i = 0; i < sizeof types / sizeof types[0]; ++i) {
        double x = cn_random_between(&random, -1.0, 1.0);
        double y = cn_random_between(&random, -1.0, 1.0);
        double z = cn_random_between(&random, 0.2, 1.0);
        CnVec3 axis = cn_vec3_normalize(cn_vec3(x, y, z));
        CnVec3 place = cn_vec3_add(at, cn_vec3(0.3, cn_random_between(&random, -0.2, 0.2), 0.1));
        before = add_joined(world, types[i], before, at, axis, place, 2.0 - 0.1 * (double)i);
        branch = i == 1 ? before : branch;
        at = cn_vec3_add(at, cn_vec3(0.5, 0.1, 0.0));
    }
    add_joined(world, CN_JOINT_HINGE, branch, cn_vec3(0.6, 0.4, 0.0), cn_vec3(0.0, 1.0, 0.0),
               cn_vec3(0.7, 0.5, 0.2), 1.5);
    *last = before;
    return world;
}

static void random_coordinates(CnRandom* random, int n, double size, double* values) {
    for (int i = 0; i < n; ++i) {
        values[i] = cn_random_between(random, -size, size);
    }
}

static double kinetic_energy(const CnWorld* world) {
    CnEnergyParts parts = cn_world_energy_parts(world);
    return parts.linear + parts.angular;
}

// ---- coordinates ----

static void coordinates_come_from_the_base_outwards(void) {
    CnBodyId last;
    CnWorld* world = make_tree(&last);
    CnMechanism* tree = mechanism_of(world, last);
    CHECK_INT(cn_mechanism_coordinate_count(tree), 1 + 1 + 2 + 2 + 3 + 3 + 1 + 0 + 1);
    CHECK_INT(cn_mechanism_body_count(tree), 9);
    CHECK_INT(cn_mechanism_loop_count(tree), 0);
    CHECK_INT(cn_mechanism_coordinate(tree, 0).axis, CN_AXIS_TURN_Z);
    CHECK_INT(cn_mechanism_coordinate(tree, 1).axis, CN_AXIS_Z);
    CHECK_INT(cn_mechanism_body(tree, 0).index, cn_world_body_at(world, 0).index);
    CHECK_INT(cn_mechanism_body(tree, 9).index, 0);
    CHECK_INT(cn_mechanism_coordinate(tree, -1).joint.index, 0);
    cn_mechanism_destroy(tree);
    cn_mechanism_destroy(NULL);
    cn_world_destroy(world);
}

// Newton goes on to round-off of lengths and angles of order one; bodies are eight joints away.
static void what_is_written_is_read(void) {
    CnBodyId last;
    CnWorld* world = make_tree(&last);
    CnMechanism* tree = mechanism_of(world, last);
    CnRandom random = {11};
    int n = cn_mechanism_coordinate_count(tree);
    for (int trial = 0; trial < 20; ++trial) {
        double q[MOST], qd[MOST], q_read[MOST], qd_read[MOST];
        random_coordinates(&random, n, 1.2, q);
        random_coordinates(&random, n, 3.0, qd);
        q[0] += 2.0 * CN_PI * (trial % 3 - 1); // the hinge winds
        MUST(cn_mechanism_write(tree, world, q, qd, &error));
        MUST(cn_mechanism_read(tree, world, q_read, qd_read, &error));
        for (int i = 0; i < n; ++i) {
            CHECK_NEAR(q_read[i], q[i], 1e-12);
            CHECK_NEAR(qd_read[i], qd[i], 1e-11); // velocities add up along the chain
        }
        for (int i = 0; i < cn_world_joint_count(world); ++i) {
            CnJointState state;
            cn_joint_read(world, cn_world_joint_at(world, i), &state);
            CHECK(state.error < 1e-12 && state.angle_error < 1e-12);
        }
    }
    cn_mechanism_destroy(tree);
    cn_world_destroy(world);
}

// A wheel at 20 rad/s: its angle passes pi many times and goes on as 20 t.
static void angles_count_on(void) {
    CnWorldDef def = cn_world_def_default();
    CnWorld* world = run_create(&def);
    CnBodyId wheel = add_joined(world, CN_JOINT_HINGE, (CnBodyId){0}, cn_vec3(0.0, 0.0, 0.0),
                                cn_vec3(0.0, 0.0, 1.0), cn_vec3(0.0, 0.0, 0.0), 1.0);
    CnMechanism* mechanism = mechanism_of(world, wheel);
    double q = 7.0, qd = 20.0, before;
    MUST(cn_mechanism_write(mechanism, world, &q, &qd, &error));
    before = q;
    for (int i = 0; i < 100; ++i) {
        run_step(world, 0.01);
        MUST(cn_mechanism_read(mechanism, world, &q, &qd, &error));
        CHECK_NEAR(q - before, 0.2, 0.02); // the inertia about z is not constant: 0.3 rad askew
        before = q;
    }
    CHECK(q > 20.0);
    cn_mechanism_destroy(mechanism);
    cn_world_destroy(world);
}

static void a_floating_tree_has_six_more(void) {
    CnWorldDef def = cn_world_def_default();
    CnWorld* world = run_create(&def);
    CnBodyDef body = run_body(2.0, cn_vec3(0.1, 0.2, 0.3), cn_vec3(1.0, 2.0, 3.0));
    CnBodyId trunk = run_add(world, &body);
    CnBodyId arm = add_joined(world, CN_JOINT_HINGE, trunk, cn_vec3(1.2, 2.0, 3.0),
                              cn_vec3(0.0, 1.0, 0.0), cn_vec3(1.5, 2.0, 3.0), 1.0);
    CnMechanism* mechanism = mechanism_of(world, arm);
    double q[7], qd[7], tau[7] = {0.0}, qdd[7];
    CHECK_INT(cn_mechanism_coordinate_count(mechanism), 7);
    MUST(cn_mechanism_read(mechanism, world, q, qd, &error));
    CHECK_NEAR(q[0], 1.0, 0.0);
    CHECK_NEAR(q[2], 3.0, 0.0);
    MUST(cn_mechanism_forward_dynamics(mechanism, world, tau, qdd, &error));
    for (int i = 0; i < 7; ++i) { // all of it falls
        CHECK_NEAR(qdd[i], i == 2 ? -9.81 : 0.0, 1e-12);
    }
    q[3] = 0.4;
    MUST(cn_mechanism_write(mechanism, world, q, qd, &error));
    MUST(cn_mechanism_read(mechanism, world, q, qd, &error));
    CHECK_NEAR(q[3], 0.4, 1e-15);
    cn_mechanism_destroy(mechanism);
    cn_world_destroy(world);
}

static void a_loop_that_would_not_close_is_refused(void) {
    CnWorld* world = run_open("@stewart");
    CnMechanism* mechanism = mechanism_of(world, cn_world_find_body(world, "platform 0"));
    double q[MOST];
    CnError refusal = {0};
    CHECK_INT(cn_mechanism_loop_count(mechanism), 5);
    MUST(cn_mechanism_read(mechanism, world, q, NULL, &error));
    MUST(cn_mechanism_write(mechanism, world, q, NULL, &error));
    uint64_t hash = cn_world_hash(world);
    q[cn_mechanism_coordinate_count(mechanism) - 1] += 0.01;
    CHECK_INT(cn_mechanism_write(mechanism, world, q, NULL, &refusal), CN_INVALID);
    CHECK_CONTAINS(refusal.message, "closes a loop and would be off by");
    CHECK(cn_world_hash(world) == hash);
    cn_mechanism_destroy(mechanism);
    cn_world_destroy(world);
}

// ---- dynamics ----

// T(e_i + e_j) - T(e_i) - T(e_j) = M_ij, exactly.
static void the_mass_matrix_is_that_of_the_kinetic_energy(void) {
    const char* const scenes[] = {NULL, "@robot:2"}; // the second: a trunk on a pin
    for (int s = 0; s < 2; ++s) {
        CnBodyId last;
        CnWorld* world = s == 0 ? make_tree(&last) : run_open(scenes[s]);
        last = s == 0 ? last : cn_world_find_body(world, "limb 1 part 5");
        CnMechanism* tree = mechanism_of(world, last);
        CnRandom random = {13};
        int n = cn_mechanism_coordinate_count(tree);
        double q[MOST], matrix[MOST * MOST], alone[MOST];
        random_coordinates(&random, n, 0.8, q);
        MUST(cn_mechanism_write(tree, world, q, NULL, &error));
        MUST(cn_mechanism_mass_matrix(tree, world, matrix, &error));
        for (int i = 0; i < n; ++i) {
            double qd[MOST] = {0.0};
            qd[i] = 1.0;
            MUST(cn_mechanism_write(tree, world, q, qd, &error));
            alone[i] = kinetic_energy(world);
            CHECK_NEAR(matrix[i * n + i], 2.0 * alone[i], 1e-12 * (1.0 + alone[i]));
            for (int j = 0; j < i; ++j) {
                qd[j] = 1.0;
                MUST(cn_mechanism_write(tree, world, q, qd, &error));
                double both = kinetic_energy(world);
                CHECK_NEAR(matrix[i * n + j], both - alone[i] - alone[j], 1e-11 * (1.0 + both));
                CHECK(matrix[i * n + j] == matrix[j * n + i]);
                qd[j] = 0.0;
            }
        }
        cn_mechanism_destroy(tree);
        cn_world_destroy(world);
    }
}

static void inverse_dynamics_undoes_forward_dynamics(void) {
    CnBodyId last;
    CnWorld* world = make_tree(&last);
    CnMechanism* tree = mechanism_of(world, last);
    CnRandom random = {17};
    int n = cn_mechanism_coordinate_count(tree);
    for (int trial = 0; trial < 10; ++trial) {
        double q[MOST], qd[MOST], tau[MOST], qdd[MOST], again[MOST], bias[MOST];
        double matrix[MOST * MOST];
        random_coordinates(&random, n, 0.8, q);
        random_coordinates(&random, n, 2.0, qd);
        random_coordinates(&random, n, 5.0, tau);
        MUST(cn_mechanism_write(tree, world, q, qd, &error));
        MUST(cn_mechanism_forward_dynamics(tree, world, tau, qdd, &error));
        MUST(cn_mechanism_inverse_dynamics(tree, world, qdd, again, &error));
        MUST(cn_mechanism_bias(tree, world, bias, &error));
        MUST(cn_mechanism_mass_matrix(tree, world, matrix, &error));
        for (int i = 0; i < n; ++i) {
            double sum = bias[i], size = fabs(bias[i]);
            for (int j = 0; j < n; ++j) {
                sum += matrix[i * n + j] * qdd[j];
                size += fabs(matrix[i * n + j] * qdd[j]);
            }
            CHECK_NEAR(again[i], tau[i], 1e-10);
            CHECK_NEAR(sum, tau[i], 1e-12 * (1.0 + size));
        }
    }
    cn_mechanism_destroy(tree);
    cn_world_destroy(world);
}

static double potential_energy(const CnWorld* world) {
    return cn_world_energy_parts(world).potential;
}

// h_k = sum (dM_kj/dq_i - dM_ij/dq_k / 2) qd_i qd_j + dV/dq_k, Lagrange's equations, by central
// differences over 1e-4: truncation 1e-8 of third derivatives of order 100.
static void the_bias_is_that_of_lagrange(void) {
    enum { N = 14 };
    const double step = 1e-4;
    static double up[N][N * N], down[N][N * N];
    CnBodyId last;
    CnWorld* world = make_tree(&last);
    CnMechanism* tree = mechanism_of(world, last);
    CnRandom random = {19};
    double q[N], qd[N], bias[N], slope[N];
    CHECK_INT(cn_mechanism_coordinate_count(tree), N);
    random_coordinates(&random, N, 0.7, q);
    random_coordinates(&random, N, 1.0, qd);
    for (int i = 0; i < N; ++i) {
        double moved[N], high;
        memcpy(moved, q, sizeof moved);
        moved[i] = q[i] + step;
        MUST(cn_mechanism_write(tree, world, moved, NULL, &error));
        MUST(cn_mechanism_mass_matrix(tree, world, up[i], &error));
        high = potential_energy(world);
        moved[i] = q[i] - step;
        MUST(cn_mechanism_write(tree, world, moved, NULL, &error));
        MUST(cn_mechanism_mass_matrix(tree, world, down[i], &error));
        slope[i] = (high - potential_energy(world)) / (2.0 * step);
    }
    MUST(cn_mechanism_write(tree, world, q, qd, &error));
    MUST(cn_mechanism_bias(tree, world, bias, &error));
    for (int k = 0; k < N; ++k) {
        double h = slope[k];
        for (int i = 0; i < N; ++i) {
            for (int j = 0; j < N; ++j) {
                double along = up[i][k * N + j] - down[i][k * N + j];
                double across = up[k][i * N + j] - down[k][i * N + j];
                h += (along - 0.5 * across) / (2.0 * step) * qd[i] * qd[j];
            }
        }
        CHECK_NEAR(bias[k], h, 1e-6 * (1.0 + fabs(h)));
    }
    cn_mechanism_destroy(tree);
    cn_world_destroy(world);
}

typedef struct Pendulum {
    CnWorld* world;
    CnMechanism* mechanism;
} Pendulum;

// Two rods on hinges about y, hanging: lengths 1 and any, centres at 0.5 and 0.4 below the hinges.
static Pendulum make_pendulum(void) {
    const CnVec3 y = {0.0, 1.0, 0.0};
    CnWorldDef def = cn_world_def_default();
    Pendulum pendulum = {.world = run_create(&def)};
    CnBodyDef rods[2] = {run_body(2.0, cn_vec3(0.1, 0.1, 0.1), cn_vec3(0.0, 0.0, -0.5)),
                         run_body(1.0, cn_vec3(0.05, 0.05, 0.05), cn_vec3(0.0, 0.0, -1.4))};
    CnBodyId before = {0};
    for (int i = 0; i < 2; ++i) {
        CnJointDef joint = cn_joint_def_default(CN_JOINT_HINGE);
        joint.name = i == 0 ? "shoulder" : "elbow";
        joint.body_a = before;
        joint.body_b = before = run_add(pendulum.world, &rods[i]);
        joint.point_a = cn_vec3(0.0, 0.0, -i);
        joint.axis = y;
        CHECK(cn_world_add_joint(pendulum.world, &joint, NULL).index != 0);
    }
    pendulum.mechanism = mechanism_of(pendulum.world, before);
    return pendulum;
}

static void end_pendulum(Pendulum* pendulum) {
    cn_mechanism_destroy(pendulum->mechanism);
    cn_world_destroy(pendulum->world);
}

// The textbook's matrix and forces. Differences along the motion leave 1e-11.
static void a_double_pendulum_is_as_in_the_textbook(void) {
    Pendulum pendulum = make_pendulum();
    const double m1 = 2.0, m2 = 1.0, c1 = 0.5, c2 = 0.4, l1 = 1.0, i1 = 0.1, i2 = 0.05, g = 9.81;
    const double q[2] = {0.7, -1.1}, qd[2] = {1.3, -0.8};
    double matrix[4], bias[2], c = cos(q[1]), s = sin(q[1]);
    MUST(cn_mechanism_write(pendulum.mechanism, pendulum.world, q, qd, &error));
    MUST(cn_mechanism_mass_matrix(pendulum.mechanism, pendulum.world, matrix, &error));
    MUST(cn_mechanism_bias(pendulum.mechanism, pendulum.world, bias, &error));
    CHECK_NEAR(matrix[0], i1 + i2 + m1 * c1 * c1 + m2 * (l1 * l1 + c2 * c2 + 2.0 * l1 * c2 * c),
               1e-13);
    CHECK_NEAR(matrix[1], i2 + m2 * (c2 * c2 + l1 * c2 * c), 1e-13);
    CHECK_NEAR(matrix[3], i2 + m2 * c2 * c2, 1e-13);
    double weight2 = m2 * g * c2 * sin(q[0] + q[1]);
    double weight1 = (m1 * c1 + m2 * l1) * g * sin(q[0]) + weight2;
    CHECK_NEAR(bias[0], weight1 - m2 * l1 * c2 * s * (2.0 * qd[0] * qd[1] + qd[1] * qd[1]), 1e-9);
    CHECK_NEAR(bias[1], weight2 + m2 * l1 * c2 * s * qd[0] * qd[0], 1e-9);
    end_pendulum(&pendulum);
}

// Over a step of 1e-5 s the rates change by the accelerations asked for, to first order.
static void forces_applied_to_axes_give_the_accelerations_asked_for(void) {
    Pendulum pendulum = make_pendulum();
    const double q[2] = {0.4, 0.9}, qd[2] = {0.5, -1.0}, wanted[2] = {3.0, -2.0}, dt = 1e-5;
    double tau[2], after[2];
    CnJointId elbow = cn_world_find_joint(pendulum.world, "elbow");
    MUST(cn_mechanism_write(pendulum.mechanism, pendulum.world, q, qd, &error));
    MUST(cn_mechanism_inverse_dynamics(pendulum.mechanism, pendulum.world, wanted, tau, &error));
    tau[1] -= 0.25;
    MUST(cn_mechanism_apply(pendulum.mechanism, pendulum.world, tau, &error));
    MUST(cn_joint_apply_force(pendulum.world, elbow, CN_AXIS_TURN_Z, 0.25, &error));
    run_step(pendulum.world, dt);
    MUST(cn_mechanism_read(pendulum.mechanism, pendulum.world, NULL, after, &error));
    for (int i = 0; i < 2; ++i) {
        CHECK_NEAR((after[i] - qd[i]) / dt, wanted[i], 1e-3); // dt times a change of 100 /s
    }
    end_pendulum(&pendulum);
}

// Central differences over 1e-5: truncation 1e-10, round-off 1e-11.
static void the_jacobian_is_the_derivative_of_a_point(void) {
    const double step = 1e-5;
    CnBodyId last;
    CnWorld* world = make_tree(&last);
    CnMechanism* tree = mechanism_of(world, last);
    CnRandom random = {23};
    int n = cn_mechanism_coordinate_count(tree);
    double q[MOST], jacobian[6 * MOST];
    const CnVec3 local = {0.1, -0.2, 0.3}; // in body axes, from the centre
    random_coordinates(&random, n, 0.8, q);
    MUST(cn_mechanism_write(tree, world, q, NULL, &error));
    CnBodyState state = run_state(world, last);
    CnVec3 point = cn_vec3_add(state.center, cn_quat_rotate(state.rotation, local));
    MUST(cn_mechanism_jacobian(tree, world, last, point, jacobian, &error));
    for (int j = 0; j < n; ++j) {
        CnVec3 ends[2];
        CnQuat turns[2];
        for (int side = 0; side < 2; ++side) {
            double moved[MOST];
            memcpy(moved, q, sizeof moved);
            moved[j] += side == 0 ? step : -step;
            MUST(cn_mechanism_write(tree, world, moved, NULL, &error));
            state = run_state(world, last);
            ends[side] = cn_vec3_add(state.center, cn_quat_rotate(state.rotation, local));
            turns[side] = state.rotation;
        }
        CnVec3 v = cn_vec3_scale(0.5 / step, cn_vec3_sub(ends[0], ends[1]));
        CnVec3 w = cn_vec3_scale(
            0.5 / step, cn_quat_log(cn_quat_multiply(turns[0], cn_quat_conjugate(turns[1]))));
        const double column[6] = {v.x, v.y, v.z, w.x, w.y, w.z};
        for (int i = 0; i < 6; ++i) {
            CHECK_NEAR(jacobian[i * n + j], column[i], 1e-9);
        }
    }
    cn_mechanism_destroy(tree);
    cn_world_destroy(world);
}

// ---- misuse ----

static void misuse_is_told(void) {
    Pendulum pendulum = make_pendulum();
    CnWorld* world = pendulum.world;
    double q[2] = {0.0, NAN}, jacobian[12];
    CnError error = {0};
    CHECK(cn_mechanism_create(world, (CnBodyId){0}, &error) == NULL);
    CHECK_INT(error.status, CN_STALE);
    CHECK_INT(cn_mechanism_write(pendulum.mechanism, world, q, NULL, &error), CN_INVALID);
    CHECK_STRING(error.message, "q[1] is nan; it must be a finite number");
    CnBodyDef other = run_body(1.0, cn_vec3(1.0, 1.0, 1.0), cn_vec3(0.0, 0.0, 0.0));
    CHECK_INT(cn_mechanism_jacobian(pendulum.mechanism, world, run_add(world, &other),
                                    cn_vec3(0.0, 0.0, 0.0), jacobian, &error),
              CN_INVALID);
    CHECK_CONTAINS(error.message, "not part of the mechanism");
    CnJointId elbow = cn_world_find_joint(world, "elbow");
    CHECK_INT(cn_joint_apply_force(world, elbow, CN_AXIS_X, 1.0, &error), CN_INVALID);
    CHECK_STRING(error.message, "axis x of joint \"elbow\" is not free");
    CHECK_INT(cn_joint_apply_force(world, elbow, CN_AXIS_TURN_Z, INFINITY, &error), CN_INVALID);
    cn_world_remove_joint(world, elbow);
    CHECK_INT(cn_mechanism_read(pendulum.mechanism, world, q, NULL, &error), CN_STALE);
    CHECK_CONTAINS(error.message, "was removed, disabled or broken");
    end_pendulum(&pendulum);
}

TEST_MAIN("physics/joints/mechanism", TEST(coordinates_come_from_the_base_outwards),
          TEST(what_is_written_is_read), TEST(angles_count_on), TEST(a_floating_tree_has_six_more),
          TEST(a_loop_that_would_not_close_is_refused),
          TEST(the_mass_matrix_is_that_of_the_kinetic_energy),
          TEST(inverse_dynamics_undoes_forward_dynamics), TEST(the_bias_is_that_of_lagrange),
          TEST(a_double_pendulum_is_as_in_the_textbook),
          TEST(forces_applied_to_axes_give_the_accelerations_asked_for),
          TEST(the_jacobian_is_the_derivative_of_a_point), TEST(misuse_is_told))
