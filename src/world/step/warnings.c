// warnings.c - warnings of a step: made pending when they are seen, counted when the step stands.
#include "world/step/warnings.h"

#include "base/error.h"
#include "base/log.h"
#include "world/bodies/motion.h"
#include "world/step/likely_cause.h"

#include <stdarg.h>
#include <stdio.h>

typedef struct Kind {
    const char* name;
    CnLogLevel level; // info: the answer is as good as asked for
} Kind;

static const Kind kinds[CN_WARNING_KIND_COUNT] = {
    [CN_WARNING_NOT_CONVERGED] = {"not_converged", CN_LOG_WARNING},
    [CN_WARNING_INFEASIBLE] = {"infeasible", CN_LOG_WARNING},
    [CN_WARNING_POSITIONS_MISSED] = {"positions_missed", CN_LOG_WARNING},
    [CN_WARNING_REDUNDANT_ROWS] = {"redundant_rows", CN_LOG_INFO},
    [CN_WARNING_INTEGRATION] = {"integration", CN_LOG_WARNING},
};

const char* cn_warning_kind_name(CnWarningKind kind) {
    bool is_known = kind >= 0 && kind < CN_WARNING_KIND_COUNT;
    return is_known ? kinds[kind].name : "unknown";
}

static uint32_t bit_of(CnWarningKind kind) {
    return UINT32_C(1) << kind;
}

void cn_world_warn(CnWorld* world, CnWarningKind kind, const char* format, ...) {
    CN_ASSERT(world->stepping);
    CnWarning* warning = &world->warnings.kinds[kind];
    if (warning->count == 0 && (world->warnings.pending & bit_of(kind)) == 0) {
        warning->kind = kind;
        warning->step = world->steps_made + 1;
        warning->time = world->step.time;
        va_list arguments;
        va_start(arguments, format);
        vsnprintf(warning->message, sizeof warning->message, format, arguments);
        va_end(arguments);
    }
    world->warnings.pending |= bit_of(kind);
}

uint32_t cn_warnings_pending(const CnWorld* world) {
    return world->warnings.pending;
}

void cn_warnings_restore(CnWorld* world, uint32_t pending) {
    world->warnings.pending = pending;
}

void cn_warnings_commit(CnWorld* world) {
    for (int i = 0; i < CN_WARNING_KIND_COUNT; ++i) {
        CnWarning* warning = &world->warnings.kinds[i];
        if ((world->warnings.pending & bit_of((CnWarningKind)i)) == 0) {
            continue;
        }
        if (++warning->count == 1) {
            cn_log(&world->def.log, kinds[i].level, "%s", warning->message);
        }
    }
    world->warnings.pending = 0;
}

int cn_world_warning_count(const CnWorld* world) {
    int count = 0;
    for (int i = 0; i < CN_WARNING_KIND_COUNT; ++i) {
        count += world->warnings.kinds[i].count > 0;
    }
    return count;
}

CnStatus cn_world_warning_at(const CnWorld* world, int index, CnWarning* warning) {
    int left = index;
    *warning = (CnWarning){0};
    for (int i = 0; index >= 0 && i < CN_WARNING_KIND_COUNT; ++i) {
        if (world->warnings.kinds[i].count > 0 && left-- == 0) {
            *warning = world->warnings.kinds[i];
            return CN_OK;
        }
    }
    return CN_INVALID;
}

static void warn_of_turning(CnWorld* world, int index) {
    if (index >= 0) {
        const CnMotion* motion = &world->step.motions.data[index];
        const CnMotionExtras* extras = cn_motion_extras(&world->step, index);
        double gain = extras == NULL ? 0.0 : extras->gyration_gain;
        cn_world_warn(
            world, CN_WARNING_INTEGRATION,
            "at t = %g s turning body %d \"%s\" made %g J out of nothing: %g rad/s is too "
            "fast for a step of %g s and this rotation update or scheme; use moreau with "
            "rotation \"exact\", or a smaller dt",
            world->step.time, index, world->details.data[index].name,
            fmax(motion->turning_work, gain), cn_vec3_length(cn_motion_start_spin(motion)),
            world->step.dt);
    }
}

static void warn_of_contradiction(CnWorld* world, const CnStepReport* report) {
    const CnSolverReport* solver = &report->solver;
    int others = solver->infeasible_blocks - 1;
    char name[120];
    if (solver->infeasible_blocks > 0) {
        cn_world_block_name(world, solver->infeasible_block, name, sizeof name);
        cn_world_warn(world, CN_WARNING_INFEASIBLE,
                      "at t = %g s %s contradicts %d other block%s: no velocities leave less than "
                      "%g m/s in all of them; %s",
                      world->step.time, name, others, others == 1 ? "" : "s", solver->infeasibility,
                      cn_likely_cause(world, report, solver->infeasible_block));
    }
}

void cn_warnings_of_step(CnWorld* world, const CnStepReport* report, int worst_turning) {
    const CnCertificate* certificate =
        report->is_graded ? &report->certificate : &report->solver.certificate;
    char name[120];
    if (report->not_converged > 0) {
        cn_world_block_name(world, certificate->worst_block, name, sizeof name);
        cn_world_warn(world, CN_WARNING_NOT_CONVERGED,
                      "at t = %g s %d of %d islands missed the tolerance of %g m/s: %s leaves %g "
                      "m/s at %s; %s",
                      world->step.time, report->not_converged, report->island_count,
                      world->def.solver.tolerance,
                      report->solver.solver == NULL ? "the solver" : report->solver.solver,
                      certificate->worst, name,
                      cn_likely_cause(world, report, certificate->worst_block));
    }
    warn_of_contradiction(world, report);
    if (report->positions.missed > 0) {
        cn_world_warn(
            world, CN_WARNING_POSITIONS_MISSED,
            "at t = %g s position errors remain in %d island%s: %s is off by %g m (rad if "
            "it is an angle); its bodies have no room to move, or the correction used up "
            "its work budget",
            world->step.time, report->positions.missed, report->positions.missed == 1 ? "" : "s",
            report->positions.pair, report->positions.error);
    }
    if (report->solver.redundant_rows > 0) {
        cn_world_block_name(world, report->solver.redundant_block, name, sizeof name);
        cn_world_warn(
            world, CN_WARNING_REDUNDANT_ROWS,
            "at t = %g s %d rows are implied by others, the first of %s: their forces are "
            "one choice of many",
            world->step.time, report->solver.redundant_rows, name);
    }
    warn_of_turning(world, worst_turning);
}
