// run_summary.c - the worst of all that the steps of a run said about themselves.
#include "run/run_summary.h"

#include <math.h>
#include <stdio.h>

RunSummary run_summary_begin(const CnWorld* world) {
    double energy = cn_world_energy(world);
    RunSummary summary = {
        .energy_start = energy, .energy_end = energy, .energy_parts = cn_world_energy_parts(world)};
    return summary;
}

// Not a number is worse than any number, and stays.
static bool is_worse(double value, double worst) {
    return isnan(value) || value > worst;
}

static void keep_worst(double* worst, double value) {
    if (is_worse(value, *worst)) {
        *worst = value;
    }
}

// rms^2 weighted by the blocks it speaks for: the rms over the blocks of all steps.
static void add_rms(RunSummary* summary, const CnStepReport* report) {
    double before = summary->blocks;
    double blocks = report->block_count;
    if (blocks > 0.0 && report->is_graded) {
        double squares = before * summary->residual_rms * summary->residual_rms +
                         blocks * report->certificate.rms * report->certificate.rms;
        summary->blocks = before + blocks;
        summary->residual_rms = sqrt(squares / summary->blocks);
    }
}

static void add_positions(RunSummary* summary, const CnPositionReport* positions) {
    summary->positions_missed += positions->missed > 0;
    if (positions->missed > 0 && is_worse(positions->error, summary->positions_error)) {
        summary->positions_error = positions->error;
        summary->positions_step = summary->steps;
        snprintf(summary->positions_pair, sizeof summary->positions_pair, "%s", positions->pair);
    }
}

static void add_ledgers(RunSummary* summary, const CnWorld* world, const CnStepReport* report) {
    bool keeps_ledgers =
        report->is_graded && cn_world_read(world).step.scheme != CN_SCHEME_SOFT_STEP;
    if (keeps_ledgers) {
        keep_worst(&summary->energy_error, report->energy.error);
        keep_worst(&summary->momentum_error, report->momentum.error);
    }
    summary->not_booked += !keeps_ledgers;
    summary->energy_end = keeps_ledgers ? report->energy.end : cn_world_energy(world);
    summary->energy_parts = keeps_ledgers ? report->energy.end_parts : cn_world_energy_parts(world);
}

void run_summary_add(RunSummary* summary, const CnWorld* world, const CnStepReport* report) {
    const CnCertificate* certificate = &report->certificate;

    summary->steps += 1;
    bool has_blocks =
        report->is_graded && (certificate->worst_block >= 0 || is_worse(certificate->worst, 0.0));
    if (has_blocks &&
        (summary->worst_step == 0 || is_worse(certificate->worst, summary->worst_residual))) {
        summary->worst_residual = certificate->worst;
        summary->worst_step = summary->steps;
        summary->worst_block[0] = '\0';
        if (certificate->worst_block >= 0) { // else of a substep whose problem is gone
            cn_world_block_name(world, certificate->worst_block, summary->worst_block,
                                sizeof summary->worst_block);
        }
        snprintf(summary->worst_solver, sizeof summary->worst_solver, "%s",
                 report->solver.solver != NULL ? report->solver.solver : "");
    }
    add_rms(summary, report);
    summary->not_converged += report->not_converged > 0;
    summary->not_graded += !report->is_graded;
    summary->out_of_budget += report->out_of_budget > 0;
    summary->sleeping_bodies = report->sleeping_bodies;
    summary->sleeping_islands = report->sleeping_islands;
    summary->islands = report->island_count;
    summary->exact_islands = report->exact_islands;
    summary->work += report->work + report->correction_work;
    if (report->newton_iterations > summary->newton_most) {
        summary->newton_most = report->newton_iterations;
    }
    summary->newton_mean +=
        (report->newton_iterations - summary->newton_mean) / (double)summary->steps;
    keep_worst(&summary->newton_residual, report->newton_residual);
    add_positions(summary, &report->positions);
    keep_worst(&summary->penetration, report->penetration);
    keep_worst(&summary->joint_error, report->joint_error);
    keep_worst(&summary->joint_angle_error, report->joint_angle_error);
    add_ledgers(summary, world, report);
    run_attribution_add(&summary->attribution, world, report);
    if (report->solver.approximation != NULL) {
        summary->approximation = report->solver.approximation;
    }
}

double run_summary_ledger(const RunSummary* summary, double error) {
    bool is_booked = summary->steps == 0 || summary->not_booked < summary->steps;
    return is_booked ? error : (double)NAN;
}

double run_summary_residual(const RunSummary* summary) {
    bool is_graded = summary->steps == 0 || summary->not_graded < summary->steps;
    return is_graded ? summary->worst_residual : (double)NAN;
}
