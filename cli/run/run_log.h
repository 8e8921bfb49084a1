// run_log.h - quantities of a run over time, in a file.
#pragma once

#include "run/table_file.h"

typedef struct RunLog {
    const CnWorld* world; // NULL: no log is asked for, and every function does nothing
    TableFile table;
    CnQuantities* quantities;
    CnQuantityInfo* columns; // time, then the quantities   [count]
    double* row;             // likewise
    double start, every;     // [s]; every 0: each step
    int64_t due;             // number of the row that comes next, at start + due * every
    bool is_row;             // the last step is one
    CnStepReport report;     // of the last step
} RunLog;

// Each is false with a sentence (that of close may go to NULL); run_log_close() is due in any case.
// The present state is the first row, the last step the last one.
bool run_log_open(RunLog* log, const char* path, const char* quantities, double every,
                  const CnWorld* world, CnError* error);
bool run_log_add(RunLog* log, const CnStepReport* report, CnError* error);
bool run_log_close(RunLog* log, CnError* error);

// All quantities of a world on standard output, with their units; of contacts those that touch now.
bool run_log_list(CnWorld* world, bool json, CnError* error);
