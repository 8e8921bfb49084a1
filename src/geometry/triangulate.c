// triangulate.c - the surface of a shape as triangles, for drawing.
#include "geometry/triangulate.h"

typedef struct Writer {
    CnTriangles* out;
    CnTransform frame;
    int resolution;
    double plane_half_size;
} Writer;

static void put_point(const Writer* writer, CnVec3 point) {
    CnTriangles* out = writer->out;
    if (out->point_count < out->point_capacity) {
        out->points[out->point_count] = cn_transform_point(writer->frame, point);
    }
    ++out->point_count;
}

static void put_triangle(const Writer* writer, int a, int b, int c) {
    CnTriangles* out = writer->out;
    if (out->triangle_count < out->triangle_capacity) {
        int* triangle = out->triangles[out->triangle_count];
        triangle[0] = a;
        triangle[1] = b;
        triangle[2] = c;
    }
    ++out->triangle_count;
}

static void put_ring(const Writer* writer, double radius, double z) {
    for (int i = 0; i < writer->resolution; ++i) {
        double angle = 2.0 * CN_PI * i / writer->resolution;
        put_point(writer, cn_vec3(radius * cn_cos(angle), radius * cn_sin(angle), z));
    }
}

// Points: the lower pole, rings of `resolution` points from below, the upper pole.
static void join_rings(const Writer* writer, int rings) {
    int n = writer->resolution, top = 1 + rings * n;
    for (int i = 0; i < n; ++i) {
        int next = (i + 1) % n;
        put_triangle(writer, 0, 1 + next, 1 + i);
        for (int ring = 0; ring + 1 < rings; ++ring) {
            int low = 1 + ring * n, high = low + n;
            put_triangle(writer, low + i, low + next, high + next);
            put_triangle(writer, low + i, high + next, high + i);
        }
        put_triangle(writer, top, top - n + i, top - n + next);
    }
}

static void write_sphere(const Writer* writer, const CnShape* shape) {
    int bands = writer->resolution / 2 < 2 ? 2 : writer->resolution / 2;
    put_point(writer, cn_vec3(0.0, 0.0, -shape->radius));
    for (int i = 1; i < bands; ++i) {
        double angle = CN_PI * i / bands;
        put_ring(writer, shape->radius * cn_sin(angle), -shape->radius * cn_cos(angle));
    }
    put_point(writer, cn_vec3(0.0, 0.0, shape->radius));
    join_rings(writer, bands - 1);
}

// Two half balls, each with a ring at its rim.
static void write_capsule(const Writer* writer, const CnShape* shape) {
    int bands = writer->resolution / 4 < 1 ? 1 : writer->resolution / 4;
    double r = shape->radius, h = shape->half_length;
    put_point(writer, cn_vec3(0.0, 0.0, -h - r));
    for (int i = 1; i <= bands; ++i) {
        double angle = 0.5 * CN_PI * i / bands;
        put_ring(writer, r * cn_sin(angle), -h - r * cn_cos(angle));
    }
    for (int i = bands; i >= 1; --i) {
        double angle = 0.5 * CN_PI * i / bands;
        put_ring(writer, r * cn_sin(angle), h + r * cn_cos(angle));
    }
    put_point(writer, cn_vec3(0.0, 0.0, h + r));
    join_rings(writer, 2 * bands);
}

static void write_cylinder(const Writer* writer, const CnShape* shape) {
    double h = shape->half_length;
    put_point(writer, cn_vec3(0.0, 0.0, -h));
    put_ring(writer, shape->radius, -h);
    put_ring(writer, shape->radius, h);
    put_point(writer, cn_vec3(0.0, 0.0, h));
    join_rings(writer, 2);
}

static void write_plane(const Writer* writer, const CnShape* shape) {
    double s = writer->plane_half_size;
    CnVec3 x, y;
    cn_tangent_basis(shape->normal, &x, &y); // right-handed with the normal
    for (int i = 0; i < 4; ++i) {
        double along = i == 1 || i == 2 ? s : -s, across = i >= 2 ? s : -s;
        put_point(writer, cn_vec3_add(cn_vec3_scale(along, x), cn_vec3_scale(across, y)));
    }
    put_triangle(writer, 0, 1, 2);
    put_triangle(writer, 0, 2, 3);
}

static void write_hull(const Writer* writer, const CnHull* hull) {
    for (int i = 0; i < hull->vertex_count; ++i) {
        put_point(writer, hull->vertices[i]);
    }
    for (int i = 0; i < hull->face_count; ++i) {
        const int* loop = &hull->loop[hull->faces[i].first];
        for (int k = 1; k + 1 < hull->faces[i].count; ++k) {
            put_triangle(writer, loop[0], loop[k], loop[k + 1]);
        }
    }
}

static void write_box(const Writer* writer, const CnShape* shape) {
    CnBoxHull storage;
    write_hull(writer, cn_box_hull(shape->half_size, &storage));
}

static void write_convex(const Writer* writer, const CnShape* shape) {
    write_hull(writer, shape->hull);
}

static void write_mesh(const Writer* writer, const CnShape* shape) {
    const CnTriangleMesh* mesh = shape->mesh;
    for (int i = 0; i < mesh->point_count; ++i) {
        put_point(writer, mesh->points[i]);
    }
    for (int i = 0; i < mesh->triangle_count; ++i) {
        put_triangle(writer, mesh->triangles[i][0], mesh->triangles[i][1], mesh->triangles[i][2]);
    }
}

static void write_height_field(const Writer* writer, const CnShape* shape) {
    const CnHeightField* field = shape->field;
    int columns = field->columns, rows = field->rows;
    for (int k = 0; k < rows; ++k) {
        double y = field->size_y * ((double)k / (rows - 1) - 0.5);
        for (int i = 0; i < columns; ++i) {
            double x = field->size_x * ((double)i / (columns - 1) - 0.5);
            put_point(writer, cn_vec3(x, y, field->heights[k * columns + i]));
        }
    }
    for (int k = 0; k + 1 < rows; ++k) {
        for (int i = 0; i + 1 < columns; ++i) {
            int low = k * columns + i, high = low + columns;
            put_triangle(writer, low, low + 1, high + 1);
            put_triangle(writer, low, high + 1, high);
        }
    }
}

typedef void WriteFunction(const Writer* writer, const CnShape* shape);
static WriteFunction* const write_table[CN_SHAPE_TYPE_COUNT] = {
    [CN_SHAPE_SPHERE] = write_sphere,     [CN_SHAPE_PLANE] = write_plane,
    [CN_SHAPE_BOX] = write_box,           [CN_SHAPE_CAPSULE] = write_capsule,
    [CN_SHAPE_CYLINDER] = write_cylinder, [CN_SHAPE_CONVEX] = write_convex,
    [CN_SHAPE_MESH] = write_mesh,         [CN_SHAPE_HEIGHT_FIELD] = write_height_field,
};

void cn_shape_triangulate(const CnShape* shape, CnTransform frame, int resolution,
                          double plane_half_size, CnTriangles* triangles) {
    Writer writer = {triangles, frame, resolution, plane_half_size};
    triangles->point_count = triangles->triangle_count = 0;
    write_table[shape->type](&writer, shape);
}
