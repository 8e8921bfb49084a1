// pyramids.h - friction pyramids as complementary pairs: polygons in place of discs.
//
// Every group of friction rows (sliding, torsion, rolling) has a pair for each corner of its
// polygon, whose z is the share of the impulse along that corner, and one for the slip speed. Box
// friction is the same with each row a group of its own. docs/theory/pyramid.md (4)-(8).
#pragma once

#include "solvers/pivot/box_lcp.h"
#include "solvers/pivot/lcp.h"

typedef struct CnPyramid {
    int normal;           // row of the box
    int first, row_count; // its friction rows in the box: 1 or 2
    int corners;          // 2 where there is one row
    double limit;         // the most that the corners add up to, for each unit of the normal's x
    double* weight;       // x of a row for each unit of a corner   [row_count * corners]
    int pair; // of the first corner; that of the slip is behind the last. -1: it carries
              // nothing, as its normal does not
} CnPyramid;

typedef struct CnPyramids {
    int count;
    CnPyramid* item;
    int* of_row; // of the box: the pyramid it belongs to, -1: none   [box.n]
} CnPyramids;

// How many pairs the contacts of a problem make, their normals included.
double cn_pyramids_pair_count(const CnProblem* problem);

// Without contacts of friction there are none.
CnStatus cn_pyramids_build(CnPyramids* pyramids, const CnProblem* problem, const CnBoxLcp* box,
                           CnArena* arena);

// The coupling of a pyramid's pairs with each other and with that of its normal: pyramid.md (7).
void cn_pyramid_couple(const CnPyramid* pyramid, int normal_pair, CnLcp* lcp);

// Adds these couplings to w, for the current z, fmax(0, cn_lcp_z()).
void cn_pyramid_add_ties(const CnPyramid* pyramid, int normal_pair, const double* z, double* w);
