// net_least.h - impulses of least norm for nets whose rows depend on each other, or nearly so.
//
//     cn_net_least_plan(&rows, limit, scratch, arena, &least);   order and pattern
//     cn_net_least_factor(&rows, weight, &least);                numbers
//     cn_net_least_solve(&rows, &least, x);                      as often as wanted
//
// docs/theory/mechanisms.md (63), (64).
#pragma once

#include "linalg/blocks/block_cholesky.h"
#include "solvers/net/net_rows.h"

typedef struct CnNetLeast {
    int group_count;          // of joints that share a block of the factor
    int* group;               // of each joint   [joint_count]
    int* offset;              // of its rows in the block   [joint_count]
    int* row;                 // its first row   [joint_count]
    int* first;               // of each node: in `joint`   [node_count + 1]
    int* joint;               // those at each node; their side is that of the node
    CnBlockCholesky cholesky; // of G G^T + weight
    double* x;                // in the order of the factor   [6 group_count]
} CnNetLeast;

// The order of elimination and memory for the factor, from the arena. CN_UNSUPPORTED: factoring and
// solving once take more multiplications than the limit.
CnStatus cn_net_least_plan(const CnNetRows* rows, double limit, CnArena* scratch, CnArena* arena,
                           CnNetLeast* least);

// False: the weight is too small for the round-off of the factor.
bool cn_net_least_factor(const CnNetRows* rows, double weight, CnNetLeast* least);

// x = (G G^T + weight)^-1 x
void cn_net_least_solve(const CnNetRows* rows, const CnNetLeast* least, double* x);
