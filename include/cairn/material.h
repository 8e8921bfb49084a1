// material.h - what a surface is made of, and how two surfaces meet.
#pragma once

#include "cairn/base.h"

// Start from cn_material_def_default().
typedef struct CnMaterialDef {
    const char* name;   // shown in messages; copied
    double friction;    // Coulomb coefficient, >= 0, default 0.5
    double restitution; // 0 no bounce .. 1 elastic, default 0
    double density;     // [kg/m^3], > 0, default 1000
    uint32_t guard;     // set by cn_material_def_default()
} CnMaterialDef;

CN_API CnMaterialDef cn_material_def_default(void);

typedef struct CnMaterialId {
    uint32_t index, generation; // all zero: none, which means the default material
} CnMaterialId;

// Two materials meet with friction sqrt(a b) and restitution sqrt(a b), unless a pair says
// otherwise.
typedef struct CnMaterialPair {
    CnMaterialId a, b;
    double friction;    // [-]
    double restitution; // [-]
} CnMaterialPair;
