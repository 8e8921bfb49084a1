// scheme_acceleration.c - smooth mechanisms: constraint forces from the equation of accelerations.
//
// J M^-1 J^T f = -J M^-1 F - (dJ/dt) v - alpha C - beta dC/dt at every state the integrator asks
// about; docs/theory/acceleration.md. The forces f are found by the same solvers as impulses: a
// problem whose velocities are accelerations.
#include "base/error.h"
#include "constraints/problem/certificate.h"
#include "world/bodies/motion.h"
#include "world/constraints/loops.h"
#include "world/contacts/contacts.h"
#include "world/correct/correct.h"
#include "world/correct/relax.h"
#include "world/schemes/acceleration.h"
#include "world/schemes/schemes.h"
#include "world/step/attribution.h"
#include "world/step/ledger.h"
#include "world/step/rows.h"
#include "world/step/solve.h"
#include "world/step/solve_step.h"
#include "world/step/step_check.h"

#include <string.h>

static void set_states(const CnJourney* journey, const CnPath* paths) {
    for (int i = 0; i < journey->world->order.count; ++i) {
        journey->states[i] = (CnBodyState){
            .center = paths[i].center,
            .rotation = paths[i].rotation,
            .velocity = paths[i].velocity,
            .angular_velocity = cn_quat_rotate(paths[i].rotation, paths[i].spin),
        };
    }
}

// Accelerations without constraints: gravity, loads, and J W x W for the gyroscopic term.
static void set_bodies(const CnJourney* journey, const CnPath* paths) {
    CnWorld* world = journey->world;
    CnStep* step = &world->step;
    for (int i = 0; i < world->order.count; ++i) {
        const CnBody* body = cn_world_body_by_index(world, i);
        CnMat3 rotation = cn_mat3_from_quat(paths[i].rotation);
        CnMat3 inverse = cn_mat3_rotate_tensor(&rotation, &body->mass->inverse_inertia);
        CnVec3 a = {0.0, 0.0, 0.0}, turning = {0.0, 0.0, 0.0};
        if (body->type == CN_BODY_DYNAMIC) {
            CnVec3 torque = cn_quat_unrotate(paths[i].rotation, journey->loads[i].torque);
            CnVec3 spin = paths[i].spin;
            CnVec3 gyration = cn_vec3_cross(cn_mat3_apply(&body->mass->inertia, spin), spin);
            a = cn_vec3_add_scaled(cn_body_gravity(world, body), body->mass->inverse_mass,
                                   journey->loads[i].force);
            turning =
                cn_quat_rotate(paths[i].rotation, cn_mat3_apply(&body->mass->inverse_inertia,
                                                                cn_vec3_add(torque, gyration)));
        }
        double free_acceleration[6] = {a.x, a.y, a.z, turning.x, turning.y, turning.z};
        step->inverse_mass[i] = body->mass->inverse_mass;
        memcpy(step->inverse_inertia[i], inverse.m, sizeof step->inverse_inertia[i]);
        memcpy(step->free_velocity[i], free_acceleration, sizeof free_acceleration);
    }
}

// Of the impulses of a stage, whoever found them: solves along trees do not certify themselves. The
// residual of a stage is an acceleration; over the step it is worth dt times as much velocity.
static CnCertificate grade_stage(const CnProblem* problem, const CnStep* step) {
    CnCertificate certificate;
    CnSolution solution = {step->rows.impulse, step->velocity};
    cn_certify(problem, &solution, step->mean_velocity, NULL, &certificate);
    certificate.worst *= step->dt;
    certificate.rms *= step->dt;
    return certificate;
}

// Of the step's work budget a stage gets its weight's share.
static CnStatus solve_stage(const CnJourney* journey, double share, CnError* error) {
    CnWorld* world = journey->world;
    CnStep* step = &world->step;
    CnStepReport* report = journey->report;
    CnIslandSummary summary;
    CnSolverDef def = world->def.solver;

    def.warm_start = false;
    def.tolerance /= step->dt;
    CnProblem problem = cn_step_explicit_problem(world);
    CnStatus status = cn_world_solve(world, &problem, &def, share, step->rows.impulse,
                                     step->velocity, &summary, error);
    if (status != CN_OK) {
        return status;
    }
    report->not_converged += summary.not_converged;
    report->out_of_budget += summary.out_of_budget;
    report->work += summary.work;
    report->island_count = summary.island_count;
    report->block_count = problem.block_count;
    report->row_count = problem.row_count;
    CnCertificate certificate = cn_certificate_of_nothing();
    bool is_worse = !report->is_graded && summary.report.error > report->solver.error;
    if (report->is_graded) {
        certificate = grade_stage(&problem, step);
        is_worse = certificate.worst > report->certificate.worst;
    }
    if (report->solver.solver == NULL || is_worse) {
        report->solver = summary.report;
        report->solver.certificate = report->certificate = certificate;
    }
    return CN_OK;
}

static void set_slopes(const CnJourney* journey, const CnPath* paths) {
    for (int i = 0; i < journey->world->order.count; ++i) {
        const CnPath* path = &paths[i];
        const double* a = journey->world->step.velocity[i];
        CnQuat half_spin = cn_quat(0.0, 0.5 * path->spin.x, 0.5 * path->spin.y, 0.5 * path->spin.z);
        journey->slopes[i] = (CnSlope){
            .center = path->velocity,
            .velocity = cn_vec3(a[0], a[1], a[2]),
            .spin = cn_quat_unrotate(path->rotation, cn_vec3(a[3], a[4], a[5])),
            .rotation = cn_quat_multiply(path->rotation, half_spin),
        };
    }
}

static CnQuat add_quat(CnQuat q, double s, CnQuat d) {
    return cn_quat(q.w + s * d.w, q.x + s * d.x, q.y + s * d.y, q.z + s * d.z);
}

// to = from + s slope; rotations are brought back to unit length when `finished`.
static void move_paths(const CnJourney* journey, const CnPath* from, double s, CnPath* to,
                       bool finished) {
    for (int i = 0; i < journey->world->order.count; ++i) {
        const CnSlope* slope = &journey->slopes[i];
        to[i] = (CnPath){
            .center = cn_vec3_add_scaled(from[i].center, s, slope->center),
            .velocity = cn_vec3_add_scaled(from[i].velocity, s, slope->velocity),
            .spin = cn_vec3_add_scaled(from[i].spin, s, slope->spin),
            .rotation = add_quat(from[i].rotation, s, slope->rotation),
        };
        if (finished) {
            to[i].rotation = cn_quat_normalize(to[i].rotation);
        }
    }
}

// Where loops of joints may lose their rank, forces are those of a motion that keeps to the joints,
// or they grow beyond bounds: docs/theory/acceleration.md (6).
static CnStatus hold(const CnJourney* journey, double time, CnPath* paths, CnError* error) {
    CnWorld* world = journey->world;
    bool moved;
    if (!journey->on_joints) {
        return CN_OK;
    }
    set_states(journey, paths);
    CnStatus status =
        cn_world_correct_ahead(world, time, journey->states, &moved, journey->report, error);
    for (int i = 0; i < world->order.count; ++i) { // spins stay as they are in body axes
        CnBodyState* state = &journey->states[i];
        state->angular_velocity = cn_quat_rotate(state->rotation, paths[i].spin);
    }
    if (status == CN_OK) {
        status = cn_world_relax_states(world, time, journey->states, journey->report, error);
    }
    for (int i = 0; status == CN_OK && i < world->order.count; ++i) {
        const CnBodyState* state = &journey->states[i];
        paths[i] = (CnPath){
            .center = state->center,
            .velocity = state->velocity,
            .spin = cn_quat_unrotate(state->rotation, state->angular_velocity),
            .rotation = state->rotation,
        };
    }
    return status;
}

// Where an integrator looks at the equations, share of the step, and how much of it that counts
// for.
typedef struct Node {
    double at, weight;
} Node;

static const Node runge_kutta[] = {
    {0.0, 1.0 / 6.0}, {0.5, 1.0 / 3.0}, {0.5, 1.0 / 3.0}, {1.0, 1.0 / 6.0}};
static const Node euler[] = {{0.0, 1.0}};
#define LAST_OF_RUNGE_KUTTA 3

static bool is_runge_kutta(const CnJourney* journey) {
    return journey->world->def.step.integrator == CN_INTEGRATOR_RK4;
}

static const Node* node_of(const CnJourney* journey) {
    return is_runge_kutta(journey) ? &runge_kutta[journey->look] : &euler[journey->look];
}

// Constraints as a problem of accelerations, where the integrator looks.
static CnStatus build_rows(CnStepRun* run, CnError* error) {
    CnJourney* journey = run->own;
    const CnStep* step = &run->world->step;
    double time = step->time + node_of(journey)->at * step->dt;
    set_states(journey, journey->stage);
    cn_world_loads(run->world, journey->states, time, journey->loads);
    set_bodies(journey, journey->stage);
    CnStatus status = cn_acceleration_build_rows(journey, time);
    return status == CN_OK ? CN_OK : cn_error_set(error, status, "no memory to pose a stage");
}

// Velocities first, then positions with the new velocities.
static void take_euler_step(const CnJourney* journey) {
    const CnStep* step = &journey->world->step;
    for (int i = 0; i < journey->world->order.count; ++i) {
        const CnSlope* slope = &journey->slopes[i];
        CnPath* end = &journey->end[i];
        end->velocity = cn_vec3_add_scaled(end->velocity, step->dt, slope->velocity);
        end->spin = cn_vec3_add_scaled(end->spin, step->dt, slope->spin);
        end->center = cn_vec3_add_scaled(end->center, step->dt, end->velocity);
        CnQuat turn = cn_quat_exp(cn_vec3_scale(step->dt, end->spin));
        end->rotation = cn_quat_normalize(cn_quat_multiply(end->rotation, turn));
    }
}

// On by the slopes, to where the next look is.
static CnStatus take_node(CnStepRun* run, double weight, CnError* error) {
    CnJourney* journey = run->own;
    const CnStep* step = &run->world->step;
    bool is_last = journey->look == LAST_OF_RUNGE_KUTTA;
    move_paths(journey, journey->end, weight, journey->end, is_last);
    if (is_last) {
        return CN_OK;
    }
    ++journey->look;
    run->repeats = true;
    double ahead = node_of(journey)->at * step->dt;
    move_paths(journey, journey->start, ahead, journey->stage, true);
    return hold(journey, step->time + ahead, journey->stage, error);
}

// Slopes of the paths, booked with the weight of the look.
static CnStatus solve(CnStepRun* run, CnError* error) {
    CnJourney* journey = run->own;
    double dt = run->world->step.dt, weight = node_of(journey)->weight * dt;
    CnStatus status = solve_stage(journey, weight / dt, error);
    if (status != CN_OK) {
        return status;
    }
    set_slopes(journey, journey->stage);
    if (run->report->is_graded) {
        cn_acceleration_book_loads(journey, journey->stage, weight);
    }
    cn_acceleration_book_constraints(journey, journey->stage, weight);
    status = cn_acceleration_attribute(journey, journey->stage, weight);
    if (status != CN_OK) {
        return cn_error_set(error, status, "no memory to attribute momentum");
    }
    if (is_runge_kutta(journey)) {
        return take_node(run, weight, error);
    }
    take_euler_step(journey);
    return CN_OK;
}

static void start_paths(const CnJourney* journey) {
    CnWorld* world = journey->world;
    for (int i = 0; i < world->order.count; ++i) {
        const CnMotion* motion = &world->step.motions.data[i];
        journey->start[i] = journey->stage[i] = journey->end[i] = (CnPath){
            .center = motion->start.center,
            .velocity = motion->start.velocity,
            .spin = cn_motion_start_spin(motion),
            .rotation = motion->start.rotation,
        };
    }
}

static CnStatus move(CnStepRun* run, CnError* error) {
    const CnJourney* journey = run->own;
    CnWorld* world = run->world;
    (void)error;
    for (int i = 0; i < world->order.count; ++i) {
        CnBody* body = cn_world_body_by_index(world, i);
        CnMotion* motion = &world->step.motions.data[i];
        CnMotionExtras* extras = &world->step.extras.data[i];
        const CnPath* end = &journey->end[i];
        if (body->type == CN_BODY_STATIC) {
            continue;
        }
        body->state = (CnBodyState){
            .center = end->center,
            .rotation = end->rotation,
            .velocity = end->velocity,
            .angular_velocity = cn_quat_rotate(end->rotation, end->spin),
        };
        motion->end_rotation = end->rotation;
        motion->end_spin = extras->final_spin = end->spin;
        extras->end_center = end->center;
        extras->end_velocity = end->velocity;
        extras->mean_spin =
            cn_vec3_scale(0.5, cn_vec3_add(cn_motion_start_spin(motion), end->spin));
        motion->turning_work = cn_vec3_dot(extras->mean_spin, extras->gyration);
    }
    return CN_OK;
}

// Contacts are not smooth: a scene that has touching bodies is refused rather than let through.
static CnStatus refuse_contacts(CnStepRun* run, CnError* error) {
    CnWorld* world = run->world;
    const CnJourney* journey = run->own;
    CnContactArray* contacts = &world->correction.contacts;
    CnStatus status = cn_world_collect_contacts(world, journey->states, 0.0, contacts);
    if (status != CN_OK) {
        return cn_error_set(error, status, "no memory to look for contacts");
    }
    for (int i = 0; i < contacts->count; ++i) {
        const CnContact* contact = &contacts->data[i];
        if (contact->gap <= 0.0) {
            CnBodyId none = {0};
            CnBodyId a = contact->body_a < 0 ? none : world->order.data[contact->body_a];
            CnBodyId b = contact->body_b < 0 ? none : world->order.data[contact->body_b];
            return cn_error_set(error, CN_UNSUPPORTED,
                                "bodies \"%s\" and \"%s\" touch at t = %g s: scheme acceleration "
                                "has no contacts; use moreau",
                                cn_body_name(world, a), cn_body_name(world, b), world->step.time);
        }
    }
    cn_step_clear_contacts(&world->step);
    return CN_OK;
}

static CnJourney* create(CnStepRun* run) {
    CnArena* arena = &run->world->arena;
    int count = run->world->order.count;
    CnJourney* journey = CN_ARENA_NEW(arena, CnJourney, 1);
    if (journey == NULL) {
        return NULL;
    }
    *journey = (CnJourney){.world = run->world, .report = run->report};
    journey->states = CN_ARENA_NEW(arena, CnBodyState, count);
    journey->loads = CN_ARENA_NEW(arena, CnLoad, count);
    journey->start = CN_ARENA_NEW(arena, CnPath, count);
    journey->stage = CN_ARENA_NEW(arena, CnPath, count);
    journey->end = CN_ARENA_NEW(arena, CnPath, count);
    journey->slopes = CN_ARENA_NEW(arena, CnSlope, count);
    journey->wrenches =
        CN_ARENA_NEW(arena, CnWrench, cn_pool_slot_count(&journey->world->constraints));
    bool is_whole = journey->states != NULL && journey->loads != NULL && journey->start != NULL &&
                    journey->stage != NULL && journey->end != NULL && journey->slopes != NULL &&
                    journey->wrenches != NULL;
    if (run->world->attribution.is_kept) {
        journey->rows = CN_ARENA_NEW(
            arena, CnWrench, CN_MAX_ROWS * cn_pool_slot_count(&journey->world->constraints));
        is_whole = is_whole && journey->rows != NULL;
    }
    return is_whole ? journey : NULL;
}

static CnStatus begin(CnStepRun* run, CnError* error) {
    CnWorld* world = run->world;
    bool has_loops = false;
    cn_active_change(world); // it writes about all bodies
    CnStatus status = cn_stage_open_books(run, error);
    if (status != CN_OK) {
        return status;
    }
    cn_motion_begin(world, false, 1.0, NULL, NULL);
    CnJourney* journey = run->own = create(run);
    if (journey == NULL || cn_world_find_loops(world, &has_loops) != CN_OK) {
        return cn_error_set(error, CN_NO_MEMORY, "no memory for the stages of %d bodies",
                            world->order.count);
    }
    bool projects = world->def.step.stabilisation == CN_STABILISATION_PROJECTION;
    journey->on_joints = projects && has_loops;
    start_paths(journey);
    set_states(journey, journey->start);
    return CN_OK;
}

static CnStatus correct(CnStepRun* run, CnError* error) {
    CnWorld* world = run->world;
    const CnJourney* journey = run->own;
    CnStatus status = cn_world_correct_positions(world, true, run->report, error);
    cn_rows_clear(&world->correction.rows);
    if (status == CN_OK && journey->on_joints) {
        status = cn_world_relax_velocities(world, NULL, false, run->report, error);
        cn_world_add_late_impulses(world);
    }
    if (status != CN_OK) {
        return status;
    }
    if (run->report->is_graded) {
        cn_acceleration_book_work(journey);
    }
    return cn_step_check_states(world, run->report, error);
}

// The certificate was kept stage by stage; blocks carry the grade and the work of the last one.
static CnStatus grade(CnStepRun* run, CnError* error) {
    CnWorld* world = run->world;
    CnStep* step = &world->step;
    CnSolution solution = {step->rows.impulse, step->velocity};
    CnProblem problem = cn_step_explicit_problem(world);
    if (!cn_array_reserve(&step->block_residual, &world->allocator, problem.block_count) ||
        !cn_array_reserve(&step->block_work, &world->allocator, problem.block_count)) {
        return cn_error_set(error, CN_NO_MEMORY, "no memory to grade a step");
    }
    if (run->report->is_graded) {
        cn_certify(&problem, &solution, step->mean_velocity, step->block_residual.data,
                   &step->certificate);
    }
    for (int i = 0; i < problem.block_count; ++i) {
        step->block_residual.data[i] =
            run->report->is_graded ? step->dt * step->block_residual.data[i] : 0.0;
        step->block_work.data[i] = 0.0;
    }
    step->block_residual.count = step->block_work.count = problem.block_count;
    if (run->report->is_graded) {
        run->worst_turning =
            cn_ledger_add_bodies(world, false, &run->report->energy, &run->report->momentum, NULL);
        cn_ledger_add_stages(world, &run->report->momentum);
    }
    if (cn_acceleration_attribute_work(run->own) != CN_OK ||
        cn_attribution_add_late(world) != CN_OK) {
        return cn_error_set(error, CN_NO_MEMORY, "no memory to attribute momentum");
    }
    return cn_stage_close_books(run, error);
}

// Rows and solve are one look of the integrator.
const CnSchemeTable cn_scheme_acceleration = {
    .step =
        {
            .stage =
                {
                    [CN_STAGE_BEGIN] = begin,
                    [CN_STAGE_CONTACTS] = refuse_contacts,
                    [CN_STAGE_ROWS] = build_rows,
                    [CN_STAGE_SOLVE] = solve,
                    [CN_STAGE_MOVE] = move,
                    [CN_STAGE_CORRECT] = correct,
                    [CN_STAGE_GRADE] = grade,
                    [CN_STAGE_FINISH] = cn_stage_finish,
                },
            .repeats_from = CN_STAGE_ROWS,
        },
};
