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
    CnLanes entered[4];     // side that each edge of the incident face enters by, as its place in
                            // the rectangle's loop; -1: it begins inside
    CnLanes left[4];        // and leaves by
    CnLanes corners;        // that there are, one bit each
} BoxFaces;

// Where in a block these lanes are written: corners at once, because there are too many of them for
// registers.
typedef struct BoxOutput {
    CnBoxBlock* block;
    int start;
} BoxOutput;

// A corner at u, v and height, where it is one.
CN_LANE_FUNCTION void put_corner(BoxFaces* faces, int i, const CnLanes at[3], CnMask where,
                                 BoxOutput out) {
    faces->corners += cn_where(where, 1 << i);
    cn_lanes_store(at[0], &out.block->u[i][out.start]);
    cn_lanes_store(at[1], &out.block->v[i][out.start]);
    cn_lanes_store(at[2], &out.block->height[i][out.start]);
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
    out->high[0] = 0.0 <= height;
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

// The incident face's edge k runs from vertex k to vertex k + 1; these are the signs of p and q
// there.
static const int cn_loop_p[4] = {-1, 1, 1, -1}, cn_loop_q[4] = {-1, -1, 1, 1};

typedef struct Vertex {
    CnLanes at[3]; // u, v and height [m]
    CnMask inside; // the rectangle, to within the tie
} Vertex;

CN_LANE_FUNCTION void find_vertices(const BoxFaces* faces, CnLanes tie, Vertex vertices[4]) {
    for (int k = 0; k < 4; ++k) {
        CnLanes* at = vertices[k].at;
        for (int i = 0; i < 3; ++i) {
            CnLanes p = cn_loop_p[k] > 0 ? faces->p[i] : -faces->p[i];
            at[i] = faces->center[i] + p + (cn_loop_q[k] > 0 ? faces->q[i] : -faces->q[i]);
        }
        vertices[k].inside = (-tie <= faces->half_u - cn_lanes_abs(at[0])) &
                             (-tie <= faces->half_v - cn_lanes_abs(at[1]));
    }
}

// The part of an edge between two sides of the rectangle, and which of them bound it.
typedef struct Span {
    CnLanes begin, end;    // fractions of the edge
    CnLanes entered, left; // sides; -1: none
    CnMask misses;         // outside, or touching a side with one end
} Span;

// Cuts with the two sides at -half and +half, of the given places in the loop. `way` is what the
// coordinate gains along the edge, `inverse` one over its size.
CN_LANE_FUNCTION void cut_span(CnLanes from, CnLanes to, CnLanes way, CnLanes inverse, CnLanes half,
                               CnLanes tie, double low, double high, Span* span) {
    CnMask back = cn_is_negative(way);
    CnLanes before = cn_lanes_turn(from, way), after = cn_lanes_turn(to, way); // before < after
    CnLanes entry = half + before, exit = half - before; // inside the near side and the far one
    CnMask enters = entry < -tie, leaves = half - after < -tie;
    span->misses |= (enters & ~(tie < half + after)) | (leaves & ~(tie < exit));
    CnLanes t_in = -entry * inverse, t_out = exit * inverse;
    enters &= span->begin < t_in;
    leaves &= t_out < span->end;
    span->begin = cn_select(enters, t_in, span->begin);
    span->end = cn_select(leaves, t_out, span->end);
    CnLanes near = cn_select(back, cn_lanes(high), cn_lanes(low));
    span->entered = cn_select(enters, near, span->entered);
    span->left = cn_select(leaves, low + high - near, span->left);
}

// Places of the sides in the loop of a face at the negative end of its axis; at the positive end
// the loop runs backwards.
enum { LOW_U = 0, HIGH_V = 1, HIGH_U = 2, LOW_V = 3 };

// The part of an edge inside all four sides (Liang and Barsky). `way` is half of what u, v and
// height gain along it, `inverse` half over the size of the first two.
CN_LANE_FUNCTION void clip_edge(BoxFaces* faces, int edge, const Vertex* from, const Vertex* to,
                                const CnLanes way[3], const CnLanes inverse[2], CnLanes tie,
                                BoxOutput out) {
    Span span = {.begin = cn_lanes(0.0), .end = cn_lanes(1.0), .misses = {0}};
    span.entered = span.left = cn_lanes(-1.0);
    cut_span(from->at[0], to->at[0], way[0], inverse[0], faces->half_u, tie, LOW_U, HIGH_U, &span);
    cut_span(from->at[1], to->at[1], way[1], inverse[1], faces->half_v, tie, LOW_V, HIGH_V, &span);
    CnMask meets = (span.begin < span.end) & ~span.misses;
    CnMask enters = meets & ~cn_is_negative(span.entered);
    CnMask leaves = meets & ~cn_is_negative(span.left);
    faces->entered[edge] = span.entered;
    faces->left[edge] = span.left;
    CnLanes begin = span.begin + span.begin, end = span.end + span.end, first[3], last[3];
    for (int i = 0; i < 3; ++i) {
        first[i] = from->at[i] + begin * way[i];
        last[i] = from->at[i] + end * way[i];
    }
    put_corner(faces, CN_BEGINS + edge, first, from->inside | enters, out);
    put_corner(faces, CN_LEAVES + edge, last, leaves, out);
}

CN_LANE_FUNCTION void clip_edges(BoxFaces* faces, CnLanes tie, BoxOutput out) {
    const CnLanes half = cn_lanes(0.5), *p = faces->p, *q = faces->q;
    CnLanes on_p[2] = {half / cn_lanes_abs(p[0]), half / cn_lanes_abs(p[1])};
    CnLanes on_q[2] = {half / cn_lanes_abs(q[0]), half / cn_lanes_abs(q[1])};
    CnLanes back_p[3] = {-p[0], -p[1], -p[2]}, back_q[3] = {-q[0], -q[1], -q[2]};
    Vertex vertices[4];
    find_vertices(faces, tie, vertices);
    clip_edge(faces, 0, &vertices[0], &vertices[1], p, on_p, tie, out);
    clip_edge(faces, 1, &vertices[1], &vertices[2], q, on_q, tie, out);
    clip_edge(faces, 2, &vertices[2], &vertices[3], back_p, on_p, tie, out);
    clip_edge(faces, 3, &vertices[3], &vertices[0], back_q, on_q, tie, out);
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
        CnMask covered = (cn_lanes_abs(along_p) * faces->half_p < most_p) &
                         (cn_lanes_abs(along_q) * faces->half_q < most_q);
        put_corner(faces, CN_COVERED + i, at, covered, out);
    }
}

CN_LANE_FUNCTION void clip_faces(const BoxLanes* boxes, const BoxAxes* axes, BoxFaces* faces,
                                 BoxOutput out) {
    Incident incident;
    faces->corners = cn_lanes(0.0);
    choose_reference(boxes, axes, faces, &incident);
    choose_incident(&incident, faces);
    clip_edges(faces, boxes->tie, out);
    cover_vertices(faces, boxes->tie, out);
}
