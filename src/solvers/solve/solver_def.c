// solver_def.c - defaults and validation of CnSolverDef.
#include "base/error.h"
#include "base/guard.h"
#include "constraints/problem/problem_check.h"
#include "solvers/solve/solver.h"
#include <math.h>
#include <string.h>

#define MAX_SOLVERS 32 // room for names when one is misspelt

CnSolverDef cn_solver_def_default(void) {
    return (CnSolverDef){
        .name = "auto",
        .tolerance = 1e-8,
        .warm_start = true,
        .friction = CN_FRICTION_EXACT,
        .pyramid_sides = 8,
        .preconditioner = CN_PRECONDITIONER_DIAGONAL,
        .over_relaxation = 1.0,
        .guard = CN_DEF_GUARD,
    };
}

static CnStatus check_name(const char* name, CnError* error) {
    if (name == NULL) {
        return cn_error_set(error, CN_INVALID, "solver name is NULL");
    }
    if (cn_solver_find(name) != NULL) {
        return CN_OK;
    }
    if (strcmp(name, cn_solver_tree.info.name) == 0) {
        return cn_error_set(error, CN_INVALID,
                            "\"%s\" is a part of \"auto\", which uses it where bodies have joints; "
                            "name \"auto\"",
                            name);
    }
    const char* names[MAX_SOLVERS];
    int count = cn_solver_count();
    CN_ASSERT(count <= MAX_SOLVERS);
    for (int i = 0; i < count; ++i) {
        names[i] = cn_solver_at(i).name;
    }
    const char* nearest = cn_nearest_name(name, names, count);
    if (nearest != NULL) {
        return cn_error_set(error, CN_INVALID, "there is no solver \"%s\"; did you mean \"%s\"?",
                            name, nearest);
    }
    return cn_error_set(error, CN_INVALID, "there is no solver \"%s\"", name);
}

static CnStatus refuse_field(const char** field, const char* name) {
    if (field != NULL) {
        *field = name;
    }
    return CN_INVALID;
}

CnStatus cn_solver_def_check(const CnSolverDef* def, const char** field, CnError* error) {
    if (def->guard != CN_DEF_GUARD) {
        cn_error_set(error, CN_INVALID, "solver def was not started from cn_solver_def_default()");
        return refuse_field(field, "guard");
    }
    if (!(def->tolerance > 0.0) || !isfinite(def->tolerance)) {
        cn_error_set(error, CN_INVALID, "solver tolerance is %g%s; it must be finite and above 0",
                     def->tolerance, def->measure == CN_ERROR_VELOCITY ? " m/s" : "");
        return refuse_field(field, "tolerance");
    }
    if ((unsigned)def->measure >= CN_ERROR_COUNT) {
        cn_error_set(error, CN_INVALID, "there is no measure %d of an error", (int)def->measure);
        return refuse_field(field, "measure");
    }
    if (def->max_iterations < 0) {
        cn_error_set(error, CN_INVALID, "solver max_iterations is %d; it must be at least 0",
                     def->max_iterations);
        return refuse_field(field, "max_iterations");
    }
    if ((unsigned)def->friction >= CN_FRICTION_COUNT) {
        cn_error_set(error, CN_INVALID, "there is no friction model %d", (int)def->friction);
        return refuse_field(field, "friction");
    }
    if (cn_pyramid_sides_check(def->pyramid_sides, "solver", error) != CN_OK) {
        return refuse_field(field, "pyramid_sides");
    }
    if (def->preconditioner != CN_PRECONDITIONER_NONE &&
        def->preconditioner != CN_PRECONDITIONER_DIAGONAL) {
        cn_error_set(error, CN_INVALID, "there is no preconditioner %d", (int)def->preconditioner);
        return refuse_field(field, "preconditioner");
    }
    if (!(def->regularisation >= 0.0) || !isfinite(def->regularisation)) {
        cn_error_set(error, CN_INVALID,
                     "solver regularisation is %g; it must be finite and at least 0",
                     def->regularisation);
        return refuse_field(field, "regularisation");
    }
    if (!(def->over_relaxation > 0.0 && def->over_relaxation < 2.0)) {
        cn_error_set(error, CN_INVALID, "solver over_relaxation is %g; it must be between 0 and 2",
                     def->over_relaxation);
        return refuse_field(field, "over_relaxation");
    }
    if (def->shuffle < 0) {
        cn_error_set(error, CN_INVALID, "solver shuffle is %d; it must be at least 0",
                     def->shuffle);
        return refuse_field(field, "shuffle");
    }
    if (def->freeze_after < 0) {
        cn_error_set(error, CN_INVALID, "solver freeze_after is %d sweeps; it must be at least 0",
                     def->freeze_after);
        return refuse_field(field, "freeze_after");
    }
    if (!(def->work_budget >= 0.0)) {
        cn_error_set(error, CN_INVALID,
                     "solver work_budget is %g multiplications; it must be at least 0",
                     def->work_budget);
        return refuse_field(field, "work_budget");
    }
    if (!(def->deadline >= 0.0)) {
        cn_error_set(error, CN_INVALID, "solver deadline is %g s; it must be at least 0",
                     def->deadline);
        return refuse_field(field, "deadline");
    }
    if (!(def->change_tolerance >= 0.0) || !isfinite(def->change_tolerance)) {
        cn_error_set(error, CN_INVALID,
                     "solver change_tolerance is %g N s; it must be finite and at least 0",
                     def->change_tolerance);
        return refuse_field(field, "change_tolerance");
    }
    if (!(def->impulse_limit >= 0.0) || !isfinite(def->impulse_limit)) {
        cn_error_set(error, CN_INVALID,
                     "solver impulse_limit is %g N s; it must be finite and at least 0",
                     def->impulse_limit);
        return refuse_field(field, "impulse_limit");
    }
    return check_name(def->name, error) == CN_OK ? CN_OK : refuse_field(field, "name");
}
