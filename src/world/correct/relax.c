// relax.c - velocities at the end of a step, brought back to what constraints allow there.
#include "world/correct/relax.h"

#include "base/error.h"
#include "constraints/joints/user_rows.h"
#include "solvers/rest/rest_rules.h"
#include "world/bodies/motion.h"
#include "world/correct/correct_rows.h"
#include "world/step/rows.h"
#include "world/step/solve.h"
#include "world/trees/tree_store.h"

#include <string.h>

// The rows that keep C at zero with any force it takes, a bit each. One-sided ones may not act,
// drives and springs have no position to keep.
static unsigned find_keeping(const CnConstraintReading* reading, const CnUserConstraint* constraint,
                             double time) {
    CnRowLimits limits[CN_MAX_ROWS];
    unsigned rows = 0;
    cn_reading_limits(reading, constraint, time, limits);
    for (int k = 0; k < constraint->kind->dimension; ++k) {
        rows |= limits[k].role == CN_ROW_KEEPS ? 1u << k : 0u;
    }
    return rows;
}

static CnStatus pose_constraint(CnWorld* world, int slot, const CnBoundConstraint* bound,
                                CnReader* reader) {
    CnRows* rows = &world->correction.rows;
    const CnUserConstraint* constraint = bound->constraint;
    CnConstraintReading reading;
    CnBlock* block;
    double rate[CN_MAX_ROWS];
    cn_read_constraint(reader, bound, CN_READ_FORCES, &reading);
    unsigned keeping = find_keeping(&reading, constraint, reader->time);
    if (keeping == 0) {
        return CN_OK;
    }
    cn_read_constraint(reader, bound, CN_READ_JACOBIANS, &reading);
    CnStatus status = cn_world_pose_rows(world, slot, constraint, &reading, keeping, rows, &block);
    if (status != CN_OK || block == NULL) {
        return status;
    }
    const CnBlockSource* source = &rows->sources.data[rows->sources.count - 1];
    cn_constraint_time_rate(constraint->kind, bound->a, bound->b, reader->time, constraint->data,
                            rate);
    for (int k = 0; k < block->row_count; ++k) {
        rows->target[block->first_row + k] = -rate[source->rows[k]];
    }
    block->law = CN_LAW_EQUALITY;
    return CN_OK;
}

// Every row that keeps C at zero, at the end of the step: J v = -C_t.
static CnStatus pose(CnWorld* world, const CnBodyState* states, double time) {
    CnStatus status = CN_OK;
    CnReader reader;
    cn_rows_clear(&world->correction.rows);
    cn_reader_begin(&reader, world, states, time);
    for (int place = 0; status == CN_OK && place < world->active.constraints.count; ++place) {
        int i = world->active.constraints.data[place];
        CnBoundConstraint bound;
        if (cn_reader_bind(&reader, i, &bound)) {
            status = pose_constraint(world, i, &bound, &reader);
        }
    }
    return status;
}

static void set_bodies(CnWorld* world, const CnBodyState* states) {
    for (int i = 0; i < world->order.count; ++i) {
        CnVec3 v = states[i].velocity, w = states[i].angular_velocity;
        double velocity[6] = {v.x, v.y, v.z, w.x, w.y, w.z};
        memcpy(world->correction.free_velocity[i], velocity, sizeof velocity);
    }
    cn_correction_view(world, states, NULL);
}

static void apply(CnWorld* world) {
    CnIndexList moving = cn_active_bodies(world);
    for (int k = 0; k < moving.count; ++k) {
        int i = cn_index_at(&moving, k);
        if (cn_world_body_by_index(world, i)->type == CN_BODY_DYNAMIC) {
            cn_relax_body(world, i, world->correction.displacement[i]);
        }
    }
}

// One solve of equalities takes a few factorisations. Rows that are so nearly dependent that these
// do not suffice are not better served by more: docs/theory/stabilisation.md (14).
#define LEAST_BUDGET 1e8
#define BUDGET_PER_ROW 3e4

static double relax_budget(const CnWorld* world) {
    double asked = world->def.solver.work_budget;
    return asked > 0.0 ? asked : LEAST_BUDGET + BUDGET_PER_ROW * world->correction.rows.row_count;
}

// The velocities into correction.displacement; *found is false when no row asks for any.
static CnStatus find_velocities(CnWorld* world, double time, const CnBodyState* states, bool* found,
                                CnStepReport* report, CnError* error) {
    CnSolverDef def = cn_solver_def_default();
    CnIslandSummary summary;
    CnStatus status = pose(world, states, time);
    *found = false;
    if (status != CN_OK) {
        return cn_error_set(error, status, "no memory to relax velocities");
    }
    if (world->correction.rows.blocks.count == 0) {
        return CN_OK;
    }
    if (cn_motion_reserve_correction(world) != CN_OK) {
        return cn_error_set(error, CN_NO_MEMORY, "no memory to relax velocities");
    }
    set_bodies(world, states);
    def.tolerance = world->def.solver.tolerance;
    def.work_budget = relax_budget(world);
    def.warm_start = false;
    status =
        cn_world_solve(world, &world->correction.problem, &def, 1.0, world->correction.rows.impulse,
                       world->correction.displacement, &summary, error);
    if (status == CN_OK) {
        *found = true;
        report->not_converged += summary.not_converged;
        report->correction_work += summary.work;
    }
    return status;
}

CnStatus cn_world_relax_states(CnWorld* world, double time, CnBodyState* states,
                               CnStepReport* report, CnError* error) {
    bool found;
    CnStatus status = find_velocities(world, time, states, &found, report, error);
    for (int i = 0; status == CN_OK && found && i < world->order.count; ++i) {
        const double* v = world->correction.displacement[i];
        states[i].velocity = cn_vec3(v[0], v[1], v[2]);
        states[i].angular_velocity = cn_vec3(v[3], v[4], v[5]);
    }
    return status;
}

// What the rows of nets may miss, docs/theory/mechanisms.md (42). While impulses of the last step
// are kept nothing turns it around.
static double net_tolerance(const CnWorld* world, const CnStepReport* report) {
    double tolerance = world->def.solver.tolerance;
    bool are_kept = report->kept_islands == report->island_count;
    return are_kept ? 0.5 * tolerance : cn_rest_missed(tolerance);
}

static CnStatus relax(CnWorld* world, const CnBodyState* states, CnStepReport* report,
                      CnError* error) {
    double time = world->step.time + world->step.dt;
    bool found, serves;
    CnStatus status =
        cn_trees_relax(world, states, time, world->def.solver.tolerance,
                       net_tolerance(world, report), &report->correction_work, &serves);
    if (status != CN_OK) {
        return cn_error_set(error, status, "no memory to relax velocities");
    }
    if (!serves) {
        status = find_velocities(world, time, states, &found, report, error);
        if (status == CN_OK && found) {
            apply(world);
        }
    }
    return status;
}

CnStatus cn_world_relax_velocities(CnWorld* world, const CnBodyState* states, bool from_rest,
                                   CnStepReport* report, CnError* error) {
    if (world->active.constraints.count == 0 || from_rest ||
        world->def.step.stabilisation == CN_STABILISATION_BAUMGARTE) {
        cn_rows_clear(&world->correction.rows);
        return CN_OK;
    }
    CnArenaMark mark = cn_arena_mark(&world->arena);
    CnStatus status = CN_NO_MEMORY;
    if (states == NULL) {
        states = cn_world_present_states(world, CN_STATES_LOOK);
    }
    if (states == NULL) {
        cn_error_set(error, status, "no memory to relax velocities");
    } else {
        status = relax(world, states, report, error);
    }
    cn_arena_release(&world->arena, mark);
    return status;
}

void cn_relax_body(CnWorld* world, int index, const double v[6]) {
    CnBody* body = cn_world_body_by_index(world, index);
    const CnMotion* motion = &world->step.motions.data[index];
    CnMotionExtras* extras = cn_motion_extras(&world->step, index);
    CnVec3 velocity = cn_vec3(v[0], v[1], v[2]), turning = cn_vec3(v[3], v[4], v[5]);
    if (extras != NULL) {
        CnVec3 spin = cn_quat_unrotate(body->state.rotation, turning);
        CnVec3 turned = cn_vec3_sub(spin, motion->end_spin);
        extras->late = cn_vec3_scale(body->mass->mass, cn_vec3_sub(velocity, body->state.velocity));
        extras->late_moment = cn_mat3_apply(&body->mass->inertia, turned);
        extras->final_spin = spin;
    }
    body->state.velocity = velocity;
    body->state.angular_velocity = turning;
}
