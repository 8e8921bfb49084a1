// known_pairs.h - pairs of shapes at a distance known by construction.
//
// If x_A is a point of A farthest along a unit vector n and x_B one of B farthest along -n, and B
// is placed so that x_B = x_A + g n with g >= 0, then the two are g apart: the planes through x_A
// and x_B square to n hold them apart by g, and the points are no farther.
#pragma once

#include "cairn/random.h"
#include "geometry/shape.h"

typedef struct KnownPair {
    CnShape shapes[2];
    CnPlacedShape a, b; // of these shapes: do not copy the struct
    double distance;    // of the cores, >= 0; the gap is less by the radii [m]
    double gap;         // [m]
    double size;        // sum of extents and distance: round-off is relative to it [m]
    CnVec3 normal;      // one of the directions that part them so far
} KnownPair;

typedef struct KnownPairDef {
    CnShapeType type_a, type_b;
    double smallest, largest; // sizes [m]
    double far;               // distance of A from the world's origin, at most [m]
    const CnHull* hulls;      // shapes of type convex are one of these, as they are   [hull_count]
    int hull_count;
} KnownPairDef;

// One in three pairs has a flat or a straight part of A square to the normal, and one in two of
// those one of B as well; one in four touches.
void known_pair(const KnownPairDef* def, CnRandom* random, KnownPair* pair);

CnShape known_shape(CnShapeType type, const KnownPairDef* def, CnRandom* random);
CnQuat known_rotation(CnRandom* random);
CnVec3 known_direction(CnRandom* random);

// How far the plane square to n holds the whole shapes apart, radii and all: a lower bound of their
// distance for every unit n.
double known_separation(CnPlacedShape a, CnPlacedShape b, CnVec3 n);
