// iterate.c - shared by solvers that update all impulses at once: scales, velocities, grades.
#include "solvers/first_order/iterate.h"

#include "constraints/problem/block.h"
#include "constraints/problem/certificate.h"
#include "solvers/solve/budget.h"
#include <math.h>
#include <string.h>

static CnStatus measure_blocks(CnIterate* iterate, CnArena* arena) {
    const CnProblem* problem = iterate->problem;
    size_t size = 0;
    for (int i = 0; i < problem->block_count; ++i) {
        size += (size_t)(problem->blocks[i].row_count * problem->blocks[i].row_count);
    }
    double* w = CN_ARENA_NEW(arena, double, size);
    if (w == NULL) {
        return CN_NO_MEMORY;
    }
    for (int i = 0; i < problem->block_count; ++i) {
        const CnBlock* block = &problem->blocks[i];
        iterate->w[i] = w;
        cn_block_delassus(problem, block, w);
        iterate->lambda[i] = cn_block_largest_eigenvalue(w, block->row_count);
        w += block->row_count * block->row_count;
    }
    return CN_OK;
}

CnStatus cn_iterate_init(CnIterate* iterate, const CnProblem* problem, const CnSolverDef* def,
                         CnArena* arena) {
    size_t bodies = (size_t)problem->body_count;
    double* no_target = CN_ARENA_NEW(arena, double, problem->row_count);
    double(*no_velocity)[6] = cn_arena_allocate(arena, bodies, sizeof(double[6]));
    *iterate = (CnIterate){
        .problem = problem,
        .homogeneous = *problem,
        .measure = def->measure,
        .tolerance = def->tolerance,
        .w = CN_ARENA_NEW(arena, double*, problem->block_count),
        .lambda = CN_ARENA_NEW(arena, double, problem->block_count),
        .best = CN_ARENA_NEW(arena, double, problem->row_count),
        .best_error = HUGE_VAL,
        .renewed_error = HUGE_VAL,
        .work_to_grade = cn_cost_of_certificate(problem),
        .work_to_respond = cn_cost_of_velocities(problem),
        .velocity = cn_arena_allocate(arena, bodies, sizeof(double[6])),
        .scratch = cn_arena_allocate(arena, bodies, sizeof(double[6])),
    };
    iterate->homogeneous.target = no_target;
    iterate->homogeneous.free_velocity = (const double(*)[6])no_velocity;
    if (no_target == NULL || no_velocity == NULL || iterate->w == NULL || iterate->lambda == NULL ||
        iterate->best == NULL || iterate->velocity == NULL || iterate->scratch == NULL) {
        return CN_NO_MEMORY;
    }
    return measure_blocks(iterate, arena);
}

static void respond(const CnProblem* problem, const double* p, double (*velocity)[6], double* u) {
    cn_problem_velocity(problem, p, velocity);
    for (int i = 0; i < problem->block_count; ++i) {
        const CnBlock* block = &problem->blocks[i];
        cn_block_velocity(problem, block, (const double(*)[6])velocity, p, u + block->first_row);
    }
}

void cn_iterate_velocity(CnIterate* iterate, const double* p, double* u) {
    respond(iterate->problem, p, iterate->velocity, u);
}

void cn_iterate_multiply(CnIterate* iterate, const double* x, double* y) {
    respond(&iterate->homogeneous, x, iterate->velocity, y);
}

void cn_iterate_natural_map(const CnIterate* iterate, double step, const double* u, const double* p,
                            double* out) {
    for (int i = 0; i < iterate->problem->block_count; ++i) {
        const CnBlock* block = &iterate->problem->blocks[i];
        int row = block->first_row;
        cn_block_natural_map(iterate->problem, block, step / iterate->lambda[i], u + row, p + row,
                             out + row);
    }
}

double cn_iterate_grade(CnIterate* iterate, const double* p) {
    CnCertificate certificate;
    size_t rows = (size_t)iterate->problem->row_count;
    CnSolution solution = {(double*)p, iterate->velocity}; // the certificate only reads
    cn_problem_velocity(iterate->problem, p, iterate->velocity);
    cn_certify(iterate->problem, &solution, iterate->scratch, NULL, &certificate);
    // The relative errors are NaN or infinite together with the worst residual, not always alone.
    double error = isfinite(certificate.worst)
                       ? cn_certificate_error(&certificate, iterate->measure)
                       : HUGE_VAL;
    if (error < iterate->best_error) {
        iterate->best_error = error;
        memcpy(iterate->best, p, rows * sizeof(double));
    }
    return error;
}

bool cn_iterate_is_solved(const CnIterate* iterate) {
    return iterate->best_error <= iterate->tolerance;
}

bool cn_iterate_is_idle(CnIterate* iterate, int iteration, int patience) {
    if (iterate->best_error < 0.5 * iterate->renewed_error) {
        iterate->renewed_error = iterate->best_error;
        iterate->renewed_at = iteration;
    }
    return iteration - iterate->renewed_at >= patience;
}

void cn_iterate_conclude(const CnIterate* iterate, int iterations, int limit, CnSolution* solution,
                         CnSolverReport* report) {
    report->iterations = iterations;
    if (iterate->best_error == HUGE_VAL) {
        report->outcome = CN_BROKE_DOWN;
        return;
    }
    memcpy(solution->impulse, iterate->best, (size_t)iterate->problem->row_count * sizeof(double));
    cn_problem_velocity(iterate->problem, solution->impulse, solution->velocity);
    report->outcome = cn_iterate_is_solved(iterate) ? CN_CONVERGED
                      : iterations >= limit         ? CN_OUT_OF_ITERATIONS
                                                    : CN_STALLED;
}

// x . y over the rows of one block.
static double block_dot(const CnBlock* block, const double* x, const double* y) {
    double sum = 0.0;
    for (int row = block->first_row; row < block->first_row + block->row_count; ++row) {
        sum += x[row] * y[row];
    }
    return sum;
}

double cn_iterate_impulse_dot(const CnIterate* iterate, const double* x, const double* y) {
    double sum = 0.0;
    for (int i = 0; i < iterate->problem->block_count; ++i) {
        sum += iterate->lambda[i] * block_dot(&iterate->problem->blocks[i], x, y);
    }
    return sum;
}

double cn_iterate_velocity_dot(const CnIterate* iterate, const double* x, const double* y) {
    double sum = 0.0;
    for (int i = 0; i < iterate->problem->block_count; ++i) {
        sum += block_dot(&iterate->problem->blocks[i], x, y) / iterate->lambda[i];
    }
    return sum;
}
