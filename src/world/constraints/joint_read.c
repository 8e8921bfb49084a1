// joint_read.c - where joints stand, what they carry, and which of them break.
#include "world/constraints/joint.h"

#include "world/events/events.h"
#include "world/step/rows.h"

// What the rows of one part did to one body of the plan in the last step.
typedef struct Load {
    bool on_b;            // of the plan, else on A
    CnVec3 force, torque; // about the centre of mass [N], [N m]
} Load;

static void add_load(const CnWorld* world, CnConstraintId id, const CnJointView* view, Load* load) {
    const CnUserConstraint* constraint = cn_pool_get(&world->constraints, CN_POOL_ID(id));
    double dt = constraint == NULL ? 0.0 : cn_constraint_dt(world, constraint);
    if (!(dt > 0.0)) {
        return;
    }
    CnJointPart* part = constraint->data;
    for (int i = 0; i < part->row_count; ++i) {
        double row_a[6] = {0.0}, row_b[6] = {0.0}, force = constraint->impulse[i] / dt;
        const double* row = load->on_b ? row_b : row_a;
        cn_joint_row_jacobian(&cn_joint_part_rows(part)[i], view, row_a, row_b);
        load->force = cn_vec3_add_scaled(load->force, force, cn_vec3(row[0], row[1], row[2]));
        load->torque = cn_vec3_add_scaled(load->torque, force, cn_vec3(row[3], row[4], row[5]));
    }
}

static double force_of(const CnWorld* world, CnConstraintId id) {
    const CnUserConstraint* constraint = cn_pool_get(&world->constraints, CN_POOL_ID(id));
    double dt = constraint == NULL ? 0.0 : cn_constraint_dt(world, constraint);
    return dt > 0.0 ? constraint->impulse[0] / dt : 0.0;
}

// Force and torque of the whole joint on the body it is read on, about its point there.
static void read_load(const CnWorld* world, const CnJoint* joint, const CnJointView* view,
                      CnJointState* state) {
    Load load = {.on_b = joint->one_body != joint->swapped};
    CnConstraintId ids[CN_JOINT_PART_LIMIT];
    int count = cn_joint_list_parts(joint, ids);
    for (int i = 0; i < count; ++i) {
        add_load(world, ids[i], view, &load);
    }
    CnVec3 point = load.on_b ? view->frame_b.position : view->frame_a.position;
    CnVec3 arm = cn_vec3_sub(load.on_b ? view->center_b : view->center_a, point);
    state->force = load.force;
    state->torque = cn_vec3_add(load.torque, cn_vec3_cross(arm, load.force));
}

static CnVec3 point_velocity(const CnBodyState* state, CnVec3 point) {
    CnVec3 arm = cn_vec3_sub(point, state->center);
    return cn_vec3_add(state->velocity, cn_vec3_cross(state->angular_velocity, arm));
}

static CnVec3 along(const CnVec3 axes[3], CnVec3 v) {
    return cn_vec3(cn_vec3_dot(axes[0], v), cn_vec3_dot(axes[1], v), cn_vec3_dot(axes[2], v));
}

// U and R: what the body that the joint is read on does relative to the other, and what the joint
// does to it. Between two points n leads from its own to the other.
static void read_local(const CnWorld* world, const CnJoint* joint, const CnJointView* view,
                       CnJointState* state) {
    const CnBodyState* a = cn_joint_body_state(world, cn_joint_given_a(joint));
    const CnBodyState* b = cn_joint_body_state(world, cn_joint_given_b(joint));
    CnVec3* axes = state->local_axes;
    double sign = joint->one_body ? -1.0 : 1.0;
    cn_measure_axes(joint->shown, view, axes);
    if (joint->shown->is_between_points) {
        axes[1] = cn_vec3_scale(sign, axes[1]); // so that they stay right-handed
        axes[2] = cn_vec3_scale(sign, axes[2]);
    }
    CnVec3 velocity = cn_vec3_sub(point_velocity(a, state->frame_a.position),
                                  point_velocity(b, state->frame_b.position));
    CnVec3 spin = cn_vec3_sub(a->angular_velocity, b->angular_velocity);
    state->local_velocity = along(axes, cn_vec3_scale(sign, velocity));
    state->local_spin = along(axes, cn_vec3_scale(sign, spin));
    state->local_force = along(axes, state->force);
    state->local_torque = along(axes, state->torque);
}

static void read_axes(const CnWorld* world, const CnJoint* joint, const CnJointView* view,
                      CnJointState* state) {
    const CnBodyState* a = cn_joint_body_state(world, joint->body_a);
    const CnBodyState* b = cn_joint_body_state(world, joint->body_b);
    for (int i = 0; i < joint->axis_count; ++i) {
        const CnJointFreeAxis* free_axis = &joint->axes[i];
        CnAxis axis = free_axis->axis;
        state->position[axis] = cn_joint_row_value(&free_axis->row, view);
        state->velocity[axis] = cn_joint_row_rate(&free_axis->row, view, a, b);
        for (int k = 0; k < CN_AXIS_PART_COUNT; ++k) {
            state->axis_force[axis] += force_of(world, free_axis->parts[k]);
        }
    }
}

// Of a mimic: the follower's axis, and what it does to that.
static void read_followed_axis(const CnWorld* world, const CnJoint* mimic, const CnJointView* view,
                               CnJointState* state) {
    const CnJoint* follower = cn_pool_get(&world->joints, CN_POOL_ID(mimic->follower));
    const CnJointRow* row = &cn_joint_free_axis(follower, mimic->follower_axis)->row;
    state->position[mimic->follower_axis] = cn_joint_row_value(row, view);
    state->velocity[mimic->follower_axis] =
        cn_joint_row_rate(row, view, cn_joint_body_state(world, mimic->body_a),
                          cn_joint_body_state(world, mimic->body_b));
    state->axis_force[mimic->follower_axis] = mimic->broken ? 0.0 : force_of(world, mimic->kept);
}

static void read_errors(const CnWorld* world, const CnJoint* joint, CnJointState* state) {
    CnUserConstraint* kept = cn_pool_get(&world->constraints, CN_POOL_ID(joint->kept));
    CnBoundConstraint bound;
    double value[CN_MAX_ROWS];
    if (kept == NULL) {
        return;
    }
    cn_world_bind_now(world, kept, &bound);
    kept->kind->evaluate(bound.a, bound.b, world->time, kept->data, value);
    for (int i = 0; i < kept->kind->dimension; ++i) {
        double* error = i < joint->kept_lengths ? &state->error : &state->angle_error;
        bool is_rigid = cn_constraint_compliance(kept, i) == 0.0;
        *error = fmax(*error, is_rigid ? fabs(value[i]) : 0.0);
    }
}

CnStatus cn_joint_info(const CnWorld* world, CnJointId id, CnJointInfo* info) {
    const CnJoint* joint = cn_pool_get(&world->joints, CN_POOL_ID(id));
    if (joint == NULL) {
        *info = (CnJointInfo){0};
        return CN_STALE;
    }
    *info = (CnJointInfo){
        .name = joint->name,
        .type = joint->type,
        .body_a = cn_joint_given_a(joint),
        .body_b = cn_joint_given_b(joint),
        .frame_a = joint->swapped ? joint->frames.b : joint->frames.a,
        .frame_b = joint->swapped ? joint->frames.a : joint->frames.b,
        .length = joint->length,
        .ratio = joint->ratio,
        .pitch = joint->pitch,
        .offset = joint->offset,
        .leader = joint->leader,
        .follower = joint->follower,
        .leader_axis = joint->leader_axis,
        .follower_axis = joint->follower_axis,
        .swing_limit = joint->swing_limit,
        .swing_limit_y = joint->swing_limit_y,
        .strength = joint->strength,
        .strength_torque = joint->strength_torque,
        .keep = joint->keep,
        .collide = joint->collide,
        .enabled = joint->enabled,
        .broken = joint->broken,
    };
    for (int i = 0; i < joint->axis_count; ++i) {
        info->free[joint->axes[i].axis] = true;
    }
    return CN_OK;
}

CnStatus cn_joint_read(const CnWorld* world, CnJointId id, CnJointState* state) {
    const CnJoint* joint = cn_pool_get(&world->joints, CN_POOL_ID(id));
    if (joint == NULL) {
        *state = (CnJointState){0};
        return CN_STALE;
    }
    CnJointView view = cn_joint_view_now(world, joint);
    *state = (CnJointState){
        .frame_a = joint->swapped ? view.frame_b : view.frame_a,
        .frame_b = joint->swapped ? view.frame_a : view.frame_b,
        .broken = joint->broken,
    };
    read_axes(world, joint, &view, state);
    if (joint->type == CN_JOINT_MIMIC) {
        read_followed_axis(world, joint, &view, state);
    }
    if (!joint->broken) {
        read_load(world, joint, &view, state);
    }
    if (!joint->broken && joint->enabled) {
        read_errors(world, joint, state);
    }
    read_local(world, joint, &view, state);
    return CN_OK;
}

// Angles that count on, for readers: parts have rows of their own.
static void count_turns(const CnWorld* world, CnJoint* joint) {
    CnJointView view = cn_joint_view_now(world, joint);
    for (int i = 0; i < joint->axis_count; ++i) {
        CnJointTerm* term = &joint->axes[i].row.terms[0];
        if (term->measure->counts_on) {
            term->near = cn_measure_value(term->measure, &view, term->near);
        }
    }
}

// An angle that is found after less than half a turn is counted right. In each step turns of a part
// of the joints are counted, one after the other in the order of their slots: as large a part of
// all as the fastest two bodies may turn, of a quarter of a turn. So no joint turns by more than
// that quarter between two counts. The part is never larger than one in so many: where bodies are
// faster, joints that turn by more in a step are counted in every one.
#define COUNT_EVERY 16

// How far two bodies with such spins turn against each other in a step, of a quarter of a turn.
static double turn_share(const CnWorld* world, double spin_a, double spin_b) {
    return world->whole_dt * (spin_a + spin_b) / (0.5 * CN_PI);
}

static bool turn_far(double share) {
    return !(COUNT_EVERY * share < 1.0);
}

static double spin_of(const CnWorld* world, CnBodyId id) {
    return cn_vec3_length(cn_joint_body_state(world, id)->angular_velocity);
}

static double fastest_spin(const CnWorld* world) {
    CnIndexList moving = cn_active_bodies(world);
    double fastest = 0.0;
    for (int k = 0; k < moving.count; ++k) {
        CnVec3 spin = world->bodies.data[cn_index_at(&moving, k)].state.angular_velocity;
        double square = cn_vec3_dot(spin, spin);
        fastest = square <= fastest ? fastest : square;
    }
    return sqrt(fastest);
}

static void count_all_turns(CnWorld* world) {
    const CnIntArray* turning = &world->active.turning;
    if (turning->count == 0) {
        return;
    }
    double fastest = fastest_spin(world), share = turn_share(world, fastest, fastest);
    bool are_fast = turn_far(share);
    int slots = cn_pool_slot_count(&world->joints);
    int first = world->next_turn < slots ? world->next_turn : 0;
    int due = (int)ceil(are_fast ? (double)slots / COUNT_EVERY : share * slots);
    for (int i = 0; i < turning->count; ++i) {
        CnJointId id = world->joint_order.data[turning->data[i]];
        int after = (int)id.index - 1 - first;
        bool is_due = (after < 0 ? after + slots : after) < due;
        CnJoint* joint = is_due || are_fast ? cn_pool_get(&world->joints, CN_POOL_ID(id)) : NULL;
        if (is_due || (are_fast && turn_far(turn_share(world, spin_of(world, joint->body_a),
                                                       spin_of(world, joint->body_b))))) {
            count_turns(world, joint);
        }
    }
    world->next_turn = (first + due) % slots;
}

void cn_world_count_turns_before_change(CnWorld* world) {
    if (world->turns_counted == world->steps_made) {
        return;
    }
    for (int i = 0; i < world->joint_order.count; ++i) {
        count_turns(world, cn_pool_get(&world->joints, CN_POOL_ID(world->joint_order.data[i])));
    }
    world->turns_counted = world->steps_made;
}

static bool is_overloaded(const CnJoint* joint, const CnJointState* state) {
    bool torn = joint->strength > 0.0 && cn_vec3_length(state->force) > joint->strength;
    bool bent =
        joint->strength_torque > 0.0 && cn_vec3_length(state->torque) > joint->strength_torque;
    return torn || bent;
}

static CnStatus break_joint(CnWorld* world, CnJoint* joint, CnJointId id,
                            const CnJointState* state) {
    CnEvent event = {
        .type = CN_EVENT_JOINT_BROKE,
        .time = world->time,
        .body_a = cn_joint_given_a(joint),
        .body_b = cn_joint_given_b(joint),
        .joint = id,
        .point = state->frame_a.position,
        .impulse = world->whole_dt * cn_vec3_length(state->force),
    };
    CnStatus status = cn_events_add_break(world, &event);
    joint->broken = status == CN_OK;
    return status;
}

CnStatus cn_world_break_joints(CnWorld* world) {
    CnStatus status = CN_OK;
    for (int i = 0; i < world->active.breakable.count && status == CN_OK; ++i) {
        CnJointId id = world->joint_order.data[world->active.breakable.data[i]];
        CnJoint* joint = cn_pool_get(&world->joints, CN_POOL_ID(id));
        CnJointState state;
        if (joint->broken) {
            continue;
        }
        cn_joint_read(world, id, &state);
        if (is_overloaded(joint, &state)) {
            status = break_joint(world, joint, id, &state);
        }
    }
    return status;
}

void cn_world_finish_joints(CnWorld* world, bool has_stepped) {
    const CnActive* active = &world->active;
    if (has_stepped) {
        count_all_turns(world);
    }
    for (int i = 0; i < active->breakable.count; ++i) {
        CnJointId id = world->joint_order.data[active->breakable.data[i]];
        CnJoint* joint = cn_pool_get(&world->joints, CN_POOL_ID(id));
        if (!joint->broken || !joint->has_parts) {
            continue;
        }
        joint->broken = has_stepped;
        if (has_stepped) {
            cn_joint_remove_parts(world, joint);
            cn_mimic_refresh(world, id);
        }
    }
}
