// undo_log.h - what was there before a step changed it: entries of any size, one after the other.
//
// Entries lie in chunks that stay from step to step, so that a step asks for memory only if it
// changes more than those before it; cn_undo_log_trim() gives back what is no longer needed.
#pragma once

#include "base/memory.h"

typedef struct CnUndoEntry {
    int index;     // of the caller
    uint16_t kind; // of the caller
    uint16_t back; // to the entry before it in its chunk, in units of 8 bytes; 0: it is the first
    unsigned char bytes[];
} CnUndoEntry;

typedef struct CnUndoChunk CnUndoChunk;

typedef struct CnUndoLog {
    CnUndoEntry* newest;       // NULL: none
    CnUndoChunk *first, *last; // the last one that has entries; others wait behind it
    size_t room;               // of all chunks [byte]
    size_t used, recent; // of chunks with entries: now, and at most since the last trim [byte]
} CnUndoLog;

// The bytes of a new entry, at most CN_UNDO_MOST, aligned to 8. NULL: no memory.
void* cn_undo_log_add(CnUndoLog* log, const CnAllocator* allocator, int kind, int index,
                      size_t size);
#define CN_UNDO_MOST 8192

// The entry that was added before another one. NULL: that is the first of the step.
const CnUndoEntry* cn_undo_log_before(const CnUndoEntry* entry);

// Room for so many bytes, those of entries and their heads. False: no memory.
bool cn_undo_log_reserve(CnUndoLog* log, const CnAllocator* allocator, size_t bytes);

void cn_undo_log_clear(CnUndoLog* log); // its memory stays

// Of an empty log: gives chunks back that no step has needed since the last trim, but for 1 MiB.
// Room for `least` bytes stays, as cn_undo_log_reserve() counts them.
void cn_undo_log_trim(CnUndoLog* log, const CnAllocator* allocator, size_t least);
void cn_undo_log_destroy(CnUndoLog* log, const CnAllocator* allocator);
