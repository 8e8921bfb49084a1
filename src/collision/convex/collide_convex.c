// collide_convex.c - contact points of any two convex shapes: GJK and EPA, then the facing parts.
#include "collision/convex/collide_convex.h"
#include "collision/collide_pairs.h"
#include "collision/convex/distance.h"
#include "collision/convex/facing.h"
#include "collision/hull/reduce.h"
#include "geometry/support.h"

typedef struct ConvexContact {
    CnTransform frame; // A's: all below is in it
    CnNearest nearest; // of the cores
    CnFacing facing[2];
    double margin; // [m]
    double size;   // [m]
    double gap;    // of the nearest points [m]
    CnCandidates candidates;
    bool leans; // the candidates are of a flat that leans from the normal
} ConvexContact;

static void add_candidate(ConvexContact* meeting, CnVec3 middle, double gap, uint32_t feature) {
    CnManifoldPoint point = {
        .point = cn_transform_point(meeting->frame, middle),
        .normal = cn_quat_rotate(meeting->frame.rotation, meeting->nearest.normal),
        .gap = gap,
        .feature = feature,
    };
    if (gap <= meeting->margin) {
        cn_candidates_add(&meeting->candidates, point);
    }
}

// A point of one shape, with a ball of the given radius around it, over the flat part of the other.
// `out` is the normal of the flat part: +1 or -1 times that of the contact, from which it may lean.
// Then shapes that overlap are deeper along `out`, but no point is deeper than the nearest ones.
static void add_over_flat(ConvexContact* meeting, const CnFacing* flat, CnVec3 out, CnVec3 p,
                          double radius, uint32_t feature) {
    double height = cn_vec3_dot(out, cn_vec3_sub(p, flat->polygon.points[0]));
    double gap = height - radius;
    gap = meeting->leans ? fmax(gap, meeting->gap) : gap;
    add_candidate(meeting, cn_vec3_add_scaled(p, -(radius + 0.5 * gap), out), gap, feature);
}

static void put_flat_on_flat(ConvexContact* meeting, const CnFacing* reference,
                             const CnFacing* incident, CnVec3 out) {
    CnClipCorner corners[CN_CLIP_CORNERS];
    int count = cn_clip_face(&reference->polygon, out, &incident->polygon,
                             CN_ON_SIDE * meeting->size, corners);
    for (int i = 0; i < count; ++i) {
        const CnClipCorner* corner = &corners[i];
        uint32_t feature = (uint32_t)corner->kind << 30 ^ (reference->feature & 0x7f) << 23 ^
                           (incident->feature & 0x7f) << 16;
        if (corner->kind != CN_CORNER_OF_INCIDENT) {
            feature ^= ((uint32_t)corner->reference & 0xff) << 8;
        }
        if (corner->kind != CN_CORNER_OF_REFERENCE) {
            feature ^= (uint32_t)corner->incident & 0xff;
        }
        add_over_flat(meeting, reference, out, corner->point, 0.0, feature);
    }
}

// The part of the line over the polygon. Its ends have features 0 and 1; they may coincide. A line
// along a side counts as over it, on whichever side round-off puts it.
static void put_line_on_flat(ConvexContact* meeting, const CnFacing* flat, const CnFacing* line,
                             CnVec3 out) {
    CnVec3 along = cn_vec3_sub(line->line.end, line->line.start);
    double enter = 0.0, leave = 1.0, on_side = CN_ON_SIDE * meeting->size;
    for (int i = 0; i < flat->polygon.count; ++i) {
        CnVec3 from = flat->polygon.points[i];
        CnVec3 to = flat->polygon.points[(i + 1) % flat->polygon.count];
        CnVec3 side = cn_vec3_normalize(cn_vec3_cross(cn_vec3_sub(to, from), out)); // outward
        double start = cn_vec3_dot(side, cn_vec3_sub(line->line.start, from));
        double end = cn_vec3_dot(side, cn_vec3_sub(line->line.end, from));
        if (start > on_side && end > on_side) {
            return;
        }
        if (end > on_side) {
            leave = fmin(leave, start / (start - end));
        } else if (start > on_side) {
            enter = fmax(enter, start / (start - end));
        }
    }
    double shared = (leave - enter) * cn_vec3_length(along);
    double starts = shared > CN_ONE_END * meeting->size ? enter : 0.5 * (enter + leave);
    if (shared >= -CN_ONE_END * meeting->size) {
        uint32_t feature = flat->feature << 1;
        add_over_flat(meeting, flat, out, cn_segment_at(line->line, starts), line->radius, feature);
    }
    if (shared > CN_ONE_END * meeting->size) {
        add_over_flat(meeting, flat, out, cn_segment_at(line->line, leave), line->radius,
                      flat->feature << 1 | 1);
    }
}

// One end of the stretch that two lines share: an end of B, or the end of A that B extends beyond.
static double add_end_of_stretch(ConvexContact* meeting, double t, uint32_t feature) {
    CnSegment a = meeting->facing[0].line, b = meeting->facing[1].line;
    CnVec3 n = meeting->nearest.normal;
    double s = cn_closest_on_segment(a, cn_segment_at(b, t));
    if (s == 0.0 || s == 1.0) {
        t = cn_closest_on_segment(b, cn_segment_at(a, s));
    }
    CnVec3 on_a = cn_vec3_add_scaled(cn_segment_at(a, s), meeting->facing[0].radius, n);
    CnVec3 on_b = cn_vec3_add_scaled(cn_segment_at(b, t), -meeting->facing[1].radius, n);
    CnVec3 across = cn_vec3_sub(on_b, on_a);
    add_candidate(meeting, cn_vec3_add_scaled(on_a, 0.5, across), cn_vec3_dot(n, across), feature);
    return s;
}

static void put_line_on_line(ConvexContact* meeting) {
    CnSegment a = meeting->facing[0].line, b = meeting->facing[1].line;
    CnVec3 d = cn_vec3_normalize(cn_vec3_sub(a.end, a.start));
    CnVec3 e = cn_vec3_normalize(cn_vec3_sub(b.end, b.start));
    bool along = cn_vec3_length(cn_vec3_cross(d, e)) < CN_ALONG &&
                 fabs(cn_vec3_dot(d, meeting->nearest.normal)) < CN_ALONG;
    if (along) {
        double first = add_end_of_stretch(meeting, 0.0, 0);
        double second = add_end_of_stretch(meeting, 1.0, 1);
        double shared = fabs(second - first) * cn_vec3_length(cn_vec3_sub(a.end, a.start));
        if (!(shared > CN_ONE_END * meeting->size)) {
            meeting->candidates.count = 0; // end to end: nothing is shared
        }
    }
}

// A flat face that is not perpendicular to the normal can touch a line only with an edge: the side
// that is farthest along the normal, which points out of the face.
static void put_line_on_edge(ConvexContact* meeting, CnFacing* flat, CnVec3 out) {
    const CnPolygon* polygon = &flat->polygon;
    double most = -HUGE_VAL;
    for (int i = 0; i < polygon->count; ++i) {
        CnSegment side = {polygon->points[i], polygon->points[(i + 1) % polygon->count]};
        double reach = fmin(cn_vec3_dot(out, side.start), cn_vec3_dot(out, side.end));
        if (reach > most + CN_TIE_TOLERANCE * meeting->size) {
            most = reach;
            flat->line = side;
        }
    }
    flat->radius = 0.0;
    put_line_on_line(meeting);
}

static void put_together(ConvexContact* meeting) {
    CnFacing *a = &meeting->facing[0], *b = &meeting->facing[1];
    CnVec3 n = meeting->nearest.normal, back = cn_vec3_negate(n);
    bool a_flat = a->kind == CN_FACING_FLAT && cn_vec3_dot(a->normal, n) > 1.0 - CN_FLATLY;
    bool b_flat = b->kind == CN_FACING_FLAT && cn_vec3_dot(b->normal, back) > 1.0 - CN_FLATLY;

    if (a_flat && b->kind == CN_FACING_FLAT) {
        put_flat_on_flat(meeting, a, b, n);
    } else if (b_flat && a->kind == CN_FACING_FLAT) {
        put_flat_on_flat(meeting, b, a, back);
    } else if (a_flat && b->kind == CN_FACING_LINE) {
        put_line_on_flat(meeting, a, b, n);
    } else if (b_flat && a->kind == CN_FACING_LINE) {
        put_line_on_flat(meeting, b, a, back);
    } else if (a->kind == CN_FACING_LINE && b->kind == CN_FACING_LINE) {
        put_line_on_line(meeting);
    } else if (a->kind == CN_FACING_FLAT && b->kind == CN_FACING_LINE) {
        put_line_on_edge(meeting, a, n);
    } else if (a->kind == CN_FACING_LINE && b->kind == CN_FACING_FLAT) {
        put_line_on_edge(meeting, b, back);
    }
}

// How much a facing flat part counts as one that leans from the normal of the contact: the cosine;
// 0 where it leans too far.
static double lean_of(const CnFacing* facing, CnVec3 out) {
    double cosine = facing->kind == CN_FACING_FLAT ? cn_vec3_dot(facing->normal, out) : 0.0;
    return cosine > CN_LEANING ? cosine : 0.0;
}

static void put_on_leaning(ConvexContact* meeting, const CnFacing* flat, const CnFacing* other) {
    meeting->leans = true;
    if (other->kind == CN_FACING_FLAT) {
        put_flat_on_flat(meeting, flat, other, flat->normal);
    } else if (other->kind == CN_FACING_LINE) {
        put_line_on_flat(meeting, flat, other, flat->normal);
    }
}

// What overhangs a side of a flat and leans is nearest at that side, and the normal leans too. The
// rest of what is over the flat may be as near but for the lean. gjk.md (18).
static void put_together_leaning(ConvexContact* meeting) {
    CnFacing *a = &meeting->facing[0], *b = &meeting->facing[1];
    double lean_a = lean_of(a, meeting->nearest.normal);
    double lean_b = lean_of(b, cn_vec3_negate(meeting->nearest.normal));
    if (lean_a > 0.0 && lean_a >= lean_b) {
        put_on_leaning(meeting, a, b);
    } else if (lean_b > 0.0) {
        put_on_leaning(meeting, b, a);
    }
}

static double least_gap(const CnCandidates* candidates) {
    double least = HUGE_VAL;
    for (int i = 0; i < candidates->count; ++i) {
        least = fmin(least, candidates->points[i].gap);
    }
    return least;
}

static void drop_next_to(CnCandidates* candidates, CnVec3 point) {
    int next = 0;
    double least = HUGE_VAL;
    for (int i = 0; i < candidates->count; ++i) {
        double distance = cn_vec3_length(cn_vec3_sub(candidates->points[i].point, point));
        next = distance < least ? i : next;
        least = fmin(least, distance);
    }
    candidates->points[next] = candidates->points[--candidates->count];
}

// The nearest points, unless a candidate is as near. Of a flat that leans they replace the
// candidate next to them.
static void add_nearest(ConvexContact* meeting, CnVec3 middle, double as_near) {
    CnCandidates* candidates = &meeting->candidates;
    if (meeting->leans && candidates->count > 0) {
        drop_next_to(candidates, cn_transform_point(meeting->frame, middle));
    } else if (least_gap(candidates) <= meeting->gap + as_near) {
        return;
    }
    add_candidate(meeting, middle, meeting->gap, CN_NEAREST_FEATURE);
}

int cn_collide_convex(CnPlacedShape a, CnPlacedShape b, double margin,
                      CnManifoldPoint points[CN_MANIFOLD_POINTS]) {
    CnCorePair pair = cn_core_pair(a, b);
    CnTransform origin = {{0.0, 0.0, 0.0}, {1.0, 0.0, 0.0, 0.0}};
    CnTransform b_in_a = {
        pair.offset,
        cn_quat_multiply(cn_quat_conjugate(a.pose.rotation), b.pose.rotation),
    };
    ConvexContact meeting;
    meeting.nearest = cn_core_distance(&pair);
    double ra = cn_shape_rounding(a.shape);
    double gap = meeting.nearest.distance - ra - cn_shape_rounding(b.shape);
    if (!(gap <= margin)) {
        return 0;
    }
    CnVec3 n = meeting.nearest.normal;
    meeting.frame = a.pose;
    meeting.margin = margin;
    meeting.size = fmin(a.shape->extent, b.shape->extent);
    cn_candidates_start(&meeting.candidates, meeting.size);
    cn_shape_facing((CnPlacedShape){a.shape, origin}, n, &meeting.facing[0]);
    cn_shape_facing((CnPlacedShape){b.shape, b_in_a}, cn_vec3_negate(n), &meeting.facing[1]);
    meeting.gap = gap;
    meeting.leans = false;
    put_together(&meeting);
    if (meeting.candidates.count == 0) {
        put_together_leaning(&meeting);
    }
    CnVec3 middle = cn_vec3_add_scaled(meeting.nearest.point_a, ra + 0.5 * gap, n);
    add_nearest(&meeting, middle, CN_MISSED * pair.size);
    return cn_candidates_reduce(&meeting.candidates, points);
}
