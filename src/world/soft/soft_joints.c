// soft_joints.c - scheme soft_step: joints and user constraints, from the world's rows to floats.
#include "world/soft/soft_joints.h"

#include "base/error.h"
#include "base/fetch.h"
#include "constraints/joints/user_rows.h"
#include "world/soft/soft_trees.h"
#include "world/soft/soft_warm_start.h"
#include "world/step/rows.h"
#include "world/world.h"

#include <string.h>

// A stop of an angle is swept when its distance is below STOP_MARGIN [rad] plus what the two bodies
// turn against each other in STOP_TURNS substeps at their present rates. (J3a)
#define STOP_MARGIN 0.01
#define STOP_TURNS 4.0

// Rows of a near stop are read again within a step when a body has turned by this much since they
// were read: until then forces of (J3) err in direction by less than this share. (J3b) [rad]
#define ROWS_TURN 1e-3

// ---- blocks of the step ----

// Blocks act on two bodies, a mimic's on up to four.
static CnStatus refuse_mimic(const CnWorld* world, const CnUserConstraint* constraint,
                             CnError* error) {
    const CnJoint* joint = cn_pool_get(&world->joints, CN_POOL_ID(constraint->joint));
    return cn_error_set(error, CN_UNSUPPORTED,
                        "scheme soft_step does not take joint \"%s\" of type mimic; moreau, "
                        "implicit, acceleration and quasi_static do",
                        joint->name);
}

static CnStatus no_memory(const CnWorld* world, CnError* error) {
    return cn_error_set(error, CN_NO_MEMORY, "no memory for %d constraints in a soft step",
                        world->active.constraints.count);
}

static CnStatus add_posed_block(CnWorld* world, int slot, const CnUserConstraint* constraint,
                                CnError* error) {
    CnBlockSource source = {
        .manifold = -1,
        .given = -1,
        .constraint = slot,
        .generation = cn_pool_id_at(&world->constraints, slot).generation,
        .rows = {0, 1, 2, 3, 4, 5},
    };
    CnBlock* block = cn_rows_add(&world->step.rows, &world->allocator, CN_LAW_BOUNDS,
                                 constraint->kind->dimension, source);
    if (block == NULL) {
        return no_memory(world, error);
    }
    block->body_a = cn_world_body_index(world, constraint->body_a);
    block->body_b = cn_world_body_index(world, constraint->body_b);
    return CN_OK;
}

// Blocks stay as they are while the same constraints act.
CnStatus cn_soft_pose_joints(CnWorld* world, CnError* error) {
    CnRows* rows = &world->step.rows;
    const CnActive* active = &world->active;
    if (rows->posed[0] == active->version && rows->posed[1] == world->joint_changes) {
        return CN_OK;
    }
    cn_rows_clear(rows);
    const CnBodyState* states =
        active->constraints.count == 0 ? NULL : cn_world_present_states(world, CN_STATES_POSED);
    if (active->constraints.count > 0 && states == NULL) {
        return no_memory(world, error);
    }
    CnStatus status = CN_OK;
    for (int place = 0; place < active->constraints.count && status == CN_OK; ++place) {
        int slot = active->constraints.data[place];
        CnBoundConstraint bound;
        if (!cn_world_bind_constraint(world, slot, states, world->step.time, &bound)) {
            continue;
        }
        status = bound.constraint->kind->body_count > 2
                     ? refuse_mimic(world, bound.constraint, error)
                     : add_posed_block(world, slot, bound.constraint, error);
    }
    if (status == CN_OK) {
        rows->posed[0] = active->has_conditions ? 0 : active->version;
        rows->posed[1] = world->joint_changes;
    }
    return status;
}

static CnUserConstraint* constraint_of(const CnWorld* world, int block) {
    return cn_pool_at(&world->constraints, world->step.rows.sources.data[block].constraint);
}

static bool gives_way(const CnUserConstraint* constraint) {
    return constraint->keep.compliance > 0.0 || constraint->keep.compliance_turn > 0.0;
}

bool cn_soft_note_joints(CnWorld* world) {
    CnSoftStore* soft = world->soft;
    int count = world->step.rows.blocks.count;
    soft->posed.count = 0;
    if (!cn_array_reserve(&soft->posed, &world->allocator, count)) {
        return false;
    }
    for (int i = 0; i < count; ++i) {
        const CnBlockSource* source = &world->step.rows.sources.data[i];
        soft->posed.data[soft->posed.count++] = (CnSoftPosed){
            source->constraint, source->generation, gives_way(constraint_of(world, i))};
    }
    memcpy(soft->posed_of, world->step.rows.posed, sizeof soft->posed_of);
    return true;
}

bool cn_soft_has_same_joints(const CnWorld* world) {
    const CnSoftStore* soft = world->soft;
    const uint32_t *now = world->step.rows.posed, *then = soft->posed_of;
    if (now[0] != 0 && now[0] == then[0] && now[1] == then[1]) {
        return true;
    }
    bool same = soft->posed.count == world->step.rows.blocks.count;
    for (int i = 0; same && i < soft->posed.count; ++i) {
        const CnBlockSource* source = &world->step.rows.sources.data[i];
        const CnSoftPosed* old = &soft->posed.data[i];
        same = old->slot == source->constraint && old->generation == source->generation &&
               old->gives_way == gives_way(constraint_of(world, i));
    }
    return same;
}

// Of a part of a joint; NULL: it was added by itself.
static const CnJoint* joint_of(const CnWorld* world, const CnUserConstraint* constraint) {
    return constraint->joint.index == 0
               ? NULL
               : cn_pool_get(&world->joints, CN_POOL_ID(constraint->joint));
}

CnSoftJointForm cn_soft_joint_form(const CnWorld* world, int block) {
    const CnUserConstraint* constraint = constraint_of(world, block);
    const CnJoint* joint = joint_of(world, constraint);
    bool is_kept = joint != NULL &&
                   (int)joint->kept.index - 1 == world->step.rows.sources.data[block].constraint;
    if (!is_kept || gives_way(constraint)) {
        return CN_SOFT_FORM_BLOCK;
    }
    return joint->type == CN_JOINT_BALL    ? CN_SOFT_FORM_BALL
           : joint->type == CN_JOINT_HINGE ? CN_SOFT_FORM_HINGE
                                           : CN_SOFT_FORM_BLOCK;
}

// ---- where bodies are within a step ----

// Length of a substep [s].
static double substep_of(const CnWorld* world) {
    return world->step.dt / world->def.step.soft.substeps;
}

static CnVec3 vector_of(const float from[3]) {
    return cn_vec3((double)from[0], (double)from[1], (double)from[2]);
}

CnBodyState cn_soft_state_now(const CnSoftJoints* joints, int body, int row) {
    const CnWorld* world = joints->world;
    if (row == 0) {
        return body < 0 ? cn_immovable : world->bodies.data[body].state;
    }
    const CnSoftBody* from = &joints->bodies.rows[row];
    const CnTransform* place = &world->places.data[body].pose;
    CnQuat turn = cn_quat((double)from->turned[3], (double)from->turned[0], (double)from->turned[1],
                          (double)from->turned[2]);
    return (CnBodyState){
        .center = cn_vec3_add(place->position, vector_of(from->moved)),
        .rotation = cn_quat_normalize(cn_quat_multiply(turn, place->rotation)),
        .velocity = vector_of(from->velocity),
        .angular_velocity = vector_of(from->spin),
    };
}

// ---- blocks of any kind ----

// p = h f for a force f(C, u), linear in the rate u that the substep ends with. (J4)
static void set_force(const CnSoftJoints* joints, const CnUserConstraint* constraint,
                      const double* value, const double* rate, double time, CnSoftBlock* block) {
    double h = substep_of(joints->world);
    double force[CN_MAX_ROWS], by_value[CN_MAX_ROWS], by_rate[CN_MAX_ROWS];
    constraint->kind->force(value, rate, time, constraint->data, force, by_value, by_rate);
    for (int i = 0; i < block->row_count; ++i) {
        double slope = -h * (h * by_value[i] + by_rate[i]);
        bool grows = slope < 0.0; // taken as it is now
        block->row[i].next_slope = grows ? 0.0f : (float)slope;
        block->row[i].next_offset = (float)(h * (force[i] - (grows ? 0.0 : by_rate[i] * rate[i])));
    }
}

// p = -h (stiffness (C + h u) + damping u). (J4)
static void set_yield(double h, const CnRowLimits* limits, double value, CnSoftRow* row) {
    row->next_slope = (float)(h * limits->damping + h * h * limits->stiffness);
    row->next_offset = (float)(-h * limits->stiffness * value);
}

static void take_jacobian(const CnConstraintReading* reading, CnSoftBlock* block) {
    for (int i = 0; i < block->row_count; ++i) {
        for (int k = 0; k < 6; ++k) {
            block->row[i].jacobian[0][k] = (float)reading->jacobian_a[i][k];
            block->row[i].jacobian[1][k] = (float)reading->jacobian_b[i][k];
        }
    }
}

// The rows that the joint of a limit, a motor, a spring or a brake keeps. NULL: there are none.
static CnUserConstraint* kept_beside(const CnWorld* world, const CnUserConstraint* constraint) {
    const CnJoint* joint = joint_of(world, constraint);
    CnUserConstraint* kept =
        joint == NULL ? NULL : cn_pool_get(&world->constraints, CN_POOL_ID(joint->kept));
    return kept == constraint ? NULL : kept;
}

static void detach(const CnSoftJoints* joints, CnReader* reader, const CnBoundConstraint* kept,
                   CnSoftBlock* block) {
    CnSoftBlock beside = {.body = {block->body[0], block->body[1]},
                          .row_count = kept->constraint->kind->dimension};
    CnConstraintReading reading;
    cn_read_constraint(reader, kept, CN_READ_JACOBIANS, &reading);
    take_jacobian(&reading, &beside);
    cn_soft_block_prepare(&beside, &joints->bodies); // rows of zeros keep
    cn_soft_block_detach(block, &beside);
}

static CnVec3 spin_of(const CnSoftJoints* joints, int body, int row) {
    return row > 0 || body < 0 ? vector_of(joints->bodies.rows[row].spin)
                               : joints->world->bodies.data[body].state.angular_velocity;
}

// How far two bodies turn against each other in a substep, at their present rates [rad].
static double turn_between(const CnSoftJoints* joints, const CnBlock* source,
                           const CnSoftBlock* block) {
    CnVec3 a = spin_of(joints, source->body_a, block->body[0]);
    CnVec3 b = spin_of(joints, source->body_b, block->body[1]);
    return substep_of(joints->world) * cn_vec3_length(cn_vec3_sub(b, a));
}

static bool is_angle_stop(const CnUserConstraint* constraint, const CnSoftRow* row) {
    bool is_stop = row->type == CN_SOFT_ROW_PUSHES || row->type == CN_SOFT_ROW_PULLS;
    return is_stop && constraint->joint.index != 0 && cn_joint_part_is_angle(constraint->data);
}

// Whether the stop of an angle is open and stays so in this substep. (J3a)
static bool stays_open(const CnSoftBlock* block, double turn) {
    const CnSoftRow* row = &block->row[0];
    double gap = row->type == CN_SOFT_ROW_PUSHES ? (double)row->value : -(double)row->value;
    return row->impulse == 0.0f && gap > STOP_MARGIN + STOP_TURNS * ((double)block->turned + turn);
}

// ---- stops whose bodies hardly turn ----

// An angle between two bodies that meet in a point changes with their turns alone, and so do the
// directions of its rows.
static bool follows_turns(const CnWorld* world, const CnUserConstraint* constraint,
                          const CnSoftBlock* block) {
    const CnJoint* joint = joint_of(world, constraint);
    return joint != NULL && (joint->type == CN_JOINT_BALL || joint->type == CN_JOINT_HINGE) &&
           is_angle_stop(constraint, &block->row[0]);
}

// Of the row of a stop, before it is made independent of others.
static void note_reading(const CnSoftJoints* joints, CnSoftBlock* block) {
    for (int side = 0; side < 2; ++side) {
        memcpy(block->read_turn[side], joints->bodies.rows[block->body[side]].turned,
               sizeof block->read_turn[side]);
        memcpy(block->by_turn[side], block->row[0].jacobian[side] + 3, sizeof block->by_turn[side]);
    }
    block->read_value = block->row[0].value;
}

// How a body has turned since the rows were read, to first order.
static CnVec3 turn_since(const CnSoftJoints* joints, const CnSoftBlock* block, int side) {
    const float* now = joints->bodies.rows[block->body[side]].turned;
    const float* then = block->read_turn[side];
    CnQuat from = cn_quat((double)then[3], (double)then[0], (double)then[1], (double)then[2]);
    CnQuat to = cn_quat((double)now[3], (double)now[0], (double)now[1], (double)now[2]);
    CnQuat by = cn_quat_multiply(to, cn_quat_conjugate(from));
    return cn_vec3_scale(2.0, cn_vec3(by.x, by.y, by.z));
}

// Moves the value of a stop on with its bodies. False: they turned too far, it must be read.
static bool follow_turns(const CnSoftJoints* joints, CnSoftBlock* block) {
    double value = (double)block->read_value;
    for (int side = 0; side < 2; ++side) {
        CnVec3 turn = turn_since(joints, block, side);
        if (cn_vec3_length(turn) > ROWS_TURN) {
            return false;
        }
        value += cn_vec3_dot(vector_of(block->by_turn[side]), turn);
    }
    block->row[0].value = (float)value;
    return true;
}

// ---- reading a block ----

// Values and what rows may do, where bodies are.
static void refresh_limits(const CnConstraintReading* reading, const CnUserConstraint* constraint,
                           double time, double h, CnSoftBlock* block) {
    CnRowLimits limits[CN_MAX_ROWS];
    cn_reading_limits(reading, constraint, time, limits);
    for (int i = 0; i < block->row_count; ++i) {
        CnSoftRow* row = &block->row[i];
        row->type = (CnSoftRowType)limits[i].role;
        row->lower = (float)(h * limits[i].lower);
        row->upper = (float)(h * limits[i].upper);
        row->restitution = (float)limits[i].restitution;
        row->value = (float)reading->value[i];
        set_yield(h, &limits[i], reading->value[i], row);
    }
}

// Jacobians, rates and what springs give. The rows of a joint's axes are made independent of the
// rows that the joint keeps. (J11)
static void refresh_rates(const CnSoftJoints* joints, CnReader* reader,
                          const CnBoundConstraint* bound, CnConstraintReading* reading,
                          CnSoftBlock* block) {
    const CnUserConstraint* constraint = bound->constraint;
    const CnConstraintKind* kind = constraint->kind;
    double h = substep_of(joints->world), time = reader->time;
    double rate[CN_MAX_ROWS], time_rate[CN_MAX_ROWS];
    cn_constraint_time_rate(kind, bound->a, bound->b, time + (kind->rate_only ? h : 0.0),
                            constraint->data, time_rate);
    for (int i = 0; i < block->row_count; ++i) {
        block->row[i].time_rate = (float)time_rate[i];
    }
    if (kind->force != NULL) {
        cn_constraint_rate(kind, bound->a, bound->b, time, constraint->data, rate);
        set_force(joints, constraint, reading->value, rate, time, block);
    }
    cn_read_constraint(reader, bound, CN_READ_JACOBIANS, reading);
    take_jacobian(reading, block);
    note_reading(joints, block);
    CnBoundConstraint kept = *bound;
    kept.constraint = kept_beside(joints->world, constraint);
    if (kept.constraint != NULL) {
        detach(joints, reader, &kept, block);
    }
}

// Reads a block at the present poses: only its values if it is far, else its Jacobians and rates
// too.
static void refresh_block(const CnSoftJoints* joints, CnReader* reader, int place) {
    const CnWorld* world = joints->world;
    CnSoftBlock* block = &world->soft->blocks.data[place];
    int index = world->soft->block.data[place];
    const CnBlock* source = &world->step.rows.blocks.data[index];
    CnUserConstraint* constraint = constraint_of(world, index);
    CnBodyState a = cn_soft_state_now(joints, source->body_a, block->body[0]);
    CnBodyState b = cn_soft_state_now(joints, source->body_b, block->body[1]);
    CnBoundConstraint bound = {
        .constraint = constraint,
        .a = &a,
        .b = constraint->kind->body_count < 2 ? NULL : &b,
    };
    CnConstraintReading reading;
    double h = substep_of(world);
    cn_read_constraint(reader, &bound, CN_READ_VALUES | CN_READ_FORCES, &reading);
    refresh_limits(&reading, constraint, reader->time, h, block);
    block->turned = 0.0f;
    block->is_far = is_angle_stop(constraint, &block->row[0]) &&
                    stays_open(block, turn_between(joints, source, block));
    block->is_read = !block->is_far && follows_turns(world, constraint, block);
    if (!block->is_far) {
        refresh_rates(joints, reader, &bound, &reading, block);
    }
}
_Static_assert((int)CN_SOFT_ROW_KEEPS == (int)CN_ROW_KEEPS &&
                   (int)CN_SOFT_ROW_PUSHES == (int)CN_ROW_PUSHES &&
                   (int)CN_SOFT_ROW_PULLS == (int)CN_ROW_PULLS &&
                   (int)CN_SOFT_ROW_DRIVES == (int)CN_ROW_DRIVES &&
                   (int)CN_SOFT_ROW_YIELDS == (int)CN_ROW_YIELDS,
               "rows of the world and of the sweep have the same roles");

// Of the row's force on B, else of its torque; against that on A where there is no B.
static CnVec3 row_direction(const CnUserConstraint* constraint, const CnSoftBlock* block, int row) {
    int side = constraint->body_b.index != 0 ? 1 : 0;
    const float* jacobian = block->row[row].jacobian[side];
    CnVec3 force = vector_of(jacobian), torque = vector_of(jacobian + 3);
    CnVec3 on_body = cn_vec3_length(force) > 0.0 ? force : torque;
    double length = cn_vec3_length(on_body);
    double sign = side == 1 ? 1.0 : -1.0;
    return length > 0.0 ? cn_vec3_scale(sign / length, on_body) : on_body;
}

// The warm start policy needs the directions of rows, so it is asked after they were read. Until
// then the impulse is not a number, and no stop counts as far.
static void begin_block(const CnSoftJoints* joints, CnReader* reader, int place) {
    const CnWorld* world = joints->world;
    CnSoftBlock* block = &world->soft->blocks.data[place];
    const CnUserConstraint* constraint = constraint_of(world, world->soft->block.data[place]);
    bool asks = cn_soft_asks_policy(world);
    for (int i = 0; i < block->row_count; ++i) {
        block->row[i].impulse = asks ? NAN : (float)(joints->ratio * constraint->kept[i]);
        block->row[i].total = 0.0f;
    }
    refresh_block(joints, reader, place);
    if (block->is_far) {
        return;
    }
    cn_soft_block_prepare(block, &joints->bodies);
    for (int i = 0; asks && i < block->row_count; ++i) {
        block->row[i].impulse =
            (float)cn_soft_ask_joint(world, constraint, i, row_direction(constraint, block, i));
    }
    cn_soft_block_note_approach(block, &joints->bodies);
}

// Whether a stop that is far stays so, without a look at its value.
static bool stays_far(const CnSoftJoints* joints, int place) {
    const CnWorld* world = joints->world;
    CnSoftBlock* block = &world->soft->blocks.data[place];
    const CnBlock* source = &world->step.rows.blocks.data[world->soft->block.data[place]];
    double turn = turn_between(joints, source, block);
    block->turned += (float)turn;
    return stays_open(block, turn);
}

// The block at the poses of the next substep. A stop that has come near takes part from here on.
static void go_on_with_block(const CnSoftJoints* joints, CnReader* reader, int place) {
    CnSoftBlock* block = &joints->world->soft->blocks.data[place];
    bool was_far = block->is_far;
    if (was_far && stays_far(joints, place)) {
        return;
    }
    if (block->is_read && follow_turns(joints, block)) {
        cn_soft_block_relax(block, &joints->bodies, &joints->rates);
        return;
    }
    refresh_block(joints, reader, place);
    if (block->is_far) {
        return;
    }
    if (was_far) {
        cn_soft_block_prepare(block, &joints->bodies);
        cn_soft_block_note_approach(block, &joints->bodies);
    } else {
        cn_soft_block_shift(block, &joints->bodies);
    }
    cn_soft_block_relax(block, &joints->bodies, &joints->rates);
}

static double larger(double a, double b) {
    return a < b ? b : a;
}

// Impulses of one substep for the next step, of the whole step for readers, and what is left of
// errors.
static void store_row(CnUserConstraint* constraint, int row, double last, double total,
                      double value) {
    constraint->kept[row] = last;
    constraint->impulse[row] += total;
    constraint->value[row] = value;
}

static void note_error(CnSoftGroup* group, bool is_angular, double value) {
    double* worst = is_angular ? &group->joint_angle_error : &group->joint_error;
    *worst = larger(*worst, fabs(value));
}

static bool is_angular(const CnUserConstraint* constraint, int row) {
    return (constraint->kind->angular_rows >> row & 1u) != 0;
}

void cn_soft_store_joint(const CnSoftJoints* joints, int block, const double* last,
                         const double* total, const double* value, unsigned kept) {
    CnUserConstraint* constraint = constraint_of(joints->world, block);
    for (int i = 0; i < constraint->kind->dimension; ++i) {
        store_row(constraint, i, last[i], total[i], value[i]);
        if ((kept >> i & 1u) != 0) {
            note_error(joints->group, is_angular(constraint, i), value[i]);
        }
    }
    constraint->residual = 0.0;
    constraint->age += constraint->age < CN_MAX_AGE;
}

static void end_block(const CnSoftJoints* joints, int place) {
    const CnWorld* world = joints->world;
    CnSoftBlock* block = &world->soft->blocks.data[place];
    CnUserConstraint* constraint = constraint_of(world, world->soft->block.data[place]);
    if (!block->is_far) {
        cn_soft_block_bounce(block, &joints->bodies, &joints->rates);
    }
    for (int i = 0; i < block->row_count; ++i) {
        const CnSoftRow* row = &block->row[i];
        store_row(constraint, i, (double)row->impulse, (double)row->total, (double)row->value);
        if (row->type == CN_SOFT_ROW_KEEPS) {
            note_error(joints->group, is_angular(constraint, i), (double)row->value);
        }
    }
    constraint->residual = 0.0;
    constraint->age += constraint->age < CN_MAX_AGE;
    CnUserConstraint* kept = kept_beside(world, constraint);
    for (int i = 0; kept != NULL && i < block->row_count; ++i) {
        for (int k = 0; k < kept->kind->dimension; ++k) {
            kept->impulse[k] -= (double)(block->row[i].share[k] * block->row[i].total);
        }
    }
}

// ---- ball joints and hinges ----

static void put_lane(CnVec3 v, float to[3][CN_SOFT_LANES], int lane) {
    to[0][lane] = (float)v.x;
    to[1][lane] = (float)v.y;
    to[2][lane] = (float)v.z;
}

static void load_side(const CnSoftJoints* joints, int body, int row, const CnTransform* frame,
                      int side, int lane, CnSoftJointTile* tile, CnTransform* world_frame) {
    const CnWorld* world = joints->world;
    CnTransform pose = {cn_vec3(0.0, 0.0, 0.0), cn_quat_identity()};
    if (row > 0) {
        pose = world->places.data[body].pose;
    } else if (body >= 0) {
        const CnBodyState* state = &world->bodies.data[body].state;
        pose = (CnTransform){state->center, state->rotation};
    }
    CnVec3 arm = cn_quat_rotate(pose.rotation, frame->position);
    const CnSoftMass* mass = &joints->bodies.masses[row];
    put_lane(row > 0 ? arm : cn_vec3(0.0, 0.0, 0.0), tile->arm[side], lane);
    for (int k = 0; k < 6; ++k) {
        tile->inertia[side][k][lane] = mass->inertia[k];
    }
    world_frame->position = cn_vec3_add(pose.position, arm);
    world_frame->rotation = cn_quat_multiply(pose.rotation, frame->rotation);
}

static int row_at(const CnSoftJointTile* tile, int side, int lane) {
    return tile->offset[side][lane] / (int)sizeof(CnSoftBody);
}

static void load_joint(const CnSoftJoints* joints, int index, const CnJoint* joint, int lane,
                       CnSoftJointTile* tile) {
    const CnBlock* source = &joints->world->step.rows.blocks.data[index];
    CnTransform a, b;
    load_side(joints, source->body_a, row_at(tile, 0, lane), &joint->frames.a, 0, lane, tile, &a);
    load_side(joints, source->body_b, row_at(tile, 1, lane), &joint->frames.b, 1, lane, tile, &b);
    put_lane(cn_vec3_sub(b.position, a.position), tile->gap, lane);
    put_lane(cn_vec3(a.rotation.x, a.rotation.y, a.rotation.z), tile->frame, lane);
    tile->frame[3][lane] = (float)a.rotation.w;
    if (tile->is_hinge) {
        CnVec3 z = {0.0, 0.0, 1.0};
        put_lane(cn_quat_rotate(a.rotation, z), tile->axis[0], lane);
        put_lane(cn_quat_rotate(b.rotation, z), tile->axis[1], lane);
        put_lane(cn_quat_rotate(a.rotation, cn_vec3(1.0, 0.0, 0.0)), tile->side[0], lane);
        put_lane(cn_quat_rotate(a.rotation, cn_vec3(0.0, 1.0, 0.0)), tile->side[1], lane);
    }
}

// Whether a body of a lane was placed since its joint was loaded, which is noted. Those without a
// row do not move as long as the groups stand.
static bool is_placed_anew(const CnSoftJoints* joints, int lane, CnSoftJointTile* tile) {
    const uint32_t* epochs = joints->world->soft->epoch.data + joints->group->base;
    bool is_new = false;
    for (int side = 0; side < 2; ++side) {
        int row = row_at(tile, side, lane);
        uint32_t epoch = row > 0 ? epochs[row] : 1;
        is_new = is_new || tile->epoch[side][lane] != epoch;
        tile->epoch[side][lane] = epoch;
    }
    return is_new;
}

// Of a row, to start from: a policy is asked, and told its axis.
static double asked_impulse(const CnSoftJoints* joints, const CnUserConstraint* constraint, int row,
                            const CnSoftJointTile* tile, int lane) {
    CnQuat frame = cn_quat((double)tile->frame[3][lane], (double)tile->frame[0][lane],
                           (double)tile->frame[1][lane], (double)tile->frame[2][lane]);
    CnVec3 axis = cn_vec3(row % 3 == 0, row % 3 == 1, row % 3 == 2);
    return cn_soft_ask_joint(joints->world, constraint, row,
                             cn_quat_rotate(cn_quat_normalize(frame), axis));
}

// Results of the constraints of the next tile of a group, ahead of it: they are far apart in
// memory.
static void fetch_next(const CnSoftJoints* joints, int index) {
    const CnSoftGroup* group = joints->group;
    const int* blocks =
        joints->world->soft->joint.data + (size_t)CN_SOFT_LANES * (size_t)(index + 1);
    bool has_next = index + 1 < group->first_joint_tile + group->joint_tile_count;
    for (int lane = 0; has_next && lane < CN_SOFT_LANES; ++lane) {
        if (blocks[lane] >= 0) {
            const char* from = (const char*)constraint_of(joints->world, blocks[lane])->impulse;
            for (size_t i = 0; i < CN_CONSTRAINT_RESULTS; i += CN_ALIGNMENT) {
                cn_fetch(from + i);
            }
        }
    }
}

static void load_tile(const CnSoftJoints* joints, int index) {
    const CnWorld* world = joints->world;
    CnSoftJointTile* tile = &world->soft->joint_tiles.data[index];
    bool asks = cn_soft_asks_policy(world);
    int rows = tile->is_hinge ? 5 : 3;
    fetch_next(joints, index);
    for (int lane = 0; lane < CN_SOFT_LANES; ++lane) {
        int block = world->soft->joint.data[CN_SOFT_LANES * index + lane];
        if (block < 0) {
            continue;
        }
        const CnUserConstraint* constraint = constraint_of(world, block);
        if (is_placed_anew(joints, lane, tile)) {
            load_joint(joints, block, joint_of(world, constraint), lane, tile);
        }
        for (int k = 0; k < rows; ++k) {
            double guess = asks ? asked_impulse(joints, constraint, k, tile, lane)
                                : joints->ratio * constraint->kept[k];
            float* to = k < 3 ? tile->impulse[k] : tile->moment[k - 3];
            to[lane] = (float)guess;
        }
    }
    memset(tile->total_impulse, 0, sizeof tile->total_impulse);
    memset(tile->total_moment, 0, sizeof tile->total_moment);
}

static void end_joint(const CnSoftJoints* joints, int index, int lane,
                      const CnSoftJointTile* tile) {
    CnUserConstraint* constraint = constraint_of(joints->world, index);
    for (int i = 0; i < 3; ++i) {
        store_row(constraint, i, (double)tile->impulse[i][lane],
                  (double)tile->total_impulse[i][lane], (double)tile->error[i][lane]);
        note_error(joints->group, false, (double)tile->error[i][lane]);
    }
    for (int i = 0; tile->is_hinge && i < 2; ++i) {
        store_row(constraint, 3 + i, (double)tile->moment[i][lane],
                  (double)tile->total_moment[i][lane], (double)tile->lean[i][lane]);
        note_error(joints->group, true, (double)tile->lean[i][lane]);
    }
    constraint->residual = 0.0;
    constraint->age += constraint->age < CN_MAX_AGE;
}

static void end_tile(const CnSoftJoints* joints, int index) {
    const CnSoftStore* store = joints->world->soft;
    fetch_next(joints, index);
    for (int lane = 0; lane < CN_SOFT_LANES; ++lane) {
        int block = store->joint.data[CN_SOFT_LANES * index + lane];
        if (block >= 0) {
            end_joint(joints, block, lane, &store->joint_tiles.data[index]);
        }
    }
}

// ---- a group ----

typedef struct Range {
    int begin, end;
} Range;

static Range blocks_of(const CnSoftGroup* group) {
    return (Range){group->first_block, group->first_block + group->block_count};
}

static CnSoftJointTile* tiles_of(const CnSoftJoints* joints) {
    return joints->world->soft->joint_tiles.data + joints->group->first_joint_tile;
}

void cn_soft_joints_begin(const CnSoftJoints* joints) {
    const CnSoftGroup* group = joints->group;
    Range blocks = blocks_of(group);
    CnReader reader;
    cn_reader_begin(&reader, joints->world, NULL, joints->world->step.time);
    for (int i = blocks.begin; i < blocks.end; ++i) {
        begin_block(joints, &reader, i);
    }
    for (int i = 0; i < group->joint_tile_count; ++i) {
        load_tile(joints, group->first_joint_tile + i);
    }
    const CnSoftJointKernels* kernels = cn_soft_joint_kernels();
    kernels->open(tiles_of(joints), group->joint_tile_count, &joints->bodies);
    kernels->refresh(tiles_of(joints), group->joint_tile_count, &joints->bodies);
    cn_soft_trees_begin(joints);
}

void cn_soft_joints_go_on(const CnSoftJoints* joints) {
    cn_soft_trees_go_on(joints);
}

void cn_soft_joints_warm_start(const CnSoftJoints* joints) {
    Range blocks = blocks_of(joints->group);
    for (int i = blocks.begin; i < blocks.end; ++i) {
        CnSoftBlock* block = &joints->world->soft->blocks.data[i];
        if (!block->is_far) {
            cn_soft_block_warm_start(block, &joints->bodies);
        }
    }
    cn_soft_joint_kernels()->warm_start(tiles_of(joints), joints->group->joint_tile_count,
                                        &joints->bodies);
}

void cn_soft_joints_push(const CnSoftJoints* joints) {
    Range blocks = blocks_of(joints->group);
    for (int i = blocks.begin; i < blocks.end; ++i) {
        CnSoftBlock* block = &joints->world->soft->blocks.data[i];
        if (!block->is_far) {
            cn_soft_block_push(block, &joints->bodies, &joints->rates);
        }
    }
    cn_soft_joint_kernels()->push(tiles_of(joints), joints->group->joint_tile_count,
                                  &joints->bodies, &joints->rates);
    cn_soft_trees_push(joints);
}

void cn_soft_joints_relax(const CnSoftJoints* joints, int substep) {
    const CnSoftGroup* group = joints->group;
    Range blocks = blocks_of(group);
    double time = joints->world->step.time + (substep + 1.0) * substep_of(joints->world);
    CnReader reader;
    cn_reader_begin(&reader, joints->world, NULL, time);
    for (int i = blocks.begin; i < blocks.end; ++i) {
        go_on_with_block(joints, &reader, i);
    }
    const CnSoftJointKernels* kernels = cn_soft_joint_kernels();
    kernels->shift(tiles_of(joints), group->joint_tile_count, &joints->bodies);
    kernels->relax(tiles_of(joints), group->joint_tile_count, &joints->bodies);
    cn_soft_trees_relax(joints, time);
}

void cn_soft_joints_end(const CnSoftJoints* joints) {
    CnSoftGroup* group = joints->group;
    Range blocks = blocks_of(group);
    group->joint_error = group->joint_angle_error = 0.0;
    for (int i = blocks.begin; i < blocks.end; ++i) {
        end_block(joints, i);
    }
    cn_soft_joint_kernels()->close(tiles_of(joints), group->joint_tile_count, &joints->bodies);
    for (int i = 0; i < group->joint_tile_count; ++i) {
        end_tile(joints, group->first_joint_tile + i);
    }
    cn_soft_trees_end(joints);
}
