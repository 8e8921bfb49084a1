// sweep.c - pairs of boxes that overlap, by sorting along one axis.
#include "support/shapes/sweep.h"

#include <string.h>

typedef struct Item {
    double low;   // where a box begins along x [m]; 0 for pairs
    uint64_t key; // index of the box, or first << 32 | second of a pair
} Item;

static bool comes_before(const Item* a, const Item* b) {
    return a->low < b->low || (a->low == b->low && a->key <= b->key);
}

// Merge sort: no worst case, and the same order on every machine. NULL: no memory.
static Item* sort_items(Item* items, size_t count, CnArena* arena) {
    Item* spare = CN_ARENA_NEW(arena, Item, count);
    if (spare == NULL) {
        return NULL;
    }
    for (size_t width = 1; width < count; width *= 2) {
        for (size_t start = 0; start < count; start += 2 * width) {
            size_t middle = start + width < count ? start + width : count;
            size_t end = start + 2 * width < count ? start + 2 * width : count;
            size_t left = start, right = middle;
            for (size_t out = start; out < end; ++out) {
                bool take_left =
                    left < middle && (right >= end || comes_before(&items[left], &items[right]));
                spare[out] = take_left ? items[left++] : items[right++];
            }
        }
        Item* sorted = spare;
        spare = items;
        items = sorted;
    }
    return items;
}

typedef struct PairList {
    Item* items;
    size_t count, capacity;
} PairList;

static bool pair_list_add(PairList* list, CnArena* arena, uint64_t first, uint64_t second) {
    if (list->count == list->capacity) {
        size_t capacity = 2 * list->capacity + 64;
        Item* items = CN_ARENA_NEW(arena, Item, capacity);
        if (items == NULL) {
            return false;
        }
        if (list->count > 0) {
            memcpy(items, list->items, list->count * sizeof(Item));
        }
        list->items = items;
        list->capacity = capacity;
    }
    uint64_t low = first < second ? first : second;
    uint64_t high = first < second ? second : first;
    list->items[list->count++] = (Item){0.0, low << 32 | high};
    return true;
}

// Every box that begins before box i ends along x is a candidate; the other axes decide.
static bool collect_pairs(const CnBounds* bounds, const Item* sorted, int count, CnArena* arena,
                          PairList* pairs) {
    for (int i = 0; i < count; ++i) {
        const CnBounds* a = &bounds[sorted[i].key];
        for (int j = i + 1; j < count && sorted[j].low <= a->high.x; ++j) {
            if (cn_bounds_overlap(a, &bounds[sorted[j].key]) &&
                !pair_list_add(pairs, arena, sorted[i].key, sorted[j].key)) {
                return false;
            }
        }
    }
    return true;
}

static CnStatus find_pairs(const CnBounds* bounds, int count, CnArena* arena, PairFunction* visit,
                           void* data) {
    Item* boxes = CN_ARENA_NEW(arena, Item, count);
    PairList pairs = {0};

    for (int i = 0; boxes != NULL && i < count; ++i) {
        boxes[i] = (Item){bounds[i].low.x, (uint64_t)i};
    }
    if (boxes == NULL || (boxes = sort_items(boxes, (size_t)count, arena)) == NULL ||
        !collect_pairs(bounds, boxes, count, arena, &pairs)) {
        return CN_NO_MEMORY;
    }
    if (pairs.count == 0) {
        return CN_OK;
    }
    Item* sorted = sort_items(pairs.items, pairs.count, arena);
    if (sorted == NULL) {
        return CN_NO_MEMORY;
    }
    for (size_t i = 0; i < pairs.count; ++i) {
        if (!visit((int)(sorted[i].key >> 32), (int)(sorted[i].key & UINT32_MAX), data)) {
            return CN_NO_MEMORY;
        }
    }
    return CN_OK;
}

CnStatus sweep_pairs(const CnBounds* bounds, int count, CnArena* arena, PairFunction* visit,
                     void* data) {
    CnArenaMark mark = cn_arena_mark(arena);
    CnStatus status = find_pairs(bounds, count, arena, visit, data);
    cn_arena_release(arena, mark);
    return status;
}
