// test_hull_oracle.c - the same vertices as Qhull finds.
#include "support/shapes/clouds.h"
#include "support/shapes/hulls.h"
#include "support/test.h"
#include <libqhull_r/libqhull_r.h>

// in_hull[i] becomes whether Qhull has point i as a vertex; how many it has.
static int qhull_vertices(CnVec3* points, int count, bool* in_hull) {
    qhT memory;
    qhT* qh = &memory;
    vertexT* vertex;
    int vertex_count = 0;
    FILE* silence = fopen("/dev/null", "w");
    qh_zero(qh, silence);
    int failure = qh_new_qhull(qh, 3, count, &points[0].x, False, (char*)"qhull", NULL, silence);
    CHECK_INT(failure, 0);
    memset(in_hull, 0, (size_t)count * sizeof *in_hull);
    FORALLvertices {
        in_hull[qh_pointid(qh, vertex->point)] = true;
        vertex_count += 1;
    }
    int curlong = 0, totlong = 0;
    qh_freeqhull(qh, !qh_ALL);
    qh_memfreeshort(qh, &curlong, &totlong);
    fclose(silence);
    return vertex_count;
}

static bool same_place(CnVec3 a, CnVec3 b) {
    return a.x == b.x && a.y == b.y && a.z == b.z;
}

static void random_clouds_have_the_vertices_that_qhull_finds(void) {
    static CnVec3 points[CLOUD_MAX_POINTS];
    static bool in_hull[CLOUD_MAX_POINTS];
    for (int c = 0; c < cloud_count; ++c) {
        for (uint64_t seed = 1; seed <= 3; ++seed) {
            cloud_points(&clouds[c], seed, points);
            int expected = qhull_vertices(points, clouds[c].count, in_hull);
            CnHull* hull = NULL;
            CnError error = {0};
            cn_hull_build(points, clouds[c].count, NULL, &hull, &error);
            ck_assert_msg(hull != NULL, "%s: %s", clouds[c].name, error.message);
            int found = 0;
            for (int v = 0; v < hull->vertex_count; ++v) {
                bool known = false;
                for (int i = 0; i < clouds[c].count && !known; ++i) {
                    known = in_hull[i] && same_place(points[i], hull->vertices[v]);
                }
                found += known;
            }
            ck_assert_msg(found == expected && hull->vertex_count == expected,
                          "%s: %d vertices here, %d by Qhull, %d in both", clouds[c].name,
                          hull->vertex_count, expected, found);
            cn_hull_free(hull, NULL);
        }
    }
}

TEST_MAIN("geometry/hull_oracle", TEST(random_clouds_have_the_vertices_that_qhull_finds))
