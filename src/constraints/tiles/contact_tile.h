// contact_tile.h - contact points of two bodies that share one frame: how they push and are graded.
//
// A tile is what two shapes keep of their contact from step to step: frame, points, impulses, and
// constants that change only with the frame or the masses. Velocities of points follow from frame,
// points and the centres of the two bodies, so that no Jacobian is stored. The functions work on
// many tiles at once, four points at a time, and grade like cn_certify() and the ledgers:
// docs/theory/grading.md.
//
// Contacts that resist spinning or rolling have more rows and stay blocks of a CnProblem.
//
//     cn_tile_prepare(tile, bodies);                     when frame, points or masses changed
//     cn_tiles_push(set, bodies);                        momentum += J^T p
//     gain = cn_bodies_respond(bodies, count, list);     velocity = free + M^-1 momentum
//     worst = cn_tiles_worst(set, bodies);               may the guess be kept?
//     cn_tiles_grade(set, bodies, rho, &sums);           the certificate
//     cn_tiles_book(set, bodies, NULL, &ledger);         work and momentum
#pragma once

#include "constraints/problem/certificate.h"

#include <stddef.h>

#define CN_TILE_POINTS 4

// Targets along the tangents [m/s], of belts and of contacts that are pulled back.
typedef struct CnTileSlide {
    double target[2][CN_TILE_POINTS];
} CnTileSlide;

typedef struct CnContactTile {
    // The frame. Each point has its place in the last index, the same in all arrays.
    double point[3][CN_TILE_POINTS]; // where it is, world axes [m]
    union {
        float residual[CN_TILE_POINTS]; // grade: certificate.md (7) [m/s]
        float twist[CN_TILE_POINTS];    // scheme soft_step, whose solves have none: soft_pack.h
    };
    int body_a, body_b;     // places in the arrays of bodies; -1: the immovable world
    unsigned acting;        // bit i: point i acts; the others are not looked at
    int row_count;          // of each point: 3 (CN_LAW_COULOMB), or 1 (CN_LAW_BOUNDS, [0, inf))
    double direction[3][3]; // normal from A to B, two tangents; scaled where friction is elliptic

    // What its rows need besides. Stores whose tiles are only frames end before the tangents:
    // CN_TILE_FRAME.
    double impulse[3][CN_TILE_POINTS]; // of its rows: guess, then answer [N s]
    double friction[CN_TILE_POINTS];   // of its cone; 0 where row_count is 1
    double target[CN_TILE_POINTS];     // of its normal row [m/s]
    double step_bound[CN_TILE_POINTS]; // prepare: largest eigenvalue of its W [1/kg]
    double center[2][3]; // of mass of A and B when the rows were posed; 0: of the world [m]
    double trace;        // prepare: of W of all points that act [1/kg]
    CnTileSlide* slide;  // of its other rows; NULL: they are zero. Belongs to the caller
} CnContactTile;
#define CN_TILE_FRAME offsetof(CnContactTile, direction[1]) // [byte]

// The bodies, by place; the caller's arrays. Functions say which they use.
typedef struct CnTileBodies {
    const bool* is_dynamic;             // impulses move it; others are not written to
    const double* inverse_mass;         // [1/kg]
    const double (*inverse_inertia)[9]; // world axes, row-major, symmetric
    const double (*center)[3];          // of mass, at the poses of the tiles [m]
    const double (*free_velocity)[6];   // linear, then angular
    const double (*before)[6];          // velocity as the step began; may be NULL
    const double (*mean_velocity)[6];   // ledger.md (1)
    double (*momentum)[6];              // J^T p: linear, and about the centre of mass
    double (*velocity)[6];              // free_velocity + M^-1 momentum
} CnTileBodies;

// Tiles in the order in which sums are made: the same order gives the same bits.
typedef struct CnTileSet {
    int count;
    CnContactTile* const* tiles; // [count]
    // The number, among the blocks of the step, of the first acting point of each tile; the others
    // follow. NULL: tiles are counted one after the other from 0.   [count]
    const int* first_block;
} CnTileSet;

// How many points act.
int cn_tile_points(const CnContactTile* tile);

// Of a row of a point [m/s].
static inline double cn_tile_target(const CnContactTile* tile, int row, int point) {
    if (row == 0) {
        return tile->target[point];
    }
    return tile->slide == NULL ? 0.0 : tile->slide->target[row - 1][point];
}

// From the centre of A (side 0) or B (side 1) to a point.
static inline void cn_tile_arm(const CnContactTile* tile, int side, int point, double arm[3]) {
    for (int k = 0; k < 3; ++k) {
        arm[k] = tile->point[k][point] - tile->center[side][k];
    }
}

// step_bound and trace, from frame, arms, masses and inertias. Sets what must be zero to zero:
// tangents, targets, friction and impulses of rows and points that do not act.
void cn_tile_prepare(CnContactTile* tile, const CnTileBodies* bodies);

// Whether one point acts, the first, with three rows whose tangents ask for no velocity: several
// such tiles are worked on at once.
static inline bool cn_tile_is_single(const CnContactTile* tile) {
    return tile->acting == 1u && tile->row_count == 3 && tile->slide == NULL;
}

// cn_tile_prepare() of single tiles. The widest registers hold CN_SINGLES of them.
void cn_tiles_prepare_singles(int count, CnContactTile* const* tiles, const CnTileBodies* bodies);
#define CN_SINGLES 4

// Of single tiles that share no dynamic body: velocities of these with the impulses of their tile
// alone, what cn_bodies_respond() returns of each tile, and its grades. Leaves any `momentum`.
void cn_tiles_look_at_singles(const CnTileSet* set, const CnTileBodies* bodies, double rho,
                              double* gains, CnGradeSums* grades);

// momentum += J^T p of all dynamic bodies of the tiles.
void cn_tiles_push(const CnTileSet* set, const CnTileBodies* bodies);

// velocity = free_velocity + M^-1 momentum of the listed bodies, which are dynamic. Returns the
// most that a velocity differs from `before`, infinite where one is not a number; 0 without
// `before`.
double cn_bodies_respond(const CnTileBodies* bodies, int count, const int* list);

// The largest residual of a point, with `velocity`; 0 without points, infinite where a number is
// not finite.
double cn_tiles_worst(const CnTileSet* set, const CnTileBodies* bodies);

// Adds the grades of all points, with `velocity` and `free_velocity`, and writes `residual`. rho is
// the common step of certificate.md (12). A point that is not finite is infinitely wrong.
void cn_tiles_grade(const CnTileSet* set, const CnTileBodies* bodies, double rho,
                    CnGradeSums* sums);

// Which rows hold, with `velocity`: bit j of holds[i] where the normal of point j does, bit 4 + j
// where its tangents do. Those of a point that sticks inside its cone do, and the normal of one
// that is pressed and has no friction. docs/theory/warm_start.md (6).   [set->count]
void cn_tiles_find_holds(const CnTileSet* set, const CnTileBodies* bodies, unsigned* holds);

// impulse -= J z / step_bound of the rows that hold; z is in `momentum`, of dynamic bodies.
void cn_tiles_relax(const CnTileSet* set, const CnTileBodies* bodies, const unsigned* holds);

// What tiles did in a step; all sums. Impulses on A and B are opposite to the bit, so that tiles
// between dynamic bodies keep linear momentum exactly and have no account of it.
typedef struct CnTileLedger {
    double contact, friction;   // work of normals and of tangents [J]
    double drive;               // work that kinematic bodies give: ledger.md (5) [J]
    double work_scale;          // magnitudes of the work of every row and drive [J]
    double linear_external[3];  // momentum from bodies that are not dynamic [N s]
    double angular_external[3]; // about the world's origin [N m s]
    double angular_internal[3]; // of tiles between dynamic bodies: round-off
    double linear_scale;        // magnitudes of all impulses of points on dynamic bodies
    double angular_scale;       // and of their moments
} CnTileLedger;

// Adds work and momentum of all points, with `mean_velocity` and `center`. work: of all rows of
// each point [J], NULL: not asked for   [set->count].
void cn_tiles_book(const CnTileSet* set, const CnTileBodies* bodies, double (*work)[CN_TILE_POINTS],
                   CnTileLedger* ledger);
void cn_tile_ledger_merge(CnTileLedger* ledger, const CnTileLedger* part);

// Rows of a problem that is being written, one array for each of CnProblem.
typedef struct CnTileRows {
    int block_count, row_count; // so far
    CnBlock* blocks;
    double (*jacobian_a)[6];
    double (*jacobian_b)[6];
    double *target, *compliance, *lower, *upper, *offset, *slope;
    double* impulse; // the guess
} CnTileRows;

// Appends a block for each acting point, in order of tiles and points; its key is 0. place: of each
// body in the problem, NULL: as in the tiles. There is room.
void cn_tiles_write_blocks(const CnTileSet* set, const int* place, CnTileRows* rows);

// The way back: impulses of these tiles, `impulse` starting with those of the first one.
void cn_tiles_read_impulses(const CnTileSet* set, const double* impulse);
