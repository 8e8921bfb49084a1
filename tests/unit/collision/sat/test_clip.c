// test_clip.c - faces cut by faces: known corners, and what they are called.
#include "collision/hull/clip.h"
#include "support/test.h"

static const CnVec3 up = {0.0, 0.0, 1.0};

// A regular polygon of given radius at height z, its first corner at `angle` [rad].
static CnPolygon regular(int count, double radius, double angle, CnVec3 center) {
    CnPolygon polygon = {.count = count};
    for (int i = 0; i < count; ++i) {
        double at = angle + 2.0 * CN_PI * i / count;
        polygon.points[i] =
            cn_vec3(center.x + radius * cos(at), center.y + radius * sin(at), center.z);
        polygon.vertex[i] = 100 + i;
        polygon.side[i] = 200 + i;
    }
    return polygon;
}

// A rectangle from (x0, y0) to (x1, y1); counter-clockwise from above, or clockwise like the lower
// face of a box.
static CnPolygon rectangle(double x0, double y0, double x1, double y1, bool from_below) {
    CnPolygon polygon = {.count = 4,
                         .vertex = {10, 11, 12, 13},
                         .side = {20, 21, 22, 23},
                         .points = {{x0, y0, 0.0}}};
    polygon.points[from_below ? 3 : 1] = cn_vec3(x1, y0, 0.0);
    polygon.points[2] = cn_vec3(x1, y1, 0.0);
    polygon.points[from_below ? 1 : 3] = cn_vec3(x0, y1, 0.0);
    return polygon;
}

static double area_of(const CnClipCorner* corners, int count) {
    double sum = 0.0;
    for (int i = 0; i < count; ++i) {
        CnVec3 p = corners[i].point, q = corners[(i + 1) % count].point;
        sum += 0.5 * (p.x * q.y - q.x * p.y);
    }
    return sum;
}

static void a_face_inside_another_stays_as_it_is(void) {
    CnPolygon base = rectangle(-1.0, -1.0, 1.0, 1.0, false);
    CnPolygon cover = rectangle(-0.5, -0.5, 0.25, 0.5, true);
    CnClipCorner corners[CN_CLIP_CORNERS];
    CHECK_INT(cn_clip_face(&base, up, &cover, 1e-9, corners), 4);
    for (int i = 0; i < 4; ++i) {
        CHECK_INT(corners[i].kind, CN_CORNER_OF_INCIDENT);
        CHECK_INT(corners[i].incident, 10 + i);
    }
    CHECK(area_of(corners, 4) == -0.75); // clockwise, as it came
}

static void a_larger_face_is_cut_to_the_corners_of_the_reference(void) {
    CnPolygon base = rectangle(-1.0, -1.0, 1.0, 1.0, false);
    CnPolygon cover = rectangle(-3.0, -2.0, 4.0, 5.0, true);
    CnClipCorner corners[CN_CLIP_CORNERS];
    bool seen[4] = {false};
    CHECK_INT(cn_clip_face(&base, up, &cover, 1e-9, corners), 4);
    for (int i = 0; i < 4; ++i) {
        CHECK_INT(corners[i].kind, CN_CORNER_OF_REFERENCE);
        int corner = corners[i].reference - 10;
        CHECK(corner >= 0 && corner < 4);
        seen[corner] = true;
        CHECK_NEAR(corners[i].point.x, base.points[corner].x, 1e-15);
        CHECK_NEAR(corners[i].point.y, base.points[corner].y, 1e-15);
    }
    CHECK(seen[0] && seen[1] && seen[2] && seen[3]);
}

// [-1, 1]^2 and [0, 2]^2: the square [0, 1]^2 of one corner of each and two crossings.
static void two_squares_that_overlap_at_a_corner_give_all_kinds(void) {
    CnPolygon base = rectangle(-1.0, -1.0, 1.0, 1.0, false);
    CnPolygon cover = rectangle(0.0, 0.0, 2.0, 2.0, false);
    CnClipCorner corners[CN_CLIP_CORNERS];
    int kinds[3] = {0};
    CHECK_INT(cn_clip_face(&base, up, &cover, 1e-9, corners), 4);
    for (int i = 0; i < 4; ++i) {
        ++kinds[corners[i].kind];
    }
    CHECK_INT(kinds[CN_CORNER_OF_INCIDENT], 1);
    CHECK_INT(kinds[CN_CORNER_OF_REFERENCE], 1);
    CHECK_INT(kinds[CN_CORNER_OF_SIDES], 2);
    CHECK_NEAR(area_of(corners, 4), 1.0, 1e-15);
}

// A square of radius 1 over itself turned by 45 degrees: the regular octagon of the same inradius
// r = 1/sqrt(2), whose area is 8 r^2 tan(pi/8) = 1.6568542.
static void a_square_over_a_turned_square_is_an_octagon(void) {
    CnPolygon base = regular(4, 1.0, 0.0, cn_vec3(0.0, 0.0, 0.0));
    CnPolygon cover = regular(4, 1.0, CN_PI / 4.0, cn_vec3(0.0, 0.0, 0.1));
    CnClipCorner corners[CN_CLIP_CORNERS];
    CHECK_INT(cn_clip_face(&base, up, &cover, 1e-9, corners), 8);
    CHECK_NEAR(area_of(corners, 8), 4.0 * tan(CN_PI / 8.0), 1e-14);
    for (int i = 0; i < 8; ++i) {
        CHECK_INT(corners[i].kind, CN_CORNER_OF_SIDES);
        CHECK_NEAR(corners[i].point.z, 0.1, 1e-15);
        for (int k = 0; k < i; ++k) { // each pair of sides crosses once
            CHECK(corners[k].reference != corners[i].reference ||
                  corners[k].incident != corners[i].incident);
        }
    }
}

// Round-off on either side of the planes must not rename a corner.
static void corners_over_corners_stay_corners_of_the_incident_face(void) {
    CnPolygon base = rectangle(-1.0, -1.0, 1.0, 1.0, false);
    for (int shift = 0; shift < 9; ++shift) {
        double x = 1e-12 * (shift % 3 - 1), y = 1e-12 * (shift / 3 - 1);
        CnPolygon cover = rectangle(-1.0 + x, -1.0 + y, 1.0 + x, 1.0 + y, true);
        CnClipCorner corners[CN_CLIP_CORNERS];
        CHECK_INT(cn_clip_face(&base, up, &cover, 1e-7, corners), 4);
        for (int i = 0; i < 4; ++i) {
            CHECK_INT(corners[i].kind, CN_CORNER_OF_INCIDENT);
            CHECK_INT(corners[i].incident, 10 + i);
        }
    }
}

static void faces_beside_each_other_share_nothing(void) {
    CnPolygon base = rectangle(-1.0, -1.0, 1.0, 1.0, false);
    CnPolygon cover = rectangle(1.5, -1.0, 2.0, 1.0, true);
    CnClipCorner corners[CN_CLIP_CORNERS];
    CHECK_INT(cn_clip_face(&base, up, &cover, 1e-9, corners), 0);
}

// Two 32-gons, one turned by half a corner, cross at every side: 64 corners, a regular 64-gon of
// the same inradius. Area n r^2 tan(pi / n), r = cos(pi / 32).
static void two_faces_of_32_corners_fill_the_buffer_and_no_more(void) {
    CnPolygon base = regular(CN_FACE_CORNERS, 1.0, 0.0, cn_vec3(0.0, 0.0, 0.0));
    CnPolygon cover =
        regular(CN_FACE_CORNERS, 1.0, CN_PI / CN_FACE_CORNERS, cn_vec3(0.0, 0.0, 0.0));
    CnClipCorner corners[CN_CLIP_CORNERS];
    double inradius = cos(CN_PI / 32.0);
    CHECK_INT(cn_clip_face(&base, up, &cover, 1e-9, corners), 64);
    CHECK_NEAR(area_of(corners, 64), 64.0 * inradius * inradius * tan(CN_PI / 64.0), 1e-13);
}

// A face of 100 corners as a hull: the thinned polygon has 32 of them, in order, and of the
// circle's area sin(2 pi / 32) / (2 pi / 32) = 0.9936 (to 0.002 for the uneven steps of 3 and 4).
static void a_face_of_100_corners_is_thinned_evenly(void) {
    enum { COUNT = 100 };
    CnVec3 vertices[COUNT];
    int loop[COUNT];
    for (int i = 0; i < COUNT; ++i) {
        double at = 2.0 * CN_PI * i / COUNT;
        vertices[i] = cn_vec3(cos(at), sin(at), 0.0);
        loop[i] = i;
    }
    CnHullFace face = {.normal = up, .first = 0, .count = COUNT};
    CnHull hull = {.vertex_count = COUNT,
                   .face_count = 1,
                   .loop_count = COUNT,
                   .vertices = vertices,
                   .faces = &face,
                   .loop = loop};
    CnPolygon polygon;
    cn_face_polygon(&hull, 0, &polygon);
    CHECK_INT(polygon.count, CN_FACE_CORNERS);
    double area = 0.0;
    for (int i = 0; i < polygon.count; ++i) {
        CnVec3 p = polygon.points[i], q = polygon.points[(i + 1) % polygon.count];
        area += 0.5 * (p.x * q.y - q.x * p.y);
        int step = polygon.vertex[(i + 1) % polygon.count] - polygon.vertex[i];
        CHECK(step == 3 || step == 4 || i == polygon.count - 1);
    }
    CHECK_NEAR(area / CN_PI, 0.9936, 0.002);
}

TEST_MAIN("unit/collision/sat/clip", TEST(a_face_inside_another_stays_as_it_is),
          TEST(a_larger_face_is_cut_to_the_corners_of_the_reference),
          TEST(two_squares_that_overlap_at_a_corner_give_all_kinds),
          TEST(a_square_over_a_turned_square_is_an_octagon),
          TEST(corners_over_corners_stay_corners_of_the_incident_face),
          TEST(faces_beside_each_other_share_nothing),
          TEST(two_faces_of_32_corners_fill_the_buffer_and_no_more),
          TEST(a_face_of_100_corners_is_thinned_evenly))
