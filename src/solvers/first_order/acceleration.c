// acceleration.c - Anderson acceleration with a safeguard: bad steps are undone and it restarts.
#include "solvers/first_order/acceleration.h"

#include <math.h>
#include <string.h>

// Some growth must be allowed: contacts that open or close lengthen good steps too.
#define ALLOWED_GROWTH 2.0

// Steps without acceleration after a restart, to get away from the kink that caused it. Measured on
// 44 problems of FCLib with extragradient steps: 0 loses three of them at 1e-4, 30 none.
#define REST 30

CnStatus cn_acceleration_init(CnAcceleration* acceleration, int n, const double* weight,
                              CnArena* arena) {
    *acceleration = (CnAcceleration){.weight = weight, .plain = CN_ARENA_NEW(arena, double, n)};
    return acceleration->plain == NULL ? CN_NO_MEMORY
                                       : cn_anderson_init(&acceleration->anderson, n, arena);
}

void cn_acceleration_reset(CnAcceleration* acceleration) {
    cn_anderson_reset(&acceleration->anderson);
    acceleration->was_combined = false;
}

static double step_length(const CnAcceleration* acceleration, const double* start,
                          const double* x) {
    double sum = 0.0;
    for (int i = 0; i < acceleration->anderson.n; ++i) {
        double change = acceleration->weight[i] * (x[i] - start[i]);
        sum += change * change;
    }
    return sqrt(sum);
}

void cn_acceleration_advance(CnAcceleration* acceleration, const double* start, double* x) {
    size_t bytes = (size_t)acceleration->anderson.n * sizeof(double);
    double length = step_length(acceleration, start, x);
    if (acceleration->was_combined && !(length <= ALLOWED_GROWTH * acceleration->last_length)) {
        cn_acceleration_reset(acceleration);
        memcpy(x, acceleration->plain, bytes);
        ++acceleration->restarts;
        acceleration->rest = REST;
        return;
    }
    if (acceleration->rest > 0) {
        --acceleration->rest;
        return;
    }
    acceleration->last_length = length;
    memcpy(acceleration->plain, x, bytes);
    cn_anderson_step(&acceleration->anderson, start, acceleration->plain, acceleration->weight, x);
    acceleration->was_combined = acceleration->anderson.count > 0;
}
