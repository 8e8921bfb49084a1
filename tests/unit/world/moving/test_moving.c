// test_moving.c - bodies moved and booked side by side have the bits of one after the other.
#include "support/test.h"

#include "cairn/random.h"
#include "cairn/world.h"
#include "world/moving/moving.h"
#include "world/step/ledger.h"
#include "world/trees/compact_rows.h"

#include <stdlib.h>
#include <string.h>

// Half of a part of the ledgers holds more; no multiple of four.
enum { BODIES = 15, STEPS = 40 };

static CnVec3 vector_within(CnRandom* random, double size) {
    double x = cn_random_between(random, -size, size), y = cn_random_between(random, -size, size);
    return cn_vec3(x, y, cn_random_between(random, -size, size));
}

typedef enum Kind {
    MIXED,   // balls, which turn evenly, and boxes, which do not
    JOINTED, // the same, in a chain far above the ground
    BALLS,
    CAPSULES, // which are round about one axis
    KIND_COUNT
} Kind;

// Speeds of balls and capsules [rad/s]: half the turn of a half step is below and above the angle
// up to which a sine equals its argument. The last one is faster than the series of the lanes
// reaches, 188 rad/s.
static const double round_spins[] = {3.0, 1e-7, 40.0, 0.3, 1e-3};
#define FASTEST_ROUND 400.0

static double spin_of(int i, Kind kind) {
    if (kind == BALLS || kind == CAPSULES) {
        return i == BODIES - 1 ? FASTEST_ROUND : round_spins[i % 5];
    }
    return i % 5 == 0 ? 40.0 : 3.0;
}

static CnShapeType shape_of(int i, Kind kind) {
    return kind == CAPSULES              ? CN_SHAPE_CAPSULE
           : kind == BALLS || i % 2 == 0 ? CN_SHAPE_SPHERE
                                         : CN_SHAPE_BOX;
}

// Some of them spin, one pair weighs the same.
static void add_body(CnWorld* world, int i, Kind kind, CnRandom* random) {
    double height = kind == JOINTED ? 100.0 : 0.6;
    CnShapeDef shape = cn_shape_def_default(shape_of(i, kind));
    shape.radius = 0.3 + 0.05 * (i % 3);
    shape.length = 0.2;
    shape.size = cn_vec3(0.4, 0.6 + 0.04 * (i % 5), 0.8);
    CnBodyDef def = cn_body_def_default();
    def.shapes = &shape;
    def.shape_count = 1;
    def.position = cn_vec3(3.0 * (i % 6), 3.0 * (i / 6), height + 0.3 * (i % 4));
    def.velocity = vector_within(random, 2.0);
    def.gravity_scale = i % 7 == 0 ? 0.5 : 1.0;
    if (i % 3 != 0) {
        def.angular_velocity = vector_within(random, spin_of(i, kind));
    }
    cn_world_add_body(world, &def, NULL);
}

// A body that moves by itself, far from all others.
static void add_kinematic(CnWorld* world, int i) {
    CnBodyDef def = cn_body_def_default();
    def.type = CN_BODY_KINEMATIC;
    def.position = cn_vec3(1e3, 1e3, 10.0 * i);
    def.velocity = cn_vec3(1.0, 0.0, 0.0);
    cn_world_add_body(world, &def, NULL);
}

// A chain of ball joints and hinges.
static void join_bodies(CnWorld* world, bool alone) {
    int stride = alone ? 2 : 1;
    for (int i = 0; i + 1 < BODIES; ++i) {
        CnBodyId a = cn_world_body_at(world, 1 + stride * i),
                 b = cn_world_body_at(world, 1 + stride * (i + 1));
        CnJointDef def = cn_joint_def_default(i % 2 == 0 ? CN_JOINT_BALL : CN_JOINT_HINGE);
        CnBodyState first, second;
        cn_body_state(world, a, &first);
        cn_body_state(world, b, &second);
        def.body_a = a;
        def.body_b = b;
        def.point_a = cn_vec3_scale(0.5, cn_vec3_add(first.center, second.center));
        CHECK(cn_world_add_joint(world, &def, NULL).index != 0);
    }
}

// alone: there is a kinematic body between every two others, so that no two are taken together.
static CnWorld* make_world(bool alone, Kind kind) {
    CnWorldDef def = cn_world_def_default();
    CnWorld* world = cn_world_create(&def, NULL);
    CnRandom random = {7};
    CnShapeDef plane = cn_shape_def_default(CN_SHAPE_PLANE);
    CnBodyDef ground = cn_body_def_default();
    ground.type = CN_BODY_STATIC;
    ground.shapes = &plane;
    ground.shape_count = 1;
    cn_world_add_body(world, &ground, NULL);
    for (int i = 0; i < BODIES; ++i) {
        add_body(world, i, kind, &random);
        if (alone) {
            add_kinematic(world, i);
        }
    }
    if (kind == JOINTED) {
        join_bodies(world, alone);
    }
    return world;
}

static const CnBody* body_of(const CnWorld* world, int i, bool alone) {
    return &world->bodies.data[1 + (alone ? 2 : 1) * i];
}

// Returns the number of contacts.
static int compare_ways(Kind kind) {
    CnWorld *together = make_world(false, kind), *alone = make_world(true, kind);
    int contacts = 0;
    for (int step = 0; step < STEPS; ++step) {
        CnStepReport a, b;
        CHECK(cn_world_step(together, 1.0 / 60.0, &a, NULL) == CN_OK);
        CHECK(cn_world_step(alone, 1.0 / 60.0, &b, NULL) == CN_OK);
        contacts += a.contact_count;
        CHECK(memcmp(&a.energy, &b.energy, sizeof a.energy) == 0);
        CHECK(memcmp(&a.momentum, &b.momentum, sizeof a.momentum) == 0);
        for (int i = 0; i < BODIES; ++i) {
            const CnBody *x = body_of(together, i, false), *y = body_of(alone, i, true);
            CHECK(memcmp(&x->state, &y->state, sizeof x->state) == 0);
        }
    }
    cn_world_destroy(together);
    cn_world_destroy(alone);
    return contacts;
}

static void bodies_side_by_side_go_the_same_way(void) {
    CHECK(compare_ways(MIXED) > 0);
    CHECK(compare_ways(BALLS) > 0);
    CHECK(compare_ways(CAPSULES) > 0);
}

static void jointed_bodies_side_by_side_go_the_same_way(void) {
    compare_ways(JOINTED);
}

// The ledger has parts of 35 bodies. That at place 36 comes just before one that is kinematic: it
// moves alone, since the places before it are taken in fours, and is booked together with that at
// 35, where a part begins.
static void work_is_that_of_the_motion_in_any_grouping(void) {
    enum { MANY = 1100 };
    CnWorldDef def = cn_world_def_default();
    CnWorld* world = cn_world_create(&def, NULL);
    CnShapeDef ball = cn_shape_def_default(CN_SHAPE_SPHERE), plane;
    ball.radius = 0.5;
    plane = cn_shape_def_default(CN_SHAPE_PLANE);
    for (int i = 0; i <= MANY; ++i) {
        if (i == 37) {
            add_kinematic(world, 0);
        }
        CnBodyDef body = cn_body_def_default();
        body.type = i == MANY ? CN_BODY_STATIC : CN_BODY_DYNAMIC;
        body.shapes = i == MANY ? &plane : &ball;
        body.shape_count = 1;
        body.position = cn_vec3(1.5 * (i % 40), 1.5 * (i / 40), i == MANY ? 0.0 : 0.5);
        body.velocity = cn_vec3(i == MANY ? 0.0 : 1.0, 0.0, 0.0);
        cn_world_add_body(world, &body, NULL);
    }
    for (int step = 0; step < 3; ++step) {
        CnStepReport report;
        CHECK(cn_world_step(world, 1.0 / 60.0, &report, NULL) == CN_OK);
        CHECK(report.contact_count == MANY);
        // Ledgers close to the round-off of sums of 1100 terms.
        CHECK_NEAR(report.energy.error, 0.0, MANY * 0x1p-52);
    }
    cn_world_destroy(world);
}

// What a group writes about its bodies.
typedef struct Written {
    CnBodyState states[BODIES + 1], ahead[BODIES + 1], end[BODIES + 1];
    CnMotion motions[BODIES + 1];
    CnMotionExtras extras[BODIES + 1];
    double center[BODIES + 1][3], inverse_inertia[BODIES + 1][9], velocity[BODIES + 1][6];
    double free_velocity[BODIES + 1][6], start_velocity[BODIES + 1][6];
    double mean_velocity[BODIES + 1][6];
    CnBodyTotals opened, before, after;
    CnEnergyLedger energy;
    CnMomentumLedger momentum;
} Written;

// Stands for a correction of joints ahead of the solve.
static void nudge(CnBodyState* state) {
    state->center.x += 1e-3;
    state->rotation = cn_quat_multiply(cn_quat_exp(cn_vec3(2e-3, 1e-3, -1e-3)), state->rotation);
}

static void begin(const CnMovingLanes* lanes, const CnMovingStep* moving, const int* bodies,
                  bool jointed, CnBodyTotals* totals) {
    if (!jointed) {
        CHECK(lanes->begin(moving, bodies, lanes->width, totals));
        return;
    }
    lanes->total(moving->world, bodies, lanes->width, totals);
    lanes->predict(moving, bodies);
    for (int i = 0; i < lanes->width; ++i) {
        nudge(&moving->states[bodies[i]]);
    }
    lanes->repredict(moving, bodies);
    CHECK(lanes->set_free(moving, bodies));
}

// One step of all groups of four, without rows, as lanes of some width make it.
static Written* move_all(const CnMovingLanes* lanes, Kind kind) {
    bool jointed = kind == JOINTED;
    CnWorld* world = make_world(false, kind);
    Written* out = calloc(1, sizeof *out);
    CnStep* step = &world->step;
    int bodies[BODIES];
    for (int i = 0; i < 9; ++i) { // the last of them has arrays for the next one
        CHECK(cn_world_step(world, 1.0 / 60.0, NULL, NULL) == CN_OK);
    }
    for (int i = 0; i < BODIES; ++i) {
        bodies[i] = i + 1;
    }
    CnMovingStep moving = {world, 0.5, out->states, out->ahead, out->end};
    for (int i = 0; i + CN_MOVING_MOST <= BODIES; i += lanes->width) {
        lanes->total(world, bodies + i, lanes->width, &out->before);
        begin(lanes, &moving, bodies + i, jointed, &out->opened);
        CHECK(lanes->finish(&moving, bodies + i) == 0);
        lanes->book(world, bodies + i, lanes->width, &out->after, &out->energy, &out->momentum,
                    NULL);
    }
    size_t count = BODIES + 1;
    memcpy(out->motions, step->motions.data, count * sizeof *out->motions);
    if (jointed) {
        memcpy(out->extras, step->extras.data, count * sizeof *out->extras);
    }
    memcpy(out->center, step->center, count * sizeof *out->center);
    memcpy(out->inverse_inertia, step->inverse_inertia, count * sizeof *out->inverse_inertia);
    memcpy(out->velocity, step->velocity, count * sizeof *out->velocity);
    memcpy(out->free_velocity, step->free_velocity, count * sizeof *out->free_velocity);
    memcpy(out->start_velocity, step->start_velocity, count * sizeof *out->start_velocity);
    memcpy(out->mean_velocity, step->mean_velocity, count * sizeof *out->mean_velocity);
    cn_world_destroy(world);
    return out;
}

static void registers_of_any_width_make_the_same_bits(void) {
    for (int kind = 0; kind < KIND_COUNT; ++kind) {
        Written *narrow = move_all(&cn_moving_128, (Kind)kind),
                *wide = move_all(cn_moving_lanes(), (Kind)kind);
        CHECK(memcmp(narrow, wide, sizeof *narrow) == 0);
        CHECK(narrow->after.energy != 0.0);
        CHECK(memcmp(&narrow->opened, &narrow->before, sizeof narrow->opened) == 0);
        free(narrow);
        free(wide);
    }
}

// What is not finite, or fast, is told by the bit of its body.
static void what_is_not_sound_is_told(void) {
    CnWorld* world = make_world(false, MIXED);
    const CnMovingLanes* lanes = cn_moving_lanes();
    CnBodyState states[BODIES + 1], ahead[BODIES + 1], end[BODIES + 1];
    CnMovingStep moving = {world, 0.5, states, ahead, end};
    int bodies[CN_MOVING_MOST] = {1, 2, 3, 4};
    CnBodyTotals totals = {0};
    CHECK(cn_world_step(world, 1.0 / 60.0, NULL, NULL) == CN_OK);
    CHECK(lanes->begin(&moving, bodies, lanes->width, &totals) &&
          lanes->finish(&moving, bodies) == 0);
    world->step.velocity[2][1] = NAN;
    CHECK(lanes->finish(&moving, bodies) == 2);
    CHECK(lanes->begin(&moving, bodies, lanes->width, &totals) == false);
    world->bodies.data[2].state = world->bodies.data[1].state;
    CHECK(lanes->begin(&moving, bodies, lanes->width, &totals));
    world->def.step.speed_limit = 1e-3;
    CHECK(lanes->finish(&moving, bodies) != 0);
    cn_world_destroy(world);
}

static void fill(CnRandom* random, int count, double* numbers) {
    for (int i = 0; i < count; ++i) {
        numbers[i] = cn_random_between(random, -2.0, 2.0);
    }
}

// What rows do one by one, added up, is what the lanes find for several joints.
static void compare_work(const CnMovingLanes* lanes, int row_count, int points) {
    CnRandom random = {11};
    CnCompactRows rows[CN_MOVING_MOST];
    double p[CN_MOVING_MOST][CN_MAX_ROWS], a[CN_MOVING_MOST][6], b[CN_MOVING_MOST][6];
    double total[CN_MOVING_MOST], scale[CN_MOVING_MOST], rate[CN_MAX_ROWS];
    CnJointWork joints = {.row_count = row_count, .points = points};
    for (int i = 0; i < CN_MOVING_MOST; ++i) {
        rows[i] = (CnCompactRows){.points = (uint8_t)points};
        fill(&random, 3 * row_count, &rows[i].vector[0].x);
        fill(&random, 6, &rows[i].arm_a.x);
        fill(&random, row_count, p[i]);
        fill(&random, 6, a[i]);
        fill(&random, 6, b[i]);
        joints.rows[i] = &rows[i];
        joints.impulse[i] = p[i];
        joints.a[i] = a[i];
        joints.b[i] = b[i];
    }
    lanes->joint_work(&joints, total, scale);
    for (int i = 0; i < lanes->width; ++i) {
        double sum = 0.0, size = 0.0;
        cn_compact_rates(&rows[i], row_count, a[i], b[i], rate);
        for (int k = 0; k < row_count; ++k) {
            sum += p[i][k] * rate[k];
            size += fabs(p[i][k] * rate[k]);
        }
        CHECK(total[i] == sum && scale[i] == size && size > 0.0);
    }
}

static void work_of_joints_side_by_side_is_that_of_their_rows(void) {
    for (int rows = 3; rows <= 5; ++rows) {
        for (int points = 2; points <= 3; ++points) {
            compare_work(&cn_moving_128, rows, points);
            compare_work(cn_moving_lanes(), rows, points);
        }
    }
}

static void reactions_side_by_side_are_booked_as_one_by_one(void) {
    enum { MOST = 2 * CN_MOVING_MOST + 1 };
    CnRandom random = {13};
    CnVec3 center[MOST], other[MOST];
    double wrench[MOST][6];
    CnReaction reactions[MOST];
    for (int i = 0; i < MOST; ++i) {
        center[i] = vector_within(&random, 3.0);
        other[i] = vector_within(&random, 3.0);
        fill(&random, 6, wrench[i]);
        reactions[i] = (CnReaction){&center[i], &other[i], wrench[i]};
    }
    for (int count = 0; count <= MOST; ++count) {
        CnMomentumLedger together = {0}, alone = {0}, narrow = {0};
        cn_ledger_add_reactions(&together, reactions, count);
        for (int i = 0; i < count; ++i) {
            const double* g = wrench[i];
            cn_ledger_add_reaction(&alone, center[i], other[i], cn_vec3(g[0], g[1], g[2]),
                                   cn_vec3(g[3], g[4], g[5]));
            cn_moving_128.react(&reactions[i], 1, &narrow);
        }
        CHECK(memcmp(&together, &alone, sizeof alone) == 0);
        CHECK(memcmp(&narrow, &alone, sizeof alone) == 0);
        CHECK(count == 0 || alone.angular_scale > 0.0);
    }
}

TEST_MAIN("unit/world/moving/moving", TEST(bodies_side_by_side_go_the_same_way),
          TEST(jointed_bodies_side_by_side_go_the_same_way),
          TEST(work_is_that_of_the_motion_in_any_grouping),
          TEST(registers_of_any_width_make_the_same_bits), TEST(what_is_not_sound_is_told),
          TEST(work_of_joints_side_by_side_is_that_of_their_rows),
          TEST(reactions_side_by_side_are_booked_as_one_by_one))
