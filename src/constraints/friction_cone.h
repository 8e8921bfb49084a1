// friction_cone.h - the Coulomb cone of one contact, in any number of dimensions.
#pragma once

// out = nearest point of the cone {|p_T| <= mu p_N} to p; dimension from 2; out may be p.
void cn_friction_cone_project(double mu, int dimension, const double* p, double* out);

// De Saxce: u~ = u + mu |u_T| e_N; out may be u.
void cn_friction_cone_shift(double mu, int dimension, const double* u, double* out);
