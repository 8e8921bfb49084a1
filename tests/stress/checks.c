// checks.c - what must hold after every call, every step and every solve.
#include "checks.h"
#include "support/problems/last_problem.h"

#include "world/world.h"
#include <math.h>

// Sums of a few hundred terms, each rounded: relative to the sum of their magnitudes.
#define SUM_TOLERANCE 1e-12

// A certificate is computed from the same numbers in the same order: the same to round-off.
#define CERTIFICATE_TOLERANCE 1e-9 // relative
#define ROUND_OFF 1e-15            // of velocities of some metres per second [m/s]

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
    if (!(again.worst <= reported * (1.0 + CERTIFICATE_TOLERANCE) + ROUND_OFF)) {
        session_find(session, "certificate %g computed again, %g reported", again.worst, reported);
    }
}

void check_step(Session* session, const StepBefore* before, double dt, const CnStepReport* report) {
    double time = cn_world_time(session->world);
    if (time != report->time || !(fabs(time - before->time - dt) <= SUM_TOLERANCE * (time + dt))) {
        session_find(session, "time %g after %g s from %g", time, dt, before->time);
    }
    if (!(report->momentum.error <= 1.0)) {
        session_find(session, "momentum ledger error %g", report->momentum.error);
    }
    if (!(report->penetration >= 0.0) || !(report->joint_error >= 0.0) ||
        !(report->joint_angle_error >= 0.0)) {
        session_find(session, "position errors %g m, %g m, %g rad", report->penetration,
                     report->joint_error, report->joint_angle_error);
    }
    check_bodies(session);
    check_energy(session, before, &report->energy);
    check_certificate(session, report);
}
