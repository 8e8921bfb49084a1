// exact_rows.h - scheme soft_step: the problem of an island that is solved exactly.
#pragma once

#include "world/soft/soft_pack.h"
#include "world/step/rows.h"

// A contact point in the problem.
typedef struct CnExactPoint {
    int manifold, point, place; // in CnWorld.pairs; place of the manifold in the island
    int row;                    // its normal; friction rows follow
    double gap;                 // at the present poses of the rows [m]
    double start_gap;           // as the step began
    CnContact contact;
} CnExactPoint;

// A constraint in the problem.
typedef struct CnExactJoint {
    int block;                    // in CnStep.rows
    int rows[CN_MAX_ROWS];        // of the problem; -1: nothing moves it
    CnRowRole roles[CN_MAX_ROWS]; // of those
    double value[CN_MAX_ROWS];    // at the present poses
} CnExactJoint;

typedef struct CnExactRows {
    CnProblem problem;
    int manifold_count, point_count, joint_count;
    CnExactPoint* points;
    CnExactJoint* joints;
    double* guess;      // impulses of the last step for a step of this length   [rows]
    const int* body;    // indices of its bodies   [bodies]
    int* place;         // of each body of the world in it; others: any   [world's bodies]
    CnBodyState* start; // as the step began   [bodies]
    CnBodyState* state; // at the present poses   [bodies]
    // The arrays that the problem shows.
    CnBlock* blocks;
    double *inverse_mass, (*inverse_inertia)[9], (*free_velocity)[6];
    double (*jacobian_a)[6], (*jacobian_b)[6];
    double *target, *compliance, *lower, *upper, *offset, *slope;
} CnExactRows;

// The rows of the island, or of the one body, of a group that is exact; memory from the arena.
// CN_OK or CN_NO_MEMORY. (E1), (E2)
CnStatus cn_exact_pose(CnWorld* world, const CnSoftGroup* group, CnArena* arena, CnExactRows* rows);

// Gaps and values at the states of the rows. Returns the largest error: overlap, or of a joint.
double cn_exact_measure(const CnWorld* world, CnExactRows* rows);

// The same rows with displacements in place of velocities: they ask errors back. (E4)
void cn_exact_pose_positions(const CnWorld* world, CnExactRows* rows);

// States to the bodies of the world; impulses to manifolds and constraints.
void cn_exact_store_states(CnWorld* world, const CnExactRows* rows);
void cn_exact_store_impulses(CnWorld* world, CnSoftGroup* group, const CnExactRows* rows,
                             const double* impulse);

// The least gap of each manifold, by its place in the island; returns the deepest overlap, >= 0.
double cn_exact_gaps(const CnExactRows* rows, double* gap);
