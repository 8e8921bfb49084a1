// substep_with_cuts.c - a substep in parts that end where fast bodies hit something.
//
// A part is tried as long as the substep has time left. If a fast body gets through something on
// the way, the part is undone and tried again up to where the two touch; then they get their
// impulses in an impact that takes no time, and the next part begins.
// docs/theory/collision/continuous.md.
#include "base/error.h"
#include "world/contacts/continuous.h"
#include "world/correct/correct.h"
#include "world/step/step.h"
#include "world/step/warnings.h"

typedef struct CnCutting {
    CnStepRun* run;
    CnBodyState* before; // at the start of the present part   [bodies]
    uint32_t warnings;   // pending at the start of the present part
    double start, total; // of the substep [s]
    double left;         // of the substep [s]
    double length;       // of the part that is tried [s]
    bool had_impact;     // what touches at the start of the part has had its impact
    int impacts;         // cuts made so far
    CnCut cut;           // where the part that was tried should have ended
    CnStepReport part;   // of the part that is tried
    CnStepReport* report;
    bool is_first;                 // nothing in the report yet
    double undone[CN_STAGE_COUNT]; // time spent on parts that were undone [s]
} CnCutting;

// After the stages that move bodies: did a fast one get through something?
static CnStatus find_cut(CnStepRun* run, CnError* error) {
    CnCutting* cutting = run->cutting;
    CnStatus status = cn_continuous_find(run->world, cutting->had_impact, &cutting->cut);
    return status == CN_OK ? CN_OK : cn_error_set(error, status, "no memory to look for impacts");
}

static const CnStageTable looking_for_cuts = {.stage = {[CN_STAGE_CONTACTS] = find_cut}};

static double time_now(const CnCutting* cutting) {
    return cutting->start + (cutting->total - cutting->left);
}

static void begin_part(CnCutting* cutting) {
    const CnWorld* world = cutting->run->world;
    for (int i = 0; i < world->order.count; ++i) {
        cutting->before[i] = cn_world_body_by_index(world, i)->state;
    }
    cutting->warnings = cn_warnings_pending(world);
}

static void undo(CnCutting* cutting) {
    CnWorld* world = cutting->run->world;
    for (int i = 0; i < world->order.count; ++i) {
        cn_world_body_by_index(world, i)->state = cutting->before[i];
    }
    cn_warnings_restore(world, cutting->warnings);
    for (int i = 0; i < CN_STAGE_COUNT; ++i) {
        cutting->undone[i] += cutting->part.stage_seconds[i];
    }
}

// A part of a table's stages that may still be undone: all that has changed are the states.
static CnStatus attempt(CnCutting* cutting, const CnStageTable* table, double length,
                        CnError* error) {
    CnStepRun* run = cutting->run;
    run->world->step.dt = length;
    run->world->step.time = time_now(cutting);
    run->table = table;
    return cn_step_run(run, CN_STAGE_BEGIN, CN_STAGE_CORRECT, error);
}

// The part that was attempted with a table stands.
static CnStatus keep(CnCutting* cutting, const CnStageTable* table, CnError* error) {
    cutting->run->table = table;
    CnStatus status = cn_step_run(cutting->run, CN_STAGE_GRADE, CN_STAGE_FINISH, error);
    if (status != CN_OK) {
        return status;
    }
    if (cutting->is_first) {
        *cutting->report = cutting->part;
    } else {
        cn_step_append(cutting->report, &cutting->part);
    }
    cutting->is_first = false;
    begin_part(cutting);
    return CN_OK;
}

static CnStatus solve_impact_once(CnCutting* cutting, CnError* error) {
    const CnStageTable* table = cutting->run->scheme->impact;
    CnStatus status = attempt(cutting, table, 0.0, error);
    return status == CN_OK ? keep(cutting, table, error) : status;
}

// Touching bodies get their impulses in a step of zero length: those that come together, then those
// that these have set moving, one after the other, docs/theory/collision/continuous.md (9). A
// scheme whose steps begin at rest, with the problem posed right where they touch, needs nothing of
// the kind.
static CnStatus solve_impacts(CnCutting* cutting, CnError* error) {
    const CnWorld* world = cutting->run->world;
    cutting->had_impact = true;
    if (cutting->run->scheme->impact == NULL) {
        return CN_OK;
    }
    CnStatus status = solve_impact_once(cutting, error);
    for (int i = 1; status == CN_OK && i < world->def.step.max_impacts &&
                    cn_continuous_passes_on(world, cutting->before);
         ++i) {
        status = solve_impact_once(cutting, error);
    }
    return status;
}

// The part becomes shorter, or an impact comes first.
static CnStatus cut_part(CnCutting* cutting, CnError* error) {
    ++cutting->impacts;
    undo(cutting);
    if (cutting->cut.share > 0.0) {
        cutting->length *= cutting->cut.share;
        return CN_OK;
    }
    cutting->length = cutting->left;
    return solve_impacts(cutting, error);
}

// Cuts are used up, or cannot help.
static CnStatus hold(CnCutting* cutting, CnError* error) {
    CnWorld* world = cutting->run->world;
    CnStatus status = cn_continuous_hold(world, &cutting->part.held_back);
    if (status != CN_OK) {
        return cn_error_set(error, status, "no memory to hold back fast bodies");
    }
    return cn_world_correct_positions(world, false, &cutting->part, error);
}

static CnStatus end_part(CnCutting* cutting, CnError* error) {
    CnStatus status = keep(cutting, &cutting->run->scheme->step, error);
    bool is_last = cutting->length >= cutting->left;
    cutting->left = is_last ? 0.0 : cutting->left - cutting->length;
    cutting->length = cutting->left;
    return status == CN_OK && !is_last ? solve_impacts(cutting, error) : status;
}

static CnStatus next_part(CnCutting* cutting, CnError* error) {
    CnStepRun* run = cutting->run;
    const CnCut* cut = &cutting->cut;
    CnStatus status = attempt(cutting, &run->scheme->step, cutting->length, error);
    if (status == CN_OK) {
        run->table = &looking_for_cuts;
        status = cn_step_run(run, CN_STAGE_CONTACTS, CN_STAGE_CONTACTS, error);
    }
    if (status != CN_OK) {
        return status;
    }
    if (cut->found && cut->is_possible && cutting->impacts < run->world->def.step.max_impacts) {
        return cut_part(cutting, error);
    }
    if (cut->found) {
        status = hold(cutting, error);
    }
    return status == CN_OK ? end_part(cutting, error) : status;
}

static CnStatus cut_substep(CnCutting* cutting, CnError* error) {
    CnStatus status = CN_OK;
    begin_part(cutting);
    while (status == CN_OK && cutting->left > 0.0) {
        status = next_part(cutting, error);
    }
    if (status != CN_OK) {
        return status;
    }
    cutting->report->impacts = cutting->impacts;
    for (int i = 0; i < CN_STAGE_COUNT; ++i) {
        cutting->report->stage_seconds[i] += cutting->undone[i];
    }
    return CN_OK;
}

CnStatus cn_substep_with_cuts(CnStepRun* run, CnError* error) {
    CnWorld* world = run->world;
    CnStatus status = cn_continuous_check(world, run->scheme->has_contacts, error);
    if (status != CN_OK) {
        return status;
    }
    CnArenaMark mark = cn_arena_mark(&world->arena);
    CnCutting cutting = {
        .run = run,
        .before = CN_ARENA_RAW(&world->arena, CnBodyState, world->order.count),
        .start = world->step.time,
        .total = world->step.dt,
        .left = world->step.dt,
        .length = world->step.dt,
        .report = run->report,
        .is_first = true,
    };
    if (cutting.before == NULL || !cn_pair_store_keep_apart(&world->pairs)) {
        status = cn_error_set(error, CN_NO_MEMORY, "no memory for a step that may be cut short");
    } else {
        run->cutting = &cutting;
        run->report = &cutting.part;
        status = cut_substep(&cutting, error);
        run->report = cutting.report;
        run->cutting = NULL;
    }
    cn_arena_release(&world->arena, mark);
    return status;
}
