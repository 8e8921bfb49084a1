// mechanisms.c - eliminates joints: the reduced W of the other rows (Schur complement).
#include "solvers/matrix/mechanisms.h"

#include "constraints/problem/block.h"
#include "constraints/problem/islands.h"
#include "linalg/dense.h"
#include "linalg/ldlt.h"
#include "solvers/matrix/split_bodies.h"
#include "solvers/solve/budget.h"
#include <math.h>
#include <string.h>

// Pivots as in direct.c: below this a joint's row counts as implied by others.
#define PIVOT_LIMIT 0x1p-33

// Steps of iterative refinement of the joint impulses: straight legs and mass ratios leave some ten
// digits, and between redundant rows the rest would look like a contradiction.
#define REFINEMENTS 1

// Larger matrices (32 MB) are not made.
#define MOST_ENTRIES 4e6

// Costs in multiplications: of a row coupled to a joint, and of a joint's row in one solution of
// the joints.
#define COST_OF_ROW 24.0
#define COST_OF_JOINT_ROW 160.0
#define COST_OF_SOLUTION 2000.0 // of a joint's row, by `direct` with its factorisation

static void map_bodies(CnMechanisms* map) {
    const CnProblem* joints = &map->split.joints;
    for (int i = 0; i < joints->body_count; ++i) {
        map->mechanism[i] = -1;
    }
    for (int k = 0; k < map->islands.count; ++k) {
        for (int i = map->islands.body_start[k]; i < map->islands.body_start[k + 1]; ++i) {
            int body = map->islands.body[i];
            if (cn_body_moves(
                    joints,
                    body)) { // fixed bodies may be in many lists and belong to no mechanism
                map->mechanism[body] = k;
                map->place[body] = i - map->islands.body_start[k];
            }
        }
    }
}

static int mechanism_on(const CnMechanisms* map, const CnBlock* block, int side) {
    int body = cn_block_body(block, side);
    return body >= 0 ? map->mechanism[body] : -1;
}

static void map_rows(CnMechanisms* map) {
    const CnProblem* others = &map->split.others;
    for (int i = 0; i < others->block_count; ++i) {
        const CnBlock* block = &others->blocks[i];
        for (int side = 0; side < cn_block_sides(block); ++side) {
            int own = mechanism_on(map, block, side);
            for (int before = 0; before < side; ++before) {
                own = own == map->sides[i][before].mechanism ? -1 : own;
            }
            map->sides[i][side].mechanism = own;
            if (own >= 0) {
                map->sides[i][side].first_row = map->row_count[own];
                map->row_count[own] += block->row_count;
            }
        }
    }
}

static CnStatus draw_map(CnMechanisms* map, CnArena* arena) {
    CnStatus status = cn_islands_find(&map->split.joints, arena, &map->islands);
    size_t bodies = (size_t)map->split.joints.body_count;
    size_t blocks = (size_t)map->split.others.block_count;
    map->mechanism = CN_ARENA_NEW(arena, int, bodies);
    map->place = CN_ARENA_NEW(arena, int, bodies);
    map->sides = cn_arena_allocate(arena, blocks, sizeof *map->sides);
    map->row_count = CN_ARENA_NEW(arena, int, map->islands.count);
    if (status != CN_OK || map->mechanism == NULL || map->place == NULL || map->sides == NULL ||
        map->row_count == NULL) {
        return CN_NO_MEMORY;
    }
    map_bodies(map);
    map_rows(map);
    return CN_OK;
}

static double set_up_cost(const CnMechanisms* map) {
    const CnProblem* joints = &map->split.joints;
    double cost = COST_OF_SOLUTION * joints->row_count, entries = 0.0;
    for (int k = 0; k < map->islands.count; ++k) {
        double joint_rows = 0.0, rows = map->row_count[k];
        for (int i = map->islands.block_start[k]; i < map->islands.block_start[k + 1]; ++i) {
            joint_rows += joints->blocks[map->islands.block[i]].row_count;
        }
        cost += rows * (COST_OF_JOINT_ROW * joint_rows + COST_OF_ROW * rows);
        entries += rows * rows;
    }
    return entries <= MOST_ENTRIES ? cost : HUGE_VAL;
}

static double sweep_cost(const CnMechanisms* map) {
    const CnProblem* problem = &map->split.others;
    double cost = cn_cost_of_sweep(problem);
    for (int i = 0; i < problem->block_count; ++i) {
        double rows = problem->blocks[i].row_count;
        for (int side = 0; side < cn_block_sides(&problem->blocks[i]); ++side) {
            int k = map->sides[i][side].mechanism;
            cost += k >= 0 ? rows * map->row_count[k] : 0.0;
        }
    }
    return cost;
}

static bool has_joints(const CnProblem* problem) {
    for (int i = 0; problem->response == NULL && i < problem->block_count; ++i) {
        if (cn_is_joint(&problem->blocks[i])) {
            return true;
        }
    }
    return false;
}

CnStatus cn_mechanisms_plan(CnMechanisms* mechanisms, const CnProblem* problem, CnArena* arena,
                            CnMechanismCost* cost) {
    *mechanisms = (CnMechanisms){.split.problem = problem};
    *cost = (CnMechanismCost){HUGE_VAL, HUGE_VAL, cn_cost_of_sweep(problem)};
    if (!has_joints(problem)) {
        return CN_OK;
    }
    CnStatus status = cn_joint_split(problem, arena, &mechanisms->split);
    if (status == CN_OK) {
        status = draw_map(mechanisms, arena);
    }
    if (status == CN_OK) {
        cost->set_up = set_up_cost(mechanisms);
        cost->sweep = sweep_cost(mechanisms);
    }
    return status;
}

// One mechanism while its matrix is filled.
typedef struct Shop {
    CnProblem joints; // of the mechanism, its bodies numbered from 0, targets zero
    CnBoxLcp box;     // of the joints, hubs split
    CnLdlt ldlt;
    double* x;             // [box.n]
    double* impulse;       // of the joints   [joints.row_count]
    double (*velocity)[6]; // [joints.body_count]
} Shop;

static CnStatus open_shop(const CnMechanisms* map, int mechanism, CnArena* arena, Shop* shop,
                          bool* found) {
    CnIslandProblem part;
    CnProblem cut;
    CnStatus status = cn_island_extract(&map->split.joints, &map->islands, mechanism, arena, &part);
    if (status == CN_OK) {
        status = cn_split_bodies(&part.problem, arena, &cut);
    }
    if (status == CN_OK) {
        status = cn_box_lcp_build(&cut, true, arena, &shop->box);
    }
    if (status == CN_OK) {
        status = cn_ldlt_analyze(&shop->ldlt, &shop->box.w, arena);
    }
    if (status != CN_OK) {
        return status;
    }
    *found = cn_ldlt_factor(&shop->ldlt, &shop->box.w, PIVOT_LIMIT);
    shop->joints = part.problem;
    shop->x = CN_ARENA_NEW(arena, double, shop->box.n);
    shop->impulse = CN_ARENA_NEW(arena, double, shop->joints.row_count);
    double* target = CN_ARENA_NEW(arena, double, shop->joints.row_count);
    shop->velocity = cn_arena_allocate(arena, (size_t)shop->joints.body_count, sizeof(double[6]));
    shop->joints.target = target;
    return shop->x == NULL || shop->impulse == NULL || shop->velocity == NULL || target == NULL
               ? CN_NO_MEMORY
               : CN_OK;
}

// The velocity error of the joints, scaled as the box is.
static void feel_joints(Shop* shop) {
    const CnBoxLcp* box = &shop->box;
    const CnProblem* joints = &shop->joints;
    double u[CN_MAX_ROWS];
    for (int i = 0, block = -1; i < box->n; ++i) {
        int row = box->row[i];
        if (row >= joints->row_count) { // a weld holds by definition
            shop->x[i] = 0.0;
            continue;
        }
        if (box->block[i] != block) {
            block = box->block[i];
            cn_block_velocity(joints, &joints->blocks[block], (const double(*)[6])shop->velocity,
                              shop->impulse, u);
        }
        double own = u[row - joints->blocks[block].first_row];
        shop->x[i] = box->scale[i] * (own + box->softness[i] * shop->impulse[row]);
    }
}

// nsgs.md (19): the joint impulses for the current velocities, and the velocities with them.
static void let_joints_answer(Shop* shop) {
    const CnBoxLcp* box = &shop->box;
    const CnProblem* joints = &shop->joints;
    memset(shop->impulse, 0, (size_t)joints->row_count * sizeof(double));
    for (int round = 0; round <= REFINEMENTS; ++round) {
        feel_joints(shop);
        cn_ldlt_solve(&shop->ldlt, shop->x, shop->x);
        for (int i = 0; i < box->n && box->row[i] < joints->row_count;) {
            const CnBlock* block = &joints->blocks[box->block[i]];
            double change[CN_MAX_ROWS] = {0.0};
            for (int own = box->block[i]; i < box->n && box->block[i] == own; ++i) {
                double impulse = -box->scale[i] * shop->x[i];
                change[box->row[i] - block->first_row] = impulse;
                shop->impulse[box->row[i]] += impulse;
            }
            cn_block_apply(joints, block, change, shop->velocity);
        }
    }
}

// A row that touches the mechanism, and the places of its bodies in it, -1: not there.
typedef struct Touch {
    int row, sides;
    int place[CN_BLOCK_SIDES];
} Touch;

static int place_in(const CnMechanisms* map, int mechanism, int body) {
    return body >= 0 && map->mechanism[body] == mechanism ? map->place[body] : -1;
}

// The rows of all mechanisms: those of mechanism k from start[k] on.
static void list_touches(const CnMechanisms* map, const int* start, Touch* touches) {
    const CnProblem* others = &map->split.others;
    for (int i = 0; i < others->block_count; ++i) {
        const CnBlock* block = &others->blocks[i];
        for (int side = 0; side < cn_block_sides(block); ++side) {
            int k = map->sides[i][side].mechanism;
            if (k < 0) {
                continue;
            }
            Touch* own = touches + start[k] + map->sides[i][side].first_row;
            for (int row = 0; row < block->row_count; ++row) {
                own[row] = (Touch){.row = block->first_row + row, .sides = cn_block_sides(block)};
                for (int other = 0; other < own[row].sides; ++other) {
                    own[row].place[other] = place_in(map, k, cn_block_body(block, other));
                }
            }
        }
    }
}

static double dot6(const double a[6], const double b[6]) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3] + a[4] * b[4] + a[5] * b[5];
}

// J v of one row through the bodies of the mechanism.
static double read_row(const CnProblem* others, const Touch* touch, const double (*velocity)[6]) {
    double sum = 0.0;
    for (int side = 0; side < touch->sides; ++side) {
        if (touch->place[side] >= 0) {
            sum += dot6(cn_block_jacobian(others, touch->row, side), velocity[touch->place[side]]);
        }
    }
    return sum;
}

// nsgs.md (19), column by column: a unit impulse, the joint impulses, the velocities of the rows.
static void fill_matrix(const CnProblem* others, const Touch* touches, Shop* shop,
                        CnJointIsland* mechanism) {
    size_t n = (size_t)mechanism->row_count;
    for (size_t i = 0; i < n; ++i) {
        const Touch* touch = &touches[i];
        memset(shop->velocity, 0, (size_t)shop->joints.body_count * sizeof *shop->velocity);
        for (int side = 0; side < touch->sides; ++side) {
            int place = touch->place[side];
            if (place >= 0) {
                cn_block_inverse_mass_times(&shop->joints, place,
                                            cn_block_jacobian(others, touch->row, side),
                                            shop->velocity[place]);
            }
        }
        let_joints_answer(shop);
        for (size_t j = 0; j < n; ++j) {
            mechanism->w[i * n + j] =
                read_row(others, &touches[j], (const double(*)[6])shop->velocity);
        }
    }
    for (size_t i = 0; i < n; ++i) { // symmetric up to round-off
        for (size_t j = 0; j < i; ++j) {
            double mean = 0.5 * (mechanism->w[i * n + j] + mechanism->w[j * n + i]);
            mechanism->w[i * n + j] = mechanism->w[j * n + i] = mean;
        }
    }
}

static CnStatus build_mechanism(const CnMechanisms* mechanisms, int index, const Touch* touches,
                                CnArena* arena, CnJointIsland* out, bool* found) {
    size_t n = (size_t)mechanisms->row_count[index];
    *out = (CnJointIsland){
        .row_count = (int)n,
        .w = CN_ARENA_NEW(arena, double, n* n),
        .u = CN_ARENA_NEW(arena, double, n),
    };
    if (out->w == NULL || out->u == NULL) {
        return CN_NO_MEMORY;
    }
    if (n == 0) {
        return CN_OK;
    }
    CnArenaMark mark = cn_arena_mark(arena);
    Shop shop;
    CnStatus status = open_shop(mechanisms, index, arena, &shop, found);
    if (status == CN_OK && *found) {
        fill_matrix(&mechanisms->split.others, touches, &shop, out);
    }
    cn_arena_release(arena, mark);
    return status;
}

static CnStatus build_all(CnMechanisms* mechanisms, CnArena* arena, bool* found) {
    int count = mechanisms->islands.count;
    int* start = CN_ARENA_NEW(arena, int, (size_t)count + 1);
    mechanisms->items = CN_ARENA_NEW(arena, CnJointIsland, count);
    if (start == NULL || mechanisms->items == NULL) {
        return CN_NO_MEMORY;
    }
    for (int k = 0; k < count; ++k) {
        start[k + 1] = start[k] + mechanisms->row_count[k];
    }
    Touch* touches = CN_ARENA_NEW(arena, Touch, start[count]);
    if (touches == NULL) {
        return CN_NO_MEMORY;
    }
    list_touches(mechanisms, start, touches);
    CnStatus status = CN_OK;
    for (int k = 0; status == CN_OK && *found && k < count; ++k) {
        status =
            build_mechanism(mechanisms, k, touches + start[k], arena, &mechanisms->items[k], found);
    }
    return status;
}

// The other rows for sweeps with eliminated joints: bodies of a mechanism are replaced by the
// world, and their free velocity, with the joints held, goes to the target.
static CnStatus pose_others(CnMechanisms* mechanisms, const double (*velocity)[6], CnArena* arena) {
    const CnProblem* others = &mechanisms->split.others;
    CnBlock* blocks = CN_ARENA_NEW(arena, CnBlock, others->block_count);
    double* target = CN_ARENA_NEW(arena, double, others->row_count);
    if (blocks == NULL || target == NULL) {
        return CN_NO_MEMORY;
    }
    for (int i = 0; i < others->block_count; ++i) {
        CnBlock* block = &blocks[i];
        *block = others->blocks[i];
        memcpy(target + block->first_row, others->target + block->first_row,
               (size_t)block->row_count * sizeof(double));
        for (int side = 0; side < cn_block_sides(&others->blocks[i]); ++side) {
            int body = cn_block_body(block, side);
            if (body < 0 || mechanisms->mechanism[body] < 0) {
                continue;
            }
            for (int row = block->first_row; row < block->first_row + block->row_count; ++row) {
                target[row] -= dot6(cn_block_jacobian(others, row, side), velocity[body]);
            }
            cn_block_set_body(block, side, -1);
        }
    }
    mechanisms->problem = *others;
    mechanisms->problem.blocks = blocks;
    mechanisms->problem.target = target;
    return CN_OK;
}

CnStatus cn_mechanisms_build(CnMechanisms* mechanisms, double tolerance, const CnBudget* budget,
                             CnArena* arena, bool* found) {
    const CnProblem* problem = mechanisms->split.problem;
    double* impulse = CN_ARENA_NEW(arena, double, problem->row_count);
    double(*velocity)[6] = cn_arena_allocate(arena, (size_t)problem->body_count, sizeof(double[6]));
    if (impulse == NULL || velocity == NULL) {
        return CN_NO_MEMORY;
    }
    CnStatus status = cn_joint_split_solve(&mechanisms->split, tolerance, budget, arena, impulse,
                                           velocity, NULL, found);
    if (status == CN_OK && *found) {
        status = build_all(mechanisms, arena, found);
    }
    return status == CN_OK && *found ? pose_others(mechanisms, (const double(*)[6])velocity, arena)
                                     : status;
}

void cn_mechanisms_add_own(const CnMechanisms* mechanisms, int block, double* w) {
    int rows = mechanisms->problem.blocks[block].row_count;
    for (int i = 0; i < rows; ++i) {
        for (int j = 0; j < rows; ++j) {
            w[i * rows + j] += cn_mechanisms_coupling(mechanisms, block, i, block, j);
        }
    }
}

double cn_mechanisms_coupling(const CnMechanisms* mechanisms, int a, int i, int b, int j) {
    const CnBlock* blocks = mechanisms->split.others.blocks;
    int sides_a = cn_block_sides(&blocks[a]), sides_b = cn_block_sides(&blocks[b]);
    double sum = 0.0;
    for (int x = 0; x < sides_a; ++x) {
        const CnMechanismSide* row = &mechanisms->sides[a][x];
        for (int y = 0; row->mechanism >= 0 && y < sides_b; ++y) {
            const CnMechanismSide* column = &mechanisms->sides[b][y];
            if (column->mechanism == row->mechanism) {
                const CnJointIsland* on = &mechanisms->items[row->mechanism];
                sum += on->w[(size_t)(row->first_row + i) * (size_t)on->row_count +
                             (size_t)(column->first_row + j)];
            }
        }
    }
    return sum;
}

void cn_mechanisms_clear(CnMechanisms* mechanisms) {
    for (int k = 0; k < mechanisms->islands.count; ++k) {
        CnJointIsland* on = &mechanisms->items[k];
        memset(on->u, 0, (size_t)on->row_count * sizeof(double));
    }
}

void cn_mechanisms_apply(CnMechanisms* mechanisms, int block, const double* dp) {
    int sides = cn_block_sides(&mechanisms->split.others.blocks[block]);
    for (int side = 0; side < sides; ++side) {
        const CnMechanismSide* own = &mechanisms->sides[block][side];
        if (own->mechanism < 0) {
            continue;
        }
        CnJointIsland* on = &mechanisms->items[own->mechanism];
        for (int i = 0; i < mechanisms->problem.blocks[block].row_count; ++i) {
            if (dp[i] != 0.0) { // most contacts are open and have no impulse
                size_t row = (size_t)(own->first_row + i);
                cn_dense_add_scaled(on->row_count, dp[i], on->w + row * (size_t)on->row_count,
                                    on->u);
            }
        }
    }
}

void cn_mechanisms_add_velocity(const CnMechanisms* mechanisms, int block, double* u) {
    int sides = cn_block_sides(&mechanisms->split.others.blocks[block]);
    for (int side = 0; side < sides; ++side) {
        const CnMechanismSide* own = &mechanisms->sides[block][side];
        for (int i = 0; own->mechanism >= 0 && i < mechanisms->problem.blocks[block].row_count;
             ++i) {
            u[i] += mechanisms->items[own->mechanism].u[own->first_row + i];
        }
    }
}
