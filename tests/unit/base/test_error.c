// test_error.c - sentences reach the user: errors, remarks, names, the version.
#include "base/error.h"
#include "base/log.h"
#include "base/timer.h"
#include "support/test.h"

#include <stdio.h>

static void an_error_carries_its_status_and_sentence(void) {
    CnError error = {0};
    CHECK_INT(cn_error_set(&error, CN_INVALID, "mass is %g kg", -2.5), CN_INVALID);
    CHECK_INT(error.status, CN_INVALID);
    CHECK_STRING(error.message, "mass is -2.5 kg");
    CHECK_INT(cn_error_set(NULL, CN_STALE, "nobody listens"), CN_STALE);
}

static void a_long_sentence_is_cut_and_still_ends(void) {
    CnError error = {0};
    cn_error_set(&error, CN_INVALID, "%1000d", 7);
    CHECK_INT(strlen(error.message), sizeof error.message - 1);
}

static void every_status_has_its_own_word(void) {
    const CnStatus all[] = {CN_OK, CN_INVALID, CN_STALE, CN_NO_MEMORY, CN_UNSUPPORTED};
    for (int i = 0; i < 5; ++i) {
        for (int j = 0; j < i; ++j) {
            CHECK(strcmp(cn_status_name(all[i]), cn_status_name(all[j])) != 0);
        }
    }
    CHECK_STRING(cn_status_name(CN_INVALID), "invalid");
    CHECK_STRING(cn_status_name((CnStatus)99), "unknown");
}

typedef struct Heard {
    int count;
    CnLogLevel level;
    char sentence[500];
} Heard;

static void hear(CnLogLevel level, const char* sentence, void* context) {
    Heard* heard = context;
    heard->count += 1;
    heard->level = level;
    strncpy(heard->sentence, sentence, sizeof heard->sentence - 1);
}

static void remarks_reach_the_hook_and_a_silent_log_is_fine(void) {
    Heard heard = {0};
    CnLog log = {hear, &heard}, silent = {0};
    cn_log(&log, CN_LOG_WARNING, "%d bodies overlap", 3);
    CHECK_INT(heard.count, 1);
    CHECK_INT(heard.level, CN_LOG_WARNING);
    CHECK_STRING(heard.sentence, "3 bodies overlap");
    cn_log(&log, CN_LOG_INFO, "%1000d", 7);
    CHECK_INT(strlen(heard.sentence), 399);
    cn_log(&silent, CN_LOG_INFO, "nobody");
    cn_log(NULL, CN_LOG_INFO, "nobody");
    CHECK_INT(heard.count, 2);
}

static void the_version_is_the_projects(void) {
    int major = -1, minor = -1, patch = -1;
    CHECK_INT(sscanf(cn_version(), "%d.%d.%d", &major, &minor, &patch), 3);
    CHECK_STRING(cn_version(), TEST_VERSION);
}

static void the_clock_runs_forward(void) {
    double start = cn_timer_now(), last = start;
    while (last - start < 1e-3) { // [s]
        double now = cn_timer_now();
        CHECK(now >= last);
        last = now;
    }
}

TEST_MAIN("base/error", TEST(an_error_carries_its_status_and_sentence),
          TEST(a_long_sentence_is_cut_and_still_ends), TEST(every_status_has_its_own_word),
          TEST(remarks_reach_the_hook_and_a_silent_log_is_fine), TEST(the_version_is_the_projects),
          TEST(the_clock_runs_forward))
