// piles.c - many bodies that fall into a heap.
#include "sketch.h"

// ---- a container of mixed bodies ----

// Layers of 8 x 8 balls, boxes and upright capsules in turn.
void cn_sketch_pile(CnSketch* sketch, CnMaterialId stuff, int layers) {
    enum { SIDE = 8 };
    const double spacing = 1.5, layer = 1.3, jitter = 0.1; // [m]
    const CnShapeDef kinds[3] = {cn_sphere_def(0.5), cn_box_def(cn_vec3(0.9, 0.9, 0.9)),
                                 cn_capsule_def(0.3, 0.8)};
    static const char* const names[3] = {"ball", "box", "capsule"};
    uint32_t random = 12345;
    for (int n = 0; n < layers * SIDE * SIDE; ++n) {
        int k = n / (SIDE * SIDE), i = n / SIDE % SIDE, j = n % SIDE, kind = (i + j + k) % 3;
        double x = (i - 3.5) * spacing + cn_sketch_xorshift(&random, -jitter, jitter);
        double y = (j - 3.5) * spacing + cn_sketch_xorshift(&random, -jitter, jitter);
        CnSketchBody body = {.what = names[kind],
                             .material = stuff,
                             .shape = kinds[kind],
                             .pose = cn_at(cn_vec3(x, y, 1.0 + layer * k))};
        cn_sketch_body(sketch, &body);
    }
}

void cn_builtin_pile(CnSketch* sketch, int size) {
    CnMaterialId stuff = cn_sketch_material(sketch, "stuff", 0.5, 0.0, 1.0);
    cn_sketch_container(sketch, stuff, 6.5);
    cn_sketch_pile(sketch, stuff, size);
    cn_sketch_time(sketch, CN_FRAME, 400 * CN_FRAME);
}

// ---- on open ground ----

#define HULL_POINTS 16

// Points on an ellipsoid with half axes between 0.25 and 0.5 m.
static CnShapeDef random_hull(CnRandom* random, CnVec3 points[HULL_POINTS]) {
    CnShapeDef def = cn_shape_def_default(CN_SHAPE_CONVEX);
    double a = cn_random_between(random, 0.25, 0.5), b = cn_random_between(random, 0.25, 0.5);
    double c = cn_random_between(random, 0.25, 0.5);
    for (int i = 0; i < HULL_POINTS; ++i) {
        CnVec3 unit = cn_quat_rotate(cn_random_rotation(random), cn_vec3(0.0, 0.0, 1.0));
        points[i] = cn_vec3(a * unit.x, b * unit.y, c * unit.z);
    }
    def.points = points;
    def.point_count = HULL_POINTS;
    return def;
}

// In layers of at most side x side, each turned at random; all fit into a ball of 0.55 m.
static CnTransform loose_place(CnRandom* random, int index, int side, double layer) {
    const double spacing = 1.2, height = 0.6, jitter = 0.05; // [m]
    int x = index % side, y = index / side % side, z = index / (side * side);
    CnVec3 position = cn_vec3((x - 0.5 * (side - 1)) * spacing, (y - 0.5 * (side - 1)) * spacing,
                              height + z * layer);
    position.x += cn_random_between(random, -jitter, jitter);
    position.y += cn_random_between(random, -jitter, jitter);
    return (CnTransform){position, cn_random_rotation(random)};
}

void cn_builtin_hulls(CnSketch* sketch, int size) {
    CnRandom random = {2};
    int side = cn_cube_side(size);
    CnMaterialId material = cn_sketch_material(sketch, "rock", 0.6, 0.0, 2500.0);
    cn_sketch_floor(sketch, material, cn_quat_identity());
    for (int i = 0; i < size; ++i) {
        CnVec3 points[HULL_POINTS];
        CnTransform pose = loose_place(&random, i, side, 1.2);
        CnSketchBody rock = {.what = "rock",
                             .material = material,
                             .shape = random_hull(&random, points),
                             .pose = pose};
        cn_sketch_body(sketch, &rock);
    }
    cn_sketch_time(sketch, 0.0, 2.0);
}

// All types in turn, in layers of 16 so far apart that they come down one after the other.
void cn_builtin_rain(CnSketch* sketch, int size) {
    enum { KINDS = 5 };
    static const char* const names[KINDS] = {"ball", "box", "capsule", "drum", "rock"};
    CnRandom random = {3};
    CnMaterialId stuff = cn_sketch_material(sketch, "stuff", 0.5, 0.2, 1000.0);
    cn_sketch_floor(sketch, stuff, cn_quat_identity());
    for (int i = 0; i < size; ++i) {
        CnVec3 points[HULL_POINTS];
        CnTransform pose = loose_place(&random, i, 4, 2.0);
        const CnShapeDef shapes[KINDS] = {cn_sphere_def(0.4), cn_box_def(cn_vec3(0.7, 0.5, 0.4)),
                                          cn_capsule_def(0.2, 0.6), cn_cylinder_def(0.35, 0.5),
                                          random_hull(&random, points)};
        CnSketchBody body = {
            .what = names[i % KINDS], .material = stuff, .shape = shapes[i % KINDS], .pose = pose};
        cn_sketch_body(sketch, &body);
    }
    cn_sketch_time(sketch, 0.0, 3.0);
}
