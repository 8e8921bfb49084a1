// all_queries.h - brute-force queries over every shape of a world: the reference.
#pragma once

#include "cairn/query.h"

void ask_all_ray(const CnWorld* world, CnVec3 origin, CnVec3 translation,
                 const CnQueryFilter* filter, CnCastHit* hit);

// Hits must hold one for each shape; returns how many there are, nearest first.
int ask_all_ray_hits(const CnWorld* world, CnVec3 origin, CnVec3 translation,
                     const CnQueryFilter* filter, CnCastHit* hits);

// Any shape but a convex one may be asked about; bodies must hold all.
int ask_all_overlap(const CnWorld* world, const CnShapeDef* shape, CnTransform pose,
                    const CnQueryFilter* filter, CnBodyId* bodies);
void ask_all_closest(const CnWorld* world, const CnShapeDef* shape, CnTransform pose,
                     const CnQueryFilter* filter, CnClosest* closest);
void ask_all_cast(const CnWorld* world, const CnShapeDef* shape, CnTransform pose,
                  CnVec3 translation, const CnQueryFilter* filter, CnCastHit* hit);
