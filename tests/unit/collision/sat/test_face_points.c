// test_face_points.c - faces cut several corners at a time against one corner after the other.
#include "cairn/random.h"
#include "collision/hull/clip.h"
#include "collision/hull/face_points.h"
#include "collision/hull/manifold.h"
#include "collision/sat/sat_functions.h"
#include "math/mat3.h"
#include "math/simd.h"
#include "support/shapes/random_poses.h"
#include "support/test.h"

#include <string.h>

#define PAIRS (UNDER_SANITIZER ? 300 : 10000)

// A frustum with `sides` corners at uneven angles, half height 1 m: its upper face is the last.
static CnHull* frustum(int sides, double radius, CnRandom* random) {
    CnVec3 points[2 * CN_CUT_CORNERS];
    CnHull* hull = NULL;
    for (int i = 0; i < sides; ++i) {
        double angle = 2.0 * CN_PI * (i + cn_random_between(random, -0.3, 0.3)) / sides;
        points[i] = cn_vec3(radius * cos(angle), radius * sin(angle), 1.0);
        points[sides + i] = cn_vec3(1.5 * points[i].x, 1.5 * points[i].y, -1.0);
    }
    CHECK_INT(cn_hull_build(points, 2 * sides, NULL, &hull, NULL), CN_OK);
    return hull;
}

static int face_towards(const CnHull* hull, double z) {
    return cn_hull_facing(hull, cn_vec3(0.0, 0.0, z));
}

// The upper face of A and, turned over it, that of B: at most 0.3 rad out of true.
static CnFacePair random_faces(const CnHull* a, const CnHull* b, CnRandom* random,
                               CnRelativePose seen[2]) {
    CnVec3 axis = random_between(random, -0.15, 0.15);
    CnQuat over = cn_quat_from_axis_angle(cn_vec3(1.0, 0.0, 0.0), CN_PI);
    CnQuat about =
        cn_quat_from_axis_angle(cn_vec3(0.0, 0.0, 1.0), cn_random_between(random, 0.0, 6.0));
    CnVec3 beside = random_between(random, -0.7, 0.7);
    CnTransform still = {.rotation = cn_quat_identity()};
    CnTransform placed = {
        .position = cn_vec3(beside.x, beside.y, 2.0),
        .rotation = cn_quat_multiply(cn_quat_exp(axis), cn_quat_multiply(over, about)),
    };
    int face = face_towards(a, 1.0);
    cn_relative_poses(&still, &placed, seen);
    CnFacePair pair = {
        .reference = a,
        .incident = b,
        .face = face,
        .other = face_towards(b, 1.0),
        .flipped = cn_random_next(random) % 2 == 1,
        .pose = &seen[0],
        .frame = &a->outlines[face].axes[0][0],
        .lean = 1.0,
        .margin = 10.0,
        .tolerance = 1e-7,
    };
    return pair;
}

static CnVec3 point_of(const CnFacePair* pair, const CnFacePoints* points, int i) {
    CnVec3 p = cn_vec3_add_scaled(cn_frame_vector(pair, 3), points->x[i], cn_frame_vector(pair, 0));
    p = cn_vec3_add_scaled(p, points->y[i], cn_frame_vector(pair, 1));
    return cn_vec3_add_scaled(p, points->z[i], cn_frame_vector(pair, 2));
}

static uint32_t key_of(const CnFacePair* pair, const CnClipCorner* corner) {
    CnFeatureKind of_reference = pair->flipped ? CN_FEATURE_VERTEX_OF_B : CN_FEATURE_VERTEX_OF_A;
    CnFeatureKind of_incident = pair->flipped ? CN_FEATURE_VERTEX_OF_A : CN_FEATURE_VERTEX_OF_B;
    bool from_incident = corner->kind == CN_CORNER_OF_INCIDENT;
    bool from_reference = corner->kind == CN_CORNER_OF_REFERENCE;
    int reference = from_incident ? pair->face : corner->reference;
    int incident = from_reference ? pair->other : corner->incident;
    CnFeatureKind meeting = from_incident    ? of_incident
                            : from_reference ? of_reference
                                             : CN_FEATURE_SIDES;
    return pair->flipped ? cn_feature_key(meeting, incident, reference)
                         : cn_feature_key(meeting, reference, incident);
}

static int clip_one_by_one(const CnFacePair* pair, CnClipCorner corners[CN_CLIP_CORNERS]) {
    CnPolygon base, cover;
    cn_face_polygon(pair->reference, pair->face, &base);
    cn_face_polygon(pair->incident, pair->other, &cover);
    for (int i = 0; i < cover.count; ++i) {
        cover.points[i] = cn_relative_pose_place(pair->pose, cover.points[i]);
    }
    return cn_clip_face(&base, cn_reference_face(pair)->normal, &cover, pair->tolerance, corners);
}

// How far the point of the same feature is from where the corner puts it [m], and its gap from the
// corner's height; HUGE_VAL if there is none.
static double error_of(const CnFacePair* pair, const CnClipCorner* corner,
                       const CnFacePoints* points) {
    const CnHullFace* face = cn_reference_face(pair);
    double height = cn_vec3_dot(face->normal, corner->point) - face->offset;
    CnVec3 middle = cn_vec3_add_scaled(corner->point, -0.5 * height, face->normal);
    for (int i = 0; i < points->count; ++i) {
        if (points->feature[i] == key_of(pair, corner)) {
            CnVec3 way = cn_vec3_sub(point_of(pair, points, i), middle);
            return fmax(cn_vec3_length(way), fabs(points->gap[i] - height));
        }
    }
    return HUGE_VAL;
}

typedef struct Tally {
    int different; // not as many points
    int cut;       // pairs that were cut
    double worst;  // error [m]
} Tally;

static void compare(const CnFacePair* pair, Tally* tally) {
    CnFacePoints points;
    CnClipCorner corners[CN_CLIP_CORNERS];
    if (!CN_WIDEST(cn_face_functions)->cut(pair, &points)) {
        return;
    }
    int count = clip_one_by_one(pair, corners);
    tally->cut += 1;
    tally->different += count != points.count;
    for (int i = 0; i < count; ++i) {
        tally->worst = fmax(tally->worst, error_of(pair, &corners[i], &points));
    }
}

// Crossings of edges that meet at a small angle lose digits: 1e-9 is the round-off of 2 m over an
// angle of 1e-6.
static void corners_cut_together_are_those_cut_one_by_one(void) {
    CnRandom random = {1};
    Tally tally = {0};
    for (int k = 0; k < PAIRS; ++k) {
        int sides = 3 + k % 6, others = 3 + k / 6 % 6;
        CnHull* a = frustum(sides, 1.0, &random);
        CnHull* b = frustum(others, cn_random_between(&random, 0.3, 2.0), &random);
        CnRelativePose seen[2];
        CnFacePair pair = random_faces(a, b, &random, seen);
        compare(&pair, &tally);
        cn_hull_free(a, NULL);
        cn_hull_free(b, NULL);
    }
    CHECK_INT(tally.different, 0);
    CHECK(tally.worst < 1e-9);
    CHECK(tally.cut > PAIRS * 99 / 100);
}

// Equal boxes on each other: every corner is on two sides, until one is moved along both.
static void corners_on_sides_are_left_to_be_cut_one_by_one(void) {
    CnBoxHull below, above;
    CnRelativePose pose = {cn_mat3_from_quat(cn_quat_identity()), cn_vec3(0.0, 0.0, 2.0)};
    CnFacePair pair = {.reference = cn_box_hull(cn_vec3(1.0, 1.0, 1.0), &below),
                       .incident = cn_box_hull(cn_vec3(1.0, 1.0, 1.0), &above),
                       .face = 5,
                       .other = 4,
                       .pose = &pose,
                       .lean = 1.0,
                       .tolerance = 1e-7};
    CnFacePoints points;
    cn_box_lay_outline(&below, 5);
    cn_box_lay_outline(&above, 4);
    CHECK(!CN_WIDEST(cn_face_functions)->cut(&pair, &points));
    pose.offset = cn_vec3(0.25, 0.0, 2.0);
    CHECK(!CN_WIDEST(cn_face_functions)->cut(&pair, &points));
    pose.offset = cn_vec3(0.25, 0.5, 2.0);
    CHECK(CN_WIDEST(cn_face_functions)->cut(&pair, &points));
    CHECK_INT(points.count, 4);
    CHECK(points.least == 0.0);
}

static bool are_equal(const CnFacePoints* a, const CnFacePoints* b) {
    size_t size = (size_t)a->count * sizeof(double);
    return a->count == b->count && memcmp(&a->least, &b->least, sizeof a->least) == 0 &&
           memcmp(a->x, b->x, size) == 0 && memcmp(a->y, b->y, size) == 0 &&
           memcmp(a->z, b->z, size) == 0 && memcmp(a->gap, b->gap, size) == 0 &&
           memcmp(a->feature, b->feature, (size_t)a->count * sizeof(uint32_t)) == 0;
}

// The widest registers are those of 128 bits on other processors.
static bool choices_are_equal(const CnFacePoints* points) {
    CnFlatPoints flat = {points->x, points->y, points->gap, points->count, 1.0};
    return points->count == 0 ||
           cn_face_functions_128.choose(&flat) == CN_WIDEST(cn_face_functions)->choose(&flat);
}

static bool axes_are_equal(const CnFacePair* pair, const CnRelativePose seen[2]) {
    CnSatAxes narrow, wide;
    const CnHull *a = pair->reference, *b = pair->incident;
    bool one = cn_sat_search_128(a, b, seen, 10.0, 1e-9, &narrow);
    bool two = cn_sat_hulls(a, b, seen, 10.0, 1e-9, &wide);
    return one == two && memcmp(&narrow, &wide, sizeof wide) == 0;
}

static void registers_of_any_width_give_the_same_bits(void) {
    CnRandom random = {3};
    int different = 0;
    for (int k = 0; k < PAIRS; ++k) {
        CnFacePoints narrow, wide;
        CnHull* a = frustum(3 + k % 6, 1.0, &random);
        CnHull* b = frustum(3 + k / 6 % 6, 1.0, &random);
        CnRelativePose seen[2];
        CnFacePair pair = random_faces(a, b, &random, seen);
        bool one = cn_face_functions_128.cut(&pair, &narrow);
        bool two = CN_WIDEST(cn_face_functions)->cut(&pair, &wide);
        different += one != two || (one && !are_equal(&narrow, &wide));
        different += one && !choices_are_equal(&narrow);
        different += !axes_are_equal(&pair, seen);
        cn_hull_free(a, NULL);
        cn_hull_free(b, NULL);
    }
    CHECK_INT(different, 0);
}

TEST_MAIN("unit/collision/sat/face_points", TEST(corners_cut_together_are_those_cut_one_by_one),
          TEST(corners_on_sides_are_left_to_be_cut_one_by_one),
          TEST(registers_of_any_width_give_the_same_bits))
