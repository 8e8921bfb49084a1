// tree_relax.c - velocities of trees, brought to what their joints allow: mechanisms.md (29).
#include "constraints/joints/user_rows.h"
#include "math/simd.h"
#include "math/worse.h"
#include "solvers/tree/machine_parts.h"
#include "world/bodies/motion.h"
#include "world/correct/relax.h"
#include "world/step/ledger.h"
#include "world/trees/tree_groups.h"

#include <math.h>
#include <string.h>

// Solutions for what the first has left.
#define REFINEMENTS 2

#define WORK_OF_LINK 1500.0 // multiplications

// A tree whose velocities are sought.
typedef struct Relaxing {
    CnWorld* world;
    const CnBodyState* states;
    double time;
    CnJointTree* tree;
    CnTreeLink* links;                                             // [tree->link_count]
    double (*twist)[6], (*momentum)[6], (*moved)[6], (*wrench)[6]; // [tree->link_count]
    double (*wanted)[CN_MAX_ROWS];                                 // [tree->link_count]
    double (*velocity)[6];                                         // so far   [tree->link_count]
    double (*impulse)[CN_MAX_ROWS];                                // so far   [tree->link_count]
    double (*late)[6];    // so far: what the joints give   [tree->link_count]
    double* loop_impulse; // [tree->loops.row_count]
} Relaxing;

// The other body of a link's joint, -1: the world.
static int other_body(const CnTreeLink* link) {
    return link->sign > 0.0 ? link->body_a : link->body_b;
}

// The velocity of a link relative to the other body of its joint.
static void relative_velocity(const Relaxing* it, int i, double out[6]) {
    const CnTreeLink* link = &it->links[i];
    int parent = it->tree->parent[i], other = other_body(link);
    if (parent < 0 && other >= 0) { // a body that moves by itself
        const CnBodyState* state = &it->states[other];
        CnVec3 r = cn_vec3_sub(it->states[link->body].center, state->center);
        const double arm[3] = {r.x, r.y, r.z};
        double v[6];
        cn_tree_velocity(state, v);
        cn_linkage_relative(arm, it->velocity[i], v, out);
        return;
    }
    cn_linkage_relative(it->tree->links.arm[i], it->velocity[i],
                        parent < 0 ? NULL : it->velocity[parent], out);
}

static void add_time_rates(const Relaxing* it, const CnTreeLink* link, double* rate) {
    if (!link->is_steady) {
        CnBoundConstraint bound;
        double by_time[CN_MAX_ROWS];
        cn_world_bind_constraint(it->world, link->slot, it->states, it->time, &bound);
        cn_constraint_time_rate(bound.constraint->kind, bound.a, bound.b, it->time,
                                bound.constraint->data, by_time);
        for (int k = 0; k < link->row_count; ++k) {
            rate[k] += by_time[k];
        }
    }
}

// What the rows of a joint miss: J v + C_t.
static void find_rates(const Relaxing* it, int i, double* rate) {
    double relative[6];
    relative_velocity(it, i, relative);
    cn_tree_rates(&it->links[i], relative, rate);
    add_time_rates(it, &it->links[i], rate);
}

// The velocity of one end of a joint that closes a loop.
static void end_velocity(const Relaxing* it, const CnTreeLoop* loop, int side, double v[6]) {
    int body = side == 0 ? loop->joint.body_a : loop->joint.body_b;
    if (loop->end[side] >= 0) {
        memcpy(v, it->velocity[loop->end[side]], 6 * sizeof *v);
    } else if (body >= 0) {
        cn_tree_velocity(&it->states[body], v);
    } else {
        memset(v, 0, 6 * sizeof *v);
    }
}

// J v of a joint that closes a loop, by the rows of the loop.
static void add_loop_rates(const Relaxing* it, const CnTreeLoop* loop, double* rate) {
    for (int side = 0; side < 2; ++side) {
        double v[6];
        end_velocity(it, loop, side, v);
        for (int k = 0; k < loop->joint.row_count; ++k) {
            rate[k] += cn_dot6(loop->row[side][k], v);
        }
    }
}

// The same in a net, whose rows are not written out.
static void find_net_rates(const Relaxing* it, const CnTreeLoop* loop, double* rate) {
    const CnTreeLink* joint = &loop->joint;
    int child = joint->sign > 0.0 ? 1 : 0, body = other_body(joint);
    double own[6], other[6], relative[6];
    end_velocity(it, loop, child, own);
    end_velocity(it, loop, 1 - child, other);
    if (joint->form == CN_FORM_OTHER) {
        for (int k = 0; k < joint->row_count; ++k) {
            rate[k] =
                cn_dot6(joint->rows->jacobian[k], own) + cn_dot6(joint->rows->other[k], other);
        }
        return;
    }
    CnVec3 r =
        cn_vec3_sub(it->states[joint->body].center, cn_tree_state_at(it->states, body)->center);
    const double arm[3] = {r.x, r.y, r.z};
    cn_linkage_relative(arm, own, body < 0 ? NULL : other, relative);
    cn_tree_rates(joint, relative, rate);
}

// What the rows of a joint that closes a loop miss.
static void find_loop_rates(const Relaxing* it, const CnTreeLoop* loop, double* rate) {
    memset(rate, 0, CN_MAX_ROWS * sizeof(double));
    if (cn_tree_is_net(&it->tree->loops)) {
        find_net_rates(it, loop, rate);
    } else {
        add_loop_rates(it, loop, rate);
    }
    add_time_rates(it, &loop->joint, rate);
}

// What the rows of a link's joint are to change by; the largest rate that one misses, or `worst`.
static double find_link_wanted(const Relaxing* it, int i, double worst) {
    const CnTreeLink* link = &it->links[i];
    double rate[CN_MAX_ROWS] = {0.0};
    if (link->slot >= 0) {
        find_rates(it, i, rate);
    }
    for (int k = 0; k < link->row_count; ++k) {
        worst = cn_worse(worst, fabs(rate[k]));
        it->wanted[i][k] = -rate[k];
    }
    return worst;
}

// The same of all loops.
static double find_loops_wanted(const Relaxing* it, double worst) {
    for (int i = 0; i < it->tree->loops.count; ++i) {
        const CnTreeLoop* loop = &it->tree->loops.loops[i];
        double rate[CN_MAX_ROWS];
        find_loop_rates(it, loop, rate);
        for (int k = 0; k < loop->joint.row_count; ++k) {
            worst = cn_worse(worst, fabs(rate[k]));
            it->tree->loops.wanted[loop->first_row + k] = -rate[k];
        }
    }
    return worst;
}

// The axes that joints leave free, and their places.
static void place_axes(const Relaxing* it) {
    CnJointTree* tree = it->tree;
    for (int i = 0; i < tree->link_count; ++i) {
        tree->first_axis[i + 1] = tree->first_axis[i] + 6 - it->links[i].row_count;
    }
}

// Axes of all links and the twists that are wanted, from the velocities so far. False: a joint has
// no such axes.
static bool set_links(const Relaxing* it) {
    CnJointTree* tree = it->tree;
    bool is_regular = CN_WIDEST(cn_tree_group_passes)->set_links(tree, it->links, it->twist);
    for (int k = 0; is_regular && k < tree->alone_count; ++k) {
        int i = tree->alone[k];
        cn_tree_axes(&it->links[i], tree->links.axis + tree->first_axis[i], &is_regular);
        if (is_regular) {
            cn_tree_twist(&it->links[i], it->wanted[i], it->twist[i]);
        }
    }
    return is_regular;
}

// What all rows miss at the velocities so far; returns the largest.
static double find_wanted(const Relaxing* it) {
    const CnJointTree* tree = it->tree;
    double worst = CN_WIDEST(cn_tree_group_passes)
                       ->find_rates(tree, it->states, (const double(*)[6])it->velocity, 0.0);
    for (int k = 0; k < tree->alone_count; ++k) {
        worst = find_link_wanted(it, tree->alone[k], worst);
    }
    return find_loops_wanted(it, worst);
}

// The solution with a new factor.
static bool factor_and_solve(const Relaxing* it) {
    CnJointTree* tree = it->tree;
    for (int i = 0; i < tree->link_count; ++i) {
        cn_tree_velocity(&it->states[it->links[i].body], it->velocity[i]);
    }
    place_axes(it);
    tree->has_posed_groups = false;
    CN_WIDEST(cn_tree_group_passes)->read(tree, it->links);
    find_wanted(it);
    if (!set_links(it)) {
        return false;
    }
    tree->links.keeps_whole = false; // one solution is mostly enough
    return cn_tree_factor_and_solve(tree, NULL, (const double(*)[6])it->twist, it->moved);
}

static void solve_again(const Relaxing* it) {
    set_links(it); // as before: it is regular
    cn_tree_solve_again(it->tree, it->momentum, (const double(*)[6])it->twist, it->moved);
}

static void add_impulses(const Relaxing* it, int i) {
    double p[CN_MAX_ROWS];
    cn_tree_impulses(&it->links[i], it->wrench[i], p);
    for (int k = 0; k < it->links[i].row_count; ++k) {
        it->impulse[i][k] += p[k];
    }
}

// The impulses of the first solution.
static void find_impulses(const Relaxing* it) {
    const CnJointTree* tree = it->tree;
    CN_WIDEST(cn_tree_group_passes)
        ->find_impulses(tree, (const double(*)[6])it->wrench, it->impulse);
    for (int k = 0; k < tree->alone_count; ++k) {
        int i = tree->alone[k];
        memset(it->impulse[i], 0, sizeof it->impulse[i]);
        add_impulses(it, i);
    }
}

// sum += x, of all links in one run.
static void add(int count, const double* restrict x, double* restrict sum) {
    for (int k = 0; k < count; ++k) {
        sum[k] += x[k];
    }
}

// Adds the solution to velocities and impulses; returns the largest rate that a row then misses.
static double take_solution(const Relaxing* it, bool is_first) {
    int count = it->tree->link_count;
    if (is_first) {
        memset(it->late, 0, (size_t)count * sizeof *it->late);
        find_impulses(it);
    }
    for (int i = 0; !is_first && i < count; ++i) {
        add_impulses(it, i);
    }
    add(6 * count, it->wrench[0], it->late[0]);
    add(6 * count, it->moved[0], it->velocity[0]);
    return find_wanted(it);
}

// Adds what is wanted; *missed: the largest rate that is left. False: there is no factor.
static bool add_solution(const Relaxing* it, bool is_first, double* missed) {
    CnJointTree* tree = it->tree;
    if (!is_first) {
        solve_again(it);
    } else if (!factor_and_solve(it)) {
        return false;
    }
    cn_tree_close_loops(tree, it->moved, it->momentum);
    for (int i = 0; i < tree->loops.row_count; ++i) {
        it->loop_impulse[i] = (is_first ? 0.0 : it->loop_impulse[i]) + tree->loops.impulse[i];
    }
    cn_linkage_wrenches(&tree->links, cn_tree_pushed(tree, (const double(*)[6])it->momentum),
                        (const double(*)[6])it->moved, it->wrench);
    *missed = take_solution(it, is_first);
    return true;
}

// A net is left as it is while it misses no more than nets may.
static bool leave_net(const Relaxing* it, double tolerance) {
    size_t links = (size_t)it->tree->link_count;
    double worst = 0.0;
    memset(it->impulse, 0, links * sizeof *it->impulse);
    memset(it->late, 0, links * sizeof *it->late);
    for (int i = 0; i < it->tree->link_count; ++i) {
        cn_tree_velocity(&it->states[it->links[i].body], it->velocity[i]);
        worst = find_link_wanted(it, i, worst);
    }
    return find_loops_wanted(it, worst) <= tolerance;
}

static bool relax(const Relaxing* it, double tolerance, double net_tolerance) {
    if (cn_tree_is_net(&it->tree->loops)) {
        return leave_net(it, net_tolerance);
    }
    double goal = 0.5 * tolerance, missed = 0.0;
    for (int i = 0; i <= REFINEMENTS; ++i) {
        if (!add_solution(it, i == 0, &missed)) {
            return false;
        }
        if (missed <= goal) {
            return true;
        }
    }
    return false;
}

// A block for the rows of a joint with their impulses, for ledgers and forces. NULL: no memory.
static CnBlock* add_block(CnWorld* world, const CnTreeLink* link, const double* impulse) {
    CnRows* rows = &world->correction.rows;
    CnBlockSource source = {
        .manifold = -1,
        .given = -1,
        .constraint = link->slot,
        .generation = cn_pool_id_at(&world->constraints, link->slot).generation,
    };
    for (int k = 0; k < CN_MAX_ROWS; ++k) {
        source.rows[k] = (uint8_t)k;
    }
    CnBlock* block = cn_rows_add(rows, &world->allocator, CN_LAW_EQUALITY, link->row_count, source);
    if (block != NULL) {
        block->body_a = link->body_a;
        block->body_b = link->body_b;
        memcpy(rows->impulse + block->first_row, impulse, (size_t)link->row_count * sizeof(double));
    }
    return block;
}

static CnStatus add_loop_rows(const Relaxing* it, const CnTreeLoop* loop) {
    CnRows* rows = &it->world->correction.rows;
    const CnBlock* block = add_block(it->world, &loop->joint, it->loop_impulse + loop->first_row);
    if (block == NULL) {
        return CN_NO_MEMORY;
    }
    for (int side = 0; side < 2; ++side) {
        double(*to)[6] = (side == 1 ? rows->jacobian_b : rows->jacobian_a) + block->first_row;
        if (loop->end[side] >= 0) {
            memcpy(to, loop->row[side], (size_t)block->row_count * sizeof *to);
        }
    }
    return CN_OK;
}

static CnStatus add_rows(const Relaxing* it, int i) {
    CnRows* rows = &it->world->correction.rows;
    const CnTreeLink* link = &it->links[i];
    const CnBlock* block = add_block(it->world, link, it->impulse[i]);
    if (block == NULL) {
        return CN_NO_MEMORY;
    }
    bool is_b = link->sign > 0.0;
    double(*child)[6] = (is_b ? rows->jacobian_b : rows->jacobian_a) + block->first_row;
    double(*other)[6] = (is_b ? rows->jacobian_a : rows->jacobian_b) + block->first_row;
    cn_tree_rows(link, child);
    for (int k = 0; it->tree->parent[i] >= 0 && k < link->row_count; ++k) {
        double moved[6] = {0.0};
        cn_linkage_to_parent(it->tree->links.arm[i], child[k], moved);
        for (int j = 0; j < 6; ++j) {
            other[k][j] = -moved[j];
        }
    }
    return CN_OK;
}

static Relaxing begin(CnWorld* world, const CnBodyState* states, double time, int t) {
    const CnTreeStore* store = world->trees;
    int first = store->trees[t].first_link;
    return (Relaxing){
        .world = world,
        .states = states,
        .time = time,
        .tree = &world->trees->trees[t],
        .links = store->links + first,
        .twist = store->twist + first,
        .momentum = store->momentum + first,
        .moved = store->moved + first,
        .wrench = store->wrench + first,
        .impulse = store->late_impulse + first,
        .late = store->late + first,
    };
}

// The rows of a tree for those who ask for them: of loops always, of its joints for attribution.
static CnStatus write_rows(const Relaxing* it) {
    for (int i = 0; it->world->attribution.is_kept && i < it->tree->link_count; ++i) {
        if (it->links[i].slot >= 0 && add_rows(it, i) != CN_OK) {
            return CN_NO_MEMORY;
        }
    }
    for (int i = 0; i < it->tree->loops.count; ++i) {
        if (add_loop_rows(it, &it->tree->loops.loops[i]) != CN_OK) {
            return CN_NO_MEMORY;
        }
    }
    return CN_OK;
}

// All trees, or none.
static CnStatus relax_all(CnWorld* world, const CnBodyState* states, double time, double tolerance,
                          double net_tolerance, bool* serves) {
    CnTreeStore* store = world->trees;
    size_t links = (size_t)store->link_count;
    double(*velocity)[6] = cn_arena_allocate_raw(&world->arena, links, sizeof *velocity);
    double(*wanted)[CN_MAX_ROWS] = cn_arena_allocate_raw(&world->arena, links, sizeof *wanted);
    double* loop_impulse = CN_ARENA_RAW(&world->arena, double, CN_TREE_LOOP_ROWS);
    if (velocity == NULL || wanted == NULL || loop_impulse == NULL) {
        return CN_NO_MEMORY;
    }
    cn_rows_clear(&world->correction.rows);
    for (int t = 0; *serves && t < store->tree_count; ++t) {
        Relaxing it = begin(world, states, time, t);
        it.velocity = velocity + it.tree->first_link;
        it.wanted = wanted + it.tree->first_link;
        it.loop_impulse = loop_impulse;
        if (!cn_trees_are_at(world, CN_TREES_AT_END)) {
            cn_tree_read_bodies(world, it.tree, states);
            *serves = cn_tree_read_joints(world, it.tree, states, time);
        }
        *serves = *serves && relax(&it, tolerance, net_tolerance);
        if (*serves && !cn_tree_is_net(&it.tree->loops) && write_rows(&it) != CN_OK) {
            return CN_NO_MEMORY;
        }
    }
    store->has_late = *serves && !world->attribution.is_kept;
    bool is_long = cn_fetch_pays(store->link_count, sizeof(CnMotion));
    for (int i = 0; *serves && i < store->link_count; ++i) {
        if (is_long && i + CN_MOVING_AHEAD < store->link_count) {
            cn_moving_fetch_body(world, store->links[i + CN_MOVING_AHEAD].body);
        }
        cn_relax_body(world, store->links[i].body, velocity[i]);
    }
    return CN_OK;
}

CnStatus cn_trees_relax(CnWorld* world, const CnBodyState* states, double time, double tolerance,
                        double net_tolerance, double* work, bool* serves) {
    CnArenaMark mark = cn_arena_mark(&world->arena);
    CnStatus status = cn_trees_update(world);
    *serves = status == CN_OK && world->trees->serves;
    if (*serves) {
        *work += WORK_OF_LINK * world->trees->link_count;
        status = relax_all(world, states, time, tolerance, net_tolerance, serves);
    }
    cn_arena_release(&world->arena, mark);
    return status;
}

// What joints give their links, and the reactions that parents feel: mechanisms.md (2). Several are
// booked at a time, in their order.
typedef struct Reactions {
    CnMomentumLedger* momentum;
    int count;
    CnReaction waiting[CN_MOVING_MOST];
} Reactions;

static void book_waiting(Reactions* reactions) {
    cn_ledger_add_reactions(reactions->momentum, reactions->waiting, reactions->count);
    reactions->count = 0;
}

// parent: its centre; NULL: the world.
static void book_joint(const CnVec3* center, const CnVec3* parent, const double given[6],
                       Reactions* reactions) {
    if (parent == NULL) {
        book_waiting(reactions);
        cn_ledger_add_wrench(reactions->momentum, *center, cn_vec3(given[0], given[1], given[2]),
                             cn_vec3(given[3], given[4], given[5]), false);
        return;
    }
    reactions->waiting[reactions->count++] = (CnReaction){center, parent, given};
    if (reactions->count == CN_MOVING_MOST) {
        book_waiting(reactions);
    }
}

bool cn_trees_have_solved(const CnWorld* world) {
    const CnTreeStore* store = world->trees;
    for (int t = 0; store != NULL && t < store->tree_count; ++t) {
        if (store->trees[t].is_solved) {
            return true;
        }
    }
    return false;
}

void cn_trees_book_solve(const CnWorld* world, CnMomentumLedger* momentum) {
    const CnTreeStore* store = world->trees;
    const CnMotion* motions = world->step.motions.data;
    Reactions reactions = {.momentum = momentum};
    for (int t = 0; store != NULL && t < store->tree_count; ++t) {
        const CnJointTree* tree = &store->trees[t];
        const CnTreeLink* links = store->links + tree->first_link;
        for (int i = 0; tree->is_solved && i < tree->link_count; ++i) {
            int parent = tree->parent[i];
            if (links[i].slot >= 0) { // it does not float
                book_joint(&motions[links[i].body].center,
                           parent < 0 ? NULL : &motions[links[parent].body].center,
                           store->given[tree->first_link + i], &reactions);
            }
        }
    }
    book_waiting(&reactions);
}

void cn_trees_book_late(const CnWorld* world, CnMomentumLedger* momentum) {
    const CnTreeStore* store = world->trees;
    const CnBody* bodies = world->bodies.data;
    Reactions reactions = {.momentum = momentum};
    for (int t = 0; store != NULL && store->has_late && t < store->tree_count; ++t) {
        const CnJointTree* tree = &store->trees[t];
        const CnTreeLink* links = store->links + tree->first_link;
        for (int i = 0; i < tree->link_count; ++i) {
            int parent = tree->parent[i];
            if (links[i].slot >= 0) {
                book_joint(&bodies[links[i].body].state.center,
                           parent < 0 ? NULL : &bodies[links[parent].body].state.center,
                           store->late[tree->first_link + i], &reactions);
            }
        }
    }
    book_waiting(&reactions);
}
