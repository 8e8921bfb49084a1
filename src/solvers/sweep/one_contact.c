// one_contact.c - the frictional contact problem of a single block, solved exactly.
//
// Routes are tried from the cheapest to the surest: take-off, stick, slide by Newton on the sliding
// angle, slide by enumerating every root, projection. Equations: docs/theory/solvers/nsgs.md.
#include "solvers/sweep/one_contact.h"

#include "constraints/problem/friction_cone.h"
#include "math/polynomial.h"
#include <float.h>
#include <math.h>
#include <string.h>

// A pivot this small relative to its diagonal entry is zero up to round-off: entries of W are sums
// of some ten products, each with a relative error of DBL_EPSILON.
#define PIVOT_NOISE 1e-14

// A solution is accepted when its residual is below this fraction of |q| + lambda_max |p|, the size
// of the terms that cancel in it: some hundred units in the last place.
#define RESIDUAL_NOISE 1e-13

// The sliding law holds when its residual is below this fraction of the terms that cancel in it.
#define SLIDE_NOISE (16.0 * DBL_EPSILON)

// Newton converges quadratically: from within the clip it needs 4 to 6 steps or does not converge.
#define NEWTON_STEPS 12
#define NEWTON_CLIP 0.5   // largest turn of one step [rad]
#define NEWTON_SHORT 1e-8 // a turn whose square is round-off [rad]

// The largest turn of a single step that stands for the root [rad]: what it misses is the square.
#define NEAR_TURN 0.03

// Projection is the last resort; it stops after so many steps and the next sweep goes on.
#define PROJECTIONS 200

static bool factorise(CnOneContact* contact) {
    int n = contact->dimension;
    const double* w = contact->w;
    double* f = contact->factor;
    double* upper = contact->upper;
    bool is_singular = false;
    double pivot[3] = {w[0], 0.0, 0.0};

    f[0] = w[n] / w[0];
    upper[0] = w[1] / w[0];
    pivot[1] = w[n + 1] - f[0] * w[1];
    if (n == 3) {
        double below = w[7] - upper[0] * w[6]; // W_21 and W_12 after the first elimination
        double right = w[5] - f[0] * w[2];
        bool vanished = pivot[1] <= PIVOT_NOISE * w[4];
        f[1] = w[6] / w[0];
        upper[1] = w[2] / w[0];
        f[2] = vanished ? 0.0 : below / pivot[1];
        upper[2] = vanished ? 0.0 : right / pivot[1];
        pivot[2] = w[8] - f[1] * w[2] - f[2] * right;
    }
    for (int i = 0; i < n; ++i) {
        bool vanished = pivot[i] <= PIVOT_NOISE * w[i * n + i];
        is_singular |= vanished;
        f[3 + i] = vanished ? 0.0 : 1.0 / pivot[i];
    }
    return is_singular;
}

void cn_one_contact_init(CnOneContact* contact, int dimension, double friction, const double* w,
                         double lambda_max) {
    *contact =
        (CnOneContact){.dimension = dimension, .friction = friction, .lambda_max = lambda_max};
    memcpy(contact->w, w, (size_t)(dimension * dimension) * sizeof(double));
    contact->is_singular = factorise(contact);
}

// u = W p + q
static void velocity_of(const CnOneContact* contact, const double* q, const double* p, double* u) {
    int n = contact->dimension;
    for (int i = 0; i < n; ++i) {
        u[i] = q[i];
        for (int j = 0; j < n; ++j) {
            u[i] += contact->w[i * n + j] * p[j];
        }
    }
}

static double length(const double* x, int n) {
    double sum = 0.0;
    for (int i = 0; i < n; ++i) {
        sum += x[i] * x[i];
    }
    return sqrt(sum);
}

double cn_one_contact_residual(const CnOneContact* contact, const double* q, const double* p) {
    int n = contact->dimension;
    double rho = 1.0 / contact->lambda_max;
    double step[3] = {0.0};
    velocity_of(contact, q, p, step);
    cn_friction_cone_shift(contact->friction, n, step, step);
    for (int i = 0; i < n; ++i) {
        step[i] = p[i] - rho * step[i];
    }
    cn_friction_cone_project(contact->friction, n, step, step);
    for (int i = 0; i < n; ++i) {
        step[i] = p[i] - step[i];
    }
    return length(step, n) * contact->lambda_max;
}

static bool is_solved(const CnOneContact* contact, const double* q, const double* p) {
    int n = contact->dimension;
    double size = length(q, n) + contact->lambda_max * length(p, n);
    return cn_one_contact_residual(contact, q, p) <= RESIDUAL_NOISE * size;
}

// p = -W^-1 q, and whether that is the solution.
static bool stick(const CnOneContact* contact, const double* q, double* p) {
    const double* f = contact->factor;
    const double* upper = contact->upper;
    double y1 = -q[1] + f[0] * q[0];
    if (contact->dimension == 2) {
        p[1] = y1 * f[4];
        p[0] = -q[0] * f[3] - upper[0] * p[1];
        return fabs(p[1]) <= contact->friction * p[0] &&
               (!contact->is_singular || is_solved(contact, q, p));
    }
    double y2 = -q[2] + f[1] * q[0] - f[2] * y1;
    p[2] = y2 * f[5];
    p[1] = y1 * f[4] - upper[2] * p[2];
    p[0] = -q[0] * f[3] - upper[0] * p[1] - upper[1] * p[2];
    double limit = contact->friction * p[0];
    return p[0] >= 0.0 && p[1] * p[1] + p[2] * p[2] <= limit * limit &&
           (!contact->is_singular || is_solved(contact, q, p));
}

static double cross(const double a[2], const double b[2]) {
    return a[0] * b[1] - a[1] * b[0];
}

static double dot(const double a[2], const double b[2]) {
    return a[0] * b[0] + a[1] * b[1];
}

// W_TT d
static void tangent_times(const CnOneContact* contact, const double d[2], double out[2]) {
    const double* w = contact->w;
    out[0] = w[4] * d[0] + w[5] * d[1];
    out[1] = w[7] * d[0] + w[8] * d[1];
}

// A contact that slides along -d, with u_N = 0: (5), (6).
typedef struct Slide {
    double d[2];        // unit
    double denominator; // D = W_NN + mu W_NT . d
    double normal;      // p_N = -q_N / D
    double drive[2];    // W_TN + mu W_TT d: how u_T grows with p_N
    double velocity[2]; // u_T = q_T + p_N drive
} Slide;

// False when the normal cannot carry such an impulse (D <= 0).
static bool slide_along(const CnOneContact* contact, const double* q, Slide* slide) {
    const double* coupling = contact->w + 1; // W_NT
    double mu = contact->friction;
    slide->denominator = contact->w[0] + mu * dot(coupling, slide->d);
    if (!(slide->denominator > PIVOT_NOISE * contact->w[0])) {
        return false;
    }
    double push[2];
    tangent_times(contact, slide->d, push);
    slide->normal = -q[0] / slide->denominator;
    for (int i = 0; i < 2; ++i) {
        slide->drive[i] = contact->w[3 + 3 * i] + mu * push[i];
        slide->velocity[i] = q[1 + i] + slide->normal * slide->drive[i];
    }
    return true;
}

static void slide_impulse(const CnOneContact* contact, const Slide* slide, double* p) {
    p[0] = slide->normal;
    p[1] = contact->friction * slide->normal * slide->d[0];
    p[2] = contact->friction * slide->normal * slide->d[1];
}

// How cross(d, u_T) changes when d turns: (8).
static double slide_slope(const CnOneContact* contact, const Slide* slide, const double side[2]) {
    double mu = contact->friction;
    double push[2];
    tangent_times(contact, side, push);
    double growth = -mu * dot(contact->w + 1, side) / slide->denominator; // of p_N, relative
    const double rate[2] = {growth * slide->drive[0] + mu * push[0],
                            growth * slide->drive[1] + mu * push[1]};
    return slide->normal * cross(slide->d, rate) - dot(slide->d, slide->velocity);
}

// Newton on the law of sliding, cross(d, u_T) = 0 with u_T . d <= 0, by turning d. False: it does
// not converge, or to a direction that friction does not oppose.
static bool turn_to_root(const CnOneContact* contact, const double* q, Slide* slide) {
    for (int i = 0; i < NEWTON_STEPS && slide_along(contact, q, slide); ++i) {
        double terms = fabs(q[1]) + fabs(q[2]) + contact->lambda_max * slide->normal;
        double value = cross(slide->d, slide->velocity);
        if (fabs(value) <= SLIDE_NOISE * terms) {
            return dot(slide->d, slide->velocity) <= SLIDE_NOISE * terms;
        }
        const double side[2] = {-slide->d[1], slide->d[0]};
        double slope = slide_slope(contact, slide, side);
        if (!(slope > 0.0)) { // at the root of a regular contact it is positive
            return false;
        }
        double turn = fmin(fmax(-value / slope, -NEWTON_CLIP), NEWTON_CLIP);
        double scale = 1.0 / sqrt(1.0 + turn * turn);
        slide->d[0] = (slide->d[0] + turn * side[0]) * scale;
        slide->d[1] = (slide->d[1] + turn * side[1]) * scale;
    }
    return false;
}

// 1 / sqrt(1 + t^2) for |t| <= NEAR_TURN, to the last digit, without the latency of a square root
// and a division.
static double near_scale(double t) {
    double x = t * t;
    return 1.0 - x * (0.5 - x * (0.375 - x * (0.3125 - x * 0.2734375)));
}

// 1 / sqrt(1 + t^2).
static double unit_scale(double t) {
    double x = t * t;
    return x > 1e-4 ? 1.0 / sqrt(1.0 + x) : near_scale(t);
}

// The same root by Newton on (9), D times the law, which costs half as much a step. The last step
// is so short that its square is round-off; turn_to_root() removes the error that D has left.
static void turn_near_root(const CnOneContact* contact, const double* q, double d[2]) {
    const double* w = contact->w;
    double mu = contact->friction;
    const double b[2] = {w[0] * q[1] - q[0] * w[3], w[0] * q[2] - q[0] * w[6]};
    const double m[4] = {mu * (q[1] * w[1] - q[0] * w[4]), mu * (q[1] * w[2] - q[0] * w[5]),
                         mu * (q[2] * w[1] - q[0] * w[7]), mu * (q[2] * w[2] - q[0] * w[8])};
    double turn = 1.0;
    for (int i = 0; i < NEWTON_STEPS && fabs(turn) > NEWTON_SHORT; ++i) {
        const double side[2] = {-d[1], d[0]};
        const double g[2] = {b[0] + m[0] * d[0] + m[1] * d[1], b[1] + m[2] * d[0] + m[3] * d[1]};
        const double rate[2] = {m[0] * side[0] + m[1] * side[1], m[2] * side[0] + m[3] * side[1]};
        double slope = cross(d, rate) - dot(d, g);
        if (!(slope > 0.0)) {
            return;
        }
        turn = -cross(d, g) / slope;
        turn = turn > NEWTON_CLIP ? NEWTON_CLIP : (turn < -NEWTON_CLIP ? -NEWTON_CLIP : turn);
        double scale = unit_scale(turn);
        d[0] = (d[0] + turn * side[0]) * scale;
        d[1] = (d[1] + turn * side[1]) * scale;
    }
}

static bool slide_from(const CnOneContact* contact, const double* q, const double guess[2],
                       double* p) {
    double size = sqrt(dot(guess, guess));
    if (!(size > 0.0)) {
        return false;
    }
    Slide slide;
    slide.d[0] = guess[0] / size;
    slide.d[1] = guess[1] / size;
    turn_near_root(contact, q, slide.d);
    if (!turn_to_root(contact, q, &slide)) {
        return false;
    }
    slide_impulse(contact, &slide, p);
    return true;
}

// The best candidate so far: accepted ones by their distance to the guess, others by their
// residual.
typedef struct BestImpulse {
    double p[3], residual, distance;
    bool solved;
} BestImpulse;

static void consider(const CnOneContact* contact, const double* q, const double* guess,
                     const double* p, BestImpulse* best) {
    int n = contact->dimension;
    double offset[3];
    for (int i = 0; i < n; ++i) {
        offset[i] = p[i] - guess[i];
    }
    double residual = cn_one_contact_residual(contact, q, p);
    double distance = length(offset, n);
    bool solved = is_solved(contact, q, p);
    bool better = solved ? !best->solved || distance < best->distance
                         : !best->solved && residual < best->residual;
    if (better) {
        *best = (BestImpulse){.residual = residual, .distance = distance, .solved = solved};
        memcpy(best->p, p, (size_t)n * sizeof(double));
    }
}

// D times cross(d, u_T) is cross(d, b + B d), a trigonometric polynomial of degree two: (9).
// Written with t = tan(angle / 2) it is a quartic. One chart covers the half circle around (1, 0)
// with t in
// [-1, 1]; turning the circle by half, which flips the sign of b, brings the other half into it.
static void consider_half_circle(const CnOneContact* contact, const double* q, double sign,
                                 const double* guess, BestImpulse* best) {
    const double* w = contact->w;
    double mu = contact->friction;
    double b0 = sign * (w[0] * q[1] - q[0] * w[3]);
    double b1 = sign * (w[0] * q[2] - q[0] * w[6]);
    double b01 = mu * (q[1] * w[2] - q[0] * w[5]);
    double b10 = mu * (q[2] * w[1] - q[0] * w[7]);
    double skew = mu * (q[2] * w[2] - q[0] * w[8]) - mu * (q[1] * w[1] - q[0] * w[4]);
    const double c[5] = {b1 + b10, 2.0 * (skew - b0), -2.0 * b10 - 4.0 * b01, -2.0 * (skew + b0),
                         b10 - b1};
    double root[2 * CN_POLYNOMIAL_MAX_DEGREE];
    int count = cn_polynomial_candidates(c, 4, -1.0, 1.0, root);
    for (int i = 0; i < count; ++i) {
        double scale = sign / (1.0 + root[i] * root[i]);
        Slide slide = {.d = {scale * (1.0 - root[i] * root[i]), scale * 2.0 * root[i]}};
        double p[3];
        if (slide_along(contact, q, &slide)) {
            slide_impulse(contact, &slide, p);
            consider(contact, q, guess, p, best);
        }
        if (turn_to_root(contact, q, &slide)) { // the same root without the quartic's round-off
            slide_impulse(contact, &slide, p);
            consider(contact, q, guess, p, best);
        }
    }
}

// In the plane there are only two directions to slide in.
static void consider_both_sides(const CnOneContact* contact, const double* q, const double* guess,
                                BestImpulse* best) {
    for (int i = 0; i < 2; ++i) {
        double d = i == 0 ? 1.0 : -1.0;
        double denominator = contact->w[0] + contact->friction * d * contact->w[1];
        if (denominator > PIVOT_NOISE * contact->w[0]) {
            double normal = -q[0] / denominator;
            const double p[2] = {normal, contact->friction * normal * d};
            consider(contact, q, guess, p, best);
        }
    }
}

// The fixed point of p = P_K(p - rho u~). The step shrinks while moving p by dp moves rho u~ by
// more than 0.9 |dp|, and grows again where it moves it by less than 0.3 |dp|.
static void project_repeatedly(const CnOneContact* contact, const double* q, double* p) {
    int n = contact->dimension;
    double rho = 1.0 / contact->lambda_max;
    double u[3], next[3], next_u[3], change[3], change_u[3];
    velocity_of(contact, q, p, u);
    cn_friction_cone_shift(contact->friction, n, u, u);
    for (int k = 0; k < PROJECTIONS; ++k) {
        for (int i = 0; i < n; ++i) {
            next[i] = p[i] - rho * u[i];
        }
        cn_friction_cone_project(contact->friction, n, next, next);
        velocity_of(contact, q, next, next_u);
        cn_friction_cone_shift(contact->friction, n, next_u, next_u);
        for (int i = 0; i < n; ++i) {
            change[i] = next[i] - p[i];
            change_u[i] = next_u[i] - u[i];
        }
        double ratio = rho * length(change_u, n);
        double moved = length(change, n);
        if (ratio > 0.9 * moved) {
            rho *= 2.0 / 3.0;
            continue;
        }
        rho *= ratio < 0.3 * moved ? 1.5 : 1.0;
        memcpy(p, next, (size_t)n * sizeof(double));
        memcpy(u, next_u, (size_t)n * sizeof(double));
    }
}

// Every sliding root, then projection from the best of them.
static CnContactRoute search(const CnOneContact* contact, const double* q, double* p) {
    int n = contact->dimension;
    BestImpulse best = {.residual = HUGE_VAL};
    consider(contact, q, p, p, &best);
    best.solved = false; // the guess is used only when nothing else is found
    if (n == 2) {
        consider_both_sides(contact, q, p, &best);
    } else {
        consider_half_circle(contact, q, 1.0, p, &best);
        consider_half_circle(contact, q, -1.0, p, &best);
    }
    CnContactRoute route = n == 2 ? CN_ROUTE_SLIDE : CN_ROUTE_ENUMERATE;
    if (!best.solved) {
        double projected[3];
        memcpy(projected, best.p, sizeof projected);
        project_repeatedly(contact, q, projected);
        consider(contact, q, p, projected, &best);
        route = best.solved ? CN_ROUTE_PROJECT : CN_ROUTE_FAILED;
    }
    memcpy(p, best.p, (size_t)n * sizeof(double));
    return route;
}

// One Newton step on (9) from a direction of length one, whose error is the square of the turn.
// False: the turn is large, or friction would not oppose the slip.
static bool slide_near(const CnOneContact* contact, const double* q, double d[2], double* p) {
    const double* w = contact->w;
    const double mu = contact->friction, side[2] = {-d[1], d[0]};
    double drive[2], rate[2];
    for (int i = 0; i < 2; ++i) {
        const double* row = w + 3 + 3 * i;
        double along[2] = {mu * (q[1 + i] * w[1] - q[0] * row[1]),
                           mu * (q[1 + i] * w[2] - q[0] * row[2])};
        drive[i] = (w[0] * q[1 + i] - q[0] * row[0]) + dot(along, d);
        rate[i] = dot(along, side);
    }
    double slope = cross(d, rate) - dot(d, drive), turn = -cross(d, drive) / slope;
    if (!(slope > 0.0) || !(fabs(turn) <= NEAR_TURN)) {
        return false;
    }
    double scale = near_scale(turn);
    Slide slide = {.d = {(d[0] + turn * side[0]) * scale, (d[1] + turn * side[1]) * scale}};
    if (!slide_along(contact, q, &slide) || dot(slide.d, slide.velocity) > 0.0) {
        return false;
    }
    slide_impulse(contact, &slide, p);
    memcpy(d, slide.d, sizeof slide.d);
    return true;
}

// The direction of an impulse on its cone; none where it has no length.
static void note_slip(const double* p, double slip[2]) {
    double length = sqrt(p[1] * p[1] + p[2] * p[2]);
    slip[0] = length > 0.0 ? p[1] / length : 0.0;
    slip[1] = length > 0.0 ? p[2] / length : 0.0;
}

static void set(int n, double normal, double* p) {
    p[0] = normal;
    for (int i = 1; i < n; ++i) {
        p[i] = 0.0;
    }
}

CnContactRoute cn_one_contact_solve(const CnOneContact* contact, const double* q, double* p) {
    int n = contact->dimension;
    if (q[0] >= 0.0) {
        set(n, 0.0, p);
        return CN_ROUTE_TAKE_OFF;
    }
    if (contact->friction == 0.0) {
        set(n, -q[0] / contact->w[0], p);
        return CN_ROUTE_SLIDE;
    }
    double stuck[3];
    if (stick(contact, q, stuck)) {
        for (int i = 0; i < n; ++i) {
            p[i] = stuck[i];
        }
        return CN_ROUTE_STICK;
    }
    if (n == 3 && (slide_from(contact, q, p + 1, p) || slide_from(contact, q, stuck + 1, p))) {
        return CN_ROUTE_SLIDE;
    }
    return search(contact, q, p);
}

CnContactRoute cn_one_contact_approach(const CnOneContact* contact, const double* q, double* p,
                                       double slip[2]) {
    bool slid = contact->dimension == 3 && (slip[0] != 0.0 || slip[1] != 0.0);
    if (slid && q[0] < 0.0 && slide_near(contact, q, slip, p)) {
        return CN_ROUTE_SLIDE;
    }
    CnContactRoute route = cn_one_contact_solve(contact, q, p);
    slip[0] = slip[1] = 0.0;
    if (route == CN_ROUTE_SLIDE && contact->dimension == 3) {
        note_slip(p, slip);
    }
    return route;
}
