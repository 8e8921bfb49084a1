// interior_cone.c - a contact with friction in an interior point: one pair for each friction group.
#include "solvers/interior/interior_cone.h"

#include "solvers/interior/lorentz.h"
#include <math.h>
#include <string.h>

#define SIDE CN_INTERIOR_CONE_ROWS

// One group's elements; n of their numbers are used.
typedef struct ElementPair {
    int n;
    double x[SIDE], y[SIDE];
} ElementPair;

// The row of the problem for row i >= 1 of a group.
static inline int row_of(const CnInteriorItem* item, int group, int i) {
    return item->row + item->groups[group].first + i - 1;
}

// Where the lift of a group is, in arrays like the point's y and z.
static inline double* lift_of(const CnInteriorItem* item, int group, double* y, double* z) {
    return group == 0 ? &y[item->row] : &z[row_of(item, group, 1)];
}

static inline ElementPair gather(const CnInteriorItem* item, int group, const double* r, double* y,
                                 double* z) {
    ElementPair pair;
    pair.n = 1 + item->groups[group].count;
    pair.x[0] = r[item->row];
    pair.y[0] = *lift_of(item, group, y, z);
    for (int i = 1; i < pair.n; ++i) {
        pair.x[i] = r[row_of(item, group, i)];
        pair.y[i] = y[row_of(item, group, i)];
    }
    return pair;
}

static inline ElementPair pair_at(const CnInterior* point, const CnInteriorItem* item, int group) {
    return gather(item, group, point->r, point->y, point->z);
}

static inline ElementPair direction_of(const CnInterior* point, const CnInteriorItem* item,
                                       int group) {
    return gather(item, group, point->dr, point->dy, point->dz);
}

static inline ElementPair pair_after(const CnInterior* point, const CnInteriorItem* item, int group,
                                     double step) {
    ElementPair pair = pair_at(point, item, group);
    ElementPair direction = direction_of(point, item, group);
    for (int i = 0; i < pair.n; ++i) {
        pair.x[i] += step * direction.x[i];
        pair.y[i] += step * direction.y[i];
    }
    return pair;
}

// Stores everything but the normal of x, which the groups share.
static void scatter(CnInterior* point, const CnInteriorItem* item, int group,
                    const ElementPair* pair) {
    *lift_of(item, group, point->y, point->z) = pair->y[0];
    for (int i = 1; i < pair->n; ++i) {
        point->r[row_of(item, group, i)] = pair->x[i];
        point->y[row_of(item, group, i)] = pair->y[i];
    }
}

void cn_interior_cone_start(CnInterior* point, const CnInteriorItem* item, double normal) {
    point->r[item->row] = normal;
    for (int g = 0; g < item->group_count; ++g) {
        ElementPair pair = {.n = 1 + item->groups[g].count, .y = {1.0}};
        scatter(point, item, g, &pair);
    }
}

// y = gap x^-1 = gap (x_N, -x_T) / det: the centred partner of x.
static void center(ElementPair* pair, double gap) {
    double eigenvalue[2];
    cn_lorentz_eigenvalues(pair->n, pair->x, eigenvalue);
    double scale = gap / eigenvalue[0] / eigenvalue[1];
    for (int i = 0; i < pair->n; ++i) {
        pair->y[i] = scale * (i == 0 ? pair->x[i] : -pair->x[i]);
    }
}

// Each group alone would have its own normal; the largest is used for all, which moves the others
// further inside their cones.
void cn_interior_cone_start_near(CnInterior* point, const CnInteriorItem* item, const double* r,
                                 const double* u, double gap) {
    ElementPair pairs[CN_MAX_FRICTION_GROUPS];
    double normal = 0.0;
    for (int g = 0; g < item->group_count; ++g) {
        ElementPair* pair = &pairs[g];
        double x[SIDE] = {0.0}, opposite[SIDE] = {0.0}, square = 0.0;
        pair->n = 1 + item->groups[g].count;
        for (int i = 1; i < pair->n; ++i) {
            int row = row_of(item, g, i);
            square += u[row] * u[row];
            x[i] = r[row] - u[row];
        }
        double slip = point->is_associated ? 0.0 : sqrt(square);
        x[0] = r[item->row] - u[item->row] / item->group_count - slip;
        for (int i = 0; i < pair->n; ++i) {
            opposite[i] = -x[i];
        }
        cn_lorentz_raise(pair->n, x, gap, pair->x);
        cn_lorentz_raise(pair->n, opposite, gap, pair->y);
        normal = fmax(normal, pair->x[0]);
    }
    point->r[item->row] = normal;
    for (int g = 0; g < item->group_count; ++g) {
        if (pairs[g].x[0] < normal) {
            pairs[g].x[0] = normal;
            center(&pairs[g], gap);
        }
        scatter(point, item, g, &pairs[g]);
    }
}

void cn_interior_cone_subtract(CnInterior* point, const CnInteriorItem* item) {
    for (int g = 0; g < item->group_count; ++g) { // u(y) = (sum lift_g - |u_g|, u_g ..), or y
        ElementPair pair = pair_at(point, item, g);
        double eigenvalue[2];
        cn_lorentz_eigenvalues(pair.n, pair.y, eigenvalue);
        point->residual[item->row] -= point->is_associated ? pair.y[0] : eigenvalue[0];
        for (int i = 1; i < pair.n; ++i) {
            point->residual[row_of(item, g, i)] -= pair.y[i];
        }
    }
}

double cn_interior_cone_products(const CnInterior* point, const CnInteriorItem* item, double step) {
    double sum = 0.0;
    for (int g = 0; g < item->group_count; ++g) {
        ElementPair pair = pair_after(point, item, g, step);
        for (int i = 0; i < pair.n; ++i) {
            sum += pair.x[i] * pair.y[i];
        }
    }
    return sum;
}

double cn_interior_cone_least_product(const CnInterior* point, const CnInteriorItem* item,
                                      double step) {
    double least = HUGE_VAL;
    for (int g = 0; g < item->group_count; ++g) {
        ElementPair pair = pair_after(point, item, g, step);
        double x[2], y[2];
        cn_lorentz_eigenvalues(pair.n, pair.x, x);
        cn_lorentz_eigenvalues(pair.n, pair.y, y);
        least = fmin(least, fmin(x[0] * y[1], x[1] * y[0]));
    }
    return least;
}

double cn_interior_cone_longest_step(const CnInterior* point, const CnInteriorItem* item) {
    double step = HUGE_VAL;
    for (int g = 0; g < item->group_count; ++g) {
        ElementPair pair = pair_at(point, item, g);
        ElementPair direction = direction_of(point, item, g);
        step = fmin(step, cn_lorentz_longest_step(pair.n, pair.x, direction.x));
        step = fmin(step, cn_lorentz_longest_step(pair.n, pair.y, direction.y));
    }
    return step;
}

// B = Arw(x) J with J = I + e_N (0, turn)^T, so B^-1 = J^-1 Arw(x)^-1. For x in the cone
// Arw(x)^-1 = [x_N, -x_T^T; -x_T, (det I + x_T x_T^T) / x_N] / det, det = x_N^2 - |x_T|^2.
static void invert_b(int n, const double* x, const double* turn, double* inverse) {
    double eigenvalue[2];
    cn_lorentz_eigenvalues(n, x, eigenvalue);
    double det = eigenvalue[0] * eigenvalue[1];
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j < n; ++j) {
            double value;
            if (i == 0 || j == 0) {
                value = i == j ? x[0] : -x[i + j];
            } else {
                value = ((i == j ? det : 0.0) + x[i] * x[j]) / x[0];
            }
            inverse[i * n + j] = value / det;
        }
    }
    for (int j = 0; j < n; ++j) { // J^-1 = I - e_N (0, turn)^T
        for (int i = 1; i < n; ++i) {
            inverse[j] -= turn[i - 1] * inverse[i * n + j];
        }
    }
}

// The place of a group's row i in the contact's C.
static int place_of(const CnInteriorItem* item, int group, int i) {
    return i == 0 ? 0 : item->groups[group].first + i - 1;
}

static void linearise_group(const CnInterior* point, CnInteriorItem* item, int group,
                            double coupling) {
    ElementPair pair = pair_at(point, item, group);
    int n = pair.n;
    double eigenvalue[2], arrow[SIDE * SIDE];
    double* turn = item->turn + item->groups[group].first - 1;
    cn_lorentz_eigenvalues(n, pair.y, eigenvalue);
    double tangent = 0.5 * (eigenvalue[1] - eigenvalue[0]);
    for (int i = 1; i < n; ++i) {
        turn[i - 1] = tangent > 0.0 ? coupling * pair.y[i] / tangent : 0.0;
    }
    invert_b(n, pair.x, turn, item->inverse[group]);
    cn_lorentz_arrow(n, pair.y, arrow);
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j < n; ++j) {
            double sum = 0.0;
            for (int k = 0; k < n; ++k) {
                sum += item->inverse[group][i * n + k] * arrow[k * n + j];
            }
            item->c[place_of(item, group, i) * item->n + place_of(item, group, j)] += sum;
        }
    }
}

void cn_interior_cone_linearise(const CnInterior* point, CnInteriorItem* item, double coupling) {
    memset(item->c, 0, (size_t)(item->n * item->n) * sizeof(double));
    for (int g = 0; g < item->group_count; ++g) {
        linearise_group(point, item, g, coupling);
    }
}

void cn_interior_cone_keep_products(CnInterior* point, const CnInteriorItem* item) {
    for (int g = 0; g < item->group_count; ++g) {
        ElementPair direction = direction_of(point, item, g);
        double product[SIDE];
        cn_lorentz_multiply(direction.n, direction.x, direction.y, product);
        *lift_of(item, g, point->second_y, point->second_z) = product[0];
        for (int i = 1; i < direction.n; ++i) {
            point->second_y[row_of(item, g, i)] = product[i];
        }
    }
}

// target e - x_g o y_g - second
static void find_missing(const CnInterior* point, const CnInteriorItem* item, int group,
                         double target, double missing[SIDE]) {
    ElementPair pair = pair_at(point, item, group);
    cn_lorentz_multiply(pair.n, pair.x, pair.y, missing);
    missing[0] = target - missing[0] - *lift_of(item, group, point->second_y, point->second_z);
    for (int i = 1; i < pair.n; ++i) {
        missing[i] = -missing[i] - point->second_y[row_of(item, group, i)];
    }
}

void cn_interior_cone_right(const CnInterior* point, const CnInteriorItem* item, double target,
                            double* right) {
    memset(right, 0, (size_t)item->n * sizeof(double));
    for (int g = 0; g < item->group_count; ++g) {
        int n = 1 + item->groups[g].count;
        double missing[SIDE];
        find_missing(point, item, g, target, missing);
        for (int i = 0; i < n; ++i) {
            for (int j = 0; j < n; ++j) {
                right[place_of(item, g, i)] += item->inverse[g][i * n + j] * missing[j];
            }
        }
    }
}

// u_g follows from A dr + residual; so does the sum of lifts. That of every group but the first
// follows from its product, x . dy + y . dx = missing_N, and the first gets the rest.
void cn_interior_cone_complete(CnInterior* point, const CnInteriorItem* item, const double* moved,
                               double target) {
    int row = item->row;
    double rest = moved[row] + point->residual[row];
    for (int k = 1; k < item->n; ++k) {
        point->dy[row + k] = moved[row + k] + point->residual[row + k];
        rest += item->turn[k - 1] * point->dy[row + k];
    }
    for (int g = 1; g < item->group_count; ++g) {
        ElementPair pair = pair_at(point, item, g);
        ElementPair direction = direction_of(point, item, g);
        double missing[SIDE];
        find_missing(point, item, g, target, missing);
        double left = missing[0] - pair.y[0] * direction.x[0];
        for (int i = 1; i < pair.n; ++i) {
            left -= pair.x[i] * direction.y[i] + pair.y[i] * direction.x[i];
        }
        *lift_of(item, g, point->dy, point->dz) = left / pair.x[0];
        rest -= left / pair.x[0];
    }
    point->dy[row] = rest;
}
