// tree_solve.h - a tree of joints while it is solved in a step: what its parts share.
#pragma once

#include "constraints/problem/certificate.h"
#include "solvers/tree/machine_parts.h"
#include "world/trees/tree_contacts.h"
#include "world/trees/tree_groups.h"

// A drive of the tree with its row in the problem.
typedef struct CnActingDrive {
    int row;             // in the problem
    int link, next;      // number in the tree; next drive on the same link, -1: none
    bool is_turn;        // its row is one about the axis of a hinge:
    bool is_twist;       // CnTreeGroup.twist_row of the link's group, whose rates are known
    CnVec3 turn;         // at the link
    const double* child; // else: the row at the link   [6]
    bool is_force;       // else bounds
    bool is_mute;        // bounds that allow no impulse: a stop that is not reached
    CnAxisState state;
    double base, slope; // p = base - slope (J moved); of one that acts and is rigid both are zero
    bool is_rigid;
    double along;     // J v without impulses
    double free_rate; // u then
    double impulse;
    const CnBlock* block;
} CnActingDrive;

// What the row of a drive makes of a velocity of its link relative to the parent.
static inline double cn_drive_rate(const CnActingDrive* drive, const double relative[6]) {
    return drive->is_turn ? drive->turn.x * relative[3] + drive->turn.y * relative[4] +
                                drive->turn.z * relative[5]
                          : cn_dot6(drive->child, relative);
}

// momentum += p times that row.
static inline void cn_drive_push(const CnActingDrive* drive, double p, double momentum[6]) {
    if (drive->is_turn) {
        momentum[3] += p * drive->turn.x;
        momentum[4] += p * drive->turn.y;
        momentum[5] += p * drive->turn.z;
        return;
    }
    for (int k = 0; k < 6; ++k) {
        momentum[k] += p * drive->child[k];
    }
}

typedef struct CnTreeSolve {
    CnWorld* world;
    CnProblem problem; // of the whole step
    CnJointTree* tree;
    CnTreeLink* links; // [link_count]
    const CnTreeGroupPasses* passes;
    bool by_groups;                 // joints in groups are passed side by side: for them `missing`,
                                    // `impulse` and `left` are not used
    const int* first_row;           // CnTreeStore.first_row   [link_count]
    int* held;                      // of the links in groups those that stops hold: they are passed
                                    // by themselves too; -1 after the last   [link_count + 1]
    int* block;                     // of each link's joint, -1: it floats   [link_count]
    double (*missing)[CN_MAX_ROWS]; // what the rows of each joint miss without impulses
    double (*impulse)[CN_MAX_ROWS]; // of each joint's rows   [link_count]
    double (*left)[CN_MAX_ROWS];    // u of each joint's rows in the end   [link_count]
    int* loop_block;                // of each loop   [tree->loops.count]
    double* loop_missing;           // as missing, of the rows of loops
    int* first_drive;               // of each link, -1: none   [link_count]
    int drive_count, acting_count;  // acting: those that are not mute
    CnActingDrive* drives;          // [tree->drive_count]
    double* offset;                 // of each axis   [axes]
    double (*twist)[6], (*moved)[6], (*wrench)[6], (*momentum)[6]; // [link_count]
    double (*given)[6]; // what joint and drives give each link, by their impulses   [link_count]
    CnTreeContacts* contacts; // NULL: there are none
    CnSolverDef contact_def;  // for these
    CnArena* arena;
    bool warm_start;
    double slack; // of a law that still counts as held [m/s]
} CnTreeSolve;

// The links that are passed one by one, by their number among them.
static inline int cn_tree_alone_count(const CnTreeSolve* it) {
    return it->by_groups ? it->tree->alone_count : it->tree->link_count;
}

static inline int cn_tree_alone(const CnTreeSolve* it, int k) {
    return it->by_groups ? it->tree->alone[k] : k;
}

// tree_grade.c: u of the rows of a joint's block for given velocities; and without impulses.
void cn_tree_joint_rates(const CnTreeSolve* it, int index, const double (*velocity)[6], double* u);
void cn_tree_free_rates(const CnTreeSolve* it, int index, double* q);

// Whether two drives have the same row, as motor and stop of an axis do; they follow each other.
bool cn_tree_shares_row(const CnTreeSolve* it, const CnActingDrive* drive,
                        const CnActingDrive* other);

// J v of a drive's row.
double cn_tree_rate_along(const CnTreeSolve* it, const CnActingDrive* drive,
                          const double (*velocity)[6]);

// The largest velocity that rows of joints leave [m/s]; what those along the tree leave goes to
// it->left.
double cn_tree_joint_error(const CnTreeSolve* it);

// Instead of a grade: the error of the joints, by which the solve has stopped.
void cn_tree_take_error(const CnTreeSolve* it, int island, const CnSolverDef* def, double error,
                        CnIslandResult* result, CnGradeSums* grades);

// Grades the blocks of the island, and its contacts.
void cn_tree_grade(const CnTreeSolve* it, int island, const CnSolverDef* def, double rho,
                   CnIslandResult* result, CnGradeSums* grades);
