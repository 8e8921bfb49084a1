// material.h - the properties of surfaces and of pairs of surfaces.
#pragma once

#include "cairn/math.h"

// Start from cn_material_def_default().
typedef struct CnMaterialDef {
    const char* name;   // shown in messages; copied
    double friction;    // Coulomb coefficient, >= 0, default 0.5
    double restitution; // 0 no bounce .. 1 elastic, default 0
    double density;     // [kg/m^3], > 0, default 1000

    // Friction of sticking contacts, at least `friction`; default 0: the same. Friction across a
    // grain, torsion and rolling of sticking contacts are larger by the same ratio.
    double static_friction;

    // Beyond Coulomb's disc: docs/theory/friction.md.
    double torsion;         // resists spinning about the normal, as friction with this arm [m]
    double rolling;         // resists rolling, as friction with this arm [m]
    CnVec3 grain;           // along it friction holds, in the body's axes; default none: zero
    double friction_across; // at right angles to the grain, >= 0; used with a grain only

    // A conveyor belt: the velocity of the surface relative to its body, in the body's axes [m/s];
    // only the component along the surface acts. Friction drags along what touches it. Default
    // zero.
    CnVec3 surface_velocity;
    uint32_t guard; // set by cn_material_def_default()
} CnMaterialDef;

CN_API CnMaterialDef cn_material_def_default(void);

typedef struct CnMaterialId {
    uint32_t index, generation; // all zero: none, which means the default material
} CnMaterialId;

// The friction (both kinds) and the restitution of a contact are sqrt(a b) of the two materials,
// unless a pair is defined. Torsion and rolling are the larger of the two, and both surfaces move,
// also with a pair. If both have a grain, the one with the greater contrast is used, and the other
// counts as its mean sqrt(along across). A pair has no grain.
typedef struct CnMaterialPair {
    CnMaterialId a, b;
    double friction;        // [-]
    double restitution;     // [-]
    double static_friction; // [-], >= friction; 0: the same as friction
} CnMaterialPair;
