// mass.h - the mass of a body: given, or that of its shapes; and where its centre is in the body.
#pragma once

#include "world/world.h"

// The mass that a body has, or would have without one of its shapes (by slot, -1: with all), with
// one more user: the caller. Refused when a body of its type cannot have such a mass.
CnStatus cn_body_find_mass(CnWorld* world, int body, int without, const CnMass** mass,
                           CnError* error);

// Whether the centre of mass may come to another place in the body: user constraints count from it.
CnStatus cn_body_check_center(const CnWorld* world, int body, CnVec3 center, CnError* error);

// Gives it this mass, of which the caller was a user, its type permitting. The body stays where it
// is and moves as it did; whatever counts from the centre of mass follows.
void cn_body_take_mass(CnWorld* world, int body, const CnMass* mass);

// The two halves of it: the body has another mass; and steps see the one it has, if it is dynamic.
void cn_body_keep_mass(CnWorld* world, int body, const CnMass* mass);
void cn_body_show_mass(CnWorld* world, int body);
