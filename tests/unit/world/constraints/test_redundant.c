// test_redundant.c - constraints that others already imply are found, and no others.
#include "support/test.h"

#include "cairn/scene.h"
#include <stdio.h>

#define BODY(name, x)                                                                              \
    "{\"name\": \"" name "\", \"mass\": 1, \"inertia\": [1, 1, 1], \"position\": [" x ", 0, 0]}"
#define PIN(body, x) "{\"kind\": \"pin\", \"body\": \"" body "\", \"point_a\": [" x ", 0, 0]}"
#define ROD(a, b, from, to)                                                                        \
    "{\"kind\": \"distance\", \"bodies\": [\"" a "\", \"" b "\"], \"point_a\": [" from             \
    "], \"point_b\": [" to "]}"

static int count_redundant(const char* constraints) {
    char text[2000];
    CnError error;
    CnConstraintId ids[16];
    snprintf(text, sizeof text, "{\"cairn\": 1, \"bodies\": [%s, %s], \"constraints\": [%s]}",
             BODY("a", "0"), BODY("b", "2"), constraints);
    CnScene* scene = cn_scene_parse(text, strlen(text), "text", &error);
    ck_assert_msg(scene != NULL, "%s", error.message);
    CnWorld* world = cn_scene_build(scene, NULL, &error);
    int count = cn_world_redundant_constraints(world, ids, 16);
    CHECK_INT(cn_world_redundant_constraints(world, NULL, 0), count);
    for (int i = 0; i < count; ++i) {
        CHECK(ids[i].index != 0);
    }
    cn_world_destroy(world);
    cn_scene_destroy(scene);
    return count;
}

static void a_world_without_constraints_has_none(void) {
    CHECK_INT(count_redundant(""), 0);
}

static void independent_constraints_are_not_named(void) {
    CHECK_INT(count_redundant(PIN("a", "0") ", " PIN("b", "2")), 0);
    CHECK_INT(count_redundant(PIN("a", "1") ", " ROD("a", "b", "0, 0, 0", "2, 0, 0")), 0);
}

// Six rods hold one rigid body against another when their lines (d, p x d) have rank 6. With the
// last rod of the first set the rank is 6, with that of the second it is 5, in exact fractions.
static void six_rods_are_enough_unless_their_lines_depend(void) {
#define FIVE_RODS                                                                                  \
    ROD("a", "b", "0, 0, 0", "2, 1, 0")                                                            \
    ", " ROD("a", "b", "0, 0, 0", "2, 0, 1") ", " ROD("a", "b", "0, 1, 0", "2, 0, 0") ", " ROD(    \
        "a", "b", "0, 1, 1", "2, 1, 1") ", " ROD("a", "b", "0, 0, 1", "3, 0, 0") ", "
    CHECK_INT(count_redundant(FIVE_RODS ROD("a", "b", "1, 2, 2", "2, 0, 3")), 0);
    CHECK_INT(count_redundant(FIVE_RODS ROD("a", "b", "1, 0, 2", "2, 0, 1")), 1);
}

static void a_constraint_given_twice_is_named_once(void) {
    CHECK_INT(count_redundant(ROD("a", "b", "0, 0, 0", "2, 0, 0") ", " //
                              ROD("a", "b", "0, 0, 0", "2, 0, 0")),
              1);
}

// Two pins leave one rotation: 6 rows, rank 5, so one of them has a row too many.
static void two_pins_on_one_body_are_one_row_too_many(void) {
    CHECK_INT(count_redundant(PIN("a", "0") ", " PIN("a", "1")), 1);
}

static void rows_that_nothing_changes_are_not_called_redundant(void) {
    CHECK_INT(count_redundant("{\"kind\": \"unit_quaternion\", \"body\": \"a\"}"), 0);
}

TEST_MAIN("unit/world/constraints/redundant", TEST(a_world_without_constraints_has_none),
          TEST(independent_constraints_are_not_named),
          TEST(six_rods_are_enough_unless_their_lines_depend),
          TEST(a_constraint_given_twice_is_named_once),
          TEST(two_pins_on_one_body_are_one_row_too_many),
          TEST(rows_that_nothing_changes_are_not_called_redundant))
