// motion.c - how bodies move through a step when the impulses are known: docs/theory/moreau.md.
#include "world/bodies/motion.h"

#include "base/error.h"
#include "base/tasks.h"
#include "world/bodies/force.h"
#include "world/step/rollback.h"
#include "world/step/step_check.h"
#include "world/turning/free_rotation.h"
#include "world/turning/spin.h"

#include <stdatomic.h>
#include <string.h>

// A loop over bodies that workers share.
#define BODIES_PER_TASK 16

typedef struct Motions {
    CnWorld* world;
    CnIndexList list;
    const int* shapes; // cn_active_shapes() of the list
    bool from_rest;
    double theta;
    CnBodyState* states;        // where the problem is posed; NULL: not to be found yet   [bodies]
    CnBodyState* ahead;         // there, with free velocities   [bodies]
    const CnLoad* loads;        // NULL: there are none   [bodies]
    CnBodyState* end;           // at the end of the step   [bodies]
    const CnMovingLanes* lanes; // NULL: bodies are moved one after the other
    CnLedgerParts* parts;       // of the list, whose totals are found
    bool frees;                 // bodies are begun and set free at once
    bool repredicts;            // the poses of bodies are noted again as they are set free
    atomic_bool overflows;      // something is not finite, or too fast
} Motions;

// Moments act between two free turns: docs/theory/moreau.md (19). A quasi-static step is a
// displacement, and its end spin is that which displaces.
static bool is_split(const CnWorld* world) {
    return world->def.step.rotation == CN_ROTATION_EXACT &&
           world->def.step.scheme != CN_SCHEME_QUASI_STATIC;
}

bool cn_motion_is_plain(const CnWorld* world) {
    const CnStepDef* step = &world->def.step;
    bool has_only_joints = step->rotation == CN_ROTATION_EXACT && world->fast_count == 0 &&
                           world->damped_count == 0 && !cn_world_has_loads(world);
    return step->scheme == CN_SCHEME_MOREAU && (world->step.extras.count == 0 || has_only_joints);
}

static const CnMovingLanes* lanes_for(const CnWorld* world) {
    return cn_motion_is_plain(world) ? cn_moving_lanes() : NULL;
}

static void use_lanes(Motions* motions) {
    motions->lanes = lanes_for(motions->world);
    motions->shapes = cn_active_shapes(motions->world, &motions->list);
}

// Bodies whose free turns are found together.
#define TURNS_AT_ONCE 32

typedef struct FreeTurns {
    int count;
    CnFreeTurn turn[TURNS_AT_ONCE];
} FreeTurns;

static void add_turn(FreeTurns* turns, const CnBody* body, CnVec3 spin) {
    turns->turn[turns->count++] = (CnFreeTurn){
        .inertia = &body->mass->inertia, .inverse = &body->mass->inverse_inertia, .spin = spin};
}

// Turns without moments for a time, from one rotation to the next; `turn` has been found. *turned
// is the turn in world axes; only sweeps of fast bodies ask for it. NULL: nobody does.
static CnQuat turn_freely(const CnWorld* world, const CnFreeTurn* turn, CnQuat from, double time,
                          CnVec3* spin, CnVec3* turned) {
    CnVec3 before = *spin;
    CnQuat to = cn_quat_normalize(cn_quat_multiply(from, turn->turn));
    *spin = turn->spin;
    if (turned != NULL && world->fast_count > 0) {
        CnVec3 mean = cn_vec3_add(cn_quat_rotate(from, before), cn_quat_rotate(to, *spin));
        *turned = cn_turn_near(from, to, cn_vec3_scale(0.5 * time, mean));
    }
    return to;
}

// Turns with a constant spin; *turned as above.
static CnQuat turn_straight(CnQuat from, double time, CnVec3 spin, CnVec3* turned) {
    CnVec3 turn = cn_vec3_scale(time, spin);
    if (turned != NULL) {
        *turned = cn_quat_rotate(from, turn);
    }
    return cn_quat_normalize(cn_quat_multiply(from, cn_quat_exp(turn)));
}

static void begin_body(const CnBody* body, bool from_rest, CnMotion* motion,
                       CnMotionExtras* extras) {
    const CnBodyState* state = &body->state;
    CnVec3 zero = cn_vec3(0.0, 0.0, 0.0);
    motion->start = *state;
    motion->center = state->center;
    motion->rotation = motion->end_rotation = state->rotation;
    motion->end_spin = zero;
    motion->turning_work = 0.0;
    if (extras != NULL) {
        *extras = (CnMotionExtras){
            .stored_velocity = state->velocity,
            .stored_angular_velocity = state->angular_velocity,
            .end_center = state->center,
        };
    }
    if (from_rest && body->type == CN_BODY_DYNAMIC) {
        motion->start.velocity = motion->start.angular_velocity = zero;
    }
    motion->ahead_spin = cn_motion_start_spin(motion);
}

// turn: its free turn; NULL: it turns with a constant spin.
static void predict_body(const CnWorld* world, const CnFreeTurn* turn, double ahead,
                         CnMotion* motion, CnMotionExtras* extras, CnBodyState* state) {
    CnVec3* turned = extras == NULL ? NULL : &extras->turn_ahead;
    motion->rotation =
        turn != NULL
            ? turn_freely(world, turn, motion->start.rotation, ahead, &motion->ahead_spin, turned)
            : turn_straight(motion->start.rotation, ahead, motion->ahead_spin, turned);
    motion->center = cn_vec3_add_scaled(motion->start.center, ahead, motion->start.velocity);
    *state = (CnBodyState){
        .center = motion->center,
        .rotation = motion->rotation,
        .velocity = motion->start.velocity,
        .angular_velocity = cn_quat_rotate(motion->rotation, motion->ahead_spin),
    };
}

// The next bodies of the list that are moved side by side. False: there are none.
static bool next_group(const Motions* motions, int begin, int end, CnMovingGroup* group) {
    if (motions->lanes == NULL) {
        return false;
    }
    cn_moving_fetch(motions->world, &motions->list, begin);
    return cn_moving_group(motions->lanes, motions->world, &motions->list, motions->shapes, begin,
                           end, group);
}

// Bodies from `begin` on are moved one by one up to this place: where the next group that is moved
// side by side begins, or after TURNS_AT_ONCE bodies.
static int end_of_some(const Motions* motions, int begin, int end) {
    int some = begin + TURNS_AT_ONCE < end ? begin + TURNS_AT_ONCE : end;
    CnMovingGroup group;
    for (int k = begin + 1; motions->lanes != NULL && k < some; ++k) {
        if (next_group(motions, k, end, &group)) {
            return k;
        }
    }
    return some;
}

// At most TURNS_AT_ONCE bodies of the list.
static void begin_some(const Motions* motions, int begin, int end) {
    CnWorld* world = motions->world;
    double ahead = (1.0 - motions->theta) * world->step.dt;
    bool predicts = motions->states != NULL, turns_freely = predicts && is_split(world);
    FreeTurns turns;
    turns.count = 0;
    for (int k = begin; k < end; ++k) {
        int i = cn_index_at(&motions->list, k);
        const CnBody* body = cn_world_body_by_index(world, i);
        CnMotion* motion = &world->step.motions.data[i];
        begin_body(body, motions->from_rest, motion, cn_motion_extras(&world->step, i));
        if (turns_freely && body->type == CN_BODY_DYNAMIC) {
            add_turn(&turns, body, motion->ahead_spin);
        }
    }
    cn_free_rotations(turns.count, ahead, turns.turn);
    const CnFreeTurn* next = turns.turn;
    for (int k = begin; predicts && k < end; ++k) {
        int i = cn_index_at(&motions->list, k);
        CnBodyType type = cn_world_body_by_index(world, i)->type;
        if (type != CN_BODY_STATIC) {
            bool is_free = turns_freely && type == CN_BODY_DYNAMIC;
            predict_body(world, is_free ? next++ : NULL, ahead, &world->step.motions.data[i],
                         cn_motion_extras(&world->step, i), &motions->states[i]);
        }
    }
}

// exp(-turn) applied to a vector: the same vector seen from axes that have turned.
static CnVec3 turn_back(CnVec3 turn, CnVec3 v) {
    return cn_quat_rotate(cn_quat_exp(cn_vec3_negate(turn)), v);
}

// Angular momentum as a body arrives at the poses of the problem, body axes.
static CnVec3 momentum_ahead(const CnWorld* world, const CnBody* body, const CnMotion* motion,
                             double ahead) {
    CnVec3 momentum = cn_mat3_apply(&body->mass->inertia, motion->ahead_spin);
    return is_split(world)
               ? momentum
               : turn_back(cn_vec3_scale(ahead, cn_motion_start_spin(motion)), momentum);
}

// Poses of the problem that are a little beside the predicted ones.
static void repredict_one(const Motions* motions, int i) {
    const CnWorld* world = motions->world;
    const CnBodyState* states = motions->states;
    const CnBody* body = cn_world_body_by_index(world, i);
    CnMotion* motion = &world->step.motions.data[i];
    if (body->type != CN_BODY_DYNAMIC) {
        return;
    }
    CnMotionExtras* extras = cn_motion_extras(&world->step, i);
    if (extras != NULL) {
        double ahead = (1.0 - motions->theta) * world->step.dt;
        CnVec3 momentum = momentum_ahead(world, body, motion, ahead);
        extras->spin_defect = cn_vec3_sub(cn_quat_rotate(states[i].rotation, momentum),
                                          cn_quat_rotate(motion->rotation, momentum));
    }
    if (world->fast_count > 0) { // only sweeps of fast bodies ask for it
        CnQuat added = cn_quat_multiply(states[i].rotation, cn_quat_conjugate(motion->rotation));
        extras->turn_ahead = cn_turn_between(motion->start.rotation, states[i].rotation,
                                             extras->turn_ahead, cn_quat_log(added));
    }
    motion->center = states[i].center;
    motion->rotation = states[i].rotation;
}

// Impulse of -W x JW over the step with W taken at the poses of the problem (rig_*) or at the start
// (semi_implicit): docs/theory/moreau.md (3), (4).
//
// Loads act on W for half a step only under rig_pos, which keeps the solved spin. The others take
// the end spin from the angular momentum, whose order does not depend on it, and then loads must be
// treated like reactions: a body that its supports hold still against a torque would otherwise be
// left with the spin of a gyration that never took place.
static CnVec3 gyration_impulse(const CnWorld* world, const CnBody* body, const CnMotion* motion,
                               double ahead, CnVec3 torque) {
    CnRotationUpdate update = world->def.step.rotation;
    CnVec3 spin = cn_motion_start_spin(motion);
    if (update == CN_ROTATION_EXACT) {
        return cn_vec3(0.0, 0.0, 0.0);
    }
    if (update != CN_ROTATION_SEMI_IMPLICIT) {
        double turned_for = update == CN_ROTATION_RIG_POS ? ahead : 0.0;
        CnVec3 momentum = cn_mat3_apply(&body->mass->inertia, spin);
        CnVec3 seen = turn_back(cn_vec3_scale(ahead, spin), momentum);
        spin = cn_mat3_apply(&body->mass->inverse_inertia,
                             cn_vec3_add_scaled(seen, turned_for, torque));
    }
    CnVec3 rate = cn_vec3_cross(cn_mat3_apply(&body->mass->inertia, spin), spin);
    return cn_vec3_scale(world->step.dt, rate);
}

// What a load gives to a body; NULL: there is none, but the gyroscopic term may act.
static void take_load(const CnWorld* world, const CnBody* body, double ahead, const CnLoad* load,
                      const CnMotion* motion, CnMotionExtras* extras) {
    CnVec3 torque = cn_vec3(0.0, 0.0, 0.0);
    if (load != NULL) {
        torque = cn_quat_unrotate(motion->rotation, load->torque);
        extras->load = cn_vec3_scale(world->step.dt, load->force);
        extras->load_moment = cn_vec3_scale(world->step.dt, torque);
    }
    extras->gyration = gyration_impulse(world, body, motion, ahead, torque);
}

// Without extras gravity alone acts.
static void advance_free(const CnWorld* world, const CnBody* body, double ahead, const CnLoad* load,
                         const CnMotion* motion, CnMotionExtras* extras, CnVec3* velocity,
                         CnVec3* spin) {
    double dt = world->step.dt;
    CnVec3 pushed = cn_vec3(0.0, 0.0, 0.0), turned = cn_vec3(0.0, 0.0, 0.0);
    if (extras != NULL) {
        take_load(world, body, ahead, load, motion, extras);
        CnVec3 twist = cn_vec3_add(extras->load_moment, extras->gyration);
        pushed = cn_vec3_scale(body->mass->inverse_mass, extras->load);
        turned = cn_mat3_apply(&body->mass->inverse_inertia, twist);
    }
    *velocity = cn_vec3_add_scaled(motion->start.velocity, dt, cn_body_gravity(world, body));
    *velocity = cn_vec3_add(*velocity, pushed);
    *spin = cn_vec3_add(motion->ahead_spin, turned);
    if (extras != NULL && cn_world_damps_exactly(world)) {
        cn_motion_damp(body, dt, motion, extras, velocity, spin);
    }
}

// Returns whether its motion is finite.
static bool set_problem_body(CnWorld* world, int index, const CnBody* body, CnVec3 velocity,
                             CnVec3 turning) {
    CnStep* step = &world->step;
    const CnMotion* motion = &step->motions.data[index];
    CnMat3 rotation = cn_mat3_from_quat(motion->rotation);
    CnMat3 inverse = cn_mat3_rotate_tensor(&rotation, &body->mass->inverse_inertia);
    CnDampingShares shares = {1.0, 1.0};
    if (world->damped_count > 0) {
        shares = cn_motion_damping_shares(world, body);
    }
    double free_velocity[6] = {velocity.x, velocity.y, velocity.z, turning.x, turning.y, turning.z};
    const double center[3] = {motion->center.x, motion->center.y, motion->center.z};

    step->is_dynamic[index] = body->type == CN_BODY_DYNAMIC;
    step->inverse_mass[index] = shares.linear * body->mass->inverse_mass;
    memcpy(step->center[index], center, sizeof center);
    if (shares.angular != 1.0) {
        for (int k = 0; k < 9; ++k) {
            inverse.m[k / 3][k % 3] *= shares.angular;
        }
    }
    memcpy(step->inverse_inertia[index], inverse.m, sizeof *step->inverse_inertia);
    memcpy(step->free_velocity[index], free_velocity, sizeof free_velocity);
    return cn_vec3_is_finite(velocity) && cn_vec3_is_finite(turning) &&
           cn_vec3_is_finite(motion->center) && isfinite(motion->rotation.w);
}

// Loads that look at velocities are asked twice: first at the start velocity, then at the one that
// the first answer leads to on average over the step, which makes them second order.
static void evaluate_loads(CnWorld* world, double theta, const CnBodyState* states,
                           CnBodyState* guess, CnLoad* loads) {
    double ahead = (1.0 - theta) * world->step.dt;
    double time = world->step.time + ahead;
    bool again = false;

    cn_world_loads(world, states, time, loads);
    CnIndexList moving = cn_active_bodies(world);
    for (int k = 0; k < moving.count; ++k) {
        int i = cn_index_at(&moving, k);
        const CnBody* body = cn_world_body_by_index(world, i);
        const CnMotion* motion = &world->step.motions.data[i];
        guess[i] = states[i];
        if (body->type == CN_BODY_DYNAMIC && loads[i].depends_on_velocity) {
            CnVec3 velocity, spin;
            advance_free(world, body, ahead, &loads[i], motion, &world->step.extras.data[i],
                         &velocity, &spin);
            CnVec3 turning = cn_quat_rotate(motion->rotation, spin);
            guess[i].velocity = cn_vec3_add(cn_vec3_scale(1.0 - theta, states[i].velocity),
                                            cn_vec3_scale(theta, velocity));
            guess[i].angular_velocity =
                cn_vec3_add(cn_vec3_scale(1.0 - theta, states[i].angular_velocity),
                            cn_vec3_scale(theta, turning));
            again = true;
        }
    }
    if (again) {
        cn_world_loads(world, guess, time, loads);
    }
}

// What a step writes about bodies that move, and nobody about the others.
static void clear_velocity(CnStep* step, int body) {
    memset(step->start_velocity[body], 0, sizeof *step->start_velocity);
    memset(step->momentum[body], 0, sizeof *step->momentum);
    memset(step->velocity[body], 0, sizeof *step->velocity);
}

// Bodies without rows keep their free velocity. The velocity as the step began is seen in the axes
// of the problem.
static void set_velocities(CnStep* step, int body) {
    const CnMotion* motion = &step->motions.data[body];
    CnVec3 v = motion->start.velocity;
    CnVec3 turning = cn_quat_rotate(motion->rotation, motion->ahead_spin);
    const double start[6] = {v.x, v.y, v.z, turning.x, turning.y, turning.z};
    memcpy(step->start_velocity[body], start, sizeof start);
    memcpy(step->velocity[body], step->free_velocity[body], sizeof *step->velocity);
}

static void free_one(Motions* motions, int i) {
    CnWorld* world = motions->world;
    const CnBody* body = cn_world_body_by_index(world, i);
    const CnMotion* motion = &world->step.motions.data[i];
    CnVec3 velocity = motion->start.velocity, spin = motion->ahead_spin;
    if (body->type == CN_BODY_DYNAMIC) {
        double ahead = (1.0 - motions->theta) * world->step.dt;
        const CnLoad* load = motions->loads == NULL ? NULL : &motions->loads[i];
        advance_free(world, body, ahead, load, motion, cn_motion_extras(&world->step, i), &velocity,
                     &spin);
    }
    CnVec3 turning = cn_quat_rotate(motion->rotation, spin);
    if (!set_problem_body(world, i, body, velocity, turning)) {
        atomic_store(&motions->overflows, true);
    }
    if (body->type == CN_BODY_STATIC) {
        clear_velocity(&world->step, i);
    } else {
        set_velocities(&world->step, i);
        motions->ahead[i] = (CnBodyState){motion->center, motion->rotation, velocity, turning};
    }
}

static void free_range(int begin, int end, int worker, void* data) {
    Motions* motions = data;
    CnMovingStep moving = {.world = motions->world,
                           .theta = motions->theta,
                           .states = motions->states,
                           .ahead = motions->ahead};
    (void)worker;
    while (begin < end) {
        CnMovingGroup group;
        if (!next_group(motions, begin, end, &group)) {
            int i = cn_index_at(&motions->list, begin++);
            if (motions->repredicts) {
                repredict_one(motions, i);
            }
            free_one(motions, i);
            continue;
        }
        if (motions->repredicts) {
            motions->lanes->repredict(&moving, group.body);
        }
        if (!motions->lanes->set_free(&moving, group.body)) {
            atomic_store(&motions->overflows, true);
        }
        begin += group.count;
    }
}

static void add_totals(const Motions* motions, int begin, int end, CnBodyTotals* totals) {
    for (int k = begin; totals != NULL && k < end; ++k) {
        const CnBody* body = cn_world_body_by_index(motions->world, cn_index_at(&motions->list, k));
        if (body->type == CN_BODY_DYNAMIC) {
            cn_ledger_add_totals(motions->world, body, totals);
        }
    }
}

static void begin_group(Motions* motions, const CnMovingStep* moving, const CnMovingGroup* group,
                        CnBodyTotals* totals) {
    const CnMovingLanes* lanes = motions->lanes;
    if (motions->frees) {
        if (!lanes->begin(moving, group->body, group->count, totals)) {
            atomic_store(&motions->overflows, true);
        }
        return;
    }
    if (totals != NULL) {
        lanes->total(motions->world, group->body, group->count, totals);
    }
    lanes->predict(moving, group->body);
}

// totals: gets what the bodies have, unless it is NULL. All is done for some bodies at a time,
// which are in the cache then.
static void begin_bodies(Motions* motions, int begin, int end, CnBodyTotals* totals) {
    CnMovingStep moving = {.world = motions->world,
                           .theta = motions->theta,
                           .states = motions->states,
                           .ahead = motions->ahead};
    while (begin < end) {
        CnMovingGroup group;
        if (next_group(motions, begin, end, &group)) {
            begin_group(motions, &moving, &group, totals);
            begin += group.count;
            continue;
        }
        int some = end_of_some(motions, begin, end);
        add_totals(motions, begin, some, totals);
        begin_some(motions, begin, some);
        for (int k = begin; motions->frees && k < some; ++k) {
            free_one(motions, cn_index_at(&motions->list, k));
        }
        begin = some;
    }
}

static void begin_range(int begin, int end, int worker, void* data) {
    (void)worker;
    begin_bodies(data, begin, end, NULL);
}

static void begin_and_total_range(int begin, int end, int worker, void* data) {
    Motions* motions = data;
    (void)worker;
    for (int part = begin; part < end; ++part) {
        int first = part * motions->parts->size, last = first + motions->parts->size;
        begin_bodies(motions, first, last < motions->list.count ? last : motions->list.count,
                     &motions->parts->totals[part]);
    }
}

static void note_moved(CnWorld* world) {
    world->active.moved = world->active.version;
    if (world->step.extras.count > 0) {
        world->active.told_extras = world->active.version;
    }
}

bool cn_motion_begin(CnWorld* world, bool from_rest, double theta, CnBodyState* states,
                     CnLedgerParts* parts) {
    Motions motions = {
        .world = world,
        .list = cn_active_bodies_since(world, world->active.moved),
        .from_rest = from_rest,
        .theta = theta,
        .states = states,
        .parts = parts,
    };
    const int* moving = cn_active_bodies(world).indices;
    bool is_totalled = parts != NULL && moving != NULL && motions.list.indices == moving;
    if (states != NULL && !from_rest) {
        use_lanes(&motions);
    }
    if (is_totalled) {
        *parts = cn_ledger_divide(world);
        cn_tasks_for(&world->def.tasks, parts->count, 1, begin_and_total_range, &motions);
    } else {
        cn_tasks_for(&world->def.tasks, motions.list.count, BODIES_PER_TASK, begin_range, &motions);
    }
    cn_rollback_note_starts(world);
    note_moved(world);
    return is_totalled;
}

// Of all bodies.
static void clear_velocities(CnStep* step) {
    size_t size = (size_t)step->body_count * sizeof(double[6]);
    if (size > 0) {
        memset(step->start_velocity, 0, size);
        memset(step->momentum, 0, size);
        memset(step->velocity, 0, size);
    }
}

// The loads of bodies from the arena, NULL if none acts on any. False: no memory.
static bool find_loads(CnWorld* world, double theta, const CnBodyState* states,
                       const CnLoad** found) {
    int count = world->order.count;
    *found = NULL;
    if (!cn_world_has_loads(world)) {
        return true;
    }
    CnLoad* loads = CN_ARENA_RAW(&world->arena, CnLoad, count);
    CnBodyState* guess = CN_ARENA_RAW(&world->arena, CnBodyState, count);
    if (loads == NULL || guess == NULL) {
        return false;
    }
    evaluate_loads(world, theta, states, guess, loads);
    *found = loads;
    return true;
}

CnStatus cn_motion_free(CnWorld* world, double theta, bool moved, CnBodyState* states,
                        CnBodyState* ahead, CnError* error) {
    CnArenaMark mark = cn_arena_mark(&world->arena);
    Motions motions = {
        .world = world,
        .list = cn_step_bodies(world),
        .theta = theta,
        .states = states,
        .ahead = ahead,
        .repredicts = moved && !cn_world_has_loads(world),
    };
    CnStatus status = CN_NO_MEMORY;
    for (int k = 0; moved && !motions.repredicts && k < motions.list.count; ++k) {
        repredict_one(&motions, cn_index_at(&motions.list, k));
    }
    if (find_loads(world, theta, states, &motions.loads)) {
        if (motions.list.indices == NULL) {
            clear_velocities(&world->step);
        }
        if (motions.loads == NULL) {
            use_lanes(&motions);
        }
        cn_tasks_for(&world->def.tasks, motions.list.count, BODIES_PER_TASK, free_range, &motions);
        world->step.version = world->active.version;
        status = motions.overflows ? cn_step_check_motion(world, states, error) : CN_OK;
    }
    cn_arena_release(&world->arena, mark);
    return status;
}

bool cn_motion_begins_at_once(const CnWorld* world) {
    CnIndexList begun = cn_active_bodies_since(world, world->active.moved);
    return begun.indices != NULL && begun.indices == cn_active_bodies(world).indices &&
           begun.indices == cn_step_bodies(world).indices && !cn_world_has_loads(world);
}

CnStatus cn_motion_begin_and_free(CnWorld* world, bool from_rest, double theta, CnBodyState* states,
                                  CnBodyState* ahead, CnLedgerParts* parts, CnError* error) {
    *parts = cn_ledger_divide(world);
    Motions motions = {
        .world = world,
        .list = cn_active_bodies(world),
        .from_rest = from_rest,
        .theta = theta,
        .states = states,
        .ahead = ahead,
        .parts = parts,
        .frees = true,
    };
    if (world->step.extras.count == 0) {
        use_lanes(&motions);
    }
    cn_tasks_for(&world->def.tasks, parts->count, 1, begin_and_total_range, &motions);
    cn_rollback_note_starts(world);
    note_moved(world);
    world->step.version = world->active.version;
    return motions.overflows ? cn_step_check_motion(world, states, error) : CN_OK;
}

// Angular momentum at the poses of the problem after all impulses, body axes: momentum_ahead + load
// + constraints. spin is the solved one, W1.
static CnVec3 momentum_after(const CnWorld* world, const CnBody* body, const CnMotion* motion,
                             const CnMotionExtras* extras, double ahead, CnVec3 spin) {
    CnVec3 gained = cn_mat3_apply(&body->mass->inertia, cn_vec3_sub(spin, motion->ahead_spin));
    CnVec3 before = momentum_ahead(world, body, motion, ahead);
    return cn_vec3_add(before, cn_vec3_sub(gained, extras->gyration));
}

// The solved spin turned on to the end of the step by one of the updates of docs/theory/moreau.md
// (5).
static void turn_by_update(const CnWorld* world, const CnBody* body, CnMotion* motion,
                           CnMotionExtras* extras, double theta, CnVec3 spin) {
    double rest = theta * world->step.dt;
    CnRotationUpdate update = world->def.step.rotation;
    CnVec3 momentum =
        momentum_after(world, body, motion, extras, (1.0 - theta) * world->step.dt, spin);
    bool keeps_momentum = false;

    motion->end_spin = spin;
    if (update == CN_ROTATION_RIG_NEG) {
        CnVec3 seen = turn_back(cn_vec3_scale(rest, spin), momentum);
        motion->end_spin = cn_mat3_apply(&body->mass->inverse_inertia, seen);
        keeps_momentum = true;
    } else if (update == CN_ROTATION_RIG_IMP) {
        spin = motion->end_spin = cn_spin_of_momentum(&body->mass->inertia, spin, momentum, rest);
        keeps_momentum = true;
    }
    motion->end_rotation = turn_straight(motion->rotation, rest, spin, &extras->turn_after);
    if (!keeps_momentum) {
        CnVec3 end = cn_mat3_apply(&body->mass->inertia, motion->end_spin);
        CnVec3 made = cn_vec3_sub(cn_quat_rotate(motion->end_rotation, end),
                                  cn_quat_rotate(motion->rotation, momentum));
        extras->spin_defect = cn_vec3_add(extras->spin_defect, made);
    }
}

// Energy that a change of the spin makes, from what it was and what it becomes [J].
static double work_between(const CnBody* body, CnVec3 from, CnVec3 to) {
    CnVec3 change = cn_mat3_apply(&body->mass->inertia, cn_vec3_sub(to, from));
    return 0.5 * cn_vec3_dot(change, cn_vec3_add(from, to));
}

// Where moments do their work, and what turning makes or loses besides: docs/theory/ledger.md (2).
static void book_turning(const CnWorld* world, const CnBody* body, CnMotion* motion,
                         CnMotionExtras* extras, CnVec3 spin) {
    CnVec3 start = cn_motion_start_spin(motion);
    if (is_split(world)) {
        if (extras != NULL) {
            extras->mean_spin = cn_vec3_scale(0.5, cn_vec3_add(motion->ahead_spin, spin));
        }
        motion->turning_work = work_between(body, start, motion->ahead_spin) +
                               work_between(body, spin, motion->end_spin);
        return;
    }
    CnVec3 update = cn_mat3_apply(&body->mass->inertia, cn_vec3_sub(motion->end_spin, spin));
    extras->mean_spin = cn_vec3_scale(0.5, cn_vec3_add(start, motion->end_spin));
    motion->turning_work = cn_vec3_dot(extras->mean_spin, cn_vec3_add(extras->gyration, update));
    CnVec3 added = cn_mat3_apply(&body->mass->inverse_inertia, extras->gyration);
    extras->gyration_gain = work_between(body, start, cn_vec3_add(start, added));
}

// turn: its free turn; NULL: an update turns it, and there are extras.
static void finish_body(const CnWorld* world, CnBody* body, const CnFreeTurn* turn,
                        CnMotion* motion, CnMotionExtras* extras, double theta, CnVec3 velocity,
                        CnVec3 spin) {
    double rest = theta * world->step.dt;
    if (turn != NULL) {
        motion->end_spin = spin;
        motion->end_rotation = turn_freely(world, turn, motion->rotation, rest, &motion->end_spin,
                                           extras == NULL ? NULL : &extras->turn_after);
    } else {
        turn_by_update(world, body, motion, extras, theta, spin);
    }
    book_turning(world, body, motion, extras, spin);
    CnVec3 center = cn_vec3_add_scaled(motion->center, rest, velocity);
    if (extras != NULL) {
        extras->final_spin = motion->end_spin;
        extras->end_velocity = velocity;
        extras->end_center = center;
    }
    body->state = (CnBodyState){
        .center = center,
        .rotation = motion->end_rotation,
        .velocity = velocity,
        .angular_velocity = cn_quat_rotate(motion->end_rotation, motion->end_spin),
    };
}

// A kinematic body keeps its velocity.
static void finish_given_body(const CnWorld* world, CnBody* body, CnMotion* motion,
                              CnMotionExtras* extras, double theta) {
    double rest = theta * world->step.dt;
    CnVec3 spin = cn_motion_start_spin(motion);
    CnQuat rotation =
        turn_straight(motion->rotation, rest, spin, extras == NULL ? NULL : &extras->turn_after);
    motion->end_spin = spin;
    body->state.center = cn_vec3_add_scaled(motion->center, rest, motion->start.velocity);
    if (extras != NULL) {
        extras->final_spin = extras->mean_spin = spin;
        extras->end_velocity = motion->start.velocity;
        extras->end_center = body->state.center;
    }
    body->state.rotation = rotation;
    motion->end_rotation = rotation;
}

// The solved spin of a body, in its axes.
static CnVec3 solved_spin(const CnStep* step, int index) {
    const double* v = step->velocity[index];
    return cn_quat_unrotate(step->motions.data[index].rotation, cn_vec3(v[3], v[4], v[5]));
}

CnVec3 cn_motion_mean_spin(const CnWorld* world, int index) {
    const CnMotion* motion = &world->step.motions.data[index];
    const CnMotionExtras* extras = cn_motion_extras(&world->step, index);
    if (extras != NULL) {
        return extras->mean_spin;
    }
    return world->bodies.data[index].type == CN_BODY_DYNAMIC
               ? cn_vec3_scale(0.5,
                               cn_vec3_add(motion->ahead_spin, solved_spin(&world->step, index)))
               : cn_motion_start_spin(motion);
}

// At most TURNS_AT_ONCE bodies of the list.
static void finish_some(Motions* motions, int begin, int end) {
    CnWorld* world = motions->world;
    double theta = motions->theta;
    bool turns_freely = is_split(world);
    FreeTurns turns;
    turns.count = 0;
    for (int k = begin; turns_freely && k < end; ++k) {
        int i = cn_index_at(&motions->list, k);
        const CnBody* body = cn_world_body_by_index(world, i);
        if (body->type == CN_BODY_DYNAMIC) {
            add_turn(&turns, body, solved_spin(&world->step, i));
        }
    }
    cn_free_rotations(turns.count, theta * world->step.dt, turns.turn);
    const CnFreeTurn* next = turns.turn;
    for (int k = begin; k < end; ++k) {
        int i = cn_index_at(&motions->list, k);
        CnBody* body = cn_world_body_by_index(world, i);
        CnMotion* motion = &world->step.motions.data[i];
        CnMotionExtras* extras = cn_motion_extras(&world->step, i);
        const double* v = world->step.velocity[i];
        if (body->type == CN_BODY_DYNAMIC) {
            CnVec3 velocity = cn_vec3(v[0], v[1], v[2]), spin = solved_spin(&world->step, i);
            if (world->damped_count > 0) {
                cn_motion_damp_rows(world, body, world->step.free_velocity[i], velocity, spin,
                                    motion, extras);
            }
            finish_body(world, body, turns_freely ? next++ : NULL, motion, extras, theta, velocity,
                        spin);
        } else {
            finish_given_body(world, body, motion, extras, theta);
        }
        motions->end[i] = body->state;
        if (motions->lanes != NULL) { // as they do: the ledger may take it together with others
            cn_ledger_set_mean_velocity(world, i);
        }
        if (!cn_step_is_sound(world, body)) {
            atomic_store(&motions->overflows, true);
        }
    }
}

static void finish_group(Motions* motions, const CnMovingStep* moving, const int* bodies) {
    unsigned unsure = motions->lanes->finish(moving, bodies);
    for (int i = 0; unsure >> i != 0; ++i) {
        const CnBody* body = cn_world_body_by_index(motions->world, bodies[i]);
        if ((unsure >> i & 1u) != 0 && !cn_step_is_sound(motions->world, body)) {
            atomic_store(&motions->overflows, true);
        }
    }
}

static void finish_range(int begin, int end, int worker, void* data) {
    Motions* motions = data;
    CnMovingStep moving = {.world = motions->world, .theta = motions->theta, .end = motions->end};
    (void)worker;
    while (begin < end) {
        CnMovingGroup group;
        if (next_group(motions, begin, end, &group)) {
            finish_group(motions, &moving, group.body);
            begin += group.count;
            continue;
        }
        int some = end_of_some(motions, begin, end);
        finish_some(motions, begin, some);
        begin = some;
    }
}

bool cn_motion_finish(CnWorld* world, double theta, CnBodyState* end) {
    Motions motions = {
        .world = world,
        .list = cn_active_bodies(world),
        .theta = theta,
        .end = end,
    };
    use_lanes(&motions);
    world->step.rest = theta * world->step.dt;
    cn_tasks_for(&world->def.tasks, motions.list.count, BODIES_PER_TASK, finish_range, &motions);
    return !motions.overflows;
}
