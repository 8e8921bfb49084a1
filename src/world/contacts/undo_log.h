// undo_log.h - what was there before a step changed it: entries of any size, one after the other.
//
// Entries lie in chunks that stay from step to step, so that a log takes no more memory than the
// step that changed most has needed, and a step asks for memory only if it changes more.
#pragma once

#include "base/memory.h"

typedef struct CnUndoEntry {
    struct CnUndoEntry* previous; // NULL: the first of the step
    int kind, index;              // of the caller
    _Alignas(16) unsigned char bytes[];
} CnUndoEntry;

typedef struct CnUndoChunk CnUndoChunk;

typedef struct CnUndoLog {
    CnUndoEntry* newest;
    CnUndoChunk *first, *last; // the last one that has entries; others wait behind it
    size_t room;               // of all chunks [byte]
} CnUndoLog;

// The bytes of a new entry, at most CN_UNDO_MOST. NULL: no memory.
void* cn_undo_log_add(CnUndoLog* log, const CnAllocator* allocator, int kind, int index,
                      size_t size);
#define CN_UNDO_MOST 8192

// Room for so many bytes, those of entries and their heads. False: no memory.
bool cn_undo_log_reserve(CnUndoLog* log, const CnAllocator* allocator, size_t bytes);

void cn_undo_log_clear(CnUndoLog* log); // its memory stays
void cn_undo_log_destroy(CnUndoLog* log, const CnAllocator* allocator);
