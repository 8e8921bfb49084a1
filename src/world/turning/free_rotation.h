// free_rotation.h - how a body turns when no moment acts on it: moreau.md (18), (21), (25), (26).
#pragma once

#include "math/mat3.h"

// The rotation from the axes of a body after the time h to those it has now; spin, in body axes
// [rad/s], becomes that after the time h. Energy and angular momentum are kept to round-off at any
// h, any spin and any inertia.
CnQuat cn_free_rotation(const CnMat3* inertia, const CnMat3* inverse, double h, CnVec3* spin);

// Whether a body turns about x as about y, as a capsule or a cylinder does: its free turn has a
// closed form, (26). A spin that is not finite has no such way.
static inline bool cn_is_round(const CnMat3* inertia, CnVec3 spin) {
    const double(*m)[3] = inertia->m;
    return m[0][0] == m[1][1] && m[0][1] == 0.0 && m[0][2] == 0.0 && m[1][0] == 0.0 &&
           m[1][2] == 0.0 && m[2][0] == 0.0 && m[2][1] == 0.0 && cn_vec3_is_finite(spin);
}

// Whether it turns about any axis as about any other, as a ball or a cube does: its spin stays as
// it is.
static inline bool cn_turns_evenly(const CnMat3* inertia, CnVec3 spin) {
    return inertia->m[1][1] == inertia->m[2][2] && cn_is_round(inertia, spin);
}

// One body of several that turn for the same time.
typedef struct CnFreeTurn {
    const CnMat3 *inertia, *inverse;
    CnVec3 spin; // before, then after
    CnQuat turn; // as cn_free_rotation() returns it
} CnFreeTurn;

// To the same bits, some bodies at a time.
void cn_free_rotations(int count, double h, CnFreeTurn* turns);
void cn_free_rotations_128(int count, double h, CnFreeTurn* turns);
void cn_free_rotations_256(int count, double h, CnFreeTurn* turns);

// A turn so short [rad] is found by the first terms of (25). Those left out are below 2^-58 of the
// spin and 2^-60 rad, well below the round-off to which the series (21) is summed.
#define CN_SHORT_TURN 0x1p-9
#define CN_SHORT_TERMS 6 // of the spin; of the rotation vector one less

// Terms of the series, and the turn of a part of it [rad]: with the factor 1 / sqrt(3) of the rate
// and the half of the quaternion the terms fall like 0.5^k or faster, in fact like 0.2^k.
#define CN_TURN_TERMS 20
#define CN_TURN_OF_PART 0.5
