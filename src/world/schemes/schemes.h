// schemes.h - how time advances: one file per scheme and one table.
#pragma once

#include "world/world.h"

typedef CnStatus CnAdvance(CnWorld* world, CnStepReport* report, CnError* error);

typedef struct CnSchemeTable {
    // One substep of length world->step.dt from world->step.time. On failure the bodies may be
    // anywhere: the caller undoes.
    CnAdvance* advance;

    // Instead, an impact at the present poses: world->step.dt is 0, only velocities change. NULL
    // for a scheme that has no velocities before impact, or no contacts.
    CnAdvance* strike;

    // Certificate, accounts of the ledgers, and what the next step wants to know of this one.
    CnStatus (*account)(CnWorld* world, CnStepReport* report);

    bool has_contacts;
} CnSchemeTable;

extern const CnSchemeTable cn_scheme_moreau;
extern const CnSchemeTable cn_scheme_implicit;
extern const CnSchemeTable cn_scheme_quasi_static;
extern const CnSchemeTable cn_scheme_acceleration;

// Velocity-level time stepping, shared by moreau and quasi_static.
CnStatus cn_scheme_velocity_step(CnWorld* world, double theta, bool from_rest, CnStepReport* report,
                                 CnError* error);

// The strike of schemes with velocities before impact.
CnStatus cn_scheme_velocity_strike(CnWorld* world, CnStepReport* report, CnError* error);

CnStatus cn_scheme_velocity_account(CnWorld* world, CnStepReport* report);

// Seconds since *mark into the stage's account; moves the mark.
void cn_stage_end(CnStepReport* report, CnStage stage, double* mark);
