// rebuild.c - what follows from the rest of a world, and is made anew in a copy of it.
#include "world/state/rebuild.h"

// Shapes whose epoch is that of their body are where it was placed; the others will be placed
// before anybody looks.
void cn_state_place_shapes(CnWorld* world) {
    int slots = cn_pool_slot_count(&world->shapes);
    for (int i = 0; i < world->shape_places.count && i < slots; ++i) {
        const CnWorldShape* shape = cn_pool_at(&world->shapes, i);
        CnShapePlace* own = &world->shape_places.data[i];
        if (shape == NULL || shape->body >= world->places.count || own->epoch == 0) {
            own->epoch = 0;
            continue;
        }
        own->placed = cn_shape_place(&shape->shape, world->places.data[shape->body].pose);
        cn_narrow_phase_place(&own->placed, &own->polyhedron);
    }
    world->placed_memory[0] = world->shapes.elements;
    world->placed_memory[1] = world->shape_places.data;
}
