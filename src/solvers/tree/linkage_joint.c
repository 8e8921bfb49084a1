// linkage_joint.c - what the rows of a joint leave free, by a QR factorisation of six columns.
#include "solvers/tree/linkage_joint.h"

#include <math.h>
#include <string.h>

// A row with less than this share of its length beside the rows before it depends on them, as in
// `direct`.
#define LEAST_SHARE 0x1p-33

static double dot6(const double a[6], const double b[6]) {
    return ((a[0] * b[0] + a[1] * b[1]) + (a[2] * b[2] + a[3] * b[3])) +
           (a[4] * b[4] + a[5] * b[5]);
}

// Takes the part along the first `count` columns out of v, twice, which leaves round-off alone.
static void make_square(const CnLinkageJoint* joint, int count, double v[6], double parts[6]) {
    for (int pass = 0; pass < 2; ++pass) {
        for (int i = 0; i < count; ++i) {
            double part = dot6(joint->q[i], v);
            parts[i] += part;
            for (int k = 0; k < 6; ++k) {
                v[k] -= part * joint->q[i][k];
            }
        }
    }
}

static void set_column(CnLinkageJoint* joint, int column, const double v[6], double length) {
    for (int k = 0; k < 6; ++k) {
        joint->q[column][k] = v[k] / length;
    }
}

// The column that is next to the coordinate of which the others cover least.
static void complete(CnLinkageJoint* joint, int count) {
    double v[6] = {0.0}, parts[6] = {0.0}, least = 2.0;
    int best = 0;
    for (int k = 0; k < 6; ++k) {
        double covered = 0.0;
        for (int i = 0; i < count; ++i) {
            covered += joint->q[i][k] * joint->q[i][k];
        }
        if (covered < least) {
            least = covered;
            best = k;
        }
    }
    v[best] = 1.0;
    make_square(joint, count, v, parts);
    set_column(joint, count, v, sqrt(dot6(v, v)));
}

bool cn_linkage_joint_factor(int row_count, const double (*jacobian)[6], CnLinkageJoint* joint) {
    joint->row_count = row_count;
    for (int row = 0; row < row_count; ++row) {
        double v[6], parts[6] = {0.0};
        memcpy(v, jacobian[row], sizeof v);
        double length = sqrt(dot6(v, v));
        make_square(joint, row, v, parts);
        double left = sqrt(dot6(v, v));
        if (!(left > LEAST_SHARE * length && left < HUGE_VAL)) {
            return false;
        }
        for (int i = 0; i < row; ++i) {
            joint->r[i][row] = parts[i];
        }
        joint->r[row][row] = left;
        set_column(joint, row, v, left);
    }
    for (int i = row_count; i < 6; ++i) {
        complete(joint, i);
    }
    return true;
}

void cn_linkage_joint_twist(const CnLinkageJoint* joint, const double* wanted, double twist[6]) {
    double part[6];
    memset(twist, 0, 6 * sizeof(double));
    for (int row = 0; row < joint->row_count; ++row) { // R^T part = wanted
        part[row] = wanted[row];
        for (int i = 0; i < row; ++i) {
            part[row] -= joint->r[i][row] * part[i];
        }
        part[row] /= joint->r[row][row];
        for (int k = 0; k < 6; ++k) {
            twist[k] += part[row] * joint->q[row][k];
        }
    }
}

void cn_linkage_joint_impulses(const CnLinkageJoint* joint, const double wrench[6],
                               double* impulse) {
    for (int row = joint->row_count - 1; row >= 0; --row) { // R p = Q_1^T wrench
        double own = dot6(joint->q[row], wrench);
        for (int j = row + 1; j < joint->row_count; ++j) {
            own -= joint->r[row][j] * impulse[j];
        }
        impulse[row] = own / joint->r[row][row];
    }
}
