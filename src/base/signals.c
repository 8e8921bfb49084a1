// signals.c - blocks terminating signals in a thread for a while.
#include "base/signals.h"

#include <stddef.h>

void cn_signals_block(sigset_t* before) {
    sigset_t ending;
    sigemptyset(&ending);
    sigaddset(&ending, SIGHUP);
    sigaddset(&ending, SIGINT);
    sigaddset(&ending, SIGQUIT);
    sigaddset(&ending, SIGTERM);
    pthread_sigmask(SIG_BLOCK, &ending, before);
}

void cn_signals_restore(const sigset_t* before) {
    pthread_sigmask(SIG_SETMASK, before, NULL);
}
