// island_guess.c - looking at a guess, in parts that workers share.
#include "world/islands/island_guess.h"

#include "base/tasks.h"
#include "math/worse.h"
#include "world/contacts/search.h"

#include <math.h>
#include <string.h>

// Machines that move faster are solved without a look at their guess, which holds at rest only.
#define MOVING_SPEED 1e-3 // [m/s or rad/s]

// The least bodies of a part that one worker moves.
#define LEAST_BODIES 128

// A part of the island's bodies, and the tiles that touch them.
typedef struct BodyPart {
    int begin, end;        // in the list of bodies
    bool* is_own;          // [bodies of the step], written for bodies of the island
    CnContactTile** tiles; // room for all of the island
    double gain;
} BodyPart;

typedef struct Parts {
    const CnIslandGuess* guess;
    int body_parts;
    BodyPart* bodies;    // [body_parts]
    CnGradeSums* grades; // one for CN_TILES_PER_GRADE tiles
} Parts;

static int part_count(int count, int size) {
    return (count + size - 1) / size;
}

static int size_of_part(int part, int count, int size) {
    int left = count - part * size;
    return left < size ? left : size;
}

static void note_own(const CnIslandGuess* guess, BodyPart* part) {
    for (int i = 0; i < guess->count; ++i) {
        part->is_own[guess->list[i]] = part->begin <= i && i < part->end;
    }
}

// Bodies of a tile that do not move are nobody's.
static bool is_own(const CnIslandGuess* guess, const BodyPart* part, int body) {
    if (body >= 0 && !guess->bodies->is_dynamic[body]) {
        part->is_own[body] = false;
    }
    return body >= 0 && part->is_own[body];
}

static int list_own_tiles(const CnIslandGuess* guess, BodyPart* part) {
    const CnWorld* world = guess->world;
    const CnIslandStore* store = &world->islands;
    const int* places = store->manifold.data + store->manifold_start.data[guess->island];
    int count = 0;
    note_own(guess, part);
    for (int i = 0; i < guess->tiles->count; ++i) {
        const CnTileNote* note = &world->step.notes.data[places[i]];
        bool owns_a = is_own(guess, part, note->body_a), owns_b = is_own(guess, part, note->body_b);
        if (owns_a || owns_b) {
            part->tiles[count++] = guess->tiles->tiles[i];
        }
    }
    return count;
}

// Every body gets the impulses of its tiles in their order, whatever the part it is in.
static void move_part(const CnIslandGuess* guess, BodyPart* part, bool is_whole) {
    CnTileBodies bodies = *guess->bodies;
    CnTileSet tiles = *guess->tiles;
    for (int i = part->begin; i < part->end; ++i) {
        memset(bodies.momentum[guess->list[i]], 0, sizeof *bodies.momentum);
    }
    if (!is_whole) {
        tiles = (CnTileSet){list_own_tiles(guess, part), part->tiles, NULL};
        bodies.is_dynamic = part->is_own;
    }
    cn_tiles_push(&tiles, &bodies);
    part->gain =
        cn_bodies_respond(guess->bodies, part->end - part->begin, guess->list + part->begin);
}

double cn_island_guess_move(const CnIslandGuess* guess) {
    BodyPart all = {.begin = 0, .end = guess->count};
    move_part(guess, &all, true);
    return all.gain;
}

static void move_range(int begin, int end, int worker, void* data) {
    const Parts* parts = data;
    (void)worker;
    for (int i = begin; i < end; ++i) {
        move_part(parts->guess, &parts->bodies[i], parts->body_parts == 1);
    }
}

// False: no memory.
static bool divide_bodies(Parts* parts, int count, CnArena* arena) {
    const CnIslandGuess* guess = parts->guess;
    parts->body_parts = count;
    parts->bodies = CN_ARENA_NEW(arena, BodyPart, count);
    for (int i = 0; parts->bodies != NULL && i < count; ++i) {
        BodyPart* part = &parts->bodies[i];
        part->begin = (int)((int64_t)guess->count * i / count);
        part->end = (int)((int64_t)guess->count * (i + 1) / count);
        if (count > 1) {
            part->is_own = CN_ARENA_RAW(arena, bool, guess->world->step.body_count);
            part->tiles = CN_ARENA_RAW(arena, CnContactTile*, guess->tiles->count);
            if (part->is_own == NULL || part->tiles == NULL) {
                return false;
            }
        }
    }
    return parts->bodies != NULL;
}

static void grade_range(int begin, int end, int worker, void* data) {
    const Parts* parts = data;
    const CnTileSet* tiles = parts->guess->tiles;
    (void)worker;
    for (int i = begin; i < end; ++i) {
        int first = i * CN_TILES_PER_GRADE;
        CnTileSet part = {size_of_part(i, tiles->count, CN_TILES_PER_GRADE), tiles->tiles + first,
                          tiles->first_block + first};
        cn_grade_begin(&parts->grades[i]);
        cn_tiles_grade(&part, parts->guess->bodies, parts->guess->rho, &parts->grades[i]);
    }
}

CnStatus cn_island_guess_look(const CnIslandGuess* guess, const CnTasks* tasks, CnArena* arena,
                              double* gain, CnGradeSums* grades) {
    int workers = cn_tasks_worker_count(tasks), most = part_count(guess->count, LEAST_BODIES);
    int gradings = part_count(guess->tiles->count, CN_TILES_PER_GRADE);
    Parts parts = {.guess = guess, .grades = CN_ARENA_RAW(arena, CnGradeSums, gradings)};
    if (parts.grades == NULL || !divide_bodies(&parts, workers < most ? workers : most, arena)) {
        return CN_NO_MEMORY;
    }
    cn_tasks_for(tasks, parts.body_parts, 1, move_range, &parts);
    cn_tasks_for(tasks, gradings, 1, grade_range, &parts);
    *gain = 0.0;
    for (int i = 0; i < parts.body_parts; ++i) {
        *gain = cn_worse(*gain, parts.bodies[i].gain);
    }
    cn_grade_begin(grades);
    for (int i = 0; i < gradings; ++i) {
        cn_grade_merge(grades, &parts.grades[i]);
    }
    return CN_OK;
}

void cn_island_fetch(const CnWorld* world, int later) {
    const CnIslandStore* store = &world->islands;
    if (later < store->count &&
        store->manifold_start.data[later] < store->manifold_start.data[later + 1]) {
        int place = store->manifold.data[store->manifold_start.data[later]];
        cn_manifold_fetch(&world->pairs, world->step.manifolds.data[place]);
    }
}

bool cn_single_islands_add(const CnWorld* world, int island, CnSingleIslands* singles) {
    const CnIslandStore* store = &world->islands;
    int first = store->manifold_start.data[island];
    if (store->manifold_start.data[island + 1] != first + 1 ||
        cn_island_has_blocks(store, island)) {
        return false;
    }
    int place = store->manifold.data[first];
    CnContactTile* tile = &cn_manifold_at(&world->pairs, world->step.manifolds.data[place])->tile;
    if (!cn_tile_is_single(tile)) {
        return false;
    }
    singles->island[singles->count] = island;
    singles->tile[singles->count] = tile;
    singles->first_block[singles->count++] = cn_step_first_block(&world->step, place);
    return true;
}

bool cn_island_is_moving(const CnWorld* world, int island) {
    const CnIslandStore* store = &world->islands;
    for (int i = store->body_start.data[island]; i < store->body_start.data[island + 1]; ++i) {
        const double* velocity = world->step.start_velocity[store->body.data[i]];
        for (int k = 0; k < 6; ++k) {
            if (fabs(velocity[k]) > MOVING_SPEED) {
                return true;
            }
        }
    }
    return false;
}
