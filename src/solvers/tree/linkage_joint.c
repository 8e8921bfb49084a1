// linkage_joint.c - what the rows of a joint leave free, by an elimination of six columns.
#include "solvers/tree/linkage_joint.h"

#include <math.h>
#include <string.h>

// A row with less than this share of its largest entry left beside the rows before it depends on
// them, as in `direct`.
#define LEAST_SHARE 0x1p-33

static double largest_entry(const double row[6], int from, int* place) {
    double largest = -1.0;
    for (int k = from; k < 6; ++k) {
        double size = fabs(row[k]);
        if (size > largest) {
            largest = size;
            *place = k;
        }
    }
    return largest;
}

static void swap_columns(CnLinkageJoint* joint, int a, int b) {
    int order = joint->order[a];
    joint->order[a] = joint->order[b];
    joint->order[b] = order;
    for (int i = 0; i < joint->row_count; ++i) {
        double entry = joint->lu[i][a];
        joint->lu[i][a] = joint->lu[i][b];
        joint->lu[i][b] = entry;
    }
}

// The largest entry of a row becomes its pivot and is taken out of the rows below.
static bool eliminate(CnLinkageJoint* joint, int row, double least) {
    double* pivot = joint->lu[row];
    int place = row;
    double size = largest_entry(pivot, row, &place);
    if (!(size > least && size < HUGE_VAL)) {
        return false;
    }
    if (place != row) {
        swap_columns(joint, row, place);
    }
    double inverse = 1.0 / pivot[row];
    for (int i = row + 1; i < joint->row_count; ++i) {
        double share = joint->lu[i][row] * inverse;
        joint->lu[i][row] = share;
        for (int k = row + 1; k < 6; ++k) {
            joint->lu[i][k] -= share * pivot[k];
        }
    }
    return true;
}

// x in the columns of the pivots: U x = x.
static void solve_upper(const CnLinkageJoint* joint, double x[6]) {
    for (int i = joint->row_count - 1; i >= 0; --i) {
        for (int k = i + 1; k < joint->row_count; ++k) {
            x[i] -= joint->lu[i][k] * x[k];
        }
        x[i] /= joint->lu[i][i];
    }
}

static void spread(const CnLinkageJoint* joint, int count, const double* x, double out[6]) {
    memset(out, 0, 6 * sizeof(double));
    for (int k = 0; k < count; ++k) {
        out[joint->order[k]] = x[k];
    }
}

bool cn_linkage_joint_factor(int row_count, const double (*jacobian)[6], CnLinkageJoint* joint) {
    double least[6];
    int place;
    joint->row_count = row_count;
    for (int k = 0; k < 6; ++k) {
        joint->order[k] = k;
    }
    for (int i = 0; i < row_count; ++i) {
        memcpy(joint->lu[i], jacobian[i], sizeof joint->lu[i]);
        least[i] = LEAST_SHARE * largest_entry(jacobian[i], 0, &place);
    }
    for (int i = 0; i < row_count; ++i) {
        if (!eliminate(joint, i, least[i])) {
            return false;
        }
    }
    for (int k = row_count; k < 6; ++k) {
        double x[6];
        for (int i = 0; i < row_count; ++i) {
            x[i] = -joint->lu[i][k];
        }
        solve_upper(joint, x);
        spread(joint, row_count, x, joint->axis[k - row_count]);
        joint->axis[k - row_count][joint->order[k]] = 1.0;
    }
    return true;
}

void cn_linkage_joint_twist(const CnLinkageJoint* joint, const double* wanted, double twist[6]) {
    double x[6];
    for (int i = 0; i < joint->row_count; ++i) { // L x = wanted
        x[i] = wanted[i];
        for (int k = 0; k < i; ++k) {
            x[i] -= joint->lu[i][k] * x[k];
        }
    }
    solve_upper(joint, x);
    spread(joint, joint->row_count, x, twist);
}

void cn_linkage_joint_impulses(const CnLinkageJoint* joint, const double wrench[6],
                               double* impulse) {
    for (int i = 0; i < joint->row_count; ++i) { // U^T x = wrench
        double own = wrench[joint->order[i]];
        for (int k = 0; k < i; ++k) {
            own -= joint->lu[k][i] * impulse[k];
        }
        impulse[i] = own / joint->lu[i][i];
    }
    for (int i = joint->row_count - 1; i >= 0; --i) { // L^T p = x
        for (int k = i + 1; k < joint->row_count; ++k) {
            impulse[i] -= joint->lu[k][i] * impulse[k];
        }
    }
}
