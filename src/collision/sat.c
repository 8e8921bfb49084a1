// sat.c - the axes that part two convex polyhedra best: separating axis test.
#include "collision/sat.h"

#include "collision/reduce.h"
#include "collision/sat_edges.h"

#include <float.h>

const CnSatAxis cn_sat_no_axis = {.separation = -INFINITY, .a = -1, .b = -1};

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

// The vertex that is lowest along a direction, and how low; the first of equals.
static double lowest(const CnHull* hull, CnVec3 direction, int* vertex) {
    double low = INFINITY;
    *vertex = 0;
    for (int i = 0; i < hull->vertex_count; ++i) {
        double height = cn_vec3_dot(direction, hull->vertices[i]);
        if (height < low) {
            low = height;
            *vertex = i;
        }
    }
    return low;
}

// The face that the search starts from: farthest from the other's origin, on its side.
static int likely_face(const CnHull* hull, CnVec3 other) {
    int best = 0;
    double most = -INFINITY;
    for (int i = 0; i < hull->face_count; ++i) {
        double height = cn_vec3_dot(hull->faces[i].normal, other) - hull->faces[i].offset;
        if (height > most) {
            most = height;
            best = i;
        }
    }
    return best;
}

// A search for the best face of `hull`. The deepest vertices of the other hull under faces tried so
// far are witnesses: no face parts the two better than it is above any of them.
typedef struct FaceSearch {
    const CnHull *hull, *other;
    const CnRelativePose* pose; // of the other, seen from hull
    double tie;                 // separations that differ by less are equal [m]
    int best;
    double separation;     // of the best face [m]
    double most;           // the largest separation of all: by less than tie more [m]
    CnWitnesses witnesses; // the latest, that of the best face first
    double round_off;      // of a witness's height above a face through hull's origin [m]
} FaceSearch;

// Some ten products and sums on the way to a height, by either of two ways.
#define HEIGHT_ROUND_OFF (16.0 * DBL_EPSILON)

static double sum_of_magnitudes(CnVec3 v) {
    return fabs(v.x) + fabs(v.y) + fabs(v.z);
}

// The first place is for that of the best face; when all are taken, the last gives way.
static void add_witness(FaceSearch* search, int vertex, bool is_best) {
    CnWitnesses* witnesses = &search->witnesses;
    const CnRelativePose* pose = search->pose;
    CnVec3 local = search->other->vertices[vertex];
    CnVec3 point = cn_vec3_add(pose->offset, cn_mat3_apply(&pose->turn, local));
    double size = sum_of_magnitudes(pose->offset) + sum_of_magnitudes(local);
    int last = witnesses->count < CN_WITNESSES ? witnesses->count++ : CN_WITNESSES - 1;
    witnesses->points[last] = is_best ? witnesses->points[0] : point;
    witnesses->points[0] = is_best ? point : witnesses->points[0];
    search->round_off = fmax(search->round_off, HEIGHT_ROUND_OFF * size);
}

// docs/theory/sat.md (2): how far the lowest vertex of the other is above a face. Of equals the
// face of lower index is kept, whatever the order of the search. False: more than margin.
static bool try_face(FaceSearch* search, int i, double margin) {
    const CnHullFace* face = &search->hull->faces[i];
    const CnRelativePose* pose = search->pose;
    CnVec3 down = cn_mat3_apply_transposed(&pose->turn, face->normal);
    double height = cn_vec3_dot(face->normal, pose->offset) - face->offset;
    int vertex;
    double separation = height + lowest(search->other, down, &vertex);
    if (separation > margin) {
        return false;
    }
    bool is_best = separation > search->most + search->tie ||
                   (separation >= search->most - search->tie && i < search->best);
    if (is_best) {
        search->separation = separation;
        search->best = i;
    }
    search->most = fmax(search->most, separation);
    add_witness(search, vertex, is_best);
    return true;
}

// docs/theory/sat.md (7): a face that is clearly not above a witness by more than the best face is
// above its own need not be tried.
static bool is_beaten(const FaceSearch* search, const CnHullFace* face) {
    double round_off = search->round_off + HEIGHT_ROUND_OFF * fabs(face->offset);
    for (int i = 0; i < search->witnesses.count; ++i) {
        double height = cn_vec3_dot(face->normal, search->witnesses.points[i]) - face->offset;
        if (height + round_off < search->most - search->tie) {
            return true;
        }
    }
    return false;
}

static bool best_face(FaceSearch* search, double margin) {
    int start = likely_face(search->hull, search->pose->offset);
    search->best = start;
    search->separation = search->most = -INFINITY;
    if (!try_face(search, start, margin)) {
        return false;
    }
    for (int i = 0; i < search->hull->face_count; ++i) {
        if (i != start && !is_beaten(search, &search->hull->faces[i]) &&
            !try_face(search, i, margin)) {
            return false;
        }
    }
    return true;
}

bool cn_sat_hulls(const CnHull* a, const CnHull* b, const CnRelativePose* pose, double margin,
                  double tie, CnSatAxes* axes) {
    CnRelativePose inverse = cn_relative_pose_inverse(pose);
    FaceSearch of_a = {.hull = a, .other = b, .pose = pose, .tie = tie};
    FaceSearch of_b = {.hull = b, .other = a, .pose = &inverse, .tie = tie};
    if (!best_face(&of_a, margin) || !best_face(&of_b, margin)) {
        return false;
    }
    CnVec3 out_of_b = b->faces[of_b.best].normal;
    CnVec3 towards_b = cn_mat3_apply(&pose->turn, cn_vec3_negate(out_of_b));
    axes->face_a = (CnSatAxis){a->faces[of_a.best].normal, of_a.separation, of_a.best, -1};
    axes->face_b = (CnSatAxis){towards_b, of_b.separation, -1, of_b.best};
    return cn_sat_edges(a, b, pose, &of_a.witnesses, &of_b.witnesses, margin, tie, axes);
}
