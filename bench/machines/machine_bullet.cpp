// machine_bullet.cpp - Bullet as bench_machines measures it: rigid bodies with constraints, and
// articulated bodies (btMultiBody). Single precision, sequential impulses, 10 iterations.
//
// Motors are those of Bullet, to a speed: 10 /s times what is missing to the target, within the
// force limit.
#include "machine.h"

#include <BulletDynamics/Featherstone/btMultiBody.h>
#include <BulletDynamics/Featherstone/btMultiBodyConstraintSolver.h>
#include <BulletDynamics/Featherstone/btMultiBodyDynamicsWorld.h>
#include <BulletDynamics/Featherstone/btMultiBodyJointLimitConstraint.h>
#include <BulletDynamics/Featherstone/btMultiBodyJointMotor.h>
#include <btBulletDynamicsCommon.h>
#include <memory>
#include <vector>

namespace {

const double motor_gain = 10.0; // [1/s]

btVector3 vector(const double* v) {
    return btVector3(btScalar(v[0]), btScalar(v[1]), btScalar(v[2]));
}

btQuaternion quaternion(const double* q) {
    return btQuaternion(btScalar(q[1]), btScalar(q[2]), btScalar(q[3]), btScalar(q[0]));
}

void put(const btVector3& v, double* out) {
    for (int i = 0; i < 3; ++i) {
        out[i] = double(v[i]);
    }
}

void put(const btQuaternion& q, double* out) {
    const double values[4] = {double(q.w()), double(q.x()), double(q.y()), double(q.z())};
    for (int i = 0; i < 4; ++i) {
        out[i] = values[i];
    }
}

// The rotation whose z axis is the given unit vector.
btQuaternion along_z(const btVector3& axis) {
    return shortestArcQuat(btVector3(0, 0, 1), axis);
}

// ---- rigid bodies ----

struct Rigid {
    const MachineModel* model;
    btDefaultCollisionConfiguration configuration;
    btCollisionDispatcher dispatcher{&configuration};
    btDbvtBroadphase broad_phase;
    btSequentialImpulseConstraintSolver solver;
    btDiscreteDynamicsWorld world{&dispatcher, &broad_phase, &solver, &configuration};
    std::unique_ptr<btCollisionShape> shape, plane;
    std::vector<std::unique_ptr<btRigidBody>> bodies; // of the model, then the ground
    std::vector<std::unique_ptr<btTypedConstraint>> joints;

    ~Rigid() {
        for (auto& joint : joints) {
            world.removeConstraint(joint.get());
        }
        for (auto& body : bodies) {
            world.removeRigidBody(body.get());
        }
    }
};

void add_rigid(Rigid* self, const MachineBody& body, btCollisionShape* shape) {
    btRigidBody::btRigidBodyConstructionInfo info(btScalar(body.mass), nullptr, shape,
                                                  vector(body.inertia));
    info.m_startWorldTransform = btTransform(quaternion(body.rotation), vector(body.position));
    info.m_friction = btScalar(std::sqrt(self->model->friction)); // a pair has the product
    std::unique_ptr<btRigidBody> made(new btRigidBody(info));
    made->setActivationState(DISABLE_DEACTIVATION);
    int mask = self->model->has_ground ? -1 : 0;
    self->world.addRigidBody(made.get(), 1, mask);
    self->bodies.push_back(std::move(made));
}

// The frame of a joint on a body.
btTransform frame_on(const btRigidBody* body, const MachineJoint& joint) {
    btTransform frame(along_z(vector(joint.axis)), vector(joint.point));
    return body == nullptr ? frame : body->getWorldTransform().inverse() * frame;
}

btTypedConstraint* make_joint(Rigid* self, const MachineJoint& joint) {
    btRigidBody* b = self->bodies[size_t(joint.b)].get();
    btRigidBody* a = joint.a < 0 ? nullptr : self->bodies[size_t(joint.a)].get();
    if (joint.type == MACHINE_BALL) {
        btVector3 on_b = frame_on(b, joint).getOrigin();
        return a == nullptr
                   ? new btPoint2PointConstraint(*b, on_b)
                   : new btPoint2PointConstraint(*a, *b, frame_on(a, joint).getOrigin(), on_b);
    }
    btHingeConstraint* hinge =
        a == nullptr ? new btHingeConstraint(*b, frame_on(b, joint))
                     : new btHingeConstraint(*a, *b, frame_on(a, joint), frame_on(b, joint));
    if (joint.limited) {
        hinge->setLimit(btScalar(joint.lower), btScalar(joint.upper));
    }
    return hinge;
}

void* create_rigid(const MachineModel* model) {
    for (int i = 0; i < model->joint_count; ++i) {
        if (model->joints[i].type == MACHINE_OTHER) {
            return nullptr;
        }
    }
    Rigid* self = new Rigid;
    self->model = model;
    self->world.setGravity(btVector3(0, 0, btScalar(-9.81)));
    self->world.getSolverInfo().m_numIterations = 10;
    self->shape.reset(new btCapsuleShapeZ(btScalar(model->radius), btScalar(model->segment)));
    for (int i = 0; i < model->body_count; ++i) {
        add_rigid(self, model->bodies[i], self->shape.get());
    }
    for (int i = 0; i < model->joint_count; ++i) {
        self->joints.emplace_back(make_joint(self, model->joints[i]));
        self->world.addConstraint(self->joints.back().get(), true);
    }
    if (model->has_ground) {
        self->plane.reset(new btStaticPlaneShape(btVector3(0, 0, 1), 0));
        MachineBody ground = MachineBody();
        ground.rotation[0] = 1.0;
        add_rigid(self, ground, self->plane.get());
    }
    return self;
}

void step_rigid(void* data, double wave) {
    Rigid* self = static_cast<Rigid*>(data);
    const MachineModel* model = self->model;
    for (int i = 0; i < model->joint_count; ++i) {
        const MachineJoint& joint = model->joints[i];
        if (joint.has_motor) {
            auto* hinge = static_cast<btHingeConstraint*>(self->joints[size_t(i)].get());
            double missing = wave * joint.target - double(hinge->getHingeAngle());
            double force = joint.max_force > 0.0 ? joint.max_force : 1e6;
            hinge->enableAngularMotor(true, btScalar(motor_gain * missing),
                                      btScalar(force * model->dt));
        }
    }
    self->world.stepSimulation(btScalar(model->dt), 0); // 0: one step of this length
}

void read_rigid(void* data, MachineBody* bodies) {
    Rigid* self = static_cast<Rigid*>(data);
    for (int i = 0; i < self->model->body_count; ++i) {
        const btRigidBody* body = self->bodies[size_t(i)].get();
        put(body->getWorldTransform().getOrigin(), bodies[i].position);
        put(body->getWorldTransform().getRotation(), bodies[i].rotation);
        put(body->getLinearVelocity(), bodies[i].velocity);
        put(body->getAngularVelocity(), bodies[i].spin);
    }
}

void destroy_rigid(void* data) {
    delete static_cast<Rigid*>(data);
}

// ---- articulated bodies ----

struct Articulated {
    const MachineModel* model;
    btDefaultCollisionConfiguration configuration;
    btCollisionDispatcher dispatcher{&configuration};
    btDbvtBroadphase broad_phase;
    btMultiBodyConstraintSolver solver;
    btMultiBodyDynamicsWorld world{&dispatcher, &broad_phase, &solver, &configuration};
    std::unique_ptr<btMultiBody> body; // the base is the world; link i is body i
    std::vector<std::unique_ptr<btMultiBodyConstraint>> constraints;
    std::vector<btMultiBodyJointMotor*> motors; // of each joint, or null

    ~Articulated() {
        for (auto& constraint : constraints) {
            world.removeMultiBodyConstraint(constraint.get());
        }
        if (body) {
            world.removeMultiBody(body.get());
        }
    }
};

void add_link(Articulated* self, const MachineJoint& joint) {
    const MachineModel* model = self->model;
    const MachineBody& own = model->bodies[joint.b];
    btQuaternion turn = quaternion(own.rotation), parent_turn(0, 0, 0, 1);
    btVector3 parent_place(0, 0, 0);
    if (joint.a >= 0) {
        parent_turn = quaternion(model->bodies[joint.a].rotation);
        parent_place = vector(model->bodies[joint.a].position);
    }
    btQuaternion from_parent = turn.inverse() * parent_turn;
    btVector3 to_pivot = quatRotate(parent_turn.inverse(), vector(joint.point) - parent_place);
    btVector3 to_center = quatRotate(turn.inverse(), vector(own.position) - vector(joint.point));
    btVector3 axis = quatRotate(turn.inverse(), vector(joint.axis));
    if (joint.type == MACHINE_BALL) {
        self->body->setupSpherical(joint.b, btScalar(own.mass), vector(own.inertia), joint.a,
                                   from_parent, to_pivot, to_center, true);
    } else {
        self->body->setupRevolute(joint.b, btScalar(own.mass), vector(own.inertia), joint.a,
                                  from_parent, axis, to_pivot, to_center, true);
    }
}

void add_axis(Articulated* self, int number) {
    const MachineJoint& joint = self->model->joints[number];
    self->motors.push_back(nullptr);
    if (joint.limited) {
        self->constraints.emplace_back(new btMultiBodyJointLimitConstraint(
            self->body.get(), joint.b, btScalar(joint.lower), btScalar(joint.upper)));
        self->world.addMultiBodyConstraint(self->constraints.back().get());
    }
    if (joint.has_motor) {
        double force = joint.max_force > 0.0 ? joint.max_force : 1e6;
        self->motors.back() = new btMultiBodyJointMotor(self->body.get(), joint.b, 0,
                                                        btScalar(force * self->model->dt));
        self->constraints.emplace_back(self->motors.back());
        self->world.addMultiBodyConstraint(self->motors.back());
    }
}

void* create_articulated(const MachineModel* model) {
    if (!model->is_tree || model->has_ground || model->joint_count != model->body_count) {
        return nullptr;
    }
    Articulated* self = new Articulated;
    self->model = model;
    self->world.setGravity(btVector3(0, 0, btScalar(-9.81)));
    self->world.getSolverInfo().m_numIterations = 10;
    self->body.reset(new btMultiBody(model->body_count, 0, btVector3(0, 0, 0), true, false));
    for (int i = 0; i < model->body_count; ++i) { // links in order, parents first
        for (int k = 0; k < model->joint_count; ++k) {
            if (model->joints[k].b == i) {
                add_link(self, model->joints[k]);
                break;
            }
        }
    }
    self->body->finalizeMultiDof();
    self->body->setLinearDamping(0);
    self->body->setAngularDamping(0);
    self->body->setMaxAppliedImpulse(btScalar(1e30));
    self->body->setMaxCoordinateVelocity(btScalar(1e30));
    self->world.addMultiBody(self->body.get());
    for (int i = 0; i < model->joint_count; ++i) {
        add_axis(self, i);
    }
    return self;
}

void step_articulated(void* data, double wave) {
    Articulated* self = static_cast<Articulated*>(data);
    const MachineModel* model = self->model;
    for (int i = 0; i < model->joint_count; ++i) {
        const MachineJoint& joint = model->joints[i];
        if (self->motors[size_t(i)] != nullptr) {
            double missing = wave * joint.target - double(self->body->getJointPos(joint.b));
            self->motors[size_t(i)]->setVelocityTarget(btScalar(motor_gain * missing));
        }
    }
    self->world.stepSimulation(btScalar(model->dt), 0);
}

void read_articulated(void* data, MachineBody* bodies) {
    Articulated* self = static_cast<Articulated*>(data);
    btAlignedObjectArray<btQuaternion> turns;
    btAlignedObjectArray<btVector3> places;
    self->body->forwardKinematics(turns, places);
    int count = self->model->body_count + 1; // the base first
    std::vector<btVector3> spin(static_cast<size_t>(count)), velocity(static_cast<size_t>(count));
    self->body->compTreeLinkVelocities(spin.data(), velocity.data());
    for (int i = 0; i < self->model->body_count; ++i) {
        btTransform frame = self->body->getLink(i).m_cachedWorldTransform;
        put(frame.getOrigin(), bodies[i].position);
        put(frame.getRotation(), bodies[i].rotation);
        put(quatRotate(frame.getRotation(), velocity[size_t(i) + 1]), bodies[i].velocity);
        put(quatRotate(frame.getRotation(), spin[size_t(i) + 1]), bodies[i].spin);
    }
}

void destroy_articulated(void* data) {
    delete static_cast<Articulated*>(data);
}

} // namespace

extern "C" const MachineEngine machine_bullet = {"Bullet", create_rigid, step_rigid, read_rigid,
                                                 destroy_rigid};
extern "C" const MachineEngine machine_bullet_multibody = {
    "btMultiBody", create_articulated, step_articulated, read_articulated, destroy_articulated};
