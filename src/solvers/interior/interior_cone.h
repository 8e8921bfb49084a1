// interior_cone.h - a contact with friction in an interior point: one pair for each friction group.
//
// Group g has the elements x_g = (r_N, r_g) and y_g = (lift_g, u_g), and u_N = sum_g lift_g -
// |u_g|: docs/theory/solvers/cone_ip.md (20)-(23). In the arrays of the point y holds the lift of
// the first group and all u_g; z holds, at the first row of every other group, its lift.
#pragma once

#include "solvers/interior/interior.h"

// r = normal e, and lifts of 1.
void cn_interior_cone_start(CnInterior* point, const CnInteriorItem* item, double normal);

// As cn_interior_start_near(), of one contact.
void cn_interior_cone_start_near(CnInterior* point, const CnInteriorItem* item, const double* r,
                                 const double* u, double gap);

// residual -= u(y)
void cn_interior_cone_subtract(CnInterior* point, const CnInteriorItem* item);

// The sum of x_g . y_g after a step.
double cn_interior_cone_products(const CnInterior* point, const CnInteriorItem* item, double step);

// The least of the products of eigenvalues that belong together after a step.
double cn_interior_cone_least_product(const CnInterior* point, const CnInteriorItem* item,
                                      double step);

double cn_interior_cone_longest_step(const CnInterior* point, const CnInteriorItem* item);

void cn_interior_cone_linearise(const CnInterior* point, CnInteriorItem* item, double coupling);

// The products of the direction.
void cn_interior_cone_keep_products(CnInterior* point, const CnInteriorItem* item);

// right = sum_g B_g^-1 (target e - x_g o y_g - second)
void cn_interior_cone_right(const CnInterior* point, const CnInteriorItem* item, double target,
                            double* right);

// dy, and dz where it holds lifts.
void cn_interior_cone_complete(CnInterior* point, const CnInteriorItem* item, const double* moved,
                               double target);
