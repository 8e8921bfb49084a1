// epa.c - penetration depth of two convex cores (expanding polytope algorithm).
#include "collision/convex/epa.h"

#include <float.h>

#define MAX_VERTICES 128
#define MAX_FACES (2 * MAX_VERTICES - 4) // Euler, all triangles
#define MAX_EDGES 256                    // of one hole: more than there can be

// A simplex with a volume below this, relative to the cube of the size, is flat.
#define FLAT (64.0 * DBL_EPSILON)

typedef struct Face {
    int corners[3]; // counter-clockwise from outside
    CnVec3 normal;  // unit, outward; zero for a sliver
    double offset;  // normal . x on the face; infinite for a sliver, which is never chosen [m]
} Face;

typedef struct HorizonEdge {
    int from, to;
} HorizonEdge;

typedef struct Polytope {
    CnVec3 vertices[MAX_VERTICES];
    Face faces[MAX_FACES];
    uint8_t owner[MAX_VERTICES][MAX_VERTICES]; // the face that has the edge from -> to in its loop
    HorizonEdge edges[MAX_EDGES];              // edges of the hole that are still to be tried
    HorizonEdge rim[MAX_EDGES];                // the horizon: edges that remain
    int vertex_count, face_count, edge_count, rim_count;
} Polytope;

_Static_assert(MAX_FACES <= UINT8_MAX + 1, "faces are counted in bytes");

static void own_edges(Polytope* polytope, int face) {
    const int* corners = polytope->faces[face].corners;
    for (int k = 0; k < 3; ++k) {
        polytope->owner[corners[k]][corners[(k + 1) % 3]] = (uint8_t)face;
    }
}

static bool add_face(Polytope* polytope, int a, int b, int c) {
    if (polytope->face_count == MAX_FACES) {
        return false;
    }
    CnVec3 p = polytope->vertices[a];
    CnVec3 normal = cn_vec3_normalize(cn_vec3_cross(cn_vec3_sub(polytope->vertices[b], p),
                                                    cn_vec3_sub(polytope->vertices[c], p)));
    bool sliver = !(cn_vec3_dot(normal, normal) > 0.0);
    polytope->faces[polytope->face_count] = (Face){
        .corners = {a, b, c},
        .normal = normal,
        .offset = sliver ? HUGE_VAL : cn_vec3_dot(normal, p),
    };
    own_edges(polytope, polytope->face_count++);
    return true;
}

// The support points of the difference in a direction and its opposite: returns the one farther
// from the plane through p.
static CnVec3 far_from(const CnCorePair* pair, CnVec3 p, CnVec3 direction) {
    CnVec3 low = cn_core_support(pair, direction).difference;
    CnVec3 high = cn_core_support(pair, cn_vec3_negate(direction)).difference;
    double below = cn_vec3_dot(direction, cn_vec3_sub(p, low));
    double above = cn_vec3_dot(direction, cn_vec3_sub(high, p));
    return below > above ? low : high;
}

// GJK may end on a corner, an edge or a triangle that contains the origin. Adds corners, each as
// far as possible from the present ones.
static bool make_tetrahedron(const CnCorePair* pair, const CnGjk* gjk, int count,
                             Polytope* polytope) {
    CnVec3* x = polytope->vertices;
    CnVec3 t1, t2;
    for (int i = 0; i < count; ++i) {
        x[i] = gjk->simplex[i].difference;
    }
    if (count < 2) {
        x[1] = far_from(pair, x[0], cn_vec3(1.0, 0.0, 0.0));
    }
    if (count < 3) {
        cn_tangent_basis(cn_vec3_normalize(cn_vec3_sub(x[1], x[0])), &t1, &t2);
        x[2] = far_from(pair, x[0], t1);
    }
    CnVec3 across = cn_vec3_cross(cn_vec3_sub(x[1], x[0]), cn_vec3_sub(x[2], x[0]));
    if (count < 4) {
        x[3] = far_from(pair, x[0], cn_vec3_normalize(across));
    }
    double volume = cn_vec3_dot(across, cn_vec3_sub(x[3], x[0]));
    if (!(fabs(volume) > FLAT * pair->size * pair->size * pair->size)) {
        return false;
    }
    if (volume > 0.0) {
        CnVec3 swapped = x[1];
        x[1] = x[2];
        x[2] = swapped;
    }
    polytope->vertex_count = 4;
    return add_face(polytope, 0, 1, 2) && add_face(polytope, 0, 3, 1) &&
           add_face(polytope, 0, 2, 3) && add_face(polytope, 1, 3, 2);
}

static int nearest_face(const Polytope* polytope) {
    int nearest = -1;
    double least = HUGE_VAL;
    for (int i = 0; i < polytope->face_count; ++i) {
        if (polytope->faces[i].offset < least) {
            least = polytope->faces[i].offset;
            nearest = i;
        }
    }
    return nearest;
}

static bool has_edge(const Face* face, HorizonEdge edge) {
    for (int k = 0; k < 3; ++k) {
        if (face->corners[k] == edge.from && face->corners[(k + 1) % 3] == edge.to) {
            return true;
        }
    }
    return false;
}

// The last face moves to the place of the removed one, whose edges are to be tried.
static bool take_face(Polytope* polytope, int face, HorizonEdge entered) {
    Face gone = polytope->faces[face];
    int last = --polytope->face_count;
    if (face != last) {
        polytope->faces[face] = polytope->faces[last];
        own_edges(polytope, face);
    }
    for (int k = 0; k < 3; ++k) {
        HorizonEdge edge = {gone.corners[k], gone.corners[(k + 1) % 3]};
        if (edge.from == entered.from && edge.to == entered.to) {
            continue;
        }
        if (polytope->edge_count == MAX_EDGES) {
            return false;
        }
        polytope->edges[polytope->edge_count++] = edge;
    }
    return true;
}

// Removes the face and all faces visible from x that are connected to it by edges. Round-off may
// make a far face visible too, but the hole stays connected. An edge whose other face is already
// removed is inside the hole.
static bool dig(Polytope* polytope, int face, CnVec3 x) {
    polytope->edge_count = polytope->rim_count = 0;
    if (!take_face(polytope, face, (HorizonEdge){-1, -1})) {
        return false;
    }
    while (polytope->edge_count > 0) {
        HorizonEdge edge = polytope->edges[--polytope->edge_count];
        HorizonEdge back = {edge.to, edge.from};
        int other = polytope->owner[back.from][back.to];
        const Face* neighbour = &polytope->faces[other];
        if (other >= polytope->face_count || !has_edge(neighbour, back)) {
            continue;
        }
        if (cn_vec3_dot(neighbour->normal, x) > neighbour->offset) {
            if (!take_face(polytope, other, back)) {
                return false;
            }
        } else if (polytope->rim_count == MAX_EDGES) {
            return false;
        } else {
            polytope->rim[polytope->rim_count++] = edge;
        }
    }
    return true;
}

// Replaces the faces visible from the new vertex by triangles from it to the horizon.
static bool add_vertex(Polytope* polytope, int face, CnVec3 x) {
    if (polytope->vertex_count == MAX_VERTICES || !dig(polytope, face, x)) {
        return false;
    }
    int vertex = polytope->vertex_count++;
    polytope->vertices[vertex] = x;
    for (int i = 0; i < polytope->rim_count; ++i) {
        if (!add_face(polytope, polytope->rim[i].from, polytope->rim[i].to, vertex)) {
            return false;
        }
    }
    return true;
}

static void try_direction(const CnCorePair* pair, CnVec3 normal, CnEpa* best) {
    double separation = cn_core_separation(pair, normal);
    if (separation > best->separation) {
        best->separation = separation;
        best->normal = normal;
    }
}

static void try_both_ways(const CnCorePair* pair, CnVec3 direction, CnEpa* best) {
    if (cn_vec3_dot(direction, direction) > 0.0) {
        try_direction(pair, direction, best);
        try_direction(pair, cn_vec3_negate(direction), best);
    }
}

// Starting directions for when the polytope gives none: the axes of both cores, the direction from
// A to B, and its components perpendicular to the axis of either, which lead out of a cylinder.
static void try_plain_directions(const CnCorePair* pair, CnEpa* best) {
    for (int i = 0; i < 3; ++i) {
        CnVec3 own = cn_vec3(i == 0 ? 1.0 : 0.0, i == 1 ? 1.0 : 0.0, i == 2 ? 1.0 : 0.0);
        CnVec3 other =
            cn_vec3(pair->rotation.m[0][i], pair->rotation.m[1][i], pair->rotation.m[2][i]);
        double along_own = cn_vec3_dot(pair->offset, own);
        double along_other = cn_vec3_dot(pair->offset, other);
        try_both_ways(pair, own, best);
        try_both_ways(pair, other, best);
        try_both_ways(pair, cn_vec3_normalize(cn_vec3_add_scaled(pair->offset, -along_own, own)),
                      best);
        try_both_ways(
            pair, cn_vec3_normalize(cn_vec3_add_scaled(pair->offset, -along_other, other)), best);
    }
    try_both_ways(pair, cn_vec3_normalize(pair->offset), best);
}

// Normals whose cosine is above this (8 degrees) lead to the same maximum.
#define SAME_SLOPE 0.99

static bool is_new_start(const CnEpa* epa, CnVec3 normal) {
    for (int i = 0; i < epa->start_count; ++i) {
        if (cn_vec3_dot(epa->starts[i], normal) > SAME_SLOPE) {
            return false;
        }
    }
    return true;
}

// Only a face closer to the origin than the best depth can hide a smaller depth, or by `tie` [m] an
// equal one. Returns the nearest of these faces.
static void collect_starts(const Polytope* polytope, double tie, CnEpa* best) {
    best->starts[best->start_count++] = best->normal;
    while (best->start_count < CN_EPA_STARTS) {
        int nearest = -1;
        for (int i = 0; i < polytope->face_count; ++i) {
            const Face* face = &polytope->faces[i];
            bool hides = face->offset < tie - best->separation &&
                         (nearest < 0 || face->offset < polytope->faces[nearest].offset);
            if (hides && is_new_start(best, cn_vec3_negate(face->normal))) {
                nearest = i;
            }
        }
        if (nearest < 0) {
            break;
        }
        best->starts[best->start_count++] = cn_vec3_negate(polytope->faces[nearest].normal);
    }
}

// The polytope is inside the difference: its nearest face bounds the depth from below, every
// support bounds it from above. docs/theory/collision/gjk.md (7).
CnEpa cn_epa(const CnCorePair* pair, const CnGjk* gjk, double tolerance) {
    Polytope polytope;
    CnEpa best = {.separation = -HUGE_VAL, .bound = HUGE_VAL};
    polytope.vertex_count = polytope.face_count = 0;

    // For round cores that only touch, GJK leaves corners so close together that their simplex is
    // flat; one of them is enough. The origin need not be inside: its side of the polytope grows
    // first.
    if (!make_tetrahedron(pair, gjk, gjk->count, &polytope) &&
        !make_tetrahedron(pair, gjk, 1, &polytope)) {
        try_plain_directions(pair, &best);
        best.starts[best.start_count++] = best.normal;
        return best;
    }
    for (;;) {
        int nearest = nearest_face(&polytope);
        if (nearest < 0) {
            break;
        }
        Face face = polytope.faces[nearest];
        CnVec3 normal = cn_vec3_negate(face.normal);
        CnVec3 support = cn_core_support(pair, normal).difference;
        double separation = cn_vec3_dot(normal, support);
        if (separation > best.separation) {
            best.separation = separation;
            best.normal = normal;
        }
        best.bound = -face.offset;
        best.exact = best.bound - best.separation <= tolerance;
        // A support that lies on the face itself cannot extend the polytope.
        if (best.exact || -separation <= face.offset || !add_vertex(&polytope, nearest, support)) {
            break;
        }
    }
    if (!best.exact) {
        try_plain_directions(pair, &best);
    }
    best.vertices = polytope.vertex_count;
    collect_starts(&polytope, CN_TOUCHING * pair->size, &best);
    return best;
}
