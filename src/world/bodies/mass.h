// mass.h - the mass of a body: given, or that of its shapes; and where its centre is in the body.
#pragma once

#include "world/world.h"

// The mass properties that a body has, or would have without one of its shapes (by slot, -1: with
// all). Refused when a body of its type cannot have such a mass.
CnStatus cn_body_find_mass(const CnWorld* world, int body, int without, CnMassProperties* mass,
                           CnError* error);

// Whether the centre of mass may come to another place in the body: user constraints count from it.
CnStatus cn_body_check_center(const CnWorld* world, int body, CnVec3 center, CnError* error);

// Gives it these mass properties, its type permitting. The body stays where it is and moves as it
// did; whatever counts from the centre of mass follows.
void cn_body_take_mass(CnWorld* world, int body, const CnMassProperties* mass);
