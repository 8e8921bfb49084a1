// test_chains.c - light chains that carry heavy balls, swinging through.
#include "cairn/joint.h"
#include "support/run.h"

#define LINKS 30
#define LINK_LENGTH 0.1 // [m]
#define RADIUS 0.02     // of a link [m]

static const CnVec3 zero = {0.0, 0.0, 0.0};

static void join(CnWorld* world, CnBodyId a, CnBodyId b, CnVec3 point) {
    CnError error = {0};
    CnJointDef def = cn_joint_def_default(CN_JOINT_BALL);
    def.body_a = a;
    def.body_b = b;
    def.point_a = point;
    ck_assert_msg(cn_world_add_joint(world, &def, &error).index != 0, "%s", error.message);
}

// Links of 1 kg along x from the origin, held there, with a ball at the end of the last.
static CnWorld* build_chain(double ball_mass) {
    CnWorldDef def = cn_world_def_default();
    def.solver.tolerance = 1e-10;
    CnWorld* world = run_create(&def);
    CnBodyId last = {0};
    double across = LINK_LENGTH * LINK_LENGTH / 12.0, along = 0.5 * RADIUS * RADIUS; // of a rod
    for (int i = 0; i < LINKS; ++i) {
        CnBodyDef link =
            run_body(1.0, cn_vec3(along, across, across), cn_vec3((i + 0.5) * LINK_LENGTH, 0, 0));
        CnBodyId body = run_add(world, &link);
        join(world, body, last, cn_vec3(i * LINK_LENGTH, 0.0, 0.0));
        last = body;
    }
    CnVec3 end = cn_vec3(LINKS * LINK_LENGTH, 0.0, 0.0);
    CnBodyId ball = run_add_ball(world, ball_mass, 0.3, cn_vec3_add(end, cn_vec3(0.3, 0.0, 0.0)),
                                 zero, (CnMaterialId){0});
    join(world, ball, last, end);
    return world;
}

// The worst of every step; the ball falls through its lowest point after 1.1 s.
static void check_swing(double ball_mass, double step, int steps) {
    CnWorld* world = build_chain(ball_mass);
    double error = 0.0, residual = 0.0;
    for (int i = 0; i < steps; ++i) {
        CnStepReport report = run_step(world, step);
        error = fmax(error, report.joint_error);
        residual = fmax(residual, report.certificate.worst);
    }
    CHECK(error <= 1e-9);     // the projection ends at 1e-11 m
    CHECK(residual <= 1e-10); // the solver's tolerance [m/s]
    cn_world_destroy(world);
}

static void a_light_chain_holds_a_ton_at_sixty_hertz(void) {
    check_swing(1000.0, 1.0 / 60.0, 120);
}

// At 60 Hz the projection finds no way in some steps: waves pass the
// taut chain from link to link in 0.5 ms, sqrt(10 kg/m / 490 kN) times 0.1 m.
static void a_light_chain_holds_fifty_tons_at_a_kilohertz(void) {
    check_swing(50000.0, 1e-3, 1200);
}

TEST_MAIN("physics/joints/chains", TEST(a_light_chain_holds_a_ton_at_sixty_hertz),
          TEST(a_light_chain_holds_fifty_tons_at_a_kilohertz))
