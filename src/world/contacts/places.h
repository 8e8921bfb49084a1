// places.h - where bodies and their shapes are as contacts are searched for.
//
// A body that has moved by less than CnStepDef.recycling_distance since it was last placed counts
// as still: its place keeps its epoch, and manifolds found in the same two epochs are used again.
#pragma once

#include "cairn/body.h"
#include "collision/broad/bounds.h"
#include "collision/narrow_phase.h"

// Where a body was placed last.
typedef struct CnPlace {
    CnTransform pose; // of the centre of mass
    uint32_t epoch;   // how often it has been placed; 0: never
    uint32_t ahead;   // counts how often `reach` has changed, where there is time to look ahead
    double reach;     // of its shapes, when `ahead` was counted last [m]
} CnPlace;

// Scheme soft_step: what else is known of it there.
typedef struct CnSoftPlace {
    double arm;   // farthest point of its shapes from its centre [m]
    double still; // what it may move by and count as still [m]; negative: the body has changed and
                  // is placed anew
} CnSoftPlace;

// Where it is in the step under way, seen from its place: found anew by every step that reads it,
// so that nothing of it is saved. Scheme soft_step has none.
typedef struct CnPlaceDrift {
    CnVec3 moved;  // how far its centre is from its place, at most recycling_distance [m]
    CnVec3 turned; // and how far it has turned since, world axes [rad]
    double travel; // how far its centre comes in the time looked ahead [m]
    double turn;   // and how far it turns [rad]
} CnPlaceDrift;

// A shape where its body was placed last, as the narrow phase takes it.
typedef struct CnShapePlace {
    // What the choice of pairs to look at reads comes first.
    CnBounds bounds; // with half the contact margin, and what the body can travel
    double ahead;    // how far its points come in the time looked ahead, unless it is wide [m]
    double reach;    // that the bounds allow for [m]
    uint32_t epoch;  // of the body's place; 0: never placed
    bool is_wide;    // a plane or a surface: how far its points come depends on where one looks
    bool turns_far;  // the body turns by more than a radian in that time
    CnPlacedShape placed;
    CnPlacedPolyhedron polyhedron;
} CnShapePlace;

// After 2^32 moves epochs begin again, without the 0 that says never. A record is compared with the
// places of its bodies in every step in which one of them moves, so that it never is a whole round
// behind.
static inline uint32_t cn_place_next_epoch(uint32_t epoch) {
    return epoch == UINT32_MAX ? 1 : epoch + 1;
}

typedef CN_ARRAY(CnPlace) CnPlaceArray;         // by body
typedef CN_ARRAY(CnSoftPlace) CnSoftPlaceArray; // by body; empty: scheme soft_step has placed none
typedef CN_ARRAY(CnPlaceDrift) CnPlaceDriftArray; // by body; empty: none has come from its place
typedef CN_ARRAY(CnShapePlace) CnShapePlaceArray; // by slot of the shape

struct CnWorld;

// Places all bodies that are not still at the given poses (static ones too, if something moved
// them), looking ahead by the time dt along their velocities (0: not at all, at the end of a step),
// and finds the pairs of those that leave their fat boxes. Bodies without pairs that are within
// their fat boxes keep their place: nothing can touch them. Scheme soft_step: all are placed;
// states may be NULL, the present ones. CN_OK or CN_NO_MEMORY.
CnStatus cn_places_update(struct CnWorld* world, const CnBodyState* states, double dt);

// Contacts of all pairs are to be found anew: what was found so far is of a step that was undone,
// or made by another scheme.
void cn_places_search_again(struct CnWorld* world);

// Of a body that has none: it stays where it was placed.
CnPlaceDrift cn_places_drift(const struct CnWorld* world, int body);

// How far a placed shape comes, from the place of its body: a part of placing.
void cn_places_note_ahead(struct CnWorld* world, int shape);

// Whether a body was placed last so near to where a state has it that its bounds still hold it.
bool cn_places_hold(const struct CnWorld* world, int body, const CnBodyState* state);

// The same right after cn_places_update() for the states `before`, by which bodies without pairs
// may have stayed where they were placed: they have moved on by little.
bool cn_places_hold_on(const struct CnWorld* world, int body, const CnBodyState* before,
                       const CnBodyState* after);

// The body counts as moved, whatever its pose: its shapes, its mass or its type changed.
void cn_places_disturb(struct CnWorld* world, int body);

// How near two shapes must come to be looked at [m], and whether a contact point of theirs can
// close in the time that was looked ahead.
double cn_places_margin(const struct CnWorld* world, const int shape[2], const int body[2]);

// Whether steps are cut where two shapes meet: one of their bodies is fast.
bool cn_places_are_cut(const struct CnWorld* world, int shape_a, int shape_b);

bool cn_places_can_close(const struct CnWorld* world, int shape_a, int shape_b,
                         const CnManifoldPoint* point);
