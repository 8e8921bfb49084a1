// height_field.h - ground given by heights over a grid: two triangles a cell.
#pragma once

#include "geometry/box_tree.h"

// Cells and their triangles are numbered, x fastest: cell c has the triangles 2 c, below its
// diagonal from (low x, low y) to (high x, high y), and 2 c + 1, above it.
typedef struct CnHeightField {
    int columns, rows;     // points along x and y
    double size_x, size_y; // from the first to the last, about the origin [m]
    double* heights;       // x fastest [m]   [columns * rows]
    CnBoxTree tree;        // over cells
    double extent;         // farthest point from the origin [m]
} CnHeightField;

// So many points take minutes and gigabytes; sides fit an int.
#define CN_HEIGHT_FIELD_POINT_LIMIT 100000000

// From numbers that were checked.
CnStatus cn_height_field_build(const double* heights, int columns, int rows, double size_x,
                               double size_y, const CnAllocator* allocator, CnHeightField** field,
                               CnError* error);
void cn_height_field_free(CnHeightField* field, const CnAllocator* allocator); // NULL is fine

// The corners of a triangle, counter-clockwise from above; its sides' neighbours as sides
// 3 triangle + side, -1 at the border.
void cn_height_field_corners(const CnHeightField* field, int triangle, CnVec3 points[3]);
void cn_height_field_neighbours(const CnHeightField* field, int triangle, int neighbours[3]);
