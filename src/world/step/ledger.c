// ledger.c - where energy and momentum went in a step: docs/theory/ledger.md.
#include "world/step/ledger.h"

#include "base/tasks.h"

#include "world/bodies/motion.h"
#include "world/contacts/contact_friction.h"
#include "world/contacts/contact_totals.h"
#include "world/contacts/contacts.h"
#include "world/step/solve_step.h"

// What moves slower counts as standing still [m/s]: its energy is that of residuals.
#define STILL 1e-3

// Shares of the kinetic energy of a body: what turning may make of it in a step, and what the
// gyroscopic impulse of an explicit update may add to the spin that rows are solved for. The latter
// is of the order of (|W| h)^2 also where the update is as good as it can be.
#define TURNING_LIMIT 0.01
#define GYRATION_LIMIT 1.0

static CnVec3 spin_momentum(const CnBody* body, CnQuat rotation, CnVec3 spin) {
    return cn_quat_rotate(rotation, cn_mat3_apply(&body->inertia, spin));
}

// Totals of one moment in time; scales take the magnitude of every term.
typedef struct Totals {
    double energy, energy_scale;
    CnEnergyParts parts;
    CnVec3 linear, angular;
    double linear_scale, angular_scale;
} Totals;

static void add_body(Totals* totals, const CnWorld* world, const CnBody* body) {
    const CnBodyState* state = &body->state;
    CnVec3 spin = cn_quat_unrotate(state->rotation, state->angular_velocity);
    CnVec3 p = cn_vec3_scale(body->mass, state->velocity);
    CnVec3 own = spin_momentum(body, state->rotation, spin);
    CnVec3 orbital = cn_vec3_cross(state->center, p);
    double moving = cn_vec3_dot(p, state->velocity);
    double turning = cn_vec3_dot(spin, cn_mat3_apply(&body->inertia, spin));
    double kinetic = 0.5 * (moving + turning);
    double potential = -body->mass * cn_vec3_dot(cn_body_gravity(world, body), state->center);

    totals->energy += kinetic + potential;
    totals->energy_scale += kinetic + fabs(potential);
    totals->parts.linear += 0.5 * moving;
    totals->parts.angular += 0.5 * turning;
    totals->parts.potential += potential;
    totals->linear = cn_vec3_add(totals->linear, p);
    totals->angular = cn_vec3_add(totals->angular, cn_vec3_add(orbital, own));
    totals->linear_scale += cn_vec3_length(p);
    // The parts of a cross product may cancel: round-off is that of the factors.
    totals->angular_scale +=
        cn_vec3_length(state->center) * cn_vec3_length(p) + cn_vec3_length(own);
}

static Totals totals_now(const CnWorld* world) {
    Totals totals = {0};
    CnIndexList moving = cn_active_bodies(world);
    for (int k = 0; k < moving.count; ++k) {
        const CnBody* body = cn_world_body_by_index(world, cn_index_at(&moving, k));
        if (body->type == CN_BODY_DYNAMIC) {
            add_body(&totals, world, body);
        }
    }
    totals.energy += world->active.sleeping_energy;
    totals.parts.potential += world->active.sleeping_energy;
    totals.energy_scale += world->active.sleeping_scale;
    return totals;
}

void cn_ledger_open(const CnWorld* world, CnEnergyLedger* energy, CnMomentumLedger* momentum) {
    Totals totals = totals_now(world);
    *energy = (CnEnergyLedger){
        .start = totals.energy, .start_parts = totals.parts, .scale = totals.energy_scale};
    *momentum = (CnMomentumLedger){
        .linear_start = totals.linear,
        .angular_start = totals.angular,
        .linear_scale = totals.linear_scale,
        .angular_scale = totals.angular_scale,
    };
}

void cn_ledger_add_work(CnEnergyLedger* energy, CnWork account, double work) {
    energy->work[account] += work;
    energy->scale += fabs(work);
}

void cn_ledger_add_wrench(CnMomentumLedger* momentum, CnVec3 center, CnVec3 impulse, CnVec3 moment,
                          bool internal) {
    CnVec3* linear = internal ? &momentum->linear_internal : &momentum->linear_external;
    CnVec3* angular = internal ? &momentum->angular_internal : &momentum->angular_external;
    *linear = cn_vec3_add(*linear, impulse);
    *angular = cn_vec3_add(*angular, cn_vec3_add(moment, cn_vec3_cross(center, impulse)));
    momentum->linear_scale += cn_vec3_length(impulse);
    momentum->angular_scale +=
        cn_vec3_length(moment) + cn_vec3_length(center) * cn_vec3_length(impulse);
}

void cn_ledger_add_load(CnMomentumLedger* momentum, CnVec3 center, CnVec3 gravity, CnVec3 load,
                        CnVec3 moment) {
    CnVec3 carried = cn_vec3_add(cn_vec3_cross(center, load), moment);
    momentum->linear_gravity = cn_vec3_add(momentum->linear_gravity, gravity);
    momentum->linear_loads = cn_vec3_add(momentum->linear_loads, load);
    momentum->angular_gravity =
        cn_vec3_add(momentum->angular_gravity, cn_vec3_cross(center, gravity));
    momentum->angular_loads = cn_vec3_add(momentum->angular_loads, carried);
    momentum->linear_scale += cn_vec3_length(gravity) + cn_vec3_length(load);
    momentum->angular_scale +=
        cn_vec3_length(center) * (cn_vec3_length(gravity) + cn_vec3_length(load)) +
        cn_vec3_length(moment);
}

static void mean_velocities(CnWorld* world) {
    CnIndexList list = cn_step_bodies(world);
    for (int place = 0; place < list.count; ++place) {
        int i = cn_index_at(&list, place);
        const CnMotion* motion = &world->step.motions.data[i];
        CnVec3 v = cn_motion_mean_velocity(motion);
        CnVec3 w = cn_quat_rotate(motion->rotation, motion->mean_spin);
        double mean[6] = {v.x, v.y, v.z, w.x, w.y, w.z};
        for (int k = 0; k < 6; ++k) {
            world->step.mean_velocity[i][k] = mean[k];
        }
    }
}

static double row_power(const double jacobian[6], const double velocity[6]) {
    double sum = 0.0;
    for (int i = 0; i < 6; ++i) {
        sum += jacobian[i] * velocity[i];
    }
    return sum;
}

static CnWork account_of(const CnBlockSource* source, int row) {
    if (source->constraint >= 0) {
        return CN_WORK_CONSTRAINT;
    }
    return row == 0 ? CN_WORK_CONTACT : CN_WORK_FRICTION;
}

// One side of one row: its work, and its impulse on the body if it has momentum to keep.
static double book_side(CnWorld* world, int index, bool internal, const double jacobian[6],
                        double p, CnEnergyLedger* energy, CnMomentumLedger* momentum) {
    if (index < 0) {
        return 0.0;
    }
    const CnBody* body = cn_world_body_by_index(world, index);
    double work = p * row_power(jacobian, world->step.mean_velocity[index]);
    if (body->type == CN_BODY_DYNAMIC) {
        CnVec3 impulse = cn_vec3(p * jacobian[0], p * jacobian[1], p * jacobian[2]);
        CnVec3 moment = cn_vec3(p * jacobian[3], p * jacobian[4], p * jacobian[5]);
        cn_ledger_add_wrench(momentum, world->step.motions.data[index].center, impulse, moment,
                             internal);
    } else {
        cn_ledger_add_work(energy, CN_WORK_DRIVE, -work);
    }
    return work;
}

static bool is_dynamic(const CnWorld* world, int index) {
    return index >= 0 && cn_world_body_by_index(world, index)->type == CN_BODY_DYNAMIC;
}

bool cn_ledger_is_internal(const CnWorld* world, const CnBlock* block,
                           const CnBlockSource* source) {
    if (!is_dynamic(world, block->body_a) || !is_dynamic(world, block->body_b)) {
        return false;
    }
    if (source->constraint < 0) {
        return true;
    }
    const CnUserConstraint* constraint = cn_pool_at(&world->constraints, source->constraint);
    const CnConstraintKind* kind = constraint->kind;
    return kind->is_grounded == NULL || !kind->is_grounded(constraint->data);
}

// Tiles that are booked by one task; their sums are added in order.
#define TILES_PER_PART 256

typedef struct Booking {
    const CnTileBodies* bodies;
    CnTileSet tiles;
    CnTileLedger* parts; // [parts]
} Booking;

static void book_range(int begin, int end, int worker, void* data) {
    const Booking* booking = data;
    (void)worker;
    for (int part = begin; part < end; ++part) {
        int first = part * TILES_PER_PART;
        int left = booking->tiles.count - first;
        CnTileSet some = {left < TILES_PER_PART ? left : TILES_PER_PART,
                          booking->tiles.tiles + first, NULL};
        cn_tiles_book(&some, booking->bodies, &booking->parts[part]);
    }
}

static CnVec3 vector(const double x[3]) {
    return cn_vec3(x[0], x[1], x[2]);
}

static void add_tile_ledger(const CnTileLedger* tiles, CnEnergyLedger* energy,
                            CnMomentumLedger* momentum) {
    energy->work[CN_WORK_CONTACT] += tiles->contact;
    energy->work[CN_WORK_FRICTION] += tiles->friction;
    energy->work[CN_WORK_DRIVE] += tiles->drive;
    energy->scale += tiles->work_scale;
    momentum->linear_external =
        cn_vec3_add(momentum->linear_external, vector(tiles->linear_external));
    momentum->angular_external =
        cn_vec3_add(momentum->angular_external, vector(tiles->angular_external));
    momentum->angular_internal =
        cn_vec3_add(momentum->angular_internal, vector(tiles->angular_internal));
    momentum->linear_scale += tiles->linear_scale;
    momentum->angular_scale += tiles->angular_scale;
}

CnStatus cn_ledger_add_tiles(CnWorld* world, CnEnergyLedger* energy, CnMomentumLedger* momentum) {
    world->assembled.is_valid = false; // it knows the work of blocks
    mean_velocities(world);
    CnArenaMark mark = cn_arena_mark(&world->arena);
    const CnStep* step = &world->step;
    CnTileBodies bodies = cn_step_tile_bodies(step);
    int parts = (step->manifolds.count + TILES_PER_PART - 1) / TILES_PER_PART, count = 0;
    CnContactTile** tiles = CN_ARENA_NEW(&world->arena, CnContactTile*, step->manifolds.count);
    CnTileLedger* sums = CN_ARENA_NEW(&world->arena, CnTileLedger, parts);
    CnTileLedger total = {0};
    CnStatus status = tiles == NULL || sums == NULL ? CN_NO_MEMORY : CN_OK;
    for (int i = 0; status == CN_OK && i < step->manifolds.count; ++i) {
        CnContactTile* tile = &world->pairs.manifolds.data[step->manifolds.data[i]].tile;
        if (tile->acting != 0) {
            tiles[count++] = tile;
        }
    }
    if (status == CN_OK) {
        Booking booking = {&bodies, {count, tiles, NULL}, sums};
        parts = (count + TILES_PER_PART - 1) / TILES_PER_PART;
        cn_tasks_for(&world->def.tasks, parts, 1, book_range, &booking);
        for (int i = 0; i < parts; ++i) {
            cn_tile_ledger_merge(&total, &sums[i]);
        }
        add_tile_ledger(&total, energy, momentum);
    }
    cn_arena_release(&world->arena, mark);
    return status;
}

static CnStatus add_blocks(CnWorld* world, CnEnergyLedger* energy, CnMomentumLedger* momentum) {
    const CnRows* rows = &world->step.rows;
    if (!cn_array_reserve(&world->step.block_work, &world->allocator, rows->blocks.count)) {
        return CN_NO_MEMORY;
    }
    world->step.block_work.count = rows->blocks.count;
    for (int i = 0; i < rows->blocks.count; ++i) {
        const CnBlock* block = &rows->blocks.data[i];
        bool internal = cn_ledger_is_internal(world, block, &rows->sources.data[i]);
        double total = 0.0;
        for (int k = 0; k < block->row_count; ++k) {
            int row = block->first_row + k;
            double p = rows->impulse[row];
            double work = book_side(world, block->body_a, internal, rows->jacobian_a[row], p,
                                    energy, momentum) +
                          book_side(world, block->body_b, internal, rows->jacobian_b[row], p,
                                    energy, momentum);
            cn_ledger_add_work(energy, account_of(&rows->sources.data[i], k), work);
            total += work;
        }
        world->step.block_work.data[i] = total;
    }
    return CN_OK;
}

// Of the work of friction on a belt, the part that its drive gives: docs/theory/ledger.md (15).
static void add_belts(const CnWorld* world, CnEnergyLedger* energy) {
    for (int i = 0; i < world->step.manifolds.count; ++i) {
        int index = world->step.manifolds.data[i];
        const CnManifold* manifold = &world->pairs.manifolds.data[index];
        if (!manifold->is_belt) {
            continue;
        }
        for (int k = 0; k < manifold->count; ++k) {
            CnContactPoint point = cn_manifold_describe(world, index, k);
            double work = -cn_vec3_dot(point.impulse, point.surface_velocity);
            cn_ledger_add_work(energy, CN_WORK_DRIVE, work);
            cn_ledger_add_work(energy, CN_WORK_FRICTION, -work);
        }
    }
}

static void add_heights(const CnWorld* world, CnEnergyLedger* energy) {
    CnIndexList moving = cn_active_bodies(world);
    for (int k = 0; k < moving.count; ++k) {
        int i = cn_index_at(&moving, k);
        const CnBody* body = cn_world_body_by_index(world, i);
        const CnMotion* motion = &world->step.motions.data[i];
        if (body->type != CN_BODY_DYNAMIC) {
            continue;
        }
        CnVec3 gravity = cn_body_gravity(world, body);
        CnVec3 mean_path = cn_vec3_scale(world->step.dt, cn_motion_mean_velocity(motion));
        CnVec3 path = cn_vec3_sub(motion->end_center, motion->start_center);
        CnVec3 moved = cn_vec3_sub(body->state.center, motion->end_center);
        double weight = body->mass;
        cn_ledger_add_work(energy, CN_WORK_INTEGRATION,
                           weight * cn_vec3_dot(gravity, cn_vec3_sub(mean_path, path)));
        cn_ledger_add_work(energy, CN_WORK_STABILISATION, -weight * cn_vec3_dot(gravity, moved));
    }
}

// Loads, what turning made, and the relaxation, which acts between the end of the motion and the
// final velocities.
static void add_body_work(const CnBody* body, const CnMotion* motion, CnEnergyLedger* energy) {
    CnVec3 velocity = cn_motion_mean_velocity(motion);
    CnVec3 late_velocity =
        cn_vec3_scale(0.5, cn_vec3_add(motion->end_velocity, body->state.velocity));
    CnVec3 late_spin = cn_vec3_scale(0.5, cn_vec3_add(motion->end_spin, motion->final_spin));
    cn_ledger_add_work(energy, CN_WORK_LOADS,
                       cn_vec3_dot(velocity, motion->load) +
                           cn_vec3_dot(motion->mean_spin, motion->load_moment));
    cn_ledger_add_work(energy, CN_WORK_INTEGRATION, motion->turning_work);
    cn_ledger_add_work(energy, CN_WORK_CONSTRAINT,
                       cn_vec3_dot(late_velocity, motion->late) +
                           cn_vec3_dot(late_spin, motion->late_moment));
}

static bool is_zero(CnVec3 v) {
    return v.x == 0.0 && v.y == 0.0 && v.z == 0.0;
}

// Velocities that a quasi-static step threw away before it began.
static void add_reset(const CnBody* body, const CnMotion* motion, CnEnergyLedger* energy,
                      CnMomentumLedger* momentum) {
    CnVec3 lost = cn_vec3_sub(motion->stored_velocity, motion->start_velocity);
    bool keeps_spin = !is_zero(motion->start_spin) || is_zero(motion->stored_angular_velocity);
    if (is_zero(lost) && keeps_spin) {
        return;
    }
    CnVec3 stored_spin = cn_quat_unrotate(motion->start_rotation, motion->stored_angular_velocity);
    CnVec3 lost_spin = cn_vec3_sub(stored_spin, motion->start_spin);
    CnVec3 p = cn_vec3_scale(body->mass, lost);
    CnVec3 own = spin_momentum(body, motion->start_rotation, lost_spin);
    double kinetic = 0.5 * (cn_vec3_dot(p, lost) +
                            cn_vec3_dot(lost_spin, cn_mat3_apply(&body->inertia, lost_spin)));

    cn_ledger_add_work(energy, CN_WORK_INTEGRATION, -kinetic);
    momentum->linear_integration = cn_vec3_sub(momentum->linear_integration, p);
    momentum->angular_integration = cn_vec3_sub(
        momentum->angular_integration, cn_vec3_add(own, cn_vec3_cross(motion->start_center, p)));
}

// Positions change on the way to and from the poses of the problem; along a velocity this leaves
// x cross m v alone, by a correction it does not.
static void add_body_momentum(const CnWorld* world, const CnBody* body, const CnMotion* motion,
                              CnMomentumLedger* momentum) {
    CnVec3 weight = cn_vec3_scale(body->mass * world->step.dt, cn_body_gravity(world, body));
    CnVec3 load_moment = cn_quat_rotate(motion->rotation, motion->load_moment);
    CnVec3 before = cn_vec3_scale(body->mass, motion->start_velocity);
    CnVec3 after = cn_vec3_sub(cn_vec3_scale(body->mass, body->state.velocity), motion->late);
    CnVec3 to = cn_vec3_cross(cn_vec3_sub(motion->center, motion->start_center), before);
    CnVec3 from = cn_vec3_cross(cn_vec3_sub(body->state.center, motion->center), after);

    cn_ledger_add_load(momentum, motion->center, weight, motion->load, load_moment);
    momentum->angular_integration = cn_vec3_add(
        momentum->angular_integration, cn_vec3_add(motion->spin_defect, cn_vec3_add(to, from)));
}

// A correction that turns a body turns its angular momentum with it.
static void add_turn(const CnBody* body, const CnMotion* motion, CnMomentumLedger* momentum) {
    CnQuat a = body->state.rotation, b = motion->end_rotation;
    if (a.w == b.w && a.x == b.x && a.y == b.y && a.z == b.z) {
        return;
    }
    CnVec3 now = spin_momentum(body, body->state.rotation, motion->end_spin);
    CnVec3 then = spin_momentum(body, motion->end_rotation, motion->end_spin);
    momentum->angular_integration =
        cn_vec3_add(momentum->angular_integration, cn_vec3_sub(now, then));
}

static void add_late_side(const CnWorld* world, int index, bool internal, const double jacobian[6],
                          double p, CnMomentumLedger* momentum) {
    if (is_dynamic(world, index)) {
        CnVec3 impulse = cn_vec3(p * jacobian[0], p * jacobian[1], p * jacobian[2]);
        CnVec3 moment = cn_vec3(p * jacobian[3], p * jacobian[4], p * jacobian[5]);
        CnVec3 center = cn_world_body_by_index(world, index)->state.center;
        cn_ledger_add_wrench(momentum, center, impulse, moment, internal);
    }
}

// Momentum given by the relaxation, at the poses of the end of the step.
static void add_late_blocks(const CnWorld* world, CnMomentumLedger* momentum) {
    const CnRows* rows = &world->correction.rows;
    for (int i = 0; i < rows->blocks.count; ++i) {
        const CnBlock* block = &rows->blocks.data[i];
        bool internal = cn_ledger_is_internal(world, block, &rows->sources.data[i]);
        for (int row = block->first_row; row < block->first_row + block->row_count; ++row) {
            double p = rows->impulse[row];
            add_late_side(world, block->body_a, internal, rows->jacobian_a[row], p, momentum);
            add_late_side(world, block->body_b, internal, rows->jacobian_b[row], p, momentum);
        }
    }
}

CnStatus cn_ledger_add_motion(CnWorld* world, CnEnergyLedger* energy, CnMomentumLedger* momentum) {
    CnStatus status = add_blocks(world, energy, momentum);
    if (status != CN_OK) {
        return status;
    }
    add_belts(world, energy);
    add_late_blocks(world, momentum);
    CnIndexList moving = cn_active_bodies(world);
    for (int k = 0; k < moving.count; ++k) {
        int i = cn_index_at(&moving, k);
        const CnBody* body = cn_world_body_by_index(world, i);
        const CnMotion* motion = &world->step.motions.data[i];
        if (body->type == CN_BODY_DYNAMIC) {
            add_body_work(body, motion, energy);
            add_reset(body, motion, energy, momentum);
            add_body_momentum(world, body, motion, momentum);
            add_turn(body, motion, momentum);
        }
    }
    add_heights(world, energy);
    return CN_OK;
}

static CnVec3 missing_from(CnVec3 start, CnVec3 end, const CnVec3* accounts, int count) {
    CnVec3 missing = cn_vec3_sub(end, start);
    for (int i = 0; i < count; ++i) {
        missing = cn_vec3_sub(missing, accounts[i]);
    }
    return missing;
}

void cn_ledger_add_stages(const CnWorld* world, CnEnergyLedger* energy, CnMomentumLedger* m) {
    for (int i = 0; i < world->order.count; ++i) {
        const CnBody* body = cn_world_body_by_index(world, i);
        if (body->type == CN_BODY_DYNAMIC) {
            add_body_work(body, &world->step.motions.data[i], energy);
        }
    }
    add_heights(world, energy);
    add_late_blocks(world, m);
    const CnVec3 accounts[] = {m->angular_gravity, m->angular_loads, m->angular_external,
                               m->angular_internal};
    m->angular_integration = missing_from(m->angular_start, totals_now(world).angular, accounts, 4);
}

static double kinetic_energy(const CnBody* body, CnVec3 velocity, CnVec3 spin) {
    return 0.5 * (body->mass * cn_vec3_dot(velocity, velocity) +
                  cn_vec3_dot(spin, cn_mat3_apply(&body->inertia, spin)));
}

// The larger of two shares, each against what is too much of it: docs/theory/ledger.md (14).
static double turning_share(const CnBody* body, const CnMotion* motion) {
    double still = 0.5 * body->mass * STILL * STILL;
    double start = kinetic_energy(body, motion->start_velocity, motion->start_spin);
    double end = kinetic_energy(body, motion->end_velocity, motion->end_spin);
    double made = motion->turning_work / (fmax(start, end) + still);
    return fmax(made / TURNING_LIMIT, motion->gyration_gain / (start + still) / GYRATION_LIMIT);
}

int cn_ledger_worst_turning(const CnWorld* world) {
    int worst = -1;
    double most = 1.0;
    CnIndexList moving = cn_active_bodies(world);
    for (int k = 0; k < moving.count; ++k) {
        int i = cn_index_at(&moving, k);
        const CnBody* body = cn_world_body_by_index(world, i);
        if (body->type == CN_BODY_DYNAMIC) {
            double share = turning_share(body, &world->step.motions.data[i]);
            worst = share > most ? i : worst;
            most = fmax(most, share);
        }
    }
    return worst;
}

static double relative(double size, double scale) {
    return scale == 0.0 ? 0.0 : size / scale;
}

// As fmax(), but NaN if either is.
static double larger(double a, double b) {
    return a > b || isnan(a) ? a : b;
}

static void grade(CnEnergyLedger* energy, CnMomentumLedger* m) {
    double missing = energy->end - energy->start;
    for (int i = 0; i < CN_WORK_COUNT; ++i) {
        missing -= energy->work[i];
    }
    energy->error = relative(fabs(missing), energy->scale);

    const CnVec3 linear[] = {m->linear_gravity, m->linear_loads, m->linear_external,
                             m->linear_internal, m->linear_integration};
    const CnVec3 angular[] = {m->angular_gravity, m->angular_loads, m->angular_external,
                              m->angular_internal, m->angular_integration};
    CnVec3 linear_missing = missing_from(m->linear_start, m->linear_end, linear, 5);
    CnVec3 angular_missing = missing_from(m->angular_start, m->angular_end, angular, 5);
    m->error = larger(relative(cn_vec3_length(linear_missing), m->linear_scale),
                      relative(cn_vec3_length(angular_missing), m->angular_scale));
    m->internal_error = larger(relative(cn_vec3_length(m->linear_internal), m->linear_scale),
                               relative(cn_vec3_length(m->angular_internal), m->angular_scale));
}

void cn_ledger_close(const CnWorld* world, CnEnergyLedger* energy, CnMomentumLedger* momentum) {
    Totals totals = totals_now(world);
    energy->end = totals.energy;
    energy->end_parts = totals.parts;
    energy->scale += totals.energy_scale;
    momentum->linear_end = totals.linear;
    momentum->angular_end = totals.angular;
    momentum->linear_scale += totals.linear_scale;
    momentum->angular_scale += totals.angular_scale;
    grade(energy, momentum);
}

void cn_ledger_stop_body(const CnBody* body, CnEnergyLedger* energy, CnMomentumLedger* m) {
    const CnBodyState* state = &body->state;
    CnVec3 spin = cn_quat_unrotate(state->rotation, state->angular_velocity);
    CnVec3 p = cn_vec3_scale(body->mass, state->velocity);
    CnVec3 own = spin_momentum(body, state->rotation, spin);
    CnVec3 angular = cn_vec3_add(cn_vec3_cross(state->center, p), own);
    double kinetic = kinetic_energy(body, state->velocity, spin);
    energy->end -= kinetic;
    energy->end_parts.linear -= 0.5 * cn_vec3_dot(p, state->velocity);
    energy->end_parts.angular -= 0.5 * cn_vec3_dot(spin, cn_mat3_apply(&body->inertia, spin));
    cn_ledger_add_work(energy, CN_WORK_INTEGRATION, -kinetic);
    m->linear_end = cn_vec3_sub(m->linear_end, p);
    m->linear_integration = cn_vec3_sub(m->linear_integration, p);
    m->angular_end = cn_vec3_sub(m->angular_end, angular);
    m->angular_integration = cn_vec3_sub(m->angular_integration, angular);
    grade(energy, m);
}

void cn_ledger_append(CnEnergyLedger* energy, CnMomentumLedger* m,
                      const CnEnergyLedger* next_energy, const CnMomentumLedger* next) {
    energy->end = next_energy->end;
    energy->end_parts = next_energy->end_parts;
    energy->scale += next_energy->scale;
    for (int i = 0; i < CN_WORK_COUNT; ++i) {
        energy->work[i] += next_energy->work[i];
    }
    CnVec3* sums[] = {&m->linear_gravity,     &m->angular_gravity,  &m->linear_loads,
                      &m->angular_loads,      &m->linear_external,  &m->angular_external,
                      &m->linear_internal,    &m->angular_internal, &m->linear_integration,
                      &m->angular_integration};
    const CnVec3* adds[] = {&next->linear_gravity,     &next->angular_gravity,
                            &next->linear_loads,       &next->angular_loads,
                            &next->linear_external,    &next->angular_external,
                            &next->linear_internal,    &next->angular_internal,
                            &next->linear_integration, &next->angular_integration};
    for (size_t i = 0; i < sizeof sums / sizeof sums[0]; ++i) {
        *sums[i] = cn_vec3_add(*sums[i], *adds[i]);
    }
    m->linear_end = next->linear_end;
    m->angular_end = next->angular_end;
    m->linear_scale += next->linear_scale;
    m->angular_scale += next->angular_scale;
    grade(energy, m);
}
