// row_lanes.h - projected Gauss-Seidel over rows, several blocks at a time: one text, every width.
//
// Included by row_plain.c (one lane: for readers, debuggers and tests), row_128.c (four) and
// row_256.c (eight), which define CN_SOFT_WIDTH and what math/simd.h asks for. Numbers in brackets
// are equations of docs/theory/solvers/pgs_lanes.md.
#pragma once

#include "solvers/soft/row_tile.h"
#include "solvers/soft/soft_floats.h"

#include "constraints/problem/friction_cone.h"

#define MOST_SIDES 4

// How far the bodies of a block have come since the base: linear then angular velocity.
typedef struct BlockVelocity {
    Floats v[MOST_SIDES][6];
} BlockVelocity;

CN_LANE_FUNCTION void load_block(const CnRowTile* tile, int sides, int lane,
                                 const CnSoftBody* bodies, BlockVelocity* block) {
    CN_UNROLLED
    for (int side = 0; side < sides; ++side) {
        Velocity v = load_velocity(bodies, tile->offset[side] + lane);
        const Floats row[6] = {v.linear.x, v.linear.y, v.linear.z, v.spin.x, v.spin.y, v.spin.z};
        CN_UNROLLED
        for (int k = 0; k < 6; ++k) {
            block->v[side][k] = row[k];
        }
    }
}

CN_LANE_FUNCTION void store_block(const CnRowTile* tile, int sides, int lane,
                                  const BlockVelocity* block, CnSoftBody* bodies) {
    CN_UNROLLED
    for (int side = 0; side < sides; ++side) {
        const Floats* v = block->v[side];
        const Velocity row = {{v[0], v[1], v[2]}, {v[3], v[4], v[5]}, splat(0.0f), splat(0.0f)};
        store_velocity(&row, tile->offset[side] + lane, bodies);
    }
}

// By how much u has changed since the base. (2)
CN_LANE_FUNCTION Floats rate_change(const CnRowTile* tile, int sides, int row, int lane,
                                    const BlockVelocity* block) {
    const CnRowLanes* lanes = &tile->rows[row];
    Floats u = load(lanes->compliance, lane) * load(lanes->change, lane);
    CN_UNROLLED
    for (int side = 0; side < sides; ++side) {
        const CnRowSide* part = &tile->sides[row * sides + side];
        CN_UNROLLED
        for (int k = 0; k < 6; ++k) {
            u = u + load(part->jacobian[k], lane) * block->v[side][k];
        }
    }
    return u;
}

// Gives a row a new impulse, and its bodies the velocity that goes with the difference.
CN_LANE_FUNCTION Floats set_change(CnRowTile* tile, int sides, int row, int lane, Floats change,
                                   BlockVelocity* block) {
    Floats difference = change - load(tile->rows[row].change, lane);
    store(change, tile->rows[row].change, lane);
    CN_UNROLLED
    for (int side = 0; side < sides; ++side) {
        const CnRowSide* part = &tile->sides[row * sides + side];
        CN_UNROLLED
        for (int k = 0; k < 6; ++k) {
            block->v[side][k] = block->v[side][k] + load(part->response[k], lane) * difference;
        }
    }
    return max_of(difference, splat(0.0f) - difference);
}

// The change that would satisfy the row if all others stayed as they are. (3), (4)
CN_LANE_FUNCTION Floats wanted_change(const CnRowTile* tile, int sides, int row, int lane,
                                      const BlockVelocity* block) {
    const CnRowLanes* lanes = &tile->rows[row];
    Floats change = load(lanes->change, lane);
    Floats left = load(lanes->wanted, lane) -
                  load(lanes->gain, lane) * rate_change(tile, sides, row, lane, block) -
                  load(lanes->keep, lane) * change;
    return change + load(lanes->step, lane) * left;
}

CN_LANE_FUNCTION Floats visit_row(CnRowTile* tile, int sides, int row, int lane,
                                  BlockVelocity* block) {
    const CnRowLanes* lanes = &tile->rows[row];
    Floats wanted = wanted_change(tile, sides, row, lane, block);
    wanted = min_of(max_of(wanted, load(lanes->least, lane)), load(lanes->most, lane));
    return set_change(tile, sides, row, lane, wanted, block);
}

// Friction rows that share a disc of radius mu p_N. (5)
CN_LANE_FUNCTION Floats visit_disc(CnRowTile* tile, int sides, CnFrictionGroup group, int lane,
                                   BlockVelocity* block) {
    Floats wanted[2] = {splat(0.0f), splat(0.0f)}, total[2] = {splat(0.0f), splat(0.0f)};
    for (int i = 0; i < group.count; ++i) {
        wanted[i] = wanted_change(tile, sides, group.first + i, lane, block);
        total[i] = load(tile->rows[group.first + i].impulse, lane) + wanted[i];
    }
    Floats pressed = load(tile->rows[0].impulse, lane) + load(tile->rows[0].change, lane);
    Floats radius = load(tile->friction, lane) * max_of(pressed, splat(0.0f));
    Floats square = total[0] * total[0] + total[1] * total[1];
    Mask slides = exceeds(square, radius * radius);
    Floats scale = radius / root(select(slides, square, splat(1.0f)));
    Floats largest = splat(0.0f);
    for (int i = 0; i < group.count; ++i) {
        Floats base = load(tile->rows[group.first + i].impulse, lane);
        Floats change = select(slides, scale * total[i] - base, wanted[i]);
        Floats moved = set_change(tile, sides, group.first + i, lane, change, block);
        largest = max_of(largest, moved);
    }
    return largest;
}

CN_LANE_FUNCTION Floats visit_tile(CnRowTile* tile, int sides, int lane, CnSoftBody* bodies) {
    BlockVelocity block;
    Floats largest = splat(0.0f);
    bool is_contact = tile->law == CN_LAW_COULOMB;
    load_block(tile, sides, lane, bodies, &block);
    for (int row = 0; row < (is_contact ? 1 : tile->row_count); ++row) {
        largest = max_of(largest, visit_row(tile, sides, row, lane, &block));
    }
    if (is_contact) {
        CnFrictionGroup groups[CN_MAX_FRICTION_GROUPS];
        int count = cn_friction_groups(tile->row_count, groups);
        for (int g = 0; g < count; ++g) {
            largest = max_of(largest, visit_disc(tile, sides, groups[g], lane, &block));
        }
    }
    store_block(tile, sides, lane, &block, bodies);
    return largest;
}

CN_LANE_STAGE float sweep(CnRowTile* tiles, int count, CnSoftBody* bodies) {
    Floats largest = splat(0.0f);
    for (CnRowTile* tile = tiles; tile < tiles + count; ++tile) {
        for (int lane = 0; lane < CN_SOFT_LANES; lane += CN_SOFT_WIDTH) {
            Floats moved = tile->side_count == 2 ? visit_tile(tile, 2, lane, bodies)
                                                 : visit_tile(tile, MOST_SIDES, lane, bodies);
            largest = max_of(largest, moved);
        }
    }
    float lanes[CN_SOFT_WIDTH], most = 0.0f;
    memcpy(lanes, &largest, sizeof lanes);
    for (int i = 0; i < CN_SOFT_WIDTH; ++i) {
        most = lanes[i] > most ? lanes[i] : most;
    }
    return most;
}
