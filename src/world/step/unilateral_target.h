// unilateral_target.h - the rate that a one-sided row asks for: contacts, limits and ropes alike.
#pragma once

#include "world/step/rows.h"

// A gap that may not become negative: of a contact, or up to a limit [m or rad].
typedef struct CnUnilateralRow {
    double gap;         // at the poses of the problem; where these are a guess of the end of the
                        // step, taken back to its start along the velocities that lead there
    double approach;    // rate of the gap before the step, negative when closing [m/s or rad/s]
    double restitution; // share of the speed that it returns, [0, 1]

    // Used where poses are a guess of the end of the step (CnPosing.start is not NULL):
    double start_gap; // as the step began
    double loaded;    // rate of the gap at the velocities that loads alone lead to
} CnUnilateralRow;

typedef struct CnUnilateralTarget {
    double rate;  // least rate of the gap after the step [m/s or rad/s]
    bool bounces; // it closes fast enough to return some of its speed
    bool waits;   // it is open and would bounce: it must not act before it is closed (ADR 0006)
} CnUnilateralTarget;

// docs/theory/moreau.md (7), (8), (11); implicit.md (9), (10); stabilisation.md for Baumgarte.
CnUnilateralTarget cn_unilateral_target(const CnStepDef* step, const CnPosing* posing,
                                        const CnUnilateralRow* row);
