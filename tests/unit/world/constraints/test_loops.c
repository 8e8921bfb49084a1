// test_loops.c - trees of joints have no loops; anything held in two ways has one.
#include "cairn/joint.h"
#include "support/run.h"
#include "world/constraints/loops.h"

#define BODIES 4

typedef struct Chain {
    CnWorld* world;
    CnBodyId bodies[BODIES];
} Chain;

static CnJointId join(CnWorld* world, CnBodyId a, CnBodyId b) {
    CnJointDef def = cn_joint_def_default(CN_JOINT_HINGE);
    def.body_a = a;
    def.body_b = b;
    return cn_world_add_joint(world, &def, NULL);
}

// Bodies on hinges one after the other, the first on the world.
static Chain create_chain(void) {
    CnWorldDef def = cn_world_def_default();
    Chain chain = {.world = run_create(&def)};
    CnBodyId before = {0};
    for (int i = 0; i < BODIES; ++i) {
        CnBodyDef body = run_body(1.0, cn_vec3(1.0, 1.0, 1.0), cn_vec3(i, 0.0, 0.0));
        chain.bodies[i] = run_add(chain.world, &body);
        CHECK(join(chain.world, before, chain.bodies[i]).index != 0);
        before = chain.bodies[i];
    }
    return chain;
}

static bool has_loops(CnWorld* world) {
    bool found;
    CHECK_INT(cn_world_find_loops(world, &found), CN_OK);
    return found;
}

static void a_chain_has_no_loop(void) {
    Chain chain = create_chain();
    CHECK(!has_loops(chain.world));
    cn_world_destroy(chain.world);
}

static void a_second_way_to_the_ground_is_a_loop(void) {
    Chain chain = create_chain();
    CnBodyDef post = cn_body_def_default();
    post.type = CN_BODY_STATIC;
    CnJointId joint = join(chain.world, chain.bodies[BODIES - 1], run_add(chain.world, &post));
    CHECK(has_loops(chain.world)); // what does not move is one with the world
    CHECK_INT(cn_world_remove_joint(chain.world, joint), CN_OK);
    CHECK(!has_loops(chain.world));
    cn_world_destroy(chain.world);
}

static void two_joints_between_the_same_bodies_are_a_loop(void) {
    Chain chain = create_chain();
    CHECK(join(chain.world, chain.bodies[2], chain.bodies[1]).index != 0);
    CHECK(has_loops(chain.world));
    cn_world_destroy(chain.world);
}

static void ropes_and_motors_close_no_loop(void) {
    Chain chain = create_chain();
    CnJointDef rope = cn_joint_def_default(CN_JOINT_ROPE);
    rope.body_a = chain.bodies[BODIES - 1];
    rope.point_a = cn_vec3(3.0, 0.0, 0.0);
    rope.point_b = cn_vec3(3.0, 0.0, 5.0);
    CHECK(cn_world_add_joint(chain.world, &rope, NULL).index != 0);
    CnJointAxis motor = {.motor = CN_MOTOR_VELOCITY, .limited = true, .lower = -1.0, .upper = 1.0};
    CHECK_INT(cn_joint_set_axis(chain.world, cn_world_joint_at(chain.world, 0), CN_AXIS_TURN_Z,
                                &motor, NULL),
              CN_OK);
    CHECK(!has_loops(chain.world));
    cn_world_destroy(chain.world);
}

TEST_MAIN("unit/world/constraints/loops", TEST(a_chain_has_no_loop),
          TEST(a_second_way_to_the_ground_is_a_loop),
          TEST(two_joints_between_the_same_bodies_are_a_loop), TEST(ropes_and_motors_close_no_loop))
