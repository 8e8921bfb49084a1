// kind.h - whether a function table, and the data given to one of ours, make sense.
#pragma once

#include "cairn/constraint.h"

// CN_INVALID with a sentence when a number is out of range or a needed function is missing.
CnStatus cn_constraint_kind_validate(const CnConstraintKind* kind, CnError* error);

// Knows the data of the kinds of this library only; that of other kinds is their own affair. When
// it returns CN_INVALID, *field (may be NULL) names the member that is wrong.
CnStatus cn_constraint_data_validate(const CnConstraintKind* kind, const void* data, size_t size,
                                     const char** field, CnError* error);

// Rigid, with the gains of CnKeeping. What it must satisfy; *field (may be NULL) names the member.
CnKeeping cn_keeping_default(void);
CnStatus cn_keeping_validate(const CnKeeping* keep, const char** field, CnError* error);
