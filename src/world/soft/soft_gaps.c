// soft_gaps.c - scheme soft_step: gaps of pairs at the end of a step, for events.
#include "world/soft/soft_gaps.h"

#include "base/tasks.h"
#include "world/contacts/contacts.h"
#include "world/soft/soft_known.h"
#include "world/soft/soft_pack.h"

#include <math.h>

// Records without manifolds have no gap: after a step of another scheme that is to be written.
static void forget_far_gaps(CnWorld* world) {
    const CnPairSet* set = &world->broad_phase.set;
    CnIndexList pairs = cn_active_pairs(world);
    for (int i = 0; i < pairs.count; ++i) {
        world->pairs.records.data[set->records.data[cn_index_at(&pairs, i)]].end_gap = HUGE_VAL;
    }
    world->soft->has_far_gaps = true;
}

// A pair that the user's filter has refused has no lanes: its gap is that of its points.
static void note_refused_gap(CnWorld* world, int index) {
    CnPairRecord* record = &world->pairs.records.data[index];
    int m = record->manifold;
    if (m < 0 || cn_manifold_at(&world->pairs, m)->is_listed) {
        return;
    }
    record->end_gap = HUGE_VAL;
    for (; m >= 0; m = cn_manifold_at(&world->pairs, m)->next) {
        const CnManifold* manifold = cn_manifold_at(&world->pairs, m);
        CnContact contact = cn_manifold_contact(world, manifold, NULL);
        for (int i = 0; i < manifold->count; ++i) {
            cn_contact_set_point(&contact, manifold, i, NULL);
            record->end_gap = fmin(record->end_gap, cn_soft_gap_now(world, &contact));
        }
    }
}

static void note_refused_gaps(CnWorld* world) {
    const CnPairSet* set = &world->broad_phase.set;
    CnIndexList pairs = cn_active_pairs(world);
    for (int i = 0; i < pairs.count; ++i) {
        note_refused_gap(world, set->records.data[cn_index_at(&pairs, i)]);
    }
    for (int i = 0; i < cn_pool_slot_count(&world->given_contacts); ++i) {
        const CnGivenContact* given = cn_pool_at(&world->given_contacts, i);
        if (given != NULL) {
            note_refused_gap(world, given->record);
        }
    }
}

typedef struct GapNoting {
    CnWorld* world;
    CnSoftKnown known;
    bool* has_others; // a lane of the slot is not the only one of its pair   [slots]
} GapNoting;

// Whether events look at the pair of a lane.
static bool may_tell(const GapNoting* noting, int lane) {
    const CnSoftStore* soft = noting->world->soft;
    const uint8_t* bits = noting->known.bits;
    return soft->manifold.data[lane] >= 0 &&
           (bits == NULL || (bits[soft->record.data[lane]] & CN_KNOWN_CALM) == 0);
}

// Whether the pair of a lane has no other lane.
static bool is_alone(const GapNoting* noting, int lane) {
    const CnSoftStore* soft = noting->world->soft;
    int record = soft->record.data[lane];
    return noting->known.bits != NULL && !soft->is_per_point &&
           (noting->known.bits[record] & CN_KNOWN_LIST) != 0 &&
           noting->known.only[record] == soft->manifold.data[lane];
}

// The least of the points that its lane has; the manifold, far away in memory, is not read.
static double gap_of(const CnWorld* world, int place) {
    const CnSoftTile* tile = cn_soft_tile_of(world->soft, place);
    int lane = place % CN_SOFT_LANES;
    double least = HUGE_VAL;
    for (int k = 0; k < CN_SOFT_POINTS && (tile->exists[k] >> lane & 1) != 0; ++k) {
        double gap = (double)tile->point[k].separation[lane];
        least = gap < least ? gap : least;
    }
    return least;
}

// Tile by tile, as they lie in memory; a record belongs to one worker only if it has one lane.
static void note_alone_range(int begin, int end, int worker, void* data) {
    const GapNoting* noting = data;
    const CnWorld* world = noting->world;
    (void)worker;
    for (int slot = begin; slot < end; ++slot) {
        noting->has_others[slot] = false;
        for (int i = CN_SOFT_LANES * slot; i < CN_SOFT_LANES * (slot + 1); ++i) {
            if (!may_tell(noting, i)) {
                continue;
            }
            if (is_alone(noting, i)) {
                world->pairs.records.data[world->soft->record.data[i]].end_gap = gap_of(world, i);
            } else {
                noting->has_others[slot] = true;
            }
        }
    }
}

// The others of a slot: first no gap, then the least of each record. There are few, if any.
static void note_others(const GapNoting* noting, int slot, bool is_first) {
    const CnSoftStore* soft = noting->world->soft;
    for (int i = CN_SOFT_LANES * slot; i < CN_SOFT_LANES * (slot + 1); ++i) {
        if (may_tell(noting, i) && !is_alone(noting, i)) {
            double* least = &noting->world->pairs.records.data[soft->record.data[i]].end_gap;
            *least = is_first ? HUGE_VAL : fmin(*least, gap_of(noting->world, i));
        }
    }
}

#define SLOTS_PER_TASK 64

CnStatus cn_soft_note_gaps(CnWorld* world) {
    int slots = world->soft->slots.count;
    CnArenaMark mark = cn_arena_mark(&world->arena);
    GapNoting noting = {world, cn_soft_known(world), CN_ARENA_RAW(&world->arena, bool, slots)};
    if (noting.has_others == NULL) {
        return CN_NO_MEMORY;
    }
    if (!world->soft->has_far_gaps) {
        forget_far_gaps(world);
    }
    cn_tasks_for(&world->def.tasks, slots, SLOTS_PER_TASK, note_alone_range, &noting);
    for (int pass = 0; pass < 2; ++pass) {
        for (int slot = 0; slot < slots; ++slot) {
            if (noting.has_others[slot]) {
                note_others(&noting, slot, pass == 0);
            }
        }
    }
    cn_arena_release(&world->arena, mark);
    if (world->def.contact_hooks.filter != NULL) {
        note_refused_gaps(world);
    }
    return CN_OK;
}
