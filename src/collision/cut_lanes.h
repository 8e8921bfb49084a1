// cut_lanes.h - one face cut with another, several corners at a time.
//
// The file that includes it says how many: math/lanes.h. No corner is near a side: what is cut and
// what is over the other face is then a matter of signs. docs/theory/sat.md (18).
#pragma once

#include "collision/face_points.h"
#include "collision/lanes.h"
#include "collision/manifold.h"

// The incident face in the frame of the reference: where its first corner is, and the two axes of
// its outline. Rows are x, y and the height.
typedef struct View {
    double from[3]; // [m]
    double x[3], y[3];
    double facing; // cosine of the angle between the normals: negative
} View;

CN_LANE_FUNCTION void see(const CnFacePair* pair, CnVec3 v, double rows[3]) {
    rows[0] = cn_vec3_dot(pair->right, v);
    rows[1] = cn_vec3_dot(pair->ahead, v);
    rows[2] = cn_vec3_dot(pair->up, v);
}

CN_LANE_FUNCTION View see_incident(const CnFacePair* pair) {
    const CnHull* hull = pair->incident;
    const CnHullFace* face = &hull->faces[pair->other];
    CnVec3 ahead = hull->inward[face->first], right = cn_vec3_cross(ahead, face->normal);
    CnVec3 corner = cn_mat3_apply(&pair->pose.turn, hull->vertices[hull->loop[face->first]]);
    CnVec3 from = cn_vec3_add(pair->pose.offset, corner);
    View view;
    see(pair, cn_vec3_sub(from, pair->origin), view.from);
    view.from[2] = cn_vec3_dot(pair->up, from) - pair->offset;
    see(pair, cn_mat3_apply(&pair->pose.turn, right), view.x);
    see(pair, cn_mat3_apply(&pair->pose.turn, ahead), view.y);
    view.facing = view.x[0] * view.y[1] - view.x[1] * view.y[0];
    return view;
}

// The outline of a face, from its first corner on.
typedef struct Outline {
    CnHullOutlines of;
    int count;
} Outline;

CN_LANE_FUNCTION Outline outline_of(const CnHull* hull, int face, int width) {
    const CnHullOutlines* all = &hull->columns.outlines;
    int first = cn_hull_outline(hull, face), count = hull->faces[face].count;
    return (Outline){{all->x + first, all->y + first, all->inward_x + first, all->inward_y + first,
                      all->offset + first, all->vertex + first},
                     count < width ? count : width}; // it never is more
}

// How far the corners of the incident face are inside each side of the reference [m]; the first of
// them follows the last once more.
typedef struct Depths {
    double of[CN_CUT_CORNERS][CN_CUT_CORNERS + 1];
} Depths;

// What candidates there are: places where edges of the incident face enter the reference and where
// they leave it, corners of the reference, corners of the incident face, of which the first follows
// the last once more. One row of `width` each.
enum { ENTERS, LEAVES, COVERED, CORNERS, ROWS };

// The candidates, one bit each in kept.
typedef struct Slots {
    double x[ROWS * CN_CUT_CORNERS + 1], y[ROWS * CN_CUT_CORNERS + 1]; // [m]
    double height[ROWS * CN_CUT_CORNERS + 1];                          // of the incident face [m]
    double gap[ROWS * CN_CUT_CORNERS];                                 // [m]
    double key[ROWS * CN_CUT_CORNERS];                                 // cn_meeting_key()
    uint32_t kept;                                                     // those that are points
    CnLanes least;                                                     // of their gaps [m]
} Slots;

// Keys as sums of whole numbers: what all of a row have in common, and what counts the features of
// the two hulls.
typedef struct Keys {
    double rows[ROWS];
    double of_reference, of_incident;
} Keys;

CN_LANE_FUNCTION double key_of(const CnFacePair* pair, CnMeeting meeting, int reference,
                               int incident) {
    return pair->flipped ? (double)cn_meeting_key(meeting, incident, reference)
                         : (double)cn_meeting_key(meeting, reference, incident);
}

CN_LANE_FUNCTION Keys make_keys(const CnFacePair* pair) {
    CnMeeting reference = pair->flipped ? CN_VERTEX_OF_B : CN_VERTEX_OF_A;
    CnMeeting incident = pair->flipped ? CN_VERTEX_OF_A : CN_VERTEX_OF_B;
    double sides = key_of(pair, CN_SIDES, pair->reference->faces[pair->face].first,
                          pair->incident->faces[pair->other].first);
    return (Keys){{sides, sides, key_of(pair, reference, 0, pair->other),
                   key_of(pair, incident, pair->face, 0)},
                  pair->flipped ? 1.0 : (double)(1 << CN_MEETING_BITS),
                  pair->flipped ? (double)(1 << CN_MEETING_BITS) : 1.0};
}

// docs/theory/sat.md (5), of candidates that have their place.
CN_LANE_FUNCTION void put_points(const CnFacePair* pair, CnLanes height, CnMask where, CnLanes key,
                                 int slot, Slots* slots) {
    CnLanes gap = pair->lean * height;
    CnMask kept = where & cn_at_most(gap, cn_lanes(pair->margin));
    cn_lanes_store(gap, slots->gap + slot);
    cn_lanes_store(key, slots->key + slot);
    slots->kept |= cn_mask_answers(kept) << slot;
    slots->least = cn_lanes_min(slots->least, cn_select(kept, gap, cn_lanes(HUGE_VAL)));
}

CN_LANE_FUNCTION CnLanes count_up(int from) {
    CnLanes number = {0.0};
    for (int k = 1; k < CN_LANES; ++k) {
        number[k] = (double)k;
    }
    return number + (double)from;
}

CN_LANE_FUNCTION void place_corners(const View* view, const Outline* cover, int width,
                                    Slots* slots) {
    int first = CORNERS * width;
    CN_UNROLLED
    for (int i = 0; i < width; i += CN_LANES) {
        CnLanes x = cn_lanes_load(cover->of.x + i), y = cn_lanes_load(cover->of.y + i);
        int at = first + i;
        cn_lanes_store(view->from[0] + (view->x[0] * x + view->y[0] * y), slots->x + at);
        cn_lanes_store(view->from[1] + (view->x[1] * x + view->y[1] * y), slots->y + at);
        cn_lanes_store(view->from[2] + (view->x[2] * x + view->y[2] * y), slots->height + at);
    }
    slots->x[first + width] = view->from[0];
    slots->y[first + width] = view->from[1];
    slots->height[first + width] = view->from[2];
}

// Vectors of as many lanes as there are corners.
#define PARTS (CN_CUT_CORNERS / CN_LANES)

// Of a side, with outlines of unit inward normals.
CN_LANE_FUNCTION CnLanes depth_of(const Outline* of, int side, CnLanes x, CnLanes y) {
    return of->of.inward_x[side] * x + of->of.inward_y[side] * y - of->of.offset[side];
}

CN_LANE_FUNCTION CnMask lanes_before(int count, int i) {
    return cn_less(count_up(i), cn_lanes((double)count));
}

// False when a corner is within tolerance of a side.
CN_LANE_FUNCTION bool find_depths(const CnFacePair* pair, const Outline* base, const Outline* cover,
                                  const Slots* slots, int width, Depths* depths) {
    CnLanes nearest[PARTS];
    for (int i = 0; i < width; i += CN_LANES) {
        nearest[i / CN_LANES] = cn_lanes(HUGE_VAL);
    }
    for (int j = 0; j < base->count; ++j) {
        CN_UNROLLED
        for (int i = 0; i < width; i += CN_LANES) {
            CnLanes* least = &nearest[i / CN_LANES];
            int corner = CORNERS * width + i;
            CnLanes depth = depth_of(base, j, cn_lanes_load(slots->x + corner),
                                     cn_lanes_load(slots->y + corner));
            *least = cn_lanes_min(*least, cn_lanes_abs(depth));
            cn_lanes_store(depth, depths->of[j] + i);
        }
        depths->of[j][width] = depths->of[j][0];
    }
    unsigned near = 0;
    for (int i = 0; i < width; i += CN_LANES) {
        CnMask is_near = cn_at_most(nearest[i / CN_LANES], cn_lanes(pair->tolerance));
        near |= cn_mask_answers(is_near & lanes_before(cover->count, i));
    }
    return near == 0;
}

// The part of each edge of the incident face that is over the reference: from the last of the sides
// that it enters to the first that it leaves (Liang and Barsky), as fractions of its length.
typedef struct Spans {
    CnLanes in, out;           // 0 and 1 where it is not cut
    CnLanes side_in, side_out; // by which it enters and leaves
    CnLanes least;             // how far its first corner is inside [m]
    CnMask misses;             // it is all beside one side
} Spans;

CN_LANE_FUNCTION Spans cut_edges(const Depths* depths, int sides, int i) {
    const CnLanes zero = cn_lanes(0.0), one = cn_lanes(1.0);
    Spans spans = {zero, one, zero, zero, cn_lanes(HUGE_VAL), cn_less(zero, zero)};
    for (int j = 0; j < sides; ++j) {
        CnLanes a = cn_lanes_load(depths->of[j] + i), b = cn_lanes_load(depths->of[j] + i + 1);
        CnMask enters = cn_is_negative(a), leaves = cn_is_negative(b);
        CnLanes part = a / (a - b), side = cn_lanes((double)j);
        CnLanes in = cn_keep(enters, part), out = cn_select(leaves, part, one);
        spans.side_in = cn_select(cn_less(spans.in, in), side, spans.side_in);
        spans.side_out = cn_select(cn_less(out, spans.out), side, spans.side_out);
        spans.in = cn_lanes_max(spans.in, in);
        spans.out = cn_lanes_min(spans.out, out);
        spans.least = cn_lanes_min(spans.least, a);
        spans.misses |= enters & leaves;
    }
    return spans;
}

// Part of the way from the corners at i to the next ones.
CN_LANE_FUNCTION CnLanes between(const double* corners, int i, CnLanes part) {
    CnLanes from = cn_lanes_load(corners + i), to = cn_lanes_load(corners + i + 1);
    return from + part * (to - from);
}

CN_LANE_FUNCTION void put_cut(const CnFacePair* pair, CnLanes part, CnMask where, CnLanes key,
                              int corner, int slot, Slots* slots) {
    CnLanes height = between(slots->height, corner, part);
    cn_lanes_store(between(slots->x, corner, part), slots->x + slot);
    cn_lanes_store(between(slots->y, corner, part), slots->y + slot);
    cn_lanes_store(height, slots->height + slot);
    put_points(pair, height, where, key, slot, slots);
}

CN_LANE_FUNCTION void put_edges(const CnFacePair* pair, const Outline* base, const Outline* cover,
                                const Depths* depths, const Keys* keys, int width, Slots* slots) {
    CN_UNROLLED
    for (int i = 0; i < width; i += CN_LANES) {
        CnMask is_edge = lanes_before(cover->count, i);
        Spans spans = cut_edges(depths, base->count, i);
        CnMask meets = cn_but_not(is_edge & cn_less(spans.in, spans.out), spans.misses);
        CnMask enters = meets & cn_less(cn_lanes(0.0), spans.in);
        CnMask leaves = meets & cn_less(spans.out, cn_lanes(1.0));
        int corner = CORNERS * width + i;
        CnLanes edge = keys->rows[ENTERS] + keys->of_incident * count_up(i);
        put_cut(pair, spans.in, enters, edge + keys->of_reference * spans.side_in, corner,
                ENTERS * width + i, slots);
        put_cut(pair, spans.out, leaves, edge + keys->of_reference * spans.side_out, corner,
                LEAVES * width + i, slots);
        put_points(pair, cn_lanes_load(slots->height + corner),
                   is_edge & cn_less(cn_lanes(0.0), spans.least),
                   keys->rows[CORNERS] + keys->of_incident * cn_lanes_load(cover->of.vertex + i),
                   corner, slots);
    }
}

// Corners of the reference where they are in the outline of the incident face, docs/theory/sat.md
// (19), and how far they are inside all its sides and from the nearest [m].
typedef struct Seen {
    CnLanes x[PARTS], y[PARTS], least[PARTS], nearest[PARTS];
} Seen;

CN_LANE_FUNCTION void see_corners(const View* view, const Outline* base, const Outline* cover,
                                  int width, Seen* seen) {
    double inverse = 1.0 / view->facing;
    CN_UNROLLED
    for (int i = 0; i < width; i += CN_LANES) {
        int k = i / CN_LANES;
        CnLanes way_x = cn_lanes_load(base->of.x + i) - view->from[0];
        CnLanes way_y = cn_lanes_load(base->of.y + i) - view->from[1];
        seen->x[k] = (way_x * view->y[1] - way_y * view->y[0]) * inverse;
        seen->y[k] = (way_y * view->x[0] - way_x * view->x[1]) * inverse;
        seen->least[k] = seen->nearest[k] = cn_lanes(HUGE_VAL);
    }
    for (int j = 0; j < cover->count; ++j) {
        CN_UNROLLED
        for (int k = 0; k < width / CN_LANES; ++k) {
            CnLanes depth = depth_of(cover, j, seen->x[k], seen->y[k]);
            seen->least[k] = cn_lanes_min(seen->least[k], depth);
            seen->nearest[k] = cn_lanes_min(seen->nearest[k], cn_lanes_abs(depth));
        }
    }
}

// Those that are inside. False when one is within tolerance of a side.
CN_LANE_FUNCTION bool put_covered(const CnFacePair* pair, const View* view, const Outline* base,
                                  const Outline* cover, const Keys* keys, int width, Slots* slots) {
    Seen seen;
    unsigned near = 0;
    see_corners(view, base, cover, width, &seen);
    CN_UNROLLED
    for (int i = 0; i < width; i += CN_LANES) {
        int k = i / CN_LANES, slot = COVERED * width + i;
        CnMask is_corner = lanes_before(base->count, i);
        CnMask is_near = cn_at_most(seen.nearest[k], cn_lanes(pair->tolerance));
        CnLanes height = view->from[2] + (view->x[2] * seen.x[k] + view->y[2] * seen.y[k]);
        near |= cn_mask_answers(is_corner & is_near);
        cn_lanes_store(cn_lanes_load(base->of.x + i), slots->x + slot);
        cn_lanes_store(cn_lanes_load(base->of.y + i), slots->y + slot);
        cn_lanes_store(height, slots->height + slot);
        put_points(pair, height, is_corner & cn_less(cn_lanes(0.0), seen.least[k]),
                   keys->rows[COVERED] + keys->of_reference * cn_lanes_load(base->of.vertex + i),
                   slot, slots);
    }
    return near == 0;
}

CN_LANE_FUNCTION double least_of(CnLanes x) {
    double least = x[0];
    for (int k = 1; k < CN_LANES; ++k) {
        least = x[k] < least ? x[k] : least;
    }
    return least;
}

CN_LANE_FUNCTION void keep_points(const Slots* slots, CnFacePoints* points) {
    int count = 0;
    for (uint32_t left = slots->kept; left != 0; left &= left - 1, ++count) {
        int slot = __builtin_ctz(left);
        points->x[count] = slots->x[slot];
        points->y[count] = slots->y[slot];
        points->z[count] = 0.5 * slots->height[slot];
        points->gap[count] = slots->gap[slot];
        points->feature[count] = (uint32_t)slots->key[slot];
    }
    points->count = count;
    points->least = least_of(slots->least);
    CN_UNROLLED
    for (int i = 0; i < CN_FLAT_PAD; i += CN_LANES) {
        cn_lanes_store(cn_lanes(0.0), points->x + count + i);
        cn_lanes_store(cn_lanes(0.0), points->y + count + i);
        cn_lanes_store(cn_lanes(0.0), points->z + count + i);
        cn_lanes_store(cn_lanes(HUGE_VAL), points->gap + count + i);
    }
}

CN_LANE_FUNCTION bool cut_faces(const CnFacePair* pair, const View* view, int width,
                                CnFacePoints* points) {
    Outline base = outline_of(pair->reference, pair->face, width);
    Outline cover = outline_of(pair->incident, pair->other, width);
    Keys keys = make_keys(pair);
    Depths depths;
    Slots slots;
    slots.kept = 0;
    slots.least = cn_lanes(HUGE_VAL);
    place_corners(view, &cover, width, &slots);
    if (!find_depths(pair, &base, &cover, &slots, width, &depths) ||
        !put_covered(pair, view, &base, &cover, &keys, width, &slots)) {
        return false;
    }
    put_edges(pair, &base, &cover, &depths, &keys, width, &slots);
    keep_points(&slots, points);
    return true;
}

// Of faces that make a larger angle than this cosine the outlines are a poor view of each other.
#define STEEP 0.1

static CN_LANE_TARGET bool cut(const CnFacePair* pair, CnFacePoints* points) {
    const CnHull *reference = pair->reference, *incident = pair->incident;
    int corners = reference->faces[pair->face].count, others = incident->faces[pair->other].count;
    int most = corners > others ? corners : others;
    bool have_outlines =
        reference->columns.outlines.x != NULL && incident->columns.outlines.x != NULL;
    bool have_keys = reference->loop_count <= (int)CN_MEETING_MASK &&
                     incident->loop_count <= (int)CN_MEETING_MASK;
    if (most > CN_CUT_CORNERS || !have_outlines || !have_keys) {
        return false;
    }
    View view = see_incident(pair);
    if (!(view.facing < -STEEP)) {
        return false;
    }
    return most <= 4 ? cut_faces(pair, &view, 4, points) : cut_faces(pair, &view, 8, points);
}
