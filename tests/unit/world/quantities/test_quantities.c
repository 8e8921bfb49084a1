// test_quantities.c - numbers of a world by name.
#include "support/test.h"

#include "cairn/quantity.h"
#include "cairn/scene.h"
#include "world/quantities/quantities.h"

#include <math.h>

static const char scene_text[] =
    "{\"cairn\": 1, \"gravity\": [0, 0, -10], \"duration\": 1, \"step\": {\"dt\": 0.01},"
    " \"bodies\": ["
    "  {\"name\": \"ground\", \"type\": \"static\", \"shapes\": [{\"type\": \"plane\"}]},"
    "  {\"name\": \"block\", \"position\": [0, 0, 0.5], \"mass\": 3,"
    "   \"shapes\": [{\"type\": \"box\", \"size\": [1, 1, 1]}]},"
    "  {\"name\": \"a/b.c\", \"position\": [5, 0, 3], \"velocity\": [3, 4, 0], \"mass\": 2,"
    "   \"shapes\": [{\"type\": \"sphere\", \"radius\": 0.1}]}],"
    " \"joints\": [{\"name\": \"hold\", \"type\": \"weld\", \"bodies\": [\"a/b.c\", \"world\"],"
    "   \"point\": [5, 0, 3], \"enabled\": false}]}";

typedef struct Scene {
    CnScene* scene;
    CnWorld* world;
    CnStepReport report;
    CnError error;
} Scene;

static Scene scene_open(void) {
    Scene s = {0};
    s.scene = cn_scene_parse(scene_text, strlen(scene_text), "scene", &s.error);
    ck_assert_msg(s.scene != NULL, "%s", s.error.message);
    s.world = cn_scene_build(s.scene, NULL, &s.error);
    ck_assert_msg(s.world != NULL, "%s", s.error.message);
    return s;
}

static void scene_close(Scene* s) {
    cn_world_destroy(s->world);
    cn_scene_destroy(s->scene);
}

static void step(Scene* s) {
    CHECK_INT(cn_world_step(s->world, 0.01, &s->report, &s->error), CN_OK);
}

// One quantity, by its name.
static double value_of(Scene* s, const char* name) {
    double value = 0.0;
    CnQuantities* list = cn_quantities_create(s->world, name, &s->error);
    ck_assert_msg(list != NULL, "%s", s->error.message);
    CHECK_INT(cn_quantities_count(list), 1);
    CHECK_STRING(cn_quantities_at(list, 0).name, name);
    CHECK_INT(cn_quantities_read(list, s->world, &s->report, &value, &s->error), CN_OK);
    cn_quantities_destroy(list);
    return value;
}

static void a_block_at_rest_presses_with_its_weight(void) {
    Scene s = scene_open();
    step(&s);
    // The solver's tolerance is 1e-8 m/s; times mass / dt that is 3e-6 N for each of four points.
    CHECK_NEAR(value_of(&s, "contact.block/ground.force"), 30.0, 2e-5);
    CHECK_NEAR(value_of(&s, "contact.block/ground.normal_force"), 30.0, 2e-5);
    // On the second one named: the block presses the ground down, the ground the block up.
    CHECK_NEAR(value_of(&s, "contact.block/ground.force.z"), -30.0, 2e-5);
    CHECK_NEAR(value_of(&s, "contact.ground/block.force.z"), 30.0, 2e-5);
    CHECK_NEAR(value_of(&s, "contact.block/ground.points"), 4.0, 0.0);
    CHECK_NEAR(value_of(&s, "contact.block/ground.gap"), 0.0, 1e-9);
    CHECK(isnan(value_of(&s, "contact.block/a/b.c.gap"))); // they do not touch
    CHECK_NEAR(value_of(&s, "contact.block/a/b.c.force"), 0.0, 0.0);
    scene_close(&s);
}

static void energies_are_those_of_the_textbook_and_add_up(void) {
    Scene s = scene_open();
    double kinetic = value_of(&s, "energy.kinetic"), potential = value_of(&s, "energy.potential");
    CHECK_NEAR(kinetic, 0.5 * 2.0 * 25.0, 1e-13);
    CHECK_NEAR(potential, 3.0 * 10.0 * 0.5 + 2.0 * 10.0 * 3.0, 1e-13);
    CHECK_NEAR(kinetic + potential, cn_world_energy(s.world), 1e-12);
    CHECK_NEAR(value_of(&s, "body.a/b.c.speed"), 5.0, 1e-15);
    scene_close(&s);
}

static void names_with_dots_and_slashes_are_found(void) {
    Scene s = scene_open();
    CHECK_NEAR(value_of(&s, "body.a/b.c.position.x"), 5.0, 0.0);
    CHECK_NEAR(value_of(&s, "joint.hold.force.z"), 0.0, 0.0);
    CHECK_NEAR(value_of(&s, "contact.a/b.c/ground.force"), 0.0, 0.0);
    scene_close(&s);
}

static void patterns_choose_in_order_and_once(void) {
    Scene s = scene_open();
    CnQuantities* list = cn_quantities_create(
        s.world, "body.*.velocity.z,body.block.velocity.?,penetration", &s.error);
    CHECK(list != NULL);
    static const char* const expected[] = {"body.ground.velocity.z", "body.block.velocity.z",
                                           "body.a/b.c.velocity.z",  "body.block.velocity.x",
                                           "body.block.velocity.y",  "penetration"};
    CHECK_INT(cn_quantities_count(list), 6);
    for (int i = 0; i < 6; ++i) {
        CHECK_STRING(cn_quantities_at(list, i).name, expected[i]);
    }
    CHECK_STRING(cn_quantities_at(list, 0).unit, "m/s");
    CHECK(cn_quantities_at(list, 6).name == NULL);
    cn_quantities_destroy(list);
    list = cn_quantities_create(s.world, "contact.*.force", &s.error);
    CHECK_INT(cn_quantities_count(list), 3 + 2); // of the two that move: each other, ground, world
    cn_quantities_destroy(list);
    scene_close(&s);
}

static void misspelt_names_are_answered_with_the_nearest(void) {
    Scene s = scene_open();
    CHECK(cn_quantities_create(s.world, "body.blok.position.z", &s.error) == NULL);
    CHECK_CONTAINS(s.error.message, "did you mean \"body.block.position.z\"?");
    CHECK(cn_quantities_create(s.world, "energy.cinetic", &s.error) == NULL);
    CHECK_CONTAINS(s.error.message, "\"energy.kinetic\"");
    CHECK(cn_quantities_create(s.world, "nothing at all like it", &s.error) == NULL);
    CHECK_CONTAINS(s.error.message, "body.NAME.");
    CHECK(cn_quantities_create(s.world, "penetration,,joint_error", &s.error) == NULL);
    CHECK_CONTAINS(s.error.message, "empty name");
    CHECK(cn_quantities_create(s.world, "contact.block/grund.force", &s.error) == NULL);
    CHECK(s.error.message[0] != '\0');
    scene_close(&s);
}

static void removed_things_read_as_not_a_number(void) {
    Scene s = scene_open();
    double values[2];
    CnQuantities* list =
        cn_quantities_create(s.world, "body.block.position.z,joint.hold.error", &s.error);
    cn_world_remove_body(s.world, cn_world_find_body(s.world, "block"));
    cn_world_remove_joint(s.world, cn_world_joint_at(s.world, 0));
    CHECK_INT(cn_quantities_read(list, s.world, NULL, values, &s.error), CN_OK);
    CHECK(isnan(values[0]) && isnan(values[1]));
    cn_quantities_destroy(list);
    scene_close(&s);
}

static void wildcards_match_as_in_a_shell(void) {
    CHECK(cn_name_matches("*", ""));
    CHECK(cn_name_matches("a*c", "abbc"));
    CHECK(cn_name_matches("a*b*c", "aXbYbZc"));
    CHECK(cn_name_matches("a?c", "abc"));
    CHECK(!cn_name_matches("a?c", "ac"));
    CHECK(!cn_name_matches("a*b", "abc"));
    CHECK(!cn_name_matches("", "a"));
    CHECK(cn_name_matches("**z", "z"));
}

// The ledger's sums are those over the bodies, of some dozen terms each.
static void energies_of_the_ledger_are_those_of_the_bodies(void) {
    Scene s = scene_open();
    for (int i = 0; i < 20; ++i) {
        double kinetic, potential;
        step(&s);
        cn_world_energies(s.world, &kinetic, &potential);
        CHECK(s.report.energy.scale > 0.0);
        CHECK_NEAR(value_of(&s, "energy.kinetic"), kinetic, 1e-13 * s.report.energy.scale);
        CHECK_NEAR(value_of(&s, "energy.potential"), potential, 1e-13 * s.report.energy.scale);
    }
    scene_close(&s);
}

// Zero would say that the books close and the answer is exact.
static void what_soft_step_does_not_keep_is_not_a_number(void) {
    Scene s = scene_open();
    CnStepDef def = cn_world_read(s.world).step;
    def.scheme = CN_SCHEME_SOFT_STEP;
    def.grade_every = 2; // the second step, not the first
    CHECK_INT(cn_world_set_step(s.world, &def, &s.error), CN_OK);
    step(&s);
    CHECK(isnan(value_of(&s, "energy.ledger_error")));
    CHECK(isnan(value_of(&s, "momentum.ledger_error")));
    CHECK(isnan(value_of(&s, "residual.worst")));
    step(&s);
    CHECK(isnan(value_of(&s, "energy.ledger_error")));
    CHECK(value_of(&s, "residual.worst") >= 0.0);
    scene_close(&s);
}

static void what_a_step_was_not_graded_for_is_not_a_number(void) {
    Scene s = scene_open();
    CnStepDef def = cn_world_read(s.world).step;
    def.grade_every = 2;
    CHECK_INT(cn_world_set_step(s.world, &def, &s.error), CN_OK);
    step(&s);
    CHECK(isnan(value_of(&s, "energy.ledger_error")));
    CHECK(isnan(value_of(&s, "momentum.ledger_error")));
    CHECK(isnan(value_of(&s, "residual.worst")));
    CHECK(value_of(&s, "energy.potential") > 0.0); // of the bodies, without a ledger
    step(&s);
    CHECK(value_of(&s, "energy.ledger_error") >= 0.0);
    CHECK(value_of(&s, "residual.worst") >= 0.0);
    scene_close(&s);
}

TEST_MAIN("world/quantities", TEST(a_block_at_rest_presses_with_its_weight),
          TEST(energies_are_those_of_the_textbook_and_add_up),
          TEST(names_with_dots_and_slashes_are_found), TEST(patterns_choose_in_order_and_once),
          TEST(misspelt_names_are_answered_with_the_nearest),
          TEST(removed_things_read_as_not_a_number), TEST(wildcards_match_as_in_a_shell),
          TEST(what_soft_step_does_not_keep_is_not_a_number),
          TEST(what_a_step_was_not_graded_for_is_not_a_number),
          TEST(energies_of_the_ledger_are_those_of_the_bodies))
