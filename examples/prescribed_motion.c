// prescribed_motion.c - a table shaken by a series, and the force that it takes.
#include <cairn/cairn.h>
#include <math.h>
#include <stdio.h>

#define STEPS 400
#define DT 0.0025 // [s]

static CnBodyId add_table(CnWorld* world, CnError* error) {
    CnShapeDef top = cn_shape_def_default(CN_SHAPE_BOX);
    CnBodyDef table = cn_body_def_default();
    top.size = cn_vec3(1.0, 1.0, 0.1);
    table.name = "table";
    table.shapes = &top;
    table.shape_count = 1;
    return cn_world_add_body(world, &table, error);
}

// Runs along x without turning or falling; the slider is its rail.
static CnJointId add_rail(CnWorld* world, CnBodyId table, CnError* error) {
    CnJointDef rail = cn_joint_def_default(CN_JOINT_SLIDER);
    rail.name = "rail";
    rail.body_a = table;
    rail.axis = cn_vec3(1.0, 0.0, 0.0);
    return cn_world_add_joint(world, &rail, error);
}

// Out by 0.1 m in half a second and back again, in straight lines.
static CnJointId add_drive(CnWorld* world, CnBodyId table, CnError* error) {
    const double times[] = {0.0, 0.5, 1.0}, values[] = {0.0, 0.1, 0.0}; // [s], [m]
    CnSeriesDef series = {.name = "shake", .count = 3, .times = times, .values = values};
    CnJointDef drive = cn_joint_def_default(CN_JOINT_SET_DISPLACEMENT);
    drive.name = "drive";
    drive.body_a = table;
    drive.axis = cn_vec3(1.0, 0.0, 0.0);
    drive.series = cn_world_add_series(world, &series, error);
    return cn_world_add_joint(world, &drive, error);
}

int main(void) {
    CnError error = {0};
    CnWorldDef def = cn_world_def_default();
    CnWorld* world = cn_world_create(&def, &error);
    CnBodyId table = world == NULL ? (CnBodyId){0} : add_table(world, &error);
    bool is_ready = table.index != 0 && add_rail(world, table, &error).index != 0;
    CnJointId drive = is_ready ? add_drive(world, table, &error) : (CnJointId){0};
    CnStatus status = drive.index == 0 ? CN_INVALID : CN_OK;
    double farthest = 0.0;

    for (int i = 1; i <= STEPS && status == CN_OK; ++i) {
        CnJointState state = {0};
        CnTransform pose = {0};
        status = cn_world_step(world, DT, NULL, &error);
        cn_body_pose(world, table, &pose);
        cn_joint_read(world, drive, &state);
        farthest = fmax(farthest, pose.position.x);
        if (i % 50 == 0) {
            printf("%.3f s: x %.4f m, force %.2f N\n", cn_world_time(world), pose.position.x,
                   state.force.x);
        }
    }
    if (status != CN_OK) {
        fprintf(stderr, "%s\n", error.message);
    }
    cn_world_destroy(world);
    return status == CN_OK && fabs(farthest - 0.1) < 1e-6 ? 0 : 1;
}
