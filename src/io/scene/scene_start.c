// scene_start.c - where the bodies of a scene start, and taking that from a world.
#include "base/error.h"
#include "io/scene/scene.h"

const CnSceneStart* cn_scene_find_start(const CnScene* scene, CnBodyId body) {
    int low = 0, high = scene->starts.count;
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (scene->starts.data[middle].body.index < body.index) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    bool found = low < scene->starts.count && scene->starts.data[low].body.index == body.index;
    return found ? &scene->starts.data[low] : NULL;
}

static CnStatus check_start(const CnScene* scene, const CnSceneStart* start, CnFieldPath* field,
                            CnError* error) {
    const CnBodyState* state = &start->state;
    const struct {
        const char* key;
        CnVec3 value;
    } vectors[] = {{"center", state->center},
                   {"velocity", state->velocity},
                   {"angular_velocity", state->angular_velocity}};
    CnStatus status = cn_scene_check_body(scene, start->body, false, "body", field, error);
    if (status != CN_OK) {
        return status;
    }
    for (size_t i = 0; i < sizeof vectors / sizeof vectors[0]; ++i) {
        if (!cn_vec3_is_finite(vectors[i].value)) {
            return cn_scene_refuse(field, vectors[i].key, error, "%s must be three finite numbers",
                                   vectors[i].key);
        }
    }
    double length = cn_quat_length(state->rotation);
    if (!(fabs(length - 1.0) <= 1e-6)) { // as for the rotation of a body
        return cn_scene_refuse(field, "rotation", error,
                               "the quaternion has length %g; it must be a unit quaternion",
                               length);
    }
    const CnBodyDef* def = &scene->bodies.data[CN_SCENE_PLACE(start->body, scene->bodies.count)];
    if (def->type == CN_BODY_STATIC) {
        return cn_scene_refuse(field, "", error, "a static body starts where it is");
    }
    return CN_OK;
}

// Mostly in order: the place is looked for from the end.
CnStatus cn_scene_place_start(CnScene* scene, const CnSceneStart* start, CnFieldPath* field,
                              CnError* error) {
    CnStatus status = check_start(scene, start, field, error);
    if (status != CN_OK) {
        return status;
    }
    CnSceneStart* known = (CnSceneStart*)cn_scene_find_start(scene, start->body);
    if (known != NULL) {
        *known = *start;
        return CN_OK;
    }
    if (!cn_array_push(&scene->starts, &scene->arena.allocator, *start)) {
        return cn_scene_no_memory(error);
    }
    CnSceneStart* starts = scene->starts.data;
    for (int i = scene->starts.count - 1; i > 0 && starts[i - 1].body.index > start->body.index;
         --i) {
        starts[i] = starts[i - 1];
        starts[i - 1] = *start;
    }
    return CN_OK;
}

CnStatus cn_scene_set_start(CnScene* scene, CnBodyId body, const CnBodyState* state,
                            CnError* error) {
    const CnSceneStart start = {body, *state};
    return cn_scene_place_start(scene, &start, NULL, error);
}

// What moves by itself or follows series needs no start.
static bool has_start(const CnBodyDef* def) {
    bool follows = def->motion.angle.index != 0;
    for (int i = 0; i < 3; ++i) {
        follows = follows || def->motion.position[i].index != 0;
    }
    return def->type != CN_BODY_STATIC && !follows;
}

static CnStatus refuse_world(CnError* error) {
    return cn_error_set(error, CN_STALE,
                        "the world is not one that this scene builds: a body or joint of the scene "
                        "is not in it");
}

CnStatus cn_scene_take_state(CnScene* scene, const CnWorld* world, CnError* error) {
    for (int i = 0; i < scene->bodies.count; ++i) {
        CnSceneStart start = {.body = CN_SCENE_ID(CnBodyId, i)};
        if (cn_body_state(world, start.body, &start.state) != CN_OK) {
            return refuse_world(error);
        }
        CnStatus status = has_start(&scene->bodies.data[i])
                              ? cn_scene_place_start(scene, &start, NULL, error)
                              : CN_OK;
        if (status != CN_OK) {
            return status;
        }
    }
    for (int i = 0; i < scene->joints.count; ++i) {
        CnJointInfo info;
        if (cn_joint_info(world, CN_SCENE_ID(CnJointId, i), &info) != CN_OK) {
            return refuse_world(error);
        }
        scene->joints.data[i].enabled = info.enabled && !info.broken;
    }
    scene->settings.start_time = cn_world_time(world);
    return CN_OK;
}
