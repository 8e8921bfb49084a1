// arena.c - a stack allocator for scratch memory.
#include "base/arena.h"

#include "base/error.h"
#include "base/memory.h"

#include <string.h>

// The first block [bytes]: a small world's step fits, and an idle arena costs little.
#define FIRST_BLOCK_SIZE ((size_t)64 * 1024)

struct CnArenaBlock {
    CnArenaBlock* previous;
    size_t size;                                  // bytes that can be handed out
    size_t used;                                  // bytes handed out
    _Alignas(CN_ALIGNMENT) unsigned char bytes[]; // [size]
};

void cn_arena_init(CnArena* arena, const CnAllocator* allocator) {
    *arena = (CnArena){0};
    if (allocator != NULL) {
        arena->allocator = *allocator;
    }
}

static void pop_block(CnArena* arena) {
    CnArenaBlock* block = arena->block;
    arena->block = block->previous;
    cn_release(&arena->allocator, block);
}

void cn_arena_destroy(CnArena* arena) {
    while (arena->block != NULL) {
        pop_block(arena);
    }
    arena->used = 0;
}

static bool push_block(CnArena* arena, size_t size) {
    if (size > SIZE_MAX - sizeof(CnArenaBlock)) {
        return false;
    }
    CnArenaBlock* block = cn_allocate(&arena->allocator, 1, sizeof(CnArenaBlock) + size);
    if (block == NULL) {
        return false;
    }
    block->previous = arena->block;
    block->size = size;
    arena->block = block;
    return true;
}

// Doubling keeps the number of blocks logarithmic in what is asked for.
static bool make_room(CnArena* arena, size_t bytes) {
    const CnArenaBlock* block = arena->block;
    if (block != NULL && bytes <= block->size - block->used) {
        return true;
    }
    size_t size = FIRST_BLOCK_SIZE;
    if (block != NULL && block->size <= SIZE_MAX / 4) {
        size = 2 * block->size;
    }
    return push_block(arena, bytes > size ? bytes : size);
}

void* cn_arena_allocate(CnArena* arena, size_t count, size_t size) {
    if (size != 0 && count > (SIZE_MAX - CN_ALIGNMENT) / size) {
        return NULL;
    }
    size_t bytes = (count * size + CN_ALIGNMENT - 1) / CN_ALIGNMENT * CN_ALIGNMENT;
    if (!make_room(arena, bytes)) {
        return NULL;
    }
    CnArenaBlock* block = arena->block;
    void* memory = block->bytes + block->used;
    block->used += bytes;
    arena->used += bytes;
    if (arena->used > arena->peak) {
        arena->peak = arena->used;
    }
    return memset(memory, 0, bytes);
}

CnArenaMark cn_arena_mark(const CnArena* arena) {
    CnArenaMark mark = {.block = arena->block, .used = arena->used};
    if (arena->block != NULL) {
        mark.block_used = arena->block->used;
    }
    return mark;
}

// One block that holds the most ever needed at once takes the place of all. When the allocator
// refuses, the arena is left without blocks and asks again at the next allocation.
static void empty(CnArena* arena) {
    CnArenaBlock* block = arena->block;
    arena->used = 0;
    if (block == NULL) {
        return;
    }
    if (block->previous == NULL && block->size >= arena->peak) {
        block->used = 0;
        return;
    }
    size_t total = 0;
    while (arena->block != NULL) {
        total += arena->block->size;
        pop_block(arena);
    }
    push_block(arena, total > arena->peak ? total : arena->peak);
}

// An emptied arena may have new blocks since the mark was taken, so a mark of the empty arena
// is known by its count alone and its block is never looked at.
void cn_arena_release(CnArena* arena, CnArenaMark mark) {
    CN_ASSERT(mark.used <= arena->used);
    if (mark.used == 0) {
        empty(arena);
        return;
    }
    while (arena->block != mark.block) {
        pop_block(arena);
    }
    arena->block->used = mark.block_used;
    arena->used = mark.used;
}
