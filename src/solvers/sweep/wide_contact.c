// wide_contact.c - one contact with torsion or rolling besides sliding, solved exactly.
#include "solvers/sweep/wide_contact.h"

#include "linalg/dense.h"
#include <float.h>
#include <math.h>
#include <string.h>

#define MAX_TANGENTS (CN_MAX_ROWS - 1)

// Newton on one secular equation takes 3 to 8 steps; bisection, where it has to step in, halves the
// bracket's exponent first and then its mantissa. What is left then is below the last place.
#define SECULAR_STEPS 200

// The two terms of a secular function cancel; this much of them is round-off.
#define SECULAR_NOISE (8.0 * DBL_EPSILON)

// A solution that no longer improves is accepted when its groups are this close to their discs: the
// factor loses DBL_EPSILON times the condition number of S.
#define ALLOWED_ERROR 1e-11

// Redundant rows make S singular. S + this fraction of the trace of W_TT is regular, and amplifies
// round-off in b to at most 1e-6 of the impulses. Iterative refinement (13) removes the error of
// the regularisation; each round leaves that fraction of the error before it.
#define PROXIMAL_WEIGHT 1e-10
#define ROUNDS 3

// A slip rate so large that the group has almost no friction, relative to the same. Groups start
// there: the normal impulse is then that without friction. A group that does not reach its disc
// below this is solved after the others.
#define GREATEST_SLIP 1e9

// Passes over the groups. Groups that slip at the same time are coupled by at most the correlation
// of sliding and rolling of a ball (0.85 squared); without coupling a thousandth of these would do.
#define PASSES 500

void cn_wide_contact_init(CnWideContact* contact, int row_count, double friction, const double* w) {
    int n = row_count - 1;
    *contact = (CnWideContact){.tangents = n, .friction = friction, .normal = w[0]};
    contact->group_count = cn_friction_groups(row_count, contact->groups);
    for (int i = 0; i < n; ++i) {
        contact->coupling[i] = w[1 + i] / w[0];
        contact->trace += w[(i + 1) * row_count + i + 1];
        for (int j = 0; j < n; ++j) {
            contact->schur[i][j] =
                w[(i + 1) * row_count + j + 1] - w[1 + i] * (w[(j + 1) * row_count] / w[0]);
        }
    }
}

// A contact whose groups slip at slip_g |p_g|: (9).
typedef struct Slips {
    double slip[CN_MAX_FRICTION_GROUPS]; // [1/kg]
    double p[CN_MAX_ROWS];
    double l[MAX_TANGENTS][MAX_TANGENTS]; // L L^T = S + e + slips
    double anchor[MAX_TANGENTS];          // p_T of the round before
    int factored;                         // so many times
} Slips;

static double dot(int n, const double* a, const double* b) {
    double sum = 0.0;
    for (int i = 0; i < n; ++i) {
        sum += a[i] * b[i];
    }
    return sum;
}

// A pivot lost to round-off is replaced by the size of its error.
static void factor(const CnWideContact* contact, Slips* slips) {
    int n = contact->tangents;
    double diagonal[MAX_TANGENTS] = {0.0};
    for (int g = 0; g < contact->group_count; ++g) {
        for (int i = 0; i < contact->groups[g].count; ++i) {
            diagonal[contact->groups[g].first - 1 + i] = slips->slip[g];
        }
    }
    for (int j = 0; j < n; ++j) {
        double sum = contact->schur[j][j] + PROXIMAL_WEIGHT * contact->trace + diagonal[j];
        double pivot = sum - dot(j, slips->l[j], slips->l[j]);
        slips->l[j][j] = sqrt(fmax(pivot, DBL_EPSILON * contact->trace));
        for (int i = j + 1; i < n; ++i) {
            double below = contact->schur[i][j] - dot(j, slips->l[i], slips->l[j]);
            slips->l[i][j] = below / slips->l[j][j];
        }
    }
}

// x = (S + e + slips)^-1 x
static void solve(const CnWideContact* contact, const Slips* slips, double* x) {
    int n = contact->tangents;
    for (int i = 0; i < n; ++i) {
        x[i] = (x[i] - dot(i, slips->l[i], x)) / slips->l[i][i];
    }
    for (int i = n - 1; i >= 0; --i) {
        for (int k = i + 1; k < n; ++k) {
            x[i] -= slips->l[k][i] * x[k];
        }
        x[i] /= slips->l[i][i];
    }
}

// p_N that keeps u_N = 0.
static double normal_impulse(const CnWideContact* contact, const double* q, const double* p) {
    return -q[0] / contact->normal - dot(contact->tangents, contact->coupling, p + 1);
}

static void set_slip(const CnWideContact* contact, const double* q, int group, double slip,
                     Slips* slips) {
    slips->slip[group] = slip;
    slips->factored += 1;
    factor(contact, slips);
    for (int i = 0; i < contact->tangents; ++i) {
        slips->p[1 + i] = contact->coupling[i] * q[0] - q[1 + i] +
                          PROXIMAL_WEIGHT * contact->trace * slips->anchor[i];
    }
    solve(contact, slips, slips->p + 1);
    slips->p[0] = normal_impulse(contact, q, slips->p);
}

// h_g = mu p_N - |p_g|: positive inside the disc. (10)
static double secular(const CnWideContact* contact, const Slips* slips, int group) {
    return contact->friction * slips->p[0] -
           cn_friction_group_length(contact->groups[group], slips->p);
}

// Near a pole of h, 1 / |p_g| - 1 / (mu p_N) is nearly straight: Newton works on that. (12)
static double straightened(const CnWideContact* contact, const Slips* slips, int group) {
    return 1.0 / cn_friction_group_length(contact->groups[group], slips->p) -
           1.0 / (contact->friction * slips->p[0]);
}

// Its rate for every group when the slip of one grows.
static void straightened_rates(const CnWideContact* contact, const Slips* slips, int group,
                               double rates[CN_MAX_FRICTION_GROUPS]) {
    CnFrictionGroup moving = contact->groups[group];
    double rate[CN_MAX_ROWS] = {0.0}; // dp_T / dslip = -(S + slips)^-1 p_g
    for (int i = moving.first; i < moving.first + moving.count; ++i) {
        rate[i] = -slips->p[i];
    }
    solve(contact, slips, rate + 1);
    double radius = contact->friction * slips->p[0];
    double radius_rate = -contact->friction * dot(contact->tangents, contact->coupling, rate + 1);
    for (int g = 0; g < contact->group_count; ++g) {
        CnFrictionGroup rows = contact->groups[g];
        double length = cn_friction_group_length(rows, slips->p);
        double length_rate = dot(rows.count, slips->p + rows.first, rate + rows.first) / length;
        rates[g] = radius_rate / (radius * radius) - length_rate / (length * length);
    }
}

static double newton_slip(const CnWideContact* contact, const Slips* slips, int group) {
    double rates[CN_MAX_FRICTION_GROUPS];
    straightened_rates(contact, slips, group, rates);
    return slips->slip[group] - straightened(contact, slips, group) / rates[group];
}

// The next point in a bracket: by Newton, or by bisection where that leaves it, of the exponents
// while the ends differ by orders of magnitude.
static double next_slip(double low, double high, double newton) {
    if (newton > low && newton < high) {
        return newton;
    }
    if (low == 0.0) {
        return 0x1p-10 * high;
    }
    return high > 4.0 * low ? sqrt(low) * sqrt(high) : 0.5 * (low + high);
}

// How far a group is from its disc, relative to it.
static double disc_error(const CnWideContact* contact, const Slips* slips, int group) {
    return fabs(secular(contact, slips, group)) /
           cn_friction_group_length(contact->groups[group], slips->p);
}

// Finds the slip of one group with the others fixed; practically infinite if there is none.
static void solve_group(const CnWideContact* contact, const double* q, int group, Slips* slips) {
    double low = 0.0;
    double high = slips->slip[group] > 0.0 ? 2.0 * slips->slip[group] : contact->trace;
    set_slip(contact, q, group, low, slips);
    if (secular(contact, slips, group) >= 0.0) { // sticks
        return;
    }
    set_slip(contact, q, group, high, slips);
    while (secular(contact, slips, group) < 0.0 && high < GREATEST_SLIP * contact->trace) {
        low = high;
        high *= 2.0;
        set_slip(contact, q, group, high, slips);
    }
    bool found = secular(contact, slips, group) >= 0.0;
    for (int i = 0; found && i < SECULAR_STEPS && disc_error(contact, slips, group) > SECULAR_NOISE;
         ++i) {
        double middle = next_slip(low, high, newton_slip(contact, slips, group));
        if (!(middle > low && middle < high)) {
            break; // adjacent doubles
        }
        set_slip(contact, q, group, middle, slips);
        *(secular(contact, slips, group) < 0.0 ? &low : &high) = middle;
    }
}

// The largest error of a group: outside its disc while it sticks, off its edge while it slips. (11)
static double worst_error(const CnWideContact* contact, const Slips* slips) {
    double worst = 0.0;
    for (int g = 0; g < contact->group_count; ++g) {
        bool inside = slips->slip[g] == 0.0 && secular(contact, slips, g) >= 0.0;
        worst = inside ? worst : fmax(worst, disc_error(contact, slips, g));
    }
    return worst;
}

// Newton on the slips of all slipping groups together. False when it does not converge.
static bool step_together(const CnWideContact* contact, const double* q, Slips* slips) {
    double matrix[CN_MAX_FRICTION_GROUPS * CN_MAX_FRICTION_GROUPS];
    double step[CN_MAX_FRICTION_GROUPS], rates[CN_MAX_FRICTION_GROUPS];
    int slipping[CN_MAX_FRICTION_GROUPS], pivot[CN_MAX_FRICTION_GROUPS], n = 0;
    for (int g = 0; g < contact->group_count; ++g) {
        if (slips->slip[g] > 0.0) {
            slipping[n++] = g;
        }
    }
    for (int k = 0; k < n; ++k) {
        straightened_rates(contact, slips, slipping[k], rates);
        step[k] = -straightened(contact, slips, slipping[k]);
        for (int i = 0; i < n; ++i) {
            matrix[i * n + k] = rates[slipping[i]];
        }
    }
    if (n < 2 || !cn_dense_lu_factor(n, matrix, pivot)) {
        return false;
    }
    cn_dense_lu_solve(n, matrix, pivot, step);
    Slips tried = *slips;
    for (int k = 0; k < n; ++k) {
        tried.slip[slipping[k]] += step[k];
        if (!(tried.slip[slipping[k]] > 0.0)) {
            return false;
        }
    }
    set_slip(contact, q, slipping[0], tried.slip[slipping[0]], &tried);
    bool better = worst_error(contact, &tried) < worst_error(contact, slips);
    slips->factored = tried.factored;
    *slips = better ? tried : *slips;
    return better;
}

// Groups one by one, then together, until an acceptable solution no longer improves. Returns the
// error.
static double run_round(const CnWideContact* contact, const double* q, Slips* slips) {
    double error = HUGE_VAL, before;
    int pass = 0;
    do {
        for (int g = 0; g < contact->group_count; ++g) {
            solve_group(contact, q, g, slips);
        }
        bool better = true;
        while (better && worst_error(contact, slips) > SECULAR_NOISE) {
            better = step_together(contact, q, slips);
        }
        before = error;
        error = worst_error(contact, slips);
    } while (++pass < PASSES && (error > ALLOWED_ERROR || error < before) && error > SECULAR_NOISE);
    return error;
}

// Multiplications per trial slip: L L^T, its solve, and the derivative for Newton.
static double work_to_try(const CnWideContact* contact) {
    double n = contact->tangents;
    return n * n * n / 6.0 + 3.0 * n * n + 20.0 * n;
}

bool cn_wide_contact_solve(CnWideContact* contact, const double* q, double* p) {
    size_t bytes = (size_t)(contact->tangents + 1) * sizeof(double);
    memset(p, 0, bytes);
    if (q[0] >= 0.0) {
        return true;
    }
    if (contact->friction == 0.0 || contact->trace == 0.0) {
        p[0] = -q[0] / contact->normal;
        return true;
    }
    Slips slips = {.p = {0.0}};
    for (int g = 0; g < contact->group_count; ++g) {
        slips.slip[g] = GREATEST_SLIP * contact->trace;
    }
    double error = 0.0;
    for (int round = 0; round < ROUNDS && error <= ALLOWED_ERROR; ++round) {
        memcpy(slips.anchor, slips.p + 1, bytes - sizeof(double));
        error = run_round(contact, q, &slips);
    }
    contact->work += slips.factored * work_to_try(contact);
    memcpy(p, slips.p, bytes);
    if (!(error <= ALLOWED_ERROR)) {
        cn_friction_cone_project(contact->friction, contact->tangents + 1, p, p);
        return false;
    }
    return true;
}
