// contact_group.h - contacts in groups of four that share no body, visited side by side.
//
// A record holds all that a visit reads, lane by lane, so that four contacts are solved with SIMD.
// Since no body is in two lanes, the order within a group does not matter: the lanes give the same
// bits as four visits one after the other. docs/theory/solvers/nsgs_momentum.md (1)-(8).
#pragma once

#include "solvers/sweep/block_sweep.h"

#define CN_GROUP 4 // contacts side by side: as many as the widest registers hold

// A contact of one row, a bound of [0, inf), has zero tangent rows. A lane without a contact always
// separates. W is symmetric: NN, N1, N2, 11, 12, 22.
typedef struct CnContactGroup {
    double jacobian[3][12][CN_GROUP]; // G = J L of body a, then of body b
    double w[6][CN_GROUP];            // W_aa, compliance included
    double factor[6][CN_GROUP];       // of W_aa = L D L^T: L10, L20, L21, 1/D0, 1/D1, 1/D2
    double q[3][CN_GROUP];            // J v_free - target
    double compliance[3][CN_GROUP];   // of each row
    double friction[CN_GROUP];        // mu
    double p[3][CN_GROUP];            // visit, extrapolate: the impulse
    double plain[3][CN_GROUP];        // extrapolate: the solution of the last visit
    double agreement[CN_GROUP];       // visit: (p - z) . (p - plain), z before, p after it
    double age[CN_GROUP];             // extrapolate: t of the momentum, 1 after a restart
    int slot_a[CN_GROUP],
        slot_b[CN_GROUP]; // of the bodies in y; fixed bodies share the slot of the world
    int block[CN_GROUP];  // -1: no contact
    int count;            // lanes in use, the first ones
    bool is_active;       // visited in this round
} CnContactGroup;

// One source (contact_visit_lanes.h) for two register widths, and a scalar reference for one
// contact at a time (contact_visit_plain.c). All give the same bits.
typedef struct CnGroupFunctions {
    // Solves each lane exactly and updates p and y. Sliding directions are found to `precision`,
    // relative to |q|. Returns the lanes whose direction was not found, one bit each; they are
    // unchanged.
    unsigned (*visit)(CnContactGroup* group, double (*y)[CN_SWEEP_STRIDE], double precision);

    // Extrapolates p along its last change by at most `most` times that change and projects onto
    // the cone. A lane whose visit went against the extrapolation restarts its momentum.
    void (*extrapolate)(CnContactGroup* group, double (*y)[CN_SWEEP_STRIDE], double most);
} CnGroupFunctions;

extern const CnGroupFunctions cn_group_functions_plain;
extern const CnGroupFunctions cn_group_functions_128;
extern const CnGroupFunctions cn_group_functions_256; // requires AVX2

// Newton steps on the direction of sliding, the largest rotation of one [rad], and how far friction
// may be from opposing the slip: round-off, relative to |q|.
#define CN_SLIDE_STEPS 8
#define CN_SLIDE_CLIP 0.7
#define CN_SLIDE_NOISE 1e-12

// Impulses whose square is below this, denormals included, have no direction.
#define CN_NO_DIRECTION 1e-300

// Solves one lane by the routes of one_contact.h, from its present impulse: for lanes that a visit
// could not solve. Returns the route.
CnContactRoute cn_contact_group_answer(CnContactGroup* group, int lane, const CnBlockSweep* sweep);

// All groups, in order of creation.
typedef struct CnContactGroups {
    CnContactGroup** group; // [count of block_count]
    int count;
    int first_open;       // groups before it are full, or no longer searched
    CnContactGroup* room; // the unused rest of the last allocation
    int room_count;
} CnContactGroups;

CnStatus cn_contact_groups_init(CnContactGroups* groups, int block_count, CnArena* arena);

// Whether a block fits into a lane: a contact of three rows with a regular W_aa, or one row bounded
// by [0, inf).
bool cn_contact_fits_lane(const CnBlockSweep* sweep, int block);

// Puts a contact into the first of the last open groups that has none of its bodies.
CnStatus cn_contact_groups_add(CnContactGroups* groups, const CnBlockSweep* sweep, int block,
                               const double* p, CnArena* arena);

// Copies impulses to the lanes, whose momentum restarts; and back.
void cn_contact_group_set(CnContactGroup* group, const CnBlockSweep* sweep, const double* p);
void cn_contact_group_get(const CnContactGroup* group, const CnBlockSweep* sweep, double* p);
