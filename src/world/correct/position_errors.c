// position_errors.c - how far contacts overlap and constraints are off at given poses.
#include "world/correct/position_errors.h"

#include "world/bodies/motion.h"
#include "world/contacts/contact_rows.h"
#include "world/contacts/contacts.h"
#include "world/correct/measure_trees.h"
#include "world/step/rows.h"

#include <string.h>

bool cn_contact_is_bouncing(const CnWorld* world, const CnContact* contact,
                            const CnBodyState* states) {
    double away = cn_contact_normal_velocity(contact, states);
    return contact->restitution > 0.0 && away > world->def.step.restitution_threshold &&
           -contact->gap * contact->restitution <= away * world->step.dt;
}

bool cn_row_keeps_position(CnInstant instant, CnRowRole role) {
    return role == CN_ROW_KEEPS ||
           (!instant.ahead && (role == CN_ROW_PUSHES || role == CN_ROW_PULLS));
}

// One-sided constraints err on one side only; drives and springs have no position to keep.
static double row_error(CnInstant instant, double value, CnRowRole role) {
    if (!cn_row_keeps_position(instant, role)) {
        return 0.0;
    }
    return role == CN_ROW_PUSHES  ? (value < 0.0 ? value : 0.0)
           : role == CN_ROW_PULLS ? (value > 0.0 ? value : 0.0)
                                  : value;
}

// fmax() without a call: b that is not a number does not count.
static inline double larger(double a, double b) {
    return b > a ? b : a;
}

static void add_to_group(const CnErrorGroups* groups, int body, double size) {
    if (body >= 0 && groups->group[body] >= 0) {
        double* pending = &groups->pending[groups->group[body]];
        *pending = larger(*pending, size);
    }
}

// The largest error of a constraint by its values, apart in metres and in radians.
static void find_row_errors(const CnUserConstraint* constraint, CnInstant instant, double* joint,
                            double* angle) {
    *joint = *angle = 0.0;
    for (int k = 0; k < constraint->kind->dimension; ++k) {
        CnRowRole role = (CnRowRole)constraint->role[k];
        double size = fabs(row_error(instant, constraint->value[k], role));
        double* worst = (constraint->kind->angular_rows >> k & 1u) != 0 ? angle : joint;
        *worst = larger(*worst, size);
    }
}

void cn_positions_add_measured(const CnUserConstraint* constraint, int slot, CnInstant instant,
                               CnPositionErrors* errors) {
    double joint, angle;
    find_row_errors(constraint, instant, &joint, &angle);
    cn_positions_add(slot, joint, angle, errors);
}

// The values of constraints that do not act are zero.
static void add_constraint(const CnWorld* world, int slot, CnInstant instant,
                           const CnErrorGroups* groups, CnPositionErrors* errors) {
    const CnUserConstraint* constraint = cn_pool_at(&world->constraints, slot);
    double joint, angle;
    find_row_errors(constraint, instant, &joint, &angle);
    cn_positions_add(slot, joint, angle, errors);
    double size = larger(joint, angle);
    if (groups != NULL && size > 0.0) {
        CnConstraintSides sides = cn_world_constraint_sides(world, constraint);
        for (int k = 0; k < sides.own_count; ++k) {
            add_to_group(groups, sides.own[k], size);
        }
    }
}

static void add_contact(const CnWorld* world, int index, const CnBodyState* states,
                        const CnErrorGroups* groups, CnPositionErrors* errors) {
    const CnContact* contact = &world->correction.contacts.data[index];
    double depth = -contact->gap;
    errors->penetration = fmax(errors->penetration, depth);
    if (depth <= 0.0 || cn_contact_is_bouncing(world, contact, states)) {
        return;
    }
    if (depth > errors->pending) {
        errors->pending = depth;
        errors->contact = index;
        errors->constraint = -1;
    }
    if (groups != NULL) {
        add_to_group(groups, contact->body_a, depth);
        add_to_group(groups, contact->body_b, depth);
    }
}

void cn_positions_sum_up(const CnWorld* world, const CnBodyState* states, CnInstant instant,
                         const CnErrorGroups* groups, CnPositionErrors* errors) {
    *errors = (CnPositionErrors){.contact = -1, .constraint = -1};
    for (int i = 0; i < world->correction.contacts.count; ++i) {
        add_contact(world, i, states, groups, errors);
    }
    for (int i = 0; i < world->active.constraints.count; ++i) {
        add_constraint(world, world->active.constraints.data[i], instant, groups, errors);
    }
}

void cn_positions_take(CnUserConstraint* constraint, const CnConstraintReading* reading,
                       double time) {
    CnRowLimits limits[CN_MAX_ROWS];
    cn_reading_limits(reading, constraint, time, limits);
    for (int k = 0; k < constraint->kind->dimension; ++k) {
        constraint->value[k] = reading->value[k];
        constraint->role[k] = (uint8_t)limits[k].role;
    }
}

static void evaluate_constraint(CnReader* reader, const CnBoundConstraint* bound) {
    CnConstraintReading reading;
    cn_read_constraint(reader, bound, CN_READ_VALUES | CN_READ_FORCES, &reading);
    cn_positions_take(bound->constraint, &reading, reader->time);
}

// Whether a constraint can have rows that keep a position at this instant.
static bool can_keep_position(const CnConstraintKind* kind, CnInstant instant) {
    return !instant.ahead || (kind->force == NULL && !kind->rate_only);
}

void cn_positions_forget(CnWorld* world) {
    for (int place = 0; place < world->active.constraints.count; ++place) {
        int slot = world->active.constraints.data[place];
        CnUserConstraint* constraint = cn_pool_at(&world->constraints, slot);
        memset(constraint->value, 0, sizeof constraint->value);
        memset(constraint->role, CN_ROW_DRIVES, sizeof constraint->role);
    }
}

void cn_positions_evaluate(CnWorld* world, const CnBodyState* states, CnInstant instant) {
    CnReader reader;
    CnTreePoses poses = {world, states, instant.time};
    cn_positions_forget(world);
    if (!instant.ahead && cn_trees_measure_end(&poses)) {
        return;
    }
    cn_reader_begin(&reader, world, states, instant.time);
    for (int place = 0; place < world->active.constraints.count; ++place) {
        int i = world->active.constraints.data[place];
        CnBoundConstraint bound;
        const CnUserConstraint* constraint = cn_pool_at(&world->constraints, i);
        if (can_keep_position(constraint->kind, instant) && cn_reader_bind(&reader, i, &bound)) {
            evaluate_constraint(&reader, &bound);
        }
    }
}

CnStatus cn_positions_collect(CnWorld* world, const CnBodyState* states, CnInstant instant,
                              const CnErrorGroups* groups, const CnContactArray* old,
                              CnPositionErrors* errors) {
    CnContactArray* contacts = &world->correction.contacts;
    CnStatus status = CN_OK;
    contacts->count = 0;
    if (!instant.ahead) {
        status = old == NULL ? cn_world_collect_contacts(world, states, 0.0, contacts)
                             : cn_world_collect_again(world, states, old, contacts);
    }
    if (status == CN_OK) {
        cn_positions_sum_up(world, states, instant, groups, errors);
    }
    return status;
}

CnStatus cn_positions_measure(CnWorld* world, const CnBodyState* states, CnInstant instant,
                              const CnErrorGroups* groups, const CnContactArray* old,
                              CnPositionErrors* errors) {
    cn_positions_evaluate(world, states, instant);
    return cn_positions_collect(world, states, instant, groups, old, errors);
}

// Up to so many contacts there is room for all of them in all lists from the first look on, up to
// so many bodies in the arrays of a correction, and with constraints for trial states too: small
// worlds do not ask for it in the middle of a run, when a correction is needed for the first time.
#define FEW_CONTACTS 512
#define FEW_BODIES 512

// A contact has one row in a correction, a constraint at most those it has in the step.
static bool reserve_rows(CnWorld* world, int contact_count) {
    const CnRows* posed = &world->step.rows;
    return cn_rows_reserve(&world->correction.rows, &world->allocator,
                           contact_count + posed->blocks.count, contact_count + posed->row_count);
}

static bool reserve_lists(CnWorld* world) {
    int count = CN_TILE_POINTS * world->pairs.manifolds.count;
    int few = count <= FEW_CONTACTS ? count : 0;
    bool may_search = world->active.constraints.count > 0; // steps of a search go to trial states
    bool may_correct = may_search || world->bodies.count <= FEW_BODIES;
    return (!may_search || cn_world_states(world, CN_STATES_TRIAL) != NULL) &&
           (!may_search || reserve_rows(world, few)) &&
           (!may_correct || cn_motion_reserve_correction(world) == CN_OK) &&
           cn_array_reserve(&world->correction.contacts, &world->allocator, few) &&
           cn_array_reserve(&world->correction.posed, &world->allocator, few) &&
           cn_array_reserve(&world->correction.previous, &world->allocator, few) &&
           (count > FEW_CONTACTS || cn_pair_store_reserve_listed(&world->pairs));
}

CnStatus cn_positions_end_overlaps(CnWorld* world, const CnBodyState* states, CnInstant instant,
                                   double* least_gap) {
    CnContactArray* contacts = &world->correction.contacts;
    *least_gap = HUGE_VAL;
    if (!reserve_lists(world)) {
        return CN_NO_MEMORY;
    }
    contacts->count = instant.ahead ? 0 : contacts->count;
    return instant.ahead ? CN_OK : cn_world_end_overlaps(world, states, least_gap, contacts);
}

void cn_positions_name(const CnWorld* world, const CnPositionErrors* errors, char* name,
                       size_t size) {
    const CnContact* contact =
        errors->contact >= 0 ? &world->correction.contacts.data[errors->contact] : NULL;
    cn_world_source_name(world, contact, errors->constraint, name, size);
}
