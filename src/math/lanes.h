// lanes.h - several doubles side by side.
//
// Written with the vector extensions of gcc and clang, so that one text serves every width of
// registers. The file that includes it defines CN_LANES, 2 or 4, and CN_LANE_TARGET, an attribute.
// Each lane sees the same operations in the same order whatever the width, and none is fused or
// estimated: the bits are the same everywhere.
#pragma once

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
