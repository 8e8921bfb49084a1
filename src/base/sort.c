// sort.c - sorting of indices by a comparison with a context, without asking for memory.
#include "base/sort.h"

// Lets items[at] sink until no child of it comes after it; the children of i are 2 i + 1, 2 i + 2.
static void sink(int* items, int count, int at, CnBeforeFunction* before, const void* context) {
    int item = items[at];
    while (at < count / 2) {
        int child = 2 * at + 1;
        if (child + 1 < count && before(items[child], items[child + 1], context)) {
            child += 1;
        }
        if (!before(item, items[child], context)) {
            break;
        }
        items[at] = items[child];
        at = child;
    }
    items[at] = item;
}

void cn_sort(int* items, int count, CnBeforeFunction* before, const void* context) {
    for (int i = count / 2 - 1; i >= 0; --i) {
        sink(items, count, i, before, context);
    }
    for (int last = count - 1; last > 0; --last) {
        int largest = items[0];
        items[0] = items[last];
        items[last] = largest;
        sink(items, last, 0, before, context);
    }
}
