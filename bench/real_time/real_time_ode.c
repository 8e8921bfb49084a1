// real_time_ode.c - ODE as bench_real_time measures it: QuickStep with 20 iterations.
#include "real_time.h"

#include <ode/ode.h>
#include <stdlib.h>

#define CONTACTS 8 // of one pair

typedef struct Self {
    const PlainScene* scene;
    dWorldID world;
    dSpaceID space;
    dJointGroupID contacts;
    dBodyID* bodies; // NULL: fixed   [body_count]
    dGeomID* geoms;  // [body_count]
} Self;

static void set_pose(const CnBodyState* at, dBodyID body, dGeomID geom) {
    const dQuaternion q = {at->rotation.w, at->rotation.x, at->rotation.y, at->rotation.z};
    if (body != NULL) {
        dBodySetPosition(body, at->center.x, at->center.y, at->center.z);
        dBodySetQuaternion(body, q);
    } else {
        dGeomSetPosition(geom, at->center.x, at->center.y, at->center.z);
        dGeomSetQuaternion(geom, q);
    }
}

static void add_body(Self* self, int index) {
    const PlainBody* body = &self->scene->bodies[index];
    const double* half = body->half;
    dGeomID geom = body->shape == PLAIN_BOX
                       ? dCreateBox(self->space, 2.0 * half[0], 2.0 * half[1], 2.0 * half[2])
                   : body->shape == PLAIN_CAPSULE
                       ? dCreateCapsule(self->space, half[0], 2.0 * half[2])
                       : dCreateSphere(self->space, half[0]);
    self->geoms[index] = geom;
    dGeomSetData(geom, (void*)body);
    if (body->mass > 0.0) {
        dMass mass;
        dMassSetParameters(&mass, body->mass, 0, 0, 0, body->inertia[0], body->inertia[1],
                           body->inertia[2], 0, 0, 0);
        self->bodies[index] = dBodyCreate(self->world);
        dBodySetMass(self->bodies[index], &mass);
        dGeomSetBody(geom, self->bodies[index]);
    }
    set_pose(&self->scene->start[index], self->bodies[index], geom);
}

static void add_joint(Self* self, const PlainJoint* joint) {
    const CnBodyState* start = self->scene->start;
    int carrier = joint->body_b >= 0 ? joint->body_b : joint->body_a;
    CnVec3 local = joint->body_b >= 0 ? joint->point_b : joint->point_a;
    CnVec3 axis = joint->body_b >= 0 ? joint->axis_b : joint->axis_a;
    CnVec3 point =
        cn_vec3_add(start[carrier].center, cn_quat_rotate(start[carrier].rotation, local));
    axis = cn_quat_rotate(start[carrier].rotation, axis);
    dBodyID a = joint->body_a < 0 ? NULL : self->bodies[joint->body_a];
    dBodyID b = joint->body_b < 0 ? NULL : self->bodies[joint->body_b];
    if (a == NULL && b == NULL) {
        return;
    }
    if (joint->is_hinge) {
        dJointID made = dJointCreateHinge(self->world, NULL);
        dJointAttach(made, a, b);
        dJointSetHingeAnchor(made, point.x, point.y, point.z);
        dJointSetHingeAxis(made, axis.x, axis.y, axis.z);
    } else {
        dJointID made = dJointCreateBall(self->world, NULL);
        dJointAttach(made, a, b);
        dJointSetBallAnchor(made, point.x, point.y, point.z);
    }
}

static void* create(const RtScene* scene) {
    Self* self = calloc(1, sizeof *self);
    dInitODE2(0);
    self->scene = scene->plain;
    self->world = dWorldCreate();
    self->space = dHashSpaceCreate(NULL);
    self->contacts = dJointGroupCreate(0);
    self->bodies = calloc((size_t)scene->plain->body_count + 1, sizeof(dBodyID));
    self->geoms = calloc((size_t)scene->plain->body_count + 1, sizeof(dGeomID));
    dWorldSetGravity(self->world, 0, 0, -9.81);
    dWorldSetQuickStepNumIterations(self->world, 20);
    for (int i = 0; i < scene->plain->body_count; ++i) {
        add_body(self, i);
    }
    for (int i = 0; i < scene->plain->joint_count; ++i) {
        add_joint(self, &scene->plain->joints[i]);
    }
    return self;
}

static void meet(void* data, dGeomID a, dGeomID b) {
    Self* self = data;
    dBodyID body_a = dGeomGetBody(a), body_b = dGeomGetBody(b);
    const PlainBody *plain_a = dGeomGetData(a), *plain_b = dGeomGetData(b);
    dContact contacts[CONTACTS];
    bool skips = (body_a == NULL && body_b == NULL) ||
                 (plain_a->group < 0 && plain_a->group == plain_b->group) ||
                 (body_a != NULL && body_b != NULL &&
                  dAreConnectedExcluding(body_a, body_b, dJointTypeContact));
    int count = skips ? 0 : dCollide(a, b, CONTACTS, &contacts[0].geom, sizeof(dContact));
    for (int i = 0; i < count; ++i) {
        contacts[i].surface.mode = dContactApprox1;
        contacts[i].surface.mu = sqrt(plain_a->friction * plain_b->friction);
        dJointAttach(dJointCreateContact(self->world, self->contacts, &contacts[i]), body_a,
                     body_b);
    }
}

static bool step(void* data) {
    Self* self = data;
    dSpaceCollide(self->space, self, meet);
    dWorldQuickStep(self->world, RT_DT);
    dJointGroupEmpty(self->contacts);
    return true;
}

static void read_states(void* data, CnBodyState* states) {
    const Self* self = data;
    for (int i = 0; i < self->scene->body_count; ++i) {
        states[i] = self->scene->start[i];
        if (self->bodies[i] != NULL) {
            const dReal* x = dBodyGetPosition(self->bodies[i]);
            const dReal* q = dBodyGetQuaternion(self->bodies[i]);
            const dReal* v = dBodyGetLinearVel(self->bodies[i]);
            const dReal* w = dBodyGetAngularVel(self->bodies[i]);
            states[i].center = cn_vec3(x[0], x[1], x[2]);
            states[i].rotation = cn_quat(q[0], q[1], q[2], q[3]);
            states[i].velocity = cn_vec3(v[0], v[1], v[2]);
            states[i].angular_velocity = cn_vec3(w[0], w[1], w[2]);
        }
    }
}

static void destroy(void* data) {
    Self* self = data;
    dJointGroupDestroy(self->contacts);
    dSpaceDestroy(self->space);
    dWorldDestroy(self->world);
    free(self->bodies);
    free(self->geoms);
    free(self);
}

const RtEngine rt_ode = {"ode", create, step, read_states, NULL, destroy};
