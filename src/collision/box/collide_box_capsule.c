// collide_box_capsule.c - a box and a capsule whose axis is outside of it, in closed form.
//
// The same points as cn_collide_convex(), to the bit, in half of its time: the box is at home in
// its own frame, where sides and faces are coordinates. What is rare goes there: an axis that comes
// into the box or near to it, one along an edge, a normal that is nearly that of a face.
#include "collision/collide_pairs.h"
#include "collision/convex/collide_convex.h"
#include "collision/convex/distance.h"
#include "collision/round/round.h"

// An axis whose direction has no larger component than this is along no edge of the box: the sines
// of its angles with them are above 1.4e-3, those of lines along each other below CN_ALONG, 1e-3.
#define ALONG_NO_EDGE 0.999999

typedef struct BoxCapsule {
    CnTransform frame; // of the box; all below is in it
    CnNearest nearest; // of the box and the axis
    double radius, half_length, margin, size;
    CnManifoldPoint* points;
    int count;
} BoxCapsule;

static double component(CnVec3 v, int axis) {
    return axis == 0 ? v.x : axis == 1 ? v.y : v.z;
}

static void add(BoxCapsule* meeting, CnVec3 middle, double gap, uint32_t feature) {
    if (gap <= meeting->margin) {
        meeting->points[meeting->count++] = (CnManifoldPoint){
            .point = cn_transform_point(meeting->frame, middle),
            .normal = cn_quat_rotate(meeting->frame.rotation, meeting->nearest.normal),
            .gap = gap,
            .feature = feature,
        };
    }
}

// A point of the axis over the face whose normal is that of the contact. Returns its gap.
static double add_over_face(BoxCapsule* meeting, double half, CnVec3 p, uint32_t feature) {
    CnVec3 out = meeting->nearest.normal;
    double gap = cn_vec3_dot(out, p) - half - meeting->radius;
    add(meeting, cn_vec3_add_scaled(p, -(meeting->radius + 0.5 * gap), out), gap, feature);
    return gap;
}

// The part of the line, from 0 to 1, that is over a face: between two of its sides. False: none.
static bool cut_between(double start, double end, double half, double on_side, double* enter,
                        double* leave) {
    double unit = 1.0 / (2.0 * half) * (2.0 * half);
    for (int side = 0; side < 2; ++side) {
        double sign = side == 0 ? -unit : unit, edge = side == 0 ? -half : half;
        double from = sign * (start - edge), to = sign * (end - edge);
        if (from > on_side && to > on_side) {
            return false;
        }
        if (to > on_side) {
            double place = from / (from - to);
            *leave = place < *leave ? place : *leave;
        } else if (from > on_side) {
            double place = from / (from - to);
            *enter = place > *enter ? place : *enter;
        }
    }
    return true;
}

// Returns the least gap of the ends of what is over the face; infinite: nothing is.
static double put_on_face(BoxCapsule* meeting, CnVec3 half_size, CnSegment line, int axis) {
    bool is_upper = component(meeting->nearest.normal, axis) > 0.0;
    double enter = 0.0, leave = 1.0, on_side = CN_ON_SIDE * meeting->size;
    for (int k = 1; k < 3; ++k) {
        int other = (axis + k) % 3;
        if (!cut_between(component(line.start, other), component(line.end, other),
                         component(half_size, other), on_side, &enter, &leave)) {
            return HUGE_VAL;
        }
    }
    double half = component(half_size, axis), one_end = CN_ONE_END * meeting->size;
    double shared = (leave - enter) * cn_vec3_length(cn_vec3_sub(line.end, line.start));
    double starts = shared > one_end ? enter : 0.5 * (enter + leave), least = HUGE_VAL;
    uint32_t feature = (uint32_t)(2 * axis + is_upper) << 1;
    if (shared >= -one_end) {
        least = add_over_face(meeting, half, cn_segment_at(line, starts), feature);
    }
    if (shared > one_end) {
        double gap = add_over_face(meeting, half, cn_segment_at(line, leave), feature | 1);
        least = gap < least ? gap : least;
    }
    return least;
}

int cn_collide_box_capsule(CnPlacedShape a, CnPlacedShape b, double margin,
                           CnManifoldPoint points[CN_MANIFOLD_POINTS]) {
    CnCorePair pair = cn_core_pair(a, b);
    BoxCapsule meeting = {
        .frame = a.pose,
        .radius = b.shape->radius,
        .half_length = b.shape->half_length,
        .margin = margin,
        .size = a.shape->extent < b.shape->extent ? a.shape->extent : b.shape->extent,
        .points = points,
    };
    CnNearest* nearest = &meeting.nearest;
    bool is_apart = cn_core_segment_is_apart(&pair, nearest);
    double gap = nearest->distance - meeting.radius;
    if (is_apart && !(gap <= margin)) {
        return 0;
    }
    CnVec3 n = nearest->normal;
    double x = fabs(n.x), y = fabs(n.y), z = fabs(n.z);
    int axis = x >= y && x >= z ? 0 : y >= z ? 1 : 2;
    double facing = axis == 0 ? x : axis == 1 ? y : z;
    bool is_over_face = x + y + z == 1.0 && facing == 1.0;
    CnQuat turn = cn_quat_multiply(cn_quat_conjugate(a.pose.rotation), b.pose.rotation);
    CnPlacedShape capsule = {b.shape, {pair.offset, turn}};
    CnVec3 d = cn_placed_axis(capsule);
    bool is_across = fabs(d.x) < ALONG_NO_EDGE && fabs(d.y) < ALONG_NO_EDGE &&
                     fabs(d.z) < ALONG_NO_EDGE && meeting.half_length > 0.0;
    bool is_tilted = facing < CN_LEANING && is_across;
    if (!is_apart || !(is_over_face || is_tilted)) {
        return cn_collide_convex(a, b, margin, points);
    }
    double least = HUGE_VAL;
    if (is_over_face) {
        CnSegment line = cn_placed_segment(capsule, cn_vec3(0.0, 0.0, 0.0));
        least = put_on_face(&meeting, a.shape->half_size, line, axis);
    }
    if (least > gap + CN_MISSED * pair.size) {
        add(&meeting, cn_vec3_add_scaled(nearest->point_a, 0.5 * gap, n), gap, CN_NEAREST_FEATURE);
    }
    return meeting.count;
}
