// auto.c - looks at a problem, picks a solver, grades its answer, and tries the next if it must.
#include "base/error.h"
#include "constraints/certificate.h"
#include "solvers/solver.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

// Up to here the cubic cost of pivoting on a dense W is below that of sweeping to many digits.
#define ACTIVE_SET_ROWS 300

// What the last attempt may spend: twice the default of nsgs. It goes on from the best answer.
#define PATIENT_ITERATIONS 20000

#define MAX_ATTEMPTS 4

typedef struct Attempt {
    const CnSolver* solver;
    int max_iterations; // 0: as the caller said
} Attempt;

typedef struct State {
    int count[CN_LAW_COUNT]; // blocks of each law
    int rough_contacts;      // contacts with friction; those without have bounds in all but name
    Attempt attempts[MAX_ATTEMPTS];
    int attempt_count;
    double (*scratch)[6]; // of the certificate   [body_count]
    double* best;         // the best impulses so far   [row_count]
    double best_worst;    // their residual [m/s]
} State;

static void plan(State* state, const char* name, int max_iterations) {
    const CnSolver* solver = cn_solver_find(name);
    if (solver != NULL) {
        state->attempts[state->attempt_count++] = (Attempt){solver, max_iterations};
    }
}

// The solver that is made for the laws at hand, then sweeps, then Newton, then more sweeps.
static void plan_attempts(State* state, const CnSolverDef* def, const CnProblem* problem) {
    if (state->count[CN_LAW_COULOMB] + state->count[CN_LAW_BOUNDS] == 0) {
        plan(state, "direct", 0);
    } else if (state->rough_contacts == 0 && problem->row_count <= ACTIVE_SET_ROWS) {
        plan(state, "active_set", 0);
    }
    plan(state, "nsgs", 0);
    plan(state, "newton_ac", 0);
    if (def->max_iterations == 0) {
        plan(state, "nsgs", PATIENT_ITERATIONS);
    }
}

static CnStatus prepare(void* memory, const CnSolverDef* def, const CnProblem* problem,
                        CnArena* arena, CnError* error) {
    State* state = memory;
    if (def->friction != CN_FRICTION_EXACT) {
        return cn_error_set(error, CN_UNSUPPORTED,
                            "solver auto looks for exact answers; pgs has box friction");
    }
    for (int i = 0; i < problem->block_count; ++i) {
        const CnBlock* block = &problem->blocks[i];
        ++state->count[block->law];
        state->rough_contacts += block->law == CN_LAW_COULOMB && block->friction > 0.0;
    }
    plan_attempts(state, def, problem);
    state->best_worst = HUGE_VAL;
    state->scratch = cn_arena_allocate(arena, (size_t)problem->body_count, sizeof(double[6]));
    state->best = CN_ARENA_NEW(arena, double, problem->row_count);
    return state->scratch == NULL || state->best == NULL ? CN_NO_MEMORY : CN_OK;
}

// "nsgs: 12 frictional contacts, 3 equality blocks; <what the solver said>"
static void write_remark(const State* state, const char* said, int tried, CnSolverReport* report) {
    const char* const nouns[CN_LAW_COUNT] = {
        [CN_LAW_EQUALITY] = "equality block",
        [CN_LAW_BOUNDS] = "bounds block",
        [CN_LAW_COULOMB] =
            state->rough_contacts > 0 ? "frictional contact" : "frictionless contact",
        [CN_LAW_FORCE] = "force block",
    };
    char text[sizeof report->remark];
    int used = snprintf(text, sizeof text, "%s", report->solver);
    const char* separator = ": ";
    for (int i = 0; i < CN_LAW_COUNT; ++i) {
        if (state->count[i] > 0 && used < (int)sizeof text) {
            used += snprintf(text + used, sizeof text - (size_t)used, "%s%d %s%s", separator,
                             state->count[i], nouns[i], state->count[i] == 1 ? "" : "s");
            separator = ", ";
        }
    }
    if (tried > 1 && used < (int)sizeof text) {
        used += snprintf(text + used, sizeof text - (size_t)used, "; attempt %d", tried);
    }
    if (said[0] != '\0' && used < (int)sizeof text) {
        snprintf(text + used, sizeof text - (size_t)used, "; %s", said);
    }
    memcpy(report->remark, text, sizeof text);
}

// Runs one solver from the impulses in solution. The report is that of the attempt.
static CnStatus run(const Attempt* attempt, const CnSolverDef* def, const CnProblem* problem,
                    CnArena* arena, CnSolution* solution, CnSolverReport* report) {
    CnSolverDef own = *def;
    own.name = attempt->solver->info.name;
    if (attempt->max_iterations > 0) {
        own.max_iterations = attempt->max_iterations;
    }
    *report = (CnSolverReport){.solver = own.name, .redundant_block = -1};
    CnArenaMark mark = cn_arena_mark(arena);
    void* memory = cn_arena_allocate(arena, 1, attempt->solver->state_size);
    CnStatus status = memory == NULL ? CN_NO_MEMORY : CN_OK;
    if (status == CN_OK) {
        status = attempt->solver->prepare(memory, &own, problem, arena, NULL);
    }
    if (status == CN_OK) {
        status = attempt->solver->solve(memory, &own, problem, arena, solution, report);
    }
    cn_arena_release(arena, mark);
    return status;
}

static double grade(const State* state, const CnProblem* problem, CnSolution* solution) {
    CnCertificate certificate;
    cn_problem_velocity(problem, solution->impulse, solution->velocity);
    cn_certify(problem, solution, state->scratch, NULL, &certificate);
    return certificate.worst;
}

// Each attempt starts from the best answer so far, and only a better one replaces it.
static CnStatus solve(void* memory, const CnSolverDef* def, const CnProblem* problem,
                      CnArena* arena, CnSolution* solution, CnSolverReport* report) {
    State* state = memory;
    size_t bytes = (size_t)problem->row_count * sizeof(double);
    int iterations = 0;
    bool sweeps_stalled = false;
    CnSolverReport kept = *report;
    kept.outcome = CN_BROKE_DOWN;
    state->best_worst = grade(state, problem, solution);
    memcpy(state->best, solution->impulse, bytes);
    for (int i = 0; i < state->attempt_count && state->best_worst > def->tolerance; ++i) {
        CnSolverReport attempt;
        bool sweeps = state->attempts[i].solver == &cn_solver_nsgs;
        if (sweeps && sweeps_stalled) {
            continue; // more of the same will not help
        }
        CnStatus status = run(&state->attempts[i], def, problem, arena, solution, &attempt);
        if (status == CN_NO_MEMORY) {
            return status;
        }
        iterations += attempt.iterations;
        double worst = status == CN_OK ? grade(state, problem, solution) : HUGE_VAL;
        if (worst < state->best_worst || kept.outcome == CN_BROKE_DOWN) {
            char said[sizeof attempt.remark];
            memcpy(said, attempt.remark, sizeof said);
            kept = attempt;
            write_remark(state, said, i + 1, &kept);
        }
        if (worst < state->best_worst) {
            state->best_worst = worst;
            memcpy(state->best, solution->impulse, bytes);
        }
        memcpy(solution->impulse, state->best, bytes);
        sweeps_stalled = sweeps_stalled || (sweeps && attempt.outcome == CN_STALLED);
    }
    *report = kept;
    report->iterations = iterations;
    return CN_OK;
}

const CnSolver cn_solver_auto = {
    .info =
        {
            .name = "auto",
            .summary = "looks at the problem, picks a solver, grades the answer, escalates",
            .laws = CN_ALL_LAWS,
            .needs_bodies = true,
            .wide_contacts = true,
            .exact = true,
        },
    .state_size = sizeof(State),
    .prepare = prepare,
    .solve = solve,
};
