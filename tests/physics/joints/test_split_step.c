// test_split_step.c - joints and contacts solved apart, at two levels, and together by moreau.
//
// What docs/manual/schemes.md compares: a step that finds joint forces at acceleration level with
// gains alpha = beta = 10, and contact impulses at velocity level afterwards, on its own.
#include "support/run.h"

#include <stdio.h>

#define GRAVITY 9.81
#define RESTITUTION 0.1
#define GAIN 10.0

static const CnVec3 zero = {0.0, 0.0, 0.0};

// Two point masses of 1 kg on rods of 1 m, one under the other, released beside the wall x = 0.
typedef struct Pendulum {
    double x[2][2], v[2][2]; // x and z of each [m], [m/s]
} Pendulum;

static Pendulum released(void) {
    const double upper = CN_PI / 3.0, lower = CN_PI / 5.0;
    Pendulum p = {{{sin(upper), -cos(upper)}}, {{0.0}}};
    p.x[1][0] = p.x[0][0] + sin(lower);
    p.x[1][1] = p.x[0][1] - cos(lower);
    return p;
}

static double energy_of(const Pendulum* p) {
    double sum = 0.0;
    for (int i = 0; i < 2; ++i) {
        sum += 0.5 * (p->v[i][0] * p->v[i][0] + p->v[i][1] * p->v[i][1]) + GRAVITY * p->x[i][1];
    }
    return sum;
}

// Rod i: from the pin or the upper mass to mass i. Its direction, length and how the length
// changes.
typedef struct Rod {
    double d[2], length, rate, turning; // turning: second derivative while nothing accelerates
} Rod;

static Rod rod_of(const Pendulum* p, int i) {
    double r[2], u[2];
    for (int k = 0; k < 2; ++k) {
        r[k] = p->x[i][k] - (i == 0 ? 0.0 : p->x[0][k]);
        u[k] = p->v[i][k] - (i == 0 ? 0.0 : p->v[0][k]);
    }
    Rod rod = {.length = sqrt(r[0] * r[0] + r[1] * r[1])};
    rod.d[0] = r[0] / rod.length;
    rod.d[1] = r[1] / rod.length;
    rod.rate = rod.d[0] * u[0] + rod.d[1] * u[1];
    rod.turning = (u[0] * u[0] + u[1] * u[1] - rod.rate * rod.rate) / rod.length;
    return rod;
}

static double rod_error(const Pendulum* p) {
    return fmax(fabs(rod_of(p, 0).length - 1.0), fabs(rod_of(p, 1).length - 1.0));
}

// J M^-1 J^T f = -J g - turning - alpha C - beta dC/dt, two rows; then v, contacts, x.
static void split_step(Pendulum* p, double h) {
    Rod a = rod_of(p, 0), b = rod_of(p, 1);
    double cosine = a.d[0] * b.d[0] + a.d[1] * b.d[1];
    double right_a = GRAVITY * a.d[1] - a.turning - GAIN * (a.length - 1.0) - GAIN * a.rate;
    double right_b = -b.turning - GAIN * (b.length - 1.0) - GAIN * b.rate; // both fall alike
    double determinant = 2.0 - cosine * cosine;                            // of [1, -c; -c, 2]
    double force_a = (2.0 * right_a + cosine * right_b) / determinant;
    double force_b = (cosine * right_a + right_b) / determinant;
    for (int k = 0; k < 2; ++k) {
        double fall = k == 1 ? -GRAVITY : 0.0;
        p->v[0][k] += h * (fall + force_a * a.d[k] - force_b * b.d[k]);
        p->v[1][k] += h * (fall + force_b * b.d[k]);
    }
    for (int i = 0; i < 2; ++i) {
        if (p->x[i][0] <= 0.0 && p->v[i][0] < 0.0) {
            p->v[i][0] *= -RESTITUTION;
        }
        p->x[i][0] += h * p->v[i][0];
        p->x[i][1] += h * p->v[i][1];
    }
}

static CnWorld* create_world(CnStabilisation stabilisation) {
    CnWorldDef def = cn_world_def_default();
    Pendulum start = released();
    CnBodyId above = {0};
    def.gravity = cn_vec3(0.0, 0.0, -GRAVITY);
    def.step.stabilisation = stabilisation;
    CnWorld* world = run_create(&def);
    CnMaterialId smooth = run_add_material(world, 0.0, RESTITUTION);
    for (int i = 0; i < 2; ++i) {
        CnVec3 place = cn_vec3(start.x[i][0], 0.0, start.x[i][1]);
        CnBodyDef mass = run_body(1.0, cn_vec3(1.0, 1.0, 1.0), place);
        CnBodyId id = run_add(world, &mass);
        CnContactDef wall = cn_contact_def_default();
        wall.body_b = id;
        wall.point = place;
        wall.normal = cn_vec3(1.0, 0.0, 0.0);
        wall.gap = place.x;
        wall.material_a = wall.material_b = smooth;
        CHECK(cn_world_add_contact(world, &wall, NULL).index != 0);
        if (i == 0) {
            CnAnchorDistanceData data = {zero, zero, 1.0};
            run_add_constraint(world, cn_anchor_distance_kind(), id, above, &data, sizeof data);
        } else {
            CnDistanceData data = {zero, zero, 1.0};
            run_add_constraint(world, cn_distance_kind(), above, id, &data, sizeof data);
        }
        above = id;
    }
    return world;
}

// After 0.6 s and 1 s, and the worst rod error of all steps.
typedef struct Course {
    double energy[2], error;
} Course;

static Course split_course(double h) {
    Pendulum p = released();
    Course course = {{0.0}, 0.0};
    int steps = (int)lround(1.0 / h);
    for (int i = 1; i <= steps; ++i) {
        split_step(&p, h);
        course.error = fmax(course.error, rod_error(&p));
        course.energy[0] = i <= lround(0.6 / h) ? energy_of(&p) : course.energy[0];
    }
    course.energy[1] = energy_of(&p);
    return course;
}

static Course moreau_course(double h, CnStabilisation stabilisation) {
    CnWorld* world = create_world(stabilisation);
    Course course = {{0.0}, 0.0};
    int steps = (int)lround(1.0 / h);
    for (int i = 1; i <= steps; ++i) {
        CnStepReport report = run_step(world, h);
        course.error = fmax(course.error, report.joint_error);
        course.energy[0] = i <= lround(0.6 / h) ? cn_world_energy(world) : course.energy[0];
    }
    course.energy[1] = cn_world_energy(world);
    cn_world_destroy(world);
    return course;
}

// Of the energy that is left at 1 s, to a run with steps of 25 us.
static void one_problem_keeps_the_rods_where_two_do_not(void) {
    Course exact = moreau_course(2.5e-5, CN_STABILISATION_PROJECTION);
    const double lengths[] = {1e-3, 0.016};
    for (int i = 0; i < 2; ++i) {
        Course split = split_course(lengths[i]);
        Course projected = moreau_course(lengths[i], CN_STABILISATION_PROJECTION);
        Course baumgarte = moreau_course(lengths[i], CN_STABILISATION_BAUMGARTE);
        printf("h = %g s, worst rod error [m], energy error at 0.6 s and 1 s [J]:\n"
               "  split      %9.2g %9.2g %9.2g\n  projection %9.2g %9.2g %9.2g\n"
               "  baumgarte  %9.2g %9.2g %9.2g\n",
               lengths[i], split.error, split.energy[0] - exact.energy[0],
               split.energy[1] - exact.energy[1], projected.error,
               projected.energy[0] - exact.energy[0], projected.energy[1] - exact.energy[1],
               baumgarte.error, baumgarte.energy[0] - exact.energy[0],
               baumgarte.energy[1] - exact.energy[1]);
        CHECK(projected.error <= 1e-9); // what projection leaves
        CHECK(baumgarte.error < 0.02);  // of rods of 1 m, at either length of a step
        CHECK(split.error > 0.1);       // they learn of impacts through their gains alone
    }
}

TEST_MAIN("physics/joints/split_step", TEST(one_problem_keeps_the_rods_where_two_do_not))
