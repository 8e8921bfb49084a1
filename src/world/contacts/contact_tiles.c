// contact_tiles.c - the tiles of all contacts of a step, by all workers; which of them stay.
#include "base/error.h"
#include "base/fetch.h"
#include "base/tasks.h"
#include "world/contacts/contact_rows.h"
#include "world/contacts/search.h"
#include "world/step/rollback.h"
#include "world/step/solve_step.h"
#include "world/step/unilateral_target.h"
#include "world/step/warm_start.h"

// How far a point of a tile has moved with A (side 0) or B (side 1) since the body was placed.
static CnVec3 drift_at(const CnWorld* world, const CnContactTile* tile, int side, int point) {
    int body = side == 0 ? tile->body_a : tile->body_b;
    if (body < 0) {
        return cn_vec3(0.0, 0.0, 0.0);
    }
    const CnPlaceDrift* drift = &world->drifts.data[body];
    double arm[3];
    cn_tile_arm(tile, side, point, arm);
    return cn_vec3_add(drift->moved, cn_vec3_cross(drift->turned, cn_vec3(arm[0], arm[1], arm[2])));
}

// The tile of a manifold that is used again: its bodies have hardly moved since it was found, and
// gaps advance along the straight line. docs/theory/warm_start.md (19), (20).
static void advance_tile(CnWorld* world, const CnPosing* posing, int index) {
    CnManifold* manifold = cn_manifold_at(&world->pairs, index);
    CnContactTile* tile = &manifold->tile;
    CnVec3 normal = cn_manifold_normal(manifold);
    for (int i = 0; i < manifold->count; ++i) {
        CnVec3 moved = cn_vec3_sub(drift_at(world, tile, 1, i), drift_at(world, tile, 0, i));
        CnUnilateralRow row = {.gap = manifold->points[i].gap + cn_vec3_dot(normal, moved)};
        if ((tile->acting >> i & 1u) != 0) {
            tile->target[i] = cn_unilateral_target(&world->def.step, posing, &row).rate;
        }
    }
}

static void note_tile(CnWorld* world, int place) {
    const CnManifold* manifold = cn_manifold_at(&world->pairs, world->step.manifolds.data[place]);
    const CnContactTile* tile = &manifold->tile;
    world->step.notes.data[place] = (CnTileNote){
        .body_a = tile->body_a,
        .body_b = tile->body_b,
        .contacts = (uint8_t)manifold->count,
        .points = (uint8_t)cn_tile_points(tile),
        .row_count = (uint8_t)tile->row_count,
        .is_wide = manifold->is_wide,
        .is_belt = manifold->is_belt,
    };
    world->step.traces.data[place] = tile->acting != 0 ? tile->trace : 0.0;
}

void cn_world_prepare_tiles(CnWorld* world) {
    CnTileBodies bodies = cn_step_tile_bodies(&world->step);
    for (int i = 0; i < world->step.manifolds.count; ++i) {
        CnManifold* manifold = cn_manifold_at(&world->pairs, world->step.manifolds.data[i]);
        if (manifold->tile.acting != 0) {
            cn_tile_prepare(&manifold->tile, &bodies);
            note_tile(world, i);
        }
    }
}

// Parts whose manifolds one task looks at, and bodies whose poses one task notes.
#define CHOICE_GRAIN 4
#define BODIES_PER_TASK 32

// What becomes of the tiles of a part.
typedef struct PartChoice {
    int renewed, saved;      // tiles that are built anew; those that stay and save their targets
    CnSavedTargets* targets; // places for these   [saved]
} PartChoice;
_Static_assert(CN_MANIFOLDS_PER_PART <= CN_SAVED_TARGETS, "a part saves its targets at once");

typedef struct Building {
    CnWorld* world;
    const CnPosing* posing;
    bool keeps;        // tiles may stay
    bool are_plain;    // cn_plain_tiles_suit()
    bool* is_kept;     // of each manifold of the step: its tile stays, but for its gaps
    bool* saves;       // and its targets are to be saved
    PartChoice* parts; // [parts of the step]
} Building;

static int end_of_part(const CnStep* step, int part) {
    int end = (part + 1) * CN_MANIFOLDS_PER_PART;
    return end < step->manifolds.count ? end : step->manifolds.count;
}

static void choose_range(int begin, int end, int worker, void* data) {
    const Building* building = data;
    const CnWorld* world = building->world;
    (void)worker;
    for (int part = begin; part < end; ++part) {
        PartChoice choice = {0};
        for (int i = part * CN_MANIFOLDS_PER_PART; i < end_of_part(&world->step, part); ++i) {
            int index = world->step.manifolds.data[i];
            const CnManifold* own = cn_manifold_at(&world->pairs, index);
            bool is_kept = building->keeps && own->has_tile && !own->is_wide;
            bool saves = is_kept && !cn_pair_store_has_saved_targets(&world->pairs, index);
            building->is_kept[i] = is_kept;
            building->saves[i] = saves;
            choice.renewed += !is_kept;
            choice.saved += saves;
        }
        building->parts[part] = choice;
    }
}

// Prefetches what the tile of a later manifold is built from: manifolds, their records and bodies
// lie anywhere. Those of one after that are on their way already. Other workers write to manifolds
// from end on.
static void fetch_later(const Building* building, int i, int end) {
    const CnWorld* world = building->world;
    const CnIntArray* list = &world->step.manifolds;
    if (i + 4 < end) {
        cn_manifold_fetch(&world->pairs, list->data[i + 4]);
    }
    if (i + 2 < end) {
        const CnManifold* later = cn_manifold_at(&world->pairs, list->data[i + 2]);
        const int bodies[2] = {later->tile.body_a, later->tile.body_b};
        cn_record_fetch(&world->pairs.records.data[later->pair]);
        for (int side = 0; side < 2; ++side) {
            int body = bodies[side] < 0 ? 0 : bodies[side];
            const CnBodyState* state = &building->posing->states[body];
            cn_fetch(state);
            cn_fetch((const char*)state + 64);
            cn_fetch(&world->step.inverse_inertia[body]);
        }
    }
}

// Tiles of one point that wait to be prepared side by side.
typedef struct SingleTiles {
    int count;
    int place[CN_SINGLES]; // in the list of the step
    CnContactTile* tile[CN_SINGLES];
} SingleTiles;

static void prepare_singles(CnWorld* world, const CnTileBodies* bodies, SingleTiles* singles) {
    cn_tiles_prepare_singles(singles->count, singles->tile, bodies);
    for (int i = 0; i < singles->count; ++i) {
        note_tile(world, singles->place[i]);
    }
    singles->count = 0;
}

static void count_part(CnStep* step, int part) {
    CnTilePart sums = {0};
    for (int i = part * CN_MANIFOLDS_PER_PART; i < end_of_part(step, part); ++i) {
        const CnTileNote* note = &step->notes.data[i];
        step->first_block.data[i] = sums.blocks;
        sums.blocks += note->points;
        sums.rows += note->points * note->row_count;
        sums.tiles += note->points > 0;
        sums.contacts += note->contacts;
        sums.wide += note->is_wide;
    }
    step->tile_parts.data[part] = sums;
}

static void build_range(int begin, int end, int worker, void* data) {
    const Building* building = data;
    CnWorld* world = building->world;
    CnTileBodies bodies = cn_step_tile_bodies(&world->step);
    SingleTiles singles = {0};
    int stop = end_of_part(&world->step, end - 1);
    (void)worker;
    for (int i = begin * CN_MANIFOLDS_PER_PART; i < stop; ++i) {
        int index = world->step.manifolds.data[i];
        CnManifold* manifold = cn_manifold_at(&world->pairs, index);
        fetch_later(building, i, stop);
        if (building->is_kept[i]) {
            if (building->saves[i]) {
                CnSavedTargets** targets = &building->parts[i / CN_MANIFOLDS_PER_PART].targets;
                cn_pair_store_save_targets(&world->pairs, index, (*targets)++);
            }
            advance_tile(world, building->posing, index);
        } else if (!building->are_plain || !cn_plain_tile_build(world, building->posing, index)) {
            cn_world_build_tile(world, building->posing, index);
        }
        bool is_built = !building->is_kept[i] && !manifold->is_wide;
        if (is_built && cn_tile_is_single(&manifold->tile)) {
            singles.place[singles.count] = i;
            singles.tile[singles.count++] = &manifold->tile;
            if (singles.count == CN_SINGLES) {
                prepare_singles(world, &bodies, &singles);
            }
            continue;
        }
        if (is_built) {
            cn_tile_prepare(&manifold->tile, &bodies);
        }
        note_tile(world, i);
    }
    prepare_singles(world, &bodies, &singles);
    for (int part = begin; part < end; ++part) {
        count_part(&world->step, part);
    }
}

// The blocks of a manifold without a tile follow. False: no memory.
static bool note_wide_block(CnWorld* world, int manifold) {
    CnStep* step = &world->step;
    int count = world->pairs.manifolds.count;
    if (!cn_array_reserve(&step->wide_block, &world->allocator, count)) {
        return false;
    }
    step->wide_block.count = count;
    step->wide_block.data[manifold] = step->rows.blocks.count;
    return true;
}

// Whether tiles that were built for the last step and have not moved are those of this one. They
// are when targets and guesses depend on nothing but where bodies are.
static bool may_keep_tiles(const CnWorld* world, const CnPosing* posing) {
    const CnTilePosing* built = &world->tile_posing;
    const CnStepDef* step = &world->def.step;
    return built->is_valid && built->dt == posing->dt && built->theta == posing->theta &&
           posing->theta < 1.0 && posing->start == NULL && !posing->instant &&
           !posing->position_level && step->friction_bias == 0.0 && cn_warm_start_is_full(world) &&
           world->kept_dt == posing->dt;
}

typedef struct PosedBodies {
    CnWorld* world;
    const CnPosing* posing;
    CnIndexList list;
    const int* shapes; // cn_active_shapes() of the list; NULL: all of it is noted
} PosedBodies;

// Whether a body that moves may have points: where others were posed nobody asks.
static bool may_have_points(const CnWorld* world, int only_shape) {
    return only_shape < 0 || cn_pair_store_first(&world->pairs, only_shape) >= 0;
}

static void note_range(int begin, int end, int worker, void* data) {
    const PosedBodies* posed = data;
    const CnBodyState* states = posed->posing->states;
    (void)worker;
    for (int k = begin; k < end; ++k) {
        int i = cn_index_at(&posed->list, k);
        if (posed->shapes == NULL || may_have_points(posed->world, posed->shapes[k])) {
            cn_rollback_keep_posed(posed->world, i, k);
            posed->world->posed.data[i] = (CnTransform){states[i].center, states[i].rotation};
        }
    }
}

// Bodies whose poses are to be noted.
static PosedBodies list_posed(CnWorld* world, const CnPosing* posing) {
    PosedBodies posed = {world, posing, cn_active_bodies_since(world, world->active.posed), NULL};
    if (world->given_contacts.count == 0 && world->active.posed == world->active.version) {
        posed.shapes = cn_active_shapes(world, &posed.list);
    }
    return posed;
}

static void note_posing(CnWorld* world, const CnPosing* posing) {
    world->tile_posing = (CnTilePosing){
        .is_valid = posing->start == NULL && !posing->instant && !posing->position_level,
        .dt = posing->dt,
        .theta = posing->theta,
    };
    world->posed.count = world->bodies.count;
    world->active.posed = world->active.version;
}

// The numbers of blocks and rows; explicit blocks come after those of tiles.
static void number_blocks(CnStep* step) {
    int tiles = 0;
    step->tile_block_count = step->tile_row_count = 0;
    for (int i = 0; i < step->tile_parts.count; ++i) {
        CnTilePart* part = &step->tile_parts.data[i];
        part->first_block = step->tile_block_count;
        part->first_tile = tiles;
        step->tile_block_count += part->blocks;
        step->tile_row_count += part->rows;
        tiles += part->tiles;
    }
    step->first_block.count = step->manifolds.count;
}

// Which tiles stay, and where their targets are saved; the others are saved, in case the step
// fails.
static CnStatus choose_tiles(Building* building) {
    CnWorld* world = building->world;
    const CnStep* step = &world->step;
    building->keeps = may_keep_tiles(world, building->posing);
    building->are_plain = cn_plain_tiles_suit(world, building->posing);
    cn_tasks_for(&world->def.tasks, step->tile_parts.count, CHOICE_GRAIN, choose_range, building);
    for (int part = 0; part < step->tile_parts.count; ++part) {
        PartChoice* choice = &building->parts[part];
        int first = part * CN_MANIFOLDS_PER_PART, end = end_of_part(step, part);
        for (int i = first; choice->renewed > 0 && i < end; ++i) {
            if (!building->is_kept[i] &&
                !cn_pair_store_save_manifold(&world->pairs, step->manifolds.data[i])) {
                return CN_NO_MEMORY;
            }
        }
        if (choice->saved > 0) {
            choice->targets = cn_pair_store_add_targets(&world->pairs, choice->saved);
            if (choice->targets == NULL) {
                return CN_NO_MEMORY;
            }
        }
    }
    return CN_OK;
}

static CnStatus add_wide_part(CnWorld* world, const CnPosing* posing, int part) {
    const CnStep* step = &world->step;
    CnStatus status = CN_OK;
    for (int i = part * CN_MANIFOLDS_PER_PART; status == CN_OK && i < end_of_part(step, part);
         ++i) {
        if (step->notes.data[i].is_wide) {
            status = note_wide_block(world, step->manifolds.data[i])
                         ? cn_world_add_wide_blocks(world, posing, step->manifolds.data[i])
                         : CN_NO_MEMORY;
        }
    }
    return status;
}

CnStatus cn_world_add_contact_rows(CnWorld* world, const CnPosing* posing) {
    CnStep* step = &world->step;
    int parts = (step->manifolds.count + CN_MANIFOLDS_PER_PART - 1) / CN_MANIFOLDS_PER_PART;
    if (!cn_array_reserve(&step->first_block, &world->allocator, step->manifolds.count) ||
        !cn_array_reserve(&step->notes, &world->allocator, step->manifolds.count) ||
        !cn_array_reserve(&step->traces, &world->allocator, step->manifolds.count) ||
        !cn_array_reserve(&step->tile_parts, &world->allocator, parts) ||
        !cn_array_reserve(&world->posed, &world->allocator, world->bodies.count)) {
        return CN_NO_MEMORY;
    }
    step->tile_parts.count = parts;
    if (world->pairs.hints.posed != NULL) { // it may have moved
        world->pairs.hints.posed = world->posed.data;
    }
    CnArenaMark mark = cn_arena_mark(&world->arena);
    Building building = {
        .world = world,
        .posing = posing,
        .is_kept = CN_ARENA_RAW(&world->arena, bool, step->manifolds.count),
        .saves = CN_ARENA_RAW(&world->arena, bool, step->manifolds.count),
        .parts = CN_ARENA_RAW(&world->arena, PartChoice, parts),
    };
    bool has_room = building.is_kept != NULL && building.saves != NULL && building.parts != NULL;
    CnStatus status = has_room ? choose_tiles(&building) : CN_NO_MEMORY;
    if (status == CN_OK) { // tiles are built, and meanwhile it is noted where bodies are
        world->pairs.hints.posed = NULL; // as it was when the step began
        PosedBodies posed = list_posed(world, posing);
        cn_tasks_for_both(&world->def.tasks, &(CnTaskLoop){parts, 1, build_range, &building},
                          &(CnTaskLoop){posed.list.count, BODIES_PER_TASK, note_range, &posed});
        note_posing(world, posing);
    }
    cn_arena_release(&world->arena, mark);
    for (int i = 0; status == CN_OK && i < parts; ++i) {
        if (step->tile_parts.data[i].wide > 0) {
            status = add_wide_part(world, posing, i);
        }
    }
    if (status == CN_OK) {
        number_blocks(step);
    }
    return status;
}
