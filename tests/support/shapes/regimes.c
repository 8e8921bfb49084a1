// regimes.c - difficult pairs of shapes for a narrow phase, by regime.
#include "support/shapes/regimes.h"

#include <stdlib.h>

const char* const regime_names[REGIME_COUNT] = {"random", "touching", "nested", "degenerate",
                                                "tiny",   "huge",     "mixed",  "far"};

const CnShapeType regime_kinds[REGIME_KINDS][2] = {
    {CN_SHAPE_SPHERE, CN_SHAPE_SPHERE},     {CN_SHAPE_SPHERE, CN_SHAPE_BOX},
    {CN_SHAPE_SPHERE, CN_SHAPE_CAPSULE},    {CN_SHAPE_SPHERE, CN_SHAPE_CYLINDER},
    {CN_SHAPE_SPHERE, CN_SHAPE_CONVEX},     {CN_SHAPE_BOX, CN_SHAPE_BOX},
    {CN_SHAPE_BOX, CN_SHAPE_CAPSULE},       {CN_SHAPE_BOX, CN_SHAPE_CYLINDER},
    {CN_SHAPE_BOX, CN_SHAPE_CONVEX},        {CN_SHAPE_CAPSULE, CN_SHAPE_CAPSULE},
    {CN_SHAPE_CAPSULE, CN_SHAPE_CYLINDER},  {CN_SHAPE_CAPSULE, CN_SHAPE_CONVEX},
    {CN_SHAPE_CYLINDER, CN_SHAPE_CYLINDER}, {CN_SHAPE_CYLINDER, CN_SHAPE_CONVEX},
    {CN_SHAPE_CONVEX, CN_SHAPE_CONVEX},     {CN_SHAPE_PLANE, CN_SHAPE_SPHERE},
    {CN_SHAPE_PLANE, CN_SHAPE_BOX},         {CN_SHAPE_PLANE, CN_SHAPE_CAPSULE},
    {CN_SHAPE_PLANE, CN_SHAPE_CYLINDER},    {CN_SHAPE_PLANE, CN_SHAPE_CONVEX},
};

const char* regime_shape_name(CnShapeType type) {
    static const char* const names[CN_SHAPE_TYPE_COUNT] = {
        [CN_SHAPE_SPHERE] = "sphere",     [CN_SHAPE_PLANE] = "plane",
        [CN_SHAPE_BOX] = "box",           [CN_SHAPE_CAPSULE] = "capsule",
        [CN_SHAPE_CYLINDER] = "cylinder", [CN_SHAPE_CONVEX] = "convex",
    };
    return names[type];
}

#define HULLS 7
static CnHull hulls[HULLS];

static const CnVec3 prism[6] = {{1, 0, -1}, {-0.5, 0.75, -1}, {-0.5, -0.75, -1},
                                {1, 0, 1},  {-0.5, 0.75, 1},  {-0.5, -0.75, 1}};
static const CnVec3 octahedron[6] = {{1, 0, 0},  {-1, 0, 0}, {0, 1, 0},
                                     {0, -1, 0}, {0, 0, 1},  {0, 0, -1}};
static const CnVec3 wedge[6] = {{-1, -1, 0}, {1, -1, 0}, {-1, 1, 0},
                                {1, 1, 0},   {-1, 0, 1}, {1, 0, 1}};

static void build(const CnVec3* points, int count, CnHull* out) {
    CnHull* hull = NULL;
    if (cn_hull_build(points, count, NULL, &hull, NULL) != CN_OK) {
        abort();
    }
    *out = *hull;
}

void regime_start(void) {
    CnRandom random = {77};
    CnVec3 points[16];
    for (int i = 0; i < 4; ++i) {
        for (int k = 0; k < 4 * (i + 1); ++k) {
            points[k] = known_direction(&random);
        }
        build(points, 4 * (i + 1), &hulls[i]);
    }
    build(prism, 6, &hulls[4]);
    build(octahedron, 6, &hulls[5]);
    build(wedge, 6, &hulls[6]);
}

// A copy of the hull, stretched along each axis.
static void scale_hull(CnShape* shape, CnVec3 by) {
    const CnHull* hull = shape->hull;
    CnVec3 points[32];
    CnShapeDef def = cn_shape_def_default(CN_SHAPE_CONVEX);
    CnShape scaled;
    for (int i = 0; i < hull->vertex_count; ++i) {
        CnVec3 v = hull->vertices[i];
        points[i] = cn_vec3(by.x * v.x, by.y * v.y, by.z * v.z);
    }
    def.points = points;
    def.point_count = hull->vertex_count;
    if (cn_shape_make(&def, NULL, &scaled, NULL) != CN_OK) {
        abort(); // sizes 1e6 apart still have a volume
    }
    shape->geometry = scaled.geometry;
    shape->hull = scaled.hull;
    shape->extent = scaled.extent;
}

static double pick(CnRandom* random, const double* values, int count) {
    return values[(int)cn_random_between(random, 0.0, (double)count)];
}

CnQuat regime_right_angles(CnRandom* random) {
    static const double parts[] = {-1.0, 0.0, 1.0};
    double q[4], square = 0.0;
    int used;
    do {
        used = 0;
        square = 0.0;
        for (int i = 0; i < 4; ++i) {
            q[i] = pick(random, parts, 3);
            used += q[i] != 0.0;
            square += q[i] * q[i];
        }
    } while (used == 0 || used == 3);
    double s = 1.0 / sqrt(square);
    return cn_quat(s * q[0], s * q[1], s * q[2], s * q[3]);
}

static void make_degenerate(CnRandom* random, KnownPair* pair) {
    static const double sizes[] = {0.5, 1.0, 2.0};
    static const double places[] = {-2.0, -1.0, -0.5, 0.0, 0.0, 0.5, 1.0, 2.0};
    for (int i = 0; i < 2; ++i) {
        CnShape* shape = &pair->shapes[i];
        if (shape->type == CN_SHAPE_BOX) {
            shape->half_size.x = pick(random, sizes, 3);
            shape->half_size.y = pick(random, sizes, 3);
            shape->half_size.z = pick(random, sizes, 3);
            shape->extent = cn_vec3_length(shape->half_size);
        } else if (shape->type != CN_SHAPE_CONVEX && shape->type != CN_SHAPE_PLANE) {
            shape->radius = pick(random, sizes, 3);
            shape->half_length = shape->type == CN_SHAPE_SPHERE ? 0.0 : pick(random, sizes, 3);
            shape->extent = shape->radius + shape->half_length;
        }
        if (shape->type == CN_SHAPE_PLANE) {
            shape->normal = cn_vec3(0.0, 0.0, 1.0);
        }
    }
    CnVec3 offset;
    offset.x = pick(random, places, 8);
    offset.y = pick(random, places, 8);
    offset.z = pick(random, places, 8);
    CnQuat common = known_rotation(random);
    bool turned = cn_random_between(random, 0.0, 1.0) < 0.5; // parallel only to round-off
    CnQuat qa = regime_right_angles(random), qb = regime_right_angles(random);
    pair->a.pose.position = cn_vec3(0.0, 0.0, 0.0);
    pair->b.pose.position = turned ? cn_quat_rotate(common, offset) : offset;
    pair->a.pose.rotation = turned ? cn_quat_multiply(common, qa) : qa;
    pair->b.pose.rotation = turned ? cn_quat_multiply(common, qb) : qb;
}

static void place_near(CnRandom* random, double least, double most, KnownPair* pair) {
    double size = pair->shapes[0].extent + pair->shapes[1].extent;
    double apart = cn_random_between(random, least, most) * size;
    pair->b.pose.position =
        cn_vec3_add_scaled(pair->a.pose.position, apart, known_direction(random));
}

static const double size_ranges[REGIME_COUNT][2] = {
    [REGIME_RANDOM] = {0.1, 10.0}, [REGIME_TOUCHING] = {0.1, 10.0},
    [REGIME_NESTED] = {0.1, 10.0}, [REGIME_DEGENERATE] = {0.5, 2.0},
    [REGIME_TINY] = {1e-3, 1e-2},  [REGIME_HUGE] = {1e2, 1e3},
    [REGIME_MIXED] = {1e-3, 1e3},  [REGIME_FAR] = {0.1, 10.0},
};

void regime_pair(Regime regime, int kind, CnRandom* random, KnownPair* pair) {
    double smallest = size_ranges[regime][0], largest = size_ranges[regime][1];
    KnownPairDef def = {regime_kinds[kind][0],
                        regime_kinds[kind][1],
                        smallest,
                        largest,
                        regime == REGIME_FAR ? 1e6 : 0.0,
                        hulls,
                        HULLS};
    bool known = cn_random_between(random, 0.0, 1.0) < 0.5;
    known_pair(&def, random, pair);
    for (int i = 0; i < 2; ++i) {
        if (pair->shapes[i].type == CN_SHAPE_CONVEX) {
            CnShape size = known_shape(CN_SHAPE_BOX, &def, random);
            scale_hull(&pair->shapes[i], size.half_size);
            known = false; // the scaled hull is not where it was put
        }
    }
    if (regime == REGIME_DEGENERATE) {
        make_degenerate(random, pair);
    } else if (regime == REGIME_NESTED) {
        place_near(random, 0.0, 0.2, pair);
    } else if (regime == REGIME_RANDOM || !(known || regime == REGIME_TOUCHING)) {
        place_near(random, 0.0, 1.5, pair);
    }
}

void regime_release(KnownPair* pair) {
    for (int i = 0; i < 2; ++i) {
        cn_shape_free(&pair->shapes[i], NULL);
    }
}

double regime_size(const KnownPair* pair) {
    CnVec3 across = cn_vec3_sub(pair->b.pose.position, pair->a.pose.position);
    return pair->shapes[0].extent + pair->shapes[1].extent + cn_vec3_length(across);
}
