// nets.c - factors of nets of joints, kept in the world.
#include "world/islands/nets.h"

bool cn_nets_reserve(CnWorld* world) {
    if (!cn_array_reserve(&world->net_factors, &world->allocator, world->bodies.count)) {
        return false;
    }
    while (world->net_factors.count < world->bodies.count) {
        world->net_factors.data[world->net_factors.count++] = NULL;
    }
    return true;
}

bool cn_nets_have_guess(const CnProblem* problem, const CnSolverDef* def, const double* impulse) {
    bool has_guess = false;
    for (int i = 0; def->warm_start && !has_guess && i < problem->row_count; ++i) {
        has_guess = impulse[i] != 0.0;
    }
    return has_guess;
}

CnStatus cn_nets_solve(CnWorld* world, const CnProblem* problem, const int* body,
                       const CnSolverDef* def, const CnPast* past, CnArena* scratch,
                       CnSolution* solution, CnSolverReport* report, bool* found) {
    int first = -1;
    *found = false;
    if (!cn_net_suits(problem, def)) {
        return CN_OK;
    }
    for (int i = 0; i < problem->body_count; ++i) {
        if (problem->inverse_mass[i] > 0.0 && (first < 0 || body[i] < first)) {
            first = body[i];
        }
    }
    CnNetFactor** factor = &world->net_factors.data[first];
    if (*factor == NULL) {
        *factor = cn_net_factor_create(&world->allocator);
    }
    return *factor == NULL
               ? CN_NO_MEMORY
               : cn_net_solve(*factor, problem, def, past, scratch, solution, report, found);
}
