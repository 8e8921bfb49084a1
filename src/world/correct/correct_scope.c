// correct_scope.c - which bodies a correction is about.
#include "world/correct/correct_scope.h"

#include "world/step/rows.h"

// Bodies joined into trees: parent[i] leads to the root of body i.
static int find_root(int* parent, int body) {
    while (parent[body] != body) {
        parent[body] = parent[parent[body]];
        body = parent[body];
    }
    return body;
}

static bool is_movable(const CnWorld* world, int body) {
    return body >= 0 && world->step.inverse_mass[body] > 0.0;
}

static void join(const CnWorld* world, int* parent, int a, int b) {
    if (is_movable(world, a) && is_movable(world, b)) {
        parent[find_root(parent, a)] = find_root(parent, b);
    }
}

static int* begin_trees(CnWorld* world) {
    int* parent = CN_ARENA_RAW(&world->arena, int, world->order.count);
    for (int i = 0; parent != NULL && i < world->order.count; ++i) {
        parent[i] = i;
    }
    return parent;
}

static void mark_two(bool* marks, int a, int b) {
    if (a >= 0) {
        marks[a] = true;
    }
    if (b >= 0) {
        marks[b] = true;
    }
}

// The bodies of every constraint are joined; with marks, they are marked too.
static void join_constraints(const CnWorld* world, int* parent, bool* marks) {
    for (int i = 0; i < world->active.constraints.count; ++i) {
        const CnUserConstraint* constraint =
            cn_pool_at(&world->constraints, world->active.constraints.data[i]);
        CnConstraintSides sides = cn_world_constraint_sides(world, constraint);
        for (int k = 0; k < sides.own_count; ++k) {
            for (int before = 0; before < k; ++before) {
                join(world, parent, sides.own[before], sides.own[k]);
            }
            if (marks != NULL) {
                mark_two(marks, sides.own[k], -1);
            }
        }
    }
}

static void join_given(const CnWorld* world, int* parent, bool* marks) {
    for (int i = 0; i < cn_pool_slot_count(&world->given_contacts); ++i) {
        const CnGivenContact* given = cn_pool_at(&world->given_contacts, i);
        if (given != NULL) {
            int a = cn_world_body_index(world, given->body_a);
            int b = cn_world_body_index(world, given->body_b);
            join(world, parent, a, b);
            mark_two(marks, a, b);
        }
    }
}

static const CnPairRecord* record_at(const CnWorld* world, int pair) {
    return &world->pairs.records.data[world->broad_phase.set.records.data[pair]];
}

static void join_pairs(const CnWorld* world, double tolerance, int* parent, bool* marks) {
    CnIndexList pairs = cn_active_pairs(world);
    for (int i = 0; i < pairs.count; ++i) {
        const CnPairRecord* record = record_at(world, cn_index_at(&pairs, i));
        if (record->is_sensor || record->is_gone || record->end_gap == HUGE_VAL) {
            continue;
        }
        join(world, parent, record->body[0], record->body[1]);
        // Events ask for the contacts of pairs that touch here and had none before.
        bool is_new = record->manifold < 0 && record->end_gap <= 0.0;
        if (record->end_gap < -tolerance || is_new) {
            mark_two(marks, record->body[0], record->body[1]);
        }
    }
}

static double deepest_outside(const CnWorld* world, const bool* scope) {
    CnIndexList pairs = cn_active_pairs(world);
    double deepest = 0.0;
    for (int i = 0; i < pairs.count; ++i) {
        const CnPairRecord* record = record_at(world, cn_index_at(&pairs, i));
        if (record->is_sensor || record->is_gone || !(record->end_gap < 0.0)) {
            continue;
        }
        if (!scope[record->body[0]] && !scope[record->body[1]]) {
            deepest = fmax(deepest, -record->end_gap);
        }
    }
    return deepest;
}

CnStatus cn_correction_find_scope(CnWorld* world, double tolerance, bool* scope, double* outside) {
    CnArenaMark mark = cn_arena_mark(&world->arena);
    int count = world->order.count;
    int* parent = begin_trees(world);
    bool* marks = CN_ARENA_NEW(&world->arena, bool, count);     // bodies with an error
    bool* is_wanted = CN_ARENA_NEW(&world->arena, bool, count); // roots of trees with one
    CnStatus status = CN_NO_MEMORY;
    if (parent != NULL && marks != NULL && is_wanted != NULL) {
        join_pairs(world, tolerance, parent, marks);
        join_constraints(world, parent, marks);
        join_given(world, parent, marks);
        for (int i = 0; i < count; ++i) {
            is_wanted[find_root(parent, i)] |= marks[i] && is_movable(world, i);
        }
        for (int i = 0; i < count; ++i) {
            scope[i] |= is_movable(world, i) && is_wanted[find_root(parent, i)];
        }
        *outside = deepest_outside(world, scope);
        status = CN_OK;
    }
    cn_arena_release(&world->arena, mark);
    return status;
}

CnStatus cn_correction_find_wanted(CnWorld* world, const CnBodyState* states, CnInstant instant,
                                   double tolerance, bool* wanted) {
    const CnContactArray* lists[] = {&world->correction.contacts, &world->correction.learned};
    CnArenaMark mark = cn_arena_mark(&world->arena);
    int count = world->order.count;
    int* parent = begin_trees(world);
    double* pending = CN_ARENA_NEW(&world->arena, double, count);
    CnPositionErrors errors;
    CnStatus status = CN_NO_MEMORY;
    if (parent != NULL && pending != NULL) {
        for (int l = 0; l < 2; ++l) {
            for (int i = 0; i < lists[l]->count; ++i) {
                join(world, parent, lists[l]->data[i].body_a, lists[l]->data[i].body_b);
            }
        }
        join_constraints(world, parent, NULL);
        for (int i = 0; i < count; ++i) {
            parent[i] = find_root(parent, i);
        }
        CnErrorGroups groups = {parent, pending};
        cn_positions_sum_up(world, states, instant, &groups, &errors);
        for (int i = 0; i < count; ++i) {
            wanted[i] = is_movable(world, i) && pending[parent[i]] > tolerance;
        }
        status = CN_OK;
    }
    cn_arena_release(&world->arena, mark);
    return status;
}
