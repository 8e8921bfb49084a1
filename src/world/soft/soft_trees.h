// soft_trees.h - scheme soft_step: joints that form trees, solved all at once in every substep.
//
// A sweep carries an impulse one joint further; a chain that holds a heavy body needs as many as
// the ratio of masses. Trees are solved by elimination from the leaves to the root instead
// (solvers/tree/linkage.h), in double precision. docs/theory/soft_step.md (T1)-(T4).
#pragma once

#include "world/soft/soft_joints.h"

// Joints of an island that become links of the present group: all that tile or block of the joint
// would have done. Rows of bodies are counted from the base of the group. *is_tree: they have;
// else they are to be swept. CN_OK or CN_NO_MEMORY.
CnStatus cn_soft_trees_add(CnWorld* world, int island, const int* row, CnSoftGroup* group,
                           bool* is_tree);

// Whether a block of the step is a joint that can be in a tree.
bool cn_soft_trees_take(const CnWorld* world, int block);

// Memory for one step, from the world's arena. CN_OK or CN_NO_MEMORY.
CnStatus cn_soft_trees_reserve(CnWorld* world);

// In the order of a step. Joints of trees need no impulses of the last substep: what trees gave is
// taken back before another substep begins.
void cn_soft_trees_begin(const CnSoftJoints* joints);
void cn_soft_trees_go_on(const CnSoftJoints* joints);
void cn_soft_trees_push(const CnSoftJoints* joints);
void cn_soft_trees_relax(const CnSoftJoints* joints, double time);
void cn_soft_trees_end(const CnSoftJoints* joints);
