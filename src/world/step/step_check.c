// step_check.c - refuses steps that leave states or ledgers without finite numbers, or runaways.
#include "world/step/step_check.h"

#include "base/error.h"
#include "math/simd.h"
#include "world/bodies/motion.h"

#include <stdio.h>
#include <string.h>

typedef struct SolverNote {
    char text[120];
} SolverNote;

// What is known of the solve, in brackets; nothing where no solver was asked. Scheme soft_step and
// steps that are not graded have no residual.
static SolverNote note_solver(const CnStepReport* report) {
    SolverNote note = {""};
    const char* solver = report->solver.solver;
    if (solver != NULL && report->is_graded) {
        snprintf(note.text, sizeof note.text, " (solver %s left a residual of %g m/s)", solver,
                 report->solver.certificate.worst);
    } else if (solver != NULL) {
        snprintf(note.text, sizeof note.text, " (solver %s)", solver);
    }
    return note;
}

static CnStatus refuse_infinite(const CnWorld* world, const CnBody* body,
                                const CnStepReport* report, CnError* error) {
    return cn_error_set(error, CN_UNSUPPORTED,
                        "the step at t = %g s diverged: body %d \"%s\" has no finite state%s; "
                        "try a smaller dt or another solver",
                        world->step.time, cn_world_index_of(world, body),
                        cn_world_details_of(world, body)->name, note_solver(report).text);
}

// Of the centre, and of a point at the radius of gyration.
static double speed_of(const CnBody* body, CnVec3 velocity, CnVec3 spin) {
    double turning = cn_vec3_length(spin);
    return cn_vec3_length(velocity) +
           (turning > 0.0 ? cn_body_gyration_radius(body) * turning : 0.0);
}

// (|v| + r |w|)^2 <= 2 (v^2 + r^2 w^2), here with 4 for 2: far enough below the limit no root is
// taken.
static bool is_slow(const CnBody* body, double limit) {
    const CnVec3 *v = &body->state.velocity, *w = &body->state.angular_velocity;
    const double(*inertia)[3] = body->mass->inertia.m;
    double sum = 0.5 * (inertia[0][0] + inertia[1][1] + inertia[2][2]);
    return 4.0 * (body->mass->mass * cn_vec3_dot(*v, *v) + sum * cn_vec3_dot(*w, *w)) <
           body->mass->mass * limit * limit;
}

static bool is_fast(const CnWorld* world, const CnBody* body) {
    double limit = world->def.step.speed_limit;
    return limit > 0.0 && body->type == CN_BODY_DYNAMIC && !is_slow(body, limit) &&
           speed_of(body, body->state.velocity, body->state.angular_velocity) > limit;
}

bool cn_step_is_sound(const CnWorld* world, const CnBody* body) {
    return cn_body_state_is_finite(&body->state) && !is_fast(world, body);
}

static CnStatus refuse_fast(const CnWorld* world, const CnBody* body, const CnStepReport* report,
                            CnError* error) {
    int index = cn_world_index_of(world, body);
    const CnBodyState* state = &body->state;
    double limit = world->def.step.speed_limit;
    bool was_fast = false;
    if (index < world->step.motions.count) {
        const CnMotion* motion = &world->step.motions.data[index];
        was_fast = speed_of(body, motion->start.velocity, cn_motion_start_spin(motion)) > limit;
    }
    return cn_error_set(
        error, CN_UNSUPPORTED,
        "the step at t = %g s would leave body %d \"%s\" at %g m/s (%g m/s and %g rad/s), "
        "faster than speed_limit, %g m/s%s; %s",
        world->step.time, cn_world_index_of(world, body), cn_world_details_of(world, body)->name,
        speed_of(body, state->velocity, state->angular_velocity), cn_vec3_length(state->velocity),
        cn_vec3_length(state->angular_velocity), limit, note_solver(report).text,
        was_fast ? "it is faster already as the step begins: raise the limit (0: none)"
                 : "try a smaller dt, or raise the limit (0: none)");
}

CnStatus cn_step_check_state(const CnWorld* world, int index, const CnStepReport* report,
                             CnError* error) {
    const CnBody* body = cn_world_body_by_index(world, index);
    if (!cn_body_state_is_finite(&body->state)) {
        return refuse_infinite(world, body, report, error);
    }
    return is_fast(world, body) ? refuse_fast(world, body, report, error) : CN_OK;
}

// Zero times each number of a state is zero, unless one is not finite.
static inline bool is_finite_at_once(const CnBodyState* state) {
    const double* numbers = (const double*)(const void*)state;
    CnDouble2 sum = {0.0, 0.0 * numbers[12]};
    for (int k = 0; k < 12; k += 2) {
        CnDouble2 two;
        memcpy(&two, numbers + k, sizeof two);
        sum += 0.0 * two;
    }
    return sum[0] + sum[1] == 0.0;
}
_Static_assert(sizeof(CnBodyState) == 13 * sizeof(double), "a state has no gaps");

CnStatus cn_step_check_states(const CnWorld* world, const CnStepReport* report, CnError* error) {
    CnIndexList moving = cn_active_bodies(world);
    double limit = world->def.step.speed_limit;
    CnStatus status = CN_OK;
    for (int k = 0; k < moving.count && status == CN_OK; ++k) {
        int i = cn_index_at(&moving, k);
        const CnBody* body = cn_world_body_by_index(world, i);
        bool is_slow_enough = !(limit > 0.0) || is_slow(body, limit);
        if (!is_slow_enough || !is_finite_at_once(&body->state)) {
            status = cn_step_check_state(world, i, report, error);
        }
    }
    return status;
}

CnStatus cn_step_check_motion(const CnWorld* world, const CnBodyState* states, CnError* error) {
    CnIndexList moving = cn_active_bodies(world);
    for (int place = 0; place < moving.count; ++place) {
        int i = cn_index_at(&moving, place);
        bool finite = cn_vec3_is_finite(states[i].center) && isfinite(states[i].rotation.w);
        for (int k = 0; k < 6; ++k) {
            finite = finite && isfinite(world->step.free_velocity[i][k]);
        }
        if (!finite) {
            return cn_error_set(error, CN_UNSUPPORTED,
                                "the step at t = %g s overflows: body %d \"%s\" moves out of the "
                                "range of numbers in a step of %g s under its velocity and loads",
                                world->step.time, i, world->details.data[i].name, world->step.dt);
        }
    }
    return CN_OK;
}

// Does what a body has, or had as the last part of the step began, fit into numbers?
static bool has_finite_books(const CnWorld* world, const CnBody* body, CnVec3 center,
                             CnVec3 velocity, CnVec3 spin) {
    CnVec3 p = cn_vec3_scale(body->mass->mass, velocity),
           own = cn_mat3_apply(&body->mass->inertia, spin);
    double energy = cn_vec3_dot(p, velocity) + cn_vec3_dot(own, spin) +
                    fabs(body->mass->mass * cn_vec3_dot(cn_body_gravity(world, body), center));
    double angular = cn_vec3_length(center) * cn_vec3_length(p) + cn_vec3_length(own);
    return isfinite(energy) && isfinite(angular);
}

static const CnBody* find_overflow(const CnWorld* world) {
    for (int i = 0; i < world->order.count; ++i) {
        const CnBody* body = cn_world_body_by_index(world, i);
        const CnMotion* motion = &world->step.motions.data[i];
        if (body->type == CN_BODY_DYNAMIC &&
            (!has_finite_books(world, body, motion->start.center, motion->start.velocity,
                               cn_motion_start_spin(motion)) ||
             !has_finite_books(world, body, body->state.center, body->state.velocity,
                               cn_motion_final_spin(&world->step, i)))) {
            return body;
        }
    }
    return NULL;
}

// For messages: a length whose square may overflow.
static double size_of(CnVec3 v) {
    double largest = fmax(fabs(v.x), fmax(fabs(v.y), fabs(v.z)));
    return largest > 0.0 ? largest * cn_vec3_length(cn_vec3_scale(1.0 / largest, v)) : 0.0;
}

CnStatus cn_step_check_ledgers(const CnWorld* world, const CnStepReport* report, CnError* error) {
    const CnEnergyLedger* energy = &report->energy;
    const CnMomentumLedger* momentum = &report->momentum;
    if (isfinite(energy->error) && isfinite(energy->scale) && isfinite(momentum->error) &&
        isfinite(momentum->internal_error) && isfinite(momentum->linear_scale) &&
        isfinite(momentum->angular_scale)) {
        return CN_OK;
    }
    const CnBody* body = find_overflow(world);
    return body == NULL
               ? cn_error_set(error, CN_UNSUPPORTED,
                              "the step at t = %g s overflows: the energy or momentum of "
                              "all bodies together is no finite number",
                              world->step.time)
               : cn_error_set(error, CN_UNSUPPORTED,
                              "the step at t = %g s overflows: the energy or momentum of "
                              "body %d \"%s\" (%g kg, %g m/s, %g rad/s, %g m from the "
                              "origin) is no finite number",
                              world->step.time, cn_world_index_of(world, body),
                              cn_world_details_of(world, body)->name, body->mass->mass,
                              size_of(body->state.velocity), size_of(body->state.angular_velocity),
                              size_of(body->state.center));
}

// Rows that ask for what is no number, or impulses that overflow: nothing says how wrong they are.
CnStatus cn_step_check_certificate(const CnWorld* world, const CnStepReport* report,
                                   CnError* error) {
    char name[120];
    if (isfinite(report->certificate.worst)) {
        return CN_OK;
    }
    cn_world_block_name(world, report->certificate.worst_block, name, sizeof name);
    return cn_error_set(error, CN_UNSUPPORTED,
                        "the step at t = %g s overflows: what %s asks for, or its answer, is no "
                        "finite number (solver %s)",
                        world->step.time, name,
                        report->solver.solver == NULL ? "none" : report->solver.solver);
}
