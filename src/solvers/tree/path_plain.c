// path_plain.c - products of rows with coordinates along paths, one number after the other.
//
// The reference of path_lanes.h, to the bit.
#include "solvers/tree/machine_paths.h"

// Four sums, so that none waits for another: of the axes whose places are equal modulo four.
static void read_plain(const CnRowPath* path, int rows, const double* y, double* sum) {
    for (int i = 0; i < rows; ++i) {
        double lane[CN_PATH_LANES] = {0.0};
        for (int k = 0; k < path->fours; ++k) {
            const double* value = path->value + (k * rows + i) * CN_PATH_LANES;
            for (int j = 0; j < CN_PATH_LANES; ++j) {
                lane[j] += value[j] * y[path->place[k] + j];
            }
        }
        sum[i] = (lane[0] + lane[1]) + (lane[2] + lane[3]);
    }
}

static void write_plain(const CnRowPath* path, int rows, const double* change, double* y) {
    for (int k = 0; k < path->fours; ++k) {
        for (int i = 0; i < rows; ++i) {
            const double* value = path->value + (k * rows + i) * CN_PATH_LANES;
            for (int j = 0; j < CN_PATH_LANES; ++j) {
                y[path->place[k] + j] += value[j] * change[i];
            }
        }
    }
}

static void write_both_plain(const CnRowPath* path, int rows, const double* change, double* y,
                             const double* further, double* y_further) {
    write_plain(path, rows, change, y);
    write_plain(path, rows, further, y_further);
}

const CnPathProducts cn_path_products_plain = {read_plain, write_plain, write_both_plain};
