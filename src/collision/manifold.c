// manifold.c - contact points of two convex polyhedra from the axes that part them best.
#include "collision/manifold.h"

#include "collision/clip.h"
#include "collision/clip_boxes.h"
#include "collision/nearest_edges.h"
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

void cn_hull_pair_start(CnPlacedShape a, CnPlacedShape b, CnHullPair* pair) {
    double size_a = a.shape->extent, size_b = b.shape->extent;
    pair->shape[0] = a.shape;
    pair->shape[1] = b.shape;
    pair->hull[0] = pair->hull[1] = NULL;
    pair->pose[0] = a.pose;
    pair->pose[1] = b.pose;
    pair->b_in_a = cn_relative_pose(a.pose, b.pose);
    pair->size = size_a < size_b ? size_a : size_b;
    pair->boxes = a.shape->type == CN_SHAPE_BOX && b.shape->type == CN_SHAPE_BOX;
}

void cn_hull_pair_complete(CnHullPair* pair) {
    pair->hull[0] = cn_polyhedron_hull(pair->shape[0], &pair->storage[0]);
    pair->hull[1] = cn_polyhedron_hull(pair->shape[1], &pair->storage[1]);
}

static const CnSatAxis* better_face(const CnSatAxes* axes, double size) {
    double a = axes->face_a.separation, b = axes->face_b.separation;
    return b > a + CN_TIE * size ? &axes->face_b : &axes->face_a;
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

// Midway between the point of the incident hull and the plane of the reference face; in the frame
// of the reference, like all points until they are finished.
static CnManifoldPoint point_on_face(const Facing* facing, CnVec3 local, double gap,
                                     uint32_t feature) {
    return (CnManifoldPoint){
        .point = cn_vec3_add_scaled(local, -0.5 * gap, facing->normal),
        .normal = facing->normal,
        .gap = gap,
        .feature = feature,
    };
}

// From the frame of a hull to the world. In B's frame normals point out of B, so they turn round.
static void finish_points(const CnHullPair* pair, int frame, CnManifoldPoint* points, int count) {
    if (count == 0) {
        return;
    }
    CnTransform pose = pair->pose[frame];
    CnMat3 turn = cn_mat3_from_quat(pose.rotation);
    CnVec3 normal = cn_mat3_apply(&turn, points[0].normal);
    normal = frame == 0 ? normal : cn_vec3_negate(normal);
    for (int i = 0; i < count; ++i) {
        points[i].point = cn_vec3_add(pose.position, cn_mat3_apply(&turn, points[i].point));
        points[i].normal = normal;
    }
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
    };
}

static Facing box_to_box(const CnHullPair* pair, const CnSatAxis* axis, const CnRelativePose* pose,
                         int reference) {
    const CnVec3 half = pair->shape[reference]->half_size;
    int face = reference == 0 ? axis->a : axis->b;
    double sign = (face & 1) ? 1.0 : -1.0;
    const double* down = pose->turn.m[face / 2];
    return (Facing){
        .reference = reference,
        .face = face,
        .other = cn_box_facing(cn_vec3(-sign * down[0], -sign * down[1], -sign * down[2])),
        .normal = cn_vec3(face / 2 == 0 ? sign : 0.0, face / 2 == 1 ? sign : 0.0,
                          face / 2 == 2 ? sign : 0.0),
        .offset = face / 2 == 0   ? half.x
                  : face / 2 == 1 ? half.y
                                  : half.z,
    };
}

static int clip_boxes(const CnHullPair* pair, const CnRelativePose* pose, const Facing* facing,
                      CnClipCorner corners[CN_CLIP_CORNERS]) {
    CnBoxFaces faces = {
        .half_reference = pair->shape[facing->reference]->half_size,
        .half_incident = pair->shape[1 - facing->reference]->half_size,
        .turn = pose->turn,
        .offset = pose->offset,
        .reference = facing->face,
        .incident = facing->other,
    };
    return cn_clip_boxes(&faces, CN_TIE * pair->size, corners);
}

static int clip_hulls(const CnHullPair* pair, const CnRelativePose* pose, const Facing* facing,
                      CnClipCorner corners[CN_CLIP_CORNERS]) {
    CnPolygon base, cover;
    cn_face_polygon(pair->hull[facing->reference], facing->face, &base);
    cn_face_polygon(pair->hull[1 - facing->reference], facing->other, &cover);
    for (int i = 0; i < cover.count; ++i) {
        CnVec3 turned = cn_mat3_apply(&pose->turn, cover.points[i]);
        cover.points[i] = cn_vec3_add(pose->offset, turned);
    }
    return cn_clip_face(&base, facing->normal, &cover, CN_TIE * pair->size, corners);
}

static void add_face_points(const CnHullPair* pair, const CnSatAxis* axis, int reference,
                            double margin, CnCandidates* candidates) {
    CnRelativePose pose = incident_pose(pair, reference);
    Facing facing = pair->boxes ? box_to_box(pair, axis, &pose, reference)
                                : face_to_face(pair, axis, &pose, reference);
    CnClipCorner corners[CN_CLIP_CORNERS];
    int count = pair->boxes ? clip_boxes(pair, &pose, &facing, corners)
                            : clip_hulls(pair, &pose, &facing, corners);
    for (int i = 0; i < count; ++i) {
        double gap = cn_vec3_dot(facing.normal, corners[i].point) - facing.offset;
        if (gap <= margin) {
            uint32_t feature = corner_key(&facing, &corners[i]);
            cn_candidates_add(candidates, point_on_face(&facing, corners[i].point, gap, feature));
        }
    }
}

// Halfway between two points of A's frame, with the keys of two edges.
static CnManifoldPoint point_between(CnVec3 on_a, CnVec3 on_b, CnVec3 normal, double gap,
                                     uint32_t feature) {
    return (CnManifoldPoint){
        .point = cn_vec3_scale(0.5, cn_vec3_add(on_a, on_b)),
        .normal = normal,
        .gap = gap,
        .feature = feature,
    };
}

// docs/theory/sat.md (6): where the common perpendicular of the two edges meets them. False when it
// does not, which only edges of disjoint hulls can do.
static bool add_edge_point(const CnHullPair* pair, const CnSatAxis* axis,
                           CnCandidates* candidates) {
    CnSegment edge_a = cn_hull_edge(pair->hull[0], axis->a, NULL);
    CnSegment edge_b = cn_hull_edge(pair->hull[1], axis->b, &pair->b_in_a);
    CnNearest nearest = cn_closest_segments(edge_a, edge_b);
    double beside = nearest.distance - fabs(axis->separation);
    if (axis->separation > 0.0 && beside > CN_TIE * pair->size) {
        return false;
    }
    cn_candidates_add(candidates, point_between(nearest.point_a, nearest.point_b, axis->normal,
                                                axis->separation, key(EDGES, axis->a, axis->b)));
    return true;
}

// A corner near a corner or an edge, or edges side by side: the direction between the nearest
// points is that of no face and no pair of edges.
static void add_corner_point(const CnHullPair* pair, const CnSatAxis* axis, double margin,
                             CnCandidates* candidates) {
    int edges[2];
    CnNearest nearest = cn_nearest_edges(pair->hull[0], pair->hull[1], &pair->b_in_a, axis, edges);
    if (nearest.distance <= margin) {
        cn_candidates_add(candidates,
                          point_between(nearest.point_a, nearest.point_b, nearest.normal,
                                        nearest.distance, key(EDGES, edges[0], edges[1])));
    }
}

// The lowest vertex of the incident hull over the plane of the face, wherever it is.
static void add_lowest_vertex(const CnHullPair* pair, const CnSatAxis* axis, int reference,
                              CnCandidates* candidates) {
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
    cn_candidates_add(
        candidates, point_on_face(&facing, lowest, axis->separation, corner_key(&facing, &corner)));
}

// Whether face points show the hulls farther apart than they are: the incident hull is lowest
// beside the reference face, not over it. Overlapping hulls never are.
static bool overlooks(const CnCandidates* candidates, const CnSatAxis* best) {
    double nearest = INFINITY;
    for (int i = 0; i < candidates->count; ++i) {
        nearest = fmin(nearest, candidates->points[i].gap);
    }
    return best->separation > 0.0 && nearest > best->separation + CN_ONE_CONTACT * candidates->size;
}

int cn_manifold_make(CnHullPair* pair, const CnSatAxes* axes, double margin,
                     CnManifoldPoint points[CN_MANIFOLD_POINTS]) {
    const CnSatAxis* face = better_face(axes, pair->size);
    const CnSatAxis* best = axes->edges.separation > face->separation ? &axes->edges : face;
    int reference = face == &axes->face_a ? 0 : 1;
    CnCandidates candidates;

    cn_candidates_start(&candidates, pair->size);
    if (!isfinite(best->separation)) {
        return 0; // a pose that is not finite
    }
    if (cn_manifold_axis(axes, pair->size) == face) {
        add_face_points(pair, face, reference, margin, &candidates);
        if (overlooks(&candidates, best)) {
            candidates.count = 0;
        }
    }
    if (candidates.count == 0 && pair->boxes) {
        cn_hull_pair_complete(pair);
    }
    int frame = candidates.count > 0 ? reference : 0; // that the points are in
    bool done =
        candidates.count > 0 || (best == &axes->edges && add_edge_point(pair, best, &candidates));
    if (!done && best->separation > CN_TIE * pair->size) {
        add_corner_point(pair, best, margin, &candidates);
    } else if (!done) {
        add_lowest_vertex(pair, face, reference, &candidates);
        frame = reference;
    }
    int count = cn_candidates_reduce(&candidates, points);
    finish_points(pair, frame, points, count);
    return count;
}
