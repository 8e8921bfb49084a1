// run_summary.h - the worst of all that the steps of a run said about themselves.
#pragma once

#include "cairn/world.h"
#include "run/run_attribution.h"

typedef struct RunSummary {
    int64_t steps;
    double seconds;        // of wall clock; filled by whoever steps
    double step_seconds;   // of them in steps alone, without what was written
    double worst_residual; // [m/s]
    int64_t worst_step;    // 1-based; 0: no step had a block
    char worst_block[120]; // "": there was none, or it is of a substep before the last
    char worst_solver[40]; // who answered there ("auto" chooses); "" when there was none
    double residual_rms;   // over the blocks of all steps [m/s]
    double blocks;         // of all steps: the weight of residual_rms
    bool is_interrupted;   // a signal ended the run before its duration
    int64_t not_converged; // steps in which an island missed its tolerance
    int64_t not_graded;    // steps whose answer was held against no law: step.grade_every
    int64_t not_booked;    // steps without ledgers: not graded, or in scheme soft_step
    int sleeping_bodies, sleeping_islands; // after the last step
    int islands, exact_islands;            // of the last step; exact: those of soft_step
    int64_t out_of_budget;                 // steps in which a solve used up its work budget
    double work;                           // multiplications of all solves
    int newton_most;            // looks at the end of a step (scheme implicit), 0: other schemes
    double newton_mean;         // the same, mean over steps
    double newton_residual;     // worst change by the last look of a step [m/s]
    int64_t positions_missed;   // steps in which positions could not be put right
    double positions_error;     // the largest error they left [m or rad]
    int64_t positions_step;     // that left it, 1-based; 0: none
    char positions_pair[96];    // that has it; "" when there is none
    double penetration;         // deepest overlap after a step [m]
    double joint_error;         // largest constraint error after a step [m]
    double joint_angle_error;   // the same of angles [rad]
    double energy_start;        // [J]
    double energy_end;          // [J]
    CnEnergyParts energy_parts; // of energy_end
    double energy_error;        // worst closing error of the energy ledger of a step that kept one,
                                // relative
    double momentum_error;      // the same for momentum
    const char* approximation;  // NULL, or the named approximation some step was solved with
    RunAttribution attribution; // to be released by whoever began the summary
} RunSummary;

RunSummary run_summary_begin(const CnWorld* world);

// To be called straight after the step the report is about.
void run_summary_add(RunSummary* summary, const CnWorld* world, const CnStepReport* report);

// One of the two errors of ledgers; not a number when no step kept any.
double run_summary_ledger(const RunSummary* summary, double error);

// Worst residual of the steps that were graded [m/s]; not a number when none was.
double run_summary_residual(const RunSummary* summary);
