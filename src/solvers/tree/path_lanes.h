// path_lanes.h - products of a few rows with coordinates along paths, several axes side by side.
//
// path_plain.c is the scalar reference, with explanations; tests compare the two bit by bit. The
// including file chooses the register width: math/simd.h.
#pragma once

#include "math/simd.h"
#include "solvers/tree/machine_paths.h"

enum { PARTS = CN_PATH_LANES / CN_LANES }; // registers of the axes that are worked on together

CN_LANE_FUNCTION void read_rows(const CnRowPath* path, int rows, const double* y, double* sum) {
    CnLanes sums[CN_MAX_ROWS][PARTS] = {{{0.0}}};
    const double* value = path->value;
    for (int k = 0; k < path->fours; ++k) {
        const double* own = y + path->place[k];
        for (int i = 0; i < rows; ++i, value += CN_PATH_LANES) {
            for (int part = 0; part < PARTS; ++part) {
                sums[i][part] +=
                    cn_lanes_load(value + part * CN_LANES) * cn_lanes_load(own + part * CN_LANES);
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
    const double* value = path->value;
    for (int k = 0; k < path->fours; ++k, value += rows * CN_PATH_LANES) {
        for (int part = 0; part < PARTS; ++part) {
            double* own = y + path->place[k] + part * CN_LANES;
            CnLanes sum = cn_lanes_load(own);
            for (int i = 0; i < rows; ++i) {
                sum += cn_lanes_load(value + i * CN_PATH_LANES + part * CN_LANES) *
                       cn_lanes(change[i]);
            }
            cn_lanes_store(sum, own);
        }
    }
}

// Each value is read once for both.
CN_LANE_FUNCTION void write_both_rows(const CnRowPath* path, int rows, const double* change,
                                      double* y, const double* further, double* y_further) {
    const double* value = path->value;
    for (int k = 0; k < path->fours; ++k, value += rows * CN_PATH_LANES) {
        for (int part = 0; part < PARTS; ++part) {
            int place = path->place[k] + part * CN_LANES;
            CnLanes sum = cn_lanes_load(y + place), other = cn_lanes_load(y_further + place);
            for (int i = 0; i < rows; ++i) {
                CnLanes own = cn_lanes_load(value + i * CN_PATH_LANES + part * CN_LANES);
                sum += own * cn_lanes(change[i]);
                other += own * cn_lanes(further[i]);
            }
            cn_lanes_store(sum, y + place);
            cn_lanes_store(other, y_further + place);
        }
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

static CN_LANE_TARGET void write_both_paths(const CnRowPath* path, int rows, const double* change,
                                            double* y, const double* further, double* y_further) {
    if (rows == 3) {
        write_both_rows(path, 3, change, y, further, y_further);
    } else if (rows == 1) {
        write_both_rows(path, 1, change, y, further, y_further);
    } else {
        write_both_rows(path, rows, change, y, further, y_further);
    }
}

#define PATH_PRODUCTS                                                                              \
    { read_path, write_path, write_both_paths }
