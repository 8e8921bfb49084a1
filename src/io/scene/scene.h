// scene.h - the inside of a scene, and its functions with the field that is wrong.
//
// A cn_scene_place_* function does what its public twin cn_scene_add_* does; when it refuses, it
// also tells the loader which field to point at ("shapes[1].radius"; NULL: nobody asks).
#pragma once

#include "base/arena.h"
#include "base/array.h"
#include "base/hash.h"
#include "cairn/scene.h"

#define CN_WORLD_NAME "world" // the immovable body's, which no other may have

typedef struct CnFieldPath {
    char text[64];
} CnFieldPath;

typedef enum CnNameKind {
    CN_NAME_MATERIAL,
    CN_NAME_SERIES,
    CN_NAME_BODY,
    CN_NAME_CONTACT,
    CN_NAME_CONSTRAINT,
    CN_NAME_JOINT,
} CnNameKind;

typedef struct CnScenePair {
    const char *a, *b; // names of materials
    double friction, restitution;
    double static_friction; // 0: the same as friction
} CnScenePair;

typedef struct CnSceneExclusion {
    const char *a, *b; // names of bodies
} CnSceneExclusion;

// All names, shapes and samples are copies in the arena.
struct CnScene {
    CnArena arena;
    CnArena scratch; // empty between calls, so that taking and giving back costs nothing
    const char* name;
    CnSceneSettings settings;
    CN_ARRAY(CnMaterialDef) materials;
    CN_ARRAY(CnScenePair) pairs;
    CN_ARRAY(CnSeriesDef) series;
    CN_ARRAY(CnSceneBody) bodies;
    CN_ARRAY(CnSceneContact) contacts;
    CN_ARRAY(CnSceneConstraint) constraints;
    CN_ARRAY(CnSceneJoint) joints;
    CN_ARRAY(CnSceneForce) forces;
    CN_ARRAY(CnSceneExclusion) exclusions;
    CnMap names; // cn_scene_name_key() to the index of the first thing with that key
};

CnStatus cn_scene_place_material(CnScene* scene, const CnMaterialDef* def, CnFieldPath* field,
                                 CnError* error);
CnStatus cn_scene_place_material_pair(CnScene* scene, const CnScenePair* pair, CnFieldPath* field,
                                      CnError* error);
CnStatus cn_scene_place_series(CnScene* scene, const CnSeriesDef* def, CnFieldPath* field,
                               CnError* error);
CnStatus cn_scene_place_body(CnScene* scene, const CnSceneBody* body, CnFieldPath* field,
                             CnError* error);
CnStatus cn_scene_place_contact(CnScene* scene, const CnSceneContact* contact, CnFieldPath* field,
                                CnError* error);
CnStatus cn_scene_place_constraint(CnScene* scene, const CnSceneConstraint* constraint,
                                   CnFieldPath* field, CnError* error);
CnStatus cn_scene_place_joint(CnScene* scene, const CnSceneJoint* joint, CnFieldPath* field,
                              CnError* error);
CnStatus cn_scene_place_force(CnScene* scene, const CnSceneForce* force, CnFieldPath* field,
                              CnError* error);
CnStatus cn_scene_place_exclusion(CnScene* scene, const CnSceneExclusion* exclusion,
                                  CnFieldPath* field, CnError* error);

// Settings are checked in parts, so that a loader can tell one mistake of each. Whether the solver
// has the friction asked for is left to the world: either may still be set to another.
#define CN_SETTINGS_PARTS 5
CnStatus cn_scene_check_settings(const CnSceneSettings* settings, int part, CnFieldPath* field,
                                 CnError* error);

// -1: there is none.
int cn_scene_find(const CnScene* scene, CnNameKind kind, const char* name);
CnScenePair* cn_scene_find_pair(const CnScene* scene, const char* a, const char* b);

// The same for two names only if they are the same name of the same kind, or by rare chance.
uint64_t cn_scene_name_key(CnNameKind kind, const char* name);

// For those who write place functions.

// Fills field and error; returns CN_INVALID.
__attribute__((format(printf, 4, 5))) CnStatus
cn_scene_refuse(CnFieldPath* field, const char* name, CnError* error, const char* format, ...);
CnStatus cn_scene_no_memory(CnError* error);

// The name is free, not empty, and text. NULL is fine.
CnStatus cn_scene_check_name(const CnScene* scene, CnNameKind kind, const char* name,
                             const char* field_name, CnFieldPath* field, CnError* error);

// There is a thing of that name; the sentence offers the nearest one. Fills *index.
CnStatus cn_scene_resolve(CnScene* scene, CnNameKind kind, const char* name, const char* field_name,
                          int* index, CnFieldPath* field, CnError* error);

// Two different bodies, of which impulses can move at least one. Fills their indices, -1 for the
// world where that is allowed.
CnStatus cn_scene_resolve_partners(CnScene* scene, const char* a, const char* b,
                                   const bool may_be_world[2], int body[2], CnFieldPath* field,
                                   CnError* error);
const char* cn_scene_body_name(const CnScene* scene, int body); // -1: the world's

// Makes the thing at index findable. False: no memory.
bool cn_scene_register(CnScene* scene, CnNameKind kind, const char* name, int index);

// A copy in the arena; *copy is NULL for NULL. False: no memory.
bool cn_scene_copy_text(CnScene* scene, const char* text, const char** copy);

// Sets mass, center and inertia of the def to those of the body's shapes, scaled to this mass
// [kg]. False when the shapes have no volume. Shapes that cn_scene_place_body() would refuse are
// left to it: the mass then stays as it was.
bool cn_scene_mass_from_shapes(const CnScene* scene, CnSceneBody* body, double mass);

// The kinds of constraint a scene can name.
typedef struct CnSceneKind {
    const char* name;
    const CnConstraintKind* (*kind)(void);
    int body_count;
    bool has_point_a, has_point_b, has_length;
} CnSceneKind;
extern const CnSceneKind cn_scene_kinds[];
extern const int cn_scene_kind_count;
const CnSceneKind* cn_scene_kind_find(const char* name); // NULL: none

// What the scene's things are called in the world, in the scene's order.
typedef struct CnSceneIds {
    CnMaterialId* materials;     // [scene->materials.count]
    CnSeriesId* series;          // [scene->series.count]
    CnBodyId* bodies;            // [scene->bodies.count]
    CnConstraintId* constraints; // [scene->constraints.count]
    CnJointId* joints;           // [scene->joints.count]
} CnSceneIds;

// cn_scene_build() that also tells the ids, in arrays from the arena.
CnWorld* cn_scene_build_world(const CnScene* scene, const CnWorldDef* hooks, CnArena* arena,
                              CnSceneIds* ids, CnError* error);
