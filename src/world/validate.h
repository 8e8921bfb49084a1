// validate.h - whether a def makes sense by itself; the same checks for programs and for files.
//
// Each returns CN_OK, or CN_INVALID (CN_UNSUPPORTED: what a solver has not) with a sentence; *field
// (may be NULL) then names the member that is wrong as scene files spell it ("mass", "inertia",
// "normal"), so a loader can point at its line.
#pragma once

#include "cairn/world.h"

CnStatus cn_validate_material(const CnMaterialDef* def, const char** field, CnError* error);
CnStatus cn_validate_series(const CnSeriesDef* def, const char** field, CnError* error);

// *triangle (may be NULL) is set only where a single triangle of a mesh is wrong: to its index.
CnStatus cn_validate_shape(const CnShapeDef* def, const char** field, int* triangle,
                           CnError* error);
// Whether a body of this type may have such a shape; name: what the sentence calls it.
CnStatus cn_validate_carrier(const CnShapeDef* def, CnBodyType type, const char* name,
                             CnError* error);
CnStatus cn_validate_body(const CnBodyDef* def, const char** field, CnError* error);
CnStatus cn_validate_force(const CnForceDef* def, const char** field, CnError* error);
CnStatus cn_validate_contact(const CnContactDef* def, const char** field, CnError* error);
CnStatus cn_validate_constraint(const CnConstraintDef* def, const char** field, CnError* error);
CnStatus cn_validate_keeping(const CnConstraintKind* kind, const CnKeeping* keep,
                             const char** field, CnError* error);
CnStatus cn_validate_step(const CnStepDef* def, const char** field, CnError* error);
CnStatus cn_validate_solver(const CnSolverDef* def, const char** field, CnError* error);
CnStatus cn_validate_gravity(CnVec3 gravity, const char** field, CnError* error);
CnStatus cn_validate_dt(double dt, const char** field, CnError* error);
