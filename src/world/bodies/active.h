// active.h - the bodies that a step moves, and arrays in which all the others stay as written.
//
// Static, disabled and sleeping bodies do not move: what a step writes about them is the same every
// time. It is written once, after a change, and then a step walks the list of those that do move.
// A change is counted; whoever keeps something about all bodies notes the count that it is of. If
// the changes since then are remembered by body, only these bodies are written again.
#pragma once

#include "base/array.h"
#include "cairn/body.h"

struct CnWorld;

// Changes that are remembered by body: more of them between two steps count as a change of all.
#define CN_MOST_CHANGES 256

typedef struct CnActive {
    uint32_t version;             // counts changes of the list, or of where the others are; from 1
    uint32_t first_change;        // the version that changed[0] made; later ones made the next ones
    int change_count;             // of those remembered: first_change + change_count is version + 1
    int changed[CN_MOST_CHANGES]; // body of each change: index then
    CnIntArray recent;            // those that move, and those changed; in increasing order. Empty:
                                  // all of them move
    uint32_t listed;              // the version that the list is of; 0: none
    uint32_t placed;              // the version that world->places are of
    uint32_t posed;               // the version that world->posed are of
    uint32_t moved;               // the version that world->step.motions are of
    uint32_t told_extras;         // what that was when world->step.extras were written last
    bool extras_are_plain;        // these were of joints alone: CN_EXTRAS_OF_OTHERS
    uint32_t told;                // the version whose sleepers events have told of
    CnIntArray bodies;            // indices in increasing order: dynamic and awake, or kinematic
    CnIntArray shapes;            // of each of these: cn_active_shapes()
    CnIntArray constraints;       // slots of those that are not between sleepers
    CnIntArray advancing;         // of these, those that remember where a step ended
    bool has_conditions;          // of these, some act or not as a function of states and time
    CnIntArray breakable, turning; // places in CnWorld.joint_order, not between sleepers: of joints
                                   // that may break, and of those with angles that count on
    size_t saved_numbers;          // in which a step saves what it may change of constraints
    uint32_t paired;               // the version that pairs are of
    bool lists_pairs;              // false: no pair is idle
    CnIntArray pairs; // places in the broad phase's set of those that are not between sleepers
    double sleeping_energy; // potential energy of bodies asleep [J]
    double sleeping_scale;  // the sum of its magnitudes [J]
} CnActive;

// States of all bodies; of those that do not move they are always right.
typedef struct CnStateBuffer {
    CN_ARRAY(CnBodyState) states; // [bodies]
    uint32_t version;             // those that do not move are as in this version
} CnStateBuffer;

typedef enum CnStateBufferName {
    CN_STATES_POSED, // where the problem is posed, velocities before the step
    CN_STATES_LOOK,  // where contacts are looked for: there, with the velocities to look along;
                     // later at the end of the step
    CN_STATES_TRIAL, // tried by a correction
    CN_STATE_BUFFER_COUNT
} CnStateBufferName;

// Bodies or pairs to walk over: all, or some by index.
typedef struct CnIndexList {
    const int* indices; // NULL: all
    int count;
} CnIndexList;

static inline int cn_index_at(const CnIndexList* list, int place) {
    return list->indices == NULL ? place : list->indices[place];
}

// Something has changed about any number of bodies that do not move, or about which bodies do.
void cn_active_change(struct CnWorld* world);

// The same of one body: at its index something else is to be found now, or nothing any more.
void cn_active_change_body(struct CnWorld* world, int body);

// Makes the list. CN_NO_MEMORY: there is none.
CnStatus cn_active_update(struct CnWorld* world);
void cn_active_free(struct CnWorld* world);

// Those that move, as listed; with those that have changed since a version; or all.
CnIndexList cn_active_bodies(const struct CnWorld* world);
CnIndexList cn_active_bodies_since(const struct CnWorld* world, uint32_t version);

// Of each body of a list the slot of its shape, if it is dynamic and has just one; else CN_NONE.
// Loops that ask this need not look at the body. NULL: this list has no such notes.
const int* cn_active_shapes(const struct CnWorld* world, const CnIndexList* list);

// Bodies that have changed since a version, in increasing order, written into memory for
// CN_MOST_CHANGES of them; or all.
CnIndexList cn_active_changes_since(const struct CnWorld* world, uint32_t version, int* memory);

// Makes the list of pairs, if bodies sleep; is_new: the set of pairs has changed.
CnStatus cn_active_list_pairs(struct CnWorld* world, bool is_new);
CnIndexList cn_active_pairs(const struct CnWorld* world);

// The bodies whose entries in the arrays of the step are still to be written.
CnIndexList cn_step_bodies(const struct CnWorld* world);

// A buffer of which only the states of bodies that move are to be written. NULL: no memory.
CnBodyState* cn_world_states(struct CnWorld* world, CnStateBufferName name);

// The same with the present states of all bodies.
CnBodyState* cn_world_present_states(struct CnWorld* world, CnStateBufferName name);
