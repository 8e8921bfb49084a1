// error_list.h - the errors and warnings about a file, sorted by line.
//
// A loader reports an error and continues, so that the user sees all mistakes at once. Callers that
// want one sentence take the first.
#pragma once

#include "cairn/scene.h"

typedef struct CnErrorList {
    const char* label;     // names the file in messages
    CnSceneProblem* items; // sorted by line, errors before warnings   [min(count, capacity)]
    int count, capacity;   // problems found; room for so many
    int error_count;       // the rest are warnings
    CnStatus status;       // CN_OK without errors; CN_NO_MEMORY outranks CN_INVALID
    CnSceneProblem first;  // the error with the lowest line
} CnErrorList;

// items may be NULL when capacity is 0.
void cn_error_list_init(CnErrorList* errors, const char* label, CnSceneProblem* items,
                        int capacity);

// line 0: no particular line; path "": the file as a whole. Returns false, for the caller to pass
// on.
__attribute__((format(printf, 5, 6))) bool cn_report_error(CnErrorList* errors, CnStatus status,
                                                           int line, const char* path,
                                                           const char* format, ...);
__attribute__((format(printf, 4, 5))) void
cn_report_warning(CnErrorList* errors, int line, const char* path, const char* format, ...);
bool cn_report_no_memory(CnErrorList* errors);

// The first error as "scene.json:12: bodies[2].mass: mass is -1 kg; it must be positive".
CnStatus cn_error_list_first(const CnErrorList* errors, CnError* error);
