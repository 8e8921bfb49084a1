// lu.c - sparse LU of a matrix of small blocks whose pattern, but not values, is symmetric.
#include "linalg/lu/lu.h"

#include "linalg/dense.h"
#include "linalg/lu/lu_front.h"
#include <math.h>
#include <string.h>

static int rows_of(const CnLu* lu, int block) {
    return lu->first_row[block + 1] - lu->first_row[block];
}

CnStatus cn_lu_begin(CnLu* lu, const CnBlockRows* a, CnArena* arena) {
    *lu = (CnLu){.row_count = a->row_count, .first_row = a->first_row};
    return cn_lu_plan(&lu->plan, a, arena);
}

CnStatus cn_lu_analyze(CnLu* lu, const CnBlockRows* a, CnArena* arena) {
    CnStatus status = cn_lu_begin(lu, a, arena);
    return status == CN_OK ? cn_lu_allocate(lu, a, arena) : status;
}

CnStatus cn_lu_allocate(CnLu* lu, const CnBlockRows* a, CnArena* arena) {
    size_t largest = (size_t)lu->plan.largest;
    lu->factor = CN_ARENA_NEW(arena, double, lu->plan.factor_size);
    lu->stack = CN_ARENA_NEW(arena, double, lu->plan.stack_size);
    lu->front = CN_ARENA_NEW(arena, double, largest* cn_lu_front_stride(lu->plan.largest));
    lu->offset = CN_ARENA_NEW(arena, int, a->block_count);
    lu->swap = CN_ARENA_NEW(arena, int, a->row_count);
    lu->size = CN_ARENA_NEW(arena, double, a->row_count);
    lu->work = CN_ARENA_NEW(arena, double, 2 * largest);
    lu->path = CN_ARENA_NEW(arena, int, lu->plan.front_count);
    lu->is_on_path = CN_ARENA_NEW(arena, bool, lu->plan.front_count);
    bool complete = lu->factor != NULL && lu->stack != NULL && lu->front != NULL &&
                    lu->offset != NULL && lu->swap != NULL && lu->size != NULL &&
                    lu->work != NULL && lu->path != NULL && lu->is_on_path != NULL;
    return complete ? CN_OK : CN_NO_MEMORY;
}

static void measure_rows(CnLu* lu, const CnBlockRows* a) {
    for (int block = 0; block < a->block_count; ++block) {
        for (int i = 0; i < rows_of(lu, block); ++i) {
            double largest = 0.0;
            for (int e = a->start[block]; e < a->start[block + 1]; ++e) {
                int columns = rows_of(lu, a->column[e]);
                const double* value = &a->value[a->position[e]] + i * columns;
                for (int j = 0; j < columns; ++j) {
                    largest = fmax(largest, fabs(value[j]));
                }
            }
            lu->size[a->first_row[block] + i] = largest;
        }
    }
}

// Places of a front's blocks in it: pivots in their order, then the border.
static void place_blocks(CnLu* lu, const CnLuFront* front) {
    int at = 0;
    for (int k = 0; k < front->count; ++k) {
        int block = lu->plan.order[front->first + k];
        lu->offset[block] = at;
        at += rows_of(lu, block);
    }
    for (int i = 0; i < front->border_count; ++i) {
        lu->offset[front->border[i]] = at;
        at += rows_of(lu, front->border[i]);
    }
}

static void add_entry(CnLu* lu, const CnLuFront* front, const CnBlockRows* a, int row, int column,
                      int entry) {
    int columns = rows_of(lu, column);
    const double* value = &a->value[a->position[entry]];
    size_t stride = cn_lu_front_stride(front->rows);
    double* to = lu->front + (size_t)lu->offset[row] * stride + lu->offset[column];
    for (int i = 0; i < rows_of(lu, row); ++i, to += stride, value += columns) {
        for (int j = 0; j < columns; ++j) {
            to[j] += value[j];
        }
    }
}

// The rows and columns of the pivots, as far as they were not eliminated before.
static void add_matrix(CnLu* lu, const CnLuFront* front, const CnBlockRows* a) {
    int last = front->first + front->count;
    for (int k = front->first; k < last; ++k) {
        int block = lu->plan.order[k];
        for (int e = a->start[block]; e < a->start[block + 1]; ++e) {
            int other = a->column[e];
            int place = lu->plan.inverse[other];
            if (place >= front->first) {
                add_entry(lu, front, a, block, other, e);
            }
            if (place >= last) {
                add_entry(lu, front, a, other, block, a->mirror[e]);
            }
        }
    }
}

// Adds the Schur complement that another front left for this one.
static void add_passed(CnLu* lu, const CnLuFront* front, const CnLuFront* from) {
    const double* value = lu->stack + from->passed;
    int width = from->rows - from->pivot_rows;
    size_t stride = cn_lu_front_stride(front->rows);
    for (int a = 0; a < from->border_count; ++a) {
        int row = from->border[a];
        double* to = lu->front + (size_t)lu->offset[row] * stride;
        for (int i = 0; i < rows_of(lu, row); ++i, to += stride, value += width) {
            const double* source = value;
            for (int b = 0; b < from->border_count; ++b) {
                int columns = rows_of(lu, from->border[b]);
                double* target = to + lu->offset[from->border[b]];
                for (int j = 0; j < columns; ++j) {
                    target[j] += source[j];
                }
                source += columns;
            }
        }
    }
}

// Sizes of the pivots' rows, in the order of the front, to the scratch array.
static void gather_sizes(const CnLu* lu, const CnLuFront* front, double* size) {
    for (int k = 0; k < front->count; ++k) {
        int block = lu->plan.order[front->first + k];
        memcpy(size + lu->offset[block], lu->size + lu->first_row[block],
               (size_t)rows_of(lu, block) * sizeof(double));
    }
}

// The pivot rows and the multipliers go to the factor, the Schur complement to the stack.
static void store(CnLu* lu, const CnLuFront* front) {
    size_t rows = (size_t)front->rows, pivots = (size_t)front->pivot_rows;
    size_t stride = cn_lu_front_stride(front->rows);
    double* multipliers = lu->factor + front->factor + pivots * rows;
    double* passed = lu->stack + front->passed;
    for (size_t i = 0; i < pivots; ++i) {
        memcpy(lu->factor + front->factor + i * rows, lu->front + i * stride,
               rows * sizeof(double));
    }
    for (size_t i = pivots; i < rows; ++i) {
        const double* row = lu->front + i * stride;
        memcpy(multipliers + (i - pivots) * pivots, row, pivots * sizeof(double));
        memcpy(passed + (i - pivots) * (rows - pivots), row + pivots,
               (rows - pivots) * sizeof(double));
    }
}

bool cn_lu_factor(CnLu* lu, const CnBlockRows* a) {
    CnLuPivots record = {.sign = 1, .least = HUGE_VAL, .size = lu->work};
    int pivot = 0; // scalar pivots so far
    measure_rows(lu, a);
    for (int i = 0; i < lu->plan.front_count; ++i) {
        const CnLuFront* front = &lu->plan.fronts[i];
        size_t rows = (size_t)front->rows;
        memset(lu->front, 0, rows * cn_lu_front_stride(front->rows) * sizeof(double));
        place_blocks(lu, front);
        add_matrix(lu, front, a);
        for (int from = front->child; from >= 0; from = lu->plan.fronts[from].sibling) {
            add_passed(lu, front, &lu->plan.fronts[from]);
        }
        gather_sizes(lu, front, lu->work);
        if (!cn_lu_front_eliminate(lu->front, front->rows, front->pivot_rows, lu->swap + pivot,
                                   &record)) {
            return false;
        }
        store(lu, front);
        pivot += front->pivot_rows;
    }
    lu->determinant_sign = record.sign;
    lu->least_pivot = record.least;
    return true;
}

// The part of x that belongs to a front's pivots, then to its border; and the first of them back.
static void read_front(const CnLu* lu, const CnLuFront* front, const double* x, double* local) {
    for (int k = 0; k < front->count + front->border_count; ++k) {
        int block =
            k < front->count ? lu->plan.order[front->first + k] : front->border[k - front->count];
        for (int i = lu->first_row[block]; i < lu->first_row[block + 1]; ++i) {
            *local++ = x[i];
        }
    }
}

static void write_pivots(const CnLu* lu, const CnLuFront* front, const double* local, double* x) {
    for (int k = 0; k < front->count; ++k) {
        int block = lu->plan.order[front->first + k];
        for (int i = lu->first_row[block]; i < lu->first_row[block + 1]; ++i) {
            x[i] = *local++;
        }
    }
}

// y = L^-1 x for the pivots, and its effect on the border.
static void forward(const CnLu* lu, const CnLuFront* front, double* x) {
    int pivots = front->pivot_rows;
    const int* swap = lu->swap + front->first_pivot;
    const double* row = lu->factor + front->factor;
    double* y = lu->work;
    read_front(lu, front, x, y);
    for (int k = 0; k < pivots; ++k) {
        double kept = y[k];
        y[k] = y[swap[k]];
        y[swap[k]] = kept;
    }
    for (int k = 1; k < pivots; ++k) {
        y[k] -= cn_dense_dot(k, row + (size_t)k * (size_t)front->rows, y);
    }
    write_pivots(lu, front, y, x);
    const double* multiplier = row + (size_t)pivots * (size_t)front->rows;
    for (int b = 0; b < front->border_count; ++b) {
        int block = front->border[b];
        for (int i = lu->first_row[block]; i < lu->first_row[block + 1]; ++i) {
            x[i] -= cn_dense_dot(pivots, multiplier, y);
            multiplier += pivots;
        }
    }
}

static void backward(const CnLu* lu, const CnLuFront* front, double* x) {
    double* y = lu->work;
    read_front(lu, front, x, y);
    for (int k = front->pivot_rows - 1; k >= 0; --k) {
        const double* row = lu->factor + front->factor + (size_t)k * (size_t)front->rows;
        y[k] = (y[k] - cn_dense_dot(front->rows - k - 1, row + k + 1, y + k + 1)) / row[k];
    }
    write_pivots(lu, front, y, x);
}

void cn_lu_solve(CnLu* lu, const double* b, double* x) {
    if (x != b) {
        memcpy(x, b, (size_t)lu->row_count * sizeof(double));
    }
    for (int i = 0; i < lu->plan.front_count; ++i) {
        forward(lu, &lu->plan.fronts[i], x);
    }
    for (int i = lu->plan.front_count - 1; i >= 0; --i) {
        backward(lu, &lu->plan.fronts[i], x);
    }
}

void cn_lu_refine(CnLu* lu, const CnBlockRows* a, const double* b, double* x, double* defect) {
    cn_block_rows_multiply(a, x, defect);
    for (int i = 0; i < lu->row_count; ++i) {
        defect[i] = b[i] - defect[i];
    }
    cn_lu_solve(lu, defect, defect);
    cn_dense_add_scaled(lu->row_count, 1.0, defect, x);
}
