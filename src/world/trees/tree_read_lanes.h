// tree_read_lanes.h - joints of a tree in closed form, read side by side, one in each lane.
//
// cn_tree_read_link() number by number, each lane with its bits. A hinge or slider whose axes are
// far apart takes an arctangent and is left to that function.
#include "math/lane_arctangent.h"
#include "math/lane_vectors.h"
#include "math/worse.h"
#include "world/trees/tree_store.h"

#include <stddef.h>

_Static_assert(offsetof(CnTreeLink, dual) + sizeof(CnVec3[2]) ==
                   offsetof(CnTreeLink, axes) + CN_TREE_NUMBERS * sizeof(double),
               "what lanes write has no gaps");

typedef struct LanePose {
    CnLaneVec3 position;
    CnLaneQuat rotation;
} LanePose;

// What is written of each link, in this order.
typedef struct LaneReading {
    CnLaneVec3 axes[3];
    CnLanes value[CN_MAX_ROWS];
    CnLaneVec3 arm, other_arm, turn[2], axis, dual[2];
} LaneReading;

_Static_assert(sizeof(LaneReading) == CN_TREE_NUMBERS * sizeof(CnLanes), "as CnTreeLink has it");

// Of these a joint that keeps a point alone has so many.
#define POINT_NUMBERS ((int)(offsetof(LaneReading, turn) / sizeof(CnLanes)))

// Seven numbers of each lane's pose; the one after them is read too.
CN_LANE_FUNCTION LanePose gather_pose(const double* const from[CN_LANES]) {
    CnLanes to[8];
    cn_lanes_gather_many(from, 0, 8, to);
    return (LanePose){{to[0], to[1], to[2]}, {to[3], to[4], to[5], to[6]}};
}

CN_LANE_FUNCTION LanePose frame_of(LanePose body, LanePose local) {
    return (LanePose){cn_lane_add(body.position, cn_lane_rotate(body.rotation, local.position)),
                      cn_lane_multiply(body.rotation, local.rotation)};
}

CN_LANE_FUNCTION void find_axes(CnLaneQuat q, CnLaneVec3 axes[3]) {
    CnLanes one = cn_lanes(1.0), two = cn_lanes(2.0);
    CnLanes xx = q.x * q.x, yy = q.y * q.y, zz = q.z * q.z;
    CnLanes xy = q.x * q.y, xz = q.x * q.z, yz = q.y * q.z;
    CnLanes wx = q.w * q.x, wy = q.w * q.y, wz = q.w * q.z;
    axes[0] = (CnLaneVec3){one - two * (yy + zz), two * (xy + wz), two * (xz - wy)};
    axes[1] = (CnLaneVec3){two * (xy - wz), one - two * (xx + zz), two * (yz + wx)};
    axes[2] = (CnLaneVec3){two * (xz + wy), two * (yz - wx), one - two * (xx + yy)};
}

// Values and gradients of both angles, as cn_read_swing(); the lanes where its series serves. axis:
// z of B's frame.
CN_LANE_FUNCTION CnMask find_swing(CnLaneVec3 axis, LaneReading* out) {
    CnLanes b[3];
    CnLaneVec3 g[3];
    for (int i = 0; i < 3; ++i) {
        b[i] = cn_lane_dot(axis, out->axes[i]);
        g[i] = cn_lane_cross(axis, out->axes[i]);
    }
    CnLanes x = b[0] * b[0] + b[1] * b[1];
    CnLanes factor =
        1.0 + x * (1.0 / 6.0 + x * (3.0 / 40.0 + x * (5.0 / 112.0 + x * (35.0 / 1152.0))));
    CnLanes slope = 1.0 / 3.0 + x * (2.0 / 15.0 + x * (8.0 / 105.0 + x * (16.0 / 315.0)));
    CnLaneVec3 sideways = cn_lane_add_scaled(cn_lane_scale(b[0], g[0]), b[1], g[1]);
    CnLaneVec3 leaning = cn_lane_add_scaled(cn_lane_scale(b[2], sideways), -x, g[2]);
    for (int i = 0; i < 2; ++i) {
        int part = 1 - i;
        CnLanes sign = cn_lanes(i == 0 ? -1.0 : 1.0);
        out->value[3 + i] = sign * factor * b[part];
        out->turn[i] = cn_lane_scale(
            sign, cn_lane_add_scaled(cn_lane_scale(factor, g[part]), slope * b[part], leaning));
    }
    return cn_less(cn_lanes(0.0), b[2]) & cn_less(x, cn_lanes(CN_SMALL_LEAN * CN_SMALL_LEAN));
}

CN_LANE_FUNCTION void find_duals(LaneReading* out) {
    out->axis = cn_lane_cross(out->turn[0], out->turn[1]);
    CnLanes inverse = 1.0 / cn_lane_dot(out->axis, out->axis);
    out->dual[0] = cn_lane_scale(inverse, cn_lane_cross(out->turn[1], out->axis));
    out->dual[1] = cn_lane_scale(inverse, cn_lane_cross(out->axis, out->turn[0]));
}

CN_LANE_FUNCTION void write_reading(const LaneReading* out, int count, double* const to[CN_LANES]) {
    cn_lanes_scatter_many((const CnLanes*)(const void*)out, count, to, 0);
}

CN_LANE_FUNCTION CnLaneVec3 select_vec3(CnMask mask, CnLaneVec3 yes, CnLaneVec3 no) {
    return (CnLaneVec3){cn_select(mask, yes.x, no.x), cn_select(mask, yes.y, no.y),
                        cn_select(mask, yes.z, no.z)};
}

// What all joints in closed form have, and what others need of their frames.
typedef struct LaneFrames {
    CnLaneQuat from, to;  // the frames of A and B, world
    CnLaneVec3 axes_b[3]; // of B's
    CnLanes sign;
    CnMask is_hinge;
    unsigned hinges; // its bits
    double* out[CN_LANES];
} LaneFrames;

CN_LANE_FUNCTION void read_frames(const CnTreeReading* const readings[CN_LANES],
                                  const CnBodyState* states, LaneFrames* frames, LaneReading* out) {
    const double *a[CN_LANES], *b[CN_LANES], *frame_a[CN_LANES], *frame_b[CN_LANES];
    CnLanes form;
    for (int i = 0; i < CN_LANES; ++i) {
        CnTreeLink* link = readings[i]->link;
        a[i] = link->body_a < 0 ? &cn_immovable.center.x : &states[link->body_a].center.x;
        b[i] = link->body_b < 0 ? &cn_immovable.center.x : &states[link->body_b].center.x;
        frame_a[i] = &readings[i]->frames[0].position.x;
        frame_b[i] = &readings[i]->frames[1].position.x;
        frames->out[i] = (double*)(void*)((char*)link + offsetof(CnTreeLink, axes));
        frames->sign[i] = link->sign;
        form[i] = link->form;
    }
    frames->is_hinge = cn_equal(form, cn_lanes(CN_FORM_HINGE));
    frames->hinges = cn_mask_bits(frames->is_hinge);
    LanePose pose_a = gather_pose(a), pose_b = gather_pose(b);
    LanePose local = gather_pose(frame_b);
    LanePose from = frame_of(pose_a, gather_pose(frame_a));
    CnLaneVec3 at = cn_lane_add(pose_b.position, cn_lane_rotate(pose_b.rotation, local.position));
    CnLaneVec3 offset = cn_lane_sub(at, from.position);
    find_axes(from.rotation, out->axes);
    for (int i = 0; i < 3; ++i) {
        out->value[i] = cn_lane_dot(out->axes[i], offset);
    }
    CnMask is_b = cn_less(cn_lanes(0.0), frames->sign);
    CnLaneVec3 arm_a = cn_lane_sub(at, pose_a.position), arm_b = cn_lane_sub(at, pose_b.position);
    out->arm = select_vec3(is_b, arm_b, arm_a);
    out->other_arm = select_vec3(is_b, arm_a, arm_b);
    out->value[3] = out->value[4] = out->value[5] = cn_lanes(0.0);
    frames->from = from.rotation;
    frames->to = cn_lane_multiply(pose_b.rotation, local.rotation);
    find_axes(frames->to, frames->axes_b);
}

// How a frame is turned against another.
CN_LANE_FUNCTION CnLaneQuat turn_between(CnLaneQuat from, CnLaneQuat to) {
    CnLaneQuat back = {from.w, -from.x, -from.y, -from.z};
    return cn_lane_multiply(back, to);
}

// cn_twist_gradient() about z.
CN_LANE_FUNCTION CnLaneVec3 find_gradient(CnLaneQuat from, CnLaneQuat q) {
    CnLanes n = q.w * q.w + q.z * q.z;
    CnLaneVec3 local = {(q.w * q.y + q.z * q.x) / n, (q.z * q.y - q.w * q.x) / n, cn_lanes(1.0)};
    return cn_lane_rotate(from, local);
}

// cn_twist_angle() and cn_twist_gradient() about z of the links that have a place for them, where
// the arctangent serves.
CN_LANE_FUNCTION void write_twists(const CnTreeReading* const readings[CN_LANES], CnLaneQuat from,
                                   CnLaneQuat to) {
    CnLanes angle;
    CnLaneQuat q = turn_between(from, to);
    unsigned done = cn_mask_bits(cn_lane_atan2(q.z, q.w, &angle));
    CnLaneVec3 gradient = find_gradient(from, q);
    for (int i = 0; i < CN_LANES; ++i) {
        CnTreeTurn* turn = readings[i]->turned;
        if (turn != NULL && (done >> i & 1u) != 0) {
            turn->twist = 2.0 * angle[i];
            turn->twist_row = cn_vec3(gradient.x[i], gradient.y[i], gradient.z[i]);
            readings[i]->link->has_twist = true;
        }
    }
}

CN_LANE_FUNCTION bool has_twists(const CnTreeReading* const readings[CN_LANES]) {
    bool has = false;
    for (int i = 0; i < CN_LANES; ++i) {
        has = has || readings[i]->turned != NULL;
    }
    return has;
}

// cn_tree_twist() for minus the values; hinges: all bits of those lanes.
CN_LANE_FUNCTION void write_closing(const CnTreeReading* const readings[CN_LANES], CnLanes sign,
                                    CnMask hinges, const LaneReading* out) {
    double* to[CN_LANES];
    CnLaneVec3 v = cn_lane_scale(sign * -out->value[0], out->axes[0]);
    v = cn_lane_add_scaled(v, sign * -out->value[1], out->axes[1]);
    v = cn_lane_add_scaled(v, sign * -out->value[2], out->axes[2]);
    CnLaneVec3 w = {cn_lanes(0.0), cn_lanes(0.0), cn_lanes(0.0)};
    if (cn_any(hinges)) {
        CnLaneVec3 turn = cn_lane_scale(sign * -out->value[3], out->dual[0]);
        turn = cn_lane_add_scaled(turn, sign * -out->value[4], out->dual[1]);
        w = select_vec3(hinges, turn, w);
        v = select_vec3(hinges, cn_lane_add(v, cn_lane_cross(out->arm, w)), v);
    }
    for (int i = 0; i < CN_LANES; ++i) {
        to[i] = readings[i]->closing;
    }
    const CnLanes twist[6] = {v.x, v.y, v.z, w.x, w.y, w.z};
    cn_lanes_scatter_many(twist, 6, to, 0);
}

// cn_tree_axes() of the hinges that have a place for it.
CN_LANE_FUNCTION void write_hinge_axes(const CnTreeReading* const readings[CN_LANES],
                                       const LaneReading* out) {
    double none[6], *to[CN_LANES];
    CnLaneVec3 w = out->axis, v = cn_lane_cross(out->arm, w);
    const CnLanes axis[6] = {v.x, v.y, v.z, w.x, w.y, w.z};
    for (int i = 0; i < CN_LANES; ++i) {
        to[i] = readings[i]->axis != NULL ? readings[i]->axis : none;
    }
    cn_lanes_scatter_many(axis, 6, to, 0);
}

// cn_tree_worse() of the lanes that are not left; hinges have five values.
CN_LANE_FUNCTION void find_worst(const LaneReading* out, CnMask hinges, unsigned left,
                                 double* worst) {
    CnLanes most = cn_lanes(0.0);
    for (int k = 0; k < 5; ++k) {
        CnLanes error = cn_lanes_abs(k < 3 ? out->value[k] : cn_keep(hinges, out->value[k]));
        CnLanes known = cn_select(cn_equal(error, error), error, cn_lanes(HUGE_VAL));
        most = cn_select(cn_less(most, known), known, most);
    }
    for (int i = 0; i < CN_LANES; ++i) {
        *worst = (left >> i & 1u) != 0 ? *worst : cn_worse(*worst, most[i]);
    }
}

// CN_LANES ball joints and hinges; the bits of hinges that lean far.
CN_LANE_STAGE unsigned read_some(const CnTreeReading* const readings[CN_LANES], unsigned what,
                                 const CnBodyState* states, double* worst) {
    LaneFrames frames;
    LaneReading out;
    unsigned left = 0, all = (1u << CN_LANES) - 1u;
    bool with_axes = (what & CN_TREE_READ_AXES) != 0;
    read_frames(readings, states, &frames, &out);
    if (frames.hinges != 0) {
        left = frames.hinges & ~cn_mask_bits(find_swing(frames.axes_b[2], &out));
        find_duals(&out);
    }
    if ((what & CN_TREE_READ_TURNS) != 0 && has_twists(readings)) {
        write_twists(readings, frames.from, frames.to);
    }
    if (frames.hinges == 0) {
        write_reading(&out, POINT_NUMBERS, frames.out);
    } else if (!with_axes || frames.hinges != all) {
        write_reading(&out, CN_TREE_NUMBERS, frames.out);
    }
    if (with_axes && frames.hinges != 0) {
        write_hinge_axes(readings, &out);
    }
    if ((what & CN_TREE_READ_CLOSING) != 0) {
        write_closing(readings, frames.sign, frames.is_hinge, &out);
    }
    if ((what & CN_TREE_READ_WORST) != 0) {
        find_worst(&out, frames.is_hinge, left, worst);
    }
    return left;
}

CN_LANE_FUNCTION void clear_turns(LaneReading* out) {
    const CnLaneVec3 zero = {cn_lanes(0.0), cn_lanes(0.0), cn_lanes(0.0)};
    out->turn[0] = out->turn[1] = out->axis = out->dual[0] = out->dual[1] = zero;
}

// CN_LANES universal joints.
CN_LANE_STAGE unsigned read_universals(const CnTreeReading* const readings[CN_LANES],
                                       const CnBodyState* states) {
    LaneFrames frames;
    LaneReading out;
    clear_turns(&out);
    read_frames(readings, states, &frames, &out);
    CnLaneVec3 x = frames.axes_b[0], turn = cn_lane_cross(x, out.axes[2]);
    out.value[3] = cn_lane_dot(out.axes[2], x);
    out.turn[0] = turn;
    out.axis = x;
    out.dual[0] = cn_lane_scale(1.0 / cn_lane_dot(turn, turn), turn);
    write_reading(&out, CN_TREE_NUMBERS, frames.out);
    return 0;
}

// cn_atan2() of lanes that are mostly next to the positive axis, where it is the ratio: those are
// done too.
CN_LANE_FUNCTION CnMask find_small_angle(CnLanes y, CnLanes x, CnLanes* angle) {
    CnLanes ratio = y / x;
    CnMask is_small = cn_less(cn_lanes_abs(y), cn_lanes(0x1p-30) * x);
    *angle = ratio;
    if (cn_mask_bits(is_small) == (1u << CN_LANES) - 1u) {
        return is_small;
    }
    CnMask done = cn_lane_atan2(y, x, angle);
    *angle = cn_select(is_small, ratio, *angle);
    return done | is_small;
}

// CN_LANES sliders; the bits of those that lean or turn far.
CN_LANE_STAGE unsigned read_sliders(const CnTreeReading* const readings[CN_LANES],
                                    const CnBodyState* states) {
    LaneFrames frames;
    LaneReading out;
    clear_turns(&out);
    read_frames(readings, states, &frames, &out);
    CnMask done = find_swing(frames.axes_b[2], &out);
    out.value[5] = out.value[2];
    out.value[2] = out.value[3];
    out.value[3] = out.value[4];
    CnLaneQuat q = turn_between(frames.from, frames.to);
    done = done & find_small_angle(q.z, q.w, &out.value[4]);
    out.value[4] = 2.0 * out.value[4];
    out.axis = find_gradient(frames.from, q);
    write_reading(&out, CN_TREE_NUMBERS, frames.out);
    return ~cn_mask_bits(done) & ((1u << CN_LANES) - 1u);
}

CN_LANE_FUNCTION unsigned read_all(int count, const CnTreeReading* readings, unsigned what,
                                   const CnBodyState* states, double* worst) {
    CnFrameForm form = readings[0].link->form;
    unsigned left = 0;
    for (int first = 0; first < count; first += CN_LANES) {
        const CnTreeReading* group[CN_LANES];
        for (int i = 0; i < CN_LANES; ++i) { // lanes that are left over repeat the last joint
            group[i] = &readings[first + i < count ? first + i : count - 1];
        }
        unsigned own = form == CN_FORM_UNIVERSAL ? read_universals(group, states)
                       : form == CN_FORM_SLIDER  ? read_sliders(group, states)
                                                 : read_some(group, what, states, worst);
        left |= own << first;
    }
    return left;
}

// R of a rotation, as cn_mat3_from_quat().
CN_LANE_FUNCTION void find_matrix(CnLaneQuat q, CnLanes m[3][3]) {
    CnLanes one = cn_lanes(1.0), two = cn_lanes(2.0);
    CnLanes xx = two * q.x * q.x, yy = two * q.y * q.y, zz = two * q.z * q.z;
    CnLanes xy = two * q.x * q.y, xz = two * q.x * q.z, yz = two * q.y * q.z;
    CnLanes wx = two * q.w * q.x, wy = two * q.w * q.y, wz = two * q.w * q.z;
    const CnLanes all[3][3] = {{one - (yy + zz), xy - wz, xz + wy},
                               {xy + wz, one - (xx + zz), yz - wx},
                               {xz - wy, yz + wx, one - (xx + yy)}};
    memcpy(m, all, sizeof all);
}

CN_LANE_STAGE void turn_some(const CnTreeTensor* const tensors[CN_LANES]) {
    const double *rotation[CN_LANES], *inertia[CN_LANES];
    double* to[CN_LANES];
    CnLanes r[3][3], half[3][3], q[4], turned[6];
    CnLaneMat3 own;
    for (int i = 0; i < CN_LANES; ++i) {
        rotation[i] = &tensors[i]->rotation->w;
        inertia[i] = &tensors[i]->inertia->m[0][0];
        to[i] = tensors[i]->turned;
    }
    cn_lanes_gather_many(rotation, 0, 4, q);
    find_matrix(cn_lane_quat(q), r);
    cn_lanes_gather_mat3(inertia, &own);
    CnLanes(*j)[3] = own.m;
    for (int k = 0; k < 9; ++k) {
        int row = k / 3, column = k % 3;
        half[row][column] =
            r[row][0] * j[0][column] + r[row][1] * j[1][column] + r[row][2] * j[2][column];
    }
    for (int row = 0, k = 0; row < 3; ++row) {
        for (int column = row; column < 3; ++column, ++k) {
            turned[k] = half[row][0] * r[column][0] + half[row][1] * r[column][1] +
                        half[row][2] * r[column][2];
        }
    }
    cn_lanes_scatter_many(turned, 6, to, 0);
}

CN_LANE_FUNCTION void turn_all(int count, const CnTreeTensor* tensors) {
    for (int first = 0; first < count; first += CN_LANES) {
        const CnTreeTensor* group[CN_LANES];
        for (int i = 0; i < CN_LANES; ++i) {
            group[i] = &tensors[i < count - first ? first + i : count - 1];
        }
        turn_some(group);
    }
}

CN_LANE_FUNCTION CnLaneQuat gather_quat(const double* const from[CN_LANES]) {
    CnLanes to[4];
    cn_lanes_gather_many(from, 0, 4, to);
    return cn_lane_quat(to);
}

// The turns of CN_LANES hinges.
CN_LANE_STAGE void twist_some(const CnTreeReading* const readings[CN_LANES],
                              const CnBodyState* states) {
    const double *a[CN_LANES], *b[CN_LANES], *frame_a[CN_LANES], *frame_b[CN_LANES];
    for (int i = 0; i < CN_LANES; ++i) {
        const CnTreeLink* link = readings[i]->link;
        a[i] = &cn_tree_state_at(states, link->body_a)->rotation.w;
        b[i] = &cn_tree_state_at(states, link->body_b)->rotation.w;
        frame_a[i] = &readings[i]->frames[0].rotation.w;
        frame_b[i] = &readings[i]->frames[1].rotation.w;
    }
    CnLaneQuat frame = cn_lane_multiply(gather_quat(a), gather_quat(frame_a));
    write_twists(readings, frame, cn_lane_multiply(gather_quat(b), gather_quat(frame_b)));
}

CN_LANE_FUNCTION void find_twists(int count, const CnTreeReading* readings,
                                  const CnBodyState* states) {
    for (int first = 0; first < count; first += CN_LANES) {
        const CnTreeReading* group[CN_LANES];
        for (int i = 0; i < CN_LANES; ++i) {
            group[i] = &readings[first + i < count ? first + i : count - 1];
        }
        twist_some(group, states);
    }
}
