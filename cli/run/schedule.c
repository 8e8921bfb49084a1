// schedule.c - how a run is cut into steps.
#include "run/schedule.h"

#include <math.h>
#include <stdio.h>

// How far duration / dt may be from a whole number and still mean it. Duration, dt and quotient are
// each rounded once (3.3e-16 of the count); and a last step below a billionth of the others would
// only be the dust of a dt typed with ten digits.
#define QUOTIENT_ROUNDING 1e-15
#define SMALLEST_SHARE 1e-9

// Beyond this, doubles no longer count one by one.
#define MAX_STEPS 9007199254740992.0

bool schedule_make(const CnSceneSettings* settings, double start, Schedule* schedule,
                   CnError* error) {
    double duration = fmax(settings->duration - (start - settings->start_time), 0.0);
    double count = duration / settings->dt;
    if (!(count < MAX_STEPS)) {
        error->status = CN_NO_MEMORY;
        snprintf(error->message, sizeof error->message,
                 "%g s in steps of %g s are too many steps to count", duration, settings->dt);
        return false;
    }
    double whole = round(count);
    *schedule = (Schedule){(int64_t)whole, settings->dt, settings->dt};
    if (fabs(count - whole) > SMALLEST_SHARE + QUOTIENT_ROUNDING * count) {
        whole = floor(count);
        schedule->steps = (int64_t)whole + 1;
        schedule->last_dt = duration - whole * settings->dt;
    }
    return true;
}

double schedule_dt(const Schedule* schedule, int64_t step) {
    return step + 1 < schedule->steps ? schedule->dt : schedule->last_dt;
}
