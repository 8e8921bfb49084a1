// query_bullet.cpp - queries of Bullet's collision world, measured.
#include "query_contender.h"

#include <btBulletCollisionCommon.h>

namespace {

struct Self {
    btDefaultCollisionConfiguration configuration;
    btCollisionDispatcher dispatcher{&configuration};
    btDbvtBroadphase phase;
    btCollisionWorld world{&dispatcher, &phase, &configuration};
    btSphereShape* shape = nullptr;
    btAlignedObjectArray<btCollisionObject*> objects;
};

struct Count : btCollisionWorld::ContactResultCallback {
    int count = 0;
    btScalar addSingleResult(btManifoldPoint& point, const btCollisionObjectWrapper*, int, int,
                             const btCollisionObjectWrapper*, int, int) override {
        count += point.getDistance() <= btScalar(0);
        return 0;
    }
};

btVector3 vector(const double v[3]) {
    return btVector3(btScalar(v[0]), btScalar(v[1]), btScalar(v[2]));
}

btTransform at(const double v[3]) {
    return btTransform(btQuaternion::getIdentity(), vector(v));
}

// All balls have the radius of the first.
void* create(const BenchBall* balls, int count) {
    Self* self = new Self;
    self->shape = new btSphereShape(btScalar(balls[0].radius));
    for (int i = 0; i < count; ++i) {
        btCollisionObject* object = new btCollisionObject;
        object->setCollisionShape(self->shape);
        object->setWorldTransform(at(balls[i].center));
        self->world.addCollisionObject(object);
        self->objects.push_back(object);
    }
    self->world.updateAabbs();
    self->phase.optimize(); // its best tree
    return self;
}

double cast_ray(void* data, const double from[3], const double to[3]) {
    Self* self = static_cast<Self*>(data);
    btVector3 start = vector(from), end = vector(to);
    btCollisionWorld::ClosestRayResultCallback result(start, end);
    self->world.rayTest(start, end, result);
    return double(result.m_closestHitFraction);
}

int overlap(void* data, const BenchBall* ball) {
    Self* self = static_cast<Self*>(data);
    btSphereShape shape(btScalar(ball->radius));
    btCollisionObject object;
    Count result;
    object.setCollisionShape(&shape);
    object.setWorldTransform(at(ball->center));
    self->world.contactTest(&object, result);
    return result.count;
}

double cast_ball(void* data, const BenchBall* ball, const double to[3]) {
    Self* self = static_cast<Self*>(data);
    btSphereShape shape(btScalar(ball->radius));
    btCollisionWorld::ClosestConvexResultCallback result(vector(ball->center), vector(to));
    self->world.convexSweepTest(&shape, at(ball->center), at(to), result);
    return double(result.m_closestHitFraction);
}

void destroy(void* data) {
    Self* self = static_cast<Self*>(data);
    for (int i = 0; i < self->objects.size(); ++i) {
        self->world.removeCollisionObject(self->objects[i]);
        delete self->objects[i];
    }
    delete self->shape;
    delete self;
}

} // namespace

extern "C" const QueryContender query_bullet = {"bullet", create,    cast_ray,
                                                overlap,  cast_ball, destroy};
