// step_report.c - the report of a step, and that of one that was made in several parts.
#include "world/step/ledger.h"
#include "world/step/step.h"

#include <math.h>

bool cn_step_grade_is_asked(const CnWorld* world) {
    int period = world->def.step.grade_every;
    return period > 0 && (world->steps_made + 1) % period == 0;
}

bool cn_step_is_due_for_grade(const CnWorld* world) {
    const CnStepDef* def = &world->def.step;
    bool is_used = def->attribution || def->warm_start == CN_WARM_START_SCALED ||
                   world->def.warm_start_hook.policy != NULL;
    return cn_step_grade_is_asked(world) || is_used;
}

CnCertificate cn_certificate_of_nothing(void) {
    const double none = (double)NAN;
    return (CnCertificate){none, none, -1, none, none, none, none, none};
}

// Structs of numbers alone.
static void fill(size_t bytes, double* numbers) {
    for (size_t i = 0; i < bytes / sizeof *numbers; ++i) {
        numbers[i] = (double)NAN;
    }
}

CnStepReport cn_step_report_begin(bool is_graded) {
    CnStepReport report = {
        .certificate.worst_block = -1, .solver.redundant_block = -1, .is_graded = is_graded};
    if (!is_graded) {
        report.certificate = cn_certificate_of_nothing();
        fill(sizeof report.energy, &report.energy.start);
        fill(sizeof report.momentum, &report.momentum.linear_start.x);
    }
    return report;
}

void cn_step_append(CnStepReport* total, const CnStepReport* next) {
    CnStepReport merged = *next;
    merged.energy = total->energy;
    merged.momentum = total->momentum;
    cn_ledger_append(&merged.energy, &merged.momentum, &next->energy, &next->momentum);
    merged.is_graded = total->is_graded && next->is_graded;
    merged.not_converged += total->not_converged;
    merged.out_of_budget += total->out_of_budget;
    merged.impacts += total->impacts;
    merged.held_back += total->held_back;
    merged.work += total->work;
    merged.correction_work += total->correction_work;
    merged.positions =
        total->positions.error > next->positions.error ? total->positions : next->positions;
    merged.positions.missed = total->positions.missed + next->positions.missed;
    merged.newton_iterations = next->newton_iterations > total->newton_iterations
                                   ? next->newton_iterations
                                   : total->newton_iterations;
    merged.newton_residual = fmax(next->newton_residual, total->newton_residual);
    if (total->certificate.worst > next->certificate.worst) {
        merged.certificate = total->certificate;
        merged.solver = total->solver;
        // Its problem is gone, and the same index is another block of the present one.
        merged.certificate.worst_block = merged.solver.certificate.worst_block = -1;
        merged.solver.redundant_block = merged.solver.infeasible_block = -1;
    }
    for (int i = 0; i < CN_STAGE_COUNT; ++i) {
        merged.stage_seconds[i] += total->stage_seconds[i];
    }
    *total = merged;
}
