// hash.h - hashing bytes, mixing keys, and a map from 64-bit keys to indices.
#pragma once

#include "base/array.h"

#define CN_HASH_SEED UINT64_C(0xcbf29ce484222325)

// FNV-1a, continued from hash.
uint64_t cn_hash_bytes(uint64_t hash, const void* data, size_t size);

// Folds one number into a key; order matters. Well mixed (splitmix64 finaliser).
uint64_t cn_hash_mix(uint64_t hash, uint64_t value);

// Open addressing, linear probing. Keys 0 are allowed. Same inserts, same behaviour.
typedef struct CnMap {
    CnAllocator allocator;
    uint64_t* keys; // [capacity]
    int* values;    // -1: empty   [capacity]
    int capacity;   // power of two, 0 before the first insert
    int count;
} CnMap;

void cn_map_init(CnMap* map, const CnAllocator* allocator);
void cn_map_destroy(CnMap* map);
bool cn_map_copy(CnMap* map, const CnMap* from);      // into an empty one. False: no memory
void cn_map_clear(CnMap* map);                        // keeps the memory
bool cn_map_set(CnMap* map, uint64_t key, int value); // value >= 0. False: no memory
void cn_map_remove(CnMap* map, uint64_t key);         // fine when it is not there
int cn_map_get(const CnMap* map, uint64_t key);       // -1: not there
