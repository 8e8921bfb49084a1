// stages.c - the stages that schemes share: velocity-level time stepping.
#include "world/step/stages.h"

#include "base/error.h"
#include "base/tasks.h"
#include "world/bodies/drive.h"
#include "world/bodies/motion.h"
#include "world/contacts/contact_rows.h"
#include "world/contacts/contact_totals.h"
#include "world/contacts/contacts.h"
#include "world/correct/correct.h"
#include "world/correct/relax.h"
#include "world/events/events.h"
#include "world/step/attribution.h"
#include "world/step/ledger.h"
#include "world/step/step_check.h"
#include "world/step/warm_start.h"
#include "world/step/warnings.h"
#include "world/trees/tree_store.h"

static CnStatus no_memory_to_pose(const CnStepRun* run, CnError* error) {
    return cn_error_set(error, CN_NO_MEMORY, "no memory to pose a step with %d bodies",
                        run->world->order.count);
}

static CnStatus open_step(CnStepRun* run, CnError* error) {
    CnWorld* world = run->world;
    run->is_placed = run->is_checked_later = false;
    cn_trees_forget_poses(world);
    world->step.is_graded = cn_step_is_due_for_grade(world);
    *run->report = cn_step_report_begin(world->step.is_graded);
    if (cn_active_update(world) != CN_OK || cn_motion_reserve(world) != CN_OK) {
        return cn_error_set(error, CN_NO_MEMORY, "no memory for the motion of %d bodies",
                            world->order.count);
    }
    cn_drives_begin(world);
    return CN_OK;
}

static void open_books(CnStepRun* run, const CnLedgerParts* parts) {
    if (run->report->is_graded) {
        cn_ledger_open(run->world, parts, &run->report->energy, &run->report->momentum);
    }
}

CnStatus cn_stage_open_books(CnStepRun* run, CnError* error) {
    CnStatus status = open_step(run, error);
    if (status == CN_OK) {
        open_books(run, NULL);
    }
    return status;
}

// Where the problem is posed: ahead of the start, and on the constraints. Off them rows that depend
// on each other would not do so any more, and contradict each other: docs/theory/moreau.md (16).
// Then on with the velocities that loads lead to.
static CnStatus predict(CnStepRun* run, bool from_rest, CnError* error) {
    CnWorld* world = run->world;
    double theta = run->posing.theta;
    bool is_plain = theta == 1.0 || run->posing.instant || world->constraints.count == 0;
    if (is_plain && cn_motion_begins_at_once(world)) {
        CnLedgerParts parts;
        CnStatus status = cn_motion_begin_and_free(world, from_rest, theta, run->states, run->ahead,
                                                   &parts, error);
        open_books(run, &parts);
        return status;
    }
    bool moved = false;
    CnStatus status = CN_OK;
    CnLedgerParts parts;
    bool are_totalled = cn_motion_begin(world, from_rest, theta, run->states,
                                        run->report->is_graded ? &parts : NULL);
    open_books(run, are_totalled ? &parts : NULL);
    if (!is_plain) {
        status = cn_world_correct_ahead(world, run->posing.time, run->states, &moved, run->report,
                                        error);
    }
    return status == CN_OK ? cn_motion_free(world, theta, moved, run->states, run->ahead, error)
                           : status;
}

CnStatus cn_stage_begin(CnStepRun* run, double theta, bool from_rest, CnError* error) {
    CnWorld* world = run->world;
    CnStatus status = open_step(run, error);
    if (status != CN_OK) {
        return status;
    }
    run->states = cn_world_states(world, CN_STATES_POSED);
    run->ahead = cn_world_states(world, CN_STATES_LOOK);
    if (run->states == NULL || run->ahead == NULL) {
        return no_memory_to_pose(run, error);
    }
    run->posing = (CnPosing){
        .states = run->states,
        .dt = world->step.dt,
        .theta = theta,
        .time = world->step.time + (1.0 - theta) * world->step.dt,
        .position_level = from_rest,
        .instant = world->step.dt == 0.0,
    };
    run->solver = world->def.solver;
    run->solver.warm_start =
        run->solver.warm_start && world->def.step.warm_start != CN_WARM_START_OFF;
    run->solve = (CnStepSolve){.def = &run->solver, .share = 1.0, .goes_on = true};
    status = predict(run, from_rest, error);
    return status == CN_NO_MEMORY ? no_memory_to_pose(run, error) : status;
}

// What bodies can travel is judged by the velocities they would have if nothing stopped them.
CnStatus cn_stage_find_pairs(CnStepRun* run, CnError* error) {
    CnWorld* world = run->world;
    run->look = (CnLook){.states = run->ahead, .dt = world->step.dt};
    CnStatus status = cn_places_update(world, run->look.states, run->look.dt);
    if (status == CN_OK) {
        status = cn_world_assign_records(world);
    }
    return status == CN_OK ? CN_OK : no_memory_to_pose(run, error);
}

CnStatus cn_stage_find_contacts(CnStepRun* run, CnError* error) {
    CnWorld* world = run->world;
    CnArenaMark mark = cn_arena_mark(&world->arena);
    CnSearch search;
    CnStatus status = cn_manifolds_begin(world, &run->look, &search);
    while (status == CN_OK && cn_search_next(&search)) {
        cn_tasks_for(&world->def.tasks, search.part_looks, CN_SEARCH_GRAIN, cn_search_range,
                     &search);
        status = cn_manifolds_take(world, &run->look, &search);
    }
    status = status == CN_OK ? cn_manifolds_end(world, &run->look) : status;
    cn_arena_release(&world->arena, mark);
    return status == CN_OK ? CN_OK : no_memory_to_pose(run, error);
}

CnStatus cn_stage_build_rows(CnStepRun* run, CnError* error) {
    CnWorld* world = run->world;
    CnStep* step = &world->step;
    world->assembled.is_valid = false;
    cn_rows_clear(&step->rows);
    CnStatus status = cn_world_add_contact_rows(world, &run->posing);
    if (status == CN_OK) {
        status = cn_world_add_constraint_rows(world, &run->posing);
    }
    int count = step->rows.blocks.count;
    if (status == CN_OK && !cn_array_reserve(&step->block_residual, &world->allocator, count)) {
        status = CN_NO_MEMORY;
    }
    step->block_residual.count = status == CN_OK ? count : 0;
    if (status == CN_OK) {
        cn_warm_start_constraints(world, run->posing.resumes);
    }
    return status == CN_OK ? CN_OK : no_memory_to_pose(run, error);
}

CnStatus cn_stage_update_islands(CnStepRun* run, CnError* error) {
    CnStatus status = cn_islands_update(run->world);
    return status == CN_OK ? CN_OK
                           : cn_error_set(error, status, "no memory to find the islands of a step");
}

CnStatus cn_stage_move(CnStepRun* run, CnError* error) {
    (void)error;
    run->end_states = run->ahead; // contacts have been looked for
    run->is_sound = cn_motion_finish(run->world, run->posing.theta, run->end_states);
    return CN_OK;
}

CnStatus cn_stage_correct(CnStepRun* run, CnError* error) {
    CnWorld* world = run->world;
    CnEndLook look;
    CnStatus status = cn_correct_begin(world, run->end_states, &look, error);
    while (status == CN_OK && cn_search_next(&look.search)) {
        cn_tasks_for(&world->def.tasks, look.search.part_looks, CN_SEARCH_GRAIN, cn_search_range,
                     &look.search);
        status = cn_correct_take(world, &look, error);
    }
    if (status == CN_OK) {
        status = cn_correct_end(world, &look, true, run->report, error);
        run->is_placed = status == CN_OK && look.is_placed;
    }
    if (status == CN_OK) {
        status = cn_world_relax_velocities(world, look.states, run->posing.position_level,
                                           run->report, error);
    }
    if (status != CN_OK) {
        return status;
    }
    bool has_constraints = world->active.constraints.count > 0;
    bool is_checked = run->is_sound && look.is_sound && !has_constraints;
    run->is_checked_later = has_constraints && run->report->is_graded;
    return is_checked || run->is_checked_later ? CN_OK
                                               : cn_step_check_states(world, run->report, error);
}

CnStatus cn_stage_measure(CnStepRun* run, CnError* error) {
    CnStatus status = cn_world_correct_positions(run->world, false, run->report, error);
    return status == CN_OK ? cn_step_check_states(run->world, run->report, error) : status;
}

CnStatus cn_stage_close_books(CnStepRun* run, CnError* error) {
    if (run->report->is_graded) {
        cn_ledger_close(&run->report->energy, &run->report->momentum);
    }
    CnStatus status = cn_contact_totals_add(run->world);
    if (status != CN_OK) {
        return cn_error_set(error, status, "no memory to grade a step");
    }
    status = cn_events_add(run->world);
    return status == CN_OK ? CN_OK : cn_error_set(error, status, "no memory for the step's events");
}

// Certificate and ledgers. keeps: contacts keep their impulses, on the same walk.
static CnStatus book_step(CnStepRun* run, bool keeps, CnError* error) {
    CnWorld* world = run->world;
    CnStepReport* report = run->report;
    report->certificate = world->step.certificate;
    bool are_sound = true;
    run->worst_turning = cn_ledger_add_bodies(world, true, &report->energy, &report->momentum,
                                              run->is_checked_later ? &are_sound : NULL);
    CnStatus status = are_sound ? CN_OK : cn_step_check_states(world, report, error);
    if (status != CN_OK) {
        return status;
    }
    status = cn_ledger_add_tiles(world, keeps, &report->energy, &report->momentum);
    if (status == CN_OK) {
        status = cn_ledger_add_blocks(world, &report->energy, &report->momentum);
    }
    return status == CN_OK ? cn_attribution_add_solve(world) : status;
}

CnStatus cn_stage_grade(CnStepRun* run, CnError* error) {
    CnWorld* world = run->world;
    bool keeps = world->step.dt > 0.0; // the impulses of an impact say nothing about forces
    CnStatus status = run->report->is_graded ? book_step(run, keeps, error)
                                             : cn_ledger_add_tiles(world, keeps, NULL, NULL);
    if (status == CN_UNSUPPORTED) {
        return status; // a body is where it cannot be: error says so
    }
    if (status != CN_OK) {
        return cn_error_set(error, status, "no memory to grade a step");
    }
    // Of the solve and of the relaxation: together they are what constraints did.
    if (keeps) {
        cn_warm_start_keep_all_rows(world);
    } else {
        cn_world_add_constraint_impulses(world, &world->step.rows);
        cn_world_add_late_impulses(world);
    }
    return cn_stage_close_books(run, error);
}

CnStatus cn_stage_finish(CnStepRun* run, CnError* error) {
    (void)error;
    cn_world_advance_constraints(run->world);
    cn_warnings_of_step(run->world, run->report, run->worst_turning);
    return CN_OK;
}
