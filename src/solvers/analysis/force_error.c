// force_error.c - how far unique forces are from exact, to first order.
#include "solvers/analysis/force_error.h"

#include "solvers/newton/newton.h"
#include <math.h>

CnStatus cn_force_error(const CnProblem* problem, const double* impulse, CnArena* arena,
                        double* largest) {
    CnAssembled assembled;
    CnNewtonSystem newton;
    *largest = HUGE_VAL;
    CnStatus status = cn_assemble(problem, arena, &assembled);
    if (status == CN_OK) {
        status = cn_newton_init(&newton, &assembled, cn_linearise_natural, HUGE_VAL, arena);
    }
    if (status != CN_OK) {
        return status;
    }
    cn_newton_evaluate(&newton, impulse);
    if (cn_newton_direction(&newton)) {
        *largest = 0.0;
        for (int i = 0; i < problem->row_count; ++i) {
            *largest = fmax(*largest, fabs(newton.dp[i]));
        }
    }
    return CN_OK;
}
