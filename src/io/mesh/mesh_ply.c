// mesh_ply.c - PLY: vertices and faces among elements of any kind, as text or binary.
#include "io/mesh/mesh_ply.h"

#include <math.h>
#include <string.h>

#define TWO_TO(bits) ((double)(UINT64_C(1) << (bits)))

typedef struct Body {
    CnWordReader* reader;
    const CnPlyHeader* header;
    double coordinates[3]; // of the vertex being read
} Body;

// ---- single values ----

static double decode(const CnPlyType* type, uint64_t bits) {
    if (type->kind == CN_PLY_FLOAT && type->size == sizeof(double)) {
        double value;
        memcpy(&value, &bits, sizeof value);
        return value;
    }
    if (type->kind == CN_PLY_FLOAT) {
        float value;
        uint32_t half = (uint32_t)bits;
        memcpy(&value, &half, sizeof value);
        return (double)value;
    }
    unsigned width = 8u * type->size;
    bool is_negative = type->kind == CN_PLY_SIGNED && (bits >> (width - 1u)) != 0;
    return (double)bits - (is_negative ? TWO_TO(width) : 0.0); // two's complement
}

static bool read_binary_value(Body* body, const CnPlyType* type, double* value) {
    CnWordReader* reader = body->reader;
    reader->mark = reader->at;
    if (reader->length - reader->at < type->size) {
        return cn_reader_report_error(reader, "the file ends where a value of type %s was expected",
                                      type->name);
    }
    const unsigned char* bytes = (const unsigned char*)reader->bytes + reader->at;
    uint64_t bits = 0;
    for (unsigned i = 0; i < type->size; ++i) {
        bits = bits << 8u | bytes[body->header->big_endian ? i : type->size - 1u - i];
    }
    reader->at += type->size;
    *value = decode(type, bits);
    return true;
}

static bool read_text_value(Body* body, const CnPlyType* type, bool skip, double* value) {
    CnWord word;
    char shown[CN_WORD_SHOWN_SIZE];
    if (!cn_reader_word(body->reader, &word)) {
        return cn_reader_report_error(
            body->reader, "the line ends where a value of type %s was expected", type->name);
    }
    return skip || cn_word_number(word, value) ||
           cn_reader_report_error(body->reader, "%s stands where a finite %s was expected",
                                  cn_word_show(word, shown), type->name);
}

static bool read_value(Body* body, const CnPlyType* type, bool skip, double* value) {
    return body->header->is_text ? read_text_value(body, type, skip, value)
                                 : read_binary_value(body, type, value);
}

// ---- properties ----

static bool read_corner(Body* body, const CnPlyType* type, int* corner) {
    double index = 0.0, count = (double)body->header->vertices->count;
    if (!read_value(body, type, false, &index)) {
        return false;
    }
    if (index != floor(index) || index < 0.0 || index >= count) {
        return cn_reader_report_error(body->reader,
                                      "the face uses vertex %.17g; the %.0f vertices count from 0",
                                      index, count);
    }
    *corner = (int)index;
    return true;
}

static bool read_face(Body* body, const CnPlyType* type, double count) {
    int first = 0, previous = 0;
    if (count < 3.0) {
        return cn_reader_report_error(body->reader,
                                      "the face has %.0f corners; it needs at least 3", count);
    }
    for (double i = 0.0; i < count; i += 1.0) {
        int corner = 0;
        if (!read_corner(body, type, &corner) ||
            (i >= 2.0 && !cn_mesh_add_triangle(body->reader, first, previous, corner))) {
            return false;
        }
        first = i == 0.0 ? corner : first;
        previous = corner;
    }
    return true;
}

static bool read_list(Body* body, const CnPlyProperty* property) {
    double count = 0.0, ignored = 0.0;
    if (!read_value(body, property->count_type, false, &count)) {
        return false;
    }
    if (count != floor(count) || count < 0.0 || count > (double)body->reader->length) {
        return cn_reader_report_error(body->reader, "a list cannot have %.17g items", count);
    }
    if (property->role == CN_PLY_CORNERS) {
        return read_face(body, property->type, count);
    }
    for (double i = 0.0; i < count; i += 1.0) {
        if (!read_value(body, property->type, true, &ignored)) {
            return false;
        }
    }
    return true;
}

static bool read_property(Body* body, const CnPlyProperty* property) {
    static const char* const axes[3] = {"x", "y", "z"};
    double value = 0.0;
    if (property->count_type != NULL) {
        return read_list(body, property);
    }
    if (!read_value(body, property->type, property->role == CN_PLY_SKIPPED, &value)) {
        return false;
    }
    if (property->role == CN_PLY_SKIPPED) {
        return true;
    }
    body->coordinates[property->role - CN_PLY_X] = value;
    return cn_mesh_check_coordinate(body->reader, axes[property->role - CN_PLY_X], value);
}

// ---- elements ----

// In a text every element has a line of its own.
static bool find_line(Body* body, const CnPlyElement* element) {
    CnWordReader* reader = body->reader;
    CnWord word;
    char shown[CN_WORD_SHOWN_SIZE];
    if (!cn_reader_word_below(reader, &word)) {
        return cn_reader_report_error(reader, "the file ends where an element %s was expected",
                                      cn_word_show(element->name, shown));
    }
    reader->at = reader->mark; // the word is the element's first
    return true;
}

static bool check_line_end(Body* body, const CnPlyElement* element) {
    CnWord word;
    char shown[CN_WORD_SHOWN_SIZE], name[CN_WORD_SHOWN_SIZE];
    return !cn_reader_word(body->reader, &word) ||
           cn_reader_report_error(body->reader, "%s follows the last value of an element %s",
                                  cn_word_show(word, shown), cn_word_show(element->name, name));
}

static bool read_element(Body* body, const CnPlyElement* element) {
    bool is_text = body->header->is_text;
    if (is_text && !find_line(body, element)) {
        return false;
    }
    for (int i = 0; i < element->property_count; ++i) {
        if (!read_property(body, &element->properties[i])) {
            return false;
        }
    }
    const double* x = body->coordinates;
    return (!is_text || check_line_end(body, element)) &&
           (element != body->header->vertices ||
            cn_mesh_add_point(body->reader, cn_vec3(x[0], x[1], x[2])));
}

static bool check_end(Body* body) {
    CnWordReader* reader = body->reader;
    CnWord word;
    char shown[CN_WORD_SHOWN_SIZE];
    if (!body->header->is_text) {
        reader->mark = reader->at;
        return reader->at == reader->length ||
               cn_reader_report_error(reader, "%zu bytes follow the last element",
                                      reader->length - reader->at);
    }
    return !cn_reader_word_below(reader, &word) ||
           cn_reader_report_error(reader, "%s follows the last element", cn_word_show(word, shown));
}

bool cn_mesh_read_ply(CnWordReader* reader) {
    CnPlyHeader header;
    if (!cn_ply_read_header(reader, &header)) {
        return false;
    }
    Body body = {.reader = reader, .header = &header};
    reader->binary = !header.is_text;
    for (int i = 0; i < header.element_count; ++i) {
        for (int64_t k = 0; k < header.elements[i].count; ++k) {
            if (!read_element(&body, &header.elements[i])) {
                return false;
            }
        }
    }
    return check_end(&body);
}
