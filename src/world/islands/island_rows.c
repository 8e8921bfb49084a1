// island_rows.c - an island of the step as a problem of its own.
#include "world/islands/island_rows.h"

#include "constraints/problem/block.h"
#include "world/trees/compact_rows.h"
#include "world/world.h"

#include <string.h>

int cn_island_body_count(const CnWorld* world, int island) {
    const CnIslandStore* store = &world->islands;
    return store->body_start.data[island + 1] - store->body_start.data[island];
}

CnTileSet cn_island_tiles(const CnWorld* world, int island, CnArena* arena) {
    const CnIslandStore* store = &world->islands;
    const CnStep* step = &world->step;
    int begin = store->manifold_start.data[island], end = store->manifold_start.data[island + 1];
    CnContactTile** tiles = CN_ARENA_RAW(arena, CnContactTile*, end - begin);
    int* first_block = CN_ARENA_RAW(arena, int, end - begin);
    for (int i = begin; tiles != NULL && first_block != NULL && i < end; ++i) {
        int place = store->manifold.data[i];
        tiles[i - begin] = &cn_manifold_at(&world->pairs, step->manifolds.data[place])->tile;
        first_block[i - begin] = cn_step_first_block(step, place);
    }
    return (CnTileSet){end - begin, first_block == NULL ? NULL : tiles, first_block};
}

int cn_island_list_dynamic(const CnWorld* world, int island, int* list) {
    const CnIslandStore* store = &world->islands;
    int count = 0;
    for (int i = store->body_start.data[island]; i < store->body_start.data[island + 1]; ++i) {
        int body = store->body.data[i];
        if (world->step.is_dynamic[body]) {
            list[count++] = body;
        }
    }
    return count;
}

CnStatus cn_island_find_tiles(const CnWorld* world, int island, CnArena* arena, CnTileSet* tiles,
                              int** list, int* count) {
    *tiles = cn_island_tiles(world, island, arena);
    *list = CN_ARENA_RAW(arena, int, cn_island_body_count(world, island));
    if ((tiles->count > 0 && tiles->tiles == NULL) || *list == NULL) {
        return CN_NO_MEMORY;
    }
    *count = cn_island_list_dynamic(world, island, *list);
    return CN_OK;
}

// Zero where there are tiles, which do not write all of it.
static bool allocate_rows(CnTileRows* rows, int blocks, int count, bool has_tiles, CnArena* arena) {
    void* (*take)(CnArena*, size_t, size_t) = has_tiles ? cn_arena_allocate : cn_arena_allocate_raw;
    size_t n = (size_t)count;
    *rows = (CnTileRows){
        .blocks = take(arena, (size_t)blocks, sizeof *rows->blocks),
        .jacobian_a = take(arena, n, sizeof *rows->jacobian_a),
        .jacobian_b = take(arena, n, sizeof *rows->jacobian_b),
        .target = take(arena, n, sizeof(double)),
        .compliance = take(arena, n, sizeof(double)),
        .lower = take(arena, n, sizeof(double)),
        .upper = take(arena, n, sizeof(double)),
        .offset = take(arena, n, sizeof(double)),
        .slope = take(arena, n, sizeof(double)),
        .impulse = take(arena, n, sizeof(double)),
    };
    return rows->blocks != NULL && rows->jacobian_a != NULL && rows->jacobian_b != NULL &&
           rows->target != NULL && rows->compliance != NULL && rows->lower != NULL &&
           rows->upper != NULL && rows->offset != NULL && rows->slope != NULL &&
           rows->impulse != NULL;
}

// Copies an explicit block of the step behind those of the part.
static void copy_block(const CnRows* from, int index, const int* place, CnIslandRows* part) {
    CnTileRows* to = &part->rows;
    const CnBlock* source = &from->blocks.data[index];
    cn_rows_write(from, index);
    CnBlock* block = &to->blocks[to->block_count++];
    size_t rows = (size_t)source->row_count;
    *block = *source;
    block->first_row = to->row_count;
    for (int side = 0; side < cn_block_sides(source); ++side) {
        int body = cn_block_body(source, side);
        cn_block_set_body(block, side, body < 0 ? -1 : place[body]);
    }
    memcpy(to->jacobian_a + to->row_count, from->jacobian_a + source->first_row,
           rows * sizeof *to->jacobian_a);
    memcpy(to->jacobian_b + to->row_count, from->jacobian_b + source->first_row,
           rows * sizeof *to->jacobian_b);
    if (from->has_second) {
        memcpy(part->jacobian_c + to->row_count, from->jacobian_c + source->first_row,
               rows * sizeof *part->jacobian_c);
        memcpy(part->jacobian_d + to->row_count, from->jacobian_d + source->first_row,
               rows * sizeof *part->jacobian_d);
    }
    double* const copies[] = {to->target, to->compliance, to->lower,  to->upper,
                              to->offset, to->slope,      to->impulse};
    const double* const sources[] = {from->target, from->compliance, from->lower,  from->upper,
                                     from->offset, from->slope,      from->impulse};
    for (size_t i = 0; i < sizeof copies / sizeof copies[0]; ++i) {
        memcpy(copies[i] + to->row_count, sources[i] + source->first_row, rows * sizeof(double));
    }
    to->row_count += source->row_count;
}

static void number_blocks(const CnWorld* world, int island, CnIslandRows* part) {
    const CnIslandStore* store = &world->islands;
    int count = 0;
    for (int i = 0; i < part->tiles.count; ++i) {
        int points = cn_tile_points(part->tiles.tiles[i]);
        for (int k = 0; k < points; ++k) {
            part->block[count++] = part->tiles.first_block[i] + k;
        }
    }
    for (int i = store->block_start.data[island]; i < store->block_start.data[island + 1]; ++i) {
        part->block[count++] = world->step.tile_block_count + store->block.data[i];
    }
}

static int count_rows(const CnWorld* world, int island, const CnTileSet* tiles, int* blocks) {
    const CnIslandStore* store = &world->islands;
    int rows = 0;
    *blocks = 0;
    for (int i = 0; i < tiles->count; ++i) {
        int points = cn_tile_points(tiles->tiles[i]);
        *blocks += points;
        rows += points * tiles->tiles[i]->row_count;
    }
    for (int i = store->block_start.data[island]; i < store->block_start.data[island + 1]; ++i) {
        rows += world->step.rows.blocks.data[store->block.data[i]].row_count;
        ++*blocks;
    }
    return rows;
}

static CnStatus write_bodies(const CnWorld* world, CnIslandRows* part, CnArena* arena) {
    const CnStep* step = &world->step;
    int count = part->problem.body_count;
    double* inverse_mass = CN_ARENA_NEW(arena, double, count);
    double(*inertia)[9] = cn_arena_allocate(arena, (size_t)count, sizeof *inertia);
    double(*velocity)[6] = cn_arena_allocate(arena, (size_t)count, sizeof *velocity);
    part->before = cn_arena_allocate(arena, (size_t)count, sizeof *part->before);
    if (inverse_mass == NULL || inertia == NULL || velocity == NULL || part->before == NULL) {
        return CN_NO_MEMORY;
    }
    for (int i = 0; i < count; ++i) {
        int body = part->body[i];
        inverse_mass[i] = step->inverse_mass[body];
        memcpy(inertia[i], step->inverse_inertia[body], sizeof *inertia);
        memcpy(velocity[i], step->free_velocity[body], sizeof *velocity);
        memcpy(part->before[i], step->start_velocity[body], sizeof *part->before);
    }
    part->problem.inverse_mass = inverse_mass;
    part->problem.inverse_inertia = (const double(*)[9])inertia;
    part->problem.free_velocity = (const double(*)[6])velocity;
    return CN_OK;
}

CnStatus cn_island_rows_write(const CnWorld* world, int island, CnArena* arena, CnIslandRows* part,
                              CnSolution* solution) {
    const CnIslandStore* store = &world->islands;
    int* place = CN_ARENA_RAW(arena, int, world->bodies.count); // of those of the island
    *part = (CnIslandRows){
        .tiles = cn_island_tiles(world, island, arena),
        .body = store->body.data + store->body_start.data[island],
    };
    if (place == NULL || (part->tiles.count > 0 && part->tiles.tiles == NULL)) {
        return CN_NO_MEMORY;
    }
    int blocks, rows = count_rows(world, island, &part->tiles, &blocks);
    part->block = CN_ARENA_NEW(arena, int, blocks);
    if (part->block == NULL ||
        !allocate_rows(&part->rows, blocks, rows, part->tiles.count > 0, arena)) {
        return CN_NO_MEMORY;
    }
    if (world->step.rows.has_second) {
        part->jacobian_c = cn_arena_allocate(arena, (size_t)rows, sizeof *part->jacobian_c);
        part->jacobian_d = cn_arena_allocate(arena, (size_t)rows, sizeof *part->jacobian_d);
        if (part->jacobian_c == NULL || part->jacobian_d == NULL) {
            return CN_NO_MEMORY;
        }
    }
    part->problem.body_count = cn_island_body_count(world, island);
    for (int i = 0; i < part->problem.body_count; ++i) {
        place[part->body[i]] = i;
    }
    cn_tiles_write_blocks(&part->tiles, place, &part->rows);
    for (int i = store->block_start.data[island]; i < store->block_start.data[island + 1]; ++i) {
        copy_block(&world->step.rows, store->block.data[i], place, part);
    }
    number_blocks(world, island, part);
    part->problem.block_count = blocks;
    part->problem.row_count = rows;
    part->problem.blocks = part->rows.blocks;
    part->problem.jacobian_a = (const double(*)[6])part->rows.jacobian_a;
    part->problem.jacobian_b = (const double(*)[6])part->rows.jacobian_b;
    part->problem.jacobian_c = (const double(*)[6])part->jacobian_c;
    part->problem.jacobian_d = (const double(*)[6])part->jacobian_d;
    part->problem.target = part->rows.target;
    part->problem.compliance = part->rows.compliance;
    part->problem.lower = part->rows.lower;
    part->problem.upper = part->rows.upper;
    part->problem.offset = part->rows.offset;
    part->problem.slope = part->rows.slope;
    *solution = (CnSolution){
        .impulse = part->rows.impulse,
        .velocity =
            cn_arena_allocate(arena, (size_t)part->problem.body_count, sizeof *solution->velocity),
    };
    return solution->velocity == NULL ? CN_NO_MEMORY : write_bodies(world, part, arena);
}
