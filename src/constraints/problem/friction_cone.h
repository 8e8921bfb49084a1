// friction_cone.h - the friction cone of one contact: sliding alone, or with torsion and rolling.
//
// Rows of a contact are (normal; slide, slide; spin; roll, roll): 2 rows are a contact in the
// plane, 3 one in space, 4 have torsion too, 5 rolling, 6 both. Each of the three resists on its
// own, in a disc of radius mu p_N: |p_g| <= mu p_N for every group g. docs/theory/friction.md (2).
#pragma once

#include <math.h>

#define CN_MAX_FRICTION_GROUPS 3

// Rows first .. first + count - 1 of a contact share one disc.
typedef struct CnFrictionGroup {
    int first, count;
} CnFrictionGroup;

// The groups of a contact with that many rows, normal included; returns how many there are.
int cn_friction_groups(int dimension, CnFrictionGroup groups[CN_MAX_FRICTION_GROUPS]);

// |x_g|
double cn_friction_group_length(CnFrictionGroup group, const double* x);

// out = nearest point of the cone to p; dimension from 2; out may be p.
void cn_friction_cone_project(double mu, int dimension, const double* p, double* out);

// The same with sliding alone, contacts in the plane and in space: they are the many. Squares tell
// what is inside the cone or in its polar; only those that slide need a root.
static inline void cn_friction_disc_project(double mu, int dimension, const double* p,
                                            double* out) {
    double normal = p[0];
    double square = dimension == 2 ? p[1] * p[1] : p[1] * p[1] + p[2] * p[2];
    double scale = 1.0;
    if (normal <= 0.0 && mu * mu * square <= normal * normal) {
        normal = 0.0;
        scale = 0.0;
    } else if (normal < 0.0 || square > mu * mu * normal * normal) {
        double length = sqrt(square);
        double nearest = (normal + mu * length) / (1.0 + mu * mu);
        normal = nearest > 0.0 ? nearest : 0.0;
        scale = mu * normal / length;
    }
    out[0] = normal;
    for (int i = 1; i < dimension; ++i) {
        out[i] = scale * p[i];
    }
}

// De Saxce: u~ = u + mu sum_g |u_g| e_N; out may be u.
void cn_friction_cone_shift(double mu, int dimension, const double* u, double* out);
