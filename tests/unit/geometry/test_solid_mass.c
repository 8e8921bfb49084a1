// test_solid_mass.c - solids against counting, against each other and seen from other axes.
#include "cairn/random.h"
#include "cairn/world.h"
#include "geometry/mass_properties.h"
#include "support/shapes/solids.h"
#include "support/test.h"

#define DENSITY 800.0 // [kg/m^3]
#define QUANTITIES 10 // mass, first moments, inertia

static CnMassProperties mass_of(const CnShape* shape) {
    CnMassProperties mass = {0};
    CHECK(cn_shape_mass_properties(shape, DENSITY, &mass));
    return mass;
}

static void list(const CnMassProperties* mass, double out[QUANTITIES]) {
    out[0] = mass->mass;
    out[1] = mass->mass * mass->center.x;
    out[2] = mass->mass * mass->center.y;
    out[3] = mass->mass * mass->center.z;
    memcpy(&out[4], mass->inertia, sizeof mass->inertia);
}

static double trace(const CnMassProperties* mass) {
    return mass->inertia[0] + mass->inertia[1] + mass->inertia[2];
}

// Every entry of the tensor is at most its trace, so that is what differences are measured by.
static void check_equal(const CnMassProperties* a, const CnMassProperties* b, double relative) {
    CHECK_NEAR(a->mass, b->mass, relative * b->mass);
    CHECK_NEAR(cn_vec3_length(cn_vec3_sub(a->center, b->center)), 0.0, relative);
    for (int i = 0; i < 6; ++i) {
        CHECK_NEAR(a->inertia[i], b->inertia[i], relative * trace(b));
    }
}

static CnVec3 random_point(CnRandom* random, double half) {
    double x = cn_random_between(random, -half, half), y = cn_random_between(random, -half, half);
    return cn_vec3(x, y, cn_random_between(random, -half, half));
}

// Uniform points in the cube that holds the shape: the mean of N samples g_k misses its integral by
// a standard deviation of V sqrt((mean(g^2) - mean(g)^2) / N), which the samples themselves give.
static void compare_with_counting(const CnShape* solid) {
    enum { SAMPLES = 200000 };
    CnMassProperties mass = mass_of(solid);
    double half = solid->extent, volume = 8.0 * half * half * half;
    double sum[QUANTITIES] = {0.0}, square[QUANTITIES] = {0.0}, expected[QUANTITIES];
    CnRandom random = {31};
    for (int k = 0; k < SAMPLES; ++k) {
        CnVec3 own = random_point(&random, half);
        if (!solid_contains(solid, own, 0.0)) {
            continue;
        }
        CnVec3 p = cn_transform_point(solid->local, own), d = cn_vec3_sub(p, mass.center);
        const double g[QUANTITIES] = {1.0,
                                      p.x,
                                      p.y,
                                      p.z,
                                      d.y * d.y + d.z * d.z,
                                      d.x * d.x + d.z * d.z,
                                      d.x * d.x + d.y * d.y,
                                      -d.x * d.y,
                                      -d.x * d.z,
                                      -d.y * d.z};
        for (int i = 0; i < QUANTITIES; ++i) {
            sum[i] += DENSITY * g[i];
            square[i] += DENSITY * g[i] * DENSITY * g[i];
        }
    }
    list(&mass, expected);
    for (int i = 0; i < QUANTITIES; ++i) {
        double mean = sum[i] / SAMPLES;
        double deviation = sqrt((square[i] / SAMPLES - mean * mean) / SAMPLES);
        CHECK_NEAR(volume * mean, expected[i], 5.0 * volume * deviation);
    }
}

static void every_solid_agrees_with_random_counting(void) {
    for (int i = 0; i < SOLID_COUNT; ++i) {
        CnShape solid = solid_make(solid_types[i]);
        compare_with_counting(&solid);
        solid_release(&solid);
    }
}

static void a_box_has_mass_abc_and_inertia_m_over_12_of_squared_edges(void) {
    // 2 x 3 x 4 m at 800 kg/m^3: 19200 kg, I = 1600 (9 + 16, 4 + 16, 4 + 9), exact but for the
    // division by three.
    CnShape box = {
        .type = CN_SHAPE_BOX, .local.rotation = {1.0, 0.0, 0.0, 0.0}, .half_size = {1.0, 1.5, 2.0}};
    CnMassProperties mass = mass_of(&box);
    CHECK_NEAR(mass.mass, 19200.0, 0.0);
    CHECK_NEAR(mass.inertia[0], 40000.0, 1e-11);
    CHECK_NEAR(mass.inertia[1], 32000.0, 1e-11);
    CHECK_NEAR(mass.inertia[2], 20800.0, 1e-11);
    CHECK(mass.inertia[3] == 0.0 && mass.inertia[4] == 0.0 && mass.inertia[5] == 0.0);
}

static void two_half_boxes_make_a_box(void) {
    CnShape box = solid_make(CN_SHAPE_BOX), half = box;
    CnMassProperties whole = mass_of(&box), sum = {0};
    half.half_size.x *= 0.5;
    for (int side = -1; side <= 1; side += 2) {
        CnVec3 middle = cn_vec3(side * half.half_size.x, 0.0, 0.0);
        half.local.position = cn_transform_point(box.local, middle);
        CnMassProperties part = mass_of(&half);
        cn_mass_properties_add(&sum, &part);
    }
    check_equal(&sum, &whole, 2e-15); // round-off of about ten operations
    solid_release(&box);
}

static void a_box_is_the_hull_of_its_corners(void) {
    CnShape box = solid_make(CN_SHAPE_BOX);
    CnShapeDef def = cn_shape_def_default(CN_SHAPE_CONVEX);
    CnVec3 corners[8], h = box.half_size;
    for (int i = 0; i < 8; ++i) {
        corners[i] = cn_vec3(i & 1 ? h.x : -h.x, i & 2 ? h.y : -h.y, i & 4 ? h.z : -h.z);
    }
    def.position = box.local.position;
    def.rotation = box.local.rotation;
    def.points = corners;
    def.point_count = 8;
    CnAllocator heap = {0};
    CnShape hull;
    CHECK_INT(cn_shape_make(&def, &heap, &hull, NULL), CN_OK);
    CnMassProperties expected = mass_of(&box), mass = mass_of(&hull);
    check_equal(&mass, &expected, 1e-14); // a sum over twelve tetrahedra
    cn_shape_free(&hull, &heap);
    solid_release(&box);
}

static void a_fine_prism_comes_near_the_cylinder_around_it(void) {
    // A regular prism of n sides has sin(t)/t of the volume, with t = 2 pi / n, and
    // sin(t)/t (2 + cos t)/3 of the polar moment: short by t^2/6 and t^2/3 at most.
    enum { SIDES = 64 };
    CnShape cylinder = solid_make(CN_SHAPE_CYLINDER);
    CnShapeDef def = cn_shape_def_default(CN_SHAPE_CONVEX);
    CnVec3 corners[2 * SIDES];
    double t = 2.0 * CN_PI / SIDES;
    for (int i = 0; i < 2 * SIDES; ++i) {
        corners[i] = cn_vec3(cylinder.radius * cn_cos(t * i), cylinder.radius * cn_sin(t * i),
                             i < SIDES ? -cylinder.half_length : cylinder.half_length);
    }
    def.points = corners;
    def.point_count = 2 * SIDES;
    cylinder.local = (CnTransform){cn_vec3(0.0, 0.0, 0.0), cn_quat_identity()};
    CnAllocator heap = {0};
    CnShape prism;
    CHECK_INT(cn_shape_make(&def, &heap, &prism, NULL), CN_OK);
    CnMassProperties expected = mass_of(&cylinder), mass = mass_of(&prism);
    CHECK_NEAR(mass.mass / expected.mass, cn_sin(t) / t, 1e-14);
    CHECK_NEAR(mass.inertia[2] / expected.inertia[2], cn_sin(t) / t * (2.0 + cn_cos(t)) / 3.0,
               1e-14);
    for (int i = 0; i < 3; ++i) {
        double share = mass.inertia[i] / expected.inertia[i];
        CHECK(share < 1.0 && share > 1.0 - t * t / 3.0);
    }
    cn_shape_free(&prism, &heap);
}

static void a_capsule_is_a_pile_of_thin_discs(void) {
    // The midpoint rule over discs of thickness d, exact in the straight part: the caps' integrands
    // are polynomials in z/r up to the fourth degree, so its error is a small multiple of (d/r)^2
    // of them; 400 discs in each cap.
    enum { DISCS = 400 };
    CnShape capsule = solid_make(CN_SHAPE_CAPSULE);
    double r = capsule.radius, h = capsule.half_length, d = r / DISCS;
    CnShape disc = {
        .type = CN_SHAPE_CYLINDER, .local = capsule.local, .radius = r, .half_length = h};
    CnMassProperties sum = mass_of(&disc), whole = mass_of(&capsule);
    disc.half_length = 0.5 * d;
    for (int i = 0; i < 2 * DISCS; ++i) {
        double z = (i % DISCS + 0.5) * d; // above the end of the segment
        disc.radius = sqrt(r * r - z * z);
        disc.local.position =
            cn_transform_point(capsule.local, cn_vec3(0.0, 0.0, i < DISCS ? h + z : -(h + z)));
        CnMassProperties part = mass_of(&disc);
        cn_mass_properties_add(&sum, &part);
    }
    check_equal(&sum, &whole, d / r * (d / r));
    solid_release(&capsule);
}

static void turning_a_solid_turns_its_mass_along(void) {
    CnTransform by = {{-0.4, 0.1, 0.7}, cn_quat_from_axis_angle(cn_vec3(2.0, -1.0, 0.5), 1.9)};
    CnMat3 turn = cn_mat3_from_quat(by.rotation);
    for (int i = 0; i < SOLID_COUNT; ++i) {
        CnShape solid = solid_make(solid_types[i]), moved = solid;
        moved.local.position = cn_transform_point(by, solid.local.position);
        moved.local.rotation = cn_quat_multiply(by.rotation, solid.local.rotation);
        CnMassProperties expected = mass_of(&solid), mass = mass_of(&moved);
        CnMat3 tensor = cn_mat3_from_symmetric(expected.inertia);
        tensor = cn_mat3_rotate_tensor(&turn, &tensor);
        expected.center = cn_transform_point(by, expected.center);
        const double seen[6] = {tensor.m[0][0], tensor.m[1][1], tensor.m[2][2],
                                tensor.m[0][1], tensor.m[0][2], tensor.m[1][2]};
        memcpy(expected.inertia, seen, sizeof seen);
        check_equal(&mass, &expected, 4e-15); // round-off of two rotations
        solid_release(&solid);
    }
}

TEST_MAIN("unit/geometry/solid_mass", TEST(every_solid_agrees_with_random_counting),
          TEST(a_box_has_mass_abc_and_inertia_m_over_12_of_squared_edges),
          TEST(two_half_boxes_make_a_box), TEST(a_box_is_the_hull_of_its_corners),
          TEST(a_fine_prism_comes_near_the_cylinder_around_it),
          TEST(a_capsule_is_a_pile_of_thin_discs), TEST(turning_a_solid_turns_its_mass_along))
