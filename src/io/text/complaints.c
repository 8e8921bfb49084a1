// complaints.c - collecting what is wrong with a file.
#include "io/text/complaints.h"

#include "base/error.h"
#include "io/text/text.h"
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void cn_complaints_init(CnComplaints* complaints, const char* label, CnSceneProblem* items,
                        int capacity) {
    *complaints = (CnComplaints){.label = label, .items = items, .capacity = capacity};
}

static bool comes_before(const CnSceneProblem* a, const CnSceneProblem* b) {
    return a->warning == b->warning ? a->line < b->line : b->warning;
}

// Insertion keeps the list sorted; of more than fit, the last ones are dropped.
static void insert(CnComplaints* complaints, const CnSceneProblem* item) {
    if (!item->warning) {
        if (complaints->error_count == 0 || comes_before(item, &complaints->first)) {
            complaints->first = *item;
        }
        complaints->error_count += 1;
    }
    int held = complaints->count < complaints->capacity ? complaints->count : complaints->capacity;
    complaints->count += 1;

    int place = held;
    while (place > 0 && comes_before(item, &complaints->items[place - 1])) {
        --place;
    }
    if (place == complaints->capacity) {
        return;
    }
    int moved = held < complaints->capacity ? held - place : held - place - 1;
    memmove(&complaints->items[place + 1], &complaints->items[place],
            (size_t)moved * sizeof *complaints->items);
    complaints->items[place] = *item;
}

static CnSceneProblem make_item(bool warning, int line, const char* path, const char* format,
                                va_list arguments) {
    CnSceneProblem item = {.warning = warning, .line = line};
    cn_text_copy(item.path, sizeof item.path, path);
    vsnprintf(item.message, sizeof item.message, format, arguments);
    cn_text_trim(item.message);
    return item;
}

bool cn_complain(CnComplaints* complaints, CnStatus status, int line, const char* path,
                 const char* format, ...) {
    va_list arguments;
    va_start(arguments, format);
    CnSceneProblem item = make_item(false, line, path, format, arguments);
    va_end(arguments);
    insert(complaints, &item);
    if (complaints->status != CN_NO_MEMORY) {
        complaints->status = status;
    }
    return false;
}

void cn_warn(CnComplaints* complaints, int line, const char* path, const char* format, ...) {
    va_list arguments;
    va_start(arguments, format);
    CnSceneProblem item = make_item(true, line, path, format, arguments);
    va_end(arguments);
    insert(complaints, &item);
}

bool cn_complain_no_memory(CnComplaints* complaints) {
    return cn_complain(complaints, CN_NO_MEMORY, 0, "", "memory ran out while reading");
}

CnStatus cn_complaints_error(const CnComplaints* complaints, CnError* error) {
    if (complaints->error_count == 0) {
        if (error != NULL) {
            *error = (CnError){.status = CN_OK};
        }
        return CN_OK;
    }
    const CnSceneProblem* first = &complaints->first;
    char line[16] = "";
    if (first->line > 0) {
        snprintf(line, sizeof line, ":%d", first->line);
    }
    cn_error_set(error, complaints->status, "%s%s: %s%s%s", complaints->label, line, first->path,
                 first->path[0] != 0 ? ": " : "", first->message);
    if (error != NULL) {
        cn_text_trim(error->message);
    }
    return complaints->status;
}
