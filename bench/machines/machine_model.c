// machine_model.c - a machine's numbers, read from the world of a built-in scene.
#include "builtin/builtin_scenes.h"
#include "cairn/cairn.h"
#include "machine.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void put(CnVec3 v, double out[3]) {
    out[0] = v.x;
    out[1] = v.y;
    out[2] = v.z;
}

static void read_body(const CnWorld* world, int index, MachineBody* body) {
    CnBodyInfo info;
    cn_body_read(world, cn_world_body_at(world, index), &info);
    CnQuat q = info.state.rotation;
    const double rotation[4] = {q.w, q.x, q.y, q.z};
    put(info.state.center, body->position);
    put(info.state.velocity, body->velocity);
    put(info.state.angular_velocity, body->spin);
    memcpy(body->rotation, rotation, sizeof rotation);
    if (info.type == CN_BODY_DYNAMIC) {
        body->mass = info.mass.mass;
        memcpy(body->inertia, info.mass.inertia, sizeof body->inertia); // xx, yy, zz come first
    }
}

// Places in the world by the indices of ids, which are 1 to the number of bodies in a new world.
static int* list_places(const CnWorld* world) {
    int count = cn_world_body_count(world);
    int* places = calloc((size_t)count + 2, sizeof *places);
    for (int i = 0; i < count; ++i) {
        places[cn_world_body_at(world, i).index] = i;
    }
    places[0] = -1;
    return places;
}

static void read_joint(const CnWorld* world, const int* places, int index, MachineJoint* joint) {
    CnJointId id = cn_world_joint_at(world, index);
    CnJointInfo info;
    CnJointState state;
    CnJointAxis axis = {0};
    cn_joint_info(world, id, &info);
    cn_joint_read(world, id, &state);
    cn_joint_axis(world, id, CN_AXIS_TURN_Z, &axis);
    bool is_ball = info.type == CN_JOINT_BALL || info.type == CN_JOINT_FIX_POINT;
    joint->type = info.type == CN_JOINT_HINGE ? MACHINE_HINGE
                  : is_ball                   ? MACHINE_BALL
                                              : MACHINE_OTHER;
    joint->a = places[info.body_a.index];
    joint->b = places[info.body_b.index];
    if (joint->b < 0) { // the world first
        joint->b = joint->a;
        joint->a = -1;
    }
    put(state.frame_a.position, joint->point);
    put(cn_quat_rotate(state.frame_a.rotation, cn_vec3(0.0, 0.0, 1.0)), joint->axis);
    joint->limited = joint->type == MACHINE_HINGE && axis.limited;
    joint->lower = axis.lower;
    joint->upper = axis.upper;
    joint->has_motor = axis.motor == CN_MOTOR_POSITION;
    joint->target = axis.target;
    joint->stiffness = axis.stiffness;
    joint->damping = axis.damping;
    joint->max_force = axis.max_force;
}

static bool is_tree(const MachineModel* model) {
    bool* has_parent = calloc((size_t)model->body_count + 1, sizeof *has_parent);
    bool good = has_parent != NULL;
    for (int i = 0; good && i < model->joint_count; ++i) {
        const MachineJoint* joint = &model->joints[i];
        good = joint->type != MACHINE_OTHER && joint->a < joint->b && !has_parent[joint->b];
        has_parent[joint->b] = true;
    }
    free(has_parent);
    return good;
}

MachineModel* machine_model_create(const char* name) {
    CnError error = {0};
    CnScene* scene = cn_open_scene(name, &error);
    CnWorld* world = scene == NULL ? NULL : cn_scene_build(scene, NULL, &error);
    MachineModel* model = calloc(1, sizeof *model);
    if (world == NULL || model == NULL) {
        fprintf(stderr, "bench_machines: %s\n", error.message);
        exit(1);
    }
    model->name = name;
    model->dt = cn_scene_settings(scene).dt;
    model->body_count = cn_world_body_count(world);
    model->joint_count = cn_world_joint_count(world);
    model->bodies = calloc((size_t)model->body_count + 1, sizeof *model->bodies);
    model->joints = calloc((size_t)model->joint_count + 1, sizeof *model->joints);
    for (int i = 0; i < model->body_count; ++i) {
        read_body(world, i, &model->bodies[i]);
    }
    int* places = list_places(world);
    for (int i = 0; i < model->joint_count; ++i) {
        read_joint(world, places, i, &model->joints[i]);
        model->has_motors = model->has_motors || model->joints[i].has_motor;
    }
    free(places);
    model->is_tree = is_tree(model);
    model->has_ground = strncmp(name, "@chains", 7) == 0;
    model->radius = 0.15;
    model->segment = 0.3;
    model->friction = 0.6;
    cn_world_destroy(world);
    cn_scene_destroy(scene);
    return model;
}

void machine_model_destroy(MachineModel* model) {
    free(model->bodies);
    free(model->joints);
    free(model);
}

// As in scenes/builtin/machines.c: two sines in straight lines of a quarter of a second.
double machine_wave(double time) {
    double place = floor(4.0 * time), share = 4.0 * time - place, values[2];
    for (int i = 0; i < 2; ++i) {
        double t = 0.25 * (place + i);
        values[i] = 0.6 * sin(3.0 * t) + 0.4 * sin(1.7 * t);
    }
    return values[0] + share * (values[1] - values[0]);
}

static CnTransform pose_of(const MachineBody* body) {
    const double *x = body->position, *q = body->rotation;
    return (CnTransform){cn_vec3(x[0], x[1], x[2]), cn_quat(q[0], q[1], q[2], q[3])};
}

// Where a point of the machine at its start is carried to.
static CnVec3 carried(const MachineModel* model, const MachineBody* bodies, int body,
                      const double point[3]) {
    CnVec3 p = cn_vec3(point[0], point[1], point[2]);
    if (body < 0) {
        return p;
    }
    CnTransform start = pose_of(&model->bodies[body]), now = pose_of(&bodies[body]);
    return cn_transform_point(now,
                              cn_quat_unrotate(start.rotation, cn_vec3_sub(p, start.position)));
}

double machine_joint_error(const MachineModel* model, const MachineBody* bodies) {
    double worst = 0.0;
    for (int i = 0; i < model->joint_count; ++i) {
        const MachineJoint* joint = &model->joints[i];
        CnVec3 a = carried(model, bodies, joint->a, joint->point);
        CnVec3 b = carried(model, bodies, joint->b, joint->point);
        if (joint->type != MACHINE_OTHER) {
            worst = fmax(worst, cn_vec3_length(cn_vec3_sub(b, a)));
        }
    }
    return worst;
}

double machine_energy(const MachineModel* model, const MachineBody* bodies) {
    double sum = 0.0;
    for (int i = 0; i < model->body_count; ++i) {
        const MachineBody* body = &bodies[i];
        const double mass = model->bodies[i].mass, *inertia = model->bodies[i].inertia;
        CnVec3 v = cn_vec3(body->velocity[0], body->velocity[1], body->velocity[2]);
        CnVec3 w = cn_quat_unrotate(pose_of(body).rotation,
                                    cn_vec3(body->spin[0], body->spin[1], body->spin[2]));
        sum += mass * (0.5 * cn_vec3_dot(v, v) + 9.81 * body->position[2]) +
               0.5 * (inertia[0] * w.x * w.x + inertia[1] * w.y * w.y + inertia[2] * w.z * w.z);
    }
    return sum;
}
