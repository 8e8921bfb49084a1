// fuzz_distance.c - any bytes as two placed shapes: their distance keeps every promise.
#include "fuzz.h"

#include "collision/collide.h"
#include "collision/convex/distance.h"
#include "reader.h"
#include "support/shapes/known_pairs.h"
#include <math.h>

#define MAX_POINTS 16

// What a distance may be off by, relative to the sizes: docs/theory/collision/gjk.md. The second
// where ways out of something round are almost equal.
#define TOLERANCE 1e-9
#define ROUND_TOLERANCE 1e-6

static const CnShapeType types[] = {CN_SHAPE_SPHERE,   CN_SHAPE_BOX,    CN_SHAPE_CAPSULE,
                                    CN_SHAPE_CYLINDER, CN_SHAPE_CONVEX, CN_SHAPE_PLANE};

// From a millimetre to a kilometre, in steps of a tenth of an octave; many are equal.
static double read_size(Reader* reader) {
    return exp2((double)(reader_byte(reader) % 201) / 10.0 - 10.0);
}

static CnVec3 read_vector(Reader* reader, double (*read)(Reader*)) {
    CnVec3 v;
    v.x = read(reader);
    v.y = read(reader);
    v.z = read(reader);
    return v;
}

static bool read_shape(Reader* reader, CnShape* shape) {
    CnShapeDef def = cn_shape_def_default(types[reader_byte(reader) % 6]);
    CnVec3 points[MAX_POINTS];
    def.radius = read_size(reader);
    def.length = 2.0 * read_size(reader);
    def.size = cn_vec3(def.radius, def.length, read_size(reader));
    if (def.type == CN_SHAPE_CONVEX) {
        def.point_count = 4 + reader_byte(reader) % (MAX_POINTS - 3);
        for (int i = 0; i < def.point_count; ++i) {
            points[i] = cn_vec3_scale(def.radius / 64.0, read_vector(reader, reader_small));
        }
        def.points = points;
    }
    return cn_shape_make(&def, NULL, shape, NULL) == CN_OK;
}

// A place on a grid of a 64th of the unit, and an attitude of small whole numbers: right angles and
// equal coordinates are common. One byte in eight asks for a place far out.
static CnTransform read_pose(Reader* reader, double unit) {
    uint8_t kind = reader_byte(reader);
    CnTransform pose = {read_vector(reader, kind % 2 ? reader_small : reader_medium),
                        cn_quat_identity()};
    pose.position = cn_vec3_scale(unit / 64.0, pose.position);
    if (kind % 8 == 7) {
        pose.position = cn_vec3_scale(exp2(reader_small(reader) / 8.0), pose.position);
    }
    double w = reader_small(reader);
    CnVec3 v = read_vector(reader, reader_small);
    if (w != 0.0 || cn_vec3_dot(v, v) > 0.0) {
        pose.rotation = cn_quat_normalize(cn_quat(w, v.x, v.y, v.z));
    }
    return pose;
}

static void check_nearest(CnPlacedShape a, CnPlacedShape b, double allowed) {
    CnNearest nearest = cn_nearest(a, b), swapped = cn_nearest(b, a);
    CnVec3 across = cn_vec3_sub(nearest.point_b, nearest.point_a);
    PROMISE(isfinite(nearest.distance));
    PROMISE(cn_vec3_is_finite(nearest.point_a) && cn_vec3_is_finite(nearest.point_b));
    PROMISE(fabs(cn_vec3_length(nearest.normal) - 1.0) <= 1e-12);
    PROMISE(fabs(nearest.distance - swapped.distance) <= allowed);
    PROMISE(fabs(cn_vec3_length(across) - fabs(nearest.distance)) <= allowed);
    if (a.shape->type != CN_SHAPE_PLANE && b.shape->type != CN_SHAPE_PLANE) {
        PROMISE(fabs(known_separation(a, b, nearest.normal) - nearest.distance) <= allowed);
    }
}

static void check_contacts(CnPlacedShape a, CnPlacedShape b, double size) {
    CnManifoldPoint points[CN_MANIFOLD_POINTS];
    int count = cn_collide(a, b, size, points);
    PROMISE(count >= 0 && count <= CN_MANIFOLD_POINTS);
    for (int i = 0; i < count; ++i) {
        PROMISE(cn_vec3_is_finite(points[i].point) && points[i].gap <= size);
        PROMISE(fabs(cn_vec3_length(points[i].normal) - 1.0) <= 1e-12);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    Reader reader = {data, size, 0};
    CnShape shapes[2] = {{0}};
    bool made = read_shape(&reader, &shapes[0]) && read_shape(&reader, &shapes[1]);
    double unit = read_size(&reader);
    CnPlacedShape a = {&shapes[0], read_pose(&reader, unit)};
    CnPlacedShape b = {&shapes[1], read_pose(&reader, unit)};
    if (made && !(shapes[0].type == CN_SHAPE_PLANE && shapes[1].type == CN_SHAPE_PLANE)) {
        double far = cn_vec3_length(a.pose.position) + cn_vec3_length(b.pose.position);
        double extent = shapes[0].extent + shapes[1].extent + far;
        bool round = shapes[0].type == CN_SHAPE_CYLINDER || shapes[1].type == CN_SHAPE_CYLINDER;
        check_nearest(a, b, (round ? ROUND_TOLERANCE : TOLERANCE) * extent);
        check_contacts(a, b, extent);
    }
    cn_shape_free(&shapes[0], NULL);
    cn_shape_free(&shapes[1], NULL);
    return 0;
}
