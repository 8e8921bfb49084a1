// ledger_bodies.c - energy and momentum of bodies, and what motion did to them.
// docs/theory/ledger.md.
#include "world/step/ledger.h"

#include "base/tasks.h"
#include "world/bodies/motion.h"
#include "world/step/step_check.h"

#define LEAST_BODIES_OF_PART 32

// What moves slower counts as standing still [m/s]: its energy is that of residuals.
#define STILL 1e-3

// Share of the kinetic energy of a body that the gyroscopic impulse of an explicit update may add
// to the spin that rows are solved for. It is of the order of (|W| h)^2 also where the update is as
// good as it can be.
#define GYRATION_LIMIT 1.0

static bool is_zero(CnVec3 v) {
    return v.x == 0.0 && v.y == 0.0 && v.z == 0.0;
}

static CnVec3 spin_momentum(const CnBody* body, CnQuat rotation, CnVec3 spin) {
    return cn_quat_rotate(rotation, cn_mat3_apply(&body->mass->inertia, spin));
}

void cn_ledger_add_totals(const CnWorld* world, const CnBody* body, CnBodyTotals* totals) {
    const CnBodyState* state = &body->state;
    CnVec3 p = cn_vec3_scale(body->mass->mass, state->velocity);
    CnVec3 orbital = cn_vec3_cross(state->center, p), own = cn_vec3(0.0, 0.0, 0.0);
    double moving = cn_vec3_dot(p, state->velocity), turning = 0.0;
    if (!is_zero(state->angular_velocity)) {
        CnVec3 spin = cn_quat_unrotate(state->rotation, state->angular_velocity);
        CnVec3 momentum = cn_mat3_apply(&body->mass->inertia, spin);
        own = cn_quat_rotate(state->rotation, momentum);
        turning = cn_vec3_dot(spin, momentum);
    }
    double kinetic = 0.5 * (moving + turning);
    double potential = -body->mass->mass * cn_vec3_dot(cn_body_gravity(world, body), state->center);

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

static void merge_totals(CnBodyTotals* totals, const CnBodyTotals* part) {
    totals->energy += part->energy;
    totals->energy_scale += part->energy_scale;
    totals->parts.linear += part->parts.linear;
    totals->parts.angular += part->parts.angular;
    totals->parts.potential += part->parts.potential;
    totals->linear = cn_vec3_add(totals->linear, part->linear);
    totals->angular = cn_vec3_add(totals->angular, part->angular);
    totals->linear_scale += part->linear_scale;
    totals->angular_scale += part->angular_scale;
}

// What one part of the bodies has and did.
typedef struct Books {
    CnBodyTotals totals; // as bodies are now
    CnEnergyLedger energy;
    CnMomentumLedger momentum;
    double most; // the largest share of turning, and whose it is
    int worst;
    bool are_sound; // the bodies as they are now
} Books;

typedef struct BodyBooking {
    CnWorld* world;
    CnIndexList list;
    const int* shapes; // cn_active_shapes() of the list
    int part_size;
    bool of_motion;             // what bodies did, besides their totals
    bool with_momentum;         // to momentum too: not where the integrator has stages
    bool checks;                // whether bodies are sound
    const CnMovingLanes* lanes; // NULL: one after the other
    Books* books;               // [parts]
} BodyBooking;

static void add_height(const CnWorld* world, int index, CnEnergyLedger* energy) {
    const CnBody* body = cn_world_body_by_index(world, index);
    CnVec3 gravity = cn_body_gravity(world, body), end = cn_motion_end_center(world, index);
    CnVec3 mean_path = cn_vec3_scale(world->step.dt, cn_motion_mean_velocity(world, index));
    CnVec3 path = cn_vec3_sub(end, world->step.motions.data[index].start.center);
    CnVec3 moved = cn_vec3_sub(body->state.center, end);
    double weight = body->mass->mass;
    cn_ledger_add_work(energy, CN_WORK_INTEGRATION,
                       weight * cn_vec3_dot(gravity, cn_vec3_sub(mean_path, path)));
    cn_ledger_add_work(energy, CN_WORK_STABILISATION, -weight * cn_vec3_dot(gravity, moved));
}

// Loads, what turning made, and the relaxation, which acts between the end of the motion and the
// final velocities.
static void add_body_work(const CnBody* body, const CnMotion* motion, const CnMotionExtras* extras,
                          CnEnergyLedger* energy) {
    if (extras == NULL) {
        cn_ledger_add_work(energy, CN_WORK_INTEGRATION, motion->turning_work);
        return;
    }
    CnVec3 velocity = cn_vec3_scale(0.5, cn_vec3_add(motion->start.velocity, extras->end_velocity));
    CnVec3 late_velocity =
        cn_vec3_scale(0.5, cn_vec3_add(extras->end_velocity, body->state.velocity));
    CnVec3 late_spin = cn_vec3_scale(0.5, cn_vec3_add(motion->end_spin, extras->final_spin));
    cn_ledger_add_work(energy, CN_WORK_LOADS,
                       cn_vec3_dot(velocity, extras->load) +
                           cn_vec3_dot(extras->mean_spin, extras->load_moment));
    cn_ledger_add_work(energy, CN_WORK_INTEGRATION, motion->turning_work);
    cn_ledger_add_work(energy, CN_WORK_CONSTRAINT,
                       cn_vec3_dot(late_velocity, extras->late) +
                           cn_vec3_dot(late_spin, extras->late_moment));
}

// Velocities that a quasi-static step threw away before it began.
static void add_reset(const CnBody* body, const CnMotion* motion, const CnMotionExtras* extras,
                      CnEnergyLedger* energy, CnMomentumLedger* momentum) {
    CnVec3 lost = cn_vec3_sub(extras->stored_velocity, motion->start.velocity);
    CnVec3 start_spin = cn_motion_start_spin(motion);
    bool keeps_spin = !is_zero(start_spin) || is_zero(extras->stored_angular_velocity);
    if (is_zero(lost) && keeps_spin) {
        return;
    }
    CnVec3 stored_spin = cn_quat_unrotate(motion->start.rotation, extras->stored_angular_velocity);
    CnVec3 lost_spin = cn_vec3_sub(stored_spin, start_spin);
    CnVec3 p = cn_vec3_scale(body->mass->mass, lost);
    CnVec3 own = spin_momentum(body, motion->start.rotation, lost_spin);
    double kinetic = 0.5 * (cn_vec3_dot(p, lost) +
                            cn_vec3_dot(lost_spin, cn_mat3_apply(&body->mass->inertia, lost_spin)));

    cn_ledger_add_work(energy, CN_WORK_INTEGRATION, -kinetic);
    momentum->linear_integration = cn_vec3_sub(momentum->linear_integration, p);
    momentum->angular_integration = cn_vec3_sub(
        momentum->angular_integration, cn_vec3_add(own, cn_vec3_cross(motion->start.center, p)));
}

// Positions change on the way to and from the poses of the problem; along a velocity this leaves
// x cross m v alone, by a correction it does not.
static void add_body_momentum(const CnWorld* world, const CnBody* body, const CnMotion* motion,
                              const CnMotionExtras* extras, CnMomentumLedger* momentum) {
    CnVec3 weight = cn_vec3_scale(body->mass->mass * world->step.dt, cn_body_gravity(world, body));
    CnVec3 before = cn_vec3_scale(body->mass->mass, motion->start.velocity);
    CnVec3 after = cn_vec3_scale(body->mass->mass, body->state.velocity);
    CnVec3 load = cn_vec3(0.0, 0.0, 0.0), load_moment = load, defect = load;
    if (extras != NULL) {
        after = cn_vec3_sub(after, extras->late);
        load = extras->load;
        load_moment = cn_quat_rotate(motion->rotation, extras->load_moment);
        defect = extras->spin_defect;
    }
    CnVec3 to = cn_vec3_cross(cn_vec3_sub(motion->center, motion->start.center), before);
    CnVec3 from = cn_vec3_cross(cn_vec3_sub(body->state.center, motion->center), after);

    cn_ledger_add_load(momentum, motion->center, weight, load, load_moment);
    momentum->angular_integration =
        cn_vec3_add(momentum->angular_integration, cn_vec3_add(defect, cn_vec3_add(to, from)));
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

static double kinetic_energy(const CnBody* body, CnVec3 velocity, CnVec3 spin) {
    return 0.5 * (body->mass->mass * cn_vec3_dot(velocity, velocity) +
                  cn_vec3_dot(spin, cn_mat3_apply(&body->mass->inertia, spin)));
}

// The larger of two shares, each against what is too much of it: docs/theory/ledger.md (14).
static double turning_share(const CnWorld* world, int index) {
    const CnBody* body = cn_world_body_by_index(world, index);
    const CnMotion* motion = &world->step.motions.data[index];
    const CnMotionExtras* extras = cn_motion_extras(&world->step, index);
    double gain = extras == NULL ? 0.0 : extras->gyration_gain;
    if (motion->turning_work <= 0.0 && gain <= 0.0) {
        return 0.0;
    }
    double still = 0.5 * body->mass->mass * STILL * STILL;
    double start = kinetic_energy(body, motion->start.velocity, cn_motion_start_spin(motion));
    double end = kinetic_energy(body, cn_motion_end_velocity(world, index), motion->end_spin);
    double made = motion->turning_work / (fmax(start, end) + still);
    return fmax(made / CN_TURNING_LIMIT, gain / (start + still) / GYRATION_LIMIT);
}

void cn_ledger_set_mean_velocity(CnWorld* world, int index) {
    const CnMotion* motion = &world->step.motions.data[index];
    CnVec3 v = cn_motion_mean_velocity(world, index);
    CnVec3 w = cn_quat_rotate(motion->rotation, cn_motion_mean_spin(world, index));
    double mean[6] = {v.x, v.y, v.z, w.x, w.y, w.z};
    for (int k = 0; k < 6; ++k) {
        world->step.mean_velocity[index][k] = mean[k];
    }
}

static void watch_turning(const CnWorld* world, int index, Books* books) {
    double share = turning_share(world, index);
    books->worst = share > books->most ? index : books->worst;
    books->most = fmax(books->most, share);
}

static void book_motion(const BodyBooking* booking, int index, Books* books) {
    const CnWorld* world = booking->world;
    const CnBody* body = cn_world_body_by_index(world, index);
    const CnMotion* motion = &world->step.motions.data[index];
    const CnMotionExtras* extras = cn_motion_extras(&world->step, index);
    add_body_work(body, motion, extras, &books->energy);
    add_height(world, index, &books->energy);
    if (booking->with_momentum) {
        if (extras != NULL && world->def.step.scheme == CN_SCHEME_QUASI_STATIC) {
            add_reset(body, motion, extras, &books->energy, &books->momentum);
        }
        add_body_momentum(world, body, motion, extras, &books->momentum);
        add_turn(body, motion, &books->momentum);
    }
    watch_turning(world, index, books);
}

static void book_body(const BodyBooking* booking, int index, Books* books) {
    CnWorld* world = booking->world;
    const CnBody* body = cn_world_body_by_index(world, index);
    if (booking->with_momentum) {
        cn_ledger_set_mean_velocity(world, index);
    }
    if (booking->checks) {
        books->are_sound = books->are_sound && cn_step_is_sound(world, body);
    }
    if (body->type == CN_BODY_DYNAMIC) {
        cn_ledger_add_totals(world, body, &books->totals);
        if (booking->of_motion) {
            book_motion(booking, index, books);
        }
    }
}

// Several bodies that can be taken together.
static void book_group(const BodyBooking* booking, const CnMovingGroup* group, Books* books) {
    const CnWorld* world = booking->world;
    if (!booking->of_motion) {
        booking->lanes->total(world, group->body, group->count, &books->totals);
        return;
    }
    unsigned unsure = 0;
    unsigned turning =
        booking->lanes->book(world, group->body, group->count, &books->totals, &books->energy,
                             &books->momentum, booking->checks ? &unsure : NULL);
    for (int i = 0; unsure >> i != 0; ++i) {
        const CnBody* body = cn_world_body_by_index(world, group->body[i]);
        books->are_sound = books->are_sound && cn_step_is_sound(world, body);
    }
    for (int i = 0; i < group->count && turning >> i != 0; ++i) {
        if ((turning >> i & 1u) != 0) {
            watch_turning(world, group->body[i], books);
        }
    }
}

static void book_part(const BodyBooking* booking, int part) {
    int begin = part * booking->part_size, end = begin + booking->part_size;
    end = end < booking->list.count ? end : booking->list.count;
    Books books = {.most = 1.0, .worst = CN_NONE, .are_sound = true};
    for (int k = begin; k < end;) {
        if (booking->of_motion && booking->lanes != NULL) {
            cn_moving_fetch(booking->world, &booking->list, k);
        }
        CnMovingGroup group;
        if (booking->lanes != NULL &&
            cn_moving_group(booking->lanes, booking->world, &booking->list, booking->shapes, k, end,
                            &group)) {
            book_group(booking, &group, &books);
            k += group.count;
        } else {
            book_body(booking, cn_index_at(&booking->list, k++), &books);
        }
    }
    booking->books[part] = books;
}

static void book_range(int begin, int end, int worker, void* data) {
    (void)worker;
    for (int part = begin; part < end; ++part) {
        book_part(data, part);
    }
}

CnLedgerParts cn_ledger_divide(const CnWorld* world) {
    int count = cn_active_bodies(world).count;
    int size = (count + CN_LEDGER_PARTS - 1) / CN_LEDGER_PARTS;
    size = size < LEAST_BODIES_OF_PART ? LEAST_BODIES_OF_PART : size;
    return (CnLedgerParts){.size = size, .count = (count + size - 1) / size};
}

static void add_sleepers(const CnWorld* world, CnBodyTotals* totals) {
    totals->energy += world->active.sleeping_energy;
    totals->parts.potential += world->active.sleeping_energy;
    totals->energy_scale += world->active.sleeping_scale;
}

// All parts, one after the other, into the first.
static Books book(CnWorld* world, bool of_motion, bool with_momentum, bool checks) {
    Books books[CN_LEDGER_PARTS];
    CnIndexList list = cn_active_bodies(world);
    CnLedgerParts parts = cn_ledger_divide(world);
    bool is_plain = !of_motion ||
                    (with_momentum && (world->step.extras.count == 0 || cn_motion_is_plain(world)));
    BodyBooking booking = {
        .world = world,
        .list = list,
        .shapes = cn_active_shapes(world, &list),
        .part_size = parts.size,
        .of_motion = of_motion,
        .with_momentum = with_momentum,
        .checks = checks,
        .lanes = is_plain ? cn_moving_lanes() : NULL,
        .books = books,
    };
    cn_tasks_for(&world->def.tasks, parts.count, 1, book_range, &booking);
    Books total = {.most = 1.0, .worst = CN_NONE, .are_sound = true};
    for (int i = 0; i < parts.count; ++i) {
        merge_totals(&total.totals, &books[i].totals);
        cn_ledger_add_accounts(&total.energy, &total.momentum, &books[i].energy,
                               &books[i].momentum);
        total.worst = books[i].most > total.most ? books[i].worst : total.worst;
        total.are_sound = total.are_sound && books[i].are_sound;
        total.most = fmax(total.most, books[i].most);
    }
    add_sleepers(world, &total.totals);
    return total;
}

static CnBodyTotals total_of(const CnWorld* world, const CnLedgerParts* parts) {
    CnBodyTotals total = {0};
    for (int i = 0; i < parts->count; ++i) {
        merge_totals(&total, &parts->totals[i]);
    }
    add_sleepers(world, &total);
    return total;
}

void cn_ledger_open(CnWorld* world, const CnLedgerParts* parts, CnEnergyLedger* energy,
                    CnMomentumLedger* momentum) {
    CnBodyTotals totals =
        parts == NULL ? book(world, false, false, false).totals : total_of(world, parts);
    *energy = (CnEnergyLedger){
        .start = totals.energy, .start_parts = totals.parts, .scale = totals.energy_scale};
    *momentum = (CnMomentumLedger){
        .linear_start = totals.linear,
        .angular_start = totals.angular,
        .linear_scale = totals.linear_scale,
        .angular_scale = totals.angular_scale,
    };
}

int cn_ledger_add_bodies(CnWorld* world, bool with_momentum, CnEnergyLedger* energy,
                         CnMomentumLedger* momentum, bool* are_sound) {
    CnIndexList others = cn_step_bodies(world);
    for (int i = 0; with_momentum && others.indices == NULL && i < others.count; ++i) {
        cn_ledger_set_mean_velocity(world, i); // of those that do not move, once
    }
    Books books = book(world, true, with_momentum, are_sound != NULL);
    if (are_sound != NULL) {
        *are_sound = books.are_sound;
    }
    const CnBodyTotals* totals = &books.totals;
    cn_ledger_add_accounts(energy, momentum, &books.energy, &books.momentum);
    energy->end = totals->energy;
    energy->end_parts = totals->parts;
    energy->scale += totals->energy_scale;
    momentum->linear_end = totals->linear;
    momentum->angular_end = totals->angular;
    momentum->linear_scale += totals->linear_scale;
    momentum->angular_scale += totals->angular_scale;
    return books.worst;
}

void cn_ledger_stop_body(const CnBody* body, CnEnergyLedger* energy, CnMomentumLedger* m) {
    const CnBodyState* state = &body->state;
    CnVec3 spin = cn_quat_unrotate(state->rotation, state->angular_velocity);
    CnVec3 p = cn_vec3_scale(body->mass->mass, state->velocity);
    CnVec3 own = spin_momentum(body, state->rotation, spin);
    CnVec3 angular = cn_vec3_add(cn_vec3_cross(state->center, p), own);
    double kinetic = kinetic_energy(body, state->velocity, spin);
    energy->end -= kinetic;
    energy->end_parts.linear -= 0.5 * cn_vec3_dot(p, state->velocity);
    energy->end_parts.angular -= 0.5 * cn_vec3_dot(spin, cn_mat3_apply(&body->mass->inertia, spin));
    cn_ledger_add_work(energy, CN_WORK_INTEGRATION, -kinetic);
    m->linear_end = cn_vec3_sub(m->linear_end, p);
    m->linear_integration = cn_vec3_sub(m->linear_integration, p);
    m->angular_end = cn_vec3_sub(m->angular_end, angular);
    m->angular_integration = cn_vec3_sub(m->angular_integration, angular);
    cn_ledger_close(energy, m);
}
