// pgs.c - projected Gauss-Seidel, one row at a time: the short and readable reference.
//
// Each row in turn gets the impulse that would satisfy it if the others stayed as they are, clamped
// to what its law allows; the change is applied at once to the velocities of its bodies, or,
// where the problem gives W instead of bodies, seen at once by all rows that it couples. The two
// tangents of a contact are updated together and projected onto the friction disc, with one step
// size for both: only then is the fixed point the exact Coulomb law. docs/theory/solvers/pgs.md.
#include "constraints/problem/block.h"
#include "constraints/problem/friction_cone.h"
#include "solvers/solve/budget.h"
#include "solvers/solve/solver.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

#define DEFAULT_SWEEPS 1000

// Grading costs about as much as a sweep; every tenth sweep it adds a tenth.
#define SWEEPS_PER_CHECK 10

typedef struct Row {
    double push_a[6], push_b[6]; // M^-1 J^T: velocity that a unit of impulse gives each body
    double k;                    // W_ii, the inverse effective mass with compliance [1/kg]
} Row;

typedef struct BlockData {
    double w[CN_MAX_ROWS * CN_MAX_ROWS]; // W_aa
    double lambda_max;                   // of W_aa
    double tangent_lambda;               // of W_TT, contacts only
} BlockData;

// Of a row whose block has a second pair of bodies, C and D: as in Row.
typedef struct SecondRow {
    double push[2][6];
} SecondRow;

typedef struct PgsState {
    Row* rows;         // [row_count]
    SecondRow* second; // NULL: no block has a second pair   [row_count]
    BlockData* blocks; // [block_count]
} PgsState;

// The state of a sweep.
typedef struct Sweep {
    const PgsState* state;
    const CnProblem* problem;
    double over_relaxation;
    double largest_change; // of an impulse, since it was last set to 0 [N s]
    double* impulse;
    double (*velocity)[6];
} Sweep;

static void prepare_second(const CnProblem* problem, const CnBlock* block, SecondRow* rows) {
    for (int row = block->first_row; row < block->first_row + block->row_count; ++row) {
        for (int k = 0; k < 2; ++k) {
            cn_block_inverse_mass_times(problem, cn_block_body(block, 2 + k),
                                        cn_block_jacobian(problem, row, 2 + k), rows[row].push[k]);
        }
    }
}

static void prepare_block(const CnProblem* problem, const CnBlock* block, Row* rows,
                          BlockData* data) {
    int n = block->row_count;
    cn_block_delassus(problem, block, data->w);
    data->lambda_max = cn_block_largest_eigenvalue(data->w, n);
    for (int i = 0; i < n; ++i) {
        int row = block->first_row + i;
        rows[row].k = data->w[i * n + i];
        if (problem->response != NULL) {
            continue; // there are no bodies to push
        }
        cn_block_inverse_mass_times(problem, block->body_a, problem->jacobian_a[row],
                                    rows[row].push_a);
        cn_block_inverse_mass_times(problem, block->body_b, problem->jacobian_b[row],
                                    rows[row].push_b);
    }
    if (block->law == CN_LAW_COULOMB) {
        double tangents[CN_MAX_ROWS * CN_MAX_ROWS]; // W_TT
        for (int i = 0; i < (n - 1) * (n - 1); ++i) {
            tangents[i] = data->w[(i / (n - 1) + 1) * n + i % (n - 1) + 1];
        }
        data->tangent_lambda = cn_block_largest_eigenvalue(tangents, n - 1);
    }
}

static CnStatus prepare(void* memory, const CnSolverDef* def, const CnProblem* problem,
                        CnArena* arena, CnError* error) {
    (void)def;
    (void)error;
    PgsState* state = memory;
    state->rows = CN_ARENA_NEW(arena, Row, problem->row_count);
    state->blocks = CN_ARENA_NEW(arena, BlockData, problem->block_count);
    bool has_second = problem->jacobian_c != NULL;
    state->second = has_second ? CN_ARENA_NEW(arena, SecondRow, problem->row_count) : NULL;
    if (state->rows == NULL || state->blocks == NULL || (has_second && state->second == NULL)) {
        return CN_NO_MEMORY;
    }
    for (int i = 0; i < problem->block_count; ++i) {
        const CnBlock* block = &problem->blocks[i];
        prepare_block(problem, block, state->rows, &state->blocks[i]);
        if (cn_block_has_second(block)) {
            prepare_second(problem, block, state->second);
        }
    }
    return CN_OK;
}

static double dot6(const double* a, const double* b) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3] + a[4] * b[4] + a[5] * b[5];
}

// u = J v - target + compliance p of one row; with a given W, W p in place of J v: pgs.md (4).
static double row_velocity(const Sweep* sweep, const CnBlock* block, int row) {
    const CnProblem* problem = sweep->problem;
    double u = problem->compliance[row] * sweep->impulse[row] - problem->target[row];
    if (problem->response != NULL) {
        return u + cn_response_row(problem->response, row, sweep->impulse);
    }
    if (block->body_a >= 0) {
        u += dot6(problem->jacobian_a[row], sweep->velocity[block->body_a]);
    }
    if (block->body_b >= 0) {
        u += dot6(problem->jacobian_b[row], sweep->velocity[block->body_b]);
    }
    if (cn_block_has_second(block)) {
        u += cn_block_second_velocity(problem, block, row, (const double(*)[6])sweep->velocity);
    }
    return u;
}

// Gives a row a new impulse and its bodies the velocity that goes with the change.
static void set_impulse(Sweep* sweep, const CnBlock* block, int row, double impulse) {
    const Row* data = &sweep->state->rows[row];
    double change = impulse - sweep->impulse[row];
    sweep->impulse[row] = impulse;
    sweep->largest_change = fmax(sweep->largest_change, fabs(change));
    for (int k = 0; k < 6 && block->body_a >= 0; ++k) {
        sweep->velocity[block->body_a][k] += data->push_a[k] * change;
    }
    for (int k = 0; k < 6 && block->body_b >= 0; ++k) {
        sweep->velocity[block->body_b][k] += data->push_b[k] * change;
    }
    for (int side = 2; side < cn_block_sides(block); ++side) {
        int body = cn_block_body(block, side);
        for (int k = 0; k < 6 && body >= 0; ++k) {
            sweep->velocity[body][k] += sweep->state->second[row].push[side - 2][k] * change;
        }
    }
}

// The impulse that would bring this row's u to zero, over-relaxed. A row with k = 0
// keeps its impulse.
static double wanted_impulse(const Sweep* sweep, const CnBlock* block, int row) {
    double k = sweep->state->rows[row].k;
    double u = row_velocity(sweep, block, row);
    return k > 0.0 ? sweep->impulse[row] - sweep->over_relaxation * u / k : sweep->impulse[row];
}

static double clamp(double x, double lower, double upper) {
    return x < lower ? lower : (x > upper ? upper : x);
}

static void visit_equality(Sweep* sweep, const CnBlock* block, const BlockData* data) {
    (void)data;
    for (int row = block->first_row; row < block->first_row + block->row_count; ++row) {
        set_impulse(sweep, block, row, wanted_impulse(sweep, block, row));
    }
}

static void visit_bounds(Sweep* sweep, const CnBlock* block, const BlockData* data) {
    (void)data;
    const CnProblem* problem = sweep->problem;
    for (int row = block->first_row; row < block->first_row + block->row_count; ++row) {
        double wanted = wanted_impulse(sweep, block, row);
        double upper = cn_limited_upper(problem, problem->upper[row]);
        set_impulse(sweep, block, row, clamp(wanted, problem->lower[row], upper));
    }
}

// p' = offset - slope (u + k (p' - p)), solved for p'.
static void visit_force(Sweep* sweep, const CnBlock* block, const BlockData* data) {
    (void)data;
    const CnProblem* problem = sweep->problem;
    for (int row = block->first_row; row < block->first_row + block->row_count; ++row) {
        double k = sweep->state->rows[row].k;
        double slope = problem->slope[row];
        double p = sweep->impulse[row];
        double u = row_velocity(sweep, block, row);
        double answer = (problem->offset[row] - slope * (u - k * p)) / (1.0 + slope * k);
        set_impulse(sweep, block, row, p + sweep->over_relaxation * (answer - p));
    }
}

// Updates the rows of one group with one step size and projects onto the disc of radius mu p_N.
static void visit_group(Sweep* sweep, const CnBlock* block, const BlockData* data,
                        CnFrictionGroup group) {
    int first = block->first_row + group.first;
    double radius = block->friction * sweep->impulse[block->first_row];
    double step = data->tangent_lambda > 0.0 ? sweep->over_relaxation / data->tangent_lambda : 0.0;
    double wanted[CN_MAX_ROWS], square = 0.0;
    for (int i = 0; i < group.count; ++i) {
        int row = first + i;
        wanted[i] = sweep->impulse[row] - step * row_velocity(sweep, block, row);
        square += wanted[i] * wanted[i];
    }
    double scale = square > radius * radius ? radius / sqrt(square) : 1.0;
    for (int i = 0; i < group.count; ++i) {
        set_impulse(sweep, block, first + i, scale * wanted[i]);
    }
}

static void push_normal(Sweep* sweep, const CnBlock* block) {
    double wanted = wanted_impulse(sweep, block, block->first_row);
    double most = cn_limited_upper(sweep->problem, HUGE_VAL);
    set_impulse(sweep, block, block->first_row, clamp(wanted, 0.0, most));
}

// The normal, then friction: sliding, torsion and rolling on their own.
static void visit_coulomb(Sweep* sweep, const CnBlock* block, const BlockData* data) {
    CnFrictionGroup groups[CN_MAX_FRICTION_GROUPS];
    int count = cn_friction_groups(block->row_count, groups);
    push_normal(sweep, block);
    for (int g = 0; g < count; ++g) {
        visit_group(sweep, block, data, groups[g]);
    }
}

// The box approximation of other engines: each tangent alone in [-mu p_N, mu p_N].
static void visit_box(Sweep* sweep, const CnBlock* block, const BlockData* data) {
    (void)data;
    int normal = block->first_row;
    push_normal(sweep, block);
    double limit = block->friction * sweep->impulse[normal];
    for (int row = normal + 1; row < normal + block->row_count; ++row) {
        set_impulse(sweep, block, row, clamp(wanted_impulse(sweep, block, row), -limit, limit));
    }
}

typedef void Visit(Sweep* sweep, const CnBlock* block, const BlockData* data);

static void run_sweep(Sweep* sweep) {
    Visit* const visits[CN_LAW_COUNT] = {
        [CN_LAW_EQUALITY] = visit_equality,
        [CN_LAW_BOUNDS] = visit_bounds,
        [CN_LAW_COULOMB] =
            sweep->problem->friction_model == CN_FRICTION_BOX ? visit_box : visit_coulomb,
        [CN_LAW_FORCE] = visit_force,
    };
    for (int i = 0; i < sweep->problem->block_count; ++i) {
        const CnBlock* block = &sweep->problem->blocks[i];
        visits[block->law](sweep, block, &sweep->state->blocks[i]);
    }
}

// The worst residual of a block under the friction law in use, for the current velocities; for the
// exact law it is that of the certificate.
static double worst_residual(const Sweep* sweep) {
    double worst = 0.0;
    for (int i = 0; i < sweep->problem->block_count; ++i) {
        const CnBlock* block = &sweep->problem->blocks[i];
        const BlockData* data = &sweep->state->blocks[i];
        double u[CN_MAX_ROWS];
        cn_block_velocity(sweep->problem, block, (const double(*)[6])sweep->velocity,
                          sweep->impulse, u);
        worst = fmax(worst, cn_block_residual(sweep->problem, block, data->w, data->lambda_max, u,
                                              sweep->impulse + block->first_row));
    }
    return worst;
}

static CnStatus solve(void* memory, const CnSolverDef* def, const CnProblem* problem,
                      CnArena* arena, CnSolution* solution, CnSolverReport* report) {
    (void)arena;
    Sweep sweep = {
        .state = memory,
        .problem = problem,
        .over_relaxation = def->over_relaxation,
        .impulse = solution->impulse,
        .velocity = solution->velocity,
    };
    int limit = def->max_iterations > 0 ? def->max_iterations : DEFAULT_SWEEPS;
    CnBudget budget = cn_budget_of(def, report);
    double work_of_sweep = cn_cost_of_sweep(problem);
    double work_of_check = cn_cost_of_velocities(problem) + work_of_sweep;
    report->outcome = CN_OUT_OF_ITERATIONS;
    cn_budget_spend(&budget,
                    cn_cost_of_certificate(problem)); // preparing rows and blocks costs as much
    cn_problem_velocity(problem, sweep.impulse, sweep.velocity);
    while (report->iterations < limit && !cn_budget_is_over(&budget)) {
        cn_budget_spend(&budget, work_of_sweep);
        sweep.largest_change = 0.0;
        run_sweep(&sweep);
        ++report->iterations;
        bool stands = sweep.largest_change <= def->change_tolerance && def->change_tolerance > 0.0;
        if (stands) {
            snprintf(report->remark, sizeof report->remark,
                     "stopped by change: no impulse changed by more than %.2g N s",
                     sweep.largest_change);
            report->outcome = CN_CONVERGED; // the grade has the last word
            break;
        }
        if (report->iterations % SWEEPS_PER_CHECK == 0 || report->iterations == limit) {
            cn_budget_spend(&budget, work_of_check);
            cn_problem_velocity(problem, sweep.impulse,
                                sweep.velocity); // drops accumulated round-off
            if (worst_residual(&sweep) <= def->tolerance) {
                report->outcome = CN_CONVERGED;
                break;
            }
        }
    }
    return CN_OK;
}

const CnSolver cn_solver_pgs = {
    .info =
        {
            .name = "pgs",
            .summary = "scalar projected Gauss-Seidel: short, robust, slow to many digits",
            .laws = CN_ALL_LAWS,
            .frictions = 1u << CN_FRICTION_BOX,
            .wide_contacts = true,
            .stops_by_change = true,
            .limits_impulses = true,
            .slow_at_mass_ratios = true,
            .exact = false,
        },
    .state_size = sizeof(PgsState),
    .prepare = prepare,
    .solve = solve,
};
