// friction_cone.h - the friction cone of one contact: sliding alone, or with torsion and rolling.
//
// Rows of a contact are (normal; slide, slide; spin; roll, roll): 2 rows are a contact in the
// plane, 3 one in space, 4 have torsion too, 5 rolling, 6 both. Each of the three resists on its
// own, in a disc of radius mu p_N: |p_g| <= mu p_N for every group g. docs/theory/friction.md (2).
#pragma once

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

// De Saxce: u~ = u + mu sum_g |u_g| e_N; out may be u.
void cn_friction_cone_shift(double mu, int dimension, const double* u, double* out);
