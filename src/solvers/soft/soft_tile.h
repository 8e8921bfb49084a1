// soft_tile.h - soft contacts in single precision: eight manifolds side by side, and their bodies.
//
// A tile holds eight manifolds, none of which shares a movable body with another, as arrays with
// the manifold (lane) in the last index. A manifold sees its two bodies through six numbers: the
// relative velocity at the centroid of its points, and the relative spin, both in its frame. Its
// points are swept there; then one impulse and one moment go to each body.
//
// The mathematics is written once, in soft_lanes.h, and compiled for one, four and eight lanes:
// the bits are the same. docs/theory/soft_step.md has the equations that are cited.
#pragma once

#include "math/simd.h"

#include <stddef.h>

#define CN_SOFT_LANES 8
#define CN_SOFT_POINTS 4

// What a sweep reads and writes of a body; rows of 16 bytes. The first row of a group is that of
// everything that does not move: inverse mass 0, velocity 0; several lanes may write it at once.
typedef struct CnSoftBody {
    _Alignas(64) float velocity[3]; // [m/s]
    float inverse_mass;             // [1/kg]
    float spin[3];                  // [rad/s]
    float unused;                   // 0
    float moved[3];                 // of the centre since the body was placed [m]
    float unused_too;               // 0
    float turned[4];                // since then: unit quaternion x, y, z, w
} CnSoftBody;

// What stays as long as a body is not placed anew.
typedef struct CnSoftMass {
    float inertia[6];   // inverse, world axes where it was placed: xx xy xz yy yz zz [1/(kg m^2)]
    float inverse_mass; // [1/kg]
    float unused;
} CnSoftMass;

// How velocities of a body change in a substep besides contacts and joints.
typedef struct CnSoftDrift {
    float before[8]; // velocity and spin as the substep began, as the first half of CnSoftBody
    float gain[8];   // what loads add in one substep
} CnSoftDrift;

// Impulses of one kind: those of one substep, which the next one starts from, and of the whole
// step.
typedef struct CnSoftPushes {
    float now[CN_SOFT_LANES], total[CN_SOFT_LANES];
} CnSoftPushes;

typedef struct CnSoftSlides {
    float now[2][CN_SOFT_LANES], total[2][CN_SOFT_LANES];
} CnSoftSlides;

typedef struct CnSoftPoint {
    float gap[CN_SOFT_LANES];        // at the places; set when a manifold enters its lane [m]
    float mass[CN_SOFT_LANES];       // prepare: effective; 0: no such point [kg]
    float separation[CN_SOFT_LANES]; // of the present substep [m]
    CnSoftPushes push;               // along the normal [N s]
    CnSoftPushes push_before;        // as the step began, in case it fails
    float approach[CN_SOFT_LANES];   // of tiles that bounce: velocity before the step [m/s]
} CnSoftPoint;

// Tiles lie in slots of this size: one, if each lane has one point; two, if manifolds have more;
// three, if some may resist spinning or rolling. What lies beyond its slots a tile does not have.
#define CN_SOFT_SLOT_ROWS 56
#define CN_SOFT_MOST_SLOTS 3
typedef struct CnSoftSlot {
    _Alignas(64) float rows[CN_SOFT_SLOT_ROWS][CN_SOFT_LANES];
} CnSoftSlot;

// Indices: A 0, B 1. Places are where bodies were when the manifold was found. Rows that every
// sweep of a plain contact uses lie together: tiles are read from far memory in each step.
typedef struct CnSoftTile {
    // Set when a manifold enters its lane.
    _Alignas(64) float belt[2][CN_SOFT_LANES]; // velocity of the surfaces against each other [m/s]
    float restitution[CN_SOFT_LANES];
    CnSoftSlides slide_before;
    float friction[CN_SOFT_LANES];
    float across[CN_SOFT_LANES];        // friction along the second tangent over that of the first
    float normal[3][CN_SOFT_LANES];     // unit, from A to B
    float tangent[2][3][CN_SOFT_LANES]; // unit; the second is normal x the first
    float arm[2][3][CN_SOFT_LANES];     // from each centre to the centroid [m]
    int32_t offset[2][CN_SOFT_LANES];   // of the bodies in the group [byte]
    uint8_t has_belt, has_rolling, has_bounce; // some lane has
    uint8_t is_single; // every lane has one point, and no resistance to spinning and rolling
    uint8_t slots;     // that it lies in
    uint8_t fresh;     // bit i: lane i is to be set, and the tile to be prepared
    uint8_t is_stale;  // the tile is to be prepared: who is in its lanes has changed
    uint8_t touching;  // bit i: lane i had a normal impulse in the last step, or overlaps after it
    uint8_t turned;    // bit i: that is not as it was in the step before
    uint8_t exists[CN_SOFT_POINTS]; // of each point; bit i: lane i has it

    // cn_soft_prepare(): (6)-(9).
    _Alignas(32) float inertia[2][6][CN_SOFT_LANES]; // as CnSoftMass
    float slide_by_push[2][CN_SOFT_LANES];           // (vt1, vt2) by F
    float slide_mass[3][CN_SOFT_LANES];              // 2 x 2 inverse: 11 12 22 [kg]

    CnSoftSlides slide; // friction [N s]
    CnSoftPoint point[CN_SOFT_POINTS];

    // The second slot, with all points but the first.
    float u[CN_SOFT_POINTS][CN_SOFT_LANES];     // of each point from the centroid, along the
    float w[CN_SOFT_POINTS][CN_SOFT_LANES];     // first and the second tangent [m]
    float coupling[6][CN_SOFT_LANES];           // of points 01 02 12 03 13 23 [1/kg]
    float slide_by_moment[2][2][CN_SOFT_LANES]; // (vt1, vt2) by (T1, T2)
    float twist_by_push[3][CN_SOFT_LANES];      // wn by (F, T1, T2)
    float slide_by_twist[2][CN_SOFT_LANES];
    float twist_mass[CN_SOFT_LANES];            // [kg m^2]
    float lever[CN_SOFT_POINTS][CN_SOFT_LANES]; // moment against twisting per normal impulse [m]
    CnSoftPushes twist, twist_before;           // moments about the normal [N m s]

    // The third slot.
    float torsion[CN_SOFT_LANES];            // resistance to spinning, besides that of friction [m]
    float rolling[CN_SOFT_LANES];            // resistance to rolling [m]
    float roll_by_push[2][3][CN_SOFT_LANES]; // (a, b) by (F, T1, T2)
    float roll_by_twist[2][CN_SOFT_LANES];
    float slide_by_roll[2][2][CN_SOFT_LANES];
    float roll_mass[3][CN_SOFT_LANES]; // 2 x 2 inverse
    CnSoftSlides roll, roll_before;    // moments about the tangents [N m s]
    float unused[CN_SOFT_MOST_SLOTS * CN_SOFT_SLOT_ROWS - 137][CN_SOFT_LANES];
} CnSoftTile;
_Static_assert(offsetof(CnSoftTile, point[1]) == sizeof(CnSoftSlot), "a single point has one slot");
_Static_assert(offsetof(CnSoftTile, torsion) == 2 * sizeof(CnSoftSlot), "plain ones have two");
_Static_assert(sizeof(CnSoftTile) == CN_SOFT_MOST_SLOTS * sizeof(CnSoftSlot), "none has more");

// The tile after one, of several that lie one after the other.
static inline CnSoftTile* cn_soft_next_tile(const CnSoftTile* tile) {
    return (CnSoftTile*)(void*)((CnSoftSlot*)(void*)(uintptr_t)tile + tile->slots);
}

// Tiles of a group: one after the other, in so many slots.
typedef struct CnSoftTiles {
    CnSoftSlot* slots;
    int count;
} CnSoftTiles;

// Constants of a substep.
typedef struct CnSoftRates {
    float h, inverse_h;     // length of a substep [s], [1/s]
    float bias[2];          // (3): rate at which overlap is removed; of pairs, of fixed [1/s]
    float mass_scale[2];    // (3)
    float impulse_scale[2]; // (3)
    float push_speed;       // overlap is removed no faster [m/s]
    float bounce_speed;     // slower impacts do not bounce [m/s]
} CnSoftRates;

// (3) from frequency and damping ratio.
CnSoftRates cn_soft_rates(double h, double hertz, double damping_ratio, double push_speed,
                          double bounce_speed);

// The bodies of a group with what belongs to each; entry 0 is what does not move.
typedef struct CnSoftBodies {
    CnSoftBody* rows;
    const CnSoftMass* masses;
    CnSoftDrift* drifts;
    int count;
} CnSoftBodies;

// One table for each number of lanes; all give the same bits.
typedef struct CnSoftKernels {
    // Effective masses and couplings, from frames, arms and inertias. (6)-(9)
    void (*prepare)(CnSoftTiles tiles, const CnSoftBodies* bodies);
    // Velocities of points before the step, for tiles that bounce. (13)
    void (*note_approach)(CnSoftTiles tiles, const CnSoftBodies* bodies);
    // Separations where bodies are, and the impulses of the last step once more. (10), (11)
    void (*warm_start)(CnSoftTiles tiles, const CnSoftBodies* bodies);
    // Normal impulses with soft constraints, which remove overlap. (4), (5)
    void (*push)(CnSoftTiles tiles, const CnSoftBodies* bodies, const CnSoftRates*);
    // Normal impulses without them, then torsion, rolling and friction. (12)
    void (*relax)(CnSoftTiles tiles, const CnSoftBodies* bodies, const CnSoftRates*);
    // Impacts return speed, in tiles that bounce. (13)
    void (*bounce)(CnSoftTiles tiles, const CnSoftBodies* bodies, const CnSoftRates*);
    // Bodies begin their first or another substep; move through it. (11), (14)
    void (*begin)(const CnSoftBodies* bodies);
    void (*go_on)(const CnSoftBodies* bodies);
    void (*advance)(const CnSoftBodies* bodies, const CnSoftRates*);
    // The deepest overlap [m], >= 0; sets `touching` and `turned`, and tells if one has changed.
    float (*observe)(CnSoftTiles tiles, bool* has_changed);
    // How wrong impulses and velocities of each lane are [m/s]. (19)   [CN_SOFT_LANES]
    void (*judge)(const CnSoftTile* tile, const CnSoftBodies* bodies, const CnSoftRates*,
                  float* missed);
} CnSoftKernels;

extern const CnSoftKernels cn_soft_kernels_plain, cn_soft_kernels_128, cn_soft_kernels_256;

// Those of the widest registers there are.
const CnSoftKernels* cn_soft_kernels(void);
