// fields.c - reads and writes objects by their tables.
#include "io/text/fields.h"

#include "base/error.h"
#include "io/text/json_parser.h"
#include "io/text/text.h"
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define LIST_SIZE 220 // names in a message: with the rest it fits a CnSceneProblem
#define MAX_NAMES 48  // fields of a table, choices of a field

// ---- reporting ----

bool cn_report_error_at(CnErrorList* errors, const CnJson* value, const char* format, ...) {
    char path[CN_JSON_PATH_SIZE], message[sizeof errors->first.message];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    cn_json_path(value, path, sizeof path);
    return cn_report_error(errors, CN_INVALID, value->line, path, "%s", message);
}

// The last part of a value's path: messages about the value begin with it.
static const char* subject(const CnJson* value, char path[CN_JSON_PATH_SIZE]) {
    cn_json_path(value, path, CN_JSON_PATH_SIZE);
    const char* dot = strrchr(path, '.');
    return path[0] == 0 ? "the file" : dot != NULL ? dot + 1 : path;
}

// A string instead of a number often has a unit in it: the message then says to leave the unit out.
static bool report_type(const CnJson* value, const char* expected, const char* unit,
                        CnErrorList* errors) {
    char path[CN_JSON_PATH_SIZE], shown[CN_SHOWN_SIZE], found[CN_SHOWN_SIZE + 20];
    bool is_text = value->type == CN_JSON_STRING;
    snprintf(found, sizeof found, "%s", cn_json_type_name(value->type));
    if (is_text) {
        snprintf(found, sizeof found, "the string \"%s\"", cn_text_show(value->string, shown));
    }
    return cn_report_error_at(errors, value, "%s is %s; it must be %s%s%s%s", subject(value, path),
                              found, expected, unit != NULL ? ", in " : "",
                              unit != NULL ? unit : "",
                              unit != NULL && is_text ? ", written without the unit" : "");
}

// "a, b, c", as many as fit.
static void list_names(const char* const* names, int count, char list[LIST_SIZE]) {
    size_t used = 0;
    list[0] = 0;
    for (int i = 0; i < count && used < LIST_SIZE; ++i) {
        used +=
            (size_t)snprintf(list + used, LIST_SIZE - used, "%s%s", i > 0 ? ", " : "", names[i]);
    }
}

// ---- single values ----

bool cn_read_type(const CnJson* value, CnJsonType type, const char* expected, CnErrorList* errors) {
    return value->type == type || report_type(value, expected, NULL, errors);
}

bool cn_read_number(const CnJson* value, const char* unit, double* out, CnErrorList* errors) {
    if (value->type != CN_JSON_NUMBER) {
        return report_type(value, "a number", unit, errors);
    }
    *out = value->number;
    return true;
}

bool cn_read_bound(const CnJson* value, const char* unit, double* out, CnErrorList* errors) {
    bool is_text = value->type == CN_JSON_STRING;
    if (is_text && strcmp(value->string, "inf") == 0) {
        *out = HUGE_VAL;
    } else if (is_text && strcmp(value->string, "-inf") == 0) {
        *out = -HUGE_VAL;
    } else if (value->type == CN_JSON_NUMBER) {
        *out = value->number;
    } else {
        return report_type(value, "a number, \"inf\" or \"-inf\"", unit, errors);
    }
    return true;
}

bool cn_read_numbers(const CnJson* value, const char* unit, int count, double* out,
                     CnErrorList* errors) {
    char path[CN_JSON_PATH_SIZE], expected[32];
    snprintf(expected, sizeof expected, "an array of %d numbers", count);
    if (value->type != CN_JSON_ARRAY) {
        return report_type(value, expected, unit, errors);
    }
    if (value->count != count) {
        return cn_report_error_at(errors, value, "%s has length %d; it must be %s",
                                  subject(value, path), value->count, expected);
    }
    bool ok = true;
    for (const CnJson* element = value->first; element != NULL; element = element->next) {
        ok = cn_read_number(element, unit, &out[element->index], errors) && ok;
    }
    return ok;
}

bool cn_read_text(const CnJson* value, const char** out, CnErrorList* errors) {
    char path[CN_JSON_PATH_SIZE];
    if (value->type != CN_JSON_STRING) {
        return report_type(value, "a string", NULL, errors);
    }
    if (value->string[0] == 0) {
        return cn_report_error_at(errors, value, "%s is empty", subject(value, path));
    }
    *out = value->string;
    return true;
}

bool cn_read_integer(const CnJson* value, int* out, CnErrorList* errors) {
    char path[CN_JSON_PATH_SIZE];
    if (value->type != CN_JSON_NUMBER) {
        return report_type(value, "a whole number", NULL, errors);
    }
    double number = value->number;
    if (number != floor(number) || number < INT_MIN || number > INT_MAX) {
        return cn_report_error_at(errors, value,
                                  "%s is %.15g; it must be a whole number from %d to %d",
                                  subject(value, path), number, INT_MIN, INT_MAX);
    }
    *out = (int)number;
    return true;
}

static bool read_bits(const CnJson* value, uint32_t* out, CnErrorList* errors) {
    char path[CN_JSON_PATH_SIZE];
    if (value->type != CN_JSON_NUMBER) {
        return report_type(value, "a whole number", NULL, errors);
    }
    double number = value->number;
    if (number != floor(number) || number < 0.0 || number > UINT32_MAX) {
        return cn_report_error_at(errors, value,
                                  "%s is %.15g; it must be a whole number from 0 to %u",
                                  subject(value, path), number, UINT32_MAX);
    }
    *out = (uint32_t)number;
    return true;
}

static bool read_choice(const CnJsonField* field, const CnJson* value, void* out,
                        CnErrorList* errors) {
    const char *names[MAX_NAMES], *text = NULL;
    CN_ASSERT(field->count <= MAX_NAMES);
    if (!cn_read_text(value, &text, errors)) {
        return false;
    }
    for (int i = 0; i < field->count; ++i) {
        names[i] = field->choice_name(i);
        if (strcmp(text, names[i]) == 0) {
            memcpy(out, &i, sizeof i); // enums of ours are as large as int
            return true;
        }
    }
    char list[LIST_SIZE], shown[CN_SHOWN_SIZE];
    const char* nearest = cn_nearest_name(text, names, field->count);
    if (nearest != NULL) {
        return cn_report_error_at(errors, value, "unknown %s \"%s\"; did you mean \"%s\"?",
                                  field->key, cn_text_show(text, shown), nearest);
    }
    list_names(names, field->count, list);
    return cn_report_error_at(errors, value, "unknown %s \"%s\"; this version has %s", field->key,
                              cn_text_show(text, shown), list);
}

// ---- objects ----

static bool read_field(const CnJsonField* field, const CnJson* value, void* target,
                       CnErrorList* errors) {
    void* out = (char*)target + field->offset;
    switch (field->type) {
    case CN_FIELD_NUMBER:
        return cn_read_number(value, field->unit, out, errors);
    case CN_FIELD_BOUND:
        return cn_read_bound(value, field->unit, out, errors);
    case CN_FIELD_INTEGER:
        return cn_read_integer(value, out, errors);
    case CN_FIELD_BITS:
        return read_bits(value, out, errors);
    case CN_FIELD_BOOLEAN:
        if (!cn_read_type(value, CN_JSON_BOOLEAN, "true or false", errors)) {
            return false;
        }
        *(bool*)out = value->boolean;
        return true;
    case CN_FIELD_TEXT:
        return cn_read_text(value, out, errors);
    case CN_FIELD_NUMBERS:
        return cn_read_numbers(value, field->unit, field->count, out, errors);
    case CN_FIELD_CHOICE:
        return read_choice(field, value, out, errors);
    case CN_FIELD_VALUE:
        *(const CnJson**)out = value;
        return true;
    }
    return false;
}

const CnJsonField* cn_field_find(const CnFieldTable* table, const char* key) {
    for (int i = 0; i < table->count; ++i) {
        if (strcmp(table->fields[i].key, key) == 0) {
            return &table->fields[i];
        }
    }
    return NULL;
}

static bool report_unknown(const CnFieldTable* table, const CnJson* member, CnErrorList* errors) {
    const char* names[MAX_NAMES];
    int count = 0;
    for (int i = 0; i < table->count; ++i) {
        CN_ASSERT(count < MAX_NAMES);
        names[count++] = table->fields[i].key;
    }
    char path[CN_JSON_PATH_SIZE], shown[CN_SHOWN_SIZE], list[LIST_SIZE];
    cn_json_path(member, path, sizeof path);
    cn_text_show(member->key, shown);
    const char* nearest = cn_nearest_name(member->key, names, count);
    if (nearest != NULL) {
        return cn_report_error(errors, CN_INVALID, member->key_line, path,
                               "unknown key \"%s\" in %s; did you mean \"%s\"?", shown, table->what,
                               nearest);
    }
    list_names(names, count, list);
    return cn_report_error(errors, CN_INVALID, member->key_line, path,
                           "unknown key \"%s\"; %s has %s", shown, table->what, list);
}

bool cn_is_note(const char* key) {
    return strcmp(key, "$schema") == 0 || strcmp(key, "comment") == 0;
}

static bool read_member(const CnFieldTable* table, const CnJson* member, void* target,
                        CnErrorList* errors) {
    const CnJsonField* field = cn_field_find(table, member->key);
    if (field != NULL) {
        return read_field(field, member, target, errors);
    }
    return cn_is_note(member->key) ? cn_read_type(member, CN_JSON_STRING, "a string", errors)
                                   : report_unknown(table, member, errors);
}

bool cn_fields_read(const CnFieldTable* table, const CnJson* object, void* target,
                    CnErrorList* errors) {
    if (!cn_read_type(object, CN_JSON_OBJECT, "an object", errors)) {
        return false;
    }
    bool ok = true;
    for (const CnJson* member = object->first; member != NULL; member = member->next) {
        ok = read_member(table, member, target, errors) && ok;
    }
    for (int i = 0; i < table->count; ++i) {
        const CnJsonField* field = &table->fields[i];
        if (field->required && cn_json_member(object, field->key) == NULL) {
            ok = cn_report_error_at(errors, object, "%s needs the key \"%s\"", table->what,
                                    field->key);
        }
    }
    return ok;
}

void cn_field_write(const CnJsonField* field, const void* source, CnJsonWriter* writer) {
    const void* value = (const char*)source + field->offset;
    int choice = 0;
    switch (field->type) {
    case CN_FIELD_NUMBER:
    case CN_FIELD_BOUND:
        cn_write_number(writer, field->key, *(const double*)value);
        break;
    case CN_FIELD_INTEGER:
        cn_write_integer(writer, field->key, *(const int*)value);
        break;
    case CN_FIELD_BITS:
        cn_write_number(writer, field->key, *(const uint32_t*)value);
        break;
    case CN_FIELD_BOOLEAN:
        cn_write_boolean(writer, field->key, *(const bool*)value);
        break;
    case CN_FIELD_TEXT:
        if (*(const char* const*)value != NULL) {
            cn_write_text(writer, field->key, *(const char* const*)value);
        }
        break;
    case CN_FIELD_NUMBERS:
        cn_write_numbers(writer, field->key, value, field->count);
        break;
    case CN_FIELD_CHOICE:
        memcpy(&choice, value, sizeof choice);
        cn_write_text(writer, field->key, field->choice_name(choice));
        break;
    case CN_FIELD_VALUE:
        break;
    }
}

void cn_fields_write(const CnFieldTable* table, const void* source, CnJsonWriter* writer) {
    for (int i = 0; i < table->count; ++i) {
        cn_field_write(&table->fields[i], source, writer);
    }
}
