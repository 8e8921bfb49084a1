// expand.h - what stands for more in a scene file: groups that repeat, files to include.
#pragma once

#include "io/scene/scene_loader.h"

// A group of things, repeated. Its fields are those of a file, without settings.
CnSceneLoadFunction cn_scene_load_repeat;

// Another scene file.
CnSceneLoadFunction cn_scene_load_include;
