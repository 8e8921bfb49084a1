// project_trees.c - position errors of joints, put right along the trees that the joints make.
#include "world/correct/project_trees.h"

#include "solvers/tree/linkage.h"
#include "solvers/tree/linkage_joint.h"
#include "solvers/tree/linkage_plan.h"

#include <math.h>
#include <string.h>

// A pass that leaves more than this share of the error does not gain; near the solution a chord
// leaves the square of the error.
#define GAIN 0.5
#define MOST_PASSES 8

// Rounds in which stops may begin or cease to act.
#define MOST_ROUNDS 8

#define WORK_OF_LINK 1000.0 // multiplications

// A constraint on the bodies of a link and its parent, at the child.
typedef struct TreeRows {
    int slot, row_count;
    double jacobian[CN_MAX_ROWS][6];
} TreeRows;

// A stop near its end, on the axis of a link.
typedef struct TreeStop {
    TreeRows rows;
    int link, next; // stop on the same link, -1: none
    double sign;    // of its gap: +1 above a lower limit, -1 below an upper one
    bool acts;
} TreeStop;

typedef struct Trees {
    CnTreeProjection* projection;
    int edge_count, stop_count;
    CnLinkageEdge* edges; // [active constraints]
    int* slot;            // of each edge   [active constraints]
    CnLinkagePlan plan;
    CnLinkage links;
    int* first_axis;        // [link_count + 1]
    TreeRows* rows;         // of each link's joint; none where it floats   [link_count]
    CnLinkageJoint* joints; // [link_count]
    TreeStop* stops;        // [active constraints]
    int* first_stop;        // of each link, -1: none   [link_count]
    int* tree;              // root of each link   [link_count]
    bool* is_wanted;        // by roots: has an error above the tolerance   [link_count]
    double (*twist)[6], (*momentum)[6], (*moved)[6], (*wrench)[6]; // [link_count]
} Trees;

static const CnUserConstraint* constraint_at(const Trees* trees, int slot) {
    return cn_pool_at(&trees->projection->world->constraints, slot);
}

// What a constraint is to the trees, by the roles of its rows.
typedef enum TreePart {
    NO_PART, // it keeps no position
    JOINT,   // all rows are kept
    STOP,    // one row that pushes or pulls, and is within reach
    UNKNOWN
} TreePart;

static TreePart part_of(const CnWorld* world, const CnUserConstraint* constraint,
                        CnInstant instant) {
    int kept = 0, stops = 0, count = constraint->kind->dimension;
    for (int k = 0; k < count; ++k) {
        CnRowRole role = (CnRowRole)constraint->role[k];
        double gap = role == CN_ROW_PULLS ? -constraint->value[k] : constraint->value[k];
        bool is_near = gap <= world->def.step.contact_margin;
        kept += role == CN_ROW_KEEPS;
        stops += cn_row_keeps_position(instant, role) && role != CN_ROW_KEEPS && is_near;
    }
    if (constraint->kind->body_count == 4 && kept > 0) { // a mimic, between two joints
        return UNKNOWN;
    }
    return kept == count             ? JOINT
           : kept + stops == 0       ? NO_PART
           : kept == 0 && count == 1 ? STOP
                                     : UNKNOWN;
}

// Lists joints as edges, and stops. False: something else keeps a position.
static bool list_parts(Trees* trees, bool* moves) {
    const CnTreeProjection* projection = trees->projection;
    const CnWorld* world = projection->world;
    for (int i = 0; i < world->active.constraints.count; ++i) {
        int slot = world->active.constraints.data[i];
        CnBoundConstraint bound;
        if (!cn_world_bind_constraint(world, slot, projection->states, projection->instant.time,
                                      &bound)) {
            continue;
        }
        TreePart part = part_of(world, bound.constraint, projection->instant);
        int a = cn_world_body_index(world, bound.constraint->body_a);
        int b = cn_world_body_index(world, bound.constraint->body_b);
        if (part == UNKNOWN) {
            return false;
        }
        if (part == STOP) {
            trees->stops[trees->stop_count++].rows.slot = slot;
        } else if (part == JOINT) {
            trees->slot[trees->edge_count] = slot;
            trees->edges[trees->edge_count++] =
                (CnLinkageEdge){a, b, bound.constraint->kind->dimension};
            if (a >= 0) {
                moves[a] = world->step.inverse_mass[a] > 0.0;
            }
            if (b >= 0) {
                moves[b] = world->step.inverse_mass[b] > 0.0;
            }
        }
    }
    return trees->edge_count > 0;
}

// The rows of a constraint on a link and its parent. False: they do not depend on the relative pose
// alone.
static bool read_rows(const Trees* trees, CnReader* reader, int link, TreeRows* rows) {
    const CnTreeProjection* projection = trees->projection;
    const CnWorld* world = projection->world;
    CnBoundConstraint bound;
    CnConstraintReading reading;
    if (!cn_world_bind_constraint(world, rows->slot, projection->states, projection->instant.time,
                                  &bound)) {
        return false;
    }
    cn_read_constraint(reader, &bound, CN_READ_JACOBIANS, &reading);
    bool is_a = cn_world_body_index(world, bound.constraint->body_a) == trees->plan.body[link];
    const double(*child)[6] = (const double(*)[6])(is_a ? reading.jacobian_a : reading.jacobian_b);
    const double(*other)[6] = (const double(*)[6])(is_a ? reading.jacobian_b : reading.jacobian_a);
    rows->row_count = bound.constraint->kind->dimension;
    memcpy(rows->jacobian, child, (size_t)rows->row_count * sizeof *rows->jacobian);
    for (int k = 0; trees->plan.parent[link] >= 0 && k < rows->row_count; ++k) {
        if (!cn_linkage_is_reaction(trees->links.arm[link], child[k], other[k])) {
            return false;
        }
    }
    return true;
}

static void set_link(const Trees* trees, int link) {
    const CnTreeProjection* projection = trees->projection;
    int body = trees->plan.body[link], parent = trees->plan.parent[link];
    const CnBody* own = cn_world_body_by_index(projection->world, body);
    CnMat3 rotation = cn_mat3_from_quat(projection->states[body].rotation);
    CnMat3 inertia = cn_mat3_rotate_tensor(&rotation, &own->inertia);
    const double upper[6] = {inertia.m[0][0], inertia.m[0][1], inertia.m[0][2],
                             inertia.m[1][1], inertia.m[1][2], inertia.m[2][2]};
    trees->links.mass[link] = own->mass;
    memcpy(trees->links.inertia[link], upper, sizeof upper);
    CnVec3 arm = {0.0, 0.0, 0.0};
    if (parent >= 0) {
        arm = cn_vec3_sub(projection->states[body].center,
                          projection->states[trees->plan.body[parent]].center);
    }
    const double numbers[3] = {arm.x, arm.y, arm.z};
    memcpy(trees->links.arm[link], numbers, sizeof numbers);
    trees->tree[link] = parent < 0 ? link : trees->tree[parent];
}

// The link whose joint a stop is on; -1: none.
static int link_of_stop(const Trees* trees, int slot) {
    const CnWorld* world = trees->projection->world;
    const CnUserConstraint* constraint = constraint_at(trees, slot);
    int bodies[2] = {cn_world_body_index(world, constraint->body_a),
                     cn_world_body_index(world, constraint->body_b)};
    int links[2];
    for (int k = 0; k < 2; ++k) {
        links[k] = bodies[k] < 0 ? -1 : trees->plan.link[bodies[k]];
    }
    for (int k = 0; k < 2; ++k) {
        if (links[k] >= 0 && trees->plan.edge[links[k]] >= 0 &&
            trees->plan.parent[links[k]] == links[1 - k]) {
            return links[k];
        }
    }
    return -1;
}

static bool set_stop(const Trees* trees, CnReader* reader, TreeStop* stop) {
    const CnUserConstraint* constraint = constraint_at(trees, stop->rows.slot);
    stop->link = link_of_stop(trees, stop->rows.slot);
    stop->sign = constraint->role[0] == CN_ROW_PULLS ? -1.0 : 1.0;
    stop->acts = stop->sign * constraint->value[0] < -trees->projection->tolerance;
    return stop->link >= 0 && read_rows(trees, reader, stop->link, &stop->rows);
}

// Joints, stops and masses at the states. False: not a matter of trees.
static bool set_geometry(Trees* trees) {
    const CnTreeProjection* projection = trees->projection;
    CnReader reader;
    cn_reader_begin(&reader, projection->world, projection->states, projection->instant.time);
    for (int i = 0; i < trees->plan.link_count; ++i) {
        int edge = trees->plan.edge[i];
        set_link(trees, i);
        trees->rows[i] = (TreeRows){.slot = edge >= 0 ? trees->slot[edge] : -1};
        if (edge >= 0 && !read_rows(trees, &reader, i, &trees->rows[i])) {
            return false;
        }
    }
    memset(trees->first_stop, -1, (size_t)trees->plan.link_count * sizeof *trees->first_stop);
    for (int i = trees->stop_count - 1; i >= 0; --i) { // so that lists are in their order
        TreeStop* stop = &trees->stops[i];
        if (!set_stop(trees, &reader, stop)) {
            return false;
        }
        stop->next = trees->first_stop[stop->link];
        trees->first_stop[stop->link] = i;
    }
    return true;
}

static bool allocate(Trees* trees, CnArena* arena) {
    size_t links = (size_t)trees->plan.link_count;
    trees->first_axis = CN_ARENA_NEW(arena, int, links + 1);
    trees->rows = CN_ARENA_RAW(arena, TreeRows, links);
    trees->joints = CN_ARENA_RAW(arena, CnLinkageJoint, links);
    trees->tree = CN_ARENA_RAW(arena, int, links);
    trees->first_stop = CN_ARENA_RAW(arena, int, links);
    trees->is_wanted = CN_ARENA_NEW(arena, bool, links);
    double(** const twists[])[6] = {&trees->twist, &trees->momentum, &trees->moved, &trees->wrench};
    bool has_memory = trees->first_axis != NULL && trees->rows != NULL && trees->joints != NULL &&
                      trees->tree != NULL && trees->first_stop != NULL && trees->is_wanted != NULL;
    for (size_t i = 0; i < sizeof twists / sizeof twists[0]; ++i) {
        *twists[i] = cn_arena_allocate_raw(arena, links, sizeof(double[6]));
        has_memory = has_memory && *twists[i] != NULL;
    }
    for (size_t i = 0; has_memory && i < links; ++i) {
        int edge = trees->plan.edge[i];
        int rows = edge >= 0 ? trees->edges[edge].weight : 0;
        trees->first_axis[i + 1] = trees->first_axis[i] + 6 - rows;
    }
    return has_memory && cn_linkage_init(&trees->links, (int)links, trees->plan.parent,
                                         trees->first_axis, arena) == CN_OK;
}

// *found is false when the constraints make no trees.
static CnStatus plant(Trees* trees, CnArena* arena, bool* found) {
    const CnWorld* world = trees->projection->world;
    int count = world->active.constraints.count;
    trees->edges = CN_ARENA_RAW(arena, CnLinkageEdge, count);
    trees->slot = CN_ARENA_RAW(arena, int, count);
    trees->stops = CN_ARENA_RAW(arena, TreeStop, count);
    bool* moves = CN_ARENA_NEW(arena, bool, world->order.count);
    *found = false;
    if (trees->edges == NULL || trees->slot == NULL || trees->stops == NULL || moves == NULL) {
        return CN_NO_MEMORY;
    }
    if (!list_parts(trees, moves)) {
        return CN_OK;
    }
    CnStatus status = cn_linkage_plan(world->order.count, moves, trees->edge_count, trees->edges,
                                      arena, &trees->plan);
    if (status != CN_OK || trees->plan.loop_count > 0) {
        return status;
    }
    *found = true;
    return allocate(trees, arena) ? CN_OK : CN_NO_MEMORY;
}

// The rows that hold a link: of its joint, then of stops that act.
static int list_held(const Trees* trees, int link, double jacobian[][6], double* wanted) {
    const TreeRows* rows = &trees->rows[link];
    bool is_wanted = trees->is_wanted[trees->tree[link]];
    int count = rows->row_count;
    memcpy(jacobian, rows->jacobian, (size_t)count * sizeof *jacobian);
    for (int k = 0; k < count; ++k) {
        wanted[k] = is_wanted ? -constraint_at(trees, rows->slot)->value[k] : 0.0;
    }
    for (int i = trees->first_stop[link]; i >= 0 && count < CN_MAX_ROWS; i = trees->stops[i].next) {
        const TreeStop* stop = &trees->stops[i];
        if (stop->acts) {
            memcpy(jacobian[count], stop->rows.jacobian[0], sizeof *jacobian);
            wanted[count++] = is_wanted ? -constraint_at(trees, stop->rows.slot)->value[0] : 0.0;
        }
    }
    return count;
}

static bool factor(Trees* trees) {
    CnLinkage* links = &trees->links;
    trees->projection->work += WORK_OF_LINK * links->link_count;
    for (int i = 0; i < links->link_count; ++i) {
        double jacobian[CN_MAX_ROWS][6], wanted[CN_MAX_ROWS];
        CnLinkageJoint* joint = &trees->joints[i];
        int held = list_held(trees, i, jacobian, wanted);
        if (!cn_linkage_joint_factor(held, (const double(*)[6])jacobian, joint)) {
            return false;
        }
        int first = trees->first_axis[i], free = 6 - held;
        trees->first_axis[i + 1] = first + free;
        memcpy(links->axis[first], joint->axis, (size_t)free * sizeof *links->axis);
    }
    links->axis_count = trees->first_axis[links->link_count];
    return cn_linkage_factor(links);
}

// The displacements that the values of the constraints ask for.
static void solve(Trees* trees) {
    for (int i = 0; i < trees->links.link_count; ++i) {
        double jacobian[CN_MAX_ROWS][6], wanted[CN_MAX_ROWS];
        list_held(trees, i, jacobian, wanted);
        cn_linkage_joint_twist(&trees->joints[i], wanted, trees->twist[i]);
    }
    memset(trees->momentum, 0, (size_t)trees->links.link_count * sizeof *trees->momentum);
    cn_linkage_solve(&trees->links, trees->momentum, (const double(*)[6])trees->twist, NULL,
                     trees->moved, NULL);
}

// How far a stop's row moves.
static double stop_change(const Trees* trees, const TreeStop* stop) {
    const double* row = stop->rows.jacobian[0];
    const double* own = trees->moved[stop->link];
    int parent = trees->plan.parent[stop->link];
    double carried[6] = {0.0}, sum = 0.0;
    if (parent >= 0) {
        cn_linkage_to_child(trees->links.arm[stop->link], trees->moved[parent], carried);
    }
    for (int k = 0; k < 6; ++k) {
        sum += row[k] * (own[k] - carried[k]);
    }
    return sum;
}

// Whether a stop should act next: one that would have to pull ceases to, one that would be passed
// begins to. p: impulses of the rows that hold its link; place: its own among them.
static bool should_act(const Trees* trees, const TreeStop* stop, const double* p, int place) {
    if (stop->acts) {
        return stop->sign * p[place] >= 0.0;
    }
    double value = constraint_at(trees, stop->rows.slot)->value[0];
    return stop->sign * (value + stop_change(trees, stop)) < -trees->projection->tolerance;
}

// The number of stops that begin or cease to act.
static int change_stops(Trees* trees) {
    int changes = 0;
    memset(trees->momentum, 0, (size_t)trees->links.link_count * sizeof *trees->momentum);
    cn_linkage_wrenches(&trees->links, (const double(*)[6])trees->momentum,
                        (const double(*)[6])trees->moved, trees->wrench);
    for (int link = 0; link < trees->links.link_count; ++link) {
        double p[CN_MAX_ROWS];
        int place = trees->rows[link].row_count;
        if (trees->first_stop[link] >= 0) {
            cn_linkage_joint_impulses(&trees->joints[link], trees->wrench[link], p);
        }
        for (int i = trees->first_stop[link]; i >= 0; i = trees->stops[i].next) {
            TreeStop* stop = &trees->stops[i];
            bool acts = should_act(trees, stop, p, place);
            place += stop->acts;
            changes += acts != stop->acts;
            stop->acts = acts;
        }
    }
    return changes;
}

// Which stops act, and the displacements; the factor of the pass before serves while they stay.
static bool solve_with_stops(Trees* trees, bool is_factored) {
    for (int round = 0; round < MOST_ROUNDS; ++round) {
        if (!is_factored && !factor(trees)) {
            return false;
        }
        solve(trees);
        if (trees->stop_count == 0 || change_stops(trees) == 0) {
            return true;
        }
        is_factored = false;
    }
    return false;
}

// Trees with an error that is above the tolerance.
static void mark_wanted(Trees* trees) {
    const CnTreeProjection* projection = trees->projection;
    memset(trees->is_wanted, 0, (size_t)trees->links.link_count * sizeof *trees->is_wanted);
    for (int i = 0; i < trees->links.link_count; ++i) {
        const TreeRows* rows = &trees->rows[i];
        for (int k = 0; k < rows->row_count; ++k) {
            bool is_off = fabs(constraint_at(trees, rows->slot)->value[k]) > projection->tolerance;
            trees->is_wanted[trees->tree[i]] |= is_off;
        }
    }
    for (int i = 0; i < trees->stop_count; ++i) {
        const TreeStop* stop = &trees->stops[i];
        double gap = stop->sign * constraint_at(trees, stop->rows.slot)->value[0];
        trees->is_wanted[trees->tree[stop->link]] |= gap < -projection->tolerance;
    }
}

// Moves the bodies of trees that are wanted. Velocities stay as they are in body axes.
static void displace(const Trees* trees, CnBodyState* states) {
    const CnTreeProjection* projection = trees->projection;
    for (int i = 0; i < trees->links.link_count; ++i) {
        const CnMotion* motion = &projection->world->step.motions.data[trees->plan.body[i]];
        CnBodyState* state = &states[trees->plan.body[i]];
        const double* d = trees->moved[i];
        if (!trees->is_wanted[trees->tree[i]]) {
            continue;
        }
        CnQuat turn = cn_quat_exp(cn_vec3(d[3], d[4], d[5]));
        state->center = cn_vec3_add(state->center, cn_vec3(d[0], d[1], d[2]));
        state->rotation = cn_quat_normalize(cn_quat_multiply(turn, state->rotation));
        state->angular_velocity = cn_quat_rotate(
            state->rotation, projection->instant.ahead ? motion->ahead_spin : motion->end_spin);
    }
}

// Passes with the one factor. False: one did not gain.
static bool make_passes(Trees* trees) {
    CnTreeProjection* projection = trees->projection;
    for (int pass = 0; pass < MOST_PASSES; ++pass) {
        double before = projection->left.pending;
        mark_wanted(trees);
        if (!solve_with_stops(trees, pass > 0)) {
            return false;
        }
        displace(trees, projection->trial);
        cn_positions_evaluate(projection->world, projection->trial, projection->instant);
        cn_positions_sum_up(projection->world, projection->trial, projection->instant, NULL,
                            &projection->left);
        if (projection->left.pending <= projection->tolerance) {
            return true;
        }
        if (!(projection->left.pending <= GAIN * before)) {
            return false;
        }
    }
    return false;
}

CnStatus cn_project_trees(CnTreeProjection* projection, bool* moved) {
    CnWorld* world = projection->world;
    CnArenaMark mark = cn_arena_mark(&world->arena);
    Trees trees = {.projection = projection};
    CnPositionErrors before = projection->left;
    size_t bytes = (size_t)world->order.count * sizeof *projection->states;
    CnStatus status = plant(&trees, &world->arena, moved);
    if (status == CN_OK && *moved) {
        *moved = set_geometry(&trees);
    }
    if (status == CN_OK && *moved) {
        memcpy(projection->trial, projection->states, bytes);
        *moved = make_passes(&trees);
        if (*moved) {
            memcpy(projection->states, projection->trial, bytes);
        } else { // constraints are left as they were found
            cn_positions_evaluate(world, projection->states, projection->instant);
            projection->left = before;
        }
    }
    cn_arena_release(&world->arena, mark);
    return status;
}
