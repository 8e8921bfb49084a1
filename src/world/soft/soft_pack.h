// soft_pack.h - scheme soft_step: between the stores of the world and rows and tiles of floats.
//
// Contact points keep the impulses of one substep in the frame of their manifold, as floats:
// cn_pair_store_impulse() has the point's own normal impulse in x; friction in y and z and the
// moment about the normal in `twist` of the manifold's tile, those of the whole manifold, at its
// first point; moments of rolling in the extras. So a tile that is loaded again has the same bits.
// What contacts did in the whole step is told by cn_pair_store_total(). While a manifold has a lane
// these numbers are in its tile.
#pragma once

#include "world/bodies/force.h"
#include "world/contacts/manifolds.h"
#include "world/soft/soft_store.h"

// The frame of a manifold: the tangent of more friction first.
typedef struct CnSoftFrame {
    CnVec3 normal, tangent[2];
    double friction, across; // along the first tangent; of the second, relative to that
} CnSoftFrame;
CnSoftFrame cn_soft_frame(const CnContact* contact);
void cn_soft_set_directions(CnContactTile* tile, const CnSoftFrame* frame); // which has rows

// The contact of a manifold with what the user's hook says of its first point.
CnContact cn_soft_contact(const CnWorld* world, int manifold);

// The gap of a point where bodies are now [m].
double cn_soft_gap_now(const CnWorld* world, const CnContact* contact);

// A manifold that was found anew gets the bodies that islands look at.
void cn_soft_pose_manifold(CnWorld* world, int manifold);

// The fresh lanes of a tile, from their manifolds; it is to be prepared then. ratio: of the
// impulses kept that are used. end: of the slots that this worker has; what the tile behind this
// one will need is fetched if it is before the end.
void cn_soft_load_tile(const CnWorld* world, int slot, int end, double ratio);

// Tiles have done nothing in this step.
void cn_soft_clear_totals(CnSoftTiles tiles);

// After a tile of single points was prepared: friction rows of a point share one step, so that what
// slides is slowed against its motion.
void cn_soft_use_one_step(CnSoftTile* tile);

// A manifold that was dropped, or found anew since, has none of the impulses of its lane.
bool cn_soft_has_lane(const CnWorld* world, int manifold);

// Impulses of a manifold of a store without rows, from its lane or where it has none from the
// store.
CnFrameImpulses cn_soft_impulses(const CnWorld* world, int manifold);

// Room for the impulses of all lanes beside their manifolds, before any lane is flushed: in a world
// whose contacts stay in their lanes nobody needs it. False: no memory.
bool cn_soft_reserve_flush(CnWorld* world);

// Impulses from tiles to manifolds, where they are not there yet; of one lane, one record, or all.
void cn_soft_flush_lane(CnWorld* world, int place);
void cn_soft_flush_record(CnWorld* world, int record);
void cn_soft_flush(CnWorld* world);
void cn_soft_fetch_impulses(const CnWorld* world, int manifold); // prefetches them

// A step, or a part of it, opens: it has changed nothing yet that cn_soft_undo() takes back.
void cn_soft_open(CnWorld* world);

// Tiles have the impulses from before a step, or a part of it, that is not made.
void cn_soft_take_back(CnWorld* world);

// A step has failed: impulses are those from before it.
void cn_soft_undo(CnWorld* world);

// Normal impulse of a point over the last step [N s]. False: no tile has it, its manifold does.
bool cn_soft_point_push(const CnWorld* world, int manifold, int point, double* push);
