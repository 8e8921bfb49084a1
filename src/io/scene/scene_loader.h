// scene_loader.h - the state of loading a scene, shared by its files, and its entry points.
#pragma once

#include "io/scene/scene_fields.h"

typedef struct CnSceneLoader {
    CnScene* scene;
    const char* path; // of the scene file; paths of other files are relative to its folder
    CnErrorList* errors;
    CnArena scratch;                      // empty between things
    CnMap failed;                         // name keys of things that could not be added
    const struct CnSceneLoader* includer; // loads the file that includes this one; NULL: none
} CnSceneLoader;

// Each adds one thing to the scene, or reports an error.
typedef void CnSceneLoadFunction(CnSceneLoader* loader, const CnJson* value);
CnSceneLoadFunction cn_scene_load_material, cn_scene_load_pair, cn_scene_load_series;
CnSceneLoadFunction cn_scene_load_body;
CnSceneLoadFunction cn_scene_load_contact, cn_scene_load_constraint, cn_scene_load_joint,
    cn_scene_load_force, cn_scene_load_exclusion;

// Bodies and groups of them that repeat; then what acts on them.
void cn_scene_load_bodies(CnSceneLoader* loader, const CnSceneThings* things);
void cn_scene_load_links(CnSceneLoader* loader, const CnSceneThings* things);

// The path of the file that a value names, from the folder of the scene file, in loader->scratch.
// NULL after an error was reported. what: "a shape", for messages.
const char* cn_scene_find_file(CnSceneLoader* loader, const CnJson* value, const char* what);

// Parts of a body; what they point to is in loader->scratch. false after an error was reported.
bool cn_scene_read_rotation(const CnSceneLoader* loader, const CnJson* value, CnQuat* rotation);
bool cn_scene_read_shape(CnSceneLoader* loader, const CnJson* value, CnShapeDef* def);

// Fills points, triangles or heights from fields->file.
bool cn_scene_load_shape_file(CnSceneLoader* loader, CnSceneShapeFields* fields);

// Fills the samples from the file that value names.
bool cn_scene_load_series_file(CnSceneLoader* loader, const CnJson* value, CnSeriesDef* def);

// Reports an error at the field of object that a place function refused, or at the deepest value on
// that path that exists.
void cn_scene_report_refused(const CnSceneLoader* loader, const CnJson* object,
                             const CnFieldPath* field, const CnError* error);

// Things that refer to one that failed are skipped: one message per mistake. NULL is allowed.
void cn_scene_remember_failed(CnSceneLoader* loader, CnNameKind kind, const char* name);
bool cn_scene_failed_before(const CnSceneLoader* loader, CnNameKind kind, const char* name);

// The id of the thing that a key of object names; null for NULL, and for the name of the world.
// False if there is no such thing, or if it failed before, which is not reported again.
bool cn_scene_read_material(const CnSceneLoader* loader, const CnJson* object, const char* key,
                            const char* name, CnMaterialId* id);
bool cn_scene_read_series(const CnSceneLoader* loader, const CnJson* object, const char* key,
                          const char* name, CnSeriesId* id);
bool cn_scene_read_body(const CnSceneLoader* loader, const CnJson* object, const char* key,
                        const char* name, CnBodyId* id);
bool cn_scene_read_joint(const CnSceneLoader* loader, const CnJson* object, const char* key,
                         const char* name, CnJointId* id); // of one that comes before

// Two bodies from an array of two names.
bool cn_scene_read_two_bodies(const CnSceneLoader* loader, const CnJson* object, const char* key,
                              const CnJson* value, CnBodyId ids[2]);

// Two strings; where allowed, null means none. what: "bodies", for messages.
bool cn_scene_read_two_names(const CnSceneLoader* loader, const CnJson* value, const char* what,
                             bool may_be_null, const char* names[2]);

// ---- for those who load scenes ----

// Reports every error; NULL if there was one. path is that of the scene file, for the files it
// names ("": relative to the working directory); fallback_name is used if the file has no name.
CnScene* cn_scene_load(const CnJson* top, const char* path, const char* fallback_name,
                       CnErrorList* errors);

// The same for a file that another one includes.
CnScene* cn_scene_load_included(const CnJson* top, const char* path, const CnSceneLoader* includer,
                                CnErrorList* errors);

// From a file or, for "-", standard input; *top is the file's tree in the arena, or NULL.
CnScene* cn_scene_load_file(const char* path, CnArena* arena, CnErrorList* errors,
                            const CnJson** top);
