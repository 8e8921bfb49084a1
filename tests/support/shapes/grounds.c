// grounds.c - ground in every form: flat or shaped, as a plane, a mesh or a height field.
#include "support/shapes/grounds.h"

#include "cairn/random.h"
#include <stdlib.h>

static double height_at(GroundHeight* height, double x, double y) {
    return height == NULL ? 0.0 : height(x, y);
}

// Points inside are moved by up to a fifth of a cell: triangles of all shapes, none turned over.
static void lay_points(Ground* ground, int cells, double size, GroundHeight* height) {
    CnRandom random = {.state = 7};
    int side = cells + 1;
    for (int i = 0; i < side * side; ++i) {
        int column = i % side, row = i / side;
        double x = size * ((double)column / cells - 0.5), y = size * ((double)row / cells - 0.5);
        double away_x = cn_random_between(&random, -0.2, 0.2) * size / cells;
        double away_y = cn_random_between(&random, -0.2, 0.2) * size / cells;
        bool inside = column > 0 && column < cells && row > 0 && row < cells;
        x += inside ? away_x : 0.0;
        y += inside ? away_y : 0.0;
        ground->points[i] = cn_vec3(x, y, height_at(height, x, y));
    }
}

Ground ground_mesh(int cells, double size, GroundHeight* height) {
    int side = cells + 1;
    Ground ground = {
        .def = cn_shape_def_default(CN_SHAPE_MESH),
        .points = malloc((size_t)(side * side) * sizeof(CnVec3)),
        .triangles = malloc((size_t)(2 * cells * cells) * sizeof(int[3])),
    };
    lay_points(&ground, cells, size, height);
    for (int i = 0; i < cells * cells; ++i) {
        int a = i / cells * side + i % cells, b = a + 1, c = b + side, d = a + side;
        bool flipped = (i * 7 + i / cells * 3) % 5 < 2;
        int corners[6] = {a, b, flipped ? d : c, flipped ? b : a, c, d};
        for (int k = 0; k < 6; ++k) {
            ground.triangles[2 * i + k / 3][k % 3] = corners[k];
        }
    }
    ground.def.points = ground.points;
    ground.def.point_count = side * side;
    ground.def.triangles = (const int(*)[3])ground.triangles;
    ground.def.triangle_count = 2 * cells * cells;
    return ground;
}

Ground ground_field(int cells, double size, GroundHeight* height) {
    int side = cells + 1;
    Ground ground = {
        .def = cn_shape_def_default(CN_SHAPE_HEIGHT_FIELD),
        .heights = malloc((size_t)(side * side) * sizeof(double)),
    };
    for (int i = 0; i < side * side; ++i) {
        double x = size * ((double)(i % side) / cells - 0.5);
        double y = size * ((double)(i / side) / cells - 0.5);
        ground.heights[i] = height_at(height, x, y);
    }
    ground.def.heights = ground.heights;
    ground.def.columns = ground.def.rows = side;
    ground.def.size = cn_vec3(size, size, 0.0);
    return ground;
}

Ground ground_plane(void) {
    return (Ground){.def = cn_shape_def_default(CN_SHAPE_PLANE)};
}

void ground_free(Ground* ground) {
    free(ground->points);
    free(ground->triangles);
    free(ground->heights);
    *ground = (Ground){0};
}
