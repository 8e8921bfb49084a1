// face_points.h - contact points of two faces that lie over each other.
#pragma once

#include "collision/hull/reduce.h"
#include "collision/sat/sat.h"

// Points of a contact in the frame of a face, one array for each coordinate, for the chooser.
// Behind the last follow CN_FLAT_PAD as padding: in the origin, with a gap of HUGE_VAL.
typedef struct CnFacePoints {
    int count;                                                      // at most CN_CANDIDATES
    double least;                                                   // of the gaps [m]
    double x[CN_FLAT_POINTS], y[CN_FLAT_POINTS], z[CN_FLAT_POINTS]; // [m]
    double gap[CN_FLAT_POINTS];                                     // [m]
    uint32_t feature[CN_CANDIDATES];                                // cn_feature_key()
} CnFacePoints;

// Two faces, the one that is cut with (reference) and the one that is cut (incident), in the frame
// of the reference's hull.
typedef struct CnFacePair {
    const CnHull *reference, *incident;
    int face, other;            // of the reference, of the incident
    bool flipped;               // the reference is B, not A
    const CnRelativePose* pose; // of the incident hull
    const double* frame;        // of points: CnOutline.axes of the reference, row by row
    double lean;                // cosine of the angle between its normal and that of the contact
    double margin;              // of gaps [m]
    double tolerance;           // corners as near to a side count as on it [m]
} CnFacePair;

static inline const CnHullFace* cn_reference_face(const CnFacePair* pair) {
    return &pair->reference->faces[pair->face];
}

// Of the frame of points the axes x, y and z, unit, and the origin [m].
static inline CnVec3 cn_frame_vector(const CnFacePair* pair, int k) {
    return cn_vec3(pair->frame[k], pair->frame[4 + k], pair->frame[8 + k]);
}

// Corners of a face that are cut several at a time; faces with more are left to cn_clip_face().
#define CN_CUT_CORNERS CN_OUTLINE_CORNERS

typedef struct CnFaceFunctions {
    // The points of two faces, docs/theory/collision/sat.md (5). False, with points undefined,
    // where a corner of one is within tolerance of a side of the other or where a face is steep or
    // has many corners: cn_clip_face() does it.
    bool (*cut)(const CnFacePair* pair, CnFacePoints* points);

    // cn_choose_four()
    uint64_t (*choose)(const CnFlatPoints* points);
} CnFaceFunctions;

// One text (cut_lanes.h, choose_lanes.h) for two widths of registers; the same bits.
extern const CnFaceFunctions cn_face_functions_128;
extern const CnFaceFunctions cn_face_functions_256; // takes AVX2
