// correct_rows.c - the rows of a position correction: what each error asks of the displacements.
#include "world/correct/correct_rows.h"

#include "constraints/problem/block.h"
#include "linalg/dense.h"
#include "math/worse.h"
#include "world/contacts/contact_rows.h"
#include "world/trees/tree_store.h"

#include <math.h>
#include <string.h>

// How far a row should move: all of the error for a projection, a limited share for split impulses.
static double wanted(const CnWorld* world, double error) {
    const CnStepDef* step = &world->def.step;
    if (step->stabilisation == CN_STABILISATION_PROJECTION) {
        return -error;
    }
    double limit = step->max_correction;
    return -fmax(-limit, fmin(limit, step->error_reduction * error));
}

// Contacts that do not overlap take part too, so that a correction does not press into them.
static double wanted_gap(const CnWorld* world, double gap) {
    const CnStepDef* step = &world->def.step;
    double slop = step->stabilisation == CN_STABILISATION_PROJECTION ? 0.0 : step->slop;
    double error = gap + slop;
    return error < 0.0 ? wanted(world, error) : -error;
}

static bool is_wanted(const bool* wanted, int body_a, int body_b) {
    return (body_a >= 0 && wanted[body_a]) || (body_b >= 0 && wanted[body_b]);
}

static CnStatus add_contacts(CnWorld* world, const CnContactArray* contacts,
                             const CnBodyState* states, const bool* wanted) {
    CnRows* rows = &world->correction.rows;
    for (int i = 0; i < contacts->count; ++i) {
        const CnContact* contact = &contacts->data[i];
        if (!is_wanted(wanted, contact->body_a, contact->body_b) ||
            cn_contact_is_bouncing(world, contact, states)) {
            continue;
        }
        CnBlockSource source = {.manifold = -1, .point = -1, .given = -1, .constraint = -1};
        const CnBlock* block = cn_world_pose_contact(world, source, contact, states, false, rows);
        if (block == NULL) {
            return CN_NO_MEMORY;
        }
        rows->target[block->first_row] = wanted_gap(world, contact->gap);
    }
    return CN_OK;
}

// Rows without a position to keep, and stops further away than contacts are looked for, ask for
// nothing: a problem of joints alone stays one, and is solved directly.
static unsigned find_rows(const CnWorld* world, const CnUserConstraint* constraint,
                          CnInstant instant) {
    double margin = world->def.step.contact_margin;
    unsigned rows = 0;
    for (int k = 0; k < constraint->kind->dimension; ++k) {
        CnRowRole role = (CnRowRole)constraint->role[k];
        double value = constraint->value[k];
        bool is_far =
            (role == CN_ROW_PUSHES && value > margin) || (role == CN_ROW_PULLS && value < -margin);
        if (cn_row_keeps_position(instant, role) && !is_far) {
            rows |= 1u << k;
        }
    }
    return rows;
}

// Rows that keep a position take any impulse, those that push or pull only one sign.
static void set_targets(const CnWorld* world, const CnUserConstraint* constraint, CnBlock* block,
                        CnRows* rows) {
    const CnBlockSource* source = &rows->sources.data[rows->sources.count - 1];
    bool is_equality = true;
    for (int k = 0; k < block->row_count; ++k) {
        int row = block->first_row + k, own = source->rows[k];
        CnRowRole role = (CnRowRole)constraint->role[own];
        rows->target[row] = wanted(world, constraint->value[own]);
        rows->lower[row] = role == CN_ROW_PUSHES ? 0.0 : -HUGE_VAL;
        rows->upper[row] = role == CN_ROW_PULLS ? 0.0 : HUGE_VAL;
        is_equality = is_equality && role == CN_ROW_KEEPS;
    }
    block->law = is_equality ? CN_LAW_EQUALITY : CN_LAW_BOUNDS;
}

static CnStatus add_constraint(CnWorld* world, int slot, CnReader* reader, CnInstant instant) {
    CnRows* rows = &world->correction.rows;
    CnBoundConstraint bound;
    CnConstraintReading reading;
    CnBlock* block;
    if (!cn_reader_bind(reader, slot, &bound) || bound.constraint->kind->force != NULL) {
        return CN_OK;
    }
    unsigned some = find_rows(world, bound.constraint, instant);
    if (some == 0) {
        return CN_OK;
    }
    cn_read_constraint(reader, &bound, CN_READ_JACOBIANS, &reading);
    CnStatus status =
        cn_world_pose_rows(world, slot, bound.constraint, &reading, some, rows, &block);
    if (status == CN_OK && block != NULL) {
        set_targets(world, bound.constraint, block, rows);
    }
    return status;
}

static void set_inertia(CnWorld* world, int index, CnQuat turned) {
    const CnBody* body = cn_world_body_by_index(world, index);
    CnMat3 rotation = cn_mat3_from_quat(turned);
    CnMat3 inverse = cn_mat3_rotate_tensor(&rotation, &body->mass->inverse_inertia);
    memcpy(world->correction.inverse_inertia[index], inverse.m, 9 * sizeof(double));
}

// Nothing moves unless a row asks. Of bodies that no row acts on nobody asks.
static void set_acting(CnWorld* world, const bool* wanted) {
    const CnRows* rows = &world->correction.rows;
    for (int k = 0; k < rows->blocks.count; ++k) {
        const CnBlock* block = &rows->blocks.data[k];
        for (int side = 0; side < cn_block_sides(block); ++side) {
            int i = cn_block_body(block, side);
            if (i >= 0) {
                memset(world->correction.free_velocity[i], 0, sizeof(double[6]));
            }
            if (i >= 0 && !wanted[i]) {
                world->correction.inverse_mass[i] =
                    cn_world_body_by_index(world, i)->mass->inverse_mass;
                memset(world->correction.inverse_inertia[i], 0, 9 * sizeof(double));
            }
        }
    }
}

void cn_correction_view(CnWorld* world, const CnBodyState* states, const bool* wanted) {
    CnProblem* problem = &world->correction.problem;
    for (int i = 0; i < world->order.count; ++i) {
        if (wanted == NULL || wanted[i]) {
            world->correction.inverse_mass[i] =
                cn_world_body_by_index(world, i)->mass->inverse_mass;
            set_inertia(world, i, states[i].rotation);
        }
    }
    if (wanted != NULL) {
        set_acting(world, wanted);
    }
    *problem = cn_rows_view(&world->correction.rows);
    problem->body_count = world->order.count;
    problem->inverse_mass = world->correction.inverse_mass;
    problem->inverse_inertia = (const double(*)[9])world->correction.inverse_inertia;
    problem->free_velocity = (const double(*)[6])world->correction.free_velocity;
}

static CnStatus add_all_contacts(CnWorld* world, const CnBodyState* states, const bool* wanted) {
    cn_rows_clear(&world->correction.rows);
    CnStatus status = add_contacts(world, &world->correction.contacts, states, wanted);
    if (status == CN_OK) {
        status = add_contacts(world, &world->correction.learned, states, wanted);
    }
    return status;
}

CnStatus cn_correction_build_contacts(CnWorld* world, const CnBodyState* states,
                                      const bool* wanted) {
    CnStatus status = add_all_contacts(world, states, wanted);
    cn_correction_view(world, states, wanted);
    return status;
}

bool cn_correction_asks(const CnWorld* world, int slot, CnInstant instant) {
    const CnUserConstraint* constraint = cn_pool_at(&world->constraints, slot);
    return constraint->kind->force == NULL && find_rows(world, constraint, instant) != 0;
}

CnStatus cn_correction_build_rows(CnWorld* world, const CnBodyState* states, CnInstant instant,
                                  const bool* wanted) {
    CnReader reader;
    CnStatus status = add_all_contacts(world, states, wanted);
    cn_reader_begin(&reader, world, states, instant.time);
    reader.uses_trees = !instant.ahead && cn_trees_are_at(world, CN_TREES_AT_END);
    for (int i = 0; status == CN_OK && i < cn_pool_slot_count(&world->constraints); ++i) {
        const CnUserConstraint* constraint = cn_pool_at(&world->constraints, i);
        if (constraint == NULL) {
            continue;
        }
        CnConstraintSides sides = cn_world_constraint_sides(world, constraint);
        if (is_wanted(wanted, sides.own[0], sides.own[1]) ||
            (sides.own_count == 4 && is_wanted(wanted, sides.own[2], sides.own[3]))) {
            status = add_constraint(world, i, &reader, instant);
        }
    }
    cn_correction_view(world, states, wanted);
    return status;
}

void cn_correction_find_left(const CnWorld* world, const int* group, double* left) {
    const CnProblem* problem = &world->correction.problem;
    for (int i = 0; i < problem->block_count; ++i) {
        const CnBlock* block = &problem->blocks[i];
        int a = block->body_a < 0 ? -1 : group[block->body_a];
        int b = block->body_b < 0 ? -1 : group[block->body_b];
        int island = a >= 0 ? a : b;
        if (island >= 0 && block->law == CN_LAW_EQUALITY) {
            double u[CN_MAX_ROWS];
            cn_block_velocity(problem, block, (const double(*)[6])world->correction.displacement,
                              world->correction.rows.impulse, u);
            left[island] = cn_worse(left[island], sqrt(cn_dense_dot(block->row_count, u, u)));
        }
    }
}
