// solver_claims.h - tests shared by all solvers of contacts.
#pragma once

#include "support/problems/solving.h"

// W = 2 I, q = (-30, -20, 0), friction 0.3: p = (15, 4.5, 0); the convex cone would give 16.51 and
// 4.95. tolerance bounds |p - answer| [N s].
void claim_coulomb_and_not_the_convex_cone(const CnSolver* solver, double tolerance);

// A box on four points, four unknown normal forces for three equations, carries m v = 0.01 N s.
void claim_weight_on_four_points(const CnSolver* solver, double tolerance);

// A joint, a motor with limits, a spring and contacts of two and three rows, all coupled: the
// residual ends below the tolerance [m/s].
void claim_mixed_laws(const CnSolver* solver, double tolerance);

// A spinning ball on the ground with sliding, torsion and rolling, six rows: the residual ends
// below the tolerance [m/s].
void claim_wide_contact(const CnSolver* solver, double tolerance);

// Every request for memory refused in turn, on the mixed problem.
void claim_memory_failures_are_statuses(const CnSolver* solver);
