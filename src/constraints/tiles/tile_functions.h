// tile_functions.h - the loops over tiles in several widths: the same bits from each.
//
// tile_plain.c is the reference: one point after the other, and explains the arithmetic.
// tile_lanes.h is the same for several points at once, single_lanes.h for several tiles of one
// point.
#pragma once

#include "constraints/tiles/contact_tile.h"

// Sums and maxima of the points at each place of a tile.
typedef struct CnTileGrades {
    double worst[CN_TILE_POINTS]; // largest squared residual; -1: no point
    double tile[CN_TILE_POINTS];  // index of the tile that has it
    double residual[CN_TILE_POINTS], p[CN_TILE_POINTS], u[CN_TILE_POINTS], q[CN_TILE_POINTS];
    double plain[CN_TILE_POINTS], scaled[CN_TILE_POINTS];    // as CnGradeSums
    double outside[CN_TILE_POINTS], pairing[CN_TILE_POINTS]; // squared distance; |u~ . p|
} CnTileGrades;

typedef struct CnTileWorks {
    double contact[CN_TILE_POINTS], friction[CN_TILE_POINTS], scale[CN_TILE_POINTS];
    double linear[CN_TILE_POINTS], angular[CN_TILE_POINTS]; // scales of momentum
    double (*of_points)[CN_TILE_POINTS];                    // of each tile; NULL: not asked for
} CnTileWorks;

typedef struct CnTileFunctions {
    void (*prepare)(CnContactTile* tile, const CnTileBodies* bodies);
    void (*push)(const CnTileSet* set, const CnTileBodies* bodies);
    double (*worst)(const CnTileSet* set, const CnTileBodies* bodies); // squared; -1: no point
    void (*grade)(const CnTileSet* set, const CnTileBodies* bodies, double rho,
                  CnTileGrades* grades);
    // drive and momentum go to the ledger, tile by tile
    void (*book)(const CnTileSet* set, const CnTileBodies* bodies, CnTileWorks* works,
                 CnTileLedger* ledger);
    void (*find_holds)(const CnTileSet* set, const CnTileBodies* bodies, unsigned* holds);
    void (*relax)(const CnTileSet* set, const CnTileBodies* bodies, const unsigned* holds);
    void (*prepare_singles)(int count, CnContactTile* const* tiles, const CnTileBodies* bodies);
    void (*look_at_singles)(const CnTileSet* set, const CnTileBodies* bodies, double rho,
                            double* gains, CnGradeSums* grades);
} CnTileFunctions;

extern const CnTileFunctions cn_tile_functions_plain;
extern const CnTileFunctions cn_tile_functions_128;
#if defined(__x86_64__)
extern const CnTileFunctions cn_tile_functions_256;
#endif

// Adds the grades of all places to those of a part.
void cn_tile_grades_take(const CnTileSet* set, const CnTileGrades* grades, CnGradeSums* sums);

// What a tile does to its bodies: the impulse on B, opposite on A, and its moments about both
// centres; those of A are to be taken negative.
typedef struct CnTileWrench {
    double impulse[3], moment_a[3], moment_b[3];
} CnTileWrench;

// Drive work and momentum of one tile: docs/theory/grading.md (9)-(11).
void cn_tile_book_wrench(const CnContactTile* tile, const CnTileWrench* wrench,
                         const CnTileBodies* bodies, CnTileLedger* ledger);

// A velocity of the arrays; the world stands still.
static inline const double* cn_tile_velocity(const double (*velocity)[6], int body) {
    static const double still[6] = {0.0};
    return body < 0 ? still : velocity[body];
}

// The same of dynamic bodies; all others count as the world.
static inline const double* cn_tile_dynamic(const CnTileBodies* bodies, const double (*velocity)[6],
                                            int body) {
    return cn_tile_velocity(velocity, body >= 0 && bodies->is_dynamic[body] ? body : -1);
}

static inline bool cn_tile_is_dynamic(const CnTileBodies* bodies, int body) {
    return body >= 0 && bodies->is_dynamic[body];
}
