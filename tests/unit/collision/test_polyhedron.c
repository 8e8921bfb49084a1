// test_polyhedron.c - polyhedra seen by each other and by the world have the bits of plain vectors.
#include "collision/polyhedron_functions.h"
#include "math/random.h"
#include "support/random_poses.h"
#include "support/test.h"

#include <string.h>

#define PAIRS 20000

// Every fourth is not turned, or where the other is: zeros have their signs, too.
static CnTransform random_pose(CnRandom* random, int kind) {
    CnTransform pose;
    pose.position = random_between(random, -1.0, 1.0);
    pose.rotation = random_turn(random);
    if (kind % 4 == 0) {
        pose.position = cn_vec3(0.0, 0.0, kind % 8 == 0 ? 0.0 : 1.0);
    }
    if (kind / 4 % 4 == 0) {
        pose.rotation = kind % 3 == 0 ? cn_quat(0.0, -1.0, 0.0, 0.0) : cn_quat_identity();
    }
    return pose;
}

static void see_plainly(CnTransform a, CnTransform b, CnRelativePose seen[2]) {
    CnQuat turn = cn_quat_multiply(cn_quat_conjugate(a.rotation), b.rotation);
    seen[0].turn = cn_mat3_from_quat(turn);
    seen[0].offset = cn_quat_unrotate(a.rotation, cn_vec3_sub(b.position, a.position));
    seen[1].turn = cn_mat3_transpose(&seen[0].turn);
    seen[1].offset = cn_vec3_negate(cn_mat3_apply(&seen[1].turn, seen[0].offset));
}

static void two_see_each_other_as_plain_vectors_have_it(void) {
    CnRandom random = {31};
    int different = 0;
    for (int i = 0; i < PAIRS; ++i) {
        CnTransform a = random_pose(&random, i), b = random_pose(&random, i / 16);
        CnRelativePose plain[2], narrow[2], wide[2];
        see_plainly(a, b, plain);
        CnSight from_a = {&a.position.x, &a.rotation}, from_b = {&b.position.x, &b.rotation};
        cn_polyhedron_functions_128.see(from_a, from_b, narrow);
        cn_polyhedron_functions()->see(from_a, from_b, wide);
        different += memcmp(plain, narrow, sizeof plain) != 0;
        different += memcmp(plain, wide, sizeof plain) != 0;
    }
    CHECK_INT(different, 0);
}

static void draw_faces(CnRandom* random, CnFacePair* faces, CnFacePoints* points) {
    memset(faces, 0, sizeof *faces);
    memset(points, 0, sizeof *points);
    faces->origin = random_between(random, -1.0, 1.0);
    faces->right = random_between(random, -1.0, 1.0);
    faces->ahead = random_between(random, -1.0, 1.0);
    faces->up = random_between(random, -1.0, 1.0);
    points->count = 9;
    for (int i = 0; i < points->count; ++i) {
        CnVec3 place = random_between(random, -1.0, 1.0);
        points->x[i] = place.x;
        points->y[i] = place.y;
        points->z[i] = place.z;
        points->gap[i] = cn_random_between(random, -1.0, 1.0);
        points->feature[i] = (uint32_t)cn_random_next(random);
    }
}

static CnManifoldPoint write_plainly(const CnOutgoing* outgoing, CnTransform pose, int i) {
    const CnFacePair* faces = outgoing->faces;
    const CnFacePoints* from = outgoing->points;
    CnMat3 turn = cn_mat3_from_quat(pose.rotation);
    CnVec3 right = cn_mat3_apply(&turn, faces->right), ahead = cn_mat3_apply(&turn, faces->ahead);
    CnVec3 up = cn_mat3_apply(&turn, faces->up), origin = cn_mat3_apply(&turn, faces->origin);
    CnVec3 in_plane =
        cn_vec3_add(cn_vec3_scale(from->x[i], right), cn_vec3_scale(from->y[i], ahead));
    return (CnManifoldPoint){
        .point = cn_vec3_add(cn_vec3_add(pose.position, origin),
                             cn_vec3_add_scaled(in_plane, from->z[i], up)),
        .normal = cn_vec3_scale(outgoing->sign, cn_mat3_apply(&turn, outgoing->normal)),
        .gap = from->gap[i],
        .feature = from->feature[i],
    };
}

static bool is_same(const CnManifoldPoint* a, const CnManifoldPoint* b) {
    return memcmp(&a->point, &b->point, sizeof a->point) == 0 &&
           memcmp(&a->normal, &b->normal, sizeof a->normal) == 0 && a->gap == b->gap &&
           a->feature == b->feature;
}

static void points_are_written_as_plain_vectors_have_them(void) {
    static const int kept[CN_MANIFOLD_POINTS] = {0, 3, 4, 8};
    CnRandom random = {32};
    CnShape shape = {.type = CN_SHAPE_CONVEX};
    int different = 0;
    for (int i = 0; i < PAIRS; ++i) {
        CnPlacedShape placed_shape = {&shape, random_pose(&random, i)};
        CnPlacedPolyhedron placed;
        cn_polyhedron_place(&placed_shape, &placed);
        CnFacePair faces;
        CnFacePoints from;
        CnManifoldPoint narrow[CN_MANIFOLD_POINTS], wide[CN_MANIFOLD_POINTS];
        draw_faces(&random, &faces, &from);
        CnOutgoing outgoing = {&placed, &faces, &from, random_between(&random, -1.0, 1.0),
                               i % 2 == 0 ? 1.0 : -1.0};
        uint64_t bits = 1u << 0 | 1u << 3 | 1u << 4 | 1u << 8;
        different += cn_polyhedron_functions_128.write(&outgoing, bits, narrow) != 4;
        different += cn_polyhedron_functions()->write(&outgoing, bits, wide) != 4;
        for (int k = 0; k < CN_MANIFOLD_POINTS; ++k) {
            CnManifoldPoint plain = write_plainly(&outgoing, placed_shape.pose, kept[k]);
            different += !is_same(&plain, &narrow[k]) + !is_same(&plain, &wide[k]);
        }
    }
    CHECK_INT(different, 0);
}

TEST_MAIN("unit/collision/polyhedron", TEST(two_see_each_other_as_plain_vectors_have_it),
          TEST(points_are_written_as_plain_vectors_have_them))
