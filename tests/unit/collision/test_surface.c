// test_surface.c - meshes and height fields against convex shapes, triangle by triangle.
#include "collision/collide_surface.h"
#include "collision/distance.h"
#include "collision/ray.h"
#include "collision/surface_triangle.h"
#include "collision/sweep_cast.h"
#include "math/random.h"
#include "support/grounds.h"
#include "support/solids.h"
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

static CnQuat random_turn(CnRandom* random) {
    double q[4];
    for (int i = 0; i < 4; ++i) {
        q[i] = cn_random_between(random, -1.0, 1.0);
    }
    return cn_quat_normalize(cn_quat(q[0], q[1], q[2], q[3]));
}

static CnVec3 random_vector(CnRandom* random, double size) {
    double x = cn_random_between(random, -size, size);
    double y = cn_random_between(random, -size, size);
    double z = cn_random_between(random, -size, size);
    return cn_vec3(x, y, z);
}

// Flat ground

// The same shape on the same spot of a plane and of the surface: as many groups as directions
// (one), the plane's normal, and its least gap to round-off.
static void compare_with_plane(CnPlacedShape surface, CnPlacedShape solid, CnPairPoints* found) {
    CnManifoldPoint expected[CN_MANIFOLD_POINTS];
    CnShape half_space = {.type = CN_SHAPE_PLANE, .normal = {0.0, 0.0, 1.0}};
    CnPlacedShape plane = {&half_space, surface.pose};
    double least = HUGE_VAL, expected_least = HUGE_VAL;
    int count = cn_collide(plane, solid, 1e-3, expected);
    CHECK(cn_collide_all(surface, solid, 1e-3, &heap, found));
    CHECK(count == 0 || found->points.count >= (count < 3 ? count : 3));
    CHECK(count > 0 || found->points.count == 0);
    CHECK(found->points.count <= CN_MANIFOLD_POINTS);
    for (int i = 0; i < count; ++i) {
        expected_least = fmin(expected_least, expected[i].gap);
    }
    for (int i = 0; i < found->points.count; ++i) {
        CnManifoldPoint* point = &found->points.data[i];
        CHECK_NEAR(cn_vec3_length(cn_vec3_sub(point->normal, expected[0].normal)), 0.0, 1e-12);
        least = fmin(least, point->gap);
    }
    CHECK(count == 0 || fabs(least - expected_least) <= 1e-12);
}

// All solids, in random poses and lying flat, sunk by up to a millimetre: 2000 places each.
static void flat_ground_is_a_plane(Ground* ground) {
    CnShape surface = shape_of(&ground->def);
    CnPairPoints found = {0};
    CnRandom random = {.state = 11};
    for (int i = 0; i < 2000 * SOLID_COUNT; ++i) {
        CnShape solid = solid_make(solid_types[i % SOLID_COUNT]);
        CnTransform pose = still();
        pose.rotation = i % 2 == 0 ? cn_quat_identity() : random_turn(&random);
        pose.position = random_vector(&random, 3.0);
        CnPlacedShape placed = {&solid, pose};
        CnShape half_space = {.type = CN_SHAPE_PLANE, .normal = {0.0, 0.0, 1.0}};
        double height = cn_nearest((CnPlacedShape){&half_space, still()}, placed).distance;
        placed.pose.position.z -= height - cn_random_between(&random, -1e-3, 1e-3);
        compare_with_plane((CnPlacedShape){&surface, still()}, placed, &found);
        solid_release(&solid);
    }
    cn_pair_points_free(&found, &heap);
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

TEST_MAIN("collision/surface", TEST(a_flat_mesh_is_a_plane_to_every_solid),
          TEST(a_flat_height_field_is_a_plane_to_every_solid))
