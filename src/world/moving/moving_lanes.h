// moving_lanes.h - bodies that only gravity and contacts move, one in each lane.
//
// begin_body() to set_velocities() and finish_body() of motion.c, add_totals() and book_motion() of
// ledger_bodies.c, operation by operation. In a step with extras these are those of joints: there
// are no loads, no damping and no fast bodies.
#include "math/lane_vectors.h"
#include "world/moving/moving.h"
#include "world/turning/free_rotation.h"
#include "world/turning/round_turn_lanes.h"

#define DOUBLES(type, member) (offsetof(type, member) / sizeof(double))

// Numbers of a body's state.
#define STATE_NUMBERS 13
_Static_assert(sizeof(CnBodyState) == STATE_NUMBERS * sizeof(double) &&
                   offsetof(CnBody, center) == sizeof(CnBodyState) && offsetof(CnBody, state) == 0,
               "a state has no gaps, and one more number can be read after that of a body");

typedef struct LaneState {
    CnLaneVec3 center;
    CnLaneQuat rotation;
    CnLaneVec3 velocity, turning;
} LaneState;

// As CnMotion has them: what the beginning of a step writes, then what its end does.
typedef struct LaneStart {
    LaneState start;
    CnLaneVec3 center;
    CnLaneQuat rotation;
    CnLaneVec3 ahead_spin;
} LaneStart;

typedef struct LaneEnd {
    CnLanes turning_work;
    CnLaneVec3 spin;
    CnLaneQuat rotation;
} LaneEnd;

#define START_NUMBERS 23
#define END_NUMBERS 8
_Static_assert(sizeof(LaneStart) == START_NUMBERS * sizeof(CnLanes) &&
                   sizeof(LaneEnd) == END_NUMBERS * sizeof(CnLanes) &&
                   DOUBLES(CnMotion, center) == STATE_NUMBERS &&
                   DOUBLES(CnMotion, ahead_spin) == STATE_NUMBERS + 7 &&
                   DOUBLES(CnMotion, turning_work) == START_NUMBERS &&
                   DOUBLES(CnMotion, end_rotation) == START_NUMBERS + 4 &&
                   sizeof(CnMotion) == (START_NUMBERS + END_NUMBERS) * sizeof(double),
               "as CnMotion has it");

// As CnMotionExtras has them; nothing else of it is told where joints alone need extras.
typedef struct LaneExtrasEnd {
    CnLaneVec3 final_spin, velocity, center, mean_spin;
} LaneExtrasEnd;

#define EXTRAS_NUMBERS 43
_Static_assert(DOUBLES(CnMotionExtras, late) == DOUBLES(CnMotionExtras, spin_defect) + 3 &&
                   DOUBLES(CnMotionExtras, late_moment) == DOUBLES(CnMotionExtras, late) + 3 &&
                   DOUBLES(CnMotionExtras, final_spin) == DOUBLES(CnMotionExtras, late) + 6 &&
                   DOUBLES(CnMotionExtras, end_velocity) == DOUBLES(CnMotionExtras, late) + 9 &&
                   DOUBLES(CnMotionExtras, end_center) == DOUBLES(CnMotionExtras, late) + 12 &&
                   DOUBLES(CnMotionExtras, mean_spin) == DOUBLES(CnMotionExtras, late) + 15 &&
                   DOUBLES(CnMotionExtras, spin_defect) == CN_EXTRAS_OF_OTHERS &&
                   sizeof(CnMotionExtras) == EXTRAS_NUMBERS * sizeof(double),
               "as CnMotionExtras has it");

// The first numbers of CnMass.
typedef struct LaneMass {
    CnLanes mass, inverse_mass;
    CnLaneMat3 inertia, inverse_inertia;
} LaneMass;

#define MASS_NUMBERS 20
_Static_assert(DOUBLES(CnMass, inverse_mass) == 1 && DOUBLES(CnMass, inertia) == 2 &&
                   DOUBLES(CnMass, inverse_inertia) == 11 &&
                   sizeof(LaneMass) == MASS_NUMBERS * sizeof(CnLanes),
               "as CnMass has it");

CN_LANE_FUNCTION LaneState read_bodies(const CnWorld* world, const int* bodies) {
    const double* from[CN_LANES];
    CnLanes s[STATE_NUMBERS + 1];
    for (int i = 0; i < CN_LANES; ++i) {
        from[i] = &world->bodies.data[bodies[i]].state.center.x;
    }
    cn_lanes_gather_many(from, 0, STATE_NUMBERS + 1, s);
    return (LaneState){cn_lane_vec3(s), cn_lane_quat(s + 3), cn_lane_vec3(s + 7),
                       cn_lane_vec3(s + 10)};
}

CN_LANE_FUNCTION void write_states(const LaneState* state, CnBodyState* const to[CN_LANES]) {
    double* at[CN_LANES];
    for (int i = 0; i < CN_LANES; ++i) {
        at[i] = &to[i]->center.x;
    }
    cn_lanes_scatter_many((const CnLanes*)(const void*)state, STATE_NUMBERS, at, 0);
}

// Numbers of the masses, from one on; bodies that are alike share a record.
CN_LANE_FUNCTION void read_masses(const CnWorld* world, const int* bodies, int place, int count,
                                  CnLanes* to) {
    const double* from[CN_LANES];
    for (int i = 0; i < CN_LANES; ++i) {
        from[i] = &world->bodies.data[bodies[i]].mass->mass;
    }
    cn_lanes_gather_many(from, place, count, to + place);
}

CN_LANE_FUNCTION CnLaneVec3 gravity_of(const CnWorld* world, const int* bodies) {
    CnLanes scale;
    for (int i = 0; i < CN_LANES; ++i) {
        scale[i] = world->bodies.data[bodies[i]].gravity_scale;
    }
    CnVec3 g = world->def.gravity;
    return cn_lane_scale(scale, (CnLaneVec3){cn_lanes(g.x), cn_lanes(g.y), cn_lanes(g.z)});
}

CN_LANE_FUNCTION void read_motions(const CnStep* step, const int* bodies, int place, int count,
                                   CnLanes* to) {
    const double* from[CN_LANES];
    for (int i = 0; i < CN_LANES; ++i) {
        from[i] = &step->motions.data[bodies[i]].start.center.x;
    }
    cn_lanes_gather_many(from, place, count, to);
}

CN_LANE_FUNCTION void write_motions(const CnLanes* numbers, int count, const CnStep* step,
                                    const int* bodies, int place) {
    double* to[CN_LANES];
    for (int i = 0; i < CN_LANES; ++i) {
        to[i] = &step->motions.data[bodies[i]].start.center.x;
    }
    cn_lanes_scatter_many(numbers, count, to, place);
}

CN_LANE_FUNCTION void read_extras(const CnStep* step, const int* bodies, int place, int count,
                                  CnLanes* to) {
    const double* from[CN_LANES];
    for (int i = 0; i < CN_LANES; ++i) {
        from[i] = &step->extras.data[bodies[i]].stored_velocity.x;
    }
    cn_lanes_gather_many(from, place, count, to);
}

CN_LANE_FUNCTION void write_extras(const CnLanes* numbers, int count, const CnStep* step,
                                   const int* bodies, int place) {
    double* to[CN_LANES];
    for (int i = 0; i < CN_LANES; ++i) {
        to[i] = &step->extras.data[bodies[i]].stored_velocity.x;
    }
    cn_lanes_scatter_many(numbers, count, to, place);
}

CN_LANE_FUNCTION void write_six(CnLaneVec3 first, CnLaneVec3 second, double (*array)[6],
                                const int* bodies) {
    const CnLanes numbers[6] = {first.x, first.y, first.z, second.x, second.y, second.z};
    double* to[CN_LANES];
    for (int i = 0; i < CN_LANES; ++i) {
        to[i] = array[bodies[i]];
    }
    cn_lanes_scatter_many(numbers, 6, to, 0);
}

// Zero if all numbers are finite, else NaN.
CN_LANE_FUNCTION CnLanes unless_finite(CnLaneVec3 a) {
    CnLanes zero = cn_lanes(0.0);
    return zero * a.x + zero * a.y + zero * a.z;
}

CN_LANE_STAGE void turn_spinning(const CnWorld* world, const int* bodies, double time,
                                 CnLaneVec3* spin, CnLaneQuat* turn) {
    CnFreeTurn turns[CN_LANES];
    for (int i = 0; i < CN_LANES; ++i) {
        const CnMass* mass = world->bodies.data[bodies[i]].mass;
        turns[i] = (CnFreeTurn){.inertia = &mass->inertia,
                                .inverse = &mass->inverse_inertia,
                                .spin = {spin->x[i], spin->y[i], spin->z[i]}};
    }
    cn_free_rotations(CN_LANES, time, turns);
    for (int i = 0; i < CN_LANES; ++i) {
        spin->x[i] = turns[i].spin.x;
        spin->y[i] = turns[i].spin.y;
        spin->z[i] = turns[i].spin.z;
        turn->w[i] = turns[i].turn.w;
        turn->x[i] = turns[i].turn.x;
        turn->y[i] = turns[i].turn.y;
        turn->z[i] = turns[i].turn.z;
    }
}

CN_LANE_FUNCTION CnLaneQuat select_quat(CnMask where, CnLaneQuat yes, CnLaneQuat no) {
    return (CnLaneQuat){cn_select(where, yes.w, no.w), cn_select(where, yes.x, no.x),
                        cn_select(where, yes.y, no.y), cn_select(where, yes.z, no.z)};
}

// Bodies that are round, or do not turn. False: one of them turns too far for that.
CN_LANE_FUNCTION bool turn_round(const CnLaneMat3* inertia, double time, CnMask still,
                                 CnLaneVec3* spin, CnLaneQuat* turn) {
    CnMask is_small;
    CnLaneVec3 end = *spin;
    CnLaneQuat own = cn_lane_turn_round(inertia, time, &end, &is_small);
    if (cn_any(~(is_small | still))) {
        return false;
    }
    *turn = select_quat(still, *turn, own);
    *spin = (CnLaneVec3){cn_select(still, spin->x, end.x), cn_select(still, spin->y, end.y),
                         cn_select(still, spin->z, end.z)};
    return true;
}

// Turns without moments for a time, from one rotation to the next. Bodies that turn evenly keep
// their spin, and take one exponential; round ones take two.
CN_LANE_FUNCTION CnLaneQuat turn_freely(const CnWorld* world, const int* bodies, CnLaneQuat from,
                                        double time, CnLaneVec3* spin) {
    CnLanes zero = cn_lanes(0.0);
    CnLaneQuat turn = {cn_lanes(1.0), zero, zero, zero};
    CnMask still = cn_lane_is_zero(*spin), is_small;
    if (cn_any(~still)) {
        LaneMass mass;
        read_masses(world, bodies, 2, 10, &mass.mass);
        CnMask is_round = cn_lane_is_round(&mass.inertia, *spin);
        CnMask is_even = is_round & cn_equal(mass.inertia.m[1][1], mass.inertia.m[2][2]);
        bool are_even = !cn_any(~(is_even | still)), is_done = false;
        if (are_even) {
            CnLaneQuat even = cn_lane_exp_small(cn_lane_scale(cn_lanes(time), *spin), &is_small);
            is_done = !cn_any(~(is_small | still));
            turn = is_done ? select_quat(still, turn, even) : turn;
        } else if (!cn_any(~((is_round & ~is_even) | still))) {
            is_done = turn_round(&mass.inertia, time, still, spin, &turn);
        }
        if (!is_done) {
            turn_spinning(world, bodies, time, spin, &turn);
        }
    }
    return cn_lane_normalize(cn_lane_multiply(from, turn));
}

// What rows see of the bodies.
CN_LANE_FUNCTION void write_problem(CnStep* step, const int* bodies, const LaneMass* mass,
                                    CnLaneVec3 center, CnLaneQuat rotation) {
    CnLaneMat3 turned = cn_lane_mat3_from_quat(rotation), inverse;
    cn_lane_rotate_tensor(&turned, &mass->inverse_inertia, &inverse);
    double *centers[CN_LANES], *inertias[CN_LANES];
    for (int i = 0; i < CN_LANES; ++i) {
        int body = bodies[i];
        step->is_dynamic[body] = true;
        step->inverse_mass[body] = mass->inverse_mass[i];
        centers[i] = step->center[body];
        inertias[i] = step->inverse_inertia[body];
    }
    cn_lanes_scatter_many(&center.x, 3, centers, 0);
    cn_lanes_scatter_many(&inverse.m[0][0], 9, inertias, 0);
}

// Added number by number, after one another for the bodies of the group: sums do not depend on how
// many are taken together.
CN_LANE_FUNCTION void add_numbers(const double* from, int count, double* to) {
    int k = 0;
    CN_UNROLLED
    for (; k + CN_LANES <= count; k += CN_LANES) {
        cn_lanes_store(cn_lanes_load(to + k) + cn_lanes_load(from + k), to + k);
    }
    CN_UNROLLED
    for (; k < count; ++k) {
        to[k] += from[k];
    }
}

// As CnBodyTotals has them.
typedef struct LaneTotals {
    CnLanes energy, energy_scale;
    CnLanes parts[3];
    CnLaneVec3 linear, angular;
    CnLanes linear_scale, angular_scale;
} LaneTotals;

CN_LANE_FUNCTION LaneTotals totals_of(const LaneState* now, const LaneMass* mass,
                                      CnLaneVec3 gravity) {
    CnLanes half = cn_lanes(0.5);
    CnLaneVec3 p = cn_lane_scale(mass->mass, now->velocity);
    CnLaneVec3 orbital = cn_lane_cross(now->center, p);
    CnLaneVec3 own = {cn_lanes(0.0), cn_lanes(0.0), cn_lanes(0.0)};
    CnLanes moving = cn_lane_dot(p, now->velocity), turning = cn_lanes(0.0);
    CnMask turns = ~cn_lane_is_zero(now->turning);
    if (cn_any(turns)) {
        CnLaneVec3 spin = cn_lane_unrotate(now->rotation, now->turning);
        CnLaneVec3 momentum = cn_lane_apply(&mass->inertia, spin);
        own = cn_lane_rotate(now->rotation, momentum);
        own = (CnLaneVec3){cn_keep(turns, own.x), cn_keep(turns, own.y), cn_keep(turns, own.z)};
        turning = cn_keep(turns, cn_lane_dot(spin, momentum));
    }
    CnLanes kinetic = half * (moving + turning);
    CnLanes potential = -mass->mass * cn_lane_dot(gravity, now->center);
    CnLanes speed = cn_lane_length(p);
    return (LaneTotals){
        .energy = kinetic + potential,
        .energy_scale = kinetic + cn_lanes_abs(potential),
        .parts = {half * moving, half * turning, potential},
        .linear = p,
        .angular = cn_lane_add(orbital, own),
        .linear_scale = speed,
        .angular_scale = cn_lane_length(now->center) * speed + cn_lane_length(own),
    };
}

CN_LANE_FUNCTION void add_totals(const LaneTotals* totals, int count, CnBodyTotals* to) {
    double rows[CN_LANES][CN_TOTALS_NUMBERS], *at[CN_LANES];
    for (int i = 0; i < CN_LANES; ++i) {
        at[i] = rows[i];
    }
    cn_lanes_scatter_many((const CnLanes*)(const void*)totals, CN_TOTALS_NUMBERS, at, 0);
    for (int i = 0; i < count; ++i) {
        add_numbers(rows[i], CN_TOTALS_NUMBERS, &to->energy);
    }
}

CN_LANE_STAGE void total_group(const CnWorld* world, const int* bodies, int count,
                               CnBodyTotals* to) {
    LaneState now = read_bodies(world, bodies);
    LaneMass mass;
    read_masses(world, bodies, 0, 12, &mass.mass);
    LaneTotals totals = totals_of(&now, &mass, gravity_of(world, bodies));
    add_totals(&totals, count, to);
}

// Where a body is, and how it arrives at the poses of the problem.
CN_LANE_FUNCTION LaneStart start_of(const CnMovingStep* moving, const int* bodies,
                                    const LaneState* now) {
    double time = (1.0 - moving->theta) * moving->world->step.dt;
    LaneStart start;
    start.start = *now;
    start.ahead_spin = cn_lane_unrotate(now->rotation, now->turning);
    start.rotation = turn_freely(moving->world, bodies, now->rotation, time, &start.ahead_spin);
    start.center = cn_lane_add_scaled(now->center, cn_lanes(time), now->velocity);
    return start;
}

CN_LANE_FUNCTION LaneState write_start(const CnMovingStep* moving, const int* bodies,
                                       const LaneStart* start) {
    LaneState posed = {start->center, start->rotation, start->start.velocity,
                       cn_lane_rotate(start->rotation, start->ahead_spin)};
    CnBodyState* states[CN_LANES];
    for (int i = 0; i < CN_LANES; ++i) {
        states[i] = &moving->states[bodies[i]];
    }
    write_motions((const CnLanes*)(const void*)start, START_NUMBERS, &moving->world->step, bodies,
                  0);
    write_states(&posed, states);
    return posed;
}

// From there on with free velocities. False: something is not finite.
CN_LANE_FUNCTION bool set_free(const CnMovingStep* moving, const int* bodies, const LaneMass* mass,
                               const LaneState* posed, CnLaneVec3 ahead_spin, CnLaneVec3 gravity) {
    CnStep* step = &moving->world->step;
    // motion.c adds loads here, also where they are zero, which turns -0 into 0: so does this.
    CnLaneVec3 none = {cn_lanes(0.0), cn_lanes(0.0), cn_lanes(0.0)};
    CnLaneVec3 pulled = cn_lane_add_scaled(posed->velocity, cn_lanes(step->dt), gravity);
    LaneState ahead = {posed->center, posed->rotation, cn_lane_add(pulled, none),
                       cn_lane_rotate(posed->rotation, cn_lane_add(ahead_spin, none))};
    CnBodyState* ahead_states[CN_LANES];
    for (int i = 0; i < CN_LANES; ++i) {
        ahead_states[i] = &moving->ahead[bodies[i]];
    }
    write_states(&ahead, ahead_states);
    write_problem(step, bodies, mass, posed->center, posed->rotation);
    write_six(ahead.velocity, ahead.turning, step->free_velocity, bodies);
    write_six(ahead.velocity, ahead.turning, step->velocity, bodies);
    write_six(posed->velocity, posed->turning, step->start_velocity, bodies);
    CnLanes sum = unless_finite(ahead.velocity) + unless_finite(ahead.turning) +
                  unless_finite(ahead.center) + cn_lanes(0.0) * ahead.rotation.w;
    return !cn_any(~cn_equal(sum, cn_lanes(0.0)));
}

CN_LANE_STAGE bool begin_group(const CnMovingStep* moving, const int* bodies, int count,
                               CnBodyTotals* totals) {
    CnWorld* world = moving->world;
    LaneState now = read_bodies(world, bodies);
    LaneMass mass;
    read_masses(world, bodies, 0, MASS_NUMBERS, &mass.mass);
    CnLaneVec3 gravity = gravity_of(world, bodies);
    LaneTotals sums = totals_of(&now, &mass, gravity);
    add_totals(&sums, count, totals);
    LaneStart start = start_of(moving, bodies, &now);
    LaneState posed = write_start(moving, bodies, &start);
    return set_free(moving, bodies, &mass, &posed, start.ahead_spin, gravity);
}

// ---- steps with joints, which are put right at the poses of the problem before loads act ----

// What is not written later: spin_defect, late, late_moment.
CN_LANE_FUNCTION void clear_extras(CnMotionExtras* extras) {
    double* numbers = (double*)(void*)extras + CN_EXTRAS_OF_OTHERS;
    CN_UNROLLED
    for (int k = 0; k < 8; k += CN_LANES) {
        cn_lanes_store(cn_lanes(0.0), numbers + k);
    }
    numbers[8] = 0.0;
}

CN_LANE_STAGE void predict_group(const CnMovingStep* moving, const int* bodies) {
    LaneState now = read_bodies(moving->world, bodies);
    LaneStart start = start_of(moving, bodies, &now);
    write_start(moving, bodies, &start);
    for (int i = 0; moving->world->step.extras.count > 0 && i < CN_LANES; ++i) {
        clear_extras(&moving->world->step.extras.data[bodies[i]]);
    }
}

CN_LANE_STAGE void repredict_group(const CnMovingStep* moving, const int* bodies) {
    const CnStep* step = &moving->world->step;
    const double* from[CN_LANES];
    for (int i = 0; i < CN_LANES; ++i) {
        from[i] = &moving->states[bodies[i]].center.x;
    }
    CnLanes pose[8], m[8]; // of a motion: rotation and ahead_spin
    cn_lanes_gather_many(from, 0, 8, pose);
    if (step->extras.count > 0) {
        LaneMass mass;
        read_motions(step, bodies, DOUBLES(CnMotion, rotation), 8, m);
        read_masses(moving->world, bodies, 2, 10, &mass.mass);
        CnLaneVec3 momentum = cn_lane_apply(&mass.inertia, cn_lane_vec3(m + 4));
        CnLaneVec3 defect = cn_lane_sub(cn_lane_rotate(cn_lane_quat(pose + 3), momentum),
                                        cn_lane_rotate(cn_lane_quat(m), momentum));
        write_extras(&defect.x, 3, step, bodies, DOUBLES(CnMotionExtras, spin_defect));
    }
    write_motions(pose, 7, step, bodies, DOUBLES(CnMotion, center));
}

CN_LANE_STAGE bool free_group(const CnMovingStep* moving, const int* bodies) {
    CnWorld* world = moving->world;
    CnLanes m[14]; // of a motion: start.velocity, then center to ahead_spin
    LaneMass mass;
    read_motions(&world->step, bodies, DOUBLES(CnMotion, start.velocity), 4, m);
    read_motions(&world->step, bodies, DOUBLES(CnMotion, center), 10, m + 4);
    read_masses(world, bodies, 0, 2, &mass.mass);
    read_masses(world, bodies, 10, 10, &mass.mass);
    CnLaneVec3 ahead_spin = cn_lane_vec3(m + 11);
    CnLaneQuat rotation = cn_lane_quat(m + 7);
    LaneState posed = {cn_lane_vec3(m + 4), rotation, cn_lane_vec3(m),
                       cn_lane_rotate(rotation, ahead_spin)};
    return set_free(moving, bodies, &mass, &posed, ahead_spin, gravity_of(world, bodies));
}

CN_LANE_FUNCTION CnLaneVec3 mean_of(CnLaneVec3 a, CnLaneVec3 b) {
    return cn_lane_scale(cn_lanes(0.5), cn_lane_add(a, b));
}

// Energy that a change of the spin makes.
CN_LANE_FUNCTION CnLanes work_between(const CnLaneMat3* inertia, CnLaneVec3 from, CnLaneVec3 to) {
    CnLaneVec3 change = cn_lane_apply(inertia, cn_lane_sub(to, from));
    return cn_lanes(0.5) * cn_lane_dot(change, cn_lane_add(from, to));
}

// As step_check.c: what is far enough below the limit of speed is not too fast.
CN_LANE_FUNCTION CnMask is_sound(const CnWorld* world, const LaneMass* mass,
                                 const LaneState* state) {
    CnLanes sum = unless_finite(state->center) + unless_finite(state->velocity) +
                  unless_finite(state->turning) + cn_lanes(0.0) * state->rotation.w;
    CnMask sound = cn_equal(sum, cn_lanes(0.0));
    double limit = world->def.step.speed_limit;
    if (limit > 0.0) {
        const CnLanes(*inertia)[3] = mass->inertia.m;
        CnLanes half = cn_lanes(0.5) * (inertia[0][0] + inertia[1][1] + inertia[2][2]);
        CnLanes twice = mass->mass * cn_lane_dot(state->velocity, state->velocity) +
                        half * cn_lane_dot(state->turning, state->turning);
        sound &= cn_less(cn_lanes(4.0) * twice, mass->mass * cn_lanes(limit) * cn_lanes(limit));
    }
    return sound;
}

CN_LANE_STAGE unsigned finish_group(const CnMovingStep* moving, const int* bodies) {
    CnWorld* world = moving->world;
    const CnStep* step = &world->step;
    double rest = moving->theta * step->dt;
    const double* solved[CN_LANES];
    CnBodyState *now[CN_LANES], *end_states[CN_LANES];
    for (int i = 0; i < CN_LANES; ++i) {
        solved[i] = step->velocity[bodies[i]];
        now[i] = &world->bodies.data[bodies[i]].state;
        end_states[i] = &moving->end[bodies[i]];
    }
    LaneMass mass;
    CnLanes v[6], m[20]; // of a motion: start.rotation to ahead_spin
    cn_lanes_gather_many(solved, 0, 6, v);
    read_motions(step, bodies, DOUBLES(CnMotion, start.rotation), 20, m);
    read_masses(world, bodies, 0, 12, &mass.mass);
    CnLaneVec3 start_velocity = cn_lane_vec3(m + 4), center = cn_lane_vec3(m + 10),
               ahead_spin = cn_lane_vec3(m + 17), mean_spin = ahead_spin;
    CnLaneQuat rotation = cn_lane_quat(m + 13);
    CnLaneVec3 velocity = cn_lane_vec3(v), spin = cn_lane_unrotate(rotation, cn_lane_vec3(v + 3));

    LaneEnd end;
    end.turning_work = cn_lanes(0.0);
    if (step->is_graded) { // what only ledgers ask
        CnLaneVec3 start_spin = cn_lane_unrotate(cn_lane_quat(m), cn_lane_vec3(m + 7));
        end.turning_work = work_between(&mass.inertia, start_spin, ahead_spin);
    }
    end.spin = spin;
    end.rotation = turn_freely(world, bodies, rotation, rest, &end.spin);
    LaneState state = {cn_lane_add_scaled(center, cn_lanes(rest), velocity), end.rotation, velocity,
                       cn_lane_rotate(end.rotation, end.spin)};

    if (step->is_graded) { // and what cn_ledger_set_mean_velocity() does
        end.turning_work += work_between(&mass.inertia, spin, end.spin);
        CnLaneVec3 mean = mean_of(start_velocity, velocity);
        mean_spin = mean_of(ahead_spin, spin);
        write_six(mean, cn_lane_rotate(rotation, mean_spin), step->mean_velocity, bodies);
    }
    write_motions((const CnLanes*)(const void*)&end, END_NUMBERS, step, bodies, START_NUMBERS);
    if (step->extras.count > 0) {
        LaneExtrasEnd extras = {end.spin, velocity, state.center, mean_spin};
        write_extras((const CnLanes*)(const void*)&extras, 12, step, bodies,
                     DOUBLES(CnMotionExtras, final_spin));
    }
    write_states(&state, now);
    write_states(&state, end_states);
    return cn_mask_bits(~is_sound(world, &mass, &state));
}

// What each body adds to the accounts, in this order.
typedef struct LaneAccounts {
    CnLaneVec3 linear_gravity, angular_gravity;
    CnLaneVec3 angular_integration;
    CnLanes linear_scale, angular_scale;
    CnLanes integration[2], stabilisation, constraint; // work
    CnLaneVec3 turned;                                 // angular_integration by a correction
} LaneAccounts;

#define ACCOUNT_NUMBERS 18
_Static_assert(sizeof(LaneAccounts) == ACCOUNT_NUMBERS * sizeof(CnLanes) &&
                   DOUBLES(CnMomentumLedger, angular_gravity) ==
                       DOUBLES(CnMomentumLedger, linear_gravity) + 3 &&
                   DOUBLES(CnMomentumLedger, linear_scale) ==
                       DOUBLES(CnMomentumLedger, angular_integration) + 3 &&
                   DOUBLES(CnMomentumLedger, angular_scale) ==
                       DOUBLES(CnMomentumLedger, angular_integration) + 4,
               "as CnMomentumLedger has it");

CN_LANE_FUNCTION void add_work(double work, CnWork account, CnEnergyLedger* energy) {
    energy->work[account] += work;
    energy->scale += fabs(work);
}

CN_LANE_FUNCTION void add_accounts(const LaneAccounts* accounts, int count, bool are_relaxed,
                                   bool are_turned, CnEnergyLedger* energy,
                                   CnMomentumLedger* momentum) {
    double rows[CN_LANES][ACCOUNT_NUMBERS], *at[CN_LANES];
    for (int i = 0; i < CN_LANES; ++i) {
        at[i] = rows[i];
    }
    cn_lanes_scatter_many((const CnLanes*)(const void*)accounts, ACCOUNT_NUMBERS, at, 0);
    for (int i = 0; i < count; ++i) {
        const double* row = rows[i];
        add_numbers(row, 6, &momentum->linear_gravity.x);
        add_numbers(row + 6, 5, &momentum->angular_integration.x);
        add_work(row[11], CN_WORK_INTEGRATION, energy);
        if (are_relaxed) {
            add_work(row[14], CN_WORK_CONSTRAINT, energy);
        }
        add_work(row[12], CN_WORK_INTEGRATION, energy);
        add_work(row[13], CN_WORK_STABILISATION, energy);
        if (are_turned) {
            add_numbers(row + 15, 3, &momentum->angular_integration.x);
        }
    }
}

CN_LANE_FUNCTION CnLaneVec3 spin_momentum(const LaneMass* mass, CnLaneQuat rotation,
                                          CnLaneVec3 spin) {
    return cn_lane_rotate(rotation, cn_lane_apply(&mass->inertia, spin));
}

// A correction that turns a body turns its angular momentum with it. Of bodies that are as the
// motion left them nothing is added.
CN_LANE_FUNCTION bool add_turn(const LaneState* now, const LaneEnd* end, const LaneMass* mass,
                               CnLaneVec3* turned) {
    CnLaneQuat a = now->rotation, b = end->rotation;
    CnMask same = cn_equal(a.w, b.w) & cn_equal(a.x, b.x) & cn_equal(a.y, b.y) & cn_equal(a.z, b.z);
    *turned = (CnLaneVec3){cn_lanes(0.0), cn_lanes(0.0), cn_lanes(0.0)};
    if (!cn_any(~same)) {
        return false;
    }
    CnLaneVec3 change =
        cn_lane_sub(spin_momentum(mass, a, end->spin), spin_momentum(mass, b, end->spin));
    *turned =
        (CnLaneVec3){cn_keep(~same, change.x), cn_keep(~same, change.y), cn_keep(~same, change.z)};
    return true;
}

// Whether turning made more than a share of the energy that the motion ends with, which is no less
// than what turning_share() of ledger_bodies.c takes for too much. ROUNDED: of the round-off of
// both.
#define ROUNDED (1.0 - 0x1p-40)
CN_LANE_FUNCTION CnMask makes_much(const LaneMass* mass, CnLaneVec3 velocity, CnLaneVec3 spin,
                                   CnLanes work) {
    CnLanes energy = cn_lanes(0.5) * (mass->mass * cn_lane_dot(velocity, velocity) +
                                      cn_lane_dot(spin, cn_lane_apply(&mass->inertia, spin)));
    CnMask is_little = cn_at_most(work, cn_lanes(CN_TURNING_LIMIT * ROUNDED) * energy);
    return ~(cn_at_most(work, cn_lanes(0.0)) | is_little);
}

CN_LANE_STAGE unsigned book_group(const CnWorld* world, const int* bodies, int count,
                                  CnBodyTotals* totals, CnEnergyLedger* energy,
                                  CnMomentumLedger* momentum, unsigned* unsure) {
    const CnStep* step = &world->step;
    CnLanes dt = cn_lanes(step->dt);
    CnLanes m[START_NUMBERS + END_NUMBERS]; // of a motion; not the poses of the problem
    LaneMass mass;
    read_motions(step, bodies, 0, 10, m);
    read_motions(step, bodies, DOUBLES(CnMotion, center), 4, m + STATE_NUMBERS);
    read_motions(step, bodies, START_NUMBERS, END_NUMBERS, m + START_NUMBERS);
    read_masses(world, bodies, 0, 12, &mass.mass);
    CnLaneVec3 start_center = cn_lane_vec3(m), start_velocity = cn_lane_vec3(m + 7),
               center = cn_lane_vec3(m + STATE_NUMBERS);
    LaneEnd end;
    memcpy(&end, m + START_NUMBERS, sizeof end);
    LaneState now = read_bodies(world, bodies);
    CnLaneVec3 gravity = gravity_of(world, bodies);
    LaneTotals sums = totals_of(&now, &mass, gravity);
    add_totals(&sums, count, totals);
    if (unsure != NULL) {
        *unsure = cn_mask_bits(~is_sound(world, &mass, &now));
    }

    // What the relaxation did, between the end of the motion and the final velocities.
    CnLaneVec3 end_velocity = now.velocity, after = cn_lane_scale(mass.mass, now.velocity);
    CnLaneVec3 end_center = cn_lane_add_scaled(center, cn_lanes(step->rest), now.velocity);
    CnLaneVec3 defect = {cn_lanes(0.0), cn_lanes(0.0), cn_lanes(0.0)};
    LaneAccounts accounts;
    accounts.constraint = cn_lanes(0.0);
    bool are_relaxed = step->extras.count > 0;
    if (are_relaxed) {
        CnLanes late[18]; // of the extras: spin_defect to end_center
        read_extras(step, bodies, DOUBLES(CnMotionExtras, spin_defect), 18, late);
        CnLaneVec3 impulse = cn_lane_vec3(late + 3), moment = cn_lane_vec3(late + 6);
        defect = cn_lane_vec3(late);
        end_velocity = cn_lane_vec3(late + 12);
        end_center = cn_lane_vec3(late + 15);
        after = cn_lane_sub(after, impulse);
        accounts.constraint = cn_lane_dot(mean_of(end_velocity, now.velocity), impulse) +
                              cn_lane_dot(mean_of(end.spin, cn_lane_vec3(late + 9)), moment);
    }
    CnLaneVec3 mean = mean_of(start_velocity, end_velocity);
    CnLaneVec3 path = cn_lane_sub(end_center, start_center);
    CnLaneVec3 moved = cn_lane_sub(now.center, end_center);
    CnLaneVec3 weight = cn_lane_scale(mass.mass * dt, gravity);
    CnLaneVec3 before = cn_lane_scale(mass.mass, start_velocity);
    CnLaneVec3 to = cn_lane_cross(cn_lane_sub(center, start_center), before);
    CnLaneVec3 from = cn_lane_cross(cn_lane_sub(now.center, center), after);
    CnLanes pull = cn_lane_length(weight);
    accounts.linear_gravity = weight;
    accounts.angular_gravity = cn_lane_cross(center, weight);
    accounts.angular_integration = cn_lane_add(defect, cn_lane_add(to, from));
    accounts.linear_scale = pull;
    accounts.angular_scale = cn_lane_length(center) * pull;
    accounts.integration[0] = end.turning_work;
    accounts.integration[1] =
        mass.mass * cn_lane_dot(gravity, cn_lane_sub(cn_lane_scale(dt, mean), path));
    accounts.stabilisation = -mass.mass * cn_lane_dot(gravity, moved);
    bool are_turned = add_turn(&now, &end, &mass, &accounts.turned);
    add_accounts(&accounts, count, are_relaxed, are_turned, energy, momentum);
    return cn_mask_bits(makes_much(&mass, end_velocity, end.spin, end.turning_work));
}
