// acceleration_ledger.c - momentum and work of the stages of scheme acceleration.
#include "constraints/problem/block.h"
#include "world/bodies/motion.h"
#include "world/schemes/acceleration.h"
#include "world/step/attribution.h"
#include "world/step/ledger.h"
#include "world/step/rows.h"

void cn_acceleration_book_loads(const CnJourney* journey, const CnPath* paths, double weight) {
    CnWorld* world = journey->world;
    CnMomentumLedger* momentum = &journey->report->momentum;
    for (int i = 0; i < world->order.count; ++i) {
        const CnBody* body = cn_world_body_by_index(world, i);
        CnMotionExtras* extras = &world->step.extras.data[i];
        if (body->type != CN_BODY_DYNAMIC) {
            continue;
        }
        CnVec3 load = cn_vec3_scale(weight, journey->loads[i].force);
        CnVec3 moment = cn_vec3_scale(weight, journey->loads[i].torque);
        CnVec3 gravity = cn_vec3_scale(weight * body->mass->mass, cn_body_gravity(world, body));
        CnVec3 spin = paths[i].spin;
        CnVec3 gyration = cn_vec3_cross(cn_mat3_apply(&body->mass->inertia, spin), spin);

        extras->load = cn_vec3_add(extras->load, load);
        extras->load_moment =
            cn_vec3_add(extras->load_moment, cn_quat_unrotate(paths[i].rotation, moment));
        extras->gyration = cn_vec3_add_scaled(extras->gyration, weight, gyration);
        cn_ledger_add_load(momentum, paths[i].center, gravity, load, moment);
    }
}

static void book_side(const CnJourney* journey, const CnPath* paths, int index, bool internal,
                      const double jacobian[6], double p, CnVec3* impulse, CnVec3* moment) {
    if (index < 0) {
        return;
    }
    CnVec3 push = cn_vec3(p * jacobian[0], p * jacobian[1], p * jacobian[2]);
    CnVec3 turn = cn_vec3(p * jacobian[3], p * jacobian[4], p * jacobian[5]);
    *impulse = cn_vec3_add(*impulse, push);
    *moment = cn_vec3_add(*moment, cn_quat_unrotate(paths[index].rotation, turn));
    if (cn_world_body_by_index(journey->world, index)->type == CN_BODY_DYNAMIC) {
        cn_ledger_add_wrench(&journey->report->momentum, paths[index].center, push, turn, internal);
    }
}

static bool is_dynamic(const CnWorld* world, int index) {
    return index >= 0 && cn_world_body_by_index(world, index)->type == CN_BODY_DYNAMIC;
}

void cn_acceleration_book_constraints(const CnJourney* journey, const CnPath* paths,
                                      double weight) {
    CnWorld* world = journey->world;
    const CnRows* rows = &world->step.rows;
    for (int i = 0; i < rows->blocks.count; ++i) {
        const CnBlock* block = &rows->blocks.data[i];
        const CnBlockSource* source = &rows->sources.data[i];
        CnWrench* wrench = &journey->wrenches[source->constraint];
        CnUserConstraint* constraint = cn_pool_at(&world->constraints, source->constraint);
        bool internal = cn_ledger_is_internal(world, block, source);
        for (int k = 0; k < block->row_count; ++k) {
            int row = block->first_row + k;
            double p = weight * rows->impulse[row];
            constraint->impulse[source->rows[k]] += p;
            for (int side = 0; journey->report->is_graded && side < cn_block_sides(block); ++side) {
                book_side(journey, paths, cn_block_body(block, side), internal,
                          cn_rows_jacobian(rows, row, side), p, &wrench->impulse[side],
                          &wrench->moment[side]);
            }
        }
    }
}

static double turning_work(const CnWorld* world, int index, const CnWrench* wrench, int side) {
    return cn_vec3_dot(world->step.extras.data[index].mean_spin, wrench->moment[side]);
}

static double side_work(const CnWorld* world, int index, const CnWrench* wrench, int side) {
    if (index < 0) {
        return 0.0;
    }
    CnVec3 v = cn_motion_mean_velocity(world, index);
    return cn_vec3_dot(v, wrench->impulse[side]) + turning_work(world, index, wrench, side);
}

void cn_acceleration_book_work(const CnJourney* journey) {
    CnWorld* world = journey->world;
    CnEnergyLedger* energy = &journey->report->energy;
    for (int i = 0; i < cn_pool_slot_count(&world->constraints); ++i) {
        const CnUserConstraint* constraint = cn_pool_at(&world->constraints, i);
        if (constraint == NULL) {
            continue;
        }
        CnConstraintSides sides = cn_world_constraint_sides(world, constraint);
        for (int side = 0; side < sides.own_count; ++side) {
            double work = side_work(world, sides.body[side], &journey->wrenches[i], side);
            cn_ledger_add_work(energy, CN_WORK_CONSTRAINT, work);
            if (sides.body[side] >= 0 && !is_dynamic(world, sides.body[side])) {
                cn_ledger_add_work(energy, CN_WORK_DRIVE, -work);
            }
        }
    }
}

static void attribute_side(const CnJourney* journey, const CnPath* paths, int index, int side,
                           bool internal, const double jacobian[6], double p, CnWrench* wrench,
                           CnChannelShare* share) {
    if (!is_dynamic(journey->world, index)) {
        return;
    }
    CnVec3 push = cn_vec3(p * jacobian[0], p * jacobian[1], p * jacobian[2]);
    CnVec3 turn = cn_vec3(p * jacobian[3], p * jacobian[4], p * jacobian[5]);
    wrench->impulse[side] = cn_vec3_add(wrench->impulse[side], push);
    wrench->moment[side] =
        cn_vec3_add(wrench->moment[side], cn_quat_unrotate(paths[index].rotation, turn));
    cn_attribution_push(share, paths[index].center, push, turn, internal);
}

CnStatus cn_acceleration_attribute(const CnJourney* journey, const CnPath* paths, double weight) {
    CnWorld* world = journey->world;
    const CnRows* rows = &world->step.rows;
    for (int i = 0; journey->rows != NULL && i < rows->blocks.count; ++i) {
        const CnBlock* block = &rows->blocks.data[i];
        const CnBlockSource* source = &rows->sources.data[i];
        bool internal = cn_ledger_is_internal(world, block, source);
        for (int k = 0; k < block->row_count; ++k) {
            int row = block->first_row + k;
            double p = weight * rows->impulse[row];
            CnWrench* wrench = &journey->rows[CN_MAX_ROWS * source->constraint + source->rows[k]];
            CnChannelShare* share = cn_attribution_row(world, block, source, k);
            if (share == NULL) {
                return CN_NO_MEMORY;
            }
            share->impulse += p * cn_attribution_row_size(rows, block, row);
            for (int side = 0; side < cn_block_sides(block); ++side) {
                attribute_side(journey, paths, cn_block_body(block, side), side, internal,
                               cn_rows_jacobian(rows, row, side), p, wrench, share);
            }
        }
    }
    return CN_OK;
}

static bool has_acted(const CnWrench* wrench) {
    bool has = false;
    for (int side = 0; side < 4; ++side) {
        has = has || cn_vec3_length(wrench->impulse[side]) > 0.0 ||
              cn_vec3_length(wrench->moment[side]) > 0.0;
    }
    return has;
}

// Rows that gave nothing did no work; those of constraints that cannot act have no entry.
CnStatus cn_acceleration_attribute_work(const CnJourney* journey) {
    CnWorld* world = journey->world;
    int slots = journey->rows == NULL ? 0 : cn_pool_slot_count(&world->constraints);
    for (int i = 0; i < CN_MAX_ROWS * slots; ++i) {
        const CnUserConstraint* constraint = cn_pool_at(&world->constraints, i / CN_MAX_ROWS);
        if (constraint == NULL || i % CN_MAX_ROWS >= constraint->kind->dimension ||
            !has_acted(&journey->rows[i])) {
            continue;
        }
        CnConstraintSides sides = cn_world_constraint_sides(world, constraint);
        CnBlock block = {.body_a = sides.body[0],
                         .body_b = sides.body[1],
                         .second = {sides.body[2] + 1, sides.body[3] + 1}};
        CnBlockSource source = {.constraint = i / CN_MAX_ROWS,
                                .rows = {(uint8_t)(i % CN_MAX_ROWS)}};
        CnChannelShare* share = cn_attribution_row(world, &block, &source, 0);
        if (share == NULL) {
            return CN_NO_MEMORY;
        }
        for (int side = 0; side < sides.own_count; ++side) {
            int body = sides.body[side];
            if (is_dynamic(world, body)) {
                share->work += side_work(world, body, &journey->rows[i], side);
                share->angular_work += turning_work(world, body, &journey->rows[i], side);
            }
        }
    }
    return CN_OK;
}
