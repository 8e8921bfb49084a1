// body.h - a rigid body: what it is made of, where it is and how it moves.
//
// The pose of a body is that of its frame: position is the frame's origin, rotation takes body axes
// to world axes. The centre of mass sits at `center` in that frame. velocity is the velocity of the
// centre of mass; angular_velocity is in world axes.
#pragma once

#include "cairn/material.h"
#include "cairn/math.h"
#include "cairn/series.h"
#include "cairn/shape.h"

typedef struct CnBodyId {
    uint32_t index, generation; // all zero: none; in contacts and constraints, the immovable world
} CnBodyId;

typedef enum CnBodyType {
    CN_BODY_DYNAMIC,   // moved by forces and impulses
    CN_BODY_STATIC,    // never moves
    CN_BODY_KINEMATIC, // moves with its given velocity, whatever it meets
} CnBodyType;

// Start from cn_body_def_default().
typedef struct CnBodyDef {
    const char* name;        // unique in the world if given; copied
    CnBodyType type;         // default dynamic
    CnVec3 position;         // of the frame's origin [m]
    CnQuat rotation;         // unit to 1e-6; normalised on entry
    CnVec3 velocity;         // of the centre of mass [m/s]
    CnVec3 angular_velocity; // world axes [rad/s]

    const CnShapeDef* shapes; // copied; may be none when mass and inertia are given
    int shape_count;
    CnMaterialId material; // of shapes that have none of their own
    bool fast;             // steps are cut at its impacts, so that it passes through nothing that
                           // is thicker than a tenth of contact_margin, however fast it is

    // Mass properties come from shapes and densities unless has_mass is set.
    bool has_mass;
    double mass;       // [kg]
    CnVec3 center;     // centre of mass in body axes [m]
    double inertia[6]; // about the centre of mass, body axes: xx yy zz xy xz yz [kg m^2]

    uint64_t user; // carried for the caller, never read
    uint32_t guard;
} CnBodyDef;

CN_API CnBodyDef cn_body_def_default(void);

// What a step advances. center is the centre of mass in the world: dynamics is written about it.
typedef struct CnBodyState {
    CnVec3 center;           // centre of mass, world [m]
    CnQuat rotation;         // body axes to world axes
    CnVec3 velocity;         // of the centre of mass [m/s]
    CnVec3 angular_velocity; // world axes [rad/s]
} CnBodyState;

typedef struct CnMassProperties {
    double mass;       // [kg]; 0 for a static or kinematic body
    CnVec3 center;     // in body axes [m]
    double inertia[6]; // about center, body axes: xx yy zz xy xz yz [kg m^2]
} CnMassProperties;

// A load on one body. Constant, or times a series, or from a function; parts add up.
typedef struct CnForceId {
    uint32_t index, generation;
} CnForceId;

typedef enum CnForceFrame {
    CN_FORCE_SPATIAL, // force and torque keep their direction in the world
    CN_FORCE_CARRIED, // force and torque turn with the body
} CnForceFrame;

// Adds to force [N] (acting at the centre of mass) and torque [N m] (about it), both world axes.
typedef void CnForceFunction(const CnBodyState* body, double time, void* data, CnVec3* force,
                             CnVec3* torque);

// Start from cn_force_def_default().
typedef struct CnForceDef {
    CnBodyId body;
    CnVec3 point;       // where force acts, in body axes from the body's origin: it moves along [m]
    CnVec3 force;       // [N]
    CnVec3 torque;      // [N m]
    CnForceFrame frame; // of force and torque, default spatial
    CnSeriesId series;  // factor on force and torque; none: 1
    double drag;        // adds -drag * velocity of the point [N s/m], >= 0
    CnForceFunction* function; // NULL: none
    void* data;
    uint32_t guard;
} CnForceDef;

CN_API CnForceDef cn_force_def_default(void);
