// contact_lattice.c - a problem of any size: balls on a cubic grid, each against its neighbours.
#include "bench/contact_lattice.h"

#include "cairn/math.h"

#include <stdlib.h>

#define RADIUS 0.5      // [m]
#define INERTIA 0.1     // 2/5 m r^2 of 1 kg [kg m^2]
#define FRICTION 0.5    // [-]
#define FALL (-0.1)     // g times 10 ms [m/s]
#define DRIFT_LIMIT 0.1 // as large as the fall: about half the contacts slip [m/s]

// The smallest cube whose contacts suffice: s^3 downwards, s^2 (s - 1) to each of two sides.
static int find_side(int contact_count) {
    int64_t side = 1;
    while (side * side * (3 * side - 2) < contact_count) {
        ++side;
    }
    return (int)side;
}

static bool allocate(ContactLattice* lattice, int body_count, int contact_count) {
    size_t bodies = (size_t)body_count, contacts = (size_t)contact_count, rows = 3 * contacts;
    lattice->inverse_mass = calloc(bodies, sizeof *lattice->inverse_mass);
    lattice->inverse_inertia = calloc(bodies, sizeof *lattice->inverse_inertia);
    lattice->free_velocity = calloc(bodies, sizeof *lattice->free_velocity);
    lattice->blocks = calloc(contacts, sizeof *lattice->blocks);
    lattice->jacobian_a = calloc(rows, sizeof *lattice->jacobian_a);
    lattice->jacobian_b = calloc(rows, sizeof *lattice->jacobian_b);
    lattice->zero = calloc(rows, sizeof *lattice->zero);
    return lattice->inverse_mass != NULL && lattice->inverse_inertia != NULL &&
           lattice->free_velocity != NULL && lattice->blocks != NULL &&
           lattice->jacobian_a != NULL && lattice->jacobian_b != NULL && lattice->zero != NULL;
}

// In [-DRIFT_LIMIT, DRIFT_LIMIT]: the high bits of a linear congruential generator (Knuth, MMIX).
static double next_drift(uint64_t* state) {
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return DRIFT_LIMIT * (2.0 * (double)(*state >> 11) / 9007199254740992.0 - 1.0);
}

static void fill_bodies(ContactLattice* lattice, int body_count) {
    uint64_t state = 1;
    for (int i = 0; i < body_count; ++i) {
        lattice->inverse_mass[i] = 1.0;
        for (int axis = 0; axis < 3; ++axis) {
            lattice->inverse_inertia[i][4 * axis] = 1.0 / INERTIA;
        }
        lattice->free_velocity[i][0] = next_drift(&state);
        lattice->free_velocity[i][1] = next_drift(&state);
        lattice->free_velocity[i][2] = FALL;
    }
}

static void set_row(double row[6], double sign, CnVec3 arm, CnVec3 direction) {
    CnVec3 moment = cn_vec3_cross(arm, direction);
    row[0] = sign * direction.x;
    row[1] = sign * direction.y;
    row[2] = sign * direction.z;
    row[3] = sign * moment.x;
    row[4] = sign * moment.y;
    row[5] = sign * moment.z;
}

// body_a is -1 for the ground; the normal points from A to B.
static void add_contact(ContactLattice* lattice, int body_a, int body_b, CnVec3 normal) {
    int contact = lattice->problem.block_count++;
    CnVec3 directions[3] = {normal};
    cn_tangent_basis(normal, &directions[1], &directions[2]);
    lattice->blocks[contact] = (CnBlock){.law = CN_LAW_COULOMB,
                                         .first_row = 3 * contact,
                                         .row_count = 3,
                                         .body_a = body_a,
                                         .body_b = body_b,
                                         .friction = FRICTION,
                                         .key = (uint64_t)contact};
    for (int i = 0; i < 3; ++i) {
        int row = 3 * contact + i;
        if (body_a >= 0) {
            set_row(lattice->jacobian_a[row], -1.0, cn_vec3_scale(RADIUS, normal), directions[i]);
        }
        set_row(lattice->jacobian_b[row], 1.0, cn_vec3_scale(-RADIUS, normal), directions[i]);
    }
}

// Body by body, layer by layer, until there are enough contacts. Returns the number of bodies.
static int add_contacts(ContactLattice* lattice, int contact_count) {
    int side = find_side(contact_count);
    int layer = side * side;
    int body = 0;
    for (; lattice->problem.block_count < contact_count; ++body) {
        add_contact(lattice, body >= layer ? body - layer : -1, body, cn_vec3(0.0, 0.0, 1.0));
        if (body % side > 0 && lattice->problem.block_count < contact_count) {
            add_contact(lattice, body - 1, body, cn_vec3(1.0, 0.0, 0.0));
        }
        if (body % layer >= side && lattice->problem.block_count < contact_count) {
            add_contact(lattice, body - side, body, cn_vec3(0.0, 1.0, 0.0));
        }
    }
    return body;
}

bool contact_lattice_create(ContactLattice* lattice, int contact_count) {
    *lattice = (ContactLattice){.problem = {0}};
    if (!allocate(lattice, contact_count, contact_count)) { // each body brings at least one contact
        return false;
    }
    CnProblem* problem = &lattice->problem;
    problem->body_count = add_contacts(lattice, contact_count);
    problem->row_count = 3 * contact_count;
    fill_bodies(lattice, problem->body_count);
    problem->inverse_mass = lattice->inverse_mass;
    problem->inverse_inertia = (const double(*)[9])lattice->inverse_inertia;
    problem->free_velocity = (const double(*)[6])lattice->free_velocity;
    problem->blocks = lattice->blocks;
    problem->jacobian_a = (const double(*)[6])lattice->jacobian_a;
    problem->jacobian_b = (const double(*)[6])lattice->jacobian_b;
    problem->target = problem->compliance = lattice->zero;
    problem->lower = problem->upper = lattice->zero;
    problem->offset = problem->slope = lattice->zero;
    return true;
}

void contact_lattice_release(ContactLattice* lattice) {
    free(lattice->inverse_mass);
    free(lattice->inverse_inertia);
    free(lattice->free_velocity);
    free(lattice->blocks);
    free(lattice->jacobian_a);
    free(lattice->jacobian_b);
    free(lattice->zero);
    *lattice = (ContactLattice){.problem = {0}};
}
