// test_surface.c - meshes and height fields against convex shapes, triangle by triangle.
#include "cairn/random.h"
#include "collision/cast/ray.h"
#include "collision/cast/sweep_cast.h"
#include "collision/convex/distance.h"
#include "collision/mesh/surface_search.h"
#include "collision/mesh/surface_triangle.h"
#include "collision/narrow_phase.h"
#include "support/shapes/grounds.h"
#include "support/shapes/random_poses.h"
#include "support/shapes/solids.h"
#include "support/test.h"

static const CnAllocator heap = {0};

static CnShape shape_of(const CnShapeDef* def) {
    CnShape shape;
    CnError error;
    CHECK(cn_shape_make(def, &heap, &shape, &error) == CN_OK);
    return shape;
}

static CnTransform still(void) {
    return (CnTransform){{0.0, 0.0, 0.0}, {1.0, 0.0, 0.0, 0.0}};
}

// The points of one pair, from the narrow phase.
typedef struct Found {
    CnNarrowScratch scratch;
    const CnManifoldPoint* points; // [count]
    int count;
} Found;

static void collide(CnPlacedShape a, CnPlacedShape b, double margin, Found* found) {
    CnPlacedPolyhedron placed[2];
    CnNarrowResult result;
    cn_narrow_phase_place(&a, &placed[0]);
    cn_narrow_phase_place(&b, &placed[1]);
    CnNarrowPair pair = {&a, &b, &placed[0], &placed[1], margin, NULL, false};
    CHECK(cn_narrow_phase(&pair, 1, &found->scratch, &result) == CN_OK);
    found->points = found->scratch.points.data + result.first;
    found->count = result.count;
}

// Flat ground

// The same shape on the same spot of a plane and of the surface: as many groups as directions
// (one), the plane's normal, and its least gap to round-off.
static void compare_with_plane(CnPlacedShape surface, CnPlacedShape solid, Found* found) {
    CnManifoldPoint expected[CN_MANIFOLD_POINTS];
    CnShape half_space = {.type = CN_SHAPE_PLANE, .normal = {0.0, 0.0, 1.0}};
    CnPlacedShape plane = {&half_space, surface.pose};
    double least = HUGE_VAL, expected_least = HUGE_VAL;
    int count = cn_collide(plane, solid, 1e-3, expected);
    collide(surface, solid, 1e-3, found);
    CHECK(count == 0 || found->count >= (count < 3 ? count : 3));
    CHECK(count > 0 || found->count == 0);
    CHECK(found->count <= CN_MANIFOLD_POINTS);
    for (int i = 0; i < count; ++i) {
        expected_least = fmin(expected_least, expected[i].gap);
    }
    for (int i = 0; i < found->count; ++i) {
        const CnManifoldPoint* point = &found->points[i];
        CHECK_NEAR(cn_vec3_length(cn_vec3_sub(point->normal, expected[0].normal)), 0.0, 1e-12);
        least = fmin(least, point->gap);
    }
    CHECK(count == 0 || fabs(least - expected_least) <= 1e-12);
}

// All solids, in random poses and lying flat, sunk by up to a millimetre: 2000 places each.
static void flat_ground_is_a_plane(Ground* ground) {
    CnShape surface = shape_of(&ground->def);
    Found found;
    cn_narrow_scratch_init(&found.scratch, &heap);
    CnRandom random = {.state = 11};
    for (int i = 0; i < 2000 * SOLID_COUNT; ++i) {
        CnShape solid = solid_make(solid_types[i % SOLID_COUNT]);
        CnTransform pose = still();
        pose.rotation = i % 2 == 0 ? cn_quat_identity() : random_turn(&random);
        pose.position = random_within(&random, 3.0);
        CnPlacedShape placed = {&solid, pose};
        CnShape half_space = {.type = CN_SHAPE_PLANE, .normal = {0.0, 0.0, 1.0}};
        double height = cn_nearest((CnPlacedShape){&half_space, still()}, placed).distance;
        placed.pose.position.z -= height - cn_random_between(&random, -1e-3, 1e-3);
        compare_with_plane((CnPlacedShape){&surface, still()}, placed, &found);
        solid_release(&solid);
    }
    cn_narrow_scratch_destroy(&found.scratch);
    cn_shape_free(&surface, &heap);
    ground_free(ground);
}

static void a_flat_mesh_is_a_plane_to_every_solid(void) {
    Ground ground = ground_mesh(40, 10.0, NULL);
    flat_ground_is_a_plane(&ground);
}

static void a_flat_height_field_is_a_plane_to_every_solid(void) {
    Ground ground = ground_field(40, 10.0, NULL);
    flat_ground_is_a_plane(&ground);
}

// Shaped ground

static double hills(double x, double y) {
    return 0.3 * sin(1.7 * x) * cos(1.3 * y) + 0.1 * sin(3.1 * x + 2.3 * y);
}

// The least over all triangles, one by one.
static double brute_distance(const CnShape* surface, int count, CnPlacedShape solid) {
    double least = HUGE_VAL;
    for (int i = 0; i < count; ++i) {
        CnTriangleShape storage;
        CnTriangle triangle = cn_surface_triangle(surface, i);
        CnPlacedShape placed = cn_triangle_place(&triangle, &storage);
        least = fmin(least, cn_nearest(placed, solid).distance);
    }
    return least;
}

static int triangle_count(const Ground* ground) {
    const CnShapeDef* def = &ground->def;
    return def->type == CN_SHAPE_MESH ? def->triangle_count
                                      : 2 * (def->columns - 1) * (def->rows - 1);
}

// Solids over, in and beside the hills. Where they touch, only the sign is the same: depths are
// those of whole faces, not of triangles.
static void compare_distances(Ground ground) {
    CnShape surface = shape_of(&ground.def);
    CnTransform pose = {{0.3, -0.2, 0.1}, cn_quat_from_axis_angle(cn_vec3(0.6, 0.0, 0.8), 0.7)};
    CnRandom random = {.state = 23};
    int pairs = (UNDER_SANITIZER ? 500 : 10000) * SOLID_COUNT;
    int wrong_signs = 0, apart = 0;
    double worst = 0.0;
    for (int i = 0; i < pairs; ++i) {
        CnShape solid = solid_make(solid_types[i % SOLID_COUNT]);
        CnPlacedShape placed = {&solid, {random_within(&random, 3.0), {1.0, 0.0, 0.0, 0.0}}};
        placed.pose.rotation = random_turn(&random);
        double distance = cn_nearest((CnPlacedShape){&surface, pose}, placed).distance;
        CnPlacedShape view = cn_surface_view(pose, placed);
        double expected = brute_distance(&surface, triangle_count(&ground), view);
        wrong_signs += (distance > 0.0) != (expected > 0.0) && fabs(expected) > 1e-9;
        apart += expected > 0.0;
        if (expected > 1e-6) {
            worst = fmax(worst, fabs(distance - expected) / expected);
        }
        solid_release(&solid);
    }
    CHECK_INT(wrong_signs, 0);
    CHECK(apart > pairs / 4);
    CHECK_NEAR(worst, 0.0, 1e-9);
    cn_shape_free(&surface, &heap);
    ground_free(&ground);
}

static void the_distance_to_a_mesh_is_that_of_its_nearest_triangle(void) {
    compare_distances(ground_mesh(3, 4.0, hills));
}

static void the_distance_to_a_height_field_is_that_of_its_nearest_triangle(void) {
    compare_distances(ground_field(3, 4.0, hills));
}

// Plane by plane and side by side, without a tree.
static double brute_ray(const CnShape* surface, int count, CnVec3 origin, CnVec3 direction) {
    double least = HUGE_VAL;
    for (int i = 0; i < count; ++i) {
        CnTriangle t = cn_surface_triangle(surface, i);
        double rate = cn_vec3_dot(t.normal, direction);
        double height = cn_vec3_dot(t.normal, cn_vec3_sub(origin, t.points[0]));
        double distance = -height / rate;
        CnVec3 at = cn_vec3_add_scaled(origin, distance, direction);
        bool inside = rate < 0.0 && distance >= 0.0;
        for (int k = 0; k < 3; ++k) {
            CnVec3 along = cn_vec3_sub(t.points[(k + 1) % 3], t.points[k]);
            CnVec3 inward = cn_vec3_cross(t.normal, along);
            inside = inside && cn_vec3_dot(inward, cn_vec3_sub(at, t.points[k])) >= 0.0;
        }
        least = inside ? fmin(least, distance) : least;
    }
    return least;
}

static void compare_rays(Ground ground) {
    CnShape surface = shape_of(&ground.def);
    CnRandom random = {.state = 29};
    int rays = UNDER_SANITIZER ? 3000 : 30000;
    int hits = 0, missed = 0;
    double worst = 0.0;
    for (int i = 0; i < rays; ++i) {
        CnRay ray = {random_within(&random, 3.0), {0.0, 0.0, 1.0}, 10.0};
        ray.direction = cn_vec3_normalize(random_within(&random, 1.0));
        double expected = brute_ray(&surface, triangle_count(&ground), ray.origin, ray.direction);
        CnRaySurface hit;
        bool is_hit = cn_ray_cast((CnPlacedShape){&surface, still()}, &ray, &hit);
        missed += is_hit != (expected <= ray.length);
        hits += is_hit;
        worst =
            is_hit && expected <= ray.length ? fmax(worst, fabs(hit.distance - expected)) : worst;
    }
    CHECK(hits > rays / 20);
    CHECK_INT(missed, 0);
    CHECK_NEAR(worst, 0.0, 1e-12); // [m]: the same planes
    cn_shape_free(&surface, &heap);
    ground_free(&ground);
}

static void a_ray_hits_the_first_front_face_of_a_mesh(void) {
    compare_rays(ground_mesh(8, 4.0, hills));
}

static void a_ray_hits_the_first_front_face_of_a_height_field(void) {
    compare_rays(ground_field(8, 4.0, hills));
}

// Straight down on every point and along every side of the grid: none of 10,000 rays slips through.
static void no_ray_slips_through_between_two_triangles(void) {
    Ground ground = ground_mesh(20, 4.0, hills);
    CnShape surface = shape_of(&ground.def);
    CnRandom random = {.state = 31};
    int missed = 0;
    for (int i = 0; i < 10000; ++i) {
        int triangle = (int)(cn_random_next(&random) % (uint64_t)ground.def.triangle_count);
        CnTriangle t = cn_surface_triangle(&surface, triangle);
        double share = i % 2 == 0 ? 0.0 : cn_random_between(&random, 0.0, 1.0);
        CnVec3 side = cn_vec3_sub(t.points[1], t.points[0]);
        CnVec3 at = cn_vec3_add_scaled(t.points[0], share, side);
        CnRay ray = {cn_vec3(at.x, at.y, 3.0), {0.0, 0.0, -1.0}, 10.0};
        CnRaySurface hit;
        bool on_border = fabs(at.x) > 1.999 || fabs(at.y) > 1.999;
        missed += !on_border && !cn_ray_cast((CnPlacedShape){&surface, still()}, &ray, &hit);
    }
    CHECK_INT(missed, 0);
    cn_shape_free(&surface, &heap);
    ground_free(&ground);
}

// Pushed from above until they touch: apart before, at a distance of nothing then.
static void a_solid_pushed_onto_hills_stops_where_it_touches(void) {
    Ground ground = ground_mesh(8, 4.0, hills);
    CnShape surface = shape_of(&ground.def);
    CnRandom random = {.state = 37};
    double worst = 0.0, worst_rim = 0.0;
    int hits = 0;
    for (int i = 0; i < 200 * SOLID_COUNT; ++i) {
        CnShape solid = solid_make(solid_types[i % SOLID_COUNT]);
        CnPlacedShape placed = {&solid, {random_within(&random, 1.0), random_turn(&random)}};
        placed.pose.position.z = 4.0;
        CnVec3 direction = random_within(&random, 0.3);
        direction.z = -1.0;
        direction = cn_vec3_normalize(direction);
        CnPlacedShape placed_surface = {&surface, still()};
        CnSweepHit hit;
        if (cn_sweep_cast(placed, placed_surface, direction, 20.0, &hit)) {
            placed.pose.position =
                cn_vec3_add_scaled(placed.pose.position, hit.distance, direction);
            double left = fabs(brute_distance(&surface, triangle_count(&ground), placed));
            double* worst_of = solid.type == CN_SHAPE_CYLINDER ? &worst_rim : &worst;
            *worst_of = fmax(*worst_of, left);
            ++hits;
        }
        solid_release(&solid);
    }
    CHECK(hits > 100 * SOLID_COUNT);
    CHECK_NEAR(worst, 0.0, 1e-9);     // what a cast promises [m]
    CHECK_NEAR(worst_rim, 0.0, 1e-7); // rims that touch a side: their depth is found to 1e-8
    cn_shape_free(&surface, &heap);
    ground_free(&ground);
}

// Edges and corners

// A roof along y, falling to both sides at 45 degrees: the convex side that things may rest on.
static const CnVec3 roof_points[6] = {{-2.0, -2.0, -2.0}, {0.0, -2.0, 0.0}, {2.0, -2.0, -2.0},
                                      {-2.0, 2.0, -2.0},  {0.0, 2.0, 0.0},  {2.0, 2.0, -2.0}};
static const int roof[4][3] = {{0, 1, 4}, {0, 4, 3}, {1, 2, 5}, {1, 5, 4}};

static CnShapeDef roof_def(void) {
    CnShapeDef def = cn_shape_def_default(CN_SHAPE_MESH);
    def.points = roof_points;
    def.point_count = 6;
    def.triangles = roof;
    def.triangle_count = 4;
    return def;
}

// Two ends of the ridge under the box, straight up, whichever of the four triangles is asked.
static void a_box_lies_on_the_ridge_of_a_roof_with_two_points(void) {
    CnShapeDef def = roof_def();
    CnShape surface = shape_of(&def);
    CnShapeDef box_def = cn_shape_def_default(CN_SHAPE_BOX);
    box_def.size = cn_vec3(1.0, 1.0, 0.5);
    CnShape box = shape_of(&box_def);
    Found found;
    cn_narrow_scratch_init(&found.scratch, &heap);
    CnPlacedShape above = {&box, {{0.1, 0.2, 0.25 - 1e-4}, {1.0, 0.0, 0.0, 0.0}}};
    collide((CnPlacedShape){&surface, still()}, above, 1e-3, &found);
    CHECK_INT(found.count, 2);
    for (int i = 0; i < 2; ++i) {
        const CnManifoldPoint* point = &found.points[i];
        CHECK_NEAR(point->normal.z, 1.0, 1e-12);
        CHECK_NEAR(point->gap, -1e-4, 1e-12);
        CHECK_NEAR(point->point.x, 0.0, 1e-12);
        CHECK_NEAR(fabs(point->point.y - 0.2), 0.5, 1e-12);
    }
    cn_narrow_scratch_destroy(&found.scratch);
    cn_shape_free(&surface, &heap);
}

// Over the ridge a ball is met out of it in every direction between the two slopes, with the one
// normal that goes through its centre; beyond, by one slope only.
static void a_ball_passes_a_ridge_as_a_fan_of_normals(void) {
    CnShapeDef def = roof_def();
    CnShape surface = shape_of(&def);
    CnShape ball = {.type = CN_SHAPE_SPHERE, .radius = 0.5, .extent = 0.5};
    Found found;
    cn_narrow_scratch_init(&found.scratch, &heap);
    for (int i = 0; i <= 80; ++i) {
        double angle = (i - 40) * CN_PI / 80.0; // to +- 90 degrees; the fan ends at 45
        double slope = fmax(-CN_PI / 4.0, fmin(CN_PI / 4.0, angle));
        CnVec3 normal = cn_vec3(sin(slope), 0.0, cos(slope));
        CnVec3 along = cn_vec3(cos(slope), 0.0, -sin(slope));
        CnVec3 center = cn_vec3_add_scaled(cn_vec3_scale(0.5 - 1e-4, normal), angle - slope, along);
        center.y = 0.1;
        CnPlacedShape placed = {&ball, {center, {1.0, 0.0, 0.0, 0.0}}};
        collide((CnPlacedShape){&surface, still()}, placed, 1e-3, &found);
        CHECK_INT(found.count, 1);
        CHECK_NEAR(cn_vec3_length(cn_vec3_sub(found.points[0].normal, normal)), 0.0, 1e-12);
        CHECK_NEAR(found.points[0].gap, -1e-4, 1e-12);
    }
    cn_narrow_scratch_destroy(&found.scratch);
    cn_shape_free(&surface, &heap);
}

// The roof upside down: a valley. A ball in it touches both slopes, each along its normal.
static void a_ball_in_a_valley_touches_both_slopes(void) {
    CnShapeDef def = roof_def();
    CnVec3 points[6];
    for (int i = 0; i < 6; ++i) {
        points[i] = roof_points[i];
        points[i].z = -points[i].z;
    }
    def.points = points;
    CnShape surface = shape_of(&def);
    CnShape ball = {.type = CN_SHAPE_SPHERE, .radius = 0.5, .extent = 0.5};
    Found found;
    cn_narrow_scratch_init(&found.scratch, &heap);
    double height = (0.5 - 1e-4) * sqrt(2.0);
    CnPlacedShape placed = {&ball, {{0.0, 0.1, height}, {1.0, 0.0, 0.0, 0.0}}};
    collide(placed, (CnPlacedShape){&surface, still()}, 1e-3, &found);
    CHECK_INT(found.count, 2);
    for (int i = 0; i < 2; ++i) {
        const CnManifoldPoint* point = &found.points[i]; // from the ball to the surface
        CHECK_NEAR(point->gap, -1e-4, 1e-12);
        CHECK_NEAR(point->normal.z, -sqrt(0.5), 1e-12);
        CHECK_NEAR(fabs(point->normal.x), sqrt(0.5), 1e-12);
    }
    CHECK(found.points[0].normal.x * found.points[1].normal.x < 0.0);
    CHECK(found.points[0].feature != found.points[1].feature);
    cn_narrow_scratch_destroy(&found.scratch);
    cn_shape_free(&surface, &heap);
}

// A box stands on a block made of triangles, its lower half hanging out over the side, sunk in by
// two millimetres; the side is cut into rows a millimetre high. None of them pushes it off
// sideways.
static void rows_of_a_wall_do_not_push_what_lies_on_its_edge(void) {
    enum { ROWS = 20 };
    CnVec3 points[2 * (ROWS + 2)];
    int triangles[2 * (ROWS + 1)][3];
    for (int i = 0; i < ROWS + 2; ++i) { // the top from x = -2 to 0, then down the wall
        double x = i == 0 ? -2.0 : 0.0, z = i < 2 ? 0.0 : -1e-3 * (i - 1);
        points[2 * i] = cn_vec3(x, -2.0, z);
        points[2 * i + 1] = cn_vec3(x, 2.0, z);
    }
    for (int i = 0; i < ROWS + 1; ++i) {
        const int corners[6] = {2 * i, 2 * i + 2, 2 * i + 3, 2 * i, 2 * i + 3, 2 * i + 1};
        for (int k = 0; k < 6; ++k) {
            triangles[2 * i + k / 3][k % 3] = corners[k];
        }
    }
    CnShapeDef def = cn_shape_def_default(CN_SHAPE_MESH);
    def.points = points;
    def.point_count = 2 * (ROWS + 2);
    def.triangles = (const int(*)[3])triangles;
    def.triangle_count = 2 * (ROWS + 1);
    CnShape surface = shape_of(&def);
    CnShapeDef box_def = cn_shape_def_default(CN_SHAPE_BOX);
    box_def.size = cn_vec3(1.0, 1.0, 0.5);
    CnShape box = shape_of(&box_def);
    Found found;
    cn_narrow_scratch_init(&found.scratch, &heap);
    CnPlacedShape above = {&box, {{-0.1, 0.2, 0.25 - 2e-3}, {1.0, 0.0, 0.0, 0.0}}};
    collide((CnPlacedShape){&surface, still()}, above, 1e-3, &found);
    CHECK_INT(found.count, 4);
    for (int i = 0; i < 4; ++i) {
        CHECK_NEAR(found.points[i].normal.z, 1.0, 1e-12);
        CHECK_NEAR(found.points[i].gap, -2e-3, 1e-12);
    }
    cn_narrow_scratch_destroy(&found.scratch);
    cn_shape_free(&surface, &heap);
}

static void what_is_wholly_behind_a_surface_does_not_meet_it(void) {
    Ground ground = ground_field(10, 4.0, NULL);
    CnShape surface = shape_of(&ground.def);
    Found found;
    cn_narrow_scratch_init(&found.scratch, &heap);
    for (int i = 0; i < SOLID_COUNT; ++i) {
        CnShape solid = solid_make(solid_types[i]);
        CnPlacedShape placed = {&solid, still()};
        placed.pose.position.z = -solid.extent - 1e-6;
        collide((CnPlacedShape){&surface, still()}, placed, 1e-3, &found);
        CHECK_INT(found.count, 0);
        solid_release(&solid);
    }
    cn_narrow_scratch_destroy(&found.scratch);
    cn_shape_free(&surface, &heap);
    ground_free(&ground);
}

static void surfaces_and_planes_never_meet_each_other(void) {
    Ground ground = ground_field(2, 4.0, NULL);
    CnShape surface = shape_of(&ground.def);
    CnShape plane = {.type = CN_SHAPE_PLANE, .normal = {0.0, 0.0, 1.0}};
    CnPlacedShape shapes[2] = {{&surface, still()}, {&plane, still()}};
    Found found;
    cn_narrow_scratch_init(&found.scratch, &heap);
    CnSweepHit hit;
    for (int i = 0; i < 2; ++i) {
        collide(shapes[0], shapes[i], 1.0, &found);
        CHECK_INT(found.count, 0);
        CHECK(cn_nearest(shapes[i], shapes[0]).distance == HUGE_VAL);
        CHECK(!cn_sweep_cast(shapes[0], shapes[i], cn_vec3(0.0, 0.0, -1.0), 9.0, &hit));
    }
    cn_narrow_scratch_destroy(&found.scratch);
    cn_shape_free(&surface, &heap);
    ground_free(&ground);
}

// A box of 0.4 m on cells of 0.1 m, in the middle of 1000 triangles or of a million.
static int triangles_looked_at(int cells) {
    Ground ground = ground_mesh(cells, 0.1 * cells, NULL);
    CnShape surface = shape_of(&ground.def);
    CnShapeDef box_def = cn_shape_def_default(CN_SHAPE_BOX);
    box_def.size = cn_vec3(0.4, 0.4, 0.4);
    CnShape box = shape_of(&box_def);
    Found found;
    cn_narrow_scratch_init(&found.scratch, &heap);
    CnPlacedShape above = {&box, {{0.02, 0.03, 0.2}, {1.0, 0.0, 0.0, 0.0}}};
    collide((CnPlacedShape){&surface, still()}, above, 1e-3, &found);
    CHECK_INT(found.count, 4);
    int triangles = found.scratch.surface.triangles;
    cn_narrow_scratch_destroy(&found.scratch);
    cn_shape_free(&surface, &heap);
    ground_free(&ground);
    return triangles;
}

// 25 to 36 cells are under the box or touch it, whatever is farther away.
static void a_box_looks_at_the_triangles_under_it_only(void) {
    CHECK(triangles_looked_at(22) <= 72);
    CHECK(triangles_looked_at(UNDER_SANITIZER ? 200 : 708) <= 72);
}

TEST_MAIN("unit/collision/mesh/surface", TEST(a_flat_mesh_is_a_plane_to_every_solid),
          TEST(a_flat_height_field_is_a_plane_to_every_solid),
          TEST(the_distance_to_a_mesh_is_that_of_its_nearest_triangle),
          TEST(the_distance_to_a_height_field_is_that_of_its_nearest_triangle),
          TEST(a_ray_hits_the_first_front_face_of_a_mesh),
          TEST(a_ray_hits_the_first_front_face_of_a_height_field),
          TEST(no_ray_slips_through_between_two_triangles),
          TEST(a_solid_pushed_onto_hills_stops_where_it_touches),
          TEST(a_box_lies_on_the_ridge_of_a_roof_with_two_points),
          TEST(a_ball_passes_a_ridge_as_a_fan_of_normals),
          TEST(a_ball_in_a_valley_touches_both_slopes),
          TEST(rows_of_a_wall_do_not_push_what_lies_on_its_edge),
          TEST(what_is_wholly_behind_a_surface_does_not_meet_it),
          TEST(surfaces_and_planes_never_meet_each_other),
          TEST(a_box_looks_at_the_triangles_under_it_only))
