// joints.c - a door on a hinge: a motor opens it, limits stop it, the joint tells what it carries.
#include <cairn/cairn.h>
#include <stdio.h>

#define SECONDS 3
#define STEPS_PER_SECOND 1000

static CnBodyId add_door(CnWorld* world, CnError* error) {
    CnShapeDef panel = cn_shape_def_default(CN_SHAPE_BOX);
    CnBodyDef door = cn_body_def_default();
    panel.size = cn_vec3(0.9, 0.04, 2.0);
    panel.position = cn_vec3(0.45, 0.0, 1.0); // the hinge is at the body's origin
    door.name = "door";
    door.shapes = &panel;
    door.shape_count = 1;
    return cn_world_add_body(world, &door, error);
}

// The frame of the door is the world: body_b is left out. Seen from A, the door, it is the world
// that turns, so that a door that opens to the left has a negative angle.
static CnJointId add_hinge(CnWorld* world, CnBodyId door, CnError* error) {
    CnJointDef def = cn_joint_def_default(CN_JOINT_HINGE);
    CnJointAxis* turn = &def.axes[CN_AXIS_TURN_Z];
    def.name = "hinge";
    def.body_a = door;
    def.point_a = cn_vec3(0.0, 0.0, 1.0);
    def.axis = cn_vec3(0.0, 0.0, 1.0);
    turn->limited = true;
    turn->lower = -1.6; // [rad]
    turn->upper = 0.0;
    turn->motor = CN_MOTOR_VELOCITY;
    turn->target = -1.0;    // [rad/s]
    turn->max_force = 20.0; // [N m]
    return cn_world_add_joint(world, &def, error);
}

int main(void) {
    CnError error = {0};
    CnWorldDef def = cn_world_def_default();
    CnWorld* world = cn_world_create(&def, &error);
    CnBodyId door = world == NULL ? (CnBodyId){0} : add_door(world, &error);
    CnJointId hinge = door.index == 0 ? (CnJointId){0} : add_hinge(world, door, &error);
    CnStatus status = hinge.index == 0 ? CN_INVALID : CN_OK;
    CnJointState state = {0};

    for (int i = 1; i <= SECONDS * STEPS_PER_SECOND && status == CN_OK; ++i) {
        status = cn_world_step(world, 1.0 / STEPS_PER_SECOND, NULL, &error);
        if (status == CN_OK && i % (STEPS_PER_SECOND / 2) == 0) {
            cn_joint_read(world, hinge, &state);
            printf("%.1f s: angle %.3f rad, motor and stop %.2f N m, hinge carries %.1f N\n",
                   cn_world_time(world), state.position[CN_AXIS_TURN_Z],
                   state.axis_force[CN_AXIS_TURN_Z], state.force.z);
        }
    }
    if (status != CN_OK) {
        fprintf(stderr, "%s\n", error.message);
    }
    bool is_open = status == CN_OK && state.position[CN_AXIS_TURN_Z] < -1.59; // at its stop
    cn_world_destroy(world);
    return is_open ? 0 : 1;
}
