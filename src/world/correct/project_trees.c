// project_trees.c - position errors of joints, put right along the trees that the joints make.
#include "world/correct/project_trees.h"

#include "math/worse.h"
#include "world/correct/measure_trees.h"
#include "world/trees/tree_move.h"
#include "world/trees/tree_store.h"

#include <math.h>
#include <string.h>

// A pass that leaves more than this share of the error does not gain; near the solution a chord
// leaves the square of the error.
#define GAIN 0.5
#define MOST_PASSES 8

// Ahead of a step a tree without loops need not hold to the tolerance: a pass that leaves no more
// than this share of the error is the last one, if there was no more of it than a step opens.
// mechanisms.md (62)
#define AHEAD_SHARE 0x1p-10
#define AHEAD_MOST 0x1p-4 // [m or rad]

// Rounds in which stops may begin or cease to act.
#define MOST_ROUNDS 8

#define WORK_OF_LINK 1000.0 // multiplications

// A stop near its end, on the axis of a link.
typedef struct TreeStop {
    int slot;
    const CnTreeDrive* drive;
    int link, next; // number in the tree; next stop on the same link, -1: none
    double sign;    // of its gap: +1 above a lower limit, -1 below an upper one
    double row[6];  // at the child
    bool acts;
} TreeStop;

// A tree that is projected.
typedef struct Passes {
    CnTreeProjection* projection;
    CnJointTree* tree;
    CnTreeLink* links; // [tree->link_count]
    double (*twist)[6], (*momentum)[6], (*moved)[6], (*wrench)[6];
    int stop_count;
    TreeStop* stops; // [tree->drive_count]
    int* first_stop; // of each link, -1: none   [tree->link_count]
    double (*hinge_axis)[6];
    bool has_twists; // those of ball joints and hinges without stops were found with their readings
    bool is_light; // of hinges without stops these axes are known, and not the numbers of the links
} Passes;

static CnTreePoses poses_of(const CnTreeProjection* projection) {
    return (CnTreePoses){projection->world, projection->states, projection->instant.time};
}

static CnUserConstraint* constraint_at(const CnWorld* world, int slot) {
    return cn_pool_element(&world->constraints, slot);
}

// ---- stops ----

// Whether a constraint is a stop within reach. False in *is_known: it keeps its row on both sides.
static bool is_near_stop(const CnWorld* world, const CnUserConstraint* constraint, bool* is_known) {
    CnRowRole role = (CnRowRole)constraint->role[0];
    double gap = role == CN_ROW_PULLS ? -constraint->value[0] : constraint->value[0];
    *is_known = *is_known && role != CN_ROW_KEEPS;
    return (role == CN_ROW_PUSHES || role == CN_ROW_PULLS) && gap <= world->def.step.contact_margin;
}

static bool add_stop(Passes* passes, const CnTreeDrive* drive, CnTreeAxis* axis) {
    const CnTreeProjection* projection = passes->projection;
    const CnUserConstraint* constraint = constraint_at(projection->world, drive->slot);
    CnTreeLink* own = &passes->links[drive->link - passes->tree->first_link];
    if (passes->is_light && cn_tree_is_point(own)) {
        cn_tree_read_alone(projection->world, own, projection->states);
    }
    TreeStop* stop = &passes->stops[passes->stop_count++];
    CnConstraintReading reading;
    int link = drive->link - passes->tree->first_link;
    if (drive->is_on_axis) {
        cn_tree_look_at_axis(projection->world, drive, projection->states, true, axis);
    } else {
        CnTreePoses poses = poses_of(projection);
        cn_tree_read_drive(&poses, drive, CN_READ_JACOBIANS, &reading);
    }
    const double *row_a = drive->is_on_axis ? axis->row_a : reading.jacobian_a[0],
                 *row_b = drive->is_on_axis ? axis->row_b : reading.jacobian_b[0];
    int body_a = cn_world_body_index(projection->world, constraint->body_a);
    bool is_a = body_a == passes->links[link].body;
    const double *child = is_a ? row_a : row_b, *other = is_a ? row_b : row_a;
    *stop = (TreeStop){
        .slot = drive->slot,
        .drive = drive,
        .link = link,
        .next = passes->first_stop[link],
        .sign = constraint->role[0] == CN_ROW_PULLS ? -1.0 : 1.0,
    };
    stop->acts = stop->sign * constraint->value[0] < -projection->tolerance;
    memcpy(stop->row, child, sizeof stop->row);
    passes->first_stop[link] = passes->stop_count - 1;
    return passes->tree->parent[link] < 0 ||
           cn_linkage_is_reaction(passes->tree->links.arm[link], child, other);
}

// The stops of a tree that are within reach. False: one of them is not a matter of trees.
static bool list_stops(Passes* passes) {
    const CnTreeProjection* projection = passes->projection;
    const CnTreeStore* store = projection->world->trees;
    const CnJointTree* tree = passes->tree;
    CnTreeAxis axis = {.part_row = NULL};
    bool is_known = true;
    memset(passes->first_stop, -1, (size_t)tree->link_count * sizeof *passes->first_stop);
    for (int i = tree->first_drive + tree->drive_count - 1; i >= tree->first_drive; --i) {
        const CnTreeDrive* drive = &store->drives[i];
        if (drive->may_stop && !drive->is_far &&
            is_near_stop(projection->world, constraint_at(projection->world, drive->slot),
                         &is_known)) {
            is_known = add_stop(passes, drive, &axis) && is_known;
        }
    }
    return is_known;
}

// The rows that hold a link: of its joint, then of stops that act. Their number, and what is
// wanted of them.
static int list_wanted(const Passes* passes, int link, double* wanted) {
    const CnTreeLink* own = &passes->links[link];
    int count = own->row_count;
    for (int k = 0; k < count; ++k) {
        wanted[k] = -own->value[k];
    }
    for (int i = passes->first_stop[link]; i >= 0 && count < CN_MAX_ROWS;
         i = passes->stops[i].next) {
        if (passes->stops[i].acts) {
            wanted[count++] =
                -constraint_at(passes->projection->world, passes->stops[i].slot)->value[0];
        }
    }
    return count;
}

// Holds the stops that act on a link besides its joint; returns how many axes are left.
static int hold_stops(const Passes* passes, int link, double (*axis)[6], bool* is_regular) {
    double rows[CN_MAX_ROWS][6];
    int count = 0, most = CN_MAX_ROWS - passes->links[link].row_count;
    for (int i = passes->first_stop[link]; i >= 0 && count < most; i = passes->stops[i].next) {
        if (passes->stops[i].acts) {
            memcpy(rows[count++], passes->stops[i].row, sizeof *rows);
        }
    }
    return cn_tree_hold(&passes->links[link], count, (const double(*)[6])rows, axis, is_regular);
}

// The twist of a link that the values of its constraints ask for, by the rows that hold it. Of ball
// joints and hinges alone it was mostly found when they were read.
static void set_twist(const Passes* passes, int link) {
    double wanted[CN_MAX_ROWS];
    if (passes->has_twists && cn_tree_is_point(&passes->links[link]) &&
        passes->first_stop[link] < 0) {
        return;
    }
    list_wanted(passes, link, wanted);
    cn_tree_twist(&passes->links[link], wanted, passes->twist[link]);
}

// The same without stops, of a hinge whose axis is known. If that is none, there is no pivot.
static int take_hinge_axis(const Passes* passes, int link, double (*axis)[6]) {
    memcpy(axis, passes->hinge_axis[link], sizeof *axis);
    passes->links[link].held = passes->links[link].row_count;
    return 1;
}

// The axes that are left of each link, its twist, factor and solution.
static bool factor_and_solve(const Passes* passes) {
    CnJointTree* tree = passes->tree;
    bool is_regular = true;
    passes->projection->work += WORK_OF_LINK * tree->link_count;
    for (int i = 0; is_regular && i < tree->link_count; ++i) {
        int first = tree->first_axis[i];
        double(*axis)[6] = tree->links.axis + first;
        if (passes->is_light && passes->links[i].form == CN_FORM_HINGE &&
            passes->first_stop[i] < 0) {
            tree->first_axis[i + 1] = first + take_hinge_axis(passes, i, axis);
            continue; // its twist is known too
        }
        tree->first_axis[i + 1] = first + hold_stops(passes, i, axis, &is_regular);
        if (is_regular) {
            set_twist(passes, i);
        }
    }
    return is_regular &&
           cn_tree_factor_and_solve(tree, NULL, (const double(*)[6])passes->twist, passes->moved);
}

// The solution with the factor of the pass before.
static void solve_again(const Passes* passes) {
    for (int i = 0; i < passes->tree->link_count; ++i) {
        set_twist(passes, i);
    }
    cn_tree_solve_again(passes->tree, passes->momentum, (const double(*)[6])passes->twist,
                        passes->moved);
}

// The displacements that the values of the constraints ask for. False: there is no factor.
static bool solve(const Passes* passes, bool is_factored) {
    CnJointTree* tree = passes->tree;
    if (is_factored) {
        solve_again(passes);
    } else if (!factor_and_solve(passes)) {
        return false;
    }
    for (int i = 0; i < tree->loops.count; ++i) {
        const CnTreeLoop* loop = &tree->loops.loops[i];
        for (int k = 0; k < loop->joint.row_count; ++k) {
            tree->loops.wanted[loop->first_row + k] = -loop->joint.value[k];
        }
    }
    cn_tree_close_loops(tree, passes->moved, passes->momentum);
    return true;
}

// How far a stop's row moves.
static double stop_change(const Passes* passes, const TreeStop* stop) {
    int parent = passes->tree->parent[stop->link];
    double relative[6], sum = 0.0;
    cn_linkage_relative(passes->tree->links.arm[stop->link], passes->moved[stop->link],
                        parent < 0 ? NULL : passes->moved[parent], relative);
    for (int k = 0; k < 6; ++k) {
        sum += stop->row[k] * relative[k];
    }
    return sum;
}

// One that acts may only push, one that does not may not be passed: mechanisms.md (21). p: impulses
// of the rows that are held, this stop's at `place`.
static bool should_act(const Passes* passes, const TreeStop* stop, const double* p, int place) {
    if (stop->acts) {
        return stop->sign * p[place] >= 0.0;
    }
    double value = constraint_at(passes->projection->world, stop->slot)->value[0];
    return stop->sign * (value + stop_change(passes, stop)) < -passes->projection->tolerance;
}

// The number of stops that begin or cease to act.
static int change_stops(const Passes* passes) {
    const CnJointTree* tree = passes->tree;
    int changes = 0;
    bool any_acts = false;
    for (int i = 0; i < passes->stop_count; ++i) {
        any_acts = any_acts || passes->stops[i].acts;
    }
    if (any_acts) {
        cn_linkage_wrenches(&tree->links,
                            cn_tree_pushed(tree, (const double(*)[6])passes->momentum),
                            (const double(*)[6])passes->moved, passes->wrench);
    }
    for (int link = 0; link < tree->link_count; ++link) {
        double p[CN_MAX_ROWS];
        int place = passes->links[link].row_count;
        if (any_acts && passes->first_stop[link] >= 0) {
            cn_tree_impulses(&passes->links[link], passes->wrench[link], p);
        }
        for (int i = passes->first_stop[link]; i >= 0; i = passes->stops[i].next) {
            TreeStop* stop = &passes->stops[i];
            bool acts = should_act(passes, stop, p, place);
            place += stop->acts;
            changes += acts != stop->acts;
            stop->acts = acts;
        }
    }
    return changes;
}

// Which stops act, and the displacements; the factor of the pass before serves while they stay.
static bool solve_with_stops(const Passes* passes, bool is_factored) {
    for (int round = 0; round < MOST_ROUNDS; ++round) {
        if (!solve(passes, is_factored)) {
            return false;
        }
        if (passes->stop_count == 0 || change_stops(passes) == 0) {
            return true;
        }
        is_factored = false;
    }
    return false;
}

// ---- passes ----

static double larger_stop_error(const Passes* passes, double worst) {
    for (int i = 0; i < passes->stop_count; ++i) {
        const TreeStop* stop = &passes->stops[i];
        double value = constraint_at(passes->projection->world, stop->slot)->value[0];
        worst = cn_worse(worst, -stop->sign * value);
    }
    return worst;
}

static void displace(const Passes* passes, int begin, int end) {
    const CnTreeProjection* projection = passes->projection;
    cn_tree_displace(projection->world, passes->tree, begin, end, (const double(*)[6])passes->moved,
                     projection->instant.ahead, projection->states);
}

// Links whose records are still in the cache of a core when they are looked at again.
#define LINKS_AT_A_TIME 64

// Prepares and reads the links of a tree, some at a time, in increasing order, then its loops.
// error: the largest of their joints [m or rad].
static bool read_joints(Passes* passes, void (*prepare)(const Passes* passes, int begin, int end),
                        double* error) {
    const CnTreeProjection* projection = passes->projection;
    const CnJointTree* tree = passes->tree;
    bool is_moved = prepare == displace, is_last = is_moved && !tree->links.keeps_whole; // mostly
    unsigned what = CN_TREE_READ_WORST | (passes->is_light ? CN_TREE_READ_AXES : 0u) |
                    (is_last ? 0u : CN_TREE_READ_CLOSING) | (is_moved ? CN_TREE_READ_TURNS : 0u);
    passes->has_twists = !is_last;
    double worst = 0.0;
    for (int begin = 0; begin < tree->link_count; begin += LINKS_AT_A_TIME) {
        int left = tree->link_count - begin;
        int end = begin + (left < LINKS_AT_A_TIME ? left : LINKS_AT_A_TIME);
        prepare(passes, begin, end);
        if (!cn_tree_read_links(projection->world, tree, begin, end, what, projection->states,
                                projection->instant.time, &worst)) {
            return false;
        }
    }
    bool is_read =
        cn_tree_read_loops(projection->world, tree, projection->states, projection->instant.time);
    for (int i = 0; is_read && i < tree->loops.count; ++i) {
        worst = cn_tree_worse(&tree->loops.loops[i].joint, worst);
    }
    *error = worst;
    return is_read;
}

// Moves the tree and reads it there; the stops that are listed keep their side. The masses of the
// first reading stay those of the factor.
static bool move_and_read(Passes* passes, double* error) {
    passes->is_light = false;
    if (!read_joints(passes, displace, error)) {
        return false;
    }
    CnTreePoses poses = poses_of(passes->projection);
    CnTreeAxis axis = {.part_row = NULL};
    if (passes->stop_count > 0) {
        cn_tree_read_stop_twists(poses.world, passes->tree, poses.states);
    }
    for (int i = 0; i < passes->stop_count; ++i) {
        cn_tree_measure_drive(&poses, passes->stops[i].drive, &axis);
    }
    *error = larger_stop_error(passes, *error);
    return true;
}

static bool is_near_enough(const Passes* passes, double before, double error) {
    return passes->projection->instant.ahead && passes->tree->loops.count == 0 &&
           before <= AHEAD_MOST && error <= AHEAD_SHARE * before;
}

// Passes with the one factor. False: one did not gain.
static bool make_passes(Passes* passes, double error) {
    bool* is_again = &passes->tree->is_again[passes->projection->instant.ahead ? 0 : 1];
    passes->tree->links.keeps_whole = *is_again; // another pass will need it
    for (int pass = 0; pass < MOST_PASSES; ++pass) {
        *is_again = pass > 0;
        if (!solve_with_stops(passes, pass > 0)) {
            return false;
        }
        double before = error;
        if (!move_and_read(passes, &error)) {
            return false;
        }
        if (error <= passes->projection->tolerance || is_near_enough(passes, before, error)) {
            return true;
        }
        if (!(error <= GAIN * before)) {
            return false;
        }
    }
    return false;
}

// Before a tree is read for the first time.
static void begin_links(const Passes* passes, int begin, int end) {
    const CnTreeProjection* projection = passes->projection;
    CnBodyState* saved = projection->world->trees->saved + passes->tree->first_link;
    for (int i = begin; i < end; ++i) {
        saved[i] = projection->states[passes->links[i].body];
        passes->first_stop[i] = -1;
    }
    cn_tree_read_some_bodies(projection->world, passes->tree, begin, end, projection->states);
}

static void keep_links(const Passes* passes, int begin, int end) {
    (void)passes, (void)begin, (void)end; // they are read where they are
}

// Reads a tree for the first time. What only rows need is left for the last time, if the tree is to
// be moved: it mostly is where it was in the step before.
static bool begin_tree(Passes* passes, double* error) {
    const CnTreeProjection* projection = passes->projection;
    const CnTreePoses poses = poses_of(projection);
    bool is_end = !projection->instant.ahead, *is_moved = &passes->tree->is_moved[is_end];
    passes->is_light = *is_moved;
    if (!read_joints(passes, begin_links, error)) {
        return false;
    }
    if (is_end) {
        cn_tree_read_stop_twists(projection->world, passes->tree, projection->states);
        cn_tree_measure_stops(&poses, passes->tree);
        if (!list_stops(passes)) {
            return false;
        }
        *error = larger_stop_error(passes, *error);
    }
    *is_moved = !(*error <= projection->tolerance);
    if (passes->is_light && !*is_moved) {
        double joints = 0.0; // as before
        passes->is_light = false;
        return read_joints(passes, keep_links, &joints);
    }
    return true;
}

// Measures a tree, and moves it where that is needed.
static CnStatus project(CnTreeProjection* projection, CnJointTree* tree, bool* serves) {
    CnWorld* world = projection->world;
    const CnTreeStore* store = world->trees;
    CnTreePoses poses = poses_of(projection);
    bool is_end = !projection->instant.ahead;
    Passes passes = {
        .projection = projection,
        .tree = tree,
        .links = store->links + tree->first_link,
        .twist = store->twist + tree->first_link,
        .momentum = store->momentum + tree->first_link,
        .moved = store->moved + tree->first_link,
        .wrench = store->wrench + tree->first_link,
        .stops = CN_ARENA_RAW(&world->arena, TreeStop, tree->drive_count),
        .first_stop = CN_ARENA_RAW(&world->arena, int, tree->link_count),
        .hinge_axis = store->hinge_axis + tree->first_link,
    };
    if (passes.stops == NULL || passes.first_stop == NULL) {
        return CN_NO_MEMORY;
    }
    double error = 0.0;
    *serves = begin_tree(&passes, &error);
    if (*serves && !(error <= projection->tolerance)) {
        *serves = !cn_tree_is_net(&tree->loops) && make_passes(&passes, error);
        projection->moved = true;
        cn_tree_read_bodies(world, tree, projection->states); // where the next factor is made
    }
    if (*serves) {
        cn_tree_read_twists(world, tree, projection->states);
    }
    if (*serves && is_end) {
        cn_tree_measure(&poses, tree, &projection->left);
    }
    return CN_OK;
}

static void give_back(CnTreeProjection* projection, int trees) {
    const CnTreeStore* store = projection->world->trees;
    for (int t = 0; t < trees; ++t) {
        const CnJointTree* tree = &store->trees[t];
        for (int i = tree->first_link; i < tree->first_link + tree->link_count; ++i) {
            projection->states[store->links[i].body] = store->saved[i];
        }
    }
    projection->moved = false;
}

// Constraints on no tree are measured; a stop among them that is within reach is not for trees.
static bool measure_loose(CnTreeProjection* projection) {
    const CnTreeStore* store = projection->world->trees;
    CnTreePoses poses = poses_of(projection);
    bool is_known = true;
    cn_trees_measure_loose(&poses, &projection->left);
    for (int i = store->drive_count; i < store->drive_count + store->loose_count; ++i) {
        const CnTreeDrive* drive = &store->drives[i];
        is_known =
            is_known && !(drive->may_stop &&
                          is_near_stop(projection->world,
                                       constraint_at(projection->world, drive->slot), &is_known));
    }
    return is_known;
}

CnStatus cn_project_trees(CnTreeProjection* projection, bool* serves) {
    CnWorld* world = projection->world;
    CnArenaMark mark = cn_arena_mark(&world->arena);
    CnStatus status = cn_trees_update(world);
    *serves = status == CN_OK && world->trees->serves;
    bool is_end = !projection->instant.ahead;
    projection->moved = false;
    projection->left = (CnPositionErrors){.contact = -1, .constraint = -1};
    if (*serves && is_end) {
        cn_trees_forget_idle(world); // all others are measured below
        *serves = measure_loose(projection);
    }
    int count = 0;
    if (status == CN_OK) {
        world->trees->at = CN_TREES_NOWHERE;
    }
    for (; status == CN_OK && *serves && count < world->trees->tree_count; ++count) {
        CnArenaMark own = cn_arena_mark(&world->arena);
        status = project(projection, &world->trees->trees[count], serves);
        cn_arena_release(&world->arena, own);
    }
    if (status == CN_OK && *serves) {
        world->trees->at = is_end ? CN_TREES_AT_END : CN_TREES_POSED;
    }
    if (status == CN_OK && *serves && is_end) {
        *serves = projection->left.pending <= projection->tolerance; // no stop out of reach was met
    }
    bool damps = status == CN_OK && *serves && !is_end && world->damped_count > 0;
    for (int t = 0; damps && t < count; ++t) {
        cn_tree_damp_bodies(world, &world->trees->trees[t]); // the step is solved next
    }
    if (status == CN_OK && !*serves) {
        world->trees->at = CN_TREES_NOWHERE;
        give_back(projection, count);
    }
    cn_arena_release(&world->arena, mark);
    return status;
}
