// word_reader.c - reads a file in memory by words, numbers and lines.
#include "io/text/word_reader.h"

#include "io/text/text.h"
#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

bool cn_reader_report_error(CnWordReader* reader, const char* format, ...) {
    char sentence[sizeof reader->errors->first.message], place[32] = "";
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(sentence, sizeof sentence, format, arguments);
    va_end(arguments);
    if (reader->binary) {
        snprintf(place, sizeof place, "byte %zu", reader->mark);
    }
    return cn_report_error(reader->errors, CN_INVALID, reader->binary ? 0 : reader->line, place,
                           "%s", sentence);
}

// ---- words ----

static bool is_line_end(char c) {
    return c == '\n' || c == '\r';
}

static bool is_blank(char c) {
    return c == ' ' || c == '\t' || c == '\v' || c == '\f';
}

// Lines end with LF, CR LF or CR.
bool cn_reader_next_line(CnWordReader* reader) {
    while (reader->at < reader->length && !is_line_end(reader->bytes[reader->at])) {
        reader->at += 1;
    }
    if (reader->at == reader->length) {
        return false;
    }
    bool is_pair = reader->bytes[reader->at] == '\r' && reader->bytes[reader->at + 1] == '\n';
    reader->at += is_pair ? 2 : 1;
    reader->line += 1;
    return reader->at < reader->length;
}

static bool is_continuation(const CnWordReader* reader) {
    return reader->continues && reader->bytes[reader->at] == '\\' &&
           is_line_end(reader->bytes[reader->at + 1]);
}

bool cn_reader_word(CnWordReader* reader, CnWord* word) {
    while (reader->at < reader->length &&
           (is_blank(reader->bytes[reader->at]) || is_continuation(reader))) {
        if (is_continuation(reader)) {
            cn_reader_next_line(reader);
        } else {
            reader->at += 1;
        }
    }
    reader->mark = reader->at;
    while (reader->at < reader->length && !is_blank(reader->bytes[reader->at]) &&
           !is_line_end(reader->bytes[reader->at]) && !is_continuation(reader)) {
        reader->at += 1;
    }
    *word = (CnWord){reader->bytes + reader->mark, reader->at - reader->mark};
    return word->length > 0;
}

bool cn_reader_word_below(CnWordReader* reader, CnWord* word) {
    while (!cn_reader_word(reader, word)) {
        if (!cn_reader_next_line(reader)) {
            return false;
        }
    }
    return true;
}

bool cn_word_is(CnWord word, const char* text) {
    return word.length == strlen(text) && strncasecmp(word.text, text, word.length) == 0;
}

const char* cn_word_show(CnWord word, char shown[CN_WORD_SHOWN_SIZE]) {
    char copy[CN_WORD_SHOWN_SIZE], part[CN_SHOWN_SIZE];
    size_t length = word.length < sizeof copy - 1 ? word.length : sizeof copy - 1;
    memcpy(copy, word.text, length);
    copy[length] = 0;
    for (size_t i = 0; i < length; ++i) {
        copy[i] = copy[i] == 0 ? '?' : copy[i]; // shown like any other control character
    }
    snprintf(shown, CN_WORD_SHOWN_SIZE, "\"%s\"", cn_text_show(copy, part));
    return shown;
}

// ---- numbers ----

static size_t count_digits(CnWord word, size_t from) {
    size_t to = from;
    while (to < word.length && isdigit((unsigned char)word.text[to])) {
        ++to;
    }
    return to - from;
}

static size_t count_signs(CnWord word, size_t from) {
    return from < word.length && (word.text[from] == '-' || word.text[from] == '+') ? 1 : 0;
}

// number = [+-] (digits [. [digits]] | . digits) [e [+-] digits]
static bool is_number(CnWord word) {
    size_t at = count_signs(word, 0);
    size_t digits = count_digits(word, at);
    at += digits;
    if (at < word.length && word.text[at] == '.') {
        size_t fraction = count_digits(word, at + 1);
        digits += fraction;
        at += 1 + fraction;
    }
    if (digits == 0) {
        return false;
    }
    if (at < word.length && (word.text[at] == 'e' || word.text[at] == 'E')) {
        at += 1;
        at += count_signs(word, at);
        size_t exponent = count_digits(word, at);
        if (exponent == 0) {
            return false;
        }
        at += exponent;
    }
    return at == word.length;
}

// After the word comes a blank, a line end or a null character, where strtod stops.
bool cn_word_number(CnWord word, double* number) {
    if (!is_number(word)) {
        return false;
    }
    *number = strtod(word.text, NULL);
    return true;
}

bool cn_word_integer(CnWord word, int64_t* number) {
    const size_t most_digits = 18; // 10^18 < 2^63
    size_t sign = count_signs(word, 0);
    size_t digits = count_digits(word, sign);
    if (digits == 0 || digits > most_digits || sign + digits != word.length) {
        return false;
    }
    int64_t value = 0;
    for (size_t i = sign; i < word.length; ++i) {
        value = 10 * value + (word.text[i] - '0');
    }
    *number = word.text[0] == '-' ? -value : value;
    return true;
}

bool cn_mesh_check_coordinate(CnWordReader* reader, const char* axis, double coordinate) {
    if (!isfinite(coordinate)) {
        return cn_reader_report_error(reader, "%s is %g; coordinates must be finite", axis,
                                      coordinate);
    }
    if (fabs(coordinate) > CN_MESH_MAX_COORDINATE) {
        return cn_reader_report_error(reader, "%s is %g m; coordinates beyond %g m are refused",
                                      axis, coordinate, CN_MESH_MAX_COORDINATE);
    }
    return true;
}

bool cn_mesh_read_coordinate(CnWordReader* reader, const char* axis, double* coordinate) {
    CnWord word;
    char shown[CN_WORD_SHOWN_SIZE];
    if (!cn_reader_word(reader, &word)) {
        return cn_reader_report_error(reader, "%s is missing; a vertex needs three coordinates",
                                      axis);
    }
    if (!cn_word_number(word, coordinate)) {
        return cn_reader_report_error(reader,
                                      "%s is %s; a coordinate must be a finite decimal number",
                                      axis, cn_word_show(word, shown));
    }
    return cn_mesh_check_coordinate(reader, axis, *coordinate);
}

// ---- points and triangles ----

bool cn_mesh_add_point(CnWordReader* reader, CnVec3 point) {
    return cn_array_push(&reader->points, reader->allocator, point) ||
           cn_report_no_memory(reader->errors);
}

bool cn_mesh_add_triangle(CnWordReader* reader, int a, int b, int c) {
    CnMeshTriangle triangle = {{a, b, c}};
    return cn_array_push(&reader->triangles, reader->allocator, triangle) ||
           cn_report_no_memory(reader->errors);
}
