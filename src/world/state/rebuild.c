// rebuild.c - what follows from the rest of a world, and is made anew in a copy of it.
#include "world/state/rebuild.h"

#include "world/events/events.h"

void cn_state_forget_contacts(CnWorld* world) {
    for (int i = 0; i < world->pairs.manifolds.count; ++i) {
        world->pairs.manifolds.data[i].is_listed = false;
    }
    for (int i = 0; i < world->pairs.records.count; ++i) {
        CnPairRecord* record = &world->pairs.records.data[i];
        record->listed = record->told = 0;
        record->listed_first = record->listed_count = 0;
        record->hit = CN_NONE;
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
        own->placed = cn_shape_place(&shape->shape, world->places.data[shape->body].pose);
        cn_narrow_phase_place(&own->placed, &own->polyhedron);
    }
    world->placed_memory[0] = world->shapes.elements;
    world->placed_memory[1] = world->shape_places.data;
}

bool cn_state_rebuild(CnWorld* world) {
    cn_active_change(world);
    cn_state_forget_contacts(world);
    cn_state_place_shapes(world);
    return cn_broad_phase_rebuild(&world->broad_phase) && cn_world_index_separations(world) &&
           cn_pair_store_reserve(&world->pairs) && cn_events_reserve_ends(world);
}
