// float_box.h - boxes in single precision, rounded outwards.
//
// Boxes only ever say "perhaps": half the bytes are half the cache misses, and rounding outwards
// keeps every answer on the safe side.
#pragma once

#include "collision/broad/bounds.h"
#include "math/simd.h"
#include <stdint.h>
#include <string.h>

typedef struct CnFloatBox {
    float low[3], high[3]; // [m]
} CnFloatBox;

// The largest float that is not above a number. As integers, floats of one sign are in their order.
// By a mask: which way a number was rounded no processor predicts.
static inline float cn_float_below(double x) {
    float nearest = (float)x;
    int32_t bits;
    memcpy(&bits, &nearest, sizeof bits);
    int32_t before = nearest == 0.0f ? INT32_MIN + 1 : bits + (bits < 0 ? 1 : -1);
    int32_t is_above = -(int32_t)((double)nearest > x);
    bits = (before & is_above) | (bits & ~is_above);
    memcpy(&nearest, &bits, sizeof nearest);
    return nearest;
}

static inline float cn_float_above(double x) {
    return -cn_float_below(-x);
}

// The smallest float box around finite bounds.
static inline CnFloatBox cn_float_box_around(const CnBounds* b) {
    return (CnFloatBox){
        {cn_float_below(b->low.x), cn_float_below(b->low.y), cn_float_below(b->low.z)},
        {cn_float_above(b->high.x), cn_float_above(b->high.y), cn_float_above(b->high.z)},
    };
}

// Tests join their comparisons with & rather than &&: six predictable instructions beat a branch
// that is wrong every other time.
static inline bool cn_float_box_contains(const CnFloatBox* box, const CnBounds* b) {
    return (
        bool)((int)((double)box->low[0] <= b->low.x) & (int)((double)box->low[1] <= b->low.y) &
              (int)((double)box->low[2] <= b->low.z) & (int)((double)box->high[0] >= b->high.x) &
              (int)((double)box->high[1] >= b->high.y) & (int)((double)box->high[2] >= b->high.z));
}

static inline bool cn_float_box_overlap(const CnFloatBox* a, const CnFloatBox* b) {
    return (bool)((int)(a->low[0] <= b->high[0]) & (int)(a->low[1] <= b->high[1]) &
                  (int)(a->low[2] <= b->high[2]) & (int)(b->low[0] <= a->high[0]) &
                  (int)(b->low[1] <= a->high[1]) & (int)(b->low[2] <= a->high[2]));
}

// A box that is compared with many others: low <= own high, and -high <= -own low, four numbers at
// a time; those in the middle are in both.
typedef struct CnBoxProbe {
    CnFloat4 first;  // high[0], high[1], high[2], -low[0]
    CnFloat4 second; // high[2], -low[0], -low[1], -low[2]
} CnBoxProbe;

static inline CnBoxProbe cn_box_probe(const CnFloatBox* box) {
    const float *low = box->low, *high = box->high;
    return (CnBoxProbe){{high[0], high[1], high[2], -low[0]}, {high[2], -low[0], -low[1], -low[2]}};
}

// cn_float_box_overlap() of the two.
static inline bool cn_box_probe_meets(const CnBoxProbe* probe, const CnFloatBox* box) {
    const CnInt32x4 negate_last = {0, 0, 0, INT32_MIN};
    const CnInt32x4 negate_all_but_first = {0, INT32_MIN, INT32_MIN, INT32_MIN};
    CnInt32x4 first, second;
    memcpy(&first, &box->low[0], sizeof first);
    memcpy(&second, &box->low[2], sizeof second);
    CnInt32x4 meets = (CnInt32x4)((CnFloat4)(first ^ negate_last) <= probe->first) &
                      (CnInt32x4)((CnFloat4)(second ^ negate_all_but_first) <= probe->second);
    return cn_all_true(meets);
}

static inline CnFloatBox cn_float_box_union(const CnFloatBox* a, const CnFloatBox* b) {
    CnFloatBox both;
    for (int i = 0; i < 3; ++i) {
        both.low[i] = a->low[i] < b->low[i] ? a->low[i] : b->low[i];
        both.high[i] = a->high[i] > b->high[i] ? a->high[i] : b->high[i];
    }
    return both;
}

// Half the surface: what the chance to be hit by a random line is proportional to [m^2].
static inline float cn_float_box_area(const CnFloatBox* box) {
    float x = box->high[0] - box->low[0];
    float y = box->high[1] - box->low[1];
    float z = box->high[2] - box->low[2];
    return x * y + y * z + z * x;
}
