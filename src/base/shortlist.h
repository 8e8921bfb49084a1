// shortlist.h - the first k of many items, in a heap in the caller's array.
#pragma once

#include <stdbool.h>
#include <stddef.h>

// A strict order: whether a comes after b.
typedef bool CnAfterFunction(const void* a, const void* b, const void* context);

typedef struct CnShortlist {
    void* items; // a heap, the last of them on top   [capacity]
    size_t item_size;
    int count, capacity;
    CnAfterFunction* is_after;
    const void* context;
} CnShortlist;

// Takes a copy of the item if it is among the first `capacity` offered so far.
void cn_shortlist_offer(CnShortlist* list, const void* item);

// Brings the items in order; nothing can be offered any more.
void cn_shortlist_sort(CnShortlist* list);
