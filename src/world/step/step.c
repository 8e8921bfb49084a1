// step.c - one step of a world: its scheme's stages one after the other, in every substep.
//
//     begin -> pairs -> contacts -> rows -> islands -> solve -> move -> correct -> grade -> finish
#include "world/step/step.h"

#include "base/error.h"
#include "base/timer.h"
#include "solvers/solve/solver.h"
#include "world/bodies/applied.h"
#include "world/bodies/body_shapes.h"
#include "world/bodies/drive.h"
#include "world/constraints/joint.h"
#include "world/contacts/contact_hooks.h"
#include "world/contacts/contact_totals.h"
#include "world/events/events.h"
#include "world/schemes/schemes.h"
#include "world/step/attribution.h"
#include "world/step/step_check.h"
#include "world/step/warnings.h"
#include "world/trees/tree_store.h"
#include "world/validate.h"

static CnStatus wake_met(CnStepRun* run, bool* is_met, CnError* error) {
    CnStatus status = cn_sleep_wake_met(run->world, is_met);
    return status == CN_OK ? CN_OK
                           : cn_error_set(error, status, "no memory to wake bodies that were met");
}

// Reading the clock takes 27 ns: a stage begins where the one before it ended.
CnStatus cn_step_run(CnStepRun* run, CnStage first, CnStage last, CnError* error) {
    CnArenaMark mark = cn_arena_mark(&run->world->arena);
    CnStatus status = CN_OK;
    double clock = cn_timer_now();
    for (int i = (int)first; status == CN_OK && i <= (int)last; ++i) {
        if (run->table->stage[i] != NULL) {
            status = run->table->stage[i](run, error);
            double end = cn_timer_now();
            run->report->stage_seconds[i] += end - clock;
            clock = end;
        }
        if (run->repeats) {
            run->repeats = false;
            i = (int)run->table->repeats_from - 1;
        }
        if (status == CN_OK && i == CN_STAGE_ROWS) {
            bool is_met;
            status = wake_met(run, &is_met, error);
            i = is_met ? CN_STAGE_BEGIN - 1 : i; // nothing moved yet: pose the woken too
        }
    }
    cn_arena_release(&run->world->arena, mark);
    return status;
}

// Most worlds are filled before their first step: of the largest arrays no room is left idle then.
static void fit_bodies(CnWorld* world) {
    if (world->steps_made == 0) {
        cn_array_fit(&world->bodies, &world->allocator);
        cn_array_fit(&world->details, &world->allocator);
    }
}

CnStatus cn_step_open(CnWorld* world, double dt, CnStepReport* report, CnStepRun* run,
                      CnError* error) {
    const CnSchemeTable* scheme = cn_schemes[world->def.step.scheme];
    *run = (CnStepRun){
        .world = world,
        .scheme = scheme,
        .table = &scheme->step,
        .report = report,
        .worst_turning = CN_NONE,
        .mark = cn_arena_mark(&world->arena),
    };
    fit_bodies(world);
    if (cn_active_update(world) != CN_OK || cn_rollback_begin(world, &run->rollback) != CN_OK) {
        cn_arena_release(&world->arena, run->mark);
        return cn_error_set(error, CN_NO_MEMORY, "no memory for the states of %d bodies",
                            world->order.count);
    }
    cn_trees_forget_poses(world);
    world->stepping = true;
    world->step.dt = world->whole_dt = dt;
    world->step.time = world->time;
    cn_contact_hooks_begin(world);
    cn_contact_totals_begin(world);
    cn_attribution_begin(world);
    cn_events_begin(world);
    return CN_OK;
}

// Contacts were searched where bodies were on the way; queries ask where they are now. Unless the
// step was undone, the boxes of bodies that were placed there last are right.
static void place_bodies(const CnStepRun* run, bool was_undone) {
    CnWorld* world = run->world;
    CnIndexList moving = cn_active_bodies(world);
    bool are_placed =
        run->is_placed && !was_undone && world->driven_count == 0 && world->fast_count == 0;
    for (int k = 0; !are_placed && k < moving.count; ++k) {
        int i = cn_index_at(&moving, k);
        const CnBody* body = &world->bodies.data[i];
        if (body->type != CN_BODY_STATIC &&
            (was_undone || !cn_places_hold(world, i, &body->state))) {
            cn_body_place(world, i);
        }
    }
}

// After steps 1, 2, 4, 8 and so on, scratch memory that the steps since the last look have not
// needed goes back: a world asks for it again at most as often. The first step solves all islands
// without a guess, for which a solver takes many times the memory of later steps.
static void give_scratch_back(CnWorld* world) {
    int64_t steps = world->steps_made;
    if ((steps & (steps - 1)) == 0) {
        cn_arena_trim(&world->arena, false);
        cn_pair_store_trim(&world->pairs);
        cn_rollback_trim(world);
        for (int i = 0; i < world->workspace_count; ++i) {
            cn_arena_trim(&world->workspaces[i]->arena, steps == 1);
        }
    }
}

CnStatus cn_step_close(CnStepRun* run, CnStatus status) {
    CnWorld* world = run->world;
    world->stepping = false;
    world->rollback = NULL;
    if (status == CN_OK) {
        cn_rollback_commit(world);
    } else {
        cn_rollback_restore(world, &run->rollback);
    }
    cn_world_finish_joints(world, status == CN_OK);
    if (status == CN_OK) {
        cn_world_forget_applied(world);
    }
    world->steps_made += status == CN_OK;
    place_bodies(run, status != CN_OK);
    cn_arena_release(&world->arena, run->mark);
    if (status == CN_OK && run->mark.used == 0) {
        give_scratch_back(world);
    }
    return status;
}

// What holds for the step as a whole.
static CnStatus conclude(CnWorld* world, CnStepReport* report, CnError* error) {
    if (cn_attribution_end(world) != CN_OK) {
        return cn_error_set(error, CN_NO_MEMORY, "no memory to attribute momentum to islands");
    }
    if (cn_sleep_end_step(world, report) != CN_OK) {
        return cn_error_set(error, CN_NO_MEMORY, "no memory to put islands to sleep");
    }
    bool is_booked = report->is_graded && world->def.step.scheme != CN_SCHEME_SOFT_STEP;
    CnStatus status = report->is_graded ? cn_step_check_certificate(world, report, error) : CN_OK;
    if (status == CN_OK && is_booked) {
        status = cn_step_check_ledgers(world, report, error);
    }
    if (status != CN_OK) {
        return status;
    }
    if (cn_world_break_joints(world) != CN_OK || cn_events_add_sleep(world) != CN_OK ||
        cn_events_commit(world) != CN_OK) {
        return cn_error_set(error, CN_NO_MEMORY, "no memory for the step's events");
    }
    cn_warnings_commit(world);
    world->drift = is_booked ? report->momentum.error : 0.0; // 0: not known
    return CN_OK;
}

static CnStatus check(const CnWorld* world, double dt, CnError* error) {
    CnStatus status = cn_validate_dt(dt, NULL, error);
    if (status == CN_OK && world->stepping) {
        return cn_error_set(error, CN_INVALID, "a step cannot be made during a step");
    }
    const CnStepDef* def = &world->def.step;
    int parts = def->substeps * (def->scheme == CN_SCHEME_SOFT_STEP ? def->soft.substeps : 1);
    if (status == CN_OK && !(dt / parts > 0.0)) {
        return cn_error_set(error, CN_INVALID,
                            "dt is %g s, too short for %d substeps: they take no time", dt, parts);
    }
    return status;
}

// All substeps: each is a run through the stages of the scheme.
CnStatus cn_world_step(CnWorld* world, double dt, CnStepReport* report, CnError* error) {
    CnStepReport own, part, *total = report == NULL ? &own : report;
    CnStepRun run;
    CnStatus status = check(world, dt, error);
    double clock = cn_timer_now(), start = world->time;
    int substeps = world->def.step.substeps;
    if (status == CN_OK) {
        status = cn_step_open(world, dt, &part, &run, error);
    }
    if (status != CN_OK) {
        return status;
    }
    double opening = cn_timer_now() - clock;
    for (int i = 0; status == CN_OK && i < substeps; ++i) {
        double length = dt / substeps;
        world->step.dt = length;
        world->step.time = start + i * length;
        status = world->fast_count > 0 ? cn_substep_with_cuts(&run, error)
                                       : cn_step_run(&run, CN_STAGE_BEGIN, CN_STAGE_FINISH, error);
        world->time = start + (i + 1) * length;
        status = status == CN_OK ? cn_drives_end(world, error) : status;
        if (status == CN_OK && i == 0) {
            *total = part;
        } else if (status == CN_OK) {
            cn_step_append(total, &part);
        }
    }
    clock = cn_timer_now();
    if (status == CN_OK) {
        world->time = total->time = start + dt;
        status = cn_drives_end(world, error);
    }
    if (status == CN_OK) {
        status = conclude(world, total, error);
    }
    status = cn_step_close(&run, status);
    if (status == CN_OK) {
        total->stage_seconds[CN_STAGE_BEGIN] += opening;
        total->stage_seconds[CN_STAGE_FINISH] += cn_timer_now() - clock;
    }
    return status;
}
