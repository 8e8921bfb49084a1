// masses.h - coordinates tied together by a general mass matrix: docs/theory/problem.md (12)-(14).
#pragma once

#include "cairn/problem.h"
#include "linalg/lu/component_lu.h"

// Most entries of a W that is made from masses: 1.5 GB with their columns.
#define CN_CONDENSED_LIMIT ((size_t)1 << 27)

struct CnMasses {
    CnArena arena; // owns everything below
    int coordinate_count, row_count, block_count;
    CnSparseRows mass;     // M, no zeros   [coordinate_count x coordinate_count]
    CnSparseRows jacobian; // J, no zeros   [row_count x coordinate_count]
    CnComponentLu* lu;     // of M; solving uses its scratch
    int* first_row;        // of each block, and the number of rows   [block_count + 1]
    int* block_of;         // of each row   [row_count]
    size_t* position;      // of each block's W_aa in own   [block_count]
    double* own;           // W_aa = J_a M^-1 J_a^T, row-major
    int* part_start;       // rows that act on part k: part_row[part_start[k] .. part_start[k+1])
    int* part_row;         // ascending in a part
};

// velocity = v_free + M^-1 J^T p, six by six.
void cn_masses_velocity(const CnMasses* masses, const double (*free_velocity)[6],
                        const double* impulse, double (*velocity)[6]);

// y = J M^-1 J^T x; motion is scratch   [row_count], [coordinate_count]
void cn_masses_multiply(const CnMasses* masses, const double* x, double* motion, double* y);

// J v of one row, v six by six.
double cn_masses_row_velocity(const CnMasses* masses, int row, const double (*velocity)[6]);

// The place of a block's W_aa, row-major.
const double* cn_masses_own(const CnMasses* masses, const CnBlock* block);

// What is wrong between a problem and its masses: rows, blocks, body_count.
CnStatus cn_masses_check(const CnProblem* problem, CnError* error);

// Entries of W, at most: rows that act on a common part meet.
size_t cn_masses_response_entries(const CnMasses* masses);

// The problem with W = J M^-1 J^T as its response; what is new comes from the arena, the rest is
// shared. CN_NO_MEMORY: not enough of it, or W may be beyond the limit.
CnStatus cn_condense(const CnProblem* problem, CnArena* arena, CnProblem* condensed);
