// friction_siconos.c - solvers of Siconos in the bench of frictional contact problems.
//
// W is handed over as Siconos keeps what it reads from FCLib files: sparse blocks of one contact
// by one contact. Settings are its defaults but for the tolerance, a limit of iterations that the
// clock meets first, and the full criterion, which NSGS looks at every ten sweeps. The proximal
// point has Alart-Curnier Newton inside.
#include "friction_contender.h"

#include <stdlib.h>
#include <string.h>

#include <FrictionContactProblem.h>
#include <Friction_cst.h>
#include <NonSmoothDrivers.h>
#include <NumericsMatrix.h>
#include <NumericsSparseMatrix.h>
#include <NumericsVerbose.h>
#include <SolverOptions.h>
#include <SparseBlockMatrix.h>

#define UNLIMITED 100000000 // iterations
#define SWEEPS_PER_CHECK 10

typedef struct State {
    FrictionContactProblem* problem;
    double* velocity;
} State;

static NumericsMatrix* make_matrix(const CnProblem* problem, int dimension) {
    int n = problem->row_count;
    const CnResponse* w = problem->response;
    NumericsMatrix* sparse = NM_create(NM_SPARSE, n, n);
    NM_triplet_alloc(sparse, w->start[n]);
    for (int i = 0; i < n; ++i) {
        for (int e = w->start[i]; e < w->start[i + 1]; ++e) {
            NM_entry(sparse, i, w->column[e], w->value[e]);
        }
    }
    SparseBlockStructuredMatrix* blocks = SBM_new();
    SBM_from_csparse(dimension, NM_csc(sparse), blocks);
    return NM_new_SBM(n, n, blocks);
}

static void* prepare(const FrictionContender* self, const CnProblem* problem) {
    if (problem->response == NULL) {
        return NULL;
    }
    int contacts = problem->block_count;
    double* q = malloc((size_t)problem->row_count * sizeof *q);
    double* mu = malloc((size_t)contacts * sizeof *mu);
    State* state = malloc(sizeof *state);
    for (int i = 0; i < contacts; ++i) {
        if (problem->blocks[i].law != CN_LAW_COULOMB) {
            return NULL;
        }
        mu[i] = problem->blocks[i].friction;
    }
    for (int i = 0; i < problem->row_count; ++i) {
        q[i] = -problem->target[i];
    }
    numerics_set_verbose(0);
    state->problem = frictionContactProblem_new_with_data(
        self->dimension, contacts, make_matrix(problem, self->dimension), q, mu);
    state->velocity = calloc((size_t)problem->row_count, sizeof *state->velocity);
    return state;
}

static SolverOptions* make_options(const FrictionContender* self, double tolerance, int limit) {
    SolverOptions* options = solver_options_create(self->id);
    options->dparam[SICONOS_DPARAM_TOL] = tolerance;
    options->iparam[SICONOS_IPARAM_MAX_ITER] = limit;
    if (self->id == SICONOS_FRICTION_3D_NSGS) {
        options->iparam[SICONOS_FRICTION_3D_IPARAM_ERROR_EVALUATION] =
            SICONOS_FRICTION_3D_NSGS_ERROR_EVALUATION_FULL;
        options->iparam[SICONOS_FRICTION_3D_IPARAM_ERROR_EVALUATION_FREQUENCY] = SWEEPS_PER_CHECK;
    }
    return options;
}

static int run(const FrictionContender* self, State* state, double tolerance, int limit,
               double* impulse) {
    SolverOptions* options = make_options(self, tolerance, limit);
    memset(state->velocity, 0,
           (size_t)self->dimension * (size_t)state->problem->numberOfContacts * sizeof(double));
    if (self->dimension == 2) {
        fc2d_driver(state->problem, impulse, state->velocity, options);
    } else {
        fc3d_driver(state->problem, impulse, state->velocity, options);
    }
    int iterations = options->iparam[SICONOS_IPARAM_ITER_DONE];
    solver_options_delete(options);
    return iterations;
}

static int solve(const FrictionContender* self, void* data, double tolerance, double* impulse) {
    return run(self, data, tolerance, UNLIMITED, impulse);
}

#define OUT_OF_REACH 1e-300 // a tolerance that only the limit of sweeps ends

static void sweep(const FrictionContender* self, void* data, int sweeps, double* impulse) {
    run(self, data, OUT_OF_REACH, sweeps, impulse);
}

const FrictionContender* friction_siconos(int* count) {
    static const FrictionContender contenders[] = {
        {"siconos-nsgs", NULL, SICONOS_FRICTION_3D_NSGS, 3, prepare, solve, sweep},
        {"siconos-prox", NULL, SICONOS_FRICTION_3D_PROX, 3, prepare, solve, NULL},
        {"siconos-nsn_ac", NULL, SICONOS_FRICTION_3D_NSN_AC, 3, prepare, solve, NULL},
        {"siconos-eg", NULL, SICONOS_FRICTION_3D_EG, 3, prepare, solve, NULL},
        {"siconos-2d-nsgs", NULL, SICONOS_FRICTION_2D_NSGS, 2, prepare, solve, NULL},
    };
    *count = (int)(sizeof contenders / sizeof contenders[0]);
    return contenders;
}
