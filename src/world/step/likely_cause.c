// likely_cause.c - why a step may have missed the tolerance, in words for its warning.
//
// A row that holds whatever the force (a motor without max_force, a prescribed motion, a contact
// with a kinematic body) has no solution when something that cannot yield is in its way. The worst
// block is one of the two that contradict each other, so its neighbours are searched too.
#include "world/step/likely_cause.h"

#include "world/step/solve_step.h"

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

// A block with what it comes from.
typedef struct Block {
    int body_a, body_b;
    const CnUserConstraint* constraint; // NULL: a contact
} Block;

static Block block_at(const CnWorld* world, int index) {
    CnBlockSource source;
    Block block = {-1, -1, NULL};
    if (cn_step_find_block(world, index, &source, &block.body_a, &block.body_b) &&
        source.constraint >= 0) {
        block.constraint = cn_pool_at(&world->constraints, source.constraint);
    }
    return block;
}

static bool is_movable(const CnWorld* world, int body) {
    return body >= 0 && world->bodies.data[body].mass->inverse_mass > 0.0;
}

static bool is_neighbour(const CnWorld* world, const Block* a, const Block* b) {
    bool shares_a =
        is_movable(world, a->body_a) && (a->body_a == b->body_a || a->body_a == b->body_b);
    bool shares_b =
        is_movable(world, a->body_b) && (a->body_b == b->body_a || a->body_b == b->body_b);
    return shares_a || shares_b;
}

static bool is_kinematic(const CnWorld* world, int body) {
    return body >= 0 && cn_world_body_by_index(world, body)->type == CN_BODY_KINEMATIC;
}

static const char* cause_of_block(const CnWorld* world, const Block* block) {
    if (block->constraint != NULL && is_unbounded_motor(block->constraint)) {
        return "likely cause: a motor without max_force against a stop, which is infeasible; give "
               "it a max_force";
    }
    if (block->constraint != NULL && is_prescribed_motion(block->constraint)) {
        return "likely cause: a prescribed motion against a stop, which is infeasible";
    }
    if (is_kinematic(world, block->body_a) || is_kinematic(world, block->body_b)) {
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
    int count = world->step.tile_block_count + world->step.rows.blocks.count;
    const char* cause = NULL;
    if (block >= 0 && block < count) {
        Block worst = block_at(world, block);
        cause = cause_of_block(world, &worst);
        for (int i = 0; i < count && cause == NULL; ++i) {
            Block other = block_at(world, i);
            if (is_neighbour(world, &worst, &other)) {
                cause = cause_of_block(world, &other);
            }
        }
    }
    return cause != NULL ? cause : cause_of_outcome(report->solver.outcome);
}
