// box_clip_lanes.h - candidates for contact points of several pairs of boxes side by side.
//
// Where two edges cross; the part of the incident face over the reference face; the keys of all
// candidates; and the deepest point, where no candidate is as deep as the best axis says.
//
// Seen along w the reference face is a rectangle about the origin, and the incident one the
// parallelogram c + p P + q Q with |p|, |q| <= 1. docs/theory/collision/sat.md, "Two boxes".
#pragma once

#include "collision/box/box_axes_lanes.h"
#include "collision/hull/manifold.h"

// Where edges cross.

// The directions of two edges, of the reference's box and of the other; along u, v and w.
typedef struct BoxEdges {
    CnLanes axis[2];   // which of u v w, which of p q r
    CnLanes other[3];  // unit, along the other's edge
    CnLanes normal[3]; // unit, square to both, from the reference's box to the other
} BoxEdges;

CN_LANE_FUNCTION void find_normal(const BoxFrame* frame, const BoxAxes* axes, BoxEdges* out) {
    const CnLanes none = cn_lanes(0.0);
    CnLanes own = out->axis[0] = cn_where(cn_less(cn_lanes(2.0), axes->edges), 1.0) +
                                 cn_where(cn_less(cn_lanes(5.0), axes->edges), 1.0);
    out->axis[1] = axes->edges - 3.0 * own;
    CnLanes* b = out->other;
    for (int x = 0; x < 3; ++x) {
        const CnLanes* row = frame->turn[x];
        b[x] = cn_select_of_three(out->axis[1], row[0], row[1], row[2]);
    }
    CnLanes across[3] = {cn_select_of_three(own, none, b[2], -b[1]),
                         cn_select_of_three(own, -b[2], none, b[0]),
                         cn_select_of_three(own, b[1], -b[0], none)};
    CnLanes onward = without_round_off(frame->round_off, dot_lanes(across, frame->between));
    CnLanes scale = cn_lanes_times_sign(axes->scale, onward);
    for (int x = 0; x < 3; ++x) {
        out->normal[x] = scale * across[x];
    }
}

// The edge along an axis of a box that is outermost in a direction square to it.
typedef struct EdgeLanes {
    CnLanes middle[3]; // from the box's centre, in its axes [m]
    CnLanes half;      // [m]
    CnLanes high[3];   // 1 if it is at the positive end of an axis
} EdgeLanes;

CN_LANE_FUNCTION void outermost_edge(const CnLanes half[3], CnLanes axis,
                                     const CnLanes direction[3], EdgeLanes* edge) {
    const CnLanes none = cn_lanes(0.0);
    CnLanes reach[3];
    for (int k = 0; k < 3; ++k) {
        CnMask far = cn_less(none, direction[k]);
        edge->high[k] = cn_where(far, 1.0);
        reach[k] = cn_select(far, half[k], -half[k]);
    }
    edge->middle[0] = cn_select_of_three(axis, none, reach[0], reach[0]);
    edge->middle[1] = cn_select_of_three(axis, reach[1], none, reach[1]);
    edge->middle[2] = cn_select_of_three(axis, reach[2], reach[2], none);
    edge->half = cn_select_of_three(axis, half[0], half[1], half[2]);
}

// As in cn_box_hull: the axis of the edge is so many after the one after that of the box's face.
CN_LANE_FUNCTION CnLanes edge_number(const EdgeLanes* edge, CnLanes axis, CnLanes of_face) {
    const CnLanes* high = edge->high;
    CnLanes next = cn_select_of_three(axis, high[1], high[2], high[0]);
    CnLanes last = cn_select_of_three(axis, high[2], high[0], high[1]);
    CnLanes number = of_face + axis + 1.0;
    number = number - cn_where(cn_less(cn_lanes(2.0), number), 3.0);
    return 4.0 * number + next + (last + last);
}

CN_LANE_FUNCTION CnLanes clamp_lanes(CnLanes x, CnLanes most) {
    return cn_lanes_min(cn_lanes_max(x, -most), most);
}

// Keys are sums of these and of features, read by cn_integer_of().
CN_LANE_FUNCTION CnLanes kind_name(CnFeatureKind kind) {
    return cn_lanes(CN_INTEGER_BASE + (double)cn_feature_key(kind, 0, 0));
}

typedef struct BoxCrossing {
    CnLanes u, v, height; // midway between the edges; twice as high as that over the reference [m]
    CnLanes key;
    CnMask met; // false: boxes are disjoint, and other points of them are nearer
} BoxCrossing;

// docs/theory/collision/sat.md (6): midway between where the common perpendicular meets the lines
// of the two edges. It meets the edges too, to within round-off, unless the boxes are disjoint.
CN_LANE_FUNCTION void cross_lines(const BoxFrame* frame, const BoxEdges* edges, CnLanes scale,
                                  const EdgeLanes* own, const EdgeLanes* other, BoxCrossing* out) {
    const CnLanes *b = edges->other, axis = edges->axis[0], none = cn_lanes(0.0);
    CnLanes middle[3], apart[3], point[3];
    for (int x = 0; x < 3; ++x) {
        middle[x] = frame->between[x] + dot_lanes(frame->turn[x], other->middle);
        apart[x] = middle[x] - own->middle[x];
    }
    CnLanes cosine = cn_select_of_three(axis, b[0], b[1], b[2]);
    CnLanes on_own = cn_select_of_three(axis, apart[0], apart[1], apart[2]),
            on_other = dot_lanes(apart, b);
    CnLanes s = (on_own - cosine * on_other) * scale * scale;
    CnLanes t = (cosine * on_own - on_other) * scale * scale;
    CnLanes inside_s = clamp_lanes(s, own->half), inside_t = clamp_lanes(t, other->half);
    CnLanes beside = cn_lanes_abs(s - inside_s) + cn_lanes_abs(t - inside_t);
    out->met = cn_at_most(beside, CN_COINCIDENCE_TOLERANCE * frame->size);
    CnLanes on[3] = {cn_select_of_three(axis, inside_s, none, none),
                     cn_select_of_three(axis, none, inside_s, none),
                     cn_select_of_three(axis, none, none, inside_s)};
    for (int x = 0; x < 3; ++x) {
        point[x] = (own->middle[x] + on[x]) + (middle[x] + inside_t * b[x]);
    }
    out->u = 0.5 * point[0];
    out->v = 0.5 * point[1];
    out->height = point[2] - 2.0 * frame->half[0][2];
}

CN_LANE_STAGE void cross_edges(const BoxFrame* frame, const BoxAxes* axes, const BoxEdges* edges,
                               BoxCrossing* out) {
    CnLanes inward[3];
    for (int k = 0; k < 3; ++k) {
        inward[k] = -column_along(frame->turn, k, edges->normal);
    }
    EdgeLanes own, other;
    outermost_edge(frame->half[0], edges->axis[0], edges->normal, &own);
    outermost_edge(frame->half[1], edges->axis[1], inward, &other);
    cross_lines(frame, edges, axes->scale, &own, &other, out);
    out->met |= cn_at_most(axes->separation, frame->round_off);
    own.high[2] = cn_select(frame->high[0], own.high[2], 1.0 - own.high[2]);
    CnLanes own_number = edge_number(&own, edges->axis[0], frame->axis[0]);
    CnLanes other_number = edge_number(&other, edges->axis[1], frame->axis[1]);
    CnLanes first = cn_select(frame->of_second, other_number, own_number);
    CnLanes second = cn_select(frame->of_second, own_number, other_number);
    out->key = kind_name(CN_FEATURE_EDGES) + (1 << CN_FEATURE_BITS) * first + second;
}

// The clipped face.

typedef struct BoxFaces {
    CnLanes center[3];  // of the incident face: along u and v from the rectangle's, and its
                        // height over the reference face [m]
    CnLanes p[3], q[3]; // its half edges [m]
    CnMask cut[4];      // edges of the incident face that begin where they enter the rectangle
    CnLanes entered[4]; // by these sides: places in the rectangle's loop
    CnLanes left[4];    // sides that edges leave by, if they do
    CnLanes lean;       // cosine of the contact's normal with that of the reference
    CnLanes lowest;     // gap of any corner that is kept [m]
    CnLaneBits kept;    // corners within the margin, one bit each
} BoxFaces;

// Where in a block these lanes are written: corners at once, because there are too many of them for
// registers.
typedef struct BoxOutput {
    CnBoxBlock* block;
    int start;
} BoxOutput;

// A corner at u, v and height, where it is one. docs/theory/collision/sat.md (5).
CN_LANE_FUNCTION void put_corner(const BoxFrame* frame, BoxFaces* faces, int i, const CnLanes at[3],
                                 CnMask where, BoxOutput out) {
    CnLanes gap = faces->lean * at[2];
    CnMask kept = where & cn_at_most(gap, frame->margin);
    gap = cn_select(kept, gap, cn_lanes(HUGE_VAL));
    faces->lowest = cn_lanes_min(faces->lowest, gap);
    faces->kept |= cn_bits_where(kept, 1 << i);
    cn_lanes_store(at[0], &out.block->u[i][out.start]);
    cn_lanes_store(at[1], &out.block->v[i][out.start]);
    cn_lanes_store(at[2], &out.block->height[i][out.start]);
    cn_lanes_store(gap, &out.block->gap[i][out.start]);
}

// Places of the sides in the loop of a face at the negative end of its axis; at the positive end
// the loop runs backwards.
enum { LOW_U = 0, HIGH_V = 1, HIGH_U = 2, LOW_V = 3 };

// Steeper than any edge across the two sides that it is parallel to; its square has no overflow.
#define SMALLEST_WAY 1e-150 // [m]

// Between two opposite sides of the rectangle, widened by the tie, is the part of the line
// c + s Q + t P with |t - middle + s shift| <= half. docs/theory/collision/sat.md (15).
typedef struct StripLanes {
    CnLanes middle, shift, half;
    CnLanes tie;       // how far t is from the side itself there
    CnLanes near, far; // sides that it enters and leaves by
} StripLanes;

CN_LANE_FUNCTION StripLanes strip_along(CnLanes c, CnLanes p, CnLanes q, CnLanes half, CnLanes tie,
                                        double low, double high) {
    CnLanes size = 1.0 / cn_lanes_max(cn_lanes_abs(p), cn_lanes(SMALLEST_WAY));
    CnLanes inverse = cn_lanes_times_sign(size, p);
    CnLanes near = cn_select(cn_is_negative(p), cn_lanes(high), cn_lanes(low));
    return (StripLanes){-c * inverse, q * inverse, (half + tie) * size,
                        tie * size,   near,        low + high - near};
}

// The part of one edge of the incident face that is over the reference face.
typedef struct SpanLanes {
    CnLanes begin[3], end[3];  // u, v and height [m]
    CnMask enters, leaves;     // whether it begins and ends at sides of the rectangle
    CnLanes near, far;         // at these, if it does
    CnMask has_begin, has_end; // whether the ends of the edge are over the face, to within the tie
} SpanLanes;

// An edge that is within the tie of a side for so long, as a share of half its length, runs along
// it: docs/theory/collision/sat.md (23).
#define LONG_TIE 1e-3

// How far an edge runs within the tie where it crosses a side; none if it runs along the side.
CN_LANE_FUNCTION CnLanes tie_of(const StripLanes* u, const StripLanes* v, CnMask of_v,
                                CnMask where) {
    CnLanes tie = cn_select(of_v, v->tie, u->tie);
    return cn_keep(where & cn_at_most(tie, cn_lanes(LONG_TIE)), tie);
}

// Liang and Barsky: inside the last side that is entered and the first that is left. A cut counts
// only if the edge comes further inside the rectangle than the tie, or runs along a side: one that
// touches a corner or leaves where it begins has none.
CN_LANE_FUNCTION void cut_edge(const CnLanes from[3], const CnLanes way[3],
                               const StripLanes strips[2], bool positive, SpanLanes* span) {
    const StripLanes *u = &strips[0], *v = &strips[1];
    CnLanes middle_u = positive ? u->middle - u->shift : u->middle + u->shift;
    CnLanes middle_v = positive ? v->middle - v->shift : v->middle + v->shift;
    CnLanes low_u = middle_u - u->half, low_v = middle_v - v->half;
    CnLanes high_u = middle_u + u->half, high_v = middle_v + v->half;
    CnMask first_v = cn_less(low_u, low_v), last_v = cn_less(high_v, high_u);
    CnLanes low = cn_lanes_max(low_u, low_v), high = cn_lanes_min(high_u, high_v);
    CnMask enters = cn_less(cn_lanes(-1.0), low), leaves = cn_less(high, cn_lanes(1.0));
    CnLanes tie_in = tie_of(u, v, first_v, enters), tie_out = tie_of(u, v, last_v, leaves);
    CnLanes t_in = cn_lanes_max(cn_lanes(-1.0), low) + tie_in;
    CnLanes t_out = cn_lanes_min(cn_lanes(1.0), high) - tie_out;
    CnMask meets = cn_less(t_in + tie_in, t_out - tie_out);
    span->has_begin = cn_and_not(cn_at_most(cn_lanes(-1.0), high), enters);
    span->has_end = cn_and_not(cn_at_most(low, cn_lanes(1.0)), leaves);
    span->enters = enters & meets;
    span->leaves = leaves & meets;
    span->near = cn_select(first_v, v->near, u->near);
    span->far = cn_select(last_v, v->far, u->far);
    for (int i = 0; i < 3; ++i) {
        span->begin[i] = from[i] + t_in * way[i];
        span->end[i] = from[i] + t_out * way[i];
    }
}

// EdgeLanes k of the incident face runs from vertex k to vertex k + 1; these are the signs of p and
// q there.
static const int cn_loop_p[4] = {-1, 1, 1, -1}, cn_loop_q[4] = {-1, -1, 1, 1};

// Two opposite edges: c - Q + t P, which the loop runs along, and c + Q + t P, which it runs back.
CN_LANE_FUNCTION void clip_edges(const BoxFrame* frame, BoxFaces* faces, const CnLanes p[3],
                                 const CnLanes q[3], int forth, int back, BoxOutput out) {
    const CnLanes *c = faces->center, *half = frame->half[0];
    const StripLanes strips[2] = {
        strip_along(c[0], p[0], q[0], half[0], frame->tie, LOW_U, HIGH_U),
        strip_along(c[1], p[1], q[1], half[1], frame->tie, LOW_V, HIGH_V)};
    const bool ahead = forth > 0; // edge 1, where p = 1, comes before edge 3
    CnLanes before[3], after[3];
    SpanLanes span;
    for (int i = 0; i < 3; ++i) {
        before[i] = ahead ? c[i] + q[i] : c[i] - q[i];
        after[i] = ahead ? c[i] - q[i] : c[i] + q[i];
    }
    cut_edge(before, p, strips, ahead, &span);
    put_corner(frame, faces, CN_BEGINS + forth, span.begin, span.has_begin | span.enters, out);
    put_corner(frame, faces, CN_LEAVES + forth, span.end, span.leaves, out);
    faces->cut[forth] = span.enters;
    faces->entered[forth] = span.near;
    faces->left[forth] = span.far;
    cut_edge(after, p, strips, !ahead, &span);
    put_corner(frame, faces, CN_BEGINS + back, span.end, span.has_end | span.leaves, out);
    put_corner(frame, faces, CN_LEAVES + back, span.begin, span.enters, out);
    faces->cut[back] = span.leaves;
    faces->entered[back] = span.far;
    faces->left[back] = span.near;
}

// docs/theory/collision/sat.md (9): the rectangle's vertices that are inside the parallelogram. Its
// area and its slopes are entries of the turn.
CN_LANE_FUNCTION void cover_vertices(const BoxFrame* frame, BoxFaces* faces, BoxOutput out) {
    const CnLanes *c = faces->center, *half = frame->half[0], *other = frame->half[1];
    const CnLanes *along_u = frame->turn[0], *along_v = frame->turn[1];
    CnLanes rise = frame->turn[2][2], inverse = 1.0 / rise, area = cn_lanes_abs(rise);
    CnLanes slope_u = along_u[2] * inverse, slope_v = along_v[2] * inverse;
    CnLanes most_p = area * (other[0] - frame->tie), most_q = area * (other[1] - frame->tie);
    for (int i = 0; i < 4; ++i) {
        CnLanes at[3] = {(i & 1) ? half[0] : -half[0], (i & 2) ? half[1] : -half[1]};
        CnLanes u = at[0] - c[0], v = at[1] - c[1];
        CnLanes on_p = u * along_v[1] - v * along_u[1]; // times the area
        CnLanes on_q = v * along_u[0] - u * along_v[0];
        at[2] = c[2] - slope_u * u - slope_v * v;
        CnMask covered = cn_less(cn_lanes_abs(on_p), most_p) & cn_less(cn_lanes_abs(on_q), most_q);
        put_corner(frame, faces, CN_COVERED + i, at, covered, out);
    }
}

CN_LANE_FUNCTION void place_incident(const BoxFrame* frame, BoxFaces* faces) {
    CnLanes deep = cn_select(frame->high[1], frame->half[1][2], -frame->half[1][2]);
    for (int i = 0; i < 3; ++i) {
        const CnLanes* row = frame->turn[i];
        CnLanes middle = i < 2 ? frame->between[i] : frame->between[i] - frame->half[0][2];
        faces->center[i] = middle + deep * row[2];
        faces->p[i] = frame->half[1][0] * row[0];
        faces->q[i] = frame->half[1][1] * row[1];
    }
}

CN_LANE_FUNCTION void clip_faces(const BoxFrame* frame, const CnLanes* lean, BoxFaces* faces,
                                 BoxOutput out) {
    faces->lean = *lean;
    faces->lowest = cn_lanes(HUGE_VAL);
    faces->kept = cn_lane_bits(0);
    place_incident(frame, faces);
    clip_edges(frame, faces, faces->p, faces->q, 0, 2, out);
    clip_edges(frame, faces, faces->q, faces->p, 1, 3, out);
    cover_vertices(frame, faces, out);
}

// Keys: as cn_feature_key() makes them, with features numbered as in cn_box_hull. Sums of
// whole numbers below 2^32 are exact in doubles.

// What names the features of a face, already times what a feature of its box counts in a key.
typedef struct FaceNames {
    CnLanes face;                // 2 axis + high
    CnLanes axis_bit;            // vertices: that of its axis, if they are high on it,
    CnLanes u_bit, v_bit;        // and those of the two axes after it
    CnLanes first_side, to_next; // sides: place k in the loop is first_side + k to_next
} FaceNames;

CN_LANE_FUNCTION FaceNames names_of(CnLanes axis, CnMask high, CnLanes unit) {
    CnLanes two = unit + unit, four = two + two, none = cn_lanes(0.0);
    FaceNames names = {
        .face = two * axis + cn_select(high, unit, none),
        .axis_bit = cn_select(high, cn_select_of_three(axis, unit, two, four), none),
        .u_bit = cn_select_of_three(axis, two, four, unit),
        .v_bit = cn_select_of_three(axis, four, unit, two),
        .to_next = cn_select(high, -unit, unit),
    };
    names.first_side = 4.0 * names.face + cn_select(high, unit + two, none);
    return names;
}

CN_LANE_FUNCTION CnLanes vertex_name(const FaceNames* names, bool high_u, bool high_v) {
    CnLanes name = names->axis_bit;
    name = high_u ? name + names->u_bit : name;
    return high_v ? name + names->v_bit : name;
}

CN_LANE_FUNCTION CnLanes side_name(const FaceNames* names, int place) {
    return names->first_side + names->to_next * place;
}

CN_LANE_FUNCTION void put_key(int corner, CnLanes key, BoxOutput out) {
    cn_lanes_store(key, &out.block->keys[corner][out.start]);
}

// Of the reference face and the incident one, and of vertices of either on the other.
typedef struct BoxNames {
    FaceNames own, other;
    CnLanes on_own, on_other; // what comes before the vertex
} BoxNames;

CN_LANE_FUNCTION BoxNames find_names(const BoxFrame* frame) {
    const CnLanes unit_a = cn_lanes(1 << CN_FEATURE_BITS), unit_b = cn_lanes(1.0);
    const CnMask flipped = frame->of_second;
    CnLanes of_a = kind_name(CN_FEATURE_VERTEX_OF_A), of_b = kind_name(CN_FEATURE_VERTEX_OF_B);
    BoxNames names = {
        .own = names_of(frame->axis[0], frame->high[0], cn_select(flipped, unit_b, unit_a)),
        .other = names_of(frame->axis[1], frame->high[1], cn_select(flipped, unit_a, unit_b)),
    };
    names.on_own = cn_select(flipped, of_a, of_b) + names.own.face;
    names.on_other = cn_select(flipped, of_b, of_a) + names.other.face;
    return names;
}

CN_LANE_FUNCTION void name_corners(const BoxFrame* frame, const BoxFaces* faces, BoxOutput out) {
    static const int side_of_edge[4] = {LOW_V, HIGH_U, HIGH_V, LOW_U};
    const BoxNames names = find_names(frame);
    const FaceNames *own = &names.own, *other = &names.other;
    for (int i = 0; i < 4; ++i) {
        CnLanes edge =
            kind_name(CN_FEATURE_SIDES) + side_name(other, side_of_edge[i]) + own->first_side;
        CnLanes vertex = names.on_own + vertex_name(other, cn_loop_p[i] > 0, cn_loop_q[i] > 0);
        CnLanes entered = edge + own->to_next * faces->entered[i];
        put_key(CN_BEGINS + i, cn_select(faces->cut[i], entered, vertex), out);
        put_key(CN_LEAVES + i, edge + own->to_next * faces->left[i], out);
        put_key(CN_COVERED + i, names.on_other + vertex_name(own, i & 1, i & 2), out);
    }
}

// The deepest point. Where no corner over the face has the gap that the axis promises, the
// crossing of the edges has it, or the lowest vertex, unless the boxes are disjoint.
// docs/theory/collision/sat.md, "The deepest point".

CN_LANE_FUNCTION void put_deepest(const BoxCrossing* point, BoxOutput out) {
    cn_lanes_store(point->u, &out.block->u[CN_DEEPEST][out.start]);
    cn_lanes_store(point->v, &out.block->v[CN_DEEPEST][out.start]);
    cn_lanes_store(point->height, &out.block->height[CN_DEEPEST][out.start]);
    cn_lanes_store(point->key, &out.block->keys[CN_DEEPEST][out.start]);
}

// The vertex of the other box that is lowest over the reference face, or deepest under it.
CN_LANE_FUNCTION void find_lowest(const BoxFrame* frame, BoxCrossing* out) {
    CnLanes at[3];
    CnMask high[3];
    for (int k = 0; k < 3; ++k) {
        high[k] = cn_is_negative(frame->turn[2][k]);
        at[k] = cn_select(high[k], frame->half[1][k], -frame->half[1][k]);
    }
    BoxNames names = find_names(frame);
    out->u = frame->between[0] + dot_lanes(frame->turn[0], at);
    out->v = frame->between[1] + dot_lanes(frame->turn[1], at);
    out->height = frame->separation;
    out->key = names.on_own + names.other.axis_bit + cn_keep(high[0], names.other.u_bit) +
               cn_keep(high[1], names.other.v_bit);
}

CN_LANE_STAGE void find_deepest_points(const BoxFrame* frame, const BoxAxes* axes,
                                       const BoxEdges* edges, CnMask crossed, BoxOutput out) {
    BoxCrossing deepest;
    find_lowest(frame, &deepest);
    if (cn_any(crossed)) {
        BoxCrossing crossing;
        cross_edges(frame, axes, edges, &crossing);
        deepest.u = cn_select(crossed, crossing.u, deepest.u);
        deepest.v = cn_select(crossed, crossing.v, deepest.v);
        deepest.height = cn_select(crossed, crossing.height, deepest.height);
        deepest.key = cn_select(crossed, crossing.key, deepest.key);
    }
    put_deepest(&deepest, out);
}
