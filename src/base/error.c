// error.c - error messages, and the message of a failed assert.
#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

CnStatus cn_error_set(CnError* error, CnStatus status, const char* format, ...) {
    if (error != NULL) {
        error->status = status;
        va_list arguments;
        va_start(arguments, format);
        vsnprintf(error->message, sizeof error->message, format, arguments);
        va_end(arguments);
    }
    return status;
}

const char* cn_status_name(CnStatus status) {
    static const char* const names[] = {
        [CN_OK] = "ok",
        [CN_INVALID] = "invalid",
        [CN_STALE] = "stale",
        [CN_NO_MEMORY] = "no memory",
        [CN_UNSUPPORTED] = "unsupported",
    };
    size_t index = (size_t)status;
    return index < sizeof names / sizeof names[0] ? names[index] : "unknown";
}

#ifndef NDEBUG
// The one place that prints: the program is ending because of our own bug.
void cn_assert_failed(const char* expression, const char* file, int line) {
    fprintf(stderr, "%s:%d: cairn assertion failed: %s\n", file, line, expression);
    abort();
}
#endif
