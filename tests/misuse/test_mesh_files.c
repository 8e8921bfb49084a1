// test_mesh_files.c - malformed meshes are refused with a sentence that says where and why.
#include "support/test.h"

#include "cairn/random.h"
#include "io/mesh/mesh_file.h"
#include "support/shapes/meshes.h"
#include <stdio.h>

static const CnAllocator plain = {0};

static CnStatus refuse(const char* bytes, size_t length, const char* label, CnError* error) {
    CnTriangleSoup soup;
    CnStatus status = cn_mesh_parse(bytes, length, label, &plain, &soup, error);
    CHECK((status == CN_OK) == (soup.vertices != NULL));
    CHECK((status == CN_OK) == (error->message[0] == 0));
    cn_mesh_free(&soup, &plain);
    return status;
}

typedef struct Malformed {
    const char* label;
    const char* text;
    const char* message;
} Malformed;

static void check_table(const Malformed* table, size_t count) {
    for (size_t i = 0; i < count; ++i) {
        CnError error;
        CnStatus status = refuse(table[i].text, strlen(table[i].text), table[i].label, &error);
        ck_assert_msg(status == CN_INVALID, "accepted: %s", table[i].text);
        CHECK_CONTAINS(error.message, table[i].message);
    }
}
#define CHECK_TABLE(table) check_table(table, sizeof table / sizeof table[0])

#define TRIANGLE "v 0 0 0\nv 1 0 0\nv 0 1 0\n"

static void malformed_obj_files_are_refused(void) {
    static const Malformed table[] = {
        {"a.obj", "", "a.obj: the file is empty"},
        {"a.obj", "\n\n", "a.obj: has no faces"},
        {"a.obj", "# only words\n", "a.obj: has no faces"},
        {"a.obj", TRIANGLE, "a.obj: has no faces; a mesh needs at least one"},
        {"a.obj", TRIANGLE "f 1 2\n", "a.obj:4: the face has 2 corners; it needs at least 3"},
        {"a.obj", TRIANGLE "f\n", "a.obj:4: the face has 0 corners"},
        {"a.obj", TRIANGLE "f 1 2 4\n", "a.obj:4: the face uses vertex 4; the 3 vertices above"},
        {"a.obj", TRIANGLE "f 0 1 2\n", "a.obj:4: the face uses vertex 0"},
        {"a.obj", TRIANGLE "f 1 2 -4\n", "a.obj:4: the face uses vertex -4"},
        {"a.obj", "f 1 2 3\n" TRIANGLE, "a.obj:1: the face uses vertex 1; the 0 vertices"},
        {"a.obj", TRIANGLE "f 1 2 99999999999999999999\n", "is not a corner of a face"},
        {"a.obj", TRIANGLE "f 1 2 999999999999999999\n", "uses vertex 999999999999999999"},
        {"a.obj", TRIANGLE "f 1 2 3.0\n", "a.obj:4: \"3.0\" is not a corner of a face"},
        {"a.obj", TRIANGLE "f 1 2 3/\n", "\"3/\" is not a corner"},
        {"a.obj", TRIANGLE "f 1 2 3//\n", "\"3//\" is not a corner"},
        {"a.obj", TRIANGLE "f 1 2 3/1/1/1\n", "\"3/1/1/1\" is not a corner"},
        {"a.obj", TRIANGLE "f 1 2 /1\n", "\"/1\" is not a corner"},
        {"a.obj", TRIANGLE "f 1 2 x\n", "\"x\" is not a corner"},
        {"a.obj", "v 0 0\n", "a.obj:1: z is missing; a vertex needs three coordinates"},
        {"a.obj", "v\n", "a.obj:1: x is missing"},
        {"a.obj", "v 0 nan 0\n", "a.obj:1: y is \"nan\"; a coordinate must be a finite decimal"},
        {"a.obj", "\nv inf 0 0\n", "a.obj:2: x is \"inf\""},
        {"a.obj", "v 0 0 1e999\n", "a.obj:1: z is inf; coordinates must be finite"},
        {"a.obj", "v 0 0 -1e13\n", "a.obj:1: z is -1e+13 m; coordinates beyond 1e+12 m"},
        {"a.obj", "v 0 0x10 0\n", "y is \"0x10\""},
        {"a.obj", "v 0 0,5 0\n", "y is \"0,5\""},
        {"a.obj", "v 0 1e 0\n", "y is \"1e\""},
        {"a.obj", "v 0 . 0\n", "y is \".\""},
        {"a.obj", "v 0 --1 0\n", "y is \"--1\""},
        {"a.obj", "v 0 0 0 1 1 1 1 1\n", "a.obj:1: \"1\" follows the coordinates"},
        {"a.obj", "v 0 0 0 x\n", "a.obj:1: \"x\" follows the coordinates"},
        {"a.obj", TRIANGLE "1 2 3\n", "a.obj:4: \"1\" is not a keyword of an OBJ file"},
        {"a.obj", TRIANGLE "f 1 1 2\nf 3 3 3\n", "a.obj: all 2 triangles have two corners at the"},
        {"a", "hello\n", "a: is not a mesh file: neither PLY"},
        {"a.txt", "\1\2\3", "a.txt: is not a mesh file"},
    };
    CHECK_TABLE(table);
}

#define FACET "facet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\n"

static void malformed_stl_texts_are_refused(void) {
    static const Malformed table[] = {
        {"a.stl", "solid\nendsolid\n", "a.stl: has no faces"},
        {"a.stl", "solid a\n", "a.stl:2: the file ends before \"endsolid\""},
        {"a.stl", "solid a\n" FACET "endloop\nendfacet\n", "the file ends before \"endsolid\""},
        {"a.stl", "solid a\n" FACET "endloop\nendsolid\n",
         "a.stl:8: \"endsolid\" stands where \"endfacet\" was expected"},
        {"a.stl", "solid a\n" FACET "vertex 1 1 1\n",
         "a.stl:7: \"vertex\" stands where \"endloop\" was expected"},
        {"a.stl", "solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nendloop\n",
         "a.stl:5: \"endloop\" stands where \"vertex\" was expected"},
        {"a.stl", "solid a\nfacet normal 0 0\nouter loop\n", "a.stl:2: the normal has 2 of 3"},
        {"a.stl", "solid a\nfacet 0 0 1\n", "a.stl:2: \"0\" stands where \"normal\" was expected"},
        {"a.stl", "solid a\nfacette\n", "\"facette\" stands where \"facet\" or \"endsolid\" was"},
        {"a.stl", "solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 nan 0\n", "a.stl:4: y is"},
        {"a.stl", "solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0\n", "a.stl:4: z is missing"},
        {"a.stl", "solid a\nendsolid a\nrest\n", "a.stl:3: \"rest\" stands where \"solid\" was"},
        {"a.stl", "short", "a.stl: byte 5: the file ends inside the header of a binary STL"},
    };
    CHECK_TABLE(table);
}

#define PLY "ply\nformat ascii 1.0\n"
#define VERTICES "element vertex 3\nproperty float x\nproperty float y\nproperty float z\n"
#define FACES "element face 1\nproperty list uchar int vertex_indices\n"
#define HEAD PLY VERTICES FACES "end_header\n"
#define POINTS "0 0 0\n1 0 0\n0 1 0\n"

static void malformed_ply_headers_are_refused(void) {
    static const Malformed table[] = {
        {"a.ply", "plyx\n", "a.ply:1: a PLY file begins with the line \"ply\""},
        {"a.ply", "ply\n", "the file ends before \"end_header\""},
        {"a.ply", "ply\nend_header\n", "a.ply:3: the header has no format"},
        {"a.ply", "ply\nformat\n", "a.ply:2: the line ends where the format was expected"},
        {"a.ply", "ply\nformat ascii\n", "a.ply:2: the line ends where its version was expected"},
        {"a.ply", "ply\nformat ascii 2.0\n", "a.ply:2: the version is \"2.0\"; only 1.0 is known"},
        {"a.ply", "ply\nformat binary 1.0\n", "a.ply:2: \"binary\" is not a format"},
        {"a.ply", PLY "format ascii 1.0\n", "a.ply:3: the format is given twice"},
        {"a.ply", PLY "elephant 3\n", "a.ply:3: \"elephant\" stands where \"element\""},
        {"a.ply", PLY "element vertex\n", "the line ends where the number of elements"},
        {"a.ply", PLY "element vertex -1\n", "\"-1\" is not a number of elements"},
        {"a.ply", PLY "element vertex 1e3\n", "\"1e3\" is not a number of elements"},
        {"a.ply", PLY "element vertex 3 4\n", "\"4\" follows where the line should end"},
        {"a.ply", PLY "property int x\n", "a.ply:3: a property stands before the first element"},
        {"a.ply", PLY "element vertex 3\nproperty long x\n", "a.ply:4: \"long\" is not a type"},
        {"a.ply", PLY "element vertex 3\nproperty float\n",
         "the name of the property was expected"},
        {"a.ply", PLY "element vertex 3\nproperty list uchar\n", "type of the list's items"},
        {"a.ply", PLY "element vertex 3\nproperty list float int n\n", "cannot count its items"},
        {"a.ply", PLY "element vertex 3\nproperty list int int x\n", "coordinate \"x\" is a list"},
        {"a.ply", PLY VERTICES "property float x\n", "a.ply:7: property \"x\" is given twice"},
        {"a.ply", PLY VERTICES VERTICES, "a.ply:7: element \"vertex\" is given twice"},
        {"a.ply", PLY VERTICES "end_header\n", "a.ply:8: the header has no element \"face\""},
        {"a.ply", PLY FACES "end_header\n", "the header has no element \"vertex\""},
        {"a.ply", PLY "element vertex 3\nproperty int x\n" FACES "end_header\n", "no property y"},
        {"a.ply", PLY VERTICES "element face 1\nend_header\n", "no property vertex_indices"},
        {"a.ply", PLY VERTICES "element face 1\nproperty int vertex_index\n", "must be a list of"},
        {"a.ply", PLY VERTICES "element face 1\nproperty list uchar float vertex_index\n",
         "\"vertex_index\" must be a list of whole numbers"},
        {"a.ply", PLY VERTICES FACES "property list uchar int vertex_index\n", "given twice"},
        {"a.ply", PLY "element rest 0\n" VERTICES FACES "end_header\n",
         "\"rest\" has no properties"},
        {"a.ply", PLY VERTICES FACES "end_header now\n", "should end behind \"end_header\""},
    };
    CHECK_TABLE(table);
}

static void malformed_ply_texts_are_refused(void) {
    static const Malformed table[] = {
        {"a.ply", HEAD, "a.ply:10: the header promises 3 elements \"vertex\" of at least 6 bytes"},
        {"a.ply", HEAD POINTS, "the header promises 1 elements \"face\""},
        {"a.ply", HEAD POINTS "\n\n\n", "a.ply:16: the file ends where an element \"face\" was"},
        {"a.ply", HEAD POINTS "3 0 1\n",
         "a.ply:13: the line ends where a value of type int was expected"},
        {"a.ply", HEAD POINTS "3 0 1 2 2\n",
         "a.ply:13: \"2\" follows the last value of an element"},
        {"a.ply", HEAD POINTS "3 0 1 3\n",
         "a.ply:13: the face uses vertex 3; the 3 vertices count"},
        {"a.ply", HEAD POINTS "3 0 1 -1\n", "the face uses vertex -1"},
        {"a.ply", HEAD POINTS "3 0 1 1.5\n", "the face uses vertex 1.5"},
        {"a.ply", HEAD POINTS "2 0 1\n", "a.ply:13: the face has 2 corners"},
        {"a.ply", HEAD POINTS "-3 0 1 2\n", "a list cannot have -3 items"},
        {"a.ply", HEAD POINTS "1e9 0 1 2\n", "a list cannot have 1000000000 items"},
        {"a.ply", HEAD POINTS "3 0 1 2\n3 0 1 2\n", "a.ply:14: \"3\" follows the last element"},
        {"a.ply", HEAD "0 0 nan\n1 0 0\n0 1 0\n3 0 1 2\n",
         "a.ply:10: \"nan\" stands where a finite"},
        {"a.ply", HEAD "0 0 1e999\n1 0 0\n0 1 0\n3 0 1 2\n", "a.ply:10: z is inf; coordinates"},
        {"a.ply", HEAD "0 0\n1 0 0\n0 1 0\n3 0 1 2\n",
         "a.ply:10: the line ends where a value of type float"},
    };
    CHECK_TABLE(table);
}

// Where things stand in the binary files of the cube, which mesh_write() lays out.
enum {
    STL_COUNT = 80,
    STL_FIRST_CORNER = 84 + 12,
    PLY_VERTEX_BYTES = 8 * 12,
    PLY_FACE_BYTES = 6 * 17,
};

static void check_patched(MeshText file, size_t at, const char* patch, size_t size,
                          const char* message) {
    CnError error;
    memcpy(file.bytes + at, patch, size);
    CHECK_INT(refuse(file.bytes, file.length, "cube", &error), CN_INVALID);
    CHECK_CONTAINS(error.message, message);
}

static void malformed_binary_stl_files_are_refused(void) {
    MeshText stl = mesh_write(&mesh_cube, MESH_STL_BINARY);
    CnError error;
    check_patched(stl, STL_FIRST_CORNER, "\0\0\xc0\x7f", 4, "cube: byte 96: x is nan; coordinates");
    check_patched(stl, STL_FIRST_CORNER + 8, "\0\0\x80\xff", 4, "cube: byte 104: z is -inf");
    check_patched(stl, STL_FIRST_CORNER + 4, "\xff\xff\x7f\x7f", 4, "cube: byte 100: y is 3.40282");
    memcpy(stl.bytes + STL_COUNT, "\xff\xff\xff\xff", 4);
    CHECK_INT(refuse(stl.bytes, stl.length, "cube.stl", &error), CN_INVALID);
    CHECK_CONTAINS(error.message, "cube.stl: byte 80: the header promises 4294967295 triangles, "
                                  "which is a file of 214748364834 bytes; it has 684");
    memcpy(stl.bytes + STL_COUNT, "\0\0\0\0", 4);
    CHECK_INT(refuse(stl.bytes, STL_COUNT + 4, "cube.stl", &error), CN_INVALID);
    CHECK_STRING(error.message, "cube.stl: has no faces; a mesh needs at least one");
}

static void malformed_binary_ply_files_are_refused(void) {
    for (int big = 0; big < 2; ++big) {
        MeshText ply = mesh_write(&mesh_cube, big ? MESH_PLY_BIG : MESH_PLY_LITTLE);
        size_t faces = ply.length - PLY_FACE_BYTES, vertices = faces - PLY_VERTEX_BYTES;
        char place[64];
        snprintf(place, sizeof place, "cube: byte %zu: x is nan", vertices);
        check_patched(ply, vertices, "\x7f\xc0\xc0\x7f", 4, place);
        snprintf(place, sizeof place, "cube: byte %zu: the face has 2 corners", faces);
        check_patched(ply, faces, "\2", 1, place);
        snprintf(place, sizeof place, "cube: byte %zu: the face uses vertex ", faces + 1);
        check_patched(ply, faces + 1, "\xff\xff\xff\xff", 4, place);
        check_patched(ply, faces + 1, "\x10\0\0\x10", 4, place);
        check_patched(ply, faces, "\xff", 1, "the face uses vertex "); // reads on into nonsense
        ply.length += 1;
        snprintf(place, sizeof place, "cube: byte %zu: 1 bytes follow the last element",
                 ply.length - 1);
        check_patched(ply, ply.length - 1, "\0", 1, place);
    }
}

// Counts that a careless reader would multiply into an overflow, or allocate.
static void huge_counts_are_refused_before_anything_is_allocated(void) {
    static const char* const counts[] = {"1000000000", "2147483648", "4294967296",
                                         "999999999999999999", "99999999999999999999"};
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; ++i) {
        for (int where = 0; where < 3; ++where) {
            char text[600];
            CnError error;
            int length =
                snprintf(text, sizeof text,
                         "ply\nformat %s 1.0\nelement vertex %s\nproperty char x\n"
                         "property char y\nproperty char z\nelement face %s\n"
                         "property list uchar int vertex_indices\nelement other %s\n"
                         "property char c\nend_header\n0 0 0\n",
                         i % 2 == 0 ? "ascii" : "binary_big_endian", where == 0 ? counts[i] : "1",
                         where == 1 ? counts[i] : "1", where == 2 ? counts[i] : "1");
            CHECK_INT(refuse(text, (size_t)length, "huge.ply", &error), CN_INVALID);
            CHECK_CONTAINS(error.message, "elements");
        }
    }
}

static void too_many_elements_and_properties_are_refused(void) {
    char text[4000] = PLY;
    CnError error;
    size_t used = strlen(text);
    for (int i = 0; i < 17; ++i) {
        used += (size_t)snprintf(text + used, sizeof text - used, "element e%d 0\n", i);
    }
    CHECK_INT(refuse(text, used, "a.ply", &error), CN_INVALID);
    CHECK_CONTAINS(error.message, "a.ply:19: more than 16 kinds of elements");
    used = (size_t)snprintf(text, sizeof text, PLY "element e 0\n");
    for (int i = 0; i < 65; ++i) {
        used += (size_t)snprintf(text + used, sizeof text - used, "property int p%d\n", i);
    }
    CHECK_INT(refuse(text, used, "a.ply", &error), CN_INVALID);
    CHECK_CONTAINS(error.message, "a.ply:68: more than 64 properties in one element");
}

// An STL text has its end in its last word, and a PLY text its count and one-digit corners. What
// follows them is a name or a line end, and the mesh is whole without.
static void a_file_cut_short_at_any_byte_is_refused(void) {
    for (int encoding = MESH_STL_TEXT; encoding < MESH_ENCODING_COUNT; ++encoding) {
        MeshText file = mesh_write(&mesh_cube, (MeshEncoding)encoding);
        size_t idle = encoding == MESH_STL_TEXT ? strlen(" test\n") : encoding == MESH_PLY_TEXT;
        for (size_t i = 0; i < file.length; ++i) {
            CnError error;
            bool accepted = refuse(file.bytes, i, "cut", &error) == CN_OK;
            ck_assert_msg(accepted == (i >= file.length - idle), "encoding %d, %zu of %zu bytes",
                          encoding, i, file.length);
        }
    }
}

// OBJ files have no end mark, but a closed surface that lost a part is not closed.
static void an_obj_file_cut_short_is_refused_or_not_closed(void) {
    MeshText file = mesh_write(&mesh_cube, MESH_OBJ);
    for (size_t i = 0; i + 1 < file.length; ++i) {
        CnTriangleSoup soup;
        double volume;
        if (cn_mesh_parse(file.bytes, i, "cut.obj", &plain, &soup, NULL) == CN_OK) {
            CHECK_INT(cn_mesh_volume(&soup, &plain, &volume, NULL), CN_INVALID);
        }
        cn_mesh_free(&soup, &plain);
    }
}

static void changed_bytes_do_no_harm(void) {
    CnRandom random = {7};
    for (int round = 0; round < 30000; ++round) {
        MeshText file = mesh_write(&mesh_tetrahedron, (MeshEncoding)(round % MESH_ENCODING_COUNT));
        for (uint64_t i = cn_random_next(&random) % 4; i < 4; ++i) {
            size_t place = cn_random_next(&random) % file.length;
            file.bytes[place] = (char)cn_random_next(&random);
        }
        CnError error;
        refuse(file.bytes, file.length, "changed", &error);
    }
}

static void null_characters_in_a_text_are_shown_and_refused(void) {
    CnError error;
    CHECK_INT(refuse("v 0 0 0\nv 1 \0 0\n", 16, "a.obj", &error), CN_INVALID);
    CHECK_CONTAINS(error.message, "a.obj:2: y is \"?\"");
}

static void files_that_are_no_files_are_refused(void) {
    CnTriangleSoup soup;
    CnError error;
    CHECK_INT(cn_mesh_load("no/such/mesh.obj", &plain, &soup, &error), CN_INVALID);
    CHECK_STRING(error.message, "no/such/mesh.obj: cannot be read: No such file or directory");
    CHECK_INT(cn_mesh_load(TEST_BINARY_DIR, &plain, &soup, &error), CN_INVALID);
    CHECK_CONTAINS(error.message, "Is a directory");
    CHECK_INT(cn_mesh_load("/dev/null", &plain, &soup, NULL), CN_INVALID);
}

TEST_MAIN("misuse/mesh_files", TEST(malformed_obj_files_are_refused),
          TEST(malformed_stl_texts_are_refused), TEST(malformed_ply_headers_are_refused),
          TEST(malformed_ply_texts_are_refused), TEST(malformed_binary_stl_files_are_refused),
          TEST(malformed_binary_ply_files_are_refused),
          TEST(huge_counts_are_refused_before_anything_is_allocated),
          TEST(too_many_elements_and_properties_are_refused),
          TEST(a_file_cut_short_at_any_byte_is_refused),
          TEST(an_obj_file_cut_short_is_refused_or_not_closed), TEST(changed_bytes_do_no_harm),
          TEST(null_characters_in_a_text_are_shown_and_refused),
          TEST(files_that_are_no_files_are_refused))
