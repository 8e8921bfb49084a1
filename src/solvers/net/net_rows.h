// net_rows.h - the joints of a net as rows of unit masses and unit responses.
//
// docs/theory/mechanisms.md (32).
#pragma once

// Numbered as blocks name their bodies first.
typedef struct CnNetJoint {
    int node[2]; // -1: the world, or a body that does not move
    int row_count;
} CnNetJoint;

typedef struct CnNetRows {
    int joint_count, row_count, node_count;
    const CnNetJoint* joints;     // [joint_count]
    const double (*jacobian)[12]; // G: both sides of each row   [row_count]
} CnNetRows;
