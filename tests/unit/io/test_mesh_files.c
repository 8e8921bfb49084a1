// test_mesh_files.c - known solids in every format, and what is measured on them.
#include "support/test.h"

#include "io/mesh/mesh_file.h"
#include "io/text/file.h"
#include "support/failing_allocator.h"
#include "support/shapes/meshes.h"
#include <stdio.h>
#include <unistd.h>

static const CnAllocator plain = {0};

static CnTriangleSoup parse(MeshText file) {
    CnTriangleSoup soup;
    CnError error;
    CnStatus status = cn_mesh_parse(file.bytes, file.length, "mesh", &plain, &soup, &error);
    ck_assert_msg(status == CN_OK, "%s", error.message);
    return soup;
}

static CnTriangleSoup parse_words(const char* text) {
    MeshText file = {.length = strlen(text)};
    memcpy(file.bytes, text, file.length);
    return parse(file);
}

static void check_equal(const CnTriangleSoup* a, const CnTriangleSoup* b) {
    CHECK_INT(a->vertex_count, b->vertex_count);
    CHECK_INT(a->triangle_count, b->triangle_count);
    CHECK(memcmp(a->vertices, b->vertices, (size_t)a->vertex_count * sizeof(CnVec3)) == 0);
    CHECK(memcmp(a->triangles, b->triangles, (size_t)a->triangle_count * sizeof(CnMeshTriangle)) ==
          0);
}

static double volume_of(const CnTriangleSoup* soup) {
    CnError error;
    double volume = 0.0;
    CnStatus status = cn_mesh_volume(soup, &plain, &volume, &error);
    ck_assert_msg(status == CN_OK, "%s", error.message);
    return volume;
}

// Coordinates are halves and quarters, which every encoding holds exactly.
static void six_encodings_of_a_solid_give_equal_soups(void) {
    const Mesh* const solids[] = {&mesh_cube, &mesh_tetrahedron};
    for (int i = 0; i < 2; ++i) {
        CnTriangleSoup first = parse(mesh_write(solids[i], MESH_OBJ));
        for (int encoding = 1; encoding < MESH_ENCODING_COUNT; ++encoding) {
            CnTriangleSoup other = parse(mesh_write(solids[i], (MeshEncoding)encoding));
            check_equal(&first, &other);
            cn_mesh_free(&other, &plain);
        }
        cn_mesh_free(&first, &plain);
    }
}

static void a_cube_in_any_encoding_is_closed_and_has_its_volume(void) {
    for (int encoding = 0; encoding < MESH_ENCODING_COUNT; ++encoding) {
        CnTriangleSoup soup = parse(mesh_write(&mesh_cube, (MeshEncoding)encoding));
        CHECK_INT(soup.vertex_count, 8);
        CHECK_INT(soup.triangle_count, 12);
        CHECK_INT(soup.flat_count, 0);
        CHECK_INT(cn_mesh_check_closed(&soup, &plain, NULL), CN_OK);
        CHECK_NEAR(volume_of(&soup), 0.125, 1e-16); // edge 1/2 m; sixths round once each
        cn_mesh_free(&soup, &plain);
    }
}

static void a_tetrahedron_has_a_sixth_of_its_box(void) {
    CnTriangleSoup soup = parse(mesh_write(&mesh_tetrahedron, MESH_PLY_BIG));
    CHECK_INT(soup.vertex_count, 4);
    CHECK_INT(soup.triangle_count, 4);
    CHECK_NEAR(volume_of(&soup), 0.5 * 0.75 * 1.25 / 6.0, 1e-16); // corner of a box, one rounding
    cn_mesh_free(&soup, &plain);
}

// The sum is over tetrahedra from a vertex: with the origin as their tip, 1e6 m away, terms of
// 1e18 m^3 would leave only 1e2 m^3 of accuracy. The corners, halves at 1e6, are exact.
static void a_cube_far_from_the_origin_keeps_its_volume(void) {
    Mesh far = mesh_cube;
    for (int i = 0; i < far.vertex_count; ++i) {
        for (int k = 0; k < 3; ++k) {
            far.vertices[i][k] += 1e6;
        }
    }
    CnTriangleSoup soup = parse(mesh_write(&far, MESH_OBJ));
    CHECK_NEAR(volume_of(&soup), 0.125, 1e-16);
    cn_mesh_free(&soup, &plain);
}

static void a_face_with_many_corners_becomes_a_fan(void) {
    CnTriangleSoup soup = parse_words("v 0 0 0\nv 1 0 0\nv 2 1 0\nv 1 2 0\nv 0 1 0\nf 1 2 3 4 5\n");
    static const int expected[3][3] = {{0, 1, 2}, {0, 2, 3}, {0, 3, 4}};
    CHECK_INT(soup.triangle_count, 3);
    CHECK(memcmp(soup.triangles, expected, sizeof expected) == 0);
    cn_mesh_free(&soup, &plain);
}

static void obj_faces_may_be_written_in_any_of_their_forms(void) {
    static const char head[] = "v 0 0 0\nv 1 0 0\nv 0 1 0\nvt 0 0\nvn 0 0 1\n";
    static const char* const faces[] = {
        "f 1 2 3",
        "f 1/1 2/1 3/1",
        "f 1//1 2//1 3//1",
        "f 1/1/1 2/1 3//1",
        "f -3 -2 -1",
        "f -3/-1/-1 -2//-1 3",
        "f 1 2 3 # tail",
        "f 1 \\\n 2 \\\n3",
        "F 1 2 3\r\nusemtl x\r\n",
        "g a\ns 1\no b\nl 1 2\nf\t1  2\t3",
    };
    for (size_t i = 0; i < sizeof faces / sizeof faces[0]; ++i) {
        char text[200];
        snprintf(text, sizeof text, "%s%s", head, faces[i]);
        CnTriangleSoup soup = parse_words(text);
        CHECK_INT(soup.triangle_count, 1);
        CHECK_NEAR(soup.vertices[1].x, 1.0, 0.0);
        CHECK_NEAR(soup.vertices[2].y, 1.0, 0.0);
        cn_mesh_free(&soup, &plain);
    }
}

static void a_negative_index_counts_from_the_face_it_stands_in(void) {
    CnTriangleSoup soup = parse_words("v 0 0 0\nv 1 0 0\nv 0 1 0\nf -3 -2 -1\n"
                                      "v 0 0 5\nv 1 0 5\nv 0 1 5\nf -3 -2 -1\n");
    CHECK_INT(soup.triangle_count, 2);
    CHECK_NEAR(soup.vertices[soup.triangles[1].corner[0]].z, 5.0, 0.0);
    cn_mesh_free(&soup, &plain);
}

static void lines_may_end_in_all_three_ways(void) {
    static const char* const texts[] = {
        "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n",
        "v 0 0 0\r\nv 1 0 0\r\nv 0 1 0\r\nf 1 2 3\r\n",
        "v 0 0 0\rv 1 0 0\rv 0 1 0\rf 1 2 3\r",
    };
    for (int i = 0; i < 3; ++i) {
        CnTriangleSoup soup = parse_words(texts[i]);
        CHECK_INT(soup.triangle_count, 1);
        cn_mesh_free(&soup, &plain);
    }
}

static void equal_vertices_are_one_and_zero_has_no_sign(void) {
    CnTriangleSoup soup = parse_words("v 0 0 0\nv 1 0 0\nv 0 1 0\nv -0 0 -0.0\nv 1 0 0e5\nv 0 0 1\n"
                                      "f 1 2 3\nf 4 6 5\n");
    CHECK_INT(soup.vertex_count, 4);
    CHECK(!signbit(soup.vertices[0].x));
    cn_mesh_free(&soup, &plain);
    // One unit in the last place apart: two vertices.
    soup = parse_words("v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1.0000000000000002 0 0\nf 1 2 3\nf 1 3 4\n");
    CHECK_INT(soup.vertex_count, 4);
    cn_mesh_free(&soup, &plain);
}

static void triangles_without_area_by_welding_are_left_out_and_counted(void) {
    CnTriangleSoup soup =
        parse_words("v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 0 0\nf 1 2 3\nf 1 2 4\nf 3 3 2\n");
    CHECK_INT(soup.triangle_count, 1);
    CHECK_INT(soup.flat_count, 2);
    cn_mesh_free(&soup, &plain);
}

static void vertices_that_no_face_uses_are_left_out(void) {
    CnTriangleSoup soup = parse_words("v 9 9 9\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 2 3 4\n");
    CHECK_INT(soup.vertex_count, 3);
    CHECK_NEAR(soup.vertices[0].x, 0.0, 0.0);
    cn_mesh_free(&soup, &plain);
}

static void a_ply_file_may_hold_more_than_a_mesh(void) {
    CnTriangleSoup soup = parse_words(
        "ply\r\ncomment made by hand\r\nformat ascii 1.0\r\nobj_info x\r\n"
        "element camera 1\r\nproperty list uchar float lens\r\n"
        "element face 1\r\nproperty uchar red\r\nproperty list uint8 uint32 vertex_index\r\n"
        "element vertex 3\r\nproperty short z\r\nproperty float nx\r\nproperty int8 x\r\n"
        "property float64 y\r\nend_header\r\n"
        "2 0.5 nan\r\n255 3 0 1 2\r\n7 nan 0 0\r\n\r\n7 0 1 0\r\n7 0 0 0.5\r\n");
    CHECK_INT(soup.triangle_count, 1);
    CHECK_NEAR(soup.vertices[1].x, 1.0, 0.0);
    CHECK_NEAR(soup.vertices[2].y, 0.5, 0.0);
    CHECK_NEAR(soup.vertices[2].z, 7.0, 0.0);
    cn_mesh_free(&soup, &plain);
}

// Every scalar type, in both byte orders: -2 where it can be, 2 where not, in x.
static void ply_values_of_every_type_are_read(void) {
    static const struct {
        const char* name;
        double value;
        unsigned char big[8];
        size_t size;
    } cases[] = {
        {"char", -2, {0xfe}, 1},
        {"uchar", 254, {0xfe}, 1},
        {"short", -2, {0xff, 0xfe}, 2},
        {"ushort", 65534, {0xff, 0xfe}, 2},
        {"int", -2, {0xff, 0xff, 0xff, 0xfe}, 4},
        {"uint", 4294967294.0, {0xff, 0xff, 0xff, 0xfe}, 4},
        {"float", -2, {0xc0, 0, 0, 0}, 4},
        {"double", -2, {0xc0, 0, 0, 0, 0, 0, 0, 0}, 8},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        for (int big = 0; big < 2; ++big) {
            MeshText file = {.length = 0};
            file.length = (size_t)snprintf(
                file.bytes, sizeof file.bytes,
                "ply\nformat binary_%s_endian 1.0\nelement vertex 3\nproperty %s x\n"
                "property char y\nproperty char z\nelement face 1\n"
                "property list char char vertex_indices\nend_header\n",
                big ? "big" : "little", cases[i].name);
            for (int vertex = 0; vertex < 3; ++vertex) {
                for (size_t k = 0; k < cases[i].size; ++k) {
                    file.bytes[file.length++] = (char)cases[i].big[big ? k : cases[i].size - 1 - k];
                }
                file.bytes[file.length++] = (char)(vertex == 1);
                file.bytes[file.length++] = (char)(vertex == 2);
            }
            memcpy(file.bytes + file.length, "\3\0\1\2", 4);
            file.length += 4;
            CnTriangleSoup soup = parse(file);
            CHECK_NEAR(soup.vertices[0].x, cases[i].value, 0.0);
            cn_mesh_free(&soup, &plain);
        }
    }
}

// Many programs write "solid" into the free text of a binary file.
static void a_binary_stl_that_begins_with_solid_is_still_binary(void) {
    MeshText file = mesh_write(&mesh_cube, MESH_STL_BINARY);
    memcpy(file.bytes, "solid cube\nfacet normal 0 0 1\nouter loop\n", 41);
    CnTriangleSoup soup = parse(file);
    CHECK_INT(soup.triangle_count, 12);
    cn_mesh_free(&soup, &plain);
}

static void an_stl_text_may_hold_several_solids(void) {
    MeshText file = mesh_write(&mesh_cube, MESH_STL_TEXT);
    memcpy(file.bytes + file.length, file.bytes, file.length);
    file.length *= 2;
    CnTriangleSoup soup = parse(file);
    CHECK_INT(soup.triangle_count, 24);
    CHECK_INT(soup.vertex_count, 8);
    cn_mesh_free(&soup, &plain);
}

static void the_content_decides_and_not_the_extension(void) {
    CnError error;
    for (int encoding = 0; encoding < MESH_ENCODING_COUNT; ++encoding) {
        MeshText file = mesh_write(&mesh_cube, (MeshEncoding)encoding);
        static const char* const labels[] = {"a.obj", "a.stl", "a.PLY", "a", "-"};
        for (int i = 0; i < 5; ++i) {
            CnTriangleSoup soup;
            CHECK_INT(cn_mesh_parse(file.bytes, file.length, labels[i], &plain, &soup, &error),
                      CN_OK);
            CHECK_INT(soup.triangle_count, 12);
            cn_mesh_free(&soup, &plain);
        }
    }
}

static void a_mesh_is_loaded_from_its_file(void) {
    char path[300];
    CnTriangleSoup soup;
    CnError error;
    MeshText file = mesh_write(&mesh_cube, MESH_PLY_LITTLE);
    snprintf(path, sizeof path, "%s/cube_%ld.ply", TEST_BINARY_DIR, (long)getpid());
    CHECK_INT(cn_file_write(path, file.bytes, file.length, NULL), CN_OK);
    CHECK_INT(cn_mesh_load(path, &plain, &soup, &error), CN_OK);
    CHECK_INT(soup.triangle_count, 12);
    cn_mesh_free(&soup, &plain);
    unlink(path);
    CHECK_INT(cn_mesh_load(path, &plain, &soup, &error), CN_INVALID);
    CHECK_CONTAINS(error.message, "cannot be read: No such file");
    CHECK(soup.vertices == NULL);
}

static void a_missing_triangle_is_named_as_a_hole(void) {
    Mesh open = mesh_cube;
    CnError error;
    double volume;
    open.quad_count -= 1;
    CnTriangleSoup soup = parse(mesh_write(&open, MESH_OBJ));
    CHECK_INT(cn_mesh_check_closed(&soup, &plain, &error), CN_INVALID);
    CHECK_CONTAINS(error.message, "the surface has a hole: triangle ");
    CHECK_INT(cn_mesh_volume(&soup, &plain, &volume, &error), CN_INVALID);
    cn_mesh_free(&soup, &plain);
}

static void a_triangle_turned_over_is_named(void) {
    CnError error;
    CnTriangleSoup soup = parse(mesh_write(&mesh_cube, MESH_OBJ));
    int* corner = soup.triangles[7].corner;
    int first = corner[0];
    corner[0] = corner[1];
    corner[1] = first;
    CHECK_INT(cn_mesh_check_closed(&soup, &plain, &error), CN_INVALID);
    CHECK_CONTAINS(error.message, "7 both run from (");
    cn_mesh_free(&soup, &plain);
}

// Two cubes side by side with a common edge: four triangles meet along it.
static void an_edge_of_four_triangles_is_refused(void) {
    CnError error;
    Mesh moved = mesh_cube;
    for (int i = 0; i < moved.vertex_count; ++i) {
        moved.vertices[i][0] += 0.5;
        moved.vertices[i][1] += 0.5;
    }
    MeshText second = mesh_write(&moved, MESH_STL_TEXT),
             both = mesh_write(&mesh_cube, MESH_STL_TEXT);
    memcpy(both.bytes + both.length, second.bytes, second.length);
    both.length += second.length;
    CnTriangleSoup soup = parse(both);
    CHECK_INT(soup.vertex_count, 14);
    CHECK_INT(cn_mesh_check_closed(&soup, &plain, &error), CN_INVALID);
    CHECK_CONTAINS(error.message, "more than two meet there");
    cn_mesh_free(&soup, &plain);
}

static void a_surface_turned_inside_out_has_no_volume(void) {
    CnError error;
    double volume;
    CnTriangleSoup soup = parse(mesh_write(&mesh_cube, MESH_OBJ));
    for (int i = 0; i < soup.triangle_count; ++i) {
        int* corner = soup.triangles[i].corner;
        int first = corner[0];
        corner[0] = corner[1];
        corner[1] = first;
    }
    CHECK_INT(cn_mesh_check_closed(&soup, &plain, &error), CN_OK);
    CHECK_INT(cn_mesh_volume(&soup, &plain, &volume, &error), CN_INVALID);
    CHECK_CONTAINS(error.message, "the volume inside the surface is -0.125 m^3");
    cn_mesh_free(&soup, &plain);
}

// The cube of edge 1/2 m with a roof of four triangles on it, whose tip is at the given height.
static CnTriangleSoup cube_with_roof(double height) {
    char text[400];
    snprintf(text, sizeof text,
             "v 0 0 0\nv .5 0 0\nv .5 .5 0\nv 0 .5 0\nv 0 0 .5\nv .5 0 .5\nv .5 .5 .5\nv 0 .5 .5\n"
             "v .25 .25 %.17g\nf 1 4 3 2\nf 5 6 9\nf 6 7 9\nf 7 8 9\nf 8 5 9\nf 1 2 6 5\n"
             "f 2 3 7 6\nf 3 4 8 7\nf 4 1 5 8\n",
             height);
    return parse_words(text);
}

static void a_convex_surface_is_known_as_one(void) {
    // A flat roof, one that rounding in single precision dents, and a pyramid of 1/12 of 1/4 m^3.
    static const double heights[] = {0.5, 0.5 - 0x1p-25, 0.75};
    static const double volumes[] = {0.125, 0.125, 0.125 + 0.25 / 12.0};
    for (int i = 0; i < 3; ++i) {
        CnError error;
        CnTriangleSoup soup = cube_with_roof(heights[i]);
        CnStatus status = cn_mesh_check_convex(&soup, volumes[i], &plain, &error);
        ck_assert_msg(status == CN_OK, "%s", error.message);
        cn_mesh_free(&soup, &plain);
    }
}

// A wall of the pit falls by h over 1/4 m; the corner opposite, 1/2 m off, stands out over its
// plane by 1/2 m h / sqrt(h^2 + 1/16): 1/2 m sin 45 degrees, and 2e-4 m to three digits.
static void a_dent_is_told_by_its_depth_and_edge(void) {
    static const double heights[] = {0.25, 0.4999};
    static const char* const words[] = {"dented by 0.353553 m along", "dented by 0.0002 m along"};
    for (int i = 0; i < 2; ++i) {
        CnError error;
        CnTriangleSoup soup = cube_with_roof(heights[i]);
        CHECK_INT(cn_mesh_check_convex(&soup, 0.125, &plain, &error), CN_INVALID);
        CHECK_CONTAINS(error.message, "the surface is not convex: it is dented by ");
        CHECK_CONTAINS(error.message, words[i]);
        cn_mesh_free(&soup, &plain);
    }
}

// Two cubes, 1/2 m apart, in a hull of 1/2 x 1/2 x 3/2 m.
static void two_solids_apart_are_not_convex(void) {
    Mesh moved = mesh_cube;
    CnError error;
    for (int i = 0; i < moved.vertex_count; ++i) {
        moved.vertices[i][2] += 1.0;
    }
    MeshText both = mesh_write(&mesh_cube, MESH_STL_TEXT);
    MeshText second = mesh_write(&moved, MESH_STL_TEXT);
    memcpy(both.bytes + both.length, second.bytes, second.length);
    both.length += second.length;
    CnTriangleSoup soup = parse(both);
    CHECK_INT(cn_mesh_check_convex(&soup, 0.375, &plain, &error), CN_INVALID);
    CHECK_STRING(error.message, "the surface is not convex: 0.25 m^3 are inside it and 0.375 m^3 "
                                "inside its hull");
    cn_mesh_free(&soup, &plain);
}

static void every_allocation_may_fail(void) {
    for (int encoding = 0; encoding < MESH_ENCODING_COUNT; ++encoding) {
        MeshText file = mesh_write(&mesh_cube, (MeshEncoding)encoding);
        CnStatus status = CN_NO_MEMORY;
        for (int refuse = 1; status != CN_OK; ++refuse) {
            FailingAllocator state = {.refuse_at = refuse};
            CnAllocator allocator = failing_allocator(&state);
            CnTriangleSoup soup;
            double volume;
            status = cn_mesh_parse(file.bytes, file.length, "m", &allocator, &soup, NULL);
            if (status == CN_OK) {
                status = cn_mesh_volume(&soup, &allocator, &volume, NULL);
            }
            CHECK(status == (state.requests < refuse ? CN_OK : CN_NO_MEMORY));
            cn_mesh_free(&soup, &allocator);
            CHECK_INT(state.live, 0);
        }
    }
}

TEST_MAIN("unit/io/mesh_files", TEST(six_encodings_of_a_solid_give_equal_soups),
          TEST(a_cube_in_any_encoding_is_closed_and_has_its_volume),
          TEST(a_tetrahedron_has_a_sixth_of_its_box),
          TEST(a_cube_far_from_the_origin_keeps_its_volume),
          TEST(a_face_with_many_corners_becomes_a_fan),
          TEST(obj_faces_may_be_written_in_any_of_their_forms),
          TEST(a_negative_index_counts_from_the_face_it_stands_in),
          TEST(lines_may_end_in_all_three_ways), TEST(equal_vertices_are_one_and_zero_has_no_sign),
          TEST(triangles_without_area_by_welding_are_left_out_and_counted),
          TEST(vertices_that_no_face_uses_are_left_out), TEST(a_ply_file_may_hold_more_than_a_mesh),
          TEST(ply_values_of_every_type_are_read),
          TEST(a_binary_stl_that_begins_with_solid_is_still_binary),
          TEST(an_stl_text_may_hold_several_solids),
          TEST(the_content_decides_and_not_the_extension), TEST(a_mesh_is_loaded_from_its_file),
          TEST(a_missing_triangle_is_named_as_a_hole), TEST(a_triangle_turned_over_is_named),
          TEST(an_edge_of_four_triangles_is_refused),
          TEST(a_surface_turned_inside_out_has_no_volume), TEST(a_convex_surface_is_known_as_one),
          TEST(a_dent_is_told_by_its_depth_and_edge), TEST(two_solids_apart_are_not_convex),
          TEST(every_allocation_may_fail))
