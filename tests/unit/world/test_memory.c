// test_memory.c - a world and its memory: refusals at every request, and none after warm-up.
#include "cairn/event.h"
#include "support/failing_allocator.h"
#include "support/problems/last_problem.h"
#include "support/run.h"

static const CnVec3 zero = {0.0, 0.0, 0.0};

// Everything a world can hold: ground with a rock and a sensor, three balls (two of them meeting),
// a tie, a pin, a force with a series, a contact given by hand. False as soon as something is
// refused.
static bool populate(CnWorld* world, CnBodyId balls[3]) {
    CnError error = {0};
    CnMaterialDef rubber = cn_material_def_default();
    rubber.name = "rubber";
    rubber.friction = 0.3;
    CnMaterialId material = cn_world_add_material(world, &rubber, &error);
    const CnVec3 corners[4] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    const int triangle[1][3] = {{0, 1, 2}};
    const double heights[4] = {0};
    CnShapeDef ground_shapes[5] = {
        cn_shape_def_default(CN_SHAPE_PLANE), cn_shape_def_default(CN_SHAPE_CONVEX),
        cn_shape_def_default(CN_SHAPE_BOX), cn_shape_def_default(CN_SHAPE_MESH),
        cn_shape_def_default(CN_SHAPE_HEIGHT_FIELD)};
    ground_shapes[1].points = corners;
    ground_shapes[1].point_count = 4;
    ground_shapes[1].position.x = 50.0; // out of the way
    ground_shapes[2].sensor = true;
    ground_shapes[3].points = corners;
    ground_shapes[3].point_count = 4;
    ground_shapes[3].triangles = triangle;
    ground_shapes[3].triangle_count = 1;
    ground_shapes[4].heights = heights;
    ground_shapes[4].columns = ground_shapes[4].rows = 2;
    ground_shapes[4].size = cn_vec3(1.0, 1.0, 0.0);
    ground_shapes[4].position = cn_vec3(2.0, 0.0, -1e-4); // under the third ball
    CnShapeDef sphere = cn_shape_def_default(CN_SHAPE_SPHERE);
    CnBodyDef ground = cn_body_def_default(), ball = cn_body_def_default();
    ground.type = CN_BODY_STATIC;
    ground.shapes = ground_shapes;
    ground.shape_count = 5;
    ball.shapes = &sphere;
    ball.shape_count = 1;
    ball.material = ground.material = material;
    ground.name = "ground";
    if (material.index == 0 || cn_world_add_body(world, &ground, &error).index == 0) {
        return false;
    }
    const char* const names[3] = {"a", "b", "c"};
    for (int i = 0; i < 3; ++i) {
        ball.name = names[i];
        ball.position = cn_vec3(1.0 * i, 0.0, 0.5);
        balls[i] = cn_world_add_body(world, &ball, &error);
        if (balls[i].index == 0) {
            return false;
        }
    }
    CnSeriesDef ramp = {
        .name = "ramp", .count = 2, .times = (double[]){0.0, 1.0}, .values = (double[]){0.0, 1.0}};
    CnForceDef force = cn_force_def_default();
    force.body = balls[0];
    force.force = cn_vec3(1.0, 0.0, 0.0);
    force.series = cn_world_add_series(world, &ramp, &error);
    CnContactDef contact = cn_contact_def_default();
    contact.name = "by hand";
    contact.body_a = balls[1];
    contact.body_b = balls[2];
    contact.normal = cn_vec3(1.0, 0.0, 0.0);
    contact.point = cn_vec3(1.5, 0.0, 0.6);
    CnDistanceData tie = {zero, zero, 1.0};
    CnConstraintDef distance = cn_constraint_def_default();
    distance.name = "tie";
    distance.kind = cn_distance_kind();
    distance.body_a = balls[0];
    distance.body_b = balls[1];
    distance.data = &tie;
    distance.data_size = sizeof tie;
    // The pin starts a centimetre off and its arm turns: position errors for every stage to see.
    CnPinData hold = {cn_vec3(0.0, 0.0, 0.5), cn_vec3(2.01, 0.0, 1.0)};
    CnConstraintDef pin = distance;
    pin.name = "pin";
    pin.kind = cn_pin_kind();
    pin.body_a = balls[2];
    pin.data = &hold;
    pin.data_size = sizeof hold;
    CnMaterialPair pair = {material, material, 0.2, 0.0, 0.0};
    return force.series.index != 0 && cn_world_add_force(world, &force, &error).index != 0 &&
           cn_world_add_contact(world, &contact, &error).index != 0 &&
           cn_world_add_constraint(world, &distance, &error).index != 0 &&
           cn_world_add_constraint(world, &pin, &error).index != 0 &&
           cn_world_set_material_pair(world, &pair, &error) == CN_OK &&
           cn_world_exclude_pair(world, balls[0], balls[2], &error) == CN_OK;
}

// Refuses request after request until one whole run needs none of the refused ones. A refusal must
// be reported, must not leak, and must leave a step's world where it was.
static void build_and_step_at_every_refusal(CnScheme scheme, int substeps) {
    bool finished = false;
    for (int refuse_at = 1; !finished; ++refuse_at) {
        FailingAllocator memory = {.refuse_at = refuse_at};
        CnWorldDef def = cn_world_def_default();
        CnBodyId balls[3];
        def.allocator = failing_allocator(&memory);
        def.step.scheme = scheme;
        def.step.substeps = substeps;
        CnError error = {0};
        CnWorld* world = cn_world_create(&def, &error);
        if (world == NULL) {
            CHECK_INT(error.status, CN_NO_MEMORY);
        } else if (populate(world, balls)) {
            for (int i = 0; i < 3; ++i) {
                uint64_t hash = cn_world_hash(world);
                int event_count = cn_world_events(world, NULL, 0);
                int row_count = last_problem(world)->problem.row_count;
                CnStepReport report;
                CnStatus status = cn_world_step(world, 1e-3, &report, &error);
                if (status != CN_OK) {
                    CHECK_INT(status, CN_NO_MEMORY);
                    CHECK(error.message[0] != '\0');
                    CHECK(cn_world_hash(world) == hash);
                    CHECK_INT(last_problem(world)->problem.row_count, row_count);
                    CHECK_INT(cn_world_events(world, NULL, 0), event_count);
                } else {
                    CHECK(cn_world_hash(world) != hash);
                    CHECK(isfinite(report.certificate.worst) && report.solver.solver != NULL);
                }
                char name[64];
                cn_world_block_name(world, 0, name, sizeof name); // may be "none", must not crash
                cn_world_contacts(world, NULL, 0);
            }
            uint64_t hash = cn_world_hash(world);
            CnStatus removed = cn_world_remove_body(world, balls[1]);
            if (removed != CN_OK) { // no room to tell that its contacts end
                CHECK_INT(removed, CN_NO_MEMORY);
                CHECK(cn_world_hash(world) == hash);
                CHECK_INT(cn_world_remove_body(world, balls[1]), CN_OK);
            }
            finished = memory.requests < refuse_at;
        }
        cn_world_destroy(world);
        CHECK_INT(memory.live, 0);
        CHECK(refuse_at < 2000);
    }
}

static void moreau_survives_a_refusal_at_every_request(void) {
    build_and_step_at_every_refusal(CN_SCHEME_MOREAU, 2);
}

// Its bodies are put back from their motions.
static void moreau_in_one_part_survives_a_refusal_at_every_request(void) {
    build_and_step_at_every_refusal(CN_SCHEME_MOREAU, 1);
}

static void implicit_survives_a_refusal_at_every_request(void) {
    build_and_step_at_every_refusal(CN_SCHEME_IMPLICIT, 2);
}

static void quasi_static_survives_a_refusal_at_every_request(void) {
    build_and_step_at_every_refusal(CN_SCHEME_QUASI_STATIC, 2);
}

// No contacts here: a hanging chain of two.
static void acceleration_survives_a_refusal_at_every_request(void) {
    bool finished = false;
    for (int refuse_at = 1; !finished; ++refuse_at) {
        FailingAllocator memory = {.refuse_at = refuse_at};
        CnWorldDef def = cn_world_def_default();
        def.allocator = failing_allocator(&memory);
        def.step.scheme = CN_SCHEME_ACCELERATION;
        CnWorld* world = cn_world_create(&def, NULL);
        CnBodyDef body = run_body(1.0, cn_vec3(0.1, 0.1, 0.1), cn_vec3(1.0, 0.0, 0.0));
        CnPinData data = {cn_vec3(-1.0, 0.0, 0.0), zero};
        CnConstraintDef pin = cn_constraint_def_default();
        pin.kind = cn_pin_kind();
        pin.data = &data;
        pin.data_size = sizeof data;
        if (world != NULL) {
            pin.body_a = cn_world_add_body(world, &body, NULL);
        }
        if (world != NULL && cn_world_add_constraint(world, &pin, NULL).index != 0) {
            uint64_t hash = cn_world_hash(world);
            if (cn_world_step(world, 1e-3, NULL, NULL) != CN_OK) {
                CHECK(cn_world_hash(world) == hash);
            } else {
                finished = memory.requests < refuse_at;
            }
        }
        cn_world_destroy(world);
        CHECK_INT(memory.live, 0);
        CHECK(refuse_at < 2000);
    }
}

// Every named solver that meets the laws of a scene with contacts and constraints, and the direct
// one on constraints alone: after 50 steps the next 500 ask for nothing.
static void count_requests(CnScheme scheme, const char* solver, CnStabilisation stabilisation,
                           CnIntegrator integrator) {
    FailingAllocator memory = {0};
    CnWorldDef def = cn_world_def_default();
    CnBodyId balls[3];
    def.allocator = failing_allocator(&memory);
    def.solver.name = solver;
    def.step.scheme = scheme;
    def.step.stabilisation = stabilisation;
    def.step.integrator = integrator;
    CnWorld* world = run_create(&def);
    if (scheme == CN_SCHEME_ACCELERATION) {
        CnBodyDef body = run_body(1.0, cn_vec3(0.1, 0.1, 0.1), cn_vec3(1.0, 0.0, 0.0));
        CnPinData pin = {cn_vec3(-1.0, 0.0, 0.0), cn_vec3(0.0, 0.0, 0.01)}; // off, see above
        CnBodyId id = run_add(world, &body);
        run_add_constraint(world, cn_pin_kind(), id, (CnBodyId){0}, &pin, sizeof pin);
    } else {
        CHECK(populate(world, balls));
    }
    CnError error = {0};
    CnStatus status = cn_world_step(world, 1e-3, NULL, &error);
    if (status == CN_UNSUPPORTED) { // the solver does not support the laws
        CHECK(error.message[0] != '\0');
        cn_world_destroy(world);
        return;
    }
    for (int i = 0; i < 50; ++i) {
        CHECK_INT(cn_world_step(world, 1e-3, NULL, NULL), CN_OK);
    }
    int before = memory.requests;
    int steps = UNDER_SANITIZER ? 20 : 150;
    for (int i = 0; i < steps; ++i) {
        CHECK_INT(cn_world_step(world, 1e-3, NULL, NULL), CN_OK);
    }
    ck_assert_msg(memory.requests == before, "%s with %s: %d requests in %d steps",
                  cn_scheme_name(scheme), solver, memory.requests - before, steps);
    cn_world_destroy(world);
}

static void a_warm_world_asks_for_no_memory(void) {
    for (int s = 0; s < cn_solver_count(); ++s) {
        const char* solver = cn_solver_at(s).name;
        for (int k = 0; k < CN_STABILISATION_COUNT; ++k) {
            count_requests(CN_SCHEME_MOREAU, solver, (CnStabilisation)k, CN_INTEGRATOR_RK4);
        }
        count_requests(CN_SCHEME_IMPLICIT, solver, CN_STABILISATION_PROJECTION, CN_INTEGRATOR_RK4);
        count_requests(CN_SCHEME_QUASI_STATIC, solver, CN_STABILISATION_PROJECTION,
                       CN_INTEGRATOR_RK4);
        for (int k = 0; k < CN_INTEGRATOR_COUNT; ++k) {
            count_requests(CN_SCHEME_ACCELERATION, solver, CN_STABILISATION_PROJECTION,
                           (CnIntegrator)k);
        }
    }
}

TEST_MAIN("unit/world/memory", TEST(moreau_survives_a_refusal_at_every_request),
          TEST(moreau_in_one_part_survives_a_refusal_at_every_request),
          TEST(implicit_survives_a_refusal_at_every_request),
          TEST(quasi_static_survives_a_refusal_at_every_request),
          TEST(acceleration_survives_a_refusal_at_every_request),
          TEST(a_warm_world_asks_for_no_memory))
