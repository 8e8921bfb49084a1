// scheme_quasi_static.c - every step starts from rest: bodies creep from one balance to the next.
#include "world/schemes/schemes.h"

// The poses of the problem are those at the start, and the whole step is made with the end
// velocity.
#define END_VELOCITY_ONLY 1.0

static CnStatus begin(CnStepRun* run, CnError* error) {
    return cn_stage_begin(run, END_VELOCITY_ONLY, true, error);
}

const CnSchemeTable cn_scheme_quasi_static = {
    .step =
        {
            .stage =
                {
                    [CN_STAGE_BEGIN] = begin,
                    CN_STAGES_OF_ONE_SOLVE,
                    [CN_STAGE_CORRECT] = cn_stage_correct,
                    [CN_STAGE_GRADE] = cn_stage_grade,
                    [CN_STAGE_FINISH] = cn_stage_finish,
                },
        },
    .has_contacts = true,
};
