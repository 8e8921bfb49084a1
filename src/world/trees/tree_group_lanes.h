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
        for (int first = 0; first < tree->groups[g].count; first += CN_LANES) {
            read_lanes((LaneGroup){&tree->groups[g], first}, links);
        }
    }
}

// ---- rates ----

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

// cn_tree_rates(); returns the largest of them and of `worst` in each lane.
CN_LANE_FUNCTION CnLanes set_rates(const int points, const int turns, LaneGroup at,
                                   const CnLanes relative[6], CnLanes worst) {
    CnTreeGroup* group = at.group;
    CnLanes sign = load_lane(&group->sign, at.first);
    CnLaneVec3 w = cn_lane_vec3(relative + 3);
    CnLaneVec3 v = cn_lane_add(cn_lane_vec3(relative), cn_lane_cross(w, child_arm(at)));
    CN_UNROLLED for (int k = 0; k < points + turns; ++k) {
        CnLaneVec3 row = k < points ? load_lane_vec3(group->n[k], at.first)
                                    : load_lane_vec3(group->turn[k - points], at.first);
        CnLanes rate = sign * cn_lane_dot(row, k < points ? v : w), size = cn_lanes_abs(rate);
        store_lane(rate, &group->missed[k], at.first);
        size = cn_select(size == size, size, cn_lanes(HUGE_VAL)); // as cn_worse()
        worst = cn_select(size <= worst, worst, size);
    }
    return worst;
}

static CN_LANE_TARGET double find_group_rates(const CnJointTree* tree, const CnBodyState* states,
                                              const double (*velocity)[6], double worst) {
    CnLanes most = cn_lanes(worst);
    for (int g = 0; g < tree->group_count; ++g) {
        CnTreeGroup* group = &tree->groups[g];
        for (int first = 0; first < group->count; first += CN_LANES) {
            LaneGroup at = {group, first};
            CnLanes relative[6];
            find_relative(tree, at, states, velocity, relative);
            most = BY_FORM(group->form, set_rates, at, relative, most);
        }
    }
    for (int i = 0; i < CN_LANES; ++i) {
        worst = cn_worse(worst, most[i]);
    }
    return worst;
}

// ---- axes and twists ----

// put() of tree_pose.c: the six numbers of each lane's array.
CN_LANE_FUNCTION void put_six(CnLaneVec3 linear, CnLaneVec3 angular, double* const to[CN_LANES]) {
    const CnLanes six[6] = {linear.x, linear.y, linear.z, angular.x, angular.y, angular.z};
    cn_lanes_scatter_many(six, 6, to, 0);
}

// Of each lane the array of an axis of its link.
CN_LANE_FUNCTION void put_axis(const CnJointTree* tree, LaneGroup at, int number, CnLaneVec3 linear,
                               CnLaneVec3 angular) {
    double* to[CN_LANES];
    for (int i = 0; i < CN_LANES; ++i) {
        to[i] = tree->links.axis[tree->first_axis[at.group->link[at.first + i]] + number];
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
        is_regular = set_group_links(tree, &tree->groups[g], links, twist);
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

#define TREE_GROUP_PASSES                                                                          \
    {                                                                                              \
        .read = read_groups, .find_rates = find_group_rates, .set_links = set_links,               \
        .find_impulses = find_group_impulses                                                       \
    }
