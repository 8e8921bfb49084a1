// supports.c - bodies at rest: what carries them, and that they stay.
#include "validate/trial.h"

#include <stdio.h>

#define COULOMB (1u << CN_LAW_COULOMB)

static double largest_part(CnVec3 v) {
    return fmax(fabs(v.x), fmax(fabs(v.y), fabs(v.z)));
}

// How far a body has come, in any direction [m].
static double moved(CnBodyState from, CnBodyState to) {
    return largest_part(cn_vec3_sub(to.center, from.center));
}

// An error of the solver's tolerance in the velocity of m kilograms is worth m times as much
// impulse; four supports share it.
static double impulse_tolerance(const Trial* trial, double mass) {
    return 4.0 * mass * trial->settings.solver.tolerance;
}

// p = m g dt.
static void resting(Validation* validation) {
    Trial trial = trial_open(validation, "resting");
    trial_start(&trial);
    trial_step(&trial);
    double p = trial_impulse(&trial, "ground", "box").z, dt = trial.settings.dt;
    double tolerance = impulse_tolerance(&trial, 5.0);
    trial_check(&trial, 5.0 * 9.81 * dt, p, tolerance, "impulse [N s]");
    trial_check(&trial, 5.0 * 9.81, p / dt, tolerance / dt, "force [N]");
    trial_check(&trial, 0.0, largest_part(trial_state(&trial, "box").velocity),
                trial.settings.solver.tolerance, "velocity [m/s]");
    trial_close(&trial);
}

// Contacts that open carry nothing and change nothing.
static void separating(Validation* validation) {
    Trial trial = trial_open(validation, "separating");
    trial_start(&trial);
    trial_step(&trial);
    double tolerance = trial.settings.solver.tolerance;
    trial_check(&trial, 0.0, cn_vec3_length(trial_impulse(&trial, "a", "b")), tolerance,
                "impulse [N s]");
    trial_check(&trial, 1.0, trial_state(&trial, "b").velocity.x, tolerance, "velocity [m/s]");
    trial_close(&trial);
}

// A beam on two rounded bars, each of which it touches along a line.
static void two_supports(Validation* validation) {
    static const char* const bars[] = {"left", "right"};
    Trial trial = trial_open(validation, "two-supports");
    trial_start(&trial);
    trial_step(&trial);
    double dt = trial.settings.dt;
    for (int i = 0; i < 2; ++i) {
        trial_check(&trial, 0.5 * 10.0 * 9.81, trial_impulse(&trial, bars[i], "beam").z / dt,
                    impulse_tolerance(&trial, 10.0) / dt, "%s force [N]", bars[i]);
    }
    trial_close(&trial);
}

static void check_stack(Trial* trial, const char* label, double drift_tolerance) {
    static const char* const boxes[] = {"ground", "box 1", "box 2", "box 3"};
    double dt = trial->settings.dt, drift = 0.0;
    CnBodyState start[4];
    trial_start(trial);
    for (int i = 1; i < 4; ++i) {
        start[i] = trial_state(trial, boxes[i]);
    }
    trial_run(trial, trial->settings.duration);
    for (int i = 1; i < 4; ++i) {
        double p = trial_impulse(trial, boxes[i - 1], boxes[i]).z;
        drift = fmax(drift, moved(start[i], trial_state(trial, boxes[i])));
        trial_check(trial, (4 - i) * 9.81 * dt, p, impulse_tolerance(trial, 3.0),
                    "impulse under box %d, %s [N s]", i, label);
    }
    trial_check(trial, 0.0, drift, drift_tolerance, "drift in 1000 steps, %s [m]", label);
}

// Impulses m g dt times the boxes above. With projection positions are put back to 1e-11 m, and
// sideways each of three boxes may creep by the solver's tolerance for the whole time. Baumgarte
// leaves an overlap as deep as the slop alone (1e-4 m), for each of three contacts.
static void stack_of_three(Validation* validation) {
    const double projected = 1e-11; // [m]
    Trial trial = trial_open(validation, "stack-of-three");
    double creep = 3.0 * trial.settings.solver.tolerance * trial.settings.duration;
    trial.settings.step.stabilisation = CN_STABILISATION_BAUMGARTE;
    check_stack(&trial, "baumgarte", 3.0 * trial.settings.step.slop + creep);
    trial.settings.step.stabilisation = CN_STABILISATION_PROJECTION;
    for (int i = 0; trial_next_solver(&trial, COULOMB, &i);) {
        check_stack(&trial, trial.settings.solver.name, 3.0 * projected + creep);
    }
    trial_close(&trial);
}

// Cubes of 1, 10, ..., 1e6 kg, the lightest at the bottom. Each contact may err by the tolerance,
// and the velocity of a cube is the sum over those below it. Steps of 2 ms keep rounding below the
// tolerance: the velocities that 2e4 N s from below and above give to 1 kg, and the spins, add up
// to 2e5 m/s, which is 2e-11 m/s in the last place.
static void mass_ratio_stack(Validation* validation) {
    const int boxes = 7;
    const double weight = 1111111.0 * 9.81; // [N]
    Trial trial = trial_open(validation, "mass-ratio-stack");
    for (int k = 0; trial_next_solver(&trial, COULOMB, &k);) {
        const char* solver = trial.settings.solver.name;
        trial_start(&trial);
        trial_run(&trial, trial.settings.duration);
        double dt = trial.settings.dt, creep_tolerance = boxes * trial.settings.solver.tolerance;
        double force = trial_impulse(&trial, "ground", "box 1").z / dt;
        double fastest = 0.0;
        for (int i = 1; i <= boxes; ++i) {
            char name[32];
            snprintf(name, sizeof name, "box %d", i);
            fastest = fmax(fastest, cn_vec3_length(trial_state(&trial, name).velocity));
        }
        trial_check(&trial, weight, force, weight / 9.81 * creep_tolerance / dt,
                    "bottom force, %s [N]", solver);
        trial_check(&trial, 0.0, fastest, creep_tolerance, "creep, %s [m/s]", solver);
    }
    trial_close(&trial);
}

// The states of all bodies of the present run; returns how many there are.
#define MAX_RESTING 16
static int read_states(Trial* trial, CnBodyState states[MAX_RESTING]) {
    int count = trial->failed ? 0 : cn_world_body_count(trial->world);
    if (count > MAX_RESTING) {
        return 0;
    }
    for (int i = 0; i < count; ++i) {
        cn_body_state(trial->world, cn_world_body_at(trial->world, i), &states[i]);
    }
    return count;
}

// A plane, a box and ten bodies, each on its own. Projection keeps heights to 1e-11 m. What lies
// may roll, and nothing stops it: every one of its steps may add the solver's tolerance to its
// speed.
static void resting_shapes(Validation* validation) {
    Trial trial = trial_open(validation, "resting-shapes");
    for (int k = 0; trial_next_solver(&trial, COULOMB, &k);) {
        const char* solver = trial.settings.solver.name;
        CnBodyState start[MAX_RESTING], end[MAX_RESTING];
        double drift = 0.0, creep = 0.0, duration = trial.settings.duration;
        double rolling = duration / trial.settings.dt * trial.settings.solver.tolerance; // [m/s]
        trial_start(&trial);
        read_states(&trial, start);
        trial_run(&trial, duration);
        int count = read_states(&trial, end);
        for (int i = 0; i < count; ++i) {
            drift = fmax(drift, moved(start[i], end[i]));
            creep = fmax(creep, largest_part(end[i].velocity));
        }
        trial_check(&trial, 12, count, 0.0, "bodies, %s", solver);
        trial_check(&trial, 0.0, drift, 1e-11 + 0.5 * rolling * duration, "drift in 10 s, %s [m]",
                    solver);
        trial_check(&trial, 0.0, creep, rolling, "creep, %s [m/s]", solver);
    }
    trial_close(&trial);
}

static void rest(Trial* trial, double dt, double duration) {
    trial->settings.dt = dt;
    trial_start(trial);
    CnBodyState start = trial_state(trial, "box");
    trial_run(trial, duration);
    CnBodyState end = trial_state(trial, "box");
    // Downwards positions are kept to 1e-11 m; sideways the solver's tolerance may add up.
    trial_check(trial, start.center.z, end.center.z, 1e-11, "height after %g s of %.2g s [m]",
                duration, dt);
    trial_check(trial, 0.0, moved(start, end), trial->settings.solver.tolerance * duration,
                "drift after %g s of %.2g s [m]", duration, dt);
}

// Ten hours in steps of one second, in which a free body would fall ten metres: 36000 steps are
// what a validation has time for. Nothing sleeps. Five minutes in steps of a game besides.
static void long_rest(Validation* validation) {
    Trial trial = trial_open(validation, "long-rest");
    rest(&trial, 1.0, 36000.0);
    rest(&trial, 1.0 / 60.0, 300.0);
    trial_close(&trial);
}

// Of least norm are the forces of four equal springs, a + b x + c y: for legs at (+-.5, +-.3) each
// (weight + load) / 4 + load (.2 x / (4 .5^2) + .1 y / (4 .3^2)).
static void check_shares(Trial* trial, double weight, double load, double tolerance) {
    CnContactPoint legs[4] = {0};
    trial->settings.solver.minimum_norm = true;
    trial_start(trial);
    trial_run(trial, trial->settings.duration);
    if (!trial->failed) {
        cn_world_contacts(trial->world, legs, 4);
    }
    for (int i = 0; i < 4; ++i) {
        double x = copysign(0.5, legs[i].point.x), y = copysign(0.3, legs[i].point.y);
        trial_check(trial, (weight + load) / 4.0 + load * (0.2 * x / 1.0 + 0.1 * y / 0.36),
                    legs[i].force.z, tolerance, "least norm, leg at (%g, %g) [N]", x, y);
    }
}

// A plate of 20 kg on four legs at (+-.5, +-.3), with 100 N at (.2, .1). How four legs share a load
// is not unique; what two of them carry together is: by moments about the line of the others.
static void table(Validation* validation) {
    const double weight = 20.0 * 9.81, load = 100.0; // [N]
    CnContactPoint legs[4] = {0};
    Trial trial = trial_open(validation, "table");
    trial_start(&trial);
    trial_run(&trial, trial.settings.duration);
    if (!trial.failed) {
        cn_world_contacts(trial.world, legs, 4);
    }
    double dt = trial.settings.dt, tolerance = impulse_tolerance(&trial, 30.2) / dt;
    double all = 0.0, right = 0.0, back = 0.0;
    for (int i = 0; i < 4; ++i) {
        double force = legs[i].force.z;
        all += force;
        right += legs[i].point.x > 0.0 ? force : 0.0;
        back += legs[i].point.y > 0.0 ? force : 0.0;
    }
    trial_check(&trial, weight + load, all, tolerance, "all four legs [N]");
    trial_check(&trial, 0.5 * weight + load * 0.7, right, tolerance, "legs at x = .5 [N]");
    trial_check(&trial, 0.5 * weight + load * (2.0 / 3.0), back, tolerance, "legs at y = .3 [N]");
    trial_check(&trial, 0.0, largest_part(trial_state(&trial, "table").velocity),
                trial.settings.solver.tolerance, "velocity [m/s]");
    check_shares(&trial, weight, load, tolerance);
    trial_close(&trial);
}

// Adds the rows of one solver's answer to the two by two problem.
static void check_two_by_two(Validation* validation, const CnProblem* problem,
                             const CnSolverDef* def, CnWorkspace* workspace) {
    static const double expected[] = {2.25 / 5.75, 2.5 / 5.75};
    CnError error = {0};
    double impulse[2] = {0}, velocity[1][6] = {{0}};
    CnSolution solution = {impulse, velocity};
    CnSolverReport report;
    char quantity[80];
    if (cn_solve(problem, def, workspace, &solution, &report, &error) != CN_OK) {
        validation_add_failure(validation, &error);
        return;
    }
    if (report.approximation != NULL) { // does not claim to find them
        return;
    }
    for (int i = 0; i < 2; ++i) {
        snprintf(quantity, sizeof quantity, "p%d by %s [N s]", i + 1, def->name);
        validation_add(validation, quantity, expected[i], impulse[i], def->tolerance);
    }
    snprintf(quantity, sizeof quantity, "residual of %s [m/s]", def->name);
    validation_add(validation, quantity, 0.0, report.certificate.worst, def->tolerance);
}

// A p - b >= 0, p >= 0 with A = [2 .5; .5 3] and b = (1, 1.5): both rows act, p = A^-1 b =
// (2.25, 2.5) / 5.75. Here A = J J^T for one body of unit mass and inertia, with J its Cholesky
// factor, and b is the target. Errors of the tolerance in u shrink by 1 / lambda_min(A) = .55.
static void two_by_two(Validation* validation) {
    const double inverse_mass = 1.0, inverse_inertia[1][9] = {{1, 0, 0, 0, 1, 0, 0, 0, 1}};
    const double free_velocity[1][6] = {{0}}, none[2][6] = {{0}};
    const double jacobian[2][6] = {{sqrt(2.0)}, {0.5 / sqrt(2.0), sqrt(2.875)}};
    const double target[2] = {1.0, 1.5}, zero[2] = {0}, infinite[2] = {INFINITY, INFINITY};
    const CnBlock blocks[2] = {
        {.law = CN_LAW_BOUNDS, .row_count = 1, .body_a = -1},
        {.law = CN_LAW_BOUNDS, .first_row = 1, .row_count = 1, .body_a = -1},
    };
    const CnProblem problem = {
        .body_count = 1,
        .block_count = 2,
        .row_count = 2,
        .inverse_mass = &inverse_mass,
        .inverse_inertia = inverse_inertia,
        .free_velocity = free_velocity,
        .blocks = blocks,
        .jacobian_a = none,
        .jacobian_b = jacobian,
        .target = target,
        .compliance = zero,
        .lower = zero,
        .upper = infinite,
        .offset = zero,
        .slope = zero,
    };
    CnError error = {0};
    CnSolverDef def = cn_solver_def_default();
    CnWorkspace* workspace = cn_workspace_create(NULL, &error);
    def.tolerance = 1e-13;
    if (workspace == NULL) {
        validation_add_failure(validation, &error);
        return;
    }
    for (int i = 0; i < cn_solver_count(); ++i) {
        def.name = cn_solver_at(i).name;
        if ((cn_solver_at(i).laws & 1u << CN_LAW_BOUNDS) != 0) {
            check_two_by_two(validation, &problem, &def, workspace);
        }
    }
    cn_workspace_destroy(workspace);
}

// Forces on a box of 1000 kg while steps have 1 and 4 substeps and a bullet in a wall 10 m away
// cuts one of them: docs/theory/moreau.md (22). Every part may err by the tolerance, and there are
// no more than 8 of them: 4 substeps, each with a cut and an impact at most once.
static void steps_in_parts(Validation* validation) {
    const double mass = 1000.0, weight = mass * 9.81; // [kg], [N]
    Trial trial = trial_open(validation, "steps-in-parts");
    for (int substeps = 1; substeps <= 4; substeps += 3) {
        double dt = trial.settings.dt, least = INFINITY, most = 0.0;
        double tolerance = 8.0 * mass * trial.settings.solver.tolerance / dt;
        int impacts = 0;
        trial.settings.step.substeps = substeps;
        trial_start(&trial);
        for (int i = 0; i < 20 && !trial.failed; ++i) {
            trial_step(&trial);
            double force = trial_impulse(&trial, "ground", "box").z / dt;
            least = fmin(least, force);
            most = fmax(most, force);
            impacts += trial.report.impacts;
        }
        trial_check(&trial, weight, least, tolerance, "least force, substeps %d [N]", substeps);
        trial_check(&trial, weight, most, tolerance, "largest force, substeps %d [N]", substeps);
        trial_check(&trial, 1.0, impacts > 0 ? 1.0 : 0.0, 0.0, "a step was cut, substeps %d",
                    substeps);
    }
    trial_close(&trial);
}

static const ValidationCase cases[] = {
    {"resting", "A body at rest is carried by m g", resting},
    {"separating", "Contacts that open carry nothing", separating},
    {"two-supports", "Two supports carry half the weight each", two_supports},
    {"two-by-two", "Every solver but the approximate finds the impulses of a small problem",
     two_by_two},
    {"stack-of-three", "Boxes in a stack carry what is above them and stay", stack_of_three},
    {"mass-ratio-stack", "A million times heavier above than below: still carried, still at rest",
     mass_ratio_stack},
    {"resting-shapes", "Boxes, prisms, capsules and cylinders rest on a plane and on a box",
     resting_shapes},
    {"long-rest", "A box that rests for ten hours is where it was", long_rest},
    {"steps-in-parts", "Substeps and cuts do not change the force that carries a body",
     steps_in_parts},
    {"table", "Four legs: the resultants are exact, and so are the shares of least norm", table},
};

const ValidationGroup validation_supports = VALIDATION_GROUP("supports", cases);
