// array.h - arrays that grow: data, count, capacity, for any element type.
//
//     typedef CN_ARRAY(int) IntArray;
//     IntArray list = {0};
//     if (!cn_array_push(&list, &allocator, 7)) { ... no memory ... }
//     cn_array_free(&list, &allocator);
#pragma once

#include "base/memory.h"

#define CN_ARRAY(type)                                                                             \
    struct {                                                                                       \
        type* data;                                                                                \
        int count, capacity;                                                                       \
    }

typedef CN_ARRAY(int) CnIntArray;

// Makes room for `wanted` elements in all; keeps what is there. False: no memory, nothing changed.
bool cn_array_reserve_bytes(void** data, int* capacity, int count, int wanted, size_t element_size,
                            const CnAllocator* allocator);

#define cn_array_reserve(array, allocator, wanted)                                                 \
    cn_array_reserve_bytes((void**)&(array)->data, &(array)->capacity, (array)->count, (wanted),   \
                           sizeof(*(array)->data), (allocator))

#define cn_array_push(array, allocator, value)                                                     \
    ((array)->count < (array)->capacity ||                                                         \
             cn_array_reserve((array), (allocator), (array)->count + 1)                            \
         ? ((array)->data[(array)->count++] = (value), true)                                       \
         : false)

// So many elements of any contents, with room for no more than these where it must grow: the caller
// fills them. False: no memory, nothing changed.
bool cn_array_resize_bytes(void** data, int* count, int* capacity, int wanted, size_t element_size,
                           const CnAllocator* allocator);

// Replaces what is in the array by these elements. False: no memory, nothing changed.
bool cn_array_copy_bytes(void** data, int* count, int* capacity, const void* from, int from_count,
                         size_t element_size, const CnAllocator* allocator);

// Two arrays of the same type.
#define cn_array_copy(array, allocator, from)                                                      \
    cn_array_copy_bytes((void**)&(array)->data, &(array)->count, &(array)->capacity, (from)->data, \
                        (from)->count, sizeof(*(array)->data), (allocator))

// Gives back the room beyond the elements and a 32nd of them. If there is no memory for the smaller
// copy, the array stays as it is.
void cn_array_fit_bytes(void** data, int* capacity, int count, size_t element_size,
                        const CnAllocator* allocator);

#define cn_array_fit(array, allocator)                                                             \
    cn_array_fit_bytes((void**)&(array)->data, &(array)->capacity, (array)->count,                 \
                       sizeof(*(array)->data), (allocator))

#define cn_array_free(array, allocator)                                                            \
    (cn_release((allocator), (array)->data), (array)->data = NULL, (array)->count = 0,             \
     (array)->capacity = 0)
