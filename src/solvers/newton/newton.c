// newton.c - Newton steps on the laws of all blocks at once, by a sparse factorisation.
#include "solvers/newton/newton.h"

#include "constraints/problem/block.h"
#include <math.h>
#include <string.h>

// Cost of a block's law and its derivatives, in multiplications.
#define WORK_OF_LAW 400.0

// Cost of an entry of the matrix: computed, and used in a refinement step.
#define WORK_OF_FILLING 8.0

// A direction is one factorisation, a solution and its refinement: docs/theory/budget.md (5).
static void count_work(CnNewtonSystem* newton) {
    const CnBlockRows* w = &newton->assembled->w;
    const CnLuPlan* plan = &newton->lu.plan;
    double numbers = (double)cn_block_rows_numbers(w);
    newton->work_to_evaluate = 2.0 * numbers + WORK_OF_LAW * w->block_count;
    newton->work_to_step =
        cn_lu_factor_work(plan) + 2.0 * cn_lu_solve_work(plan) + WORK_OF_FILLING * numbers;
}

CnStatus cn_newton_init(CnNewtonSystem* newton, const CnAssembled* assembled,
                        CnLinearise* linearise, double most, CnArena* arena) {
    const CnProblem* problem = assembled->problem;
    *newton = (CnNewtonSystem){.assembled = assembled, .linearise = linearise};
    double** vectors[] = {&newton->softness, &newton->center, &newton->u, &newton->dp,
                          &newton->weight,   &newton->right,  &newton->x, &newton->defect};
    for (size_t i = 0; i < sizeof vectors / sizeof vectors[0]; ++i) {
        *vectors[i] = CN_ARENA_NEW(arena, double, problem->row_count);
        if (*vectors[i] == NULL) {
            return CN_NO_MEMORY;
        }
    }
    for (int i = 0; i < problem->block_count; ++i) {
        const CnBlock* block = &problem->blocks[i];
        for (int k = 0; k < block->row_count; ++k) {
            newton->weight[block->first_row + k] = sqrt(assembled->lambda_max[i]);
        }
    }
    newton->laws = CN_ARENA_NEW(arena, CnLinearised, problem->block_count);
    if (newton->laws == NULL ||
        cn_block_rows_copy(&assembled->w, arena, &newton->matrix) != CN_OK) {
        return CN_NO_MEMORY;
    }
    CnStatus status = cn_lu_begin(&newton->lu, &newton->matrix, arena);
    if (status != CN_OK) {
        return status;
    }
    count_work(newton);
    newton->is_too_large = newton->work_to_step > most;
    return newton->is_too_large ? CN_OK : cn_lu_allocate(&newton->lu, &newton->matrix, arena);
}

// W_aa with its softness on the diagonal; returns its largest eigenvalue, or a little more.
static double soften(const CnNewtonSystem* newton, int block, double* w) {
    int n = newton->assembled->problem->blocks[block].row_count;
    int first = newton->assembled->problem->blocks[block].first_row;
    double largest = 0.0;
    memcpy(w, cn_block_rows_diagonal(&newton->assembled->w, block),
           (size_t)(n * n) * sizeof(double));
    for (int i = 0; i < n; ++i) {
        w[i * n + i] += newton->softness[first + i];
        largest = fmax(largest, newton->softness[first + i]);
    }
    return newton->assembled->lambda_max[block] + largest;
}

double cn_newton_evaluate(CnNewtonSystem* newton, const double* p) {
    const CnProblem* problem = newton->assembled->problem;
    double sum = 0.0;
    cn_assembled_velocity(newton->assembled, p, newton->u);
    for (int i = 0; i < problem->row_count; ++i) {
        newton->u[i] += newton->softness[i] * (p[i] - newton->center[i]);
    }
    for (int i = 0; i < problem->block_count; ++i) {
        const CnBlock* block = &problem->blocks[i];
        CnLinearised* law = &newton->laws[i];
        double w[CN_MAX_ROWS * CN_MAX_ROWS];
        double lambda = soften(newton, i, w);
        memset(law, 0, sizeof *law);
        newton->linearise(problem, block, w, 1.0 / lambda, newton->u + block->first_row,
                          p + block->first_row, law);
        for (int k = 0; k < block->row_count; ++k) {
            sum += lambda * law->phi[k] * law->phi[k];
        }
    }
    return sqrt(sum);
}

// Block (a, b) of the matrix: weight_a A_a W_ab / weight_b.
static void fill_pair(CnNewtonSystem* newton, int a, int entry) {
    const CnBlockRows* w = &newton->assembled->w;
    const CnBlock* block = &newton->assembled->problem->blocks[a];
    const CnBlock* other = &newton->assembled->problem->blocks[w->column[entry]];
    double scale = newton->weight[block->first_row] / newton->weight[other->first_row];
    const double* from = w->value + w->position[entry];
    double* to = newton->matrix.value + newton->matrix.position[entry];
    int n = block->row_count, m = other->row_count;
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j < m; ++j) {
            double sum = 0.0;
            for (int k = 0; k < n; ++k) {
                sum += newton->laws[a].a[i][k] * from[k * m + j];
            }
            to[i * m + j] = scale * sum;
        }
    }
}

// The diagonal block's other terms: A softness + B.
static void fill_own(CnNewtonSystem* newton, int a) {
    const CnBlock* block = &newton->assembled->problem->blocks[a];
    double* to = cn_block_rows_diagonal(&newton->matrix, a);
    for (int i = 0; i < block->row_count; ++i) {
        for (int j = 0; j < block->row_count; ++j) {
            to[i * block->row_count + j] +=
                newton->laws[a].a[i][j] * newton->softness[block->first_row + j] +
                newton->laws[a].b[i][j];
        }
    }
}

bool cn_newton_direction(CnNewtonSystem* newton) {
    const CnProblem* problem = newton->assembled->problem;
    for (int a = 0; a < problem->block_count; ++a) {
        const CnBlock* block = &problem->blocks[a];
        for (int e = newton->matrix.start[a]; e < newton->matrix.start[a + 1]; ++e) {
            fill_pair(newton, a, e);
        }
        fill_own(newton, a);
        for (int k = 0; k < block->row_count; ++k) {
            int row = block->first_row + k;
            newton->right[row] = -newton->weight[row] * newton->laws[a].phi[k];
        }
    }
    if (!cn_lu_factor(&newton->lu, &newton->matrix)) {
        return false;
    }
    cn_lu_solve(&newton->lu, newton->right, newton->x);
    cn_lu_refine(&newton->lu, &newton->matrix, newton->right, newton->x, newton->defect);
    for (int i = 0; i < problem->row_count; ++i) {
        newton->dp[i] = newton->x[i] / newton->weight[i];
    }
    return true;
}
