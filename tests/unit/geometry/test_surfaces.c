// test_surfaces.c - meshes and height fields: who is whose neighbour, and what the tree holds.
#include "geometry/surface.h"
#include "support/failing_allocator.h"
#include "support/shapes/grounds.h"
#include "support/test.h"

static const CnAllocator heap = {0};

static CnShape shape_of(const CnShapeDef* def) {
    CnShape shape;
    CnError error;
    CHECK(cn_shape_make(def, &heap, &shape, &error) == CN_OK);
    return shape;
}

static bool same_point(CnVec3 a, CnVec3 b) {
    return a.x == b.x && a.y == b.y && a.z == b.z;
}

// Both triangles at a side name each other and run along it in opposite directions; a square of
// n x n cells has 4 n borders.
static void check_neighbours(const CnShape* surface, int cells) {
    int count = 2 * cells * cells, borders = 0, wrong = 0;
    for (int i = 0; i < 3 * count; ++i) {
        CnTriangle triangle = cn_surface_triangle(surface, i / 3);
        int beyond = triangle.neighbours[i % 3];
        if (beyond < 0) {
            ++borders;
            continue;
        }
        CnTriangle other = cn_surface_triangle(surface, beyond / 3);
        wrong += other.neighbours[beyond % 3] != i;
        wrong += !same_point(triangle.points[i % 3], other.points[(beyond + 1) % 3]);
        wrong += !same_point(triangle.points[(i + 1) % 3], other.points[beyond % 3]);
    }
    CHECK_INT(wrong, 0);
    CHECK_INT(borders, 4 * cells);
}

static void neighbours_of_a_mesh_name_each_other(void) {
    Ground ground = ground_mesh(13, 2.0, NULL);
    CnShape surface = shape_of(&ground.def);
    check_neighbours(&surface, 13);
    cn_shape_free(&surface, &heap);
    ground_free(&ground);
}

static void neighbours_of_a_height_field_name_each_other(void) {
    Ground ground = ground_field(13, 2.0, NULL);
    CnShape surface = shape_of(&ground.def);
    check_neighbours(&surface, 13);
    cn_shape_free(&surface, &heap);
    ground_free(&ground);
}

// A file of loose triangles repeats every point; what lies at one place is joined all the same.
static void triangles_join_where_their_points_coincide(void) {
    const CnVec3 points[6] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 0, -0.0}, {1, 1, 0}, {0, 1, 0}};
    const int triangles[2][3] = {{0, 1, 2}, {3, 4, 5}};
    CnTriangleMesh* mesh;
    CHECK(cn_triangle_mesh_build(points, 6, triangles, 2, &heap, &mesh, NULL) == CN_OK);
    CHECK_INT(mesh->neighbours[0][1], 3 * 1 + 2);
    CHECK_INT(mesh->neighbours[1][2], 3 * 0 + 1);
    cn_triangle_mesh_free(mesh, &heap);
}

// Three sheets that meet in one line, and two triangles that disagree which way is out.
static void sides_that_no_surface_has_are_borders(void) {
    const CnVec3 points[5] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, -1, 0}, {0, 0, 1}};
    const int book[3][3] = {{0, 1, 2}, {1, 0, 3}, {0, 1, 4}};
    const int turned[2][3] = {{0, 1, 2}, {0, 1, 3}};
    CnTriangleMesh* mesh;
    CHECK(cn_triangle_mesh_build(points, 5, book, 3, &heap, &mesh, NULL) == CN_OK);
    for (int i = 0; i < 9; ++i) {
        CHECK_INT(mesh->neighbours[i / 3][i % 3], -1);
    }
    cn_triangle_mesh_free(mesh, &heap);
    CHECK(cn_triangle_mesh_build(points, 5, turned, 2, &heap, &mesh, NULL) == CN_OK);
    for (int i = 0; i < 6; ++i) {
        CHECK_INT(mesh->neighbours[i / 3][i % 3], -1);
    }
    cn_triangle_mesh_free(mesh, &heap);
}

// A million triangles, or as many at one place: every item in one leaf, no leaf too deep.
static void check_tree(const CnBounds* boxes, int count) {
    CnBoxTree tree;
    CHECK(cn_box_tree_build(&tree, boxes, count, 4, &heap));
    int depth[CN_BOX_TREE_DEPTH + 1], stack[CN_BOX_TREE_DEPTH + 1];
    int waiting = 0, items = 0, deepest = 0;
    stack[waiting] = 0, depth[waiting++] = 1;
    while (waiting > 0) {
        int node = stack[--waiting], level = depth[waiting];
        deepest = level > deepest ? level : deepest;
        items += tree.nodes[node].count;
        if (tree.nodes[node].count == 0) {
            stack[waiting] = node + 1, depth[waiting++] = level + 1;
            stack[waiting] = tree.nodes[node].first, depth[waiting++] = level + 1;
        }
    }
    CHECK_INT(items, count);
    CHECK(deepest <= 2 + (int)log2(count));
    cn_box_tree_free(&tree, &heap);
}

static void a_tree_over_a_million_boxes_is_twenty_deep(void) {
    int count = UNDER_SANITIZER ? 20000 : 1000000;
    CnBounds* boxes = calloc((size_t)count, sizeof *boxes);
    check_tree(boxes, count); // all at the origin
    for (int i = 0; i < count; ++i) {
        boxes[i].low = boxes[i].high = cn_vec3(i % 1000, (double)i / 1000, 0.0);
    }
    check_tree(boxes, count);
    free(boxes);
}

// Whatever request fails, nothing is left behind.
static void a_surface_survives_a_refusal_at_every_request(void) {
    Ground grounds[2] = {ground_mesh(3, 1.0, NULL), ground_field(3, 1.0, NULL)};
    for (int i = 0; i < 2; ++i) {
        bool done = false;
        for (int refuse_at = 1; !done; ++refuse_at) {
            FailingAllocator memory = {.refuse_at = refuse_at};
            CnAllocator allocator = failing_allocator(&memory);
            CnError error = {0};
            CnShape shape;
            CnStatus status = cn_shape_make(&grounds[i].def, &allocator, &shape, &error);
            done = status == CN_OK;
            CHECK(done || (status == CN_NO_MEMORY && strstr(error.message, "no memory") != NULL));
            cn_shape_free(&shape, &allocator);
            CHECK_INT(memory.live, 0);
            CHECK(refuse_at < 100);
        }
        ground_free(&grounds[i]);
    }
}

TEST_MAIN("geometry/surfaces", TEST(neighbours_of_a_mesh_name_each_other),
          TEST(neighbours_of_a_height_field_name_each_other),
          TEST(triangles_join_where_their_points_coincide),
          TEST(sides_that_no_surface_has_are_borders),
          TEST(a_tree_over_a_million_boxes_is_twenty_deep),
          TEST(a_surface_survives_a_refusal_at_every_request))
