// shared.h - immutable records that all who hold equal values share, found by a hash.
#pragma once

#include "base/memory.h"

// The first member of every record.
typedef struct CnSharedRecord {
    struct CnSharedRecord* next; // another one in the same bucket
    uint64_t hash;               // of its value
    int users;
} CnSharedRecord;

typedef struct CnSharedStore {
    CnAllocator allocator;
    CnSharedRecord** buckets; // [bucket_count]
    int bucket_count;         // power of two, 0 before the first record
    int count;
} CnSharedStore;

void cn_shared_init(CnSharedStore* store, const CnAllocator* allocator);
void cn_shared_destroy(CnSharedStore* store); // with all records

// Whether the value of a record is this one; hashes are equal.
typedef bool CnSharedTest(const CnSharedRecord* record, const void* value);

// The record of a value, with one more user. NULL: there is none.
CnSharedRecord* cn_shared_find(const CnSharedStore* store, uint64_t hash, const void* value,
                               CnSharedTest* is_same);

// A zeroed record of so many bytes, with one user: the caller fills it. NULL: no memory.
CnSharedRecord* cn_shared_add(CnSharedStore* store, uint64_t hash, size_t size);

// One user less. True: that was the last one. The record is out of the store and the caller
// releases it.
bool cn_shared_drop(CnSharedStore* store, CnSharedRecord* record);
