// failing_allocator.h - an allocator that counts its blocks and refuses the n-th request.
#pragma once

#include "cairn/base.h"
#include <stdlib.h>
#include <string.h>

typedef struct FailingAllocator {
    int requests;  // so far
    int refuse_at; // this request gets NULL, counted from 1; 0: none
    bool for_good; // and so do all after it
    int live;      // blocks not yet given back
} FailingAllocator;

static inline void* failing_allocate(size_t size, size_t alignment, void* context) {
    FailingAllocator* state = context;
    state->requests += 1;
    if (state->requests == state->refuse_at ||
        (state->for_good && state->refuse_at > 0 && state->requests > state->refuse_at)) {
        return NULL;
    }
    void* memory = aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
    if (memory != NULL) {
        memset(memory, 0xa5, size); // nobody may count on zeroes from an allocator
        state->live += 1;
    }
    return memory;
}

static inline void failing_release(void* memory, void* context) {
    FailingAllocator* state = context;
    state->live -= 1;
    free(memory);
}

static inline CnAllocator failing_allocator(FailingAllocator* state) {
    return (CnAllocator){failing_allocate, failing_release, state};
}
