// friction_cairn.c - Cairn's exact solvers in the bench of frictional contact problems.
#include "friction_contender.h"

#include "cairn/solver.h"
#include <stdlib.h>
#include <string.h>

#define MOST 32 // several times what the registry has

typedef struct State {
    const CnProblem* problem;
    CnWorkspace* workspace;
    double (*velocity)[6];
} State;

static bool needs_bodies(const char* solver) {
    for (int i = 0; i < cn_solver_count(); ++i) {
        if (strcmp(cn_solver_at(i).name, solver) == 0) {
            return cn_solver_at(i).needs_bodies;
        }
    }
    return true;
}

static void* prepare(const FrictionContender* self, const CnProblem* problem) {
    if (problem->response != NULL && needs_bodies(self->solver)) {
        return NULL;
    }
    State* state = malloc(sizeof *state);
    state->problem = problem;
    state->workspace = cn_workspace_create(NULL, NULL);
    state->velocity = calloc((size_t)problem->body_count + 1, sizeof *state->velocity);
    return state;
}

static int run(const FrictionContender* self, State* state, double tolerance, int limit,
               double* impulse) {
    CnSolverDef def = cn_solver_def_default();
    CnSolution solution = {impulse, state->velocity};
    CnSolverReport report = {0};
    def.name = self->solver;
    def.tolerance = tolerance;
    def.measure = CN_ERROR_RELATIVE;
    def.warm_start = false;
    def.max_iterations = limit;
    if (cn_solve(state->problem, &def, state->workspace, &solution, &report, NULL) != CN_OK) {
        return -1;
    }
    return report.iterations;
}

static int solve(const FrictionContender* self, void* data, double tolerance, double* impulse) {
    return run(self, data, tolerance, 0, impulse);
}

#define OUT_OF_REACH 1e-300 // a tolerance that only the limit of sweeps ends

static void sweep(const FrictionContender* self, void* data, int sweeps, double* impulse) {
    run(self, data, OUT_OF_REACH, sweeps, impulse);
}

const FrictionContender* friction_cairn(int* count) {
    static FrictionContender contenders[MOST];
    *count = 0;
    for (int i = 0; i < cn_solver_count() && *count < MOST; ++i) {
        CnSolverInfo info = cn_solver_at(i);
        if (info.exact && (info.laws & 1U << CN_LAW_COULOMB) != 0) {
            contenders[(*count)++] = (FrictionContender){
                .name = info.name,
                .solver = info.name,
                .prepare = prepare,
                .solve = solve,
                .sweep = strcmp(info.name, "nsgs") == 0 ? sweep : NULL,
            };
        }
    }
    return contenders;
}
