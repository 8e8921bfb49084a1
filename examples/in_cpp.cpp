// in_cpp.cpp - the same headers in C++: a world that is freed by itself, errors as exceptions.
#include <cairn/cairn.h>
#include <cstdio>
#include <memory>
#include <stdexcept>

struct DestroyWorld {
    void operator()(CnWorld* world) const {
        cn_world_destroy(world);
    }
};
using World = std::unique_ptr<CnWorld, DestroyWorld>;

static World create(const CnWorldDef& def) {
    CnError error = {};
    World world(cn_world_create(&def, &error));
    if (!world) {
        throw std::runtime_error(error.message);
    }
    return world;
}

static CnBodyId add_ball(CnWorld* world, CnVec3 position) {
    CnError error = {};
    CnShapeDef ball = cn_shape_def_default(CN_SHAPE_SPHERE);
    CnBodyDef def = cn_body_def_default();
    def.shapes = &ball;
    def.shape_count = 1;
    def.position = position;
    CnBodyId body = cn_world_add_body(world, &def, &error);
    if (body.index == 0) {
        throw std::runtime_error(error.message);
    }
    return body;
}

int main() {
    World world = create(cn_world_def_default());
    CnBodyId ball = add_ball(world.get(), cn_vec3(0.0, 0.0, 10.0));
    for (int i = 0; i < 100; ++i) {
        cn_world_step(world.get(), 0.01, nullptr, nullptr);
    }
    CnBodyState state;
    cn_body_state(world.get(), ball, &state);
    std::printf("after 1 s the ball is at z = %.6f m\n", state.center.z);
    bool fell = state.center.z > 5.094 && state.center.z < 5.096; // 10 - 9.81 / 2

    bool refused = false;
    try {
        CnWorldDef wrong = cn_world_def_default();
        wrong.step.substeps = 0;
        create(wrong);
    } catch (const std::runtime_error& error) {
        std::printf("refused: %s\n", error.what());
        refused = true;
    }
    return fell && refused ? 0 : 1;
}
