// look_around.c - asks a world what is below, what is near and what is in the way.
#include <cairn/cairn.h>
#include <stdio.h>

static CnBodyId add(CnWorld* world, const char* name, CnBodyType type, CnVec3 position,
                    const CnShapeDef* shape, CnError* error) {
    CnBodyDef def = cn_body_def_default();
    def.name = name;
    def.type = type;
    def.position = position;
    def.shapes = shape;
    def.shape_count = 1;
    return cn_world_add_body(world, &def, error);
}

// The ground, a crate of 1 m on it and a lamp of 0.4 m above it.
static CnStatus furnish(CnWorld* world, CnError* error) {
    CnShapeDef plane = cn_shape_def_default(CN_SHAPE_PLANE);
    CnShapeDef box = cn_shape_def_default(CN_SHAPE_BOX);
    CnShapeDef ball = cn_shape_def_default(CN_SHAPE_SPHERE);
    box.size = cn_vec3(1.0, 1.0, 1.0);
    ball.radius = 0.2;
    add(world, "ground", CN_BODY_STATIC, cn_vec3(0.0, 0.0, 0.0), &plane, error);
    add(world, "crate", CN_BODY_DYNAMIC, cn_vec3(0.0, 0.0, 0.5), &box, error);
    add(world, "lamp", CN_BODY_DYNAMIC, cn_vec3(0.0, 0.0, 3.0), &ball, error);
    return cn_world_body_count(world) == 3 ? CN_OK : CN_INVALID;
}

static CnStatus look_down(const CnWorld* world, CnError* error) {
    CnCastHit hit;
    CnVec3 eye = cn_vec3(0.3, 0.0, 5.0), down = cn_vec3(0.0, 0.0, -10.0);
    CnStatus status = cn_world_cast_ray(world, eye, down, NULL, &hit, error);
    if (status == CN_OK && hit.body.index != 0) {
        printf("below: the %s, %.3f m down\n", cn_body_name(world, hit.body), hit.distance);
    }
    return status;
}

static CnStatus look_through(const CnWorld* world, CnError* error) {
    CnCastHit hits[8];
    CnQueryFilter movable = {0};
    movable.ignore[CN_BODY_STATIC] = true;
    CnVec3 eye = cn_vec3(0.0, 0.0, 5.0), down = cn_vec3(0.0, 0.0, -10.0);
    int count = cn_world_cast_ray_all(world, eye, down, &movable, hits, 8, error);
    for (int i = 0; i < count && i < 8; ++i) {
        printf("in a row: the %s after %.3f m\n", cn_body_name(world, hits[i].body),
               hits[i].distance);
    }
    return count < 0 ? CN_INVALID : CN_OK;
}

static CnStatus feel_around(const CnWorld* world, CnError* error) {
    CnShapeDef room = cn_shape_def_default(CN_SHAPE_SPHERE);
    room.radius = 1.0;
    CnTransform here = {cn_vec3(1.2, 0.0, 1.5), cn_quat_identity()};
    CnBodyId bodies[8];
    int count = cn_world_overlap(world, &room, here, NULL, bodies, 8, error);
    printf("within 1 m: %d %s\n", count, count == 1 ? "body" : "bodies");

    CnClosest closest;
    room.radius = 0.1;
    CnStatus status = cn_world_closest(world, &room, here, NULL, &closest, error);
    if (status == CN_OK && closest.body.index != 0) {
        printf("nearest: the %s, %.3f m away\n", cn_body_name(world, closest.body),
               closest.distance);
    }
    return count < 0 ? CN_INVALID : status;
}

static CnStatus push_a_cupboard(const CnWorld* world, CnError* error) {
    CnShapeDef cupboard = cn_shape_def_default(CN_SHAPE_BOX);
    cupboard.size = cn_vec3(1.0, 1.0, 2.0);
    CnTransform start = {cn_vec3(-5.0, 0.0, 1.001), cn_quat_identity()}; // a hair above the ground
    CnCastHit hit;
    CnStatus status =
        cn_world_cast_shape(world, &cupboard, start, cn_vec3(10.0, 0.0, 0.0), NULL, &hit, error);
    if (status == CN_OK && hit.body.index != 0) {
        printf("pushed: %.3f m, then it meets the %s\n", hit.distance,
               cn_body_name(world, hit.body));
    }
    return status;
}

int main(void) {
    CnError error = {0};
    CnWorldDef def = cn_world_def_default();
    CnWorld* world = cn_world_create(&def, &error);
    CnStatus status = world == NULL ? error.status : furnish(world, &error);

    CnStatus (*const questions[])(const CnWorld*, CnError*) = {look_down, look_through, feel_around,
                                                               push_a_cupboard};
    for (int i = 0; i < 4 && status == CN_OK; ++i) {
        status = questions[i](world, &error);
    }
    if (status != CN_OK) {
        fprintf(stderr, "%s\n", error.message);
    }
    cn_world_destroy(world);
    return status == CN_OK ? 0 : 1;
}
