// soft_bodies_lanes.h - bodies to rows of floats and back, one in each lane.
//
// load_body() and store_body() of soft_bodies.c, operation by operation, for dynamic bodies without
// loads and damping.
#include "math/lane_vectors.h"
#include "world/soft/soft_bodies.h"
#include "world/world.h"

#include <stddef.h>

#define DOUBLES(type, member) (offsetof(type, member) / sizeof(double))
#define FLOATS(type, member) (offsetof(type, member) / sizeof(float))

#define STATE_NUMBERS 13
#define POSE_NUMBERS 7
_Static_assert(sizeof(CnBodyState) == STATE_NUMBERS * sizeof(double) &&
                   offsetof(CnBody, center) == sizeof(CnBodyState) && offsetof(CnBody, state) == 0,
               "a state has no gaps, and one more number can be read after that of a body");
_Static_assert(offsetof(CnPlace, pose) == 0 && DOUBLES(CnPlace, epoch) == POSE_NUMBERS &&
                   sizeof(CnTransform) == POSE_NUMBERS * sizeof(double),
               "a pose has no gaps, and one more number can be read after that of a place");
_Static_assert(DOUBLES(CnMass, inverse_mass) == 1 && DOUBLES(CnMass, inertia) == 2 &&
                   DOUBLES(CnMass, inverse_inertia) == 11,
               "mass and inertia follow each other");
_Static_assert(FLOATS(CnSoftBody, spin) == 4 && FLOATS(CnSoftBody, moved) == 8 &&
                   FLOATS(CnSoftBody, turned) == 12,
               "four rows of four numbers");
_Static_assert(FLOATS(CnSoftMass, inverse_mass) == 6 && sizeof(CnSoftMass) == 8 * sizeof(float),
               "two rows of four numbers");

typedef struct SoftState {
    CnLaneVec3 center;
    CnLaneQuat rotation;
    CnLaneVec3 velocity, spin;
} SoftState;

typedef struct SoftPlace {
    CnLaneVec3 position;
    CnLaneQuat rotation;
} SoftPlace;

CN_LANE_FUNCTION SoftState read_states(const CnWorld* world, const int* bodies) {
    const double* from[CN_LANES];
    CnLanes s[STATE_NUMBERS + 1];
    for (int i = 0; i < CN_LANES; ++i) {
        from[i] = &world->bodies.data[bodies[i]].state.center.x;
    }
    cn_lanes_gather_many(from, 0, STATE_NUMBERS + 1, s);
    return (SoftState){cn_lane_vec3(s), cn_lane_quat(s + 3), cn_lane_vec3(s + 7),
                       cn_lane_vec3(s + 10)};
}

CN_LANE_FUNCTION SoftPlace read_places(const CnWorld* world, const int* bodies) {
    const double* from[CN_LANES];
    CnLanes s[POSE_NUMBERS + 1];
    for (int i = 0; i < CN_LANES; ++i) {
        from[i] = &world->places.data[bodies[i]].pose.position.x;
    }
    cn_lanes_gather_many(from, 0, POSE_NUMBERS + 1, s);
    return (SoftPlace){cn_lane_vec3(s), cn_lane_quat(s + 3)};
}

// Numbers of the masses, from one on.
CN_LANE_FUNCTION void read_masses(const CnWorld* world, const int* bodies, int place, int count,
                                  CnLanes* to) {
    const double* from[CN_LANES];
    for (int i = 0; i < CN_LANES; ++i) {
        from[i] = &world->bodies.data[bodies[i]].mass->mass;
    }
    cn_lanes_gather_many(from, place, count, to);
}

// ---- loading ----

CN_LANE_FUNCTION CnMask are_isotropic(const CnLanes j[9]) {
    CnLanes zero = cn_lanes(0.0);
    return cn_equal(j[0], j[4]) & cn_equal(j[4], j[8]) & cn_equal(j[1], zero) &
           cn_equal(j[2], zero) & cn_equal(j[5], zero);
}

CN_LANE_FUNCTION CnLaneVec3 keep_vector(CnMask where, CnLaneVec3 v) {
    return (CnLaneVec3){cn_keep(where, v.x), cn_keep(where, v.y), cn_keep(where, v.z)};
}

// solve_rows()
CN_LANE_FUNCTION CnLaneVec3 solve_rows(const CnLaneVec3 row[3], CnLaneVec3 y) {
    CnLaneVec3 over = cn_lane_cross(row[1], row[2]);
    CnLanes volume = cn_lane_dot(row[0], over);
    CnLaneVec3 x = cn_lane_scale(y.x, over);
    x = cn_lane_add_scaled(x, y.y, cn_lane_cross(row[2], row[0]));
    x = cn_lane_add_scaled(x, y.z, cn_lane_cross(row[0], row[1]));
    CnMask has = cn_less(cn_lanes(0.0), cn_lanes_abs(volume));
    return keep_vector(has, cn_lane_scale(cn_lanes(1.0) / volume, x));
}

// gyrate()
CN_LANE_FUNCTION CnLaneVec3 gyrate(const CnLaneMat3* inertia, CnLaneVec3 spin, CnLanes h) {
    CnLaneVec3 momentum = cn_lane_apply(inertia, spin);
    CnLaneVec3 rate = cn_lane_cross(spin, momentum);
    const CnLanes w[3] = {spin.x, spin.y, spin.z}, l[3] = {momentum.x, momentum.y, momentum.z};
    const CnLanes(*j)[3] = inertia->m;
    CnLaneVec3 row[3];
    CN_UNROLLED
    for (int r = 0; r < 3; ++r) {
        int s = (r + 1) % 3, t = (r + 2) % 3;
        CnLanes slope[3];
        CN_UNROLLED
        for (int c = 0; c < 3; ++c) {
            slope[c] = j[r][c] + h * (w[s] * j[t][c] - w[t] * j[s][c]);
        }
        slope[s] = slope[s] + h * l[t];
        slope[t] = slope[t] - h * l[s];
        row[r] = cn_lane_vec3(slope);
    }
    return cn_lane_sub(spin, cn_lane_scale(h, solve_rows(row, rate)));
}

// gyroscopic_gain()
CN_LANE_FUNCTION CnLaneVec3 gyroscopic_gains(const CnWorld* world, const int* bodies,
                                             const SoftState* state, double dt) {
    CnLanes numbers[10];
    read_masses(world, bodies, 2, 10, numbers);
    CnMask turns = cn_and_not(~cn_equal(cn_lane_dot(state->spin, state->spin), cn_lanes(0.0)),
                              are_isotropic(numbers));
    if (!cn_any(turns)) {
        return keep_vector(turns, state->spin);
    }
    CnLaneMat3 inertia;
    memcpy(&inertia, numbers, sizeof inertia);
    CnLaneVec3 spin = cn_lane_unrotate(state->rotation, state->spin);
    CnLaneVec3 after = gyrate(&inertia, spin, cn_lanes(dt));
    return keep_vector(turns, cn_lane_rotate(state->rotation, cn_lane_sub(after, spin)));
}

// load_mass(), without damping
CN_LANE_FUNCTION void load_masses(const CnWorld* world, const int* bodies, const int* rows,
                                  const SoftPlace* place) {
    CnLanes mass[2], numbers[10], row[8] = {cn_lanes(0.0)};
    CnLaneMat3 inverse, rotation = cn_lane_mat3_from_quat(place->rotation), turned;
    float* to[2][CN_LANES];
    read_masses(world, bodies, 0, 2, mass);
    read_masses(world, bodies, 11, 10, numbers); // one more than there are
    memcpy(&inverse, numbers, sizeof inverse);
    cn_lane_rotate_tensor(&rotation, &inverse, &turned);
    CN_UNROLLED
    for (int i = 0, next = 0; i < 3; ++i) {
        CN_UNROLLED
        for (int j = i; j < 3; ++j) {
            row[next++] = turned.m[i][j];
        }
    }
    row[6] = mass[1];
    row[7] = cn_lanes(0.0);
    for (int i = 0; i < CN_LANES; ++i) {
        to[0][i] = world->soft->masses.data[rows[i]].inertia;
        to[1][i] = to[0][i] + 4;
    }
    cn_lanes_to_float_rows(row, to[0]);
    cn_lanes_to_float_rows(row + 4, to[1]);
}

// Whether a body was placed since its mass was loaded.
CN_LANE_FUNCTION bool note_epochs(const CnWorld* world, const int* bodies, const int* rows) {
    bool is_new = false;
    for (int i = 0; i < CN_LANES; ++i) {
        uint32_t epoch = world->places.data[bodies[i]].epoch;
        uint32_t* own = &world->soft->epoch.data[rows[i]];
        is_new = is_new || *own != epoch;
        *own = epoch;
    }
    return is_new;
}

CN_LANE_FUNCTION void load_drifts(const CnWorld* world, const int* bodies, const int* rows,
                                  const SoftState* state, double dt) {
    CnLanes scale, share = cn_lanes(1.0 / world->def.step.soft.substeps);
    float* to[2][CN_LANES];
    for (int i = 0; i < CN_LANES; ++i) {
        scale[i] = world->bodies.data[bodies[i]].gravity_scale;
        to[0][i] = world->soft->drifts.data[rows[i]].gain;
        to[1][i] = to[0][i] + 4;
    }
    CnVec3 g = world->def.gravity;
    CnLaneVec3 gravity =
        cn_lane_scale(scale, (CnLaneVec3){cn_lanes(g.x), cn_lanes(g.y), cn_lanes(g.z)});
    CnLaneVec3 gain = cn_lane_scale(share, cn_lane_scale(cn_lanes(dt), gravity));
    CnLaneVec3 turn = cn_lane_scale(share, gyroscopic_gains(world, bodies, state, dt));
    const CnLanes gains[2][4] = {{gain.x, gain.y, gain.z, cn_lanes(0.0)},
                                 {turn.x, turn.y, turn.z, cn_lanes(0.0)}};
    cn_lanes_to_float_rows(gains[0], to[0]);
    cn_lanes_to_float_rows(gains[1], to[1]);
}

CN_LANE_STAGE void load_lanes(const CnWorld* world, double dt, const int* rows) {
    const CnSoftStore* store = world->soft;
    int bodies[CN_LANES];
    for (int i = 0; i < CN_LANES; ++i) {
        bodies[i] = store->body.data[rows[i]];
    }
    SoftState state = read_states(world, bodies);
    SoftPlace place = read_places(world, bodies);
    if (note_epochs(world, bodies, rows)) {
        load_masses(world, bodies, rows, &place);
    }
    load_drifts(world, bodies, rows, &state, dt);
    CnLaneQuat back = {place.rotation.w, -place.rotation.x, -place.rotation.y, -place.rotation.z};
    CnLaneQuat turned = cn_lane_multiply(state.rotation, back);
    CnLaneVec3 moved = cn_lane_sub(state.center, place.position);
    CnLanes inverse_mass;
    float* to[4][CN_LANES];
    for (int i = 0; i < CN_LANES; ++i) {
        inverse_mass[i] = (double)store->masses.data[rows[i]].inverse_mass;
        for (int k = 0; k < 4; ++k) {
            to[k][i] = store->rows.data[rows[i]].velocity + 4 * k;
        }
    }
    const CnLanes zero = cn_lanes(0.0);
    const CnLanes numbers[4][4] = {
        {state.velocity.x, state.velocity.y, state.velocity.z, inverse_mass},
        {state.spin.x, state.spin.y, state.spin.z, zero},
        {moved.x, moved.y, moved.z, zero},
        {turned.x, turned.y, turned.z, turned.w},
    };
    for (int k = 0; k < 4; ++k) {
        cn_lanes_to_float_rows(numbers[k], to[k]);
    }
}

// ---- storing ----

// Of numbers without infinities and NaN, x - x is 0.
CN_LANE_FUNCTION CnMask are_finite(const CnLanes* numbers, int count) {
    CnMask finite = cn_equal(numbers[0] - numbers[0], cn_lanes(0.0));
    CN_UNROLLED
    for (int k = 1; k < count; ++k) {
        finite = finite & cn_equal(numbers[k] - numbers[k], cn_lanes(0.0));
    }
    return finite;
}

// Certainly no faster than the limit: is_slow() of step_check.c.
CN_LANE_FUNCTION CnMask are_slow(const CnWorld* world, const int* bodies, const SoftState* state) {
    double limit = world->def.step.speed_limit;
    if (!(limit > 0.0)) {
        return ~cn_lane_bits(0);
    }
    CnLanes mass[12];
    read_masses(world, bodies, 0, 12, mass);
    CnLanes sum = cn_lanes(0.5) * (mass[2] + mass[6] + mass[10]);
    CnLanes energy = cn_lanes(4.0) * (mass[0] * cn_lane_dot(state->velocity, state->velocity) +
                                      sum * cn_lane_dot(state->spin, state->spin));
    return cn_less(energy, mass[0] * cn_lanes(limit) * cn_lanes(limit));
}

CN_LANE_STAGE unsigned store_lanes(CnWorld* world, const int* rows) {
    const CnSoftStore* store = world->soft;
    const float* from[4][CN_LANES];
    double* to[CN_LANES];
    int bodies[CN_LANES];
    CnLanes row[4][4];
    for (int i = 0; i < CN_LANES; ++i) {
        bodies[i] = store->body.data[rows[i]];
        to[i] = &world->bodies.data[bodies[i]].state.center.x;
        for (int k = 0; k < 4; ++k) {
            from[k][i] = store->rows.data[rows[i]].velocity + 4 * k;
        }
    }
    for (int k = 0; k < 4; ++k) {
        cn_lanes_from_float_rows(from[k], row[k]);
    }
    SoftPlace place = read_places(world, bodies);
    CnLaneQuat turn = {row[3][3], row[3][0], row[3][1], row[3][2]};
    SoftState state = {
        .center = cn_lane_add(place.position, cn_lane_vec3(row[2])),
        .rotation = cn_lane_normalize(cn_lane_multiply(turn, place.rotation)),
        .velocity = cn_lane_vec3(row[0]),
        .spin = cn_lane_vec3(row[1]),
    };
    const CnLanes* numbers = (const CnLanes*)(const void*)&state;
    cn_lanes_scatter_many(numbers, STATE_NUMBERS, to, 0);
    return cn_mask_bits(are_finite(numbers, STATE_NUMBERS) & are_slow(world, bodies, &state));
}
