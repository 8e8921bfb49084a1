// builtin_scenes.h - scenes made by a function of one size, for the program and the tests.
//
// They are written against include/cairn alone and are no part of the library.
#pragma once

#include "cairn/scene.h"

// Name, one line of what it is, default size.
typedef struct CnBuiltinScene {
    const char* name;
    const char* summary;
    int default_size;
} CnBuiltinScene;
int cn_builtin_scene_count(void);
CnBuiltinScene cn_builtin_scene_at(int index);

// "@name[:size]". NULL on failure, with a sentence.
CnScene* cn_builtin_scene_make(const char* argument, CnError* error);

// What the command line calls SCENE: "@name[:size]", or what cn_scene_open() takes. The sentence of
// a failure begins with the argument.
CnScene* cn_open_scene(const char* argument, CnError* error);
