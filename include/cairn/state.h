// state.h - copies, saves and restores a world; the following steps have the same bits.
//
//     cn_world_save_state(world, "run.state", &error);
//     ...
//     CnWorld* again = cn_scene_build(scene, NULL, &error); // the same scene, or the same calls
//     cn_world_load_state(again, "run.state", &error);
//     cn_world_step(again, dt, NULL, NULL);                 // as if the run had never stopped
//
// A state is all that the next step reads and that steps or calls may change: time, settings of
// the world, motion and settings of bodies, forces applied for the next step, joints with their
// targets and what they remember, contacts with their impulses, events, warnings. It does not say
// what a world is made of: bodies, shapes, joints and constraints are there already in the world
// that it is loaded into, made in the same order by the same calls. A state that was made by
// another world is refused, with a sentence that says what differs. docs/manual/state.md.
//
// Functions of the user's (forces, constraints, springs, contact hooks, warm-start policy) and user
// data of bodies are those of the world that is loaded into. Data of a user's constraint are copied
// as bytes: pointers in them mean nothing to another process.
//
// The contacts and the problem of the last step can be read again after the next one.
#pragma once

#include "cairn/world.h"

// Another world like this one: ids, order and every bit of the steps that follow. It shares nothing
// with the first but functions and data of the user's. hooks: where its memory, log and tasks come
// from, the rest of that def does not count; NULL: as those of the first. NULL when memory runs out
// or a step is under way.
CN_API CnWorld* cn_world_clone(const CnWorld* world, const CnWorldDef* hooks, CnError* error);

// To a file, and from one. Saving: CN_INVALID when the file cannot be written or a step is under
// way. Loading: CN_INVALID, with a sentence, when the file is no state, was cut off or damaged, was
// saved by another version of Cairn, or is that of another world. A state that is refused changes
// nothing. Pointers that were read before (names of bodies, problems) must be read again.
CN_API CnStatus cn_world_save_state(const CnWorld* world, const char* path, CnError* error);
CN_API CnStatus cn_world_load_state(CnWorld* world, const char* path, CnError* error);

// The same bytes in memory. *bytes [*size] come from the world's allocator and belong to the
// caller, who returns them with cn_world_release_state(), of this world or one with the same
// allocator.
CN_API CnStatus cn_world_save_state_memory(const CnWorld* world, void** bytes, size_t* size,
                                           CnError* error);
CN_API CnStatus cn_world_load_state_memory(CnWorld* world, const void* bytes, size_t size,
                                           CnError* error);
CN_API void cn_world_release_state(const CnWorld* world, void* bytes); // NULL is fine
