// block.c - the arithmetic of one block of rows.
#include "constraints/problem/block.h"

#include "constraints/problem/friction_cone.h"
#include "constraints/problem/masses.h"
#include "constraints/problem/polyhedral_friction.h"
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

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

// The first entry of a row at or behind a column: they ascend.
static int entry_from(const CnResponse* response, int row, int column) {
    int low = response->start[row], high = response->start[row + 1];
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (response->column[middle] < column) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

// The entries of W within one block.
static void read_response(const CnResponse* response, const CnBlock* block, double* w) {
    int n = block->row_count;
    for (int i = 0; i < n * n; ++i) {
        w[i] = 0.0;
    }
    for (int i = 0; i < n; ++i) {
        int row = block->first_row + i;
        for (int e = entry_from(response, row, block->first_row);
             e < response->start[row + 1] && response->column[e] < block->first_row + n; ++e) {
            w[i * n + response->column[e] - block->first_row] = response->value[e];
        }
    }
}

double cn_response_row(const CnResponse* response, int row, const double* impulse) {
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

// J M^-1 J^T of two rows through the second pair of their block.
static double second_delassus(const CnProblem* problem, const CnBlock* block, int row, int other) {
    double sum = 0.0, push[6];
    for (int side = 2; side < CN_BLOCK_SIDES; ++side) {
        cn_block_inverse_mass_times(problem, cn_block_body(block, side),
                                    cn_block_jacobian(problem, row, side), push);
        sum += dot6(cn_block_jacobian(problem, other, side), push);
    }
    return sum;
}

void cn_block_delassus(const CnProblem* problem, const CnBlock* block, double* w) {
    int n = block->row_count;
    if (problem->response != NULL) {
        read_response(problem->response, block, w);
        add_compliance(problem, block, w);
        return;
    }
    if (problem->masses != NULL) {
        memcpy(w, cn_masses_own(problem->masses, block), (size_t)(n * n) * sizeof(double));
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
            if (cn_block_has_second(block)) {
                value += second_delassus(problem, block, row, other);
            }
            w[i * n + j] = value;
            w[j * n + i] = value;
        }
    }
    add_compliance(problem, block, w);
}

// j M^-1 j of one side of a row, to the same bits as the sum of cn_block_inverse_mass_times().
static inline double row_response(const CnProblem* problem, int body, const double j[6]) {
    if (body < 0) {
        return 0.0;
    }
    double inverse_mass = problem->inverse_mass[body];
    const double* inertia = problem->inverse_inertia[body];
    if (j[0] == 0.0 && j[1] == 0.0 && j[2] == 0.0) { // a turn: the first terms are zero
        return j[3] * (inertia[0] * j[3] + inertia[1] * j[4] + inertia[2] * j[5]) +
               j[4] * (inertia[3] * j[3] + inertia[4] * j[4] + inertia[5] * j[5]) +
               j[5] * (inertia[6] * j[3] + inertia[7] * j[4] + inertia[8] * j[5]);
    }
    return j[0] * (inverse_mass * j[0]) + j[1] * (inverse_mass * j[1]) +
           j[2] * (inverse_mass * j[2]) +
           j[3] * (inertia[0] * j[3] + inertia[1] * j[4] + inertia[2] * j[5]) +
           j[4] * (inertia[3] * j[3] + inertia[4] * j[4] + inertia[5] * j[5]) +
           j[5] * (inertia[6] * j[3] + inertia[7] * j[4] + inertia[8] * j[5]);
}

// Whether nothing but the Jacobians of two bodies says what the rows of a block feel.
static inline bool is_plain(const CnProblem* problem, const CnBlock* block) {
    return problem->response == NULL && problem->masses == NULL && !cn_block_has_second(block);
}

double cn_block_trace(const CnProblem* problem, const CnBlock* block) {
    const CnResponse* response = problem->response;
    int first = block->first_row, end = first + block->row_count;
    double trace = 0.0;
    for (int row = first; is_plain(problem, block) && row < end; ++row) { // most blocks
        trace += problem->compliance[row];
        trace += row_response(problem, block->body_a, problem->jacobian_a[row]) +
                 row_response(problem, block->body_b, problem->jacobian_b[row]);
    }
    for (int row = first; !is_plain(problem, block) && row < end; ++row) {
        trace += problem->compliance[row];
        if (response != NULL) {
            int own = entry_from(response, row, row);
            bool is_there = own < response->start[row + 1] && response->column[own] == row;
            trace += is_there ? response->value[own] : 0.0;
        } else if (problem->masses != NULL) {
            const double* own = cn_masses_own(problem->masses, block);
            trace += own[(row - block->first_row) * (block->row_count + 1)];
        } else {
            trace += row_response(problem, block->body_a, problem->jacobian_a[row]) +
                     row_response(problem, block->body_b, problem->jacobian_b[row]);
            trace += second_delassus(problem, block, row, row);
        }
    }
    return trace;
}

double cn_block_second_velocity(const CnProblem* problem, const CnBlock* block, int row,
                                const double (*velocity)[6]) {
    double sum = 0.0;
    for (int side = 2; side < CN_BLOCK_SIDES; ++side) {
        if (cn_block_body(block, side) >= 0) {
            sum +=
                dot6(cn_block_jacobian(problem, row, side), velocity[cn_block_body(block, side)]);
        }
    }
    return sum;
}

// u += J v of one row through the two bodies of its block, in this order.
static inline double add_row_velocity(double u, const CnProblem* problem, const CnBlock* block,
                                      int row, const double (*velocity)[6]) {
    if (block->body_a >= 0) {
        u += dot6(problem->jacobian_a[row], velocity[block->body_a]);
    }
    if (block->body_b >= 0) {
        u += dot6(problem->jacobian_b[row], velocity[block->body_b]);
    }
    return u;
}

void cn_block_velocity(const CnProblem* problem, const CnBlock* block, const double (*velocity)[6],
                       const double* impulse, double* u) {
    int first = block->first_row;
    if (is_plain(problem, block)) { // most blocks
        for (int i = 0; i < block->row_count; ++i) {
            double own = problem->compliance[first + i] * impulse[first + i];
            u[i] = add_row_velocity(own - problem->target[first + i], problem, block, first + i,
                                    velocity);
        }
        return;
    }
    for (int i = 0; i < block->row_count; ++i) {
        int row = first + i;
        double sum = problem->compliance[row] * impulse[row] - problem->target[row];
        if (problem->response != NULL) {
            sum += cn_response_row(problem->response, row, impulse);
        } else if (problem->masses != NULL) {
            sum += cn_masses_row_velocity(problem->masses, row, velocity);
        }
        u[i] = add_row_velocity(sum, problem, block, row, velocity);
        if (cn_block_has_second(block)) {
            u[i] += cn_block_second_velocity(problem, block, row, velocity);
        }
    }
}

void cn_block_free_velocity(const CnProblem* problem, const CnBlock* block, double* q) {
    int first = block->first_row;
    const double(*velocity)[6] = problem->free_velocity;
    if (is_plain(problem, block)) {
        for (int i = 0; i < block->row_count; ++i) {
            q[i] =
                add_row_velocity(-problem->target[first + i], problem, block, first + i, velocity);
        }
        return;
    }
    for (int i = 0; i < block->row_count; ++i) {
        int row = first + i;
        double sum = -problem->target[row];
        if (problem->masses != NULL) {
            sum += cn_masses_row_velocity(problem->masses, row, velocity);
        }
        q[i] = add_row_velocity(sum, problem, block, row, velocity);
        if (cn_block_has_second(block)) {
            q[i] += cn_block_second_velocity(problem, block, row, velocity);
        }
    }
}

// momentum += J^T dp of one side
static void push_body(const CnBlock* block, const double (*jacobian)[6], const double* dp,
                      double momentum[6]) {
    for (int i = 0; i < block->row_count; ++i) {
        for (int k = 0; k < 6; ++k) {
            momentum[k] += jacobian[block->first_row + i][k] * dp[i];
        }
    }
}

void cn_problem_push(const CnProblem* problem, const double* impulse, double (*momentum)[6]) {
    for (int i = 0; i < problem->block_count; ++i) {
        const CnBlock* block = &problem->blocks[i];
        const double* p = impulse + block->first_row;
        if (cn_body_moves(problem, block->body_a)) {
            push_body(block, problem->jacobian_a, p, momentum[block->body_a]);
        }
        if (cn_body_moves(problem, block->body_b)) {
            push_body(block, problem->jacobian_b, p, momentum[block->body_b]);
        }
        for (int side = 2; side < cn_block_sides(block); ++side) {
            int body = cn_block_body(block, side);
            if (cn_body_moves(problem, body)) {
                push_body(block, side == 2 ? problem->jacobian_c : problem->jacobian_d, p,
                          momentum[body]);
            }
        }
    }
}

static void apply_to_body(const CnProblem* problem, int body, const double (*jacobian)[6],
                          const CnBlock* block, const double* dp, double (*velocity)[6]) {
    if (body < 0) {
        return;
    }
    double momentum[6] = {0.0}, change[6];
    push_body(block, jacobian, dp, momentum);
    cn_block_inverse_mass_times(problem, body, momentum, change);
    for (int k = 0; k < 6; ++k) {
        velocity[body][k] += change[k];
    }
}

void cn_block_apply(const CnProblem* problem, const CnBlock* block, const double* dp,
                    double (*velocity)[6]) {
    apply_to_body(problem, block->body_a, problem->jacobian_a, block, dp, velocity);
    apply_to_body(problem, block->body_b, problem->jacobian_b, block, dp, velocity);
    if (cn_block_has_second(block)) {
        apply_to_body(problem, block->second[0] - 1, problem->jacobian_c, block, dp, velocity);
        apply_to_body(problem, block->second[1] - 1, problem->jacobian_d, block, dp, velocity);
    }
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

static double largest_by_rotations(const double* w, int n) {
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

// With the mean m of the eigenvalues, 6 r^2 the sum of their squares about it and h = det((A - m) /
// r) / 2 in [-1, 1], the largest is m + 2 r cos(acos(h) / 3) = m + r (1 + d), where d in [0, 1] has
// d^2 (d + 3) = 2 (1 + h). Newton on that starts from d's series in s = sqrt((1 + h) / 2), right to
// 1e-3 of d; three steps leave round-off of it.
static double largest_of_three(const double* w, double trace) {
    double m = trace / 3.0;
    double x = w[0] - m, y = w[4] - m, z = w[8] - m;
    double xy = 0.5 * (w[1] + w[3]), xz = 0.5 * (w[2] + w[6]), yz = 0.5 * (w[5] + w[7]);
    double square = (x * x + y * y + z * z) / 6.0 + (xy * xy + xz * xz + yz * yz) / 3.0;
    double r = sqrt(square);
    double determinant = x * (y * z - yz * yz) - xy * (xy * z - yz * xz) + xz * (xy * yz - y * xz);
    double cube = square * r;
    if (!(cube > 0.0) || !isfinite(cube)) { // all alike, or out of range
        return largest_by_rotations(w, 3);
    }
    double h = determinant / (2.0 * cube);
    if (h < CN_NEARLY_DOUBLE - 1.0) {
        return largest_by_rotations(w, 3);
    }
    double s = sqrt(0.5 * (1.0 + fmin(h, 1.0)));
    double d = s * (1.1547005 - s * (0.2222222 - 0.0675217 * s));
    for (int i = 0; i < 3; ++i) {
        d -= (d * d * (d + 3.0) - 4.0 * s * s) / (3.0 * d * (d + 2.0));
    }
    return m + r * (1.0 + d);
}

double cn_block_largest_eigenvalue(const double* w, int n) {
    if (n == 1) {
        return w[0];
    }
    if (n == 2) {
        double half = 0.5 * (w[0] - w[3]), off = 0.5 * (w[1] + w[2]);
        return 0.5 * (w[0] + w[3]) + sqrt(half * half + off * off);
    }
    return n == 3 ? largest_of_three(w, w[0] + w[4] + w[8]) : largest_by_rotations(w, n);
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
        out[i] = p[i] - clamp(p[i] - rho * u[i], problem->lower[row],
                              cn_limited_upper(problem, problem->upper[row]));
    }
}

void cn_block_shift(const CnProblem* problem, const CnBlock* block, const double* u, double* out) {
    if (problem->friction_model == CN_FRICTION_ASSOCIATED) {
        memmove(out, u, (size_t)block->row_count * sizeof(double));
    } else {
        cn_friction_cone_shift(block->friction, block->row_count, u, out);
    }
}

static void coulomb_map(const CnProblem* problem, const CnBlock* block, double rho, const double* u,
                        const double* p, double* out) {
    int n = block->row_count;
    double step[CN_MAX_ROWS];
    if (cn_friction_has_own_map(problem)) {
        cn_polyhedral_friction_map(problem, block, rho, u, p, out);
        return;
    }
    cn_block_shift(problem, block, u, step);
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

// |p - P(p - rho u~)|^2 of a contact of three rows.
static inline double contact_map_square(double mu, double rho, const double* shifted,
                                        const double* p) {
    const double step[3] = {p[0] - rho * shifted[0], p[1] - rho * shifted[1],
                            p[2] - rho * shifted[2]};
    double nearest[3];
    cn_friction_disc_project(mu, 3, step, nearest);
    double x = p[0] - nearest[0], y = p[1] - nearest[1], z = p[2] - nearest[2];
    return x * x + y * y + z * z;
}

void cn_block_map_squares(const CnProblem* problem, const CnBlock* block, int count,
                          const double* rho, const double* u, const double* p, double* square) {
    bool is_contact = block->law == CN_LAW_COULOMB && !cn_friction_has_own_map(problem);
    if (is_contact && block->row_count == 3) { // the many
        double shifted[3];
        cn_block_shift(problem, block, u, shifted);
        for (int k = 0; k < count; ++k) {
            square[k] = contact_map_square(block->friction, rho[k], shifted, p);
        }
        return;
    }
    if (block->law == CN_LAW_EQUALITY) { // the map is rho u
        for (int k = 0; k < count; ++k) {
            square[k] = 0.0;
            for (int i = 0; i < block->row_count; ++i) {
                square[k] += (rho[k] * u[i]) * (rho[k] * u[i]);
            }
        }
        return;
    }
    for (int k = 0; k < count; ++k) {
        double map[CN_MAX_ROWS];
        natural_maps[block->law](problem, block, rho[k], u, p, map);
        square[k] = 0.0;
        for (int i = 0; i < block->row_count; ++i) {
            square[k] += map[i] * map[i];
        }
    }
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

// The residual where (7) is below the digits of p: where p - rho u~ is inside the set, so that
// there is nothing to project, it is |u~|, and nothing is lost: (8a).
static double lost_residual(const CnProblem* problem, const CnBlock* block, double rho,
                            const double* u, const double* p, double residual) {
    const double still[CN_MAX_ROWS] = {0.0};
    double shifted[CN_MAX_ROWS], step[CN_MAX_ROWS], outside[CN_MAX_ROWS], sum = 0.0;
    memcpy(shifted, u, (size_t)block->row_count * sizeof(double));
    if (block->law == CN_LAW_COULOMB && !cn_friction_has_own_map(problem)) {
        cn_block_shift(problem, block, u, shifted);
    }
    for (int i = 0; i < block->row_count; ++i) {
        step[i] = p[i] - rho * shifted[i];
        sum += shifted[i] * shifted[i];
    }
    natural_maps[block->law](problem, block, rho, still, step, outside);
    for (int i = 0; i < block->row_count; ++i) {
        if (outside[i] != 0.0) {
            return residual;
        }
    }
    return sqrt(sum);
}

double cn_block_residual(const CnProblem* problem, const CnBlock* block, const double* w,
                         double lambda_max, const double* u, const double* p) {
    double sum = 0.0, impulses = 0.0;
    bool is_equality = block->law == CN_LAW_EQUALITY; // its map divided by rho is u itself
    if (!is_equality && !isfinite(lambda_max)) {      // no impulse is small enough to judge by
        return HUGE_VAL;
    }
    for (int i = 0; i < block->row_count; ++i) {
        if (!isfinite(u[i]) || !isfinite(p[i])) { // a clamp could hide it: not a pass
            return HUGE_VAL;
        }
        sum += u[i] * u[i];
        impulses += p[i] * p[i];
    }
    double residual = sqrt(sum);
    if (block->law == CN_LAW_FORCE) {
        residual = force_residual(problem, block, w, u, p);
    } else if (!is_equality) {
        double rho = 1.0 / lambda_max;
        double unseen = DBL_EPSILON * lambda_max * sqrt(impulses);
        cn_block_map_squares(problem, block, 1, &rho, u, p, &sum);
        residual = sqrt(sum) * lambda_max;
        residual =
            residual < unseen ? lost_residual(problem, block, rho, u, p, residual) : residual;
    }
    return isfinite(residual) ? residual : HUGE_VAL;
}

double cn_block_grade(const CnProblem* problem, const CnBlock* block, const double* u,
                      const double* p) {
    double w[CN_MAX_ROWS * CN_MAX_ROWS];
    if (block->law == CN_LAW_EQUALITY) { // W_aa says no more than whether rows overflow
        bool overflows = !isfinite(cn_block_trace(problem, block));
        return overflows ? HUGE_VAL : cn_block_residual(problem, block, NULL, 0.0, u, p);
    }
    if (block->row_count == 1 && !cn_block_has_second(block)) { // motors and stops: the same bits
        w[0] = cn_block_trace(problem, block);
        return cn_block_residual(problem, block, w, w[0], u, p);
    }
    cn_block_delassus(problem, block, w);
    return cn_block_residual(problem, block, w, cn_block_largest_eigenvalue(w, block->row_count), u,
                             p);
}

void cn_block_describe(const CnProblem* problem, int block, char* name, size_t size) {
    if (problem->block_names != NULL && problem->block_names[block] != NULL) {
        snprintf(name, size, "%s", problem->block_names[block]);
    } else {
        snprintf(name, size, "block %d (%s)", block, cn_law_name(problem->blocks[block].law));
    }
}
