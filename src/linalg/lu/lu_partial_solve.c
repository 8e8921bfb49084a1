// lu_partial_solve.c - selected rows of several solutions, visiting only the fronts they need.
//
// Columns are stored side by side, so that each entry of the factor is read once for all of them.
#include "linalg/lu/lu_partial_solve.h"

#include "base/error.h"
#include "base/sort.h"
#include "linalg/dense.h"
#include <string.h>

// Solutions of all rows, and those of one front: pivots, then border.
typedef struct Sheet {
    int columns;
    double* all;   // [row_count x columns]
    double* front; // [plan.largest x columns]
} Sheet;

static double* row_of(const Sheet* sheet, double* rows, int row) {
    return rows + (size_t)row * (size_t)sheet->columns;
}

// Copies the rows of a front's pivots, and of its border if wanted, from `all` or back to it.
static void move_rows(const CnLu* lu, const CnLuFront* front, const Sheet* sheet, bool with_border,
                      bool is_back) {
    int blocks = front->count + (with_border ? front->border_count : 0);
    int at = 0;
    for (int k = 0; k < blocks; ++k) {
        int block =
            k < front->count ? lu->plan.order[front->first + k] : front->border[k - front->count];
        for (int i = lu->first_row[block]; i < lu->first_row[block + 1]; ++i, ++at) {
            double* all = row_of(sheet, sheet->all, i);
            double* own = row_of(sheet, sheet->front, at);
            memcpy(is_back ? all : own, is_back ? own : all,
                   (size_t)sheet->columns * sizeof(double));
        }
    }
}

static void exchange(const Sheet* sheet, int a, int b) {
    double* x = row_of(sheet, sheet->front, a);
    double* y = row_of(sheet, sheet->front, b);
    for (int c = 0; c < sheet->columns; ++c) {
        double kept = x[c];
        x[c] = y[c];
        y[c] = kept;
    }
}

// to -= factors . rows first .. last of the front, four rows at a time while there are as many.
static void subtract(const Sheet* sheet, const double* factors, int first, int last, double* to) {
    int j = first;
    for (; j + 4 <= last; j += 4) {
        const double* x0 = row_of(sheet, sheet->front, j);
        const double *x1 = x0 + sheet->columns, *x2 = x1 + sheet->columns;
        const double* x3 = x2 + sheet->columns;
        double f0 = factors[j], f1 = factors[j + 1], f2 = factors[j + 2], f3 = factors[j + 3];
        for (int c = 0; c < sheet->columns; ++c) {
            to[c] = to[c] - f0 * x0[c] - f1 * x1[c] - f2 * x2[c] - f3 * x3[c];
        }
    }
    for (; j < last; ++j) {
        cn_dense_add_scaled(sheet->columns, -factors[j], row_of(sheet, sheet->front, j), to);
    }
}

// L^-1 for the pivots, and its effect on the border.
static void forward(const CnLu* lu, const CnLuFront* front, const Sheet* sheet) {
    int pivots = front->pivot_rows;
    const int* swap = lu->swap + front->first_pivot;
    const double* factor = lu->factor + front->factor;
    move_rows(lu, front, sheet, true, false);
    for (int k = 0; k < pivots; ++k) {
        if (swap[k] != k) {
            exchange(sheet, k, swap[k]);
        }
    }
    for (int k = 1; k < pivots; ++k) {
        subtract(sheet, factor + (size_t)k * (size_t)front->rows, 0, k,
                 row_of(sheet, sheet->front, k));
    }
    const double* multiplier = factor + (size_t)pivots * (size_t)front->rows;
    for (int k = pivots; k < front->rows; ++k, multiplier += pivots) {
        subtract(sheet, multiplier, 0, pivots, row_of(sheet, sheet->front, k));
    }
    move_rows(lu, front, sheet, true, true);
}

static void backward(const CnLu* lu, const CnLuFront* front, const Sheet* sheet) {
    move_rows(lu, front, sheet, true, false);
    for (int k = front->pivot_rows - 1; k >= 0; --k) {
        const double* factor = lu->factor + front->factor + (size_t)k * (size_t)front->rows;
        double* own = row_of(sheet, sheet->front, k);
        subtract(sheet, factor, k + 1, front->rows, own);
        for (int c = 0; c < sheet->columns; ++c) {
            own[c] /= factor[k];
        }
    }
    move_rows(lu, front, sheet, false, true);
}

static bool front_before(int a, int b, const void* context) {
    (void)context;
    return a < b;
}

// Fronts that hold one of the rows or receive from one that does, in the order of elimination.
static int find_path(CnLu* lu, int count, const int* rows) {
    int length = 0;
    for (int i = 0; i < count; ++i) {
        int front = lu->plan.front_of[lu->plan.inverse[rows[i]]];
        for (; front >= 0 && !lu->is_on_path[front]; front = lu->plan.fronts[front].receiver) {
            lu->is_on_path[front] = true;
            lu->path[length++] = front;
        }
    }
    cn_sort(lu->path, length, front_before, NULL);
    return length;
}

// Zeroes the rows that the fronts on the path have written.
static void clear(CnLu* lu, int length, const Sheet* sheet) {
    memset(sheet->front, 0, (size_t)lu->plan.largest * (size_t)sheet->columns * sizeof(double));
    for (int i = 0; i < length; ++i) {
        move_rows(lu, &lu->plan.fronts[lu->path[i]], sheet, false, true);
        lu->is_on_path[lu->path[i]] = false;
    }
}

size_t cn_lu_partial_scratch(const CnLu* lu, int columns) {
    return ((size_t)lu->row_count + (size_t)lu->plan.largest) * (size_t)columns;
}

// Forward: the right-hand side is zero in all fronts that are not on the path. Backward: the wanted
// rows depend only on fronts between them and the root. So only the path is visited.
void cn_lu_solve_partial(CnLu* lu, int count, const int* rows, int columns, double* value,
                         double* scratch) {
    Sheet sheet = {columns, scratch, scratch + (size_t)lu->row_count * (size_t)columns};
    size_t bytes = (size_t)columns * sizeof(double);
    int length = find_path(lu, count, rows);
    for (int i = 0; i < count; ++i) {
        CN_ASSERT(lu->first_row[rows[i]] == rows[i]);
        memcpy(row_of(&sheet, sheet.all, rows[i]), value + (size_t)i * (size_t)columns, bytes);
    }
    for (int i = 0; i < length; ++i) {
        forward(lu, &lu->plan.fronts[lu->path[i]], &sheet);
    }
    for (int i = length - 1; i >= 0; --i) {
        backward(lu, &lu->plan.fronts[lu->path[i]], &sheet);
    }
    for (int i = 0; i < count; ++i) {
        memcpy(value + (size_t)i * (size_t)columns, row_of(&sheet, sheet.all, rows[i]), bytes);
    }
    clear(lu, length, &sheet);
}
