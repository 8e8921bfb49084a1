// sat_functions.h - the separating axis search, for each width of registers.
#pragma once

#include "collision/sat/sat.h"

// Points of one hull that are deep in the other, and the ball inside it, in the other's frame.
#define CN_WITNESSES 4

typedef struct CnWitnesses {
    CnVec3 center; // of the ball [m]
    double radius;
    CnVec3 points[CN_WITNESSES]; // [m]
    int count;
} CnWitnesses;

// A search for the best face of `hull`. The deepest vertices of the other hull under faces tried so
// far are witnesses: the separation along a face normal is at most the height of any of them above
// the face.
typedef struct CnFaceSearch {
    const CnHull *hull, *other;
    const CnRelativePose* pose; // of the other, seen from hull
    const CnRelativePose* back; // of hull, seen from the other
    double margin;
    double tie;            // separations that differ by less are equal [m]
    double round_off;      // of a height above a face [m]
    int best;              // -1: none yet
    int likely;            // it, or the first that was tried: likely to face the other
    double separation;     // of the best face [m]
    double most;           // to be beaten: by less than tie more than that of the best face [m]
    CnWitnesses witnesses; // the latest, that of the best face first
} CnFaceSearch;

// cn_sat_hulls() for one width of registers. One text (sat_search_lanes.h) for both; the same bits.
bool cn_sat_search_128(const CnHull* a, const CnHull* b, const CnRelativePose seen[2],
                       double margin, double tie, CnSatAxes* axes);
bool cn_sat_search_256(const CnHull* a, const CnHull* b, const CnRelativePose seen[2],
                       double margin, double tie, CnSatAxes* axes); // takes AVX2
