// refusal.c - error messages for what a solver does not support, naming solvers that do.
#include "solvers/solve/refusal.h"

#include "base/error.h"
#include "constraints/problem/block.h"
#include <stdio.h>
#include <string.h>

#define NAME_SIZE 80  // of a block, in a sentence
#define LIST_SIZE 160 // of solvers

// Whether a solver supports something, given as one bit of a mask.
typedef bool Can(const CnSolverInfo* solver, unsigned bit);

static bool has_law(const CnSolverInfo* solver, unsigned law) {
    return (solver->laws & (1u << law)) != 0;
}

static bool has_friction(const CnSolverInfo* solver, unsigned model) {
    return (solver->frictions & (1u << model)) != 0;
}

// "a, b, c": the solvers that support it.
static void list_solvers(Can* can, unsigned bit, char* list, size_t size) {
    list[0] = '\0';
    for (int i = 0; i < cn_solver_count(); ++i) {
        CnSolverInfo info = cn_solver_at(i);
        size_t used = strlen(list);
        if (can(&info, bit)) {
            snprintf(list + used, size - used, "%s%s", used > 0 ? ", " : "", info.name);
        }
    }
}

CnStatus cn_refuse_friction(CnFrictionModel friction, const CnSolverInfo* solver, CnError* error) {
    char list[LIST_SIZE];
    if (friction == CN_FRICTION_EXACT || has_friction(solver, friction)) {
        return CN_OK;
    }
    list_solvers(has_friction, friction, list, sizeof list);
    return cn_error_set(error, CN_UNSUPPORTED,
                        "solver %s does not support \"%s\" friction; these do: %s", solver->name,
                        cn_friction_model_name(friction), list);
}

static bool has_change(const CnSolverInfo* solver, unsigned bit) {
    (void)bit;
    return solver->stops_by_change;
}

static bool has_limit(const CnSolverInfo* solver, unsigned bit) {
    (void)bit;
    return solver->limits_impulses;
}

CnStatus cn_refuse_options(const CnSolverDef* def, const CnSolverInfo* solver, const char** field,
                           CnError* error) {
    const struct {
        const char* name;
        bool is_asked;
        Can* can;
    } options[] = {
        {"change_tolerance", def->change_tolerance > 0.0, has_change},
        {"impulse_limit", def->impulse_limit > 0.0, has_limit},
    };
    for (size_t i = 0; i < sizeof options / sizeof options[0]; ++i) {
        if (options[i].is_asked && !options[i].can(solver, 0)) {
            char list[LIST_SIZE];
            if (field != NULL) {
                *field = options[i].name;
            }
            list_solvers(options[i].can, 0, list, sizeof list);
            return cn_error_set(error, CN_UNSUPPORTED,
                                "solver %s does not support %s; these do: %s", solver->name,
                                options[i].name, list);
        }
    }
    return CN_OK;
}

static CnStatus refuse_wide(const CnProblem* problem, int block, const CnSolverInfo* solver,
                            CnError* error) {
    char name[NAME_SIZE];
    cn_block_describe(problem, block, name, sizeof name);
    return cn_error_set(
        error, CN_UNSUPPORTED,
        "solver %s supports contacts of up to 3 rows; %s has %d (torsion or rolling)", solver->name,
        name, problem->blocks[block].row_count);
}

// Support for friction other than the exact law has been checked before.
static bool meets(const CnSolverInfo* solver, CnFrictionModel friction, const CnBlock* block) {
    bool is_contact = block->law == CN_LAW_COULOMB;
    bool smooth = is_contact && block->friction == 0.0;
    return has_law(solver, block->law) || (smooth && has_law(solver, CN_LAW_BOUNDS)) ||
           (is_contact && friction != CN_FRICTION_EXACT);
}

CnStatus cn_refuse_laws(const CnProblem* problem, const CnSolverInfo* solver, CnError* error) {
    CnFrictionModel friction = problem->friction_model;
    CnStatus status = cn_refuse_friction(friction, solver, error);
    if (status != CN_OK) {
        return status;
    }
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
        if (!meets(solver, friction, &problem->blocks[i])) {
            char name[NAME_SIZE], list[LIST_SIZE];
            cn_block_describe(problem, i, name, sizeof name);
            list_solvers(has_law, law, list, sizeof list);
            return cn_error_set(error, CN_UNSUPPORTED,
                                "solver %s does not support the law \"%s\" of %s; these do: %s",
                                solver->name, cn_law_name(law), name, list);
        }
    }
    return CN_OK;
}
