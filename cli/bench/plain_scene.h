// plain_scene.h - balls, boxes, capsules, hulls, joints as numbers; what is wrong with them.
//
// Other engines are built from it, and every engine is measured by it: from poses and shapes alone,
// not from the contacts that an engine says it has.
#pragma once

#include "cairn/cairn.h"

// A plane is a box of 200 x 200 x 2 m with its upper face in it, as engines without planes have it.
typedef enum PlainShape { PLAIN_BALL, PLAIN_BOX, PLAIN_CAPSULE, PLAIN_HULL } PlainShape;

// The surface of a hull as triangles, counter-clockwise seen from outside.
typedef struct PlainHull {
    CnVec3* points;      // from the centre of mass, in the axes of the body [m]   [point_count]
    int (*triangles)[3]; // [triangle_count]
    int point_count, triangle_count;
} PlainHull;

typedef struct PlainBody {
    PlainShape shape;  // about the centre of mass; a capsule lies along z
    double half[3];    // box: half edges; ball, capsule: radius, radius, half of the segment;
                       // hull: radius of the ball about the centre that holds it [m]
    PlainHull hull;    // empty for other shapes
    double mass;       // 0: fixed [kg]
    double inertia[3]; // about the axes of the body; products are left out [kg m^2]
    double friction;
    int32_t group; // those of one negative group do not collide
} PlainBody;

typedef struct PlainJoint {
    int body_a, body_b;                      // -1: the world
    bool is_hinge;                           // else a ball joint
    CnVec3 point_a, point_b, axis_a, axis_b; // in the axes of the bodies, from their centres [m]
} PlainJoint;

typedef struct PlainScene {
    int body_count, joint_count;
    PlainBody* bodies;
    CnBodyState* start; // fixed bodies stay there   [body_count]
    PlainJoint* joints;
} PlainScene;

// False with a sentence: a shape or a joint is of another type (CN_UNSUPPORTED), or memory runs
// out. Free in any case.
bool plain_scene_read(const CnWorld* world, PlainScene* scene, CnError* error);
void plain_scene_free(PlainScene* scene);

// Overlaps of all samples so far: start from zero, free at the end.
typedef struct PlainOverlaps {
    double* depths; // of pairs that overlap [m]   [count]
    int count, capacity;
    double deepest; // of the last sample [m]
} PlainOverlaps;
bool plain_scene_overlaps(const PlainScene* scene, const CnBodyState* states,
                          PlainOverlaps* overlaps);             // false: no memory
bool plain_overlaps_add(PlainOverlaps* overlaps, double depth); // false: no memory
double plain_overlaps_share(PlainOverlaps* overlaps,
                            double share); // e.g. 0.99 of them are no deeper
void plain_overlaps_free(PlainOverlaps* overlaps);

// Overlap of two bodies [m]; negative: apart (by at least that much, if both are boxes or hulls).
// A ball or capsule against a hull is not measured: zero.
double plain_pair_overlap(const PlainBody* a, const CnBodyState* at_a, const PlainBody* b,
                          const CnBodyState* at_b);

double plain_scene_joint_error(const PlainScene* scene, const CnBodyState* states); // largest [m]
double plain_scene_kinetic_energy(const PlainScene* scene, const CnBodyState* states); // [J]
