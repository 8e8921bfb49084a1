// islands.c - cutting a problem into parts that share no movable body, by union-find.
#include "constraints/problem/islands.h"

#include "constraints/problem/block.h"
#include "constraints/problem/owned_problem.h"
#include <string.h>

// The root of a body's tree; halving paths on the way keeps later walks short.
static int find_root(int* parent, int body) {
    while (parent[body] != body) {
        parent[body] = parent[parent[body]];
        body = parent[body];
    }
    return body;
}

// The lower index becomes the root, so the forest never depends on the order of the blocks.
static void unite(int* parent, int a, int b) {
    a = find_root(parent, a);
    b = find_root(parent, b);
    if (a < b) {
        parent[b] = a;
    } else {
        parent[a] = b;
    }
}

// Joins all movable bodies of a block with a second pair.
static void join_second(const CnProblem* problem, const CnBlock* block, int* parent) {
    int first = -1;
    for (int side = 0; side < CN_BLOCK_SIDES; ++side) {
        int body = cn_block_body(block, side);
        if (!cn_body_moves(problem, body)) {
            continue;
        }
        if (first >= 0) {
            unite(parent, first, body);
        }
        first = body;
    }
}

static void join_bodies(const CnProblem* problem, int* parent) {
    for (int i = 0; i < problem->body_count; ++i) {
        parent[i] = i;
    }
    for (int i = 0; i < problem->block_count; ++i) {
        const CnBlock* block = &problem->blocks[i];
        if (cn_body_moves(problem, block->body_a) && cn_body_moves(problem, block->body_b)) {
            unite(parent, block->body_a, block->body_b);
        }
        if (cn_block_has_second(block)) {
            join_second(problem, block, parent);
        }
    }
}

// The tree a block belongs to, -1 when it moves nothing but itself (pure compliance).
static int block_root(const CnProblem* problem, const CnBlock* block, int* parent) {
    for (int side = 0; side < cn_block_sides(block); ++side) {
        if (cn_body_moves(problem, cn_block_body(block, side))) {
            return find_root(parent, cn_block_body(block, side));
        }
    }
    return -1;
}

// Numbers islands by their first block and writes the island of each block.
static int number_islands(const CnProblem* problem, int* parent, int* island_of_root,
                          int* island_of_block) {
    int count = 0;
    for (int i = 0; i < problem->body_count; ++i) {
        island_of_root[i] = -1;
    }
    for (int i = 0; i < problem->block_count; ++i) {
        int root = block_root(problem, &problem->blocks[i], parent);
        if (root < 0) {
            island_of_block[i] = count++;
            continue;
        }
        if (island_of_root[root] < 0) {
            island_of_root[root] = count++;
        }
        island_of_block[i] = island_of_root[root];
    }
    return count;
}

// A counting sort: stable, so blocks keep their order. next is scratch for count entries.
static void list_blocks(const int* island_of_block, int block_count, int* next,
                        CnIslands* islands) {
    for (int i = 0; i < block_count; ++i) {
        ++islands->block_start[island_of_block[i] + 1];
    }
    for (int i = 0; i < islands->count; ++i) {
        islands->block_start[i + 1] += islands->block_start[i];
        next[i] = islands->block_start[i];
    }
    for (int i = 0; i < block_count; ++i) {
        islands->block[next[island_of_block[i]]++] = i;
    }
}

// The place of a body in the list of the island being written, appending it when it is new. An
// immovable body may be in many lists: seen_in says in which it was put last.
static int place_of(int body, int island, int first, int* end, int* seen_in, int* place,
                    int* list) {
    if (body < 0) {
        return -1;
    }
    if (seen_in[body] != island) {
        seen_in[body] = island;
        place[body] = *end - first;
        list[(*end)++] = body;
    }
    return place[body];
}

static void list_bodies(const CnProblem* problem, int* seen_in, int* place, CnIslands* islands) {
    int end = 0;
    for (int i = 0; i < problem->body_count; ++i) {
        seen_in[i] = -1;
    }
    for (int island = 0; island < islands->count; ++island) {
        int first = end;
        islands->body_start[island] = first;
        for (int k = islands->block_start[island]; k < islands->block_start[island + 1]; ++k) {
            int index = islands->block[k];
            const CnBlock* block = &problem->blocks[index];
            for (int side = 0; side < cn_block_sides(block); ++side) {
                islands->local[index][side] = place_of(cn_block_body(block, side), island, first,
                                                       &end, seen_in, place, islands->body);
            }
        }
    }
    islands->body_start[islands->count] = end;
}

// How many bodies all blocks name together.
static size_t count_mentions(const CnProblem* problem) {
    size_t count = 0;
    for (int i = 0; i < problem->block_count; ++i) {
        count += (size_t)cn_block_sides(&problem->blocks[i]);
    }
    return count;
}

CnStatus cn_islands_find(const CnProblem* problem, CnArena* arena, CnIslands* islands) {
    int blocks = problem->block_count;
    int bodies = problem->body_count;
    *islands = (CnIslands){
        .block_start = CN_ARENA_NEW(arena, int, blocks + 1),
        .block = CN_ARENA_NEW(arena, int, blocks),
        .body_start = CN_ARENA_NEW(arena, int, blocks + 1),
        .body = CN_ARENA_NEW(arena, int, count_mentions(problem)),
        .local = cn_arena_allocate(arena, (size_t)blocks, sizeof *islands->local),
    };
    CnArenaMark mark = cn_arena_mark(arena);
    int* scratch_a = CN_ARENA_NEW(arena, int, bodies);
    int* scratch_b = CN_ARENA_NEW(arena, int, bodies);
    int* island_of_block = CN_ARENA_NEW(arena, int, blocks);
    int* next = CN_ARENA_NEW(arena, int, blocks);
    if (islands->block_start == NULL || islands->block == NULL || islands->body_start == NULL ||
        islands->body == NULL || islands->local == NULL || scratch_a == NULL || scratch_b == NULL ||
        island_of_block == NULL || next == NULL) {
        cn_arena_release(arena, mark);
        return CN_NO_MEMORY;
    }

    join_bodies(problem, scratch_a);
    islands->count = number_islands(problem, scratch_a, scratch_b, island_of_block);
    list_blocks(island_of_block, blocks, next, islands);
    list_bodies(problem, scratch_a, scratch_b, islands);
    cn_arena_release(arena, mark);
    return CN_OK;
}

static void gather_bodies(const CnProblem* problem, const int* body, CnOwnedProblem* part) {
    for (int i = 0; i < part->problem.body_count; ++i) {
        part->inverse_mass[i] = problem->inverse_mass[body[i]];
        memcpy(part->inverse_inertia[i], problem->inverse_inertia[body[i]], sizeof(double[9]));
        memcpy(part->free_velocity[i], problem->free_velocity[body[i]], sizeof(double[6]));
    }
}

static void gather_row(const CnProblem* problem, int from, int to, CnOwnedProblem* part) {
    memcpy(part->jacobian_a[to], problem->jacobian_a[from], sizeof(double[6]));
    memcpy(part->jacobian_b[to], problem->jacobian_b[from], sizeof(double[6]));
    if (part->jacobian_c != NULL) {
        memcpy(part->jacobian_c[to], problem->jacobian_c[from], sizeof(double[6]));
        memcpy(part->jacobian_d[to], problem->jacobian_d[from], sizeof(double[6]));
    }
    part->target[to] = problem->target[from];
    part->compliance[to] = problem->compliance[from];
    part->lower[to] = problem->lower[from];
    part->upper[to] = problem->upper[from];
    part->offset[to] = problem->offset[from];
    part->slope[to] = problem->slope[from];
}

CnStatus cn_island_extract(const CnProblem* problem, const CnIslands* islands, int island,
                           CnArena* arena, CnIslandProblem* out) {
    const int* list = islands->block + islands->block_start[island];
    int blocks = islands->block_start[island + 1] - islands->block_start[island];
    int bodies = islands->body_start[island + 1] - islands->body_start[island];
    int rows = 0;
    bool has_second = false;
    for (int i = 0; i < blocks; ++i) {
        rows += problem->blocks[list[i]].row_count;
        has_second = has_second || cn_block_has_second(&problem->blocks[list[i]]);
    }
    CnOwnedProblem part;
    out->body = islands->body + islands->body_start[island];
    out->row = CN_ARENA_NEW(arena, int, rows);
    if (out->row == NULL || !cn_owned_problem_init(&part, arena, bodies, blocks, rows) ||
        (has_second && !cn_owned_problem_add_second(&part, arena))) {
        return CN_NO_MEMORY;
    }

    gather_bodies(problem, out->body, &part);
    int row = 0;
    for (int i = 0; i < blocks; ++i) {
        const CnBlock* block = &problem->blocks[list[i]];
        part.blocks[i] = *block;
        part.blocks[i].first_row = row;
        for (int side = 0; side < cn_block_sides(block); ++side) {
            cn_block_set_body(&part.blocks[i], side, islands->local[list[i]][side]);
        }
        part.block_names[i] = problem->block_names != NULL ? problem->block_names[list[i]] : NULL;
        for (int k = 0; k < block->row_count; ++k, ++row) {
            out->row[row] = block->first_row + k;
            gather_row(problem, out->row[row], row, &part);
        }
    }
    out->problem = part.problem;
    out->problem.friction_model = problem->friction_model;
    out->problem.impulse_limit = problem->impulse_limit;
    out->problem.pyramid_sides = problem->pyramid_sides;
    return CN_OK;
}
