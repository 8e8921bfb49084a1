// body_meshes.h - the bodies of a recording as triangles, for files of other programs.
#pragma once

#include "cairn/recording.h"

// In body axes, counter-clockwise seen from outside. Bodies that look alike share one.
typedef struct BodyMesh {
    float (*points)[3];       // [m]   [point_count]
    uint32_t (*triangles)[3]; // [triangle_count]
    int point_count, triangle_count;
} BodyMesh;

typedef struct BodyMeshes {
    BodyMesh* meshes; // [count]
    int count;
    int* of_body; // number of its mesh, -1: it has no shapes that are seen   [body_count]
} BodyMeshes;

// Sensors are left out. False with a sentence; body_meshes_free() is due in any case.
bool body_meshes_make(BodyMeshes* all, const CnRecordingInfo* info, CnError* error);
void body_meshes_free(BodyMeshes* all);
