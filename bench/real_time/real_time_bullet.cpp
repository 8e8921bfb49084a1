// real_time_bullet.cpp - Bullet as bench_real_time measures it: sequential impulses, 10 iterations,
// no sleeping.
#include "real_time.h"

#include <btBulletDynamicsCommon.h>
#include <cmath>
#include <map>
#include <memory>
#include <tuple>
#include <vector>

namespace {

using Size = std::tuple<int, double, double, double>;

// Two bodies of one negative group do not collide: PlainBody.group, their user index.
struct GroupFilter : btOverlapFilterCallback {
    bool needBroadphaseCollision(btBroadphaseProxy* a, btBroadphaseProxy* b) const override {
        int group_a = static_cast<btCollisionObject*>(a->m_clientObject)->getUserIndex();
        int group_b = static_cast<btCollisionObject*>(b->m_clientObject)->getUserIndex();
        return group_a >= 0 || group_a != group_b;
    }
};

struct Self {
    btDefaultCollisionConfiguration configuration;
    btCollisionDispatcher dispatcher{&configuration};
    btDbvtBroadphase broad_phase;
    btSequentialImpulseConstraintSolver solver;
    std::map<Size, std::unique_ptr<btCollisionShape>> shapes;
    std::vector<std::unique_ptr<btCollisionShape>> hulls;
    std::vector<std::unique_ptr<btRigidBody>> bodies;
    std::vector<std::unique_ptr<btTypedConstraint>> joints;
    GroupFilter filter;
    btDiscreteDynamicsWorld world{&dispatcher, &broad_phase, &solver, &configuration};

    ~Self() {
        for (auto& joint : joints) {
            world.removeConstraint(joint.get());
        }
        for (auto& body : bodies) {
            world.removeRigidBody(body.get());
        }
    }
};

btVector3 vector(CnVec3 v) {
    return btVector3(btScalar(v.x), btScalar(v.y), btScalar(v.z));
}

btCollisionShape* add_hull(Self* self, const PlainHull& hull) {
    std::unique_ptr<btConvexHullShape> made(new btConvexHullShape);
    for (int i = 0; i < hull.point_count; ++i) {
        made->addPoint(vector(hull.points[i]), false);
    }
    made->recalcLocalAabb();
    self->hulls.push_back(std::move(made));
    return self->hulls.back().get();
}

// Equal shapes are shared, but for hulls.
btCollisionShape* find_shape(Self* self, const PlainBody& body) {
    if (body.shape == PLAIN_HULL) {
        return add_hull(self, body.hull);
    }
    const double* half = body.half;
    auto& shape = self->shapes[Size(body.shape, half[0], half[1], half[2])];
    if (shape) {
        return shape.get();
    }
    switch (body.shape) {
    case PLAIN_BOX:
        shape.reset(new btBoxShape(vector(cn_vec3(half[0], half[1], half[2]))));
        break;
    case PLAIN_CAPSULE:
        shape.reset(new btCapsuleShapeZ(btScalar(half[0]), btScalar(2.0 * half[2])));
        break;
    default:
        shape.reset(new btSphereShape(btScalar(half[0])));
    }
    return shape.get();
}

void add_body(Self* self, const PlainBody& body, const CnBodyState& at) {
    btVector3 inertia = vector(cn_vec3(body.inertia[0], body.inertia[1], body.inertia[2]));
    btRigidBody::btRigidBodyConstructionInfo info(btScalar(body.mass), nullptr,
                                                  find_shape(self, body), inertia);
    btQuaternion rotation(btScalar(at.rotation.x), btScalar(at.rotation.y), btScalar(at.rotation.z),
                          btScalar(at.rotation.w));
    info.m_startWorldTransform = btTransform(rotation, vector(at.center));
    info.m_friction = btScalar(std::sqrt(body.friction)); // a pair has the product
    std::unique_ptr<btRigidBody> made(new btRigidBody(info));
    made->setActivationState(DISABLE_DEACTIVATION);
    made->setUserIndex(body.group);
    self->world.addRigidBody(made.get(), 1, 1);
    self->bodies.push_back(std::move(made));
}

void add_joint(Self* self, const PlainJoint& joint) {
    bool swaps = joint.body_b < 0; // the first body of a constraint must be one
    int first = swaps ? joint.body_a : joint.body_b, second = swaps ? joint.body_b : joint.body_a;
    CnVec3 point_1 = swaps ? joint.point_a : joint.point_b;
    CnVec3 point_2 = swaps ? joint.point_b : joint.point_a;
    CnVec3 axis_1 = swaps ? joint.axis_a : joint.axis_b;
    CnVec3 axis_2 = swaps ? joint.axis_b : joint.axis_a;
    btRigidBody& body = *self->bodies[size_t(first)];
    std::unique_ptr<btTypedConstraint> made;
    if (joint.is_hinge && second >= 0) {
        made.reset(new btHingeConstraint(body, *self->bodies[size_t(second)], vector(point_1),
                                         vector(point_2), vector(axis_1), vector(axis_2)));
    } else if (joint.is_hinge) {
        made.reset(new btHingeConstraint(body, vector(point_1), vector(axis_1)));
    } else if (second >= 0) {
        made.reset(new btPoint2PointConstraint(body, *self->bodies[size_t(second)], vector(point_1),
                                               vector(point_2)));
    } else {
        made.reset(new btPoint2PointConstraint(body, vector(point_1)));
    }
    self->world.addConstraint(made.get(), true); // its bodies do not collide
    self->joints.push_back(std::move(made));
}

void* create(const RtScene* scene) {
    Self* self = new Self;
    self->world.setGravity(btVector3(0, 0, btScalar(-9.81)));
    self->world.getSolverInfo().m_numIterations = 10;
    self->world.getPairCache()->setOverlapFilterCallback(&self->filter);
    for (int i = 0; i < scene->plain->body_count; ++i) {
        add_body(self, scene->plain->bodies[i], scene->plain->start[i]);
    }
    for (int i = 0; i < scene->plain->joint_count; ++i) {
        add_joint(self, scene->plain->joints[i]);
    }
    return self;
}

bool step(void* data) {
    static_cast<Self*>(data)->world.stepSimulation(btScalar(RT_DT), 0); // 0: one step
    return true;
}

CnVec3 plain(const btVector3& v) {
    return cn_vec3(double(v.x()), double(v.y()), double(v.z()));
}

void read_states(void* data, CnBodyState* states) {
    for (const auto& body : static_cast<Self*>(data)->bodies) {
        btQuaternion q = body->getWorldTransform().getRotation();
        states->center = plain(body->getWorldTransform().getOrigin());
        states->rotation = cn_quat(double(q.w()), double(q.x()), double(q.y()), double(q.z()));
        states->velocity = plain(body->getLinearVelocity());
        states->angular_velocity = plain(body->getAngularVelocity());
        ++states;
    }
}

void destroy(void* data) {
    delete static_cast<Self*>(data);
}

} // namespace

extern "C" const RtEngine rt_bullet = {"bullet", create, step, read_states, nullptr, destroy};
