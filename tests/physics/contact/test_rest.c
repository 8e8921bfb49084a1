// test_rest.c - a box at rest touches at the same four points, step after step.
#include "support/run.h"
#include "world/world.h"

#define STEPS 10000
#define POINTS 16

static const double dt = 1.0 / 60.0;   // [s]
static const double tolerance = 1e-10; // of the solver [m/s]
static const double mass = 1000.0;     // a cube of 1 m, density 1000 kg/m^3

typedef enum Support { ON_A_PLANE, ON_A_BOX, SUPPORT_COUNT } Support;

static CnBodyDef box_def(CnShapeDef* shape, CnVec3 size, double height) {
    CnBodyDef def = cn_body_def_default();
    *shape = cn_shape_def_default(CN_SHAPE_BOX);
    shape->size = size;
    def.shapes = shape;
    def.shape_count = 1;
    def.position = cn_vec3(0.0, 0.0, height);
    return def;
}

// The cube is turned, so that its corners lie over nothing in particular of a box below.
static CnWorld* resting_cube(Support support, const char* solver) {
    const CnMaterialId usual = {0};
    CnWorldDef def = cn_world_def_default();
    CnShapeDef shape;
    def.solver.name = solver;
    def.solver.tolerance = tolerance;
    CnWorld* world = run_create(&def);
    if (support == ON_A_PLANE) {
        run_add_ground(world, usual);
    } else {
        CnBodyDef below = box_def(&shape, cn_vec3(4.0, 3.0, 1.0), -0.5);
        below.type = CN_BODY_STATIC;
        run_add(world, &below);
    }
    CnBodyDef cube = box_def(&shape, cn_vec3(1.0, 1.0, 1.0), 0.5);
    cube.rotation = cn_quat_from_axis_angle(cn_vec3(0.0, 0.0, 1.0), 0.3);
    run_add(world, &cube);
    return world;
}

// What a run at rest shows of its warm start.
typedef struct Rest {
    int fewest, most; // points of a step
    int new_keys;     // points that the step before did not have
    int lost;         // blocks that found no impulse of the step before
    double jump;      // largest change of a point's impulse from one step to the next [N s]
} Rest;

static void compare(Rest* rest, const CnContactPoint* before, int before_count,
                    const CnContactPoint* now, int count) {
    for (int i = 0; i < count; ++i) {
        int k = 0;
        while (k < before_count && before[k].key != now[i].key) {
            ++k;
        }
        if (k == before_count) {
            ++rest->new_keys;
        } else {
            CnVec3 change = cn_vec3_sub(now[i].impulse, before[k].impulse);
            rest->jump = fmax(rest->jump, cn_vec3_length(change));
        }
    }
}

// Points that act and carry no impulse for the next step to start from.
static int lost_impulses(const CnWorld* world) {
    int lost = 0;
    for (int i = 0; i < world->step.manifolds.count; ++i) {
        int index = world->step.manifolds.data[i];
        for (int k = 0; k < cn_manifold_at(&world->pairs, index)->count; ++k) {
            lost += !(cn_vec3_length(cn_pair_store_impulse(&world->pairs, index, k)) > 0.0);
        }
    }
    return lost;
}

static Rest watch(CnWorld* world) {
    CnContactPoint points[2][POINTS];
    Rest rest = {0};
    run_step(world, dt);
    int before = cn_world_contacts(world, points[0], POINTS);
    rest.fewest = rest.most = before;
    for (int i = 1; i < STEPS; ++i) {
        run_step(world, dt);
        int count = cn_world_contacts(world, points[i % 2], POINTS);
        rest.fewest = count < rest.fewest ? count : rest.fewest;
        rest.most = count > rest.most ? count : rest.most;
        rest.lost += lost_impulses(world);
        if (count <= POINTS) {
            compare(&rest, points[(i + 1) % 2], before, points[i % 2], count);
        }
        before = count;
    }
    return rest;
}

// Every point is found again by its key with what it carried. A guess within the tolerance is kept
// as it is, so a corner may rise with that speed, and comes down with as much again once the guess
// has left the tolerance. Between the two the mass changes its speed by at most four tolerances,
// and the points share that impulse as they like.
static void check_rest(Support support, const char* solver) {
    CnWorld* world = resting_cube(support, solver);
    Rest rest = watch(world);
    CHECK_INT(rest.fewest, 4);
    CHECK_INT(rest.most, 4);
    CHECK_INT(rest.new_keys, 0);
    CHECK_INT(rest.lost, 0);
    ck_assert_msg(rest.jump <= 4.0 * mass * tolerance, "an impulse jumps by %g N s", rest.jump);
    cn_world_destroy(world);
}

static void the_warm_start_never_drops_at_rest_with_auto(void) {
    for (int support = 0; support < SUPPORT_COUNT; ++support) {
        check_rest((Support)support, "auto");
    }
}

static void the_warm_start_never_drops_at_rest_with_nsgs(void) {
    for (int support = 0; support < SUPPORT_COUNT; ++support) {
        check_rest((Support)support, "nsgs");
    }
}

TEST_MAIN("physics/contact/rest", TEST(the_warm_start_never_drops_at_rest_with_auto),
          TEST(the_warm_start_never_drops_at_rest_with_nsgs))
