// schemes.h - how time advances: a scheme is a table of stages, one file for each.
#pragma once

#include "world/step/stages.h"

extern const CnSchemeTable cn_scheme_moreau;
extern const CnSchemeTable cn_scheme_implicit;
extern const CnSchemeTable cn_scheme_quasi_static;
extern const CnSchemeTable cn_scheme_acceleration;

extern const CnSchemeTable* const cn_schemes[CN_SCHEME_COUNT]; // by CnScheme

// Begins an impact: a step that takes no time. Nothing moves, so that the poses of the problem are
// the present ones whatever theta, and no force but those of contacts and constraints has an
// impulse. For the tables of impacts, of schemes with velocities before them.
CnStageFunction cn_stage_begin_strike;
