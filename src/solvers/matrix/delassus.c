// delassus.c - assembles the Delassus matrix W = J M^-1 J^T + compliance, in blocks.
#include "solvers/matrix/delassus.h"

#include "constraints/problem/block.h"
#include <limits.h>

// The two movable bodies through which a block is coupled to others, -1: none.
static void find_meeting_points(const CnProblem* problem, const CnBlock* block, int bodies[2]) {
    bodies[0] = cn_body_moves(problem, block->body_a) ? block->body_a : -1;
    bodies[1] = cn_body_moves(problem, block->body_b) ? block->body_b : -1;
    if (bodies[1] == bodies[0]) {
        bodies[1] = -1;
    }
}

// The blocks of every movable body, ascending: block[start[body] .. start[body+1]).
typedef struct BodyBlocks {
    int* start; // [body_count + 1]
    int* block;
} BodyBlocks;

static CnStatus list_body_blocks(const CnProblem* problem, CnArena* arena, BodyBlocks* list) {
    list->start = CN_ARENA_NEW(arena, int, (size_t)problem->body_count + 2);
    list->block = CN_ARENA_NEW(arena, int, 2 * (size_t)problem->block_count);
    if (list->start == NULL || list->block == NULL) {
        return CN_NO_MEMORY;
    }
    int bodies[2];
    int* next = list->start + 1; // counts, then where the next block of a body goes
    for (int i = 0; i < problem->block_count; ++i) {
        find_meeting_points(problem, &problem->blocks[i], bodies);
        for (int side = 0; side < 2; ++side) {
            if (bodies[side] >= 0) {
                ++next[bodies[side] + 1];
            }
        }
    }
    for (int body = 0; body < problem->body_count; ++body) {
        next[body + 1] += next[body];
    }
    for (int i = 0; i < problem->block_count; ++i) {
        find_meeting_points(problem, &problem->blocks[i], bodies);
        for (int side = 0; side < 2; ++side) {
            if (bodies[side] >= 0) {
                list->block[next[bodies[side]]++] = i;
            }
        }
    }
    return CN_OK;
}

// Merges the lists of a block's two bodies, skipping blocks up to itself. With out NULL it counts.
static int find_neighbors(const CnProblem* problem, const BodyBlocks* list, int block, int* out) {
    int bodies[2], at[2] = {0, 0}, end[2] = {0, 0}, count = 0;
    find_meeting_points(problem, &problem->blocks[block], bodies);
    for (int side = 0; side < 2; ++side) {
        if (bodies[side] >= 0) {
            at[side] = list->start[bodies[side]];
            end[side] = list->start[bodies[side] + 1];
        }
    }
    while (at[0] < end[0] || at[1] < end[1]) {
        int first = at[0] < end[0] ? list->block[at[0]] : INT_MAX;
        int second = at[1] < end[1] ? list->block[at[1]] : INT_MAX;
        int next = first < second ? first : second;
        at[0] += first == next ? 1 : 0;
        at[1] += second == next ? 1 : 0;
        if (next > block) {
            if (out != NULL) {
                out[count] = next;
            }
            ++count;
        }
    }
    return count;
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

// M^-1 J^T of a row: the velocities that a unit impulse gives its two bodies.
typedef struct Push {
    double side[2][6];
} Push;

static void compute_pushes(const CnProblem* problem, Push* push) {
    for (int i = 0; i < problem->block_count; ++i) {
        const CnBlock* block = &problem->blocks[i];
        for (int row = block->first_row; row < block->first_row + block->row_count; ++row) {
            cn_block_inverse_mass_times(problem, block->body_a, problem->jacobian_a[row],
                                        push[row].side[0]);
            cn_block_inverse_mass_times(problem, block->body_b, problem->jacobian_b[row],
                                        push[row].side[1]);
        }
    }
}

// value += J_row M^-1 J_column^T through one side of each block.
static void add_side(const CnBlock* a, const CnBlock* b, const double (*jacobian)[6],
                     const Push* push, int side, double* value) {
    for (int i = 0; i < a->row_count; ++i) {
        const double* j = jacobian[a->first_row + i];
        for (int k = 0; k < b->row_count; ++k) {
            const double* m = push[b->first_row + k].side[side];
            value[i * b->row_count + k] +=
                j[0] * m[0] + j[1] * m[1] + j[2] * m[2] + j[3] * m[3] + j[4] * m[4] + j[5] * m[5];
        }
    }
}

static void fill_pair(const CnProblem* problem, const Push* push, int a, int b, double* value) {
    const CnBlock* row = &problem->blocks[a];
    const CnBlock* column = &problem->blocks[b];
    const int row_body[2] = {row->body_a, row->body_b};
    const int column_body[2] = {column->body_a, column->body_b};
    for (int i = 0; i < 2; ++i) {
        for (int k = 0; k < 2; ++k) {
            if (row_body[i] >= 0 && row_body[i] == column_body[k]) {
                add_side(row, column, i == 0 ? problem->jacobian_a : problem->jacobian_b, push, k,
                         value);
            }
        }
    }
}

CnStatus cn_delassus_assemble(const CnProblem* problem, CnArena* arena, CnBlockMatrix* w) {
    CnBlockGraph graph;
    Push* push = CN_ARENA_NEW(arena, Push, problem->row_count);
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
