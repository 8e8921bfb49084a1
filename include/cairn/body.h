// body.h - a rigid body: its definition, its pose and its motion.
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

// A kinematic body may follow series: at time t its origin is where it was when it was added, moved
// by what the three series have changed since, and it is turned by what `angle` has changed since.
// At the end of a step its pose is exactly there and its velocity is their derivative. All none: it
// moves with its given velocity.
typedef struct CnBodyMotion {
    CnSeriesId position[3]; // along x, y, z of `axes` [m]; none: stays
    CnQuat axes;            // turns these three to the axes of the world; default none
    CnVec3 axis;            // unit, world; through the body's origin; default z
    CnSeriesId angle;       // about axis [rad]; none: does not turn
} CnBodyMotion;

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
    bool exact;            // scheme soft_step: islands with this body are solved as by scheme
                           // moreau, to the tolerance of the solver; others ignore it

    // Mass properties come from shapes and densities unless has_mass is set.
    bool has_mass;
    double mass;       // [kg]
    CnVec3 center;     // centre of mass in body axes [m]
    double inertia[6]; // about the centre of mass, body axes: xx yy zz xy xz yz [kg m^2]

    double gravity_scale;                   // on the world's gravity, default 1
    double linear_damping, angular_damping; // velocities fade as exp(-damping t) where nothing else
                                            // acts: loads in the ledgers; >= 0 [1/s], default 0
    bool enabled;                           // default true; see cn_body_set_enabled()

    CnBodyMotion motion; // of a kinematic body, whose velocities are then not given

    uint64_t user; // carried for the caller, never read
    uint32_t guard;
} CnBodyDef;

CN_API CnBodyDef cn_body_def_default(void);

// The state that a step advances. center is the centre of mass in the world: the equations of
// motion are written about it.
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

typedef struct CnWorld CnWorld; // world.h

// ---- bodies at run time ----
//
// All calls that change something refuse a body that does not exist (CN_STALE) and any change
// during a step (CN_INVALID). The ranges of numbers are those of CnBodyDef.

// All settings of a body, and its pose and state.
typedef struct CnBodyInfo {
    const char* name; // "" when it has none; valid as long as the body
    CnBodyType type;
    bool enabled, fast, exact;
    uint64_t user;
    CnMaterialId material;
    CnTransform pose;  // of its frame
    CnBodyState state; // of its centre of mass
    bool has_mass;     // given; false: from its shapes
    CnMassProperties mass;
    double gravity_scale;
    double linear_damping, angular_damping; // [1/s]
    int shape_count;
    CnVec3 force, torque;            // applied for the next step, about the centre of mass
    CnVec3 impulse, angular_impulse; // the same
    CnBodyMotion motion;             // as in the def; all none: it follows no series
} CnBodyInfo;

CN_API CnStatus cn_body_read(const CnWorld* world, CnBodyId body, CnBodyInfo* info);

CN_API uint64_t cn_body_user(const CnWorld* world, CnBodyId body); // 0 when it does not exist
CN_API CnStatus cn_body_set_user(CnWorld* world, CnBodyId body, uint64_t user);

// For the next step only, on a dynamic and enabled body; several calls add up. A force acts during
// the whole step. An impulse is spread evenly over it: all of it is in the free velocity. point:
// the point of action in the world; its moment about the centre of mass is taken at the call. Both
// are loads in the ledgers. If a step fails, they stay for the next one.
CN_API CnStatus cn_body_apply_force(CnWorld* world, CnBodyId body, CnVec3 force, CnVec3 point,
                                    CnError* error); // [N], [m]
CN_API CnStatus cn_body_apply_torque(CnWorld* world, CnBodyId body, CnVec3 torque,
                                     CnError* error); // world axes [N m]
CN_API CnStatus cn_body_apply_impulse(CnWorld* world, CnBodyId body, CnVec3 impulse, CnVec3 point,
                                      CnError* error); // [N s], [m]
CN_API CnStatus cn_body_apply_angular_impulse(CnWorld* world, CnBodyId body, CnVec3 impulse,
                                              CnError* error); // world axes [N m s]

// Moves the frame of the body; the velocity of its centre of mass and its angular velocity stay.
CN_API CnStatus cn_body_set_pose(CnWorld* world, CnBodyId body, CnTransform pose, CnError* error);

// Sets the mass properties, whatever its shapes; NULL: computes them from its shapes again. The
// body keeps its pose and motion: see cn_body_add_shape() about a centre of mass that moves in the
// body.
CN_API CnStatus cn_body_set_mass(CnWorld* world, CnBodyId body, const CnMassProperties* mass,
                                 CnError* error);

// A body that becomes static stops. One that becomes dynamic must have a mass, given or from
// shapes.
CN_API CnStatus cn_body_set_type(CnWorld* world, CnBodyId body, CnBodyType type, CnError* error);

CN_API CnStatus cn_body_set_gravity_scale(CnWorld* world, CnBodyId body, double scale,
                                          CnError* error);
CN_API CnStatus cn_body_set_damping(CnWorld* world, CnBodyId body, double linear, double angular,
                                    CnError* error); // [1/s]

// A disabled body takes no part in anything: it does not move, nothing collides with it, queries do
// not see it, its joints and constraints do not act. It keeps its state, including velocities.
CN_API CnStatus cn_body_set_exact(CnWorld* world, CnBodyId body, bool exact, CnError* error);
CN_API CnStatus cn_body_set_enabled(CnWorld* world, CnBodyId body, bool enabled, CnError* error);

// A body asleep has no velocity and costs nothing. It wakes, with all that fell asleep with it,
// when something that moves comes near, when it or something it touches or is joined to is changed
// or removed, and when gravity, solver, step or materials of the world are. See CnStepDef.sleep.
// awake false puts the body to sleep now, with all that it touches or is joined to, moving or not,
// also where the world's sleep is off. Of a body that is not dynamic and enabled nothing changes.
CN_API CnStatus cn_body_set_awake(CnWorld* world, CnBodyId body, bool awake, CnError* error);
CN_API bool cn_body_is_awake(const CnWorld* world, CnBodyId body); // dynamic, enabled, not asleep

// ---- shapes of bodies ----

// The present settings of a shape. The def makes an equal shape with the same geometry; its arrays
// are NULL.
typedef struct CnShapeInfo {
    CnBodyId body;
    int number; // its place in cn_body_shapes()
    CnShapeDef def;
} CnShapeInfo;

// Adds a shape. Unless the mass of the body was given, its mass properties are computed again from
// all its shapes. The body keeps its pose and motion, and so do its joints and the contacts given
// by hand; its centre of mass becomes another point of it and has that point's velocity. The points
// of user constraints are relative to the centre of mass: if a body has some and its centre would
// move, the call is refused. The null id on failure.
CN_API CnShapeId cn_body_add_shape(CnWorld* world, CnBodyId body, const CnShapeDef* def,
                                   CnError* error);

// The mass changes as above. A dynamic body whose mass comes from its shapes must keep a shape with
// mass.
CN_API CnStatus cn_shape_remove(CnWorld* world, CnShapeId shape, CnError* error);

// What it may touch from the next step on: see CnShapeDef. CN_NO_MEMORY: nothing changed.
CN_API CnStatus cn_shape_set_filter(CnWorld* world, CnShapeId shape, uint32_t category,
                                    uint32_t mask, int32_t group, CnError* error);

// The null id means the body's material. The density matters: the mass changes as in
// cn_body_add_shape(). CN_NO_MEMORY: nothing changed.
CN_API CnStatus cn_shape_set_material(CnWorld* world, CnShapeId shape, CnMaterialId material,
                                      CnError* error);

CN_API CnStatus cn_shape_read(const CnWorld* world, CnShapeId shape, CnShapeInfo* info);

// The shapes of a body in the order they were added. Returns how many there are, -1 when the body
// does not exist; at most capacity are written.
CN_API int cn_body_shapes(const CnWorld* world, CnBodyId body, CnShapeId* shapes, int capacity);

// The surface of any shape, for drawing. resolution: sides of the polygon that approximates a
// circle of a sphere, capsule or cylinder, 3 to 4096; plane_half_size: half the side of the square
// that represents a plane [m], > 0. Both are checked for every shape.
CN_API CnStatus cn_shape_triangles(const CnWorld* world, CnShapeId shape, int resolution,
                                   double plane_half_size, CnTriangles* triangles, CnError* error);

// ---- geometry that shapes share ----

// Each is built from the same numbers and follows the same rules as a CnShapeDef of its type, and
// gives the same bits however many shapes use it. It lives as long as the caller holds it or a
// shape uses it; until then its id can be used for more shapes. The null id on failure.
CN_API CnGeometryId cn_geometry_create_hull(CnWorld* world, const CnVec3* points, int point_count,
                                            CnError* error);
CN_API CnGeometryId cn_geometry_create_mesh(CnWorld* world, const CnVec3* points, int point_count,
                                            const int (*triangles)[3], int triangle_count,
                                            CnError* error);
CN_API CnGeometryId cn_geometry_create_height_field(CnWorld* world, const double* heights,
                                                    int columns, int rows, double size_x,
                                                    double size_y, CnError* error);

// Gives up the caller's hold. CN_INVALID if the caller does not hold it: released before, or made
// for a shape from points.
CN_API CnStatus cn_geometry_release(CnWorld* world, CnGeometryId geometry, CnError* error);
