// manifold.c - contact points of two convex polyhedra from the axes that part them best.
#include "collision/manifold.h"

#include "collision/clip.h"
#include "collision/nearest_edges.h"
#include "collision/reduce.h"
#include "geometry/hull_search.h"

void cn_hull_pair_start(CnPlacedShape a, CnPlacedShape b, CnHullPair* pair) {
    double size_a = a.shape->extent, size_b = b.shape->extent;
    pair->shape[0] = a.shape;
    pair->shape[1] = b.shape;
    pair->pose[0] = a.pose;
    pair->pose[1] = b.pose;
    pair->b_in_a = cn_relative_pose(a.pose, b.pose);
    pair->size = size_a < size_b ? size_a : size_b;
    pair->hull[0] = cn_polyhedron_hull(pair->shape[0], &pair->storage[0]);
    pair->hull[1] = cn_polyhedron_hull(pair->shape[1], &pair->storage[1]);
}

static const CnSatAxis* better_face(const CnSatAxes* axes, double size) {
    double a = axes->face_a.separation, b = axes->face_b.separation;
    return b > a + CN_TIE * size ? &axes->face_b : &axes->face_a;
}

const CnSatAxis* cn_manifold_axis(const CnSatAxes* axes, double size) {
    const CnSatAxis* face = better_face(axes, size);
    return axes->edges.separation > face->separation + CN_TIE * size ? &axes->edges : face;
}

// Two faces, the one that is cut with (reference) and the one that is cut (incident), in the frame
// of the reference's hull.
typedef struct Facing {
    int reference;       // which hull: 0 is A, 1 is B
    int face, other;     // of the reference, of the incident
    CnRelativePose pose; // of the incident hull
    CnVec3 up;           // normal of the reference, out of it
    double offset;
} Facing;

// The key of a corner, with A's feature first.
static uint32_t corner_key(const Facing* facing, const CnClipCorner* corner) {
    bool flipped = facing->reference == 1;
    CnMeeting meeting = CN_SIDES;
    int reference = corner->reference, incident = corner->incident;

    if (corner->kind == CN_CORNER_OF_INCIDENT) {
        meeting = flipped ? CN_VERTEX_OF_A : CN_VERTEX_OF_B;
        reference = facing->face;
    } else if (corner->kind == CN_CORNER_OF_REFERENCE) {
        meeting = flipped ? CN_VERTEX_OF_B : CN_VERTEX_OF_A;
        incident = facing->other;
    }
    return flipped ? cn_meeting_key(meeting, incident, reference)
                   : cn_meeting_key(meeting, reference, incident);
}

static CnRelativePose incident_pose(const CnHullPair* pair, int reference) {
    return reference == 0 ? pair->b_in_a : cn_relative_pose_inverse(&pair->b_in_a);
}

static Facing face_to_face(const CnHullPair* pair, int reference, int face) {
    const CnHullFace* plane = &pair->hull[reference]->faces[face];
    Facing facing = {
        .reference = reference,
        .face = face,
        .pose = incident_pose(pair, reference),
        .up = plane->normal,
        .offset = plane->offset,
    };
    CnVec3 down = cn_mat3_apply_transposed(&facing.pose.turn, cn_vec3_negate(plane->normal));
    facing.other = cn_hull_facing(pair->hull[1 - reference], down);
    return facing;
}

static int clip_hulls(const CnHullPair* pair, const Facing* facing,
                      CnClipCorner corners[CN_CLIP_CORNERS]) {
    CnPolygon base, cover;
    cn_face_polygon(pair->hull[facing->reference], facing->face, &base);
    cn_face_polygon(pair->hull[1 - facing->reference], facing->other, &cover);
    for (int i = 0; i < cover.count; ++i) {
        CnVec3 turned = cn_mat3_apply(&facing->pose.turn, cover.points[i]);
        cover.points[i] = cn_vec3_add(facing->pose.offset, turned);
    }
    return cn_clip_face(&base, facing->up, &cover, CN_TIE * pair->size, corners);
}

// A contact in the making, in the frame of the reference. Points are kept in columns: most of them
// are only looked at to choose four.
typedef struct Contact {
    CnHullPair* pair;
    Facing facing;
    CnVec3 normal; // of all points, unit, out of the reference
    double lean;   // cosine of its angle with that of the reference face
    double margin; // [m]
    int count;     // of points, at most CN_CANDIDATES
    double least;  // of the gaps [m]; HUGE_VAL: no point
    double x[CN_CANDIDATES], y[CN_CANDIDATES], z[CN_CANDIDATES]; // [m]
    double gap[CN_CANDIDATES];                                   // [m]
    uint32_t feature[CN_CANDIDATES];
} Contact;

// The normal from A to B, given in A's frame.
static void lean_towards(Contact* contact, CnVec3 normal) {
    const CnRelativePose* pose = &contact->pair->b_in_a;
    if (contact->facing.reference == 1) {
        normal = cn_vec3_negate(cn_mat3_apply_transposed(&pose->turn, normal));
    }
    contact->normal = normal;
    contact->lean = cn_vec3_dot(contact->facing.up, normal);
}

static void no_points(Contact* contact) {
    contact->count = 0;
    contact->least = HUGE_VAL;
}

// Of more than four points those that cn_choose_four() takes, one bit each.
static uint64_t choose_points(const Contact* contact) {
    CnFlatPoints flat;
    CnVec3 first, second;
    if (contact->count <= CN_MANIFOLD_POINTS) {
        return ~UINT64_C(0);
    }
    cn_tangent_basis(contact->normal, &first, &second);
    flat.count = contact->count;
    flat.size = contact->pair->size;
    double x = contact->x[0], y = contact->y[0], z = contact->z[0];
    for (int i = 0; i < contact->count; ++i) {
        CnVec3 way = cn_vec3(contact->x[i] - x, contact->y[i] - y, contact->z[i] - z);
        flat.x[i] = cn_vec3_dot(first, way);
        flat.y[i] = cn_vec3_dot(second, way);
        flat.gap[i] = contact->gap[i];
    }
    return cn_choose_four(&flat);
}

static void make_room(Contact* contact) {
    int kept = 0;
    for (uint64_t left = choose_points(contact); left != 0; left &= left - 1, ++kept) {
        int i = __builtin_ctzll(left);
        contact->x[kept] = contact->x[i];
        contact->y[kept] = contact->y[i];
        contact->z[kept] = contact->z[i];
        contact->gap[kept] = contact->gap[i];
        contact->feature[kept] = contact->feature[i];
    }
    contact->count = kept;
}

static void add_point(Contact* contact, CnVec3 point, double gap, uint32_t feature) {
    if (contact->count == CN_CANDIDATES) {
        make_room(contact);
    }
    int i = contact->count++;
    contact->x[i] = point.x;
    contact->y[i] = point.y;
    contact->z[i] = point.z;
    contact->gap[i] = gap;
    contact->feature[i] = feature;
    contact->least = gap < contact->least ? gap : contact->least;
}

// docs/theory/sat.md (5): midway between a point of the incident hull and the one below it in the
// plane of the reference face.
static void add_over_face(Contact* contact, CnVec3 over, uint32_t feature) {
    const Facing* facing = &contact->facing;
    double height = cn_vec3_dot(facing->up, over) - facing->offset;
    double gap = contact->lean * height;
    if (gap <= contact->margin) {
        add_point(contact, cn_vec3_add_scaled(over, -0.5 * height, facing->up), gap, feature);
    }
}

static void add_faces(Contact* contact) {
    const Facing* facing = &contact->facing;
    CnClipCorner corners[CN_CLIP_CORNERS];
    if (!(contact->lean > 1.0 - CN_LEANING)) {
        return;
    }
    int count = clip_hulls(contact->pair, facing, corners);
    for (int i = 0; i < count; ++i) {
        add_over_face(contact, corners[i].point, corner_key(facing, &corners[i]));
    }
}

// Whether some point has a gap that is the least possible.
static bool shows(const Contact* contact, double gap) {
    return contact->least <= gap + CN_EXACT * contact->pair->size;
}

// Midway between points of two edges, given in A's frame, unless a point of the faces shows as
// much.
static void add_between(Contact* contact, const CnNearest* nearest, double gap, int a, int b) {
    const CnRelativePose* pose = &contact->pair->b_in_a;
    CnVec3 middle = cn_vec3_scale(0.5, cn_vec3_add(nearest->point_a, nearest->point_b));
    if (contact->facing.reference == 1) {
        middle = cn_mat3_apply_transposed(&pose->turn, cn_vec3_sub(middle, pose->offset));
    }
    if (!shows(contact, gap)) {
        add_point(contact, middle, gap, cn_meeting_key(CN_EDGES, a, b));
    }
}

// docs/theory/sat.md (6): where the common perpendicular of the two edges meets them. False when it
// passes them by, unless `anywhere`: only edges of disjoint hulls can do that but for round-off.
static bool add_edges(Contact* contact, const CnSatAxis* axis, bool anywhere) {
    const CnHullPair* pair = contact->pair;
    CnSegment edge_a = cn_hull_edge(pair->hull[0], axis->a, NULL);
    CnSegment edge_b = cn_hull_edge(pair->hull[1], axis->b, &pair->b_in_a);
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
    const Facing* facing = &contact->facing;
    const CnHull* hull = contact->pair->hull[1 - facing->reference];
    CnVec3 down = cn_mat3_apply_transposed(&facing->pose.turn, facing->up);
    CnClipCorner corner = {.kind = CN_CORNER_OF_INCIDENT};
    cn_hull_lowest(hull, down, &corner.incident);
    CnVec3 turned = cn_mat3_apply(&facing->pose.turn, hull->vertices[corner.incident]);
    CnVec3 lowest = cn_vec3_add(facing->pose.offset, turned);
    if (!anywhere && !is_over_face(contact->pair->hull[facing->reference], facing->face, lowest,
                                   CN_EXACT * contact->pair->size)) {
        return false;
    }
    add_over_face(contact, lowest, corner_key(facing, &corner));
    return true;
}

// A corner near a corner or an edge, or edges side by side: the direction between the nearest
// points is that of no face and no pair of edges. Of points nearer than CN_EXACT it would be mostly
// round-off: false.
static bool add_nearest(Contact* contact, const CnSatAxis* axis) {
    const CnHullPair* pair = contact->pair;
    int edges[2];
    CnNearest nearest = cn_nearest_edges(pair->hull[0], pair->hull[1], &pair->b_in_a, axis, edges);
    if (!(nearest.distance > CN_EXACT * pair->size)) {
        return false;
    }
    no_points(contact);
    lean_towards(contact, nearest.normal);
    if (nearest.distance <= contact->margin) {
        add_faces(contact);
        add_between(contact, &nearest, nearest.distance, edges[0], edges[1]);
    }
    return true;
}

// Adds the point that has the gap which the axis promises or, where the hulls are farther apart
// than any axis shows, their nearest points.
static void add_deepest(Contact* contact, const CnSatAxis* axis, bool on_edges) {
    bool anywhere = !(axis->separation > 0.0);
    for (int attempt = 0; attempt < 2; ++attempt, anywhere = true) {
        bool found =
            on_edges ? add_edges(contact, axis, anywhere) : add_lowest_vertex(contact, anywhere);
        if (found || add_nearest(contact, axis)) {
            return;
        }
    }
}

// Four at most, from the frame of the reference to the world. In B's frame normals point out of B,
// so they turn round.
static int finish_points(const Contact* contact, CnManifoldPoint points[CN_MANIFOLD_POINTS]) {
    int frame = contact->facing.reference, kept = 0;
    if (contact->count == 0) {
        return 0;
    }
    CnVec3 position = contact->pair->pose[frame].position;
    CnMat3 turn = cn_mat3_from_quat(contact->pair->pose[frame].rotation);
    CnVec3 normal = cn_mat3_apply(&turn, contact->normal);
    normal = frame == 0 ? normal : cn_vec3_negate(normal);
    uint64_t chosen = choose_points(contact);
    for (int i = 0; i < contact->count; ++i) {
        if ((chosen >> i & 1) != 0) {
            CnVec3 local = cn_vec3(contact->x[i], contact->y[i], contact->z[i]);
            points[kept++] = (CnManifoldPoint){
                .point = cn_vec3_add(position, cn_mat3_apply(&turn, local)),
                .normal = normal,
                .gap = contact->gap[i],
                .feature = contact->feature[i],
            };
        }
    }
    return kept;
}

int cn_manifold_make(CnHullPair* pair, const CnSatAxes* axes, double margin,
                     CnManifoldPoint points[CN_MANIFOLD_POINTS]) {
    const CnSatAxis* face = better_face(axes, pair->size);
    const CnSatAxis* best = cn_manifold_axis(axes, pair->size);
    int reference = face == &axes->face_a ? 0 : 1;
    int index = reference == 0 ? face->a : face->b;
    if (!isfinite(best->separation)) {
        return 0; // a pose that is not finite
    }
    Contact contact;
    contact.pair = pair;
    contact.facing = face_to_face(pair, reference, index);
    contact.normal = contact.facing.up;
    contact.lean = 1.0;
    if (best != face) {
        lean_towards(&contact, best->normal);
    }
    contact.margin = margin;
    no_points(&contact);
    add_faces(&contact);
    // Of disjoint hulls edges are as near as their axis shows only if they face each other.
    if (!shows(&contact, best->separation) || (best != face && best->separation > 0.0)) {
        add_deepest(&contact, best, best != face);
    }
    return finish_points(&contact, points);
}
