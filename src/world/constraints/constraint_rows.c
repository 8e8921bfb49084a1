// constraint_rows.c - the rows of user-defined constraints in a step's problem.
#include "constraints/joints/user_rows.h"
#include "constraints/problem/block.h"
#include "world/step/rows.h"
#include "world/step/unilateral_target.h"
#include "world/trees/tree_store.h"

#include <string.h>

#define CONSTRAINT_SEED (CN_HASH_SEED ^ UINT64_C(0x757365)) // "use"

// A row whose entries are all below this is one that no velocity changes, such as the unit length
// of a quaternion: products of numbers up to 1 cancel to a few units of 2^-53.
#define ZERO_ENTRY 1e-14

const CnBodyState cn_immovable = {.rotation = {.w = 1.0}};

// states NULL: as the bodies are now.
static const CnBodyState* state_of(const CnWorld* world, CnBodyId id, const CnBodyState* states) {
    int index = cn_world_body_index(world, id);
    return index < 0        ? &cn_immovable
           : states == NULL ? &cn_world_body_by_index(world, index)->state
                            : &states[index];
}

static void bind(const CnWorld* world, CnUserConstraint* constraint, const CnBodyState* states,
                 CnBoundConstraint* bound) {
    bound->constraint = constraint;
    bound->a = state_of(world, constraint->body_a, states);
    bound->b =
        constraint->kind->body_count < 2 ? NULL : state_of(world, constraint->body_b, states);
    if (constraint->kind->body_count == 4) {
        bound->four[0] = *bound->a;
        bound->four[1] = *bound->b;
        bound->four[2] = *state_of(world, constraint->body_c, states);
        bound->four[3] = *state_of(world, constraint->body_d, states);
        bound->a = &bound->four[0];
        bound->b = &bound->four[2];
    }
}

void cn_world_bind_now(const CnWorld* world, CnUserConstraint* constraint,
                       CnBoundConstraint* bound) {
    bind(world, constraint, NULL, bound);
}

// A body of the leader takes the side of the same body, else the first that is free.
static int find_side(const CnConstraintSides* sides, int body) {
    for (int k = 0; k < 4; ++k) {
        if (sides->body[k] == body) {
            return k;
        }
    }
    int free_side = 0;
    while (sides->body[free_side] >= 0) {
        ++free_side;
    }
    return free_side;
}

CnConstraintSides cn_world_constraint_sides(const CnWorld* world,
                                            const CnUserConstraint* constraint) {
    int a = cn_world_body_index(world, constraint->body_a);
    int b = cn_world_body_index(world, constraint->body_b);
    CnConstraintSides sides = {2, {a, b, -1, -1}, {a, b, -1, -1}, {0, 1, -1, -1}};
    if (constraint->kind->body_count < 4) {
        return sides;
    }
    sides.own_count = 4;
    sides.own[2] = cn_world_body_index(world, constraint->body_c);
    sides.own[3] = cn_world_body_index(world, constraint->body_d);
    for (int i = 2; i < 4; ++i) {
        if (sides.own[i] >= 0) {
            sides.side[i] = find_side(&sides, sides.own[i]);
            sides.body[sides.side[i]] = sides.own[i];
        }
    }
    return sides;
}

static bool is_disabled(const CnWorld* world, CnBodyId id) {
    const CnBody* body = cn_world_body(world, id);
    return body != NULL && body->disabled;
}

static bool takes_part(const CnWorld* world, const CnUserConstraint* constraint) {
    return !is_disabled(world, constraint->body_a) && !is_disabled(world, constraint->body_b) &&
           !is_disabled(world, constraint->body_c) && !is_disabled(world, constraint->body_d) &&
           !(world->sleeping.bodies > 0 && cn_constraint_is_idle(world, constraint));
}

bool cn_world_bind_constraint(const CnWorld* world, int slot, const CnBodyState* states,
                              double time, CnBoundConstraint* bound) {
    CnUserConstraint* constraint = cn_pool_at(&world->constraints, slot);
    if (constraint == NULL || !takes_part(world, constraint)) {
        return false;
    }
    const CnConstraintKind* kind = constraint->kind;
    bind(world, constraint, states, bound);
    return kind->is_active == NULL || kind->is_active(bound->a, bound->b, time, constraint->data);
}

void cn_reader_begin(CnReader* reader, const CnWorld* world, const CnBodyState* states,
                     double time) {
    reader->world = world;
    reader->states = states;
    reader->time = time;
    reader->uses_trees = false;
    reader->joint = reader->bound_joint = (CnJointId){0};
}

// Of a part of a joint whose rows are those of its frames alone: a mimic has those of two joints.
static bool has_look(const CnUserConstraint* constraint) {
    return constraint->joint.index != 0 && constraint->kind->body_count < 4;
}

static bool is_same_joint(CnJointId a, CnJointId b) {
    return a.index == b.index && a.generation == b.generation;
}

bool cn_reader_bind(CnReader* reader, int slot, CnBoundConstraint* bound) {
    const CnWorld* world = reader->world;
    CnUserConstraint* constraint = cn_pool_at(&world->constraints, slot);
    reader->slot = slot;
    if (constraint == NULL || !has_look(constraint)) {
        return cn_world_bind_constraint(world, slot, reader->states, reader->time, bound);
    }
    if (!is_same_joint(constraint->joint, reader->bound_joint)) { // its parts have the same bodies
        reader->bound_joint = constraint->joint;
        reader->takes_part = takes_part(world, constraint);
        bind(world, constraint, reader->states, &reader->bound);
    }
    bound->constraint = constraint;
    bound->a = reader->bound.a;
    bound->b = reader->bound.b;
    return reader->takes_part && !((const CnJointPart*)constraint->data)->idle;
}

// The link of a tree with the joint of the constraint that was bound last; NULL: none.
static const CnTreeLink* link_of_tree(const CnReader* reader, CnJointId joint) {
    const CnTreeStore* store = reader->world->trees;
    int place = reader->uses_trees ? store->place[reader->slot] : -1;
    int link = place < -1 ? store->drives[-2 - place].link : place;
    if (link < 0) {
        return NULL;
    }
    const CnUserConstraint* kept = cn_pool_at(&reader->world->constraints, store->links[link].slot);
    return is_same_joint(kept->joint, joint) ? &store->links[link] : NULL;
}

// What the parts of the joint share, found for the first of them.
static CnJointLook* look_at_joint(CnReader* reader, const CnBoundConstraint* bound) {
    CnJointId joint = bound->constraint->joint;
    if (!is_same_joint(joint, reader->joint)) {
        const CnJointPart* part = bound->constraint->data;
        reader->joint = joint;
        const CnTreeLink* known = link_of_tree(reader, joint);
        reader->look.view = cn_joint_view(&part->frames, bound->a, bound->b);
        reader->look.found = 0;
        reader->look.advanced.measure = NULL;
        if (known != NULL && reader->world->trees->at == CN_TREES_AT_END) {
            reader->look.advanced = known->turned->angle;
            reader->look.advanced_to = known->turned->angle_value;
        }
    }
    return &reader->look;
}

void cn_read_constraint(CnReader* reader, const CnBoundConstraint* bound, unsigned what,
                        CnConstraintReading* reading) {
    const CnUserConstraint* constraint = bound->constraint;
    if (!has_look(constraint)) {
        cn_kind_read(constraint->kind, bound->a, bound->b, reader->time, constraint->data, what,
                     reading);
    } else {
        cn_joint_part_read(constraint->kind, reader->time, constraint->data, what,
                           look_at_joint(reader, bound), reading);
    }
}

static CnRowRole row_role(const CnConstraintKind* kind, const CnRowLimits* limits) {
    if (kind->force != NULL || limits->stiffness > 0.0 || limits->damping > 0.0) {
        return CN_ROW_YIELDS;
    }
    if (kind->rate_only) {
        return CN_ROW_DRIVES;
    }
    if (isinf(limits->lower) && isinf(limits->upper)) {
        return CN_ROW_KEEPS;
    }
    if (limits->lower == 0.0 && isinf(limits->upper)) {
        return CN_ROW_PUSHES;
    }
    return limits->upper == 0.0 && isinf(limits->lower) ? CN_ROW_PULLS : CN_ROW_DRIVES;
}

// A row that keeps its position and is soft yields.
static inline void set_role(const CnUserConstraint* constraint, int row, CnRowLimits* limits) {
    limits->role = row_role(constraint->kind, limits);
    double compliance = cn_constraint_compliance(constraint, row);
    if (limits->role == CN_ROW_KEEPS && compliance > 0.0) {
        limits->stiffness = 1.0 / compliance;
        limits->role = CN_ROW_YIELDS;
    }
}

void cn_reading_limits(const CnConstraintReading* reading, const CnUserConstraint* constraint,
                       double time, CnRowLimits limits[CN_MAX_ROWS]) {
    const CnConstraintKind* kind = constraint->kind;
    double restitution[CN_MAX_ROWS] = {0.0};
    if (kind->restitution != NULL) {
        kind->restitution(time, constraint->data, restitution);
    }
    for (int i = 0; i < kind->dimension; ++i) {
        limits[i] = (CnRowLimits){.lower = reading->lower[i],
                                  .upper = reading->upper[i],
                                  .stiffness = reading->stiffness[i],
                                  .damping = reading->damping[i],
                                  .restitution = restitution[i]};
        set_role(constraint, i, &limits[i]);
    }
}

CnRowLimits cn_axis_limits(const CnAxisReading* reading, const CnUserConstraint* constraint,
                           double time) {
    CnRowLimits limits = {.lower = reading->lower,
                          .upper = reading->upper,
                          .stiffness = reading->stiffness,
                          .damping = reading->damping};
    if (constraint->kind->restitution != NULL) {
        constraint->kind->restitution(time, constraint->data, &limits.restitution);
    }
    set_role(constraint, 0, &limits);
    return limits;
}

void cn_world_row_limits(const CnBoundConstraint* bound, double time,
                         CnRowLimits limits[CN_MAX_ROWS]) {
    const CnUserConstraint* constraint = bound->constraint;
    CnConstraintReading reading;
    cn_kind_read(constraint->kind, bound->a, bound->b, time, constraint->data, CN_READ_FORCES,
                 &reading);
    cn_reading_limits(&reading, constraint, time, limits);
}

// Rows that give way have a force, which is none in an impact: without bounds there, or between
// them.
static CnLaw law_of(const CnUserConstraint* constraint) {
    const CnConstraintKind* kind = constraint->kind;
    bool is_rigid = constraint->keep.compliance == 0.0 && constraint->keep.compliance_turn == 0.0;
    if (kind->force != NULL) {
        return CN_LAW_FORCE;
    }
    return kind->force_bounds == NULL && is_rigid ? CN_LAW_EQUALITY : CN_LAW_BOUNDS;
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

typedef const double (*SideRows)[6];

// The rows of a mimic on each side of its block: bodies that are one get the sum.
static void merge_sides(const CnConstraintKind* kind, const CnConstraintReading* reading,
                        const CnConstraintSides* sides, double merged[4][CN_MAX_ROWS][6]) {
    memset(merged, 0, 4 * sizeof *merged);
    for (int own = 0; own < 4; ++own) {
        SideRows rows =
            cn_constraint_side_rows(kind, own, reading->jacobian_a, reading->jacobian_b);
        for (int i = 0; sides->own[own] >= 0 && i < 6 * kind->dimension; ++i) {
            merged[sides->side[own]][i / 6][i % 6] += rows[i / 6][i % 6];
        }
    }
}

uint64_t cn_constraint_key(CnPoolId id) {
    return cn_hash_mix(CONSTRAINT_SEED, (uint64_t)id.index << 32 | id.generation);
}

// A block for the rows of a constraint that are wanted and change with the velocity of a movable
// body, on given sides; *block is NULL when none is left.
static CnStatus add_block(const CnWorld* world, int slot, const CnUserConstraint* constraint,
                          int side_count, const int* body, const SideRows* jacobian,
                          unsigned wanted, CnRows* rows, CnBlock** block) {
    CnPoolId id = cn_pool_id_at(&world->constraints, slot);
    CnBlockSource source = {
        .manifold = -1, .given = -1, .constraint = slot, .generation = id.generation};
    int count = 0;
    *block = NULL;
    for (int i = 0; i < constraint->kind->dimension; ++i) {
        bool acts = false;
        for (int side = 0; !acts && side < side_count; ++side) {
            acts = moves(world, body[side], jacobian[side][i]);
        }
        if ((wanted >> i & 1u) != 0 && acts) {
            source.rows[count++] = (uint8_t)i;
        }
    }
    if (count == 0) {
        return CN_OK;
    }
    if (side_count == 4 && !cn_rows_announce_second(rows, &world->allocator)) {
        return CN_NO_MEMORY;
    }
    *block = cn_rows_add(rows, &world->allocator, law_of(constraint), count, source);
    if (*block == NULL) {
        return CN_NO_MEMORY;
    }
    (*block)->key = cn_constraint_key(id);
    for (int side = 0; side < side_count; ++side) {
        cn_block_set_body(*block, side, body[side]);
        for (int k = 0; body[side] >= 0 && k < count; ++k) {
            memcpy(cn_rows_jacobian(rows, (*block)->first_row + k, side),
                   jacobian[side][source.rows[k]], sizeof jacobian[0][0]);
        }
    }
    return CN_OK;
}

CnStatus cn_world_pose_rows(const CnWorld* world, int slot, const CnUserConstraint* constraint,
                            const CnConstraintReading* reading, unsigned wanted, CnRows* rows,
                            CnBlock** block) {
    if (constraint->kind->body_count < 4) {
        const int bodies[2] = {cn_world_body_index(world, constraint->body_a),
                               cn_world_body_index(world, constraint->body_b)};
        const SideRows own[2] = {reading->jacobian_a, reading->jacobian_b};
        return add_block(world, slot, constraint, 2, bodies, own, wanted, rows, block);
    }
    CnConstraintSides sides = cn_world_constraint_sides(world, constraint);
    double merged[4][CN_MAX_ROWS][6];
    SideRows jacobian[4];
    merge_sides(constraint->kind, reading, &sides, merged);
    for (int side = 0; side < 4; ++side) {
        jacobian[side] = (SideRows)merged[side];
    }
    int side_count = sides.body[2] >= 0 || sides.body[3] >= 0 ? 4 : 2;
    return add_block(world, slot, constraint, side_count, sides.body, jacobian, wanted, rows,
                     block);
}

// An error C and its rate before the step, of one row.
typedef struct RowState {
    double value;     // C
    double rate;      // dC/dt before the step
    double time_rate; // the part of it that time alone makes

    // Where poses are a guess of the end of the step, and value is C taken back to its start along
    // the velocities that led there, rate the rate at the end:
    double start;  // C as the step began
    double before; // rate at the velocities before the step
    double loaded; // rate at the velocities that loads alone lead to
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

// The rate to keep, and whether the row waits until it is closed.
typedef struct RowTarget {
    double rate;
    bool waits;
} RowTarget;

// C >= 0 (or <= 0) held like a contact; sign is +1 (or -1). docs/theory/moreau.md (11).
static RowTarget one_sided_target(const CnWorld* world, const CnPosing* posing, const RowState* row,
                                  double sign, double restitution) {
    CnUnilateralRow one_sided = {
        .gap = sign * row->value,
        .approach = sign * (posing->start != NULL ? row->before : row->rate),
        .restitution = restitution,
        .start_gap = sign * row->start,
        .loaded = sign * row->loaded,
    };
    CnUnilateralTarget law = cn_unilateral_target(&world->def.step, posing, &one_sided);
    return (RowTarget){sign * law.rate - row->time_rate, law.waits};
}

// A drive asks for rest and gets as far as its force goes.
static RowTarget row_target(const CnWorld* world, const CnPosing* posing, const RowState* row,
                            const CnRowLimits* limits) {
    switch (limits->role) {
    case CN_ROW_KEEPS:
        return (RowTarget){.rate = equality_target(world, posing, row)};
    case CN_ROW_PUSHES:
        return one_sided_target(world, posing, row, 1.0, limits->restitution);
    case CN_ROW_PULLS:
        return one_sided_target(world, posing, row, -1.0, limits->restitution);
    default:
        return (RowTarget){.rate = -row->time_rate};
    }
}

// p = -h (stiffness C+ + damping u+) with C+ = C + h u+, as u+ + compliance p = target:
// docs/theory/moreau.md (14).
static void soften(const CnPosing* posing, const RowState* state, const CnRowLimits* limits,
                   int row, CnRows* rows) {
    double h = posing->dt;
    double yield = limits->damping + h * limits->stiffness; // [N s/m]
    rows->compliance[row] = 1.0 / (h * yield);
    rows->target[row] -= limits->stiffness * state->value / yield;
}

static void set_bounded_row(const CnWorld* world, const CnPosing* posing, const RowState* state,
                            const CnRowLimits* limits, int row, CnRows* rows) {
    RowTarget target = row_target(world, posing, state, limits);
    rows->target[row] = target.rate;
    rows->lower[row] = target.waits ? 0.0 : limits->lower * posing->dt;
    rows->upper[row] = target.waits ? 0.0 : limits->upper * posing->dt;
    if (limits->role == CN_ROW_YIELDS) {
        soften(posing, state, limits, row, rows);
    }
}

// f at the mean of both ends of the step, linear in u+ about u+ = u-: docs/theory/moreau.md (15).
static void set_force_row(const CnPosing* posing, const CnConstraintKind* kind, const void* data,
                          const RowState* states, int i, int row, CnRows* rows) {
    double value[CN_MAX_ROWS], rate[CN_MAX_ROWS];
    double force[CN_MAX_ROWS], by_value[CN_MAX_ROWS], by_rate[CN_MAX_ROWS];
    double h = posing->dt, theta = posing->theta, rest = 1.0 - theta;

    for (int k = 0; k < kind->dimension; ++k) {
        rate[k] = states[k].rate;
        value[k] = states[k].value + (theta * theta - rest * rest) * h * rate[k];
    }
    kind->force(value, rate, posing->time, data, force, by_value, by_rate);
    double slope = -h * (theta * theta * h * by_value[i] + theta * by_rate[i]);
    slope = fmax(slope, 0.0); // a force that grows is taken as it is at the start
    rows->target[row] = -states[i].time_rate;
    rows->slope[row] = slope;
    rows->offset[row] = h * force[i] + slope * states[i].rate;
}

// In an impact, which takes no time: what keeps or has come to its stop goes on doing so, and a
// force that has a limit gives no impulse. Springs, whose rows are zero, give none either.
static void set_instant_row(const RowState* state, const CnRowLimits* limits, int row,
                            CnRows* rows) {
    bool acts = limits->role == CN_ROW_KEEPS ||
                (limits->role == CN_ROW_PUSHES && state->value <= 0.0) ||
                (limits->role == CN_ROW_PULLS && state->value >= 0.0);
    rows->target[row] = -state->time_rate;
    rows->lower[row] = acts ? limits->lower : 0.0;
    rows->upper[row] = acts ? limits->upper : 0.0;
}

// Poses that are a guess of the end of the step are known with all that led there.
static void look_back(const CnWorld* world, const CnPosing* posing, int slot,
                      RowState states[CN_MAX_ROWS]) {
    CnUserConstraint* constraint = cn_pool_at(&world->constraints, slot);
    const CnConstraintKind* kind = constraint->kind;
    double start[CN_MAX_ROWS], before[CN_MAX_ROWS], loaded[CN_MAX_ROWS];
    CnBoundConstraint then;

    bind(world, constraint, posing->start, &then);
    kind->evaluate(then.a, then.b, posing->time - posing->dt, constraint->data, start);
    bind(world, constraint, posing->before, &then);
    cn_constraint_rate(kind, then.a, then.b, posing->time, constraint->data, before);
    bind(world, constraint, posing->loaded, &then);
    cn_constraint_rate(kind, then.a, then.b, posing->time, constraint->data, loaded);
    for (int i = 0; i < kind->dimension; ++i) {
        states[i].value -= posing->dt * states[i].rate;
        states[i].start = start[i];
        states[i].before = before[i];
        states[i].loaded = loaded[i];
    }
}

// The rates of each row that time alone makes: at the poses, and where a rate is to be kept, which
// is the end of the step.
static void read_time_rates(const CnPosing* posing, const CnConstraintKind* kind,
                            const CnBodyState* a, const CnBodyState* b, const void* data,
                            double* now, double* kept) {
    double ahead = posing->start != NULL ? 0.0 : posing->theta * posing->dt;
    double rate_time = posing->time + (kind->rate_only ? ahead : 0.0);
    if (kind->time_rate != NULL) {
        cn_constraint_time_rate(kind, a, b, posing->time, data, now);
        cn_constraint_time_rate(kind, a, b, rate_time, data, kept);
    }
}

static void read_rows(const CnWorld* world, const CnPosing* posing, const CnBoundConstraint* bound,
                      const CnConstraintReading* reading, int slot, RowState states[CN_MAX_ROWS]) {
    const CnUserConstraint* constraint = bound->constraint;
    const CnConstraintKind* kind = constraint->kind;
    double time_rate[CN_MAX_ROWS] = {0.0}, now[CN_MAX_ROWS] = {0.0};
    read_time_rates(posing, kind, bound->a, bound->b, constraint->data, now, time_rate);
    for (int i = 0; i < kind->dimension; ++i) {
        states[i] =
            (RowState){.value = reading->value[i],
                       .rate = now[i] + cn_reading_rate(kind, reading, i, bound->a, bound->b),
                       .time_rate = time_rate[i]};
    }
    if (posing->start != NULL) {
        look_back(world, posing, slot, states);
    }
}

// Target, bounds and softness of row i of a constraint, or its force.
static void set_row(const CnWorld* world, const CnPosing* posing,
                    const CnUserConstraint* constraint, const RowState* states,
                    const CnRowLimits* limits, int i, int row, CnRows* rows) {
    const CnConstraintKind* kind = constraint->kind;
    if (posing->instant) {
        set_instant_row(&states[i], limits, row, rows);
    } else if (kind->force != NULL) {
        set_force_row(posing, kind, constraint->data, states, i, row, rows);
    } else {
        set_bounded_row(world, posing, &states[i], limits, row, rows);
    }
}

static void set_targets(const CnWorld* world, const CnPosing* posing,
                        const CnBoundConstraint* bound, const CnConstraintReading* reading,
                        const CnBlock* block, const CnBlockSource* source, CnRows* rows) {
    const CnUserConstraint* constraint = bound->constraint;
    CnRowLimits limits[CN_MAX_ROWS];
    RowState states[CN_MAX_ROWS];

    read_rows(world, posing, bound, reading, source->constraint, states);
    cn_reading_limits(reading, constraint, posing->time, limits);
    for (int k = 0; k < block->row_count; ++k) {
        int i = source->rows[k];
        set_row(world, posing, constraint, states, &limits[i], i, block->first_row + k, rows);
    }
}

bool cn_constraint_advances(const CnUserConstraint* constraint) {
    return constraint->kind->advance != NULL &&
           (!has_look(constraint) || cn_joint_part_counts(constraint->data));
}

// Parts of joints act unless they are idle, which is counted: CnWorld.joint_changes.
bool cn_constraint_has_condition(const CnUserConstraint* constraint) {
    return constraint->kind->is_active != NULL && constraint->joint.index == 0;
}

static void advance_constraint(CnReader* reader, const CnBoundConstraint* bound) {
    const CnUserConstraint* constraint = bound->constraint;
    if (!has_look(constraint)) {
        constraint->kind->advance(bound->a, bound->b, reader->time, constraint->data);
    } else {
        cn_joint_part_advance(constraint->data, look_at_joint(reader, bound));
    }
}

static CnJointRow* row_of(const CnWorld* world, int slot) {
    const CnUserConstraint* constraint = cn_pool_element(&world->constraints, slot);
    return cn_joint_part_rows(constraint->data);
}

// The angle of a drive of a tree, where the tree has measured it. False: it has not.
static bool advance_by_tree(const CnWorld* world, const CnTreeDrive* drive) {
    if (drive == NULL || !drive->is_on_axis) {
        return false;
    }
    const CnTreeTurn* turn = world->trees->links[drive->link].turned;
    CnJointRow* row = drive->part != NULL ? &drive->part->row : row_of(world, drive->slot);
    CnJointTerm* term = &row->terms[0];
    bool is_known = row->term_count == 1 && term->measure->counts_on &&
                    turn->angle.measure == term->measure && turn->angle.near == term->near;
    if (is_known) {
        term->near = turn->angle_value;
    }
    return is_known;
}

// The twist of a slider that the tree has read: its last row. False: it has not.
static bool advance_slider(const CnWorld* world, int slot) {
    const CnTreeLink* joint = world->trees->joints[slot];
    bool is_slider = joint != NULL && joint->form == CN_FORM_SLIDER;
    if (is_slider) {
        row_of(world, slot)[4].terms[0].near = joint->value[4];
    }
    return is_slider;
}

void cn_world_advance_constraints(CnWorld* world) {
    CnReader reader;
    cn_reader_begin(&reader, world, NULL, world->step.time + world->step.dt);
    reader.uses_trees = cn_trees_are_at(world, CN_TREES_AT_END);
    for (int i = 0; i < world->active.advancing.count; ++i) {
        reader.slot = world->active.advancing.data[i];
        const CnTreeDrive* drive = reader.uses_trees ? cn_tree_drive_at(world, reader.slot) : NULL;
        if (advance_by_tree(world, drive) ||
            (reader.uses_trees && advance_slider(world, reader.slot))) {
            continue;
        }
        CnBoundConstraint bound;
        cn_world_bind_now(world, cn_pool_element(&world->constraints, reader.slot), &bound);
        advance_constraint(&reader, &bound);
    }
}

CnChannel cn_world_constraint_channel(const CnUserConstraint* constraint, int row) {
    return constraint->joint.index == 0
               ? CN_CHANNEL_CONSTRAINT
               : cn_joint_part_channel(constraint->kind, constraint->data, row);
}

void cn_world_add_constraint_impulses(CnWorld* world, const CnRows* rows) {
    for (int i = 0; i < rows->blocks.count; ++i) {
        const CnBlockSource* source = &rows->sources.data[i];
        const CnBlock* block = &rows->blocks.data[i];
        if (source->constraint >= 0) {
            CnUserConstraint* constraint = cn_pool_element(&world->constraints, source->constraint);
            for (int k = 0; k < block->row_count; ++k) {
                constraint->impulse[source->rows[k]] += rows->impulse[block->first_row + k];
            }
        }
    }
}

void cn_world_add_late_impulses(CnWorld* world) {
    const CnTreeStore* store = world->trees;
    cn_world_add_constraint_impulses(world, &world->correction.rows);
    for (int i = 0; store != NULL && store->has_late && i < store->link_count; ++i) {
        const CnTreeLink* link = &store->links[i];
        CnUserConstraint* constraint =
            link->slot < 0 ? NULL : cn_pool_element(&world->constraints, link->slot);
        for (int k = 0; constraint != NULL && k < link->row_count; ++k) {
            constraint->impulse[k] += store->late_impulse[i][k];
        }
    }
}

static CnStatus add_rows(CnWorld* world, const CnPosing* posing, CnReader* reader, int slot) {
    CnRows* rows = &world->step.rows;
    CnBoundConstraint bound;
    CnConstraintReading reading;
    CnBlock* block;
    if (!cn_reader_bind(reader, slot, &bound)) {
        return CN_OK;
    }
    cn_read_constraint(reader, &bound, CN_READ_VALUES | CN_READ_JACOBIANS | CN_READ_FORCES,
                       &reading);
    CnStatus status =
        cn_world_pose_rows(world, slot, bound.constraint, &reading, CN_ALL_ROWS, rows, &block);
    if (status == CN_OK && block != NULL) {
        const CnBlockSource* source = &rows->sources.data[rows->sources.count - 1];
        set_targets(world, posing, &bound, &reading, block, source, rows);
    }
    return status;
}

// The axis that the drives of a tree act on one after the other, as the problem sees it.
typedef struct DriveAxis {
    CnTreeAxis axis;
    double row_a[6], row_b[6]; // of the axis; zero at the world
    double rate;               // J v before the step
    bool acts;                 // a body that moves feels it
} DriveAxis;

static void look_at_axis(const CnWorld* world, const CnPosing* posing, const CnTreeDrive* drive,
                         DriveAxis* known) {
    static const double zero[6] = {0.0};
    CnTreeAxis* axis = &known->axis;
    if (cn_tree_look_at_axis(world, drive, posing->states, true, axis)) {
        const CnTreeLink* link = axis->link;
        known->rate = cn_row_rate(axis->row_a, cn_tree_state_at(posing->states, link->body_a)) +
                      cn_row_rate(axis->row_b, cn_tree_state_at(posing->states, link->body_b));
        known->acts =
            moves(world, link->body_a, axis->row_a) || moves(world, link->body_b, axis->row_b);
        memcpy(known->row_a, link->body_a < 0 ? zero : axis->row_a, sizeof known->row_a);
        memcpy(known->row_b, link->body_b < 0 ? zero : axis->row_b, sizeof known->row_b);
    }
}

// The row of a drive on the axis of a tree's joint, to the same bits as add_rows().
static CnStatus add_drive_row(CnWorld* world, const CnPosing* posing, const CnTreeDrive* drive,
                              DriveAxis* known) {
    CnRows* rows = &world->step.rows;
    const CnUserConstraint* constraint = cn_pool_element(&world->constraints, drive->slot);
    const CnConstraintKind* kind = constraint->kind;
    if (((const CnJointPart*)constraint->data)->idle) {
        return CN_OK;
    }
    look_at_axis(world, posing, drive, known);
    if (!known->acts) {
        return CN_OK;
    }
    const CnTreeAxis* axis = &known->axis;
    CnBlockSource source = {
        .manifold = -1, .given = -1, .constraint = drive->slot, .generation = drive->generation};
    CnBlock* block = cn_rows_add_bare(rows, &world->allocator, law_of(constraint), 1, source);
    if (block == NULL) {
        return CN_NO_MEMORY;
    }
    int row = block->first_row;
    const CnBodyState *a = cn_tree_state_at(posing->states, axis->link->body_a),
                      *b = cn_tree_state_at(posing->states, axis->link->body_b);
    block->key = drive->key;
    block->body_a = axis->link->body_a;
    block->body_b = axis->link->body_b;
    memcpy(rows->jacobian_a[row], known->row_a, sizeof known->row_a);
    memcpy(rows->jacobian_b[row], known->row_b, sizeof known->row_b);
    CnAxisReading reading;
    double now = 0.0, kept = 0.0;
    cn_axis_part_read(kind, posing->time, constraint->data, axis->coordinate, &reading);
    CnRowLimits limits = cn_axis_limits(&reading, constraint, posing->time);
    read_time_rates(posing, kind, a, b, constraint->data, &now, &kept);
    RowState state = {.value = reading.value, .rate = now + known->rate, .time_rate = kept};
    set_row(world, posing, constraint, &state, &limits, 0, row, rows);
    return CN_OK;
}

// Blocks of the last posing hold where none has come or gone.
static void begin_kept(const CnWorld* world, CnRows* rows) {
    if (rows->blocks.count > 0 || rows->kept[0] != world->active.version ||
        rows->kept[1] != world->joint_changes) {
        rows->kept_count = 0;
    }
}

static void end_kept(const CnWorld* world, bool by_trees, CnRows* rows) {
    rows->kept_count = by_trees ? rows->blocks.count : 0;
    rows->kept[0] = world->active.version;
    rows->kept[1] = world->joint_changes;
}

CnStatus cn_world_add_constraint_rows(CnWorld* world, const CnPosing* posing) {
    CnReader reader;
    DriveAxis known = {.axis.part_row = NULL};
    CnStatus status = CN_OK;
    bool by_trees = world->step.rows.blocks.count == 0;
    cn_reader_begin(&reader, world, posing->states, posing->time);
    reader.uses_trees = cn_trees_are_at(world, CN_TREES_POSED);
    bool keeps_rates = reader.uses_trees && cn_tree_keeps_rates(world, posing);
    bool by_drives = reader.uses_trees && posing->start == NULL;
    begin_kept(world, &world->step.rows);
    cn_trees_begin_posing(world, posing, keeps_rates);
    for (int i = 0; status == CN_OK && i < world->active.constraints.count; ++i) {
        if (keeps_rates) {
            i = cn_trees_pose_run(world, posing, i, &known.axis.series, &status);
        }
        if (status != CN_OK || i == world->active.constraints.count) {
            break;
        }
        int slot = world->active.constraints.data[i];
        const CnTreeDrive* drive = by_drives ? cn_tree_drive_at(world, slot) : NULL;
        if (drive != NULL && drive->is_on_axis) {
            status = add_drive_row(world, posing, drive, &known);
        } else {
            by_trees = false;
            status = add_rows(world, posing, &reader, slot);
        }
    }
    if (status == CN_OK && keeps_rates) {
        cn_trees_end_posing(world);
    }
    end_kept(world, by_trees && status == CN_OK, &world->step.rows);
    return status;
}
