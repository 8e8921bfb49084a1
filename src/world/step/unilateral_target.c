// unilateral_target.c - the rate that a one-sided row asks for: contacts, limits and ropes alike.
#include "world/step/unilateral_target.h"

static bool closes_fast(const CnStepDef* step, const CnUnilateralRow* row) {
    return row->restitution > 0.0 && row->approach < -step->restitution_threshold;
}

// Poses are a guess of the end of the step: implicit.md (9), and (10) for what bounces.
static CnUnilateralTarget end_target(const CnStepDef* step, const CnPosing* posing,
                                     const CnUnilateralRow* row) {
    double h = posing->dt;
    double least = row->start_gap < -h * step->restitution_threshold ? row->start_gap : 0.0;
    CnUnilateralTarget target = {
        .rate = (least - row->gap) / h,
        .bounces = closes_fast(step, row) && row->gap + h * row->loaded < 0.0,
    };
    if (target.bounces) {
        double returned = row->loaded - row->approach - row->restitution * row->approach;
        target.rate = fmax(target.rate, returned);
    }
    return target;
}

CnUnilateralTarget cn_unilateral_target(const CnStepDef* step, const CnPosing* posing,
                                        const CnUnilateralRow* row) {
    if (posing->start != NULL) {
        return end_target(step, posing, row);
    }
    if (posing->position_level) {
        return (CnUnilateralTarget){.rate = -row->gap / posing->dt};
    }
    CnUnilateralTarget target = {.bounces = closes_fast(step, row)};
    if (row->gap > 0.0 && !posing->instant) { // open: it may close, and no more
        target.rate = -row->gap / posing->dt;
        target.waits = target.bounces;
        return target;
    }
    target.rate = target.bounces ? -row->restitution * row->approach : 0.0;
    bool stabilised = step->stabilisation == CN_STABILISATION_BAUMGARTE && !posing->instant;
    if (stabilised && row->gap < -step->slop) {
        double share = step->error_reduction * (-row->gap - step->slop);
        target.rate = fmax(target.rate, fmin(share, step->max_correction) / posing->dt);
    }
    return target;
}
