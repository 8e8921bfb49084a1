// attribution.h - what each row direction did in a step: momentum and energy by channel.
//
// Kept when CnStepDef.attribution is set. One entry says what the rows of one channel of one pair
// of shapes, contact given by hand or constraint did to dynamic bodies over the whole step, all its
// parts together. Equations: docs/theory/ledger.md (16)-(19).
//
//     CnChannelShare totals[CN_CHANNEL_COUNT] = {0};
//     int count = cn_world_attribution(world, entries, capacity);
//     cn_attribution_sum(entries, count, CN_ALL_ISLANDS, totals);
//     double error = cn_attribution_error(totals, &report); // round-off
#pragma once

#include "cairn/world.h"

// What rows did to dynamic bodies.
typedef struct CnChannelShare {
    double work;         // [J]
    double angular_work; // the part of it that turned bodies [J]
    double impulse;      // from A to B along the rows, summed up; of rows that only turn their
                         // moment [N s or N m s]
    CnVec3 linear_external, angular_external; // from what cannot be moved; about the world's origin
    CnVec3 linear_internal, angular_internal; // between dynamic bodies: must cancel
} CnChannelShare;

typedef struct CnAttribution {
    CnChannel channel;
    int island;                 // from 0: bodies that rows of the step joined
    CnBodyId body_a, body_b;    // none: the immovable world
    CnShapeId shape_a, shape_b; // of a contact found by collision; else none
    CnContactId contact;        // given by hand; else none
    CnConstraintId constraint;  // none: it is a contact
    CnJointId joint;            // that the constraint is a part of; else none
    CnChannelShare share;
} CnAttribution;

// The entries of the last step, in a fixed order: contacts and constraints as its parts posed them.
// Returns how many there are, -1 when step.attribution is off; at most capacity are written.
CN_API int cn_world_attribution(const CnWorld* world, CnAttribution* entries, int capacity);

#define CN_ALL_ISLANDS (-1)

// totals[channel] += the shares of the entries of one island, or of all of them.
CN_API void cn_attribution_sum(const CnAttribution* entries, int count, int island,
                               CnChannelShare totals[CN_CHANNEL_COUNT]);

// How far the totals of all entries of a step are from what its ledgers say of contacts, friction,
// constraints and drives together, and of internal and external momentum: the largest difference,
// relative to the scale of its ledger. Round-off unless something acted unseen.
CN_API double cn_attribution_error(const CnChannelShare totals[CN_CHANNEL_COUNT],
                                   const CnStepReport* report);
