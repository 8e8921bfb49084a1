// linkage_joint.c - what the rows of a joint leave free, by an elimination of six columns.
#include "solvers/tree/linkage_joint.h"

#include <math.h>
#include <string.h>

// A row with less than this share of its largest entry left beside the rows before it depends on
// them, as in `direct`.
#define LEAST_SHARE 0x1p-33

static double largest_entry(const double row[6]) {
    double largest = 0.0;
    for (int k = 0; k < 6; ++k) {
        double size = fabs(row[k]);
        largest = size > largest ? size : largest;
    }
    return largest;
}

// The coordinate with the largest entry of a row, whose entries in columns of pivots are zero.
static int find_pivot(const double row[6]) {
    int place = 0;
    for (int k = 1; k < 6; ++k) {
        place = fabs(row[k]) > fabs(row[place]) ? k : place;
    }
    return place;
}

// Takes a row out of those below it. Whole rows are worked on: what is left of them in columns of
// pivots is zero.
static void eliminate(CnLinkageJoint* joint, int row, int pivot) {
    const double* own = joint->u[row];
    double inverse = 1.0 / own[pivot];
    for (int i = row + 1; i < joint->row_count; ++i) {
        double* other = joint->u[i];
        double share = other[pivot] * inverse;
        joint->l[i][row] = share;
        for (int k = 0; k < 6; ++k) {
            other[k] -= share * own[k];
        }
        other[pivot] = 0.0;
    }
}

// x of the pivots, in their order: U x = x.
static void solve_upper(const CnLinkageJoint* joint, double x[6]) {
    for (int i = joint->row_count - 1; i >= 0; --i) {
        const double* row = joint->u[i];
        for (int k = i + 1; k < joint->row_count; ++k) {
            x[i] -= row[joint->pivot[k]] * x[k];
        }
        x[i] /= row[joint->pivot[i]];
    }
}

static void spread(const CnLinkageJoint* joint, const double* x, double out[6]) {
    memset(out, 0, 6 * sizeof(double));
    for (int k = 0; k < joint->row_count; ++k) {
        out[joint->pivot[k]] = x[k];
    }
}

// The twists that no row feels: one for each coordinate without a pivot.
static void find_axes(CnLinkageJoint* joint, unsigned pivots) {
    int count = 0;
    for (int k = 0; k < 6; ++k) {
        double x[6];
        if ((pivots >> k & 1u) != 0) {
            continue;
        }
        for (int i = 0; i < joint->row_count; ++i) {
            x[i] = -joint->u[i][k];
        }
        solve_upper(joint, x);
        spread(joint, x, joint->axis[count]);
        joint->axis[count++][k] = 1.0;
    }
}

bool cn_linkage_joint_factor(int row_count, const double (*jacobian)[6], CnLinkageJoint* joint) {
    unsigned pivots = 0;
    joint->row_count = row_count;
    memcpy(joint->u, jacobian, (size_t)row_count * sizeof *jacobian);
    for (int i = 0; i < row_count; ++i) {
        int pivot = find_pivot(joint->u[i]);
        double size = fabs(joint->u[i][pivot]);
        if (!(size > LEAST_SHARE * largest_entry(jacobian[i]) && size < HUGE_VAL)) {
            return false;
        }
        joint->pivot[i] = pivot;
        pivots |= 1u << pivot;
        eliminate(joint, i, pivot);
    }
    find_axes(joint, pivots);
    return true;
}

void cn_linkage_joint_twist(const CnLinkageJoint* joint, const double* wanted, double twist[6]) {
    double x[6];
    for (int i = 0; i < joint->row_count; ++i) { // L x = wanted
        x[i] = wanted[i];
        for (int k = 0; k < i; ++k) {
            x[i] -= joint->l[i][k] * x[k];
        }
    }
    solve_upper(joint, x);
    spread(joint, x, twist);
}

void cn_linkage_joint_impulses(const CnLinkageJoint* joint, const double wrench[6],
                               double* impulse) {
    for (int i = 0; i < joint->row_count; ++i) { // U^T x = wrench
        double own = wrench[joint->pivot[i]];
        for (int k = 0; k < i; ++k) {
            own -= joint->u[k][joint->pivot[i]] * impulse[k];
        }
        impulse[i] = own / joint->u[i][joint->pivot[i]];
    }
    for (int i = joint->row_count - 1; i >= 0; --i) { // L^T p = x
        for (int k = i + 1; k < joint->row_count; ++k) {
            impulse[i] -= joint->l[k][i] * impulse[k];
        }
    }
}
