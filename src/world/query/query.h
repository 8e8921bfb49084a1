// query.h - walking over the shapes that a query may see.
//
// Shapes come from the trees of the broad phase, those in near branches first, and not in the order
// of bodies: cn_query_is_before() settles ties.
#pragma once

#include "cairn/query.h"
#include "collision/broad/tree_walk.h"
#include "world/world.h"

// One shape of the world, where it is now.
typedef struct CnCandidate {
    CnBodyId body;
    int order; // index of the body
    CnShapeId shape;
    int number; // index in the body
    int proxy;  // its number in the broad phase, which is its slot
    CnPlacedShape placed;
} CnCandidate;

typedef struct CnQueryWalk {
    const CnWorld* world;
    const CnQueryFilter* filter; // NULL: all
    bool looks_at_all;           // during a step, or after one that lacked memory: no trees
    int next;                    // of the boundless proxies, or of all
    CnTreeWalk near;             // near.limit may shrink on the way [m]
} CnQueryWalk;

// Over all shapes that may be met by what is in the box when it is pushed along the way, no farther
// than near.limit, at first the way's length.
void cn_query_begin_along(CnQueryWalk* walk, const CnWorld* world, const CnQueryFilter* filter,
                          const CnBounds* box, CnRay way);

// Over all shapes that may be no farther from what is in the box than near.limit, at first
// infinite.
void cn_query_begin_around(CnQueryWalk* walk, const CnWorld* world, const CnQueryFilter* filter,
                           const CnBounds* box);

// The next shape that the filter accepts; false at the end.
bool cn_query_next(CnQueryWalk* walk, CnCandidate* candidate);

// The shape of a proxy; false when there is none that the filter accepts.
bool cn_query_look_at(const CnQueryWalk* walk, int proxy, CnCandidate* candidate);

// In the order of bodies, and of shapes in a body?
bool cn_query_is_before(const CnQueryWalk* walk, const CnCandidate* candidate, CnShapeId shape);

// CN_OK, or a sentence: coordinates must be finite, and so must the length of a translation.
CnStatus cn_query_check_point(CnVec3 point, const char* name, CnError* error);
CnStatus cn_query_check_translation(CnVec3 translation, CnError* error);
