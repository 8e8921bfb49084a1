// scheme_acceleration.c - smooth mechanisms: constraint forces from the equation of accelerations.
//
// J M^-1 J^T f = -J M^-1 F - (dJ/dt) v - alpha C - beta dC/dt at every state the integrator asks
// about; docs/theory/acceleration.md. The forces f are found by the same solvers as impulses: a
// problem whose velocities are accelerations.
#include "base/error.h"
#include "base/timer.h"
#include "constraints/problem/certificate.h"
#include "world/bodies/motion.h"
#include "world/constraints/loops.h"
#include "world/contacts/contacts.h"
#include "world/correct/correct.h"
#include "world/correct/relax.h"
#include "world/schemes/acceleration.h"
#include "world/schemes/schemes.h"
#include "world/step/ledger.h"
#include "world/step/rows.h"
#include "world/step/solve.h"
#include "world/step/solve_step.h"

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
        CnMat3 inverse = cn_mat3_rotate_tensor(&rotation, &body->inverse_inertia);
        CnVec3 a = {0.0, 0.0, 0.0}, turning = {0.0, 0.0, 0.0};
        if (body->type == CN_BODY_DYNAMIC) {
            CnVec3 torque = cn_quat_unrotate(paths[i].rotation, journey->loads[i].torque);
            CnVec3 spin = paths[i].spin;
            CnVec3 gyration = cn_vec3_cross(cn_mat3_apply(&body->inertia, spin), spin);
            a = cn_vec3_add_scaled(cn_body_gravity(world, body), body->inverse_mass,
                                   journey->loads[i].force);
            turning =
                cn_quat_rotate(paths[i].rotation, cn_mat3_apply(&body->inverse_inertia,
                                                                cn_vec3_add(torque, gyration)));
        }
        double free_acceleration[6] = {a.x, a.y, a.z, turning.x, turning.y, turning.z};
        step->inverse_mass[i] = body->inverse_mass;
        memcpy(step->inverse_inertia[i], inverse.m, sizeof step->inverse_inertia[i]);
        memcpy(step->free_velocity[i], free_acceleration, sizeof free_acceleration);
    }
}

// The residual of a stage is an acceleration; over the step it is worth dt times as much velocity.
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
    summary.report.certificate.worst *= step->dt;
    summary.report.certificate.rms *= step->dt;
    report->not_converged += summary.not_converged;
    report->out_of_budget += summary.out_of_budget;
    report->work += summary.work;
    report->island_count = summary.island_count;
    report->block_count = problem.block_count;
    report->row_count = problem.row_count;
    if (report->solver.solver == NULL ||
        summary.report.certificate.worst > report->certificate.worst) {
        report->solver = summary.report;
        report->certificate = summary.report.certificate;
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

// One look at the equations: slopes at the given paths and time, booked with a weight [s].
static CnStatus look(const CnJourney* journey, const CnPath* paths, double time, double weight,
                     CnError* error) {
    set_states(journey, paths);
    cn_world_loads(journey->world, journey->states, time, journey->loads);
    set_bodies(journey, paths);
    CnStatus status = cn_acceleration_build_rows(journey, time);
    if (status != CN_OK) {
        return cn_error_set(error, status, "no memory to pose a stage");
    }
    status = solve_stage(journey, weight / journey->world->step.dt, error);
    if (status == CN_OK) {
        set_slopes(journey, paths);
        cn_acceleration_book_loads(journey, paths, weight);
        cn_acceleration_book_constraints(journey, paths, weight);
    }
    return status;
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

static CnStatus runge_kutta(const CnJourney* journey, CnError* error) {
    static const struct {
        double at;     // where the stage looks, share of the step
        double weight; // in the mean slope
    } stages[] = {{0.0, 1.0 / 6.0}, {0.5, 1.0 / 3.0}, {0.5, 1.0 / 3.0}, {1.0, 1.0 / 6.0}};
    const CnStep* step = &journey->world->step;
    size_t bytes = (size_t)journey->world->order.count * sizeof(CnPath);

    memcpy(journey->stage, journey->start, bytes);
    memcpy(journey->end, journey->start, bytes);
    for (int i = 0; i < 4; ++i) {
        double weight = stages[i].weight * step->dt;
        CnStatus status =
            look(journey, journey->stage, step->time + stages[i].at * step->dt, weight, error);
        if (status != CN_OK) {
            return status;
        }
        move_paths(journey, journey->end, weight, journey->end, i == 3);
        if (i < 3) {
            double ahead = stages[i + 1].at * step->dt;
            move_paths(journey, journey->start, ahead, journey->stage, true);
            status = hold(journey, step->time + ahead, journey->stage, error);
        }
        if (status != CN_OK) {
            return status;
        }
    }
    return CN_OK;
}

// Velocities first, then positions with the new velocities.
static CnStatus semi_implicit_euler(const CnJourney* journey, CnError* error) {
    const CnStep* step = &journey->world->step;
    CnStatus status = look(journey, journey->start, step->time, step->dt, error);
    if (status != CN_OK) {
        return status;
    }
    for (int i = 0; i < journey->world->order.count; ++i) {
        const CnSlope* slope = &journey->slopes[i];
        CnPath* end = &journey->end[i];
        *end = journey->start[i];
        end->velocity = cn_vec3_add_scaled(end->velocity, step->dt, slope->velocity);
        end->spin = cn_vec3_add_scaled(end->spin, step->dt, slope->spin);
        end->center = cn_vec3_add_scaled(end->center, step->dt, end->velocity);
        CnQuat turn = cn_quat_exp(cn_vec3_scale(step->dt, end->spin));
        end->rotation = cn_quat_normalize(cn_quat_multiply(end->rotation, turn));
    }
    return CN_OK;
}

static void start_paths(const CnJourney* journey) {
    CnWorld* world = journey->world;
    for (int i = 0; i < world->order.count; ++i) {
        const CnMotion* motion = &world->step.motions.data[i];
        journey->start[i] = (CnPath){
            .center = motion->start_center,
            .velocity = motion->start_velocity,
            .spin = motion->start_spin,
            .rotation = motion->start_rotation,
        };
    }
}

static void arrive(const CnJourney* journey) {
    CnWorld* world = journey->world;
    for (int i = 0; i < world->order.count; ++i) {
        CnBody* body = cn_world_body_by_index(world, i);
        CnMotion* motion = &world->step.motions.data[i];
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
        motion->end_center = end->center;
        motion->end_rotation = end->rotation;
        motion->end_velocity = end->velocity;
        motion->end_spin = motion->final_spin = end->spin;
        motion->mean_spin = cn_vec3_scale(0.5, cn_vec3_add(motion->start_spin, end->spin));
        motion->turning_work = cn_vec3_dot(motion->mean_spin, motion->gyration);
    }
}

// Contacts are not smooth: a scene that has touching bodies is refused rather than let through.
static CnStatus refuse_contacts(CnWorld* world, const CnBodyState* states, CnError* error) {
    CnContactArray* contacts = &world->correction.contacts;
    CnStatus status = cn_world_collect_contacts(world, states, 0.0, NULL, contacts);
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

static bool reserve(CnJourney* journey, CnArena* arena) {
    int count = journey->world->order.count;
    journey->states = CN_ARENA_NEW(arena, CnBodyState, count);
    journey->loads = CN_ARENA_NEW(arena, CnLoad, count);
    journey->start = CN_ARENA_NEW(arena, CnPath, count);
    journey->stage = CN_ARENA_NEW(arena, CnPath, count);
    journey->end = CN_ARENA_NEW(arena, CnPath, count);
    journey->slopes = CN_ARENA_NEW(arena, CnSlope, count);
    journey->wrenches =
        CN_ARENA_NEW(arena, CnWrench, cn_pool_slot_count(&journey->world->constraints));
    return journey->states != NULL && journey->loads != NULL && journey->start != NULL &&
           journey->stage != NULL && journey->end != NULL && journey->slopes != NULL &&
           journey->wrenches != NULL;
}

static CnStatus travel(CnJourney* journey, CnError* error) {
    CnWorld* world = journey->world;
    double clock = cn_timer_now();

    start_paths(journey);
    set_states(journey, journey->start);
    CnStatus status = refuse_contacts(world, journey->states, error);
    cn_stage_end(journey->report, CN_STAGE_CONTACTS, &clock);
    if (status == CN_OK) {
        status = world->def.step.integrator == CN_INTEGRATOR_RK4
                     ? runge_kutta(journey, error)
                     : semi_implicit_euler(journey, error);
    }
    cn_stage_end(journey->report, CN_STAGE_SOLVE, &clock);
    if (status == CN_OK) {
        arrive(journey);
        status = cn_world_correct_positions(world, journey->report, error);
        cn_rows_clear(&world->correction.rows);
    }
    if (status == CN_OK && journey->on_joints) {
        status = cn_world_relax_velocities(world, false, journey->report, error);
        cn_world_add_constraint_impulses(world, &world->correction.rows);
    }
    if (status == CN_OK) {
        cn_acceleration_book_work(journey);
    }
    cn_stage_end(journey->report, CN_STAGE_CORRECT, &clock);
    return status;
}

static CnStatus advance(CnWorld* world, CnStepReport* report, CnError* error) {
    CnArenaMark mark = cn_arena_mark(&world->arena);
    CnJourney journey = {.world = world, .report = report};
    bool has_loops = false;
    CnStatus status = CN_NO_MEMORY;

    cn_ledger_open(world, &report->energy, &report->momentum);
    cn_motion_begin(world, false);
    if (reserve(&journey, &world->arena)) {
        status = cn_world_find_loops(world, &has_loops);
    }
    if (status == CN_OK) {
        bool projects = world->def.step.stabilisation == CN_STABILISATION_PROJECTION;
        journey.on_joints = projects && has_loops;
        status = travel(&journey, error);
    } else {
        cn_error_set(error, status, "no memory for the stages of %d bodies", world->order.count);
    }
    cn_arena_release(&world->arena, mark);
    return status;
}

// The certificate was kept stage by stage; blocks carry the grade and the work of the last one.
static CnStatus account(CnWorld* world, CnStepReport* report) {
    CnStep* step = &world->step;
    CnSolution solution = {step->rows.impulse, step->velocity};
    CnProblem problem = cn_step_explicit_problem(world);
    if (!cn_array_reserve(&step->block_residual, &world->allocator, problem.block_count) ||
        !cn_array_reserve(&step->block_work, &world->allocator, problem.block_count)) {
        return CN_NO_MEMORY;
    }
    cn_certify(&problem, &solution, step->mean_velocity, step->block_residual.data,
               &step->certificate);
    for (int i = 0; i < problem.block_count; ++i) {
        step->block_residual.data[i] *= step->dt;
        step->block_work.data[i] = 0.0;
    }
    step->block_residual.count = step->block_work.count = problem.block_count;
    cn_ledger_add_stages(world, &report->energy, &report->momentum);
    return CN_OK;
}

const CnSchemeTable cn_scheme_acceleration = {advance, NULL, account, false};
