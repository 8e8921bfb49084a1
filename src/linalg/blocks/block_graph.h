// block_graph.h - the pattern of a block matrix from a list of coupled pairs.
#pragma once

#include "linalg/blocks/block_matrix.h"

// Pairs (first[i], second[i]) of blocks below block_count, in any order, duplicates allowed; pairs
// of a block with itself are ignored.
CnStatus cn_block_graph_from_pairs(int block_count, int pair_count, const int* first,
                                   const int* second, CnArena* arena, CnBlockGraph* graph);
