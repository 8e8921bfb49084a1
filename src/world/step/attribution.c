// attribution.c - what each row direction did in a step: docs/theory/ledger.md (16)-(19).
#include "world/step/attribution.h"

#include "base/error.h"
#include "constraints/problem/block.h"
#include "world/bodies/motion.h"
#include "world/contacts/contact_friction.h"
#include "world/contacts/contact_rows.h"
#include "world/contacts/contact_totals.h"
#include "world/contacts/contacts.h"
#include "world/step/ledger.h"
#include "world/step/rows.h"
#include "world/trees/compact_rows.h"

#define CONTACT_SEED (CN_HASH_SEED ^ UINT64_C(0x636f6e))    // "con"
#define CONSTRAINT_SEED (CN_HASH_SEED ^ UINT64_C(0x726f77)) // "row"

void cn_attribution_begin(CnWorld* world) {
    CnAttributionStore* store = &world->attribution;
    store->entries.count = 0;
    store->is_kept = world->def.step.attribution;
    if (store->is_kept) {
        cn_map_clear(&store->places);
    }
}

void cn_attribution_free(CnAttributionStore* store, const CnAllocator* allocator) {
    cn_array_free(&store->entries, allocator);
    cn_map_destroy(&store->places);
}

// ---- entries ----

static bool is_dynamic(const CnWorld* world, int body) {
    return body >= 0 && cn_world_body_by_index(world, body)->type == CN_BODY_DYNAMIC;
}

static CnBodyId id_at(const CnWorld* world, int body) {
    return body < 0 ? (CnBodyId){0} : world->order.data[body];
}

// The share of what has this key, made when it is not there yet. NULL: no memory.
static CnChannelShare* find_share(CnWorld* world, uint64_t key, const CnBlock* block,
                                  const CnAttribution* fresh) {
    CnAttributionStore* store = &world->attribution;
    key = cn_hash_mix(key, (uint64_t)fresh->channel);
    int place = cn_map_get(&store->places, key);
    if (place < 0) {
        CnAttributionEntry entry = {.told = *fresh};
        for (int side = 0; side < CN_BLOCK_SIDES; ++side) {
            int body = cn_block_body(block, side);
            entry.body[side] = is_dynamic(world, body) ? body : CN_NONE;
        }
        entry.told.body_a = id_at(world, block->body_a);
        entry.told.body_b = id_at(world, block->body_b);
        place = store->entries.count;
        if (!cn_map_set(&store->places, key, place) ||
            !cn_array_push(&store->entries, &world->allocator, entry)) {
            return NULL;
        }
    }
    return &store->entries.data[place].told.share;
}

static CnChannelShare* contact_share(CnWorld* world, int manifold, CnChannel channel) {
    const CnManifold* own = cn_manifold_at(&world->pairs, manifold);
    const CnPairRecord* record = &world->pairs.records.data[own->pair];
    CnAttribution fresh = {.channel = channel};
    uint64_t key = CONTACT_SEED;
    if (record->given >= 0) {
        CnPoolId id = cn_pool_id_at(&world->given_contacts, record->given);
        fresh.contact = (CnContactId){id.index, id.generation};
        key = cn_hash_mix(key, (uint64_t)id.index << 32 | id.generation);
    } else {
        fresh.shape_a = cn_world_shape_id(world, record->shape[0]);
        fresh.shape_b = cn_world_shape_id(world, record->shape[1]);
        key = cn_hash_mix(key, cn_world_shape_key(world, record->shape[0]) + 1);
        key = cn_hash_mix(key, cn_world_shape_key(world, record->shape[1]));
    }
    CnBlock block = {.body_a = own->tile.body_a, .body_b = own->tile.body_b};
    return find_share(world, key, &block, &fresh);
}

static CnChannelShare* constraint_share(CnWorld* world, const CnBlock* block,
                                        const CnBlockSource* source, int row) {
    const CnUserConstraint* constraint = cn_pool_at(&world->constraints, source->constraint);
    CnPoolId id = cn_pool_id_at(&world->constraints, source->constraint);
    CnAttribution fresh = {
        .channel = cn_world_constraint_channel(constraint, row),
        .constraint = {id.index, id.generation},
        .joint = constraint->joint,
    };
    uint64_t key = cn_hash_mix(CONSTRAINT_SEED, (uint64_t)id.index << 32 | id.generation);
    return find_share(world, key, block, &fresh);
}

// Of row k of an explicit contact: the normal, then friction.
static CnChannel contact_channel(const CnWorld* world, const CnBlockSource* source, int k) {
    const CnManifold* manifold = cn_manifold_at(&world->pairs, source->manifold);
    if (k == 0) {
        return CN_CHANNEL_NORMAL;
    }
    CnContact contact = cn_manifold_contact(world, manifold, NULL);
    cn_contact_set_point(&contact, manifold, source->point,
                         cn_touch_extras(&world->pairs, source->manifold, source->point));
    return cn_contact_friction_rows(&contact).row[k - 1].channel;
}

CnChannelShare* cn_attribution_row(CnWorld* world, const CnBlock* block,
                                   const CnBlockSource* source, int k) {
    return source->constraint >= 0
               ? constraint_share(world, block, source, source->rows[k])
               : contact_share(world, source->manifold, contact_channel(world, source, k));
}

// ---- booking ----

void cn_attribution_push(CnChannelShare* share, CnVec3 center, CnVec3 impulse, CnVec3 moment,
                         bool internal) {
    CnVec3* linear = internal ? &share->linear_internal : &share->linear_external;
    CnVec3* angular = internal ? &share->angular_internal : &share->angular_external;
    *linear = cn_vec3_add(*linear, impulse);
    *angular = cn_vec3_add(*angular, cn_vec3_add(moment, cn_vec3_cross(center, impulse)));
}

// Where a body is and how it moves while rows act on it.
typedef struct Acting {
    CnVec3 center;
    CnVec3 velocity, turning; // means, world axes
} Acting;

typedef Acting ActingFunction(const CnWorld* world, int body);

// During the solve: ledger.md (1), (2).
static Acting acting_in_solve(const CnWorld* world, int body) {
    const double* v = world->step.mean_velocity[body];
    return (Acting){world->step.motions.data[body].center, cn_vec3(v[0], v[1], v[2]),
                    cn_vec3(v[3], v[4], v[5])};
}

// During the relaxation, at the end of the step.
static Acting acting_late(const CnWorld* world, int body) {
    const CnBodyState* state = &cn_world_body_by_index(world, body)->state;
    const CnMotion* motion = &world->step.motions.data[body];
    CnVec3 spin =
        cn_vec3_scale(0.5, cn_vec3_add(motion->end_spin, cn_motion_final_spin(&world->step, body)));
    return (Acting){
        state->center,
        cn_vec3_scale(0.5, cn_vec3_add(cn_motion_end_velocity(world, body), state->velocity)),
        cn_quat_rotate(state->rotation, spin)};
}

static void book_side(const CnWorld* world, int body, ActingFunction* acting, CnVec3 impulse,
                      CnVec3 moment, bool internal, CnChannelShare* share) {
    if (!is_dynamic(world, body)) {
        return;
    }
    Acting at = acting(world, body);
    double turning = cn_vec3_dot(at.turning, moment);
    share->work += cn_vec3_dot(at.velocity, impulse) + turning;
    share->angular_work += turning;
    cn_attribution_push(share, at.center, impulse, moment, internal);
}

static CnVec3 vector(double factor, const double x[3]) {
    return cn_vec3(factor * x[0], factor * x[1], factor * x[2]);
}

double cn_attribution_row_size(const CnRows* rows, const CnBlock* block, int row) {
    const double* jacobian = block->body_b >= 0 ? rows->jacobian_b[row] : rows->jacobian_a[row];
    double force = cn_vec3_length(vector(1.0, jacobian));
    return force > 0.0 ? force : cn_vec3_length(vector(1.0, jacobian + 3));
}

static CnStatus book_rows(CnWorld* world, const CnRows* rows, ActingFunction* acting) {
    for (int i = 0; i < rows->blocks.count; ++i) {
        const CnBlock* block = &rows->blocks.data[i];
        const CnBlockSource* source = &rows->sources.data[i];
        bool internal = cn_ledger_is_internal(world, block, source);
        cn_rows_write(rows, i);
        for (int k = 0; k < block->row_count; ++k) {
            int row = block->first_row + k;
            double p = rows->impulse[row];
            CnChannelShare* share = cn_attribution_row(world, block, source, k);
            if (share == NULL) {
                return CN_NO_MEMORY;
            }
            share->impulse += p * cn_attribution_row_size(rows, block, row);
            for (int side = 0; side < cn_block_sides(block); ++side) {
                const double* j = cn_rows_jacobian(rows, row, side);
                book_side(world, cn_block_body(block, side), acting, vector(p, j), vector(p, j + 3),
                          internal, share);
            }
        }
    }
    return CN_OK;
}

// One row of the points of a tile.
static CnStatus book_tile_row(CnWorld* world, int index, int row, bool internal) {
    static const CnChannel channels[] = {CN_CHANNEL_NORMAL, CN_CHANNEL_TANGENT_1,
                                         CN_CHANNEL_TANGENT_2};
    CnChannelShare* share = contact_share(world, index, channels[row]);
    const CnContactTile* tile = &cn_manifold_at(&world->pairs, index)->tile;
    CnVec3 direction = vector(1.0, tile->direction[row]);
    double size = cn_vec3_length(direction);
    if (share == NULL) {
        return CN_NO_MEMORY;
    }
    for (int i = 0; i < CN_TILE_POINTS; ++i) {
        if ((tile->acting >> i & 1u) == 0) {
            continue;
        }
        CnVec3 impulse = cn_vec3_scale(tile->impulse[row][i], direction);
        CnVec3 against = cn_vec3_negate(impulse);
        double arm[2][3];
        cn_tile_arm(tile, 0, i, arm[0]);
        cn_tile_arm(tile, 1, i, arm[1]);
        CnVec3 arm_a = vector(1.0, arm[0]), arm_b = vector(1.0, arm[1]);
        share->impulse += tile->impulse[row][i] * size;
        book_side(world, tile->body_a, acting_in_solve, against, cn_vec3_cross(arm_a, against),
                  internal, share);
        book_side(world, tile->body_b, acting_in_solve, impulse, cn_vec3_cross(arm_b, impulse),
                  internal, share);
    }
    return CN_OK;
}

CnStatus cn_attribution_add_late(CnWorld* world) {
    return world->attribution.is_kept ? book_rows(world, &world->correction.rows, acting_late)
                                      : CN_OK;
}

CnStatus cn_attribution_add_solve(CnWorld* world) {
    CnStatus status = CN_OK;
    if (!world->attribution.is_kept) {
        return CN_OK;
    }
    for (int i = 0; i < world->step.manifolds.count; ++i) {
        int index = world->step.manifolds.data[i];
        const CnContactTile* tile = &cn_manifold_at(&world->pairs, index)->tile;
        bool internal = is_dynamic(world, tile->body_a) && is_dynamic(world, tile->body_b);
        int rows = tile->acting != 0 ? tile->row_count : 0;
        for (int row = 0; row < rows && status == CN_OK; ++row) {
            status = book_tile_row(world, index, row, internal);
        }
    }
    if (status == CN_OK) {
        status = book_rows(world, &world->step.rows, acting_in_solve);
    }
    return status == CN_OK ? cn_attribution_add_late(world) : status;
}

// ---- islands ----

static int root_of(int* parent, int body) {
    while (parent[body] != body) {
        parent[body] = parent[parent[body]];
        body = parent[body];
    }
    return body;
}

// Bodies that an entry joins; then roots get numbers in the order of entries.
static void number_islands(CnAttributionStore* store, int* parent, int* number) {
    int count = 0;
    for (int i = 0; i < store->entries.count; ++i) {
        const int* body = store->entries.data[i].body;
        for (int k = 1, last = body[0]; k < CN_BLOCK_SIDES; ++k) {
            if (body[k] < 0) {
                continue;
            }
            if (last >= 0) {
                int a = root_of(parent, last), b = root_of(parent, body[k]);
                parent[a > b ? a : b] = a > b ? b : a;
            }
            last = body[k];
        }
    }
    for (int i = 0; i < store->entries.count; ++i) {
        CnAttributionEntry* entry = &store->entries.data[i];
        int any = entry->body[0];
        for (int k = 1; any < 0 && k < CN_BLOCK_SIDES; ++k) {
            any = entry->body[k];
        }
        CN_ASSERT(any >= 0); // else it had no rows
        int root = root_of(parent, any);
        number[root] = number[root] < 0 ? count++ : number[root];
        entry->told.island = number[root];
    }
}

CnStatus cn_attribution_end(CnWorld* world) {
    if (!world->attribution.is_kept) {
        return CN_OK;
    }
    CnArenaMark mark = cn_arena_mark(&world->arena);
    int* parent = CN_ARENA_NEW(&world->arena, int, world->bodies.count);
    int* number = CN_ARENA_NEW(&world->arena, int, world->bodies.count);
    bool has_memory = parent != NULL && number != NULL;
    for (int i = 0; has_memory && i < world->bodies.count; ++i) {
        parent[i] = i;
        number[i] = -1;
    }
    if (has_memory) {
        number_islands(&world->attribution, parent, number);
    }
    cn_arena_release(&world->arena, mark);
    return has_memory ? CN_OK : CN_NO_MEMORY;
}

// ---- reading ----

int cn_world_attribution(const CnWorld* world, CnAttribution* entries, int capacity) {
    const CnAttributionStore* store = &world->attribution;
    for (int i = 0; i < store->entries.count && i < capacity; ++i) {
        entries[i] = store->entries.data[i].told;
    }
    return store->is_kept ? store->entries.count : -1;
}

static void add_share(CnChannelShare* total, const CnChannelShare* share) {
    total->work += share->work;
    total->angular_work += share->angular_work;
    total->impulse += share->impulse;
    total->linear_external = cn_vec3_add(total->linear_external, share->linear_external);
    total->angular_external = cn_vec3_add(total->angular_external, share->angular_external);
    total->linear_internal = cn_vec3_add(total->linear_internal, share->linear_internal);
    total->angular_internal = cn_vec3_add(total->angular_internal, share->angular_internal);
}

void cn_attribution_sum(const CnAttribution* entries, int count, int island,
                        CnChannelShare totals[CN_CHANNEL_COUNT]) {
    for (int i = 0; i < count; ++i) {
        if (island == CN_ALL_ISLANDS || entries[i].island == island) {
            add_share(&totals[entries[i].channel], &entries[i].share);
        }
    }
}

static double relative(CnVec3 a, CnVec3 b, double scale) {
    double difference = cn_vec3_length(cn_vec3_sub(a, b));
    return difference == 0.0 ? 0.0 : difference / scale;
}

double cn_attribution_error(const CnChannelShare totals[CN_CHANNEL_COUNT],
                            const CnStepReport* report) {
    const CnEnergyLedger* energy = &report->energy;
    const CnMomentumLedger* momentum = &report->momentum;
    CnChannelShare sum = {0};
    for (int i = 0; i < CN_CHANNEL_COUNT; ++i) {
        add_share(&sum, &totals[i]);
    }
    double work = energy->work[CN_WORK_CONTACT] + energy->work[CN_WORK_FRICTION] +
                  energy->work[CN_WORK_CONSTRAINT] + energy->work[CN_WORK_DRIVE];
    double missing = fabs(sum.work - work);
    double error = missing == 0.0 ? 0.0 : missing / energy->scale;
    const struct {
        CnVec3 own, booked;
        double scale;
    } sums[] = {
        {sum.linear_external, momentum->linear_external, momentum->linear_scale},
        {sum.linear_internal, momentum->linear_internal, momentum->linear_scale},
        {sum.angular_external, momentum->angular_external, momentum->angular_scale},
        {sum.angular_internal, momentum->angular_internal, momentum->angular_scale},
    };
    for (size_t i = 0; i < sizeof sums / sizeof sums[0]; ++i) {
        double off = relative(sums[i].own, sums[i].booked, sums[i].scale);
        error = off > error || isnan(off) ? off : error;
    }
    return error;
}
