// test_attribution.c - momentum and energy by row direction, against closed forms and the ledgers.
#include "cairn/attribution.h"
#include "cairn/joint.h"
#include "support/run.h"

#define GRAVITY 10.0
#define MAX_ENTRIES 4096

static const CnVec3 zero = {0.0, 0.0, 0.0};

static CnWorldDef attributed(void) {
    CnWorldDef def = cn_world_def_default();
    def.gravity = cn_vec3(0.0, 0.0, -GRAVITY);
    def.step.attribution = true;
    def.solver.tolerance = 1e-12;
    return def;
}

typedef struct Shares {
    CnAttribution entries[MAX_ENTRIES];
    int count;
    CnChannelShare totals[CN_CHANNEL_COUNT];
} Shares;

// What the last step did; its sums are those of the ledgers.
static const Shares* shares_of(const CnWorld* world, const CnStepReport* report) {
    static Shares shares;
    memset(shares.totals, 0, sizeof shares.totals);
    shares.count = cn_world_attribution(world, shares.entries, MAX_ENTRIES);
    CHECK(shares.count >= 0 && shares.count <= MAX_ENTRIES);
    cn_attribution_sum(shares.entries, shares.count, CN_ALL_ISLANDS, shares.totals);
    double error = cn_attribution_error(shares.totals, report);
    ck_assert_msg(error <= LEDGER_TOLERANCE, "t = %g s: sums open by %g", report->time, error);
    return &shares;
}

static CnVec3 external_of(const Shares* shares) {
    CnVec3 sum = zero;
    for (int i = 0; i < CN_CHANNEL_COUNT; ++i) {
        sum = cn_vec3_add(sum, shares->totals[i].linear_external);
    }
    return sum;
}

// A block of 2 kg slides at 2 m/s: the normal gives m g h and does no work, the tangents take
// mu m g h and, at the mean speed v - mu g h / 2, do the work of friction.
static void a_sliding_block_loses_its_energy_along_the_tangents(void) {
    const double h = 0.01, mu = 0.5, mass = 2.0, v = 2.0;
    CnWorldDef def = attributed();
    CnWorld* world = run_create(&def);
    CnMaterialId material = run_add_material(world, mu, 0.0);
    run_add_ground(world, material);
    CnShapeDef box = cn_shape_def_default(CN_SHAPE_BOX);
    CnBodyDef block = run_body(mass, cn_vec3(1.0, 1.0, 1.0), cn_vec3(0.0, 0.0, 0.1));
    box.size = cn_vec3(4.0, 4.0, 0.2);
    block.shapes = &box;
    block.shape_count = 1;
    block.material = material;
    block.velocity = cn_vec3(v, 0.0, 0.0);
    run_add(world, &block);
    CnStepReport report = run_step(world, h);
    const Shares* shares = shares_of(world, &report);
    const CnChannelShare* totals = shares->totals;
    double tolerance = 1e-10; // 1e-12 m/s on 2 kg at 2 m/s, from four points
    CHECK_NEAR(totals[CN_CHANNEL_NORMAL].impulse, mass * GRAVITY * h, tolerance);
    CHECK_NEAR(totals[CN_CHANNEL_NORMAL].work, 0.0, tolerance);
    CHECK_NEAR(totals[CN_CHANNEL_TANGENT_1].work + totals[CN_CHANNEL_TANGENT_2].work,
               -mu * mass * GRAVITY * h * (v - 0.5 * mu * GRAVITY * h), tolerance);
    CHECK_NEAR(external_of(shares).x, -mu * mass * GRAVITY * h, tolerance);
    CHECK_NEAR(external_of(shares).z, mass * GRAVITY * h, tolerance);
    CHECK_INT(shares->count, 3);
    CHECK(shares->entries[0].shape_b.index != 0 && shares->entries[0].constraint.index == 0);
    cn_world_destroy(world);
}

// A torque of 3 N m for 0.5 s on 0.25 kg m^2: 6 rad/s, and all of its energy, 4.5 J, is the motor's
// and goes into turning. The weight of the wheel is carried by joint_z of the upright axis.
static void a_motor_does_the_work_of_its_torque(void) {
    const double h = 0.01;
    CnWorldDef def = attributed();
    CnWorld* world = run_create(&def);
    CnBodyDef wheel = run_body(2.0, cn_vec3(0.2, 0.2, 0.25), zero);
    CnJointDef hinge = cn_joint_def_default(CN_JOINT_HINGE);
    double motor = 0.0, angular = 0.0, others = 0.0;
    hinge.body_b = run_add(world, &wheel);
    hinge.axes[CN_AXIS_TURN_Z].motor = CN_MOTOR_FORCE;
    hinge.axes[CN_AXIS_TURN_Z].target = 3.0;
    CnJointId joint = cn_world_add_joint(world, &hinge, NULL);
    for (int i = 0; i < 50; ++i) {
        CnStepReport report = run_step(world, h);
        const Shares* shares = shares_of(world, &report);
        motor += shares->totals[CN_CHANNEL_MOTOR].work;
        angular += shares->totals[CN_CHANNEL_MOTOR].angular_work;
        for (int k = CN_CHANNEL_JOINT_X; k <= CN_CHANNEL_JOINT_TURN_Z; ++k) {
            others += fabs(shares->totals[k].work);
        }
        CHECK_NEAR(shares->totals[CN_CHANNEL_MOTOR].impulse, 3.0 * h, 1e-14);
        CHECK_NEAR(shares->totals[CN_CHANNEL_JOINT_Z].linear_external.z, 2.0 * GRAVITY * h, 1e-10);
        for (int k = 0; k < shares->count; ++k) {
            CHECK_INT(shares->entries[k].joint.index, joint.index);
        }
    }
    CHECK_NEAR(motor, 4.5, 1e-10); // 50 steps at 1e-12 rad/s and up to 3 N m s
    CHECK_NEAR(angular, 4.5, 1e-10);
    CHECK_NEAR(others, 0.0, 1e-10);
    CHECK_NEAR(cn_world_energy_parts(world).angular, 4.5, 1e-10);
    cn_world_destroy(world);
}

// A ball that rolls has 2/7 of its kinetic energy in turning; what friction took from its motion
// and gave to its turning is in the tangents' shares.
static void a_rolling_ball_has_two_sevenths_of_its_energy_in_turning(void) {
    CnWorldDef def = attributed();
    CnWorld* world = run_create(&def);
    CnMaterialId material = run_add_material(world, 0.5, 0.0);
    double turned = 0.0;
    run_add_ground(world, material);
    CnBodyId ball =
        run_add_ball(world, 3.0, 0.2, cn_vec3(0.0, 0.0, 0.2), cn_vec3(7.0, 0.0, 0.0), material);
    CnStepReport report = {0};
    for (int i = 0; i < 200; ++i) { // it slides for 2 v / (7 mu g) = 0.4 s
        report = run_step(world, 0.005);
        const Shares* shares = shares_of(world, &report);
        turned += shares->totals[CN_CHANNEL_TANGENT_1].angular_work +
                  shares->totals[CN_CHANNEL_TANGENT_2].angular_work;
    }
    CnEnergyParts parts = cn_world_energy_parts(world);
    double speed = 5.0; // 5/7 of 7 m/s
    CHECK_NEAR(run_state(world, ball).velocity.x, speed, 1e-9);
    CHECK_NEAR(parts.linear, 0.5 * 3.0 * speed * speed, 1e-7);
    CHECK_NEAR(parts.angular, 0.2 * 3.0 * speed * speed, 1e-7);
    CHECK_NEAR(parts.potential, 3.0 * GRAVITY * 0.2, 1e-9);
    CHECK_NEAR(turned, parts.angular, 1e-7);
    CHECK_NEAR(report.energy.end_parts.linear, parts.linear, 0.0);
    CHECK_NEAR(parts.linear + parts.angular + parts.potential, cn_world_energy(world), 1e-12);
    cn_world_destroy(world);
}

// m (v+ - v-) - m g h of all bodies of an island is what its rows got from outside.
static void each_island_closes_by_itself(void) {
    const double h = 0.005;
    CnWorldDef def = attributed();
    CnWorld* world = run_create(&def);
    CnMaterialId material = run_add_material(world, 0.4, 0.3);
    CnBodyId bodies[9];
    run_add_ground(world, material);
    for (int i = 0; i < 9; ++i) { // three columns of three, pushed sideways
        bodies[i] = run_add_ball(world, 1.0 + i, 0.2,
                                 cn_vec3(2.0 * (i / 3), 0.01 * i, 0.19 + 0.4 * (i % 3)),
                                 cn_vec3(0.1 * i, 0.3, -1.0), material);
    }
    for (int step = 0; step < 20; ++step) {
        CnVec3 gained[9], got[3] = {{0}};
        int island_of[9];
        for (int i = 0; i < 9; ++i) {
            gained[i] = cn_vec3_scale(-1.0 - i, run_state(world, bodies[i]).velocity);
            island_of[i] = -1;
        }
        CnStepReport report = run_step(world, h);
        const Shares* shares = shares_of(world, &report);
        for (int k = 0; k < shares->count; ++k) {
            const CnAttribution* entry = &shares->entries[k];
            CHECK(entry->island >= 0 && entry->island < 3);
            got[entry->island] = cn_vec3_add(got[entry->island], entry->share.linear_external);
            for (int i = 0; i < 9; ++i) {
                if (entry->body_a.index == bodies[i].index ||
                    entry->body_b.index == bodies[i].index) {
                    CHECK(island_of[i] < 0 || island_of[i] == entry->island);
                    island_of[i] = entry->island;
                }
            }
        }
        for (int i = 0; i < 9; ++i) {
            if (island_of[i] >= 0) {
                double mass = 1.0 + i;
                CnVec3 change =
                    cn_vec3_add_scaled(gained[i], mass, run_state(world, bodies[i]).velocity);
                change.z += mass * GRAVITY * h;
                got[island_of[i]] = cn_vec3_sub(got[island_of[i]], change);
            }
        }
        for (int i = 0; i < 3; ++i) {
            CHECK_NEAR(cn_vec3_length(got[i]), 0.0, 1e-13); // of 20 N s, some dozen operations
        }
    }
    cn_world_destroy(world);
}

typedef struct Machine {
    const char* scene;
    CnScheme scheme;
    double dt; // [s]
    int substeps;
} Machine;

// Two bodies tied by a ball joint.
typedef struct Dumbbell {
    CnBodyId bodies[2];
    double mass, moments[3];
} Dumbbell;

static Dumbbell add_dumbbell(CnWorld* world, double x, const double moments[3]) {
    Dumbbell own = {.mass = 0.7, .moments = {moments[0], moments[1], moments[2]}};
    CnJointDef joint = cn_joint_def_default(CN_JOINT_BALL);
    for (int i = 0; i < 2; ++i) {
        CnBodyDef body = run_body(own.mass, cn_vec3(moments[0], moments[1], moments[2]),
                                  cn_vec3(x, 0.5 * i, 0.2 * x));
        body.velocity = cn_vec3(0.3, -0.4 * i, 1.0);
        body.angular_velocity = cn_vec3(2.0, -1.0 - i, 0.5);
        own.bodies[i] = run_add(world, &body);
    }
    joint.body_a = own.bodies[0];
    joint.body_b = own.bodies[1];
    joint.point_a = cn_vec3(x, 0.25, 0.2 * x + 0.1);
    CHECK(cn_world_add_joint(world, &joint, NULL).index != 0);
    return own;
}

// Of a dumbbell: kinetic energies, and angular momentum about the origin.
typedef struct Motion {
    double linear, angular;
    CnVec3 momentum;
} Motion;

static Motion motion_of(const CnWorld* world, const Dumbbell* own) {
    Motion sum = {0};
    for (int i = 0; i < 2; ++i) {
        CnBodyState s = run_state(world, own->bodies[i]);
        CnVec3 w = cn_quat_unrotate(s.rotation, s.angular_velocity);
        CnVec3 spin = cn_vec3(own->moments[0] * w.x, own->moments[1] * w.y, own->moments[2] * w.z);
        sum.linear += 0.5 * own->mass * cn_vec3_dot(s.velocity, s.velocity);
        sum.angular += 0.5 * cn_vec3_dot(spin, w);
        sum.momentum = cn_vec3_add(sum.momentum, cn_quat_rotate(s.rotation, spin));
        sum.momentum =
            cn_vec3_add_scaled(sum.momentum, own->mass, cn_vec3_cross(s.center, s.velocity));
    }
    return sum;
}

// docs/theory/ledger.md (21)-(23): rows and weight change the linear energy of an island, whatever
// its bodies are; where their inertia is the same about all axes, its angular energy and its
// angular momentum too. Numbers are of order 1 to 10: a hundred round-offs of 1e-16 each.
static void energy_and_angular_momentum_close_by_island(void) {
    const double h = 0.01, round[3] = {0.05, 0.05, 0.05}, flat[3] = {0.02, 0.05, 0.06};
    CnWorldDef def = attributed();
    def.step.stabilisation = CN_STABILISATION_NONE;
    CnWorld* world = run_create(&def);
    const Dumbbell dumbbells[2] = {add_dumbbell(world, 0.0, round), add_dumbbell(world, 3.0, flat)};
    for (int step = 0; step < 20; ++step) {
        Motion before[2];
        double weight[2] = {0.0, 0.0}; // work of gravity, by the mean velocity
        CnVec3 torque[2] = {zero, zero};
        for (int d = 0; d < 2; ++d) {
            before[d] = motion_of(world, &dumbbells[d]);
            for (int i = 0; i < 2; ++i) { // at the poses of the problem, half a step ahead
                CnBodyState s = run_state(world, dumbbells[d].bodies[i]);
                CnVec3 center = cn_vec3_add_scaled(s.center, 0.5 * h, s.velocity);
                CnVec3 impulse = cn_vec3(0.0, 0.0, -dumbbells[d].mass * GRAVITY * h);
                torque[d] = cn_vec3_add(torque[d], cn_vec3_cross(center, impulse));
                weight[d] += 0.5 * s.velocity.z * impulse.z;
            }
        }
        CnStepReport report = run_step(world, h);
        const Shares* shares = shares_of(world, &report);
        for (int d = 0; d < 2; ++d) {
            Motion after = motion_of(world, &dumbbells[d]);
            CnChannelShare own[CN_CHANNEL_COUNT] = {0}, sum = {0};
            int island = -1;
            for (int k = 0; k < shares->count; ++k) {
                bool is_own = shares->entries[k].body_a.index == dumbbells[d].bodies[0].index;
                island = is_own ? shares->entries[k].island : island;
            }
            CHECK(island >= 0);
            cn_attribution_sum(shares->entries, shares->count, island, own);
            for (int c = 0; c < CN_CHANNEL_COUNT; ++c) {
                sum.work += own[c].work;
                sum.angular_work += own[c].angular_work;
                sum.angular_internal =
                    cn_vec3_add(sum.angular_internal,
                                cn_vec3_add(own[c].angular_internal, own[c].angular_external));
            }
            for (int i = 0; i < 2; ++i) {
                CnBodyState s = run_state(world, dumbbells[d].bodies[i]);
                weight[d] += -0.5 * s.velocity.z * dumbbells[d].mass * GRAVITY * h;
            }
            CHECK_NEAR(after.linear - before[d].linear, sum.work - sum.angular_work + weight[d],
                       1e-13);
            if (d == 0) {
                CnVec3 left = cn_vec3_sub(cn_vec3_sub(after.momentum, before[d].momentum),
                                          cn_vec3_add(sum.angular_internal, torque[d]));
                CHECK_NEAR(after.angular - before[d].angular, sum.angular_work, 1e-13);
                CHECK_NEAR(cn_vec3_length(left), 0.0, 1e-13);
            }
        }
    }
    cn_world_destroy(world);
}

// Every kind of row that a world has, in every scheme, in steps of one part and of several.
static void sums_close_in_every_scheme(void) {
    const Machine machines[] = {
        {"@pile:1", CN_SCHEME_MOREAU, 0.004, 1},
        {"@pile:1", CN_SCHEME_MOREAU, 0.008, 3},
        {"@pile:1", CN_SCHEME_IMPLICIT, 0.004, 1},
        {"@wall:2", CN_SCHEME_QUASI_STATIC, 0.004, 2},
        {"@robot:2", CN_SCHEME_MOREAU, 0.004, 2},
        {"@robot:2", CN_SCHEME_IMPLICIT, 0.004, 1},
        {"@stewart", CN_SCHEME_MOREAU, 0.004, 1},
        {"@stewart", CN_SCHEME_ACCELERATION, 0.002, 1},
        {"@chain:5", CN_SCHEME_ACCELERATION, 0.002, 2},
        {"@grasp", CN_SCHEME_MOREAU, 0.004, 1},
        {"@rain:12", CN_SCHEME_MOREAU, 0.01, 1},
    };
    for (size_t i = 0; i < sizeof machines / sizeof machines[0]; ++i) {
        const Machine* machine = &machines[i];
        CnWorld* world = run_open(machine->scene);
        CnStepDef step = cn_world_read(world).step;
        CnStepReport report;
        CHECK_INT(cn_world_attribution(world, NULL, 0), -1); // not kept
        step.scheme = machine->scheme;
        step.substeps = machine->substeps;
        step.attribution = true;
        CHECK_INT(cn_world_set_step(world, &step, NULL), CN_OK);
        for (int k = 0; k < (UNDER_SANITIZER ? 10 : 60); ++k) {
            CHECK_INT(cn_world_step(world, machine->dt, &report, NULL), CN_OK);
            shares_of(world, &report);
        }
        cn_world_destroy(world);
    }
}

// A fast ball of 1 kg between two walls: parts of a step and impacts in no time count together, and
// their sum is what its velocity has changed by.
static void impacts_within_a_step_are_counted(void) {
    CnWorldDef def = attributed();
    def.gravity = zero;
    CnWorld* world = run_create(&def);
    CnMaterialId elastic = run_add_material(world, 0.0, 1.0);
    CnShapeDef slab = cn_shape_def_default(CN_SHAPE_BOX);
    slab.size = cn_vec3(0.1, 2.0, 2.0);
    for (int side = -1; side <= 1; side += 2) {
        CnBodyDef wall = cn_body_def_default();
        wall.type = CN_BODY_STATIC;
        wall.position = cn_vec3(0.55 * side, 0.0, 0.0);
        wall.shapes = &slab;
        wall.shape_count = 1;
        wall.material = elastic;
        run_add(world, &wall);
    }
    CnShapeDef sphere = cn_shape_def_default(CN_SHAPE_SPHERE);
    sphere.radius = 0.1;
    CnBodyDef ball = run_body(1.0, cn_vec3(0.004, 0.004, 0.004), zero);
    ball.shapes = &sphere;
    ball.shape_count = 1;
    ball.material = elastic;
    ball.fast = true;
    ball.velocity = cn_vec3(100.0, 0.0, 0.0);
    CnBodyId id = run_add(world, &ball);
    double got = 0.0;
    int impacts = 0;
    for (int i = 0; i < 10; ++i) { // 0.7 m in a gap of 0.8 m
        CnStepReport report = run_step(world, 0.007);
        const Shares* shares = shares_of(world, &report);
        got += shares->totals[CN_CHANNEL_NORMAL].linear_external.x;
        impacts += report.impacts;
    }
    CHECK(impacts >= 5);
    CHECK_NEAR(run_state(world, id).velocity.x, 100.0 + got, 1e-12);
    cn_world_destroy(world);
}

// A step that fails leaves what could be read of the last one.
static void a_failed_step_leaves_the_entries_of_the_last(void) {
    CnWorld* world = run_open("@stack:3");
    CnStepDef step = cn_world_read(world).step;
    CnStepReport report;
    step.attribution = true;
    CHECK_INT(cn_world_set_step(world, &step, NULL), CN_OK);
    CHECK_INT(cn_world_step(world, 0.001, &report, NULL), CN_OK);
    static Shares before;
    before = *shares_of(world, &report);
    step.speed_limit = 1e-3;
    CnBodyState state = run_state(world, cn_world_body_at(world, 3));
    CHECK_INT(cn_world_set_step(world, &step, NULL), CN_OK);
    state.velocity = cn_vec3(0.0, 0.0, 5.0);
    CHECK_INT(cn_body_set_state(world, cn_world_body_at(world, 3), &state, NULL), CN_OK);
    CHECK(cn_world_step(world, 0.001, NULL, NULL) != CN_OK);
    const Shares* after = shares_of(world, &report);
    CHECK_INT(after->count, before.count);
    CHECK(memcmp(after->totals, before.totals, sizeof before.totals) == 0);
    cn_world_destroy(world);
}

// Two bodies on hinges, one of which is disabled: its hinge has no rows, and no entry.
static void a_joint_that_cannot_act_has_no_entry(void) {
    for (int scheme = 0; scheme < CN_SCHEME_SOFT_STEP; ++scheme) {
        CnWorldDef def = attributed();
        def.step.scheme = (CnScheme)scheme;
        CnWorld* world = run_create(&def);
        CnJointId joints[2];
        for (int i = 0; i < 2; ++i) {
            CnBodyDef body = run_body(1.0, cn_vec3(1.0, 1.0, 1.0), cn_vec3(3.0 * i, 1.0, 0.0));
            CnJointDef hinge = cn_joint_def_default(CN_JOINT_HINGE);
            hinge.body_b = run_add(world, &body);
            hinge.point_a = cn_vec3(3.0 * i, 0.0, 0.0);
            joints[i] = cn_world_add_joint(world, &hinge, NULL);
            CHECK(joints[i].index != 0);
        }
        CHECK_INT(cn_body_set_enabled(world, cn_world_body_at(world, 0), false, NULL), CN_OK);
        CnStepReport report = run_step(world, 0.01);
        const Shares* shares = shares_of(world, &report);
        CHECK(shares->count > 0);
        for (int k = 0; k < shares->count; ++k) {
            CHECK_INT(shares->entries[k].joint.index, joints[1].index);
            CHECK_INT(shares->entries[k].island, 0);
        }
        cn_world_destroy(world);
    }
}

TEST_MAIN("physics/world/attribution", TEST(a_sliding_block_loses_its_energy_along_the_tangents),
          TEST(a_motor_does_the_work_of_its_torque),
          TEST(a_rolling_ball_has_two_sevenths_of_its_energy_in_turning),
          TEST(each_island_closes_by_itself), TEST(energy_and_angular_momentum_close_by_island),
          TEST(sums_close_in_every_scheme), TEST(impacts_within_a_step_are_counted),
          TEST(a_failed_step_leaves_the_entries_of_the_last),
          TEST(a_joint_that_cannot_act_has_no_entry))
