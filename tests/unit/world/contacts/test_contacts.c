// test_contacts.c - contact points at given poses, and what their rows ask for.
#include "cairn/random.h"
#include "support/run.h"
#include "support/shapes/random_poses.h"
#include "world/bodies/motion.h"
#include "world/contacts/contact_rows.h"
#include "world/contacts/contacts.h"
#include "world/contacts/manifolds.h"
#include "world/step/rows.h"

static const CnVec3 zero = {0.0, 0.0, 0.0};
static const CnMaterialId no_material = {0};

static CnBodyDef random_body(CnRandom* random) {
    CnBodyDef def = run_body(1.0, cn_vec3(1.0, 1.0, 1.0), random_within(random, 1.0));
    def.center = random_within(random, 1.0);
    def.rotation = cn_quat_exp(random_within(random, 1.0));
    def.velocity = random_within(random, 1.0);
    def.angular_velocity = random_within(random, 1.0);
    return def;
}

// Where a body is after a short time of its present velocity.
static CnBodyState moved(CnBodyState state, double t) {
    state.center = cn_vec3_add_scaled(state.center, t, state.velocity);
    CnQuat turn = cn_quat_exp(cn_vec3_scale(t, state.angular_velocity));
    state.rotation = cn_quat_multiply(turn, state.rotation);
    return state;
}

// The gap at two moments, one before and one after, has the slope that the row says. h = 2^-15 s:
// the truncation is h^2 / 6 times a third derivative of order one, 2e-10, round-off 2^-53 / h =
// 4e-12.
static void the_gap_of_a_given_contact_changes_as_its_row_says(void) {
    CnRandom random = {11};
    const double h = 0x1p-15;
    for (int round = 0; round < 50; ++round) {
        CnWorldDef def = cn_world_def_default();
        def.step.contact_margin = 100.0; // see it wherever it is
        CnWorld* world = run_create(&def);
        CnBodyDef bodies[2] = {random_body(&random), random_body(&random)};
        CnContactDef contact = cn_contact_def_default();
        if (round % 5 != 0) { // every fifth: against the immovable world
            contact.body_a = run_add(world, &bodies[0]);
        }
        contact.body_b = run_add(world, &bodies[1]);
        contact.point = random_within(&random, 1.0);
        contact.normal = cn_vec3_normalize(random_within(&random, 1.0));
        contact.gap = 0.25;
        CHECK(cn_world_add_contact(world, &contact, NULL).index != 0);

        CnBodyState now[2], states[2];
        int count = cn_world_body_count(world);
        double gap[2];
        CnContactArray found = {0};
        for (int i = 0; i < count; ++i) {
            now[i] = run_state(world, cn_world_body_at(world, i));
        }
        for (int side = 0; side < 2; ++side) {
            for (int i = 0; i < count; ++i) {
                states[i] = moved(now[i], side == 0 ? -h : h);
            }
            CHECK_INT(cn_world_collect_contacts(world, states, 0.0, &found), CN_OK);
            CHECK_INT(found.count, 1);
            gap[side] = found.data[0].gap;
        }
        CHECK_INT(cn_world_collect_contacts(world, now, 0.0, &found), CN_OK);
        CHECK_NEAR(found.data[0].gap, 0.25, 1e-14); // there and back by a few metres
        CnRows rows = {0};
        CnBlockSource source = {.manifold = -1, .constraint = -1};
        CnBlock* block = cn_world_pose_contact(world, source, &found.data[0], now, true, &rows);
        double rate = 0.0;
        for (int side = 0; side < 2; ++side) {
            int body = side == 0 ? block->body_a : block->body_b;
            const double* j = side == 0 ? rows.jacobian_a[0] : rows.jacobian_b[0];
            if (body >= 0) {
                CnVec3 v = now[body].velocity, w = now[body].angular_velocity;
                rate += j[0] * v.x + j[1] * v.y + j[2] * v.z + j[3] * w.x + j[4] * w.y + j[5] * w.z;
            }
        }
        CHECK_NEAR(rate, (gap[1] - gap[0]) / (2.0 * h), 1e-8);
        CHECK_NEAR(cn_contact_normal_velocity(&found.data[0], now), rate, 1e-14);
        cn_rows_free(&rows, &world->allocator);
        cn_array_free(&found, &world->allocator);
        cn_world_destroy(world);
    }
}

// One unit mass at the origin that falls at `approach` against the plane z = -gap of the world.
static bool target_of(CnStepDef step, double gap, double restitution, double approach,
                      bool position_level, double* target) {
    CnWorldDef def = cn_world_def_default();
    def.step = step;
    CnWorld* world = run_create(&def);
    CnMaterialId material = run_add_material(world, 0.5, restitution);
    CnBodyDef body = run_body(1.0, cn_vec3(1.0, 1.0, 1.0), zero);
    body.velocity = cn_vec3(0.0, 0.0, -approach);
    CnContactDef contact = cn_contact_def_default();
    contact.body_b = run_add(world, &body);
    contact.material_a = contact.material_b = material;
    contact.gap = gap;
    CHECK(cn_world_add_contact(world, &contact, NULL).index != 0);
    CnBodyState state = run_state(world, contact.body_b);
    CnPosing posing = {.states = &state, .dt = 0.01, .theta = step.theta};
    posing.position_level = position_level;
    CnLook look = {.states = &state, .dt = 0.01};
    CHECK_INT(cn_motion_reserve(world), CN_OK);
    CHECK_INT(cn_world_find_pairs(world, look.states, look.dt), CN_OK);
    CHECK_INT(cn_manifolds_update(world, &look), CN_OK);
    CHECK_INT(world->step.manifolds.count, 1);
    CHECK_INT(cn_world_add_contact_rows(world, &posing), CN_OK);
    const CnContactTile* tile = &cn_manifold_at(&world->pairs, world->step.manifolds.data[0])->tile;
    bool acts = world->step.tile_block_count == 1;
    *target = acts ? tile->target[0] : 0.0;
    CHECK_INT(tile->acting, acts ? 1 : 0);
    cn_world_destroy(world);
    return acts;
}

static void each_case_of_the_normal_row_asks_for_its_velocity(void) {
    CnStepDef plain = cn_world_def_default().step, pushing = plain;
    pushing.stabilisation = CN_STABILISATION_BAUMGARTE;
    const struct {
        const char* what;
        CnStepDef step;
        double gap, restitution, approach;
        bool position_level, acts;
        double target;
    } cases[] = {
        {"open: may close the gap in dt", plain, 0.02, 0.0, 3.0, false, true, -2.0},
        {"open and bouncing: waits", plain, 0.02, 0.5, 3.0, false, false, 0.0},
        {"open and slow: lands", plain, 0.0001, 0.5, 1e-4, false, true, -0.01},
        {"closed: stops", plain, 0.0, 0.0, 3.0, false, true, 0.0},
        {"closed and bouncing: Newton", plain, 0.0, 0.5, 3.0, false, true, 1.5},
        {"closed and leaving", plain, -0.001, 0.5, -3.0, false, true, 0.0},
        {"deep, nothing pushes", plain, -0.01, 0.0, 0.0, false, true, 0.0},
        {"baumgarte: 0.2 (10 - 0.1) mm per 10 ms", pushing, -0.01, 0.0, 0.0, false, true, 0.198},
        {"baumgarte: within the slop", pushing, -0.00005, 0.0, 0.0, false, true, 0.0},
        {"baumgarte: at most 0.2 m", pushing, -10.0, 0.0, 0.0, false, true, 20.0},
        {"baumgarte: the bounce is faster", pushing, -0.01, 0.5, 3.0, false, true, 1.5},
        {"positions: all of it", plain, -0.01, 0.5, 3.0, true, true, 1.0},
        {"positions: open", plain, 0.01, 0.5, 3.0, true, true, -1.0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        double target;
        bool acts = target_of(cases[i].step, cases[i].gap, cases[i].restitution, cases[i].approach,
                              cases[i].position_level, &target);
        ck_assert_msg(acts == cases[i].acts, "%s", cases[i].what);
        ck_assert_msg(fabs(target - cases[i].target) <= 1e-12, "%s: %g, expected %g", cases[i].what,
                      target, cases[i].target);
    }
}

static void a_contact_without_friction_is_one_bounded_row(void) {
    CnWorldDef def = cn_world_def_default();
    CnWorld* world = run_create(&def);
    CnMaterialId ice = run_add_material(world, 0.0, 0.0);
    run_add_ground(world, ice);
    run_add_ball(world, 1.0, 0.5, cn_vec3(0.0, 0.0, 0.5), zero, ice);
    CnStepReport report = run_step(world, 1e-3);
    const CnProblem* problem = cn_world_problem(world);
    CHECK_INT(report.row_count, 1);
    CHECK_INT(problem->blocks[0].law, CN_LAW_BOUNDS);
    CHECK_NEAR(problem->lower[0], 0.0, 0.0);
    CHECK(isinf(problem->upper[0]));
    cn_world_destroy(world);
}

static void contacts_come_within_margin_and_reach(void) {
    CnWorldDef def = cn_world_def_default();
    def.gravity = zero;
    CnWorld* world = run_create(&def);
    run_add_ground(world, no_material);
    CnBodyId ball = run_add_ball(world, 1.0, 0.5, cn_vec3(0.0, 0.0, 0.52), zero, no_material);
    CnStepReport report = run_step(world, 0.01);
    CHECK_INT(report.contact_count, 0); // 20 mm is more than the margin of 1 mm
    CHECK_INT(cn_world_find_contacts(world, NULL, 0), 0);
    CnBodyState state = run_state(world, ball);
    state.velocity.z = -2.5; // 25 mm in a step
    CHECK_INT(cn_body_set_state(world, ball, &state, NULL), CN_OK);
    report = run_step(world, 0.01);
    CHECK_INT(report.contact_count, 1);
    cn_world_destroy(world);
}

// A plane that turns at 1 rad/s rises by 0.1 m within a step, 10 m from its axis.
static void a_turning_plane_is_seen_coming(void) {
    CnWorldDef def = cn_world_def_default();
    def.gravity = zero;
    def.step.stabilisation = CN_STABILISATION_NONE;
    CnWorld* world = run_create(&def);
    CnShapeDef plane = cn_shape_def_default(CN_SHAPE_PLANE);
    CnBodyDef flap = cn_body_def_default();
    flap.type = CN_BODY_KINEMATIC;
    flap.angular_velocity = cn_vec3(0.0, -1.0, 0.0);
    flap.shapes = &plane;
    flap.shape_count = 1;
    run_add(world, &flap);
    run_add_ball(world, 1.0, 0.5, cn_vec3(10.0, 0.0, 0.56), zero, no_material);
    for (int i = 0; i < 3; ++i) {
        CnStepReport report = run_step(world, 0.01);
        // The rows are straight, the plane turns by 0.01 rad: 10 m (0.01)^2 / 2 is 0.5 mm a step.
        CHECK(report.penetration <= 3 * 0.5e-3);
    }
    cn_world_destroy(world);
}

static void excluded_and_immovable_pairs_do_not_meet(void) {
    CnWorldDef def = cn_world_def_default();
    CnWorld* world = run_create(&def);
    CnBodyId ground = run_add_ground(world, no_material);
    run_add_ground(world, no_material);
    CnBodyId ball = run_add_ball(world, 1.0, 0.5, cn_vec3(0.0, 0.0, 0.5), zero, no_material);
    CHECK_INT(cn_world_find_contacts(world, NULL, 0), 2);
    CHECK_INT(cn_world_exclude_pair(world, ball, ground, NULL), CN_OK);
    CHECK_INT(cn_world_find_contacts(world, NULL, 0), 1);
    cn_world_destroy(world);
}

typedef struct Ball {
    CnBodyId id;
    CnVec3 center;
    double radius;
    uint32_t category, mask;
    int32_t group;
} Ball;

static Ball add_random_ball(CnWorld* world, CnRandom* random) {
    CnShapeDef sphere = cn_shape_def_default(CN_SHAPE_SPHERE);
    CnBodyDef def = cn_body_def_default();
    sphere.radius = cn_random_between(random, 0.1, 0.4);
    sphere.category = 1u << (int)cn_random_between(random, 0.0, 3.0);
    sphere.mask = (uint32_t)cn_random_between(random, 1.0, 8.0);
    sphere.group = (int32_t)floor(cn_random_between(random, -1.0, 3.0));
    def.shapes = &sphere;
    def.shape_count = 1;
    def.position = random_within(random, 1.0);
    CnBodyId id = run_add(world, &def);
    return (Ball){id, def.position, sphere.radius, sphere.category, sphere.mask, sphere.group};
}

// The rule of the manual, written out once more.
static bool balls_may_touch(const Ball* a, const Ball* b) {
    if (a->group == b->group && a->group != 0) {
        return a->group > 0;
    }
    return (a->category & b->mask) && (b->category & a->mask);
}

static void check_contacts_of_balls(CnWorld* world, const Ball* balls, int count) {
    static CnContactPoint points[10000];
    int found = cn_world_find_contacts(world, points, 10000), next = 0;
    double margin = cn_world_def_default().step.contact_margin;
    for (int i = 0; i < count; ++i) {
        for (int j = i + 1; j < count; ++j) {
            double gap = cn_vec3_length(cn_vec3_sub(balls[j].center, balls[i].center)) -
                         balls[i].radius - balls[j].radius;
            if (gap <= margin && balls_may_touch(&balls[i], &balls[j])) {
                CHECK(next < found);
                CHECK_INT(points[next].body_a.index, balls[i].id.index);
                CHECK_INT(points[next].body_b.index, balls[j].id.index);
                CHECK_NEAR(points[next].gap, gap, 1e-14); // a few roundings of numbers near 1
                ++next;
            }
        }
    }
    CHECK_INT(found, next);
}

// In the order of ids: each has one shape, whose slot is that of its body.
static void insert_ball(Ball* balls, int count, Ball ball) {
    int place = count;
    for (; place > 0 && balls[place - 1].id.index > ball.id.index; --place) {
        balls[place] = balls[place - 1];
    }
    balls[place] = ball;
}

// Bodies come, go and are put elsewhere: contacts are those of all pairs, in the order of shapes.
static void contacts_are_those_of_all_pairs_whatever_came_before(void) {
    CnRandom random = {12};
    Ball balls[120];
    int count = 0;
    CnWorldDef def = cn_world_def_default();
    CnWorld* world = run_create(&def);
    for (int round = 0; round < 60; ++round) {
        while (count < 120 && cn_random_between(&random, 0.0, 1.0) < 0.9) {
            insert_ball(balls, count++, add_random_ball(world, &random));
        }
        for (int i = 0; i < count; ++i) {
            double dice = cn_random_between(&random, 0.0, 1.0);
            if (dice < 0.1) {
                CHECK_INT(cn_world_remove_body(world, balls[i].id), CN_OK);
                memmove(&balls[i], &balls[i + 1], (size_t)(--count - i) * sizeof balls[0]);
            } else if (dice < 0.3) {
                CnBodyState state = run_state(world, balls[i].id);
                state.center = balls[i].center = random_within(&random, 1.0);
                CHECK_INT(cn_body_set_state(world, balls[i].id, &state, NULL), CN_OK);
            }
        }
        check_contacts_of_balls(world, balls, count);
    }
    cn_world_destroy(world);
}

static void shapes_of_one_body_each_have_their_filter(void) {
    CnWorldDef def = cn_world_def_default();
    CnWorld* world = run_create(&def);
    run_add_ground(world, no_material); // category 1, all in its mask
    CnShapeDef spheres[3] = {cn_shape_def_default(CN_SHAPE_SPHERE),
                             cn_shape_def_default(CN_SHAPE_SPHERE),
                             cn_shape_def_default(CN_SHAPE_SPHERE)};
    for (int i = 0; i < 3; ++i) {
        spheres[i].position.x = 2.0 * i;
    }
    spheres[1].mask = 2; // does not see the ground
    spheres[2].category = 4;
    CnBodyDef body = cn_body_def_default();
    body.position.z = 0.5;
    body.shapes = spheres;
    body.shape_count = 3;
    run_add(world, &body);
    CnContactPoint points[3];
    CHECK_INT(cn_world_find_contacts(world, points, 3), 2);
    CHECK_NEAR(points[0].point.x, 0.0, 1e-15);
    CHECK_NEAR(points[1].point.x, 4.0, 1e-14); // through the centre of mass and back
    cn_world_destroy(world);
}

TEST_MAIN("unit/world/contacts/contacts", TEST(the_gap_of_a_given_contact_changes_as_its_row_says),
          TEST(each_case_of_the_normal_row_asks_for_its_velocity),
          TEST(a_contact_without_friction_is_one_bounded_row),
          TEST(contacts_come_within_margin_and_reach), TEST(a_turning_plane_is_seen_coming),
          TEST(excluded_and_immovable_pairs_do_not_meet),
          TEST(contacts_are_those_of_all_pairs_whatever_came_before),
          TEST(shapes_of_one_body_each_have_their_filter))
