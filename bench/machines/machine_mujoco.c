// machine_mujoco.c - MuJoCo as bench_machines measures it: joint coordinates, implicit damping.
//
// Motors are position actuators with the same stiffness and force range; their damping is that of
// the joint, which MuJoCo treats implicitly. Stops and contacts are its soft ones.
#include "machine.h"

#include <math.h>
#include <mujoco/mujoco.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct MujocoSelf {
    const MachineModel* model;
    mjModel* physics;
    mjData* data;
} MujocoSelf;

typedef struct Text {
    char* at;
    size_t used, room;
} Text;

__attribute__((format(printf, 2, 3))) static void add(Text* text, const char* format, ...) {
    va_list arguments;
    if (text->room - text->used < 4096) {
        text->room = 2 * text->room + 8192;
        text->at = realloc(text->at, text->room);
    }
    va_start(arguments, format);
    text->used +=
        (size_t)vsnprintf(text->at + text->used, text->room - text->used, format, arguments);
    va_end(arguments);
}

static void add_vector(Text* text, const char* name, const double* v, int count) {
    add(text, " %s=\"", name);
    for (int i = 0; i < count; ++i) {
        add(text, "%.17g ", v[i]);
    }
    add(text, "\"");
}

static int parent_joint(const MachineModel* model, int body) {
    int found = -1;
    for (int i = 0; i < model->joint_count; ++i) {
        found = model->joints[i].b == body ? i : found;
    }
    return found;
}

static void add_joint(Text* text, const MachineModel* model, int number) {
    if (number < 0) {
        add(text, "<freejoint/>");
        return;
    }
    const MachineJoint* joint = &model->joints[number];
    add(text, "<joint name=\"j%d\" type=\"%s\" damping=\"%.17g\"", number,
        joint->type == MACHINE_HINGE ? "hinge" : "ball", joint->has_motor ? joint->damping : 0.0);
    add_vector(text, "pos", joint->point, 3);
    if (joint->type == MACHINE_HINGE) {
        add_vector(text, "axis", joint->axis, 3);
    }
    if (joint->limited) {
        add(text, " limited=\"true\" range=\"%.17g %.17g\"", joint->lower, joint->upper);
    }
    add(text, "/>");
}

static void add_body(Text* text, const MachineModel* model, const int* joint_of, int body) {
    const MachineBody* own = &model->bodies[body];
    add(text, "<body name=\"b%d\"", body);
    add_vector(text, "pos", own->position, 3);
    add_vector(text, "quat", own->rotation, 4);
    add(text, "><inertial mass=\"%.17g\"", own->mass);
    add_vector(text, "pos", own->position, 3);
    add_vector(text, "quat", own->rotation, 4);
    add_vector(text, "diaginertia", own->inertia, 3);
    add(text, "/>");
    add_joint(text, model, joint_of[body]);
    if (model->has_ground) {
        add(text, "<geom type=\"capsule\" size=\"%.17g %.17g\" friction=\"%.17g\"", model->radius,
            0.5 * model->segment, model->friction);
        add_vector(text, "pos", own->position, 3);
        add_vector(text, "quat", own->rotation, 4);
        add(text, "/>");
    }
    for (int i = body + 1; i < model->body_count; ++i) {
        if (joint_of[i] >= 0 && model->joints[joint_of[i]].a == body) {
            add_body(text, model, joint_of, i);
        }
    }
    add(text, "</body>");
}

static void add_model(Text* text, const MachineModel* model, const int* joint_of) {
    add(text,
        "<mujoco><compiler coordinate=\"global\" angle=\"radian\" inertiafromgeom=\"false\"/>"
        "<option timestep=\"%.17g\" gravity=\"0 0 -9.81\"/>%s<worldbody>",
        model->dt, model->has_ground ? "<size nconmax=\"1500\" njmax=\"6000\"/>" : "");
    if (model->has_ground) {
        add(text, "<geom type=\"plane\" size=\"100 100 1\" friction=\"%.17g\"/>", model->friction);
    }
    for (int i = 0; i < model->body_count; ++i) {
        bool is_root = joint_of[i] < 0 || model->joints[joint_of[i]].a < 0;
        if (model->bodies[i].mass > 0.0 && is_root) {
            add_body(text, model, joint_of, i);
        }
    }
    add(text, "</worldbody><actuator>");
    for (int i = 0; i < model->joint_count; ++i) {
        const MachineJoint* joint = &model->joints[i];
        if (joint->has_motor) {
            bool has_limit = joint->max_force > 0.0;
            add(text, "<position joint=\"j%d\" kp=\"%.17g\" forcelimited=\"%s\"", i,
                joint->stiffness, has_limit ? "true" : "false");
            if (has_limit) {
                add(text, " forcerange=\"%.17g %.17g\"", -joint->max_force, joint->max_force);
            }
            add(text, "/>");
        }
    }
    add(text, "</actuator></mujoco>");
}

// The XML parser of MuJoCo 2.2 takes at most 100 elements in each other.
#define MOST_DEPTH 90
#define MOST_BODIES 2000 // a tree this large takes its compiler long

static int depth_of(const MachineModel* model, const int* joint_of) {
    int deepest = 0;
    for (int i = 0; i < model->body_count; ++i) {
        int depth = 1;
        for (int k = i; joint_of[k] >= 0 && model->joints[joint_of[k]].a >= 0; ++depth) {
            k = model->joints[joint_of[k]].a;
        }
        deepest = depth > deepest ? depth : deepest;
    }
    return deepest;
}

// In place of a file MUJOCO_LOG.TXT in the working directory.
static void tell(const char* message) {
    fprintf(stderr, "bench_machines: MuJoCo: %s\n", message);
}

static void* create(const MachineModel* model) {
    enum { MESSAGE = 500 };
    char message[MESSAGE] = "";
    Text text = {0};
    if (!model->is_tree || model->body_count > MOST_BODIES) {
        return NULL;
    }
    int* joint_of = malloc(sizeof(int) * (size_t)model->body_count);
    for (int i = 0; i < model->body_count; ++i) {
        joint_of[i] = parent_joint(model, i);
    }
    if (depth_of(model, joint_of) > MOST_DEPTH) {
        free(joint_of);
        return NULL;
    }
    mju_user_warning = tell;
    add_model(&text, model, joint_of);
    mjVFS* files = malloc(sizeof *files);
    mj_defaultVFS(files);
    mj_makeEmptyFileVFS(files, "machine.xml", (int)text.used);
    memcpy(files->filedata[0], text.at, text.used);
    MujocoSelf* self = calloc(1, sizeof *self);
    self->model = model;
    self->physics = mj_loadXML("machine.xml", files, message, MESSAGE);
    mj_deleteVFS(files);
    free(files);
    free(text.at);
    free(joint_of);
    if (self->physics == NULL) {
        fprintf(stderr, "bench_machines: MuJoCo refuses %s: %s\n", model->name, message);
        free(self);
        return NULL;
    }
    self->data = mj_makeData(self->physics);
    return self;
}

static void step(void* data, double wave) {
    MujocoSelf* self = data;
    int actuator = 0;
    for (int i = 0; i < self->model->joint_count; ++i) {
        if (self->model->joints[i].has_motor) {
            self->data->ctrl[actuator++] = wave * self->model->joints[i].target;
        }
    }
    mj_step(self->physics, self->data);
}

static void read_bodies(void* data, MachineBody* bodies) {
    MujocoSelf* self = data;
    mj_forward(self->physics, self->data);
    for (int i = 0; i < self->model->body_count; ++i) {
        char name[16];
        mjtNum velocity[6];
        snprintf(name, sizeof name, "b%d", i);
        int id = mj_name2id(self->physics, mjOBJ_BODY, name);
        if (id < 0) {
            continue;
        }
        mj_objectVelocity(self->physics, self->data, mjOBJ_BODY, id, velocity, 0);
        memcpy(bodies[i].position, self->data->xipos + 3 * id, sizeof bodies[i].position);
        memcpy(bodies[i].rotation, self->data->xquat + 4 * id, sizeof bodies[i].rotation);
        memcpy(bodies[i].spin, velocity, sizeof bodies[i].spin);
        memcpy(bodies[i].velocity, velocity + 3, sizeof bodies[i].velocity);
    }
}

static void destroy(void* data) {
    MujocoSelf* self = data;
    mj_deleteData(self->data);
    mj_deleteModel(self->physics);
    free(self);
}

const MachineEngine machine_mujoco = {"MuJoCo", create, step, read_bodies, destroy};
