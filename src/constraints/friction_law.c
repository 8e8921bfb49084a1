// friction_law.c - the friction that was asked for by name, and how well an answer meets it.
#include "constraints/friction_law.h"

#include "constraints/block.h"
#include "constraints/friction_cone.h"
#include <math.h>

const char* cn_friction_model_name(CnFrictionModel model) {
    static const char* const names[CN_FRICTION_COUNT] = {
        [CN_FRICTION_EXACT] = "exact",
        [CN_FRICTION_BOX] = "box",
        [CN_FRICTION_PYRAMID] = "pyramid",
        [CN_FRICTION_ASSOCIATED] = "associated",
    };
    return (unsigned)model < CN_FRICTION_COUNT ? names[model] : "unknown";
}

void cn_friction_law_init(CnFrictionModel model, int pyramid_sides, CnFrictionLaw* law) {
    law->model = model;
    if (model == CN_FRICTION_PYRAMID) {
        cn_friction_polygon_init(pyramid_sides, &law->polygon);
    }
}

static double clamp(double x, double limit) {
    return x < -limit ? -limit : (x > limit ? limit : x);
}

// pyramid.md (3): step becomes the point that the law allows nearest to it, with what the normal
// impulse p_N allows the friction rows.
typedef void Project(const CnFrictionLaw* law, int row_count, double limit, double* step);

static void project_box(const CnFrictionLaw* law, int row_count, double limit, double* step) {
    (void)law;
    for (int i = 1; i < row_count; ++i) {
        step[i] = clamp(step[i], limit);
    }
}

static void project_pyramid(const CnFrictionLaw* law, int row_count, double limit, double* step) {
    CnFrictionGroup groups[CN_MAX_FRICTION_GROUPS];
    int count = cn_friction_groups(row_count, groups);
    for (int g = 0; g < count; ++g) {
        double* rows = step + groups[g].first;
        if (groups[g].count == 1) {
            rows[0] = clamp(rows[0], limit);
        } else {
            cn_friction_polygon_project(&law->polygon, limit, rows, rows);
        }
    }
}

static Project* const projections[CN_FRICTION_COUNT] = {
    [CN_FRICTION_BOX] = project_box,
    [CN_FRICTION_PYRAMID] = project_pyramid,
};

// |p - P(p - rho u)|^2 of a contact
static double contact_square(const CnFrictionLaw* law, const CnBlock* block, double rho,
                             const double* u, const double* p) {
    int n = block->row_count;
    double step[CN_MAX_ROWS] = {fmax(p[0] - rho * u[0], 0.0)}, square = 0.0;
    for (int i = 1; i < n; ++i) {
        step[i] = p[i] - rho * u[i];
    }
    projections[law->model](law, n, block->friction * fmax(p[0], 0.0), step);
    for (int i = 0; i < n; ++i) {
        square += (p[i] - step[i]) * (p[i] - step[i]);
    }
    return square;
}

// Whether it is the cone that holds, as the certificate has it: exact, or as the problem says it is
// associated.
static bool is_cone(const CnFrictionLaw* law, const CnBlock* block) {
    return projections[law->model] == NULL || block->law != CN_LAW_COULOMB;
}

void cn_friction_law_map_squares(const CnFrictionLaw* law, const CnProblem* problem,
                                 const CnBlock* block, int count, const double* rho,
                                 const double* u, const double* p, double* square) {
    if (is_cone(law, block)) {
        cn_block_map_squares(problem, block, count, rho, u, p, square);
        return;
    }
    for (int k = 0; k < count; ++k) {
        square[k] = contact_square(law, block, rho[k], u, p);
    }
}

double cn_friction_law_residual(const CnFrictionLaw* law, const CnProblem* problem,
                                const CnBlock* block, const double* w, double lambda_max,
                                const double* u, const double* p) {
    if (is_cone(law, block)) {
        return cn_block_residual(problem, block, w, lambda_max, u, p);
    }
    double residual = lambda_max * sqrt(contact_square(law, block, 1.0 / lambda_max, u, p));
    for (int i = 0; i < block->row_count; ++i) { // a clamp could hide it: not a pass
        residual = isfinite(u[i]) && isfinite(p[i]) ? residual : HUGE_VAL;
    }
    return isfinite(residual) ? residual : HUGE_VAL;
}
