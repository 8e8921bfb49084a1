// islands.h - cutting a problem into parts that share no movable body.
#pragma once

#include "base/arena.h"
#include "cairn/problem.h"

// Islands in order of their first block; blocks inside keep their order, so results never depend
// on how the cut was found. Bodies with neither mass nor inertia to give do not join islands: each
// island that touches one has it in its list. A block without movable bodies is an island alone.
typedef struct CnIslands {
    int count;
    int* block_start; // blocks of island i: block[block_start[i] .. block_start[i+1])   [count + 1]
    int* block;       // indices into the problem   [block_count]
    int* body_start;  // bodies of island i, likewise in body   [count + 1]
    int* body;        // in order of first appearance   [body_start[count]]
    int (*local)[4];  // place of a block's bodies in its island's list, -1: world; those of a
                      // second pair only where there is one   [block_count]
} CnIslands;

CnStatus cn_islands_find(const CnProblem* problem, CnArena* arena, CnIslands* islands);

// One island as a problem of its own. body[i] and row[i] say where its parts come from.
typedef struct CnIslandProblem {
    CnProblem problem;
    const int* body; // [problem.body_count]
    int* row;        // [problem.row_count]
} CnIslandProblem;

// Names are shared with the problem, everything else is gathered.
CnStatus cn_island_extract(const CnProblem* problem, const CnIslands* islands, int island,
                           CnArena* arena, CnIslandProblem* out);
