// correct_along_trees.c - displacements that put one tree of joints in contact right, along it.
#include "world/correct/correct_along_trees.h"

#include "world/correct/correct_rows.h"
#include "world/trees/tree_contacts.h"

#include <string.h>

#define WORK_OF_LINK 1000.0 // multiplications of factor and solve

// The tree that all wanted bodies belong to which are on one; -1: there is none, or there are more.
static int tree_of_wanted(const CnWorld* world, const bool* wanted) {
    const int* tree_of = world->trees->tree_of;
    int tree = -1;
    for (int i = 0; i < world->order.count; ++i) {
        if (wanted[i] && tree_of[i] >= 0 && tree_of[i] != tree) {
            if (tree >= 0) {
                return -1;
            }
            tree = tree_of[i];
        }
    }
    return tree;
}

// Whether a drive of any tree asks for something: it is a stop within reach.
static bool has_stops(const CnWorld* world, CnInstant instant) {
    const CnTreeStore* store = world->trees;
    bool has_stops = false;
    for (int i = 0; !has_stops && i < store->drive_count + store->loose_count; ++i) {
        has_stops = cn_correction_asks(world, store->drives[i].slot, instant);
    }
    return has_stops;
}

// The wanted bodies, then those that rows touch besides. False: impulses move one of these.
static bool list_bodies(const CnWorld* world, const bool* wanted, int* list, CnIndexList* bodies) {
    const CnProblem* problem = &world->correction.problem;
    bool is_known = true;
    int count = 0;
    for (int i = 0; i < world->order.count; ++i) {
        if (wanted[i]) {
            list[count++] = i;
        }
    }
    for (int k = 0; k < problem->block_count; ++k) {
        const int ends[] = {problem->blocks[k].body_a, problem->blocks[k].body_b};
        for (int side = 0; side < 2; ++side) {
            int body = ends[side];
            if (body >= 0 && !wanted[body]) {
                list[count++] = body;
                is_known = is_known && problem->inverse_mass[body] == 0.0;
            }
        }
    }
    *bodies = (CnIndexList){list, count};
    return is_known;
}

// The displacements that the joints ask for alone. False: the tree is singular.
static bool move_tree(const CnWorld* world, CnJointTree* tree) {
    const CnTreeStore* store = world->trees;
    CnTreeLink* links = store->links + tree->first_link;
    double(*twist)[6] = store->twist + tree->first_link;
    bool is_regular = true;
    tree->links.keeps_whole = true; // so that rows from outside find all of the factor
    for (int i = 0; is_regular && i < tree->link_count; ++i) {
        int first = tree->first_axis[i];
        double asked[CN_MAX_ROWS];
        for (int k = 0; k < links[i].row_count; ++k) {
            asked[k] = -links[i].value[k];
        }
        tree->first_axis[i + 1] =
            first + cn_tree_axes(&links[i], tree->links.axis + first, &is_regular);
        if (is_regular) {
            cn_tree_twist(&links[i], asked, twist[i]);
        }
    }
    return is_regular && cn_tree_factor_and_solve(tree, NULL, (const double(*)[6])twist,
                                                  store->moved + tree->first_link);
}

static void take_displacements(CnWorld* world, const CnJointTree* tree,
                               const CnTreeContacts* contacts) {
    const CnTreeStore* store = world->trees;
    double(*displacement)[6] = world->correction.displacement;
    for (int i = tree->first_link; i < tree->first_link + tree->link_count; ++i) {
        memcpy(displacement[store->links[i].body], store->moved[i], sizeof *displacement);
    }
    for (int i = 0; i < contacts->loose_count; ++i) {
        cn_tree_contacts_move_loose(contacts, i, displacement[contacts->loose[i]]);
    }
}

static CnStatus solve(CnWorld* world, CnJointTree* tree, const bool* wanted, const CnSolverDef* def,
                      CnSolverReport* report, bool* found) {
    CnArena* arena = &world->arena;
    const CnTreeStore* store = world->trees;
    CnRows* rows = &world->correction.rows;
    CnTreeContacts contacts;
    CnIndexList bodies;
    int room = world->order.count + 2 * rows->blocks.count;
    int* list = CN_ARENA_RAW(arena, int, room);
    if (list == NULL) {
        return CN_NO_MEMORY;
    }
    memset(rows->impulse, 0, (size_t)rows->row_count * sizeof(double));
    if (!list_bodies(world, wanted, list, &bodies)) {
        return CN_OK;
    }
    CnStatus status = cn_tree_contacts_take(world, tree, &world->correction.problem, rows->impulse,
                                            bodies, arena, &contacts, found);
    if (status == CN_OK && *found) {
        report->work += WORK_OF_LINK * tree->link_count;
        *found = move_tree(world, tree);
    }
    if (status == CN_OK && *found) {
        status = cn_tree_contacts_solve(&contacts, tree, def, arena, report,
                                        store->moved + tree->first_link,
                                        store->momentum + tree->first_link, found);
    }
    if (status == CN_OK && *found) {
        take_displacements(world, tree, &contacts);
    }
    return status;
}

CnStatus cn_correct_along_trees(CnWorld* world, const CnBodyState* states, CnInstant instant,
                                const bool* wanted, const CnSolverDef* def, double* work,
                                bool* found) {
    *found = false;
    if (instant.ahead || !cn_trees_are_at(world, CN_TREES_AT_END)) {
        return CN_OK;
    }
    int own = tree_of_wanted(world, wanted);
    if (own < 0 || has_stops(world, instant)) {
        return CN_OK;
    }
    CnArenaMark mark = cn_arena_mark(&world->arena);
    CnSolverReport report = {.redundant_block = -1};
    CnStatus status = cn_correction_build_contacts(world, states, wanted);
    if (status == CN_OK && world->correction.rows.blocks.count > 0) {
        status = solve(world, &world->trees->trees[own], wanted, def, &report, found);
    }
    *work += report.work;
    cn_arena_release(&world->arena, mark);
    return status;
}
