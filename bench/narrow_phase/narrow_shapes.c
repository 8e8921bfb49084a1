// narrow_shapes.c - the shapes that narrow phases are measured on.
#include "narrow_shapes.h"

#include "cairn/random.h"
#include "geometry/shape.h"

#include <stdlib.h>

#define ROCK_POINTS 64
#define INNER 0.5 // most have a ball of this radius inside [m]

#define UPRIGHT                                                                                    \
    { 1.0, 0.0, 0.0, 0.0 }
#define ON_ITS_SIDE                                                                                \
    { 0.70710678118654752, 0.0, 0.70710678118654752, 0.0 }

static const BenchShape plain[SHAPE_COUNT] = {
    [SHAPE_PLANE] = {.name = "plane", .type = BENCH_PLANE, .lying = UPRIGHT},
    [SHAPE_SPHERE] = {.name = "sphere",
                      .type = BENCH_SPHERE,
                      .radius = 0.5,
                      .inner = 0.5,
                      .height = 0.5,
                      .lying = UPRIGHT},
    [SHAPE_BOX] = {.name = "box",
                   .type = BENCH_BOX,
                   .half = {0.5, 0.5, 0.5},
                   .inner = 0.5,
                   .height = 0.5,
                   .lying = UPRIGHT},
    [SHAPE_CAPSULE] = {.name = "capsule",
                       .type = BENCH_CAPSULE,
                       .radius = 0.3,
                       .half_length = 0.4,
                       .inner = 0.3,
                       .height = 0.3,
                       .lying = ON_ITS_SIDE},
    [SHAPE_CYLINDER] = {.name = "cylinder",
                        .type = BENCH_CYLINDER,
                        .radius = 0.5,
                        .half_length = 0.5,
                        .inner = 0.5,
                        .height = 0.5,
                        .lying = UPRIGHT},
    [SHAPE_HULL] =
        {.name = "hull", .type = BENCH_CONVEX, .inner = INNER, .height = INNER, .lying = UPRIGHT},
    [SHAPE_ROCK] = {.name = "rock",
                    .type = BENCH_CONVEX,
                    .inner = 0.9 * INNER,
                    .height = 0.97 * INNER,
                    .lying = UPRIGHT},
};

// A regular dodecahedron with the faces (0, phi, 1) turned to +-z. Its vertices are (+-1, +-1, +-1)
// and the cyclic turns of (0, +-1/phi, +-phi); the ball inside has the radius phi^2 / sqrt(1 +
// phi^2).
static int dodecahedron(CnVec3* points) {
    const double phi = 0.5 * (1.0 + sqrt(5.0));
    const double length = sqrt(1.0 + phi * phi);
    const double scale = INNER * length / (phi * phi);
    int count = 0;
    for (int i = 0; i < 8; ++i) {
        points[count++] = cn_vec3((i & 1) ? 1.0 : -1.0, (i & 2) ? 1.0 : -1.0, (i & 4) ? 1.0 : -1.0);
    }
    for (int i = 0; i < 4; ++i) {
        double a = ((i & 1) ? 1.0 : -1.0) / phi, b = ((i & 2) ? 1.0 : -1.0) * phi;
        points[count++] = cn_vec3(0.0, a, b);
        points[count++] = cn_vec3(a, b, 0.0);
        points[count++] = cn_vec3(b, 0.0, a);
    }
    for (int i = 0; i < count; ++i) {
        CnVec3 p = points[i];
        points[i] = cn_vec3_scale(
            scale, cn_vec3(p.x, (p.y - phi * p.z) / length, (phi * p.y + p.z) / length));
    }
    return count;
}

static int rock(CnVec3* points) {
    CnRandom random = {11};
    for (int i = 0; i < ROCK_POINTS;) {
        double x = cn_random_between(&random, -1.0, 1.0);
        double y = cn_random_between(&random, -1.0, 1.0);
        double z = cn_random_between(&random, -1.0, 1.0);
        CnVec3 p = cn_vec3(x, y, z);
        if (cn_vec3_length(p) <= 1.0 && cn_vec3_length(p) > 0.1) {
            points[i++] = cn_vec3_scale(INNER, cn_vec3_normalize(p));
        }
    }
    return ROCK_POINTS;
}

static void copy_hull(const CnHull* hull, BenchShape* shape) {
    double(*vertices)[3] = calloc((size_t)hull->vertex_count, sizeof *vertices);
    double(*planes)[4] = calloc((size_t)hull->face_count, sizeof *planes);
    unsigned* faces = calloc((size_t)(hull->face_count + hull->loop_count), sizeof *faces);
    unsigned* next = faces;
    for (int i = 0; i < hull->vertex_count; ++i) {
        CnVec3 v = hull->vertices[i];
        vertices[i][0] = v.x, vertices[i][1] = v.y, vertices[i][2] = v.z;
    }
    for (int i = 0; i < hull->face_count; ++i) {
        const CnHullFace* face = &hull->faces[i];
        planes[i][0] = face->normal.x, planes[i][1] = face->normal.y;
        planes[i][2] = face->normal.z, planes[i][3] = face->offset;
        *next++ = (unsigned)face->count;
        for (int k = 0; k < face->count; ++k) {
            *next++ = (unsigned)hull->loop[face->first + k];
        }
    }
    shape->vertices = vertices;
    shape->planes = planes;
    shape->faces = faces;
    shape->vertex_count = hull->vertex_count;
    shape->face_count = hull->face_count;
}

static void make_own(BenchShape* shape, const CnVec3* points, int count) {
    static const CnShapeType types[] = {
        [BENCH_SPHERE] = CN_SHAPE_SPHERE,   [BENCH_BOX] = CN_SHAPE_BOX,
        [BENCH_CAPSULE] = CN_SHAPE_CAPSULE, [BENCH_CYLINDER] = CN_SHAPE_CYLINDER,
        [BENCH_CONVEX] = CN_SHAPE_CONVEX,   [BENCH_PLANE] = CN_SHAPE_PLANE,
    };
    CnShapeDef def = cn_shape_def_default(types[shape->type]);
    def.radius = shape->radius;
    def.length = 2.0 * shape->half_length;
    def.size = cn_vec3(2.0 * shape->half[0], 2.0 * shape->half[1], 2.0 * shape->half[2]);
    def.points = points;
    def.point_count = count;
    shape->own = calloc(1, sizeof *shape->own);
    cn_shape_make(&def, NULL, shape->own, NULL);
}

void make_shapes(BenchShape shapes[SHAPE_COUNT]) {
    CnVec3 points[ROCK_POINTS];
    for (int i = 0; i < SHAPE_COUNT; ++i) {
        int count = i == SHAPE_HULL ? dodecahedron(points) : i == SHAPE_ROCK ? rock(points) : 0;
        shapes[i] = plain[i];
        make_own(&shapes[i], points, count);
        if (count > 0) {
            copy_hull(shapes[i].own->hull, &shapes[i]);
        }
    }
}

void free_shapes(BenchShape shapes[SHAPE_COUNT]) {
    for (int i = 0; i < SHAPE_COUNT; ++i) {
        free(shapes[i].vertices);
        free(shapes[i].planes);
        free(shapes[i].faces);
        cn_shape_free(shapes[i].own, NULL);
        free(shapes[i].own);
    }
}
