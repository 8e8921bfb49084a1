// lanes.h - several pairs side by side: vectors of doubles, and answers to questions about them.
//
// Written with the vector extensions of gcc and clang, so that one text serves every width of
// registers. The file that includes it defines CN_LANES and CN_LANE_TARGET, an attribute. Each lane
// sees the same operations in the same order whatever the width, and none is fused or estimated:
// the bits are the same everywhere. Whole numbers are kept as doubles too: no register has to
// change its meaning.
#pragma once

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#if CN_LANES > 2
#include <immintrin.h>
#endif

#pragma GCC diagnostic ignored "-Wpsabi" // no vector leaves its file: all functions are inlined

#define CN_LANE_FUNCTION static inline __attribute__((always_inline)) CN_LANE_TARGET

typedef double CnLanes __attribute__((vector_size(8 * CN_LANES)));
typedef int64_t CnLaneBits __attribute__((vector_size(8 * CN_LANES)));

CN_LANE_FUNCTION CnLanes cn_lanes(double x) {
    return x - (CnLanes){0.0}; // minus: a zero keeps its sign
}

CN_LANE_FUNCTION CnLaneBits cn_lane_bits(int64_t x) {
    return x | (CnLaneBits){0};
}

CN_LANE_FUNCTION CnLanes cn_lanes_load(const double* from) {
    CnLanes x;
    memcpy(&x, from, sizeof x);
    return x;
}

CN_LANE_FUNCTION void cn_lanes_store(CnLanes x, double* to) {
    memcpy(to, &x, sizeof x);
}

CN_LANE_FUNCTION CnLanes cn_lanes_abs(CnLanes x) {
    return (CnLanes)((CnLaneBits)x & cn_lane_bits(INT64_MAX));
}

// x, turned round where s is negative.
CN_LANE_FUNCTION CnLanes cn_lanes_turn(CnLanes x, CnLanes s) {
    return (CnLanes)((CnLaneBits)x ^ ((CnLaneBits)s & cn_lane_bits(INT64_MIN)));
}

// Answers, one per lane: all bits or none. They are combined with & | ~.
typedef CnLaneBits CnMask;

CN_LANE_FUNCTION CnLanes cn_where(CnMask mask, double x) {
    return (CnLanes)(mask & (CnLaneBits)cn_lanes(x));
}

// What compilers do not find by themselves.
#if CN_LANES == 4
CN_LANE_FUNCTION CnLanes cn_select(CnMask where, CnLanes yes, CnLanes no) {
    return (CnLanes)_mm256_blendv_pd((__m256d)no, (__m256d)yes, (__m256d)where);
}

CN_LANE_FUNCTION bool cn_any(CnMask mask) {
    return _mm256_movemask_pd((__m256d)mask) != 0;
}

CN_LANE_FUNCTION CnLanes cn_lanes_sqrt(CnLanes x) {
    return (CnLanes)_mm256_sqrt_pd((__m256d)x);
}
#else
CN_LANE_FUNCTION CnLanes cn_select(CnMask where, CnLanes yes, CnLanes no) {
    return (CnLanes)(((CnLaneBits)yes & where) | ((CnLaneBits)no & ~where));
}

CN_LANE_FUNCTION bool cn_any(CnMask mask) {
    return (mask[0] | mask[1]) != 0;
}

CN_LANE_FUNCTION CnLanes cn_lanes_sqrt(CnLanes x) {
    return (CnLanes){sqrt(x[0]), sqrt(x[1])};
}
#endif

CN_LANE_FUNCTION CnMask cn_is_negative(CnLanes x) {
    return x < 0.0;
}

// By a whole number 0, 1 or 2.
CN_LANE_FUNCTION CnLanes cn_pick(CnLanes which, CnLanes zero, CnLanes one, CnLanes two) {
    CnLanes first = cn_select(which < 1.0, zero, one);
    return cn_select(1.0 < which, two, first);
}

// Rows become columns: first squares of one number change places across the diagonal, then squares
// of two.
CN_LANE_FUNCTION void cn_lanes_transpose(CnLanes rows[CN_LANES]) {
#if CN_LANES == 4
    CnLanes a = __builtin_shufflevector(rows[0], rows[1], 0, 4, 2, 6);
    CnLanes b = __builtin_shufflevector(rows[0], rows[1], 1, 5, 3, 7);
    CnLanes c = __builtin_shufflevector(rows[2], rows[3], 0, 4, 2, 6);
    CnLanes d = __builtin_shufflevector(rows[2], rows[3], 1, 5, 3, 7);
    rows[0] = __builtin_shufflevector(a, c, 0, 1, 4, 5);
    rows[1] = __builtin_shufflevector(b, d, 0, 1, 4, 5);
    rows[2] = __builtin_shufflevector(a, c, 2, 3, 6, 7);
    rows[3] = __builtin_shufflevector(b, d, 2, 3, 6, 7);
#else
    CnLanes a = __builtin_shufflevector(rows[0], rows[1], 0, 2);
    rows[1] = __builtin_shufflevector(rows[0], rows[1], 1, 3);
    rows[0] = a;
#endif
}
