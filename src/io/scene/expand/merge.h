// merge.h - copying the things of one scene into another, moved and renamed.
#pragma once

#include "io/scene/scene.h"

// A part is copied into a scene. Its first things may be those of the scene itself, so that what
// follows can refer to them: they are not copied.
typedef struct CnSceneMerge {
    CnScene* scene;
    const CnScene* part;
    CnScenePlacement placement;
    int shared_materials, shared_pairs, shared_series;
    CnBodyId* bodies; // of the part: who it is in the scene; none: not there   [part->bodies]
    int first_body, last_body; // those to be copied: first <= place < last; fills their bodies[]
} CnSceneMerge;

// Things that refer to a body that is not there are left out. When a name is taken nothing is
// added; *name tells which (may be NULL).
CnStatus cn_scene_merge(const CnSceneMerge* merge, CnError* error);
