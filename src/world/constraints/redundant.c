// redundant.c - constraints that ask for what others already imply.
//
// The rows J of all two-sided constraints at the present poses, in the mass metric: a row of
// J M^-1 J^T that depends on others leaves a zero pivot when they are eliminated before it.
#include "solvers/matrix/split_bodies.h"
#include "world/step/rows.h"

#include <string.h>

// A row whose own share is below this fraction of what it is alone counts as implied: a closed loop
// of a hundred bodies leaves noise of 1e-12.
#define PIVOT_LIMIT 0x1p-33

typedef struct Masses {
    double* inverse_mass;         // [order.count]
    double (*inverse_inertia)[9]; // world axes
    double (*rest)[6];            // zeros
    CnBodyState* states;
} Masses;

static bool read_masses(CnWorld* world, Masses* masses) {
    int count = world->order.count;
    masses->inverse_mass = CN_ARENA_NEW(&world->arena, double, count);
    masses->inverse_inertia = cn_arena_allocate(&world->arena, (size_t)count, sizeof(double[9]));
    masses->rest = cn_arena_allocate(&world->arena, (size_t)count, sizeof(double[6]));
    masses->states = CN_ARENA_NEW(&world->arena, CnBodyState, count);
    if (masses->inverse_mass == NULL || masses->inverse_inertia == NULL || masses->rest == NULL ||
        masses->states == NULL) {
        return false;
    }
    for (int i = 0; i < count; ++i) {
        const CnBody* body = cn_world_body_by_index(world, i);
        CnMat3 rotation = cn_mat3_from_quat(body->state.rotation);
        CnMat3 inverse = cn_mat3_rotate_tensor(&rotation, &body->mass->inverse_inertia);
        masses->states[i] = body->state;
        masses->inverse_mass[i] = body->mass->inverse_mass;
        memcpy(masses->inverse_inertia[i], inverse.m, sizeof inverse.m);
    }
    return true;
}

// One-sided constraints and drives may not act, so they imply nothing.
static bool is_two_sided(const CnConstraintReading* reading, const CnUserConstraint* constraint,
                         double time) {
    CnRowLimits limits[CN_MAX_ROWS];
    cn_reading_limits(reading, constraint, time, limits);
    for (int i = 0; i < constraint->kind->dimension; ++i) {
        if (limits[i].role != CN_ROW_KEEPS) {
            return false;
        }
    }
    return true;
}

static bool pose_rows(const CnWorld* world, const CnBodyState* states, CnRows* rows) {
    bool ok = true;
    CnReader reader;
    cn_reader_begin(&reader, world, states, world->time);
    for (int i = 0; ok && i < cn_pool_slot_count(&world->constraints); ++i) {
        CnBoundConstraint bound;
        CnConstraintReading reading;
        CnBlock* block;
        if (!cn_reader_bind(&reader, i, &bound)) {
            continue;
        }
        cn_read_constraint(&reader, &bound, CN_READ_JACOBIANS | CN_READ_FORCES, &reading);
        if (is_two_sided(&reading, bound.constraint, world->time)) {
            ok = cn_world_pose_rows(world, i, bound.constraint, &reading, CN_ALL_ROWS, rows,
                                    &block) == CN_OK;
        }
    }
    return ok;
}

// Marks the blocks with an implied row. False: no memory.
static bool mark_blocks(const CnProblem* problem, CnArena* arena, bool* marked) {
    CnProblem split;
    CnBoxLcp box;
    CnLdlt ldlt;
    if (problem->row_count == 0) {
        return true;
    }
    if (cn_split_bodies(problem, arena, &split) != CN_OK ||
        cn_box_lcp_build(&split, true, arena, &box) != CN_OK ||
        cn_ldlt_analyze(&ldlt, &box.w, arena) != CN_OK) {
        return false;
    }
    if (!cn_ldlt_factor(&ldlt, &box.w, PIVOT_LIMIT)) {
        return true; // numbers beyond the range of a double: nothing can be told
    }
    double* scratch = CN_ARENA_NEW(arena, double, box.n);
    for (int i = 0; scratch != NULL && i < box.n; ++i) {
        int block =
            ldlt.redundant[i]
                ? cn_split_bodies_redundant_block(&box, &ldlt, i, problem->block_count, scratch)
                : -1;
        if (block >= 0) {
            marked[block] = true;
        }
    }
    return scratch != NULL;
}

static int list_marked(const CnWorld* world, const CnRows* rows, const bool* marked,
                       CnConstraintId* ids, int capacity) {
    int count = 0;
    for (int i = 0; i < rows->blocks.count; ++i) {
        if (!marked[i]) {
            continue;
        }
        if (count < capacity) {
            CnPoolId id = cn_pool_id_at(&world->constraints, rows->sources.data[i].constraint);
            ids[count] = (CnConstraintId){id.index, id.generation};
        }
        count += 1;
    }
    return count;
}

int cn_world_redundant_constraints(CnWorld* world, CnConstraintId* ids, int capacity) {
    CnArenaMark mark = cn_arena_mark(&world->arena);
    CnRows rows = {0};
    Masses masses;
    int count = -1;
    if (read_masses(world, &masses) && pose_rows(world, masses.states, &rows)) {
        CnProblem problem = cn_rows_view(&rows);
        bool* marked = CN_ARENA_NEW(&world->arena, bool, rows.blocks.count);
        problem.body_count = world->order.count;
        problem.inverse_mass = masses.inverse_mass;
        problem.inverse_inertia = (const double(*)[9])masses.inverse_inertia;
        problem.free_velocity = (const double(*)[6])masses.rest;
        if (marked != NULL && mark_blocks(&problem, &world->arena, marked)) {
            count = list_marked(world, &rows, marked, ids, capacity);
        }
    }
    cn_rows_free(&rows, &world->allocator);
    cn_arena_release(&world->arena, mark);
    return count;
}
