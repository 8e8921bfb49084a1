// rows.c - room for rows: arrays that grow together.
#include "world/step/rows.h"

#include <string.h>

static bool grow_doubles(double** array, const CnAllocator* allocator, int used, int capacity,
                         int width) {
    double* larger = cn_allocate(allocator, (size_t)capacity * (size_t)width, sizeof(double));
    if (larger == NULL) {
        return false;
    }
    if (used > 0) {
        memcpy(larger, *array, (size_t)used * (size_t)width * sizeof(double));
    }
    cn_release(allocator, *array);
    *array = larger;
    return true;
}

// A failure half way leaves some arrays larger than row_capacity says, which harms nobody.
static bool reserve_rows(CnRows* rows, const CnAllocator* allocator, int wanted) {
    if (wanted <= rows->row_capacity) {
        return true;
    }
    int capacity = 2 * rows->row_capacity > wanted ? 2 * rows->row_capacity : wanted + 64;
    double** wide[] = {(double**)&rows->jacobian_a, (double**)&rows->jacobian_b};
    double** narrow[] = {&rows->target, &rows->compliance, &rows->lower,  &rows->upper,
                         &rows->offset, &rows->slope,      &rows->impulse};
    for (size_t i = 0; i < sizeof wide / sizeof wide[0]; ++i) {
        if (!grow_doubles(wide[i], allocator, rows->row_count, capacity, 6)) {
            return false;
        }
    }
    for (size_t i = 0; i < sizeof narrow / sizeof narrow[0]; ++i) {
        if (!grow_doubles(narrow[i], allocator, rows->row_count, capacity, 1)) {
            return false;
        }
    }
    rows->row_capacity = capacity;
    return true;
}

// Room for second pairs of all rows there is room for.
static bool reserve_second(CnRows* rows, const CnAllocator* allocator) {
    if (rows->second_capacity >= rows->row_capacity) {
        return true;
    }
    int used = rows->second_capacity < rows->row_count ? rows->second_capacity : rows->row_count;
    if (!grow_doubles((double**)&rows->jacobian_c, allocator, used, rows->row_capacity, 6) ||
        !grow_doubles((double**)&rows->jacobian_d, allocator, used, rows->row_capacity, 6)) {
        return false;
    }
    rows->second_capacity = rows->row_capacity;
    return true;
}

static void clear_second(CnRows* rows, int first, int count) {
    memset(rows->jacobian_c + first, 0, (size_t)count * sizeof *rows->jacobian_c);
    memset(rows->jacobian_d + first, 0, (size_t)count * sizeof *rows->jacobian_d);
}

bool cn_rows_announce_second(CnRows* rows, const CnAllocator* allocator) {
    if (rows->has_second) {
        return true;
    }
    if (!reserve_rows(rows, allocator, 1) || !reserve_second(rows, allocator)) {
        return false;
    }
    clear_second(rows, 0, rows->row_count);
    rows->has_second = true;
    return true;
}

bool cn_rows_reserve(CnRows* rows, const CnAllocator* allocator, int block_count, int row_count) {
    return reserve_rows(rows, allocator, row_count) &&
           cn_array_reserve(&rows->sources, allocator, block_count) &&
           cn_array_reserve(&rows->blocks, allocator, block_count);
}

// Room for one more block with so many rows. False: no memory.
static bool reserve_block(CnRows* rows, const CnAllocator* allocator, int row_count) {
    bool has_room = rows->row_count + row_count <= rows->row_capacity &&
                    rows->blocks.count < rows->blocks.capacity &&
                    rows->sources.count < rows->sources.capacity && !rows->has_second;
    return has_room ||
           (cn_rows_reserve(rows, allocator, rows->blocks.count + 1, rows->row_count + row_count) &&
            (!rows->has_second || reserve_second(rows, allocator)));
}

CnBlock* cn_rows_add_bare(CnRows* rows, const CnAllocator* allocator, CnLaw law, int row_count,
                          CnBlockSource source) {
    int first = rows->row_count;
    rows->kept_count = 0;
    if (!reserve_block(rows, allocator, row_count)) {
        return NULL;
    }
    CnBlock* block = &rows->blocks.data[rows->blocks.count++];
    *block = (CnBlock){
        .law = law, .first_row = first, .row_count = row_count, .body_a = -1, .body_b = -1};
    rows->sources.data[rows->sources.count++] = source;
    for (int i = first; i < first + row_count; ++i) {
        rows->target[i] = rows->compliance[i] = rows->offset[i] = rows->slope[i] = 0.0;
        rows->lower[i] = -INFINITY;
        rows->upper[i] = INFINITY;
        rows->impulse[i] = 0.0;
    }
    if (rows->has_second) {
        clear_second(rows, first, row_count);
    }
    rows->row_count += row_count;
    return block;
}

CnBlock* cn_rows_add(CnRows* rows, const CnAllocator* allocator, CnLaw law, int row_count,
                     CnBlockSource source) {
    CnBlock* block = cn_rows_add_bare(rows, allocator, law, row_count, source);
    if (block != NULL) {
        size_t count = (size_t)row_count;
        memset(rows->jacobian_a[block->first_row], 0, count * sizeof *rows->jacobian_a);
        memset(rows->jacobian_b[block->first_row], 0, count * sizeof *rows->jacobian_b);
    }
    return block;
}

double* cn_rows_jacobian(const CnRows* rows, int row, int side) {
    return side == 0   ? rows->jacobian_a[row]
           : side == 1 ? rows->jacobian_b[row]
           : side == 2 ? rows->jacobian_c[row]
                       : rows->jacobian_d[row];
}

void cn_rows_clear(CnRows* rows) {
    rows->blocks.count = 0;
    rows->sources.count = 0;
    rows->compact.count = 0;
    rows->turns.count = 0;
    rows->row_count = 0;
    rows->has_second = false;
    rows->posed[0] = rows->posed[1] = 0;
}

void cn_rows_free(CnRows* rows, const CnAllocator* allocator) {
    cn_array_free(&rows->blocks, allocator);
    cn_array_free(&rows->sources, allocator);
    cn_array_free(&rows->compact, allocator);
    cn_array_free(&rows->turns, allocator);
    cn_release(allocator, rows->jacobian_a);
    cn_release(allocator, rows->jacobian_b);
    cn_release(allocator, rows->jacobian_c);
    cn_release(allocator, rows->jacobian_d);
    cn_release(allocator, rows->target);
    cn_release(allocator, rows->compliance);
    cn_release(allocator, rows->lower);
    cn_release(allocator, rows->upper);
    cn_release(allocator, rows->offset);
    cn_release(allocator, rows->slope);
    cn_release(allocator, rows->impulse);
    *rows = (CnRows){0};
}

CnProblem cn_rows_view(const CnRows* rows) {
    return (CnProblem){
        .block_count = rows->blocks.count,
        .row_count = rows->row_count,
        .blocks = rows->blocks.data,
        .jacobian_a = (const double(*)[6])rows->jacobian_a,
        .jacobian_b = (const double(*)[6])rows->jacobian_b,
        .jacobian_c = rows->has_second ? (const double(*)[6])rows->jacobian_c : NULL,
        .jacobian_d = rows->has_second ? (const double(*)[6])rows->jacobian_d : NULL,
        .target = rows->target,
        .compliance = rows->compliance,
        .lower = rows->lower,
        .upper = rows->upper,
        .offset = rows->offset,
        .slope = rows->slope,
    };
}

static void set_half(double jacobian[6], double sign, CnVec3 direction, CnVec3 arm) {
    CnVec3 moment = cn_vec3_cross(arm, direction);
    jacobian[0] = sign * direction.x;
    jacobian[1] = sign * direction.y;
    jacobian[2] = sign * direction.z;
    jacobian[3] = sign * moment.x;
    jacobian[4] = sign * moment.y;
    jacobian[5] = sign * moment.z;
}

static void set_half_spin(double jacobian[6], double sign, CnVec3 direction) {
    jacobian[3] = sign * direction.x;
    jacobian[4] = sign * direction.y;
    jacobian[5] = sign * direction.z;
}

void cn_rows_set_spin(CnRows* rows, int row, const CnBlock* block, CnVec3 direction) {
    if (block->body_a >= 0) {
        set_half_spin(rows->jacobian_a[row], -1.0, direction);
    }
    if (block->body_b >= 0) {
        set_half_spin(rows->jacobian_b[row], 1.0, direction);
    }
}

void cn_rows_set_direction(CnRows* rows, int row, const CnBlock* block, CnVec3 direction,
                           CnVec3 arm_a, CnVec3 arm_b) {
    if (block->body_a >= 0) {
        set_half(rows->jacobian_a[row], -1.0, direction, arm_a);
    }
    if (block->body_b >= 0) {
        set_half(rows->jacobian_b[row], 1.0, direction, arm_b);
    }
}

CnProblem cn_step_explicit_problem(const CnWorld* world) {
    const CnStep* step = &world->step;
    CnProblem problem = cn_rows_view(&step->rows);
    problem.body_count = world->bodies.count;
    problem.inverse_mass = step->inverse_mass;
    problem.inverse_inertia = (const double(*)[9])step->inverse_inertia;
    problem.free_velocity = (const double(*)[6])step->free_velocity;
    return problem;
}
