// encounters.c - which shapes met in a substep, in the order of their keys.
#include "world/events/encounters.h"

#include "base/sort.h"
#include "world/contacts/contacts.h"

int cn_touch_compare(const uint64_t a[2], const uint64_t b[2]) {
    if (a[0] != b[0]) {
        return a[0] < b[0] ? -1 : 1;
    }
    return a[1] < b[1] ? -1 : a[1] > b[1];
}

static CnBodyId id_at(const CnWorld* world, int index) {
    return index < 0 ? (CnBodyId){0} : world->order.data[index];
}

static CnTouch touch_of(const CnWorld* world, const CnContact* contact) {
    CnTouch touch = {
        .body_a = id_at(world, contact->body_a),
        .body_b = id_at(world, contact->body_b),
        .shape_a = -1,
        .shape_b = -1,
    };
    if (contact->given >= 0) {
        CnPoolId id = cn_pool_id_at(&world->given_contacts, contact->given);
        touch.contact = (CnContactId){id.index, id.generation};
        touch.key[0] = id.index;
        touch.key[1] = id.generation;
    } else {
        touch.key[0] = cn_world_shape_key(world, contact->shape_a);
        touch.key[1] = cn_world_shape_key(world, contact->shape_b);
        touch.shape_a = cn_world_shape_at(world, contact->shape_a)->number;
        touch.shape_b = cn_world_shape_at(world, contact->shape_b)->number;
    }
    return touch;
}

static bool is_same_pair(const CnContact* a, const CnContact* b) {
    return a->body_a == b->body_a && a->body_b == b->body_b && a->shape_a == b->shape_a &&
           a->shape_b == b->shape_b && a->given == b->given;
}

static void deepen(CnEncounter* encounter, const CnContact* contact) {
    if (contact->gap < encounter->gap) {
        encounter->gap = contact->gap;
        encounter->point = contact->point;
        encounter->normal = contact->normal;
    }
}

// How the points of a pair took part in the solve.
static void add_solved(const CnWorld* world, CnContactStream* stream, CnEncounter* encounter) {
    const CnRows* rows = &world->step.rows;
    const CnContact* first = &stream->contacts->data[stream->next];
    for (; stream->next < stream->end; ++stream->next) {
        const CnContact* contact = &stream->contacts->data[stream->next];
        if (!is_same_pair(contact, first)) {
            break;
        }
        deepen(encounter, contact);
        double impulse =
            contact->block < 0 ? 0.0 : rows->impulse[rows->blocks.data[contact->block].first_row];
        if (impulse > 0.0) {
            encounter->is_touching = true;
            encounter->impulse += impulse;
            encounter->speed = fmax(encounter->speed, -contact->approach);
        }
    }
    encounter->touch.is_hit = encounter->speed > world->def.step.hit_speed;
}

// How near the points of a pair are in the end. Where the solve saw them is where they met.
static void add_last(CnContactStream* stream, CnEncounter* encounter, bool is_solved) {
    const CnContact* first = &stream->contacts->data[stream->next];
    for (; stream->next < stream->end; ++stream->next) {
        const CnContact* contact = &stream->contacts->data[stream->next];
        if (!is_same_pair(contact, first)) {
            break;
        }
        encounter->is_touching |= contact->gap <= 0.0;
        if (!is_solved) {
            deepen(encounter, contact);
        }
    }
}

// Pairs of the solve that neither act nor are near in the end have not met.
bool cn_encounter_next_contact(CnEncounterSource* source, CnEncounter* encounter) {
    const CnWorld* world = source->world;
    CnContactStream *solved = &source->solved, *last = &source->last;
    while (solved->next < solved->end || last->next < last->end) {
        CnTouch from_solve = {.key = {UINT64_MAX, UINT64_MAX}}, from_last = from_solve;
        if (solved->next < solved->end) {
            from_solve = touch_of(world, &solved->contacts->data[solved->next]);
        }
        if (last->next < last->end) {
            from_last = touch_of(world, &last->contacts->data[last->next]);
        }
        int side = cn_touch_compare(from_solve.key, from_last.key);
        *encounter = (CnEncounter){.touch = side <= 0 ? from_solve : from_last, .gap = INFINITY};
        if (side <= 0) {
            add_solved(world, solved, encounter);
        }
        if (side >= 0) {
            add_last(last, encounter, side == 0);
        }
        if (side >= 0 || encounter->is_touching) {
            return true;
        }
    }
    return false;
}

bool cn_encounter_next_overlap(CnEncounterSource* source, CnEncounter* encounter) {
    if (source->next_overlap == source->overlaps->count) {
        return false;
    }
    *encounter = (CnEncounter){
        .touch = source->overlaps->data[source->next_overlap++],
        .is_touching = true,
    };
    return true;
}

static bool comes_first(int a, int b, const void* context) {
    const CnTouchArray* touches = context;
    return cn_touch_compare(touches->data[a].key, touches->data[b].key) < 0;
}

// Overlaps come in the order of pairs; a sensor that is the later shape of a pair spoils theirs.
static CnStatus sort_overlaps(CnWorld* world, CnTouchArray* overlaps) {
    CnArenaMark mark = cn_arena_mark(&world->arena);
    int count = overlaps->count;
    int* order = CN_ARENA_NEW(&world->arena, int, count);
    CnTouch* copy = CN_ARENA_NEW(&world->arena, CnTouch, count);
    CnStatus status = CN_NO_MEMORY;
    if (order != NULL && copy != NULL) {
        for (int i = 0; i < count; ++i) {
            order[i] = i;
            copy[i] = overlaps->data[i];
        }
        cn_sort(order, count, comes_first, overlaps);
        for (int i = 0; i < count; ++i) {
            overlaps->data[i] = copy[order[i]];
        }
        status = CN_OK;
    }
    cn_arena_release(&world->arena, mark);
    return status;
}

CnStatus cn_encounter_find_overlaps(CnWorld* world, CnTouchArray* overlaps) {
    CnArenaMark mark = cn_arena_mark(&world->arena);
    CnBodyState* states = CN_ARENA_NEW(&world->arena, CnBodyState, world->order.count);
    CnStatus status = CN_NO_MEMORY;
    if (states != NULL) {
        for (int i = 0; i < world->order.count; ++i) {
            states[i] = cn_world_body_by_index(world, i)->state;
        }
        status = cn_world_collect_overlaps(world, states, overlaps);
    }
    if (status == CN_OK) {
        status = sort_overlaps(world, overlaps);
    }
    cn_arena_release(&world->arena, mark);
    return status;
}
