// machine_paths.c - rows that act on machines from outside, by coordinates along paths of trees.
#include "solvers/tree/machine_paths.h"

#include "constraints/problem/block.h"
#include "math/simd.h"
#include "solvers/sweep/block_momentum.h"

#include <math.h>
#include <string.h>

// Multiplications of a visit besides its products with the axes, and of watching a block.
#define WORK_OF_VISIT 120.0
#define WORK_OF_WATCH 30.0

// Sweeps after which the share of momentum is a constant, for want of room.
#define OLDEST 256

// Rows that cn_linkage_push_rows() takes at once.
#define BATCH CN_LINKAGE_ROWS

// A product with an axis, read and written for impulse and momentum, takes as long as four of a
// dense kernel.
static double work_of_visit(const CnPathBlock* it) {
    return WORK_OF_VISIT + 4.0 * it->item.block->row_count * (double)it->path.fours * CN_PATH_LANES;
}

// ---- places of axes ----

// The child with the most axes on one path below it, its own included; the first of equals.
static void find_limbs(const CnLinkage* links, int* below, int* heavy) {
    for (int i = 0; i < links->link_count; ++i) {
        below[i] = 0;
        heavy[i] = -1;
    }
    for (int i = links->link_count - 1; i >= 0; --i) {
        int parent = links->parent[i];
        below[i] += links->first_axis[i + 1] - links->first_axis[i];
        if (parent >= 0 && below[i] >= below[parent]) {
            below[parent] = below[i];
            heavy[parent] = i;
        }
    }
}

// Axes of a limb follow each other, from its base, which begins a four. So paths are few fours.
static void place_axes(const CnLinkage* links, const int* heavy, CnPaths* paths) {
    int next = 0;
    for (int base = 0; base < links->link_count; ++base) {
        int parent = links->parent[base];
        if (parent >= 0 && heavy[parent] == base) {
            continue; // placed with its limb
        }
        next = (next + CN_PATH_LANES - 1) / CN_PATH_LANES * CN_PATH_LANES;
        for (int link = base; link >= 0; link = heavy[link]) {
            for (int k = links->first_axis[link]; k < links->first_axis[link + 1]; ++k) {
                paths->place[k] = next++;
            }
        }
    }
    paths->places = (next + CN_PATH_LANES - 1) / CN_PATH_LANES * CN_PATH_LANES;
}

// ---- a block ----

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

// The fours on the path of a link that were not listed before.
static int list_fours(CnPaths* paths, int link, int count) {
    const CnLinkage* links = &paths->machine->links;
    for (; link >= 0; link = links->parent[link]) {
        for (int k = links->first_axis[link]; k < links->first_axis[link + 1]; ++k) {
            int four = paths->place[k] / CN_PATH_LANES;
            if (paths->four[four] == 0) {
                paths->listed[count++] = four * CN_PATH_LANES;
                paths->four[four] = count;
            }
        }
    }
    return count;
}

// Moves the coordinates of some rows along the path of a link out of the scratch.
static void take_path(CnPaths* paths, int link, int rows, int first, int count, double* value) {
    const CnLinkage* links = &paths->machine->links;
    for (; link >= 0; link = links->parent[link]) {
        for (int k = links->first_axis[link]; k < links->first_axis[link + 1]; ++k) {
            int place = paths->place[k], four = paths->four[place / CN_PATH_LANES] - 1;
            double* y = paths->scratch + k * BATCH;
            for (int i = 0; i < count; ++i) {
                value[(four * rows + first + i) * CN_PATH_LANES + place % CN_PATH_LANES] += y[i];
            }
            memset(y, 0, BATCH * sizeof *y);
        }
    }
}

// Y_a, into zeroed values.
static void write_path(CnPaths* paths, const CnBlock* block, double* value) {
    const CnMachine* machine = paths->machine;
    int rows = block->row_count;
    for (int first = 0; first < rows; first += BATCH) {
        int count = rows - first < BATCH ? rows - first : BATCH;
        for (int side = 0; side < cn_block_sides(block); ++side) {
            int link = link_on(machine, block, side);
            const double* jacobian =
                cn_block_jacobian(paths->problem, block->first_row + first, side);
            if (link >= 0) {
                cn_linkage_push_rows(&machine->links, link, count, (const double(*)[6])jacobian,
                                     BATCH, paths->scratch);
            }
        }
        for (int side = 0; side < cn_block_sides(block); ++side) {
            take_path(paths, link_on(machine, block, side), rows, first, count, value);
        }
    }
}

// u of a row where its links have these twists, without the compliance of impulses.
static double row_velocity(const CnPaths* paths, const CnBlock* block, int row,
                           const double (*twist)[6]) {
    double u = paths->machine->u[row];
    for (int side = 0; side < cn_block_sides(block); ++side) {
        int link = link_on(paths->machine, block, side);
        u += link < 0 ? 0.0 : cn_dot6(cn_block_jacobian(paths->problem, row, side), twist[link]);
    }
    return u;
}

// W_aa = Y_a Y_a^T + C, and that of the bodies alone.
static CnStatus fill_delassus(const CnProblem* problem, CnPathBlock* to, CnArena* arena) {
    const CnBlock* block = to->item.block;
    int n = block->row_count;
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j <= i; ++j) {
            double lane[CN_PATH_LANES] = {0.0};
            for (int k = 0; k < to->path.fours; ++k) {
                const double* left = to->path.value + (k * n + i) * CN_PATH_LANES;
                const double* right = to->path.value + (k * n + j) * CN_PATH_LANES;
                for (int m = 0; m < CN_PATH_LANES; ++m) {
                    lane[m] += left[m] * right[m];
                }
            }
            double sum = (lane[0] + lane[1]) + (lane[2] + lane[3]);
            to->w[i * n + j] = to->w[j * n + i] = sum + (i == j ? to->soft[i] : 0.0);
        }
    }
    cn_block_delassus(problem, block, to->own);
    to->item.w = to->w;
    to->own_largest = cn_block_largest_eigenvalue(to->own, n);
    return cn_block_solve_prepare(problem, &to->item, arena);
}

static CnPathBlock* allocate_block(const CnBlock* block, int fours, CnArena* arena) {
    size_t n = (size_t)block->row_count, values = n * (size_t)fours * CN_PATH_LANES;
    CnPathBlock* to = CN_ARENA_NEW(arena, CnPathBlock, 1);
    double* numbers = CN_ARENA_RAW(arena, double, values + 4 * n + 2 * n * n);
    int* place = CN_ARENA_RAW(arena, int, fours);
    if (to == NULL || numbers == NULL || place == NULL) {
        return NULL;
    }
    memset(numbers, 0, values * sizeof *numbers);
    to->item.block = block;
    to->path = (CnRowPath){place, numbers, fours};
    to->base = numbers + values;
    to->soft = to->base + n;
    to->p = to->soft + n;
    to->ahead = to->p + n;
    to->w = to->ahead + n;
    to->own = to->w + n * n;
    return to;
}

// Writes a block out; its impulse is that in paths->p.
static CnStatus add_block(CnPaths* paths, int i, CnArena* arena) {
    const CnMachine* machine = paths->machine;
    const CnProblem* problem = paths->problem;
    const CnBlock* block = &problem->blocks[machine->outer[i]];
    int fours = 0;
    for (int side = 0; side < cn_block_sides(block); ++side) {
        fours = list_fours(paths, link_on(machine, block, side), fours);
    }
    CnPathBlock* to = allocate_block(block, fours, arena);
    if (to != NULL) {
        memcpy((int*)to->path.place, paths->listed, (size_t)fours * sizeof(int));
        write_path(paths, block, (double*)to->path.value);
    }
    for (int k = 0; k < fours; ++k) {
        paths->four[paths->listed[k] / CN_PATH_LANES] = 0;
    }
    if (to == NULL) {
        return CN_NO_MEMORY;
    }
    to->index = machine->outer[i];
    for (int side = 0; side < 2; ++side) {
        to->root[side] = root_of(machine, link_on(machine, block, side));
    }
    for (int k = 0; k < block->row_count; ++k) {
        int row = block->first_row + k;
        to->soft[k] = problem->compliance[row];
        to->base[k] = row_velocity(paths, block, row, (const double(*)[6])paths->moved) -
                      to->soft[k] * machine->impulse[row];
    }
    cn_paths_set(to, paths->p + block->first_row);
    if (paths->carries && machine->age[to->index] > 0) {
        to->age = machine->age[to->index];
        memcpy(to->ahead, machine->ahead + block->first_row,
               (size_t)block->row_count * sizeof *to->ahead);
    }
    paths->blocks[i] = to;
    return fill_delassus(problem, to, arena);
}

// ---- preparing ----

// The age t of momentum grows as t' = (1 + sqrt(1 + 4 t^2)) / 2, and the share is (t - 1) / t'.
static void find_shares(double most, CnPaths* paths) {
    double age = 1.0;
    for (int k = 0; k <= OLDEST; ++k) {
        double next = 0.5 * (1.0 + sqrt(1.0 + 4.0 * age * age));
        paths->share[k] = fmin(most, (age - 1.0) / next);
        paths->oldest = k;
        age = next;
        if (paths->share[k] == most) {
            return;
        }
    }
}

static CnStatus allocate(CnPaths* paths, CnArena* arena) {
    size_t rows = (size_t)paths->problem->row_count, blocks = (size_t)paths->count;
    size_t links = (size_t)paths->machine->links.link_count;
    size_t axes = (size_t)paths->machine->links.axis_count;
    size_t places = CN_PATH_LANES * (axes + links); // at most: each link a limb of its own
    paths->blocks = CN_ARENA_NEW(arena, CnPathBlock*, blocks);
    paths->acting = CN_ARENA_RAW(arena, CnPathBlock*, blocks);
    paths->place = CN_ARENA_RAW(arena, int, axes);
    paths->y = CN_ARENA_NEW(arena, double, places);
    paths->y_ahead = CN_ARENA_NEW(arena, double, places);
    paths->p = CN_ARENA_NEW(arena, double, rows);
    paths->share = CN_ARENA_RAW(arena, double, OLDEST + 1);
    paths->moved = cn_arena_allocate_raw(arena, links, sizeof *paths->moved);
    paths->along = CN_ARENA_RAW(arena, double, axes);
    paths->twist = cn_arena_allocate_raw(arena, links, sizeof *paths->twist);
    paths->scratch = CN_ARENA_NEW(arena, double, places);
    paths->four = CN_ARENA_NEW(arena, int, places / CN_PATH_LANES);
    paths->listed = CN_ARENA_RAW(arena, int, places / CN_PATH_LANES);
    bool has_memory = paths->blocks != NULL && paths->acting != NULL && paths->place != NULL &&
                      paths->y != NULL && paths->y_ahead != NULL && paths->p != NULL &&
                      paths->share != NULL && paths->moved != NULL && paths->along != NULL &&
                      paths->twist != NULL && paths->scratch != NULL && paths->four != NULL &&
                      paths->listed != NULL;
    return has_memory ? CN_OK : CN_NO_MEMORY;
}

// Whether the impulse of a block is or was not zero.
static bool has_impulse(const CnPaths* paths, const CnBlock* block) {
    bool has = false;
    for (int row = block->first_row; row < block->first_row + block->row_count; ++row) {
        has = has || paths->p[row] != 0.0 || paths->machine->impulse[row] != 0.0;
    }
    return has;
}

CnStatus cn_paths_restart(CnPaths* paths, const double* p, CnArena* arena) {
    CnStatus status = CN_OK;
    for (int i = 0; status == CN_OK && i < paths->count; ++i) {
        const CnBlock* block = &paths->problem->blocks[paths->machine->outer[i]];
        double* own = paths->p + block->first_row;
        memmove(own, p + block->first_row, (size_t)block->row_count * sizeof *own);
        if (paths->blocks[i] != NULL) {
            cn_paths_set(paths->blocks[i], own);
        } else if (has_impulse(paths, block)) {
            status = add_block(paths, i, arena);
        }
    }
    return status == CN_OK ? cn_paths_grade(paths, arena) : status;
}

void cn_paths_keep_momentum(const CnPaths* paths, int* age, double* ahead) {
    memset(age, 0, (size_t)paths->problem->block_count * sizeof *age);
    for (int i = 0; i < paths->acting_count; ++i) {
        const CnPathBlock* it = paths->acting[i];
        const CnBlock* block = it->item.block;
        age[it->index] = it->age;
        memcpy(ahead + block->first_row, it->ahead, (size_t)block->row_count * sizeof *ahead);
    }
}

CnStatus cn_paths_prepare(const CnMachine* machine, double most, CnArena* arena, CnPaths* paths) {
    const CnLinkage* links = &machine->links;
    *paths = (CnPaths){.machine = machine,
                       .problem = machine->problem,
                       .products = CN_WIDEST(cn_path_products),
                       .count = machine->outer_count};
    if (allocate(paths, arena) != CN_OK) {
        return CN_NO_MEMORY;
    }
    CnArenaMark mark = cn_arena_mark(arena);
    int* below = CN_ARENA_RAW(arena, int, links->link_count);
    int* heavy = CN_ARENA_RAW(arena, int, links->link_count);
    if (below == NULL || heavy == NULL) {
        return CN_NO_MEMORY;
    }
    find_limbs(links, below, heavy);
    place_axes(links, heavy, paths);
    cn_arena_release(arena, mark);
    find_shares(most, paths);
    paths->carries = machine->goes_on;
    memcpy(paths->moved, machine->moved, (size_t)links->link_count * sizeof *paths->moved);
    CnStatus status = cn_paths_restart(paths, machine->guess, arena);
    paths->carries = false;
    return status;
}

void cn_paths_set(CnPathBlock* it, const double* p) {
    size_t bytes = (size_t)it->item.block->row_count * sizeof *p;
    memmove(it->p, p, bytes); // p may be it->p
    memcpy(it->ahead, it->p, bytes);
    it->age = 1; // the first share, which is none, has been taken
}

// ---- a visit ----

void cn_paths_read(const CnPaths* paths, const CnPathBlock* it, double* u) {
    int n = it->item.block->row_count;
    paths->products->read(&it->path, n, paths->y, u);
    for (int i = 0; i < n; ++i) {
        u[i] = it->base[i] + u[i] + it->soft[i] * it->p[i];
    }
}

// The impulse that solves the law of a block for all others held, from the one extrapolated; n: its
// rows.
static inline void solve_law(const CnPaths* paths, CnPathBlock* it, int n, const double* u,
                             double* p) {
    const CnBlock* block = it->item.block;
    if (n == 1 && block->law == CN_LAW_BOUNDS) { // as cn_block_solve()
        double w = it->w[0], lower = paths->problem->lower[block->first_row],
               upper = paths->problem->upper[block->first_row], next = it->ahead[0] - u[0] / w;
        p[0] = w > 0.0 ? (next < lower ? lower : next > upper ? upper : next) : it->ahead[0];
        return;
    }
    double q[CN_MAX_ROWS]; // u without the own impulse
    for (int i = 0; i < n; ++i) {
        q[i] = u[i];
        for (int j = 0; j < n; ++j) {
            q[i] -= it->w[i * n + j] * it->ahead[j];
        }
        p[i] = it->ahead[i];
    }
    if (n == 3 && block->law == CN_LAW_COULOMB) {
        cn_one_contact_approach(&it->item.contact, q, p, it->slip);
    } else {
        cn_block_solve(paths->problem, &it->item, q, p);
    }
}

// Whether an impulse that was extrapolated turned back: the visit changed it against the change
// since the visit before. Rows are weighted by W, since lengths and angles have different units.
static inline bool has_turned(const CnPathBlock* it, int n, const double* p) {
    double agreement = 0.0;
    for (int i = 0; i < n; ++i) {
        agreement += it->w[i * n + i] * (p[i] - it->ahead[i]) * (p[i] - it->p[i]);
    }
    return agreement < 0.0;
}

// The projection of an extrapolated impulse onto the set of its law.
static inline void keep_in_set(const CnPaths* paths, const CnBlock* block, int n, double* p) {
    if (n == 3 && block->law == CN_LAW_COULOMB) {
        p[0] = p[0] > 0.0 ? p[0] : 0.0;
        double limit = block->friction * p[0], square = p[1] * p[1] + p[2] * p[2];
        if (square > limit * limit) {
            double scale = limit / sqrt(square);
            p[1] *= scale;
            p[2] *= scale;
        }
        return;
    }
    cn_block_keep_in_set(paths->problem, block, p);
}

// Solves a block with all others held, and extrapolates its impulse for the next sweep: (24), (60).
static inline void visit_rows(CnPaths* paths, CnPathBlock* it, int n) {
    double u[CN_MAX_ROWS], p[CN_MAX_ROWS], change[CN_MAX_ROWS], further[CN_MAX_ROWS];
    bool changes = false, goes_further = false;
    paths->products->read(&it->path, n, paths->y, u);
    for (int i = 0; i < n; ++i) {
        u[i] = it->base[i] + u[i] + it->soft[i] * it->ahead[i];
    }
    solve_law(paths, it, n, u, p);
    bool turned = has_turned(it, n, p);
    double share = turned ? 0.0 : paths->share[it->age];
    it->age = turned ? 0 : it->age < paths->oldest ? it->age + 1 : it->age;
    for (int i = 0; i < n; ++i) {
        change[i] = p[i] - it->ahead[i];
        changes = changes || change[i] != 0.0;
        further[i] = p[i] + share * (p[i] - it->p[i]);
    }
    if (share > 0.0) {
        keep_in_set(paths, it->item.block, n, further);
    }
    for (int i = 0; i < n; ++i) {
        it->p[i] = p[i];
        it->ahead[i] = further[i];
        further[i] -= p[i];
        goes_further = goes_further || further[i] != 0.0;
    }
    if (goes_further) {
        paths->products->write_both(&it->path, n, change, paths->y, further, paths->y_ahead);
    } else if (changes) {
        paths->products->write(&it->path, n, change, paths->y);
    }
}

// Inlined where the number of rows is known, what is computed stays in registers.
static void visit(CnPaths* paths, CnPathBlock* it) {
    int n = it->item.block->row_count;
    if (n == 3) {
        visit_rows(paths, it, 3);
    } else if (n == 1) {
        visit_rows(paths, it, 1);
    } else {
        visit_rows(paths, it, n);
    }
}

void cn_paths_sweep(CnPaths* paths) {
    for (int k = 0; k < paths->places; ++k) {
        paths->y[k] += paths->y_ahead[k];
        paths->y_ahead[k] = 0.0;
    }
    for (int i = 0; i < paths->acting_count; ++i) {
        visit(paths, paths->acting[i]);
    }
}

// ---- all blocks ----

// y from the impulses.
static void push_all(CnPaths* paths) {
    memset(paths->y, 0, (size_t)paths->places * sizeof *paths->y);
    memset(paths->y_ahead, 0, (size_t)paths->places * sizeof *paths->y_ahead);
    for (int i = 0; i < paths->count; ++i) {
        const CnPathBlock* it = paths->blocks[i];
        if (it == NULL) {
            continue;
        }
        double change[CN_MAX_ROWS], further[CN_MAX_ROWS];
        int first = it->item.block->first_row;
        for (int k = 0; k < it->item.block->row_count; ++k) {
            paths->p[first + k] = it->p[k];
            change[k] = it->p[k] - paths->machine->impulse[first + k];
            further[k] = it->ahead[k] - it->p[k];
        }
        paths->products->write_both(&it->path, it->item.block->row_count, change, paths->y, further,
                                    paths->y_ahead);
    }
}

// Velocities of the links at the present impulses.
static void move_links(CnPaths* paths) {
    const CnLinkage* links = &paths->machine->links;
    for (int k = 0; k < links->axis_count; ++k) {
        paths->along[k] = paths->y[paths->place[k]];
    }
    cn_linkage_respond(links, paths->along, paths->twist);
    for (int i = 0; i < links->link_count; ++i) {
        for (int j = 0; j < 6; ++j) {
            paths->twist[i][j] += paths->moved[i][j];
        }
    }
}

// Whether a block without impulses needs none: a contact that opens, a stop that is left.
static bool is_idle(const CnPaths* paths, const CnBlock* block) {
    const CnProblem* problem = paths->problem;
    const double(*twist)[6] = (const double(*)[6])paths->twist;
    if (block->law == CN_LAW_COULOMB) {
        return row_velocity(paths, block, block->first_row, twist) >= 0.0;
    }
    bool is_idle = block->law == CN_LAW_BOUNDS;
    for (int row = block->first_row; is_idle && row < block->first_row + block->row_count; ++row) {
        double u = row_velocity(paths, block, row, twist);
        is_idle =
            (problem->lower[row] == 0.0 && u >= 0.0) || (problem->upper[row] == 0.0 && u <= 0.0);
    }
    return is_idle;
}

// The residual of a block, and whether it acts.
static void grade_block(CnPaths* paths, CnPathBlock* it) {
    const CnBlock* block = it->item.block;
    double u[CN_MAX_ROWS];
    cn_paths_read(paths, it, u);
    it->residual = cn_block_residual(paths->problem, block, it->own, it->own_largest, u, it->p);
    it->acts = it->residual > 0.0;
    for (int k = 0; k < block->row_count; ++k) {
        it->acts = it->acts || it->p[k] != 0.0;
    }
}

CnStatus cn_paths_grade(CnPaths* paths, CnArena* arena) {
    double sum = 0.0;
    push_all(paths);
    move_links(paths);
    paths->acting_count = 0;
    paths->worst = paths->work = 0.0;
    paths->work_of_grade = WORK_OF_WATCH * paths->count;
    for (int i = 0; i < paths->count; ++i) {
        if (paths->blocks[i] == NULL) {
            if (is_idle(paths, &paths->problem->blocks[paths->machine->outer[i]])) {
                continue;
            }
            if (add_block(paths, i, arena) != CN_OK) {
                return CN_NO_MEMORY;
            }
        }
        CnPathBlock* it = paths->blocks[i];
        paths->work_of_grade += work_of_visit(it);
        grade_block(paths, it);
        if (!it->acts) {
            cn_paths_set(it, it->p); // if it acts again, its momentum begins anew
            continue;
        }
        paths->acting[paths->acting_count++] = it;
        paths->work += work_of_visit(it);
        sum += it->residual * it->residual;
        if (it->residual > paths->worst) { // infinite where it is not a number
            paths->worst = it->residual;
            paths->worst_block = i;
        }
    }
    paths->rms = sqrt(sum / fmax(paths->count, 1));
    return CN_OK;
}

// The coordinates of a row, into the scratch, or out of it again.
static void spread_row(CnPaths* paths, const CnPathBlock* it, int row, double share) {
    int n = it->item.block->row_count;
    for (int k = 0; k < it->path.fours; ++k) {
        const double* value = it->path.value + (k * n + row) * CN_PATH_LANES;
        for (int j = 0; j < CN_PATH_LANES; ++j) {
            paths->scratch[it->path.place[k] + j] = share * value[j];
        }
    }
}

void cn_paths_response(CnPaths* paths, const int* list, int count, int rows, double* w) {
    int i = 0;
    for (int a = 0; a < count; ++a) {
        const CnPathBlock* left = paths->blocks[list[a]];
        for (int row = 0; row < left->item.block->row_count; ++row, ++i) {
            int j = 0;
            spread_row(paths, left, row, 1.0);
            for (int b = 0; b <= a; ++b) {
                const CnPathBlock* right = paths->blocks[list[b]];
                double sum[CN_MAX_ROWS];
                paths->products->read(&right->path, right->item.block->row_count, paths->scratch,
                                      sum);
                for (int column = 0; column < right->item.block->row_count; ++column, ++j) {
                    w[i * rows + j] = w[j * rows + i] = sum[column];
                }
            }
            spread_row(paths, left, row, 0.0);
        }
    }
}
