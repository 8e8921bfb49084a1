// contact_friction.h - the friction rows of a contact: which there are, and how they are scaled.
//
// Sliding, torsion and rolling share one cone once every row is scaled to one coefficient.
// docs/theory/friction.md (1)-(4).
#pragma once

#include "world/world.h"

#define CN_MAX_FRICTION_ROWS 5 // two to slide, one to spin, two to roll

typedef struct CnFrictionRow {
    CnVec3 direction; // unit, world
    double scale;     // of the row; its impulse times this is the physical one
    bool is_spin;     // about the direction, not along it
} CnFrictionRow;

typedef struct CnFrictionRows {
    int count;
    double friction; // of the cone they share
    CnFrictionRow row[CN_MAX_FRICTION_ROWS];
} CnFrictionRows;

// Does anything but the normal resist?
bool cn_contact_has_friction(const CnContact* contact);

CnFrictionRows cn_contact_friction_rows(const CnContact* contact);

// Does a surface of the contact move against its body, as a belt does?
bool cn_contact_is_belt(const CnContact* contact);

// What a moving surface asks of the friction rows of a block: docs/theory/friction.md (21).
void cn_contact_set_belt_targets(const CnContact* contact, const CnBlock* block, double* target);

// What drives the moving surface of a contact gives in a step, for impulses p of its rows [J].
double cn_contact_belt_work(const CnContact* contact, const CnBlock* block, const double* p);

// What a contact's rows do to B, as vectors of the world: [N s] and [N m s]. p are the impulses of
// its rows: the normal alone, or with all friction rows.
void cn_contact_impulse(const CnContact* contact, const CnBlock* block, const double* p,
                        CnVec3* impulse, CnVec3* moment);
