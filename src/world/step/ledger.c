// ledger.c - what rows did to energy and momentum in a step: docs/theory/ledger.md.
#include "world/step/ledger.h"

#include "base/tasks.h"
#include "constraints/problem/block.h"
#include "world/contacts/contact_friction.h"
#include "world/contacts/contact_totals.h"
#include "world/contacts/contacts.h"
#include "world/step/rows.h"
#include "world/step/solve_step.h"
#include "world/step/warm_start.h"
#include "world/trees/compact_rows.h"
#include "world/trees/tree_store.h"

void cn_ledger_add_work(CnEnergyLedger* energy, CnWork account, double work) {
    energy->work[account] += work;
    energy->scale += fabs(work);
}

void cn_ledger_add_wrench(CnMomentumLedger* momentum, CnVec3 center, CnVec3 impulse, CnVec3 moment,
                          bool internal) {
    CnVec3* linear = internal ? &momentum->linear_internal : &momentum->linear_external;
    CnVec3* angular = internal ? &momentum->angular_internal : &momentum->angular_external;
    *linear = cn_vec3_add(*linear, impulse);
    *angular = cn_vec3_add(*angular, cn_vec3_add(moment, cn_vec3_cross(center, impulse)));
    momentum->linear_scale += cn_vec3_length(impulse);
    momentum->angular_scale +=
        cn_vec3_length(moment) + cn_vec3_length(center) * cn_vec3_length(impulse);
}

// Impulses of both cancel to the bit; of the moments round-off is left.
void cn_ledger_add_reaction(CnMomentumLedger* momentum, CnVec3 center, CnVec3 other, CnVec3 impulse,
                            CnVec3 moment) {
    CnVec3 carried = cn_vec3_add(moment, cn_vec3_cross(cn_vec3_sub(center, other), impulse));
    CnVec3 own = cn_vec3_add(moment, cn_vec3_cross(center, impulse));
    CnVec3 back = cn_vec3_add(carried, cn_vec3_cross(other, impulse));
    double size = cn_vec3_length(impulse);
    momentum->angular_internal = cn_vec3_add(momentum->angular_internal, cn_vec3_sub(own, back));
    momentum->linear_scale += size + size;
    momentum->angular_scale += (cn_vec3_length(moment) + cn_vec3_length(center) * size) +
                               (cn_vec3_length(carried) + cn_vec3_length(other) * size);
}

void cn_ledger_add_reactions(CnMomentumLedger* momentum, const CnReaction* reactions, int count) {
    const CnMovingLanes* lanes = cn_moving_lanes();
    for (int i = 0; i < count; i += lanes->width) {
        lanes->react(reactions + i, count - i < lanes->width ? count - i : lanes->width, momentum);
    }
}

void cn_ledger_add_load(CnMomentumLedger* momentum, CnVec3 center, CnVec3 gravity, CnVec3 load,
                        CnVec3 moment) {
    CnVec3 carried = cn_vec3_add(cn_vec3_cross(center, load), moment);
    momentum->linear_gravity = cn_vec3_add(momentum->linear_gravity, gravity);
    momentum->linear_loads = cn_vec3_add(momentum->linear_loads, load);
    momentum->angular_gravity =
        cn_vec3_add(momentum->angular_gravity, cn_vec3_cross(center, gravity));
    momentum->angular_loads = cn_vec3_add(momentum->angular_loads, carried);
    momentum->linear_scale += cn_vec3_length(gravity) + cn_vec3_length(load);
    momentum->angular_scale +=
        cn_vec3_length(center) * (cn_vec3_length(gravity) + cn_vec3_length(load)) +
        cn_vec3_length(moment);
}

static inline double row_power(const double jacobian[6], const double velocity[6]) {
    double sum = 0.0;
    for (int i = 0; i < 6; ++i) {
        sum += jacobian[i] * velocity[i];
    }
    return sum;
}

static CnWork account_of(const CnBlockSource* source, int row) {
    if (source->constraint >= 0) {
        return CN_WORK_CONSTRAINT;
    }
    return row == 0 ? CN_WORK_CONTACT : CN_WORK_FRICTION;
}

static bool is_dynamic(const CnWorld* world, int index) {
    return index >= 0 && cn_world_body_by_index(world, index)->type == CN_BODY_DYNAMIC;
}

// The impulse and moment of rows on one body: wrench += p J.
static inline void add_push(double p, const double jacobian[6], double wrench[6]) {
    for (int i = 0; i < 6; ++i) {
        wrench[i] += p * jacobian[i];
    }
}

static void book_wrench(const double wrench[6], CnVec3 center, bool internal,
                        CnMomentumLedger* momentum) {
    cn_ledger_add_wrench(momentum, center, cn_vec3(wrench[0], wrench[1], wrench[2]),
                         cn_vec3(wrench[3], wrench[4], wrench[5]), internal);
}

// One side of a block: the work of its rows, added to work, and their impulse on the body if it has
// momentum to keep. Rows that gave nothing have nothing to book. momentum NULL: its tree books it.
static void book_side(CnWorld* world, const CnRows* rows, const CnBlock* block, int side,
                      bool internal, double* work, CnEnergyLedger* energy,
                      CnMomentumLedger* momentum) {
    int index = cn_block_body(block, side);
    if (index < 0) {
        return;
    }
    const double(*jacobian)[6] = (const double(*)[6])cn_rows_jacobian(rows, block->first_row, side);
    const double *impulse = rows->impulse + block->first_row,
                 *velocity = world->step.mean_velocity[index];
    if (!is_dynamic(world, index)) {
        for (int k = 0; k < block->row_count; ++k) {
            double own = impulse[k] * row_power(jacobian[k], velocity);
            work[k] += own;
            cn_ledger_add_work(energy, CN_WORK_DRIVE, -own);
        }
        return;
    }
    double wrench[6] = {0.0};
    for (int k = 0; k < block->row_count; ++k) {
        work[k] += impulse[k] * row_power(jacobian[k], velocity);
    }
    if (momentum == NULL) {
        return;
    }
    for (int k = 0; k < block->row_count; ++k) {
        add_push(impulse[k], jacobian[k], wrench);
    }
    book_wrench(wrench, world->step.motions.data[index].center, internal, momentum);
}

bool cn_ledger_is_internal(const CnWorld* world, const CnBlock* block,
                           const CnBlockSource* source) {
    if (!is_dynamic(world, block->body_a) || !is_dynamic(world, block->body_b)) {
        return false;
    }
    if (source->constraint < 0) {
        return true;
    }
    const CnUserConstraint* constraint = cn_pool_at(&world->constraints, source->constraint);
    const CnConstraintKind* kind = constraint->kind;
    if (kind->body_count == 4) { // a block leaves the world out
        CnConstraintSides sides = cn_world_constraint_sides(world, constraint);
        for (int i = 0; i < 4; ++i) {
            if (!is_dynamic(world, sides.own[i])) {
                return false;
            }
        }
    }
    return kind->is_grounded == NULL || !kind->is_grounded(constraint->data);
}

// Tiles that are booked by one task; their sums are added in order.
#define TILES_PER_PART 128

typedef struct Booking {
    CnWorld* world;
    const CnTileBodies* bodies;
    bool books;          // work and momentum
    bool keeps;          // what the step leaves of contacts, on the same walk over manifolds
    CnTileLedger* parts; // [part_count]
    int part_count;
} Booking;

// The place of the manifold that has the given tile among those with points.
static int find_tile(const CnStep* step, int tile) {
    int low = 0, high = step->tile_parts.count;
    while (high - low > 1) {
        int middle = low + (high - low) / 2;
        if (step->tile_parts.data[middle].first_tile <= tile) {
            low = middle;
        } else {
            high = middle;
        }
    }
    int place = low * CN_MANIFOLDS_PER_PART;
    int left = tile - step->tile_parts.data[low].first_tile;
    while (left > 0 || step->notes.data[place].points == 0) {
        left -= step->notes.data[place++].points > 0;
    }
    return place;
}

// The place of the first manifold of a part: those without points go with the tiles before them.
static int begin_of_part(const Booking* booking, int part) {
    const CnStep* step = &booking->world->step;
    if (part == booking->part_count) {
        return step->manifolds.count;
    }
    return part == 0 ? 0 : find_tile(step, part * TILES_PER_PART);
}

static void book_range(int begin, int end, int worker, void* data) {
    const Booking* booking = data;
    CnWorld* world = booking->world;
    const CnStep* step = &world->step;
    (void)worker;
    for (int part = begin; part < end; ++part) {
        CnContactTile* tiles[TILES_PER_PART];
        int first = begin_of_part(booking, part), stop = begin_of_part(booking, part + 1),
            count = 0;
        for (int i = first; i < stop; ++i) {
            if (step->notes.data[i].points > 0) {
                tiles[count++] = &cn_manifold_at(&world->pairs, step->manifolds.data[i])->tile;
            }
        }
        if (booking->books) {
            cn_tiles_book(&(CnTileSet){count, tiles, NULL}, booking->bodies, NULL,
                          &booking->parts[part]);
        }
        if (booking->keeps) {
            cn_warm_start_keep_contacts(world, first, stop, true);
        }
    }
}

static CnVec3 vector(const double x[3]) {
    return cn_vec3(x[0], x[1], x[2]);
}

static void add_tile_ledger(const CnTileLedger* tiles, CnEnergyLedger* energy,
                            CnMomentumLedger* momentum) {
    energy->work[CN_WORK_CONTACT] += tiles->contact;
    energy->work[CN_WORK_FRICTION] += tiles->friction;
    energy->work[CN_WORK_DRIVE] += tiles->drive;
    energy->scale += tiles->work_scale;
    momentum->linear_external =
        cn_vec3_add(momentum->linear_external, vector(tiles->linear_external));
    momentum->angular_external =
        cn_vec3_add(momentum->angular_external, vector(tiles->angular_external));
    momentum->angular_internal =
        cn_vec3_add(momentum->angular_internal, vector(tiles->angular_internal));
    momentum->linear_scale += tiles->linear_scale;
    momentum->angular_scale += tiles->angular_scale;
}

CnStatus cn_ledger_add_tiles(CnWorld* world, bool keeps, CnEnergyLedger* energy,
                             CnMomentumLedger* momentum) {
    world->assembled.is_valid = false; // it knows the work of blocks
    CnArenaMark mark = cn_arena_mark(&world->arena);
    const CnStep* step = &world->step;
    CnTileBodies bodies = cn_step_tile_bodies(step);
    int parts = (cn_step_tile_count(step) + TILES_PER_PART - 1) / TILES_PER_PART;
    parts = parts == 0 && step->manifolds.count > 0 ? 1 : parts; // of manifolds without tiles
    Booking booking = {
        .world = world,
        .bodies = &bodies,
        .books = energy != NULL,
        .keeps = keeps,
        .parts = CN_ARENA_NEW(&world->arena, CnTileLedger, parts),
        .part_count = parts,
    };
    CnTileLedger total = {0};
    CnStatus status = booking.parts == NULL ? CN_NO_MEMORY : CN_OK;
    if (status == CN_OK) {
        cn_tasks_for(&world->def.tasks, parts, 1, book_range, &booking);
        for (int i = 0; i < parts; ++i) {
            cn_tile_ledger_merge(&total, &booking.parts[i]);
        }
        if (booking.books) {
            add_tile_ledger(&total, energy, momentum);
        } else {
            world->step.block_work.count = 0;
        }
    }
    cn_arena_release(&world->arena, mark);
    return status;
}

static bool gave_nothing(const CnRows* rows, const CnBlock* block) {
    for (int row = block->first_row; row < block->first_row + block->row_count; ++row) {
        if (rows->impulse[row] != 0.0) {
            return false;
        }
    }
    return true;
}

// Whether a block is of a joint or a drive whose momentum its tree books.
static bool is_booked_by_tree(const CnTreeStore* store, const CnBlockSource* source) {
    if (source->constraint < 0) {
        return false;
    }
    int place = store->place[source->constraint];
    int link = place < -1 ? store->drives[-2 - place].link : place;
    return link >= 0 && store->trees[store->tree_of[store->links[link].body]].is_solved;
}

// Blocks whose work is found before it is booked.
#define BLOCKS_AT_ONCE 64

// Joints whose compact rows are alike: 3 to 5 rows, 2 or 3 of them of a point.
#define KINDS_OF_JOINTS 6

// How a block is booked. Plain ones are of constraints between bodies that move freely or not at
// all, and have rows that are compact, or one: most do.
typedef enum Way {
    GAVE_NOTHING,
    PLAIN,         // compact
    PLAIN_BY_TREE, // its tree books the momentum
    OTHER,
    OTHER_BY_TREE
} Way;

// Joints whose rows are alike, until there are enough of them to be taken together.
typedef struct WaitingJoints {
    int count;
    int place[CN_MOVING_MOST]; // of their blocks
    CnJointWork joints;
} WaitingJoints;

// The work of plain blocks, which is found for several at a time.
typedef struct PlainWork {
    const CnWorld* world;
    const CnRows* rows;
    const CnMovingLanes* lanes;
    bool uses_trees;
    bool all_solved;              // every tree is: rows of turns are those of drives on them
    int first;                    // the block that these begin with
    Way way[BLOCKS_AT_ONCE];      // of each
    double* total;                // [J]   [BLOCKS_AT_ONCE]
    double scale[BLOCKS_AT_ONCE]; // the sum of magnitudes of what its rows do [J]
    WaitingJoints waiting[KINDS_OF_JOINTS];
} PlainWork;

static inline const double* mean_velocity(const PlainWork* plain, int body) {
    static const double still[6] = {0.0};
    return body < 0 ? still : plain->world->step.mean_velocity[body];
}

// All joints of a kind that wait; those that are missing are the last one again.
static void find_work(PlainWork* plain, WaitingJoints* waiting) {
    CnJointWork* joints = &waiting->joints;
    double total[CN_MOVING_MOST], scale[CN_MOVING_MOST];
    for (int i = waiting->count; i < plain->lanes->width; ++i) {
        joints->rows[i] = joints->rows[i - 1];
        joints->impulse[i] = joints->impulse[i - 1];
        joints->a[i] = joints->a[i - 1];
        joints->b[i] = joints->b[i - 1];
    }
    plain->lanes->joint_work(joints, total, scale);
    for (int i = 0; i < waiting->count; ++i) {
        plain->total[waiting->place[i]] = total[i];
        plain->scale[waiting->place[i]] = scale[i];
    }
    waiting->count = 0;
}

static void let_wait(PlainWork* plain, int place, const CnBlock* block,
                     const CnCompactRows* compact) {
    int kind = 2 * (block->row_count - 3) + (compact->points - 2);
    WaitingJoints* waiting = &plain->waiting[kind];
    CnJointWork* joints = &waiting->joints;
    int i = waiting->count++;
    waiting->place[i] = place;
    joints->row_count = block->row_count;
    joints->points = compact->points;
    joints->rows[i] = compact;
    joints->impulse[i] = plain->rows->impulse + block->first_row;
    joints->a[i] = mean_velocity(plain, block->body_a);
    joints->b[i] = mean_velocity(plain, block->body_b);
    if (waiting->count == plain->lanes->width) {
        find_work(plain, waiting);
    }
}

static inline bool is_fixed_or_dynamic(const CnWorld* world, int body) {
    return body < 0 || is_dynamic(world, body);
}

// The work of a row that is alone; turn: about the axis of a hinge, or NULL.
static inline void find_row_work(PlainWork* plain, int place, const CnBlock* block,
                                 const CnTurnRow* turn) {
    const CnRows* rows = plain->rows;
    const double *a = mean_velocity(plain, block->body_a), *b = mean_velocity(plain, block->body_b);
    int row = block->first_row;
    double rate = turn != NULL
                      ? cn_turn_rate(turn->turn, a, b)
                      : row_power(rows->jacobian_a[row], a) + row_power(rows->jacobian_b[row], b);
    double work = rows->impulse[row] * rate;
    plain->total[place] = 0.0 + work;
    plain->scale[place] = fabs(work);
}

static inline Way way_of(const PlainWork* plain, const CnBlock* block,
                         const CnBlockSource* source) {
    bool is_compact = source->compact > 0;
    if (!is_compact && gave_nothing(plain->rows, block)) { // stops that are open
        return GAVE_NOTHING;
    }
    bool by_tree = plain->uses_trees && ((source->turn > 0 && plain->all_solved) ||
                                         is_booked_by_tree(plain->world->trees, source));
    bool is_plain = (is_compact || (by_tree && block->row_count == 1)) &&
                    !cn_block_has_second(block) &&
                    is_fixed_or_dynamic(plain->world, block->body_a) &&
                    is_fixed_or_dynamic(plain->world, block->body_b);
    return is_plain ? (by_tree ? PLAIN_BY_TREE : PLAIN) : (by_tree ? OTHER_BY_TREE : OTHER);
}

// Finds the work of a block, or lets it wait for others like it.
static inline void take_block(PlainWork* plain, int place) {
    const CnRows* rows = plain->rows;
    const CnBlock* block = &rows->blocks.data[plain->first + place];
    const CnBlockSource* source = &rows->sources.data[plain->first + place];
    Way way = way_of(plain, block, source);
    plain->way[place] = way;
    plain->total[place] = 0.0;
    if (way != PLAIN && way != PLAIN_BY_TREE) {
        return;
    }
    if (source->compact > 0) {
        let_wait(plain, place, block, &rows->compact.data[source->compact - 1]);
    } else {
        find_row_work(plain, place, block,
                      source->turn > 0 ? &rows->turns.data[source->turn - 1] : NULL);
    }
}

static void take_blocks(PlainWork* plain, int count) {
    for (int place = 0; place < count; ++place) {
        take_block(plain, place);
    }
    for (int kind = 0; kind < KINDS_OF_JOINTS; ++kind) {
        if (plain->waiting[kind].count > 0) {
            find_work(plain, &plain->waiting[kind]);
        }
    }
}

// The momentum that a joint with compact rows gives its bodies: a reaction between two of them, or
// an external impulse on the only one.
static void book_compact(const CnWorld* world, int index, CnMomentumLedger* momentum) {
    const CnRows* rows = &world->step.rows;
    const CnBlock* block = &rows->blocks.data[index];
    const CnMotion* motions = world->step.motions.data;
    bool is_b = block->body_b >= 0;
    double wrench[6] = {0.0};
    cn_compact_push(cn_rows_compact(rows, index), block->row_count,
                    rows->impulse + block->first_row, is_b, wrench);
    CnVec3 center = motions[is_b ? block->body_b : block->body_a].center;
    if (is_b && block->body_a >= 0) {
        cn_ledger_add_reaction(momentum, center, motions[block->body_a].center,
                               cn_vec3(wrench[0], wrench[1], wrench[2]),
                               cn_vec3(wrench[3], wrench[4], wrench[5]));
    } else {
        book_wrench(wrench, center, false, momentum);
    }
}

// Work and momentum of one block. by_tree: its tree books the latter.
static void book_block(CnWorld* world, int index, bool by_tree, CnEnergyLedger* energy,
                       CnMomentumLedger* momentum) {
    const CnRows* rows = &world->step.rows;
    const CnBlock* block = &rows->blocks.data[index];
    const CnBlockSource* source = &rows->sources.data[index];
    double total = 0.0, work[CN_MAX_ROWS] = {0.0};
    bool internal = !by_tree && cn_ledger_is_internal(world, block, source);
    cn_rows_write(rows, index);
    for (int side = 0; side < cn_block_sides(block); ++side) {
        book_side(world, rows, block, side, internal, work, energy, by_tree ? NULL : momentum);
    }
    for (int k = 0; k < block->row_count; ++k) {
        cn_ledger_add_work(energy, account_of(source, k), work[k]);
        total += work[k];
    }
    world->step.block_work.data[index] = total;
}

// Blocks whose work is known, and the others, in their order.
static void book_blocks(CnWorld* world, const PlainWork* plain, int count, CnEnergyLedger* energy,
                        CnMomentumLedger* momentum) {
    for (int place = 0; place < count; ++place) {
        Way way = plain->way[place];
        if (way == OTHER || way == OTHER_BY_TREE) {
            book_block(world, plain->first + place, way == OTHER_BY_TREE, energy, momentum);
        } else if (way != GAVE_NOTHING) {
            energy->work[CN_WORK_CONSTRAINT] += plain->total[place];
            energy->scale += plain->scale[place];
        }
        if (way == PLAIN) {
            book_compact(world, plain->first + place, momentum);
        }
    }
}

static bool are_all_solved(const CnTreeStore* store) {
    for (int t = 0; t < store->tree_count; ++t) {
        if (!store->trees[t].is_solved) {
            return false;
        }
    }
    return true;
}

static CnStatus add_blocks(CnWorld* world, CnEnergyLedger* energy, CnMomentumLedger* momentum) {
    int count = world->step.rows.blocks.count;
    if (!cn_array_reserve(&world->step.block_work, &world->allocator, count)) {
        return CN_NO_MEMORY;
    }
    world->step.block_work.count = count;
    PlainWork plain;
    plain.world = world;
    plain.lanes = cn_moving_lanes();
    plain.rows = &world->step.rows;
    plain.uses_trees = cn_trees_have_solved(world);
    plain.all_solved = plain.uses_trees && are_all_solved(world->trees);
    for (int kind = 0; kind < KINDS_OF_JOINTS; ++kind) {
        plain.waiting[kind].count = 0;
    }
    for (int first = 0; first < count; first += BLOCKS_AT_ONCE) {
        int some = count - first < BLOCKS_AT_ONCE ? count - first : BLOCKS_AT_ONCE;
        plain.first = first;
        plain.total = world->step.block_work.data + first;
        take_blocks(&plain, some);
        book_blocks(world, &plain, some, energy, momentum);
    }
    cn_trees_book_solve(world, momentum);
    return CN_OK;
}

// Of the work of friction on a belt, the part that its drive gives: docs/theory/ledger.md (15).
static void add_belts(const CnWorld* world, CnEnergyLedger* energy) {
    for (int i = 0; i < world->step.manifolds.count; ++i) {
        int index = world->step.manifolds.data[i];
        const CnTileNote* note = &world->step.notes.data[i];
        for (int k = 0; note->is_belt && k < note->contacts; ++k) {
            CnContactPoint point = cn_manifold_describe(world, index, k);
            double work = -cn_vec3_dot(point.impulse, point.surface_velocity);
            cn_ledger_add_work(energy, CN_WORK_DRIVE, work);
            cn_ledger_add_work(energy, CN_WORK_FRICTION, -work);
        }
    }
}

// Momentum given by the relaxation, at the poses of the end of the step.
static void add_late_blocks(const CnWorld* world, CnMomentumLedger* momentum) {
    const CnRows* rows = &world->correction.rows;
    for (int i = 0; i < rows->blocks.count; ++i) {
        const CnBlock* block = &rows->blocks.data[i];
        bool internal = cn_ledger_is_internal(world, block, &rows->sources.data[i]);
        for (int side = 0; side < cn_block_sides(block); ++side) {
            int index = cn_block_body(block, side);
            if (!is_dynamic(world, index)) {
                continue;
            }
            const double(*jacobian)[6] =
                (const double(*)[6])cn_rows_jacobian(rows, block->first_row, side);
            const double* impulse = rows->impulse + block->first_row;
            double wrench[6] = {0.0};
            for (int k = 0; k < block->row_count; ++k) {
                add_push(impulse[k], jacobian[k], wrench);
            }
            book_wrench(wrench, cn_world_body_by_index(world, index)->state.center, internal,
                        momentum);
        }
    }
    cn_trees_book_late(world, momentum);
}

CnStatus cn_ledger_add_blocks(CnWorld* world, CnEnergyLedger* energy, CnMomentumLedger* momentum) {
    CnStatus status = add_blocks(world, energy, momentum);
    if (status == CN_OK) {
        add_belts(world, energy);
        add_late_blocks(world, momentum);
    }
    return status;
}

static CnVec3 missing_from(CnVec3 start, CnVec3 end, const CnVec3* accounts, int count) {
    CnVec3 missing = cn_vec3_sub(end, start);
    for (int i = 0; i < count; ++i) {
        missing = cn_vec3_sub(missing, accounts[i]);
    }
    return missing;
}

void cn_ledger_add_stages(const CnWorld* world, CnMomentumLedger* m) {
    add_late_blocks(world, m);
    const CnVec3 accounts[] = {m->angular_gravity, m->angular_loads, m->angular_external,
                               m->angular_internal};
    m->angular_integration = missing_from(m->angular_start, m->angular_end, accounts, 4);
}

static double relative(double size, double scale) {
    return scale == 0.0 ? 0.0 : size / scale;
}

// As fmax(), but NaN if either is.
static double larger(double a, double b) {
    return a > b || isnan(a) ? a : b;
}

void cn_ledger_close(CnEnergyLedger* energy, CnMomentumLedger* m) {
    double missing = energy->end - energy->start;
    for (int i = 0; i < CN_WORK_COUNT; ++i) {
        missing -= energy->work[i];
    }
    energy->error = relative(fabs(missing), energy->scale);

    const CnVec3 linear[] = {m->linear_gravity, m->linear_loads, m->linear_external,
                             m->linear_internal, m->linear_integration};
    const CnVec3 angular[] = {m->angular_gravity, m->angular_loads, m->angular_external,
                              m->angular_internal, m->angular_integration};
    CnVec3 linear_missing = missing_from(m->linear_start, m->linear_end, linear, 5);
    CnVec3 angular_missing = missing_from(m->angular_start, m->angular_end, angular, 5);
    m->error = larger(relative(cn_vec3_length(linear_missing), m->linear_scale),
                      relative(cn_vec3_length(angular_missing), m->angular_scale));
    m->internal_error = larger(relative(cn_vec3_length(m->linear_internal), m->linear_scale),
                               relative(cn_vec3_length(m->angular_internal), m->angular_scale));
}

void cn_ledger_add_accounts(CnEnergyLedger* energy, CnMomentumLedger* m,
                            const CnEnergyLedger* next_energy, const CnMomentumLedger* next) {
    energy->scale += next_energy->scale;
    for (int i = 0; i < CN_WORK_COUNT; ++i) {
        energy->work[i] += next_energy->work[i];
    }
    CnVec3* sums[] = {&m->linear_gravity,     &m->angular_gravity,  &m->linear_loads,
                      &m->angular_loads,      &m->linear_external,  &m->angular_external,
                      &m->linear_internal,    &m->angular_internal, &m->linear_integration,
                      &m->angular_integration};
    const CnVec3* adds[] = {&next->linear_gravity,     &next->angular_gravity,
                            &next->linear_loads,       &next->angular_loads,
                            &next->linear_external,    &next->angular_external,
                            &next->linear_internal,    &next->angular_internal,
                            &next->linear_integration, &next->angular_integration};
    for (size_t i = 0; i < sizeof sums / sizeof sums[0]; ++i) {
        *sums[i] = cn_vec3_add(*sums[i], *adds[i]);
    }
    m->linear_scale += next->linear_scale;
    m->angular_scale += next->angular_scale;
}

void cn_ledger_append(CnEnergyLedger* energy, CnMomentumLedger* momentum,
                      const CnEnergyLedger* next_energy, const CnMomentumLedger* next) {
    cn_ledger_add_accounts(energy, momentum, next_energy, next);
    energy->end = next_energy->end;
    energy->end_parts = next_energy->end_parts;
    momentum->linear_end = next->linear_end;
    momentum->angular_end = next->angular_end;
    cn_ledger_close(energy, momentum);
}
