// mechanism_rows.c - the six rows between a link and its parent, and coordinates by them.
#include "base/error.h"
#include "linalg/dense.h"
#include "world/bodies/applied.h"
#include "world/constraints/joint.h"
#include "world/mechanism/mechanism_links.h"

#include <string.h>

// Errors up to which a loop counts as closed [m or rad].
#define CLOSED 1e-9

// ---- rows ----

static void look_at_floating(const CnBodyState* own, CnLinkRows* rows) {
    CnVec3 x = own->center, turn = cn_quat_log(own->rotation);
    const double value[6] = {x.x, x.y, x.z, turn.x, turn.y, turn.z};
    memcpy(rows->value, value, sizeof value);
    for (int i = 0; i < 6; ++i) {
        rows->own[i][i] = 1.0;
    }
}

static void look_at_turns(const CnBodyState* own, const CnBodyState* parent, CnLinkRows* rows) {
    CnVec3 turn = cn_quat_log(cn_quat_multiply(cn_quat_conjugate(parent->rotation), own->rotation));
    const double value[3] = {turn.x, turn.y, turn.z};
    for (int i = 0; i < 3; ++i) {
        rows->value[3 + i] = value[i];
        rows->own[3 + i][3 + i] = 1.0;
        rows->parent[3 + i][3 + i] = -1.0;
    }
}

static void look_at_row(const CnJointRow* row, const CnJointView* view, bool is_a, int i,
                        CnLinkRows* rows) {
    double* a = is_a ? rows->own[i] : rows->parent[i];
    double* b = is_a ? rows->parent[i] : rows->own[i];
    rows->value[i] = cn_joint_row_value(row, view);
    cn_joint_row_jacobian(row, view, a, b);
}

// Where an angle that counts on is, when its row has this value.
static double counted(const CnJointRow* row, double value) {
    return (value + row->shift) / row->terms[0].factor;
}

void cn_link_look(const CnWorld* world, const CnMechanismLink* link, const CnBodyState* own,
                  const CnBodyState* parent, const double* near, CnLinkRows* rows) {
    const CnJoint* joint = cn_pool_get(&world->joints, CN_POOL_ID(link->joint));
    memset(rows, 0, sizeof *rows);
    if (joint == NULL) {
        look_at_floating(own, rows);
        return;
    }
    CnJointView view =
        cn_joint_view(&joint->frames, link->is_a ? own : parent, link->is_a ? parent : own);
    CnJointPart* kept = cn_joint_part_at(world, joint->kept);
    for (int i = 0; i < link->kept; ++i) {
        look_at_row(&cn_joint_part_rows(kept)[i], &view, link->is_a, i, rows);
    }
    for (int i = 0; i < joint->axis_count; ++i) {
        CnJointRow row = joint->axes[i].row;
        row.terms[0].near = near != NULL ? counted(&row, near[i]) : row.terms[0].near;
        look_at_row(&row, &view, link->is_a, link->kept + i, rows);
    }
    if (link->turns_freely) {
        look_at_turns(own, parent, rows);
    }
}

static double row_times(const double row[6], const CnBodyState* state) {
    CnVec3 v = state->velocity, w = state->angular_velocity;
    return row[0] * v.x + row[1] * v.y + row[2] * v.z + row[3] * w.x + row[4] * w.y + row[5] * w.z;
}

void cn_link_rates(const CnLinkRows* rows, const CnBodyState* own, const CnBodyState* parent,
                   double rate[6]) {
    for (int i = 0; i < 6; ++i) {
        rate[i] = row_times(rows->own[i], own) + row_times(rows->parent[i], parent);
    }
}

bool cn_link_invert(const CnLinkRows* rows, double inverse[36]) {
    double lu[36];
    int pivot[6];
    memcpy(lu, rows->own, sizeof lu);
    if (!cn_dense_lu_factor(6, lu, pivot)) {
        return false;
    }
    for (int j = 0; j < 6; ++j) {
        double column[6] = {0.0};
        column[j] = 1.0;
        cn_dense_lu_solve(6, lu, pivot, column);
        for (int i = 0; i < 6; ++i) {
            inverse[6 * i + j] = column[i];
        }
    }
    return true;
}

// ---- reading ----

CnStatus cn_mechanism_read(CnMechanism* mechanism, const CnWorld* world, double* q, double* qd,
                           CnError* error) {
    CnStatus status = cn_mechanism_check(mechanism, world, error);
    if (status != CN_OK) {
        return status;
    }
    cn_mechanism_take_states(mechanism, world);
    for (int i = 0; i < mechanism->link_count; ++i) {
        const CnMechanismLink* link = &mechanism->links[i];
        const CnBodyState* own = &mechanism->states[i];
        const CnBodyState* parent =
            cn_mechanism_parent_state(mechanism, world, i, mechanism->states);
        CnLinkRows rows;
        double rate[6];
        cn_link_look(world, link, own, parent, NULL, &rows);
        cn_link_rates(&rows, own, parent, rate);
        for (int k = link->kept; k < 6; ++k) {
            int place = mechanism->first[i] + k - link->kept;
            if (q != NULL) {
                q[place] = rows.value[k];
            }
            if (qd != NULL) {
                qd[place] = rate[k];
            }
        }
    }
    return CN_OK;
}

// ---- writing ----

// A displacement by a twist.
static void displace(const double inverse[36], const double by[6], CnBodyState* own) {
    double twist[6];
    for (int i = 0; i < 6; ++i) {
        twist[i] = cn_dense_dot(6, &inverse[6 * i], by);
    }
    own->center = cn_vec3_add(own->center, cn_vec3(twist[0], twist[1], twist[2]));
    own->rotation = cn_quat_normalize(
        cn_quat_multiply(cn_quat_exp(cn_vec3(twist[3], twist[4], twist[5])), own->rotation));
}

// Newton to rows of given values; false: it does not get there. docs/theory/joint_coordinates.md
// (7).
static bool move_to(const CnWorld* world, const CnMechanismLink* link, const CnBodyState* parent,
                    const double wanted[6], CnBodyState* own) {
    enum { LOOKS = 12 };
    const double reached = 1e-14, good = 1e-12; // of values of order one [m or rad]
    double left = HUGE_VAL;
    for (int look = 0; look < LOOKS && left > reached; ++look) {
        CnLinkRows rows;
        double inverse[36], by[6], size = 1.0;
        cn_link_look(world, link, own, parent, &wanted[link->kept], &rows);
        left = 0.0;
        for (int i = 0; i < 6; ++i) {
            by[i] = wanted[i] - rows.value[i];
            size = fmax(size, fabs(wanted[i]));
            left = fmax(left, fabs(by[i]));
        }
        left /= size;
        if (left > reached && (!isfinite(left) || !cn_link_invert(&rows, inverse))) {
            return false;
        }
        if (left > reached) {
            displace(inverse, by, own);
        }
    }
    return left < good;
}

// Steps short enough for Newton. Angles that count on go the short way round.
static bool move_joint(const CnWorld* world, const CnMechanismLink* link, const CnBodyState* parent,
                       const double* q, CnBodyState* own) {
    const double stride = 0.5, turn = 2.0 * CN_PI; // [rad]
    const CnJoint* joint = cn_pool_get(&world->joints, CN_POOL_ID(link->joint));
    CnLinkRows rows;
    double way[6] = {0.0}, wanted[6] = {0.0}, longest = 0.0;
    cn_link_look(world, link, own, parent, NULL, &rows);
    for (int k = 0; k < joint->axis_count; ++k) {
        const CnMeasure* measure = joint->axes[k].row.terms[0].measure;
        double distance = q[k] - rows.value[link->kept + k];
        double turns = measure->counts_on ? floor(distance / turn + 0.5) : 0.0;
        way[k] = distance - turns * turn;
        longest = fmax(longest, measure->is_angle ? fabs(way[k]) : 0.0);
    }
    int steps = 1 + (int)(longest / stride);
    for (int step = steps - 1; step >= 0; --step) {
        for (int k = 0; k < joint->axis_count; ++k) { // whole turns are nothing to the pose
            wanted[link->kept + k] = q[k] - way[k] * step / steps;
        }
        if (!move_to(world, link, parent, wanted, own)) {
            return false;
        }
    }
    return true;
}

static void place_floating(const double* q, CnBodyState* own) {
    own->center = cn_vec3(q[0], q[1], q[2]);
    own->rotation = cn_quat_exp(cn_vec3(q[3], q[4], q[5]));
}

// The turn is given; the point follows.
static bool place_turned(const CnWorld* world, const CnMechanismLink* link,
                         const CnBodyState* parent, const double* q, CnBodyState* own) {
    double wanted[6] = {0.0, 0.0, 0.0, q[0], q[1], q[2]};
    CnLinkRows rows;
    double inverse[36], by[6] = {0.0};
    own->rotation = cn_quat_multiply(parent->rotation, cn_quat_exp(cn_vec3(q[0], q[1], q[2])));
    cn_link_look(world, link, own, parent, NULL, &rows);
    for (int i = 0; i < link->kept; ++i) {
        by[i] = wanted[i] - rows.value[i];
    }
    if (!cn_link_invert(&rows, inverse)) {
        return false;
    }
    displace(inverse, by, own);
    return true;
}

// As it stands to its parent now, but from where the parent will be.
static CnBodyState carried(const CnBodyState* own, const CnBodyState* from, const CnBodyState* to) {
    CnBodyState state = *own;
    CnVec3 offset = cn_quat_unrotate(from->rotation, cn_vec3_sub(own->center, from->center));
    CnQuat turn = cn_quat_multiply(cn_quat_conjugate(from->rotation), own->rotation);
    state.center = cn_vec3_add(to->center, cn_quat_rotate(to->rotation, offset));
    state.rotation = cn_quat_normalize(cn_quat_multiply(to->rotation, turn));
    return state;
}

static CnStatus set_velocity(const CnWorld* world, const CnMechanismLink* link,
                             const CnBodyState* parent, const double* qd, CnBodyState* own,
                             CnError* error) {
    CnLinkRows rows;
    double inverse[36], rate[6], twist[6];
    cn_link_look(world, link, own, parent, NULL, &rows);
    if (!cn_link_invert(&rows, inverse)) {
        return cn_mechanism_refuse_pose(world, link, error);
    }
    own->velocity = own->angular_velocity = cn_vec3(0.0, 0.0, 0.0);
    cn_link_rates(&rows, own, parent, rate);
    for (int i = 0; i < 6; ++i) {
        rate[i] = (i >= link->kept && qd != NULL ? qd[i - link->kept] : 0.0) - rate[i];
    }
    for (int i = 0; i < 6; ++i) {
        twist[i] = cn_dense_dot(6, &inverse[6 * i], rate);
    }
    own->velocity = cn_vec3(twist[0], twist[1], twist[2]);
    own->angular_velocity = cn_vec3(twist[3], twist[4], twist[5]);
    return CN_OK;
}

static CnStatus place_link(CnMechanism* mechanism, const CnWorld* world, int i, const double* q,
                           const double* qd, CnError* error) {
    const CnMechanismLink* link = &mechanism->links[i];
    const CnBodyState* before =
        mechanism->parent[i] >= 0
            ? &cn_world_body(world, mechanism->ids[mechanism->parent[i]])->state
            : cn_joint_body_state(world, link->base);
    const CnBodyState* parent = cn_mechanism_parent_state(mechanism, world, i, mechanism->states);
    CnBodyState* own = &mechanism->states[i];
    bool placed = true;
    if (link->joint.index == 0) {
        place_floating(q, own);
    } else {
        *own = carried(own, before, parent);
        placed = link->turns_freely ? place_turned(world, link, parent, q, own)
                                    : move_joint(world, link, parent, q, own);
    }
    if (!placed) {
        return cn_error_set(error, CN_INVALID,
                            "joint \"%s\" cannot be where its coordinates, the first of which is "
                            "%g, say",
                            cn_joint_name(world, link->joint), q[0]);
    }
    return set_velocity(world, link, parent, qd, own, error);
}

static const CnBodyState* state_after(const CnMechanism* mechanism, const CnWorld* world,
                                      CnBodyId id) {
    for (int i = 0; i < mechanism->link_count; ++i) {
        if (mechanism->ids[i].index == id.index) {
            return &mechanism->states[i];
        }
    }
    return cn_joint_body_state(world, id);
}

static CnStatus check_loops(const CnMechanism* mechanism, const CnWorld* world, CnError* error) {
    for (int i = 0; i < mechanism->loop_count; ++i) {
        const CnJoint* joint = cn_pool_get(&world->joints, CN_POOL_ID(mechanism->loops[i]));
        const CnUserConstraint* kept =
            joint == NULL ? NULL : cn_pool_get(&world->constraints, CN_POOL_ID(joint->kept));
        double value[CN_MAX_ROWS];
        if (kept == NULL) {
            continue;
        }
        const CnBodyState four[4] = {*state_after(mechanism, world, kept->body_a),
                                     *state_after(mechanism, world, kept->body_b),
                                     *state_after(mechanism, world, kept->body_c),
                                     *state_after(mechanism, world, kept->body_d)};
        bool is_mimic = kept->kind->body_count == 4;
        kept->kind->evaluate(&four[0], &four[is_mimic ? 2 : 1], world->time, kept->data, value);
        for (int k = 0; k < kept->kind->dimension; ++k) {
            bool is_angle = k >= joint->kept_lengths;
            if (!(fabs(value[k]) <= CLOSED)) {
                return cn_error_set(error, CN_INVALID,
                                    "joint \"%s\" closes a loop and would be off by %g %s; choose "
                                    "coordinates that close it",
                                    joint->name, value[k], is_angle ? "rad" : "m");
            }
        }
    }
    return CN_OK;
}

static void set_near(CnJointRow* row, double value) {
    if (row->terms[0].measure->counts_on) {
        row->terms[0].near = counted(row, value);
    }
}

// All rows that count the turns of an axis.
static void count_turns(const CnWorld* world, const CnMechanismLink* link, const double* q) {
    CnJoint* joint = cn_pool_get(&world->joints, CN_POOL_ID(link->joint));
    for (int i = 0; joint != NULL && i < joint->axis_count; ++i) {
        set_near(&joint->axes[i].row, q[i]);
        for (int k = 0; k < CN_AXIS_PART_COUNT; ++k) {
            CnJointPart* part = cn_joint_part_at(world, joint->axes[i].parts[k]);
            if (part != NULL) {
                set_near(cn_joint_part_rows(part), q[i]);
            }
        }
    }
}

CnStatus cn_mechanism_write(CnMechanism* mechanism, CnWorld* world, const double* q,
                            const double* qd, CnError* error) {
    CnStatus status = cn_mechanism_check(mechanism, world, error);
    status = status == CN_OK ? cn_mechanism_check_numbers(mechanism, "q", q, error) : status;
    status = status == CN_OK ? cn_mechanism_check_numbers(mechanism, "qd", qd, error) : status;
    if (status != CN_OK) {
        return status;
    }
    cn_mechanism_take_states(mechanism, world);
    for (int i = 0; status == CN_OK && i < mechanism->link_count; ++i) {
        int first = mechanism->first[i];
        status = place_link(mechanism, world, i, q + first, qd == NULL ? NULL : qd + first, error);
    }
    status = status == CN_OK ? check_loops(mechanism, world, error) : status;
    if (status == CN_OK) {
        status = cn_world_write_states(world, mechanism->states, mechanism->ids,
                                       mechanism->link_count, error);
    }
    for (int i = 0; status == CN_OK && i < mechanism->link_count; ++i) {
        count_turns(world, &mechanism->links[i], q + mechanism->first[i]);
    }
    return status;
}

// ---- forces on axes ----

static void add_to_load(const double row[6], double force, CnVec3* push, CnVec3* torque) {
    *push = cn_vec3_add_scaled(*push, force, cn_vec3(row[0], row[1], row[2]));
    *torque = cn_vec3_add_scaled(*torque, force, cn_vec3(row[3], row[4], row[5]));
}

CnStatus cn_mechanism_apply(CnMechanism* mechanism, CnWorld* world, const double* tau,
                            CnError* error) {
    CnStatus status = cn_mechanism_check(mechanism, world, error);
    status = status == CN_OK ? cn_mechanism_check_numbers(mechanism, "tau", tau, error) : status;
    if (status == CN_OK && !cn_world_reserve_applied(world, 2 * mechanism->link_count)) {
        status = cn_error_set(error, CN_NO_MEMORY, "no memory for forces");
    }
    if (status != CN_OK) {
        return status;
    }
    cn_mechanism_take_states(mechanism, world);
    for (int i = 0; status == CN_OK && i < mechanism->link_count; ++i) {
        const CnMechanismLink* link = &mechanism->links[i];
        CnVec3 zero = {0.0, 0.0, 0.0}, own_push = zero, own_torque = zero;
        CnVec3 push = zero, torque = zero; // of the parent
        CnLinkRows rows;
        cn_link_look(world, link, &mechanism->states[i],
                     cn_mechanism_parent_state(mechanism, world, i, mechanism->states), NULL,
                     &rows);
        for (int k = link->kept; k < 6; ++k) {
            double force = tau[mechanism->first[i] + k - link->kept];
            add_to_load(rows.own[k], force, &own_push, &own_torque);
            add_to_load(rows.parent[k], force, &push, &torque);
        }
        status = cn_body_apply_load(world, link->body, own_push, own_torque, error);
        if (status == CN_OK && mechanism->parent[i] >= 0) {
            status = cn_body_apply_load(world, mechanism->ids[mechanism->parent[i]], push, torque,
                                        error);
        }
    }
    return status;
}

static CnStatus apply_side(CnWorld* world, CnBodyId body, const double row[6], double force,
                           CnError* error) {
    CnVec3 push = {0.0, 0.0, 0.0}, torque = push;
    add_to_load(row, force, &push, &torque);
    return cn_body_is_movable(cn_world_body(world, body))
               ? cn_body_apply_load(world, body, push, torque, error)
               : CN_OK;
}

CnStatus cn_joint_apply_force(CnWorld* world, CnJointId id, CnAxis axis, double force,
                              CnError* error) {
    const CnJoint* joint = cn_pool_get(&world->joints, CN_POOL_ID(id));
    const CnJointFreeAxis* free_axis = joint == NULL ? NULL : cn_joint_free_axis(joint, axis);
    double row_a[6] = {0.0}, row_b[6] = {0.0};
    if (joint == NULL) {
        return cn_error_set(error, CN_STALE, "the joint does not exist");
    }
    if (free_axis == NULL) {
        return cn_error_set(error, CN_INVALID, "axis %s of joint \"%s\" is not free",
                            cn_axis_name(axis), joint->name);
    }
    if (!isfinite(force)) {
        return cn_error_set(error, CN_INVALID, "force is %g; it must be a finite number", force);
    }
    if (!cn_world_reserve_applied(world, 2)) {
        return cn_error_set(error, CN_NO_MEMORY, "no memory for a force");
    }
    CnJointView view = cn_joint_view_now(world, joint);
    cn_joint_row_jacobian(&free_axis->row, &view, row_a, row_b);
    CnStatus status = apply_side(world, joint->body_a, row_a, force, error);
    return status == CN_OK ? apply_side(world, joint->body_b, row_b, force, error) : status;
}
