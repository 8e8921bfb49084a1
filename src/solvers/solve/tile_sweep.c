// tile_sweep.c - islands of a few contacts, swept on their tiles.
#include "solvers/solve/tile_sweep.h"

#include "constraints/tiles/tile_functions.h"
#include "solvers/solve/few_contacts.h"
#include "solvers/solve/report_parts.h"
#include "solvers/sweep/one_contact.h"

#include <math.h>
#include <string.h>

// More points, or more sweeps, are left to solvers that look further.
#define MOST_POINTS 16
#define MOST_SWEEPS 20

// Grading costs as much as a sweep. It is due after the first one, when the change that the last
// sweep made says that the tolerance may have been met, and after so many sweeps anyway.
#define SWEEPS_BETWEEN_GRADES 5

// Multiplications of a visit and of grading its result.
#define WORK_OF_VISIT 200.0

// One side of a contact.
typedef struct SweptSide {
    double* velocity;  // of its body; NULL: no impulse moves it
    double row[3][6];  // J
    double push[3][6]; // M^-1 J^T, by rows
} SweptSide;

typedef struct SweptPoint {
    CnContactTile* tile;
    int place; // in the tile
    SweptSide side[2];
    double fixed[3]; // u of bodies that stand still where impulses move them
    double kept[3];  // impulse of the guess
    CnOneContact contact;
} SweptPoint;

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

static void prepare_side(SweptPoint* point, int index, const CnTileBodies* bodies) {
    const CnContactTile* tile = point->tile;
    SweptSide* side = &point->side[index];
    int body = index == 0 ? tile->body_a : tile->body_b;
    double arm[3];
    cn_tile_arm(tile, index, point->place, arm);
    bool moves = cn_tile_is_dynamic(bodies, body);
    side->velocity = moves ? bodies->velocity[body] : NULL;
    for (int k = 0; k < 3; ++k) {
        double* row = side->row[k];
        write_half(tile->direction[k], arm, index == 0 ? -1.0 : 1.0, row);
        if (!moves) {
            point->fixed[k] +=
                dot6(row, cn_tile_velocity((const double(*)[6])bodies->velocity, body));
            continue;
        }
        const double* inertia = bodies->inverse_inertia[body];
        for (int i = 0; i < 3; ++i) {
            side->push[k][i] = bodies->inverse_mass[body] * row[i];
            side->push[k][3 + i] =
                inertia[3 * i] * row[3] + inertia[3 * i + 1] * row[4] + inertia[3 * i + 2] * row[5];
        }
    }
}

static void prepare_point(SweptPoint* point, const CnTileBodies* bodies) {
    const CnContactTile* tile = point->tile;
    double w[9] = {0.0};
    for (int k = 0; k < 3; ++k) {
        point->kept[k] = tile->impulse[k][point->place];
        point->fixed[k] = -cn_tile_target(tile, k, point->place);
    }
    for (int s = 0; s < 2; ++s) {
        SweptSide* side = &point->side[s];
        prepare_side(point, s, bodies);
        for (int k = 0; side->velocity != NULL && k < 3; ++k) {
            for (int l = 0; l <= k; ++l) {
                w[3 * k + l] += dot6(side->row[l], side->push[k]);
                w[3 * l + k] = w[3 * k + l];
            }
        }
    }
    cn_one_contact_init(&point->contact, 3, tile->friction[point->place], w,
                        tile->step_bound[point->place]);
}

// The points that act. -1: they do not suit.
static int list_points(const CnTileSet* set, SweptPoint* points) {
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
static bool visit(SweptPoint* point, double* change) {
    const double* w = point->contact.w;
    double p[3], old[3], q[3], square = 0.0;
    for (int k = 0; k < 3; ++k) {
        p[k] = old[k] = point->tile->impulse[k][point->place];
    }
    for (int k = 0; k < 3; ++k) {
        double u = point->fixed[k];
        for (int s = 0; s < 2; ++s) {
            const SweptSide* side = &point->side[s];
            u += side->velocity != NULL ? dot6(side->row[k], side->velocity) : 0.0;
        }
        q[k] = u - (w[3 * k] * p[0] + w[3 * k + 1] * p[1] + w[3 * k + 2] * p[2]);
    }
    CnContactRoute route = cn_one_contact_solve(&point->contact, q, p);
    for (int k = 0; k < 3; ++k) {
        double dp = p[k] - old[k];
        point->tile->impulse[k][point->place] = p[k];
        square += dp * dp;
        for (int s = 0; s < 2; ++s) {
            const SweptSide* side = &point->side[s];
            for (int i = 0; side->velocity != NULL && i < 6; ++i) {
                side->velocity[i] += side->push[k][i] * dp;
            }
        }
    }
    *change = fmax(*change, point->contact.lambda_max * point->contact.lambda_max * square);
    return route <= CN_ROUTE_SLIDE;
}

// Momentum and velocities of the impulses there are, and their grades.
static void grade(const CnTileIsland* island, double rho, CnGradeSums* grades) {
    for (int i = 0; i < island->body_count; ++i) {
        memset(island->bodies->momentum[island->body[i]], 0, sizeof *island->bodies->momentum);
    }
    cn_tiles_push(island->set, island->bodies);
    cn_bodies_respond(island->bodies, island->body_count, island->body);
    cn_grade_begin(grades);
    cn_tiles_grade(island->set, island->bodies, rho, grades);
}

// Sweeps until the tolerance is met; 0: it was not.
static int sweep(const CnTileIsland* island, SweptPoint* points, int count, double tolerance,
                 double rho, CnGradeSums* grades) {
    double ratio = 0.0; // residual at the last grade / change made by the sweep before it
    for (int sweeps = 1, graded = 0; sweeps <= MOST_SWEEPS; ++sweeps) {
        double change = 0.0;
        for (int i = 0; i < count; ++i) {
            if (!visit(&points[i], &change)) {
                return 0;
            }
        }
        change = sqrt(change);
        if (graded == 0 || ratio * change <= tolerance ||
            sweeps - graded >= SWEEPS_BETWEEN_GRADES) {
            grade(island, rho, grades);
            if (grades->worst <= tolerance) {
                return sweeps;
            }
            graded = sweeps;
            ratio = change > 0.0 ? grades->worst / change : 0.0;
        }
    }
    return 0;
}

int cn_tile_sweep_solve(const CnTileIsland* island, double tolerance, double rho,
                        CnGradeSums* grades) {
    SweptPoint points[MOST_POINTS];
    int count = list_points(island->set, points);
    for (int i = 0; i < count; ++i) {
        prepare_point(&points[i], island->bodies);
    }
    int sweeps = count > 0 ? sweep(island, points, count, tolerance, rho, grades) : 0;
    for (int i = 0; sweeps == 0 && i < count; ++i) {
        for (int k = 0; k < 3; ++k) {
            points[i].tile->impulse[k][points[i].place] = points[i].kept[k];
        }
    }
    return sweeps;
}

double cn_tile_sweep_work(int contacts, int sweeps) {
    return WORK_OF_VISIT * contacts * sweeps;
}

void cn_tile_sweep_report(int contacts, int sweeps, CnSolverReport* report) {
    *report = (CnSolverReport){
        .outcome = CN_CONVERGED,
        .solver = cn_solver_nsgs.info.name,
        .redundant_block = -1,
        .iterations = sweeps,
        .work = cn_tile_sweep_work(contacts, sweeps),
    };
    cn_report_own_part(report, report->solver);
    cn_few_contacts_remark(contacts, report);
}
