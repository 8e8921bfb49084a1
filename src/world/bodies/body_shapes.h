// body_shapes.h - the shapes of bodies: their store, their lists, where they are.
#pragma once

#include "world/world.h"

// What a shape is like, in the frame of its body's origin: one immutable record for all that are
// alike, with one more user. It holds its geometry by itself. NULL: no memory.
const CnShape* cn_shape_take(CnWorld* world, const CnShape* like);

// One user less; NULL is fine. undo: see cn_world_free_shape().
void cn_shape_drop(CnWorld* world, const CnShape* shape, bool undo);

// A shape becomes like another record, which it takes over from the caller.
void cn_shape_change(CnWorld* world, int slot, const CnShape* taken);

// A new shape of the body with this index, the last of its list; the def is valid. It is nowhere
// until cn_body_place().
CnStatus cn_body_make_shape(CnWorld* world, int body, const CnShapeDef* def, int* slot,
                            CnError* error);

// Takes the last cn_body_make_shape() back, as if it had never been; several in reverse.
void cn_body_unmake_shape(CnWorld* world, int slot);

void cn_body_drop_shape(CnWorld* world, int slot);

// The slot of one of a body's shapes by its place among them; -1: it has not so many.
int cn_body_shape_slot(const CnWorld* world, int body, int number);

// Puts the body's centre of mass at this place in body axes; its state does not follow.
void cn_body_set_center(CnWorld* world, int body, CnVec3 center);

// The proxies of all its shapes, which it has unless it is disabled: added (false: no memory, and
// nothing changed), removed, and changed to those of a body that moves or not.
bool cn_body_add_proxies(CnWorld* world, int body, bool moves);
void cn_body_remove_proxies(CnWorld* world, int body);
bool cn_body_change_proxies(CnWorld* world, int body, bool moves);

// What may be said of its pairs has changed.
void cn_body_filter_again(CnWorld* world, int body);

// Tells the broad phase where the body is now, so that queries find it there.
void cn_body_place(CnWorld* world, int body);
bool cn_body_keeps_place(const CnWorld* world, int body); // that would change nothing
