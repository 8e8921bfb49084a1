// scene_save.h - what the files that write scenes share.
#pragma once

#include "io/scene/scene_fields.h"

void cn_scene_save_joint(const CnSceneJoint* joint, CnJsonWriter* writer);

// An array of two; NULL becomes null. key: NULL in an array.
void cn_scene_save_two_names(CnJsonWriter* writer, const char* key, const char* a, const char* b);
