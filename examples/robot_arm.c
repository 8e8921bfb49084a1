// robot_arm.c - an arm of three hinges: place it, look at it, and drive it by computed torques.
#include <cairn/cairn.h>
#include <math.h>
#include <stdio.h>

enum { JOINTS = 3 };

// Rods of 0.5 m, one above the other. Returns the last.
static CnBodyId add_arm(CnWorld* world, CnError* error) {
    static const CnVec3 axes[JOINTS] = {{0.0, 0.0, 1.0}, {0.0, 1.0, 0.0}, {0.0, 1.0, 0.0}};
    CnShapeDef rod = cn_shape_def_default(CN_SHAPE_CAPSULE);
    CnBodyId part = {0}; // the first hinge is on the world
    rod.radius = 0.05;
    rod.length = 0.4;
    for (int i = 0; i < JOINTS; ++i) {
        CnBodyDef body = cn_body_def_default();
        CnJointDef hinge = cn_joint_def_default(CN_JOINT_HINGE);
        body.position = cn_vec3(0.0, 0.0, 0.25 + 0.5 * i);
        body.shapes = &rod;
        body.shape_count = 1;
        hinge.body_a = part;
        hinge.body_b = part = cn_world_add_body(world, &body, error);
        hinge.point_a = cn_vec3(0.0, 0.0, 0.5 * i);
        hinge.axis = axes[i];
        cn_world_add_joint(world, &hinge, error);
    }
    return part;
}

// Where the arm is wanted: a smooth way from here to there in one second.
static void wanted_at(double time, double q[JOINTS], double qd[JOINTS], double qdd[JOINTS]) {
    static const double from[JOINTS] = {0.0, 0.5, 0.5}, way[JOINTS] = {1.5, 0.4, -1.2};
    for (int i = 0; i < JOINTS; ++i) {
        q[i] = from[i] + way[i] * 0.5 * (1.0 - cos(CN_PI * time));
        qd[i] = way[i] * 0.5 * CN_PI * sin(CN_PI * time);
        qdd[i] = way[i] * 0.5 * CN_PI * CN_PI * cos(CN_PI * time);
    }
}

// Torques that the wanted motion needs, and a little more where the arm has fallen behind.
static CnStatus drive(CnMechanism* arm, CnWorld* world, double time, CnError* error) {
    double q[JOINTS], qd[JOINTS], wanted[JOINTS], rate[JOINTS], acceleration[JOINTS], tau[JOINTS];
    wanted_at(time, wanted, rate, acceleration);
    CnStatus status = cn_mechanism_read(arm, world, q, qd, error);
    for (int i = 0; i < JOINTS; ++i) {
        acceleration[i] += 400.0 * (wanted[i] - q[i]) + 40.0 * (rate[i] - qd[i]);
    }
    if (status == CN_OK) {
        status = cn_mechanism_inverse_dynamics(arm, world, acceleration, tau, error);
    }
    return status == CN_OK ? cn_mechanism_apply(arm, world, tau, error) : status;
}

static double largest_error(CnMechanism* arm, const CnWorld* world, double time) {
    double q[JOINTS], wanted[JOINTS], rate[JOINTS], acceleration[JOINTS], worst = 0.0;
    wanted_at(time, wanted, rate, acceleration);
    cn_mechanism_read(arm, world, q, NULL, NULL);
    for (int i = 0; i < JOINTS; ++i) {
        worst = fmax(worst, fabs(q[i] - wanted[i]));
    }
    return worst;
}

int main(void) {
    CnError error = {0};
    CnWorldDef def = cn_world_def_default();
    CnWorld* world = cn_world_create(&def, &error);
    CnBodyId hand = world == NULL ? (CnBodyId){0} : add_arm(world, &error);
    CnMechanism* arm = world == NULL ? NULL : cn_mechanism_create(world, hand, &error);
    if (arm == NULL) {
        fprintf(stderr, "%s\n", error.message);
        cn_world_destroy(world);
        return 1;
    }
    double q[JOINTS], qd[JOINTS], unused[JOINTS], jacobian[6 * JOINTS], worst = 0.0;
    wanted_at(0.0, q, qd, unused);
    CnStatus status = cn_mechanism_write(arm, world, q, qd, &error);

    CnBodyState state;
    cn_body_state(world, hand, &state);
    cn_mechanism_jacobian(arm, world, hand, state.center, jacobian, &error);
    printf("the hand rises by %.3f m per radian of the last hinge\n", jacobian[2 * JOINTS + 2]);

    for (int step = 0; status == CN_OK && step < 1000; ++step) {
        status = drive(arm, world, 1e-3 * step, &error);
        if (status == CN_OK) {
            status = cn_world_step(world, 1e-3, NULL, &error);
        }
        worst = fmax(worst, largest_error(arm, world, 1e-3 * (step + 1)));
    }
    printf("%s: never more than %.1e rad off\n", status == CN_OK ? "done" : error.message, worst);
    cn_mechanism_destroy(arm);
    cn_world_destroy(world);
    return status == CN_OK && worst < 0.01 ? 0 : 1;
}
