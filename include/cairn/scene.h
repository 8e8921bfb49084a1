// scene.h - a scene: everything a run needs, as a value that can be built, loaded, saved and run.
//
// A scene is a growing list of defs with names. Loaders and programs fill it through the same
// functions; cn_scene_build() makes the world. docs/scene.md has the file format.
#pragma once

#include "cairn/joint.h"
#include "cairn/world.h"

typedef struct CnScene CnScene;

// Everything but the things in the world.
typedef struct CnSceneSettings {
    CnVec3 gravity;  // [m/s^2]
    double dt;       // [s], > 0
    double duration; // [s], >= 0
    CnStepDef step;
    CnSolverDef solver; // name is owned by the scene once set
} CnSceneSettings;

CN_API CnScene* cn_scene_create(const char* name, CnError* error); // with default settings
CN_API void cn_scene_destroy(CnScene* scene);                      // NULL is fine
CN_API const char* cn_scene_name(const CnScene* scene);
CN_API CnSceneSettings cn_scene_settings(const CnScene* scene);

// Solver and friction need not suit each other yet: cn_scene_build() looks at the last ones set.
CN_API CnStatus cn_scene_set_settings(CnScene* scene, const CnSceneSettings* settings,
                                      CnError* error);

// A file, "-" for standard input, or a built-in "@name[:size]". Shapes may name files of their own;
// these are relative to the scene file's folder, or to the working directory when the scene comes
// from standard input or from memory.
CN_API CnScene* cn_scene_open(const char* argument, CnError* error);
CN_API CnScene* cn_scene_parse(const char* text, size_t length, const char* label, CnError* error);

// All of it in one file: what came from other files is written out.
CN_API CnStatus cn_scene_save(const CnScene* scene, const char* path, CnError* error);

// What is wrong with a scene file, all of it and not just the first.
typedef struct CnSceneProblem {
    bool warning;      // the scene can run, but look at this: overlap, mass ratio, redundancy
    int line;          // 1-based; 0 when there is none
    char path[120];    // "bodies[2].mass"
    char message[280]; // one sentence
} CnSceneProblem;
// Returns how many there are; at most capacity are written. *scene_out (may be NULL) gets the scene
// when no error (as opposed to a warning) is among them.
CN_API int cn_scene_check(const char* argument, CnSceneProblem* problems, int capacity,
                          CnScene** scene_out, CnError* error);

// Names refer to things added before. "world" names the immovable body.
CN_API CnStatus cn_scene_add_material(CnScene* scene, const CnMaterialDef* def, CnError* error);
CN_API CnStatus cn_scene_set_material_pair(CnScene* scene, const char* a, const char* b,
                                           double friction, double static_friction,
                                           double restitution, CnError* error);
CN_API CnStatus cn_scene_add_series(CnScene* scene, const CnSeriesDef* def, CnError* error);

// A shape whose material is named.
typedef struct CnSceneShape {
    CnShapeDef def;
    const char* material; // NULL: that of the body
} CnSceneShape;
typedef struct CnSceneBody {
    CnBodyDef def;        // shapes and material of it are ignored
    const char* material; // NULL: the default material
    const CnSceneShape* shapes;
    int shape_count;
} CnSceneBody;
CN_API CnStatus cn_scene_add_body(CnScene* scene, const CnSceneBody* body, CnError* error);

typedef struct CnSceneForce {
    CnForceDef def; // body and series of it are ignored, function must be NULL; point is in WORLD
                    // axes at the initial pose, and so are force and torque
    const char* body;
    const char* series; // NULL: none
} CnSceneForce;
CN_API CnStatus cn_scene_add_force(CnScene* scene, const CnSceneForce* force, CnError* error);

typedef struct CnSceneContact {
    CnContactDef def; // bodies and materials of it are ignored
    const char *body_a, *body_b;
    const char *material_a, *material_b; // NULL: those of the bodies
} CnSceneContact;
CN_API CnStatus cn_scene_add_contact(CnScene* scene, const CnSceneContact* contact, CnError* error);

// Constraints of the example kinds: "distance", "anchor_distance", "pin", "unit_quaternion".
// point_a, point_b in WORLD axes at the initial pose; length 0: the distance they have there.
typedef struct CnSceneConstraint {
    const char* name;
    const char* kind;
    const char *body_a, *body_b;
    CnVec3 point_a, point_b;
    double length;
    bool collide; // two bodies: see CnConstraintDef
} CnSceneConstraint;
CN_API CnStatus cn_scene_add_constraint(CnScene* scene, const CnSceneConstraint* constraint,
                                        CnError* error);

// Points, axes and anchors in WORLD axes at the initial pose, as in a CnJointDef.
typedef struct CnSceneJoint {
    CnJointDef def;              // bodies and series of it are ignored, spring must be NULL
    const char *body_a, *body_b; // NULL: the world
    const char* series;          // of prescribed motion; NULL: none
    const char* series3[3];
    const char* axis_series[CN_AXIS_COUNT]; // of motors; NULL: none
    int table_count;                        // of a spring's table; 0: none
    const double* table_strokes;            // strictly increasing [m]   [table_count]
    const double* table_forces;             // positive pushes apart [N]   [table_count]
} CnSceneJoint;
CN_API CnStatus cn_scene_add_joint(CnScene* scene, const CnSceneJoint* joint, CnError* error);
CN_API CnStatus cn_scene_exclude_pair(CnScene* scene, const char* a, const char* b, CnError* error);

// A world in the scene's initial state. hooks (may be NULL) supplies allocator, log and tasks.
// NULL with CN_UNSUPPORTED: the solver has not the friction that the settings name.
CN_API CnWorld* cn_scene_build(const CnScene* scene, const CnWorldDef* hooks, CnError* error);

// Built-in scenes: name, one line of what it is, default size.
typedef struct CnBuiltinScene {
    const char* name;
    const char* summary;
    int default_size;
} CnBuiltinScene;
CN_API int cn_builtin_scene_count(void);
CN_API CnBuiltinScene cn_builtin_scene_at(int index);
