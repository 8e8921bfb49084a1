// hull.h - convex polyhedra: vertices, faces as loops, edges.
#pragma once

#include "cairn/math.h"

typedef struct CnHullFace {
    CnVec3 normal;    // unit, outward
    double offset;    // normal . x on the face; at most that elsewhere, to round-off [m]
    int first, count; // its loop: loop[first .. first + count), counter-clockwise from outside
} CnHullFace;

typedef struct CnHullEdge {
    int from, to;    // vertices, from < to
    int left, right; // faces: left has from -> to in its loop, right the reverse
} CnHullEdge;

// A face in its plane: x along its first side, y inward from that, both from its first corner. Rows
// of CN_OUTLINE_CORNERS are looked at together; beyond the last corner they have the first and
// sides at infinity.
#define CN_OUTLINE_CORNERS 8

typedef struct CnOutline {
    int first, count;  // as its CnHullFace has them; 0 if there are more corners: no outline
    double axes[3][4]; // coordinates of the axes x and y, of the normal: unit; of the first corner
                       // [m]
    double x[CN_OUTLINE_CORNERS], y[CN_OUTLINE_CORNERS]; // of corners [m]
    double inward_x[CN_OUTLINE_CORNERS];                 // of the sides that leave them: unit
    double inward_y[CN_OUTLINE_CORNERS];
    double offset[CN_OUTLINE_CORNERS]; // [m]
} CnOutline;

// Hulls with more sides than this have no outlines, which would take tens of megabytes.
#define CN_OUTLINE_SIDES 32767

// Vertices and planes once more, one array for each coordinate and padded with copies of the first
// entry, the plane at infinity, to a multiple of CN_HULL_LANES: searches take several at once.
typedef struct CnHullColumns {
    const double *x, *y, *z;                               // of vertices [m]
    const double *normal_x, *normal_y, *normal_z, *offset; // of faces; offset in [m]
} CnHullColumns;

#define CN_HULL_LANES 4 // a power of two

// All arrays lie in one block of memory.
typedef struct CnHull {
    int vertex_count, face_count, edge_count, loop_count;
    CnVec3* vertices;        // [vertex_count]
    CnHullFace* faces;       // no two coplanar: flat neighbours are merged   [face_count]
    const CnHullEdge* edges; // [edge_count]
    const int* loop;         // vertices of all faces   [loop_count]
    const int* side;         // the edge from each corner of a loop to the next   [loop_count]
    const CnVec3* inward;    // across each of these, in the plane of the face: unit   [loop_count],
                             // or NULL: not known
    const uint64_t* edge_sets; // the edges of each face, a bit each, none of those that pad
                               // [cn_hull_padded(face_count)][cn_hull_edge_sets()], or NULL
    const CnOutline* outlines; // [face_count], or NULL: not known, or too many
    CnHullColumns columns;
    CnVec3 center;       // of two balls [m]
    double inner, outer; // radii: one is inside the hull, the other has it inside [m]
    double reach;        // |x| + |y| + |z| of the centre, and outer: no vertex is farther [m]
    double sharpest;     // least cosine of half the angle between the normals of an edge's faces
    double alike; // the largest of any two faces, or more: a direction that one faces by more
                  // is faced less by all others
} CnHull;

static inline int cn_hull_padded(int count) {
    return (count + CN_HULL_LANES - 1) & ~(CN_HULL_LANES - 1);
}

// Numbers that the columns of so many vertices and faces take.
#define CN_HULL_COLUMNS(vertices, faces)                                                           \
    ((3 * (((vertices) + CN_HULL_LANES - 1) / CN_HULL_LANES) +                                     \
      4 * (((faces) + CN_HULL_LANES - 1) / CN_HULL_LANES)) *                                       \
     CN_HULL_LANES)

// Lays out the columns of a hull that has its vertices and faces; storage stays the caller's.
void cn_hull_lay_columns(CnHull* hull, double* storage);

// Sets of 64 edges for each face: one, or four, or none of hulls with more edges, where they would
// take more memory than all the rest.
#define CN_HULL_EDGE_SETS 4
static inline int cn_hull_edge_sets(int edge_count) {
    return edge_count <= 64 ? 1 : edge_count <= 64 * CN_HULL_EDGE_SETS ? CN_HULL_EDGE_SETS : 0;
}

// Words that the sets of all faces take; these are padded like their columns, with empty sets.
static inline int cn_hull_edge_words(int face_count, int edge_count) {
    return cn_hull_padded(face_count) * cn_hull_edge_sets(edge_count);
}

// Lays them out, of a hull that has its edges.
void cn_hull_lay_edge_sets(CnHull* hull, uint64_t* storage);

// Outlines of a hull with so many faces and sides.
static inline int cn_hull_outline_count(int faces, int sides) {
    return sides <= CN_OUTLINE_SIDES ? faces : 0;
}

// Lays them out, of a hull that has `inward`.
void cn_hull_lay_outlines(CnHull* hull, CnOutline* outlines);

// Bounds time and memory: a hull of so many points takes seconds and some tens of megabytes.
#define CN_HULL_POINT_LIMIT 65536

// The hull of points by quickhull with predicates that do not lie: any input gives a valid convex
// polyhedron that holds every point to within a few units of round-off of their size, or a
// sentence (fewer than four points or too many, all in a plane, not finite). Vertices keep the
// order they have in points, so that equal input gives equal bits.
// docs/theory/collision/quickhull.md.
CnStatus cn_hull_build(const CnVec3* points, int count, const CnAllocator* allocator, CnHull** hull,
                       CnError* error);
CnHull* cn_hull_copy(const CnHull* hull, const CnAllocator* allocator); // NULL: no memory
void cn_hull_free(CnHull* hull, const CnAllocator* allocator);          // NULL is fine

// Volume [m^3], centre [m] and second moments of volume about the centre (xx yy zz xy xz yz as an
// inertia tensor of density 1) [m^5], exact for a polyhedron.
void cn_hull_moments(const CnHull* hull, double* volume, CnVec3* center, double inertia[6]);

// A box as a hull, in storage that the caller keeps: no allocation.
typedef struct CnBoxHull {
    CnHull hull;
    CnVec3 vertices[8];
    CnHullFace faces[6];
    double columns[4][8]; // x, y and z of the vertices, offsets of the faces
    CnOutline outlines[6];
} CnBoxHull;
const CnHull* cn_box_hull(CnVec3 half_size, CnBoxHull* storage);

// The outline of one of its faces: only those that need it ask.
void cn_box_lay_outline(CnBoxHull* storage, int face);
