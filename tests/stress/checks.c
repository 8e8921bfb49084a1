// checks.c - what must hold after every call, every step and every solve.
#include "checks.h"
#include "support/problems/last_problem.h"

#include "constraints/problem/block.h"
#include "world/world.h"
#include <float.h>
#include <math.h>
#include <stdlib.h>

// Sums of a few hundred terms, each rounded: relative to the sum of their magnitudes.
#define SUM_TOLERANCE 1e-12

// A certificate is computed from the same numbers, but those of contact tiles and of joints of
// trees in another order: the same to some units in the last place of the terms of a row.
#define CERTIFICATE_TOLERANCE 1e-9 // relative
#define ROUND_OFF 1e-15            // of velocities of some metres per second [m/s]
#define UNITS 16.0                 // of the largest sum of terms, where that is more

void check_refusal(Session* session, bool refused, const CnError* error) {
    if (refused && error->message[0] == 0) {
        session_find(session, "refused without a sentence");
    } else if (!refused && error->message[0] != 0) {
        session_find(session, "made, but says: %s", error->message);
    } else if (refused && error->status == CN_NO_MEMORY && !session->refusing) {
        session_find(session, "no memory, though none was refused: %s", error->message);
    }
}

StepBefore check_before_step(const Session* session) {
    return (StepBefore){cn_world_time(session->world), cn_world_energy(session->world)};
}

static void check_bodies(Session* session) {
    const CnWorld* world = session->world;
    for (int i = 0; i < cn_world_body_count(world); ++i) {
        CnBodyState s;
        cn_body_state(world, cn_world_body_at(world, i), &s);
        bool finite = cn_vec3_is_finite(s.center) && cn_vec3_is_finite(s.velocity) &&
                      cn_vec3_is_finite(s.angular_velocity);
        if (!finite || !(fabs(cn_quat_length(s.rotation) - 1.0) < 1e-9)) {
            session_find(session, "body %d is not a number or its rotation not a unit one", i);
        }
    }
}

static void check_energy(Session* session, const StepBefore* before, const CnEnergyLedger* ledger) {
    double sum = ledger->end - ledger->start;
    for (int i = 0; i < CN_WORK_COUNT; ++i) {
        sum -= ledger->work[i];
    }
    double error = ledger->scale > 0.0 ? fabs(sum) / ledger->scale : 0.0;
    double now = cn_world_energy(session->world), scale = SUM_TOLERANCE * ledger->scale;
    if (!(ledger->error <= 1.0)) {
        session_find(session, "energy ledger error %g", ledger->error);
    } else if (fabs(error - ledger->error) > SUM_TOLERANCE) {
        session_find(session, "energy ledger misses %g, reported is %g", error, ledger->error);
    } else if (fabs(before->energy - ledger->start) > scale || fabs(now - ledger->end) > scale) {
        session_find(session, "energy ledger from %.17g to %.17g J, the world from %.17g to %.17g",
                     ledger->start, ledger->end, before->energy, now);
    }
}

static double size_of(const double* row, const double* velocity) {
    double sum = 0.0;
    for (int k = 0; k < 6; ++k) {
        sum += fabs(row[k] * velocity[k]);
    }
    return sum;
}

// sizes += M^-1 |J^T p|, by magnitudes.
static void add_sizes(const CnProblem* problem, int body, const double push[6], double sizes[6]) {
    const double* inertia = problem->inverse_inertia[body];
    for (int k = 0; k < 3; ++k) {
        sizes[k] += problem->inverse_mass[body] * push[k];
        for (int j = 0; j < 3; ++j) {
            sizes[3 + k] += fabs(inertia[3 * k + j]) * push[3 + j];
        }
    }
}

// The terms whose sum is the velocity of each body, v_free + M^-1 J^T p, by magnitudes: they are
// rounded in one order when they are reported, and in another when they are computed again.
static void find_sizes(const CnProblem* problem, const double* impulse, double (*sizes)[6]) {
    for (int i = 0; i < problem->body_count; ++i) {
        for (int k = 0; k < 6; ++k) {
            sizes[i][k] = fabs(problem->free_velocity[i][k]);
        }
    }
    for (int i = 0; i < problem->block_count; ++i) {
        const CnBlock* block = &problem->blocks[i];
        for (int side = 0; side < cn_block_sides(block); ++side) {
            int body = cn_block_body(block, side);
            double push[6] = {0.0};
            for (int row = block->first_row; row < block->first_row + block->row_count; ++row) {
                const double* jacobian = cn_block_jacobian(problem, row, side);
                for (int k = 0; body >= 0 && k < 6; ++k) {
                    push[k] += fabs(jacobian[k] * impulse[row]);
                }
            }
            if (body >= 0) {
                add_sizes(problem, body, push, sizes[body]);
            }
        }
    }
}

// The largest sum of the terms of a row, J v.
static double largest_terms(const CnProblem* problem, const double* impulse) {
    double largest = 0.0;
    double(*sizes)[6] = calloc((size_t)problem->body_count + 1, sizeof *sizes);
    find_sizes(problem, impulse, sizes);
    for (int i = 0; i < problem->block_count; ++i) {
        const CnBlock* block = &problem->blocks[i];
        for (int row = block->first_row; row < block->first_row + block->row_count; ++row) {
            double sum = 0.0;
            for (int side = 0; side < cn_block_sides(block); ++side) {
                int body = cn_block_body(block, side);
                sum += body < 0 ? 0.0 : size_of(cn_block_jacobian(problem, row, side), sizes[body]);
            }
            largest = fmax(largest, sum);
        }
    }
    free(sizes);
    return largest;
}

static void check_certificate(Session* session, const CnStepReport* report) {
    const CnWorld* world = session->world;
    const CnAssembledStep* whole = last_problem(world);
    const CnProblem* problem = &whole->problem;
    CnCertificate again;
    if (problem->row_count == 0) {
        return;
    }
    CnError error = {0};
    if (cn_problem_check(problem, &error) != CN_OK) {
        session_find(session, "a problem was posed that is refused: %s", error.message);
    }
    CnSolution solution = {whole->rows.impulse, world->step.velocity};
    cn_problem_certify(problem, &solution, NULL, &again);
    double reported = report->certificate.worst;
    if (session->step.scheme == CN_SCHEME_ACCELERATION) { // its problem is in m/s^2
        again.worst *= world->step.dt;
    }
    double terms = largest_terms(problem, whole->rows.impulse);
    double noise = fmax(ROUND_OFF, UNITS * DBL_EPSILON * terms);
    if (!(again.worst <= reported * (1.0 + CERTIFICATE_TOLERANCE) + noise)) {
        session_find(session, "certificate %g computed again, %g reported", again.worst, reported);
    }
}

static void check_says_nothing(Session* session, const CnStepReport* report) {
    if (!isnan(report->certificate.worst) || !isnan(report->energy.error) ||
        !isnan(report->momentum.error)) {
        session_find(session, "a step that is not graded has grades %g, %g and %g",
                     report->certificate.worst, report->energy.error, report->momentum.error);
    }
}

void check_step(Session* session, const StepBefore* before, double dt, const CnStepReport* report) {
    double time = cn_world_time(session->world);
    if (time != report->time || !(fabs(time - before->time - dt) <= SUM_TOLERANCE * (time + dt))) {
        session_find(session, "time %g after %g s from %g", time, dt, before->time);
    }
    if (!(report->penetration >= 0.0) || !(report->joint_error >= 0.0) ||
        !(report->joint_angle_error >= 0.0)) {
        session_find(session, "position errors %g m, %g m, %g rad", report->penetration,
                     report->joint_error, report->joint_angle_error);
    }
    check_bodies(session);
    // soft_step keeps no ledgers, and poses no problem that could be graded again.
    if (cn_world_read(session->world).step.scheme == CN_SCHEME_SOFT_STEP) {
        return;
    }
    if (!report->is_graded) {
        check_says_nothing(session, report);
        return;
    }
    if (!(report->momentum.error <= 1.0)) {
        session_find(session, "momentum ledger error %g", report->momentum.error);
    }
    check_energy(session, before, &report->energy);
    check_certificate(session, report);
}
