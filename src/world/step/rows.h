// rows.h - building a step's problem: room for rows, and what contacts and constraints write there.
#pragma once

#include "world/world.h"

// Room for so many blocks and rows in all. False: no memory.
bool cn_rows_reserve(CnRows* rows, const CnAllocator* allocator, int block_count, int row_count);

// Room for one more block with its rows zeroed (bounds infinite); NULL when memory runs out.
// The pointer is good until the next block is added.
CnBlock* cn_rows_add(CnRows* rows, const CnAllocator* allocator, CnLaw law, int row_count,
                     CnBlockSource source);

// The same without Jacobians, which the caller writes.
CnBlock* cn_rows_add_bare(CnRows* rows, const CnAllocator* allocator, CnLaw law, int row_count,
                          CnBlockSource source);

// The next block, if that of the last posing was of the same constraint and still holds: its
// header, and the numbers of its rows that the caller does not write anew. NULL: it is to be added.
static inline CnBlock* cn_rows_again(CnRows* rows, int slot) {
    int next = rows->blocks.count;
    if (next >= rows->kept_count || rows->sources.data[next].constraint != slot) {
        return NULL;
    }
    CnBlock* block = &rows->blocks.data[next];
    rows->blocks.count = rows->sources.count = next + 1;
    rows->row_count += block->row_count;
    return block;
}

// To be called before a block with a second pair of bodies is added: jacobian_c and jacobian_d of
// all rows are zero from here on. False: no memory.
bool cn_rows_announce_second(CnRows* rows, const CnAllocator* allocator);

// The part of a row on one side of its block; sides as of constraints/problem/block.h.
double* cn_rows_jacobian(const CnRows* rows, int row, int side);

void cn_rows_clear(CnRows* rows); // keeps the memory
void cn_rows_free(CnRows* rows, const CnAllocator* allocator);

// The rows as a problem; body arrays are left for the caller to fill in.
CnProblem cn_rows_view(const CnRows* rows);

// Row r of a block as a velocity direction at a point: [-n, -(rA x n), +n, +(rB x n)]. center is
// that of each body's mass; a body of index -1 leaves its part zero.
void cn_rows_set_direction(CnRows* rows, int row, const CnBlock* block, CnVec3 direction,
                           CnVec3 arm_a, CnVec3 arm_b);

// Row r of a block as a spin about a direction: [0, -n, 0, +n].
void cn_rows_set_spin(CnRows* rows, int row, const CnBlock* block, CnVec3 direction);

// Where and how fast bodies are when a problem is posed, and how its answer will be used.
typedef struct CnPosing {
    const CnBodyState* states; // poses of the problem; velocities before the step, in its axes
    double dt;                 // [s]
    double theta;              // share of the end velocity in the motion of the step
    double time;               // at the poses [s]
    bool position_level;       // position errors are asked back in full, as velocities
    bool instant;              // an impact: dt is 0, forces have no time to act

    // Poses of the problem that are a guess of the end of the step, where states has the velocities
    // that lead there: docs/theory/implicit.md (6)-(10). NULL for schemes whose poses come first.
    const CnBodyState* start;  // as the step begins
    const CnBodyState* before; // poses of the problem, velocities before the step
    const CnBodyState* loaded; // poses of the problem, velocities that loads alone lead to
    bool resumes;              // impulses to start from are those of the last look of this step
} CnPosing;

// Rows for every active user constraint. docs/theory/moreau.md (10)-(12).
CnStatus cn_world_add_constraint_rows(CnWorld* world, const CnPosing* posing);

// The explicit blocks of the step as a problem.
CnProblem cn_step_explicit_problem(const CnWorld* world);

// A user constraint with the states of its bodies; False when the slot is free or the
// constraint does not act.
typedef struct CnBoundConstraint {
    CnUserConstraint* constraint;
    const CnBodyState *a, *b; // b is NULL for one body; of a mimic each two states, in `four`
    CnBodyState four[4];      // of a mimic only: A, B, C, D
} CnBoundConstraint;
bool cn_world_bind_constraint(const CnWorld* world, int slot, const CnBodyState* states,
                              double time, CnBoundConstraint* bound);

// Reads constraints one after the other at given states, which must not change meanwhile: what the
// parts of one joint share is computed once.
typedef struct CnReader {
    const CnWorld* world;
    const CnBodyState* states;
    double time;
    bool uses_trees; // the trees of the world were read at these states: cn_trees_are_at()
    int slot;        // of the constraint that was bound last
    CnJointId joint; // that `look` is of; none: of no joint
    CnJointLook look;
    CnJointId bound_joint; // that the rest is of
    CnBoundConstraint bound;
    bool takes_part; // false: bodies are disabled or asleep
} CnReader;
void cn_reader_begin(CnReader* reader, const CnWorld* world, const CnBodyState* states,
                     double time);
// As cn_world_bind_constraint() at the states of the reader.
bool cn_reader_bind(CnReader* reader, int slot, CnBoundConstraint* bound);
// what: bits CN_READ_....
void cn_read_constraint(CnReader* reader, const CnBoundConstraint* bound, unsigned what,
                        CnConstraintReading* reading);

// The same at the present states of the bodies, whether the constraint acts or not.
void cn_world_bind_now(const CnWorld* world, CnUserConstraint* constraint,
                       CnBoundConstraint* bound);

// The bodies of the block of a constraint, by side, and on which of these the constraint's own A,
// B, C and D are: a mimic's bodies that are one, or the world, take one side or none.
typedef struct CnConstraintSides {
    int own_count; // 2, or 4 of a mimic
    int own[4];    // index of each of its bodies; -1: the world, or none
    int body[4];   // of the block
    int side[4];   // of the block, for each of its own; -1: the world
} CnConstraintSides;
CnConstraintSides cn_world_constraint_sides(const CnWorld* world,
                                            const CnUserConstraint* constraint);

// What a row of a user constraint is there for.
typedef enum CnRowRole {
    CN_ROW_KEEPS,  // any force: C = 0
    CN_ROW_PUSHES, // [0, inf): C >= 0, like a contact
    CN_ROW_PULLS,  // (-inf, 0]: C <= 0, like a rope
    CN_ROW_DRIVES, // any other bounds: a motor or a brake, with a rate but no position to keep
    CN_ROW_YIELDS, // a spring, a damper or a soft motor: a force that follows C and its rate
} CnRowRole;

// What each row of a bound constraint may do, now.
typedef struct CnRowLimits {
    double lower, upper;       // force [N or N m]
    double stiffness, damping; // of rows that yield within bounds
    double restitution;
    CnRowRole role;
} CnRowLimits;
void cn_world_row_limits(const CnBoundConstraint* bound, double time,
                         CnRowLimits limits[CN_MAX_ROWS]);
// The same from a reading with forces.
void cn_reading_limits(const CnConstraintReading* reading, const CnUserConstraint* constraint,
                       double time, CnRowLimits limits[CN_MAX_ROWS]);
// The same of a part of a joint with one row.
CnRowLimits cn_axis_limits(const CnAxisReading* reading, const CnUserConstraint* constraint,
                           double time);

// Rows of a bound constraint from a reading with Jacobians, without targets: those whose bit
// 1 << row is in wanted. Rows that no velocity of a movable body changes are left out; *block is
// NULL when none is left.
#define CN_ALL_ROWS (~0u)
CnStatus cn_world_pose_rows(const CnWorld* world, int slot, const CnUserConstraint* constraint,
                            const CnConstraintReading* reading, unsigned wanted, CnRows* rows,
                            CnBlock** block);

// The key of a constraint's block.
uint64_t cn_constraint_key(CnPoolId id);

// What a row of a constraint does: of a joint's part as its kind says.
CnChannel cn_world_constraint_channel(const CnUserConstraint* constraint, int row);

// Adds what rows gave to the impulses of the constraints that posed them.
void cn_world_add_constraint_impulses(CnWorld* world, const CnRows* rows);

// The same of the relaxation of velocities: its rows, and what trees gave without rows.
void cn_world_add_late_impulses(CnWorld* world);

// After a step: lets constraints remember where it ended.
void cn_world_advance_constraints(CnWorld* world);
