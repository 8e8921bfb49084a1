// front_update_lanes.h - updates the rest of a dense front, with registers of one width.
//
// Register tiling: a tile of c stays in registers for the whole panel, and each loaded entry of l
// or u is used for a whole row or column of the tile.
#pragma once

#include "linalg/lu/front_update.h"
#include "math/simd.h"

_Static_assert(CN_LANES - 1 <= CN_FRONT_PADDING, "the last register of a row reads behind it");

// Eight independent sums hide the latency of a subtraction and leave registers for u, l and a
// product out of sixteen: tiles of four rows and two registers, or of one row and eight registers.
#define TILE_ROWS 4
#define TILE_WIDTH 2
#define ROW_WIDTH 4

// height and width are constants at every call, so that the loops are unrolled.
CN_LANE_FUNCTION void update_tile(double* c, const double* l, const double* u, size_t stride,
                                  int depth, int height, int width) {
    CnLanes sum[TILE_ROWS][ROW_WIDTH];
    for (int i = 0; i < height; ++i) {
        for (int j = 0; j < width; ++j) {
            sum[i][j] = cn_lanes_load(c + (size_t)i * stride + j * CN_LANES);
        }
    }
    for (int k = 0; k < depth; ++k, u += stride) {
        CnLanes row[ROW_WIDTH];
        for (int j = 0; j < width; ++j) {
            row[j] = cn_lanes_load(u + j * CN_LANES);
        }
        for (int i = 0; i < height; ++i) {
            CnLanes multiplier = cn_lanes(l[(size_t)i * stride + (size_t)k]);
            for (int j = 0; j < width; ++j) {
                sum[i][j] -= multiplier * row[j];
            }
        }
    }
    for (int i = 0; i < height; ++i) {
        for (int j = 0; j < width; ++j) {
            cn_lanes_store(sum[i][j], c + (size_t)i * stride + j * CN_LANES);
        }
    }
}

CN_LANE_FUNCTION void update_rows(double* c, const double* l, const double* u, size_t stride,
                                  int columns, int depth, int height, int width) {
    int j = 0;
    for (; j + width * CN_LANES <= columns; j += width * CN_LANES) {
        update_tile(c + j, l, u + j, stride, depth, height, width);
    }
    for (; j < columns; j += CN_LANES) {
        update_tile(c + j, l, u + j, stride, depth, height, 1);
    }
}

static CN_LANE_TARGET void update(double* c, const double* l, const double* u, size_t stride,
                                  int rows, int columns, int depth) {
    int i = 0;
    for (; i + TILE_ROWS <= rows; i += TILE_ROWS) {
        update_rows(c + (size_t)i * stride, l + (size_t)i * stride, u, stride, columns, depth,
                    TILE_ROWS, TILE_WIDTH);
    }
    for (; i < rows; ++i) {
        update_rows(c + (size_t)i * stride, l + (size_t)i * stride, u, stride, columns, depth, 1,
                    ROW_WIDTH);
    }
}

// Up to as many rows as there are lanes, each in a lane of its own.
CN_LANE_FUNCTION void reduce_lanes(double* x, const double* u, const double* inverse, size_t stride,
                                   int rows, int width) {
    CnLanes column[CN_FRONT_PANEL] = {{0.0}};
    for (int i = 0; i < rows; ++i) {
        for (int j = 0; j < width; ++j) {
            column[j][i] = x[(size_t)i * stride + (size_t)j];
        }
    }
    for (int k = 0; k < width; ++k, u += stride) {
        column[k] *= cn_lanes(inverse[k]);
        for (int j = k + 1; j < width; ++j) {
            column[j] -= column[k] * cn_lanes(u[j]);
        }
    }
    for (int i = 0; i < rows; ++i) {
        for (int j = 0; j < width; ++j) {
            x[(size_t)i * stride + (size_t)j] = column[j][i];
        }
    }
}

static CN_LANE_TARGET void reduce(double* x, const double* u, const double* inverse, size_t stride,
                                  int rows, int width) {
    int i = 0;
    for (; width == CN_FRONT_PANEL && i + CN_LANES <= rows; i += CN_LANES) {
        reduce_lanes(x + (size_t)i * stride, u, inverse, stride, CN_LANES, CN_FRONT_PANEL);
    }
    for (; i < rows; i += CN_LANES) {
        int left = rows - i < CN_LANES ? rows - i : CN_LANES;
        reduce_lanes(x + (size_t)i * stride, u, inverse, stride, left, width);
    }
}
