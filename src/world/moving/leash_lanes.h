// leash_lanes.h - whether bodies are within what their leashes allow: CnLeash in places.h.
#include "math/simd.h"
#include "world/moving/moving.h"

_Static_assert(sizeof(CnLeash) == 8 * sizeof(double) && offsetof(CnLeash, arm) == 56 &&
                   sizeof(CnBodyState) == 13 * sizeof(double),
               "a pose and two floats; a state has no gaps");

// The sum of the magnitudes of how far each number of the state is from that of the leash, or of
// the number itself for velocities, each times what it moves the farthest point by: numbers of the
// state four at a time, added up in the same order for registers of any width.
CN_LANE_STAGE void hold_all(const CnLeash* leashes, const CnBodyState* states, double dt, int count,
                            const int* bodies, bool* holds) {
    const CnInt4 pose_bits = {-1, -1, -1, 0}; // of the fourth number are the floats
    const CnDouble4 plain_a = {1.0, 1.0, 1.0, 0.0}, turn_a = {0.0, 0.0, 0.0, 2.0},
                    plain_b = {0.0, 0.0, 0.0, dt}, turn_b = {2.0, 2.0, 2.0, 0.0},
                    plain_c = {dt, dt, 0.0, 0.0}, turn_c = {0.0, 0.0, dt, dt};
    for (int k = 0; k < count; ++k) {
        const CnLeash* leash = &leashes[bodies[k]];
        const double *at = (const double*)(const void*)&states[bodies[k]],
                     *from = (const double*)(const void*)leash;
        CnDouble4 pose = (CnDouble4)((CnInt4)cn_double4_load(from + 4) & pose_bits);
        CnDouble4 a = cn_double4_abs(cn_double4_load(at) - cn_double4_load(from));
        CnDouble4 b = cn_double4_abs(cn_double4_load(at + 4) - pose);
        CnDouble4 c = cn_double4_abs(cn_double4_load(at + 8));
        double arm = (double)leash->arm;
        CnDouble4 arms = cn_double4(arm);
        CnDouble4 sum = a * (plain_a + arms * turn_a) + b * (plain_b + arms * turn_b) +
                        c * (plain_c + arms * turn_c);
        double way = ((sum[0] + sum[2]) + (sum[1] + sum[3])) + fabs(at[12]) * (dt * arm);
        holds[k] = way < (double)leash->room;
    }
}
