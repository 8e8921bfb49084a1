// contender_bullet.cpp - Bullet's dynamic tree, used as its collision world uses it.
#include "contender.h"

#include <BulletCollision/BroadphaseCollision/btDbvtBroadphase.h>

namespace {

struct Self {
    btDbvtBroadphase phase;
    btAlignedObjectArray<btBroadphaseProxy*> proxies;
};

btVector3 corner(const BenchBall& ball, double sign) {
    return btVector3(btScalar(ball.center[0] + sign * ball.radius),
                     btScalar(ball.center[1] + sign * ball.radius),
                     btScalar(ball.center[2] + sign * ball.radius));
}

void* create(const BenchBall* balls, int count) {
    Self* self = new Self;
    for (int i = 0; i < count; ++i) {
        self->proxies.push_back(self->phase.createProxy(
            corner(balls[i], -1.0), corner(balls[i], 1.0), 0, nullptr,
            btBroadphaseProxy::DefaultFilter, btBroadphaseProxy::AllFilter, nullptr));
    }
    return self;
}

long step(void* data, const BenchBall* balls, int count) {
    Self* self = static_cast<Self*>(data);
    for (int i = 0; i < count; ++i) {
        self->phase.setAabb(self->proxies[i], corner(balls[i], -1.0), corner(balls[i], 1.0),
                            nullptr);
    }
    self->phase.calculateOverlappingPairs(nullptr);
    return self->phase.getOverlappingPairCache()->getNumOverlappingPairs();
}

void destroy(void* data) {
    Self* self = static_cast<Self*>(data);
    for (int i = 0; i < self->proxies.size(); ++i) {
        self->phase.destroyProxy(self->proxies[i], nullptr);
    }
    delete self;
}

} // namespace

extern "C" const Contender contender_bullet = {"bullet", 10000, create, step, destroy};
