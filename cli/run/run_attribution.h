// run_attribution.h - momentum and energy by channel, summed up over a run.
#pragma once

#include "cairn/attribution.h"
#include "terminal/json_out.h"

typedef struct RunAttribution {
    bool is_kept;        // the world attributes
    bool lacks_memory;   // sums are not whole
    CnAttribution* sums; // over the run, by pair of bodies, contact given by hand, joint or
                         // constraint, and channel; sorted   [count]
    int count, capacity;
    CnAttribution* last; // of the last step   [last_count]
    int last_count, last_capacity;
    double error; // the worst of all steps, relative
} RunAttribution;

// Adds a step, if the world attributes.
void run_attribution_add(RunAttribution* attribution, const CnWorld* world,
                         const CnStepReport* report);

// The key "attribution" of an object that is being written; nothing when the world does not
// attribute.
void run_attribution_write(const RunAttribution* attribution, const CnWorld* world, JsonOut* json);

void run_attribution_release(RunAttribution* attribution);
