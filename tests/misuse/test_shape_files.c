// test_shape_files.c - bad files of shapes are told with the scene's line and their own.
#include "support/shapes/meshes.h"
#include "support/test.h"

#include "cairn/scene.h"
#include "io/text/file.h"
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[200];

static const char* in_folder(const char* name) {
    static char path[300];
    if (folder[0] == 0) {
        snprintf(folder, sizeof folder, "%s/shape_files.XXXXXX", TEST_BINARY_DIR);
        CHECK(mkdtemp(folder) != NULL);
    }
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static void put_file(const char* name, const char* bytes, size_t length) {
    CHECK_INT(cn_file_write(in_folder(name), bytes, length, NULL), CN_OK);
}

// The sentence of a scene with this shape on line 3, without the folder's name.
static const char* complaint_of(const char* body_type, const char* shape) {
    static char message[400];
    char text[1000];
    CnError error;
    snprintf(text, sizeof text,
             "{\"cairn\": 1, \"bodies\": [\n{\"type\": \"%s\", \"shapes\": [\n{%s}]}]}", body_type,
             shape);
    put_file("s.json", text, strlen(text));
    CnScene* scene = cn_scene_open(in_folder("s.json"), &error);
    ck_assert_msg(scene == NULL, "%s was accepted", shape);
    size_t used = 0;
    for (const char* rest = error.message; *rest != 0;) {
        if (strncmp(rest, folder, strlen(folder)) == 0) {
            rest += strlen(folder) + 1;
        } else {
            message[used++] = *rest++;
        }
    }
    message[used] = 0;
    return message;
}

#define AT "s.json:3: bodies[0].shapes[0].file: "

static void a_mesh_file_tells_its_own_line(void) {
    static const struct {
        const char *text, *words;
    } rows[] = {
        {"", AT "m.obj: the file is empty"},
        {"v 0 0 0\n", AT "m.obj: has no faces"},
        {"v 0 0 0\nv 1 0 nan\n", AT "m.obj:2: z is \"nan\"; a coordinate must be a finite decimal"},
        {"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 9\n", AT "m.obj:4: the face uses vertex 9"},
        {"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2\n", AT "m.obj:4: the face has 2 corners"},
        {"v 0 0 1e300\n", AT "m.obj:1: z is 1e+300 m; coordinates beyond 1e+12 m are refused"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; ++i) {
        put_file("m.obj", rows[i].text, strlen(rows[i].text));
        CHECK_CONTAINS(complaint_of("dynamic", "\"type\": \"convex\", \"file\": \"m.obj\""),
                       rows[i].words);
        CHECK_CONTAINS(complaint_of("static", "\"type\": \"mesh\", \"file\": \"m.obj\""),
                       rows[i].words);
    }
}

static void a_binary_file_cut_short_is_refused(void) {
    static const MeshEncoding encodings[] = {MESH_STL_BINARY, MESH_PLY_LITTLE, MESH_PLY_BIG};
    for (int i = 0; i < 3; ++i) {
        MeshText text = mesh_write(&mesh_cube, encodings[i]);
        put_file("m.bin", text.bytes, text.length - 7);
        const char* message =
            complaint_of("dynamic", "\"type\": \"convex\", \"hull\": true, \"file\": \"m.bin\"");
        CHECK_CONTAINS(message, AT "m.bin: ");
    }
}

static void a_count_that_the_file_has_no_room_for_is_refused(void) {
    static const char huge[] = "ply\nformat binary_little_endian 1.0\nelement vertex 2000000000\n"
                               "property float x\nproperty float y\nproperty float z\n"
                               "element face 2000000000\n"
                               "property list uchar int vertex_indices\nend_header\n";
    put_file("huge.ply", huge, strlen(huge));
    CHECK_CONTAINS(complaint_of("static", "\"type\": \"mesh\", \"file\": \"huge.ply\""),
                   AT "huge.ply:10: the header promises 2000000000 elements \"vertex\"");
}

static void two_triangles_have_no_hull(void) {
    static const char flat[] = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3\nf 1 3 4\n";
    put_file("flat.obj", flat, strlen(flat));
    static const char* const shapes[] = {
        "\"type\": \"convex\", \"file\": \"flat.obj\"",
        "\"type\": \"convex\", \"file\": \"flat.obj\", \"hull\": true",
    };
    for (int i = 0; i < 2; ++i) {
        const char* message = complaint_of("dynamic", shapes[i]);
        CHECK_CONTAINS(message, AT "flat.obj: ");
        CHECK_CONTAINS(message, "plane");
    }
}

static void a_mesh_file_of_flat_triangles_has_none(void) {
    static const char flat[] = "v 0 0 0\nv 1 0 0\nv 2 0 0\nv 3 0 0\nf 1 2 3\nf 1 2 4\n";
    put_file("f.obj", flat, strlen(flat));
    CHECK_CONTAINS(complaint_of("static", "\"type\": \"mesh\", \"file\": \"f.obj\""),
                   AT "f.obj: a mesh has 0 triangles");
}

static void three_points_have_no_hull(void) {
    static const char one[] = "v 0 0 0\nv 1 0 0\nv 1 1 0\nf 1 2 3\n";
    put_file("one.obj", one, strlen(one));
    CHECK_CONTAINS(
        complaint_of("dynamic", "\"type\": \"convex\", \"file\": \"one.obj\", \"hull\": true"),
        AT "one.obj: a convex shape has 3 points; it needs at least 4");
}

static void folders_and_missing_files_are_no_shapes(void) {
    CHECK_CONTAINS(complaint_of("dynamic", "\"type\": \"convex\", \"file\": \".\""),
                   "cannot be read: Is a directory");
    CHECK_CONTAINS(complaint_of("dynamic", "\"type\": \"convex\", \"file\": \"none.stl\""),
                   AT "none.stl: cannot be read: No such file or directory");
    CHECK_CONTAINS(
        complaint_of("static",
                     "\"type\": \"height_field\", \"size\": [1, 1], \"file\": \"none.txt\""),
        AT "none.txt: cannot be read: No such file or directory");
}

static void a_height_file_tells_its_own_line(void) {
    static const char* const shape =
        "\"type\": \"height_field\", \"size\": [1, 1], \"file\": \"h.txt\"";
    put_file("h.txt", "0 1\n2 nan\n", 10);
    CHECK_CONTAINS(complaint_of("static", shape), AT "h.txt:2: \"nan\" is not a height");
    put_file("h.txt", "0 1\n2\n", 6);
    CHECK_CONTAINS(complaint_of("static", shape), AT "h.txt:2: the row has 1 heights");
    put_file("h.txt", "0 1\n", 4);
    CHECK_CONTAINS(complaint_of("static", shape), AT
                   "h.txt: a height field needs at least 2 rows of 2 heights; this one has 1 of 2");
}

static void a_scale_must_leave_a_mesh_what_it_is(void) {
    static const struct {
        const char *scale, *words;
    } rows[] = {
        {"0", "scale is 0; it must be positive"},
        {"-1", "scale is -1; it must be positive: a mirrored mesh would be inside out"},
        {"[1, -1, 1]", "scale is -1; it must be positive"},
        {"[1, 1]", "scale has length 2; it must be an array of 3 numbers"},
        {"\"2\"", "scale is a string; it must be a number or an array of 3 numbers"},
        {"1e300", "coordinates beyond 1e+12 m are refused"},
    };
    MeshText cube = mesh_write(&mesh_cube, MESH_OBJ);
    put_file("c.obj", cube.bytes, cube.length);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; ++i) {
        char shape[200];
        snprintf(shape, sizeof shape, "\"type\": \"convex\", \"file\": \"c.obj\", \"scale\": %s",
                 rows[i].scale);
        const char* message = complaint_of("dynamic", shape);
        CHECK_CONTAINS(message, "s.json:3: bodies[0].shapes[0].scale");
        CHECK_CONTAINS(message, rows[i].words);
    }
}

// A pipe without a writer would keep its reader waiting, a device would never end.
static void what_is_no_regular_file_is_refused_without_waiting(void) {
    CHECK_INT(mkfifo(in_folder("pipe.obj"), 0600), 0);
    CHECK_CONTAINS(complaint_of("static", "\"type\": \"mesh\", \"file\": \"pipe.obj\""),
                   AT "pipe.obj: cannot be read: it is not a regular file");
    CHECK_CONTAINS(complaint_of("static", "\"type\": \"height_field\", \"size\": [1, 1], "
                                          "\"file\": \"pipe.obj\""),
                   AT "pipe.obj: cannot be read: it is not a regular file");
    CHECK_CONTAINS(complaint_of("static", "\"type\": \"mesh\", \"file\": \"/dev/zero\""),
                   AT "/dev/zero: cannot be read: it is not a regular file");
    unlink(in_folder("pipe.obj"));
}

TEST_MAIN("misuse/shape_files", TEST(a_mesh_file_tells_its_own_line),
          TEST(a_binary_file_cut_short_is_refused),
          TEST(a_count_that_the_file_has_no_room_for_is_refused), TEST(two_triangles_have_no_hull),
          TEST(a_mesh_file_of_flat_triangles_has_none), TEST(three_points_have_no_hull),
          TEST(folders_and_missing_files_are_no_shapes), TEST(a_height_file_tells_its_own_line),
          TEST(a_scale_must_leave_a_mesh_what_it_is),
          TEST(what_is_no_regular_file_is_refused_without_waiting))
