// variant.h - one way to run a scene, written as "solver=pgs,iterations=20,bodies.block.mass=2".
#pragma once

#include "run/live_scene.h"

typedef struct Variant {
    const char* name; // as it was written; "scene" for the scene as it is
    char* words;      // the text that changes point into
    SceneOverrides overrides;
} Variant;

// base: what all variants have in common. Keys are the options of `cairn run` that change how a
// scene is solved ("iterations" is max-iterations), or paths of the scene as in --set. False when
// a sentence said what is wrong; variant_free() is due in any case.
bool variant_parse(Variant* variant, const char* text, const SceneOverrides* base,
                   const Console* console);
void variant_free(Variant* variant);
