// test_invariance.c - distances and contacts do not depend on order, attitude or place.
#include "collision/collide.h"
#include "collision/distance.h"
#include "collision/pair_order.h"
#include "geometry/support.h"
#include "support/regimes.h"
#include "support/test.h"

#define PAIRS (UNDER_SANITIZER ? 20 : 300) // of each kind and regime

// A pair turned by a rotation with rounded numbers is another pair: its parts have moved by a few
// units of round-off of the size. So may distances.
#define UNCHANGED 1e-12

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

static View draw_view(CnRandom* random, int which, double far) {
    View view = {which == 0, {{0.0, 0.0, 0.0}, cn_quat_identity()}};
    if (which == 1) {
        view.by.rotation = known_rotation(random);
    } else if (which == 2) {
        view.by.position = cn_vec3_scale(far, known_direction(random));
    }
    return view;
}

// The position of each shape is rounded once when it is moved by far: half a unit in each of three
// coordinates, so the pair is off by twice sqrt(3) / 2 of epsilon times far.
static double allowed_for(const KnownPair* pair, const View* view) {
    return UNCHANGED * regime_size(pair) + 2.0 * 0x1p-52 * cn_vec3_length(view->by.position);
}

static CnNearest nearest_seen(const KnownPair* pair, const View* view) {
    CnPlacedShape a = seen(view, pair->a), b = seen(view, pair->b);
    CnNearest nearest = view->swapped ? cn_nearest(b, a) : cn_nearest(a, b);
    CnVec3 normal = cn_quat_unrotate(view->by.rotation, nearest.normal);
    nearest.normal = view->swapped ? cn_vec3_negate(normal) : normal;
    return nearest;
}

static double sampled_change(Regime regime, int kind, int which, double far) {
    CnRandom random = {(uint64_t)(100 * which + 10 * (int)regime + kind) + 1};
    double worst = 0.0;
    for (int i = 0; i < PAIRS; ++i) {
        KnownPair pair;
        regime_pair(regime, kind, &random, &pair);
        View view = draw_view(&random, which, far);
        CnNearest before = cn_nearest(pair.a, pair.b);
        CnNearest after = nearest_seen(&pair, &view);
        double allowed = allowed_for(&pair, &view);
        worst = fmax(worst, fabs(after.distance - before.distance) / allowed);
        // Where two normals are as good either will do: it parts the shapes as far.
        if (regime_kinds[kind][0] != CN_SHAPE_PLANE) {
            double along = known_separation(pair.a, pair.b, after.normal);
            worst = fmax(worst, fabs(along - before.distance) / allowed);
        }
        regime_release(&pair);
    }
    return worst;
}

static void check_nearest(int which, double far) {
    static const Regime regimes[] = {REGIME_RANDOM, REGIME_TOUCHING, REGIME_NESTED,
                                     REGIME_DEGENERATE, REGIME_MIXED};
    regime_start();
    for (int r = 0; r < 5; ++r) {
        for (int kind = 0; kind < REGIME_KINDS; ++kind) {
            double worst = sampled_change(regimes[r], kind, which, far);
            ck_assert_msg(worst <= 1.0, "%s, kind %d: changed by %g of what is allowed",
                          regime_names[regimes[r]], kind, worst);
        }
    }
}

static void swapping_two_shapes_changes_no_distance(void) {
    check_nearest(0, 0.0);
}

static void turning_two_shapes_changes_no_distance(void) {
    check_nearest(1, 0.0);
}

static void moving_two_shapes_changes_no_distance(void) {
    check_nearest(2, 10.0);
}

static void moving_two_shapes_1000_km_changes_distances_by_the_grid_there(void) {
    check_nearest(2, 1e6);
}

// Contact points

static int collide_seen(const KnownPair* pair, const View* view, double margin,
                        CnManifoldPoint points[CN_MANIFOLD_POINTS]) {
    CnPlacedShape a = seen(view, pair->a), b = seen(view, pair->b);
    int count = view->swapped ? cn_collide(b, a, margin, points) : cn_collide(a, b, margin, points);
    for (int i = 0; i < count; ++i) {
        CnVec3 normal = cn_quat_unrotate(view->by.rotation, points[i].normal);
        points[i].normal = view->swapped ? cn_vec3_negate(normal) : normal;
        points[i].point =
            cn_quat_unrotate(view->by.rotation, cn_vec3_sub(points[i].point, view->by.position));
    }
    return count;
}

// Where a line lies square to the axis of a cylinder and through it, points of the line are equally
// deep: GJK compares squares of distances, and finds one to the root of round-off, 1.5e-8.
static double blur_of(const KnownPair* pair, double size) {
    bool has_line =
        pair->a.shape->type == CN_SHAPE_CAPSULE || pair->a.shape->type == CN_SHAPE_CYLINDER;
    bool is_deep = cn_nearest(pair->a, pair->b).distance < -0.01 * size;
    return has_line && pair->b.shape->type == CN_SHAPE_CYLINDER && is_deep ? 1.5e-8 : 0.0;
}

static double difference(const CnManifoldPoint* a, const CnManifoldPoint* b, double size,
                         double blur) {
    double place = fmax(cn_vec3_length(cn_vec3_sub(a->point, b->point)) / size - blur, 0.0);
    double turn = cn_vec3_length(cn_vec3_sub(a->normal, b->normal));
    double gap = fabs(a->gap - b->gap) / size;
    return a->feature == b->feature ? fmax(place, fmax(turn, gap)) : HUGE_VAL;
}

// Some fraction of the size that no gap of a degenerate pair is.
#define MARGIN 0.0987

static double change_of_contacts(const KnownPair* pair, const View* view) {
    CnManifoldPoint before[CN_MANIFOLD_POINTS], after[CN_MANIFOLD_POINTS];
    double size = regime_size(pair), margin = MARGIN * size, worst = 0.0;
    double blur = view->swapped ? 0.0 : blur_of(pair, size);
    int count = cn_collide(pair->a, pair->b, margin, before);
    if (collide_seen(pair, view, margin, after) != count) {
        return HUGE_VAL;
    }
    for (int i = 0; i < count; ++i) {
        worst = fmax(worst, difference(&before[i], &after[i], size, blur));
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

// Cores that touch, or that lie square to each other or about one centre (degenerate), have normals
// that are chosen: flats in the order of their numbers, then axes of the shapes, then by weights in
// A's frame among the summits that are as high. That turns with the pair, but for one kind. A
// corner or an end that touches the rim of a cylinder, to round-off, has a whole fan of normals as
// good, of which the summit climbs to any: to say which, the fan would have to be known, not one of
// its normals.
static bool has_normal(Regime regime, int kind) {
    CnShapeType a = regime_kinds[kind][0], b = regime_kinds[kind][1];
    bool corner_on_rim = (a == CN_SHAPE_BOX || a == CN_SHAPE_CAPSULE) && b == CN_SHAPE_CYLINDER;
    return !(regime == REGIME_TOUCHING && corner_on_rim);
}

// docs/theory/sat.md (10) and (14): which of two equal shapes is first may hang on the axes of the
// world, where each sees the other alike and one lies half a turn from the other.
static bool is_order_kept(const KnownPair* pair, const View* view) {
    bool before = cn_pair_is_reversed(pair->a, pair->b);
    return pair->a.shape->type != pair->b.shape->type ||
           before == cn_pair_is_reversed(seen(view, pair->a), seen(view, pair->b));
}

// The normal of round cores is as good as the difference of their nearest points is long, relative
// to the size. Most are longer than this; what is shorter than CN_TOUCHING of the cores, a part of
// the size, touches and has a normal that is chosen.
#define SHORTEST 1e-3
#define TOUCHING 1e-15

static double shortest_of(const KnownPair* pair) {
    double radii = cn_shape_rounding(pair->a.shape) + cn_shape_rounding(pair->b.shape);
    bool has_plane = pair->a.shape->type == CN_SHAPE_PLANE;
    double between = fabs(cn_nearest(pair->a, pair->b).distance + radii) / regime_size(pair);
    // Where two round sides meet, points move along them by what normals turn over the angle
    // between the axes, which is at least a tenth in most pairs; where two rims do, over the angle
    // between these, a hundredth.
    bool round_sides =
        pair->a.shape->type == CN_SHAPE_CYLINDER && pair->b.shape->type == CN_SHAPE_CYLINDER;
    bool is_chosen = has_plane || between < TOUCHING;
    double shortest = is_chosen ? SHORTEST : fmin(SHORTEST, between);
    return round_sides ? (between < TOUCHING ? 0.01 : 0.1) * shortest : shortest;
}

// Turned by rotations of rounded numbers a pair is another, off by a few units of its size, which
// UNCHANGED covers, and normals by that over the shortest: 10 x 2.2e-16 / 1e-3 = 2e-12. Moved by
// far, it is off by the grid there, once for each of the two shapes.
static void check_contacts(int which, double far) {
    static const Regime regimes[] = {REGIME_RANDOM, REGIME_NESTED, REGIME_TOUCHING,
                                     REGIME_DEGENERATE};
    regime_start();
    for (int i = 0; i < 4 * REGIME_KINDS; ++i) {
        Regime regime = regimes[i / REGIME_KINDS];
        int kind = i % REGIME_KINDS;
        CnRandom random = {(uint64_t)(1000 * which + i) + 7};
        double worst = 0.0;
        int reordered = 0;
        for (int k = 0; has_normal(regime, kind) && k < PAIRS; ++k) {
            KnownPair pair;
            regime_pair(regime, kind, &random, &pair);
            View view = draw_view(&random, which, far);
            double grid = 2.0 * 0x1p-52 * far / regime_size(&pair);
            double allowed = 2.0 * (SHORTEST * UNCHANGED + grid) / shortest_of(&pair);
            bool same_order = is_order_kept(&pair, &view);
            worst = same_order ? fmax(worst, change_of_contacts(&pair, &view) / allowed) : worst;
            reordered += !same_order;
            regime_release(&pair);
        }
        ck_assert_msg(worst <= 1.0, "%s, kind %d: contacts change by %g of what is allowed",
                      regime_names[regime], kind, worst);
        ck_assert_msg(reordered <= PAIRS / 20, "%s, kind %d: %d of %d change their order",
                      regime_names[regime], kind, reordered, PAIRS);
    }
}

static void turning_two_shapes_turns_their_contacts(void) {
    check_contacts(1, 0.0);
}

static void moving_two_shapes_moves_their_contacts(void) {
    check_contacts(2, 10.0);
}

TEST_MAIN("unit/collision/invariance", TEST(swapping_two_shapes_changes_no_distance),
          TEST(turning_two_shapes_changes_no_distance), TEST(moving_two_shapes_changes_no_distance),
          TEST(moving_two_shapes_1000_km_changes_distances_by_the_grid_there),
          TEST(swapping_two_shapes_only_turns_normals_round),
          TEST(turning_two_shapes_turns_their_contacts),
          TEST(moving_two_shapes_moves_their_contacts))
