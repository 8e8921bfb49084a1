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
                    [CN_STAGE_PAIRS] = cn_stage_find_pairs,
                    [CN_STAGE_CONTACTS] = cn_stage_find_contacts,
                    [CN_STAGE_ROWS] = cn_stage_build_rows,
                    [CN_STAGE_ISLANDS] = cn_stage_update_islands,
                    [CN_STAGE_SOLVE] = cn_stage_solve,
                    [CN_STAGE_MOVE] = cn_stage_move,
                    [CN_STAGE_CORRECT] = cn_stage_correct,
                    [CN_STAGE_GRADE] = cn_stage_grade,
                    [CN_STAGE_FINISH] = cn_stage_finish,
                },
        },
    .has_contacts = true,
};
