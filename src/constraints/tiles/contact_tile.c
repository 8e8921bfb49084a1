// contact_tile.c - tiles of contact points: the fastest loops there are, and rows for solvers.
#include "constraints/tiles/contact_tile.h"

#include "constraints/tiles/tile_functions.h"
#include "math/simd.h"
#include "math/worse.h"
#include <math.h>
#include <string.h>

static const CnTileFunctions* functions(void) {
    return CN_WIDEST(cn_tile_functions);
}

// Of a set with one bit for each point.
static int count_points(unsigned points) {
    int count = 0;
    for (int j = 0; j < CN_TILE_POINTS; ++j) {
        count += (int)(points >> j & 1u);
    }
    return count;
}

int cn_tile_points(const CnContactTile* tile) {
    return count_points(tile->acting);
}

void cn_tile_prepare(CnContactTile* tile, const CnTileBodies* bodies) {
    if (tile->row_count == 1) {
        memset(tile->direction[1], 0, 2 * sizeof tile->direction[1]);
        if (tile->slide != NULL) {
            *tile->slide = (CnTileSlide){0};
        }
        memset(tile->impulse[1], 0, 2 * sizeof tile->impulse[1]);
        memset(tile->friction, 0, sizeof tile->friction);
    }
    functions()->prepare(tile, bodies);
}

void cn_tiles_prepare_singles(int count, CnContactTile* const* tiles, const CnTileBodies* bodies) {
    functions()->prepare_singles(count, tiles, bodies);
}

void cn_tiles_look_at_singles(const CnTileSet* set, const CnTileBodies* bodies, double rho,
                              double* gains, CnGradeSums* grades) {
    functions()->look_at_singles(set, bodies, rho, gains, grades);
}

void cn_tiles_push(const CnTileSet* set, const CnTileBodies* bodies) {
    functions()->push(set, bodies);
}

double cn_bodies_respond(const CnTileBodies* bodies, int count, const int* list) {
    double gain = 0.0;
    for (int i = 0; i < count; ++i) {
        int body = list[i];
        const double* momentum = bodies->momentum[body];
        const double* inertia = bodies->inverse_inertia[body];
        const double* free = bodies->free_velocity[body];
        double* velocity = bodies->velocity[body];
        for (int k = 0; k < 3; ++k) {
            velocity[k] = free[k] + bodies->inverse_mass[body] * momentum[k];
            velocity[3 + k] =
                free[3 + k] + (inertia[3 * k] * momentum[3] + inertia[3 * k + 1] * momentum[4] +
                               inertia[3 * k + 2] * momentum[5]);
        }
        for (int k = 0; bodies->before != NULL && k < 6; ++k) {
            gain = cn_worse(gain, fabs(velocity[k] - bodies->before[body][k]));
        }
    }
    return gain;
}

double cn_tiles_worst(const CnTileSet* set, const CnTileBodies* bodies) {
    double square = functions()->worst(set, bodies);
    return square < 0.0 ? 0.0 : sqrt(square);
}

void cn_tiles_find_holds(const CnTileSet* set, const CnTileBodies* bodies, unsigned* holds) {
    functions()->find_holds(set, bodies, holds);
}

void cn_tiles_relax(const CnTileSet* set, const CnTileBodies* bodies, const unsigned* holds) {
    functions()->relax(set, bodies, holds);
}

static double sum(const double x[CN_TILE_POINTS]) {
    return (x[0] + x[1]) + (x[2] + x[3]);
}

static double largest(const double x[CN_TILE_POINTS]) {
    return fmax(fmax(x[0], x[1]), fmax(x[2], x[3]));
}

// The number of a point's block.
static int block_of(const CnTileSet* set, int index, int point) {
    int block = 0;
    for (int i = 0; set->first_block == NULL && i < index; ++i) {
        block += cn_tile_points(set->tiles[i]);
    }
    unsigned before = set->tiles[index]->acting & ((1u << point) - 1u);
    block += count_points(before);
    return set->first_block == NULL ? block : set->first_block[index] + block;
}

// The worst point; of equal ones the one with the lowest number.
static void find_worst(const CnTileSet* set, const CnTileGrades* grades, CnGradeSums* part) {
    for (int j = 0; j < CN_TILE_POINTS; ++j) {
        if (grades->worst[j] >= 0.0) {
            double residual = sqrt(grades->worst[j]);
            int block = block_of(set, (int)grades->tile[j], j);
            bool is_first = residual == part->worst && block < part->worst_block;
            if (part->worst_block < 0 || residual > part->worst || is_first) {
                part->worst = residual;
                part->worst_block = block;
            }
        }
    }
}

void cn_tile_grades_take(const CnTileSet* set, const CnTileGrades* grades, CnGradeSums* sums) {
    CnGradeSums part = {
        .worst_block = -1,
        .residual = sum(grades->residual),
        .p = sum(grades->p),
        .u = sum(grades->u),
        .q = sum(grades->q),
        .plain = sum(grades->plain),
        .scaled = sum(grades->scaled),
        .cone_violation = sqrt(largest(grades->outside)),
        .complementarity = largest(grades->pairing),
    };
    for (int i = 0; i < set->count; ++i) {
        part.block_count += cn_tile_points(set->tiles[i]);
    }
    find_worst(set, grades, &part);
    cn_grade_merge(sums, &part);
}

void cn_tiles_grade(const CnTileSet* set, const CnTileBodies* bodies, double rho,
                    CnGradeSums* sums) {
    CnTileGrades grades = {.worst = {-1.0, -1.0, -1.0, -1.0}};
    functions()->grade(set, bodies, rho, &grades);
    cn_tile_grades_take(set, &grades, sums);
}

static void add_moment(double to[3], double sign, const double center[3], const double impulse[3],
                       const double moment[3]) {
    to[0] += sign * (center[1] * impulse[2] - center[2] * impulse[1] + moment[0]);
    to[1] += sign * (center[2] * impulse[0] - center[0] * impulse[2] + moment[1]);
    to[2] += sign * (center[0] * impulse[1] - center[1] * impulse[0] + moment[2]);
}

// What one side of a tile does: sign is -1 for A, whose impulse is opposite.
static void book_side(const CnTileBodies* bodies, int body, double sign, bool is_internal,
                      const double impulse[3], const double moment[3], CnTileLedger* ledger) {
    if (cn_tile_is_dynamic(bodies, body)) {
        double* angular = is_internal ? ledger->angular_internal : ledger->angular_external;
        for (int k = 0; !is_internal && k < 3; ++k) {
            ledger->linear_external[k] += sign * impulse[k];
        }
        add_moment(angular, sign, bodies->center[body], impulse, moment);
    } else if (body >= 0) {
        const double* v = bodies->mean_velocity[body];
        double work = impulse[0] * v[0] + impulse[1] * v[1] + impulse[2] * v[2] + moment[0] * v[3] +
                      moment[1] * v[4] + moment[2] * v[5];
        ledger->drive -= sign * work;
        ledger->work_scale += fabs(work);
    }
}

void cn_tile_book_wrench(const CnContactTile* tile, const CnTileWrench* wrench,
                         const CnTileBodies* bodies, CnTileLedger* ledger) {
    int a = tile->body_a, b = tile->body_b;
    bool is_internal = cn_tile_is_dynamic(bodies, a) && cn_tile_is_dynamic(bodies, b);
    book_side(bodies, a, -1.0, is_internal, wrench->impulse, wrench->moment_a, ledger);
    book_side(bodies, b, 1.0, is_internal, wrench->impulse, wrench->moment_b, ledger);
}

void cn_tiles_book(const CnTileSet* set, const CnTileBodies* bodies, double (*work)[CN_TILE_POINTS],
                   CnTileLedger* ledger) {
    CnTileWorks works = {.of_points = work};
    CnTileLedger part = {0};
    functions()->book(set, bodies, &works, &part);
    part.contact = sum(works.contact);
    part.friction = sum(works.friction);
    part.work_scale += sum(works.scale);
    part.linear_scale = sum(works.linear);
    part.angular_scale = sum(works.angular);
    cn_tile_ledger_merge(ledger, &part);
}

void cn_tile_ledger_merge(CnTileLedger* ledger, const CnTileLedger* part) {
    ledger->contact += part->contact;
    ledger->friction += part->friction;
    ledger->drive += part->drive;
    ledger->work_scale += part->work_scale;
    ledger->linear_scale += part->linear_scale;
    ledger->angular_scale += part->angular_scale;
    for (int k = 0; k < 3; ++k) {
        ledger->linear_external[k] += part->linear_external[k];
        ledger->angular_external[k] += part->angular_external[k];
        ledger->angular_internal[k] += part->angular_internal[k];
    }
}

// One half of a row: sign (d, arm x d); zero for the world.
static void write_half(const CnContactTile* tile, int side, int k, int point, double jacobian[6]) {
    const double* d = tile->direction[k];
    int body = side == 0 ? tile->body_a : tile->body_b;
    double sign = side == 0 ? -1.0 : 1.0, arm[3];
    cn_tile_arm(tile, side, point, arm);
    const double half[6] = {
        sign * d[0],
        sign * d[1],
        sign * d[2],
        sign * (arm[1] * d[2] - arm[2] * d[1]),
        sign * (arm[2] * d[0] - arm[0] * d[2]),
        sign * (arm[0] * d[1] - arm[1] * d[0]),
    };
    for (int i = 0; i < 6; ++i) {
        jacobian[i] = body < 0 ? 0.0 : half[i];
    }
}

static void write_point(const CnContactTile* tile, int point, CnTileRows* rows) {
    bool is_bounded = tile->row_count == 1;
    for (int k = 0; k < tile->row_count; ++k) {
        int row = rows->row_count++;
        write_half(tile, 0, k, point, rows->jacobian_a[row]);
        write_half(tile, 1, k, point, rows->jacobian_b[row]);
        rows->target[row] = cn_tile_target(tile, k, point);
        rows->impulse[row] = tile->impulse[k][point];
        rows->compliance[row] = rows->offset[row] = rows->slope[row] = 0.0;
        rows->lower[row] = is_bounded ? 0.0 : -HUGE_VAL;
        rows->upper[row] = HUGE_VAL;
    }
}

static int place_of(const int* place, int body) {
    return body < 0 || place == NULL ? body : place[body];
}

void cn_tiles_write_blocks(const CnTileSet* set, const int* place, CnTileRows* rows) {
    for (int i = 0; i < set->count; ++i) {
        const CnContactTile* tile = set->tiles[i];
        for (int j = 0; j < CN_TILE_POINTS; ++j) {
            if ((tile->acting >> j & 1u) != 0) {
                rows->blocks[rows->block_count++] = (CnBlock){
                    .law = tile->row_count == 1 ? CN_LAW_BOUNDS : CN_LAW_COULOMB,
                    .first_row = rows->row_count,
                    .row_count = tile->row_count,
                    .body_a = place_of(place, tile->body_a),
                    .body_b = place_of(place, tile->body_b),
                    .friction = tile->friction[j],
                };
                write_point(tile, j, rows);
            }
        }
    }
}

void cn_tiles_read_impulses(const CnTileSet* set, const double* impulse) {
    for (int i = 0; i < set->count; ++i) {
        CnContactTile* tile = set->tiles[i];
        for (int j = 0; j < CN_TILE_POINTS; ++j) {
            for (int k = 0; (tile->acting >> j & 1u) != 0 && k < tile->row_count; ++k) {
                tile->impulse[k][j] = *impulse++;
            }
        }
    }
}
