// array.c - growing the memory behind CN_ARRAY.
#include "base/array.h"

#include <limits.h>
#include <string.h>

// The first allocation of an array [elements]: most arrays either stay empty or get several.
#define FIRST_CAPACITY 8

// Arrays beyond this many elements grow by a quarter instead of doubling: less memory lies idle.
#define LARGE_CAPACITY 1024

// A fitted array keeps room for this share of its elements, one in so many: the next few that are
// added do not copy it.
#define FITTED_SPARE 32

static int grown_capacity(int capacity, int wanted) {
    int step = capacity < LARGE_CAPACITY ? capacity : capacity / 4;
    int grown = capacity > INT_MAX - step ? INT_MAX : capacity + step;
    if (grown < FIRST_CAPACITY) {
        grown = FIRST_CAPACITY;
    }
    return grown < wanted ? wanted : grown;
}

// The pointer is copied as bytes: its own type is known only to the caller, and reading it as a
// void* would break the aliasing rules.
bool cn_array_reserve_bytes(void** data, int* capacity, int count, int wanted, size_t element_size,
                            const CnAllocator* allocator) {
    if (wanted < 0) { // count + 1 passed INT_MAX
        return false;
    }
    if (wanted <= *capacity) {
        return true;
    }
    int grown = grown_capacity(*capacity, wanted);
    unsigned char* moved = cn_allocate_raw(allocator, (size_t)grown, element_size);
    if (moved == NULL) {
        return false;
    }
    void* old = NULL;
    size_t kept = count > 0 ? (size_t)count * element_size : 0;
    memcpy(&old, (const void*)data, sizeof old);
    if (kept > 0) {
        memcpy(moved, old, kept);
    }
    memset(moved + kept, 0, cn_allocated_bytes((size_t)grown, element_size) - kept);
    cn_release(allocator, old);
    memcpy((void*)data, &moved, sizeof moved);
    *capacity = grown;
    return true;
}

bool cn_array_resize_bytes(void** data, int* count, int* capacity, int wanted, size_t element_size,
                           const CnAllocator* allocator) {
    if (wanted > *capacity) {
        size_t size = (size_t)wanted * element_size;
        unsigned char* memory = cn_allocate_raw(allocator, (size_t)wanted, element_size);
        void* old = NULL;
        if (memory == NULL) {
            return false;
        }
        memset(memory + size, 0, cn_allocated_bytes((size_t)wanted, element_size) - size);
        memcpy(&old, (const void*)data, sizeof old);
        cn_release(allocator, old);
        memcpy((void*)data, &memory, sizeof memory);
        *capacity = wanted;
    }
    *count = wanted;
    return true;
}

void cn_array_fit_bytes(void** data, int* capacity, int count, size_t element_size,
                        const CnAllocator* allocator) {
    int fitted = 0, wanted = count + count / FITTED_SPARE;
    void *old = NULL, *moved = NULL;
    if (wanted >= *capacity || count < FIRST_CAPACITY ||
        !cn_array_reserve_bytes(&moved, &fitted, 0, wanted, element_size, allocator)) {
        return;
    }
    memcpy(&old, (const void*)data, sizeof old);
    memcpy(moved, old, (size_t)count * element_size);
    cn_release(allocator, old);
    memcpy((void*)data, &moved, sizeof moved);
    *capacity = fitted;
}

bool cn_array_copy_bytes(void** data, int* count, int* capacity, const void* from, int from_count,
                         size_t element_size, const CnAllocator* allocator) {
    if (!cn_array_resize_bytes(data, count, capacity, from_count, element_size, allocator)) {
        return false;
    }
    void* to = NULL;
    memcpy(&to, (const void*)data, sizeof to);
    if (from_count > 0) {
        memcpy(to, from, (size_t)from_count * element_size);
    }
    return true;
}
