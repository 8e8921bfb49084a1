// soft_look.c - scheme soft_step: where shapes may come in a step, in a few numbers.
#include "world/soft/soft_look.h"

#include "math/floats.h"
#include "world/world.h"

// Some ten units in the last place of all that a look is made of, which is more than a comparison
// of two looks rounds off.
#define ROUNDED_OFF 1e-6

static const CnSoftLook nothing_known = {.reach = INFINITY, .plane = INFINITY};

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

// A plane has no extent, and one that turns an infinite `ahead`.
static CnSoftLook look_at(const CnPlacedShape* placed, CnVec3 way, double ahead) {
    bool is_plane = placed->shape->type == CN_SHAPE_PLANE;
    CnVec3 center = placed->pose.position, normal = {0.0, 0.0, 0.0};
    if (is_plane) {
        normal = cn_quat_rotate(placed->pose.rotation, placed->shape->normal);
    }
    double reach = is_plane ? ahead : placed->shape->extent + ahead;
    CnSoftLook look = {
        .reach = (float)(reach + ROUNDED_OFF * (reach + sum_of(center) + sum_of(way))),
        .plane = is_plane ? (float)cn_vec3_dot(normal, center) : INFINITY,
    };
    cn_vec3_to_floats(is_plane ? normal : center, look.center);
    cn_vec3_to_floats(way, look.way);
    return look;
}

void cn_soft_note_look(CnWorld* world, int body, CnVec3 way, double ahead) {
    for (int s = world->details.data[body].first_shape; s >= 0;
         s = cn_world_shape_at(world, s)->next) {
        world->soft->looks.data[s] = look_at(&world->shape_places.data[s].placed, way, ahead);
    }
}
