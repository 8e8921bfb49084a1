// test_invariance.c - distances and contacts do not depend on order, attitude or place.
#include "collision/collide.h"
#include "collision/distance.h"
#include "collision/reduce.h"
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

// Contact points. Normals and places are as good as the difference of nearest points is long, so
// pairs that are a hundredth of their size apart, or in, have them to 1e-10.
#define CONTACT 1e-9

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

static double distance_of_sets(const CnManifoldPoint* a, const CnManifoldPoint* b, int count,
                               double size) {
    double worst = 0.0;
    for (int i = 0; i < count; ++i) {
        double nearest = HUGE_VAL;
        for (int k = 0; k < count; ++k) {
            double place = cn_vec3_length(cn_vec3_sub(a[i].point, b[k].point)) / size;
            double turn = cn_vec3_length(cn_vec3_sub(a[i].normal, b[k].normal));
            double gap = fabs(a[i].gap - b[k].gap) / size;
            nearest = fmin(nearest, fmax(place, fmax(turn, gap)));
        }
        worst = fmax(worst, nearest);
    }
    return worst;
}

// Polyhedra meet by separating axes: a face is taken for an edge that parts them better by less
// than CN_ONE_CONTACT of the smaller, and which of equal points are kept may hang on the order of
// the two.
static bool are_polyhedra(int kind) {
    CnShapeType a = regime_kinds[kind][0], b = regime_kinds[kind][1];
    return (a == CN_SHAPE_BOX || a == CN_SHAPE_CONVEX) &&
           (b == CN_SHAPE_BOX || b == CN_SHAPE_CONVEX);
}

// Two of a kind: clipping has a reference and an incident part, and A is asked first. The patch is
// the same, but not always the points that stand for it.
static bool asks_a_first(int kind) {
    return are_polyhedra(kind) || regime_kinds[kind][0] == regime_kinds[kind][1];
}

static double least_gap(const CnManifoldPoint* points, int count) {
    double least = HUGE_VAL;
    for (int i = 0; i < count; ++i) {
        least = fmin(least, points[i].gap);
    }
    return least;
}

static void check_contacts(int which, double far) {
    regime_start();
    for (int kind = 0; kind < REGIME_KINDS; ++kind) {
        CnRandom random = {(uint64_t)(100 * which + kind) + 7};
        int different = 0;
        double worst = 0.0;
        for (int i = 0; i < PAIRS && !(which == 0 && asks_a_first(kind)); ++i) {
            KnownPair pair;
            CnManifoldPoint before[CN_MANIFOLD_POINTS], after[CN_MANIFOLD_POINTS];
            regime_pair(REGIME_RANDOM, kind, &random, &pair);
            View view = draw_view(&random, which, far);
            double size = regime_size(&pair), margin = 0.1 * size;
            int count = cn_collide(pair.a, pair.b, margin, before);
            different += collide_seen(&pair, &view, margin, after) != count;
            worst = fmax(worst, distance_of_sets(before, after, count, size));
            regime_release(&pair);
        }
        ck_assert_msg(different == 0, "kind %d: %d pairs have more or fewer points", kind,
                      different);
        ck_assert_msg(worst <= CONTACT, "kind %d: contacts change by %g", kind, worst);
    }
}

static void swapping_two_shapes_changes_no_contact(void) {
    check_contacts(0, 0.0);
}

static void turning_two_shapes_changes_no_contact(void) {
    check_contacts(1, 0.0);
}

static void moving_two_shapes_changes_no_contact(void) {
    check_contacts(2, 10.0);
}

static void the_least_gap_of_a_contact_is_the_distance(void) {
    regime_start();
    for (int kind = 0; kind < REGIME_KINDS; ++kind) {
        for (int regime = are_polyhedra(kind) ? REGIME_COUNT : 0; regime < REGIME_COUNT; ++regime) {
            CnRandom random = {(uint64_t)(100 * regime + kind) + 3};
            double worst = 0.0;
            for (int i = 0; i < PAIRS / 3; ++i) {
                KnownPair pair;
                CnManifoldPoint points[CN_MANIFOLD_POINTS];
                regime_pair((Regime)regime, kind, &random, &pair);
                double size = regime_size(&pair);
                CnNearest nearest = cn_nearest(pair.a, pair.b);
                int count = cn_collide(pair.a, pair.b, nearest.distance + 0.01 * size, points);
                double gap = least_gap(points, count);
                worst = fmax(worst, fabs(gap - nearest.distance) / size);
                regime_release(&pair);
            }
            ck_assert_msg(worst <= CN_TIE, "%s, kind %d: off by %g", regime_names[regime], kind,
                          worst);
        }
    }
}

TEST_MAIN("unit/collision/invariance", TEST(swapping_two_shapes_changes_no_distance),
          TEST(turning_two_shapes_changes_no_distance), TEST(moving_two_shapes_changes_no_distance),
          TEST(moving_two_shapes_1000_km_changes_distances_by_the_grid_there),
          TEST(swapping_two_shapes_changes_no_contact), TEST(turning_two_shapes_changes_no_contact),
          TEST(moving_two_shapes_changes_no_contact),
          TEST(the_least_gap_of_a_contact_is_the_distance))
