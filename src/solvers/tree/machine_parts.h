// machine_parts.h - what the files of a machine share: its linkage, its rows and their states.
#pragma once

#include "base/arena.h"
#include "cairn/solver.h"
#include "linalg/dense.h"
#include "solvers/tree/axis_states.h"
#include "solvers/tree/linkage.h"
#include "solvers/tree/linkage_joint.h"
#include "solvers/tree/linkage_plan.h"

// More rows outside are not condensed, since their dense matrix costs more than what it saves. From
// the second number on they are swept, if there are no loops among them and paths are short.
#define CN_MACHINE_OUTER_ROWS 360
#define CN_MACHINE_SWEPT_ROWS 30

// Rows that a joint holds: those of its block, then the rigid ones that act on its axes.
typedef struct CnHeldRows {
    int count;
    int row[CN_MAX_ROWS];
} CnHeldRows;

typedef struct CnMachine {
    const CnProblem* problem;
    double slack;        // of a law that still counts as held [m/s]
    const double* guess; // impulses to start from   [row_count]
    CnLinkagePlan plan;
    CnLinkage links;
    int* first_axis;        // of the links, as the rows that act leave it   [link_count + 1]
    int* kept;              // block whose equalities a link's joint keeps, -1: it floats
    int* first_drive;       // blocks on the axes of a link, -1: none   [link_count]
    int* next_drive;        // [block_count]
    CnLinkageJoint* joints; // [link_count]
    CnHeldRows* held;       // factor: of each joint   [link_count]
    int outer_count, outer_rows;
    bool is_swept; // rows outside are swept
    bool is_near;  // the guess is nearly an answer: rows outside are left to Newton steps alone
    int* outer;    // blocks that act from outside   [outer_count]

    // Of a machine whose rows outside are swept.
    bool holds_stops; // closed stops are held in the pivots, not swept
    bool goes_on;     // sweeps were made before: the guess is what they have reached
    bool is_cut;      // sweep_outer: sweeps ended because they were `most_sweeps`
    int most_sweeps;  // of this round
    double most_work; // that sweeps are worth; infinite until it is known
    double* ahead;    // extrapolated impulses of swept blocks when they were cut   [row_count]
    int* age;         // of their momentum, 0: they were not swept   [block_count]
    struct CnPathSweeps*
        sweeps; // that go on where they were cut; NULL: blocks are written out anew

    CnAxisState* state; // of rows on joints   [row_count]
    double* u;          // velocity of the rows with the impulses so far   [row_count]
    double* impulse;    // so far   [row_count]
    double* change;     // of the impulses, in this round   [row_count]
    double (*twist)[6], (*momentum)[6], (*pushed)[6], (*moved)[6], (*wrench)[6]; // [link_count]
    double* offset;                                                              // [axes]
} CnMachine;

// A block as its child's joint sees it.
typedef struct CnMachineSide {
    const double (*child)[6]; // rows at the child   [row_count]
    int first_row, row_count;
} CnMachineSide;
CnMachineSide cn_machine_side(const CnMachine* machine, int link, int block);

static inline double cn_dot6(const double a[6], const double b[6]) {
    return ((a[0] * b[0] + a[1] * b[1]) + (a[2] * b[2] + a[3] * b[3])) +
           (a[4] * b[4] + a[5] * b[5]);
}

// machine_plan.c: the linkage of a problem. *found is false when it has none.
CnStatus cn_machine_plan(CnMachine* machine, const CnProblem* problem, CnArena* arena, bool* found);

// machine_axes.c: joints, axes and pivots for the present states of the rows, factored; false: rows
// depend on each other. Then the velocities `moved` that the impulses wanted on the axes, the
// twists wanted of the joints and the momenta `pushed` lead to, and the impulses of all rows on
// joints, into `change`.
bool cn_machine_factor(CnMachine* machine);
void cn_machine_set_offsets(CnMachine* machine);
void cn_machine_move(CnMachine* machine);
void cn_machine_find_changes(CnMachine* machine);

// machine_sweep.c: the changes of many rows outside.
CnStatus cn_machine_sweep_outer(CnMachine* machine, const CnSolverDef* def, CnArena* arena,
                                CnSolverReport* report, bool* found);

// Rows that act from outside while they are solved for: those of equalities first.
typedef struct CnOuterRows {
    int n, equalities, axes, block_count;
    bool is_near;   // only Newton steps are tried
    int* block;     // [block_count]
    int first_law;  // place in `block` of the first that is no equality
    double* y;      // mechanisms.md (11)   [n * axes]
    double* w;      // symmetric   [n * n]
    double* b;      // u before the impulses change   [n]
    double* before; // impulses so far   [n]
    double* p;      // impulses   [n]
} CnOuterRows;

// machine_outer.c: rows without equalities, by `auto`, as a problem without bodies. Of `outer` all
// but y is set; *found: within the tolerance. p is the answer, or the best that was found.
CnStatus cn_outer_solve_condensed(const CnProblem* problem, const CnSolverDef* def,
                                  CnOuterRows* outer, CnArena* arena, CnSolverReport* report,
                                  bool* found);

// machine_newton.c: the same for a few rows, by Newton steps from the impulses in p, within the
// budget. *found false: they did not get there, and p is as it was.
CnStatus cn_outer_newton(const CnProblem* problem, const CnSolverDef* def, CnOuterRows* outer,
                         CnArena* arena, CnSolverReport* report, bool* found);

// machine_outer.c: whether no equality depends on others: none has less left of its own W than
// round-off.
bool cn_outer_is_independent(const CnDenseLdlt* ldlt);

// machine_outer.c: the changes of the rows outside, and `pushed`: what they give each link.
CnStatus cn_machine_solve_outer(CnMachine* machine, const CnSolverDef* def, CnArena* arena,
                                CnSolverReport* report, bool* found);
