// material.h - what a surface is made of, and how two surfaces meet.
#pragma once

#include "cairn/math.h"

// Start from cn_material_def_default().
typedef struct CnMaterialDef {
    const char* name;   // shown in messages; copied
    double friction;    // Coulomb coefficient, >= 0, default 0.5
    double restitution; // 0 no bounce .. 1 elastic, default 0
    double density;     // [kg/m^3], > 0, default 1000

    // Of contacts that stick, in place of friction and not below it; default 0: the same. Across a
    // grain, of torsion and of rolling the same share is added.
    double static_friction;

    // Beyond Coulomb's disc: docs/theory/friction.md.
    double torsion;         // resists spinning about the normal, as friction with this arm [m]
    double rolling;         // resists rolling, as friction with this arm [m]
    CnVec3 grain;           // along it friction holds, in the body's axes; default none: zero
    double friction_across; // at right angles to the grain, >= 0; used with a grain only

    // A conveyor belt: how the surface moves against its body, in the body's axes [m/s]; the part
    // along the surface counts. What touches it is dragged along as far as friction goes. Default
    // zero.
    CnVec3 surface_velocity;
    uint32_t guard; // set by cn_material_def_default()
} CnMaterialDef;

CN_API CnMaterialDef cn_material_def_default(void);

typedef struct CnMaterialId {
    uint32_t index, generation; // all zero: none, which means the default material
} CnMaterialId;

// Two materials meet with sqrt(a b) of both frictions and of the restitution, unless a pair says
// otherwise; torsion and rolling are the larger of the two, and both surfaces move, whatever a pair
// says. Where both have a grain, the one with the greater contrast counts, and the other as its
// mean sqrt(along across). A pair has no grain.
typedef struct CnMaterialPair {
    CnMaterialId a, b;
    double friction;        // [-]
    double restitution;     // [-]
    double static_friction; // [-], >= friction; 0: the same as friction
} CnMaterialPair;
