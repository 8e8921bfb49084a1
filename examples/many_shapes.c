// many_shapes.c - two hundred stones share a hull; states come in bulk, triangles are for drawing.
// draw.
#include <cairn/cairn.h>
#include <stdio.h>

#define STONES 200

static CnGeometryId make_stone(CnWorld* world, CnError* error) {
    CnRandom random = {7};
    CnVec3 points[40];
    for (int i = 0; i < 40; ++i) {
        CnVec3 way = {cn_random_between(&random, -1.0, 1.0), cn_random_between(&random, -1.0, 1.0),
                      cn_random_between(&random, -1.0, 1.0)};
        points[i] = cn_vec3_scale(0.1 / cn_vec3_length(way), way);
    }
    return cn_geometry_create_hull(world, points, 40, error);
}

static CnStatus add_stones(CnWorld* world, CnError* error) {
    CnShapeDef stone = cn_shape_def_default(CN_SHAPE_CONVEX);
    stone.geometry = make_stone(world, error); // built once
    CnBodyDef def = cn_body_def_default();
    def.shapes = &stone;
    def.shape_count = 1;
    for (int i = 0; i < STONES; ++i) {
        def.position = cn_vec3(0.3 * (i % 10), 0.3 * (i / 10 % 10), 0.3 * (i / 100));
        if (cn_world_add_body(world, &def, error).index == 0) {
            return error->status;
        }
    }
    return cn_geometry_release(world, stone.geometry, error); // lives on in the shapes
}

static double mean_height(const CnWorld* world) {
    static CnBodyState states[STONES];
    int count = cn_world_read_states(world, states, NULL, STONES);
    double sum = 0.0;
    for (int i = 0; i < count && i < STONES; ++i) {
        sum += states[i].center.z;
    }
    return sum / count;
}

// What a renderer needs: triangles of each shape once, and poses in every frame.
static int count_triangles(const CnWorld* world, CnError* error) {
    static CnTransform poses[STONES];
    static CnBodyId bodies[STONES];
    CnVec3 points[256];
    int corners[512][3], total = 0;
    int count = cn_world_read_poses(world, poses, bodies, STONES);
    for (int i = 0; i < count && i < STONES; ++i) {
        CnShapeId shapes[4];
        int shape_count = cn_body_shapes(world, bodies[i], shapes, 4);
        for (int k = 0; k < shape_count && k < 4; ++k) {
            CnTriangles drawn = {points, corners, 256, 512, 0, 0};
            cn_shape_triangles(world, shapes[k], 16, 10.0, &drawn, error);
            total += drawn.triangle_count; // points are in body axes: poses[i] takes them there
        }
    }
    return total;
}

int main(void) {
    CnError error = {0};
    CnWorldDef def = cn_world_def_default();
    CnWorld* world = cn_world_create(&def, &error);
    CnStatus status = add_stones(world, &error);
    for (int i = 0; i < 10 && status == CN_OK; ++i) {
        status = cn_world_step(world, 0.01, NULL, &error);
    }
    if (status == CN_OK) {
        printf("%d triangles, mean height %.4f m\n", count_triangles(world, &error),
               mean_height(world));
        cn_world_set_gravity(world, cn_vec3(0.0, 0.0, 9.81), &error);
        for (int i = 0; i < 40 && status == CN_OK; ++i) {
            status = cn_world_step(world, 0.01, NULL, &error);
        }
        printf("turned over, mean height %.4f m\n", mean_height(world));
    }
    if (status != CN_OK) {
        fprintf(stderr, "%s\n", error.message);
    }
    cn_world_destroy(world);
    return status == CN_OK ? 0 : 1;
}
