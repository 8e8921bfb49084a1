// signals.h - blocks terminating signals in a thread for a while.
#pragma once

#include <signal.h>

// SIGHUP, SIGINT, SIGQUIT and SIGTERM wait until they are restored, or go to another thread.
void cn_signals_block(sigset_t* before);
void cn_signals_restore(const sigset_t* before);
