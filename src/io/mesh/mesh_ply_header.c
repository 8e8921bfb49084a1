// mesh_ply_header.c - reads and checks the header of a PLY file.
#include "io/mesh/mesh_ply.h"

#include <string.h>

static const CnPlyType types[] = {
    {"char", "int8", CN_PLY_SIGNED, 1},    {"uchar", "uint8", CN_PLY_UNSIGNED, 1},
    {"short", "int16", CN_PLY_SIGNED, 2},  {"ushort", "uint16", CN_PLY_UNSIGNED, 2},
    {"int", "int32", CN_PLY_SIGNED, 4},    {"uint", "uint32", CN_PLY_UNSIGNED, 4},
    {"float", "float32", CN_PLY_FLOAT, 4}, {"double", "float64", CN_PLY_FLOAT, 8},
};
enum { TYPE_COUNT = sizeof types / sizeof types[0] };

// ---- lines of the header ----

static bool need_word(CnWordReader* reader, const char* what, CnWord* word) {
    return cn_reader_word(reader, word) ||
           cn_reader_report_error(reader, "the line ends where %s was expected", what);
}

static bool read_format(CnWordReader* reader, CnPlyHeader* header) {
    CnWord name, version;
    char shown[CN_WORD_SHOWN_SIZE];
    if (header->has_format) {
        return cn_reader_report_error(reader, "the format is given twice");
    }
    if (!need_word(reader, "the format", &name) || !need_word(reader, "its version", &version)) {
        return false;
    }
    header->has_format = true;
    header->is_text = cn_word_is(name, "ascii");
    header->big_endian = cn_word_is(name, "binary_big_endian");
    if (!header->is_text && !header->big_endian && !cn_word_is(name, "binary_little_endian")) {
        return cn_reader_report_error(reader,
                                      "%s is not a format; expected ascii, binary_little_endian or "
                                      "binary_big_endian",
                                      cn_word_show(name, shown));
    }
    return cn_word_is(version, "1.0") ||
           cn_reader_report_error(reader, "the version is %s; only 1.0 is known",
                                  cn_word_show(version, shown));
}

static bool read_element(CnWordReader* reader, CnPlyHeader* header) {
    CnWord name, count;
    char shown[CN_WORD_SHOWN_SIZE];
    if (header->element_count == CN_PLY_MAX_ELEMENTS) {
        return cn_reader_report_error(reader, "more than %d kinds of elements",
                                      CN_PLY_MAX_ELEMENTS);
    }
    CnPlyElement* element = &header->elements[header->element_count];
    *element = (CnPlyElement){0};
    if (!need_word(reader, "the name of an element", &name) ||
        !need_word(reader, "the number of elements", &count)) {
        return false;
    }
    if (!cn_word_integer(count, &element->count) || element->count < 0) {
        return cn_reader_report_error(reader, "%s is not a number of elements",
                                      cn_word_show(count, shown));
    }
    bool is_vertex = cn_word_is(name, "vertex"), is_face = cn_word_is(name, "face");
    if ((is_vertex && header->vertices != NULL) || (is_face && header->faces != NULL)) {
        return cn_reader_report_error(reader, "element %s is given twice",
                                      cn_word_show(name, shown));
    }
    element->name = name;
    header->vertices = is_vertex ? element : header->vertices;
    header->faces = is_face ? element : header->faces;
    header->element_count += 1;
    return true;
}

static bool read_type(CnWordReader* reader, CnWord word, const CnPlyType** type) {
    char shown[CN_WORD_SHOWN_SIZE];
    for (int i = 0; i < TYPE_COUNT; ++i) {
        if (cn_word_is(word, types[i].name) || cn_word_is(word, types[i].other_name)) {
            *type = &types[i];
            return true;
        }
    }
    return cn_reader_report_error(reader,
                                  "%s is not a type; expected char, uchar, short, ushort, int, "
                                  "uint, float, double or their names with sizes",
                                  cn_word_show(word, shown));
}

static CnPlyRole find_role(const CnPlyHeader* header, const CnPlyElement* element, CnWord name) {
    static const char* const axes[3] = {"x", "y", "z"};
    for (int i = 0; i < 3 && element == header->vertices; ++i) {
        if (cn_word_is(name, axes[i])) {
            return (CnPlyRole)(CN_PLY_X + i);
        }
    }
    bool is_corners = cn_word_is(name, "vertex_indices") || cn_word_is(name, "vertex_index");
    return element == header->faces && is_corners ? CN_PLY_CORNERS : CN_PLY_SKIPPED;
}

static bool has_role(const CnPlyElement* element, CnPlyRole role) {
    bool found = false;
    for (int i = 0; i < element->property_count; ++i) {
        found = found || element->properties[i].role == role;
    }
    return found;
}

static bool check_property(CnWordReader* reader, const CnPlyElement* element,
                           const CnPlyProperty* property, CnWord name) {
    char shown[CN_WORD_SHOWN_SIZE];
    if (property->count_type != NULL && property->count_type->kind == CN_PLY_FLOAT) {
        return cn_reader_report_error(reader, "a list cannot count its items with a %s",
                                      property->count_type->name);
    }
    if (property->role == CN_PLY_SKIPPED) {
        return true;
    }
    if (has_role(element, property->role)) {
        return cn_reader_report_error(reader, "property %s is given twice",
                                      cn_word_show(name, shown));
    }
    bool is_list = property->count_type != NULL;
    if (property->role != CN_PLY_CORNERS) {
        return !is_list ||
               cn_reader_report_error(reader, "coordinate %s is a list; expected one value",
                                      cn_word_show(name, shown));
    }
    return (is_list && property->type->kind != CN_PLY_FLOAT) ||
           cn_reader_report_error(reader, "%s must be a list of whole numbers",
                                  cn_word_show(name, shown));
}

static bool read_property(CnWordReader* reader, CnPlyHeader* header) {
    CnWord word, name;
    CnPlyProperty property = {0};
    if (header->element_count == 0) {
        return cn_reader_report_error(reader, "a property stands before the first element");
    }
    CnPlyElement* element = &header->elements[header->element_count - 1];
    if (element->property_count == CN_PLY_MAX_PROPERTIES) {
        return cn_reader_report_error(reader, "more than %d properties in one element",
                                      CN_PLY_MAX_PROPERTIES);
    }
    if (!need_word(reader, "a type", &word)) {
        return false;
    }
    if (cn_word_is(word, "list") && !(need_word(reader, "the type of the list's length", &word) &&
                                      read_type(reader, word, &property.count_type) &&
                                      need_word(reader, "the type of the list's items", &word))) {
        return false;
    }
    if (!read_type(reader, word, &property.type) ||
        !need_word(reader, "the name of the property", &name)) {
        return false;
    }
    property.role = find_role(header, element, name);
    if (!check_property(reader, element, &property, name)) {
        return false;
    }
    element->properties[element->property_count++] = property;
    return true;
}

static bool read_line(CnWordReader* reader, CnWord keyword, CnPlyHeader* header) {
    static const struct {
        const char* keyword;
        bool (*read)(CnWordReader*, CnPlyHeader*);
    } lines[] = {
        {"format", read_format}, {"element", read_element}, {"property", read_property},
        {"comment", NULL},       {"obj_info", NULL},
    };
    CnWord extra;
    char shown[CN_WORD_SHOWN_SIZE];
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; ++i) {
        if (cn_word_is(keyword, lines[i].keyword)) {
            if (lines[i].read == NULL) {
                return true;
            }
            return lines[i].read(reader, header) &&
                   (!cn_reader_word(reader, &extra) ||
                    cn_reader_report_error(reader, "%s follows where the line should end",
                                           cn_word_show(extra, shown)));
        }
    }
    return cn_reader_report_error(reader,
                                  "%s stands where \"element\", \"property\" or \"end_header\" was "
                                  "expected",
                                  cn_word_show(keyword, shown));
}

// ---- the header as a whole ----

static bool check_contents(CnWordReader* reader, const CnPlyHeader* header) {
    static const char* const axes[3] = {"x", "y", "z"};
    if (!header->has_format) {
        return cn_reader_report_error(reader, "the header has no format");
    }
    if (header->vertices == NULL || header->faces == NULL) {
        return cn_reader_report_error(reader, "the header has no element \"%s\"",
                                      header->vertices == NULL ? "vertex" : "face");
    }
    for (int i = 0; i < 3; ++i) {
        if (!has_role(header->vertices, (CnPlyRole)(CN_PLY_X + i))) {
            return cn_reader_report_error(reader, "the vertices have no property %s", axes[i]);
        }
    }
    return has_role(header->faces, CN_PLY_CORNERS) ||
           cn_reader_report_error(reader, "the faces have no property vertex_indices");
}

// The fewest bytes of an element: in a text one digit and a separator.
static size_t smallest_size(const CnPlyHeader* header, const CnPlyElement* element) {
    size_t size = 0;
    for (int i = 0; i < element->property_count; ++i) {
        const CnPlyProperty* property = &element->properties[i];
        const CnPlyType* first =
            property->count_type != NULL ? property->count_type : property->type;
        size += header->is_text ? 2 : first->size;
    }
    return size;
}

static bool check_room(CnWordReader* reader, const CnPlyHeader* header) {
    char shown[CN_WORD_SHOWN_SIZE];
    size_t room = reader->length - reader->at + (header->is_text ? 1 : 0); // no last separator
    for (int i = 0; i < header->element_count; ++i) {
        const CnPlyElement* element = &header->elements[i];
        size_t size = smallest_size(header, element);
        if (size == 0) {
            return cn_reader_report_error(reader, "element %s has no properties",
                                          cn_word_show(element->name, shown));
        }
        if ((uint64_t)element->count > room / size) {
            return cn_reader_report_error(
                reader,
                "the header promises %lld elements %s of at least %zu bytes; "
                "%zu bytes are left",
                (long long)element->count, cn_word_show(element->name, shown), size, room);
        }
        room -= (size_t)element->count * size;
    }
    return true;
}

// Skips the line end after "end_header", which must be of the same kind as the first one: after a
// bare CR, a LF would be data.
static bool end_header(CnWordReader* reader) {
    size_t magic = strlen("ply");
    bool pairs = reader->bytes[magic] == '\r' && reader->bytes[magic + 1] == '\n';
    char c = reader->bytes[reader->at];
    if (reader->at == reader->length || (c != '\r' && c != '\n')) {
        return cn_reader_report_error(reader, "the line should end behind \"end_header\"");
    }
    reader->at += c == '\r' && pairs && reader->bytes[reader->at + 1] == '\n' ? 2 : 1;
    reader->line += 1;
    return true;
}

bool cn_ply_read_header(CnWordReader* reader, CnPlyHeader* header) {
    CnWord word;
    *header = (CnPlyHeader){0};
    if (!cn_reader_word(reader, &word) || !cn_word_is(word, "ply") || reader->mark != 0) {
        return cn_reader_report_error(reader, "a PLY file begins with the line \"ply\"");
    }
    while (cn_reader_next_line(reader)) {
        if (!cn_reader_word(reader, &word)) {
            continue;
        }
        if (cn_word_is(word, "end_header")) {
            return end_header(reader) && check_contents(reader, header) &&
                   check_room(reader, header);
        }
        if (!read_line(reader, word, header)) {
            return false;
        }
    }
    return cn_reader_report_error(reader, "the file ends before \"end_header\"");
}
