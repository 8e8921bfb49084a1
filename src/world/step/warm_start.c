// warm_start.c - carrying impulses from one step to the next by the keys of their blocks.
#include "world/step/warm_start.h"

#include "world/contacts/contact_friction.h"

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
static void turn_contact(const CnContact* contact, const CnBlock* block, CnVec3 impulse,
                         CnVec3 moment, double p[CN_MAX_ROWS]) {
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

// Adds what an entry gives to the guess of a block.
static void add_entry(const CnWorld* world, const CnImpulseCache* cache, int entry, int index) {
    const CnRows* rows = &world->step.rows;
    const CnBlock* block = &rows->blocks.data[index];
    const CnBlockSource* source = &rows->sources.data[index];
    double p[CN_MAX_ROWS];
    double ratio = world->step.dt / cache->dt; // forces last, impulses grow with the step
    bool scaled = world->def.step.warm_start == CN_WARM_START_SCALED;
    if (source->contact >= 0) {
        turn_contact(&world->step.contacts.data[source->contact], block,
                     cache->entries.data[entry].impulse, cache->entries.data[entry].moment, p);
    } else {
        for (int k = 0; k < block->row_count; ++k) {
            p[k] = cache->entries.data[entry].row[source->rows[k]];
        }
    }
    for (int k = 0; k < block->row_count; ++k) {
        p[k] *= ratio;
        // Momentum closes to round-off in every step, so there is no drift to judge.
        p[k] *= scaled ? cn_warm_start_scale(p[k], cache->entries.data[entry].residual, 0.0) : 1.0;
        rows->impulse[block->first_row + k] += p[k];
    }
}

static uint64_t pair_of(const CnWorld* world, int block) {
    int contact = world->step.rows.sources.data[block].contact;
    return contact < 0 ? 0 : world->step.contacts.data[contact].pair;
}

// The point of a contact as its bodies see it where the problem is posed.
static void place_contact(const CnWorld* world, const CnContact* contact, CnVec3 place[2]) {
    const int bodies[2] = {contact->body_a, contact->body_b};
    for (int i = 0; i < 2; ++i) {
        place[i] = contact->point;
        if (bodies[i] >= 0) {
            const CnMotion* motion = &world->step.motions.data[bodies[i]];
            place[i] =
                cn_quat_unrotate(motion->rotation, cn_vec3_sub(contact->point, motion->center));
        }
    }
}

// A point that slides is fixed to one of the bodies, one that rolls to none.
static double distance_of(const CnVec3 a[2], const CnVec3 b[2]) {
    return fmin(cn_vec3_length(cn_vec3_sub(a[0], b[0])), cn_vec3_length(cn_vec3_sub(a[1], b[1])));
}

static bool has_key(const CnRows* rows, int begin, int end, uint64_t key) {
    for (int i = begin; i < end; ++i) {
        if (rows->blocks.data[i].key == key) {
            return true;
        }
    }
    return false;
}

// The block of a pair's that is nearest to where an entry was, -1 when none is near.
static int find_nearest(const CnWorld* world, const CnVec3 place[2], int begin, int end) {
    double least = INFINITY;
    int nearest = -1;
    for (int i = begin; i < end; ++i) {
        CnVec3 own[2];
        int contact = world->step.rows.sources.data[i].contact;
        place_contact(world, &world->step.contacts.data[contact], own);
        double distance = distance_of(own, place);
        if (distance < least) {
            least = distance;
            nearest = i;
        }
    }
    return nearest;
}

// What the last step had of a pair under other keys: docs/theory/warm_start.md (11).
static void match_renamed(const CnWorld* world, const CnImpulseCache* cache, int begin, int end) {
    uint64_t pair = pair_of(world, begin);
    int entry = pair == 0 ? -1 : cn_map_get(&cache->pairs, pair);
    for (; entry >= 0 && entry < cache->entries.count && cache->entries.data[entry].pair == pair;
         ++entry) {
        if (!has_key(&world->step.rows, begin, end, cache->entries.data[entry].key)) {
            int block = find_nearest(world, cache->entries.data[entry].place, begin, end);
            if (block >= 0) {
                add_entry(world, cache, entry, block);
            }
        }
    }
}

static void match(CnWorld* world, const CnImpulseCache* cache) {
    const CnRows* rows = &world->step.rows;
    int begin = 0; // of the blocks of the same pair
    for (int i = 0; i < rows->blocks.count; ++i) {
        int entry = cn_map_get(&cache->map, rows->blocks.data[i].key);
        if (entry >= 0) {
            add_entry(world, cache, entry, i);
        }
        if (i + 1 == rows->blocks.count || pair_of(world, i + 1) != pair_of(world, begin)) {
            match_renamed(world, cache, begin, i + 1);
            begin = i + 1;
        }
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
    cache->entries.data[entry].key = block->key;
    cache->entries.data[entry].pair = pair_of(world, index);
    if (source->contact >= 0) {
        const CnContact* contact = &step->contacts.data[source->contact];
        place_contact(world, contact, cache->entries.data[entry].place);
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
    cn_map_clear(&cache->pairs);
    cache->entries.count = 0;
    if (!cn_array_reserve(&cache->entries, &world->allocator, rows->blocks.count)) {
        return CN_NO_MEMORY;
    }
    for (int i = 0; i < rows->blocks.count; ++i) {
        int entry = cache->entries.count++;
        store_block(world, i, cache, entry);
        bool is_first = i == 0 || pair_of(world, i) != pair_of(world, i - 1);
        if (!cn_map_set(&cache->map, rows->blocks.data[i].key, entry) ||
            (is_first && !cn_map_set(&cache->pairs, pair_of(world, i), entry))) {
            cn_map_clear(&cache->map);
            cn_map_clear(&cache->pairs);
            return CN_NO_MEMORY;
        }
    }
    cache->dt = world->step.dt;
    return CN_OK;
}

// Speed of a contact along its tangents after the step [m/s], against the belt where there is one;
// 0 for one without friction.
static double slip_of(const CnWorld* world, int index) {
    const CnRows* rows = &world->step.rows;
    const CnBlock* block = &rows->blocks.data[index];
    int contact = rows->sources.data[index].contact;
    bool belt = contact >= 0 && cn_contact_is_belt(&world->step.contacts.data[contact]);
    double square = 0.0;
    for (int row = block->first_row + 1; row < block->first_row + block->row_count; ++row) {
        double rate = belt ? -rows->target[row] : 0.0;
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

void cn_warm_start_forget(CnWorld* world) {
    CnImpulseCache* cache = &world->caches[world->cache];
    cn_map_clear(&cache->map);
    cn_map_clear(&cache->pairs);
    cache->entries.count = 0;
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
        bool slides = slip_of(world, i) > SLIP * fmax(residual, world->def.solver.tolerance);
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
