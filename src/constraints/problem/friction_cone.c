// friction_cone.c - projections onto the friction cone.
#include "constraints/problem/friction_cone.h"

#include <math.h>

// As in friction_cone.h, by number of rows.
static const struct {
    int count;
    CnFrictionGroup groups[CN_MAX_FRICTION_GROUPS];
} layouts[] = {
    [2] = {1, {{1, 1}}},
    [3] = {1, {{1, 2}}},
    [4] = {2, {{1, 2}, {3, 1}}},
    [5] = {2, {{1, 2}, {3, 2}}},
    [6] = {3, {{1, 2}, {3, 1}, {4, 2}}},
};

int cn_friction_groups(int dimension, CnFrictionGroup groups[CN_MAX_FRICTION_GROUPS]) {
    for (int g = 0; g < layouts[dimension].count; ++g) {
        groups[g] = layouts[dimension].groups[g];
    }
    return layouts[dimension].count;
}

double cn_friction_group_length(CnFrictionGroup group, const double* x) {
    x += group.first;
    return group.count == 1 ? fabs(x[0]) : sqrt(x[0] * x[0] + x[1] * x[1]);
}

// Groups from the longest |p_g| to the shortest: an insertion sort of at most three.
static void sort_lengths(int count, double* length) {
    for (int i = 1; i < count; ++i) {
        for (int k = i; k > 0 && length[k] > length[k - 1]; --k) {
            double swapped = length[k];
            length[k] = length[k - 1];
            length[k - 1] = swapped;
        }
    }
}

// The normal of the nearest point: the x that minimises (x - p_N)^2 + sum_g max(0, |p_g| - mu x)^2.
// Its derivative vanishes at x = (p_N + mu sum |p_g|) / (1 + k mu^2) over the k groups that are cut
// there, the longest; a negative x means that the tip is nearest. docs/theory/friction.md (6).
static double nearest_normal(double mu, int count, double* length, double normal) {
    double x = normal, sum = normal, weight = 1.0;
    sort_lengths(count, length);
    for (int k = 0; k < count && length[k] > mu * x; ++k) {
        sum += mu * length[k];
        weight += mu * mu;
        x = sum / weight;
    }
    return x;
}

void cn_friction_cone_project(double mu, int dimension, const double* p, double* out) {
    if (dimension <= 3) {
        cn_friction_disc_project(mu, dimension, p, out);
        return;
    }
    CnFrictionGroup groups[CN_MAX_FRICTION_GROUPS];
    double length[CN_MAX_FRICTION_GROUPS], sorted[CN_MAX_FRICTION_GROUPS];
    int count = cn_friction_groups(dimension, groups);
    for (int g = 0; g < count; ++g) {
        length[g] = sorted[g] = cn_friction_group_length(groups[g], p);
    }
    double normal = nearest_normal(mu, count, sorted, p[0]);
    normal = normal > 0.0 ? normal : 0.0;
    for (int g = 0; g < count; ++g) {
        double scale = length[g] > mu * normal ? mu * normal / length[g] : 1.0;
        for (int i = groups[g].first; i < groups[g].first + groups[g].count; ++i) {
            out[i] = scale * p[i];
        }
    }
    out[0] = normal;
}

void cn_friction_cone_shift(double mu, int dimension, const double* u, double* out) {
    if (dimension == 3) { // the many
        out[0] = u[0] + mu * sqrt(u[1] * u[1] + u[2] * u[2]);
        out[1] = u[1];
        out[2] = u[2];
        return;
    }
    CnFrictionGroup groups[CN_MAX_FRICTION_GROUPS];
    int count = cn_friction_groups(dimension, groups);
    double shifted = u[0];
    for (int g = 0; g < count; ++g) {
        shifted += mu * cn_friction_group_length(groups[g], u);
    }
    out[0] = shifted;
    for (int i = 1; i < dimension; ++i) {
        out[i] = u[i];
    }
}
