// json_write.h - writes JSON text, formatted for people, with the same bytes every time.
//
// Objects and arrays take a line per entry, arrays of numbers one line. A flat object or array
// stays on one line with all its content. Failures are remembered; finish returns them.
#pragma once

#include "base/memory.h"

typedef struct CnJsonWriter {
    CnAllocator allocator;
    char* text; // [capacity]
    size_t length, capacity;
    int depth;      // objects and arrays open now
    int flat_depth; // of the outermost flat one; 0: none
    bool is_first;  // the innermost one is still empty
    bool failed;    // memory ran out
} CnJsonWriter;

void cn_json_writer_init(CnJsonWriter* writer, const CnAllocator* allocator);
void cn_json_writer_destroy(CnJsonWriter* writer);

// Writes the text to a file; CN_NO_MEMORY if memory ran out before.
CnStatus cn_json_writer_save(CnJsonWriter* writer, const char* path, CnError* error);

// key is NULL for elements of arrays and at the top.
void cn_write_object(CnJsonWriter* writer, const char* key);
void cn_write_flat_object(CnJsonWriter* writer, const char* key);
void cn_write_object_end(CnJsonWriter* writer);
void cn_write_array(CnJsonWriter* writer, const char* key);
void cn_write_flat_array(CnJsonWriter* writer, const char* key);
void cn_write_array_end(CnJsonWriter* writer);
void cn_write_text(CnJsonWriter* writer, const char* key, const char* text);
void cn_write_text_or_null(CnJsonWriter* writer, const char* key, const char* text);
void cn_write_boolean(CnJsonWriter* writer, const char* key, bool value);
void cn_write_integer(CnJsonWriter* writer, const char* key, int value);
void cn_write_number(CnJsonWriter* writer, const char* key,
                     double value); // infinite: "inf", "-inf"
void cn_write_numbers(CnJsonWriter* writer, const char* key, const double* values, int count);
