// test_invariance.c - distances, contacts and casts do not depend on order, attitude or place.
#include "collision/cast/sweep_cast.h"
#include "collision/collide.h"
#include "collision/convex/distance.h"
#include "geometry/support.h"
#include "support/shapes/regimes.h"
#include "support/test.h"

#define PAIRS (UNDER_SANITIZER ? 10 : 120) // of each kind and regime

// A pair turned by a rotation with rounded numbers is another pair: its parts have moved by a few
// units of round-off of the size. So may distances.
#define UNCHANGED 1e-12

typedef enum Change { SWAPPED, TURNED, TURNED_SQUARE, MOVED, MOVED_FAR } Change;

typedef struct View {
    bool swapped;
    CnTransform by; // A's and B's poses are seen through it
} View;

static CnPlacedShape seen(const View* view, CnPlacedShape placed) {
    CnTransform pose = placed.pose;
    placed.pose.position = cn_transform_point(view->by, pose.position);
    placed.pose.rotation = cn_quat_multiply(view->by.rotation, pose.rotation);
    return placed;
}

#define FAR 1e6 // [m]

static View draw_view(const KnownPair* pair, CnRandom* random, Change change) {
    View view = {change == SWAPPED, {{0.0, 0.0, 0.0}, cn_quat_identity()}};
    if (change == TURNED) {
        view.by.rotation = known_rotation(random);
    } else if (change == TURNED_SQUARE) { // quarters, halves and thirds of a turn
        view.by.rotation = regime_right_angles(random);
    } else if (change == MOVED || change == MOVED_FAR) {
        double far = change == MOVED ? regime_size(pair) : FAR;
        view.by.position = cn_vec3_scale(far, known_direction(random));
    }
    return view;
}

static CnVec3 seen_back(const View* view, CnVec3 point) {
    return cn_quat_unrotate(view->by.rotation, cn_vec3_sub(point, view->by.position));
}

// The position of each shape is rounded once when it is moved by far: half a unit in each of three
// coordinates, so the pair is off by twice sqrt(3) / 2 of epsilon times far [m]. When it is turned
// where it is, each coordinate is rounded some ten times.
static double grid_of(const KnownPair* pair, const View* view) {
    double moved = cn_vec3_length(view->by.position), far = cn_vec3_length(pair->b.pose.position);
    return 0x1p-52 * (moved > 0.0 ? 2.0 * fmax(moved, far) : 20.0 * far);
}

static double allowed_for(const KnownPair* pair, const View* view) {
    return UNCHANGED * regime_size(pair) + grid_of(pair, view);
}

static CnNearest nearest_seen(const KnownPair* pair, const View* view) {
    CnPlacedShape a = seen(view, pair->a), b = seen(view, pair->b);
    CnNearest nearest = view->swapped ? cn_nearest(b, a) : cn_nearest(a, b);
    CnVec3 normal = cn_quat_unrotate(view->by.rotation, nearest.normal);
    CnVec3 on_a = seen_back(view, nearest.point_a), on_b = seen_back(view, nearest.point_b);
    return (CnNearest){view->swapped ? on_b : on_a, view->swapped ? on_a : on_b,
                       view->swapped ? cn_vec3_negate(normal) : normal, nearest.distance};
}

// The normal of round cores is as good as the difference of their nearest points is long, relative
// to the size. Most are longer than this; what is shorter than CN_TOUCHING of the cores, a part of
// the size, touches and has a normal that is chosen.
#define SHORTEST 1e-3
#define TOUCHING 1e-15

static double between(const KnownPair* pair, double distance) {
    double radii = cn_shape_rounding(pair->a.shape) + cn_shape_rounding(pair->b.shape);
    return fabs(distance + radii) / regime_size(pair);
}

// Where two lines meet (rims, edges, axes), the normal is square to both and feels the angle
// between them, which is at least a hundredth in most pairs. Where two round sides do, points move
// along them by what normals turn over the angle between the axes, which is at least a tenth.
static double shortest_of(const KnownPair* pair, double before, double after) {
    CnShapeType a = pair->a.shape->type, b = pair->b.shape->type;
    bool lines = b == CN_SHAPE_CYLINDER && a != CN_SHAPE_PLANE && a != CN_SHAPE_SPHERE;
    double least = fmin(between(pair, before), between(pair, after));
    bool touch = fmax(between(pair, before), between(pair, after)) < TOUCHING;
    double shortest = a == CN_SHAPE_PLANE || touch ? SHORTEST : fmin(SHORTEST, least);
    bool round_sides = a == CN_SHAPE_CYLINDER && b == CN_SHAPE_CYLINDER;
    return shortest * (lines && touch ? 0.01 : round_sides ? 0.1 : 1.0);
}

// Turned by rotations of rounded numbers a pair is another, off by a few units of its size, which
// UNCHANGED covers, and normals by that over the shortest: 10 x 2.2e-16 / 1e-3 = 2e-12. Moved by
// far, it is off by the grid there, once for each of the two shapes.
static double allowed_turn(const KnownPair* pair, const View* view, double after) {
    double before = cn_nearest(pair->a, pair->b).distance;
    double grid = grid_of(pair, view) / regime_size(pair);
    return 2.0 * (SHORTEST * UNCHANGED + grid) / shortest_of(pair, before, after);
}

// Distances

// One contact point with a gap within this of the least, relative to the size: no other points of
// the shapes are as near as the nearest. Parallel edges, common among degenerate pairs, have one as
// well.
#define ALONE 1e-3

static bool is_alone(Regime regime, const KnownPair* pair, double distance) {
    CnManifoldPoint points[CN_MANIFOLD_POINTS];
    return regime != REGIME_DEGENERATE &&
           cn_collide(pair->a, pair->b, distance + ALONE * regime_size(pair), points) == 1;
}

// Of the direction of the nearest points and, where they are alone, of the points, relative to what
// is allowed.
static double change_of_points(Regime regime, const KnownPair* pair, const View* view) {
    CnNearest before = cn_nearest(pair->a, pair->b), after = nearest_seen(pair, view);
    double allowed = allowed_turn(pair, view, after.distance), size = regime_size(pair);
    double turn = cn_vec3_length(cn_vec3_sub(after.normal, before.normal));
    double on_a = cn_vec3_length(cn_vec3_sub(after.point_a, before.point_a)) / size;
    double on_b = cn_vec3_length(cn_vec3_sub(after.point_b, before.point_b)) / size;
    double way = is_alone(regime, pair, before.distance) ? fmax(on_a, on_b) : 0.0;
    return fmax(turn, way) / allowed;
}

static double change_of_distance(const KnownPair* pair, const View* view) {
    CnNearest before = cn_nearest(pair->a, pair->b), after = nearest_seen(pair, view);
    double allowed = allowed_for(pair, view);
    double worst = fabs(after.distance - before.distance) / allowed;
    if (pair->a.shape->type != CN_SHAPE_PLANE) { // the normal parts the shapes as far
        double along = known_separation(pair->a, pair->b, after.normal);
        worst = fmax(worst, fabs(along - before.distance) / allowed);
    }
    return worst;
}

// Far from the origin shapes that touched are as far apart as the grid is wide, along anything; in
// a pair of 1 mm and 1 km the smaller has angles that are off by round-off of the larger. Distances
// are good to these, directions are not.
static void check_nearest(Change change) {
    regime_start();
    for (int i = 0; i < REGIME_COUNT * REGIME_KINDS; ++i) {
        Regime regime = (Regime)(i / REGIME_KINDS);
        int kind = i % REGIME_KINDS;
        bool is_fine = regime != REGIME_MIXED && regime != REGIME_FAR && change != MOVED_FAR;
        CnRandom random = {(uint64_t)(1000 * (int)change + i) + 1};
        double worst = 0.0;
        for (int k = 0; k < PAIRS; ++k) {
            KnownPair pair;
            regime_pair(regime, kind, &random, &pair);
            View view = draw_view(&pair, &random, change);
            worst = fmax(worst, change_of_distance(&pair, &view));
            worst = fmax(worst, is_fine ? change_of_points(regime, &pair, &view) : 0.0);
            regime_release(&pair);
        }
        ck_assert_msg(worst <= 1.0, "%s, kind %d: changed by %g of what is allowed",
                      regime_names[regime], kind, worst);
    }
}

static bool is_same_vector(CnVec3 a, CnVec3 b) {
    return a.x == b.x && a.y == b.y && a.z == b.z;
}

// To the bit.
static void swapping_two_shapes_swaps_their_nearest_points(void) {
    View swapped = {true, {{0.0, 0.0, 0.0}, cn_quat_identity()}};
    int changed = 0;
    regime_start();
    for (int i = 0; i < REGIME_COUNT * REGIME_KINDS; ++i) {
        CnRandom random = {(uint64_t)i + 5};
        for (int k = 0; k < PAIRS; ++k) {
            KnownPair pair;
            regime_pair((Regime)(i / REGIME_KINDS), i % REGIME_KINDS, &random, &pair);
            CnNearest one = cn_nearest(pair.a, pair.b), other = nearest_seen(&pair, &swapped);
            changed +=
                !(one.distance == other.distance && is_same_vector(one.normal, other.normal) &&
                  is_same_vector(one.point_a, other.point_a) &&
                  is_same_vector(one.point_b, other.point_b));
            regime_release(&pair);
        }
    }
    ck_assert_int_eq(changed, 0);
}

static void turning_two_shapes_turns_their_nearest_points(void) {
    check_nearest(TURNED);
}

static void turning_two_shapes_by_right_angles_turns_their_nearest_points(void) {
    check_nearest(TURNED_SQUARE);
}

static void moving_two_shapes_moves_their_nearest_points(void) {
    check_nearest(MOVED);
}

static void moving_two_shapes_1000_km_changes_distances_by_the_grid_there(void) {
    check_nearest(MOVED_FAR);
}

// Contact points

static int collide_seen(const KnownPair* pair, const View* view, double margin,
                        CnManifoldPoint points[CN_MANIFOLD_POINTS]) {
    CnPlacedShape a = seen(view, pair->a), b = seen(view, pair->b);
    int count = view->swapped ? cn_collide(b, a, margin, points) : cn_collide(a, b, margin, points);
    for (int i = 0; i < count; ++i) {
        CnVec3 normal = cn_quat_unrotate(view->by.rotation, points[i].normal);
        points[i].normal = view->swapped ? cn_vec3_negate(normal) : normal;
        points[i].point = seen_back(view, points[i].point);
    }
    return count;
}

static double difference(const CnManifoldPoint* a, const CnManifoldPoint* b, double size) {
    double place = cn_vec3_length(cn_vec3_sub(a->point, b->point)) / size;
    double turn = cn_vec3_length(cn_vec3_sub(a->normal, b->normal));
    double gap = fabs(a->gap - b->gap) / size;
    return a->feature == b->feature ? fmax(place, fmax(turn, gap)) : HUGE_VAL;
}

// Some fraction of the size that no gap of a degenerate pair is.
#define MARGIN 0.0987

static double change_of_contacts(const KnownPair* pair, const View* view) {
    CnManifoldPoint before[CN_MANIFOLD_POINTS], after[CN_MANIFOLD_POINTS];
    double size = regime_size(pair), margin = MARGIN * size, worst = 0.0;
    int count = cn_collide(pair->a, pair->b, margin, before);
    if (collide_seen(pair, view, margin, after) != count) {
        return HUGE_VAL;
    }
    for (int i = 0; i < count; ++i) {
        worst = fmax(worst, difference(&before[i], &after[i], size));
    }
    return worst;
}

// The same points in the same order, with the same features: to the bit.
static void swapping_two_shapes_only_turns_normals_round(void) {
    View swapped = {true, {{0.0, 0.0, 0.0}, cn_quat_identity()}};
    regime_start();
    for (int i = 0; i < REGIME_COUNT * REGIME_KINDS; ++i) {
        Regime regime = (Regime)(i / REGIME_KINDS);
        int kind = i % REGIME_KINDS;
        CnRandom random = {(uint64_t)i + 11};
        double worst = 0.0;
        for (int k = 0; k < PAIRS; ++k) {
            KnownPair pair;
            regime_pair(regime, kind, &random, &pair);
            worst = fmax(worst, change_of_contacts(&pair, &swapped));
            regime_release(&pair);
        }
        ck_assert_msg(worst == 0.0, "%s, kind %d: contacts change by %g", regime_names[regime],
                      kind, worst);
    }
}

// The same points, order and features, whatever the pose: where shapes touch, lie square to each
// other or about one centre, what is as good is chosen by rules that turn with them.
static void check_contacts(Change change) {
    static const Regime regimes[] = {REGIME_RANDOM,     REGIME_NESTED, REGIME_TOUCHING,
                                     REGIME_DEGENERATE, REGIME_TINY,   REGIME_HUGE};
    regime_start();
    for (int i = 0; i < 6 * REGIME_KINDS; ++i) {
        Regime regime = regimes[i / REGIME_KINDS];
        int kind = i % REGIME_KINDS;
        CnRandom random = {(uint64_t)(1000 * (int)change + i) + 7};
        double worst = 0.0;
        for (int k = 0; k < PAIRS; ++k) {
            KnownPair pair;
            regime_pair(regime, kind, &random, &pair);
            View view = draw_view(&pair, &random, change);
            double after = nearest_seen(&pair, &view).distance;
            double allowed = allowed_turn(&pair, &view, after);
            worst = fmax(worst, change_of_contacts(&pair, &view) / allowed);
            regime_release(&pair);
        }
        ck_assert_msg(worst <= 1.0, "%s, kind %d: contacts change by %g of what is allowed",
                      regime_names[regime], kind, worst);
    }
}

static void turning_two_shapes_turns_their_contacts(void) {
    check_contacts(TURNED);
}

static void turning_two_shapes_by_right_angles_turns_their_contacts(void) {
    check_contacts(TURNED_SQUARE);
}

static void moving_two_shapes_moves_their_contacts(void) {
    check_contacts(MOVED);
}

// Edges a million times as long as others: round-off of the large ones must not choose among small
// features. Nearest points of touching ones are what the pose leaves of them, so only counts and
// features are compared.
static void boxes_of_any_proportions_keep_their_features(void) {
    const KnownPairDef def = {CN_SHAPE_BOX, CN_SHAPE_BOX, 1e-6, 1.0, 0.0, NULL, 0};
    CnRandom random = {1};
    int changed = 0;
    for (int k = 0; k < 25 * PAIRS; ++k) {
        KnownPair pair;
        known_pair(&def, &random, &pair);
        View view = draw_view(&pair, &random, TURNED);
        changed += !isfinite(change_of_contacts(&pair, &view));
    }
    ck_assert_int_eq(changed, 0);
}

// Half a turn

// Equal shapes, each of which is where half a turn about some axis takes the other: both see the
// same, and only their serial numbers tell them apart. The axis is any or one of the shape's own.
static void draw_twins(const KnownPair* pair, CnRandom* random, KnownPair* twins) {
    CnVec3 own = cn_quat_rotate(pair->a.pose.rotation, cn_vec3(1.0, 0.0, 0.0));
    CnVec3 axis = known_direction(random);
    CnVec3 middle = known_direction(random);
    double apart = cn_random_between(random, 0.0, 0.7) * pair->shapes[0].extent;
    axis = cn_random_between(random, 0.0, 1.0) < 0.5 ? own : axis;
    CnQuat half = cn_quat(0.0, axis.x, axis.y, axis.z);
    *twins = *pair;
    twins->shapes[1] = twins->shapes[0];
    twins->shapes[1].serial = 2;
    twins->a.shape = &twins->shapes[0];
    twins->b.shape = &twins->shapes[1];
    middle = cn_vec3_add_scaled(twins->a.pose.position, apart, middle);
    CnVec3 back = cn_vec3_sub(twins->a.pose.position, middle);
    twins->b.pose.position = cn_vec3_add(middle, cn_quat_rotate(half, back));
    twins->b.pose.rotation = cn_quat_multiply(half, twins->a.pose.rotation);
}

// Edges of twins may be almost parallel: their nearest points are good to round-off over the angle.
#define ALMOST_PARALLEL 0.1 // [rad]

static void equal_shapes_half_a_turn_apart_keep_their_order(void) {
    static const int kinds[] = {0, 5, 9, 12, 14}; // two of a type
    regime_start();
    for (int i = 0; i < 5 * 3; ++i) {
        CnRandom random = {(uint64_t)i + 3};
        double worst = 0.0, swapped = 0.0;
        for (int k = 0; k < PAIRS; ++k) {
            KnownPair pair, twins;
            regime_pair(REGIME_RANDOM, kinds[i / 3], &random, &pair);
            draw_twins(&pair, &random, &twins);
            View view = draw_view(&twins, &random, (Change)(TURNED + i % 3));
            View swap = draw_view(&twins, &random, SWAPPED);
            double after = nearest_seen(&twins, &view).distance;
            double allowed = allowed_turn(&twins, &view, after) / ALMOST_PARALLEL;
            worst = fmax(worst, change_of_contacts(&twins, &view) / allowed);
            swapped = fmax(swapped, change_of_contacts(&twins, &swap));
            regime_release(&pair);
        }
        ck_assert_msg(worst <= 1.0, "kind %d: contacts change by %g of what is allowed",
                      kinds[i / 3], worst);
        ck_assert_msg(swapped == 0.0, "kind %d: swapping changes %g", kinds[i / 3], swapped);
    }
}

// Rims

static void draw_cylinder(CnRandom* random, uint64_t serial, CnShape* shape) {
    *shape = (CnShape){.type = CN_SHAPE_CYLINDER, .serial = serial};
    shape->local.rotation = cn_quat_identity();
    shape->radius = cn_random_between(random, 0.2, 2.0);
    shape->half_length = cn_random_between(random, 0.2, 2.0);
    shape->extent = shape->radius + shape->half_length;
}

// B's axis lies in the plane y = 0 of A, tilted, and its rim touches A's in it: normals between
// those of the two sides are all as good.
static void draw_leaning(CnRandom* random, KnownPair* pair) {
    draw_cylinder(random, 1, &pair->shapes[0]);
    draw_cylinder(random, 2, &pair->shapes[1]);
    const CnShape *a = &pair->shapes[0], *b = &pair->shapes[1];
    double tilt = cn_random_between(random, 0.1, 1.4); // of the normal of B's side [rad]
    CnQuat turn = cn_quat_from_axis_angle(cn_vec3(0.0, 1.0, 0.0), tilt - 0.5 * CN_PI);
    CnVec3 rim = cn_vec3_sub(cn_vec3(a->radius, 0.0, a->half_length),
                             cn_quat_rotate(turn, cn_vec3(-b->radius, 0.0, b->half_length)));
    pair->a = (CnPlacedShape){a, {{0.0, 0.0, 0.0}, cn_quat_identity()}};
    pair->b = (CnPlacedShape){b, {rim, turn}};
}

static void rims_that_touch_in_the_plane_of_both_axes_keep_their_normal(void) {
    CnRandom random = {29};
    double worst = 0.0;
    for (int k = 0; k < 10 * PAIRS; ++k) {
        KnownPair pair;
        draw_leaning(&random, &pair);
        View view = draw_view(&pair, &random, TURNED);
        worst = fmax(worst, change_of_contacts(&pair, &view));
    }
    ck_assert_double_le(worst, 10.0 * UNCHANGED); // round-off over the stand-off of the normal
}

// Casts

typedef struct Cast {
    CnPlacedShape moving, still;
    CnVec3 direction; // unit
    double length;    // [m]
} Cast;

// From outside; of a degenerate pair along an axis of A, so that many slide along a face or over a
// rim, and against a plane.
static Cast draw_cast(Regime regime, int which, const KnownPair* pair, CnRandom* random) {
    CnVec3 axes[3] = {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, -1.0}};
    CnVec3 free = known_direction(random);
    CnVec3 own = cn_quat_rotate(pair->a.pose.rotation, axes[which % 3]);
    double size = regime_size(pair);
    Cast cast = {pair->b, pair->a, regime == REGIME_DEGENERATE ? own : free, 10.0 * size};
    if (pair->a.shape->type == CN_SHAPE_PLANE) {
        CnVec3 up = cn_quat_rotate(pair->a.pose.rotation, pair->a.shape->normal);
        bool level = fabs(cn_vec3_dot(up, cast.direction)) < 0.1;
        cast.direction = level ? cn_vec3_negate(up) : cast.direction;
    }
    cast.moving.pose.position =
        cn_vec3_add_scaled(cast.moving.pose.position, -2.0 * size, cast.direction);
    return cast;
}

// Whether both hit is told in any case; how far and with what normal unless they graze: from 0.1 of
// a right angle on. The farther they go the more the rounded direction leads aside.
static double change_of_cast(const Cast* cast, const View* view, double size) {
    CnSweepHit before = {0}, after = {0};
    CnVec3 turned = cn_quat_rotate(view->by.rotation, cast->direction);
    bool hit = cn_sweep_cast(cast->moving, cast->still, cast->direction, cast->length, &before);
    if (cn_sweep_cast(seen(view, cast->moving), seen(view, cast->still), turned, cast->length,
                      &after) != hit) {
        return HUGE_VAL;
    }
    CnVec3 normal = cn_quat_unrotate(view->by.rotation, after.normal);
    if (!hit || fabs(cn_vec3_dot(before.normal, cast->direction)) < 0.1) {
        return 0.0;
    }
    return fmax(fabs(after.distance - before.distance) / size,
                SHORTEST * cn_vec3_length(cn_vec3_sub(normal, before.normal)));
}

static void turning_a_cast_turns_its_hit(void) {
    static const Regime regimes[] = {REGIME_RANDOM, REGIME_DEGENERATE, REGIME_TINY};
    regime_start();
    for (int i = 0; i < 3 * REGIME_KINDS; ++i) {
        Regime regime = regimes[i / REGIME_KINDS];
        CnRandom random = {(uint64_t)i + 13};
        double worst = 0.0;
        for (int k = 0; k < PAIRS; ++k) {
            KnownPair pair;
            regime_pair(regime, i % REGIME_KINDS, &random, &pair);
            Cast cast = draw_cast(regime, k, &pair, &random);
            View view = draw_view(&pair, &random, k % 2 == 0 ? TURNED : TURNED_SQUARE);
            worst = fmax(worst, change_of_cast(&cast, &view, regime_size(&pair)));
            regime_release(&pair);
        }
        ck_assert_msg(worst <= 10.0 * UNCHANGED, "%s, kind %d: hits change by %g",
                      regime_names[regime], i % REGIME_KINDS, worst);
    }
}

TEST_MAIN("unit/collision/invariance", TEST(swapping_two_shapes_swaps_their_nearest_points),
          TEST(turning_two_shapes_turns_their_nearest_points),
          TEST(turning_two_shapes_by_right_angles_turns_their_nearest_points),
          TEST(moving_two_shapes_moves_their_nearest_points),
          TEST(moving_two_shapes_1000_km_changes_distances_by_the_grid_there),
          TEST(swapping_two_shapes_only_turns_normals_round),
          TEST(turning_two_shapes_turns_their_contacts),
          TEST(turning_two_shapes_by_right_angles_turns_their_contacts),
          TEST(moving_two_shapes_moves_their_contacts),
          TEST(boxes_of_any_proportions_keep_their_features),
          TEST(equal_shapes_half_a_turn_apart_keep_their_order),
          TEST(rims_that_touch_in_the_plane_of_both_axes_keep_their_normal),
          TEST(turning_a_cast_turns_its_hit))
