// observe.h - everything that can be read of a world, as one number.
#pragma once

#include "session.h"

// What a failed step must leave as it was: time, bodies, settings of joints, events, warnings.
uint64_t observe_state(const Session* session);

// All of that, and what the last step left to look at: contacts, forces, its problem.
uint64_t observe_all(const Session* session);
