// drive.h - kinematic bodies that follow series.
#pragma once

#include "world/world.h"

// Whether the motion names any series.
bool cn_motion_is_given(const CnBodyMotion* motion);

// The body at index, which has its first pose, follows the motion from now on. CN_STALE: a series
// does not exist.
CnStatus cn_drive_start(CnWorld* world, int body, const CnBodyMotion* motion, CnError* error);

// Of a body with a drive, now.
CnBodyState cn_drive_state(const CnWorld* world, int body);

// Start of a (sub)step: bodies get the velocity that takes them to where the series are at its end.
void cn_drives_begin(CnWorld* world);

// Its end, at world->time: poses exactly on the series, velocities their derivatives.
// CN_UNSUPPORTED: one of these is no finite number.
CnStatus cn_drives_end(CnWorld* world, CnError* error);
