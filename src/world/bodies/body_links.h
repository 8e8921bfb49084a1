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

// What a body has of a kind, one after the other: numbers of links, 0 ends the list; and the slot
// of the thing that a link is of.
int cn_body_first_link(const CnWorld* world, int body, CnLinkKind kind);
int cn_link_next(const CnWorld* world, CnLinkKind kind, int link);
int cn_link_slot(int link);
