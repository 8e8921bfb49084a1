// soft_rows.c - rows of joints and user constraints in single precision, one constraint at a time.
#include "solvers/soft/soft_rows.h"

#include <math.h>

// A pivot below this share of its diagonal is round-off: the row depends on those before it.
#define DEPENDENT 1e-5f

// ---- rows and bodies ----

static float rate_of(const CnSoftRow* row, const CnSoftBlock* block, const CnSoftBodies* bodies) {
    float rate = row->time_rate;
    for (int side = 0; side < 2; ++side) {
        const CnSoftBody* body = &bodies->rows[block->body[side]];
        const float* j = row->jacobian[side];
        for (int k = 0; k < 3; ++k) {
            rate += j[k] * body->velocity[k] + j[3 + k] * body->spin[k];
        }
    }
    return rate;
}

static void apply(const CnSoftRow* row, const CnSoftBlock* block, float impulse,
                  const CnSoftBodies* bodies) {
    for (int side = 0; side < 2; ++side) {
        CnSoftBody* body = &bodies->rows[block->body[side]];
        for (int k = 0; k < 3; ++k) {
            body->velocity[k] += row->moves[side][k] * impulse;
            body->spin[k] += row->moves[side][3 + k] * impulse;
        }
    }
}

// ---- prepare ----

static void set_moves(CnSoftRow* row, int side, const CnSoftMass* mass) {
    const float *j = row->jacobian[side], *i = mass->inertia;
    float* to = row->moves[side];
    for (int k = 0; k < 3; ++k) {
        to[k] = mass->inverse_mass * j[k];
    }
    to[3] = i[0] * j[3] + i[1] * j[4] + i[2] * j[5];
    to[4] = i[1] * j[3] + i[3] * j[4] + i[4] * j[5];
    to[5] = i[2] * j[3] + i[4] * j[4] + i[5] * j[5];
}

static float respond(const CnSoftRow* row, const CnSoftRow* to) {
    float sum = 0.0f;
    for (int side = 0; side < 2; ++side) {
        for (int k = 0; k < 6; ++k) {
            sum += row->jacobian[side][k] * to->moves[side][k];
        }
    }
    return sum;
}

// Rows that depend on others get no impulse. (J2)
static void factor_kept(CnSoftBlock* block) {
    for (int i = 0; i < block->row_count; ++i) {
        const CnSoftRow* row = &block->row[i];
        float pivot = row->response;
        if (row->type != CN_SOFT_ROW_KEEPS) {
            continue;
        }
        for (int j = 0; j < i; ++j) {
            if (block->row[j].type != CN_SOFT_ROW_KEEPS) {
                continue;
            }
            float entry = respond(row, &block->row[j]); // L D, then L
            for (int k = 0; k < j; ++k) {
                if (block->row[k].type == CN_SOFT_ROW_KEEPS && block->factor[k][k] > 0.0f) {
                    entry -= block->factor[i][k] * block->factor[j][k] / block->factor[k][k];
                }
            }
            block->factor[i][j] = entry * block->factor[j][j];
            pivot -= entry * block->factor[i][j];
        }
        block->factor[i][i] = pivot > DEPENDENT * row->response ? 1.0f / pivot : 0.0f;
    }
}

// x = W^-1 x over the rows that keep.
static void solve_kept(const CnSoftBlock* block, float x[CN_SOFT_ROWS]) {
    int count = block->row_count;
    for (int i = 0; i < count; ++i) {
        for (int j = 0; j < i; ++j) {
            x[i] -= block->factor[i][j] * x[j];
        }
    }
    for (int i = 0; i < count; ++i) {
        x[i] *= block->factor[i][i];
    }
    for (int i = count - 1; i >= 0; --i) {
        for (int j = i + 1; j < count; ++j) {
            x[i] -= block->factor[j][i] * x[j];
        }
    }
}

void cn_soft_block_detach(CnSoftBlock* block, const CnSoftBlock* kept) {
    for (int i = 0; i < block->row_count; ++i) {
        CnSoftRow* row = &block->row[i];
        float x[CN_SOFT_ROWS] = {0.0f};
        for (int k = 0; k < kept->row_count; ++k) {
            x[k] = respond(row, &kept->row[k]);
        }
        solve_kept(kept, x);
        for (int k = 0; k < kept->row_count; ++k) {
            row->share[k] = x[k];
            for (int side = 0; side < 2; ++side) {
                for (int j = 0; j < 6; ++j) {
                    row->jacobian[side][j] -= x[k] * kept->row[k].jacobian[side][j];
                }
            }
        }
    }
}

void cn_soft_block_prepare(CnSoftBlock* block, const CnSoftBodies* bodies) {
    for (int i = 0; i < block->row_count; ++i) {
        CnSoftRow* row = &block->row[i];
        for (int side = 0; side < 2; ++side) {
            set_moves(row, side, &bodies->masses[block->body[side]]);
        }
        row->response = respond(row, row);
    }
    factor_kept(block);
}

void cn_soft_block_shift(CnSoftBlock* block, const CnSoftBodies* bodies) {
    for (int i = 0; i < block->row_count; ++i) {
        apply(&block->row[i], block, -block->row[i].impulse, bodies);
    }
    cn_soft_block_prepare(block, bodies);
    for (int i = 0; i < block->row_count; ++i) {
        apply(&block->row[i], block, block->row[i].impulse, bodies);
    }
}

// ---- sweeps ----

void cn_soft_block_note_approach(CnSoftBlock* block, const CnSoftBodies* bodies) {
    for (int i = 0; i < block->row_count; ++i) {
        block->row[i].approach = rate_of(&block->row[i], block, bodies);
    }
}

void cn_soft_block_warm_start(CnSoftBlock* block, const CnSoftBodies* bodies) {
    for (int i = 0; i < block->row_count; ++i) {
        apply(&block->row[i], block, block->row[i].impulse, bodies);
    }
}

// (J1): all rows that keep, at once.
static void visit_kept(CnSoftBlock* block, const CnSoftBodies* bodies, float mass_scale, float bias,
                       float impulse_scale) {
    float x[CN_SOFT_ROWS] = {0.0f};
    for (int i = 0; i < block->row_count; ++i) {
        const CnSoftRow* row = &block->row[i];
        if (row->type == CN_SOFT_ROW_KEEPS) {
            x[i] = mass_scale * rate_of(row, block, bodies) + bias * row->value;
        }
    }
    solve_kept(block, x);
    for (int i = 0; i < block->row_count; ++i) {
        CnSoftRow* row = &block->row[i];
        if (row->type == CN_SOFT_ROW_KEEPS) {
            float change = -x[i] - impulse_scale * row->impulse;
            row->impulse += change;
            apply(row, block, change, bodies);
        }
    }
}

static void add_within(CnSoftRow* row, const CnSoftBlock* block, float wanted,
                       const CnSoftBodies* bodies) {
    float impulse = wanted < row->lower ? row->lower : wanted > row->upper ? row->upper : wanted;
    float change = impulse - row->impulse;
    row->impulse = impulse;
    apply(row, block, change, bodies);
}

// (J3): like a contact. An open row may close in this substep, not pass.
static void visit_stop(CnSoftRow* row, const CnSoftBlock* block, const CnSoftBodies* bodies,
                       const CnSoftRates* rates, bool removes) {
    float sign = row->type == CN_SOFT_ROW_PUSHES ? 1.0f : -1.0f;
    float rate = rate_of(row, block, bodies), gap = sign * row->value;
    float impulse = row->impulse;
    if (gap > 0.0f) {
        impulse -= (rate + row->value * rates->inverse_h) / row->response;
    } else if (removes) {
        impulse -= (rates->mass_scale[0] * rate + rates->bias[0] * row->value) / row->response +
                   rates->impulse_scale[0] * row->impulse;
    } else {
        impulse -= rate / row->response;
    }
    add_within(row, block, impulse, bodies);
}

static void visit_others(CnSoftBlock* block, const CnSoftBodies* bodies, const CnSoftRates* rates,
                         bool removes) {
    for (int i = 0; i < block->row_count; ++i) {
        CnSoftRow* row = &block->row[i];
        float rate, k = row->response;
        if (!(k > 0.0f)) {
            continue;
        }
        switch (row->type) {
        case CN_SOFT_ROW_KEEPS:
            break;
        case CN_SOFT_ROW_PUSHES:
        case CN_SOFT_ROW_PULLS:
            visit_stop(row, block, bodies, rates, removes);
            break;
        case CN_SOFT_ROW_DRIVES:
            rate = rate_of(row, block, bodies);
            add_within(row, block, row->impulse - rate / k, bodies);
            break;
        case CN_SOFT_ROW_YIELDS: // (J4)
            rate = rate_of(row, block, bodies) - k * row->impulse;
            add_within(row, block, (row->offset - row->slope * rate) / (1.0f + row->slope * k),
                       bodies);
            break;
        }
    }
}

void cn_soft_block_push(CnSoftBlock* block, const CnSoftBodies* bodies, const CnSoftRates* rates) {
    for (int i = 0; i < block->row_count; ++i) {
        block->row[i].offset = block->row[i].next_offset;
        block->row[i].slope = block->row[i].next_slope;
    }
    visit_others(block, bodies, rates, true);
    visit_kept(block, bodies, rates->mass_scale[0], rates->bias[0], rates->impulse_scale[0]);
}

void cn_soft_block_relax(CnSoftBlock* block, const CnSoftBodies* bodies, const CnSoftRates* rates) {
    visit_others(block, bodies, rates, false);
    visit_kept(block, bodies, 1.0f, 0.0f, 0.0f);
    for (int i = 0; i < block->row_count; ++i) {
        block->row[i].total += block->row[i].impulse;
    }
}

// Those that came fast and were met. (J5)
void cn_soft_block_bounce(CnSoftBlock* block, const CnSoftBodies* bodies,
                          const CnSoftRates* rates) {
    for (int i = 0; i < block->row_count; ++i) {
        CnSoftRow* row = &block->row[i];
        float sign = row->type == CN_SOFT_ROW_PUSHES ? 1.0f : -1.0f;
        bool is_stop = row->type == CN_SOFT_ROW_PUSHES || row->type == CN_SOFT_ROW_PULLS;
        if (is_stop && row->restitution > 0.0f && row->total != 0.0f && row->response > 0.0f &&
            sign * row->approach < -rates->bounce_speed) {
            float rate = rate_of(row, block, bodies), before = row->impulse;
            float wanted = before - (rate + row->restitution * row->approach) / row->response;
            add_within(row, block, wanted, bodies);
            row->total += row->impulse - before;
        }
    }
}
