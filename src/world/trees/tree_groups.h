// tree_groups.h - joints of a tree in closed form, several of one form side by side.
//
// What the solve and the relaxation do with each joint by itself is done with up to four joints at
// once, one in each lane: numbers of a group lie lane by lane. Joints of other forms, bodies that
// float and single joints of a form are alone, and are passed one by one by the functions of
// tree_store.h, which are the plain twins of the passes here: bits are the same.
// docs/theory/mechanisms.md (26)-(28), (44), (45), (56), (57).
#pragma once

#include "world/trees/tree_store.h"

// A number of each link of a group.
typedef struct CnTreeLane {
    double of[CN_TREE_LANES];
} CnTreeLane;

typedef struct CnTreeGroup {
    CnFrameForm form;        // of all: not CN_FORM_OTHER
    int count;               // links, 2 at least
    int link[CN_TREE_LANES]; // numbered in the tree; places that are left over repeat the last
    int body_a[CN_TREE_LANES], body_b[CN_TREE_LANES]; // of their joints, -1: the world
    CnTreeLane sign;                                  // CnTreeLink.sign

    // read(): as CnTreeLink has them, where its joints were read last.
    CnTreeLane n[3][3];             // axes
    CnTreeLane arm_a[3], arm_b[3];  // cn_tree_arm_a(), cn_tree_arm_b()
    CnTreeLane turn[3][3];          // cn_tree_turn(); the third is the axis
    CnTreeLane dual[3][3];          // of the gradients of the angles
    CnTreeLane missed[CN_MAX_ROWS]; // what each row misses, of which minus is wanted

    // Where CnJointTree.has_posed_groups. The rows of drives about the axes of hinges have these
    // rates, and the traces of W without compliance.
    bool has_twists;         // some of the hinges have such drives, and their turns are known
    CnTreeLane twist_row[3]; // CnTreeTurn.twist_row
    CnTreeLane twist_rate;   // before the step
    CnTreeLane twist_free;   // without impulses
    CnTreeLane twist_left;   // once it is solved
    CnTreeLane twist_trace;  // find_traces()
    unsigned has_size;       // a bit for each joint that has no row without size
    CnTreeLane target[CN_MAX_ROWS];     // of each row in the step's problem
    CnTreeLane left[CN_MAX_ROWS];       // u of each row once it is solved
    CnTreeLane squares[3][CN_MAX_ROWS]; // of p, u, and u without impulses, of each row
    CnTreeLane square, scaled, work;    // |u|^2, |rho u|^2 and |u| . |p| of each joint
} CnTreeGroup;

// Numbers of the rows of one of its joints.
static inline void cn_tree_group_row(const CnTreeLane* from, int lane, int row_count, double* to) {
    for (int k = 0; k < row_count; ++k) {
        to[k] = from[k].of[lane];
    }
}

// The groups of a tree, once its links are known. CN_NO_MEMORY: none.
CnStatus cn_tree_groups_find(CnJointTree* tree, CnTreeLink* links, CnArena* arena);

// Passes over all groups of a tree, for one width of registers: tree_group_lanes.h.
typedef struct CnTreeGroupPasses {
    // What was read of all joints.
    void (*read)(const CnJointTree* tree, const CnTreeLink* links);

    // read(); then group.target = -back J v for the velocities of the states, and the rates of
    // drives.
    void (*pose)(const CnJointTree* tree, const CnTreeLink* links, const CnBodyState* states,
                 double back);

    // Targets go to the rows of the problem, by the first row of each link, -1: it has none.
    void (*put_targets)(const CnJointTree* tree, const int* first_row, double* target);

    // group.missed = J v for the velocities of links and, where it is no link, of the other body;
    // returns the largest, or `worst`.
    double (*find_rates)(const CnJointTree* tree, const CnBodyState* states,
                         const double (*velocity)[6], double worst);

    // u of each row where joints are posed, for the velocities of bodies: to group.missed for the
    // free ones; or to group.left, and returned is the largest square of a joint's, or `worst`.
    void (*find_free_rates)(const CnJointTree* tree, const double (*velocity)[6]);
    double (*find_left)(const CnJointTree* tree, const double (*velocity)[6], double worst);

    // cn_tree_axes() and cn_tree_twist() of what is wanted: axes go to tree->links, by
    // tree->first_axis, as many as a link has there. False: a joint is not regular.
    bool (*set_links)(CnJointTree* tree, CnTreeLink* links, double (*twist)[6]);

    // cn_tree_impulses() of what each joint gives its link.
    void (*find_impulses)(const CnJointTree* tree, const double (*wrench)[6],
                          double (*impulse)[CN_MAX_ROWS]);

    // The same where joints are posed, by the first row of each link, and what these impulses alone
    // give the links.
    void (*give)(const CnJointTree* tree, const double (*wrench)[6], const int* first_row,
                 double* impulse, double (*given)[6]);

    // Velocities of the bodies of all links, in groups or alone: free ones and M^-1 momentum.
    void (*move)(const CnJointTree* tree, const CnTreeLink* links, const CnProblem* problem,
                 const double (*momentum)[6], double (*velocity)[6]);

    // What grades take of each joint once find_left() has run, impulses by the first row of each
    // link: squares and work of each group.
    void (*measure)(const CnJointTree* tree, double rho, const int* first_row,
                    const double* impulse);

    // cn_tree_joint_trace() of each link in a group, where joints are posed, and group.twist_trace.
    void (*find_traces)(const CnJointTree* tree, const CnProblem* problem, double* trace);
} CnTreeGroupPasses;
extern const CnTreeGroupPasses cn_tree_group_passes_128, cn_tree_group_passes_256;
