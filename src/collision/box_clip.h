// box_clip.h - the part of one face of a box that lies over a face of another, pairs side by side.
//
// Seen along the normal of the reference face it is a rectangle about the origin, and the incident
// face the parallelogram c + p P + q Q with |p|, |q| <= 1. docs/theory/sat.md, "Two boxes".
#pragma once

#include "collision/box_edges.h"

// u, v and p, q run along the axes after that of the face in the order x y z x.
typedef struct BoxFaces {
    CnMask of_second;       // the reference is a face of the second box
    CnLanes axis[2];        // of the reference face, of the incident one
    CnMask high[2];         // whether the face is at the positive end of it
    CnLanes half_u, half_v; // of the rectangle [m]
    CnLanes half_p, half_q; // of the incident face [m]
    CnLanes center[3];      // of the incident face: along u and v from the rectangle's, and its
                            // height over the reference face [m]
    CnLanes p[3], q[3];     // its half edges [m]
    CnMask cut[4];          // edges of the incident face that begin where they enter the rectangle
    CnLanes entered[4];     // by these sides: places in the rectangle's loop
    CnLanes left[4];        // sides that edges leave by, if they do
    CnLanes lean;           // cosine of the contact's normal with that of the reference
    CnLanes margin;         // largest gap that counts [m]
    CnLanes lowest;         // gap of any corner [m]
    CnLanes kept;           // corners within the margin, one bit each
} BoxFaces;

// Where in a block these lanes are written: corners at once, because there are too many of them for
// registers.
typedef struct BoxOutput {
    CnBoxBlock* block;
    int start;
} BoxOutput;

// A corner at u, v and height, where it is one. docs/theory/sat.md (5).
CN_LANE_FUNCTION void put_corner(BoxFaces* faces, int i, const CnLanes at[3], CnMask where,
                                 BoxOutput out) {
    CnLanes gap = cn_select(where, faces->lean * at[2], cn_lanes(HUGE_VAL));
    CnMask kept = where & cn_at_most(gap, faces->margin);
    faces->lowest = cn_lanes_min(faces->lowest, gap);
    faces->kept += cn_where(kept, 1 << i);
    cn_lanes_store(at[0], &out.block->u[i][out.start]);
    cn_lanes_store(at[1], &out.block->v[i][out.start]);
    cn_lanes_store(at[2], &out.block->height[i][out.start]);
    cn_lanes_store(cn_select(kept, gap, cn_lanes(HUGE_VAL)), &out.block->gap[i][out.start]);
}

// The other box as the reference sees it: rows of the turn from its axes to u, v and the outward
// normal, and where its centre is.
typedef struct Incident {
    CnLanes rows[3][3];
    CnLanes half[3];   // half edges [m]
    CnLanes center[3]; // [m]
} Incident;

CN_LANE_FUNCTION void choose_reference(const BoxLanes* boxes, const BoxAxes* axes, BoxFaces* out,
                                       Incident* incident) {
    CnMask of_second = out->of_second = axes->of_second;
    CnLanes axis = out->axis[0] = cn_select(of_second, axes->face_axis[1], axes->face_axis[0]);
    CnLanes half[3], seen[3];
    for (int i = 0; i < 3; ++i) {
        half[i] = cn_select(of_second, boxes->half[1][i], boxes->half[0][i]);
        incident->half[i] = cn_select(of_second, boxes->half[0][i], boxes->half[1][i]);
        seen[i] = cn_select(of_second, -boxes->along[1][i], boxes->along[0][i]);
    }
    out->half_u = cn_pick(axis, half[1], half[2], half[0]);
    out->half_v = cn_pick(axis, half[2], half[0], half[1]);
    CnLanes height = cn_pick(axis, seen[0], seen[1], seen[2]);
    incident->center[0] = cn_pick(axis, seen[1], seen[2], seen[0]);
    incident->center[1] = cn_pick(axis, seen[2], seen[0], seen[1]);
    incident->center[2] = cn_lanes_abs(height) - cn_pick(axis, half[0], half[1], half[2]);
    out->high[0] = cn_at_most(cn_lanes(0.0), height);
    for (int j = 0; j < 3; ++j) {
        CnLanes x = cn_select(of_second, boxes->turn[j][0], boxes->turn[0][j]);
        CnLanes y = cn_select(of_second, boxes->turn[j][1], boxes->turn[1][j]);
        CnLanes z = cn_select(of_second, boxes->turn[j][2], boxes->turn[2][j]);
        CnLanes up = cn_pick(axis, x, y, z);
        incident->rows[0][j] = cn_pick(axis, y, z, x);
        incident->rows[1][j] = cn_pick(axis, z, x, y);
        incident->rows[2][j] = cn_select(out->high[0], up, -up);
    }
}

// The face that faces the reference most; of equals, to within CN_TIE, the first.
CN_LANE_FUNCTION void choose_incident(const Incident* incident, BoxFaces* out) {
    const CnLanes *half = incident->half, *up = incident->rows[2];
    CnLanes facing[3] = {cn_lanes_abs(up[0]), cn_lanes_abs(up[1]), cn_lanes_abs(up[2])}, most, axis;
    best_of_three(facing, cn_lanes(CN_TIE), &most, &axis);
    out->axis[1] = axis;
    out->high[1] = cn_is_negative(cn_pick(axis, up[0], up[1], up[2]));
    out->half_p = cn_pick(axis, half[1], half[2], half[0]);
    out->half_q = cn_pick(axis, half[2], half[0], half[1]);
    CnLanes deep = cn_pick(axis, half[0], half[1], half[2]);
    deep = cn_select(out->high[1], deep, -deep);
    for (int i = 0; i < 3; ++i) {
        const CnLanes* row = incident->rows[i];
        out->center[i] = incident->center[i] + deep * cn_pick(axis, row[0], row[1], row[2]);
        out->p[i] = out->half_p * cn_pick(axis, row[1], row[2], row[0]);
        out->q[i] = out->half_q * cn_pick(axis, row[2], row[0], row[1]);
    }
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
    CnLanes inverse = cn_lanes_turn(size, p);
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

// Liang and Barsky: inside the last side that is entered and the first that is left. A cut counts
// only if the edge comes further inside the rectangle than the tie: one that touches a corner or
// leaves where it begins has none.
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
    CnLanes tie_in = cn_keep(enters, cn_select(first_v, v->tie, u->tie));
    CnLanes tie_out = cn_keep(leaves, cn_select(last_v, v->tie, u->tie));
    CnLanes t_in = cn_lanes_max(cn_lanes(-1.0), low) + tie_in;
    CnLanes t_out = cn_lanes_min(cn_lanes(1.0), high) - tie_out;
    CnMask meets = cn_less(t_in + tie_in, t_out - tie_out);
    span->has_begin = cn_but_not(cn_at_most(cn_lanes(-1.0), high), enters);
    span->has_end = cn_but_not(cn_at_most(low, cn_lanes(1.0)), leaves);
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
CN_LANE_FUNCTION void clip_edges(BoxFaces* faces, const CnLanes p[3], const CnLanes q[3],
                                 CnLanes tie, int forth, int back, BoxOutput out) {
    const CnLanes* c = faces->center;
    const Strip strips[2] = {strip_along(c[0], p[0], q[0], faces->half_u, tie, LOW_U, HIGH_U),
                             strip_along(c[1], p[1], q[1], faces->half_v, tie, LOW_V, HIGH_V)};
    const bool ahead = forth > 0; // edge 1, where p = 1, comes before edge 3
    CnLanes before[3], after[3];
    Span span;
    for (int i = 0; i < 3; ++i) {
        before[i] = ahead ? c[i] + q[i] : c[i] - q[i];
        after[i] = ahead ? c[i] - q[i] : c[i] + q[i];
    }
    cut_edge(before, p, strips, ahead, &span);
    put_corner(faces, CN_BEGINS + forth, span.begin, span.has_begin | span.enters, out);
    put_corner(faces, CN_LEAVES + forth, span.end, span.leaves, out);
    faces->cut[forth] = span.enters;
    faces->entered[forth] = span.near;
    faces->left[forth] = span.far;
    cut_edge(after, p, strips, !ahead, &span);
    put_corner(faces, CN_BEGINS + back, span.end, span.has_end | span.leaves, out);
    put_corner(faces, CN_LEAVES + back, span.begin, span.enters, out);
    faces->cut[back] = span.leaves;
    faces->entered[back] = span.far;
    faces->left[back] = span.near;
}

// docs/theory/sat.md (9): the rectangle's vertices that are inside the parallelogram.
CN_LANE_FUNCTION void cover_vertices(BoxFaces* faces, CnLanes tie, BoxOutput out) {
    const CnLanes *c = faces->center, *p = faces->p, *q = faces->q;
    CnLanes area = p[0] * q[1] - p[1] * q[0], inverse = 1.0 / area;
    CnLanes most_p = cn_lanes_abs(area) * (faces->half_p - tie);
    CnLanes most_q = cn_lanes_abs(area) * (faces->half_q - tie);
    for (int i = 0; i < 4; ++i) {
        CnLanes at[3] = {(i & 1) ? faces->half_u : -faces->half_u,
                         (i & 2) ? faces->half_v : -faces->half_v};
        CnLanes u = at[0] - c[0], v = at[1] - c[1];
        CnLanes along_p = u * q[1] - v * q[0], along_q = v * p[0] - u * p[1]; // times the area
        at[2] = c[2] + (along_p * p[2] + along_q * q[2]) * inverse;
        CnMask covered = cn_less(cn_lanes_abs(along_p) * faces->half_p, most_p) &
                         cn_less(cn_lanes_abs(along_q) * faces->half_q, most_q);
        put_corner(faces, CN_COVERED + i, at, covered, out);
    }
}

CN_LANE_STAGE void clip_faces(const BoxLanes* boxes, const BoxAxes* axes, const CnLanes* lean,
                              BoxFaces* faces, BoxOutput out) {
    Incident incident;
    faces->lean = *lean;
    faces->margin = boxes->margin;
    faces->lowest = cn_lanes(HUGE_VAL);
    faces->kept = cn_lanes(0.0);
    choose_reference(boxes, axes, faces, &incident);
    choose_incident(&incident, faces);
    clip_edges(faces, faces->p, faces->q, boxes->tie, 0, 2, out);
    clip_edges(faces, faces->q, faces->p, boxes->tie, 1, 3, out);
    cover_vertices(faces, boxes->tie, out);
}
