// arena.h - a stack allocator for scratch memory.
//
// An arena grows by blocks. When it is emptied after having needed several, they are replaced by
// one block that holds them all, so a loop that asks for the same memory every time stops asking
// the allocator after its first rounds.
#pragma once

#include "cairn/base.h"

typedef struct CnArenaBlock CnArenaBlock;

typedef struct CnArena {
    CnAllocator allocator;
    CnArenaBlock* block; // the newest; each knows the one before
    CnArenaBlock* spare; // the last one that was given back, for the next that is needed
    size_t used;         // bytes handed out now
    size_t peak;         // most bytes handed out at once, ever or since a trim gave some back
    size_t recent;       // the same since the last trim
} CnArena;

typedef struct CnArenaMark {
    CnArenaBlock* block;
    size_t block_used, used;
} CnArenaMark;

// A zeroed or NULL allocator means malloc and free.
void cn_arena_init(CnArena* arena, const CnAllocator* allocator);
void cn_arena_destroy(CnArena* arena);

// Zeroed memory for count things of the given size, aligned to CN_ALIGNMENT. NULL when the
// allocator fails or count * size overflows. count 0 gives a valid pointer to nothing.
void* cn_arena_allocate(CnArena* arena, size_t count, size_t size);
#define CN_ARENA_NEW(arena, type, count)                                                           \
    ((type*)cn_arena_allocate((arena), (size_t)(count), sizeof(type)))

// The same, but what is in the memory is undefined: for large arrays that are written at once.
void* cn_arena_allocate_raw(CnArena* arena, size_t count, size_t size);
#define CN_ARENA_RAW(arena, type, count)                                                           \
    ((type*)cn_arena_allocate_raw((arena), (size_t)(count), sizeof(type)))

// Room in one block for so many bytes [bytes] that are about to be asked for. An empty arena gives
// a block that is too small back first: the two are never held at once.
bool cn_arena_reserve(CnArena* arena, size_t bytes);

// Take a mark, use the arena, release to the mark in the same function.
CnArenaMark cn_arena_mark(const CnArena* arena);
void cn_arena_release(CnArena* arena, CnArenaMark mark);

// Of an empty arena, now and then: memory that was not needed since the last trim goes back, if the
// arena holds CN_ARENA_IDLE bytes or more, and more than four times as much as was needed. With
// all_of_it what was needed does not count: the next rounds will need much less.
void cn_arena_trim(CnArena* arena, bool all_of_it);
#define CN_ARENA_IDLE ((size_t)1024 * 1024)
