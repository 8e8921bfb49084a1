// game_loop.c - 60 frames a second: shoot at a wall of crates, kick one, open a door, clear up.
#include <cairn/cairn.h>
#include <stdio.h>

static CnBodyId add(CnWorld* world, CnBodyType type, CnVec3 position, CnVec3 velocity,
                    const CnShapeDef* shape, CnError* error) {
    CnBodyDef def = cn_body_def_default();
    def.type = type;
    def.position = position;
    def.velocity = velocity;
    def.shapes = shape;
    def.shape_count = 1;
    def.fast = cn_vec3_length(velocity) > 10.0; // passes through nothing
    return cn_world_add_body(world, &def, error);
}

static CnJointId add_door(CnWorld* world, CnError* error) {
    CnShapeDef panel = cn_shape_def_default(CN_SHAPE_BOX);
    panel.size = cn_vec3(0.9, 0.05, 2.0);
    CnJointDef hinge = cn_joint_def_default(CN_JOINT_HINGE);
    hinge.body_b = add(world, CN_BODY_DYNAMIC, cn_vec3(5.45, 0.0, 1.05), cn_vec3(0.0, 0.0, 0.0),
                       &panel, error);
    hinge.point_a = cn_vec3(5.0, 0.0, 1.0);
    hinge.axes[CN_AXIS_TURN_Z].motor = CN_MOTOR_POSITION; // target 0: shut
    hinge.axes[CN_AXIS_TURN_Z].stiffness = 500.0;         // [N m/rad]
    hinge.axes[CN_AXIS_TURN_Z].damping = 50.0;            // [N m s/rad]
    return cn_world_add_joint(world, &hinge, error);
}

static void kick(CnWorld* world, CnVec3 eye, CnVec3 look, CnError* error) {
    CnCastHit hit;
    if (cn_world_cast_ray(world, eye, look, NULL, &hit, error) == CN_OK && hit.body.index != 0) {
        printf("kicked crate %llu at %.2f m\n", (unsigned long long)cn_body_user(world, hit.body),
               hit.distance);
        cn_body_apply_impulse(world, hit.body, cn_vec3(500.0, 0.0, 100.0), hit.point, error);
    }
}

static int count_hits(const CnWorld* world) {
    CnEvent events[64];
    int count = cn_world_events(world, events, 64), hits = 0;
    for (int i = 0; i < count && i < 64; ++i) {
        hits += events[i].type == CN_EVENT_CONTACT_HIT;
    }
    return hits;
}

int main(void) {
    CnError error = {0};
    CnVec3 at_rest = cn_vec3(0.0, 0.0, 0.0);
    CnShapeDef plane = cn_shape_def_default(CN_SHAPE_PLANE);
    CnShapeDef crate = cn_shape_def_default(CN_SHAPE_BOX);
    CnShapeDef ball = cn_shape_def_default(CN_SHAPE_SPHERE);
    crate.size = cn_vec3(0.5, 0.5, 0.5);
    ball.radius = 0.1;
    CnWorldDef def = cn_world_def_default();
    def.solver.tolerance = 1e-3; // enough for a game [m/s]
    CnWorld* world = cn_world_create(&def, &error);
    add(world, CN_BODY_STATIC, at_rest, at_rest, &plane, &error);
    CnBodyId crates[24];
    for (int i = 0; i < 24; ++i) {
        CnVec3 place = cn_vec3(0.0, 0.51 * (i % 6 - 2.5), 0.25 + 0.5 * (i / 6));
        crates[i] = add(world, CN_BODY_DYNAMIC, place, at_rest, &crate, &error);
        cn_body_set_user(world, crates[i], 1000u + (uint64_t)i);
    }
    CnJointId door = add_door(world, &error);
    int hits = 0;
    for (int frame = 0; frame < 120 && error.status == CN_OK; ++frame) {
        if (frame % 30 == 10) {
            add(world, CN_BODY_DYNAMIC, cn_vec3(-8.0, 0.0, 1.2), cn_vec3(40.0, 0.0, 1.0), &ball,
                &error);
        }
        if (frame == 5) {
            kick(world, cn_vec3(-10.0, 0.2, 1.2), cn_vec3(20.0, 0.0, 0.0), &error);
        }
        if (frame == 40) {
            cn_joint_set_target(world, door, CN_AXIS_TURN_Z, 1.2, &error); // open [rad]
        }
        if (frame == 60) {
            cn_world_remove_body(world, crates[0]);
        }
        cn_world_step(world, 1.0 / 60.0, NULL, &error);
        hits += count_hits(world);
    }
    CnJointState hinge = {0};
    cn_joint_read(world, door, &hinge);
    printf("%d hits, door open by %.2f rad, %d bodies\n", hits, hinge.position[CN_AXIS_TURN_Z],
           cn_world_body_count(world));
    if (error.status != CN_OK) {
        fprintf(stderr, "%s\n", error.message);
    }
    cn_world_destroy(world);
    return error.status == CN_OK ? 0 : 1;
}
