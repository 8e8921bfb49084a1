// sketch.h - what built-in scenes are put together from.
//
// A sketch is a scene in the making that remembers the first refusal: after it every part is passed
// over, so that a scene can be written as a plain list of its parts.
#pragma once

#include "cairn/random.h"
#include "cairn/scene.h"

#define CN_FRAME (1.0 / 60.0) // step of scenes that other engines run too [s]

typedef struct CnSketch {
    CnScene* scene;
    bool failed;
    CnError* error;
    int count; // bodies named by number so far
} CnSketch;

void cn_sketch_time(CnSketch* sketch, double dt, double duration); // [s]; dt 0: as it is
CnMaterialId cn_sketch_material(CnSketch* sketch, const char* name, double friction,
                                double restitution, double density); // [kg/m^3]
CnSeriesId cn_sketch_series(CnSketch* sketch, const CnSeriesDef* def);

// The half space below the plane through the origin.
void cn_sketch_floor(CnSketch* sketch, CnMaterialId material, CnQuat tilt);

// A floor and four walls that face inwards, as far from the middle as half_width [m].
void cn_sketch_container(CnSketch* sketch, CnMaterialId material, double half_width);

// A dynamic body with one shape about its own origin. Without a name it gets "<what> <number>";
// without mass, that of its material.
typedef struct CnSketchBody {
    const char* what;
    CnMaterialId material; // none: the default material
    CnShapeDef shape;
    CnTransform pose;
    double mass; // [kg]; 0: from the density
    const char* name;
    CnVec3 velocity; // [m/s]
} CnSketchBody;
CnBodyId cn_sketch_body(CnSketch* sketch, const CnSketchBody* body);

// A capsule from one end to the other, its round caps included; the rest is for the caller to say.
CnSketchBody cn_rod(double radius, CnVec3 from, CnVec3 to);

void cn_sketch_joint(CnSketch* sketch, const CnJointDef* def);
void cn_sketch_constraint(CnSketch* sketch, const CnConstraintDef* def);

// Any body.
CnBodyId cn_sketch_def(CnSketch* sketch, const CnBodyDef* def);

// The shapes, centred.
CnShapeDef cn_sphere_def(double radius);
CnShapeDef cn_box_def(CnVec3 size);
CnShapeDef cn_capsule_def(double radius, double length);
CnShapeDef cn_cylinder_def(double radius, double length);

static inline CnTransform cn_at(CnVec3 position) {
    CnTransform pose = {position, cn_quat_identity()};
    return pose;
}

// How many must stand along an edge for this many to fit into a cube.
int cn_cube_side(int count);

// A rotation, all equally likely.
CnQuat cn_random_rotation(CnRandom* random);

// Marsaglia's generator of 32 bits, with which scenes are written for other engines as well.
double cn_sketch_xorshift(uint32_t* state, double low, double high);

// What scenes share: a pyramid of cubes of 1 m above a point of the ground, a square of pyramids of
// base 10, and layers of 8 x 8 balls, boxes and capsules.
void cn_sketch_pyramid(CnSketch* sketch, CnMaterialId stone, int base, double x, double y);
void cn_sketch_pyramids(CnSketch* sketch, CnMaterialId stone, int side);
void cn_sketch_pile(CnSketch* sketch, CnMaterialId stuff, int layers);

// One function per scene.
typedef void CnBuiltinFunction(CnSketch* sketch, int size);
CnBuiltinFunction cn_builtin_stack, cn_builtin_heavy_stack, cn_builtin_spheres, cn_builtin_chain,
    cn_builtin_ground_chain, cn_builtin_incline, cn_builtin_bounce;
CnBuiltinFunction cn_builtin_pyramid, cn_builtin_pyramids, cn_builtin_wall, cn_builtin_arch,
    cn_builtin_cardhouse, cn_builtin_kapla;
CnBuiltinFunction cn_builtin_robot, cn_builtin_grasp, cn_builtin_stewart, cn_builtin_hand;
CnBuiltinFunction cn_builtin_hinges, cn_builtin_chains, cn_builtin_net, cn_builtin_ragdolls;
CnBuiltinFunction cn_builtin_pile, cn_builtin_hulls, cn_builtin_rain;
CnBuiltinFunction cn_builtin_s1, cn_builtin_s2, cn_builtin_s3, cn_builtin_s6, cn_builtin_s7,
    cn_builtin_s9, cn_builtin_s10;
