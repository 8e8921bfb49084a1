// builtin_parts.c - what built-in scenes are put together from.
#include "io/builtin/builtin_parts.h"

#include <stdio.h>

#define NAME_SIZE 32

void cn_sketch_time(CnSketch* sketch, double dt, double duration) {
    if (sketch->status == CN_OK) {
        CnSceneSettings settings = cn_scene_settings(sketch->scene);
        settings.dt = dt > 0.0 ? dt : settings.dt;
        settings.duration = duration;
        sketch->status = cn_scene_set_settings(sketch->scene, &settings, sketch->error);
    }
}

void cn_sketch_material(CnSketch* sketch, const char* name, double friction, double restitution,
                        double density) {
    if (sketch->status == CN_OK) {
        CnMaterialDef def = cn_material_def_default();
        def.name = name;
        def.friction = friction;
        def.restitution = restitution;
        def.density = density;
        sketch->status = cn_scene_add_material(sketch->scene, &def, sketch->error);
    }
}

void cn_sketch_floor(CnSketch* sketch, const char* material, CnQuat tilt) {
    if (sketch->status == CN_OK) {
        CnSceneShape plane = {.def = cn_shape_def_default(CN_SHAPE_PLANE)};
        CnSceneBody floor = {.def = cn_body_def_default(), material, &plane, 1};
        floor.def.name = "floor";
        floor.def.type = CN_BODY_STATIC;
        floor.def.rotation = tilt;
        sketch->status = cn_scene_add_body(sketch->scene, &floor, sketch->error);
    }
}

void cn_sketch_body(CnSketch* sketch, const CnSketchBody* body) {
    if (sketch->status != CN_OK) {
        return;
    }
    char name[NAME_SIZE];
    CnSceneShape shape = {.def = body->shape};
    CnSceneBody made = {.def = cn_body_def_default(), body->material, &shape, 1};
    snprintf(name, sizeof name, "%s %d", body->what, sketch->count);
    made.def.name = body->name != NULL ? body->name : name;
    made.def.position = body->pose.position;
    made.def.rotation = body->pose.rotation;
    made.def.velocity = body->velocity;
    if (body->mass > 0.0) {
        made.def.has_mass = cn_scene_mass_from_shapes(sketch->scene, &made, body->mass);
    }
    sketch->status = cn_scene_add_body(sketch->scene, &made, sketch->error);
    sketch->count += body->name == NULL;
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

void cn_sketch_joint(CnSketch* sketch, const CnSceneJoint* joint) {
    if (sketch->status == CN_OK) {
        sketch->status = cn_scene_add_joint(sketch->scene, joint, sketch->error);
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
