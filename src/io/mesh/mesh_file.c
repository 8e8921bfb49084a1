// mesh_file.c - finds the format of a mesh file, reads it and welds its points.
#include "io/mesh/mesh_file.h"

#include "base/hash.h"
#include "io/text/file.h"
#include "io/text/number.h"
#include "io/text/word_reader.h"
#include <string.h>
#include <strings.h>

// ---- which format ----

static bool first_word_is_any(const CnWordReader* reader, const char* const* words, int count) {
    CnWordReader start = *reader;
    CnWord word;
    while (cn_reader_word_below(&start, &word) && word.text[0] == '#') {
        cn_reader_next_line(&start); // a comment of an OBJ file
    }
    bool found = false;
    for (int i = 0; i < count; ++i) {
        found = found || cn_word_is(word, words[i]);
    }
    return found && memchr(reader->bytes, 0, reader->length) == NULL;
}

static bool is_ply(const CnWordReader* reader) {
    return strncmp(reader->bytes, "ply\n", 4) == 0 || strncmp(reader->bytes, "ply\r", 4) == 0;
}

static bool is_stl(const CnWordReader* reader) {
    static const char* const words[] = {"solid"};
    return cn_stl_has_exact_size(reader) || first_word_is_any(reader, words, 1);
}

static bool is_obj(const CnWordReader* reader) {
    static const char* const words[] = {"v", "vt",     "vn",     "vp", "f", "o",
                                        "g", "mtllib", "usemtl", "s",  "l", "p"};
    return first_word_is_any(reader, words, sizeof words / sizeof words[0]);
}

typedef struct Format {
    const char* extension;
    bool (*is)(const CnWordReader*);
    bool (*read)(CnWordReader*);
} Format;

static const Format formats[] = {
    {".ply", is_ply, cn_mesh_read_ply},
    {".stl", is_stl, cn_mesh_read_stl},
    {".obj", is_obj, cn_mesh_read_obj},
};
enum { FORMAT_COUNT = sizeof formats / sizeof formats[0] };

// The format according to the content, else according to the extension; NULL if neither tells.
static const Format* find_format(const CnWordReader* reader, const char* label) {
    const char* dot = strrchr(label, '.');
    const Format* format = NULL;
    for (int i = FORMAT_COUNT - 1; i >= 0; --i) {
        if (dot != NULL && strcasecmp(dot, formats[i].extension) == 0) {
            format = &formats[i];
        }
    }
    for (int i = FORMAT_COUNT - 1; i >= 0; --i) {
        format = formats[i].is(reader) ? &formats[i] : format;
    }
    return format;
}

// ---- welding ----

#define EMPTY (-1)

// A hash table of vertices by their coordinates.
typedef struct Welder {
    CnVec3* vertices; // [vertex_count; room for as many as there are points]
    int vertex_count;
    int* table; // open addressing, linear probing: vertices or EMPTY   [mask + 1]
    uint64_t mask;
} Welder;

static bool is_same_point(CnVec3 a, CnVec3 b) {
    return a.x == b.x && a.y == b.y && a.z == b.z;
}

static uint64_t hash_point(CnVec3 p) {
    uint64_t bits[3];
    memcpy(bits, &p, sizeof bits);
    return cn_hash_mix(cn_hash_mix(cn_hash_mix(CN_HASH_SEED, bits[0]), bits[1]), bits[2]);
}

// The index of the vertex at p; adds a vertex if there is none.
static int weld_point(Welder* welder, CnVec3 p) {
    CnVec3 key = cn_vec3(p.x + 0.0, p.y + 0.0, p.z + 0.0); // -0 becomes 0: equal, equal bits
    uint64_t place = hash_point(key) & welder->mask;
    while (welder->table[place] != EMPTY &&
           !is_same_point(welder->vertices[welder->table[place]], key)) {
        place = (place + 1) & welder->mask;
    }
    if (welder->table[place] == EMPTY) {
        welder->table[place] = welder->vertex_count;
        welder->vertices[welder->vertex_count++] = key;
    }
    return welder->table[place];
}

// Renumbers the triangles; drops those with two equal corners.
static void weld_triangles(CnWordReader* reader, Welder* welder) {
    int kept = 0;
    for (int i = 0; i < reader->triangles.count; ++i) {
        CnMeshTriangle* triangle = &reader->triangles.data[i];
        int corner[3];
        for (int k = 0; k < 3; ++k) {
            corner[k] = weld_point(welder, reader->points.data[triangle->corner[k]]);
        }
        if (corner[0] != corner[1] && corner[1] != corner[2] && corner[2] != corner[0]) {
            memcpy(reader->triangles.data[kept++].corner, corner, sizeof corner);
        }
    }
    reader->triangles.count = kept;
}

static bool copy_out(const CnWordReader* reader, const Welder* welder, CnTriangleSoup* soup) {
    size_t vertex_count = (size_t)welder->vertex_count;
    size_t triangle_count = (size_t)reader->triangles.count;
    soup->vertices = cn_allocate(reader->allocator, vertex_count, sizeof *soup->vertices);
    soup->triangles = cn_allocate(reader->allocator, triangle_count, sizeof *soup->triangles);
    if (soup->vertices == NULL || soup->triangles == NULL) {
        return false;
    }
    memcpy(soup->vertices, welder->vertices, vertex_count * sizeof *soup->vertices);
    memcpy(soup->triangles, reader->triangles.data, triangle_count * sizeof *soup->triangles);
    soup->vertex_count = welder->vertex_count;
    soup->triangle_count = reader->triangles.count;
    return true;
}

static bool weld(CnWordReader* reader, CnTriangleSoup* soup) {
    size_t point_count = (size_t)reader->points.count, table_size = 2;
    while (table_size < 2 * point_count) {
        table_size *= 2; // at least half of the places stay empty
    }
    Welder welder = {
        .vertices = cn_allocate(reader->allocator, point_count, sizeof *welder.vertices),
        .table = cn_allocate(reader->allocator, table_size, sizeof *welder.table),
        .mask = table_size - 1,
    };
    bool ok = welder.vertices != NULL && welder.table != NULL;
    if (ok) {
        for (size_t i = 0; i < table_size; ++i) {
            welder.table[i] = EMPTY;
        }
        soup->flat_count = reader->triangles.count;
        weld_triangles(reader, &welder);
        soup->flat_count -= reader->triangles.count;
    }
    if (ok && reader->triangles.count == 0) {
        cn_report_error(reader->errors, CN_INVALID, 0, "",
                        "all %d triangles have two corners at the same place", soup->flat_count);
    } else if (!ok || !copy_out(reader, &welder, soup)) {
        cn_report_no_memory(reader->errors);
    }
    cn_release(reader->allocator, welder.vertices);
    cn_release(reader->allocator, welder.table);
    return reader->errors->error_count == 0;
}

static void free_reader(CnWordReader* reader) {
    cn_array_free(&reader->points, reader->allocator);
    cn_array_free(&reader->triangles, reader->allocator);
}

static bool fill_reader(CnWordReader* reader, const CnVec3* points, int point_count,
                        const int (*triangles)[3], int triangle_count) {
    if (!cn_array_reserve(&reader->points, reader->allocator, point_count) ||
        !cn_array_reserve(&reader->triangles, reader->allocator, triangle_count)) {
        return cn_report_no_memory(reader->errors);
    }
    memcpy(reader->points.data, points, (size_t)point_count * sizeof *points);
    reader->points.count = point_count;
    for (int i = 0; i < triangle_count; ++i) {
        cn_mesh_add_triangle(reader, triangles[i][0], triangles[i][1], triangles[i][2]);
    }
    return true;
}

CnStatus cn_mesh_weld(const CnVec3* points, int point_count, const int (*triangles)[3],
                      int triangle_count, const CnAllocator* allocator, CnTriangleSoup* soup,
                      CnError* error) {
    CnErrorList errors;
    *soup = (CnTriangleSoup){0};
    cn_error_list_init(&errors, "mesh", NULL, 0);
    CnWordReader reader = {.allocator = allocator, .errors = &errors};
    if (!fill_reader(&reader, points, point_count, triangles, triangle_count) ||
        !weld(&reader, soup)) {
        cn_mesh_free(soup, allocator);
    }
    free_reader(&reader);
    return cn_error_list_first(&errors, error);
}

// ---- a whole file ----

static bool read_bytes(CnWordReader* reader) {
    CnNumberScope scope;
    if (reader->length == 0) {
        return cn_report_error(reader->errors, CN_INVALID, 0, "", "the file is empty");
    }
    const Format* format = find_format(reader, reader->errors->label);
    if (format == NULL) {
        return cn_report_error(
            reader->errors, CN_INVALID, 0, "",
            "is not a mesh file: neither PLY (which begins with \"ply\") nor STL nor OBJ");
    }
    if (!cn_number_scope_begin(&scope)) {
        return cn_report_no_memory(reader->errors);
    }
    bool ok = format->read(reader);
    cn_number_scope_end(&scope);
    if (ok && reader->triangles.count == 0) {
        return cn_report_error(reader->errors, CN_INVALID, 0, "",
                               "has no faces; a mesh needs at least one");
    }
    return ok;
}

// A CnFileReader.
static void read_soup(const char* bytes, size_t length, const CnAllocator* allocator,
                      CnErrorList* errors, void* out) {
    CnWordReader reader = {
        .bytes = bytes, .length = length, .line = 1, .allocator = allocator, .errors = errors};
    if (!read_bytes(&reader) || !weld(&reader, out)) {
        cn_mesh_free(out, allocator);
    }
    free_reader(&reader);
}

CnStatus cn_mesh_load(const char* path, const CnAllocator* allocator, CnTriangleSoup* soup,
                      CnError* error) {
    *soup = (CnTriangleSoup){0};
    return cn_file_load(path, CN_MESH_MAX_BYTES, read_soup, allocator, soup, error);
}

CnStatus cn_mesh_parse(const char* bytes, size_t length, const char* label,
                       const CnAllocator* allocator, CnTriangleSoup* soup, CnError* error) {
    CnErrorList errors;
    *soup = (CnTriangleSoup){0};
    cn_error_list_init(&errors, label, NULL, 0);
    if (length > CN_MESH_MAX_BYTES) {
        cn_report_error(&errors, CN_NO_MEMORY, 0, "", "is larger than the limit of %zu bytes",
                        CN_MESH_MAX_BYTES);
        return cn_error_list_first(&errors, error);
    }
    char* copy = cn_allocate(allocator, length + 1, 1); // zeroed: ends with a null character
    if (copy == NULL) {
        cn_report_no_memory(&errors);
        return cn_error_list_first(&errors, error);
    }
    if (length > 0) {
        memcpy(copy, bytes, length);
    }
    read_soup(copy, length, allocator, &errors, soup);
    cn_release(allocator, copy);
    return cn_error_list_first(&errors, error);
}

void cn_mesh_free(CnTriangleSoup* soup, const CnAllocator* allocator) {
    cn_release(allocator, soup->vertices);
    cn_release(allocator, soup->triangles);
    *soup = (CnTriangleSoup){0};
}
