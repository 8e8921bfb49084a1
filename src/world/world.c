// world.c - making and unmaking a world, and finding things in it.
#include "world/world.h"
#include "world/constraints/joint.h"
#include "world/soft/soft_store.h"
#include "world/trees/tree_store.h"

#include "base/error.h"
#include "base/guard.h"
#include "base/tasks.h"
#include "world/bodies/body_settings.h"
#include "world/bodies/body_shapes.h"
#include "world/contacts/contact_totals.h"
#include "world/events/events.h"
#include "world/step/attribution.h"
#include "world/step/rows.h"
#include "world/step/solve_step.h"
#include "world/validate.h"

#include <string.h>

static CnStatus validate_world_def(const CnWorldDef* def, CnError* error) {
    if (def->guard != CN_DEF_GUARD) {
        return cn_error_set(error, CN_INVALID,
                            "the world def was not made by "
                            "cn_world_def_default()");
    }
    CnStatus status = cn_validate_gravity(def->gravity, NULL, error);
    if (status == CN_OK) {
        status = cn_validate_step(&def->step, NULL, error);
    }
    return status == CN_OK ? cn_validate_solver(&def->solver, NULL, error) : status;
}

static bool create_workspaces(CnWorld* world) {
    int count = cn_tasks_worker_count(&world->def.tasks);
    world->workspaces = cn_allocate(&world->allocator, (size_t)count, sizeof(CnWorkspace*));
    world->search = cn_allocate(&world->allocator, (size_t)count, sizeof *world->search);
    if (world->workspaces == NULL || world->search == NULL) {
        return false;
    }
    for (world->workspace_count = 0; world->workspace_count < count; ++world->workspace_count) {
        CnWorkspace* workspace = cn_workspace_create(&world->allocator, NULL);
        if (workspace == NULL) {
            return false;
        }
        world->workspaces[world->workspace_count] = workspace;
        cn_narrow_scratch_init(&world->search[world->workspace_count].narrow, &world->allocator);
    }
    return true;
}

static void init_pools(CnWorld* world) {
    const CnAllocator* allocator = &world->allocator;
    cn_pool_init(&world->body_indices, allocator, sizeof(int));
    cn_shared_init(&world->masses, allocator);
    cn_shared_init(&world->shape_records, allocator);
    cn_pool_init(&world->shapes, allocator, sizeof(CnWorldShape));
    cn_pool_init(&world->geometries, allocator, sizeof(CnWorldGeometry));
    cn_pool_init(&world->materials, allocator, sizeof(CnMaterial));
    cn_pool_init(&world->series, allocator, sizeof(CnSeries));
    cn_pool_init(&world->forces, allocator, sizeof(CnForceDef));
    cn_pool_init(&world->given_contacts, allocator, sizeof(CnGivenContact));
    cn_pool_init(&world->constraints, allocator, sizeof(CnUserConstraint));
    cn_pool_init(&world->joints, allocator, sizeof(CnJoint));
    cn_pool_init(&world->separations, allocator, sizeof(CnSeparation));
    cn_map_init(&world->names, allocator);
    cn_map_init(&world->excluded, allocator);
    cn_map_init(&world->contact_answers, allocator);
    cn_broad_phase_init(&world->broad_phase, allocator);
    cn_swept_pairs_init(&world->swept_pairs, allocator);
    cn_pair_store_init(&world->pairs, allocator);
    cn_map_init(&world->contact_totals.places, allocator);
    cn_map_init(&world->spare_totals.places, allocator);
    cn_map_init(&world->attribution.places, allocator);
    cn_map_init(&world->spare_attribution.places, allocator);
    cn_arena_init(&world->arena, allocator);
}

CnWorld* cn_world_create(const CnWorldDef* def, CnError* error) {
    if (validate_world_def(def, error) != CN_OK) {
        return NULL;
    }
    CnWorld* world = cn_allocate(&def->allocator, 1, sizeof(CnWorld));
    if (world == NULL) {
        cn_error_set(error, CN_NO_MEMORY, "no memory for a world");
        return NULL;
    }
    world->def = *def;
    world->allocator = def->allocator;
    world->surfaces = 1;
    cn_active_change(world); // versions begin with 1
    init_pools(world);
    world->solver_name = cn_world_copy_name(world, def->solver.name);
    world->def.solver.name = world->solver_name;
    world->soft = cn_allocate(&def->allocator, 1, sizeof *world->soft);
    if (world->solver_name == NULL || world->soft == NULL || !create_workspaces(world)) {
        cn_error_set(error, CN_NO_MEMORY, "no memory for a world");
        cn_world_destroy(world);
        return NULL;
    }
    return world;
}

static void destroy_things(CnWorld* world) {
    const CnAllocator* allocator = &world->allocator;
    for (int i = 0; i < world->details.count; ++i) {
        cn_name_free(allocator, world->details.data[i].name);
        cn_release(allocator, world->details.data[i].drive);
    }
    for (int i = 0; i < cn_pool_slot_count(&world->shapes); ++i) {
        const CnWorldShape* shape = cn_pool_at(&world->shapes, i);
        if (shape != NULL) {
            cn_shape_drop(world, shape->shape, false);
        }
    }
    for (int i = 0; i < cn_pool_slot_count(&world->geometries); ++i) {
        const CnWorldGeometry* held = cn_pool_at(&world->geometries, i);
        if (held != NULL) {
            cn_geometry_drop(held->geometry, allocator);
        }
    }
    for (int i = 0; i < cn_pool_slot_count(&world->materials); ++i) {
        CnMaterial* material = cn_pool_at(&world->materials, i);
        if (material != NULL) {
            cn_name_free(allocator, material->name);
        }
    }
    for (int i = 0; i < cn_pool_slot_count(&world->series); ++i) {
        CnSeries* series = cn_pool_at(&world->series, i);
        if (series != NULL) {
            cn_name_free(allocator, series->name);
            cn_release(allocator, series->samples);
        }
    }
    for (int i = 0; i < cn_pool_slot_count(&world->given_contacts); ++i) {
        CnGivenContact* contact = cn_pool_at(&world->given_contacts, i);
        if (contact != NULL) {
            cn_name_free(allocator, contact->name);
        }
    }
    cn_shared_destroy(&world->masses);
    cn_shared_destroy(&world->shape_records);
    cn_world_free_joints(world);
    for (int i = 0; i < cn_pool_slot_count(&world->constraints); ++i) {
        CnUserConstraint* constraint = cn_pool_at(&world->constraints, i);
        if (constraint != NULL) {
            cn_name_free(allocator, constraint->name);
            cn_release(allocator, constraint->data);
        }
    }
}

static void free_step(CnStep* step, const CnAllocator* allocator) {
    cn_array_free(&step->manifolds, allocator);
    cn_array_free(&step->first_block, allocator);
    cn_array_free(&step->notes, allocator);
    cn_array_free(&step->traces, allocator);
    cn_array_free(&step->tile_parts, allocator);
    cn_array_free(&step->motions, allocator);
    cn_array_free(&step->extras, allocator);
    cn_array_free(&step->block_residual, allocator);
    cn_array_free(&step->block_trace, allocator);
    cn_array_free(&step->block_work, allocator);
    cn_release(allocator, step->is_dynamic);
    cn_release(allocator, step->center);
    cn_release(allocator, step->start_velocity);
    cn_release(allocator, step->momentum);
    cn_release(allocator, step->inverse_mass);
    cn_release(allocator, step->inverse_inertia);
    cn_release(allocator, step->free_velocity);
    cn_release(allocator, step->velocity);
    cn_rows_free(&step->rows, allocator);
    cn_array_free(&step->wide_block, allocator);
}

static void destroy_steps(CnWorld* world) {
    const CnAllocator* allocator = &world->allocator;
    free_step(&world->step, allocator);
    free_step(&world->spare_step, allocator);
    cn_rows_free(&world->correction.rows, allocator);
    cn_array_free(&world->correction.contacts, allocator);
    cn_array_free(&world->correction.posed, allocator);
    cn_array_free(&world->correction.previous, allocator);
    cn_array_free(&world->correction.learned, allocator);
    cn_release(allocator, world->correction.inverse_mass);
    cn_release(allocator, world->correction.inverse_inertia);
    cn_release(allocator, world->correction.free_velocity);
    cn_release(allocator, world->correction.displacement);
    cn_events_free(&world->events, allocator);
    cn_contact_totals_free(&world->contact_totals, allocator);
    cn_contact_totals_free(&world->spare_totals, allocator);
    cn_attribution_free(&world->attribution, allocator);
    cn_attribution_free(&world->spare_attribution, allocator);
}

void cn_world_destroy(CnWorld* world) {
    if (world == NULL) {
        return;
    }
    CnAllocator allocator = world->allocator;
    destroy_things(world);
    destroy_steps(world);
    cn_pool_destroy(&world->body_indices);
    cn_pool_destroy(&world->shapes);
    cn_pool_destroy(&world->geometries);
    cn_pool_destroy(&world->materials);
    cn_pool_destroy(&world->series);
    cn_pool_destroy(&world->forces);
    cn_pool_destroy(&world->given_contacts);
    cn_pool_destroy(&world->constraints);
    cn_pool_destroy(&world->joints);
    cn_pool_destroy(&world->separations);
    for (int i = 0; i < CN_LINK_KIND_COUNT; ++i) {
        cn_array_free(&world->links[i], &allocator);
    }
    cn_array_free(&world->joint_order, &allocator);
    cn_array_free(&world->constraint_order, &allocator);
    cn_array_free(&world->order, &allocator);
    cn_array_free(&world->loop.before, &allocator);
    cn_array_free(&world->bodies, &allocator);
    cn_array_free(&world->details, &allocator);
    cn_array_free(&world->applied, &allocator);
    cn_array_free(&world->kept_velocities, &allocator);
    cn_array_free(&world->material_pairs, &allocator);
    cn_map_destroy(&world->names);
    cn_map_destroy(&world->contact_answers);
    cn_map_destroy(&world->excluded);
    cn_broad_phase_destroy(&world->broad_phase);
    cn_swept_pairs_destroy(&world->swept_pairs);
    cn_pair_store_destroy(&world->pairs);
    cn_island_store_free(&world->islands, &allocator);
    cn_soft_store_free(world->soft, &allocator);
    cn_trees_free(world->trees, &allocator);
    for (int i = 0; i < world->rest_factors.count; ++i) {
        cn_rest_factor_destroy(world->rest_factors.data[i]);
    }
    cn_array_free(&world->rest_factors, &allocator);
    for (int i = 0; i < world->net_factors.count; ++i) {
        cn_net_factor_destroy(world->net_factors.data[i]);
    }
    cn_array_free(&world->net_factors, &allocator);
    cn_array_free(&world->places, &allocator);
    cn_array_free(&world->soft_places, &allocator);
    cn_array_free(&world->saved_places, &allocator);
    cn_array_free(&world->drifts, &allocator);
    cn_array_free(&world->shape_places, &allocator);
    cn_array_free(&world->posed, &allocator);
    cn_active_free(world);
    cn_rows_free(&world->assembled.rows, &allocator);
    cn_array_free(&world->assembled.work, &allocator);
    cn_rows_free(&world->spare_assembled.rows, &allocator);
    cn_array_free(&world->spare_assembled.work, &allocator);
    cn_arena_destroy(&world->arena);
    for (int i = 0; i < world->workspace_count; ++i) {
        cn_workspace_destroy(world->workspaces[i]);
        cn_narrow_scratch_destroy(&world->search[i].narrow);
        cn_array_free(&world->search[i].kept, &allocator);
        cn_array_free(&world->search[i].renewed, &allocator);
    }
    cn_release(&allocator, world->workspaces);
    cn_release(&allocator, world->search);
    cn_name_free(&allocator, world->solver_name);
    cn_release(&allocator, world);
}

// The name of all things without one.
static const char no_name[1] = "";

char* cn_world_copy_name(const CnWorld* world, const char* name) {
    const char* text = name == NULL ? "" : name;
    size_t size = strlen(text) + 1;
    if (size == 1) {
        return (char*)no_name; // nobody writes to a name
    }
    char* copy = cn_allocate_text(&world->allocator, size);
    if (copy != NULL) {
        memcpy(copy, text, size);
    }
    return copy;
}

void cn_name_free(const CnAllocator* allocator, char* name) {
    if (name != no_name) {
        cn_release(allocator, name);
    }
}

CnStatus cn_world_check_idle(const CnWorld* world, CnError* error) {
    return world->stepping
               ? cn_error_set(error, CN_INVALID, "the world cannot be changed during a step")
               : CN_OK;
}

void cn_world_forget_step(CnWorld* world) {
    cn_step_clear_contacts(&world->step);
    world->step.block_work.count = world->step.body_count = 0;
    cn_rows_clear(&world->step.rows);
    world->assembled.is_valid = false;
    cn_contact_totals_begin(world);
    world->contact_totals.in_use = false;
}

double cn_world_time(const CnWorld* world) {
    return world->time;
}

int cn_world_body_count(const CnWorld* world) {
    return world->order.count;
}

CnBodyId cn_world_body_at(const CnWorld* world, int index) {
    return index >= 0 && index < world->order.count ? world->order.data[index] : (CnBodyId){0};
}

double cn_body_turning_energy(const CnBody* body) {
    CnVec3 spin = cn_quat_unrotate(body->state.rotation, body->state.angular_velocity);
    double energy = 0.5 * cn_vec3_dot(spin, cn_mat3_apply(&body->mass->inertia, spin));
    return isnan(energy) ? HUGE_VAL : energy;
}

// Of a body that is dynamic, or asleep: then it has potential energy alone.
static CnEnergyParts energy_of(const CnWorld* world, int index) {
    const CnBody* body = cn_world_body_by_index(world, index);
    const CnBodyState* state = &body->state;
    double weight = cn_vec3_dot(cn_body_gravity(world, body), state->center); // per kg
    if (body->type != CN_BODY_DYNAMIC) {
        double mass = body->sleep.is_asleep ? cn_sleep_mass(world, index) : 0.0;
        return (CnEnergyParts){.potential = -mass * weight};
    }
    return (CnEnergyParts){
        .linear = 0.5 * (body->mass->mass * cn_vec3_dot(state->velocity, state->velocity)),
        .angular = cn_body_turning_energy(body),
        .potential = -body->mass->mass * weight,
    };
}

CnEnergyParts cn_world_energy_parts(const CnWorld* world) {
    CnEnergyParts sum = {0};
    for (int i = 0; i < world->order.count; ++i) {
        CnEnergyParts own = energy_of(world, i);
        sum.linear += own.linear;
        sum.angular += own.angular;
        sum.potential += own.potential;
    }
    return sum;
}

double cn_world_energy(const CnWorld* world) {
    double energy = 0.0;
    for (int i = 0; i < world->order.count; ++i) {
        CnEnergyParts own = energy_of(world, i);
        energy += own.linear + own.angular + own.potential;
    }
    return energy;
}

uint64_t cn_world_hash(const CnWorld* world) {
    uint64_t hash = cn_hash_bytes(CN_HASH_SEED, &world->time, sizeof world->time);
    for (int i = 0; i < world->order.count; ++i) {
        CnBodyState state = cn_world_state_of(world, i);
        hash = cn_hash_bytes(hash, &state, sizeof state);
    }
    return hash;
}

uint64_t cn_body_hash(const CnWorld* world, CnBodyId id) {
    int body = cn_world_body_index(world, id);
    if (body < 0) {
        return 0;
    }
    CnBodyState state = cn_world_state_of(world, body);
    return cn_hash_bytes(CN_HASH_SEED, &state, sizeof state);
}
