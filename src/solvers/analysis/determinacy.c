// determinacy.c - which forces are not unique: those that can change without changing the motion.
//
// Every block is reduced to the directions in which its impulse is free to change: rows that hold,
// contacts that stick, and for those that slide the ray of their cone. If the reduced rows depend
// on each other, impulses along the dependency change no velocity. docs/theory/determinacy.md.
#include "base/error.h"
#include "cairn/random.h"
#include "constraints/problem/block.h"
#include "constraints/problem/friction_cone.h"
#include "constraints/problem/owned_problem.h"
#include "linalg/ldlt.h"
#include "solvers/analysis/force_error.h"
#include "solvers/matrix/delassus.h"
#include "solvers/solve/solver.h"
#include <math.h>
#include <string.h>

// A row belongs to a dependency when its entry, the largest scaled to 1, is above the round-off of
// the factor.
#define SMALLEST_PART 1e-6

#define WEIGHT_SEED 1 // fixed, so that every call gives the same result

// The reduced problem under construction: equality rows over the same bodies.
typedef struct EqualityProblem {
    const CnProblem* problem;
    const CnSolution* solution;
    double tolerance; // [m/s]
    CnOwnedProblem reduced;
    int* source; // block of the problem that a reduced block comes from   [block_count]
    int block_count, row_count;
} EqualityProblem;

// Row r of the block now being reduced becomes sum_i weight_i (row i of the problem's block).
static void add_direction(EqualityProblem* draft, const CnBlock* block, const double* weight) {
    int row = draft->row_count++;
    for (int i = 0; i < block->row_count; ++i) {
        int from = block->first_row + i;
        for (int k = 0; k < 6; ++k) {
            draft->reduced.jacobian_a[row][k] += weight[i] * draft->problem->jacobian_a[from][k];
            draft->reduced.jacobian_b[row][k] += weight[i] * draft->problem->jacobian_b[from][k];
        }
        for (int k = 0; draft->problem->jacobian_c != NULL && k < 6; ++k) {
            draft->reduced.jacobian_c[row][k] += weight[i] * draft->problem->jacobian_c[from][k];
            draft->reduced.jacobian_d[row][k] += weight[i] * draft->problem->jacobian_d[from][k];
        }
        draft->reduced.compliance[row] += weight[i] * weight[i] * draft->problem->compliance[from];
    }
}

static void add_row(EqualityProblem* draft, const CnBlock* block, int row) {
    double weight[CN_MAX_ROWS] = {0.0};
    weight[row] = 1.0;
    add_direction(draft, block, weight);
}

// Whether an impulse is further from a limit than the tolerance could move it.
static bool is_clear(const EqualityProblem* draft, double distance, double w) {
    return distance * w > draft->tolerance;
}

static void reduce_bounds(EqualityProblem* draft, const CnBlock* block, const double* w,
                          const double* p) {
    int n = block->row_count;
    for (int i = 0; i < n; ++i) {
        double above = p[i] - draft->problem->lower[block->first_row + i];
        double below = draft->problem->upper[block->first_row + i] - p[i];
        if (is_clear(draft, fmin(above, below), w[i * n + i])) {
            add_row(draft, block, i);
        }
    }
}

// The normal carries the friction of the groups that slide; groups that stick are free themselves.
static void reduce_contact(EqualityProblem* draft, const CnBlock* block, const double* w,
                           const double* p) {
    CnFrictionGroup groups[CN_MAX_FRICTION_GROUPS];
    int count = cn_friction_groups(block->row_count, groups);
    double along[CN_MAX_ROWS] = {1.0};
    if (!is_clear(draft, p[0], w[0])) {
        return;
    }
    for (int g = 0; g < count; ++g) {
        double length = cn_friction_group_length(groups[g], p);
        bool inside = is_clear(draft, block->friction * p[0] - length, w[0]);
        for (int i = groups[g].first; i < groups[g].first + groups[g].count; ++i) {
            if (inside) {
                add_row(draft, block, i);
            } else {
                along[i] = length > 0.0 ? p[i] / p[0] : 0.0;
            }
        }
    }
    add_direction(draft, block, along);
}

static void reduce_block(EqualityProblem* draft, int index) {
    const CnBlock* block = &draft->problem->blocks[index];
    const double* p = draft->solution->impulse + block->first_row;
    int first = draft->row_count;
    double w[CN_MAX_ROWS * CN_MAX_ROWS];
    cn_block_delassus(draft->problem, block, w);
    if (block->law == CN_LAW_EQUALITY) {
        for (int i = 0; i < block->row_count; ++i) {
            add_row(draft, block, i);
        }
    } else if (block->law == CN_LAW_BOUNDS) {
        reduce_bounds(draft, block, w, p);
    } else if (block->law == CN_LAW_COULOMB) {
        reduce_contact(draft, block, w, p);
    } // a force follows from the motion: nothing is open
    if (draft->row_count > first) {
        CnBlock* out = &draft->reduced.blocks[draft->block_count];
        *out = *block;
        out->law = CN_LAW_EQUALITY;
        out->first_row = first;
        out->row_count = draft->row_count - first;
        draft->source[draft->block_count++] = index;
    }
}

static CnStatus reduce(EqualityProblem* draft, CnArena* arena) {
    const CnProblem* problem = draft->problem;
    draft->source = CN_ARENA_NEW(arena, int, problem->block_count);
    if (draft->source == NULL ||
        !cn_owned_problem_init(&draft->reduced, arena, problem->body_count, problem->block_count,
                               problem->row_count) ||
        (problem->jacobian_c != NULL && !cn_owned_problem_add_second(&draft->reduced, arena))) {
        return CN_NO_MEMORY;
    }
    for (int i = 0; i < problem->body_count; ++i) {
        draft->reduced.inverse_mass[i] = problem->inverse_mass[i];
        memcpy(draft->reduced.inverse_inertia[i], problem->inverse_inertia[i], sizeof(double[9]));
    }
    for (int i = 0; i < problem->block_count; ++i) {
        reduce_block(draft, i);
    }
    draft->reduced.problem.block_count = draft->block_count;
    draft->reduced.problem.row_count = draft->row_count;
    return CN_OK;
}

// Rows and columns divided by sqrt(W_ii), so that pivots of different units can be compared.
static CnStatus unit_diagonal(CnSparse* w, CnArena* arena) {
    double* scale = CN_ARENA_NEW(arena, double, w->n);
    if (scale == NULL) {
        return CN_NO_MEMORY;
    }
    cn_sparse_diagonal(w, scale);
    for (int j = 0; j < w->n; ++j) {
        scale[j] = scale[j] > 0.0 ? 1.0 / sqrt(scale[j]) : 1.0;
    }
    for (int j = 0; j < w->n; ++j) {
        for (int e = w->start[j]; e < w->start[j + 1]; ++e) {
            w->value[e] *= scale[j] * scale[w->row[e]];
        }
    }
    return CN_OK;
}

// The blocks that belong to any dependency. A random combination of all dependencies has no
// cancellation (with probability one), so that one vector shows them all.
static CnStatus mark_open(const EqualityProblem* draft, const CnLdlt* ldlt, CnArena* arena,
                          bool* open) {
    double* z = CN_ARENA_NEW(arena, double, ldlt->n);
    CnRandom random = {WEIGHT_SEED};
    double largest = 0.0;
    if (z == NULL) {
        return CN_NO_MEMORY;
    }
    for (int i = 0; i < ldlt->n; ++i) {
        z[i] = cn_random_between(&random, 1.0, 2.0);
    }
    cn_ldlt_dependencies(ldlt, z, z);
    for (int i = 0; i < ldlt->n; ++i) {
        largest = fmax(largest, fabs(z[i]));
    }
    for (int b = 0; b < draft->block_count; ++b) {
        const CnBlock* block = &draft->reduced.blocks[b];
        for (int k = 0; k < block->row_count; ++k) {
            bool takes_part = fabs(z[block->first_row + k]) > SMALLEST_PART * largest;
            open[draft->source[b]] = open[draft->source[b]] || takes_part;
        }
    }
    return CN_OK;
}

static CnStatus find_dependencies(const EqualityProblem* draft, CnArena* arena, bool* open,
                                  int* open_directions) {
    CnBlockMatrix w;
    CnSparse sparse;
    CnLdlt ldlt;
    if (cn_delassus_assemble(&draft->reduced.problem, arena, &w) != CN_OK ||
        cn_block_matrix_to_sparse(&w, NULL, arena, &sparse) != CN_OK ||
        unit_diagonal(&sparse, arena) != CN_OK || cn_ldlt_analyze(&ldlt, &sparse, arena) != CN_OK) {
        return CN_NO_MEMORY;
    }
    if (!cn_ldlt_factor(&ldlt, &sparse, CN_LDLT_ROUND_OFF)) {
        return CN_INVALID;
    }
    *open_directions = ldlt.n - ldlt.rank;
    return mark_open(draft, &ldlt, arena, open);
}

CnStatus cn_problem_determinacy(const CnProblem* problem, const CnSolution* solution,
                                double tolerance, CnWorkspace* workspace, bool* open,
                                CnDeterminacy* determinacy, CnError* error) {
    *determinacy = (CnDeterminacy){.first_open_block = -1, .force_error = HUGE_VAL};
    memset(open, 0, (size_t)problem->block_count * sizeof *open);
    if (problem->response != NULL || problem->masses != NULL) {
        return cn_error_set(error, CN_UNSUPPORTED,
                            "unique forces can be found only for problems given by bodies");
    }
    CnArenaMark mark = cn_arena_mark(&workspace->arena);
    EqualityProblem draft = {.problem = problem, .solution = solution, .tolerance = tolerance};
    CnStatus status = reduce(&draft, &workspace->arena);
    if (status == CN_OK && draft.row_count > 0) {
        status = find_dependencies(&draft, &workspace->arena, open, &determinacy->open_directions);
    }
    if (status == CN_OK && determinacy->open_directions == 0) {
        status = cn_force_error(problem, solution->impulse, &workspace->arena,
                                &determinacy->force_error);
    }
    cn_arena_release(&workspace->arena, mark);
    determinacy->directions = draft.row_count;
    for (int i = problem->block_count - 1; i >= 0; --i) {
        determinacy->open_blocks += open[i];
        determinacy->first_open_block = open[i] ? i : determinacy->first_open_block;
    }
    if (status == CN_NO_MEMORY) {
        cn_error_set(error, status, "no memory to find which forces of %d rows are unique",
                     problem->row_count);
    } else if (status == CN_INVALID) {
        cn_error_set(error, status, "the numbers of the problem overflow");
    }
    return status;
}
