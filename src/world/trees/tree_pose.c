// tree_pose.c - the joints of a tree at given poses: errors, rows, and what they leave free.
#include "world/trees/tree_store.h"

#include "base/fetch.h"
#include "math/mat3.h"
#include "math/simd.h"
#include "world/bodies/motion.h"

#include <math.h>
#include <string.h>

static void put(CnVec3 linear, CnVec3 angular, double out[6]) {
    out[0] = linear.x;
    out[1] = linear.y;
    out[2] = linear.z;
    out[3] = angular.x;
    out[4] = angular.y;
    out[5] = angular.z;
}

// The axis between the gradients of both angles, and their duals: mechanisms.md (26).
static void set_axis(CnTreeLink* link) {
    link->axis = cn_vec3_cross(link->turn[0], link->turn[1]);
    double scale = 1.0 / cn_vec3_dot(link->axis, link->axis);
    link->dual[0] = cn_vec3_scale(scale, cn_vec3_cross(link->turn[1], link->axis));
    link->dual[1] = cn_vec3_scale(scale, cn_vec3_cross(link->axis, link->turn[0]));
}

// The gradient of the one angle of a universal joint, its dual, and the axis of the cross that B
// carries: mechanisms.md (56).
static void read_square(CnTreeLink* link, const CnJointView* view) {
    CnVec3 x = view->axes_b[0], turn = cn_vec3_cross(x, link->axes[2]);
    link->value[3] = cn_vec3_dot(link->axes[2], x);
    link->turn[0] = turn;
    link->axis = x;
    link->dual[0] = cn_vec3_scale(1.0 / cn_vec3_dot(turn, turn), turn);
}

// The duals of three gradients: mechanisms.md (46), (57). Returns the volume that they span.
static double set_duals(CnVec3 first, CnVec3 second, CnVec3 last, CnVec3 dual[3]) {
    CnVec3 axis = cn_vec3_cross(first, second);
    double volume = cn_vec3_dot(axis, last), scale = 1.0 / volume;
    dual[0] = cn_vec3_scale(scale, cn_vec3_cross(second, last));
    dual[1] = cn_vec3_scale(scale, cn_vec3_cross(last, first));
    dual[2] = cn_vec3_scale(scale, axis);
    return volume;
}

static bool is_volume(double volume) {
    return fabs(volume) > CN_TREE_LEAST_VOLUME && fabs(volume) < 1.0 / CN_TREE_LEAST_VOLUME;
}

// The three angles of a slider, and how far it is out.
static void read_slider(CnTreeLink* link, const CnJointView* view) {
    CnQuat from = view->frame_a.rotation, to = view->frame_b.rotation;
    double out = link->value[2];
    cn_read_swing(view, link->value + 2, link->turn);
    link->value[4] = cn_twist_angle(from, to, 2);
    link->value[5] = out;
    link->axis = cn_twist_gradient(from, to, 2);
}

void cn_tree_read_link(CnTreeLink* link, const CnJointFrames* frames, const CnBodyState* states) {
    CnJointView view = cn_joint_view(frames, cn_tree_state_at(states, link->body_a),
                                     cn_tree_state_at(states, link->body_b));
    CnVec3 offset = cn_joint_offset(&view), at = view.frame_b.position;
    bool is_b = link->sign > 0.0;
    for (int i = 0; i < 3; ++i) {
        link->axes[i] = view.axes_a[i];
        link->value[i] = cn_vec3_dot(view.axes_a[i], offset);
    }
    link->arm = cn_vec3_sub(at, is_b ? view.center_b : view.center_a);
    link->other_arm = cn_vec3_sub(at, is_b ? view.center_a : view.center_b);
    if (link->form == CN_FORM_HINGE) {
        cn_read_swing(&view, link->value + 3, link->turn);
        set_axis(link);
    } else if (link->form == CN_FORM_UNIVERSAL) {
        read_square(link, &view);
    } else if (link->form == CN_FORM_SLIDER) {
        read_slider(link, &view);
    }
}

static const CnJointFrames* frames_of(const CnWorld* world, const CnTreeLink* link) {
    const CnUserConstraint* constraint = cn_pool_element(&world->constraints, link->slot);
    return &((const CnJointPart*)constraint->data)->frames;
}

void cn_tree_read_alone(const CnWorld* world, CnTreeLink* link, const CnBodyState* states) {
    cn_tree_read_link(link, frames_of(world, link), states);
}

// Of a joint in closed form: mechanisms.md (27), (57).
static void closed_twist(const CnTreeLink* link, const double* wanted, double twist[6]);

static void find_closing(const CnTreeLink* link, double closing[6]) {
    double wanted[CN_MAX_ROWS];
    for (int k = 0; k < link->row_count; ++k) {
        wanted[k] = -link->value[k];
    }
    closed_twist(link, wanted, closing);
}

static void read_left(const CnWorld* world, const CnTreeReading* reading, unsigned what,
                      const CnBodyState* states, double* worst) {
    CnTreeLink* link = reading->link;
    cn_tree_read_alone(world, link, states);
    if ((what & CN_TREE_READ_CLOSING) != 0) {
        find_closing(link, reading->closing);
    }
    if ((what & CN_TREE_READ_WORST) != 0) {
        *worst = cn_tree_worse(link, *worst);
    }
    if ((what & CN_TREE_READ_AXES) != 0 && reading->axis != NULL) {
        bool is_regular; // if not, its factor has no pivot
        cn_tree_axes(link, (double(*)[6])reading->axis, &is_regular);
    }
}

// Up to CN_TREE_READINGS joints in closed form: ball joints and hinges, or others of one form.
static void read_group(const CnWorld* world, int count, const CnTreeReading* readings,
                       unsigned what, const CnBodyState* states, double* worst) {
    for (int i = 0; i < count; ++i) {
        readings[i].link->has_twist = false;
    }
    unsigned left = CN_WIDEST(cn_tree_read)(count, readings, what, states, worst);
    for (int i = 0; left != 0 && i < count; ++i) {
        if ((left >> i & 1u) != 0) {
            read_left(world, &readings[i], what, states, worst);
        }
    }
}

// Any kind of joint, by its function table.
static bool read_other(const CnWorld* world, CnTreeLink* link, const CnBodyState* states,
                       double time, const double arm[3]) {
    CnReader reader;
    CnBoundConstraint bound = {
        .constraint = cn_pool_element(&world->constraints, link->slot),
        .a = cn_tree_state_at(states, link->body_a),
        .b = cn_tree_state_at(states, link->body_b),
    };
    CnConstraintReading reading;
    cn_reader_begin(&reader, world, states, time);
    if (!link->is_between && !cn_reader_bind(&reader, link->slot, &bound)) {
        return false;
    }
    cn_read_constraint(&reader, &bound, CN_READ_VALUES | CN_READ_JACOBIANS, &reading);
    bool is_b = link->sign > 0.0;
    size_t bytes = (size_t)link->row_count * sizeof link->rows->jacobian[0];
    memcpy(link->rows->jacobian, is_b ? reading.jacobian_b : reading.jacobian_a, bytes);
    memcpy(link->rows->other, is_b ? reading.jacobian_a : reading.jacobian_b, bytes);
    memcpy(link->value, reading.value, (size_t)link->row_count * sizeof(double));
    bool is_reaction = true;
    for (int k = 0; arm != NULL && !link->is_between && k < link->row_count; ++k) {
        is_reaction = is_reaction &&
                      cn_linkage_is_reaction(arm, link->rows->jacobian[k], link->rows->other[k]);
    }
    return is_reaction;
}

// Joints in closed form that wait for others to be read in lanes with them.
typedef struct ReadingGroup {
    CnTreeReading readings[CN_TREE_LANES];
    int count;
} ReadingGroup;

typedef struct ReadingGroups {
    const CnWorld* world;
    const CnBodyState* states;
    ReadingGroup points, universals, sliders; // points: ball joints and hinges
} ReadingGroups;

// The twist of a slider counts on from its last value.
static void count_twists(const CnWorld* world, const ReadingGroup* sliders) {
    for (int i = 0; i < sliders->count; ++i) {
        CnTreeLink* link = sliders->readings[i].link;
        const CnUserConstraint* constraint = cn_pool_element(&world->constraints, link->slot);
        const CnJointTerm* twist = &cn_joint_part_rows(constraint->data)[4].terms[0];
        link->value[4] = cn_measure_count(twist->measure, link->value[4], twist->near);
    }
}

static void read_waiting(ReadingGroups* groups, ReadingGroup* group) {
    if (group->count > 0) {
        read_group(groups->world, group->count, group->readings, 0, groups->states, NULL);
        if (group == &groups->sliders) {
            count_twists(groups->world, group);
        }
        group->count = 0;
    }
}

static void add_reading(ReadingGroups* groups, CnTreeLink* link) {
    ReadingGroup* group = link->form == CN_FORM_UNIVERSAL ? &groups->universals
                          : link->form == CN_FORM_SLIDER  ? &groups->sliders
                                                          : &groups->points;
    group->readings[group->count++] = (CnTreeReading){.link = link, .frames = link->frames};
    if (group->count == CN_TREE_LANES) {
        read_waiting(groups, group);
    }
}

static void read_last(ReadingGroups* groups) {
    read_waiting(groups, &groups->points);
    read_waiting(groups, &groups->universals);
    read_waiting(groups, &groups->sliders);
}

// In long trees the records of so many links later are prefetched: as many as project_trees.c
// prepares before they are read.
#define FETCHED_AHEAD 64

static void fetch_link(const CnWorld* world, const CnTreeLink* link) {
    const CnTreeStore* store = world->trees;
    cn_fetch_all(link, sizeof *link);
    cn_fetch_all(&store->frames[2 * (link - store->links)], sizeof(CnTransform[2]));
}

CnStatus cn_tree_list_points(CnTreeStore* store, CnJointTree* tree) {
    tree->points = CN_ARENA_RAW(&store->arena, CnTreeReading, tree->link_count);
    tree->point_count = 0;
    for (int i = tree->first_link; tree->points != NULL && i < tree->first_link + tree->link_count;
         ++i) {
        CnTreeLink* link = &store->links[i];
        if (cn_tree_is_point(link)) {
            tree->points[tree->point_count++] = (CnTreeReading){
                .link = link,
                .frames = link->frames,
                .closing = store->twist[i],
                .turned = link->is_turned ? link->turned : NULL,
                .axis = link->form == CN_FORM_HINGE ? store->hinge_axis[i] : NULL,
            };
        }
    }
    return tree->points != NULL ? CN_OK : CN_NO_MEMORY;
}

// The place of the first of them that is no link before this one.
static int find_point(const CnJointTree* tree, const CnTreeLink* link) {
    int low = 0, high = tree->point_count;
    while (low < high) {
        int middle = (low + high) / 2;
        if (tree->points[middle].link < link) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

// Ball joints and hinges of some links; returns the largest that one misses, if that is asked for.
static double read_points(const CnWorld* world, const CnJointTree* tree, int begin, int end,
                          unsigned what, const CnBodyState* states) {
    CnTreeLink* all = world->trees->links + tree->first_link;
    bool is_long = cn_fetch_pays(tree->link_count, sizeof *all);
    int last = find_point(tree, all + end), most = is_long ? CN_TREE_LANES : CN_TREE_READINGS;
    double worst = 0.0;
    for (int k = find_point(tree, all + begin); k < last; k += most) {
        int count = last - k < most ? last - k : most;
        for (int i = k; is_long && i < k + count; ++i) {
            if (tree->points[i].link - all + FETCHED_AHEAD < tree->link_count) {
                fetch_link(world, tree->points[i].link + FETCHED_AHEAD);
            }
        }
        read_group(world, count, tree->points + k, what, states, &worst);
    }
    return worst;
}

// Any joint but these. False: one is not a matter of trees.
static bool read_others(const CnWorld* world, const CnJointTree* tree, int begin, int end,
                        const CnBodyState* states, double time) {
    CnTreeLink* all = world->trees->links + tree->first_link;
    ReadingGroups groups = {.world = world, .states = states};
    bool is_long = cn_fetch_pays(tree->link_count, sizeof *all);
    for (int i = begin; i < end; ++i) {
        CnTreeLink* link = &all[i];
        int parent = tree->parent[i];
        if (cn_tree_is_point(link)) {
            continue;
        }
        if (is_long && i + FETCHED_AHEAD < tree->link_count) {
            fetch_link(world, link + FETCHED_AHEAD);
        }
        if (link->form != CN_FORM_OTHER) {
            add_reading(&groups, link);
        } else if (link->slot >= 0) {
            CnVec3 r = {0.0, 0.0, 0.0};
            if (parent >= 0) {
                r = cn_vec3_sub(states[link->body].center, states[all[parent].body].center);
            }
            const double arm[3] = {r.x, r.y, r.z};
            if (!read_other(world, link, states, time, parent >= 0 ? arm : NULL)) {
                return false;
            }
        }
    }
    read_last(&groups);
    return true;
}

bool cn_tree_read_links(const CnWorld* world, const CnJointTree* tree, int begin, int end,
                        unsigned what, const CnBodyState* states, double time, double* worst) {
    const CnTreeLink* all = world->trees->links + tree->first_link;
    bool has_others = tree->point_count < tree->link_count;
    double points = read_points(world, tree, begin, end, what, states);
    if (has_others && !read_others(world, tree, begin, end, states, time)) {
        return false;
    }
    if ((what & CN_TREE_READ_WORST) != 0) {
        *worst = cn_worse(*worst, points);
        for (int i = begin; has_others && i < end; ++i) {
            *worst = cn_tree_is_point(&all[i]) ? *worst : cn_tree_worse(&all[i], *worst);
        }
    }
    return true;
}

bool cn_tree_read_loops(const CnWorld* world, const CnJointTree* tree, const CnBodyState* states,
                        double time) {
    ReadingGroups groups = {.world = world, .states = states};
    for (int i = 0; i < tree->loops.count; ++i) {
        CnTreeLink* joint = &tree->loops.loops[i].joint;
        if (joint->form != CN_FORM_OTHER) {
            add_reading(&groups, joint);
        } else if (!read_other(world, joint, states, time, NULL)) {
            return false;
        }
    }
    read_last(&groups);
    if (!cn_tree_is_net(&tree->loops)) {
        cn_tree_set_loop_rows(tree, states);
    }
    return true;
}

bool cn_tree_read_joints(const CnWorld* world, const CnJointTree* tree, const CnBodyState* states,
                         double time) {
    return cn_tree_read_links(world, tree, 0, tree->link_count, 0, states, time, NULL) &&
           cn_tree_read_loops(world, tree, states, time);
}

// Hinges that are not turned by much, or by half a turn, may be left over.
static void twist_group(int count, const CnTreeReading* readings, const CnBodyState* states) {
    if (count > 0) {
        CN_WIDEST(cn_tree_twists)(count, readings, states);
    }
    for (int i = 0; i < count; ++i) {
        CnTreeLink* link = readings[i].link;
        if (!link->has_twist) {
            CnQuat a = cn_quat_multiply(cn_tree_state_at(states, link->body_a)->rotation,
                                        readings[i].frames[0].rotation);
            CnQuat b = cn_quat_multiply(cn_tree_state_at(states, link->body_b)->rotation,
                                        readings[i].frames[1].rotation);
            link->turned->twist = cn_twist_angle(a, b, 2);
            link->turned->twist_row = cn_twist_gradient(a, b, 2);
            link->has_twist = true;
        }
    }
}

// Hinges whose turns are read together.
typedef struct TwistGroup {
    const CnWorld* world;
    const CnBodyState* states;
    int count;
    CnTreeReading readings[CN_TREE_LANES];
} TwistGroup;

static void add_twist(TwistGroup* group, CnTreeLink* link) {
    if (group->count > 0 && group->readings[group->count - 1].link == link) {
        return;
    }
    group->readings[group->count++] =
        (CnTreeReading){.link = link, .frames = link->frames, .turned = link->turned};
    if (group->count == CN_TREE_LANES) {
        twist_group(group->count, group->readings, group->states);
        group->count = 0;
    }
}

void cn_tree_read_twists(const CnWorld* world, const CnJointTree* tree, const CnBodyState* states) {
    CnTreeLink* all = world->trees->links + tree->first_link;
    TwistGroup group = {.world = world, .states = states};
    for (int i = 0; tree->drive_count > 0 && i < tree->link_count; ++i) {
        if (all[i].is_turned && !all[i].has_twist) {
            add_twist(&group, &all[i]);
        }
    }
    twist_group(group.count, group.readings, states);
}

void cn_tree_read_stop_twists(const CnWorld* world, const CnJointTree* tree,
                              const CnBodyState* states) {
    const CnTreeDrive* drives = world->trees->drives + tree->first_drive;
    TwistGroup group = {.world = world, .states = states};
    for (int i = 0; i < tree->drive_count; ++i) {
        CnTreeLink* link = &world->trees->links[drives[i].link];
        if (drives[i].may_stop && !drives[i].is_far && drives[i].is_on_axis && link->is_turned &&
            !link->has_twist) {
            add_twist(&group, link);
        }
    }
    twist_group(group.count, group.readings, states);
}

// Whether the coordinate of a row is how far a slider is out.
static bool is_slide(const CnTreeLink* link, const CnJointRow* row) {
    return link->form == CN_FORM_SLIDER && row->term_count == 1 &&
           row->terms[0].measure == &cn_measure_offset[2];
}

// Whether the coordinate of a row is the turn of a hinge that is known.
static bool is_known_twist(const CnTreeLink* link, const CnJointRow* row) {
    return link->has_twist && row->term_count == 1 && row->terms[0].measure == &cn_measure_twist;
}

static CnJointView view_of(const CnWorld* world, const CnTreeLink* link,
                           const CnBodyState* states) {
    return cn_joint_view(frames_of(world, link), cn_tree_state_at(states, link->body_a),
                         cn_tree_state_at(states, link->body_b));
}

static double coordinate_of(const CnWorld* world, const CnTreeLink* link, const CnJointRow* row,
                            const CnBodyState* states) {
    const CnJointTerm* term = &row->terms[0];
    if (is_slide(link, row)) {
        return -row->shift + term->factor * link->value[5];
    }
    if (!is_known_twist(link, row)) {
        CnJointView view = view_of(world, link, states);
        return cn_joint_row_value(row, &view);
    }
    return -row->shift +
           term->factor * cn_measure_count(term->measure, link->turned->twist, term->near);
}

static void add_row(const CnWorld* world, const CnTreeLink* link, const CnJointRow* row,
                    const CnBodyState* states, double row_a[6], double row_b[6]) {
    if (is_known_twist(link, row)) {
        cn_joint_add_turn(link->turned->twist_row, row->terms[0].factor, row_a, row_b);
    } else if (is_slide(link, row)) {
        CnVec3 n = link->axes[2];
        double factor = row->terms[0].factor;
        cn_joint_set_row(row_a, -factor, n, cn_vec3_cross(cn_tree_arm_a(link), n));
        cn_joint_set_row(row_b, factor, n, cn_vec3_cross(cn_tree_arm_b(link), n));
    } else {
        CnJointView view = view_of(world, link, states);
        cn_joint_row_jacobian(row, &view, row_a, row_b);
    }
}

bool cn_tree_look_at_axis(const CnWorld* world, const CnTreeDrive* drive, const CnBodyState* states,
                          bool with_rows, CnTreeAxis* axis) {
    const CnUserConstraint* constraint = cn_pool_element(&world->constraints, drive->slot);
    const CnTreeLink* link = &world->trees->links[drive->link];
    const CnJointRow* row = cn_joint_part_rows(constraint->data);
    bool is_new =
        axis->part_row == NULL || axis->link != link || !cn_joint_row_is_same(axis->part_row, row);
    if (is_new) {
        axis->link = link;
        axis->part_row = row;
        axis->coordinate = coordinate_of(world, link, row, states);
        axis->has_rows = false;
    }
    if (with_rows && !axis->has_rows) {
        memset(axis->row_a, 0, sizeof axis->row_a);
        memset(axis->row_b, 0, sizeof axis->row_b);
        add_row(world, link, row, states, axis->row_a, axis->row_b);
        axis->has_rows = true;
    }
    return is_new;
}

void cn_tree_read_some_bodies(const CnWorld* world, CnJointTree* tree, int begin, int end,
                              const CnBodyState* states) {
    const CnTreeLink* all = world->trees->links + tree->first_link;
    CnLinkage* links = &tree->links;
    CnTreeTensor tensors[CN_TREE_BODIES];
    int count = 0;
    for (int i = begin; i < end; ++i) {
        int parent = tree->parent[i];
        const CnBodyState* state = &states[all[i].body];
        const CnBody* body = cn_world_body_by_index(world, all[i].body);
        CnVec3 arm = {0.0, 0.0, 0.0};
        if (parent >= 0) {
            arm = cn_vec3_sub(state->center, states[all[parent].body].center);
        }
        links->arm[i][0] = arm.x;
        links->arm[i][1] = arm.y;
        links->arm[i][2] = arm.z;
        links->mass[i] = body->mass->mass;
        tensors[count++] =
            (CnTreeTensor){&state->rotation, &body->mass->inertia, links->inertia[i]};
        if (count == CN_TREE_BODIES || i + 1 == end) {
            CN_WIDEST(cn_tree_turn)(count, tensors);
            count = 0;
        }
    }
}

void cn_tree_read_bodies(const CnWorld* world, CnJointTree* tree, const CnBodyState* states) {
    cn_tree_read_some_bodies(world, tree, 0, tree->link_count, states);
}

void cn_tree_damp_bodies(const CnWorld* world, CnJointTree* tree) {
    const CnTreeLink* all = world->trees->links + tree->first_link;
    for (int i = 0; i < tree->link_count; ++i) {
        const CnBody* body = cn_world_body_by_index(world, all[i].body);
        CnDampingShares shares = cn_motion_damping_shares(world, body);
        tree->links.mass[i] /= shares.linear;
        for (int k = 0; k < 6; ++k) {
            tree->links.inertia[i][k] /= shares.angular;
        }
    }
}

// ---- a joint: mechanisms.md (3), (4), and (26)-(28), (56), (57) in closed form ----

int cn_tree_axes(CnTreeLink* link, double (*axis)[6], bool* is_regular) {
    int count = 6 - link->row_count;
    link->held = link->row_count;
    switch (link->form) {
    case CN_FORM_HINGE:
        put(cn_vec3_cross(link->arm, link->axis), link->axis, axis[0]);
        *is_regular = cn_vec3_dot(link->axis, link->axis) > 0.0;
        break;
    case CN_FORM_POINT:
        for (int k = 0; k < 3; ++k) {
            CnVec3 turn = cn_vec3(k == 0, k == 1, k == 2);
            put(cn_vec3_cross(link->arm, turn), turn, axis[k]);
        }
        *is_regular = true;
        break;
    case CN_FORM_UNIVERSAL:
        put(cn_vec3_cross(link->arm, link->axis), link->axis, axis[0]);
        put(cn_vec3_cross(link->arm, link->axes[2]), link->axes[2], axis[1]);
        *is_regular = cn_vec3_dot(link->turn[0], link->turn[0]) > 0.0;
        break;
    case CN_FORM_SLIDER:
        put(link->axes[2], cn_vec3(0.0, 0.0, 0.0), axis[0]);
        *is_regular =
            is_volume(set_duals(link->turn[0], link->turn[1], link->axis, link->rows->dual));
        break;
    default:
        *is_regular = cn_linkage_joint_factor(
            link->row_count, (const double(*)[6])link->rows->jacobian, &link->rows->joint);
        memcpy(axis, link->rows->joint.axis, (size_t)count * sizeof *axis);
    }
    return count;
}

static bool is_closed_form(const CnTreeLink* link) {
    return link->form != CN_FORM_OTHER && link->held == link->row_count;
}

// A hinge and a stop about its axis hold all six: (46).
static bool is_stopped_hinge(const CnTreeLink* link) {
    return link->form == CN_FORM_HINGE && link->held > link->row_count && link->rows->is_stopped;
}

static void stopped_twist(const CnTreeLink* link, const double* wanted, double twist[6]) {
    const CnVec3 *n = link->axes, *dual = link->rows->dual;
    CnVec3 v = cn_vec3_scale(link->sign * wanted[0], n[0]), w = cn_vec3_scale(wanted[3], dual[0]);
    v = cn_vec3_add_scaled(v, link->sign * wanted[1], n[1]);
    v = cn_vec3_add_scaled(v, link->sign * wanted[2], n[2]);
    w = cn_vec3_add_scaled(w, wanted[4], dual[1]);
    w = cn_vec3_add_scaled(w, wanted[5], dual[2]);
    put(cn_vec3_add(v, cn_vec3_cross(link->arm, w)), w, twist);
}

static void stopped_impulses(const CnTreeLink* link, const double wrench[6], double* impulse) {
    CnVec3 f = cn_vec3(wrench[0], wrench[1], wrench[2]);
    CnVec3 moment = cn_vec3(wrench[3], wrench[4], wrench[5]);
    CnVec3 left = cn_vec3_sub(moment, cn_vec3_cross(link->arm, f));
    for (int k = 0; k < 3; ++k) {
        impulse[k] = link->sign * cn_vec3_dot(link->axes[k], f);
        impulse[3 + k] = cn_vec3_dot(link->rows->dual[k], left);
    }
}

// False: the stop is not about the hinge's axis, or nearly square to it.
static bool stop_hinge(CnTreeLink* link, const double stop[6]) {
    double volume = set_duals(cn_vec3_scale(link->sign, link->turn[0]),
                              cn_vec3_scale(link->sign, link->turn[1]),
                              cn_vec3(stop[3], stop[4], stop[5]), link->rows->dual);
    bool is_turn = stop[0] == 0.0 && stop[1] == 0.0 && stop[2] == 0.0;
    link->rows->is_stopped = is_turn && is_volume(volume);
    return link->rows->is_stopped;
}

// Of the gradients of the angles that a joint in closed form keeps.
static const CnVec3* duals_of(const CnTreeLink* link) {
    return link->form == CN_FORM_SLIDER ? link->rows->dual : link->dual;
}

static void closed_twist(const CnTreeLink* link, const double* wanted, double twist[6]) {
    int points = cn_tree_point_count(link), turns = link->row_count - points;
    const CnVec3 *n = link->axes, *dual = duals_of(link);
    CnVec3 w = {0.0, 0.0, 0.0};
    CnVec3 v = cn_vec3_scale(link->sign * wanted[0], n[0]);
    v = cn_vec3_add_scaled(v, link->sign * wanted[1], n[1]);
    if (points == 3) {
        v = cn_vec3_add_scaled(v, link->sign * wanted[2], n[2]);
    }
    if (turns > 0) {
        w = cn_vec3_scale(link->sign * wanted[points], dual[0]);
        for (int k = 1; k < turns; ++k) {
            w = cn_vec3_add_scaled(w, link->sign * wanted[points + k], dual[k]);
        }
        v = cn_vec3_add(v, cn_vec3_cross(link->arm, w));
    }
    put(v, w, twist);
}

void cn_tree_twist(const CnTreeLink* link, const double* wanted, double twist[6]) {
    if (is_stopped_hinge(link)) {
        stopped_twist(link, wanted, twist);
    } else if (is_closed_form(link)) {
        closed_twist(link, wanted, twist);
    } else {
        cn_linkage_joint_twist(&link->rows->joint, wanted, twist);
    }
}

void cn_tree_impulses(const CnTreeLink* link, const double wrench[6], double* impulse) {
    if (is_stopped_hinge(link)) {
        stopped_impulses(link, wrench, impulse);
        return;
    }
    if (!is_closed_form(link)) {
        cn_linkage_joint_impulses(&link->rows->joint, wrench, impulse);
        return;
    }
    int points = cn_tree_point_count(link), turns = link->row_count - points;
    CnVec3 f = cn_vec3(wrench[0], wrench[1], wrench[2]);
    for (int k = 0; k < points; ++k) {
        impulse[k] = link->sign * cn_vec3_dot(link->axes[k], f);
    }
    if (turns > 0) {
        const CnVec3* dual = duals_of(link);
        CnVec3 moment = cn_vec3(wrench[3], wrench[4], wrench[5]);
        CnVec3 left = cn_vec3_sub(moment, cn_vec3_cross(link->arm, f));
        for (int k = 0; k < turns; ++k) {
            impulse[points + k] = link->sign * cn_vec3_dot(dual[k], left);
        }
    }
}

void cn_tree_rates(const CnTreeLink* link, const double relative[6], double* rate) {
    if (link->form == CN_FORM_OTHER) {
        for (int k = 0; k < link->row_count; ++k) {
            const double* row = link->rows->jacobian[k];
            rate[k] = ((row[0] * relative[0] + row[1] * relative[1]) +
                       (row[2] * relative[2] + row[3] * relative[3])) +
                      (row[4] * relative[4] + row[5] * relative[5]);
        }
        return;
    }
    CnVec3 w = cn_vec3(relative[3], relative[4], relative[5]);
    CnVec3 v =
        cn_vec3_add(cn_vec3(relative[0], relative[1], relative[2]), cn_vec3_cross(w, link->arm));
    int points = cn_tree_point_count(link);
    for (int k = 0; k < points; ++k) {
        rate[k] = link->sign * cn_vec3_dot(link->axes[k], v);
    }
    for (int k = points; k < link->row_count; ++k) {
        rate[k] = link->sign * cn_vec3_dot(cn_tree_turn(link, k - points), w);
    }
}

void cn_tree_rows(const CnTreeLink* link, double (*jacobian)[6]) {
    const CnVec3 zero = {0.0, 0.0, 0.0};
    if (link->form == CN_FORM_OTHER) {
        memcpy(jacobian, link->rows->jacobian, (size_t)link->row_count * sizeof *jacobian);
        return;
    }
    int points = cn_tree_point_count(link);
    for (int k = 0; k < points; ++k) {
        CnVec3 n = cn_vec3_scale(link->sign, link->axes[k]);
        put(n, cn_vec3_cross(link->arm, n), jacobian[k]);
    }
    for (int k = points; k < link->row_count; ++k) {
        put(zero, cn_vec3_scale(link->sign, cn_tree_turn(link, k - points)), jacobian[k]);
    }
}

int cn_tree_hold(CnTreeLink* link, int count, const double (*rows)[6], double (*axis)[6],
                 bool* is_regular) {
    double jacobian[CN_MAX_ROWS][6];
    if (count == 0) {
        return cn_tree_axes(link, axis, is_regular);
    }
    link->rows->is_stopped = false;
    if (count == 1 && link->form == CN_FORM_HINGE && stop_hinge(link, rows[0])) {
        link->held = link->row_count + 1;
        *is_regular = true;
        return 0;
    }
    cn_tree_rows(link, jacobian);
    memcpy(jacobian[link->row_count], rows, (size_t)count * sizeof *rows);
    link->held = link->row_count + count;
    *is_regular =
        cn_linkage_joint_factor(link->held, (const double(*)[6])jacobian, &link->rows->joint);
    memcpy(axis, link->rows->joint.axis, (size_t)(6 - link->held) * sizeof *axis);
    return 6 - link->held;
}

bool cn_tree_factor_and_solve(CnJointTree* tree, const double (*momentum)[6],
                              const double (*twist)[6], double (*velocity)[6]) {
    CnLinkage* links = &tree->links;
    links->axis_count = tree->first_axis[tree->link_count];
    links->has_slopes = false;
    links->is_once = !links->keeps_whole && tree->loops.row_count == 0;
    tree->has_whole = links->keeps_whole;
    return cn_linkage_factor_and_solve(links, momentum, twist, NULL, velocity) &&
           cn_tree_factor_loops(tree);
}

void cn_tree_solve_again(CnJointTree* tree, double (*momentum)[6], const double (*twist)[6],
                         double (*velocity)[6]) {
    if (!tree->has_whole) {
        cn_linkage_factor(&tree->links); // as before: it is regular
        tree->has_whole = true;
    }
    memset(momentum, 0, (size_t)tree->link_count * sizeof *momentum);
    cn_linkage_solve(&tree->links, momentum, twist, NULL, velocity, NULL);
}
