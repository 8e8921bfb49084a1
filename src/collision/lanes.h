// lanes.h - several pairs side by side: more about vectors of doubles, and answers to questions.
//
// The file that includes it says how many: math/lanes.h. It may define CN_LANE_MASKS too: there are
// registers for answers, as AVX-512 has them. Whole numbers are kept as doubles: no register has to
// change its meaning.
#pragma once

#include "math/lanes.h"

#include <math.h>
#include <stdbool.h>

// A stage of the work: kept apart, because compilers unroll loops only in functions of some size.
#define CN_LANE_STAGE static __attribute__((noinline)) CN_LANE_TARGET

// Before a short loop whose end would be a surprise each time.
#if defined(__clang__)
#define CN_UNROLLED _Pragma("unroll")
#else
#define CN_UNROLLED _Pragma("GCC unroll 16")
#endif

// The coordinates of one point, and one number more; half of that.
typedef double CnRow __attribute__((vector_size(32)));
typedef int64_t CnRowBits __attribute__((vector_size(32)));
typedef double CnHalfRow __attribute__((vector_size(16)));
#define CN_ROW 4

// A double of this much plus a whole number below 2^32 ends in the bits of that number, which saves
// turning it into one.
#define CN_WHOLE 0x1p52

static inline uint32_t cn_whole(double x) {
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return (uint32_t)bits;
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

// By a whole number 0, 1 or 2.
CN_LANE_FUNCTION CnLanes cn_pick(CnLanes which, CnLanes zero, CnLanes one, CnLanes two) {
    CnLanes first = cn_select(cn_less(which, cn_lanes(1.0)), zero, one);
    return cn_select(cn_less(cn_lanes(1.0), which), two, first);
}

CN_LANE_FUNCTION CnRow cn_row_load(const double from[4]) {
    CnRow row;
    memcpy(&row, from, sizeof row);
    return row;
}

CN_LANE_FUNCTION void cn_row_store(CnRow row, double to[4]) {
    memcpy(to, &row, sizeof row);
}

CN_LANE_FUNCTION CnRow cn_row(double x) {
    return (CnRow){x, x, x, x};
}

// One of its numbers, four times.
#define cn_row_spread(row, k) __builtin_shufflevector(row, row, k, k, k, k)

CN_LANE_FUNCTION CnRow cn_row_abs(CnRow row) {
    return (CnRow)((CnRowBits)row & INT64_MAX);
}

CN_LANE_FUNCTION CnRow cn_row_select(CnRowBits where, CnRow yes, CnRow no) {
    return (CnRow)((where & (CnRowBits)yes) | (~where & (CnRowBits)no));
}

CN_LANE_FUNCTION CnRow cn_row_min(CnRow x, CnRow y) {
#if CN_LANES == 4
    return (CnRow)_mm256_min_pd((__m256d)y, (__m256d)x);
#else
    return cn_row_select(y < x, y, x);
#endif
}

// One bit for each sign.
CN_LANE_FUNCTION unsigned cn_row_signs(CnRow row) {
#if CN_LANES == 4
    return (unsigned)_mm256_movemask_pd((__m256d)row);
#else
    CnRowBits bits = (CnRowBits)row;
    return (unsigned)((bits[0] < 0) | (bits[1] < 0) << 1 | (bits[2] < 0) << 2 | (bits[3] < 0) << 3);
#endif
}

CN_LANE_FUNCTION bool cn_row_any(CnRowBits answers) {
    return cn_row_signs((CnRow)answers) != 0;
}

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
