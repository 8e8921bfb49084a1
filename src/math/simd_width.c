// simd_width.c - the width of the vector registers that CN_WIDEST() chooses.
#include "cairn/math.h"
#include "math/simd.h"

static const int width_128 = 128;
#if defined(__x86_64__)
static const int width_256 = 256;
#endif

int cn_simd_width(void) {
    return *CN_WIDEST(width);
}
