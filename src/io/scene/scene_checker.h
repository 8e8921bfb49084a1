// scene_checker.h - the state of checking a scene that can run, shared by the files of the checker.
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
    CnMap told; // pairs of bodies whose mass ratio was told
} CnSceneChecker;

// Of the value at this path, or as near to it as the file goes; 0: there is no file.
int cn_scene_line_of(const CnSceneChecker* checker, const char* path);

// Constraints and joints that ask for what others already imply.
void cn_scene_check_redundancy(const CnSceneChecker* checker);

// Joints that start apart or outside their limits, and motors and springs that will not do much.
void cn_scene_check_joints(const CnSceneChecker* checker);

// Series that nothing uses.
void cn_scene_check_series(const CnSceneChecker* checker);
