// query.h - walking over the shapes that a query may see.
#pragma once

#include "cairn/query.h"
#include "collision/ray.h"
#include "world/world.h"

// One shape of the world, where it is now.
typedef struct CnCandidate {
    CnBodyId body;
    int shape; // index in the body
    CnPlacedShape placed;
} CnCandidate;

// A walk in the order of bodies and of the shapes in them. Start with cn_query_begin().
typedef struct CnQueryWalk {
    const CnWorld* world;
    const CnQueryFilter* filter; // NULL: all
    CnRay way;
    double radius;   // may shrink on the way [m]
    int body, shape; // the next one to look at
} CnQueryWalk;

// Shapes that are nowhere within radius of the ray may be left out: no query that fits into a ball
// of that radius, pushed along the ray, can meet them.
CnQueryWalk cn_query_begin(const CnWorld* world, const CnQueryFilter* filter, CnRay way,
                           double radius);

// The next shape that the filter accepts; false at the end.
bool cn_query_next(CnQueryWalk* walk, CnCandidate* candidate);

// Goes on with the next body.
void cn_query_skip_body(CnQueryWalk* walk);

// CN_OK, or a sentence: coordinates must be finite, and so must the length of a translation.
CnStatus cn_query_check_point(CnVec3 point, const char* name, CnError* error);
CnStatus cn_query_check_translation(CnVec3 translation, CnError* error);
