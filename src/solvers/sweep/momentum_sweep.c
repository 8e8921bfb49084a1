// momentum_sweep.c - Gauss-Seidel sweeps over active blocks, with momentum and a restart per block.
#include "solvers/sweep/momentum_sweep.h"

#include "constraints/problem/block.h"
#include "math/simd.h"
#include <math.h>
#include <string.h>

// ---- preparing ----

static void sort_blocks(CnMomentumSweep* momentum) {
    const CnProblem* problem = momentum->sweep.problem;
    for (int i = 0; i < problem->block_count; ++i) {
        bool fits = cn_contact_fits_lane(&momentum->sweep, i);
        momentum->is_unilateral[i] = fits || problem->blocks[i].law == CN_LAW_COULOMB;
        momentum->takes_part[i] = !fits;
        momentum->other_count += !fits;
    }
}

CnStatus cn_momentum_prepare(CnMomentumSweep* momentum, const CnProblem* problem, CnArena* arena) {
    *momentum = (CnMomentumSweep){.functions = CN_WIDEST(cn_group_functions)};
    CnStatus status = cn_sweep_prepare(&momentum->sweep, problem, 1.0, arena);
    if (status == CN_OK) {
        status = cn_contact_groups_init(&momentum->groups, problem->block_count, arena);
    }
    momentum->is_unilateral = CN_ARENA_NEW(arena, bool, problem->block_count);
    momentum->takes_part = CN_ARENA_NEW(arena, bool, problem->block_count);
    momentum->acts = CN_ARENA_NEW(arena, bool, problem->block_count);
    momentum->residual = CN_ARENA_NEW(arena, double, problem->block_count);
    momentum->body_residual = CN_ARENA_NEW(arena, double, problem->body_count + 1);
    if (status != CN_OK || momentum->is_unilateral == NULL || momentum->takes_part == NULL ||
        momentum->acts == NULL || momentum->residual == NULL || momentum->body_residual == NULL) {
        return CN_NO_MEMORY;
    }
    sort_blocks(momentum);
    momentum->others = CN_ARENA_NEW(arena, CnOtherBlock, momentum->other_count);
    if (momentum->others == NULL) {
        return CN_NO_MEMORY;
    }
    for (int i = 0, k = 0; i < problem->block_count; ++i) {
        if (momentum->takes_part[i]) {
            momentum->others[k++] = (CnOtherBlock){.block = i, .momentum.age = 1.0};
        }
    }
    return CN_OK;
}

// ---- grading ----

static bool is_zero(const double* p, int n) {
    bool zero = true;
    for (int i = 0; i < n; ++i) {
        zero = zero && p[i] == 0.0;
    }
    return zero;
}

// y = G^T p. Most contacts of a pile are open (p = 0) and are skipped.
static void set_velocity(CnMomentumSweep* momentum, const double* p) {
    CnBlockSweep* sweep = &momentum->sweep;
    const CnProblem* problem = sweep->problem;
    memset(sweep->y, 0, (size_t)(problem->body_count + 1) * sizeof *sweep->y);
    for (int i = 0; i < problem->block_count; ++i) {
        const CnBlock* block = &problem->blocks[i];
        if (!is_zero(p + block->first_row, block->row_count)) {
            cn_sweep_apply(sweep, i, p + block->first_row);
        }
    }
}

// u of the first row of a block without impulse.
static double normal_velocity(const CnBlockSweep* sweep, const CnSweepBlock* item) {
    int row = item->block->first_row;
    const double* j = sweep->jacobian[row];
    const double *a = sweep->y[item->slot_a], *b = sweep->y[item->slot_b];
    double of_a = 0.0, of_b = 0.0;
    for (int k = 0; k < 6; ++k) {
        of_a += j[k] * a[k];
        of_b += j[6 + k] * b[k];
    }
    return sweep->q[row] + (of_a + of_b);
}

static double grade_block(CnMomentumSweep* momentum, int block, const double* p) {
    const CnBlockSweep* sweep = &momentum->sweep;
    const CnSweepBlock* item = &sweep->blocks[block];
    const double* own = p + item->block->first_row;
    double u[CN_MAX_ROWS];
    momentum->acts[block] =
        !(momentum->is_unilateral[block] && is_zero(own, item->block->row_count) &&
          normal_velocity(sweep, item) >= 0.0);
    if (!momentum->acts[block]) {
        return 0.0;
    }
    cn_sweep_row_velocity(sweep, item, own, u);
    return cn_block_residual(sweep->problem, item->block, item->w, item->lambda_max, u, own);
}

void cn_momentum_grade(CnMomentumSweep* momentum, const double* p) {
    int blocks = momentum->sweep.problem->block_count;
    double sum = 0.0;
    set_velocity(momentum, p);
    momentum->worst = 0.0;
    for (int i = 0; i < blocks; ++i) {
        double residual = grade_block(momentum, i, p);
        momentum->residual[i] = residual;
        momentum->worst = fmax(momentum->worst, residual);
        sum += residual * residual;
    }
    momentum->rms = sqrt(sum / fmax(blocks, 1));
}

// ---- the active blocks ----

CnStatus cn_momentum_join(CnMomentumSweep* momentum, const double* p, CnArena* arena) {
    CnStatus status = CN_OK;
    for (int i = 0; status == CN_OK && i < momentum->sweep.problem->block_count; ++i) {
        if (momentum->acts[i] && !momentum->takes_part[i]) {
            status = cn_contact_groups_add(&momentum->groups, &momentum->sweep, i, p, arena);
            momentum->takes_part[i] = true;
        }
    }
    return status;
}

static void restart_other(CnOtherBlock* other, const CnProblem* problem, const double* p) {
    const CnBlock* block = &problem->blocks[other->block];
    cn_block_momentum_restart(&other->momentum, block, p + block->first_row);
}

void cn_momentum_restart(CnMomentumSweep* momentum, const double* p) {
    for (int i = 0; i < momentum->groups.count; ++i) {
        cn_contact_group_set(momentum->groups.group[i], &momentum->sweep, p);
    }
    for (int i = 0; i < momentum->other_count; ++i) {
        restart_other(&momentum->others[i], momentum->sweep.problem, p);
    }
}

static void heat_bodies(CnMomentumSweep* momentum) {
    const CnBlockSweep* sweep = &momentum->sweep;
    int bodies = sweep->problem->body_count;
    memset(momentum->body_residual, 0, (size_t)(bodies + 1) * sizeof(double));
    for (int i = 0; i < sweep->problem->block_count; ++i) {
        double residual = momentum->residual[i];
        if (residual > 0.0) {
            const CnSweepBlock* item = &sweep->blocks[i];
            const int slots[CN_BLOCK_SIDES] = {item->slot_a, item->slot_b, item->slot_c,
                                               item->slot_d};
            for (int side = 0; side < cn_block_sides(item->block); ++side) {
                double* body = &momentum->body_residual[slots[side]];
                *body = fmax(*body, residual);
            }
        }
    }
    momentum->body_residual[bodies] = 0.0; // blocks on the world are not neighbours
}

void cn_momentum_choose(CnMomentumSweep* momentum, double threshold, const double* p) {
    const CnBlockSweep* sweep = &momentum->sweep;
    heat_bodies(momentum);
    momentum->active_groups = momentum->active_others = 0;
    for (int i = 0; i < momentum->groups.count; ++i) {
        CnContactGroup* group = momentum->groups.group[i];
        double residual = 0.0;
        for (int lane = 0; lane < group->count; ++lane) {
            residual = fmax(residual, fmax(momentum->body_residual[group->slot_a[lane]],
                                           momentum->body_residual[group->slot_b[lane]]));
        }
        bool was_active = group->is_active;
        group->is_active = residual > threshold;
        if (group->is_active && !was_active) {
            cn_contact_group_set(group, sweep, p);
        }
        momentum->active_groups += group->is_active;
    }
    for (int i = 0; i < momentum->other_count; ++i) {
        CnOtherBlock* other = &momentum->others[i];
        const CnSweepBlock* item = &sweep->blocks[other->block];
        bool was_active = other->is_active;
        double residual =
            fmax(momentum->body_residual[item->slot_a], momentum->body_residual[item->slot_b]);
        residual = fmax(residual, fmax(momentum->body_residual[item->slot_c],
                                       momentum->body_residual[item->slot_d]));
        other->is_active = residual > threshold;
        if (other->is_active && !was_active) {
            restart_other(other, sweep->problem, p);
        }
        momentum->active_others += other->is_active;
    }
}

int cn_momentum_size(const CnMomentumSweep* momentum) {
    int size = momentum->other_count;
    for (int i = 0; i < momentum->groups.count; ++i) {
        size += momentum->groups.group[i]->count;
    }
    return size;
}

double cn_momentum_cost(const CnMomentumSweep* momentum) {
    return CN_MOMENTUM_VISIT * (CN_GROUP * momentum->active_groups + momentum->active_others);
}

// ---- a sweep ----

static void visit_group(CnMomentumSweep* momentum, CnContactGroup* group, double precision) {
    unsigned missed = momentum->functions->visit(group, momentum->sweep.y, precision);
    for (int lane = 0; missed != 0; ++lane, missed >>= 1) {
        if ((missed & 1u) != 0) {
            CnContactRoute route = cn_contact_group_answer(group, lane, &momentum->sweep);
            momentum->failed += route == CN_ROUTE_FAILED;
        }
    }
}

static void visit_other(CnMomentumSweep* momentum, CnOtherBlock* other, double* p) {
    const CnSweepBlock* item = &momentum->sweep.blocks[other->block];
    double* own = p + item->block->first_row;
    double before[CN_MAX_ROWS];
    memcpy(before, own, (size_t)item->block->row_count * sizeof(double));
    cn_sweep_visit(&momentum->sweep, other->block, p);
    cn_block_momentum_note(&other->momentum, item->block, item->w, before, own);
}

void cn_momentum_visit(CnMomentumSweep* momentum, double precision, double* p) {
    for (int i = 0; i < momentum->groups.count; ++i) {
        if (momentum->groups.group[i]->is_active) {
            visit_group(momentum, momentum->groups.group[i], precision);
        }
    }
    for (int i = 0; i < momentum->other_count; ++i) {
        if (momentum->others[i].is_active) {
            visit_other(momentum, &momentum->others[i], p);
        }
    }
}

static void extrapolate_other(CnMomentumSweep* momentum, CnOtherBlock* other, double most,
                              double* p) {
    const CnProblem* problem = momentum->sweep.problem;
    const CnBlock* block = &problem->blocks[other->block];
    double change[CN_MAX_ROWS];
    cn_block_momentum_extrapolate(&other->momentum, problem, block, most, p + block->first_row,
                                  change);
    cn_sweep_apply(&momentum->sweep, other->block, change);
}

void cn_momentum_extrapolate(CnMomentumSweep* momentum, double most, double* p) {
    for (int i = 0; i < momentum->groups.count; ++i) {
        if (momentum->groups.group[i]->is_active) {
            momentum->functions->extrapolate(momentum->groups.group[i], momentum->sweep.y, most);
        }
    }
    for (int i = 0; i < momentum->other_count; ++i) {
        if (momentum->others[i].is_active) {
            extrapolate_other(momentum, &momentum->others[i], most, p);
        }
    }
}

void cn_momentum_collect(const CnMomentumSweep* momentum, double* p) {
    for (int i = 0; i < momentum->groups.count; ++i) {
        if (momentum->groups.group[i]->is_active) {
            cn_contact_group_get(momentum->groups.group[i], &momentum->sweep, p);
        }
    }
}
