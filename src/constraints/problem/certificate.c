// certificate.c - how wrong an answer is, measured against the exact laws for any solver.
//
// Everything is judged with the velocity that the impulses give, v_free + M^-1 J^T p, never with
// the one the solver claims; the difference between the two is a defect of its own and counts.
// docs/theory/certificate.md derives the equations cited here.
#include "constraints/problem/certificate.h"

#include "base/memory.h"
#include "constraints/problem/block.h"
#include "constraints/problem/friction_cone.h"
#include "math/worse.h"
#include <float.h>
#include <math.h>

static double square_norm(const double* x, int n) {
    double sum = 0.0;
    for (int i = 0; i < n; ++i) {
        sum += x[i] * x[i];
    }
    return sum;
}

// A ratio of lengths whose squares are given; 0 / 0 is a problem with nothing to do: no error.
static double relative(double square_error, double square_scale) {
    if (square_error == 0.0) {
        return 0.0;
    }
    double ratio = sqrt(square_error) / sqrt(square_scale);
    return isnan(ratio) ? HUGE_VAL : ratio;
}

// The part of p outside its set: (9).
static double set_violation(const CnProblem* problem, const CnBlock* block, const double* p) {
    int n = block->row_count;
    double outside[CN_MAX_ROWS] = {0.0};
    if (block->law == CN_LAW_COULOMB) {
        cn_friction_cone_project(block->friction, n, p, outside);
        for (int i = 0; i < n; ++i) {
            outside[i] = p[i] - outside[i];
        }
    } else if (block->law == CN_LAW_BOUNDS) {
        for (int i = 0; i < n; ++i) {
            int row = block->first_row + i;
            outside[i] = fmax(0.0, fmax(problem->lower[row] - p[i], p[i] - problem->upper[row]));
        }
    }
    return sqrt(square_norm(outside, n));
}

// The work a row of bounds does beyond what its law allows: u > 0 asks for p = lower, u < 0 for
// p = upper. Towards a bound that is infinite the plain product u p stands in.
static double bounds_work(double lower, double upper, double u, double p) {
    double bound = u > 0.0 ? lower : upper;
    return u * (isfinite(bound) ? p - bound : p);
}

// |u~ . p|, the energy that a wrong pairing of impulse and velocity moves: (10).
static double complementarity(const CnProblem* problem, const CnBlock* block, const double* u,
                              const double* p) {
    int n = block->row_count;
    double work = 0.0;
    if (block->law == CN_LAW_FORCE) { // springs and dampers are meant to do work
        return 0.0;
    }
    if (block->law == CN_LAW_COULOMB) {
        double shifted[CN_MAX_ROWS];
        cn_block_shift(problem, block, u, shifted);
        for (int i = 0; i < n; ++i) {
            work += shifted[i] * p[i];
        }
        return fabs(work);
    }
    for (int i = 0; i < n; ++i) {
        int row = block->first_row + i;
        work += block->law == CN_LAW_BOUNDS
                    ? fabs(bounds_work(problem->lower[row], problem->upper[row], u[i], p[i]))
                    : fabs(u[i] * p[i]);
    }
    return work;
}

static double velocity_defect(const CnProblem* problem, const double (*claimed)[6],
                              const double (*velocity)[6]) {
    double defect = 0.0;
    for (int i = 0; i < problem->body_count; ++i) {
        for (int k = 0; k < 6; ++k) {
            defect = cn_worse(defect, fabs(claimed[i][k] - velocity[i][k]));
        }
    }
    return defect;
}

void cn_grade_begin(CnGradeSums* sums) {
    *sums = (CnGradeSums){.worst_block = -1};
}

// A stop that is open and gives nothing: all that its law could miss by is zero.
static bool is_open(const CnProblem* problem, const CnBlock* block, double rho, const double* u,
                    const double* p) {
    int row = block->first_row;
    return block->law == CN_LAW_BOUNDS && block->row_count == 1 && p[0] == 0.0 && rho > 0.0 &&
           ((problem->lower[row] == 0.0 && u[0] > 0.0 && u[0] < HUGE_VAL) ||
            (problem->upper[row] == 0.0 && u[0] < 0.0 && u[0] > -HUGE_VAL));
}

// measure_law() of an equality, to the same bits: its map is rho u, and its set is everything. The
// traces of all blocks are in rho: where it is a number above zero they are finite, which is all
// that an equality asks of them.
static double measure_equality(const CnProblem* problem, const CnBlock* block, double rho,
                               const double* u, const double* p, CnGradeSums* sums) {
    double square = 0.0, scaled = 0.0, work = 0.0;
    for (int i = 0; i < block->row_count; ++i) {
        square += u[i] * u[i];
        scaled += (rho * u[i]) * (rho * u[i]);
        work += fabs(u[i] * p[i]);
    }
    double residual = isfinite(square) && isfinite(work)
                          ? sqrt(square)
                          : cn_block_residual(problem, block, NULL, 0.0, u, p);
    sums->complementarity = cn_worse(sums->complementarity, work);
    sums->residual += residual * residual;
    sums->plain += square;
    sums->scaled += scaled;
    return residual;
}

// p - P(p - rho u) of a row with bounds.
static inline double bounded_map(double p, double u, double rho, double lower, double upper) {
    double step = p - rho * u;
    return p - (step < lower ? lower : step > upper ? upper : step);
}

// measure_law() of one row with bounds, to the same bits: sqrt(x^2) is |x|. Motors and stops are
// many.
static double measure_bound(const CnProblem* problem, const CnBlock* block, double w, double rho,
                            double u, double p, CnGradeSums* sums) {
    double lower = problem->lower[block->first_row], upper = problem->upper[block->first_row];
    double limit = cn_limited_upper(problem, upper);
    double residual = HUGE_VAL;
    if (isfinite(w) && isfinite(u) && isfinite(p)) {
        double step = 1.0 / w, inside = p - step * u;
        residual = fabs(bounded_map(p, u, step, lower, limit)) * w;
        if (residual < DBL_EPSILON * w * fabs(p) && inside >= lower && inside <= limit) {
            residual = fabs(u); // certificate.md (8a)
        }
        residual = isfinite(residual) ? residual : HUGE_VAL;
    }
    double plain = bounded_map(p, u, 1.0, lower, limit),
           scaled = bounded_map(p, u, rho, lower, limit);
    double outside = lower > p ? lower - p : p > upper ? p - upper : 0.0;
    sums->cone_violation = cn_worse(sums->cone_violation, outside);
    sums->complementarity = cn_worse(sums->complementarity, fabs(bounds_work(lower, upper, u, p)));
    sums->residual += residual * residual;
    sums->plain += plain * plain;
    sums->scaled += scaled * scaled;
    return residual;
}

// Residual, violation and complementarity of a block; returns the first.
static double measure_law(const CnProblem* problem, const CnBlock* block, double rho,
                          const double* u, const double* p, CnGradeSums* sums) {
    if (block->law == CN_LAW_EQUALITY && rho > 0.0) {
        return measure_equality(problem, block, rho, u, p, sums);
    }
    if (block->law == CN_LAW_BOUNDS && block->row_count == 1 && !cn_block_has_second(block)) {
        return measure_bound(problem, block, cn_block_trace(problem, block), rho, u[0], p[0], sums);
    }
    double square[2], residual = cn_block_grade(problem, block, u, p);
    cn_block_map_squares(problem, block, 2, (const double[2]){1.0, rho}, u, p, square);
    if (block->law != CN_LAW_EQUALITY) { // its set is everything
        sums->cone_violation = cn_worse(sums->cone_violation, set_violation(problem, block, p));
    }
    sums->complementarity = cn_worse(sums->complementarity, complementarity(problem, block, u, p));
    sums->residual += residual * residual;
    sums->plain += square[0];
    sums->scaled += square[1];
    return residual;
}

void cn_grade_block(const CnProblem* problem, int index, int number, const double* u,
                    const double* q, const double* impulse, double rho, double* block_residual,
                    CnGradeSums* sums) {
    const CnBlock* block = &problem->blocks[index];
    int n = block->row_count;
    const double* p = impulse + block->first_row;
    double residual =
        is_open(problem, block, rho, u, p) ? 0.0 : measure_law(problem, block, rho, u, p, sums);
    for (int i = 0; i < n; ++i) {
        sums->p += p[i] * p[i];
        sums->u += u[i] * u[i];
        sums->q += q[i] * q[i];
    }
    cn_grade_note(residual, index, number, block_residual, sums);
}

void cn_grade_bound(const CnProblem* problem, int index, int number, double w, double u, double q,
                    const double* impulse, double rho, double* block_residual, CnGradeSums* sums) {
    const CnBlock* block = &problem->blocks[index];
    double p = impulse[block->first_row];
    double residual = is_open(problem, block, rho, &u, &p)
                          ? 0.0
                          : measure_bound(problem, block, w, rho, u, p, sums);
    sums->p += p * p;
    sums->u += u * u;
    sums->q += q * q;
    cn_grade_note(residual, index, number, block_residual, sums);
}

void cn_grade_mute(int index, int number, double u, double q, double* block_residual,
                   CnGradeSums* sums) {
    sums->u += u * u;
    sums->q += q * q;
    cn_grade_note(0.0, index, number, block_residual, sums);
}

static inline double dot6(const double* a, const double* b) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3] + a[4] * b[4] + a[5] * b[5];
}

// u for the velocities, q for the free ones, of one row of a block that is_plain().
static inline void feel_row(const CnProblem* problem, const CnBlock* block, int row,
                            const double (*velocity)[6], double p, double* u, double* q) {
    const double *a = problem->jacobian_a[row], *b = problem->jacobian_b[row];
    double own = problem->compliance[row] * p - problem->target[row],
           free_own = -problem->target[row];
    if (block->body_a >= 0) {
        own += dot6(a, velocity[block->body_a]);
        free_own += dot6(a, problem->free_velocity[block->body_a]);
    }
    if (block->body_b >= 0) {
        own += dot6(b, velocity[block->body_b]);
        free_own += dot6(b, problem->free_velocity[block->body_b]);
    }
    *u = own;
    *q = free_own;
}

// Equalities between two bodies are most blocks of machines: u and q are found in one pass.
static inline bool is_plain(const CnProblem* problem, const CnBlock* block) {
    return block->law == CN_LAW_EQUALITY && problem->response == NULL && problem->masses == NULL &&
           !cn_block_has_second(block);
}

void cn_grade_listed(const CnProblem* problem, int count, const int* list, int first_block,
                     const double (*velocity)[6], const double* impulse, double rho,
                     double* block_residual, CnGradeSums* sums) {
    for (int k = 0; k < count; ++k) {
        int i = list == NULL ? k : list[k];
        const CnBlock* block = &problem->blocks[i];
        double u[CN_MAX_ROWS], q[CN_MAX_ROWS];
        if (is_plain(problem, block)) {
            for (int j = 0; j < block->row_count; ++j) {
                int row = block->first_row + j;
                feel_row(problem, block, row, velocity, impulse[row], &u[j], &q[j]);
            }
        } else {
            cn_block_velocity(problem, block, velocity, impulse, u);
            cn_block_free_velocity(problem, block, q);
        }
        cn_grade_block(problem, i, first_block + i, u, q, impulse, rho, block_residual, sums);
    }
}

void cn_grade_blocks(const CnProblem* problem, int first_block, const double (*velocity)[6],
                     const double* impulse, double rho, double* block_residual, CnGradeSums* sums) {
    cn_grade_listed(problem, problem->block_count, NULL, first_block, velocity, impulse, rho,
                    block_residual, sums);
}

void cn_grade_merge(CnGradeSums* sums, const CnGradeSums* part) {
    bool is_first = part->worst == sums->worst && part->worst_block < sums->worst_block;
    if (part->worst_block >= 0 &&
        (sums->worst_block < 0 || part->worst > sums->worst || is_first)) {
        sums->worst = part->worst;
        sums->worst_block = part->worst_block;
    }
    sums->block_count += part->block_count;
    sums->p += part->p;
    sums->u += part->u;
    sums->q += part->q;
    sums->plain += part->plain;
    sums->scaled += part->scaled;
    sums->residual += part->residual;
    sums->cone_violation = cn_worse(sums->cone_violation, part->cone_violation);
    sums->complementarity = cn_worse(sums->complementarity, part->complementarity);
    sums->velocity_defect = cn_worse(sums->velocity_defect, part->velocity_defect);
}

void cn_grade_finish(const CnGradeSums* sums, double rho, CnCertificate* certificate) {
    *certificate = (CnCertificate){
        .worst = cn_worse(sums->worst, sums->velocity_defect),
        .worst_block = sums->worst_block,
        .cone_violation = sums->cone_violation,
        .complementarity = sums->complementarity,
        .velocity_defect = sums->velocity_defect,
    };
    if (sums->block_count > 0) {
        double size = fmax(sums->u, sums->q);
        certificate->rms = sqrt(sums->residual / sums->block_count);
        certificate->fclib_error = relative(sums->plain, fmax(sums->p, size));
        certificate->scaled_error = relative(sums->scaled, fmax(sums->p, rho * rho * size));
    }
}

double cn_problem_trace(const CnProblem* problem) {
    double trace = 0.0;
    for (int i = 0; i < problem->block_count; ++i) {
        trace += cn_block_trace(problem, &problem->blocks[i]);
    }
    return trace;
}

void cn_certify(const CnProblem* problem, const CnSolution* solution, double (*scratch)[6],
                double* block_residual, CnCertificate* certificate) {
    const double(*velocity)[6] = (const double(*)[6])scratch;
    double rho = problem->row_count / cn_problem_trace(problem);
    CnGradeSums sums;
    cn_grade_begin(&sums);
    cn_problem_velocity(problem, solution->impulse, scratch);
    cn_grade_blocks(problem, 0, velocity, solution->impulse, rho, block_residual, &sums);
    sums.velocity_defect =
        velocity_defect(problem, (const double(*)[6])solution->velocity, velocity);
    cn_grade_finish(&sums, rho, certificate);
}

const char* cn_error_measure_name(CnErrorMeasure measure) {
    static const char* const names[CN_ERROR_COUNT] = {
        [CN_ERROR_VELOCITY] = "velocity",
        [CN_ERROR_RELATIVE] = "relative",
    };
    return (unsigned)measure < CN_ERROR_COUNT ? names[measure] : "unknown";
}

double cn_certificate_error(const CnCertificate* certificate, CnErrorMeasure measure) {
    return measure == CN_ERROR_RELATIVE ? fmax(certificate->fclib_error, certificate->scaled_error)
                                        : certificate->worst;
}

void cn_problem_certify(const CnProblem* problem, const CnSolution* solution,
                        double* block_residual, CnCertificate* certificate) {
    double(*scratch)[6] = cn_allocate(NULL, (size_t)problem->body_count + 1, sizeof(double[6]));
    if (scratch == NULL) { // nothing can be vouched for: every number says so
        *certificate = (CnCertificate){HUGE_VAL, HUGE_VAL, -1,       HUGE_VAL,
                                       HUGE_VAL, HUGE_VAL, HUGE_VAL, HUGE_VAL};
        for (int i = 0; block_residual != NULL && i < problem->block_count; ++i) {
            block_residual[i] = HUGE_VAL;
        }
        return;
    }
    cn_certify(problem, solution, scratch, block_residual, certificate);
    cn_release(NULL, scratch);
}
