// soft_look.c - scheme soft_step: where shapes may come in a step, in a few numbers.
#include "world/soft/soft_look.h"

#include "world/world.h"

// Some ten units in the last place of all that a look is made of, which is more than a comparison
// of two looks rounds off.
#define ROUNDED_OFF 1e-6

static const CnSoftLook nothing_known = {.reach = INFINITY};

bool cn_soft_reserve_looks(CnWorld* world) {
    CnSoftStore* store = world->soft;
    int slots = cn_pool_slot_count(&world->shapes);
    if (!cn_array_reserve(&store->looks, &world->allocator, slots)) {
        return false;
    }
    while (store->looks.count < slots) {
        store->looks.data[store->looks.count++] = nothing_known;
    }
    return true;
}

static double sum_of(CnVec3 v) {
    return fabs(v.x) + fabs(v.y) + fabs(v.z);
}

void cn_soft_note_look(CnWorld* world, int body, CnVec3 way, double ahead) {
    for (int s = world->details.data[body].first_shape; s >= 0;
         s = cn_world_shape_at(world, s)->next) {
        const CnPlacedShape* placed = &world->shape_places.data[s].placed;
        CnSoftLook* look = &world->soft->looks.data[s];
        CnVec3 center = placed->pose.position;
        double reach = placed->shape->extent + ahead;
        *look = (CnSoftLook){
            .center = {(float)center.x, (float)center.y, (float)center.z},
            .way = {(float)way.x, (float)way.y, (float)way.z},
            .reach = (float)(reach + ROUNDED_OFF * (reach + sum_of(center) + sum_of(way))),
        };
        if (placed->shape->type == CN_SHAPE_PLANE) {
            *look = nothing_known;
        }
    }
}
