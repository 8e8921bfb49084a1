// rest_rules.h - when a guess holds bodies at rest: docs/theory/warm_start.md (5), (12).
#pragma once

#include <math.h>
#include <stdbool.h>

// Shares of the tolerance, for problems that go on from one before. A guess is kept while it leaves
// at most the first and changes no velocity by more than the second [m/s or rad/s in a step];
// refining aims at the third, some digits above round-off.
#define CN_REST_FRESH 0.1
#define CN_REST_HELD 1e-3
#define CN_REST_GOAL 1e-5

// A refined guess that is not fresh counts if at most this share of its error is left; else what is
// wrong lies in rows that do not hold, and is for a solver to see.
#define CN_REST_WORTH 0.9

// Many tolerances: a guess that misses by so much is another state, where other rows hold, and a
// body that gains so much in a step is on its way.
#define CN_REST_MOVING 100.0

// Rest is not looser than this, however loose the tolerance: bodies that drift change their
// contacts. docs/theory/warm_start.md (12).
#define CN_REST_LOOSEST 1e-6 // [m/s]

// Bodies slower than so many tolerances, and than the speed, are at rest.
#define CN_REST_SLOW_TOLERANCES 10.0
#define CN_REST_SLOW 0.1 // [m/s]

static inline double cn_rest_tolerance(double tolerance) {
    return fmin(tolerance, CN_REST_LOOSEST);
}

// Whether the bodies are at rest, and the guess does not keep them there. gain: the most that the
// guess changes a velocity.
static inline bool cn_rest_is_restless(double error, double gain, double tolerance) {
    double rest = cn_rest_tolerance(tolerance);
    bool moves = error > CN_REST_MOVING * rest || !(gain <= CN_REST_MOVING * rest);
    return !moves && (error > CN_REST_FRESH * rest || gain > CN_REST_HELD * rest);
}

// The error at which a refined guess counts: warm_start.md (9).
static inline double cn_rest_wanted(double error, double tolerance) {
    double rest = cn_rest_tolerance(tolerance), fresh = CN_REST_FRESH * rest;
    return error <= fresh ? fresh : fmin(CN_REST_WORTH * error, rest);
}

// Whether gaps are to be closed as well as they can: (8).
static inline bool cn_rest_closes(double error, double tolerance) {
    return error > CN_REST_FRESH * cn_rest_tolerance(tolerance);
}

// Bodies whose velocities are at most this may be solved more exactly than asked.
static inline double cn_rest_slow(double tolerance) {
    return fmin(CN_REST_SLOW, CN_REST_SLOW_TOLERANCES * tolerance);
}

// Rows of joints at rest may miss so much: schemes that weigh both ends of a step alike turn it
// around in the next one, which changes velocities by twice as much.
static inline double cn_rest_missed(double tolerance) {
    return 0.5 * CN_REST_HELD * cn_rest_tolerance(tolerance);
}
