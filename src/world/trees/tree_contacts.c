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

// Numbers the bodies of the island. False: too many of them are on no tree.
static bool number_bodies(CnTreeContacts* contacts, const CnJointTree* tree, int island) {
    const CnWorld* world = contacts->world;
    const CnIslandStore* islands = &world->islands;
    const CnTreeLink* links = world->trees->links + tree->first_link;
    for (int i = islands->body_start.data[island]; i < islands->body_start.data[island + 1]; ++i) {
        int body = islands->body.data[i];
        bool is_loose = world->step.is_dynamic[body] && world->trees->tree_of[body] < 0;
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

static bool allocate(CnTreeContacts* contacts, int blocks, int rows, int axes, CnArena* arena) {
    size_t n = (size_t)rows;
    contacts->rows = (CnTileRows){
        .blocks = CN_ARENA_NEW(arena, CnBlock, blocks),
        .jacobian_a = cn_arena_allocate_raw(arena, n, sizeof(double[6])),
        .jacobian_b = cn_arena_allocate_raw(arena, n, sizeof(double[6])),
    };
    CnTileRows* to = &contacts->rows;
    double** const numbers[] = {&to->target, &to->compliance, &to->lower,  &to->upper,
                                &to->offset, &to->slope,      &to->impulse};
    bool has_memory = to->blocks != NULL && to->jacobian_a != NULL && to->jacobian_b != NULL;
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; ++i) {
        *numbers[i] = CN_ARENA_RAW(arena, double, n);
        has_memory = has_memory && *numbers[i] != NULL;
    }
    contacts->outer = (CnOuterRows){
        .n = rows,
        .block_count = blocks,
        .block = CN_ARENA_RAW(arena, int, blocks),
        .y = CN_ARENA_RAW(arena, double, n*(size_t)axes),
        .w = CN_ARENA_RAW(arena, double, n* n),
        .b = CN_ARENA_RAW(arena, double, n),
        .before = CN_ARENA_NEW(arena, double, n),
        .p = to->impulse,
    };
    const CnOuterRows* outer = &contacts->outer;
    return has_memory && outer->block != NULL && outer->y != NULL && outer->w != NULL &&
           outer->b != NULL && outer->before != NULL;
}

static void write_problem(CnTreeContacts* contacts) {
    const CnTileRows* rows = &contacts->rows;
    contacts->problem = cn_step_explicit_problem(contacts->world);
    contacts->problem.block_count = rows->block_count;
    contacts->problem.row_count = rows->row_count;
    contacts->problem.blocks = rows->blocks;
    contacts->problem.jacobian_a = (const double(*)[6])rows->jacobian_a;
    contacts->problem.jacobian_b = (const double(*)[6])rows->jacobian_b;
    contacts->problem.jacobian_c = contacts->problem.jacobian_d = NULL;
    contacts->problem.target = rows->target;
    contacts->problem.compliance = rows->compliance;
    contacts->problem.lower = rows->lower;
    contacts->problem.upper = rows->upper;
    contacts->problem.offset = rows->offset;
    contacts->problem.slope = rows->slope;
    for (int i = 0; i < rows->block_count; ++i) {
        contacts->outer.block[i] = i;
    }
}

CnStatus cn_tree_contacts_begin(const CnWorld* world, const CnJointTree* tree, int island,
                                CnArena* arena, CnTreeContacts* contacts, bool* suits) {
    int blocks = 0, rows = 0;
    *contacts = (CnTreeContacts){
        .world = world,
        .tiles = cn_island_tiles(world, island, arena),
        .place = CN_ARENA_RAW(arena, int, world->bodies.count),
        .loose = CN_ARENA_RAW(arena, int, MOST_LOOSE),
    };
    *suits = false;
    if (contacts->tiles.tiles == NULL || contacts->place == NULL || contacts->loose == NULL) {
        return CN_NO_MEMORY;
    }
    for (int i = 0; i < contacts->tiles.count; ++i) {
        int points = cn_tile_points(contacts->tiles.tiles[i]);
        blocks += points;
        rows += points * contacts->tiles.tiles[i]->row_count;
    }
    if (tree->loops.row_count > 0 || !number_bodies(contacts, tree, island) ||
        rows > (contacts->loose_count > 0 ? CN_MACHINE_SWEPT_ROWS : MOST_ROWS)) {
        return CN_OK;
    }
    if (!allocate(contacts, blocks, rows, 6 * (tree->link_count + contacts->loose_count), arena)) {
        return CN_NO_MEMORY;
    }
    cn_tiles_write_blocks(&contacts->tiles, NULL, &contacts->rows);
    write_problem(contacts);
    *suits = true;
    return CN_OK;
}

static const double* half_row(const CnTreeContacts* contacts, int row, int side) {
    return side == 0 ? contacts->rows.jacobian_a[row] : contacts->rows.jacobian_b[row];
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
static void push_loose(const CnTreeContacts* contacts, int body, const double j[6], double* y) {
    const CnStep* step = &contacts->world->step;
    double root = sqrt(step->inverse_mass[body]), l[6];
    factor_inertia(step->inverse_inertia[body], l);
    for (int k = 0; k < 3; ++k) {
        y[k] = root * j[k];
    }
    y[3] = l[0] * j[3] + l[1] * j[4] + l[3] * j[5];
    y[4] = l[2] * j[4] + l[4] * j[5];
    y[5] = l[5] * j[5];
}

// Y and b: what each row sees before contacts push.
static void fill_rows(CnTreeContacts* contacts, const CnJointTree* tree, const double (*moved)[6]) {
    CnOuterRows* outer = &contacts->outer;
    memset(outer->y, 0, (size_t)outer->n * (size_t)outer->axes * sizeof(double));
    for (int i = 0; i < outer->block_count; ++i) {
        const CnBlock* block = &contacts->rows.blocks[i];
        cn_block_free_velocity(&contacts->problem, block, outer->b + block->first_row);
        for (int side = 0; side < 2; ++side) {
            int body = cn_block_body(block, side);
            int place = body < 0 ? -1 : contacts->place[body];
            for (int row = block->first_row;
                 place != -1 && row < block->first_row + block->row_count; ++row) {
                const double* j = half_row(contacts, row, side);
                double* y = outer->y + (size_t)row * (size_t)outer->axes;
                if (place >= 0) {
                    cn_linkage_push(&tree->links, place, j, y);
                    outer->b[row] += cn_dot6(j, moved[place]);
                } else {
                    push_loose(contacts, body, j, y + tree->links.axis_count - 6 * (place + 2));
                }
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
        const double* j = half_row(contacts, row, side);
        for (int k = 0; k < 6; ++k) {
            momentum[k] += contacts->outer.p[row] * j[k];
        }
    }
}

void cn_tree_contacts_push(const CnTreeContacts* contacts, double (*momentum)[6]) {
    for (int i = 0; i < contacts->rows.block_count; ++i) {
        const CnBlock* block = &contacts->rows.blocks[i];
        for (int side = 0; side < 2; ++side) {
            int body = cn_block_body(block, side);
            if (body >= 0 && contacts->place[body] >= 0) {
                push_side(contacts, block, side, momentum[contacts->place[body]]);
            }
        }
    }
}

static void move_loose(const CnTreeContacts* contacts, int place, CnStep* step) {
    int own = contacts->loose[place];
    double momentum[6] = {0.0}, change[6];
    for (int i = 0; i < contacts->rows.block_count; ++i) {
        const CnBlock* block = &contacts->rows.blocks[i];
        for (int side = 0; side < 2; ++side) {
            if (cn_block_body(block, side) == own) {
                push_side(contacts, block, side, momentum);
            }
        }
    }
    cn_block_inverse_mass_times(&contacts->problem, own, momentum, change);
    for (int k = 0; k < 6; ++k) {
        step->velocity[own][k] = step->free_velocity[own][k] + change[k];
    }
}

void cn_tree_contacts_hand_over(const CnTreeContacts* contacts, CnStep* step) {
    cn_tiles_read_impulses(&contacts->tiles, contacts->outer.p);
    for (int i = 0; i < contacts->loose_count; ++i) {
        move_loose(contacts, i, step);
    }
}
