// step.c - one step of a world: the scheme moves it, then every step is graded the same way.
#include "world/step/step.h"
#include "base/error.h"
#include "base/timer.h"
#include "world/bodies/applied.h"
#include "world/bodies/body_shapes.h"
#include "world/bodies/motion.h"
#include "world/constraints/joint.h"
#include "world/contacts/contact_hooks.h"
#include "world/contacts/contact_totals.h"
#include "world/events/events.h"
#include "world/step/ledger.h"
#include "world/step/likely_cause.h"
#include "world/step/rollback.h"
#include "world/step/rows.h"
#include "world/step/step_check.h"
#include "world/step/warnings.h"
#include "world/validate.h"

static const CnSchemeTable* const schemes[] = {
    [CN_SCHEME_MOREAU] = &cn_scheme_moreau,
    [CN_SCHEME_ACCELERATION] = &cn_scheme_acceleration,
    [CN_SCHEME_IMPLICIT] = &cn_scheme_implicit,
    [CN_SCHEME_QUASI_STATIC] = &cn_scheme_quasi_static,
};

void cn_stage_end(CnStepReport* report, CnStage stage, double* mark) {
    double now = cn_timer_now();
    report->stage_seconds[stage] += now - *mark;
    *mark = now;
}

static CnStatus begin(CnWorld* world, CnError* error) {
    CnStatus status = cn_motion_reserve(world);
    if (status != CN_OK) {
        return cn_error_set(error, status, "no memory for the motion of %d bodies",
                            world->order.count);
    }
    return CN_OK;
}

static CnStatus grade(CnWorld* world, CnStepReport* report, CnError* error) {
    double clock = cn_timer_now();
    CnStatus status = schemes[world->def.step.scheme]->account(world, report);
    cn_ledger_close(world, &report->energy, &report->momentum);
    if (status == CN_OK) {
        status = cn_contact_totals_add(world);
    }
    if (status != CN_OK) {
        return cn_error_set(error, status, "no memory to grade a step");
    }
    status = cn_events_add(world);
    cn_stage_end(report, CN_STAGE_GRADE, &clock);
    return status == CN_OK ? CN_OK : cn_error_set(error, status, "no memory for the step's events");
}

static void warn_of_turning(CnWorld* world) {
    int index = cn_ledger_worst_turning(world);
    if (index >= 0) {
        const CnMotion* motion = &world->step.motions.data[index];
        cn_world_warn(
            world, CN_WARNING_INTEGRATION,
            "at t = %g s turning body %d \"%s\" made %g J out of nothing: %g rad/s is too "
            "fast for a step of %g s and this rotation update or scheme; use moreau with "
            "rotation \"exact\", or a smaller dt",
            world->step.time, index, world->details.data[index].name,
            fmax(motion->turning_work, motion->gyration_gain), cn_vec3_length(motion->start_spin),
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

// What a user would want to be told without asking.
static void warn(CnWorld* world, const CnStepReport* report) {
    char name[120];
    if (report->not_converged > 0) {
        cn_world_block_name(world, report->certificate.worst_block, name, sizeof name);
        cn_world_warn(world, CN_WARNING_NOT_CONVERGED,
                      "at t = %g s %d of %d islands missed the tolerance of %g m/s: %s leaves %g "
                      "m/s at %s; %s",
                      world->step.time, report->not_converged, report->island_count,
                      world->def.solver.tolerance,
                      report->solver.solver == NULL ? "the solver" : report->solver.solver,
                      report->certificate.worst, name,
                      cn_likely_cause(world, report, report->certificate.worst_block));
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
    warn_of_turning(world);
}

CnStatus cn_step_attempt(CnWorld* world, CnAdvance* advance, CnStepReport* report, CnError* error) {
    *report = (CnStepReport){.certificate.worst_block = -1, .solver.redundant_block = -1};
    CnStatus status = begin(world, error);
    if (status != CN_OK) {
        return status;
    }
    status = advance(world, report, error);
    return status == CN_OK ? cn_step_check_states(world, report, error) : status;
}

CnStatus cn_step_settle(CnWorld* world, CnStepReport* report, CnError* error) {
    CnStatus status = grade(world, report, error);
    if (status == CN_OK) {
        cn_world_advance_constraints(world);
        warn(world, report);
    }
    return status;
}

void cn_step_append(CnStepReport* total, const CnStepReport* next) {
    CnStepReport merged = *next;
    merged.energy = total->energy;
    merged.momentum = total->momentum;
    cn_ledger_append(&merged.energy, &merged.momentum, &next->energy, &next->momentum);
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

static CnStatus substep(CnWorld* world, CnStepReport* report, CnError* error) {
    const CnSchemeTable* scheme = schemes[world->def.step.scheme];
    if (world->fast_count > 0) {
        return cn_substep_with_cuts(world, scheme, report, error);
    }
    CnStatus status = cn_step_attempt(world, scheme->advance, report, error);
    return status == CN_OK ? cn_step_settle(world, report, error) : status;
}

static CnStatus advance(CnWorld* world, double dt, CnStepReport* report, CnError* error) {
    double start = world->time;
    int substeps = world->def.step.substeps;
    double length = dt / substeps;
    CnStepReport part;

    world->whole_dt = dt;
    cn_contact_hooks_begin(world);
    cn_contact_totals_begin(world);
    cn_world_clear_constraint_impulses(world);
    cn_events_begin(world);
    for (int i = 0; i < substeps; ++i) {
        world->step.dt = length;
        world->step.time = start + i * length;
        CnStatus status = substep(world, &part, error);
        if (status != CN_OK) {
            return status;
        }
        world->time = start + (i + 1) * length;
        if (i == 0) {
            *report = part;
        } else {
            cn_step_append(report, &part);
        }
    }
    world->time = start + dt;
    report->time = world->time;
    CnStatus status = cn_step_check_certificate(world, report, error);
    if (status == CN_OK) {
        status = cn_step_check_ledgers(world, report, error);
    }
    if (status != CN_OK) {
        return status;
    }
    if (cn_world_break_joints(world) != CN_OK || cn_events_commit(world) != CN_OK) {
        return cn_error_set(error, CN_NO_MEMORY, "no memory for the step's events");
    }
    cn_warnings_commit(world);
    return CN_OK;
}

// Contacts were searched where bodies were on the way; queries ask where they are now.
static void place_bodies(CnWorld* world) {
    for (int i = 0; i < world->order.count; ++i) {
        const CnBody* body = cn_world_body_by_index(world, i);
        if (body->type != CN_BODY_STATIC) {
            cn_body_place(world, i);
        }
    }
}

// A step that fails, in whichever of its parts, leaves the world as it was.
static CnStatus advance_or_stay(CnWorld* world, double dt, CnStepReport* report, CnError* error) {
    CnArenaMark mark = cn_arena_mark(&world->arena);
    CnRollback rollback;
    CnStatus status = cn_rollback_begin(world, &rollback);
    if (status != CN_OK) {
        cn_error_set(error, status, "no memory for the states of %d bodies", world->order.count);
    } else {
        world->stepping = true;
        status = advance(world, dt, report, error);
        world->stepping = false;
        if (status == CN_OK) {
            cn_rollback_commit(world);
        } else {
            cn_rollback_restore(world, &rollback);
        }
        cn_world_settle_joints(world, status == CN_OK);
        if (status == CN_OK) {
            cn_world_forget_applied(world);
        }
        world->steps_made += status == CN_OK;
        place_bodies(world);
    }
    cn_arena_release(&world->arena, mark);
    return status;
}

CnStatus cn_world_step(CnWorld* world, double dt, CnStepReport* report, CnError* error) {
    CnStepReport own;
    CnStatus status = cn_validate_dt(dt, NULL, error);
    if (status != CN_OK) {
        return status;
    }
    if (world->stepping) {
        return cn_error_set(error, CN_INVALID, "a step cannot be made during a step");
    }
    return advance_or_stay(world, dt, report == NULL ? &own : report, error);
}
