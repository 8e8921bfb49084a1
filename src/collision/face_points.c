// face_points.c - contact points of two faces that lie over each other.
#include "collision/face_points.h"

const CnFaceFunctions* cn_face_functions(void) {
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2")) {
        return &cn_face_functions_256;
    }
#endif
    return &cn_face_functions_128;
}
