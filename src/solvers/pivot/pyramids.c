// pyramids.c - friction pyramids as complementary pairs: polygons in place of discs.
#include "solvers/pivot/pyramids.h"

#include "constraints/problem/friction_cone.h"
#include "constraints/problem/friction_polygon.h"
#include <math.h>

#define MAX_GROUPS (CN_MAX_ROWS - 1) // box friction: every row but the normal

static bool is_rough(const CnBlock* block) {
    return block->law == CN_LAW_COULOMB && block->friction > 0.0;
}

// The friction rows that share a polygon; each row alone for the box.
static int find_groups(CnFrictionModel model, int row_count, CnFrictionGroup groups[MAX_GROUPS]) {
    if (model != CN_FRICTION_BOX) {
        return cn_friction_groups(row_count, groups);
    }
    for (int i = 1; i < row_count; ++i) {
        groups[i - 1] = (CnFrictionGroup){.first = i, .count = 1};
    }
    return row_count - 1;
}

static int corner_count(int row_count, int sides) {
    return row_count == 1 ? 2 : sides;
}

double cn_pyramids_pair_count(const CnProblem* problem) {
    double pairs = 0.0;
    for (int i = 0; i < problem->block_count; ++i) {
        const CnBlock* block = &problem->blocks[i];
        CnFrictionGroup groups[MAX_GROUPS];
        int count =
            is_rough(block) ? find_groups(problem->friction_model, block->row_count, groups) : 0;
        pairs += block->law == CN_LAW_COULOMB ? 1.0 : 0.0;
        for (int g = 0; g < count; ++g) {
            pairs += corner_count(groups[g].count, problem->pyramid_sides) + 1.0;
        }
    }
    return pairs;
}

// A corner of row r, one of one or two: +1 and -1, or a polygon's.
static double corner(const CnFrictionPolygon* polygon, int row_count, int k, int r) {
    return row_count == 1 ? 1.0 - 2.0 * k : polygon->corner[k][r];
}

// pyramid.md (6): in the units of the box, and such that W of a corner is about 1.
static void scale(const CnFrictionPolygon* polygon, const CnBoxLcp* box, double friction,
                  CnPyramid* pyramid) {
    double sum = 0.0;
    for (int r = 0; r < pyramid->row_count; ++r) {
        double own = 1.0 / box->scale[pyramid->first + r];
        sum += own * own;
    }
    double unit = sqrt(pyramid->row_count / sum);
    pyramid->limit = friction * box->scale[pyramid->normal] / unit;
    for (int r = 0; r < pyramid->row_count; ++r) {
        for (int k = 0; k < pyramid->corners; ++k) {
            pyramid->weight[r * pyramid->corners + k] =
                unit * corner(polygon, pyramid->row_count, k, r) / box->scale[pyramid->first + r];
        }
    }
}

// The pyramids of the contact whose normal is row `normal` of the box.
static CnStatus add_groups(CnPyramids* pyramids, const CnProblem* problem,
                           const CnFrictionPolygon* polygon, const CnBoxLcp* box, int normal,
                           CnArena* arena) {
    const CnBlock* block = &problem->blocks[box->block[normal]];
    CnFrictionGroup groups[MAX_GROUPS];
    int count = find_groups(problem->friction_model, block->row_count, groups);
    for (int g = 0; g < count; ++g) {
        CnPyramid* pyramid = &pyramids->item[pyramids->count];
        *pyramid = (CnPyramid){.normal = normal,
                               .first = normal + groups[g].first,
                               .row_count = groups[g].count,
                               .corners = corner_count(groups[g].count, problem->pyramid_sides),
                               .pair = -1};
        pyramid->weight =
            CN_ARENA_NEW(arena, double, (size_t)(pyramid->row_count * pyramid->corners));
        if (pyramid->weight == NULL) {
            return CN_NO_MEMORY;
        }
        scale(polygon, box, block->friction, pyramid);
        for (int r = 0; r < pyramid->row_count; ++r) {
            pyramids->of_row[pyramid->first + r] = pyramids->count;
        }
        ++pyramids->count;
    }
    return CN_OK;
}

CnStatus cn_pyramids_build(CnPyramids* pyramids, const CnProblem* problem, const CnBoxLcp* box,
                           CnArena* arena) {
    CnFrictionPolygon polygon;
    *pyramids = (CnPyramids){
        .item = CN_ARENA_NEW(arena, CnPyramid, box->n), // at most one for each row
        .of_row = CN_ARENA_NEW(arena, int, box->n),
    };
    if (pyramids->item == NULL || pyramids->of_row == NULL) {
        return CN_NO_MEMORY;
    }
    CnStatus status = CN_OK;
    if (problem->friction_model == CN_FRICTION_PYRAMID) {
        cn_friction_polygon_init(problem->pyramid_sides, &polygon);
    }
    for (int i = 0; i < box->n; ++i) {
        pyramids->of_row[i] = -1;
    }
    for (int i = 0; i < box->n && status == CN_OK; ++i) {
        const CnBlock* block = &problem->blocks[box->block[i]];
        if (is_rough(block) && box->row[i] == block->first_row) {
            status = add_groups(pyramids, problem, &polygon, box, i, arena);
        }
    }
    return status;
}

void cn_pyramid_couple(const CnPyramid* pyramid, int normal_pair, CnLcp* lcp) {
    int slip = pyramid->pair + pyramid->corners;
    double* slip_row = cn_lcp_row(lcp, slip);
    slip_row[1 + normal_pair] = pyramid->limit;
    for (int k = pyramid->pair; k < slip; ++k) {
        cn_lcp_row(lcp, k)[1 + slip] = 1.0;
        slip_row[1 + k] = -1.0;
    }
}

void cn_pyramid_add_ties(const CnPyramid* pyramid, int normal_pair, const double* z, double* w) {
    int slip = pyramid->pair + pyramid->corners;
    w[slip] += pyramid->limit * z[normal_pair];
    for (int k = pyramid->pair; k < slip; ++k) {
        w[k] += z[slip];
        w[slip] -= z[k];
    }
}
