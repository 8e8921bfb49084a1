// substep_with_cuts.c - a substep in parts that end where fast bodies hit something.
//
// A part is tried as long as the substep has time left. If a fast body gets through something on
// the way, the part is undone and tried again up to where the two touch; then they get their
// impulses in an impact that takes no time, and the next part begins. docs/theory/continuous.md.
#include "base/error.h"
#include "base/timer.h"
#include "world/contacts/continuous.h"
#include "world/correct/correct.h"
#include "world/step/step.h"
#include "world/step/warnings.h"

typedef struct Cutting {
    CnWorld* world;
    const CnSchemeTable* scheme;
    CnBodyState* before; // at the start of the present part   [bodies]
    uint32_t warnings;   // pending at the start of the present part
    double start, total; // of the substep [s]
    double left;         // of the substep [s]
    double length;       // of the part that is tried [s]
    bool struck;         // what touches at the start of the part has had its impact
    int impacts;         // cuts made so far
    CnStepReport* report;
    bool is_first;                 // nothing in the report yet
    double undone[CN_STAGE_COUNT]; // time spent on parts that were undone [s]
} Cutting;

static double time_now(const Cutting* cutting) {
    return cutting->start + (cutting->total - cutting->left);
}

static void begin_part(Cutting* cutting) {
    for (int i = 0; i < cutting->world->order.count; ++i) {
        cutting->before[i] = cn_world_body_by_index(cutting->world, i)->state;
    }
    cutting->warnings = cn_warnings_pending(cutting->world);
}

static void undo(Cutting* cutting, const CnStepReport* part) {
    for (int i = 0; i < cutting->world->order.count; ++i) {
        cn_world_body_by_index(cutting->world, i)->state = cutting->before[i];
    }
    cn_warnings_restore(cutting->world, cutting->warnings);
    for (int i = 0; i < CN_STAGE_COUNT; ++i) {
        cutting->undone[i] += part->stage_seconds[i];
    }
}

static CnStatus keep(Cutting* cutting, CnStepReport* part, CnError* error) {
    CnStatus status = cn_step_settle(cutting->world, part, error);
    if (status != CN_OK) {
        return status;
    }
    if (cutting->is_first) {
        *cutting->report = *part;
    } else {
        cn_step_append(cutting->report, part);
    }
    cutting->is_first = false;
    begin_part(cutting);
    return CN_OK;
}

static CnStatus strike_once(Cutting* cutting, CnError* error) {
    CnStepReport part;
    cutting->world->step.dt = 0.0;
    cutting->world->step.time = time_now(cutting);
    CnStatus status = cn_step_attempt(cutting->world, cutting->scheme->strike, &part, error);
    return status == CN_OK ? keep(cutting, &part, error) : status;
}

// Bodies that touch get their impulses, in no time: those that come together, then those that these
// have set moving, one after the other, docs/theory/continuous.md (9). A scheme whose steps begin
// at rest, with the problem posed right where they touch, needs nothing of the kind.
static CnStatus strike(Cutting* cutting, CnError* error) {
    cutting->struck = true;
    if (cutting->scheme->strike == NULL) {
        return CN_OK;
    }
    CnStatus status = strike_once(cutting, error);
    for (int i = 1; status == CN_OK && i < cutting->world->def.step.max_impacts &&
                    cn_continuous_passes_on(cutting->world, cutting->before);
         ++i) {
        status = strike_once(cutting, error);
    }
    return status;
}

static CnStatus try_part(Cutting* cutting, CnStepReport* part, CnCut* cut, CnError* error) {
    CnWorld* world = cutting->world;
    world->step.dt = cutting->length;
    world->step.time = time_now(cutting);
    CnStatus status = cn_step_attempt(world, cutting->scheme->advance, part, error);
    if (status != CN_OK) {
        return status;
    }
    double clock = cn_timer_now();
    status = cn_continuous_find(world, cutting->struck, cut);
    cn_stage_end(part, CN_STAGE_CONTACTS, &clock);
    return status == CN_OK ? CN_OK : cn_error_set(error, status, "no memory to look for impacts");
}

// The part becomes shorter, or an impact comes first.
static CnStatus cut_part(Cutting* cutting, const CnStepReport* part, double share, CnError* error) {
    ++cutting->impacts;
    undo(cutting, part);
    if (share > 0.0) {
        cutting->length *= share;
        return CN_OK;
    }
    cutting->length = cutting->left;
    return strike(cutting, error);
}

// Cuts are used up, or cannot help.
static CnStatus hold(CnWorld* world, CnStepReport* part, CnError* error) {
    CnStatus status = cn_continuous_hold(world, &part->held_back);
    if (status != CN_OK) {
        return cn_error_set(error, status, "no memory to hold back fast bodies");
    }
    return cn_world_measure_positions(world, part, error);
}

static CnStatus end_part(Cutting* cutting, CnStepReport* part, CnError* error) {
    CnStatus status = keep(cutting, part, error);
    bool is_last = cutting->length >= cutting->left;
    cutting->left = is_last ? 0.0 : cutting->left - cutting->length;
    cutting->length = cutting->left;
    return status == CN_OK && !is_last ? strike(cutting, error) : status;
}

static CnStatus next_part(Cutting* cutting, CnError* error) {
    CnStepReport part;
    CnCut cut;
    CnStatus status = try_part(cutting, &part, &cut, error);
    if (status != CN_OK) {
        return status;
    }
    if (cut.found && cut.is_possible && cutting->impacts < cutting->world->def.step.max_impacts) {
        return cut_part(cutting, &part, cut.share, error);
    }
    if (cut.found) {
        status = hold(cutting->world, &part, error);
    }
    return status == CN_OK ? end_part(cutting, &part, error) : status;
}

static CnStatus cut_substep(Cutting* cutting, CnError* error) {
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

CnStatus cn_substep_with_cuts(CnWorld* world, const CnSchemeTable* scheme, CnStepReport* report,
                              CnError* error) {
    CnStatus status = cn_continuous_check(world, scheme->has_contacts, error);
    if (status != CN_OK) {
        return status;
    }
    CnArenaMark mark = cn_arena_mark(&world->arena);
    Cutting cutting = {
        .world = world,
        .scheme = scheme,
        .before = CN_ARENA_NEW(&world->arena, CnBodyState, world->order.count),
        .start = world->step.time,
        .total = world->step.dt,
        .left = world->step.dt,
        .length = world->step.dt,
        .report = report,
        .is_first = true,
    };
    if (cutting.before == NULL) {
        status = cn_error_set(error, CN_NO_MEMORY, "no memory for the states of %d bodies",
                              world->order.count);
    } else {
        status = cut_substep(&cutting, error);
    }
    cn_arena_release(&world->arena, mark);
    return status;
}
