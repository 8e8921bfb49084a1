// time_of_impact.h - when two moving shapes first come closer than allowed.
//
// docs/theory/collision/continuous.md.
#pragma once

#include "geometry/shape.h"

// A motion at constant velocity and angular velocity: for t in [0, 1] the pose is
// start.position + t move, exp(t turn) start.rotation.
typedef struct CnLeg {
    CnTransform start;
    CnVec3 move; // [m]
    CnVec3 turn; // world axes; may be more than a full turn [rad]
} CnLeg;

// How a body moves, leg by leg: time u runs from 0 to CN_SWEEP_LEGS, one unit for each leg.
#define CN_SWEEP_LEGS 3
typedef struct CnSweep {
    CnLeg legs[CN_SWEEP_LEGS];
    double stop; // the body stands still from this u on
} CnSweep;

CnTransform cn_sweep_at(const CnSweep* sweep, double u);

typedef struct CnSweptShape {
    const CnShape* shape;
    const CnSweep* sweep; // of its body
} CnSweptShape;

// The distances that decide about an impact of two shapes.
typedef struct CnImpactLevels {
    double apart; // beyond this distance they are separate; at least touch [m]
    double touch; // the distance at which a step should end [m]
    double limit; // the least distance allowed; less than touch [m]
} CnImpactLevels;

typedef enum CnImpactEnd {
    CN_IMPACT_NONE,  // they stay above the limit
    CN_IMPACT_FOUND, // they come below it
    CN_IMPACT_ROUNDS // they stay above it until `limit`, where the search ran out of rounds
} CnImpactEnd;

// Times are in [0, CN_SWEEP_LEGS].
typedef struct CnImpactTime {
    CnImpactEnd end;
    double limit; // u at which the limit is reached, to a hundredth of touch - limit
    double
        touch;  // the last u before it at which they came from apart to touch, to 1e-9 m; -1: never
    int rounds; // distances computed
} CnImpactTime;

// For convex shapes and planes; at most one of the two is a plane. Never skips a time at which the
// distance is below the limit.
CnImpactTime cn_time_of_impact(const CnSweptShape* a, const CnSweptShape* b, CnImpactLevels levels);

typedef void CnImpactVisit(const CnImpactTime* impact, void* data);

// The impacts of any two shapes. For meshes and height fields: one impact for each triangle hit,
// unordered.
void cn_visit_impacts(const CnSweptShape* a, const CnSweptShape* b, CnImpactLevels levels,
                      CnImpactVisit* visit, void* data);
