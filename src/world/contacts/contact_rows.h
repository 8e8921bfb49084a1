// contact_rows.h - what contacts ask of the velocities of a step: tiles, and explicit blocks.
#pragma once

#include "world/step/rows.h"

// The tiles of all manifolds of the step, with the impulses of the last solve as their guess, and
// explicit blocks for contacts with torsion or rolling. docs/theory/moreau.md (6)-(9). Tiles of
// manifolds that have not moved stay as they are.
CnStatus cn_world_add_contact_rows(CnWorld* world, const CnPosing* posing);

// The tile of one manifold of the step anew, or its explicit blocks. CN_NO_MEMORY or CN_OK.
void cn_world_build_tile(CnWorld* world, const CnPosing* posing, int manifold);
CnStatus cn_world_add_wide_blocks(CnWorld* world, const CnPosing* posing, int manifold);

// plain_tile.c: tiles of contacts that have friction and restitution, and nothing else to them.
// Whether contacts of a step may be of this kind: its scheme poses them at velocities, and no
// setting asks for more than the last impulses as a guess.
bool cn_plain_tiles_suit(const CnWorld* world, const CnPosing* posing);

// cn_world_build_tile() of such a manifold, to the same bits once it is prepared. False: its
// contacts are not of this kind.
bool cn_plain_tile_build(CnWorld* world, const CnPosing* posing, int manifold);

// W of all tiles anew: masses have changed since they were built.
void cn_world_prepare_tiles(CnWorld* world);

// Where the block of a contact point comes from.
CnBlockSource cn_manifold_source(const CnWorld* world, int manifold, int point);

// Rows for one contact without targets, at the given states: the normal, and with friction its
// rows. NULL when memory runs out.
CnBlock* cn_world_pose_contact(const CnWorld* world, CnBlockSource source, const CnContact* contact,
                               const CnBodyState* states, bool with_friction, CnRows* rows);

// Rate of the gap at the given states [m/s]; negative when closing.
double cn_contact_normal_velocity(const CnContact* contact, const CnBodyState* states);
