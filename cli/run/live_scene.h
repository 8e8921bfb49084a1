// live_scene.h - a scene with its world and its workers, opened and closed together.
#pragma once

#include "cairn/scene.h"
#include "terminal/options.h"

// What the command line says instead of the scene.
typedef struct SceneOverrides {
    int solver, scheme, stabilisation;      // indices into the choices, -1: what the scene says
    double dt, tolerance;                   // [s], [m/s]; 0: what the scene says
    double duration, speed_limit;           // [s], [m/s]; -1: what the scene says
    int max_iterations, substeps;           // 0: what the scene says
    double theta;                           // -1: what the scene says
    double work_budget, deadline;           // multiplications, [s]; 0: what the scene says
    double change_tolerance, impulse_limit; // [N s]; 0: what the scene says
    double warm_start_factor;               // -1: what the scene says
    int grade_every;                        // -1: what the scene says
    bool attribution;                       // false: what the scene says
    bool real_time;                         // the real-time preset, and steps of 1/60 s
    int threads;
    CnAllocator allocator; // of the world; zero: malloc
    TextList changes;      // "path=value", made in the scene before anything else
} SceneOverrides;

SceneOverrides scene_overrides_none(void);

// A file, "-" or "@name[:size]", with "path=value" changed in it. NULL on failure, with a sentence.
CnScene* scene_open_changed(const char* argument, const char* const* changes, int count,
                            CnError* error);

typedef struct LiveScene {
    CnScene* scene;
    CnSceneSettings settings; // with the overrides
    CnTaskPool* pool;         // NULL for one thread
    CnWorld* world;
} LiveScene;

// argument: a file, "-" or "@name[:size]". console gets the world's remarks and must outlive it.
// When it fails live_scene_close() is still due.
bool live_scene_open(LiveScene* live, const char* argument, const SceneOverrides* overrides,
                     Console* console, CnError* error);
// The same of a scene that is there, which becomes the live scene's; NULL fails. label names it in
// messages.
bool live_scene_build(LiveScene* live, CnScene* scene, const char* label,
                      const SceneOverrides* overrides, Console* console, CnError* error);
// The state in a file, with what the command line says instead of its settings.
bool live_scene_load_state(LiveScene* live, const char* path, const SceneOverrides* overrides,
                           CnError* error);
void live_scene_close(LiveScene* live);
