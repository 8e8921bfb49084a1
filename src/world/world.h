// world.h - what a world is made of; shared by the files of this layer.
#pragma once

#include "base/arena.h"
#include "base/array.h"
#include "base/hash.h"
#include "base/pool.h"
#include "cairn/event.h"
#include "cairn/warning.h"
#include "collision/broad/broad_phase.h"
#include "collision/narrow_phase.h"
#include "constraints/joints/joint_types.h"
#include "geometry/shape.h"
#include "math/curve.h"
#include "math/mat3.h"
#include "world/contacts/swept_pairs.h"

// What a body may have besides shapes; each kind has its own pool. See body_links.h.
typedef enum CnLinkKind {
    CN_LINK_FORCE,
    CN_LINK_CONTACT, // given by hand
    CN_LINK_JOINT,
    CN_LINK_CONSTRAINT,
    CN_LINK_SEPARATION,
    CN_LINK_KIND_COUNT
} CnLinkKind;

typedef struct CnLink {
    int previous, next; // numbers of links, from 1; 0: none
} CnLink;

// What a step reads and writes of a body; bodies lie one after the other.
typedef struct CnBody {
    CnBodyState state;
    CnVec3 center;          // of mass, in body axes from the body's origin [m]
    double mass;            // 0 unless dynamic [kg]
    double inverse_mass;    // [1/kg]
    CnMat3 inertia;         // about the centre of mass, body axes; 0 unless dynamic [kg m^2]
    CnMat3 inverse_inertia; // [1/(kg m^2)]
    double gravity_scale;
    double linear_damping, angular_damping; // [1/s]
    CnBodyType type;                        // static as long as it is disabled
    bool fast;                              // steps are cut at its impacts
    bool disabled;
} CnBody;

// The rest of it.
typedef struct CnBodyDetails {
    char* name; // never NULL
    uint64_t user;
    CnBodyType type;                             // as asked for
    bool has_mass;                               // as given, else from shapes
    CnMassProperties given;                      // its centre counts also where no shape has mass
    CnMassProperties mass;                       // that it has, if it is dynamic and enabled
    CnVec3 kept_velocity, kept_angular_velocity; // of a disabled body
    int applied;                                 // place in CnWorld.applied, from 1; 0: nothing
    CnMaterialId material;
    int first_shape, last_shape; // slots, in the order they were added; -1: none
    int shape_count;
    int first_link[CN_LINK_KIND_COUNT]; // of its lists; 0: empty
} CnBodyDetails;

// A shape of a body. Its slot is also the number of its proxy in the broad phase.
typedef struct CnWorldShape {
    CnShape shape;      // in the frame of the body's centre of mass
    CnVec3 position;    // of its origin, in body axes from the body's origin [m]
    int body;           // index of the body
    int previous, next; // slots of the shapes of the same body; -1: none
    int number;         // place among them
} CnWorldShape;

// What a body was given for the next step, about its centre of mass, world axes.
typedef struct CnApplied {
    int body;                        // index
    CnVec3 force, torque;            // [N], [N m]
    CnVec3 impulse, angular_impulse; // [N s], [N m s]
} CnApplied;

typedef struct CnWorldGeometry {
    CnGeometry* geometry; // in the world as long as it has references
    bool is_held;         // by the user, which is one of them
} CnWorldGeometry;

// Two bodies that do not collide.
typedef struct CnSeparation {
    CnBodyId body_a, body_b;
    int reasons; // constraints, and one more when by_user
    bool by_user;
} CnSeparation;

typedef struct CnMaterial {
    char* name;
    double friction, restitution, density;
    double torsion, rolling; // [m]
    CnVec3 grain;            // unit, body axes; zero: none
    double friction_across;
    double hold;             // static friction as a multiple of friction, >= 1
    CnVec3 surface_velocity; // body axes [m/s]
} CnMaterial;

// How two materials meet.
typedef struct CnMeeting {
    double friction, restitution;
    double torsion, rolling; // [m]
    double friction_across;  // where there is a grain
    CnVec3 grain;            // unit, in the axes of its body; zero: none
    bool is_grain_of_b;
    double hold;                                   // of what sticks, as a multiple of friction
    CnVec3 surface_velocity_a, surface_velocity_b; // in the axes of their bodies [m/s]
} CnMeeting;

typedef struct CnSeries {
    char* name;
    double* samples; // what the curve points into
    CnCurve curve;
} CnSeries;

// A contact given by hand, in the frames of its bodies.
typedef struct CnGivenContact {
    char* name;
    CnBodyId body_a, body_b;
    CnVec3
        anchor_a; // a point of A's plane, from A's centre of mass, A's axes (world when none) [m]
    CnVec3 normal_a; // A's axes
    CnVec3 anchor_b; // from B's centre of mass, B's axes [m]
    double offset;   // gap when the anchors coincide [m]
    CnMaterialId material_a, material_b;
} CnGivenContact;

typedef struct CnUserConstraint {
    char* name;
    const CnConstraintKind* kind;
    CnBodyId body_a, body_b;
    CnJointId joint; // that it is a part of; none: added by itself
    int index;       // place in CnWorld.constraint_order; -1 for parts of joints
    bool separates;  // two bodies: they do not collide
    void* data;
    size_t data_size;
    double impulse[CN_MAX_ROWS]; // over all parts of the last step; 0 for rows that were left out
                                 // [N s]
    double value[CN_MAX_ROWS];   // error after the last step [m or rad]
} CnUserConstraint;

// A free axis of a joint: what it does, and the constraints that do it.
typedef struct CnJointFreeAxis {
    CnAxis axis;
    CnJointAxis settings;
    CnJointRow row;                           // for readers: parts have rows of their own
    CnConstraintId parts[CN_AXIS_PART_COUNT]; // null ids where there is none
} CnJointFreeAxis;

typedef struct CnJoint {
    char* name;
    CnJointType type;
    CnBodyId body_a, body_b; // of the frames
    CnJointFrames frames;
    CnConstraintId kept, limit;
    int kept_lengths;       // rows of `kept` in metres; those after them are in radians
    const CnMeasure* shown; // in whose axes forces of the joint are shown
    CnJointFreeAxis* axes;  // in the order of CnAxis   [axis_count]
    int axis_count;
    CnSpringFunction* spring; // of a spring; NULL: linear, or the table
    void* spring_data;
    CnSeriesId spring_table;
    double strength, strength_torque;
    double length;       // between two points [m]; else 0
    double ratio, pitch; // as in the def
    double swing_limit, swing_limit_y;
    int index;     // place in CnWorld.joint_order
    bool swapped;  // A and B of the frames are B and A of the def
    bool one_body; // readings are about B of the def
    bool collide;
    bool enabled;
    bool is_spring; // its axis has a spring, whatever the settings
    bool has_parts; // false: broken, and told so
    bool broken;
} CnJoint;

// A contact point at some poses, before it is known what it does.
typedef struct CnContact {
    int body_a, body_b;   // indices; -1 for the immovable world
    int shape_a, shape_b; // slots; -1 when given by hand
    CnVec3 point;         // world [m]
    CnVec3 normal;        // from A to B
    double gap;           // [m]
    double start_gap;     // scheme implicit: overlap as the step began, <= 0 [m]
    double approach;      // rate of the gap before the step, once rows are posed [m/s]
    double friction, restitution;
    double friction_across;  // at right angles to the grain
    double torsion, rolling; // [m]
    double hold;             // of a contact that sticks, as a multiple of friction, >= 1
    CnVec3 grain;            // unit, world; zero: friction is the same in all directions
    CnVec3 surface_velocity; // of B's surface against A's, in the tangent plane, world [m/s]
    CnVec3 anchor[2];        // with a friction_bias: where it began to stick, of A from its centre
                             // in its axes, of B too, once rows are posed [m]
    uint64_t key;
    uint64_t pair; // key of its two shapes; 0 when given by hand
    int given;     // slot of the given contact, -1 when found by collision
    bool fast;     // one of its bodies is: steps are cut when it closes
    int block;     // in the step's problem, -1 when it poses no row
} CnContact;
typedef CN_ARRAY(CnContact) CnContactArray;

// Where a block of the step's problem comes from.
typedef struct CnBlockSource {
    int contact;               // index into CnStep.contacts, or -1
    int constraint;            // slot of the user constraint, or -1
    uint32_t generation;       // of that slot, or of the slot of a contact given by hand; else 0
    uint8_t rows[CN_MAX_ROWS]; // constraint: which of its rows are in the problem
} CnBlockSource;

// The problem under construction; arrays keep their memory from step to step.
typedef struct CnRows {
    CN_ARRAY(CnBlock) blocks;
    CN_ARRAY(CnBlockSource) sources;
    int row_count, row_capacity;
    double (*jacobian_a)[6]; // [row_capacity]
    double (*jacobian_b)[6];
    double *target, *compliance, *lower, *upper, *offset, *slope; // [row_capacity]
    double* impulse;                                              // guess, then answer
} CnRows;

// How one body moves through one step; indices are those of CnWorld.order.
typedef struct CnMotion {
    CnVec3 start_center, start_velocity;
    CnQuat start_rotation;
    CnVec3 stored_velocity, stored_angular_velocity; // as the world had them, reset or not
    CnVec3 start_spin;                               // angular velocity in body axes [rad/s]
    CnVec3 turn_ahead;    // from the start to the poses of the problem, world axes [rad]
    CnVec3 center;        // where the problem is posed [m]
    CnQuat rotation;      // where the problem is posed
    CnVec3 ahead_spin;    // as it arrives there, before any impulse, body axes [rad/s]
    CnVec3 load;          // impulse of forces other than gravity, world axes [N s]
    CnVec3 load_moment;   // about the centre of mass, body axes [N m s]
    CnVec3 gyration;      // impulse of the gyroscopic term, body axes [N m s]
    CnVec3 mean_spin;     // at which moments do their work, body axes [rad/s]
    double turning_work;  // made by the gyroscopic term and the rotation update [J]
    double gyration_gain; // what the gyroscopic impulse alone adds to the energy of the start [J]
    CnVec3 end_velocity, end_spin; // before the relaxation; spin in body axes [rad/s]
    CnVec3 final_spin;             // after it
    CnVec3 turn_after;             // from the poses of the problem to the end, world axes [rad]
    CnVec3 end_center;             // before positions are corrected [m]
    CnQuat end_rotation;
    CnVec3 spin_defect; // angular momentum the rotation update makes or loses, world [N m s]
    CnVec3 late;        // impulse of constraints at the end of the step, world axes [N s]
    CnVec3 late_moment; // about the centre of mass, body axes [N m s]
} CnMotion;

// Impulses of the last step by block key, for warm starting.
typedef struct CnImpulseCache {
    CnMap map;   // key -> entry
    CnMap pairs; // CnContact.pair -> its first entry; the others follow
    CN_ARRAY(struct {
        uint64_t key;            // of the block
        uint64_t pair;           // see CnContact; 0: constraints too
        CnVec3 place[2];         // contacts: the point from the centre of A in its axes, and of B;
                                 // from the origin for the immovable world [m]
        CnVec3 impulse;          // contacts: world axes
        CnVec3 moment;           // contacts: of torsion and rolling
        double row[CN_MAX_ROWS]; // constraints
        double residual;         // of the block [m/s]
        double start_gap;        // see CnContact
        bool pressed;            // contacts: had a normal impulse
        bool stuck;              // of a contact: it did not slip
        CnVec3 anchor[2];        // of a contact: see CnContact
    })
    entries;
    double dt; // the step they belong to [s]
} CnImpulseCache;

// Two shapes that touch, or a sensor and what it overlaps, or a contact given by hand that is
// closed.
typedef struct CnTouch {
    uint64_t key[2]; // cn_world_shape_key(); given by hand: its id. Touches are kept in this order
    CnBodyId body_a, body_b;
    int shape_a, shape_b; // which of the bodies' shapes; -1: given by hand
    CnContactId contact;  // given by hand
    bool is_hit;          // met faster than hit_speed in the last part of the step
    double impulse;       // normal, over the parts of the step that no hit has counted yet [N s]
    int hit;              // place of the last hit of this step in CnEventLog.latest, -1: none
} CnTouch;
typedef CN_ARRAY(CnTouch) CnTouchArray;

// Who touches whom, from step to step.
typedef struct CnTouchSet {
    CnTouchArray kept;   // after the last step
    CnTouchArray latest; // after the last substep of a step that is not over
    CnTouchArray next;   // scratch
} CnTouchSet;

// What happened; see cairn/event.h.
typedef struct CnEventLog {
    CnTouchSet found, given, sensors; // contacts found by collision, given by hand; overlaps
    CnTouchArray overlaps;            // scratch: of sensors now
    CN_ARRAY(struct {
        CnEvent event;
        uint64_t key[2]; // see CnTouch
    })
    latest;                 // of the step that is not over
    CN_ARRAY(int) sorted;   // scratch: places in latest
    CN_ARRAY(CnEvent) kept; // of the last step
} CnEventLog;

// What contacts did in the last step; see contact_totals.h.
typedef struct CnContactTotals {
    CN_ARRAY(CnContactPoint)
    points;       // in the order in which the step's parts found them; force,
                  // torque and velocity are left for the reader
    CnMap places; // key -> place in points, once a step has a second part
    bool has_places;
} CnContactTotals;

// Buffers of the current part of a step: valid from one step to the next.
typedef struct CnStep {
    double dt, time; // [s]; time at the start
    CnContactArray contacts;
    CnRows rows;
    CnProblem problem;
    CN_ARRAY(CnMotion) motions;
    double* inverse_mass;         // [body_capacity]
    double (*inverse_inertia)[9]; // world axes at the configuration of the problem
    double (*free_velocity)[6];
    double (*velocity)[6];
    double (*mean_velocity)[6]; // (v- + v+)/2 in the axes of the problem
    int body_capacity;
    CN_ARRAY(double) block_residual;
    CN_ARRAY(double) block_work; // [J]
} CnStep;

#define CN_CACHE_COUNT 3

struct CnWorld {
    CnWorldDef def;
    CnAllocator allocator;
    char* solver_name; // owns def.solver.name
    double time;
    // Bodies by index: as they were added; one removed leaves its place to the last.
    CN_ARRAY(CnBody) bodies;
    CN_ARRAY(CnBodyDetails) details;
    CN_ARRAY(CnBodyId) order;
    CN_ARRAY(CnApplied) applied; // for the next step, in the order of the first calls
    CnPool body_indices;         // id -> index (int)
    CnPool shapes;               // CnWorldShape
    CnPool geometries;           // CnWorldGeometry
    CnPool materials, series, forces, given_contacts, constraints, joints, separations;
    CN_ARRAY(CnLink) links[CN_LINK_KIND_COUNT]; // two for each slot of the kind's pool
    int fast_count;                             // of bodies: without one, steps are never cut
    CN_ARRAY(CnMaterialPair) material_pairs;
    CN_ARRAY(CnJointId) joint_order;           // as order
    CN_ARRAY(CnConstraintId) constraint_order; // as order, of those that are no parts of joints
    CnMap names;                               // hash of body name -> slot of its id
    CnMap contact_answers;        // of the filter in this step: pair -> 0 or 1; contact_hooks.c
    CnMap excluded;               // pair key -> slot of the separation
    CnNarrowScratch narrow_phase; // scratch of the calling thread
    CnSweptPairs swept_pairs;     // scratch of continuous.c
    CnBroadPhase broad_phase;     // a proxy for each shape, of the same number as its slot. Between
                                  // steps every shape lies in its fat box.
    CnArena arena;                // scratch of the calling thread
    CnWorkspace** workspaces;     // one per worker
    int workspace_count;
    // By turns: as the step began, of its last substep, of the next one.
    CnImpulseCache caches[CN_CACHE_COUNT];
    int cache, start_cache; // the latest; the one that the last step began with
    CnImpulseCache iterate; // within a step: of the last look at its end (scheme implicit)
    CnStep step;            // the last one that succeeded; during a step, the present one
    CnStep spare_step;      // the other, by turns
    struct {
        CnRows rows; // position-level problem
        CnProblem problem;
        CnContactArray contacts;      // found where positions were measured last
        CnContactArray posed;         // found where the problem is posed
        CnContactArray learned;       // known from other poses: correct_contacts.h
        double (*inverse_inertia)[9]; // at the end of the step   [body_capacity]
        double (*free_velocity)[6];   // zeros to correct positions, velocities to relax them
        double (*displacement)[6];
        int body_capacity;
    } correction;
    CnEventLog events;
    CnContactTotals contact_totals, spare_totals; // as step and spare_step
    double whole_dt;    // length of the step that totals and impulses of constraints are of [s]
    int64_t steps_made; // that succeeded
    struct {
        CnWarning kinds[CN_WARNING_KIND_COUNT]; // count 0: not yet
        uint32_t pending;                       // of the step that is not over: a bit for each kind
    } warnings;
    int sensor_count; // shapes that are sensors
    bool stepping;    // see cn_world_check_idle()
};

// A public id is a pool id with another name.
#define CN_POOL_ID(id)                                                                             \
    (CnPoolId) {                                                                                   \
        (id).index, (id).generation                                                                \
    }

// To compare turning with moving [m]: of a body that is not dynamic 1 m.
double cn_body_gyration_radius(const CnBody* body);

// The world as a body: at rest at the origin.
extern const CnBodyState cn_immovable;

CnBody* cn_world_body(const CnWorld* world, CnBodyId id);   // NULL when null or stale
int cn_world_body_index(const CnWorld* world, CnBodyId id); // -1 when null or stale

static inline CnBody* cn_world_body_by_index(const CnWorld* world, int index) {
    return &world->bodies.data[index];
}

static inline CnVec3 cn_body_gravity(const CnWorld* world, const CnBody* body) {
    return cn_vec3_scale(body->gravity_scale, world->def.gravity);
}

static inline int cn_world_index_of(const CnWorld* world, const CnBody* body) {
    return (int)(body - world->bodies.data);
}

static inline CnBodyDetails* cn_world_details_of(const CnWorld* world, const CnBody* body) {
    return &world->details.data[body - world->bodies.data];
}

// Of a slot in use. The shapes of a body: from first_shape of its details on, by `next`.
static inline CnWorldShape* cn_world_shape_at(const CnWorld* world, int slot) {
    return (CnWorldShape*)(void*)world->shapes.elements + slot;
}

static inline CnShapeId cn_world_shape_id(const CnWorld* world, int slot) {
    return (CnShapeId){(uint32_t)slot + 1, world->shapes.slots.data[slot].generation};
}

// Tells a shape from all others, those that had its slot before too; in the order of slots.
static inline uint64_t cn_world_shape_key(const CnWorld* world, int slot) {
    return (uint64_t)slot << 32 | world->shapes.slots.data[slot].generation;
}

bool cn_world_knows_material(const CnWorld* world, CnMaterialId id); // the null id is known

// What holds where two materials meet; the null material is the default one.
CnMeeting cn_world_combine_materials(const CnWorld* world, CnMaterialId a, CnMaterialId b);

// Tells a contact what its surfaces are like; a grain turns with the body that has it.
void cn_contact_take_materials(const CnWorld* world, CnMaterialId a, CnMaterialId b,
                               const CnBodyState* states, CnContact* contact);

// What a row came from, for reports: the contact, or where there is none the constraint in a slot.
void cn_world_source_name(const CnWorld* world, const CnContact* contact, int constraint,
                          char* name, size_t size);

// CN_INVALID during a step: callbacks must not change the world.
CnStatus cn_world_check_idle(const CnWorld* world, CnError* error);

// The last step's contacts and problem are no longer there to look at.
void cn_world_forget_step(CnWorld* world);

// One more reason, or one less, for two bodies not to collide. CN_NO_MEMORY: nothing changed.
CnStatus cn_world_separate(CnWorld* world, CnBodyId a, CnBodyId b);
void cn_world_unseparate(CnWorld* world, CnBodyId a, CnBodyId b);
void cn_world_forget_separations(CnWorld* world, CnBodyId body); // that is about to go
bool cn_world_are_separate(const CnWorld* world, CnBodyId a, CnBodyId b);

// Takes the last cn_world_add_constraint() back; several in reverse: see cn_pool_undo_add().
void cn_world_undo_add_constraint(CnWorld* world, CnConstraintId id);

char* cn_world_copy_name(const CnWorld* world, const char* name); // NULL: no memory
