// lanes.h - several pairs side by side: choices among three, and the coordinates of one point.
//
// The file that includes it says how many: math/lanes.h. Whole numbers are kept as doubles: no
// register has to change its meaning.
#pragma once

#include "math/lanes.h"

// A stage of the work: kept apart, because compilers unroll loops only in functions of some size.
#define CN_LANE_STAGE static __attribute__((noinline)) CN_LANE_TARGET

// Before a short loop whose end would be a surprise each time.
#if defined(__clang__)
#define CN_UNROLLED _Pragma("unroll")
#else
#define CN_UNROLLED _Pragma("GCC unroll 16")
#endif

// The coordinates of one point, and one number more.
typedef double CnRow __attribute__((vector_size(32)));
typedef int64_t CnRowBits __attribute__((vector_size(32)));
#define CN_ROW 4

// A double of this much plus a whole number below 2^32 ends in the bits of that number, which saves
// turning it into one.
#define CN_WHOLE 0x1p52

static inline uint32_t cn_whole(double x) {
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return (uint32_t)bits;
}

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
