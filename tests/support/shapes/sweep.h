// sweep.h - pairs of boxes that overlap, by sorting along one axis.
#pragma once

#include "base/arena.h"
#include "collision/broad/bounds.h"

// Called once per overlapping pair, first < second, in increasing order of (first, second).
// Returns false to stop.
typedef bool PairFunction(int first, int second, void* data);

// CN_NO_MEMORY when the arena fails or visit stops. Unbounded boxes meet everything.
CnStatus sweep_pairs(const CnBounds* bounds, int count, CnArena* arena, PairFunction* visit,
                     void* data);
