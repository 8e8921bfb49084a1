// pool.h - elements with ids of index and generation, so that stale ids are detected.
#pragma once

#include "base/array.h"

// An id as all public ids are laid out. Index counts from 1, so zero is null.
typedef struct CnPoolId {
    uint32_t index, generation;
} CnPoolId;

typedef struct CnPoolSlot {
    uint32_t generation; // odd while in use
    int next_free;       // slot, -1: none
} CnPoolSlot;

// Elements of a fixed size, never moved in order: slot i stays slot i for life.
typedef struct CnPool {
    CnAllocator allocator;
    size_t element_size;
    unsigned char* elements;    // [slots.capacity]
    CN_ARRAY(CnPoolSlot) slots; // one for each element ever used
    int first_free, count;      // count: in use now
} CnPool;

void cn_pool_init(CnPool* pool, const CnAllocator* allocator, size_t element_size);
void cn_pool_destroy(CnPool* pool);

// Makes an empty pool hold the same elements, bytes and ids. False: no memory, nothing changed.
bool cn_pool_copy(CnPool* pool, const CnPool* from);

// At least so many slots; those that are new are zeroed, free and in no list: for those who write
// slots themselves. False: no memory, nothing changed.
bool cn_pool_grow(CnPool* pool, int slot_count);

// A zeroed element; the null id and *element NULL when memory runs out.
CnPoolId cn_pool_add(CnPool* pool, void** element);
CnStatus cn_pool_remove(CnPool* pool, CnPoolId id);

// Takes the last cn_pool_add() back: the next one gives the same id. Several are taken back in
// reverse. For adding in parts, when a later part fails; nobody may have seen the id.
void cn_pool_undo_add(CnPool* pool, CnPoolId id);

// NULL when id is null or stale.
void* cn_pool_get(const CnPool* pool, CnPoolId id);

// Walk all in slot order: for (int s = 0; s < cn_pool_slot_count(p); ++s) if at(s) is not NULL.
int cn_pool_slot_count(const CnPool* pool);
void* cn_pool_at(const CnPool* pool, int slot); // NULL for a free slot

// The same of a slot that is known to be in use.
static inline void* cn_pool_element(const CnPool* pool, int slot) {
    return pool->elements + (size_t)slot * pool->element_size;
}
CnPoolId cn_pool_id_at(const CnPool* pool, int slot);
