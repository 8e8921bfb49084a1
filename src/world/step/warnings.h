// warnings.h - warnings of a step: made pending when they are seen, counted when the step stands.
#pragma once

#include "cairn/warning.h"

// During a step. Once per kind and step: more are ignored.
__attribute__((format(printf, 3, 4))) void cn_world_warn(CnWorld* world, CnWarningKind kind,
                                                         const char* format, ...);

// What a user would want to be told of a part of a step without asking.
// worst_turning: the body of cn_ledger_add_bodies(), or CN_NONE.
void cn_warnings_of_step(CnWorld* world, const CnStepReport* report, int worst_turning);

// The pending kinds as a set of bits, and back to it: when a part of a step is undone, or all.
uint32_t cn_warnings_pending(const CnWorld* world);
void cn_warnings_restore(CnWorld* world, uint32_t pending);

// The step stands: counts what is pending and tells the log of kinds that are new.
void cn_warnings_commit(CnWorld* world);
