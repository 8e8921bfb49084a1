// test_sweep_cast.c - pushed shapes against rays through shapes that are grown by them.
#include "collision/cast/sweep_cast.h"

#include "cairn/random.h"
#include "collision/cast/ray.h"
#include "collision/convex/distance.h"
#include "support/shapes/random_poses.h"
#include "support/test.h"

#define CASTS (UNDER_SANITIZER ? 1000 : 20000)

static CnShape ball(double radius) {
    return (CnShape){.type = CN_SHAPE_SPHERE, .radius = radius, .extent = radius};
}

static CnShape capsule(double radius, double half_length) {
    return (CnShape){.type = CN_SHAPE_CAPSULE,
                     .radius = radius,
                     .half_length = half_length,
                     .extent = radius + half_length};
}

static CnShape box(double x, double y, double z) {
    CnVec3 half = cn_vec3(x, y, z);
    return (CnShape){.type = CN_SHAPE_BOX, .half_size = half, .extent = cn_vec3_length(half)};
}

static CnShape cylinder(double radius, double half_length) {
    return (CnShape){.type = CN_SHAPE_CYLINDER,
                     .radius = radius,
                     .half_length = half_length,
                     .extent = sqrt(radius * radius + half_length * half_length)};
}

// Shapes that keep their type when they are grown by another: the ray through the sum is a closed
// form that test_ray.c trusts.
typedef struct GrownPair {
    CnShape moving, still, sum;
} GrownPair;

// The answer, or NULL. Rays that graze at less than 1e-3 rad are nobody's business here: there the
// first 1e-16 m of distance decide over 1e-10 m of travel.
static const char* compare(const GrownPair* pair, CnTransform pose, const CnRay* ray) {
    CnPlacedShape still = {&pair->still, pose}, sum = {&pair->sum, pose};
    CnPlacedShape moving = {&pair->moving, {ray->origin, pose.rotation}};
    CnRaySurface surface;
    CnSweepHit hit;
    bool is_expected = cn_ray_cast(sum, ray, &surface);
    bool is_hit = cn_sweep_cast(moving, still, ray->direction, ray->length, &hit);
    if (is_expected && !surface.inside && cn_vec3_dot(surface.normal, ray->direction) > -1e-3) {
        return NULL;
    }
    if (is_hit != is_expected) {
        return is_hit ? "hits nothing" : "misses";
    }
    if (is_hit &&
        (hit.inside != surface.inside || !(fabs(hit.distance - surface.distance) <= 1e-9))) {
        return "stops at the wrong place";
    }
    bool is_smooth = pair->sum.type == CN_SHAPE_SPHERE || pair->sum.type == CN_SHAPE_CAPSULE;
    if (is_hit && !hit.inside && is_smooth &&
        cn_vec3_length(cn_vec3_sub(hit.normal, surface.normal)) > 1e-6) {
        return "has the wrong normal";
    }
    return NULL;
}

static void a_pushed_shape_stops_where_a_ray_meets_the_sum_of_both(void) {
    const GrownPair pairs[] = {
        {ball(0.5), ball(1.0), ball(1.5)},
        {ball(0.3), capsule(0.8, 1.1), capsule(1.1, 1.1)},
        {capsule(0.3, 0.4), capsule(0.8, 1.1), capsule(1.1, 1.5)},
        {box(0.2, 0.3, 0.4), box(0.7, 1.0, 1.3), box(0.9, 1.3, 1.7)},
        {cylinder(0.2, 0.3), cylinder(0.9, 1.0), cylinder(1.1, 1.3)},
    };
    CnRandom random = {17};
    for (int i = 0; i < CASTS; ++i) {
        const GrownPair* pair = &pairs[i % 5];
        CnTransform pose = {random_within(&random, 2.0), cn_quat_exp(random_within(&random, 3.0))};
        CnVec3 origin = cn_vec3_add(pose.position, random_within(&random, 6.0));
        CnVec3 target = cn_vec3_add(pose.position, random_within(&random, 2.0));
        CnVec3 way =
            cn_vec3_scale(cn_random_between(&random, 0.5, 2.0), cn_vec3_sub(target, origin));
        CnRay ray = cn_ray_make(origin, way);
        const char* complaint = compare(pair, pose, &ray);
        if (complaint != NULL) {
            ck_abort_msg("cast %d of pair %d %s", i, i % 5, complaint);
        }
    }
}

// A ball of 1 m from 1e6 m away: the grain of its position is 1e-10 m.
static void a_long_way_costs_no_more_than_the_grain_of_its_numbers(void) {
    CnShape moving = ball(1.0), still = box(2.0, 2.0, 2.0);
    CnTransform pose = {cn_vec3(0.0, 0.0, 0.0), cn_quat_identity()};
    CnTransform far = {cn_vec3(-1e6, 1.0, 0.5), cn_quat_identity()};
    CnSweepHit hit;
    CHECK(cn_sweep_cast((CnPlacedShape){&moving, far}, (CnPlacedShape){&still, pose},
                        cn_vec3(1.0, 0.0, 0.0), 2e6, &hit));
    CHECK_NEAR(hit.distance, 1e6 - 3.0, 1e-9);
    CHECK_NEAR(hit.normal.x, -1.0, 1e-9);
}

TEST_MAIN("unit/collision/cast/sweep_cast",
          TEST(a_pushed_shape_stops_where_a_ray_meets_the_sum_of_both),
          TEST(a_long_way_costs_no_more_than_the_grain_of_its_numbers))
