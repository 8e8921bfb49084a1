// rest_factor.h - refines the impulses of contact tiles at rest by a factor kept between steps.
//
// Contacts that stick inside their cones go on sticking under a small change of impulses, so that
// the change obeys linear equations. By bodies they have a sparse positive definite matrix of 6 x 6
// blocks, which does not change while frames, arms and the set of rows that hold stay as they are.
// docs/theory/warm_start.md (13)-(17).
//
// The factor is a function of frames, arms, step bounds and rows that hold, to the bit, and it is
// used only where all of them are those that it was made of. So throwing it away, or restoring a
// world without it, changes no bit of any result; work is counted as if it were made anew each
// time.
#pragma once

#include "base/arena.h"
#include "constraints/tiles/contact_tile.h"
#include <stdatomic.h>

// An island whose rows are those of tiles alone.
typedef struct CnRestIsland {
    CnTileSet set;
    const CnTileBodies* bodies; // velocity: set by the caller where a body is not dynamic
    int body_count;
    const int* body; // its dynamic bodies, ascending   [body_count]
} CnRestIsland;

typedef struct CnRestFactor CnRestFactor;

// What the factors of a world keep, all together: at most CN_REST_SHARE, unless there is only one,
// which may take CN_REST_MEMORY. Those that find no room are made in scratch memory each time they
// are needed, which is in 3 of 64 steps of a pile at rest.
typedef struct CnRestMemory {
    atomic_size_t bytes;
} CnRestMemory;
#define CN_REST_MEMORY ((size_t)3 << 20) // as much as a pyramid of 820 cubes needs [byte]
#define CN_REST_SHARE ((size_t)1 << 18)

// memory NULL: without a limit. Returns NULL: no memory.
CnRestFactor* cn_rest_factor_create(const CnAllocator* allocator, CnRestMemory* memory);
void cn_rest_factor_destroy(CnRestFactor* factor);       // NULL is fine
size_t cn_rest_factor_bytes(const CnRestFactor* factor); // memory that it holds

typedef struct CnRefining {
    double goal;   // velocity that bodies may be left with [m/s, rad/s]
    bool closing;  // contacts that are pressed close their gaps; else they stay where they are
    bool is_held;  // out: false when some motion of the bodies is not resisted, or a factor would
                   // be dearer than other ways: nothing has changed
    bool was_kept; // out: the factor was there
    int held_rows; // out: rows that hold
    int rounds;    // out: corrections made
    double work;   // out: multiplications, those of the factor included
} CnRefining;

// Changes the impulses of rows that hold until their bodies are still, or as still as the targets
// allow. momentum and velocity are those of the impulses, before and after. CN_NO_MEMORY: nothing
// has changed.
CnStatus cn_rest_factor_refine(CnRestFactor* factor, const CnRestIsland* island, CnArena* scratch,
                               CnRefining* refining);
