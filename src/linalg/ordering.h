// ordering.h - elimination order of a sparse matrix with little fill-in (AMD).
#pragma once

#include "base/arena.h"

// A symmetric pattern, both triangles: row i has the columns column[start[i] .. start[i+1]).
// Diagonal entries are ignored. order[k] is the row to eliminate k-th, inverse[i]
// the place of row i   [n]. CN_NO_MEMORY also when an int cannot count the entries.
CnStatus cn_minimum_degree(int n, const int* start, const int* column, CnArena* arena, int* order,
                           int* inverse);
