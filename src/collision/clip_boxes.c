// clip_boxes.c - the part of one face of a box that lies over a face of another, in closed form.
//
// Seen along the normal of the reference face it is a rectangle about the origin, and the incident
// face the parallelogram c + p P + q Q with |p|, |q| <= 1. docs/theory/sat.md, "Two boxes".
#include "collision/clip_boxes.h"

#include "collision/reduce.h"

// The sides of a face, by which coordinate is at which end; u and v are the axes after that of the
// face in the order x y z x.
typedef enum Side { LOW_U, HIGH_U, LOW_V, HIGH_V, SIDE_COUNT } Side;

// The loop of a face at the negative and the positive end of its axis: vertices (bit 0: high u, bit
// 1: high v), the sides that leave them, and where each side is in the loop.
static const int loop_vertices[2][4] = {{0, 2, 3, 1}, {0, 1, 3, 2}};
static const Side loop_sides[2][4] = {{LOW_U, HIGH_V, HIGH_U, LOW_V},
                                      {LOW_V, HIGH_U, HIGH_V, LOW_U}};
static const int place_in_loop[2][SIDE_COUNT] = {{0, 2, 3, 1}, {3, 1, 0, 2}};

typedef struct Point {
    double u, v, w; // along the reference face's two axes and its normal's [m]
} Point;

typedef struct Clip {
    const CnBoxFaces* faces;
    int axis[3]; // the reference's axes that u, v and w run along
    double half_u, half_v;
    double tolerance;      // [m]
    Point center, p, q;    // of the incident face: its middle and half edges
    int incident_axis[3];  // axes of the incident box along p and q, and of its face
    bool covered[4];       // vertices of the rectangle (bit 0: high u, bit 1: high v) not added yet
    double height[4];      // of the incident face over them [m]
    bool turns_left;       // the incident loop, in the plane of u and v
    CnClipCorner* corners; // [CN_BOX_CORNERS]
    int count;
} Clip;

static double coordinate(CnVec3 v, int axis) {
    return axis == 0 ? v.x : axis == 1 ? v.y : v.z;
}

int cn_box_facing(CnVec3 direction) {
    const double size[3] = {fabs(direction.x), fabs(direction.y), fabs(direction.z)};
    int axis = size[1] > size[0] + CN_TIE ? 1 : 0;
    axis = size[2] > size[axis] + CN_TIE ? 2 : axis;
    return 2 * axis + (coordinate(direction, axis) > 0.0);
}

static int side_in_loop(int face, Side side) {
    return 4 * face + place_in_loop[face & 1][side];
}

// Vertex of a face by the signs of the two coordinates after its axis.
static int vertex_of(int face, const int axis[3], bool high_u, bool high_v) {
    return (face & 1) << axis[2] | high_u << axis[0] | high_v << axis[1];
}

static Point at(const Clip* clip, double p, double q) {
    return (Point){
        clip->center.u + p * clip->p.u + q * clip->q.u,
        clip->center.v + p * clip->p.v + q * clip->q.v,
        clip->center.w + p * clip->p.w + q * clip->q.w,
    };
}

static void depths_of(const Clip* clip, Point point, double depth[SIDE_COUNT]) {
    depth[LOW_U] = clip->half_u + point.u;
    depth[HIGH_U] = clip->half_u - point.u;
    depth[LOW_V] = clip->half_v + point.v;
    depth[HIGH_V] = clip->half_v - point.v;
}

static void add(Clip* clip, Point point, CnCornerKind kind, int reference, int incident) {
    double p[3];
    p[clip->axis[0]] = point.u;
    p[clip->axis[1]] = point.v;
    p[clip->axis[2]] = point.w;
    CnClipCorner* corner = &clip->corners[clip->count++];
    corner->point = cn_vec3(p[0], p[1], p[2]);
    corner->kind = kind;
    corner->reference = reference;
    corner->incident = incident;
    corner->leaving = 0;
}

typedef struct Span {
    double begin, end; // of an edge, as fractions of its length
    int entered, left; // sides that it crosses there; -1: none, it is an end of the edge
} Span;

// The part of an edge inside all four planes (Liang and Barsky), given how deep its ends are inside
// each; empty when begin >= end.
static Span inside_span(const double a[SIDE_COUNT], const double b[SIDE_COUNT], double tolerance) {
    Span span = {0.0, 1.0, -1, -1};
    for (int side = 0; side < SIDE_COUNT; ++side) {
        if (a[side] >= -tolerance && b[side] >= -tolerance) {
            continue;
        }
        double t = a[side] / (a[side] - b[side]);
        if (a[side] < -tolerance && b[side] > tolerance) {
            span.entered = t > span.begin ? side : span.entered;
            span.begin = t > span.begin ? t : span.begin;
        } else if (a[side] > tolerance && b[side] < -tolerance) {
            span.left = t < span.end ? side : span.left;
            span.end = t < span.end ? t : span.end;
        } else {
            return (Span){1.0, 0.0, -1, -1}; // outside, or touching with one end
        }
    }
    return span;
}

static void add_crossing(Clip* clip, Point from, Point to, double t, int side, Side edge) {
    Point point = {from.u + t * (to.u - from.u), from.v + t * (to.v - from.v),
                   from.w + t * (to.w - from.w)};
    add(clip, point, CN_CORNER_OF_SIDES, side_in_loop(clip->faces->reference, (Side)side),
        side_in_loop(clip->faces->incident, edge));
}

// docs/theory/sat.md (9): the rectangle's vertices that are inside the parallelogram.
static void find_covered(Clip* clip) {
    const Point *p = &clip->p, *q = &clip->q;
    double area = p->u * q->v - p->v * q->u;
    double inverse = 1.0 / area;
    double slack_p =
        clip->tolerance / coordinate(clip->faces->half_incident, clip->incident_axis[0]);
    double slack_q =
        clip->tolerance / coordinate(clip->faces->half_incident, clip->incident_axis[1]);
    for (int i = 0; i < 4; ++i) {
        double u = ((i & 1) ? clip->half_u : -clip->half_u) - clip->center.u;
        double v = ((i & 2) ? clip->half_v : -clip->half_v) - clip->center.v;
        double along_p = (u * q->v - v * q->u) * inverse;
        double along_q = (v * p->u - u * p->v) * inverse;
        clip->covered[i] = (fabs(along_p) < 1.0 - slack_p) & (fabs(along_q) < 1.0 - slack_q);
        clip->height[i] = clip->center.w + along_p * p->w + along_q * q->w;
    }
    // The incident face's loop turns as its parallelogram does, or the other way.
    clip->turns_left = (area > 0.0) == (clip->faces->incident & 1);
}

static void add_covered(Clip* clip, int i) {
    if (clip->covered[i]) {
        Point point = {(i & 1) ? clip->half_u : -clip->half_u,
                       (i & 2) ? clip->half_v : -clip->half_v, clip->height[i]};
        add(clip, point, CN_CORNER_OF_REFERENCE,
            vertex_of(clip->faces->reference, clip->axis, i & 1, i & 2), 0);
        clip->covered[i] = false;
    }
}

// The rectangle's vertices from one of its sides to another, the way the incident loop goes round.
static void go_round(Clip* clip, int from, int to) {
    static const int next_side[2][SIDE_COUNT] = {
        {[LOW_U] = HIGH_V, [HIGH_V] = HIGH_U, [HIGH_U] = LOW_V, [LOW_V] = LOW_U},
        {[LOW_U] = LOW_V, [LOW_V] = HIGH_U, [HIGH_U] = HIGH_V, [HIGH_V] = LOW_U}};
    static const int end_vertex[2][SIDE_COUNT] = {
        {[LOW_U] = 2, [HIGH_V] = 3, [HIGH_U] = 1, [LOW_V] = 0},
        {[LOW_U] = 0, [LOW_V] = 1, [HIGH_U] = 3, [HIGH_V] = 2}};
    for (int side = from; side != to; side = next_side[clip->turns_left][side]) {
        add_covered(clip, end_vertex[clip->turns_left][side]);
    }
}

static Point in_plane(const Clip* clip, const double v[3]) {
    return (Point){v[clip->axis[0]], v[clip->axis[1]], v[clip->axis[2]]};
}

static void lay_out(Clip* clip) {
    const CnBoxFaces* faces = clip->faces;
    const double offset[3] = {faces->offset.x, faces->offset.y, faces->offset.z};
    double columns[3][3], center[3]; // half edges of the incident box in the reference's frame
    for (int k = 0; k < 3; ++k) {
        clip->axis[k] = (faces->reference / 2 + 1 + k) % 3;
        clip->incident_axis[k] = (faces->incident / 2 + 1 + k) % 3;
        for (int i = 0; i < 3; ++i) {
            columns[k][i] = coordinate(faces->half_incident, k) * faces->turn.m[i][k];
        }
    }
    double sign = (faces->incident & 1) ? 1.0 : -1.0;
    for (int i = 0; i < 3; ++i) {
        center[i] = offset[i] + sign * columns[clip->incident_axis[2]][i];
    }
    clip->half_u = coordinate(faces->half_reference, clip->axis[0]);
    clip->half_v = coordinate(faces->half_reference, clip->axis[1]);
    clip->center = in_plane(clip, center);
    clip->p = in_plane(clip, columns[clip->incident_axis[0]]);
    clip->q = in_plane(clip, columns[clip->incident_axis[1]]);
}

// The incident face's loop, with the rectangle's vertices where it is outside: from where it left
// to where it enters again.
static void walk_loop(Clip* clip, const Point vertices[4], double depth[4][SIDE_COUNT],
                      const bool inside[4]) {
    int end = clip->faces->incident & 1;
    int first_entered = -1, left = -1;
    for (int i = 0; i < 4; ++i) {
        int from = loop_vertices[end][i], to = loop_vertices[end][(i + 1) & 3];
        if (inside[from]) {
            add(clip, vertices[from], CN_CORNER_OF_INCIDENT, 0,
                vertex_of(clip->faces->incident, clip->incident_axis, from & 1, from & 2));
        }
        if (inside[from] & inside[to]) {
            continue;
        }
        Side edge = loop_sides[end][i];
        Span span = inside_span(depth[from], depth[to], clip->tolerance);
        if (span.begin < span.end && span.entered >= 0) {
            if (left >= 0) {
                go_round(clip, left, span.entered);
            } else if (first_entered < 0) {
                first_entered = span.entered;
            }
            add_crossing(clip, vertices[from], vertices[to], span.begin, span.entered, edge);
        }
        if (span.begin < span.end && span.left >= 0) {
            add_crossing(clip, vertices[from], vertices[to], span.end, span.left, edge);
            left = span.left;
        }
    }
    if (left >= 0 && first_entered >= 0) {
        go_round(clip, left, first_entered);
    }
    for (int i = 0; i < 4; ++i) { // no side crossed, or only touched
        add_covered(clip, i);
    }
}

int cn_clip_boxes(const CnBoxFaces* faces, double tolerance, CnClipCorner corners[CN_BOX_CORNERS]) {
    Clip clip = {.faces = faces, .tolerance = tolerance, .corners = corners};
    Point vertices[4]; // bit 0: +p, bit 1: +q
    double depth[4][SIDE_COUNT];
    bool inside[4];

    lay_out(&clip);
    for (int i = 0; i < 4; ++i) {
        vertices[i] = at(&clip, (i & 1) ? 1.0 : -1.0, (i & 2) ? 1.0 : -1.0);
        depths_of(&clip, vertices[i], depth[i]);
        inside[i] = (depth[i][LOW_U] >= -tolerance) & (depth[i][HIGH_U] >= -tolerance) &
                    (depth[i][LOW_V] >= -tolerance) & (depth[i][HIGH_V] >= -tolerance);
    }
    if (!(inside[0] & inside[1] & inside[2] & inside[3])) {
        find_covered(&clip);
    }
    walk_loop(&clip, vertices, depth, inside);
    return clip.count;
}
