// polyhedron_functions.h - polyhedra seen by each other and by the world, for widths of registers.
#pragma once

#include "collision/collide.h"
#include "collision/face_points.h"
#include "collision/polyhedron.h"

// Points of a contact on their way from the frame of a face to the world.
typedef struct CnOutgoing {
    const CnPlacedPolyhedron* placed; // to which the face belongs
    const CnFacePair* faces;
    const CnFacePoints* points;
    CnVec3 normal; // of all points, unit, in the frame of the hull
    double sign;   // which the normal is wanted with: 1 or -1
} CnOutgoing;

// Where a polyhedron is.
typedef struct CnSight {
    const double* center; // three coordinates and a number that means nothing [m]
    const CnQuat* rotation;
} CnSight;

typedef struct CnPolyhedronFunctions {
    // B as A sees it, and A as B does.
    void (*see)(CnSight a, CnSight b, CnRelativePose seen[2]);

    // Writes the points that have a bit in kept, at most CN_MANIFOLD_POINTS; returns how many.
    int (*write)(const CnOutgoing* outgoing, uint64_t kept, CnManifoldPoint* points);
} CnPolyhedronFunctions;

// One text (polyhedron_lanes.h) for two widths of registers; the same bits.
extern const CnPolyhedronFunctions cn_polyhedron_functions_128;
extern const CnPolyhedronFunctions cn_polyhedron_functions_256; // takes AVX2

// The widest that there are.
const CnPolyhedronFunctions* cn_polyhedron_functions(void);
