// test_pair_store.c - pair records and their manifolds: lists, undo, and refused memory.
#include "cairn/random.h"
#include "support/failing_allocator.h"
#include "support/test.h"
#include "world/contacts/pair_store.h"

// Millions of claims: Check writes a note for each one that it sees, so it sees what fails.
#define EXPECT(claim)                                                                              \
    do {                                                                                           \
        if (!(claim)) {                                                                            \
            CHECK(claim);                                                                          \
        }                                                                                          \
    } while (0)

#define SHAPES 6
#define RECORDS 256 // more than a run makes
#define MANIFOLDS_PER_PAIR 3

// What the store should hold, in plain arrays by the number of the record.
typedef struct ModelPair {
    bool in_use, is_gone;
    int shape[2];
    double margin; // stands for all that a step may change of a record
    int count;     // of manifolds
    double gap[MANIFOLDS_PER_PAIR], moment[MANIFOLDS_PER_PAIR]; // and of a manifold
} ModelPair;

typedef struct Model {
    ModelPair pairs[RECORDS];
} Model;

typedef struct Run {
    CnPairStore store;
    Model model, before; // now, and as the step under way began
    CnRandom random;
    int dropped; // records, in all
    double next; // a number that no one has had
} Run;

static int below(Run* run, int count) {
    return (int)(cn_random_next(&run->random) % (uint64_t)count);
}

static int manifold_at(const CnPairStore* store, int record, int place) {
    int m = store->records.data[record].manifold;
    while (place-- > 0) {
        m = cn_manifold_at(store, m)->next;
    }
    return m;
}

static int count_list(const CnPairStore* store, int record) {
    int count = 0;
    for (int m = store->records.data[record].manifold; m >= 0; m = cn_manifold_at(store, m)->next) {
        ++count;
    }
    return count;
}

static void check_record(const CnPairStore* store, int record, const ModelPair* pair) {
    const CnPairRecord* own = &store->records.data[record];
    EXPECT((own->in_use) == (pair->in_use));
    if (!pair->in_use) {
        return;
    }
    EXPECT((own->shape[0]) == (pair->shape[0]));
    EXPECT((own->shape[1]) == (pair->shape[1]));
    EXPECT((own->is_gone) == (pair->is_gone));
    EXPECT(own->margin == pair->margin);
    EXPECT((count_list(store, record)) == (pair->count));
    for (int i = 0; i < pair->count; ++i) {
        int m = manifold_at(store, record, i);
        const CnTouchExtras* extras = cn_touch_extras(store, m, 0);
        EXPECT(cn_manifold_at(store, m)->in_use);
        EXPECT((cn_manifold_at(store, m)->pair) == (record));
        EXPECT(cn_manifold_at(store, m)->points[0].gap == pair->gap[i]);
        EXPECT(extras == NULL || extras->moment.x == pair->moment[i]);
        const CnTileSlide* slide = store->has_extras ? &store->extras.data[m].slide : NULL;
        EXPECT(cn_manifold_at(store, m)->tile.slide == slide);
    }
}

// Each pair is in the lists of its two shapes once, and in no other.
static void check_lists(const Run* run) {
    for (int slot = 0; slot < SHAPES; ++slot) {
        bool seen[RECORDS] = {false};
        for (int l = cn_pair_store_first(&run->store, slot); l >= 0;
             l = cn_pair_store_next(&run->store, l)) {
            EXPECT(!seen[l / 2]);
            seen[l / 2] = true;
            EXPECT((run->model.pairs[l / 2].shape[l % 2]) == (slot));
        }
        for (int i = 0; i < RECORDS; ++i) {
            const ModelPair* pair = &run->model.pairs[i];
            bool has = pair->in_use && !pair->is_gone &&
                       (pair->shape[0] == slot || pair->shape[1] == slot);
            EXPECT((seen[i]) == (has));
        }
    }
}

// Outside of a step: what is not in use is free, so that nothing leaks.
static void check_free_places(const Run* run) {
    const CnPairStore* store = &run->store;
    int records = 0, manifolds = 0;
    for (int i = 0; i < RECORDS; ++i) {
        records += run->model.pairs[i].in_use;
        manifolds += run->model.pairs[i].in_use ? run->model.pairs[i].count : 0;
    }
    for (int i = store->free_record; i >= 0; i = store->records.data[i].manifold) {
        EXPECT(!store->records.data[i].in_use);
        ++records;
    }
    for (int i = store->free_manifold; i >= 0; i = cn_manifold_at(store, i)->next) {
        EXPECT(!cn_manifold_at(store, i)->in_use);
        ++manifolds;
    }
    EXPECT((records) == (store->records.count));
    EXPECT((manifolds) == (store->manifolds.count));
}

static void check_all(const Run* run) {
    EXPECT(run->store.records.count <= RECORDS);
    for (int i = 0; i < run->store.records.count; ++i) {
        check_record(&run->store, i, &run->model.pairs[i]);
    }
    check_lists(run);
    check_free_places(run);
}

// Operations: false when memory was refused, and then nothing has changed.

static bool add_pair(Run* run) {
    int a = below(run, SHAPES - 1), b = a + 1 + below(run, SHAPES - a - 1);
    int record = cn_pair_store_add_pair(&run->store, a, b);
    if (record >= 0) {
        EXPECT(isinf(run->store.records.data[record].end_gap));
        run->model.pairs[record] = (ModelPair){.in_use = true, .shape = {a, b}};
    }
    return record >= 0;
}

static bool change_record(Run* run, int record) {
    if (!cn_pair_store_save_record(&run->store, record)) {
        return false;
    }
    run->store.records.data[record].margin = run->model.pairs[record].margin = ++run->next;
    return true;
}

static bool change_manifold(Run* run, int record) {
    ModelPair* pair = &run->model.pairs[record];
    int place = below(run, pair->count), m = manifold_at(&run->store, record, place);
    if (!cn_pair_store_save_manifold(&run->store, m)) {
        return false;
    }
    cn_manifold_at(&run->store, m)->points[0].gap = pair->gap[place] = ++run->next;
    if (run->store.has_extras) {
        cn_touch_extras(&run->store, m, 0)->moment.x = pair->moment[place] = ++run->next;
    }
    return true;
}

// Saves what leads to the manifold at a place: the record, or the manifold before it.
static bool save_link(Run* run, int record, int place) {
    return place == 0 ? cn_pair_store_save_record(&run->store, record)
                      : cn_pair_store_save_manifold(&run->store,
                                                    manifold_at(&run->store, record, place - 1));
}

static void set_link(Run* run, int record, int place, int manifold) {
    int* link = &run->store.records.data[record].manifold;
    if (place > 0) {
        link = &cn_manifold_at(&run->store, manifold_at(&run->store, record, place - 1))->next;
    }
    *link = manifold;
}

static bool add_manifold(Run* run, int record) {
    ModelPair* pair = &run->model.pairs[record];
    if (!save_link(run, record, pair->count)) {
        return false;
    }
    int m = cn_pair_store_add_manifold(&run->store, record);
    if (m < 0) {
        return false;
    }
    EXPECT((cn_manifold_at(&run->store, m)->count) == (0));
    cn_manifold_at(&run->store, m)->count = 1; // what is saved are the points that it has
    set_link(run, record, pair->count, m);
    pair->gap[pair->count] = pair->moment[pair->count] = 0.0;
    ++pair->count;
    return true;
}

static bool drop_last_manifold(Run* run, int record) {
    ModelPair* pair = &run->model.pairs[record];
    int last = pair->count - 1, m = manifold_at(&run->store, record, last);
    if (!save_link(run, record, last)) {
        return false;
    }
    set_link(run, record, last, CN_NONE);
    cn_pair_store_drop_manifold(&run->store, m);
    --pair->count;
    return true;
}

static void drop_record(Run* run, int record) {
    cn_pair_store_drop_record(&run->store, record);
    run->model.pairs[record].in_use = false;
    ++run->dropped;
}

static void forget(Run* run, int record) {
    ModelPair* pair = &run->model.pairs[record];
    cn_pair_store_forget(&run->store, record);
    EXPECT(isinf(run->store.records.data[record].end_gap));
    pair->is_gone = true;
    pair->count = 0;
}

// A record in use and not gone; CN_NONE: there is none.
static int any_record(Run* run) {
    int start = run->store.records.count > 0 ? below(run, run->store.records.count) : 0;
    for (int i = 0; i < run->store.records.count; ++i) {
        int record = (start + i) % run->store.records.count;
        if (run->model.pairs[record].in_use && !run->model.pairs[record].is_gone) {
            return record;
        }
    }
    return CN_NONE;
}

static bool operate(Run* run) {
    int record = any_record(run), choice = below(run, 12);
    if (record < 0 || choice < 3) {
        return add_pair(run);
    }
    int count = run->model.pairs[record].count;
    if (choice < 5 && count < MANIFOLDS_PER_PAIR) {
        return add_manifold(run, record);
    }
    if (choice < 7 && count > 0) {
        return change_manifold(run, record);
    }
    if (choice == 7 && count > 0) {
        return drop_last_manifold(run, record);
    }
    if (choice == 8) {
        drop_record(run, record);
        return true;
    }
    if (choice == 9 && !run->store.is_open) {
        forget(run, record);
        return true;
    }
    return change_record(run, record);
}

// Records of removed shapes go in the next step.
static void drop_gone(Run* run) {
    for (int i = 0; i < run->store.records.count; ++i) {
        if (run->model.pairs[i].in_use && run->model.pairs[i].is_gone) {
            drop_record(run, i);
        }
    }
}

static bool make_step(Run* run, bool adds_extras) {
    bool goes_on = true;
    run->before = run->model;
    cn_pair_store_begin(&run->store);
    drop_gone(run);
    for (int i = below(run, 20); goes_on && i > 0; --i) {
        goes_on = operate(run);
    }
    if (goes_on && adds_extras) {
        goes_on = cn_pair_store_need_extras(&run->store);
    }
    if (goes_on && below(run, 2) == 0) {
        cn_pair_store_commit(&run->store);
    } else {
        cn_pair_store_restore(&run->store);
        run->model = run->before;
    }
    check_all(run);
    return goes_on;
}

// A run of 40 steps with changes between them, or until memory is refused. Extras come in the
// middle of step 20, so that copies without them have been made. Returns whether it was refused.
static bool run_store(uint64_t seed, FailingAllocator* memory) {
    static Run run; // the models are large
    CnAllocator allocator = failing_allocator(memory);
    run = (Run){.random = {seed}};
    cn_pair_store_init(&run.store, &allocator);
    bool goes_on = true;
    for (int step = 0; goes_on && step < 40; ++step) {
        goes_on = make_step(&run, step == 20);
        for (int i = below(&run, 4); goes_on && i > 0; --i) {
            goes_on = operate(&run);
            check_all(&run);
        }
    }
    EXPECT(!goes_on || (run.store.has_extras && run.dropped > 10));
    cn_pair_store_destroy(&run.store);
    EXPECT((memory->live) == (0));
    return !goes_on;
}

static void random_operations_give_what_plain_arrays_give(void) {
    for (uint64_t seed = 1; seed <= 200; ++seed) {
        FailingAllocator memory = {0};
        EXPECT(!run_store(seed, &memory));
    }
}

static void a_refused_request_leaves_all_as_it_was(void) {
    for (uint64_t seed = 1; seed <= 10; ++seed) {
        bool refused = true;
        int request = 0;
        while (refused) {
            FailingAllocator memory = {.refuse_at = ++request};
            refused = run_store(seed, &memory);
        }
        EXPECT(request > 10); // ten arrays, most of them used
    }
}

// Undone and made again, a step takes the same places: results cannot depend on failed steps.
static void a_step_made_again_takes_the_same_places(void) {
    FailingAllocator memory = {0};
    CnAllocator allocator = failing_allocator(&memory);
    CnPairStore store;
    int record[2][5], manifold[2][5];
    cn_pair_store_init(&store, &allocator);
    for (int i = 0; i < 4; ++i) {
        record[0][i] = cn_pair_store_add_pair(&store, i, i + 1);
        manifold[0][i] = cn_pair_store_add_manifold(&store, record[0][i]);
        store.records.data[record[0][i]].manifold = manifold[0][i];
    }
    cn_pair_store_drop_record(&store, record[0][1]);
    cn_pair_store_drop_record(&store, record[0][2]);
    for (int turn = 0; turn < 2; ++turn) {
        cn_pair_store_begin(&store);
        for (int i = 0; i < 5; ++i) { // two in free places, three in new ones
            record[turn][i] = cn_pair_store_add_pair(&store, 0, 1 + i);
            manifold[turn][i] = cn_pair_store_add_manifold(&store, record[turn][i]);
            store.records.data[record[turn][i]].manifold = manifold[turn][i];
        }
        cn_pair_store_restore(&store);
    }
    for (int i = 0; i < 5; ++i) {
        EXPECT((record[1][i]) == (record[0][i]));
        EXPECT((manifold[1][i]) == (manifold[0][i]));
    }
    cn_pair_store_destroy(&store);
}

// A contact given by hand is in no list of a shape.
static void a_given_contact_has_a_record_without_shapes(void) {
    FailingAllocator memory = {0};
    CnAllocator allocator = failing_allocator(&memory);
    CnPairStore store;
    cn_pair_store_init(&store, &allocator);
    int record = cn_pair_store_add_given(&store, 7);
    EXPECT((store.records.data[record].given) == (7));
    EXPECT((store.records.data[record].shape[0]) == (CN_NONE));
    EXPECT((cn_pair_store_first(&store, 0)) == (CN_NONE));
    cn_pair_store_begin(&store);
    cn_pair_store_drop_record(&store, record);
    EXPECT(store.records.data[record].in_use); // until the step stands
    cn_pair_store_commit(&store);
    EXPECT(!store.records.data[record].in_use);
    EXPECT((cn_pair_store_add_pair(&store, 0, 1)) == (record));
    cn_pair_store_destroy(&store);
}

// Extras and impulses kept apart that come in a step that fails, after a manifold was saved: its
// extras are zero, its impulses those of its tile. Once they are there, they are saved too.
static void what_comes_beside_a_manifold_is_taken_back(void) {
    const CnVec3 first = {1.0, 2.0, 3.0}, second = {4.0, 5.0, 6.0}, zero = {0.0, 0.0, 0.0};
    FailingAllocator memory = {0};
    CnAllocator allocator = failing_allocator(&memory);
    for (int whole = 0; whole < 2; ++whole) { // all of it is saved, or its impulses only
        CnPairStore store;
        cn_pair_store_init(&store, &allocator);
        int record = cn_pair_store_add_pair(&store, 0, 1);
        int m = cn_pair_store_add_manifold(&store, record);
        store.records.data[record].manifold = m;
        cn_manifold_at(&store, m)->count = 1;
        cn_pair_store_set_impulse(&store, m, 0, first);
        for (int turn = 0; turn < 2; ++turn) {
            cn_pair_store_begin(&store);
            CHECK(whole != 0 ? cn_pair_store_save_manifold(&store, m)
                             : cn_pair_store_save_impulses(&store, m));
            CHECK(cn_pair_store_need_extras(&store) && cn_pair_store_keep_apart(&store));
            cn_manifold_set_impulse(cn_manifold_at(&store, m), 0, second);
            cn_pair_store_set_impulse(&store, m, 0, second);
            cn_touch_extras(&store, m, 0)->moment = whole != 0 ? second : zero;
            cn_pair_store_restore(&store);
            CHECK(cn_touch_extras(&store, m, 0)->moment.x == 0.0);
            CHECK(cn_pair_store_impulse(&store, m, 0).y == first.y);
            CHECK(cn_manifold_impulse(cn_manifold_at(&store, m), 0).y == first.y);
        }
        cn_pair_store_destroy(&store);
    }
}

// Manifolds that are only frames take 304 bytes less than with rows: one that is saved comes
// back, its neighbours stay as they are; rows that are needed later have its impulses and tangents,
// and are zero else.
static void frames_are_saved_and_get_rows_later(void) {
    enum { COUNT = 20 };
    FailingAllocator memory = {0};
    CnAllocator allocator = failing_allocator(&memory);
    CnPairStore store;
    cn_pair_store_init(&store, &allocator);
    cn_pair_store_use_frames(&store);
    CHECK(!cn_pair_store_has_rows(&store));
    CHECK(store.manifolds.size + 2 * 24 + 12 * 8 + 12 * 8 + 6 * 8 + 2 * 8 == sizeof(CnManifold));
    for (int i = 0; i < COUNT; ++i) {
        int record = cn_pair_store_add_pair(&store, i, i + 1);
        int m = cn_pair_store_add_manifold(&store, record);
        CHECK(i > 0 ? store.frames.count == i + 1 : store.frames.count == 0);
        CHECK(cn_pair_store_impulse(&store, m, 0).x == 0.0 && cn_pair_store_reserve_frames(&store));
        store.records.data[record].manifold = m;
        cn_manifold_at(&store, m)->count = 1;
        cn_manifold_at(&store, m)->tile.row_count = i;
        cn_manifold_set_point(cn_manifold_at(&store, m), 0, cn_vec3(i, 1.0, 2.0));
        cn_manifold_set_normal(cn_manifold_at(&store, m), cn_vec3(0.0, 0.0, 1.0));
        store.frames.data[m] = (CnFrameImpulses){.next = {{(float)i, 0.5f, 1.0f}},
                                                 .total = {{2.0f * (float)i, 3.0f, 4.0f}},
                                                 .tangent = {1.0f, 0.0f, 0.0f},
                                                 .across = 0.5f};
    }
    cn_pair_store_begin(&store);
    CHECK(cn_pair_store_save_manifold(&store, COUNT / 2));
    cn_manifold_at(&store, COUNT / 2)->tile.row_count = -1;
    store.frames.data[COUNT / 2] = (CnFrameImpulses){.across = 7.0f};
    cn_manifold_set_point(cn_manifold_at(&store, COUNT / 2), 0, cn_vec3(-1.0, -1.0, -1.0));
    cn_pair_store_restore(&store);
    CnPairStore copy;
    cn_pair_store_init(&copy, &allocator);
    CHECK(cn_pair_store_copy(&copy, &store) && !cn_pair_store_has_rows(&copy));
    memory.refuse_at = memory.requests + 1;
    CHECK(!cn_pair_store_need_rows(&copy) && !cn_pair_store_has_rows(&copy));
    memory.refuse_at = 0;
    CHECK(cn_pair_store_need_rows(&copy) && cn_pair_store_has_rows(&copy));
    cn_pair_store_use_frames(&copy); // there are manifolds: they keep their rows
    CHECK(cn_pair_store_has_rows(&copy));
    for (int i = 0; i < COUNT; ++i) {
        const CnManifold *frame = cn_manifold_at(&store, i), *whole = cn_manifold_at(&copy, i);
        CHECK(frame->in_use && frame->pair == i && frame->tile.row_count == i);
        CHECK(cn_manifold_point(frame, 0).x == i && cn_manifold_point(frame, 0).z == 2.0);
        CHECK(memcmp(frame, whole, store.manifolds.size) == 0);
        CHECK(cn_pair_store_impulse(&store, i, 0).x == i);
        const CnFrameImpulses own = cn_pair_store_frame(&store, i);
        CHECK(cn_pair_store_total(&store, &own, i, 0, 0) == 2.0 * i);
        CHECK(cn_pair_store_direction(&store, &own, i, 2).y == 0.5); // of (0, 0, 1) x (1, 0, 0)
        CHECK(copy.kept.data[i].points[0].x == i && copy.kept.data[i].points[0].z == 1.0);
        CHECK(whole->tile.impulse[0][0] == 2.0 * i && whole->tile.impulse[2][0] == 4.0);
        CHECK(whole->tile.direction[1][0] == 1.0 && whole->tile.direction[2][1] == 0.5);
        CHECK(whole->tile.trace == 0.0 && whole->tile.slide == NULL);
        CHECK(whole->tile.friction[3] == 0.0 && whole->tile.center[1][2] == 0.0);
    }
    cn_pair_store_destroy(&store);
    cn_pair_store_destroy(&copy);
    CHECK_INT(memory.live, 0);
}

TEST_MAIN("unit/world/contacts/pair_store", TEST(frames_are_saved_and_get_rows_later),
          TEST(what_comes_beside_a_manifold_is_taken_back),
          TEST(random_operations_give_what_plain_arrays_give),
          TEST(a_refused_request_leaves_all_as_it_was),
          TEST(a_step_made_again_takes_the_same_places),
          TEST(a_given_contact_has_a_record_without_shapes))
