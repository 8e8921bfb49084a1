// nets.c - factors of nets of joints, kept in the world.
#include "world/islands/nets.h"

#include "constraints/problem/block.h"
#include "solvers/tree/machine.h"
#include "world/step/rows.h"
#include "world/trees/compact_rows.h"

#include <string.h>

bool cn_nets_reserve(CnWorld* world) {
    if (!cn_array_reserve(&world->net_factors, &world->allocator, world->bodies.count)) {
        return false;
    }
    while (world->net_factors.count < world->bodies.count) {
        world->net_factors.data[world->net_factors.count++] = NULL;
    }
    return true;
}

bool cn_nets_have_guess(const CnProblem* problem, const CnSolverDef* def, const double* impulse) {
    bool has_guess = false;
    for (int i = 0; def->warm_start && !has_guess && i < problem->row_count; ++i) {
        has_guess = impulse[i] != 0.0;
    }
    return has_guess;
}

CnStatus cn_nets_solve(CnWorld* world, const CnProblem* problem, const int* body,
                       const CnSolverDef* def, const CnPast* past, bool damps, CnArena* scratch,
                       CnSolution* solution, CnSolverReport* report, bool* found) {
    int first = -1;
    *found = false;
    if (!cn_net_suits(problem, def)) {
        return CN_OK;
    }
    for (int i = 0; i < problem->body_count; ++i) {
        if (problem->inverse_mass[i] > 0.0 && (first < 0 || body[i] < first)) {
            first = body[i];
        }
    }
    CnNetFactor** factor = &world->net_factors.data[first];
    if (*factor == NULL) {
        *factor = cn_net_factor_create(&world->allocator);
    }
    return *factor == NULL
               ? CN_NO_MEMORY
               : cn_net_solve(*factor, problem, def, past, damps, scratch, solution, report, found);
}

// ---- a look at the guess ----

bool cn_nets_suit(const CnWorld* world, int island, const CnSolverDef* def) {
    const CnIslandStore* store = &world->islands;
    int blocks = store->block_start.data[island + 1] - store->block_start.data[island];
    int bodies = store->body_start.data[island + 1] - store->body_start.data[island];
    return store->manifold_start.data[island + 1] == store->manifold_start.data[island] &&
           blocks - bodies >= CN_NET_LEAST_LOOPS && def->warm_start && cn_machine_suits_def(def);
}

// momentum += J^T p of one side of a block.
static void push_side(const CnStep* step, const CnBlock* block, bool is_b, double momentum[6]) {
    const double(*jacobian)[6] =
        (const double(*)[6])cn_rows_jacobian(&step->rows, block->first_row, is_b);
    const double* p = step->rows.impulse + block->first_row;
    for (int row = 0; momentum != NULL && row < block->row_count; ++row) {
        for (int k = 0; k < 6; ++k) {
            momentum[k] += jacobian[row][k] * p[row];
        }
    }
}

// Where the momentum of a body goes; NULL: it does not move.
static double* momentum_of(const CnStep* step, int body, double (*momentum)[6]) {
    return body >= 0 && step->is_dynamic[body] ? momentum[body] : NULL;
}

// What all impulses of an island give its bodies. False: they are none, or not those of a net.
static bool push(const CnStep* step, int count, const int* blocks, double (*momentum)[6]) {
    const CnRows* rows = &step->rows;
    bool has_guess = false;
    for (int i = 0; i < count; ++i) {
        const CnBlock* block = &rows->blocks.data[blocks[i]];
        if (block->law != CN_LAW_EQUALITY || cn_block_has_second(block)) {
            return false;
        }
        for (int row = block->first_row; row < block->first_row + block->row_count; ++row) {
            if (rows->compliance[row] != 0.0) {
                return false;
            }
            has_guess = has_guess || rows->impulse[row] != 0.0;
        }
        double* a = momentum_of(step, block->body_a, momentum);
        double* b = momentum_of(step, block->body_b, momentum);
        const CnCompactRows* compact = cn_rows_compact(rows, blocks[i]);
        if (compact != NULL) {
            cn_compact_push_both(compact, block->row_count, rows->impulse + block->first_row, a, b);
        } else {
            push_side(step, block, false, a);
            push_side(step, block, true, b);
        }
    }
    return has_guess;
}

// u of the rows of a joint, and q: for the free velocities.
static void find_rates(const CnStep* step, const CnBlock* block, const CnCompactRows* compact,
                       double* u, double* q) {
    const double *a[2] = {NULL, NULL}, *b[2] = {NULL, NULL};
    CnDouble2 rate[CN_MAX_ROWS] = {{0.0}};
    if (block->body_a >= 0) {
        a[0] = step->velocity[block->body_a];
        a[1] = step->free_velocity[block->body_a];
    }
    if (block->body_b >= 0) {
        b[0] = step->velocity[block->body_b];
        b[1] = step->free_velocity[block->body_b];
    }
    cn_compact_two_rates(compact, block->row_count, a, b, rate);
    for (int k = 0; k < block->row_count; ++k) {
        CnDouble2 missed = rate[k] - step->rows.target[block->first_row + k];
        u[k] = missed[0];
        q[k] = missed[1];
    }
}

static void grade(CnStep* step, const CnProblem* problem, int count, const int* blocks, double rho,
                  CnGradeSums* grades) {
    const CnRows* rows = &step->rows;
    const double(*velocity)[6] = (const double(*)[6])step->velocity;
    cn_grade_begin(grades);
    for (int i = 0; i < count; ++i) {
        int index = blocks[i];
        const CnBlock* block = &rows->blocks.data[index];
        const CnCompactRows* compact = cn_rows_compact(rows, index);
        if (compact == NULL) {
            cn_grade_listed(problem, 1, &index, step->tile_block_count, velocity, rows->impulse,
                            rho, step->block_residual.data, grades);
            continue;
        }
        double u[CN_MAX_ROWS], q[CN_MAX_ROWS];
        find_rates(step, block, compact, u, q);
        cn_grade_block(problem, index, step->tile_block_count + index, u, q, rows->impulse, rho,
                       step->block_residual.data, grades);
    }
}

double cn_nets_look(CnWorld* world, int island, const CnTileBodies* bodies, int count,
                    const int* list, double rho, CnGradeSums* grades) {
    CnStep* step = &world->step;
    const CnIslandStore* store = &world->islands;
    CnProblem problem = cn_step_explicit_problem(world);
    const int* blocks = store->block.data + store->block_start.data[island];
    int block_count = store->block_start.data[island + 1] - store->block_start.data[island];
    for (int i = 0; i < count; ++i) {
        memset(bodies->momentum[list[i]], 0, sizeof *bodies->momentum);
    }
    if (!push(step, block_count, blocks, bodies->momentum)) {
        return -1.0;
    }
    double gain = cn_bodies_respond(bodies, count, list);
    grade(step, &problem, block_count, blocks, rho, grades);
    return gain;
}
