// merge.c - copying the things of one scene into another, moved and renamed.
#include "io/scene/expand/merge.h"

#include "base/error.h"
#include <stdio.h>
#include <string.h>

CnScenePlacement cn_scene_placement_default(void) {
    return (CnScenePlacement){.pose = {.rotation = cn_quat_identity()}};
}

// ---- names ----

// prefix + name + suffix in the scene's scratch memory; NULL for NULL. *ok: false without memory.
static const char* new_name(const CnSceneMerge* merge, const char* name, bool* ok) {
    const char* prefix = merge->placement.prefix != NULL ? merge->placement.prefix : "";
    const char* suffix = merge->placement.suffix != NULL ? merge->placement.suffix : "";
    if (name == NULL) {
        return NULL;
    }
    size_t size = strlen(prefix) + strlen(name) + strlen(suffix) + 1;
    char* made = CN_ARENA_NEW(&merge->scene->scratch, char, size);
    *ok = *ok && made != NULL;
    if (made != NULL) {
        snprintf(made, size, "%s%s%s", prefix, name, suffix);
    }
    return made;
}

static CnStatus check_name(const CnSceneMerge* merge, CnNameKind kind, const char* name,
                           CnError* error) {
    bool ok = true;
    CnArenaMark mark = cn_arena_mark(&merge->scene->scratch);
    const char* made = new_name(merge, name, &ok);
    CnStatus status = ok ? cn_scene_check_name(merge->scene, kind, made, "name", NULL, error)
                         : cn_scene_no_memory(error);
    cn_arena_release(&merge->scene->scratch, mark);
    return status;
}

// All names before anything is added: a scene does not change by a call that fails.
static CnStatus check_names(const CnSceneMerge* merge, CnError* error) {
    const CnScene* part = merge->part;
    CnStatus status = CN_OK;
    for (int i = merge->shared_materials; status == CN_OK && i < part->materials.count; ++i) {
        status = check_name(merge, CN_NAME_MATERIAL, part->materials.data[i].name, error);
    }
    for (int i = merge->shared_series; status == CN_OK && i < part->series.count; ++i) {
        status = check_name(merge, CN_NAME_SERIES, part->series.data[i].name, error);
    }
    for (int i = merge->first_body; status == CN_OK && i < merge->last_body; ++i) {
        status = check_name(merge, CN_NAME_BODY, part->bodies.data[i].name, error);
    }
    for (int i = 0; status == CN_OK && i < part->contacts.count; ++i) {
        status = check_name(merge, CN_NAME_CONTACT, part->contacts.data[i].name, error);
    }
    for (int i = 0; status == CN_OK && i < part->constraints.count; ++i) {
        status = check_name(merge, CN_NAME_CONSTRAINT, part->constraints.data[i].name, error);
    }
    for (int i = 0; status == CN_OK && i < part->joints.count; ++i) {
        status = check_name(merge, CN_NAME_JOINT, part->joints.data[i].name, error);
    }
    return status;
}

// ---- who is who ----

typedef struct Merger {
    const CnSceneMerge* merge;
    int first_material, first_series; // in the scene: of those that are copied
    bool moves;                       // the pose is not that of the scene itself
    bool ok;                          // false: no memory for a name
    CnJointId* joints;                // of the scene, for each of the part; none: left out, or to
                                      // come   [part->joints.count]
    CnError* error;
} Merger;

static CnMaterialId material_of(const Merger* merger, CnMaterialId id) {
    int shared = merger->merge->shared_materials;
    int place = CN_SCENE_PLACE(id, merger->merge->part->materials.count);
    return place < shared ? id : CN_SCENE_ID(CnMaterialId, merger->first_material + place - shared);
}

static CnSeriesId series_of(const Merger* merger, CnSeriesId id) {
    int shared = merger->merge->shared_series;
    int place = CN_SCENE_PLACE(id, merger->merge->part->series.count);
    return place < shared ? id : CN_SCENE_ID(CnSeriesId, merger->first_series + place - shared);
}

// Whether the body is in the scene, as *found; the world always is.
static bool find_body(const Merger* merger, CnBodyId id, CnBodyId* found) {
    int place = CN_SCENE_PLACE(id, merger->merge->part->bodies.count);
    *found = place < 0 ? (CnBodyId){0} : merger->merge->bodies[place];
    return place < 0 || found->index != 0;
}

static const char* rename_thing(Merger* merger, const char* name) {
    return new_name(merger->merge, name, &merger->ok);
}

// ---- how the pose changes points and directions ----

static CnVec3 moved_point(const Merger* merger, CnVec3 point) {
    return merger->moves ? cn_transform_point(merger->merge->placement.pose, point) : point;
}

static CnVec3 turned(const Merger* merger, CnVec3 v) {
    return merger->moves ? cn_quat_rotate(merger->merge->placement.pose.rotation, v) : v;
}

// Of unit length again: a file with it must load to the same bits. Zero stays zero.
static CnVec3 turned_axis(const Merger* merger, CnVec3 axis) {
    bool is_given = cn_vec3_length(axis) > 0.0;
    return merger->moves && is_given ? cn_vec3_normalize(turned(merger, axis)) : axis;
}

static CnQuat turned_frame(const Merger* merger, CnQuat q) {
    return merger->moves
               ? cn_quat_normalize(cn_quat_multiply(merger->merge->placement.pose.rotation, q))
               : q;
}

// ---- things: each returns CN_OK when it was added or left out ----

static CnStatus add_materials(Merger* merger) {
    const CnSceneMerge* merge = merger->merge;
    CnStatus status = CN_OK;
    for (int i = merge->shared_materials; status == CN_OK && i < merge->part->materials.count;
         ++i) {
        CnMaterialDef def = merge->part->materials.data[i];
        def.name = rename_thing(merger, def.name);
        status = cn_scene_place_material(merge->scene, &def, NULL, merger->error);
    }
    for (int i = merge->shared_pairs; status == CN_OK && i < merge->part->pairs.count; ++i) {
        CnMaterialPair pair = merge->part->pairs.data[i];
        pair.a = material_of(merger, pair.a);
        pair.b = material_of(merger, pair.b);
        status = cn_scene_place_material_pair(merge->scene, &pair, NULL, merger->error);
    }
    return status;
}

static CnStatus add_series(Merger* merger) {
    const CnSceneMerge* merge = merger->merge;
    CnStatus status = CN_OK;
    for (int i = merge->shared_series; status == CN_OK && i < merge->part->series.count; ++i) {
        CnSeriesDef def = merge->part->series.data[i];
        def.name = rename_thing(merger, def.name);
        status = cn_scene_place_series(merge->scene, &def, NULL, merger->error);
    }
    return status;
}

static CnStatus add_start(Merger* merger, int place) {
    const CnSceneMerge* merge = merger->merge;
    const CnSceneStart* known = cn_scene_find_start(merge->part, CN_SCENE_ID(CnBodyId, place));
    if (known == NULL) {
        return CN_OK;
    }
    const CnBodyState* state = &known->state;
    const CnSceneStart start = {
        .body = merge->bodies[place],
        .state = {.center = moved_point(merger, state->center),
                  .rotation = turned_frame(merger, state->rotation),
                  .velocity = turned(merger, state->velocity),
                  .angular_velocity = turned(merger, state->angular_velocity)}};
    return cn_scene_place_start(merge->scene, &start, NULL, merger->error);
}

static CnStatus add_body(Merger* merger, int place) {
    const CnSceneMerge* merge = merger->merge;
    CnScene* scene = merge->scene;
    CnBodyDef def = merge->part->bodies.data[place];
    CnShapeDef* shapes = CN_ARENA_NEW(&scene->scratch, CnShapeDef, def.shape_count);
    if (shapes == NULL) {
        return cn_scene_no_memory(merger->error);
    }
    for (int i = 0; i < def.shape_count; ++i) {
        shapes[i] = def.shapes[i];
        shapes[i].material = material_of(merger, shapes[i].material);
    }
    def.shapes = shapes;
    def.name = rename_thing(merger, def.name);
    def.material = material_of(merger, def.material);
    def.position = moved_point(merger, def.position);
    def.rotation = turned_frame(merger, def.rotation);
    def.velocity = turned(merger, def.velocity);
    def.angular_velocity = turned(merger, def.angular_velocity);
    def.motion.axes = turned_frame(merger, def.motion.axes);
    def.motion.axis = turned_axis(merger, def.motion.axis);
    def.motion.angle = series_of(merger, def.motion.angle);
    for (int i = 0; i < 3; ++i) {
        def.motion.position[i] = series_of(merger, def.motion.position[i]);
    }
    CnStatus status = cn_scene_place_body(scene, &def, NULL, merger->error);
    merge->bodies[place] = CN_SCENE_ID(CnBodyId, scene->bodies.count - 1);
    return status == CN_OK ? add_start(merger, place) : status;
}

// What things between two bodies have in common: a new name, and bodies of the scene. False: one of
// these was left out, and so is the thing.
static bool begin_pair(Merger* merger, const char** name, CnBodyId* body_a, CnBodyId* body_b) {
    if (!find_body(merger, *body_a, body_a) || !find_body(merger, *body_b, body_b)) {
        return false;
    }
    *name = rename_thing(merger, *name);
    return true;
}

static CnStatus add_contact(Merger* merger, int place) {
    CnContactDef def = merger->merge->part->contacts.data[place];
    if (!begin_pair(merger, &def.name, &def.body_a, &def.body_b)) {
        return CN_OK;
    }
    def.point = moved_point(merger, def.point);
    def.normal = turned_axis(merger, def.normal);
    def.material_a = material_of(merger, def.material_a);
    def.material_b = material_of(merger, def.material_b);
    return cn_scene_place_contact(merger->merge->scene, &def, NULL, merger->error);
}

static CnStatus add_constraint(Merger* merger, int place) {
    CnPointConstraint def = merger->merge->part->constraints.data[place];
    if (!begin_pair(merger, &def.name, &def.body_a, &def.body_b)) {
        return CN_OK;
    }
    def.point_a = moved_point(merger, def.point_a);
    def.point_b = moved_point(merger, def.point_b);
    return cn_scene_place_constraint(merger->merge->scene, &def, NULL, merger->error);
}

// The joint that one of the part has become; *found is false where it was left out.
static CnJointId joint_of(const Merger* merger, CnJointId id, bool* found) {
    int place = CN_SCENE_PLACE(id, merger->merge->part->joints.count);
    CnJointId joint = place < 0 ? (CnJointId){0} : merger->joints[place];
    *found = *found && (place < 0 || joint.index != 0);
    return joint;
}

static CnStatus add_joint(Merger* merger, int place) {
    CnScene* scene = merger->merge->scene;
    CnJointDef def = merger->merge->part->joints.data[place];
    bool found = true;
    def.leader = joint_of(merger, def.leader, &found);
    def.follower = joint_of(merger, def.follower, &found);
    if (!found || !begin_pair(merger, &def.name, &def.body_a, &def.body_b)) {
        return CN_OK;
    }
    def.point_a = moved_point(merger, def.point_a);
    def.point_b = moved_point(merger, def.point_b);
    def.anchor_a = moved_point(merger, def.anchor_a);
    def.anchor_b = moved_point(merger, def.anchor_b);
    def.axis = turned_axis(merger, def.axis);
    def.axis_b = turned_axis(merger, def.axis_b);
    def.series = series_of(merger, def.series);
    def.spring_table = series_of(merger, def.spring_table);
    for (int i = 0; i < 3; ++i) {
        def.series3[i] = series_of(merger, def.series3[i]);
    }
    for (int i = 0; i < CN_AXIS_COUNT; ++i) {
        def.axes[i].series = series_of(merger, def.axes[i].series);
    }
    merger->joints[place] = CN_SCENE_ID(CnJointId, scene->joints.count);
    return cn_scene_place_joint(scene, &def, NULL, merger->error);
}

static CnStatus add_force(Merger* merger, int place) {
    CnForceDef def = merger->merge->part->forces.data[place];
    if (!find_body(merger, def.body, &def.body)) {
        return CN_OK;
    }
    def.point = moved_point(merger, def.point);
    def.force = turned(merger, def.force);
    def.torque = turned(merger, def.torque);
    def.series = series_of(merger, def.series);
    return cn_scene_place_force(merger->merge->scene, &def, NULL, merger->error);
}

static CnStatus add_exclusion(Merger* merger, int place) {
    CnExcludedPair pair = merger->merge->part->exclusions.data[place];
    if (!find_body(merger, pair.a, &pair.a) || !find_body(merger, pair.b, &pair.b)) {
        return CN_OK;
    }
    return cn_scene_place_exclusion(merger->merge->scene, &pair, NULL, merger->error);
}

// Scratch memory holds one thing at a time.
static CnStatus add_range(Merger* merger, int first, int last,
                          CnStatus (*add)(Merger* merger, int place)) {
    CnStatus status = CN_OK;
    for (int i = first; status == CN_OK && i < last; ++i) {
        CnArenaMark mark = cn_arena_mark(&merger->merge->scene->scratch);
        status = add(merger, i);
        cn_arena_release(&merger->merge->scene->scratch, mark);
    }
    return status == CN_OK && !merger->ok ? cn_scene_no_memory(merger->error) : status;
}

static bool is_identity(CnTransform pose) {
    CnVec3 p = pose.position;
    CnQuat q = pose.rotation;
    return p.x == 0.0 && p.y == 0.0 && p.z == 0.0 && q.w == 1.0 && q.x == 0.0 && q.y == 0.0 &&
           q.z == 0.0;
}

// The three series of a prescribed motion follow axes that the joint makes of its one axis.
static CnStatus check_turn(const Merger* merger) {
    const CnScene* part = merger->merge->part;
    CnQuat q = merger->merge->placement.pose.rotation;
    bool turns = q.x != 0.0 || q.y != 0.0 || q.z != 0.0;
    char shown[CN_SHOWN_SIZE];
    for (int i = 0; turns && i < part->joints.count; ++i) {
        const CnJointDef* def = &part->joints.data[i];
        if (def->series3[0].index != 0) {
            return cn_error_set(merger->error, CN_INVALID,
                                "joint \"%s\" has three series along the axes of the world: a "
                                "scene with it cannot be turned",
                                def->name != NULL ? cn_text_show(def->name, shown) : "");
        }
    }
    return CN_OK;
}

CnStatus cn_scene_merge(const CnSceneMerge* merge, CnError* error) {
    const CnScene* part = merge->part;
    Merger merger = {.merge = merge,
                     .first_material = merge->scene->materials.count,
                     .first_series = merge->scene->series.count,
                     .moves = !is_identity(merge->placement.pose),
                     .ok = true,
                     .error = error};
    CnStatus status = check_turn(&merger);
    if (status == CN_OK) {
        status = check_names(merge, error);
    }
    CnArenaMark mark = cn_arena_mark(&merge->scene->scratch);
    if (status == CN_OK) {
        status = add_materials(&merger);
    }
    if (status == CN_OK) {
        status = add_series(&merger);
    }
    cn_arena_release(&merge->scene->scratch, mark);
    merger.joints = CN_ARENA_NEW(&merge->scene->scratch, CnJointId, part->joints.count);
    if (status == CN_OK && merger.joints == NULL) {
        status = cn_scene_no_memory(error);
    }
    const struct {
        int first, last;
        CnStatus (*add)(Merger* merger, int place);
    } ranges[] = {
        {merge->first_body, merge->last_body, add_body},
        {0, part->contacts.count, add_contact},
        {0, part->constraints.count, add_constraint},
        {0, part->joints.count, add_joint},
        {0, part->forces.count, add_force},
        {0, part->exclusions.count, add_exclusion},
    };
    for (size_t i = 0; status == CN_OK && i < sizeof ranges / sizeof ranges[0]; ++i) {
        status = add_range(&merger, ranges[i].first, ranges[i].last, ranges[i].add);
    }
    cn_arena_release(&merge->scene->scratch, mark);
    return status;
}

// ---- for programs ----

static CnStatus check_placement(const CnScenePlacement* placement, CnError* error) {
    CnQuat q = placement->pose.rotation;
    double length = cn_quat_length(q);
    if (!cn_vec3_is_finite(placement->pose.position) || !(fabs(length - 1.0) <= 1e-6)) {
        return cn_error_set(error, CN_INVALID,
                            "the pose of a placement must have a finite position and a unit "
                            "quaternion, whose length is %g; start from "
                            "cn_scene_placement_default()",
                            length);
    }
    return CN_OK;
}

CnStatus cn_scene_add_scene(CnScene* scene, const CnScene* part, const CnScenePlacement* placement,
                            CnError* error) {
    CnSceneMerge merge = {
        .scene = scene, .part = part, .placement = *placement, .last_body = part->bodies.count};
    CnStatus status = check_placement(placement, error);
    if (status == CN_OK && scene == part) {
        status = cn_error_set(error, CN_INVALID, "a scene cannot be added to itself");
    }
    if (status != CN_OK) {
        return status;
    }
    CnArena arena;
    cn_arena_init(&arena, &scene->arena.allocator);
    merge.placement.pose.rotation = cn_quat_normalize(merge.placement.pose.rotation);
    merge.bodies = CN_ARENA_NEW(&arena, CnBodyId, part->bodies.count);
    status = merge.bodies != NULL ? cn_scene_merge(&merge, error) : cn_scene_no_memory(error);
    cn_arena_destroy(&arena);
    return status;
}
