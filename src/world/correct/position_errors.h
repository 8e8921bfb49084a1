// position_errors.h - how far contacts overlap and constraints are off at given poses.
#pragma once

#include "world/contacts/search.h"
#include "world/step/rows.h"
#include "world/world.h"

// Whose errors count, and when.
typedef struct CnInstant {
    double time; // [s]
    bool ahead;  // at the poses of the problem, where contacts and stops are still to be met: of
                 // the constraints only those that keep; else all, at the end of the step
} CnInstant;

typedef struct CnPositionErrors {
    double penetration; // deepest overlap of all contacts [m]
    double joint;       // largest constraint error of rows in metres [m]
    double angle;       // of rows in radians [rad]
    double pending;     // largest error that a correction would address [m or rad]
    int contact;        // that has it, in world->correction.contacts; -1: none
    int constraint;     // that has it, a slot; -1: none
} CnPositionErrors;

// Errors by groups of bodies. A body of group -1 counts for none.
typedef struct CnErrorGroups {
    const int* group; // [order.count]
    double* pending;  // largest error of a group, [m or rad]   [groups]
} CnErrorGroups;

// Finds world->correction.contacts and the values of constraints at these states, and sums them up.
// old: the list of the last collection of contacts; NULL: there is none. CN_NO_MEMORY when contacts
// cannot be collected.
CnStatus cn_positions_measure(CnWorld* world, const CnBodyState* states, CnInstant instant,
                              const CnErrorGroups* groups, const CnContactArray* old,
                              CnPositionErrors* errors);

// The same where the values of constraints have been found at these states.
CnStatus cn_positions_collect(CnWorld* world, const CnBodyState* states, CnInstant instant,
                              const CnErrorGroups* groups, const CnContactArray* old,
                              CnPositionErrors* errors);

// Of the contacts those count at first that world->correction.contacts lists already, see
// cn_world_list_overlaps(); this adds those given by hand. Ahead there are none. Pairs that have
// not moved since their manifolds were found are not listed: *least_gap [m] counts them too. When
// one of them overlaps by more than the tolerance, measure.
CnStatus cn_positions_end_overlaps(CnWorld* world, const CnBodyState* states, CnInstant instant,
                                   double* least_gap);

// The values of all active constraints become zero, as of drives, which keep no position.
void cn_positions_forget(CnWorld* world);

// The values of constraints at these states, without contacts: the part of measuring that trees of
// joints need.
void cn_positions_evaluate(CnWorld* world, const CnBodyState* states, CnInstant instant);

// Value and role of each row of a constraint, from a reading of values and forces.
void cn_positions_take(CnUserConstraint* constraint, const CnConstraintReading* reading,
                       double time);

// Sums up what the last measurement found, at the same states. Errors of groups, which may be NULL,
// only grow.
void cn_positions_sum_up(const CnWorld* world, const CnBodyState* states, CnInstant instant,
                         const CnErrorGroups* groups, CnPositionErrors* errors);

// Adds the errors of one constraint to those of others; joint, angle: its largest in rows of metres
// and of radians. What is not a number does not count.
static inline void cn_positions_add(int slot, double joint, double angle,
                                    CnPositionErrors* errors) {
    double size = angle > joint ? angle : joint;
    errors->joint = joint > errors->joint ? joint : errors->joint;
    errors->angle = angle > errors->angle ? angle : errors->angle;
    if (size > errors->pending) {
        errors->pending = size;
        errors->constraint = slot;
        errors->contact = -1;
    }
}

// The same by its values and their roles, as they were measured.
void cn_positions_add_measured(const CnUserConstraint* constraint, int slot, CnInstant instant,
                               CnPositionErrors* errors);

// A contact that has bounced takes itself out of its overlap, and a push would add energy:
// docs/theory/stabilisation.md (9).
bool cn_contact_is_bouncing(const CnWorld* world, const CnContact* contact,
                            const CnBodyState* states);

// Whether a row with this role has a position to keep.
bool cn_row_keeps_position(CnInstant instant, CnRowRole role);

// "contact a/b" or the name of a joint: what has the largest pending error.
void cn_positions_name(const CnWorld* world, const CnPositionErrors* errors, char* name,
                       size_t size);
