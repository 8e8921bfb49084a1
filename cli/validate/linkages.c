// linkages.c - bars, loops, chains and rows of balls on joints.
#include "validate/trial.h"

#include <stdio.h>

static const CnVec3 along_y = {0.0, 1.0, 0.0};

// Where projection leaves positions [m].
#define POSITION_TOLERANCE 1e-11

// A uniform rod of 1 kg between two points; its moment about itself is that of a thin one.
static CnBodyDef rod_def(const char* name, CnVec3 from, CnVec3 to) {
    CnVec3 along = cn_vec3_sub(to, from), z = {0.0, 0.0, 1.0};
    double length = cn_vec3_length(along), moment = length * length / 12.0;
    CnBodyDef def = trial_body_def(name, 1.0, cn_vec3(moment, moment, 1e-3),
                                   cn_vec3_scale(0.5, cn_vec3_add(from, to)));
    CnVec3 turn = cn_vec3_cross(z, cn_vec3_normalize(along));
    double sine = cn_vec3_length(turn);
    if (sine > 0.0) {
        def.rotation = cn_quat_from_axis_angle(cn_vec3_normalize(turn),
                                               cn_atan2(sine, cn_vec3_dot(z, along) / length));
    }
    return def;
}

static void join(Trial* trial, CnJointType type, CnBodyId a, CnBodyId b, CnVec3 point,
                 CnVec3 axis) {
    CnJointDef def = cn_joint_def_default(type);
    def.body_a = a;
    def.body_b = b;
    def.point_a = point;
    def.axis = axis;
    trial_add_joint(trial, &def);
}

// -- Two bars of 1 m on ball joints, released level, g = 10.

static void build_articulated(Trial* trial) {
    CnVec3 points[3] = {{0.0, 0.0, 0.0}, {1.0, 0.0, 0.0}, {2.0, 0.0, 0.0}};
    CnBodyDef upper = rod_def("upper", points[0], points[1]);
    CnBodyDef lower = rod_def("lower", points[1], points[2]);
    CnBodyId world = {0}, a = trial_add_body(trial, &upper), b = trial_add_body(trial, &lower);
    join(trial, CN_JOINT_BALL, world, a, points[0], along_y);
    join(trial, CN_JOINT_BALL, a, b, points[1], along_y);
}

static double articulated_energy(Trial* trial, double dt) {
    trial->settings.dt = dt;
    trial_start(trial);
    trial_run(trial, 10.0);
    return trial->failed ? 0.0 : cn_world_energy(trial->world);
}

// Energy is that of the release, 0. Of the 30 J that the bars fall by, moreau may lose a ten
// thousandth at this step, and rk4 a thousandth of that.
static void articulated_pendulum(Validation* validation) {
    Trial trial = trial_open_built(validation, build_articulated, NULL);
    trial.settings.gravity = cn_vec3(0.0, 0.0, -10.0);
    trial.settings.solver.tolerance = 1e-11;
    double energy = articulated_energy(&trial, 1e-3);
    trial_check(&trial, 0.0, trial.joint_error, POSITION_TOLERANCE, "gap of a joint [m]");
    trial_check(&trial, 0.0, energy, 30.0 * 1e-4, "moreau: energy after 10 s [J]");
    trial.settings.step.scheme = CN_SCHEME_ACCELERATION;
    energy = articulated_energy(&trial, 1e-3);
    trial_check(&trial, 0.0, trial.joint_error, POSITION_TOLERANCE, "rk4: gap of a joint [m]");
    trial_check(&trial, 0.0, energy, 30.0 * 1e-7, "rk4: energy after 10 s [J]");
    trial_close(&trial);
}

// -- IFToMM: N four-bars in a row, bars of 1 kg and 1 m, released upright with 1 m/s at the top.

static void build_four_bars(Trial* trial) {
    int loops = *(const int*)trial->data;
    CnBodyId world = {0}, coupler = {0};
    for (int i = 0; i <= loops; ++i) {
        CnVec3 foot = cn_vec3(i, 0.0, 0.0), top = cn_vec3(i, 0.0, 1.0);
        CnBodyDef bar = rod_def(i == 0 ? "first" : NULL, foot, top);
        bar.angular_velocity = along_y;
        bar.velocity = cn_vec3(0.5, 0.0, 0.0);
        CnBodyId link = trial_add_body(trial, &bar);
        join(trial, CN_JOINT_HINGE, world, link, foot, along_y);
        if (i > 0) {
            join(trial, CN_JOINT_HINGE, coupler, link, top, along_y);
        }
        if (i < loops) {
            CnBodyDef upper = rod_def(NULL, top, cn_vec3(i + 1.0, 0.0, 1.0));
            upper.velocity = cn_vec3(1.0, 0.0, 0.0);
            coupler = trial_add_body(trial, &upper);
            join(trial, CN_JOINT_HINGE, link, coupler, top, along_y);
        }
    }
}

static double four_bars_error(Trial* trial, double dt, const double place[2]) {
    trial->settings.dt = dt;
    trial_start(trial);
    trial_run(trial, 10.0);
    CnVec3 center = trial_state(trial, "first").center;
    return hypot(2.0 * center.x - place[0], 2.0 * center.z - place[1]);
}

// All hinges are in line six times a turn and a half, where the bars could fold either way and rows
// depend on each other: a step has to jump over it. Places by integration of the one angle.
// Relaxed velocities lose energy at third order, the phase errs at second: the order is between.
// With rk4 it is the passage that counts: places are kept to 1e-11 m, which is an error of 1e-11 /
// d in the direction of a motion d before the singular place. With 10 ms there and back and six
// passages, 1e-4 may be the least d of all.
static void four_bars(Validation* validation) {
    static const double places[2][2] = {{0.4783850577, 0.8781501788}, {0.3284581115, 0.9445185382}};
    for (int loops = 1; loops <= 2; ++loops) {
        const double* place = places[loops - 1];
        Trial trial = trial_open_built(validation, build_four_bars, &loops);
        trial.settings.solver.tolerance = 1e-10;
        double coarse = four_bars_error(&trial, 2e-3, place);
        double fine = four_bars_error(&trial, 1e-3, place);
        trial_check(&trial, 2.5, trial_order(coarse, fine), 0.5, "N = %d: order", loops);
        trial_check(&trial, 0.0, fine, 0.5 * coarse, "N = %d: distance from B0(10) [m]", loops);
        trial_check(&trial, 0.0, trial.joint_error, POSITION_TOLERANCE, "N = %d: gap [m]", loops);
        trial.settings.step.scheme = CN_SCHEME_ACCELERATION;
        trial_check(&trial, 0.0, four_bars_error(&trial, 2e-3, place), 1e-6,
                    "N = %d, rk4: distance from B0(10) [m]", loops);
        trial_close(&trial);
    }
}

// -- IFToMM: Bricard's mechanism, five bars along the edges of a cube, square hinges, from rest.

static void build_bricard(Trial* trial) {
    static const CnVec3 points[6] = {{0, 0, 0},  {1, 0, 0},  {1, -1, 0},
                                     {1, -1, 1}, {0, -1, 1}, {0, 0, 1}};
    static const CnVec3 axes[6] = {{0, 1, 0}, {0, 0, 1}, {1, 0, 0},
                                   {0, 1, 0}, {0, 0, 1}, {1, 0, 0}};
    CnBodyId before = {0}, world = {0};
    for (int i = 0; i < 5; ++i) {
        CnBodyDef rod = rod_def(i == 2 ? "middle" : NULL, points[i], points[i + 1]);
        CnBodyId body = trial_add_body(trial, &rod);
        join(trial, CN_JOINT_HINGE, before, body, points[i], axes[i]);
        before = body;
    }
    join(trial, CN_JOINT_HINGE, before, world, points[5], axes[5]);
}

static double bricard_energy(Trial* trial, double dt, double* moving) {
    trial->settings.dt = dt;
    *moving = 0.0;
    trial_start(trial);
    double start = trial->failed ? 0.0 : cn_world_energy(trial->world);
    for (long i = 0; i < lround(10.0 / dt) && !trial->failed; ++i) {
        trial_step(trial);
        *moving = fmax(*moving, trial_kinetic_energy(trial));
    }
    return trial->failed ? 0.0 : cn_world_energy(trial->world) - start;
}

// One row of thirty says what the others do, but only where all are kept, which is where rows are
// posed: moreau.md (16). Energy errs as that of a leapfrog does, (w h)^2 / 4 of the 9.8 J that a
// bar can fall by with w^2 = 3 g / 2 L of one bar, and comes back: what is left after 10 s is of
// the size that corrections lift the bars by at random, sqrt(steps) times their weight along the
// tolerance of positions.
static void bricard(Validation* validation) {
    const double lifted = 5.0 * 9.81 * POSITION_TOLERANCE * sqrt(1e4); // [J]
    double moving, coarse, fine;
    Trial trial = trial_open_built(validation, build_bricard, NULL);
    trial.settings.gravity = cn_vec3(0.0, -9.81, 0.0);
    trial.settings.solver.name = "direct";
    trial.settings.solver.tolerance = 1e-9;
    coarse = bricard_energy(&trial, 2e-3, &moving);
    fine = bricard_energy(&trial, 1e-3, &moving);
    trial_check(&trial, 0.0, fine, fmax(0.5 * fabs(coarse), lifted),
                "energy gained in 10 s, half of 2 ms [J]");
    trial_check(&trial, 0.0, fine, 9.81 * 1.5 * 9.81 * 1e-6 / 4.0,
                "energy gained in 10 s, of a leapfrog [J]");
    trial_check(&trial, 0.0, trial.joint_error, POSITION_TOLERANCE, "gap [m]");
    trial_check(&trial, 1.0, moving > 1.0, 0.0, "moves: kinetic energy exceeds 1 J on the way");
    trial_close(&trial);
}

// -- A chain of 30 links of 1 kg, 1 m long each, on ball joints with a load at its end.

#define LINKS 30

static void link_name(int i, char name[32]) {
    snprintf(name, 32, "joint %d", i);
}

static void build_chain(Trial* trial) {
    CnBodyId before = {0};
    for (int i = 0; i <= LINKS; ++i) {
        char name[32];
        CnVec3 top = cn_vec3(0.0, 0.0, -i), end = cn_vec3(0.0, 0.0, -i - 1.0);
        double load = *(const double*)trial->data;
        CnBodyDef def = i < LINKS ? rod_def(NULL, top, end)
                                  : trial_body_def("load", load, cn_vec3(load, load, load), end);
        CnJointDef joint = cn_joint_def_default(CN_JOINT_BALL);
        link_name(i, name);
        joint.name = name;
        joint.body_a = before;
        joint.body_b = trial_add_body(trial, &def);
        joint.point_a = top;
        trial_add_joint(trial, &joint);
        before = joint.body_b;
    }
}

// Each joint carries the weight of all below it; a joint errs by the solver's tolerance in the
// velocity of every mass below, twice.
static void wrecking_ball(Validation* validation) {
    static const double loads[] = {1000.0, 50000.0};
    for (int k = 0; k < 2; ++k) {
        double load = loads[k], worst = 0.0;
        Trial trial = trial_open_built(validation, build_chain, &load);
        trial.settings.dt = 1.0 / 60.0;
        trial.settings.solver.name = "direct";
        trial.settings.solver.tolerance = 1e-10;
        trial_start(&trial);
        trial_run(&trial, 5.0);
        for (int i = 0; i <= LINKS; ++i) {
            char name[32];
            double weight = (load + LINKS - i) * 9.81;
            link_name(i, name);
            CnVec3 force = trial_joint(&trial, name).force;
            worst = fmax(worst, fabs(-force.z - weight) / weight);
        }
        double tolerance = 2.0 * (LINKS + 1) * trial.tolerance / trial.settings.dt / 9.81;
        trial_check(&trial, 0.0, worst, tolerance, "%g kg: worst error of a tension, relative",
                    load);
        trial_check(&trial, 0.0, trial.joint_error, POSITION_TOLERANCE, "%g kg: stretch [m]", load);
        trial_close(&trial);
    }
}

// -- Two point masses on massless links against a smooth wall x = 0, e = .1.

static void hang(Trial* trial, CnBodyId upper, CnVec3 from, CnBodyId bob, CnVec3 at,
                 CnMaterialId material) {
    CnError error = {0};
    CnJointDef link = cn_joint_def_default(CN_JOINT_RIGID_LINK);
    CnContactDef contact = cn_contact_def_default();
    link.body_a = upper;
    link.body_b = bob;
    link.point_a = from;
    link.point_b = at;
    trial_add_joint(trial, &link);
    contact.body_b = bob;
    contact.point = at;
    contact.normal = cn_vec3(1.0, 0.0, 0.0);
    contact.gap = at.x;
    contact.material_a = contact.material_b = material;
    if (!trial->failed && cn_world_add_contact(trial->world, &contact, &error).index == 0) {
        trial->failed = true;
        validation_add_failure(trial->validation, &error);
    }
}

static void build_wall(Trial* trial) {
    const double upper = CN_PI / 3.0, lower = CN_PI / 5.0;
    CnError error = {0};
    CnMaterialDef material = cn_material_def_default();
    material.friction = 0.0;
    material.restitution = 0.1;
    if (trial->failed) {
        return;
    }
    CnVec3 top = {0.0, 0.0, 0.0};
    CnVec3 first = cn_vec3(cn_sin(upper), 0.0, -cn_cos(upper));
    CnVec3 second = cn_vec3_add(first, cn_vec3(cn_sin(lower), 0.0, -cn_cos(lower)));
    CnBodyDef a = trial_body_def("first", 1.0, cn_vec3(1.0, 1.0, 1.0), first);
    CnBodyDef b = trial_body_def("second", 1.0, cn_vec3(1.0, 1.0, 1.0), second);
    CnMaterialId smooth = cn_world_add_material(trial->world, &material, &error);
    CnBodyId none = {0}, ball = trial_add_body(trial, &a);
    hang(trial, none, top, ball, first, smooth);
    hang(trial, ball, first, trial_add_body(trial, &b), second, smooth);
}

// Energies by an integration of the two angles with h = 1e-6, five impacts. An impact up to a step
// late loses energy that changes with time at m u g: up to 30 J/s at 3 m/s, twice before 1 s.
static void double_pendulum_and_wall(Validation* validation) {
    static const double times[] = {0.0, 0.6, 1.0, 1.5, 2.4};
    static const double energies[] = {11.67666, 9.02453, 0.90099, 0.64532, 0.0};
    double found[5];
    Trial trial = trial_open_built(validation, build_wall, NULL);
    trial.settings.dt = 2.5e-5;
    trial_start(&trial);
    for (int i = 0; i < 5; ++i) {
        trial_run(&trial, i == 0 ? 0.0 : times[i] - times[i - 1]);
        found[i] = trial.failed ? 0.0 : cn_world_energy(trial.world);
    }
    for (int i = 0; i < 4; ++i) {
        trial_check(&trial, energies[i], found[i] - found[4], 30.0 * trial.settings.dt,
                    "energy above the last at %g s [J]", times[i]);
    }
    trial_close(&trial);
}

static const ValidationCase cases[] = {
    {"articulated-pendulum", "Two bars on ball joints keep together", articulated_pendulum},
    {"four-bars", "IFToMM: N four-bars through their singular place", four_bars},
    {"bricard", "IFToMM: Bricard's overconstrained mechanism", bricard},
    {"wrecking-ball", "Thirty links hold a ball up to 50000 times theirs", wrecking_ball},
    {"double-pendulum-wall", "A double pendulum against a wall loses energy",
     double_pendulum_and_wall},
};

const ValidationGroup validation_linkages = VALIDATION_GROUP("linkages", cases);
