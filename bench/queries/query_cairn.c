// query_cairn.c - queries of Cairn's world, measured.
#include "cairn/query.h"
#include "query_contender.h"

#include <stddef.h>

static CnVec3 vector(const double v[3]) {
    return cn_vec3(v[0], v[1], v[2]);
}

static CnShapeDef ball_shape(double radius) {
    CnShapeDef def = cn_shape_def_default(CN_SHAPE_SPHERE);
    def.radius = radius;
    return def;
}

static CnTransform pose_of(const BenchBall* ball) {
    return (CnTransform){vector(ball->center), cn_quat_identity()};
}

static void* create(const BenchBall* balls, int count) {
    CnWorldDef world_def = cn_world_def_default();
    world_def.gravity = cn_vec3(0.0, 0.0, 0.0);
    CnWorld* world = cn_world_create(&world_def, NULL);
    for (int i = 0; world != NULL && i < count; ++i) {
        CnShapeDef shape = ball_shape(balls[i].radius);
        CnBodyDef body = cn_body_def_default();
        body.position = vector(balls[i].center);
        body.shapes = &shape;
        body.shape_count = 1;
        cn_world_add_body(world, &body, NULL);
    }
    cn_world_step(world, 1e-3, NULL, NULL);
    return world;
}

static double cast_ray(void* self, const double from[3], const double to[3]) {
    CnCastHit hit;
    CnVec3 start = vector(from);
    cn_world_cast_ray(self, start, cn_vec3_sub(vector(to), start), NULL, &hit, NULL);
    return hit.body.index == 0 ? 1.0 : hit.fraction;
}

static int overlap(void* self, const BenchBall* ball) {
    CnShapeDef shape = ball_shape(ball->radius);
    return cn_world_overlap(self, &shape, pose_of(ball), NULL, NULL, 0, NULL);
}

static double cast_ball(void* self, const BenchBall* ball, const double to[3]) {
    CnCastHit hit;
    CnShapeDef shape = ball_shape(ball->radius);
    CnVec3 way = cn_vec3_sub(vector(to), vector(ball->center));
    cn_world_cast_shape(self, &shape, pose_of(ball), way, NULL, &hit, NULL);
    return hit.body.index == 0 ? 1.0 : hit.fraction;
}

static void destroy(void* self) {
    cn_world_destroy(self);
}

const QueryContender query_cairn = {"cairn", create, cast_ray, overlap, cast_ball, destroy};
