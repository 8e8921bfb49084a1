// friction_cone.c - projections onto the Coulomb cone.
#include "constraints/friction_cone.h"

#include <math.h>

// Length of the friction part of a contact vector (normal, friction rows).
static double tangent_length(int dimension, const double* p) {
    double square = p[1] * p[1];
    for (int i = 2; i < dimension; ++i) {
        square += p[i] * p[i];
    }
    return dimension == 2 ? fabs(p[1]) : sqrt(square);
}

// Seen in the half plane that holds p and the cone's axis, the cone is the wedge below the line
// tangent = mu * normal, and its polar is the wedge mu * tangent <= -normal. A point in neither
// projects onto the line; there the tangent is positive, so dividing by it is safe.
void cn_friction_cone_project(double mu, int dimension, const double* p, double* out) {
    double tangent = tangent_length(dimension, p);
    double normal = p[0];
    double scale = 1.0;

    if (mu * tangent <= -normal) { // in the polar: the tip is nearest
        normal = 0.0;
        scale = 0.0;
    } else if (tangent > mu * normal) { // beside the cone: slide onto its surface
        normal = (normal + mu * tangent) / (1.0 + mu * mu);
        scale = mu * normal / tangent;
    }

    out[0] = normal;
    for (int i = 1; i < dimension; ++i) {
        out[i] = scale * p[i];
    }
}

void cn_friction_cone_shift(double mu, int dimension, const double* u, double* out) {
    out[0] = u[0] + mu * tangent_length(dimension, u);
    for (int i = 1; i < dimension; ++i) {
        out[i] = u[i];
    }
}
