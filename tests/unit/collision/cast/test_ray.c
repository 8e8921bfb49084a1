// test_ray.c - rays against every shape: closed forms, an oracle by bisection, the edge cases.
#include "collision/cast/ray.h"

#include "cairn/random.h"
#include "support/shapes/random_poses.h"
#include "support/test.h"

#define RAYS (UNDER_SANITIZER ? 10000 : 100000) // per shape

// A tenth of the digits of a double are left to the oracle's own errors: it bisects a function that
// is exact to a few 1e-16 m, over rays of some 10 m that meet the surface at more than 1e-6 rad.
#define TOLERANCE 1e-9

static const CnTransform at_origin = {{0.0, 0.0, 0.0}, {1.0, 0.0, 0.0, 0.0}};

static CnShape sphere(double radius) {
    return (CnShape){.type = CN_SHAPE_SPHERE, .radius = radius, .extent = radius};
}

static CnShape box(double x, double y, double z) {
    return (CnShape){.type = CN_SHAPE_BOX, .half_size = {x, y, z}};
}

static CnShape rod(CnShapeType type, double radius, double half_length) {
    return (CnShape){.type = type, .radius = radius, .half_length = half_length};
}

static CnShape plane(CnVec3 normal) {
    return (CnShape){.type = CN_SHAPE_PLANE, .normal = normal};
}

// The double pyramid |x| / a + |y| / b + |z| / c <= 1, by its eight faces: rays ask for no more.
typedef struct Octahedron {
    CnVec3 reach; // a, b, c [m]
    CnHullFace faces[8];
    CnHull hull;
    CnShape shape;
} Octahedron;

static void make_octahedron(CnVec3 reach, Octahedron* solid) {
    solid->reach = reach;
    for (int i = 0; i < 8; ++i) {
        CnVec3 slopes = cn_vec3(((i & 1) ? 1.0 : -1.0) / reach.x, ((i & 2) ? 1.0 : -1.0) / reach.y,
                                ((i & 4) ? 1.0 : -1.0) / reach.z);
        double offset = 1.0 / cn_vec3_length(slopes);
        solid->faces[i] = (CnHullFace){.normal = cn_vec3_scale(offset, slopes), .offset = offset};
    }
    solid->hull = (CnHull){.face_count = 8, .faces = solid->faces};
    solid->shape = (CnShape){.type = CN_SHAPE_CONVEX, .hull = &solid->hull};
}

static bool cast(const CnShape* shape, CnTransform pose, CnVec3 origin, CnVec3 translation,
                 CnRaySurface* surface) {
    CnRay ray = cn_ray_make(origin, translation);
    return cn_ray_cast((CnPlacedShape){shape, pose}, &ray, surface);
}

static void check_hit(const CnShape* shape, CnVec3 origin, CnVec3 translation, double distance,
                      CnVec3 normal) {
    CnRaySurface surface;
    CHECK(cast(shape, at_origin, origin, translation, &surface));
    CHECK(!surface.inside);
    CHECK_NEAR(surface.distance, distance, 1e-15 * (1.0 + distance)); // a few roundings
    CHECK_NEAR(cn_vec3_length(cn_vec3_sub(surface.normal, normal)), 0.0, 1e-15);
}

static void check_miss(const CnShape* shape, CnVec3 origin, CnVec3 translation) {
    CnRaySurface surface;
    CHECK(!cast(shape, at_origin, origin, translation, &surface));
}

static void a_sphere_is_met_where_pythagoras_says(void) {
    CnShape shape = sphere(5.0);
    CnVec3 normal = cn_vec3(-0.8, 0.0, 0.6); // 3, 4, 5
    check_hit(&shape, cn_vec3(-10.0, 0.0, 3.0), cn_vec3(20.0, 0.0, 0.0), 6.0, normal);
    check_hit(&shape, cn_vec3(-10.0, 0.0, 0.0), cn_vec3(5.0, 0.0, 0.0), 5.0,
              cn_vec3(-1.0, 0.0, 0.0)); // ends on it
    check_miss(&shape, cn_vec3(-10.0, 0.0, 0.0), cn_vec3(4.999, 0.0, 0.0));
    check_miss(&shape, cn_vec3(-10.0, 0.0, 0.0), cn_vec3(-20.0, 0.0, 0.0));
    check_miss(&shape, cn_vec3(-10.0, 0.0, 5.001), cn_vec3(20.0, 0.0, 0.0));
}

static void a_plane_is_met_from_above_only(void) {
    CnShape shape = plane(cn_vec3(0.0, 0.0, 1.0));
    CnVec3 up = cn_vec3(0.0, 0.0, 1.0);
    check_hit(&shape, cn_vec3(7.0, 0.0, 3.0), cn_vec3(4.0, 0.0, -3.0), 5.0, up);
    check_miss(&shape, cn_vec3(7.0, 0.0, 3.0), cn_vec3(4.0, 0.0, 3.0));
    check_miss(&shape, cn_vec3(7.0, 0.0, 3.0), cn_vec3(4.0, 0.0, 0.0));
    check_miss(&shape, cn_vec3(7.0, 0.0, 3.0), cn_vec3(4.0, 0.0, -2.9));
}

static void a_box_is_met_on_the_face_that_is_entered_last(void) {
    CnShape shape = box(1.0, 2.0, 3.0);
    check_hit(&shape, cn_vec3(-5.0, 0.0, 0.0), cn_vec3(9.0, 0.0, 0.0), 4.0,
              cn_vec3(-1.0, 0.0, 0.0));
    check_hit(&shape, cn_vec3(0.5, 1.0, 7.0), cn_vec3(0.0, 0.0, -9.0), 4.0, cn_vec3(0.0, 0.0, 1.0));
    // Down the diagonal of x and y: y = -2 is reached after 4 sqrt(2), x = -1 before.
    check_hit(&shape, cn_vec3(-4.0, -6.0, 0.0), cn_vec3(9.0, 9.0, 0.0), 4.0 * sqrt(2.0),
              cn_vec3(0.0, -1.0, 0.0));
    check_miss(&shape, cn_vec3(-5.0, 2.5, 0.0), cn_vec3(9.0, 0.0, 0.0));
    check_miss(&shape, cn_vec3(-4.0, -8.0, 0.0), cn_vec3(9.0, 9.0, 0.0)); // past the edge
}

static void a_capsule_is_met_on_side_and_caps(void) {
    CnShape shape = rod(CN_SHAPE_CAPSULE, 5.0, 2.0);
    check_hit(&shape, cn_vec3(-10.0, 0.0, 1.0), cn_vec3(20.0, 0.0, 0.0), 5.0,
              cn_vec3(-1.0, 0.0, 0.0));
    check_hit(&shape, cn_vec3(-10.0, 0.0, 5.0), cn_vec3(20.0, 0.0, 0.0), 6.0,
              cn_vec3(-0.8, 0.0, 0.6)); // 3 above the centre of the cap
    check_hit(&shape, cn_vec3(3.0, 0.0, 20.0), cn_vec3(0.0, 0.0, -20.0), 14.0,
              cn_vec3(0.6, 0.0, 0.8)); // along the axis, from the cap's 2 + 4
    check_miss(&shape, cn_vec3(-10.0, 0.0, 7.001), cn_vec3(20.0, 0.0, 0.0));
}

static void a_cylinder_is_met_on_side_and_ends(void) {
    CnShape shape = rod(CN_SHAPE_CYLINDER, 5.0, 2.0);
    check_hit(&shape, cn_vec3(-10.0, 3.0, 1.0), cn_vec3(20.0, 0.0, 0.0), 6.0,
              cn_vec3(-0.8, 0.6, 0.0));
    check_hit(&shape, cn_vec3(3.0, 0.0, 20.0), cn_vec3(0.0, 0.0, -20.0), 18.0,
              cn_vec3(0.0, 0.0, 1.0));
    check_hit(&shape, cn_vec3(-7.0, 0.0, 6.0), cn_vec3(9.0, 0.0, -9.0), 4.0 * sqrt(2.0),
              cn_vec3(0.0, 0.0, 1.0)); // at x = -3 it comes through the end
    check_miss(&shape, cn_vec3(5.001, 0.0, 20.0), cn_vec3(0.0, 0.0, -40.0));
    check_miss(&shape, cn_vec3(-10.0, 0.0, 2.001), cn_vec3(20.0, 0.0, 0.0));
}

static void a_hull_is_met_on_the_face_that_is_entered_last(void) {
    Octahedron solid;
    double third = 1.0 / sqrt(3.0);
    make_octahedron(cn_vec3(3.0, 3.0, 3.0), &solid);
    check_hit(&solid.shape, cn_vec3(1.0, 1.0, 9.0), cn_vec3(0.0, 0.0, -9.0), 8.0,
              cn_vec3(third, third, third));
    check_miss(&solid.shape, cn_vec3(2.0, 1.001, 9.0), cn_vec3(0.0, 0.0, -19.0));
}

// What a shape is, said another way: below zero inside, above zero outside, convex everywhere.
typedef double Measure(const CnShape* shape, const void* data, CnVec3 p);

static double sphere_measure(const CnShape* shape, const void* data, CnVec3 p) {
    (void)data;
    return cn_vec3_length(p) - shape->radius;
}

static double plane_measure(const CnShape* shape, const void* data, CnVec3 p) {
    (void)data;
    return cn_vec3_dot(shape->normal, p);
}

static double box_measure(const CnShape* shape, const void* data, CnVec3 p) {
    (void)data;
    return fmax(fabs(p.x) - shape->half_size.x,
                fmax(fabs(p.y) - shape->half_size.y, fabs(p.z) - shape->half_size.z));
}

static double capsule_measure(const CnShape* shape, const void* data, CnVec3 p) {
    (void)data;
    double over = fmax(0.0, fabs(p.z) - shape->half_length);
    return sqrt(p.x * p.x + p.y * p.y + over * over) - shape->radius;
}

static double cylinder_measure(const CnShape* shape, const void* data, CnVec3 p) {
    (void)data;
    return fmax(sqrt(p.x * p.x + p.y * p.y) - shape->radius, fabs(p.z) - shape->half_length);
}

static double octahedron_measure(const CnShape* shape, const void* data, CnVec3 p) {
    const Octahedron* solid = data;
    (void)shape;
    return fabs(p.x) / solid->reach.x + fabs(p.y) / solid->reach.y + fabs(p.z) / solid->reach.z -
           1.0;
}

typedef struct Oracle {
    const CnShape* shape;
    const void* data;
    Measure* measure;
} Oracle;

static double measure_at(const Oracle* oracle, const CnRay* ray, double t) {
    return oracle->measure(oracle->shape, oracle->data, cn_ray_at(ray, t));
}

// A convex function along a line: thirds find its least value, halves the first zero before it.
// Returns the least value; *first is the zero when that is negative.
static double first_zero(const Oracle* oracle, const CnRay* ray, double* first) {
    double low = 0.0, high = ray->length;
    for (int i = 0; i < 60; ++i) {
        double a = low + (high - low) / 3.0, b = high - (high - low) / 3.0;
        if (measure_at(oracle, ray, a) < measure_at(oracle, ray, b)) {
            high = b;
        } else {
            low = a;
        }
    }
    double least = measure_at(oracle, ray, high);
    for (low = 0.0; high - low > 1e-15 * high;) {
        double middle = 0.5 * (low + high);
        if (middle == low || middle == high) {
            break;
        }
        if (measure_at(oracle, ray, middle) <= 0.0) {
            high = middle;
        } else {
            low = middle;
        }
    }
    *first = high;
    return least;
}

typedef enum Fate { MISS, HIT, START_INSIDE, GRAZE, FATE_COUNT } Fate;

// What became of a ray; *complaint is set when cast and oracle differ. Not a CHECK per ray: each
// costs a call to the system.
static Fate compare_ray(const Oracle* oracle, const CnRay* ray, const char** complaint) {
    CnRaySurface surface;
    bool is_hit = cn_ray_cast((CnPlacedShape){oracle->shape, at_origin}, ray, &surface);
    double first, least = first_zero(oracle, ray, &first);
    if (fabs(least) < TOLERANCE) {
        return GRAZE; // within the oracle's own error
    }
    if (is_hit != (least < 0.0)) {
        *complaint = is_hit ? "hit where nothing is" : "missed";
    }
    if (!is_hit) {
        return MISS;
    }
    double facing = cn_vec3_dot(surface.normal, ray->direction);
    if (measure_at(oracle, ray, 0.0) < 0.0) {
        if (!surface.inside || surface.distance != 0.0 || fabs(facing + 1.0) > 1e-15) {
            *complaint = "does not know that it starts inside";
        }
        return START_INSIDE;
    }
    if (surface.inside || !(fabs(surface.distance - first) <= TOLERANCE * first)) {
        *complaint = "wrong distance";
    }
    if (fabs(cn_vec3_length(surface.normal) - 1.0) > 1e-15 || facing >= 0.0) {
        *complaint = "normal not unit or not outward";
    }
    return HIT;
}

// Rays of a few metres, aimed at points in and around the shape.
static void compare_with_oracle(const Oracle* oracle) {
    CnRandom random = {7};
    int count[FATE_COUNT] = {0};
    for (int i = 0; i < RAYS; ++i) {
        const char* complaint = NULL;
        CnVec3 origin = random_within(&random, 4.0);
        CnVec3 way = cn_vec3_sub(random_within(&random, 2.0), origin);
        CnRay ray = cn_ray_make(origin, cn_vec3_scale(cn_random_between(&random, 0.3, 3.0), way));
        ++count[compare_ray(oracle, &ray, &complaint)];
        if (complaint != NULL) {
            ck_abort_msg("shape type %d, ray %d: %s", (int)oracle->shape->type, i, complaint);
        }
    }
    CHECK(count[HIT] > RAYS / 20 && count[MISS] > RAYS / 20 && count[START_INSIDE] > RAYS / 200);
}

static void a_hundred_thousand_rays_agree_with_bisection_on_each_shape(void) {
    CnShape ball = sphere(1.3), half = plane(cn_vec3(0.6, 0.0, 0.8)), block = box(0.7, 1.1, 1.6);
    CnShape capsule = rod(CN_SHAPE_CAPSULE, 0.8, 1.1);
    CnShape cylinder = rod(CN_SHAPE_CYLINDER, 1.2, 0.9);
    Octahedron solid;
    make_octahedron(cn_vec3(1.5, 2.5, 1.8), &solid);
    const Oracle oracles[] = {
        {&ball, NULL, sphere_measure},       {&half, NULL, plane_measure},
        {&block, NULL, box_measure},         {&capsule, NULL, capsule_measure},
        {&cylinder, NULL, cylinder_measure}, {&solid.shape, &solid, octahedron_measure},
    };
    for (size_t i = 0; i < sizeof oracles / sizeof oracles[0]; ++i) {
        compare_with_oracle(&oracles[i]);
    }
}

// The normal is the gradient of the measure: differences over 1e-6 m are good to 1e-6 or so.
static void normals_are_the_slope_of_the_surface(void) {
    CnShape capsule = rod(CN_SHAPE_CAPSULE, 0.8, 1.1);
    CnShape cylinder = rod(CN_SHAPE_CYLINDER, 1.2, 0.9);
    const Oracle oracles[] = {{&capsule, NULL, capsule_measure},
                              {&cylinder, NULL, cylinder_measure}};
    CnRandom random = {11};
    for (int i = 0; i < 2000; ++i) {
        const Oracle* oracle = &oracles[i % 2];
        CnVec3 origin = cn_vec3_scale(5.0, cn_vec3_normalize(random_within(&random, 1.0)));
        CnRay ray = cn_ray_make(origin, cn_vec3_scale(-2.0, origin));
        CnRaySurface surface;
        CHECK(cn_ray_cast((CnPlacedShape){oracle->shape, at_origin}, &ray, &surface));
        CnVec3 p = cn_ray_at(&ray, surface.distance);
        CnVec3 out = cn_vec3_add_scaled(p, 1e-6, surface.normal);
        CHECK_NEAR(oracle->measure(oracle->shape, NULL, out), 1e-6, 1e-11);
    }
}

// A turn and a shift of shape and ray together: distances stay, normals turn along. Coordinates of
// up to 100 m are rounded to 1e-14 m, and rays that graze at less than 1e-3 are left out.
static void answers_move_along_with_shape_and_ray(void) {
    CnRandom random = {3};
    Octahedron solid;
    make_octahedron(cn_vec3(1.5, 2.5, 1.8), &solid);
    CnShape shapes[] = {sphere(1.3),
                        plane(cn_vec3(0.6, 0.0, 0.8)),
                        rod(CN_SHAPE_CAPSULE, 0.8, 1.1),
                        rod(CN_SHAPE_CYLINDER, 1.2, 0.9),
                        box(0.7, 1.1, 1.6),
                        solid.shape};
    int compared = 0;
    for (int i = 0; i < 20000; ++i) {
        const CnShape* shape = &shapes[i % 6];
        CnVec3 origin = random_within(&random, 4.0);
        CnVec3 way = cn_vec3_sub(random_within(&random, 1.0), origin);
        CnTransform pose = {random_within(&random, 100.0),
                            cn_quat_exp(random_within(&random, 3.0))};
        CnRaySurface here, there;
        if (!cast(shape, at_origin, origin, way, &here) || here.inside ||
            cn_vec3_dot(here.normal, cn_vec3_normalize(way)) > -1e-3) {
            continue;
        }
        CHECK(cast(shape, pose, cn_transform_point(pose, origin),
                   cn_quat_rotate(pose.rotation, way), &there));
        CHECK_NEAR(there.distance, here.distance, 1e-10);
        CnVec3 turned = cn_quat_rotate(pose.rotation, here.normal);
        bool has_edges = i % 6 > 2; // where either normal is right
        CHECK(has_edges || cn_vec3_length(cn_vec3_sub(there.normal, turned)) < 1e-9);
        ++compared;
    }
    CHECK(compared > 5000);
}

static void a_ray_that_starts_inside_hits_at_once(void) {
    Octahedron solid;
    make_octahedron(cn_vec3(1.0, 1.0, 1.0), &solid);
    CnShape shapes[] = {sphere(1.0),
                        plane(cn_vec3(0.0, 0.0, 1.0)),
                        box(1.0, 1.0, 1.0),
                        rod(CN_SHAPE_CAPSULE, 1.0, 1.0),
                        rod(CN_SHAPE_CYLINDER, 1.0, 1.0),
                        solid.shape};
    for (int i = 0; i < 6; ++i) {
        CnRaySurface surface;
        CHECK(
            cast(&shapes[i], at_origin, cn_vec3(0.1, 0.2, -0.3), cn_vec3(0.0, 9.0, 0.0), &surface));
        CHECK(surface.inside && surface.distance == 0.0);
        CHECK_NEAR(surface.normal.y, -1.0, 0.0);
    }
}

static void a_ray_without_length_asks_whether_a_point_is_inside(void) {
    CnVec3 none = cn_vec3(0.0, 0.0, 0.0);
    CnShape shapes[] = {sphere(1.0), plane(cn_vec3(1.0, 0.0, 0.0)), box(1.0, 1.0, 1.0),
                        rod(CN_SHAPE_CAPSULE, 1.0, 1.0), rod(CN_SHAPE_CYLINDER, 1.0, 1.0)};
    for (int i = 0; i < 5; ++i) {
        CnRaySurface surface;
        CHECK(cast(&shapes[i], at_origin, cn_vec3(-0.1, 0.0, 0.3), none, &surface));
        CHECK(surface.inside && surface.distance == 0.0);
        check_miss(&shapes[i], cn_vec3(1.1, 0.0, 0.3), none);
    }
}

// Shapes are closed. Halves and whole numbers keep these cases exact.
static void touching_is_enough(void) {
    CnShape ball = sphere(1.0), block = box(1.0, 1.0, 1.0), half = plane(cn_vec3(0.0, 0.0, 1.0));
    CnShape tube = rod(CN_SHAPE_CYLINDER, 1.0, 2.0);
    CnVec3 along = cn_vec3(10.0, 0.0, 0.0), left = cn_vec3(-1.0, 0.0, 0.0);
    check_hit(&ball, cn_vec3(-4.0, 1.0, 0.0), along, 4.0, cn_vec3(0.0, 1.0, 0.0));
    check_hit(&block, cn_vec3(-4.0, 1.0, 0.0), along, 3.0, left);  // in the plane of a face
    check_hit(&block, cn_vec3(-4.0, 1.0, -1.0), along, 3.0, left); // along an edge
    check_hit(&tube, cn_vec3(1.0, 0.0, 6.0), cn_vec3(0.0, 0.0, -9.0), 4.0, cn_vec3(0.0, 0.0, 1.0));
    CnRaySurface surface;
    CHECK(cast(&half, at_origin, cn_vec3(0.0, 0.0, 0.0), along, &surface)); // runs in the plane
    CHECK(surface.inside && surface.distance == 0.0);
    CHECK(cast(&ball, at_origin, cn_vec3(-1.0, 0.0, 0.0), along, &surface)); // starts on it
    CHECK(!surface.inside && surface.distance == 0.0);
    CHECK_NEAR(surface.normal.x, -1.0, 1e-15);
}

// From 1e6 m away an origin has a grain of 1e-10 m; the answer must not be coarser than some of it.
static void a_ray_from_a_thousand_kilometres_keeps_its_digits(void) {
    CnShape shapes[] = {sphere(1.0), rod(CN_SHAPE_CAPSULE, 1.0, 1.0),
                        rod(CN_SHAPE_CYLINDER, 1.0, 1.0), box(1.0, 1.0, 1.0)};
    const double far = 1e6;
    for (int i = 0; i < 4; ++i) {
        for (int k = 1; k < 50; ++k) {
            double y = 0.0199 * k; // up to 0.975
            CnRaySurface surface;
            CHECK(cast(&shapes[i], at_origin, cn_vec3(-far, y, 0.1), cn_vec3(2.0 * far, 0.0, 0.0),
                       &surface));
            double height2 = i == 0 ? y * y + 0.01 : i == 3 ? 0.0 : y * y;
            double depth = sqrt(1.0 - height2);
            CHECK_NEAR(surface.distance, far - depth, 4e-10);
            CHECK_NEAR(surface.normal.x, -depth, 2e-9);
        }
    }
}

// Nearly along the axis the tube's quadratic has a leading term that underflows when squared.
static void a_ray_nearly_along_the_axis_is_no_special_case(void) {
    CnShape tube = rod(CN_SHAPE_CYLINDER, 1.0, 2.0);
    for (double slope = 1.0; slope > 1e-300; slope *= 1e-3) {
        CnVec3 way = cn_vec3(0.1 * slope, 0.0, -10.0);
        CnVec3 end = cn_vec3(0.0, 0.0, 1.0);
        double stretch = cn_vec3_length(way) / 10.0;
        check_hit(&tube, cn_vec3(0.5, 0.0, 6.0), way, 4.0 * stretch, end);
        check_miss(&tube, cn_vec3(1.5, 0.0, 6.0), way);
    }
}

TEST_MAIN("unit/collision/cast/ray", TEST(a_sphere_is_met_where_pythagoras_says),
          TEST(a_plane_is_met_from_above_only), TEST(a_box_is_met_on_the_face_that_is_entered_last),
          TEST(a_capsule_is_met_on_side_and_caps), TEST(a_cylinder_is_met_on_side_and_ends),
          TEST(a_hull_is_met_on_the_face_that_is_entered_last),
          TEST(a_hundred_thousand_rays_agree_with_bisection_on_each_shape),
          TEST(normals_are_the_slope_of_the_surface), TEST(answers_move_along_with_shape_and_ray),
          TEST(a_ray_that_starts_inside_hits_at_once),
          TEST(a_ray_without_length_asks_whether_a_point_is_inside), TEST(touching_is_enough),
          TEST(a_ray_from_a_thousand_kilometres_keeps_its_digits),
          TEST(a_ray_nearly_along_the_axis_is_no_special_case))
