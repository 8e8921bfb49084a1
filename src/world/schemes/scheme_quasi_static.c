// scheme_quasi_static.c - every step starts from rest: bodies creep from one balance to the next.
#include "world/schemes/schemes.h"

// The poses of the problem are those at the start, and the whole step is made with the end
// velocity.
#define END_VELOCITY_ONLY 1.0

static CnStatus advance(CnWorld* world, CnStepReport* report, CnError* error) {
    return cn_scheme_velocity_step(world, END_VELOCITY_ONLY, true, report, error);
}

const CnSchemeTable cn_scheme_quasi_static = {advance, NULL, cn_scheme_velocity_account, true};
