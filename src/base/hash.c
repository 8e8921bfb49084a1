// hash.c - hashing bytes, mixing keys, and a map from 64-bit keys to indices.
#include "base/hash.h"

#include "base/error.h"

#include <limits.h>

#define FNV_PRIME UINT64_C(0x100000001b3)
#define EMPTY (-1)
#define FIRST_CAPACITY 16

uint64_t cn_hash_bytes(uint64_t hash, const void* data, size_t size) {
    const unsigned char* bytes = data;
    for (size_t i = 0; i < size; ++i) {
        hash = (hash ^ bytes[i]) * FNV_PRIME;
    }
    return hash;
}

// Every output bit depends on every input bit (Steele, Lea, Flood 2014).
static uint64_t finalise(uint64_t z) {
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

// The hash is mixed before the value joins it, so the two cannot change places.
uint64_t cn_hash_mix(uint64_t hash, uint64_t value) {
    return finalise(finalise(hash + UINT64_C(0x9e3779b97f4a7c15)) ^ value);
}

void cn_map_init(CnMap* map, const CnAllocator* allocator) {
    *map = (CnMap){0};
    if (allocator != NULL) {
        map->allocator = *allocator;
    }
}

void cn_map_destroy(CnMap* map) {
    cn_release(&map->allocator, map->keys);
    cn_release(&map->allocator, map->values);
    cn_map_init(map, &(CnAllocator){0});
}

bool cn_map_copy(CnMap* map, const CnMap* from) {
    CN_ASSERT(map->capacity == 0);
    int count = 0, capacity = 0;
    if (from->capacity == 0) {
        return true;
    }
    if (!cn_array_copy_bytes((void**)&map->keys, &count, &capacity, from->keys, from->capacity,
                             sizeof *map->keys, &map->allocator)) {
        return false;
    }
    capacity = 0;
    if (!cn_array_copy_bytes((void**)&map->values, &count, &capacity, from->values, from->capacity,
                             sizeof *map->values, &map->allocator)) {
        cn_release(&map->allocator, map->keys);
        map->keys = NULL;
        return false;
    }
    map->capacity = from->capacity;
    map->count = from->count;
    return true;
}

void cn_map_clear(CnMap* map) {
    for (int i = 0; i < map->capacity; ++i) {
        map->values[i] = EMPTY;
    }
    map->count = 0;
}

// The place of key, or the empty place where it would go. Needs one empty place.
static int find_place(const CnMap* map, uint64_t key) {
    uint64_t mask = (uint64_t)map->capacity - 1;
    uint64_t place = finalise(key) & mask;
    while (map->values[place] != EMPTY && map->keys[place] != key) {
        place = (place + 1) & mask;
    }
    return (int)place;
}

static void insert(CnMap* map, uint64_t key, int value) {
    int place = find_place(map, key);
    map->count += map->values[place] == EMPTY;
    map->keys[place] = key;
    map->values[place] = value;
}

static bool grow(CnMap* map) {
    if (map->capacity > INT_MAX / 2) {
        return false;
    }
    CnMap larger = {.allocator = map->allocator};
    larger.capacity = map->capacity == 0 ? FIRST_CAPACITY : 2 * map->capacity;
    larger.keys = cn_allocate(&larger.allocator, (size_t)larger.capacity, sizeof *larger.keys);
    larger.values = cn_allocate(&larger.allocator, (size_t)larger.capacity, sizeof *larger.values);
    if (larger.keys == NULL || larger.values == NULL) {
        cn_map_destroy(&larger);
        return false;
    }
    cn_map_clear(&larger);
    for (int i = 0; i < map->capacity; ++i) {
        if (map->values[i] != EMPTY) {
            insert(&larger, map->keys[i], map->values[i]);
        }
    }
    cn_map_destroy(map);
    *map = larger;
    return true;
}

// At most half full: linear probing then looks at 1.5 places for a hit, 2.5 for a miss (Knuth).
bool cn_map_set(CnMap* map, uint64_t key, int value) {
    CN_ASSERT(value >= 0);
    bool is_new = cn_map_get(map, key) == EMPTY;
    if (is_new && map->count >= map->capacity / 2 && !grow(map)) {
        return false;
    }
    insert(map, key, value);
    return true;
}

// Entries behind the gap move up until one is where it wants to be: no search then stops short of
// its key (Knuth, algorithm 6.4 R).
void cn_map_remove(CnMap* map, uint64_t key) {
    if (cn_map_get(map, key) == EMPTY) {
        return;
    }
    uint64_t mask = (uint64_t)map->capacity - 1;
    uint64_t gap = (uint64_t)find_place(map, key);
    for (uint64_t place = (gap + 1) & mask; map->values[place] != EMPTY;
         place = (place + 1) & mask) {
        uint64_t home = finalise(map->keys[place]) & mask;
        if (((place - home) & mask) >= ((place - gap) & mask)) { // home is not after the gap
            map->keys[gap] = map->keys[place];
            map->values[gap] = map->values[place];
            gap = place;
        }
    }
    map->values[gap] = EMPTY;
    --map->count;
}

int cn_map_get(const CnMap* map, uint64_t key) {
    return map->capacity == 0 ? EMPTY : map->values[find_place(map, key)];
}
