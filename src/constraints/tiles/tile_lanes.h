// tile_lanes.h - tiles, several points at once.
//
// tile_plain.c is the same for one point, and explains it; tests hold the two against each other to
// the bit. The file that includes it says for which registers: math/simd.h. Branches become masks:
// all lanes do what one of them needs, and each keeps what is its own.
#pragma once

#include "base/fetch.h"
#include "constraints/problem/block.h"
#include "constraints/tiles/tile_functions.h"
#include "math/simd.h"
#include <float.h>

_Static_assert(CN_TILE_POINTS % CN_LANES == 0, "a tile fills whole registers");

#define PARTS (CN_TILE_POINTS / CN_LANES)

typedef struct Three {
    CnLanes x, y, z;
} Three;

CN_LANE_FUNCTION Three load(const double* rows, int at) {
    return (Three){cn_lanes_load(rows + at), cn_lanes_load(rows + CN_TILE_POINTS + at),
                   cn_lanes_load(rows + 2 * CN_TILE_POINTS + at)};
}

CN_LANE_FUNCTION Three same(const double* x) {
    return (Three){cn_lanes(x[0]), cn_lanes(x[1]), cn_lanes(x[2])};
}

CN_LANE_FUNCTION Three arms(const CnContactTile* tile, int side, int at) {
    Three point = load(tile->point[0], at), center = same(tile->center[side]);
    return (Three){point.x - center.x, point.y - center.y, point.z - center.z};
}

CN_LANE_FUNCTION Three cross(Three a, Three b) {
    return (Three){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

CN_LANE_FUNCTION CnLanes dot(Three a, Three b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

CN_LANE_FUNCTION Three keep(CnMask where, Three x) {
    return (Three){cn_keep(where, x.x), cn_keep(where, x.y), cn_keep(where, x.z)};
}

// All bits of the lanes whose bit is set, bit 0 for the first point.
CN_LANE_FUNCTION CnMask lanes_of(unsigned points, int at) {
    static const int64_t bits[16][CN_TILE_POINTS] = {
        {0, 0, 0, 0},   {-1, 0, 0, 0},   {0, -1, 0, 0},   {-1, -1, 0, 0},
        {0, 0, -1, 0},  {-1, 0, -1, 0},  {0, -1, -1, 0},  {-1, -1, -1, 0},
        {0, 0, 0, -1},  {-1, 0, 0, -1},  {0, -1, 0, -1},  {-1, -1, 0, -1},
        {0, 0, -1, -1}, {-1, 0, -1, -1}, {0, -1, -1, -1}, {-1, -1, -1, -1}};
    CnMask mask;
    memcpy(&mask, bits[points & 15u] + at, sizeof mask);
    return mask;
}

// In a loop over tiles, which lie anywhere: fetches a later one while this one is worked on.
CN_LANE_FUNCTION void fetch(const CnTileSet* set, int i) {
    if (i + 2 < set->count) {
        const char* later = (const char*)set->tiles[i + 2];
        for (size_t at = 0; at < sizeof(CnContactTile); at += 64) {
            cn_fetch(later + at);
        }
    }
}

CN_LANE_FUNCTION CnMask acting(const CnContactTile* tile, int at) {
    return lanes_of(tile->acting, at);
}

// The rows of points side by side.
typedef struct Rows {
    Three direction[3], arm[2];
} Rows;

CN_LANE_FUNCTION Rows rows_of(const CnContactTile* tile, int at) {
    return (Rows){
        {same(tile->direction[0]), same(tile->direction[1]), same(tile->direction[2])},
        {arms(tile, 0, at), arms(tile, 1, at)},
    };
}

// How the two bodies of each point move: B against A, and how both turn.
typedef struct PairMotion {
    Three between, spin[2];
} PairMotion;

CN_LANE_FUNCTION PairMotion motion_between(const double* a, const double* b) {
    return (PairMotion){{cn_lanes(b[0] - a[0]), cn_lanes(b[1] - a[1]), cn_lanes(b[2] - a[2])},
                        {same(a + 3), same(b + 3)}};
}

CN_LANE_FUNCTION PairMotion motion_of(const CnContactTile* tile, const double (*velocity)[6]) {
    return motion_between(cn_tile_velocity(velocity, tile->body_a),
                          cn_tile_velocity(velocity, tile->body_b));
}

CN_LANE_FUNCTION Three row_velocity(const Rows* rows, PairMotion motion) {
    Three turn_a = cross(motion.spin[0], rows->arm[0]);
    Three turn_b = cross(motion.spin[1], rows->arm[1]);
    Three relative = {motion.between.x + (turn_b.x - turn_a.x),
                      motion.between.y + (turn_b.y - turn_a.y),
                      motion.between.z + (turn_b.z - turn_a.z)};
    return (Three){dot(rows->direction[0], relative), dot(rows->direction[1], relative),
                   dot(rows->direction[2], relative)};
}

// What the laws of points side by side ask.
typedef struct Laws {
    CnMask acts;
    CnLanes friction, bound; // bound: of its tile's step_bound
    Three impulse;           // 0 where it does not act
    CnLanes target;
    const double* slide[2]; // targets along the tangents; NULL: they are zero
} Laws;

CN_LANE_FUNCTION Laws laws_of(const CnContactTile* tile, int at) {
    CnMask acts = acting(tile, at);
    const CnTileSlide* slide = tile->slide;
    return (Laws){
        .acts = acts,
        .friction = cn_lanes_load(tile->friction + at),
        .bound = cn_lanes_load(tile->step_bound + at),
        .impulse = keep(acts, load(tile->impulse[0], at)),
        .target = cn_lanes_load(tile->target + at),
        .slide = {slide == NULL ? NULL : slide->target[0] + at,
                  slide == NULL ? NULL : slide->target[1] + at},
    };
}

CN_LANE_FUNCTION Three row_error(const Rows* rows, const Laws* laws, PairMotion motion) {
    Three u = row_velocity(rows, motion);
    u.x -= laws->target;
    if (laws->slide[0] != NULL) {
        u.y -= cn_lanes_load(laws->slide[0]);
        u.z -= cn_lanes_load(laws->slide[1]);
    }
    return keep(laws->acts, u);
}

CN_LANE_FUNCTION Three shift(CnLanes friction, Three u) {
    return (Three){u.x + friction * cn_lanes_sqrt(u.y * u.y + u.z * u.z), u.y, u.z};
}

CN_LANE_FUNCTION CnLanes map_square(CnLanes friction, Three p, CnLanes rho, Three shifted,
                                    CnMask* outside) {
    Three x = {p.x - rho * shifted.x, p.y - rho * shifted.y, p.z - rho * shifted.z};
    CnLanes square = x.y * x.y + x.z * x.z, radius = friction * x.x;
    *outside = cn_is_negative(x.x) | cn_less(radius * radius, square);
    if (cn_any(*outside)) {
        CnLanes length = cn_lanes_sqrt(square);
        CnLanes nearest = (x.x + friction * length) / (cn_lanes(1.0) + friction * friction);
        nearest = cn_lanes_max(cn_lanes(0.0), nearest);
        CnLanes scale = friction * nearest / cn_lanes_max(cn_lanes(DBL_MIN), length);
        x.x = cn_select(*outside, nearest, x.x);
        x.y = cn_select(*outside, x.y * scale, x.y);
        x.z = cn_select(*outside, x.z * scale, x.z);
    }
    Three error = {p.x - x.x, p.y - x.y, p.z - x.z};
    return dot(error, error);
}

CN_LANE_FUNCTION CnLanes residual_square(const Laws* laws, Three shifted) {
    CnMask outside;
    CnLanes bound = laws->bound;
    CnLanes square =
        map_square(laws->friction, laws->impulse, cn_lanes(1.0) / bound, shifted, &outside);
    return cn_select(outside, square * (bound * bound), dot(shifted, shifted));
}

CN_LANE_FUNCTION CnMask is_finite(CnLanes uu, CnLanes pp) {
    return cn_at_most(uu + pp, cn_lanes(DBL_MAX));
}

CN_LANE_FUNCTION CnLanes checked(CnLanes square, CnMask finite) {
    return cn_select(cn_at_most(square, cn_lanes(DBL_MAX)) & finite, square, cn_lanes(HUGE_VAL));
}

CN_LANE_TARGET static double worst(const CnTileSet* set, const CnTileBodies* bodies) {
    CnLanes most[PARTS];
    for (int part = 0; part < PARTS; ++part) {
        most[part] = cn_lanes(-1.0);
    }
    for (int i = 0; i < set->count; ++i) {
        fetch(set, i);
        const CnContactTile* tile = set->tiles[i];
        for (int part = 0; part < PARTS; ++part) {
            Rows rows = rows_of(tile, part * CN_LANES);
            Laws laws = laws_of(tile, part * CN_LANES);
            Three p = laws.impulse;
            Three u =
                row_error(&rows, &laws, motion_of(tile, (const double(*)[6])bodies->velocity));
            CnMask finite = is_finite(dot(u, u), dot(p, p));
            CnLanes square = checked(residual_square(&laws, shift(laws.friction, u)), finite);
            most[part] = cn_lanes_max(most[part], cn_select(laws.acts, square, cn_lanes(-1.0)));
        }
    }
    double largest = -1.0;
    for (int part = 0; part < PARTS; ++part) {
        for (int j = 0; j < CN_LANES; ++j) {
            largest = largest < most[part][j] ? most[part][j] : largest;
        }
    }
    return largest;
}

CN_LANE_FUNCTION void add(double* sum, CnLanes x) {
    cn_lanes_store(cn_lanes_load(sum) + x, sum);
}

CN_LANE_FUNCTION void raise(double* most, CnLanes x) {
    cn_lanes_store(cn_lanes_max(cn_lanes_load(most), x), most);
}

// What CnTileGrades adds up, of each point.
typedef struct Grades {
    CnLanes u, p, q, square, plain, scaled, outside, pairing;
} Grades;

// velocity, free: with the impulses, and without any.
CN_LANE_FUNCTION Grades grade_points(const Rows* rows, const Laws* laws, PairMotion velocity,
                                     PairMotion free, CnLanes rho) {
    CnMask ignored;
    CnLanes friction = laws->friction;
    Three p = laws->impulse, u = row_error(rows, laws, velocity), q = row_error(rows, laws, free);
    Grades grades = {.u = dot(u, u), .p = dot(p, p), .q = dot(q, q)};
    CnMask finite = is_finite(grades.u, grades.p);
    u = shift(friction, u);
    grades.square = checked(residual_square(laws, u), finite);
    grades.outside = checked(map_square(friction, p, cn_lanes(0.0), u, &ignored), finite);
    grades.plain = map_square(friction, p, cn_lanes(1.0), u, &ignored);
    grades.scaled = map_square(friction, p, rho, u, &ignored);
    grades.pairing = checked(cn_lanes_abs(dot(u, p)), finite);
    return grades;
}

CN_LANE_FUNCTION void grade_part(CnContactTile* tile, int index, int at, const CnTileBodies* bodies,
                                 CnLanes rho, CnTileGrades* grades) {
    Rows rows = rows_of(tile, at);
    Laws laws = laws_of(tile, at);
    Grades own = grade_points(&rows, &laws, motion_of(tile, (const double(*)[6])bodies->velocity),
                              motion_of(tile, bodies->free_velocity), rho);
    add(grades->u + at, own.u);
    add(grades->p + at, own.p);
    add(grades->q + at, own.q);
    cn_lanes_store_floats(cn_lanes_sqrt(own.square), tile->residual + at);
    add(grades->residual + at, own.square);
    CnLanes most = cn_lanes_load(grades->worst + at);
    CnMask worse = cn_less(most, own.square) & laws.acts;
    if (cn_any(worse)) {
        cn_lanes_store(cn_select(worse, own.square, most), grades->worst + at);
        cn_lanes_store(cn_select(worse, cn_lanes((double)index), cn_lanes_load(grades->tile + at)),
                       grades->tile + at);
    }
    add(grades->plain + at, own.plain);
    add(grades->scaled + at, own.scaled);
    raise(grades->outside + at, own.outside);
    raise(grades->pairing + at, own.pairing);
}

CN_LANE_TARGET static void grade(const CnTileSet* set, const CnTileBodies* bodies, double rho,
                                 CnTileGrades* grades) {
    for (int i = 0; i < set->count; ++i) {
        fetch(set, i);
        for (int at = 0; at < CN_TILE_POINTS; at += CN_LANES) {
            grade_part(set->tiles[i], i, at, bodies, cn_lanes(rho), grades);
        }
    }
}

typedef struct WrenchLanes {
    Three impulse, moment_a, moment_b;
} WrenchLanes;

CN_LANE_FUNCTION WrenchLanes wrenches(const Rows* rows, Three p) {
    const Three* d = rows->direction;
    Three impulse = {d[0].x * p.x + d[1].x * p.y + d[2].x * p.z,
                     d[0].y * p.x + d[1].y * p.y + d[2].y * p.z,
                     d[0].z * p.x + d[1].z * p.y + d[2].z * p.z};
    return (WrenchLanes){impulse, cross(rows->arm[0], impulse), cross(rows->arm[1], impulse)};
}

CN_LANE_FUNCTION WrenchLanes point_wrench(const CnContactTile* tile, int at, Three p) {
    Rows rows = rows_of(tile, at);
    return wrenches(&rows, p);
}

// (x0 + x1) + (x2 + x3), and the same of y; with two lanes the first or the second of the sums.
CN_LANE_FUNCTION CnDouble2 sum_points(CnLanes x, CnLanes y) {
#if CN_LANES == 4
    CnLanes pairs =
        __builtin_shufflevector(x, y, 0, 4, 2, 6) + __builtin_shufflevector(x, y, 1, 5, 3, 7);
    return __builtin_shufflevector(pairs, pairs, 0, 1) +
           __builtin_shufflevector(pairs, pairs, 2, 3);
#else
    return __builtin_shufflevector(x, y, 0, 2) + __builtin_shufflevector(x, y, 1, 3);
#endif
}

// Impulse (x, y), (z, moment of A: x), (y, z), and (z, moment of B: x), (y, z).
typedef struct Sums {
    CnDouble2 head, a[2], b[2];
} Sums;

CN_LANE_FUNCTION Sums sum_part(WrenchLanes w) {
    return (Sums){sum_points(w.impulse.x, w.impulse.y),
                  {sum_points(w.impulse.z, w.moment_a.x), sum_points(w.moment_a.y, w.moment_a.z)},
                  {sum_points(w.impulse.z, w.moment_b.x), sum_points(w.moment_b.y, w.moment_b.z)}};
}

CN_LANE_FUNCTION void add_part(Sums* sums, Sums next) {
    sums->head += next.head;
    for (int k = 0; k < 2; ++k) {
        sums->a[k] += next.a[k];
        sums->b[k] += next.b[k];
    }
}

CN_LANE_FUNCTION CnDouble2 load_half(const double* from) {
    CnDouble2 x;
    memcpy(&x, from, sizeof x);
    return x;
}

CN_LANE_FUNCTION void store_half(CnDouble2 x, double* to) {
    memcpy(to, &x, sizeof x);
}

CN_LANE_TARGET static void push(const CnTileSet* set, const CnTileBodies* bodies) {
    for (int i = 0; i < set->count; ++i) {
        fetch(set, i);
        const CnContactTile* tile = set->tiles[i];
        Sums sums =
            sum_part(point_wrench(tile, 0, keep(acting(tile, 0), load(tile->impulse[0], 0))));
        for (int at = CN_LANES; at < CN_TILE_POINTS; at += CN_LANES) {
            Three p = keep(acting(tile, at), load(tile->impulse[0], at));
            add_part(&sums, sum_part(point_wrench(tile, at, p)));
        }
        if (cn_tile_is_dynamic(bodies, tile->body_a)) {
            double* momentum = bodies->momentum[tile->body_a];
            store_half(load_half(momentum) - sums.head, momentum);
            store_half(load_half(momentum + 2) - sums.a[0], momentum + 2);
            store_half(load_half(momentum + 4) - sums.a[1], momentum + 4);
        }
        if (cn_tile_is_dynamic(bodies, tile->body_b)) {
            double* momentum = bodies->momentum[tile->body_b];
            store_half(load_half(momentum) + sums.head, momentum);
            store_half(load_half(momentum + 2) + sums.b[0], momentum + 2);
            store_half(load_half(momentum + 4) + sums.b[1], momentum + 4);
        }
    }
}

CN_LANE_FUNCTION void add_scales(const CnTileBodies* bodies, int body, CnLanes size, Three moment,
                                 CnLanes* linear, CnLanes* angular) {
    if (cn_tile_is_dynamic(bodies, body)) {
        const double* c = bodies->center[body];
        double distance = sqrt(c[0] * c[0] + c[1] * c[1] + c[2] * c[2]);
        *linear += size;
        *angular += cn_lanes_sqrt(dot(moment, moment)) + cn_lanes(distance) * size;
    }
}

CN_LANE_FUNCTION Sums book_part(const CnContactTile* tile, int index, int at,
                                const CnTileBodies* bodies, CnTileWorks* works) {
    CnMask acts = acting(tile, at);
    Rows rows = rows_of(tile, at);
    Three p = keep(acts, load(tile->impulse[0], at));
    Three mean = keep(acts, row_velocity(&rows, motion_of(tile, bodies->mean_velocity)));
    Three work = {p.x * mean.x, p.y * mean.y, p.z * mean.z};
    if (works->of_points != NULL) {
        cn_lanes_store(work.x + work.y + work.z, works->of_points[index] + at);
    }
    add(works->contact + at, work.x);
    add(works->friction + at, work.y + work.z);
    add(works->scale + at, cn_lanes_abs(work.x) + cn_lanes_abs(work.y) + cn_lanes_abs(work.z));
    WrenchLanes w = wrenches(&rows, p);
    CnLanes size = cn_lanes_sqrt(dot(w.impulse, w.impulse));
    CnLanes linear = cn_lanes_load(works->linear + at),
            angular = cn_lanes_load(works->angular + at);
    add_scales(bodies, tile->body_a, size, w.moment_a, &linear, &angular);
    add_scales(bodies, tile->body_b, size, w.moment_b, &linear, &angular);
    cn_lanes_store(linear, works->linear + at);
    cn_lanes_store(angular, works->angular + at);
    return sum_part(w);
}

CN_LANE_FUNCTION void book_tile(const CnContactTile* tile, int index, const CnTileBodies* bodies,
                                CnTileWorks* works, CnTileLedger* ledger) {
    Sums s = book_part(tile, index, 0, bodies, works);
    for (int at = CN_LANES; at < CN_TILE_POINTS; at += CN_LANES) {
        add_part(&s, book_part(tile, index, at, bodies, works));
    }
    CnTileWrench wrench = {{s.head[0], s.head[1], s.a[0][0]},
                           {s.a[0][1], s.a[1][0], s.a[1][1]},
                           {s.b[0][1], s.b[1][0], s.b[1][1]}};
    cn_tile_book_wrench(tile, &wrench, bodies, ledger);
}

// The response of a body on one side to impulses along the rows of its points.
CN_LANE_FUNCTION void add_response(const Rows* rows, int side, CnLanes inverse_mass,
                                   const Three inertia[3], CnLanes w[6]) {
    const Three* d = rows->direction;
    Three moment[3], spin[3];
    for (int k = 0; k < 3; ++k) {
        moment[k] = cross(rows->arm[side], d[k]);
        spin[k] = (Three){dot(inertia[0], moment[k]), dot(inertia[1], moment[k]),
                          dot(inertia[2], moment[k])};
    }
    for (int k = 0, entry = 0; k < 3; ++k) {
        for (int i = k; i < 3; ++i, ++entry) {
            w[entry] += inverse_mass * dot(d[k], d[i]) + dot(moment[k], spin[i]);
        }
    }
}

CN_LANE_FUNCTION void add_side(const CnContactTile* tile, const CnTileBodies* bodies, int side,
                               const Rows* rows, CnLanes w[6]) {
    int body = side == 0 ? tile->body_a : tile->body_b;
    if (cn_tile_is_dynamic(bodies, body)) {
        const double* inertia = bodies->inverse_inertia[body];
        const Three lanes[3] = {same(inertia), same(inertia + 3), same(inertia + 6)};
        add_response(rows, side, cn_lanes(bodies->inverse_mass[body]), lanes, w);
    }
}

// cn_block_largest_eigenvalue() of three rows, whose lines these are; *clear: lanes in which it
// takes no other way.
CN_LANE_FUNCTION CnLanes largest_eigenvalue(const CnLanes w[6], CnLanes trace, CnMask* clear) {
    CnLanes m = trace / 3.0;
    CnLanes x = w[0] - m, y = w[3] - m, z = w[5] - m;
    CnLanes xy = w[1], xz = w[2], yz = w[4];
    CnLanes square = (x * x + y * y + z * z) / 6.0 + (xy * xy + xz * xz + yz * yz) / 3.0;
    CnLanes r = cn_lanes_sqrt(square);
    CnLanes determinant = x * (y * z - yz * yz) - xy * (xy * z - yz * xz) + xz * (xy * yz - y * xz);
    CnLanes cube = square * r;
    CnLanes h = determinant / (2.0 * cube);
    *clear = cn_less(cn_lanes(0.0), cube) & cn_at_most(cube, cn_lanes(DBL_MAX)) &
             cn_at_most(cn_lanes(CN_NEARLY_DOUBLE - 1.0), h);
    CnLanes s = cn_lanes_sqrt(0.5 * (1.0 + cn_lanes_min(h, cn_lanes(1.0))));
    CnLanes d = s * (1.1547005 - s * (0.2222222 - 0.0675217 * s));
    for (int i = 0; i < 3; ++i) {
        d -= (d * d * (d + 3.0) - 4.0 * s * s) / (3.0 * d * (d + 2.0));
    }
    return m + r * (1.0 + d);
}

// The largest eigenvalues of points of three rows that the closed form does not find.
CN_LANE_FUNCTION double other_eigenvalue(const CnLanes w[6], int lane) {
    const double full[9] = {w[0][lane], w[1][lane], w[2][lane], w[1][lane], w[3][lane],
                            w[4][lane], w[2][lane], w[4][lane], w[5][lane]};
    return cn_block_largest_eigenvalue(full, 3);
}

CN_LANE_TARGET static void prepare(CnContactTile* tile, const CnTileBodies* bodies) {
    double traces[CN_TILE_POINTS];
    for (int at = 0; at < CN_TILE_POINTS; at += CN_LANES) {
        CnMask acts = acting(tile, at), clear;
        CnLanes w[6] = {0};
        Rows rows = rows_of(tile, at);
        add_side(tile, bodies, 0, &rows, w);
        add_side(tile, bodies, 1, &rows, w);
        CnLanes trace = w[0] + w[3] + w[5];
        CnLanes bound = largest_eigenvalue(w, trace, &clear);
        if (tile->row_count == 1) {
            bound = w[0];
            clear = acts;
        }
        cn_lanes_store(cn_select(acts, bound, cn_lanes(1.0)), tile->step_bound + at);
        cn_lanes_store(cn_keep(acts, trace), traces + at);
        unsigned others = cn_mask_bits(cn_and_not(acts, clear));
        for (int j = 0; others >> j != 0; ++j) {
            if ((others >> j & 1u) != 0) {
                tile->step_bound[at + j] = other_eigenvalue(w, j);
            }
        }
    }
    tile->trace = (traces[0] + traces[1]) + (traces[2] + traces[3]);
}

CN_LANE_FUNCTION unsigned find_hold(const CnContactTile* tile, int at, const CnTileBodies* bodies) {
    Rows rows = rows_of(tile, at);
    Laws laws = laws_of(tile, at);
    CnLanes friction = laws.friction, zero = cn_lanes(0.0);
    CnLanes rho = cn_lanes(1.0) / laws.bound;
    Three p = laws.impulse;
    Three u = row_error(&rows, &laws, motion_of(tile, (const double(*)[6])bodies->velocity));
    CnMask pressed = cn_less(zero, p.x - rho * u.x) & laws.acts;
    u = shift(friction, u);
    Three x = {p.x - rho * u.x, p.y - rho * u.y, p.z - rho * u.z};
    CnLanes radius = friction * x.x;
    CnMask inside = cn_at_most(zero, x.x) & cn_at_most(x.y * x.y + x.z * x.z, radius * radius);
    CnMask smooth = cn_equal(friction, zero);
    unsigned normals = cn_mask_bits(pressed & (inside | smooth));
    unsigned tangents = cn_mask_bits(cn_and_not(pressed & inside, smooth));
    return (normals | tangents << CN_TILE_POINTS) << at;
}

CN_LANE_TARGET static void find_holds(const CnTileSet* set, const CnTileBodies* bodies,
                                      unsigned* holds) {
    for (int i = 0; i < set->count; ++i) {
        holds[i] = 0;
        for (int at = 0; at < CN_TILE_POINTS; at += CN_LANES) {
            holds[i] |= find_hold(set->tiles[i], at, bodies);
        }
    }
}

CN_LANE_TARGET static void relax(const CnTileSet* set, const CnTileBodies* bodies,
                                 const unsigned* holds) {
    const double(*z)[6] = (const double(*)[6])bodies->momentum;
    for (int i = 0; i < set->count; ++i) {
        CnContactTile* tile = set->tiles[i];
        const double* za = cn_tile_dynamic(bodies, z, tile->body_a);
        const double* zb = cn_tile_dynamic(bodies, z, tile->body_b);
        PairMotion motion = motion_between(za, zb);
        for (int at = 0; at < CN_TILE_POINTS; at += CN_LANES) {
            CnMask normals = lanes_of(holds[i], at);
            CnMask tangents = lanes_of(holds[i] >> CN_TILE_POINTS, at);
            CnLanes rho = cn_lanes(1.0) / cn_lanes_load(tile->step_bound + at);
            Rows rows = rows_of(tile, at);
            Three felt = row_velocity(&rows, motion), p = load(tile->impulse[0], at);
            cn_lanes_store(p.x - cn_keep(normals, rho * felt.x), tile->impulse[0] + at);
            cn_lanes_store(p.y - cn_keep(tangents, rho * felt.y), tile->impulse[1] + at);
            cn_lanes_store(p.z - cn_keep(tangents, rho * felt.z), tile->impulse[2] + at);
        }
    }
}
