// event_file.h - the events of a run in a file: one JSON object per line.
#pragma once

#include "cairn/event.h"

typedef struct EventFile {
    const char* path; // NULL: events are not asked for, and every function does nothing
    int file;         // descriptor; -1: closed
    CnEvent* events;  // [capacity]
    int capacity;
} EventFile;

// Each is false with a sentence when the file cannot be written or memory runs out;
// event_file_close() is due in any case.
bool event_file_open(EventFile* events, const char* path, CnError* error);
// After every step. The file has whole lines at any time, however the program ends.
bool event_file_add(EventFile* events, const CnWorld* world, CnError* error);
bool event_file_close(EventFile* events, CnError* error);
