// test_island_store.c - islands of random links against a plain reference.
#include "cairn/random.h"
#include "support/run.h"
#include "world/step/rows.h"

// Millions of claims: Check writes a note for each one that it sees, so it sees what fails.
#define EXPECT(claim)                                                                              \
    do {                                                                                           \
        if (!(claim)) {                                                                            \
            CHECK(claim);                                                                          \
        }                                                                                          \
    } while (0)

#define BODIES 20
#define LINKS 40

static const CnVec3 zero = {0.0, 0.0, 0.0};

// Links of a step: tiles first, then explicit blocks.
typedef struct Links {
    int body[LINKS][2];
    int tile_count, count;
} Links;

static bool is_dynamic(int body) {
    return body >= 0 && body % 5 != 0; // every fifth is static
}

// Bodies without shapes, and a manifold for each link.
static CnWorld* create(void) {
    CnWorldDef def = cn_world_def_default();
    CnWorld* world = run_create(&def);
    for (int i = 0; i < BODIES; ++i) {
        CnBodyDef body = run_body(1.0, cn_vec3(1.0, 1.0, 1.0), zero);
        body.type = is_dynamic(i) ? CN_BODY_DYNAMIC : CN_BODY_STATIC;
        run_add(world, &body);
    }
    for (int i = 0; i < LINKS; ++i) {
        int record = cn_pair_store_add_given(&world->pairs, i);
        int manifold = cn_pair_store_add_manifold(&world->pairs, record);
        EXPECT(manifold == i);
        world->pairs.records.data[record].manifold = manifold;
        EXPECT(cn_array_push(&world->step.manifolds, &world->allocator, manifold));
        EXPECT(cn_array_push(&world->step.notes, &world->allocator, (CnTileNote){0}));
    }
    return world;
}

// Manifolds in the order of links, some of which do not act and link nothing.
static void pose(CnWorld* world, const Links* links, const bool* acts) {
    cn_rows_clear(&world->step.rows);
    world->step.manifolds.count = links->tile_count;
    for (int i = 0; i < links->count; ++i) {
        if (i < links->tile_count) {
            world->step.notes.data[i] = (CnTileNote){
                .body_a = links->body[i][0],
                .body_b = links->body[i][1],
                .points = acts[i] ? 1 : 0,
                .row_count = 1,
            };
        } else {
            CnBlockSource source = {.manifold = -1, .given = -1, .constraint = -1};
            CnBlock* block =
                cn_rows_add(&world->step.rows, &world->allocator, CN_LAW_EQUALITY, 1, source);
            block->body_a = links->body[i][0];
            block->body_b = links->body[i][1];
        }
    }
}

// The label of an island is the least of its bodies: labels spread until none changes.
static void spread_labels(const Links* links, const bool* acts, int label[BODIES]) {
    bool changed = true;
    for (int i = 0; i < BODIES; ++i) {
        label[i] = i;
    }
    while (changed) {
        changed = false;
        for (int i = 0; i < links->count; ++i) {
            int a = links->body[i][0], b = links->body[i][1];
            if (acts[i] && is_dynamic(a) && is_dynamic(b) && label[a] != label[b]) {
                label[a] = label[b] = label[a] < label[b] ? label[a] : label[b];
                changed = true;
            }
        }
    }
}

// The island of each link by the reference, in the order of first links; -1: does not act.
static int number_links(const Links* links, const bool* acts, int island[LINKS]) {
    int label[BODIES], number[BODIES], count = 0;
    spread_labels(links, acts, label);
    for (int i = 0; i < BODIES; ++i) {
        number[i] = -1;
    }
    for (int i = 0; i < links->count; ++i) {
        int body = is_dynamic(links->body[i][0]) ? links->body[i][0] : links->body[i][1];
        island[i] = -1;
        if (acts[i] && !is_dynamic(body)) {
            island[i] = count++;
        } else if (acts[i]) {
            int* own = &number[label[body]];
            *own = *own < 0 ? count++ : *own;
            island[i] = *own;
        }
    }
    return count;
}

static void check_members(const CnIntArray* start, const CnIntArray* member, int island,
                          const int* expected, int begin, int end) {
    int k = start->data[island];
    for (int i = begin; i < end; ++i) {
        if (expected[i] == island) {
            EXPECT(k < start->data[island + 1]);
            EXPECT((member->data[k++]) == (i - begin));
        }
    }
    EXPECT((k) == (start->data[island + 1]));
}

// Bodies in order of first appearance, none twice in an island.
static void check_bodies(const CnIslandStore* store, const Links* links, const int* expected,
                         int island) {
    bool seen[BODIES] = {false};
    int k = store->body_start.data[island];
    for (int i = 0; i < links->count; ++i) {
        for (int side = 0; expected[i] == island && side < 2; ++side) {
            int body = links->body[i][side];
            if (body >= 0 && !seen[body]) {
                seen[body] = true;
                EXPECT((store->body.data[k++]) == (body));
            }
        }
    }
    EXPECT((k) == (store->body_start.data[island + 1]));
}

static void check_islands(const CnWorld* world, const Links* links, const bool* acts) {
    const CnIslandStore* store = &world->islands;
    int expected[LINKS];
    EXPECT(number_links(links, acts, expected) == store->count);
    for (int i = 0; i < store->count; ++i) {
        check_members(&store->manifold_start, &store->manifold, i, expected, 0, links->tile_count);
        check_members(&store->block_start, &store->block, i, expected, links->tile_count,
                      links->count);
        check_bodies(store, links, expected, i);
    }
}

static Links random_links(CnRandom* random, bool acts[LINKS]) {
    Links links = {.count = (int)(cn_random_next(random) % (LINKS + 1))};
    links.tile_count = (int)(cn_random_next(random) % (uint64_t)(links.count + 1));
    for (int i = 0; i < links.count; ++i) {
        acts[i] = i >= links.tile_count || cn_random_next(random) % 4 != 0;
        links.body[i][0] = (int)(cn_random_next(random) % (BODIES + 1)) - 1; // -1: the world
        links.body[i][1] = (int)(cn_random_next(random) % BODIES);
    }
    return links;
}

static void islands_are_those_of_spreading_labels(void) {
    CnRandom random = {3};
    CnWorld* world = create();
    int most = 0;
    for (int round = 0; round < 2000; ++round) {
        bool acts[LINKS] = {false};
        Links links = random_links(&random, acts);
        pose(world, &links, acts);
        EXPECT((cn_islands_update(world)) == (CN_OK));
        check_islands(world, &links, acts);
        most = world->islands.count > most ? world->islands.count : most;
    }
    EXPECT(most >= 8);
    cn_world_destroy(world);
}

// Two stacks on one static body, and a link of a static body with the world.
static void static_bodies_join_nothing(void) {
    CnWorld* world = create();
    Links links = {.body = {{0, 1}, {0, 2}, {1, 3}, {2, 4}, {-1, 5}}, .tile_count = 4, .count = 5};
    bool acts[LINKS] = {true, true, true, true, true};
    pose(world, &links, acts);
    EXPECT((cn_islands_update(world)) == (CN_OK));
    EXPECT((world->islands.count) == (3)); // {1, 3}, {2, 4}, and the rows without a movable body
    check_islands(world, &links, acts);
    cn_world_destroy(world);
}

// The same links: nothing is written, so that what was found stays, even a mark made by hand.
static void unchanged_links_keep_the_islands(void) {
    CnWorld* world = create();
    Links links = {.body = {{1, 2}, {2, 3}, {6, 7}}, .tile_count = 3, .count = 3};
    bool acts[LINKS] = {true, true, true};
    pose(world, &links, acts);
    EXPECT((cn_islands_update(world)) == (CN_OK));
    EXPECT((world->islands.count) == (2));
    world->islands.body.data[0] = 99;
    EXPECT((cn_islands_update(world)) == (CN_OK));
    EXPECT((world->islands.body.data[0]) == (99));
    acts[1] = false; // splits one of them
    pose(world, &links, acts);
    EXPECT((cn_islands_update(world)) == (CN_OK));
    EXPECT((world->islands.count) == (2));
    check_islands(world, &links, acts);
    EXPECT((world->islands.manifold.data[1]) == (2));
    world->bodies.data[6].type = CN_BODY_STATIC; // the same links, of other bodies
    cn_active_change(world);
    world->islands.body.data[0] = 99;
    EXPECT((cn_islands_update(world)) == (CN_OK));
    EXPECT((world->islands.body.data[0]) == (1));
    cn_world_destroy(world);
}

// A step without rows has none, whatever the last one had.
static void no_links_are_no_islands(void) {
    CnWorld* world = create();
    Links links = {.body = {{1, 2}}, .count = 1}, none = {.count = 0};
    bool acts[LINKS] = {true};
    pose(world, &links, acts);
    EXPECT((cn_islands_update(world)) == (CN_OK));
    EXPECT((world->islands.count) == (1));
    pose(world, &none, acts);
    EXPECT((cn_islands_update(world)) == (CN_OK));
    EXPECT((world->islands.count) == (0));
    EXPECT((world->islands.body_start.data[0]) == (0));
    cn_world_destroy(world);
}

TEST_MAIN("unit/world/islands/island_store", TEST(islands_are_those_of_spreading_labels),
          TEST(static_bodies_join_nothing), TEST(unchanged_links_keep_the_islands),
          TEST(no_links_are_no_islands))
