// rest_bullet.cpp - Bullet as bench_rest measures it: sequential impulses, 10 iterations, no
// sleeping.
#include "rest.h"

#include <btBulletDynamicsCommon.h>
#include <cmath>
#include <map>
#include <memory>
#include <tuple>
#include <vector>

namespace {

using Size = std::tuple<int, double, double, double>; // shape, half edges

struct Self {
    btDefaultCollisionConfiguration configuration;
    btCollisionDispatcher dispatcher{&configuration};
    btDbvtBroadphase broad_phase;
    btSequentialImpulseConstraintSolver solver;
    std::map<Size, std::unique_ptr<btCollisionShape>> shapes;
    std::vector<std::unique_ptr<btRigidBody>> bodies;
    btDiscreteDynamicsWorld world{&dispatcher, &broad_phase, &solver, &configuration};

    ~Self() {
        for (auto& body : bodies) {
            world.removeRigidBody(body.get());
        }
    }
};

// Equal shapes are shared.
btCollisionShape* find_shape(Self* self, const RestBody& body) {
    const double* half = body.half;
    auto& shape = self->shapes[Size(body.shape, half[0], half[1], half[2])];
    if (!shape && body.shape == REST_BOX) {
        btVector3 size{btScalar(half[0]), btScalar(half[1]), btScalar(half[2])};
        shape.reset(new btBoxShape(size));
    } else if (!shape) {
        shape.reset(new btSphereShape(btScalar(half[0])));
    }
    return shape.get();
}

void* create(const RestScene* scene, int) {
    Self* self = new Self;
    self->world.setGravity(btVector3(0, 0, btScalar(-9.81)));
    self->world.getSolverInfo().m_numIterations = 10;
    for (int i = 0; i < scene->count; ++i) {
        const RestBody& body = scene->bodies[i];
        const double* x = body.position;
        btCollisionShape* shape = find_shape(self, body);
        btVector3 inertia(0, 0, 0);
        btScalar mass = btScalar(body.fixed ? 0.0 : body.mass);
        if (!body.fixed) {
            shape->calculateLocalInertia(mass, inertia);
        }
        btRigidBody::btRigidBodyConstructionInfo info(mass, nullptr, shape, inertia);
        btVector3 position{btScalar(x[0]), btScalar(x[1]), btScalar(x[2])};
        info.m_startWorldTransform = btTransform(btQuaternion::getIdentity(), position);
        info.m_friction = btScalar(std::sqrt(scene->friction)); // a pair has the product
        std::unique_ptr<btRigidBody> made(new btRigidBody(info));
        made->setActivationState(DISABLE_DEACTIVATION);
        self->world.addRigidBody(made.get());
        self->bodies.push_back(std::move(made));
    }
    return self;
}

bool step(void* data, double*) {
    static_cast<Self*>(data)->world.stepSimulation(btScalar(REST_DT),
                                                   0); // 0: one step of this length
    return true;
}

void read_state(void* data, RestState* state) {
    Self* self = static_cast<Self*>(data);
    *state = RestState();
    for (int i = 0; i < self->dispatcher.getNumManifolds(); ++i) {
        const btPersistentManifold* manifold = self->dispatcher.getManifoldByIndexInternal(i);
        state->contacts += manifold->getNumContacts();
        for (int k = 0; k < manifold->getNumContacts(); ++k) {
            double depth = -double(manifold->getContactPoint(k).getDistance());
            state->penetration = depth > state->penetration ? depth : state->penetration;
        }
    }
    for (const auto& body : self->bodies) {
        if (body->getInvMass() > 0) {
            btVector3 w =
                body->getWorldTransform().getBasis().transpose() * body->getAngularVelocity();
            btVector3 inverse = body->getInvInertiaDiagLocal();
            state->kinetic_energy +=
                0.5 * double(body->getLinearVelocity().length2()) / double(body->getInvMass());
            for (int k = 0; k < 3; ++k) {
                state->kinetic_energy += 0.5 * double(w[k] * w[k]) / double(inverse[k]);
            }
        }
    }
}

void destroy(void* data) {
    delete static_cast<Self*>(data);
}

} // namespace

extern "C" const RestEngine rest_bullet = {"bullet", create, step, read_state, destroy};
