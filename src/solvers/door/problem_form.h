// problem_form.h - whether a solver sees the masses of a problem, or the W they come to.
#pragma once

#include "base/arena.h"
#include "cairn/solver.h"

typedef struct CnForm {
    CnProblem problem; // as the solver is to see it
    bool is_condensed; // W in place of masses
    double entries;    // of W, at most
} CnForm;

// The cheaper form of those that the solver takes: docs/theory/problem.md (17), (18).
// CN_UNSUPPORTED: it takes only W, which would be too large.
CnStatus cn_form_choose(const CnProblem* problem, const CnSolverInfo* solver, CnArena* arena,
                        CnForm* form, CnError* error);

// From masses to W. CN_NO_MEMORY: it would be too large.
CnStatus cn_form_condense(CnForm* form, CnArena* arena);

// Adds to a remark which form it was.
void cn_form_describe(const CnForm* form, CnSolverReport* report);
