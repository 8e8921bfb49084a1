// path_lanes.h - products of a few rows with coordinates along paths, several axes side by side.
//
// path_plain.c is the scalar reference, with explanations; tests compare the two bit by bit. The
// including file chooses the register width: math/simd.h.
#pragma once

#include "math/simd.h"
#include "solvers/tree/machine_paths.h"

enum { PARTS = CN_PATH_LANES / CN_LANES }; // registers of the axes that are worked on together

CN_LANE_FUNCTION CnLanes gather(const double* y, const int* axis) {
    CnLanes x;
    for (int i = 0; i < CN_LANES; ++i) {
        x[i] = y[axis[i]];
    }
    return x;
}

CN_LANE_FUNCTION void scatter(CnLanes x, const int* axis, double* y) {
    for (int i = 0; i < CN_LANES; ++i) {
        y[axis[i]] = x[i];
    }
}

CN_LANE_FUNCTION void read_rows(const CnRowPath* path, int rows, const double* y, double* sum) {
    CnLanes sums[CN_MAX_ROWS][PARTS] = {{{0.0}}};
    for (int k = 0; k < path->stride; k += CN_PATH_LANES) {
        for (int part = 0; part < PARTS; ++part) {
            int at = k + part * CN_LANES;
            CnLanes of_axes = gather(y, path->axis + at);
            for (int i = 0; i < rows; ++i) {
                sums[i][part] += cn_lanes_load(path->value + i * path->stride + at) * of_axes;
            }
        }
    }
    for (int i = 0; i < rows; ++i) {
        double lane[CN_PATH_LANES];
        for (int part = 0; part < PARTS; ++part) {
            cn_lanes_store(sums[i][part], lane + part * CN_LANES);
        }
        sum[i] = (lane[0] + lane[1]) + (lane[2] + lane[3]);
    }
}

CN_LANE_FUNCTION void write_rows(const CnRowPath* path, int rows, const double* change, double* y) {
    for (int k = 0; k < path->stride; k += CN_LANES) {
        CnLanes sum = gather(y, path->axis + k);
        for (int i = 0; i < rows; ++i) {
            sum += cn_lanes_load(path->value + i * path->stride + k) * cn_lanes(change[i]);
        }
        scatter(sum, path->axis + k, y);
    }
}

// Inlined where the number of rows is known, the sums stay in registers.
static CN_LANE_TARGET void read_path(const CnRowPath* path, int rows, const double* y,
                                     double* sum) {
    if (rows == 3) {
        read_rows(path, 3, y, sum);
    } else if (rows == 1) {
        read_rows(path, 1, y, sum);
    } else {
        read_rows(path, rows, y, sum);
    }
}

static CN_LANE_TARGET void write_path(const CnRowPath* path, int rows, const double* change,
                                      double* y) {
    if (rows == 3) {
        write_rows(path, 3, change, y);
    } else if (rows == 1) {
        write_rows(path, 1, change, y);
    } else {
        write_rows(path, rows, change, y);
    }
}

#define PATH_PRODUCTS                                                                              \
    { read_path, write_path }
