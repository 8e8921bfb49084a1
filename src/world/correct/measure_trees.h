// measure_trees.h - values of the joints of trees and of their drives, where the trees were read.
#pragma once

#include "world/correct/position_errors.h"
#include "world/trees/tree_store.h"

// Where trees are looked at.
typedef struct CnTreePoses {
    CnWorld* world;
    const CnBodyState* states; // [order.count]
    double time;               // [s]
} CnTreePoses;

// A drive that is on no axis of its link, by its functions. what: bits CN_READ_....
void cn_tree_read_drive(const CnTreePoses* poses, const CnTreeDrive* drive, unsigned what,
                        CnConstraintReading* reading);

// Value and role of one drive; axis: that of the drive before, if any.
void cn_tree_measure_drive(const CnTreePoses* poses, const CnTreeDrive* drive, CnTreeAxis* axis);

// Values and roles of what may be a stop within reach, of all that a tree has, and of the drives on
// no link. The first two once the tree was read at the poses. Errors of the last two are added, as
// cn_positions_sum_up() would at the end of a step.
void cn_tree_measure_stops(const CnTreePoses* poses, const CnJointTree* tree);
void cn_tree_measure(const CnTreePoses* poses, const CnJointTree* tree, CnPositionErrors* errors);
void cn_trees_measure_loose(const CnTreePoses* poses, CnPositionErrors* errors);

// Reads all trees at the end of a step and measures all that acts, to the same bits as constraint
// by constraint. False: trees do not serve, and some values may have been found.
bool cn_trees_measure_end(const CnTreePoses* poses);
