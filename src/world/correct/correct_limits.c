// correct_limits.c - how exactly a correction puts positions right, and how much work it may take.
//
// docs/theory/stabilisation.md (12) to (14).
#include "world/correct/correct_limits.h"

#include <math.h>

// Errors below this are left alone: fifty times the round-off of coordinates of a kilometre.
#define LEAST_TOLERANCE 1e-11 // [m or rad]

// Multiplications that all passes of a step may take together, where no budget is given: the larger
// of these for its rows (those posed for velocities, or more), rows of machines in contact counted
// besides, and what the velocities took.
#define LEAST_BUDGET 2e7
#define BUDGET_PER_ROW 1e4
#define BUDGET_PER_MACHINE_ROW 4e4

// Of nets: as many as to relax their velocities, which are some factorisations.
#define LEAST_OF_NETS 1e8
#define NET_BUDGET_PER_ROW 3e4

// A net gains while passes leave at most this share of the error.
#define NET_GAIN 0.5

// A velocity that is off by the tolerance of the solver moves a body by so much in a step: to put
// positions right beyond that would undo noise. Relative measures say nothing about metres.
double cn_correction_tolerance(const CnWorld* world) {
    const CnSolverDef* solver = &world->def.solver;
    double velocity = solver->measure == CN_ERROR_VELOCITY ? solver->tolerance
                                                           : cn_solver_def_default().tolerance;
    return fmax(LEAST_TOLERANCE, velocity * world->step.dt);
}

// Ahead of a step world->step still has the rows of an earlier one, which a world that was restored
// does not know: they do not count.
double cn_correction_budget(const CnWorld* world, bool ahead, int pass_rows, bool has_net,
                            const CnStepReport* report) {
    double asked = world->def.solver.work_budget;
    int tiles = ahead ? 0 : world->step.tile_row_count,
        others = ahead ? 0 : world->step.rows.row_count;
    double rows = fmax(tiles + others, pass_rows), of_machines = tiles > 0 ? others : 0.0;
    double usual = LEAST_BUDGET + BUDGET_PER_ROW * rows + BUDGET_PER_MACHINE_ROW * of_machines;
    double of_net = has_net ? LEAST_OF_NETS + NET_BUDGET_PER_ROW * pass_rows : 0.0;
    return asked > 0.0 ? asked : fmax(fmax(usual, of_net), report->work);
}

bool cn_net_pass_is_last(double before, double after, double unsolved, bool was_slow) {
    bool gains = after <= NET_GAIN * before;
    return !gains && (was_slow || unsolved > NET_GAIN * before);
}
