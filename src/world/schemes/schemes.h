// schemes.h - how time advances: a scheme is a table of stages, one file for each.
#pragma once

#include "world/step/stages.h"

// The stages from finding pairs to moving bodies, for tables of schemes with contacts that solve
// once per step.
#define CN_STAGES_OF_ONE_SOLVE                                                                     \
    [CN_STAGE_PAIRS] = cn_stage_find_pairs, [CN_STAGE_CONTACTS] = cn_stage_find_contacts,          \
    [CN_STAGE_ROWS] = cn_stage_build_rows, [CN_STAGE_ISLANDS] = cn_stage_update_islands,           \
    [CN_STAGE_SOLVE] = cn_stage_solve, [CN_STAGE_MOVE] = cn_stage_move

extern const CnSchemeTable cn_scheme_moreau;
extern const CnSchemeTable cn_scheme_implicit;
extern const CnSchemeTable cn_scheme_quasi_static;
extern const CnSchemeTable cn_scheme_acceleration;
extern const CnSchemeTable cn_scheme_soft_step;

extern const CnSchemeTable* const cn_schemes[CN_SCHEME_COUNT]; // by CnScheme

// Begins an impact: a step that takes no time. Nothing moves, so that the poses of the problem are
// the present ones whatever theta, and no force but those of contacts and constraints has an
// impulse. For the tables of impacts, of schemes with velocities before them.
CnStageFunction cn_stage_begin_impact;
