// broad_phase.c - which boxes may meet: pairs kept from step to step.
#include "collision/broad/broad_phase.h"

#include "base/error.h"

// A fat box reaches this share of its box's longest edge further out: small enough that a dense
// packing gets few idle pairs, large enough that trembling and settling stay inside.
#define MARGIN_SHARE 0.05f

// And so many updates ahead along the way the box has come, but no further than it is long.
#define UPDATES_AHEAD 8.0f
#define FURTHER_AHEAD 4.0f // of boxes that look ahead themselves

// Every so many updates fat boxes are checked for being far too large, as those of things that
// were fast are. The number is odd, because callers alternate between updates that look ahead and
// others, which keep the sizes.
#define SHRINK_PERIOD 3
#define SHRINK_RATIO 2.0f // of surfaces
#define TIGHT_RATIO 1.3f  // of boxes that come only when they change

// From this share of its leaves on a tree is refitted rather than changed leaf by leaf: one
// insertion costs as much as refitting some thirty nodes.
#define REFIT_SHARE 32

// A refitted tree that has become this much dearer than it was when built is built anew.
#define COST_RATIO 1.25

// And any tree, once each of its leaves has changed this often on average: a cost that should have
// fallen but did not is never noticed otherwise. The build costs less than so many changes.
#define CHANGES_PER_BUILD 8

// A tree of so few leaves is changed leaf by leaf: building it looks at all proxies.
#define FEW_LEAVES 32

// Boxes that one task compares with fat ones.
#define BOXES_PER_PART 64

// Boxes that reach further out [m] are kept out of the trees: their surfaces would overflow.
#define FARTHEST 1e18

static const CnFloatBox everywhere = {{-INFINITY, -INFINITY, -INFINITY},
                                      {INFINITY, INFINITY, INFINITY}};
static const CnFloatBox nowhere = {{INFINITY, INFINITY, INFINITY},
                                   {-INFINITY, -INFINITY, -INFINITY}};

typedef struct Update {
    CnBroadPhase* phase;
    const CnProxyBounds* boxes; // [count]
    int count;
    CnPairFilter* filter;
    void* data;
} Update;

void cn_broad_phase_init(CnBroadPhase* phase, const CnAllocator* allocator) {
    *phase = (CnBroadPhase){.complete = true};
    if (allocator != NULL) {
        phase->allocator = *allocator;
    }
    cn_tree_init(&phase->trees[0], allocator);
    cn_tree_init(&phase->trees[1], allocator);
}

void cn_broad_phase_destroy(CnBroadPhase* phase) {
    const CnAllocator* allocator = &phase->allocator;
    cn_array_free(&phase->proxies, allocator);
    cn_array_free(&phase->fat, allocator);
    cn_array_free(&phase->stirred, allocator);
    cn_array_free(&phase->stirred_list, allocator);
    cn_array_free(&phase->unbounded, allocator);
    cn_array_free(&phase->moved, allocator);
    cn_array_free(&phase->members, allocator);
    cn_array_free(&phase->part_counts, allocator);
    cn_tree_destroy(&phase->trees[0]);
    cn_tree_destroy(&phase->trees[1]);
    for (int i = 0; i < phase->finders.count; ++i) {
        cn_tree_query_free(&phase->finders.data[i].query, allocator);
        cn_array_free(&phase->finders.data[i].found, allocator);
    }
    cn_array_free(&phase->finders, allocator);
    cn_pair_set_free(&phase->set, allocator);
}

// Room for everything that grows with the number of proxies: an update can then lack memory only
// for pairs, and trees are never left half changed.
static bool make_room(CnBroadPhase* phase, int count, bool moves) {
    const CnAllocator* allocator = &phase->allocator;
    return cn_array_reserve(&phase->proxies, allocator, count) &&
           cn_array_reserve(&phase->fat, allocator, count) &&
           cn_array_reserve(&phase->stirred, allocator, count) &&
           cn_array_reserve(&phase->stirred_list, allocator, count) &&
           cn_array_reserve(&phase->unbounded, allocator, count) &&
           cn_array_reserve(&phase->moved, allocator, count) &&
           cn_array_reserve(&phase->members, allocator, count) &&
           cn_array_reserve(&phase->part_counts, allocator, count / BOXES_PER_PART + 1) &&
           cn_tree_reserve(&phase->trees[!moves], count, 0) &&
           cn_tree_reserve(&phase->trees[moves], count, count);
}

// The next update finds the pairs of a proxy anew.
static void stir(CnBroadPhase* phase, int proxy) {
    if (!phase->stirred.data[proxy]) {
        phase->stirred_list.data[phase->stirred_list.count++] = proxy;
    }
    phase->stirred.data[proxy] = 1;
    phase->is_stirred = true;
}

// After the flags came from elsewhere.
static void list_stirred(CnBroadPhase* phase) {
    phase->stirred_list.count = 0;
    for (int i = 0; i < phase->proxies.count; ++i) {
        if (phase->stirred.data[i]) {
            phase->stirred_list.data[phase->stirred_list.count++] = i;
        }
    }
}

// A number that was used before may still have pairs: they are dropped because it is stirred.
bool cn_broad_phase_add(CnBroadPhase* phase, int proxy, bool moves) {
    int count = phase->proxies.count;
    CN_ASSERT(proxy <= count && (proxy == count || phase->proxies.data[proxy].removed));
    if (!make_room(phase, proxy < count ? count : proxy + 1, moves)) {
        return false;
    }
    if (proxy == count) {
        phase->proxies.count = phase->fat.count = phase->stirred.count = count + 1;
        phase->stirred.data[proxy] = 0;
    }
    phase->proxies.data[proxy] = (CnProxy){.moves = moves, .is_new = true};
    phase->fat.data[proxy] = nowhere; // which every box has left
    stir(phase, proxy);
    return true;
}

static bool copy_tree(CnTree* tree, const CnTree* from) {
    tree->first_free = from->first_free;
    tree->root = from->root;
    tree->root_box = from->root_box;
    tree->leaf_count = from->leaf_count;
    return cn_array_copy(&tree->nodes, &tree->allocator, &from->nodes) &&
           cn_array_copy(&tree->place, &tree->allocator, &from->place);
}

// Between updates: nothing is added, loose or lost.
bool cn_broad_phase_copy(CnBroadPhase* phase, const CnBroadPhase* from) {
    const CnAllocator* allocator = &phase->allocator;
    for (int i = 0; i < 2; ++i) {
        phase->change_count[i] = from->change_count[i];
        phase->placed_count[i] = from->placed_count[i];
        phase->built_cost[i] = from->built_cost[i];
        if (!copy_tree(&phase->trees[i], &from->trees[i])) {
            return false;
        }
    }
    phase->update_count = from->update_count;
    phase->is_stirred = from->is_stirred;
    phase->complete = from->complete;
    phase->has_new_pairs = from->has_new_pairs;
    return cn_array_copy(&phase->proxies, allocator, &from->proxies) &&
           cn_array_copy(&phase->fat, allocator, &from->fat) &&
           cn_array_copy(&phase->stirred, allocator, &from->stirred) &&
           cn_array_copy(&phase->stirred_list, allocator, &from->stirred_list) &&
           cn_array_copy(&phase->unbounded, allocator, &from->unbounded) &&
           cn_array_copy(&phase->set.pairs, allocator, &from->set.pairs) &&
           cn_array_copy(&phase->set.records, allocator, &from->set.records) &&
           make_room(phase, from->proxies.count, true) &&
           make_room(phase, from->proxies.count, false);
}

static void forget_unbounded(CnBroadPhase* phase, int proxy) {
    int kept = 0;
    for (int i = 0; i < phase->unbounded.count; ++i) {
        if (phase->unbounded.data[i] != proxy) {
            phase->unbounded.data[kept++] = phase->unbounded.data[i];
        }
    }
    phase->unbounded.count = kept;
}

void cn_broad_phase_remove(CnBroadPhase* phase, int proxy) {
    CnProxy* p = &phase->proxies.data[proxy];
    CN_ASSERT(!p->removed);
    if (p->unbounded) {
        forget_unbounded(phase, proxy);
    } else if (!p->is_new) {
        cn_tree_remove(&phase->trees[p->moves], proxy);
    }
    p->removed = true;
    p->unbounded = false;
    stir(phase, proxy); // the next update drops its pairs
}

void cn_broad_phase_filter_again(CnBroadPhase* phase, int proxy) {
    stir(phase, proxy);
}

// NaN counts as unbounded too: such a box must not get into a tree.
static bool is_bounded(const CnBounds* b) {
    return b->low.x >= -FARTHEST && b->low.y >= -FARTHEST && b->low.z >= -FARTHEST &&
           b->high.x <= FARTHEST && b->high.y <= FARTHEST && b->high.z <= FARTHEST;
}

static float larger(float a, float b) {
    return a > b ? a : b;
}

static float middle_of(const CnFloatBox* box, int axis) {
    return 0.5f * box->low[axis] + 0.5f * box->high[axis];
}

// The box, grown by a margin all around and by the way it will probably go
// (docs/theory/collision/broad_phase.md (5)). What never moves needs neither.
static CnFloatBox fatten(const CnBroadPhase* phase, const CnProxy* proxy, const CnFloatBox* tight) {
    CnFloatBox box = *tight;
    if (!proxy->moves) {
        return box;
    }
    float longest = 0.0f;
    for (int i = 0; i < 3; ++i) {
        longest = larger(longest, box.high[i] - box.low[i]);
    }
    uint32_t updates = phase->update_count - proxy->fitted;
    float most = phase->looks_ahead ? FURTHER_AHEAD : UPDATES_AHEAD;
    float ahead = proxy->is_new ? 0.0f : most / (float)(updates > 0 ? updates : 1);
    for (int i = 0; i < 3; ++i) {
        float way = ahead * (middle_of(&box, i) - proxy->middle[i]);
        box.low[i] -= MARGIN_SHARE * longest + larger(0.0f, -way < longest ? -way : longest);
        box.high[i] += MARGIN_SHARE * longest + larger(0.0f, way < longest ? way : longest);
    }
    return box;
}

// tight: around the bounds of a proxy, which are in its fat box.
static bool is_far_too_large(const CnBroadPhase* phase, int i, const CnFloatBox* tight) {
    const CnProxy* proxy = &phase->proxies.data[i];
    if (proxy->unbounded) {
        return false;
    }
    float allowed =
        cn_float_box_area(&phase->fat.data[i]) / (phase->looks_ahead ? TIGHT_RATIO : SHRINK_RATIO);
    if (cn_float_box_area(tight) >= allowed) { // a fresh one is larger still
        return false;
    }
    CnFloatBox fresh = fatten(phase, proxy, tight);
    return cn_float_box_area(&fresh) < allowed;
}

static void list_unbounded(CnBroadPhase* phase, int i) {
    CnProxy* proxy = &phase->proxies.data[i];
    if (proxy->unbounded) {
        return;
    }
    if (!proxy->is_new) {
        cn_tree_remove(&phase->trees[proxy->moves], i);
    }
    phase->unbounded.data[phase->unbounded.count++] = i;
    phase->fat.data[i] = everywhere;
    proxy->unbounded = true;
    proxy->is_new = false;
}

// A fat box around the box of a proxy, which is bounded.
static void refit(CnBroadPhase* phase, int i, const CnFloatBox* tight) {
    CnProxy* proxy = &phase->proxies.data[i];
    phase->fat.data[i] = fatten(phase, proxy, tight);
    for (int axis = 0; axis < 3; ++axis) {
        proxy->middle[axis] = middle_of(tight, axis);
    }
    proxy->fitted = phase->update_count;
}

static bool stays_bounded(const CnBroadPhase* phase, int i, const CnBounds* bounds) {
    return !phase->proxies.data[i].unbounded && is_bounded(bounds);
}

static bool shrinks(const CnBroadPhase* phase, uint32_t update) {
    return !phase->keeps_size && (phase->looks_ahead || update % SHRINK_PERIOD == 0);
}

bool cn_broad_phase_shrinks(const CnBroadPhase* phase) {
    return shrinks(phase, phase->update_count + 1);
}

// New fat boxes for all of a part that have left theirs. They are listed from the first place of
// the part on, those that do not stay bounded as ~i. Returns how many.
static int fit_part(const Update* update, int part, bool shrink) {
    CnBroadPhase* phase = update->phase;
    int first = part * BOXES_PER_PART, end = first + BOXES_PER_PART, count = 0;
    for (int k = first; k < end && k < update->count; ++k) {
        int i = update->boxes[k].proxy;
        const CnBounds* bounds = &update->boxes[k].bounds;
        bool is_inside = cn_float_box_contains(&phase->fat.data[i], bounds);
        if (is_inside && !shrink) {
            continue;
        }
        CnFloatBox tight = cn_float_box_around(bounds);
        if (is_inside && !is_far_too_large(phase, i, &tight)) {
            continue;
        }
        bool is_in_tree = stays_bounded(phase, i, bounds);
        if (is_in_tree) {
            refit(phase, i, &tight);
        }
        phase->moved.data[first + count++] = is_in_tree ? i : ~i;
    }
    return count;
}

static void fit_range(int begin, int end, int worker, void* data) {
    const Update* update = data;
    bool shrink = shrinks(update->phase, update->phase->update_count);
    (void)worker;
    for (int part = begin; part < end; ++part) {
        update->phase->part_counts.data[part] = fit_part(update, part, shrink);
    }
}

// New fat boxes for all that have left theirs; those that stay bounded are listed as moved, in
// order.
static void fit_moved(Update* update) {
    CnBroadPhase* phase = update->phase;
    int parts = (update->count + BOXES_PER_PART - 1) / BOXES_PER_PART;
    cn_tasks_for(phase->tasks, parts, 1, fit_range, update);
    phase->moved.count = 0;
    for (int part = 0; part < parts; ++part) {
        int first = part * BOXES_PER_PART, end = first + phase->part_counts.data[part];
        for (int k = first; k < end; ++k) {
            int i = phase->moved.data[k];
            stir(phase, i >= 0 ? i : ~i);
            if (i >= 0) {
                phase->moved.data[phase->moved.count++] = i;
            } else {
                list_unbounded(phase, ~i);
            }
        }
    }
}

static bool build_tree(CnBroadPhase* phase, bool moves) {
    int count = 0;
    for (int i = 0; i < phase->proxies.count; ++i) {
        CnProxy* proxy = &phase->proxies.data[i];
        bool is_somewhere = phase->fat.data[i].low[0] <= phase->fat.data[i].high[0];
        if (proxy->moves == moves && !proxy->unbounded && !proxy->removed && is_somewhere) {
            phase->members.data[count++] = i;
        }
    }
    if (!cn_tree_build(&phase->trees[moves], phase->members.data, count, phase->fat.data)) {
        return false;
    }
    for (int k = 0; k < count; ++k) {
        phase->proxies.data[phase->members.data[k]].is_new = false;
    }
    phase->change_count[moves] = phase->placed_count[moves] = 0;
    phase->built_cost[moves] = cn_tree_cost(&phase->trees[moves]);
    return true;
}

bool cn_broad_phase_rebuild(CnBroadPhase* phase) {
    int count = phase->proxies.count;
    if (!make_room(phase, count, false) || !make_room(phase, count, true)) {
        return false;
    }
    list_stirred(phase);
    return build_tree(phase, false) && build_tree(phase, true);
}

static void move_leaf(CnBroadPhase* phase, int i) {
    CnProxy* proxy = &phase->proxies.data[i];
    CnTree* tree = &phase->trees[proxy->moves];
    if (!proxy->is_new) {
        cn_tree_remove(tree, i);
    }
    cn_tree_insert(tree, i, &phase->fat.data[i]);
    proxy->is_new = false;
}

void cn_broad_phase_place(CnBroadPhase* phase, int proxy, const CnBounds* bounds) {
    if (cn_float_box_contains(&phase->fat.data[proxy], bounds)) {
        return;
    }
    const CnProxy* p = &phase->proxies.data[proxy];
    stir(phase, proxy);
    if (!stays_bounded(phase, proxy, bounds)) {
        list_unbounded(phase, proxy);
    } else {
        CnFloatBox tight = cn_float_box_around(bounds);
        refit(phase, proxy, &tight);
        phase->placed_count[p->moves] += p->is_new;
        ++phase->change_count[p->moves];
        move_leaf(phase, proxy);
    }
}

static void change_leaves(CnBroadPhase* phase, bool moves, bool in_place) {
    CnTree* tree = &phase->trees[moves];
    for (int k = 0; k < phase->moved.count; ++k) {
        int i = phase->moved.data[k];
        const CnProxy* proxy = &phase->proxies.data[i];
        if (proxy->moves != moves) {
            continue;
        }
        if (in_place && !proxy->is_new) {
            cn_tree_set_box(tree, i, &phase->fat.data[i]);
        } else {
            move_leaf(phase, i);
        }
    }
}

static bool update_tree(CnBroadPhase* phase, bool moves) {
    CnTree* tree = &phase->trees[moves];
    int changed = 0, added = 0;
    for (int k = 0; k < phase->moved.count; ++k) {
        const CnProxy* proxy = &phase->proxies.data[phase->moved.data[k]];
        changed += proxy->moves == moves;
        added += proxy->moves == moves && proxy->is_new;
    }
    if (changed == 0 && phase->placed_count[moves] == 0) {
        return true;
    }
    int leaf_count = tree->leaf_count + added;
    if (!cn_tree_reserve(tree, phase->proxies.count, leaf_count)) {
        return false;
    }
    phase->change_count[moves] += changed;
    int fresh = added + phase->placed_count[moves];
    if ((leaf_count > FEW_LEAVES && fresh > (leaf_count - fresh) / 2) ||
        phase->change_count[moves] / CHANGES_PER_BUILD > leaf_count) {
        return build_tree(phase, moves);
    }
    bool in_place = changed > leaf_count / REFIT_SHARE;
    change_leaves(phase, moves, in_place);
    if (in_place && cn_tree_refit(tree) > COST_RATIO * phase->built_cost[moves]) {
        return build_tree(phase, moves);
    }
    return true;
}

// Each of two stirred proxies finds the other: the smaller number speaks.
static bool add_pair(const Update* update, int i, int other, CnPairArray* found) {
    const CnBroadPhase* phase = update->phase;
    if (other == i || (other < i && phase->stirred.data[other]) ||
        (!phase->proxies.data[i].moves && !phase->proxies.data[other].moves)) {
        return true;
    }
    CnPair pair = cn_pair(i, other);
    return !update->filter(cn_pair_first(pair), cn_pair_second(pair), update->data) ||
           cn_array_push(found, &phase->allocator, pair);
}

static bool find_pairs_of(const Update* update, int i, CnTreeQuery* query, CnPairArray* found) {
    const CnBroadPhase* phase = update->phase;
    const CnProxy* proxy = &phase->proxies.data[i];
    bool ok = true;
    if (proxy->unbounded) {
        for (int other = 0; ok && other < phase->proxies.count; ++other) {
            ok = phase->proxies.data[other].removed || add_pair(update, i, other, found);
        }
        return ok;
    }
    query->found.count = 0;
    const CnFloatBox* box = &phase->fat.data[i];
    ok = cn_tree_query(&phase->trees[1], box, query, &phase->allocator);
    if (ok && proxy->moves) {
        ok = cn_tree_query(&phase->trees[0], box, query, &phase->allocator);
    }
    for (int k = 0; ok && k < query->found.count; ++k) {
        ok = add_pair(update, i, query->found.data[k], found);
    }
    for (int k = 0; ok && k < phase->unbounded.count; ++k) {
        ok = add_pair(update, i, phase->unbounded.data[k], found);
    }
    return ok;
}

// Stirred proxies whose pairs are found by one task.
#define GRAIN 32

// The first worker adds what it finds to the set, the others to lists of their own.
static void find_range(int begin, int end, int worker, void* data) {
    const Update* update = data;
    CnBroadPhase* phase = update->phase;
    CnPairFinder* finder = &phase->finders.data[worker];
    CnPairArray* found = worker == 0 ? &phase->set.added : &finder->found;
    for (int k = begin; k < end && !finder->failed; ++k) {
        int i = phase->stirred_list.data[k];
        finder->failed =
            !phase->proxies.data[i].removed && !find_pairs_of(update, i, &finder->query, found);
    }
}

// False: no memory.
static bool begin_finding(CnBroadPhase* phase) {
    int workers = cn_tasks_worker_count(phase->tasks);
    if (!cn_array_reserve(&phase->finders, &phase->allocator, workers)) {
        return false;
    }
    while (phase->finders.count < workers) {
        phase->finders.data[phase->finders.count++] = (CnPairFinder){0};
    }
    for (int i = 0; i < phase->finders.count; ++i) {
        phase->finders.data[i].found.count = 0;
        phase->finders.data[i].failed = false;
    }
    phase->set.added.count = 0;
    return true;
}

// Every worker has room for all that was found, and for what each has needed: the next update needs
// no memory, whoever does more of it. False: no memory.
static bool even_room(CnBroadPhase* phase, int total) {
    int nodes = 0, items = 0;
    bool ok = true;
    for (int i = 0; i < phase->finders.count; ++i) {
        const CnTreeQuery* query = &phase->finders.data[i].query;
        nodes = query->nodes.capacity > nodes ? query->nodes.capacity : nodes;
        items = query->found.capacity > items ? query->found.capacity : items;
    }
    for (int i = 0; ok && i < phase->finders.count; ++i) {
        CnPairFinder* finder = &phase->finders.data[i];
        ok = cn_array_reserve(&finder->query.nodes, &phase->allocator, nodes) &&
             cn_array_reserve(&finder->query.found, &phase->allocator, items) &&
             (i == 0 || cn_array_reserve(&finder->found, &phase->allocator, total));
    }
    return ok;
}

// All that was found goes to the set, which sorts it: who found what makes no difference. False: no
// memory.
static bool gather_found(CnBroadPhase* phase) {
    CnPairArray* added = &phase->set.added;
    int total = added->count;
    bool ok = true;
    for (int i = 0; i < phase->finders.count; ++i) {
        total += phase->finders.data[i].found.count;
        ok = ok && !phase->finders.data[i].failed;
    }
    ok = ok && cn_array_reserve(added, &phase->allocator, total);
    for (int i = 1; ok && i < phase->finders.count; ++i) {
        const CnPairArray* found = &phase->finders.data[i].found;
        for (int k = 0; k < found->count; ++k) {
            added->data[added->count++] = found->data[k];
        }
    }
    return ok && even_room(phase, total);
}

static bool find_pairs(Update* update) {
    CnBroadPhase* phase = update->phase;
    if (!begin_finding(phase)) {
        return false;
    }
    cn_tasks_for(phase->tasks, phase->stirred_list.count, GRAIN, find_range, update);
    return gather_found(phase) &&
           cn_pair_set_merge(&phase->set, phase->stirred.data, phase->proxies.count, phase->tasks,
                             &phase->allocator);
}

// Pairs of what was stirred are lost, unless the search finds them again; all others are as they
// were, since neither of their fat boxes has changed.
static bool update_pairs(Update* update) {
    CnBroadPhase* phase = update->phase;
    bool ok = phase->complete ? update_tree(phase, false) && update_tree(phase, true)
                              : build_tree(phase, false) && build_tree(phase, true);
    return ok && find_pairs(update);
}

static void calm(CnBroadPhase* phase) {
    for (int k = 0; k < phase->stirred_list.count; ++k) {
        phase->stirred.data[phase->stirred_list.data[k]] = 0;
    }
    phase->stirred_list.count = 0;
    phase->is_stirred = false;
}

CnStatus cn_broad_phase_update(CnBroadPhase* phase, const CnProxyBounds* boxes, int count,
                               CnPairFilter* filter, void* data) {
    Update update = {phase, boxes, count, filter, data};
    ++phase->update_count;
    fit_moved(&update);
    if (phase->complete && !phase->is_stirred) {
        return CN_OK;
    }
    for (int i = 0; !phase->complete && i < phase->proxies.count; ++i) {
        stir(phase, i); // every pair is to be found anew
    }
    phase->complete = update_pairs(&update);
    if (!phase->complete) {
        return CN_NO_MEMORY;
    }
    calm(phase);
    phase->has_new_pairs = true;
    return CN_OK;
}
