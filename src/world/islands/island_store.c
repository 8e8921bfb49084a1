// island_store.c - islands: bodies joined by rows, kept while the same rows join them.
#include "world/islands/island_store.h"

#include "base/tasks.h"
#include "constraints/problem/block.h"
#include "world/world.h"

#include <stdatomic.h>
#include <string.h>

void cn_island_store_free(CnIslandStore* store, const CnAllocator* allocator) {
    cn_array_free(&store->manifold_start, allocator);
    cn_array_free(&store->manifold, allocator);
    cn_array_free(&store->block_start, allocator);
    cn_array_free(&store->block, allocator);
    cn_array_free(&store->body_start, allocator);
    cn_array_free(&store->body, allocator);
    cn_array_free(&store->links, allocator);
    cn_array_free(&store->moves, allocator);
}

// The links of this step, in the order of its blocks.
typedef struct Links {
    CnIslandLink* data;
    int count, tile_count;
    CnIslandLink* seconds; // the second pairs of explicit blocks that have one; NULL: none has
    int second_count;
} Links;

// False: no memory.
static bool read_seconds(CnWorld* world, Links* links) {
    const CnRows* rows = &world->step.rows;
    if (!rows->has_second) {
        return true;
    }
    links->seconds = CN_ARENA_RAW(&world->arena, CnIslandLink, rows->blocks.count);
    for (int i = 0; links->seconds != NULL && i < rows->blocks.count; ++i) {
        const CnBlock* block = &rows->blocks.data[i];
        if (cn_block_has_second(block)) {
            links->seconds[links->second_count++] =
                (CnIslandLink){cn_block_body(block, 2), cn_block_body(block, 3), i};
        }
    }
    return links->seconds != NULL;
}

static bool is_movable(const CnWorld* world, int body) {
    return body >= 0 && world->bodies.data[body].type == CN_BODY_DYNAMIC;
}

static uint8_t moves_of(const CnWorld* world, const CnIslandLink* link) {
    return (uint8_t)(is_movable(world, link->body_a) | is_movable(world, link->body_b) << 1);
}

// Links that one task reads, with their bodies, which lie anywhere.
#define LINKS_PER_TASK 512

// Links of tiles, each in the place that it has where all tiles act.
typedef struct LinkReading {
    const CnWorld* world;
    CnIslandLink* links;
    uint8_t* moves; // of each link
    _Atomic(bool) has_idle;
} LinkReading;

static void read_tiles(int begin, int end, int worker, void* data) {
    LinkReading* reading = data;
    const CnStep* step = &reading->world->step;
    bool has_idle = false;
    (void)worker;
    for (int i = begin; i < end; ++i) {
        const CnTileNote* note = &step->notes.data[i];
        reading->links[i] = (CnIslandLink){note->body_a, note->body_b, i};
        has_idle = has_idle || note->points == 0;
    }
    if (has_idle) {
        atomic_store(&reading->has_idle, true);
    }
}

static void read_moves(int begin, int end, int worker, void* data) {
    const LinkReading* reading = data;
    (void)worker;
    for (int i = begin; i < end; ++i) {
        reading->moves[i] = moves_of(reading->world, &reading->links[i]);
    }
}

static void leave_out_idle_tiles(const CnStep* step, Links* links) {
    int count = 0;
    for (int i = 0; i < links->count; ++i) {
        if (step->notes.data[i].points > 0) {
            links->data[count++] = links->data[i];
        }
    }
    links->count = count;
}

static bool read_links(CnWorld* world, Links* links) {
    const CnStep* step = &world->step;
    int most = step->manifolds.count + step->rows.blocks.count;
    *links = (Links){.data = CN_ARENA_RAW(&world->arena, CnIslandLink, most)};
    if (links->data == NULL) {
        return false;
    }
    LinkReading reading = {.world = world, .links = links->data};
    links->count = step->manifolds.count;
    cn_tasks_for(&world->def.tasks, links->count, LINKS_PER_TASK, read_tiles, &reading);
    if (reading.has_idle) {
        leave_out_idle_tiles(step, links);
    }
    links->tile_count = links->count;
    for (int i = 0; i < step->rows.blocks.count; ++i) {
        const CnBlock* block = &step->rows.blocks.data[i];
        links->data[links->count++] = (CnIslandLink){block->body_a, block->body_b, i};
    }
    return read_seconds(world, links);
}

static bool is_unchanged(const CnWorld* world, const Links* links) {
    const CnIslandStore* store = &world->islands;
    if (links->count != store->links.count || links->tile_count != store->tile_links ||
        links->second_count > 0 || store->has_seconds) {
        return false;
    }
    if (links->count > 0 &&
        memcmp(links->data, store->links.data, (size_t)links->count * sizeof *links->data) != 0) {
        return false;
    }
    for (int i = 0; store->version != world->active.version && i < links->count; ++i) {
        if (store->moves.data[i] != moves_of(world, &links->data[i])) {
            return false;
        }
    }
    return true;
}

// The representative of a body's island; the path to it is halved on the way.
static int find_root(int* parent, int body) {
    while (parent[body] != body) {
        parent[body] = parent[parent[body]];
        body = parent[body];
    }
    return body;
}

// Of bodies without links nobody asks. Where links are many it is cheaper to write all.
static bool are_many(const CnWorld* world, const Links* links) {
    return links->count > world->bodies.count / 4;
}

static void clear_links(const CnIslandLink* links, int count, int* parent, int* number) {
    for (int i = 0; i < count; ++i) {
        const int bodies[2] = {links[i].body_a, links[i].body_b};
        for (int side = 0; side < 2; ++side) {
            if (bodies[side] >= 0) {
                parent[bodies[side]] = bodies[side];
                number[bodies[side]] = -1;
            }
        }
    }
}

// Every body is its own parent, and has no number.
static void clear(const CnWorld* world, const Links* links, int* parent, int* number) {
    if (!are_many(world, links)) {
        clear_links(links->data, links->count, parent, number);
        clear_links(links->seconds, links->second_count, parent, number);
        return;
    }
    for (int i = 0; i < world->bodies.count; ++i) {
        parent[i] = i;
        number[i] = -1;
    }
}

static void unite(int* parent, int x, int y) {
    if (parent[x] == parent[y]) {
        return;
    }
    int a = find_root(parent, x), b = find_root(parent, y);
    parent[a > b ? a : b] = a > b ? b : a;
}

// A movable body of a link, -1: it has none. moves: moves_of() it.
static int movable_of(const CnIslandLink* link, unsigned moves) {
    return (moves & 1u) != 0 ? link->body_a : (moves & 2u) != 0 ? link->body_b : -1;
}

// The bodies of second pairs, with each other and with those of the first pair of their block.
static void unite_seconds(const CnWorld* world, const Links* links, int* parent) {
    for (int i = 0; i < links->second_count; ++i) {
        const CnIslandLink* second = &links->seconds[i];
        const CnIslandLink* first = &links->data[links->tile_count + second->place];
        unsigned moves = moves_of(world, second);
        int a = movable_of(first, moves_of(world, first)), b = movable_of(second, moves);
        if (moves == 3u) {
            unite(parent, second->body_a, second->body_b);
        }
        if (a >= 0 && b >= 0) {
            unite(parent, a, b);
        }
    }
}

// Into `island` the island of each link, numbered in the order of first links. Returns how many.
static int number_islands(const CnWorld* world, const Links* links, int* parent, int* number,
                          int* island) {
    const uint8_t* moves = world->islands.moves.data;
    int count = 0;
    clear(world, links, parent, number);
    for (int i = 0; i < links->count; ++i) {
        if (moves[i] == 3u) {
            unite(parent, links->data[i].body_a, links->data[i].body_b);
        }
    }
    unite_seconds(world, links, parent);
    for (int i = 0, next = 0; i < links->count; ++i) {
        int body = movable_of(&links->data[i], moves[i]);
        bool has_second =
            next < links->second_count && links->tile_count + links->seconds[next].place == i;
        if (has_second) {
            const CnIslandLink* second = &links->seconds[next];
            body = body >= 0 ? body : movable_of(second, moves_of(world, second));
            ++next;
        }
        if (body < 0) {
            island[i] = count++;
            continue;
        }
        int root = find_root(parent, body);
        if (number[root] < 0) {
            number[root] = count++;
        }
        island[i] = number[root];
    }
    return count;
}

// Sorts links [begin, end) by island: start[i] .. start[i + 1] of place are those of island i.
static void sort_links(const Links* links, int begin, int end, const int* island, int count,
                       CnIntArray* start, CnIntArray* place) {
    memset(start->data, 0, (size_t)(count + 1) * sizeof(int));
    for (int i = begin; i < end; ++i) {
        ++start->data[island[i] + 1];
    }
    for (int i = 0; i < count; ++i) {
        start->data[i + 1] += start->data[i];
    }
    for (int i = begin; i < end; ++i) { // start[i] moves to the end of island i
        place->data[start->data[island[i]]++] = links->data[i].place;
    }
    memmove(start->data + 1, start->data, (size_t)count * sizeof(int));
    start->data[0] = 0;
    start->count = count + 1;
    place->count = end - begin;
}

// Written in any case, and kept if it is new: no processor predicts which body is. There is room
// for one more than there are.
static void list_body(int body, int island, int* last, CnIntArray* bodies) {
    if (body >= 0) {
        bodies->data[bodies->count] = body;
        bodies->count += last[body] != island;
        last[body] = island;
    }
}

// Bodies in order of first appearance, first in tiles, then in explicit blocks. last: of each body,
// the island that had it last, counted from store->count; below that: none.
static void list_bodies(CnWorld* world, int* last) {
    CnIslandStore* store = &world->islands;
    const CnStep* step = &world->step;
    store->body.count = 0;
    for (int i = 0; i < store->count; ++i) {
        store->body_start.data[i] = store->body.count;
        for (int k = store->manifold_start.data[i]; k < store->manifold_start.data[i + 1]; ++k) {
            const CnTileNote* note = &step->notes.data[store->manifold.data[k]];
            list_body(note->body_a, store->count + i, last, &store->body);
            list_body(note->body_b, store->count + i, last, &store->body);
        }
        for (int k = store->block_start.data[i]; k < store->block_start.data[i + 1]; ++k) {
            const CnBlock* block = &step->rows.blocks.data[store->block.data[k]];
            for (int side = 0; side < cn_block_sides(block); ++side) {
                list_body(cn_block_body(block, side), store->count + i, last, &store->body);
            }
        }
    }
    store->body_start.data[store->count] = store->body.count;
    store->body_start.count = store->count + 1;
}

static bool reserve_links(CnWorld* world, const Links* links) {
    CnIslandStore* store = &world->islands;
    const CnAllocator* allocator = &world->allocator;
    return cn_array_reserve(&store->manifold, allocator, links->tile_count) &&
           cn_array_reserve(&store->block, allocator, links->count - links->tile_count) &&
           cn_array_reserve(&store->links, allocator, links->count) &&
           cn_array_reserve(&store->moves, allocator, links->count);
}

// A body that moves is in one island, others are in one for each of their links at most.
static int most_bodies(const CnWorld* world, const Links* links) {
    int ends = 2 * (links->count + links->second_count), fixed = 2 * links->second_count;
    for (int i = 0; i < links->count; ++i) {
        fixed += 2 - __builtin_popcount(world->islands.moves.data[i]);
    }
    int most = world->bodies.count + fixed;
    return most < ends ? most : ends;
}

static bool reserve_islands(CnWorld* world, const Links* links, int count) {
    CnIslandStore* store = &world->islands;
    const CnAllocator* allocator = &world->allocator;
    return cn_array_reserve(&store->manifold_start, allocator, count + 1) &&
           cn_array_reserve(&store->block_start, allocator, count + 1) &&
           cn_array_reserve(&store->body_start, allocator, count + 1) &&
           cn_array_reserve(&store->body, allocator, most_bodies(world, links) + 1);
}

static CnStatus lacks_memory(CnIslandStore* store) {
    store->links.count = -1; // to be found anew
    return CN_NO_MEMORY;
}

static CnStatus rebuild(CnWorld* world, const Links* links) {
    CnIslandStore* store = &world->islands;
    int* parent = CN_ARENA_RAW(&world->arena, int, world->bodies.count);
    int* number = CN_ARENA_RAW(&world->arena, int, world->bodies.count);
    int* island = CN_ARENA_NEW(&world->arena, int, links->count);
    if (parent == NULL || number == NULL || island == NULL || !reserve_links(world, links)) {
        return lacks_memory(store);
    }
    LinkReading reading = {.world = world, .links = links->data, .moves = store->moves.data};
    cn_tasks_for(&world->def.tasks, links->count, LINKS_PER_TASK, read_moves, &reading);
    store->moves.count = links->count;
    int count = number_islands(world, links, parent, number, island);
    if (!reserve_islands(world, links, count)) {
        return lacks_memory(store);
    }
    store->count = count;
    sort_links(links, 0, links->tile_count, island, store->count, &store->manifold_start,
               &store->manifold);
    sort_links(links, links->tile_count, links->count, island, store->count, &store->block_start,
               &store->block);
    list_bodies(world, number); // which are below store->count
    if (links->count > 0) {
        memcpy(store->links.data, links->data, (size_t)links->count * sizeof *links->data);
    }
    store->links.count = links->count;
    store->tile_links = links->tile_count;
    store->has_seconds = links->second_count > 0;
    ++store->rebuilds;
    return CN_OK;
}

CnStatus cn_islands_update(CnWorld* world) {
    CnArenaMark mark = cn_arena_mark(&world->arena);
    Links links;
    CnStatus status = CN_NO_MEMORY;
    if (read_links(world, &links)) {
        status = is_unchanged(world, &links) ? CN_OK : rebuild(world, &links);
        world->islands.version = world->active.version;
    }
    cn_arena_release(&world->arena, mark);
    return status;
}
