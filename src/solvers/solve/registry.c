// registry.c - the one list of solvers.
#include "solvers/solve/solver.h"

#include <string.h>

// In the order of `cairn solvers`: auto, then from the simplest to the most specialised.
static const CnSolver* const solvers[] = {
    &cn_solver_auto,
    &cn_solver_pgs,
    &cn_solver_pgs_lanes, // the same sweeps on tiles of floats
    &cn_solver_nsgs,
    &cn_solver_nsgs_momentum,
    &cn_solver_extragradient,
    &cn_solver_admm,
    &cn_solver_newton_projected,
    &cn_solver_newton_ac,
    &cn_solver_newton_fb,
    &cn_solver_cone_ip,
    &cn_solver_direct,
    &cn_solver_active_set,
    &cn_solver_lemke,
    &cn_solver_penalty,
};
static const int solver_count = (int)(sizeof solvers / sizeof solvers[0]);

const CnSolver* cn_solver_find(const char* name) {
    for (int i = 0; i < solver_count; ++i) {
        if (strcmp(solvers[i]->info.name, name) == 0) {
            return solvers[i];
        }
    }
    bool is_step = strcmp(cn_solver_newton_fb_step.info.name, name) == 0;
    return is_step ? &cn_solver_newton_fb_step : NULL;
}

int cn_solver_count(void) {
    return solver_count;
}

CnSolverInfo cn_solver_at(int index) {
    return solvers[index]->info;
}
