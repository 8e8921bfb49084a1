// tasks.h - running ranges on the task hook, or in place when there is none.
#pragma once

#include "cairn/base.h"

int cn_tasks_worker_count(const CnTasks* tasks); // at least 1
void cn_tasks_for(const CnTasks* tasks, int count, int grain, CnRangeFunction* body, void* data);
