// snapshot.c - go back to a saved state, and try what might happen in a copy of the world.
#include <cairn/cairn.h>
#include <stdio.h>

static CnWorld* create(CnError* error) {
    CnWorldDef def = cn_world_def_default();
    CnWorld* world = cn_world_create(&def, error);
    CnShapeDef plane = cn_shape_def_default(CN_SHAPE_PLANE);
    CnShapeDef box = cn_shape_def_default(CN_SHAPE_BOX);
    CnBodyDef body = cn_body_def_default();
    body.type = CN_BODY_STATIC;
    body.shapes = &plane;
    body.shape_count = 1;
    cn_world_add_body(world, &body, error);
    body.type = CN_BODY_DYNAMIC;
    body.shapes = &box;
    for (int i = 0; i < 5; ++i) { // a leaning tower
        body.position = cn_vec3(0.3 * i, 0.0, 0.5 + i);
        cn_world_add_body(world, &body, error);
    }
    return world;
}

static CnStatus run(CnWorld* world, int steps, CnError* error) {
    CnStatus status = CN_OK;
    for (int i = 0; i < steps && status == CN_OK; ++i) {
        status = cn_world_step(world, 0.01, NULL, error);
    }
    return status;
}

// What would a push do? The world itself stays as it is.
static CnVec3 try_push(const CnWorld* world, CnVec3 impulse, CnError* error) {
    CnBodyState end = {0};
    CnWorld* copy = cn_world_clone(world, NULL, error);
    if (copy != NULL) {
        CnBodyId top = cn_world_body_at(copy, 5); // ids hold in the copy too
        cn_body_state(copy, top, &end);
        cn_body_apply_impulse(copy, top, impulse, end.center, error);
        run(copy, 100, error);
        cn_body_state(copy, top, &end);
        cn_world_destroy(copy);
    }
    return end.center;
}

int main(void) {
    CnError error = {0};
    CnWorld *world = create(&error), *other = create(&error);
    run(world, 50, &error);
    for (int i = -1; i <= 1; ++i) {
        CnVec3 end = try_push(world, cn_vec3(0.0, 2000.0 * i, 0.0), &error);
        printf("pushed with %6.0f N s the top comes to (%.3f, %.3f, %.3f)\n", 2000.0 * i, end.x,
               end.y, end.z);
    }

    cn_world_save_state(world, "tower.state", &error); // while it falls
    run(world, 200, &error);
    uint64_t hash = cn_world_hash(world);

    cn_world_load_state(other, "tower.state", &error); // a world made by the same calls
    printf("loaded at %.2f s\n", cn_world_time(other));
    run(other, 200, &error);
    bool is_same = cn_world_hash(other) == hash;

    void* bytes = NULL; // or in memory: back and forth as often as one likes
    size_t size = 0;
    cn_world_save_state_memory(world, &bytes, &size, &error);
    run(world, 10, &error);
    cn_world_load_state_memory(world, bytes, size, &error);
    is_same = is_same && cn_world_hash(world) == hash;
    cn_world_release_state(world, bytes);

    printf("%s\n", is_same ? "the same bits" : "different bits");
    if (error.message[0] != '\0') {
        fprintf(stderr, "%s\n", error.message);
    }
    remove("tower.state");
    cn_world_destroy(world);
    cn_world_destroy(other);
    return is_same && error.message[0] == '\0' ? 0 : 1;
}
