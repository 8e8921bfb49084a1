// scene_save.h - shared by the files that write scenes.
#pragma once

#include "io/scene/scene_fields.h"

// A scene being written, with the names by which things refer to each other: their own; invented
// ones if they have none and are referred to; NULL if nothing refers to them.
typedef struct CnSceneWriter {
    const CnScene* scene;
    CnArena arena; // of made-up names
    const char **materials, **series, **bodies, **joints;
    CnJsonWriter json;
} CnSceneWriter;

// The text of a scene file, to be destroyed by the caller; CN_NO_MEMORY, or json->failed.
CnStatus cn_scene_write(const CnScene* scene, CnJsonWriter* json, CnError* error);

// Fills the names. False: no memory.
bool cn_scene_name_all(CnSceneWriter* writer);

// NULL for none.
const char* cn_scene_material_name(const CnSceneWriter* writer, CnMaterialId material);
const char* cn_scene_series_name(const CnSceneWriter* writer, CnSeriesId series);
const char* cn_scene_body_name(const CnSceneWriter* writer, CnBodyId body); // "world" for none
const char* cn_scene_joint_name(const CnSceneWriter* writer, CnJointId joint);

void cn_scene_save_joint(CnSceneWriter* writer, const CnJointDef* def);

// An array of two; NULL becomes null. key: NULL in an array.
void cn_scene_save_two_names(CnJsonWriter* json, const char* key, const char* a, const char* b);
