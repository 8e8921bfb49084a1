// scheme_acceleration.c - smooth mechanisms: constraint forces from the equation of accelerations.
//
// J M^-1 J^T f = -J M^-1 F - (dJ/dt) v - alpha C - beta dC/dt at every state the integrator asks
// about; docs/theory/acceleration.md. The forces f are found by the same solvers as impulses: a
// problem whose velocities are accelerations.
#include "base/error.h"
#include "base/timer.h"
#include "constraints/certificate.h"
#include "constraints/user_rows.h"
#include "world/contacts.h"
#include "world/correct.h"
#include "world/force.h"
#include "world/ledger.h"
#include "world/loops.h"
#include "world/motion.h"
#include "world/relax.h"
#include "world/rows.h"
#include "world/schemes.h"
#include "world/solve.h"

#include <string.h>

// How far a stop counts as reached [m or rad]: a hundred times what projection leaves of an error,
// so that a taut rope stays taut.
#define CLOSED 1e-9

// A body on its way: spin is the angular velocity in body axes, whose rate has constant inertia.
typedef struct Path {
    CnVec3 center, velocity, spin;
    CnQuat rotation;
} Path;

// What moves a path on, per second.
typedef struct Slope {
    CnVec3 center, velocity, spin;
    CnQuat rotation;
} Slope;

// What the blocks of one user constraint did to its two bodies over the step.
typedef struct Wrench {
    CnVec3 impulse[2]; // world axes [N s]
    CnVec3 moment[2];  // about each centre of mass, axes of the body [N m s]
} Wrench;

typedef struct Journey {
    CnWorld* world;
    CnStepReport* report;
    CnBodyState* states; // where the stage is, as forces and constraints see it   [bodies]
    CnLoad* loads;       // [bodies]
    Path *start, *stage, *end;
    Slope* slopes;    // of the present stage   [bodies]
    Wrench* wrenches; // by slot of the constraint
    bool on_joints;   // stages are put on the constraints
} Journey;

static void set_states(const Journey* journey, const Path* paths) {
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
static void set_bodies(const Journey* journey, const Path* paths) {
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
            a = cn_vec3_add_scaled(world->def.gravity, body->inverse_mass, journey->loads[i].force);
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

// A row that yields has a force already, and only says so.
static void fix_force(double force, int row, CnRows* rows) {
    rows->offset[row] = force;
    rows->lower[row] = rows->upper[row] = force;
}

// A one-sided row that is open and stays open within the step takes no force.
static bool stays_open(const CnRowLimits* limits, double value, double rate, double dt) {
    double sign = limits->role == CN_ROW_PUSHES ? 1.0 : -1.0;
    bool one_sided = limits->role == CN_ROW_PUSHES || limits->role == CN_ROW_PULLS;
    return one_sided && sign * (value + dt * rate) > CLOSED;
}

// docs/theory/acceleration.md (1), (5).
static void set_bounded_row(const CnConstraintKind* kind, const CnRowLimits* limits, double value,
                            double rate, double bias, double dt, int row, CnRows* rows) {
    rows->target[row] = -bias - kind->alpha * value - kind->beta * rate;
    rows->lower[row] = limits->lower;
    rows->upper[row] = limits->upper;
    if (limits->role == CN_ROW_DRIVES) {
        rows->target[row] = -bias - rate / dt;
    } else if (stays_open(limits, value, rate, dt)) {
        rows->target[row] = rows->lower[row] = rows->upper[row] = 0.0;
    }
}

static void set_targets(const CnBoundConstraint* bound, double time, double dt,
                        const CnBlock* block, const CnBlockSource* source, CnRows* rows) {
    const CnUserConstraint* constraint = bound->constraint;
    const CnConstraintKind* kind = constraint->kind;
    double value[CN_MAX_ROWS], rate[CN_MAX_ROWS], bias[CN_MAX_ROWS];
    double force[CN_MAX_ROWS], by_value[CN_MAX_ROWS], by_rate[CN_MAX_ROWS];
    CnRowLimits limits[CN_MAX_ROWS];

    kind->evaluate(bound->a, bound->b, time, constraint->data, value);
    cn_constraint_rate(kind, bound->a, bound->b, time, constraint->data, rate);
    cn_constraint_acceleration_bias(kind, bound->a, bound->b, time, constraint->data, bias);
    cn_world_row_limits(bound, time, limits);
    if (kind->force != NULL) {
        kind->force(value, rate, time, constraint->data, force, by_value, by_rate);
    }
    for (int k = 0; k < block->row_count; ++k) {
        int i = source->rows[k], row = block->first_row + k;
        const CnRowLimits* limit = &limits[i];
        set_bounded_row(kind, limit, value[i], rate[i], bias[i], dt, row, rows);
        if (kind->force != NULL) {
            fix_force(force[i], row, rows);
        } else if (limit->role == CN_ROW_YIELDS) {
            double pull = -limit->stiffness * value[i] - limit->damping * rate[i];
            fix_force(fmin(fmax(pull, limit->lower), limit->upper), row, rows);
        }
    }
}

static CnStatus build_rows(const Journey* journey, double time) {
    CnWorld* world = journey->world;
    CnRows* rows = &world->step.rows;
    cn_rows_clear(rows);
    for (int i = 0; i < cn_pool_slot_count(&world->constraints); ++i) {
        CnBoundConstraint bound;
        CnBlock* block;
        CnStatus status = cn_world_pose_constraint(world, i, journey->states, time, rows, &block);
        if (status != CN_OK) {
            return status;
        }
        if (block != NULL && cn_world_bind_constraint(world, i, journey->states, time, &bound)) {
            const CnBlockSource* source = &rows->sources.data[rows->sources.count - 1];
            set_targets(&bound, time, world->step.dt, block, source, rows);
        }
    }
    world->step.problem = cn_rows_view(rows);
    world->step.problem.body_count = world->order.count;
    world->step.problem.inverse_mass = world->step.inverse_mass;
    world->step.problem.inverse_inertia = (const double(*)[9])world->step.inverse_inertia;
    world->step.problem.free_velocity = (const double(*)[6])world->step.free_velocity;
    return CN_OK;
}

// The residual of a stage is an acceleration; over the step it is worth dt times as much velocity.
static CnStatus solve_stage(const Journey* journey, CnError* error) {
    CnWorld* world = journey->world;
    CnStep* step = &world->step;
    CnStepReport* report = journey->report;
    CnIslandSummary summary;
    CnSolverDef def = world->def.solver;

    def.warm_start = false;
    def.tolerance /= step->dt;
    CnStatus status = cn_world_solve(world, &step->problem, &def, NULL, step->rows.impulse,
                                     step->velocity, &summary, error);
    if (status != CN_OK) {
        return status;
    }
    summary.report.certificate.worst *= step->dt;
    summary.report.certificate.rms *= step->dt;
    report->not_converged += summary.not_converged;
    report->island_count = summary.island_count;
    report->block_count = step->problem.block_count;
    report->row_count = step->problem.row_count;
    if (report->solver.solver == NULL ||
        summary.report.certificate.worst > report->certificate.worst) {
        report->solver = summary.report;
        report->certificate = summary.report.certificate;
    }
    return CN_OK;
}

static void set_slopes(const Journey* journey, const Path* paths) {
    for (int i = 0; i < journey->world->order.count; ++i) {
        const Path* path = &paths[i];
        const double* a = journey->world->step.velocity[i];
        CnQuat half_spin = cn_quat(0.0, 0.5 * path->spin.x, 0.5 * path->spin.y, 0.5 * path->spin.z);
        journey->slopes[i] = (Slope){
            .center = path->velocity,
            .velocity = cn_vec3(a[0], a[1], a[2]),
            .spin = cn_quat_unrotate(path->rotation, cn_vec3(a[3], a[4], a[5])),
            .rotation = cn_quat_multiply(path->rotation, half_spin),
        };
    }
}

static void book_loads(const Journey* journey, const Path* paths, double weight) {
    CnWorld* world = journey->world;
    CnMomentumLedger* momentum = &journey->report->momentum;
    for (int i = 0; i < world->order.count; ++i) {
        const CnBody* body = cn_world_body_by_index(world, i);
        CnMotion* motion = &world->step.motions.data[i];
        if (body->type != CN_BODY_DYNAMIC) {
            continue;
        }
        CnVec3 load = cn_vec3_scale(weight, journey->loads[i].force);
        CnVec3 moment = cn_vec3_scale(weight, journey->loads[i].torque);
        CnVec3 gravity = cn_vec3_scale(weight * body->mass, world->def.gravity);
        CnVec3 spin = paths[i].spin;
        CnVec3 gyration = cn_vec3_cross(cn_mat3_apply(&body->inertia, spin), spin);

        motion->load = cn_vec3_add(motion->load, load);
        motion->load_moment =
            cn_vec3_add(motion->load_moment, cn_quat_unrotate(paths[i].rotation, moment));
        motion->gyration = cn_vec3_add_scaled(motion->gyration, weight, gyration);
        cn_ledger_add_load(momentum, paths[i].center, gravity, load, moment);
    }
}

static void book_side(const Journey* journey, const Path* paths, int index, bool internal,
                      const double jacobian[6], double p, CnVec3* impulse, CnVec3* moment) {
    if (index < 0) {
        return;
    }
    CnVec3 push = cn_vec3(p * jacobian[0], p * jacobian[1], p * jacobian[2]);
    CnVec3 turn = cn_vec3(p * jacobian[3], p * jacobian[4], p * jacobian[5]);
    *impulse = cn_vec3_add(*impulse, push);
    *moment = cn_vec3_add(*moment, cn_quat_unrotate(paths[index].rotation, turn));
    if (cn_world_body_by_index(journey->world, index)->type == CN_BODY_DYNAMIC) {
        cn_ledger_add_wrench(&journey->report->momentum, paths[index].center, push, turn, internal);
    }
}

static bool is_dynamic(const CnWorld* world, int index) {
    return index >= 0 && cn_world_body_by_index(world, index)->type == CN_BODY_DYNAMIC;
}

static void book_constraints(const Journey* journey, const Path* paths, double weight) {
    CnWorld* world = journey->world;
    const CnRows* rows = &world->step.rows;
    for (int i = 0; i < rows->blocks.count; ++i) {
        const CnBlock* block = &rows->blocks.data[i];
        const CnBlockSource* source = &rows->sources.data[i];
        Wrench* wrench = &journey->wrenches[source->constraint];
        CnUserConstraint* constraint = cn_pool_at(&world->constraints, source->constraint);
        bool internal = cn_ledger_is_internal(world, block, source);
        for (int k = 0; k < block->row_count; ++k) {
            int row = block->first_row + k;
            double p = weight * rows->impulse[row];
            constraint->impulse[source->rows[k]] += p;
            book_side(journey, paths, block->body_a, internal, rows->jacobian_a[row], p,
                      &wrench->impulse[0], &wrench->moment[0]);
            book_side(journey, paths, block->body_b, internal, rows->jacobian_b[row], p,
                      &wrench->impulse[1], &wrench->moment[1]);
        }
    }
}

// One look at the equations: slopes at the given paths and time, booked with a weight [s].
static CnStatus look(const Journey* journey, const Path* paths, double time, double weight,
                     CnError* error) {
    set_states(journey, paths);
    cn_world_loads(journey->world, journey->states, time, journey->loads);
    set_bodies(journey, paths);
    CnStatus status = build_rows(journey, time);
    if (status != CN_OK) {
        return cn_error_set(error, status, "no memory to pose a stage");
    }
    status = solve_stage(journey, error);
    if (status == CN_OK) {
        set_slopes(journey, paths);
        book_loads(journey, paths, weight);
        book_constraints(journey, paths, weight);
    }
    return status;
}

static CnQuat add_quat(CnQuat q, double s, CnQuat d) {
    return cn_quat(q.w + s * d.w, q.x + s * d.x, q.y + s * d.y, q.z + s * d.z);
}

// to = from + s slope; rotations are brought back to unit length when `finished`.
static void move_paths(const Journey* journey, const Path* from, double s, Path* to,
                       bool finished) {
    for (int i = 0; i < journey->world->order.count; ++i) {
        const Slope* slope = &journey->slopes[i];
        to[i] = (Path){
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
static CnStatus hold(const Journey* journey, double time, Path* paths, CnError* error) {
    CnWorld* world = journey->world;
    bool moved;
    if (!journey->on_joints) {
        return CN_OK;
    }
    set_states(journey, paths);
    CnStatus status = cn_world_correct_ahead(world, time, journey->states, &moved, error);
    for (int i = 0; i < world->order.count; ++i) { // spins stay as they are in body axes
        CnBodyState* state = &journey->states[i];
        state->angular_velocity = cn_quat_rotate(state->rotation, paths[i].spin);
    }
    if (status == CN_OK) {
        status = cn_world_relax_states(world, time, journey->states,
                                       &journey->report->not_converged, error);
    }
    for (int i = 0; status == CN_OK && i < world->order.count; ++i) {
        const CnBodyState* state = &journey->states[i];
        paths[i] = (Path){
            .center = state->center,
            .velocity = state->velocity,
            .spin = cn_quat_unrotate(state->rotation, state->angular_velocity),
            .rotation = state->rotation,
        };
    }
    return status;
}

static CnStatus runge_kutta(const Journey* journey, CnError* error) {
    static const struct {
        double at;     // where the stage looks, share of the step
        double weight; // in the mean slope
    } stages[] = {{0.0, 1.0 / 6.0}, {0.5, 1.0 / 3.0}, {0.5, 1.0 / 3.0}, {1.0, 1.0 / 6.0}};
    const CnStep* step = &journey->world->step;
    size_t bytes = (size_t)journey->world->order.count * sizeof(Path);

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
static CnStatus semi_implicit_euler(const Journey* journey, CnError* error) {
    const CnStep* step = &journey->world->step;
    CnStatus status = look(journey, journey->start, step->time, step->dt, error);
    if (status != CN_OK) {
        return status;
    }
    for (int i = 0; i < journey->world->order.count; ++i) {
        const Slope* slope = &journey->slopes[i];
        Path* end = &journey->end[i];
        *end = journey->start[i];
        end->velocity = cn_vec3_add_scaled(end->velocity, step->dt, slope->velocity);
        end->spin = cn_vec3_add_scaled(end->spin, step->dt, slope->spin);
        end->center = cn_vec3_add_scaled(end->center, step->dt, end->velocity);
        CnQuat turn = cn_quat_exp(cn_vec3_scale(step->dt, end->spin));
        end->rotation = cn_quat_normalize(cn_quat_multiply(end->rotation, turn));
    }
    return CN_OK;
}

static void start_paths(const Journey* journey) {
    CnWorld* world = journey->world;
    for (int i = 0; i < world->order.count; ++i) {
        const CnMotion* motion = &world->step.motions.data[i];
        journey->start[i] = (Path){
            .center = motion->start_center,
            .velocity = motion->start_velocity,
            .spin = motion->start_spin,
            .rotation = motion->start_rotation,
        };
    }
    for (int i = 0; i < cn_pool_slot_count(&world->constraints); ++i) {
        CnUserConstraint* constraint = cn_pool_at(&world->constraints, i);
        if (constraint != NULL) {
            memset(constraint->impulse, 0, sizeof constraint->impulse);
        }
    }
}

static void arrive(const Journey* journey) {
    CnWorld* world = journey->world;
    for (int i = 0; i < world->order.count; ++i) {
        CnBody* body = cn_world_body_by_index(world, i);
        CnMotion* motion = &world->step.motions.data[i];
        const Path* end = &journey->end[i];
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
        motion->end_spin = end->spin;
    }
}

// Contacts are not smooth: a scene that has touching bodies is refused rather than let through.
static CnStatus refuse_contacts(CnWorld* world, const CnBodyState* states, CnError* error) {
    CnContactArray* contacts = &world->step.contacts;
    CnStatus status = cn_world_collect_contacts(world, states, 0.0, contacts);
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
    contacts->count = 0;
    return CN_OK;
}

static bool reserve(Journey* journey, CnArena* arena) {
    int count = journey->world->order.count;
    journey->states = CN_ARENA_NEW(arena, CnBodyState, count);
    journey->loads = CN_ARENA_NEW(arena, CnLoad, count);
    journey->start = CN_ARENA_NEW(arena, Path, count);
    journey->stage = CN_ARENA_NEW(arena, Path, count);
    journey->end = CN_ARENA_NEW(arena, Path, count);
    journey->slopes = CN_ARENA_NEW(arena, Slope, count);
    journey->wrenches =
        CN_ARENA_NEW(arena, Wrench, cn_pool_slot_count(&journey->world->constraints));
    return journey->states != NULL && journey->loads != NULL && journey->start != NULL &&
           journey->stage != NULL && journey->end != NULL && journey->slopes != NULL &&
           journey->wrenches != NULL;
}

static double side_work(const CnWorld* world, int index, const Wrench* wrench, int side) {
    if (index < 0) {
        return 0.0;
    }
    const CnMotion* motion = &world->step.motions.data[index];
    const CnBody* body = cn_world_body_by_index(world, index);
    CnVec3 v = cn_vec3_add(motion->start_velocity, body->state.velocity);
    CnVec3 spin = cn_vec3_add(motion->start_spin, motion->end_spin);
    return 0.5 * (cn_vec3_dot(v, wrench->impulse[side]) + cn_vec3_dot(spin, wrench->moment[side]));
}

static void book_work(const Journey* journey) {
    CnWorld* world = journey->world;
    CnEnergyLedger* energy = &journey->report->energy;
    for (int i = 0; i < cn_pool_slot_count(&world->constraints); ++i) {
        const CnUserConstraint* constraint = cn_pool_at(&world->constraints, i);
        if (constraint == NULL) {
            continue;
        }
        int bodies[2] = {cn_world_body_index(world, constraint->body_a),
                         cn_world_body_index(world, constraint->body_b)};
        for (int side = 0; side < 2; ++side) {
            double work = side_work(world, bodies[side], &journey->wrenches[i], side);
            cn_ledger_add_work(energy, CN_WORK_CONSTRAINT, work);
            if (bodies[side] >= 0 && !is_dynamic(world, bodies[side])) {
                cn_ledger_add_work(energy, CN_WORK_DRIVE, -work);
            }
        }
    }
}

static CnStatus travel(Journey* journey, CnError* error) {
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
        book_work(journey);
    }
    cn_stage_end(journey->report, CN_STAGE_CORRECT, &clock);
    return status;
}

static CnStatus advance(CnWorld* world, CnStepReport* report, CnError* error) {
    CnArenaMark mark = cn_arena_mark(&world->arena);
    Journey journey = {.world = world, .report = report};
    CnStatus status = CN_NO_MEMORY;

    cn_ledger_open(world, &report->energy, &report->momentum);
    cn_motion_begin(world, false);
    if (reserve(&journey, &world->arena)) {
        bool projects = world->def.step.stabilisation == CN_STABILISATION_PROJECTION;
        journey.on_joints = projects && cn_world_has_loops(world);
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
    CnCertificate last;
    cn_certify(&step->problem, &solution, step->mean_velocity, step->block_residual.data, &last);
    for (int i = 0; i < step->problem.block_count; ++i) {
        step->block_residual.data[i] *= step->dt;
        step->block_work.data[i] = 0.0;
    }
    cn_ledger_add_stages(world, &report->energy, &report->momentum);
    return CN_OK;
}

const CnSchemeTable cn_scheme_acceleration = {advance, NULL, account, false};
