// soft_store.h - scheme soft_step: groups of islands, with their bodies and tiles of contacts.
//
// Islands are packed into groups that fit the second-level cache. A group has its bodies as rows of
// floats, one after the other, and its manifolds in tiles of eight; it is solved by one worker.
// Groups stay as they are while islands do; who is in which lane never depends on the workers.
#pragma once

#include "base/array.h"
#include "cairn/base.h"
#include "solvers/soft/soft_joint.h"
#include "solvers/soft/soft_rows.h"

struct CnWorld;
struct CnProxyBounds;
struct CnExactResult;

// CnTilePosing.theta of this scheme: tiles are frames without targets.
#define CN_SOFT_POSING (-1.0)

// A body in a tree of joints, and the joint that leads to its parent.
typedef struct CnSoftLink {
    int row;    // of the body, from the base of its group
    int body;   // index in CnWorld.bodies
    int parent; // link of the same group, from its first; -1: what impulses of trees do not move
    int block;  // the joint, in CnStep.rows; CN_NONE: it floats
    int side;   // of the joint that the body is on
} CnSoftLink;

// A manifold, or one point of it, that is in a lane.
typedef struct CnSoftMember {
    int manifold;  // in CnWorld.pairs
    int16_t point; // per point: in the manifold; else 0
    int8_t moves;  // which of its bodies impulses move, a bit each
    int8_t single; // 1: one point, without resistance to spinning and rolling
    int body[2];   // indices in CnWorld.bodies; negative: none
} CnSoftMember;

typedef struct CnSoftGroup {
    int base;                   // row that offsets of its tiles count from
    int first_body, body_count; // its own rows; the first is what does not move; a multiple of 8
    int first_slot, slot_count; // of its tiles, one after the other
    int first_member, member_count; // who is in its tiles
    int first_joint_tile, joint_tile_count;
    int first_block, block_count;
    int first_link, link_count;
    bool is_exact; // an island, or one body, that is solved exactly: it has no rows and no tiles
    int island;    // exact: in CnWorld.islands; CN_NONE: one body alone
    int body;      // that one
    int team;      // groups from this one on that share bodies, a large island: first those with
                   // its bodies, then those with its contacts; 1: it shares none; 0: it belongs to
                   // one before it
    int level;     // of contacts in a team, in increasing order: groups of one level share no
                   // movable body; 0: of bodies
    double joint_error, joint_angle_error; // after the last step, the largest [m], [rad]
    float deepest;                         // after the last step: overlap [m]
    int stored;                            // bodies whose states were written in the last step
    bool is_calm;                          // all of these are sound, and within their bounds
    bool has_changed;                      // a contact has begun or ceased to act in it
} CnSoftGroup;

// A block of constraints as lanes and trees take it.
typedef struct CnSoftPosed {
    int slot;            // of the constraint
    uint32_t generation; // of the slot
    bool gives_way;      // it has a compliance
} CnSoftPosed;

// What is known of a manifold without looking at it; contacts 0: nothing, it may be another one.
typedef struct CnSoftNote {
    int body[2];
    int record;       // its pair
    uint8_t contacts; // points
    bool is_new;      // it was posed anew, and no lane has been loaded with it since
} CnSoftNote;

// A placed shape and where it may come in the step: see soft_look.h.
typedef struct CnSoftLook {
    float center[3]; // of a ball around it [m]; of a plane: its normal
    float reach;     // radius of the ball, and how far its points turn or drift; infinite: nothing
                     // is known [m]
    float way[3];    // of its body in the step, by velocity and gravity [m]
    float plane;     // of a plane: where it is along its normal; infinite: a ball [m]
} CnSoftLook;

typedef struct CnSoftTrees CnSoftTrees; // of a group, for one step: soft_trees.c

// Of the step under way.
typedef struct CnSoftRun {
    const struct CnLoad* loads; // NULL: gravity only   [bodies]
    bool is_quiet;              // the contacts of the last step are those of this one
    bool are_known;             // nobody has changed manifolds or surfaces since the last step
    bool is_swept;              // impulses of tiles have changed, and the step may still be undone
    bool is_kept;               // they have, and it stands unless what follows fails
    bool was_ahead;             // is_ahead as the step began, of lanes that it has not loaded
    double ratio;               // of impulses kept that are used
    bool is_cold;               // there are none, and there should be
    bool asks;                  // instead of it a user's policy, row by row
    bool poses_found;           // workers that find plain manifolds pose them
    CnSoftRates rates, joint_rates;
    struct CnSoftTrees* trees; // of each group that has links   [groups]
    const CnSoftKernels* kernels;
} CnSoftRun;

typedef struct CnSoftStore {
    // By row; groups one after the other.
    CN_ARRAY(CnSoftBody) rows;
    CN_ARRAY(CnSoftMass) masses;
    CN_ARRAY(CnSoftDrift) drifts;
    CnIntArray body;          // index in CnWorld.bodies; CN_NONE: none
    CN_ARRAY(uint32_t) epoch; // of the place that the row was loaded for, and its mass is of
    CN_ARRAY(uint8_t) calm;   // the row's body is sound and within its bounds, once it is stored

    // Tiles of groups lie together, in any order of groups, with free slots between. The lanes of a
    // tile are those of its first slot.
    CN_ARRAY(CnSoftSlot) slots;
    CnIntArray owner;    // group of each slot; CN_NONE: free   [slots.count]
    CnIntArray manifold; // of each lane, in CnWorld.pairs; CN_NONE: none   [8 * slots.count]
    CnIntArray record;   // of each lane that has a manifold: its pair
    CnIntArray point;    // per point: of each lane, in its manifold; else empty
    CN_ARRAY(CnSoftJointTile) joint_tiles; // ball joints and hinges
    CnIntArray joint; // of each lane, in CnStep.rows; CN_NONE: none   [8 * joint_tiles.count]
    CN_ARRAY(CnSoftBlock) blocks; // all other constraints
    CnIntArray block;             // of each, in CnStep.rows   [blocks.count]
    CN_ARRAY(CnSoftLink) links;   // joints solved as trees, and their bodies; groups in order
    CN_ARRAY(CnSoftGroup) groups;
    CN_ARRAY(CnSoftMember) members; // of lanes; groups in order

    // What all of this was made for.
    bool is_made;
    double tree_ratio; // CnSoftDef.tree_mass_ratio
    double damped_dt;  // step that masses of damped bodies are of [s]; 0: there are none
    bool has_singles;  // tiles of manifolds with one point are apart from others
    bool has_exact;    // some body may have been solved exactly
    bool is_per_point; // each lane has one point of its manifold, with friction of its own
    CnIntArray listed; // CnStep.manifolds
    CN_ARRAY(CnSoftPosed) posed; // of CnStep.rows
    uint32_t posed_of[2];        // CnRows.posed then
    uint32_t islands;            // CnIslandStore.rebuilds
    uint32_t active;             // CnActive.version
    uint32_t changes;            // CnPairStore.changes, when lanes were last brought up to date

    // What the last step found out and this one need not: soft_known.h.
    CN_ARRAY(uint8_t)
    stirred;                    // by slot of shapes: place or look ahead has changed since the
                                // last search
    CN_ARRAY(CnSoftLook) looks; // by slot of shapes
    CN_ARRAY(uint8_t) known;    // by record: CnSoftKnownBits
    CnIntArray only;            // by record, where its list is known: its manifold; CN_NONE: none
    CN_ARRAY(CnSoftNote) notes; // by manifold
    uint32_t surfaces;          // CnWorld.surfaces at the last search
    bool has_searched;          // that search was one of this scheme, and its step stands
    bool has_far_gaps;          // records without manifolds have an infinite end_gap
    int copies;                 // of the two steps, those that have the manifolds of now

    int points; // of all manifolds of the step

    // Impulses are kept in tiles, and written to manifolds when somebody needs them there.
    bool is_ahead;      // tiles have impulses that manifolds do not have yet
    CnIntArray lane;    // of each manifold: 8 * slot + lane; CN_NONE: none; with friction per
                        // point of each of its points   [manifolds, or 4 * manifolds]
    CnIntArray renewed; // manifolds whose lanes are to be loaded
    CN_ARRAY(struct CnExactResult) exact; // of each group that is exact; none is: empty   [groups]
    CN_ARRAY(double) exact_gaps;          // theirs
    CnSoftRun run;
} CnSoftStore;

void cn_soft_store_free(CnSoftStore* store, const CnAllocator* allocator); // NULL is fine

// Makes groups, rows and lanes of the islands of the step; what is in them is left to be written.
// CN_OK or CN_NO_MEMORY.
CnStatus cn_soft_schedule(struct CnWorld* world);

// Lanes of a manifold: one, or one for each of its points; places in `lane`.
typedef struct CnSoftLanes {
    int first, count;
} CnSoftLanes;
CnSoftLanes cn_soft_lanes_of(const struct CnWorld* world, int manifold);

// Points of a manifold that are in a lane.
CnSoftLanes cn_soft_points_of(const struct CnWorld* world, int lane);

// Whether masses are those of the step: where bodies are damped they depend on its length.
bool cn_soft_has_same_masses(const struct CnWorld* world);

// Whether tiles of manifolds with one point are apart: no contact resists spinning or rolling.
bool cn_soft_sets_singles_apart(const struct CnWorld* world);

// Whether the groups, rows and lanes are those of the step's islands and manifolds.
bool cn_soft_is_scheduled(const struct CnWorld* world);

// The tile that begins in a slot, and that of a lane.
static inline CnSoftTile* cn_soft_tile_at(const CnSoftStore* store, int slot) {
    return (CnSoftTile*)(void*)&store->slots.data[slot];
}

static inline CnSoftTile* cn_soft_tile_of(const CnSoftStore* store, int lane) {
    return cn_soft_tile_at(store, lane / CN_SOFT_LANES);
}

// The tiles of a group as kernels take them, and the slot behind them.
static inline CnSoftTiles cn_soft_tiles(const CnSoftStore* store, const CnSoftGroup* group) {
    return (CnSoftTiles){store->slots.data + group->first_slot, group->slot_count};
}

static inline int cn_soft_end_slot(const CnSoftGroup* group) {
    return group->first_slot + group->slot_count;
}

// The bodies of a group as kernels take them: as its tiles see them, and its own rows.
CnSoftBodies cn_soft_bodies(const CnSoftStore* store, const CnSoftGroup* group);
CnSoftBodies cn_soft_own_bodies(const CnSoftStore* store, const CnSoftGroup* group);
