// shared.c - immutable records that all who hold equal values share, found by a hash.
#include "base/shared.h"

#define FIRST_BUCKETS 16

void cn_shared_init(CnSharedStore* store, const CnAllocator* allocator) {
    *store = (CnSharedStore){.allocator = *allocator};
}

void cn_shared_destroy(CnSharedStore* store) {
    for (int i = 0; i < store->bucket_count; ++i) {
        for (CnSharedRecord* record = store->buckets[i]; record != NULL;) {
            CnSharedRecord* next = record->next;
            cn_release(&store->allocator, record);
            record = next;
        }
    }
    cn_release(&store->allocator, store->buckets);
    *store = (CnSharedStore){.allocator = store->allocator};
}

static CnSharedRecord** bucket_of(const CnSharedStore* store, uint64_t hash) {
    return &store->buckets[hash & (uint64_t)(store->bucket_count - 1)];
}

static void put(const CnSharedStore* store, CnSharedRecord* record) {
    CnSharedRecord** bucket = bucket_of(store, record->hash);
    record->next = *bucket;
    *bucket = record;
}

// One bucket for each record, at least.
static bool grow(CnSharedStore* store) {
    CnSharedStore larger = *store;
    larger.bucket_count = store->bucket_count == 0 ? FIRST_BUCKETS : 2 * store->bucket_count;
    larger.buckets =
        cn_allocate(&store->allocator, (size_t)larger.bucket_count, sizeof *larger.buckets);
    if (larger.buckets == NULL) {
        return false;
    }
    for (int i = 0; i < store->bucket_count; ++i) {
        for (CnSharedRecord* record = store->buckets[i]; record != NULL;) {
            CnSharedRecord* next = record->next;
            put(&larger, record);
            record = next;
        }
    }
    cn_release(&store->allocator, store->buckets);
    *store = larger;
    return true;
}

CnSharedRecord* cn_shared_find(const CnSharedStore* store, uint64_t hash, const void* value,
                               CnSharedTest* is_same) {
    CnSharedRecord* record = store->count == 0 ? NULL : *bucket_of(store, hash);
    while (record != NULL && !(record->hash == hash && is_same(record, value))) {
        record = record->next;
    }
    if (record != NULL) {
        record->users += 1;
    }
    return record;
}

CnSharedRecord* cn_shared_add(CnSharedStore* store, uint64_t hash, size_t size) {
    if (store->count == store->bucket_count && !grow(store)) {
        return NULL;
    }
    CnSharedRecord* record = cn_allocate(&store->allocator, 1, size);
    if (record != NULL) {
        record->hash = hash;
        record->users = 1;
        put(store, record);
        store->count += 1;
    }
    return record;
}

bool cn_shared_drop(CnSharedStore* store, CnSharedRecord* record) {
    record->users -= 1;
    if (record->users > 0) {
        return false;
    }
    CnSharedRecord** link = bucket_of(store, record->hash);
    while (*link != record) {
        link = &(*link)->next;
    }
    *link = record->next;
    store->count -= 1;
    return true;
}
