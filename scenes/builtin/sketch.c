// sketch.c - what built-in scenes are put together from.
#include "sketch.h"

#include <stdio.h>

#define NAME_SIZE 32

void cn_sketch_time(CnSketch* sketch, double dt, double duration) {
    if (!sketch->failed) {
        CnSceneSettings settings = cn_scene_settings(sketch->scene);
        settings.dt = dt > 0.0 ? dt : settings.dt;
        settings.duration = duration;
        sketch->failed = cn_scene_set_settings(sketch->scene, &settings, sketch->error) != CN_OK;
    }
}

CnMaterialId cn_sketch_material(CnSketch* sketch, const char* name, double friction,
                                double restitution, double density) {
    CnMaterialId id = {0};
    if (!sketch->failed) {
        CnMaterialDef def = cn_material_def_default();
        def.name = name;
        def.friction = friction;
        def.restitution = restitution;
        def.density = density;
        id = cn_scene_add_material(sketch->scene, &def, sketch->error);
        sketch->failed = id.index == 0;
    }
    return id;
}

CnSeriesId cn_sketch_series(CnSketch* sketch, const CnSeriesDef* def) {
    CnSeriesId id = {0};
    if (!sketch->failed) {
        id = cn_scene_add_series(sketch->scene, def, sketch->error);
        sketch->failed = id.index == 0;
    }
    return id;
}

CnBodyId cn_sketch_def(CnSketch* sketch, const CnBodyDef* def) {
    CnBodyId id = {0};
    if (!sketch->failed) {
        id = cn_scene_add_body(sketch->scene, def, sketch->error);
        sketch->failed = id.index == 0;
    }
    return id;
}

void cn_sketch_floor(CnSketch* sketch, CnMaterialId material, CnQuat tilt) {
    CnShapeDef plane = cn_shape_def_default(CN_SHAPE_PLANE);
    CnBodyDef floor = cn_body_def_default();
    floor.name = "floor";
    floor.type = CN_BODY_STATIC;
    floor.rotation = tilt;
    floor.material = material;
    floor.shapes = &plane;
    floor.shape_count = 1;
    cn_sketch_def(sketch, &floor);
}

void cn_sketch_container(CnSketch* sketch, CnMaterialId material, double half_width) {
    enum { PLANES = 5 };
    const CnVec3 normals[PLANES] = {
        {0.0, 0.0, 1.0}, {1.0, 0.0, 0.0}, {-1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, -1.0, 0.0}};
    CnShapeDef planes[PLANES];
    CnBodyDef container = cn_body_def_default();
    for (int i = 0; i < PLANES; ++i) {
        double distance = i == 0 ? 0.0 : half_width;
        planes[i] = cn_shape_def_default(CN_SHAPE_PLANE);
        planes[i].normal = normals[i];
        planes[i].position = cn_vec3_scale(-distance, normals[i]);
    }
    container.name = "container";
    container.type = CN_BODY_STATIC;
    container.material = material;
    container.shapes = planes;
    container.shape_count = PLANES;
    cn_sketch_def(sketch, &container);
}

CnBodyId cn_sketch_body(CnSketch* sketch, const CnSketchBody* body) {
    char name[NAME_SIZE];
    CnBodyDef def = cn_body_def_default();
    snprintf(name, sizeof name, "%s %d", body->what != NULL ? body->what : "", sketch->count);
    def.name = body->name != NULL ? body->name : name;
    def.position = body->pose.position;
    def.rotation = body->pose.rotation;
    def.velocity = body->velocity;
    def.material = body->material;
    def.shapes = &body->shape;
    def.shape_count = 1;
    if (body->mass > 0.0 && !sketch->failed) {
        CnStatus status = cn_scene_scale_mass(sketch->scene, &def, body->mass, sketch->error);
        sketch->failed = status != CN_OK;
    }
    sketch->count += body->name == NULL;
    return cn_sketch_def(sketch, &def);
}

CnSketchBody cn_rod(double radius, CnVec3 from, CnVec3 to) {
    CnVec3 along = cn_vec3_sub(to, from), z = {0.0, 0.0, 1.0};
    CnVec3 unit = cn_vec3_normalize(along), axis = cn_vec3_cross(z, unit);
    CnTransform pose = cn_at(cn_vec3_scale(0.5, cn_vec3_add(from, to)));
    double sine = cn_vec3_length(axis), length = cn_vec3_length(along);
    if (sine > 0.0) {
        pose.rotation =
            cn_quat_from_axis_angle(cn_vec3_normalize(axis), cn_atan2(sine, cn_vec3_dot(z, unit)));
    }
    return (CnSketchBody){.shape = cn_capsule_def(radius, length - 2.0 * radius), .pose = pose};
}

void cn_sketch_joint(CnSketch* sketch, const CnJointDef* def) {
    if (!sketch->failed) {
        sketch->failed = cn_scene_add_joint(sketch->scene, def, sketch->error).index == 0;
    }
}

void cn_sketch_constraint(CnSketch* sketch, const CnConstraintDef* def) {
    if (!sketch->failed) {
        sketch->failed = cn_scene_add_constraint(sketch->scene, def, sketch->error).index == 0;
    }
}

CnShapeDef cn_sphere_def(double radius) {
    CnShapeDef def = cn_shape_def_default(CN_SHAPE_SPHERE);
    def.radius = radius;
    return def;
}

CnShapeDef cn_box_def(CnVec3 size) {
    CnShapeDef def = cn_shape_def_default(CN_SHAPE_BOX);
    def.size = size;
    return def;
}

CnShapeDef cn_capsule_def(double radius, double length) {
    CnShapeDef def = cn_shape_def_default(CN_SHAPE_CAPSULE);
    def.radius = radius;
    def.length = length;
    return def;
}

CnShapeDef cn_cylinder_def(double radius, double length) {
    CnShapeDef def = cn_shape_def_default(CN_SHAPE_CYLINDER);
    def.radius = radius;
    def.length = length;
    return def;
}

int cn_cube_side(int count) {
    int side = 1;
    while (side * side * side < count) {
        ++side;
    }
    return side;
}

// A direction in four dimensions: points of the cube that lie in the ball, on its surface.
CnQuat cn_random_rotation(CnRandom* random) {
    for (;;) {
        double w = cn_random_between(random, -1.0, 1.0), x = cn_random_between(random, -1.0, 1.0);
        double y = cn_random_between(random, -1.0, 1.0), z = cn_random_between(random, -1.0, 1.0);
        CnQuat q = cn_quat(w, x, y, z);
        double length = cn_quat_length(q);
        if (length <= 1.0 && length > 0.1) { // near the middle the direction is all round-off
            return cn_quat_normalize(q);
        }
    }
}

double cn_sketch_xorshift(uint32_t* state, double low, double high) {
    *state ^= *state << 13;
    *state ^= *state >> 17;
    *state ^= *state << 5;
    return low + (high - low) * ((double)(*state >> 8) * 0x1p-24);
}
