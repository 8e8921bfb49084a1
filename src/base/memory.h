// memory.h - the allocator hook, called safely.
#pragma once

#include "cairn/base.h"

// Zeroed memory, aligned to 32 bytes; NULL on failure or overflow. A zeroed allocator means malloc.
void* cn_allocate(const CnAllocator* allocator, size_t count, size_t size);
void cn_release(const CnAllocator* allocator, void* memory); // NULL is fine
