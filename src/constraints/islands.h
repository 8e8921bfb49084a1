// islands.h - cutting a problem into parts that share no movable body.
#pragma once

#include "base/arena.h"
#include "cairn/problem.h"

// Islands in order of their first block; blocks inside keep their order, so results never depend
// on how the cut was found. Bodies with neither mass nor inertia to give do not join islands.
typedef struct CnIslands {
    int count;
    int* block_start; // blocks of island i: block[block_start[i] .. block_start[i+1])   [count + 1]
    int* block;       // indices into the problem   [block_count]
} CnIslands;

CnStatus cn_islands_find(const CnProblem* problem, CnArena* arena, CnIslands* islands);

// One island as a problem of its own. body[i] and row[i] say where its parts come from.
typedef struct CnIslandProblem {
    CnProblem problem;
    int* body; // [problem.body_count]
    int* row;  // [problem.row_count]
} CnIslandProblem;

CnStatus cn_island_extract(const CnProblem* problem, const CnIslands* islands, int island,
                           CnArena* arena, CnIslandProblem* out);
