// run_log.c - quantities of a run over time, in a file.
#include "run/run_log.h"

#include "terminal/json_out.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool fail_memory(CnError* error) {
    if (error != NULL) {
        error->status = CN_NO_MEMORY;
        snprintf(error->message, sizeof error->message, "no memory for a log");
    }
    return false;
}

static bool add_row(RunLog* log, const CnStepReport* report, CnError* error) {
    log->row[0] = cn_world_time(log->world);
    log->is_row = true;
    return cn_quantities_read(log->quantities, log->world, report, log->row + 1, error) == CN_OK &&
           table_file_add(&log->table, log->row, error);
}

bool run_log_open(RunLog* log, const char* path, const char* quantities, double every,
                  const CnWorld* world, CnError* error) {
    *log = (RunLog){.every = every, .due = 1};
    if (path == NULL) {
        return true;
    }
    log->world = world;
    log->start = cn_world_time(world);
    log->quantities = cn_quantities_create(world, quantities, error);
    if (log->quantities == NULL) {
        return false;
    }
    int count = cn_quantities_count(log->quantities) + 1;
    log->columns = malloc((size_t)count * sizeof *log->columns);
    log->row = malloc((size_t)count * sizeof *log->row);
    if (log->columns == NULL || log->row == NULL) {
        return fail_memory(error);
    }
    log->columns[0] = (CnQuantityInfo){"time", "s"};
    for (int i = 1; i < count; ++i) {
        log->columns[i] = cn_quantities_at(log->quantities, i - 1);
    }
    return table_file_open(&log->table, path, log->columns, count, error) &&
           add_row(log, NULL, error);
}

// Times are sums of steps: a row that is due within a billionth of its distance is due now.
#define DUE_SHARE 1e-9

static bool is_due(RunLog* log) {
    if (!(log->every > 0.0)) {
        return true;
    }
    double rows = (cn_world_time(log->world) - log->start) / log->every + DUE_SHARE;
    if (rows < (double)log->due) {
        return false;
    }
    log->due = (int64_t)floor(rows) + 1;
    return true;
}

bool run_log_add(RunLog* log, const CnStepReport* report, CnError* error) {
    if (log->world == NULL) {
        return true;
    }
    log->report = *report;
    log->is_row = false;
    return !is_due(log) || add_row(log, report, error);
}

bool run_log_close(RunLog* log, CnError* error) {
    bool ok = true;
    if (log->world != NULL && log->table.format != NULL && !log->is_row) {
        ok = add_row(log, &log->report, error);
    }
    ok = table_file_close(&log->table, ok ? error : NULL) && ok;
    cn_quantities_destroy(log->quantities);
    free(log->columns);
    free(log->row);
    *log = (RunLog){0};
    return ok;
}

// ---- what there is ----

// "all that has no contact, and contact.A/B.* of pairs that touch": a list for the library.
static char* make_patterns(CnWorld* world) {
    char* text = NULL;
    size_t length = 0;
    int count = cn_world_find_contacts(world, NULL, 0);
    CnContactPoint* points = malloc((size_t)(count > 0 ? count : 1) * sizeof *points);
    FILE* patterns = open_memstream(&text, &length);
    if (patterns != NULL && points != NULL) {
        cn_world_find_contacts(world, points, count);
        fputs("*", patterns);
        for (int i = 0; i < count; ++i) {
            const char* a = cn_body_name(world, points[i].body_a);
            const char* b = cn_body_name(world, points[i].body_b);
            if (a[0] != '\0' && b[0] != '\0' && strpbrk(a, ",*?") == NULL &&
                strpbrk(b, ",*?") == NULL) {
                const char* parts[] = {"force",        "force.x", "force.y", "force.z",
                                       "normal_force", "gap",     "points"};
                for (size_t k = 0; k < sizeof parts / sizeof parts[0]; ++k) {
                    fprintf(patterns, ",contact.%s/%s.%s", b, a, parts[k]);
                }
            }
        }
    }
    if (patterns != NULL && fclose(patterns) != 0) {
        free(text);
        text = NULL;
    }
    free(points);
    return text;
}

bool run_log_list(CnWorld* world, bool json, CnError* error) {
    char* patterns = make_patterns(world);
    CnQuantities* list = patterns == NULL ? NULL : cn_quantities_create(world, patterns, error);
    JsonOut out = json_open(stdout);
    free(patterns);
    if (list == NULL) {
        return fail_memory(error);
    }
    if (json) {
        json_begin_array(&out, NULL);
    }
    for (int i = 0; i < cn_quantities_count(list); ++i) {
        CnQuantityInfo info = cn_quantities_at(list, i);
        if (json) {
            json_begin_object(&out, NULL);
            json_text(&out, "name", info.name);
            json_text(&out, "unit", info.unit);
            json_end(&out);
        } else {
            printf("%-44s %s\n", info.name, info.unit);
        }
    }
    if (json) {
        json_end(&out);
    }
    cn_quantities_destroy(list);
    return true;
}
