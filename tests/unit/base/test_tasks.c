// test_tasks.c - ranges are covered exactly once, by any number of threads.
#include "base/tasks.h"
#include "support/test.h"

#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/resource.h>

enum { MAX_COUNT = 5000, MAX_WORKERS = 256 };

typedef struct Coverage {
    int count, grain, worker_count;
    atomic_int visits[MAX_COUNT];
    atomic_int inside[MAX_WORKERS]; // calls running under this worker id
    atomic_int faults;              // ids out of range or used twice at once, chunks cut wrongly
} Coverage;

static void cover(int begin, int end, int worker, void* data) {
    Coverage* coverage = data;
    bool is_right_range = 0 <= begin && begin < end && end <= coverage->count;
    bool is_long_enough = end - begin >= coverage->grain || end - begin == coverage->count;
    if (!is_right_range || !is_long_enough || worker < 0 || worker >= coverage->worker_count) {
        atomic_fetch_add(&coverage->faults, 1);
        return;
    }
    if (atomic_fetch_add(&coverage->inside[worker], 1) != 0) {
        atomic_fetch_add(&coverage->faults, 1);
    }
    for (int i = begin; i < end; ++i) {
        atomic_fetch_add(&coverage->visits[i], 1);
    }
    atomic_fetch_sub(&coverage->inside[worker], 1);
}

static void check_covered_once(const CnTasks* tasks, int count, int grain) {
    static Coverage coverage;
    memset(&coverage, 0, sizeof coverage);
    coverage.count = count;
    coverage.grain = grain;
    coverage.worker_count = cn_tasks_worker_count(tasks);
    cn_tasks_for(tasks, count, grain, cover, &coverage);
    CHECK_INT(coverage.faults, 0);
    for (int i = 0; i < count; ++i) {
        ck_assert_msg(coverage.visits[i] == 1, "index %d of %d (grain %d, %d workers): %d visits",
                      i, count, grain, coverage.worker_count, coverage.visits[i]);
    }
}

static void every_index_is_visited_exactly_once(void) {
    const int threads[] = {1, 2, 3, 4, 8, 33}, counts[] = {0, 1, 2, 3, 31, 64, 1000, MAX_COUNT};
    const int grains[] = {-1, 0, 1, 2, 7, 64, 999, 1000, INT_MAX};

    check_covered_once(NULL, 100, 1);
    check_covered_once(&(CnTasks){0}, 100, 1);
    for (int t = 0; t < 6; ++t) {
        CnTaskPool* pool = cn_task_pool_create(threads[t], NULL);
        CnTasks tasks = cn_task_pool_tasks(pool);
        CHECK_INT(cn_tasks_worker_count(&tasks), threads[t]);
        for (int c = 0; c < 8; ++c) {
            for (int g = 0; g < 9; ++g) {
                check_covered_once(&tasks, counts[c], grains[g]);
            }
        }
        cn_task_pool_destroy(pool);
    }
}

static void square_roots(int begin, int end, int worker, void* data) {
    (void)worker;
    double* out = data;
    for (int i = begin; i < end; ++i) {
        out[i] = sqrt((double)i) / (i + 1);
    }
}

static CnTaskLoop cover_loop(Coverage* coverage, const CnTasks* tasks, int count, int grain) {
    memset(coverage, 0, sizeof *coverage);
    coverage->count = count;
    coverage->grain = grain;
    coverage->worker_count = cn_tasks_worker_count(tasks);
    return (CnTaskLoop){count, grain, cover, coverage};
}

static void check_both_covered_once(const CnTasks* tasks, const int counts[2],
                                    const int grains[2]) {
    static Coverage coverages[2];
    CnTaskLoop loops[2];
    for (int k = 0; k < 2; ++k) {
        loops[k] = cover_loop(&coverages[k], tasks, counts[k], grains[k]);
    }
    cn_tasks_for_both(tasks, &loops[0], &loops[1]);
    for (int k = 0; k < 2; ++k) {
        CHECK_INT(coverages[k].faults, 0);
        for (int i = 0; i < counts[k]; ++i) {
            CHECK_INT(coverages[k].visits[i], 1);
        }
    }
}

static void two_loops_at_once_visit_every_index_of_both_exactly_once(void) {
    const int counts[] = {0, 1, 5, 64, 1000}, grains[] = {0, 1, 7, 64, 999};
    for (int threads = 0; threads <= 3; ++threads) { // 0: no hook
        CnTaskPool* pool = threads == 0 ? NULL : cn_task_pool_create(threads, NULL);
        CnTasks tasks = pool == NULL ? (CnTasks){0} : cn_task_pool_tasks(pool);
        for (int i = 0; i < 5 * 5 * 5 * 5; ++i) {
            check_both_covered_once(&tasks, (int[]){counts[i % 5], counts[i / 5 % 5]},
                                    (int[]){grains[i / 25 % 5], grains[i / 125]});
        }
        cn_task_pool_destroy(pool);
    }
}

static void results_do_not_depend_on_the_number_of_threads(void) {
    static double expected[MAX_COUNT], found[MAX_COUNT];
    cn_tasks_for(NULL, MAX_COUNT, 1, square_roots, expected);
    for (int threads = 1; threads <= 4; threads *= 2) {
        CnTaskPool* pool = cn_task_pool_create(threads, NULL);
        CnTasks tasks = cn_task_pool_tasks(pool);
        memset(found, 0, sizeof found);
        cn_tasks_for(&tasks, MAX_COUNT, 16, square_roots, found);
        CHECK(memcmp(found, expected, sizeof found) == 0);
        cn_task_pool_destroy(pool);
    }
}

static void count_up(int begin, int end, int worker, void* data) {
    (void)worker;
    atomic_fetch_add((atomic_long*)data, end - begin);
}

static void ten_thousand_short_jobs_lose_nothing(void) {
    for (int threads = 2; threads <= 4; threads *= 2) {
        CnTaskPool* pool = cn_task_pool_create(threads, NULL);
        CnTasks tasks = cn_task_pool_tasks(pool);
        atomic_long total = 0;
        for (int i = 0; i < 10000; ++i) {
            cn_tasks_for(&tasks, 5, 1, count_up, &total);
        }
        CHECK_INT(total, 50000);
        cn_task_pool_destroy(pool);
    }
}

typedef struct Nested {
    CnTasks tasks;
    Coverage* inner; // [outer count]
} Nested;

// Each index of the outer range runs a range of its own, which must stay on the same worker.
static void cover_inner(int begin, int end, int worker, void* data) {
    Nested* nested = data;
    for (int i = begin; i < end; ++i) {
        Coverage* inner = &nested->inner[i];
        for (int w = 0; w < inner->worker_count; ++w) { // any other id would look busy
            atomic_store(&inner->inside[w], w == worker ? 0 : 1);
        }
        cn_tasks_for(&nested->tasks, inner->count, inner->grain, cover, inner);
    }
}

static void a_nested_call_runs_in_place_on_its_own_worker(void) {
    enum { OUTER = 64, THREADS = 4 };
    static Coverage inner[OUTER];
    for (int i = 0; i < OUTER; ++i) {
        inner[i].count = 100;
        inner[i].grain = 3;
        inner[i].worker_count = THREADS;
    }
    CnTaskPool* pool = cn_task_pool_create(THREADS, NULL);
    Nested nested = {cn_task_pool_tasks(pool), inner};
    cn_tasks_for(&nested.tasks, OUTER, 1, cover_inner, &nested);
    for (int i = 0; i < OUTER; ++i) {
        CHECK_INT(inner[i].faults, 0);
        for (int k = 0; k < 100; ++k) {
            CHECK_INT(inner[i].visits[k], 1);
        }
    }
    cn_task_pool_destroy(pool);
}

typedef struct Neighbours {
    CnTasks outer, inner;
    atomic_int faults; // calls back to the outer pool that did not stay on their worker
    atomic_long total; // indices of all innermost ranges
} Neighbours;

typedef struct CallBack {
    Neighbours* neighbours;
    int worker; // of the outer pool
} CallBack;

static void check_worker(int begin, int end, int worker, void* data) {
    CallBack* back = data;
    atomic_fetch_add(&back->neighbours->faults, worker == back->worker ? 0 : 1);
    atomic_fetch_add(&back->neighbours->total, end - begin);
}

static void call_back(int begin, int end, int worker, void* data) {
    CallBack* back = data;
    for (int i = begin; i < end; ++i) {
        if (worker == 0) { // the thread that called: it still is a worker of the outer pool
            cn_tasks_for(&back->neighbours->outer, 10, 1, check_worker, back);
        } else {
            atomic_fetch_add(&back->neighbours->total, 10);
        }
    }
}

static void call_other_pool(int begin, int end, int worker, void* data) {
    for (int i = begin; i < end; ++i) {
        CallBack back = {data, worker};
        cn_tasks_for(&back.neighbours->inner, 8, 1, call_back, &back);
    }
}

// Threads of the outer pool are callers of the inner one, by turns, and workers of theirs still.
static void a_body_of_one_pool_may_call_another(void) {
    CnTaskPool* outer = cn_task_pool_create(3, NULL);
    CnTaskPool* inner = cn_task_pool_create(2, NULL);
    Neighbours neighbours = {.outer = cn_task_pool_tasks(outer),
                             .inner = cn_task_pool_tasks(inner)};
    for (int i = 0; i < 20; ++i) {
        cn_tasks_for(&neighbours.outer, 12, 1, call_other_pool, &neighbours);
    }
    CHECK_INT(neighbours.faults, 0);
    CHECK_INT(neighbours.total, 20 * 12 * 8 * 10);
    cn_task_pool_destroy(inner);
    cn_task_pool_destroy(outer);
}

typedef struct Shared {
    CnTasks tasks;
    Coverage coverage; // of worker ids only: both callers count up the same visits
} Shared;

static void* call_often(void* argument) {
    Shared* shared = argument;
    for (int i = 0; i < 500; ++i) {
        cn_tasks_for(&shared->tasks, 100, 1, cover, &shared->coverage);
    }
    return NULL;
}

static void two_callers_take_turns(void) {
    static Shared shared;
    CnTaskPool* pool = cn_task_pool_create(3, NULL);
    shared.tasks = cn_task_pool_tasks(pool);
    shared.coverage.count = 100;
    shared.coverage.grain = 1;
    shared.coverage.worker_count = 3;
    pthread_t other;
    CHECK_INT(pthread_create(&other, NULL, call_often, &shared), 0);
    call_often(&shared);
    pthread_join(other, NULL);
    CHECK_INT(shared.coverage.faults, 0);
    for (int i = 0; i < 100; ++i) {
        CHECK_INT(shared.coverage.visits[i], 1000);
    }
    cn_task_pool_destroy(pool);
}

static void thread_counts_outside_1_to_256_are_refused(void) {
    const int wrong[] = {0, -1, 257, INT_MAX, INT_MIN};
    for (int i = 0; i < 5; ++i) {
        CnError error = {0};
        CHECK(cn_task_pool_create(wrong[i], &error) == NULL);
        CHECK_INT(error.status, CN_INVALID);
        CHECK_CONTAINS(error.message, "threads");
        CHECK(cn_task_pool_create(wrong[i], NULL) == NULL);
    }
    CnTaskPool* most = cn_task_pool_create(256, NULL);
    CHECK(most != NULL);
    cn_task_pool_destroy(most);
    cn_task_pool_destroy(NULL);
}

// 255 stacks of 8 MB do not fit in 1 GB of address space. A sanitizer needs more than that itself.
static void a_pool_that_cannot_start_its_threads_says_so(void) {
    if (UNDER_SANITIZER) {
        return;
    }
    struct rlimit stack = {8 << 20, 8 << 20}, space = {1 << 30, 1 << 30}; // [bytes]
    CHECK_INT(setrlimit(RLIMIT_STACK, &stack), 0);
    CHECK_INT(setrlimit(RLIMIT_AS, &space), 0);
    CnError error = {0};
    CHECK(cn_task_pool_create(256, &error) == NULL);
    CHECK_INT(error.status, CN_NO_MEMORY);
    CHECK_CONTAINS(error.message, "could not be started");
    CnTaskPool* small = cn_task_pool_create(2, &error); // all stacks were given back
    CHECK(small != NULL);
    cn_task_pool_destroy(small);
}

TEST_MAIN("base/tasks", TEST(every_index_is_visited_exactly_once),
          TEST(two_loops_at_once_visit_every_index_of_both_exactly_once),
          TEST(results_do_not_depend_on_the_number_of_threads),
          TEST(ten_thousand_short_jobs_lose_nothing),
          TEST(a_nested_call_runs_in_place_on_its_own_worker),
          TEST(a_body_of_one_pool_may_call_another), TEST(two_callers_take_turns),
          TEST(thread_counts_outside_1_to_256_are_refused),
          TEST(a_pool_that_cannot_start_its_threads_says_so))
