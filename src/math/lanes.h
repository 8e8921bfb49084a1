// lanes.h - several doubles side by side.
//
// Written with the vector extensions of gcc and clang, so that one text serves every width of
// registers. The file that includes it defines CN_LANES, 2 or 4, and CN_LANE_TARGET, an attribute.
// It may define CN_LANE_MASKS too: there are registers for masks, as AVX-512 has them.
// Each lane sees the same operations in the same order whatever the width, and none is fused or
// estimated: the bits are the same everywhere.
#pragma once

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#define CN_LANE_FUNCTION static inline __attribute__((always_inline)) CN_LANE_TARGET

typedef double CnLanes __attribute__((vector_size(8 * CN_LANES)));
typedef int64_t CnLaneBits __attribute__((vector_size(8 * CN_LANES)));

CN_LANE_FUNCTION CnLanes cn_lanes(double x) {
    return x - (CnLanes){0.0}; // minus: a zero keeps its sign
}

CN_LANE_FUNCTION CnLanes cn_lanes_load(const double* from) {
    CnLanes x;
    memcpy(&x, from, sizeof x);
    return x;
}

CN_LANE_FUNCTION void cn_lanes_store(CnLanes x, double* to) {
    memcpy(to, &x, sizeof x);
}

CN_LANE_FUNCTION CnLaneBits cn_lane_bits(int64_t x) {
    return x | (CnLaneBits){0};
}

CN_LANE_FUNCTION CnLanes cn_lanes_abs(CnLanes x) {
    return (CnLanes)((CnLaneBits)x & cn_lane_bits(INT64_MAX));
}

// x, turned round where s is negative.
CN_LANE_FUNCTION CnLanes cn_lanes_turn(CnLanes x, CnLanes s) {
    return (CnLanes)((CnLaneBits)x ^ ((CnLaneBits)s & cn_lane_bits(INT64_MIN)));
}

// Answers, one per lane. They are combined with & | and cn_but_not(); cn_keep() is x where the
// answer is yes, else 0.
#if defined(CN_LANE_MASKS)
typedef __mmask8 CnMask; // one bit each

CN_LANE_FUNCTION CnMask cn_less(CnLanes x, CnLanes y) {
    return _mm256_cmp_pd_mask((__m256d)x, (__m256d)y, _CMP_LT_OQ);
}

CN_LANE_FUNCTION CnMask cn_at_most(CnLanes x, CnLanes y) {
    return _mm256_cmp_pd_mask((__m256d)x, (__m256d)y, _CMP_LE_OQ);
}

CN_LANE_FUNCTION CnMask cn_equal(CnLanes x, CnLanes y) {
    return _mm256_cmp_pd_mask((__m256d)x, (__m256d)y, _CMP_EQ_OQ);
}

CN_LANE_FUNCTION CnMask cn_but_not(CnMask yes, CnMask no) {
    return _kandn_mask8(no, yes);
}

CN_LANE_FUNCTION CnLanes cn_keep(CnMask where, CnLanes x) {
    return (CnLanes)_mm256_maskz_mov_pd(where, (__m256d)x);
}
#else
typedef CnLaneBits CnMask; // all bits or none

CN_LANE_FUNCTION CnMask cn_less(CnLanes x, CnLanes y) {
    return x < y;
}

CN_LANE_FUNCTION CnMask cn_at_most(CnLanes x, CnLanes y) {
    return x <= y;
}

CN_LANE_FUNCTION CnMask cn_equal(CnLanes x, CnLanes y) {
    return x == y;
}

CN_LANE_FUNCTION CnMask cn_but_not(CnMask yes, CnMask no) {
    return yes & ~no;
}

CN_LANE_FUNCTION CnLanes cn_keep(CnMask where, CnLanes x) {
    return (CnLanes)(where & (CnLaneBits)x);
}
#endif

CN_LANE_FUNCTION CnLanes cn_select(CnMask where, CnLanes yes, CnLanes no) {
#if defined(CN_LANE_MASKS)
    return (CnLanes)_mm256_mask_blend_pd(where, (__m256d)no, (__m256d)yes);
#elif CN_LANES == 4
    return (CnLanes)_mm256_blendv_pd((__m256d)no, (__m256d)yes, (__m256d)where);
#else
    return (CnLanes)(((CnLaneBits)yes & where) | ((CnLaneBits)no & ~where));
#endif
}

// One bit for each lane.
CN_LANE_FUNCTION unsigned cn_mask_answers(CnMask mask) {
#if defined(CN_LANE_MASKS)
    return mask;
#elif CN_LANES == 4
    return (unsigned)_mm256_movemask_pd((__m256d)mask);
#else
    return (unsigned)((mask[0] & 1) | (mask[1] & 2));
#endif
}

CN_LANE_FUNCTION bool cn_any(CnMask mask) {
    return cn_mask_answers(mask) != 0;
}

CN_LANE_FUNCTION CnLanes cn_where(CnMask mask, double x) {
    return cn_keep(mask, cn_lanes(x));
}

CN_LANE_FUNCTION CnMask cn_is_negative(CnLanes x) {
    return cn_less(x, cn_lanes(0.0));
}

CN_LANE_FUNCTION CnLaneBits cn_bits_where(CnMask mask, int64_t bits) {
    return (CnLaneBits)cn_keep(mask, (CnLanes)cn_lane_bits(bits));
}

// Of equal numbers cn_lanes_max() and cn_lanes_min() take the first.
#if CN_LANES == 4
CN_LANE_FUNCTION CnLanes cn_lanes_sqrt(CnLanes x) {
    return (CnLanes)_mm256_sqrt_pd((__m256d)x);
}

CN_LANE_FUNCTION CnLanes cn_lanes_max(CnLanes x, CnLanes y) {
    return (CnLanes)_mm256_max_pd((__m256d)y, (__m256d)x);
}

CN_LANE_FUNCTION CnLanes cn_lanes_min(CnLanes x, CnLanes y) {
    return (CnLanes)_mm256_min_pd((__m256d)y, (__m256d)x);
}
#else
CN_LANE_FUNCTION CnLanes cn_lanes_sqrt(CnLanes x) {
    return (CnLanes){sqrt(x[0]), sqrt(x[1])};
}

CN_LANE_FUNCTION CnLanes cn_lanes_max(CnLanes x, CnLanes y) {
    return cn_select(x < y, y, x);
}

CN_LANE_FUNCTION CnLanes cn_lanes_min(CnLanes x, CnLanes y) {
    return cn_select(y < x, y, x);
}
#endif

// Half of four lanes, or two lanes.
typedef double CnHalfRow __attribute__((vector_size(16)));

// Two numbers of each lane's array become two vectors. Parts of registers are filled straight from
// memory, so that one exchange per vector is left.
CN_LANE_FUNCTION void cn_lanes_gather(const double* const from[CN_LANES], CnLanes to[2]) {
    CnHalfRow rows[CN_LANES];
    for (int i = 0; i < CN_LANES; ++i) {
        memcpy(&rows[i], from[i], sizeof rows[i]);
    }
#if CN_LANES == 4
    CnLanes even = __builtin_shufflevector(rows[0], rows[2], 0, 1, 2, 3);
    CnLanes odd = __builtin_shufflevector(rows[1], rows[3], 0, 1, 2, 3);
    to[0] = __builtin_shufflevector(even, odd, 0, 4, 2, 6);
    to[1] = __builtin_shufflevector(even, odd, 1, 5, 3, 7);
#else
    to[0] = __builtin_shufflevector(rows[0], rows[1], 0, 2);
    to[1] = __builtin_shufflevector(rows[0], rows[1], 1, 3);
#endif
}

// The way back: two vectors become two numbers of each lane's array.
CN_LANE_FUNCTION void cn_lanes_scatter(const CnLanes from[2], double* const to[CN_LANES]) {
#if CN_LANES == 4
    CnLanes even = __builtin_shufflevector(from[0], from[1], 0, 4, 2, 6);
    CnLanes odd = __builtin_shufflevector(from[0], from[1], 1, 5, 3, 7);
    const CnHalfRow rows[CN_LANES] = {
        __builtin_shufflevector(even, even, 0, 1), __builtin_shufflevector(odd, odd, 0, 1),
        __builtin_shufflevector(even, even, 2, 3), __builtin_shufflevector(odd, odd, 2, 3)};
#else
    const CnHalfRow rows[CN_LANES] = {__builtin_shufflevector(from[0], from[1], 0, 2),
                                      __builtin_shufflevector(from[0], from[1], 1, 3)};
#endif
    for (int i = 0; i < CN_LANES; ++i) {
        memcpy(to[i], &rows[i], sizeof rows[i]);
    }
}
