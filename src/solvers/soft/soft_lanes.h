// soft_lanes.h - soft contacts, several manifolds at a time: the one text for every width.
//
// Included by soft_plain.c (one lane: for readers, debuggers and tests), soft_128.c (four) and
// soft_256.c (eight), which define CN_SOFT_WIDTH and what math/simd.h asks for. A tile has eight
// lanes whatever the width: narrower ones take it in parts, which share no movable body. Numbers in
// brackets are equations of docs/theory/soft_step.md.
#pragma once

#include "base/fetch.h"
#include "solvers/soft/soft_floats.h"

// ---- tiles ----

CN_LANE_FUNCTION CnSoftTile* first_of(CnSoftTiles tiles) {
    return (CnSoftTile*)(void*)tiles.slots;
}

CN_LANE_FUNCTION const CnSoftTile* end_of(CnSoftTiles tiles) {
    return (const CnSoftTile*)(const void*)(tiles.slots + tiles.count);
}

CN_LANE_FUNCTION int points_in(const CnSoftTile* tile) {
    return tile->is_single ? 1 : CN_SOFT_POINTS;
}

// Whether it has rows of torsion and rolling.
CN_LANE_FUNCTION bool is_whole(const CnSoftTile* tile) {
    return tile->slots == CN_SOFT_MOST_SLOTS;
}

// ---- a manifold and its two bodies ----

typedef struct TileFrame {
    Vector normal, tangent[2], arm[2];
} TileFrame;

CN_LANE_FUNCTION TileFrame load_frame(const CnSoftTile* tile, int lane) {
    return (TileFrame){
        load_vector(tile->normal, lane),
        {load_vector(tile->tangent[0], lane), load_vector(tile->tangent[1], lane)},
        {load_vector(tile->arm[0], lane), load_vector(tile->arm[1], lane)},
    };
}

// Velocity of B against A at the centroid, and its spin against A. (1)
typedef struct Relative {
    Vector velocity, spin;
} Relative;

CN_LANE_FUNCTION Relative compare(const Velocity* a, const Velocity* b, const TileFrame* frame) {
    Vector at_a = add(a->linear, cross(a->spin, frame->arm[0]));
    Vector at_b = add(b->linear, cross(b->spin, frame->arm[1]));
    return (Relative){subtract(at_b, at_a), subtract(b->spin, a->spin)};
}

// The part of the impulse at the centroid and of the moment that is applied at once. (2)
typedef struct TileWrench {
    Vector impulse, moment;
} TileWrench;

CN_LANE_FUNCTION void apply_wrench(const CnSoftTile* tile, int lane, const TileFrame* frame,
                                   TileWrench wrench, Velocity* a, Velocity* b) {
    Symmetric inertia_a = load_symmetric(tile->inertia[0], lane);
    Symmetric inertia_b = load_symmetric(tile->inertia[1], lane);
    Vector moment_a = add(cross(frame->arm[0], wrench.impulse), wrench.moment);
    Vector moment_b = add(cross(frame->arm[1], wrench.impulse), wrench.moment);
    a->linear = subtract(a->linear, times(a->inverse_mass, wrench.impulse));
    b->linear = add(b->linear, times(b->inverse_mass, wrench.impulse));
    a->spin = subtract(a->spin, apply(&inertia_a, moment_a));
    b->spin = add(b->spin, apply(&inertia_b, moment_b));
}

// Normal impulses so far as force and moments about the tangents: F, T1, T2.
typedef struct NormalSum {
    Floats force, moment[2];
} NormalSum;

CN_LANE_FUNCTION void add_push(NormalSum* push, Floats impulse, Floats u, Floats w) {
    push->force = push->force + impulse;
    push->moment[0] = push->moment[0] + w * impulse;
    push->moment[1] = push->moment[1] - u * impulse;
}

CN_LANE_FUNCTION TileWrench wrench_of(const TileFrame* frame, const NormalSum* push) {
    return (TileWrench){
        times(push->force, frame->normal),
        add(times(push->moment[0], frame->tangent[0]), times(push->moment[1], frame->tangent[1]))};
}

// What normal impulses on the manifold change, by the three numbers of a push.
CN_LANE_FUNCTION Floats change_by(float by[3][CN_SOFT_LANES], int lane, const NormalSum* push) {
    return load(by[0], lane) * push->force + load(by[1], lane) * push->moment[0] +
           load(by[2], lane) * push->moment[1];
}

// Velocity of a point along the normal, after the impulses that points before it got. (5)
CN_LANE_FUNCTION Floats point_velocity(const CnSoftTile* tile, int lane, int point, Floats normal,
                                       const Floats spin[2], const Floats got[CN_SOFT_POINTS]) {
    static const int first[CN_SOFT_POINTS] = {0, 0, 1, 3}; // of its couplings
    Floats v = normal + load(tile->w[point], lane) * spin[0] - load(tile->u[point], lane) * spin[1];
    CN_UNROLLED
    for (int i = 0; i < point; ++i) {
        v = v + load(tile->coupling[first[point] + i], lane) * got[i];
    }
    return v;
}

// The same of a tile of any kind: the only point of a manifold is its centroid.
CN_LANE_FUNCTION Floats velocity_of(const CnSoftTile* tile, int lane, int point, Floats normal,
                                    const Floats spin[2], const Floats got[CN_SOFT_POINTS]) {
    return tile->is_single ? normal : point_velocity(tile, lane, point, normal, spin, got);
}

// ---- prepare ----

// The six directions of a manifold as a body feels them: along t1, t2, n, and about them.
CN_LANE_FUNCTION void list_moments(const TileFrame* frame, int side, Vector moments[6]) {
    Vector arm = frame->arm[side];
    moments[0] = cross(arm, frame->tangent[0]);
    moments[1] = cross(arm, frame->tangent[1]);
    moments[2] = cross(arm, frame->normal);
    moments[3] = frame->tangent[0];
    moments[4] = frame->tangent[1];
    moments[5] = frame->normal;
}

// K of (6), the lower half of its rows from `first` to before `end`.
CN_LANE_FUNCTION void find_response(const CnSoftTile* tile, int lane, const TileFrame* frame,
                                    Floats inverse_mass, int first, int end, Floats k[6][6]) {
    Vector moments[2][6];
    Symmetric inertia[2];
    CN_UNROLLED
    for (int side = 0; side < 2; ++side) {
        list_moments(frame, side, moments[side]);
        inertia[side] = load_symmetric(tile->inertia[side], lane);
    }
    CN_UNROLLED
    for (int i = first; i < end; ++i) {
        Vector a = apply(&inertia[0], moments[0][i]), b = apply(&inertia[1], moments[1][i]);
        CN_UNROLLED
        for (int j = 0; j <= i; ++j) {
            k[i][j] = dot(a, moments[0][j]) + dot(b, moments[1][j]);
        }
    }
    CN_UNROLLED
    for (int i = first; i < 3; ++i) {
        k[i][i] = k[i][i] + inverse_mass;
    }
}

// 1 / x, or 0 where x is no more than round-off of nothing.
#define CN_SOFT_NOTHING 1e-30f
CN_LANE_FUNCTION Floats invert(Floats x) {
    return select(exceeds(x, splat(CN_SOFT_NOTHING)), splat(1.0f) / x, splat(0.0f));
}

CN_LANE_FUNCTION void invert_pair(Floats k11, Floats k12, Floats k22, float to[3][CN_SOFT_LANES],
                                  int lane) {
    Floats inverse = invert(k11 * k22 - k12 * k12);
    store(k22 * inverse, to[0], lane);
    store(splat(0.0f) - k12 * inverse, to[1], lane);
    store(k11 * inverse, to[2], lane);
}

// 1 where a lane has its bit, else 0.
CN_LANE_FUNCTION Floats load_bits(unsigned bits, int lane) {
    float x[CN_SOFT_WIDTH];
    for (int i = 0; i < CN_SOFT_WIDTH; ++i) {
        x[i] = (bits >> (lane + i) & 1u) != 0 ? 1.0f : 0.0f;
    }
    return load(x, 0);
}

// Effective masses of points, and how impulses of one change the velocity of another. (7)
CN_LANE_FUNCTION void prepare_points(CnSoftTile* tile, int lane, Floats k[6][6]) {
    Floats by[CN_SOFT_POINTS][3]; // vn, a, b by a unit impulse of each point
    int next = 0;
    CN_UNROLLED
    for (int j = 0; j < CN_SOFT_POINTS; ++j) {
        Floats u = load(tile->u[j], lane), w = load(tile->w[j], lane);
        by[j][0] = k[2][2] + w * k[3][2] - u * k[4][2];
        by[j][1] = k[3][2] + w * k[3][3] - u * k[4][3];
        by[j][2] = k[4][2] + w * k[4][3] - u * k[4][4];
        CN_UNROLLED
        for (int i = 0; i < j; ++i) {
            store(by[i][0] + w * by[i][1] - u * by[i][2], tile->coupling[next++], lane);
        }
        Floats own = by[j][0] + w * by[j][1] - u * by[j][2];
        store(invert(own) * load_bits(tile->exists[j], lane), tile->point[j].mass, lane);
        Floats lever = load(tile->friction, lane) * root(u * u + w * w);
        store(is_whole(tile) ? lever + load(tile->torsion, lane) : lever, tile->lever[j], lane);
    }
}

// Friction and torsion, then rolling, and what the rows before them change. (8), (9)
CN_LANE_FUNCTION void prepare_friction(CnSoftTile* tile, int lane, Floats k[6][6]) {
    Floats across = load(tile->across, lane);
    CN_UNROLLED
    for (int i = 0; i < 3; ++i) { // F, T1, T2
        store(k[2 + i][0], i == 0 ? tile->slide_by_push[0] : tile->slide_by_moment[0][i - 1], lane);
        store(across * k[2 + i][1],
              i == 0 ? tile->slide_by_push[1] : tile->slide_by_moment[1][i - 1], lane);
        store(k[5][2 + i], tile->twist_by_push[i], lane);
    }
    store(k[5][0], tile->slide_by_twist[0], lane);
    store(across * k[5][1], tile->slide_by_twist[1], lane);
    store(invert(k[5][5]), tile->twist_mass, lane);
    invert_pair(k[0][0], across * k[1][0], across * across * k[1][1], tile->slide_mass, lane);
}

CN_LANE_FUNCTION void prepare_rolling(CnSoftTile* tile, int lane, Floats k[6][6]) {
    Floats across = load(tile->across, lane);
    CN_UNROLLED
    for (int i = 0; i < 2; ++i) { // about t1, t2
        store(k[3 + i][2], tile->roll_by_push[i][0], lane);
        store(i == 0 ? k[3][3] : k[4][3], tile->roll_by_push[i][1], lane);
        store(i == 0 ? k[4][3] : k[4][4], tile->roll_by_push[i][2], lane);
        store(k[5][3 + i], tile->roll_by_twist[i], lane);
        store(k[3 + i][0], tile->slide_by_roll[0][i], lane);
        store(across * k[3 + i][1], tile->slide_by_roll[1][i], lane);
    }
    invert_pair(k[3][3], k[4][3], k[4][4], tile->roll_mass, lane);
}

// A point that is its own centroid: masses along the axes, and what friction sees of the normal.
CN_LANE_FUNCTION void prepare_single(CnSoftTile* tile, int lane, Floats k[6][6]) {
    Floats across = load(tile->across, lane);
    store(invert(k[2][2]) * load_bits(tile->exists[0], lane), tile->point[0].mass, lane);
    store(k[2][0], tile->slide_by_push[0], lane);
    store(across * k[2][1], tile->slide_by_push[1], lane);
    invert_pair(k[0][0], across * k[1][0], across * across * k[1][1], tile->slide_mass, lane);
}

CN_LANE_FUNCTION Floats prepare_body(CnSoftTile* tile, int lane, int side,
                                     const CnSoftBodies* bodies) {
    int32_t offset[CN_SOFT_WIDTH];
    Floats mass[8];
    for (int i = 0; i < CN_SOFT_WIDTH; ++i) {
        int32_t body = tile->offset[side][lane + i] / (int32_t)sizeof(CnSoftBody);
        offset[i] = body * (int32_t)sizeof(CnSoftMass);
    }
    load_rows((const char*)bodies->masses, offset, mass);
    CN_UNROLLED
    for (int i = 0; i < 6; ++i) {
        store(mass[i], tile->inertia[side][i], lane);
    }
    return mass[6];
}

CN_LANE_STAGE void prepare(CnSoftTiles tiles, const CnSoftBodies* bodies) {
    for (CnSoftTile* tile = first_of(tiles); tile < end_of(tiles); tile = cn_soft_next_tile(tile)) {
        for (int lane = 0; lane < CN_SOFT_LANES; lane += CN_SOFT_WIDTH) {
            TileFrame frame = load_frame(tile, lane);
            Floats inverse_mass = prepare_body(tile, lane, 0, bodies);
            inverse_mass = inverse_mass + prepare_body(tile, lane, 1, bodies);
            Floats k[6][6];
            find_response(tile, lane, &frame, inverse_mass, 0, 3, k);
            if (tile->is_single) {
                prepare_single(tile, lane, k);
                continue;
            }
            find_response(tile, lane, &frame, inverse_mass, 3, 6, k);
            prepare_points(tile, lane, k);
            prepare_friction(tile, lane, k);
            if (tile->has_rolling) {
                prepare_rolling(tile, lane, k);
            }
        }
    }
}

// ---- the sweeps ----

// So many tiles after the one that is worked on are asked for.
#define TILES_AHEAD 2

// A unit vector as a body that has turned since it was placed sees it, less the vector itself.
CN_LANE_FUNCTION Vector turn_back(const Motion* motion, Vector n) {
    Vector t = cross(n, motion->turn);
    t = add(t, t);
    return add(times(motion->turn_w, t), cross(t, motion->turn));
}

// (3) of each lane. A body without an inverse mass does not give way.
typedef struct ContactSoftness {
    Floats bias, mass_scale, impulse_scale;
} ContactSoftness;

CN_LANE_FUNCTION ContactSoftness find_softness(const Velocity* a, const Velocity* b,
                                               const CnSoftRates* rates) {
    Mask gives_way = exceeds(min_of(a->inverse_mass, b->inverse_mass), splat(0.0f));
    return (ContactSoftness){
        select(gives_way, splat(rates->bias[0]), splat(rates->bias[1])),
        select(gives_way, splat(rates->mass_scale[0]), splat(rates->mass_scale[1])),
        select(gives_way, splat(rates->impulse_scale[0]), splat(rates->impulse_scale[1])),
    };
}

// The normal impulse of a point that moves with v along the normal. (4)
CN_LANE_FUNCTION Floats push_point(const CnSoftTile* tile, int lane, int point, Floats v,
                                   const ContactSoftness* soft, const CnSoftRates* rates) {
    Floats gap = load(tile->point[point].separation, lane),
           old = load(tile->point[point].push.now, lane);
    Mask open = exceeds(gap, splat(0.0f));
    Floats wanted = select(open, gap * splat(rates->inverse_h),
                           max_of(soft->bias * gap, splat(-rates->push_speed)));
    Floats scaled = select(open, v, soft->mass_scale * v);
    Floats faded = select(open, splat(0.0f), soft->impulse_scale * old);
    Floats less = load(tile->point[point].mass, lane) * (scaled + wanted) + faded;
    return max_of(old - less, splat(0.0f));
}

// Two impulses shortened to a disc of the given radius.
CN_LANE_FUNCTION void clamp_pair(Floats limit, Floats pair[2]) {
    Floats square = pair[0] * pair[0] + pair[1] * pair[1];
    Mask beyond = exceeds(square, limit * limit);
    Floats scale =
        select(beyond, limit / root(max_of(square, splat(CN_SOFT_NOTHING))), splat(1.0f));
    pair[0] = pair[0] * scale;
    pair[1] = pair[1] * scale;
}

// Impulses of a 2 x 2 block that stop a velocity, within a disc; returns what they change by.
CN_LANE_FUNCTION void stop_pair(float mass[3][CN_SOFT_LANES], int lane, const Floats v[2],
                                Floats limit, float impulse[2][CN_SOFT_LANES], Floats change[2]) {
    Floats m11 = load(mass[0], lane), m12 = load(mass[1], lane), m22 = load(mass[2], lane);
    const Floats old[2] = {load(impulse[0], lane), load(impulse[1], lane)};
    Floats now[2] = {old[0] - (m11 * v[0] + m12 * v[1]), old[1] - (m12 * v[0] + m22 * v[1])};
    clamp_pair(limit, now);
    CN_UNROLLED
    for (int i = 0; i < 2; ++i) {
        store(now[i], impulse[i], lane);
        change[i] = now[i] - old[i];
    }
}

#include "solvers/soft/soft_single_lanes.h"

// Separations where bodies are: exact, with two rotations for all points. (10)
CN_LANE_FUNCTION void find_separations(const CnSoftTile* tile, int lane, const TileFrame* frame,
                                       const CnSoftBody* bodies,
                                       Floats separation[CN_SOFT_POINTS]) {
    Motion a = load_motion(bodies, tile->offset[0] + lane);
    Motion b = load_motion(bodies, tile->offset[1] + lane);
    Vector seen_a = turn_back(&a, frame->normal), seen_b = turn_back(&b, frame->normal);
    Floats middle = dot(frame->normal, subtract(b.moved, a.moved)) + dot(seen_b, frame->arm[1]) -
                    dot(seen_a, frame->arm[0]);
    Vector tilt = subtract(seen_b, seen_a);
    Floats along_u = dot(frame->tangent[0], tilt), along_w = dot(frame->tangent[1], tilt);
    CN_UNROLLED
    for (int j = 0; j < CN_SOFT_POINTS; ++j) {
        separation[j] = load(tile->point[j].gap, lane) + middle + load(tile->u[j], lane) * along_u +
                        load(tile->w[j], lane) * along_w;
    }
}

// All impulses of a tile once more.
CN_LANE_FUNCTION TileWrench whole_wrench(const CnSoftTile* tile, int lane, const TileFrame* frame) {
    NormalSum push = {splat(0.0f), {splat(0.0f), splat(0.0f)}};
    CN_UNROLLED
    for (int j = 0; j < CN_SOFT_POINTS; ++j) {
        add_push(&push, load(tile->point[j].push.now, lane), load(tile->u[j], lane),
                 load(tile->w[j], lane));
    }
    if (is_whole(tile)) {
        push.moment[0] = push.moment[0] + load(tile->roll.now[0], lane);
        push.moment[1] = push.moment[1] + load(tile->roll.now[1], lane);
    }
    TileWrench wrench = wrench_of(frame, &push);
    Floats across = load(tile->across, lane) * load(tile->slide.now[1], lane);
    wrench.impulse =
        add(wrench.impulse, add(times(load(tile->slide.now[0], lane), frame->tangent[0]),
                                times(across, frame->tangent[1])));
    wrench.moment = add(wrench.moment, times(load(tile->twist.now, lane), frame->normal));
    return wrench;
}

CN_LANE_FUNCTION void clear_totals(CnSoftTile* tile, int lane) {
    CN_UNROLLED
    for (int j = 0; j < CN_SOFT_POINTS; ++j) {
        store(splat(0.0f), tile->point[j].push.total, lane);
    }
    CN_UNROLLED
    for (int i = 0; i < 2; ++i) {
        store(splat(0.0f), tile->slide.total[i], lane);
    }
    store(splat(0.0f), tile->twist.total, lane);
    for (int i = 0; is_whole(tile) && i < 2; ++i) {
        store(splat(0.0f), tile->roll.total[i], lane);
    }
}

// What sweeps use of a tile is asked for ahead of the first of them: it comes from far memory.
CN_LANE_FUNCTION void fetch_tile(const CnSoftTile* tile) {
    const char* end = (const char*)cn_soft_next_tile(tile);
    for (const char* at = (const char*)&tile->slide_before; at < end; at += 64) {
        cn_fetch(at);
    }
}

// Impulses as they are, in case the step fails.
CN_LANE_FUNCTION void keep_impulses(CnSoftTile* tile) {
    memcpy(&tile->slide_before, &tile->slide, sizeof tile->slide);
    for (int j = 0; j < points_in(tile); ++j) {
        memcpy(&tile->point[j].push_before, &tile->point[j].push, sizeof tile->point[j].push);
    }
    if (!tile->is_single) {
        memcpy(&tile->twist_before, &tile->twist, sizeof tile->twist);
    }
    if (is_whole(tile)) {
        memcpy(&tile->roll_before, &tile->roll, sizeof tile->roll);
    }
}

CN_LANE_FUNCTION void warm_start_manifold(CnSoftTile* tile, int lane, const CnSoftBodies* bodies) {
    const int32_t *at_a = tile->offset[0] + lane, *at_b = tile->offset[1] + lane;
    TileFrame frame = load_frame(tile, lane);
    Floats separation[CN_SOFT_POINTS];
    find_separations(tile, lane, &frame, bodies->rows, separation);
    CN_UNROLLED
    for (int j = 0; j < CN_SOFT_POINTS; ++j) {
        store(separation[j], tile->point[j].separation, lane);
    }
    Velocity a = load_velocity(bodies->rows, at_a), b = load_velocity(bodies->rows, at_b);
    apply_wrench(tile, lane, &frame, whole_wrench(tile, lane, &frame), &a, &b);
    store_velocity(&a, at_a, bodies->rows);
    store_velocity(&b, at_b, bodies->rows);
    clear_totals(tile, lane);
}

CN_LANE_STAGE void warm_start(CnSoftTiles tiles, const CnSoftBodies* bodies) {
    const CnSoftTile* later = first_of(tiles);
    for (int i = 0; i < TILES_AHEAD && later < end_of(tiles); ++i) {
        later = cn_soft_next_tile(later);
    }
    for (CnSoftTile* tile = first_of(tiles); tile < end_of(tiles); tile = cn_soft_next_tile(tile)) {
        if (later < end_of(tiles)) {
            fetch_tile(later);
            later = cn_soft_next_tile(later);
        }
        keep_impulses(tile);
        for (int lane = 0; lane < CN_SOFT_LANES; lane += CN_SOFT_WIDTH) {
            if (tile->is_single) {
                warm_start_single(tile, lane, bodies);
            } else {
                warm_start_manifold(tile, lane, bodies);
            }
        }
    }
}

CN_LANE_FUNCTION void push_manifold(CnSoftTile* tile, int lane, const CnSoftBodies* bodies,
                                    const CnSoftRates* rates) {
    const int32_t *at_a = tile->offset[0] + lane, *at_b = tile->offset[1] + lane;
    Velocity a = load_velocity(bodies->rows, at_a), b = load_velocity(bodies->rows, at_b);
    TileFrame frame = load_frame(tile, lane);
    Relative relative = compare(&a, &b, &frame);
    Floats normal = dot(frame.normal, relative.velocity);
    const Floats spin[2] = {dot(frame.tangent[0], relative.spin),
                            dot(frame.tangent[1], relative.spin)};
    ContactSoftness soft = find_softness(&a, &b, rates);
    NormalSum sum = {splat(0.0f), {splat(0.0f), splat(0.0f)}};
    Floats got[CN_SOFT_POINTS];
    CN_UNROLLED
    for (int j = 0; j < CN_SOFT_POINTS; ++j) {
        Floats v = point_velocity(tile, lane, j, normal, spin, got);
        Floats old = load(tile->point[j].push.now, lane);
        Floats now = push_point(tile, lane, j, v, &soft, rates);
        got[j] = now - old;
        store(now, tile->point[j].push.now, lane);
        add_push(&sum, got[j], load(tile->u[j], lane), load(tile->w[j], lane));
    }
    apply_wrench(tile, lane, &frame, wrench_of(&frame, &sum), &a, &b);
    store_velocity(&a, at_a, bodies->rows);
    store_velocity(&b, at_b, bodies->rows);
}

CN_LANE_STAGE void push(CnSoftTiles tiles, const CnSoftBodies* bodies, const CnSoftRates* rates) {
    for (CnSoftTile* tile = first_of(tiles); tile < end_of(tiles); tile = cn_soft_next_tile(tile)) {
        for (int lane = 0; lane < CN_SOFT_LANES; lane += CN_SOFT_WIDTH) {
            if (tile->is_single) {
                push_single(tile, lane, bodies, rates);
            } else {
                push_manifold(tile, lane, bodies, rates);
            }
        }
    }
}

// Torsion, rolling and friction of the manifold as a whole. (12)
CN_LANE_FUNCTION TileWrench rub(CnSoftTile* tile, int lane, const TileFrame* frame,
                                const Relative* relative, const NormalSum* sum, Floats pressed,
                                Floats most_twist) {
    TileWrench wrench = wrench_of(frame, sum);
    Floats across = load(tile->across, lane);
    Floats v[2] = {dot(frame->tangent[0], relative->velocity),
                   across * dot(frame->tangent[1], relative->velocity)};
    if (tile->has_belt) {
        v[0] = v[0] + load(tile->belt[0], lane);
        v[1] = v[1] + across * load(tile->belt[1], lane);
    }
    Floats about = dot(frame->normal, relative->spin) + change_by(tile->twist_by_push, lane, sum);
    Floats old = load(tile->twist.now, lane);
    Floats now = min_of(old - load(tile->twist_mass, lane) * about, most_twist);
    now = max_of(now, splat(0.0f) - most_twist);
    store(now, tile->twist.now, lane);
    Floats twisted = now - old;
    wrench.moment = add(wrench.moment, times(twisted, frame->normal));
    CN_UNROLLED
    for (int i = 0; i < 2; ++i) {
        Floats pushed = load(tile->slide_by_push[i], lane) * sum->force +
                        load(tile->slide_by_moment[i][0], lane) * sum->moment[0] +
                        load(tile->slide_by_moment[i][1], lane) * sum->moment[1];
        v[i] = v[i] + pushed + load(tile->slide_by_twist[i], lane) * twisted;
    }
    if (tile->has_rolling) {
        Floats spin[2], rolled[2];
        CN_UNROLLED
        for (int i = 0; i < 2; ++i) {
            spin[i] = dot(frame->tangent[i], relative->spin) +
                      change_by(tile->roll_by_push[i], lane, sum) +
                      load(tile->roll_by_twist[i], lane) * twisted;
        }
        stop_pair(tile->roll_mass, lane, spin, load(tile->rolling, lane) * pressed, tile->roll.now,
                  rolled);
        CN_UNROLLED
        for (int i = 0; i < 2; ++i) {
            v[i] = v[i] + load(tile->slide_by_roll[i][0], lane) * rolled[0] +
                   load(tile->slide_by_roll[i][1], lane) * rolled[1];
            wrench.moment = add(wrench.moment, times(rolled[i], frame->tangent[i]));
            store(load(tile->roll.total[i], lane) + load(tile->roll.now[i], lane),
                  tile->roll.total[i], lane);
        }
    }
    Floats slid[2];
    stop_pair(tile->slide_mass, lane, v, load(tile->friction, lane) * pressed, tile->slide.now,
              slid);
    wrench.impulse = add(wrench.impulse, add(times(slid[0], frame->tangent[0]),
                                             times(across * slid[1], frame->tangent[1])));
    CN_UNROLLED
    for (int i = 0; i < 2; ++i) {
        store(load(tile->slide.total[i], lane) + load(tile->slide.now[i], lane),
              tile->slide.total[i], lane);
    }
    store(load(tile->twist.total, lane) + now, tile->twist.total, lane);
    return wrench;
}

CN_LANE_FUNCTION void relax_manifold(CnSoftTile* tile, int lane, const CnSoftBodies* bodies,
                                     const CnSoftRates* rates) {
    const int32_t *at_a = tile->offset[0] + lane, *at_b = tile->offset[1] + lane;
    Velocity a = load_velocity(bodies->rows, at_a), b = load_velocity(bodies->rows, at_b);
    TileFrame frame = load_frame(tile, lane);
    Floats separation[CN_SOFT_POINTS];
    find_separations(tile, lane, &frame, bodies->rows, separation);
    Relative relative = compare(&a, &b, &frame);
    Floats normal = dot(frame.normal, relative.velocity);
    const Floats spin[2] = {dot(frame.tangent[0], relative.spin),
                            dot(frame.tangent[1], relative.spin)};
    NormalSum sum = {splat(0.0f), {splat(0.0f), splat(0.0f)}};
    Floats pressed = splat(0.0f), most_twist = splat(0.0f);
    Floats got[CN_SOFT_POINTS];
    CN_UNROLLED
    for (int j = 0; j < CN_SOFT_POINTS; ++j) {
        Floats v = point_velocity(tile, lane, j, normal, spin, got);
        Floats gap = separation[j], old = load(tile->point[j].push.now, lane);
        store(gap, tile->point[j].separation, lane);
        Floats open = max_of(gap, splat(0.0f)) * splat(rates->inverse_h);
        Floats now = max_of(old - load(tile->point[j].mass, lane) * (v + open), splat(0.0f));
        got[j] = now - old;
        store(now, tile->point[j].push.now, lane);
        store(load(tile->point[j].push.total, lane) + now, tile->point[j].push.total, lane);
        add_push(&sum, got[j], load(tile->u[j], lane), load(tile->w[j], lane));
        pressed = pressed + now;
        most_twist = most_twist + load(tile->lever[j], lane) * now;
    }
    TileWrench wrench = rub(tile, lane, &frame, &relative, &sum, pressed, most_twist);
    apply_wrench(tile, lane, &frame, wrench, &a, &b);
    store_velocity(&a, at_a, bodies->rows);
    store_velocity(&b, at_b, bodies->rows);
}

CN_LANE_STAGE void relax(CnSoftTiles tiles, const CnSoftBodies* bodies, const CnSoftRates* rates) {
    for (CnSoftTile* tile = first_of(tiles); tile < end_of(tiles); tile = cn_soft_next_tile(tile)) {
        for (int lane = 0; lane < CN_SOFT_LANES; lane += CN_SOFT_WIDTH) {
            if (tile->is_single) {
                relax_single(tile, lane, bodies, rates);
            } else {
                relax_manifold(tile, lane, bodies, rates);
            }
        }
    }
}

// ---- impacts ----

CN_LANE_STAGE void note_approach(CnSoftTiles tiles, const CnSoftBodies* bodies) {
    for (CnSoftTile* tile = first_of(tiles); tile < end_of(tiles); tile = cn_soft_next_tile(tile)) {
        for (int lane = 0; tile->has_bounce && lane < CN_SOFT_LANES; lane += CN_SOFT_WIDTH) {
            Velocity a = load_velocity(bodies->rows, tile->offset[0] + lane);
            Velocity b = load_velocity(bodies->rows, tile->offset[1] + lane);
            TileFrame frame = load_frame(tile, lane);
            Relative relative = compare(&a, &b, &frame);
            Floats normal = dot(frame.normal, relative.velocity);
            const Floats spin[2] = {dot(frame.tangent[0], relative.spin),
                                    dot(frame.tangent[1], relative.spin)};
            const Floats got[CN_SOFT_POINTS] = {splat(0.0f), splat(0.0f), splat(0.0f), splat(0.0f)};
            for (int j = 0; j < points_in(tile); ++j) {
                store(velocity_of(tile, lane, j, normal, spin, got), tile->point[j].approach, lane);
            }
        }
    }
}

CN_LANE_STAGE void bounce(CnSoftTiles tiles, const CnSoftBodies* bodies, const CnSoftRates* rates) {
    for (CnSoftTile* tile = first_of(tiles); tile < end_of(tiles); tile = cn_soft_next_tile(tile)) {
        for (int lane = 0; tile->has_bounce && lane < CN_SOFT_LANES; lane += CN_SOFT_WIDTH) {
            const int32_t *at_a = tile->offset[0] + lane, *at_b = tile->offset[1] + lane;
            Velocity a = load_velocity(bodies->rows, at_a), b = load_velocity(bodies->rows, at_b);
            TileFrame frame = load_frame(tile, lane);
            Relative relative = compare(&a, &b, &frame);
            Floats normal = dot(frame.normal, relative.velocity);
            const Floats spin[2] = {dot(frame.tangent[0], relative.spin),
                                    dot(frame.tangent[1], relative.spin)};
            Floats restitution = load(tile->restitution, lane);
            NormalSum sum = {splat(0.0f), {splat(0.0f), splat(0.0f)}};
            Floats got[CN_SOFT_POINTS];
            for (int j = 0; j < points_in(tile); ++j) {
                Floats v = velocity_of(tile, lane, j, normal, spin, got);
                Floats approach = load(tile->point[j].approach, lane),
                       old = load(tile->point[j].push.now, lane);
                Floats total = load(tile->point[j].push.total, lane);
                // Points that came too slowly, or were not met, keep what they have.
                Mask fast = exceeds(splat(-rates->bounce_speed), approach);
                Floats mass = select(fast, load(tile->point[j].mass, lane), splat(0.0f));
                mass = select(exceeds(total, splat(0.0f)), mass, splat(0.0f));
                mass = select(exceeds(restitution, splat(0.0f)), mass, splat(0.0f));
                Floats now = max_of(old - mass * (v + restitution * approach), splat(0.0f));
                got[j] = now - old;
                store(now, tile->point[j].push.now, lane);
                store(total + got[j], tile->point[j].push.total, lane);
                Floats u = tile->is_single ? splat(0.0f) : load(tile->u[j], lane);
                Floats w = tile->is_single ? splat(0.0f) : load(tile->w[j], lane);
                add_push(&sum, got[j], u, w);
            }
            apply_wrench(tile, lane, &frame, wrench_of(&frame, &sum), &a, &b);
            store_velocity(&a, at_a, bodies->rows);
            store_velocity(&b, at_b, bodies->rows);
        }
    }
}

// ---- bodies through a substep ----

CN_LANE_FUNCTION CnFloat4 four_at(const float* from) {
    CnFloat4 x;
    memcpy(&x, from, sizeof x);
    return x;
}

CN_LANE_FUNCTION void put_four(CnFloat4 x, float* to) {
    memcpy(to, &x, sizeof x);
}

CN_LANE_STAGE void begin(const CnSoftBodies* bodies) {
    for (int i = 0; i < bodies->count; ++i) {
        float* row = bodies->rows[i].velocity;
        CnSoftDrift* drift = &bodies->drifts[i];
        for (int k = 0; k < 8; k += 4) {
            CnFloat4 v = four_at(row + k);
            put_four(v, drift->before + k);
            put_four(v + four_at(drift->gain + k), row + k);
        }
    }
}

// Loads, and all impulses of the substep before once more: what they gave it is known. (11)
CN_LANE_STAGE void go_on(const CnSoftBodies* bodies) {
    for (int i = 0; i < bodies->count; ++i) {
        float* row = bodies->rows[i].velocity;
        CnSoftDrift* drift = &bodies->drifts[i];
        for (int k = 0; k < 8; k += 4) {
            CnFloat4 v = four_at(row + k);
            CnFloat4 gained = v - four_at(drift->before + k);
            put_four(v, drift->before + k);
            put_four(v + gained, row + k);
        }
    }
}

// Bodies are a multiple of CN_SOFT_LANES.
CN_LANE_STAGE void advance(const CnSoftBodies* bodies, const CnSoftRates* rates) {
    Floats h = splat(rates->h), half = splat(0.5f * rates->h);
    int32_t offset[CN_SOFT_WIDTH];
    for (int i = 0; i < bodies->count; i += CN_SOFT_WIDTH) {
        for (int k = 0; k < CN_SOFT_WIDTH; ++k) {
            offset[k] = (int32_t)((i + k) * (int)sizeof(CnSoftBody));
        }
        Velocity v = load_velocity(bodies->rows, offset);
        Motion motion = load_motion(bodies->rows, offset);
        Vector moved = add(motion.moved, times(h, v.linear));
        Vector rate = add(times(motion.turn_w, v.spin), cross(v.spin, motion.turn));
        Vector turn = add(motion.turn, times(half, rate));
        Floats turn_w = motion.turn_w - half * dot(v.spin, motion.turn);
        Floats scale = splat(1.0f) / root(dot(turn, turn) + turn_w * turn_w);
        const Floats rows[8] = {moved.x,        moved.y,        moved.z,        splat(0.0f),
                                turn.x * scale, turn.y * scale, turn.z * scale, turn_w * scale};
        store_rows(rows, offset, (char*)bodies->rows->moved);
    }
}

// ---- after the step ----

CN_LANE_STAGE float observe(CnSoftTiles tiles, bool* has_changed) {
    Floats least = splat(0.0f);
    const unsigned all_bits = (1u << CN_SOFT_WIDTH) - 1u;
    for (CnSoftTile* tile = first_of(tiles); tile < end_of(tiles); tile = cn_soft_next_tile(tile)) {
        unsigned touching = 0;
        for (int lane = 0; lane < CN_SOFT_LANES; lane += CN_SOFT_WIDTH) {
            Floats pressed = splat(0.0f), nearest = splat(1.0f);
            for (int j = 0; j < points_in(tile); ++j) {
                Mask exists = exceeds(load(tile->point[j].mass, lane), splat(0.0f));
                Floats gap = load(tile->point[j].separation, lane);
                least = min_of(least, select(exists, gap, splat(0.0f)));
                nearest = min_of(nearest, select(exists, gap, splat(1.0f)));
                pressed = pressed + load(tile->point[j].push.total, lane);
            }
            touching |= bits_of(exceeds(pressed, splat(0.0f))) << lane;
            touching |= (bits_of(exceeds(nearest, splat(0.0f))) ^ all_bits) << lane;
        }
        *has_changed = *has_changed || touching != tile->touching;
        tile->turned = (uint8_t)(touching ^ tile->touching);
        tile->touching = (uint8_t)touching;
    }
    float lanes[CN_SOFT_WIDTH], deepest = 0.0f;
    memcpy(lanes, &least, sizeof lanes);
    for (int i = 0; i < CN_SOFT_WIDTH; ++i) {
        deepest = lanes[i] < deepest ? lanes[i] : deepest;
    }
    return -deepest;
}

// How far impulses and velocities are from the exact laws, (19): the natural map of each normal row
// with its own effective mass, and that of friction with the mean one. Rows that bounce are not
// judged: their law is another one.
CN_LANE_STAGE void judge(const CnSoftTile* tile, const CnSoftBodies* bodies,
                         const CnSoftRates* rates, float* missed) {
    Floats zero = splat(0.0f);
    for (int lane = 0; lane < CN_SOFT_LANES; lane += CN_SOFT_WIDTH) {
        Velocity a = load_velocity(bodies->rows, tile->offset[0] + lane);
        Velocity b = load_velocity(bodies->rows, tile->offset[1] + lane);
        TileFrame frame = load_frame(tile, lane);
        Relative relative = compare(&a, &b, &frame);
        Floats normal = dot(frame.normal, relative.velocity), pressed = zero, worst = zero;
        const Floats spin[2] = {dot(frame.tangent[0], relative.spin),
                                dot(frame.tangent[1], relative.spin)};
        const Floats got[CN_SOFT_POINTS] = {zero, zero, zero, zero};
        Mask bounces = exceeds(load(tile->restitution, lane), zero);
        for (int j = 0; j < points_in(tile); ++j) {
            Floats mass = load(tile->point[j].mass, lane), p = load(tile->point[j].push.now, lane);
            Floats gap = max_of(load(tile->point[j].separation, lane), zero);
            Floats v =
                velocity_of(tile, lane, j, normal, spin, got) + gap * splat(rates->inverse_h);
            Floats off = min_of(v, p * invert(mass));
            off = select(exceeds(mass, zero), max_of(off, zero - off), zero);
            worst = max_of(worst, select(bounces, zero, off));
            pressed = pressed + p;
        }
        Floats across = load(tile->across, lane);
        Floats v[2] = {dot(frame.tangent[0], relative.velocity),
                       across * dot(frame.tangent[1], relative.velocity)};
        if (tile->has_belt) {
            v[0] = v[0] + load(tile->belt[0], lane);
            v[1] = v[1] + across * load(tile->belt[1], lane);
        }
        Floats m11 = load(tile->slide_mass[0], lane), m12 = load(tile->slide_mass[1], lane);
        Floats m22 = load(tile->slide_mass[2], lane);
        const Floats old[2] = {load(tile->slide.now[0], lane), load(tile->slide.now[1], lane)};
        Floats now[2] = {old[0] - (m11 * v[0] + m12 * v[1]), old[1] - (m12 * v[0] + m22 * v[1])};
        clamp_pair(load(tile->friction, lane) * pressed, now);
        Floats dx = now[0] - old[0], dy = now[1] - old[1];
        Floats mean = splat(2.0f) * invert(m11 + m22);
        store(max_of(worst, root(dx * dx + dy * dy) * mean), missed, lane);
    }
}
