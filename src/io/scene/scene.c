// scene.c - scenes as values: creation, settings and names.
#include "io/scene/scene.h"

#include "base/error.h"
#include "solvers/solve/solver.h"
#include "world/validate.h"
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define DEFAULT_DT 0.001     // [s]
#define DEFAULT_DURATION 1.0 // [s]
#define NEAREST_NAMES 10000  // names compared with a misspelt one; more would be slow

static CnSceneSettings default_settings(void) {
    CnWorldDef world = cn_world_def_default();
    return (CnSceneSettings){
        .gravity = world.gravity,
        .dt = DEFAULT_DT,
        .duration = DEFAULT_DURATION,
        .step = world.step,
        .solver = world.solver,
    };
}

CnScene* cn_scene_create(const char* name, CnError* error) {
    const CnAllocator allocator = {0};
    CnScene* scene = cn_allocate(&allocator, 1, sizeof *scene);
    if (scene == NULL) {
        cn_scene_no_memory(error);
        return NULL;
    }
    cn_arena_init(&scene->arena, &allocator);
    cn_arena_init(&scene->scratch, &allocator);
    cn_map_init(&scene->names, &allocator);
    scene->settings = default_settings();
    if (!cn_scene_copy_text(scene, name != NULL ? name : "scene", &scene->name) ||
        !cn_scene_copy_text(scene, scene->settings.solver.name, &scene->settings.solver.name)) {
        cn_scene_destroy(scene);
        cn_scene_no_memory(error);
        return NULL;
    }
    return scene;
}

void cn_scene_destroy(CnScene* scene) {
    if (scene == NULL) {
        return;
    }
    const CnAllocator allocator = scene->arena.allocator;
    cn_array_free(&scene->materials, &allocator);
    cn_array_free(&scene->pairs, &allocator);
    cn_array_free(&scene->series, &allocator);
    cn_array_free(&scene->bodies, &allocator);
    cn_array_free(&scene->contacts, &allocator);
    cn_array_free(&scene->constraints, &allocator);
    cn_array_free(&scene->joints, &allocator);
    cn_array_free(&scene->forces, &allocator);
    cn_array_free(&scene->exclusions, &allocator);
    cn_array_free(&scene->starts, &allocator);
    cn_map_destroy(&scene->names);
    cn_arena_destroy(&scene->arena);
    cn_arena_destroy(&scene->scratch);
    cn_release(&allocator, scene);
}

const char* cn_scene_name(const CnScene* scene) {
    return scene->name;
}

CnSceneSettings cn_scene_settings(const CnScene* scene) {
    return scene->settings;
}

// ---- refusing ----

CnStatus cn_scene_refuse(CnFieldPath* field, const char* name, CnError* error, const char* format,
                         ...) {
    char message[sizeof error->message];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    if (field != NULL) {
        snprintf(field->text, sizeof field->text, "%s", name);
    }
    return cn_error_set(error, CN_INVALID, "%s", message);
}

CnStatus cn_scene_no_memory(CnError* error) {
    return cn_error_set(error, CN_NO_MEMORY, "memory ran out while building a scene");
}

// ---- settings ----

CnStatus cn_scene_check_settings(const CnSceneSettings* settings, int part, CnFieldPath* field,
                                 CnError* error) {
    const char *owner = "", *member = "";
    CnStatus status = CN_OK;
    switch (part) {
    case 0:
        status = cn_validate_gravity(settings->gravity, &member, error);
        break;
    case 1:
        if (!(settings->duration >= 0.0) || !isfinite(settings->duration)) {
            member = "duration";
            status = cn_error_set(error, CN_INVALID,
                                  "duration is %g s; it must be zero or positive, and finite",
                                  settings->duration);
        } else if (!isfinite(settings->start_time)) {
            member = "start_time";
            status = cn_error_set(error, CN_INVALID, "start_time is %g s; it must be finite",
                                  settings->start_time);
        }
        break;
    case 2:
        owner = "step.";
        status = cn_validate_dt(settings->dt, &member, error);
        break;
    case 3:
        owner = "step.";
        status = cn_validate_step(&settings->step, &member, error);
        break;
    default:
        owner = "solver.";
        status = cn_solver_def_check(&settings->solver, &member, error);
        break;
    }
    if (status != CN_OK && field != NULL) {
        snprintf(field->text, sizeof field->text, "%s%s", owner, member);
    }
    return status;
}

CnStatus cn_scene_set_settings(CnScene* scene, const CnSceneSettings* settings, CnError* error) {
    for (int part = 0; part < CN_SETTINGS_PARTS; ++part) {
        CnStatus status = cn_scene_check_settings(settings, part, NULL, error);
        if (status != CN_OK) {
            return status;
        }
    }
    const char* solver_name = scene->settings.solver.name;
    if (strcmp(solver_name, settings->solver.name) != 0 &&
        !cn_scene_copy_text(scene, settings->solver.name, &solver_name)) {
        return cn_scene_no_memory(error);
    }
    scene->settings = *settings;
    scene->settings.solver.name = solver_name;
    return CN_OK;
}

// ---- names ----

static const char* const kind_words[] = {"material", "series",     "body",
                                         "contact",  "constraint", "joint"};

bool cn_scene_copy_text(CnScene* scene, const char* text, const char** copy) {
    if (text == NULL) {
        *copy = NULL;
        return true;
    }
    size_t size = strlen(text) + 1;
    char* memory = CN_ARENA_NEW(&scene->arena, char, size);
    if (memory != NULL) {
        memcpy(memory, text, size);
    }
    *copy = memory;
    return memory != NULL;
}

uint64_t cn_scene_name_key(CnNameKind kind, const char* name) {
    return cn_hash_mix(cn_hash_bytes(CN_HASH_SEED, name, strlen(name)), (uint64_t)kind);
}

static int count_of(const CnScene* scene, CnNameKind kind) {
    switch (kind) {
    case CN_NAME_MATERIAL:
        return scene->materials.count;
    case CN_NAME_SERIES:
        return scene->series.count;
    case CN_NAME_BODY:
        return scene->bodies.count;
    case CN_NAME_CONTACT:
        return scene->contacts.count;
    case CN_NAME_CONSTRAINT:
        return scene->constraints.count;
    case CN_NAME_JOINT:
        return scene->joints.count;
    }
    return 0;
}

// NULL: the thing has no name.
static const char* name_of(const CnScene* scene, CnNameKind kind, int index) {
    switch (kind) {
    case CN_NAME_MATERIAL:
        return scene->materials.data[index].name;
    case CN_NAME_SERIES:
        return scene->series.data[index].name;
    case CN_NAME_BODY:
        return scene->bodies.data[index].name;
    case CN_NAME_CONTACT:
        return scene->contacts.data[index].name;
    case CN_NAME_CONSTRAINT:
        return scene->constraints.data[index].name;
    case CN_NAME_JOINT:
        return scene->joints.data[index].name;
    }
    return NULL;
}

static bool has_name(const CnScene* scene, CnNameKind kind, int index, const char* name) {
    const char* own = name_of(scene, kind, index);
    return own != NULL && strcmp(own, name) == 0;
}

bool cn_scene_register(CnScene* scene, CnNameKind kind, const char* name, int index) {
    uint64_t key = name != NULL ? cn_scene_name_key(kind, name) : 0;
    return name == NULL || cn_map_get(&scene->names, key) >= 0 ||
           cn_map_set(&scene->names, key, index);
}

// Two names may have the same key, if only by intent: then all names are compared.
int cn_scene_find(const CnScene* scene, CnNameKind kind, const char* name) {
    int found = cn_map_get(&scene->names, cn_scene_name_key(kind, name));
    if (found >= 0 && (found >= count_of(scene, kind) || !has_name(scene, kind, found, name))) {
        found = count_of(scene, kind) - 1;
        while (found >= 0 && !has_name(scene, kind, found, name)) {
            --found;
        }
    }
    return found;
}

static bool is_text(const char* name) {
    for (size_t left = strlen(name); left > 0;) {
        int size = cn_text_sequence(name, left);
        if (size == 0) {
            return false;
        }
        name += size;
        left -= (size_t)size;
    }
    return true;
}

CnStatus cn_scene_check_name(const CnScene* scene, CnNameKind kind, const char* name,
                             const char* field_name, CnFieldPath* field, CnError* error) {
    const char* word = kind_words[kind];
    char shown[CN_SHOWN_SIZE];
    if (name == NULL) {
        return CN_OK;
    }
    if (name[0] == 0 || !is_text(name)) {
        return cn_scene_refuse(field, field_name, error, "the name of a %s must %s", word,
                               name[0] == 0 ? "not be empty" : "be UTF-8 text");
    }
    if (kind == CN_NAME_BODY && strcmp(name, CN_WORLD_NAME) == 0) {
        return cn_scene_refuse(field, field_name, error,
                               "\"" CN_WORLD_NAME "\" is the name of the immovable body; choose "
                               "another");
    }
    int index = cn_scene_find(scene, kind, name);
    if (index >= 0) {
        return cn_scene_refuse(field, field_name, error, "%s %d already has the name \"%s\"", word,
                               index, cn_text_show(name, shown));
    }
    return CN_OK;
}

static const char* nearest_name(CnScene* scene, CnNameKind kind, const char* name) {
    int count = count_of(scene, kind), used = 0;
    count = count < NEAREST_NAMES ? count : NEAREST_NAMES;
    CnArenaMark mark = cn_arena_mark(&scene->scratch);
    const char** names = CN_ARENA_NEW(&scene->scratch, const char*, count);
    for (int i = 0; i < count && names != NULL; ++i) {
        const char* own = name_of(scene, kind, i);
        if (own != NULL) {
            names[used++] = own;
        }
    }
    const char* nearest = cn_nearest_name(name, names, used);
    cn_arena_release(&scene->scratch, mark);
    return nearest;
}

CnStatus cn_scene_resolve(CnScene* scene, CnNameKind kind, const char* name, const char* field_name,
                          int* index, CnFieldPath* field, CnError* error) {
    char shown[CN_SHOWN_SIZE], near_shown[CN_SHOWN_SIZE];
    name = name != NULL ? name : "";
    *index = cn_scene_find(scene, kind, name);
    if (*index >= 0) {
        return CN_OK;
    }
    cn_text_show(name, shown);
    const char* nearest = nearest_name(scene, kind, name);
    if (nearest != NULL) {
        return cn_scene_refuse(field, field_name, error,
                               "there is no %s \"%s\"; did you mean \"%s\"?", kind_words[kind],
                               shown, cn_text_show(nearest, near_shown));
    }
    return cn_scene_refuse(field, field_name, error, "there is no %s \"%s\"", kind_words[kind],
                           shown);
}

CnMaterialId cn_scene_find_material(const CnScene* scene, const char* name) {
    int place = cn_scene_find(scene, CN_NAME_MATERIAL, name);
    return place >= 0 ? CN_SCENE_ID(CnMaterialId, place) : (CnMaterialId){0};
}

CnSeriesId cn_scene_find_series(const CnScene* scene, const char* name) {
    int place = cn_scene_find(scene, CN_NAME_SERIES, name);
    return place >= 0 ? CN_SCENE_ID(CnSeriesId, place) : (CnSeriesId){0};
}

CnBodyId cn_scene_find_body(const CnScene* scene, const char* name) {
    int place = cn_scene_find(scene, CN_NAME_BODY, name);
    return place >= 0 ? CN_SCENE_ID(CnBodyId, place) : (CnBodyId){0};
}

CnJointId cn_scene_find_joint(const CnScene* scene, const char* name) {
    int place = cn_scene_find(scene, CN_NAME_JOINT, name);
    return place >= 0 ? CN_SCENE_ID(CnJointId, place) : (CnJointId){0};
}

// ---- ids ----

static CnStatus refuse_id(CnFieldPath* field, const char* field_name, CnNameKind kind,
                          CnError* error) {
    cn_scene_refuse(field, field_name, error, "%s is not the id of a %s of this scene", field_name,
                    kind_words[kind]);
    if (error != NULL) {
        error->status = CN_STALE;
    }
    return CN_STALE;
}

CnStatus cn_scene_check_material(const CnScene* scene, CnMaterialId material,
                                 const char* field_name, CnFieldPath* field, CnError* error) {
    bool ok = material.index == 0 || CN_SCENE_PLACE(material, scene->materials.count) >= 0;
    return ok ? CN_OK : refuse_id(field, field_name, CN_NAME_MATERIAL, error);
}

CnStatus cn_scene_check_series_id(const CnScene* scene, CnSeriesId series, const char* field_name,
                                  CnFieldPath* field, CnError* error) {
    bool ok = series.index == 0 || CN_SCENE_PLACE(series, scene->series.count) >= 0;
    return ok ? CN_OK : refuse_id(field, field_name, CN_NAME_SERIES, error);
}

CnStatus cn_scene_check_body(const CnScene* scene, CnBodyId body, bool may_be_world,
                             const char* field_name, CnFieldPath* field, CnError* error) {
    if (body.index != 0 && CN_SCENE_PLACE(body, scene->bodies.count) < 0) {
        return refuse_id(field, field_name, CN_NAME_BODY, error);
    }
    if (body.index == 0 && !may_be_world) {
        return cn_scene_refuse(field, field_name, error,
                               "the immovable world (\"" CN_WORLD_NAME "\") cannot be used here: "
                               "name a body of the scene");
    }
    return CN_OK;
}

static bool can_move(const CnScene* scene, CnBodyId body) {
    int place = CN_SCENE_PLACE(body, scene->bodies.count);
    return place >= 0 && scene->bodies.data[place].type == CN_BODY_DYNAMIC;
}

CnStatus cn_scene_check_partners(const CnScene* scene, CnBodyId a, CnBodyId b,
                                 const bool may_be_world[2], CnFieldPath* field, CnError* error) {
    char shown[CN_SHOWN_SIZE], other[CN_SHOWN_SIZE];
    CnStatus status = cn_scene_check_body(scene, a, may_be_world[0], "bodies[0]", field, error);
    if (status == CN_OK) {
        status = cn_scene_check_body(scene, b, may_be_world[1], "bodies[1]", field, error);
    }
    if (status != CN_OK) {
        return status;
    }
    if (a.index == b.index) {
        return cn_scene_refuse(field, "bodies", error,
                               "\"%s\" is on both sides; two different bodies are needed",
                               cn_scene_show_body(scene, a, shown));
    }
    if (!can_move(scene, a) && !can_move(scene, b)) {
        return cn_scene_refuse(field, "bodies", error, "neither \"%s\" nor \"%s\" can be moved",
                               cn_scene_show_body(scene, a, shown),
                               cn_scene_show_body(scene, b, other));
    }
    return CN_OK;
}

const char* cn_scene_show_body(const CnScene* scene, CnBodyId body, char shown[CN_SHOWN_SIZE]) {
    int place = CN_SCENE_PLACE(body, scene->bodies.count);
    const char* name = place < 0 ? CN_WORLD_NAME : scene->bodies.data[place].name;
    if (name == NULL) {
        snprintf(shown, CN_SHOWN_SIZE, "bodies[%d]", place);
        return shown;
    }
    return cn_text_show(name, shown);
}
