// relative_error.c - the relative errors of the certificate, for solvers that know W and u already.
#include "solvers/relative_error.h"

#include "constraints/block.h"
#include <math.h>

// |p - P(p - rho u~)|^2 over all blocks.
static double map_square(const CnProblem* problem, double rho, const double* p, const double* u) {
    double sum = 0.0;
    for (int b = 0; b < problem->block_count; ++b) {
        const CnBlock* block = &problem->blocks[b];
        double map[CN_MAX_ROWS];
        cn_block_natural_map(problem, block, rho, u + block->first_row, p + block->first_row, map);
        for (int i = 0; i < block->row_count; ++i) {
            sum += map[i] * map[i];
        }
    }
    return sum;
}

double cn_relative_error(const CnProblem* problem, const CnErrorSize* size, const double* p,
                         const double* u) {
    double p_square = 0.0, u_square = 0.0;
    for (int i = 0; i < problem->row_count; ++i) {
        p_square += p[i] * p[i];
        u_square += u[i] * u[i];
    }
    double rho = problem->row_count / size->trace;
    double plain = map_square(problem, 1.0, p, u);
    double scaled = map_square(problem, rho, p, u);
    double velocity = fmax(u_square, size->q_square);
    if (plain == 0.0 && scaled == 0.0) { // also where there is nothing to do: 0 / 0
        return 0.0;
    }
    double error = fmax(sqrt(plain / fmax(p_square, velocity)),
                        sqrt(scaled / fmax(p_square, rho * rho * velocity)));
    return isnan(error) ? HUGE_VAL : error;
}
