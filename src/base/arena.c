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

// A loop that needs a second block in each round would else ask the allocator for it every time: of
// two blocks that are given back the larger one is kept.
static void pop_block(CnArena* arena) {
    CnArenaBlock* block = arena->block;
    CnArenaBlock* smaller = arena->spare;
    arena->block = block->previous;
    if (smaller == NULL || smaller->size < block->size) {
        arena->spare = block;
    } else {
        smaller = block;
    }
    cn_release(&arena->allocator, smaller);
}

static void drop_spare(CnArena* arena) {
    cn_release(&arena->allocator, arena->spare);
    arena->spare = NULL;
}

void cn_arena_destroy(CnArena* arena) {
    while (arena->block != NULL) {
        pop_block(arena);
    }
    drop_spare(arena);
    arena->used = 0;
}

static bool push_block(CnArena* arena, size_t size) {
    if (size > SIZE_MAX - sizeof(CnArenaBlock)) {
        return false;
    }
    CnArenaBlock* block = arena->spare;
    if (block != NULL && block->size >= size) {
        arena->spare = NULL;
    } else { // the new block takes the place of one that is too small
        drop_spare(arena);
        block = cn_allocate_raw(&arena->allocator, 1, sizeof(CnArenaBlock) + size);
        if (block == NULL) {
            return false;
        }
        block->size = size;
    }
    block->used = 0;
    block->previous = arena->block;
    arena->block = block;
    return true;
}

// A quarter as much again as there is keeps the number of blocks logarithmic in what is asked for;
// an arena that needs a little more than before does not take much more.
static bool make_room(CnArena* arena, size_t bytes) {
    const CnArenaBlock* block = arena->block;
    if (block != NULL && bytes <= block->size - block->used) {
        return true;
    }
    size_t size = FIRST_BLOCK_SIZE;
    if (arena->used / 4 > size) {
        size = arena->used / 4;
    }
    return push_block(arena, bytes > size ? bytes : size);
}

bool cn_arena_reserve(CnArena* arena, size_t bytes) {
    if (arena->used == 0 && arena->block != NULL && arena->block->size < bytes) {
        pop_block(arena); // the only one
        drop_spare(arena);
    }
    return make_room(arena, bytes);
}

void* cn_arena_allocate_raw(CnArena* arena, size_t count, size_t size) {
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
    if (arena->used > arena->recent) {
        arena->recent = arena->used;
        arena->peak = arena->used > arena->peak ? arena->used : arena->peak;
    }
    return memory;
}

void* cn_arena_allocate(CnArena* arena, size_t count, size_t size) {
    void* memory = cn_arena_allocate_raw(arena, count, size);
    return memory == NULL ? NULL : memset(memory, 0, count * size);
}

CnArenaMark cn_arena_mark(const CnArena* arena) {
    CnArenaMark mark = {.block = arena->block, .used = arena->used};
    if (arena->block != NULL) {
        mark.block_used = arena->block->used;
    }
    return mark;
}

// One block that holds the most ever needed at once, and a sixteenth more, takes the place of all:
// a need that grows by little is met for some time. When the allocator refuses, the arena is left
// without blocks and asks again at the next allocation.
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
    while (arena->block != NULL) {
        pop_block(arena);
    }
    drop_spare(arena);
    push_block(arena, arena->peak + arena->peak / 16);
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

void cn_arena_trim(CnArena* arena, bool all_of_it) {
    size_t needed = all_of_it ? 0 : arena->recent;
    size_t held = arena->block == NULL ? 0 : arena->block->size;
    CN_ASSERT(arena->used == 0);
    if (held >= CN_ARENA_IDLE && held / 4 > needed) {
        cn_arena_destroy(arena);
        arena->peak = needed;
        if (needed > 0) {
            push_block(arena, needed + needed / 16);
        }
    }
    arena->recent = 0;
}
