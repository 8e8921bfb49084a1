// mesh_obj.c - Wavefront OBJ: the lines "v" and "f"; all others are skipped.
#include "io/text/word_reader.h"

#include <ctype.h>
#include <string.h>

#define MOST_EXTRAS 4 // numbers a vertex may have behind x y z: a weight and a colour

static bool is_comment(CnWord word) {
    return word.text[0] == '#';
}

static bool word_in_line(CnWordReader* reader, CnWord* word) {
    return cn_reader_word(reader, word) && !is_comment(*word);
}

static bool read_vertex(CnWordReader* reader) {
    CnVec3 point;
    CnWord word;
    char shown[CN_WORD_SHOWN_SIZE];
    double ignored;
    if (!cn_mesh_read_coordinate(reader, "x", &point.x) ||
        !cn_mesh_read_coordinate(reader, "y", &point.y) ||
        !cn_mesh_read_coordinate(reader, "z", &point.z)) {
        return false;
    }
    for (int extras = 0; word_in_line(reader, &word); ++extras) {
        if (extras == MOST_EXTRAS || !cn_word_number(word, &ignored)) {
            return cn_reader_report_error(
                reader,
                "%s follows the coordinates; a vertex has x y z and at most a "
                "weight and a colour",
                cn_word_show(word, shown));
        }
    }
    return cn_mesh_add_point(reader, point);
}

// "i", "i/t", "i//n" or "i/t/n": the vertex, and numbers of texture and normal, which are ignored.
static bool split_corner(CnWord word, int64_t* index) {
    CnWord part = {word.text, 0};
    for (int parts = 0; parts < 3; ++parts) {
        size_t left = word.length - (size_t)(part.text - word.text);
        const char* slash = memchr(part.text, '/', left);
        int64_t number;
        part.length = slash != NULL ? (size_t)(slash - part.text) : left;
        bool may_be_empty = parts == 1 && slash != NULL;
        if (!(may_be_empty && part.length == 0) && !cn_word_integer(part, &number)) {
            return false;
        }
        if (parts == 0) {
            *index = number;
        }
        if (slash == NULL) {
            return true;
        }
        part.text = slash + 1;
    }
    return false;
}

// Vertices count from 1, or backwards from -1, the last vertex before the face.
static bool read_corner(CnWordReader* reader, CnWord word, int* corner) {
    char shown[CN_WORD_SHOWN_SIZE];
    int64_t index = 0;
    if (!split_corner(word, &index)) {
        return cn_reader_report_error(
            reader,
            "%s is not a corner of a face; expected v, v/vt, v//vn or v/vt/vn "
            "in whole numbers",
            cn_word_show(word, shown));
    }
    int64_t place = index < 0 ? reader->points.count + index : index - 1;
    if (index == 0 || place < 0 || place >= reader->points.count) {
        return cn_reader_report_error(
            reader,
            "the face uses vertex %lld; the %d vertices above it count from 1, "
            "or from -1 backwards",
            (long long)index, reader->points.count);
    }
    *corner = (int)place;
    return true;
}

static bool read_face(CnWordReader* reader) {
    CnWord word;
    int first = 0, previous = 0, count = 0;
    for (; word_in_line(reader, &word); ++count) {
        int corner = 0;
        if (!read_corner(reader, word, &corner) ||
            (count >= 2 && !cn_mesh_add_triangle(reader, first, previous, corner))) {
            return false;
        }
        first = count == 0 ? corner : first;
        previous = corner;
    }
    return count >= 3 ||
           cn_reader_report_error(reader, "the face has %d corners; it needs at least 3", count);
}

bool cn_mesh_read_obj(CnWordReader* reader) {
    CnWord word;
    char shown[CN_WORD_SHOWN_SIZE];
    reader->continues = true;
    do {
        bool ok = true;
        if (!word_in_line(reader, &word)) {
            continue;
        }
        if (cn_word_is(word, "v")) {
            ok = read_vertex(reader);
        } else if (cn_word_is(word, "f")) {
            ok = read_face(reader);
        } else if (!isalpha((unsigned char)word.text[0])) {
            ok = cn_reader_report_error(reader, "%s is not a keyword of an OBJ file",
                                        cn_word_show(word, shown));
        }
        if (!ok) {
            return false;
        }
    } while (cn_reader_next_line(reader));
    return true;
}
