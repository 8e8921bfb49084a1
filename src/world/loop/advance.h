// advance.h - what a world keeps between two frames of a game loop.
#pragma once

#include "base/array.h"
#include "cairn/loop.h"

// Where a body was when the last step began.
typedef struct CnPoseBefore {
    CnVec3 center; // of mass [m]
    CnQuat rotation;
    bool is_known; // false: the body was added or set since
} CnPoseBefore;

typedef struct CnLoop {
    double remainder;              // time that waits for a step [s]
    int64_t step;                  // number of the step that `before` is of; 0: none
    CN_ARRAY(CnPoseBefore) before; // by body, of those there were
} CnLoop;

// The body is set to another pose, or leaves its place to the last one.
void cn_loop_forget_body(CnWorld* world, int body);
void cn_loop_move_body(CnWorld* world, int body, int last);
