// motion.h - how bodies move through a step when the impulses are known: docs/theory/moreau.md.
#pragma once

#include "world/step/ledger.h"

// Room in the step's arrays for every body of the world. CN_NO_MEMORY: nothing lost.
CnStatus cn_motion_reserve(CnWorld* world);

// Whether only gravity, contacts and joints move bodies, which are then taken several side by side.
bool cn_motion_is_plain(const CnWorld* world);

// The step under way has no motions.
CnStatus cn_motion_forget(CnWorld* world);

// The same in those of a correction of positions or velocities, which many steps do without.
CnStatus cn_motion_reserve_correction(CnWorld* world);

// Notes where every body starts. from_rest: velocities count as zero (quasi-static). Unless states
// is NULL, moves bodies by their start velocities for (1 - theta) dt to the poses of the problem,
// and fills states with those poses and the start velocities in their axes.   [bodies]
// parts, unless NULL, gets the totals that the ledgers are opened with, if the bodies to begin are
// those that move: returns whether it has.
bool cn_motion_begin(CnWorld* world, bool from_rest, double theta, CnBodyState* states,
                     CnLedgerParts* parts);

// Loads at the predicted poses, and the velocities they lead to without constraints: fills the
// bodies of world->step.problem, and their velocities with the free ones. states are those of
// cn_motion_begin(), or moved: a little beside the predicted ones, and what that does to angular
// momentum is noted for the ledger. ahead gets the same poses with the free velocities.
// CN_NO_MEMORY, or as cn_step_check_motion() says.
CnStatus cn_motion_free(CnWorld* world, double theta, bool moved, CnBodyState* states,
                        CnBodyState* ahead, CnError* error);

// Both at once, where they are of the same bodies and no loads are to be found between them. parts
// gets the totals that the ledgers are opened with. CN_OK, or as cn_motion_free() says.
bool cn_motion_begins_at_once(const CnWorld* world);
CnStatus cn_motion_begin_and_free(CnWorld* world, bool from_rest, double theta, CnBodyState* states,
                                  CnBodyState* ahead, CnLedgerParts* parts, CnError* error);

// What damping leaves of the impulse of a constant force at the end of the step; 1 without damping:
// docs/theory/moreau.md (24). It holds for the impulses of rows too, so that the problem of the
// step has the masses m / share.
typedef struct CnDampingShares {
    double linear, angular;
} CnDampingShares;
CnDampingShares cn_motion_damping_shares(const CnWorld* world, const CnBody* body);

// What the motion of a body has besides: loads, damping, cuts at impacts, joints, and schemes and
// rotation updates other than the default ones need it. NULL: the step has none of it, where it
// would be zero, and the final spin is that of the end.
static inline CnMotionExtras* cn_motion_extras(const CnStep* step, int index) {
    return step->extras.count == 0 ? NULL : &step->extras.data[index];
}

static inline CnVec3 cn_motion_final_spin(const CnStep* step, int index) {
    const CnMotionExtras* extras = cn_motion_extras(step, index);
    return extras == NULL ? step->motions.data[index].end_spin : extras->final_spin;
}

// Angular velocity as the step began, body axes [rad/s].
static inline CnVec3 cn_motion_start_spin(const CnMotion* motion) {
    return cn_quat_unrotate(motion->start.rotation, motion->start.angular_velocity);
}

// Velocity before the relaxation, which steps without extras do not have: from the move on.
static inline CnVec3 cn_motion_end_velocity(const CnWorld* world, int index) {
    const CnMotionExtras* extras = cn_motion_extras(&world->step, index);
    return extras == NULL ? world->bodies.data[index].state.velocity : extras->end_velocity;
}

// Where the move took its centre, before positions were corrected.
static inline CnVec3 cn_motion_end_center(const CnWorld* world, int index) {
    const CnMotionExtras* extras = cn_motion_extras(&world->step, index);
    return extras != NULL
               ? extras->end_center
               : cn_vec3_add_scaled(world->step.motions.data[index].center, world->step.rest,
                                    world->bodies.data[index].state.velocity);
}

// (v- + v+) / 2 of the motion, before velocities are relaxed; and the spin at which moments do
// their work, body axes.
static inline CnVec3 cn_motion_mean_velocity(const CnWorld* world, int index) {
    return cn_vec3_scale(0.5, cn_vec3_add(world->step.motions.data[index].start.velocity,
                                          cn_motion_end_velocity(world, index)));
}
CnVec3 cn_motion_mean_spin(const CnWorld* world, int index);

// From the poses of the problem with the solved velocities to the end of the step; end gets the
// states there of those that move. Returns whether all of them are sound: cn_step_is_sound().
bool cn_motion_finish(CnWorld* world, double theta, CnBodyState* end);

// What v' = a - c v makes of `before` in a time t, in which v' = a would make `after` of it; x is
// c t. docs/theory/moreau.md (23).
CnVec3 cn_motion_damped(CnVec3 before, CnVec3 after, double x);

// Damping of start velocities, gravity and loads, booked with the loads; velocity and spin get
// smaller.
void cn_motion_damp(const CnBody* body, double dt, const CnMotion* motion, CnMotionExtras* extras,
                    CnVec3* velocity, CnVec3* spin);

// Damping of the impulses of rows, booked with the loads: they changed the free velocity to the
// solved one and its spin by no more than their share.
void cn_motion_damp_rows(const CnWorld* world, const CnBody* body, const double* free,
                         CnVec3 velocity, CnVec3 spin, const CnMotion* motion,
                         CnMotionExtras* extras);
