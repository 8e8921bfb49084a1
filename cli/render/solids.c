// solids.c - the surfaces of shapes as triangles with normals, and the edges worth a line.
#include "render/solids.h"

#include <math.h>
#include <stdlib.h>

#define CIRCLE 32   // corners of a circle; a multiple of four
#define SHARP 0.906 // cosine of the angle between two faces whose edge gets a line: 25 degrees

// ---- building ----

static void add_triangle(Solid* solid, Corner a, Corner b, Corner c) {
    int count = solid->triangle_count;
    if ((count & (count - 1)) == 0) { // room for 1, 2, 4, 8, ...
        size_t room = count == 0 ? 1 : 2 * (size_t)count;
        Corner* grown = realloc(solid->corners, 3 * room * sizeof *grown);
        solid->is_full = solid->is_full || grown == NULL;
        solid->corners = grown == NULL ? solid->corners : grown;
    }
    if (!solid->is_full) {
        solid->corners[3 * count] = a;
        solid->corners[3 * count + 1] = b;
        solid->corners[3 * count + 2] = c;
        solid->triangle_count += 1;
    }
}

static void add_quad(Solid* solid, Corner a, Corner b, Corner c, Corner d) {
    add_triangle(solid, a, b, c);
    add_triangle(solid, a, c, d);
}

static void add_edge(Solid* solid, CnVec3 from, CnVec3 to) {
    int count = solid->edge_count;
    if ((count & (count - 1)) == 0) {
        size_t room = count == 0 ? 1 : 2 * (size_t)count;
        CnVec3(*grown)[2] = realloc(solid->edges, room * sizeof *grown);
        solid->is_full = solid->is_full || grown == NULL;
        solid->edges = grown == NULL ? solid->edges : grown;
    }
    if (!solid->is_full) {
        solid->edges[count][0] = from;
        solid->edges[count][1] = to;
        solid->edge_count += 1;
    }
}

void solid_free(Solid* solid) {
    free(solid->corners);
    free(solid->edges);
    *solid = (Solid){0};
}

// Points of a circle by square roots and products alone, so that every machine has the same bits:
// halving the right angle gives the cosine of one step, and each step turns the point before it.
static void make_circle(double x[CIRCLE + 1], double y[CIRCLE + 1]) {
    double c = 0.0; // of a right angle, a quarter of the circle
    for (int parts = 4; parts < CIRCLE; parts *= 2) {
        c = sqrt(0.5 * (1.0 + c));
    }
    double s = sqrt(1.0 - c * c);
    x[0] = 1.0;
    y[0] = 0.0;
    for (int i = 0; i < CIRCLE; ++i) {
        x[i + 1] = c * x[i] - s * y[i];
        y[i + 1] = s * x[i] + c * y[i];
    }
}

// ---- shapes ----

static CnVec3 box_corner(CnVec3 half, int index) {
    return cn_vec3(index & 1 ? half.x : -half.x, index & 2 ? half.y : -half.y,
                   index & 4 ? half.z : -half.z);
}

static void add_box(Solid* solid, CnVec3 size) {
    static const int faces[6][4] = {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4},
                                    {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}};
    static const CnVec3 normals[6] = {{-1, 0, 0}, {1, 0, 0},  {0, -1, 0},
                                      {0, 1, 0},  {0, 0, -1}, {0, 0, 1}};
    CnVec3 half = cn_vec3_scale(0.5, size);
    for (int f = 0; f < 6; ++f) {
        Corner c[4];
        for (int i = 0; i < 4; ++i) {
            c[i] = (Corner){box_corner(half, faces[f][i]), normals[f]};
        }
        add_quad(solid, c[0], c[1], c[2], c[3]);
    }
    for (int a = 0; a < 8; ++a) {
        for (int bit = 1; bit < 8; bit *= 2) {
            if ((a & bit) == 0) {
                add_edge(solid, box_corner(half, a), box_corner(half, a | bit));
            }
        }
    }
}

// The round side between two heights, with the radii there.
static void add_side(Solid* solid, double z0, double r0, double z1, double r1) {
    double x[CIRCLE + 1], y[CIRCLE + 1];
    make_circle(x, y);
    double slope = (r0 - r1) / (z1 - z0);
    for (int i = 0; i < CIRCLE; ++i) {
        CnVec3 n0 = cn_vec3_normalize(cn_vec3(x[i], y[i], slope));
        CnVec3 n1 = cn_vec3_normalize(cn_vec3(x[i + 1], y[i + 1], slope));
        add_quad(solid, (Corner){{r0 * x[i], r0 * y[i], z0}, n0},
                 (Corner){{r0 * x[i + 1], r0 * y[i + 1], z0}, n1},
                 (Corner){{r1 * x[i + 1], r1 * y[i + 1], z1}, n1},
                 (Corner){{r1 * x[i], r1 * y[i], z1}, n0});
    }
}

static void add_disc(Solid* solid, double z, double radius, double sign, bool has_edge) {
    double x[CIRCLE + 1], y[CIRCLE + 1];
    make_circle(x, y);
    CnVec3 normal = {0.0, 0.0, sign};
    for (int i = 0; i < CIRCLE; ++i) {
        CnVec3 a = {radius * x[i], radius * y[i], z}, b = {radius * x[i + 1], radius * y[i + 1], z};
        add_triangle(solid, (Corner){{0.0, 0.0, z}, normal}, (Corner){a, normal},
                     (Corner){b, normal});
        if (has_edge) {
            add_edge(solid, a, b);
        }
    }
}

// From the equator to the pole at +z (sign 1) or -z, around a centre on the axis.
static void add_half_sphere(Solid* solid, double center, double radius, double sign) {
    double x[CIRCLE + 1], y[CIRCLE + 1];
    make_circle(x, y);
    for (int ring = 0; ring < CIRCLE / 4; ++ring) {
        for (int i = 0; i < CIRCLE; ++i) {
            Corner c[4];
            const int at[4][2] = {{ring, i}, {ring, i + 1}, {ring + 1, i + 1}, {ring + 1, i}};
            for (int k = 0; k < 4; ++k) {
                double level = x[at[k][0]], height = y[at[k][0]];
                CnVec3 normal = {level * x[at[k][1]], level * y[at[k][1]], sign * height};
                c[k] =
                    (Corner){cn_vec3_add_scaled(cn_vec3(0.0, 0.0, center), radius, normal), normal};
            }
            add_quad(solid, c[0], c[1], c[2], c[3]);
        }
    }
}

static void add_cylinder(Solid* solid, double radius, double length) {
    add_side(solid, -0.5 * length, radius, 0.5 * length, radius);
    add_disc(solid, -0.5 * length, radius, -1.0, true);
    add_disc(solid, 0.5 * length, radius, 1.0, true);
}

static CnVec3 mesh_point(const CnRecordedMesh* mesh, uint32_t index) {
    const float* p = mesh->points[index];
    return cn_vec3((double)p[0], (double)p[1], (double)p[2]);
}

// An edge between two faces under an angle, or of one face only, gets a line.
typedef struct MeshEdge {
    uint32_t low, high; // points
    int triangle;
} MeshEdge;

static int compare_edges(const void* a, const void* b) {
    const MeshEdge *p = a, *q = b;
    if (p->low != q->low) {
        return p->low < q->low ? -1 : 1;
    }
    if (p->high != q->high) {
        return p->high < q->high ? -1 : 1;
    }
    return (p->triangle > q->triangle) - (p->triangle < q->triangle);
}

static void add_mesh_edges(Solid* solid, const CnRecordedMesh* mesh) {
    int count = 3 * mesh->triangle_count;
    MeshEdge* edges = malloc((size_t)count * sizeof *edges + 1);
    if (edges == NULL) {
        solid->is_full = true;
        return;
    }
    for (int i = 0; i < count; ++i) {
        uint32_t a = mesh->triangles[i / 3][i % 3], b = mesh->triangles[i / 3][(i + 1) % 3];
        edges[i] = (MeshEdge){a < b ? a : b, a < b ? b : a, i / 3};
    }
    qsort(edges, (size_t)count, sizeof *edges, compare_edges);
    for (int i = 0; i < count;) {
        int next = i + 1;
        while (next < count && edges[next].low == edges[i].low &&
               edges[next].high == edges[i].high) {
            next += 1;
        }
        bool is_sharp =
            next - i != 2 || cn_vec3_dot(solid->corners[3 * edges[i].triangle].normal,
                                         solid->corners[3 * edges[i + 1].triangle].normal) < SHARP;
        if (is_sharp) {
            add_edge(solid, mesh_point(mesh, edges[i].low), mesh_point(mesh, edges[i].high));
        }
        i = next;
    }
    free(edges);
}

static void add_mesh(Solid* solid, const CnRecordedMesh* mesh) {
    for (int t = 0; t < mesh->triangle_count; ++t) {
        CnVec3 a = mesh_point(mesh, mesh->triangles[t][0]);
        CnVec3 b = mesh_point(mesh, mesh->triangles[t][1]);
        CnVec3 c = mesh_point(mesh, mesh->triangles[t][2]);
        CnVec3 across = cn_vec3_cross(cn_vec3_sub(b, a), cn_vec3_sub(c, a));
        CnVec3 normal =
            cn_vec3_length(across) > 0.0 ? cn_vec3_normalize(across) : cn_vec3(0.0, 0.0, 1.0);
        add_triangle(solid, (Corner){a, normal}, (Corner){b, normal}, (Corner){c, normal});
    }
    if (!solid->is_full) {
        add_mesh_edges(solid, mesh);
    }
}

Solid solid_of_shape(const CnRecordedShape* shape, const CnRecordedMesh* mesh) {
    Solid solid = {0};
    if (mesh != NULL) {
        add_mesh(&solid, mesh);
    } else if (shape->type == CN_SHAPE_BOX) {
        add_box(&solid, shape->size);
    } else if (shape->type == CN_SHAPE_SPHERE) {
        add_half_sphere(&solid, 0.0, shape->radius, 1.0);
        add_half_sphere(&solid, 0.0, shape->radius, -1.0);
    } else if (shape->type == CN_SHAPE_CYLINDER) {
        add_cylinder(&solid, shape->radius, shape->length);
    } else if (shape->type == CN_SHAPE_CAPSULE) {
        add_side(&solid, -0.5 * shape->length, shape->radius, 0.5 * shape->length, shape->radius);
        add_half_sphere(&solid, 0.5 * shape->length, shape->radius, 1.0);
        add_half_sphere(&solid, -0.5 * shape->length, shape->radius, -1.0);
    }
    return solid;
}

// ---- arrows ----

Solid solid_arrow(CnVec3 from, CnVec3 vector, double width) {
    Solid solid = {0};
    double length = cn_vec3_length(vector);
    double head = fmin(5.0 * width, 0.5 * length), thin = fmin(width, 0.2 * length);
    CnVec3 z = cn_vec3_scale(1.0 / length, vector);
    CnVec3 other = fabs(z.x) < 0.7 ? cn_vec3(1.0, 0.0, 0.0) : cn_vec3(0.0, 1.0, 0.0);
    CnVec3 x = cn_vec3_normalize(cn_vec3_cross(other, z)), y = cn_vec3_cross(z, x);
    add_side(&solid, 0.0, thin, length - head, thin);
    add_disc(&solid, length - head, 2.4 * thin, -1.0, false);
    add_side(&solid, length - head, 2.4 * thin, length, 0.0);
    for (int i = 0; i < 3 * solid.triangle_count; ++i) {
        CnVec3 p = solid.corners[i].place, n = solid.corners[i].normal;
        CnVec3 turned =
            cn_vec3_add_scaled(cn_vec3_add_scaled(cn_vec3_scale(p.x, x), p.y, y), p.z, z);
        solid.corners[i].place = cn_vec3_add(from, turned);
        solid.corners[i].normal =
            cn_vec3_add_scaled(cn_vec3_add_scaled(cn_vec3_scale(n.x, x), n.y, y), n.z, z);
    }
    return solid;
}
