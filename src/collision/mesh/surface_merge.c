// surface_merge.c - merges contact points of many triangles into a few.
#include "collision/hull/reduce.h"
#include "collision/mesh/collide_surface.h"

// Normals whose cosine is this close to 1 share a group of four points: 1.4 milliradians, the tilt
// that CN_SAME_CONTACT_GAP allows a face.
#define ONE_GROUP 1e-6

// Directions in which the outermost points of a group are searched, 2 pi / 16 apart: cosine and
// sine.
#define DIRECTIONS 16
#define TURN_COSINE 0.92387953251128674
#define TURN_SINE 0.38268343236508977

static bool same_group(CnVec3 a, CnVec3 b) {
    return cn_vec3_dot(a, b) > 1.0 - ONE_GROUP;
}

static bool counts(const CnSurfacePoint* point) {
    return !point->hidden || point->confirmed;
}

// A hidden point is kept if a visible point has the same normal. docs/theory/collision/meshes.md
// (4).
static void confirm_hidden(CnSurfacePointArray* found) {
    for (int i = 0; i < found->count; ++i) {
        CnSurfacePoint* hidden = &found->data[i];
        for (int k = 0; k < found->count && hidden->hidden && !hidden->confirmed; ++k) {
            const CnSurfacePoint* other = &found->data[k];
            hidden->confirmed =
                !other->hidden && same_group(other->contact.normal, hidden->contact.normal);
        }
    }
}

// If no point is kept, the least deep one is.
static void confirm_least_deep(CnSurfacePointArray* found) {
    CnSurfacePoint* least = NULL;
    for (int i = 0; i < found->count; ++i) {
        CnSurfacePoint* point = &found->data[i];
        if (counts(point)) {
            return;
        }
        if (least == NULL || point->contact.gap > least->contact.gap) {
            least = point;
        }
    }
    if (least != NULL) {
        least->hidden = false;
    }
}

// The points of one group: those of the list that share the normal of its first point.
typedef struct Group {
    CnSurfacePoint* points; // [count]
    int count;
    CnVec3 normal;
    double size; // of the convex shape [m]
} Group;

static bool belongs(const Group* group, const CnSurfacePoint* point, double limit) {
    return !point->is_taken && counts(point) && point->contact.gap <= limit &&
           same_group(group->normal, point->contact.normal);
}

// The outermost point along a direction; ties are broken along the next direction. This yields a
// corner of the convex hull of the points, never a point on one of its sides.
static int outermost(const Group* group, CnVec3 out, CnVec3 aside, double limit) {
    double tie = CN_TIE_TOLERANCE * group->size;
    int best = -1;
    for (int i = 0; i < group->count; ++i) {
        if (!belongs(group, &group->points[i], limit)) {
            continue;
        }
        if (best < 0) {
            best = i;
            continue;
        }
        CnVec3 step =
            cn_vec3_sub(group->points[i].contact.point, group->points[best].contact.point);
        double farther = cn_vec3_dot(out, step);
        if (farther > tie || (farther >= -tie && cn_vec3_dot(aside, step) > tie)) {
            best = i;
        }
    }
    return best;
}

// Triangles that share a corner or side report the same point twice.
static void add_once(const Group* group, int index, CnCandidates* candidates) {
    const CnManifoldPoint* point = &group->points[index].contact;
    for (int i = 0; i < candidates->count; ++i) {
        CnVec3 apart = cn_vec3_sub(candidates->points[i].point, point->point);
        if (cn_vec3_length(apart) <= CN_TIE_TOLERANCE * group->size) {
            return;
        }
    }
    cn_candidates_add(candidates, *point);
}

static void add_outermost(const Group* group, double limit, CnCandidates* candidates) {
    CnVec3 t1, t2;
    double cosine = 1.0, sine = 0.0;
    cn_tangent_basis(group->normal, &t1, &t2);
    for (int i = 0; i < DIRECTIONS; ++i) {
        CnVec3 out = cn_vec3_add_scaled(cn_vec3_scale(cosine, t1), sine, t2);
        CnVec3 aside = cn_vec3_add_scaled(cn_vec3_scale(-sine, t1), cosine, t2);
        add_once(group, outermost(group, out, aside, limit), candidates);
        double next = cosine * TURN_COSINE - sine * TURN_SINE;
        sine = cosine * TURN_SINE + sine * TURN_COSINE;
        cosine = next;
    }
}

static int deepest(const Group* group) {
    int best = -1;
    for (int i = 0; i < group->count; ++i) {
        if (belongs(group, &group->points[i], HUGE_VAL) &&
            (best < 0 || group->points[i].contact.gap < group->points[best].contact.gap)) {
            best = i;
        }
    }
    return best;
}

// Points that touch come first, then the others; the deepest is among them.
static int reduce_group(Group* group, CnManifoldPoint points[CN_MANIFOLD_POINTS]) {
    CnCandidates candidates;
    int lowest = deepest(group);
    double touching = group->points[lowest].contact.gap + CN_SAME_CONTACT_GAP * group->size;
    cn_candidates_start(&candidates, group->size);
    add_outermost(group, touching, &candidates);
    add_outermost(group, HUGE_VAL, &candidates);
    add_once(group, lowest, &candidates);
    for (int i = 0; i < group->count; ++i) {
        bool taken = belongs(group, &group->points[i], HUGE_VAL);
        group->points[i].is_taken = group->points[i].is_taken || taken;
    }
    return cn_candidates_reduce(&candidates, points);
}

bool cn_surface_merge(CnTransform surface, double size, CnSurfacePointArray* found,
                      const CnAllocator* allocator, CnManifoldPointArray* merged) {
    confirm_least_deep(found);
    confirm_hidden(found);
    for (int first = 0; first < found->count; ++first) {
        CnManifoldPoint points[CN_MANIFOLD_POINTS];
        Group group = {&found->data[first], found->count - first, found->data[first].contact.normal,
                       size};
        if (!belongs(&group, &group.points[0], HUGE_VAL)) {
            continue;
        }
        int count = reduce_group(&group, points);
        for (int i = 0; i < count; ++i) {
            points[i].point = cn_transform_point(surface, points[i].point);
            points[i].normal = cn_quat_rotate(surface.rotation, points[i].normal);
            if (!cn_array_push(merged, allocator, points[i])) {
                return false;
            }
        }
    }
    return true;
}
