// scene_save_names.c - the names by which things in a scene file refer to each other.
#include "io/scene/scene_save.h"

#include <stdio.h>

#define NAME_SIZE 48

// "body 3"; or "body 3.2" etc. if the scene has a body of that name.
static const char* make_up_name(CnSceneWriter* writer, CnNameKind kind, const char* word,
                                int place) {
    char* name = CN_ARENA_NEW(&writer->arena, char, NAME_SIZE);
    if (name == NULL) {
        return NULL;
    }
    snprintf(name, NAME_SIZE, "%s %d", word, place);
    for (int i = 2; cn_scene_find(writer->scene, kind, name) >= 0; ++i) {
        snprintf(name, NAME_SIZE, "%s %d.%d", word, place, i);
    }
    return name;
}

// Each returns false when memory runs out.

static bool name_material(CnSceneWriter* writer, CnMaterialId material) {
    int place = CN_SCENE_PLACE(material, writer->scene->materials.count);
    if (place >= 0 && writer->materials[place] == NULL) {
        writer->materials[place] = make_up_name(writer, CN_NAME_MATERIAL, "material", place);
    }
    return place < 0 || writer->materials[place] != NULL;
}

static bool name_series(CnSceneWriter* writer, CnSeriesId series) {
    int place = CN_SCENE_PLACE(series, writer->scene->series.count);
    if (place >= 0 && writer->series[place] == NULL) {
        writer->series[place] = make_up_name(writer, CN_NAME_SERIES, "series", place);
    }
    return place < 0 || writer->series[place] != NULL;
}

static bool name_body(CnSceneWriter* writer, CnBodyId body) {
    int place = CN_SCENE_PLACE(body, writer->scene->bodies.count);
    if (place >= 0 && writer->bodies[place] == NULL) {
        writer->bodies[place] = make_up_name(writer, CN_NAME_BODY, "body", place);
    }
    return place < 0 || writer->bodies[place] != NULL;
}

static bool name_joint(CnSceneWriter* writer, CnJointId joint) {
    int place = CN_SCENE_PLACE(joint, writer->scene->joints.count);
    if (place >= 0 && writer->joints[place] == NULL) {
        writer->joints[place] = make_up_name(writer, CN_NAME_JOINT, "joint", place);
    }
    return place < 0 || writer->joints[place] != NULL;
}

// Those that mimics lead or follow.
static bool name_joints(CnSceneWriter* writer) {
    const CnScene* scene = writer->scene;
    bool ok = true;
    for (int i = 0; i < scene->joints.count; ++i) {
        const CnJointDef* def = &scene->joints.data[i];
        ok = ok && name_joint(writer, def->leader) && name_joint(writer, def->follower);
    }
    return ok;
}

static bool name_materials(CnSceneWriter* writer) {
    const CnScene* scene = writer->scene;
    bool ok = true;
    for (int i = 0; i < scene->pairs.count; ++i) {
        ok = ok && name_material(writer, scene->pairs.data[i].a) &&
             name_material(writer, scene->pairs.data[i].b);
    }
    for (int i = 0; i < scene->bodies.count; ++i) {
        const CnBodyDef* body = &scene->bodies.data[i];
        ok = ok && name_material(writer, body->material);
        for (int k = 0; k < body->shape_count; ++k) {
            ok = ok && name_material(writer, body->shapes[k].material);
        }
    }
    for (int i = 0; i < scene->contacts.count; ++i) {
        ok = ok && name_material(writer, scene->contacts.data[i].material_a) &&
             name_material(writer, scene->contacts.data[i].material_b);
    }
    return ok;
}

static bool name_partners(CnSceneWriter* writer, CnBodyId a, CnBodyId b) {
    return name_body(writer, a) && name_body(writer, b);
}

static bool name_bodies(CnSceneWriter* writer) {
    const CnScene* scene = writer->scene;
    bool ok = true;
    for (int i = 0; i < scene->contacts.count; ++i) {
        const CnContactDef* def = &scene->contacts.data[i];
        ok = ok && name_partners(writer, def->body_a, def->body_b);
    }
    for (int i = 0; i < scene->constraints.count; ++i) {
        const CnPointConstraint* constraint = &scene->constraints.data[i];
        ok = ok && name_partners(writer, constraint->body_a, constraint->body_b);
    }
    for (int i = 0; i < scene->joints.count; ++i) {
        const CnJointDef* def = &scene->joints.data[i];
        ok = ok && name_partners(writer, def->body_a, def->body_b);
    }
    for (int i = 0; i < scene->forces.count; ++i) {
        ok = ok && name_body(writer, scene->forces.data[i].body);
    }
    for (int i = 0; i < scene->exclusions.count; ++i) {
        ok = ok && name_partners(writer, scene->exclusions.data[i].a, scene->exclusions.data[i].b);
    }
    return ok;
}

// The table of a spring is written with its joint and needs no name.
static bool name_all_series(CnSceneWriter* writer) {
    const CnScene* scene = writer->scene;
    bool ok = true;
    for (int i = 0; i < scene->forces.count; ++i) {
        ok = ok && name_series(writer, scene->forces.data[i].series);
    }
    for (int i = 0; i < scene->bodies.count; ++i) {
        const CnBodyMotion* motion = &scene->bodies.data[i].motion;
        ok = ok && name_series(writer, motion->angle);
        for (int k = 0; k < 3; ++k) {
            ok = ok && name_series(writer, motion->position[k]);
        }
    }
    for (int i = 0; i < scene->joints.count; ++i) {
        const CnJointDef* def = &scene->joints.data[i];
        ok = ok && name_series(writer, def->series);
        for (int k = 0; k < 3; ++k) {
            ok = ok && name_series(writer, def->series3[k]);
        }
        for (int k = 0; k < CN_AXIS_COUNT; ++k) {
            ok = ok && name_series(writer, def->axes[k].series);
        }
    }
    return ok;
}

bool cn_scene_name_all(CnSceneWriter* writer) {
    const CnScene* scene = writer->scene;
    writer->materials = CN_ARENA_NEW(&writer->arena, const char*, scene->materials.count);
    writer->series = CN_ARENA_NEW(&writer->arena, const char*, scene->series.count);
    writer->bodies = CN_ARENA_NEW(&writer->arena, const char*, scene->bodies.count);
    writer->joints = CN_ARENA_NEW(&writer->arena, const char*, scene->joints.count);
    if (writer->materials == NULL || writer->series == NULL || writer->bodies == NULL ||
        writer->joints == NULL) {
        return false;
    }
    for (int i = 0; i < scene->joints.count; ++i) {
        writer->joints[i] = scene->joints.data[i].name;
    }
    for (int i = 0; i < scene->materials.count; ++i) {
        writer->materials[i] = scene->materials.data[i].name;
    }
    for (int i = 0; i < scene->series.count; ++i) {
        writer->series[i] = scene->series.data[i].name;
    }
    for (int i = 0; i < scene->bodies.count; ++i) {
        writer->bodies[i] = scene->bodies.data[i].name;
    }
    return name_materials(writer) && name_bodies(writer) && name_joints(writer) &&
           name_all_series(writer);
}

const char* cn_scene_material_name(const CnSceneWriter* writer, CnMaterialId material) {
    int place = CN_SCENE_PLACE(material, writer->scene->materials.count);
    return place >= 0 ? writer->materials[place] : NULL;
}

const char* cn_scene_series_name(const CnSceneWriter* writer, CnSeriesId series) {
    int place = CN_SCENE_PLACE(series, writer->scene->series.count);
    return place >= 0 ? writer->series[place] : NULL;
}

const char* cn_scene_body_name(const CnSceneWriter* writer, CnBodyId body) {
    int place = CN_SCENE_PLACE(body, writer->scene->bodies.count);
    return place >= 0 ? writer->bodies[place] : CN_WORLD_NAME;
}

const char* cn_scene_joint_name(const CnSceneWriter* writer, CnJointId joint) {
    int place = CN_SCENE_PLACE(joint, writer->scene->joints.count);
    return place >= 0 ? writer->joints[place] : NULL;
}
