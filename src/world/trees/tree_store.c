// tree_store.c - the trees that the joints of a world make, kept from step to step.
#include "world/trees/tree_store.h"

#include "base/memory.h"
#include "solvers/tree/linkage_plan.h"
#include "world/trees/tree_groups.h"

#include <string.h>

// A forest in the making: scratch, but for what the store keeps.
typedef struct KeptForest {
    CnWorld* world;
    int edge_count, drive_count;
    CnLinkageEdge* edges; // [active constraints]
    int* slot;            // of each edge   [active constraints]
    CnTreeDrive* drives;  // [active constraints]
    int* idle;            // [idle_count]
    int idle_count;
    bool* moves; // a joint holds it, and impulses move it   [bodies]
    CnLinkagePlan plan;
    int* tree; // of each link   [link_count]
} KeptForest;

// What a constraint is to the trees.
typedef enum TreePart {
    JOINT,  // all of its rows are kept
    DRIVE,  // it keeps no position, or one row on one side
    UNKNOWN // anything else that may keep a position
} TreePart;

static TreePart part_of(const CnBoundConstraint* bound, double time) {
    const CnUserConstraint* constraint = bound->constraint;
    const CnConstraintKind* kind = constraint->kind;
    int soft = 0;
    for (int k = 0; k < kind->dimension; ++k) {
        soft += cn_constraint_compliance(constraint, k) > 0.0;
    }
    if (kind->force != NULL || kind->rate_only) {
        return DRIVE;
    }
    bool is_free = constraint->joint.index == 0; // its functions may do anything
    if (is_free && kind->force_bounds != NULL) {
        return UNKNOWN;
    }
    if (kind->force_bounds == NULL && kind->softness == NULL) {
        bool is_mimic = kind->body_count == 4;
        return soft == kind->dimension ? DRIVE : soft > 0 || is_mimic ? UNKNOWN : JOINT;
    }
    CnRowLimits limits[CN_MAX_ROWS];
    cn_world_row_limits(bound, time, limits);
    bool is_locked = limits[0].role == CN_ROW_KEEPS; // both limits are one
    return kind->dimension == 1 && !is_locked ? DRIVE : UNKNOWN;
}

// Lists joints as edges, and all others. False: something keeps a position that trees cannot, or
// comes to act and ceases to as its function says, which the lists do not follow.
static bool list_parts(KeptForest* forest) {
    CnWorld* world = forest->world;
    for (int i = 0; i < world->active.constraints.count; ++i) {
        int slot = world->active.constraints.data[i];
        CnBoundConstraint bound;
        if (cn_constraint_has_condition(cn_pool_at(&world->constraints, slot))) {
            return false;
        }
        if (!cn_world_bind_constraint(world, slot, NULL, world->time, &bound)) {
            forest->idle[forest->idle_count++] = slot;
            continue;
        }
        const CnUserConstraint* constraint = bound.constraint;
        TreePart part = part_of(&bound, world->time);
        if (part == UNKNOWN) {
            return false;
        }
        if (part == DRIVE) {
            const CnConstraintKind* kind = constraint->kind;
            CnPoolId id = cn_pool_id_at(&world->constraints, slot);
            forest->drives[forest->drive_count++] =
                (CnTreeDrive){.slot = slot,
                              .link = -1,
                              .generation = id.generation,
                              .key = cn_constraint_key(id),
                              .turns = CN_AXIS_PART_COUNT,
                              .may_stop = kind->force == NULL && !kind->rate_only};
            continue;
        }
        int bodies[2] = {cn_world_body_index(world, constraint->body_a),
                         cn_world_body_index(world, constraint->body_b)};
        for (int k = 0; k < 2; ++k) {
            const CnBody* body = bodies[k] < 0 ? NULL : &world->bodies.data[bodies[k]];
            if (body != NULL && body->mass->inverse_mass > 0.0) {
                const CnMat3* inertia = &body->mass->inertia;
                if (!(inertia->m[0][0] + inertia->m[1][1] + inertia->m[2][2] > 0.0)) {
                    return false; // it goes and does not turn
                }
                forest->moves[bodies[k]] = true;
            }
        }
        forest->slot[forest->edge_count] = slot;
        forest->edges[forest->edge_count++] =
            (CnLinkageEdge){bodies[0], bodies[1], constraint->kind->dimension};
    }
    return true;
}

// The links of A and B of an edge, by their numbers in the plan; -1: it does not move.
static void find_ends(const KeptForest* forest, int edge, int ends[2]) {
    const CnLinkageEdge* own = &forest->edges[edge];
    ends[0] = own->body_a < 0 ? -1 : forest->plan.link[own->body_a];
    ends[1] = own->body_b < 0 ? -1 : forest->plan.link[own->body_b];
}

static int first_of(int* with, int tree) {
    while (with[tree] != tree) {
        with[tree] = with[with[tree]];
        tree = with[tree];
    }
    return tree;
}

// Trees that loops connect count as one, with a root each. with: trees, each with a lower one.
static void join_trees(const KeptForest* forest, int* with) {
    for (int i = 0; i < forest->plan.loop_count; ++i) {
        int ends[2];
        find_ends(forest, forest->plan.loops[i], ends);
        if (ends[0] >= 0 && ends[1] >= 0) {
            int a = first_of(with, forest->tree[ends[0]]),
                b = first_of(with, forest->tree[ends[1]]);
            with[a > b ? a : b] = a > b ? b : a;
        }
    }
}

// Numbers the trees by their first roots; the scratch has room for as many as there are links.
static int number_trees(const KeptForest* forest, int* with, int* number) {
    int roots = 0, count = 0;
    for (int i = 0; i < forest->plan.link_count; ++i) {
        int parent = forest->plan.parent[i];
        forest->tree[i] = parent < 0 ? roots++ : forest->tree[parent];
    }
    for (int t = 0; t < roots; ++t) {
        with[t] = t;
    }
    join_trees(forest, with);
    for (int t = 0; t < roots; ++t) {
        int first = first_of(with, t);
        number[t] = first == t ? count++ : number[first];
    }
    for (int i = 0; i < forest->plan.link_count; ++i) {
        forest->tree[i] = number[forest->tree[i]];
    }
    return count;
}

static CnFrameForm form_of(const CnUserConstraint* constraint) {
    if (constraint->joint.index == 0 || constraint->kind->time_rate != NULL) {
        return CN_FORM_OTHER;
    }
    CnJointPart* part = constraint->data;
    return cn_frame_form(cn_joint_part_rows(part), part->row_count);
}

// Whether a constraint is a joint's part that measures nothing from the world: what it does to one
// body is the reaction to what it does to the other.
static bool is_between(const CnUserConstraint* constraint) {
    return constraint->joint.index != 0 && constraint->kind->body_count < 4 &&
           !cn_part_is_grounded(constraint->data);
}

// The joint of an edge, -1: none, at a body.
static CnTreeLink make_link(const KeptForest* forest, int body, int edge) {
    CnTreeLink link = {.body = body, .slot = -1, .body_a = -1, .body_b = -1};
    if (edge >= 0) {
        const CnUserConstraint* constraint =
            cn_pool_at(&forest->world->constraints, forest->slot[edge]);
        link.slot = forest->slot[edge];
        link.body_a = forest->edges[edge].body_a;
        link.body_b = forest->edges[edge].body_b;
        link.row_count = forest->edges[edge].weight;
        link.form = form_of(constraint);
        link.is_steady = constraint->joint.index != 0 && constraint->kind->time_rate == NULL;
        link.is_between = is_between(constraint);
        link.sign = link.body_b == link.body ? 1.0 : -1.0;
    }
    return link;
}

// Copies what is read of a joint in closed form at each pose. They do not change while it acts.
static void keep_frames(const CnWorld* world, CnTreeLink* link, CnTransform frames[2]) {
    if (link->form != CN_FORM_OTHER) {
        const CnUserConstraint* constraint = cn_pool_at(&world->constraints, link->slot);
        const CnJointPart* part = constraint->data;
        frames[0] = part->frames.a;
        frames[1] = part->frames.b;
        link->frames = frames;
    }
}

// Copies the links, a tree after the other. place: of each link of the plan, in the store.
static CnStatus add_links(const KeptForest* forest, CnTreeStore* store, int* place) {
    const CnLinkagePlan* plan = &forest->plan;
    for (int i = 0; i < plan->link_count; ++i) {
        ++store->trees[forest->tree[i]].link_count;
    }
    for (int t = 1; t < store->tree_count; ++t) {
        const CnJointTree* last = &store->trees[t - 1];
        store->trees[t].first_link = last->first_link + last->link_count;
    }
    for (int t = 0; t < store->tree_count; ++t) {
        CnJointTree* tree = &store->trees[t];
        tree->parent = CN_ARENA_RAW(&store->arena, int, tree->link_count);
        tree->first_axis = CN_ARENA_NEW(&store->arena, int, tree->link_count + 1);
        if (tree->parent == NULL || tree->first_axis == NULL) {
            return CN_NO_MEMORY;
        }
        tree->link_count = 0;
    }
    store->joint_count = 0;
    for (int i = 0; i < plan->link_count; ++i) {
        CnJointTree* tree = &store->trees[forest->tree[i]];
        int own = tree->link_count++;
        CnTreeLink* link = &store->links[tree->first_link + own];
        *link = make_link(forest, plan->body[i], plan->edge[i]);
        store->joint_count += link->slot >= 0;
        link->rows = &store->rows[tree->first_link + own];
        link->turned = &store->turned[tree->first_link + own];
        keep_frames(forest->world, link, store->frames + 2 * (tree->first_link + own));
        place[i] = tree->first_link + own;
        tree->parent[own] = plan->parent[i] < 0 ? -1 : place[plan->parent[i]] - tree->first_link;
        tree->first_axis[own + 1] = tree->first_axis[own] + 6 - link->row_count;
    }
    CnStatus status = CN_OK;
    for (int t = 0; status == CN_OK && t < store->tree_count; ++t) {
        CnJointTree* tree = &store->trees[t];
        status = cn_linkage_init(&tree->links, tree->link_count, tree->parent, tree->first_axis,
                                 &store->arena);
        status = status == CN_OK
                     ? cn_tree_groups_find(tree, store->links + tree->first_link, &store->arena)
                     : status;
    }
    return status;
}

// The link whose joint a drive is on, by its number in the plan; -1: none.
static int link_of(const KeptForest* forest, int slot) {
    const CnUserConstraint* constraint = cn_pool_at(&forest->world->constraints, slot);
    int bodies[2] = {cn_world_body_index(forest->world, constraint->body_a),
                     cn_world_body_index(forest->world, constraint->body_b)};
    int links[2];
    for (int k = 0; k < 2; ++k) {
        links[k] = bodies[k] < 0 ? -1 : forest->plan.link[bodies[k]];
    }
    for (int k = 0; k < 2; ++k) {
        if (links[k] >= 0 && forest->plan.edge[links[k]] >= 0 &&
            forest->plan.parent[links[k]] == links[1 - k]) {
            return links[k];
        }
    }
    return -1;
}

// Whether a drive is a part of the joint of a link, with one row.
static bool is_on_axis(const CnWorld* world, const CnTreeDrive* drive, const CnTreeLink* link) {
    const CnUserConstraint* own = cn_pool_at(&world->constraints, drive->slot);
    CnJointId joint = ((const CnUserConstraint*)cn_pool_at(&world->constraints, link->slot))->joint;
    return own->joint.index != 0 && own->joint.index == joint.index &&
           own->joint.generation == joint.generation && own->kind->body_count < 4 &&
           own->kind->dimension == 1;
}

// What a drive is about the axis of a hinge, if its row is the turn of the hinge and is posed in
// short: cn_trees_pose_run().
static CnAxisPartType turns_of(const CnWorld* world, const CnTreeDrive* drive,
                               const CnTreeLink* link) {
    static const CnAxisPartType plain[] = {CN_AXIS_PART_LIMIT, CN_AXIS_PART_MOTOR,
                                           CN_AXIS_PART_FRICTION};
    const CnUserConstraint* own = cn_pool_at(&world->constraints, drive->slot);
    for (size_t i = 0; drive->is_between && i < sizeof plain / sizeof plain[0]; ++i) {
        const CnJointRow* row = cn_joint_part_rows(own->data);
        if (own->kind == cn_axis_part_kind(plain[i]) && link->form == CN_FORM_HINGE &&
            row->term_count == 1 && row->terms[0].measure == &cn_measure_twist) {
            return plain[i];
        }
    }
    return CN_AXIS_PART_COUNT;
}

// Copies the drives, a tree after the other, in their order; those on no link last.
static void add_drives(const KeptForest* forest, CnTreeStore* store, const int* place) {
    const CnPool* slots = &forest->world->constraints;
    for (int i = 0; i < forest->drive_count; ++i) {
        CnTreeDrive* drive = &forest->drives[i];
        int link = link_of(forest, drive->slot);
        drive->link = link < 0 ? -1 : place[link];
        if (link < 0) {
            ++store->loose_count;
        } else {
            drive->is_on_axis = is_on_axis(forest->world, drive, &store->links[drive->link]);
            drive->is_between = drive->is_on_axis && is_between(cn_pool_at(slots, drive->slot));
            drive->turns = turns_of(forest->world, drive, &store->links[drive->link]);
            drive->part = drive->turns == CN_AXIS_PART_COUNT
                              ? NULL
                              : ((const CnUserConstraint*)cn_pool_at(slots, drive->slot))->data;
            CnTreeLink* turned = &store->links[drive->link];
            turned->is_turned =
                turned->is_turned || (drive->is_on_axis && turned->form == CN_FORM_HINGE);
            ++store->trees[forest->tree[link]].drive_count;
            ++store->drive_count;
        }
    }
    for (int t = 1; t < store->tree_count; ++t) {
        const CnJointTree* last = &store->trees[t - 1];
        store->trees[t].first_drive = last->first_drive + last->drive_count;
    }
    for (int t = 0; t < store->tree_count; ++t) {
        store->trees[t].drive_count = 0;
    }
    int loose = store->drive_count;
    for (int i = 0; i < forest->drive_count; ++i) {
        const CnTreeDrive* drive = &forest->drives[i];
        if (drive->link < 0) {
            store->drives[loose++] = *drive;
            continue;
        }
        int body = store->links[drive->link].body;
        CnJointTree* tree = &store->trees[forest->tree[forest->plan.link[body]]];
        store->drives[tree->first_drive + tree->drive_count++] = *drive;
    }
}

// Counts loops and their rows. False: a tree has too many of them and is no net, or a joint moves
// nothing.
static bool count_loops(const KeptForest* forest, CnTreeStore* store) {
    bool suits = true;
    for (int i = 0; i < forest->plan.loop_count; ++i) {
        int edge = forest->plan.loops[i], ends[2];
        find_ends(forest, edge, ends);
        int link = ends[0] >= 0 ? ends[0] : ends[1];
        if (link < 0) {
            return false;
        }
        CnTreeLoops* loops = &store->trees[forest->tree[link]].loops;
        ++loops->count;
        loops->row_count += forest->edges[edge].weight;
    }
    for (int t = 0; t < store->tree_count; ++t) {
        const CnTreeLoops* loops = &store->trees[t].loops;
        suits = suits && (loops->row_count <= CN_TREE_LOOP_ROWS || cn_tree_is_net(loops));
    }
    return suits;
}

static CnStatus allocate_loops(const CnJointTree* tree, CnArena* arena, CnTreeLoops* loops) {
    int rows = loops->row_count, axes = tree->first_axis[tree->link_count];
    loops->loops = CN_ARENA_NEW(arena, CnTreeLoop, loops->count);
    loops->rows = CN_ARENA_NEW(arena, CnTreeRows, loops->count);
    loops->turned = CN_ARENA_NEW(arena, CnTreeTurn, loops->count);
    loops->frames = CN_ARENA_NEW(arena, CnTransform, 2 * loops->count + 1);
    loops->wanted = CN_ARENA_NEW(arena, double, rows);
    if (loops->loops == NULL || loops->rows == NULL || loops->turned == NULL ||
        loops->frames == NULL || loops->wanted == NULL) {
        return CN_NO_MEMORY;
    }
    if (cn_tree_is_net(loops)) {
        return CN_OK;
    }
    loops->row = cn_arena_allocate(arena, (size_t)loops->count, sizeof *loops->row);
    loops->y = CN_ARENA_RAW(arena, double, CN_LOOP_LANES * loops->count * axes);
    loops->w = CN_ARENA_RAW(arena, double, rows* rows);
    loops->impulse = CN_ARENA_NEW(arena, double, rows);
    loops->along = CN_ARENA_RAW(arena, double, axes);
    loops->change = cn_arena_allocate_raw(arena, (size_t)tree->link_count, sizeof *loops->change);
    loops->star.loop_at = CN_ARENA_RAW(arena, int, tree->link_count);
    loops->star.own_link = CN_ARENA_RAW(arena, int, tree->link_count);
    loops->star.first_own = CN_ARENA_RAW(arena, int, loops->count + 1);
    loops->star.own = cn_arena_allocate_raw(arena, (size_t)loops->count, sizeof *loops->star.own);
    loops->star.reply = cn_arena_allocate_raw(arena, (size_t)rows, sizeof *loops->star.reply);
    CnStatus status = cn_dense_ldlt_init(&loops->ldlt, rows, arena);
    bool has_memory = loops->row != NULL && loops->y != NULL && loops->w != NULL &&
                      loops->impulse != NULL && loops->along != NULL && loops->change != NULL &&
                      loops->star.loop_at != NULL && loops->star.own_link != NULL &&
                      loops->star.first_own != NULL && loops->star.own != NULL &&
                      loops->star.reply != NULL;
    return has_memory ? status : CN_NO_MEMORY;
}

// Copies the loops, once they are counted. place: of each link of the plan, in the store.
static CnStatus add_loops(const KeptForest* forest, CnTreeStore* store, const int* place) {
    CnStatus status = CN_OK;
    for (int t = 0; status == CN_OK && t < store->tree_count; ++t) {
        CnJointTree* tree = &store->trees[t];
        if (tree->loops.count > 0) {
            status = allocate_loops(tree, &store->arena, &tree->loops);
        }
        tree->loops.count = tree->loops.row_count = 0;
    }
    for (int i = 0; status == CN_OK && i < forest->plan.loop_count; ++i) {
        int edge = forest->plan.loops[i], ends[2];
        find_ends(forest, edge, ends);
        int child = ends[1] >= 0 ? ends[1] : ends[0];
        CnJointTree* tree = &store->trees[forest->tree[child]];
        int own = tree->loops.count++;
        CnTreeLoop* loop = &tree->loops.loops[own];
        loop->joint = make_link(forest, forest->plan.body[child], edge);
        loop->joint.rows = &tree->loops.rows[own];
        loop->joint.turned = &tree->loops.turned[own];
        keep_frames(forest->world, &loop->joint, tree->loops.frames + 2 * own);
        loop->row = tree->loops.row == NULL ? NULL : tree->loops.row[own];
        loop->first_row = tree->loops.row_count;
        loop->lanes = loop->joint.row_count > CN_LINKAGE_ROWS ? CN_LOOP_LANES : CN_LINKAGE_ROWS;
        loop->y = tree->loops.y == NULL
                      ? NULL
                      : tree->loops.y + CN_LOOP_LANES * own * tree->first_axis[tree->link_count];
        tree->loops.row_count += loop->joint.row_count;
        for (int k = 0; k < 2; ++k) {
            loop->end[k] = ends[k] < 0 ? -1 : place[ends[k]] - tree->first_link;
        }
    }
    for (int t = 0; status == CN_OK && t < store->tree_count; ++t) {
        if (store->trees[t].loops.star.loop_at != NULL) {
            cn_loop_star_plan(&store->trees[t]);
        }
    }
    return status;
}

// Where bodies and constraints are to be found.
static void note_places(const KeptForest* forest, CnTreeStore* store) {
    const CnWorld* world = forest->world;
    size_t slots = (size_t)cn_pool_slot_count(&world->constraints);
    memset(store->tree_of, -1, (size_t)world->bodies.count * sizeof(int));
    memset(store->place, -1, slots * sizeof(int));
    for (int t = 0; t < store->tree_count; ++t) {
        const CnJointTree* tree = &store->trees[t];
        for (int i = tree->first_link; i < tree->first_link + tree->link_count; ++i) {
            store->tree_of[store->links[i].body] = t;
            if (store->links[i].slot >= 0) {
                store->place[store->links[i].slot] = i;
                store->joints[store->links[i].slot] = &store->links[i];
            }
        }
        for (int i = 0; i < tree->loops.count; ++i) {
            CnTreeLink* joint = &tree->loops.loops[i].joint;
            store->joints[joint->slot] = joint;
        }
    }
    for (int i = 0; i < store->drive_count; ++i) {
        store->place[store->drives[i].slot] = -2 - i;
    }
}

static CnStatus keep(KeptForest* forest, CnTreeStore* store, CnArena* scratch) {
    size_t links = (size_t)forest->plan.link_count;
    CnArena* arena = &store->arena;
    forest->tree = CN_ARENA_RAW(scratch, int, links);
    int* place = CN_ARENA_RAW(scratch, int, links);
    int* with = CN_ARENA_RAW(scratch, int, links);
    if (forest->tree == NULL || place == NULL || with == NULL) {
        return CN_NO_MEMORY;
    }
    store->tree_count = number_trees(forest, with, place);
    store->link_count = forest->plan.link_count;
    store->trees = CN_ARENA_NEW(arena, CnJointTree, store->tree_count);
    store->links = CN_ARENA_RAW(arena, CnTreeLink, links);
    store->rows = CN_ARENA_RAW(arena, CnTreeRows, links);
    store->turned = CN_ARENA_NEW(arena, CnTreeTurn, links);
    store->frames = CN_ARENA_NEW(arena, CnTransform, 2 * links + 1);
    store->drives = CN_ARENA_RAW(arena, CnTreeDrive, forest->drive_count);
    store->idle = CN_ARENA_RAW(arena, int, forest->idle_count);
    store->saved = CN_ARENA_RAW(arena, CnBodyState, links);
    store->tree_of = CN_ARENA_RAW(arena, int, forest->world->bodies.count);
    store->place = CN_ARENA_RAW(arena, int, cn_pool_slot_count(&forest->world->constraints));
    store->first_row = CN_ARENA_RAW(arena, int, links);
    store->trace = CN_ARENA_RAW(arena, double, links);
    store->joints =
        CN_ARENA_NEW(arena, CnTreeLink*, cn_pool_slot_count(&forest->world->constraints));
    bool has_memory = store->trees != NULL && store->links != NULL && store->rows != NULL &&
                      store->turned != NULL && store->frames != NULL && store->drives != NULL &&
                      store->idle != NULL && store->saved != NULL && store->tree_of != NULL &&
                      store->place != NULL && store->first_row != NULL && store->trace != NULL &&
                      store->joints != NULL;
    double(** const twists[])[6] = {&store->twist,     &store->momentum, &store->moved,
                                    &store->wrench,    &store->given,    &store->late,
                                    &store->hinge_axis};
    for (size_t i = 0; i < sizeof twists / sizeof twists[0]; ++i) {
        *twists[i] = cn_arena_allocate_raw(arena, links, sizeof(double[6]));
        has_memory = has_memory && *twists[i] != NULL;
    }
    store->late_impulse = cn_arena_allocate_raw(arena, links, sizeof *store->late_impulse);
    has_memory = has_memory && store->late_impulse != NULL;
    CnStatus status = has_memory ? add_links(forest, store, place) : CN_NO_MEMORY;
    bool suits = status == CN_OK && count_loops(forest, store);
    if (suits) {
        status = add_loops(forest, store, place);
    }
    store->serves = suits && status == CN_OK;
    if (store->serves) {
        add_drives(forest, store, place);
        for (int t = 0; status == CN_OK && t < store->tree_count; ++t) {
            status = cn_tree_list_points(store, &store->trees[t]);
        }
        store->idle_count = forest->idle_count;
        memcpy(store->idle, forest->idle, (size_t)forest->idle_count * sizeof(int));
        note_places(forest, store);
    }
    return status;
}

static CnStatus build(CnWorld* world, CnTreeStore* store) {
    CnArena* scratch = &world->arena;
    int count = world->active.constraints.count;
    KeptForest forest = {
        .world = world,
        .edges = CN_ARENA_RAW(scratch, CnLinkageEdge, count),
        .slot = CN_ARENA_RAW(scratch, int, count),
        .drives = CN_ARENA_RAW(scratch, CnTreeDrive, count),
        .idle = CN_ARENA_RAW(scratch, int, count),
        .moves = CN_ARENA_NEW(scratch, bool, world->order.count),
    };
    if (forest.edges == NULL || forest.slot == NULL || forest.drives == NULL ||
        forest.idle == NULL || forest.moves == NULL) {
        return CN_NO_MEMORY;
    }
    if (!list_parts(&forest) || forest.edge_count == 0) {
        return CN_OK;
    }
    CnStatus status = cn_linkage_plan(world->order.count, forest.moves, forest.edge_count,
                                      forest.edges, scratch, &forest.plan);
    return status == CN_OK ? keep(&forest, store, scratch) : status;
}

static CnTreeStore* create(const CnAllocator* allocator) {
    CnTreeStore* store = cn_allocate(allocator, 1, sizeof *store);
    if (store != NULL) {
        cn_arena_init(&store->arena, allocator);
    }
    return store;
}

CnStatus cn_trees_update(CnWorld* world) {
    if (world->trees == NULL) {
        world->trees = create(&world->allocator);
    }
    CnTreeStore* store = world->trees;
    if (store == NULL) {
        return CN_NO_MEMORY;
    }
    if (store->version == world->active.version && store->changes == world->joint_changes) {
        return CN_OK;
    }
    CnArena arena = store->arena;
    CnArenaMark mark = cn_arena_mark(&world->arena);
    cn_arena_release(&arena, (CnArenaMark){0});
    *store = (CnTreeStore){.arena = arena};
    CnStatus status = build(world, store);
    cn_arena_release(&world->arena, mark);
    if (status == CN_OK) {
        store->version = world->active.version;
        store->changes = world->joint_changes;
    } else { // no memory: it is built in part, and cleared but for its arena
        *store = (CnTreeStore){.arena = store->arena};
    }
    return status;
}

void cn_trees_forget_idle(const CnWorld* world) {
    for (int i = 0; i < world->trees->idle_count; ++i) {
        CnUserConstraint* constraint = cn_pool_element(&world->constraints, world->trees->idle[i]);
        memset(constraint->value, 0, sizeof constraint->value);
        memset(constraint->role, CN_ROW_DRIVES, sizeof constraint->role);
    }
}

bool cn_trees_are_known(const CnWorld* world) {
    const CnTreeStore* store = world->trees;
    return store != NULL && store->serves && store->version == world->active.version &&
           store->changes == world->joint_changes;
}

bool cn_trees_are_at(const CnWorld* world, CnTreesAt at) {
    return cn_trees_are_known(world) && world->trees->at == at;
}

void cn_trees_forget_poses(CnWorld* world) {
    CnTreeStore* store = world->trees;
    if (store != NULL) {
        store->at = CN_TREES_NOWHERE;
        store->has_late = store->poses_all = false;
        for (int i = 0; i < store->drive_count; ++i) {
            store->drives[i].is_far = store->drives[i].is_left_out = false;
        }
        for (int t = 0; t < store->tree_count; ++t) {
            store->trees[t].is_solved = store->trees[t].has_posed_groups = false;
        }
    }
}

void cn_trees_free(CnTreeStore* store, const CnAllocator* allocator) {
    if (store != NULL) {
        cn_arena_destroy(&store->arena);
        cn_release(allocator, store);
    }
}
