// game_loop.c - frames of uneven length: shoot at crates, kick one, open a door, look around.
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

// What a creature at the eye sees: the distance to the first thing in each of 64 directions.
static double nearest_around(const CnWorld* world, CnVec3 eye, CnError* error) {
    CnRayDef rays[64];
    CnCastHit hits[64];
    double nearest = 100.0;
    for (int i = 0; i < 64; ++i) {
        double angle = 2.0 * CN_PI * i / 64.0;
        rays[i].origin = eye;
        rays[i].translation = cn_vec3(100.0 * cn_cos(angle), 100.0 * cn_sin(angle), 0.0);
    }
    if (cn_world_cast_rays(world, rays, 64, NULL, hits, error) == CN_OK) {
        for (int i = 0; i < 64; ++i) {
            nearest =
                hits[i].body.index != 0 && hits[i].distance < nearest ? hits[i].distance : nearest;
        }
    }
    return nearest;
}

// Whatever the frame took, steps have one length. Returns how many were made.
static int play_frame(CnWorld* world, double seconds, CnTransform* poses, int capacity,
                      CnError* error) {
    CnAdvanceReport report;
    if (cn_world_advance(world, seconds, NULL, &report, error) != CN_OK) {
        return 0;
    }
    if (report.dropped > 0.0) {
        printf("the game is %.3f s behind the clock\n", report.dropped);
    }
    cn_world_read_poses_at(world, report.fraction, poses, NULL, capacity); // to be drawn
    return report.steps;
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
    CnTransform poses[64];
    int hits = 0, steps = 0;
    for (int frame = 0; frame < 120 && error.status == CN_OK; ++frame) {
        double seconds = frame == 80 ? 0.5 : frame % 2 == 0 ? 0.012 : 0.021; // one long pause
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
        int made = play_frame(world, seconds, poses, 64, &error);
        hits += made > 0 ? count_hits(world) : 0;
        steps += made;
    }
    CnJointState hinge = {0};
    cn_joint_read(world, door, &hinge);
    printf("%d steps, %d hits, door open by %.2f rad, %d bodies, the nearest %.2f m away\n", steps,
           hits, hinge.position[CN_AXIS_TURN_Z], cn_world_body_count(world),
           nearest_around(world, cn_vec3(-3.0, 0.0, 0.2), &error));
    if (error.status != CN_OK) {
        fprintf(stderr, "%s\n", error.message);
    }
    cn_world_destroy(world);
    return error.status == CN_OK ? 0 : 1;
}
