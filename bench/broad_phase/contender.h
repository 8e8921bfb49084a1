// contender.h - what a broad phase must offer to be measured.
#pragma once

#ifdef __cplusplus
extern "C" {
#endif

// A cube around a ball; all contenders get the same ones.
typedef struct BenchBall {
    double center[3]; // [m]
    double radius;    // [m]
} BenchBall;

typedef struct Contender {
    const char* name;
    int largest; // more balls than this would take too long
    void* (*create)(const BenchBall* balls, int count);
    long (*step)(void* self, const BenchBall* balls, int count); // number of pairs known afterwards
    void (*destroy)(void* self);
} Contender;

extern const Contender contender_cairn;
extern const Contender contender_bullet;
extern const Contender contender_ode_hash;
extern const Contender contender_ode_sap;
extern const Contender contender_ode_quadtree;

#ifdef __cplusplus
}
#endif
