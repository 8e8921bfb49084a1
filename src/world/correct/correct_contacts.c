// correct_contacts.c - contacts that a correction knows of from other poses than the present ones.
#include "world/correct/correct_contacts.h"

void cn_correction_keep_posed(CnWorld* world) {
    CnContactArray posed = world->correction.posed;
    world->correction.posed = world->correction.contacts;
    world->correction.contacts = posed;
}

// Where a point that is fixed to a body comes when the body moves.
static CnVec3 carry_point(CnVec3 point, int body, const CnBodyState* from, const CnBodyState* to) {
    if (body < 0) {
        return point;
    }
    CnVec3 own = cn_quat_unrotate(from[body].rotation, cn_vec3_sub(point, from[body].center));
    return cn_vec3_add(to[body].center, cn_quat_rotate(to[body].rotation, own));
}

// The same two points of the surfaces at other poses; the normal stays, to first order.
static void carry(CnContact* contact, const CnBodyState* from, const CnBodyState* to) {
    CnVec3 a = carry_point(contact->point, contact->body_a, from, to);
    CnVec3 b = carry_point(contact->point, contact->body_b, from, to);
    contact->gap += cn_vec3_dot(contact->normal, cn_vec3_sub(b, a));
    contact->point = cn_vec3_scale(0.5, cn_vec3_add(a, b));
}

static bool is_near(const CnContact* a, const CnContact* b, double distance) {
    return a->body_a == b->body_a && a->body_b == b->body_b && a->shape_a == b->shape_a &&
           a->shape_b == b->shape_b && a->given == b->given &&
           cn_vec3_length(cn_vec3_sub(a->point, b->point)) <= distance;
}

static bool is_known(const CnWorld* world, const CnContactArray* contacts,
                     const CnContact* contact) {
    for (int i = 0; i < contacts->count; ++i) {
        if (is_near(&contacts->data[i], contact, world->def.step.contact_margin)) {
            return true;
        }
    }
    return false;
}

static bool is_in(const int* group, int wanted, const CnContact* contact) {
    return (contact->body_a >= 0 && group[contact->body_a] == wanted) ||
           (contact->body_b >= 0 && group[contact->body_b] == wanted);
}

CnStatus cn_correction_learn(CnWorld* world, const int* group, int wanted, double tolerance,
                             const CnBodyState* trial, const CnBodyState* states, int* count) {
    const CnContactArray* found = &world->correction.contacts;
    CnContactArray* learned = &world->correction.learned;
    *count = 0;
    for (int i = 0; i < found->count; ++i) {
        CnContact contact = found->data[i];
        if (contact.gap >= -tolerance || !is_in(group, wanted, &contact) ||
            cn_contact_is_bouncing(world, &contact, trial)) {
            continue;
        }
        carry(&contact, trial, states);
        if (!is_known(world, &world->correction.posed, &contact) &&
            !is_known(world, learned, &contact)) {
            if (!cn_array_push(learned, &world->allocator, contact)) {
                return CN_NO_MEMORY;
            }
            ++*count;
        }
    }
    return CN_OK;
}

// One contact of another pose; those that are wide open say nothing.
static CnStatus follow(CnWorld* world, CnContact contact, const CnBodyState* from,
                       const CnBodyState* to, CnContactArray* kept) {
    carry(&contact, from, to);
    if (contact.gap > world->def.step.contact_margin ||
        is_known(world, &world->correction.contacts, &contact)) {
        return CN_OK;
    }
    return cn_array_push(kept, &world->allocator, contact) ? CN_OK : CN_NO_MEMORY;
}

static bool is_needed(const CnErrorGroups* groups, double tolerance, const CnContact* contact) {
    int a = contact->body_a < 0 ? -1 : groups->group[contact->body_a];
    int b = contact->body_b < 0 ? -1 : groups->group[contact->body_b];
    return (a >= 0 && groups->pending[a] > tolerance) || (b >= 0 && groups->pending[b] > tolerance);
}

CnStatus cn_correction_follow(CnWorld* world, const CnErrorGroups* groups, double tolerance,
                              const CnBodyState* from, const CnBodyState* to) {
    CnContactArray* learned = &world->correction.learned;
    const CnContactArray* posed = &world->correction.posed;
    CnContactArray kept = *learned; // in place: it never gets ahead of what is read
    CnStatus status = CN_OK;
    int count = learned->count;
    kept.count = 0;
    for (int i = 0; status == CN_OK && i < count; ++i) {
        if (is_needed(groups, tolerance, &learned->data[i])) {
            status = follow(world, learned->data[i], from, to, &kept);
        }
    }
    for (int i = 0; status == CN_OK && i < posed->count; ++i) {
        if (posed->data[i].gap < 0.0 && is_needed(groups, tolerance, &posed->data[i])) {
            status = follow(world, posed->data[i], from, to, &kept);
        }
    }
    *learned = kept;
    return status;
}
