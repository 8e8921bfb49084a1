// polyhedral_friction.c - contacts under box or pyramid friction or an impulse limit: how far off.
#include "constraints/problem/polyhedral_friction.h"

#include "constraints/problem/block.h"
#include "constraints/problem/friction_cone.h"
#include "constraints/problem/friction_polygon.h"
#include <math.h>

bool cn_friction_has_own_map(const CnProblem* problem) {
    return problem->friction_model == CN_FRICTION_BOX ||
           problem->friction_model == CN_FRICTION_PYRAMID || problem->impulse_limit > 0.0;
}

static double clamp(double x, double limit) {
    return x < -limit ? -limit : (x > limit ? limit : x);
}

static void project_box(int row_count, double limit, double* step) {
    for (int i = 1; i < row_count; ++i) {
        step[i] = clamp(step[i], limit);
    }
}

static void project_pyramid(int sides, int row_count, double limit, double* step) {
    CnFrictionGroup groups[CN_MAX_FRICTION_GROUPS];
    CnFrictionPolygon polygon;
    int count = cn_friction_groups(row_count, groups);
    cn_friction_polygon_init(sides, &polygon);
    for (int g = 0; g < count; ++g) {
        double* rows = step + groups[g].first;
        if (groups[g].count == 1) {
            rows[0] = clamp(rows[0], limit);
        } else {
            cn_friction_polygon_project(&polygon, limit, rows, rows);
        }
    }
}

// Each group of friction rows onto its disc.
static void project_discs(int row_count, double limit, double* step) {
    CnFrictionGroup groups[CN_MAX_FRICTION_GROUPS];
    int count = cn_friction_groups(row_count, groups);
    for (int g = 0; g < count; ++g) {
        double length = cn_friction_group_length(groups[g], step);
        for (int i = groups[g].first; i < groups[g].first + groups[g].count; ++i) {
            step[i] *= length > limit ? limit / length : 1.0;
        }
    }
}

// pyramid.md (3), pgs.md (6): step becomes the point nearest to it that the law allows, with what
// the normal impulse p_N allows the friction rows.
void cn_polyhedral_friction_map(const CnProblem* problem, const CnBlock* block, double rho,
                                const double* u, const double* p, double* out) {
    int n = block->row_count;
    double limit = block->friction * fmax(p[0], 0.0);
    double most = cn_limited_upper(problem, HUGE_VAL);
    double step[CN_MAX_ROWS] = {fmin(fmax(p[0] - rho * u[0], 0.0), most)};
    for (int i = 1; i < n; ++i) {
        step[i] = p[i] - rho * u[i];
    }
    if (problem->friction_model == CN_FRICTION_BOX) {
        project_box(n, limit, step);
    } else if (problem->friction_model == CN_FRICTION_EXACT) {
        project_discs(n, limit, step);
    } else {
        project_pyramid(problem->pyramid_sides, n, limit, step);
    }
    for (int i = 0; i < n; ++i) {
        out[i] = p[i] - step[i];
    }
}
