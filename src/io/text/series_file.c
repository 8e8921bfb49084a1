// series_file.c - reads a series from plain text: a time and a value per line.
#include "io/text/series_file.h"

#include "io/text/file.h"
#include "io/text/number_lines.h"
#include <math.h>
#include <string.h>

#define WORD_ENDS CN_BLANKS ",;#\r\n"

typedef struct SeriesReader {
    CnWordReader text; // words, lines and errors; no points or triangles
    CN_ARRAY(double) times;
    CN_ARRAY(double) values;
    bool has_labels; // a line of column names was skipped
} SeriesReader;

static CnWord next_word(CnWordReader* text) {
    cn_lines_skip_blanks(text);
    const char* start = text->bytes + text->at;
    CnWord word = {start, strcspn(start, WORD_ENDS)};
    text->at += word.length;
    return word;
}

static bool read_number(CnWordReader* text, const char* what, CnWord word, double* number) {
    char shown[CN_WORD_SHOWN_SIZE];
    if (word.length == 0) {
        return cn_reader_report_error(text, "the %s is missing; a line has a time and a value",
                                      what);
    }
    if (!cn_word_number(word, number) || !isfinite(*number)) {
        return cn_reader_report_error(text, "%s is not a %s; expected a finite decimal number",
                                      cn_word_show(word, shown), what);
    }
    return true;
}

static bool add_sample(SeriesReader* reader, double time, double value) {
    CnWordReader* text = &reader->text;
    int count = reader->times.count;
    if (count > 0 && !(time > reader->times.data[count - 1])) {
        return cn_reader_report_error(
            text, "the time is %g s; it must be larger than the one before it, %g s", time,
            reader->times.data[count - 1]);
    }
    return (cn_array_push(&reader->times, text->allocator, time) &&
            cn_array_push(&reader->values, text->allocator, value)) ||
           cn_report_no_memory(text->errors);
}

// Programs print non-finite numbers as nan, NaN, inf, Infinity.
static bool is_infinite_or_nan(CnWord word) {
    return cn_word_is(word, "nan") || cn_word_is(word, "inf") || cn_word_is(word, "infinity");
}

// The first line may name the columns.
static bool is_label(SeriesReader* reader, CnWord word) {
    double number;
    bool is_first = reader->times.count == 0 && !reader->has_labels;
    return is_first && word.length > 0 && !cn_word_number(word, &number) &&
           !is_infinite_or_nan(word) && strchr("+-.0123456789", word.text[0]) == NULL;
}

// Two numbers separated by blanks or a comma with or without blanks; or an empty line.
static bool read_line(void* data) {
    SeriesReader* reader = data;
    CnWordReader* text = &reader->text;
    double time = 0.0, value = 0.0;
    if (cn_lines_at_end(cn_lines_skip_blanks(text))) {
        return true;
    }
    CnWord word = next_word(text);
    if (is_label(reader, word)) {
        reader->has_labels = true;
        return true;
    }
    if (!read_number(text, "time", word, &time)) {
        return false;
    }
    text->at += cn_lines_skip_blanks(text) == ',' ? 1 : 0;
    if (!read_number(text, "value", next_word(text), &value)) {
        return false;
    }
    if (!cn_lines_at_end(cn_lines_skip_blanks(text))) {
        return cn_reader_report_error(text, "a line has a time and a value; this one has more");
    }
    return add_sample(reader, time, value);
}

static bool read_lines(SeriesReader* reader) {
    CnWordReader* text = &reader->text;
    return cn_lines_read(text, read_line, reader) &&
           (reader->times.count > 0 ||
            cn_report_error(text->errors, CN_INVALID, 0, "", "holds no samples"));
}

// A CnFileReader.
static void parse(const char* text, size_t length, const CnAllocator* allocator,
                  CnErrorList* errors, void* out) {
    CnSeriesDef* def = out;
    SeriesReader reader = {
        .text = {
            .bytes = text, .length = length, .line = 1, .allocator = allocator, .errors = errors}};
    if (read_lines(&reader)) {
        *def = (CnSeriesDef){
            .count = reader.times.count, .times = reader.times.data, .values = reader.values.data};
    } else {
        cn_array_free(&reader.times, allocator);
        cn_array_free(&reader.values, allocator);
    }
}

CnStatus cn_series_parse(const char* text, size_t length, const char* label,
                         const CnAllocator* allocator, CnSeriesDef* def, CnError* error) {
    CnErrorList errors;
    *def = (CnSeriesDef){0};
    cn_error_list_init(&errors, label, NULL, 0);
    parse(text, length, allocator, &errors, def);
    return cn_error_list_first(&errors, error);
}

CnStatus cn_series_load_from(const char* path, const CnAllocator* allocator, CnSeriesDef* def,
                             CnError* error) {
    *def = (CnSeriesDef){0};
    return cn_file_load(path, CN_SERIES_MAX_BYTES, parse, allocator, def, error);
}

void cn_series_release(CnSeriesDef* def, const CnAllocator* allocator) {
    cn_release(allocator, (double*)(uintptr_t)def->times);
    cn_release(allocator, (double*)(uintptr_t)def->values);
    *def = (CnSeriesDef){0};
}

CnStatus cn_series_load(const char* path, CnSeriesDef* def, CnError* error) {
    const CnAllocator heap = {0};
    return cn_series_load_from(path, &heap, def, error);
}

void cn_series_free(CnSeriesDef* def) {
    const CnAllocator heap = {0};
    cn_series_release(def, &heap);
}
