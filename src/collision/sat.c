// sat.c - the axes that part two convex polyhedra best: separating axis test.
#include "collision/sat.h"

#include "collision/reduce.h"
#include "collision/sat_edges.h"
#include "geometry/hull_search.h"

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

// Two faces that face the direction alike (a body balanced on an edge) must not take turns: the
// first that is within CN_TIE of the most.
int cn_hull_facing(const CnHull* hull, CnVec3 direction) {
    int best = 0;
    double most = -HUGE_VAL;
    for (int first = 0; first < hull->face_count; first += CN_HULL_BLOCK) {
        double facings[CN_HULL_BLOCK];
        int last = cn_hull_facings(hull, first, direction, facings), i = 0;
        if (facings[last] > most + CN_TIE) {
            most = facings[last];
            while (facings[i] < most - CN_TIE) {
                ++i;
            }
            best = first + i;
        }
    }
    return best;
}

// A search for the best face of `hull`. The deepest vertices of the other hull under faces tried so
// far are witnesses: no face parts the two better than it is above any of them.
typedef struct FaceSearch {
    const CnHull *hull, *other;
    const CnRelativePose* pose; // of the other, seen from hull
    double margin;
    double tie;            // separations that differ by less are equal [m]
    double round_off;      // of a height above a face [m]
    int best;              // -1: none yet
    double separation;     // of the best face [m]
    double most;           // to be beaten: by less than tie more than that of the best face [m]
    CnWitnesses witnesses; // the latest, that of the best face first
} FaceSearch;

// Some ten products and sums on the way to a height, by either of two ways.
#define HEIGHT_ROUND_OFF (32.0 * DBL_EPSILON)

static double sum_of_magnitudes(CnVec3 v) {
    return fabs(v.x) + fabs(v.y) + fabs(v.z);
}

static CnVec3 place(const CnRelativePose* pose, CnVec3 point) {
    return cn_vec3_add(pose->offset, cn_mat3_apply(&pose->turn, point));
}

// The first place is for that of the best face; when all are taken, the last gives way.
static CnVec3 add_witness(FaceSearch* search, int vertex, bool is_best) {
    CnWitnesses* witnesses = &search->witnesses;
    CnVec3 point = place(search->pose, search->other->vertices[vertex]);
    int last = witnesses->count < CN_WITNESSES ? witnesses->count++ : CN_WITNESSES - 1;
    witnesses->points[last] = is_best ? witnesses->points[0] : point;
    witnesses->points[0] = is_best ? point : witnesses->points[0];
    return point;
}

// docs/theory/sat.md (2): how far the lowest vertex of the other, a new witness, is above a face.
// Of equals the face of lower index is kept, whatever the order of the search. False: more than
// margin.
static bool try_face(FaceSearch* search, int i, CnVec3* witness) {
    const CnHullFace* face = &search->hull->faces[i];
    const CnRelativePose* pose = search->pose;
    CnVec3 down = cn_mat3_apply_transposed(&pose->turn, face->normal);
    double height = cn_vec3_dot(face->normal, pose->offset) - face->offset;
    int vertex;
    double separation = height + cn_hull_lowest(search->other, down, &vertex);
    if (separation > search->margin) {
        return false;
    }
    bool is_best = separation > search->most + search->tie ||
                   (separation >= search->most - search->tie && i < search->best);
    if (is_best) {
        search->separation = separation;
        search->best = i;
    }
    search->most = fmax(search->most, separation);
    *witness = add_witness(search, vertex, is_best);
    return true;
}

// What a face must show to be the best; less by round-off may be as much. Those tried are bounded
// by minus infinity.
static bool may_be_best(const FaceSearch* search, double bound) {
    double wanted = search->most + (search->best < 0 ? search->tie : -search->tie);
    return bound >= wanted - search->round_off && bound > -HUGE_VAL;
}

// docs/theory/sat.md (7) and (12): no face parts the hulls by more than its bound, the height of
// the ball inside the other hull or of a witness. Returns the face of the highest.
static int bound_block(const FaceSearch* search, int first, double bounds[CN_HULL_BLOCK]) {
    const CnWitnesses* witnesses = &search->witnesses;
    int likeliest =
        cn_hull_bounds(search->hull, first, witnesses->center, witnesses->radius, bounds);
    for (int k = 0; k < witnesses->count; ++k) {
        likeliest = cn_hull_lower_bounds(search->hull, first, witnesses->points[k], -1, bounds);
    }
    return likeliest;
}

// The face of the highest bound is tried first, until those left clearly cannot be the best: most
// often after one or two. One is tried at least, for its witness.
static bool search_block(FaceSearch* search, int first) {
    CnVec3 witness;
    double bounds[CN_HULL_BLOCK];
    int likeliest = bound_block(search, first, bounds);
    while (may_be_best(search, bounds[likeliest]) || search->witnesses.count == 0) {
        if (!try_face(search, first + likeliest, &witness)) {
            return false;
        }
        likeliest = cn_hull_lower_bounds(search->hull, first, witness, likeliest, bounds);
    }
    return true;
}

static bool best_face(FaceSearch* search) {
    for (int first = 0; first < search->hull->face_count; first += CN_HULL_BLOCK) {
        if (!search_block(search, first)) {
            return false;
        }
    }
    return true;
}

static void start_search(FaceSearch* search, const CnHull* hull, const CnHull* other,
                         const CnRelativePose* pose, double margin, double tie, double round_off) {
    search->hull = hull;
    search->other = other;
    search->pose = pose;
    search->margin = margin;
    search->tie = tie;
    search->round_off = round_off;
    search->best = -1;
    search->separation = search->most = -HUGE_VAL;
    search->witnesses.center = place(pose, other->center);
    search->witnesses.radius = other->inner;
    search->witnesses.count = 0;
}

bool cn_sat_hulls(const CnHull* a, const CnHull* b, const CnRelativePose* pose, double margin,
                  double tie, CnSatAxes* axes) {
    CnRelativePose inverse = cn_relative_pose_inverse(pose);
    double size = sum_of_magnitudes(pose->offset) + sum_of_magnitudes(a->center) +
                  sum_of_magnitudes(b->center) + a->outer + b->outer;
    FaceSearch of_a, of_b;
    start_search(&of_a, a, b, pose, margin, tie, HEIGHT_ROUND_OFF * size);
    if (!best_face(&of_a)) {
        return false;
    }
    start_search(&of_b, b, a, &inverse, margin, tie, HEIGHT_ROUND_OFF * size);
    of_b.most = of_a.most;
    if (!best_face(&of_b)) {
        return false;
    }
    axes->face_a = axes->face_b = cn_sat_no_axis;
    if (of_a.best >= 0) {
        axes->face_a = (CnSatAxis){a->faces[of_a.best].normal, of_a.separation, of_a.best, -1};
    }
    if (of_b.best >= 0) {
        CnVec3 towards_b = cn_mat3_apply(&pose->turn, cn_vec3_negate(b->faces[of_b.best].normal));
        axes->face_b = (CnSatAxis){towards_b, of_b.separation, -1, of_b.best};
    }
    return cn_sat_edges(a, b, pose, &of_a.witnesses, &of_b.witnesses, margin, tie, axes);
}
