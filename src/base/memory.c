// memory.c - the allocator hook, called safely.
#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

// aligned_alloc asks for a multiple of the alignment, and a zero size may give NULL: both are
// handled by rounding up.
size_t cn_allocated_bytes(size_t count, size_t size) {
    size_t wanted = count * size;
    return wanted == 0 ? CN_ALIGNMENT : (wanted + CN_ALIGNMENT - 1) / CN_ALIGNMENT * CN_ALIGNMENT;
}

static bool is_default(const CnAllocator* allocator) {
    return allocator == NULL || allocator->allocate == NULL;
}

void* cn_allocate_raw(const CnAllocator* allocator, size_t count, size_t size) {
    if (size != 0 && count > (SIZE_MAX - CN_ALIGNMENT) / size) {
        return NULL;
    }
    size_t bytes = cn_allocated_bytes(count, size);
    return is_default(allocator) ? aligned_alloc(CN_ALIGNMENT, bytes)
                                 : allocator->allocate(bytes, CN_ALIGNMENT, allocator->context);
}

void* cn_allocate(const CnAllocator* allocator, size_t count, size_t size) {
    void* memory = cn_allocate_raw(allocator, count, size);
    return memory == NULL ? NULL : memset(memory, 0, cn_allocated_bytes(count, size));
}

void cn_release(const CnAllocator* allocator, void* memory) {
    if (memory == NULL) {
        return;
    }
    if (is_default(allocator)) {
        free(memory);
    } else if (allocator->release != NULL) { // NULL: the user gives memory back all at once
        allocator->release(memory, allocator->context);
    }
}
