// world_settings.c - gravity, solver and step of a world that runs.
#include "world/soft/soft_placing.h"
#include "world/validate.h"
#include "world/world.h"

#include "base/error.h"

CnWorldDef cn_world_read(const CnWorld* world) {
    return world->def;
}

CnStatus cn_world_set_gravity(CnWorld* world, CnVec3 gravity, CnError* error) {
    CnStatus status = cn_validate_gravity(gravity, NULL, error);
    if (status == CN_OK) {
        status = cn_world_check_idle(world, error);
    }
    if (status == CN_OK) {
        cn_sleep_wake_all(world);
        world->def.gravity = gravity;
    }
    return status;
}

CnStatus cn_world_set_solver(CnWorld* world, const CnSolverDef* solver, CnError* error) {
    CnStatus status = cn_validate_solver(solver, NULL, error);
    if (status == CN_OK) {
        status = cn_world_check_idle(world, error);
    }
    char* name = status == CN_OK ? cn_world_copy_name(world, solver->name) : NULL;
    if (status == CN_OK && name == NULL) {
        status = cn_error_set(error, CN_NO_MEMORY, "no memory for the name of a solver");
    }
    if (status == CN_OK) {
        cn_sleep_wake_all(world);
        world->def.solver = *solver;
        world->def.solver.name = name;
        cn_name_free(&world->allocator, world->solver_name);
        world->solver_name = name;
    }
    return status;
}

// What one scheme keeps of contacts is no guess for another: soft_step keeps impulses along the
// axes of its tiles, others along those of the world, and their tiles hold other numbers.
static void forget_scheme(CnWorld* world) {
    cn_soft_forget_tiles(world);
    world->soft->is_made = world->soft->has_searched = false;
    world->soft->looks.count = 0;
    world->tile_posing.is_valid = false;
    world->kept_dt = 0.0;
    cn_places_search_again(world);
}

// How far bodies may move and count as still is measured anew, and they are placed anew.
static void forget_still(CnWorld* world) {
    for (int i = 0; i < world->soft_places.count; ++i) {
        world->soft_places.data[i].still = -1.0;
    }
}

CnStatus cn_world_set_step(CnWorld* world, const CnStepDef* step, CnError* error) {
    CnStatus status = cn_validate_step(step, NULL, error);
    if (status == CN_OK) {
        status = cn_world_check_idle(world, error);
    }
    if (status == CN_OK && step->scheme != CN_SCHEME_SOFT_STEP &&
        !cn_pair_store_need_rows(&world->pairs)) {
        status = cn_error_set(error, CN_NO_MEMORY, "no memory for the rows of %d manifolds",
                              world->pairs.manifolds.count);
    }
    if (status == CN_OK) {
        cn_sleep_wake_all(world);
        cn_active_change(world);
        if (step->scheme != world->def.step.scheme) {
            forget_scheme(world);
        }
        if (step->soft.recycling_share != world->def.step.soft.recycling_share ||
            step->recycling_distance != world->def.step.recycling_distance) {
            forget_still(world);
        }
        world->def.step = *step;
    }
    return status;
}
