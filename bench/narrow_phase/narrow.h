// narrow.h - what a narrow phase must offer to be measured.
#pragma once

#ifdef __cplusplus
extern "C" {
#endif

struct CnShape;

typedef enum BenchShapeType {
    BENCH_SPHERE,
    BENCH_BOX,
    BENCH_CAPSULE,
    BENCH_CYLINDER,
    BENCH_CONVEX,
    BENCH_PLANE // the half space z <= 0 of its frame
} BenchShapeType;

// Centred on its origin; a capsule or cylinder has its axis along z.
typedef struct BenchShape {
    const char* name;
    BenchShapeType type;
    double half[3];     // box: half edges [m]
    double radius;      // sphere, capsule, cylinder [m]
    double half_length; // capsule: of its segment; cylinder: of its axis [m]
    double inner;       // radius of the ball inside it [m]
    double height;      // of its origin above what it rests on, as `lying` turns it [m]
    double lying[4];    // w x y z: how it rests

    struct CnShape* own; // the same as Cairn keeps it

    // Convex: vertices, planes (unit normal, offset) and faces (their count, then their vertices
    // counter-clockwise, one face after the other).
    double (*vertices)[3];
    double (*planes)[4];
    unsigned* faces;
    int vertex_count, face_count;
} BenchShape;

typedef struct BenchPose {
    double position[3]; // [m]
    double rotation[4]; // w x y z, unit
} BenchPose;

typedef struct BenchPair {
    BenchPose a, b;
} BenchPair;

typedef struct NarrowContender {
    const char* name;
    // Everything that an engine keeps from step to step is made here; NULL: cannot do this pair.
    void* (*create)(const BenchShape* a, const BenchShape* b, const BenchPair* pairs, int count);
    long (*collide)(void* self); // all pairs once; number of contact points
    void (*destroy)(void* self);
} NarrowContender;

// Gaps up to this are reported [m]; Bullet's default.
#define BENCH_MARGIN 0.02

extern const NarrowContender narrow_cairn;
extern const NarrowContender narrow_bullet;
extern const NarrowContender narrow_bullet_sat;
extern const NarrowContender narrow_ode;

#ifdef __cplusplus
}
#endif
