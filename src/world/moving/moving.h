// moving.h - bodies that only gravity, contacts and joints move, several side by side.
//
// What motion.c and ledger_bodies.c do with one body after the other, number by number with the
// same bits: to read, take those. Bodies are taken together if all are dynamic, and if the step has
// no extras (cn_motion_extras()) or those of joints alone; all others are left to the plain
// functions.
#pragma once

#include "base/fetch.h"
#include "world/world.h"

#include <stddef.h>

// At most so many are taken together.
#define CN_MOVING_MOST 4

// What all bodies of a loop have in common.
typedef struct CnMovingStep {
    CnWorld* world;
    double theta;
    CnBodyState* states; // where the problem is posed   [bodies]
    CnBodyState* ahead;  // there, with free velocities   [bodies]
    CnBodyState* end;    // at the end of the step   [bodies]
} CnMovingStep;

// Of one moment in time; scales take the magnitude of every term.
typedef struct CnBodyTotals {
    double energy, energy_scale;
    CnEnergyParts parts;
    CnVec3 linear, angular;
    double linear_scale, angular_scale;
} CnBodyTotals;
// What turning may make in a step, as a share of the kinetic energy of a body.
#define CN_TURNING_LIMIT 0.01

#define CN_TOTALS_NUMBERS 13
_Static_assert(sizeof(CnBodyTotals) == CN_TOTALS_NUMBERS * sizeof(double), "numbers without gaps");

// Joints with compact rows (world/trees/compact_rows.h) that are alike in their number and in those
// of the point. Bodies that do not move have a velocity of zero.
typedef struct CnJointWork {
    int row_count, points;
    const CnCompactRows* rows[CN_MOVING_MOST];
    const double* impulse[CN_MOVING_MOST];               // of its rows   [row_count]
    const double *a[CN_MOVING_MOST], *b[CN_MOVING_MOST]; // mean velocities   [6]
} CnJointWork;

// Impulse and moment that a joint gives a body, and takes from another one.
typedef struct CnReaction {
    const CnVec3 *center, *other; // of the body and of the other one
    const double* wrench;         // about the first   [6]
} CnReaction;

// The bodies of each call: `width` of them, by index. The last one of a group may be repeated in
// the place of others that are missing; what is summed up then is that of the first `count` alone.
typedef struct CnMovingLanes {
    int width;
    // To the poses of the problem, and to free velocities; what they are as they begin is added to
    // totals, one body after the other. False: something is not finite.
    bool (*begin)(const CnMovingStep* step, const int* bodies, int count, CnBodyTotals* totals);
    // The same in three parts, in steps with joints: to the poses of the problem, to those that the
    // joints were put right at, and to free velocities.
    void (*predict)(const CnMovingStep* step, const int* bodies);
    void (*repredict)(const CnMovingStep* step, const int* bodies);
    bool (*set_free)(const CnMovingStep* step, const int* bodies);
    // With the solved velocities to the end of the step; in steps that are graded turning_work and
    // world->step.mean_velocity too. Bits of bodies that are not known to be sound:
    // cn_step_is_sound() is to be asked.
    unsigned (*finish)(const CnMovingStep* step, const int* bodies);
    // Added to totals alone.
    void (*total)(const CnWorld* world, const int* bodies, int count, CnBodyTotals* totals);
    // Likewise, with what their motion did. Bits of bodies whose turning may have made more than
    // CN_TURNING_LIMIT of energy. unsure: gets the bits of bodies that are not known to be sound as
    // they are now; NULL: nobody asks.
    unsigned (*book)(const CnWorld* world, const int* bodies, int count, CnBodyTotals* totals,
                     CnEnergyLedger* energy, CnMomentumLedger* momentum, unsigned* unsure);
    // The work of `width` joints, and the sum of the magnitudes of what their rows do.
    void (*joint_work)(const CnJointWork* joints, double* total, double* scale);
    // cn_ledger_add_reaction() of up to `width` of them, one after the other.
    void (*react)(const CnReaction* reactions, int count, CnMomentumLedger* momentum);
} CnMovingLanes;

extern const CnMovingLanes cn_moving_128;
#if defined(__x86_64__)
extern const CnMovingLanes cn_moving_256;
#endif

// For the processor that this is.
const CnMovingLanes* cn_moving_lanes(void);

// Bodies that are taken together; with fewer than `width` of them the last one is repeated.
typedef struct CnMovingGroup {
    int count;
    int body[CN_MOVING_MOST];
} CnMovingGroup;

// The bodies of a list from a place on that can be taken together. False: the next one is alone.
// shapes: cn_active_shapes() of the list.
static inline bool cn_moving_group(const CnMovingLanes* lanes, const CnWorld* world,
                                   const CnIndexList* list, const int* shapes, int place, int end,
                                   CnMovingGroup* group) {
    if (list->indices == NULL) {
        return false;
    }
    int most = place + lanes->width < end ? lanes->width : end - place, count = 0;
    for (; count < most; ++count) {
        int body = list->indices[place + count];
        if ((shapes == NULL || shapes[place + count] < 0) &&
            world->bodies.data[body].type != CN_BODY_DYNAMIC) {
            break;
        }
        group->body[count] = body;
    }
    group->count = count;
    for (int i = count; count > 1 && i < lanes->width; ++i) {
        group->body[i] = group->body[count - 1];
    }
    return count > 1;
}

// Prefetches what a step knows and notes of a body.
static inline void cn_moving_fetch_body(const CnWorld* world, int body) {
    const CnStep* step = &world->step;
    cn_fetch_all(&step->motions.data[body], sizeof(CnMotion));
    cn_fetch_all(&world->bodies.data[body], sizeof(CnBody));
    if (step->extras.count > 0) {
        cn_fetch_all(&step->extras.data[body], sizeof(CnMotionExtras));
    }
}

// The same of a group further on, in lists that leave the caches of a core: some 0.4 us before it
// is taken, which is longer than a cache line from memory takes.
#define CN_MOVING_AHEAD 16
static inline void cn_moving_fetch(const CnWorld* world, const CnIndexList* list, int place) {
    int begin = place + CN_MOVING_AHEAD, end = begin + CN_MOVING_MOST;
    bool is_long = cn_fetch_pays(list->count, sizeof(CnMotion));
    for (int k = begin; is_long && list->indices != NULL && end <= list->count && k < end; ++k) {
        cn_moving_fetch_body(world, list->indices[k]);
    }
}
