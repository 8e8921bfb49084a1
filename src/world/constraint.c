// constraint.c - user-defined constraints in a world: adding, reading, and their rows in a step.
#include "base/error.h"
#include "constraints/user_rows.h"
#include "world/rows.h"
#include "world/validate.h"

#include <string.h>

#define CONSTRAINT_SEED (CN_HASH_SEED ^ UINT64_C(0x757365)) // "use"

// A row whose entries are all below this is one that no velocity changes, such as the unit length
// of a quaternion: products of numbers up to 1 cancel to a few units of 2^-53.
#define ZERO_ENTRY 1e-14

static CnStatus check_new_constraint(const CnWorld* world, const CnConstraintDef* def,
                                     CnError* error) {
    CnStatus status = cn_validate_constraint(def, NULL, error);
    if (status == CN_OK) {
        status = cn_world_check_idle(world, error);
    }
    if (status != CN_OK) {
        return status;
    }
    const CnBody* a = cn_world_body(world, def->body_a);
    const CnBody* b = cn_world_body(world, def->body_b);
    bool two = def->kind->body_count == 2;
    if (a == NULL || (two && b == NULL)) {
        return cn_error_set(error, CN_STALE, "a body of the constraint does not exist");
    }
    if (two && a == b) {
        return cn_error_set(error, CN_INVALID,
                            "a constraint between two bodies needs two "
                            "different ones");
    }
    if (a->type != CN_BODY_DYNAMIC && (!two || b->type != CN_BODY_DYNAMIC)) {
        return cn_error_set(error, CN_INVALID,
                            "no body of the constraint can be moved: one of "
                            "them must be dynamic");
    }
    return CN_OK;
}

CnConstraintId cn_world_add_constraint(CnWorld* world, const CnConstraintDef* def, CnError* error) {
    if (check_new_constraint(world, def, error) != CN_OK) {
        return (CnConstraintId){0};
    }
    CnUserConstraint* constraint = NULL;
    CnPoolId id = {0};
    char* name = cn_world_copy_name(world, def->name);
    void* data = cn_allocate(&world->allocator, def->data_size, 1);
    bool two = def->kind->body_count == 2;
    bool separates = two && !def->collide;
    if (name != NULL && data != NULL) {
        id = cn_pool_add(&world->constraints, (void**)&constraint);
    }
    if (constraint != NULL && separates &&
        cn_world_separate(world, def->body_a, def->body_b) != CN_OK) {
        cn_pool_remove(&world->constraints, id);
        constraint = NULL;
    }
    if (constraint == NULL) {
        cn_release(&world->allocator, name);
        cn_release(&world->allocator, data);
        cn_error_set(error, CN_NO_MEMORY, "no memory for a constraint");
        return (CnConstraintId){0};
    }
    if (def->data_size > 0) {
        memcpy(data, def->data, def->data_size);
    }
    *constraint = (CnUserConstraint){
        .name = name,
        .kind = def->kind,
        .body_a = def->body_a,
        .body_b = two ? def->body_b : (CnBodyId){0},
        .separates = separates,
        .data = data,
    };
    return (CnConstraintId){id.index, id.generation};
}

CnStatus cn_world_remove_constraint(CnWorld* world, CnConstraintId id) {
    CnUserConstraint* constraint = cn_pool_get(&world->constraints, CN_POOL_ID(id));
    if (constraint == NULL) {
        return CN_STALE;
    }
    if (cn_world_check_idle(world, NULL) != CN_OK) {
        return CN_INVALID;
    }
    if (constraint->separates) {
        cn_world_unseparate(world, constraint->body_a, constraint->body_b);
    }
    cn_release(&world->allocator, constraint->name);
    cn_release(&world->allocator, constraint->data);
    return cn_pool_remove(&world->constraints, CN_POOL_ID(id));
}

CnStatus cn_constraint_read(const CnWorld* world, CnConstraintId id, double force[CN_MAX_ROWS],
                            double value[CN_MAX_ROWS]) {
    const CnUserConstraint* constraint = cn_pool_get(&world->constraints, CN_POOL_ID(id));
    if (constraint == NULL) {
        return CN_STALE;
    }
    double dt = world->step.dt;
    for (int i = 0; i < CN_MAX_ROWS; ++i) {
        force[i] = dt > 0.0 ? constraint->impulse[i] / dt : 0.0;
        value[i] = constraint->value[i];
    }
    return CN_OK;
}

bool cn_world_bind_constraint(const CnWorld* world, int slot, const CnBodyState* states,
                              double time, CnBoundConstraint* bound) {
    CnUserConstraint* constraint = cn_pool_at(&world->constraints, slot);
    if (constraint == NULL) {
        return false;
    }
    int b = cn_world_body_index(world, constraint->body_b);
    *bound = (CnBoundConstraint){
        .constraint = constraint,
        .a = &states[cn_world_body_index(world, constraint->body_a)],
        .b = b < 0 ? NULL : &states[b],
    };
    const CnConstraintKind* kind = constraint->kind;
    return kind->is_active == NULL || kind->is_active(bound->a, bound->b, time, constraint->data);
}

CnRowRole cn_row_role(double lower, double upper) {
    if (isinf(lower) && isinf(upper)) {
        return CN_ROW_KEEPS;
    }
    if (lower == 0.0 && isinf(upper)) {
        return CN_ROW_PUSHES;
    }
    return upper == 0.0 && isinf(lower) ? CN_ROW_PULLS : CN_ROW_DRIVES;
}

void cn_world_force_bounds(const CnBoundConstraint* bound, double time, double* lower,
                           double* upper) {
    const CnUserConstraint* constraint = bound->constraint;
    for (int i = 0; i < constraint->kind->dimension; ++i) {
        lower[i] = -INFINITY;
        upper[i] = INFINITY;
    }
    if (constraint->kind->force_bounds != NULL) {
        constraint->kind->force_bounds(bound->a, bound->b, time, constraint->data, lower, upper);
    }
}

static bool moves(const CnWorld* world, int body, const double jacobian[6]) {
    if (body < 0 || cn_world_body_by_index(world, body)->type != CN_BODY_DYNAMIC) {
        return false;
    }
    for (int i = 0; i < 6; ++i) {
        if (fabs(jacobian[i]) > ZERO_ENTRY) {
            return true;
        }
    }
    return false;
}

CnStatus cn_world_pose_constraint(const CnWorld* world, int slot, const CnBodyState* states,
                                  double time, CnRows* rows, CnBlock** block) {
    CnBoundConstraint bound;
    double ja[CN_MAX_ROWS][6] = {{0.0}}, jb[CN_MAX_ROWS][6] = {{0.0}};
    CnBlockSource source = {.contact = -1, .constraint = slot};
    int count = 0;

    *block = NULL;
    if (!cn_world_bind_constraint(world, slot, states, time, &bound)) {
        return CN_OK;
    }
    const CnUserConstraint* constraint = bound.constraint;
    const CnConstraintKind* kind = constraint->kind;
    int a = cn_world_body_index(world, constraint->body_a);
    int b = cn_world_body_index(world, constraint->body_b);
    cn_constraint_velocity_jacobian(kind, bound.a, bound.b, time, constraint->data, ja, jb);
    for (int i = 0; i < kind->dimension; ++i) {
        if (moves(world, a, ja[i]) || moves(world, b, jb[i])) {
            source.rows[count++] = (uint8_t)i;
        }
    }
    if (count == 0) {
        return CN_OK;
    }
    CnLaw law = kind->force_bounds == NULL ? CN_LAW_EQUALITY : CN_LAW_BOUNDS;
    *block = cn_rows_add(rows, &world->allocator, law, count, source);
    if (*block == NULL) {
        return CN_NO_MEMORY;
    }
    CnPoolId id = cn_pool_id_at(&world->constraints, slot);
    (*block)->body_a = a;
    (*block)->body_b = b;
    (*block)->key = cn_hash_mix(CONSTRAINT_SEED, (uint64_t)id.index << 32 | id.generation);
    for (int k = 0; k < count; ++k) {
        memcpy(rows->jacobian_a[(*block)->first_row + k], ja[source.rows[k]], sizeof ja[0]);
        if (b >= 0) {
            memcpy(rows->jacobian_b[(*block)->first_row + k], jb[source.rows[k]], sizeof jb[0]);
        }
    }
    return CN_OK;
}

// An error C and its rate before the step, of one row.
typedef struct RowState {
    double value;     // C
    double rate;      // dC/dt before the step
    double time_rate; // the part of it that time alone makes
} RowState;

// docs/theory/moreau.md (10)-(12): the mean of the rates before and after the step vanishes, so
// that the error does not drift and the constraint does no work. Baumgarte's rule fixes the rate
// after the step alone: fed back into the mean it would swing up, docs/theory/stabilisation.md (4).
static double equality_target(const CnWorld* world, const CnPosing* posing, const RowState* row) {
    const CnStepDef* step = &world->def.step;
    if (posing->position_level) {
        return -row->time_rate - row->value / posing->dt;
    }
    if (step->stabilisation == CN_STABILISATION_BAUMGARTE) {
        double share = step->error_reduction * row->value;
        double limit = step->max_correction;
        return -row->time_rate - fmax(-limit, fmin(limit, share)) / posing->dt;
    }
    return -row->time_rate - (1.0 - posing->theta) / posing->theta * row->rate;
}

// C >= 0 (or <= 0) held like a contact without bounce; sign is +1 (or -1).
static double one_sided_target(const CnWorld* world, const CnPosing* posing, const RowState* row,
                               double sign) {
    const CnStepDef* step = &world->def.step;
    double open = sign * row->value; // how far from touching

    if (open > 0.0 || posing->position_level) {
        return -row->time_rate - row->value / posing->dt;
    }
    double target = -row->time_rate;
    if (step->stabilisation == CN_STABILISATION_BAUMGARTE && -open > step->slop) {
        double share = step->error_reduction * (-open - step->slop);
        target += sign * fmin(share, step->max_correction) / posing->dt;
    }
    return target;
}

// A drive asks for rest and gets as far as its force goes.
static double row_target(const CnWorld* world, const CnPosing* posing, const RowState* row,
                         CnRowRole role) {
    switch (role) {
    case CN_ROW_KEEPS:
        return equality_target(world, posing, row);
    case CN_ROW_PUSHES:
        return one_sided_target(world, posing, row, 1.0);
    case CN_ROW_PULLS:
        return one_sided_target(world, posing, row, -1.0);
    default:
        return -row->time_rate;
    }
}

// In an impact, which takes no time: what keeps or has come to its stop goes on doing so, and a
// force that has a limit gives no impulse. False for a row that does not act.
static bool instant_target(const RowState* row, CnRowRole role, double* target) {
    *target = -row->time_rate;
    switch (role) {
    case CN_ROW_KEEPS:
        return true;
    case CN_ROW_PUSHES:
        return row->value <= 0.0;
    case CN_ROW_PULLS:
        return row->value >= 0.0;
    default:
        return false;
    }
}

static void set_targets(const CnWorld* world, const CnPosing* posing,
                        const CnBoundConstraint* bound, const CnBlock* block,
                        const CnBlockSource* source, CnRows* rows) {
    const CnUserConstraint* constraint = bound->constraint;
    const CnConstraintKind* kind = constraint->kind;
    double value[CN_MAX_ROWS], rate[CN_MAX_ROWS], time_rate[CN_MAX_ROWS];
    double lower[CN_MAX_ROWS], upper[CN_MAX_ROWS];

    kind->evaluate(bound->a, bound->b, posing->time, constraint->data, value);
    cn_constraint_rate(kind, bound->a, bound->b, posing->time, constraint->data, rate);
    cn_constraint_time_rate(kind, bound->a, bound->b, posing->time, constraint->data, time_rate);
    cn_world_force_bounds(bound, posing->time, lower, upper);
    for (int k = 0; k < block->row_count; ++k) {
        int i = source->rows[k], row = block->first_row + k;
        RowState state = {value[i], rate[i], time_rate[i]};
        CnRowRole role = cn_row_role(lower[i], upper[i]);
        if (posing->instant) {
            bool acts = instant_target(&state, role, &rows->target[row]);
            rows->lower[row] = acts ? lower[i] : 0.0;
            rows->upper[row] = acts ? upper[i] : 0.0;
            continue;
        }
        rows->target[row] = row_target(world, posing, &state, role);
        rows->lower[row] = lower[i] * posing->dt;
        rows->upper[row] = upper[i] * posing->dt;
    }
}

CnStatus cn_world_add_constraint_rows(CnWorld* world, const CnPosing* posing) {
    CnRows* rows = &world->step.rows;
    for (int i = 0; i < cn_pool_slot_count(&world->constraints); ++i) {
        CnBoundConstraint bound;
        CnBlock* block;
        CnStatus status =
            cn_world_pose_constraint(world, i, posing->states, posing->time, rows, &block);
        if (status != CN_OK) {
            return status;
        }
        if (block != NULL &&
            cn_world_bind_constraint(world, i, posing->states, posing->time, &bound)) {
            const CnBlockSource* source = &rows->sources.data[rows->sources.count - 1];
            set_targets(world, posing, &bound, block, source, rows);
        }
    }
    return CN_OK;
}
