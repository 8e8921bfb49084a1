// attribution.h - what each row direction did in a step: docs/theory/ledger.md (16)-(19).
//
// Computed from the same impulses as the ledgers, row by row. Nothing is done unless
// CnStepDef.attribution is set.
#pragma once

#include "world/world.h"

// A step begins: nothing has been done.
void cn_attribution_begin(CnWorld* world);

// What the tiles and explicit blocks of one solved problem did, for schemes with one solve; after
// cn_ledger_add_bodies(). CN_OK or CN_NO_MEMORY.
CnStatus cn_attribution_add_solve(CnWorld* world);

// What the relaxation at the end of a (sub)step did: part of the above.
CnStatus cn_attribution_add_late(CnWorld* world);

// The step is whole: numbers islands. CN_OK or CN_NO_MEMORY.
CnStatus cn_attribution_end(CnWorld* world);

void cn_attribution_free(CnAttributionStore* store, const CnAllocator* allocator);

// Parts, for a scheme that looks at the forces several times in a step.

// The entry of row k of a block; NULL: no memory.
CnChannelShare* cn_attribution_row(CnWorld* world, const CnBlock* block,
                                   const CnBlockSource* source, int k);

// |d| of a row: of its force, or of its torque when it has no force.
double cn_attribution_row_size(const CnRows* rows, const CnBlock* block, int row);

// What a row gave a dynamic body: impulse, and moment about its centre of mass, world axes.
void cn_attribution_push(CnChannelShare* share, CnVec3 center, CnVec3 impulse, CnVec3 moment,
                         bool internal);
