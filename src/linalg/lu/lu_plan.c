// lu_plan.c - symbolic analysis of a sparse LU: ordering and dense fronts from the pattern.
#include "linalg/lu/lu_plan.h"

#include "linalg/ordering.h"
#include <string.h>

// Fronts are merged while at most this share of their entries are explicit zeros that separate
// fronts would not store. A few zeros cost less than assembling small Schur complements.
#define ALLOWED_ZEROS 0.3

// The elimination tree by places in the order, docs/theory/linalg.md (6).
typedef struct Tree {
    int* parent; // -1: root   [n]
    int* below;  // scalar rows of L below each block column   [n]
} Tree;

static int rows_of(const CnBlockRows* pattern, int block) {
    return pattern->first_row[block + 1] - pattern->first_row[block];
}

// Row k of L is found by walking from each entry of row k up the tree; every walk ends where an
// earlier one passed.
static CnStatus find_tree(const CnLuPlan* plan, const CnBlockRows* pattern, CnArena* arena,
                          Tree* tree) {
    int n = pattern->block_count;
    int* mark = CN_ARENA_NEW(arena, int, n);
    tree->parent = CN_ARENA_NEW(arena, int, n);
    tree->below = CN_ARENA_NEW(arena, int, n);
    if (mark == NULL || tree->parent == NULL || tree->below == NULL) {
        return CN_NO_MEMORY;
    }
    for (int k = 0; k < n; ++k) {
        int block = plan->order[k];
        tree->parent[k] = -1;
        mark[k] = k;
        for (int e = pattern->start[block]; e < pattern->start[block + 1]; ++e) {
            int i = plan->inverse[pattern->column[e]];
            for (; i < k && mark[i] != k; i = tree->parent[i]) {
                if (tree->parent[i] < 0) {
                    tree->parent[i] = k;
                }
                tree->below[i] += rows_of(pattern, block);
                mark[i] = k;
            }
        }
    }
    return CN_OK;
}

// Renumbers places so that every subtree is consecutive: its fronts can then share a stack.
static CnStatus postorder(CnLuPlan* plan, int n, CnArena* arena, Tree* tree) {
    int* head = CN_ARENA_NEW(arena, int, (size_t)n + 1); // first child of each place; n: roots
    int* next = CN_ARENA_NEW(arena, int, n);
    int* place = CN_ARENA_NEW(arena, int, (size_t)n + 1); // new place of each
    int* old = CN_ARENA_NEW(arena, int, 3 * (size_t)n);
    if (head == NULL || next == NULL || place == NULL || old == NULL) {
        return CN_NO_MEMORY;
    }
    memset(head, -1, ((size_t)n + 1) * sizeof(int));
    for (int k = n - 1; k >= 0; --k) {
        int parent = tree->parent[k] < 0 ? n : tree->parent[k];
        next[k] = head[parent];
        head[parent] = k;
    }
    int count = 0;
    for (int k = head[n]; k >= 0;) { // down to the first leaf, then number and go on to the right
        if (head[k] >= 0) {
            int child = head[k];
            head[k] = -1;
            k = child;
            continue;
        }
        place[k] = count++;
        int up = tree->parent[k];
        k = next[k] >= 0 ? next[k] : up;
    }
    int* order = old;
    int* parent = old + n;
    int* below = old + 2 * n;
    memcpy(order, plan->order, (size_t)n * sizeof(int));
    memcpy(parent, tree->parent, (size_t)n * sizeof(int));
    memcpy(below, tree->below, (size_t)n * sizeof(int));
    for (int k = 0; k < n; ++k) {
        plan->order[place[k]] = order[k];
        plan->inverse[order[k]] = place[k];
        tree->parent[place[k]] = parent[k] < 0 ? -1 : place[parent[k]];
        tree->below[place[k]] = below[k];
    }
    return CN_OK;
}

// A run of places that may become a front.
typedef struct Run {
    int first, count;
    double pivots, border; // scalar rows
    double zeros;          // numbers stored that need not be
} Run;

// Merges a run with the one just before it if that one is its child and few explicit zeros result.
static bool merge(const Tree* tree, const Run* before, Run* run) {
    int receiver = tree->parent[before->first + before->count - 1];
    if (receiver < run->first || receiver >= run->first + run->count) {
        return false;
    }
    double rows = run->pivots + run->border;
    double pivots = before->pivots + run->pivots;
    double zeros = before->zeros + run->zeros + 2.0 * before->pivots * (rows - before->border);
    if (zeros > ALLOWED_ZEROS * pivots * (pivots + 2.0 * run->border)) {
        return false;
    }
    *run = (Run){before->first, before->count + run->count, pivots, run->border, zeros};
    return true;
}

static CnStatus find_fronts(CnLuPlan* plan, const CnBlockRows* pattern, const Tree* tree,
                            CnArena* arena) {
    int n = pattern->block_count;
    int count = 0;
    Run* runs = CN_ARENA_NEW(arena, Run, n);
    if (runs == NULL) {
        return CN_NO_MEMORY;
    }
    for (int k = 0; k < n; ++k) {
        Run run = {k, 1, rows_of(pattern, plan->order[k]), tree->below[k], 0.0};
        while (count > 0 && merge(tree, &runs[count - 1], &run)) {
            --count;
        }
        runs[count++] = run;
    }
    plan->front_count = count;
    plan->fronts = CN_ARENA_NEW(arena, CnLuFront, count);
    for (int i = 0; plan->fronts != NULL && i < count; ++i) {
        plan->fronts[i] = (CnLuFront){.first = runs[i].first,
                                      .count = runs[i].count,
                                      .pivot_rows = (int)runs[i].pivots,
                                      .child = -1,
                                      .sibling = -1};
    }
    return plan->fronts == NULL ? CN_NO_MEMORY : CN_OK;
}

// Adds to list the blocks after `last` in the order that stamp does not yet show as seen.
static void gather(const CnLuPlan* plan, const int* blocks, int count, int last, int seen,
                   int* stamp, int* list, int* length) {
    for (int i = 0; i < count; ++i) {
        int block = blocks[i];
        if (plan->inverse[block] >= last && stamp[block] != seen) {
            stamp[block] = seen;
            list[(*length)++] = block;
        }
    }
}

// The border of a front: what its pivots touch, and what the fronts before pass on to it.
static CnStatus find_border(CnLuPlan* plan, const CnBlockRows* pattern, int index, int* stamp,
                            int* list, CnArena* arena) {
    CnLuFront* front = &plan->fronts[index];
    int last = front->first + front->count;
    int length = 0;
    for (int k = front->first; k < last; ++k) {
        int block = plan->order[k];
        gather(plan, &pattern->column[pattern->start[block]],
               pattern->start[block + 1] - pattern->start[block], last, index, stamp, list,
               &length);
    }
    for (int child = front->child; child >= 0; child = plan->fronts[child].sibling) {
        gather(plan, plan->fronts[child].border, plan->fronts[child].border_count, last, index,
               stamp, list, &length);
    }
    front->border = CN_ARENA_NEW(arena, int, length);
    if (front->border == NULL) {
        return CN_NO_MEMORY;
    }
    memcpy(front->border, list, (size_t)length * sizeof(int));
    front->border_count = length;
    front->rows = front->pivot_rows;
    for (int i = 0; i < length; ++i) {
        front->rows += rows_of(pattern, list[i]);
    }
    return CN_OK;
}

static CnStatus link_fronts(CnLuPlan* plan, const CnBlockRows* pattern, const Tree* tree,
                            CnArena* arena) {
    int n = pattern->block_count;
    int* stamp = CN_ARENA_NEW(arena, int, n);
    int* list = CN_ARENA_NEW(arena, int, n);
    if (stamp == NULL || list == NULL) {
        return CN_NO_MEMORY;
    }
    memset(stamp, -1, (size_t)n * sizeof(int));
    for (int i = 0, pivots = 0; i < plan->front_count; ++i) {
        plan->fronts[i].first_pivot = pivots;
        pivots += plan->fronts[i].pivot_rows;
        for (int k = 0; k < plan->fronts[i].count; ++k) {
            plan->front_of[plan->fronts[i].first + k] = i;
        }
    }
    for (int i = 0; i < plan->front_count; ++i) {
        CnLuFront* front = &plan->fronts[i];
        if (find_border(plan, pattern, i, stamp, list, arena) != CN_OK) {
            return CN_NO_MEMORY;
        }
        int receiver = tree->parent[front->first + front->count - 1];
        front->receiver = receiver >= 0 ? plan->front_of[receiver] : -1;
        if (receiver >= 0) {
            CnLuFront* above = &plan->fronts[front->receiver];
            front->sibling = above->child;
            above->child = i;
        }
    }
    return CN_OK;
}

// Assigns memory: the factor grows from front to front, Schur complements live on a stack.
static void lay_out(CnLuPlan* plan) {
    size_t top = 0;
    for (int i = 0; i < plan->front_count; ++i) {
        CnLuFront* front = &plan->fronts[i];
        size_t pivots = (size_t)front->pivot_rows;
        size_t border = (size_t)(front->rows - front->pivot_rows);
        for (int child = front->child; child >= 0; child = plan->fronts[child].sibling) {
            top = plan->fronts[child].passed; // the last one visited lies lowest
        }
        front->factor = plan->factor_size;
        front->passed = top;
        top += border * border;
        plan->factor_size += pivots * (pivots + 2 * border);
        plan->stack_size = top > plan->stack_size ? top : plan->stack_size;
        plan->largest = front->rows > plan->largest ? front->rows : plan->largest;
        double p = (double)pivots, b = (double)border;
        plan->multiplications += p * p * p / 3.0 + p * p * b + p * b * b;
    }
}

#define WORK_OF_MOVING 10.0
#define WORK_OF_READING 3.0

double cn_lu_factor_work(const CnLuPlan* plan) {
    return plan->multiplications + WORK_OF_MOVING * (double)plan->factor_size;
}

double cn_lu_solve_work(const CnLuPlan* plan) {
    return WORK_OF_READING * (double)plan->factor_size;
}

CnStatus cn_lu_plan(CnLuPlan* plan, const CnBlockRows* pattern, CnArena* arena) {
    int n = pattern->block_count;
    *plan = (CnLuPlan){
        .order = CN_ARENA_NEW(arena, int, n),
        .inverse = CN_ARENA_NEW(arena, int, n),
        .front_of = CN_ARENA_NEW(arena, int, n),
    };
    Tree tree;
    CnStatus status = plan->order == NULL || plan->inverse == NULL || plan->front_of == NULL
                          ? CN_NO_MEMORY
                          : cn_minimum_degree(n, pattern->start, pattern->column, arena,
                                              plan->order, plan->inverse);
    if (status == CN_OK) {
        status = find_tree(plan, pattern, arena, &tree);
    }
    if (status == CN_OK) {
        status = postorder(plan, n, arena, &tree);
    }
    if (status == CN_OK) {
        status = find_fronts(plan, pattern, &tree, arena);
    }
    if (status == CN_OK) {
        status = link_fronts(plan, pattern, &tree, arena);
    }
    if (status == CN_OK) {
        lay_out(plan);
    }
    return status;
}
