// scheme_moreau.c - velocity-level time stepping: free motion, one solve, move.
#include "world/schemes/schemes.h"

static CnStatus begin(CnStepRun* run, CnError* error) {
    return cn_stage_begin(run, run->world->def.step.theta, false, error);
}

CnStatus cn_stage_begin_impact(CnStepRun* run, CnError* error) {
    cn_rows_clear(&run->world->correction.rows); // no velocities are relaxed
    return cn_stage_begin(run, 1.0, false, error);
}

static const CnStageTable impact = {
    .stage =
        {
            [CN_STAGE_BEGIN] = cn_stage_begin_impact,
            CN_STAGES_OF_ONE_SOLVE,
            [CN_STAGE_CORRECT] = cn_stage_measure,
            [CN_STAGE_GRADE] = cn_stage_grade,
            [CN_STAGE_FINISH] = cn_stage_finish,
        },
};

const CnSchemeTable cn_scheme_moreau = {
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
            .repeats_from = CN_STAGE_ROWS, // a stop was met that was left out
        },
    .impact = &impact,
    .has_contacts = true,
};
