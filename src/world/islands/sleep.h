// sleep.h - islands that have come to rest and cost nothing until something meets them.
//
// A body asleep is shown to a step as a static one: it has no mass, its velocities are zero, and it
// is not placed, searched or posed. The bodies that fell asleep together form a ring; they wake
// together. Their pair records stay as they are, impulses included.
#pragma once

#include "cairn/diagnostics.h"
#include "world/contacts/pair_store.h"

struct CnWorld;

typedef struct CnSleep {
    double quiet;       // how long the body has been slow enough [s]
    double dt;          // asleep: length of the step that its impulses are of [s]
    double part_dt;     // asleep: of the last part of that step [s]
    int previous, next; // indices of bodies in the ring that fell asleep with it; itself: none
    bool is_asleep;
    bool was_asleep; // as events last told
    bool is_placed;  // asleep, and the search knows where it is
    bool is_met;     // asleep, and something that moves has come near it
} CnSleep;

typedef struct CnSleepCounts {
    int bodies, islands; // asleep
    bool is_met;         // one of the bodies is
} CnSleepCounts;

// Wakes a body and all that fell asleep with it.
void cn_sleep_wake(struct CnWorld* world, int body);
void cn_sleep_wake_two(struct CnWorld* world, CnBodyId a, CnBodyId b); // either may be none
void cn_sleep_wake_all(struct CnWorld* world);

// A body is about to change or to go: it wakes, and so does all that it touches or is joined to.
void cn_sleep_disturb(struct CnWorld* world, int body);

// The body with the last index has taken the place of one that is gone.
void cn_sleep_move_body(struct CnWorld* world, int index, int last);

// For the search: whether nothing can have changed between two shapes, because a body is asleep and
// the other one is too, or stands where it stood.
bool cn_sleep_is_pair_idle(const struct CnWorld* world, const CnPairRecord* record);

// The same for two bodies, for contacts that are given by hand: neither can be moved by impulses
// now, and one of them sleeps.
bool cn_sleep_are_idle(const struct CnWorld* world, CnBodyId a, CnBodyId b);

// The same for a constraint, with all its bodies.
struct CnUserConstraint;
bool cn_constraint_is_idle(const struct CnWorld* world, const struct CnUserConstraint* constraint);

// A pair has points: whether they get rows. Notes bodies asleep that are met by something awake.
bool cn_sleep_admit_record(struct CnWorld* world, int record);

// Points of a pair were found anew, so that one of its bodies moved: the other one, if it is
// asleep, is met.
void cn_sleep_note_found(struct CnWorld* world, int body_a, int body_b);

// Wakes all that has been met by contacts or by rows of constraints, which were just posed.
// *is_met: there was something, and they are to be posed again. CN_OK or CN_NO_MEMORY.
CnStatus cn_sleep_wake_met(struct CnWorld* world, bool* is_met);

// A step has ended: islands that have been slow for long enough fall asleep, and the ledgers of the
// report book what they lose by it. CN_OK or CN_NO_MEMORY.
CnStatus cn_sleep_end_step(struct CnWorld* world, CnStepReport* report);

// Length of the step [s] that the impulses between two bodies are of, and of the last part of it.
// Of two that sleep, or a sleeper and something fixed, it is the last one they were awake in.
double cn_sleep_dt(const struct CnWorld* world, int body_a, int body_b, double* part_dt);

// Mass of a body asleep [kg], which it does not show.
double cn_sleep_mass(const struct CnWorld* world, int body);
