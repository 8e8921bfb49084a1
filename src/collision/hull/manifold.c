// manifold.c - contact points of two convex polyhedra from their separating axes.
#include "collision/hull/manifold.h"

#include "collision/hull/clip.h"
#include "collision/hull/face_contact.h"
#include "collision/hull/nearest_edges.h"
#include "geometry/hull/hull_search.h"
#include "math/simd.h"

#include <string.h>

// The key of a corner, with A's feature first.
static uint32_t corner_key(const CnFacePair* faces, const CnClipCorner* corner) {
    bool flipped = faces->flipped;
    CnFeatureKind meeting = CN_FEATURE_SIDES;
    int reference = corner->reference, incident = corner->incident;

    if (corner->kind == CN_CORNER_OF_INCIDENT) {
        meeting = flipped ? CN_FEATURE_VERTEX_OF_A : CN_FEATURE_VERTEX_OF_B;
        reference = faces->face;
    } else if (corner->kind == CN_CORNER_OF_REFERENCE) {
        meeting = flipped ? CN_FEATURE_VERTEX_OF_B : CN_FEATURE_VERTEX_OF_A;
        incident = faces->other;
    }
    return flipped ? cn_feature_key(meeting, incident, reference)
                   : cn_feature_key(meeting, reference, incident);
}

static int clip_hulls(const CnFacePair* faces, CnClipCorner corners[CN_CLIP_CORNERS]) {
    CnPolygon base, cover;
    cn_face_polygon(faces->reference, faces->face, &base);
    cn_face_polygon(faces->incident, faces->other, &cover);
    for (int i = 0; i < cover.count; ++i) {
        cover.points[i] = cn_relative_pose_place(faces->pose, cover.points[i]);
    }
    return cn_clip_face(&base, cn_reference_face(faces)->normal, &cover, faces->tolerance, corners);
}

// As CnFacePoints wants it.
static void pad_points(CnFacePoints* points) {
    for (int i = points->count; i < points->count + CN_FLAT_PAD; ++i) {
        points->x[i] = points->y[i] = points->z[i] = 0.0;
        points->gap[i] = HUGE_VAL;
    }
}

static void no_points(CnFacePoints* points) {
    points->count = 0;
    points->least = HUGE_VAL;
    pad_points(points);
}

static void make_room(CnFaceContact* contact) {
    CnFacePoints* points = &contact->points;
    int kept = 0;
    for (uint64_t left = CN_WIDEST(cn_contact_functions)->keep(contact); left != 0;
         left &= left - 1, ++kept) {
        int i = __builtin_ctzll(left);
        points->x[kept] = points->x[i];
        points->y[kept] = points->y[i];
        points->z[kept] = points->z[i];
        points->gap[kept] = points->gap[i];
        points->feature[kept] = points->feature[i];
    }
    points->count = kept;
    pad_points(points);
}

static void add_point(CnFaceContact* contact, CnVec3 point, double gap, uint32_t feature) {
    CnFacePoints* points = &contact->points;
    if (points->count == CN_CANDIDATES) {
        make_room(contact);
    }
    int i = points->count++, end = points->count + CN_FLAT_PAD - 1;
    CnVec3 origin = cn_frame_vector(&contact->faces, 3);
    CnVec3 local = cn_contact_to_face(&contact->faces, cn_vec3_sub(point, origin));
    points->x[i] = local.x;
    points->y[i] = local.y;
    points->z[i] = local.z;
    points->gap[i] = gap;
    points->feature[i] = feature;
    points->least = gap < points->least ? gap : points->least;
    points->x[end] = points->y[end] = points->z[end] = 0.0;
    points->gap[end] = HUGE_VAL;
}

// docs/theory/collision/sat.md (5): midway between a point of the incident hull and the one below
// it in the plane of the reference face.
static void add_over_face(CnFaceContact* contact, CnVec3 over, uint32_t feature) {
    const CnFacePair* faces = &contact->faces;
    const CnHullFace* face = cn_reference_face(faces);
    double height = cn_vec3_dot(face->normal, over) - face->offset;
    double gap = faces->lean * height;
    if (gap <= faces->margin) {
        add_point(contact, cn_vec3_add_scaled(over, -0.5 * height, face->normal), gap, feature);
    }
}

void cn_contact_lay_frame(CnFaceContact* contact) {
    CnFacePair* faces = &contact->faces;
    const CnHull* hull = faces->reference;
    const CnHullFace* face = cn_reference_face(faces);
    CnVec3 up = face->normal, origin = hull->vertices[hull->loop[face->first]], right, ahead;
    if (hull->inward == NULL) {
        cn_tangent_basis(up, &right, &ahead);
    } else {
        ahead = hull->inward[face->first];
        right = cn_vec3_cross(ahead, up);
    }
    const double frame[3][4] = {{right.x, ahead.x, up.x, origin.x},
                                {right.y, ahead.y, up.y, origin.y},
                                {right.z, ahead.z, up.z, origin.z}};
    memcpy(contact->frame, frame, sizeof frame);
    faces->frame = &contact->frame[0][0];
}

void cn_contact_clip(CnFaceContact* contact) {
    const CnFacePair* faces = &contact->faces;
    CnClipCorner corners[CN_CLIP_CORNERS];
    no_points(&contact->points);
    int count = cn_faces_are_near(faces) ? clip_hulls(faces, corners) : 0;
    for (int i = 0; i < count; ++i) {
        add_over_face(contact, corners[i].point, corner_key(faces, &corners[i]));
    }
}

// Midway between points of two edges, given in A's frame, unless a point of the faces shows as
// much.
static void add_between(CnFaceContact* contact, const CnNearest* nearest, double gap, int a,
                        int b) {
    CnVec3 middle = cn_vec3_scale(0.5, cn_vec3_add(nearest->point_a, nearest->point_b));
    if (contact->faces.flipped) {
        CnVec3 from_b = cn_vec3_sub(middle, contact->pair->seen[0].offset);
        middle = cn_mat3_apply(&contact->pair->seen[1].turn, from_b);
    }
    if (!cn_contact_has_gap(contact, gap, CN_COINCIDENCE_TOLERANCE)) {
        add_point(contact, middle, gap, cn_feature_key(CN_FEATURE_EDGES, a, b));
    }
}

// docs/theory/collision/sat.md (6): where the common perpendicular of the two edges meets them.
// False when it passes them by, unless `anywhere`: only edges of disjoint hulls can do that but for
// round-off.
static bool add_edges(CnFaceContact* contact, const CnSatAxis* axis, bool anywhere) {
    const CnHullPair* pair = contact->pair;
    CnSegment edge_a = cn_hull_edge(pair->hull[0], axis->a, NULL);
    CnSegment edge_b = cn_hull_edge(pair->hull[1], axis->b, &pair->seen[0]);
    CnNearest nearest = cn_closest_segments(edge_a, edge_b);
    if (!anywhere && nearest.distance > axis->separation + CN_COINCIDENCE_TOLERANCE * pair->size) {
        return false;
    }
    add_between(contact, &nearest, axis->separation, axis->a, axis->b);
    return true;
}

static bool is_over_face(const CnHull* hull, int index, CnVec3 point, double tolerance) {
    const CnHullFace* face = &hull->faces[index];
    for (int i = 0; i < face->count; ++i) {
        CnVec3 from = hull->vertices[hull->loop[face->first + i]];
        CnVec3 to = hull->vertices[hull->loop[face->first + (i + 1) % face->count]];
        CnVec3 outward = cn_vec3_normalize(cn_vec3_cross(cn_vec3_sub(to, from), face->normal));
        if (cn_vec3_dot(outward, cn_vec3_sub(point, from)) > tolerance) {
            return false;
        }
    }
    return true;
}

// The lowest vertex of the incident hull over the plane of the reference face; it need not belong
// to the incident face. False when it is beside the face, unless `anywhere`: as with edges.
static bool add_lowest_vertex(CnFaceContact* contact, bool anywhere) {
    const CnFacePair* faces = &contact->faces;
    const CnHull* hull = faces->incident;
    CnVec3 down = cn_mat3_apply_transposed(&faces->pose->turn, cn_reference_face(faces)->normal);
    CnClipCorner corner = {.kind = CN_CORNER_OF_INCIDENT};
    cn_hull_lowest(hull, down, &corner.incident);
    CnVec3 lowest = cn_relative_pose_place(faces->pose, hull->vertices[corner.incident]);
    if (!anywhere && !is_over_face(faces->reference, faces->face, lowest,
                                   CN_COINCIDENCE_TOLERANCE * contact->pair->size)) {
        return false;
    }
    add_over_face(contact, lowest, corner_key(faces, &corner));
    return true;
}

// More than 1 by what round-off may do to a product and a quotient.
#define FARTHER (1.0 + 1e-12)

// Edges that are farther apart change nothing [m]: they give no point, and take none away from
// faces that have some, all of them with gaps within the margin.
static double farthest_of_use(const CnFaceContact* contact) {
    double lean = contact->points.count > 0 ? contact->faces.lean : 1.0;
    return FARTHER * contact->faces.margin / lean;
}

// A corner near a corner or an edge, or edges side by side: the direction between the nearest
// points is that of no face and no pair of edges. Of points nearer than CN_COINCIDENCE_TOLERANCE it
// would be mostly round-off: false. Points of the faces that are nearer than any edges stay: a
// height over a face is a distance of two points of the hulls.
static bool add_nearest(CnFaceContact* contact, const CnSatAxis* axis) {
    const CnHullPair* pair = contact->pair;
    int edges[2];
    CnNearest nearest = cn_nearest_edges(pair->hull[0], pair->hull[1], &pair->seen[0], axis,
                                         farthest_of_use(contact), edges);
    if (!(nearest.distance > CN_COINCIDENCE_TOLERANCE * pair->size)) {
        return false;
    }
    if (contact->faces.lean * nearest.distance >= contact->points.least) {
        return true;
    }
    cn_contact_tilt_normal(contact, nearest.normal);
    if (nearest.distance > contact->faces.margin) {
        no_points(&contact->points);
    } else {
        CN_WIDEST(cn_contact_functions)->put_faces(contact);
        add_between(contact, &nearest, nearest.distance, edges[0], edges[1]);
    }
    return true;
}

// Adds the point that has the gap which the axis promises or, where the hulls are farther apart
// than any axis shows, their nearest points.
static void add_deepest_of_edges(CnFaceContact* contact, const CnSatAxis* axis) {
    bool disjoint = axis->separation > 0.0;
    if (!add_edges(contact, axis, !disjoint) && !add_nearest(contact, axis)) {
        add_edges(contact, axis, true);
    }
}

// The same for a face, where `least` is what the best axis of all promises. Of faces that are
// nearly parallel the larger one reaches down beside the smaller: its vertex counts only if no
// point over the face is as deep to within a tie.
static void add_deepest_of_face(CnFaceContact* contact, const CnSatAxis* axis, double least) {
    bool disjoint = least > 0.0;
    if (!add_lowest_vertex(contact, false) && !(disjoint && add_nearest(contact, axis)) &&
        !cn_contact_has_gap(contact, least, CN_TIE_TOLERANCE)) {
        add_lowest_vertex(contact, true);
    }
}

void cn_contact_add_deepest(CnFaceContact* contact, const CnSatAxis* best, bool is_face,
                            double least) {
    if (is_face) {
        add_deepest_of_face(contact, best, least);
    } else {
        add_deepest_of_edges(contact, best);
    }
}

int cn_manifold_make(CnHullPair* pair, const CnSatAxes* axes, double margin,
                     CnManifoldPoint points[CN_MANIFOLD_POINTS]) {
    return CN_WIDEST(cn_contact_functions)->make(pair, axes, margin, points);
}
