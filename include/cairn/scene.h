// scene.h - a scene: everything a run needs, as a value that can be built, loaded, saved and run.
//
//     CnScene* scene = cn_scene_create("drop", NULL);
//     CnBodyId ball = cn_scene_add_body(scene, &ball_def, NULL); // the def that a world takes
//     cn_scene_save(scene, "drop.json", NULL);
//     CnWorld* world = cn_scene_build(scene, NULL, NULL);
//     cn_body_state(world, ball, &state); // the id is valid in the world too
//
// A scene takes the defs that a world takes, and a def means the same in both. It hands out ids of
// its own, and cn_scene_build() makes a world in which each of them names the same thing. Nothing
// can be removed from a scene. docs/scene.md has the file format.
#pragma once

#include "cairn/joint.h"
#include "cairn/world.h"

typedef struct CnScene CnScene;

// Everything but the things in the world.
typedef struct CnSceneSettings {
    CnVec3 gravity;    // [m/s^2]
    double dt;         // [s], > 0
    double duration;   // [s], >= 0
    double start_time; // of the world when it is built, default 0 [s]
    CnStepDef step;
    CnSolverDef solver; // name is owned by the scene once set
} CnSceneSettings;

CN_API CnScene* cn_scene_create(const char* name, CnError* error); // with default settings
CN_API void cn_scene_destroy(CnScene* scene);                      // NULL is fine
CN_API const char* cn_scene_name(const CnScene* scene);
CN_API CnSceneSettings cn_scene_settings(const CnScene* scene);

// The solver may lack the friction model for now: only cn_scene_build() checks that they fit.
CN_API CnStatus cn_scene_set_settings(CnScene* scene, const CnSceneSettings* settings,
                                      CnError* error);

// From a file; "-" is standard input. Shapes may name files of their own; these are relative to the
// scene file's folder, or to the working directory when the scene comes from standard input or from
// memory. The built-in scenes ("@pyramid:40") belong to the program, not to the library.
CN_API CnScene* cn_scene_open(const char* path, CnError* error);
CN_API CnScene* cn_scene_parse(const char* text, size_t length, const char* label, CnError* error);

// The same with single values changed first, each "path=value": "bodies.block.mass=2",
// "step.dt=0.01", "joints[0].limits=[-1, 1]". Elements of arrays go by name or index, also those
// that "repeat" and "include" make; the value is JSON, or else a string. A key that is not in the
// file is added.
CN_API CnScene* cn_scene_open_changed(const char* path, const char* const* changes, int count,
                                      CnError* error);
// The same for a scene in memory, as cn_scene_save() would write it: a new scene.
CN_API CnScene* cn_scene_change(const CnScene* scene, const char* const* changes, int count,
                                CnError* error);

// All of it in one file: what came from other files is written out.
CN_API CnStatus cn_scene_save(const CnScene* scene, const char* path, CnError* error);

// One of the errors and warnings of a scene file; all of them are listed, not only the first.
typedef struct CnSceneProblem {
    bool warning;      // the scene can run, but may not do what is expected: overlap, mass ratio,
                       // redundancy
    int line;          // 1-based; 0 when there is none
    char path[120];    // "bodies[2].mass"
    char message[280]; // one sentence
} CnSceneProblem;
// Returns how many there are; at most capacity are written. *scene_out (may be NULL) gets the scene
// if there are only warnings.
CN_API int cn_scene_check(const char* path, CnSceneProblem* problems, int capacity,
                          CnScene** scene_out, CnError* error);
// The same for a scene in memory, whose parts were checked when they were added: warnings, and
// errors that prevent it from running. These have no line numbers.
CN_API int cn_scene_find_problems(const CnScene* scene, CnSceneProblem* problems, int capacity,
                                  CnError* error);

// Adding things. Each returns the null id on failure, and error says why. A def may refer only to
// things already added to this scene. The null body id means the immovable world, wherever a world
// accepts it.
// Names are unique among things of one kind, and no body is called "world".
//
// A file refers to things by name: cn_scene_save() makes up a name ("body 3") for a thing that has
// none and is referred to. A material or series without a name that nothing refers to is not saved.
// `user` of a body reaches the world but not the file.
CN_API CnMaterialId cn_scene_add_material(CnScene* scene, const CnMaterialDef* def, CnError* error);
CN_API CnStatus cn_scene_set_material_pair(CnScene* scene, const CnMaterialPair* pair,
                                           CnError* error);
CN_API CnSeriesId cn_scene_add_series(CnScene* scene, const CnSeriesDef* def, CnError* error);
CN_API CnBodyId cn_scene_add_body(CnScene* scene, const CnBodyDef* def, CnError* error);
CN_API CnContactId cn_scene_add_contact(CnScene* scene, const CnContactDef* def, CnError* error);
CN_API CnStatus cn_scene_exclude_pair(CnScene* scene, CnBodyId a, CnBodyId b, CnError* error);

// A file cannot hold functions: `spring` must be NULL. Fields that the joint's type does not use
// are cleared. A spring_table is saved with its joint.
CN_API CnJointId cn_scene_add_joint(CnScene* scene, const CnJointDef* def, CnError* error);

// These two have points in body axes. A file has them in world axes at the initial pose, and the
// scene keeps them so: in the world they differ from the def by round-off.
// Forces: `function` must be NULL. Constraints: the kind must be one of cairn/constraint.h.
CN_API CnForceId cn_scene_add_force(CnScene* scene, const CnForceDef* def, CnError* error);
CN_API CnConstraintId cn_scene_add_constraint(CnScene* scene, const CnConstraintDef* def,
                                              CnError* error);

// Where the things of another scene go.
typedef struct CnScenePlacement {
    CnTransform pose;   // of the other scene's world in this one
    const char* prefix; // put before every name; NULL: nothing
    const char* suffix; // put after every name; NULL: nothing
} CnScenePlacement;
CN_API CnScenePlacement cn_scene_placement_default(void); // as they are

// Copies everything in `part` except its settings: materials, series, bodies and everything that
// acts on them, moved and rotated as one rigid whole and renamed. If a name exists already, nothing
// is added. This is what "include" in a file does.
CN_API CnStatus cn_scene_add_scene(CnScene* scene, const CnScene* part,
                                   const CnScenePlacement* placement, CnError* error);

// Initial state of a body, if it differs from the pose of its def. Joints, constraints and forces
// are created at the poses of the defs; then the bodies are set to these states. A joint counts
// whole turns from this state on.
CN_API CnStatus cn_scene_set_start(CnScene* scene, CnBodyId body, const CnBodyState* state,
                                   CnError* error);

// Takes over the states of all bodies, the time, and which joints are broken or disabled, from a
// world that cn_scene_build() made from this scene; a world built from the scene then starts there.
// Impulses of the last step are not part of a scene (cn_world_save_state() saves them too).
CN_API CnStatus cn_scene_take_state(CnScene* scene, const CnWorld* world, CnError* error);

// By name; the null id when there is none.
CN_API CnMaterialId cn_scene_find_material(const CnScene* scene, const char* name);
CN_API CnSeriesId cn_scene_find_series(const CnScene* scene, const char* name);
CN_API CnBodyId cn_scene_find_body(const CnScene* scene, const char* name);
CN_API CnJointId cn_scene_find_joint(const CnScene* scene, const char* name);

// Sets the mass of def [kg], and the centre and inertia of its shapes scaled to that mass. This is
// what "mass" without "inertia" in a file does. CN_INVALID: the shapes are wrong or have no volume.
CN_API CnStatus cn_scene_scale_mass(const CnScene* scene, CnBodyDef* def, double mass,
                                    CnError* error);

// A world in the scene's initial state. hooks (may be NULL) supplies allocator, log and tasks.
// NULL with CN_UNSUPPORTED: the solver does not support the friction model of the settings.
CN_API CnWorld* cn_scene_build(const CnScene* scene, const CnWorldDef* hooks, CnError* error);
