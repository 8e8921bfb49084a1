// correct.c - position errors of a step: measured, and put back where asked.
//
// The correction is a problem like any other, one level down: unknown displacements dq instead of
// velocities, rows that ask J dq = -C (constraints) and gap + J dq >= 0 (contacts, no friction),
// nearest in the mass metric. Velocities in body axes stay as they are, so kinetic energy does too.
// docs/theory/stabilisation.md.
#include "world/correct.h"

#include "base/error.h"
#include "world/contacts.h"
#include "world/rows.h"
#include "world/solve.h"

#include <string.h>

// Errors below this are left alone: fifty times the round-off of coordinates of a kilometre.
#define POSITION_TOLERANCE 1e-11 // [m or rad]

// Newton's steps for the curvature of the rows; three suffice near the solution, and a full step
// that does not halve the error ends the attempt. Shortened ones creep: they have more.
#define MAX_PASSES 100

// A step is halved at most so often.
#define MAX_HALVINGS 8

// Overlaps that constraints forbid to open have no answer: the solver may look this long, not more.
#define MAX_ITERATIONS 1000

// Whose errors are put back, and when.
typedef struct Instant {
    double time;
    bool ahead; // at the poses of the problem, where contacts and stops are still to be met: of the
                // constraints only those that keep; else all, at the end of the step
} Instant;

typedef struct Errors {
    double penetration; // deepest overlap of all contacts [m]
    double joint;       // largest constraint error of rows in metres [m]
    double angle;       // idem, of rows in radians [rad]
    double pending;     // largest error a correction would address
} Errors;

// A contact that flies apart has no need of help, and pushing it would add energy to a bounce.
static bool is_leaving(const CnWorld* world, const CnContact* contact, const CnBodyState* states) {
    return cn_contact_normal_velocity(contact, states) > world->def.step.restitution_threshold;
}

static bool keeps_position(Instant instant, CnRowRole role) {
    return role == CN_ROW_KEEPS ||
           (!instant.ahead && (role == CN_ROW_PUSHES || role == CN_ROW_PULLS));
}

// One-sided constraints err on one side only; drives and springs have no position to keep.
static double row_error(Instant instant, double value, CnRowRole role) {
    if (!keeps_position(instant, role)) {
        return 0.0;
    }
    return role == CN_ROW_PUSHES  ? fmin(value, 0.0)
           : role == CN_ROW_PULLS ? fmax(value, 0.0)
                                  : value;
}

static void measure_constraints(CnWorld* world, const CnBodyState* states, Instant instant,
                                Errors* errors) {
    for (int i = 0; i < cn_pool_slot_count(&world->constraints); ++i) {
        CnBoundConstraint bound;
        CnRowLimits limits[CN_MAX_ROWS];
        CnUserConstraint* constraint = cn_pool_at(&world->constraints, i);
        if (constraint == NULL) {
            continue;
        }
        memset(constraint->value, 0, sizeof constraint->value);
        if (!cn_world_bind_constraint(world, i, states, instant.time, &bound)) {
            continue;
        }
        constraint->kind->evaluate(bound.a, bound.b, instant.time, constraint->data,
                                   constraint->value);
        cn_world_row_limits(&bound, instant.time, limits);
        for (int k = 0; k < constraint->kind->dimension; ++k) {
            double size = fabs(row_error(instant, constraint->value[k], limits[k].role));
            bool angular = (constraint->kind->angular_rows >> k & 1u) != 0;
            double* worst = angular ? &errors->angle : &errors->joint;
            *worst = fmax(*worst, size);
        }
    }
}

static CnStatus measure(CnWorld* world, const CnBodyState* states, Instant instant,
                        Errors* errors) {
    CnContactArray* contacts = &world->correction.contacts;
    *errors = (Errors){0};
    contacts->count = 0;
    CnStatus status =
        instant.ahead ? CN_OK : cn_world_collect_contacts(world, states, 0.0, contacts);
    if (status != CN_OK) {
        return status;
    }
    for (int i = 0; i < contacts->count; ++i) {
        double depth = -contacts->data[i].gap;
        errors->penetration = fmax(errors->penetration, depth);
        if (!is_leaving(world, &contacts->data[i], states)) {
            errors->pending = fmax(errors->pending, depth);
        }
    }
    measure_constraints(world, states, instant, errors);
    errors->pending = fmax(errors->pending, fmax(errors->joint, errors->angle));
    return CN_OK;
}

// How far a row should move: all of the error for a projection, a limited share for split impulses.
static double wanted(const CnWorld* world, double error) {
    const CnStepDef* step = &world->def.step;
    if (step->stabilisation == CN_STABILISATION_PROJECTION) {
        return -error;
    }
    double limit = step->max_correction;
    return -fmax(-limit, fmin(limit, step->error_reduction * error));
}

// Contacts that do not overlap take part too, so that a correction does not press into them.
static double wanted_gap(const CnWorld* world, double gap) {
    const CnStepDef* step = &world->def.step;
    double slop = step->stabilisation == CN_STABILISATION_PROJECTION ? 0.0 : step->slop;
    double error = gap + slop;
    return error < 0.0 ? wanted(world, error) : -error;
}

static CnStatus pose_contacts(CnWorld* world, const CnBodyState* states) {
    CnRows* rows = &world->correction.rows;
    const CnContactArray* contacts = &world->correction.contacts;
    for (int i = 0; i < contacts->count; ++i) {
        const CnContact* contact = &contacts->data[i];
        if (is_leaving(world, contact, states)) {
            continue;
        }
        const CnBlock* block = cn_world_pose_contact(world, i, contact, states, false, rows);
        if (block == NULL) {
            return CN_NO_MEMORY;
        }
        rows->target[block->first_row] = wanted_gap(world, contact->gap);
    }
    return CN_OK;
}

static CnStatus pose_constraints(CnWorld* world, const CnBodyState* states, Instant instant) {
    double time = instant.time;
    CnRows* rows = &world->correction.rows;
    for (int i = 0; i < cn_pool_slot_count(&world->constraints); ++i) {
        CnBlock* block;
        CnBoundConstraint bound;
        CnRowLimits limits[CN_MAX_ROWS];
        const CnUserConstraint* constraint = cn_pool_at(&world->constraints, i);
        if (constraint == NULL || constraint->kind->force != NULL) {
            continue;
        }
        CnStatus status = cn_world_pose_constraint(world, i, states, time, rows, &block);
        if (status != CN_OK) {
            return status;
        }
        if (block == NULL || !cn_world_bind_constraint(world, i, states, time, &bound)) {
            continue;
        }
        const CnBlockSource* source = &rows->sources.data[rows->sources.count - 1];
        cn_world_row_limits(&bound, time, limits);
        for (int k = 0; k < block->row_count; ++k) {
            int row = block->first_row + k, own = source->rows[k];
            double value = bound.constraint->value[own];
            bool idle = !keeps_position(instant, limits[own].role);
            rows->target[row] = idle ? 0.0 : wanted(world, value);
            rows->lower[row] = idle ? 0.0 : limits[own].lower;
            rows->upper[row] = idle ? 0.0 : limits[own].upper;
        }
    }
    return CN_OK;
}

void cn_world_pose_correction(CnWorld* world, const CnBodyState* states) {
    CnProblem* problem = &world->correction.problem;
    for (int i = 0; i < world->order.count; ++i) {
        const CnBody* body = cn_world_body_by_index(world, i);
        CnMat3 rotation = cn_mat3_from_quat(states[i].rotation);
        CnMat3 inverse = cn_mat3_rotate_tensor(&rotation, &body->inverse_inertia);
        memcpy(world->correction.inverse_inertia[i], inverse.m, 9 * sizeof(double));
    }
    *problem = cn_rows_view(&world->correction.rows);
    problem->body_count = world->order.count;
    problem->inverse_mass = world->step.inverse_mass;
    problem->inverse_inertia = (const double(*)[9])world->correction.inverse_inertia;
    problem->free_velocity = (const double(*)[6])world->correction.free_velocity;
}

// From the given states by a share of the displacements. Velocities stay as they are in body axes.
static void displace(const CnWorld* world, const CnBodyState* from, double share, Instant instant,
                     CnBodyState* to) {
    for (int i = 0; i < world->order.count; ++i) {
        const CnMotion* motion = &world->step.motions.data[i];
        const double* d = world->correction.displacement[i];
        to[i] = from[i];
        if (cn_world_body_by_index(world, i)->type != CN_BODY_DYNAMIC) {
            continue;
        }
        CnQuat turn = cn_quat_exp(cn_vec3_scale(share, cn_vec3(d[3], d[4], d[5])));
        CnVec3 way = cn_vec3_scale(share, cn_vec3(d[0], d[1], d[2]));
        to[i].center = cn_vec3_add(from[i].center, way);
        to[i].rotation = cn_quat_normalize(cn_quat_multiply(turn, from[i].rotation));
        to[i].angular_velocity =
            cn_quat_rotate(to[i].rotation, instant.ahead ? motion->ahead_spin : motion->end_spin);
    }
}

// Every body counts as 1 kg with the radii of gyration it has: stabilisation.md (6).
static CnStatus even_masses(CnWorld* world) {
    double* even = CN_ARENA_NEW(&world->arena, double, world->order.count);
    for (int i = 0; even != NULL && i < world->order.count; ++i) {
        double inverse = world->step.inverse_mass[i];
        even[i] = inverse > 0.0 ? 1.0 : 0.0;
        for (int k = 0; inverse > 0.0 && k < 9; ++k) {
            world->correction.inverse_inertia[i][k] /= inverse;
        }
    }
    world->correction.problem.inverse_mass = even;
    return even != NULL ? CN_OK : CN_NO_MEMORY;
}

// Solves for the displacements.
static CnStatus find_displacements(CnWorld* world, const CnBodyState* states, Instant instant,
                                   bool even, CnError* error) {
    CnSolverDef def = cn_solver_def_default();
    CnIslandSummary summary;

    def.tolerance = POSITION_TOLERANCE;
    def.warm_start = false;
    def.max_iterations = MAX_ITERATIONS;
    cn_rows_clear(&world->correction.rows);
    CnStatus status = pose_contacts(world, states);
    if (status == CN_OK) {
        status = pose_constraints(world, states, instant);
    }
    if (status != CN_OK) {
        return cn_error_set(error, status, "no memory to correct positions");
    }
    for (int i = 0; i < world->order.count; ++i) { // nothing moves unless a row asks
        memset(world->correction.free_velocity[i], 0, 6 * sizeof(double));
    }
    cn_world_pose_correction(world, states);
    CnArenaMark mark = cn_arena_mark(&world->arena);
    if (even && even_masses(world) != CN_OK) {
        return cn_error_set(error, CN_NO_MEMORY, "no memory to correct positions");
    }
    status = cn_world_solve(world, &world->correction.problem, &def, NULL,
                            world->correction.rows.impulse, world->correction.displacement,
                            &summary, error);
    cn_arena_release(&world->arena, mark);
    return status;
}

// A taut light chain with a heavy ball is shortened most cheaply by turning its links far, farther
// than rows are straight: docs/theory/stabilisation.md (5). The step is halved until the
// constraints gain half of what straight rows would. Returns the share that was taken, to `trial`.
static double search(CnWorld* world, const CnBodyState* states, Instant instant,
                     const Errors* before, CnBodyState* trial) {
    double error = fmax(before->joint, before->angle);
    double share = 1.0;
    for (int i = 0;; ++i) {
        Errors after = {0};
        displace(world, states, share, instant, trial);
        if (error <= POSITION_TOLERANCE || i == MAX_HALVINGS) {
            return share;
        }
        measure_constraints(world, trial, instant, &after);
        if (fmax(after.joint, after.angle) <= (1.0 - 0.5 * share) * error) {
            return share;
        }
        share *= 0.5;
    }
}

static int pass_limit(const CnWorld* world) {
    switch (world->def.step.stabilisation) {
    case CN_STABILISATION_PROJECTION:
        return MAX_PASSES;
    case CN_STABILISATION_SPLIT_IMPULSE:
        return 1;
    default:
        return 0;
    }
}

// trial is scratch   [order.count]
static CnStatus correct(CnWorld* world, int limit, Instant instant, CnBodyState* states,
                        CnBodyState* trial, Errors* errors, CnError* error) {
    double before = INFINITY;
    bool even = false;

    for (int pass = 0;; ++pass) {
        CnStatus status = measure(world, states, instant, errors);
        if (status != CN_OK) {
            return cn_error_set(error, status, "no memory to measure position errors");
        }
        bool gains = errors->pending < (even ? 1.0 : 0.5) * before;
        if (pass == limit || errors->pending <= POSITION_TOLERANCE || !gains) {
            return CN_OK;
        }
        before = errors->pending;
        status = find_displacements(world, states, instant, even, error);
        if (status != CN_OK) {
            return status;
        }
        even = search(world, states, instant, errors, trial) < 1.0;
        memcpy(states, trial, (size_t)world->order.count * sizeof *states);
    }
}

static CnStatus correct_at_most(CnWorld* world, int limit, CnStepReport* report, CnError* error) {
    CnArenaMark mark = cn_arena_mark(&world->arena);
    CnBodyState* states = CN_ARENA_NEW(&world->arena, CnBodyState, world->order.count);
    CnBodyState* trial = CN_ARENA_NEW(&world->arena, CnBodyState, world->order.count);
    Instant end = {.time = world->step.time + world->step.dt};
    Errors errors = {0};
    CnStatus status = CN_NO_MEMORY;

    if (states == NULL || trial == NULL) {
        cn_error_set(error, status, "no memory to correct positions");
    } else {
        for (int i = 0; i < world->order.count; ++i) {
            states[i] = cn_world_body_by_index(world, i)->state;
        }
        status = correct(world, limit, end, states, trial, &errors, error);
        for (int i = 0; i < world->order.count; ++i) {
            cn_world_body_by_index(world, i)->state = states[i];
        }
    }
    report->penetration = errors.penetration;
    report->joint_error = errors.joint;
    report->joint_angle_error = errors.angle;
    cn_arena_release(&world->arena, mark);
    return status;
}

CnStatus cn_world_correct_ahead(CnWorld* world, double time, CnBodyState* states, bool* moved,
                                CnError* error) {
    *moved = false;
    if (world->constraints.count == 0 ||
        world->def.step.stabilisation != CN_STABILISATION_PROJECTION) {
        return CN_OK;
    }
    CnArenaMark mark = cn_arena_mark(&world->arena);
    size_t count = (size_t)world->order.count;
    CnBodyState* kept = CN_ARENA_NEW(&world->arena, CnBodyState, world->order.count);
    CnBodyState* trial = CN_ARENA_NEW(&world->arena, CnBodyState, world->order.count);
    Instant instant = {.time = time, .ahead = true};
    Errors errors;
    CnStatus status = CN_NO_MEMORY;

    if (kept == NULL || trial == NULL) {
        cn_error_set(error, status, "no memory to correct positions");
    } else {
        memcpy(kept, states, count * sizeof *states);
        for (int i = 0; i < world->order.count; ++i) { // the step's problem is still to be posed
            world->step.inverse_mass[i] = cn_world_body_by_index(world, i)->inverse_mass;
        }
        status = correct(world, MAX_PASSES, instant, states, trial, &errors, error);
        *moved = status == CN_OK && errors.pending <= POSITION_TOLERANCE &&
                 memcmp(states, kept, count * sizeof *states) != 0;
    }
    if (status == CN_OK && !*moved) {
        memcpy(states, kept, count * sizeof *states);
    }
    cn_arena_release(&world->arena, mark);
    return status;
}

CnStatus cn_world_correct_positions(CnWorld* world, CnStepReport* report, CnError* error) {
    return correct_at_most(world, pass_limit(world), report, error);
}

CnStatus cn_world_measure_positions(CnWorld* world, CnStepReport* report, CnError* error) {
    return correct_at_most(world, 0, report, error);
}
