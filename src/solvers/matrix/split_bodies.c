// split_bodies.c - splits bodies with many joints to keep factorisations sparse.
#include "solvers/matrix/split_bodies.h"

#include "constraints/problem/block.h"
#include "constraints/problem/owned_problem.h"
#include <math.h>
#include <string.h>

// A weld costs six rows, so only bodies with many blocks are worth splitting; a body with fewer
// causes a fill-in of at most some ten thousand entries.
#define HUB_BLOCKS 32
#define BLOCKS_PER_PART 8
#define BRANCHES 4 // parts welded to a part: the tree is flat, its cliques small

// An inertia whose determinant is below this share of its trace cubed is flat: splitting it
// would make redundant welds.
#define FLAT_INERTIA 1e-12

typedef struct Hubs {
    int* block_count; // of each body, then blocks given to parts so far   [body_count]
    int* part_count;  // of each body, 1 unless it is a hub   [body_count]
    int* first_part;  // index of its second part; the first is the body itself   [body_count]
    int parts, rows;  // beyond those of the problem; each part has one weld
} Hubs;

static bool turns(const CnProblem* problem, int body) {
    const double* m = problem->inverse_inertia[body];
    return m[0] + m[4] + m[8] > 0.0;
}

static bool may_be_cut(const CnProblem* problem, int body) {
    const double* m = problem->inverse_inertia[body];
    double trace = m[0] + m[4] + m[8];
    double determinant = m[0] * (m[4] * m[8] - m[5] * m[7]) - m[1] * (m[3] * m[8] - m[5] * m[6]) +
                         m[2] * (m[3] * m[7] - m[4] * m[6]);
    bool regular = determinant > FLAT_INERTIA * trace * trace * trace;
    return problem->inverse_mass[body] > 0.0 && (trace == 0.0 || regular);
}

static CnStatus find_hubs(const CnProblem* problem, CnArena* arena, Hubs* hubs) {
    *hubs = (Hubs){
        .block_count = CN_ARENA_NEW(arena, int, problem->body_count),
        .part_count = CN_ARENA_NEW(arena, int, problem->body_count),
        .first_part = CN_ARENA_NEW(arena, int, problem->body_count),
    };
    if (hubs->block_count == NULL || hubs->part_count == NULL || hubs->first_part == NULL) {
        return CN_NO_MEMORY;
    }
    for (int i = 0; i < problem->block_count; ++i) {
        const CnBlock* block = &problem->blocks[i];
        for (int side = 0; side < cn_block_sides(block); ++side) {
            if (cn_block_body(block, side) >= 0) {
                ++hubs->block_count[cn_block_body(block, side)];
            }
        }
    }
    for (int i = 0; i < problem->body_count; ++i) {
        bool is_hub = hubs->block_count[i] > HUB_BLOCKS && may_be_cut(problem, i);
        int parts = is_hub ? (hubs->block_count[i] + BLOCKS_PER_PART - 1) / BLOCKS_PER_PART : 1;
        hubs->part_count[i] = parts;
        hubs->first_part[i] = problem->body_count + hubs->parts;
        hubs->parts += parts - 1;
        hubs->rows += (parts - 1) * (turns(problem, i) ? 6 : 3);
        hubs->block_count[i] = 0;
    }
    return CN_OK;
}

static int part_of(const Hubs* hubs, int body, int part) {
    return part == 0 ? body : hubs->first_part[body] + part - 1;
}

// The part of a body that gets its next block, in rotation.
static int next_part(Hubs* hubs, int body) {
    if (body < 0 || hubs->part_count[body] == 1) {
        return body;
    }
    return part_of(hubs, body, hubs->block_count[body]++ / BLOCKS_PER_PART);
}

static void cut_mass(const CnProblem* problem, int body, int part, double share,
                     CnOwnedProblem* out) {
    out->inverse_mass[part] = share * problem->inverse_mass[body];
    for (int i = 0; i < 9; ++i) {
        out->inverse_inertia[part][i] = share * problem->inverse_inertia[body][i];
    }
    memcpy(out->free_velocity[part], problem->free_velocity[body], sizeof(double[6]));
}

// direct.md (8): the two parts have the same velocity.
static void weld(int a, int b, int rows, CnBlock* block, CnOwnedProblem* out) {
    block->law = CN_LAW_EQUALITY;
    block->row_count = rows;
    block->body_a = a;
    block->body_b = b;
    for (int k = 0; k < rows; ++k) {
        out->jacobian_a[block->first_row + k][k] = -1.0;
        out->jacobian_b[block->first_row + k][k] = 1.0;
    }
}

static void cut_bodies(const CnProblem* problem, const Hubs* hubs, CnOwnedProblem* out) {
    int block = problem->block_count, row = problem->row_count;
    for (int body = 0; body < problem->body_count; ++body) {
        int rows = turns(problem, body) ? 6 : 3;
        for (int part = 0; part < hubs->part_count[body]; ++part) {
            cut_mass(problem, body, part_of(hubs, body, part), hubs->part_count[body], out);
            if (part > 0) {
                out->blocks[block].first_row = row;
                weld(part_of(hubs, body, (part - 1) / BRANCHES), part_of(hubs, body, part), rows,
                     &out->blocks[block++], out);
                row += rows;
            }
        }
    }
}

CnStatus cn_split_bodies(const CnProblem* problem, CnArena* arena, CnProblem* split) {
    Hubs hubs;
    CnOwnedProblem out;
    *split = *problem;
    CnStatus status = find_hubs(problem, arena, &hubs);
    if (status != CN_OK || hubs.parts == 0) {
        return status;
    }
    if (!cn_owned_problem_init(&out, arena, problem->body_count + hubs.parts,
                               problem->block_count + hubs.parts, problem->row_count + hubs.rows) ||
        (problem->jacobian_c != NULL && !cn_owned_problem_add_second(&out, arena))) {
        return CN_NO_MEMORY;
    }
    cn_owned_problem_copy_numbers(&out, problem);
    for (int i = 0; i < problem->block_count; ++i) {
        const CnBlock* block = &problem->blocks[i];
        for (int side = 0; side < cn_block_sides(block); ++side) {
            cn_block_set_body(&out.blocks[i], side, next_part(&hubs, cn_block_body(block, side)));
        }
        out.block_names[i] = problem->block_names != NULL ? problem->block_names[i] : NULL;
    }
    cut_bodies(problem, &hubs, &out);
    *split = out.problem;
    return CN_OK;
}

int cn_split_bodies_redundant_block(const CnBoxLcp* box, const CnLdlt* ldlt, int row,
                                    int block_count, double* z) {
    if (box->block[row] < block_count) {
        return box->block[row];
    }
    int blamed = -1;
    double largest = 0.0;
    cn_ldlt_dependency(ldlt, row, z);
    for (int i = 0; i < box->n; ++i) {
        if (box->block[i] < block_count && fabs(z[i]) > largest) {
            largest = fabs(z[i]);
            blamed = box->block[i];
        }
    }
    return blamed;
}
