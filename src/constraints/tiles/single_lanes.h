// single_lanes.h - tiles of one point, several of them at once.
//
// Where a tile has one point, tile_lanes.h leaves most lanes idle. Here every lane has a tile of
// its own: frames, points and bodies are gathered, and then it is the same arithmetic. tile_plain.c
// does it for one tile after the other, to the same bits.
#pragma once

#include "constraints/tiles/tile_lanes.h"

CN_LANE_FUNCTION CnLanes pick(const double* const from[CN_LANES], int k) {
#if CN_LANES == 4
    return (CnLanes){from[0][k], from[1][k], from[2][k], from[3][k]};
#else
    return (CnLanes){from[0][k], from[1][k]};
#endif
}

// Numbers of each lane's array that lie side by side; an odd one at the end is picked alone.
CN_LANE_FUNCTION void gather(const double* const from[CN_LANES], int count, CnLanes* to) {
    for (int k = 0; k + 1 < count; k += 2) {
        const double* at[CN_LANES];
        for (int i = 0; i < CN_LANES; ++i) {
            at[i] = from[i] + k;
        }
        cn_lanes_gather(at, to + k);
    }
    if (count % 2 == 1) {
        to[count - 1] = pick(from, count - 1);
    }
}

CN_LANE_FUNCTION Three three(const CnLanes x[3]) {
    return (Three){x[0], x[1], x[2]};
}

CN_LANE_FUNCTION Three sub(Three a, Three b) {
    return (Three){a.x - b.x, a.y - b.y, a.z - b.z};
}

// The tiles in the lanes; behind the last one it comes again.
typedef struct Singles {
    CnContactTile* tile[CN_LANES];
    int body[2][CN_LANES]; // of A and B
    bool is_dynamic[2][CN_LANES];
    bool has_dynamic[2]; // one of them
    CnMask dynamic[2];
} Singles;

CN_LANE_FUNCTION Singles singles_at(CnContactTile* const* tiles, int first, int count,
                                    const CnTileBodies* bodies) {
    Singles singles;
    for (int i = 0; i < CN_LANES; ++i) {
        int place = first + i < count ? first + i : count - 1;
        singles.tile[i] = tiles[place];
        singles.body[0][i] = tiles[place]->body_a;
        singles.body[1][i] = tiles[place]->body_b;
    }
    for (int side = 0; side < 2; ++side) {
        unsigned bits = 0;
        for (int i = 0; i < CN_LANES; ++i) {
            bool is_dynamic = cn_tile_is_dynamic(bodies, singles.body[side][i]);
            singles.is_dynamic[side][i] = is_dynamic;
            bits |= (unsigned)is_dynamic << i;
        }
        singles.has_dynamic[side] = bits != 0;
        singles.dynamic[side] = lanes_of(bits, 0);
    }
    return singles;
}

// Three numbers of the first point.
CN_LANE_FUNCTION Three first_of(const double* const from[CN_LANES]) {
    return (Three){pick(from, 0), pick(from, CN_TILE_POINTS), pick(from, 2 * CN_TILE_POINTS)};
}

CN_LANE_FUNCTION Rows rows_of_singles(const Singles* singles) {
    const double *direction[CN_LANES], *center[CN_LANES], *point[CN_LANES];
    CnLanes d[9], c[6];
    for (int i = 0; i < CN_LANES; ++i) {
        direction[i] = singles->tile[i]->direction[0];
        center[i] = singles->tile[i]->center[0];
        point[i] = singles->tile[i]->point[0];
    }
    gather(direction, 9, d);
    gather(center, 6, c);
    Three at = first_of(point);
    return (Rows){{three(d), three(d + 3), three(d + 6)},
                  {sub(at, three(c)), sub(at, three(c + 3))}};
}

CN_LANE_FUNCTION Three impulses_of_singles(const Singles* singles) {
    const double* impulse[CN_LANES];
    for (int i = 0; i < CN_LANES; ++i) {
        impulse[i] = singles->tile[i]->impulse[0];
    }
    return first_of(impulse);
}

CN_LANE_FUNCTION Laws laws_of_singles(const Singles* singles) {
    const double *friction[CN_LANES], *bound[CN_LANES], *target[CN_LANES];
    for (int i = 0; i < CN_LANES; ++i) {
        friction[i] = singles->tile[i]->friction;
        bound[i] = singles->tile[i]->step_bound;
        target[i] = singles->tile[i]->target;
    }
    return (Laws){
        .acts = ~(CnMask){0},
        .friction = pick(friction, 0),
        .bound = pick(bound, 0),
        .impulse = impulses_of_singles(singles),
        .target = pick(target, 0),
    };
}

CN_LANE_FUNCTION void velocities_of(const Singles* singles, int side, const double (*velocity)[6],
                                    CnLanes to[6]) {
    const double* from[CN_LANES];
    for (int i = 0; i < CN_LANES; ++i) {
        from[i] = cn_tile_velocity(velocity, singles->body[side][i]);
    }
    gather(from, 6, to);
}

CN_LANE_FUNCTION PairMotion motion_of_lanes(const CnLanes a[6], const CnLanes b[6]) {
    return (PairMotion){sub(three(b), three(a)), {three(a + 3), three(b + 3)}};
}

// Inverse masses and inertias of one side; zero where a body is not dynamic.
typedef struct Inverses {
    CnLanes mass;
    Three inertia[3];
} Inverses;

CN_LANE_FUNCTION Inverses inverses_of(const Singles* singles, int side,
                                      const CnTileBodies* bodies) {
    static const double none[9] = {0.0};
    const double *mass[CN_LANES], *inertia[CN_LANES];
    CnLanes numbers[9];
    for (int i = 0; i < CN_LANES; ++i) {
        int body = singles->body[side][i];
        bool is_dynamic = singles->is_dynamic[side][i];
        mass[i] = is_dynamic ? &bodies->inverse_mass[body] : none;
        inertia[i] = is_dynamic ? bodies->inverse_inertia[body] : none;
    }
    gather(inertia, 9, numbers);
    return (Inverses){pick(mass, 0), {three(numbers), three(numbers + 3), three(numbers + 6)}};
}

CN_LANE_TARGET static void prepare_singles(int count, CnContactTile* const* tiles,
                                           const CnTileBodies* bodies) {
    for (int first = 0; first < count; first += CN_LANES) {
        Singles singles = singles_at(tiles, first, count, bodies);
        Rows rows = rows_of_singles(&singles);
        CnLanes w[6] = {0};
        CnMask clear;
        for (int side = 0; side < 2; ++side) {
            if (singles.has_dynamic[side]) {
                Inverses inverses = inverses_of(&singles, side, bodies);
                add_response(&rows, side, inverses.mass, inverses.inertia, w);
            }
        }
        CnLanes trace = w[0] + w[3] + w[5];
        CnLanes bound = largest_eigenvalue(w, trace, &clear);
        unsigned is_clear = cn_mask_bits(clear);
        for (int i = 0; i < CN_LANES; ++i) {
            CnContactTile* tile = singles.tile[i];
            tile->trace = trace[i];
            tile->step_bound[0] = (is_clear >> i & 1u) != 0 ? bound[i] : other_eigenvalue(w, i);
            for (int j = 1; j < CN_TILE_POINTS; ++j) {
                tile->step_bound[j] = 1.0;
            }
        }
    }
}

CN_LANE_FUNCTION void store_velocities(const Singles* singles, int side, const CnLanes velocity[6],
                                       const CnTileBodies* bodies) {
    double nowhere[6];
    for (int k = 0; k < 6; k += 2) {
        double* to[CN_LANES];
        for (int i = 0; i < CN_LANES; ++i) {
            bool is_dynamic = singles->is_dynamic[side][i];
            to[i] = (is_dynamic ? bodies->velocity[singles->body[side][i]] : nowhere) + k;
        }
        cn_lanes_scatter(velocity + k, to);
    }
}

// The largest change since the step began: cn_bodies_respond().
CN_LANE_FUNCTION CnLanes raise_gain(const Singles* singles, int side, const CnLanes velocity[6],
                                    const CnTileBodies* bodies, CnLanes gain) {
    CnLanes before[6];
    velocities_of(singles, side, bodies->before, before);
    for (int k = 0; k < 6; ++k) {
        CnLanes change = cn_lanes_abs(velocity[k] - before[k]);
        change = cn_select(cn_equal(change, change), change, cn_lanes(HUGE_VAL));
        gain = cn_lanes_max(gain, cn_keep(singles->dynamic[side], change));
    }
    return gain;
}

// Impulses on A are opposite. Sums begin with zero, which matters to the sign of a zero.
CN_LANE_FUNCTION Three momentum_of(int side, Three x) {
    CnLanes zero = cn_lanes(0.0);
    return side == 0 ? (Three){zero - x.x, zero - x.y, zero - x.z}
                     : (Three){zero + x.x, zero + x.y, zero + x.z};
}

// Velocities of the bodies of one side, whose momentum is that of the impulses; those that are not
// dynamic keep theirs.
CN_LANE_FUNCTION void respond(const Singles* singles, int side, const WrenchLanes* wrench,
                              const CnTileBodies* bodies, const CnLanes free[6],
                              CnLanes velocity[6], CnLanes* gain) {
    velocities_of(singles, side, (const double(*)[6])bodies->velocity, velocity);
    if (!singles->has_dynamic[side]) {
        return;
    }
    Three impulse = momentum_of(side, wrench->impulse);
    Three moment = momentum_of(side, side == 0 ? wrench->moment_a : wrench->moment_b);
    Inverses inverses = inverses_of(singles, side, bodies);
    const CnLanes change[6] = {
        inverses.mass * impulse.x,        inverses.mass * impulse.y,
        inverses.mass * impulse.z,        dot(inverses.inertia[0], moment),
        dot(inverses.inertia[1], moment), dot(inverses.inertia[2], moment),
    };
    for (int k = 0; k < 6; ++k) {
        velocity[k] = cn_select(singles->dynamic[side], free[k] + change[k], velocity[k]);
    }
    store_velocities(singles, side, velocity, bodies);
    if (bodies->before != NULL) {
        *gain = raise_gain(singles, side, velocity, bodies, *gain);
    }
}

// Grades of the tile in a lane, which is an island.
CN_LANE_FUNCTION void take_grades(const Grades* own, CnLanes residual, CnLanes outside, int lane,
                                  int block, CnGradeSums* sums) {
    *sums = (CnGradeSums){
        .block_count = 1,
        .worst_block = block,
        .worst = residual[lane],
        .residual = own->square[lane],
        .p = own->p[lane],
        .u = own->u[lane],
        .q = own->q[lane],
        .plain = own->plain[lane],
        .scaled = own->scaled[lane],
        .cone_violation = outside[lane],
        .complementarity = own->pairing[lane],
    };
}

CN_LANE_TARGET static void look_at_singles(const CnTileSet* set, const CnTileBodies* bodies,
                                           double rho, double* gains, CnGradeSums* sums) {
    for (int first = 0; first < set->count; first += CN_LANES) {
        Singles singles = singles_at(set->tiles, first, set->count, bodies);
        Rows rows = rows_of_singles(&singles);
        Laws laws = laws_of_singles(&singles);
        WrenchLanes wrench = wrenches(&rows, laws.impulse);
        CnLanes free[2][6], velocity[2][6], gain = cn_lanes(0.0);
        for (int side = 0; side < 2; ++side) {
            velocities_of(&singles, side, bodies->free_velocity, free[side]);
            respond(&singles, side, &wrench, bodies, free[side], velocity[side], &gain);
        }
        Grades own = grade_points(&rows, &laws, motion_of_lanes(velocity[0], velocity[1]),
                                  motion_of_lanes(free[0], free[1]), cn_lanes(rho));
        CnLanes residual = cn_lanes_sqrt(own.square), outside = cn_lanes_sqrt(own.outside);
        for (int i = 0; i < CN_LANES && first + i < set->count; ++i) {
            int block = set->first_block == NULL ? 0 : set->first_block[first + i];
            const float residuals[CN_TILE_POINTS] = {(float)residual[i]};
            memcpy(singles.tile[i]->residual, residuals, sizeof residuals);
            gains[first + i] = gain[i];
            take_grades(&own, residual, outside, i, block, &sums[first + i]);
        }
    }
}

// Magnitudes of what the point of each lane gives the bodies of one side: of its moments.
CN_LANE_FUNCTION CnLanes angular_scales(const Singles* singles, int side, CnLanes size,
                                        Three moment, const CnTileBodies* bodies) {
    static const double origin[3] = {0.0};
    const double* from[CN_LANES];
    CnLanes c[3];
    for (int i = 0; i < CN_LANES; ++i) {
        int body = singles->body[side][i];
        from[i] = singles->is_dynamic[side][i] ? bodies->center[body] : origin;
    }
    gather(from, 3, c);
    CnLanes distance = cn_lanes_sqrt(dot(three(c), three(c)));
    return cn_lanes_sqrt(dot(moment, moment)) + distance * size;
}

// Work and scales of a lane, added to those of the first places of tiles.
CN_LANE_FUNCTION void add_works(const Singles* singles, int lane, Three work, CnLanes scale,
                                CnLanes size, const CnLanes angular[2], CnTileWorks* works) {
    works->contact[0] += work.x[lane];
    works->friction[0] += (work.y + work.z)[lane];
    works->scale[0] += scale[lane];
    for (int side = 0; side < 2; ++side) {
        if (singles->is_dynamic[side][lane]) {
            works->linear[0] += size[lane];
            works->angular[0] += angular[side][lane];
        }
    }
}

// As many tiles as there are lanes. Sums are made in the order of tiles.
CN_LANE_FUNCTION void book_singles(CnContactTile* const* tiles, const CnTileBodies* bodies,
                                   CnTileWorks* works, CnTileLedger* ledger) {
    Singles singles = singles_at(tiles, 0, CN_LANES, bodies);
    Rows rows = rows_of_singles(&singles);
    Three p = impulses_of_singles(&singles);
    CnLanes mean[2][6];
    velocities_of(&singles, 0, bodies->mean_velocity, mean[0]);
    velocities_of(&singles, 1, bodies->mean_velocity, mean[1]);
    Three v = row_velocity(&rows, motion_of_lanes(mean[0], mean[1]));
    Three work = {p.x * v.x, p.y * v.y, p.z * v.z};
    CnLanes scale = cn_lanes_abs(work.x) + cn_lanes_abs(work.y) + cn_lanes_abs(work.z);
    WrenchLanes w = wrenches(&rows, p);
    CnLanes size = cn_lanes_sqrt(dot(w.impulse, w.impulse));
    const CnLanes angular[2] = {angular_scales(&singles, 0, size, w.moment_a, bodies),
                                angular_scales(&singles, 1, size, w.moment_b, bodies)};
    for (int i = 0; i < CN_LANES; ++i) {
        add_works(&singles, i, work, scale, size, angular, works);
        CnTileWrench wrench = {{w.impulse.x[i], w.impulse.y[i], w.impulse.z[i]},
                               {w.moment_a.x[i], w.moment_a.y[i], w.moment_a.z[i]},
                               {w.moment_b.x[i], w.moment_b.y[i], w.moment_b.z[i]}};
        cn_tile_book_wrench(singles.tile[i], &wrench, bodies, ledger);
    }
}

// Whether the next tiles fill the lanes with one point each.
CN_LANE_FUNCTION bool are_singles(const CnTileSet* set, int first) {
    bool are = first + CN_LANES <= set->count;
    for (int i = first; are && i < first + CN_LANES; ++i) {
        are = cn_tile_is_single(set->tiles[i]);
    }
    return are;
}

CN_LANE_TARGET static void book(const CnTileSet* set, const CnTileBodies* bodies,
                                CnTileWorks* works, CnTileLedger* ledger) {
    for (int i = 0; i < set->count;) {
        if (works->of_points == NULL && are_singles(set, i)) {
            for (int later = 0; later < CN_LANES; ++later) {
                fetch(set, i + CN_LANES + later - 2);
            }
            book_singles(set->tiles + i, bodies, works, ledger);
            i += CN_LANES;
        } else {
            fetch(set, i);
            book_tile(set->tiles[i], i, bodies, works, ledger);
            ++i;
        }
    }
}
