// scene_fields.h - the keys of scene files, for the loader and for saving.
#pragma once

#include "io/scene/scene.h"
#include "io/text/fields.h"

// Sections that a file and a group that repeats have in common.
typedef struct CnSceneThings {
    const CnJson *bodies, *repeat, *contacts, *constraints, *joints, *forces, *collide;
} CnSceneThings;

typedef struct CnSceneFileFields {
    int version;
    const char* name;
    CnSceneSettings settings;
    CnPreset preset;             // of settings, before step and solver change them
    const CnJson *step, *solver; // their tables fill settings
    const CnJson *include, *materials, *material_pairs, *series;
    CnSceneThings things;
} CnSceneFileFields;

typedef struct CnSceneRepeatFields {
    int count;
    CnVec3 position;        // from one copy to the next [m]
    const CnJson* rotation; // the same; NULL: none
    CnSceneThings things;
} CnSceneRepeatFields;

typedef struct CnSceneIncludeFields {
    CnScenePlacement placement;
    const CnJson *file, *rotation;
} CnSceneIncludeFields;

typedef struct CnScenePairFields {
    CnMaterialPair pair;
    const CnJson* materials;
} CnScenePairFields;

typedef struct CnSceneSeriesFields {
    const CnJson *times, *values, *file;
    const CnJson *sine, *ramp, *pulse;
} CnSceneSeriesFields;

typedef struct CnSceneBodyFields {
    CnBodyDef def;
    const char* material; // NULL: the default material
    const CnJson *rotation, *shapes, *mass, *inertia, *center, *motion, *start;
} CnSceneBodyFields;

typedef struct CnSceneStartFields {
    CnSceneStart start;
    const CnJson* rotation;
} CnSceneStartFields;

typedef struct CnSceneMotionFields {
    CnVec3 axis;
    const char* angle; // series; NULL: none
    const CnJson *position, *axes;
} CnSceneMotionFields;

typedef struct CnSceneRotationFields {
    CnVec3 axis;
    double degrees, radians;
} CnSceneRotationFields;

typedef struct CnSceneShapeFields {
    CnShapeDef def;
    const char* material; // NULL: that of the body
    const CnJson *rotation, *size, *points, *triangles, *heights, *file, *scale, *hull;
} CnSceneShapeFields;

typedef struct CnSceneContactFields {
    CnContactDef def;
    const char* material; // of both sides
    const CnJson *bodies, *materials;
} CnSceneContactFields;

typedef struct CnSceneConstraintFields {
    CnPointConstraint constraint;
    const char *kind, *body;
    const CnJson* bodies;
} CnSceneConstraintFields;

typedef struct CnSceneForceFields {
    CnForceDef def; // point, force and torque in world axes
    const char* body;
    const char* series; // NULL: none
} CnSceneForceFields;

// What an axis of a joint does.
typedef struct CnSceneAxisFields {
    CnJointAxis axis;
    const char* series;
    const CnJson *limits, *target, *spring;
} CnSceneAxisFields;

typedef struct CnSceneSpringFields {
    CnJointAxis axis;
    const CnJson* rest;
} CnSceneSpringFields;

typedef struct CnSceneDegreesFields {
    const CnJson* degrees;
} CnSceneDegreesFields;

typedef struct CnSceneJointFields {
    CnJointDef def;
    const char *body, *series, *leader, *follower;
    CnSceneAxisFields own; // of the one free axis, where the joint's type has just one
    const CnJson *bodies, *swing_limit, *swing_limit_y, *series3, *stroke, *table, *rest, *axes;
    const CnJson* offset;
} CnSceneJointFields;

typedef struct CnSceneAxesFields {
    const CnJson* axes[CN_AXIS_COUNT];
} CnSceneAxesFields;

typedef struct CnSceneCollideFields {
    const CnJson* exclude;
} CnSceneCollideFields;

extern const CnFieldTable cn_scene_file_table;       // fills CnSceneFileFields
extern const CnFieldTable cn_scene_repeat_table;     // fills CnSceneRepeatFields
extern const CnFieldTable cn_scene_include_table;    // fills CnSceneIncludeFields
extern const CnFieldTable cn_scene_step_table;       // fills CnSceneSettings
extern const CnFieldTable cn_scene_solver_table;     // fills CnSceneSettings
extern const CnFieldTable cn_scene_material_table;   // fills CnMaterialDef
extern const CnFieldTable cn_scene_pair_table;       // fills CnScenePairFields
extern const CnFieldTable cn_scene_series_table;     // fills CnSceneSeriesFields
extern const CnFieldTable cn_scene_sine_table;       // fills CnSeriesDef
extern const CnFieldTable cn_scene_ramp_table;       // fills CnSeriesDef
extern const CnFieldTable cn_scene_pulse_table;      // fills CnSeriesDef
extern const CnFieldTable cn_scene_body_table;       // fills CnSceneBodyFields
extern const CnFieldTable cn_scene_start_table;      // fills CnSceneStartFields
extern const CnFieldTable cn_scene_motion_table;     // fills CnSceneMotionFields
extern const CnFieldTable cn_scene_rotation_table;   // fills CnSceneRotationFields
extern const CnFieldTable cn_scene_shape_table;      // fills CnSceneShapeFields
extern const CnFieldTable cn_scene_contact_table;    // fills CnSceneContactFields
extern const CnFieldTable cn_scene_constraint_table; // fills CnSceneConstraintFields
extern const CnFieldTable cn_scene_joint_table;      // fills CnSceneJointFields
extern const CnFieldTable cn_scene_axes_table;       // fills CnSceneAxesFields
extern const CnFieldTable cn_scene_axis_table;       // fills CnSceneAxisFields
extern const CnFieldTable cn_scene_spring_table;     // fills CnSceneSpringFields
extern const CnFieldTable cn_scene_degrees_table;    // fills CnSceneDegreesFields
extern const CnFieldTable cn_scene_force_table;      // fills CnSceneForceFields
extern const CnFieldTable cn_scene_collide_table;    // fills CnSceneCollideFields

// How a key goes together with "file".
typedef enum CnSceneKeyUse {
    CN_KEY_ALWAYS,           // has nothing to do with it
    CN_KEY_IN_PLACE_OF_FILE, // tells what the file would
    CN_KEY_WITH_FILE,        // says how to take what is in the file
} CnSceneKeyUse;

// A key that only some types of shape have.
typedef struct CnSceneShapeKey {
    const char* key;
    unsigned types; // bit 1 << type: it has the key
    bool required;  // by the types that have it, unless the file stands in its place
    CnSceneKeyUse use;
} CnSceneShapeKey;
extern const CnSceneShapeKey cn_scene_shape_keys[];
extern const int cn_scene_shape_key_count;
const CnSceneShapeKey* cn_scene_shape_key_find(const char* key); // NULL: a key that all have
bool cn_scene_shape_has_key(CnShapeType type, const char* key);
const char* cn_scene_shape_type_name(int type); // below CN_SHAPE_TYPE_COUNT
const char* cn_scene_body_type_name(int type);

// A key that only some types of joint have.
typedef struct CnSceneJointKey {
    const char* key;
    unsigned uses; // CN_USES_...: types that use one of these have the key
    bool of_axis;  // says what the joint's one free axis does
} CnSceneJointKey;
extern const CnSceneJointKey cn_scene_joint_keys[];
extern const int cn_scene_joint_key_count;
const CnSceneJointKey* cn_scene_joint_key_find(const char* key); // NULL: a key that all have
bool cn_scene_joint_has_key(CnJointType type, const char* key);

#define CN_SCENE_FORMAT_VERSION 1
