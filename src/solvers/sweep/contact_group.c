// contact_group.c - contacts in groups of four that share no body.
#include "solvers/sweep/contact_group.h"

#include "constraints/problem/block.h"
#include <math.h>

// Groups that are tried for a contact before a new one is opened: enough to fill 99 % of all lanes
// in a pile, few enough that the search costs less than copying the contact.
#define OPEN_GROUPS 32

// Groups that are allocated together.
#define GROUPS_AT_ONCE 64

static int row_count_of(const CnBlockSweep* sweep, int block) {
    return sweep->problem->blocks[block].row_count;
}

CnStatus cn_contact_groups_init(CnContactGroups* groups, int block_count, CnArena* arena) {
    *groups = (CnContactGroups){.group = CN_ARENA_NEW(arena, CnContactGroup*, block_count)};
    return groups->group == NULL ? CN_NO_MEMORY : CN_OK;
}

bool cn_contact_fits_lane(const CnBlockSweep* sweep, int block) {
    const CnSweepBlock* item = &sweep->blocks[block];
    const CnBlock* own = item->block;
    if (own->law == CN_LAW_COULOMB) {
        return own->row_count == 3 && !item->contact.is_singular;
    }
    return own->law == CN_LAW_BOUNDS && own->row_count == 1 && !cn_block_has_second(own) &&
           item->w[0] > 0.0 && sweep->problem->lower[own->first_row] == 0.0 &&
           sweep->problem->upper[own->first_row] == HUGE_VAL;
}

static CnContactGroup* open_group(CnContactGroups* groups, int world, CnArena* arena) {
    if (groups->room_count == 0) {
        groups->room = CN_ARENA_NEW(arena, CnContactGroup, GROUPS_AT_ONCE);
        groups->room_count = groups->room == NULL ? 0 : GROUPS_AT_ONCE;
    }
    if (groups->room_count == 0) {
        return NULL;
    }
    CnContactGroup* group = groups->room++;
    --groups->room_count;
    for (int lane = 0; lane < CN_GROUP;
         ++lane) { // an empty lane always separates: it touches no body
        for (int k = 0; k < 6; ++k) {
            group->w[k][lane] = k == 0 || k == 3 || k == 5 ? 1.0 : 0.0;
            group->factor[k][lane] = k < 3 ? 0.0 : 1.0;
        }
        group->q[0][lane] = 1.0;
        group->age[lane] = 1.0;
        group->slot_a[lane] = group->slot_b[lane] = world;
        group->block[lane] = -1;
    }
    group->is_active = true;
    groups->group[groups->count++] = group;
    return group;
}

static void fill_lane(CnContactGroup* group, int lane, const CnBlockSweep* sweep, int block,
                      const double* p) {
    const CnSweepBlock* item = &sweep->blocks[block];
    const CnOneContact* contact = &item->contact;
    int n = item->block->row_count, first = item->block->first_row;
    const int at[6] = {0, 1, 2, 4, 5, 8};
    for (int i = 0; i < n; ++i) {
        for (int k = 0; k < 12; ++k) {
            group->jacobian[i][k][lane] = sweep->jacobian[first + i][k];
        }
        group->q[i][lane] = sweep->q[first + i];
        group->compliance[i][lane] = sweep->problem->compliance[first + i];
        group->p[i][lane] = group->plain[i][lane] = p[first + i];
    }
    for (int k = 0; n == 3 && k < 6; ++k) {
        group->w[k][lane] = item->w[at[k]];
        group->factor[k][lane] = contact->factor[k];
    }
    if (n == 1) {
        group->w[0][lane] = item->w[0];
        group->factor[3][lane] = 1.0 / item->w[0];
        group->q[1][lane] = group->q[2][lane] = 0.0;
    }
    group->friction[lane] = n == 3 ? item->block->friction : 0.0;
    group->block[lane] = block;
}

static int moving_slot(const CnProblem* problem, int body) {
    return cn_body_moves(problem, body) ? body : problem->body_count;
}

static bool shares_body(const CnContactGroup* group, int world, int a, int b) {
    bool shares = false;
    for (int lane = 0; lane < group->count; ++lane) {
        int c = group->slot_a[lane], d = group->slot_b[lane];
        shares |= (a != world && (a == c || a == d)) || (b != world && (b == c || b == d));
    }
    return shares;
}

CnStatus cn_contact_groups_add(CnContactGroups* groups, const CnBlockSweep* sweep, int block,
                               const double* p, CnArena* arena) {
    const CnProblem* problem = sweep->problem;
    int world = problem->body_count;
    int a = moving_slot(problem, problem->blocks[block].body_a);
    int b = moving_slot(problem, problem->blocks[block].body_b);
    int found = groups->first_open;
    while (found < groups->count && (groups->group[found]->count == CN_GROUP ||
                                     shares_body(groups->group[found], world, a, b))) {
        ++found;
    }
    if (found == groups->count && open_group(groups, world, arena) == NULL) {
        return CN_NO_MEMORY;
    }
    CnContactGroup* group = groups->group[found];
    int lane = group->count++;
    fill_lane(group, lane, sweep, block, p);
    group->slot_a[lane] = a;
    group->slot_b[lane] = b;
    while (groups->first_open < groups->count &&
           (groups->group[groups->first_open]->count == CN_GROUP ||
            groups->count - groups->first_open > OPEN_GROUPS)) {
        ++groups->first_open;
    }
    return CN_OK;
}

void cn_contact_group_set(CnContactGroup* group, const CnBlockSweep* sweep, const double* p) {
    for (int lane = 0; lane < group->count; ++lane) {
        const CnBlock* block = &sweep->problem->blocks[group->block[lane]];
        for (int i = 0; i < block->row_count; ++i) {
            group->p[i][lane] = group->plain[i][lane] = p[block->first_row + i];
        }
        group->age[lane] = 1.0;
    }
}

void cn_contact_group_get(const CnContactGroup* group, const CnBlockSweep* sweep, double* p) {
    for (int lane = 0; lane < group->count; ++lane) {
        const CnBlock* block = &sweep->problem->blocks[group->block[lane]];
        for (int i = 0; i < block->row_count; ++i) {
            p[block->first_row + i] = group->p[i][lane];
        }
    }
}

CnContactRoute cn_contact_group_answer(CnContactGroup* group, int lane, const CnBlockSweep* sweep) {
    const CnSweepBlock* item = &sweep->blocks[group->block[lane]];
    int n = row_count_of(sweep, group->block[lane]);
    double* ya = sweep->y[group->slot_a[lane]];
    double* yb = sweep->y[group->slot_b[lane]];
    double q[3] = {0.0}, old[3] = {0.0}, p[3] = {0.0};
    for (int i = 0; i < n; ++i) {
        old[i] = p[i] = group->p[i][lane];
    }
    cn_sweep_row_velocity(sweep, item, p, q);
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j < n; ++j) {
            q[i] -= item->w[i * n + j] * old[j];
        }
    }
    CnContactRoute route = cn_block_solve(sweep->problem, item, q, p);
    double agreement = 0.0;
    for (int i = 0; i < n; ++i) {
        double change = p[i] - old[i];
        for (int k = 0; k < 6; ++k) {
            ya[k] += group->jacobian[i][k][lane] * change;
            yb[k] += group->jacobian[i][6 + k][lane] * change;
        }
        agreement += change * (p[i] - group->plain[i][lane]);
        group->p[i][lane] = p[i];
    }
    group->agreement[lane] = agreement;
    return route;
}
