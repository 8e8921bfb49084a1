// explicit.c - worked examples of contact mathematics, given by A and b instead of bodies.
//
// u = A p - b, p >= 0, u >= 0, p u = 0: an impact along a line, one off centre, a cube at rest, two
// coupled contacts, one that opens, and two supports whose A is singular.
#include "validate/validation.h"

#include <math.h>
#include <stdio.h>

#define MAX_ROWS 2
#define TOLERANCE 1e-10 // of impulses [N s]; what solvers are asked for is a hundredth of it

typedef struct Example {
    const char* name;
    int n;
    double a[MAX_ROWS * MAX_ROWS]; // [1/kg]
    double b[MAX_ROWS];            // -(1 + e) J v, or what gravity adds in a step [m/s]
    double p[MAX_ROWS];            // [N s]
} Example;

// b of the cube at rest and of the supports: 9.81 m/s^2 for 16 ms.
#define FALL (9.81 * 0.016)

static const Example examples[] = {
    // Two balls of 1 kg at 2 and -1 m/s, e = 1: A = 1 + 1, b = 2 * 3.
    {"head on", 1, {2.0}, {6.0}, {3.0}},
    // 2 kg and 1 kg, arms of .5 m, e = .5: A = 1/2 + 1 + .25 * 3 + .25 * 6, b = 1.5 * 1.
    {"glancing", 1, {3.75}, {1.5}, {0.4}},
    // 5 kg on the ground: p = m g dt = .7848 N s, 49.05 N.
    {"resting", 1, {0.2}, {FALL}, {5.0 * FALL}},
    // Both contacts act: p = A^-1 b = (9, 10) / 23.
    {"two by two", 2, {2.0, 0.5, 0.5, 3.0}, {1.0, 1.5}, {9.0 / 23.0, 10.0 / 23.0}},
    // The bodies part at 2 m/s: nothing acts.
    {"separating", 1, {2.0}, {-2.0}, {0.0}},
    // The second contact opens where the first acts: p = (1, 0), u = (0, 1.5).
    {"one of two", 2, {1.0, 0.5, 0.5, 1.0}, {1.0, -1.0}, {1.0, 0.0}},
};

// 10 kg on two supports, turning left out: A = [1/m 1/m; 1/m 1/m] is singular, and every split
// carries the weight. Half each is the one of least norm, without anything added to the diagonal.
static const Example supports = {
    "even split", 2, {0.1, 0.1, 0.1, 0.1}, {FALL, FALL}, {5.0 * FALL, 5.0 * FALL}};

// A problem without bodies: W is given, and b as the target.
static CnProblem pose(const Example* example, const CnBlock* blocks, const CnResponse* response) {
    static const double zero[MAX_ROWS] = {0.0}, infinite[MAX_ROWS] = {INFINITY, INFINITY};
    return (CnProblem){.block_count = example->n,
                       .row_count = example->n,
                       .blocks = blocks,
                       .target = example->b,
                       .compliance = zero,
                       .lower = zero,
                       .upper = infinite,
                       .offset = zero,
                       .slope = zero,
                       .response = response};
}

static void solve_example(Validation* validation, const Example* example, const CnSolverDef* def,
                          CnWorkspace* workspace) {
    static const int start[2][MAX_ROWS + 1] = {{0, 1}, {0, 2, 4}};
    static const int column[2][MAX_ROWS * MAX_ROWS] = {{0}, {0, 1, 0, 1}};
    const CnResponse response = {start[example->n - 1], column[example->n - 1], example->a};
    const CnBlock blocks[MAX_ROWS] = {
        {.law = CN_LAW_BOUNDS, .row_count = 1, .body_a = -1, .body_b = -1},
        {.law = CN_LAW_BOUNDS, .first_row = 1, .row_count = 1, .body_a = -1, .body_b = -1}};
    const CnProblem problem = pose(example, blocks, &response);
    double impulse[MAX_ROWS] = {0.0}, none[1][6];
    CnSolution solution = {impulse, none};
    CnSolverReport report;
    CnError error = {0};
    if (cn_problem_check(&problem, &error) != CN_OK ||
        cn_solve(&problem, def, workspace, &solution, &report, &error) != CN_OK) {
        validation_add_failure(validation, &error);
        return;
    }
    for (int i = 0; i < example->n; ++i) {
        char quantity[80];
        snprintf(quantity, sizeof quantity, "%s, p%d by %s [N s]", example->name, i + 1, def->name);
        validation_add(validation, quantity, example->p[i], impulse[i], TOLERANCE);
    }
}

// Every exact solver that takes W and bounds, and pgs.
static bool takes(const CnSolverInfo* solver) {
    bool is_pgs = solver->name[0] == 'p' && solver->name[1] == 'g';
    return !solver->needs_bodies && (solver->laws & 1u << CN_LAW_BOUNDS) != 0 &&
           (solver->exact || is_pgs);
}

static void run_examples(Validation* validation, const Example* list, int count, bool least_norm) {
    CnError error = {0};
    CnSolverDef def = cn_solver_def_default();
    CnWorkspace* workspace = cn_workspace_create(NULL, &error);
    if (workspace == NULL) {
        validation_add_failure(validation, &error);
        return;
    }
    def.tolerance = 0.01 * TOLERANCE;
    def.minimum_norm = least_norm;
    for (int i = 0; i < cn_solver_count(); ++i) {
        CnSolverInfo info = cn_solver_at(i);
        def.name = info.name;
        for (int k = 0; takes(&info) && k < count; ++k) {
            solve_example(validation, &list[k], &def, workspace);
        }
    }
    cn_workspace_destroy(workspace);
}

static void explicit_examples(Validation* validation) {
    run_examples(validation, examples, (int)(sizeof examples / sizeof examples[0]), false);
}

static void explicit_even_split(Validation* validation) {
    run_examples(validation, &supports, 1, true);
}

// The glancing impact by its bodies: A and b as they are read, and the condition number of A.
static void explicit_read(Validation* validation) {
    const double inverse_mass[2] = {0.5, 1.0};
    const double inverse_inertia[2][9] = {{3, 0, 0, 0, 3, 0, 0, 0, 3}, {6, 0, 0, 0, 6, 0, 0, 0, 6}};
    const double velocity[2][6] = {{1.0}, {0.0}};
    // J = [-n, -(rA x n), n, rB x n] with n = x, rA = (.5, .5, 0), rB = (-.5, .5, 0).
    const double jacobian_a[1][6] = {{-1, 0, 0, 0, 0, 0.5}},
                 jacobian_b[1][6] = {{1, 0, 0, 0, 0, -0.5}};
    const double target = 0.5, zero = 0.0, infinite = INFINITY; // e times the speed of approach
    const CnBlock block = {.law = CN_LAW_BOUNDS, .row_count = 1, .body_a = 0, .body_b = 1};
    const CnProblem problem = {.body_count = 2,
                               .block_count = 1,
                               .row_count = 1,
                               .inverse_mass = inverse_mass,
                               .inverse_inertia = inverse_inertia,
                               .free_velocity = velocity,
                               .blocks = &block,
                               .jacobian_a = jacobian_a,
                               .jacobian_b = jacobian_b,
                               .target = &target,
                               .compliance = &zero,
                               .lower = &zero,
                               .upper = &infinite,
                               .offset = &zero,
                               .slope = &zero};
    CnError error = {0};
    CnCondition condition;
    double a, b;
    CnWorkspace* workspace = cn_workspace_create(NULL, &error);
    if (workspace == NULL || cn_problem_response(&problem, workspace, &a, &b, &error) != CN_OK ||
        cn_problem_condition(&problem, workspace, &condition, &error) != CN_OK) {
        validation_add_failure(validation, &error);
    } else {
        validation_add(validation, "A of the glancing impact [1/kg]", 3.75, a, 1e-14);
        validation_add(validation, "b of the glancing impact [m/s]", 1.5, b, 1e-14);
        validation_add(validation, "condition number of one row", 1.0, condition.number, 1e-14);
    }
    cn_workspace_destroy(workspace);
}

static const ValidationCase cases[] = {
    {"explicit-examples", "Worked examples given by A and b, by every solver that takes them",
     explicit_examples},
    {"explicit-even-split", "Two supports with a singular A share evenly", explicit_even_split},
    {"explicit-read", "A and b of bodies, and the condition number of A", explicit_read},
};

const ValidationGroup validation_explicit = VALIDATION_GROUP("explicit", cases);
