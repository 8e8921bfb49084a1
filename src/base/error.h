// error.h - filling in a CnError, and the assert for our own bugs.
#pragma once

#include "cairn/base.h"

// Writes the sentence when error is not NULL; always returns status.
__attribute__((format(printf, 3, 4))) CnStatus cn_error_set(CnError* error, CnStatus status,
                                                            const char* format, ...);

// Calls abort with file, line and expression; active unless NDEBUG.
#ifdef NDEBUG
#define CN_ASSERT(expression) ((void)0)
#else
_Noreturn void cn_assert_failed(const char* expression, const char* file, int line);
#define CN_ASSERT(expression)                                                                      \
    ((expression) ? (void)0 : cn_assert_failed(#expression, __FILE__, __LINE__))
#endif
