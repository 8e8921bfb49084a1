// interrupt.c - what Ctrl-C and SIGTERM do: finish the step first, and at once when asked again.
#include "terminal/interrupt.h"

#include <signal.h>
#include <stddef.h>
#include <unistd.h>

#define CODE_OF_SIGNAL 128 // what shells add to the number of a signal

static const int signals[] = {SIGINT, SIGTERM};
#define SIGNAL_COUNT ((int)(sizeof signals / sizeof signals[0]))

// All that a handler may touch.
static volatile sig_atomic_t is_holding;
static volatile sig_atomic_t is_quiet;
static volatile sig_atomic_t received; // 0: none

static void say(const char* text, size_t length) {
    ssize_t written = write(STDERR_FILENO, text, length); // a remark that is lost does no harm
    (void)written;
}

static void receive(int number) {
    static const char remark[] =
        "cairn: finishing what is under way; a second signal ends at once\n";
    if (!is_holding || received != 0) {
        _exit(CODE_OF_SIGNAL + number);
    }
    received = number;
    if (!is_quiet) {
        say(remark, sizeof remark - 1);
    }
}

// Reading and writing go on after a signal that only asks. One that is ignored stays so: shells
// start programs in the background of a script that way, and nohup does.
void interrupt_watch(void) {
    struct sigaction action = {.sa_handler = receive, .sa_flags = SA_RESTART}, before;
    sigemptyset(&action.sa_mask);
    for (int i = 0; i < SIGNAL_COUNT; ++i) {
        if (sigaction(signals[i], NULL, &before) == 0 && before.sa_handler != SIG_IGN) {
            sigaction(signals[i], &action, NULL);
        }
    }
}

void interrupt_hold(bool quiet) {
    is_quiet = quiet;
    is_holding = 1;
}

bool interrupt_asked(void) {
    return received != 0;
}

int interrupt_code(int code) {
    return received != 0 ? CODE_OF_SIGNAL + received : code;
}

static void change_mask(int how) {
    sigset_t set;
    sigemptyset(&set);
    for (int i = 0; i < SIGNAL_COUNT; ++i) {
        sigaddset(&set, signals[i]);
    }
    sigprocmask(how, &set, NULL);
}

void interrupt_block(void) {
    change_mask(SIG_BLOCK);
}

void interrupt_unblock(void) {
    change_mask(SIG_UNBLOCK);
}
