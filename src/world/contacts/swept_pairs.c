// swept_pairs.c - pairs of bodies, one of them fast, that may meet on their ways through a step.
//
// The trees of the broad phase know where bodies are, not where they come to, so the ways of a step
// get a tree of their own.
#include "world/contacts/swept_pairs.h"

#include "base/sort.h"

// With so few fast bodies it is quicker to look at every way than to build a tree of them: a look
// takes 3 ns, a place in the tree 200 ns.
#define FEW 64

void cn_swept_pairs_init(CnSweptPairs* swept, const CnAllocator* allocator) {
    *swept = (CnSweptPairs){0};
    cn_tree_init(&swept->tree, allocator);
}

void cn_swept_pairs_destroy(CnSweptPairs* swept) {
    CnAllocator allocator = swept->tree.allocator;
    cn_array_free(&swept->pairs, &allocator);
    cn_array_free(&swept->boxes, &allocator);
    cn_array_free(&swept->members, &allocator);
    cn_array_free(&swept->unbounded, &allocator);
    cn_tree_query_free(&swept->query, &allocator);
    cn_tree_destroy(&swept->tree);
}

static bool has_an_end(const CnBounds* way) {
    return cn_vec3_is_finite(way->low) && cn_vec3_is_finite(way->high);
}

// A way without shapes is nowhere, and in no list.
static bool build_tree(CnSweptPairs* swept, const CnBounds* ways, int count) {
    const CnAllocator* allocator = &swept->tree.allocator;
    swept->members.count = swept->unbounded.count = 0;
    if (!cn_array_reserve(&swept->boxes, allocator, count) ||
        !cn_array_reserve(&swept->members, allocator, count) ||
        !cn_array_reserve(&swept->unbounded, allocator, count)) {
        return false;
    }
    for (int i = 0; i < count; ++i) {
        if (has_an_end(&ways[i])) {
            swept->boxes.data[i] = cn_float_box_around(&ways[i]);
            swept->members.data[swept->members.count++] = i;
        } else if (ways[i].low.x <= ways[i].high.x) {
            swept->unbounded.data[swept->unbounded.count++] = i;
        }
    }
    return cn_tree_reserve(&swept->tree, count, swept->members.count) &&
           cn_tree_build(&swept->tree, swept->members.data, swept->members.count,
                         swept->boxes.data);
}

static bool offer(CnSweptPairs* swept, const CnBounds* ways, const bool* fast, int i, int k) {
    if (k == i || (k < i && fast[k]) || !cn_bounds_overlap(&ways[i], &ways[k])) {
        return true;
    }
    return cn_array_push(&swept->pairs, &swept->tree.allocator, ((CnSweptPair){i, k}));
}

static bool look_at_all(CnSweptPairs* swept, const CnBounds* ways, const bool* fast, int count,
                        int i) {
    bool ok = true;
    for (int k = 0; ok && k < count; ++k) {
        ok = offer(swept, ways, fast, i, k);
    }
    return ok;
}

static bool is_less(int a, int b, const void* context) {
    (void)context;
    return a < b;
}

// Items of a tree come in no useful order: they are sorted, as if all had been looked at.
static bool look_in_tree(CnSweptPairs* swept, const CnBounds* ways, const bool* fast, int i) {
    const CnAllocator* allocator = &swept->tree.allocator;
    CnTreeQuery* query = &swept->query;
    query->found.count = 0;
    bool ok = cn_tree_query(&swept->tree, &swept->boxes.data[i], query, allocator);
    for (int k = 0; ok && k < swept->unbounded.count; ++k) {
        ok = cn_array_push(&query->found, allocator, swept->unbounded.data[k]);
    }
    if (ok) {
        cn_sort(query->found.data, query->found.count, is_less, NULL);
    }
    for (int k = 0; ok && k < query->found.count; ++k) {
        ok = offer(swept, ways, fast, i, query->found.data[k]);
    }
    return ok;
}

bool cn_swept_pairs_find(CnSweptPairs* swept, const CnBounds* ways, const bool* fast,
                         int body_count) {
    int fast_count = 0;
    for (int i = 0; i < body_count; ++i) {
        fast_count += fast[i];
    }
    bool has_tree = fast_count > FEW;
    bool ok = !has_tree || build_tree(swept, ways, body_count);
    swept->pairs.count = 0;
    for (int i = 0; ok && i < body_count; ++i) {
        if (fast[i]) {
            ok = has_tree && has_an_end(&ways[i]) ? look_in_tree(swept, ways, fast, i)
                                                  : look_at_all(swept, ways, fast, body_count, i);
        }
    }
    return ok;
}
