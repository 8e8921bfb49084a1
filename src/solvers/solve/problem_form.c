// problem_form.c - whether a solver gets the masses of a problem or the condensed W.
#include "solvers/solve/problem_form.h"

#include "base/error.h"
#include "constraints/problem/masses.h"
#include "solvers/matrix/kkt.h"
#include <stdio.h>
#include <string.h>

// The two forms are compared by the cost of so many factorisations of an interior point: easy
// problems take 10 to 25. A multiplication of a triangular solve, whose operand is read from memory
// once, takes as long as several of a factorisation.
#define FACTORISATIONS 25.0
#define SOLVE_COST 3.0

// Multiplications to form W and factor it, whose parts are dense: (18).
static double cost_of_response(const CnMasses* masses) {
    double sum = 0.0;
    for (int k = 0; k < masses->lu->part_count; ++k) {
        double rows = masses->part_start[k + 1] - masses->part_start[k];
        double factor = (double)cn_component_lu_numbers(masses->lu, k);
        sum += SOLVE_COST * rows * factor + FACTORISATIONS * rows * rows * rows / 3.0;
    }
    return sum;
}

// A factor has at least the entries of M and J, so it need not be planned if W is smaller than
// these: (17).
static CnStatus prefers_masses(const CnForm* form, CnArena* arena, bool* prefers) {
    const CnMasses* masses = form->problem.masses;
    const CnSparseRows *mass = &masses->mass, *jacobian = &masses->jacobian;
    double given = (double)mass->start[mass->rows] + 2.0 * jacobian->start[jacobian->rows];
    *prefers = false;
    if (form->entries <= given) {
        return CN_OK;
    }
    double multiplications;
    CnStatus status = cn_kkt_cost(&form->problem, arena, &multiplications);
    *prefers = form->entries > (double)CN_CONDENSED_LIMIT ||
               cost_of_response(masses) > FACTORISATIONS * multiplications;
    return status;
}

CnStatus cn_form_choose(const CnProblem* problem, const CnSolverInfo* solver, CnArena* arena,
                        CnForm* form, CnError* error) {
    *form = (CnForm){.problem = *problem};
    if (problem->masses == NULL) {
        return CN_OK;
    }
    form->entries = (double)cn_masses_response_entries(problem->masses);
    bool keeps = false;
    CnStatus status = solver->takes_masses ? prefers_masses(form, arena, &keeps) : CN_OK;
    if (status != CN_OK || keeps) {
        return status;
    }
    if (form->entries > (double)CN_CONDENSED_LIMIT) {
        return cn_error_set(error, CN_UNSUPPORTED,
                            "solver %s needs W, which may have %.2g entries (at most %.2g); "
                            "cone_ip, admm and extragradient work on masses",
                            solver->name, form->entries, (double)CN_CONDENSED_LIMIT);
    }
    return cn_form_condense(form, arena);
}

CnStatus cn_form_condense(CnForm* form, CnArena* arena) {
    CnProblem problem = form->problem;
    CnStatus status = form->entries > (double)CN_CONDENSED_LIMIT
                          ? CN_NO_MEMORY
                          : cn_condense(&problem, arena, &form->problem);
    form->is_condensed = status == CN_OK;
    return status;
}

void cn_form_describe(const CnForm* form, CnSolverReport* report) {
    size_t used = strlen(report->remark);
    const char* separator = used > 0 ? "; " : "";
    if (form->is_condensed) {
        snprintf(report->remark + used, sizeof report->remark - used,
                 "%smasses condensed to %.2g entries of W", separator,
                 (double)form->problem.response->start[form->problem.row_count]);
    } else if (form->problem.masses != NULL) {
        snprintf(report->remark + used, sizeof report->remark - used,
                 "%smasses kept, not %.2g entries of W", separator, form->entries);
    }
}
