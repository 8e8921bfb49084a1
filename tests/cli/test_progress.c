// test_progress.c - what is said about a long job and the time it has left, by a clock of the test.
#include "support/test.h"

#include "terminal/progress.c"
#include <stdarg.h>

static double now;     // [s]
static char said[200]; // the last line
static int lines;      // so far
static const Console console = {.command = "run"};

double console_clock(void) {
    return now;
}

void console_note(const Console* self, const char* format, ...) {
    va_list arguments;
    (void)self;
    va_start(arguments, format);
    vsnprintf(said, sizeof said, format, arguments);
    va_end(arguments);
    ++lines;
}

static Progress begin(void) {
    now = 1000.0;
    lines = 0;
    Progress progress = progress_begin(&console, "stack");
    progress.bar = false; // whoever runs the test may sit at a terminal
    progress.next = now + LINE_SECONDS;
    return progress;
}

static void time_left_follows_from_the_speed_so_far(void) {
    const struct {
        double elapsed, share;
        const char* words;
    } cases[] = {
        {10.0, 0.0, "stack: 0 %, t = 1 s, 10 s"}, // nothing is known yet
        {10.0, 0.25, "stack: 25 %, t = 1 s, 10 s, 30 s left"},
        {20.0, 0.5, "stack: 50 %, t = 1 s, 20 s, 20 s left"},
        {30.0, 0.1, "stack: 10 %, t = 1 s, 30 s, 4 min left"},   // 270 s: 4.5, to the even minute
        {100.0, 0.01, "stack: 1 %, t = 1 s, 100 s, 2.8 h left"}, // 9900 s
        {40.0, 1.0, "stack: 100 %, t = 1 s, 40 s, 0 s left"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        Progress progress = begin();
        now += cases[i].elapsed;
        progress_show(&progress, cases[i].share, "t = 1 s");
        CHECK_STRING(said, cases[i].words);
    }
}

static void a_line_comes_every_ten_seconds(void) {
    Progress progress = begin();
    for (int tenth = 0; tenth < 605; ++tenth, now += 0.1) { // a minute
        if (progress_is_due(&progress)) {
            progress_show(&progress, tenth / 605.0, "");
        }
    }
    CHECK_INT(lines, 6);
    Console quiet = {.command = "run", .quiet = true};
    progress = progress_begin(&quiet, "stack");
    now += 1000.0;
    CHECK(!progress_is_due(&progress));
}

// Steady work: what has passed and what is left add up to the same whole at every look.
static void passed_and_left_add_up(void) {
    Progress progress = begin();
    for (int i = 1; i <= 50; ++i) {
        int passed = 0, left = 0;
        now = 1000.0 + i;
        progress_show(&progress, i / 50.0, "x");
        CHECK_INT(sscanf(strstr(said, "x, "), "x, %d s, %d s left", &passed, &left), 2);
        CHECK_INT(passed + left, 50);
    }
}

TEST_MAIN("cli/progress", TEST(time_left_follows_from_the_speed_so_far),
          TEST(a_line_comes_every_ten_seconds), TEST(passed_and_left_add_up))
