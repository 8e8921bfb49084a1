// tile_sweep.c - islands of a few contacts, swept on their tiles.
#include "solvers/solve/tile_sweep.h"

#include "constraints/tiles/tile_functions.h"
#include "solvers/solve/few_contacts.h"
#include "solvers/solve/report_parts.h"
#include "solvers/solve/tile_newton.h"

#include <math.h>
#include <string.h>

// More points, or more sweeps, are left to solvers that look further.
#define MOST_POINTS 16
#define MOST_SWEEPS 20

// To look at the residual costs as much as a sweep. It is due after the first one, when the change
// that the last sweep made says that the tolerance may have been met, after Newton's method, and
// after so many sweeps anyway.
#define SWEEPS_BETWEEN_LOOKS 5

// Newton's method needs to know which contacts stick and slide: it starts after so many sweeps. It
// aims at a share of the tolerance: its last step squares the error anyway, and velocities that are
// left become overlaps to be corrected.
#define FIRST_NEWTON 2
#define NEWTON_GOAL 0.01

// Multiplications of a visit and of grading its result.
#define WORK_OF_VISIT 200.0

bool cn_tile_sweep_suits_def(const CnSolverDef* def) {
    return cn_solver_find(def->name) == &cn_solver_auto && cn_guess_may_be_kept(def) &&
           def->max_iterations == 0 && def->deadline == 0.0 && def->work_budget == 0.0 &&
           def->over_relaxation == 1.0 && def->shuffle == 0 && def->freeze_after == 0 &&
           def->change_tolerance == 0.0;
}

static double dot6(const double a[6], const double b[6]) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3] + a[4] * b[4] + a[5] * b[5];
}

// One half of a row: sign (d, arm x d).
static void write_half(const double d[3], const double arm[3], double sign, double half[6]) {
    half[0] = sign * d[0];
    half[1] = sign * d[1];
    half[2] = sign * d[2];
    half[3] = sign * (arm[1] * d[2] - arm[2] * d[1]);
    half[4] = sign * (arm[2] * d[0] - arm[0] * d[2]);
    half[5] = sign * (arm[0] * d[1] - arm[1] * d[0]);
}

// What a body that impulses move adds to W, and how they move it.
static void prepare_moving_side(CnSweptSide* side, const double row[3][6], double inverse_mass,
                                const double inertia[9], double w[9]) {
    for (int i = 0; i < 6; ++i) {
        side->column[i] = (CnDouble4){row[0][i], row[1][i], row[2][i], 0.0};
    }
    for (int k = 0; k < 3; ++k) {
        double push[6];
        for (int i = 0; i < 3; ++i) {
            push[i] = inverse_mass * row[k][i];
            push[3 + i] = inertia[3 * i] * row[k][3] + inertia[3 * i + 1] * row[k][4] +
                          inertia[3 * i + 2] * row[k][5];
        }
        memcpy(side->push[k], push, sizeof push);
        for (int l = 0; l <= k; ++l) {
            w[3 * k + l] += dot6(row[l], push);
            w[3 * l + k] = w[3 * k + l];
        }
    }
}

static void prepare_side(CnSweptPoint* point, int index, const CnTileBodies* bodies, double w[9]) {
    const CnContactTile* tile = point->tile;
    CnSweptSide* side = &point->side[index];
    int body = index == 0 ? tile->body_a : tile->body_b;
    double arm[3], row[3][6];
    cn_tile_arm(tile, index, point->place, arm);
    bool moves = cn_tile_is_dynamic(bodies, body);
    side->velocity = moves ? bodies->velocity[body] : NULL;
    for (int k = 0; k < 3; ++k) {
        write_half(tile->direction[k], arm, index == 0 ? -1.0 : 1.0, row[k]);
        if (!moves) {
            point->fixed[k] +=
                dot6(row[k], cn_tile_velocity((const double(*)[6])bodies->velocity, body));
        }
    }
    if (moves) {
        prepare_moving_side(side, (const double(*)[6])row, bodies->inverse_mass[body],
                            bodies->inverse_inertia[body], w);
    }
}

static void prepare_point(CnSweptPoint* point, const CnTileBodies* bodies) {
    const CnContactTile* tile = point->tile;
    double w[9] = {0.0};
    for (int k = 0; k < 3; ++k) {
        point->kept[k] = tile->impulse[k][point->place];
        point->fixed[k] = -cn_tile_target(tile, k, point->place);
    }
    prepare_side(point, 0, bodies, w);
    prepare_side(point, 1, bodies, w);
    cn_one_contact_init(&point->contact, 3, tile->friction[point->place], w,
                        tile->step_bound[point->place]);
}

// The points that act. -1: they do not suit.
static int list_points(const CnTileSet* set, CnSweptPoint* points) {
    int count = 0;
    for (int i = 0; i < set->count; ++i) {
        CnContactTile* tile = set->tiles[i];
        for (int j = 0; j < CN_TILE_POINTS; ++j) {
            if ((tile->acting >> j & 1u) == 0) {
                continue;
            }
            if (count == MOST_POINTS || tile->row_count != 3 || !(tile->friction[j] > 0.0)) {
                return -1;
            }
            points[count].tile = tile;
            points[count++].place = j;
        }
    }
    return count;
}

// Solves a contact exactly for the velocities that the others leave. False: not by a plain route.
// *change: the largest of the squares of lambda_max |dp|.
static bool visit(CnSweptPoint* point, double* change) {
    const double* w = point->contact.w;
    double p[3], dp[3], q[3], square = 0.0;
    CnDouble4 u = cn_swept_velocity(point);
    for (int k = 0; k < 3; ++k) {
        p[k] = point->tile->impulse[k][point->place];
    }
    for (int k = 0; k < 3; ++k) {
        q[k] = u[k] - (w[3 * k] * p[0] + w[3 * k + 1] * p[1] + w[3 * k + 2] * p[2]);
    }
    CnContactRoute route = cn_one_contact_solve(&point->contact, q, p);
    for (int k = 0; k < 3; ++k) {
        double* impulse = &point->tile->impulse[k][point->place];
        dp[k] = p[k] - *impulse;
        *impulse = p[k];
        square += dp[k] * dp[k];
    }
    cn_swept_push(point, dp);
    *change = fmax(*change, point->contact.lambda_max * point->contact.lambda_max * square);
    return route <= CN_ROUTE_SLIDE;
}

// Velocities of the impulses there are, and their grades.
static void grade(const CnTileIsland* island, double rho, CnGradeSums* grades) {
    if (island->set->count == 1 && cn_tile_is_single(island->set->tiles[0])) {
        double gain;
        cn_tiles_look_at_singles(island->set, island->bodies, rho, &gain, grades);
        return;
    }
    for (int i = 0; i < island->body_count; ++i) {
        memset(island->bodies->momentum[island->body[i]], 0, sizeof *island->bodies->momentum);
    }
    cn_tiles_push(island->set, island->bodies);
    cn_bodies_respond(island->bodies, island->body_count, island->body);
    cn_grade_begin(grades);
    cn_tiles_grade(island->set, island->bodies, rho, grades);
}

// Whether the velocities there are meet the tolerance. Most islands of one contact do after their
// first sweep; the others look at the residual alone before they are graded.
static bool is_solved(const CnTileIsland* island, int count, double tolerance, double rho,
                      CnGradeSums* grades) {
    if (count > 1) {
        grades->worst = cn_tiles_worst(island->set, island->bodies);
    }
    if (count == 1 || grades->worst <= tolerance) {
        grade(island, rho, grades);
    }
    return grades->worst <= tolerance;
}

// Sweeps until the tolerance is met, with Newton's method between them; 0: it was not.
static int sweep(const CnTileIsland* island, CnSweptPoint* points, int count, double tolerance,
                 double rho, CnGradeSums* grades, double* work) {
    double ratio = 0.0; // residual at the last look / change made by the sweep before it
    bool is_due = true;
    for (int sweeps = 1, looked = 0; sweeps <= MOST_SWEEPS; ++sweeps) {
        double change = 0.0;
        for (int i = 0; i < count; ++i) {
            if (!visit(&points[i], &change)) {
                return 0;
            }
        }
        change = sqrt(change);
        if (is_due || ratio * change <= tolerance || sweeps - looked >= SWEEPS_BETWEEN_LOOKS) {
            if (is_solved(island, count, tolerance, rho, grades)) {
                return sweeps;
            }
            looked = sweeps;
            ratio = change > 0.0 ? grades->worst / change : 0.0;
        }
        is_due = sweeps % SWEEPS_BETWEEN_LOOKS == FIRST_NEWTON &&
                 cn_tile_newton(points, count, NEWTON_GOAL * tolerance, work);
    }
    return 0;
}

int cn_tile_sweep_solve(const CnTileIsland* island, double tolerance, double rho,
                        CnGradeSums* grades, double* work) {
    CnSweptPoint points[MOST_POINTS];
    *work = 0.0;
    int count = list_points(island->set, points);
    for (int i = 0; i < count; ++i) {
        prepare_point(&points[i], island->bodies);
    }
    int sweeps = count > 0 ? sweep(island, points, count, tolerance, rho, grades, work) : 0;
    *work += WORK_OF_VISIT * count * sweeps;
    for (int i = 0; sweeps == 0 && i < count; ++i) {
        for (int k = 0; k < 3; ++k) {
            points[i].tile->impulse[k][points[i].place] = points[i].kept[k];
        }
    }
    return sweeps;
}

void cn_tile_sweep_report(int contacts, int sweeps, CnSolverReport* report) {
    *report = (CnSolverReport){
        .outcome = CN_CONVERGED,
        .solver = cn_solver_nsgs.info.name,
        .redundant_block = -1,
        .iterations = sweeps,
    };
    cn_report_own_part(report, report->solver);
    cn_few_contacts_remark(contacts, report);
}
