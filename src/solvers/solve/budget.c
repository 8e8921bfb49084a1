// budget.c - the default work budget of a solve, and what the common steps of solvers cost.
#include "solvers/solve/budget.h"

#include "constraints/problem/masses.h"
#include <math.h>

// Multiplications allowed for a problem solved alone: a constant, plus so many per row. The hardest
// problem of the collections takes 2e10 with 1620 rows.
#define LEAST_BUDGET 6e10
#define BUDGET_PER_ROW 1e6

// For a problem of a world's step: small ones get enough for all attempts of `auto`, large ones
// some hundreds of sweeps, which is one second at 36,000 rows.
#define LEAST_OF_STEP 1e8
#define STEP_PER_ROW 3e6
#define LARGE_OF_STEP 2.4e9
#define LARGE_STEP_PER_ROW 2e4

// Large problems of a step that are to be solved to fewer digits than this [m/s] get less for each
// of them: in piles a digit more takes 1.75 times the sweeps.
#define FULL_TOLERANCE 1e-8
#define SHARE_OF_DIGIT 0.57

// Machines in contact, with at most so many contacts for each joint, get less: sweeps along their
// trees are quick, and what they do not solve within it others do not solve either.
#define SHARE_OF_MACHINES 0.5
#define CONTACTS_PER_JOINT 4

// Costs: of one row: J v of two bodies and J^T p; of one block: its masses, its solution, or its
// law with the eigenvalues of W_aa; of an entry that is read to be used once.
#define COST_OF_NUMBER 2.0
#define COST_OF_ROW 24.0
#define COST_OF_MASSES 100.0
#define COST_OF_SOLUTION 80.0
#define COST_OF_GRADE 1000.0

double cn_budget_resolve(const CnProblem* problem, double asked) {
    return asked > 0.0 ? asked : LEAST_BUDGET + BUDGET_PER_ROW * problem->row_count;
}

// The reduced budget of a large problem with a looser tolerance.
static double share_of_digits(double tolerance) {
    double share = 1.0;
    for (double level = 10.0 * FULL_TOLERANCE; level <= tolerance && level < 1.0; level *= 10.0) {
        share *= SHARE_OF_DIGIT;
    }
    return share;
}

static bool is_of_machines(const CnProblem* problem) {
    int joints = 0, contacts = 0;
    for (int i = 0; i < problem->block_count; ++i) {
        joints += problem->blocks[i].law == CN_LAW_EQUALITY;
        contacts += problem->blocks[i].law == CN_LAW_COULOMB;
    }
    return contacts > 0 && contacts <= CONTACTS_PER_JOINT * joints;
}

double cn_budget_of_step(const CnProblem* problem, const CnSolverDef* def) {
    double rows = problem->row_count;
    double small = LEAST_OF_STEP + STEP_PER_ROW * rows;
    double large = LARGE_OF_STEP + LARGE_STEP_PER_ROW * rows;
    double share = def->measure == CN_ERROR_VELOCITY ? share_of_digits(def->tolerance) : 1.0;
    share *= is_of_machines(problem) ? SHARE_OF_MACHINES : 1.0;
    return def->work_budget > 0.0 ? def->work_budget : fmin(small, share * large);
}

// Cost of W p where W, or M and J, are given as matrices.
static double cost_of_numbers(const CnProblem* problem) {
    if (problem->response != NULL) {
        return COST_OF_NUMBER * problem->response->start[problem->row_count];
    }
    if (problem->masses == NULL) {
        return 0.0;
    }
    const CnMasses* masses = problem->masses;
    double numbers = 2.0 * masses->jacobian.start[masses->jacobian.rows];
    for (int k = 0; k < masses->lu->part_count; ++k) {
        numbers += (double)cn_component_lu_numbers(masses->lu, k);
    }
    return COST_OF_NUMBER * numbers;
}

double cn_cost_of_velocities(const CnProblem* problem) {
    return cost_of_numbers(problem) + COST_OF_ROW * problem->row_count +
           COST_OF_MASSES * problem->block_count;
}

double cn_cost_of_certificate(const CnProblem* problem) {
    return cn_cost_of_velocities(problem) + COST_OF_ROW * problem->row_count +
           COST_OF_GRADE * problem->block_count;
}

double cn_cost_of_sweep(const CnProblem* problem) {
    return cost_of_numbers(problem) + COST_OF_ROW * problem->row_count +
           COST_OF_SOLUTION * problem->block_count;
}
