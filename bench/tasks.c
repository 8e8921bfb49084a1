// tasks.c - what it costs to open a job of the task pool and to wait for its end.
//
//     bench_tasks [THREADS]
//
// A job of two chunks for each thread, each of 10 us of arithmetic, after a serial part of so many
// microseconds; wall-clock time, median of many. Printed is how much longer the job takes than its
// chunks would if they were shared out evenly at no cost, and how many chunks the caller did.
#include "base/timer.h"
#include "cairn/base.h"

#include <stdio.h>
#include <stdlib.h>

#define ROUNDS 2001
#define CHUNK_TIME 10e-6 // [s]
#define CHUNKS_OF_THREAD 2

static int done_by_caller;

static void work_for(double seconds) {
    double start = cn_timer_now();
    while (cn_timer_now() - start < seconds) {
    }
}

static void run_chunks(int begin, int end, int worker, void* data) {
    (void)data;
    done_by_caller += worker == 0 ? end - begin : 0; // written by worker 0 alone
    for (int i = begin; i < end; ++i) {
        work_for(CHUNK_TIME);
    }
}

static int compare(const void* a, const void* b) {
    double x = *(const double*)a, y = *(const double*)b;
    return (x > y) - (x < y);
}

static void measure(const CnTasks* tasks, double gap) {
    static double seconds[ROUNDS];
    int count = CHUNKS_OF_THREAD * tasks->worker_count;
    done_by_caller = 0;
    for (int i = 0; i < ROUNDS; ++i) {
        work_for(gap);
        double start = cn_timer_now();
        tasks->parallel_for(count, 1, run_chunks, NULL, tasks->context);
        seconds[i] = cn_timer_now() - start;
    }
    qsort(seconds, ROUNDS, sizeof *seconds, compare);
    printf("%12.0f %12.2f %12.2f %12.2f\n", 1e6 * gap,
           1e6 * (seconds[ROUNDS / 2] - CHUNKS_OF_THREAD * CHUNK_TIME),
           1e6 * (seconds[ROUNDS * 9 / 10] - CHUNKS_OF_THREAD * CHUNK_TIME),
           (double)done_by_caller / ROUNDS / count);
}

int main(int argc, char** argv) {
    CnError error = {0};
    int threads = argc > 1 ? atoi(argv[1]) : 2;
    CnTaskPool* pool = cn_task_pool_create(threads, &error);
    if (pool == NULL) {
        fprintf(stderr, "bench_tasks: %s\n", error.message);
        return 1;
    }
    CnTasks tasks = cn_task_pool_tasks(pool);
    const double gaps[] = {0.0, 10e-6, 50e-6, 200e-6, 1e-3};
    printf("%12s %12s %12s %12s\n", "serial [us]", "p50 [us]", "p90 [us]", "by caller");
    for (size_t i = 0; i < sizeof gaps / sizeof gaps[0]; ++i) {
        measure(&tasks, gaps[i]);
    }
    cn_task_pool_destroy(pool);
    return 0;
}
