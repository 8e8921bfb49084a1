// solver.h - what a solver family provides; each lives in one file and one line of registry.c.
#pragma once

#include "base/arena.h"
#include "cairn/solver.h"

struct CnWorkspace {
    CnArena arena;
};

// For solvers that take every law.
#define CN_ALL_LAWS ((1u << CN_LAW_COUNT) - 1u)

typedef struct CnSolver {
    CnSolverInfo info;
    bool grades;       // solve fills the certificate too, of the answer it leaves
    size_t state_size; // bytes of private state, taken from the arena and zeroed by the caller

    // Refuses what it cannot do with a sentence; ordering, symbolic work, memory from the arena.
    CnStatus (*prepare)(void* state, const CnSolverDef* def, const CnProblem* problem,
                        CnArena* arena, CnError* error);

    // Fills solution and, in the report, outcome, iterations and remarks. The caller grades.
    CnStatus (*solve)(void* state, const CnSolverDef* def, const CnProblem* problem, CnArena* arena,
                      CnSolution* solution, CnSolverReport* report);
} CnSolver;

// Says what is wrong with a def; *field (may be NULL) then names the member as scenes spell it.
CnStatus cn_solver_def_check(const CnSolverDef* def, const char** field, CnError* error);

// What is known of the problem before, whose answer is the guess.
typedef struct CnPast {
    const double (*velocity)[6]; // of the bodies then [m/s, rad/s]; NULL: nothing is known
    bool refines;                // bodies at rest are solved more exactly than asked, at this step
} CnPast;

// cn_solve() for a problem that goes on from one before. What comes of a guess that is nearly right
// is meant to serve the problem after this one too: bodies at rest stay there without a solver.
// Without velocities, or with an error that is not one, it is cn_solve().
// docs/theory/warm_start.md (4)-(9), (12).
CnStatus cn_solve_on(const CnProblem* problem, const CnSolverDef* def, const CnPast* past,
                     CnWorkspace* workspace, CnSolution* solution, CnSolverReport* report,
                     CnError* error);

// Whether a guess that holds may be kept without a solver: the velocity is what counts, the laws
// are the exact ones, and the solver takes contacts.
bool cn_guess_may_be_kept(const CnSolverDef* def);

// Whether a guess is kept, as cn_solve_on() would: by its error, and the most that it changes a
// velocity since the problem before [m/s]; infinite: unknown. refines: see CnPast.
bool cn_guess_holds(const CnSolverDef* def, double error, double gain, bool refines);

// NULL when no solver has that name.
const CnSolver* cn_solver_find(const char* name);

// Found by name, for scheme implicit, but not among cn_solver_at(): alone it answers nothing.
extern const CnSolver cn_solver_newton_fb_step;

extern const CnSolver cn_solver_pgs;
extern const CnSolver cn_solver_pgs_lanes;
extern const CnSolver cn_solver_nsgs;
extern const CnSolver cn_solver_nsgs_momentum;
extern const CnSolver cn_solver_direct;
extern const CnSolver cn_solver_active_set;
extern const CnSolver cn_solver_lemke;
extern const CnSolver cn_solver_newton_ac;
extern const CnSolver cn_solver_newton_fb;
extern const CnSolver cn_solver_cone_ip;
extern const CnSolver cn_solver_extragradient;
extern const CnSolver cn_solver_newton_projected;
extern const CnSolver cn_solver_penalty;
extern const CnSolver cn_solver_admm;
extern const CnSolver cn_solver_tree;
extern const CnSolver cn_solver_auto;
