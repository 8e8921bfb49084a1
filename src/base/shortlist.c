// shortlist.c - the first k of many items, in a heap in the caller's array.
#include "base/shortlist.h"

#include <string.h>

static unsigned char* item_at(const CnShortlist* list, int i) {
    return (unsigned char*)list->items + (size_t)i * list->item_size;
}

static bool is_after(const CnShortlist* list, int i, int k) {
    return list->is_after(item_at(list, i), item_at(list, k), list->context);
}

static void swap(const CnShortlist* list, int i, int k) {
    unsigned char *a = item_at(list, i), *b = item_at(list, k);
    for (size_t byte = 0; byte < list->item_size; ++byte) {
        unsigned char old = a[byte];
        a[byte] = b[byte];
        b[byte] = old;
    }
}

// Lets item i sink until neither of the two below it comes after it.
static void sift_down(const CnShortlist* list, int i, int count) {
    for (int child = 2 * i + 1; child < count; child = 2 * i + 1) {
        if (child + 1 < count && is_after(list, child + 1, child)) {
            ++child;
        }
        if (!is_after(list, child, i)) {
            return;
        }
        swap(list, child, i);
        i = child;
    }
}

static void sift_up(const CnShortlist* list, int i) {
    for (int parent = (i - 1) / 2; i > 0 && is_after(list, i, parent);
         i = parent, parent = (i - 1) / 2) {
        swap(list, i, parent);
    }
}

void cn_shortlist_offer(CnShortlist* list, const void* item) {
    if (list->count < list->capacity) {
        memcpy(item_at(list, list->count), item, list->item_size);
        sift_up(list, list->count++);
    } else if (list->count > 0 && list->is_after(list->items, item, list->context)) {
        memcpy(list->items, item, list->item_size);
        sift_down(list, 0, list->count);
    }
}

// The last one goes to the end, and so on with the rest.
void cn_shortlist_sort(CnShortlist* list) {
    for (int rest = list->count - 1; rest > 0; --rest) {
        swap(list, 0, rest);
        sift_down(list, 0, rest);
    }
}
