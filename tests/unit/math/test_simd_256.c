// test_simd_256.c - math/simd.h with registers of 256 bits, where the processor has AVX2.
#if defined(__x86_64__)
#define CN_LANES 4
#define CN_LANE_TARGET __attribute__((target("avx2")))
#include "unit/math/simd_checks.h"

int main(void) {
    static const TestCase cases[] = {SIMD_TESTS};
    int count = cn_has_avx2() ? (int)(sizeof cases / sizeof cases[0]) : 0;
    return test_run("unit/math/simd_256", cases, count);
}
#else
int main(void) {
    return 0;
}
#endif
