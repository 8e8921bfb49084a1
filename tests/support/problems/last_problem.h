// last_problem.h - the last step's problem in tests that refuse memory.
//
// A world puts it together when it is asked for. Reading is not what these tests are about, so the
// request for that memory is neither refused nor counted.
#pragma once

#include "support/failing_allocator.h"
#include "world/step/solve_step.h"

// The world's allocator is a failing one, or none was given to it.
static inline const CnAssembledStep* last_problem(const CnWorld* world) {
    CnWorld* own = (CnWorld*)(uintptr_t)world;
    if (own->allocator.allocate == NULL) {
        return cn_step_assemble(own);
    }
    FailingAllocator* state = own->allocator.context;
    int refuse_at = state->refuse_at, requests = state->requests;
    state->refuse_at = 0;
    const CnAssembledStep* whole = cn_step_assemble(own);
    state->refuse_at = refuse_at;
    state->requests = requests;
    return whole;
}
