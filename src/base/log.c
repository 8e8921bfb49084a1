// log.c - remarks for the user, through the log hook.
#include "base/log.h"

#include <stdarg.h>
#include <stdio.h>

void cn_log(const CnLog* log, CnLogLevel level, const char* format, ...) {
    if (log == NULL || log->write == NULL) {
        return;
    }
    char sentence[400];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(sentence, sizeof sentence, format, arguments);
    va_end(arguments);
    log->write(level, sentence, log->context);
}
