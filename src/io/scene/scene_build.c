// scene_build.c - builds the world of a scene.
//
// A new world assigns ids in the order in which things of a kind are added, as a scene does. So
// everything that is added here in the scene's order keeps its id.
#include "base/error.h"
#include "io/scene/scene.h"
#include "world/bodies/drive.h"

typedef struct SceneBuilder {
    const CnScene* scene;
    CnWorld* world;
    CnError* error;
} SceneBuilder;

// The world does not know what of the scene it has refused: "joints[3] \"elbow\": " goes before its
// sentence. name may be NULL.
static bool refuse(const SceneBuilder* builder, const char* list, int place, const char* name) {
    if (builder->error != NULL) {
        CnError told = *builder->error;
        const char* quote = name != NULL ? "\"" : "";
        cn_error_set(builder->error, told.status, "%s[%d]%s%s%s%s: %s", list, place,
                     name != NULL ? " " : "", quote, name != NULL ? name : "", quote, told.message);
    }
    return false;
}

// False if the world refused the thing at this place of a list of the scene.
static bool is_in_place(const SceneBuilder* builder, uint32_t index, uint32_t generation,
                        const char* list, int place, const char* name) {
    CN_ASSERT(index == 0 || (index == (uint32_t)place + 1 && generation == 1));
    (void)generation;
    return index != 0 || refuse(builder, list, place, name);
}

static bool build_materials(const SceneBuilder* builder) {
    const CnScene* scene = builder->scene;
    bool ok = true;
    for (int i = 0; ok && i < scene->materials.count; ++i) {
        const CnMaterialDef* def = &scene->materials.data[i];
        CnMaterialId id = cn_world_add_material(builder->world, def, builder->error);
        ok = is_in_place(builder, id.index, id.generation, "materials", i, def->name);
    }
    for (int i = 0; ok && i < scene->pairs.count; ++i) {
        const CnMaterialPair* pair = &scene->pairs.data[i];
        ok = cn_world_set_material_pair(builder->world, pair, builder->error) == CN_OK ||
             refuse(builder, "material_pairs", i, NULL);
    }
    return ok;
}

static bool build_series(const SceneBuilder* builder) {
    const CnScene* scene = builder->scene;
    bool ok = true;
    for (int i = 0; ok && i < scene->series.count; ++i) {
        const CnSeriesDef* def = &scene->series.data[i];
        CnSeriesId id = cn_world_add_series(builder->world, def, builder->error);
        ok = is_in_place(builder, id.index, id.generation, "series", i, def->name);
    }
    return ok;
}

static bool build_bodies(const SceneBuilder* builder) {
    const CnScene* scene = builder->scene;
    bool ok = true;
    for (int i = 0; ok && i < scene->bodies.count; ++i) {
        const CnBodyDef* def = &scene->bodies.data[i];
        CnBodyId id = cn_world_add_body(builder->world, def, builder->error);
        ok = is_in_place(builder, id.index, id.generation, "bodies", i, def->name);
    }
    return ok;
}

static bool build_contacts(const SceneBuilder* builder) {
    const CnScene* scene = builder->scene;
    bool ok = true;
    for (int i = 0; ok && i < scene->contacts.count; ++i) {
        const CnContactDef* def = &scene->contacts.data[i];
        CnContactId id = cn_world_add_contact(builder->world, def, builder->error);
        ok = is_in_place(builder, id.index, id.generation, "contacts", i, def->name);
    }
    return ok;
}

// ---- constraints: points in the world at the start become points the bodies carry ----

typedef union KindData {
    CnDistanceData distance;
    CnAnchorDistanceData anchor_distance;
    CnPinData pin;
} KindData;

// Relative to the centre of mass, body axes.
static CnVec3 carried_point(const SceneBuilder* builder, CnBodyId body, CnVec3 point) {
    CnBodyState state;
    CnStatus status = cn_body_state(builder->world, body, &state);
    CN_ASSERT(status == CN_OK);
    (void)status;
    return cn_quat_unrotate(state.rotation, cn_vec3_sub(point, state.center));
}

static void fill_data(const SceneBuilder* builder, const CnPointConstraint* constraint,
                      KindData* data) {
    const CnConstraintKind* kind = constraint->kind->kind();
    double length = constraint->length;
    if (length == 0.0) {
        length = cn_vec3_length(cn_vec3_sub(constraint->point_b, constraint->point_a));
    }
    CnVec3 point_a = carried_point(builder, constraint->body_a, constraint->point_a);
    if (kind == cn_distance_kind()) {
        CnVec3 point_b = carried_point(builder, constraint->body_b, constraint->point_b);
        data->distance = (CnDistanceData){point_a, point_b, length};
    } else if (kind == cn_anchor_distance_kind()) {
        data->anchor_distance = (CnAnchorDistanceData){point_a, constraint->point_b, length};
    } else if (kind == cn_pin_kind()) {
        data->pin = (CnPinData){point_a, constraint->point_a};
    }
}

static bool build_constraints(const SceneBuilder* builder) {
    const CnScene* scene = builder->scene;
    bool ok = true;
    for (int i = 0; ok && i < scene->constraints.count; ++i) {
        const CnPointConstraint* constraint = &scene->constraints.data[i];
        CnConstraintDef def = cn_constraint_def_default();
        KindData data;
        fill_data(builder, constraint, &data);
        def.name = constraint->name;
        def.kind = constraint->kind->kind();
        def.body_a = constraint->body_a;
        def.body_b = constraint->body_b;
        def.collide = constraint->collide;
        def.keep = constraint->keep;
        def.data = &data;
        def.data_size = constraint->kind->data_size;
        CnConstraintId id = cn_world_add_constraint(builder->world, &def, builder->error);
        ok = is_in_place(builder, id.index, id.generation, "constraints", i, def.name);
    }
    return ok;
}

static bool build_joints(const SceneBuilder* builder) {
    const CnScene* scene = builder->scene;
    bool ok = true;
    for (int i = 0; ok && i < scene->joints.count; ++i) {
        const CnJointDef* def = &scene->joints.data[i];
        CnJointId id = cn_world_add_joint(builder->world, def, builder->error);
        ok = is_in_place(builder, id.index, id.generation, "joints", i, def->name);
    }
    return ok;
}

// ---- forces: vectors of the world at the start become the body's where they turn with it ----

static bool build_forces(const SceneBuilder* builder) {
    const CnScene* scene = builder->scene;
    bool ok = true;
    for (int i = 0; ok && i < scene->forces.count; ++i) {
        CnForceDef def = scene->forces.data[i];
        CnTransform pose;
        cn_body_pose(builder->world, def.body, &pose);
        def.point = cn_quat_unrotate(pose.rotation, cn_vec3_sub(def.point, pose.position));
        if (def.frame == CN_FORCE_CARRIED) {
            def.force = cn_quat_unrotate(pose.rotation, def.force);
            def.torque = cn_quat_unrotate(pose.rotation, def.torque);
        }
        CnForceId id = cn_world_add_force(builder->world, &def, builder->error);
        ok = is_in_place(builder, id.index, id.generation, "forces", i, NULL);
    }
    return ok;
}

static bool build_exclusions(const SceneBuilder* builder) {
    const CnScene* scene = builder->scene;
    bool ok = true;
    for (int i = 0; ok && i < scene->exclusions.count; ++i) {
        const CnExcludedPair* pair = &scene->exclusions.data[i];
        ok = cn_world_exclude_pair(builder->world, pair->a, pair->b, builder->error) == CN_OK ||
             refuse(builder, "collide", i, NULL);
    }
    return ok;
}

// ---- where the run starts ----

static bool set_starts(const SceneBuilder* builder) {
    const CnScene* scene = builder->scene;
    bool ok = true;
    for (int i = 0; ok && i < scene->starts.count; ++i) {
        const CnSceneStart* start = &scene->starts.data[i];
        ok = cn_body_set_state(builder->world, start->body, &start->state, builder->error) == CN_OK;
    }
    builder->world->time = scene->settings.start_time;
    // Bodies on series are where these are by now.
    return ok && cn_drives_end(builder->world, builder->error) == CN_OK;
}

CnWorld* cn_scene_build(const CnScene* scene, const CnWorldDef* hooks, CnError* error) {
    CnWorldDef def = hooks != NULL ? *hooks : cn_world_def_default();
    def.gravity = scene->settings.gravity;
    def.step = scene->settings.step;
    def.solver = scene->settings.solver;
    CnWorld* world = cn_world_create(&def, error);
    if (world == NULL) {
        return NULL;
    }
    // Constraints before joints: a joint adds constraints of its own to the world.
    const SceneBuilder builder = {scene, world, error};
    bool ok = build_materials(&builder) && build_series(&builder) && build_bodies(&builder) &&
              build_contacts(&builder) && build_constraints(&builder) && build_joints(&builder) &&
              build_forces(&builder) && build_exclusions(&builder) && set_starts(&builder);
    if (!ok) {
        cn_world_destroy(world);
        return NULL;
    }
    return world;
}
