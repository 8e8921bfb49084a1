// elastic_blocks.c - grids of springs whose lowest nodes may touch the ground: masses of any size.
#include "support/problems/elastic_blocks.h"

#include <stdio.h>
#include <stdlib.h>

#define SQRT_HALF 0.70710678118654752440

typedef struct Triplet {
    int row, column;
    double value;
} Triplet;

// A matrix while it is gathered.
typedef struct Matrix {
    int count, capacity;
    Triplet* triplets;
    int *start, *column;
    double* value;
} Matrix;

static void* need(void* memory) {
    if (memory == NULL) {
        fprintf(stderr, "no memory for an elastic block\n");
        exit(1);
    }
    return memory;
}

static void add(Matrix* matrix, int row, int column, double value) {
    if (value == 0.0) {
        return;
    }
    if (matrix->count == matrix->capacity) {
        matrix->capacity = 2 * matrix->capacity + 64;
        matrix->triplets =
            need(realloc(matrix->triplets, (size_t)matrix->capacity * sizeof *matrix->triplets));
    }
    matrix->triplets[matrix->count++] = (Triplet){row, column, value};
}

static int compare(const void* a, const void* b) {
    const Triplet *x = a, *y = b;
    return x->row != y->row ? x->row - y->row : x->column - y->column;
}

static CnResponse compress(Matrix* matrix, int rows) {
    size_t count = (size_t)matrix->count;
    qsort(matrix->triplets, count, sizeof *matrix->triplets, compare);
    matrix->start = need(calloc((size_t)rows + 1, sizeof *matrix->start));
    matrix->column = need(calloc(count + 1, sizeof *matrix->column));
    matrix->value = need(calloc(count + 1, sizeof *matrix->value));
    int used = 0;
    for (int row = 0, at = 0; row < rows; ++row) {
        for (; at < matrix->count && matrix->triplets[at].row == row; ++at) {
            const Triplet* triplet = &matrix->triplets[at];
            bool repeats = used > matrix->start[row] && matrix->column[used - 1] == triplet->column;
            used += repeats ? 0 : 1;
            matrix->column[used - 1] = triplet->column;
            matrix->value[used - 1] += triplet->value;
        }
        matrix->start[row + 1] = used;
    }
    return (CnResponse){matrix->start, matrix->column, matrix->value};
}

static void discard(Matrix* matrix) {
    free(matrix->triplets);
    free(matrix->start);
    free(matrix->column);
    free(matrix->value);
}

// ---- the springs ----

typedef struct Grid {
    const ElasticBlockDef* def;
    int dimension;
    Matrix mass;
} Grid;

static int node_at(const ElasticBlockDef* def, int i, int j, int k) {
    return (k * def->y + j) * def->x + i;
}

// Axes of the grid, 0 to 2, among the coordinates of a node: in the plane there is no y.
static int coordinate(const Grid* grid, int node, int axis) {
    return grid->dimension * node + (grid->dimension == 2 && axis == 2 ? 1 : axis);
}

// Energy 1/2 stiffness (n . (u_b - u_a))^2; node b < 0 does not move.
static void add_spring(Grid* grid, int a, int b, const double n[3], double stiffness) {
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            double value = stiffness * n[i] * n[j];
            if (value == 0.0) {
                continue;
            }
            int ai = coordinate(grid, a, i), aj = coordinate(grid, a, j);
            add(&grid->mass, ai, aj, value);
            if (b >= 0) {
                int bi = coordinate(grid, b, i), bj = coordinate(grid, b, j);
                add(&grid->mass, bi, bj, value);
                add(&grid->mass, ai, bj, -value);
                add(&grid->mass, bi, aj, -value);
            }
        }
    }
}

// Between neighbours along an axis.
static void add_link(Grid* grid, int a, int b, int axis) {
    for (int k = 0; k < 3; ++k) {
        double n[3] = {k == 0, k == 1, k == 2};
        if (grid->dimension == 3 || k != 1) {
            add_spring(grid, a, b, n, k == axis ? grid->def->along : grid->def->across);
        }
    }
}

// The two diagonals of the square that starts at a node in the plane of two axes.
static void add_diagonals(Grid* grid, const int at[3], int axis, int other) {
    const ElasticBlockDef* def = grid->def;
    const int size[3] = {def->x, def->y, def->z};
    if (at[axis] + 1 >= size[axis] || at[other] + 1 >= size[other] || def->diagonal == 0.0) {
        return;
    }
    for (int sign = -1; sign <= 1; sign += 2) {
        int a[3] = {at[0], at[1], at[2]}, b[3] = {at[0], at[1], at[2]};
        double n[3] = {0.0};
        a[axis] += sign < 0;
        b[axis] += sign > 0;
        b[other] += 1;
        n[axis] = sign * SQRT_HALF;
        n[other] = SQRT_HALF;
        add_spring(grid, node_at(def, a[0], a[1], a[2]), node_at(def, b[0], b[1], b[2]), n,
                   def->diagonal);
    }
}

static void add_node(Grid* grid, int i, int j, int k) {
    const ElasticBlockDef* def = grid->def;
    const int at[3] = {i, j, k};
    int node = node_at(def, i, j, k);
    for (int axis = 0; axis < 3; ++axis) {
        if (grid->dimension == 3 || axis != 1) {
            int own = coordinate(grid, node, axis);
            add(&grid->mass, own, own, def->mass);
        }
    }
    add(&grid->mass, coordinate(grid, node, 0), coordinate(grid, node, 2), def->skew);
    add(&grid->mass, coordinate(grid, node, 2), coordinate(grid, node, 0), -def->skew);
    if (i + 1 < def->x) {
        add_link(grid, node, node_at(def, i + 1, j, k), 0);
    }
    if (j + 1 < def->y) {
        add_link(grid, node, node_at(def, i, j + 1, k), 1);
    }
    if (k + 1 < def->z || def->hangs) {
        add_link(grid, node, k + 1 < def->z ? node_at(def, i, j, k + 1) : -1, 2);
    }
    add_diagonals(grid, at, 0, 1);
    add_diagonals(grid, at, 0, 2);
    add_diagonals(grid, at, 1, 2);
}

// ---- the problem ----

// Normals of contacts come first, then tangents; held nodes have an equality for each coordinate.
static void add_rows(const Grid* grid, ElasticBlock* block, Matrix* jacobian) {
    const ElasticBlockDef* def = grid->def;
    int d = grid->dimension;
    for (int i = 0; i < block->problem.block_count; ++i) {
        bool is_contact = i < block->contact_count;
        int node = is_contact ? i : node_at(def, 0, 0, def->z - 1) + i - block->contact_count;
        block->blocks[i] = (CnBlock){.law = is_contact ? CN_LAW_COULOMB : CN_LAW_EQUALITY,
                                     .first_row = d * i,
                                     .row_count = d,
                                     .body_a = -1,
                                     .body_b = -1,
                                     .friction = is_contact ? def->friction : 0.0};
        block->target[d * i] = is_contact ? -def->gap : 0.0;
        for (int k = 0; k < d; ++k) {
            add(jacobian, d * i + k, coordinate(grid, node, k == 0 ? 2 : k - 1), 1.0);
        }
    }
}

static void solve_free(const Grid* grid, ElasticBlock* block) {
    const ElasticBlockDef* def = grid->def;
    double* flat = (double*)block->free_velocity;
    for (int node = 0; node < def->x * def->y * def->z; ++node) {
        double factor = def->extra != NULL ? def->extra(node % (def->x * def->y)) : 1.0;
        for (int axis = 0; axis < 3; ++axis) {
            if (grid->dimension == 3 || axis != 1) {
                flat[coordinate(grid, node, axis)] = factor * def->load[axis];
            }
        }
    }
    cn_masses_solve(block->masses, flat, flat);
}

static void allocate(ElasticBlock* block, size_t bodies, size_t blocks, size_t rows) {
    block->blocks = need(calloc(blocks + 1, sizeof *block->blocks));
    block->free_velocity = need(calloc(bodies + 1, sizeof *block->free_velocity));
    block->velocity = need(calloc(bodies + 1, sizeof *block->velocity));
    block->target = need(calloc(rows + 1, sizeof *block->target));
    block->zero = need(calloc(rows + 1, sizeof *block->zero));
    block->impulse = need(calloc(rows + 1, sizeof *block->impulse));
}

ElasticBlock elastic_block_create(const ElasticBlockDef* def) {
    Grid grid = {.def = def, .dimension = def->y > 1 ? 3 : 2};
    Matrix jacobian = {0};
    int coordinates = grid.dimension * def->x * def->y * def->z;
    int contacts = def->x * def->y, blocks = contacts + def->held;
    ElasticBlock block = {.dimension = grid.dimension, .contact_count = contacts};
    block.problem = (CnProblem){.body_count = (coordinates + 5) / 6,
                                .block_count = blocks,
                                .row_count = grid.dimension * blocks};
    allocate(&block, (size_t)block.problem.body_count, (size_t)blocks,
             (size_t)block.problem.row_count);
    for (int node = 0; node < def->x * def->y * def->z; ++node) {
        add_node(&grid, node % def->x, node / def->x % def->y, node / (def->x * def->y));
    }
    add_rows(&grid, &block, &jacobian);
    CnError error = {0};
    CnMassesDef masses = {.coordinate_count = coordinates,
                          .mass = compress(&grid.mass, coordinates),
                          .jacobian = compress(&jacobian, block.problem.row_count),
                          .blocks = block.blocks,
                          .block_count = blocks};
    block.masses = cn_masses_create(&masses, &error);
    if (block.masses == NULL) {
        fprintf(stderr, "an elastic block: %s\n", error.message);
        exit(1);
    }
    discard(&grid.mass);
    discard(&jacobian);
    solve_free(&grid, &block);
    block.problem.blocks = block.blocks;
    block.problem.free_velocity = (const double(*)[6])block.free_velocity;
    block.problem.target = block.target;
    block.problem.compliance = block.problem.lower = block.problem.upper = block.zero;
    block.problem.offset = block.problem.slope = block.zero;
    block.problem.masses = block.masses;
    return block;
}

void elastic_block_free(ElasticBlock* block) {
    cn_masses_destroy(block->masses);
    free(block->blocks);
    free(block->free_velocity);
    free(block->velocity);
    free(block->target);
    free(block->zero);
    free(block->impulse);
}
