// quantities.h - the tables of quantities, and what reads one of them.
#pragma once

#include "base/array.h"
#include "base/hash.h"
#include "cairn/quantity.h"

// All points between two bodies, added up: what quantities of contacts read.
typedef struct CnPairSum {
    CnBodyId body_a, body_b; // as named
    CnVec3 force;            // on B, world axes [N]
    double normal_force;     // pushes the bodies apart [N]
    double gap;              // the smallest [m]; NAN without points
    int points;
} CnPairSum;

// What one reading of all quantities shares.
typedef struct CnSample {
    const CnWorld* world;
    const CnStepReport* report;
    double kinetic, potential; // [J]
    const CnPairSum* pairs;
    CnJointId joint; // whose state this is
    CnJointState joint_state;
} CnSample;

struct CnQuantityPart;

typedef struct CnQuantity {
    const struct CnQuantityPart* part;
    CnBodyId body;
    CnJointId joint;
    int pair; // place in CnQuantities.pairs
    char* name;
} CnQuantity;

typedef struct CnQuantityPart {
    const char* name; // behind that of the body, joint or pair
    const char* unit;
    double (*read)(CnSample* sample, const CnQuantity* quantity);
    int component; // of a vector, or an axis
} CnQuantityPart;

typedef struct CnQuantityTable {
    const CnQuantityPart* parts;
    int count;
} CnQuantityTable;

extern const CnQuantityTable cn_world_quantities; // of the world: the scalars of recordings
extern const CnQuantityTable cn_body_quantities, cn_joint_quantities, cn_contact_quantities;

struct CnQuantities {
    CnAllocator allocator;
    CN_ARRAY(CnQuantity) items;
    CN_ARRAY(CnPairSum) pairs;       // that contact quantities are about
    CN_ARRAY(CnContactPoint) points; // scratch
    CnMap places;                    // hash of a name -> its place in items
    CnMap pair_places;               // two bodies -> place in pairs
};

// All those of the world, in the order of the table.
CnQuantities* cn_quantities_create_world(const CnWorld* world, CnError* error);

// The kinetic energy, and the potential one with its zero at the world's origin, of all bodies that
// forces move [J].
void cn_world_energies(const CnWorld* world, double* kinetic, double* potential);

// Whether a name is what the pattern says.
bool cn_name_matches(const char* pattern, const char* name);

// Visits every quantity of the world but contacts, in order; until a visit returns false.
typedef bool CnQuantityVisit(const CnQuantity* quantity, const char* name, void* data);
bool cn_quantities_visit(const CnWorld* world, CnQuantityVisit* visit, void* data);

// "block", or "body 3" for one without a name, or "world".
const char* cn_quantity_body_label(const CnWorld* world, int body, char* buffer, size_t size);
