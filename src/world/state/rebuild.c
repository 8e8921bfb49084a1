// rebuild.c - what follows from the rest of a world, and is made anew in a copy of it.
#include "world/state/rebuild.h"

#include "world/events/events.h"

void cn_state_forget_contacts(CnWorld* world) {
    for (int i = 0; i < world->pairs.manifolds.count; ++i) {
        cn_manifold_at(&world->pairs, i)->is_listed = false;
    }
    for (int i = 0; i < world->pairs.records.count; ++i) {
        world->pairs.records.data[i].surfaces = 0;
    }
}

// Of all pairs; those that go with a removed shape lead nowhere.
static void find_pair_bodies(CnWorld* world) {
    world->pairs.gone = 0;
    for (int i = 0; i < world->pairs.records.count; ++i) {
        CnPairRecord* record = &world->pairs.records.data[i];
        bool is_pair = record->in_use && record->given < 0 && !record->is_gone;
        world->pairs.gone += record->in_use && record->is_gone;
        for (int side = 0; side < 2; ++side) {
            record->body[side] =
                is_pair ? cn_world_shape_at(world, record->shape[side])->body : CN_NONE;
        }
    }
}

// Shapes whose epoch is that of their body are where it was placed; the others will be placed
// before anybody looks.
void cn_state_place_shapes(CnWorld* world) {
    int slots = cn_pool_slot_count(&world->shapes);
    for (int i = 0; i < world->shape_places.count && i < slots; ++i) {
        const CnWorldShape* shape = cn_pool_at(&world->shapes, i);
        CnShapePlace* own = &world->shape_places.data[i];
        if (shape == NULL || shape->body >= world->places.count) {
            own->epoch = 0;
            continue;
        }
        own->placed = cn_world_shape_placed(world, shape, world->places.data[shape->body].pose);
        cn_narrow_phase_place(&own->placed, &own->polyhedron);
        cn_places_note_ahead(world, i);
    }
    world->placed_memory = world->shape_places.data;
}

bool cn_state_rebuild(CnWorld* world) {
    world->plain_materials = 0;
    cn_active_change(world);
    cn_state_forget_contacts(world);
    cn_pair_store_link_extras(&world->pairs);
    find_pair_bodies(world);
    cn_state_place_shapes(world);
    return cn_broad_phase_rebuild(&world->broad_phase) && cn_world_index_separations(world) &&
           cn_pair_store_reserve(&world->pairs);
}
