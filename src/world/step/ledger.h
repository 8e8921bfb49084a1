// ledger.h - where energy and momentum went in a step: docs/theory/ledger.md.
//
// Every account is computed from what was done (impulses, poses), never as what is missing, so the
// sums close only if nothing acted unseen.
#pragma once

#include "world/moving/moving.h"

// Bodies that move are booked in parts, by their number alone, and the sums of all parts are added
// in their order: so the number of threads changes no bit.
#define CN_LEDGER_PARTS 32
typedef struct CnLedgerParts {
    int size, count; // bodies of a part, parts
    CnBodyTotals totals[CN_LEDGER_PARTS];
} CnLedgerParts;
CnLedgerParts cn_ledger_divide(const CnWorld* world); // totals of nothing
void cn_ledger_add_totals(const CnWorld* world, const CnBody* body, CnBodyTotals* totals);

// Totals of the bodies as they are now, into start; call after cn_active_update(). parts: with
// these totals; NULL: to be found.
void cn_ledger_open(CnWorld* world, const CnLedgerParts* parts, CnEnergyLedger* energy,
                    CnMomentumLedger* momentum);

// Totals of the bodies as they are now, into end, and the accounts of their motion: work of loads,
// of the gyroscopic term, of gravity against the height lost. with_momentum, for schemes with one
// solve: what the motion did to momentum as well, and world->step.mean_velocity. Returns the
// dynamic body whose turning made too large a share of its kinetic energy out of nothing, the worst
// one: docs/theory/ledger.md (14). CN_NONE: there is none. are_sound, unless NULL: whether
// cn_step_check_states() has nothing to say, of the states that are at hand here.
int cn_ledger_add_bodies(CnWorld* world, bool with_momentum, CnEnergyLedger* energy,
                         CnMomentumLedger* momentum, bool* are_sound);

// (v- + v+) / 2 of a body into world->step.mean_velocity, once it has moved.
void cn_ledger_set_mean_velocity(CnWorld* world, int index);

// The accounts of one problem solved at one configuration, for schemes with one solve, after those
// of the bodies: first of the tiles of contacts, then of all other rows. The second also fills
// world->step.block_work. keeps: contacts keep what the solve leaves them for the next step, on the
// same walk over their manifolds (warm_start.h). energy NULL: nothing is booked, they keep what the
// solve leaves them. CN_OK or CN_NO_MEMORY.
CnStatus cn_ledger_add_tiles(CnWorld* world, bool keeps, CnEnergyLedger* energy,
                             CnMomentumLedger* momentum);
CnStatus cn_ledger_add_blocks(CnWorld* world, CnEnergyLedger* energy, CnMomentumLedger* momentum);

// The errors: what the accounts miss between start and end.
void cn_ledger_close(CnEnergyLedger* energy, CnMomentumLedger* momentum);

// A body is about to be stopped, after the ledgers were closed: what it loses is integration.
void cn_ledger_stop_body(const CnBody* body, CnEnergyLedger* energy, CnMomentumLedger* momentum);

// Continues a ledger with that of the next substep.
void cn_ledger_append(CnEnergyLedger* energy, CnMomentumLedger* momentum,
                      const CnEnergyLedger* next_energy, const CnMomentumLedger* next_momentum);

// Adds the accounts of another ledger, and not what it starts and ends with.
void cn_ledger_add_accounts(CnEnergyLedger* energy, CnMomentumLedger* momentum,
                            const CnEnergyLedger* next_energy,
                            const CnMomentumLedger* next_momentum);

// Parts, for schemes that look at the forces several times in a step.

// A wrench of one block on one body (impulse, and moment about the centre of mass, world axes)
// acting at a centre of mass, booked as internal or external momentum.
void cn_ledger_add_wrench(CnMomentumLedger* momentum, CnVec3 center, CnVec3 impulse, CnVec3 moment,
                          bool internal);
// The same of two bodies: the other one feels the reaction, carried to its own centre.
void cn_ledger_add_reaction(CnMomentumLedger* momentum, CnVec3 center, CnVec3 other, CnVec3 impulse,
                            CnVec3 moment);

// The second of all reactions of a list, to the same bits.
void cn_ledger_add_reactions(CnMomentumLedger* momentum, const CnReaction* reactions, int count);

// Gravity and loads on one body, likewise.
void cn_ledger_add_load(CnMomentumLedger* momentum, CnVec3 center, CnVec3 gravity, CnVec3 load,
                        CnVec3 moment);

// Whether a block acts between dynamic bodies alone, so that what it gives them must cancel.
bool cn_ledger_is_internal(const CnWorld* world, const CnBlock* block, const CnBlockSource* source);

void cn_ledger_add_work(CnEnergyLedger* energy, CnWork account, double work);

// Momentum given by the relaxation, and angular momentum that the stages of the integrator make,
// which no single impulse explains: here alone the account is what is missing. Call after
// cn_ledger_add_bodies().
void cn_ledger_add_stages(const CnWorld* world, CnMomentumLedger* momentum);
