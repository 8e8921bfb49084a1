// likely_cause.c - why a step may have missed the tolerance, in words for its warning.
//
// A row that holds whatever the force (a motor without max_force, a prescribed motion, a contact
// with a kinematic body) has no solution when something that cannot yield is in its way. The worst
// block is one of the two that contradict each other, so its neighbours are searched too.
#include "world/step/likely_cause.h"

static bool is_unbounded_motor(const CnUserConstraint* constraint) {
    if (constraint->kind != cn_axis_part_kind(CN_AXIS_PART_MOTOR)) {
        return false;
    }
    const CnAxisPart* part = constraint->data;
    return part->axis.motor == CN_MOTOR_VELOCITY && part->axis.max_force == 0.0;
}

static bool is_prescribed_motion(const CnUserConstraint* constraint) {
    return constraint->kind == cn_joint_prescribed_kind(1) ||
           constraint->kind == cn_joint_prescribed_kind(3);
}

static const CnUserConstraint* constraint_of(const CnWorld* world, int block) {
    int slot = world->step.rows.sources.data[block].constraint;
    return slot < 0 ? NULL : cn_pool_at(&world->constraints, slot);
}

static bool is_movable(const CnWorld* world, int body) {
    return body >= 0 && world->step.problem.inverse_mass[body] > 0.0;
}

static bool is_neighbour(const CnWorld* world, const CnBlock* a, const CnBlock* b) {
    bool shares_a =
        is_movable(world, a->body_a) && (a->body_a == b->body_a || a->body_a == b->body_b);
    bool shares_b =
        is_movable(world, a->body_b) && (a->body_b == b->body_a || a->body_b == b->body_b);
    return shares_a || shares_b;
}

static bool is_kinematic(const CnWorld* world, int body) {
    return body >= 0 && cn_world_body_by_index(world, body)->type == CN_BODY_KINEMATIC;
}

static const char* cause_of_block(const CnWorld* world, int block) {
    const CnBlock* data = &world->step.rows.blocks.data[block];
    const CnUserConstraint* constraint = constraint_of(world, block);
    if (constraint != NULL && is_unbounded_motor(constraint)) {
        return "likely cause: a motor without max_force against a stop, which is infeasible; give "
               "it "
               "a max_force";
    }
    if (constraint != NULL && is_prescribed_motion(constraint)) {
        return "likely cause: a prescribed motion against a stop, which is infeasible";
    }
    if (is_kinematic(world, data->body_a) || is_kinematic(world, data->body_b)) {
        return "likely cause: a kinematic body that presses another against something immovable, "
               "which is infeasible; let it stop in time, or drive it by a motor with a max_force";
    }
    return NULL;
}

static const char* cause_of_outcome(CnOutcome outcome) {
    switch (outcome) {
    case CN_OUT_OF_ITERATIONS:
        return "it ran out of iterations: allow more, or take another solver";
    case CN_OUT_OF_TIME:
        return "it ran out of time: allow a later deadline, or a larger tolerance";
    case CN_OUT_OF_BUDGET:
        return "it ran out of work: allow a larger work budget, or a larger tolerance";
    default:
        return "likely causes are constraints that contradict each other, bodies deep in each "
               "other and extreme mass ratios: `cairn check` looks for them";
    }
}

const char* cn_likely_cause(const CnWorld* world, const CnStepReport* report, int block) {
    const CnRows* rows = &world->step.rows;
    const char* cause = NULL;
    if (block >= 0 && block < rows->blocks.count) {
        cause = cause_of_block(world, block);
        for (int i = 0; i < rows->blocks.count && cause == NULL; ++i) {
            if (is_neighbour(world, &rows->blocks.data[block], &rows->blocks.data[i])) {
                cause = cause_of_block(world, i);
            }
        }
    }
    return cause != NULL ? cause : cause_of_outcome(report->solver.outcome);
}
