// polyhedral_friction.c - contacts under box and pyramid friction: how far from their law they are.
#include "constraints/problem/polyhedral_friction.h"

#include "constraints/problem/friction_cone.h"
#include "constraints/problem/friction_polygon.h"
#include <math.h>

bool cn_friction_is_polyhedral(const CnProblem* problem) {
    return problem->friction_model == CN_FRICTION_BOX ||
           problem->friction_model == CN_FRICTION_PYRAMID;
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

// pyramid.md (3): step becomes the point nearest to it that the law allows, with what the normal
// impulse p_N allows the friction rows.
void cn_polyhedral_friction_map(const CnProblem* problem, const CnBlock* block, double rho,
                                const double* u, const double* p, double* out) {
    int n = block->row_count;
    double limit = block->friction * fmax(p[0], 0.0);
    double step[CN_MAX_ROWS] = {fmax(p[0] - rho * u[0], 0.0)};
    for (int i = 1; i < n; ++i) {
        step[i] = p[i] - rho * u[i];
    }
    if (problem->friction_model == CN_FRICTION_BOX) {
        project_box(n, limit, step);
    } else {
        project_pyramid(problem->pyramid_sides, n, limit, step);
    }
    for (int i = 0; i < n; ++i) {
        out[i] = p[i] - step[i];
    }
}
