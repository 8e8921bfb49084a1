// saved_manifold.h - a manifold as the undo log keeps it: numbers that others predict are left out.
#pragma once

#include "world/contacts/pair_store.h"

// Numbers of 8 bytes: flags, then those that were not predicted.
#define CN_SAVED_MANIFOLD_WORDS (2 + sizeof(CnManifold) / sizeof(uint64_t))

// hints, has_rows: the same both times; without rows the tile is only a frame. Targets along
// tangents are not packed. Returns how many numbers were written.
int cn_manifold_pack(CnManifold* manifold, const CnManifoldHints* hints, bool has_rows,
                     uint64_t packed[CN_SAVED_MANIFOLD_WORDS]);
void cn_manifold_unpack(const uint64_t* packed, const CnManifoldHints* hints, bool has_rows,
                        CnManifold* manifold);
