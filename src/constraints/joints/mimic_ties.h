// mimic_ties.h - whether mimics agree: axes tied in a cycle must be tied in the same way.
#pragma once

#include "base/arena.h"
#include "cairn/joint.h"

// q_follower = ratio q_leader + offset, of two axes; joints by any number that tells them apart.
typedef struct CnMimicTie {
    uint32_t leader, follower;
    CnAxis leader_axis, follower_axis;
    double ratio, offset;
} CnMimicTie;

// Whether ties that are there already make the follower of a fresh one a function of its leader,
// and not that one: *known is what they say. CN_NO_MEMORY, or CN_OK. docs/theory/joints.md (21).
CnStatus cn_mimic_find_contradiction(const CnMimicTie* ties, int count, const CnMimicTie* fresh,
                                     CnArena* arena, CnMimicTie* known, bool* contradicts);

// The sentence about one: ratio, offset, follower's axis and name, leader's, known ratio, offset.
#define CN_MIMIC_CONTRADICTS                                                                       \
    "ratio %g and offset %g contradict the other mimics, through which axis %s of joint \"%s\" "   \
    "already follows axis %s of joint \"%s\" with ratio %g and offset %g"
