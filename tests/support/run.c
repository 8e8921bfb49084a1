// run.c - worlds for tests: built in one call, stepped with all ledgers checked.
#include "support/run.h"
#include "builtin/builtin_scenes.h"

#include "cairn/scene.h"

CnWorldDef run_soft_def(void) {
    CnWorldDef def = cn_world_def_default();
    def.step.scheme = CN_SCHEME_SOFT_STEP;
    def.step.contact_margin = 5e-3;
    return def;
}

CnWorld* run_create(const CnWorldDef* def) {
    CnError error = {0};
    CnWorld* world = cn_world_create(def, &error);
    ck_assert_msg(world != NULL, "%s", error.message);
    return world;
}

CnScene* run_open_scene(const char* name) {
    CnError error = {0};
    CnScene* scene = cn_open_scene(name, &error);
    ck_assert_msg(scene != NULL, "%s", error.message);
    return scene;
}

CnWorld* run_build(CnScene* scene, const CnSceneSettings* settings, CnAllocator allocator) {
    CnError error = {0};
    CnWorldDef hooks = cn_world_def_default();
    hooks.allocator = allocator;
    CHECK_INT(cn_scene_set_settings(scene, settings, &error), CN_OK);
    CnWorld* world = cn_scene_build(scene, &hooks, &error);
    ck_assert_msg(world != NULL, "%s", error.message);
    cn_scene_destroy(scene);
    return world;
}

CnWorld* run_open(const char* name) {
    CnScene* scene = run_open_scene(name);
    CnSceneSettings settings = cn_scene_settings(scene);
    return run_build(scene, &settings, (CnAllocator){0});
}

CnBodyDef run_body(double mass, CnVec3 moments, CnVec3 position) {
    CnBodyDef def = cn_body_def_default();
    def.has_mass = true;
    def.mass = mass;
    def.inertia[0] = moments.x;
    def.inertia[1] = moments.y;
    def.inertia[2] = moments.z;
    def.position = position;
    return def;
}

CnBodyDef run_random_body(CnRandom* random, int turn, CnVec3 place, double spin,
                          CnShapeDef* shape) {
    const CnShapeType types[] = {CN_SHAPE_SPHERE, CN_SHAPE_BOX, CN_SHAPE_CAPSULE};
    CnBodyDef body = cn_body_def_default();
    double x[9];
    for (int k = 0; k < 9; ++k) {
        x[k] = cn_random_between(random, -1.0, 1.0);
    }
    *shape = cn_shape_def_default(types[turn % 3]);
    shape->radius = 0.2;
    shape->length = 0.5;
    shape->size = cn_vec3(0.3, 0.4, 0.5);
    body.shapes = shape;
    body.shape_count = 1;
    body.position = cn_vec3_add(place, cn_vec3(x[0], x[1], x[2]));
    body.velocity = cn_vec3_scale(5.0, cn_vec3(x[3], x[4], x[5]));
    body.angular_velocity = cn_vec3_scale(spin, cn_vec3(x[6], x[7], x[8]));
    return body;
}

CnBodyId run_add(CnWorld* world, const CnBodyDef* def) {
    CnError error = {0};
    CnBodyId id = cn_world_add_body(world, def, &error);
    ck_assert_msg(id.index != 0, "%s", error.message);
    return id;
}

CnBodyId run_add_ball(CnWorld* world, double mass, double radius, CnVec3 position, CnVec3 velocity,
                      CnMaterialId material) {
    CnShapeDef sphere = cn_shape_def_default(CN_SHAPE_SPHERE);
    sphere.radius = radius;
    double moment = 0.4 * mass * radius * radius;
    CnBodyDef def = run_body(mass, cn_vec3(moment, moment, moment), position);
    def.shapes = &sphere;
    def.shape_count = 1;
    def.velocity = velocity;
    def.material = material;
    return run_add(world, &def);
}

CnBodyId run_add_box(CnWorld* world, CnBodyType type, CnVec3 size, CnVec3 position,
                     CnMaterialId material) {
    CnShapeDef box = cn_shape_def_default(CN_SHAPE_BOX);
    CnBodyDef def = cn_body_def_default();
    box.size = size;
    def.type = type;
    def.shapes = &box;
    def.shape_count = 1;
    def.position = position;
    def.material = material;
    return run_add(world, &def);
}

CnBodyId run_add_ground(CnWorld* world, CnMaterialId material) {
    CnShapeDef plane = cn_shape_def_default(CN_SHAPE_PLANE);
    CnBodyDef def = cn_body_def_default();
    def.type = CN_BODY_STATIC;
    def.shapes = &plane;
    def.shape_count = 1;
    def.material = material;
    return run_add(world, &def);
}

CnMaterialId run_add_material(CnWorld* world, double friction, double restitution) {
    CnError error = {0};
    CnMaterialDef def = cn_material_def_default();
    def.friction = friction;
    def.restitution = restitution;
    CnMaterialId id = cn_world_add_material(world, &def, &error);
    ck_assert_msg(id.index != 0, "%s", error.message);
    return id;
}

CnConstraintId run_add_constraint(CnWorld* world, const CnConstraintKind* kind, CnBodyId a,
                                  CnBodyId b, const void* data, size_t size) {
    CnError error = {0};
    CnConstraintDef def = cn_constraint_def_default();
    def.kind = kind;
    def.body_a = a;
    def.body_b = b;
    def.data = data;
    def.data_size = size;
    CnConstraintId id = cn_world_add_constraint(world, &def, &error);
    ck_assert_msg(id.index != 0, "%s", error.message);
    return id;
}

CnBodyState run_state(const CnWorld* world, CnBodyId body) {
    CnBodyState state;
    CHECK_INT(cn_body_state(world, body, &state), CN_OK);
    return state;
}

CnStepReport run_step(CnWorld* world, double dt) {
    CnStepReport report;
    CnError error = {0};
    CnStatus status = cn_world_step(world, dt, &report, &error);
    ck_assert_msg(status == CN_OK, "%s", error.message);
    ck_assert_msg(report.not_converged == 0, "t = %g s: residual %g m/s (%s)", report.time,
                  report.certificate.worst, report.solver.remark);
    ck_assert_msg(report.energy.error <= LEDGER_TOLERANCE, "t = %g s: energy ledger open by %g",
                  report.time, report.energy.error);
    ck_assert_msg(report.momentum.error <= LEDGER_TOLERANCE, "t = %g s: momentum ledger open by %g",
                  report.time, report.momentum.error);
    ck_assert_msg(report.momentum.internal_error <= LEDGER_TOLERANCE,
                  "t = %g s: action and reaction differ by %g", report.time,
                  report.momentum.internal_error);
    return report;
}

void run_steps(CnWorld* world, double dt, int count) {
    for (int i = 0; i < count; ++i) {
        run_step(world, dt);
    }
}

double run_state_distance(const CnBodyState* a, const CnBodyState* b) {
    double x[sizeof *a / sizeof(double)], y[sizeof *a / sizeof(double)], worst = 0.0;
    memcpy(x, a, sizeof x);
    memcpy(y, b, sizeof y);
    for (size_t i = 0; i < sizeof x / sizeof x[0]; ++i) {
        worst = fmax(worst, fabs(x[i] - y[i]));
    }
    return worst;
}

bool run_is_same_event(const CnEvent* a, const CnEvent* b) {
    return a->type == b->type && a->body_a.index == b->body_a.index &&
           a->body_b.index == b->body_b.index && a->speed == b->speed && a->impulse == b->impulse;
}
