// test_mass_ratios.c - the solvers that the table calls slow at mass ratios are, and no others.
#include "cairn/cairn.h"
#include "support/test.h"

#include <stdlib.h>

static void add_body(CnWorld* world, CnBodyDef body, const CnShapeDef* shape) {
    CnError error = {0};
    body.shapes = shape;
    body.shape_count = 1;
    ck_assert_msg(cn_world_add_body(world, &body, &error).index != 0, "%s", error.message);
}

// A leaning stack of four boxes on the ground, two light and two `ratio` times as heavy, that slide
// and turn.
static CnOwnedProblem* stack_problem(double ratio) {
    const double x[4] = {0.0, 0.1, 0.3, 0.2}, y[4] = {0.0, 0.05, 0.0, 0.1};
    CnWorldDef def = cn_world_def_default();
    CnWorld* world = cn_world_create(&def, NULL);
    CnShapeDef plane = cn_shape_def_default(CN_SHAPE_PLANE),
               box = cn_shape_def_default(CN_SHAPE_BOX);
    CnBodyDef ground = cn_body_def_default();
    ground.type = CN_BODY_STATIC;
    add_body(world, ground, &plane);
    box.size = cn_vec3(1, 1, 1);
    for (int i = 0; i < 4; ++i) {
        double mass = i % 2 == 0 ? 1.0 : ratio;
        CnBodyDef body = cn_body_def_default();
        body.position = cn_vec3(x[i], y[i], 0.5 + i);
        body.velocity = cn_vec3(i == 1 ? 0.02 : 0.0, i == 2 ? 0.01 : 0.0, 0.0);
        body.angular_velocity = cn_vec3(0, 0, i == 3 ? 0.05 : 0.0);
        body.has_mass = true;
        body.mass = mass;
        body.inertia[0] = body.inertia[1] = body.inertia[2] = mass / 6.0;
        add_body(world, body, &box);
    }
    CnStepReport report;
    CHECK_INT(cn_world_step(world, 1e-3, &report, NULL), CN_OK);
    CnOwnedProblem* problem = cn_problem_copy(cn_world_problem(world), NULL);
    cn_world_destroy(world);
    return problem;
}

// Iterations from zero; 0: no answer.
static int iterations(const CnOwnedProblem* owned, const char* solver) {
    const CnProblem* problem = cn_owned_problem_get(owned);
    CnSolution solution = {calloc((size_t)problem->row_count, sizeof(double)),
                           calloc((size_t)problem->body_count, sizeof(double[6]))};
    CnWorkspace* workspace = cn_workspace_create(NULL, NULL);
    CnSolverDef def = cn_solver_def_default();
    CnSolverReport report;
    def.name = solver;
    CHECK_INT(cn_solve(problem, &def, workspace, &solution, &report, NULL), CN_OK);
    cn_workspace_destroy(workspace);
    free(solution.impulse);
    free(solution.velocity);
    return report.outcome == CN_CONVERGED ? report.iterations : 0;
}

// A solver suffers if it needs ten times as many iterations as with equal masses, or finds no
// answer to 1e-8 m/s. Those without friction pivot: their number of steps is that of rows.
static void the_table_tells_who_suffers_from_mass_ratios(void) {
    CnOwnedProblem* stack[3] = {stack_problem(1.0), stack_problem(100.0), stack_problem(1e4)};
    for (int k = 0; k < cn_solver_count(); ++k) {
        CnSolverInfo info = cn_solver_at(k);
        if ((info.laws & 1u << CN_LAW_COULOMB) == 0) {
            CHECK(!info.slow_at_mass_ratios);
            continue;
        }
        int count[3];
        bool suffers = false;
        for (int i = 0; i < 3; ++i) {
            count[i] = iterations(stack[i], info.name);
            suffers = suffers || count[i] == 0 || count[i] > 10 * count[0];
        }
        ck_assert_msg(suffers == info.slow_at_mass_ratios, "%s: %d, %d and %d iterations",
                      info.name, count[0], count[1], count[2]);
    }
    for (int i = 0; i < 3; ++i) {
        cn_owned_problem_destroy(stack[i]);
    }
}

TEST_MAIN("solvers/mass_ratios", TEST(the_table_tells_who_suffers_from_mass_ratios))
