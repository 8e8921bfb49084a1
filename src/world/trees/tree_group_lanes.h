// tree_group_lanes.h - what is done with each joint of a tree by itself, one joint in each lane.
//
// The functions of tree_pose.c and compact_rows.h number by number, each lane with their bits.
#include "math/lane_vectors.h"
#include "math/worse.h"
#include "world/trees/tree_groups.h"

#include <math.h>
#include <stddef.h>

// Some lanes of a group. Rows of its joints: those of a point, then those of angles.
typedef struct LaneGroup {
    CnTreeGroup* group;
    int first; // lane
} LaneGroup;

// Calls a function for the number of rows that a form has of each kind, so that all stays in
// registers.
#define BY_FORM(form, call, ...)                                                                   \
    ((form) == CN_FORM_HINGE       ? call(3, 2, __VA_ARGS__)                                       \
     : (form) == CN_FORM_POINT     ? call(3, 0, __VA_ARGS__)                                       \
     : (form) == CN_FORM_UNIVERSAL ? call(3, 1, __VA_ARGS__)                                       \
                                   : call(2, 3, __VA_ARGS__))

CN_LANE_FUNCTION CnLanes load_lane(const CnTreeLane* from, int first) {
    return cn_lanes_load(from->of + first);
}

CN_LANE_FUNCTION void store_lane(CnLanes x, CnTreeLane* to, int first) {
    cn_lanes_store(x, to->of + first);
}

CN_LANE_FUNCTION CnLaneVec3 load_lane_vec3(const CnTreeLane from[3], int first) {
    return (CnLaneVec3){load_lane(&from[0], first), load_lane(&from[1], first),
                        load_lane(&from[2], first)};
}

CN_LANE_FUNCTION void store_lane_vec3(CnLaneVec3 v, CnTreeLane to[3], int first) {
    store_lane(v.x, &to[0], first);
    store_lane(v.y, &to[1], first);
    store_lane(v.z, &to[2], first);
}

CN_LANE_FUNCTION CnLaneVec3 select_vec3(CnMask where, CnLaneVec3 yes, CnLaneVec3 no) {
    return (CnLaneVec3){cn_select(where, yes.x, no.x), cn_select(where, yes.y, no.y),
                        cn_select(where, yes.z, no.z)};
}

// From the centre of the child to the point.
CN_LANE_FUNCTION CnLaneVec3 child_arm(LaneGroup at) {
    CnMask is_b = cn_less(cn_lanes(0.0), load_lane(&at.group->sign, at.first));
    return select_vec3(is_b, load_lane_vec3(at.group->arm_b, at.first),
                       load_lane_vec3(at.group->arm_a, at.first));
}

// ---- read ----

// set_duals() of tree_pose.c.
CN_LANE_FUNCTION void find_three_duals(const CnLaneVec3 g[3], CnLaneVec3 dual[3]) {
    CnLaneVec3 axis = cn_lane_cross(g[0], g[1]);
    CnLanes scale = 1.0 / cn_lane_dot(axis, g[2]);
    dual[0] = cn_lane_scale(scale, cn_lane_cross(g[1], g[2]));
    dual[1] = cn_lane_scale(scale, cn_lane_cross(g[2], g[0]));
    dual[2] = cn_lane_scale(scale, axis);
}

// Numbers of CnTreeLink from its axes on: these come first,
#define NUMBERS_OF_AXES 10
// and from here on its arm and all after it, with a number before it that makes them even.
#define PLACE_OF_ARM 14
_Static_assert(offsetof(CnTreeLink, arm) ==
                   offsetof(CnTreeLink, axes) + (PLACE_OF_ARM + 1) * sizeof(double),
               "as CnTreeLink has it");

CN_LANE_FUNCTION void read_lanes(LaneGroup at, const CnTreeLink* links) {
    CnTreeGroup* group = at.group;
    const double* from[CN_LANES];
    CnLanes head[NUMBERS_OF_AXES], rest[CN_TREE_NUMBERS - PLACE_OF_ARM];
    for (int i = 0; i < CN_LANES; ++i) {
        from[i] = &links[group->link[at.first + i]].axes[0].x;
    }
    cn_lanes_gather_many(from, 0, NUMBERS_OF_AXES, head);
    cn_lanes_gather_many(from, PLACE_OF_ARM, CN_TREE_NUMBERS - PLACE_OF_ARM, rest);
    CnMask is_b = cn_less(cn_lanes(0.0), load_lane(&group->sign, at.first));
    CnLaneVec3 arm = cn_lane_vec3(rest + 1), other = cn_lane_vec3(rest + 4), g[3], dual[3];
    store_lane_vec3(select_vec3(is_b, other, arm), group->arm_a, at.first);
    store_lane_vec3(select_vec3(is_b, arm, other), group->arm_b, at.first);
    for (int k = 0; k < 3; ++k) {
        store_lane_vec3(cn_lane_vec3(head + 3 * k), group->n[k], at.first);
        g[k] = cn_lane_vec3(rest + 7 + 3 * k);
        store_lane_vec3(g[k], group->turn[k], at.first);
    }
    for (int k = 0; k < 2; ++k) {
        dual[k] = cn_lane_vec3(rest + 16 + 3 * k);
    }
    if (group->form == CN_FORM_SLIDER) {
        find_three_duals(g, dual);
        store_lane_vec3(dual[2], group->dual[2], at.first);
    }
    store_lane_vec3(dual[0], group->dual[0], at.first);
    store_lane_vec3(dual[1], group->dual[1], at.first);
}

static CN_LANE_TARGET void read_groups(const CnJointTree* tree, const CnTreeLink* links) {
    for (int g = 0; g < tree->group_count; ++g) {
        tree->groups[g].has_twists = false;
        for (int first = 0; first < tree->groups[g].count; first += CN_LANES) {
            read_lanes((LaneGroup){&tree->groups[g], first}, links);
        }
    }
}

// ---- rates of bodies: compact_rows.h ----

// Velocities of the bodies of each joint.
typedef struct LaneBodies {
    const double *a[CN_LANES], *b[CN_LANES]; // [6]
} LaneBodies;

CN_LANE_FUNCTION CnLaneVec3 point_velocity(const CnLanes v[6], CnLaneVec3 arm) {
    return cn_lane_add(cn_lane_vec3(v), cn_lane_cross(cn_lane_vec3(v + 3), arm));
}

// cn_compact_rates(); returns how B turns against A.
CN_LANE_FUNCTION CnLaneVec3 body_rates(const int points, const int turns, LaneGroup at,
                                       const LaneBodies* bodies, CnLanes* rate) {
    const CnTreeGroup* group = at.group;
    CnLanes a[6], b[6];
    cn_lanes_gather_many(bodies->a, 0, 6, a);
    cn_lanes_gather_many(bodies->b, 0, 6, b);
    CnLaneVec3 v = cn_lane_sub(point_velocity(b, load_lane_vec3(group->arm_b, at.first)),
                               point_velocity(a, load_lane_vec3(group->arm_a, at.first)));
    CnLaneVec3 w = cn_lane_sub(cn_lane_vec3(b + 3), cn_lane_vec3(a + 3));
    CN_UNROLLED for (int k = 0; k < points; ++k) {
        rate[k] = cn_lane_dot(load_lane_vec3(group->n[k], at.first), v);
    }
    CN_UNROLLED for (int k = 0; k < turns; ++k) {
        rate[points + k] = cn_lane_dot(load_lane_vec3(group->turn[k], at.first), w);
    }
    return w;
}

// cn_tree_rate_along() of drives about the axes of hinges.
CN_LANE_FUNCTION void twist_rates(LaneGroup at, CnLaneVec3 w, CnTreeLane* rate) {
    if (at.group->has_twists) {
        CnLanes sign = load_lane(&at.group->sign, at.first);
        CnLaneVec3 row = cn_lane_scale(sign, load_lane_vec3(at.group->twist_row, at.first));
        store_lane(sign * cn_lane_dot(row, w), rate, at.first);
    }
}

CN_LANE_FUNCTION LaneBodies bodies_of_states(LaneGroup at, const CnBodyState* states) {
    LaneBodies bodies;
    for (int i = 0; i < CN_LANES; ++i) {
        int lane = at.first + i;
        bodies.a[i] = &cn_tree_state_at(states, at.group->body_a[lane])->velocity.x;
        bodies.b[i] = &cn_tree_state_at(states, at.group->body_b[lane])->velocity.x;
    }
    return bodies;
}

// The targets of moreau.md (10).
CN_LANE_FUNCTION int set_targets(const int points, const int turns, LaneGroup at,
                                 const LaneBodies* bodies, CnLanes back) {
    CnLanes rate[CN_MAX_ROWS];
    CnMask has_size = cn_equal(back, back);
    CN_UNROLLED for (int k = 0; k < turns; ++k) {
        CnLaneVec3 turn = load_lane_vec3(at.group->turn[k], at.first);
        has_size = has_size & cn_less(cn_lanes(CN_TREE_LEAST_SQUARE), cn_lane_dot(turn, turn));
    }
    at.group->has_size |= cn_mask_bits(has_size) << at.first;
    twist_rates(at, body_rates(points, turns, at, bodies, rate), &at.group->twist_rate);
    CN_UNROLLED for (int k = 0; k < points + turns; ++k) {
        rate[k] = -(back * (0.0 + rate[k])); // no minus zero
        store_lane(rate[k], &at.group->target[k], at.first);
    }
    return 0;
}

// The rows of drives about the axes of hinges, if there are some.
CN_LANE_FUNCTION void read_twists(LaneGroup at, const CnTreeLink* links) {
    const double* from[CN_LANES];
    CnLanes row[3];
    for (int i = 0; i < CN_LANES; ++i) {
        from[i] = &links[at.group->link[at.first + i]].turned->twist_row.x;
    }
    cn_lanes_gather_many(from, 0, 2, row);
    row[2] = cn_lanes_gather_one(from, 2);
    store_lane_vec3(cn_lane_vec3(row), at.group->twist_row, at.first);
}

CN_LANE_FUNCTION bool have_twists(const CnTreeGroup* group, const CnTreeLink* links) {
    bool have = false;
    for (int i = 0; group->form == CN_FORM_HINGE && i < group->count; ++i) {
        const CnTreeLink* link = &links[group->link[i]];
        have = have || (link->is_turned && link->has_twist);
    }
    return have;
}

static CN_LANE_TARGET void pose_groups(const CnJointTree* tree, const CnTreeLink* links,
                                       const CnBodyState* states, double back) {
    read_groups(tree, links);
    for (int g = 0; g < tree->group_count; ++g) {
        CnTreeGroup* group = &tree->groups[g];
        group->has_twists = have_twists(group, links);
        group->has_size = 0;
        for (int first = 0; first < group->count; first += CN_LANES) {
            LaneGroup at = {group, first};
            LaneBodies bodies = bodies_of_states(at, states);
            if (group->has_twists) {
                read_twists(at, links);
            }
            BY_FORM(group->form, set_targets, at, &bodies, cn_lanes(back));
        }
    }
}

CN_LANE_FUNCTION int put_lane_targets(const int points, const int turns, LaneGroup at,
                                      double* const to[CN_LANES]) {
    CnLanes target[CN_MAX_ROWS];
    CN_UNROLLED for (int k = 0; k < points + turns; ++k) {
        target[k] = load_lane(&at.group->target[k], at.first);
    }
    cn_lanes_scatter_many(target, points + turns, to, 0);
    return 0;
}

static CN_LANE_TARGET void put_targets(const CnJointTree* tree, const int* first_row,
                                       double* target) {
    double none[CN_MAX_ROWS], *to[CN_LANES];
    for (int g = 0; g < tree->group_count; ++g) {
        CnTreeGroup* group = &tree->groups[g];
        for (int first = 0; first < group->count; first += CN_LANES) {
            LaneGroup at = {group, first};
            for (int i = 0; i < CN_LANES; ++i) {
                int row = first_row[group->link[first + i]];
                to[i] = row < 0 ? none : target + row;
            }
            BY_FORM(group->form, put_lane_targets, at, to);
        }
    }
}

CN_LANE_FUNCTION LaneBodies bodies_of_array(LaneGroup at, const double (*velocity)[6]) {
    static const double still[6] = {0.0};
    LaneBodies bodies;
    for (int i = 0; i < CN_LANES; ++i) {
        int a = at.group->body_a[at.first + i], b = at.group->body_b[at.first + i];
        bodies.a[i] = a < 0 ? still : velocity[a];
        bodies.b[i] = b < 0 ? still : velocity[b];
    }
    return bodies;
}

// u of each row, and the sum of their squares; J v of the rows of drives.
CN_LANE_FUNCTION CnLanes find_u(const int points, const int turns, LaneGroup at,
                                const LaneBodies* bodies, CnTreeLane* u, CnTreeLane* twist) {
    CnLanes rate[CN_MAX_ROWS], square = cn_lanes(0.0);
    twist_rates(at, body_rates(points, turns, at, bodies, rate), twist);
    CN_UNROLLED for (int k = 0; k < points + turns; ++k) {
        CnLanes own = rate[k] - load_lane(&at.group->target[k], at.first);
        store_lane(own, &u[k], at.first);
        square = square + own * own;
    }
    return square;
}

static CN_LANE_TARGET void find_free_rates(const CnJointTree* tree, const double (*velocity)[6]) {
    for (int g = 0; g < tree->group_count; ++g) {
        CnTreeGroup* group = &tree->groups[g];
        for (int first = 0; first < group->count; first += CN_LANES) {
            LaneGroup at = {group, first};
            LaneBodies bodies = bodies_of_array(at, velocity);
            BY_FORM(group->form, find_u, at, &bodies, group->missed, &group->twist_free);
        }
    }
}

static CN_LANE_TARGET double find_left(const CnJointTree* tree, const double (*velocity)[6],
                                       double worst) {
    for (int g = 0; g < tree->group_count; ++g) {
        CnTreeGroup* group = &tree->groups[g];
        for (int first = 0; first < group->count; first += CN_LANES) {
            LaneGroup at = {group, first};
            LaneBodies bodies = bodies_of_array(at, velocity);
            CnLanes square =
                BY_FORM(group->form, find_u, at, &bodies, group->left, &group->twist_left);
            for (int i = 0; i < CN_LANES; ++i) {
                worst = cn_worse(worst, square[i]);
            }
        }
    }
    return worst;
}

// ---- rates of links ----

// The velocity of each link relative to its parent, as cn_linkage_relative(), or to another body
// that moves by itself.
CN_LANE_FUNCTION void find_relative(const CnJointTree* tree, LaneGroup at,
                                    const CnBodyState* states, const double (*velocity)[6],
                                    CnLanes out[6]) {
    static const double still[6] = {0.0};
    const CnTreeGroup* group = at.group;
    const double *own[CN_LANES], *other[CN_LANES], *arms[CN_LANES];
    double apart[CN_LANES][3];
    CnLanes v[6], l[6], arm[3];
    for (int i = 0; i < CN_LANES; ++i) {
        int lane = at.first + i, link = group->link[lane], parent = tree->parent[link];
        bool is_b = group->sign.of[lane] > 0.0;
        int child = is_b ? group->body_b[lane] : group->body_a[lane];
        int body = is_b ? group->body_a[lane] : group->body_b[lane];
        own[i] = velocity[link];
        other[i] = parent >= 0 ? velocity[parent] : body >= 0 ? &states[body].velocity.x : still;
        arms[i] = tree->links.arm[link];
        if (parent < 0 && body >= 0) {
            CnVec3 r = cn_vec3_sub(states[child].center, states[body].center);
            apart[i][0] = r.x;
            apart[i][1] = r.y;
            apart[i][2] = r.z;
            arms[i] = apart[i];
        }
    }
    cn_lanes_gather_many(own, 0, 6, v);
    cn_lanes_gather_many(other, 0, 6, l);
    cn_lanes_gather_many(arms, 0, 2, arm);
    arm[2] = cn_lanes_gather_one(arms, 2);
    out[0] = v[0] - (l[0] + (l[4] * arm[2] - l[5] * arm[1]));
    out[1] = v[1] - (l[1] + (l[5] * arm[0] - l[3] * arm[2]));
    out[2] = v[2] - (l[2] + (l[3] * arm[1] - l[4] * arm[0]));
    out[3] = v[3] - l[3];
    out[4] = v[4] - l[4];
    out[5] = v[5] - l[5];
}

// The largest rate of each lane, and a sum that is no number if one of them is none.
typedef struct LaneWorst {
    CnLanes most, sum;
} LaneWorst;

// cn_tree_rates()
CN_LANE_FUNCTION LaneWorst set_rates(const int points, const int turns, LaneGroup at,
                                     const CnLanes relative[6], LaneWorst worst) {
    CnTreeGroup* group = at.group;
    CnLanes sign = load_lane(&group->sign, at.first);
    CnLaneVec3 w = cn_lane_vec3(relative + 3);
    CnLaneVec3 v = cn_lane_add(cn_lane_vec3(relative), cn_lane_cross(w, child_arm(at)));
    CN_UNROLLED for (int k = 0; k < points + turns; ++k) {
        CnLaneVec3 row = k < points ? load_lane_vec3(group->n[k], at.first)
                                    : load_lane_vec3(group->turn[k - points], at.first);
        CnLanes rate = sign * cn_lane_dot(row, k < points ? v : w), size = cn_lanes_abs(rate);
        store_lane(rate, &group->missed[k], at.first);
        worst.most = cn_lanes_max(worst.most, size);
        worst.sum = worst.sum + size;
    }
    return worst;
}

static CN_LANE_TARGET double find_group_rates(const CnJointTree* tree, const CnBodyState* states,
                                              const double (*velocity)[6], double worst) {
    LaneWorst all = {cn_lanes(worst), cn_lanes(0.0)};
    for (int g = 0; g < tree->group_count; ++g) {
        CnTreeGroup* group = &tree->groups[g];
        for (int first = 0; first < group->count; first += CN_LANES) {
            LaneGroup at = {group, first};
            CnLanes relative[6];
            find_relative(tree, at, states, velocity, relative);
            all = BY_FORM(group->form, set_rates, at, relative, all);
        }
    }
    for (int i = 0; i < CN_LANES; ++i) {
        worst = cn_worse(worst, isnan(all.sum[i]) ? all.sum[i] : all.most[i]);
    }
    return worst;
}

// ---- axes and twists ----

// put() of tree_pose.c: the six numbers of each lane's array.
CN_LANE_FUNCTION void put_six(CnLaneVec3 linear, CnLaneVec3 angular, double* const to[CN_LANES]) {
    const CnLanes six[6] = {linear.x, linear.y, linear.z, angular.x, angular.y, angular.z};
    cn_lanes_scatter_many(six, 6, to, 0);
}

// An axis of each lane's link, unless stops leave it fewer.
CN_LANE_FUNCTION void put_axis(const CnJointTree* tree, LaneGroup at, int number, CnLaneVec3 linear,
                               CnLaneVec3 angular) {
    double none[6], *to[CN_LANES];
    for (int i = 0; i < CN_LANES; ++i) {
        int link = at.group->link[at.first + i], axis = tree->first_axis[link] + number;
        to[i] = axis < tree->first_axis[link + 1] ? tree->links.axis[axis] : none;
    }
    put_six(linear, angular, to);
}

// One that turns about the point.
CN_LANE_FUNCTION void put_turn(const CnJointTree* tree, LaneGroup at, int number, CnLaneVec3 arm,
                               CnLaneVec3 turn) {
    put_axis(tree, at, number, cn_lane_cross(arm, turn), turn);
}

// cn_tree_axes() of the lanes; the lanes that are regular.
CN_LANE_FUNCTION CnMask set_axes(const CnJointTree* tree, LaneGroup at, CnLaneVec3 arm) {
    const CnLaneVec3 zero = {cn_lanes(0.0), cn_lanes(0.0), cn_lanes(0.0)};
    const CnTreeGroup* group = at.group;
    CnLaneVec3 axis = load_lane_vec3(group->turn[2], at.first);
    CnLaneVec3 n = load_lane_vec3(group->n[2], at.first);
    if (group->form == CN_FORM_HINGE) {
        put_turn(tree, at, 0, arm, axis);
        return cn_less(zero.x, cn_lane_dot(axis, axis));
    }
    if (group->form == CN_FORM_UNIVERSAL) {
        CnLaneVec3 turn = load_lane_vec3(group->turn[0], at.first);
        put_turn(tree, at, 0, arm, axis);
        put_turn(tree, at, 1, arm, n);
        return cn_less(zero.x, cn_lane_dot(turn, turn));
    }
    if (group->form == CN_FORM_SLIDER) {
        CnLanes volume = cn_lane_dot(cn_lane_cross(load_lane_vec3(group->turn[0], at.first),
                                                   load_lane_vec3(group->turn[1], at.first)),
                                     axis);
        CnLanes size = cn_lanes_abs(volume);
        put_axis(tree, at, 0, n, zero);
        return cn_less(cn_lanes(CN_TREE_LEAST_VOLUME), size) &
               cn_less(size, cn_lanes(1.0 / CN_TREE_LEAST_VOLUME));
    }
    CnLanes one = cn_lanes(1.0);
    put_turn(tree, at, 0, arm, (CnLaneVec3){one, zero.x, zero.x});
    put_turn(tree, at, 1, arm, (CnLaneVec3){zero.x, one, zero.x});
    put_turn(tree, at, 2, arm, (CnLaneVec3){zero.x, zero.x, one});
    return cn_equal(one, one);
}

// cn_tree_twist() of minus what is missed.
CN_LANE_FUNCTION int set_twist(const int points, const int turns, LaneGroup at, CnLaneVec3 arm,
                               double (*twist)[6]) {
    const CnTreeGroup* group = at.group;
    CnLanes sign = load_lane(&group->sign, at.first), wanted[CN_MAX_ROWS];
    CnLaneVec3 w = {cn_lanes(0.0), cn_lanes(0.0), cn_lanes(0.0)};
    double* to[CN_LANES];
    CN_UNROLLED for (int k = 0; k < points + turns; ++k) {
        wanted[k] = sign * -load_lane(&group->missed[k], at.first);
    }
    CnLaneVec3 v = cn_lane_scale(wanted[0], load_lane_vec3(group->n[0], at.first));
    CN_UNROLLED for (int k = 1; k < points; ++k) {
        v = cn_lane_add_scaled(v, wanted[k], load_lane_vec3(group->n[k], at.first));
    }
    if (turns > 0) {
        w = cn_lane_scale(wanted[points], load_lane_vec3(group->dual[0], at.first));
        CN_UNROLLED for (int k = 1; k < turns; ++k) {
            w = cn_lane_add_scaled(w, wanted[points + k], load_lane_vec3(group->dual[k], at.first));
        }
        v = cn_lane_add(v, cn_lane_cross(arm, w));
    }
    for (int i = 0; i < CN_LANES; ++i) {
        to[i] = twist[group->link[at.first + i]];
    }
    put_six(v, w, to);
    return 0;
}

// A slider's duals are kept with the link too, for those who ask the link.
CN_LANE_FUNCTION void keep_duals(const CnTreeGroup* group, CnTreeLink* links) {
    for (int i = 0; group->form == CN_FORM_SLIDER && i < group->count; ++i) {
        CnVec3* dual = links[group->link[i]].rows->dual;
        for (int k = 0; k < 3; ++k) {
            dual[k] =
                cn_vec3(group->dual[k][0].of[i], group->dual[k][1].of[i], group->dual[k][2].of[i]);
        }
    }
}

CN_LANE_FUNCTION bool set_group_links(CnJointTree* tree, CnTreeGroup* group, CnTreeLink* links,
                                      double (*twist)[6]) {
    unsigned regular = 0;
    for (int first = 0; first < group->count; first += CN_LANES) {
        LaneGroup at = {group, first};
        CnLaneVec3 arm = child_arm(at);
        regular |= cn_mask_bits(set_axes(tree, at, arm)) << first;
        BY_FORM(group->form, set_twist, at, arm, twist);
    }
    for (int i = 0; i < group->count; ++i) {
        CnTreeLink* link = &links[group->link[i]];
        link->held = link->row_count;
    }
    keep_duals(group, links);
    unsigned all = (1u << group->count) - 1u;
    return (regular & all) == all;
}

static CN_LANE_TARGET bool set_links(CnJointTree* tree, CnTreeLink* links, double (*twist)[6]) {
    bool is_regular = true;
    for (int g = 0; is_regular && g < tree->group_count; ++g) {
        CnTreeGroup* group = &tree->groups[g];
        is_regular = set_group_links(tree, group, links, twist);
    }
    return is_regular;
}

// ---- impulses ----

// cn_tree_impulses() of the lanes.
CN_LANE_FUNCTION void lane_impulses(const int points, const int turns, LaneGroup at, CnLaneVec3 arm,
                                    const CnLanes wrench[6], CnLanes* impulse) {
    const CnTreeGroup* group = at.group;
    CnLanes sign = load_lane(&group->sign, at.first);
    CnLaneVec3 f = cn_lane_vec3(wrench);
    CN_UNROLLED for (int k = 0; k < points; ++k) {
        impulse[k] = sign * cn_lane_dot(load_lane_vec3(group->n[k], at.first), f);
    }
    CnLaneVec3 left = cn_lane_sub(cn_lane_vec3(wrench + 3), cn_lane_cross(arm, f));
    CN_UNROLLED for (int k = 0; k < turns; ++k) {
        impulse[points + k] = sign * cn_lane_dot(load_lane_vec3(group->dual[k], at.first), left);
    }
}

CN_LANE_FUNCTION int put_impulses(const int points, const int turns, LaneGroup at,
                                  const double (*wrench)[6], double (*impulse)[CN_MAX_ROWS]) {
    const double* from[CN_LANES];
    double* to[CN_LANES];
    CnLanes f[6], p[CN_MAX_ROWS];
    for (int i = 0; i < CN_LANES; ++i) {
        from[i] = wrench[at.group->link[at.first + i]];
        to[i] = impulse[at.group->link[at.first + i]];
    }
    cn_lanes_gather_many(from, 0, 6, f);
    lane_impulses(points, turns, at, child_arm(at), f, p);
    CN_UNROLLED for (int k = 0; k < points + turns; ++k) {
        p[k] = 0.0 + p[k]; // no minus zero: they are added to others
    }
    cn_lanes_scatter_many(p, points + turns, to, 0);
    return 0;
}

static CN_LANE_TARGET void find_group_impulses(const CnJointTree* tree, const double (*wrench)[6],
                                               double (*impulse)[CN_MAX_ROWS]) {
    for (int g = 0; g < tree->group_count; ++g) {
        CnTreeGroup* group = &tree->groups[g];
        for (int first = 0; first < group->count; first += CN_LANES) {
            LaneGroup at = {group, first};
            BY_FORM(group->form, put_impulses, at, wrench, impulse);
        }
    }
}

// What the impulses of its rows give the child: cn_compact_push().
CN_LANE_FUNCTION void push_child(const int points, const int turns, LaneGroup at, CnLaneVec3 arm,
                                 const CnLanes* p, CnLanes momentum[6]) {
    const CnTreeGroup* group = at.group;
    CnLanes sign = load_lane(&group->sign, at.first);
    CnLaneVec3 f = cn_lane_scale(sign * p[0], load_lane_vec3(group->n[0], at.first));
    CN_UNROLLED for (int k = 1; k < points; ++k) {
        f = cn_lane_add_scaled(f, sign * p[k], load_lane_vec3(group->n[k], at.first));
    }
    CnLaneVec3 moment = cn_lane_cross(arm, f);
    CN_UNROLLED for (int k = 0; k < turns; ++k) {
        moment = cn_lane_add_scaled(moment, sign * p[points + k],
                                    load_lane_vec3(group->turn[k], at.first));
    }
    const CnLanes six[6] = {f.x, f.y, f.z, moment.x, moment.y, moment.z};
    CN_UNROLLED for (int k = 0; k < 6; ++k) {
        momentum[k] = 0.0 + six[k];
    }
}

CN_LANE_FUNCTION int give_lanes(const int points, const int turns, LaneGroup at,
                                const double (*wrench)[6], const int* first_row, double* impulse,
                                double (*given)[6]) {
    const double* from[CN_LANES];
    double *rows[CN_LANES], *to[CN_LANES];
    CnLanes f[6], p[CN_MAX_ROWS], momentum[6];
    CnLaneVec3 arm = child_arm(at);
    for (int i = 0; i < CN_LANES; ++i) {
        int link = at.group->link[at.first + i];
        from[i] = wrench[link];
        rows[i] = impulse + first_row[link];
        to[i] = given[link];
    }
    cn_lanes_gather_many(from, 0, 6, f);
    lane_impulses(points, turns, at, arm, f, p);
    push_child(points, turns, at, arm, p, momentum);
    cn_lanes_scatter_many(p, points + turns, rows, 0);
    cn_lanes_scatter_many(momentum, 6, to, 0);
    return 0;
}

static CN_LANE_TARGET void give(const CnJointTree* tree, const double (*wrench)[6],
                                const int* first_row, double* impulse, double (*given)[6]) {
    for (int g = 0; g < tree->group_count; ++g) {
        CnTreeGroup* group = &tree->groups[g];
        for (int first = 0; first < group->count; first += CN_LANES) {
            LaneGroup at = {group, first};
            BY_FORM(group->form, give_lanes, at, wrench, first_row, impulse, given);
        }
    }
}

// measure_equality() of certificate.c, and what is added up row by row.
CN_LANE_FUNCTION int measure_lanes(const int points, const int turns, LaneGroup at, CnLanes rho,
                                   const int* first_row, const double* impulse) {
    CnTreeGroup* group = at.group;
    const double* from[CN_LANES];
    CnLanes p[CN_MAX_ROWS], square = cn_lanes(0.0), scaled = square, work = square;
    for (int i = 0; i < CN_LANES; ++i) {
        from[i] = impulse + first_row[group->link[at.first + i]];
    }
    CN_UNROLLED for (int k = 0; k < points + turns; ++k) {
        p[k] = cn_lanes_gather_one(from, k);
    }
    CN_UNROLLED for (int k = 0; k < points + turns; ++k) {
        CnLanes u = load_lane(&group->left[k], at.first);
        CnLanes q = load_lane(&group->missed[k], at.first), step = rho * u, own = u * u;
        square = square + own;
        scaled = scaled + step * step;
        work = work + cn_lanes_abs(u * p[k]);
        store_lane(p[k] * p[k], &group->squares[0][k], at.first);
        store_lane(own, &group->squares[1][k], at.first);
        store_lane(q * q, &group->squares[2][k], at.first);
    }
    store_lane(square, &group->square, at.first);
    store_lane(scaled, &group->scaled, at.first);
    store_lane(work, &group->work, at.first);
    return 0;
}

static CN_LANE_TARGET void measure(const CnJointTree* tree, double rho, const int* first_row,
                                   const double* impulse) {
    for (int g = 0; g < tree->group_count; ++g) {
        CnTreeGroup* group = &tree->groups[g];
        for (int first = 0; first < group->count; first += CN_LANES) {
            LaneGroup at = {group, first};
            BY_FORM(group->form, measure_lanes, at, cn_lanes(rho), first_row, impulse);
        }
    }
}

// ---- bodies ----

// The inverse inertias of bodies; of none zero.
CN_LANE_FUNCTION CnLanes gather_inverse(const CnProblem* problem, const int body[CN_LANES],
                                        CnLaneMat3* inertia) {
    static const double none[9] = {0.0};
    const double* from[CN_LANES];
    CnLanes mass;
    for (int i = 0; i < CN_LANES; ++i) {
        from[i] = body[i] < 0 ? none : problem->inverse_inertia[body[i]];
        mass[i] = body[i] < 0 ? 0.0 : problem->inverse_mass[body[i]];
    }
    cn_lanes_gather_mat3(from, inertia);
    return mass;
}

// cn_block_inverse_mass_times() of CN_LANES links, and their velocities.
CN_LANE_FUNCTION void move_lanes(const CnProblem* problem, const int body[CN_LANES],
                                 const double* const momentum[CN_LANES], double (*velocity)[6]) {
    const double* from[CN_LANES];
    double* to[CN_LANES];
    CnLanes j[6], v[6];
    CnLaneMat3 inertia;
    CnLanes mass = gather_inverse(problem, body, &inertia);
    for (int i = 0; i < CN_LANES; ++i) {
        from[i] = problem->free_velocity[body[i]];
        to[i] = velocity[body[i]];
    }
    cn_lanes_gather_many(momentum, 0, 6, j);
    cn_lanes_gather_many(from, 0, 6, v);
    CN_UNROLLED for (int k = 0; k < 3; ++k) {
        const CnLanes* row = inertia.m[k];
        v[k] = v[k] + mass * j[k];
        v[3 + k] = v[3 + k] + (row[0] * j[3] + row[1] * j[4] + row[2] * j[5]);
    }
    cn_lanes_scatter_many(v, 6, to, 0);
}

static CN_LANE_TARGET void move_links(const CnJointTree* tree, const CnTreeLink* links,
                                      const CnProblem* problem, const double (*momentum)[6],
                                      double (*velocity)[6]) {
    for (int first = 0; first < tree->link_count; first += CN_LANES) {
        int body[CN_LANES];
        const double* from[CN_LANES];
        for (int i = 0; i < CN_LANES; ++i) { // lanes that are left over repeat the last link
            int link = first + i < tree->link_count ? first + i : tree->link_count - 1;
            body[i] = links[link].body;
            from[i] = momentum[link];
        }
        move_lanes(problem, body, from, velocity);
    }
}

// quadratic() of tree_rows.c: x^T A x for a symmetric A.
CN_LANE_FUNCTION CnLanes lane_quadratic(const CnLaneMat3* a, CnLaneVec3 x) {
    const CnLanes(*m)[3] = (const CnLanes(*)[3])a->m;
    return (m[0][0] * x.x * x.x + m[1][1] * x.y * x.y) +
           (m[2][2] * x.z * x.z +
            2.0 * (m[0][1] * x.x * x.y + m[0][2] * x.x * x.z + m[1][2] * x.y * x.z));
}

// trace_at() of one body of each joint: mechanisms.md (44).
CN_LANE_FUNCTION CnLanes lane_trace(const int points, const int turns, LaneGroup at,
                                    const CnProblem* problem, const int* bodies,
                                    const CnTreeLane arm[3]) {
    const CnTreeGroup* group = at.group;
    CnLaneVec3 r = load_lane_vec3(arm, at.first);
    CnLaneMat3 inertia;
    int body[CN_LANES];
    memcpy(body, bodies + at.first, sizeof body);
    CnLanes mass = gather_inverse(problem, body, &inertia);
    CnLanes sum = inertia.m[0][0] + inertia.m[1][1] + inertia.m[2][2];
    CnLanes trace = 3.0 * mass + (cn_lane_dot(r, r) * sum - lane_quadratic(&inertia, r));
    if (points == 2) { // keeps two of the three directions
        trace = trace - mass -
                lane_quadratic(&inertia, cn_lane_cross(r, load_lane_vec3(group->n[2], at.first)));
    }
    CN_UNROLLED for (int k = 0; k < turns; ++k) {
        trace = trace + lane_quadratic(&inertia, load_lane_vec3(group->turn[k], at.first));
    }
    return trace;
}

// cn_tree_turn_trace() of drives about the axes of hinges, one body's part.
CN_LANE_FUNCTION CnLanes lane_twist_trace(LaneGroup at, const CnProblem* problem,
                                          const int* bodies) {
    CnLaneMat3 inertia;
    int body[CN_LANES];
    memcpy(body, bodies + at.first, sizeof body);
    gather_inverse(problem, body, &inertia);
    return lane_quadratic(&inertia, load_lane_vec3(at.group->twist_row, at.first));
}

CN_LANE_FUNCTION CnLanes lane_traces(const int points, const int turns, LaneGroup at,
                                     const CnProblem* problem) {
    const CnTreeGroup* group = at.group;
    return lane_trace(points, turns, at, problem, group->body_a, group->arm_a) +
           lane_trace(points, turns, at, problem, group->body_b, group->arm_b);
}

static CN_LANE_TARGET void find_traces(const CnJointTree* tree, const CnProblem* problem,
                                       double* trace) {
    for (int g = 0; g < tree->group_count; ++g) {
        CnTreeGroup* group = &tree->groups[g];
        for (int first = 0; first < group->count; first += CN_LANES) {
            LaneGroup at = {group, first};
            CnLanes own = BY_FORM(group->form, lane_traces, at, problem);
            if (group->has_twists) {
                store_lane(lane_twist_trace(at, problem, group->body_a) +
                               lane_twist_trace(at, problem, group->body_b),
                           &group->twist_trace, first);
            }
            for (int i = 0; i < CN_LANES; ++i) {
                trace[group->link[first + i]] = own[i];
            }
        }
    }
}

#define TREE_GROUP_PASSES                                                                          \
    {                                                                                              \
        .read = read_groups, .pose = pose_groups, .put_targets = put_targets,                      \
        .find_rates = find_group_rates, .find_free_rates = find_free_rates,                        \
        .find_left = find_left, .set_links = set_links, .find_impulses = find_group_impulses,      \
        .give = give, .move = move_links, .measure = measure, .find_traces = find_traces           \
    }
