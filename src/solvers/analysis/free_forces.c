// free_forces.c - the impulses compatible with a known motion: convex sets for each block.
#include "solvers/analysis/free_forces.h"

#include "constraints/problem/block.h"
#include "constraints/problem/friction_cone.h"
#include <math.h>
#include <string.h>

// The reduced problem under construction.
typedef struct ReducedProblem {
    const CnProblem* problem;
    const double* impulse;
    double slow; // [m/s]
    CnFreeForces* forces;
    int block_count, row_count;
} ReducedProblem;

static double square(int n, const double* x) {
    double sum = 0.0;
    for (int i = 0; i < n; ++i) {
        sum += x[i] * x[i];
    }
    return sum;
}

// The squared radius of gyration of what a block acts on [m^2]: moments count in the norm as forces
// on this arm. 1 m for bodies without a mass or without inertia.
static double gyration_square(const CnProblem* problem, const CnBlock* block) {
    double mass = 0.0, inertia = 0.0; // of the inverses
    for (int side = 0; side < cn_block_sides(block); ++side) {
        int body = cn_block_body(block, side);
        if (body >= 0) {
            const double* inverse = problem->inverse_inertia[body];
            mass += problem->inverse_mass[body];
            inertia += (inverse[0] + inverse[4] + inverse[8]) / 3.0;
        }
    }
    return mass > 0.0 && inertia > 0.0 ? mass / inertia : 1.0;
}

// The square of the force of a unit impulse, or of its moment on the arm above where it is a pure
// moment. Rows of a contact are forces already, and nobody knows the units of a given W.
static double weight_square(const CnProblem* problem, const CnBlock* block, int row) {
    if (block->law == CN_LAW_COULOMB || problem->response != NULL) {
        return 1.0;
    }
    const double* j = block->body_b >= 0 ? problem->jacobian_b[row] : problem->jacobian_a[row];
    double force = square(3, j);
    double moment = square(3, j + 3) / gyration_square(problem, block);
    return force > 0.0 ? force : moment > 0.0 ? moment : 1.0;
}

// `row` of the problem becomes factor times a reduced row.
static void follow(ReducedProblem* draft, int row, int reduced, double factor) {
    draft->forces->from[row] = reduced;
    draft->forces->factor[row] = factor;
}

static void add_row(ReducedProblem* draft, int row) {
    draft->forces->y[draft->row_count] = draft->impulse[row];
    draft->forces->reduced.lower[draft->row_count] = draft->problem->lower[row];
    draft->forces->reduced.upper[draft->row_count] = draft->problem->upper[row];
    follow(draft, row, draft->row_count++, 1.0);
}

static void reduce_rows(ReducedProblem* draft, const CnBlock* block, const double* u) {
    for (int i = 0; i < block->row_count; ++i) {
        int row = block->first_row + i;
        bool may_change = block->law == CN_LAW_EQUALITY || fabs(u[i]) <= draft->slow;
        if (may_change && draft->problem->compliance[row] == 0.0) {
            add_row(draft, row);
        }
    }
}

// A group that slides goes along with the normal, against the slip. An error of velocity
// rotates the slip direction by error / slip speed, and that of the friction impulse likewise; the
// direction of the larger is used.
static void slide(ReducedProblem* draft, const CnBlock* block, CnFrictionGroup group,
                  const double* u, double w) {
    const double* p = draft->impulse + block->first_row;
    double slip = cn_friction_group_length(group, u);
    double push = cn_friction_group_length(group, p);
    for (int i = group.first; i < group.first + group.count; ++i) {
        double direction = w * push > slip ? p[i] / push : -u[i] / slip;
        follow(draft, block->first_row + i, draft->forces->from[block->first_row],
               block->friction * direction);
    }
}

// Returns how many groups stick; these keep their cone.
static int reduce_contact(ReducedProblem* draft, const CnBlock* block, const double* u) {
    CnFrictionGroup groups[CN_MAX_FRICTION_GROUPS], sticking[CN_MAX_FRICTION_GROUPS];
    int count = cn_friction_groups(block->row_count, groups), stuck = 0;
    double w[CN_MAX_ROWS * CN_MAX_ROWS];
    cn_block_delassus(draft->problem, block, w);
    add_row(draft, block->first_row);
    draft->forces->reduced.lower[draft->row_count - 1] = 0.0;
    draft->forces->reduced.upper[draft->row_count - 1] = HUGE_VAL;
    for (int g = 0; g < count && block->friction > 0.0; ++g) {
        if (cn_friction_group_length(groups[g], u) > draft->slow) {
            slide(draft, block, groups[g], u, w[0]);
        } else {
            sticking[stuck++] = groups[g];
        }
    }
    if (stuck == 2 && sticking[0].count < sticking[1].count) { // torsion and rolling: as 4 rows are
        CnFrictionGroup torsion = sticking[0];
        sticking[0] = sticking[1];
        sticking[1] = torsion;
    }
    for (int g = 0; g < stuck; ++g) {
        for (int i = sticking[g].first; i < sticking[g].first + sticking[g].count; ++i) {
            add_row(draft, block->first_row + i);
        }
    }
    return stuck;
}

// Open, or so compliant that its impulse follows from the motion.
static bool is_known(const ReducedProblem* draft, const CnBlock* block, const double* u) {
    const double* compliance = draft->problem->compliance + block->first_row;
    return u[0] > draft->slow || square(block->row_count, compliance) > 0.0;
}

static void reduce_block(ReducedProblem* draft, const CnBlock* block, const double (*velocity)[6]) {
    double u[CN_MAX_ROWS];
    int first = draft->row_count, stuck = 0;
    cn_block_velocity(draft->problem, block, velocity, draft->impulse, u);
    if (block->law == CN_LAW_EQUALITY || block->law == CN_LAW_BOUNDS) {
        reduce_rows(draft, block, u);
    } else if (block->law == CN_LAW_COULOMB && !is_known(draft, block, u)) {
        stuck = reduce_contact(draft, block, u);
    } // a force follows from the motion
    if (draft->row_count > first) {
        CnBlock* out = &draft->forces->reduced.blocks[draft->block_count++];
        *out = *block;
        out->first_row = first;
        out->row_count = draft->row_count - first;
        out->law = block->law == CN_LAW_COULOMB && stuck == 0 ? CN_LAW_BOUNDS : block->law;
    }
}

// In units of the norm a reduced row of p . p = d^2 y^2 becomes d y: rows of J and factors are
// divided by d, bounds multiplied. The rows of a cone have one scale, which also scales mu.
static void scale_rows(ReducedProblem* draft, const double* norm_square) {
    CnFreeForces* forces = draft->forces;
    for (int b = 0; b < draft->block_count; ++b) {
        CnBlock* block = &forces->reduced.blocks[b];
        if (block->law == CN_LAW_COULOMB) {
            block->friction *=
                sqrt(norm_square[block->first_row + 1] / norm_square[block->first_row]);
        }
    }
    for (int i = 0; i < draft->row_count; ++i) {
        double d = sqrt(norm_square[i]);
        forces->y[i] *= d;
        forces->reduced.lower[i] *= d;
        forces->reduced.upper[i] *= d;
    }
    for (int row = 0; row < draft->problem->row_count; ++row) {
        int from = forces->from[row];
        if (from >= 0) {
            forces->factor[row] /= sqrt(norm_square[from]);
            for (int k = 0; draft->problem->response == NULL && k < 6; ++k) {
                double factor = forces->factor[row];
                forces->reduced.jacobian_a[from][k] += factor * draft->problem->jacobian_a[row][k];
                forces->reduced.jacobian_b[from][k] += factor * draft->problem->jacobian_b[row][k];
            }
            for (int k = 0; draft->problem->jacobian_c != NULL && k < 6; ++k) {
                double factor = forces->factor[row];
                forces->reduced.jacobian_c[from][k] += factor * draft->problem->jacobian_c[row][k];
                forces->reduced.jacobian_d[from][k] += factor * draft->problem->jacobian_d[row][k];
            }
        }
    }
}

static void add_norms(const ReducedProblem* draft, double* norm_square) {
    for (int b = 0; b < draft->problem->block_count; ++b) {
        const CnBlock* block = &draft->problem->blocks[b];
        for (int row = block->first_row; row < block->first_row + block->row_count; ++row) {
            double factor = draft->forces->factor[row];
            if (draft->forces->from[row] >= 0) {
                norm_square[draft->forces->from[row]] +=
                    factor * factor * weight_square(draft->problem, block, row);
            }
        }
    }
}

CnStatus cn_free_forces_init(CnFreeForces* forces, const CnProblem* problem, const double* impulse,
                             double slow, CnArena* arena) {
    int rows = problem->row_count;
    double(*velocity)[6] = cn_arena_allocate(arena, (size_t)problem->body_count, sizeof *velocity);
    double* norm_square = CN_ARENA_NEW(arena, double, rows);
    ReducedProblem draft = {problem, impulse, slow, forces, 0, 0};
    forces->from = CN_ARENA_NEW(arena, int, rows);
    forces->factor = CN_ARENA_NEW(arena, double, rows);
    forces->y = CN_ARENA_NEW(arena, double, rows);
    if (velocity == NULL || norm_square == NULL || forces->from == NULL || forces->factor == NULL ||
        forces->y == NULL ||
        !cn_owned_problem_init(&forces->reduced, arena, problem->body_count, problem->block_count,
                               rows) ||
        (problem->jacobian_c != NULL && !cn_owned_problem_add_second(&forces->reduced, arena))) {
        return CN_NO_MEMORY;
    }
    for (int i = 0; i < problem->body_count; ++i) {
        forces->reduced.inverse_mass[i] = problem->inverse_mass[i];
        memcpy(forces->reduced.inverse_inertia[i], problem->inverse_inertia[i], sizeof(double[9]));
    }
    for (int i = 0; i < rows; ++i) {
        forces->from[i] = -1;
    }
    cn_problem_velocity(problem, impulse, velocity);
    for (int b = 0; b < problem->block_count; ++b) {
        reduce_block(&draft, &problem->blocks[b], (const double(*)[6])velocity);
    }
    forces->reduced.problem.block_count = draft.block_count;
    forces->reduced.problem.row_count = draft.row_count;
    add_norms(&draft, norm_square);
    scale_rows(&draft, norm_square);
    return CN_OK;
}

void cn_free_forces_expand(const CnFreeForces* forces, int row_count, const double* y,
                           double* impulse) {
    for (int row = 0; row < row_count; ++row) {
        if (forces->from[row] >= 0) {
            impulse[row] = forces->factor[row] * y[forces->from[row]];
        }
    }
}
