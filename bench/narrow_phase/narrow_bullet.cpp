// narrow_bullet.cpp - the narrow phase of Bullet, each pair the fastest way it offers.
//
// Two boxes go straight to btBoxBoxDetector, which finds all points at once. Other pairs go through
// the algorithm that the dispatcher picks, kept from step to step with its manifold as in a
// collision world. For hulls that algorithm finds one point per step and gathers a manifold over
// several; "bullet sat" is the same with its separating axis test switched on, which finds all
// points at once.
#include "narrow.h"

#include <BulletCollision/CollisionDispatch/btBoxBoxDetector.h>
#include <btBulletCollisionCommon.h>
#include <memory>
#include <vector>

namespace {

// A hull has its margin around it: made smaller by as much, so that its faces are where they should
// be. The hulls measured have a ball inside that touches all faces, so a scale does it.
std::unique_ptr<btCollisionShape> make_hull(const BenchShape& shape) {
    std::unique_ptr<btConvexHullShape> hull(new btConvexHullShape);
    btScalar scale = btScalar(1.0 - CONVEX_DISTANCE_MARGIN / shape.inner);
    for (int i = 0; i < shape.vertex_count; ++i) {
        const double* v = shape.vertices[i];
        hull->addPoint(scale * btVector3(btScalar(v[0]), btScalar(v[1]), btScalar(v[2])), false);
    }
    hull->recalcLocalAabb();
    return hull;
}

std::unique_ptr<btCollisionShape> make_shape(const BenchShape& shape, bool sat) {
    std::unique_ptr<btCollisionShape> made;
    btScalar radius = btScalar(shape.radius), half = btScalar(shape.half_length);
    btVector3 size(btScalar(shape.half[0]), btScalar(shape.half[1]), btScalar(shape.half[2]));
    switch (shape.type) {
    case BENCH_SPHERE:
        made.reset(new btSphereShape(radius));
        break;
    case BENCH_BOX:
        made.reset(new btBoxShape(size));
        break;
    case BENCH_CAPSULE:
        made.reset(new btCapsuleShapeZ(radius, 2 * half));
        break;
    case BENCH_CYLINDER:
        made.reset(new btCylinderShapeZ(btVector3(radius, radius, half)));
        break;
    case BENCH_CONVEX:
        made = make_hull(shape);
        break;
    case BENCH_PLANE:
        made.reset(new btStaticPlaneShape(btVector3(0, 0, 1), 0));
        break;
    }
    if (sat && (shape.type == BENCH_BOX || shape.type == BENCH_CONVEX)) {
        static_cast<btPolyhedralConvexShape*>(made.get())->initializePolyhedralFeatures();
    }
    return made;
}

btTransform make_transform(const BenchPose& pose) {
    const double *x = pose.position, *q = pose.rotation;
    return btTransform(btQuaternion(btScalar(q[1]), btScalar(q[2]), btScalar(q[3]), btScalar(q[0])),
                       btVector3(btScalar(x[0]), btScalar(x[1]), btScalar(x[2])));
}

struct Met {
    btCollisionObject a, b;
    btCollisionAlgorithm* algorithm;
};

struct Self {
    btDefaultCollisionConfiguration configuration;
    btCollisionDispatcher dispatcher{&configuration};
    btDispatcherInfo info;
    std::unique_ptr<btCollisionShape> shape_a, shape_b;
    std::vector<Met> pairs;
    bool boxes;
};

struct PointCounter : btDiscreteCollisionDetectorInterface::Result {
    btVector3 points[4], normals[4];
    btScalar depths[4];
    long count = 0;
    void setShapeIdentifiersA(int, int) override {
    }
    void setShapeIdentifiersB(int, int) override {
    }
    void addContactPoint(const btVector3& normal, const btVector3& point, btScalar depth) override {
        points[count & 3] = point;
        normals[count & 3] = normal;
        depths[count & 3] = depth;
        ++count;
    }
};

void* create_any(const BenchShape* a, const BenchShape* b, const BenchPair* pairs, int count,
                 bool sat) {
    Self* self = new Self;
    self->shape_a = make_shape(*a, sat);
    self->shape_b = make_shape(*b, sat);
    self->boxes = a->type == BENCH_BOX && b->type == BENCH_BOX && !sat;
    self->info.m_enableSatConvex = sat;
    self->pairs.resize(size_t(count));
    for (int i = 0; i < count; ++i) {
        Met& met = self->pairs[size_t(i)];
        met.a.setCollisionShape(self->shape_a.get());
        met.b.setCollisionShape(self->shape_b.get());
        met.a.setWorldTransform(make_transform(pairs[i].a));
        met.b.setWorldTransform(make_transform(pairs[i].b));
        btCollisionObjectWrapper wrap_a(nullptr, self->shape_a.get(), &met.a,
                                        met.a.getWorldTransform(), -1, -1);
        btCollisionObjectWrapper wrap_b(nullptr, self->shape_b.get(), &met.b,
                                        met.b.getWorldTransform(), -1, -1);
        met.algorithm =
            self->dispatcher.findAlgorithm(&wrap_a, &wrap_b, nullptr, BT_CONTACT_POINT_ALGORITHMS);
    }
    return self;
}

void* create(const BenchShape* a, const BenchShape* b, const BenchPair* pairs, int count) {
    return create_any(a, b, pairs, count, false);
}

bool is_polyhedron(const BenchShape* shape) {
    return shape->type == BENCH_BOX || shape->type == BENCH_CONVEX;
}

void* create_sat(const BenchShape* a, const BenchShape* b, const BenchPair* pairs, int count) {
    bool hulls = is_polyhedron(a) && is_polyhedron(b) &&
                 (a->type == BENCH_CONVEX || b->type == BENCH_CONVEX);
    return hulls ? create_any(a, b, pairs, count, true) : nullptr;
}

long collide_boxes(Self* self) {
    btBoxBoxDetector detector(static_cast<btBoxShape*>(self->shape_a.get()),
                              static_cast<btBoxShape*>(self->shape_b.get()));
    long total = 0;
    for (Met& met : self->pairs) {
        btDiscreteCollisionDetectorInterface::ClosestPointInput input;
        PointCounter counter;
        input.m_transformA = met.a.getWorldTransform();
        input.m_transformB = met.b.getWorldTransform();
        detector.getClosestPoints(input, counter, nullptr);
        total += counter.count;
    }
    return total;
}

long collide(void* data) {
    Self* self = static_cast<Self*>(data);
    long total = 0;
    if (self->boxes) {
        return collide_boxes(self);
    }
    for (Met& met : self->pairs) {
        btCollisionObjectWrapper wrap_a(nullptr, self->shape_a.get(), &met.a,
                                        met.a.getWorldTransform(), -1, -1);
        btCollisionObjectWrapper wrap_b(nullptr, self->shape_b.get(), &met.b,
                                        met.b.getWorldTransform(), -1, -1);
        btManifoldResult result(&wrap_a, &wrap_b);
        met.algorithm->processCollision(&wrap_a, &wrap_b, self->info, &result);
        total += result.getPersistentManifold() != nullptr
                     ? result.getPersistentManifold()->getNumContacts()
                     : 0;
    }
    return total;
}

void destroy(void* data) {
    Self* self = static_cast<Self*>(data);
    for (Met& met : self->pairs) {
        met.algorithm->~btCollisionAlgorithm();
        self->dispatcher.freeCollisionAlgorithm(met.algorithm);
    }
    delete self;
}

} // namespace

extern "C" const NarrowContender narrow_bullet = {"bullet", create, collide, destroy};
extern "C" const NarrowContender narrow_bullet_sat = {"bullet sat", create_sat, collide, destroy};
