// height_field.c - ground given by heights over a grid: two triangles a cell.
#include "geometry/height_field.h"

#include "base/error.h"
#include "base/memory.h"
#include <string.h>

// Cells are found among their neighbours faster than nodes of a tree would be read.
#define LEAF_CELLS 16

// The same column is at the same place whichever cell asks: flat ground is flat to the last bit.
static CnVec3 point_at(const CnHeightField* field, int column, int row) {
    double x = (double)column / (field->columns - 1) - 0.5;
    double y = (double)row / (field->rows - 1) - 0.5;
    size_t at = (size_t)row * (size_t)field->columns + (size_t)column;
    return cn_vec3(field->size_x * x, field->size_y * y, field->heights[at]);
}

void cn_height_field_corners(const CnHeightField* field, int triangle, CnVec3 points[3]) {
    int cell = triangle / 2;
    int column = cell % (field->columns - 1), row = cell / (field->columns - 1);
    bool below = triangle % 2 == 0;
    points[0] = point_at(field, column, row);
    points[1] = point_at(field, column + 1, below ? row : row + 1);
    points[2] = point_at(field, below ? column + 1 : column, row + 1);
}

static int side(int triangle, int corner) {
    return 3 * triangle + corner;
}

void cn_height_field_neighbours(const CnHeightField* field, int triangle, int neighbours[3]) {
    int width = field->columns - 1;
    int cell = triangle / 2;
    int column = cell % width, row = cell / width;
    if (triangle % 2 == 0) { // corners 00, 10, 11: the cells below and to the right
        neighbours[0] = row > 0 ? side(2 * (cell - width) + 1, 1) : -1;
        neighbours[1] = column + 1 < width ? side(2 * (cell + 1) + 1, 2) : -1;
        neighbours[2] = side(triangle + 1, 0);
    } else { // corners 00, 11, 01: the cells above and to the left
        neighbours[0] = side(triangle - 1, 2);
        neighbours[1] = row + 2 < field->rows ? side(2 * (cell + width), 0) : -1;
        neighbours[2] = column > 0 ? side(2 * (cell - 1), 1) : -1;
    }
}

static bool plant_tree(CnHeightField* field, const CnAllocator* allocator) {
    int count = (field->columns - 1) * (field->rows - 1);
    CnBounds* boxes = cn_allocate(allocator, (size_t)count, sizeof *boxes);
    if (boxes == NULL) {
        return false;
    }
    for (int cell = 0; cell < count; ++cell) {
        CnVec3 points[2][3];
        cn_height_field_corners(field, 2 * cell, points[0]);
        cn_height_field_corners(field, 2 * cell + 1, points[1]);
        CnBounds below = cn_bounds_of_triangle(points[0]), above = cn_bounds_of_triangle(points[1]);
        boxes[cell] = cn_bounds_union(&below, &above);
        for (int i = 0; i < 6; ++i) {
            field->extent = fmax(field->extent, cn_vec3_length(points[i / 3][i % 3]));
        }
    }
    bool done = cn_box_tree_build(&field->tree, boxes, count, LEAF_CELLS, allocator);
    cn_release(allocator, boxes);
    return done;
}

CnStatus cn_height_field_build(const double* heights, int columns, int rows, double size_x,
                               double size_y, const CnAllocator* allocator, CnHeightField** field,
                               CnError* error) {
    CnHeightField* built = cn_allocate(allocator, 1, sizeof *built);
    size_t count = (size_t)columns * (size_t)rows;
    *field = NULL;
    if (built != NULL) {
        *built = (CnHeightField){
            .columns = columns,
            .rows = rows,
            .size_x = size_x,
            .size_y = size_y,
            .heights = cn_allocate(allocator, count, sizeof(double)),
        };
    }
    bool done = built != NULL && built->heights != NULL;
    if (done) {
        memcpy(built->heights, heights, count * sizeof *heights);
        done = plant_tree(built, allocator);
    }
    if (!done) {
        cn_height_field_free(built, allocator);
        return cn_error_set(error, CN_NO_MEMORY, "no memory for a height field of %d x %d points",
                            columns, rows);
    }
    *field = built;
    return CN_OK;
}

void cn_height_field_free(CnHeightField* field, const CnAllocator* allocator) {
    if (field == NULL) {
        return;
    }
    cn_box_tree_free(&field->tree, allocator);
    cn_release(allocator, field->heights);
    cn_release(allocator, field);
}
