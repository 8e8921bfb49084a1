// linkage_limbs.c - finds limbs of a tree of bodies that are passed side by side.
#include "solvers/tree/linkage_limbs.h"

#include "base/sort.h"

#include <string.h>

typedef struct LimbSearch {
    const int *parent, *first_axis;
    int* length; // of the limb that begins at a link, 0: none   [link_count]
    int* child;  // of each link that has one: it   [link_count]
} LimbSearch;

static bool has_few_axes(const LimbSearch* search, int link) {
    return search->first_axis[link + 1] - search->first_axis[link] <= 1;
}

// From each leaf towards the root. Returns how many limbs there are.
static int measure_limbs(LimbSearch* search, int link_count, const int* child_count) {
    int count = 0;
    for (int leaf = 0; leaf < link_count; ++leaf) {
        if (child_count[leaf] > 0 || !has_few_axes(search, leaf)) {
            continue;
        }
        int base = leaf, length = 1, parent = search->parent[leaf];
        while (parent >= 0 && child_count[parent] == 1 && has_few_axes(search, parent)) {
            search->child[parent] = base;
            base = parent;
            parent = search->parent[base];
            ++length;
        }
        search->length[base] = length;
        ++count;
    }
    return count;
}

// Longer ones first: those side by side are then about as long.
static bool is_before(int a, int b, const void* context) {
    const LimbSearch* search = context;
    return search->length[a] > search->length[b] ||
           (search->length[a] == search->length[b] && a < b);
}

static CnStatus make_group(const LimbSearch* search, const int* bases, int count, CnLimbs* limbs,
                           CnArena* arena) {
    CnLimbGroup* group = &limbs->groups[limbs->group_count];
    size_t length = (size_t)search->length[bases[0]];
    *group = (CnLimbGroup){
        .count = count,
        .length = search->length[bases[0]],
        .link = cn_arena_allocate_raw(arena, length, sizeof *group->link),
        .kept = cn_arena_allocate_raw(arena, length, sizeof *group->kept),
        .given = cn_arena_allocate_raw(arena, (size_t)count, sizeof *group->given),
    };
    if (group->link == NULL || group->kept == NULL || group->given == NULL) {
        return CN_NO_MEMORY;
    }
    memset(group->link, -1, length * sizeof *group->link);
    for (int k = 0; k < count; ++k) {
        int link = bases[k];
        for (int j = 0; j < search->length[bases[k]]; ++j) {
            group->link[j][k] = link;
            limbs->place[link] = j == 0 ? CN_LIMBS * limbs->group_count + k : -2;
            link = search->child[link];
        }
    }
    ++limbs->group_count;
    return CN_OK;
}

static CnStatus make_groups(const LimbSearch* search, int* bases, int count, int link_count,
                            CnLimbs* limbs, CnArena* arena) {
    limbs->groups = CN_ARENA_RAW(arena, CnLimbGroup, count / 2 + 1);
    limbs->place = CN_ARENA_RAW(arena, int, link_count);
    CnStatus status = limbs->groups != NULL && limbs->place != NULL ? CN_OK : CN_NO_MEMORY;
    for (int i = 0; status == CN_OK && i < link_count; ++i) {
        limbs->place[i] = -1;
    }
    for (int k = 0; status == CN_OK && k + 1 < count; k += CN_LIMBS) { // a single one stays alone
        int own = count - k < CN_LIMBS ? count - k : CN_LIMBS;
        status = make_group(search, bases + k, own, limbs, arena);
    }
    return status;
}

// The links of limbs and all others, once their places are known.
static CnStatus list_links(int link_count, CnLimbs* limbs, CnArena* arena) {
    limbs->member = CN_ARENA_RAW(arena, int, link_count);
    limbs->rest = CN_ARENA_RAW(arena, int, link_count);
    if (limbs->member == NULL || limbs->rest == NULL) {
        return CN_NO_MEMORY;
    }
    for (int i = 0; i < link_count; ++i) {
        if (limbs->place[i] != -1) {
            limbs->member[limbs->member_count++] = i;
        }
        if (limbs->place[i] != -2) {
            limbs->rest[limbs->rest_count++] = i;
        }
    }
    return CN_OK;
}

CnStatus cn_limbs_find(CnLimbs* limbs, int link_count, const int* parent, const int* first_axis,
                       const int* last_child, CnArena* arena) {
    *limbs = (CnLimbs){0};
    int leaves = 0;
    for (int i = 0; i < link_count; ++i) {
        leaves += last_child[i] < 0;
    }
    if (leaves < 2) {
        return CN_OK;
    }
    // What is scratch stays in the arena: the groups come after it, and it is small.
    LimbSearch search = {
        .parent = parent,
        .first_axis = first_axis,
        .length = CN_ARENA_NEW(arena, int, link_count),
        .child = CN_ARENA_RAW(arena, int, link_count),
    };
    int* child_count = CN_ARENA_NEW(arena, int, link_count);
    int* bases = CN_ARENA_RAW(arena, int, leaves);
    if (search.length == NULL || search.child == NULL || child_count == NULL || bases == NULL) {
        return CN_NO_MEMORY;
    }
    for (int i = 0; i < link_count; ++i) {
        child_count[parent[i] < 0 ? i : parent[i]] += parent[i] >= 0;
    }
    int count = measure_limbs(&search, link_count, child_count), listed = 0;
    for (int i = 0; i < link_count; ++i) {
        if (search.length[i] > 0) {
            bases[listed++] = i;
        }
    }
    cn_sort(bases, count, is_before, &search);
    if (count < 2) {
        return CN_OK;
    }
    CnStatus status = make_groups(&search, bases, count, link_count, limbs, arena);
    return status == CN_OK ? list_links(link_count, limbs, arena) : status;
}
