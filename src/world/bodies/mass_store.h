// mass_store.h - mass and inertia as steps read them; bodies that have the same share one record.
#pragma once

#include "base/memory.h"
#include "cairn/body.h"
#include "math/mat3.h"

// Never changed while somebody uses it.
typedef struct CnMass {
    double mass;                 // [kg]
    double inverse_mass;         // [1/kg]
    CnMat3 inertia;              // about the centre of mass, body axes [kg m^2]
    CnMat3 inverse_inertia;      // [1/(kg m^2)]
    CnMassProperties properties; // what all this follows from, with the centre
    struct CnMass* next;         // in the store: another one in the same bucket
    int users;
} CnMass;

typedef struct CnMassStore {
    CnAllocator allocator;
    CnMass** buckets; // by a hash of the properties   [bucket_count]
    int bucket_count; // power of two, 0 before the first record
    int count;
} CnMassStore;

// That of bodies which are not dynamic: none, so that every formula treats all bodies alike.
extern const CnMass cn_no_mass;

void cn_mass_store_init(CnMassStore* store, const CnAllocator* allocator);
void cn_mass_store_destroy(CnMassStore* store);

// The record of these properties, with one more user, or one less. NULL: no memory.
const CnMass* cn_mass_take(CnMassStore* store, const CnMassProperties* properties);
void cn_mass_drop(CnMassStore* store, const CnMass* mass); // NULL is fine

// Whether a body can move with them: they and their inverses are finite. Others have no inverses.
bool cn_mass_is_finite(const CnMassProperties* properties);
bool cn_inertia_is_diagonal(const double inertia[6]);
