// scene_load.h - scenes from JSON trees.
#pragma once

#include "io/scene/scene.h"
#include "io/text/json.h"

// Complains about every mistake; NULL when there was one. path is the scene file's, for the files
// it names ("": those are in the working directory); fallback_name is the scene's when the file
// has none.
CnScene* cn_scene_load(const CnJson* top, const char* path, const char* fallback_name,
                       CnComplaints* complaints);

// From a file or, for "-", standard input; *top is the file's tree in the arena, or NULL.
CnScene* cn_scene_load_file(const char* path, CnArena* arena, CnComplaints* complaints,
                            const CnJson** top);
