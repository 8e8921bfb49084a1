// test_simd_128.c - math/simd.h with registers of 128 bits.
#define CN_LANES 2
#define CN_LANE_TARGET
#include "unit/math/simd_checks.h"

TEST_MAIN("unit/math/simd_128", SIMD_TESTS)
