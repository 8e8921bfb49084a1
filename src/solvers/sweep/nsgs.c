// nsgs.c - nonsmooth Gauss-Seidel: exact block answers in sweeps, accelerated and graded.
//
// A course of sweeps on all rows; where joints may be what makes it slow, it takes turns with one
// over what is left without joints. docs/theory/nsgs.md.
#include "solvers/door/solver.h"
#include "solvers/sweep/nsgs_turns.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

#define DEFAULT_ITERATIONS 10000 // sweeps and Newton steps

// What is solved by then needs no thoughts about joints.
#define SWEEPS_BEFORE_ELIMINATION 30

static CnStatus prepare(void* memory, const CnSolverDef* def, const CnProblem* problem,
                        CnArena* arena, CnError* error) {
    (void)error;
    CnCourse* course = memory;
    CnStatus status = cn_sweep_prepare(&course->sweep, problem, def->over_relaxation, arena);
    return status == CN_OK ? cn_course_begin(course, &course->sweep, def, arena) : status;
}

static void write_remark(const CnCourse* course, const CnElimination* other,
                         CnSolverReport* report) {
    const CnSweep* sweep = &course->sweep;
    int newton_steps = course->newton_steps + (other != NULL ? other->course.newton_steps : 0);
    char* text = report->remark;
    size_t size = sizeof report->remark;
    int used = (int)strlen(text); // why it stopped
    used +=
        snprintf(text + used, size - (size_t)used, "%d sweeps%s", report->iterations - newton_steps,
                 course->is_accelerating ? ", accelerated" : "");
    if (newton_steps > 0) {
        used += snprintf(text + used, size - (size_t)used, ", %d Newton steps", newton_steps);
    }
    if (other != NULL && other->is_built) {
        used += snprintf(text + used, size - (size_t)used, ", joints eliminated");
    }
    if (sweep->order != NULL && sweep->order->freeze_after > 0) {
        used += snprintf(text + used, size - (size_t)used, ", %lld visits spared",
                         (long long)sweep->order->spared);
    }
    if (sweep->enumerated + sweep->projected + sweep->failed > 0) {
        snprintf(text + used, size - (size_t)used,
                 "; contact answers by enumeration %d, by projection %d, not found %d",
                 sweep->enumerated, sweep->projected, sweep->failed);
    }
}

static CnStatus solve(void* memory, const CnSolverDef* def, const CnProblem* problem,
                      CnArena* arena, CnSolution* solution, CnSolverReport* report) {
    CnCourse* course = memory;
    double* p = solution->impulse;
    int limit = def->max_iterations > 0 ? def->max_iterations : DEFAULT_ITERATIONS;
    int first = limit < SWEEPS_BEFORE_ELIMINATION ? limit : SWEEPS_BEFORE_ELIMINATION;
    CnElimination* other = NULL;
    course->velocity = solution->velocity;
    course->total = cn_budget_of(def, report);
    cn_budget_spend(&course->total, course->work_of_grade); // the sweep was prepared
    CnStatus status = cn_course_run(course, first, p, report);
    if (status == CN_OK && report->outcome == CN_OUT_OF_ITERATIONS && report->iterations < limit) {
        other = CN_ARENA_NEW(arena, CnElimination, 1);
        status = other == NULL ? CN_NO_MEMORY : cn_turns_run(course, other, def, limit, p, report);
    }
    if (course->best_residual < HUGE_VAL) {
        memcpy(p, course->best, (size_t)problem->row_count * sizeof(double));
    }
    write_remark(course, other, report);
    return status;
}

const CnSolver cn_solver_nsgs = {
    .info =
        {
            .name = "nsgs",
            .summary = "block Gauss-Seidel with exact one-contact answers, accelerated",
            .laws = CN_ALL_LAWS,
            .wide_contacts = true,
            .exact = true,
        },
    .state_size = sizeof(CnCourse),
    .prepare = prepare,
    .solve = solve,
};
