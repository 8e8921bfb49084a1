// fields.h - tables of the keys of objects in files: their types and where their values go.
//
// The reader, the writer and the test that compares docs and schema with both use the same table.
#pragma once

#include "io/text/json.h"
#include "io/text/json_write.h"

typedef enum CnJsonFieldType {
    CN_FIELD_NUMBER,  // double
    CN_FIELD_BOUND,   // double; "inf" and "-inf" are allowed
    CN_FIELD_INTEGER, // int
    CN_FIELD_BITS,    // uint32_t: a whole number, not negative
    CN_FIELD_BOOLEAN, // bool
    CN_FIELD_TEXT,    // const char*: not empty; points into the tree
    CN_FIELD_NUMBERS, // double[count] or CnVec3
    CN_FIELD_CHOICE,  // an enum; choice_name gives its names
    CN_FIELD_VALUE,   // const CnJson*: the caller reads and writes it
} CnJsonFieldType;

typedef struct CnJsonField {
    const char* key;
    CnJsonFieldType type;
    size_t offset; // in the struct that is filled
    bool required;
    int count;                       // numbers, or choices
    const char* unit;                // for messages, NULL: a pure number
    const char* (*choice_name)(int); // below count
} CnJsonField;

typedef struct CnFieldTable {
    const char* what; // "a body", for messages
    const CnJsonField* fields;
    int count;
} CnFieldTable;

#define CN_FIELD_TABLE(what, fields)                                                               \
    { what, fields, (int)(sizeof(fields) / sizeof(fields)[0]) }

// Abbreviates the column that all rows have.
#define CN_FIELD_AT(type, member) .offset = offsetof(type, member)

// Every object may have these keys besides those of its table: "$schema" names the schema for
// editors, "comment" is for people. Both are strings, and nothing else reads them.
bool cn_is_note(const char* key);

// Fills target, a struct with defaults in place; false when there was an error. Keys the table
// does not have are reported with the nearest spelling.
bool cn_fields_read(const CnFieldTable* table, const CnJson* object, void* target,
                    CnErrorList* errors);

// Writes the fields into the open object, except those of type VALUE and texts that are NULL.
void cn_fields_write(const CnFieldTable* table, const void* source, CnJsonWriter* writer);
void cn_field_write(const CnJsonField* field, const void* source, CnJsonWriter* writer);

// NULL when the table has no such key.
const CnJsonField* cn_field_find(const CnFieldTable* table, const char* key);

// Single values, for code that reads a VALUE. Each returns false after an error was reported.
bool cn_read_number(const CnJson* value, const char* unit, double* out, CnErrorList* errors);
bool cn_read_bound(const CnJson* value, const char* unit, double* out, CnErrorList* errors);
bool cn_read_numbers(const CnJson* value, const char* unit, int count, double* out,
                     CnErrorList* errors);
bool cn_read_integer(const CnJson* value, int* out, CnErrorList* errors);
bool cn_read_text(const CnJson* value, const char** out, CnErrorList* errors);

// Reports an error at a value: its line, its path.
__attribute__((format(printf, 3, 4))) bool
cn_report_error_at(CnErrorList* errors, const CnJson* value, const char* format, ...);

// False, and an error is reported, unless the value is of that type.
bool cn_read_type(const CnJson* value, CnJsonType type, const char* expected, CnErrorList* errors);
