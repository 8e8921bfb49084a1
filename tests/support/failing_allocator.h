// failing_allocator.h - an allocator that counts its blocks and refuses the n-th request.
#pragma once

#include "cairn/base.h"
#include <malloc.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

// Workers of a task pool ask for memory too.
typedef struct FailingAllocator {
    atomic_int requests; // so far
    int refuse_at;       // this request gets NULL, counted from 1; 0: none
    bool for_good;       // and so do all after it
    atomic_int live;     // blocks not yet given back
    atomic_size_t bytes; // of these
} FailingAllocator;

static inline void* failing_allocate(size_t size, size_t alignment, void* context) {
    FailingAllocator* state = context;
    int request = atomic_fetch_add(&state->requests, 1) + 1;
    if (request == state->refuse_at ||
        (state->for_good && state->refuse_at > 0 && request > state->refuse_at)) {
        return NULL;
    }
    void* memory = aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
    if (memory != NULL) {
        memset(memory, 0xa5, size); // nobody may count on zeroes from an allocator
        atomic_fetch_add(&state->live, 1);
        atomic_fetch_add(&state->bytes, malloc_usable_size(memory));
    }
    return memory;
}

static inline void failing_release(void* memory, void* context) {
    FailingAllocator* state = context;
    atomic_fetch_sub(&state->live, 1);
    atomic_fetch_sub(&state->bytes, malloc_usable_size(memory));
    free(memory);
}

static inline CnAllocator failing_allocator(FailingAllocator* state) {
    return (CnAllocator){failing_allocate, failing_release, state};
}
