// net_factor.c - nets: many joints that close loops, solved by a factor kept between steps.
#include "solvers/net/net_factor.h"

#include "base/memory.h"
#include "constraints/problem/block.h"
#include "linalg/blocks/block_cholesky.h"
#include "linalg/dense.h"
#include "math/worse.h"
#include "solvers/matrix/scaled_jacobian.h"
#include "solvers/net/net_least.h"
#include "solvers/rest/rest_rules.h"
#include "solvers/solve/budget.h"
#include "solvers/tree/machine.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// Weight of the unit matrix in the factor, mechanisms.md (33): what its solutions lose to
// cancellation, 2^-33, and what conjugate gradients gain with each of them, are in balance.
#define WEIGHT 0x1p-20

// Steps of conjugate gradients are 1 / WEIGHT long; those along rows that depend on others to
// round-off would be without end.
#define LONGEST_STEP (16.0 / WEIGHT)

// Adding and subtracting it rounds to multiples of 2^-15.
#define ROUNDING (1.5 * 0x1p37)

// Conjugate gradients: nets at rest take one or two, swinging ones up to ten. Iterations in a row
// that bring nothing better: of nets at rest, and of others, whose rows may be nearly dependent.
#define MOST_ITERATIONS 40
#define PATIENCE 5
#define MOVING_PATIENCE 2

// What an answer aims at: this share of the tolerance, but not less than so much of the velocities
// that rows add up.
#define GOAL_SHARE 1e-5
#define ROUND_OFF 0x1p-46

// Weight of the unit matrix in impulses of least norm, (63): round-off of the factor is a hundredth
// of it. In steps of positions it is so much of what joints are apart, in arms of joints, (65).
#define LEAST_WEIGHT 0x1p-40
#define DAMPING 0x1p-10

// Steps with it, and how many of them in a row may bring nothing better.
#define MOST_LEAST_STEPS 32
#define LEAST_PATIENCE 4

// Rows that depend on each other nearly leave less than this share of what they ask for; more is
// left by those that contradict each other.
#define CONTRADICTION 0x1p-10

// A pivot below this share of its diagonal: rows of a joint that depend on each other.
#define DEPENDENT 0x1p-33

#define ROOT_NUMBERS (CN_MAX_ROWS * (CN_MAX_ROWS + 1) / 2)

// Multiplications of a row: whitened, rounded and compared; and of G G^T x.
#define WORK_OF_WHITENING 100.0
#define WORK_OF_PRODUCT 30.0

// And of a block of the factor, in a solution.
#define WORK_OF_ENTRY 72.0

struct CnNetFactor {
    CnArena arena; // of all that follows
    bool is_planned, is_factored;
    int joint_count, row_count, node_count;
    CnNetJoint* joints;     // [joint_count]
    double (*jacobian)[12]; // rounded, that the factor is of   [row_count]
    CnBlockCholesky cholesky;
};

// One solution.
typedef struct NetSolve {
    CnNetFactor* factor;
    const CnProblem* problem;
    int joint_count, row_count, node_count;
    CnNetJoint* joints;                   // [joint_count]
    double (*jacobian)[12];               // whitened   [row_count]
    double (*root)[ROOT_NUMBERS];         // C with C C^T = W_aa, lower   [joint_count]
    double *rest, *next, *along, *answer; // r = -u, z, d, A d, whitened   [row_count]
    double *change, *best;                // of whitened impulses   [row_count]
    int patience;                         // iterations in a row that bring nothing better
    int least_steps;                      // of least norm, so far
    double* y;                            // [6 node_count]
} NetSolve;

CnNetFactor* cn_net_factor_create(const CnAllocator* allocator) {
    CnNetFactor* factor = cn_allocate(allocator, 1, sizeof *factor);
    if (factor != NULL) {
        *factor = (CnNetFactor){.is_planned = false};
        cn_arena_init(&factor->arena, allocator);
    }
    return factor;
}

void cn_net_factor_destroy(CnNetFactor* factor) {
    if (factor != NULL) {
        CnAllocator allocator = factor->arena.allocator;
        cn_arena_destroy(&factor->arena);
        cn_release(&allocator, factor);
    }
}

bool cn_net_suits(const CnProblem* problem, const CnSolverDef* def) {
    if (problem->block_count < CN_NET_LEAST_LOOPS || problem->response != NULL ||
        problem->masses != NULL || !cn_machine_suits_def(def)) {
        return false;
    }
    int movable = 0;
    for (int i = 0; i < problem->body_count; ++i) {
        movable += problem->inverse_mass[i] > 0.0;
    }
    bool suits = movable > 0 && problem->block_count - movable >= CN_NET_LEAST_LOOPS;
    for (int i = 0; suits && i < problem->block_count; ++i) {
        const CnBlock* block = &problem->blocks[i];
        suits = block->law == CN_LAW_EQUALITY && !cn_block_has_second(block);
        for (int k = 0; suits && k < block->row_count; ++k) {
            suits = problem->compliance[block->first_row + k] == 0.0;
        }
    }
    return suits;
}

// ---- rows ----

static bool allocate(NetSolve* it, CnArena* arena) {
    size_t joints = (size_t)it->problem->block_count, rows = (size_t)it->problem->row_count;
    double** const vectors[] = {&it->rest,   &it->next,   &it->along,
                                &it->answer, &it->change, &it->best};
    bool has_memory = true;
    it->joints = CN_ARENA_RAW(arena, CnNetJoint, joints);
    it->root = cn_arena_allocate_raw(arena, joints, sizeof *it->root);
    it->y = CN_ARENA_RAW(arena, double, 6 * (size_t)it->problem->body_count);
    for (size_t i = 0; i < sizeof vectors / sizeof vectors[0]; ++i) {
        *vectors[i] = CN_ARENA_NEW(arena, double, rows);
        has_memory = has_memory && *vectors[i] != NULL;
    }
    return has_memory && it->joints != NULL && it->root != NULL && it->y != NULL;
}

static CnStatus list_joints(NetSolve* it, CnArena* arena) {
    const CnProblem* problem = it->problem;
    int* node = CN_ARENA_RAW(arena, int, problem->body_count);
    if (node == NULL) {
        return CN_NO_MEMORY;
    }
    memset(node, -1, (size_t)problem->body_count * sizeof *node);
    it->joint_count = problem->block_count;
    it->row_count = problem->row_count;
    for (int i = 0; i < problem->block_count; ++i) {
        const CnBlock* block = &problem->blocks[i];
        CnNetJoint* joint = &it->joints[i];
        joint->row_count = block->row_count;
        for (int side = 0; side < 2; ++side) {
            int body = cn_block_body(block, side);
            bool moves = cn_body_moves(problem, body);
            if (moves && node[body] < 0) {
                node[body] = it->node_count++;
            }
            joint->node[side] = moves ? node[body] : -1;
        }
    }
    return CN_OK;
}

// C of one joint, and its rows C^-1 J L. False: they depend on each other.
static bool whiten(int n, double (*rows)[12], double* root) {
    for (int i = 0, at = 0; i < n; ++i, at += i) { // at: entry (i, 0)
        double own = cn_dense_dot(12, rows[i], rows[i]);
        for (int k = 0; k < i; ++k) { // rows before are orthonormal
            double along = cn_dense_dot(12, rows[i], rows[k]);
            root[at + k] = along;
            cn_dense_add_scaled(12, -along, rows[k], rows[i]);
        }
        double left = cn_dense_dot(12, rows[i], rows[i]);
        if (!(left > DEPENDENT * own)) {
            return false;
        }
        root[at + i] = sqrt(left);
        double scale = 1.0 / root[at + i];
        for (int k = 0; k < 12; ++k) {
            rows[i][k] *= scale;
        }
    }
    return true;
}

static bool whiten_all(NetSolve* it) {
    bool is_regular = true;
    for (int i = 0, row = 0; is_regular && i < it->joint_count; ++i) {
        is_regular = whiten(it->joints[i].row_count, it->jacobian + row, it->root[i]);
        row += it->joints[i].row_count;
    }
    return is_regular;
}

// x <- C^-1 x, and x <- C^-T x, joint by joint.
static void divide(const NetSolve* it, double* x) {
    for (int i = 0; i < it->joint_count; ++i) {
        int n = it->joints[i].row_count;
        const double* root = it->root[i];
        for (int r = 0; r < n; ++r, root += r) {
            for (int k = 0; k < r; ++k) {
                x[r] -= root[k] * x[k];
            }
            x[r] /= root[r];
        }
        x += n;
    }
}

static void divide_transposed(const NetSolve* it, double* x) {
    for (int i = 0; i < it->joint_count; ++i) {
        int n = it->joints[i].row_count;
        for (int r = n - 1; r >= 0; --r) {
            const double* root = it->root[i] + r * (r + 1) / 2;
            x[r] /= root[r];
            for (int k = 0; k < r; ++k) {
                x[k] -= root[k] * x[r];
            }
        }
        x += n;
    }
}

// ---- factor ----

static bool is_same_net(const NetSolve* it) {
    const CnNetFactor* factor = it->factor;
    bool is_same = factor->is_planned && factor->joint_count == it->joint_count &&
                   factor->row_count == it->row_count && factor->node_count == it->node_count;
    for (int i = 0; is_same && i < it->joint_count; ++i) {
        const CnNetJoint *old = &factor->joints[i], *own = &it->joints[i];
        is_same = old->node[0] == own->node[0] && old->node[1] == own->node[1] &&
                  old->row_count == own->row_count;
    }
    return is_same;
}

// CN_UNSUPPORTED: the factor takes more multiplications than the limit.
static CnStatus plan(NetSolve* it, double limit, CnArena* scratch) {
    CnNetFactor* factor = it->factor;
    CnArena* arena = &factor->arena;
    int* first = CN_ARENA_RAW(scratch, int, it->joint_count);
    int* second = CN_ARENA_RAW(scratch, int, it->joint_count);
    int count = 0;
    cn_arena_release(arena, (CnArenaMark){0});
    factor->is_planned = factor->is_factored = false;
    factor->joint_count = it->joint_count;
    factor->row_count = it->row_count;
    factor->node_count = it->node_count;
    factor->joints = CN_ARENA_RAW(arena, CnNetJoint, it->joint_count);
    factor->jacobian = cn_arena_allocate(arena, (size_t)it->row_count, sizeof *factor->jacobian);
    if (first == NULL || second == NULL || factor->joints == NULL || factor->jacobian == NULL) {
        return CN_NO_MEMORY;
    }
    for (int i = 0; i < it->joint_count; ++i) {
        const int* node = it->joints[i].node;
        if (node[0] >= 0 && node[1] >= 0) {
            first[count] = node[0];
            second[count++] = node[1];
        }
        factor->joints[i] = it->joints[i];
    }
    CnStatus status = cn_block_cholesky_plan(&factor->cholesky, it->node_count, count, first,
                                             second, limit, scratch, arena);
    factor->is_planned = status == CN_OK;
    return status;
}

static double rounded(double x) {
    return (x + ROUNDING) - ROUNDING;
}

// Whether the factor is of these rows, rounded or not; if not, it has them from now on.
static bool has_rows(const NetSolve* it, bool rounds) {
    CnNetFactor* factor = it->factor;
    bool is_same = factor->is_factored;
    for (int row = 0; row < it->row_count; ++row) {
        const double* own = it->jacobian[row];
        double* kept = factor->jacobian[row];
        double change = 0.0;
        for (int k = 0; k < 12; ++k) {
            double now = rounds ? rounded(own[k]) : own[k];
            change += fabs(now - kept[k]);
            kept[k] = now;
        }
        is_same = is_same && change == 0.0;
    }
    return is_same;
}

// G_i^T G_k of the rows of a joint, column-major.
static void multiply_sides(int n, const double (*rows)[12], int i, int k,
                           double out[CN_CHOLESKY_NUMBERS]) {
    memset(out, 0, CN_CHOLESKY_NUMBERS * sizeof(double));
    for (int row = 0; row < n; ++row) {
        const double *from = rows[row] + 6 * i, *to = rows[row] + 6 * k;
        for (int c = 0; c < 6; ++c) {
            for (int r = 0; r < 6; ++r) {
                out[6 * c + r] += to[c] * from[r];
            }
        }
    }
}

// K = weight 1 + G^T G, mechanisms.md (33).
static bool make_factor(CnNetFactor* factor) {
    double product[CN_CHOLESKY_NUMBERS] = {0.0};
    cn_block_cholesky_clear(&factor->cholesky);
    for (int i = 0; i < 6; ++i) {
        product[7 * i] = WEIGHT;
    }
    for (int i = 0; i < factor->node_count; ++i) {
        cn_block_cholesky_add(&factor->cholesky, i, i, product);
    }
    const double(*rows)[12] = (const double(*)[12])factor->jacobian;
    for (int i = 0; i < factor->joint_count; ++i) {
        const CnNetJoint* joint = &factor->joints[i];
        for (int side = 0; side < 2; ++side) {
            if (joint->node[side] >= 0) {
                multiply_sides(joint->row_count, rows, side, side, product);
                cn_block_cholesky_add(&factor->cholesky, joint->node[side], joint->node[side],
                                      product);
            }
        }
        if (joint->node[0] >= 0 && joint->node[1] >= 0) {
            multiply_sides(joint->row_count, rows, 0, 1, product);
            cn_block_cholesky_add(&factor->cholesky, joint->node[0], joint->node[1], product);
        }
        rows += joint->row_count;
    }
    return cn_block_cholesky_factor(&factor->cholesky, 0.0);
}

// ---- conjugate gradients ----

// y = G^T x
static void push(const NetSolve* it, const double (*rows)[12], const double* x, double* y) {
    memset(y, 0, 6 * (size_t)it->node_count * sizeof *y);
    for (int i = 0; i < it->joint_count; ++i) {
        const CnNetJoint* joint = &it->joints[i];
        double sum[12] = {0.0};
        for (int r = 0; r < joint->row_count; ++r) {
            for (int k = 0; k < 12; ++k) {
                sum[k] += rows[r][k] * x[r];
            }
        }
        for (int side = 0; side < 2; ++side) {
            double* to = y + 6 * (size_t)(joint->node[side] < 0 ? 0 : joint->node[side]);
            for (int k = 0; joint->node[side] >= 0 && k < 6; ++k) {
                to[k] += sum[6 * side + k];
            }
        }
        rows += joint->row_count;
        x += joint->row_count;
    }
}

// x = G y; parts of rows on what does not move are zero.
static void feel(const NetSolve* it, const double (*rows)[12], const double* y, double* x) {
    for (int i = 0; i < it->joint_count; ++i) {
        const CnNetJoint* joint = &it->joints[i];
        const double* a = y + 6 * (size_t)(joint->node[0] < 0 ? 0 : joint->node[0]);
        const double* b = y + 6 * (size_t)(joint->node[1] < 0 ? 0 : joint->node[1]);
        for (int r = 0; r < joint->row_count; ++r) {
            double sum[6];
            for (int k = 0; k < 6; ++k) {
                sum[k] = rows[r][k] * a[k] + rows[r][6 + k] * b[k];
            }
            x[r] = ((sum[0] + sum[1]) + (sum[2] + sum[3])) + (sum[4] + sum[5]);
        }
        rows += joint->row_count;
        x += joint->row_count;
    }
}

// z = r - G_0 K^-1 G_0^T r, in any scale.
static void precondition(const NetSolve* it, const double* r, double* z) {
    const double(*rows)[12] = (const double(*)[12])it->factor->jacobian;
    push(it, rows, r, it->y);
    cn_block_cholesky_solve(&it->factor->cholesky, it->y);
    feel(it, rows, it->y, z);
    for (int i = 0; i < it->row_count; ++i) {
        z[i] = r[i] - z[i];
    }
}

// Solves G G^T x = r until |r| is at most the goal: mechanisms.md (35). The best x so far is the
// answer. Returns the number of iterations.
static int iterate(const NetSolve* it, double goal, int most) {
    const double(*rows)[12] = (const double(*)[12])it->jacobian;
    int n = it->row_count, iterations = 0;
    size_t bytes = (size_t)n * sizeof(double);
    double last = 0.0, best = HUGE_VAL;
    for (int idle = 0; idle < it->patience; ++iterations) {
        double size = sqrt(cn_dense_dot(n, it->rest, it->rest));
        ++idle;
        if (size < best) {
            best = size;
            idle = 0;
            memcpy(it->best, it->change, bytes);
        }
        if (!(size > goal) || iterations == most) {
            break;
        }
        precondition(it, it->rest, it->next);
        double measure = cn_dense_dot(n, it->rest, it->next);
        double share = iterations == 0 ? 0.0 : measure / last;
        for (int i = 0; i < n; ++i) {
            it->along[i] = it->next[i] + share * it->along[i];
        }
        push(it, rows, it->along, it->y);
        feel(it, rows, it->y, it->answer);
        double length = measure / cn_dense_dot(n, it->along, it->answer);
        if (!(measure > 0.0) || !(length <= LONGEST_STEP)) {
            break; // what is left of r is round-off that nothing answers
        }
        cn_dense_add_scaled(n, length, it->along, it->change);
        cn_dense_add_scaled(n, -length, it->answer, it->rest);
        last = measure;
    }
    return iterations;
}

// ---- solution ----

// The largest |u| of a joint for the velocities of the solution; -u goes to `rest`.
static double find_rest(const NetSolve* it, const CnSolution* solution) {
    double worst = 0.0;
    for (int i = 0; i < it->joint_count; ++i) {
        const CnBlock* block = &it->problem->blocks[i];
        double u[CN_MAX_ROWS], square = 0.0;
        cn_block_velocity(it->problem, block, (const double(*)[6])solution->velocity,
                          solution->impulse, u);
        for (int k = 0; k < block->row_count; ++k) {
            it->rest[block->first_row + k] = -u[k];
            square += u[k] * u[k];
        }
        worst = cn_worse(worst, square);
    }
    return sqrt(worst);
}

static double largest(const CnProblem* problem, const double (*velocity)[6],
                      const double (*before)[6]) {
    double most = 0.0;
    for (int i = 0; i < problem->body_count; ++i) {
        for (int k = 0; k < 6; ++k) {
            double change = velocity[i][k] - (before == NULL ? 0.0 : before[i][k]);
            most = fmax(most, fabs(change));
        }
    }
    return most;
}

// What there is to do about the impulses so far.
typedef enum Guess { GUESS_HOLDS, GUESS_IS_NEAR, GUESS_IS_OFF } Guess;

static Guess judge(const NetSolve* it, const CnSolverDef* def, const CnPast* past,
                   const CnSolution* solution, double error) {
    if (past->velocity == NULL) {
        return error <= cn_rest_missed(def->tolerance) ? GUESS_HOLDS : GUESS_IS_NEAR;
    }
    double gain = largest(it->problem, (const double(*)[6])solution->velocity, past->velocity);
    return cn_guess_holds(def, error, gain, past->refines)    ? GUESS_HOLDS
           : cn_rest_is_restless(error, gain, def->tolerance) ? GUESS_IS_NEAR
                                                              : GUESS_IS_OFF;
}

// The goal for the length of whitened residuals: |u| <= |C| |C^-1 u| for every joint.
static double goal_of(const NetSolve* it, const CnSolverDef* def, const CnSolution* solution) {
    double square = 0.0;
    for (int i = 0; i < it->joint_count; ++i) {
        int n = it->joints[i].row_count;
        square = fmax(square, cn_dense_dot(n * (n + 1) / 2, it->root[i], it->root[i]));
    }
    double speed = largest(it->problem, (const double(*)[6])solution->velocity, NULL);
    return fmax(GOAL_SHARE * def->tolerance, ROUND_OFF * speed) / sqrt(square);
}

// A factor of these rows, kept or new. False: there is none within the budget.
static CnStatus find_factor(NetSolve* it, const CnSolverDef* def, bool rounds, CnArena* scratch,
                            CnSolverReport* report, bool* is_there) {
    CnStatus status = CN_OK;
    CnNetFactor* factor = it->factor;
    *is_there = false;
    if (!is_same_net(it)) {
        status = plan(it, def->work_budget, scratch);
        if (status != CN_OK) {
            return status == CN_UNSUPPORTED ? CN_OK : status;
        }
    }
    report->work += factor->cholesky.multiplications + WORK_OF_WHITENING * it->row_count;
    if (report->work > def->work_budget) {
        return CN_OK;
    }
    if (!has_rows(it, rounds)) {
        factor->is_factored = make_factor(factor);
    }
    *is_there = factor->is_factored;
    return status;
}

// Changes the impulses.
static void correct(const NetSolve* it, const CnSolverDef* def, const CnSolution* solution,
                    CnSolverReport* report) {
    double work = 2.0 * WORK_OF_PRODUCT * it->row_count +
                  WORK_OF_ENTRY * it->factor->cholesky.start[it->node_count];
    double most = fmax(0.0, fmin(MOST_ITERATIONS, (def->work_budget - report->work) / work));
    divide(it, it->rest);
    report->iterations = iterate(it, goal_of(it, def, solution), (int)most);
    report->work += work * report->iterations;
    divide_transposed(it, it->best);
    for (int i = 0; i < it->row_count; ++i) {
        solution->impulse[i] += it->best[i];
    }
    cn_problem_velocity(it->problem, solution->impulse, solution->velocity);
}

// Without impulses.
static void begin_from_zero(const NetSolve* it, CnSolution* solution, CnSolverReport* report) {
    memset(solution->impulse, 0, (size_t)it->row_count * sizeof(double));
    cn_problem_velocity(it->problem, solution->impulse, solution->velocity);
    report->error = find_rest(it, solution);
}

// (32) with a factor by bodies, from the impulses so far. Unrounded rows keep impulses that begin
// at zero free of shares that nothing asks for.
static CnStatus refine(NetSolve* it, const CnSolverDef* def, bool rounds, CnArena* scratch,
                       CnSolution* solution, CnSolverReport* report, bool* found) {
    bool is_there = false;
    CnStatus status = find_factor(it, def, rounds, scratch, report, &is_there);
    if (status == CN_OK && is_there) {
        correct(it, def, solution, report);
        report->error = find_rest(it, solution);
        *found = report->error <= 0.5 * def->tolerance;
    }
    return status;
}

// Whether another step is worth its work: above the tolerance while one of a few brings something
// better, below it while each halves the error, down to round-off of the velocities.
static bool goes_on(const CnSolverDef* def, double error, double last, int idle) {
    return error > def->tolerance ? idle < LEAST_PATIENCE
                                  : error > GOAL_SHARE * def->tolerance && error <= 0.5 * last;
}

// Steps (64) from no impulses; of positions only one.
static void make_least_steps(NetSolve* it, const CnNetRows* rows, const CnNetLeast* least,
                             const CnSolverDef* def, bool damps, CnSolution* solution,
                             CnSolverReport* report) {
    double work = 2.0 * WORK_OF_PRODUCT * it->row_count +
                  WORK_OF_ENTRY * least->cholesky.start[least->group_count];
    double best = report->error, last = HUGE_VAL;
    int most = damps ? 1 : MOST_LEAST_STEPS, idle = 0;
    for (int i = 0; i < most && goes_on(def, report->error, last, idle); ++i) {
        report->work += work;
        if (report->work > def->work_budget) {
            break;
        }
        last = report->error;
        divide(it, it->rest);
        cn_net_least_solve(rows, least, it->rest);
        divide_transposed(it, it->rest);
        cn_dense_add_scaled(it->row_count, 1.0, it->rest, solution->impulse);
        cn_problem_velocity(it->problem, solution->impulse, solution->velocity);
        report->error = find_rest(it, solution);
        ++report->iterations;
        ++it->least_steps;
        idle = report->error < best ? 0 : idle + 1;
        best = fmin(best, report->error);
    }
}

// The arms of joints, root mean square [m]: a row of a point is a unit vector, and its moment that
// vector times an arm.
static double mean_arm(const CnProblem* problem) {
    double arms = 0.0, points = 0.0;
    for (int row = 0; row < problem->row_count; ++row) {
        const double* sides[2] = {problem->jacobian_a[row], problem->jacobian_b[row]};
        for (int side = 0; side < 2; ++side) {
            const double* j = sides[side];
            double linear = cn_dense_dot(3, j, j);
            points += linear;
            arms += linear > 0.0 ? cn_dense_dot(3, j + 3, j + 3) : 0.0;
        }
    }
    return arms > 0.0 ? sqrt(arms / points) : 1.0;
}

// Impulses of least norm, from none: they are not found where the budget does not allow for their
// factor, or rows contradict each other.
static CnStatus find_least(NetSolve* it, const CnSolverDef* def, bool damps, CnArena* scratch,
                           CnSolution* solution, CnSolverReport* report, bool* found) {
    CnNetLeast least;
    CnNetRows rows = {it->joint_count, it->row_count, it->node_count, it->joints,
                      (const double(*)[12])it->jacobian};
    CnStatus status =
        cn_net_least_plan(&rows, def->work_budget - report->work, scratch, scratch, &least);
    if (status != CN_OK) {
        return status == CN_UNSUPPORTED ? CN_OK : status;
    }
    report->work += least.cholesky.multiplications + WORK_OF_WHITENING * it->row_count;
    begin_from_zero(it, solution, report);
    double first = report->error;
    double damping = damps ? DAMPING * first / mean_arm(it->problem) : 0.0;
    if (!cn_net_least_factor(&rows, fmax(LEAST_WEIGHT, damping), &least)) {
        return CN_OK;
    }
    make_least_steps(it, &rows, &least, def, damps, solution, report);
    double most = fmax(CN_REST_MOVING * def->tolerance, CONTRADICTION * first);
    *found = damps || report->error <= most;
    report->outcome = report->error <= def->tolerance   ? CN_CONVERGED
                      : report->work > def->work_budget ? CN_OUT_OF_BUDGET
                                                        : CN_STALLED;
    return CN_OK;
}

// Impulses that are not found are as they were.
static CnStatus solve(NetSolve* it, const CnSolverDef* def, Guess guess, bool damps,
                      CnArena* scratch, CnSolution* solution, CnSolverReport* report, bool* found) {
    size_t bytes = (size_t)it->problem->row_count * sizeof(double);
    double* before = CN_ARENA_RAW(scratch, double, it->problem->row_count);
    CnStatus status = before == NULL ? CN_NO_MEMORY : list_joints(it, scratch);
    if (status == CN_OK) {
        status = cn_scaled_jacobian(it->problem, scratch, &it->jacobian);
    }
    if (status != CN_OK || !whiten_all(it)) {
        return status;
    }
    memcpy(before, solution->impulse, bytes);
    if (guess == GUESS_IS_OFF) {
        begin_from_zero(it, solution, report);
    }
    if (!damps || report->error <= CN_REST_MOVING * def->tolerance) {
        status = refine(it, def, guess == GUESS_IS_NEAR, scratch, solution, report, found);
    }
    if (status == CN_OK && !*found) {
        status = find_least(it, def, damps, scratch, solution, report, found);
    }
    if (!*found) {
        memcpy(solution->impulse, before, bytes);
    }
    return status;
}

// What a net is, and what its steps have left: not of positions, which other passes follow.
static void describe(const NetSolve* it, bool damps, CnSolverReport* report) {
    int length = snprintf(report->remark, sizeof report->remark, "a net of %d joints",
                          it->problem->block_count);
    if (!damps && report->outcome == CN_STALLED && length < (int)sizeof report->remark) {
        snprintf(report->remark + length, sizeof report->remark - (size_t)length,
                 ", nearly dependent: %d steps of least norm leave %.3g m/s", it->least_steps,
                 report->error);
    }
}

CnStatus cn_net_solve(CnNetFactor* factor, const CnProblem* problem, const CnSolverDef* def,
                      const CnPast* past, bool damps, CnArena* scratch, CnSolution* solution,
                      CnSolverReport* report, bool* found) {
    CnArenaMark mark = cn_arena_mark(scratch);
    NetSolve it = {.factor = factor, .problem = problem, .joint_count = problem->block_count};
    *report = (CnSolverReport){.solver = cn_solver_find(def->name)->info.name,
                               .outcome = CN_CONVERGED,
                               .redundant_block = -1};
    *found = false;
    CnStatus status = allocate(&it, scratch) ? CN_OK : CN_NO_MEMORY;
    if (status == CN_OK) {
        if (!def->warm_start) {
            memset(solution->impulse, 0, (size_t)problem->row_count * sizeof(double));
        }
        cn_problem_velocity(problem, solution->impulse, solution->velocity);
        report->error = find_rest(&it, solution);
        Guess guess = judge(&it, def, past, solution, report->error);
        *found = guess == GUESS_HOLDS;
        it.patience = past->velocity != NULL && guess == GUESS_IS_NEAR ? PATIENCE : MOVING_PATIENCE;
        if (!*found) {
            CnSolverDef own = *def;
            own.work_budget = cn_budget_resolve(problem, def->work_budget);
            status = solve(&it, &own, guess, damps, scratch, solution, report, found);
        }
        report->certificate.worst = report->error;
        describe(&it, damps, report);
    }
    cn_arena_release(scratch, mark);
    return status;
}
