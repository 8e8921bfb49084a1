// keep_guess.c - whether the impulses of the last step serve an island of tiles.
#include "solvers/rest/keep_guess.h"

#include "solvers/rest/rest_rules.h"
#include <math.h>
#include <string.h>

// Velocities of the impulses there are. Returns the most that one differs from `before`.
static double respond(const CnRestIsland* island) {
    for (int i = 0; i < island->body_count; ++i) {
        memset(island->bodies->momentum[island->body[i]], 0, sizeof(double[6]));
    }
    cn_tiles_push(&island->set, island->bodies);
    return cn_bodies_respond(island->bodies, island->body_count, island->body);
}

typedef double Impulses[3][CN_TILE_POINTS];

static void copy_impulses(const CnRestIsland* island, Impulses* copy, bool back) {
    for (int i = 0; i < island->set.count; ++i) {
        CnContactTile* tile = island->set.tiles[i];
        memcpy(back ? tile->impulse : copy[i], back ? copy[i] : tile->impulse, sizeof(Impulses));
    }
}

// Takes the velocities away that the guess has left; the guess comes back unless that is better.
static CnStatus refine(const CnRestIsland* island, const CnGuessRules* rules, CnRestFactor** factor,
                       CnArena* scratch, CnGuess* guess) {
    double tolerance = rules->tolerance;
    CnArenaMark mark = cn_arena_mark(scratch);
    Impulses* copy = cn_arena_allocate(scratch, (size_t)island->set.count, sizeof *copy);
    if (*factor == NULL) {
        *factor = cn_rest_factor_create(&scratch->allocator, rules->memory);
    }
    CnStatus status = copy != NULL && *factor != NULL ? CN_OK : CN_NO_MEMORY;
    if (status == CN_OK) {
        double wanted = cn_rest_wanted(guess->error, tolerance);
        guess->refining = (CnRefining){.goal = CN_REST_GOAL * cn_rest_tolerance(tolerance),
                                       .closing = cn_rest_closes(guess->error, tolerance)};
        copy_impulses(island, copy, false);
        status = cn_rest_factor_refine(*factor, island, scratch, &guess->refining);
        double error = cn_tiles_worst(&island->set, island->bodies);
        if (status == CN_OK && guess->refining.rounds > 0 && error <= wanted) {
            guess->error = error;
        } else if (guess->refining.rounds > 0) {
            copy_impulses(island, copy, true);
            respond(island);
            guess->refining.rounds = 0;
        }
    }
    cn_arena_release(scratch, mark);
    return status;
}

// Whether the step is one, and the bodies are those, to be solved more exactly than asked.
static bool refines_rest(const CnRestIsland* island, const CnGuessRules* rules) {
    double fastest = 0.0;
    if (!rules->refines || rules->tolerance <= CN_REST_LOOSEST) {
        return false;
    }
    for (int i = 0; i < island->body_count; ++i) {
        for (int k = 0; k < 6; ++k) {
            fastest = fmax(fastest, fabs(island->bodies->before[island->body[i]][k]));
        }
    }
    return fastest <= cn_rest_slow(rules->tolerance);
}

CnStatus cn_keep_guess(const CnRestIsland* island, const CnGuessRules* rules, CnRestFactor** factor,
                       CnArena* scratch, CnGuess* guess) {
    CnStatus status = CN_OK;
    *guess = (CnGuess){0};
    double gain = respond(island);
    guess->error = cn_tiles_worst(&island->set, island->bodies);
    if (cn_rest_is_restless(guess->error, gain, rules->tolerance)) {
        status = refine(island, rules, factor, scratch, guess);
    }
    bool is_fresh = guess->error <= cn_rest_tolerance(rules->tolerance);
    guess->is_kept = guess->error <= rules->tolerance && (is_fresh || !refines_rest(island, rules));
    return status;
}
