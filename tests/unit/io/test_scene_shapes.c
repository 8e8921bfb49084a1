// test_scene_shapes.c - what the keys and files of a shape become.
#include "support/shapes/meshes.h"
#include "support/test.h"

#include "io/scene/scene_loader.h"
#include "io/text/file.h"
#include "io/text/json.h"
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

static CnArena arena;
static CnSceneLoader loader;
static CnErrorList errors;
static CnSceneProblem item; // the first error or warning

// Each case has its own process, and so its own folder.
static const char* in_folder(const char* name) {
    static char folder[200], path[300];
    if (folder[0] == 0) {
        snprintf(folder, sizeof folder, "%s/scene_shapes.XXXXXX", TEST_BINARY_DIR);
        CHECK(mkdtemp(folder) != NULL);
    }
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static void put_file(const char* name, const char* text, size_t length) {
    CHECK_INT(cn_file_write(in_folder(name), text, length, NULL), CN_OK);
}

// As the loader of the scene file "scene.json" in the folder would read this shape.
static bool read_shape(const char* text, CnShapeDef* def) {
    static char path[300];
    snprintf(path, sizeof path, "%s", in_folder("scene.json"));
    cn_arena_init(&arena, NULL);
    cn_error_list_init(&errors, "scene.json", &item, 1);
    loader = (CnSceneLoader){.path = path, .errors = &errors};
    cn_arena_init(&loader.scratch, NULL);
    size_t length = strlen(text);
    char* copy = CN_ARENA_NEW(&arena, char, length + 1);
    memcpy(copy, text, length);
    const CnJson* value = cn_json_parse(copy, length, &arena, &errors);
    CHECK(value != NULL);
    return cn_scene_read_shape(&loader, value, def);
}

static void free_shape(void) {
    cn_arena_destroy(&loader.scratch);
    cn_arena_destroy(&arena);
}

static CnShapeDef read_good(const char* text) {
    CnShapeDef def;
    bool ok = read_shape(text, &def);
    ck_assert_msg(ok, "%s", errors.first.message);
    return def;
}

static void read_bad(const char* text, const char* words) {
    CnShapeDef def;
    CHECK(!read_shape(text, &def));
    CHECK_INT(errors.count, 1);
    CHECK_CONTAINS(errors.first.message, words);
    free_shape();
}

static void filters_and_sensors_have_their_defaults(void) {
    CnShapeDef def = read_good("{\"type\": \"sphere\", \"radius\": 1}");
    CHECK(def.category == 1 && def.mask == UINT32_MAX && def.group == 0 && !def.sensor);
    free_shape();
}

static void filters_take_all_32_bits(void) {
    CnShapeDef def = read_good("{\"type\": \"sphere\", \"radius\": 1, \"category\": 4294967295,"
                               " \"mask\": 0, \"group\": -2147483648, \"sensor\": true}");
    CHECK(def.category == UINT32_MAX && def.mask == 0 && def.group == INT32_MIN && def.sensor);
    free_shape();
}

static void a_mesh_has_the_points_and_triangles_given(void) {
    CnShapeDef def = read_good("{\"type\": \"mesh\", \"points\": [[0, 0, 0], [1, 0, 0], [0, 2, 0],"
                               " [0, 0, 3]], \"triangles\": [[0, 2, 1], [3, 0, 1]]}");
    CHECK_INT(def.type, CN_SHAPE_MESH);
    CHECK_INT(def.point_count, 4);
    CHECK_INT(def.triangle_count, 2);
    CHECK_NEAR(def.points[3].z, 3.0, 0.0);
    CHECK_INT(def.triangles[1][0], 3);
    CHECK_INT(def.triangles[0][1], 2);
    free_shape();
}

static void heights_lie_row_by_row_with_x_fastest(void) {
    put_file("hill.csv", "# y = -1\n0, 1, 2\n3, 4, 5\n", 25);
    static const char* const texts[] = {
        "{\"type\": \"height_field\", \"size\": [4, 2], \"heights\": [[0, 1, 2], [3, 4, 5]]}",
        "{\"type\": \"height_field\", \"size\": [4, 2], \"file\": \"hill.csv\"}"};
    for (int i = 0; i < 2; ++i) {
        CnShapeDef def = read_good(texts[i]);
        CHECK_INT(def.columns, 3);
        CHECK_INT(def.rows, 2);
        CHECK_NEAR(def.size.x, 4.0, 0.0);
        CHECK_NEAR(def.size.y, 2.0, 0.0);
        for (int k = 0; k < 6; ++k) {
            CHECK_NEAR(def.heights[k], k, 0.0);
        }
        free_shape();
    }
}

static void a_mesh_file_becomes_points_and_triangles(void) {
    for (int encoding = 0; encoding < MESH_ENCODING_COUNT; ++encoding) {
        MeshText text = mesh_write(&mesh_cube, (MeshEncoding)encoding);
        put_file("cube.mesh", text.bytes, text.length);
        CnShapeDef def = read_good("{\"type\": \"mesh\", \"file\": \"cube.mesh\"}");
        CHECK_INT(def.point_count, 8);
        CHECK_INT(def.triangle_count, 12);
        free_shape();
        def = read_good("{\"type\": \"convex\", \"file\": \"cube.mesh\"}");
        CHECK_INT(def.point_count, 8);
        CHECK_INT(def.triangle_count, 0);
        free_shape();
    }
}

static CnVec3 farthest_corner(const CnShapeDef* def) {
    CnVec3 far = {0, 0, 0};
    for (int i = 0; i < def->point_count; ++i) {
        CnVec3 p = def->points[i];
        far = cn_vec3(fmax(far.x, p.x), fmax(far.y, p.y), fmax(far.z, p.z));
    }
    return far;
}

static void files_are_scaled_along_all_axes_or_each(void) {
    // The corner of a box of 1/2 x 3/4 x 5/4 m; all products are exact.
    MeshText text = mesh_write(&mesh_tetrahedron, MESH_OBJ);
    put_file("t.obj", text.bytes, text.length);
    CnShapeDef def = read_good("{\"type\": \"convex\", \"file\": \"t.obj\", \"scale\": 2}");
    CHECK_NEAR(farthest_corner(&def).z, 2.5, 0.0);
    CHECK_NEAR(farthest_corner(&def).x, 1.0, 0.0);
    free_shape();
    def = read_good("{\"type\": \"mesh\", \"file\": \"t.obj\", \"scale\": [2, 1, 4]}");
    CHECK_NEAR(farthest_corner(&def).x, 1.0, 0.0);
    CHECK_NEAR(farthest_corner(&def).y, 0.75, 0.0);
    CHECK_NEAR(farthest_corner(&def).z, 5.0, 0.0);
    free_shape();
}

static void paths_start_from_the_folder_of_the_scene_or_from_the_root(void) {
    MeshText text = mesh_write(&mesh_cube, MESH_OBJ);
    char shape[500];
    CHECK_INT(mkdir(in_folder("meshes"), 0700), 0);
    put_file("meshes/cube.obj", text.bytes, text.length);
    CnShapeDef def = read_good("{\"type\": \"convex\", \"file\": \"meshes/cube.obj\"}");
    CHECK_INT(def.point_count, 8);
    free_shape();
    snprintf(shape, sizeof shape, "{\"type\": \"convex\", \"file\": \"%s\"}",
             in_folder("meshes/cube.obj"));
    def = read_good(shape);
    CHECK_INT(def.point_count, 8);
    free_shape();
}

// A cube of 1/2 m whose roof is a pit of half its height.
static const char pit[] =
    "v 0 0 0\nv .5 0 0\nv .5 .5 0\nv 0 .5 0\nv 0 0 .5\nv .5 0 .5\nv .5 .5 .5\nv 0 .5 .5\n"
    "v .25 .25 .25\nf 1 4 3 2\nf 5 6 9\nf 6 7 9\nf 7 8 9\nf 8 5 9\nf 1 2 6 5\n"
    "f 2 3 7 6\nf 3 4 8 7\nf 4 1 5 8\n";

static void a_mesh_that_is_not_convex_is_a_hull_only_by_request(void) {
    put_file("pit.obj", pit, strlen(pit));
    // A wall of the pit falls 1/4 m over 1/4 m; the corner opposite, 1/2 m off, stands out over
    // its plane by 1/2 m sin 45 degrees.
    read_bad("{\"type\": \"convex\", \"file\": \"pit.obj\"}",
             "\"pit.obj\" cannot be used as it is (\"hull\": true uses its convex hull): the "
             "surface is not convex: it is dented by 0.353553 m along the edge from");
    read_bad("{\"type\": \"convex\", \"file\": \"pit.obj\", \"hull\": false}",
             "uses its convex hull");
    CnShapeDef def = read_good("{\"type\": \"convex\", \"file\": \"pit.obj\", \"hull\": true}");
    CHECK_INT(def.point_count, 9);
    free_shape();
    def = read_good("{\"type\": \"mesh\", \"file\": \"pit.obj\"}");
    CHECK_INT(def.triangle_count, 14);
    free_shape();
}

static void an_open_surface_is_a_hull_only_by_request(void) {
    static const char open[] = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\n";
    put_file("open.obj", open, strlen(open));
    read_bad("{\"type\": \"convex\", \"file\": \"open.obj\"}", "the surface has a hole");
    CnShapeDef def = read_good("{\"type\": \"convex\", \"file\": \"open.obj\", \"hull\": true}");
    CHECK_INT(def.point_count, 4);
    free_shape();
}

static void triangles_without_area_are_left_out_and_told(void) {
    static const char flat[] = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 2 0 0\nf 1 2 3\nf 1 2 4\nf 1 1 3\n";
    put_file("flat.obj", flat, strlen(flat));
    CnShapeDef def = read_good("{\"type\": \"mesh\", \"file\": \"flat.obj\"}");
    CHECK_INT(def.triangle_count, 1);
    CHECK_INT(def.triangles[0][2], 2);
    CHECK_INT(errors.count, 1);
    CHECK_INT(errors.error_count, 0);
    CHECK_STRING(item.message, "2 of 3 triangles have no area and were left out");
    free_shape();
}

TEST_MAIN("io/scene_shapes", TEST(filters_and_sensors_have_their_defaults),
          TEST(filters_take_all_32_bits), TEST(a_mesh_has_the_points_and_triangles_given),
          TEST(heights_lie_row_by_row_with_x_fastest),
          TEST(a_mesh_file_becomes_points_and_triangles),
          TEST(files_are_scaled_along_all_axes_or_each),
          TEST(paths_start_from_the_folder_of_the_scene_or_from_the_root),
          TEST(a_mesh_that_is_not_convex_is_a_hull_only_by_request),
          TEST(an_open_surface_is_a_hull_only_by_request),
          TEST(triangles_without_area_are_left_out_and_told))
