// tree_solve.c - the rows of a tree of joints in a step, along the tree: mechanisms.md (13)-(19).
//
// The tree is that of the store, its joints are those read at the poses of the problem, and no
// rows are copied: what the general solver of machine.h finds anew for every problem is known.
#include "constraints/problem/block.h"
#include "constraints/problem/certificate.h"
#include "math/worse.h"
#include "solvers/solve/budget.h"
#include "solvers/tree/machine.h"
#include "solvers/tree/machine_parts.h"
#include "world/step/solve_step.h"
#include "world/trees/compact_rows.h"
#include "world/trees/tree_contacts.h"
#include "world/trees/tree_store.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define WORK_OF_LINK 1500.0 // multiplications of factor and solve

// Solutions for contacts after the first, each to a smaller tolerance.
#define REFINEMENTS 2

// Of the work budget of an island: what contacts may take here.
#define CONTACT_SHARE 0.015625

// A drive of the tree with its row in the problem.
typedef struct ActingDrive {
    int row;             // in the problem
    int link, next;      // number in the tree; next drive on the same link, -1: none
    const double* child; // the row at the link   [6]
    bool is_force;       // else bounds
    bool is_mute;        // bounds that allow no impulse: a stop that is not reached
    CnAxisState state;
    double base, slope; // p = base - slope (J moved); of one that acts and is rigid both are zero
    bool is_rigid;
    double along;     // J v without impulses
    double free_rate; // u then
    double impulse;
    const CnBlock* block;
} ActingDrive;

typedef struct TreeSolve {
    CnWorld* world;
    CnProblem problem; // of the whole step
    CnJointTree* tree;
    CnTreeLink* links;              // [link_count]
    int* block;                     // of each link's joint, -1: it floats   [link_count]
    double (*missing)[CN_MAX_ROWS]; // what the rows of each joint miss without impulses
    double (*impulse)[CN_MAX_ROWS]; // of each joint's rows   [link_count]
    double (*left)[CN_MAX_ROWS];    // u of each joint's rows in the end   [link_count]
    int* loop_block;                // of each loop   [tree->loops.count]
    double* loop_missing;           // as missing, of the rows of loops
    int* first_drive;               // of each link, -1: none   [link_count]
    int drive_count, acting_count;  // acting: those that are not mute
    ActingDrive* drives;            // [tree->drive_count]
    double* offset;                 // of each axis   [axes]
    double (*twist)[6], (*moved)[6], (*wrench)[6], (*momentum)[6]; // [link_count]
    double (*given)[6];    // what joint and drives give each link, by their impulses   [link_count]
    double (*velocity)[6]; // that the impulses lead to   [link_count]
    CnTreeContacts* contacts; // NULL: there are none
    CnSolverDef contact_def;  // for these
    CnArena* arena;
    bool warm_start;
    double slack; // of a law that still counts as held [m/s]
} TreeSolve;

static bool allocate(TreeSolve* it, CnArena* arena) {
    size_t links = (size_t)it->tree->link_count;
    it->block = CN_ARENA_RAW(arena, int, links);
    it->first_drive = CN_ARENA_RAW(arena, int, links);
    it->loop_block = CN_ARENA_RAW(arena, int, it->tree->loops.count);
    it->loop_missing = CN_ARENA_RAW(arena, double, it->tree->loops.row_count);
    it->drives = CN_ARENA_RAW(arena, ActingDrive, it->tree->drive_count);
    it->offset = CN_ARENA_RAW(arena, double, 6 * links);
    it->missing = cn_arena_allocate_raw(arena, links, sizeof *it->missing);
    it->impulse = cn_arena_allocate_raw(arena, links, sizeof *it->impulse);
    it->left = cn_arena_allocate_raw(arena, links, sizeof *it->left);
    it->velocity = cn_arena_allocate_raw(arena, links, sizeof *it->velocity);
    return it->block != NULL && it->first_drive != NULL && it->loop_block != NULL &&
           it->loop_missing != NULL && it->drives != NULL && it->offset != NULL &&
           it->missing != NULL && it->impulse != NULL && it->left != NULL && it->velocity != NULL;
}

// Velocities of a block's bodies; NULL: the world.
static const double* velocity_at(const double (*velocity)[6], int body) {
    return body < 0 ? NULL : velocity[body];
}

// u of the rows of a joint's block for given velocities: its impulses do not enter.
static void find_joint_rates(const TreeSolve* it, int index, const double (*velocity)[6],
                             double* u) {
    const CnRows* rows = &it->world->step.rows;
    const CnBlock* block = &rows->blocks.data[index];
    const CnCompactRows* compact = cn_rows_compact(rows, index);
    if (compact == NULL) {
        cn_block_velocity(&it->problem, block, velocity, rows->impulse, u);
        return;
    }
    cn_compact_rates(compact, block->row_count, velocity_at(velocity, block->body_a),
                     velocity_at(velocity, block->body_b), u);
    for (int k = 0; k < block->row_count; ++k) {
        u[k] -= rows->target[block->first_row + k];
    }
}

// The same without impulses.
static void find_free_rates(const TreeSolve* it, int index, double* q) {
    if (cn_rows_compact(&it->world->step.rows, index) == NULL) {
        cn_block_free_velocity(&it->problem, &it->problem.blocks[index], q);
    } else {
        find_joint_rates(it, index, it->problem.free_velocity, q);
    }
}

// Whether two drives have the same row, as motor and stop of an axis do; they follow each other.
static bool share_row(const TreeSolve* it, const ActingDrive* drive, const ActingDrive* other) {
    const CnProblem* problem = &it->problem;
    size_t bytes = sizeof *problem->jacobian_a;
    return drive->link == other->link &&
           memcmp(problem->jacobian_a[drive->row], problem->jacobian_a[other->row], bytes) == 0 &&
           memcmp(problem->jacobian_b[drive->row], problem->jacobian_b[other->row], bytes) == 0;
}

// J v of a drive's row.
static double rate_along(const TreeSolve* it, const ActingDrive* drive,
                         const double (*velocity)[6]) {
    const double *a = velocity_at(velocity, drive->block->body_a),
                 *b = velocity_at(velocity, drive->block->body_b);
    return (a == NULL ? 0.0 : cn_dot6(it->problem.jacobian_a[drive->row], a)) +
           (b == NULL ? 0.0 : cn_dot6(it->problem.jacobian_b[drive->row], b));
}

// A drive's row, if it is one that acts between the link and its parent alone.
static bool add_drive(TreeSolve* it, const CnTreeDrive* kept, const CnBlock* block) {
    const CnProblem* problem = &it->problem;
    int link = kept->link - it->tree->first_link, row = block->first_row;
    bool is_a = block->body_a == it->links[link].body;
    const double *child = is_a ? problem->jacobian_a[row] : problem->jacobian_b[row],
                 *other = is_a ? problem->jacobian_b[row] : problem->jacobian_a[row];
    if (block->row_count != 1 || cn_block_has_second(block) ||
        (block->law != CN_LAW_BOUNDS && block->law != CN_LAW_FORCE) ||
        (it->tree->parent[link] >= 0 && !kept->is_between &&
         !cn_linkage_is_reaction(it->tree->links.arm[link], child, other))) {
        return false;
    }
    ActingDrive* drive = &it->drives[it->drive_count++];
    double guess = it->warm_start ? it->world->step.rows.impulse[row] : 0.0;
    drive->row = row;
    drive->link = link;
    drive->next = it->first_drive[link];
    drive->child = child;
    drive->is_force = block->law == CN_LAW_FORCE;
    drive->is_mute = !drive->is_force && problem->lower[row] == 0.0 && problem->upper[row] == 0.0;
    drive->state = drive->is_force                ? CN_AXIS_ACTS
                   : guess <= problem->lower[row] ? CN_AXIS_AT_LOWER
                   : guess >= problem->upper[row] ? CN_AXIS_AT_UPPER
                                                  : CN_AXIS_ACTS;
    drive->base = drive->slope = drive->impulse = 0.0;
    drive->is_rigid = false;
    drive->block = block;
    bool is_known = it->drive_count > 1 && share_row(it, drive, drive - 1);
    drive->along = is_known ? drive[-1].along : rate_along(it, drive, problem->free_velocity);
    drive->free_rate = drive->along - problem->target[row];
    if (!drive->is_mute) {
        it->first_drive[link] = it->drive_count - 1;
        ++it->acting_count;
    }
    return true;
}

// A block of a joint that closes a loop. False: it is none.
static bool add_loop(TreeSolve* it, int index, int slot) {
    const CnTreeLoops* loops = &it->tree->loops;
    const CnBlock* block = &it->world->step.rows.blocks.data[index];
    for (int i = 0; i < loops->count; ++i) {
        const CnTreeLoop* loop = &loops->loops[i];
        if (loop->joint.slot == slot && block->law == CN_LAW_EQUALITY &&
            block->row_count == loop->joint.row_count) {
            it->loop_block[i] = index;
            find_free_rates(it, index, it->loop_missing + loop->first_row);
            return true;
        }
    }
    return false;
}

// The blocks of the island, as joints, loops and drives of the tree. False: there are others.
static bool take_blocks(TreeSolve* it, int island) {
    const CnWorld* world = it->world;
    const CnTreeStore* store = world->trees;
    const CnIslandStore* islands = &world->islands;
    int joints = 0, loops = 0, links = it->tree->link_count;
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
            find_free_rates(it, index, it->missing[own]);
            ++joints;
        } else if (place == -1) {
            if (slot < 0 || !add_loop(it, index, slot)) {
                return false;
            }
            ++loops;
        } else if (!add_drive(it, &store->drives[-2 - place], block)) {
            return false;
        }
    }
    for (int i = 0; i < links; ++i) {
        joints += it->links[i].slot < 0;
    }
    return joints == links && loops == it->tree->loops.count;
}

// What a drive does in its state: mechanisms.md (14), (15).
static void set_yield(const TreeSolve* it, ActingDrive* drive) {
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

// Axes, twist wanted, and what the drives add to pivots and impulses of a link's axes.
static bool set_link(const TreeSolve* it, int i) {
    CnJointTree* tree = it->tree;
    CnLinkage* links = &tree->links;
    int first = tree->first_axis[i], count = 0;
    double rows[CN_MAX_ROWS][6], wanted[CN_MAX_ROWS];
    bool is_regular = true;
    int kept = it->links[i].row_count;
    for (int k = 0; k < kept; ++k) {
        wanted[k] = -it->missing[i][k];
    }
    for (int d = it->first_drive[i]; d >= 0; d = it->drives[d].next) {
        ActingDrive* drive = &it->drives[d];
        set_yield(it, drive);
        if (drive->is_rigid) {
            if (kept + count == CN_MAX_ROWS) {
                return false;
            }
            wanted[kept + count] = -drive->free_rate;
            memcpy(rows[count++], drive->child, sizeof *rows);
        }
    }
    int axes = cn_tree_hold(&it->links[i], count, (const double(*)[6])rows, links->axis + first,
                            &is_regular);
    tree->first_axis[i + 1] = first + axes;
    if (!is_regular) { // its factor is not complete
        return false;
    }
    cn_tree_twist(&it->links[i], wanted, it->twist[i]);
    if (links->has_slopes) {
        memset(links->slope[first], 0, (size_t)axes * sizeof *links->slope);
        memset(it->offset + first, 0, (size_t)axes * sizeof *it->offset);
    }
    for (int d = it->first_drive[i]; d >= 0; d = it->drives[d].next) {
        const ActingDrive* drive = &it->drives[d];
        if (drive->base == 0.0 && drive->slope == 0.0) { // an open stop, or held
            continue;
        }
        double push = drive->base - drive->slope * cn_dot6(drive->child, it->twist[i]);
        for (int a = 0; !drive->is_rigid && a < axes; ++a) {
            double along = cn_dot6(drive->child, links->axis[first + a]);
            it->offset[first + a] += push * along;
            for (int b = 0; drive->slope > 0.0 && b <= a; ++b) {
                links->slope[first + a][b] +=
                    drive->slope * along * cn_dot6(drive->child, links->axis[first + b]);
            }
        }
    }
    return true;
}

// Impulses of all rows for the velocities `moved`.
static void find_impulses(const TreeSolve* it) {
    const CnJointTree* tree = it->tree;
    for (int i = 0; i < tree->link_count; ++i) {
        double left[6], relative[6], carried[6] = {0.0}, p[CN_MAX_ROWS];
        memcpy(left, it->wrench[i], sizeof left);
        if (tree->parent[i] >= 0) {
            cn_linkage_to_child(tree->links.arm[i], it->moved[tree->parent[i]], carried);
        }
        for (int k = 0; k < 6; ++k) {
            relative[k] = it->moved[i][k] - carried[k];
        }
        for (int d = it->first_drive[i]; d >= 0; d = it->drives[d].next) {
            ActingDrive* drive = &it->drives[d];
            double rate = cn_dot6(drive->child, relative);
            if (!drive->is_rigid) {
                drive->impulse = drive->base - drive->slope * rate;
                for (int k = 0; k < 6; ++k) {
                    left[k] -= drive->impulse * drive->child[k];
                }
            }
        }
        cn_tree_impulses(&it->links[i], left, p);
        memcpy(it->impulse[i], p, (size_t)it->links[i].row_count * sizeof(double));
        int place = it->links[i].row_count;
        for (int d = it->first_drive[i]; d >= 0; d = it->drives[d].next) {
            if (it->drives[d].is_rigid) {
                it->drives[d].impulse = p[place++];
            }
        }
    }
}

// A closed stop of a tree in contact is solved for together with the contacts: held, it may leave
// them nothing that moves.
static bool holds_stop(const TreeSolve* it) {
    bool holds = false;
    for (int d = 0; d < it->drive_count; ++d) {
        int row = it->drives[d].row;
        bool is_one_sided = isinf(it->problem.lower[row]) != isinf(it->problem.upper[row]);
        holds = holds || (it->drives[d].is_rigid && is_one_sided);
    }
    return holds;
}

// The impulses of contacts, and what they change. False: they are not for this file.
static bool add_contacts(const TreeSolve* it, CnSolverReport* report) {
    bool found = false;
    return !holds_stop(it) &&
           cn_tree_contacts_solve(it->contacts, it->tree, &it->contact_def, it->arena, report,
                                  it->moved, it->momentum, &found) == CN_OK &&
           found;
}

static bool make_round(const TreeSolve* it, CnSolverReport* report) {
    CnJointTree* tree = it->tree;
    bool has_drives = it->acting_count > 0;
    tree->links.has_slopes = has_drives;
    tree->links.keeps_whole = false;
    tree->links.is_once = tree->loops.row_count == 0 && it->contacts == NULL;
    for (int i = 0; i < tree->link_count; ++i) {
        if (!set_link(it, i)) {
            return false;
        }
    }
    tree->links.axis_count = tree->first_axis[tree->link_count];
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
    find_impulses(it);
    return true;
}

// u of a drive after the tree has moved.
static double drive_rate(const TreeSolve* it, const ActingDrive* drive) {
    int parent = it->tree->parent[drive->link];
    double carried[6] = {0.0}, relative[6];
    if (parent >= 0) {
        cn_linkage_to_child(it->tree->links.arm[drive->link], it->moved[parent], carried);
    }
    for (int k = 0; k < 6; ++k) {
        relative[k] = it->moved[drive->link][k] - carried[k];
    }
    return drive->free_rate + cn_dot6(drive->child, relative) +
           it->problem.compliance[drive->row] * drive->impulse;
}

static CnAxisState next_state(const TreeSolve* it, const ActingDrive* drive) {
    bool is_held = drive->state == CN_AXIS_ACTS; // u is not asked for
    return cn_axis_next_state(&it->problem, drive->block, drive->row, drive->state, drive->impulse,
                              is_held ? 0.0 : drive_rate(it, drive), it->slack);
}

// Most drives: they act, and their impulse is allowed.
static bool acts_within(const TreeSolve* it, const ActingDrive* drive) {
    return drive->state == CN_AXIS_ACTS && drive->impulse >= it->problem.lower[drive->row] &&
           drive->impulse <= it->problem.upper[drive->row];
}

// Drives that miss their law: how many, and the lowest row. Changes all of them, or one.
static int change_states(const TreeSolve* it, int only, bool makes, int* lowest) {
    int count = 0;
    for (int d = 0; d < it->drive_count; ++d) {
        ActingDrive* drive = &it->drives[d];
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
static bool find_states(const TreeSolve* it, CnSolverReport* report) {
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

static void push(const TreeSolve* it, int index, const double* p, bool is_b, double momentum[6]) {
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

static void push_loops(const TreeSolve* it) {
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

// What joint and drives give each link, from their impulses alone. Those of bounds end within them.
static void find_given(const TreeSolve* it) {
    const CnBlock* blocks = it->problem.blocks;
    memset(it->given, 0, (size_t)it->tree->link_count * sizeof *it->given);
    for (int i = 0; i < it->tree->link_count; ++i) {
        if (it->block[i] >= 0) {
            bool is_b = blocks[it->block[i]].body_b == it->links[i].body;
            push(it, it->block[i], it->impulse[i], is_b, it->given[i]);
        }
    }
    for (int d = 0; d < it->drive_count; ++d) {
        ActingDrive* drive = &it->drives[d];
        if (drive->is_mute) {
            continue;
        }
        if (!drive->is_force) {
            drive->impulse = fmax(it->problem.lower[drive->row],
                                  fmin(it->problem.upper[drive->row], drive->impulse));
        }
        double* given = it->given[drive->link];
        for (int k = 0; k < 6; ++k) {
            given[k] += drive->impulse * drive->child[k];
        }
    }
}

// Velocities as the certificate finds them: from the impulses alone. Parents feel the reaction (2).
static void find_velocities(const TreeSolve* it) {
    const CnStep* step = &it->world->step;
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
    for (int i = 0; i < it->tree->link_count; ++i) {
        int body = it->links[i].body;
        double change[6];
        cn_block_inverse_mass_times(&it->problem, body, it->momentum[i], change);
        for (int k = 0; k < 6; ++k) {
            it->velocity[i][k] = step->free_velocity[body][k] + change[k];
        }
    }
}

static void hand_over(const TreeSolve* it) {
    CnStep* step = &it->world->step;
    for (int i = 0; i < it->tree->link_count; ++i) {
        memcpy(step->velocity[it->links[i].body], it->velocity[i], sizeof *step->velocity);
        if (it->block[i] >= 0) {
            const CnBlock* block = &step->rows.blocks.data[it->block[i]];
            memcpy(step->rows.impulse + block->first_row, it->impulse[i],
                   (size_t)block->row_count * sizeof(double));
        }
    }
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

// u that the rows of a block leave, and its square if that is larger than another.
static double larger_square(const TreeSolve* it, int index, double* u, double worst) {
    double square = 0.0;
    find_joint_rates(it, index, (const double(*)[6])it->world->step.velocity, u);
    for (int k = 0; k < it->problem.blocks[index].row_count; ++k) {
        square += u[k] * u[k];
    }
    return cn_worse(worst, square);
}

// The largest velocity that rows of joints leave [m/s].
static double joint_error(const TreeSolve* it) {
    double worst = 0.0;
    for (int i = 0; i < it->tree->link_count; ++i) {
        worst = it->block[i] < 0 ? worst : larger_square(it, it->block[i], it->left[i], worst);
    }
    for (int i = 0; i < it->tree->loops.count; ++i) {
        double u[CN_MAX_ROWS];
        worst = larger_square(it, it->loop_block[i], u, worst);
    }
    return sqrt(worst);
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

// u and q of a joint's block: of those along the tree as joint_error() has found u.
static void find_rates(const TreeSolve* it, int index, int place, double* u, double* q) {
    size_t bytes = (size_t)it->problem.blocks[index].row_count * sizeof *u;
    if (place >= 0) {
        memcpy(u, it->left[place - it->tree->first_link], bytes);
        memcpy(q, it->missing[place - it->tree->first_link], bytes);
        return;
    }
    // it closes a loop
    find_joint_rates(it, index, (const double(*)[6])it->world->step.velocity, u);
    find_free_rates(it, index, q);
}

// u of a drive. along: J v of the drive before, which may have the same row, and then of this one.
static double find_drive_rate(const TreeSolve* it, const ActingDrive* drive, CnTreeDrive* kept,
                              double* along) {
    const CnStep* step = &it->world->step;
    bool is_known = drive + 1 < it->drives + it->drive_count && share_row(it, drive, drive + 1);
    *along = is_known ? *along : rate_along(it, drive, (const double(*)[6])step->velocity);
    double u = *along - it->problem.target[drive->row] +
               it->problem.compliance[drive->row] * drive->impulse;
    double far = 2.0 * it->world->def.step.contact_margin + CN_TREE_FAR;
    kept->is_far = kept->may_stop && fabs(u) * step->dt > far;
    return u;
}

// Grades the blocks of the island.
static void grade(const TreeSolve* it, int island, const CnSolverDef* def, double rho,
                  CnIslandResult* result, CnGradeSums* grades) {
    CnStep* step = &it->world->step;
    const CnIslandStore* islands = &it->world->islands;
    CnProblem own_rows = it->problem;
    const ActingDrive* drive = it->drives + it->drive_count; // taken from the last to the first
    double along = 0.0;
    own_rows.row_count = 0;
    cn_grade_begin(grades);
    if (it->contacts != NULL) {
        CnTileBodies bodies = cn_step_tile_bodies(step);
        cn_tiles_grade(&it->contacts->tiles, &bodies, rho, grades);
        own_rows.row_count = it->contacts->outer.n;
    }
    for (int k = islands->block_start.data[island]; k < islands->block_start.data[island + 1];
         ++k) {
        int i = islands->block.data[k];
        double u[CN_MAX_ROWS], q[CN_MAX_ROWS];
        int place = it->world->trees->place[step->rows.sources.data[i].constraint];
        if (place >= -1) {
            find_rates(it, i, place, u, q);
        } else {
            u[0] = find_drive_rate(it, --drive, &it->world->trees->drives[-2 - place], &along);
            q[0] = drive->free_rate;
        }
        cn_grade_block(&it->problem, i, step->tile_block_count + i, u, q, step->rows.impulse, rho,
                       step->block_residual.data, grades);
        own_rows.row_count += it->problem.blocks[i].row_count;
    }
    result->budget = cn_budget_of_step(&own_rows, def);
    cn_grade_finish(grades, rho, &result->report->certificate);
    result->report->error = result->report->certificate.worst;
    cn_island_result_take(result);
}

// The contacts of the island. False: there are some that are not for this file.
static bool take_contacts(TreeSolve* it, int island, const CnSolverDef* def) {
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

static void write_remark(const TreeSolve* it, CnSolverReport* report) {
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
static bool find_answer(TreeSolve* it, int island, const CnSolverDef* def, double rho,
                        CnIslandResult* result, CnGradeSums* grades) {
    double goal = 0.5 * def->tolerance;
    bool found = false;
    for (int i = 0; !found && i <= REFINEMENTS; ++i) {
        if (!find_states(it, result->report)) {
            return false;
        }
        find_velocities(it);
        hand_over(it);
        if (!(joint_error(it) <= goal)) {
            return false;
        }
        result->report->outcome = CN_CONVERGED;
        write_remark(it, result->report);
        grade(it, island, def, rho, result, grades);
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
    TreeSolve it = {
        .world = world,
        .problem = cn_step_explicit_problem(world),
        .tree = tree,
        .links = store->links + tree->first_link,
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

// Whether the explicit blocks of an island lie side by side in the step, so that they are a problem
// as they are.
static bool is_run_of_blocks(const CnIslandStore* store, int island) {
    int begin = store->block_start.data[island], end = store->block_start.data[island + 1];
    bool is_run = end > begin;
    for (int i = begin + 1; is_run && i < end; ++i) {
        is_run = store->block.data[i] == store->block.data[i - 1] + 1;
    }
    return is_run;
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
