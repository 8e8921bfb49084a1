// contact_totals.h - what each contact point did over all parts of a step.
//
// A step is made of parts: substeps, and what cuts at impacts make of them. Where there may be more
// than one, each adds its contacts; a contact is found again in the next part by its key. Of a step
// with one part all is in its manifolds. docs/theory/moreau.md (22).
#pragma once

#include "world/world.h"

// A step begins: no contact has done anything.
void cn_contact_totals_begin(CnWorld* world);

// After a part that stands: its contacts and their impulses are added. Contacts of earlier parts
// that it does not have stay. CN_OK or CN_NO_MEMORY.
CnStatus cn_contact_totals_add(CnWorld* world);

// Points that are in no list of a body yet join those of theirs. CN_OK or CN_NO_MEMORY.
CnStatus cn_contact_totals_link(CnWorld* world);

void cn_contact_totals_free(CnContactTotals* totals, const CnAllocator* allocator);

// A contact as users see it, without what it did.
CnContactPoint cn_contact_describe(const CnWorld* world, const CnContact* contact);

// A point of a manifold of the last part of a step as users see it, with its impulse and moment.
CnContactPoint cn_manifold_describe(const CnWorld* world, int manifold, int point);

// What a recording keeps of a contact point: some of CnContactPoint, at a fraction of the time.
#define CN_LOAD_NUMBERS 12
enum {
    CN_LOAD_POINT = 0,
    CN_LOAD_NORMAL = 3,
    CN_LOAD_FORCE = 6,
    CN_LOAD_GAP = 9,
    CN_LOAD_FRICTION,
    CN_LOAD_RESIDUAL
};
typedef struct CnContactLoad {
    int32_t bodies[2];              // indices of A and B; -1: the immovable world
    float numbers[CN_LOAD_NUMBERS]; // point [m], normal, force on B in world axes [N], gap [m],
                                    // friction, residual [m/s]
} CnContactLoad;
CnContactLoad cn_contact_load(const CnWorld* world, const CnContactPoint* point, CnVec3 force);
// Of all points of a manifold of the last step, if it was one part.
void cn_manifold_loads(const CnWorld* world, int manifold, CnContactLoad* loads);

// All points of the manifold; its bodies and materials are looked up once.
void cn_manifold_describe_all(const CnWorld* world, int manifold,
                              CnContactPoint points[CN_TILE_POINTS]);

// The same of a manifold between sleepers: what the last part of their last step awake left.
CnContactPoint cn_manifold_describe_kept(const CnWorld* world, int manifold, int point);
