// polyhedral_friction.h - contacts under box and pyramid friction: how far from their law they are.
//
// Both use the present normal impulse: friction may be any point of mu p_N times a polygon, or
// of a box around the disc. docs/theory/pyramid.md (2), (3).
#pragma once

#include "cairn/problem.h"

// Whether that is what the problem holds its contacts to.
bool cn_friction_is_polyhedral(const CnProblem* problem);

// p - P(p - rho u) of a contact of such a problem: cn_block_natural_map().
void cn_polyhedral_friction_map(const CnProblem* problem, const CnBlock* block, double rho,
                                const double* u, const double* p, double* out);
