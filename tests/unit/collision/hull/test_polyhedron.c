// test_polyhedron.c - polyhedra seen by each other and by the world have the bits of plain vectors.
#include "cairn/random.h"
#include "collision/hull/face_contact.h"
#include "math/simd.h"
#include "support/shapes/random_poses.h"
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
        CnPolyhedronPose from_a = {&a.position.x, &a.rotation},
                         from_b = {&b.position.x, &b.rotation};
        cn_relative_poses_128(from_a, from_b, narrow);
        CN_WIDEST(cn_relative_poses)(from_a, from_b, wide);
        different += memcmp(plain, narrow, sizeof plain) != 0;
        different += memcmp(plain, wide, sizeof plain) != 0;
    }
    CHECK_INT(different, 0);
}

// Vectors of no particular length: nothing is asked of a frame.
static void draw_contact(CnRandom* random, CnFaceContact* contact) {
    CnFacePoints* points = &contact->points;
    for (int i = 0; i < 12; ++i) {
        contact->frame[i / 4][i % 4] = cn_random_between(random, -1.0, 1.0);
    }
    contact->faces.frame = &contact->frame[0][0];
    contact->faces.flipped = cn_random_next(random) % 2 == 1;
    contact->normal = random_between(random, -1.0, 1.0);
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

static CnManifoldPoint write_plainly(const CnFaceContact* contact, CnTransform pose, int i) {
    const CnFacePoints* from = &contact->points;
    CnMat3 turn = cn_mat3_from_quat(pose.rotation);
    CnVec3 frame[4], normal = cn_mat3_apply(&turn, contact->normal);
    for (int k = 0; k < 4; ++k) {
        frame[k] = cn_mat3_apply(&turn, cn_frame_vector(&contact->faces, k));
    }
    CnVec3 in_plane =
        cn_vec3_add(cn_vec3_scale(from->x[i], frame[0]), cn_vec3_scale(from->y[i], frame[1]));
    bool out_of_a = contact->faces.flipped == contact->pair->reversed;
    return (CnManifoldPoint){
        .point = cn_vec3_add(cn_vec3_add(pose.position, frame[3]),
                             cn_vec3_add_scaled(in_plane, from->z[i], frame[2])),
        .normal = out_of_a ? normal : cn_vec3_negate(normal),
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
    static CnHullPair pair;
    CnRandom random = {32};
    CnShape shape = {.type = CN_SHAPE_CONVEX};
    int different = 0;
    for (int i = 0; i < PAIRS; ++i) {
        CnPlacedShape placed_shape = {&shape, random_pose(&random, i)};
        CnPlacedPolyhedron placed;
        CnFaceContact contact = {.pair = &pair};
        CnManifoldPoint narrow[CN_MANIFOLD_POINTS], wide[CN_MANIFOLD_POINTS];
        cn_polyhedron_place(&placed_shape, &placed);
        draw_contact(&random, &contact);
        pair.placed[0] = pair.placed[1] = &placed;
        pair.reversed = i % 2 == 0;
        uint64_t bits = 1u << 0 | 1u << 3 | 1u << 4 | 1u << 8;
        different += cn_contact_functions_128.write(&contact, bits, narrow) != 4;
        different += CN_WIDEST(cn_contact_functions)->write(&contact, bits, wide) != 4;
        for (int k = 0; k < CN_MANIFOLD_POINTS; ++k) {
            CnManifoldPoint plain = write_plainly(&contact, placed_shape.pose, kept[k]);
            different += !is_same(&plain, &narrow[k]) + !is_same(&plain, &wide[k]);
        }
    }
    CHECK_INT(different, 0);
}

TEST_MAIN("unit/collision/hull/polyhedron", TEST(two_see_each_other_as_plain_vectors_have_it),
          TEST(points_are_written_as_plain_vectors_have_them))
