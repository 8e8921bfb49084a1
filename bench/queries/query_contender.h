// query_contender.h - what a world must offer for its queries to be measured.
#pragma once

#include "broad_phase/contender.h"

typedef struct QueryContender {
    const char* name;
    void* (*create)(const BenchBall* balls, int count); // bodies that are balls, after one step
    double (*cast_ray)(void* self, const double from[3], const double to[3]); // fraction; 1: none
    int (*overlap)(void* self, const BenchBall* ball);                        // how many bodies
    double (*cast_ball)(void* self, const BenchBall* ball, const double to[3]);
    void (*destroy)(void* self);
} QueryContender;

#ifdef __cplusplus
extern "C" {
#endif

extern const QueryContender query_cairn;
extern const QueryContender query_bullet;

#ifdef __cplusplus
}
#endif
