// timer.c - wall-clock seconds for reports, and for deadlines where one was asked for.
#include "base/timer.h"

#include <time.h>

double cn_timer_now(void) {
    struct timespec now = {0};
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}
