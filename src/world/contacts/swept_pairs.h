// swept_pairs.h - pairs of bodies, one of them fast, that may meet on their ways through a step.
#pragma once

#include "collision/broad/tree.h"

typedef struct CnSweptPair {
    int fast, other; // indices of bodies; of two fast ones the first is `fast`
} CnSweptPair;

// Scratch that keeps its memory from step to step.
typedef struct CnSweptPairs {
    CN_ARRAY(CnSweptPair) pairs; // in increasing order
    CnTree tree;                 // of the ways that have an end
    CN_ARRAY(CnFloatBox) boxes;  // around all ways   [bodies]
    CN_ARRAY(int) members;       // bodies in the tree
    CN_ARRAY(int) unbounded;     // bodies that are not
    CnTreeQuery query;
} CnSweptPairs;

void cn_swept_pairs_init(CnSweptPairs* swept, const CnAllocator* allocator);
void cn_swept_pairs_destroy(CnSweptPairs* swept);

// ways: all places that a body comes to; low > high where it has no shapes. False: no memory.
// [body_count]
bool cn_swept_pairs_find(CnSweptPairs* swept, const CnBounds* ways, const bool* fast,
                         int body_count);
