// island_guess.c - looking at a guess, in parts that workers share.
#include "world/islands/island_guess.h"

#include "base/tasks.h"
#include "math/worse.h"

#include <string.h>

// Tiles that are graded, and bodies that respond, by one task.
#define TILES_PER_TASK CN_LARGE_ISLAND
#define BODIES_PER_TASK 128

typedef struct Parts {
    const CnIslandGuess* guess;
    double* gains;       // one for BODIES_PER_TASK bodies
    CnGradeSums* grades; // one for TILES_PER_TASK tiles
} Parts;

static int part_count(int count, int size) {
    return (count + size - 1) / size;
}

static int size_of_part(int part, int count, int size) {
    int left = count - part * size;
    return left < size ? left : size;
}

static void respond_range(int begin, int end, int worker, void* data) {
    const Parts* parts = data;
    const CnIslandGuess* guess = parts->guess;
    (void)worker;
    for (int i = begin; i < end; ++i) {
        parts->gains[i] =
            cn_bodies_respond(guess->bodies, size_of_part(i, guess->count, BODIES_PER_TASK),
                              guess->list + i * BODIES_PER_TASK);
    }
}

static void grade_range(int begin, int end, int worker, void* data) {
    const Parts* parts = data;
    const CnTileSet* tiles = parts->guess->tiles;
    (void)worker;
    for (int i = begin; i < end; ++i) {
        int first = i * TILES_PER_TASK;
        CnTileSet part = {size_of_part(i, tiles->count, TILES_PER_TASK), tiles->tiles + first,
                          tiles->first_block + first};
        cn_grade_begin(&parts->grades[i]);
        cn_tiles_grade(&part, parts->guess->bodies, parts->guess->rho, &parts->grades[i]);
    }
}

CnStatus cn_island_guess_look(const CnIslandGuess* guess, const CnTasks* tasks, CnArena* arena,
                              double* gain, CnGradeSums* grades) {
    int responses = part_count(guess->count, BODIES_PER_TASK);
    int gradings = part_count(guess->tiles->count, TILES_PER_TASK);
    Parts parts = {guess, CN_ARENA_RAW(arena, double, responses),
                   CN_ARENA_RAW(arena, CnGradeSums, gradings)};
    if (parts.gains == NULL || parts.grades == NULL) {
        return CN_NO_MEMORY;
    }
    for (int i = 0; i < guess->count; ++i) {
        memset(guess->bodies->momentum[guess->list[i]], 0, sizeof *guess->bodies->momentum);
    }
    cn_tiles_push(guess->tiles, guess->bodies);
    cn_tasks_for(tasks, responses, 1, respond_range, &parts);
    cn_tasks_for(tasks, gradings, 1, grade_range, &parts);
    *gain = 0.0;
    for (int i = 0; i < responses; ++i) {
        *gain = cn_worse(*gain, parts.gains[i]);
    }
    cn_grade_begin(grades);
    for (int i = 0; i < gradings; ++i) {
        cn_grade_merge(grades, &parts.grades[i]);
    }
    return CN_OK;
}
