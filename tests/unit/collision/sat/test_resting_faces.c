// test_resting_faces.c - faces that lie on each other but for a hair: no contact may be missed.
#include "cairn/random.h"
#include "collision/collide_pairs.h"
#include "collision/convex/distance.h"
#include "collision/hull/manifold.h"
#include "collision/hull/reduce.h"
#include "support/shapes/hull_shapes.h"
#include "support/shapes/random_poses.h"
#include "support/test.h"

#define PAIRS (UNDER_SANITIZER ? 300 : 3000)
#define MOST_SIDES 10

static CnShape box_of(CnVec3 half) {
    return (CnShape){.type = CN_SHAPE_BOX, .half_size = half, .extent = cn_vec3_length(half)};
}

static CnShape box_of_points(CnVec3 half) {
    CnVec3 corners[8];
    for (int i = 0; i < 8; ++i) {
        corners[i] =
            cn_vec3(i & 1 ? half.x : -half.x, i & 2 ? half.y : -half.y, i & 4 ? half.z : -half.z);
    }
    return hull_shape(corners, 8);
}

// Half sizes; tapers to a share of them at the top.
static CnShape frustum_of(int sides, CnVec3 half, double top) {
    CnVec3 points[2 * MOST_SIDES];
    for (int i = 0; i < sides; ++i) {
        double angle = 2.0 * CN_PI * i / sides, x = half.x * cos(angle), y = half.y * sin(angle);
        points[i] = cn_vec3(x, y, -half.z);
        points[sides + i] = cn_vec3(top * x, top * y, half.z);
    }
    return hull_shape(points, 2 * sides);
}

enum { BOX, BOX_OF_POINTS, FRUSTUM, KINDS };

static CnShape random_solid(CnRandom* random, CnVec3 half, int kind) {
    int sides = 3 + (int)(cn_random_next(random) % (MOST_SIDES - 2));
    double top = cn_random_between(random, 0.5, 1.0);
    return kind == BOX             ? box_of(half)
           : kind == BOX_OF_POINTS ? box_of_points(half)
                                   : frustum_of(sides, half, top);
}

static CnPlacedShape placed(const CnShape* shape, CnTransform pose) {
    return (CnPlacedShape){shape, pose};
}

// Two boxes at rest, 1.2e-9 m apart. The face of the small one is inside that of the large one,
// whose corners are beside it and nearer to its plane than any point over it.
static const CnVec3 large_half = {0.54745134457672462, 0.40335735649751647, 0.71895764112195781};
static const CnTransform large_pose = {
    {0.87797457350332775, -0.47452351535201931, -0.72109568383688782},
    {0.99999999999999911, 2.4128262037573674e-08, 2.1895386482837634e-08, -2.675189993222694e-08}};
static const CnVec3 small_half = {0.36539894638100789, 0.10209954973419294, 0.5784906674851612};
static const CnTransform small_pose = {
    {0.9177633648004464, -0.46710291493492734, 0.5763526247702313},
    {0.99999999999999922, 2.559262170091241e-08, 2.204431820190025e-08, -1.9545650766310158e-08}};

static void check_four(CnCollideFunction* function, CnPlacedShape a, CnPlacedShape b) {
    const double margins[] = {0.05, 1e-3, 1e-6};
    CnManifoldPoint points[CN_MANIFOLD_POINTS];
    for (int i = 0; i < 3; ++i) {
        CHECK_INT(function(a, b, margins[i], points), 4);
        CHECK_INT(function(b, a, margins[i], points), 4);
    }
}

static void a_small_box_rests_on_a_large_one_whoever_is_asked_first(void) {
    CnShape boxes[2] = {box_of(large_half), box_of(small_half)};
    CnShape hulls[2] = {box_of_points(large_half), box_of_points(small_half)};
    CnPlacedShape a = placed(&boxes[0], large_pose), b = placed(&boxes[1], small_pose);
    CnPlacedShape hull_a = placed(&hulls[0], large_pose), hull_b = placed(&hulls[1], small_pose);
    check_four(cn_collide, a, b);
    check_four(cn_collide, hull_a, b);
    check_four(cn_collide, a, hull_b);
    check_four(cn_collide, hull_a, hull_b);
    check_four(cn_collide, a, b);
    check_four(cn_collide_polyhedron_polyhedron, a, b);
    check_four(cn_collide_polyhedron_polyhedron, hull_a, hull_b);
    hull_shape_free(&hulls[0]);
    hull_shape_free(&hulls[1]);
}

typedef struct Scene {
    CnShape a, b;
    CnTransform pose_a, pose_b;
    bool is_choice; // there may be more than four points to choose from
} Scene;

// B upside down on A, every second time turned about the vertical. Tilts are from 1e-9 to 1e-6 rad,
// so that heights 1 m apart differ by less and by more than CN_TIE_TOLERANCE; gaps are 1e-9 m at
// most or, as often, such that a tilted face may be clear of the other with all its corners.
static Scene random_scene(CnRandom* random) {
    CnVec3 half_a = random_between(random, 0.2, 1.0);
    CnVec3 half_b = random_between(random, 0.2, 1.0);
    Scene scene;
    int kind_a = (int)(cn_random_next(random) % KINDS);
    int kind_b = (int)(cn_random_next(random) % KINDS);
    scene.a = random_solid(random, half_a, kind_a);
    scene.b = random_solid(random, half_b, kind_b);
    double shift = cn_random_next(random) % 2 == 0 ? 0.1 : 0.5;
    bool is_turned = cn_random_next(random) % 2 == 0;
    double yaw = is_turned ? cn_random_between(random, -CN_PI, CN_PI) : 0.0;
    double tilt = pow(10.0, cn_random_between(random, -9.0, -6.0));
    double reach = cn_random_next(random) % 2 == 0 ? 1e-9 : 2.0 * tilt;
    double gap = cn_random_between(random, -reach, reach);
    CnVec3 aside = random_between(random, -shift, shift);
    CnQuat over = cn_quat_from_axis_angle(cn_vec3(1.0, 0.0, 0.0), CN_PI);
    CnQuat about = cn_quat_from_axis_angle(cn_vec3(0.0, 0.0, 1.0), yaw);
    CnQuat lean = cn_quat_exp(random_between(random, -tilt, tilt));
    CnVec3 place = cn_vec3(aside.x * half_a.x, aside.y * half_a.y, half_a.z + half_b.z + gap);
    CnQuat turn = cn_quat_multiply(lean, cn_quat_multiply(about, over));
    scene.pose_a.position = random_between(random, -1.0, 1.0);
    scene.pose_a.rotation = random_turn(random);
    scene.pose_b.position = cn_transform_point(scene.pose_a, place);
    scene.pose_b.rotation = cn_quat_multiply(scene.pose_a.rotation, turn);
    scene.is_choice = is_turned || kind_a == FRUSTUM || kind_b == FRUSTUM;
    return scene;
}

// Of all contacts that were looked at.
typedef struct Tally {
    int seen, missed, few;
    double error, choice_error; // of the least gap, as a share of the size
    double beside;              // how far points are from a hull, as a share of the size
} Tally;

static double distance_to(CnPlacedShape shape, CnVec3 point) {
    CnShape ball = {.type = CN_SHAPE_SPHERE};
    return cn_nearest(shape, placed(&ball, (CnTransform){point, cn_quat_identity()})).distance;
}

static void look(CnCollideFunction* function, const Scene* scene, bool swapped, double margin,
                 Tally* tally) {
    CnPlacedShape a = placed(&scene->a, scene->pose_a), b = placed(&scene->b, scene->pose_b);
    double distance = cn_nearest(a, b).distance, size = fmin(a.shape->extent, b.shape->extent);
    double least = HUGE_VAL;
    CnManifoldPoint points[CN_MANIFOLD_POINTS];
    if (distance > margin) {
        return;
    }
    int count = swapped ? function(b, a, margin, points) : function(a, b, margin, points);
    for (int i = 0; i < count; ++i) {
        double outside = fmax(distance_to(a, points[i].point), distance_to(b, points[i].point));
        tally->beside = fmax(tally->beside, (outside - 0.5 * fabs(points[i].gap)) / size);
        least = fmin(least, points[i].gap);
    }
    double* error =
        scene->is_choice && count == CN_MANIFOLD_POINTS ? &tally->choice_error : &tally->error;
    *error = fmax(*error, fabs(least - distance) / size);
    tally->seen += 1;
    tally->missed += count == 0;
    tally->few += count < 3;
}

static Tally look_at_many(CnCollideFunction* function, bool boxes_only, double margin) {
    CnRandom random = {41};
    Tally tally = {0};
    for (int i = 0; i < PAIRS; ++i) {
        Scene scene = random_scene(&random);
        if (!boxes_only || (scene.a.type == CN_SHAPE_BOX && scene.b.type == CN_SHAPE_BOX)) {
            look(function, &scene, false, margin, &tally);
            look(function, &scene, true, margin, &tally);
        }
        hull_shape_free(&scene.a);
        hull_shape_free(&scene.b);
    }
    return tally;
}

// The least gap is the distance to CN_COINCIDENCE_TOLERANCE; where there are more than four points
// the deepest is chosen to within CN_TIE_TOLERANCE. Points are in both hulls but for half their gap
// and the CN_TIE_TOLERANCE by which a corner may be beside a face.
static void check_tally(const Tally* tally, int least_seen) {
    CHECK(tally->seen > least_seen);
    CHECK_INT(tally->missed, 0);
    CHECK(tally->error <= CN_COINCIDENCE_TOLERANCE);
    CHECK(tally->choice_error <= CN_TIE_TOLERANCE);
    CHECK(tally->beside <= CN_TIE_TOLERANCE);
}

// All points of the common part of the faces are within the margin: it has three corners at least.
static void faces_that_nearly_lie_on_each_other_have_three_points_at_least(void) {
    Tally all = look_at_many(cn_collide, false, 1e-3);
    Tally hulls = look_at_many(cn_collide_polyhedron_polyhedron, false, 1e-3);
    Tally boxes = look_at_many(cn_collide, true, 1e-3);
    check_tally(&all, PAIRS);
    check_tally(&hulls, PAIRS);
    check_tally(&boxes, PAIRS / 10);
    CHECK_INT(all.few + hulls.few + boxes.few, 0);
}

// The margin is of the order of the heights: some have one point.
static void no_contact_is_missed_by_a_margin_as_small_as_the_gaps(void) {
    Tally all = look_at_many(cn_collide, false, 1e-9);
    Tally hulls = look_at_many(cn_collide_polyhedron_polyhedron, false, 1e-9);
    check_tally(&all, PAIRS);
    check_tally(&hulls, PAIRS);
    CHECK(all.few > 0 && hulls.few > 0);
}

TEST_MAIN("unit/collision/sat/resting_faces",
          TEST(a_small_box_rests_on_a_large_one_whoever_is_asked_first),
          TEST(faces_that_nearly_lie_on_each_other_have_three_points_at_least),
          TEST(no_contact_is_missed_by_a_margin_as_small_as_the_gaps))
