// compact_rows.c - Jacobians of joints and drives, written for those who ask.
#include "world/trees/compact_rows.h"

#include "constraints/joints/measure.h"
#include "world/step/rows.h"

#include <string.h>

// One side; the world has no velocity.
static void write_side(const CnCompactRows* compact, const CnBlock* block, double sign, int body,
                       CnVec3 arm, double (*out)[6]) {
    const CnVec3 zero = {0.0, 0.0, 0.0};
    if (body < 0) {
        memset(out, 0, (size_t)block->row_count * sizeof *out);
        return;
    }
    for (int k = 0; k < compact->points; ++k) {
        cn_joint_set_row(out[k], sign, compact->vector[k], cn_vec3_cross(arm, compact->vector[k]));
    }
    for (int k = compact->points; k < block->row_count; ++k) {
        cn_joint_set_row(out[k], sign, zero, compact->vector[k]);
    }
}

static void write_turn(const CnTurnRow* turn, double sign, int body, double out[6]) {
    const CnVec3 zero = {0.0, 0.0, 0.0};
    cn_joint_set_row(out, sign, zero, body < 0 ? zero : turn->turn);
}

static void write_turn_row(const CnRows* rows, CnTurnRow* turn) {
    const CnBlock* block = &rows->blocks.data[turn->block];
    if (!turn->is_written) {
        write_turn(turn, -1.0, block->body_a, rows->jacobian_a[block->first_row]);
        write_turn(turn, 1.0, block->body_b, rows->jacobian_b[block->first_row]);
        turn->is_written = true;
    }
}

void cn_rows_write(const CnRows* rows, int block) {
    CnCompactRows* compact = cn_rows_compact(rows, block);
    if (rows->sources.data[block].turn > 0) {
        write_turn_row(rows, cn_rows_turn(rows, block));
    }
    if (compact == NULL || compact->is_written) {
        return;
    }
    const CnBlock* data = &rows->blocks.data[block];
    int first = data->first_row;
    write_side(compact, data, -1.0, data->body_a, compact->arm_a, rows->jacobian_a + first);
    write_side(compact, data, 1.0, data->body_b, compact->arm_b, rows->jacobian_b + first);
    compact->is_written = true;
}

void cn_rows_write_all(const CnRows* rows) {
    for (int i = 0; i < rows->compact.count; ++i) {
        cn_rows_write(rows, rows->compact.data[i].block);
    }
    for (int i = 0; i < rows->turns.count; ++i) {
        write_turn_row(rows, &rows->turns.data[i]);
    }
}
