// rest_scenes.h - the scenes that bench_rest measures, with what they are to reach.
#pragma once

#include "rest.h"

typedef struct RestCase {
    const char* name;
    const char* text;
    RestScene (*make)(void);
    int steps;
    bool by_mean;   // engines are compared by the mean of their steps, not by the median
    double ratio;   // target: Bullet's time over Cairn's, at least
    double threads; // target: time of one thread over that of two, at least; 0: none
    double bytes;   // target: most memory [byte]; 0: none
} RestCase;

#define REST_CASES 3
extern const RestCase rest_cases[REST_CASES];
