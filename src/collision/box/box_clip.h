// box_clip.h - the part of one face of a box that lies over a face of another, pairs side by side.
//
// Seen along w the reference face is a rectangle about the origin, and the incident one the
// parallelogram c + p P + q Q with |p|, |q| <= 1. docs/theory/sat.md, "Two boxes".
#pragma once

#include "collision/box/box_edges.h"

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

// A corner at u, v and height, where it is one. docs/theory/sat.md (5).
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
// c + s Q + t P with |t - middle + s shift| <= half. docs/theory/sat.md (15).
typedef struct Strip {
    CnLanes middle, shift, half;
    CnLanes tie;       // how far t is from the side itself there
    CnLanes near, far; // sides that it enters and leaves by
} Strip;

CN_LANE_FUNCTION Strip strip_along(CnLanes c, CnLanes p, CnLanes q, CnLanes half, CnLanes tie,
                                   double low, double high) {
    CnLanes size = 1.0 / cn_lanes_max(cn_lanes_abs(p), cn_lanes(SMALLEST_WAY));
    CnLanes inverse = cn_lanes_times_sign(size, p);
    CnLanes near = cn_select(cn_is_negative(p), cn_lanes(high), cn_lanes(low));
    return (Strip){-c * inverse, q * inverse, (half + tie) * size,
                   tie * size,   near,        low + high - near};
}

// The part of one edge of the incident face that is over the reference face.
typedef struct Span {
    CnLanes begin[3], end[3];  // u, v and height [m]
    CnMask enters, leaves;     // whether it begins and ends at sides of the rectangle
    CnLanes near, far;         // at these, if it does
    CnMask has_begin, has_end; // whether the ends of the edge are over the face, to within the tie
} Span;

// An edge that is within the tie of a side for so long, as a share of half its length, runs along
// it: docs/theory/sat.md (18).
#define LONG_TIE 1e-3

// How far an edge runs within the tie where it crosses a side; none if it runs along the side.
CN_LANE_FUNCTION CnLanes tie_of(const Strip* u, const Strip* v, CnMask of_v, CnMask where) {
    CnLanes tie = cn_select(of_v, v->tie, u->tie);
    return cn_keep(where & cn_at_most(tie, cn_lanes(LONG_TIE)), tie);
}

// Liang and Barsky: inside the last side that is entered and the first that is left. A cut counts
// only if the edge comes further inside the rectangle than the tie, or runs along a side: one that
// touches a corner or leaves where it begins has none.
CN_LANE_FUNCTION void cut_edge(const CnLanes from[3], const CnLanes way[3], const Strip strips[2],
                               bool positive, Span* span) {
    const Strip *u = &strips[0], *v = &strips[1];
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

// Edge k of the incident face runs from vertex k to vertex k + 1; these are the signs of p and q
// there.
static const int cn_loop_p[4] = {-1, 1, 1, -1}, cn_loop_q[4] = {-1, -1, 1, 1};

// Two opposite edges: c - Q + t P, which the loop runs along, and c + Q + t P, which it runs back.
CN_LANE_FUNCTION void clip_edges(const BoxFrame* frame, BoxFaces* faces, const CnLanes p[3],
                                 const CnLanes q[3], int forth, int back, BoxOutput out) {
    const CnLanes *c = faces->center, *half = frame->half[0];
    const Strip strips[2] = {strip_along(c[0], p[0], q[0], half[0], frame->tie, LOW_U, HIGH_U),
                             strip_along(c[1], p[1], q[1], half[1], frame->tie, LOW_V, HIGH_V)};
    const bool ahead = forth > 0; // edge 1, where p = 1, comes before edge 3
    CnLanes before[3], after[3];
    Span span;
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

// docs/theory/sat.md (9): the rectangle's vertices that are inside the parallelogram. Its area and
// its slopes are entries of the turn.
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
