// memory.c - the allocator hook, called safely.
#if defined(__linux__)
#define _DEFAULT_SOURCE // madvise
#include <sys/mman.h>
#endif

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

// aligned_alloc asks for a multiple of the alignment, and a zero size may give NULL: both are
// handled by rounding up.
size_t cn_allocated_bytes(size_t count, size_t size) {
    size_t wanted = count * size;
    return wanted == 0 ? CN_ALIGNMENT : (wanted + CN_ALIGNMENT - 1) / CN_ALIGNMENT * CN_ALIGNMENT;
}

// Arrays of megabytes are read here and there: with pages of 4 kB most reads look up their page in
// memory too. Where the system has large pages it is asked for them, as far as an array fills them.
#define LARGE_PAGE ((size_t)2 << 20) // [byte]

static void* allocate_default(size_t bytes, size_t alignment, void* context) {
    (void)context;
#if defined(__linux__)
    if (bytes >= LARGE_PAGE && bytes <= SIZE_MAX - LARGE_PAGE && alignment <= LARGE_PAGE) {
        size_t filled = bytes / LARGE_PAGE * LARGE_PAGE;
        void* memory = aligned_alloc(LARGE_PAGE, filled < bytes ? filled + LARGE_PAGE : filled);
        if (memory != NULL) {
            (void)madvise(memory, filled, MADV_HUGEPAGE); // a wish: it may be refused
        }
        return memory;
    }
#endif
    // aligned_alloc takes no size that is not a multiple of the alignment.
    size_t over = bytes % alignment;
    if (bytes > SIZE_MAX - alignment) {
        return NULL;
    }
    return aligned_alloc(alignment, over == 0 ? bytes : bytes + (alignment - over));
}

static void release_default(void* memory, void* context) {
    (void)context;
    free(memory);
}

CnAllocator cn_allocator_default(void) {
    return (CnAllocator){allocate_default, release_default, NULL};
}

static bool is_default(const CnAllocator* allocator) {
    return allocator == NULL || allocator->allocate == NULL;
}

static void* allocate_aligned(const CnAllocator* allocator, size_t bytes, size_t alignment) {
    return is_default(allocator) ? allocate_default(bytes, alignment, NULL)
                                 : allocator->allocate(bytes, alignment, allocator->context);
}

char* cn_allocate_text(const CnAllocator* allocator, size_t bytes) {
    if (bytes > SIZE_MAX - CN_TEXT_ALIGNMENT) {
        return NULL;
    }
    size_t units = (bytes + CN_TEXT_ALIGNMENT - 1) / CN_TEXT_ALIGNMENT;
    size_t whole = (units == 0 ? 1 : units) * CN_TEXT_ALIGNMENT;
    return allocate_aligned(allocator, whole, CN_TEXT_ALIGNMENT);
}

void* cn_allocate_raw(const CnAllocator* allocator, size_t count, size_t size) {
    if (size != 0 && count > (SIZE_MAX - CN_ALIGNMENT) / size) {
        return NULL;
    }
    return allocate_aligned(allocator, cn_allocated_bytes(count, size), CN_ALIGNMENT);
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
