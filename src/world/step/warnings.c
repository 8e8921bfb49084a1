// warnings.c - warnings of a step: made pending when they are seen, counted when the step stands.
#include "world/step/warnings.h"

#include "base/error.h"
#include "base/log.h"
#include "world/world.h"

#include <stdarg.h>
#include <stdio.h>

typedef struct Kind {
    const char* name;
    CnLogLevel level; // info: the answer is as good as asked for
} Kind;

static const Kind kinds[CN_WARNING_KIND_COUNT] = {
    [CN_WARNING_NOT_CONVERGED] = {"not_converged", CN_LOG_WARNING},
    [CN_WARNING_INFEASIBLE] = {"infeasible", CN_LOG_WARNING},
    [CN_WARNING_POSITIONS_MISSED] = {"positions_missed", CN_LOG_WARNING},
    [CN_WARNING_REDUNDANT_ROWS] = {"redundant_rows", CN_LOG_INFO},
    [CN_WARNING_INTEGRATION] = {"integration", CN_LOG_WARNING},
};

const char* cn_warning_kind_name(CnWarningKind kind) {
    bool is_known = kind >= 0 && kind < CN_WARNING_KIND_COUNT;
    return is_known ? kinds[kind].name : "unknown";
}

static uint32_t bit_of(CnWarningKind kind) {
    return UINT32_C(1) << kind;
}

void cn_world_warn(CnWorld* world, CnWarningKind kind, const char* format, ...) {
    CN_ASSERT(world->stepping);
    CnWarning* warning = &world->warnings.kinds[kind];
    if (warning->count == 0 && (world->warnings.pending & bit_of(kind)) == 0) {
        warning->kind = kind;
        warning->step = world->steps_made + 1;
        warning->time = world->step.time;
        va_list arguments;
        va_start(arguments, format);
        vsnprintf(warning->message, sizeof warning->message, format, arguments);
        va_end(arguments);
    }
    world->warnings.pending |= bit_of(kind);
}

uint32_t cn_warnings_pending(const CnWorld* world) {
    return world->warnings.pending;
}

void cn_warnings_restore(CnWorld* world, uint32_t pending) {
    world->warnings.pending = pending;
}

void cn_warnings_commit(CnWorld* world) {
    for (int i = 0; i < CN_WARNING_KIND_COUNT; ++i) {
        CnWarning* warning = &world->warnings.kinds[i];
        if ((world->warnings.pending & bit_of((CnWarningKind)i)) == 0) {
            continue;
        }
        if (++warning->count == 1) {
            cn_log(&world->def.log, kinds[i].level, "%s", warning->message);
        }
    }
    world->warnings.pending = 0;
}

int cn_world_warning_count(const CnWorld* world) {
    int count = 0;
    for (int i = 0; i < CN_WARNING_KIND_COUNT; ++i) {
        count += world->warnings.kinds[i].count > 0;
    }
    return count;
}

CnStatus cn_world_warning_at(const CnWorld* world, int index, CnWarning* warning) {
    int left = index;
    for (int i = 0; index >= 0 && i < CN_WARNING_KIND_COUNT; ++i) {
        if (world->warnings.kinds[i].count > 0 && left-- == 0) {
            *warning = world->warnings.kinds[i];
            return CN_OK;
        }
    }
    return CN_INVALID;
}
