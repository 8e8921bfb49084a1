// test_pool.c - ids of removed things are recognised as stale.
#include "base/pool.h"
#include "support/failing_allocator.h"
#include "support/test.h"

typedef struct Thing {
    int number;
    double weight;
} Thing;

static CnPoolId add_thing(CnPool* pool, int number) {
    void* element = NULL;
    CnPoolId id = cn_pool_add(pool, &element);
    CHECK(element != NULL);
    Thing* thing = element;
    CHECK(thing->number == 0 && thing->weight == 0.0);
    thing->number = number;
    thing->weight = 1.0;
    return id;
}

static int number_of(const CnPool* pool, CnPoolId id) {
    const Thing* thing = cn_pool_get(pool, id);
    return thing == NULL ? -1 : thing->number;
}

static void things_are_found_by_id_and_by_slot(void) {
    CnPool pool;
    cn_pool_init(&pool, NULL, sizeof(Thing));
    CnPoolId ids[100];
    for (int i = 0; i < 100; ++i) {
        ids[i] = add_thing(&pool, i);
        CHECK_INT(ids[i].index, i + 1);
    }
    CHECK_INT(pool.count, 100);
    CHECK_INT(cn_pool_slot_count(&pool), 100);
    for (int i = 0; i < 100; ++i) {
        CHECK_INT(number_of(&pool, ids[i]), i);
        CHECK(cn_pool_at(&pool, i) == cn_pool_get(&pool, ids[i]));
        CHECK_INT(cn_pool_id_at(&pool, i).generation, ids[i].generation);
    }
    cn_pool_destroy(&pool);
}

static void null_and_unknown_ids_name_nothing(void) {
    CnPool pool;
    cn_pool_init(&pool, NULL, sizeof(Thing));
    CHECK(cn_pool_get(&pool, (CnPoolId){0}) == NULL);
    CHECK(cn_pool_get(&pool, (CnPoolId){1, 1}) == NULL);
    CnPoolId id = add_thing(&pool, 5);
    CHECK(cn_pool_get(&pool, (CnPoolId){0}) == NULL);
    CHECK(cn_pool_get(&pool, (CnPoolId){id.index, 0}) == NULL);
    CHECK(cn_pool_get(&pool, (CnPoolId){UINT32_MAX, id.generation}) == NULL);
    CHECK_INT(cn_pool_remove(&pool, (CnPoolId){0}), CN_STALE);
    cn_pool_destroy(&pool);
}

static void a_reused_slot_does_not_answer_to_its_old_name(void) {
    CnPool pool;
    cn_pool_init(&pool, NULL, sizeof(Thing));
    CnPoolId keep = add_thing(&pool, 1);
    CnPoolId old = add_thing(&pool, 2);
    CHECK_INT(cn_pool_remove(&pool, old), CN_OK);
    CHECK_INT(cn_pool_remove(&pool, old), CN_STALE);
    CHECK(cn_pool_at(&pool, 1) == NULL);
    CHECK_INT(cn_pool_id_at(&pool, 1).index, 0);
    CnPoolId reused = add_thing(&pool, 3);
    CHECK_INT(reused.index, old.index);
    CHECK_INT(number_of(&pool, old), -1);
    CHECK_INT(number_of(&pool, reused), 3);
    CHECK_INT(number_of(&pool, keep), 1);
    CHECK_INT(pool.count, 2);
    cn_pool_destroy(&pool);
}

static void a_slot_whose_generations_are_spent_is_not_used_again(void) {
    CnPool pool;
    cn_pool_init(&pool, NULL, sizeof(Thing));
    add_thing(&pool, 1);
    pool.slots.data[0].generation = UINT32_MAX; // as after 2^31 removals
    CHECK_INT(cn_pool_remove(&pool, cn_pool_id_at(&pool, 0)), CN_OK);
    CHECK_INT(add_thing(&pool, 2).index, 2);
    CHECK(cn_pool_at(&pool, 0) == NULL);
    cn_pool_destroy(&pool);
}

static void every_refusal_gives_the_null_id_and_keeps_the_rest(void) {
    for (int refuse_at = 1; refuse_at <= 8; ++refuse_at) {
        FailingAllocator state = {.refuse_at = refuse_at};
        CnAllocator allocator = failing_allocator(&state);
        CnPool pool;
        cn_pool_init(&pool, &allocator, sizeof(Thing));
        int added = 0, refused = 0;
        while (added < 100) {
            void* element = &pool;
            CnPoolId id = cn_pool_add(&pool, &element);
            if (element == NULL) {
                refused += 1;
                CHECK(id.index == 0 && id.generation == 0);
            } else {
                ((Thing*)element)->number = added++;
            }
            CHECK_INT(pool.count, added);
        }
        CHECK_INT(refused, 1); // 100 elements: 5 growths of two arrays each
        for (int i = 0; i < 100; ++i) {
            CHECK_INT(number_of(&pool, cn_pool_id_at(&pool, i)), i);
        }
        cn_pool_destroy(&pool);
        CHECK_INT(state.live, 0);
    }
}

// Added and taken back in reverse, things leave no trace in the ids that follow.
static void what_was_taken_back_is_added_again_under_the_same_id(void) {
    CnPool pool;
    cn_pool_init(&pool, NULL, sizeof(Thing));
    CnPoolId first = add_thing(&pool, 1), second = add_thing(&pool, 2);
    CHECK_INT(cn_pool_remove(&pool, first), CN_OK);
    for (int i = 0; i < 2; ++i) {
        CnPoolId ids[3] = {add_thing(&pool, 3), add_thing(&pool, 4), add_thing(&pool, 5)};
        CHECK_INT(ids[0].index, first.index);
        CHECK_INT(ids[0].generation, first.generation + 2);
        CHECK_INT(ids[1].index, second.index + 1);
        CHECK_INT(ids[1].generation, 1);
        CHECK_INT(ids[2].index, second.index + 2);
        for (int k = 2; k >= 0; --k) {
            cn_pool_undo_add(&pool, ids[k]);
        }
        CHECK_INT(pool.count, 1);
    }
    CHECK(cn_pool_get(&pool, first) == NULL);
    CHECK_INT(number_of(&pool, second), 2);
    cn_pool_destroy(&pool);
}

TEST_MAIN("base/pool", TEST(things_are_found_by_id_and_by_slot),
          TEST(null_and_unknown_ids_name_nothing),
          TEST(a_reused_slot_does_not_answer_to_its_old_name),
          TEST(a_slot_whose_generations_are_spent_is_not_used_again),
          TEST(every_refusal_gives_the_null_id_and_keeps_the_rest),
          TEST(what_was_taken_back_is_added_again_under_the_same_id))
