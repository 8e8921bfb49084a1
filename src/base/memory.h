// memory.h - the allocator hook, called safely.
#pragma once

#include "cairn/base.h"

// What every allocation is aligned to [bytes]: a cache line; no type needs more.
#define CN_ALIGNMENT ((size_t)64)

// Zeroed memory, aligned to CN_ALIGNMENT; NULL on failure or overflow. A zeroed allocator means
// malloc.
void* cn_allocate(const CnAllocator* allocator, size_t count, size_t size);

// The same with any contents: for memory that is written at once, or touched only in part.
void* cn_allocate_raw(const CnAllocator* allocator, size_t count, size_t size);

// Memory for text, of any contents, aligned to CN_TEXT_ALIGNMENT only: names are many and short.
char* cn_allocate_text(const CnAllocator* allocator, size_t bytes);
#define CN_TEXT_ALIGNMENT ((size_t)16)

// What the others own: rounded up to whole units of CN_ALIGNMENT, at least one [bytes].
size_t cn_allocated_bytes(size_t count, size_t size);

void cn_release(const CnAllocator* allocator, void* memory); // NULL is fine
