// console.c - words for people on stderr; data has stdout to itself.
#include "terminal/console.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static bool wants_color(FILE* stream) {
    const char* refusal = getenv("NO_COLOR"); // https://no-color.org: any value but the empty one
    const char* terminal = getenv("TERM");
    return (refusal == NULL || refusal[0] == '\0') && isatty(fileno(stream)) && terminal != NULL &&
           strcmp(terminal, "dumb") != 0;
}

const char* console_color(FILE* stream, Color color) {
    if (!wants_color(stream)) {
        return "";
    }
    return color == COLOR_RED ? "\033[31m" : "\033[32m";
}

const char* console_plain(FILE* stream) {
    return wants_color(stream) ? "\033[0m" : "";
}

static void begin_line(const Console* console) {
    fprintf(stderr, "cairn%s%s: ", console->command[0] != '\0' ? " " : "", console->command);
}

static void end_line(const char* format, va_list arguments) {
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
}

void console_error(const Console* console, const char* format, ...) {
    begin_line(console);
    fprintf(stderr, "%serror:%s ", console_color(stderr, COLOR_RED), console_plain(stderr));
    va_list arguments;
    va_start(arguments, format);
    end_line(format, arguments);
    va_end(arguments);
}

void console_note(const Console* console, const char* format, ...) {
    if (console->quiet) {
        return;
    }
    begin_line(console);
    va_list arguments;
    va_start(arguments, format);
    end_line(format, arguments);
    va_end(arguments);
}

ExitCode console_fail(const Console* console, const CnError* error) {
    static const ExitCode codes[] = {
        [CN_OK] = CODE_OK,
        [CN_INVALID] = CODE_INVALID,
        [CN_STALE] = CODE_FAILURE,
        [CN_NO_MEMORY] = CODE_RESOURCE,
        [CN_UNSUPPORTED] = CODE_FAILURE,
    };
    console_error(console, "%s", error->message);
    return codes[error->status];
}

static void write_remark(CnLogLevel level, const char* sentence, void* context) {
    const Console* console = context;
    console_note(console, "%s%s", level == CN_LOG_WARNING ? "warning: " : "", sentence);
}

CnLog console_log(Console* console) {
    CnLog log = {.write = write_remark, .context = console};
    return log;
}

double console_clock(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}
