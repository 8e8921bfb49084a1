// scheme_moreau.c - velocity-level time stepping: free motion, one solve, move.
#include "base/error.h"
#include "base/timer.h"
#include "world/bodies/motion.h"
#include "world/contacts/manifolds.h"
#include "world/correct/correct.h"
#include "world/correct/relax.h"
#include "world/schemes/schemes.h"
#include "world/step/ledger.h"
#include "world/step/rows.h"
#include "world/step/solve_step.h"
#include "world/step/warm_start.h"

#include <string.h>

static CnStatus find_contacts(CnWorld* world, const CnBodyState* states) {
    // What bodies can travel is judged by the velocities they would have if nothing stopped them.
    CnArenaMark mark = cn_arena_mark(&world->arena);
    CnBodyState* ahead = CN_ARENA_NEW(&world->arena, CnBodyState, world->bodies.count);
    CnStatus status = CN_NO_MEMORY;
    if (ahead != NULL) {
        for (int i = 0; i < world->bodies.count; ++i) {
            const double* v = world->step.free_velocity[i];
            ahead[i] = states[i];
            ahead[i].velocity = cn_vec3(v[0], v[1], v[2]);
            ahead[i].angular_velocity = cn_vec3(v[3], v[4], v[5]);
        }
        CnLook look = {.states = ahead, .dt = world->step.dt};
        status = cn_manifolds_update(world, &look);
    }
    cn_arena_release(&world->arena, mark);
    return status;
}

// Where the problem is posed: ahead of the start, and on the constraints. Off them rows that depend
// on each other would not do so any more, and contradict each other: docs/theory/moreau.md (16).
static CnStatus predict(CnWorld* world, const CnPosing* posing, CnBodyState* states,
                        CnStepReport* report, CnError* error) {
    cn_motion_predict(world, posing->theta, states);
    if (posing->theta == 1.0 || posing->instant) {
        return CN_OK;
    }
    bool moved;
    CnStatus status = cn_world_correct_ahead(world, posing->time, states, &moved, report, error);
    if (status == CN_OK && moved) {
        cn_motion_repredict(world, posing->theta, states);
    }
    return status;
}

static CnStatus pose(CnWorld* world, double theta, bool from_rest, CnStepReport* report,
                     CnError* error) {
    CnArenaMark mark = cn_arena_mark(&world->arena);
    CnBodyState* states = CN_ARENA_NEW(&world->arena, CnBodyState, world->order.count);
    double clock = cn_timer_now();
    CnStatus status = CN_NO_MEMORY;

    if (states != NULL) {
        CnPosing posing = {
            .states = states,
            .dt = world->step.dt,
            .theta = theta,
            .time = world->step.time + (1.0 - theta) * world->step.dt,
            .position_level = from_rest,
            .instant = world->step.dt == 0.0,
        };
        status = predict(world, &posing, states, report, error);
        cn_stage_end(report, CN_STAGE_CORRECT, &clock);
        if (status == CN_OK) {
            status = cn_motion_free(world, theta, states);
        }
        if (status == CN_OK) {
            status = cn_motion_check(world, states, error);
        }
        if (status == CN_OK) {
            status = find_contacts(world, states);
        }
        cn_stage_end(report, CN_STAGE_CONTACTS, &clock);
        if (status == CN_OK) {
            status = cn_world_build_rows(world, &posing);
        }
        cn_stage_end(report, CN_STAGE_ROWS, &clock);
    }
    cn_arena_release(&world->arena, mark);
    return status == CN_NO_MEMORY
               ? cn_error_set(error, status, "no memory to pose a step with %d bodies",
                              world->order.count)
               : status;
}

// Velocities as the step began, in the axes of the problem.
static void recall_velocities(CnWorld* world) {
    for (int i = 0; i < world->bodies.count; ++i) {
        const CnMotion* motion = &world->step.motions.data[i];
        CnVec3 turning = cn_quat_rotate(motion->rotation, motion->ahead_spin);
        double start[6] = {motion->start_velocity.x,
                           motion->start_velocity.y,
                           motion->start_velocity.z,
                           turning.x,
                           turning.y,
                           turning.z};
        memcpy(world->step.start_velocity[i], start, sizeof start);
    }
}

static CnStatus solve(CnWorld* world, CnStepReport* report, CnError* error) {
    CnStep* step = &world->step;
    CnSolverDef def = world->def.solver;
    def.warm_start = def.warm_start && world->def.step.warm_start != CN_WARM_START_OFF;
    CnStepSolve solve = {.def = &def, .share = 1.0, .goes_on = true};
    recall_velocities(world);
    CnStatus status = cn_world_solve_step(world, &solve, error);
    if (status == CN_OK) {
        cn_grade_finish(&solve.grades, solve.rho, &step->certificate);
        cn_step_report_solve(world, &solve, report);
    }
    return status;
}

// Up to the end of the motion, before positions are looked at.
static CnStatus solve_and_move(CnWorld* world, double theta, bool from_rest, CnStepReport* report,
                               CnError* error) {
    double clock;

    cn_ledger_open(world, &report->energy, &report->momentum);
    cn_motion_begin(world, from_rest);
    CnStatus status = pose(world, theta, from_rest, report, error);
    if (status != CN_OK) {
        return status;
    }
    clock = cn_timer_now();
    if (cn_islands_update(world) != CN_OK) {
        return cn_error_set(error, CN_NO_MEMORY, "no memory to find the islands of a step");
    }
    cn_stage_end(report, CN_STAGE_ISLANDS, &clock);
    status = solve(world, report, error);
    cn_stage_end(report, CN_STAGE_SOLVE, &clock);
    if (status != CN_OK) {
        return status;
    }
    cn_motion_finish(world, theta);
    cn_stage_end(report, CN_STAGE_MOVE, &clock);
    return CN_OK;
}

CnStatus cn_scheme_velocity_step(CnWorld* world, double theta, bool from_rest, CnStepReport* report,
                                 CnError* error) {
    CnStatus status = solve_and_move(world, theta, from_rest, report, error);
    double clock = cn_timer_now();
    if (status != CN_OK) {
        return status;
    }
    status = cn_world_correct_positions(world, report, error);
    if (status == CN_OK) {
        status = cn_world_relax_velocities(world, from_rest, report, error);
    }
    cn_stage_end(report, CN_STAGE_CORRECT, &clock);
    return status;
}

CnStatus cn_scheme_velocity_account(CnWorld* world, CnStepReport* report) {
    CnStep* step = &world->step;
    report->certificate = step->certificate;
    CnStatus status = cn_ledger_add_motion(world, &report->energy, &report->momentum);
    // Of the solve and of the relaxation: together they are what constraints did.
    cn_world_add_constraint_impulses(world, &step->rows);
    cn_world_add_constraint_impulses(world, &world->correction.rows);
    if (status == CN_OK && step->dt > 0.0) { // the impulses of an impact say nothing about forces
        cn_warm_start_keep(world, true);
    }
    return status;
}

static CnStatus advance(CnWorld* world, CnStepReport* report, CnError* error) {
    return cn_scheme_velocity_step(world, world->def.step.theta, false, report, error);
}

// A step that takes no time: nothing moves, so that the poses of the problem are the present ones
// whatever theta, and no force but those of contacts and constraints has an impulse.
CnStatus cn_scheme_velocity_strike(CnWorld* world, CnStepReport* report, CnError* error) {
    cn_rows_clear(&world->correction.rows); // no velocities are relaxed
    CnStatus status = solve_and_move(world, 1.0, false, report, error);
    return status == CN_OK ? cn_world_measure_positions(world, report, error) : status;
}

const CnSchemeTable cn_scheme_moreau = {advance, cn_scheme_velocity_strike,
                                        cn_scheme_velocity_account, true};
