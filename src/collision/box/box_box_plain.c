// box_box_plain.c - contact points of two boxes, in plain scalar code.
//
// The reference for the lanes. Read this first: box_axes_lanes.h, box_clip_lanes.h and
// box_contact_lanes.h do the same for several pairs side by side, with selects instead of branches.
// docs/theory/collision/sat.md, "Two boxes".
//
// 1. see_each_other: the two boxes in each other's axes, and which of them goes first.
// 2. find_reference: the face that separates them most.
// 3. lay_frame: everything in the axes u, v, w of the reference face (w outward) and p, q, r of the
//    incident face, the face of the other box most opposed to it.
// 4. find_edges: a cross product of edges that separates them more.
// 5. clip_faces: corners of the part of the incident face that is over the reference face.
// 6. find_deepest: where no corner is as deep as the best axis says.
// 7. At most four of these, written in the world.
#include "collision/box/box_box_plain.h"

#include "collision/box/box_block.h"
#include "collision/convex/pair_order.h"
#include "collision/hull/manifold.h"
#include "collision/hull/polyhedron_pairs.h"
#include "collision/sat/sat.h"

// Of equal numbers the first, as in math/simd.h.
static double larger(double x, double y) {
    return x < y ? y : x;
}

static double smaller(double x, double y) {
    return y < x ? y : x;
}

static double dot(const double a[3], const double b[3]) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static double dot_column(const double m[3][3], int column, const double v[3]) {
    return m[0][column] * v[0] + m[1][column] * v[1] + m[2][column] * v[2];
}

// x, negated where s has a minus sign.
static double times_sign(double x, double s) {
    return signbit(s) ? -x : x;
}

typedef struct Boxes {
    double half[2][3];  // half edges of A, of B [m]
    double turn[3][3];  // from B's axes to A's
    double along[2][3]; // from A's centre to B's, in the axes of each [m]
    double size;        // of the smaller box [m]
    double tie;         // separations that differ by less are equal [m]
    double round_off;   // lengths below this are round-off [m]
    double margin;      // [m]
    bool reversed;      // B goes first
} Boxes;

static void see_each_other(const CnPlacedPolyhedron* a, const CnPlacedPolyhedron* b, double margin,
                           Boxes* boxes) {
    double between[3], size_a = cn_polyhedron_extent(a), size_b = cn_polyhedron_extent(b);
    for (int x = 0; x < 3; ++x) {
        between[x] = b->center[x] - a->center[x];
    }
    for (int i = 0; i < 3; ++i) {
        boxes->half[0][i] = a->axes[i][3];
        boxes->half[1][i] = b->axes[i][3];
        boxes->along[0][i] = dot(a->axes[i], between);
        boxes->along[1][i] = dot(b->axes[i], between);
        for (int j = 0; j < 3; ++j) {
            boxes->turn[i][j] = dot(a->axes[i], b->axes[j]);
        }
    }
    boxes->size = smaller(size_a, size_b);
    boxes->tie = CN_TIE_TOLERANCE * boxes->size;
    boxes->round_off =
        larger(CN_BOX_ROUND_OFF * boxes->size, CN_LARGER_BOX_ROUND_OFF * larger(size_a, size_b));
    boxes->margin = margin;
    boxes->reversed = cn_pair_is_reversed(*a->from, *b->from);
}

// The first of the largest, to within the tie.
static int best_of_three(const double numbers[3], double tie) {
    int best = numbers[0] + tie < numbers[1] ? 1 : 0;
    return numbers[best] + tie < numbers[2] ? 2 : best;
}

// Everything in the axes of the reference face and of the incident one.
typedef struct Frame {
    bool of_b;         // the reference is a face of B
    bool of_second;    // it is one of the box that goes second
    int axis[2];       // of the reference face, of the incident one
    bool high[2];      // whether the face is at the positive end of it
    double half[2][3]; // half edges along u, v, w; along p, q, r [m]
    double turn[3][3]; // from p, q, r to u, v, w
    double between[3]; // from the centre of the reference's box to that of the other [m]
    double size, tie, round_off, margin; // as in Boxes
    double separation;                   // along w [m]
    double best_face;                    // of all faces, which is a tie more at most [m]
} Frame;

// docs/theory/collision/sat.md (3). A face of the box that goes second is the reference only if it
// is better by more than the tie.
static void find_reference(const Boxes* boxes, Frame* frame) {
    const double *a = boxes->half[0], *b = boxes->half[1];
    double of_a[3], of_b[3];
    for (int i = 0; i < 3; ++i) {
        const double(*t)[3] = boxes->turn;
        of_a[i] = fabs(boxes->along[0][i]) -
                  (a[i] + (b[0] * fabs(t[i][0]) + b[1] * fabs(t[i][1]) + b[2] * fabs(t[i][2])));
        of_b[i] = fabs(boxes->along[1][i]) -
                  (b[i] + (a[0] * fabs(t[0][i]) + a[1] * fabs(t[1][i]) + a[2] * fabs(t[2][i])));
    }
    int axis_a = best_of_three(of_a, boxes->tie), axis_b = best_of_three(of_b, boxes->tie);
    double best_a = of_a[axis_a], best_b = of_b[axis_b];
    frame->of_b = boxes->reversed ? !(best_b + boxes->tie < best_a) : best_a + boxes->tie < best_b;
    frame->of_second = frame->of_b != boxes->reversed;
    frame->axis[0] = frame->of_b ? axis_b : axis_a;
    frame->separation = frame->of_b ? best_b : best_a;
    frame->best_face = larger(best_a, best_b);
}

// The two axes after that of a face in the order x y z x, then its own.
static void in_order_of_face(int axis, const double of[3], double ordered[3]) {
    ordered[0] = of[(axis + 1) % 3];
    ordered[1] = of[(axis + 2) % 3];
    ordered[2] = of[axis];
}

// 0 for round-off: it must not decide which side of a box the other is on.
static double without_round_off(double length, double round_off) {
    return fabs(length) <= round_off ? 0.0 : length;
}

static void lay_frame(const Boxes* boxes, Frame* frame) {
    int owner = frame->of_b ? 1 : 0;
    double between[3], rows[3][3], facing[3];
    frame->size = boxes->size;
    frame->tie = boxes->tie;
    frame->round_off = boxes->round_off;
    frame->margin = boxes->margin;
    for (int i = 0; i < 3; ++i) {
        double along = frame->of_b ? -boxes->along[1][i] : boxes->along[0][i];
        between[i] = without_round_off(along, boxes->round_off);
    }
    in_order_of_face(frame->axis[0], boxes->half[owner], frame->half[0]);
    in_order_of_face(frame->axis[0], between, frame->between);
    double outward = frame->between[2];
    frame->high[0] = outward >= 0.0;
    frame->between[2] = fabs(outward);
    for (int j = 0; j < 3; ++j) {
        double column[3], seen[3];
        for (int i = 0; i < 3; ++i) {
            column[i] = frame->of_b ? boxes->turn[j][i] : boxes->turn[i][j];
        }
        in_order_of_face(frame->axis[0], column, seen);
        rows[0][j] = seen[0];
        rows[1][j] = seen[1];
        rows[2][j] = times_sign(seen[2], outward);
        facing[j] = fabs(rows[2][j]);
    }
    frame->axis[1] = best_of_three(facing, CN_TIE_TOLERANCE);
    in_order_of_face(frame->axis[1], boxes->half[1 - owner], frame->half[1]);
    for (int i = 0; i < 3; ++i) {
        in_order_of_face(frame->axis[1], rows[i], frame->turn[i]);
    }
    frame->high[1] = frame->turn[2][2] < 0.0;
}

// An axis along the cross product of edge i of u v w and edge j of p q r, of length l.
typedef struct CrossAxis {
    double apart;  // separation times l [m]
    double square; // l^2
    int i, j;      // -1: a face
} CrossAxis;

#define FAR_WORSE 1e150 // makes an axis lose against any other; its square has no overflow [m]

// docs/theory/collision/sat.md (4).
static CrossAxis cross_axis(const Frame* frame, int i, int j) {
    const double *own = frame->half[0], *other = frame->half[1], *offset = frame->between;
    const double(*t)[3] = frame->turn;
    int i1 = (i + 1) % 3, i2 = (i + 2) % 3, j1 = (j + 1) % 3, j2 = (j + 2) % 3;
    double y = t[i2][j], z = t[i1][j], square = y * y + z * z;
    double apart = fabs(offset[i2] * z - offset[i1] * y) -
                   (own[i1] * fabs(t[i2][j]) + own[i2] * fabs(t[i1][j]) +
                    (other[j1] * fabs(t[i][j2]) + other[j2] * fabs(t[i][j1])));
    bool parallel = square < CN_PARALLEL_TOLERANCE * CN_PARALLEL_TOLERANCE;
    return (CrossAxis){parallel ? apart - FAR_WORSE : apart, square, i, j};
}

// The better of two, where the second must be better by more than round-off. Separations s / l are
// compared as s |s| / l^2 crosswise.
static CrossAxis better_axis(const Frame* frame, CrossAxis first, CrossAxis second) {
    double apart = second.apart - frame->round_off;
    bool is_better =
        first.apart * fabs(first.apart) * second.square < apart * fabs(apart) * first.square;
    return is_better ? second : first;
}

// The best axis of all: that of a face, if no cross product is better.
typedef struct Axes {
    int edges[2];      // which of u v w, which of p q r; -1: a face
    double separation; // [m]
    double scale;      // one over the length of the cross product
} Axes;

// In the order of the lanes: edges along the faces first.
static Axes find_edges(const Frame* frame) {
    static const int steep[5][2] = {{0, 2}, {1, 2}, {2, 0}, {2, 1}, {2, 2}};
    CrossAxis best = {frame->best_face, 1.0, -1, -1};
    CrossAxis first = better_axis(frame, cross_axis(frame, 0, 0), cross_axis(frame, 0, 1));
    CrossAxis second = better_axis(frame, cross_axis(frame, 1, 0), cross_axis(frame, 1, 1));
    best = better_axis(frame, best, first);
    best = better_axis(frame, best, second);
    for (int k = 0; k < 5; ++k) {
        best = better_axis(frame, best, cross_axis(frame, steep[k][0], steep[k][1]));
    }
    double scale = 1.0 / sqrt(best.square);
    return (Axes){{best.i, best.j}, best.apart * scale, scale};
}

// A candidate for a contact point, seen from the reference face.
typedef struct PointCandidate {
    bool is_kept;  // it is one, within the margin
    double u, v;   // from the middle of the reference face [m]
    double height; // over it; the contact point is half as high [m]
    double gap;    // [m]
    uint32_t key;
} PointCandidate;

typedef struct Contact {
    double normal[3]; // from the reference's box, along u, v and w
    double edge[3];   // unit, along the other box' edge, where edges give the normal
    double least_gap; // along the normal [m]
    PointCandidate candidates[CN_BOX_CANDIDATES];
} Contact;

// Features are numbered as in cn_box_hull, and the box that goes first comes first in a key.
static uint32_t key_of(const Frame* frame, CnFeatureKind kind, int own, int other) {
    return frame->of_second ? cn_feature_key(kind, other, own) : cn_feature_key(kind, own, other);
}

static int face_number(const Frame* frame, int which) {
    return 2 * frame->axis[which] + (frame->high[which] ? 1 : 0);
}

static int vertex_number(const Frame* frame, int which, bool high_u, bool high_v) {
    int axis = frame->axis[which];
    return (frame->high[which] ? 1 << axis : 0) + (high_u ? 1 << (axis + 1) % 3 : 0) +
           (high_v ? 1 << (axis + 2) % 3 : 0);
}

// Places of the sides in the loop of a face at the negative end of its axis; at the positive end
// the loop runs backwards.
enum { LOW_U = 0, HIGH_V = 1, HIGH_U = 2, LOW_V = 3 };

static int side_number(const Frame* frame, int which, int place) {
    int first = 4 * face_number(frame, which);
    return frame->high[which] ? first + 3 - place : first + place;
}

// Of a vertex of the other box on the reference face, and of a vertex of that under the other.
static uint32_t key_of_other_vertex(const Frame* frame, bool high_u, bool high_v) {
    return key_of(frame, frame->of_second ? CN_FEATURE_VERTEX_OF_A : CN_FEATURE_VERTEX_OF_B,
                  face_number(frame, 0), vertex_number(frame, 1, high_u, high_v));
}

static uint32_t key_of_own_vertex(const Frame* frame, bool high_u, bool high_v) {
    return key_of(frame, frame->of_second ? CN_FEATURE_VERTEX_OF_B : CN_FEATURE_VERTEX_OF_A,
                  vertex_number(frame, 0, high_u, high_v), face_number(frame, 1));
}

// The normal of two edges that cross, from the reference's box.
static void find_normal(const Frame* frame, const Axes* axes, Contact* contact) {
    int i = axes->edges[0], i1 = (i + 1) % 3, i2 = (i + 2) % 3;
    double *b = contact->edge, across[3];
    for (int x = 0; x < 3; ++x) {
        b[x] = frame->turn[x][axes->edges[1]];
    }
    across[i] = 0.0;
    across[i1] = -b[i2]; // e_i x b
    across[i2] = b[i1];
    double onward = without_round_off(dot(across, frame->between), frame->round_off);
    double scale = times_sign(axes->scale, onward);
    for (int x = 0; x < 3; ++x) {
        contact->normal[x] = scale * across[x];
    }
}

// The edge along an axis of a box that is outermost in a direction square to it.
typedef struct Edge {
    double middle[3]; // from the box's centre, in its axes [m]
    double half;      // [m]
    bool high[3];     // at the positive end of an axis
} Edge;

static Edge outermost_edge(const double half[3], int axis, const double direction[3]) {
    Edge edge = {.half = half[axis]};
    for (int k = 0; k < 3; ++k) {
        edge.high[k] = direction[k] > 0.0;
        edge.middle[k] = k == axis ? 0.0 : edge.high[k] ? half[k] : -half[k];
    }
    return edge;
}

static int edge_number(const Edge* edge, int axis, int axis_of_face) {
    int next = edge->high[(axis + 1) % 3] ? 1 : 0, last = edge->high[(axis + 2) % 3] ? 1 : 0;
    return 4 * ((axis_of_face + axis + 1) % 3) + next + 2 * last;
}

static double clamp(double x, double most) {
    return smaller(larger(x, -most), most);
}

// docs/theory/collision/sat.md (6): midway between where the common perpendicular meets the lines
// of the two edges. False if it passes the edges by: then the boxes are disjoint, and other points
// are nearer.
static bool cross_edges(const Frame* frame, const Axes* axes, const Contact* contact,
                        PointCandidate* out) {
    double inward[3], middle[3], apart[3], point[3];
    const double* b = contact->edge;
    int i = axes->edges[0], j = axes->edges[1];
    for (int k = 0; k < 3; ++k) {
        inward[k] = -dot_column(frame->turn, k, contact->normal);
    }
    Edge own = outermost_edge(frame->half[0], i, contact->normal);
    Edge other = outermost_edge(frame->half[1], j, inward);
    for (int x = 0; x < 3; ++x) {
        middle[x] = frame->between[x] + dot(frame->turn[x], other.middle);
        apart[x] = middle[x] - own.middle[x];
    }
    double cosine = b[i], on_own = apart[i], on_other = dot(apart, b);
    double s = (on_own - cosine * on_other) * axes->scale * axes->scale;
    double t = (cosine * on_own - on_other) * axes->scale * axes->scale;
    double inside_s = clamp(s, own.half), inside_t = clamp(t, other.half);
    for (int x = 0; x < 3; ++x) {
        double on_edge = x == i ? inside_s : 0.0;
        point[x] = (own.middle[x] + on_edge) + (middle[x] + inside_t * b[x]);
    }
    own.high[2] = frame->high[0] ? own.high[2] : !own.high[2]; // w points outward, not as the axis
    *out = (PointCandidate){
        .is_kept = true,
        .u = 0.5 * point[0],
        .v = 0.5 * point[1],
        .height = point[2] - 2.0 * frame->half[0][2],
        .gap = contact->least_gap,
        .key = key_of(frame, CN_FEATURE_EDGES, edge_number(&own, i, frame->axis[0]),
                      edge_number(&other, j, frame->axis[1])),
    };
    return fabs(s - inside_s) + fabs(t - inside_t) <= CN_COINCIDENCE_TOLERANCE * frame->size ||
           axes->separation <= frame->round_off;
}

// The incident face: c + p P + q Q with |p|, |q| <= 1, along u, v and w from the middle of the
// reference face [m].
typedef struct Incident {
    double center[3], p[3], q[3];
} Incident;

static Incident place_incident(const Frame* frame) {
    Incident face;
    double deep = frame->high[1] ? frame->half[1][2] : -frame->half[1][2];
    for (int i = 0; i < 3; ++i) {
        const double* row = frame->turn[i];
        double middle = i < 2 ? frame->between[i] : frame->between[i] - frame->half[0][2];
        face.center[i] = middle + deep * row[2];
        face.p[i] = frame->half[1][0] * row[0];
        face.q[i] = frame->half[1][1] * row[1];
    }
    return face;
}

// docs/theory/collision/sat.md (5).
static PointCandidate candidate_at(const Frame* frame, const Contact* contact, const double at[3],
                                   bool exists, uint32_t key) {
    double gap = contact->normal[2] * at[2];
    bool is_kept = exists && gap <= frame->margin;
    return (PointCandidate){is_kept, at[0], at[1], at[2], is_kept ? gap : HUGE_VAL, key};
}

#define SMALLEST_WAY 1e-150 // steeper than any edge across the sides it is parallel to [m]
#define LONG_TIE 1e-3       // docs/theory/collision/sat.md (18)

// Between two opposite sides of the rectangle, widened by the tie, is the part of the line
// c + s Q + t P with |t - middle + s shift| <= half. docs/theory/collision/sat.md (15).
typedef struct Strip {
    double middle, shift, half;
    double tie;    // how far t is from the side itself there
    int near, far; // sides that it enters and leaves by
} Strip;

static Strip strip_along(double c, double p, double q, double half, double tie, int low, int high) {
    double size = 1.0 / larger(fabs(p), SMALLEST_WAY), inverse = times_sign(size, p);
    int near = p < 0.0 ? high : low;
    return (Strip){-c * inverse, q * inverse, (half + tie) * size,
                   tie * size,   near,        low + high - near};
}

// The part of one edge of the incident face that is over the reference face.
typedef struct Span {
    double begin[3], end[3]; // u, v and height [m]
    bool enters, leaves;     // whether it begins and ends at sides of the rectangle
    int near, far;           // at these, if it does
    bool has_begin, has_end; // whether the ends of the edge are over the face, to within the tie
} Span;

// Liang and Barsky: inside the last side that is entered and the first that is left. A cut counts
// only if the edge comes further inside the rectangle than the tie, or runs along a side.
static Span cut_edge(const double from[3], const double way[3], const Strip* u, const Strip* v,
                     double s) {
    Span span;
    double middle_u = u->middle + s * u->shift, middle_v = v->middle + s * v->shift;
    double low_u = middle_u - u->half, low_v = middle_v - v->half;
    double high_u = middle_u + u->half, high_v = middle_v + v->half;
    const Strip* first = low_u < low_v ? v : u;
    const Strip* last = high_v < high_u ? v : u;
    double low = larger(low_u, low_v), high = smaller(high_u, high_v);
    bool enters = -1.0 < low, leaves = high < 1.0;
    double tie_in = enters && first->tie <= LONG_TIE ? first->tie : 0.0;
    double tie_out = leaves && last->tie <= LONG_TIE ? last->tie : 0.0;
    double t_in = larger(-1.0, low) + tie_in, t_out = smaller(1.0, high) - tie_out;
    bool meets = t_in + tie_in < t_out - tie_out;
    span.has_begin = -1.0 <= high && !enters;
    span.has_end = low <= 1.0 && !leaves;
    span.enters = enters && meets;
    span.leaves = leaves && meets;
    span.near = first->near;
    span.far = last->far;
    for (int i = 0; i < 3; ++i) {
        span.begin[i] = from[i] + t_in * way[i];
        span.end[i] = from[i] + t_out * way[i];
    }
    return span;
}

// Edge k of the incident face runs from vertex k to vertex k + 1; these are the signs of p and q
// there.
static const int loop_p[4] = {-1, 1, 1, -1}, loop_q[4] = {-1, -1, 1, 1};

// Edges 0 and 2 run along P, at q = -1 and 1; edges 1 and 3 along Q, at p = 1 and -1. The loop runs
// along edges 0 and 1 and back along 2 and 3.
static void clip_edge(const Frame* frame, const Incident* face, int k, Contact* contact) {
    static const int sides[4] = {LOW_V, HIGH_U, HIGH_V, LOW_U}; // of the incident face
    const double *c = face->center, *half = frame->half[0];
    const double *p = k % 2 == 0 ? face->p : face->q, *q = k % 2 == 0 ? face->q : face->p;
    bool is_back = k >= 2, is_positive = k == 1 || k == 2; // c + Q + t P
    Strip u = strip_along(c[0], p[0], q[0], half[0], frame->tie, LOW_U, HIGH_U);
    Strip v = strip_along(c[1], p[1], q[1], half[1], frame->tie, LOW_V, HIGH_V);
    double from[3];
    for (int i = 0; i < 3; ++i) {
        from[i] = is_positive ? c[i] + q[i] : c[i] - q[i];
    }
    Span span = cut_edge(from, p, &u, &v, is_positive ? -1.0 : 1.0);
    bool is_cut = is_back ? span.leaves : span.enters;   // where the loop begins with it
    bool ends_cut = is_back ? span.enters : span.leaves; // and where it ends
    bool has_vertex = is_back ? span.has_end : span.has_begin;
    int entered = is_back ? span.far : span.near, left = is_back ? span.near : span.far;
    int edge = side_number(frame, 1, sides[k]);
    uint32_t vertex = key_of_other_vertex(frame, loop_p[k] > 0, loop_q[k] > 0);
    uint32_t cut = key_of(frame, CN_FEATURE_SIDES, side_number(frame, 0, entered), edge);
    contact->candidates[CN_BEGINS + k] =
        candidate_at(frame, contact, is_back ? span.end : span.begin, has_vertex || is_cut,
                     is_cut ? cut : vertex);
    contact->candidates[CN_LEAVES + k] =
        candidate_at(frame, contact, is_back ? span.begin : span.end, ends_cut,
                     key_of(frame, CN_FEATURE_SIDES, side_number(frame, 0, left), edge));
}

// docs/theory/collision/sat.md (9): a vertex of the rectangle that is inside the parallelogram.
static void cover_vertex(const Frame* frame, const Incident* face, int i, Contact* contact) {
    const double *c = face->center, *half = frame->half[0], *other = frame->half[1];
    const double *along_u = frame->turn[0], *along_v = frame->turn[1];
    double rise = frame->turn[2][2], inverse = 1.0 / rise, area = fabs(rise);
    double slope_u = along_u[2] * inverse, slope_v = along_v[2] * inverse;
    double at[3] = {(i & 1) != 0 ? half[0] : -half[0], (i & 2) != 0 ? half[1] : -half[1], 0.0};
    double u = at[0] - c[0], v = at[1] - c[1];
    double on_p = u * along_v[1] - v * along_u[1]; // times the area
    double on_q = v * along_u[0] - u * along_v[0];
    at[2] = c[2] - slope_u * u - slope_v * v;
    bool covered =
        fabs(on_p) < area * (other[0] - frame->tie) && fabs(on_q) < area * (other[1] - frame->tie);
    contact->candidates[CN_COVERED + i] = candidate_at(
        frame, contact, at, covered, key_of_own_vertex(frame, (i & 1) != 0, (i & 2) != 0));
}

// Returns the least gap of those that are kept, HUGE_VAL if there is none [m].
static double clip_faces(const Frame* frame, Contact* contact) {
    Incident face = place_incident(frame);
    double lowest = HUGE_VAL;
    for (int k = 0; k < 4; ++k) {
        clip_edge(frame, &face, k, contact);
        cover_vertex(frame, &face, k, contact);
    }
    for (int k = 0; k < CN_BOX_CORNERS; ++k) {
        lowest = smaller(lowest, contact->candidates[k].gap);
    }
    return lowest;
}

// The vertex of the other box that is lowest over the reference face, or deepest under it.
static PointCandidate lowest_vertex(const Frame* frame, const Contact* contact) {
    double at[3];
    bool high[3];
    for (int k = 0; k < 3; ++k) {
        high[k] = frame->turn[2][k] < 0.0;
        at[k] = high[k] ? frame->half[1][k] : -frame->half[1][k];
    }
    return (PointCandidate){
        .is_kept = true,
        .u = frame->between[0] + dot(frame->turn[0], at),
        .v = frame->between[1] + dot(frame->turn[1], at),
        .height = frame->separation,
        .gap = contact->least_gap,
        .key = key_of_other_vertex(frame, high[0], high[1]),
    };
}

// False when the boxes are disjoint and their nearest points are not where the best axis would have
// them. Leaves the candidates; where edges cross and no face is near, one only.
static bool find_candidates(const Frame* frame, const Axes* axes, Contact* contact) {
    bool crossed = frame->separation + frame->tie < axes->separation;
    PointCandidate* deepest = &contact->candidates[CN_DEEPEST];
    contact->least_gap = crossed ? axes->separation : frame->separation;
    contact->normal[0] = contact->normal[1] = 0.0;
    contact->normal[2] = 1.0;
    for (int k = 0; k < CN_BOX_CANDIDATES; ++k) {
        contact->candidates[k].is_kept = false;
    }
    if (crossed) { // the faces stand for the contact where the normal leans little
        find_normal(frame, axes, contact);
        bool leans_little = 1.0 - CN_FACE_CONTACT_TILT < contact->normal[2];
        if (!cross_edges(frame, axes, contact, deepest)) {
            return false;
        }
        if (!leans_little) {
            return true;
        }
        deepest->is_kept = false;
    }
    if (clip_faces(frame, contact) <= axes->separation + CN_COINCIDENCE_TOLERANCE * frame->size) {
        return true;
    }
    if (crossed) {
        cross_edges(frame, axes, contact, deepest);
    } else {
        *deepest = lowest_vertex(frame, contact);
    }
    return crossed || contact->least_gap <= frame->round_off;
}

// At most four of the candidates that are kept, one bit each.
static unsigned choose(const Frame* frame, const Contact* contact) {
    double x[CN_BOX_CANDIDATES], y[CN_BOX_CANDIDATES], gap[CN_BOX_CANDIDATES];
    unsigned bits[CN_BOX_CANDIDATES], kept = 0;
    int count = 0;
    for (int k = 0; k < CN_BOX_CANDIDATES; ++k) {
        const PointCandidate* candidate = &contact->candidates[k];
        if (candidate->is_kept) {
            x[count] = candidate->u;
            y[count] = candidate->v;
            gap[count] = candidate->gap;
            kept |= bits[count++] = 1u << k;
        }
    }
    if (count <= CN_MANIFOLD_POINTS) {
        return kept;
    }
    kept = 0;
    uint64_t chosen = cn_choose_four_plain(&(CnFlatPoints){x, y, gap, count, frame->size});
    for (int k = 0; k < count; ++k) {
        kept |= (chosen >> k & 1) != 0 ? bits[k] : 0;
    }
    return kept;
}

// Points are at the middle of the reference face, plus u and v along its axes, plus half the height
// along its normal.
static int write_points(const Frame* frame, const Contact* contact, const CnPlacedPolyhedron* box,
                        CnManifoldPoint points[CN_MANIFOLD_POINTS]) {
    int axis = frame->axis[0], count = 0;
    const double *u = box->axes[(axis + 1) % 3], *v = box->axes[(axis + 2) % 3];
    double sign = frame->of_b ? -1.0 : 1.0, out[3], normal[3], at[3];
    unsigned chosen = choose(frame, contact);
    for (int x = 0; x < 3; ++x) {
        out[x] = (frame->high[0] ? 1.0 : -1.0) * box->axes[axis][x];
        normal[x] = sign * contact->normal[0] * u[x] + sign * contact->normal[1] * v[x] +
                    sign * contact->normal[2] * out[x];
    }
    for (int k = 0; k < CN_BOX_CANDIDATES; ++k) {
        const PointCandidate* candidate = &contact->candidates[k];
        if ((chosen >> k & 1) == 0) {
            continue;
        }
        for (int x = 0; x < 3; ++x) {
            at[x] = box->center[x] + box->axes[axis][3] * out[x] + candidate->u * u[x] +
                    candidate->v * v[x] + candidate->height * (0.5 * out[x]);
        }
        points[count++] = (CnManifoldPoint){
            .point = cn_vec3(at[0], at[1], at[2]),
            .normal = cn_vec3(normal[0], normal[1], normal[2]),
            .gap = candidate->gap,
            .feature = candidate->key,
        };
    }
    return count;
}

int cn_collide_box_box_plain(const CnPlacedPolyhedron* a, const CnPlacedPolyhedron* b,
                             double margin, CnManifoldPoint points[CN_MANIFOLD_POINTS]) {
    Boxes boxes;
    Frame frame;
    Contact contact;
    see_each_other(a, b, margin, &boxes);
    find_reference(&boxes, &frame);
    if (frame.best_face > margin) {
        return 0;
    }
    lay_frame(&boxes, &frame);
    Axes axes = find_edges(&frame);
    if (axes.separation > margin) {
        return 0;
    }
    if (!find_candidates(&frame, &axes, &contact)) {
        return cn_collide_in_order(boxes.reversed ? b : a, boxes.reversed ? a : b, boxes.reversed,
                                   margin, points);
    }
    return write_points(&frame, &contact, frame.of_b ? b : a, points);
}
