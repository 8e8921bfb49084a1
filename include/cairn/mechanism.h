// mechanism.h - trees of joints as robots: coordinates, mass matrix, inverse dynamics, Jacobians.
//
//     CnMechanism* arm = cn_mechanism_create(world, hand, &error);
//     int n = cn_mechanism_coordinate_count(arm);
//     cn_mechanism_read(arm, world, q, qd, &error);
//     cn_mechanism_inverse_dynamics(arm, world, wanted, tau, &error);
//     cn_mechanism_apply(arm, world, tau, &error); // for the next step
//
// A mechanism is a body, all that joints connect it with, and an order of their coordinates: bodies
// from the base outwards, for each the free axes of its joint in the order of CnAxis. Positions q
// [m or rad] and rates qd are those that cn_joint_read() tells; qd is dq/dt. A body that no joint
// leads to floats: q is its centre of mass and rotation vector in the world, qd its velocity and
// angular velocity, in world axes. So is the turn of a joint that keeps a point and has no axes
// (fix_point), relative to what it is joined to.
//
// With M the mass matrix and h the bias, which holds gravity, Coriolis and centrifugal forces,
//
//     M qdd + h = tau
//
// for forces tau [N or N m] on the axes. Motors, stops, springs, dry friction, damping, contacts
// and forces on bodies are not part of it, nor are joints that close loops. All functions look at
// the world as it is now. docs/theory/joint_coordinates.md; docs/manual/mechanisms.md.
#pragma once

#include "cairn/joint.h"
#include "cairn/world.h"

typedef struct CnMechanism CnMechanism;

// NULL on failure, with a sentence: the body is not dynamic, or a joint has no coordinates because
// it prescribes a motion. What is connected is found now: a mechanism whose bodies or joints were
// removed or switched off later is refused as stale; joints added later are not part of it.
// Static and kinematic bodies are the base.
CN_API CnMechanism* cn_mechanism_create(const CnWorld* world, CnBodyId body, CnError* error);
CN_API void cn_mechanism_destroy(CnMechanism* mechanism); // NULL is fine

typedef struct CnCoordinate {
    CnJointId joint; // none: the body floats
    CnAxis axis;     // of the joint, or of the world
    CnBodyId body;   // that it moves, with all that hangs on it
} CnCoordinate;
CN_API int cn_mechanism_coordinate_count(const CnMechanism* mechanism);
CN_API CnCoordinate cn_mechanism_coordinate(const CnMechanism* mechanism, int index);

CN_API int cn_mechanism_body_count(const CnMechanism* mechanism);
CN_API CnBodyId cn_mechanism_body(const CnMechanism* mechanism, int index); // null id: none

// Joints between its bodies that are not in the tree: those that close loops, and those without
// coordinates (distance, rope, gear, ...).
CN_API int cn_mechanism_loop_count(const CnMechanism* mechanism);
CN_API CnJointId cn_mechanism_loop(const CnMechanism* mechanism, int index); // null id: none

// Positions and rates [coordinate_count each]; either may be NULL. CN_STALE: see above.
CN_API CnStatus cn_mechanism_read(CnMechanism* mechanism, const CnWorld* world, double* q,
                                  double* qd, CnError* error);

// Puts all bodies where the coordinates say, from the base outwards, and lets them move with the
// rates (NULL: none). Turns count on: an angle of 7 rad is read back as that. CN_INVALID with a
// sentence, and nothing has changed: a number is not finite, a joint cannot be there, or a loop
// would not close (by more than 1e-9 m or rad).
CN_API CnStatus cn_mechanism_write(CnMechanism* mechanism, CnWorld* world, const double* q,
                                   const double* qd, CnError* error);

// M, symmetric, row-major [coordinate_count^2]: the kinetic energy is qd . M qd / 2.
CN_API CnStatus cn_mechanism_mass_matrix(CnMechanism* mechanism, const CnWorld* world,
                                         double* matrix, CnError* error);

// h: the forces on the axes that keep the rates as they are [coordinate_count].
CN_API CnStatus cn_mechanism_bias(CnMechanism* mechanism, const CnWorld* world, double* bias,
                                  CnError* error);

// tau = M qdd + h, and qdd = M^-1 (tau - h), both in linear time [coordinate_count each].
CN_API CnStatus cn_mechanism_inverse_dynamics(CnMechanism* mechanism, const CnWorld* world,
                                              const double* qdd, double* tau, CnError* error);
CN_API CnStatus cn_mechanism_forward_dynamics(CnMechanism* mechanism, const CnWorld* world,
                                              const double* tau, double* qdd, CnError* error);

// How a point that a body carries moves with the rates: rows vx, vy, vz, wx, wy, wz, row-major
// [6 coordinate_count]; the point is in the world, now [m].
CN_API CnStatus cn_mechanism_jacobian(CnMechanism* mechanism, const CnWorld* world, CnBodyId body,
                                      CnVec3 point, double* jacobian, CnError* error);

// Forces on all axes for the next step, as loads on the bodies, besides what motors do
// [coordinate_count]. On failure nothing was applied.
CN_API CnStatus cn_mechanism_apply(CnMechanism* mechanism, CnWorld* world, const double* tau,
                                   CnError* error);

// The same for one free axis of a joint [N or N m]: positive pushes B along, or turns it about, the
// axis of A.
CN_API CnStatus cn_joint_apply_force(CnWorld* world, CnJointId joint, CnAxis axis, double force,
                                     CnError* error);
