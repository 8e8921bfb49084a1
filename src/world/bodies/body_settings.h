// body_settings.h - what a body is: set and read while it is in the world.
#pragma once

#include "world/world.h"

// For calls that change a body: its index, or why not.
CnStatus cn_body_check_change(const CnWorld* world, CnBodyId id, int* body, CnError* error);

// As the user knows it: that of a disabled body has the velocities it had.
CnBodyState cn_world_state_of(const CnWorld* world, int body);

// The type that steps see, and the mass that goes with it, from what it is.
void cn_body_show_type(CnWorld* world, int body);

// Puts the velocities of a disabled body aside: in its state they are zero. There is room for them.
void cn_body_keep_velocity(CnWorld* world, int body);

// The velocities of a body that is not disabled any more, or goes, are not aside any more.
void cn_body_forget_kept(CnWorld* world, int body);

// Those of a disabled body.
static inline CnKeptVelocity* cn_body_kept(const CnWorld* world, int body) {
    return &world->kept_velocities.data[world->details.data[body].kept - 1];
}
