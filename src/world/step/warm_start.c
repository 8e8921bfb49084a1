// warm_start.c - what a solve leaves for the next one: impulses of contact points and constraints.
#include "world/step/warm_start.h"

#include "base/fetch.h"
#include "world/contacts/contact_friction.h"
#include "world/contacts/contacts.h"
#include "world/contacts/manifolds.h"
#include "world/step/rows.h"
#include "world/trees/compact_rows.h"
#include "world/trees/tree_store.h"

#include <string.h>

// The policy of the row engine this option comes from: impulses below the first number are not
// worth judging; a residual or a momentum drift at the others counts as full severity.
#define JUDGED_IMPULSE 1e-3  // [N s]
#define SEVERE_RESIDUAL 1e-3 // [m/s]
#define SEVERE_DRIFT 2.5e-4  // relative
#define SEVERITY_SHARE 0.75

// Ledgers close to about 1e-15 per term: what they miss below this is round-off, not drift.
#define CLOSED 1e-9

// A contact that sticks well inside its cone slips by no more than its residual, one near the
// surface by some times as much; what slips by this many times the tolerance slides.
#define SLIP 100.0

// Constraints of so many blocks later are prefetched: a cache line from memory takes as long.
#define FETCHED_AHEAD 16

double cn_warm_start_scaled(const CnWarmStartRow* row) {
    if (fabs(row->impulse) <= JUDGED_IMPULSE) {
        return 1.0;
    }
    double drift = row->drift > CLOSED ? row->drift : 0.0;
    double severity = fmax(drift / SEVERE_DRIFT, row->residual / SEVERE_RESIDUAL);
    return 1.0 - SEVERITY_SHARE * fmax(0.0, fmin(1.0, severity));
}

bool cn_warm_start_is_full(const CnWorld* world) {
    const CnStepDef* step = &world->def.step;
    return step->warm_start == CN_WARM_START_FULL && step->warm_start_factor == 1.0 &&
           world->def.warm_start_hook.policy == NULL;
}

double cn_warm_start_guess(const CnWorld* world, CnWarmStartRow* row) {
    const CnWarmStartHook* hook = &world->def.warm_start_hook;
    bool scaled = world->def.step.warm_start == CN_WARM_START_SCALED;
    row->drift = world->drift;
    row->factor = scaled ? cn_warm_start_scaled(row) : 1.0;
    double factor = row->factor;
    if (hook->policy != NULL && row->impulse != 0.0) {
        double said = hook->policy(world, row, hook->data);
        factor = isfinite(said) ? fmax(0.0, said) : row->factor;
    }
    return row->impulse * factor * world->def.step.warm_start_factor;
}

// Velocity of a body at the end of an arm; the world stands still.
static CnVec3 velocity_at(const CnStep* step, int body, const double arm[3]) {
    if (body < 0) {
        return cn_vec3(0.0, 0.0, 0.0);
    }
    const double* v = step->velocity[body];
    CnVec3 turning = cn_vec3(v[3], v[4], v[5]);
    return cn_vec3_add(cn_vec3(v[0], v[1], v[2]),
                       cn_vec3_cross(turning, cn_vec3(arm[0], arm[1], arm[2])));
}

static CnVec3 direction_of(const CnContactTile* tile, int row) {
    return cn_vec3(tile->direction[row][0], tile->direction[row][1], tile->direction[row][2]);
}

// Speed of a point of a tile along its tangents after the step [m/s], against the belt where there
// is one; 0 without friction.
static double tile_slip(const CnStep* step, const CnManifold* manifold, int i) {
    const CnContactTile* tile = &manifold->tile;
    double arm_a[3], arm_b[3];
    cn_tile_arm(tile, 0, i, arm_a);
    cn_tile_arm(tile, 1, i, arm_b);
    CnVec3 slip =
        cn_vec3_sub(velocity_at(step, tile->body_b, arm_b), velocity_at(step, tile->body_a, arm_a));
    double square = 0.0;
    for (int row = 1; row < tile->row_count; ++row) {
        double belt = manifold->is_belt ? cn_tile_target(tile, row, i) : 0.0;
        double rate = cn_vec3_dot(direction_of(tile, row), slip) - belt;
        square += rate * rate;
    }
    return sqrt(square);
}

// Speed of an explicit contact along and about its friction rows after the step.
static double block_slip(const CnStep* step, const CnBlock* block, bool belt) {
    const CnRows* rows = &step->rows;
    double square = 0.0;
    for (int row = block->first_row + 1; row < block->first_row + block->row_count; ++row) {
        double rate = belt ? -rows->target[row] : 0.0;
        for (int k = 0; block->body_a >= 0 && k < 6; ++k) {
            rate += rows->jacobian_a[row][k] * step->velocity[block->body_a][k];
        }
        for (int k = 0; block->body_b >= 0 && k < 6; ++k) {
            rate += rows->jacobian_b[row][k] * step->velocity[block->body_b][k];
        }
        square += rate * rate;
    }
    return sqrt(square);
}

// What a point learns of the end of a step.
static void conclude(const CnWorld* world, CnTouchPoint* point, double normal, double slip,
                     double residual) {
    point->age = (uint8_t)(point->age + (point->age < CN_MAX_AGE));
    point->pressed = normal > 0.0;
    point->stuck = !(slip > SLIP * fmax(residual, world->def.solver.tolerance));
}

static void forget_solve(CnManifold* manifold, int i) {
    manifold->tile.residual[i] = 0.0f;
    manifold->points[i].pressed = manifold->points[i].stuck = false;
}

// Impulses are in the tile; those of points that do not act are zero there.
static void keep_tile(CnWorld* world, bool is_final, int index) {
    CnPairStore* store = &world->pairs;
    CnManifold* manifold = cn_manifold_at(store, index);
    const CnContactTile* tile = &manifold->tile;
    for (int i = 0; i < manifold->count; ++i) {
        if (store->keeps_apart) {
            store->kept.data[index].points[i] = cn_manifold_impulse(manifold, i);
        }
        if ((tile->acting >> i & 1u) != 0 && is_final) {
            conclude(world, &manifold->points[i], tile->impulse[0][i],
                     tile_slip(&world->step, manifold, i), (double)tile->residual[i]);
        } else if (is_final) {
            forget_solve(manifold, i);
        }
    }
}

static void forget_wide(CnWorld* world, int index, bool is_final) {
    CnManifold* manifold = cn_manifold_at(&world->pairs, index);
    for (int i = 0; i < manifold->count; ++i) {
        cn_pair_store_set_impulse(&world->pairs, index, i, cn_vec3(0.0, 0.0, 0.0));
        if (is_final) {
            forget_solve(manifold, i);
        }
        cn_touch_extras(&world->pairs, index, i)->moment = cn_vec3(0.0, 0.0, 0.0);
    }
}

static inline CnUserConstraint* keep_constraint(CnWorld* world, int block, bool is_final) {
    const CnStep* step = &world->step;
    const CnBlock* data = &step->rows.blocks.data[block];
    const CnBlockSource* source = &step->rows.sources.data[block];
    const double* p = step->rows.impulse + data->first_row;
    CnUserConstraint* constraint = cn_pool_element(&world->constraints, source->constraint);
    if (constraint->kind->dimension == 1) {
        constraint->kept[0] = p[0];
        constraint->impulse[0] += is_final ? p[0] : 0.0;
    } else if (data->row_count == constraint->kind->dimension) {
        for (int k = 0; k < data->row_count; ++k) { // all rows, in their order
            constraint->kept[k] = p[k];
            constraint->impulse[k] += is_final ? p[k] : 0.0;
        }
    } else {
        memset(constraint->kept, 0, sizeof constraint->kept); // of rows that are left out
        for (int k = 0; k < data->row_count; ++k) {
            constraint->kept[source->rows[k]] = p[k];
            constraint->impulse[source->rows[k]] += is_final ? p[k] : 0.0;
        }
    }
    constraint->residual = is_final ? step->block_residual.data[block] : 0.0;
    constraint->age += is_final && constraint->age < CN_MAX_AGE;
    return constraint;
}

static void keep_explicit(CnWorld* world, int block, bool is_final) {
    const CnStep* step = &world->step;
    const CnBlock* data = &step->rows.blocks.data[block];
    const CnBlockSource* source = &step->rows.sources.data[block];
    const double* p = step->rows.impulse + data->first_row;
    CnManifold* manifold = cn_manifold_at(&world->pairs, source->manifold);
    CnVec3 kept;
    CnTouchExtras* extras = cn_touch_extras(&world->pairs, source->manifold, source->point);
    CnContact contact = cn_manifold_contact(world, manifold, NULL);
    cn_contact_set_point(&contact, manifold, source->point, extras);
    cn_contact_impulse(&contact, data, p, &kept, &extras->moment);
    cn_pair_store_set_impulse(&world->pairs, source->manifold, source->point, kept);
    if (is_final) {
        double residual = step->block_residual.data[block];
        manifold->tile.residual[source->point] = (float)residual;
        conclude(world, &manifold->points[source->point], p[0],
                 block_slip(step, data, manifold->is_belt), residual);
    }
}

static void forget_kept(CnWorld* world, int slot) {
    CnUserConstraint* constraint = cn_pool_element(&world->constraints, slot);
    memset(constraint->kept, 0, sizeof constraint->kept);
    constraint->residual = 0.0;
}

static void forget_left_out(CnWorld* world) {
    const CnTreeStore* store = world->trees;
    for (int i = 0; i < store->drive_count; ++i) {
        if (store->drives[i].is_left_out) {
            forget_kept(world, store->drives[i].slot);
        }
    }
}

// Of constraints without rows nothing is kept; mostly all have some, but for stops out of reach.
static void forget_others(CnWorld* world) {
    const CnRows* rows = &world->step.rows;
    int posed = 0;
    for (int i = 0; i < rows->blocks.count; ++i) {
        posed += rows->sources.data[i].constraint >= 0;
    }
    int missing = world->active.constraints.count - posed;
    if (missing > 0 && world->trees != NULL && missing == world->trees->left_out_count) {
        forget_left_out(world);
        return;
    }
    for (int i = 0; missing > 0 && i < world->active.constraints.count; ++i) {
        forget_kept(world, world->active.constraints.data[i]);
    }
}

void cn_warm_start_keep_contacts(CnWorld* world, int begin, int end, bool is_final) {
    for (int i = begin; i < end; ++i) {
        int index = world->step.manifolds.data[i];
        CnManifold* manifold = cn_manifold_at(&world->pairs, index);
        if (manifold->is_wide) {
            forget_wide(world, index, is_final);
        } else if (manifold->is_solved) {
            keep_tile(world, is_final, index);
        }
        manifold->is_solved = false;
        // Friction of what sticks depends on what the last step did.
        manifold->has_tile = manifold->has_tile && !manifold->has_hold;
    }
}

void cn_warm_start_keep_rows(CnWorld* world, bool is_final) {
    CnStep* step = &world->step;
    forget_others(world);
    for (int i = 0; i < step->rows.blocks.count; ++i) {
        if (step->rows.sources.data[i].constraint >= 0) {
            keep_constraint(world, i, is_final);
        } else {
            keep_explicit(world, i, is_final);
        }
    }
    world->kept_dt = step->dt;
}

// Of a joint whose tree gave it impulses at the end of the step. False: of something else.
static bool add_late(const CnTreeStore* store, int slot, CnUserConstraint* constraint) {
    int place = store->place[slot];
    if (place < 0) {
        return false;
    }
    for (int k = 0; k < constraint->kind->dimension; ++k) { // the rows of its link
        constraint->impulse[k] += store->late_impulse[place][k];
    }
    return true;
}

static bool has_block(const CnRows* rows, int slot) {
    for (int i = 0; i < rows->blocks.count; ++i) {
        if (rows->sources.data[i].constraint == slot) {
            return true;
        }
    }
    return false;
}

// Joints of links have rows in every step that trees serve: there are none without.
static void add_late_without_rows(CnWorld* world) {
    for (int i = 0; i < world->trees->link_count; ++i) {
        int slot = world->trees->links[i].slot;
        if (slot >= 0 && !has_block(&world->step.rows, slot)) {
            add_late(world->trees, slot, cn_pool_element(&world->constraints, slot));
        }
    }
}

void cn_warm_start_keep_all_rows(CnWorld* world) {
    CnStep* step = &world->step;
    const CnTreeStore* store = world->trees != NULL && world->trees->has_late ? world->trees : NULL;
    int added = 0;
    forget_others(world);
    for (int i = 0; i < step->rows.blocks.count; ++i) {
        const CnBlockSource* source = &step->rows.sources.data[i];
        if (source->constraint < 0) {
            keep_explicit(world, i, true);
            continue;
        }
        CnUserConstraint* constraint = keep_constraint(world, i, true);
        bool may_be_late = store != NULL && source->turn == 0; // drives are not
        added += may_be_late && add_late(store, source->constraint, constraint);
    }
    cn_world_add_constraint_impulses(world, &world->correction.rows);
    if (store != NULL && added != store->joint_count) {
        add_late_without_rows(world);
    }
    world->kept_dt = step->dt;
}

// Of the row's force on B, else of its torque; against that on A where B is none.
static CnVec3 row_direction(const CnRows* rows, const CnBlock* block, int row) {
    const double* jacobian = block->body_b >= 0 ? rows->jacobian_b[row] : rows->jacobian_a[row];
    CnVec3 force = cn_vec3(jacobian[0], jacobian[1], jacobian[2]);
    CnVec3 torque = cn_vec3(jacobian[3], jacobian[4], jacobian[5]);
    CnVec3 on_body = cn_vec3_length(force) > 0.0 ? force : torque;
    double length = cn_vec3_length(on_body);
    double sign = block->body_b >= 0 ? 1.0 : -1.0;
    return length > 0.0 ? cn_vec3_scale(sign / length, on_body) : on_body;
}

static double guess_row(const CnWorld* world, const CnUserConstraint* constraint, int block, int k,
                        double impulse) {
    const CnRows* rows = &world->step.rows;
    cn_rows_write(rows, block);
    CnWarmStartRow row = {
        .channel = cn_world_constraint_channel(constraint, rows->sources.data[block].rows[k]),
        .body_a = constraint->body_a,
        .body_b = constraint->body_b,
        .direction =
            row_direction(rows, &rows->blocks.data[block], rows->blocks.data[block].first_row + k),
        .impulse = impulse,
        .residual = constraint->residual,
        .age = constraint->age,
    };
    return cn_warm_start_guess(world, &row);
}

static void fetch_kept(const CnWorld* world, const CnBlockSource* source) {
    if (source->constraint >= 0) {
        const CnUserConstraint* later = cn_pool_element(&world->constraints, source->constraint);
        cn_fetch(&later->kept[0]);
        cn_fetch(&later->kept[CN_MAX_ROWS - 1]);
    }
}

void cn_warm_start_constraints(CnWorld* world, bool resumes) {
    const CnStep* step = &world->step;
    const CnRows* rows = &step->rows;
    bool is_off = world->def.step.warm_start == CN_WARM_START_OFF && !resumes;
    bool is_full = cn_warm_start_is_full(world) || resumes || is_off;
    double ratio = world->kept_dt > 0.0 && !is_off ? step->dt / world->kept_dt : 0.0;
    bool are_many = cn_fetch_pays(rows->blocks.count, sizeof(CnUserConstraint));
    for (int i = 0; i < rows->blocks.count; ++i) {
        const CnBlock* block = &rows->blocks.data[i];
        const CnBlockSource* source = &rows->sources.data[i];
        if (source->constraint < 0) {
            continue;
        }
        const CnUserConstraint* constraint =
            cn_pool_element(&world->constraints, source->constraint);
        if (are_many && i + FETCHED_AHEAD < rows->blocks.count) {
            fetch_kept(world, &rows->sources.data[i + FETCHED_AHEAD]);
        }
        double* impulse = rows->impulse + block->first_row;
        for (int k = 0; k < block->row_count; ++k) {
            impulse[k] = ratio * constraint->kept[source->rows[k]];
        }
        for (int k = 0; !is_full && k < block->row_count; ++k) {
            impulse[k] = guess_row(world, constraint, i, k, impulse[k]);
        }
    }
}

void cn_warm_start_forget(CnWorld* world) {
    world->kept_dt = 0.0;
}
