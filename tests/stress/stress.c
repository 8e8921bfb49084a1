// stress.c - what the stress programs have in common.
#include "stress.h"

#include <signal.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

// A seed that takes longer hangs [s]: a hundred times what it takes with sanitizers.
#define LONGEST 300

// Seeds that take longer are worth a look [s].
#define SLOW 5.0

static unsigned long long current_seed;
static const Session* watched;

// Read by the sanitizers, where there are any: what they find shall be told by seed too.
__attribute__((visibility("default"))) const char* __asan_default_options(void);
__attribute__((visibility("default"))) const char* __ubsan_default_options(void);
const char* __asan_default_options(void) {
    return "abort_on_error=1";
}
const char* __ubsan_default_options(void) {
    return "abort_on_error=1:print_stacktrace=1";
}

static void tell(const char* what) {
    char text[200];
    int length = snprintf(text, sizeof text, "%s seed %llu, operation %d, %s\n", what, current_seed,
                          watched != NULL ? watched->operation : -1,
                          watched != NULL ? watched->call : "(no call)");
    if (write(STDOUT_FILENO, text, (size_t)length) < 0) {
        _exit(2);
    }
}

static void tell_who_hangs(int signal_number) {
    (void)signal_number;
    tell("HANGS");
    _exit(1);
}

static void tell_who_aborted(int signal_number) {
    (void)signal_number;
    tell("ABORTED");
    _exit(1);
}

void stress_watch(const Session* session) {
    watched = session;
}

static void set_handlers(void) {
    signal(SIGALRM, tell_who_hangs);
    signal(SIGABRT, tell_who_aborted);
}

int stress_main(int argc, char** argv, int (*run_seed)(uint64_t seed)) {
    if (argc < 3 || argc > 4) {
        fputs("usage: PROGRAM SEED COUNT [SECONDS]\n", stderr);
        return 2;
    }
    set_handlers();
    uint64_t seed = strtoull(argv[1], NULL, 10), count = strtoull(argv[2], NULL, 10), done = 0;
    time_t end = argc == 4 ? time(NULL) + atol(argv[3]) : 0;
    int findings = 0;
    for (; done < count && (end == 0 || time(NULL) < end); ++done) {
        current_seed = seed + done;
        alarm(LONGEST);
        clock_t start = clock();
        findings += run_seed(seed + done);
        double seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
        if (seconds > SLOW) {
            printf("slow: seed %llu took %.1f s\n", current_seed, seconds);
            fflush(stdout);
        }
    }
    alarm(0);
    printf("%llu seeds from %llu on, %d findings\n", (unsigned long long)done,
           (unsigned long long)seed, findings);
    return findings > 0;
}
