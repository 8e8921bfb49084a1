// tree_store.h - the trees that the joints of a world make, kept from step to step.
//
// The spanning forest is found when joints or bodies change, not in every step. At given poses
// every joint is read once: its errors, and what it leaves free. One factor of a tree then serves
// the passes of a projection, and another one the relaxation. docs/theory/mechanisms.md (20)-(22),
// (26)-(29).
#pragma once

#include "base/arena.h"
#include "constraints/joints/joint_draft.h"
#include "linalg/dense.h"
#include "math/worse.h"
#include "solvers/tree/linkage.h"
#include "solvers/tree/linkage_joint.h"
#include "world/step/rows.h"
#include "world/step/solve.h"

// What a joint with drives has read of their coordinates.
typedef struct CnTreeTurn {
    CnJointTerm angle;  // where the step has ended: the last coordinate that a drive of it has read
    double angle_value; // [m or rad]
    double twist;       // cn_tree_read_twists(): cn_twist_angle() of its frames [rad]
    CnVec3 twist_row;   // and cn_twist_gradient()
} CnTreeTurn;

// What joints of other forms need besides, and any joint where a stop acts.
typedef struct CnTreeRows {
    double jacobian[CN_MAX_ROWS][6]; // other forms: at the child
    double other[CN_MAX_ROWS][6];    // and at its parent
    CnLinkageJoint joint;            // of the rows that are held, unless is_stopped:
    bool is_stopped;                 // a hinge with a stop that acts, both in closed form
    CnVec3 dual[3]; // then: of the gradients of its two angles and of the stop; of a slider's three
} CnTreeRows;

// The joint that leads from a link to its parent. Most keep a point, and some of these an axis:
// they need no elimination, nor do sliders, mechanisms.md (26)-(28), (56), (57).
typedef struct CnTreeLink {
    int body;           // index
    int slot;           // of the constraint, -1: the link floats
    int body_a, body_b; // of the constraint, -1: the world
    int row_count;      // that it keeps
    CnFrameForm form;
    int held;        // rows that are held: those of the joint, then stops that act
    bool is_steady;  // a joint's part that does not depend on time by itself
    bool is_between; // a joint's part that depends on the relative pose of its two bodies alone
    bool is_turned;  // a hinge with drives about its axis:
    bool has_twist;  // turned->twist is known at the poses that were read last
    struct CnTreeGroup* group; // that it is passed with, NULL: it is alone
    int lane;                  // in that
    double sign;               // of its rows at the child: +1 where that is B
    CnTreeRows* rows;          // apart: most joints need none of it
    CnTreeTurn* turned;        // apart: of use with drives
    const CnTransform* frames; // of A and of B, of a joint in closed form   [2]

    // At the poses that were read last, of joints in closed form: numbers without gaps, which lanes
    // write in one run.
    CnVec3 axes[3]; // of A's frame: directions in which the point is kept; a slider leaves z free
    double value[CN_MAX_ROWS]; // C [m or rad], of any joint; then of a slider how far it is out [m]
    CnVec3 arm;                // child's centre to the point [m]
    CnVec3 other_arm;          // centre of the other body to the point [m]
    CnVec3 turn[2];            // hinge, slider: gradients of the swing; universal: of the one angle
    CnVec3 axis;    // hinge: axis of the turn; universal: x of B, one of both that turn, the other
                    // is z of A; slider: gradient of the twist
    CnVec3 dual[2]; // hinge: dual_i . turn_j = 1 for i = j, else 0; universal: the first alone
} CnTreeLink;

#define CN_TREE_NUMBERS 36 // from axes to dual

// Of the gradients of a hinge's angles and of its stop, which are about as long as one. Where the
// three span less, an elimination decides.
#define CN_TREE_LEAST_VOLUME 0x1p-10

// A row without an entry of any size is left out. Directions and gradients of angles are about as
// long as one.
#define CN_TREE_LEAST_SQUARE 0.5

// The rows of a joint in closed form: of its point, then of angles, with their gradients.
static inline int cn_tree_point_count(const CnTreeLink* link) {
    return link->form == CN_FORM_OTHER ? 0 : link->form == CN_FORM_SLIDER ? 2 : 3;
}

static inline int cn_tree_turn_count(const CnTreeLink* link) {
    return link->form == CN_FORM_OTHER ? 0 : link->row_count - cn_tree_point_count(link);
}

static inline CnVec3 cn_tree_turn(const CnTreeLink* link, int k) {
    return k < 2 ? link->turn[k] : link->axis;
}

static inline CnVec3 cn_tree_arm_a(const CnTreeLink* link) {
    return link->sign > 0.0 ? link->other_arm : link->arm;
}

static inline CnVec3 cn_tree_arm_b(const CnTreeLink* link) {
    return link->sign > 0.0 ? link->arm : link->other_arm;
}

// The larger of an error and what a joint misses where it was read last [m or rad].
static inline double cn_tree_worse(const CnTreeLink* link, double worst) {
    for (int k = 0; k < link->row_count; ++k) {
        worst = cn_worse(worst, fabs(link->value[k]));
    }
    return worst;
}

// Ball joints and hinges are read together.
static inline bool cn_tree_is_point(const CnTreeLink* link) {
    return link->form == CN_FORM_POINT || link->form == CN_FORM_HINGE;
}

// A constraint that is no joint of a tree: a stop, a motor, a spring.
typedef struct CnTreeDrive {
    int slot;
    int link;             // on whose two bodies it acts; -1: none
    uint32_t generation;  // of the constraint's slot
    uint64_t key;         // of its block
    bool is_on_axis;      // a part of the link's joint with one row: see CnTreeAxis
    bool is_between;      // one of these that depends on the relative pose of its two bodies alone
    CnAxisPartType turns; // what it is about the axis of a hinge; CN_AXIS_PART_COUNT: another drive
    CnAxisPart* part;     // then: the data of its constraint, which stay where they are
    bool may_stop;        // it may keep a position on one side
    bool is_twist;        // as it was posed: its row is CnTreeGroup.twist_row of its link's group
    bool is_far;      // of a stop: the solve of this step leaves it out of reach, see CN_TREE_FAR
    bool is_left_out; // of a stop: it has no row in this step, mechanisms.md (58), of which this is
    CnVec3 turn;      // the row, at B, and
    double target;    // its target [rad/s]
} CnTreeDrive;

// A stop is far where the velocities solved for would take it no nearer in a whole step than twice
// the margin within which stops are looked at, and this [m or rad]. One that is met nevertheless is
// found when all is measured at the end.
#define CN_TREE_FAR 0.05

// Rows of a loop side by side, at most.
#define CN_LOOP_LANES 8
_Static_assert(CN_LOOP_LANES % CN_LINKAGE_ROWS == 0 && CN_LOOP_LANES >= CN_MAX_ROWS, "all fit");

// A joint that closes a loop: its rows act on two links from outside.
typedef struct CnTreeLoop {
    CnTreeLink joint;              // one of its bodies counts as the child
    int end[2];                    // link of A and of B, numbered in the tree; -1: none
    int first_row;                 // among those of the tree's loops
    int lanes;                     // its rows, or more: a multiple of CN_LINKAGE_ROWS
    double* y;                     // Y, as cn_linkage_push_rows() has it; of nets NULL
                                   // [axes * lanes]
    double (*row)[CN_MAX_ROWS][6]; // at A and at B, where they were read last; of nets NULL   [2]
} CnTreeLoop;

// The axes of a star that several loops share, at most; with more W is factored as a whole.
#define CN_STAR_AXES 12

// Of the diagonal of W: what the axes of a loop itself must leave of each of its rows. The solution
// loses as much by cancellation as this is below one.
#define CN_STAR_SHARE 0x1p-6

// Loops whose W is mostly that of axes of their own, as of the legs of a platform: mechanisms.md
// (40), (41).
typedef struct CnLoopStar {
    int* loop_at;                              // of each link: the one loop whose paths lead over
                                               // it, -1: none, -2: several   [link_count]
    int* own_link;                             // links with such a loop, by loop   [link_count]
    int* first_own;                            // among these, of each loop   [count + 1]
    int shared_count;                          // axes that several loops share
    int shared[CN_STAR_AXES];                  // these
    double (*own)[CN_MAX_ROWS][CN_LOOP_LANES]; // of each loop: factor of its own part   [count]
    double (*reply)[CN_STAR_AXES];             // T   [row_count]
    double whole[CN_STAR_AXES][CN_STAR_AXES];  // factor of 1 + T^T T
} CnLoopStar;

// The loops of a tree, and the response of their rows: W = Y Y^T, mechanisms.md (12), (30).
typedef struct CnTreeLoops {
    int count, row_count;
    CnTreeLoop* loops;                // [count]
    CnTreeRows* rows;                 // of their joints   [count]
    CnTreeTurn* turned;               // the same   [count]
    CnTransform* frames;              // as CnTreeStore.frames   [2 * count + 1]
    double (*row)[2][CN_MAX_ROWS][6]; // of their ends; of nets NULL   [count]
    double* y;                        // of all loops
    double* w;                        // [row_count * row_count]
    double* wanted;                   // of each row: J V   [row_count]
    double* impulse;                  // that leads there   [row_count]
    double* along;                    // scratch: Y^T p   [axes]
    double (*change)[6];              // scratch   [link_count]
    bool is_star;                     // W is factored as a star
    CnLoopStar star;
    CnDenseLdlt ldlt; // of W, else
} CnTreeLoops;

// Trees with more rows of loops are left to the general solvers. From the second number on they are
// nets: read like others, which is all there is to do while they are at rest, but without a factor.
#define CN_TREE_LOOP_ROWS 60
#define CN_TREE_NET_ROWS 120

static inline bool cn_tree_is_net(const CnTreeLoops* loops) {
    return loops->row_count >= CN_TREE_NET_ROWS;
}

// The links of one tree lie side by side, those of lower depth first.
typedef struct CnJointTree {
    bool is_solved; // cn_trees_solve() has found this step's impulses: `given` of its links holds
    int first_link, link_count;
    int first_drive, drive_count;
    int* parent;     // numbered from 0 in the tree; -1: the world   [link_count]
    int* first_axis; // [link_count + 1]
    CnLinkage links;
    bool has_whole;   // the factor of cn_tree_factor_and_solve() was made with links.whole
    bool is_again[2]; // the last projection ahead, and at the end, took more than one pass
    bool is_moved[2]; // the same: it has moved the tree
    CnTreeLoops loops;
    int group_count, alone_count;
    bool has_posed_groups;      // cn_trees_end_posing(): the joints of all groups have their rows
    struct CnTreeGroup* groups; // joints that are passed side by side: tree_groups.h
    int* alone;                 // links in none of them   [alone_count]
    int point_count;
    struct CnTreeReading* points; // ball joints and hinges in order, to be read   [point_count]
} CnJointTree;

// Where the joints of all trees were read last.
typedef enum CnTreesAt {
    CN_TREES_NOWHERE,
    CN_TREES_POSED, // at the poses of the step's problem
    CN_TREES_AT_END // where the step has ended
} CnTreesAt;

typedef struct CnTreeStore {
    CnArena arena;             // of all that follows
    uint32_t version, changes; // of CnActive and of CnWorld.joint_changes; 0: nothing is kept
    CnTreesAt at;
    bool poses_all;     // the rows of this step are posed again, with all stops
    int left_out_count; // stops without rows
    bool may_leave_out; // stops out of reach need none in this step: mechanisms.md (58)
    bool serves;        // all that keeps a position is a tree's joint, or a drive of one row
    int tree_count, link_count, drive_count, loose_count;
    int joint_count;     // links on a joint: the others float
    CnJointTree* trees;  // [tree_count]
    CnTreeLink* links;   // [link_count]
    CnTreeRows* rows;    // of each link   [link_count]
    CnTreeTurn* turned;  // of each link   [link_count]
    CnTransform* frames; // of A and of B of each link's joint, in closed form: read at each pose,
                         // they lie side by side   [2 * link_count + 1]
    CnTreeDrive* drives; // by tree, then those on no link   [drive_count + loose_count]
    int idle_count;
    int* idle;      // constraints that do not act   [idle_count]
    int* tree_of;   // tree of each body, -1: none   [bodies]
    int* place;     // of each constraint: link, or -2 - drive; -1: none, or it closes a
                    // loop   [slots]
    int* first_row; // of each link: its joint's first row in the step's problem, -1: it was not
                    // posed along the tree   [link_count]
    double* trace;  // scratch: of each link's joint, cn_tree_joint_trace()   [link_count]
    CnTreeLink** joints; // what was read of each constraint, loops too; NULL: nothing   [slots]
    CnBodyState* saved;  // scratch: of each link's body   [link_count]
    double (*twist)[6], (*momentum)[6], (*moved)[6], (*wrench)[6]; // scratch   [link_count]
    double (*hinge_axis)[6]; // scratch: cn_tree_axes() of hinges   [link_count]

    // Of the step: what joint and drives give each link, about its centre.
    double (*given)[6]; // in the solve; see CnJointTree.is_solved   [link_count]
    bool has_late;      // velocities were relaxed along trees, without rows:
    double (*late)[6];  // what the joint gave then, at the end of the step   [link_count]
    double (*late_impulse)[CN_MAX_ROWS]; // of its rows   [link_count]
} CnTreeStore;

// Brings the store up to date. CN_NO_MEMORY: nothing is kept.
CnStatus cn_trees_update(CnWorld* world);
void cn_trees_free(CnTreeStore* store, const CnAllocator* allocator);

// Whether trees serve and are up to date, and whether their joints were read last at these poses.
bool cn_trees_are_known(const CnWorld* world);
bool cn_trees_are_at(const CnWorld* world, CnTreesAt at);

// The values of constraints that do not act become zero; all others are on trees.
void cn_trees_forget_idle(const CnWorld* world);

// Bodies have moved: what was read of joints is that of other poses.
void cn_trees_forget_poses(CnWorld* world);

// tree_pose.c: reads the joints of a tree at given states, those of loops too. False: rows do not
// depend on the relative pose alone.
bool cn_tree_read_joints(const CnWorld* world, const CnJointTree* tree, const CnBodyState* states,
                         double time);

// What is read of ball joints and hinges besides the numbers of their links, bits of `what`.
enum {
    CN_TREE_READ_CLOSING = 1, // CnTreeStore.twist: cn_tree_twist() for what they miss
    CN_TREE_READ_TURNS = 2,   // most of what cn_tree_read_twists() would do
    CN_TREE_READ_AXES = 4,    // CnTreeStore.hinge_axis, of hinges: the numbers of their links, from
                              // axes to dual, are then not known
    CN_TREE_READ_WORST = 8    // the largest that they miss
};

// The two halves of that: some of the links, and the loops. worst: what joints miss is added to it,
// if CN_TREE_READ_WORST asks for it [m or rad].
bool cn_tree_read_links(const CnWorld* world, const CnJointTree* tree, int begin, int end,
                        unsigned what, const CnBodyState* states, double time, double* worst);
bool cn_tree_read_loops(const CnWorld* world, const CnJointTree* tree, const CnBodyState* states,
                        double time);

// One joint in closed form, without the turns that a slider's twist has counted on, by its frames
// or where they are in the world; and several in lanes, to the same bits: ball joints and hinges,
// or universal joints alone, or sliders. The bits of those that are left to the function before:
// hinges and sliders that lean far. worst: of ball joints and hinges that are not left, added to.
// tree_read_lanes.h.
void cn_tree_read_link(CnTreeLink* link, const CnJointFrames* frames, const CnBodyState* states);
void cn_tree_read_alone(const CnWorld* world, CnTreeLink* link, const CnBodyState* states);
typedef struct CnTreeReading {
    CnTreeLink* link;
    const CnTransform* frames; // of A and of B; the number after them is read too   [2]
    double* closing;           // where what `what` asks for goes   [6]
    CnTreeTurn* turned;        // of a hinge with drives, else NULL
    double* axis;              // of a hinge, else NULL   [6]
} CnTreeReading;
#define CN_TREE_LANES 4     // side by side
#define CN_TREE_READINGS 32 // the most that are left over are told by bits
unsigned cn_tree_read_128(int count, const CnTreeReading* readings, unsigned what,
                          const CnBodyState* states, double* worst);
unsigned cn_tree_read_256(int count, const CnTreeReading* readings, unsigned what,
                          const CnBodyState* states, double* worst);

// Lists what is read of a tree, once its links and drives are known. CN_NO_MEMORY: nothing.
CnStatus cn_tree_list_points(CnTreeStore* store, CnJointTree* tree);

// Bodies that are prepared for a loop over them, at most.
#define CN_TREE_BODIES 16

// Inertias in world axes, R J R^T of bodies: xx, xy, xz, yy, yz, zz. To the
// bits of cn_mat3_rotate_tensor().
typedef struct CnTreeTensor {
    const CnQuat* rotation;
    const CnMat3* inertia; // body axes
    double* turned;        // [6]
} CnTreeTensor;
void cn_tree_turn_128(int count, const CnTreeTensor* tensors);
void cn_tree_turn_256(int count, const CnTreeTensor* tensors);

// How far the hinges with drives are turned, four at a time; once a tree was read there. Of those
// with stops that are not far alone; or of all whose turn is not known yet. The two functions below
// take up to CN_TREE_LANES links; those that are left to cn_twist_angle() have no `has_twist` then.
void cn_tree_read_stop_twists(const CnWorld* world, const CnJointTree* tree,
                              const CnBodyState* states);
void cn_tree_read_twists(const CnWorld* world, const CnJointTree* tree, const CnBodyState* states);
void cn_tree_twists_128(int count, const CnTreeReading* readings, const CnBodyState* states);
void cn_tree_twists_256(int count, const CnTreeReading* readings, const CnBodyState* states);

// The state of a body of a joint; -1: the world.
static inline const CnBodyState* cn_tree_state_at(const CnBodyState* states, int body) {
    return body < 0 ? &cn_immovable : &states[body];
}

static inline void cn_tree_velocity(const CnBodyState* state, double v[6]) {
    v[0] = state->velocity.x;
    v[1] = state->velocity.y;
    v[2] = state->velocity.z;
    v[3] = state->angular_velocity.x;
    v[4] = state->angular_velocity.y;
    v[5] = state->angular_velocity.z;
}

// Masses and arms there, for the factor.
void cn_tree_read_bodies(const CnWorld* world, CnJointTree* tree, const CnBodyState* states);
void cn_tree_read_some_bodies(const CnWorld* world, CnJointTree* tree, int begin, int end,
                              const CnBodyState* states);

// After that: masses as in the problem of the step, with damping.
void cn_tree_damp_bodies(const CnWorld* world, CnJointTree* tree);

// The twists that the joint of a link leaves free, and their number; without stops.
int cn_tree_axes(CnTreeLink* link, double (*axis)[6], bool* is_regular);

// A twist with J c = wanted, and the impulses p with J^T p = wrench, of the rows that are held.
void cn_tree_twist(const CnTreeLink* link, const double* wanted, double twist[6]);
void cn_tree_impulses(const CnTreeLink* link, const double wrench[6], double* impulse);

// The rate of each row for a velocity of the child relative to its parent.
void cn_tree_rates(const CnTreeLink* link, const double relative[6], double* rate);

// The rows at the child.
void cn_tree_rows(const CnTreeLink* link, double (*jacobian)[6]);

// The drive that a constraint is to the trees; NULL: none.
static inline CnTreeDrive* cn_tree_drive_at(const CnWorld* world, int slot) {
    int place = world->trees->place[slot];
    return place < -1 ? &world->trees->drives[-2 - place] : NULL;
}

// The axis of a joint that drives act on, where its tree was read last. Motor, stop and spring of
// one axis have the same row, which is looked at once.
typedef struct CnTreeAxis {
    const CnJointRow* part_row; // of the drive that was looked at last; NULL: none
    const CnTreeLink* link;     // that it is on
    double coordinate;          // [m or rad]
    bool has_rows;              // the two that follow are known
    double row_a[6], row_b[6];  // at A and at B
    CnCurveLook series;         // of the motor that was looked at last
} CnTreeAxis;

// The coordinate of a drive about the axis of a hinge whose turn is known: CnTreeDrive.turns.
static inline double cn_tree_turn_coordinate(const CnTreeLink* link, const CnJointRow* row) {
    const CnJointTerm* term = &row->terms[0];
    return -row->shift +
           term->factor * cn_measure_count(term->measure, link->turned->twist, term->near);
}

// tree_pose.c: the axis of a drive that is on one, with its rows or without; states: those at which
// its tree was read last. True: it is another one than that of the drive before.
bool cn_tree_look_at_axis(const CnWorld* world, const CnTreeDrive* drive, const CnBodyState* states,
                          bool with_rows, CnTreeAxis* axis);

// tree_rows.c: the rows of joints in the problem of the step, from what was read of them there:
// compact ones of a joint in closed form. It can be done for joints that do not depend on time and
// are asked for rates alone; trees must have been read at the poses of the problem.
bool cn_tree_keeps_rates(const CnWorld* world, const CnPosing* posing);
// Before all of them, and after: targets of joints that are posed side by side are known then.
void cn_trees_begin_posing(CnWorld* world, const CnPosing* posing, bool keeps_rates);
void cn_trees_end_posing(CnWorld* world);

// Poses active constraints one after the other, from number `begin` on, up to one that is not for
// it: the return. It is for joints of trees, and for motors, open stops and friction about the axis
// of a hinge, asked for their rates; stops out of reach are left out, which counts as posed.
// series: of the motor that was posed last.
int cn_trees_pose_run(CnWorld* world, const CnPosing* posing, int begin, CnCurveLook* series,
                      CnStatus* status);

// After a solve: whether a stop that was left out would be passed. Then rows are to be posed again:
// all stops will have theirs.
bool cn_trees_meet_stops(CnWorld* world);

// The trace of W of a joint in closed form where the problem is posed, without its rows: (44).
double cn_tree_joint_trace(const CnStep* step, const CnTreeLink* link);

// Of a drive about the axis of a hinge, without its compliance; turn: its row, or against it.
double cn_tree_turn_trace(const CnStep* step, const CnBlock* block, CnVec3 turn);

// That of all explicit blocks of the step; of each it goes to step.block_trace, which has room.
double cn_trees_explicit_trace(CnWorld* world);

// tree_loops.c: the rows of the loops, once they are read at these states.
void cn_tree_set_loop_rows(const CnJointTree* tree, const CnBodyState* states);

// What is done with Y, for one width of registers, and one number after the other, to the same
// bits: tree_star_lanes.h, tree_star_plain.c.
typedef struct CnLoopPasses {
    bool (*factor_star)(CnJointTree* tree);
    void (*solve_star)(const CnTreeLoops* loops, double* x);
    void (*find_responses)(const CnTreeLoop* loop, int axes, double* response);
    void (*add_along)(const CnTreeLoop* loop, int axes, const double impulse[CN_LOOP_LANES],
                      double* along);
} CnLoopPasses;
extern const CnLoopPasses cn_loop_passes_plain, cn_loop_passes_128, cn_loop_passes_256;

// tree_star.c: finds the links that several loops share, once they are listed.
void cn_loop_star_plan(CnJointTree* tree);

// The factor of W as a star, from Y. False: the axes of some loop leave too little.
bool cn_loop_star_factor(CnJointTree* tree);

// x = W^-1 x
void cn_loop_star_solve(const CnTreeLoops* loops, double* x);

// W and its factor, once the tree is factored. False: rows depend on each other.
bool cn_tree_factor_loops(CnJointTree* tree);

// Changes the velocities of a solution along the tree so that the rows of its loops have what is
// wanted of them. pushed: what their impulses give each link; not written without loops.
void cn_tree_close_loops(CnJointTree* tree, double (*moved)[6], double (*pushed)[6]);

// That, for cn_linkage_wrenches(); NULL: nothing.
static inline const double (*cn_tree_pushed(const CnJointTree* tree,
                                            const double (*pushed)[6]))[6] {
    return tree->loops.row_count > 0 ? pushed : NULL;
}

// tree_relax.c: the velocities of all trees, brought to what their joints allow at the present
// states of the bodies, which is the end of the step. What that took is kept in the store; rows are
// written to world->correction.rows only of loops, and of all joints where attribution asks for
// them. Nets are left as they are if they miss no more than the second tolerance. *serves is false,
// and no velocity has changed, when trees do not serve.
CnStatus cn_trees_relax(CnWorld* world, const CnBodyState* states, double time, double tolerance,
                        double net_tolerance, double* work, bool* serves);

// Whether a tree was solved along itself in this step.
bool cn_trees_have_solved(const CnWorld* world);

// Momentum that the joints of trees gave: in the solve, and in the relaxation.
void cn_trees_book_solve(const CnWorld* world, CnMomentumLedger* momentum);
void cn_trees_book_late(const CnWorld* world, CnMomentumLedger* momentum);

// Factor of a tree whose axes are known, of its loops too, and the velocities for momenta (NULL:
// zero) and twists, without the loops' impulses. False: it is singular.
bool cn_tree_factor_and_solve(CnJointTree* tree, const double (*momentum)[6],
                              const double (*twist)[6], double (*velocity)[6]);

// The velocities for other twists with that factor. momentum: scratch.
void cn_tree_solve_again(CnJointTree* tree, double (*momentum)[6], const double (*twist)[6],
                         double (*velocity)[6]);

// The axes that the joint leaves free when further rows on it are held, and their number.
int cn_tree_hold(CnTreeLink* link, int count, const double (*rows)[6], double (*axis)[6],
                 bool* is_regular);

// tree_solve.c: the rows of an island without contacts that is one tree: its joints, and drives of
// one row each. Impulses, velocities and residuals go to world->step, iterations, work and remark
// to the report of the result. rho: the common step of grades. *found is false when the island is
// none, the def asks for more than exact laws, or the answer misses half of the tolerance; the
// impulses are then a guess for other solvers.
CnStatus cn_trees_solve(CnWorld* world, int island, const CnSolverDef* def, double rho,
                        CnArena* arena, CnIslandResult* result, CnGradeSums* grades, bool* found);
