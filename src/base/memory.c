// memory.c - the allocator hook, called safely.
#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

// aligned_alloc asks for a multiple of the alignment, and a zero size may give NULL: both are
// handled by rounding up, so that every successful call owns at least one unit.
static bool rounded_bytes(size_t count, size_t size, size_t* bytes) {
    if (size != 0 && count > (SIZE_MAX - CN_ALIGNMENT) / size) {
        return false;
    }
    size_t wanted = count * size;
    *bytes = wanted == 0 ? CN_ALIGNMENT : (wanted + CN_ALIGNMENT - 1) / CN_ALIGNMENT * CN_ALIGNMENT;
    return true;
}

static bool is_default(const CnAllocator* allocator) {
    return allocator == NULL || allocator->allocate == NULL;
}

void* cn_allocate_raw(const CnAllocator* allocator, size_t count, size_t size) {
    size_t bytes = 0;
    if (!rounded_bytes(count, size, &bytes)) {
        return NULL;
    }
    return is_default(allocator) ? aligned_alloc(CN_ALIGNMENT, bytes)
                                 : allocator->allocate(bytes, CN_ALIGNMENT, allocator->context);
}

void* cn_allocate(const CnAllocator* allocator, size_t count, size_t size) {
    size_t bytes = 0;
    void* memory = cn_allocate_raw(allocator, count, size);
    if (memory != NULL && rounded_bytes(count, size, &bytes)) {
        memset(memory, 0, bytes);
    }
    return memory;
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
