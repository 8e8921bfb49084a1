// scene.h - the internals of a scene, with functions that name the field at fault.
//
// A cn_scene_place_* function does the same as the public cn_scene_add_*. If it refuses, it also
// fills `field`, the path of the field at fault ("shapes[1].radius"); NULL: not wanted.
#pragma once

#include "base/arena.h"
#include "base/array.h"
#include "base/hash.h"
#include "cairn/scene.h"
#include "io/text/text.h"

#define CN_WORLD_NAME "world" // name of the immovable body, reserved

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

// The kinds of constraint that a file can contain.
typedef struct CnPointKind {
    const char* name;
    const CnConstraintKind* (*kind)(void);
    size_t data_size; // of its CnConstraintDef.data
    int body_count;
    bool has_point_a, has_point_b, has_length;
} CnPointKind;
extern const CnPointKind cn_point_kinds[];
extern const int cn_point_kind_count;
const CnPointKind* cn_point_kind_find(const char* name); // NULL: none

// A constraint of such a kind, with its points as in a file: in world axes at the initial pose.
typedef struct CnPointConstraint {
    const char* name;
    const CnPointKind* kind;
    CnBodyId body_a, body_b; // body_b: none for a kind of one body
    CnVec3 point_a, point_b; // [m]
    double length;           // [m]; 0: the distance of the points
    bool collide;
    CnKeeping keep;
} CnPointConstraint;

typedef struct CnExcludedPair {
    CnBodyId a, b;
} CnExcludedPair;

// Where a body starts, when that is not where its def has it.
typedef struct CnSceneStart {
    CnBodyId body;
    CnBodyState state;
} CnSceneStart;

// All names, shapes and samples are copies in the arena. Ids in the defs refer to this scene.
struct CnScene {
    CnArena arena;
    CnArena scratch; // empty between calls
    const char* name;
    CnSceneSettings settings;
    CN_ARRAY(CnMaterialDef) materials;
    CN_ARRAY(CnMaterialPair) pairs;
    CN_ARRAY(CnSeriesDef) series;
    CN_ARRAY(CnBodyDef) bodies;
    CN_ARRAY(CnContactDef) contacts;
    CN_ARRAY(CnPointConstraint) constraints;
    CN_ARRAY(CnJointDef) joints;
    CN_ARRAY(CnForceDef) forces; // point, force and torque in world axes at the initial pose
    CN_ARRAY(CnExcludedPair) exclusions;
    CN_ARRAY(CnSceneStart) starts; // in the order of their bodies
    CnMap names; // cn_scene_name_key() to the index of the first thing with that key
};

// The id of the thing at this index of its array; a new world assigns the same ids.
#define CN_SCENE_ID(Type, place) ((Type){.index = (uint32_t)(place) + 1, .generation = 1})

// The index of a thing in an array of count things; -1: the id is null, or not of this scene.
#define CN_SCENE_PLACE(id, count) cn_scene_place_of((id).index, (id).generation, count)
static inline int cn_scene_place_of(uint32_t index, uint32_t generation, int count) {
    return generation == 1 && index >= 1 && index <= (uint32_t)count ? (int)index - 1 : -1;
}

CnStatus cn_scene_place_material(CnScene* scene, const CnMaterialDef* def, CnFieldPath* field,
                                 CnError* error);
CnStatus cn_scene_place_material_pair(CnScene* scene, const CnMaterialPair* pair,
                                      CnFieldPath* field, CnError* error);
CnStatus cn_scene_place_series(CnScene* scene, const CnSeriesDef* def, CnFieldPath* field,
                               CnError* error);
CnStatus cn_scene_place_body(CnScene* scene, const CnBodyDef* def, CnFieldPath* field,
                             CnError* error);
CnStatus cn_scene_place_start(CnScene* scene, const CnSceneStart* start, CnFieldPath* field,
                              CnError* error);
CnStatus cn_scene_place_contact(CnScene* scene, const CnContactDef* def, CnFieldPath* field,
                                CnError* error);
CnStatus cn_scene_place_constraint(CnScene* scene, const CnPointConstraint* constraint,
                                   CnFieldPath* field, CnError* error);
CnStatus cn_scene_place_joint(CnScene* scene, const CnJointDef* def, CnFieldPath* field,
                              CnError* error);
// Point, force and torque in world axes.
CnStatus cn_scene_place_force(CnScene* scene, const CnForceDef* def, CnFieldPath* field,
                              CnError* error);
CnStatus cn_scene_place_exclusion(CnScene* scene, const CnExcludedPair* pair, CnFieldPath* field,
                                  CnError* error);

// Settings are checked in parts, so that a loader can report one mistake of each. The world checks
// whether the solver supports the friction model, because either may still be changed.
#define CN_SETTINGS_PARTS 5
CnStatus cn_scene_check_settings(const CnSceneSettings* settings, int part, CnFieldPath* field,
                                 CnError* error);

// -1: there is none.
int cn_scene_find(const CnScene* scene, CnNameKind kind, const char* name);
const CnSceneStart* cn_scene_find_start(const CnScene* scene, CnBodyId body); // NULL: none
CnMaterialPair* cn_scene_find_pair(const CnScene* scene, CnMaterialId a, CnMaterialId b);

// Equal for two names only if they are the same name of the same kind, except for rare collisions.
uint64_t cn_scene_name_key(CnNameKind kind, const char* name);

// Used by the place functions.

// Fills field and error; returns CN_INVALID.
__attribute__((format(printf, 4, 5))) CnStatus
cn_scene_refuse(CnFieldPath* field, const char* name, CnError* error, const char* format, ...);
CnStatus cn_scene_no_memory(CnError* error);

// The name is unused, not empty, and UTF-8 text. NULL is allowed.
CnStatus cn_scene_check_name(const CnScene* scene, CnNameKind kind, const char* name,
                             const char* field_name, CnFieldPath* field, CnError* error);

// Finds the thing of that name; the error message offers the nearest name. Fills *index.
CnStatus cn_scene_resolve(CnScene* scene, CnNameKind kind, const char* name, const char* field_name,
                          int* index, CnFieldPath* field, CnError* error);

// The ids are null or of this scene; otherwise CN_STALE.
CnStatus cn_scene_check_material(const CnScene* scene, CnMaterialId material,
                                 const char* field_name, CnFieldPath* field, CnError* error);
CnStatus cn_scene_check_series_id(const CnScene* scene, CnSeriesId series, const char* field_name,
                                  CnFieldPath* field, CnError* error);

// The body is of this scene, or null where the world is allowed.
CnStatus cn_scene_check_body(const CnScene* scene, CnBodyId body, bool may_be_world,
                             const char* field_name, CnFieldPath* field, CnError* error);

// Two different bodies, at least one of which is dynamic.
CnStatus cn_scene_check_partners(const CnScene* scene, CnBodyId a, CnBodyId b,
                                 const bool may_be_world[2], CnFieldPath* field, CnError* error);

// For messages: its name, "bodies[2]" if it has none, or the name of the world.
const char* cn_scene_show_body(const CnScene* scene, CnBodyId body, char shown[CN_SHOWN_SIZE]);

// Registers the name of the thing at index. False: no memory.
bool cn_scene_register(CnScene* scene, CnNameKind kind, const char* name, int index);

// A copy in the arena; *copy is NULL for NULL. False: no memory.
bool cn_scene_copy_text(CnScene* scene, const char* text, const char** copy);

// Sets mass, center and inertia of the def to those of its shapes, scaled to this mass [kg]. False
// if the shapes have no volume. If cn_scene_place_body() would refuse a shape, the mass stays
// unchanged and that function reports the error.
bool cn_scene_mass_from_shapes(const CnScene* scene, CnBodyDef* def, double mass);

// The initial pose of a body of the scene, and its centre of mass in the world.
CnTransform cn_scene_body_pose(const CnScene* scene, CnBodyId body);
CnVec3 cn_scene_body_center(const CnScene* scene, CnBodyId body);
