// tree_contacts.c - contacts of one tree of joints in the solve of a step, as rows from outside.
#include "world/trees/tree_contacts.h"

#include "constraints/problem/block.h"
#include "world/islands/island_rows.h"

#include <math.h>
#include <string.h>

// More contacts, or bodies on no tree, are left to the general solvers: their Newton steps take all
// rows at once, and sweeps are faster from so many rows on where others than the tree move.
#define MOST_ROWS 60
#define MOST_LOOSE 8

// Numbers the bodies that take part. False: too many of them are on no tree.
static bool number_bodies(CnTreeContacts* contacts, const CnJointTree* tree, CnIndexList bodies) {
    const CnWorld* world = contacts->world;
    const CnTreeLink* links = world->trees->links + tree->first_link;
    for (int k = 0; k < bodies.count; ++k) {
        int body = cn_index_at(&bodies, k);
        bool is_loose =
            contacts->problem.inverse_mass[body] > 0.0 && world->trees->tree_of[body] < 0;
        contacts->place[body] = is_loose ? -2 - contacts->loose_count : -1;
        if (is_loose && contacts->loose_count == MOST_LOOSE) {
            return false;
        }
        if (is_loose) {
            contacts->loose[contacts->loose_count++] = body;
        }
    }
    for (int i = 0; i < tree->link_count; ++i) {
        contacts->place[links[i].body] = i;
    }
    return true;
}

static bool allocate(CnTreeContacts* contacts, int axes, CnArena* arena) {
    size_t n = (size_t)contacts->problem.row_count;
    int blocks = contacts->problem.block_count;
    contacts->outer = (CnOuterRows){
        .n = (int)n,
        .block_count = blocks,
        .block = CN_ARENA_RAW(arena, int, blocks),
        .y = CN_ARENA_RAW(arena, double, n*(size_t)axes),
        .w = CN_ARENA_RAW(arena, double, n* n),
        .b = CN_ARENA_RAW(arena, double, n),
        .before = CN_ARENA_NEW(arena, double, n),
    };
    const CnOuterRows* outer = &contacts->outer;
    return outer->block != NULL && outer->y != NULL && outer->w != NULL && outer->b != NULL &&
           outer->before != NULL;
}

CnStatus cn_tree_contacts_take(const CnWorld* world, const CnJointTree* tree,
                               const CnProblem* problem, double* impulse, CnIndexList bodies,
                               CnArena* arena, CnTreeContacts* contacts, bool* suits) {
    *contacts = (CnTreeContacts){
        .world = world,
        .problem = *problem,
        .place = CN_ARENA_RAW(arena, int, world->bodies.count),
        .loose = CN_ARENA_RAW(arena, int, MOST_LOOSE),
    };
    *suits = false;
    if (contacts->place == NULL || contacts->loose == NULL) {
        return CN_NO_MEMORY;
    }
    if (tree->loops.row_count > 0 || !number_bodies(contacts, tree, bodies) ||
        problem->row_count > (contacts->loose_count > 0 ? CN_MACHINE_SWEPT_ROWS : MOST_ROWS)) {
        return CN_OK;
    }
    if (!allocate(contacts, 6 * (tree->link_count + contacts->loose_count), arena)) {
        return CN_NO_MEMORY;
    }
    for (int i = 0; i < problem->block_count; ++i) {
        contacts->outer.block[i] = i;
    }
    contacts->outer.p = impulse;
    *suits = true;
    return CN_OK;
}

static bool allocate_rows(int blocks, int rows, CnArena* arena, CnTileRows* to) {
    size_t n = (size_t)rows;
    *to = (CnTileRows){
        .blocks = CN_ARENA_NEW(arena, CnBlock, blocks),
        .jacobian_a = cn_arena_allocate_raw(arena, n, sizeof(double[6])),
        .jacobian_b = cn_arena_allocate_raw(arena, n, sizeof(double[6])),
    };
    double** const numbers[] = {&to->target, &to->compliance, &to->lower,  &to->upper,
                                &to->offset, &to->slope,      &to->impulse};
    bool has_memory = to->blocks != NULL && to->jacobian_a != NULL && to->jacobian_b != NULL;
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; ++i) {
        *numbers[i] = CN_ARENA_RAW(arena, double, n);
        has_memory = has_memory && *numbers[i] != NULL;
    }
    return has_memory;
}

static CnProblem problem_of(const CnWorld* world, const CnTileRows* rows) {
    CnProblem problem = cn_step_explicit_problem(world);
    problem.block_count = rows->block_count;
    problem.row_count = rows->row_count;
    problem.blocks = rows->blocks;
    problem.jacobian_a = (const double(*)[6])rows->jacobian_a;
    problem.jacobian_b = (const double(*)[6])rows->jacobian_b;
    problem.jacobian_c = problem.jacobian_d = NULL;
    problem.target = rows->target;
    problem.compliance = rows->compliance;
    problem.lower = rows->lower;
    problem.upper = rows->upper;
    problem.offset = rows->offset;
    problem.slope = rows->slope;
    return problem;
}

CnStatus cn_tree_contacts_begin(const CnWorld* world, const CnJointTree* tree, int island,
                                CnArena* arena, CnTreeContacts* contacts, bool* suits) {
    const CnIslandStore* islands = &world->islands;
    int begin = islands->body_start.data[island];
    CnIndexList bodies = {islands->body.data + begin, islands->body_start.data[island + 1] - begin};
    CnTileSet tiles = cn_island_tiles(world, island, arena);
    CnTileRows rows;
    int block_count = 0, row_count = 0;
    *suits = false;
    for (int i = 0; tiles.tiles != NULL && i < tiles.count; ++i) {
        int points = cn_tile_points(tiles.tiles[i]);
        block_count += points;
        row_count += points * tiles.tiles[i]->row_count;
    }
    if (row_count > MOST_ROWS) {
        return CN_OK;
    }
    if (tiles.tiles == NULL || !allocate_rows(block_count, row_count, arena, &rows)) {
        return CN_NO_MEMORY;
    }
    cn_tiles_write_blocks(&tiles, NULL, &rows);
    CnProblem problem = problem_of(world, &rows);
    CnStatus status =
        cn_tree_contacts_take(world, tree, &problem, rows.impulse, bodies, arena, contacts, suits);
    contacts->tiles = tiles;
    return status;
}

// L of a symmetric A = L L^T, lower triangle by rows; zero where an axis is locked.
static void factor_inertia(const double a[9], double l[6]) {
    l[0] = a[0] > 0.0 ? sqrt(a[0]) : 0.0;
    l[1] = l[0] > 0.0 ? a[3] / l[0] : 0.0;
    l[3] = l[0] > 0.0 ? a[6] / l[0] : 0.0;
    double second = a[4] - l[1] * l[1];
    l[2] = second > 0.0 ? sqrt(second) : 0.0;
    l[4] = l[2] > 0.0 ? (a[7] - l[3] * l[1]) / l[2] : 0.0;
    double third = a[8] - (l[3] * l[3] + l[4] * l[4]);
    l[5] = third > 0.0 ? sqrt(third) : 0.0;
}

// The coordinates of a row of a loose body: W of its rows is their product.
static void push_loose(const CnProblem* problem, int body, const double j[6], double* y) {
    double root = sqrt(problem->inverse_mass[body]), l[6];
    factor_inertia(problem->inverse_inertia[body], l);
    for (int k = 0; k < 3; ++k) {
        y[k] = root * j[k];
    }
    y[3] = l[0] * j[3] + l[1] * j[4] + l[3] * j[5];
    y[4] = l[2] * j[4] + l[4] * j[5];
    y[5] = l[5] * j[5];
}

// What a side of a row adds to its coordinates and to what it sees before contacts push.
static void add_side(CnTreeContacts* contacts, const CnJointTree* tree, int row, int side, int body,
                     const double (*moved)[6]) {
    CnOuterRows* outer = &contacts->outer;
    const double* j = cn_block_jacobian(&contacts->problem, row, side);
    double* y = outer->y + (size_t)row * (size_t)outer->axes;
    int place = contacts->place[body];
    if (place >= 0) {
        cn_linkage_push(&tree->links, place, j, y);
        outer->b[row] += cn_dot6(j, moved[place]);
    } else if (place < -1) {
        push_loose(&contacts->problem, body, j, y + tree->links.axis_count - 6 * (place + 2));
    }
}

// Y and b.
static void fill_rows(CnTreeContacts* contacts, const CnJointTree* tree, const double (*moved)[6]) {
    CnOuterRows* outer = &contacts->outer;
    memset(outer->y, 0, (size_t)outer->n * (size_t)outer->axes * sizeof(double));
    for (int i = 0; i < outer->block_count; ++i) {
        const CnBlock* block = &contacts->problem.blocks[i];
        cn_block_free_velocity(&contacts->problem, block, outer->b + block->first_row);
        for (int side = 0; side < 2; ++side) {
            int body = cn_block_body(block, side);
            for (int k = 0; body >= 0 && k < block->row_count; ++k) {
                add_side(contacts, tree, block->first_row + k, side, body, moved);
            }
        }
    }
}

static void fill_response(CnOuterRows* outer) {
    for (int i = 0; i < outer->n; ++i) {
        for (int j = 0; j <= i; ++j) {
            double w = cn_dense_dot(outer->axes, outer->y + (size_t)i * (size_t)outer->axes,
                                    outer->y + (size_t)j * (size_t)outer->axes);
            outer->w[i * outer->n + j] = outer->w[j * outer->n + i] = w;
        }
    }
}

// The velocities of the links that the impulses lead to, besides those they have.
static CnStatus respond(const CnTreeContacts* contacts, const CnJointTree* tree, CnArena* arena,
                        double (*moved)[6]) {
    const CnOuterRows* outer = &contacts->outer;
    double* along = CN_ARENA_NEW(arena, double, outer->axes);
    double(*change)[6] = cn_arena_allocate_raw(arena, (size_t)tree->link_count, sizeof *change);
    if (along == NULL || change == NULL) {
        return CN_NO_MEMORY;
    }
    for (int row = 0; row < outer->n; ++row) {
        cn_dense_add_scaled(tree->links.axis_count, outer->p[row],
                            outer->y + (size_t)row * (size_t)outer->axes, along);
    }
    cn_linkage_respond(&tree->links, along, change);
    for (int i = 0; i < tree->link_count; ++i) {
        for (int k = 0; k < 6; ++k) {
            moved[i][k] += change[i][k];
        }
    }
    return CN_OK;
}

CnStatus cn_tree_contacts_solve(CnTreeContacts* contacts, const CnJointTree* tree,
                                const CnSolverDef* def, CnArena* arena, CnSolverReport* report,
                                double (*moved)[6], double (*pushed)[6], bool* found) {
    CnOuterRows* outer = &contacts->outer;
    CnArenaMark mark = cn_arena_mark(arena);
    outer->axes = tree->links.axis_count + 6 * contacts->loose_count;
    report->work += (double)outer->n * outer->n * outer->axes;
    fill_rows(contacts, tree, (const double(*)[6])moved);
    fill_response(outer);
    CnStatus status =
        cn_outer_solve_condensed(&contacts->problem, def, outer, arena, report, found);
    if (status == CN_OK && *found) {
        status = respond(contacts, tree, arena, moved);
        memset(pushed, 0, (size_t)tree->link_count * sizeof *pushed);
        cn_tree_contacts_push(contacts, pushed);
    }
    cn_arena_release(arena, mark);
    return status;
}

// Adds J^T p of the rows on one side of a block.
static void push_side(const CnTreeContacts* contacts, const CnBlock* block, int side,
                      double momentum[6]) {
    for (int row = block->first_row; row < block->first_row + block->row_count; ++row) {
        const double* j = cn_block_jacobian(&contacts->problem, row, side);
        for (int k = 0; k < 6; ++k) {
            momentum[k] += contacts->outer.p[row] * j[k];
        }
    }
}

void cn_tree_contacts_push(const CnTreeContacts* contacts, double (*momentum)[6]) {
    for (int i = 0; i < contacts->problem.block_count; ++i) {
        const CnBlock* block = &contacts->problem.blocks[i];
        for (int side = 0; side < 2; ++side) {
            int body = cn_block_body(block, side);
            if (body >= 0 && contacts->place[body] >= 0) {
                push_side(contacts, block, side, momentum[contacts->place[body]]);
            }
        }
    }
}

void cn_tree_contacts_move_loose(const CnTreeContacts* contacts, int loose, double velocity[6]) {
    int own = contacts->loose[loose];
    double momentum[6] = {0.0}, change[6];
    for (int i = 0; i < contacts->problem.block_count; ++i) {
        const CnBlock* block = &contacts->problem.blocks[i];
        for (int side = 0; side < 2; ++side) {
            if (cn_block_body(block, side) == own) {
                push_side(contacts, block, side, momentum);
            }
        }
    }
    cn_block_inverse_mass_times(&contacts->problem, own, momentum, change);
    for (int k = 0; k < 6; ++k) {
        velocity[k] = contacts->problem.free_velocity[own][k] + change[k];
    }
}

void cn_tree_contacts_hand_over(const CnTreeContacts* contacts, CnStep* step) {
    cn_tiles_read_impulses(&contacts->tiles, contacts->outer.p);
    for (int i = 0; i < contacts->loose_count; ++i) {
        cn_tree_contacts_move_loose(contacts, i, step->velocity[contacts->loose[i]]);
    }
}
