// sat.c - the axes that part two convex polyhedra best: separating axis test.
#include "collision/sat.h"

#include "collision/reduce.h"

static const CnSatAxis no_axis = {.separation = -INFINITY, .a = -1, .b = -1};

CnRelativePose cn_relative_pose(CnTransform a, CnTransform b) {
    CnQuat turn = cn_quat_multiply(cn_quat_conjugate(a.rotation), b.rotation);
    return (CnRelativePose){
        .turn = cn_mat3_from_quat(turn),
        .offset = cn_quat_unrotate(a.rotation, cn_vec3_sub(b.position, a.position)),
    };
}

CnRelativePose cn_relative_pose_inverse(const CnRelativePose* pose) {
    return (CnRelativePose){
        .turn = cn_mat3_transpose(&pose->turn),
        .offset = cn_vec3_negate(cn_mat3_apply_transposed(&pose->turn, pose->offset)),
    };
}

const CnHull* cn_polyhedron_hull(const CnShape* shape, CnBoxHull* storage) {
    return shape->type == CN_SHAPE_BOX ? cn_box_hull(shape->half_size, storage) : shape->hull;
}

// Two faces that face the direction alike (a body balanced on an edge) must not take turns.
int cn_hull_facing(const CnHull* hull, CnVec3 direction) {
    int best = 0;
    double most = cn_vec3_dot(hull->faces[0].normal, direction);
    for (int i = 1; i < hull->face_count; ++i) {
        double facing = cn_vec3_dot(hull->faces[i].normal, direction);
        if (facing > most + CN_TIE) {
            most = facing;
            best = i;
        }
    }
    return best;
}

static double lowest(const CnHull* hull, CnVec3 direction) {
    double low = INFINITY;
    for (int i = 0; i < hull->vertex_count; ++i) {
        double height = cn_vec3_dot(direction, hull->vertices[i]);
        low = height < low ? height : low;
    }
    return low;
}

// docs/theory/sat.md (2): how far the lowest vertex of `other` is above each face of `hull`.
static bool best_face(const CnHull* hull, const CnHull* other, const CnRelativePose* pose,
                      double margin, CnSatAxis* axis) {
    int best = 0;
    double most = -INFINITY;
    for (int i = 0; i < hull->face_count; ++i) {
        const CnHullFace* face = &hull->faces[i];
        CnVec3 down = cn_mat3_apply_transposed(&pose->turn, face->normal);
        double height = cn_vec3_dot(face->normal, pose->offset) - face->offset;
        double separation = height + lowest(other, down);
        if (separation > margin) {
            return false;
        }
        if (separation > most) {
            most = separation;
            best = i;
        }
    }
    *axis = (CnSatAxis){.normal = hull->faces[best].normal, most, .a = best, .b = -1};
    return true;
}

// An edge and the arc between the normals of its faces on the Gauss map, all in A's frame.
typedef struct Arc {
    CnVec3 start;       // [m]
    CnVec3 along;       // the edge, from end to end [m]
    CnVec3 left, right; // unit
} Arc;

static Arc arc_of_a(const CnHull* hull, const CnHullEdge* edge) {
    CnVec3 start = hull->vertices[edge->from];
    return (Arc){
        .start = start,
        .along = cn_vec3_sub(hull->vertices[edge->to], start),
        .left = hull->faces[edge->left].normal,
        .right = hull->faces[edge->right].normal,
    };
}

// Of -B: its normals are turned round, its edges are not.
static Arc arc_of_b(const CnHull* hull, const CnHullEdge* edge, const CnRelativePose* pose) {
    Arc arc = arc_of_a(hull, edge);
    return (Arc){
        .start = cn_vec3_add(pose->offset, cn_mat3_apply(&pose->turn, arc.start)),
        .along = cn_mat3_apply(&pose->turn, arc.along),
        .left = cn_vec3_negate(cn_mat3_apply(&pose->turn, arc.left)),
        .right = cn_vec3_negate(cn_mat3_apply(&pose->turn, arc.right)),
    };
}

// docs/theory/sat.md (3): each arc's ends lie on either side of the other's plane, in the same half
// of the sphere.
static bool arcs_cross(const Arc* a, const Arc* b) {
    double left = cn_vec3_dot(b->left, a->along);
    double right = cn_vec3_dot(b->right, a->along);
    if (!(left * right < 0.0)) {
        return false;
    }
    double other_left = cn_vec3_dot(a->left, b->along);
    double other_right = cn_vec3_dot(a->right, b->along);
    return other_left * other_right < 0.0 && left * other_right > 0.0;
}

static CnSatAxis edge_axis(const Arc* a, const Arc* b) {
    CnVec3 across = cn_vec3_cross(a->along, b->along);
    double length = cn_vec3_length(across);
    if (!(length > CN_PARALLEL * cn_vec3_length(a->along) * cn_vec3_length(b->along))) {
        return no_axis;
    }
    // The axis lies on both arcs; their four ends say which way is out.
    CnVec3 out = cn_vec3_add(cn_vec3_add(a->left, a->right), cn_vec3_add(b->left, b->right));
    CnVec3 normal = cn_vec3_scale(copysign(1.0 / length, cn_vec3_dot(across, out)), across);
    return (CnSatAxis){
        .normal = normal,
        .separation = cn_vec3_dot(normal, cn_vec3_sub(b->start, a->start)),
    };
}

static bool best_edges(const CnHull* a, const CnHull* b, const CnRelativePose* pose, double margin,
                       CnSatAxis* best) {
    *best = no_axis;
    for (int j = 0; j < b->edge_count; ++j) {
        Arc arc_b = arc_of_b(b, &b->edges[j], pose);
        for (int i = 0; i < a->edge_count; ++i) {
            Arc arc_a = arc_of_a(a, &a->edges[i]);
            if (!arcs_cross(&arc_a, &arc_b)) {
                continue;
            }
            CnSatAxis axis = edge_axis(&arc_a, &arc_b);
            if (axis.separation > margin) {
                return false;
            }
            if (axis.separation > best->separation) {
                *best = axis;
                best->a = i;
                best->b = j;
            }
        }
    }
    return true;
}

bool cn_sat_hulls(const CnHull* a, const CnHull* b, const CnRelativePose* pose, double margin,
                  CnSatAxes* axes) {
    CnRelativePose inverse = cn_relative_pose_inverse(pose);
    if (!best_face(a, b, pose, margin, &axes->face_a) ||
        !best_face(b, a, &inverse, margin, &axes->face_b)) {
        return false;
    }
    CnVec3 inward = cn_vec3_negate(axes->face_b.normal); // out of B is towards A
    axes->face_b.normal = cn_mat3_apply(&pose->turn, inward);
    axes->face_b.b = axes->face_b.a;
    axes->face_b.a = -1;
    return best_edges(a, b, pose, margin, &axes->edges);
}
