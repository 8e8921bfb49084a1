// soft_joint_lanes.h - ball joints and hinges, several at a time: the one text for every width.
//
// Included after soft_lanes.h, whose vectors it uses. Numbers in brackets are equations of
// docs/theory/soft_step.md.
#pragma once

#include "solvers/soft/soft_joint.h"

#include <stddef.h>

CN_LANE_FUNCTION void store_vector(Vector a, float to[3][CN_SOFT_LANES], int lane) {
    store(a.x, to[0], lane);
    store(a.y, to[1], lane);
    store(a.z, to[2], lane);
}

// a turned by the unit quaternion (q, w): a + 2 w (q x a) + 2 q x (q x a).
CN_LANE_FUNCTION Vector rotate(Vector q, Floats w, Vector a) {
    Vector t = times(splat(2.0f), cross(q, a));
    return add(a, add(times(w, t), cross(q, t)));
}

CN_LANE_FUNCTION Vector turned_by(const Motion* motion, Vector a) {
    return rotate(motion->turn, motion->turn_w, a);
}

// ---- refresh ----

// K += [r]' I [r], its lower half as xx yx yy zx zy zz. The moments of unit impulses along the axes
// are (0, z, -y), (-z, 0, x) and (y, -x, 0); products with their zeros are left out. (J7)
CN_LANE_FUNCTION void add_response(const Symmetric* inertia, Vector r, Floats k[6]) {
    const Floats* m = inertia->m;
    Floats xy = m[3] * r.z - m[4] * r.y, xz = m[4] * r.z - m[5] * r.y; // spins by them
    Vector y = {m[2] * r.x - m[0] * r.z, m[4] * r.x - m[1] * r.z, m[5] * r.x - m[2] * r.z};
    Vector z = {m[0] * r.y - m[1] * r.x, m[1] * r.y - m[3] * r.x, m[2] * r.y - m[4] * r.x};
    k[0] = k[0] + (xy * r.z - xz * r.y);
    k[1] = k[1] + (y.y * r.z - y.z * r.y);
    k[2] = k[2] + (y.z * r.x - y.x * r.z);
    k[3] = k[3] + (z.y * r.z - z.z * r.y);
    k[4] = k[4] + (z.z * r.x - z.x * r.z);
    k[5] = k[5] + (z.x * r.y - z.y * r.x);
}

// The inverse of a symmetric 3 x 3 matrix, by cofactors; zero where nothing gives way.
CN_LANE_FUNCTION void invert_response(const Floats k[6], float to[6][CN_SOFT_LANES], int lane) {
    Floats c00 = k[2] * k[5] - k[4] * k[4], c10 = k[3] * k[4] - k[1] * k[5];
    Floats c20 = k[1] * k[4] - k[2] * k[3];
    Floats inverse = invert(k[0] * c00 + k[1] * c10 + k[3] * c20);
    store(c00 * inverse, to[0], lane);
    store(c10 * inverse, to[1], lane);
    store((k[0] * k[5] - k[3] * k[3]) * inverse, to[2], lane);
    store(c20 * inverse, to[3], lane);
    store((k[1] * k[3] - k[0] * k[4]) * inverse, to[4], lane);
    store((k[0] * k[2] - k[1] * k[1]) * inverse, to[5], lane);
}

CN_LANE_FUNCTION Vector times_inverse(const float mass[6][CN_SOFT_LANES], int lane, Vector a) {
    Floats m10 = load(mass[1], lane), m20 = load(mass[3], lane), m21 = load(mass[4], lane);
    return (Vector){load(mass[0], lane) * a.x + m10 * a.y + m20 * a.z,
                    m10 * a.x + load(mass[2], lane) * a.y + m21 * a.z,
                    m20 * a.x + m21 * a.y + load(mass[5], lane) * a.z};
}

// How the axes lean against each other, about the sides of A; zero where they are one. (J6)
CN_LANE_FUNCTION void refresh_hinge(CnSoftJointTile* tile, int lane, const Motion motion[2],
                                    const Symmetric inertia[2]) {
    const CnSoftJointTile* at = tile;
    Vector axis_a = turned_by(&motion[0], load_vector(at->axis[0], lane));
    Vector axis_b = turned_by(&motion[1], load_vector(at->axis[1], lane));
    Vector lean = cross(axis_a, axis_b);
    Vector side[2], spin[2];
    CN_UNROLLED
    for (int i = 0; i < 2; ++i) {
        side[i] = turned_by(&motion[0], load_vector(at->side[i], lane));
        spin[i] = add(apply(&inertia[0], side[i]), apply(&inertia[1], side[i]));
        store_vector(side[i], tile->side_now[i], lane);
        store(dot(side[i], lean), tile->lean[i], lane);
    }
    invert_pair(dot(side[0], spin[0]), dot(side[0], spin[1]), dot(side[1], spin[1]),
                tile->turn_mass, lane);
}

CN_LANE_FUNCTION void refresh_tile(CnSoftJointTile* tile, int lane, const CnSoftBodies* bodies) {
    const CnSoftJointTile* at = tile;
    Motion motion[2];
    Symmetric inertia[2];
    Vector error = load_vector(at->gap, lane);
    Floats masses = load(at->inverse_masses, lane), zero = splat(0.0f);
    Floats k[6] = {masses, zero, masses, zero, zero, masses};
    CN_UNROLLED
    for (int i = 0; i < 2; ++i) {
        motion[i] = load_motion(bodies->rows, tile->offset[i] + lane);
        inertia[i] = load_symmetric(at->inertia[i], lane);
        Vector arm = load_vector(at->arm[i], lane), now = turned_by(&motion[i], arm);
        Vector moved = add(motion[i].moved, subtract(now, arm));
        error = i == 0 ? subtract(error, moved) : add(error, moved);
        store_vector(now, tile->arm_now[i], lane);
        add_response(&inertia[i], now, k);
    }
    store_vector(error, tile->error, lane);
    invert_response(k, tile->mass, lane);
    if (tile->is_hinge) {
        refresh_hinge(tile, lane, motion, inertia);
    }
}

CN_LANE_FUNCTION void load_sides(const CnSoftJointTile* tile, int lane, Vector side[2]) {
    side[0] = load_vector(tile->side_now[0], lane);
    side[1] = load_vector(tile->side_now[1], lane);
}

// Velocities hold the impulses of this substep at the places where joints were; now they get them
// where they are. (J10)
CN_LANE_FUNCTION void shift_impulses(CnSoftJointTile* tile, int lane, const CnSoftBodies* bodies) {
    const CnSoftJointTile* at = tile;
    char* spins = (char*)bodies->rows + offsetof(CnSoftBody, spin);
    Vector none = {splat(0.0f), splat(0.0f), splat(0.0f)}, side[2] = {none, none}, moment[2];
    Vector p = load_vector(at->impulse, lane);
    Vector arm[2] = {load_vector(at->arm_now[0], lane), load_vector(at->arm_now[1], lane)};
    if (tile->is_hinge) {
        load_sides(at, lane, side);
    }
    refresh_tile(tile, lane, bodies);
    CN_UNROLLED
    for (int i = 0; i < 2; ++i) {
        moment[i] = cross(subtract(load_vector(at->arm_now[i], lane), arm[i]), p);
    }
    if (tile->is_hinge) {
        Vector turned[2];
        load_sides(at, lane, turned);
        Vector twist = add(times(load(at->moment[0], lane), subtract(turned[0], side[0])),
                           times(load(at->moment[1], lane), subtract(turned[1], side[1])));
        moment[0] = add(moment[0], twist);
        moment[1] = add(moment[1], twist);
    }
    CN_UNROLLED
    for (int i = 0; i < 2; ++i) {
        Symmetric inertia = load_symmetric(at->inertia[i], lane);
        Vector change = apply(&inertia, moment[i]);
        Floats row[4];
        load_row(spins, tile->offset[i] + lane, row);
        Vector old = {row[0], row[1], row[2]};
        Vector spin = i == 0 ? subtract(old, change) : add(old, change);
        const Floats changed[4] = {spin.x, spin.y, spin.z, row[3]};
        store_row(changed, tile->offset[i] + lane, spins);
    }
}

CN_LANE_STAGE void shift_joints(CnSoftJointTile* tiles, int count, const CnSoftBodies* bodies) {
    for (int i = 0; i < count; ++i) {
        for (int lane = 0; lane < CN_SOFT_LANES; lane += CN_SOFT_WIDTH) {
            shift_impulses(&tiles[i], lane, bodies);
        }
    }
}

CN_LANE_STAGE void refresh_joints(CnSoftJointTile* tiles, int count, const CnSoftBodies* bodies) {
    for (int i = 0; i < count; ++i) {
        for (int lane = 0; lane < CN_SOFT_LANES; lane += CN_SOFT_WIDTH) {
            Velocity a = load_velocity(bodies->rows, tiles[i].offset[0] + lane);
            Velocity b = load_velocity(bodies->rows, tiles[i].offset[1] + lane);
            store(a.inverse_mass + b.inverse_mass, tiles[i].inverse_masses, lane);
            refresh_tile(&tiles[i], lane, bodies);
        }
    }
}

// ---- axes of A's frame ---- (J12)

CN_LANE_STAGE void open_joints(CnSoftJointTile* tiles, int count, const CnSoftBodies* bodies) {
    for (int i = 0; i < count; ++i) {
        const CnSoftJointTile* at = &tiles[i];
        for (int lane = 0; lane < CN_SOFT_LANES; lane += CN_SOFT_WIDTH) {
            Motion motion = load_motion(bodies->rows, at->offset[0] + lane);
            Vector frame = load_vector(at->frame, lane);
            Vector p = rotate(frame, load(at->frame[3], lane), load_vector(at->impulse, lane));
            store_vector(turned_by(&motion, p), tiles[i].impulse, lane);
        }
    }
}

CN_LANE_FUNCTION void see_from_frame(const Motion* motion, const CnSoftJointTile* at, int lane,
                                     float vector[3][CN_SOFT_LANES]) {
    Vector back = times(splat(-1.0f), motion->turn);
    Vector frame = times(splat(-1.0f), load_vector(at->frame, lane));
    Vector placed =
        rotate(back, motion->turn_w, load_vector((const float(*)[CN_SOFT_LANES])vector, lane));
    store_vector(rotate(frame, load(at->frame[3], lane), placed), vector, lane);
}

CN_LANE_STAGE void close_joints(CnSoftJointTile* tiles, int count, const CnSoftBodies* bodies) {
    for (int i = 0; i < count; ++i) {
        CnSoftJointTile* tile = &tiles[i];
        for (int lane = 0; lane < CN_SOFT_LANES; lane += CN_SOFT_WIDTH) {
            Motion motion = load_motion(bodies->rows, tile->offset[0] + lane);
            see_from_frame(&motion, tile, lane, tile->impulse);
            see_from_frame(&motion, tile, lane, tile->total_impulse);
            see_from_frame(&motion, tile, lane, tile->error);
        }
    }
}

// ---- sweeps ----

// A joint with its two bodies, as a sweep holds them.
typedef struct JointVisit {
    Velocity body[2];
    Symmetric inertia[2];
    Vector arm[2];
} JointVisit;

CN_LANE_FUNCTION JointVisit begin_visit(const CnSoftJointTile* tile, int lane,
                                        const CnSoftBodies* bodies) {
    JointVisit visit;
    CN_UNROLLED
    for (int i = 0; i < 2; ++i) {
        visit.body[i] = load_velocity(bodies->rows, tile->offset[i] + lane);
        visit.inertia[i] = load_symmetric(tile->inertia[i], lane);
        visit.arm[i] = load_vector(tile->arm_now[i], lane);
    }
    return visit;
}

CN_LANE_FUNCTION void end_visit(const JointVisit* visit, const CnSoftJointTile* tile, int lane,
                                const CnSoftBodies* bodies) {
    store_velocity(&visit->body[0], tile->offset[0] + lane, bodies->rows);
    store_velocity(&visit->body[1], tile->offset[1] + lane, bodies->rows);
}

CN_LANE_FUNCTION void apply_impulse(JointVisit* visit, Vector p) {
    Velocity *a = &visit->body[0], *b = &visit->body[1];
    a->linear = subtract(a->linear, times(a->inverse_mass, p));
    b->linear = add(b->linear, times(b->inverse_mass, p));
    a->spin = subtract(a->spin, apply(&visit->inertia[0], cross(visit->arm[0], p)));
    b->spin = add(b->spin, apply(&visit->inertia[1], cross(visit->arm[1], p)));
}

CN_LANE_FUNCTION void apply_moment(JointVisit* visit, Vector m) {
    visit->body[0].spin = subtract(visit->body[0].spin, apply(&visit->inertia[0], m));
    visit->body[1].spin = add(visit->body[1].spin, apply(&visit->inertia[1], m));
}

typedef struct Softness {
    Floats mass_scale, bias, impulse_scale;
} Softness;

// The two rows that keep the axes of a hinge one. (J9)
CN_LANE_FUNCTION void visit_axis(JointVisit* visit, CnSoftJointTile* tile, int lane,
                                 const Softness* soft) {
    Vector spin = subtract(visit->body[1].spin, visit->body[0].spin), side[2];
    load_sides(tile, lane, side);
    Floats x[2], change[2], inverse = load(tile->turn_mass[1], lane);
    CN_UNROLLED
    for (int i = 0; i < 2; ++i) {
        x[i] = soft->mass_scale * dot(side[i], spin) + soft->bias * load(tile->lean[i], lane);
    }
    change[0] = load(tile->turn_mass[0], lane) * x[0] + inverse * x[1];
    change[1] = inverse * x[0] + load(tile->turn_mass[2], lane) * x[1];
    CN_UNROLLED
    for (int i = 0; i < 2; ++i) {
        Floats old = load(tile->moment[i], lane);
        change[i] = splat(0.0f) - change[i] - soft->impulse_scale * old;
        store(old + change[i], tile->moment[i], lane);
    }
    apply_moment(visit, add(times(change[0], side[0]), times(change[1], side[1])));
}

// The three rows that keep the points one. (J8)
CN_LANE_FUNCTION void visit_point(JointVisit* visit, CnSoftJointTile* tile, int lane,
                                  const Softness* soft) {
    const CnSoftJointTile* at = tile;
    const Velocity *a = &visit->body[0], *b = &visit->body[1];
    Vector at_a = add(a->linear, cross(a->spin, visit->arm[0]));
    Vector at_b = add(b->linear, cross(b->spin, visit->arm[1]));
    Vector wanted = add(times(soft->mass_scale, subtract(at_b, at_a)),
                        times(soft->bias, load_vector(at->error, lane)));
    Vector old = load_vector(at->impulse, lane);
    Vector change = times(
        splat(-1.0f), add(times_inverse(at->mass, lane, wanted), times(soft->impulse_scale, old)));
    store_vector(add(old, change), tile->impulse, lane);
    apply_impulse(visit, change);
}

CN_LANE_FUNCTION void visit_joint(CnSoftJointTile* tile, int lane, const CnSoftBodies* bodies,
                                  const Softness* soft) {
    JointVisit visit = begin_visit(tile, lane, bodies);
    if (tile->is_hinge) {
        visit_axis(&visit, tile, lane, soft);
    }
    visit_point(&visit, tile, lane, soft);
    end_visit(&visit, tile, lane, bodies);
}

CN_LANE_STAGE void push_joints(CnSoftJointTile* tiles, int count, const CnSoftBodies* bodies,
                               const CnSoftRates* rates) {
    const Softness soft = {splat(rates->mass_scale[0]), splat(rates->bias[0]),
                           splat(rates->impulse_scale[0])};
    for (int i = 0; i < count; ++i) {
        for (int lane = 0; lane < CN_SOFT_LANES; lane += CN_SOFT_WIDTH) {
            visit_joint(&tiles[i], lane, bodies, &soft);
        }
    }
}

CN_LANE_STAGE void relax_joints(CnSoftJointTile* tiles, int count, const CnSoftBodies* bodies) {
    const Softness rigid = {splat(1.0f), splat(0.0f), splat(0.0f)};
    for (int i = 0; i < count; ++i) {
        CnSoftJointTile* tile = &tiles[i];
        const CnSoftJointTile* at = tile;
        for (int lane = 0; lane < CN_SOFT_LANES; lane += CN_SOFT_WIDTH) {
            visit_joint(tile, lane, bodies, &rigid);
            Vector total = load_vector(at->total_impulse, lane);
            store_vector(add(total, load_vector(at->impulse, lane)), tile->total_impulse, lane);
            if (tile->is_hinge) {
                CN_UNROLLED
                for (int k = 0; k < 2; ++k) {
                    store(load(tile->total_moment[k], lane) + load(tile->moment[k], lane),
                          tile->total_moment[k], lane);
                }
            }
        }
    }
}

CN_LANE_STAGE void warm_start_joints(CnSoftJointTile* tiles, int count,
                                     const CnSoftBodies* bodies) {
    for (int i = 0; i < count; ++i) {
        CnSoftJointTile* tile = &tiles[i];
        const CnSoftJointTile* at = tile;
        for (int lane = 0; lane < CN_SOFT_LANES; lane += CN_SOFT_WIDTH) {
            JointVisit visit = begin_visit(tile, lane, bodies);
            apply_impulse(&visit, load_vector(at->impulse, lane));
            if (tile->is_hinge) {
                Vector side[2];
                load_sides(at, lane, side);
                apply_moment(&visit, add(times(load(at->moment[0], lane), side[0]),
                                         times(load(at->moment[1], lane), side[1])));
            }
            end_visit(&visit, at, lane, bodies);
        }
    }
}
