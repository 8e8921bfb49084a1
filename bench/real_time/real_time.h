// real_time.h - what an engine must offer to be measured in real time.
#pragma once

#include "bench/plain_scene.h"

#ifdef __cplusplus
extern "C" {
#endif

#define RT_DT (1.0 / 60.0) // [s]
#define RT_STAGES 24

typedef struct RtScene {
    const char* argument; // built-in scene
    const PlainScene* plain;
    int threads;  // of Cairn
    int substeps; // of Cairn; 0: those of the preset
    double hertz; // of its contacts and joints, with substeps [Hz]
} RtScene;

typedef struct RtStages {
    int count;
    const char* names[RT_STAGES];
    double seconds[RT_STAGES]; // sums over all steps
} RtStages;

typedef struct RtEngine {
    const char* name;
    void* (*create)(const RtScene* scene);         // NULL: failed, said on stderr
    bool (*step)(void* self);                      // false: failed, said on stderr
    void (*read)(void* self, CnBodyState* states); // [body_count]
    void (*stages)(void* self, RtStages* stages);  // NULL: not known
    void (*destroy)(void* self);
} RtEngine;

extern const RtEngine rt_cairn, rt_bullet, rt_ode;

#ifdef __cplusplus
}
#endif
