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
