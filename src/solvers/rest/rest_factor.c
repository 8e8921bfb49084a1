// rest_factor.c - refines the impulses of contact tiles at rest by a factor kept between steps.
#include "solvers/rest/rest_factor.h"

#include "base/memory.h"
#include "constraints/tiles/tile_functions.h"
#include "linalg/blocks/block_cholesky.h"
#include "math/worse.h"
#include <math.h>
#include <string.h>

// The first correction leaves round-off of the velocities there were; the second, of its own.
#define MAX_ROUNDS 3

// A pivot below this share of its diagonal: a motion that the rows that hold do not resist. Stacks
// of 100 cubes have pivots of 1e-6.
#define LOOSE_PIVOT 0x1p-36

// Multiplications of a factor and a solution for each tile, at most: as long as 150 conjugate
// residuals take. Pyramids of 55 cubes need 1500. The memory that it takes is bounded with it.
#define WORK_OF_TILE 4e4

// What the factor depends on, of one tile.
typedef struct Key {
    double direction[3][3], point[3][CN_TILE_POINTS], center[2][3];
    double step_bound[CN_TILE_POINTS];
    unsigned holds; // cn_tiles_find_holds()
} Key;

// There is one for each island at rest: all of it is one block of memory, as large as it must be.
struct CnRestFactor {
    CnAllocator allocator;
    CnRestMemory* shared;  // of all factors of the world; NULL: no limit
    unsigned char* memory; // of all arrays below   [size]
    size_t size;
    bool is_scratch; // the memory is the caller's, until the refinement ends
    int tile_count, body_count;
    bool is_planned, is_factored;
    bool is_too_dear; // planned, and not worth it
    int* body;        // [body_count]
    int (*pair)[2];   // bodies of each tile   [tile_count]
    int (*node)[2];   // their places in the factor, -1: not dynamic   [tile_count]
    Key* keys;        // [tile_count]
    unsigned* holds;  // [tile_count]
    CnBlockCholesky cholesky;
    double* y; // [6 body_count]
};

CnRestFactor* cn_rest_factor_create(const CnAllocator* allocator, CnRestMemory* memory) {
    CnRestFactor* factor = cn_allocate(allocator, 1, sizeof *factor);
    if (factor != NULL) {
        *factor = (CnRestFactor){
            .allocator = allocator == NULL ? (CnAllocator){0} : *allocator,
            .shared = memory,
        };
    }
    return factor;
}

// Its memory goes back, and its plan with it.
static void forget(CnRestFactor* factor) {
    if (!factor->is_scratch) {
        cn_release(&factor->allocator, factor->memory);
        if (factor->shared != NULL) {
            atomic_fetch_sub(&factor->shared->bytes, factor->size);
        }
    }
    factor->memory = NULL;
    factor->size = 0;
    factor->is_scratch = factor->is_planned = factor->is_factored = false;
}

// Memory of its size, to be kept if there is room for it. NULL: no memory.
static unsigned char* take_memory(CnRestFactor* factor, CnArena* scratch) {
    CnRestMemory* shared = factor->shared;
    size_t others = shared == NULL ? 0 : atomic_fetch_add(&shared->bytes, factor->size);
    size_t most = others == 0 ? CN_REST_MEMORY : CN_REST_SHARE;
    if (shared != NULL && others + factor->size > most && !factor->is_too_dear) {
        atomic_fetch_sub(&shared->bytes, factor->size);
        factor->is_scratch = true;
        return cn_arena_allocate(scratch, 1, factor->size);
    }
    unsigned char* memory = cn_allocate(&factor->allocator, 1, factor->size);
    if (memory == NULL && shared != NULL) {
        atomic_fetch_sub(&shared->bytes, factor->size);
    }
    return memory;
}

void cn_rest_factor_destroy(CnRestFactor* factor) {
    if (factor != NULL) {
        CnAllocator allocator = factor->allocator;
        forget(factor);
        cn_release(&allocator, factor);
    }
}

size_t cn_rest_factor_bytes(const CnRestFactor* factor) {
    return factor == NULL ? 0 : sizeof *factor + factor->size;
}

static bool has_plan(const CnRestFactor* factor, const CnRestIsland* island) {
    if (!factor->is_planned || factor->tile_count != island->set.count ||
        factor->body_count != island->body_count ||
        memcmp(factor->body, island->body, (size_t)island->body_count * sizeof(int)) != 0) {
        return false;
    }
    for (int i = 0; i < factor->tile_count; ++i) {
        const CnContactTile* tile = island->set.tiles[i];
        if (factor->pair[i][0] != tile->body_a || factor->pair[i][1] != tile->body_b) {
            return false;
        }
    }
    return true;
}

// The place of a body in an ascending list; -1: it is not there.
static int find_body(const CnRestIsland* island, int body) {
    int low = 0, high = island->body_count - 1;
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (island->body[middle] < body) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low <= high && island->body[low] == body ? low : -1;
}

// The pattern of the factor, in scratch memory.
static CnStatus plan_blocks(const CnRestIsland* island, CnArena* scratch, CnBlockCholesky* planned,
                            bool* is_too_dear) {
    int tiles = island->set.count, count = 0;
    int* first = CN_ARENA_NEW(scratch, int, tiles);
    int* second = CN_ARENA_NEW(scratch, int, tiles);
    if (first == NULL || second == NULL) {
        return CN_NO_MEMORY;
    }
    for (int i = 0; i < tiles; ++i) {
        int a = find_body(island, island->set.tiles[i]->body_a);
        int b = find_body(island, island->set.tiles[i]->body_b);
        if (a >= 0 && b >= 0) {
            first[count] = a;
            second[count++] = b;
        }
    }
    CnStatus status = cn_block_cholesky_plan(planned, island->body_count, count, first, second,
                                             WORK_OF_TILE * tiles, scratch, scratch);
    *is_too_dear = status == CN_UNSUPPORTED;
    return *is_too_dear ? CN_OK : status;
}

// The next part of the factor's memory; while there is none, only how much it takes.
static void* carve(CnRestFactor* factor, size_t count, size_t size) {
    size_t bytes = (count * size + CN_ALIGNMENT - 1) / CN_ALIGNMENT * CN_ALIGNMENT;
    void* part = factor->memory == NULL ? NULL : factor->memory + factor->size;
    factor->size += bytes;
    return part;
}

static void carve_all(CnRestFactor* factor, const CnBlockCholesky* planned) {
    size_t tiles = (size_t)factor->tile_count, bodies = (size_t)factor->body_count;
    CnBlockCholesky* cholesky = &factor->cholesky;
    factor->size = 0;
    factor->body = carve(factor, bodies, sizeof(int));
    factor->pair = carve(factor, tiles, sizeof *factor->pair);
    if (factor->is_too_dear) {
        return;
    }
    size_t blocks = (size_t)planned->block_count, entries = (size_t)planned->start[blocks];
    *cholesky = *planned;
    factor->node = carve(factor, tiles, sizeof *factor->node);
    factor->keys = carve(factor, tiles, sizeof *factor->keys);
    factor->holds = carve(factor, tiles, sizeof *factor->holds);
    factor->y = carve(factor, 6 * bodies, sizeof(double));
    cholesky->place = carve(factor, blocks, sizeof *cholesky->place);
    cholesky->start = carve(factor, blocks + 1, sizeof *cholesky->start);
    cholesky->row = carve(factor, entries, sizeof *cholesky->row);
    cholesky->diagonal = carve(factor, blocks, sizeof *cholesky->diagonal);
    cholesky->below = carve(factor, entries, sizeof *cholesky->below);
    cholesky->work = carve(factor, blocks, sizeof *cholesky->work);
}

static void fill_plan(CnRestFactor* factor, const CnRestIsland* island,
                      const CnBlockCholesky* planned) {
    memcpy(factor->body, island->body, (size_t)island->body_count * sizeof(int));
    for (int i = 0; i < factor->tile_count; ++i) {
        const CnContactTile* tile = island->set.tiles[i];
        factor->pair[i][0] = tile->body_a;
        factor->pair[i][1] = tile->body_b;
        if (!factor->is_too_dear) {
            factor->node[i][0] = find_body(island, tile->body_a);
            factor->node[i][1] = find_body(island, tile->body_b);
        }
    }
    if (!factor->is_too_dear) {
        size_t blocks = (size_t)planned->block_count, entries = (size_t)planned->start[blocks];
        memcpy(factor->cholesky.place, planned->place, blocks * sizeof(int));
        memcpy(factor->cholesky.start, planned->start, (blocks + 1) * sizeof(int));
        if (entries > 0) {
            memcpy(factor->cholesky.row, planned->row, entries * sizeof(int));
        }
    }
}

static CnStatus plan(CnRestFactor* factor, const CnRestIsland* island, CnArena* scratch) {
    CnBlockCholesky planned = {0};
    forget(factor);
    factor->tile_count = island->set.count;
    factor->body_count = island->body_count;
    CnStatus status = plan_blocks(island, scratch, &planned, &factor->is_too_dear);
    if (status == CN_OK) {
        carve_all(factor, &planned);
        factor->memory = take_memory(factor, scratch);
        status = factor->memory == NULL ? CN_NO_MEMORY : CN_OK;
    }
    if (status == CN_OK) {
        carve_all(factor, &planned);
        fill_plan(factor, island, &planned);
        factor->is_planned = true;
    }
    factor->size = factor->memory == NULL ? 0 : factor->size;
    return status;
}

static double dot(const double a[3], const double b[3]) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void cross(const double a[3], const double b[3], double out[3]) {
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}

// J v of the rows of a point.
static void row_velocity(const CnContactTile* tile, int j, const double* va, const double* vb,
                         double out[3]) {
    double arm_a[3], arm_b[3];
    cn_tile_arm(tile, 0, j, arm_a);
    cn_tile_arm(tile, 1, j, arm_b);
    double turn_a[3], turn_b[3], relative[3];
    cross(va + 3, arm_a, turn_a);
    cross(vb + 3, arm_b, turn_b);
    for (int k = 0; k < 3; ++k) {
        relative[k] = (vb[k] - va[k]) + (turn_b[k] - turn_a[k]);
    }
    for (int k = 0; k < 3; ++k) {
        out[k] = dot(tile->direction[k], relative);
    }
}

// How many rows of a point hold: none, its normal, or all.
static int rows_held(unsigned holds, int point) {
    return (int)(holds >> point & 1u) + 2 * (int)(holds >> (CN_TILE_POINTS + point) & 1u);
}

static bool is_same(const Key* key, const CnContactTile* tile, unsigned holds) {
    return key->holds == holds &&
           memcmp(key->direction, tile->direction, sizeof key->direction) == 0 &&
           memcmp(key->point, tile->point, sizeof key->point) == 0 &&
           memcmp(key->center, tile->center, sizeof key->center) == 0 &&
           memcmp(key->step_bound, tile->step_bound, sizeof key->step_bound) == 0;
}

static void set_key(Key* key, const CnContactTile* tile, unsigned holds) {
    memcpy(key->direction, tile->direction, sizeof key->direction);
    memcpy(key->point, tile->point, sizeof key->point);
    memcpy(key->center, tile->center, sizeof key->center);
    memcpy(key->step_bound, tile->step_bound, sizeof key->step_bound);
    key->holds = holds;
}

// Takes the rows that hold down; true when nothing that the factor depends on has changed.
static bool renew_keys(CnRestFactor* factor, const CnRestIsland* island, int* held_rows) {
    bool is_kept = factor->is_factored;
    *held_rows = 0;
    cn_tiles_find_holds(&island->set, island->bodies, factor->holds);
    for (int i = 0; i < factor->tile_count; ++i) {
        const CnContactTile* tile = island->set.tiles[i];
        for (int j = 0; j < CN_TILE_POINTS; ++j) {
            *held_rows += rows_held(factor->holds[i], j);
        }
        if (!is_same(&factor->keys[i], tile, factor->holds[i])) {
            set_key(&factor->keys[i], tile, factor->holds[i]);
            is_kept = false;
        }
    }
    return is_kept;
}

// x += weight g h^T, column-major.
static void add_product(double weight, const double g[6], const double h[6], double* x) {
    for (int c = 0; c < 6; ++c) {
        double factor = weight * h[c];
        for (int r = 0; r < 6; ++r) {
            x[c * 6 + r] += factor * g[r];
        }
    }
}

// One side of a row of J.
static void half_row(const Key* key, int k, int j, int side, double out[6]) {
    const double* direction = key->direction[k];
    double sign = side == 0 ? -1.0 : 1.0, arm[3], moment[3];
    for (int i = 0; i < 3; ++i) {
        arm[i] = key->point[i][j] - key->center[side][i];
    }
    cross(arm, direction, moment);
    for (int i = 0; i < 3; ++i) {
        out[i] = sign * direction[i];
        out[3 + i] = sign * moment[i];
    }
}

// K += J^T D^-1 J of one tile: (14).
static void add_tile(CnRestFactor* factor, int index) {
    const Key* key = &factor->keys[index];
    int a = factor->node[index][0], b = factor->node[index][1];
    double aa[36] = {0.0}, ab[36] = {0.0}, bb[36] = {0.0};
    for (int j = 0; j < CN_TILE_POINTS; ++j) {
        double weight = 1.0 / key->step_bound[j];
        for (int k = 0; k < rows_held(key->holds, j); ++k) {
            double of_a[6], of_b[6];
            half_row(key, k, j, 0, of_a);
            half_row(key, k, j, 1, of_b);
            add_product(weight, of_a, of_a, aa);
            add_product(weight, of_a, of_b, ab);
            add_product(weight, of_b, of_b, bb);
        }
    }
    if (a >= 0) {
        cn_block_cholesky_add(&factor->cholesky, a, a, aa);
    }
    if (b >= 0) {
        cn_block_cholesky_add(&factor->cholesky, b, b, bb);
    }
    if (a >= 0 && b >= 0) {
        cn_block_cholesky_add(&factor->cholesky, a, b, ab);
    }
}

static bool make_factor(CnRestFactor* factor) {
    cn_block_cholesky_clear(&factor->cholesky);
    for (int i = 0; i < factor->tile_count; ++i) {
        add_tile(factor, i);
    }
    return cn_block_cholesky_factor(&factor->cholesky, LOOSE_PIVOT);
}

// What a row that holds is to lose, apart from the velocities of dynamic bodies: (13).
static double offset_of(const CnContactTile* tile, int k, int j, bool closing) {
    double target = cn_tile_target(tile, k, j);
    return k == 0 && !closing ? fmin(target, 0.0) - target : -target;
}

// Whether bodies that stand still meet all rows that hold.
static bool stillness_is_wanted(const CnRestFactor* factor, const CnRestIsland* island,
                                bool closing) {
    const double(*velocity)[6] = (const double(*)[6])island->bodies->velocity;
    for (int i = 0; i < factor->tile_count; ++i) {
        const CnContactTile* tile = island->set.tiles[i];
        for (int side = 0; side < 2; ++side) {
            int body = factor->pair[i][side];
            for (int k = 0; factor->node[i][side] < 0 && body >= 0 && k < 6; ++k) {
                if (velocity[body][k] != 0.0) {
                    return false;
                }
            }
        }
        for (int j = 0; j < CN_TILE_POINTS; ++j) {
            for (int k = 0; k < rows_held(factor->holds[i], j); ++k) {
                if (offset_of(tile, k, j, closing) != 0.0) {
                    return false;
                }
            }
        }
    }
    return true;
}

// y += J^T D^-1 (J v + offset) of one tile.
static void add_felt(CnRestFactor* factor, const CnRestIsland* island, int index, bool closing) {
    const CnContactTile* tile = island->set.tiles[index];
    const Key* key = &factor->keys[index];
    const double(*velocity)[6] = (const double(*)[6])island->bodies->velocity;
    const double* va = cn_tile_velocity(velocity, tile->body_a);
    const double* vb = cn_tile_velocity(velocity, tile->body_b);
    for (int j = 0; j < CN_TILE_POINTS; ++j) {
        double felt[3];
        row_velocity(tile, j, va, vb, felt);
        for (int k = 0; k < rows_held(key->holds, j); ++k) {
            double share = (felt[k] + offset_of(tile, k, j, closing)) / key->step_bound[j];
            for (int side = 0; side < 2; ++side) {
                double half[6];
                int node = factor->node[index][side];
                half_row(key, k, j, side, half);
                for (int r = 0; node >= 0 && r < 6; ++r) {
                    factor->y[6 * node + r] += share * half[r];
                }
            }
        }
    }
}

// y: the velocity that bodies are to lose, the least squares of what rows feel: (15). Returns the
// largest of its numbers.
static double find_excess(CnRestFactor* factor, const CnRestIsland* island, bool closing,
                          bool stillness) {
    double most = 0.0;
    size_t count = 6 * (size_t)factor->body_count;
    if (stillness) {
        for (int i = 0; i < factor->body_count; ++i) {
            memcpy(factor->y + 6 * i, island->bodies->velocity[island->body[i]], sizeof(double[6]));
        }
    } else {
        memset(factor->y, 0, count * sizeof(double));
        for (int i = 0; i < factor->tile_count; ++i) {
            add_felt(factor, island, i, closing);
        }
        cn_block_cholesky_solve(&factor->cholesky, factor->y);
    }
    for (size_t i = 0; i < count; ++i) {
        most = cn_worse(most, fabs(factor->y[i]));
    }
    return most;
}

// x <- M x of one body: the inverse of its inverse inertia by cofactors.
static void multiply_mass(double inverse_mass, const double* inertia, double* x) {
    double first[3], second[3], third[3];
    cross(inertia + 3, inertia + 6, first);
    cross(inertia + 6, inertia, second);
    cross(inertia, inertia + 3, third);
    double determinant = dot(inertia, first);
    const double w[3] = {x[3], x[4], x[5]};
    for (int k = 0; k < 3; ++k) {
        x[k] /= inverse_mass;
        x[3 + k] = (first[k] * w[0] + second[k] * w[1] + third[k] * w[2]) / determinant;
    }
}

// Impulses that take y away: (16). momentum and velocity follow.
static void correct(CnRestFactor* factor, const CnRestIsland* island) {
    const CnTileBodies* bodies = island->bodies;
    for (int i = 0; i < factor->body_count; ++i) {
        int body = island->body[i];
        multiply_mass(bodies->inverse_mass[body], bodies->inverse_inertia[body], factor->y + 6 * i);
    }
    cn_block_cholesky_solve(&factor->cholesky, factor->y);
    for (int i = 0; i < factor->body_count; ++i) {
        memcpy(bodies->momentum[island->body[i]], factor->y + 6 * i, sizeof(double[6]));
    }
    cn_tiles_relax(&island->set, bodies, factor->holds); // z is where momentum was
    for (int i = 0; i < factor->body_count; ++i) {
        memset(bodies->momentum[island->body[i]], 0, sizeof(double[6]));
    }
    cn_tiles_push(&island->set, bodies);
    cn_bodies_respond(bodies, island->body_count, island->body);
}

static CnStatus refine(CnRestFactor* factor, const CnRestIsland* island, CnArena* scratch,
                       CnRefining* refining) {
    refining->is_held = refining->was_kept = false;
    refining->held_rows = refining->rounds = 0;
    refining->work = 0.0;
    if (!has_plan(factor, island)) {
        CnStatus status = plan(factor, island, scratch);
        if (status != CN_OK) {
            return status;
        }
    }
    if (factor->is_too_dear) {
        return CN_OK;
    }
    refining->was_kept = renew_keys(factor, island, &refining->held_rows);
    if (!refining->was_kept) {
        factor->is_factored = make_factor(factor);
    }
    refining->work = factor->cholesky.multiplications + 120.0 * refining->held_rows;
    refining->is_held = factor->is_factored;
    if (!refining->is_held) {
        return CN_OK;
    }
    bool stillness = stillness_is_wanted(factor, island, refining->closing);
    double before = HUGE_VAL;
    while (refining->rounds < MAX_ROUNDS) {
        double most = find_excess(factor, island, refining->closing, stillness);
        if (most <= refining->goal || !(most < before)) {
            break;
        }
        before = most;
        correct(factor, island);
        ++refining->rounds;
    }
    refining->work += refining->rounds * 60.0 * refining->held_rows;
    return CN_OK;
}

CnStatus cn_rest_factor_refine(CnRestFactor* factor, const CnRestIsland* island, CnArena* scratch,
                               CnRefining* refining) {
    CnArenaMark mark = cn_arena_mark(scratch);
    CnStatus status = refine(factor, island, scratch, refining);
    if (factor->is_scratch) {
        forget(factor);
    }
    cn_arena_release(scratch, mark);
    return status;
}
