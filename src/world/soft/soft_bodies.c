// soft_bodies.c - scheme soft_step: states of bodies as rows of floats, and back.
#include "world/soft/soft_bodies.h"

#include "math/floats.h"
#include "math/simd.h"
#include "world/bodies/body_shapes.h"
#include "world/bodies/motion.h"
#include "world/step/step_check.h"
#include "world/world.h"

static CnVec3 take_vector(const float from[3]) {
    return cn_vec3((double)from[0], (double)from[1], (double)from[2]);
}

// x with row . x = y for three rows, by Cramer's rule; 0 if they have no volume.
static CnVec3 solve_rows(const CnVec3 row[3], CnVec3 y) {
    CnVec3 over = cn_vec3_cross(row[1], row[2]);
    double volume = cn_vec3_dot(row[0], over);
    CnVec3 x = cn_vec3_scale(y.x, over);
    x = cn_vec3_add_scaled(x, y.y, cn_vec3_cross(row[2], row[0]));
    x = cn_vec3_add_scaled(x, y.z, cn_vec3_cross(row[0], row[1]));
    return fabs(volume) > 0.0 ? cn_vec3_scale(1.0 / volume, x) : cn_vec3(0.0, 0.0, 0.0);
}

// Spin after a time under the gyroscopic term alone, body axes: one Newton step of the implicit
// rule J (w - w0) + h w x J w = 0, which loses energy rather than making it. (15)
static CnVec3 gyrate(const CnMat3* inertia, CnVec3 spin, double h) {
    CnVec3 momentum = cn_mat3_apply(inertia, spin);
    CnVec3 rate = cn_vec3_cross(spin, momentum);
    const double w[3] = {spin.x, spin.y, spin.z}, l[3] = {momentum.x, momentum.y, momentum.z};
    const double(*j)[3] = inertia->m;
    CnVec3 row[3]; // J + h ([w] J - [J w])
    for (int r = 0; r < 3; ++r) {
        int s = (r + 1) % 3, t = (r + 2) % 3;
        double slope[3];
        for (int c = 0; c < 3; ++c) {
            slope[c] = j[r][c] + h * (w[s] * j[t][c] - w[t] * j[s][c]);
        }
        slope[s] += h * l[t];
        slope[t] -= h * l[s];
        row[r] = cn_vec3(slope[0], slope[1], slope[2]);
    }
    return cn_vec3_sub(spin, cn_vec3_scale(h, solve_rows(row, rate)));
}

static bool is_isotropic(const CnMat3* inertia) {
    const double(*m)[3] = inertia->m;
    return m[0][0] == m[1][1] && m[1][1] == m[2][2] && m[0][1] == 0.0 && m[0][2] == 0.0 &&
           m[1][2] == 0.0;
}

static CnVec3 gyroscopic_gain(const CnBody* body, double dt) {
    CnVec3 w = body->state.angular_velocity;
    if (is_isotropic(&body->mass->inertia) || cn_vec3_dot(w, w) == 0.0) {
        return cn_vec3(0.0, 0.0, 0.0);
    }
    CnVec3 spin = cn_quat_unrotate(body->state.rotation, w);
    CnVec3 after = gyrate(&body->mass->inertia, spin, dt);
    return cn_quat_rotate(body->state.rotation, cn_vec3_sub(after, spin));
}

// With the masses m / s of damping. (25)
static void load_mass(const CnWorld* world, const CnBody* body, const CnPlace* place,
                      CnSoftMass* mass) {
    CnDampingShares shares = cn_motion_damping_shares(world, body);
    CnMat3 rotation = cn_mat3_from_quat(place->pose.rotation);
    CnMat3 inverse = cn_mat3_rotate_tensor(&rotation, &body->mass->inverse_inertia);
    mass->inverse_mass = (float)(shares.linear * body->mass->inverse_mass);
    for (int i = 0, next = 0; i < 3; ++i) {
        for (int j = i; j < 3; ++j) {
            mass->inertia[next++] = (float)(shares.angular * inverse.m[i][j]);
        }
    }
}

void cn_soft_find_gain(const CnWorld* world, const CnBody* body, double dt, const CnLoad* load,
                       CnVec3* gain, CnVec3* turn) {
    const CnBodyState* state = &body->state;
    *gain = cn_vec3_scale(dt, cn_body_gravity(world, body));
    *turn = gyroscopic_gain(body, dt);
    if (load != NULL) {
        CnVec3 torque = cn_quat_unrotate(state->rotation, load->torque);
        CnVec3 spin = cn_mat3_apply(&body->mass->inverse_inertia, torque);
        *gain = cn_vec3_add_scaled(*gain, dt * body->mass->inverse_mass, load->force);
        *turn = cn_vec3_add_scaled(*turn, dt, cn_quat_rotate(state->rotation, spin));
    }
    if (body->linear_damping > 0.0) {
        CnVec3 free = cn_vec3_add(state->velocity, *gain);
        free = cn_motion_damped(state->velocity, free, body->linear_damping * dt);
        *gain = cn_vec3_sub(free, state->velocity);
    }
    if (body->angular_damping > 0.0) {
        CnVec3 free = cn_vec3_add(state->angular_velocity, *turn);
        free = cn_motion_damped(state->angular_velocity, free, body->angular_damping * dt);
        *turn = cn_vec3_sub(free, state->angular_velocity);
    }
}

static void load_body(const CnWorld* world, double dt, const CnLoad* loads, int row) {
    const CnSoftStore* store = world->soft;
    int index = store->body.data[row];
    const CnBody* body = &world->bodies.data[index];
    const CnPlace* place = &world->places.data[index];
    CnSoftBody* to = &store->rows.data[row];
    CnSoftDrift* drift = &store->drifts.data[row];
    CnQuat turned = cn_quat_multiply(body->state.rotation, cn_quat_conjugate(place->pose.rotation));
    cn_vec3_to_floats(body->state.velocity, to->velocity);
    cn_vec3_to_floats(body->state.angular_velocity, to->spin);
    cn_vec3_to_floats(cn_vec3_sub(body->state.center, place->pose.position), to->moved);
    cn_vec3_to_floats(cn_vec3(turned.x, turned.y, turned.z), to->turned);
    to->turned[3] = (float)turned.w;
    if (body->type == CN_BODY_DYNAMIC) {
        CnVec3 gain, turn;
        double share = 1.0 / world->def.step.soft.substeps;
        cn_soft_find_gain(world, body, dt, loads == NULL ? NULL : &loads[index], &gain, &turn);
        cn_vec3_to_floats(cn_vec3_scale(share, gain), drift->gain);
        cn_vec3_to_floats(cn_vec3_scale(share, turn), drift->gain + 4);
        if (store->epoch.data[row] != place->epoch) {
            load_mass(world, body, place, &store->masses.data[row]);
        }
        to->inverse_mass = store->masses.data[row].inverse_mass;
    }
    store->epoch.data[row] = place->epoch;
}

// Whether soft_bodies_lanes.h may take a body, if no load acts on it.
static bool suits_lanes(const CnBody* body) {
    return body->type == CN_BODY_DYNAMIC && !cn_body_is_damped(body);
}

void cn_soft_load_bodies_by(const CnSoftBodyLanes* lanes, const CnWorld* world, double dt,
                            const CnLoad* loads, const CnSoftGroup* group) {
    int rows[CN_SOFT_BODY_LANES], count = 0;
    for (int i = group->first_body; i < group->first_body + group->body_count; ++i) {
        int index = world->soft->body.data[i];
        if (index < 0) {
            continue;
        }
        if (lanes == NULL || loads != NULL || !suits_lanes(&world->bodies.data[index])) {
            load_body(world, dt, loads, i);
            continue;
        }
        rows[count++] = i;
        if (count == lanes->count) {
            lanes->load(world, dt, rows);
            count = 0;
        }
    }
    for (int k = 0; k < count; ++k) {
        load_body(world, dt, loads, rows[k]);
    }
}

void cn_soft_load_bodies(const CnWorld* world, double dt, const CnLoad* loads,
                         const CnSoftGroup* group) {
    cn_soft_load_bodies_by(CN_WIDEST(cn_soft_body_lanes), world, dt, loads, group);
}

bool cn_soft_is_within_bounds(const CnWorld* world, int body) {
    const CnPlace* place = &world->places.data[body];
    CnVec3 moved = cn_vec3_sub(world->bodies.data[body].state.center, place->pose.position);
    double still = world->soft_places.data[body].still;
    return place->reach <= still && cn_vec3_dot(moved, moved) <= still * still;
}

static void store_body(CnWorld* world, int row) {
    const CnSoftBody* from = &world->soft->rows.data[row];
    int index = world->soft->body.data[row];
    const CnTransform* place = &world->places.data[index].pose;
    CnVec3 turned = take_vector(from->turned);
    CnQuat turn = cn_quat((double)from->turned[3], turned.x, turned.y, turned.z);
    world->bodies.data[index].state = (CnBodyState){
        .center = cn_vec3_add(place->position, take_vector(from->moved)),
        .rotation = cn_quat_normalize(cn_quat_multiply(turn, place->rotation)),
        .velocity = take_vector(from->velocity),
        .angular_velocity = take_vector(from->spin),
    };
}

// is_sound: certainly.
static void note_stored(const CnWorld* world, CnSoftGroup* group, int row, bool is_sound) {
    const CnSoftStore* store = world->soft;
    int index = store->body.data[row];
    ++group->stored;
    store->calm.data[row] =
        (is_sound || cn_step_is_sound(world, &world->bodies.data[index])) &&
        (cn_soft_is_within_bounds(world, index) || cn_body_keeps_place(world, index));
    group->is_calm = group->is_calm && store->calm.data[row] != 0;
}

static void store_rows(const CnSoftBodyLanes* lanes, CnWorld* world, CnSoftGroup* group,
                       const int* rows, int count) {
    bool is_full = lanes != NULL && count == lanes->count;
    unsigned sound = is_full ? lanes->store(world, rows) : 0;
    for (int k = 0; k < count; ++k) {
        if (!is_full) {
            store_body(world, rows[k]);
        }
        note_stored(world, group, rows[k], (sound >> k & 1u) != 0);
    }
}

void cn_soft_store_bodies_by(const CnSoftBodyLanes* lanes, CnWorld* world, CnSoftGroup* group) {
    const CnSoftStore* store = world->soft;
    int rows[CN_SOFT_BODY_LANES], count = 0, most = lanes == NULL ? 1 : lanes->count;
    group->stored = 0;
    group->is_calm = true;
    for (int i = group->first_body; i < group->first_body + group->body_count; ++i) {
        int index = store->body.data[i];
        store->calm.data[i] = 1;
        if (index < 0 || world->bodies.data[index].type != CN_BODY_DYNAMIC) {
            continue;
        }
        rows[count++] = i;
        if (count == most) {
            store_rows(lanes, world, group, rows, count);
            count = 0;
        }
    }
    store_rows(lanes, world, group, rows, count);
}

void cn_soft_store_bodies(CnWorld* world, CnSoftGroup* group) {
    cn_soft_store_bodies_by(CN_WIDEST(cn_soft_body_lanes), world, group);
}
