// registers.h - which vector registers this processor has.
//
// What is done in several widths is a table of functions for each of them: name_128 on every
// processor, on x86 also name_256, which takes AVX2, and maybe name_masked, which takes AVX-512.
#pragma once

#include <stdbool.h>

#if defined(__x86_64__)

static inline bool cn_has_avx2(void) {
    return __builtin_cpu_supports("avx2") != 0;
}

// Those of AVX-512 for registers of 256 bits.
static inline bool cn_has_masks(void) {
    return cn_has_avx2() && __builtin_cpu_supports("avx512dq") != 0 &&
           __builtin_cpu_supports("avx512vl") != 0;
}

#define CN_WIDEST(name) (cn_has_avx2() ? &name##_256 : &name##_128)
#define CN_WIDEST_OR_MASKED(name) (cn_has_masks() ? &name##_masked : CN_WIDEST(name))

#else

#define CN_WIDEST(name) (&name##_128)
#define CN_WIDEST_OR_MASKED(name) CN_WIDEST(name)

#endif
