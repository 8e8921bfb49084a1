// contact_hooks.c - what the user's functions say about contacts: CnWorldDef.contact_hooks.
#include "world/contacts/contact_hooks.h"

#include "world/contacts/contact_friction.h"
#include "world/contacts/contact_totals.h"
#include "world/contacts/contacts.h"

void cn_contact_hooks_begin(CnWorld* world) {
    if (world->def.contact_hooks.filter != NULL) {
        cn_map_clear(&world->contact_answers);
    }
}

static CnVec3 point_velocity(const CnWorld* world, int body, CnVec3 point) {
    if (body < 0) {
        return cn_vec3(0.0, 0.0, 0.0);
    }
    const CnBodyState* state = &world->bodies.data[body].state;
    CnVec3 arm = cn_vec3_sub(point, state->center);
    return cn_vec3_add(state->velocity, cn_vec3_cross(state->angular_velocity, arm));
}

static CnContactPoint describe(const CnWorld* world, const CnContact* contact) {
    CnContactPoint point = cn_contact_describe(world, contact);
    point.velocity = cn_vec3_sub(point_velocity(world, contact->body_b, contact->point),
                                 point_velocity(world, contact->body_a, contact->point));
    return point;
}

// The same whichever of the two shapes is A.
static uint64_t pair_of(const CnWorld* world, const CnContact* contact) {
    if (contact->given >= 0) {
        return cn_contact_key(world, contact);
    }
    uint64_t a = cn_world_shape_key(world, contact->shape_a);
    uint64_t b = cn_world_shape_key(world, contact->shape_b);
    return cn_hash_mix(cn_hash_mix(CN_HASH_SEED, a < b ? a : b), a < b ? b : a);
}

bool cn_contact_hooks_admit(CnWorld* world, const CnContact* nearest) {
    const CnContactHooks* hooks = &world->def.contact_hooks;
    if (hooks->filter == NULL) {
        return true;
    }
    uint64_t pair = pair_of(world, nearest);
    int known = world->stepping ? cn_map_get(&world->contact_answers, pair) : -1;
    if (known >= 0) {
        return known > 0;
    }
    CnContactPoint point = describe(world, nearest);
    bool admitted = hooks->filter(world, &point, hooks->data);
    if (world->stepping) {
        cn_map_set(&world->contact_answers, pair, admitted); // no memory: it is asked again
    }
    return admitted;
}

bool cn_contact_hooks_admit_record(CnWorld* world, int record, const CnBodyState* states) {
    CnContact nearest = {.gap = HUGE_VAL};
    if (world->def.contact_hooks.filter == NULL) {
        return true;
    }
    for (int m = world->pairs.records.data[record].manifold; m >= 0;
         m = cn_manifold_at(&world->pairs, m)->next) {
        const CnManifold* manifold = cn_manifold_at(&world->pairs, m);
        for (int i = 0; i < manifold->count; ++i) {
            if (manifold->points[i].gap < nearest.gap) {
                nearest = cn_manifold_contact(world, manifold, states);
                cn_contact_set_point(&nearest, manifold, i, NULL);
            }
        }
    }
    return cn_contact_hooks_admit(world, &nearest);
}

static double within(double value, double low, double high, double otherwise) {
    return isfinite(value) ? fmax(low, fmin(high, value)) : otherwise;
}

void cn_contact_hooks_set_material(const CnWorld* world, CnContact* contact) {
    const CnContactHooks* hooks = &world->def.contact_hooks;
    if (hooks->material == NULL) {
        return;
    }
    CnContactMaterial material = {contact->friction, contact->restitution,
                                  cn_contact_surface_velocity(contact)};
    CnContactPoint point = describe(world, contact);
    hooks->material(world, &point, &material, hooks->data);
    contact->friction = within(material.friction, 0.0, HUGE_VAL, contact->friction);
    contact->restitution = within(material.restitution, 0.0, 1.0, contact->restitution);
    if (cn_vec3_is_finite(material.surface_velocity)) {
        contact->surface_velocity_a = cn_vec3(0.0, 0.0, 0.0);
        contact->surface_velocity_b = material.surface_velocity;
    }
}

static bool is_same_pair(const CnContact* a, const CnContact* b) {
    return a->record == b->record;
}

// The end of the run of contacts of one pair; *nearest is the one with the least gap.
static int end_of_pair(const CnContactArray* contacts, int begin, int* nearest) {
    int end = begin + 1;
    *nearest = begin;
    for (; end < contacts->count && is_same_pair(&contacts->data[begin], &contacts->data[end]);
         ++end) {
        *nearest = contacts->data[end].gap < contacts->data[*nearest].gap ? end : *nearest;
    }
    return end;
}

void cn_contact_hooks_apply(CnWorld* world, CnContactArray* contacts) {
    const CnContactHooks* hooks = &world->def.contact_hooks;
    int kept = 0, nearest;
    if (hooks->filter == NULL) {
        return;
    }
    for (int begin = 0, end; begin < contacts->count; begin = end) {
        end = end_of_pair(contacts, begin, &nearest);
        if (!cn_contact_hooks_admit(world, &contacts->data[nearest])) {
            continue;
        }
        for (int i = begin; i < end; ++i) {
            contacts->data[kept++] = contacts->data[i];
        }
    }
    contacts->count = kept;
}
