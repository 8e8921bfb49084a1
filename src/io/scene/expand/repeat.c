// repeat.c - groups of bodies, with all that acts on them, that stand in a scene several times.
//
// A group is loaded once, into a scene of its own that begins with the materials, series and bodies
// around it, so that it can refer to them. Then it is copied into the scene around it.
#include "base/error.h"
#include "io/scene/expand/expand.h"
#include "io/scene/expand/merge.h"
#include <stdio.h>
#include <string.h>

#define MOST_COPIES 1000000
#define PREVIOUS ":previous" // behind the name of a body: that of the copy before

typedef struct RepeatGroup {
    CnScene* part;
    int shared_bodies;   // of the scene around it
    int first_ghost;     // place of the first body that stands for one of the copy before
    CnBodyId* bodies;    // of the part: who they are in the scene   [part->bodies.count]
    const CnJson* value; // where it stands in the file
    CnSceneRepeatFields fields;
    CnVec3 axis;  // of the turn from one copy to the next
    double angle; // [rad]
} RepeatGroup;

// ---- what is around the group ----

// The things themselves stay where they are; the group's scene lives shorter.
static bool share_surroundings(const CnScene* scene, CnScene* part) {
    const CnAllocator* allocator = &part->arena.allocator;
    bool ok = cn_array_copy(&part->materials, allocator, &scene->materials) &&
              cn_array_copy(&part->pairs, allocator, &scene->pairs) &&
              cn_array_copy(&part->series, allocator, &scene->series) &&
              cn_array_copy(&part->bodies, allocator, &scene->bodies);
    for (int i = 0; ok && i < part->materials.count; ++i) {
        ok = cn_scene_register(part, CN_NAME_MATERIAL, part->materials.data[i].name, i);
    }
    for (int i = 0; ok && i < part->series.count; ++i) {
        ok = cn_scene_register(part, CN_NAME_SERIES, part->series.data[i].name, i);
    }
    for (int i = 0; ok && i < part->bodies.count; ++i) {
        ok = cn_scene_register(part, CN_NAME_BODY, part->bodies.data[i].name, i);
    }
    return ok;
}

// A body for each one of the group, by whose name things refer to that of the copy before.
static bool add_ghosts(RepeatGroup* group) {
    CnScene* part = group->part;
    group->first_ghost = part->bodies.count;
    bool ok = true;
    for (int i = group->shared_bodies; ok && i < group->first_ghost; ++i) {
        CnBodyDef ghost = part->bodies.data[i];
        if (ghost.name == NULL) {
            continue;
        }
        size_t size = strlen(ghost.name) + sizeof PREVIOUS;
        char* name = CN_ARENA_NEW(&part->arena, char, size);
        if (name == NULL) {
            return false;
        }
        snprintf(name, size, "%s" PREVIOUS, ghost.name);
        ghost.name = name;
        ok = cn_scene_register(part, CN_NAME_BODY, name, part->bodies.count) &&
             cn_array_push(&part->bodies, &part->arena.allocator, ghost);
    }
    return ok;
}

// ---- copies ----

// Turned about the origin of the world and then moved, so many times as far.
static CnTransform pose_of_copy(const RepeatGroup* group, int copy) {
    CnVec3 d = group->fields.position;
    return (CnTransform){
        .position = cn_vec3_scale((double)copy, d),
        .rotation = copy == 0 || group->angle == 0.0
                        ? cn_quat_identity()
                        : cn_quat_from_axis_angle(group->axis, copy * group->angle),
    };
}

// Ghosts become the bodies that were copied last; in the first copy there are none.
static void aim_ghosts(const RepeatGroup* group) {
    int ghost = group->first_ghost;
    for (int i = group->shared_bodies; i < group->first_ghost; ++i) {
        if (group->part->bodies.data[i].name != NULL) {
            group->bodies[ghost++] = group->bodies[i];
        }
    }
}

static bool copy_group(CnSceneLoader* loader, RepeatGroup* group) {
    const CnScene* scene = loader->scene;
    CnSceneMerge merge = {.scene = loader->scene,
                          .part = group->part,
                          .shared_materials = scene->materials.count,
                          .shared_pairs = scene->pairs.count,
                          .shared_series = scene->series.count,
                          .bodies = group->bodies,
                          .first_body = group->shared_bodies,
                          .last_body = group->first_ghost};
    for (int i = 0; i < group->shared_bodies; ++i) {
        group->bodies[i] = CN_SCENE_ID(CnBodyId, i);
    }
    for (int copy = 0; copy < group->fields.count; ++copy) {
        char suffix[16];
        CnError error;
        CnFieldPath here = {""};
        snprintf(suffix, sizeof suffix, "_%d", copy + 1);
        merge.placement = (CnScenePlacement){.pose = pose_of_copy(group, copy), .suffix = suffix};
        aim_ghosts(group);
        if (cn_scene_merge(&merge, &error) != CN_OK) {
            cn_scene_report_refused(loader, group->value, &here, &error);
            return false;
        }
    }
    return true;
}

// ---- the group itself ----

static bool check_fields(const CnSceneLoader* loader, RepeatGroup* group) {
    const CnSceneRepeatFields* fields = &group->fields;
    CnQuat rotation = cn_quat_identity();
    if (fields->count < 1 || fields->count > MOST_COPIES) {
        return cn_report_error_at(loader->errors, cn_json_member(group->value, "count"),
                                  "count is %d; it must be from 1 to %d", fields->count,
                                  MOST_COPIES);
    }
    if (fields->rotation == NULL) {
        return true;
    }
    if (!cn_scene_read_rotation(loader, fields->rotation, &rotation)) {
        return false;
    }
    CnVec3 turn = cn_quat_log(cn_quat_normalize(rotation));
    group->angle = cn_vec3_length(turn);
    group->axis = group->angle > 0.0 ? cn_vec3_scale(1.0 / group->angle, turn) : turn;
    return true;
}

// The things of the group, into its own scene.
static bool load_group(CnSceneLoader* loader, RepeatGroup* group) {
    CnScene* around = loader->scene;
    int errors = loader->errors->error_count;
    group->shared_bodies = around->bodies.count;
    group->part = cn_scene_create(NULL, NULL);
    if (group->part == NULL || !share_surroundings(around, group->part)) {
        return cn_report_no_memory(loader->errors);
    }
    loader->scene = group->part;
    cn_scene_load_bodies(loader, &group->fields.things);
    bool ok = add_ghosts(group) || cn_report_no_memory(loader->errors);
    if (ok) {
        cn_scene_load_links(loader, &group->fields.things);
    }
    loader->scene = around;
    return ok && loader->errors->error_count == errors;
}

void cn_scene_load_repeat(CnSceneLoader* loader, const CnJson* value) {
    RepeatGroup group = {.value = value};
    CnArena arena;
    cn_arena_init(&arena, NULL);
    if (cn_fields_read(&cn_scene_repeat_table, value, &group.fields, loader->errors) &&
        check_fields(loader, &group) && load_group(loader, &group)) {
        group.bodies = CN_ARENA_NEW(&arena, CnBodyId, group.part->bodies.count);
        if (group.bodies != NULL) {
            copy_group(loader, &group);
        } else {
            cn_report_no_memory(loader->errors);
        }
    }
    cn_scene_destroy(group.part);
    cn_arena_destroy(&arena);
}
