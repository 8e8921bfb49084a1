// falling_ball.c - drops a ball on the ground and says how far the answer can be trusted.
#include <cairn/cairn.h>
#include <stdio.h>

int main(void) {
    CnError error = {0};
    CnWorldDef world_def = cn_world_def_default(); // gravity is (0, 0, -9.81) m/s^2
    CnWorld* world = cn_world_create(&world_def, &error);
    if (world == NULL) {
        fprintf(stderr, "%s\n", error.message);
        return 1;
    }

    CnShapeDef plane = cn_shape_def_default(CN_SHAPE_PLANE); // the half space z <= 0
    CnBodyDef ground_def = cn_body_def_default();
    ground_def.type = CN_BODY_STATIC;
    ground_def.shapes = &plane;
    ground_def.shape_count = 1;
    cn_world_add_body(world, &ground_def, &error);

    CnShapeDef sphere = cn_shape_def_default(CN_SHAPE_SPHERE);
    sphere.radius = 0.1; // [m]
    CnBodyDef ball_def = cn_body_def_default();
    ball_def.position = cn_vec3(0.0, 0.0, 1.0);
    ball_def.shapes = &sphere;
    ball_def.shape_count = 1;
    CnBodyId ball = cn_world_add_body(world, &ball_def, &error);

    CnStepReport report = {0};
    CnStatus status = error.status;
    for (int i = 0; i < 1000 && status == CN_OK; ++i) {
        status = cn_world_step(world, 0.001, &report, &error); // [s]
    }
    if (status == CN_OK) {
        CnTransform pose;
        cn_body_pose(world, ball, &pose);
        printf("after %.0f s the ball is at z = %.6f m\n", report.time, pose.position.z);
        printf("residual %.1e m/s, energy ledger open by %.1e\n", report.certificate.worst,
               report.energy.error);
    } else {
        fprintf(stderr, "%s\n", error.message);
    }
    cn_world_destroy(world);
    return status == CN_OK ? 0 : 1;
}
