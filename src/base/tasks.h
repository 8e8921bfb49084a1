// tasks.h - running ranges on the task hook, or in place when there is none.
#pragma once

#include "cairn/base.h"

int cn_tasks_worker_count(const CnTasks* tasks); // at least 1
void cn_tasks_for(const CnTasks* tasks, int count, int grain, CnRangeFunction* body, void* data);

// Two loops that do not depend on each other, shared by the same workers at the same time: one wait
// for all instead of two.
typedef struct CnTaskLoop {
    int count, grain;
    CnRangeFunction* body;
    void* data;
} CnTaskLoop;

void cn_tasks_for_both(const CnTasks* tasks, const CnTaskLoop* first, const CnTaskLoop* second);
