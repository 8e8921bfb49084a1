// wide_contact.c - one contact with any number of friction rows, solved by its secular equation.
#include "solvers/wide_contact.h"

#include <float.h>
#include <math.h>
#include <string.h>

// Newton on the secular equation takes 3 to 8 steps; bisection, where it has to step in, halves the
// bracket's exponent first and then its mantissa. What is left then is below the last place.
#define SECULAR_STEPS 200

// The two terms of the secular function cancel; this much of them is round-off.
#define SECULAR_NOISE (4.0 * DBL_EPSILON)

// The slip that stands in for none, relative to the trace of W_TT. Rows that repeat others make S
// singular; with this much slip round-off in b cannot grow to more than 1e-6 of the impulses, and
// one correction (10) squares what is left of u.
#define LEAST_SLIP 1e-10

// Doublings of the slip until friction is sure to be in the cone: (8) bounds it, by numbers that
// may differ by the whole range of doubles.
#define LARGEST_DOUBLINGS 2000

void cn_wide_contact_init(CnWideContact* contact, int row_count, double friction, const double* w) {
    int n = row_count - 1;
    *contact = (CnWideContact){.tangents = n, .friction = friction, .normal = w[0]};
    for (int i = 0; i < n; ++i) {
        contact->coupling[i] = w[1 + i] / w[0];
        contact->trace += w[(i + 1) * row_count + i + 1];
        for (int j = 0; j < n; ++j) {
            contact->schur[i][j] =
                w[(i + 1) * row_count + j + 1] - w[1 + i] * (w[(j + 1) * row_count] / w[0]);
        }
    }
}

// A contact that slips at slip |p_T|: (6). The secular function (7) is positive inside the cone.
typedef struct Slip {
    double p[CN_MAX_ROWS];
    double tangent;       // |p_T|
    double value, newton; // of the secular function; where Newton would go next
} Slip;

// L L^T = S + slip. A pivot that round-off made vanish is replaced by what it is certain of.
static void factor(const CnWideContact* contact, double slip,
                   double l[CN_MAX_ROWS - 1][CN_MAX_ROWS - 1]) {
    int n = contact->tangents;
    for (int j = 0; j < n; ++j) {
        double pivot = contact->schur[j][j] + slip;
        for (int k = 0; k < j; ++k) {
            pivot -= l[j][k] * l[j][k];
        }
        l[j][j] = sqrt(fmax(pivot, DBL_EPSILON * contact->trace));
        for (int i = j + 1; i < n; ++i) {
            double sum = contact->schur[i][j];
            for (int k = 0; k < j; ++k) {
                sum -= l[i][k] * l[j][k];
            }
            l[i][j] = sum / l[j][j];
        }
    }
}

// x = (L L^T)^-1 x
static void solve(int n, double l[CN_MAX_ROWS - 1][CN_MAX_ROWS - 1], double* x) {
    for (int i = 0; i < n; ++i) {
        for (int k = 0; k < i; ++k) {
            x[i] -= l[i][k] * x[k];
        }
        x[i] /= l[i][i];
    }
    for (int i = n - 1; i >= 0; --i) {
        for (int k = i + 1; k < n; ++k) {
            x[i] -= l[k][i] * x[k];
        }
        x[i] /= l[i][i];
    }
}

static double dot(int n, const double* a, const double* b) {
    double sum = 0.0;
    for (int i = 0; i < n; ++i) {
        sum += a[i] * b[i];
    }
    return sum;
}

static Slip slip_at(const CnWideContact* contact, const double* q, double slip) {
    int n = contact->tangents;
    double l[CN_MAX_ROWS - 1][CN_MAX_ROWS - 1], rate[CN_MAX_ROWS];
    Slip out = {0};
    double* tangents = out.p + 1;
    factor(contact, slip, l);
    for (int i = 0; i < n; ++i) {
        tangents[i] = contact->coupling[i] * q[0] - q[1 + i];
    }
    solve(n, l, tangents);
    out.p[0] = -q[0] / contact->normal - dot(n, contact->coupling, tangents);
    out.tangent = sqrt(dot(n, tangents, tangents));
    out.value = contact->friction * out.p[0] - out.tangent;
    for (int i = 0; i < n; ++i) {
        rate[i] = -tangents[i]; // dp_T / dslip = -(S + slip)^-1 p_T
    }
    solve(n, l, rate);
    // Newton on 1 / |p_T| - 1 / (mu p_N), which is nearly straight where the function itself is
    // nearly a pole: (9).
    double radius = contact->friction * out.p[0];
    double tangent_rate = dot(n, tangents, rate) / out.tangent;
    double radius_rate = -contact->friction * dot(n, contact->coupling, rate);
    double slope = radius_rate / (radius * radius) - tangent_rate / (out.tangent * out.tangent);
    out.newton = slip - (1.0 / out.tangent - 1.0 / radius) / slope;
    return out;
}

// p_T - (S + slip)^-1 (S p_T + b) with S p_T + b = -slip p_T: what slip kept from sticking,
// squared.
static void correct_stick(const CnWideContact* contact, const double* q, double slip, double* p) {
    int n = contact->tangents;
    double l[CN_MAX_ROWS - 1][CN_MAX_ROWS - 1], change[CN_MAX_ROWS], tried[CN_MAX_ROWS];
    factor(contact, slip, l);
    for (int i = 0; i < n; ++i) {
        change[i] = slip * p[1 + i];
    }
    solve(n, l, change);
    for (int i = 0; i < n; ++i) {
        tried[1 + i] = p[1 + i] + change[i];
    }
    tried[0] = -q[0] / contact->normal - dot(n, contact->coupling, tried + 1);
    if (sqrt(dot(n, tried + 1, tried + 1)) <= contact->friction * tried[0]) {
        memcpy(p, tried, (size_t)(n + 1) * sizeof(double));
    }
}

// Where to look next in a bracket: by Newton, or, where that leaves it, in the middle: of the
// exponents while the ends differ by orders of magnitude.
static double next_slip(double low, double high, double newton) {
    if (newton > low && newton < high) {
        return newton;
    }
    return high > 4.0 * low ? sqrt(low) * sqrt(high) : 0.5 * (low + high);
}

bool cn_wide_contact_solve(const CnWideContact* contact, const double* q, double* p) {
    size_t bytes = (size_t)(contact->tangents + 1) * sizeof(double);
    memset(p, 0, bytes);
    if (q[0] >= 0.0) {
        return true;
    }
    if (contact->friction == 0.0 || contact->trace == 0.0) {
        p[0] = -q[0] / contact->normal;
        return true;
    }
    double low = LEAST_SLIP * contact->trace, high = contact->trace;
    Slip slip = slip_at(contact, q, low);
    if (slip.value >= 0.0) { // sticks
        memcpy(p, slip.p, bytes);
        correct_stick(contact, q, low, p);
        return true;
    }
    Slip end = slip_at(contact, q, high);
    for (int i = 0; i < LARGEST_DOUBLINGS && end.value < 0.0; ++i) {
        low = high;
        slip = end;
        high *= 2.0;
        end = slip_at(contact, q, high);
    }
    bool found = end.value >= 0.0;
    for (int i = 0; found && i < SECULAR_STEPS; ++i) {
        double middle = next_slip(low, high, slip.newton);
        if (!(middle > low && middle < high)) {
            break; // neighbouring numbers
        }
        slip = slip_at(contact, q, middle);
        if (fabs(slip.value) <= SECULAR_NOISE * slip.tangent) {
            break;
        }
        *(slip.value < 0.0 ? &low : &high) = middle;
    }
    memcpy(p, slip.p, bytes);
    return found;
}
