// mesh_stl.c - STL: triangles with their corners written out, as text or binary.
#include "io/text/word_reader.h"

#include <string.h>

#define HEADER_SIZE 80u // of any bytes, "solid" too
#define COUNT_SIZE 4u   // little-endian
#define RECORD_SIZE 50u // twelve floats (normal, three corners) and two bytes of attributes
#define CORNERS_AT 12u  // in a record, after the normal
#define FLOAT_SIZE 4u

static const char* const axes[3] = {"x", "y", "z"};

static uint32_t little_endian(const char* bytes) {
    uint32_t value = 0;
    for (unsigned i = 0; i < 4; ++i) {
        value |= (uint32_t)(unsigned char)bytes[i] << 8u * i;
    }
    return value;
}

// ---- binary ----

static uint64_t expected_size(const CnWordReader* reader) {
    uint64_t count = little_endian(reader->bytes + HEADER_SIZE);
    return HEADER_SIZE + COUNT_SIZE + count * RECORD_SIZE;
}

bool cn_stl_has_exact_size(const CnWordReader* reader) {
    return reader->length >= HEADER_SIZE + COUNT_SIZE && expected_size(reader) == reader->length;
}

static bool check_size(CnWordReader* reader) {
    if (reader->length < HEADER_SIZE + COUNT_SIZE) {
        reader->mark = reader->length;
        return cn_reader_report_error(
            reader, "the file ends inside the header of a binary STL file (%u bytes)",
            HEADER_SIZE + COUNT_SIZE);
    }
    if (!cn_stl_has_exact_size(reader)) {
        reader->mark = HEADER_SIZE;
        return cn_reader_report_error(
            reader, "the header promises %u triangles, which is a file of %llu bytes; it has %zu",
            little_endian(reader->bytes + HEADER_SIZE), (unsigned long long)expected_size(reader),
            reader->length);
    }
    return true;
}

static bool read_float(CnWordReader* reader, const char* axis, double* value) {
    float single;
    uint32_t bits = little_endian(reader->bytes + reader->at);
    memcpy(&single, &bits, sizeof single);
    *value = (double)single;
    reader->mark = reader->at;
    reader->at += FLOAT_SIZE;
    return cn_mesh_check_coordinate(reader, axis, *value);
}

static bool read_record(CnWordReader* reader) {
    int first = reader->points.count;
    for (int corner = 0; corner < 3; ++corner) {
        double x[3];
        for (int i = 0; i < 3; ++i) {
            if (!read_float(reader, axes[i], &x[i])) {
                return false;
            }
        }
        if (!cn_mesh_add_point(reader, cn_vec3(x[0], x[1], x[2]))) {
            return false;
        }
    }
    return cn_mesh_add_triangle(reader, first, first + 1, first + 2);
}

static bool read_binary(CnWordReader* reader) {
    reader->binary = true;
    if (!check_size(reader)) {
        return false;
    }
    for (size_t at = HEADER_SIZE + COUNT_SIZE; at < reader->length; at += RECORD_SIZE) {
        reader->at = at + CORNERS_AT;
        if (!read_record(reader)) {
            return false;
        }
    }
    return true;
}

// ---- text ----

static bool expect(CnWordReader* reader, const char* keyword) {
    CnWord word;
    char shown[CN_WORD_SHOWN_SIZE];
    if (!cn_reader_word_below(reader, &word)) {
        return cn_reader_report_error(reader, "the file ends where \"%s\" was expected", keyword);
    }
    return cn_word_is(word, keyword) ||
           cn_reader_report_error(reader, "%s stands where \"%s\" was expected",
                                  cn_word_show(word, shown), keyword);
}

// The normal is ignored: files have it zero, rounded or not a number. The corners define it.
static bool skip_normal(CnWordReader* reader) {
    CnWord word;
    for (int i = 0; i < 3; ++i) {
        if (!cn_reader_word(reader, &word)) {
            return cn_reader_report_error(reader, "the normal has %d of 3 components", i);
        }
    }
    return true;
}

static bool read_corner(CnWordReader* reader) {
    double x[3];
    if (!expect(reader, "vertex")) {
        return false;
    }
    for (int i = 0; i < 3; ++i) {
        if (!cn_mesh_read_coordinate(reader, axes[i], &x[i])) {
            return false;
        }
    }
    return cn_mesh_add_point(reader, cn_vec3(x[0], x[1], x[2]));
}

// After the word "facet".
static bool read_facet(CnWordReader* reader) {
    int first = reader->points.count;
    return expect(reader, "normal") && skip_normal(reader) && expect(reader, "outer") &&
           expect(reader, "loop") && read_corner(reader) && read_corner(reader) &&
           read_corner(reader) && expect(reader, "endloop") && expect(reader, "endfacet") &&
           cn_mesh_add_triangle(reader, first, first + 1, first + 2);
}

// After the word "solid": the rest of the line is a name, as after "endsolid".
static bool read_solid(CnWordReader* reader) {
    CnWord word;
    char shown[CN_WORD_SHOWN_SIZE];
    cn_reader_next_line(reader);
    while (cn_reader_word_below(reader, &word)) {
        if (cn_word_is(word, "endsolid")) {
            cn_reader_next_line(reader);
            return true;
        }
        if (!cn_word_is(word, "facet")) {
            return cn_reader_report_error(reader,
                                          "%s stands where \"facet\" or \"endsolid\" was expected",
                                          cn_word_show(word, shown));
        }
        if (!read_facet(reader)) {
            return false;
        }
    }
    return cn_reader_report_error(reader, "the file ends before \"endsolid\"");
}

static bool read_text(CnWordReader* reader) {
    CnWord word;
    char shown[CN_WORD_SHOWN_SIZE];
    while (cn_reader_word_below(reader, &word)) {
        if (!cn_word_is(word, "solid")) {
            return cn_reader_report_error(reader, "%s stands where \"solid\" was expected",
                                          cn_word_show(word, shown));
        }
        if (!read_solid(reader)) {
            return false;
        }
    }
    return true;
}

// A text file begins with "solid" and has no null character. Both tests are needed, because many
// programs begin their binary files with "solid" too. A truncated binary file has null characters
// in counts, attributes and round numbers.
bool cn_mesh_read_stl(CnWordReader* reader) {
    CnWordReader start = *reader;
    CnWord word;
    bool is_text = !cn_stl_has_exact_size(reader) && cn_reader_word_below(&start, &word) &&
                   cn_word_is(word, "solid") && memchr(reader->bytes, 0, reader->length) == NULL;
    return is_text ? read_text(reader) : read_binary(reader);
}
