// path_plain.c - products of rows with coordinates along paths, one number after the other.
//
// The reference of path_lanes.h, to the bit.
#include "solvers/tree/machine_paths.h"

// Four sums, so that none waits for another: of the axes whose places are equal modulo four.
static void read_plain(const CnRowPath* path, int rows, const double* y, double* sum) {
    for (int i = 0; i < rows; ++i) {
        const double* value = path->value + i * path->stride;
        double lane[CN_PATH_LANES] = {0.0};
        for (int k = 0; k < path->stride; ++k) {
            lane[k % CN_PATH_LANES] += value[k] * y[path->axis[k]];
        }
        sum[i] = (lane[0] + lane[1]) + (lane[2] + lane[3]);
    }
}

static void write_plain(const CnRowPath* path, int rows, const double* change, double* y) {
    for (int k = 0; k < path->stride; ++k) {
        for (int i = 0; i < rows; ++i) {
            y[path->axis[k]] += path->value[i * path->stride + k] * change[i];
        }
    }
}

const CnPathProducts cn_path_products_plain = {read_plain, write_plain};
