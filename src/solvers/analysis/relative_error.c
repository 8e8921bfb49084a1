// relative_error.c - the relative errors of the certificate, for solvers that already have W and u.
#include "solvers/analysis/relative_error.h"

#include "constraints/problem/block.h"
#include <math.h>

double cn_relative_error(const CnProblem* problem, const CnErrorSize* size, const double* p,
                         const double* u) {
    double p_square = 0.0, u_square = 0.0, plain = 0.0, scaled = 0.0;
    const double rho[2] = {1.0, problem->row_count / size->trace};
    for (int i = 0; i < problem->row_count; ++i) {
        p_square += p[i] * p[i];
        u_square += u[i] * u[i];
    }
    for (int b = 0; b < problem->block_count; ++b) {
        const CnBlock* block = &problem->blocks[b];
        double square[2];
        cn_block_map_squares(problem, block, 2, rho, u + block->first_row, p + block->first_row,
                             square);
        plain += square[0];
        scaled += square[1];
    }
    double velocity = fmax(u_square, size->q_square);
    if (plain == 0.0 && scaled == 0.0) { // also for q = 0: 0 / 0
        return 0.0;
    }
    double error = fmax(sqrt(plain / fmax(p_square, velocity)),
                        sqrt(scaled / fmax(p_square, rho[1] * rho[1] * velocity)));
    return isnan(error) ? HUGE_VAL : error;
}
