// linkage_joint.h - what the rows of a joint leave free, by an elimination of six columns.
//
// J P = L U with the rows J of a joint at its child and the order P of the six coordinates. It
// serves every kind of joint: docs/theory/mechanisms.md (3)-(5).
#pragma once

#include <stdbool.h>

typedef struct CnLinkageJoint {
    int row_count;
    int pivot[6];      // coordinate that each row decides; P has them first   [row_count]
    double u[6][6];    // U, in the coordinates of twists   [row_count]
    double l[6][6];    // L below its diagonal of ones   [row_count]
    double axis[6][6]; // twists that no row feels   [6 - row_count]
} CnLinkageJoint;

// At most six rows. False: one of them depends on those before it, or is not finite.
bool cn_linkage_joint_factor(int row_count, const double (*jacobian)[6], CnLinkageJoint* joint);

// A twist c with J c = wanted.
void cn_linkage_joint_twist(const CnLinkageJoint* joint, const double* wanted, double twist[6]);

// The impulses p with J^T p = wrench, which must have no part along the axes.
void cn_linkage_joint_impulses(const CnLinkageJoint* joint, const double wrench[6],
                               double* impulse);
