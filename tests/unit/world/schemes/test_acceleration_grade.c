// test_acceleration_grade.c - scheme acceleration: the certificate is that of the impulses.
#include "cairn/problem.h"
#include "support/problems/last_problem.h"
#include "support/run.h"
#include "world/world.h"

#define DT 0.01 // [s]

// Four rods of 1 m, end to end, that fall from the horizontal.
static CnWorld* create_chain(CnIntegrator integrator) {
    CnWorldDef def = cn_world_def_default();
    def.step.scheme = CN_SCHEME_ACCELERATION;
    def.step.integrator = integrator;
    CnWorld* world = run_create(&def);
    CnBodyId before = {0};
    for (int i = 0; i < 4; ++i) {
        CnBodyDef rod = run_body(1.0 + i, cn_vec3(0.01, 0.1, 0.1), cn_vec3(0.5 + i, 0.0, 0.0));
        CnBodyId id = run_add(world, &rod);
        CnJointDef ball = cn_joint_def_default(CN_JOINT_BALL);
        ball.body_a = before;
        ball.body_b = id;
        ball.point_a = cn_vec3(i, 0.0, 0.0);
        CHECK(cn_world_add_joint(world, &ball, NULL).index != 0);
        before = id;
    }
    return world;
}

// The residual of a step is dt times that of its accelerations; with Runge-Kutta it is the worst of
// four looks, of which the last one can be graded again. Impulses are rounded: it is never zero.
static void the_certificate_of_a_step_is_that_of_its_impulses(void) {
    for (int i = 0; i < CN_INTEGRATOR_COUNT; ++i) {
        CnWorld* world = create_chain((CnIntegrator)i);
        for (int step = 0; step < 50; ++step) {
            CnCertificate again;
            CnStepReport report = run_step(world, DT);
            const CnAssembledStep* whole = last_problem(world);
            CnSolution solution = {whole->rows.impulse, world->step.velocity};
            cn_problem_certify(&whole->problem, &solution, NULL, &again);
            CHECK(report.certificate.worst > 0.0);
            CHECK(report.certificate.worst >= DT * again.worst);
            CHECK(i == CN_INTEGRATOR_RK4 || report.certificate.worst == DT * again.worst);
            CHECK(report.solver.certificate.worst == report.certificate.worst);
        }
        cn_world_destroy(world);
    }
}

TEST_MAIN("unit/world/schemes/acceleration_grade",
          TEST(the_certificate_of_a_step_is_that_of_its_impulses))
