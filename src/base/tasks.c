// tasks.c - running ranges on the task hook, or in place when there is none.
#include "base/tasks.h"

static bool has_hook(const CnTasks* tasks) {
    return tasks != NULL && tasks->parallel_for != NULL;
}

int cn_tasks_worker_count(const CnTasks* tasks) {
    return has_hook(tasks) && tasks->worker_count > 1 ? tasks->worker_count : 1;
}

// A short range goes through the hook as well: only the hook knows which worker is calling.
void cn_tasks_for(const CnTasks* tasks, int count, int grain, CnRangeFunction* body, void* data) {
    if (count <= 0) {
        return;
    }
    if (has_hook(tasks)) {
        tasks->parallel_for(count, grain > 1 ? grain : 1, body, data, tasks->context);
    } else {
        body(0, count, 0, data);
    }
}

// Of a loop that is cut into chunks of its grain, of which the last takes the remainder.
static int chunk_count(const CnTaskLoop* loop) {
    int grain = loop->grain > 1 ? loop->grain : 1;
    return loop->count > grain ? loop->count / grain : loop->count > 0;
}

static void run_chunks(const CnTaskLoop* loop, int begin, int end, int worker) {
    int grain = loop->grain > 1 ? loop->grain : 1;
    if (begin < end) {
        loop->body(begin * grain, end == chunk_count(loop) ? loop->count : end * grain, worker,
                   loop->data);
    }
}

// The chunks of the first loop, then those of the second.
static void run_both(int begin, int end, int worker, void* data) {
    const CnTaskLoop* const* loops = data;
    int first = chunk_count(loops[0]);
    run_chunks(loops[0], begin, end < first ? end : first, worker);
    run_chunks(loops[1], begin > first ? begin - first : 0, end - first, worker);
}

void cn_tasks_for_both(const CnTasks* tasks, const CnTaskLoop* first, const CnTaskLoop* second) {
    const CnTaskLoop* loops[2] = {first, second};
    cn_tasks_for(tasks, chunk_count(first) + chunk_count(second), 1, run_both, loops);
}
