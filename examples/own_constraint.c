// own_constraint.c - writes a constraint, checks it, and lets a bead circle in a bowl with it.
//
// In the bowl z = k (x^2 + y^2) a bead can go round at any height, always with the same angular
// speed sqrt(2 g k): after 2 pi / sqrt(2 g k) seconds it is back where it began.
#include <cairn/cairn.h>
#include <stdio.h>

typedef struct Bowl {
    double curvature; // k [1/m]
} Bowl;

// C = z - k (x^2 + y^2): how far the bead is above the bowl [m].
static void bowl_evaluate(const CnBodyState* a, const CnBodyState* b, double time, const void* data,
                          double* value) {
    (void)b, (void)time;
    const Bowl* bowl = data;
    CnVec3 x = a->center;
    value[0] = x.z - bowl->curvature * (x.x * x.x + x.y * x.y);
}

// dC/dt = vz - 2 k (x vx + y vy): one row on (v, w). The bead may turn as it likes.
static void bowl_jacobian(const CnBodyState* a, const CnBodyState* b, double time, const void* data,
                          double* jacobian_a, double* jacobian_b) {
    (void)b, (void)time, (void)jacobian_b;
    const Bowl* bowl = data;
    jacobian_a[0] = -2.0 * bowl->curvature * a->center.x;
    jacobian_a[1] = -2.0 * bowl->curvature * a->center.y;
    jacobian_a[2] = 1.0;
    jacobian_a[3] = jacobian_a[4] = jacobian_a[5] = 0.0;
}

// What is left of d2C/dt2 when the velocity stays as it is: -2 k (vx^2 + vy^2).
static void bowl_bias(const CnBodyState* a, const CnBodyState* b, double time, const void* data,
                      double* bias) {
    (void)b, (void)time;
    const Bowl* bowl = data;
    CnVec3 v = a->velocity;
    bias[0] = -2.0 * bowl->curvature * (v.x * v.x + v.y * v.y);
}

static const CnConstraintKind bowl_kind = {
    .name = "bowl",
    .body_count = 1,
    .dimension = 1,
    .coordinates = CN_COORDINATES_VELOCITY,
    .evaluate = bowl_evaluate,
    .jacobian = bowl_jacobian,
    .acceleration_bias = bowl_bias, // may be left out
};

// Compares the functions with finite differences somewhere off the beaten track.
static CnStatus check_bowl(const Bowl* bowl, CnError* error) {
    CnBodyState state = {
        .center = {0.3, -0.7, 0.4},
        .rotation = {0.5, 0.5, 0.5, 0.5},
        .velocity = {1.0, 2.0, -0.5},
        .angular_velocity = {0.2, -1.0, 3.0},
    };
    CnConstraintCheck check;
    CnStatus status = cn_constraint_check(&bowl_kind, &state, NULL, 0.0, bowl, &check, error);
    if (status == CN_OK) {
        printf("jacobian off by %.0e, bias by %.0e\n", check.jacobian_error,
               check.acceleration_bias_error);
        bool is_right = check.jacobian_error < 1e-8 && check.acceleration_bias_error < 1e-8;
        status = is_right ? CN_OK : CN_INVALID; // a wrong formula errs by far more
    }
    return status;
}

static CnBodyId add_bead(CnWorld* world, CnVec3 position, CnVec3 velocity, CnError* error) {
    CnBodyDef def = cn_body_def_default();
    def.name = "bead";
    def.position = position;
    def.velocity = velocity;
    def.has_mass = true; // no shape: mass and inertia are given
    def.mass = 1.0;
    def.inertia[0] = def.inertia[1] = def.inertia[2] = 0.001;
    return cn_world_add_body(world, &def, error);
}

static CnConstraintId add_bowl(CnWorld* world, CnBodyId bead, const Bowl* bowl, CnError* error) {
    CnConstraintDef def = cn_constraint_def_default();
    def.name = "bowl";
    def.kind = &bowl_kind; // must outlive the world
    def.body_a = bead;
    def.data = bowl; // copied
    def.data_size = sizeof *bowl;
    return cn_world_add_constraint(world, &def, error);
}

// One turn at a radius of 1 m, in 1000 steps.
static CnStatus circle(CnWorld* world, const Bowl* bowl, CnError* error) {
    double angular_speed = sqrt(2.0 * 9.81 * bowl->curvature); // [rad/s]
    double dt = 2.0 * CN_PI / angular_speed / 1000.0;
    CnVec3 start = cn_vec3(1.0, 0.0, bowl->curvature);
    CnBodyId bead = add_bead(world, start, cn_vec3(0.0, angular_speed, 0.0), error);
    CnConstraintId constraint = add_bowl(world, bead, bowl, error);
    CnStatus status = constraint.generation == 0 ? CN_INVALID : CN_OK;

    for (int i = 0; i < 1000 && status == CN_OK; ++i) {
        status = cn_world_step(world, dt, NULL, error);
    }
    if (status == CN_OK) {
        CnBodyState state;
        double force[CN_MAX_ROWS], value[CN_MAX_ROWS];
        cn_body_state(world, bead, &state);
        cn_constraint_read(world, constraint, force, value);
        printf("after one turn the bead is %.1e m from where it began\n",
               cn_vec3_length(cn_vec3_sub(state.center, start)));
        printf("the bowl bears %.4f N and is missed by %.1e m\n", force[0], fabs(value[0]));
    }
    return status;
}

int main(void) {
    CnError error = {0};
    Bowl bowl = {.curvature = 0.5};
    CnWorldDef def = cn_world_def_default();
    CnWorld* world = cn_world_create(&def, &error);
    CnStatus status = world == NULL ? error.status : check_bowl(&bowl, &error);

    if (status == CN_OK) {
        status = circle(world, &bowl, &error);
    }
    if (status != CN_OK) {
        fprintf(stderr, "%s: %s\n", cn_status_name(status), error.message);
    }
    cn_world_destroy(world);
    return status == CN_OK ? 0 : 1;
}
