// height_file.c - reads heights over a grid from plain text.
#include "io/mesh/height_file.h"

#include "io/text/file.h"
#include "io/text/number_lines.h"
#include <string.h>

#define WORD_ENDS CN_BLANKS ",#\r\n"

typedef struct GridReader {
    CnWordReader text; // words, lines and errors; no points or triangles
    CN_ARRAY(double) heights;
    int columns, rows;
} GridReader;

static bool read_height(GridReader* reader) {
    CnWordReader* text = &reader->text;
    char shown[CN_WORD_SHOWN_SIZE];
    const char* start = text->bytes + text->at;
    CnWord word = {start, strcspn(start, WORD_ENDS)};
    double height;
    if (word.length == 0) {
        return cn_reader_report_error(text, "a number is missing beside a comma");
    }
    if (!cn_word_number(word, &height)) {
        return cn_reader_report_error(text, "%s is not a height; expected a finite decimal number",
                                      cn_word_show(word, shown));
    }
    text->at += word.length;
    return cn_mesh_check_coordinate(text, "height", height) &&
           (cn_array_push(&reader->heights, text->allocator, height) ||
            cn_report_no_memory(text->errors));
}

// Numbers up to the end of the line, separated by blanks or a comma with or without blanks.
static bool read_row(void* data) {
    GridReader* reader = data;
    CnWordReader* text = &reader->text;
    int first = reader->heights.count;
    bool after_comma = false;
    for (char next = cn_lines_skip_blanks(text); after_comma || !cn_lines_at_end(next);
         next = cn_lines_skip_blanks(text)) {
        if (!read_height(reader)) {
            return false;
        }
        after_comma = cn_lines_skip_blanks(text) == ',';
        text->at += after_comma ? 1 : 0;
    }
    int count = reader->heights.count - first;
    if (count == 0) {
        return true;
    }
    if (reader->rows == 0) {
        reader->columns = count;
    }
    if (count != reader->columns) {
        return cn_reader_report_error(text, "the row has %d heights; the first one has %d", count,
                                      reader->columns);
    }
    reader->rows += 1;
    return true;
}

static bool read_grid(GridReader* reader) {
    CnWordReader* text = &reader->text;
    return cn_lines_read(text, read_row, reader) &&
           (reader->rows > 0 ||
            cn_report_error(text->errors, CN_INVALID, 0, "", "holds no heights"));
}

// A CnFileReader.
static void parse(const char* bytes, size_t length, const CnAllocator* allocator,
                  CnErrorList* errors, void* out) {
    CnHeightGrid* grid = out;
    GridReader reader = {
        .text = {
            .bytes = bytes, .length = length, .line = 1, .allocator = allocator, .errors = errors}};
    if (read_grid(&reader)) {
        *grid = (CnHeightGrid){reader.columns, reader.rows, reader.heights.data};
    } else {
        cn_array_free(&reader.heights, allocator);
    }
}

CnStatus cn_height_file_load(const char* path, const CnAllocator* allocator, CnHeightGrid* grid,
                             CnError* error) {
    *grid = (CnHeightGrid){0};
    return cn_file_load(path, CN_MESH_MAX_BYTES, parse, allocator, grid, error);
}

CnStatus cn_height_parse(const char* text, size_t length, const char* label,
                         const CnAllocator* allocator, CnHeightGrid* grid, CnError* error) {
    CnErrorList errors;
    *grid = (CnHeightGrid){0};
    cn_error_list_init(&errors, label, NULL, 0);
    parse(text, length, allocator, &errors, grid);
    return cn_error_list_first(&errors, error);
}

void cn_height_grid_free(CnHeightGrid* grid, const CnAllocator* allocator) {
    cn_release(allocator, grid->heights);
    *grid = (CnHeightGrid){0};
}
