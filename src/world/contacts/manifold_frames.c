// manifold_frames.c - manifolds whose tiles are only frames, and how they get rows.
#include "base/error.h"
#include "world/contacts/pair_store.h"

#include <string.h>

void cn_pair_store_use_frames(CnPairStore* store) {
    if (store->manifolds.capacity == 0) {
        store->manifolds.size = CN_MANIFOLD_FRAME;
        store->keeps_apart = true;
    }
}

CnVec3 cn_frame_tangent(const CnFrameImpulses* own, CnVec3 normal, int row) {
    CnVec3 along =
        cn_vec3((double)own->tangent[0], (double)own->tangent[1], (double)own->tangent[2]);
    return row == 1 ? along : cn_vec3_scale((double)own->across, cn_vec3_cross(normal, along));
}

CnVec3 cn_pair_store_direction(const CnPairStore* store, const CnFrameImpulses* own, int index,
                               int row) {
    const CnManifold* manifold = cn_manifold_at(store, index);
    if (row == 0 || cn_pair_store_has_rows(store)) {
        const double* direction = manifold->tile.direction[row];
        return cn_vec3(direction[0], direction[1], direction[2]);
    }
    return cn_frame_tangent(own, cn_manifold_normal(manifold), row);
}

CnVec3 cn_pair_store_sum(const CnPairStore* store, const CnFrameImpulses* own, int index,
                         int point) {
    const CnManifold* manifold = cn_manifold_at(store, index);
    CnVec3 sum = {0.0, 0.0, 0.0};
    if (cn_pair_store_has_rows(store)) {
        return cn_manifold_impulse(manifold, point);
    }
    for (int row = 0; row < 3 && manifold->is_framed && (manifold->tile.acting >> point & 1u) != 0;
         ++row) {
        sum = cn_vec3_add_scaled(sum, cn_pair_store_total(store, own, index, row, point),
                                 cn_pair_store_direction(store, own, index, row));
    }
    return sum;
}

CnManifold cn_pair_store_whole(const CnPairStore* store, int manifold) {
    CnManifold whole = {0};
    memcpy(&whole, cn_manifold_at(store, manifold), store->manifolds.size);
    return whole;
}

// One that was only a frame, with its impulses and tangents.
static CnManifold filled_manifold(const CnPairStore* store, int index, CnKeptImpulses* kept) {
    CnManifold whole = cn_pair_store_whole(store, index);
    const CnFrameImpulses own = cn_pair_store_frame(store, index);
    for (int row = 1; row < 3; ++row) {
        CnVec3 direction = cn_pair_store_direction(store, &own, index, row);
        whole.tile.direction[row][0] = direction.x;
        whole.tile.direction[row][1] = direction.y;
        whole.tile.direction[row][2] = direction.z;
    }
    for (int i = 0; i < CN_TILE_POINTS; ++i) {
        kept->points[i] = cn_pair_store_impulse(store, index, i);
        for (int row = 0; row < 3; ++row) {
            whole.tile.impulse[row][i] = cn_pair_store_total(store, &own, index, row, i);
        }
    }
    return whole;
}

bool cn_pair_store_need_rows(CnPairStore* store) {
    CnManifoldArray old = store->manifolds;
    CN_ASSERT(!store->is_open); // what a step has saved has no rows
    if (cn_pair_store_has_rows(store)) {
        return true;
    }
    CnManifold* whole = cn_allocate(&store->allocator, (size_t)old.capacity, sizeof *whole);
    if (whole == NULL || !cn_array_reserve(&store->kept, &store->allocator, old.capacity)) {
        cn_release(&store->allocator, whole);
        return false;
    }
    for (int i = 0; i < old.count; ++i) {
        whole[i] = filled_manifold(store, i, &store->kept.data[i]);
    }
    store->kept.count = old.count;
    store->manifolds = (CnManifoldArray){whole, old.count, old.capacity, sizeof *whole};
    cn_release(&store->allocator, old.data);
    cn_array_free(&store->frames, &store->allocator);
    cn_pair_store_link_extras(store);
    return true;
}

bool cn_pair_store_reserve_frames(CnPairStore* store) {
    int count = store->manifolds.count;
    if (cn_pair_store_has_rows(store) || store->frames.count == count) {
        return true;
    }
    if (!cn_array_reserve(&store->frames, &store->allocator, store->manifolds.capacity)) {
        return false;
    }
    memset(store->frames.data, 0, (size_t)count * sizeof *store->frames.data);
    store->frames.count = count;
    return true;
}
