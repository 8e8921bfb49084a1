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
    CnChannel channel;
} CnFrictionRow;

typedef struct CnFrictionRows {
    int count;
    double friction; // of the cone they share
    CnFrictionRow row[CN_MAX_FRICTION_ROWS];
} CnFrictionRows;

// Does anything but the normal resist?
bool cn_contact_has_friction(const CnContact* contact);

CnFrictionRows cn_contact_friction_rows(const CnContact* contact);

// Of B's surface against A's where they move against their bodies, as belts do; only what is along
// the surface moves it. World axes [m/s].
CnVec3 cn_contact_surface_velocity(const CnContact* contact);
bool cn_contact_is_belt(const CnContact* contact); // is there any?

// What a contact's rows do to B, as vectors of the world: [N s] and [N m s]. p are the impulses of
// its rows: the normal alone, or with all friction rows.
void cn_contact_impulse(const CnContact* contact, const CnBlock* block, const double* p,
                        CnVec3* impulse, CnVec3* moment);
