// base.h - status, errors, memory, log and tasks: used by every other header.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
#define CN_EXTERN_C extern "C"
#else
#define CN_EXTERN_C
#endif
#define CN_API CN_EXTERN_C __attribute__((visibility("default")))

// Outcome of a call that can fail for a reason the caller can act on.
typedef enum CnStatus {
    CN_OK,
    CN_INVALID,     // an argument or file is wrong; the message says which
    CN_STALE,       // an id names something that was removed
    CN_NO_MEMORY,   // the allocator returned NULL, or a size limit was met; nothing was changed
    CN_UNSUPPORTED, // valid, but this solver, scheme or build cannot do it
} CnStatus;

// A sentence for the user. Every function that takes one accepts NULL.
typedef struct CnError {
    CnStatus status;
    char message[400]; // one sentence; names the file, line and field when there is one
} CnError;

// The source of memory. A zeroed allocator means cn_allocator_default().
typedef struct CnAllocator {
    void* (*allocate)(size_t size, size_t alignment, void* context);
    void (*release)(void* memory, void* context);
    void* context;
} CnAllocator;

// The allocator that a zeroed one stands for, to be called by one that counts or logs. Blocks of
// 2 MB and more are on large pages where the system has them.
CN_API CnAllocator cn_allocator_default(void);

typedef enum CnLogLevel { CN_LOG_INFO, CN_LOG_WARNING } CnLogLevel;

// The receiver of a world's messages. A zeroed log is silent; the library itself never prints.
typedef struct CnLog {
    void (*write)(CnLogLevel level, const char* sentence, void* context);
    void* context;
} CnLog;

// Work on [begin, end); worker is below worker_count and is never used by two calls at once.
typedef void CnRangeFunction(int begin, int end, int worker, void* data);

// Runs body over [0, count) in chunks of at least grain and returns when all are done. Results must
// not depend on how the range is cut: Cairn only passes work whose parts are independent. A zeroed
// CnTasks means that the calling thread does everything.
typedef struct CnTasks {
    void (*parallel_for)(int count, int grain, CnRangeFunction* body, void* data, void* context);
    int worker_count;
    void* context;
} CnTasks;

// A pool of worker threads for CnTasks. threads includes the caller, 1..256.
typedef struct CnTaskPool CnTaskPool;
CN_API CnTaskPool* cn_task_pool_create(int threads, CnError* error);
CN_API void cn_task_pool_destroy(CnTaskPool* pool); // NULL is fine
CN_API CnTasks cn_task_pool_tasks(CnTaskPool* pool);

// "0.2.0"; the numbers are those of the shared library in use.
CN_API const char* cn_version(void);

// "invalid", "stale", ...: a word for each status.
CN_API const char* cn_status_name(CnStatus status);

// The nearest of names [count], the first if several are equally near; NULL if none is near. Near
// means that at most a third of the letters (and always one) are inserted, deleted, replaced or
// swapped with a neighbour; case is ignored. For messages: "did you mean ...?"
CN_API const char* cn_nearest_name(const char* word, const char* const* names, int count);
