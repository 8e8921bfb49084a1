// block.c - the arithmetic of one block of rows.
#include "constraints/block.h"

#include "constraints/friction_cone.h"
#include <math.h>
#include <stdio.h>

static double dot6(const double* a, const double* b) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3] + a[4] * b[4] + a[5] * b[5];
}

bool cn_body_moves(const CnProblem* problem, int body) {
    if (body < 0) {
        return false;
    }
    bool moves = problem->inverse_mass[body] != 0.0;
    for (int i = 0; i < 9; ++i) {
        moves = moves || problem->inverse_inertia[body][i] != 0.0;
    }
    return moves;
}

void cn_block_inverse_mass_times(const CnProblem* problem, int body, const double j[6],
                                 double out[6]) {
    if (body < 0) {
        for (int i = 0; i < 6; ++i) {
            out[i] = 0.0;
        }
        return;
    }
    double inverse_mass = problem->inverse_mass[body];
    const double* inertia = problem->inverse_inertia[body];
    for (int i = 0; i < 3; ++i) {
        out[i] = inverse_mass * j[i];
        out[3 + i] = inertia[3 * i] * j[3] + inertia[3 * i + 1] * j[4] + inertia[3 * i + 2] * j[5];
    }
}

// The entries of W within one block.
static void read_response(const CnResponse* response, const CnBlock* block, double* w) {
    int n = block->row_count;
    for (int i = 0; i < n; ++i) {
        int row = block->first_row + i;
        for (int j = 0; j < n; ++j) {
            w[i * n + j] = 0.0;
        }
        for (int e = response->start[row]; e < response->start[row + 1]; ++e) {
            int j = response->column[e] - block->first_row;
            if (j >= 0 && j < n) {
                w[i * n + j] = response->value[e];
            }
        }
    }
}

// W p of one row.
static double respond(const CnResponse* response, int row, const double* impulse) {
    double sum = 0.0;
    for (int e = response->start[row]; e < response->start[row + 1]; ++e) {
        sum += response->value[e] * impulse[response->column[e]];
    }
    return sum;
}

static void add_compliance(const CnProblem* problem, const CnBlock* block, double* w) {
    for (int i = 0; i < block->row_count; ++i) {
        w[i * block->row_count + i] += problem->compliance[block->first_row + i];
    }
}

void cn_block_delassus(const CnProblem* problem, const CnBlock* block, double* w) {
    int n = block->row_count;
    if (problem->response != NULL) {
        read_response(problem->response, block, w);
        add_compliance(problem, block, w);
        return;
    }
    for (int i = 0; i < n; ++i) {
        int row = block->first_row + i;
        double push_a[6], push_b[6]; // M^-1 J^T of this row
        cn_block_inverse_mass_times(problem, block->body_a, problem->jacobian_a[row], push_a);
        cn_block_inverse_mass_times(problem, block->body_b, problem->jacobian_b[row], push_b);
        for (int j = 0; j <= i; ++j) {
            int other = block->first_row + j;
            double value =
                dot6(problem->jacobian_a[other], push_a) + dot6(problem->jacobian_b[other], push_b);
            w[i * n + j] = value;
            w[j * n + i] = value;
        }
    }
    add_compliance(problem, block, w);
}

void cn_block_velocity(const CnProblem* problem, const CnBlock* block, const double (*velocity)[6],
                       const double* impulse, double* u) {
    for (int i = 0; i < block->row_count; ++i) {
        int row = block->first_row + i;
        double sum = problem->compliance[row] * impulse[row] - problem->target[row];
        if (problem->response != NULL) {
            sum += respond(problem->response, row, impulse);
        }
        if (block->body_a >= 0) {
            sum += dot6(problem->jacobian_a[row], velocity[block->body_a]);
        }
        if (block->body_b >= 0) {
            sum += dot6(problem->jacobian_b[row], velocity[block->body_b]);
        }
        u[i] = sum;
    }
}

void cn_block_free_velocity(const CnProblem* problem, const CnBlock* block, double* q) {
    for (int i = 0; i < block->row_count; ++i) {
        int row = block->first_row + i;
        q[i] = -problem->target[row];
        if (block->body_a >= 0) {
            q[i] += dot6(problem->jacobian_a[row], problem->free_velocity[block->body_a]);
        }
        if (block->body_b >= 0) {
            q[i] += dot6(problem->jacobian_b[row], problem->free_velocity[block->body_b]);
        }
    }
}

static void apply_to_body(const CnProblem* problem, int body, const double (*jacobian)[6],
                          const CnBlock* block, const double* dp, double (*velocity)[6]) {
    if (body < 0) {
        return;
    }
    double momentum[6] = {0.0}; // J^T dp
    for (int i = 0; i < block->row_count; ++i) {
        for (int k = 0; k < 6; ++k) {
            momentum[k] += jacobian[block->first_row + i][k] * dp[i];
        }
    }
    double change[6];
    cn_block_inverse_mass_times(problem, body, momentum, change);
    for (int k = 0; k < 6; ++k) {
        velocity[body][k] += change[k];
    }
}

void cn_block_apply(const CnProblem* problem, const CnBlock* block, const double* dp,
                    double (*velocity)[6]) {
    apply_to_body(problem, block->body_a, problem->jacobian_a, block, dp, velocity);
    apply_to_body(problem, block->body_b, problem->jacobian_b, block, dp, velocity);
}

// One Jacobi rotation that zeroes a[p][q] and a[q][p].
static void rotate(double* a, int n, int p, int q) {
    double off = a[p * n + q];
    if (off == 0.0) {
        return;
    }
    double theta = (a[q * n + q] - a[p * n + p]) / (2.0 * off);
    double tangent = copysign(1.0, theta) / (fabs(theta) + sqrt(theta * theta + 1.0));
    double cosine = 1.0 / sqrt(tangent * tangent + 1.0);
    double sine = tangent * cosine;

    a[p * n + p] -= tangent * off;
    a[q * n + q] += tangent * off;
    a[p * n + q] = 0.0;
    a[q * n + p] = 0.0;
    for (int i = 0; i < n; ++i) {
        if (i == p || i == q) {
            continue;
        }
        double aip = a[i * n + p];
        double aiq = a[i * n + q];
        a[i * n + p] = a[p * n + i] = cosine * aip - sine * aiq;
        a[i * n + q] = a[q * n + i] = sine * aip + cosine * aiq;
    }
}

static double off_diagonal_square(const double* a, int n) {
    double sum = 0.0;
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j < i; ++j) {
            sum += a[i * n + j] * a[i * n + j];
        }
    }
    return sum;
}

// Cyclic Jacobi converges quadratically; sweeps that remain after the limit would change no bit.
#define JACOBI_SWEEPS 12

// An eigenvalue is off by at most the norm of the off-diagonal part, and by its square where the
// eigenvalues are apart: once it is 1e-10 of the trace (1e-20 squared) that is enough for a step.
#define JACOBI_DONE 1e-20

double cn_block_largest_eigenvalue(const double* w, int n) {
    double a[CN_MAX_ROWS * CN_MAX_ROWS];
    double trace = 0.0;
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j < n; ++j) {
            a[i * n + j] = 0.5 * w[i * n + j] + 0.5 * w[j * n + i];
        }
        trace += w[i * n + i];
    }
    for (int sweep = 0;
         sweep < JACOBI_SWEEPS && off_diagonal_square(a, n) > JACOBI_DONE * trace * trace;
         ++sweep) {
        for (int p = 0; p < n; ++p) {
            for (int q = p + 1; q < n; ++q) {
                rotate(a, n, p, q);
            }
        }
    }
    double largest = a[0];
    for (int i = 1; i < n; ++i) {
        largest = fmax(largest, a[i * n + i]);
    }
    return largest;
}

static double clamp(double x, double lower, double upper) {
    return x < lower ? lower : (x > upper ? upper : x);
}

// The set is everything, so the map is p - (p - rho u).
static void equality_map(const CnProblem* problem, const CnBlock* block, double rho,
                         const double* u, const double* p, double* out) {
    (void)problem;
    (void)p;
    for (int i = 0; i < block->row_count; ++i) {
        out[i] = rho * u[i];
    }
}

static void bounds_map(const CnProblem* problem, const CnBlock* block, double rho, const double* u,
                       const double* p, double* out) {
    for (int i = 0; i < block->row_count; ++i) {
        int row = block->first_row + i;
        out[i] = p[i] - clamp(p[i] - rho * u[i], problem->lower[row], problem->upper[row]);
    }
}

static void coulomb_map(const CnProblem* problem, const CnBlock* block, double rho, const double* u,
                        const double* p, double* out) {
    (void)problem;
    int n = block->row_count;
    double step[CN_MAX_ROWS];
    cn_friction_cone_shift(block->friction, n, u, step);
    for (int i = 0; i < n; ++i) {
        step[i] = p[i] - rho * step[i];
    }
    cn_friction_cone_project(block->friction, n, step, step);
    for (int i = 0; i < n; ++i) {
        out[i] = p[i] - step[i];
    }
}

static void force_map(const CnProblem* problem, const CnBlock* block, double rho, const double* u,
                      const double* p, double* out) {
    for (int i = 0; i < block->row_count; ++i) {
        int row = block->first_row + i;
        double slope = problem->slope[row];
        out[i] = (p[i] - problem->offset[row] + slope * u[i]) * (rho / (rho + slope));
    }
}

typedef void NaturalMap(const CnProblem* problem, const CnBlock* block, double rho, const double* u,
                        const double* p, double* out);

static NaturalMap* const natural_maps[CN_LAW_COUNT] = {
    [CN_LAW_EQUALITY] = equality_map,
    [CN_LAW_BOUNDS] = bounds_map,
    [CN_LAW_COULOMB] = coulomb_map,
    [CN_LAW_FORCE] = force_map,
};

void cn_block_natural_map(const CnProblem* problem, const CnBlock* block, double rho,
                          const double* u, const double* p, double* out) {
    natural_maps[block->law](problem, block, rho, u, p, out);
}

// The rows of a force block stand alone, so each is measured with its own rho = 1 / W_ii: (8).
static double force_residual(const CnProblem* problem, const CnBlock* block, const double* w,
                             const double* u, const double* p) {
    int n = block->row_count;
    double sum = 0.0;
    for (int i = 0; i < n; ++i) {
        int row = block->first_row + i;
        double k = w[i * n + i];
        double force_error = p[i] - problem->offset[row] + problem->slope[row] * u[i];
        double r = force_error * (k / (1.0 + problem->slope[row] * k));
        sum += r * r;
    }
    return sqrt(sum);
}

double cn_block_residual(const CnProblem* problem, const CnBlock* block, const double* w,
                         double lambda_max, const double* u, const double* p) {
    double sum = 0.0;
    for (int i = 0; i < block->row_count; ++i) {
        if (!isfinite(u[i]) || !isfinite(p[i])) { // a clamp could hide it: not a pass
            return HUGE_VAL;
        }
        sum += u[i] * u[i];
    }
    double residual = sqrt(sum);
    if (block->law == CN_LAW_FORCE) {
        residual = force_residual(problem, block, w, u, p);
    } else if (block->law != CN_LAW_EQUALITY) { // an equality's map divided by rho is u itself
        double map[CN_MAX_ROWS];
        natural_maps[block->law](problem, block, 1.0 / lambda_max, u, p, map);
        sum = 0.0;
        for (int i = 0; i < block->row_count; ++i) {
            sum += map[i] * map[i];
        }
        residual = sqrt(sum) * lambda_max;
    }
    return isfinite(residual) ? residual : HUGE_VAL;
}

void cn_block_describe(const CnProblem* problem, int block, char* name, size_t size) {
    if (problem->block_names != NULL && problem->block_names[block] != NULL) {
        snprintf(name, size, "%s", problem->block_names[block]);
    } else {
        snprintf(name, size, "block %d (%s)", block, cn_law_name(problem->blocks[block].law));
    }
}
