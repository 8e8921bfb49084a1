// test_hull_outline.c - faces in their planes against the hulls that they belong to.
#include "cairn/random.h"
#include "geometry/hull/hull.h"
#include "support/test.h"

#include <float.h>

#define HULLS (UNDER_SANITIZER ? 20 : 500)
#define POINTS 40

// A prism with so many sides, 1 m high and 1 m in radius.
static CnHull* prism(int sides) {
    CnVec3 points[2 * POINTS];
    CnHull* hull = NULL;
    for (int i = 0; i < sides; ++i) {
        double angle = 2.0 * CN_PI * i / sides;
        points[i] = cn_vec3(cos(angle), sin(angle), -0.5);
        points[sides + i] = cn_vec3(cos(angle), sin(angle), 0.5);
    }
    CHECK_INT(cn_hull_build(points, 2 * sides, NULL, &hull, NULL), CN_OK);
    return hull;
}

static CnHull* random_hull(CnRandom* random) {
    CnVec3 points[POINTS];
    CnHull* hull = NULL;
    for (int i = 0; i < POINTS; ++i) {
        double x = cn_random_between(random, -1.0, 1.0);
        double y = cn_random_between(random, -1.0, 1.0);
        double z = cn_random_between(random, -1.0, 1.0);
        points[i] = cn_vec3(x, y, z);
    }
    CHECK_INT(cn_hull_build(points, POINTS, NULL, &hull, NULL), CN_OK);
    return hull;
}

static CnVec3 axis(const CnOutline* outline, int k) {
    return cn_vec3(outline->axes[0][k], outline->axes[1][k], outline->axes[2][k]);
}

// How far a corner of the outline is from that of the face [m].
static double corner_error(const CnHull* hull, const CnOutline* outline, int i) {
    CnVec3 at = cn_vec3_add_scaled(axis(outline, 3), outline->x[i], axis(outline, 0));
    at = cn_vec3_add_scaled(at, outline->y[i], axis(outline, 1));
    int corner = outline->first + i % outline->count;
    return cn_vec3_length(cn_vec3_sub(at, hull->vertices[hull->loop[corner]]));
}

// How far the ends of a side are from it, and how far other corners are outside [m].
static double side_error(const CnOutline* outline, int side) {
    double worst = 0.0;
    for (int i = 0; i < outline->count; ++i) {
        double depth = outline->inward_x[side] * outline->x[i] +
                       outline->inward_y[side] * outline->y[i] - outline->offset[side];
        bool is_end = i == side || i == (side + 1) % outline->count;
        worst = fmax(worst, is_end ? fabs(depth) : -depth);
    }
    return worst;
}

static double outline_error(const CnHull* hull, int face) {
    const CnOutline* outline = &hull->outlines[face];
    double worst = cn_vec3_length(cn_vec3_sub(axis(outline, 2), hull->faces[face].normal));
    for (int i = 0; i < outline->count; ++i) {
        worst = fmax(worst, corner_error(hull, outline, i));
        worst = fmax(worst, side_error(outline, i));
    }
    return worst;
}

// Corners are on their faces to 76 epsilon of the largest coordinate, 1 m (hull_tolerance()), and a
// side is between two such corners.
static void outlines_are_the_faces_of_their_hulls(void) {
    CnRandom random = {1};
    double worst = 0.0;
    for (int k = 0; k < HULLS; ++k) {
        CnHull* hull = random_hull(&random);
        for (int face = 0; face < hull->face_count; ++face) {
            worst = fmax(worst, outline_error(hull, face));
        }
        cn_hull_free(hull, NULL);
    }
    CHECK(worst > 0.0 && worst < 100.0 * DBL_EPSILON);
}

static void the_outline_of_a_box_is_a_rectangle_of_its_edges(void) {
    CnBoxHull storage;
    const CnHull* hull = cn_box_hull(cn_vec3(0.5, 2.0, 3.0), &storage);
    for (int face = 0; face < 6; ++face) {
        cn_box_lay_outline(&storage, face);
        CHECK_INT(hull->outlines[face].count, 4);
        CHECK_INT(hull->outlines[face].first, hull->faces[face].first);
        CHECK(outline_error(hull, face) == 0.0); // halves and whole numbers are exact
    }
}

static bool is_padded(const CnOutline* outline) {
    for (int i = outline->count; i < CN_OUTLINE_CORNERS; ++i) {
        if (outline->x[i] != 0.0 || outline->y[i] != 0.0 || outline->offset[i] != -HUGE_VAL) {
            return false;
        }
    }
    return true;
}

static void corners_that_are_not_there_are_the_first_and_sides_are_at_infinity(void) {
    for (int sides = 3; sides <= 10; ++sides) {
        CnHull* hull = prism(sides);
        for (int face = 0; face < hull->face_count; ++face) {
            const CnOutline* outline = &hull->outlines[face];
            int count = hull->faces[face].count;
            CHECK_INT(outline->count, count <= CN_OUTLINE_CORNERS ? count : 0);
            CHECK(outline->count == 0 || is_padded(outline));
        }
        cn_hull_free(hull, NULL);
    }
}

TEST_MAIN("unit/geometry/hull_outline", TEST(outlines_are_the_faces_of_their_hulls),
          TEST(the_outline_of_a_box_is_a_rectangle_of_its_edges),
          TEST(corners_that_are_not_there_are_the_first_and_sides_are_at_infinity))
