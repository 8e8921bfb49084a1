// regimes.h - difficult pairs of shapes for a narrow phase, by regime.
#pragma once

#include "support/shapes/known_pairs.h"

typedef enum Regime {
    REGIME_RANDOM,     // up to twice their size apart, overlapping or not
    REGIME_TOUCHING,   // cores a part of 1e-9 to 1e-3 apart, or not at all
    REGIME_NESTED,     // centres close: one often inside the other
    REGIME_DEGENERATE, // right angles, equal sizes, equal coordinates: parallel, coaxial,
                       // concentric
    REGIME_TINY,       // sizes of 1 to 10 mm
    REGIME_HUGE,       // sizes of 100 m to 1 km
    REGIME_MIXED,      // every size anything from 1 mm to 1 km
    REGIME_FAR,        // 1000 km from the origin
    REGIME_COUNT
} Regime;

extern const char* const regime_names[REGIME_COUNT];

// Pairs of types that can meet, planes first in theirs.
#define REGIME_KINDS 20
extern const CnShapeType regime_kinds[REGIME_KINDS][2];
const char* regime_shape_name(CnShapeType type);

// Hulls of 4 to 16 points, and a prism, an octahedron and a wedge with parallel faces and edges; of
// a size about 1. They live as long as the process.
void regime_start(void);

// Fills a pair; a.shape and b.shape point into it. Convex shapes are scaled copies that
// regime_release() frees.
void regime_pair(Regime regime, int kind, CnRandom* random, KnownPair* pair);
void regime_release(KnownPair* pair);

// One of the 24 attitudes of a cube.
CnQuat regime_right_angles(CnRandom* random);

// Sum of extents and distance of centres: what errors are relative to [m].
double regime_size(const KnownPair* pair);
