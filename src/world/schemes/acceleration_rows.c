// acceleration_rows.c - the rows of a stage of scheme acceleration: docs/theory/acceleration.md.
#include "constraints/joints/user_rows.h"
#include "world/schemes/acceleration.h"
#include "world/step/rows.h"

// How far a stop counts as reached [m or rad]: a hundred times what projection leaves of an error,
// so that a taut rope stays taut.
#define CLOSED 1e-9

// A row that yields has a force already, and only says so.
static void fix_force(double force, int row, CnRows* rows) {
    rows->offset[row] = force;
    rows->lower[row] = rows->upper[row] = force;
}

// A one-sided row that is open and stays open within the step takes no force.
static bool stays_open(const CnRowLimits* limits, double value, double rate, double dt) {
    double sign = limits->role == CN_ROW_PUSHES ? 1.0 : -1.0;
    bool one_sided = limits->role == CN_ROW_PUSHES || limits->role == CN_ROW_PULLS;
    return one_sided && sign * (value + dt * rate) > CLOSED;
}

// docs/theory/acceleration.md (1), (5).
static void set_bounded_row(const CnKeeping* keep, const CnRowLimits* limits, double value,
                            double rate, double bias, double dt, int row, CnRows* rows) {
    rows->target[row] = -bias - keep->alpha * value - keep->beta * rate;
    rows->lower[row] = limits->lower;
    rows->upper[row] = limits->upper;
    if (limits->role == CN_ROW_DRIVES) {
        rows->target[row] = -bias - rate / dt;
    } else if (stays_open(limits, value, rate, dt)) {
        rows->target[row] = rows->lower[row] = rows->upper[row] = 0.0;
    }
}

static void set_targets(const CnBoundConstraint* bound, const CnConstraintReading* reading,
                        double time, double dt, const CnBlock* block, const CnBlockSource* source,
                        CnRows* rows) {
    const CnUserConstraint* constraint = bound->constraint;
    const CnConstraintKind* kind = constraint->kind;
    double rate[CN_MAX_ROWS], bias[CN_MAX_ROWS];
    double force[CN_MAX_ROWS], by_value[CN_MAX_ROWS], by_rate[CN_MAX_ROWS];
    CnRowLimits limits[CN_MAX_ROWS];
    const double* value = reading->value;

    cn_constraint_time_rate(kind, bound->a, bound->b, time, constraint->data, rate);
    for (int i = 0; i < kind->dimension; ++i) {
        rate[i] += cn_reading_rate(kind, reading, i, bound->a, bound->b);
    }
    cn_constraint_acceleration_bias(kind, bound->a, bound->b, time, constraint->data, bias);
    cn_reading_limits(reading, constraint, time, limits);
    if (kind->force != NULL) {
        kind->force(value, rate, time, constraint->data, force, by_value, by_rate);
    }
    for (int k = 0; k < block->row_count; ++k) {
        int i = source->rows[k], row = block->first_row + k;
        const CnRowLimits* limit = &limits[i];
        set_bounded_row(&constraint->keep, limit, value[i], rate[i], bias[i], dt, row, rows);
        if (kind->force != NULL) {
            fix_force(force[i], row, rows);
        } else if (limit->role == CN_ROW_YIELDS) {
            double pull = -limit->stiffness * value[i] - limit->damping * rate[i];
            fix_force(fmin(fmax(pull, limit->lower), limit->upper), row, rows);
        }
    }
}

CnStatus cn_acceleration_build_rows(const CnJourney* journey, double time) {
    CnWorld* world = journey->world;
    CnRows* rows = &world->step.rows;
    CnReader reader;
    cn_rows_clear(rows);
    cn_reader_begin(&reader, world, journey->states, time);
    for (int i = 0; i < cn_pool_slot_count(&world->constraints); ++i) {
        CnBoundConstraint bound;
        CnConstraintReading reading;
        CnBlock* block;
        if (!cn_reader_bind(&reader, i, &bound)) {
            continue;
        }
        cn_read_constraint(&reader, &bound, CN_READ_VALUES | CN_READ_JACOBIANS | CN_READ_FORCES,
                           &reading);
        CnStatus status =
            cn_world_pose_rows(world, i, bound.constraint, &reading, CN_ALL_ROWS, rows, &block);
        if (status != CN_OK) {
            return status;
        }
        if (block != NULL) {
            const CnBlockSource* source = &rows->sources.data[rows->sources.count - 1];
            set_targets(&bound, &reading, time, world->step.dt, block, source, rows);
        }
    }
    world->assembled.is_valid = false;
    return CN_OK;
}
