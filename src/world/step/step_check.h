// step_check.h - refuses steps that leave states or ledgers without finite numbers, or runaways.
#pragma once

#include "world/world.h"

// Whether the state of a body is finite, and within the speed limit of the world if it is dynamic.
bool cn_step_is_sound(const CnWorld* world, const CnBody* body);

// Refuses free motion that is not finite, whose contacts could not be looked for: the product of a
// force and a step may overflow where each of them is a number.
CnStatus cn_step_check_motion(const CnWorld* world, const CnBodyState* states, CnError* error);

// CN_UNSUPPORTED: a body has no finite state, or is faster than the speed limit of the world.
CnStatus cn_step_check_state(const CnWorld* world, int body, const CnStepReport* report,
                             CnError* error);
CnStatus cn_step_check_states(const CnWorld* world, const CnStepReport* report, CnError* error);

// CN_UNSUPPORTED: energy or momentum overflow, so that their ledgers cannot say whether they close.
CnStatus cn_step_check_ledgers(const CnWorld* world, const CnStepReport* report, CnError* error);

// CN_UNSUPPORTED: a row asks for what is no number, or its impulse overflows: the certificate is
// infinite.
CnStatus cn_step_check_certificate(const CnWorld* world, const CnStepReport* report,
                                   CnError* error);
