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
    if (m < 0 || world->pairs.manifolds.data[m].is_listed) {
        return;
    }
    record->end_gap = HUGE_VAL;
    for (; m >= 0; m = world->pairs.manifolds.data[m].next) {
        const CnManifold* manifold = &world->pairs.manifolds.data[m];
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

// The least gap of a record that has lanes.
static void note_gap(CnWorld* world, int index) {
    const CnSoftStore* soft = world->soft;
    double least = HUGE_VAL;
    bool has_lane = false;
    for (int m = world->pairs.records.data[index].manifold; m >= 0;
         m = world->pairs.manifolds.data[m].next) {
        CnSoftLanes lanes = cn_soft_lanes_of(world, m);
        for (int i = lanes.first; i < lanes.first + lanes.count && i < soft->lane.count; ++i) {
            int lane = soft->lane.data[i];
            const CnSoftTile* tile = &soft->tiles.data[lane < 0 ? 0 : lane / CN_SOFT_LANES];
            int points = lane < 0 ? 0 : cn_soft_points_of(world, lane).count;
            has_lane = has_lane || lane >= 0;
            for (int k = 0; k < points; ++k) {
                double gap = (double)tile->separation[k][lane % CN_SOFT_LANES];
                least = gap < least ? gap : least;
            }
        }
    }
    if (has_lane) {
        world->pairs.records.data[index].end_gap = least;
    }
}

typedef struct GapNoting {
    CnWorld* world;
    CnIndexList pairs;
    CnSoftKnown known;
} GapNoting;

// Of pairs that events look at.
static void note_gaps_range(int begin, int end, int worker, void* data) {
    const GapNoting* noting = data;
    const CnPairSet* set = &noting->world->broad_phase.set;
    const uint8_t* bits = noting->known.bits;
    (void)worker;
    for (int i = begin; i < end; ++i) {
        int index = set->records.data[cn_index_at(&noting->pairs, i)];
        if (bits == NULL || (bits[index] & CN_KNOWN_CALM) == 0) {
            cn_search_fetch(noting->world, &noting->pairs, i, bits, CN_KNOWN_CALM);
            note_gap(noting->world, index);
        }
    }
}

void cn_soft_note_gaps(CnWorld* world) {
    GapNoting noting = {world, cn_active_pairs(world), cn_soft_known(world)};
    if (!world->soft->has_far_gaps) {
        forget_far_gaps(world);
    }
    cn_tasks_for(&world->def.tasks, noting.pairs.count, CN_PAIRS_PER_TASK, note_gaps_range,
                 &noting);
    for (int i = 0; i < cn_pool_slot_count(&world->given_contacts); ++i) {
        const CnGivenContact* given = cn_pool_at(&world->given_contacts, i);
        if (given != NULL) {
            note_gap(world, given->record);
        }
    }
    if (world->def.contact_hooks.filter != NULL) {
        note_refused_gaps(world);
    }
}
