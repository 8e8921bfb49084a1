// friction_law.h - the friction that was asked for by name, and how well an answer meets it.
//
// The certificate always grades against the exact cone. Whoever asks for an approximation wants to
// know two things: what it costs, which the certificate tells, and whether that law was solved,
// which a certificate under it tells (cn_certify_law). docs/theory/pyramid.md (2), (3).
#pragma once

#include "constraints/friction_polygon.h"

typedef struct CnFrictionLaw {
    CnFrictionModel model;
    CnFrictionPolygon polygon; // of pyramids
} CnFrictionLaw;

// pyramid_sides counts for pyramids only.
void cn_friction_law_init(CnFrictionModel model, int pyramid_sides, CnFrictionLaw* law);

// cn_block_residual() and cn_block_map_squares() under that law [m/s].
double cn_friction_law_residual(const CnFrictionLaw* law, const CnProblem* problem,
                                const CnBlock* block, const double* w, double lambda_max,
                                const double* u, const double* p);
void cn_friction_law_map_squares(const CnFrictionLaw* law, const CnProblem* problem,
                                 const CnBlock* block, int count, const double* rho,
                                 const double* u, const double* p, double* square);
