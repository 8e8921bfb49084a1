// counted_memory.c - an allocator that counts the bytes a world asks for.
#include "bench/counted_memory.h"

#include <stdint.h>

// A header before each block keeps its start and its size.
typedef struct Header {
    void* start;
    size_t size;
} Header;

static void* allocate(size_t size, size_t alignment, void* context) {
    CountedMemory* memory = context;
    alignment = alignment < sizeof(Header) ? sizeof(Header) : alignment;
    CnAllocator source = cn_allocator_default();
    char* start = source.allocate(size + 2 * alignment, alignment, source.context);
    if (start == NULL) {
        return NULL;
    }
    uintptr_t block = ((uintptr_t)start + 2 * alignment - 1) / alignment * alignment;
    Header* header = (Header*)(block - sizeof(Header));
    *header = (Header){start, size};
    size_t now = atomic_fetch_add(&memory->bytes, size) + size;
    size_t peak = atomic_load(&memory->peak);
    while (now > peak && !atomic_compare_exchange_weak(&memory->peak, &peak, now)) {
    }
    return (void*)block;
}

static void release(void* block, void* context) {
    CountedMemory* memory = context;
    if (block != NULL) {
        Header* header = (Header*)block - 1;
        atomic_fetch_sub(&memory->bytes, header->size);
        CnAllocator source = cn_allocator_default();
        source.release(header->start, source.context);
    }
}

CnAllocator counted_memory_allocator(CountedMemory* memory) {
    return (CnAllocator){allocate, release, memory};
}
