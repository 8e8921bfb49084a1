// scene_options.h - the options that stand for settings of a scene, as `cairn run` has them.
#pragma once

#include "run/live_scene.h"

#define SCENE_OPTION_COUNT 20

// options [SCENE_OPTION_COUNT]: they write into overrides, which must outlive them.
void scene_options(SceneOverrides* overrides, Option* options);
