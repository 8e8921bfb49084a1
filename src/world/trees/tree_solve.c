// tree_solve.c - the rows of a tree of joints in a step, along the tree: mechanisms.md (13)-(19).
//
// The tree is that of the store, its joints are those read at the poses of the problem, and no
// rows are copied: what the general solver of machine.h finds anew for every problem is known.
#include "world/trees/tree_solve.h"
#include "constraints/problem/block.h"
#include "constraints/problem/certificate.h"
#include "math/simd.h"
#include "math/worse.h"
#include "solvers/solve/budget.h"
#include "solvers/tree/machine.h"
#include "solvers/tree/machine_parts.h"
#include "world/step/solve_step.h"
#include "world/trees/compact_rows.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define WORK_OF_LINK 1500.0 // multiplications of factor and solve

// Solutions for contacts after the first, each to a smaller tolerance.
#define REFINEMENTS 2

// Of the work budget of an island: what contacts may take here.
#define CONTACT_SHARE 0.015625

static bool allocate(CnTreeSolve* it, CnArena* arena) {
    size_t links = (size_t)it->tree->link_count;
    it->block = CN_ARENA_RAW(arena, int, links);
    it->first_drive = CN_ARENA_RAW(arena, int, links);
    it->held = CN_ARENA_RAW(arena, int, links + 1);
    it->loop_block = CN_ARENA_RAW(arena, int, it->tree->loops.count);
    it->loop_missing = CN_ARENA_RAW(arena, double, it->tree->loops.row_count);
    it->drives = CN_ARENA_RAW(arena, CnActingDrive, it->tree->drive_count);
    it->offset = CN_ARENA_RAW(arena, double, 6 * links);
    it->missing = cn_arena_allocate_raw(arena, links, sizeof *it->missing);
    it->impulse = cn_arena_allocate_raw(arena, links, sizeof *it->impulse);
    it->left = cn_arena_allocate_raw(arena, links, sizeof *it->left);
    return it->block != NULL && it->first_drive != NULL && it->held != NULL &&
           it->loop_block != NULL && it->loop_missing != NULL && it->drives != NULL &&
           it->offset != NULL && it->missing != NULL && it->impulse != NULL && it->left != NULL;
}

// J v of a drive without impulses; drive: the last one.
static double find_along(const CnTreeSolve* it, const CnActingDrive* drive) {
    if (drive->is_twist) {
        const CnTreeLink* link = &it->links[drive->link];
        return link->group->twist_free.of[link->lane];
    }
    bool is_known = it->drive_count > 1 && cn_tree_shares_row(it, drive, drive - 1);
    return is_known ? drive[-1].along : cn_tree_rate_along(it, drive, it->problem.free_velocity);
}

// A drive's row, if it is one that acts between the link and its parent alone.
static bool add_drive(CnTreeSolve* it, const CnTreeDrive* kept, int index) {
    const CnProblem* problem = &it->problem;
    const CnBlock* block = &it->world->step.rows.blocks.data[index];
    int link = kept->link - it->tree->first_link, row = block->first_row;
    const CnTurnRow* turn = cn_rows_turn(&it->world->step.rows, index);
    bool is_a = block->body_a == it->links[link].body;
    const double *child = is_a ? problem->jacobian_a[row] : problem->jacobian_b[row],
                 *other = is_a ? problem->jacobian_b[row] : problem->jacobian_a[row];
    if (block->row_count != 1 || cn_block_has_second(block) ||
        (block->law != CN_LAW_BOUNDS && block->law != CN_LAW_FORCE) ||
        (turn == NULL && it->tree->parent[link] >= 0 && !kept->is_between &&
         !cn_linkage_is_reaction(it->tree->links.arm[link], child, other))) {
        return false;
    }
    CnActingDrive* drive = &it->drives[it->drive_count++];
    double guess = it->warm_start ? it->world->step.rows.impulse[row] : 0.0;
    drive->row = row;
    drive->link = link;
    drive->next = it->first_drive[link];
    drive->is_turn = turn != NULL;
    if (turn != NULL) {
        drive->turn = cn_vec3_scale(is_a ? -1.0 : 1.0, turn->turn);
    } else {
        drive->child = child;
    }
    drive->is_force = block->law == CN_LAW_FORCE;
    drive->is_mute = !drive->is_force && problem->lower[row] == 0.0 && problem->upper[row] == 0.0;
    drive->state = drive->is_force                ? CN_AXIS_ACTS
                   : guess <= problem->lower[row] ? CN_AXIS_AT_LOWER
                   : guess >= problem->upper[row] ? CN_AXIS_AT_UPPER
                                                  : CN_AXIS_ACTS;
    drive->base = drive->slope = drive->impulse = 0.0;
    drive->is_rigid = false;
    drive->block = block;
    drive->is_twist = turn != NULL && kept->is_twist && it->by_groups;
    drive->along = find_along(it, drive);
    drive->free_rate = drive->along - problem->target[row];
    if (!drive->is_mute) {
        it->first_drive[link] = it->drive_count - 1;
        ++it->acting_count;
    }
    return true;
}

// A block of a joint that closes a loop. False: it is none.
static bool add_loop(CnTreeSolve* it, int index, int slot) {
    const CnTreeLoops* loops = &it->tree->loops;
    const CnBlock* block = &it->world->step.rows.blocks.data[index];
    for (int i = 0; i < loops->count; ++i) {
        const CnTreeLoop* loop = &loops->loops[i];
        if (loop->joint.slot == slot && block->law == CN_LAW_EQUALITY &&
            block->row_count == loop->joint.row_count) {
            it->loop_block[i] = index;
            cn_tree_free_rates(it, index, it->loop_missing + loop->first_row);
            return true;
        }
    }
    return false;
}

// What the rows of joints that are alone miss without impulses.
static void find_missing(const CnTreeSolve* it) {
    for (int k = 0; k < cn_tree_alone_count(it); ++k) {
        int i = cn_tree_alone(it, k);
        if (it->block[i] >= 0) {
            cn_tree_free_rates(it, it->block[i], it->missing[i]);
        }
    }
}

// The blocks of the island, as joints, loops and drives of the tree. False: there are others.
static bool take_blocks(CnTreeSolve* it, int island) {
    const CnWorld* world = it->world;
    const CnTreeStore* store = world->trees;
    const CnIslandStore* islands = &world->islands;
    int joints = 0, loops = 0, links = it->tree->link_count;
    if (it->by_groups) {
        it->passes->find_free_rates(it->tree, it->problem.free_velocity);
    }
    for (int i = 0; i < links; ++i) {
        it->block[i] = it->first_drive[i] = -1;
    }
    for (int k = islands->block_start.data[island + 1] - 1; k >= islands->block_start.data[island];
         --k) { // so that lists are in their order
        int index = islands->block.data[k];
        const CnBlock* block = &world->step.rows.blocks.data[index];
        int slot = world->step.rows.sources.data[index].constraint;
        int place = slot < 0 ? -1 : store->place[slot];
        if (place >= 0) {
            const CnTreeLink* link = &store->links[place];
            int own = place - it->tree->first_link;
            if (own < 0 || own >= links || block->law != CN_LAW_EQUALITY ||
                block->row_count != link->row_count) {
                return false;
            }
            it->block[own] = index;
            ++joints;
        } else if (place == -1) {
            if (slot < 0 || !add_loop(it, index, slot)) {
                return false;
            }
            ++loops;
        } else if (!add_drive(it, &store->drives[-2 - place], index)) {
            return false;
        }
    }
    for (int i = 0; i < links; ++i) {
        joints += it->links[i].slot < 0;
    }
    find_missing(it);
    return joints == links && loops == it->tree->loops.count;
}

// What a drive does in its state: mechanisms.md (14), (15).
static void set_yield(const CnTreeSolve* it, CnActingDrive* drive) {
    const CnProblem* problem = &it->problem;
    int row = drive->row;
    double softness = problem->compliance[row];
    drive->is_rigid = false;
    drive->base = drive->slope = 0.0;
    if (drive->state != CN_AXIS_ACTS) {
        drive->base = drive->state == CN_AXIS_AT_LOWER ? problem->lower[row] : problem->upper[row];
    } else if (drive->is_force) {
        double slope = problem->slope[row], whole = 1.0 + slope * softness;
        drive->base = (problem->offset[row] - slope * drive->free_rate) / whole;
        drive->slope = slope / whole;
    } else if (softness > 0.0) {
        drive->base = -drive->free_rate / softness;
        drive->slope = 1.0 / softness;
    } else {
        drive->is_rigid = true;
    }
}

// What drives do in their states; how many of them hold a link.
static int hold_link(const CnTreeSolve* it, int i) {
    int count = 0;
    for (int d = it->first_drive[i]; d >= 0; d = it->drives[d].next) {
        set_yield(it, &it->drives[d]);
        count += it->drives[d].is_rigid;
    }
    return count;
}

// The places of the axes that are left, and the links that are held. False: more rows hold a link
// than it has axes.
static bool place_axes(const CnTreeSolve* it) {
    CnJointTree* tree = it->tree;
    int held_count = 0;
    for (int i = 0; i < tree->link_count; ++i) {
        int held = hold_link(it, i);
        tree->first_axis[i + 1] = tree->first_axis[i] + 6 - it->links[i].row_count - held;
        if (tree->first_axis[i + 1] < tree->first_axis[i]) {
            return false;
        }
        if (held > 0 && it->by_groups && it->links[i].group != NULL) {
            it->held[held_count++] = i;
        }
    }
    it->held[held_count] = -1;
    tree->links.axis_count = tree->first_axis[tree->link_count];
    return true;
}

// Axes and the twist wanted of one link, for what its joint's rows miss. False: it has no such
// axes.
static bool set_link(const CnTreeSolve* it, int i, const double* missing) {
    double rows[CN_MAX_ROWS][6], wanted[CN_MAX_ROWS];
    bool is_regular = true;
    int kept = it->links[i].row_count, count = 0;
    for (int k = 0; k < kept; ++k) {
        wanted[k] = -missing[k];
    }
    for (int d = it->first_drive[i]; d >= 0; d = it->drives[d].next) {
        const CnActingDrive* drive = &it->drives[d];
        if (drive->is_rigid) {
            wanted[kept + count] = -drive->free_rate;
            memset(rows[count], 0, sizeof *rows);
            cn_drive_push(drive, 1.0, rows[count++]);
        }
    }
    cn_tree_hold(&it->links[i], count, (const double(*)[6])rows,
                 it->tree->links.axis + it->tree->first_axis[i], &is_regular);
    if (is_regular) { // else its factor is not complete
        cn_tree_twist(&it->links[i], wanted, it->twist[i]);
    }
    return is_regular;
}

// The same of a link in a group, of which that was found side by side without stops.
static bool set_held_link(const CnTreeSolve* it, int i) {
    const CnTreeLink* link = &it->links[i];
    double missing[CN_MAX_ROWS];
    cn_tree_group_row(link->group->missed, link->lane, link->row_count, missing);
    return set_link(it, i, missing);
}

// Axes and twists of all links.
static bool set_links(const CnTreeSolve* it) {
    CnJointTree* tree = it->tree;
    bool is_regular =
        place_axes(it) && (!it->by_groups || it->passes->set_links(tree, it->links, it->twist));
    for (int k = 0; is_regular && it->held[k] >= 0; ++k) {
        is_regular = set_held_link(it, it->held[k]);
    }
    for (int k = 0; is_regular && k < cn_tree_alone_count(it); ++k) {
        int i = cn_tree_alone(it, k);
        is_regular = set_link(it, i, it->missing[i]);
    }
    return is_regular;
}

// What a drive adds to pivots and impulses of a link's axes.
static void add_slope(const CnTreeSolve* it, const CnActingDrive* drive) {
    CnLinkage* links = &it->tree->links;
    int first = it->tree->first_axis[drive->link], end = it->tree->first_axis[drive->link + 1];
    double push = drive->base - drive->slope * cn_drive_rate(drive, it->twist[drive->link]);
    for (int a = first; a < end; ++a) {
        double along = cn_drive_rate(drive, links->axis[a]);
        it->offset[a] += push * along;
        if (drive->slope > 0.0) {
            for (int b = first; b < a; ++b) {
                double other = cn_drive_rate(drive, links->axis[b]);
                links->slope[a][b - first] += drive->slope * along * other;
            }
            links->slope[a][a - first] += drive->slope * along * along;
        }
    }
}

static void find_slopes(const CnTreeSolve* it) {
    CnLinkage* links = &it->tree->links;
    links->has_slopes = it->acting_count > 0;
    if (links->has_slopes) {
        memset(links->slope, 0, (size_t)links->axis_count * sizeof *links->slope);
        memset(it->offset, 0, (size_t)links->axis_count * sizeof *it->offset);
        for (int i = 0; i < it->tree->link_count; ++i) {
            for (int d = it->first_drive[i]; d >= 0; d = it->drives[d].next) {
                const CnActingDrive* drive = &it->drives[d];
                if (drive->base != 0.0 || drive->slope != 0.0) { // no open stop, and not held
                    add_slope(it, drive);
                }
            }
        }
    }
}

// What the row of a drive makes of the velocities `moved`.
static double moved_rate(const CnTreeSolve* it, const CnActingDrive* drive) {
    static const double still[6] = {0.0};
    int parent = it->tree->parent[drive->link];
    const double *own = it->moved[drive->link], *other = parent < 0 ? still : it->moved[parent];
    double relative[6];
    if (drive->is_turn) {
        return drive->turn.x * (own[3] - other[3]) + drive->turn.y * (own[4] - other[4]) +
               drive->turn.z * (own[5] - other[5]);
    }
    cn_linkage_relative(it->tree->links.arm[drive->link], own, other, relative);
    return cn_drive_rate(drive, relative);
}

// The impulses of the drives of a link for the velocities `moved`; its wrench becomes what its
// joint gives, and the drives that hold it.
static void find_drive_impulses(const CnTreeSolve* it, int i) {
    int place = it->links[i].row_count;
    double p[CN_MAX_ROWS];
    for (int d = it->first_drive[i]; d >= 0; d = it->drives[d].next) {
        CnActingDrive* drive = &it->drives[d];
        if (!drive->is_rigid) {
            drive->impulse = drive->base - drive->slope * moved_rate(it, drive);
            cn_drive_push(drive, -drive->impulse, it->wrench[i]);
        }
    }
    if (it->links[i].held > place) {
        cn_tree_impulses(&it->links[i], it->wrench[i], p);
        for (int d = it->first_drive[i]; d >= 0; d = it->drives[d].next) {
            if (it->drives[d].is_rigid) {
                it->drives[d].impulse = p[place++];
            }
        }
    }
}

// A closed stop of a tree in contact is solved for together with the contacts: held, it may leave
// them nothing that moves.
static bool holds_stop(const CnTreeSolve* it) {
    bool holds = false;
    for (int d = 0; d < it->drive_count; ++d) {
        int row = it->drives[d].row;
        bool is_one_sided = isinf(it->problem.lower[row]) != isinf(it->problem.upper[row]);
        holds = holds || (it->drives[d].is_rigid && is_one_sided);
    }
    return holds;
}

// The impulses of contacts, and what they change. False: they are not for this file.
static bool add_contacts(const CnTreeSolve* it, CnSolverReport* report) {
    bool found = false;
    return !holds_stop(it) &&
           cn_tree_contacts_solve(it->contacts, it->tree, &it->contact_def, it->arena, report,
                                  it->moved, it->momentum, &found) == CN_OK &&
           found;
}

static bool make_round(const CnTreeSolve* it, CnSolverReport* report) {
    CnJointTree* tree = it->tree;
    bool has_drives = it->acting_count > 0;
    tree->links.keeps_whole = false;
    tree->links.is_once = tree->loops.row_count == 0 && it->contacts == NULL;
    if (!set_links(it)) {
        return false;
    }
    find_slopes(it);
    if (!cn_linkage_factor_and_solve(&tree->links, NULL, (const double(*)[6])it->twist,
                                     has_drives ? it->offset : NULL, it->moved) ||
        !cn_tree_factor_loops(tree)) {
        return false;
    }
    for (int i = 0; i < tree->loops.row_count; ++i) {
        tree->loops.wanted[i] = -it->loop_missing[i];
    }
    cn_tree_close_loops(tree, it->moved, it->momentum);
    const double(*pushed)[6] = cn_tree_pushed(tree, (const double(*)[6])it->momentum);
    if (it->contacts != NULL) {
        if (!add_contacts(it, report)) {
            return false;
        }
        pushed = (const double(*)[6])it->momentum;
    }
    cn_linkage_wrenches(&tree->links, pushed, (const double(*)[6])it->moved, it->wrench);
    for (int i = 0; i < tree->link_count; ++i) {
        if (it->first_drive[i] >= 0) {
            find_drive_impulses(it, i);
        }
    }
    return true;
}

// u of a drive after the tree has moved.
static double drive_rate(const CnTreeSolve* it, const CnActingDrive* drive) {
    return drive->free_rate + moved_rate(it, drive) +
           it->problem.compliance[drive->row] * drive->impulse;
}

static CnAxisState next_state(const CnTreeSolve* it, const CnActingDrive* drive) {
    bool is_held = drive->state == CN_AXIS_ACTS; // u is not asked for, but W
    double u = is_held ? 0.0 : drive_rate(it, drive), trace = 1.0;
    if (is_held && drive->is_turn) { // its Jacobian is not written
        trace = it->problem.compliance[drive->row] +
                cn_tree_turn_trace(&it->world->step, drive->block, drive->turn);
    } else if (is_held) {
        trace = cn_block_trace(&it->problem, drive->block);
    }
    return cn_axis_next_state(&it->problem, drive->row, drive->state, drive->impulse, u, it->slack,
                              trace);
}

// Most drives: they act, and their impulse is allowed.
static bool acts_within(const CnTreeSolve* it, const CnActingDrive* drive) {
    return drive->state == CN_AXIS_ACTS && drive->impulse >= it->problem.lower[drive->row] &&
           drive->impulse <= it->problem.upper[drive->row];
}

// Drives that miss their law: how many, and the lowest row. Changes all of them, or one.
static int change_states(const CnTreeSolve* it, int only, bool makes, int* lowest) {
    int count = 0;
    for (int d = 0; d < it->drive_count; ++d) {
        CnActingDrive* drive = &it->drives[d];
        if (drive->is_mute || drive->is_force || acts_within(it, drive)) {
            continue;
        }
        CnAxisState next = next_state(it, drive);
        if (next == drive->state || (only >= 0 && drive->row != only)) {
            continue;
        }
        *lowest = count == 0 || drive->row < *lowest ? drive->row : *lowest;
        ++count;
        drive->state = makes ? next : drive->state;
    }
    return count;
}

// The active set, mechanisms.md (17).
static bool find_states(const CnTreeSolve* it, CnSolverReport* report) {
    CnAxisRounds rounds = cn_axis_rounds_begin(it->acting_count);
    int lowest = -1;
    while (cn_axis_rounds_next(&rounds)) {
        if (!make_round(it, report)) {
            return false;
        }
        ++report->iterations;
        report->work += WORK_OF_LINK * it->tree->link_count;
        int count = change_states(it, -1, false, &lowest);
        if (count == 0) {
            return true;
        }
        bool all = cn_axis_rounds_change_all(&rounds, count);
        change_states(it, all ? -1 : lowest, true, &lowest);
    }
    return false;
}

static void push(const CnTreeSolve* it, int index, const double* p, bool is_b, double momentum[6]) {
    const CnProblem* problem = &it->problem;
    const CnBlock* block = &problem->blocks[index];
    const CnCompactRows* compact = cn_rows_compact(&it->world->step.rows, index);
    if (compact != NULL) {
        cn_compact_push(compact, block->row_count, p, is_b, momentum);
        return;
    }
    const double(*rows)[6] = (is_b ? problem->jacobian_b : problem->jacobian_a) + block->first_row;
    double sum[6];
    memcpy(sum, momentum, sizeof sum);
    for (int k = 0; k < block->row_count; ++k) {
        for (int j = 0; j < 6; ++j) {
            sum[j] += rows[k][j] * p[k];
        }
    }
    memcpy(momentum, sum, sizeof sum);
}

static void push_loops(const CnTreeSolve* it) {
    const CnTreeLoops* loops = &it->tree->loops;
    for (int i = 0; i < loops->count; ++i) {
        const CnTreeLoop* loop = &loops->loops[i];
        for (int side = 0; side < 2; ++side) {
            if (loop->end[side] >= 0) {
                push(it, it->loop_block[i], loops->impulse + loop->first_row, side == 1,
                     it->momentum[loop->end[side]]);
            }
        }
    }
}

static void hand_joint_over(const CnTreeSolve* it, int i) {
    if (it->block[i] >= 0) {
        const CnBlock* block = &it->problem.blocks[it->block[i]];
        memcpy(it->world->step.rows.impulse + block->first_row, it->impulse[i],
               (size_t)block->row_count * sizeof(double));
    }
}

// The impulses of one joint, and what they give its link.
static void give(const CnTreeSolve* it, int i) {
    memset(it->given[i], 0, sizeof it->given[i]);
    if (it->block[i] >= 0) {
        bool is_b = it->problem.blocks[it->block[i]].body_b == it->links[i].body;
        double p[CN_MAX_ROWS];
        cn_tree_impulses(&it->links[i], it->wrench[i], p);
        memcpy(it->impulse[i], p, (size_t)it->links[i].row_count * sizeof(double));
        push(it, it->block[i], p, is_b, it->given[i]);
    }
}

// The same of all joints. Impulses of those in groups go to the problem at once.
static void give_all(const CnTreeSolve* it) {
    if (it->by_groups) {
        it->passes->give(it->tree, (const double(*)[6])it->wrench, it->first_row,
                         it->world->step.rows.impulse, it->given);
    }
    for (int k = 0; it->held[k] >= 0; ++k) {
        give(it, it->held[k]);
        hand_joint_over(it, it->held[k]);
    }
    for (int k = 0; k < cn_tree_alone_count(it); ++k) {
        give(it, cn_tree_alone(it, k));
        hand_joint_over(it, cn_tree_alone(it, k));
    }
}

// What joint and drives give each link, from their impulses alone. Those of bounds end within them.
static void find_given(const CnTreeSolve* it) {
    give_all(it);
    for (int d = 0; d < it->drive_count; ++d) {
        CnActingDrive* drive = &it->drives[d];
        if (drive->is_mute) {
            continue;
        }
        if (!drive->is_force) {
            double lower = it->problem.lower[drive->row], upper = it->problem.upper[drive->row];
            double below = drive->impulse < upper ? drive->impulse : upper;
            drive->impulse = below > lower ? below : lower;
        }
        cn_drive_push(drive, drive->impulse, it->given[drive->link]);
    }
}

// Velocities as the certificate finds them: from the impulses alone. Parents feel the reaction (2).
static void find_velocities(const CnTreeSolve* it) {
    find_given(it);
    memcpy(it->momentum, it->given, (size_t)it->tree->link_count * sizeof *it->momentum);
    for (int i = 0; i < it->tree->link_count; ++i) {
        int parent = it->tree->parent[i];
        if (parent >= 0) {
            double back[6];
            for (int k = 0; k < 6; ++k) {
                back[k] = -it->given[i][k];
            }
            cn_linkage_to_parent(it->tree->links.arm[i], back, it->momentum[parent]);
        }
    }
    push_loops(it);
    if (it->contacts != NULL) {
        cn_tree_contacts_push(it->contacts, it->momentum);
    }
    it->passes->move(it->tree, it->links, &it->problem, (const double(*)[6])it->momentum,
                     it->world->step.velocity);
}

static void hand_over(const CnTreeSolve* it) {
    CnStep* step = &it->world->step;
    for (int d = 0; d < it->drive_count; ++d) {
        step->rows.impulse[it->drives[d].row] = it->drives[d].impulse;
    }
    for (int i = 0; i < it->tree->loops.count; ++i) {
        const CnBlock* block = &step->rows.blocks.data[it->loop_block[i]];
        memcpy(step->rows.impulse + block->first_row,
               it->tree->loops.impulse + it->tree->loops.loops[i].first_row,
               (size_t)block->row_count * sizeof(double));
    }
    if (it->contacts != NULL) {
        cn_tree_contacts_hand_over(it->contacts, step);
    }
}

static bool has_contacts(const CnWorld* world, int island) {
    const CnIntArray* start = &world->islands.manifold_start;
    return start->data[island + 1] > start->data[island];
}

// The tree that all movable bodies of an island belong to, but for some on no tree where there are
// contacts; -1: none.
static int tree_of_island(const CnWorld* world, int island) {
    const CnTreeStore* store = world->trees;
    const CnIslandStore* islands = &world->islands;
    bool may_be_loose = has_contacts(world, island);
    int tree = -1, count = 0;
    for (int i = islands->body_start.data[island]; i < islands->body_start.data[island + 1]; ++i) {
        int body = islands->body.data[i];
        if (!world->step.is_dynamic[body]) {
            continue;
        }
        int own = store->tree_of[body];
        if (own < 0 && may_be_loose) {
            continue;
        }
        if (own < 0 || (tree >= 0 && own != tree)) {
            return -1;
        }
        tree = own;
        ++count;
    }
    return tree >= 0 && count == store->trees[tree].link_count ? tree : -1;
}

// The contacts of the island. False: there are some that are not for this file.
static bool take_contacts(CnTreeSolve* it, int island, const CnSolverDef* def) {
    bool suits = true;
    if (has_contacts(it->world, island)) {
        it->contacts = CN_ARENA_NEW(it->arena, CnTreeContacts, 1);
        suits = false;
        if (it->contacts != NULL &&
            cn_tree_contacts_begin(it->world, it->tree, island, it->arena, it->contacts, &suits) ==
                CN_OK &&
            suits) {
            CnProblem size = {.row_count = it->contacts->outer.n + it->problem.row_count};
            it->contact_def = *def;
            it->contact_def.work_budget = CONTACT_SHARE * cn_budget_of_step(&size, def);
            if (!def->warm_start) {
                memset(it->contacts->outer.p, 0, (size_t)it->contacts->outer.n * sizeof(double));
            }
        }
    }
    return suits;
}

static void write_remark(const CnTreeSolve* it, CnSolverReport* report) {
    int loose = it->contacts == NULL ? 0 : it->contacts->loose_count;
    int count = snprintf(report->remark, sizeof report->remark, "%d bodies in trees of joints",
                         it->tree->link_count + loose);
    if (it->contacts != NULL) {
        snprintf(report->remark + count, sizeof report->remark - (size_t)count, ", %d rows outside",
                 it->contacts->outer.n);
    }
}

// The states of the drives, the impulses, and their grades. Contacts are measured against what
// joints let them move, and look better than the certificate has them: they are solved for again
// where that asks for it.
static bool find_answer(CnTreeSolve* it, int island, const CnSolverDef* def, double rho,
                        CnIslandResult* result, CnGradeSums* grades) {
    double goal = 0.5 * def->tolerance;
    bool found = false;
    for (int i = 0; !found && i <= REFINEMENTS; ++i) {
        if (!find_states(it, result->report)) {
            return false;
        }
        find_velocities(it);
        hand_over(it);
        double error = cn_tree_joint_error(it);
        if (!(error <= goal)) {
            return false;
        }
        result->report->outcome = CN_CONVERGED;
        write_remark(it, result->report);
        if (it->contacts == NULL && !it->world->step.is_graded) {
            cn_tree_take_error(it, island, def, error, result, grades);
            return true;
        }
        cn_tree_grade(it, island, def, rho, result, grades);
        found = it->contacts == NULL || grades->worst <= def->tolerance;
        it->contact_def.tolerance *= found ? 1.0 : goal / grades->worst;
    }
    return found;
}

static CnStatus solve(CnWorld* world, int island, const CnSolverDef* def, double rho,
                      CnArena* arena, CnIslandResult* result, CnGradeSums* grades, bool* found) {
    CnTreeStore* store = world->trees;
    int own = tree_of_island(world, island);
    if (own < 0 || cn_tree_is_net(&store->trees[own].loops)) {
        return CN_OK;
    }
    CnJointTree* tree = &store->trees[own];
    CnTreeSolve it = {
        .world = world,
        .problem = cn_step_explicit_problem(world),
        .tree = tree,
        .links = store->links + tree->first_link,
        .passes = CN_WIDEST(cn_tree_group_passes),
        .by_groups = tree->has_posed_groups,
        .first_row = store->first_row + tree->first_link,
        .twist = store->twist + tree->first_link,
        .moved = store->moved + tree->first_link,
        .wrench = store->wrench + tree->first_link,
        .momentum = store->momentum + tree->first_link,
        .given = store->given + tree->first_link,
        .arena = arena,
        .warm_start = def->warm_start,
        .slack = CN_AXIS_SLACK_SHARE * def->tolerance,
    };
    if (!allocate(&it, arena)) {
        return CN_NO_MEMORY;
    }
    *found = take_contacts(&it, island, def) && take_blocks(&it, island) &&
             find_answer(&it, island, def, rho, result, grades);
    tree->is_solved = *found;
    return CN_OK;
}

// Whether the explicit blocks of an island, which are listed in their order, lie side by side in
// the step, so that they are a problem as they are.
static bool is_run_of_blocks(const CnIslandStore* store, int island) {
    int begin = store->block_start.data[island], end = store->block_start.data[island + 1];
    return end > begin && store->block.data[end - 1] - store->block.data[begin] == end - begin - 1;
}

CnStatus cn_trees_solve(CnWorld* world, int island, const CnSolverDef* def, double rho,
                        CnArena* arena, CnIslandResult* result, CnGradeSums* grades, bool* found) {
    *found = false;
    if (!cn_trees_are_at(world, CN_TREES_POSED) || !cn_machine_suits_def(def) || !(rho > 0.0) ||
        !is_run_of_blocks(&world->islands, island)) {
        return CN_OK;
    }
    *result->report = (CnSolverReport){.solver = cn_solver_tree.info.name, .redundant_block = -1};
    CnArenaMark mark = cn_arena_mark(arena);
    CnStatus status = solve(world, island, def, rho, arena, result, grades, found);
    cn_arena_release(arena, mark);
    return status;
}
