// error_list.c - collects the errors and warnings about a file.
#include "io/text/error_list.h"

#include "base/error.h"
#include "io/text/text.h"
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void cn_error_list_init(CnErrorList* errors, const char* label, CnSceneProblem* items,
                        int capacity) {
    *errors = (CnErrorList){.label = label, .items = items, .capacity = capacity};
}

static bool comes_before(const CnSceneProblem* a, const CnSceneProblem* b) {
    return a->warning == b->warning ? a->line < b->line : b->warning;
}

// Insertion keeps the list sorted; when it is full, the last items are dropped.
static void insert(CnErrorList* errors, const CnSceneProblem* item) {
    if (!item->warning) {
        if (errors->error_count == 0 || comes_before(item, &errors->first)) {
            errors->first = *item;
        }
        errors->error_count += 1;
    }
    int held = errors->count < errors->capacity ? errors->count : errors->capacity;
    errors->count += 1;

    int place = held;
    while (place > 0 && comes_before(item, &errors->items[place - 1])) {
        --place;
    }
    if (place == errors->capacity) {
        return;
    }
    int moved = held < errors->capacity ? held - place : held - place - 1;
    memmove(&errors->items[place + 1], &errors->items[place],
            (size_t)moved * sizeof *errors->items);
    errors->items[place] = *item;
}

static CnSceneProblem make_item(bool warning, int line, const char* path, const char* format,
                                va_list arguments) {
    CnSceneProblem item = {.warning = warning, .line = line};
    cn_text_copy(item.path, sizeof item.path, path);
    vsnprintf(item.message, sizeof item.message, format, arguments);
    cn_text_trim(item.message);
    return item;
}

bool cn_report_error(CnErrorList* errors, CnStatus status, int line, const char* path,
                     const char* format, ...) {
    va_list arguments;
    va_start(arguments, format);
    CnSceneProblem item = make_item(false, line, path, format, arguments);
    va_end(arguments);
    insert(errors, &item);
    if (errors->status != CN_NO_MEMORY) {
        errors->status = status;
    }
    return false;
}

void cn_report_warning(CnErrorList* errors, int line, const char* path, const char* format, ...) {
    va_list arguments;
    va_start(arguments, format);
    CnSceneProblem item = make_item(true, line, path, format, arguments);
    va_end(arguments);
    insert(errors, &item);
}

bool cn_report_no_memory(CnErrorList* errors) {
    return cn_report_error(errors, CN_NO_MEMORY, 0, "", "memory ran out while reading");
}

CnStatus cn_error_list_first(const CnErrorList* errors, CnError* error) {
    if (errors->error_count == 0) {
        if (error != NULL) {
            *error = (CnError){.status = CN_OK};
        }
        return CN_OK;
    }
    const CnSceneProblem* first = &errors->first;
    char line[16] = "";
    if (first->line > 0) {
        snprintf(line, sizeof line, ":%d", first->line);
    }
    cn_error_set(error, errors->status, "%s%s: %s%s%s", errors->label, line, first->path,
                 first->path[0] != 0 ? ": " : "", first->message);
    if (error != NULL) {
        cn_text_trim(error->message);
    }
    return errors->status;
}
