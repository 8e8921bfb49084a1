// machine_paths.c - rows that act on machines from outside, by coordinates along paths of trees.
#include "solvers/tree/machine_paths.h"

#include "constraints/problem/block.h"
#include "math/simd.h"

#include <math.h>
#include <string.h>

// Multiplications of a visit besides its products with the axes.
#define WORK_OF_VISIT 120.0

// A product with an axis takes as long as two of a dense kernel.
static double work_of_visit(const CnPathBlock* it) {
    return WORK_OF_VISIT + 6.0 * it->item.block->row_count * it->path.count;
}

// ---- preparing ----

// Scratch for the rows of one block: dense coordinates, and the axes that have entries.
typedef struct PathScratch {
    double* y;   // zero between blocks   [CN_MAX_ROWS * axes]
    bool* taken; // false between blocks   [axes]
    int* axis;   // [axes]
    int axes, count;
} PathScratch;

static int link_on(const CnMachine* machine, const CnBlock* block, int side) {
    int body = cn_block_body(block, side);
    return body < 0 ? -1 : machine->plan.link[body];
}

static int root_of(const CnMachine* machine, int link) {
    while (link >= 0 && machine->links.parent[link] >= 0) {
        link = machine->links.parent[link];
    }
    return link;
}

static void list_path(const CnLinkage* links, int link, PathScratch* scratch) {
    for (; link >= 0; link = links->parent[link]) {
        for (int k = links->first_axis[link]; k < links->first_axis[link + 1]; ++k) {
            if (!scratch->taken[k]) {
                scratch->taken[k] = true;
                scratch->axis[scratch->count++] = k;
            }
        }
    }
}

// The coordinates of a block's rows, and b.
static void push_block(const CnMachine* machine, const CnBlock* block, PathScratch* scratch,
                       CnPaths* paths) {
    for (int side = 0; side < cn_block_sides(block); ++side) {
        int link = link_on(machine, block, side);
        if (link < 0) {
            continue;
        }
        list_path(&machine->links, link, scratch);
        for (int k = 0; k < block->row_count; ++k) {
            int row = block->first_row + k;
            const double* jacobian = cn_block_jacobian(machine->problem, row, side);
            cn_linkage_push(&machine->links, link, jacobian, scratch->y + k * scratch->axes);
            paths->b[row] += cn_dot6(jacobian, machine->moved[link]);
        }
    }
}

// Copies the entries out of the scratch, and leaves it zero.
static CnStatus keep_path(const CnBlock* block, int filler, PathScratch* scratch, CnArena* arena,
                          CnRowPath* to) {
    int count = scratch->count;
    int stride = (count + CN_PATH_LANES - 1) / CN_PATH_LANES * CN_PATH_LANES;
    int* axis = CN_ARENA_RAW(arena, int, stride);
    double* value = CN_ARENA_NEW(arena, double, stride * block->row_count);
    if (axis == NULL || value == NULL) {
        return CN_NO_MEMORY;
    }
    for (int i = 0; i < stride; ++i) {
        axis[i] = i < count ? scratch->axis[i] : filler;
    }
    for (int i = 0; i < count; ++i) {
        scratch->taken[axis[i]] = false;
        for (int k = 0; k < block->row_count; ++k) {
            double* y = &scratch->y[k * scratch->axes + axis[i]];
            value[k * stride + i] = *y;
            *y = 0.0;
        }
    }
    *to = (CnRowPath){axis, value, count, stride};
    scratch->count = 0;
    return CN_OK;
}

// W_aa = Y_a Y_a^T + C, and that of the bodies alone.
static CnStatus fill_delassus(const CnProblem* problem, CnPathBlock* to, CnArena* arena) {
    const CnBlock* block = to->item.block;
    int n = block->row_count;
    double* w = CN_ARENA_RAW(arena, double, 2 * n * n);
    if (w == NULL) {
        return CN_NO_MEMORY;
    }
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j <= i; ++j) {
            double sum = i == j ? problem->compliance[block->first_row + i] : 0.0;
            const double *left = to->path.value + i * to->path.stride,
                         *right = to->path.value + j * to->path.stride;
            for (int k = 0; k < to->path.count; ++k) {
                sum += left[k] * right[k];
            }
            w[i * n + j] = w[j * n + i] = sum;
        }
    }
    cn_block_delassus(problem, block, w + n * n);
    to->item.w = w;
    to->item.lambda_max = cn_block_largest_eigenvalue(w, n);
    to->own = w + n * n;
    to->own_largest = cn_block_largest_eigenvalue(to->own, n);
    return cn_block_solve_prepare(problem, &to->item, arena);
}

static CnStatus add_block(const CnMachine* machine, int index, PathScratch* scratch, CnArena* arena,
                          CnPaths* paths) {
    const CnBlock* block = &machine->problem->blocks[index];
    CnPathBlock* to = &paths->blocks[paths->count++];
    *to = (CnPathBlock){.item.block = block, .index = index, .momentum.age = 1.0};
    for (int side = 0; side < 2; ++side) {
        to->root[side] = root_of(machine, link_on(machine, block, side));
    }
    size_t bytes = (size_t)block->row_count * sizeof(double);
    memcpy(paths->b + block->first_row, machine->u + block->first_row, bytes);
    memcpy(paths->p + block->first_row, machine->guess + block->first_row, bytes);
    push_block(machine, block, scratch, paths);
    CnStatus status = keep_path(block, paths->axes, scratch, arena, &to->path);
    paths->work_of_grade += work_of_visit(to);
    return status == CN_OK ? fill_delassus(machine->problem, to, arena) : status;
}

CnStatus cn_paths_prepare(const CnMachine* machine, CnArena* arena, CnPaths* paths) {
    const CnProblem* problem = machine->problem;
    size_t rows = (size_t)problem->row_count, axes = (size_t)machine->links.axis_count;
    PathScratch scratch = {
        .y = CN_ARENA_NEW(arena, double, CN_MAX_ROWS* axes),
        .taken = CN_ARENA_NEW(arena, bool, axes),
        .axis = CN_ARENA_RAW(arena, int, axes),
        .axes = (int)axes,
    };
    *paths = (CnPaths){
        .problem = problem,
        .products = CN_WIDEST(cn_path_products),
        .before = machine->impulse,
        .blocks = CN_ARENA_RAW(arena, CnPathBlock, machine->outer_count),
        .b = CN_ARENA_NEW(arena, double, rows),
        .y = CN_ARENA_NEW(arena, double, axes + 1),
        .p = CN_ARENA_NEW(arena, double, rows),
        .scratch = CN_ARENA_NEW(arena, double, axes),
        .axes = (int)axes,
    };
    bool has_memory = scratch.y != NULL && scratch.taken != NULL && scratch.axis != NULL &&
                      paths->blocks != NULL && paths->b != NULL && paths->y != NULL &&
                      paths->p != NULL && paths->scratch != NULL;
    CnStatus status = has_memory ? CN_OK : CN_NO_MEMORY;
    for (int i = 0; status == CN_OK && i < machine->outer_count; ++i) {
        status = add_block(machine, machine->outer[i], &scratch, arena, paths);
    }
    return status;
}

// ---- a visit ----

// u of a block at the present impulses: (24).
void cn_paths_read(const CnPaths* paths, const CnPathBlock* it, double* u) {
    const CnBlock* block = it->item.block;
    int n = block->row_count;
    paths->products->read(&it->path, n, paths->y, u);
    for (int i = 0; i < n; ++i) {
        int row = block->first_row + i;
        u[i] = paths->b[row] + u[i] +
               paths->problem->compliance[row] * (paths->p[row] - paths->before[row]);
    }
}

// y += Y_a^T change
static void write_change(CnPaths* paths, const CnPathBlock* it, const double* change) {
    int n = it->item.block->row_count;
    bool changes = false;
    for (int i = 0; i < n; ++i) {
        changes = changes || change[i] != 0.0;
    }
    if (changes) {
        paths->products->write(&it->path, n, change, paths->y);
    }
}

void cn_paths_visit(CnPaths* paths, CnPathBlock* it) {
    const CnBlock* block = it->item.block;
    int n = block->row_count;
    double* p = paths->p + block->first_row;
    double q[CN_MAX_ROWS], before[CN_MAX_ROWS], change[CN_MAX_ROWS];
    cn_paths_read(paths, it, q);
    for (int i = 0; i < n; ++i) { // u without the own impulse
        before[i] = p[i];
        for (int j = 0; j < n; ++j) {
            q[i] -= it->item.w[i * n + j] * p[j];
        }
    }
    cn_block_solve(paths->problem, &it->item, q, p);
    for (int i = 0; i < n; ++i) {
        change[i] = p[i] - before[i];
    }
    write_change(paths, it, change);
    cn_block_momentum_note(&it->momentum, block, it->item.w, before, p);
}

void cn_paths_extrapolate(CnPaths* paths, CnPathBlock* it, double most) {
    double change[CN_MAX_ROWS];
    const CnBlock* block = it->item.block;
    cn_block_momentum_extrapolate(&it->momentum, paths->problem, block, most,
                                  paths->p + block->first_row, change);
    write_change(paths, it, change);
}

// ---- all blocks ----

// y from the impulses.
static void push_all(CnPaths* paths) {
    memset(paths->y, 0, ((size_t)paths->axes + 1) * sizeof(double));
    for (int i = 0; i < paths->count; ++i) {
        const CnPathBlock* it = &paths->blocks[i];
        double change[CN_MAX_ROWS];
        for (int k = 0; k < it->item.block->row_count; ++k) {
            int row = it->item.block->first_row + k;
            change[k] = paths->p[row] - paths->before[row];
        }
        write_change(paths, it, change);
    }
}

static void grade_block(CnPaths* paths, CnPathBlock* it) {
    const CnBlock* block = it->item.block;
    const double* p = paths->p + block->first_row;
    double u[CN_MAX_ROWS];
    cn_paths_read(paths, it, u);
    it->residual = cn_block_residual(paths->problem, block, it->own, it->own_largest, u, p);
    bool acts = it->residual > 0.0;
    for (int k = 0; k < block->row_count; ++k) {
        acts = acts || p[k] != 0.0;
    }
    if (acts && !it->acts) {
        cn_block_momentum_restart(&it->momentum, block, p);
    }
    it->acts = acts;
}

void cn_paths_grade(CnPaths* paths) {
    double sum = 0.0;
    push_all(paths);
    paths->worst = paths->work = 0.0;
    for (int i = 0; i < paths->count; ++i) {
        CnPathBlock* it = &paths->blocks[i];
        grade_block(paths, it);
        paths->work += it->acts ? work_of_visit(it) : 0.0;
        if (it->residual > paths->worst) { // infinite where it is not a number
            paths->worst = it->residual;
            paths->worst_block = i;
        }
        sum += it->residual * it->residual;
    }
    paths->rms = sqrt(sum / fmax(paths->count, 1));
}

void cn_paths_response(CnPaths* paths, const int* list, int count, int rows, double* w) {
    int i = 0;
    for (int a = 0; a < count; ++a) {
        const CnPathBlock* left = &paths->blocks[list[a]];
        for (int row = 0; row < left->item.block->row_count; ++row, ++i) {
            const double* value = left->path.value + row * left->path.stride;
            int j = 0;
            for (int k = 0; k < left->path.count; ++k) {
                paths->scratch[left->path.axis[k]] = value[k];
            }
            for (int b = 0; b <= a; ++b) {
                const CnPathBlock* right = &paths->blocks[list[b]];
                int rows_right = right->item.block->row_count;
                for (int column = 0; column < rows_right; ++column, ++j) {
                    const double* other = right->path.value + column * right->path.stride;
                    double sum = 0.0;
                    for (int k = 0; k < right->path.count; ++k) {
                        sum += other[k] * paths->scratch[right->path.axis[k]];
                    }
                    w[i * rows + j] = w[j * rows + i] = sum;
                }
            }
            for (int k = 0; k < left->path.count; ++k) {
                paths->scratch[left->path.axis[k]] = 0.0;
            }
        }
    }
}
