// soft_joint.h - ball joints and hinges in single precision, eight side by side.
//
// As in soft_tile.h no two lanes of a tile share a movable body, and one text (soft_joint_lanes.h)
// is compiled for one, four and eight lanes. docs/theory/soft_step.md (J6)-(J10).
#pragma once

#include "solvers/soft/soft_tile.h"

// Indices: A 0, B 1. Places are where bodies were when they were placed last.
typedef struct CnSoftJointTile {
    // Set by the owner when a body was placed.
    _Alignas(64) int32_t offset[2][CN_SOFT_LANES]; // of the bodies in the group [byte]
    uint32_t epoch[2][CN_SOFT_LANES];              // of their places; 0: not set yet
    float frame[4][CN_SOFT_LANES];                 // A's frame, at its place: x, y, z, w
    float arm[2][3][CN_SOFT_LANES];                // from each centre to the joint, at places [m]
    float gap[3][CN_SOFT_LANES];                   // from A's point to B's, at places [m]
    float inertia[2][6][CN_SOFT_LANES];            // as CnSoftMass
    float axis[2][3][CN_SOFT_LANES];               // hinge: z of each frame, at places
    float side[2][3][CN_SOFT_LANES];               // hinge: x and y of A's frame, at places
    uint8_t is_hinge;                              // all lanes are; else all are balls

    // refresh(): at the present poses.
    float arm_now[2][3][CN_SOFT_LANES];
    float error[3][CN_SOFT_LANES];       // from A's point to B's [m]
    float inverse_masses[CN_SOFT_LANES]; // of A and B, their sum; stays in a step [1/kg]
    float mass[6][CN_SOFT_LANES];        // inverse of the 3 x 3 response [kg]
    float side_now[2][3][CN_SOFT_LANES]; // hinge
    float lean[2][CN_SOFT_LANES];        // hinge: error about the sides [rad]
    float turn_mass[3][CN_SOFT_LANES];   // hinge: inverse of the 2 x 2 response [kg m^2]

    // Impulses on B: of the present substep, and of the whole step; between steps, like the error,
    // along the axes of A's frame.
    float impulse[3][CN_SOFT_LANES], total_impulse[3][CN_SOFT_LANES]; // world axes [N s]
    float moment[2][CN_SOFT_LANES], total_moment[2][CN_SOFT_LANES];   // about the sides [N m s]
} CnSoftJointTile;

// One table for each number of lanes; all give the same bits.
typedef struct CnSoftJointKernels {
    // Errors and effective masses where bodies are. (J6), (J7)
    void (*refresh)(CnSoftJointTile* tiles, int count, const CnSoftBodies* bodies);
    // Impulses from the axes of A's frame to those of the world, as a step begins; impulses and
    // errors back, as it ends. (J12)
    void (*open)(CnSoftJointTile* tiles, int count, const CnSoftBodies* bodies);
    void (*close)(CnSoftJointTile* tiles, int count, const CnSoftBodies* bodies);
    // The same as refresh() after bodies have moved, and their velocities with the impulses of this
    // substep moved along. (J10)
    void (*shift)(CnSoftJointTile* tiles, int count, const CnSoftBodies* bodies);
    // The impulses of the last step once more.
    void (*warm_start)(CnSoftJointTile* tiles, int count, const CnSoftBodies* bodies);
    // One sweep: with softness and errors, or without. (J8), (J9)
    void (*push)(CnSoftJointTile* tiles, int count, const CnSoftBodies* bodies, const CnSoftRates*);
    void (*relax)(CnSoftJointTile* tiles, int count, const CnSoftBodies* bodies);
} CnSoftJointKernels;

extern const CnSoftJointKernels cn_soft_joint_kernels_plain, cn_soft_joint_kernels_128,
    cn_soft_joint_kernels_256;

// Those of the widest registers there are.
const CnSoftJointKernels* cn_soft_joint_kernels(void);
