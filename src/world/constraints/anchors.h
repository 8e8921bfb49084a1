// anchors.h - what joints and contacts given by hand keep relative to a body's centre of mass.
#pragma once

#include "world/world.h"

// Constraints that are not parts of joints: only the user knows what their data mean.
bool cn_body_has_user_constraints(const CnWorld* world, int body);

// The centre of mass has moved in the body by this much (body axes): points of joints and of
// contacts given by hand stay where they are in the body. Impulses kept for warm starting are
// forgotten.
void cn_body_shift_anchors(CnWorld* world, int body, CnVec3 shift);
