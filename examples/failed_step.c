// failed_step.c - a step that fails leaves the world as it was: mend the cause and go on.
#include <cairn/cairn.h>
#include <math.h>
#include <stdio.h>

// A controller that goes wrong in the second half of the step.
static void push(const CnBodyState* state, double time, void* data, CnVec3* force, CnVec3* torque) {
    const bool* is_broken = data;
    (void)state;
    (void)torque;
    force->x = *is_broken && time > 5e-4 ? (double)NAN : 1.0;
}

// A constraint that counts the parts of steps it has been through: memory that a step changes.
static void height(const CnBodyState* a, const CnBodyState* b, double time, const void* data,
                   double* value) {
    (void)b;
    (void)time;
    (void)data;
    value[0] = a->center.z;
}

static void height_rows(const CnBodyState* a, const CnBodyState* b, double time, const void* data,
                        double* row_a, double* row_b) {
    (void)a;
    (void)b;
    (void)time;
    (void)data;
    (void)row_b;
    row_a[2] = 1.0;
}

static void count(const CnBodyState* a, const CnBodyState* b, double time, void* data) {
    (void)a;
    (void)b;
    (void)time;
    ++*(int*)data;
}

static const CnConstraintKind counter = {
    .name = "counter",
    .body_count = 1,
    .dimension = 1,
    .evaluate = height,
    .jacobian = height_rows,
    .advance = count,
};

int main(void) {
    CnError error = {0};
    CnWorldDef def = cn_world_def_default();
    def.step.substeps = 2; // the first one succeeds
    CnWorld* world = cn_world_create(&def, &error);
    CnShapeDef ball = cn_shape_def_default(CN_SHAPE_SPHERE);
    CnBodyDef body = cn_body_def_default();
    body.shapes = &ball;
    body.shape_count = 1;
    CnBodyId id = cn_world_add_body(world, &body, &error);
    int parts = 0;
    CnConstraintDef constraint = cn_constraint_def_default();
    constraint.kind = &counter;
    constraint.body_a = id;
    constraint.data = &parts; // copied
    constraint.data_size = sizeof parts;
    cn_world_add_constraint(world, &constraint, &error);
    bool is_broken = true;
    CnForceDef force = cn_force_def_default();
    force.body = id;
    force.function = push;
    force.data = &is_broken;
    cn_world_add_force(world, &force, &error);

    uint64_t before = cn_world_hash(world);
    CnStatus status = cn_world_step(world, 1e-3, NULL, &error);
    printf("%s: %s\n", cn_status_name(status), error.message);
    bool is_back = cn_world_hash(world) == before && cn_world_time(world) == 0.0;
    printf("the world %s\n", is_back ? "is as it was" : "HAS CHANGED");

    CnWorld* untouched = cn_world_clone(world, NULL, &error); // a copy that never failed
    is_broken = false;
    CnStatus again = cn_world_step(world, 1e-3, NULL, &error);
    cn_world_step(untouched, 1e-3, NULL, &error);
    bool is_same = again == CN_OK && cn_world_hash(world) == cn_world_hash(untouched);
    printf("and goes on: %s\n", cn_status_name(again));
    cn_world_destroy(untouched);
    cn_world_destroy(world);
    return status != CN_OK && is_back && is_same ? 0 : 1;
}
