// task_pool.c - a pool of worker threads that can stand behind CnTasks.
//
// The thread that calls parallel_for is worker 0 for as long as the call lasts; the pool's own
// threads are workers 1 and up for life. All wait until a job is open, then take its chunks until
// none is left. The caller closes the job and waits only for workers that joined, so a thread that
// comes too late costs nothing.
//
// Every worker has its share of the chunks, in the order of workers, and takes them from its first
// on; once it has none left it takes those of others, from their last on. So loops over the same
// things give the same worker the same part of them, which is in its cache.
//
// Jobs are opened, joined, left and closed by atomic changes of one word, `state`. The mutex and
// its conditions are for threads that sleep: to wake one takes 5 to 50 us, as long as many a job.
// So a worker that has finished looks out for the next job for a while before it sleeps, and the
// caller does the same for workers that have not finished. Between looks a thread offers its
// processor to others. A worker whose offer is taken rests for some milliseconds and is not woken:
// on a busy machine the caller works alone, as fast as without a pool.
#include "base/error.h"
#include "base/memory.h"
#include "base/signals.h"
#include "base/timer.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define MAX_THREADS 256
#define NOT_A_WORKER (-1)

// How long a thread looks out before it sleeps [s]: longer than most serial parts of a step.
#define LOOKOUT 2e-4

// Looks, with a pause of some 50 ns each, before the clock is read and the processor offered.
#define LOOKS_PER_OFFER 16

// How long the caller waits for others before it offers its processor [s]: as long as a chunk.
#define CALLER_KEEPS 2e-5

// An offer that is not taken returns within a microsecond, after an interrupt within some ten. One
// that lasts longer [s] was taken by a thread that computes.
#define OFFER_TAKEN 1e-4

// How long a worker rests whose offer was taken [ns].
#define REST 2000000L

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
    _Alignas(64) _Atomic(uint64_t) range; // each in a cache line of its own
} Share;

// Bits of the pool's state: how many workers are inside the job, whether others may join it, and
// from the bit NUMBER up its number, which tells a worker whether it has seen the job.
#define INSIDE ((uint64_t)0xffff)
#define OPEN ((uint64_t)1 << 16)
#define NUMBER ((uint64_t)1 << 17)

struct CnTaskPool {
    _Alignas(64) _Atomic(uint64_t) state;
    _Alignas(64) PoolJob job;    // written while no worker is inside
    int thread_count;            // pool threads started; workers 1..thread_count
    bool looks_out;              // there is a processor for every thread of the pool
    Share shares[MAX_THREADS];   // of workers 0..thread_count
    Worker workers[MAX_THREADS]; // place 0 is not used: the caller brings its own thread

    pthread_mutex_t turn;    // held by the caller whose job it is
    pthread_mutex_t mutex;   // held to fall asleep, and to wake those who sleep
    pthread_cond_t job_open; // workers sleep here until there is a job, or the end
    pthread_cond_t job_left; // the caller sleeps here until the workers that joined have left
    _Atomic(int) sleeping;   // workers that sleep
    _Atomic(bool) caller_sleeps;
    _Atomic(bool) is_ending; // the pool is being destroyed
};

// What the running thread is to pools: a chain, as a body of one pool may call another.
typedef struct Role {
    const CnTaskPool* pool;
    int worker;
    const struct Role* outer;
} Role;

static _Thread_local const Role* innermost_role;

// The worker the calling thread already is, when a body of this pool is running on it.
static int current_worker(const CnTaskPool* pool) {
    for (const Role* role = innermost_role; role != NULL; role = role->outer) {
        if (role->pool == pool) {
            return role->worker;
        }
    }
    return NOT_A_WORKER;
}

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

static void pause_shortly(void) {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

typedef struct Lookout {
    double start; // [s]
    double keeps; // offers the processor after that long [s]
    int looks;
    bool is_taken; // the last offer was
} Lookout;

// Lets a moment pass. False: the offer of the processor was taken, or it is time to sleep.
static bool look_on(Lookout* lookout) {
    lookout->looks += 1;
    if (lookout->looks % LOOKS_PER_OFFER != 0) {
        pause_shortly();
        return true;
    }
    double now = cn_timer_now();
    if (now - lookout->start > lookout->keeps) {
        sched_yield();
        double after = cn_timer_now();
        lookout->is_taken = after - now > OFFER_TAKEN;
        now = after;
    }
    return !lookout->is_taken && now - lookout->start <= LOOKOUT;
}

static uint64_t job_number(const CnTaskPool* pool) {
    return atomic_load(&pool->state) / NUMBER;
}

static void sleep_until_job(CnTaskPool* pool, uint64_t seen) {
    pthread_mutex_lock(&pool->mutex);
    atomic_fetch_add(&pool->sleeping, 1);
    while (job_number(pool) == seen) {
        pthread_cond_wait(&pool->job_open, &pool->mutex);
    }
    atomic_fetch_sub(&pool->sleeping, 1);
    pthread_mutex_unlock(&pool->mutex);
}

// Returns the number of another job than the one seen; it may be over.
static uint64_t wait_for_job(CnTaskPool* pool, uint64_t seen) {
    Lookout lookout = {.start = cn_timer_now()};
    while (pool->looks_out && job_number(pool) == seen && look_on(&lookout)) {
    }
    if (lookout.is_taken) {
        nanosleep(&(struct timespec){0, REST}, NULL);
    }
    if (job_number(pool) == seen) {
        sleep_until_job(pool, seen);
    }
    return job_number(pool);
}

static bool join_job(CnTaskPool* pool, uint64_t number) {
    uint64_t state = atomic_load(&pool->state);
    while (state / NUMBER == number && (state & OPEN) != 0) {
        if (atomic_compare_exchange_weak(&pool->state, &state, state + 1)) {
            return true;
        }
    }
    return false;
}

static void leave_job(CnTaskPool* pool) {
    uint64_t before = atomic_fetch_sub(&pool->state, 1);
    if ((before & INSIDE) == 1 && atomic_load(&pool->caller_sleeps)) {
        pthread_mutex_lock(&pool->mutex);
        pthread_cond_signal(&pool->job_left);
        pthread_mutex_unlock(&pool->mutex);
    }
}

static void* worker_main(void* argument) {
    const Worker* worker = argument;
    CnTaskPool* pool = worker->pool;
    innermost_role = &(Role){.pool = pool, .worker = worker->id};
    for (uint64_t seen = 0; !atomic_load(&pool->is_ending);) {
        seen = wait_for_job(pool, seen);
        if (join_job(pool, seen)) {
            take_chunks(pool, worker->id);
            leave_job(pool);
        }
    }
    return NULL;
}

// Another number, for workers to see.
static void announce(CnTaskPool* pool, uint64_t state) {
    atomic_store(&pool->state, state);
    if (atomic_load(&pool->sleeping) > 0) {
        pthread_mutex_lock(&pool->mutex);
        pthread_cond_broadcast(&pool->job_open);
        pthread_mutex_unlock(&pool->mutex);
    }
}

static void open_job(CnTaskPool* pool, const PoolJob* job) {
    pool->job = *job;
    int shares = pool->thread_count + 1;
    for (int i = 0; i < shares; ++i) {
        atomic_store(&pool->shares[i].range,
                     range_of((uint32_t)(job->chunk_count * i / shares),
                              (uint32_t)(job->chunk_count * (i + 1) / shares)));
    }
    announce(pool, (job_number(pool) + 1) * NUMBER + OPEN);
}

static bool is_inside(const CnTaskPool* pool) {
    return (atomic_load(&pool->state) & INSIDE) != 0;
}

static void close_job(CnTaskPool* pool) {
    atomic_fetch_and(&pool->state, ~OPEN);
    Lookout lookout = {.start = cn_timer_now(), .keeps = CALLER_KEEPS};
    while (pool->looks_out && is_inside(pool) && look_on(&lookout)) {
    }
    if (is_inside(pool)) {
        pthread_mutex_lock(&pool->mutex);
        atomic_store(&pool->caller_sleeps, true);
        while (is_inside(pool)) {
            pthread_cond_wait(&pool->job_left, &pool->mutex);
        }
        atomic_store(&pool->caller_sleeps, false);
        pthread_mutex_unlock(&pool->mutex);
    }
}

static void parallel_for(int count, int grain, CnRangeFunction* body, void* data, void* context) {
    CnTaskPool* pool = context;
    if (count <= 0) {
        return;
    }
    int worker = current_worker(pool);
    if (worker != NOT_A_WORKER) { // nested: the others are busy with the outer job
        body(0, count, worker, data);
        return;
    }
    PoolJob job = {.body = body, .data = data, .count = count, .grain = grain > 1 ? grain : 1};
    job.chunk_count = count > job.grain ? count / job.grain : 1;

    pthread_mutex_lock(&pool->turn);
    Role role = {.pool = pool, .worker = 0, .outer = innermost_role};
    innermost_role = &role;
    if (job.chunk_count == 1) { // needs no other worker
        body(0, count, 0, data);
    } else {
        open_job(pool, &job);
        take_chunks(pool, 0);
        close_job(pool);
    }
    innermost_role = role.outer;
    pthread_mutex_unlock(&pool->turn);
}

static void destroy_locks(CnTaskPool* pool) {
    pthread_cond_destroy(&pool->job_open);
    pthread_cond_destroy(&pool->job_left);
    pthread_mutex_destroy(&pool->mutex);
    pthread_mutex_destroy(&pool->turn);
}

static bool init_locks(CnTaskPool* pool) {
    int failures = pthread_mutex_init(&pool->turn, NULL) != 0;
    failures += pthread_mutex_init(&pool->mutex, NULL) != 0;
    failures += pthread_cond_init(&pool->job_open, NULL) != 0;
    failures += pthread_cond_init(&pool->job_left, NULL) != 0;
    return failures == 0;
}

// Threads inherit what is blocked: signals are for the threads of the program.
static int start_workers(CnTaskPool* pool, int wanted) {
    int failure = 0;
    sigset_t before;
    cn_signals_block(&before);
    while (pool->thread_count < wanted && failure == 0) {
        int id = pool->thread_count + 1;
        Worker* worker = &pool->workers[id];
        *worker = (Worker){.pool = pool, .id = id};
        failure = pthread_create(&worker->thread, NULL, worker_main, worker);
        if (failure == 0) {
            pool->thread_count = id;
        }
    }
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
    CN_ASSERT((atomic_load(&pool->state) & (OPEN | INSIDE)) == 0);
    atomic_store(&pool->is_ending, true);
    announce(pool, (job_number(pool) + 1) * NUMBER); // not open: nobody joins

    for (int id = 1; id <= pool->thread_count; ++id) {
        pthread_join(pool->workers[id].thread, NULL);
    }
    destroy_locks(pool);
    cn_release(NULL, pool);
}

CnTasks cn_task_pool_tasks(CnTaskPool* pool) {
    return (CnTasks){
        .parallel_for = parallel_for, .worker_count = pool->thread_count + 1, .context = pool};
}
