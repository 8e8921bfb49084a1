// world.h - what a world is made of; shared by the files of this layer.
#pragma once

#include "base/arena.h"
#include "base/array.h"
#include "base/hash.h"
#include "base/pool.h"
#include "cairn/attribution.h"
#include "cairn/event.h"
#include "cairn/warning.h"
#include "collision/broad/broad_phase.h"
#include "constraints/joints/joint_types.h"
#include "geometry/shape.h"
#include "math/curve.h"
#include "math/mat3.h"
#include "solvers/net/net_factor.h"
#include "solvers/rest/rest_factor.h"
#include "world/bodies/active.h"
#include "world/bodies/mass_store.h"
#include "world/contacts/pair_store.h"
#include "world/contacts/places.h"
#include "world/contacts/swept_pairs.h"
#include "world/islands/island_store.h"
#include "world/islands/sleep.h"
#include "world/loop/advance.h"

#include <stdatomic.h>
#include <stddef.h>

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
    CnVec3 center;      // of mass, in body axes from the body's origin [m]
    const CnMass* mass; // cn_no_mass unless dynamic
    double gravity_scale;
    double linear_damping, angular_damping; // [1/s]
    CnBodyType type;                        // static as long as it is disabled or asleep
    bool fast;                              // steps are cut at its impacts
    bool exact;                             // soft_step: its island is solved exactly
    bool was_exact;                         // its island was, in the last step of soft_step
    bool disabled;
    CnSleep sleep;
} CnBody;

// A kinematic body that follows series.
typedef struct CnDrive {
    CnBodyMotion motion;
    CnVec3 position; // of the body's origin when it began [m]
    CnQuat rotation;
    double start[4]; // of the series: x, y, z, angle
} CnDrive;

// The rest of it.
typedef struct CnBodyDetails {
    char* name; // never NULL
    uint64_t user;
    CnBodyType type;     // as asked for
    bool has_mass;       // as given, else from shapes
    const CnMass* given; // its centre counts also where no shape has mass
    const CnMass* mass;  // that it has, if it is dynamic and enabled
    int kept;    // disabled: place of its velocities in CnWorld.kept_velocities, from 1; else 0
    int applied; // place in CnWorld.applied, from 1; 0: nothing
    CnMaterialId material;
    int first_shape, last_shape; // slots, in the order they were added; -1: none
    int shape_count;
    int first_link[CN_LINK_KIND_COUNT]; // of its lists; 0: empty
    CnDrive* drive;                     // series that it follows; NULL: none
} CnBodyDetails;

// A shape of a body. Its slot is also the number of its proxy in the broad phase.
typedef struct CnWorldShape {
    const CnShape* shape; // in the frame of the body's origin; shared: body_shapes.h
    int body;             // index of the body
    int previous, next;   // slots of the shapes of the same body; -1: none
    int number;           // place among them
} CnWorldShape;

// What a body was given for the next step, about its centre of mass, world axes.
typedef struct CnApplied {
    int body;                        // index
    CnVec3 force, torque;            // [N], [N m]
    CnVec3 impulse, angular_impulse; // [N s], [N m s]
} CnApplied;

// Velocities of a disabled body: its state has none.
typedef struct CnKeptVelocity {
    int body; // index
    CnVec3 velocity, angular_velocity;
} CnKeptVelocity;

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

// What holds where two surfaces meet.
typedef struct CnSurfacePair {
    double friction, restitution;
    double torsion, rolling; // [m]
    double friction_across;  // where there is a grain
    CnVec3 grain;            // unit, in the axes of its body; zero: none
    bool is_grain_of_b;
    double hold;                                   // of what sticks, as a multiple of friction
    CnVec3 surface_velocity_a, surface_velocity_b; // in the axes of their bodies [m/s]
} CnSurfacePair;

typedef struct CnSeries {
    char* name;
    double* samples; // what the curve points into
    CnCurve curve;
} CnSeries;

// Points the curve into the samples: first for a new series, again for a copy.
void cn_series_aim(CnSeries* series);

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
    int record; // in CnWorld.pairs
} CnGivenContact;

typedef struct CnUserConstraint {
    char* name;
    const CnConstraintKind* kind;
    CnBodyId body_a, body_b;
    CnBodyId body_c, body_d; // of a mimic: those of its leader; else none
    CnJointId joint;         // that it is a part of; none: added by itself
    int index;               // place in CnWorld.constraint_order; -1 for parts of joints
    bool separates;          // two bodies: they do not collide
    CnKeeping keep;
    void* data;
    size_t data_size;
    double impulse[CN_MAX_ROWS]; // over all parts of the last step; 0 for rows that were left out
                                 // [N s]
    double value[CN_MAX_ROWS];   // error after the last step [m or rad]
    double kept[CN_MAX_ROWS];    // of the last solve, for the next one [N s]
    double residual;             // of that solve [m/s]
    int age;                     // steps that it had rows in, at most CN_MAX_AGE
    uint8_t role[CN_MAX_ROWS];   // CnRowRole of each row, found together with its value
} CnUserConstraint;

#define CN_MAX_AGE 255 // of a row, for policies of the warm start

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
    CnKeeping keep;
    double length;       // between two points [m]; else 0
    double ratio, pitch; // as in the def
    double offset;       // mimic, like the four after it
    CnJointId leader, follower;
    CnAxis leader_axis, follower_axis;
    int mimic_count; // mimics that this joint leads or follows
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
    CnVec3 surface_velocity_a, surface_velocity_b; // of surfaces against their bodies, world [m/s]
    int record;                                    // of its pair, in CnWorld.pairs
    uint32_t feature;                              // which features meet
    int given; // slot of the given contact, -1 when found by collision
    bool fast; // one of its bodies is: steps are cut when it closes
} CnContact;
typedef CN_ARRAY(CnContact) CnContactArray;

// Where a block of the step's problem comes from.
typedef struct CnBlockSource {
    int manifold, point;       // of a contact, in CnWorld.pairs; -1: not that of a manifold
    int given;                 // slot of the contact given by hand, or -1
    int constraint;            // slot of the user constraint, or -1
    uint32_t generation;       // of that slot, or of the slot of a contact given by hand; else 0
    int compact;               // its place in CnRows.compact, counted from 1; 0: none
    int turn;                  // its place in CnRows.turns, counted from 1; 0: none
    uint8_t rows[CN_MAX_ROWS]; // constraint: which of its rows are in the problem
} CnBlockSource;

// The rows of a joint that keeps a point, or two of its coordinates, and up to three angles, in few
// numbers: world/trees/compact_rows.h. Their Jacobians are written when somebody asks for them.
typedef struct CnCompactRows {
    int block; // in the problem
    bool is_written;
    uint8_t points;      // rows of the point, 2 or 3: the first ones
    CnVec3 vector[5];    // of each row: a direction in which the point is kept, or the gradient of
                         // an angle
    CnVec3 arm_a, arm_b; // from the centre of each body to the point [m]
} CnCompactRows;

// The one row of a drive about the axis of a hinge: its rate is turn . (w_b - w_a).
typedef struct CnTurnRow {
    int block; // in the problem
    bool is_written;
    CnVec3 turn;
} CnTurnRow;

// The problem under construction; arrays keep their memory from step to step.
typedef struct CnRows {
    CN_ARRAY(CnBlock) blocks;
    CN_ARRAY(CnBlockSource) sources;
    CN_ARRAY(CnCompactRows) compact; // of blocks that have them, in their order
    CN_ARRAY(CnTurnRow) turns;       // the same
    int row_count, row_capacity;
    double (*jacobian_a)[6]; // [row_capacity]
    double (*jacobian_b)[6];
    double (*jacobian_c)[6]; // of second pairs: of no use unless has_second   [second_capacity]
    double (*jacobian_d)[6];
    int second_capacity;
    bool has_second; // since it was cleared, a block was announced that has a second pair
    double *target, *compliance, *lower, *upper, *offset, *slope; // [row_capacity]
    double* impulse;                                              // guess, then answer
    uint32_t posed[2]; // scheme soft_step: CnActive.version and CnWorld.joint_changes that the
                       // blocks are of; 0: other rows

    // Blocks that trees posed last, from the first on: their headers, and what stays as it is in
    // their rows, hold while the same constraints act. cn_rows_again().
    int kept_count;
    uint32_t kept[2]; // CnActive.version and CnWorld.joint_changes that they are of
} CnRows;

// How one body moves through one step; indices are those of CnWorld.order.
typedef struct CnMotion {
    CnBodyState start;   // as this part of the step found it; at rest if it is quasi-static
    CnVec3 center;       // where the problem is posed [m]
    CnQuat rotation;     // where the problem is posed
    CnVec3 ahead_spin;   // as it arrives there, before any impulse, body axes [rad/s]
    double turning_work; // made by the gyroscopic term and the rotation update [J]
    CnVec3 end_spin;     // before the relaxation, body axes [rad/s]
    CnQuat end_rotation; // before positions are corrected
} CnMotion;

// The rest of it, in steps in which there is something to tell: cn_motion_extras() in motion.h.
typedef struct CnMotionExtras {
    CnVec3 stored_velocity, stored_angular_velocity; // as the world had them, reset or not
    CnVec3 turn_ahead;    // from the start to the poses of the problem, world axes [rad]
    CnVec3 turn_after;    // from there to the end, world axes [rad]
    CnVec3 load;          // impulse of forces other than gravity, world axes [N s]
    CnVec3 load_moment;   // about the centre of mass, body axes [N m s]
    CnVec3 gyration;      // impulse of the gyroscopic term, body axes [N m s]
    double gyration_gain; // what the gyroscopic impulse alone adds to the energy of the start [J]
    CnVec3 spin_defect;   // angular momentum the rotation update makes or loses, world [N m s]
    CnVec3 late;          // impulse of constraints at the end of the step, world axes [N s]
    CnVec3 late_moment;   // about the centre of mass, body axes [N m s]
    CnVec3 final_spin;    // end_spin after the relaxation [rad/s]
    CnVec3 end_velocity;  // before the relaxation [m/s]
    CnVec3 end_center;    // before positions are corrected [m]
    CnVec3 mean_spin;     // at which moments do their work, body axes [rad/s]
} CnMotionExtras;

// What joints have nothing to do with, and take no time to write: numbers up to gyration_gain.
#define CN_EXTRAS_OF_OTHERS 22

// An event, from the step that notes it to the reader. Members that few events have are stored
// apart.
typedef struct CnKeptEvent {
    double time;
    CnVec3 point, normal;
    CnBodyId body_a, body_b;
    CnShapeId shape_a, shape_b;
    CnEventType type;
    int rare; // place of the rest of it; CN_NONE: that is zero
} CnKeptEvent;

typedef struct CnRareEvent {
    CnContactId contact;
    CnJointId joint;
    double speed, impulse;
} CnRareEvent;

typedef struct CnEventList {
    CN_ARRAY(CnKeptEvent) events;
    CN_ARRAY(CnRareEvent) rare;
} CnEventList;

// Of a pair, in a step of several parts.
typedef struct CnPairHit {
    uint32_t step;  // that it is of
    int event;      // place of the pair's hit of this step; CN_NONE: none
    double impulse; // normal, over the parts that no hit has counted yet [N s]
} CnPairHit;

// An end that no record tells any more: one of the shapes was removed since the last step.
typedef struct CnPendingEnd {
    CnBodyId body_a, body_b;
    CnShapeId shape_a, shape_b;
    CnContactId contact;
    bool is_sensor;
} CnPendingEnd;

// What happened; see cairn/event.h.
typedef struct CnEventLog {
    CN_ARRAY(CnPendingEnd) pending; // to be told by the next step
    CnEventList latest;             // of the step that is not over
    bool has_told_pending;          // this step has
    CN_ARRAY(CnPairHit) hits;       // by record; empty unless steps have had several parts
    CnEventList kept;               // of the last step, sorted
} CnEventLog;

typedef struct CnContactLinks {
    int next[2]; // of the bodies A and B
} CnContactLinks;

// What contacts did in the last step if it was made of several parts; see contact_totals.h.
typedef struct CnContactTotals {
    bool in_use;
    CN_ARRAY(CnContactPoint)
    points;       // in the order in which the step's parts found them; force,
                  // torque and velocity are left for the reader
    CnMap places; // key -> place in points, once a step has a second part
    bool has_places;
    // The points of each body: 2 * point + side, CN_NONE ends the list.
    CnIntArray heads;               // by body
    CN_ARRAY(CnContactLinks) links; // [points.count]
} CnContactTotals;

// What each row direction did in the last step; see attribution.h.
typedef struct CnAttributionEntry {
    CnAttribution told;
    int body[4]; // of A and B, of a mimic C and D too, where they are dynamic; else CN_NONE
} CnAttributionEntry;

typedef struct CnAttributionStore {
    bool is_kept; // by the last step
    CN_ARRAY(CnAttributionEntry) entries;
    CnMap places; // key of what has rows, and channel -> place in entries
} CnAttributionStore;

// What loops over all manifolds of a step read of them: few bytes each, one after the other.
typedef struct CnTileNote {
    int body_a, body_b; // indices; -1: the immovable world
    uint8_t contacts;   // points of the manifold
    uint8_t points;     // those of them that act in the tile
    uint8_t row_count;  // of each of these
    bool is_wide : 1;
    bool is_belt : 1;
} CnTileNote;
typedef CN_ARRAY(CnTileNote) CnTileNotes;
typedef CN_ARRAY(double) CnTileTraces;

// Manifolds of a step are counted in parts of this many, by all workers: later loops find numbers
// of blocks and tiles without a walk over all manifolds before.
#define CN_MANIFOLDS_PER_PART 32

// Sums over the manifolds of a part, and over all parts before it.
typedef struct CnTilePart {
    int blocks, rows; // of its tiles
    int tiles;        // those with points that act
    int contacts;     // points of its manifolds
    int wide;         // manifolds that have explicit blocks
    int first_block, first_tile;
} CnTilePart;

// Buffers of the current part of a step: valid from one step to the next.
typedef struct CnStep {
    double dt, time;      // [s]; time at the start
    double rest;          // of dt, from the poses of the problem to the end [s]
    CnIntArray manifolds; // those with points, in CnWorld.pairs; by pair, then those given by hand
    CnIntArray first_block; // of each one's tile in its part; in the problem: cn_step_first_block()
    CnTileNotes notes;      // of their tiles, once rows are posed   [manifolds.count]
    CnTileTraces traces;    // of W, of their tiles; 0 if no point acts. Scheme soft_step: empty
    CN_ARRAY(CnTilePart) tile_parts; // of all manifolds, in order, once rows are posed
    CnIntArray wide_block; // by manifold, of those with torsion or rolling: its first explicit
                           // block. Of others any number: sources tell whose a block is
    int tile_block_count;  // the blocks of the problem: those of tiles, then those of rows
    int tile_row_count;
    CnRows rows; // explicit blocks: constraints, and contacts with torsion or rolling
    CN_ARRAY(CnMotion) motions;
    CN_ARRAY(CnMotionExtras) extras; // count 0: the step has none
    bool* is_dynamic;                // [body_capacity]
    double* inverse_mass;            // [body_capacity]
    double (*inverse_inertia)[9];    // world axes at the configuration of the problem
    double (*center)[3];             // of mass, there [m]
    double (*free_velocity)[6];
    double (*velocity)[6];
    int body_count, body_capacity;
    // Scratch that nobody reads after the step, like motions: the present step has it.
    double (*start_velocity)[6]; // as the step began, in the axes of the problem [scratch_capacity]
    double (*momentum)[6];       // J^T p of the answer
    double (*mean_velocity)[6];  // (v- + v+)/2 in the axes of the problem: once the step is solved,
                                 // in the memory of start_velocity, which nobody reads any more
    int scratch_capacity;
    uint32_t version; // of CnActive: entries of bodies that do not move are as in this one; 0: none
    bool is_graded;   // this step: CnStepDef.grade_every
    CnCertificate certificate;       // of all blocks, if it is graded
    CN_ARRAY(double) block_residual; // of explicit blocks [m/s]
    CN_ARRAY(double) block_trace;    // of explicit blocks with one row: W, once they are solved
    CN_ARRAY(double) block_work;     // of explicit blocks [J]
} CnStep;

// Tiles with points that act.
static inline int cn_step_tile_count(const CnStep* step) {
    int count = step->tile_parts.count;
    return count == 0 ? 0
                      : step->tile_parts.data[count - 1].first_tile +
                            step->tile_parts.data[count - 1].tiles;
}

// The first block of a manifold's tile among those of the problem.
static inline int cn_step_first_block(const CnStep* step, int place) {
    return step->tile_parts.data[place / CN_MANIFOLDS_PER_PART].first_block +
           step->first_block.data[place];
}

// What the tiles of contacts were built for; see contact_rows.c.
typedef struct CnTilePosing {
    bool is_valid; // for velocities over a time, with poses that came first
    double dt, theta;
} CnTilePosing;

// Memory of one worker for looking at pairs, apart from that of others: a cache line that two
// workers write to costs each of them a wait.
typedef struct CnSearchScratch {
    _Alignas(64) CnNarrowScratch narrow;
    CN_ARRAY(CnManifoldPoint) kept; // points found
    CnIntArray renewed;             // scheme soft_step: manifolds that it has taken over
    uint32_t changes;               // of manifolds that it has taken over, counted
    bool failed;                    // for want of memory
} CnSearchScratch;

// The last step's problem as one value, made when somebody asks for it.
typedef struct CnAssembledStep {
    bool is_valid;
    CnRows rows;
    CN_ARRAY(double) work; // of each block [J]
    CnProblem problem;
} CnAssembledStep;

struct CnWorld {
    CnWorldDef def;
    CnAllocator allocator;
    char* solver_name; // owns def.solver.name
    double time;
    // Bodies by index: as they were added; one removed leaves its place to the last.
    CN_ARRAY(CnBody) bodies;
    CN_ARRAY(CnBodyDetails) details;
    CN_ARRAY(CnBodyId) order;
    CN_ARRAY(CnApplied) applied;              // for the next step, in the order of the first calls
    CN_ARRAY(CnKeptVelocity) kept_velocities; // of disabled bodies
    CnSharedStore masses;                     // CnMass, of bodies
    CnSharedStore shape_records;              // what shapes are like: body_shapes.h
    CnPool body_indices;                      // id -> index (int)
    CnPool shapes;                            // CnWorldShape
    CnPool geometries;                        // CnWorldGeometry
    CnPool materials, series, forces, given_contacts, constraints, joints, separations;
    CN_ARRAY(CnLink) links[CN_LINK_KIND_COUNT]; // two for each slot of the kind's pool
    int fast_count;                             // of bodies: without one, steps are never cut
    int exact_count;                            // of bodies
    int damped_count;                           // of bodies
    int driven_count;                           // bodies with a drive
    CN_ARRAY(CnMaterialPair) material_pairs;
    uint32_t surfaces;   // counts changes of materials and of who has which; from 1
    int plain_materials; // the first so many neither resist spinning or rolling nor move
    CN_ARRAY(CnJointId) joint_order;           // as order
    CN_ARRAY(CnConstraintId) constraint_order; // as order, of those that are no parts of joints
    CnMap names;                               // hash of body name -> slot of its id
    CnMap contact_answers;    // of the filter in this step: pair -> 0 or 1; contact_hooks.c
    CnMap excluded;           // pair key -> slot of the separation
    CnSweptPairs swept_pairs; // scratch of continuous.c
    CnBroadPhase broad_phase; // a proxy for each shape, of the same number as its slot. Between
                              // steps every shape lies in its fat box.
    CnArena arena;            // scratch of the calling thread
    CnWorkspace** workspaces; // one per worker
    int workspace_count;
    CnPairStore pairs;   // records of the broad phase's pairs and of contacts given by hand
    CnPlaceArray places; // by body
    CnSoftPlaceArray soft_places;
    CnPlaceDriftArray drifts;
    CnShapePlaceArray shape_places; // by slot
    const void* placed_memory;      // what placed polyhedra point into
    int moved_shapes; // scheme soft_step: that the last look found elsewhere, or coming further
    CN_ARRAY(CnTransform) posed; // of centres of mass, where the last problem was posed, by body
    CnSearchScratch* search;     // by worker   [workspace_count]
    uint32_t collections;        // of contacts at other poses, counted; see contacts.c
    int search_chunk;            // of pairs, for the next search: search.c; only saves work
    CnIslandStore islands;
    struct CnSoftStore* soft;  // scheme soft_step: soft_store.h
    struct CnTreeStore* trees; // of joints: tree_store.h; NULL: not asked for yet
    uint32_t joint_changes;    // counts which parts of joints act, which give way, and
                               // where they are on their bodies
    CnSleepCounts sleeping;
    CnActive active;
    CnStateBuffer state_buffers[CN_STATE_BUFFER_COUNT];
    CN_ARRAY(CnRestFactor*) rest_factors; // by body: of the island whose first one it is, or NULL
    CnRestMemory rest_memory;             // of all of them
    CN_ARRAY(CnNetFactor*) net_factors;   // likewise of nets of joints: nets.h
    double kept_dt;           // length of the step that kept impulses are of [s]; 0: there are none
    double drift;             // of the last step: what its momentum ledger misses, relative
    CnTilePosing tile_posing; // what the tiles were built for
    CnAssembledStep assembled, spare_assembled; // as step and spare_step
    CnStep step;       // the last one that succeeded; during a step, the present one
    CnStep spare_step; // the other, by turns
    struct {
        CnRows rows; // position-level problem
        CnProblem problem;
        const bool* scope;            // bodies whose contacts are measured, NULL: all   [bodies]
        CnContactArray contacts;      // found where positions were measured last
        CnContactArray posed;         // found where the problem is posed
        CnContactArray previous;      // found at the trial before
        CnContactArray learned;       // known from other poses: correct_contacts.h
        double* inverse_mass;         // of bodies without damping   [body_capacity]
        double (*inverse_inertia)[9]; // at the end of the step   [body_capacity]
        double (*free_velocity)[6];   // zeros to correct positions, velocities to relax them
        double (*displacement)[6];
        int body_capacity;
        bool damps_nets; // the problem is one of positions: see cn_net_solve()
    } correction;
    CnEventLog events;
    CnContactTotals contact_totals, spare_totals; // as step and spare_step
    CnAttributionStore attribution, spare_attribution;
    double whole_dt;       // length of the step that totals and impulses of constraints are of [s]
    int64_t steps_made;    // that succeeded
    int64_t turns_counted; // of these, at the end of which turns were counted before a change
    int next_turn;         // slot of the joint from which on turns are counted next
    CnLoop loop;           // of cn_world_advance()
    struct {
        CnWarning kinds[CN_WARNING_KIND_COUNT]; // count 0: not yet
        uint32_t pending;                       // of the step that is not over: a bit for each kind
    } warnings;
    struct CnRollback* rollback; // of the step that is under way; NULL: none is
    struct {
        struct CnSavedPlace* data;
        int count, capacity;    // count is not used
        atomic_bool was_needed; // since cn_rollback_trim()
    } saved_places; // scheme soft_step: scratch of rollbacks   [bodies that a step may place, or 0]
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

static inline bool cn_body_state_is_finite(const CnBodyState* state) {
    return cn_vec3_is_finite(state->center) && cn_vec3_is_finite(state->velocity) &&
           cn_vec3_is_finite(state->angular_velocity) && isfinite(state->rotation.w);
}

// The world as a body: at rest at the origin.
extern const CnBodyState cn_immovable;

CnBody* cn_world_body(const CnWorld* world, CnBodyId id);   // NULL when null or stale
int cn_world_body_index(const CnWorld* world, CnBodyId id); // -1 when null or stale

static inline CnBody* cn_world_body_by_index(const CnWorld* world, int index) {
    return &world->bodies.data[index];
}

// Whether impulses can move a body, now or once it is awake.
static inline bool cn_body_is_movable(const CnBody* body) {
    return body != NULL && (body->type == CN_BODY_DYNAMIC || body->sleep.is_asleep);
}

// Kinetic energy of its turning, if it is dynamic [J]; infinite: too large for a number.
double cn_body_turning_energy(const CnBody* body);

static inline bool cn_body_is_damped(const CnBody* body) {
    return body->linear_damping > 0.0 || body->angular_damping > 0.0;
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

// From the body's centre of mass to the origin of a shape, body axes [m].
static inline CnVec3 cn_world_shape_offset(const CnWorld* world, const CnWorldShape* shape) {
    return cn_vec3_sub(shape->shape->local.position, world->bodies.data[shape->body].center);
}

// A shape where the centre of mass of its body is at a pose.
static inline CnPlacedShape cn_world_shape_placed(const CnWorld* world, const CnWorldShape* shape,
                                                  CnTransform body) {
    return (CnPlacedShape){
        shape->shape,
        {cn_transform_point(body, cn_world_shape_offset(world, shape)),
         cn_quat_multiply(body.rotation, shape->shape->local.rotation)},
    };
}

// A copy of it that can do without a world: counted from the centre of mass, with its number.
static inline CnShape cn_world_shape_alone(const CnWorld* world, int slot) {
    const CnWorldShape* own = cn_world_shape_at(world, slot);
    CnShape shape = *own->shape;
    shape.local.position = cn_world_shape_offset(world, own);
    shape.serial = (uint64_t)slot + 1;
    return shape;
}

// Tells a shape from all others, those that had its slot before too; in the order of slots.
static inline uint64_t cn_world_shape_key(const CnWorld* world, int slot) {
    return (uint64_t)slot << 32 | world->shapes.slots.data[slot].generation;
}

// What a step may change of a constraint: its results, which lie together [byte], and its data if
// they remember where a step ended.
#define CN_CONSTRAINT_RESULTS                                                                      \
    (offsetof(CnUserConstraint, age) + sizeof(int) - offsetof(CnUserConstraint, impulse))
bool cn_constraint_advances(const CnUserConstraint* constraint);

// Whether a constraint acts or not as a function of states and time.
bool cn_constraint_has_condition(const CnUserConstraint* constraint);

// Length of the step that the impulses of a constraint are of [s].
double cn_constraint_dt(const CnWorld* world, const CnUserConstraint* constraint);

// Of a row that is kept [m/N or rad/(N m)]; 0: rigid.
static inline double cn_constraint_compliance(const CnUserConstraint* constraint, int row) {
    bool is_angle = (constraint->kind->angular_rows >> row & 1u) != 0;
    return is_angle ? constraint->keep.compliance_turn : constraint->keep.compliance;
}

bool cn_world_knows_material(const CnWorld* world, CnMaterialId id); // the null id is known

// What holds where two materials meet; the null material is the default one.
CnSurfacePair cn_world_combine_materials(const CnWorld* world, CnMaterialId a, CnMaterialId b);

// Tells a contact what its surfaces are like; a grain turns with the body that has it. states NULL:
// at the poses of the last problem.
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
bool cn_world_index_separations(CnWorld* world); // after they came from elsewhere. False: no memory
bool cn_world_are_separate(const CnWorld* world, CnBodyId a, CnBodyId b);

// Whether two shapes may touch: not of one body, one of them movable, and no filter against it.
bool cn_world_may_collide(const CnWorld* world, int shape_a, int shape_b);

// Takes the last cn_world_add_constraint() back; several in reverse: see cn_pool_undo_add().
void cn_world_undo_add_constraint(CnWorld* world, CnConstraintId id);

char* cn_world_copy_name(const CnWorld* world, const char* name); // NULL: no memory
void cn_name_free(const CnAllocator* allocator, char* name);      // of such a copy; NULL is fine
