// soft_trees.c - scheme soft_step: joints that form trees, solved all at once in every substep.
#include "world/soft/soft_trees.h"

#include "constraints/joints/user_rows.h"
#include "solvers/tree/linkage.h"
#include "solvers/tree/linkage_joint.h"
#include "solvers/tree/linkage_plan.h"
#include "world/bodies/motion.h"
#include "world/step/rows.h"
#include "world/world.h"

#include <math.h>
#include <string.h>

// What a link does in a step.
typedef struct TreeLink {
    CnLinkageJoint joint;
    double jacobian[CN_MAX_ROWS][6]; // at the child
    CnVec3 arm, parent_arm;          // from the centres of child and parent to the joint [m]
    double inertia[6];               // of the body, where it is: as CnLinkage.inertia
    double last[CN_MAX_ROWS];        // impulse of the substep before [N s]
    double value[CN_MAX_ROWS];       // C at the present poses
    double wanted[CN_MAX_ROWS];      // J V at the child that leaves C as it is
    double impulse[CN_MAX_ROWS];     // of the present substep [N s]
    double total[CN_MAX_ROWS];       // of the step
    double gained[6];                // velocity that trees gave the body in this substep
} TreeLink;

// The trees of a group; memory of one step.
struct CnSoftTrees {
    CnLinkage links;
    int *parent, *first_axis;
    TreeLink* link;                                                   // [link_count]
    double (*momentum)[6], (*twist)[6], (*velocity)[6], (*wrench)[6]; // [link_count]
    double (*before)[6]; // momenta before a solve   [link_count]
    bool is_read;        // all joints have rows that can be factored
};

// ---- who is in a tree ----

// Types whose rows never depend on each other.
static bool is_tree_type(CnJointType type) {
    return type == CN_JOINT_BALL || type == CN_JOINT_HINGE || type == CN_JOINT_SLIDER ||
           type == CN_JOINT_CYLINDRICAL || type == CN_JOINT_WELD;
}

bool cn_soft_trees_take(const CnWorld* world, int block) {
    const CnBlockSource* source = &world->step.rows.sources.data[block];
    const CnUserConstraint* constraint = cn_pool_at(&world->constraints, source->constraint);
    const CnJoint* joint = constraint->joint.index == 0
                               ? NULL
                               : cn_pool_get(&world->joints, CN_POOL_ID(constraint->joint));
    return joint != NULL && (int)joint->kept.index - 1 == source->constraint &&
           is_tree_type(joint->type) && constraint->keep.compliance == 0.0 &&
           constraint->keep.compliance_turn == 0.0;
}

static bool is_dynamic(const CnWorld* world, int body) {
    return body >= 0 && world->bodies.data[body].type == CN_BODY_DYNAMIC;
}

// Whether a block is a motor or a spring about an axis of a joint: it passes impulses on like a
// weld.
static bool is_drive(const CnWorld* world, int block) {
    const CnBlockSource* source = &world->step.rows.sources.data[block];
    const CnUserConstraint* constraint = cn_pool_at(&world->constraints, source->constraint);
    const CnConstraintKind* kind = constraint->kind;
    return kind == cn_axis_part_kind(CN_AXIS_PART_MOTOR) ||
           kind == cn_axis_part_kind(CN_AXIS_PART_SPRING);
}

// The joints of an island as edges between its rows, from the first one on.
typedef struct TreeEdges {
    bool has_drives;
    int count;
    int* block; // of each   [count]
    CnLinkageEdge* edge;
    double lightest, heaviest; // of the bodies they join [kg]
} TreeEdges;

static int local_row(const CnWorld* world, const int* row, int first, int body) {
    return is_dynamic(world, body) ? row[body] - first : -1;
}

static void add_edge(const CnWorld* world, int block, const int* row, int first, TreeEdges* edges) {
    const CnBlock* source = &world->step.rows.blocks.data[block];
    const int bodies[2] = {source->body_a, source->body_b};
    for (int side = 0; side < 2; ++side) {
        if (is_dynamic(world, bodies[side])) {
            double mass = world->bodies.data[bodies[side]].mass->mass;
            edges->lightest = fmin(edges->lightest, mass);
            edges->heaviest = fmax(edges->heaviest, mass);
        }
    }
    edges->block[edges->count] = block;
    edges->edge[edges->count++] = (CnLinkageEdge){
        .body_a = local_row(world, row, first, source->body_a),
        .body_b = local_row(world, row, first, source->body_b),
        .weight = source->row_count,
    };
}

static CnStatus add_links(CnWorld* world, const CnLinkagePlan* plan, const TreeEdges* edges,
                          int first, const CnSoftGroup* group) {
    CnSoftStore* store = world->soft;
    int base = store->links.count - group->first_link;
    for (int i = 0; i < plan->link_count; ++i) {
        int block = plan->edge[i] >= 0 ? edges->block[plan->edge[i]] : CN_NONE;
        int row = first + plan->body[i];
        CnSoftLink link = {
            .row = row,
            .body = store->body.data[group->base + row],
            .parent = plan->parent[i] < 0 ? -1 : base + plan->parent[i],
            .block = block,
        };
        link.side = block >= 0 && world->step.rows.blocks.data[block].body_b == link.body ? 1 : 0;
        if (!cn_array_push(&store->links, &world->allocator, link)) {
            return CN_NO_MEMORY;
        }
    }
    return CN_OK;
}

// Rows of the movable bodies of the island follow each other.
static int first_row(const CnWorld* world, int island, const int* row, int* count) {
    const CnIslandStore* islands = &world->islands;
    int first = CN_NONE;
    *count = 0;
    for (int k = islands->body_start.data[island]; k < islands->body_start.data[island + 1]; ++k) {
        int body = islands->body.data[k];
        if (is_dynamic(world, body)) {
            first = first < 0 || row[body] < first ? row[body] : first;
            *count = row[body] - first + 1 > *count ? row[body] - first + 1 : *count;
        }
    }
    return first;
}

// Whether sweeps would not hold the joints of an island. (T1)
static bool needs_tree(const CnWorld* world, const TreeEdges* edges) {
    double ratio = world->def.step.soft.tree_mass_ratio;
    return edges->heaviest >= ratio * edges->lightest || (edges->has_drives && ratio < HUGE_VAL);
}

CnStatus cn_soft_trees_add(CnWorld* world, int island, const int* row, CnSoftGroup* group,
                           bool* is_tree) {
    const CnIslandStore* islands = &world->islands;
    int begin = islands->block_start.data[island], end = islands->block_start.data[island + 1];
    CnArenaMark mark = cn_arena_mark(&world->arena);
    int body_count, first = first_row(world, island, row, &body_count);
    TreeEdges edges = {
        .block = CN_ARENA_NEW(&world->arena, int, end - begin),
        .edge = CN_ARENA_NEW(&world->arena, CnLinkageEdge, end - begin),
        .lightest = HUGE_VAL,
    };
    bool* moves = CN_ARENA_NEW(&world->arena, bool, body_count);
    CnStatus status =
        edges.block == NULL || edges.edge == NULL || moves == NULL ? CN_NO_MEMORY : CN_OK;
    *is_tree = false;
    for (int k = begin; status == CN_OK && k < end; ++k) {
        if (cn_soft_trees_take(world, islands->block.data[k])) {
            add_edge(world, islands->block.data[k], row, first, &edges);
        }
        edges.has_drives = edges.has_drives || is_drive(world, islands->block.data[k]);
    }
    for (int i = 0; status == CN_OK && i < edges.count; ++i) { // bodies without joints are no links
        const int ends[2] = {edges.edge[i].body_a, edges.edge[i].body_b};
        for (int side = 0; side < 2; ++side) {
            if (ends[side] >= 0) {
                moves[ends[side]] = true;
            }
        }
    }
    CnLinkagePlan plan;
    if (status == CN_OK && edges.count > 0 && needs_tree(world, &edges)) {
        status = cn_linkage_plan(body_count, moves, edges.count, edges.edge, &world->arena, &plan);
        *is_tree = status == CN_OK && plan.loop_count == 0;
        if (*is_tree) {
            status = add_links(world, &plan, &edges, first, group);
        }
    }
    group->link_count = world->soft->links.count - group->first_link;
    cn_arena_release(&world->arena, mark);
    return status;
}

// ---- memory of a step ----

static int axes_of(const CnWorld* world, const CnSoftLink* link) {
    return link->block < 0 ? 6 : 6 - world->step.rows.blocks.data[link->block].row_count;
}

static bool reserve_group(CnWorld* world, const CnSoftGroup* group, CnSoftTrees* trees) {
    CnArena* arena = &world->arena;
    int count = group->link_count;
    const CnSoftLink* links = world->soft->links.data + group->first_link;
    *trees = (CnSoftTrees){
        .parent = CN_ARENA_RAW(arena, int, count),
        .first_axis = CN_ARENA_RAW(arena, int, count + 1),
        .link = CN_ARENA_NEW(arena, TreeLink, count),
        .momentum = cn_arena_allocate_raw(arena, (size_t)count, sizeof(double[6])),
        .twist = cn_arena_allocate_raw(arena, (size_t)count, sizeof(double[6])),
        .velocity = cn_arena_allocate_raw(arena, (size_t)count, sizeof(double[6])),
        .wrench = cn_arena_allocate_raw(arena, (size_t)count, sizeof(double[6])),
        .before = cn_arena_allocate_raw(arena, (size_t)count, sizeof(double[6])),
    };
    if (trees->parent == NULL || trees->first_axis == NULL || trees->link == NULL ||
        trees->momentum == NULL || trees->twist == NULL || trees->velocity == NULL ||
        trees->wrench == NULL || trees->before == NULL) {
        return false;
    }
    trees->first_axis[0] = 0;
    for (int i = 0; i < count; ++i) {
        trees->parent[i] = links[i].parent;
        trees->first_axis[i + 1] = trees->first_axis[i] + axes_of(world, &links[i]);
    }
    return cn_linkage_init(&trees->links, count, trees->parent, trees->first_axis, arena) == CN_OK;
}

CnStatus cn_soft_trees_reserve(CnWorld* world) {
    CnSoftStore* store = world->soft;
    store->run.trees = CN_ARENA_NEW(&world->arena, CnSoftTrees, store->groups.count);
    if (store->run.trees == NULL) {
        return CN_NO_MEMORY;
    }
    for (int i = 0; i < store->groups.count; ++i) {
        const CnSoftGroup* group = &store->groups.data[i];
        if (group->link_count > 0 && !reserve_group(world, group, &store->run.trees[i])) {
            return CN_NO_MEMORY;
        }
    }
    return CN_OK;
}

// ---- a step ----

static CnSoftTrees* trees_of(const CnSoftJoints* joints) {
    const CnSoftStore* store = joints->world->soft;
    return &store->run.trees[joints->group - store->groups.data];
}

static const CnSoftLink* links_of(const CnSoftJoints* joints) {
    return joints->world->soft->links.data + joints->group->first_link;
}

static const CnUserConstraint* constraint_of(const CnWorld* world, int block) {
    return cn_pool_at(&world->constraints, world->step.rows.sources.data[block].constraint);
}

static void write_velocity(const CnBodyState* state, double v[6]) {
    const double values[6] = {state->velocity.x,         state->velocity.y,
                              state->velocity.z,         state->angular_velocity.x,
                              state->angular_velocity.y, state->angular_velocity.z};
    memcpy(v, values, sizeof values);
}

static double dot6(const double a[6], const double b[6]) {
    return ((a[0] * b[0] + a[1] * b[1]) + (a[2] * b[2] + a[3] * b[3])) +
           (a[4] * b[4] + a[5] * b[5]);
}

// Value, rows at the child, and what they ask for beside a parent that no impulse moves. (T1)
static bool read_joint(const CnSoftJoints* joints, const CnSoftLink* link, double time,
                       TreeLink* to) {
    const CnWorld* world = joints->world;
    const CnBlock* block = &world->step.rows.blocks.data[link->block];
    const CnUserConstraint* constraint = constraint_of(world, link->block);
    const CnConstraintKind* kind = constraint->kind;
    const int bodies[2] = {block->body_a, block->body_b};
    int other = 1 - link->side;
    const CnSoftStore* store = world->soft;
    CnBodyState states[2];
    states[link->side] = cn_soft_state_now(joints, link->body, link->row);
    int row =
        link->parent < 0 ? 0 : store->links.data[joints->group->first_link + link->parent].row;
    states[other] = cn_soft_state_now(joints, bodies[other], row);
    const CnJoint* joint = cn_pool_get(&world->joints, CN_POOL_ID(constraint->joint));
    const CnVec3 arms[2] = {cn_quat_rotate(states[0].rotation, joint->frames.a.position),
                            cn_quat_rotate(states[1].rotation, joint->frames.b.position)};
    to->arm = arms[link->side];
    to->parent_arm = arms[other];
    double jacobian[2][CN_MAX_ROWS][6] = {{{0.0}}}, time_rate[CN_MAX_ROWS], v[6];
    const CnBodyState* b = kind->body_count < 2 ? NULL : &states[1];
    kind->evaluate(&states[0], b, time, constraint->data, to->value);
    cn_constraint_velocity_jacobian(kind, &states[0], b, time, constraint->data, jacobian[0],
                                    jacobian[1]);
    cn_constraint_time_rate(kind, &states[0], b, time, constraint->data, time_rate);
    write_velocity(&states[other], v);
    for (int i = 0; i < kind->dimension; ++i) {
        double carried = link->parent < 0 ? dot6(jacobian[other][i], v) : 0.0;
        to->wanted[i] = -time_rate[i] - carried;
    }
    memcpy(to->jacobian, jacobian[link->side], sizeof to->jacobian);
    return cn_linkage_joint_factor(kind->dimension, (const double(*)[6])to->jacobian, &to->joint);
}

// Masses, arms and axes where bodies are. (T2)
static bool read_link(const CnSoftJoints* joints, int i, double time) {
    CnSoftTrees* trees = trees_of(joints);
    CnLinkage* links = &trees->links;
    const CnSoftLink* link = &links_of(joints)[i];
    const CnBody* body = &joints->world->bodies.data[link->body];
    CnBodyState state = cn_soft_state_now(joints, link->body, link->row);
    CnMat3 rotation = cn_mat3_from_quat(state.rotation);
    CnMat3 inertia = cn_mat3_rotate_tensor(&rotation, &body->mass->inertia);
    CnDampingShares shares = cn_motion_damping_shares(joints->world, body);
    links->mass[i] = body->mass->mass / shares.linear;
    for (int r = 0, next = 0; r < 3; ++r) {
        for (int c = r; c < 3; ++c) {
            trees->link[i].inertia[next++] = inertia.m[r][c] / shares.angular;
        }
    }
    CnVec3 arm = {0.0, 0.0, 0.0};
    if (link->parent >= 0) {
        const CnSoftLink* parent = &links_of(joints)[link->parent];
        arm =
            cn_vec3_sub(state.center, cn_soft_state_now(joints, parent->body, parent->row).center);
    }
    links->arm[i][0] = arm.x;
    links->arm[i][1] = arm.y;
    links->arm[i][2] = arm.z;
    double(*axis)[6] = links->axis + trees->first_axis[i];
    if (link->block < 0) {
        memset(axis, 0, 6 * sizeof *axis);
        for (int k = 0; k < 6; ++k) {
            axis[k][k] = 1.0;
        }
        return true;
    }
    TreeLink* own = &trees->link[i];
    bool ok = read_joint(joints, link, time, own);
    int count = trees->first_axis[i + 1] - trees->first_axis[i];
    memcpy(axis, own->joint.axis, (size_t)count * sizeof *axis);
    return ok;
}

static void refresh(const CnSoftJoints* joints, double time) {
    CnSoftTrees* trees = trees_of(joints);
    trees->is_read = true;
    for (int i = 0; i < joints->group->link_count; ++i) {
        trees->is_read = read_link(joints, i, time) && trees->is_read;
    }
}

// What a pull at the end of an arm adds to the inertia of a body that it holds straight: the
// stiffness of its direction, implicit in the substep. (T5)
static void add_tension(double h, CnVec3 arm, CnVec3 pull, double inertia[6]) {
    double square = cn_vec3_dot(arm, arm), along = cn_vec3_dot(arm, pull);
    if (!(along > 0.0 && square > 0.0)) {
        return;
    }
    double across = h * along, inverse = across / square;
    inertia[0] += across - inverse * arm.x * arm.x;
    inertia[1] -= inverse * arm.x * arm.y;
    inertia[2] -= inverse * arm.x * arm.z;
    inertia[3] += across - inverse * arm.y * arm.y;
    inertia[4] -= inverse * arm.y * arm.z;
    inertia[5] += across - inverse * arm.z * arm.z;
}

// Factors with the inertias of bodies, and with what tension adds to them where h > 0.
static bool factor(const CnSoftJoints* joints, double h) {
    CnSoftTrees* trees = trees_of(joints);
    int count = joints->group->link_count;
    for (int i = 0; i < count; ++i) {
        memcpy(trees->links.inertia[i], trees->link[i].inertia, sizeof *trees->links.inertia);
    }
    for (int i = 0; h > 0.0 && i < count; ++i) {
        const TreeLink* link = &trees->link[i];
        CnVec3 pull = {0.0, 0.0, 0.0};
        for (int k = 0; links_of(joints)[i].block >= 0 && k < link->joint.row_count; ++k) {
            const double* j = link->jacobian[k];
            pull = cn_vec3_add_scaled(pull, link->last[k], cn_vec3(j[0], j[1], j[2]));
        }
        add_tension(h, link->arm, pull, trees->links.inertia[i]);
        if (trees->parent[i] >= 0) {
            add_tension(h, link->parent_arm, cn_vec3_scale(-1.0, pull),
                        trees->links.inertia[trees->parent[i]]);
        }
    }
    return trees->is_read && cn_linkage_factor(&trees->links);
}

static void read_momentum(const CnSoftJoints* joints, int i, double v[6]) {
    const CnSoftTrees* trees = trees_of(joints);
    const CnSoftBody* row = &joints->bodies.rows[links_of(joints)[i].row];
    const double *inertia = trees->link[i].inertia, mass = trees->links.mass[i];
    double* p = trees->momentum[i];
    for (int k = 0; k < 3; ++k) {
        v[k] = (double)row->velocity[k];
        v[3 + k] = (double)row->spin[k];
        p[k] = mass * v[k];
    }
    p[3] = inertia[0] * v[3] + inertia[1] * v[4] + inertia[2] * v[5];
    p[4] = inertia[1] * v[3] + inertia[3] * v[4] + inertia[4] * v[5];
    p[5] = inertia[2] * v[3] + inertia[4] * v[4] + inertia[5] * v[5];
}

static void take_velocity(const CnSoftJoints* joints, int i, const double before[6]) {
    CnSoftTrees* trees = trees_of(joints);
    CnSoftBody* row = &joints->bodies.rows[links_of(joints)[i].row];
    for (int k = 0; k < 6; ++k) {
        float* to = k < 3 ? &row->velocity[k] : &row->spin[k - 3];
        *to = (float)trees->velocity[i][k];
        trees->link[i].gained[k] += (double)*to - before[k];
    }
}

// All joints at once: velocities nearest to the present ones, in kinetic energy, that have
// J V = wanted - rate C. (T3)
static void solve(const CnSoftJoints* joints, double rate, double h) {
    CnSoftTrees* trees = trees_of(joints);
    int count = joints->group->link_count;
    if (!factor(joints, h)) { // rows that depend on each other, or numbers that are not finite
        return;
    }
    for (int i = 0; i < count; ++i) {
        double v[6];
        const TreeLink* link = &trees->link[i];
        double wanted[CN_MAX_ROWS];
        read_momentum(joints, i, v);
        memcpy(trees->before[i], trees->momentum[i], sizeof trees->before[i]);
        memset(trees->twist[i], 0, sizeof trees->twist[i]);
        if (links_of(joints)[i].block >= 0) {
            for (int k = 0; k < link->joint.row_count; ++k) {
                wanted[k] = link->wanted[k] - rate * link->value[k];
            }
            cn_linkage_joint_twist(&link->joint, wanted, trees->twist[i]);
        }
    }
    cn_linkage_solve(&trees->links, trees->momentum, (const double(*)[6])trees->twist, NULL,
                     trees->velocity, NULL);
    cn_linkage_wrenches(&trees->links, (const double(*)[6])trees->before,
                        (const double(*)[6])trees->velocity, trees->wrench);
    for (int i = 0; i < count; ++i) {
        double v[6], change[CN_MAX_ROWS];
        TreeLink* link = &trees->link[i];
        read_momentum(joints, i, v);
        take_velocity(joints, i, v);
        if (links_of(joints)[i].block >= 0) {
            cn_linkage_joint_impulses(&link->joint, trees->wrench[i], change);
            for (int k = 0; k < link->joint.row_count; ++k) {
                link->impulse[k] += change[k];
            }
        }
    }
}

void cn_soft_trees_begin(const CnSoftJoints* joints) {
    const CnWorld* world = joints->world;
    if (joints->group->link_count == 0) {
        return;
    }
    refresh(joints, world->step.time);
    double h = world->step.dt / world->def.step.soft.substeps;
    double ratio = world->kept_dt > 0.0 ? h / world->kept_dt : 0.0;
    for (int i = 0; i < joints->group->link_count; ++i) {
        TreeLink* link = &trees_of(joints)->link[i];
        int block = links_of(joints)[i].block;
        for (int k = 0; block >= 0 && k < link->joint.row_count; ++k) {
            link->last[k] = ratio * constraint_of(world, block)->kept[k];
        }
    }
}

// The next substep begins without what joints gave in this one. (T4)
void cn_soft_trees_go_on(const CnSoftJoints* joints) {
    for (int i = 0; i < joints->group->link_count; ++i) {
        TreeLink* link = &trees_of(joints)->link[i];
        CnSoftBody* row = &joints->bodies.rows[links_of(joints)[i].row];
        for (int k = 0; k < 6; ++k) {
            float* v = k < 3 ? &row->velocity[k] : &row->spin[k - 3];
            *v = (float)((double)*v - link->gained[k]);
            link->gained[k] = 0.0;
            link->last[k] = link->impulse[k];
            link->impulse[k] = 0.0;
        }
    }
}

void cn_soft_trees_push(const CnSoftJoints* joints) {
    if (joints->group->link_count > 0) {
        solve(joints, (double)joints->rates.bias[0], (double)joints->rates.h);
    }
}

void cn_soft_trees_relax(const CnSoftJoints* joints, double time) {
    if (joints->group->link_count == 0) {
        return;
    }
    refresh(joints, time);
    solve(joints, 0.0, 0.0);
    for (int i = 0; i < joints->group->link_count; ++i) {
        TreeLink* link = &trees_of(joints)->link[i];
        for (int k = 0; k < CN_MAX_ROWS; ++k) {
            link->total[k] += link->impulse[k];
        }
    }
}

void cn_soft_trees_end(const CnSoftJoints* joints) {
    for (int i = 0; i < joints->group->link_count; ++i) {
        const TreeLink* link = &trees_of(joints)->link[i];
        int block = links_of(joints)[i].block;
        if (block >= 0) {
            cn_soft_store_joint(joints, block, link->impulse, link->total, link->value,
                                CN_ALL_ROWS);
        }
    }
}
