// problem_form.h - whether a solver gets the masses of a problem or the condensed W.
#pragma once

#include "base/arena.h"
#include "cairn/solver.h"

typedef struct CnForm {
    CnProblem problem; // as passed to the solver
    bool is_condensed; // W in place of masses
    double entries;    // of W, at most
} CnForm;

// The cheaper form of those that the solver supports: docs/theory/problem.md (17), (18).
// CN_UNSUPPORTED: it supports only W, which would be too large.
CnStatus cn_form_choose(const CnProblem* problem, const CnSolverInfo* solver, CnArena* arena,
                        CnForm* form, CnError* error);

// From masses to W. CN_NO_MEMORY: it would be too large.
CnStatus cn_form_condense(CnForm* form, CnArena* arena);

// Adds the form to a remark.
void cn_form_describe(const CnForm* form, CnSolverReport* report);
