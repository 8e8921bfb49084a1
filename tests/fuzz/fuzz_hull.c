// fuzz_hull.c - any bytes as points: refused with a sentence, or a convex polyhedron around them.
#include "fuzz.h"

#include "reader.h"
#include "support/shapes/clouds.h"
#include "support/shapes/hulls.h"
#include <math.h>

#define MAX_POINTS 256

// The first byte says how coordinates are written: as small or medium whole numbers, which makes
// duplicates, lines and planes, or as floats or doubles of any size.
static int read_points(Reader* reader, CnVec3 points[MAX_POINTS]) {
    static double (*const kinds[])(Reader*) = {reader_small, reader_medium, reader_float,
                                               reader_double};
    double (*read)(Reader*) = kinds[reader_byte(reader) % 4];
    int count = 0;
    while (count < MAX_POINTS && reader->used < reader->size) {
        points[count].x = read(reader);
        points[count].y = read(reader);
        points[count].z = read(reader);
        ++count;
    }
    return count;
}

static double greatest_coordinate(const CnVec3* points, int count) {
    double greatest = 0.0;
    for (int i = 0; i < count; ++i) {
        double here = fmax(fabs(points[i].x), fmax(fabs(points[i].y), fabs(points[i].z)));
        greatest = fmax(greatest, here);
    }
    return greatest;
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    static CnVec3 points[MAX_POINTS];
    Reader reader = {data, size, 0};
    int count = read_points(&reader, points);
    CnError error = {.status = CN_OK};
    CnHull* hull = NULL;
    CnStatus status = cn_hull_build(points, count, NULL, &hull, &error);
    PROMISE((status == CN_OK) == (hull != NULL));
    PROMISE((status == CN_OK) == (error.message[0] == 0));
    if (hull != NULL) {
        double tolerance = hull_tolerance(points, count), volume, inertia[6];
        CnVec3 center;
        PROMISE(hull_topology_flaw(hull) == NULL);
        PROMISE(hull_convexity_flaw(hull, tolerance) == NULL);
        PROMISE(greatest_height(hull, points, count) <= tolerance);
        cn_hull_moments(hull, &volume, &center, inertia);
        // Thinner than round-off, a hull has a volume of either sign, and its centre is anywhere.
        double extent = greatest_coordinate(points, count), noise = tolerance * extent * extent;
        PROMISE(volume >= -noise);
        PROMISE(volume <= noise || greatest_height(hull, &center, 1) <= tolerance);
    }
    cn_hull_free(hull, NULL);
    return 0;
}
