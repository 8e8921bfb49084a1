// random.h - repeatable pseudo-random numbers, the same bits on every machine (splitmix64).
#pragma once

#include "cairn/math.h"

// Start from {seed}; every seed gives a different sequence.
typedef struct CnRandom {
    uint64_t state;
} CnRandom;

static inline uint64_t cn_random_next(CnRandom* random) {
    uint64_t z = (random->state += UINT64_C(0x9e3779b97f4a7c15));
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

// Uniform in [low, high).
static inline double cn_random_between(CnRandom* random, double low, double high) {
    double unit = (double)(cn_random_next(random) >> 11) * (1.0 / 9007199254740992.0); // 2^-53
    return low + (high - low) * unit;
}
