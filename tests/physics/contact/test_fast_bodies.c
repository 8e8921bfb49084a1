// test_fast_bodies.c - fast bodies pass through nothing, and hit it as they should.
#include "cairn/random.h"
#include "cairn/state.h"
#include "support/run.h"

static const CnVec3 zero = {0.0, 0.0, 0.0};
#define RADIUS 0.005    // of a bullet [m]
#define SPEED 500.0     // [m/s]
#define THICKNESS 0.001 // of a wall [m]
#define PI 3.14159265358979323846

static CnBodyId add_static(CnWorld* world, const CnShapeDef* shape, CnVec3 position,
                           CnMaterialId material) {
    CnBodyDef def = cn_body_def_default();
    def.type = CN_BODY_STATIC;
    def.shapes = shape;
    def.shape_count = 1;
    def.position = position;
    def.material = material;
    return run_add(world, &def);
}

// A wall square to x whose near face is x = 0: a box, a half space, or a prism of eight points.
static CnBodyId add_wall(CnWorld* world, CnShapeType type, CnVec3 face, CnMaterialId material) {
    CnVec3 corners[8];
    CnShapeDef shape = cn_shape_def_default(type);
    double back = type == CN_SHAPE_PLANE ? 0.0 : 0.5 * THICKNESS;
    shape.size = cn_vec3(THICKNESS, 100.0, 100.0);
    shape.normal = cn_vec3(-1.0, 0.0, 0.0);
    for (int i = 0; i < 8; ++i) {
        corners[i] = cn_vec3(i & 1 ? back : -back, i & 2 ? 50.0 : -50.0, i & 4 ? 60.0 : -50.0);
    }
    shape.points = corners;
    shape.point_count = 8;
    return add_static(world, &shape, cn_vec3_add(face, cn_vec3(back, 0.0, 0.0)), material);
}

static CnBodyId add_bullet(CnWorld* world, CnVec3 position, CnVec3 velocity,
                           CnMaterialId material) {
    CnShapeDef sphere = cn_shape_def_default(CN_SHAPE_SPHERE);
    CnBodyDef def = cn_body_def_default();
    sphere.radius = RADIUS;
    def.shapes = &sphere;
    def.shape_count = 1;
    def.position = position;
    def.velocity = velocity;
    def.material = material;
    def.fast = true;
    return run_add(world, &def);
}

typedef struct Range {
    CnWorld* world;
    CnBodyId bullet;
} Range;

static Range create_range(const CnWorldDef* def, CnShapeType wall, double friction,
                          double restitution) {
    Range range = {.world = run_create(def)};
    CnMaterialId material = run_add_material(range.world, friction, restitution);
    add_wall(range.world, wall, zero, material);
    range.bullet = add_bullet(range.world, cn_vec3(-1.0, 0.0, 0.0), zero, material);
    return range;
}

// From any distance that one step may cover, at up to 80 degrees off the normal, spinning.
static CnBodyState random_shot(CnRandom* random) {
    double distance = cn_random_between(random, 1.01 * RADIUS, 8.0);
    double slant = cn_random_between(random, -1.4, 1.4);
    double heading = cn_random_between(random, 0.0, 2.0 * PI);
    double spin = cn_random_between(random, -1e4, 1e4); // [rad/s]
    CnVec3 along = cn_vec3(cos(slant), sin(slant) * cos(heading), sin(slant) * sin(heading));
    return (CnBodyState){
        .center = cn_vec3(-distance, 0.0, 0.0),
        .rotation = cn_quat_identity(),
        .velocity = cn_vec3_scale(SPEED, along),
        .angular_velocity = cn_vec3(spin, -0.5 * spin, 0.2 * spin),
    };
}

typedef struct Shots {
    int passed, held_back; // counts
    double rebound;        // worst error of the speed off the wall [m/s]
    double energy;         // worst relative change
} Shots;

// Every shot gets the steps it needs to reach the wall, and one more.
static void shoot(const Range* range, double dt, double restitution, int count, CnRandom* random,
                  Shots* shots) {
    for (int i = 0; i < count; ++i) {
        CnBodyState start = random_shot(random);
        CHECK_INT(cn_body_set_state(range->world, range->bullet, &start, NULL), CN_OK);
        double energy = cn_world_energy(range->world);
        int steps = 2 + (int)(-start.center.x / (start.velocity.x * dt));
        for (int k = 0; k < steps; ++k) {
            shots->held_back += run_step(range->world, dt).held_back;
        }
        CnBodyState end = run_state(range->world, range->bullet);
        double off = end.velocity.x + restitution * start.velocity.x;
        shots->passed += end.center.x > -RADIUS;
        shots->rebound = fmax(shots->rebound, fabs(off));
        double kept = cn_world_energy(range->world) / energy;
        shots->energy = fmax(shots->energy, fabs(kept - 1.0));
    }
}

// The solver is asked for 1e-8 m/s; one contact it solves to round-off, 2^-53 of 500 m/s some ten
// times.
static void no_shot_passes_a_wall_of_a_millimetre(void) {
    const CnShapeType walls[] = {CN_SHAPE_BOX, CN_SHAPE_PLANE, CN_SHAPE_CONVEX};
    const double restitutions[] = {0.0, 0.5, 1.0};
    const double steps[] = {1.0 / 60.0, 1.0 / 240.0};
    int count = UNDER_SANITIZER ? 56 : 556; // 18 times 556 are 10,008
    CnRandom random = {1};
    for (int i = 0; i < 18; ++i) {
        CnWorldDef def = cn_world_def_default();
        Shots shots = {0};
        Range range = create_range(&def, walls[i % 3], 0.3, restitutions[i / 3 % 3]);
        shoot(&range, steps[i / 9], restitutions[i / 3 % 3], count, &random, &shots);
        CHECK_INT(shots.passed + shots.held_back, 0);
        CHECK_NEAR(shots.rebound, 0.0, 1e-11);
        cn_world_destroy(range.world);
    }
}

static void an_elastic_bullet_without_friction_keeps_its_energy(void) {
    CnWorldDef def = cn_world_def_default();
    CnRandom random = {2};
    Shots shots = {0};
    Range range = create_range(&def, CN_SHAPE_BOX, 0.0, 1.0);
    shoot(&range, 1.0 / 60.0, 1.0, 200, &random, &shots);
    CHECK_NEAR(shots.energy, 0.0, 1e-13); // some hundred roundings
    cn_world_destroy(range.world);
}

static void shots_stop_at_the_wall_under_every_setting(void) {
    CnRandom random = {3};
    for (int i = 0; i < CN_STABILISATION_COUNT * CN_ROTATION_COUNT * 2; ++i) {
        CnWorldDef def = cn_world_def_default();
        Shots shots = {0};
        def.step.stabilisation = (CnStabilisation)(i % CN_STABILISATION_COUNT);
        def.step.rotation = (CnRotationUpdate)(i / CN_STABILISATION_COUNT % CN_ROTATION_COUNT);
        def.step.theta = i % 3 == 0 ? 1.0 : i % 3 == 1 ? 0.5 : 0.7;
        def.step.substeps = 1 + i % 5;
        Range range = create_range(&def, CN_SHAPE_BOX, 0.3, i % 2 == 0 ? 0.0 : 0.8);
        shoot(&range, 1.0 / 60.0, i % 2 == 0 ? 0.0 : 0.8, 20, &random, &shots);
        CHECK_INT(shots.passed + shots.held_back, 0);
        CHECK_NEAR(shots.rebound, 0.0, 1e-11);
        cn_world_destroy(range.world);
    }
}

// Pushed by 1 kN: free, its 0.5 g would move by 530 m in a step.
static void a_quasi_static_bullet_stops_at_the_wall(void) {
    CnWorldDef def = cn_world_def_default();
    def.step.scheme = CN_SCHEME_QUASI_STATIC;
    def.gravity = zero;
    Range range = create_range(&def, CN_SHAPE_BOX, 0.3, 0.0);
    CnForceDef force = cn_force_def_default();
    force.body = range.bullet;
    force.force = cn_vec3(1e3, 0.0, 0.0);
    CHECK(cn_world_add_force(range.world, &force, NULL).index != 0);
    for (int i = 0; i < 10; ++i) {
        CnStepReport report = run_step(range.world, 1.0 / 60.0);
        CHECK(run_state(range.world, range.bullet).center.x <= -RADIUS + 1.1e-4); // margin / 10
        CHECK_INT(report.held_back, 0);
    }
    CHECK_NEAR(run_state(range.world, range.bullet).center.x, -RADIUS, 1.1e-4);
    cn_world_destroy(range.world);
}

static void settings_that_do_not_go_with_fast_bodies_are_refused(void) {
    CnError error;
    CnWorldDef def = cn_world_def_default();
    def.step.scheme = CN_SCHEME_ACCELERATION;
    Range range = create_range(&def, CN_SHAPE_BOX, 0.3, 0.0);
    CHECK_INT(cn_world_step(range.world, 0.01, NULL, &error), CN_UNSUPPORTED);
    CHECK_CONTAINS(error.message, "acceleration");
    cn_world_destroy(range.world);

    def = cn_world_def_default();
    def.step.contact_margin = 0.0;
    range = create_range(&def, CN_SHAPE_BOX, 0.3, 0.0);
    CHECK_INT(cn_world_step(range.world, 0.01, NULL, &error), CN_UNSUPPORTED);
    CHECK_CONTAINS(error.message, "contact_margin");
    cn_world_destroy(range.world);
}

// A thin plate or blade along x that is held at its centre and turns about z, and a thin obstacle
// beside it. It swings to and fro between the two sides of the obstacle: its angle is a triangle
// wave.
#define PLATE_THICKNESS 0.001 // [m]
#define ROD_RADIUS 0.0005     // [m]
#define ROD_DISTANCE 0.06     // from the plate's centre [m]
#define TOUCH 5e-6            // a two hundredth of the contact margin [m]

typedef struct Swing {
    CnWorld* world;
    CnBodyId plate;
} Swing;

static Swing create_swing(double speed, CnShapeType plate, CnShapeType obstacle) {
    CnWorldDef def = cn_world_def_default();
    def.gravity = zero;
    def.step.max_impacts = 1000;
    Swing swing = {.world = run_create(&def)};
    CnMaterialId material = run_add_material(swing.world, 0.0, 1.0);
    CnShapeDef rod = cn_shape_def_default(obstacle);
    rod.radius = ROD_RADIUS;
    rod.length = 0.1;
    add_static(swing.world, &rod, cn_vec3(ROD_DISTANCE, 0.0, 0.0), material);

    CnShapeDef shape = cn_shape_def_default(plate);
    CnBodyDef body = cn_body_def_default();
    shape.size = cn_vec3(0.01, PLATE_THICKNESS, 0.2);
    shape.radius = 0.5 * PLATE_THICKNESS;
    shape.length = 0.2;
    shape.rotation = cn_quat_from_axis_angle(cn_vec3(0.0, 1.0, 0.0), 0.5 * PI);
    body.shapes = &shape;
    body.shape_count = 1;
    body.has_mass = true; // heavy about x and y: a bounce that is off by round-off stays so
    body.mass = 0.01;
    body.inertia[0] = body.inertia[1] = 2e-3;
    body.inertia[2] = 2e-5;
    body.rotation = cn_quat_from_axis_angle(cn_vec3(0.0, 0.0, 1.0), 0.5 * PI);
    body.angular_velocity = cn_vec3(0.0, 0.0, speed);
    body.material = material;
    body.fast = true;
    swing.plate = run_add(swing.world, &body);
    CnPinData pin = {zero, zero};
    run_add_constraint(swing.world, cn_pin_kind(), swing.plate, (CnBodyId){0}, &pin, sizeof pin);
    return swing;
}

static double plate_angle(const Swing* swing) { // in [0, pi)
    CnQuat q = run_state(swing->world, swing->plate).rotation;
    CnVec3 along = cn_quat_rotate(q, cn_vec3(1.0, 0.0, 0.0));
    return along.y >= 0.0 ? atan2(along.y, along.x) : atan2(-along.y, -along.x);
}

static double triangle_wave(double speed, double time) {
    double least = asin((0.5 * PLATE_THICKNESS + ROD_RADIUS + TOUCH) / ROD_DISTANCE);
    double width = PI - 2.0 * least;
    double phase = fmod(0.5 * PI - least + speed * time, 2.0 * width);
    return least + (phase <= width ? phase : 2.0 * width - phase);
}

// A touch is found to 1e-9 m, which is 1.7e-8 rad at the rod and twice that from one bounce to the
// next; 1000 rad/s bounce 5 times in 1/60 s, 54 times in all.
static void a_turning_plate_swings_between_the_sides_of_a_rod(void) {
    const double speeds[] = {100.0, 330.0, 1000.0}; // [rad/s]
    const CnShapeType pairs[][2] = {{CN_SHAPE_BOX, CN_SHAPE_CYLINDER},
                                    {CN_SHAPE_BOX, CN_SHAPE_SPHERE},
                                    {CN_SHAPE_CAPSULE, CN_SHAPE_CAPSULE},
                                    {CN_SHAPE_CYLINDER, CN_SHAPE_CAPSULE}};
    for (int i = 0; i < 12; ++i) {
        double speed = speeds[i / 4];
        Swing swing = create_swing(speed, pairs[i % 4][0], pairs[i % 4][1]);
        for (int k = 1; k <= 10; ++k) {
            CnStepReport report = run_step(swing.world, 1.0 / 60.0);
            CHECK_NEAR(plate_angle(&swing), triangle_wave(speed, k / 60.0), 54 * 3.4e-8);
            CHECK_NEAR(fabs(run_state(swing.world, swing.plate).angular_velocity.z), speed,
                       1e-9 * speed);
            CHECK_INT(report.held_back, 0);
        }
        cn_world_destroy(swing.world);
    }
}

static void two_bullets_trade_velocities(void) {
    CnWorldDef def = cn_world_def_default();
    def.gravity = zero;
    CnWorld* world = run_create(&def);
    CnMaterialId material = run_add_material(world, 0.3, 1.0);
    CnBodyId left = add_bullet(world, cn_vec3(-5.0, 0.0, 0.0), cn_vec3(SPEED, 0.0, 0.0), material);
    CnBodyId right = add_bullet(world, cn_vec3(3.0, 0.0, 0.0), cn_vec3(-300.0, 0.0, 0.0), material);
    CHECK_INT(run_step(world, 1.0 / 60.0).impacts, 1);
    // They meet 8 m less two radii apart and less the touch, at 800 m/s: at x = 0 less 4 mm.
    double met = (8.0 - 2.0 * RADIUS - TOUCH) / 800.0, rest = 1.0 / 60.0 - met;
    CnBodyState a = run_state(world, left), b = run_state(world, right);
    CHECK_NEAR(a.velocity.x, -300.0, 1e-9);
    CHECK_NEAR(b.velocity.x, SPEED, 1e-9);
    CHECK_NEAR(a.center.x, -5.0 + SPEED * met - 300.0 * rest, 1e-8);
    CHECK_NEAR(b.center.x, 3.0 - 300.0 * met + SPEED * rest, 1e-8);
    cn_world_destroy(world);
}

#define ROW 5 // balls

// Impacts of neighbours by Newton's law, from left to right and again, until none comes nearer than
// the threshold: what a row of balls does whose impacts are over in no time.
static void pass_on(double restitution, double threshold, double v[ROW]) {
    for (bool again = true; again;) {
        again = false;
        for (int i = 0; i + 1 < ROW; ++i) {
            double mean = 0.5 * (v[i] + v[i + 1]), approach = v[i] - v[i + 1];
            if (approach > threshold) {
                v[i] = mean - 0.5 * restitution * approach;
                v[i + 1] = mean + 0.5 * restitution * approach;
                again = true;
            }
        }
    }
}

// A hundred picometres between balls are enough for impacts to follow each other. All of them take
// place at one cut of the step, and each is exact to the solver's tolerance.
static void impacts_travel_through_a_row_of_balls(void) {
    const double shares[] = {1.0, 0.5};
    for (int k = 0; k < 2; ++k) {
        CnWorldDef def = cn_world_def_default();
        def.gravity = zero;
        CnWorld* world = run_create(&def);
        CnMaterialId material = run_add_material(world, 0.0, shares[k]);
        CnBodyId balls[ROW];
        double v[ROW] = {SPEED}, worst = 0.0;
        for (int i = 0; i < ROW; ++i) {
            double x = i == 0 ? -5.0 : i * (2.0 * RADIUS + 1e-10);
            balls[i] = add_bullet(world, cn_vec3(x, 0.0, 0.0), cn_vec3(v[i], 0.0, 0.0), material);
        }
        CHECK_INT(run_step(world, 1.0 / 60.0).impacts, 1);
        pass_on(shares[k], def.step.restitution_threshold, v);
        for (int i = 0; i < ROW; ++i) {
            worst = fmax(worst, fabs(run_state(world, balls[i]).velocity.x - v[i]));
        }
        CHECK_NEAR(worst, 0.0, ROW * def.solver.tolerance);
        cn_world_destroy(world);
    }
}

// Past the edge of a block, which rows for the nearest point would take for a wall.
static void a_shot_that_misses_an_edge_flies_straight_on(void) {
    const double offsets[] = {-1e-3, -2e-4, 2e-4, 1e-3, 1e-2}; // of the ball from the edge [m]
    for (int i = 0; i < 5; ++i) {
        CnWorldDef def = cn_world_def_default();
        def.gravity = zero;
        CnWorld* world = run_create(&def);
        CnMaterialId material = run_add_material(world, 0.3, 0.0);
        CnShapeDef box = cn_shape_def_default(CN_SHAPE_BOX);
        add_static(world, &box, cn_vec3(0.0, 0.0, -0.5), material);
        CnBodyId bullet = add_bullet(world, cn_vec3(-4.1, 0.0, RADIUS + offsets[i]),
                                     cn_vec3(SPEED, 0.0, 0.0), material);
        CnStepReport report = run_step(world, 1.0 / 60.0);
        CnBodyState end = run_state(world, bullet);
        CHECK_INT(report.impacts > 0, offsets[i] < 0.0);
        CHECK_INT(end.velocity.z > 0.0, offsets[i] < 0.0);
        if (offsets[i] > 0.0) {
            CHECK_NEAR(end.center.x, -4.1 + SPEED / 60.0, 1e-14);
            CHECK_NEAR(end.velocity.x, SPEED, 0.0);
        }
        cn_world_destroy(world);
    }
}

static CnBodyId add_box(CnWorld* world, CnVec3 size, CnVec3 position, CnMaterialId material,
                        bool fast) {
    CnShapeDef box = cn_shape_def_default(CN_SHAPE_BOX);
    CnBodyDef def = cn_body_def_default();
    box.size = size;
    def.shapes = &box;
    def.shape_count = 1;
    def.position = position;
    def.material = material;
    def.fast = fast;
    return run_add(world, &def);
}

static void what_rests_is_never_cut(void) {
    CnWorldDef def = cn_world_def_default();
    CnWorld* world = run_create(&def);
    CnMaterialId material = run_add_material(world, 0.5, 0.3);
    run_add_ground(world, material);
    add_bullet(world, cn_vec3(0.0, 0.0, RADIUS), zero, material);
    add_box(world, cn_vec3(0.1, 0.2, 0.3), cn_vec3(1.0, 0.0, 0.15), material, true);
    int steps = UNDER_SANITIZER ? 1000 : 10000, cuts = 0;
    for (int i = 0; i < steps; ++i) {
        cuts += run_step(world, 1.0 / 60.0).impacts;
    }
    CHECK_INT(cuts, 0);
    cn_world_destroy(world);
}

#define STACK 5
static void run_stack(bool fast, CnStabilisation stabilisation, CnBodyState end[STACK]) {
    CnWorldDef def = cn_world_def_default();
    def.step.stabilisation = stabilisation;
    CnWorld* world = run_create(&def);
    CnMaterialId material = run_add_material(world, 0.5, 0.0);
    CnBodyId ids[STACK];
    int cuts = 0;
    run_add_ground(world, material);
    for (int i = 0; i < STACK; ++i) {
        ids[i] = add_box(world, cn_vec3(0.2, 0.2, 0.2), cn_vec3(0.01 * i, 0.0, 0.1 + 0.2 * i),
                         material, fast);
    }
    for (int i = 0; i < 120; ++i) {
        cuts += run_step(world, 1.0 / 60.0).impacts;
    }
    for (int i = 0; i < STACK; ++i) {
        end[i] = run_state(world, ids[i]);
    }
    CHECK_INT(cuts, 0);
    cn_world_destroy(world);
}

// The same contacts and rows, so the same stack to the solver's 1e-8 m/s for 2 s.
static void a_stack_of_fast_boxes_stands_like_any_other(void) {
    for (int i = 0; i < CN_STABILISATION_COUNT; ++i) {
        CnBodyState fast[STACK], other[STACK];
        run_stack(true, (CnStabilisation)i, fast);
        run_stack(false, (CnStabilisation)i, other);
        for (int k = 0; k < STACK; ++k) {
            CHECK_NEAR(run_state_distance(&fast[k], &other[k]), 0.0, 2e-8);
        }
    }
}

// 2 mm deep in a wall of 2 cm, on its way in.
static void a_bullet_that_starts_in_overlap_comes_out_where_it_was(void) {
    for (int i = 0; i < CN_STABILISATION_COUNT; ++i) {
        CnWorldDef def = cn_world_def_default();
        def.step.stabilisation = (CnStabilisation)i;
        def.gravity = zero;
        CnWorld* world = run_create(&def);
        CnMaterialId material = run_add_material(world, 0.3, 0.5);
        CnShapeDef box = cn_shape_def_default(CN_SHAPE_BOX);
        box.size = cn_vec3(0.02, 1.0, 1.0);
        add_static(world, &box, cn_vec3(0.01, 0.0, 0.0), material);
        CnBodyId bullet = add_bullet(world, cn_vec3(-RADIUS + 0.002, 0.0, 0.0),
                                     cn_vec3(SPEED, 0.0, 0.0), material);
        run_step(world, 1.0 / 60.0);
        CnBodyState end = run_state(world, bullet);
        CHECK(end.center.x < -RADIUS);
        CHECK_NEAR(end.velocity.x, -0.5 * SPEED, 1e-9);
        cn_world_destroy(world);
    }
}

// Between walls 2 cm apart, 1 cm to go: 833 bounces in a step, which 32 cuts do not allow.
static void a_bullet_that_is_held_back_stays_between_its_walls(void) {
    CnWorldDef def = cn_world_def_default();
    CnWorld* world = run_create(&def);
    CnMaterialId material = run_add_material(world, 0.0, 1.0);
    add_wall(world, CN_SHAPE_BOX, cn_vec3(0.01, 0.0, 0.0), material);
    add_wall(world, CN_SHAPE_BOX, cn_vec3(-0.01 - THICKNESS, 0.0, 0.0), material);
    CnBodyId bullet = add_bullet(world, zero, cn_vec3(SPEED, 100.0, 0.0), material);
    double energy = cn_world_energy(world);
    for (int i = 0; i < 50; ++i) {
        CnStepReport report = run_step(world, 1.0 / 60.0);
        CHECK_INT(report.held_back, 1);
        CHECK_INT(report.impacts, 32);
        CHECK(fabs(run_state(world, bullet).center.x) < 0.01 - RADIUS);
        CHECK(report.penetration < 1e-9);
        energy += report.energy.work[CN_WORK_STABILISATION];
        CHECK_NEAR(cn_world_energy(world), energy, 1e-12 * energy);
    }
    cn_world_destroy(world);
}

static void a_way_that_is_long_enough_needs_more_cuts_and_gets_them(void) {
    CnWorldDef def = cn_world_def_default();
    def.step.max_impacts = 1000;
    def.gravity = zero;
    CnWorld* world = run_create(&def);
    CnMaterialId material = run_add_material(world, 0.0, 1.0);
    add_wall(world, CN_SHAPE_BOX, cn_vec3(0.01, 0.0, 0.0), material);
    add_wall(world, CN_SHAPE_BOX, cn_vec3(-0.01 - THICKNESS, 0.0, 0.0), material);
    CnBodyId bullet = add_bullet(world, zero, cn_vec3(SPEED, 0.0, 0.0), material);
    CnStepReport report = run_step(world, 1.0 / 60.0);
    // From touch to touch it is 2 (1 cm - radius - touch); the first way is half of that.
    double width = 2.0 * (0.01 - RADIUS - TOUCH);
    CHECK_INT(report.impacts, (int)(SPEED / 60.0 / width + 0.5));
    CHECK_INT(report.held_back, 0);
    CHECK_NEAR(fabs(run_state(world, bullet).velocity.x), SPEED, 1e-9);
    cn_world_destroy(world);
}

// Eight bodies of four kinds that fall on each other and roll about for two seconds. A part may get
// deeper by a tenth of the margin; some that follow on each other may add to it.
static void a_pile_of_fast_bodies_hardly_overlaps(void) {
    const CnShapeType types[] = {CN_SHAPE_BOX, CN_SHAPE_SPHERE, CN_SHAPE_CAPSULE,
                                 CN_SHAPE_CYLINDER};
    CnWorldDef def = cn_world_def_default();
    CnWorld* world = run_create(&def);
    CnMaterialId material = run_add_material(world, 0.5, 0.2);
    CnRandom random = {3};
    run_add_ground(world, material);
    for (int i = 0; i < 8; ++i) {
        CnShapeDef shape = cn_shape_def_default(types[i % 4]);
        CnBodyDef body = cn_body_def_default();
        double x = cn_random_between(&random, -0.3, 0.3);
        double y = cn_random_between(&random, -0.3, 0.3);
        shape.size = cn_vec3(0.2, 0.3, 0.1);
        shape.radius = 0.1;
        shape.length = 0.2;
        body.shapes = &shape;
        body.shape_count = 1;
        body.position = cn_vec3(x, y, 0.5 + 0.35 * i);
        body.velocity = cn_vec3(0.0, 0.0, -5.0);
        body.angular_velocity = cn_vec3(3.0 * x, 5.0 * y, 2.0);
        body.material = material;
        body.fast = true;
        run_add(world, &body);
    }
    for (int i = 0; i < 120; ++i) {
        CnStepReport report = run_step(world, 1.0 / 60.0);
        CHECK(report.penetration < 3.0 * 0.1 * def.step.contact_margin);
        CHECK_INT(report.held_back, 0);
    }
    cn_world_destroy(world);
}

// Bullets into rows of boxes that stand on the ground.
static uint64_t hash_after_shots(const CnTasks* tasks) {
    CnWorldDef def = cn_world_def_default();
    if (tasks != NULL) {
        def.tasks = *tasks;
    }
    CnWorld* world = run_create(&def);
    CnMaterialId material = run_add_material(world, 0.4, 0.2);
    run_add_ground(world, material);
    for (int i = 0; i < 12; ++i) {
        for (int k = 0; k < 3; ++k) {
            add_box(world, cn_vec3(0.2, 0.2, 0.2), cn_vec3(0.3 * k, i, 0.1), material, k == 2);
        }
        add_bullet(world, cn_vec3(-1.0 - 0.1 * i, i + 0.01, 0.12), cn_vec3(SPEED, 0.0, 0.0),
                   material);
    }
    for (int i = 0; i < 20; ++i) {
        CHECK_INT(cn_world_step(world, 1.0 / 240.0, NULL, NULL), CN_OK);
    }
    uint64_t hash = cn_world_hash(world);
    cn_world_destroy(world);
    return hash;
}

static void impacts_are_the_same_bits_with_any_number_of_workers(void) {
    uint64_t serial = hash_after_shots(NULL);
    const int threads[] = {1, 2, 4};
    for (int i = 0; i < 3; ++i) {
        CnTaskPool* pool = cn_task_pool_create(threads[i], NULL);
        CnTasks tasks = cn_task_pool_tasks(pool);
        ck_assert_msg(hash_after_shots(&tasks) == serial, "%d threads", threads[i]);
        cn_task_pool_destroy(pool);
    }
}

// A floor z = 0 of cells of 0.5 m by 0.5 m from x = -8 to 0, and at its end a wall that faces -x:
// one mesh.
#define CELLS_X 16
#define CELLS_Y 4
#define FLOOR_POINTS ((CELLS_X + 1) * (CELLS_Y + 1))
static CnBodyId add_hall(CnWorld* world, CnMaterialId material) {
    CnVec3 points[FLOOR_POINTS + 2];
    int triangles[2 * CELLS_X * CELLS_Y + 2][3], count = 0;
    for (int i = 0; i < FLOOR_POINTS; ++i) {
        points[i] =
            cn_vec3(-8.0 + 0.5 * (i % (CELLS_X + 1)), -1.0 + 0.5 * (i / (CELLS_X + 1)), 0.0);
    }
    for (int i = 0; i < CELLS_X * CELLS_Y; ++i) {
        int p = i / CELLS_X * (CELLS_X + 1) + i % CELLS_X, q = p + CELLS_X + 1;
        int cell[2][3] = {{p, p + 1, q}, {p + 1, q + 1, q}};
        memcpy(triangles[count], cell, sizeof cell);
        count += 2;
    }
    int right = CELLS_X, left = FLOOR_POINTS - 1; // the ends of the edge at x = 0
    points[FLOOR_POINTS] = cn_vec3(0.0, -1.0, 1.0);
    points[FLOOR_POINTS + 1] = cn_vec3(0.0, 1.0, 1.0);
    int wall[2][3] = {{right, FLOOR_POINTS, left}, {FLOOR_POINTS, FLOOR_POINTS + 1, left}};
    memcpy(triangles[count], wall, sizeof wall);
    count += 2;
    CnShapeDef mesh = cn_shape_def_default(CN_SHAPE_MESH);
    mesh.points = points;
    mesh.point_count = FLOOR_POINTS + 2;
    mesh.triangles = (const int(*)[3])triangles;
    mesh.triangle_count = count;
    return add_static(world, &mesh, zero, material);
}

// Across 16 cells without a cut, then off the wall at x = 0 and back again.
static void a_ball_on_the_floor_of_a_mesh_bounces_off_its_wall(void) {
    CnWorldDef def = cn_world_def_default();
    CnWorld* world = run_create(&def);
    CnMaterialId material = run_add_material(world, 0.0, 0.5);
    add_hall(world, material);
    CnBodyId bullet =
        add_bullet(world, cn_vec3(-7.9, 0.13, RADIUS), cn_vec3(200.0, 0.0, 0.0), material);
    int cuts = 0;
    for (int i = 0; i < 4; ++i) { // 3.3 m in 1/60 s
        CnStepReport report = run_step(world, 1.0 / 60.0);
        cuts += report.impacts;
        CHECK_INT(report.impacts > 0, i == 2);
    }
    CnBodyState end = run_state(world, bullet);
    double met = (7.9 - RADIUS) / 200.0;
    CHECK(cuts <= 2);
    CHECK_NEAR(end.velocity.x, -100.0, 1e-8);
    CHECK_NEAR(end.center.x, -RADIUS - 100.0 * (4.0 / 60.0 - met), 2.0 * 1.1e-4); // margin / 10
    CHECK_NEAR(end.center.z, RADIUS, 1e-4);
    cn_world_destroy(world);
}

// Hills of 0.2 m over a grid of 0.5 m. However steep the shot, it never gets under the ground.
static void no_shot_passes_a_height_field(void) {
    enum { POINTS = 21 };
    double heights[POINTS * POINTS];
    CnRandom random = {5};
    for (int i = 0; i < POINTS * POINTS; ++i) {
        heights[i] = cn_random_between(&random, -0.2, 0.2);
    }
    CnWorldDef def = cn_world_def_default();
    CnWorld* world = run_create(&def);
    CnMaterialId material = run_add_material(world, 0.3, 0.5);
    CnShapeDef field = cn_shape_def_default(CN_SHAPE_HEIGHT_FIELD);
    field.heights = heights;
    field.columns = field.rows = POINTS;
    field.size = cn_vec3(10.0, 10.0, 0.0);
    add_static(world, &field, zero, material);
    CnBodyId bullet = add_bullet(world, cn_vec3(0.0, 0.0, 3.0), zero, material);
    int shots = UNDER_SANITIZER ? 30 : 300, passed = 0;
    for (int i = 0; i < shots; ++i) {
        CnBodyState state = random_shot(&random);
        double x = cn_random_between(&random, -2.0, 2.0);
        CnVec3 v = state.velocity;
        state.velocity = cn_vec3(v.y, v.z, -v.x);
        state.center = cn_vec3(x, 0.3 * x, 0.3 + 0.3 * (1.0 - state.center.x));
        CHECK_INT(cn_body_set_state(world, bullet, &state, NULL), CN_OK);
        for (int k = 0; k < 4; ++k) {
            run_step(world, 1.0 / 240.0);
            CnVec3 now = run_state(world, bullet).center;
            passed += fabs(now.x) < 5.0 && fabs(now.y) < 5.0 && now.z < -0.2;
        }
    }
    CHECK_INT(passed, 0);
    cn_world_destroy(world);
}

// Bodies that are held back are placed again as their step ends: the next one looks at their pairs.
static void clones_of_soft_worlds_with_fast_bodies_go_on_alike(void) {
    const uint64_t seeds = UNDER_SANITIZER ? 1 : 12;
    for (uint64_t seed = 1; seed <= seeds; ++seed) {
        CnRandom random = {seed};
        CnWorldDef def = cn_world_def_default();
        def.step.scheme = CN_SCHEME_SOFT_STEP;
        CnWorld* world = run_create(&def);
        run_add_ground(world, (CnMaterialId){0});
        CnShapeDef shape = cn_shape_def_default(CN_SHAPE_BOX);
        shape.size = cn_vec3(0.6, 0.6, 0.6);
        for (int i = 0; i < 15; ++i) {
            CnBodyDef body = cn_body_def_default();
            body.shapes = &shape;
            body.shape_count = 1;
            body.fast = i % 5 == 0;
            body.position = cn_vec3(cn_random_between(&random, -1.2, 1.2),
                                    cn_random_between(&random, -1.2, 1.2), 0.3 + 0.3 * i);
            run_add(world, &body);
        }
        for (int i = 0; i < 40; ++i) {
            CnWorld* clone = cn_world_clone(world, NULL, NULL);
            CHECK(clone != NULL);
            for (int k = 0; k < 2; ++k) {
                CHECK_INT(cn_world_step(world, 0.01, NULL, NULL), CN_OK);
                CHECK_INT(cn_world_step(clone, 0.01, NULL, NULL), CN_OK);
            }
            ck_assert_msg(cn_world_hash(world) == cn_world_hash(clone),
                          "seed %d: a clone of step %d goes another way", (int)seed, 2 * i);
            cn_world_destroy(clone);
        }
        cn_world_destroy(world);
    }
}

// Between two walls 2 mm further apart than its diameter a ball that bounces without loss has an
// impact every 40 microseconds. A try up to the end of the step poses it up to 0.25 m away, where
// it has no pair with the wall it leaves. A pair that is back after the try is the one it was: it
// does not end and begin at the same instant, as one does that is forgotten.
static void tries_that_are_undone_tell_no_events(void) {
    const double radius = 0.1, slack = 2e-3, speed = 50.0, dt = 0.01;
    CnWorldDef def = cn_world_def_default();
    def.gravity = cn_vec3(0.0, 0.0, 0.0);
    def.step.max_impacts = 1000;
    CnWorld* world = run_create(&def);
    CnMaterialId steel = run_add_material(world, 0.0, 1.0);
    for (int side = -1; side <= 1; side += 2) {
        run_add_box(world, CN_BODY_STATIC, cn_vec3(0.02, 1.0, 1.0),
                    cn_vec3(side * (radius + 0.5 * slack + 0.01), 0.0, 0.0), steel);
    }
    CnBodyDef def_of_ball = run_body(1.0, cn_vec3(4e-3, 4e-3, 4e-3), cn_vec3(0.0, 0.0, 0.0));
    CnShapeDef sphere = cn_shape_def_default(CN_SHAPE_SPHERE);
    sphere.radius = radius;
    def_of_ball.shapes = &sphere;
    def_of_ball.shape_count = 1;
    def_of_ball.material = steel;
    def_of_ball.velocity = cn_vec3(speed, 0.3, 0.0);
    def_of_ball.fast = true;
    run_add(world, &def_of_ball);
    int begins = 0;
    for (int step = 0; step < 3; ++step) {
        static CnEvent events[2000];
        CnStepReport report = run_step(world, dt);
        CHECK(report.impacts > 0);
        int count = cn_world_events(world, events, 2000);
        CHECK(count <= 2000);
        for (int i = 0; i < count; ++i) {
            begins += events[i].type == CN_EVENT_CONTACT_BEGIN;
            for (int k = 0; k < count && events[i].type == CN_EVENT_CONTACT_END; ++k) {
                CHECK(events[k].type != CN_EVENT_CONTACT_BEGIN ||
                      events[k].time != events[i].time ||
                      events[k].shape_a.index != events[i].shape_a.index);
            }
        }
    }
    CHECK(begins > 0);
    cn_world_destroy(world);
}

TEST_MAIN("physics/contact/fast_bodies", TEST(no_shot_passes_a_wall_of_a_millimetre),
          TEST(an_elastic_bullet_without_friction_keeps_its_energy),
          TEST(shots_stop_at_the_wall_under_every_setting),
          TEST(a_quasi_static_bullet_stops_at_the_wall),
          TEST(settings_that_do_not_go_with_fast_bodies_are_refused),
          TEST(a_turning_plate_swings_between_the_sides_of_a_rod),
          TEST(two_bullets_trade_velocities), TEST(impacts_travel_through_a_row_of_balls),
          TEST(a_shot_that_misses_an_edge_flies_straight_on), TEST(what_rests_is_never_cut),
          TEST(a_stack_of_fast_boxes_stands_like_any_other),
          TEST(a_bullet_that_starts_in_overlap_comes_out_where_it_was),
          TEST(a_bullet_that_is_held_back_stays_between_its_walls),
          TEST(a_way_that_is_long_enough_needs_more_cuts_and_gets_them),
          TEST(a_pile_of_fast_bodies_hardly_overlaps),
          TEST(impacts_are_the_same_bits_with_any_number_of_workers),
          TEST(a_ball_on_the_floor_of_a_mesh_bounces_off_its_wall),
          TEST(no_shot_passes_a_height_field),
          TEST(clones_of_soft_worlds_with_fast_bodies_go_on_alike),
          TEST(tries_that_are_undone_tell_no_events))
