// hull_moments.c - volume, centre and inertia of a convex polyhedron.
//
// The polyhedron is the union of tetrahedra from one inner point to the triangles of its faces, and
// polynomials have closed integrals over a tetrahedron. The inner point is the mean of the
// vertices: all tetrahedra have positive volume, nothing cancels however far away the origin is.
// Equations are those of docs/theory/collision/quickhull.md.
#include "geometry/hull/hull.h"

// Integrals over a body of 1, of x, and of x x^T (xx yy zz xy xz yz).
typedef struct Moments {
    double zeroth;
    CnVec3 first;
    double second[6];
} Moments;

static CnVec3 vertex_mean(const CnHull* hull) {
    CnVec3 base = hull->vertices[0], sum = {0};
    for (int i = 1; i < hull->vertex_count; ++i) {
        sum = cn_vec3_add(sum, cn_vec3_sub(hull->vertices[i], base));
    }
    return cn_vec3_add_scaled(base, 1.0 / hull->vertex_count, sum);
}

// second += weight v v^T
static void add_square(double second[6], double weight, CnVec3 v) {
    second[0] += weight * v.x * v.x;
    second[1] += weight * v.y * v.y;
    second[2] += weight * v.z * v.z;
    second[3] += weight * v.x * v.y;
    second[4] += weight * v.x * v.z;
    second[5] += weight * v.y * v.z;
}

// The tetrahedron 0 a b c of volume V, with s = a + b + c:
//     int x = V s / 4,    int x x^T = V / 20 (a a^T + b b^T + c c^T + s s^T)    (5), (6)
static void add_tetrahedron(Moments* moments, CnVec3 a, CnVec3 b, CnVec3 c) {
    double volume = cn_vec3_dot(a, cn_vec3_cross(b, c)) / 6.0;
    CnVec3 sum = cn_vec3_add(cn_vec3_add(a, b), c);

    moments->zeroth += volume;
    moments->first = cn_vec3_add_scaled(moments->first, volume / 4.0, sum);
    add_square(moments->second, volume / 20.0, a);
    add_square(moments->second, volume / 20.0, b);
    add_square(moments->second, volume / 20.0, c);
    add_square(moments->second, volume / 20.0, sum);
}

void cn_hull_moments(const CnHull* hull, double* volume, CnVec3* center, double inertia[6]) {
    CnVec3 mean = vertex_mean(hull);
    Moments moments = {0};
    for (int i = 0; i < hull->face_count; ++i) {
        const int* loop = hull->loop + hull->faces[i].first;
        CnVec3 a = cn_vec3_sub(hull->vertices[loop[0]], mean);
        CnVec3 b = cn_vec3_sub(hull->vertices[loop[1]], mean);
        for (int k = 2; k < hull->faces[i].count; ++k) {
            CnVec3 c = cn_vec3_sub(hull->vertices[loop[k]], mean);
            add_tetrahedron(&moments, a, b, c);
            b = c;
        }
    }

    CnVec3 shift = cn_vec3_scale(1.0 / moments.zeroth, moments.first);
    double* s = moments.second;
    add_square(s, -moments.zeroth, shift); // from the mean to the centre (Steiner)
    *volume = moments.zeroth;
    *center = cn_vec3_add(mean, shift);
    inertia[0] = s[1] + s[2];
    inertia[1] = s[0] + s[2];
    inertia[2] = s[0] + s[1];
    inertia[3] = -s[3];
    inertia[4] = -s[4];
    inertia[5] = -s[5];
}
