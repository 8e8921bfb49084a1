// refusal.c - saying what a solver cannot do, and which solvers can.
#include "solvers/refusal.h"

#include "base/error.h"
#include "constraints/block.h"
#include <stdio.h>
#include <string.h>

#define NAME_SIZE 80  // of a block, in a sentence
#define LIST_SIZE 120 // of solvers

// "a, b, c": the solvers that meet a law.
static void list_solvers(CnLaw law, char* list, size_t size) {
    list[0] = '\0';
    for (int i = 0; i < cn_solver_count(); ++i) {
        CnSolverInfo info = cn_solver_at(i);
        size_t used = strlen(list);
        if ((info.laws & (1u << law)) != 0) {
            snprintf(list + used, size - used, "%s%s", used > 0 ? ", " : "", info.name);
        }
    }
}

static CnStatus refuse_wide(const CnProblem* problem, int block, const CnSolverInfo* solver,
                            CnError* error) {
    char name[NAME_SIZE];
    cn_block_describe(problem, block, name, sizeof name);
    return cn_error_set(error, CN_UNSUPPORTED,
                        "solver %s takes contacts of up to 3 rows; %s has %d (torsion or rolling)",
                        solver->name, name, problem->blocks[block].row_count);
}

static bool meets(const CnSolverInfo* solver, const CnBlock* block) {
    bool smooth = block->law == CN_LAW_COULOMB && block->friction == 0.0;
    unsigned enough = 1u << block->law | (smooth ? 1u << CN_LAW_BOUNDS : 0u);
    return (solver->laws & enough) != 0;
}

CnStatus cn_refuse_laws(const CnProblem* problem, const CnSolverInfo* solver, CnError* error) {
    if ((problem->response != NULL || problem->masses != NULL) && solver->needs_bodies) {
        return cn_error_set(
            error, CN_UNSUPPORTED, "solver %s works on bodies; this problem gives %s instead",
            solver->name,
            problem->masses != NULL ? "masses of other coordinates" : "the response of its rows");
    }
    for (int i = 0; i < problem->block_count; ++i) {
        CnLaw law = problem->blocks[i].law;
        if (law == CN_LAW_COULOMB && problem->blocks[i].row_count > 3 && !solver->wide_contacts) {
            return refuse_wide(problem, i, solver, error);
        }
        if (!meets(solver, &problem->blocks[i])) {
            char name[NAME_SIZE], list[LIST_SIZE];
            cn_block_describe(problem, i, name, sizeof name);
            list_solvers(law, list, sizeof list);
            return cn_error_set(error, CN_UNSUPPORTED,
                                "solver %s does not meet the law \"%s\" of %s; these do: %s",
                                solver->name, cn_law_name(law), name, list);
        }
    }
    return CN_OK;
}

CnStatus cn_refuse_box_friction(const CnSolverDef* def, const char* solver, CnError* error) {
    if (def->friction == CN_FRICTION_EXACT) {
        return CN_OK;
    }
    return cn_error_set(error, CN_UNSUPPORTED,
                        "solver %s knows only the exact friction cone; pgs has the box", solver);
}
