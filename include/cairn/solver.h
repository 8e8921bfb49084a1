// solver.h - one function that calls any solver by name.
//
//     CnSolverDef def = cn_solver_def_default();
//     CnWorkspace* workspace = cn_workspace_create(NULL, NULL);
//     cn_solve(problem, &def, workspace, &solution, &report, &error);
//     cn_workspace_destroy(workspace);
//
// A solver reads a CnProblem and writes a CnSolution. The caller, never the solver, grades it.
#pragma once

#include "cairn/problem.h"

typedef enum CnPreconditioner {
    CN_PRECONDITIONER_NONE,
    CN_PRECONDITIONER_DIAGONAL, // rows and columns scaled to a unit diagonal before factoring
} CnPreconditioner;

// Which solver, and how hard it tries. Start from cn_solver_def_default().
typedef struct CnSolverDef {
    const char* name;         // default "auto"; cn_solver_at() lists them
    double tolerance;         // in the unit of the measure, default 1e-8, > 0
    CnErrorMeasure measure;   // of the error, default velocity: CnCertificate.worst [m/s]
    int max_iterations;       // 0: the solver's own default
    bool warm_start;          // use the solution passed in as a guess, default true
    CnFrictionModel friction; // default exact; others are labelled approximate in the report.
                              // CN_UNSUPPORTED by cn_solve() and cn_world_create() if the
                              // solver does not support the model
    int pyramid_sides;        // of pyramids, even, 4 to CN_MAX_PYRAMID_SIDES; default 8
    CnPreconditioner preconditioner; // of the factoring solvers, default diagonal
    double regularisation;  // added to the diagonal of W, relative to its mean; default 0, off
    double over_relaxation; // pgs, pgs_lanes, nsgs; in (0, 2), default 1
    int shuffle;        // nsgs: seed of a random order of the blocks; default 0: their own order
    int freeze_after;   // nsgs: a block whose impulses have not changed in this many sweeps is
                        // skipped for as many sweeps; default 0: no block is skipped
    double work_budget; // no iteration begins after this many multiplications; default 0: a
                        // number that grows with the problem, about a second for the islands of
                        // a step with 36,000 rows. The same on every machine
    double deadline;    // no iteration begins after this time [s]; default 0: no deadline.
                        // With one, answers depend on the speed of the machine
    double change_tolerance; // of solvers with stops_by_change: stop after a sweep that changes no
                             // impulse by more than this [N s]; default 0: the error alone decides.
                             // An answer that misses the tolerance is then CN_STALLED
    double impulse_limit; // of solvers with limits_impulses: contacts, and rows whose upper bound
                          // is infinite, push with at most this much in a solve [N s]; default
                          // 0: no limit. Labelled as an approximation: it lets bodies through
    bool minimum_norm; // where several sets of forces give the same motion, return the one of least
                       // norm; default false. docs/theory/least_norm.md
    uint32_t guard;
} CnSolverDef;

CN_API CnSolverDef cn_solver_def_default(void);

typedef enum CnOutcome {
    CN_CONVERGED,         // CnSolverReport.error is within the tolerance
    CN_OUT_OF_ITERATIONS, // the answer is usable; the certificate says how good it is
    CN_STALLED,           // no further progress; the best iterate is returned
    CN_BROKE_DOWN,        // not a number, or a factorisation failed; the guess is returned
    CN_REFUSED,           // the problem has a law this solver does not meet
    CN_OUT_OF_TIME,       // the deadline is over; the answer is usable, as graded
    CN_OUT_OF_BUDGET,     // the work budget is used up; the answer is usable, as graded
} CnOutcome;

// "converged", "out_of_iterations", "stalled", "broke_down", "refused", "out_of_time",
// "out_of_budget"
CN_API const char* cn_outcome_name(CnOutcome outcome);

// What one solver did for an answer: several may take part, each with iterations of its own kind.
typedef struct CnSolverPart {
    const char* solver; // its name; "rest_factor" or "conjugate_residuals" refine guesses
    int iterations;
    double work; // multiplications
} CnSolverPart;
#define CN_MAX_SOLVER_PARTS 8

typedef struct CnSolverReport {
    CnOutcome outcome;
    int iterations; // of all that took part
    double work;    // multiplications, or operations of equal cost; compared with work_budget
    int part_count; // solvers that took part, in the order in which they first ran
    CnSolverPart parts[CN_MAX_SOLVER_PARTS];
    double seconds;
    CnCertificate certificate; // of the answer, by cn_problem_certify()
    double error;              // decides the outcome, in the measure of the tolerance: error of the
                               // certificate, or error against the approximate friction asked for
    const char* solver;        // the one that produced the answer; with auto, the one it chose
    const char* approximation; // NULL, or the named approximation that was asked for
    bool has_least_norm;       // minimum_norm was asked for and found
    int redundant_rows;        // of joints: rows that others already imply
    int redundant_block;       // the first block with such a row, -1: none
    int infeasible_blocks;     // blocks that were proved to contradict each other; 0: no proof
    int infeasible_block;      // of these the one that asks for most
    double infeasibility;      // no velocities leave less than this in all their rows [m/s, rad/s]
    char remark[160];          // why this solver, what fell back, what was redundant; may be empty
} CnSolverReport;

// Scratch memory that grows to what the largest problem needs and then stays.
typedef struct CnWorkspace CnWorkspace;
CN_API CnWorkspace* cn_workspace_create(const CnAllocator* allocator, CnError* error);
CN_API void cn_workspace_destroy(CnWorkspace* workspace); // NULL is fine

// Solve and grade. With warm_start a guess that is already within the tolerance is kept as it is.
// CN_UNSUPPORTED (outcome CN_REFUSED) when the solver does not take a law or the friction model of
// the def, or needs bodies where the problem has only a response or masses; the sentence says
// which.
// Masses are condensed to W where that takes fewer multiplications, or where the solver takes no
// masses and W has at most 2^27 entries; the remark says so.
// An unconverged answer is CN_OK: the report tells. The problem must pass cn_problem_check().
CN_API CnStatus cn_solve(const CnProblem* problem, const CnSolverDef* def, CnWorkspace* workspace,
                         CnSolution* solution, CnSolverReport* report, CnError* error);

// Velocities of an answer are unique, its forces may not be: a table on four legs stands still
// for many distributions of its weight. A direction is one in which impulses are free to change:
// rows between their limits, contacts that stick, and contacts that slide, along their cone.
typedef struct CnDeterminacy {
    int directions;       // free to change, each alone
    int open_directions;  // combinations of them that move nothing: 0 when all forces are unique
    int open_blocks;      // with a part in one
    int first_open_block; // -1: none
    double force_error;   // of unique forces, the largest, to first order: the Newton step that is
                          // left [N s or the row's unit]; infinite where some are open
} CnDeterminacy;

// open[i]: the forces of block i are not unique [block_count]. The tolerance [m/s] says when an
// impulse counts as clear of its limits: that of the solve. docs/theory/determinacy.md.
CN_API CnStatus cn_problem_determinacy(const CnProblem* problem, const CnSolution* solution,
                                       double tolerance, CnWorkspace* workspace, bool* open,
                                       CnDeterminacy* determinacy, CnError* error);

#define CN_MAX_DENSE_ROWS 4000 // of matrices written out in full: 128 MB each

// A and b of u = A p - b for all rows: A = J M^-1 J^T + compliance [1/kg], row by row, and
// b = target - J v_free [m/s], of bodies, masses or a response alike; b may be NULL.
// CN_UNSUPPORTED: more than CN_MAX_DENSE_ROWS rows.   a: [row_count * row_count]   b: [row_count]
CN_API CnStatus cn_problem_response(const CnProblem* problem, CnWorkspace* workspace, double* a,
                                    double* b, CnError* error);

// How much A amplifies errors, by its eigenvalues; where a given W is not symmetric, by those of
// its symmetric part. Eigenvalues below 4 rows epsilon of the largest count as zero.
typedef struct CnCondition {
    int rank;                 // eigenvalues that are not zero
    double largest, smallest; // of these [1/kg, mixed with the units of other rows]
    double number;            // largest / smallest of all; infinite where A is singular
    double scaled_number;     // the same with rows and columns scaled to a unit diagonal: free of
                              // the units of rows
} CnCondition;

// docs/theory/linalg.md (24)-(26). CN_UNSUPPORTED: more than CN_MAX_DENSE_ROWS rows.
CN_API CnStatus cn_problem_condition(const CnProblem* problem, CnWorkspace* workspace,
                                     CnCondition* condition, CnError* error);

// What `cairn solvers` prints.
typedef struct CnSolverInfo {
    const char* name;
    const char* summary;      // one line
    unsigned laws;            // bit 1 << CnLaw for each law met
    unsigned frictions;       // bit 1 << CnFrictionModel for each approximation it has by name
    bool needs_bodies;        // does not take problems that give a response instead
    bool takes_masses;        // works on M and J of masses; others get W, where it is not too large
    bool wide_contacts;       // takes contacts with torsion and rolling: more than three rows
    bool stops_by_change;     // has change_tolerance
    bool limits_impulses;     // has impulse_limit
    bool slow_at_mass_ratios; // ten times the iterations, or no answer, where masses that meet
                              // differ by a hundred to ten thousand; `cairn check` warns
    bool exact;               // made for many digits of the exact laws; false: for few, quickly
} CnSolverInfo;
CN_API int cn_solver_count(void);
CN_API CnSolverInfo cn_solver_at(int index);
