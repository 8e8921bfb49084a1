// tile_newton.h - a few contact points on their tiles: as sweeps visit them, and Newton's method.
#pragma once

#include "constraints/tiles/contact_tile.h"
#include "math/simd.h"
#include "solvers/sweep/one_contact.h"

#include <string.h>

// One side of a contact: rows side by side, so that a visit takes few instructions.
typedef struct CnSweptSide {
    double* velocity;     // of its body; NULL: no impulse moves it
    CnDouble4 column[6];  // J: of each of its columns the three rows, then a zero
    CnDouble2 push[3][3]; // M^-1 J^T: of each row pairs of components
} CnSweptSide;

typedef struct CnSweptPoint {
    CnContactTile* tile;
    int place; // in the tile
    CnSweptSide side[2];
    double fixed[3]; // u of bodies that stand still where impulses move them
    double kept[3];  // impulse of the guess
    CnOneContact contact;
} CnSweptPoint;

// u = J v - target of the three rows, then a zero.
static inline CnDouble4 cn_swept_velocity(const CnSweptPoint* point) {
    CnDouble4 u = {point->fixed[0], point->fixed[1], point->fixed[2], 0.0};
    for (int s = 0; s < 2; ++s) {
        const CnSweptSide* side = &point->side[s];
        if (side->velocity != NULL) {
            CnDouble4 own = side->column[0] * side->velocity[0];
            for (int i = 1; i < 6; ++i) {
                own += side->column[i] * side->velocity[i];
            }
            u += own;
        }
    }
    return u;
}

// v += M^-1 J^T dp of its bodies.
static inline void cn_swept_push(const CnSweptPoint* point, const double dp[3]) {
    for (int s = 0; s < 2; ++s) {
        const CnSweptSide* side = &point->side[s];
        if (side->velocity != NULL) {
            CnDouble2 v[3];
            memcpy(v, side->velocity, sizeof v);
            for (int k = 0; k < 3; ++k) {
                for (int i = 0; i < 3; ++i) {
                    v[i] += side->push[k][i] * dp[k];
                }
            }
            memcpy(side->velocity, v, sizeof v);
        }
    }
}

// Newton's method on Alart and Curnier's equations of all closed points at once, from the impulses
// of the tiles, after a sweep: docs/theory/solvers/nsgs.md (4a). True: the equations are
// met within the tolerance [m/s], and a sweep makes contacts that opened exactly open. Else
// impulses and velocities are as they were. Multiplications are added to *work.
bool cn_tile_newton(const CnSweptPoint* points, int count, double tolerance, double* work);
