// machine_ode.c - ODE as bench_machines measures it, by its two steppers.
//
// Motors are those of ODE, to a speed: 10 /s times what is missing to the target, within the force
// limit.
#include "machine.h"

#include <ode/ode.h>
#include <stdlib.h>

enum { DIRECT_BODIES = 200 }; // more take seconds a step by the dense factor

typedef struct OdeSelf {
    const MachineModel* model;
    bool is_direct;
    dWorldID world;
    dSpaceID space;
    dJointGroupID contacts;
    dBodyID* bodies;
    dJointID* joints;
} OdeSelf;

static void add_bodies(OdeSelf* self) {
    const MachineModel* model = self->model;
    for (int i = 0; i < model->body_count; ++i) {
        const MachineBody* body = &model->bodies[i];
        const double *x = body->position, *inertia = body->inertia;
        const dQuaternion q = {(dReal)body->rotation[0], (dReal)body->rotation[1],
                               (dReal)body->rotation[2], (dReal)body->rotation[3]};
        dMass mass;
        if (!(body->mass > 0.0)) {
            continue;
        }
        dMassSetZero(&mass);
        mass.mass = (dReal)body->mass;
        mass.I[0] = (dReal)inertia[0];
        mass.I[5] = (dReal)inertia[1];
        mass.I[10] = (dReal)inertia[2];
        self->bodies[i] = dBodyCreate(self->world);
        dBodySetMass(self->bodies[i], &mass);
        dBodySetPosition(self->bodies[i], (dReal)x[0], (dReal)x[1], (dReal)x[2]);
        dBodySetQuaternion(self->bodies[i], q);
        dBodySetAutoDisableFlag(self->bodies[i], 0);
        dBodySetGyroscopicMode(self->bodies[i], 1);
        if (model->has_ground) {
            dGeomID geom = dCreateCapsule(self->space, (dReal)model->radius, (dReal)model->segment);
            dGeomSetBody(geom, self->bodies[i]);
        }
    }
    if (model->has_ground) {
        dCreatePlane(self->space, 0, 0, 1, 0);
    }
}

static void add_joints(OdeSelf* self) {
    const MachineModel* model = self->model;
    for (int i = 0; i < model->joint_count; ++i) {
        const MachineJoint* joint = &model->joints[i];
        const double *p = joint->point, *axis = joint->axis;
        bool is_hinge = joint->type == MACHINE_HINGE;
        dJointID id =
            is_hinge ? dJointCreateHinge(self->world, 0) : dJointCreateBall(self->world, 0);
        self->joints[i] = id;
        dJointAttach(id, self->bodies[joint->b], joint->a < 0 ? 0 : self->bodies[joint->a]);
        if (!is_hinge) {
            dJointSetBallAnchor(id, (dReal)p[0], (dReal)p[1], (dReal)p[2]);
            continue;
        }
        dJointSetHingeAnchor(id, (dReal)p[0], (dReal)p[1], (dReal)p[2]);
        dJointSetHingeAxis(id, (dReal)axis[0], (dReal)axis[1], (dReal)axis[2]);
        if (joint->limited) {
            dJointSetHingeParam(id, dParamLoStop, (dReal)joint->lower);
            dJointSetHingeParam(id, dParamHiStop, (dReal)joint->upper);
        }
        if (joint->has_motor) {
            dJointSetHingeParam(id, dParamFMax,
                                joint->max_force > 0.0 ? (dReal)joint->max_force : dInfinity);
        }
    }
}

static void* create(const MachineModel* model, bool is_direct) {
    for (int i = 0; i < model->joint_count; ++i) {
        if (model->joints[i].type == MACHINE_OTHER) {
            return NULL;
        }
    }
    if (is_direct && model->body_count > DIRECT_BODIES) {
        return NULL;
    }
    OdeSelf* self = calloc(1, sizeof *self);
    dInitODE2(0);
    self->model = model;
    self->is_direct = is_direct;
    self->world = dWorldCreate();
    self->space = dHashSpaceCreate(0);
    self->contacts = dJointGroupCreate(0);
    self->bodies = calloc((size_t)model->body_count + 1, sizeof *self->bodies);
    self->joints = calloc((size_t)model->joint_count + 1, sizeof *self->joints);
    dWorldSetGravity(self->world, 0, 0, (dReal)-9.81);
    dWorldSetQuickStepNumIterations(self->world, 20);
    add_bodies(self);
    add_joints(self);
    return self;
}

static void* create_quick(const MachineModel* model) {
    return create(model, false);
}

static void* create_direct(const MachineModel* model) {
    return create(model, true);
}

static void near(void* data, dGeomID a, dGeomID b) {
    enum { POINTS = 4 };
    OdeSelf* self = data;
    dContact contacts[POINTS];
    dBodyID body_a = dGeomGetBody(a), body_b = dGeomGetBody(b);
    if (body_a != 0 && body_b != 0 && dAreConnected(body_a, body_b)) {
        return;
    }
    int count = dCollide(a, b, POINTS, &contacts[0].geom, sizeof contacts[0]);
    for (int i = 0; i < count; ++i) {
        contacts[i].surface.mode = dContactApprox1;
        contacts[i].surface.mu = (dReal)self->model->friction;
        dJointAttach(dJointCreateContact(self->world, self->contacts, &contacts[i]), body_a,
                     body_b);
    }
}

static void step(void* data, double wave) {
    OdeSelf* self = data;
    const MachineModel* model = self->model;
    for (int i = 0; i < model->joint_count; ++i) {
        const MachineJoint* joint = &model->joints[i];
        if (joint->has_motor) {
            double missing = wave * joint->target - (double)dJointGetHingeAngle(self->joints[i]);
            dJointSetHingeParam(self->joints[i], dParamVel, (dReal)(10.0 * missing));
        }
    }
    if (model->has_ground) {
        dJointGroupEmpty(self->contacts);
        dSpaceCollide(self->space, self, near);
    }
    if (self->is_direct) {
        dWorldStep(self->world, (dReal)model->dt);
    } else {
        dWorldQuickStep(self->world, (dReal)model->dt);
    }
}

static void read_bodies(void* data, MachineBody* bodies) {
    OdeSelf* self = data;
    for (int i = 0; i < self->model->body_count; ++i) {
        if (self->bodies[i] == 0) {
            continue;
        }
        const dReal *x = dBodyGetPosition(self->bodies[i]),
                    *q = dBodyGetQuaternion(self->bodies[i]);
        const dReal *v = dBodyGetLinearVel(self->bodies[i]),
                    *w = dBodyGetAngularVel(self->bodies[i]);
        for (int k = 0; k < 3; ++k) {
            bodies[i].position[k] = (double)x[k];
            bodies[i].velocity[k] = (double)v[k];
            bodies[i].spin[k] = (double)w[k];
        }
        for (int k = 0; k < 4; ++k) {
            bodies[i].rotation[k] = (double)q[k];
        }
    }
}

static void destroy(void* data) {
    OdeSelf* self = data;
    dJointGroupDestroy(self->contacts);
    dSpaceDestroy(self->space);
    dWorldDestroy(self->world);
    free(self->bodies);
    free(self->joints);
    free(self);
}

const MachineEngine machine_ode = {"ODE", create_quick, step, read_bodies, destroy};
const MachineEngine machine_ode_direct = {"ODE direct", create_direct, step, read_bodies, destroy};
