// random_poses.h - random positions and rotations, the same with every compiler.
#pragma once

#include "cairn/math.h"
#include "cairn/random.h"

// Every coordinate between low and high.
static inline CnVec3 random_between(CnRandom* random, double low, double high) {
    double x = cn_random_between(random, low, high);
    double y = cn_random_between(random, low, high);
    double z = cn_random_between(random, low, high);
    return cn_vec3(x, y, z);
}

static inline CnVec3 random_within(CnRandom* random, double size) {
    return random_between(random, -size, size);
}

static inline CnQuat random_turn(CnRandom* random) {
    double q[4];
    for (int i = 0; i < 4; ++i) {
        q[i] = cn_random_between(random, -1.0, 1.0);
    }
    return cn_quat_normalize(cn_quat(q[0], q[1], q[2], q[3]));
}
