// build_scene.c - a scene built by a program, saved as a file, and run in a world with its ids.
#include <cairn/cairn.h>
#include <stdio.h>

#define STEPS 1000

// Any CnBodyDef that a world takes will do.
static CnBodyId add_crate(CnScene* scene, CnMaterialId wood, CnError* error) {
    CnShapeDef box = cn_shape_def_default(CN_SHAPE_BOX);
    CnBodyDef crate = cn_body_def_default();
    box.size = cn_vec3(0.5, 0.5, 0.5);
    crate.name = "crate";
    crate.position = cn_vec3(0.0, 0.0, 0.25);
    crate.velocity = cn_vec3(2.0, 0.0, 0.0);
    crate.material = wood;
    crate.shapes = &box;
    crate.shape_count = 1;
    cn_scene_scale_mass(scene, &crate, 12.0, error); // [kg]; inertia and centre follow the box
    return cn_scene_add_body(scene, &crate, error);
}

static void add_ground(CnScene* scene, CnMaterialId wood, CnError* error) {
    CnShapeDef plane = cn_shape_def_default(CN_SHAPE_PLANE);
    CnBodyDef ground = cn_body_def_default();
    ground.type = CN_BODY_STATIC;
    ground.material = wood;
    ground.shapes = &plane;
    ground.shape_count = 1;
    cn_scene_add_body(scene, &ground, error);
}

int main(void) {
    CnError error = {0};
    CnScene* scene = cn_scene_create("sliding crate", &error);
    CnMaterialDef def = cn_material_def_default();
    def.name = "wood";
    def.friction = 0.4;
    CnMaterialId wood = cn_scene_add_material(scene, &def, &error);
    add_ground(scene, wood, &error);
    CnBodyId crate = add_crate(scene, wood, &error);
    cn_scene_save(scene, "sliding-crate.json", &error); // `cairn run sliding-crate.json`

    CnWorld* world = cn_scene_build(scene, NULL, &error);
    if (world == NULL) {
        fprintf(stderr, "%s\n", error.message);
        return 1;
    }
    for (int i = 0; i < STEPS; ++i) {
        cn_world_step(world, cn_scene_settings(scene).dt, NULL, &error);
    }
    CnBodyState state;
    cn_body_state(world, crate, &state); // the id of the scene
    // It slides v^2 / (2 mu g) = 0.5097 m, to first order in the step of 1 ms, and stops.
    printf("the crate is at x = %.4f m\n", state.center.x);
    bool is_right = state.center.x > 0.5087 && state.center.x < 0.5107;
    cn_world_destroy(world);
    cn_scene_destroy(scene);
    remove("sliding-crate.json");
    return error.status == CN_OK && is_right ? 0 : 1;
}
