// scheme_moreau.c - velocity-level time stepping: free motion, one solve, move.
#include "world/schemes/schemes.h"

static CnStatus begin(CnStepRun* run, CnError* error) {
    return cn_stage_begin(run, run->world->def.step.theta, false, error);
}

CnStatus cn_stage_begin_strike(CnStepRun* run, CnError* error) {
    cn_rows_clear(&run->world->correction.rows); // no velocities are relaxed
    return cn_stage_begin(run, 1.0, false, error);
}

static const CnStageTable strike = {
    .stage =
        {
            [CN_STAGE_BEGIN] = cn_stage_begin_strike,
            [CN_STAGE_PAIRS] = cn_stage_find_pairs,
            [CN_STAGE_CONTACTS] = cn_stage_find_contacts,
            [CN_STAGE_ROWS] = cn_stage_build_rows,
            [CN_STAGE_ISLANDS] = cn_stage_update_islands,
            [CN_STAGE_SOLVE] = cn_stage_solve,
            [CN_STAGE_MOVE] = cn_stage_move,
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
    .strike = &strike,
    .has_contacts = true,
};
