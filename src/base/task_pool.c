// task_pool.c - a pool of worker threads that can stand behind CnTasks.
//
// The thread that calls parallel_for is worker 0 for as long as the call lasts; the pool's own
// threads are workers 1 and up for life. All sleep until a job is open, then take its chunks until
// none is left. The caller closes the job and waits only for workers that joined, so a thread that
// wakes too late costs nothing.
//
// Every worker has its share of the chunks, in the order of workers, and takes them from its first
// on; once it has none left it takes those of others, from their last on. So loops over the same
// things give the same worker the same part of them, which is in its cache.
//
// To put a thread to sleep and to wake it takes 5 to 50 us, as long as many a job. So a worker
// that has finished looks out for the next job for a while before it sleeps, and the caller does
// the same for workers that have not finished. Between two looks it offers its processor to other
// threads: on a busy machine they take it, and whoever waited goes to sleep at once.
#include "base/error.h"
#include "base/memory.h"
#include "base/signals.h"
#include "base/timer.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

#define MAX_THREADS 256
#define NOT_A_WORKER (-1)

// How long a thread looks out before it sleeps [s]: longer than most serial parts of a step.
#define LOOKOUT 2e-4

// An offer of the processor that is not taken returns within a microsecond; one that lasts longer
// [s] was taken, and the machine has no processor to spare.
#define OFFER_TAKEN 5e-6

typedef struct Worker {
    CnTaskPool* pool;
    pthread_t thread;
    int id;
} Worker;

// [0, count) in chunks of grain; the last one takes the remainder, so none is below grain.
typedef struct PoolJob {
    CnRangeFunction* body;
    void* data;
    int count, grain;
    int64_t chunk_count;
} PoolJob;

// The chunks of a worker that are still to be done: from its low half up to its high half.
typedef struct Share {
    _Atomic(uint64_t) range;
    char apart[56]; // each in a cache line of its own
} Share;

struct CnTaskPool {
    pthread_mutex_t mutex;        // guards what follows up to the job
    pthread_cond_t job_open;      // workers wait here for work, or for the end
    pthread_cond_t job_left;      // the caller waits here for the workers that joined
    pthread_cond_t pool_free;     // other callers wait here for the pool
    bool is_busy;                 // a caller has the pool
    bool is_open;                 // workers may join the job
    bool is_ending;               // the pool is being destroyed
    pthread_t caller;             // valid while busy
    bool looks_out;               // there is a processor for every thread of the pool
    _Atomic(uint64_t) job_number; // tells a worker whether it has seen the job
    _Atomic(int) joined;          // workers inside the job

    PoolJob job;                 // written while no worker is inside
    Share shares[MAX_THREADS];   // of workers 0..thread_count
    int thread_count;            // pool threads started; workers 1..thread_count
    Worker workers[MAX_THREADS]; // place 0 is not used: the caller brings its own thread
};

static uint64_t range_of(uint32_t begin, uint32_t end) {
    return (uint64_t)end << 32 | begin;
}

// The first chunk of a share, or its last; -1: it has none.
static int64_t take_chunk(Share* share, bool first) {
    uint64_t range = atomic_load(&share->range), left;
    uint32_t begin, end;
    do {
        begin = (uint32_t)range;
        end = (uint32_t)(range >> 32);
        if (begin >= end) {
            return -1;
        }
        left = first ? range_of(begin + 1, end) : range_of(begin, end - 1);
    } while (!atomic_compare_exchange_weak(&share->range, &range, left));
    return first ? begin : end - 1;
}

static void run_chunk(const PoolJob* job, int64_t chunk, int worker) {
    int begin = (int)(chunk * job->grain);
    int end = chunk + 1 == job->chunk_count ? job->count : begin + job->grain;
    job->body(begin, end, worker, job->data);
}

static void take_chunks(CnTaskPool* pool, int worker) {
    int shares = pool->thread_count + 1;
    for (int i = 0; i < shares; ++i) {
        Share* share = &pool->shares[(worker + i) % shares];
        for (int64_t chunk; (chunk = take_chunk(share, i == 0)) >= 0;) {
            run_chunk(&pool->job, chunk, worker);
        }
    }
}

// Offers the processor to other threads. False: it was taken, or the time to look out is over.
static bool look_on(double start) {
    double before = cn_timer_now();
    sched_yield();
    double now = cn_timer_now();
    return now - before <= OFFER_TAKEN && now - start <= LOOKOUT;
}

// Until there is another job than the one seen, or it is time to sleep.
static void look_out_for_job(const CnTaskPool* pool, uint64_t seen) {
    double start = cn_timer_now();
    while (pool->looks_out && atomic_load(&pool->job_number) == seen && look_on(start)) {
    }
}

// Until all workers have left the job, or it is time to sleep.
static void look_out_for_end(const CnTaskPool* pool) {
    double start = cn_timer_now();
    while (pool->looks_out && atomic_load(&pool->joined) > 0 && look_on(start)) {
    }
}

static void* worker_main(void* argument) {
    const Worker* worker = argument;
    CnTaskPool* pool = worker->pool;
    uint64_t seen = 0;

    pthread_mutex_lock(&pool->mutex);
    while (!pool->is_ending) {
        if (!pool->is_open || pool->job_number == seen) {
            pthread_cond_wait(&pool->job_open, &pool->mutex);
            continue;
        }
        seen = pool->job_number;
        pool->joined += 1;
        pthread_mutex_unlock(&pool->mutex);
        take_chunks(pool, worker->id);
        pthread_mutex_lock(&pool->mutex);
        pool->joined -= 1;
        if (pool->joined == 0) {
            pthread_cond_signal(&pool->job_left);
        }
        pthread_mutex_unlock(&pool->mutex);
        look_out_for_job(pool, seen);
        pthread_mutex_lock(&pool->mutex);
    }
    pthread_mutex_unlock(&pool->mutex);
    return NULL;
}

// The worker the calling thread already is, when a body of this pool is running on it. Called
// with the mutex held.
static int current_worker(const CnTaskPool* pool) {
    pthread_t self = pthread_self();
    if (pool->is_busy && pthread_equal(self, pool->caller)) {
        return 0;
    }
    for (int id = 1; id <= pool->thread_count; ++id) {
        if (pthread_equal(self, pool->workers[id].thread)) {
            return id;
        }
    }
    return NOT_A_WORKER;
}

// The calling thread becomes worker 0, once no other thread is. Called with the mutex held.
static void take_pool(CnTaskPool* pool) {
    while (pool->is_busy) {
        pthread_cond_wait(&pool->pool_free, &pool->mutex);
    }
    pool->is_busy = true;
    pool->caller = pthread_self();
}

static void open_job(CnTaskPool* pool, const PoolJob* job) {
    pool->job = *job;
    int shares = pool->thread_count + 1;
    for (int i = 0; i < shares; ++i) {
        atomic_store(&pool->shares[i].range,
                     range_of((uint32_t)(job->chunk_count * i / shares),
                              (uint32_t)(job->chunk_count * (i + 1) / shares)));
    }
    pool->job_number += 1;
    pool->is_open = job->chunk_count > 1; // a single chunk needs no other worker
    if (pool->is_open) {
        pthread_cond_broadcast(&pool->job_open);
    }
}

static void close_job(CnTaskPool* pool) {
    pool->is_open = false;
    while (pool->joined > 0) {
        pthread_cond_wait(&pool->job_left, &pool->mutex);
    }
    pool->is_busy = false;
    pthread_cond_signal(&pool->pool_free);
}

static void parallel_for(int count, int grain, CnRangeFunction* body, void* data, void* context) {
    CnTaskPool* pool = context;
    if (count <= 0) {
        return;
    }
    PoolJob job = {.body = body, .data = data, .count = count, .grain = grain > 1 ? grain : 1};
    job.chunk_count = count > job.grain ? count / job.grain : 1;

    pthread_mutex_lock(&pool->mutex);
    int worker = current_worker(pool);
    if (worker != NOT_A_WORKER) { // nested: the others are busy with the outer job
        pthread_mutex_unlock(&pool->mutex);
        body(0, count, worker, data);
        return;
    }
    take_pool(pool);
    open_job(pool, &job);
    pthread_mutex_unlock(&pool->mutex);

    take_chunks(pool, 0);
    look_out_for_end(pool);

    pthread_mutex_lock(&pool->mutex);
    close_job(pool);
    pthread_mutex_unlock(&pool->mutex);
}

static bool init_locks(CnTaskPool* pool) {
    if (pthread_mutex_init(&pool->mutex, NULL) != 0) {
        return false;
    }
    pthread_cond_t* conditions[] = {&pool->job_open, &pool->job_left, &pool->pool_free};
    for (int i = 0; i < 3; ++i) {
        if (pthread_cond_init(conditions[i], NULL) != 0) {
            while (i-- > 0) {
                pthread_cond_destroy(conditions[i]);
            }
            pthread_mutex_destroy(&pool->mutex);
            return false;
        }
    }
    return true;
}

// The mutex is held meanwhile, so that no worker looks for itself in a list still being written.
// Threads inherit what is blocked: signals are for the threads of the program.
static int start_workers(CnTaskPool* pool, int wanted) {
    int failure = 0;
    sigset_t before;
    cn_signals_block(&before);
    pthread_mutex_lock(&pool->mutex);
    while (pool->thread_count < wanted && failure == 0) {
        int id = pool->thread_count + 1;
        Worker* worker = &pool->workers[id];
        *worker = (Worker){.pool = pool, .id = id};
        failure = pthread_create(&worker->thread, NULL, worker_main, worker);
        if (failure == 0) {
            pool->thread_count = id;
        }
    }
    pthread_mutex_unlock(&pool->mutex);
    cn_signals_restore(&before);
    return failure;
}

CnTaskPool* cn_task_pool_create(int threads, CnError* error) {
    if (threads < 1 || threads > MAX_THREADS) {
        cn_error_set(error, CN_INVALID, "a task pool of %d threads was asked for; 1 to %d work",
                     threads, MAX_THREADS);
        return NULL;
    }
    CnTaskPool* pool = cn_allocate(NULL, 1, sizeof *pool);
    if (pool == NULL || !init_locks(pool)) {
        cn_release(NULL, pool);
        cn_error_set(error, CN_NO_MEMORY, "no memory for a task pool of %d threads", threads);
        return NULL;
    }
    pool->looks_out = sysconf(_SC_NPROCESSORS_ONLN) >= threads;
    int failure = start_workers(pool, threads - 1);
    if (failure != 0) {
        cn_error_set(error, CN_NO_MEMORY, "thread %d of %d could not be started: %s",
                     pool->thread_count + 2, threads, strerror(failure));
        cn_task_pool_destroy(pool);
        return NULL;
    }
    return pool;
}

void cn_task_pool_destroy(CnTaskPool* pool) {
    if (pool == NULL) {
        return;
    }
    pthread_mutex_lock(&pool->mutex);
    CN_ASSERT(!pool->is_busy);
    pool->is_ending = true;
    pthread_cond_broadcast(&pool->job_open);
    pthread_mutex_unlock(&pool->mutex);

    for (int id = 1; id <= pool->thread_count; ++id) {
        pthread_join(pool->workers[id].thread, NULL);
    }
    pthread_cond_destroy(&pool->job_open);
    pthread_cond_destroy(&pool->job_left);
    pthread_cond_destroy(&pool->pool_free);
    pthread_mutex_destroy(&pool->mutex);
    cn_release(NULL, pool);
}

CnTasks cn_task_pool_tasks(CnTaskPool* pool) {
    return (CnTasks){
        .parallel_for = parallel_for, .worker_count = pool->thread_count + 1, .context = pool};
}
