// face_points.h - contact points of two faces that lie over each other.
#pragma once

#include "collision/reduce.h"
#include "collision/sat.h"

// Points of a contact in the frame of a face, in columns: most of them are only looked at to choose
// four. Behind the last follow CN_FLAT_PAD that are none: in the origin, with a gap of HUGE_VAL.
typedef struct CnFacePoints {
    int count;                                                      // at most CN_CANDIDATES
    double least;                                                   // of the gaps [m]
    double x[CN_FLAT_POINTS], y[CN_FLAT_POINTS], z[CN_FLAT_POINTS]; // [m]
    double gap[CN_FLAT_POINTS];                                     // [m]
    uint32_t feature[CN_CANDIDATES];                                // cn_meeting_key()
} CnFacePoints;

// Two faces, the one that is cut with (reference) and the one that is cut (incident), in the frame
// of the reference's hull.
typedef struct CnFacePair {
    const CnHull *reference, *incident;
    int face, other;     // of the reference, of the incident
    bool flipped;        // the reference is B, not A
    CnRelativePose pose; // of the incident hull
    CnVec3 up;           // normal of the reference, out of it
    double offset;       // [m]
    CnVec3 origin;       // of the frame of points: in the plane of the reference [m]
    CnVec3 right, ahead; // its axes x and y, square to up
    double lean;         // cosine of the angle between it and the normal of the contact
    double margin;       // of gaps [m]
    double tolerance;    // corners as near to a side count as on it [m]
} CnFacePair;

// Corners of a face that are cut several at a time; faces with more are left to cn_clip_face().
#define CN_CUT_CORNERS CN_OUTLINE_CORNERS

typedef struct CnFaceFunctions {
    // The points of two faces, docs/theory/sat.md (5). False, with points undefined, where a corner
    // of one is within tolerance of a side of the other or where a face is steep or has many
    // corners: cn_clip_face() does it.
    bool (*cut)(const CnFacePair* pair, CnFacePoints* points);

    // cn_choose_four()
    uint64_t (*choose)(const CnFlatPoints* points);

    // The same of more than four points, seen in the plane of two unit axes.
    uint64_t (*choose_along)(const CnFacePoints* points, const CnVec3 axes[2], double size);
} CnFaceFunctions;

// One text (cut_lanes.h, choose_lanes.h) for two widths of registers; the same bits.
extern const CnFaceFunctions cn_face_functions_128;
extern const CnFaceFunctions cn_face_functions_256; // takes AVX2

// The widest that there are.
const CnFaceFunctions* cn_face_functions(void);
