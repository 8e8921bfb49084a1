// undo_log.c - what was there before a step changed it: entries of any size, one after the other.
#include "world/contacts/undo_log.h"

#include "base/error.h"

#define CHUNK_BYTES ((size_t)64 * 1024)

struct CnUndoChunk {
    CnUndoChunk* next;
    size_t used;
    _Alignas(16) unsigned char bytes[CHUNK_BYTES];
};

static CnUndoChunk* append_chunk(CnUndoLog* log, const CnAllocator* allocator) {
    CnUndoChunk* chunk = cn_allocate(allocator, 1, sizeof *chunk);
    CnUndoChunk** end = log->last != NULL ? &log->last->next : &log->first;
    while (*end != NULL) {
        end = &(*end)->next;
    }
    if (chunk != NULL) {
        *end = chunk;
        log->room += CHUNK_BYTES;
    }
    return chunk;
}

// A chunk is left when the largest entry might not fit: that is an eighth of it.
bool cn_undo_log_reserve(CnUndoLog* log, const CnAllocator* allocator, size_t bytes) {
    while (log->room / CHUNK_BYTES * (CHUNK_BYTES - CN_UNDO_MOST) < bytes) {
        if (append_chunk(log, allocator) == NULL) {
            return false;
        }
    }
    return true;
}

void* cn_undo_log_add(CnUndoLog* log, const CnAllocator* allocator, int kind, int index,
                      size_t size) {
    size_t bytes = (sizeof(CnUndoEntry) + size + 15) / 16 * 16;
    CnUndoChunk* chunk = log->last;
    CN_ASSERT(size <= CN_UNDO_MOST);
    if (chunk == NULL || chunk->used + bytes > CHUNK_BYTES) {
        chunk = chunk == NULL ? log->first : chunk->next;
        if (chunk == NULL && (chunk = append_chunk(log, allocator)) == NULL) {
            return NULL;
        }
        chunk->used = 0;
        log->last = chunk;
    }
    CnUndoEntry* entry = (CnUndoEntry*)(void*)(chunk->bytes + chunk->used);
    chunk->used += bytes;
    entry->previous = log->newest;
    entry->kind = kind;
    entry->index = index;
    log->newest = entry;
    return entry->bytes;
}

void cn_undo_log_clear(CnUndoLog* log) {
    log->newest = NULL;
    log->last = NULL;
}

void cn_undo_log_destroy(CnUndoLog* log, const CnAllocator* allocator) {
    for (CnUndoChunk* chunk = log->first; chunk != NULL;) {
        CnUndoChunk* next = chunk->next;
        cn_release(allocator, chunk);
        chunk = next;
    }
    *log = (CnUndoLog){0};
}
