// polyhedral_friction.h - contacts under box or pyramid friction or an impulse limit: how far off.
//
// All use the present normal impulse: friction may be any point of mu p_N times a polygon, of a box
// around the disc, or, where only the normal is limited, of the disc. docs/theory/pyramid.md (2),
// (3), docs/theory/solvers/pgs.md (6).
#pragma once

#include "cairn/problem.h"

// Whether that is what the problem holds its contacts to.
bool cn_friction_has_own_map(const CnProblem* problem);

// p - P(p - rho u) of a contact of such a problem: cn_block_natural_map().
void cn_polyhedral_friction_map(const CnProblem* problem, const CnBlock* block, double rho,
                                const double* u, const double* p, double* out);
