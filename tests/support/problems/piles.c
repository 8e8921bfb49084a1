// piles.c - frictional problems with many contacts, for tests of solvers.
#include "support/problems/piles.h"

#define FALL 0.01      // time of free fall [s]
#define GRAVITY 9.81   // [m/s^2]
#define CUBE_INERTIA 6 // inverse, times mass, of a unit cube [1/m^2]

void pile_add_stack(Problem* problem, int count, const double* mass, double friction, double push) {
    int below = -1;
    for (int i = 0; i < count; ++i) {
        int body = problem_add_body(problem, 1.0 / mass[i], CUBE_INERTIA / mass[i]);
        problem->free_velocity[body][0] = push * FALL * (i % 3);
        problem->free_velocity[body][1] = -0.3 * push * FALL * (i % 2);
        problem->free_velocity[body][2] = -GRAVITY * FALL;
        for (int corner = 0; corner < 4; ++corner) {
            double x = corner & 1 ? 0.5 : -0.5;
            double y = corner & 2 ? 0.5 : -0.5;
            CnVec3 arm = below < 0 ? cn_vec3(0, 0, 0) : cn_vec3(x, y, 0.5);
            problem_add_contact(problem, below, body, arm, cn_vec3(x, y, -0.5), friction);
        }
        below = body;
    }
}

static CnVec3 random_vector(CnRandom* random, double low_z, double size) {
    double x = cn_random_between(random, -size, size);
    double y = cn_random_between(random, -size, size);
    return cn_vec3(x, y, cn_random_between(random, low_z, size));
}

static void add_random_contact(Problem* problem, CnRandom* random, int body_a, int body_b,
                               double friction) {
    int block =
        problem_add_contact(problem, body_a, body_b, cn_vec3(0, 0, 0), cn_vec3(0, 0, 0), friction);
    CnVec3 normal = cn_vec3_normalize(random_vector(random, -0.2, 1.0));
    CnVec3 helper = fabs(normal.x) < 0.5 ? cn_vec3(1, 0, 0) : cn_vec3(0, 1, 0);
    CnVec3 first = cn_vec3_normalize(cn_vec3_cross(helper, normal));
    const CnVec3 axes[3] = {normal, first, cn_vec3_cross(normal, first)};
    CnVec3 arm_b = random_vector(random, -0.5, 0.5);
    CnVec3 arm_a = body_a < 0 ? cn_vec3(0, 0, 0) : random_vector(random, -0.5, 0.5);
    for (int i = 0; i < 3; ++i) {
        problem_set_row(problem, problem->blocks[block].first_row + i, axes[i], arm_a, arm_b);
    }
}

void pile_add_random(Problem* problem, CnRandom* random, int bodies, int contacts, double decades,
                     double friction) {
    int first = problem->body_count;
    for (int i = 0; i < bodies; ++i) {
        double mass = pow(10.0, cn_random_between(random, -decades, 0.0));
        double inertia = cn_random_between(random, 2.0, 10.0) / mass;
        int body = problem_add_body(problem, 1.0 / mass, inertia);
        for (int k = 0; k < 6; ++k) {
            problem->free_velocity[body][k] = cn_random_between(random, -0.1, 0.1);
        }
        problem->free_velocity[body][2] -= 0.2;
    }
    for (int i = 0; i < contacts; ++i) {
        int upper = i < bodies ? i : (int)cn_random_between(random, 0.0, bodies);
        int lower = upper - 1 - (int)cn_random_between(random, 0.0, 5.0);
        double mu = friction < 0.0 ? cn_random_between(random, 0.0, 1.0) : friction;
        add_random_contact(problem, random, lower < 0 ? -1 : first + lower, first + upper, mu);
    }
}

void pile_add_chain(Problem* problem, int count, double last_mass) {
    int above = -1;
    for (int i = 0; i < count; ++i) {
        double mass = i == count - 1 ? last_mass : 1.0;
        int body = problem_add_body(problem, 1.0 / mass, CUBE_INERTIA / mass);
        problem->free_velocity[body][0] = 0.01 * (i % 3);
        problem->free_velocity[body][2] = -GRAVITY * FALL;
        CnVec3 arm = above < 0 ? cn_vec3(0, 0, 0) : cn_vec3(0.5, 0, 0);
        problem_add_point_joint(problem, above, body, arm, cn_vec3(-0.5, 0, 0));
        above = body;
    }
}

double pile_energy(const CnProblem* problem, const double (*velocity)[6]) {
    double energy = 0.0;
    for (int i = 0; i < problem->body_count; ++i) {
        const double* v = velocity[i];
        if (problem->inverse_mass[i] > 0.0) {
            energy += 0.5 * (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]) / problem->inverse_mass[i];
        }
        if (problem->inverse_inertia[i][0] > 0.0) {
            energy +=
                0.5 * (v[3] * v[3] + v[4] * v[4] + v[5] * v[5]) / problem->inverse_inertia[i][0];
        }
    }
    return energy;
}
