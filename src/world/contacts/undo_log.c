// undo_log.c - what was there before a step changed it: entries of any size, one after the other.
#include "world/contacts/undo_log.h"

#include "base/error.h"

#include <stddef.h>

#define CHUNK_BYTES ((size_t)64 * 1024)
#define UNIT sizeof(uint64_t)

// A log that holds less than this is not trimmed: there is nothing to win.
#define IDLE_BYTES ((size_t)1024 * 1024)

_Static_assert(CHUNK_BYTES / UNIT <= UINT16_MAX, "an entry can tell how far the one before it is");
_Static_assert(sizeof(CnUndoEntry) % UNIT == 0, "bytes of an entry are aligned");

struct CnUndoChunk {
    CnUndoChunk *next, *previous;
    CnUndoEntry* newest; // of this chunk; NULL: it has none
    size_t used;
    _Alignas(UNIT) unsigned char bytes[CHUNK_BYTES];
};

static CnUndoChunk* append_chunk(CnUndoLog* log, const CnAllocator* allocator) {
    CnUndoChunk* chunk = cn_allocate(allocator, 1, sizeof *chunk);
    CnUndoChunk *before = log->last, **end = before != NULL ? &before->next : &log->first;
    while (*end != NULL) {
        before = *end;
        end = &before->next;
    }
    if (chunk != NULL) {
        chunk->previous = before;
        *end = chunk;
        log->room += CHUNK_BYTES;
    }
    return chunk;
}

// What fits into chunks in any case: one is left when the largest entry might not fit, which is an
// eighth of it.
static size_t sure_room(size_t chunk_bytes) {
    return chunk_bytes / CHUNK_BYTES * (CHUNK_BYTES - CN_UNDO_MOST);
}

bool cn_undo_log_reserve(CnUndoLog* log, const CnAllocator* allocator, size_t bytes) {
    while (sure_room(log->room) < bytes) {
        if (append_chunk(log, allocator) == NULL) {
            return false;
        }
    }
    return true;
}

void* cn_undo_log_add(CnUndoLog* log, const CnAllocator* allocator, int kind, int index,
                      size_t size) {
    size_t bytes = (sizeof(CnUndoEntry) + size + UNIT - 1) / UNIT * UNIT;
    CnUndoChunk* chunk = log->last;
    CN_ASSERT(size <= CN_UNDO_MOST);
    if (chunk == NULL || chunk->used + bytes > CHUNK_BYTES) {
        chunk = chunk == NULL ? log->first : chunk->next;
        if (chunk == NULL && (chunk = append_chunk(log, allocator)) == NULL) {
            return NULL;
        }
        chunk->used = 0;
        chunk->newest = NULL;
        log->last = chunk;
        log->used += CHUNK_BYTES;
        log->recent = log->used > log->recent ? log->used : log->recent;
    }
    unsigned char* place = chunk->bytes + chunk->used;
    CnUndoEntry* entry = (CnUndoEntry*)(void*)place;
    ptrdiff_t back = chunk->newest != NULL ? place - (unsigned char*)chunk->newest : 0;
    entry->index = index;
    entry->kind = (uint16_t)kind;
    entry->back = (uint16_t)((size_t)back / UNIT);
    chunk->used += bytes;
    chunk->newest = log->newest = entry;
    return entry->bytes;
}

const CnUndoEntry* cn_undo_log_before(const CnUndoEntry* entry) {
    const unsigned char* place = (const unsigned char*)entry;
    if (entry->back > 0) {
        return (const CnUndoEntry*)(const void*)(place - entry->back * UNIT);
    }
    const void* chunk = place - offsetof(CnUndoChunk, bytes);
    const CnUndoChunk* previous = ((const CnUndoChunk*)chunk)->previous;
    return previous == NULL ? NULL : previous->newest;
}

void cn_undo_log_clear(CnUndoLog* log) {
    log->newest = NULL;
    log->last = NULL;
    log->used = 0;
}

static void release_from(CnUndoChunk* chunk, const CnAllocator* allocator) {
    while (chunk != NULL) {
        CnUndoChunk* next = chunk->next;
        cn_release(allocator, chunk);
        chunk = next;
    }
}

void cn_undo_log_trim(CnUndoLog* log, const CnAllocator* allocator, size_t least) {
    size_t kept = 0, wanted = log->recent > IDLE_BYTES ? log->recent : IDLE_BYTES;
    CnUndoChunk** end = &log->first;
    CN_ASSERT(log->newest == NULL);
    while (*end != NULL && (kept < wanted || sure_room(kept) < least)) {
        kept += CHUNK_BYTES;
        end = &(*end)->next;
    }
    release_from(*end, allocator);
    *end = NULL;
    log->room = kept;
    log->recent = 0;
}

void cn_undo_log_destroy(CnUndoLog* log, const CnAllocator* allocator) {
    release_from(log->first, allocator);
    *log = (CnUndoLog){0};
}
