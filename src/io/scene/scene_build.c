// scene_build.c - the world of a scene.
#include "base/error.h"
#include "io/scene/scene.h"

typedef struct Builder {
    const CnScene* scene;
    CnWorld* world;
    CnArena* arena;  // for the ids
    CnArena scratch; // empty between bodies
    CnSceneIds* ids;
    CnError* error;
} Builder;

// The null id for no name.
static CnMaterialId material_id(const Builder* builder, const char* name) {
    return name != NULL
               ? builder->ids->materials[cn_scene_find(builder->scene, CN_NAME_MATERIAL, name)]
               : (CnMaterialId){0};
}

// The null id for the world.
static CnBodyId body_id(const Builder* builder, const char* name) {
    int index = name != NULL ? cn_scene_find(builder->scene, CN_NAME_BODY, name) : -1;
    return index >= 0 ? builder->ids->bodies[index] : (CnBodyId){0};
}

static bool build_materials(Builder* builder) {
    const CnScene* scene = builder->scene;
    for (int i = 0; i < scene->materials.count; ++i) {
        builder->ids->materials[i] =
            cn_world_add_material(builder->world, &scene->materials.data[i], builder->error);
        if (builder->ids->materials[i].index == 0) {
            return false;
        }
    }
    for (int i = 0; i < scene->pairs.count; ++i) {
        const CnScenePair* pair = &scene->pairs.data[i];
        CnMaterialPair world_pair = {material_id(builder, pair->a), material_id(builder, pair->b),
                                     pair->friction, pair->restitution, pair->static_friction};
        if (cn_world_set_material_pair(builder->world, &world_pair, builder->error) != CN_OK) {
            return false;
        }
    }
    return true;
}

static bool build_series(Builder* builder) {
    const CnScene* scene = builder->scene;
    for (int i = 0; i < scene->series.count; ++i) {
        builder->ids->series[i] =
            cn_world_add_series(builder->world, &scene->series.data[i], builder->error);
        if (builder->ids->series[i].index == 0) {
            return false;
        }
    }
    return true;
}

static bool build_body(Builder* builder, int index) {
    const CnSceneBody* body = &builder->scene->bodies.data[index];
    CnArenaMark mark = cn_arena_mark(&builder->scratch);
    CnShapeDef* shapes = CN_ARENA_NEW(&builder->scratch, CnShapeDef, body->shape_count);
    if (shapes == NULL) {
        return cn_scene_no_memory(builder->error) == CN_OK;
    }
    for (int i = 0; i < body->shape_count; ++i) {
        shapes[i] = body->shapes[i].def;
        shapes[i].material = material_id(builder, body->shapes[i].material);
    }
    CnBodyDef def = body->def;
    def.shapes = shapes;
    def.shape_count = body->shape_count;
    def.material = material_id(builder, body->material);
    builder->ids->bodies[index] = cn_world_add_body(builder->world, &def, builder->error);
    cn_arena_release(&builder->scratch, mark);
    return builder->ids->bodies[index].index != 0;
}

static bool build_bodies(Builder* builder) {
    bool ok = true;
    for (int i = 0; ok && i < builder->scene->bodies.count; ++i) {
        ok = build_body(builder, i);
    }
    return ok;
}

static bool build_contacts(Builder* builder) {
    const CnScene* scene = builder->scene;
    for (int i = 0; i < scene->contacts.count; ++i) {
        const CnSceneContact* contact = &scene->contacts.data[i];
        CnContactDef def = contact->def;
        def.body_a = body_id(builder, contact->body_a);
        def.body_b = body_id(builder, contact->body_b);
        def.material_a = material_id(builder, contact->material_a);
        def.material_b = material_id(builder, contact->material_b);
        if (cn_world_add_contact(builder->world, &def, builder->error).index == 0) {
            return false;
        }
    }
    return true;
}

// ---- constraints: points in the world at the start become points the bodies carry ----

typedef union KindData {
    CnDistanceData distance;
    CnAnchorDistanceData anchor_distance;
    CnPinData pin;
} KindData;

// From the centre of mass, body axes.
static CnVec3 carried_point(const Builder* builder, CnBodyId body, CnVec3 point) {
    CnBodyState state;
    CnStatus status = cn_body_state(builder->world, body, &state);
    CN_ASSERT(status == CN_OK);
    (void)status;
    return cn_quat_unrotate(state.rotation, cn_vec3_sub(point, state.center));
}

static size_t fill_data(const Builder* builder, const CnSceneConstraint* constraint,
                        const CnConstraintDef* def, KindData* data) {
    double length = constraint->length;
    if (length == 0.0) {
        length = cn_vec3_length(cn_vec3_sub(constraint->point_b, constraint->point_a));
    }
    CnVec3 point_a = carried_point(builder, def->body_a, constraint->point_a);
    if (def->kind == cn_distance_kind()) {
        data->distance = (CnDistanceData){
            point_a, carried_point(builder, def->body_b, constraint->point_b), length};
        return sizeof data->distance;
    }
    if (def->kind == cn_anchor_distance_kind()) {
        data->anchor_distance = (CnAnchorDistanceData){point_a, constraint->point_b, length};
        return sizeof data->anchor_distance;
    }
    if (def->kind == cn_pin_kind()) {
        data->pin = (CnPinData){point_a, constraint->point_a};
        return sizeof data->pin;
    }
    return 0;
}

static bool build_constraints(Builder* builder) {
    const CnScene* scene = builder->scene;
    for (int i = 0; i < scene->constraints.count; ++i) {
        const CnSceneConstraint* constraint = &scene->constraints.data[i];
        CnConstraintDef def = cn_constraint_def_default();
        KindData data;
        def.name = constraint->name;
        def.kind = cn_scene_kind_find(constraint->kind)->kind();
        def.body_a = body_id(builder, constraint->body_a);
        def.body_b = body_id(builder, constraint->body_b);
        def.collide = constraint->collide;
        def.data = &data;
        def.data_size = fill_data(builder, constraint, &def, &data);
        builder->ids->constraints[i] =
            cn_world_add_constraint(builder->world, &def, builder->error);
        if (builder->ids->constraints[i].index == 0) {
            return false;
        }
    }
    return true;
}

// ---- joints ----

// The null id for no name.
static CnSeriesId series_id(const Builder* builder, const char* name) {
    return name != NULL ? builder->ids->series[cn_scene_find(builder->scene, CN_NAME_SERIES, name)]
                        : (CnSeriesId){0};
}

// The table of a spring becomes a series without a name, so that the world owns it.
static bool build_table(Builder* builder, const CnSceneJoint* joint, CnSeriesId* id) {
    if (joint->table_count == 0) {
        return true;
    }
    CnSeriesDef table = {
        .count = joint->table_count, .times = joint->table_strokes, .values = joint->table_forces};
    *id = cn_world_add_series(builder->world, &table, builder->error);
    return id->index != 0;
}

static bool build_joints(Builder* builder) {
    const CnScene* scene = builder->scene;
    for (int i = 0; i < scene->joints.count; ++i) {
        const CnSceneJoint* joint = &scene->joints.data[i];
        CnJointDef def = joint->def;
        def.body_a = body_id(builder, joint->body_a);
        def.body_b = body_id(builder, joint->body_b);
        def.series = series_id(builder, joint->series);
        for (int k = 0; k < 3; ++k) {
            def.series3[k] = series_id(builder, joint->series3[k]);
        }
        for (int k = 0; k < CN_AXIS_COUNT; ++k) {
            def.axes[k].series = series_id(builder, joint->axis_series[k]);
        }
        if (!build_table(builder, joint, &def.spring_table)) {
            return false;
        }
        builder->ids->joints[i] = cn_world_add_joint(builder->world, &def, builder->error);
        if (builder->ids->joints[i].index == 0) {
            return false;
        }
    }
    return true;
}

// ---- forces: vectors of the world at the start become the body's where they turn with it ----

static bool build_forces(Builder* builder) {
    const CnScene* scene = builder->scene;
    for (int i = 0; i < scene->forces.count; ++i) {
        const CnSceneForce* force = &scene->forces.data[i];
        CnForceDef def = force->def;
        CnTransform pose;
        def.body = body_id(builder, force->body);
        cn_body_pose(builder->world, def.body, &pose);
        def.point = cn_quat_unrotate(pose.rotation, cn_vec3_sub(def.point, pose.position));
        if (def.frame == CN_FORCE_CARRIED) {
            def.force = cn_quat_unrotate(pose.rotation, def.force);
            def.torque = cn_quat_unrotate(pose.rotation, def.torque);
        }
        def.series = series_id(builder, force->series);
        if (cn_world_add_force(builder->world, &def, builder->error).index == 0) {
            return false;
        }
    }
    return true;
}

static bool build_exclusions(Builder* builder) {
    const CnScene* scene = builder->scene;
    for (int i = 0; i < scene->exclusions.count; ++i) {
        const CnSceneExclusion* pair = &scene->exclusions.data[i];
        if (cn_world_exclude_pair(builder->world, body_id(builder, pair->a),
                                  body_id(builder, pair->b), builder->error) != CN_OK) {
            return false;
        }
    }
    return true;
}

static bool allocate_ids(Builder* builder) {
    const CnScene* scene = builder->scene;
    CnSceneIds* ids = builder->ids;
    ids->materials = CN_ARENA_NEW(builder->arena, CnMaterialId, scene->materials.count);
    ids->series = CN_ARENA_NEW(builder->arena, CnSeriesId, scene->series.count);
    ids->bodies = CN_ARENA_NEW(builder->arena, CnBodyId, scene->bodies.count);
    ids->constraints = CN_ARENA_NEW(builder->arena, CnConstraintId, scene->constraints.count);
    ids->joints = CN_ARENA_NEW(builder->arena, CnJointId, scene->joints.count);
    return (ids->materials != NULL && ids->series != NULL && ids->bodies != NULL &&
            ids->constraints != NULL && ids->joints != NULL) ||
           cn_scene_no_memory(builder->error) == CN_OK;
}

CnWorld* cn_scene_build_world(const CnScene* scene, const CnWorldDef* hooks, CnArena* arena,
                              CnSceneIds* ids, CnError* error) {
    CnWorldDef def = hooks != NULL ? *hooks : cn_world_def_default();
    def.gravity = scene->settings.gravity;
    def.step = scene->settings.step;
    def.solver = scene->settings.solver;
    CnWorld* world = cn_world_create(&def, error);
    if (world == NULL) {
        return NULL;
    }
    Builder builder = {.scene = scene, .world = world, .arena = arena, .ids = ids, .error = error};
    cn_arena_init(&builder.scratch, &def.allocator);
    bool ok = allocate_ids(&builder) && build_materials(&builder) && build_series(&builder) &&
              build_bodies(&builder) && build_contacts(&builder) && build_constraints(&builder) &&
              build_joints(&builder) && build_forces(&builder) && build_exclusions(&builder);
    cn_arena_destroy(&builder.scratch);
    if (!ok) {
        cn_world_destroy(world);
        return NULL;
    }
    return world;
}

CnWorld* cn_scene_build(const CnScene* scene, const CnWorldDef* hooks, CnError* error) {
    CnArena arena;
    CnSceneIds ids;
    cn_arena_init(&arena, hooks != NULL ? &hooks->allocator : NULL);
    CnWorld* world = cn_scene_build_world(scene, hooks, &arena, &ids, error);
    cn_arena_destroy(&arena);
    return world;
}
