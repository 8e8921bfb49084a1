// simd.h - the one vector layer of the library: double x 2 and x 4, float x 4 and x 8.
//
// Written with the vector extensions of gcc and clang, so that one text serves every width of
// registers: a kernel is a header that is included by name_128.c and name_256.c, which define
// CN_LANES (doubles side by side: 2 or 4) and CN_LANE_TARGET (an attribute) first. Callers choose
// with CN_WIDEST(name). Each lane sees the same operations in the same order whatever the width,
// and none is fused or estimated: the bits are the same everywhere.
//
// Max and min have one rule for ties: of equal numbers, and where the second is NaN, the first.
#pragma once

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#if defined(__x86_64__)
static inline bool cn_has_avx2(void) {
    return __builtin_cpu_supports("avx2") != 0;
}

// The function or table for the widest registers of this processor: name_128 runs on every
// processor, name_256 takes AVX2.
#define CN_WIDEST(name) (cn_has_avx2() ? &name##_256 : &name##_128)
#else
#define CN_WIDEST(name) (&name##_128)
#endif

typedef double CnDouble2 __attribute__((vector_size(16)));
typedef double CnDouble4 __attribute__((vector_size(32)));
typedef int64_t CnInt4 __attribute__((vector_size(32))); // also: the mask of a CnDouble4
typedef float CnFloat4 __attribute__((vector_size(16)));
typedef int32_t CnInt32x4 __attribute__((vector_size(16))); // also: the mask of a CnFloat4

// Whether all lanes of a mask are true, in code that is not a kernel.
static inline bool cn_all_true(CnInt32x4 mask) {
#if defined(__x86_64__)
    return __builtin_ia32_movmskps((CnFloat4)mask) == 15;
#else
    int64_t halves[2];
    memcpy(halves, &mask, sizeof halves);
    return (halves[0] & halves[1]) == -1;
#endif
}

#if defined(CN_LANES)

// Only kernels pay for these 40,000 lines; many headers of the library include this one.
#if defined(__x86_64__)
#include <immintrin.h>
#endif

#define CN_LANE_FUNCTION static inline __attribute__((always_inline)) CN_LANE_TARGET

// A stage of the work: not inlined, because compilers unroll loops only in functions of some size.
#define CN_LANE_STAGE static __attribute__((noinline)) CN_LANE_TARGET

// Before a short loop whose end a processor would predict wrongly.
#if defined(__clang__)
#define CN_UNROLLED _Pragma("unroll")
#elif defined(__OPTIMIZE__)
#define CN_UNROLLED _Pragma("GCC unroll 16")
#else // gcc -O0 takes it for an error
#define CN_UNROLLED
#endif

// Doubles side by side, one for each pair, point or face that is worked on together.
typedef double CnLanes __attribute__((vector_size(8 * CN_LANES)));
typedef int64_t CnLaneBits __attribute__((vector_size(8 * CN_LANES)));
typedef CnLaneBits CnMask; // of each lane all bits (true) or none; combined with & | ^

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

// Rounded to single precision.
CN_LANE_FUNCTION void cn_lanes_store_floats(CnLanes x, float* to) {
    for (int i = 0; i < CN_LANES; ++i) {
        to[i] = (float)x[i];
    }
}

CN_LANE_FUNCTION CnLaneBits cn_lane_bits(int64_t x) {
    return x | (CnLaneBits){0};
}

CN_LANE_FUNCTION CnLanes cn_lanes_abs(CnLanes x) {
    return (CnLanes)((CnLaneBits)x & cn_lane_bits(INT64_MAX));
}

// x, negated where s has a minus sign.
CN_LANE_FUNCTION CnLanes cn_lanes_times_sign(CnLanes x, CnLanes s) {
    return (CnLanes)((CnLaneBits)x ^ ((CnLaneBits)s & cn_lane_bits(INT64_MIN)));
}

CN_LANE_FUNCTION CnMask cn_less(CnLanes x, CnLanes y) {
    return x < y;
}

CN_LANE_FUNCTION CnMask cn_at_most(CnLanes x, CnLanes y) {
    return x <= y;
}

CN_LANE_FUNCTION CnMask cn_equal(CnLanes x, CnLanes y) {
    return x == y;
}

CN_LANE_FUNCTION CnMask cn_is_negative(CnLanes x) {
    return x < cn_lanes(0.0);
}

CN_LANE_FUNCTION CnMask cn_and_not(CnMask yes, CnMask no) {
    return yes & ~no;
}

CN_LANE_FUNCTION CnLanes cn_select(CnMask where, CnLanes yes, CnLanes no) {
#if defined(__x86_64__) && CN_LANES == 4
    return (CnLanes)_mm256_blendv_pd((__m256d)no, (__m256d)yes, (__m256d)where);
#else
    return (CnLanes)(((CnLaneBits)yes & where) | ((CnLaneBits)no & ~where));
#endif
}

// By a whole number 0, 1 or 2.
CN_LANE_FUNCTION CnLanes cn_select_of_three(CnLanes which, CnLanes zero, CnLanes one, CnLanes two) {
    CnLanes first = cn_select(cn_less(which, cn_lanes(1.0)), zero, one);
    return cn_select(cn_less(cn_lanes(1.0), which), two, first);
}

// x where the mask is true, else 0.
CN_LANE_FUNCTION CnLanes cn_keep(CnMask where, CnLanes x) {
    return (CnLanes)(where & (CnLaneBits)x);
}

CN_LANE_FUNCTION CnLanes cn_where(CnMask mask, double x) {
    return cn_keep(mask, cn_lanes(x));
}

CN_LANE_FUNCTION CnLaneBits cn_bits_where(CnMask mask, int64_t bits) {
    return mask & cn_lane_bits(bits);
}

// One bit for each lane, the first the lowest.
CN_LANE_FUNCTION unsigned cn_mask_bits(CnMask mask) {
#if defined(__x86_64__) && CN_LANES == 4
    return (unsigned)_mm256_movemask_pd((__m256d)mask);
#elif defined(__x86_64__)
    return (unsigned)_mm_movemask_pd((__m128d)mask);
#else
    return (unsigned)((mask[0] & 1) | (mask[1] & 2));
#endif
}

CN_LANE_FUNCTION bool cn_any(CnMask mask) {
    return cn_mask_bits(mask) != 0;
}

CN_LANE_FUNCTION CnLanes cn_lanes_max(CnLanes x, CnLanes y) {
#if defined(__x86_64__) && CN_LANES == 4
    return (CnLanes)_mm256_max_pd((__m256d)y, (__m256d)x);
#elif defined(__x86_64__)
    return (CnLanes)_mm_max_pd((__m128d)y, (__m128d)x);
#else
    return cn_select(x < y, y, x);
#endif
}

CN_LANE_FUNCTION CnLanes cn_lanes_min(CnLanes x, CnLanes y) {
#if defined(__x86_64__) && CN_LANES == 4
    return (CnLanes)_mm256_min_pd((__m256d)y, (__m256d)x);
#elif defined(__x86_64__)
    return (CnLanes)_mm_min_pd((__m128d)y, (__m128d)x);
#else
    return cn_select(y < x, y, x);
#endif
}

// The largest of all lanes, in each of them.
CN_LANE_FUNCTION CnLanes cn_lanes_max_across(CnLanes x) {
#if CN_LANES == 4
    x = cn_lanes_max(__builtin_shufflevector(x, x, 2, 3, 0, 1), x);
    return cn_lanes_max(__builtin_shufflevector(x, x, 1, 0, 3, 2), x);
#else
    return cn_lanes_max(__builtin_shufflevector(x, x, 1, 0), x);
#endif
}

CN_LANE_FUNCTION CnLanes cn_lanes_sqrt(CnLanes x) {
#if defined(__x86_64__) && CN_LANES == 4
    return (CnLanes)_mm256_sqrt_pd((__m256d)x);
#elif CN_LANES == 4
    return (CnLanes){sqrt(x[0]), sqrt(x[1]), sqrt(x[2]), sqrt(x[3])};
#else
    return (CnLanes){sqrt(x[0]), sqrt(x[1])};
#endif
}

// Two numbers of each lane's array become two vectors. Halves of registers are filled straight from
// memory, so that one shuffle per vector is left.
CN_LANE_FUNCTION void cn_lanes_gather(const double* const from[CN_LANES], CnLanes to[2]) {
    CnDouble2 rows[CN_LANES];
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

// The reverse: two vectors become two numbers of each lane's array.
CN_LANE_FUNCTION void cn_lanes_scatter(const CnLanes from[2], double* const to[CN_LANES]) {
#if CN_LANES == 4
    CnLanes even = __builtin_shufflevector(from[0], from[1], 0, 4, 2, 6);
    CnLanes odd = __builtin_shufflevector(from[0], from[1], 1, 5, 3, 7);
    const CnDouble2 rows[CN_LANES] = {
        __builtin_shufflevector(even, even, 0, 1), __builtin_shufflevector(odd, odd, 0, 1),
        __builtin_shufflevector(even, even, 2, 3), __builtin_shufflevector(odd, odd, 2, 3)};
#else
    const CnDouble2 rows[CN_LANES] = {__builtin_shufflevector(from[0], from[1], 0, 2),
                                      __builtin_shufflevector(from[0], from[1], 1, 3)};
#endif
    for (int i = 0; i < CN_LANES; ++i) {
        memcpy(to[i], &rows[i], sizeof rows[i]);
    }
}

// Four numbers of each lane, rounded to single precision, become four floats of its array; and the
// reverse.
CN_LANE_FUNCTION void cn_lanes_to_float_rows(const CnLanes from[4], float* const to[CN_LANES]) {
#if CN_LANES == 4
    CnFloat4 f[4];
    for (int k = 0; k < 4; ++k) {
        f[k] = __builtin_convertvector(from[k], CnFloat4);
    }
    CnFloat4 a = __builtin_shufflevector(f[0], f[1], 0, 4, 1, 5);
    CnFloat4 b = __builtin_shufflevector(f[0], f[1], 2, 6, 3, 7);
    CnFloat4 c = __builtin_shufflevector(f[2], f[3], 0, 4, 1, 5);
    CnFloat4 d = __builtin_shufflevector(f[2], f[3], 2, 6, 3, 7);
    const CnFloat4 rows[4] = {
        __builtin_shufflevector(a, c, 0, 1, 4, 5), __builtin_shufflevector(a, c, 2, 3, 6, 7),
        __builtin_shufflevector(b, d, 0, 1, 4, 5), __builtin_shufflevector(b, d, 2, 3, 6, 7)};
    for (int i = 0; i < CN_LANES; ++i) {
        memcpy(to[i], &rows[i], sizeof rows[i]);
    }
#else
    for (int i = 0; i < CN_LANES; ++i) {
        for (int k = 0; k < 4; ++k) {
            to[i][k] = (float)from[k][i];
        }
    }
#endif
}

CN_LANE_FUNCTION void cn_lanes_from_float_rows(const float* const from[CN_LANES], CnLanes to[4]) {
#if CN_LANES == 4
    CnFloat4 rows[4];
    for (int i = 0; i < 4; ++i) {
        memcpy(&rows[i], from[i], sizeof rows[i]);
    }
    CnFloat4 a = __builtin_shufflevector(rows[0], rows[1], 0, 4, 1, 5);
    CnFloat4 b = __builtin_shufflevector(rows[0], rows[1], 2, 6, 3, 7);
    CnFloat4 c = __builtin_shufflevector(rows[2], rows[3], 0, 4, 1, 5);
    CnFloat4 d = __builtin_shufflevector(rows[2], rows[3], 2, 6, 3, 7);
    to[0] = __builtin_convertvector(__builtin_shufflevector(a, c, 0, 1, 4, 5), CnLanes);
    to[1] = __builtin_convertvector(__builtin_shufflevector(a, c, 2, 3, 6, 7), CnLanes);
    to[2] = __builtin_convertvector(__builtin_shufflevector(b, d, 0, 1, 4, 5), CnLanes);
    to[3] = __builtin_convertvector(__builtin_shufflevector(b, d, 2, 3, 6, 7), CnLanes);
#else
    for (int k = 0; k < 4; ++k) {
        for (int i = 0; i < CN_LANES; ++i) {
            to[k][i] = (double)from[i][k];
        }
    }
#endif
}

// Four doubles whatever the width of the lanes: the coordinates of one point and a number more, or
// four numbers of an array.

CN_LANE_FUNCTION CnDouble4 cn_double4(double x) {
    return (CnDouble4){x, x, x, x};
}

CN_LANE_FUNCTION CnDouble4 cn_double4_load(const double from[4]) {
    CnDouble4 x;
    memcpy(&x, from, sizeof x);
    return x;
}

CN_LANE_FUNCTION void cn_double4_store(CnDouble4 x, double to[4]) {
    memcpy(to, &x, sizeof x);
}

// Element k, a constant, four times.
#define cn_double4_spread(x, k) __builtin_shufflevector(x, x, k, k, k, k)

CN_LANE_FUNCTION CnDouble4 cn_double4_abs(CnDouble4 x) {
    return (CnDouble4)((CnInt4)x & INT64_MAX);
}

CN_LANE_FUNCTION CnDouble4 cn_double4_min(CnDouble4 x, CnDouble4 y) {
#if defined(__x86_64__) && CN_LANES == 4
    return (CnDouble4)_mm256_min_pd((__m256d)y, (__m256d)x);
#else
    CnInt4 less = y < x;
    return (CnDouble4)((less & (CnInt4)y) | (~less & (CnInt4)x));
#endif
}

// One bit for each minus sign, the first the lowest.
CN_LANE_FUNCTION unsigned cn_double4_signs(CnDouble4 x) {
#if defined(__x86_64__) && CN_LANES == 4
    return (unsigned)_mm256_movemask_pd((__m256d)x);
#else
    CnInt4 bits = (CnInt4)x;
    return (unsigned)((bits[0] < 0) | (bits[1] < 0) << 1 | (bits[2] < 0) << 2 | (bits[3] < 0) << 3);
#endif
}

CN_LANE_FUNCTION bool cn_double4_any(CnInt4 mask) {
    return cn_double4_signs((CnDouble4)mask) != 0;
}

// Floats side by side: twice as many as doubles.

#define CN_FLOAT_LANES (2 * CN_LANES)
typedef float CnFloatLanes __attribute__((vector_size(4 * CN_FLOAT_LANES)));
typedef int32_t CnFloatMask __attribute__((vector_size(4 * CN_FLOAT_LANES))); // as CnMask

CN_LANE_FUNCTION CnFloatLanes cn_floats_abs(CnFloatLanes x) {
    return (CnFloatLanes)((CnFloatMask)x & (INT32_MAX | (CnFloatMask){0}));
}

CN_LANE_FUNCTION CnFloatLanes cn_floats_max(CnFloatLanes x, CnFloatLanes y) {
#if defined(__x86_64__) && CN_LANES == 4
    return (CnFloatLanes)_mm256_max_ps((__m256)y, (__m256)x);
#elif defined(__x86_64__)
    return (CnFloatLanes)_mm_max_ps((__m128)y, (__m128)x);
#else
    CnFloatMask less = x < y;
    return (CnFloatLanes)(((CnFloatMask)y & less) | ((CnFloatMask)x & ~less));
#endif
}

CN_LANE_FUNCTION CnFloatLanes cn_floats_min(CnFloatLanes x, CnFloatLanes y) {
#if defined(__x86_64__) && CN_LANES == 4
    return (CnFloatLanes)_mm256_min_ps((__m256)y, (__m256)x);
#elif defined(__x86_64__)
    return (CnFloatLanes)_mm_min_ps((__m128)y, (__m128)x);
#else
    CnFloatMask less = y < x;
    return (CnFloatLanes)(((CnFloatMask)y & less) | ((CnFloatMask)x & ~less));
#endif
}

CN_LANE_FUNCTION CnFloatLanes cn_floats_sqrt(CnFloatLanes x) {
#if defined(__x86_64__) && CN_LANES == 4
    return (CnFloatLanes)_mm256_sqrt_ps((__m256)x);
#elif defined(__x86_64__)
    return (CnFloatLanes)_mm_sqrt_ps((__m128)x);
#else
    return (CnFloatLanes){sqrtf(x[0]), sqrtf(x[1]), sqrtf(x[2]), sqrtf(x[3])};
#endif
}

CN_LANE_FUNCTION CnFloatLanes cn_floats_select(CnFloatMask where, CnFloatLanes yes,
                                               CnFloatLanes no) {
#if defined(__x86_64__) && CN_LANES == 4
    return (CnFloatLanes)_mm256_blendv_ps((__m256)no, (__m256)yes, (__m256)where);
#else
    return (CnFloatLanes)(((CnFloatMask)yes & where) | ((CnFloatMask)no & ~where));
#endif
}

// One bit for each lane, the first the lowest.
CN_LANE_FUNCTION unsigned cn_float_mask_bits(CnFloatMask mask) {
#if defined(__x86_64__) && CN_LANES == 4
    return (unsigned)_mm256_movemask_ps((__m256)mask);
#elif defined(__x86_64__)
    return (unsigned)_mm_movemask_ps((__m128)mask);
#else
    return (unsigned)((mask[0] & 1) | (mask[1] & 2) | (mask[2] & 4) | (mask[3] & 8));
#endif
}

// Four numbers of each lane become four vectors: a transposition, by 1 x 1 and then 2 x 2 squares.
CN_LANE_FUNCTION void cn_floats_transpose(const CnFloat4 rows[CN_FLOAT_LANES], CnFloatLanes to[4]) {
#if CN_LANES == 4
    CnFloatLanes row[4];
    for (int i = 0; i < 4; ++i) { // the intrinsic, because gcc fills it straight from memory
        __m256 low = _mm256_castps128_ps256((__m128)rows[i]);
        row[i] = (CnFloatLanes)_mm256_insertf128_ps(low, (__m128)rows[i + 4], 1);
    }
    CnFloatLanes a = __builtin_shufflevector(row[0], row[1], 0, 8, 1, 9, 4, 12, 5, 13);
    CnFloatLanes b = __builtin_shufflevector(row[0], row[1], 2, 10, 3, 11, 6, 14, 7, 15);
    CnFloatLanes c = __builtin_shufflevector(row[2], row[3], 0, 8, 1, 9, 4, 12, 5, 13);
    CnFloatLanes d = __builtin_shufflevector(row[2], row[3], 2, 10, 3, 11, 6, 14, 7, 15);
    to[0] = __builtin_shufflevector(a, c, 0, 1, 8, 9, 4, 5, 12, 13);
    to[1] = __builtin_shufflevector(a, c, 2, 3, 10, 11, 6, 7, 14, 15);
    to[2] = __builtin_shufflevector(b, d, 0, 1, 8, 9, 4, 5, 12, 13);
    to[3] = __builtin_shufflevector(b, d, 2, 3, 10, 11, 6, 7, 14, 15);
#else
    CnFloatLanes a = __builtin_shufflevector(rows[0], rows[1], 0, 4, 1, 5);
    CnFloatLanes b = __builtin_shufflevector(rows[0], rows[1], 2, 6, 3, 7);
    CnFloatLanes c = __builtin_shufflevector(rows[2], rows[3], 0, 4, 1, 5);
    CnFloatLanes d = __builtin_shufflevector(rows[2], rows[3], 2, 6, 3, 7);
    to[0] = __builtin_shufflevector(a, c, 0, 1, 4, 5);
    to[1] = __builtin_shufflevector(a, c, 2, 3, 6, 7);
    to[2] = __builtin_shufflevector(b, d, 0, 1, 4, 5);
    to[3] = __builtin_shufflevector(b, d, 2, 3, 6, 7);
#endif
}

// The reverse: four vectors become four numbers of each lane.
CN_LANE_FUNCTION void cn_floats_transpose_back(const CnFloatLanes from[4],
                                               CnFloat4 rows[CN_FLOAT_LANES]) {
#if CN_LANES == 4
    CnFloatLanes a = __builtin_shufflevector(from[0], from[1], 0, 8, 1, 9, 4, 12, 5, 13);
    CnFloatLanes b = __builtin_shufflevector(from[0], from[1], 2, 10, 3, 11, 6, 14, 7, 15);
    CnFloatLanes c = __builtin_shufflevector(from[2], from[3], 0, 8, 1, 9, 4, 12, 5, 13);
    CnFloatLanes d = __builtin_shufflevector(from[2], from[3], 2, 10, 3, 11, 6, 14, 7, 15);
    const CnFloatLanes row[4] = {__builtin_shufflevector(a, c, 0, 1, 8, 9, 4, 5, 12, 13),
                                 __builtin_shufflevector(a, c, 2, 3, 10, 11, 6, 7, 14, 15),
                                 __builtin_shufflevector(b, d, 0, 1, 8, 9, 4, 5, 12, 13),
                                 __builtin_shufflevector(b, d, 2, 3, 10, 11, 6, 7, 14, 15)};
    for (int i = 0; i < 4; ++i) {
        rows[i] = __builtin_shufflevector(row[i], row[i], 0, 1, 2, 3);
        rows[i + 4] = __builtin_shufflevector(row[i], row[i], 4, 5, 6, 7);
    }
#else
    cn_floats_transpose(from, rows);
#endif
}

#endif
