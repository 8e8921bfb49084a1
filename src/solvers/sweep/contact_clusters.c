// contact_clusters.c - solves the blocks around the worst one together, all others held fixed.
#include "solvers/sweep/contact_clusters.h"

#include "constraints/problem/block.h"
#include "solvers/solve/budget.h"
#include <math.h>
#include <string.h>

// Clusters per pass, and the least residual, relative to the worst, at which one is built.
#define MOST_CLUSTERS 4
#define BAD_SHARE 0.3

// A cluster is solved to this share of its worst residual: the next sweeps change it anyway. If it
// holds every block it is solved to a share of the tolerance.
#define CLUSTER_SHARE 0.3
#define WHOLE_SHARE 0.1
#define CLUSTER_ITERATIONS 60

CnStatus cn_clusters_init(CnClusters* clusters, const CnProblem* problem, CnArena* arena) {
    *clusters = (CnClusters){.problem = problem};
    clusters->start = CN_ARENA_NEW(arena, int, problem->body_count + 2);
    clusters->list = CN_ARENA_NEW(arena, int, CN_BLOCK_SIDES*(size_t)problem->block_count);
    clusters->block_stamp = CN_ARENA_NEW(arena, int, problem->block_count);
    clusters->body_stamp = CN_ARENA_NEW(arena, int, problem->body_count);
    clusters->rings = CN_ARENA_NEW(arena, int, problem->block_count);
    clusters->done = CN_ARENA_NEW(arena, int, problem->block_count);
    clusters->local = CN_ARENA_NEW(arena, int, problem->body_count);
    if (clusters->start == NULL || clusters->list == NULL || clusters->block_stamp == NULL ||
        clusters->body_stamp == NULL || clusters->rings == NULL || clusters->done == NULL ||
        clusters->local == NULL) {
        return CN_NO_MEMORY;
    }
    int* end = clusters->start + 1; // end[b] becomes the end of body b's part, start[b + 1]
    for (int pass = 0; pass < 2; ++pass) {
        for (int i = 0; i < problem->block_count; ++i) {
            for (int k = 0; k < cn_block_sides(&problem->blocks[i]); ++k) {
                int body = cn_block_body(&problem->blocks[i], k);
                if (!cn_body_moves(problem, body)) {
                    continue;
                }
                if (pass == 0) {
                    ++end[body + 1];
                } else {
                    clusters->list[end[body]++] = i;
                }
            }
        }
        for (int b = 1; pass == 0 && b <= problem->body_count; ++b) {
            end[b] += end[b - 1];
        }
    }
    return CN_OK;
}

// ---- which blocks ----

typedef struct Front {
    int body[CN_BLOCK_SIDES * (CN_CLUSTER_BLOCKS + 1)];
    int count;
} Front;

static void reach(CnClusters* clusters, Front* front, const CnBlock* block) {
    for (int side = 0; side < cn_block_sides(block); ++side) {
        int body = cn_block_body(block, side);
        if (cn_body_moves(clusters->problem, body) &&
            clusters->body_stamp[body] != clusters->stamp) {
            clusters->body_stamp[body] = clusters->stamp;
            front->body[front->count++] = body;
        }
    }
}

static bool has_impulse(const CnBlock* block, const double* p) {
    bool any = false;
    for (int row = block->first_row; row < block->first_row + block->row_count; ++row) {
        any = any || p[row] != 0.0;
    }
    return any;
}

// All blocks on the bodies of a block, and on bodies reached through at most so many blocks.
static void gather(CnClusters* clusters, int seed, int rings, const double* p) {
    const CnBlock* blocks = clusters->problem->blocks;
    Front front = {.count = 0};
    clusters->chosen_count = 0;
    ++clusters->stamp;
    reach(clusters, &front, &blocks[seed]);
    for (int ring = 0, next = 0; next < front.count; ++ring) {
        int last = front.count;
        for (; next < last; ++next) {
            int body = front.body[next];
            for (int k = clusters->start[body]; k < clusters->start[body + 1]; ++k) {
                int i = clusters->list[k];
                if (clusters->chosen_count == CN_CLUSTER_BLOCKS) {
                    return;
                }
                if (clusters->block_stamp[i] != clusters->stamp) {
                    clusters->block_stamp[i] = clusters->stamp;
                    clusters->chosen[clusters->chosen_count++] = i;
                    if (ring < rings && has_impulse(&blocks[i], p)) {
                        reach(clusters, &front, &blocks[i]);
                    }
                }
            }
        }
    }
}

// Small problems are one cluster; in large ones a cluster grows each time it is solved again.
static int rings_around(const CnClusters* clusters, int seed) {
    int blocks = clusters->problem->block_count;
    return blocks <= CN_CLUSTER_BLOCKS ? blocks : clusters->rings[seed];
}

// ---- the problem of a cluster ----

// A problem whose arrays can be written.
typedef struct ClusterProblem {
    CnProblem problem;
    CnSolution solution;
    double *inverse_mass, (*inverse_inertia)[9], (*free_velocity)[6];
    CnBlock* blocks;
    double (*jacobian_a)[6], (*jacobian_b)[6];
    double (*jacobian_c)[6], (*jacobian_d)[6]; // NULL: no block has a second pair
    double *target, *compliance, *lower, *upper, *offset, *slope;
} ClusterProblem;

static CnStatus allocate_second(ClusterProblem* part, CnArena* arena) {
    size_t rows = (size_t)part->problem.row_count;
    part->jacobian_c = cn_arena_allocate(arena, rows, sizeof(double[6]));
    part->jacobian_d = cn_arena_allocate(arena, rows, sizeof(double[6]));
    part->problem.jacobian_c = (const double(*)[6])part->jacobian_c;
    part->problem.jacobian_d = (const double(*)[6])part->jacobian_d;
    return part->jacobian_c == NULL || part->jacobian_d == NULL ? CN_NO_MEMORY : CN_OK;
}

static CnStatus allocate(ClusterProblem* part, int bodies, int blocks, int rows, CnArena* arena) {
    size_t r = (size_t)rows, b = (size_t)bodies;
    *part = (ClusterProblem){
        .inverse_mass = CN_ARENA_NEW(arena, double, b),
        .inverse_inertia = cn_arena_allocate(arena, b, sizeof(double[9])),
        .free_velocity = cn_arena_allocate(arena, b, sizeof(double[6])),
        .blocks = CN_ARENA_NEW(arena, CnBlock, blocks),
        .jacobian_a = cn_arena_allocate(arena, r, sizeof(double[6])),
        .jacobian_b = cn_arena_allocate(arena, r, sizeof(double[6])),
        .target = CN_ARENA_NEW(arena, double, 6 * r),
        .solution = {CN_ARENA_NEW(arena, double, r),
                     cn_arena_allocate(arena, b, sizeof(double[6]))},
    };
    if (part->inverse_mass == NULL || part->inverse_inertia == NULL ||
        part->free_velocity == NULL || part->blocks == NULL || part->jacobian_a == NULL ||
        part->jacobian_b == NULL || part->target == NULL || part->solution.impulse == NULL ||
        part->solution.velocity == NULL) {
        return CN_NO_MEMORY;
    }
    part->compliance = part->target + r;
    part->lower = part->compliance + r;
    part->upper = part->lower + r;
    part->offset = part->upper + r;
    part->slope = part->offset + r;
    part->problem = (CnProblem){
        .body_count = bodies,
        .block_count = blocks,
        .row_count = rows,
        .inverse_mass = part->inverse_mass,
        .inverse_inertia = (const double(*)[9])part->inverse_inertia,
        .free_velocity = (const double(*)[6])part->free_velocity,
        .blocks = part->blocks,
        .jacobian_a = (const double(*)[6])part->jacobian_a,
        .jacobian_b = (const double(*)[6])part->jacobian_b,
        .target = part->target,
        .compliance = part->compliance,
        .lower = part->lower,
        .upper = part->upper,
        .offset = part->offset,
        .slope = part->slope,
    };
    return CN_OK;
}

// The velocity of a body with the impulses of all blocks that are not in the cluster: (10).
static void hold_others(const CnClusters* clusters, int body, const double* p, double* velocity) {
    const CnProblem* problem = clusters->problem;
    double momentum[6] = {0.0}, change[6];
    memcpy(velocity, problem->free_velocity[body], 6 * sizeof(double));
    if (!cn_body_moves(problem, body)) {
        return;
    }
    for (int k = clusters->start[body]; k < clusters->start[body + 1]; ++k) {
        const CnBlock* block = &problem->blocks[clusters->list[k]];
        if (clusters->block_stamp[clusters->list[k]] == clusters->stamp) {
            continue;
        }
        int side = 0;
        while (cn_block_body(block, side) != body) {
            ++side;
        }
        for (int row = block->first_row; row < block->first_row + block->row_count; ++row) {
            const double* j = cn_block_jacobian(problem, row, side);
            for (int i = 0; i < 6; ++i) {
                momentum[i] += j[i] * p[row];
            }
        }
    }
    cn_block_inverse_mass_times(problem, body, momentum, change);
    for (int i = 0; i < 6; ++i) {
        velocity[i] += change[i];
    }
}

static void copy_row(const CnProblem* from, int row, const double* p, ClusterProblem* part,
                     int to) {
    memcpy(part->jacobian_a[to], from->jacobian_a[row], 6 * sizeof(double));
    memcpy(part->jacobian_b[to], from->jacobian_b[row], 6 * sizeof(double));
    if (part->jacobian_c != NULL) {
        memcpy(part->jacobian_c[to], from->jacobian_c[row], 6 * sizeof(double));
        memcpy(part->jacobian_d[to], from->jacobian_d[row], 6 * sizeof(double));
    }
    part->target[to] = from->target[row];
    part->compliance[to] = from->compliance[row];
    part->lower[to] = from->lower[row];
    part->upper[to] = from->upper[row];
    part->offset[to] = from->offset[row];
    part->slope[to] = from->slope[row];
    part->solution.impulse[to] = p[row];
}

// Numbers the bodies in the order in which blocks name them. Returns how many there are.
static int number_bodies(CnClusters* clusters, int bodies[CN_BLOCK_SIDES * CN_CLUSTER_BLOCKS]) {
    int count = 0;
    ++clusters->stamp; // a new stamp for bodies; blocks take it too
    for (int i = 0; i < clusters->chosen_count; ++i) {
        const CnBlock* block = &clusters->problem->blocks[clusters->chosen[i]];
        clusters->block_stamp[clusters->chosen[i]] = clusters->stamp;
        for (int k = 0; k < cn_block_sides(block); ++k) {
            int body = cn_block_body(block, k);
            if (body >= 0 && clusters->body_stamp[body] != clusters->stamp) {
                clusters->body_stamp[body] = clusters->stamp;
                clusters->local[body] = count;
                bodies[count++] = body;
            }
        }
    }
    return count;
}

static CnStatus extract(CnClusters* clusters, const double* p, CnArena* arena,
                        ClusterProblem* part) {
    const CnProblem* problem = clusters->problem;
    int bodies[CN_BLOCK_SIDES * CN_CLUSTER_BLOCKS], rows = 0;
    int body_count = number_bodies(clusters, bodies);
    for (int i = 0; i < clusters->chosen_count; ++i) {
        rows += problem->blocks[clusters->chosen[i]].row_count;
    }
    if (allocate(part, body_count, clusters->chosen_count, rows, arena) != CN_OK ||
        (problem->jacobian_c != NULL && allocate_second(part, arena) != CN_OK)) {
        return CN_NO_MEMORY;
    }
    for (int i = 0; i < body_count; ++i) {
        part->inverse_mass[i] = problem->inverse_mass[bodies[i]];
        memcpy(part->inverse_inertia[i], problem->inverse_inertia[bodies[i]], 9 * sizeof(double));
        hold_others(clusters, bodies[i], p, part->free_velocity[i]);
    }
    for (int i = 0, row = 0; i < clusters->chosen_count; ++i) {
        CnBlock* block = &part->blocks[i];
        *block = problem->blocks[clusters->chosen[i]];
        for (int k = 0; k < block->row_count; ++k) {
            copy_row(problem, block->first_row + k, p, part, row + k);
        }
        block->first_row = row;
        for (int side = 0; side < cn_block_sides(block); ++side) {
            int body = cn_block_body(block, side);
            cn_block_set_body(block, side, body >= 0 ? clusters->local[body] : -1);
        }
        row += block->row_count;
    }
    return CN_OK;
}

// ---- solving it ----

// The solution is accepted even if residuals of neighbouring blocks rise. Requiring them to fall
// stalls, because the solution of the whole problem may lie on another branch.
static CnStatus solve_chosen(CnClusters* clusters, const CnSolverDef* def, double tolerance,
                             CnArena* arena, double* p, CnSolverReport* report) {
    ClusterProblem part;
    CnSolverReport own = {.redundant_block = -1};
    CnSolverDef settings = *def;
    CnError error = {0};
    settings.name = cn_solver_auto.info.name;
    settings.tolerance = tolerance;
    settings.measure = CN_ERROR_VELOCITY;
    settings.max_iterations = CLUSTER_ITERATIONS;
    settings.work_budget = def->work_budget - report->work;
    CnStatus status = extract(clusters, p, arena, &part);
    void* state = cn_arena_allocate(arena, 1, cn_solver_auto.state_size);
    if (status == CN_OK) {
        status = state == NULL
                     ? CN_NO_MEMORY
                     : cn_solver_auto.prepare(state, &settings, &part.problem, arena, &error);
    }
    if (status == CN_OK) {
        status = cn_solver_auto.solve(state, &settings, &part.problem, arena, &part.solution, &own);
    }
    report->work += own.work;
    ++clusters->solved;
    for (int i = 0; status == CN_OK && own.outcome != CN_BROKE_DOWN && i < clusters->chosen_count;
         ++i) {
        const CnBlock* block = &clusters->problem->blocks[clusters->chosen[i]];
        memcpy(p + block->first_row, part.solution.impulse + part.blocks[i].first_row,
               (size_t)block->row_count * sizeof(double));
    }
    return status == CN_UNSUPPORTED ? CN_OK : status;
}

// The worst block above a residual that no cluster of this pass has had; -1: none.
static int find_worst(const CnClusters* clusters, const double* residual, double above) {
    int worst = -1;
    for (int i = 0; i < clusters->problem->block_count; ++i) {
        if (residual[i] > above && clusters->done[i] != clusters->pass) {
            above = residual[i];
            worst = i;
        }
    }
    return worst;
}

CnStatus cn_clusters_solve(CnClusters* clusters, const CnMomentumSweep* momentum,
                           const CnSolverDef* def, CnArena* arena, double* p,
                           CnSolverReport* report) {
    const double* residual = momentum->residual;
    double least = fmax(def->tolerance, BAD_SHARE * momentum->worst);
    CnStatus status = CN_OK;
    ++clusters->pass;
    for (int k = 0; status == CN_OK && k < MOST_CLUSTERS && !cn_budget_is_spent(def, report); ++k) {
        int seed = find_worst(clusters, residual, least);
        if (seed < 0) {
            break;
        }
        gather(clusters, seed, rings_around(clusters, seed), p);
        for (int i = 0; i < clusters->chosen_count; ++i) {
            int block = clusters->chosen[i];
            clusters->done[block] = clusters->pass;
            clusters->rings[block] += block == seed || residual[block] > BAD_SHARE * residual[seed];
        }
        bool is_whole = clusters->chosen_count == clusters->problem->block_count;
        double wanted = is_whole ? 0.0 : CLUSTER_SHARE * residual[seed];
        CnArenaMark mark = cn_arena_mark(arena);
        status = solve_chosen(clusters, def, fmax(WHOLE_SHARE * def->tolerance, wanted), arena, p,
                              report);
        cn_arena_release(arena, mark);
    }
    return status;
}
