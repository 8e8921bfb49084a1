// keep_guess.h - whether the impulses of the last step serve an island of tiles.
#pragma once

#include "base/arena.h"
#include "solvers/rest/rest_factor.h"

typedef struct CnGuessRules {
    double tolerance;     // largest residual of a contact [m/s]
    bool refines;         // bodies at rest are solved more exactly than asked, at this step
    CnRestMemory* memory; // of all factors; NULL: without a limit
} CnGuessRules;

typedef struct CnGuess {
    bool is_kept;        // impulses and velocities are an answer; else the guess is as it was
    double error;        // its largest residual [m/s]; infinite: not finite
    CnRefining refining; // rounds > 0: the guess was refined
} CnGuess;

// As cn_solve_on() begins, without a problem to be written: momentum and velocity of the island's
// bodies become those of its impulses, which are judged, and refined where bodies at rest would not
// stay there. `before` of the bodies: their velocities as the step began. *factor: NULL at first,
// is made when it is needed, and belongs to the caller; it changes no bit (rest_factor.h).
// docs/theory/warm_start.md (5), (9), (12).
CnStatus cn_keep_guess(const CnRestIsland* island, const CnGuessRules* rules, CnRestFactor** factor,
                       CnArena* scratch, CnGuess* guess);
