// linkage_plan.c - a spanning forest of joints: which of them lead to the root, which close loops.
#include "solvers/tree/linkage_plan.h"

#include <string.h>

typedef struct Forest {
    int body_count;
    const bool* moves;
    int edge_count;
    const CnLinkageEdge* edges;
    int* set;        // union-find over bodies, the world last   [body_count + 1]
    int* start;      // places of each body's edges in `near`   [body_count + 2]
    int* near;       // edges of the forest at each body, the world last   [start[body_count + 1]]
    bool* is_rooted; // the tree with this representative has its root   [body_count + 1]
} Forest;

// The world is body number body_count.
static int node_of(const Forest* forest, int body) {
    return body >= 0 && forest->moves[body] ? body : forest->body_count;
}

static int find_root(int* set, int node) {
    while (set[node] != node) {
        set[node] = set[set[node]];
        node = set[node];
    }
    return node;
}

// Kruskal's choice: edges by weight, the heaviest first.
static void choose_edges(const Forest* forest, CnLinkagePlan* plan) {
    for (int i = 0; i <= forest->body_count; ++i) {
        forest->set[i] = i;
    }
    for (int weight = CN_LINKAGE_WEIGHT_LIMIT; weight >= 0; --weight) {
        for (int i = 0; i < forest->edge_count; ++i) {
            const CnLinkageEdge* edge = &forest->edges[i];
            if (edge->weight != weight) {
                continue;
            }
            int a = find_root(forest->set, node_of(forest, edge->body_a));
            int b = find_root(forest->set, node_of(forest, edge->body_b));
            plan->is_in_tree[i] = a != b;
            forest->set[a > b ? b : a] = a > b ? a : b;
        }
    }
    for (int i = 0; i < forest->edge_count; ++i) {
        if (!plan->is_in_tree[i]) {
            plan->loops[plan->loop_count++] = i;
        }
    }
}

// The edges of the forest at each body, in their order.
static void list_neighbours(const Forest* forest, const CnLinkagePlan* plan) {
    int* start = forest->start;
    for (int pass = 0; pass < 2; ++pass) {
        for (int i = 0; i < forest->edge_count; ++i) {
            int ends[2] = {node_of(forest, forest->edges[i].body_a),
                           node_of(forest, forest->edges[i].body_b)};
            for (int k = 0; plan->is_in_tree[i] && k < 2; ++k) {
                if (pass == 0) {
                    ++start[ends[k] + 1];
                } else {
                    forest->near[start[ends[k]]++] = i;
                }
            }
        }
        for (int i = 0; pass == 0 && i <= forest->body_count; ++i) {
            start[i + 1] += start[i];
        }
    }
    for (int i = forest->body_count + 1; i > 0; --i) { // each start has become the next one
        start[i] = start[i - 1];
    }
    start[0] = 0;
}

static void add_link(CnLinkagePlan* plan, int body, int parent, int edge) {
    int link = plan->link_count++;
    plan->body[link] = body;
    plan->parent[link] = parent;
    plan->edge[link] = edge;
    plan->link[body] = link;
}

// The bodies next to one that has its number already.
static void add_children(const Forest* forest, int node, int link, CnLinkagePlan* plan) {
    for (int k = forest->start[node]; k < forest->start[node + 1]; ++k) {
        const CnLinkageEdge* edge = &forest->edges[forest->near[k]];
        int a = node_of(forest, edge->body_a), b = node_of(forest, edge->body_b);
        int other = a == node ? b : a;
        if (other != forest->body_count && plan->link[other] < 0) {
            add_link(plan, other, link, forest->near[k]);
        }
    }
}

// Roots first, then one depth after the other.
static void number_links(const Forest* forest, CnLinkagePlan* plan) {
    memset(plan->link, -1, (size_t)forest->body_count * sizeof *plan->link);
    forest->is_rooted[find_root(forest->set, forest->body_count)] = true;
    add_children(forest, forest->body_count, -1, plan);
    for (int i = 0; i < forest->body_count; ++i) {
        int tree = find_root(forest->set, i);
        if (forest->moves[i] && !forest->is_rooted[tree]) {
            add_link(plan, i, -1, -1);
            forest->is_rooted[tree] = true;
        }
    }
    int begin = 0;
    for (plan->depth = 0; begin < plan->link_count; ++plan->depth) {
        int end = plan->link_count;
        for (; begin < end; ++begin) {
            add_children(forest, plan->body[begin], begin, plan);
        }
    }
}

CnStatus cn_linkage_plan(int body_count, const bool* moves, int edge_count,
                         const CnLinkageEdge* edges, CnArena* arena, CnLinkagePlan* plan) {
    *plan = (CnLinkagePlan){
        .body = CN_ARENA_NEW(arena, int, body_count),
        .parent = CN_ARENA_NEW(arena, int, body_count),
        .edge = CN_ARENA_NEW(arena, int, body_count),
        .link = CN_ARENA_NEW(arena, int, body_count),
        .loops = CN_ARENA_NEW(arena, int, edge_count),
        .is_in_tree = CN_ARENA_NEW(arena, bool, edge_count),
    };
    CnArenaMark mark = cn_arena_mark(arena);
    Forest forest = {
        .body_count = body_count,
        .moves = moves,
        .edge_count = edge_count,
        .edges = edges,
        .set = CN_ARENA_NEW(arena, int, body_count + 1),
        .start = CN_ARENA_NEW(arena, int, body_count + 2),
        .near = CN_ARENA_NEW(arena, int, 2 * edge_count),
        .is_rooted = CN_ARENA_NEW(arena, bool, body_count + 1),
    };
    bool has_memory = plan->body != NULL && plan->parent != NULL && plan->edge != NULL &&
                      plan->link != NULL && plan->loops != NULL && plan->is_in_tree != NULL &&
                      forest.set != NULL && forest.start != NULL && forest.near != NULL &&
                      forest.is_rooted != NULL;
    if (has_memory) {
        choose_edges(&forest, plan);
        list_neighbours(&forest, plan);
        number_links(&forest, plan);
    }
    cn_arena_release(arena, mark);
    return has_memory ? CN_OK : CN_NO_MEMORY;
}
