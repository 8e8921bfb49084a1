// motion_reserve.c - room for what a step writes about bodies.
#include "world/bodies/force.h"
#include "world/bodies/motion.h"

#include <string.h>

typedef struct Growing {
    void** array;
    size_t size; // of an element
} Growing;

// Most worlds are filled before their first step: no room is left idle then.
static int capacity_for(int wanted, int capacity) {
    return capacity == 0 ? wanted : wanted + wanted / 4 + 8;
}

// Nothing in the arrays is kept. False: no memory; some may have grown.
static bool grow(const Growing* arrays, int array_count, const CnAllocator* allocator, int wanted,
                 int* capacity) {
    if (wanted <= *capacity) {
        return true;
    }
    for (int i = 0; i < array_count; ++i) {
        void* larger =
            cn_allocate(allocator, (size_t)capacity_for(wanted, *capacity), arrays[i].size);
        if (larger == NULL) {
            return false;
        }
        cn_release(allocator, *arrays[i].array);
        *arrays[i].array = larger;
    }
    *capacity = capacity_for(wanted, *capacity);
    return true;
}

// Whether motions have more to tell than where bodies go under gravity and contacts: of joints only
// the ledgers ask for it.
static bool needs_motion_extras(const CnWorld* world) {
    const CnStepDef* step = &world->def.step;
    bool is_plain = (step->scheme == CN_SCHEME_MOREAU && step->rotation == CN_ROTATION_EXACT) ||
                    step->scheme == CN_SCHEME_SOFT_STEP;
    bool is_booked = world->step.is_graded || step->scheme != CN_SCHEME_MOREAU;
    return !is_plain || world->fast_count > 0 || world->damped_count > 0 ||
           (world->constraints.count > 0 && is_booked) || cn_world_has_loads(world);
}

// Where joints alone need extras, the first ones (CN_EXTRAS_OF_OTHERS) stay zero.
static void clear_extras(CnWorld* world, bool is_new) {
    CnStep* step = &world->step;
    bool is_plain = cn_motion_is_plain(world);
    bool may_differ = is_new || !world->active.extras_are_plain;
    if (is_plain && may_differ && step->extras.capacity > 0) { // a world may have no bodies
        memset(step->extras.data, 0, (size_t)step->extras.capacity * sizeof *step->extras.data);
        world->active.moved = 0;
    }
    world->active.extras_are_plain = is_plain;
}

// Of bodies that do not move, extras stay as written; unless they were written before a change of
// these that the motions are of, or without room for all.
static CnStatus reserve_extras(CnWorld* world, int count) {
    CnStep* step = &world->step;
    bool needs_extras = needs_motion_extras(world), is_new = step->extras.capacity < count;
    if (needs_extras && !cn_array_reserve(&step->extras, &world->allocator, count)) {
        return CN_NO_MEMORY;
    }
    bool is_known = !is_new && world->active.told_extras == world->active.moved;
    if (needs_extras && step->extras.count == 0 && !is_known) {
        world->active.moved = 0; // those of bodies that do not move are still to be written
    }
    step->extras.count = needs_extras ? count : 0;
    if (needs_extras) {
        clear_extras(world, is_new);
    }
    return CN_OK;
}

CnStatus cn_motion_reserve(CnWorld* world) {
    CnStep* step = &world->step;
    int count = world->order.count;
    const CnAllocator* allocator = &world->allocator;

    if (!cn_array_reserve(&step->motions, allocator, count)) {
        return CN_NO_MEMORY;
    }
    if (reserve_extras(world, count) != CN_OK) {
        return CN_NO_MEMORY;
    }
    bool is_large = count <= step->body_capacity && count <= step->scratch_capacity;
    step->version = is_large ? step->version : 0;
    step->motions.count = step->body_count = count;
    const Growing of_step[] = {
        {(void**)&step->is_dynamic, sizeof *step->is_dynamic},
        {(void**)&step->center, sizeof *step->center},
        {(void**)&step->free_velocity, sizeof *step->free_velocity},
        {(void**)&step->velocity, sizeof *step->velocity},
        {(void**)&step->inverse_mass, sizeof *step->inverse_mass},
        {(void**)&step->inverse_inertia, sizeof *step->inverse_inertia},
    };
    const Growing of_scratch[] = {
        {(void**)&step->start_velocity, sizeof *step->start_velocity},
        {(void**)&step->momentum, sizeof *step->momentum},
    };
    bool has_room = grow(of_step, 6, allocator, count, &step->body_capacity) &&
                    grow(of_scratch, 2, allocator, count, &step->scratch_capacity);
    step->mean_velocity = step->start_velocity;
    return has_room ? CN_OK : CN_NO_MEMORY;
}

CnStatus cn_motion_forget(CnWorld* world) {
    world->step.motions.count = world->step.extras.count = 0;
    world->active.moved = 0; // the next motions are written for all bodies
    return CN_OK;
}

CnStatus cn_motion_reserve_correction(CnWorld* world) {
    const Growing of_correction[] = {
        {(void**)&world->correction.free_velocity, sizeof *world->correction.free_velocity},
        {(void**)&world->correction.displacement, sizeof *world->correction.displacement},
        {(void**)&world->correction.inverse_inertia, sizeof *world->correction.inverse_inertia},
        {(void**)&world->correction.inverse_mass, sizeof *world->correction.inverse_mass},
    };
    return grow(of_correction, 4, &world->allocator, world->order.count,
                &world->correction.body_capacity)
               ? CN_OK
               : CN_NO_MEMORY;
}
