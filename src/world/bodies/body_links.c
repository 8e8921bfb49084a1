// body_links.c - which forces, contacts, constraints, joints and separations a body has.
#include "world/bodies/body_links.h"

// Links have numbers from 1, two for each slot; 0 is none.
static int number_of(int slot, int side) {
    return 2 * slot + side + 1;
}

static CnLink* link_at(CnWorld* world, CnLinkKind kind, int number) {
    return &world->links[kind].data[number - 1];
}

bool cn_world_link(CnWorld* world, CnLinkKind kind, int slot, CnBodyId a, CnBodyId b) {
    const CnBodyId sides[2] = {a, b};
    int count = number_of(slot, 1);
    if (!cn_array_reserve(&world->links[kind], &world->allocator, count)) {
        return false;
    }
    if (world->links[kind].count < count) {
        world->links[kind].count = count;
    }
    for (int side = 0; side < 2; ++side) {
        int index = cn_world_body_index(world, sides[side]);
        if (index < 0) {
            continue;
        }
        CnBodyDetails* body = &world->details.data[index];
        int number = number_of(slot, side), next = body->first_link[kind];
        *link_at(world, kind, number) = (CnLink){.next = next};
        if (next != 0) {
            link_at(world, kind, next)->previous = number;
        }
        body->first_link[kind] = number;
    }
    return true;
}

void cn_world_unlink(CnWorld* world, CnLinkKind kind, int slot, CnBodyId a, CnBodyId b) {
    const CnBodyId sides[2] = {a, b};
    for (int side = 0; side < 2; ++side) {
        int index = cn_world_body_index(world, sides[side]);
        if (index < 0) {
            continue;
        }
        CnBodyDetails* body = &world->details.data[index];
        CnLink link = *link_at(world, kind, number_of(slot, side));
        if (link.previous != 0) {
            link_at(world, kind, link.previous)->next = link.next;
        } else {
            body->first_link[kind] = link.next;
        }
        if (link.next != 0) {
            link_at(world, kind, link.next)->previous = link.previous;
        }
    }
}

int cn_body_last_linked(const CnBodyDetails* body, CnLinkKind kind) {
    int number = body->first_link[kind];
    return number == 0 ? -1 : cn_link_slot(number);
}

int cn_body_first_link(const CnWorld* world, int body, CnLinkKind kind) {
    return world->details.data[body].first_link[kind];
}

int cn_link_next(const CnWorld* world, CnLinkKind kind, int link) {
    return world->links[kind].data[link - 1].next;
}

int cn_link_slot(int link) {
    return (link - 1) / 2;
}
