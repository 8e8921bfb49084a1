// linkage.h - dynamics of a tree of bodies in linear time: factor, solve, response of further rows.
//
// Twists (velocity, angular velocity) and wrenches (force, moment) are about the centre of each
// body, in world axes. The joint of link i leaves it free along its axes S and asks for a twist c:
//
//     V_i = X V_parent + S q' + c,     X: v + w x arm
//
// cn_linkage_factor() eliminates the axes from the leaves to the root; cn_linkage_solve() then
// finds the velocities of least kinetic energy in relation to the momenta P. This is the exact
// solution in coordinates of bodies, with a pivot for each free axis instead of one for each row
// kept. Nothing here knows worlds or problems. docs/theory/mechanisms.md (3)-(12).
#pragma once

#include "solvers/tree/linkage_limbs.h"

// The most axes that a joint may leave free: all, of a body that floats.
#define CN_LINKAGE_AXES 6

// Numbers of a symmetric inertia: the columns of its four blocks, each with a zero.
#define CN_LINKAGE_INERTIA 48
#define CN_LINKAGE_PENDING (CN_LINKAGE_INERTIA + 6)

typedef struct CnLinkage {
    int link_count, axis_count;
    const int* parent;     // link with a lower number, -1: the world   [link_count]
    const int* first_axis; // of each link   [link_count + 1]
    int* last_child;       // of each link: the one with the highest number, -1: none   [link_count]

    // Set by the caller before cn_linkage_factor().
    double (*arm)[3];                 // from the centre of the parent to the own [m]   [link_count]
    double (*axis)[6];                // S: twist for a rate of one   [axis_count]
    double* mass;                     // [kg]   [link_count]
    double (*inertia)[6];             // xx, xy, xz, yy, yz, zz [kg m^2]   [link_count]
    bool has_slopes;                  // false: the slopes are not read, and count as zero
    double (*slope)[CN_LINKAGE_AXES]; // s: added to the pivots, lower triangle: an entry for each
                                      // axis of the link up to the own   [axis_count]

    // Set by cn_linkage_factor(): D = S^T I S + s = C C^T.
    double (*whole)[CN_LINKAGE_INERTIA]; // I of the link and of what hangs on it, by the columns of
                                         // its blocks   [link_count]
    double (*u)[6];                      // U = I S C^-T   [axis_count]
    double (*z)[6];                      // Z = S C^-T   [axis_count]
    double* inverse;                     // of the diagonal of C   [axis_count]
    double (*pivot)[CN_LINKAGE_AXES];    // C below its diagonal   [axis_count]
    double* scaled;                      // scratch of solve: C^T q'   [axis_count]

    bool keeps_whole; // cn_linkage_factor_and_solve() writes `whole` too
    bool is_once;     // it need leave nothing but velocities: before anything else is asked of the
                      // factor, cn_linkage_factor() makes it

    // Scratch of cn_linkage_factor_and_solve(): sums of inertia and momentum of links of which some
    // children were passed and the link itself was not. These are few at any time: a slot for each
    // of them stays in the cache, an entry for each link would not.
    const int* slot;                       // of each link that has children   [link_count]
    double (*pending)[CN_LINKAGE_PENDING]; // by slot
    CnLimbs limbs;                         // that it takes side by side, to the same bits
} CnLinkage;

// Memory from the arena; there are no slopes, and those in memory are zero. parent and first_axis
// are kept, not copied; parents must be known.
CnStatus cn_linkage_init(CnLinkage* links, int link_count, const int* parent, const int* first_axis,
                         CnArena* arena);

// False: a pivot is not positive, or a number is not finite.
bool cn_linkage_factor(CnLinkage* links);

// Velocities for momenta P (6 for each link, overwritten), twists c (NULL: zero) and impulses o on
// the axes (NULL: none) at rates of zero. rate: q' (NULL: not wanted)   [axis_count]
void cn_linkage_solve(CnLinkage* links, double (*momentum)[6], const double (*twist)[6],
                      const double* offset, double (*velocity)[6], double* rate);

// cn_linkage_factor() and cn_linkage_solve() in one pass, with the same bits: each link is read and
// written once. momentum NULL: zero. Further solutions with twists need `whole`, that is either
// keeps_whole set before this call, or cn_linkage_factor() after it. `scaled` is not left for
// others.
bool cn_linkage_factor_and_solve(CnLinkage* links, const double (*momentum)[6],
                                 const double (*twist)[6], const double* offset,
                                 double (*velocity)[6]);

// A row that acts on a link with a wrench for an impulse of one: y += its coordinates along the
// path to the root. The response of two rows is the product of their y: W = Y Y^T.
void cn_linkage_push(const CnLinkage* links, int link, const double wrench[6], double* y);

// The same of up to four rows on one link, to the same bits, with the coordinates of all of them
// side by side: those along axis k are added to y[k * stride] and the numbers after it.
#define CN_LINKAGE_ROWS 4
void cn_linkage_push_rows(const CnLinkage* links, int link, int count, const double (*wrench)[6],
                          int stride, double* y);

// The velocities that impulses p of such rows lead to, from y = Y^T p.
void cn_linkage_respond(const CnLinkage* links, const double* y, double (*velocity)[6]);

// The wrench that each joint gives its link, for momenta P and velocities of cn_linkage_solve():
// M V - P and what the joints of its children take. The masses are those of the tree. momentum
// NULL: zero.
void cn_linkage_wrenches(const CnLinkage* links, const double (*momentum)[6],
                         const double (*velocity)[6], double (*wrench)[6]);

// Whether a row depends on the relative pose of two bodies alone: what it does to the parent is the
// reaction to what it does to the child, up to round-off.
bool cn_linkage_is_reaction(const double arm[3], const double child[6], const double parent[6]);

// y = X v and out += X^T f, for an arm from the parent's centre to the child's.
static inline void cn_linkage_to_child(const double arm[3], const double v[6], double y[6]) {
    y[0] = v[0] + (v[4] * arm[2] - v[5] * arm[1]);
    y[1] = v[1] + (v[5] * arm[0] - v[3] * arm[2]);
    y[2] = v[2] + (v[3] * arm[1] - v[4] * arm[0]);
    y[3] = v[3];
    y[4] = v[4];
    y[5] = v[5];
}

// The velocity v of a link relative to its parent: v - X v_L. parent: v_L, NULL: the world. Numbers
// stay in registers: pairs of them read back from memory would wait for each to be written.
static inline void cn_linkage_relative(const double arm[3], const double v[6], const double* parent,
                                       double out[6]) {
    static const double still[6] = {0.0};
    const double* l = parent == NULL ? still : parent;
    out[0] = v[0] - (l[0] + (l[4] * arm[2] - l[5] * arm[1]));
    out[1] = v[1] - (l[1] + (l[5] * arm[0] - l[3] * arm[2]));
    out[2] = v[2] - (l[2] + (l[3] * arm[1] - l[4] * arm[0]));
    out[3] = v[3] - l[3];
    out[4] = v[4] - l[4];
    out[5] = v[5] - l[5];
}

static inline void cn_linkage_to_parent(const double arm[3], const double f[6], double out[6]) {
    out[0] += f[0];
    out[1] += f[1];
    out[2] += f[2];
    out[3] += f[3] + (arm[1] * f[2] - arm[2] * f[1]);
    out[4] += f[4] + (arm[2] * f[0] - arm[0] * f[2]);
    out[5] += f[5] + (arm[0] * f[1] - arm[1] * f[0]);
}

// The functions above for one width of registers: linkage_passes.h.
typedef struct CnLinkagePasses {
    bool (*factor)(CnLinkage* links);
    void (*solve)(CnLinkage* links, double (*momentum)[6], const double (*twist)[6],
                  const double* offset, double (*velocity)[6], double* rate);
    bool (*factor_and_solve)(CnLinkage* links, const double (*momentum)[6],
                             const double (*twist)[6], const double* offset, double (*velocity)[6]);
    void (*push)(const CnLinkage* links, int link, const double wrench[6], double* y);
    void (*push_rows)(const CnLinkage* links, int link, int count, const double (*wrench)[6],
                      int stride, double* y);
    void (*respond)(const CnLinkage* links, const double* y, double (*velocity)[6]);
    void (*find_wrenches)(const CnLinkage* links, const double (*momentum)[6],
                          const double (*velocity)[6], double (*wrench)[6]);
} CnLinkagePasses;
extern const CnLinkagePasses cn_linkage_passes_128, cn_linkage_passes_256;
