// contact_group.h - contacts in groups of four that share no body, visited side by side.
//
// A record holds all that a visit reads, lane by lane, so that four contacts are answered at the
// price of one. Since no body is in two lanes, the order within a group does not matter: lanes
// give the bits of one visit after the other. docs/theory/nsgs_momentum.md (1)-(8).
#pragma once

#include "solvers/sweep/block_sweep.h"

#define CN_GROUP 4 // contacts side by side: as many as the widest registers hold

// A contact of one row, a bound of [0, inf), has tangents that feel nothing. A lane without a
// contact separates for ever. W is symmetric: NN, N1, N2, 11, 12, 22.
typedef struct CnContactGroup {
    double jacobian[3][12][CN_GROUP]; // G = J L of body a, then of body b
    double w[6][CN_GROUP];            // W_aa, compliance included
    double factor[6][CN_GROUP];       // of W_aa = L D L^T: L10, L20, L21, 1/D0, 1/D1, 1/D2
    double q[3][CN_GROUP];            // J v_free - target
    double compliance[3][CN_GROUP];   // of each row
    double friction[CN_GROUP];        // mu
    double p[3][CN_GROUP];            // visit, push: the impulse
    double plain[3][CN_GROUP];        // push: the impulse before it, the answer of the last visit
    double agreement[CN_GROUP];       // visit: (p - z) . (p - plain), z before, p after it
    double age[CN_GROUP];             // push: t of the momentum, 1 where it starts anew
    int slot_a[CN_GROUP], slot_b[CN_GROUP]; // of the bodies in y; what does not move is the world
    int block[CN_GROUP];                    // -1: no contact
    int count;                              // lanes in use, the first ones
    bool is_awake;                          // visited in this round
} CnContactGroup;

// One text (contact_visit_lanes.h) for two widths of registers, and the same for one contact at a
// time that anyone can follow (contact_visit_plain.c). All give the same bits.
typedef struct CnGroupFunctions {
    // Each lane gets its exact answer, p and y follow. Sliding directions are found to `precision`,
    // relative to what the contact feels. Returns the lanes whose direction was not found, one bit
    // each; they are left as they were.
    unsigned (*visit)(CnContactGroup* group, double (*y)[CN_SWEEP_STRIDE], double precision);

    // Moves p on along its last change, `most` times its length at most, and stays in the cone; a
    // lane whose visit turned back starts anew.
    void (*push)(CnContactGroup* group, double (*y)[CN_SWEEP_STRIDE], double most);
} CnGroupFunctions;

extern const CnGroupFunctions cn_group_functions_plain;
extern const CnGroupFunctions cn_group_functions_128;
extern const CnGroupFunctions cn_group_functions_256; // takes AVX2

// Newton steps on the direction of sliding, the longest turn of one [rad], and how far friction may
// be from opposing the slip: round-off, relative to what the contact feels.
#define CN_SLIDE_STEPS 8
#define CN_SLIDE_CLIP 0.7
#define CN_SLIDE_NOISE 1e-12

// Impulses whose square is below this have no direction; nor do numbers that underflow.
#define CN_NO_DIRECTION 1e-300

// The answer of one lane by the routes of one_contact.h, with the guess it has: what a visit could
// not find. Returns the route.
CnContactRoute cn_contact_group_answer(CnContactGroup* group, int lane, const CnSweep* sweep);

// Groups made one after the other.
typedef struct CnContactGroups {
    CnContactGroup** group; // [count of block_count]
    int count;
    int first_open;       // groups before it are full, or were passed by
    CnContactGroup* room; // what is left of the last piece of memory
    int room_count;
} CnContactGroups;

CnStatus cn_contact_groups_init(CnContactGroups* groups, int block_count, CnArena* arena);

// Whether lanes can take a block: a contact of three rows with a regular W_aa, or one row that
// pushes without limit.
bool cn_contact_fits_lane(const CnSweep* sweep, int block);

// Puts a contact into the first of the last open groups that has none of its bodies.
CnStatus cn_contact_groups_add(CnContactGroups* groups, const CnSweep* sweep, int block,
                               const double* p, CnArena* arena);

// Impulses to the lanes, whose momentum starts anew; and back.
void cn_contact_group_set(CnContactGroup* group, const CnSweep* sweep, const double* p);
void cn_contact_group_get(const CnContactGroup* group, const CnSweep* sweep, double* p);
