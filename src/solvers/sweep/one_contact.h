// one_contact.h - the frictional contact problem of a single block, solved exactly.
//
//     find p in K with u = W p + q and u~ = u + mu |u_T| e_N in K*, u~ . p = 0
//
// Components are (normal, tangent[, tangent]). docs/theory/solvers/nsgs.md derives the routes.
#pragma once

#include <stdbool.h>

// Everything that does not depend on q: prepared once for each contact.
typedef struct CnOneContact {
    int dimension;     // 2 or 3
    double friction;   // mu >= 0
    double w[9];       // W, row-major dimension x dimension, W_NN > 0
    double factor[6];  // of W = L D V: L10, L20, L21, then 1/D0, 1/D1, 1/D2
    double upper[3];   // V01, V02, V12; those of L where W is symmetric
    bool is_singular;  // a pivot vanished: sticking must be verified
    double lambda_max; // largest eigenvalue of W
} CnOneContact;

// How the solution was found.
typedef enum CnContactRoute {
    CN_ROUTE_TAKE_OFF,  // no impulse: the bodies separate
    CN_ROUTE_STICK,     // u = 0
    CN_ROUTE_SLIDE,     // Newton on the sliding angle
    CN_ROUTE_ENUMERATE, // all roots of the sliding equation, the nearest to the guess
    CN_ROUTE_PROJECT,   // projections with adaptive step
    CN_ROUTE_FAILED,    // none met the tolerance; the best of them is returned
} CnContactRoute;

void cn_one_contact_init(CnOneContact* contact, int dimension, double friction, const double* w,
                         double lambda_max);

// p is a guess on input and the solution on output. If there are several solutions (possible only
// when mu |W_NT| > W_NN or nearly so) the one nearest to the guess is returned.
CnContactRoute cn_one_contact_solve(const CnOneContact* contact, const double* q, double* p);

// The same for sweeps that come again. slip: the direction of friction if the contact slid the last
// time, of length one, else zero. One that slides and turns little from there gets one Newton step
// of it, which is exact to the square of the turn.
CnContactRoute cn_one_contact_approach(const CnOneContact* contact, const double* q, double* p,
                                       double slip[2]);

// |p - P_K(p - rho u~)| / rho with rho = 1 / lambda_max, u = W p + q [m/s].
double cn_one_contact_residual(const CnOneContact* contact, const double* q, const double* p);
