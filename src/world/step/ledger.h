// ledger.h - where energy and momentum went in a step: docs/theory/ledger.md.
//
// Every account is computed from what was done (impulses, poses), never as what is missing, so the
// sums close only if nothing acted unseen.
#pragma once

#include "world/world.h"

// Totals of the bodies as they are now, into start; call after cn_motion_begin().
void cn_ledger_open(const CnWorld* world, CnEnergyLedger* energy, CnMomentumLedger* momentum);

// The accounts of one problem solved at one configuration and of the motion that followed, for
// schemes with one solve: first those of the tiles of contacts, then all others. The second also
// fills world->step.block_work. CN_OK or CN_NO_MEMORY.
CnStatus cn_ledger_add_tiles(CnWorld* world, CnEnergyLedger* energy, CnMomentumLedger* momentum);
CnStatus cn_ledger_add_motion(CnWorld* world, CnEnergyLedger* energy, CnMomentumLedger* momentum);

// Totals of the bodies as they are now, into end, and the errors.
void cn_ledger_close(const CnWorld* world, CnEnergyLedger* energy, CnMomentumLedger* momentum);

// A body is about to be stopped, after the ledgers were closed: what it loses is integration.
void cn_ledger_stop_body(const CnBody* body, CnEnergyLedger* energy, CnMomentumLedger* momentum);

// Continues a ledger with that of the next substep.
void cn_ledger_append(CnEnergyLedger* energy, CnMomentumLedger* momentum,
                      const CnEnergyLedger* next_energy, const CnMomentumLedger* next_momentum);

// The dynamic body whose turning made too large a share of its kinetic energy in this (sub)step out
// of nothing, the worst one: docs/theory/ledger.md (14). -1: none.
int cn_ledger_worst_turning(const CnWorld* world);

// Parts, for schemes that look at the forces several times in a step.

// A wrench of one block on one body (impulse, and moment about the centre of mass, world axes)
// acting at a centre of mass, booked as internal or external momentum.
void cn_ledger_add_wrench(CnMomentumLedger* momentum, CnVec3 center, CnVec3 impulse, CnVec3 moment,
                          bool internal);

// Gravity and loads on one body, likewise.
void cn_ledger_add_load(CnMomentumLedger* momentum, CnVec3 center, CnVec3 gravity, CnVec3 load,
                        CnVec3 moment);

// Whether a block acts between dynamic bodies alone, so that what it gives them must cancel.
bool cn_ledger_is_internal(const CnWorld* world, const CnBlock* block, const CnBlockSource* source);

void cn_ledger_add_work(CnEnergyLedger* energy, CnWork account, double work);

// Work of loads, of the gyroscopic term and of gravity against the height lost, from the motions;
// and angular momentum that the stages of the integrator make, which no single impulse explains:
// here alone the account is what is missing.
void cn_ledger_add_stages(const CnWorld* world, CnEnergyLedger* energy, CnMomentumLedger* momentum);
