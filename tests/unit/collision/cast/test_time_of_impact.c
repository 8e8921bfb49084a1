// test_time_of_impact.c - impacts of moving shapes are found, all of them, where they are.
#include "collision/cast/time_of_impact.h"

#include "collision/convex/distance.h"
#include "support/shapes/known_pairs.h"
#include "support/test.h"

#define PI 3.14159265358979323846
#define DEPTH 1e-4 // from touch to limit [m]

static const CnVec3 zero = {0.0, 0.0, 0.0};

// Two bodies with one shape each on three legs.
typedef struct Meeting {
    CnShape shapes[2];
    CnSweep sweeps[2];
    CnSweptShape a, b;
} Meeting;

static void random_leg(CnRandom* random, CnTransform start, double move, double turn, CnLeg* leg) {
    CnVec3 direction = known_direction(random);
    CnVec3 axis = known_direction(random);
    leg->start = start;
    leg->move = cn_vec3_scale(cn_random_between(random, 0.0, move), direction);
    leg->turn = cn_vec3_scale(cn_random_between(random, 0.0, turn), axis);
}

static CnTransform end_of(const CnLeg* leg) {
    return (CnTransform){cn_vec3_add(leg->start.position, leg->move),
                         cn_quat_multiply(cn_quat_exp(leg->turn), leg->start.rotation)};
}

// The second leg heads for the middle, so that many of them meet there.
static void random_sweep(CnRandom* random, double turn, CnSweep* sweep) {
    CnVec3 direction = known_direction(random);
    double distance = cn_random_between(random, 1.0, 4.0);
    CnTransform start = {cn_vec3_scale(distance, direction), known_rotation(random)};
    random_leg(random, start, 0.5, turn, &sweep->legs[0]);
    random_leg(random, end_of(&sweep->legs[0]), 1.0, turn, &sweep->legs[1]);
    sweep->legs[1].move = cn_vec3_sub(sweep->legs[1].move, sweep->legs[1].start.position);
    random_leg(random, end_of(&sweep->legs[1]), 0.1, 0.1 * turn, &sweep->legs[2]);
    sweep->stop = CN_SWEEP_LEGS;
}

static void random_meeting(CnRandom* random, const KnownPairDef* def, double turn,
                           Meeting* meeting) {
    const CnShapeType types[] = {def->type_a, def->type_b};
    for (int i = 0; i < 2; ++i) {
        CnShape* shape = &meeting->shapes[i];
        *shape = known_shape(types[i], def, random);
        shape->local.position = cn_vec3_scale(0.3, known_direction(random));
        shape->local.rotation = known_rotation(random);
        random_sweep(random, turn, &meeting->sweeps[i]);
    }
    meeting->a = (CnSweptShape){&meeting->shapes[0], &meeting->sweeps[0]};
    meeting->b = (CnSweptShape){&meeting->shapes[1], &meeting->sweeps[1]};
}

static double distance_at(const Meeting* meeting, double u) {
    return cn_nearest(cn_shape_place(meeting->a.shape, cn_sweep_at(meeting->a.sweep, u)),
                      cn_shape_place(meeting->b.shape, cn_sweep_at(meeting->b.sweep, u)))
        .distance;
}

// What sampling says: until u = until no sample is below the limit.
#define SAMPLES 60
static bool is_clear_until(const Meeting* meeting, double limit, double until) {
    for (int i = 0; i <= SAMPLES; ++i) {
        double u = CN_SWEEP_LEGS * (double)i / SAMPLES;
        if (u < until && distance_at(meeting, u) < limit) {
            return false;
        }
    }
    return true;
}

// Between the touch and the limit they stay within the touch.
static bool stays_touching(const Meeting* meeting, const CnImpactTime* impact, double touch) {
    for (int i = 1; i < 4; ++i) {
        double u = impact->touch + 0.25 * i * (impact->limit - impact->touch);
        if (distance_at(meeting, u) > touch + DEPTH) {
            return false;
        }
    }
    return true;
}

typedef struct Findings {
    int none, found, bounded; // how searches ended
    int wrong;                // of them
    double touch_error;       // worst [m]
    long rounds;              // of all searches together
} Findings;

// A claimed impact is looked at, and a claimed absence of one is sampled: together they decide.
static void examine(const Meeting* meeting, Findings* findings) {
    double start = distance_at(meeting, 0.0);
    CnImpactLevels levels = {.apart = 0.0, .touch = 0.0, .limit = fmin(start, 0.0) - DEPTH};
    CnImpactTime impact = cn_time_of_impact(&meeting->a, &meeting->b, levels);
    bool is_right = is_clear_until(meeting, levels.limit, impact.limit);
    findings->rounds += impact.rounds;
    findings->none += impact.end == CN_IMPACT_NONE;
    findings->found += impact.end == CN_IMPACT_FOUND;
    findings->bounded += impact.end == CN_IMPACT_ROUNDS;
    if (impact.end == CN_IMPACT_FOUND) {
        double off = distance_at(meeting, impact.limit) - levels.limit;
        is_right = is_right && fabs(off) <= 0.02 * (levels.touch - levels.limit);
        is_right = is_right && (start <= 0.0 || impact.touch >= 0.0);
        if (impact.touch >= 0.0) {
            double error = fabs(distance_at(meeting, impact.touch) - levels.touch);
            findings->touch_error = fmax(findings->touch_error, error);
            is_right = is_right && stays_touching(meeting, &impact, levels.touch);
        }
    }
    findings->wrong += !is_right;
}

// Hulls of 4, 8, ... points on a ball.
#define HULLS 4
static CnHull hulls[HULLS];
static void build_hulls(void) {
    CnRandom random = {77};
    CnVec3 points[4 * HULLS];
    for (int i = 0; i < HULLS; ++i) {
        CnHull* hull = NULL;
        for (int k = 0; k < 4 * (i + 1); ++k) {
            points[k] = cn_vec3_scale(0.5, known_direction(&random));
        }
        CHECK_INT(cn_hull_build(points, 4 * (i + 1), NULL, &hull, NULL), CN_OK);
        hulls[i] = *hull; // lives as long as the process of the test
    }
}

static void check_all_pairs(int pairs, double turn, Findings* findings) {
    const CnShapeType types[] = {CN_SHAPE_SPHERE,   CN_SHAPE_BOX,    CN_SHAPE_CAPSULE,
                                 CN_SHAPE_CYLINDER, CN_SHAPE_CONVEX, CN_SHAPE_PLANE};
    CnRandom random = {11};
    build_hulls();
    for (int i = 0; i < pairs; ++i) {
        Meeting meeting;
        KnownPairDef def = {
            types[i % 6],   types[i / 6 % 5], .smallest = 0.05,
            .largest = 1.0, .hulls = hulls,   .hull_count = HULLS,
        };
        random_meeting(&random, &def, turn, &meeting);
        if (i % 7 == 0) {
            meeting.sweeps[0].stop = cn_random_between(&random, 0.0, CN_SWEEP_LEGS);
        }
        examine(&meeting, findings);
    }
}

// 20,000 pairs of all types, each body turning by up to 4 rad in a leg.
static void no_impact_of_moving_shapes_is_missed_or_invented(void) {
    Findings findings = {0};
    check_all_pairs(UNDER_SANITIZER ? 1000 : 20000, 4.0, &findings);
    CHECK_INT(findings.wrong, 0);
    CHECK(findings.none > 100 && findings.found > 100);
    CHECK(findings.bounded < 10);         // turn fast within a hair of each other; 3 of these do
    CHECK(findings.rounds < 20000 * 20L); // 18 distances each, those of the touch included
    CHECK_NEAR(findings.touch_error, 0.0, 1e-9);
}

// Up to six turns in a leg.
static void shapes_that_turn_many_times_are_seen_on_every_turn(void) {
    Findings findings = {0};
    check_all_pairs(UNDER_SANITIZER ? 200 : 3000, 40.0, &findings);
    CHECK_INT(findings.wrong, 0);
    CHECK(findings.none > 10 && findings.found > 100);
}

static CnSweep still_at(CnVec3 position) {
    CnSweep sweep = {.stop = CN_SWEEP_LEGS};
    for (int i = 0; i < CN_SWEEP_LEGS; ++i) {
        sweep.legs[i].start = (CnTransform){position, cn_quat_identity()};
    }
    return sweep;
}

// Along one leg only, the first.
static CnSweep moving_from(CnVec3 position, CnVec3 move, CnVec3 turn) {
    CnSweep sweep = still_at(position);
    sweep.legs[0].move = move;
    sweep.legs[0].turn = turn;
    CnTransform end = end_of(&sweep.legs[0]);
    sweep.legs[1].start = sweep.legs[2].start = end;
    return sweep;
}

static CnShape ball(double radius) {
    return (CnShape){.type = CN_SHAPE_SPHERE,
                     .local.rotation = cn_quat_identity(),
                     .radius = radius,
                     .extent = radius};
}

static CnShape rod(double radius, double half_length) {
    return (CnShape){.type = CN_SHAPE_CYLINDER,
                     .local.rotation = cn_quat_identity(),
                     .radius = radius,
                     .half_length = half_length,
                     .extent = sqrt(radius * radius + half_length * half_length)};
}

// 10 m to go, of which 9.7 are free.
static void a_ball_meets_a_ball_when_their_radii_say(void) {
    CnShape small = ball(0.1), large = ball(0.2);
    CnSweep moving = moving_from(zero, cn_vec3(20.0, 0.0, 0.0), zero);
    CnSweep still = still_at(cn_vec3(10.0, 0.0, 0.0));
    CnSweptShape a = {&small, &moving}, b = {&large, &still};
    CnImpactTime impact = cn_time_of_impact(&a, &b, (CnImpactLevels){0.0, 0.0, -DEPTH});
    CHECK_INT(impact.end, CN_IMPACT_FOUND);
    CHECK_NEAR(impact.touch, 9.7 / 20.0, 1e-10); // 1e-9 m at 20 m a leg
    CHECK_NEAR(impact.limit, (9.7 + DEPTH) / 20.0, 0.01 * DEPTH / 20.0 + 1e-12);
    CHECK(impact.rounds < 10);
}

// It spins a thousand times about its centre, and rolls as much about its axis: neither moves it.
static void spinning_balls_and_wheels_cost_nothing(void) {
    CnShape shapes[] = {ball(0.1), rod(0.1, 0.3)};
    for (int i = 0; i < 2; ++i) {
        CnSweep moving = moving_from(zero, cn_vec3(0.0, 0.0, 5.0), cn_vec3(0.0, 0.0, 2000.0 * PI));
        CnSweep still = still_at(cn_vec3(0.2 + 1e-5, 0.0, 2.5));
        CnSweptShape a = {&shapes[i], &moving}, b = {&shapes[0], &still};
        CnImpactTime impact = cn_time_of_impact(&a, &b, (CnImpactLevels){0.0, 0.0, -DEPTH});
        CHECK_INT(impact.end, CN_IMPACT_NONE);
        CHECK(impact.rounds < 60);
    }
}

// A stick of 1 m that makes 10.25 turns meets a ball in its way on the first quarter of a turn.
static void a_stick_meets_what_is_in_the_way_on_its_first_turn(void) {
    CnShape stick = rod(0.01, 0.5), pin = ball(0.01);
    CnVec3 turn = cn_vec3(20.5 * PI, 0.0, 0.0);
    CnSweep moving = moving_from(zero, zero, turn);
    CnSweep still = still_at(cn_vec3(0.0, -0.4, 0.0)); // z turns towards -y
    CnSweptShape a = {&stick, &moving}, b = {&pin, &still};
    CnImpactTime impact = cn_time_of_impact(&a, &b, (CnImpactLevels){0.0, 0.0, -DEPTH});
    double angle = 0.5 * PI - asin(0.02 / 0.4); // the axis is two radii from the pin
    CHECK_INT(impact.end, CN_IMPACT_FOUND);
    CHECK_NEAR(impact.touch, angle / (20.5 * PI), 1e-9 / 0.4 / 20.5 / PI);
}

static void a_stopped_body_meets_nothing_after_its_stop(void) {
    CnShape small = ball(0.1);
    CnSweep moving = moving_from(zero, cn_vec3(20.0, 0.0, 0.0), zero);
    CnSweep still = still_at(cn_vec3(10.0, 0.0, 0.0));
    CnSweptShape a = {&small, &moving}, b = {&small, &still};
    moving.stop = 0.48; // it would touch at 0.49
    CHECK_INT(cn_time_of_impact(&a, &b, (CnImpactLevels){0.0, 0.0, -DEPTH}).end, CN_IMPACT_NONE);
    moving.stop = 0.5;
    CHECK_INT(cn_time_of_impact(&a, &b, (CnImpactLevels){0.0, 0.0, -DEPTH}).end, CN_IMPACT_FOUND);
}

// 50 micrometres are less than the limit allows, 150 are more.
static void a_dip_above_the_limit_is_no_impact(void) {
    CnShape small = ball(0.1);
    const double depths[] = {0.5 * DEPTH, 1.5 * DEPTH};
    for (int i = 0; i < 2; ++i) {
        CnSweep moving =
            moving_from(cn_vec3(-5.0, 0.2 - depths[i], 0.0), cn_vec3(10.0, 0.0, 0.0), zero);
        CnSweep still = still_at(zero);
        CnSweptShape a = {&small, &moving}, b = {&small, &still};
        CnImpactTime impact = cn_time_of_impact(&a, &b, (CnImpactLevels){0.0, 0.0, -DEPTH});
        CHECK_INT(impact.end, i == 0 ? CN_IMPACT_NONE : CN_IMPACT_FOUND);
    }
}

static void what_touches_from_the_start_has_no_touch(void) {
    CnShape small = ball(0.1);
    CnSweep moving = moving_from(cn_vec3(-0.19, 0.0, 0.0), cn_vec3(1.0, 0.0, 0.0), zero);
    CnSweep still = still_at(zero);
    CnSweptShape a = {&small, &moving}, b = {&small, &still};
    CnImpactTime impact = cn_time_of_impact(&a, &b, (CnImpactLevels){0.0, 0.0, -0.01 - DEPTH});
    CHECK_INT(impact.end, CN_IMPACT_FOUND);
    CHECK_NEAR(impact.touch, -1.0, 0.0);
    CHECK_NEAR(impact.limit, DEPTH, 0.011 * (0.01 + DEPTH));
}

TEST_MAIN("unit/collision/cast/time_of_impact",
          TEST(no_impact_of_moving_shapes_is_missed_or_invented),
          TEST(shapes_that_turn_many_times_are_seen_on_every_turn),
          TEST(a_ball_meets_a_ball_when_their_radii_say),
          TEST(spinning_balls_and_wheels_cost_nothing),
          TEST(a_stick_meets_what_is_in_the_way_on_its_first_turn),
          TEST(a_stopped_body_meets_nothing_after_its_stop),
          TEST(a_dip_above_the_limit_is_no_impact), TEST(what_touches_from_the_start_has_no_touch))
