// state.h - a world copied: what follows has the same bits.
#pragma once

#include "cairn/world.h"

// Another world like this one: ids, order and every bit of the steps that follow. It shares nothing
// with the first but functions and data of the user's. hooks: where its memory, log and tasks come
// from, the rest of that def does not count; NULL: as those of the first. Contacts and problem of
// the last step can be read after its first step. NULL when memory runs out or a step is under way.
CN_API CnWorld* cn_world_clone(const CnWorld* world, const CnWorldDef* hooks, CnError* error);
