// pgs_lanes.c - projected Gauss-Seidel in single precision, eight blocks at a time.
//
// The sweeps are those of pgs.c, in another order: blocks of one kind are put into tiles of eight
// that share no movable body. Tiles work on changes since a base of double precision; after every
// few sweeps the changes join the base, and what rows still ask for is found anew. So the answer is
// as exact as sweeps make it, not as floats are. docs/theory/solvers/pgs_lanes.md.
#include "constraints/problem/block.h"
#include "constraints/problem/friction_cone.h"
#include "solvers/soft/lane_packing.h"
#include "solvers/soft/row_tile.h"
#include "solvers/solve/budget.h"
#include "solvers/solve/solver.h"

#include <math.h>
#include <stdio.h>

#define DEFAULT_SWEEPS 1000

// A new base costs about as much as a sweep in double precision.
#define SWEEPS_PER_BASE 10

// What projections in floats may miss, as a share of the radius of a disc: some units of 6e-8.
#define ROUNDING 1e-6

// Blocks of one law with as many rows and sides: all that may share a tile.
#define KINDS (CN_LAW_COUNT * (CN_MAX_ROWS + 1) * 2)

typedef struct BlockSize {
    double w[CN_MAX_ROWS * CN_MAX_ROWS]; // W_aa
    double lambda_max;                   // of W_aa
    double step[CN_MAX_ROWS];            // of each row: (3)-(5)
} BlockSize;

typedef struct PgsLanesState {
    const CnRowKernels* kernels;
    CnRowTile* tiles;
    int tile_count;
    int* lane;           // of each block: 8 * tile + lane   [block_count]
    BlockSize* sizes;    // [block_count]
    CnSoftBody* bodies;  // changes of velocity; the first is what does not move   [bodies + 1]
    double row_residual; // (7) at the last base: the largest, by row [m/s]
    double rms_residual; // over rows
    int worst_row;       // -1: none
} PgsLanesState;

// ---- tiles ----

static int kind_of(const CnBlock* block) {
    int kind = (int)block->law * (CN_MAX_ROWS + 1) + block->row_count;
    return 2 * kind + (cn_block_has_second(block) ? 1 : 0);
}

// CN_NONE for what impulses do not move.
static int mover(const CnProblem* problem, int body) {
    return cn_body_moves(problem, body) ? body : -1;
}

// Kind by kind, in the order of blocks. A block with a second pair has a tile of its own.
static bool pack(const CnProblem* problem, CnArena* arena, PgsLanesState* state) {
    CnLanePacking packing;
    if (!cn_lane_packing_init(&packing, problem->body_count, arena)) {
        return false;
    }
    for (int kind = 0; kind < KINDS; ++kind) {
        for (int i = 0; i < problem->block_count; ++i) {
            const CnBlock* block = &problem->blocks[i];
            if (kind_of(block) != kind) {
                continue;
            }
            if (cn_block_has_second(block)) {
                cn_lane_packing_close(&packing);
            }
            state->lane[i] = cn_lane_packing_add(&packing, mover(problem, block->body_a),
                                                 mover(problem, block->body_b), false);
        }
        cn_lane_packing_close(&packing);
    }
    state->tile_count = packing.tile_count;
    return true;
}

static bool begin_tile(const CnBlock* block, CnArena* arena, CnRowTile* tile) {
    tile->law = block->law;
    tile->row_count = block->row_count;
    tile->side_count = cn_block_sides(block);
    tile->rows = CN_ARENA_NEW(arena, CnRowLanes, tile->row_count);
    tile->sides = CN_ARENA_NEW(arena, CnRowSide, tile->row_count * tile->side_count);
    return tile->rows != NULL && tile->sides != NULL;
}

static void put_side(const CnProblem* problem, int row, int side, int body, int lane,
                     CnRowSide* part) {
    double response[6];
    const double* jacobian = cn_block_jacobian(problem, row, side);
    cn_block_inverse_mass_times(problem, body, jacobian, response);
    for (int k = 0; k < 6; ++k) {
        part->jacobian[k][lane] = (float)jacobian[k];
        part->response[k][lane] = (float)response[k];
    }
}

// What stays from base to base.
static void put_block(const CnProblem* problem, const CnBlock* block, const BlockSize* size,
                      int lane, CnRowTile* tile) {
    tile->friction[lane] = (float)block->friction;
    for (int side = 0; side < tile->side_count; ++side) {
        int body = mover(problem, cn_block_body(block, side));
        tile->offset[side][lane] = (int32_t)((body + 1) * (int)sizeof(CnSoftBody));
        for (int i = 0; body >= 0 && i < tile->row_count; ++i) {
            put_side(problem, block->first_row + i, side, body, lane,
                     &tile->sides[i * tile->side_count + side]);
        }
    }
    for (int i = 0; i < tile->row_count; ++i) {
        bool is_force = block->law == CN_LAW_FORCE;
        int row = block->first_row + i;
        tile->rows[i].step[lane] = (float)size->step[i];
        tile->rows[i].compliance[lane] = (float)problem->compliance[row];
        tile->rows[i].gain[lane] = is_force ? (float)problem->slope[row] : 1.0f;
        tile->rows[i].keep[lane] = is_force ? 1.0f : 0.0f;
    }
}

// (3) for rows alone, (4) for force rows, (5) for friction rows: one step for all of a contact.
static void find_steps(const CnProblem* problem, const CnBlock* block, double over_relaxation,
                       BlockSize* size) {
    int n = block->row_count;
    cn_block_delassus(problem, block, size->w);
    size->lambda_max = cn_block_largest_eigenvalue(size->w, n);
    for (int i = 0; i < n; ++i) {
        double k = size->w[i * n + i];
        double slope = block->law == CN_LAW_FORCE ? problem->slope[block->first_row + i] : 0.0;
        double own = block->law == CN_LAW_FORCE ? 1.0 + slope * k : k;
        size->step[i] = own > 0.0 ? over_relaxation / own : 0.0;
    }
    if (block->law == CN_LAW_COULOMB) {
        double tangents[CN_MAX_ROWS * CN_MAX_ROWS]; // W_TT
        for (int i = 0; i < (n - 1) * (n - 1); ++i) {
            tangents[i] = size->w[(i / (n - 1) + 1) * n + i % (n - 1) + 1];
        }
        double lambda = cn_block_largest_eigenvalue(tangents, n - 1);
        for (int i = 1; i < n; ++i) {
            size->step[i] = lambda > 0.0 ? over_relaxation / lambda : 0.0;
        }
    }
}

static CnStatus prepare(void* memory, const CnSolverDef* def, const CnProblem* problem,
                        CnArena* arena, CnError* error) {
    (void)error;
    PgsLanesState* state = memory;
    state->kernels = CN_WIDEST(cn_row_kernels);
    state->lane = CN_ARENA_NEW(arena, int, problem->block_count);
    state->sizes = CN_ARENA_NEW(arena, BlockSize, problem->block_count);
    state->bodies = CN_ARENA_NEW(arena, CnSoftBody, problem->body_count + 1);
    if (state->lane == NULL || state->sizes == NULL || state->bodies == NULL ||
        !pack(problem, arena, state)) {
        return CN_NO_MEMORY;
    }
    state->tiles = CN_ARENA_NEW(arena, CnRowTile, state->tile_count);
    for (int i = 0; state->tiles != NULL && i < problem->block_count; ++i) {
        const CnBlock* block = &problem->blocks[i];
        CnRowTile* tile = &state->tiles[state->lane[i] / CN_SOFT_LANES];
        if (tile->rows == NULL && !begin_tile(block, arena, tile)) {
            return CN_NO_MEMORY;
        }
        find_steps(problem, block, def->over_relaxation, &state->sizes[i]);
        put_block(problem, block, &state->sizes[i], state->lane[i] % CN_SOFT_LANES, tile);
    }
    return state->tiles == NULL ? CN_NO_MEMORY : CN_OK;
}

// ---- bases ----

static double clamp(double x, double lower, double upper) {
    return x < lower ? lower : (x > upper ? upper : x);
}

// What the law allows for row i of a block, friction left to its disc. (6)
static void row_limits(const CnProblem* problem, const CnBlock* block, int i, double* lower,
                       double* upper) {
    int row = block->first_row + i;
    bool is_normal = block->law == CN_LAW_COULOMB && i == 0;
    *lower = block->law == CN_LAW_BOUNDS ? problem->lower[row] : is_normal ? 0.0 : -HUGE_VAL;
    *upper = block->law == CN_LAW_BOUNDS ? cn_limited_upper(problem, problem->upper[row])
             : is_normal                 ? cn_limited_upper(problem, HUGE_VAL)
                                         : HUGE_VAL;
}

// The residual of one row, as the sweep sees it. (7)
static double row_residual(const CnProblem* problem, const CnBlock* block, const BlockSize* size,
                           int i, const double* u, const double* p) {
    double k = size->w[i * block->row_count + i], lower, upper;
    if (block->law == CN_LAW_FORCE) {
        int row = block->first_row + i;
        return k * fabs(problem->offset[row] - problem->slope[row] * u[i] - p[i]);
    }
    row_limits(problem, block, i, &lower, &upper);
    if (block->law == CN_LAW_COULOMB && i > 0) {
        upper = block->friction * p[0];
        lower = -upper;
    }
    return k > 0.0 ? k * fabs(p[i] - clamp(p[i] - u[i] / k, lower, upper)) : 0.0;
}

static void pose_row(const CnProblem* problem, const CnBlock* block, int i, double u, double p,
                     int lane, CnRowLanes* to) {
    int row = block->first_row + i;
    bool is_force = block->law == CN_LAW_FORCE;
    double lower, upper;
    row_limits(problem, block, i, &lower, &upper);
    to->wanted[lane] = (float)(is_force ? problem->offset[row] - problem->slope[row] * u - p : -u);
    to->least[lane] = (float)(lower - p);
    to->most[lane] = (float)(upper - p);
    to->impulse[lane] = (float)p;
    to->change[lane] = 0.0f;
}

// Velocities, what rows ask for and residuals from impulses. Returns the largest residual of a
// block, that of the certificate.
static double pose(const CnProblem* problem, PgsLanesState* state, const CnSolution* solution) {
    double worst = 0.0, sum = 0.0;
    cn_problem_velocity(problem, solution->impulse, solution->velocity);
    memset(state->bodies, 0, (size_t)(problem->body_count + 1) * sizeof *state->bodies);
    state->row_residual = 0.0;
    state->worst_row = -1;
    for (int b = 0; b < problem->block_count; ++b) {
        const CnBlock* block = &problem->blocks[b];
        const BlockSize* size = &state->sizes[b];
        CnRowTile* tile = &state->tiles[state->lane[b] / CN_SOFT_LANES];
        const double* p = solution->impulse + block->first_row;
        double u[CN_MAX_ROWS];
        cn_block_velocity(problem, block, (const double(*)[6])solution->velocity, solution->impulse,
                          u);
        for (int i = 0; i < block->row_count; ++i) {
            double residual = row_residual(problem, block, size, i, u, p);
            pose_row(problem, block, i, u[i], p[i], state->lane[b] % CN_SOFT_LANES, &tile->rows[i]);
            sum += residual * residual;
            if (residual > state->row_residual) {
                state->row_residual = residual;
                state->worst_row = block->first_row + i;
            }
        }
        worst = fmax(worst, cn_block_residual(problem, block, size->w, size->lambda_max, u, p));
    }
    state->rms_residual = sqrt(sum / fmax(problem->row_count, 1.0));
    return worst;
}

// Friction of one group on its disc. What slides was projected in floats: where that missed by no
// more than rounding it is projected once more, in double precision. (6)
static void finish_group(const CnBlock* block, const BlockSize* size, CnFrictionGroup group,
                         const double* u, double* p) {
    double radius = block->friction * p[0], wanted[CN_MAX_ROWS] = {0.0}, off[CN_MAX_ROWS] = {0.0};
    for (int i = group.first; i < group.first + group.count; ++i) {
        wanted[i] = p[i] - size->step[i] * u[i];
    }
    double length = cn_friction_group_length(group, wanted);
    for (int i = group.first; length > radius && i < group.first + group.count; ++i) {
        wanted[i] *= radius / length;
        off[i] = wanted[i] - p[i];
    }
    bool slides = length > radius && cn_friction_group_length(group, off) <= ROUNDING * radius;
    double own = cn_friction_group_length(group, p);
    for (int i = group.first; i < group.first + group.count; ++i) {
        p[i] = slides ? wanted[i] : own > radius ? p[i] * (radius / own) : p[i];
    }
}

// Changes join the impulses, which are brought to what laws allow in double precision.
static void gather(const CnProblem* problem, const PgsLanesState* state, CnSolution* solution) {
    for (int i = 0; i < problem->body_count; ++i) {
        for (int k = 0; k < 3; ++k) {
            solution->velocity[i][k] += (double)state->bodies[i + 1].velocity[k];
            solution->velocity[i][3 + k] += (double)state->bodies[i + 1].spin[k];
        }
    }
    for (int b = 0; b < problem->block_count; ++b) {
        const CnBlock* block = &problem->blocks[b];
        const CnRowTile* tile = &state->tiles[state->lane[b] / CN_SOFT_LANES];
        double *p = solution->impulse + block->first_row, u[CN_MAX_ROWS];
        for (int i = 0; i < block->row_count; ++i) {
            double lower, upper;
            row_limits(problem, block, i, &lower, &upper);
            double sum = p[i] + (double)tile->rows[i].change[state->lane[b] % CN_SOFT_LANES];
            p[i] = clamp(sum, lower, upper);
        }
        if (block->law == CN_LAW_COULOMB) {
            CnFrictionGroup groups[CN_MAX_FRICTION_GROUPS];
            int count = cn_friction_groups(block->row_count, groups);
            cn_block_velocity(problem, block, (const double(*)[6])solution->velocity,
                              solution->impulse, u);
            for (int g = 0; g < count; ++g) {
                finish_group(block, &state->sizes[b], groups[g], u, p);
            }
        }
    }
}

// The remark of a report: where sweeps still have most to do. (7)
static void describe(const CnProblem* problem, const PgsLanesState* state, CnSolverReport* report) {
    char name[60];
    int b = 0;
    if (state->worst_row < 0) {
        return;
    }
    while (problem->blocks[b].first_row + problem->blocks[b].row_count <= state->worst_row) {
        ++b;
    }
    cn_block_describe(problem, b, name, sizeof name);
    snprintf(report->remark, sizeof report->remark, "rows: worst %.2g m/s (row %d of %s), rms %.2g",
             state->row_residual, state->worst_row - problem->blocks[b].first_row, name,
             state->rms_residual);
}

static CnStatus solve(void* memory, const CnSolverDef* def, const CnProblem* problem,
                      CnArena* arena, CnSolution* solution, CnSolverReport* report) {
    (void)arena;
    PgsLanesState* state = memory;
    int limit = def->max_iterations > 0 ? def->max_iterations : DEFAULT_SWEEPS;
    CnBudget budget = cn_budget_of(def, report);
    double work_of_sweep = cn_cost_of_sweep(problem);
    double work_of_base = cn_cost_of_velocities(problem) + work_of_sweep;
    cn_budget_spend(&budget, cn_cost_of_certificate(problem) + work_of_base);
    double error = pose(problem, state, solution);
    bool stands = false;
    while (error > def->tolerance && !stands && report->iterations < limit &&
           !cn_budget_is_over(&budget)) {
        for (int i = 0; i < SWEEPS_PER_BASE && report->iterations < limit && !stands &&
                        !cn_budget_is_over(&budget);
             ++i) {
            cn_budget_spend(&budget, work_of_sweep);
            float change = state->kernels->sweep(state->tiles, state->tile_count, state->bodies);
            stands = def->change_tolerance > 0.0 && (double)change <= def->change_tolerance;
            ++report->iterations;
        }
        cn_budget_spend(&budget, work_of_base);
        gather(problem, state, solution);
        error = pose(problem, state, solution);
    }
    describe(problem, state, report);
    report->outcome =
        error <= def->tolerance || stands ? CN_CONVERGED : CN_OUT_OF_ITERATIONS; // then graded
    return CN_OK;
}

const CnSolver cn_solver_pgs_lanes = {
    .info =
        {
            .name = "pgs_lanes",
            .summary = "projected Gauss-Seidel on tiles of eight blocks, in single precision",
            .laws = CN_ALL_LAWS,
            .needs_bodies = true,
            .wide_contacts = true,
            .stops_by_change = true,
            .limits_impulses = true,
            .slow_at_mass_ratios = true,
            .exact = false,
        },
    .state_size = sizeof(PgsLanesState),
    .prepare = prepare,
    .solve = solve,
};
