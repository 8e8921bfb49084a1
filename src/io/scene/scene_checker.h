// scene_checker.h - the state of checking a scene that can run, shared by the checker's files.
#pragma once

#include "io/scene/scene.h"
#include "io/text/error_list.h"
#include "io/text/json_parser.h"

typedef struct CnSceneChecker {
    const CnScene* scene;
    const CnJson* top; // the file's tree; NULL: there is no file
    CnArena* arena;
    CnErrorList* errors;
    CnWorld* world;
    CnMap told; // pairs of bodies whose mass ratio was reported
} CnSceneChecker;

// The line of the value at this path, or of the deepest value on the path that exists; 0: no file.
int cn_scene_line_of(const CnSceneChecker* checker, const char* path);

// Constraints and joints that are implied by others.
void cn_scene_check_redundancy(const CnSceneChecker* checker);

// Joints that start apart or outside their limits, and motors and springs with little effect.
void cn_scene_check_joints(const CnSceneChecker* checker);

// Series that nothing uses.
void cn_scene_check_series(const CnSceneChecker* checker);
