// pool.c - elements with ids of index and generation, so that stale ids are detected.
#include "base/pool.h"

#include "base/error.h"

#include <string.h>

#define NO_SLOT (-1)

void cn_pool_init(CnPool* pool, const CnAllocator* allocator, size_t element_size) {
    CN_ASSERT(element_size > 0);
    *pool = (CnPool){.element_size = element_size, .first_free = NO_SLOT};
    if (allocator != NULL) {
        pool->allocator = *allocator;
    }
}

void cn_pool_destroy(CnPool* pool) {
    cn_array_free(&pool->slots, &pool->allocator);
    cn_release(&pool->allocator, pool->elements);
    pool->elements = NULL;
    pool->first_free = NO_SLOT;
    pool->count = 0;
}

// Both arrays grow by the same rule, so that slots.capacity holds for elements too.
bool cn_pool_copy(CnPool* pool, const CnPool* from) {
    CN_ASSERT(pool->slots.capacity == 0 && pool->element_size == from->element_size);
    int count = 0, capacity = 0;
    if (from->slots.count == 0) {
        return true;
    }
    if (!cn_array_copy_bytes((void**)&pool->elements, &count, &capacity, from->elements,
                             from->slots.count, from->element_size, &pool->allocator)) {
        return false;
    }
    if (!cn_array_copy(&pool->slots, &pool->allocator, &from->slots)) {
        cn_release(&pool->allocator, pool->elements);
        pool->elements = NULL;
        return false;
    }
    pool->first_free = from->first_free;
    pool->count = from->count;
    return true;
}

static unsigned char* element_at(const CnPool* pool, int slot) {
    return pool->elements + (size_t)slot * pool->element_size;
}

static bool is_used(const CnPool* pool, int slot) {
    return pool->slots.data[slot].generation % 2 == 1;
}

// Elements grow before the slots that describe them. Should the slots then fail, the larger
// element memory is not counted on: slots.capacity is the only capacity there is.
static bool reserve_slots(CnPool* pool, int wanted) {
    int capacity = pool->slots.capacity, count = pool->slots.count;
    return cn_array_reserve_bytes((void**)&pool->elements, &capacity, count, wanted,
                                  pool->element_size, &pool->allocator) &&
           cn_array_reserve(&pool->slots, &pool->allocator, wanted);
}

static bool add_slot(CnPool* pool) {
    int count = pool->slots.count;
    if (!reserve_slots(pool, count + 1)) {
        return false;
    }
    pool->slots.data[pool->slots.count++] = (CnPoolSlot){.next_free = NO_SLOT};
    pool->first_free = count;
    return true;
}

bool cn_pool_grow(CnPool* pool, int slot_count) {
    if (slot_count > pool->slots.count && !reserve_slots(pool, slot_count)) {
        return false;
    }
    while (pool->slots.count < slot_count) {
        int slot = pool->slots.count++;
        pool->slots.data[slot] = (CnPoolSlot){.next_free = NO_SLOT};
        memset(element_at(pool, slot), 0, pool->element_size);
    }
    return true;
}

CnPoolId cn_pool_add(CnPool* pool, void** element) {
    *element = NULL;
    if (pool->first_free == NO_SLOT && !add_slot(pool)) {
        return (CnPoolId){0};
    }
    int index = pool->first_free;
    CnPoolSlot* slot = &pool->slots.data[index];
    pool->first_free = slot->next_free;
    slot->generation += 1;
    slot->next_free = NO_SLOT;
    pool->count += 1;
    *element = memset(element_at(pool, index), 0, pool->element_size);
    return cn_pool_id_at(pool, index);
}

CnStatus cn_pool_remove(CnPool* pool, CnPoolId id) {
    if (cn_pool_get(pool, id) == NULL) {
        return CN_STALE;
    }
    int index = (int)(id.index - 1);
    CnPoolSlot* slot = &pool->slots.data[index];
    slot->generation += 1;
    pool->count -= 1;
    if (slot->generation != 0) { // else all generations are spent, and the slot retires
        slot->next_free = pool->first_free;
        pool->first_free = index;
    }
    return CN_OK;
}

void cn_pool_undo_add(CnPool* pool, CnPoolId id) {
    CN_ASSERT(cn_pool_get(pool, id) != NULL);
    int index = (int)(id.index - 1);
    CnPoolSlot* slot = &pool->slots.data[index];
    slot->generation -= 1;
    slot->next_free = pool->first_free;
    pool->first_free = index;
    pool->count -= 1;
}

void* cn_pool_get(const CnPool* pool, CnPoolId id) {
    if (id.index == 0 || id.index > (uint32_t)pool->slots.count) {
        return NULL;
    }
    int slot = (int)(id.index - 1);
    bool is_current = is_used(pool, slot) && pool->slots.data[slot].generation == id.generation;
    return is_current ? element_at(pool, slot) : NULL;
}

int cn_pool_slot_count(const CnPool* pool) {
    return pool->slots.count;
}

void* cn_pool_at(const CnPool* pool, int slot) {
    CN_ASSERT(slot >= 0 && slot < pool->slots.count);
    return is_used(pool, slot) ? element_at(pool, slot) : NULL;
}

CnPoolId cn_pool_id_at(const CnPool* pool, int slot) {
    CN_ASSERT(slot >= 0 && slot < pool->slots.count);
    if (!is_used(pool, slot)) {
        return (CnPoolId){0};
    }
    return (CnPoolId){.index = (uint32_t)slot + 1, .generation = pool->slots.data[slot].generation};
}
