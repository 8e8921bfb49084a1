// scene_trips.h - scenes from texts, and there and back through a file.
#pragma once

#include "support/test.h"

#include "cairn/scene.h"

CnScene* scene_from_text(const char* text); // fails the test when it does not load

// The world's hash after so many steps of the scene's dt.
uint64_t scene_hash_after(const CnScene* scene, int steps);

// The scene is saved in the folder and loaded again: its world then has the same bits after 0 and
// after `steps` steps, and saving it once more gives the same bytes.
void check_scene_trip(const CnScene* scene, int steps, const char* folder);
