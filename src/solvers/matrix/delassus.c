// delassus.c - assembles the Delassus matrix W = J M^-1 J^T + compliance, in blocks.
#include "solvers/matrix/delassus.h"

#include "constraints/problem/block.h"
#include <limits.h>

// The movable body through which a side of a block is coupled to others, -1: none.
static int meeting_point(const CnProblem* problem, const CnBlock* block, int side) {
    int body = cn_block_body(block, side);
    return cn_body_moves(problem, body) ? body : -1;
}

// The blocks of every movable body, ascending: block[start[body] .. start[body+1]).
typedef struct BodyBlocks {
    int* start; // [body_count + 1]
    int* block;
} BodyBlocks;

static size_t count_sides(const CnProblem* problem) {
    size_t count = 0;
    for (int i = 0; i < problem->block_count; ++i) {
        count += (size_t)cn_block_sides(&problem->blocks[i]);
    }
    return count;
}

static CnStatus list_body_blocks(const CnProblem* problem, CnArena* arena, BodyBlocks* list) {
    list->start = CN_ARENA_NEW(arena, int, (size_t)problem->body_count + 2);
    list->block = CN_ARENA_NEW(arena, int, count_sides(problem));
    if (list->start == NULL || list->block == NULL) {
        return CN_NO_MEMORY;
    }
    int* next = list->start + 1; // counts, then where the next block of a body goes
    for (int i = 0; i < problem->block_count; ++i) {
        const CnBlock* block = &problem->blocks[i];
        for (int side = 0; side < cn_block_sides(block); ++side) {
            int body = meeting_point(problem, block, side);
            if (body >= 0) {
                ++next[body + 1];
            }
        }
    }
    for (int body = 0; body < problem->body_count; ++body) {
        next[body + 1] += next[body];
    }
    for (int i = 0; i < problem->block_count; ++i) {
        const CnBlock* block = &problem->blocks[i];
        for (int side = 0; side < cn_block_sides(block); ++side) {
            int body = meeting_point(problem, block, side);
            if (body >= 0) {
                list->block[next[body]++] = i;
            }
        }
    }
    return CN_OK;
}

// Merges the lists of a block's bodies, skipping blocks up to itself. With out NULL it counts.
static int find_neighbors(const CnProblem* problem, const BodyBlocks* list, int block, int* out) {
    int at[CN_BLOCK_SIDES] = {0}, end[CN_BLOCK_SIDES] = {0}, count = 0;
    int sides = cn_block_sides(&problem->blocks[block]);
    for (int side = 0; side < sides; ++side) {
        int body = meeting_point(problem, &problem->blocks[block], side);
        if (body >= 0) {
            at[side] = list->start[body];
            end[side] = list->start[body + 1];
        }
    }
    for (;;) {
        int next = INT_MAX;
        for (int side = 0; side < sides; ++side) {
            next =
                at[side] < end[side] && list->block[at[side]] < next ? list->block[at[side]] : next;
        }
        if (next == INT_MAX) {
            return count;
        }
        for (int side = 0; side < sides; ++side) {
            at[side] += at[side] < end[side] && list->block[at[side]] == next ? 1 : 0;
        }
        if (next > block) {
            if (out != NULL) {
                out[count] = next;
            }
            ++count;
        }
    }
}

static CnStatus build_graph(const CnProblem* problem, CnArena* arena, CnBlockGraph* graph) {
    BodyBlocks list;
    *graph = (CnBlockGraph){.block_count = problem->block_count};
    graph->start = CN_ARENA_NEW(arena, int, (size_t)problem->block_count + 1);
    CnStatus status = list_body_blocks(problem, arena, &list);
    if (status != CN_OK || graph->start == NULL) {
        return CN_NO_MEMORY;
    }
    for (int i = 0; i < problem->block_count; ++i) {
        int count = find_neighbors(problem, &list, i, NULL);
        if (count > INT_MAX - graph->start[i]) {
            return CN_NO_MEMORY;
        }
        graph->start[i + 1] = graph->start[i] + count;
    }
    graph->neighbor = CN_ARENA_NEW(arena, int, graph->start[problem->block_count]);
    if (graph->neighbor == NULL) {
        return CN_NO_MEMORY;
    }
    for (int i = 0; i < problem->block_count; ++i) {
        find_neighbors(problem, &list, i, &graph->neighbor[graph->start[i]]);
    }
    return CN_OK;
}

// M^-1 J^T of a row: the velocities that a unit impulse gives its bodies, side by side. Where
// blocks have a second pair, as many pushes follow, those of C and D.
typedef struct Push {
    double side[2][6];
} Push;

static double* push_on(const CnProblem* problem, Push* push, int row, int side) {
    return push[row + (side < 2 ? 0 : problem->row_count)].side[side % 2];
}

static void compute_pushes(const CnProblem* problem, Push* push) {
    for (int i = 0; i < problem->block_count; ++i) {
        const CnBlock* block = &problem->blocks[i];
        for (int row = block->first_row; row < block->first_row + block->row_count; ++row) {
            for (int side = 0; side < cn_block_sides(block); ++side) {
                cn_block_inverse_mass_times(problem, cn_block_body(block, side),
                                            cn_block_jacobian(problem, row, side),
                                            push_on(problem, push, row, side));
            }
        }
    }
}

// value += J_row M^-1 J_column^T through side i of block a and side k of block b.
static void add_side(const CnProblem* problem, Push* push, const CnBlock* a, int i,
                     const CnBlock* b, int k, double* value) {
    for (int x = 0; x < a->row_count; ++x) {
        const double* j = cn_block_jacobian(problem, a->first_row + x, i);
        for (int y = 0; y < b->row_count; ++y) {
            const double* m = push_on(problem, push, b->first_row + y, k);
            value[x * b->row_count + y] +=
                j[0] * m[0] + j[1] * m[1] + j[2] * m[2] + j[3] * m[3] + j[4] * m[4] + j[5] * m[5];
        }
    }
}

static void fill_pair(const CnProblem* problem, Push* push, int a, int b, double* value) {
    const CnBlock* row = &problem->blocks[a];
    const CnBlock* column = &problem->blocks[b];
    int row_sides = cn_block_sides(row), column_sides = cn_block_sides(column);
    for (int i = 0; i < row_sides; ++i) {
        int body = cn_block_body(row, i);
        for (int k = 0; body >= 0 && k < column_sides; ++k) {
            if (body == cn_block_body(column, k)) {
                add_side(problem, push, row, i, column, k, value);
            }
        }
    }
}

CnStatus cn_delassus_assemble(const CnProblem* problem, CnArena* arena, CnBlockMatrix* w) {
    CnBlockGraph graph;
    size_t pushes = (size_t)problem->row_count * (problem->jacobian_c != NULL ? 2 : 1);
    Push* push = CN_ARENA_NEW(arena, Push, pushes);
    int* block_rows = CN_ARENA_NEW(arena, int, problem->block_count);
    if (push == NULL || block_rows == NULL || build_graph(problem, arena, &graph) != CN_OK) {
        return CN_NO_MEMORY;
    }
    for (int i = 0; i < problem->block_count; ++i) {
        block_rows[i] = problem->blocks[i].row_count;
    }
    if (cn_block_matrix_init(w, &graph, block_rows, arena) != CN_OK) {
        return CN_NO_MEMORY;
    }
    compute_pushes(problem, push);
    for (int b = 0; b < problem->block_count; ++b) {
        double* diagonal = &w->value[w->position[w->start[b]]];
        cn_block_delassus(problem, &problem->blocks[b], diagonal);
        for (int e = w->start[b] + 1; e < w->start[b + 1]; ++e) {
            fill_pair(problem, push, w->block_row[e], b, &w->value[w->position[e]]);
        }
    }
    return CN_OK;
}

void cn_delassus_right(const CnProblem* problem, double* right) {
    for (int i = 0; i < problem->block_count; ++i) {
        const CnBlock* block = &problem->blocks[i];
        double* rows = &right[block->first_row];
        double q[CN_MAX_ROWS];
        cn_block_free_velocity(problem, block, q);
        for (int k = 0; k < block->row_count; ++k) {
            rows[k] = -q[k];
        }
    }
}
