// manifold.c - contact points of two convex polyhedra from the axes that part them best.
#include "collision/manifold.h"

#include "collision/clip.h"
#include "collision/face_points.h"
#include "collision/nearest_edges.h"
#include "collision/polyhedron_functions.h"
#include "collision/reduce.h"
#include "geometry/hull_search.h"

static const CnSatAxis* better_face(const CnSatAxes* axes, double size) {
    double a = axes->face_a.separation, b = axes->face_b.separation;
    return b > a + CN_TIE * size ? &axes->face_b : &axes->face_a;
}

const CnSatAxis* cn_manifold_axis(const CnSatAxes* axes, double size) {
    const CnSatAxis* face = better_face(axes, size);
    return axes->edges.separation > face->separation + CN_TIE * size ? &axes->edges : face;
}

// No gap is less than this. The axis that gives it may have lost a tie.
static double greatest_separation(const CnSatAxes* axes) {
    double a = axes->face_a.separation, b = axes->face_b.separation, c = axes->edges.separation;
    double faces = a > b ? a : b;
    return faces > c ? faces : c;
}

// The key of a corner, with A's feature first.
static uint32_t corner_key(const CnFacePair* faces, const CnClipCorner* corner) {
    bool flipped = faces->flipped;
    CnMeeting meeting = CN_SIDES;
    int reference = corner->reference, incident = corner->incident;

    if (corner->kind == CN_CORNER_OF_INCIDENT) {
        meeting = flipped ? CN_VERTEX_OF_A : CN_VERTEX_OF_B;
        reference = faces->face;
    } else if (corner->kind == CN_CORNER_OF_REFERENCE) {
        meeting = flipped ? CN_VERTEX_OF_B : CN_VERTEX_OF_A;
        incident = faces->other;
    }
    return flipped ? cn_meeting_key(meeting, incident, reference)
                   : cn_meeting_key(meeting, reference, incident);
}

// The frame of a face's outline, where there is one.
static void set_frame(CnFacePair* faces) {
    const CnHull* hull = faces->reference;
    const CnHullFace* face = &hull->faces[faces->face];
    faces->origin = hull->vertices[hull->loop[face->first]];
    if (hull->inward == NULL) {
        cn_tangent_basis(faces->up, &faces->right, &faces->ahead);
    } else {
        faces->ahead = hull->inward[face->first];
        faces->right = cn_vec3_cross(faces->ahead, faces->up);
    }
}

static void lay_outline(CnHullPair* pair, int which, int face) {
    if (pair->hull[which] == &pair->storage[which].hull) {
        cn_box_lay_outline(&pair->storage[which], face);
    }
}

static void face_to_face(CnHullPair* pair, int reference, const CnSatAxis* axis, double margin,
                         CnFacePair* faces) {
    int face = reference == 0 ? axis->a : axis->b, likely = reference == 0 ? axis->b : axis->a;
    faces->reference = pair->hull[reference];
    faces->incident = pair->hull[1 - reference];
    faces->face = face;
    faces->flipped = reference == 1;
    faces->pose = pair->seen[reference];
    faces->up = faces->reference->faces[face].normal;
    faces->offset = faces->reference->faces[face].offset;
    faces->lean = 1.0;
    faces->margin = margin;
    faces->tolerance = CN_TIE * pair->size;
    set_frame(faces);
    CnVec3 down = cn_mat3_apply(&pair->seen[1 - reference].turn, cn_vec3_negate(faces->up));
    faces->other = cn_hull_facing_likely(faces->incident, down, likely);
    lay_outline(pair, reference, faces->face);
    lay_outline(pair, 1 - reference, faces->other);
}

static int clip_hulls(const CnFacePair* faces, CnClipCorner corners[CN_CLIP_CORNERS]) {
    CnPolygon base, cover;
    cn_face_polygon(faces->reference, faces->face, &base);
    cn_face_polygon(faces->incident, faces->other, &cover);
    for (int i = 0; i < cover.count; ++i) {
        CnVec3 turned = cn_mat3_apply(&faces->pose.turn, cover.points[i]);
        cover.points[i] = cn_vec3_add(faces->pose.offset, turned);
    }
    return cn_clip_face(&base, faces->up, &cover, faces->tolerance, corners);
}

// A contact in the making.
typedef struct Contact {
    CnHullPair* pair;
    CnFacePair faces;
    CnVec3 normal;       // of all points, unit, out of the reference, in the frame of its hull
    CnFacePoints points; // in that of its face
} Contact;

// The normal from A to B, given in A's frame.
static void lean_towards(Contact* contact, CnVec3 normal) {
    if (contact->faces.flipped) {
        normal = cn_vec3_negate(cn_mat3_apply(&contact->pair->seen[1].turn, normal));
    }
    contact->normal = normal;
    contact->faces.lean = cn_vec3_dot(contact->faces.up, normal);
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

static CnVec3 to_face(const CnFacePair* faces, CnVec3 v) {
    return cn_vec3(cn_vec3_dot(faces->right, v), cn_vec3_dot(faces->ahead, v),
                   cn_vec3_dot(faces->up, v));
}

// Of points that are seen along another normal than that of the face.
static uint64_t choose_leaning(const Contact* contact) {
    CnVec3 axes[2];
    cn_tangent_basis(to_face(&contact->faces, contact->normal), &axes[0], &axes[1]);
    return cn_face_functions()->choose_along(&contact->points, axes, contact->pair->size);
}

// Of more than four points those that cn_choose_four() takes, one bit each.
static uint64_t choose_points(const Contact* contact) {
    const CnFacePoints* points = &contact->points;
    if (points->count <= CN_MANIFOLD_POINTS) {
        return (UINT64_C(1) << points->count) - 1;
    }
    if (contact->faces.lean < 1.0) {
        return choose_leaning(contact);
    }
    return cn_choose_four(
        &(CnFlatPoints){points->x, points->y, points->gap, points->count, contact->pair->size});
}

static void make_room(Contact* contact) {
    CnFacePoints* points = &contact->points;
    int kept = 0;
    for (uint64_t left = choose_points(contact); left != 0; left &= left - 1, ++kept) {
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

static void add_point(Contact* contact, CnVec3 point, double gap, uint32_t feature) {
    CnFacePoints* points = &contact->points;
    if (points->count == CN_CANDIDATES) {
        make_room(contact);
    }
    int i = points->count++, end = points->count + CN_FLAT_PAD - 1;
    CnVec3 local = to_face(&contact->faces, cn_vec3_sub(point, contact->faces.origin));
    points->x[i] = local.x;
    points->y[i] = local.y;
    points->z[i] = local.z;
    points->gap[i] = gap;
    points->feature[i] = feature;
    points->least = gap < points->least ? gap : points->least;
    points->x[end] = points->y[end] = points->z[end] = 0.0;
    points->gap[end] = HUGE_VAL;
}

// docs/theory/sat.md (5): midway between a point of the incident hull and the one below it in the
// plane of the reference face.
static void add_over_face(Contact* contact, CnVec3 over, uint32_t feature) {
    const CnFacePair* faces = &contact->faces;
    double height = cn_vec3_dot(faces->up, over) - faces->offset;
    double gap = faces->lean * height;
    if (gap <= faces->margin) {
        add_point(contact, cn_vec3_add_scaled(over, -0.5 * height, faces->up), gap, feature);
    }
}

// In place of what there was. What several corners at a time cannot settle is clipped one by one.
static void put_faces(Contact* contact) {
    const CnFacePair* faces = &contact->faces;
    bool leans_little = faces->lean > 1.0 - CN_LEANING;
    CnClipCorner corners[CN_CLIP_CORNERS];
    if (leans_little && cn_face_functions()->cut(faces, &contact->points)) {
        return;
    }
    no_points(&contact->points);
    int count = leans_little ? clip_hulls(faces, corners) : 0;
    for (int i = 0; i < count; ++i) {
        add_over_face(contact, corners[i].point, corner_key(faces, &corners[i]));
    }
}

// Whether some point has a gap that is the least possible, to within a share of the size.
static bool shows(const Contact* contact, double gap, double share) {
    return contact->points.least <= gap + share * contact->pair->size;
}

// Midway between points of two edges, given in A's frame, unless a point of the faces shows as
// much.
static void add_between(Contact* contact, const CnNearest* nearest, double gap, int a, int b) {
    CnVec3 middle = cn_vec3_scale(0.5, cn_vec3_add(nearest->point_a, nearest->point_b));
    if (contact->faces.flipped) {
        CnVec3 from_b = cn_vec3_sub(middle, contact->pair->seen[0].offset);
        middle = cn_mat3_apply(&contact->pair->seen[1].turn, from_b);
    }
    if (!shows(contact, gap, CN_EXACT)) {
        add_point(contact, middle, gap, cn_meeting_key(CN_EDGES, a, b));
    }
}

// docs/theory/sat.md (6): where the common perpendicular of the two edges meets them. False when it
// passes them by, unless `anywhere`: only edges of disjoint hulls can do that but for round-off.
static bool add_edges(Contact* contact, const CnSatAxis* axis, bool anywhere) {
    const CnHullPair* pair = contact->pair;
    CnSegment edge_a = cn_hull_edge(pair->hull[0], axis->a, NULL);
    CnSegment edge_b = cn_hull_edge(pair->hull[1], axis->b, &pair->seen[0]);
    CnNearest nearest = cn_closest_segments(edge_a, edge_b);
    if (!anywhere && nearest.distance > axis->separation + CN_EXACT * pair->size) {
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
static bool add_lowest_vertex(Contact* contact, bool anywhere) {
    const CnFacePair* faces = &contact->faces;
    const CnHull* hull = faces->incident;
    CnVec3 down = cn_mat3_apply_transposed(&faces->pose.turn, faces->up);
    CnClipCorner corner = {.kind = CN_CORNER_OF_INCIDENT};
    cn_hull_lowest(hull, down, &corner.incident);
    CnVec3 turned = cn_mat3_apply(&faces->pose.turn, hull->vertices[corner.incident]);
    CnVec3 lowest = cn_vec3_add(faces->pose.offset, turned);
    if (!anywhere &&
        !is_over_face(faces->reference, faces->face, lowest, CN_EXACT * contact->pair->size)) {
        return false;
    }
    add_over_face(contact, lowest, corner_key(faces, &corner));
    return true;
}

// A corner near a corner or an edge, or edges side by side: the direction between the nearest
// points is that of no face and no pair of edges. Of points nearer than CN_EXACT it would be mostly
// round-off: false. Points of the faces that are nearer than any edges stay: a height over a face
// is a distance of two points of the hulls.
static bool add_nearest(Contact* contact, const CnSatAxis* axis) {
    const CnHullPair* pair = contact->pair;
    int edges[2];
    CnNearest nearest = cn_nearest_edges(pair->hull[0], pair->hull[1], &pair->seen[0], axis, edges);
    if (!(nearest.distance > CN_EXACT * pair->size)) {
        return false;
    }
    if (contact->faces.lean * nearest.distance >= contact->points.least) {
        return true;
    }
    lean_towards(contact, nearest.normal);
    if (nearest.distance > contact->faces.margin) {
        no_points(&contact->points);
    } else {
        put_faces(contact);
        add_between(contact, &nearest, nearest.distance, edges[0], edges[1]);
    }
    return true;
}

// Adds the point that has the gap which the axis promises or, where the hulls are farther apart
// than any axis shows, their nearest points.
static void add_deepest_of_edges(Contact* contact, const CnSatAxis* axis) {
    bool disjoint = axis->separation > 0.0;
    if (!add_edges(contact, axis, !disjoint) && !add_nearest(contact, axis)) {
        add_edges(contact, axis, true);
    }
}

// The same for a face, where `least` is what the best axis of all promises. Of faces that are
// nearly parallel the larger one reaches down beside the smaller: its vertex counts only if no
// point over the face is as deep to within a tie.
static void add_deepest_of_face(Contact* contact, const CnSatAxis* axis, double least) {
    bool disjoint = least > 0.0;
    if (!add_lowest_vertex(contact, false) && !(disjoint && add_nearest(contact, axis)) &&
        !shows(contact, least, CN_TIE)) {
        add_lowest_vertex(contact, true);
    }
}

// Four at most, from the frame of the reference to the world. In B's frame normals point out of B.
static int finish_points(const Contact* contact, CnManifoldPoint points[CN_MANIFOLD_POINTS]) {
    const CnHullPair* pair = contact->pair;
    bool flipped = contact->faces.flipped;
    if (contact->points.count == 0) {
        return 0;
    }
    CnOutgoing outgoing = {
        .placed = pair->placed[flipped ? 1 : 0],
        .faces = &contact->faces,
        .points = &contact->points,
        .normal = contact->normal,
        .sign = flipped == pair->reversed ? 1.0 : -1.0,
    };
    return cn_polyhedron_functions()->write(&outgoing, choose_points(contact), points);
}

int cn_manifold_make(CnHullPair* pair, const CnSatAxes* axes, double margin,
                     CnManifoldPoint points[CN_MANIFOLD_POINTS]) {
    const CnSatAxis* face = better_face(axes, pair->size);
    const CnSatAxis* best = cn_manifold_axis(axes, pair->size);
    int reference = face == &axes->face_a ? 0 : 1;
    if (!isfinite(best->separation)) {
        return 0; // a pose that is not finite
    }
    Contact contact;
    contact.pair = pair;
    face_to_face(pair, reference, face, margin, &contact.faces);
    contact.normal = contact.faces.up;
    if (best != face) {
        lean_towards(&contact, best->normal);
    }
    put_faces(&contact);
    double least = greatest_separation(axes);
    bool shown = shows(&contact, least, CN_EXACT);
    if (best == face && !shown) {
        add_deepest_of_face(&contact, best, least);
    } else if (best != face && (!shown || least > 0.0)) {
        // Edges of disjoint hulls are as near as their axis shows only if they face each other.
        add_deepest_of_edges(&contact, best);
    }
    return finish_points(&contact, points);
}
