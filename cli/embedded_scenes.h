// embedded_scenes.h - the scene files below scenes/, embedded in the program.
#pragma once

#include <stddef.h>

typedef struct EmbeddedScene {
    const char* name; // of the file, without .json
    const char* text; // [length], not terminated
    size_t length;
} EmbeddedScene;

extern const EmbeddedScene embedded_scenes[]; // by name   [embedded_scene_count]
extern const int embedded_scene_count;
