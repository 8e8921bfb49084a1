// progress.c - how far a long job is: a bar on a terminal, otherwise a line now and then.
#include "terminal/progress.h"

#include <string.h>
#include <unistd.h>

#define BAR_SECONDS 0.1   // as often as an eye follows
#define LINE_SECONDS 10.0 // by contract: log files stay short
#define BAR_WIDTH 30

Progress progress_begin(const Console* console, const char* label) {
    Progress progress = {.console = console, .label = label, .started = console_clock()};
    progress.bar = isatty(STDERR_FILENO);
    progress.next = progress.started + (progress.bar ? BAR_SECONDS : LINE_SECONDS);
    return progress;
}

// "12 s left", by the speed so far; "" at the very start, when it is not known yet.
static const char* time_left(double share, double elapsed, char text[32]) {
    double left = share > 0.0 ? elapsed * (1.0 - share) / share : -1.0;
    text[0] = '\0';
    if (left >= 3600.0) {
        snprintf(text, 32, ", %.1f h left", left / 3600.0);
    } else if (left >= 60.0) {
        snprintf(text, 32, ", %.0f min left", left / 60.0);
    } else if (left >= 0.0) {
        snprintf(text, 32, ", %.0f s left", left);
    }
    return text;
}

static void draw_bar(Progress* progress, double share, const char* detail, double elapsed) {
    char bar[BAR_WIDTH + 1], left[32];
    int filled = (int)(share * BAR_WIDTH);
    memset(bar, '.', BAR_WIDTH);
    memset(bar, '#', (size_t)filled);
    bar[BAR_WIDTH] = '\0';
    fprintf(stderr, "\r\033[K%s [%s] %3.0f %%  %s  %.0f s%s", progress->label, bar, 100.0 * share,
            detail, elapsed, time_left(share, elapsed, left));
    fflush(stderr);
    progress->shown = true;
}

bool progress_is_due(const Progress* progress) {
    return !progress->console->quiet && console_clock() >= progress->next;
}

void progress_show(Progress* progress, double share, const char* detail) {
    double now = console_clock();
    double elapsed = now - progress->started;
    if (progress->bar) {
        draw_bar(progress, share, detail, elapsed);
        progress->next = now + BAR_SECONDS;
    } else {
        char left[32];
        console_note(progress->console, "%s: %.0f %%, %s, %.0f s%s", progress->label, 100.0 * share,
                     detail, elapsed, time_left(share, elapsed, left));
        progress->next = now + LINE_SECONDS;
    }
}

void progress_end(Progress* progress) {
    if (progress->shown) {
        fputs("\r\033[K", stderr);
        progress->shown = false;
    }
}
