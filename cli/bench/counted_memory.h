// counted_memory.h - an allocator that counts the bytes a world asks for.
#pragma once

#include "cairn/base.h"

#include <stdatomic.h>
#include <stddef.h>

typedef struct CountedMemory {
    atomic_size_t bytes; // in use now
    atomic_size_t peak;  // most at once
} CountedMemory;

// Must outlive whoever uses the allocator; any thread may.
CnAllocator counted_memory_allocator(CountedMemory* memory);
