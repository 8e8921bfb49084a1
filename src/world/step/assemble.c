// assemble.c - the problem of the last step as one value, for those who ask for it.
#include "constraints/problem/block.h"
#include "constraints/problem/certificate.h"
#include "world/contacts/contact_rows.h"
#include "world/contacts/contacts.h"
#include "world/contacts/manifolds.h"
#include "world/soft/soft_grade.h"
#include "world/step/rows.h"
#include "world/step/solve_step.h"
#include "world/trees/compact_rows.h"

#include <math.h>
#include <string.h>

static CnManifold* manifold_at(const CnWorld* world, int place) {
    return cn_manifold_at(&world->pairs, world->step.manifolds.data[place]);
}

// Room for a block of a tile's point, with its source and key.
static CnBlock* add_block(CnWorld* world, int manifold, int point, const CnContactTile* tile) {
    CnLaw law = tile->row_count > 1 ? CN_LAW_COULOMB : CN_LAW_BOUNDS;
    return cn_rows_add(&world->assembled.rows, &world->allocator, law, tile->row_count,
                       cn_manifold_source(world, manifold, point));
}

// The rows of one tile: blocks of the same shape as explicit ones.
static CnStatus add_tile(CnWorld* world, int place) {
    CnRows* rows = &world->assembled.rows;
    int manifold = world->step.manifolds.data[place];
    CnContactTile* tile = &cn_manifold_at(&world->pairs, manifold)->tile;
    int first_block = rows->blocks.count, first_row = rows->row_count;
    for (int i = 0; i < CN_TILE_POINTS; ++i) {
        if ((tile->acting >> i & 1u) != 0 && add_block(world, manifold, i, tile) == NULL) {
            return CN_NO_MEMORY;
        }
    }
    CnTileRows out = {
        .block_count = first_block,
        .row_count = first_row,
        .blocks = rows->blocks.data,
        .jacobian_a = rows->jacobian_a,
        .jacobian_b = rows->jacobian_b,
        .target = rows->target,
        .compliance = rows->compliance,
        .lower = rows->lower,
        .upper = rows->upper,
        .offset = rows->offset,
        .slope = rows->slope,
        .impulse = rows->impulse,
    };
    cn_tiles_write_blocks(&(CnTileSet){1, &tile, NULL}, NULL, &out);
    CnContact contact = cn_manifold_contact(world, manifold_at(world, place), NULL);
    for (int i = first_block; i < rows->blocks.count; ++i) {
        int point = rows->sources.data[i].point;
        cn_contact_set_point(&contact, manifold_at(world, place), point, NULL);
        rows->blocks.data[i].key = cn_contact_key(world, &contact);
    }
    return CN_OK;
}

static CnStatus add_explicit(CnWorld* world, int index) {
    const CnRows* from = &world->step.rows;
    CnRows* rows = &world->assembled.rows;
    CnBlock source = from->blocks.data[index];
    bool has_second = cn_block_has_second(&source);
    cn_rows_write(from, index);
    if (has_second && !cn_rows_announce_second(rows, &world->allocator)) {
        return CN_NO_MEMORY;
    }
    CnBlockSource origin = from->sources.data[index];
    origin.compact = origin.turn = 0; // its rows are written
    CnBlock* block = cn_rows_add(rows, &world->allocator, source.law, source.row_count, origin);
    if (block == NULL) {
        return CN_NO_MEMORY;
    }
    int first = block->first_row;
    size_t count = (size_t)source.row_count;
    *block = source;
    block->first_row = first;
    memcpy(rows->jacobian_a + first, from->jacobian_a + source.first_row,
           count * sizeof *rows->jacobian_a);
    memcpy(rows->jacobian_b + first, from->jacobian_b + source.first_row,
           count * sizeof *rows->jacobian_b);
    if (has_second) {
        memcpy(rows->jacobian_c + first, from->jacobian_c + source.first_row,
               count * sizeof *rows->jacobian_c);
        memcpy(rows->jacobian_d + first, from->jacobian_d + source.first_row,
               count * sizeof *rows->jacobian_d);
    }
    double* const copies[] = {rows->target, rows->compliance, rows->lower,  rows->upper,
                              rows->offset, rows->slope,      rows->impulse};
    const double* const sources[] = {from->target, from->compliance, from->lower,  from->upper,
                                     from->offset, from->slope,      from->impulse};
    for (size_t i = 0; i < sizeof copies / sizeof copies[0]; ++i) {
        memcpy(copies[i] + first, sources[i] + source.first_row, count * sizeof(double));
    }
    return CN_OK;
}

// Mean velocities are those of an earlier step then, and no work was booked.
static void forget_work(CnAssembledStep* whole) {
    for (int i = 0; i < whole->rows.blocks.count; ++i) {
        whole->work.data[i] = (double)NAN;
    }
    whole->work.count = whole->rows.blocks.count;
}

// Work of blocks: of tiles from their impulses and the mean velocities, of explicit ones as booked.
static CnStatus find_work(CnWorld* world) {
    CnStep* step = &world->step;
    CnAssembledStep* whole = &world->assembled;
    CnTileBodies bodies = cn_step_tile_bodies(step);
    int count = 0;
    if (!cn_array_reserve(&whole->work, &world->allocator, whole->rows.blocks.count)) {
        return CN_NO_MEMORY;
    }
    whole->work.count = 0;
    if (step->body_count == 0) {
        return CN_OK;
    }
    if (!step->is_graded) {
        forget_work(whole);
        return CN_OK;
    }
    for (int i = 0; i < step->manifolds.count; ++i) {
        CnContactTile* tile = &manifold_at(world, i)->tile;
        CnTileLedger ledger = {0};
        double work[1][CN_TILE_POINTS];
        cn_tiles_book(&(CnTileSet){tile->acting != 0, &tile, NULL}, &bodies, work, &ledger);
        for (int k = 0; k < CN_TILE_POINTS; ++k) {
            if ((tile->acting >> k & 1u) != 0) {
                whole->work.data[count++] = work[0][k];
            }
        }
    }
    for (int i = 0; i < step->block_work.count; ++i) {
        whole->work.data[count++] = step->block_work.data[i];
    }
    whole->work.count = count;
    return CN_OK;
}

const CnAssembledStep* cn_step_assemble(CnWorld* world) {
    CnAssembledStep* whole = &world->assembled;
    CnStep* step = &world->step;
    if (whole->is_valid) {
        return whole;
    }
    cn_rows_clear(&whole->rows);
    CnStatus status = CN_OK;
    bool has_bodies = step->body_count > 0; // scheme soft_step poses no problem
    for (int i = 0; has_bodies && status == CN_OK && i < step->manifolds.count; ++i) {
        status = add_tile(world, i);
    }
    for (int i = 0; has_bodies && status == CN_OK && i < step->rows.blocks.count; ++i) {
        status = add_explicit(world, i);
    }
    if (status == CN_OK) {
        status = find_work(world);
    }
    if (status != CN_OK) {
        return NULL;
    }
    whole->problem = cn_rows_view(&whole->rows);
    whole->problem.body_count = step->body_count;
    whole->problem.inverse_mass = step->inverse_mass;
    whole->problem.inverse_inertia = (const double(*)[9])step->inverse_inertia;
    whole->problem.free_velocity = (const double(*)[6])step->free_velocity;
    whole->is_valid = true;
    return whole;
}

// The manifold whose tile has a block: the last one whose first block is not behind it.
static int find_manifold(const CnStep* step, int block) {
    int low = 0, high = step->first_block.count;
    while (high - low > 1) {
        int middle = low + (high - low) / 2;
        if (cn_step_first_block(step, middle) <= block) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return low;
}

static int find_point(const CnContactTile* tile, int number) {
    int point = 0;
    for (; point < CN_TILE_POINTS - 1; ++point) {
        if ((tile->acting >> point & 1u) != 0 && number-- == 0) {
            break;
        }
    }
    return point;
}

// Scheme soft_step poses no problem: a certificate of it counts manifolds. A point of one stands
// for all.
static bool find_soft_manifold(const CnWorld* world, int block, CnBlockSource* source, int* body_a,
                               int* body_b) {
    int manifold = cn_soft_graded_manifold(world, block);
    if (manifold == CN_NONE) {
        return false;
    }
    int bodies[2];
    cn_manifold_bodies(world, cn_manifold_at(&world->pairs, manifold), bodies);
    *source = cn_manifold_source(world, manifold, 0);
    *body_a = bodies[0];
    *body_b = bodies[1];
    return true;
}

bool cn_step_find_block(const CnWorld* world, int block, CnBlockSource* source, int* body_a,
                        int* body_b) {
    const CnStep* step = &world->step;
    const CnAssembledStep* whole = &world->assembled;
    int own = block - step->tile_block_count;
    if (whole->is_valid && block >= 0 && block < whole->rows.blocks.count) {
        *source = whole->rows.sources.data[block];
        *body_a = whole->rows.blocks.data[block].body_a;
        *body_b = whole->rows.blocks.data[block].body_b;
        return true;
    }
    if (own >= step->rows.blocks.count && step->body_count == 0) {
        return find_soft_manifold(world, block, source, body_a, body_b);
    }
    if (block < 0 || own >= step->rows.blocks.count) {
        return false;
    }
    if (own >= 0) {
        *source = step->rows.sources.data[own];
        *body_a = step->rows.blocks.data[own].body_a;
        *body_b = step->rows.blocks.data[own].body_b;
        return true;
    }
    int place = find_manifold(step, block);
    const CnContactTile* tile = &manifold_at(world, place)->tile;
    *source = cn_manifold_source(world, step->manifolds.data[place],
                                 find_point(tile, block - cn_step_first_block(step, place)));
    *body_a = tile->body_a;
    *body_b = tile->body_b;
    return true;
}

CnStatus cn_step_certify(CnWorld* world) {
    CnStep* step = &world->step;
    const CnAssembledStep* whole = cn_step_assemble(world);
    CnArenaMark mark = cn_arena_mark(&world->arena);
    CnStatus status = CN_NO_MEMORY;
    int blocks = whole == NULL ? 0 : whole->problem.block_count;
    double* residual = CN_ARENA_NEW(&world->arena, double, blocks);
    if (whole != NULL && residual != NULL) {
        CnSolution solution = {whole->rows.impulse, step->velocity};
        cn_certify(&whole->problem, &solution, step->mean_velocity, residual, &step->certificate);
        for (int i = 0; i < blocks; ++i) {
            const CnBlockSource* source = &whole->rows.sources.data[i];
            if (i < step->tile_block_count) {
                cn_manifold_at(&world->pairs, source->manifold)->tile.residual[source->point] =
                    (float)residual[i];
            } else {
                step->block_residual.data[i - step->tile_block_count] = residual[i];
            }
        }
        status = CN_OK;
    }
    cn_arena_release(&world->arena, mark);
    return status;
}

void cn_step_clear_contacts(CnStep* step) {
    step->manifolds.count = step->first_block.count = step->tile_parts.count = 0;
    step->tile_block_count = step->tile_row_count = 0;
}
