// body_links.h - which forces, contacts, constraints, joints and separations a body has.
//
// Each kind of thing lives in a pool of its own. A thing has a link for each of its two sides, in a
// list of the body there; so what a body has is found without a look at what others have.
#pragma once

#include "world/world.h"

// Lists the thing in this slot of its pool with its bodies; either may be none. False: no memory,
// nothing changed.
bool cn_world_link(CnWorld* world, CnLinkKind kind, int slot, CnBodyId a, CnBodyId b);

// The opposite, with the same bodies.
void cn_world_unlink(CnWorld* world, CnLinkKind kind, int slot, CnBodyId a, CnBodyId b);

// The slot of the thing of a body that was linked last; -1: it has none of the kind.
int cn_body_last_linked(const CnBodyDetails* body, CnLinkKind kind);
