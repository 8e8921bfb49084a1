// warm_start.c - carrying impulses from one step to the next by the keys of their blocks.
#include "world/warm_start.h"

#include "world/contact_friction.h"

// The policy of the row engine this option comes from: impulses below the first number are not
// worth judging; a residual or a momentum drift at the others counts as full severity.
#define JUDGED_IMPULSE 1e-3  // [N s]
#define SEVERE_RESIDUAL 1e-3 // [m/s]
#define SEVERE_DRIFT 2.5e-4  // relative
#define SEVERITY_SHARE 0.75

// A contact that sticks well inside its cone slips by no more than its residual, one near the
// surface by some times as much; what slips by this many times the tolerance slides.
#define SLIP 100.0

double cn_warm_start_scale(double impulse, double residual, double drift) {
    if (fabs(impulse) <= JUDGED_IMPULSE) {
        return 1.0;
    }
    double severity = fmax(drift / SEVERE_DRIFT, residual / SEVERE_RESIDUAL);
    return 1.0 - SEVERITY_SHARE * fmax(0.0, fmin(1.0, severity));
}

// A contact's impulse and moment are vectors of the world: their parts along the new frame are the
// guess.
static void restore_contact(const CnContact* contact, const CnBlock* block, CnVec3 impulse,
                            CnVec3 moment, double* p) {
    p[0] = fmax(0.0, cn_vec3_dot(impulse, contact->normal));
    if (block->row_count == 1) {
        return;
    }
    CnFrictionRows rows = cn_contact_friction_rows(contact);
    for (int i = 0; i < rows.count; ++i) {
        CnVec3 kept = rows.row[i].is_spin ? moment : impulse;
        double scale = rows.row[i].scale; // 0: resists nothing, whatever its impulse
        p[1 + i] = scale > 0.0 ? cn_vec3_dot(kept, rows.row[i].direction) / scale : 0.0;
    }
}

static void scale_rows(const CnWorld* world, const CnBlock* block, double ratio, double residual,
                       double* p) {
    bool scaled = world->def.step.warm_start == CN_WARM_START_SCALED;
    for (int i = 0; i < block->row_count; ++i) {
        p[i] *= ratio;
        // Momentum closes to round-off in every step, so there is no drift to judge.
        p[i] *= scaled ? cn_warm_start_scale(p[i], residual, 0.0) : 1.0;
    }
}

static void match(CnWorld* world, const CnImpulseCache* cache) {
    CnRows* rows = &world->step.rows;
    double ratio = world->step.dt / cache->dt; // forces last, impulses grow with the step
    for (int i = 0; i < rows->blocks.count; ++i) {
        const CnBlock* block = &rows->blocks.data[i];
        const CnBlockSource* source = &rows->sources.data[i];
        int entry = cn_map_get(&cache->map, block->key);
        double* p = rows->impulse + block->first_row;
        if (entry < 0) {
            continue;
        }
        if (source->contact >= 0) {
            restore_contact(&world->step.contacts.data[source->contact], block,
                            cache->entries.data[entry].impulse, cache->entries.data[entry].moment,
                            p);
        } else {
            for (int k = 0; k < block->row_count; ++k) {
                p[k] = cache->entries.data[entry].row[source->rows[k]];
            }
        }
        scale_rows(world, block, ratio, cache->entries.data[entry].residual, p);
    }
}

void cn_warm_start_match(CnWorld* world) {
    const CnImpulseCache* cache = &world->caches[world->cache];
    if (world->def.step.warm_start != CN_WARM_START_OFF && cache->dt > 0.0) {
        match(world, cache);
    }
}

void cn_warm_start_resume(CnWorld* world) {
    match(world, &world->iterate);
}

void cn_warm_start_recall_gaps(CnWorld* world) {
    for (int i = 0; i < world->step.contacts.count; ++i) {
        CnContact* contact = &world->step.contacts.data[i];
        int entry = cn_map_get(&world->iterate.map, contact->key);
        contact->start_gap = entry < 0 ? 0.0 : world->iterate.entries.data[entry].start_gap;
    }
}

// Everything the next step may want to know of one block.
static void store_block(const CnWorld* world, int index, CnImpulseCache* cache, int entry) {
    const CnStep* step = &world->step;
    const CnBlock* block = &step->rows.blocks.data[index];
    const CnBlockSource* source = &step->rows.sources.data[index];
    const double* p = step->rows.impulse + block->first_row;

    for (int k = 0; k < CN_MAX_ROWS; ++k) {
        cache->entries.data[entry].row[k] = 0.0;
    }
    cache->entries.data[entry].impulse = cn_vec3(0.0, 0.0, 0.0);
    cache->entries.data[entry].moment = cn_vec3(0.0, 0.0, 0.0);
    cache->entries.data[entry].residual = 0.0;
    cache->entries.data[entry].start_gap = 0.0;
    cache->entries.data[entry].pressed = cache->entries.data[entry].stuck = false;
    if (source->contact >= 0) {
        const CnContact* contact = &step->contacts.data[source->contact];
        cache->entries.data[entry].start_gap = contact->start_gap;
        cache->entries.data[entry].anchor[0] = contact->anchor[0];
        cache->entries.data[entry].anchor[1] = contact->anchor[1];
        cn_contact_impulse(contact, block, p, &cache->entries.data[entry].impulse,
                           &cache->entries.data[entry].moment);
        return;
    }
    for (int k = 0; k < block->row_count; ++k) {
        cache->entries.data[entry].row[source->rows[k]] = p[k];
    }
}

static CnStatus store(const CnWorld* world, CnImpulseCache* cache) {
    const CnRows* rows = &world->step.rows;
    cn_map_clear(&cache->map);
    cache->entries.count = 0;
    if (!cn_array_reserve(&cache->entries, &world->allocator, rows->blocks.count)) {
        return CN_NO_MEMORY;
    }
    for (int i = 0; i < rows->blocks.count; ++i) {
        int entry = cache->entries.count++;
        store_block(world, i, cache, entry);
        if (!cn_map_set(&cache->map, rows->blocks.data[i].key, entry)) {
            cn_map_clear(&cache->map);
            return CN_NO_MEMORY;
        }
    }
    cache->dt = world->step.dt;
    return CN_OK;
}

// Speed of a contact along its tangents after the step [m/s]; 0 for one without friction.
static double slip_of(const CnWorld* world, const CnBlock* block) {
    const CnRows* rows = &world->step.rows;
    double square = 0.0;
    for (int row = block->first_row + 1; row < block->first_row + block->row_count; ++row) {
        double rate = 0.0;
        for (int k = 0; block->body_a >= 0 && k < 6; ++k) {
            rate += rows->jacobian_a[row][k] * world->step.velocity[block->body_a][k];
        }
        for (int k = 0; block->body_b >= 0 && k < 6; ++k) {
            rate += rows->jacobian_b[row][k] * world->step.velocity[block->body_b][k];
        }
        square += rate * rate;
    }
    return sqrt(square);
}

bool cn_warm_start_stuck(const CnWorld* world, uint64_t key, bool otherwise) {
    const CnImpulseCache* cache = &world->caches[world->cache];
    int entry = cn_map_get(&cache->map, key);
    bool known = entry >= 0 && cache->entries.data[entry].pressed;
    return known ? cache->entries.data[entry].stuck : otherwise;
}

bool cn_warm_start_anchor(const CnWorld* world, uint64_t key, CnVec3 anchor[2]) {
    const CnImpulseCache* cache = &world->caches[world->cache];
    int entry = cn_map_get(&cache->map, key);
    if (entry < 0 || !cache->entries.data[entry].pressed || !cache->entries.data[entry].stuck) {
        return false;
    }
    anchor[0] = cache->entries.data[entry].anchor[0];
    anchor[1] = cache->entries.data[entry].anchor[1];
    return true;
}

CnStatus cn_warm_start_store(CnWorld* world) {
    int next = 0; // neither the latest nor the one to go back to should the step fail
    while (next == world->cache || next == world->start_cache) {
        ++next;
    }
    CnImpulseCache* cache = &world->caches[next];
    CnStatus status = store(world, cache);
    if (status != CN_OK) {
        return status;
    }
    for (int i = 0; i < cache->entries.count; ++i) { // entries are in the order of blocks
        const CnBlock* block = &world->step.rows.blocks.data[i];
        double residual = world->step.block_residual.data[i];
        bool slides = slip_of(world, block) > SLIP * fmax(residual, world->def.solver.tolerance);
        cache->entries.data[i].residual = residual;
        cache->entries.data[i].pressed = world->step.rows.impulse[block->first_row] > 0.0;
        cache->entries.data[i].stuck = !slides;
    }
    world->cache = next;
    return CN_OK;
}

CnStatus cn_warm_start_pause(CnWorld* world) {
    return store(world, &world->iterate);
}
