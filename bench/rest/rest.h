// rest.h - scenes of boxes and balls, and what an engine must offer to be measured on them.
#pragma once

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

#define REST_DT (1.0 / 60.0) // [s]
#define REST_STAGES 24       // room for the stages of a step

typedef enum RestShape { REST_BOX, REST_BALL } RestShape;

// A body at rest, axes along those of the world.
typedef struct RestBody {
    RestShape shape;
    bool fixed;
    double half[3]; // box: half edges; ball: half[0] is the radius [m]
    double mass;    // [kg]
    double position[3];
} RestBody;

typedef struct RestScene {
    double friction; // of every pair of bodies
    bool sleep;      // Cairn: islands at rest fall asleep
    bool stages;     // Cairn: loops that threads can share are timed, which costs time
    int count;
    RestBody* bodies; // owned by the scene   [count]
} RestScene;

// What an engine says of its world after the last step.
typedef struct RestState {
    long contacts;
    double penetration;              // deepest overlap [m]
    double kinetic_energy;           // [J]
    double residual;                 // Cairn: the worst certificate of all steps [m/s]
    int missed;                      // Cairn: steps with an island above the tolerance
    int sleeping;                    // Cairn: bodies asleep after the last step
    size_t bytes, peak;              // Cairn: from the allocator, now and at most
    unsigned long long hash;         // Cairn: of all states, bit by bit
    int stage_count;                 // Cairn
    const char* stages[REST_STAGES]; // names; the last is what ran in tasks   [stage_count]
} RestState;

typedef struct RestEngine {
    const char* name;
    void* (*create)(const RestScene* scene, int threads); // NULL: failed, said on stderr
    bool (*step)(void* self, double* stages); // into stages the seconds of each   [REST_STAGES];
                                              // false: failed, said on stderr
    void (*read)(void* self, RestState* state);
    void (*destroy)(void* self);
} RestEngine;

extern const RestEngine rest_cairn;
extern const RestEngine rest_bullet;

#ifdef __cplusplus
}
#endif
