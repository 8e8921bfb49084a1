// tile_plain.c - tiles point by point: the reference for all widths, and for the reader.
//
// docs/theory/grading.md has the equations cited here. Every place of a tile has sums of its own,
// as registers have, so that the faster versions give the same bits.
#include "constraints/problem/block.h"
#include "constraints/tiles/tile_functions.h"
#include <float.h>
#include <math.h>
#include <string.h>

static bool acts(const CnContactTile* tile, int point) {
    return (tile->acting >> point & 1u) != 0;
}

static void cross(const double a[3], const double b[3], double out[3]) {
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}

static double dot(const double a[3], const double b[3]) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static double sum_of_points(const double x[CN_TILE_POINTS]) {
    return (x[0] + x[1]) + (x[2] + x[3]);
}

static void impulse_of(const CnContactTile* tile, int point, double p[3]) {
    for (int k = 0; k < 3; ++k) {
        p[k] = acts(tile, point) ? tile->impulse[k][point] : 0.0;
    }
}

// J v of the rows of a point: (1). Zero where it does not act.
static void row_velocity(const CnContactTile* tile, int point, const double* va, const double* vb,
                         double out[3]) {
    double arm_a[3], arm_b[3], turn_a[3], turn_b[3], relative[3];
    cn_tile_arm(tile, 0, point, arm_a);
    cn_tile_arm(tile, 1, point, arm_b);
    cross(va + 3, arm_a, turn_a);
    cross(vb + 3, arm_b, turn_b);
    for (int k = 0; k < 3; ++k) {
        relative[k] = (vb[k] - va[k]) + (turn_b[k] - turn_a[k]);
    }
    for (int k = 0; k < 3; ++k) {
        out[k] = acts(tile, point) ? dot(tile->direction[k], relative) : 0.0;
    }
}

static void row_error(const CnContactTile* tile, int point, const double (*velocity)[6],
                      double out[3]) {
    row_velocity(tile, point, cn_tile_velocity(velocity, tile->body_a),
                 cn_tile_velocity(velocity, tile->body_b), out);
    for (int k = 0; k < 3; ++k) {
        out[k] -= acts(tile, point) ? cn_tile_target(tile, k, point) : 0.0;
    }
}

// u~ = u + mu |u_T| e_N
static void shift(double friction, double u[3]) {
    u[0] += friction * sqrt(u[1] * u[1] + u[2] * u[2]);
}

// |p - P(x)|^2 with x = p - rho u~; *is_outside: x is not in the cone. (3)
static double map_square(double friction, const double p[3], double rho, const double shifted[3],
                         bool* is_outside) {
    double x[3] = {p[0] - rho * shifted[0], p[1] - rho * shifted[1], p[2] - rho * shifted[2]};
    double square = x[1] * x[1] + x[2] * x[2], radius = friction * x[0];
    *is_outside = x[0] < 0.0 || radius * radius < square;
    if (*is_outside) {
        double length = sqrt(square);
        double nearest = (x[0] + friction * length) / (1.0 + friction * friction);
        nearest = 0.0 < nearest ? nearest : 0.0;
        double scale = friction * nearest / (DBL_MIN < length ? length : DBL_MIN);
        x[0] = nearest;
        x[1] *= scale;
        x[2] *= scale;
    }
    double error[3] = {p[0] - x[0], p[1] - x[1], p[2] - x[2]};
    return dot(error, error);
}

// The squared residual: (4). Where x is in its cone the map is rho u~, and nothing is lost.
static double residual_square(const CnContactTile* tile, int point, const double p[3],
                              const double shifted[3]) {
    bool is_outside;
    double bound = tile->step_bound[point];
    double square = map_square(tile->friction[point], p, 1.0 / bound, shifted, &is_outside);
    return is_outside ? square * (bound * bound) : dot(shifted, shifted);
}

// Infinite unless all three numbers are finite.
static double checked(double square, double uu, double pp) {
    return square <= DBL_MAX && uu + pp <= DBL_MAX ? square : HUGE_VAL;
}

static double larger(double a, double b) {
    return a < b ? b : a;
}

static double worst(const CnTileSet* set, const CnTileBodies* bodies) {
    double most = -1.0;
    for (int i = 0; i < set->count; ++i) {
        const CnContactTile* tile = set->tiles[i];
        for (int j = 0; j < CN_TILE_POINTS; ++j) {
            double u[3], p[3];
            if (acts(tile, j)) {
                impulse_of(tile, j, p);
                row_error(tile, j, (const double(*)[6])bodies->velocity, u);
                double uu = dot(u, u), pp = dot(p, p);
                shift(tile->friction[j], u);
                most = larger(most, checked(residual_square(tile, j, p, u), uu, pp));
            }
        }
    }
    return most;
}

static void grade_point(CnContactTile* tile, int index, int j, const CnTileBodies* bodies,
                        double rho, CnTileGrades* grades) {
    double friction = tile->friction[j], u[3], q[3], p[3];
    bool ignored;
    impulse_of(tile, j, p);
    row_error(tile, j, (const double(*)[6])bodies->velocity, u);
    row_error(tile, j, bodies->free_velocity, q);
    double uu = dot(u, u), pp = dot(p, p);
    grades->u[j] += uu;
    grades->p[j] += pp;
    grades->q[j] += dot(q, q);

    shift(friction, u);
    double square = checked(residual_square(tile, j, p, u), uu, pp);
    tile->residual[j] = (float)sqrt(square);
    grades->residual[j] += square;
    if (acts(tile, j) && grades->worst[j] < square) {
        grades->worst[j] = square;
        grades->tile[j] = index;
    }
    double outside = map_square(friction, p, 0.0, u, &ignored);
    grades->plain[j] += map_square(friction, p, 1.0, u, &ignored);
    grades->scaled[j] += map_square(friction, p, rho, u, &ignored);
    grades->outside[j] = larger(grades->outside[j], checked(outside, uu, pp));
    grades->pairing[j] = larger(grades->pairing[j], checked(fabs(dot(u, p)), uu, pp));
}

static void grade(const CnTileSet* set, const CnTileBodies* bodies, double rho,
                  CnTileGrades* grades) {
    for (int i = 0; i < set->count; ++i) {
        for (int j = 0; j < CN_TILE_POINTS; ++j) {
            grade_point(set->tiles[i], i, j, bodies, rho, grades);
        }
    }
}

// The impulse of a point as a vector, and its moments about the two centres: (2).
static void point_wrench(const CnContactTile* tile, int point, double impulse[3],
                         double moment_a[3], double moment_b[3]) {
    double p[3], arm_a[3], arm_b[3];
    impulse_of(tile, point, p);
    cn_tile_arm(tile, 0, point, arm_a);
    cn_tile_arm(tile, 1, point, arm_b);
    for (int k = 0; k < 3; ++k) {
        impulse[k] = tile->direction[0][k] * p[0] + tile->direction[1][k] * p[1] +
                     tile->direction[2][k] * p[2];
    }
    cross(arm_a, impulse, moment_a);
    cross(arm_b, impulse, moment_b);
}

static void tile_wrench(const CnContactTile* tile, CnTileWrench* wrench) {
    double terms[9][CN_TILE_POINTS];
    for (int j = 0; j < CN_TILE_POINTS; ++j) {
        double impulse[3], moment_a[3], moment_b[3];
        point_wrench(tile, j, impulse, moment_a, moment_b);
        for (int k = 0; k < 3; ++k) {
            terms[k][j] = impulse[k];
            terms[3 + k][j] = moment_a[k];
            terms[6 + k][j] = moment_b[k];
        }
    }
    for (int k = 0; k < 3; ++k) {
        wrench->impulse[k] = sum_of_points(terms[k]);
        wrench->moment_a[k] = sum_of_points(terms[3 + k]);
        wrench->moment_b[k] = sum_of_points(terms[6 + k]);
    }
}

static void push(const CnTileSet* set, const CnTileBodies* bodies) {
    for (int i = 0; i < set->count; ++i) {
        const CnContactTile* tile = set->tiles[i];
        CnTileWrench wrench;
        tile_wrench(tile, &wrench);
        for (int k = 0; k < 3; ++k) {
            if (cn_tile_is_dynamic(bodies, tile->body_a)) {
                bodies->momentum[tile->body_a][k] -= wrench.impulse[k];
                bodies->momentum[tile->body_a][3 + k] -= wrench.moment_a[k];
            }
            if (cn_tile_is_dynamic(bodies, tile->body_b)) {
                bodies->momentum[tile->body_b][k] += wrench.impulse[k];
                bodies->momentum[tile->body_b][3 + k] += wrench.moment_b[k];
            }
        }
    }
}

// Magnitudes of what a point gives one body: of the impulse, and of its moment about the origin.
static void add_scales(const CnTileBodies* bodies, int body, double size, const double moment[3],
                       double* linear, double* angular) {
    if (cn_tile_is_dynamic(bodies, body)) {
        const double* center = bodies->center[body];
        *linear += size;
        *angular += sqrt(dot(moment, moment)) + sqrt(dot(center, center)) * size;
    }
}

static void book_point(const CnContactTile* tile, int index, int j, const CnTileBodies* bodies,
                       CnTileWorks* works) {
    double p[3], mean[3], impulse[3], moment_a[3], moment_b[3], work[3];
    impulse_of(tile, j, p);
    row_velocity(tile, j, cn_tile_velocity(bodies->mean_velocity, tile->body_a),
                 cn_tile_velocity(bodies->mean_velocity, tile->body_b), mean);
    for (int k = 0; k < 3; ++k) {
        work[k] = p[k] * mean[k];
    }
    if (works->of_points != NULL) {
        works->of_points[index][j] = work[0] + work[1] + work[2];
    }
    works->contact[j] += work[0];
    works->friction[j] += work[1] + work[2];
    works->scale[j] += fabs(work[0]) + fabs(work[1]) + fabs(work[2]);
    point_wrench(tile, j, impulse, moment_a, moment_b);
    double size = sqrt(dot(impulse, impulse));
    add_scales(bodies, tile->body_a, size, moment_a, &works->linear[j], &works->angular[j]);
    add_scales(bodies, tile->body_b, size, moment_b, &works->linear[j], &works->angular[j]);
}

static void book(const CnTileSet* set, const CnTileBodies* bodies, CnTileWorks* works,
                 CnTileLedger* ledger) {
    for (int i = 0; i < set->count; ++i) {
        CnTileWrench wrench;
        for (int j = 0; j < CN_TILE_POINTS; ++j) {
            book_point(set->tiles[i], i, j, bodies, works);
        }
        tile_wrench(set->tiles[i], &wrench);
        cn_tile_book_wrench(set->tiles[i], &wrench, bodies, ledger);
    }
}

// w += the response of one body to impulses along the frame: (5). w: nn n1 n2 11 12 22
static void add_response(const CnContactTile* tile, const CnTileBodies* bodies, int body,
                         const double arm[3], double w[6]) {
    if (!cn_tile_is_dynamic(bodies, body)) {
        return;
    }
    const double* inertia = bodies->inverse_inertia[body];
    double moment[3][3], spin[3][3];
    for (int k = 0; k < 3; ++k) {
        cross(arm, tile->direction[k], moment[k]);
        for (int i = 0; i < 3; ++i) {
            spin[k][i] = dot(inertia + 3 * i, moment[k]);
        }
    }
    for (int k = 0, entry = 0; k < 3; ++k) {
        for (int i = k; i < 3; ++i, ++entry) {
            w[entry] += bodies->inverse_mass[body] * dot(tile->direction[k], tile->direction[i]) +
                        dot(moment[k], spin[i]);
        }
    }
}

static void prepare(CnContactTile* tile, const CnTileBodies* bodies) {
    double traces[CN_TILE_POINTS] = {0.0};
    for (int j = 0; j < CN_TILE_POINTS; ++j) {
        double w[6] = {0.0}, arm_a[3], arm_b[3];
        cn_tile_arm(tile, 0, j, arm_a);
        cn_tile_arm(tile, 1, j, arm_b);
        add_response(tile, bodies, tile->body_a, arm_a, w);
        add_response(tile, bodies, tile->body_b, arm_b, w);
        const double full[9] = {w[0], w[1], w[2], w[1], w[3], w[4], w[2], w[4], w[5]};
        tile->step_bound[j] = 1.0; // divides, also where there is nothing to grade
        if (acts(tile, j)) {
            traces[j] = w[0] + w[3] + w[5];
            tile->step_bound[j] =
                tile->row_count == 1 ? w[0] : cn_block_largest_eigenvalue(full, 3);
        }
    }
    tile->trace = sum_of_points(traces);
}

// A point holds while x = p - rho u~ is inside its cone: there the map is rho u~, zero without
// velocity.
static unsigned find_hold(const CnContactTile* tile, int j, const CnTileBodies* bodies) {
    double friction = tile->friction[j], rho = 1.0 / tile->step_bound[j], u[3], p[3];
    impulse_of(tile, j, p);
    row_error(tile, j, (const double(*)[6])bodies->velocity, u);
    if (!acts(tile, j) || !(0.0 < p[0] - rho * u[0])) {
        return 0;
    }
    if (friction == 0.0) {
        return 1;
    }
    shift(friction, u);
    double x[3] = {p[0] - rho * u[0], p[1] - rho * u[1], p[2] - rho * u[2]};
    double radius = friction * x[0];
    return 0.0 <= x[0] && x[1] * x[1] + x[2] * x[2] <= radius * radius ? 1 + 16 : 0;
}

static void find_holds(const CnTileSet* set, const CnTileBodies* bodies, unsigned* holds) {
    for (int i = 0; i < set->count; ++i) {
        holds[i] = 0;
        for (int j = 0; j < CN_TILE_POINTS; ++j) {
            holds[i] |= find_hold(set->tiles[i], j, bodies) << j;
        }
    }
}

static void relax(const CnTileSet* set, const CnTileBodies* bodies, const unsigned* holds) {
    const double(*z)[6] = (const double(*)[6])bodies->momentum;
    for (int i = 0; i < set->count; ++i) {
        CnContactTile* tile = set->tiles[i];
        for (int j = 0; j < CN_TILE_POINTS; ++j) {
            double felt[3], rho = 1.0 / tile->step_bound[j];
            row_velocity(tile, j, cn_tile_dynamic(bodies, z, tile->body_a),
                         cn_tile_dynamic(bodies, z, tile->body_b), felt);
            for (int k = 0; k < 3; ++k) {
                bool is_held = (holds[i] >> (k == 0 ? j : CN_TILE_POINTS + j) & 1u) != 0;
                tile->impulse[k][j] -= is_held ? rho * felt[k] : 0.0;
            }
        }
    }
}

static void prepare_singles(int count, CnContactTile* const* tiles, const CnTileBodies* bodies) {
    for (int i = 0; i < count; ++i) {
        prepare(tiles[i], bodies);
    }
}

// Each tile is an island of its own.
static void look_at_singles(const CnTileSet* set, const CnTileBodies* bodies, double rho,
                            double* gains, CnGradeSums* sums) {
    for (int i = 0; i < set->count; ++i) {
        const int* block = set->first_block == NULL ? NULL : set->first_block + i;
        CnTileSet own = {1, set->tiles + i, block};
        int sides[2] = {set->tiles[i]->body_a, set->tiles[i]->body_b}, list[2], count = 0;
        for (int side = 0; side < 2; ++side) {
            if (cn_tile_is_dynamic(bodies, sides[side])) {
                memset(bodies->momentum[sides[side]], 0, sizeof *bodies->momentum);
                list[count++] = sides[side];
            }
        }
        push(&own, bodies);
        gains[i] = cn_bodies_respond(bodies, count, list);
        CnTileGrades grades = {.worst = {-1.0, -1.0, -1.0, -1.0}};
        grade(&own, bodies, rho, &grades);
        cn_grade_begin(&sums[i]);
        cn_tile_grades_take(&own, &grades, &sums[i]);
    }
}

const CnTileFunctions cn_tile_functions_plain = {
    prepare, push, worst, grade, book, find_holds, relax, prepare_singles, look_at_singles};
