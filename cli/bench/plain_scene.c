// plain_scene.c - scenes as plain numbers, and what is wrong with their poses.
#include "bench/plain_scene.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#define PLAIN_SHAPES 64 // of one fixed body, at most
#define RESOLUTION 3    // of round surfaces; hulls have none

// ---- from a world ----

// The sentence says what the scene has that plain numbers do not.
__attribute__((format(printf, 2, 3))) static bool refuse(CnError* error, const char* format, ...) {
    va_list arguments;
    va_start(arguments, format);
    error->status = CN_UNSUPPORTED;
    vsnprintf(error->message, sizeof error->message, format, arguments);
    va_end(arguments);
    return false;
}

// Turns z to a unit vector.
static CnQuat turn_to(CnVec3 n) {
    CnQuat half = cn_quat(1.0 + n.z, -n.y, n.x, 0.0); // (1 + z . n, z x n)
    return n.z > -1.0 + 1e-12 ? cn_quat_normalize(half) : cn_quat(0.0, 1.0, 0.0, 0.0);
}

static void set_plane(const CnShapeDef* def, PlainBody* body, CnBodyState* at) {
    CnVec3 n = cn_quat_rotate(cn_quat_multiply(at->rotation, def->rotation), def->normal);
    CnVec3 point = cn_vec3_add(at->center, cn_quat_rotate(at->rotation, def->position));
    body->shape = PLAIN_BOX;
    body->half[0] = body->half[1] = 100.0;
    body->half[2] = 1.0;
    at->rotation = turn_to(n);
    at->center = cn_vec3_sub(point, n);
}

static bool read_hull(const CnWorld* world, CnShapeId shape, CnVec3 center, PlainBody* body,
                      CnError* error) {
    CnTriangles surface = {0};
    cn_shape_triangles(world, shape, RESOLUTION, 1.0, &surface, error); // counts
    PlainHull* hull = &body->hull;
    hull->points = calloc((size_t)surface.point_count + 1, sizeof *hull->points);
    hull->triangles = calloc((size_t)surface.triangle_count + 1, sizeof *hull->triangles);
    if (hull->points == NULL || hull->triangles == NULL) {
        return refuse(error, "no memory for a hull of %d points", surface.point_count);
    }
    hull->point_count = surface.point_capacity = surface.point_count;
    hull->triangle_count = surface.triangle_capacity = surface.triangle_count;
    surface.points = hull->points;
    surface.triangles = hull->triangles;
    if (cn_shape_triangles(world, shape, RESOLUTION, 1.0, &surface, error) != CN_OK) {
        return false;
    }
    body->shape = PLAIN_HULL;
    body->half[0] = 0.0;
    for (int i = 0; i < hull->point_count; ++i) {
        hull->points[i] = cn_vec3_sub(hull->points[i], center);
        body->half[0] = fmax(body->half[0], cn_vec3_length(hull->points[i]));
    }
    return true;
}

// A shape as a body of its own. `at` is the pose of the world's body, and becomes that of this one.
static bool read_shape(const CnWorld* world, CnBodyId id, CnShapeId shape, PlainBody* body,
                       CnBodyState* at, CnError* error) {
    CnShapeInfo info;
    CnMassProperties mass;
    if (cn_shape_read(world, shape, &info) != CN_OK ||
        cn_body_mass_properties(world, id, &mass) != CN_OK) {
        return refuse(error, "body \"%s\" cannot be read", cn_body_name(world, id));
    }
    const CnShapeDef* def = &info.def;
    CnMaterialDef material;
    CnBodyInfo owner;
    cn_body_read(world, id, &owner);
    bool is_turned = fabs(def->rotation.w) < 1.0;
    if (owner.type == CN_BODY_KINEMATIC || (owner.type == CN_BODY_DYNAMIC && is_turned)) {
        return refuse(error, "body \"%s\" %s", cn_body_name(world, id),
                      is_turned ? "has a shape that is turned in it" : "is kinematic");
    }
    cn_material_read(world, def->material.index != 0 ? def->material : owner.material, &material);
    *body = (PlainBody){
        .half = {def->radius, def->radius, 0.5 * def->length},
        .mass = mass.mass,
        .inertia = {mass.inertia[0], mass.inertia[1], mass.inertia[2]},
        .friction = material.friction,
        .group = def->group,
    };
    if (owner.type == CN_BODY_STATIC && def->type != CN_SHAPE_PLANE) {
        at->center = cn_vec3_add(at->center, cn_quat_rotate(at->rotation, def->position));
        at->rotation = cn_quat_multiply(at->rotation, def->rotation);
    }
    switch (def->type) {
    case CN_SHAPE_SPHERE:
        body->shape = PLAIN_BALL;
        return true;
    case CN_SHAPE_CAPSULE:
        body->shape = PLAIN_CAPSULE;
        return true;
    case CN_SHAPE_BOX:
        body->shape = PLAIN_BOX;
        body->half[0] = 0.5 * def->size.x;
        body->half[1] = 0.5 * def->size.y;
        body->half[2] = 0.5 * def->size.z;
        return true;
    case CN_SHAPE_PLANE:
        set_plane(def, body, at);
        return true;
    case CN_SHAPE_CONVEX:
        if (owner.type == CN_BODY_STATIC) {
            return refuse(error, "body \"%s\" is a fixed hull", cn_body_name(world, id));
        }
        return read_hull(world, shape, mass.center, body, error);
    default:
        return refuse(error, "body \"%s\" is no ball, box, capsule, hull or plane",
                      cn_body_name(world, id));
    }
}

static int index_of(const CnWorld* world, CnBodyId id) {
    for (int i = 0; i < cn_world_body_count(world); ++i) {
        CnBodyId other = cn_world_body_at(world, i);
        if (other.index == id.index && other.generation == id.generation) {
            return i;
        }
    }
    return -1;
}

static bool read_joint(const CnWorld* world, CnJointId id, PlainJoint* joint, CnError* error) {
    CnJointInfo info;
    if (cn_joint_info(world, id, &info) != CN_OK ||
        (info.type != CN_JOINT_BALL && info.type != CN_JOINT_HINGE)) {
        return refuse(error, "joint \"%s\" is no ball joint or hinge", cn_joint_name(world, id));
    }
    CnVec3 z = cn_vec3(0.0, 0.0, 1.0);
    *joint = (PlainJoint){
        .body_a = index_of(world, info.body_a),
        .body_b = index_of(world, info.body_b),
        .is_hinge = info.type == CN_JOINT_HINGE,
        .point_a = info.frame_a.position,
        .point_b = info.frame_b.position,
        .axis_a = cn_quat_rotate(info.frame_a.rotation, z),
        .axis_b = cn_quat_rotate(info.frame_b.rotation, z),
    };
    return true;
}

// The first shape takes the place of the body, further ones (of fixed bodies) come after all
// bodies.
static bool read_body(const CnWorld* world, int place, PlainScene* scene, CnError* error) {
    CnBodyId id = cn_world_body_at(world, place);
    CnShapeId shapes[PLAIN_SHAPES];
    CnBodyState at = scene->start[place];
    CnBodyInfo info;
    int count = cn_body_shapes(world, id, shapes, PLAIN_SHAPES);
    cn_body_read(world, id, &info);
    bool ok = count > 0 && count <= (info.type == CN_BODY_STATIC ? PLAIN_SHAPES : 1);
    if (!ok) {
        return refuse(error, "body \"%s\" has %d shapes", cn_body_name(world, id), count);
    }
    for (int i = 0; ok && i < count; ++i) {
        int to = i == 0 ? place : scene->body_count++;
        scene->start[to] = at;
        ok = read_shape(world, id, shapes[i], &scene->bodies[to], &scene->start[to], error);
    }
    return ok;
}

static int count_further_shapes(const CnWorld* world) {
    int count = 0;
    for (int i = 0; i < cn_world_body_count(world); ++i) {
        int shapes = cn_body_shapes(world, cn_world_body_at(world, i), NULL, 0);
        count += shapes > 1 ? shapes - 1 : 0;
    }
    return count;
}

bool plain_scene_read(const CnWorld* world, PlainScene* scene, CnError* error) {
    int bodies = cn_world_body_count(world), joints = cn_world_joint_count(world);
    size_t room = (size_t)bodies + (size_t)count_further_shapes(world) + 1;
    *scene = (PlainScene){
        .bodies = calloc(room, sizeof *scene->bodies),
        .start = calloc(room, sizeof *scene->start),
        .joints = calloc((size_t)joints + 1, sizeof *scene->joints),
    };
    if (scene->bodies == NULL || scene->start == NULL || scene->joints == NULL) {
        refuse(error, "no memory for %d bodies", bodies);
        error->status = CN_NO_MEMORY;
        return false;
    }
    scene->body_count = bodies;
    scene->joint_count = joints;
    cn_world_read_states(world, scene->start, NULL, bodies);
    bool ok = true;
    for (int i = 0; ok && i < bodies; ++i) {
        ok = read_body(world, i, scene, error);
    }
    for (int i = 0; ok && i < joints; ++i) {
        ok = read_joint(world, cn_world_joint_at(world, i), &scene->joints[i], error);
    }
    return ok;
}

void plain_scene_free(PlainScene* scene) {
    for (int i = 0; i < scene->body_count; ++i) {
        free(scene->bodies[i].hull.points);
        free(scene->bodies[i].hull.triangles);
    }
    free(scene->bodies);
    free(scene->start);
    free(scene->joints);
    *scene = (PlainScene){0};
}

// ---- overlap of two bodies ----

static CnVec3 axis_of(const CnBodyState* at, int axis) {
    return cn_quat_rotate(at->rotation, cn_vec3(axis == 0, axis == 1, axis == 2));
}

// Of a point to a box, negative inside: a convex function of the point.
static double box_distance(const PlainBody* box, const CnBodyState* at, CnVec3 point) {
    CnVec3 local = cn_quat_unrotate(at->rotation, cn_vec3_sub(point, at->center));
    const double x[3] = {fabs(local.x) - box->half[0], fabs(local.y) - box->half[1],
                         fabs(local.z) - box->half[2]};
    double outside = 0.0, inside = fmax(x[0], fmax(x[1], x[2]));
    for (int i = 0; i < 3; ++i) {
        outside += x[i] > 0.0 ? x[i] * x[i] : 0.0;
    }
    return inside <= 0.0 ? inside : sqrt(outside);
}

// The axis of a ball is its centre.
static CnVec3 axis_point(const PlainBody* body, const CnBodyState* at, double share) {
    double along = body->shape == PLAIN_CAPSULE ? share * body->half[2] : 0.0;
    return cn_vec3_add_scaled(at->center, along, axis_of(at, 2));
}

// Ternary search along the axis: distances are convex, and each pass keeps two thirds.
static double round_box(const PlainBody* round, const CnBodyState* at, const PlainBody* box,
                        const CnBodyState* at_box) {
    double low = -1.0, high = 1.0;
    for (int i = 0; round->shape == PLAIN_CAPSULE && i < 60; ++i) {
        double left = low + (high - low) / 3.0, right = high - (high - low) / 3.0;
        bool is_left = box_distance(box, at_box, axis_point(round, at, left)) <
                       box_distance(box, at_box, axis_point(round, at, right));
        low = is_left ? low : left;
        high = is_left ? right : high;
    }
    return round->half[0] - box_distance(box, at_box, axis_point(round, at, 0.5 * (low + high)));
}

static double clamp_unit(double x) {
    return fmin(1.0, fmax(-1.0, x));
}

// Nearest points of two segments c + s e, |s| <= 1, by turns: each is exact for the other, and the
// distance is convex.
static double round_round(const PlainBody* a, const CnBodyState* at_a, const PlainBody* b,
                          const CnBodyState* at_b) {
    double s = 0.0, t = 0.0;
    bool is_a = a->shape == PLAIN_CAPSULE && a->half[2] > 0.0;
    bool is_b = b->shape == PLAIN_CAPSULE && b->half[2] > 0.0;
    CnVec3 z_a = axis_of(at_a, 2), z_b = axis_of(at_b, 2);
    for (int i = 0; i < 200; ++i) {
        CnVec3 p = axis_point(b, at_b, t);
        double along = cn_vec3_dot(cn_vec3_sub(p, at_a->center), z_a);
        s = is_a ? clamp_unit(along / a->half[2]) : 0.0;
        CnVec3 q = axis_point(a, at_a, s);
        along = cn_vec3_dot(cn_vec3_sub(q, at_b->center), z_b);
        t = is_b ? clamp_unit(along / b->half[2]) : 0.0;
    }
    CnVec3 between = cn_vec3_sub(axis_point(b, at_b, t), axis_point(a, at_a, s));
    return a->half[0] + b->half[0] - cn_vec3_length(between);
}

static double reach_along(const PlainBody* box, const CnVec3 axes[3], CnVec3 n) {
    return box->half[0] * fabs(cn_vec3_dot(axes[0], n)) +
           box->half[1] * fabs(cn_vec3_dot(axes[1], n)) +
           box->half[2] * fabs(cn_vec3_dot(axes[2], n));
}

// Least overlap over the 15 axes that can separate two boxes.
static double box_box(const PlainBody* a, const CnBodyState* at_a, const PlainBody* b,
                      const CnBodyState* at_b) {
    CnVec3 axes_a[3], axes_b[3], between = cn_vec3_sub(at_b->center, at_a->center);
    double least = HUGE_VAL;
    for (int i = 0; i < 3; ++i) {
        axes_a[i] = axis_of(at_a, i);
        axes_b[i] = axis_of(at_b, i);
    }
    for (int k = 0; k < 15; ++k) {
        CnVec3 n = k < 3   ? axes_a[k]
                   : k < 6 ? axes_b[k - 3]
                           : cn_vec3_cross(axes_a[(k - 6) / 3], axes_b[(k - 6) % 3]);
        double length = cn_vec3_length(n);
        if (length < 1e-6) { // parallel edges: faces tell
            continue;
        }
        n = cn_vec3_scale(1.0 / length, n);
        double overlap =
            reach_along(a, axes_a, n) + reach_along(b, axes_b, n) - fabs(cn_vec3_dot(between, n));
        least = fmin(least, overlap);
    }
    return least;
}

// ---- hulls: any axis that can separate two of them, one after the other ----

typedef struct PlainSpan {
    double low, high;
} PlainSpan;

static bool has_corners(const PlainBody* body) {
    return body->shape == PLAIN_BOX || body->shape == PLAIN_HULL;
}

static PlainSpan span_along(const PlainBody* body, const CnBodyState* at, CnVec3 n) {
    double center = cn_vec3_dot(at->center, n);
    CnVec3 local = cn_quat_unrotate(at->rotation, n);
    PlainSpan span = {HUGE_VAL, -HUGE_VAL};
    if (body->shape == PLAIN_BOX) {
        double reach = body->half[0] * fabs(local.x) + body->half[1] * fabs(local.y) +
                       body->half[2] * fabs(local.z);
        return (PlainSpan){center - reach, center + reach};
    }
    for (int i = 0; i < body->hull.point_count; ++i) {
        double along = center + cn_vec3_dot(body->hull.points[i], local);
        span.low = fmin(span.low, along);
        span.high = fmax(span.high, along);
    }
    return span;
}

// Edges of a box are its axes, those of a hull the sides of its triangles: each one twice at most.
static int edge_count(const PlainBody* body) {
    return body->shape == PLAIN_BOX ? 3 : 3 * body->hull.triangle_count;
}

static CnVec3 edge_of(const PlainBody* body, const CnBodyState* at, int edge) {
    if (body->shape == PLAIN_BOX) {
        return axis_of(at, edge);
    }
    const int* triangle = body->hull.triangles[edge / 3];
    int from = triangle[edge % 3], to = triangle[(edge + 1) % 3];
    if (from > to) { // the triangle on the other side has it too
        return cn_vec3(0.0, 0.0, 0.0);
    }
    return cn_quat_rotate(at->rotation,
                          cn_vec3_sub(body->hull.points[to], body->hull.points[from]));
}

static int face_count(const PlainBody* body) {
    return body->shape == PLAIN_BOX ? 3 : body->hull.triangle_count;
}

static CnVec3 face_of(const PlainBody* body, const CnBodyState* at, int face) {
    if (body->shape == PLAIN_BOX) {
        return axis_of(at, face);
    }
    const int* triangle = body->hull.triangles[face];
    const CnVec3* points = body->hull.points;
    CnVec3 normal = cn_vec3_cross(cn_vec3_sub(points[triangle[1]], points[triangle[0]]),
                                  cn_vec3_sub(points[triangle[2]], points[triangle[0]]));
    return cn_quat_rotate(at->rotation, normal);
}

typedef struct HullPair {
    const PlainBody *a, *b;
    const CnBodyState *at_a, *at_b;
    double least; // overlap along the axes so far [m]
} HullPair;

static void try_axis(HullPair* pair, CnVec3 axis) {
    double length = cn_vec3_length(axis);
    if (length < 1e-9) { // parallel edges, or an edge that the other triangle has
        return;
    }
    CnVec3 n = cn_vec3_scale(1.0 / length, axis);
    PlainSpan a = span_along(pair->a, pair->at_a, n), b = span_along(pair->b, pair->at_b, n);
    pair->least = fmin(pair->least, fmin(a.high - b.low, b.high - a.low));
}

static double hull_hull(const PlainBody* a, const CnBodyState* at_a, const PlainBody* b,
                        const CnBodyState* at_b) {
    HullPair pair = {a, b, at_a, at_b, HUGE_VAL};
    for (int i = 0; i < face_count(a); ++i) {
        try_axis(&pair, face_of(a, at_a, i));
    }
    for (int i = 0; i < face_count(b); ++i) {
        try_axis(&pair, face_of(b, at_b, i));
    }
    for (int i = 0; pair.least > 0.0 && i < edge_count(a); ++i) {
        CnVec3 edge = edge_of(a, at_a, i);
        for (int k = 0; cn_vec3_length(edge) > 0.0 && k < edge_count(b); ++k) {
            try_axis(&pair, cn_vec3_cross(edge, edge_of(b, at_b, k)));
        }
    }
    return pair.least;
}

double plain_pair_overlap(const PlainBody* a, const CnBodyState* at_a, const PlainBody* b,
                          const CnBodyState* at_b) {
    if (a->shape == PLAIN_BOX && b->shape == PLAIN_BOX) {
        return box_box(a, at_a, b, at_b);
    }
    if (a->shape == PLAIN_HULL || b->shape == PLAIN_HULL) {
        return has_corners(a) && has_corners(b) ? hull_hull(a, at_a, b, at_b) : 0.0;
    }
    if (a->shape == PLAIN_BOX) {
        return round_box(b, at_b, a, at_a);
    }
    return b->shape == PLAIN_BOX ? round_box(a, at_a, b, at_b) : round_round(a, at_a, b, at_b);
}

// ---- all pairs ----

typedef struct PlainBounds {
    double low[3], high[3];
    int body;
} PlainBounds;

static PlainBounds span_of(const PlainBody* body, const CnBodyState* at, int index) {
    PlainBounds span = {.body = index};
    const double center[3] = {at->center.x, at->center.y, at->center.z};
    CnVec3 axes[3] = {axis_of(at, 0), axis_of(at, 1), axis_of(at, 2)};
    for (int i = 0; i < 3; ++i) {
        CnVec3 unit = cn_vec3(i == 0, i == 1, i == 2);
        double along =
            body->shape == PLAIN_CAPSULE ? body->half[2] * fabs(cn_vec3_dot(axes[2], unit)) : 0.0;
        double reach =
            body->shape == PLAIN_BOX ? reach_along(body, axes, unit) : body->half[0] + along;
        span.low[i] = center[i] - reach;
        span.high[i] = center[i] + reach;
    }
    return span;
}

static int compare_spans(const void* a, const void* b) {
    double x = ((const PlainBounds*)a)->low[0], y = ((const PlainBounds*)b)->low[0];
    return (x > y) - (x < y);
}

static bool are_joined(const PlainScene* scene, int a, int b) {
    for (int i = 0; i < scene->joint_count; ++i) {
        const PlainJoint* joint = &scene->joints[i];
        if ((joint->body_a == a && joint->body_b == b) ||
            (joint->body_a == b && joint->body_b == a)) {
            return true;
        }
    }
    return false;
}

static bool meet(const PlainBounds* a, const PlainBounds* b) {
    return a->low[1] <= b->high[1] && b->low[1] <= a->high[1] && a->low[2] <= b->high[2] &&
           b->low[2] <= a->high[2];
}

bool plain_overlaps_add(PlainOverlaps* overlaps, double depth) {
    if (overlaps->count == overlaps->capacity) {
        int wanted = 2 * overlaps->capacity + 1024;
        double* more = realloc(overlaps->depths, (size_t)wanted * sizeof *more);
        if (more == NULL) {
            return false;
        }
        overlaps->depths = more;
        overlaps->capacity = wanted;
    }
    overlaps->depths[overlaps->count++] = depth;
    overlaps->deepest = fmax(overlaps->deepest, depth);
    return true;
}

static const CnBodyState* place_of(const PlainScene* scene, const CnBodyState* states, int body) {
    return scene->bodies[body].mass == 0.0 ? &scene->start[body] : &states[body];
}

static bool add_pair(const PlainScene* scene, const CnBodyState* states, int i, int k,
                     PlainOverlaps* overlaps) {
    const PlainBody *a = &scene->bodies[i], *b = &scene->bodies[k];
    if ((a->mass == 0.0 && b->mass == 0.0) || (a->group < 0 && a->group == b->group)) {
        return true;
    }
    double depth = plain_pair_overlap(a, place_of(scene, states, i), b, place_of(scene, states, k));
    return depth <= 0.0 || are_joined(scene, i, k) || plain_overlaps_add(overlaps, depth);
}

bool plain_scene_overlaps(const PlainScene* scene, const CnBodyState* states,
                          PlainOverlaps* overlaps) {
    int count = scene->body_count;
    PlainBounds* spans = calloc((size_t)count + 1, sizeof *spans);
    bool ok = spans != NULL;
    overlaps->deepest = 0.0;
    for (int i = 0; ok && i < count; ++i) {
        spans[i] = span_of(&scene->bodies[i], place_of(scene, states, i), i);
    }
    if (ok) {
        qsort(spans, (size_t)count, sizeof *spans, compare_spans);
    }
    for (int i = 0; ok && i < count; ++i) {
        for (int k = i + 1; ok && k < count && spans[k].low[0] <= spans[i].high[0]; ++k) {
            ok = !meet(&spans[i], &spans[k]) ||
                 add_pair(scene, states, spans[i].body, spans[k].body, overlaps);
        }
    }
    free(spans);
    return ok;
}

static int compare_doubles(const void* a, const void* b) {
    double x = *(const double*)a, y = *(const double*)b;
    return (x > y) - (x < y);
}

double plain_overlaps_share(PlainOverlaps* overlaps, double share) {
    if (overlaps->count == 0) {
        return 0.0;
    }
    qsort(overlaps->depths, (size_t)overlaps->count, sizeof(double), compare_doubles);
    int rank = (int)ceil(share * overlaps->count);
    return overlaps->depths[rank > 0 ? rank - 1 : 0];
}

void plain_overlaps_free(PlainOverlaps* overlaps) {
    free(overlaps->depths);
    *overlaps = (PlainOverlaps){0};
}

// ---- joints and motion ----

static CnVec3 point_now(const CnBodyState* states, int body, CnVec3 point) {
    return body < 0
               ? point
               : cn_vec3_add(states[body].center, cn_quat_rotate(states[body].rotation, point));
}

double plain_scene_joint_error(const PlainScene* scene, const CnBodyState* states) {
    double worst = 0.0;
    for (int i = 0; i < scene->joint_count; ++i) {
        const PlainJoint* joint = &scene->joints[i];
        CnVec3 a = point_now(states, joint->body_a, joint->point_a);
        CnVec3 b = point_now(states, joint->body_b, joint->point_b);
        worst = fmax(worst, cn_vec3_length(cn_vec3_sub(b, a)));
    }
    return worst;
}

double plain_scene_kinetic_energy(const PlainScene* scene, const CnBodyState* states) {
    double sum = 0.0;
    for (int i = 0; i < scene->body_count; ++i) {
        const PlainBody* body = &scene->bodies[i];
        const CnBodyState* at = &states[i];
        if (body->mass > 0.0) {
            CnVec3 w = cn_quat_unrotate(at->rotation, at->angular_velocity);
            sum += 0.5 * body->mass * cn_vec3_dot(at->velocity, at->velocity);
            sum += 0.5 * (body->inertia[0] * w.x * w.x + body->inertia[1] * w.y * w.y +
                          body->inertia[2] * w.z * w.z);
        }
    }
    return sum;
}
