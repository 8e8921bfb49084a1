// block_momentum.c - the momentum of one block in sweeps: extrapolation with its own restart.
#include "solvers/sweep/block_momentum.h"

#include "constraints/problem/friction_cone.h"
#include <math.h>
#include <string.h>

void cn_block_momentum_restart(CnBlockMomentum* momentum, const CnBlock* block, const double* p) {
    momentum->age = 1.0;
    memcpy(momentum->plain, p, (size_t)block->row_count * sizeof(double));
}

void cn_block_momentum_note(CnBlockMomentum* momentum, const CnBlock* block, const double* w,
                            const double* before, const double* p) {
    int n = block->row_count;
    momentum->agreement = 0.0;
    for (int i = 0; i < n; ++i) {
        momentum->agreement += w[i * n + i] * (p[i] - before[i]) * (p[i] - momentum->plain[i]);
    }
}

void cn_block_keep_in_set(const CnProblem* problem, const CnBlock* block, double* p) {
    if (block->law == CN_LAW_BOUNDS) {
        for (int i = 0; i < block->row_count; ++i) {
            int row = block->first_row + i;
            p[i] = fmin(fmax(p[i], problem->lower[row]), problem->upper[row]);
        }
    } else if (block->law == CN_LAW_COULOMB) {
        CnFrictionGroup groups[CN_MAX_FRICTION_GROUPS];
        int count = cn_friction_groups(block->row_count, groups);
        p[0] = fmax(p[0], 0.0);
        for (int g = 0; g < count; ++g) {
            double limit = block->friction * p[0];
            double length = cn_friction_group_length(groups[g], p);
            for (int i = 0; length > limit && i < groups[g].count; ++i) {
                p[groups[g].first + i] *= limit / length;
            }
        }
    }
}

void cn_block_momentum_extrapolate(CnBlockMomentum* momentum, const CnProblem* problem,
                                   const CnBlock* block, double most, double* p, double* change) {
    double next = 0.5 * (1.0 + sqrt(1.0 + 4.0 * momentum->age * momentum->age));
    double share = fmin(most, (momentum->age - 1.0) / next);
    bool turned = momentum->agreement < 0.0;
    double n[CN_MAX_ROWS];
    momentum->age = turned ? 1.0 : next;
    for (int i = 0; i < block->row_count; ++i) {
        n[i] = p[i];
        p[i] += turned ? 0.0 : share * (n[i] - momentum->plain[i]);
        momentum->plain[i] = n[i];
    }
    cn_block_keep_in_set(problem, block, p);
    for (int i = 0; i < block->row_count; ++i) {
        change[i] = p[i] - n[i];
    }
}
