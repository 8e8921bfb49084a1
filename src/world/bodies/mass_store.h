// mass_store.h - mass and inertia as steps read them; bodies that have the same share one record.
#pragma once

#include "base/shared.h"
#include "cairn/body.h"
#include "math/mat3.h"

// Never changed while somebody uses it.
typedef struct CnMass {
    double mass;                 // [kg]
    double inverse_mass;         // [1/kg]
    CnMat3 inertia;              // about the centre of mass, body axes [kg m^2]
    CnMat3 inverse_inertia;      // [1/(kg m^2)]
    CnMassProperties properties; // what all this follows from, with the centre
} CnMass;

// That of bodies which are not dynamic: none, so that every formula treats all bodies alike.
extern const CnMass cn_no_mass;

// The record of these properties, with one more user, or one less. NULL: no memory.
const CnMass* cn_mass_take(CnSharedStore* store, const CnMassProperties* properties);
void cn_mass_drop(CnSharedStore* store, const CnMass* mass); // NULL is fine

// Whether a body can move with them: they and their inverses are finite. Others have no inverses.
bool cn_mass_is_finite(const CnMassProperties* properties);
bool cn_inertia_is_diagonal(const double inertia[6]);
