// log.h - remarks for the user, through the log hook.
#pragma once

#include "cairn/base.h"

// One sentence; longer than 399 characters is cut. Silent when log is NULL or has no hook.
__attribute__((format(printf, 3, 4))) void cn_log(const CnLog* log, CnLogLevel level,
                                                  const char* format, ...);
