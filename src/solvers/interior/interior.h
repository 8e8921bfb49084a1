// interior.h - a point strictly inside all laws of a problem, and Newton's equations there.
//
// Scaled impulses r and their dual variables: y = u~ inside the dual cone of a contact
// (interior_cone.h), multipliers y of lower and z of upper limits. The laws are
// relaxed to r o y = gap; Newton's direction for u(y) = A r + q and r o y = target is found from
// one matrix A + C with small blocks C. docs/theory/solvers/cone_ip.md.
#pragma once

#include "constraints/problem/friction_cone.h"
#include "solvers/matrix/assembled.h"

#define CN_INTERIOR_CONE_ROWS 3 // of a normal and one group of friction rows, at most

typedef enum CnInteriorKind {
    CN_INTERIOR_CONE,  // a contact with friction
    CN_INTERIOR_LIMIT, // one row between limits, at least one of them finite
    CN_INTERIOR_FREE,  // one row with u = 0
    CN_INTERIOR_GIVEN, // one row whose impulse is known
} CnInteriorKind;

typedef struct CnInteriorItem {
    CnInteriorKind kind;
    int block, row, n;                   // rows row .. row + n
    double lower, upper;                 // limits of r; given rows: lower is the impulse
    double c[CN_MAX_ROWS * CN_MAX_ROWS]; // how y follows r: n x n

    // Of a contact.
    int group_count;
    CnFrictionGroup groups[CN_MAX_FRICTION_GROUPS];
    double turn[CN_MAX_ROWS - 1]; // k t, t = y_g / |y_g|: how |y_g| changes with y_g
    double
        inverse[CN_MAX_FRICTION_GROUPS]
               [CN_INTERIOR_CONE_ROWS * CN_INTERIOR_CONE_ROWS]; // B^-1 of each group,
                                                                // B = Arw(x) (I + k e_N (0, t)^T)
} CnInteriorItem;

typedef struct CnInterior {
    CnScaled scaled; // force laws are folded in: they are free rows with compliance
    CnInteriorItem* items;
    int item_count, pair_count; // complementary pairs
    bool is_associated;         // contacts: u(y) = y, no coupling of slip and normal velocity: (24)
    double *r, *y, *z;          // the point   [row_count]
    double *dr, *dy, *dz;       // Newton's direction   [row_count]
    double *second_y, *second_z; // second-order terms of a direction   [row_count]
    double* u;                   // A r + q   [row_count]
    double* residual;            // u + alpha (r - center) - u(y)   [row_count]
    double alpha;                // proximal weight, 0: none
    double* center;              // [row_count]
} CnInterior;

CnStatus cn_interior_init(CnInterior* point, const CnAssembled* assembled, CnArena* arena);

// r = 1000 e, y = e for cones; 1000 from limits, or a tenth of the way between two.
void cn_interior_start(CnInterior* point);

// The centred point that belongs to scaled impulses r: r o y = gap exactly. u must be A r + q, the
// proximal term included.
void cn_interior_start_near(CnInterior* point, const double* r, const double* u, double gap);

// u = A r + q and the residual.
void cn_interior_evaluate(CnInterior* point);

// The mean product of pairs.
double cn_interior_gap(const CnInterior* point);

// The mean of |residual| r_N over cones, and over limits in the same way: the distance from the
// central path, in the unit of the gap.
double cn_interior_defect(const CnInterior* point);

// C and B^-1 of all items for coupling 0 <= k <= 1: 1 is Newton's method on |u_T|, 0 keeps it. The
// associated law has none.
void cn_interior_linearise(CnInterior* point, double coupling);

// matrix = A + alpha + C, with the pattern of A.
void cn_interior_matrix(const CnInterior* point, CnBlockRows* matrix);

// Mehrotra's corrector: stores the second-order terms of the current direction for the next
// right-hand sides, or clears them.
void cn_interior_keep_products(CnInterior* point);
void cn_interior_forget_products(CnInterior* point);

// The right-hand side for all products to become `target`.
void cn_interior_right(const CnInterior* point, double target, double* right);

// dy and dz that belong to dr; moved is A dr + alpha dr.
void cn_interior_complete(CnInterior* point, const double* moved, double target);

// The longest step of the direction that stays inside.
double cn_interior_longest_step(const CnInterior* point);

// The mean product of pairs after a step.
double cn_interior_gap_after(const CnInterior* point, double step);

// Whether after a step every pair's product is at least `share` of the mean.
bool cn_interior_is_central(const CnInterior* point, double step, double share);

void cn_interior_move(CnInterior* point, double step);
