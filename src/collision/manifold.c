// manifold.c - contact points of two convex polyhedra from the axes that part them best.
#include "collision/manifold.h"

#include "collision/clip.h"
#include "collision/reduce.h"

// Features that meet, told apart by what they are and not by who is the reference, so that keys
// outlive a change of it. Two bits of kind, and 15 bits for a vertex, face, side or edge of each
// hull: beyond 32768 of them keys may repeat, which costs a warm start and nothing else.
typedef enum Meeting {
    VERTEX_OF_A, // on a face of B
    VERTEX_OF_B, // on a face of A
    SIDES,       // of a face of A and one of B, crossing
    EDGES        // of the two hulls, where no face is near
} Meeting;

#define INDEX_BITS 15
#define INDEX_MASK ((1u << INDEX_BITS) - 1u)

static uint32_t key(Meeting meeting, int a, int b) {
    return (uint32_t)meeting << (2 * INDEX_BITS) | ((uint32_t)a & INDEX_MASK) << INDEX_BITS |
           ((uint32_t)b & INDEX_MASK);
}

CnHullPair cn_hull_pair(CnPlacedShape a, CnPlacedShape b, CnBoxHull storage[2]) {
    return (CnHullPair){
        .hull = {cn_polyhedron_hull(a.shape, &storage[0]),
                 cn_polyhedron_hull(b.shape, &storage[1])},
        .pose = {a.pose, b.pose},
        .b_in_a = cn_relative_pose(a.pose, b.pose),
        .size = fmin(a.shape->extent, b.shape->extent),
    };
}

static const CnSatAxis* better_face(const CnSatAxes* axes, double size) {
    double a = axes->face_a.separation, b = axes->face_b.separation;
    return b > a + CN_ALIGNMENT * size ? &axes->face_b : &axes->face_a;
}

const CnSatAxis* cn_manifold_axis(const CnSatAxes* axes, double size) {
    const CnSatAxis* face = better_face(axes, size);
    bool on_edges = axes->edges.separation > face->separation + CN_ONE_CONTACT * size;
    return on_edges ? &axes->edges : face;
}

// Two faces, the one with the normal (reference) and the one that meets it (incident), in the frame
// of the reference's hull.
typedef struct Facing {
    int reference;   // which hull: 0 is A, 1 is B
    int face, other; // of the reference, of the incident
    CnVec3 normal;   // of the reference, out of it
    double offset;
    CnTransform pose; // of the reference in the world
    double sign;      // of the normal from A to B: +1 when the reference is A
} Facing;

// The key of a corner, with A's feature first.
static uint32_t corner_key(const Facing* facing, const CnClipCorner* corner) {
    bool flipped = facing->reference == 1;
    Meeting meeting = SIDES;
    int reference = corner->reference, incident = corner->incident;

    if (corner->kind == CN_CORNER_OF_INCIDENT) {
        meeting = flipped ? VERTEX_OF_A : VERTEX_OF_B;
        reference = facing->face;
    } else if (corner->kind == CN_CORNER_OF_REFERENCE) {
        meeting = flipped ? VERTEX_OF_B : VERTEX_OF_A;
        incident = facing->other;
    }
    return flipped ? key(meeting, incident, reference) : key(meeting, reference, incident);
}

// Midway between the point of the incident hull and the plane of the reference face.
static CnManifoldPoint point_on_face(const Facing* facing, CnVec3 local, double gap) {
    CnVec3 middle = cn_vec3_add_scaled(local, -0.5 * gap, facing->normal);
    CnVec3 normal = cn_quat_rotate(facing->pose.rotation, facing->normal);
    return (CnManifoldPoint){
        .point = cn_transform_point(facing->pose, middle),
        .normal = cn_vec3_scale(facing->sign, normal),
        .gap = gap,
    };
}

static CnRelativePose incident_pose(const CnHullPair* pair, int reference) {
    return reference == 0 ? pair->b_in_a : cn_relative_pose_inverse(&pair->b_in_a);
}

static Facing face_to_face(const CnHullPair* pair, const CnSatAxis* axis,
                           const CnRelativePose* pose, int reference) {
    int face = reference == 0 ? axis->a : axis->b;
    const CnHullFace* plane = &pair->hull[reference]->faces[face];
    CnVec3 down = cn_mat3_apply_transposed(&pose->turn, cn_vec3_negate(plane->normal));
    return (Facing){
        .reference = reference,
        .face = face,
        .other = cn_hull_facing(pair->hull[1 - reference], down),
        .normal = plane->normal,
        .offset = plane->offset,
        .pose = pair->pose[reference],
        .sign = reference == 0 ? 1.0 : -1.0,
    };
}

static void add_face_points(const CnHullPair* pair, const CnSatAxis* axis, int reference,
                            double margin, CnCandidates* candidates) {
    CnRelativePose pose = incident_pose(pair, reference);
    Facing facing = face_to_face(pair, axis, &pose, reference);
    CnPolygon base, cover;
    CnClipCorner corners[CN_CLIP_CORNERS];

    cn_face_polygon(pair->hull[reference], facing.face, &base);
    cn_face_polygon(pair->hull[1 - reference], facing.other, &cover);
    for (int i = 0; i < cover.count; ++i) {
        CnVec3 turned = cn_mat3_apply(&pose.turn, cover.points[i]);
        cover.points[i] = cn_vec3_add(pose.offset, turned);
    }
    int count = cn_clip_face(&base, facing.normal, &cover, CN_ALIGNMENT * pair->size, corners);
    for (int i = 0; i < count; ++i) {
        double gap = cn_vec3_dot(facing.normal, corners[i].point) - facing.offset;
        if (gap <= margin) {
            CnManifoldPoint point = point_on_face(&facing, corners[i].point, gap);
            point.feature = corner_key(&facing, &corners[i]);
            cn_candidates_add(candidates, point);
        }
    }
}

static double between_ends(double fraction) {
    return fmin(fmax(fraction, 0.0), 1.0);
}

static CnVec3 see_from_a(const CnHullPair* pair, CnVec3 vertex_of_b) {
    return cn_vec3_add(pair->b_in_a.offset, cn_mat3_apply(&pair->b_in_a.turn, vertex_of_b));
}

// docs/theory/sat.md (6): where the common perpendicular of the two edges meets them.
static CnManifoldPoint point_on_edges(const CnHullPair* pair, const CnSatAxis* axis) {
    const CnHullEdge* edge_a = &pair->hull[0]->edges[axis->a];
    const CnHullEdge* edge_b = &pair->hull[1]->edges[axis->b];
    CnVec3 a = pair->hull[0]->vertices[edge_a->from];
    CnVec3 along_a = cn_vec3_sub(pair->hull[0]->vertices[edge_a->to], a);
    CnVec3 b = see_from_a(pair, pair->hull[1]->vertices[edge_b->from]);
    CnVec3 along_b = cn_vec3_sub(see_from_a(pair, pair->hull[1]->vertices[edge_b->to]), b);
    CnVec3 across = cn_vec3_cross(along_a, along_b), apart = cn_vec3_sub(b, a);
    double square = cn_vec3_dot(across, across); // not zero: such edges span no axis
    double s = cn_vec3_dot(cn_vec3_cross(apart, along_b), across) / square;
    double t = cn_vec3_dot(cn_vec3_cross(apart, along_a), across) / square;
    CnVec3 on_a = cn_vec3_add_scaled(a, between_ends(s), along_a);
    CnVec3 on_b = cn_vec3_add_scaled(b, between_ends(t), along_b);
    return (CnManifoldPoint){
        .point = cn_transform_point(pair->pose[0], cn_vec3_scale(0.5, cn_vec3_add(on_a, on_b))),
        .normal = cn_quat_rotate(pair->pose[0].rotation, axis->normal),
        .gap = axis->separation,
        .feature = key(EDGES, axis->a, axis->b),
    };
}

// The incident hull is beside the face's prism: a corner near a corner, or an edge near an edge
// parallel to it. Its lowest vertex over the face's plane stands for the contact; the gap is then
// less than the true distance, never more.
static CnManifoldPoint point_beside_face(const CnHullPair* pair, const CnSatAxis* axis,
                                         int reference) {
    CnRelativePose pose = incident_pose(pair, reference);
    Facing facing = face_to_face(pair, axis, &pose, reference);
    const CnHull* hull = pair->hull[1 - reference];
    CnVec3 lowest = cn_vec3(0.0, 0.0, 0.0);
    double low = INFINITY;
    CnClipCorner corner = {.kind = CN_CORNER_OF_INCIDENT};

    for (int i = 0; i < hull->vertex_count; ++i) {
        CnVec3 vertex = cn_vec3_add(pose.offset, cn_mat3_apply(&pose.turn, hull->vertices[i]));
        double height = cn_vec3_dot(facing.normal, vertex);
        if (height < low) {
            low = height;
            lowest = vertex;
            corner.incident = i;
        }
    }
    CnManifoldPoint point = point_on_face(&facing, lowest, axis->separation);
    point.feature = corner_key(&facing, &corner);
    return point;
}

int cn_manifold_make(const CnHullPair* pair, const CnSatAxes* axes, double margin,
                     CnManifoldPoint points[CN_MANIFOLD_POINTS]) {
    const CnSatAxis* axis = cn_manifold_axis(axes, pair->size);
    const CnSatAxis* face = better_face(axes, pair->size);
    int reference = face == &axes->face_a ? 0 : 1;
    CnCandidates candidates;

    candidates.count = 0; // 4 KB of points stay as they are

    if (!isfinite(face->separation)) { // a pose that is not finite
        return 0;
    }
    if (axis == face) {
        add_face_points(pair, face, reference, margin, &candidates);
    }
    if (candidates.count == 0) {
        bool on_edges = axes->edges.separation > face->separation;
        cn_candidates_add(&candidates, on_edges ? point_on_edges(pair, &axes->edges)
                                                : point_beside_face(pair, face, reference));
    }
    return cn_candidates_reduce(&candidates, pair->size, points);
}
