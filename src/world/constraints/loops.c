// loops.c - whether constraints close loops, in which rows may come to depend on each other.
#include "world/constraints/loops.h"

static int root_of(int* parent, int node) {
    while (parent[node] != node) {
        parent[node] = parent[parent[node]]; // halves the way for the next one
        node = parent[node];
    }
    return node;
}

// Node 0 is all that does not move by forces.
static int node_of(const CnWorld* world, CnBodyId id) {
    int index = cn_world_body_index(world, id);
    bool moves = index >= 0 && cn_world_body_by_index(world, index)->type == CN_BODY_DYNAMIC;
    return moves ? index + 1 : 0;
}

static bool keeps(const CnConstraintKind* kind) {
    return kind->force == NULL && kind->force_bounds == NULL && !kind->rate_only;
}

CnStatus cn_world_find_loops(CnWorld* world, bool* found) {
    CnArenaMark mark = cn_arena_mark(&world->arena);
    int* parent = CN_ARENA_NEW(&world->arena, int, world->order.count + 1);
    *found = false;
    if (parent == NULL) {
        return CN_NO_MEMORY;
    }
    for (int i = 0; i <= world->order.count; ++i) {
        parent[i] = i;
    }
    for (int i = 0; !*found && i < cn_pool_slot_count(&world->constraints); ++i) {
        const CnUserConstraint* constraint = cn_pool_at(&world->constraints, i);
        if (constraint == NULL || !keeps(constraint->kind)) {
            continue;
        }
        int a = root_of(parent, node_of(world, constraint->body_a));
        int b = root_of(parent, node_of(world, constraint->body_b));
        *found = a == b || constraint->kind->body_count == 4; // between two joints
        parent[a] = b;
    }
    cn_arena_release(&world->arena, mark);
    return CN_OK;
}
