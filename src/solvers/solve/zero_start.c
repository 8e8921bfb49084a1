// zero_start.c - a cheap test whether zero impulses miss the tolerance.
//
// Without impulses u is q. The worst residual is at least that of any block, and fclib_error is a
// sum of squares over |q|: both can only grow with the remaining blocks.
#include "solvers/solve/zero_start.h"

#include "constraints/problem/block.h"
#include <math.h>

static const double zero[CN_MAX_ROWS];

bool cn_zero_is_wrong(const CnProblem* problem, const CnSolverDef* def) {
    double q[CN_MAX_ROWS], q_square = 0.0, sum = 0.0;
    for (int i = 0; i < problem->block_count; ++i) {
        const CnBlock* block = &problem->blocks[i];
        cn_block_free_velocity(problem, block, q);
        for (int k = 0; k < block->row_count; ++k) {
            q_square += q[k] * q[k];
        }
    }
    bool is_wrong = false;
    double largest = def->tolerance * def->tolerance * q_square;
    for (int i = 0; i < problem->block_count && !is_wrong; ++i) {
        const CnBlock* block = &problem->blocks[i];
        double square;
        cn_block_free_velocity(problem, block, q);
        if (def->measure == CN_ERROR_VELOCITY) {
            double residual = cn_block_grade(problem, block, q, zero);
            is_wrong = residual > def->tolerance && isfinite(residual);
        } else {
            cn_block_map_squares(problem, block, 1, (const double[1]){1.0}, q, zero, &square);
            sum += square;
            is_wrong = sum > largest;
        }
    }
    return is_wrong && isfinite(q_square);
}
