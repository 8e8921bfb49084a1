// oracle.c - signed distances of convex shapes by brute force, in long double.
#include "support/shapes/oracle.h"

#include <math.h>

typedef long double Real;
typedef struct Vec {
    Real x, y, z;
} Vec;

#define MAX_VERTICES 32
#define MAX_EDGES 96
#define MAX_FACES 64

// In world axes, counted from A's position.
typedef struct Body {
    Vec vertices[MAX_VERTICES];
    Vec edges[MAX_EDGES][2]; // start and direction, not unit
    Vec normals[MAX_FACES];  // outward, unit
    int vertex_count, edge_count, normal_count;
    Real ball;         // radius [m]
    Real disc;         // radius; 0: none [m]
    Vec axis;          // of the disc
    Vec out, sideways; // square to it
} Body;

typedef struct Search {
    const Body *a, *b;
    Real best;
} Search;

static Vec add(Vec a, Real s, Vec b) {
    return (Vec){a.x + s * b.x, a.y + s * b.y, a.z + s * b.z};
}

static Vec minus(Vec a, Vec b) {
    return add(a, -1.0L, b);
}

static Real dot(Vec a, Vec b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static Vec cross(Vec a, Vec b) {
    return (Vec){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

static Vec scale(Real s, Vec a) {
    return (Vec){s * a.x, s * a.y, s * a.z};
}

static Real length(Vec a) {
    return sqrtl(dot(a, a));
}

// Bodies

static Vec rotate(CnQuat q, Vec v) {
    Real square = (Real)q.w * q.w + (Real)q.x * q.x + (Real)q.y * q.y + (Real)q.z * q.z;
    Vec u = {q.x, q.y, q.z};
    Vec t = cross(u, v);
    Vec twice = add(scale((Real)q.w, t), 1.0L, cross(u, t));
    return add(v, 2.0L / square, twice);
}

static void add_edge(Body* body, Vec from, Vec to) {
    body->edges[body->edge_count][0] = from;
    body->edges[body->edge_count++][1] = minus(to, from);
}

static void add_segment(Body* body, CnPlacedShape placed, Vec middle) {
    Vec half = rotate(placed.pose.rotation, (Vec){0.0L, 0.0L, placed.shape->half_length});
    body->vertices[body->vertex_count++] = minus(middle, half);
    body->vertices[body->vertex_count++] = add(middle, 1.0L, half);
    add_edge(body, body->vertices[0], body->vertices[1]);
}

static void add_hull(Body* body, CnPlacedShape placed, const CnHull* hull, Vec middle) {
    for (int i = 0; i < hull->vertex_count; ++i) {
        CnVec3 v = hull->vertices[i];
        body->vertices[body->vertex_count++] =
            add(middle, 1.0L, rotate(placed.pose.rotation, (Vec){v.x, v.y, v.z}));
    }
    for (int i = 0; i < hull->edge_count; ++i) {
        add_edge(body, body->vertices[hull->edges[i].from], body->vertices[hull->edges[i].to]);
    }
    for (int i = 0; i < hull->face_count; ++i) {
        CnVec3 n = hull->faces[i].normal;
        Vec normal = rotate(placed.pose.rotation, (Vec){n.x, n.y, n.z});
        body->normals[body->normal_count++] = scale(1.0L / length(normal), normal);
    }
}

static Body body_of(CnPlacedShape placed, CnVec3 origin) {
    const CnShape* shape = placed.shape;
    CnVec3 at = placed.pose.position;
    Body body = {.ball = 0.0L};
    Vec middle = {(Real)at.x - origin.x, (Real)at.y - origin.y, (Real)at.z - origin.z};
    CnBoxHull box;
    if (shape->type == CN_SHAPE_SPHERE) {
        body.vertices[body.vertex_count++] = middle;
        body.ball = shape->radius;
    } else if (shape->type == CN_SHAPE_BOX) {
        add_hull(&body, placed, cn_box_hull(shape->half_size, &box), middle);
    } else if (shape->type == CN_SHAPE_CONVEX) {
        add_hull(&body, placed, shape->hull, middle);
    } else {
        add_segment(&body, placed, middle);
        body.ball = shape->type == CN_SHAPE_CAPSULE ? shape->radius : 0.0L;
        body.disc = shape->type == CN_SHAPE_CYLINDER ? shape->radius : 0.0L;
    }
    body.out = rotate(placed.pose.rotation, (Vec){1.0L, 0.0L, 0.0L});
    body.sideways = rotate(placed.pose.rotation, (Vec){0.0L, 1.0L, 0.0L});
    body.axis = rotate(placed.pose.rotation, (Vec){0.0L, 0.0L, 1.0L});
    return body;
}

// How far the body reaches along a unit vector.
static Real reach(const Body* body, Vec n) {
    Real most = -HUGE_VALL;
    for (int i = 0; i < body->vertex_count; ++i) {
        most = fmaxl(most, dot(body->vertices[i], n));
    }
    if (body->disc > 0.0L) {
        most += body->disc * length(cross(body->axis, n));
    }
    return most + body->ball;
}

static Real separation(const Search* search, Vec n) {
    return -reach(search->b, scale(-1.0L, n)) - reach(search->a, n);
}

// A direction of any length, both ways.
static void offer(Search* search, Vec direction) {
    Real size = length(direction);
    if (size > 0.0L) {
        Vec n = scale(1.0L / size, direction);
        search->best = fmaxl(search->best, separation(search, n));
        search->best = fmaxl(search->best, separation(search, scale(-1.0L, n)));
    }
}

// Directions of single bodies, and of crossing edges

// What of v is square to edge; twice, as what is left may be small.
static Vec without(Vec v, Vec edge) {
    v = add(v, -dot(v, edge) / dot(edge, edge), edge);
    return add(v, -dot(v, edge) / dot(edge, edge), edge);
}

static Vec square_to(Vec direction) {
    Vec x = {1.0L, 0.0L, 0.0L}, z = {0.0L, 0.0L, 1.0L};
    return cross(direction, fabsl(direction.x) < 0.8L * length(direction) ? x : z);
}

static void offer_own(Search* search, const Body* body) {
    for (int i = 0; i < body->normal_count; ++i) {
        offer(search, body->normals[i]);
    }
    for (int i = 0; i < body->edge_count; ++i) { // any way will do out of a body around the edge
        offer(search, square_to(body->edges[i][1]));
    }
    offer(search, body->axis);
}

static void offer_crossings(Search* search) {
    for (int i = 0; i < search->a->edge_count; ++i) {
        for (int k = 0; k < search->b->edge_count; ++k) {
            Vec d = search->a->edges[i][1], e = search->b->edges[k][1];
            offer(search, cross(d, without(e, d)));
        }
    }
}

// Directions between a vertex and the nearest point of something else

static void offer_vertices(Search* search, const Body* a, const Body* b) {
    for (int i = 0; i < a->vertex_count; ++i) {
        for (int k = 0; k < b->vertex_count; ++k) {
            offer(search, minus(b->vertices[k], a->vertices[i]));
        }
        for (int k = 0; k < b->edge_count; ++k) {
            offer(search, without(minus(a->vertices[i], b->edges[k][0]), b->edges[k][1]));
        }
    }
}

// The nearest and the farthest point of the rim around center are where the vertex is looked at
// from the axis.
static void offer_rims_and_vertices(Search* search, const Body* a, const Body* b) {
    for (int i = 0; i < b->vertex_count; ++i) {
        for (int k = 0; k < a->vertex_count; ++k) {
            Vec to = minus(b->vertices[i], a->vertices[k]);
            Vec aside = add(to, -dot(to, a->axis), a->axis);
            Real size = length(aside);
            if (size > 0.0L) {
                offer(search, add(to, -a->disc / size, aside));
            }
        }
    }
}

// Something smooth along a circle: sampled, and every summit among the samples narrowed down by
// golden sections to where the direction is good to 1e-10 and its value to round-off.

typedef Real CircleFunction(Search* search, const void* circle, Real angle);

#define SAMPLES 128
#define SECTIONS 56 // 0.618^56 of 2 / SAMPLES turns is 1e-13

static void offer_summits(Search* search, const void* circle, CircleFunction* value) {
    const Real golden = 0.618033988749894848204586834365638118L;
    const Real turn = 2.0L * 3.14159265358979323846264338327950288L / SAMPLES;
    Real samples[SAMPLES];
    for (int i = 0; i < SAMPLES; ++i) {
        samples[i] = value(search, circle, turn * (Real)i);
    }
    for (int i = 0; i < SAMPLES; ++i) {
        Real before = samples[(i + SAMPLES - 1) % SAMPLES], after = samples[(i + 1) % SAMPLES];
        if (samples[i] < before || samples[i] < after) {
            continue;
        }
        Real low = turn * (Real)(i - 1), high = turn * (Real)(i + 1);
        Real left = high - golden * (high - low), right = low + golden * (high - low);
        Real at_left = value(search, circle, left), at_right = value(search, circle, right);
        for (int k = 0; k < SECTIONS; ++k) {
            if (at_left > at_right) {
                high = right;
                right = left;
                at_right = at_left;
                left = high - golden * (high - low);
                at_left = value(search, circle, left);
            } else {
                low = left;
                left = right;
                at_left = at_right;
                right = low + golden * (high - low);
                at_right = value(search, circle, right);
            }
        }
    }
}

// All directions square to an edge.
typedef struct Fan {
    Vec first, second;
} Fan;

static Real separation_in_fan(Search* search, const void* circle, Real angle) {
    const Fan* fan = circle;
    Vec n = add(scale(cosl(angle), fan->first), sinl(angle), fan->second);
    Real value = separation(search, n);
    search->best = fmaxl(search->best, value);
    return value;
}

static void offer_fans(Search* search, const Body* body) {
    for (int i = 0; i < body->edge_count; ++i) {
        Vec edge = scale(1.0L / length(body->edges[i][1]), body->edges[i][1]);
        Vec first = square_to(edge);
        first = scale(1.0L / length(first), first);
        Fan fan = {first, cross(edge, first)};
        offer_summits(search, &fan, separation_in_fan);
    }
}

// A point that runs around a rim of A, and the nearest (side 1) or farthest (side -1) one of a rim
// of B. Where their distance is stationary the line between them is square to both rims; so is the
// cross product of the tangents, which does not vanish where they meet.
typedef struct Rims {
    Vec center_a, center_b;
    Real side, sign; // sign 1: summits of the distance; -1: troughs
} Rims;

static Real distance_of_rims(Search* search, const void* circle, Real angle) {
    const Rims* rims = circle;
    const Body *a = search->a, *b = search->b;
    Vec out = add(scale(cosl(angle), a->out), sinl(angle), a->sideways);
    Vec p = add(rims->center_a, a->disc, out);
    Vec to = minus(p, rims->center_b);
    Vec aside = add(to, -dot(to, b->axis), b->axis);
    Real size = length(aside);
    if (!(size > 0.0L)) {
        return -HUGE_VALL;
    }
    aside = scale(rims->side / size, aside);
    Vec q = add(rims->center_b, b->disc, aside);
    Vec between = minus(q, p);
    offer(search, cross(cross(a->axis, out), cross(b->axis, aside)));
    offer(search, between);
    return rims->sign * dot(between, between);
}

static void offer_rims(Search* search) {
    for (int i = 0; i < 16; ++i) {
        Rims rims = {search->a->vertices[i & 1], search->b->vertices[i >> 1 & 1],
                     (i >> 2 & 1) != 0 ? 1.0L : -1.0L, (i >> 3 & 1) != 0 ? 1.0L : -1.0L};
        offer_summits(search, &rims, distance_of_rims);
    }
}

static Real distance_from_plane(CnPlacedShape plane, CnPlacedShape other) {
    Body body = body_of(other, plane.pose.position);
    CnVec3 n = plane.shape->normal;
    Vec normal = rotate(plane.pose.rotation, (Vec){n.x, n.y, n.z});
    Real size = length(normal);
    return -reach(&body, scale(-1.0L / size, normal));
}

long double oracle_distance(CnPlacedShape a, CnPlacedShape b) {
    if (a.shape->type == CN_SHAPE_PLANE || b.shape->type == CN_SHAPE_PLANE) {
        return a.shape->type == CN_SHAPE_PLANE ? distance_from_plane(a, b)
                                               : distance_from_plane(b, a);
    }
    Body body_a = body_of(a, a.pose.position), body_b = body_of(b, a.pose.position);
    Search search = {&body_a, &body_b, -HUGE_VALL};
    offer_own(&search, &body_a);
    offer_own(&search, &body_b);
    offer_crossings(&search);
    offer_vertices(&search, &body_a, &body_b);
    offer_vertices(&search, &body_b, &body_a);
    if (body_a.disc > 0.0L) {
        offer_rims_and_vertices(&search, &body_a, &body_b);
    }
    if (body_b.disc > 0.0L) {
        offer_rims_and_vertices(&search, &body_b, &body_a);
    }
    if (body_a.disc > 0.0L || body_b.disc > 0.0L) {
        offer_fans(&search, &body_a);
        offer_fans(&search, &body_b);
    }
    if (body_a.disc > 0.0L && body_b.disc > 0.0L) {
        offer_rims(&search);
    }
    return search.best;
}

long double oracle_separation(CnPlacedShape a, CnPlacedShape b, CnVec3 direction) {
    if (a.shape->type == CN_SHAPE_PLANE || b.shape->type == CN_SHAPE_PLANE) {
        return oracle_distance(a, b); // planes have one direction only
    }
    Body body_a = body_of(a, a.pose.position), body_b = body_of(b, a.pose.position);
    Search search = {&body_a, &body_b, -HUGE_VALL};
    Vec n = {direction.x, direction.y, direction.z};
    return separation(&search, scale(1.0L / length(n), n));
}
