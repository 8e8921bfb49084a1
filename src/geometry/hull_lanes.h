// hull_lanes.h - columns of a convex polyhedron, several entries at a time.
//
// Written with the vector extensions of gcc and clang. The file that includes it defines LANES, 2
// or 4, and TARGET, an attribute; CN_HULL_LANES is a multiple of both. Products and sums are those
// of one entry after the other, in the same order: the bits are the same for any width.
#pragma once

#include "geometry/hull.h"

#include <string.h>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#pragma GCC diagnostic ignored "-Wpsabi" // no vector leaves its file: all functions are inlined

#define LANE_FUNCTION static inline __attribute__((always_inline)) TARGET

typedef double Lanes __attribute__((vector_size(8 * LANES)));
typedef int64_t LaneBits __attribute__((vector_size(8 * LANES)));

LANE_FUNCTION Lanes load(const double* from) {
    Lanes x;
    memcpy(&x, from, sizeof x);
    return x;
}

LANE_FUNCTION void store(Lanes x, double* to) {
    memcpy(to, &x, sizeof x);
}

LANE_FUNCTION Lanes all(double x) {
    return x - (Lanes){0.0}; // minus: a zero keeps its sign
}

LANE_FUNCTION Lanes either(LaneBits first, Lanes x, Lanes y) {
    return (Lanes)(((LaneBits)x & first) | ((LaneBits)y & ~first));
}

// One bit for each lane, the first the lowest.
LANE_FUNCTION unsigned bits(LaneBits answers) {
#if defined(__x86_64__) && LANES == 4
    return (unsigned)_mm256_movemask_pd((__m256d)answers);
#elif defined(__x86_64__)
    return (unsigned)_mm_movemask_pd((__m128d)answers);
#else
    return (unsigned)(answers[0] & 1) | (unsigned)(answers[1] & 2);
#endif
}

// x > y ? x : y, one instruction where there is one: loops wait for it.
LANE_FUNCTION Lanes larger(Lanes x, Lanes y) {
#if defined(__x86_64__) && LANES == 4
    return (Lanes)_mm256_max_pd((__m256d)x, (__m256d)y);
#elif defined(__x86_64__)
    return (Lanes)_mm_max_pd((__m128d)x, (__m128d)y);
#else
    return either(x > y, x, y);
#endif
}

// Columns of vectors, and one for all of them.
typedef struct Products {
    const double *x, *y, *z;
    Lanes along_x, along_y, along_z;
} Products;

LANE_FUNCTION Products products(const double* x, const double* y, const double* z, CnVec3 along) {
    return (Products){x, y, z, all(along.x), all(along.y), all(along.z)};
}

LANE_FUNCTION Lanes product(const Products* of, int i) {
    return of->along_x * load(of->x + i) + of->along_y * load(of->y + i) +
           of->along_z * load(of->z + i);
}
