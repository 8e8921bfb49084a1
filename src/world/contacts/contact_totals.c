// contact_totals.c - what each contact point did over all parts of a step.
#include "world/contacts/contact_totals.h"

#include "world/contacts/contact_friction.h"

void cn_contact_totals_begin(CnContactTotals* totals) {
    totals->points.count = 0;
    totals->has_places = false;
}

static CnBodyId id_at(const CnWorld* world, int index) {
    return index < 0 ? (CnBodyId){0} : world->order.data[index];
}

CnContactPoint cn_contact_describe(const CnWorld* world, const CnContact* contact) {
    return (CnContactPoint){
        .body_a = id_at(world, contact->body_a),
        .body_b = id_at(world, contact->body_b),
        .point = contact->point,
        .normal = contact->normal,
        .gap = contact->gap,
        .friction = contact->friction,
        .restitution = contact->restitution,
        .surface_velocity = contact->surface_velocity,
        .key = contact->key,
    };
}

// Most steps have one part, whose contacts need not be found again.
static bool find_places(CnContactTotals* totals) {
    cn_map_clear(&totals->places);
    for (int i = 0; i < totals->points.count; ++i) {
        if (!cn_map_set(&totals->places, totals->points.data[i].key, i)) {
            return false;
        }
    }
    totals->has_places = true;
    return true;
}

static CnContactPoint describe_part(const CnWorld* world, const CnContact* contact) {
    const CnRows* rows = &world->step.rows;
    CnContactPoint point = cn_contact_describe(world, contact);
    if (contact->block >= 0) {
        const CnBlock* block = &rows->blocks.data[contact->block];
        cn_contact_impulse(contact, block, rows->impulse + block->first_row, &point.impulse,
                           &point.moment);
    }
    return point;
}

static bool add_part(CnWorld* world, const CnContact* contact) {
    CnContactTotals* totals = &world->contact_totals;
    CnContactPoint point = describe_part(world, contact);
    int place = totals->has_places ? cn_map_get(&totals->places, contact->key) : -1;
    if (place >= 0) {
        CnContactPoint* total = &totals->points.data[place];
        point.impulse = cn_vec3_add(total->impulse, point.impulse);
        point.moment = cn_vec3_add(total->moment, point.moment);
        *total = point;
        return true;
    }
    return cn_array_push(&totals->points, &world->allocator, point) &&
           (!totals->has_places ||
            cn_map_set(&totals->places, contact->key, totals->points.count - 1));
}

CnStatus cn_contact_totals_add(CnWorld* world) {
    CnContactTotals* totals = &world->contact_totals;
    const CnContactArray* contacts = &world->step.contacts;
    if (totals->points.count > 0 && !totals->has_places && !find_places(totals)) {
        return CN_NO_MEMORY;
    }
    for (int i = 0; i < contacts->count; ++i) {
        if (!add_part(world, &contacts->data[i])) {
            return CN_NO_MEMORY;
        }
    }
    return CN_OK;
}

void cn_contact_totals_free(CnContactTotals* totals, const CnAllocator* allocator) {
    cn_array_free(&totals->points, allocator);
    cn_map_destroy(&totals->places);
}
