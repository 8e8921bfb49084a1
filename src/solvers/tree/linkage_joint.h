// linkage_joint.h - what the rows of a joint leave free, by a QR factorisation of six columns.
//
// J^T = Q_1 R with the rows J of a joint at its child; the columns of Q beyond those of R are the
// free axes. It serves every kind of joint: docs/theory/mechanisms.md (3)-(5).
#pragma once

#include <stdbool.h>

typedef struct CnLinkageJoint {
    int row_count;
    double q[6][6]; // twists of unit length: those of the rows, then the free axes
    double r[6][6]; // r[i][j], i <= j: part of row j along q[i]
} CnLinkageJoint;

// At most six rows. False: one of them depends on those before it, or is not finite.
bool cn_linkage_joint_factor(int row_count, const double (*jacobian)[6], CnLinkageJoint* joint);

// The shortest twist c with J c = wanted.
void cn_linkage_joint_twist(const CnLinkageJoint* joint, const double* wanted, double twist[6]);

// The impulses p with J^T p = wrench, whose part along the axes is left out.
void cn_linkage_joint_impulses(const CnLinkageJoint* joint, const double wrench[6],
                               double* impulse);
