// hull_hull_plain.c - contact points of two hulls, in plain scalar code.
//
// The reference for the lanes. Read this first: sat/sat_*_lanes.h finds the same axes without
// looking at all of them, and manifold_lanes.h, cut_lanes.h and choose_lanes.h make the same points
// several at a time. docs/theory/collision/sat.md.
//
// 1. place_pair: which hull goes first, and each in the other's frame.
// 2. find_axes: the face of each hull and the pair of edges that separate the two most, by trying
//    all of them.
// 3. The face that separates them most is the reference; the face of the other hull that is most
//    opposed to it is cut with its sides (cn_clip_face()).
// 4. Where no corner is as deep as the best axis says, the point that is
// (cn_contact_add_deepest()).
// 5. At most four of these, written in the world.
#include "collision/hull/hull_hull_plain.h"

#include "collision/convex/pair_order.h"
#include "collision/hull/face_contact.h"
#include "collision/sat/polyhedron.h"

static bool is_reversed(CnPlacedShape a, CnPlacedShape b) {
    CnShapeType type_a = a.shape->type, type_b = b.shape->type;
    return type_a != type_b ? type_a > type_b : cn_pair_is_reversed(a, b); // a box before a hull
}

static void place_pair(const CnPlacedPolyhedron* first, const CnPlacedPolyhedron* second,
                       bool reversed, CnHullPair* pair) {
    double size_a = cn_polyhedron_extent(first), size_b = cn_polyhedron_extent(second);
    CnQuat turn_a = *cn_polyhedron_rotation(first), turn_b = *cn_polyhedron_rotation(second);
    CnVec3 between = cn_vec3_sub(cn_polyhedron_center(second), cn_polyhedron_center(first));
    CnRelativePose *b_in_a = &pair->seen[0], *a_in_b = &pair->seen[1];
    pair->placed[0] = first;
    pair->placed[1] = second;
    pair->hull[0] = cn_polyhedron_hull(first->shape, &pair->storage[0]);
    pair->hull[1] = cn_polyhedron_hull(second->shape, &pair->storage[1]);
    pair->reversed = reversed;
    pair->size = size_a < size_b ? size_a : size_b;
    b_in_a->turn = cn_mat3_from_quat(cn_quat_multiply(cn_quat_conjugate(turn_a), turn_b));
    b_in_a->offset = cn_quat_unrotate(turn_a, between);
    a_in_b->turn = cn_mat3_transpose(&b_in_a->turn);
    a_in_b->offset = cn_vec3_negate(cn_mat3_apply(&a_in_b->turn, b_in_a->offset));
}

// docs/theory/collision/sat.md (2): how far the lowest vertex of the other hull is above a face
// [m].
static double face_separation(const CnHullFace* face, const CnHull* other,
                              const CnRelativePose* pose) {
    CnVec3 down = cn_vec3_negate(cn_mat3_apply_transposed(&pose->turn, face->normal));
    double farthest = -HUGE_VAL;
    for (int i = 0; i < other->vertex_count; ++i) {
        farthest = fmax(farthest, cn_vec3_dot(down, other->vertices[i]));
    }
    return cn_vec3_dot(face->normal, pose->offset) - face->offset - farthest;
}

// The face of the largest separation, or the first that is within the tie of it.
static int best_face(const CnHull* hull, const CnHull* other, const CnRelativePose* pose,
                     double tie, double* separation) {
    double most = -HUGE_VAL;
    for (int i = 0; i < hull->face_count; ++i) {
        most = fmax(most, face_separation(&hull->faces[i], other, pose));
    }
    for (int i = 0; i < hull->face_count; ++i) {
        *separation = face_separation(&hull->faces[i], other, pose);
        if (*separation >= most - tie) {
            return i;
        }
    }
    return -1; // nothing is finite
}

// docs/theory/collision/sat.md (3), (20): the axis along the cross product of two edges, where
// their arcs cross on the Gauss map. False where they do not, or where the edges are nearly
// parallel.
static bool edge_axis(const CnHullPair* pair, int a, int b, CnSatAxis* axis) {
    const CnHull *hull_a = pair->hull[0], *hull_b = pair->hull[1];
    const CnHullEdge *edge_a = &hull_a->edges[a], *edge_b = &hull_b->edges[b];
    const CnRelativePose* pose = &pair->seen[0];
    CnVec3 along_a = cn_vec3_sub(hull_a->vertices[edge_a->to], hull_a->vertices[edge_a->from]);
    CnVec3 along_b = cn_mat3_apply(
        &pose->turn, cn_vec3_sub(hull_b->vertices[edge_b->to], hull_b->vertices[edge_b->from]));
    CnVec3 seen_a = cn_mat3_apply_transposed(&pose->turn, along_a);
    double left_a = cn_vec3_dot(hull_a->faces[edge_a->left].normal, along_b);
    double right_a = cn_vec3_dot(hull_a->faces[edge_a->right].normal, along_b);
    double left_b = cn_vec3_dot(hull_b->faces[edge_b->left].normal, seen_a);
    double right_b = cn_vec3_dot(hull_b->faces[edge_b->right].normal, seen_a);
    if (!(left_a * right_a < 0.0 && left_b * right_b < 0.0 && left_b * right_a < 0.0)) {
        return false;
    }
    CnVec3 across = cn_vec3_cross(along_a, along_b);
    double square = cn_vec3_dot(across, across);
    double lengths = cn_vec3_dot(along_a, along_a) * cn_vec3_dot(along_b, along_b);
    if (!(square > CN_PARALLEL_TOLERANCE * CN_PARALLEL_TOLERANCE * lengths)) {
        return false;
    }
    CnVec3 start_b = cn_relative_pose_place(pose, hull_b->vertices[edge_b->from]);
    CnVec3 apart = cn_vec3_sub(start_b, hull_a->vertices[edge_a->from]);
    axis->normal = cn_vec3_scale(copysign(1.0 / sqrt(square), left_a), across); // out of A
    axis->separation = cn_vec3_dot(axis->normal, apart);
    axis->a = a;
    axis->b = b;
    return true;
}

// The pair of edges of the largest separation, or the first that is within the tie of it, by B's
// edge and then by A's; none that is not better than `least` by more than the tie.
static CnSatAxis best_edges(const CnHullPair* pair, double least, double tie) {
    CnSatAxis axis;
    double most = -HUGE_VAL;
    for (int b = 0; b < pair->hull[1]->edge_count; ++b) {
        for (int a = 0; a < pair->hull[0]->edge_count; ++a) {
            if (edge_axis(pair, a, b, &axis)) {
                most = fmax(most, axis.separation);
            }
        }
    }
    for (int b = 0; most > least + tie && b < pair->hull[1]->edge_count; ++b) {
        for (int a = 0; a < pair->hull[0]->edge_count; ++a) {
            if (edge_axis(pair, a, b, &axis) && axis.separation >= most - tie) {
                return axis;
            }
        }
    }
    return cn_sat_no_axis;
}

// As cn_sat_hulls(), but all axes are found. B's faces count only if they are better than A's.
static CnSatAxes find_axes(const CnHullPair* pair, double tie) {
    const CnHull *a = pair->hull[0], *b = pair->hull[1];
    CnSatAxes axes = {cn_sat_no_axis, cn_sat_no_axis, cn_sat_no_axis};
    double of_a = -HUGE_VAL, of_b = -HUGE_VAL;
    int face_a = best_face(a, b, &pair->seen[0], tie, &of_a);
    int face_b = best_face(b, a, &pair->seen[1], tie, &of_b);
    if (face_a < 0 || face_b < 0) {
        return axes;
    }
    axes.face_a = (CnSatAxis){a->faces[face_a].normal, of_a, face_a, face_b};
    if (of_b > of_a + tie) {
        CnVec3 inward = cn_vec3_negate(b->faces[face_b].normal);
        axes.face_b = (CnSatAxis){cn_mat3_apply(&pair->seen[0].turn, inward), of_b, face_a, face_b};
    }
    axes.edges = best_edges(pair, fmax(of_a, of_b), tie);
    return axes;
}

// At most four points, one bit each. They are looked at along the normal of the contact.
static uint64_t choose(const CnFaceContact* contact) {
    const CnFacePoints* points = &contact->points;
    double x[CN_CANDIDATES], y[CN_CANDIDATES];
    CnVec3 right = cn_vec3(1.0, 0.0, 0.0), ahead = cn_vec3(0.0, 1.0, 0.0);
    if (points->count <= CN_MANIFOLD_POINTS) {
        return (UINT64_C(1) << points->count) - 1;
    }
    if (contact->faces.lean < 1.0) {
        cn_tangent_basis(cn_contact_to_face(&contact->faces, contact->normal), &right, &ahead);
    }
    for (int i = 0; i < points->count; ++i) {
        CnVec3 at = cn_vec3(points->x[i], points->y[i], points->z[i]);
        x[i] = cn_vec3_dot(right, at);
        y[i] = cn_vec3_dot(ahead, at);
    }
    return cn_choose_four_plain(
        &(CnFlatPoints){x, y, points->gap, points->count, contact->pair->size});
}

static CnVec3 to_world(const CnPlacedPolyhedron* placed, CnVec3 v) {
    const double(*axes)[4] = placed->axes;
    return cn_vec3(v.x * axes[0][0] + v.y * axes[1][0] + v.z * axes[2][0],
                   v.x * axes[0][1] + v.y * axes[1][1] + v.z * axes[2][1],
                   v.x * axes[0][2] + v.y * axes[1][2] + v.z * axes[2][2]);
}

// From the frame of the reference face to that of its hull and to the world. In B's frame normals
// point out of B.
static int write_points(const CnFaceContact* contact, CnManifoldPoint points[CN_MANIFOLD_POINTS]) {
    const CnFacePair* faces = &contact->faces;
    const CnFacePoints* from = &contact->points;
    const CnPlacedPolyhedron* placed = contact->pair->placed[faces->flipped ? 1 : 0];
    double sign = faces->flipped == contact->pair->reversed ? 1.0 : -1.0;
    uint64_t chosen = from->count > 0 ? choose(contact) : 0;
    int count = 0;
    for (int i = 0; i < from->count; ++i) {
        if ((chosen >> i & 1) == 0) {
            continue;
        }
        CnVec3 at = cn_frame_vector(faces, 3);
        at = cn_vec3_add_scaled(at, from->x[i], cn_frame_vector(faces, 0));
        at = cn_vec3_add_scaled(at, from->y[i], cn_frame_vector(faces, 1));
        at = cn_vec3_add_scaled(at, from->z[i], cn_frame_vector(faces, 2));
        points[count++] = (CnManifoldPoint){
            .point = cn_vec3_add(cn_polyhedron_center(placed), to_world(placed, at)),
            .normal = cn_vec3_scale(sign, to_world(placed, contact->normal)),
            .gap = from->gap[i],
            .feature = from->feature[i],
        };
    }
    return count;
}

int cn_collide_hull_hull_plain(CnPlacedShape a, CnPlacedShape b, double margin,
                               CnManifoldPoint points[CN_MANIFOLD_POINTS]) {
    CnPlacedPolyhedron placed[2];
    CnHullPair pair;
    CnFaceContact contact;
    bool reversed = is_reversed(a, b);
    cn_polyhedron_place(&a, &placed[0]);
    cn_polyhedron_place(&b, &placed[1]);
    place_pair(&placed[reversed ? 1 : 0], &placed[reversed ? 0 : 1], reversed, &pair);
    CnSatAxes axes = find_axes(&pair, CN_COINCIDENCE_TOLERANCE * pair.size);
    const CnSatAxis* face = cn_better_face(&axes, pair.size);
    const CnSatAxis* best = cn_manifold_axis(&axes, pair.size);
    double least = cn_greatest_separation(&axes);
    if (!(least <= margin) || !isfinite(best->separation)) {
        return 0;
    }
    contact.pair = &pair;
    cn_contact_start(&contact, face == &axes.face_a ? 0 : 1, face, margin);
    if (best != face) {
        cn_contact_tilt_normal(&contact, best->normal);
    }
    cn_contact_clip(&contact);
    // Edges of disjoint hulls are as near as their axis shows only if they face each other.
    if (!cn_contact_has_gap(&contact, least, CN_COINCIDENCE_TOLERANCE) ||
        (best != face && least > 0.0)) {
        cn_contact_add_deepest(&contact, best, best == face, least);
    }
    return write_points(&contact, points);
}
